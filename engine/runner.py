"""Steps on the device: the inputs of a plan are brought there, the model runs, the tokens come back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

import freehold as fh
from freehold.engine import sampling
from freehold.engine.batch import ALONE, Batch, Inputs, Memory, Shape, Share, padded, rows_of, with_ones
from freehold.engine.config import Config
from freehold.engine.errors import EngineError, ModelError
from freehold.engine.layers import added
from freehold.engine.model import Model, Views
from freehold.engine.ranks import Ranks
from freehold.engine.scheduler import Plan, Planned
from freehold.kernels.schedules import ceildiv
from freehold.kernels.serving import reaches

_HOST_PAGES: Final = 256
"""Pages on the host, where nothing says how much memory a trial may take."""


def _nothing(_: str) -> None:
    """Who is told where nobody asked."""


def _tokens(plan: Plan) -> int:
    """Tokens of the longest sequence of a plan, with those of the step."""
    return max(p.first + p.length for p in plan)


Chosen = list[tuple[Planned, int, Any]]
"""The next token of each sequence that has one, and what there is to tell of probabilities."""


class Setup(NamedTuple):
    """How a model is run; every process that shares it is given the same. See `Engine`."""

    device: int | None = None
    tokens: int = 2048
    sequences: int = 64
    page: int | None = None
    pages: int | None = None
    memory: float = 0.9
    graphs: bool = True
    weights: str | None = None
    prepare: bool = True

    def check(self) -> None:
        """Raises `EngineError` for numbers with which nothing can be run: a step without tokens would never end."""
        least = {"device": -1, "tokens": 1, "sequences": 1, "page": 1, "pages": 1}
        for name, low in least.items():
            value = getattr(self, name)
            if value is not None and value < low:
                raise EngineError(f"{name} is {low} or more, not {value}")
        if self.page is not None and self.page & (self.page - 1):
            raise EngineError(f"page is a power of two, not {self.page}")
        if not 0 < self.memory <= 1:
            raise EngineError(f"memory is a share of what is free, above 0 and up to 1, not {self.memory:g}")


class Ways(NamedTuple):
    """What a step does besides running the model; each has operations of its own."""

    draws: bool
    """Whether any token is drawn by chance."""
    changes: bool
    """Whether any logits are changed first."""


class Order(NamedTuple):
    """What every process has to know of a step."""

    shape: Shape
    ways: Ways
    numbers: Any
    """The inputs, `Inputs.numbers`."""
    alone: int
    extra: Any
    """What is added to the logits, (sequences, vocabulary), or None."""


class Begun(NamedTuple):
    """A step that is enqueued: what it was asked for, and where its tokens will be."""

    plan: Plan
    batch: Batch
    ways: Ways
    flight: fh.InFlight[Any]


class Runner:
    """
    A model on a device with its caches, what its steps read and write, and the graphs of its decoding steps.

    There are two of each, for steps in turns: one is brought to the device while the other runs, and takes from it the
    tokens that it chooses. `progress` is told what is being done before the first step.

    Raises `ModelError` where weights and one page do not fit the device, and for weights of an unknown kind.
    """

    def __init__(
        self, folder: Path, config: Config, setup: Setup, ranks: Ranks, progress: Callable[[str], None] | None = None
    ):
        device = fh.empty((1,)).sync().device if setup.device is None else setup.device
        if setup.weights not in (None, "fp8"):
            raise ModelError(f"weights are made 'fp8', or stay as they are, but not {setup.weights!r}")
        self.device = device
        self.on_host = device == fh.HOST
        self.page = setup.page or (16 if self.on_host else 64)
        self.ranks = ranks
        tokens, sequences, narrow = setup.tokens, setup.sequences, setup.weights == "fp8"
        tell = progress or _nothing
        tell("reading the weights")
        self.model = Model(folder, config, device, tokens, sequences, self.page, ranks, narrow)
        sampling.reserve(self.model.room, sequences, config.vocabulary)
        self.pages = setup.pages or ranks.least(self._pages_that_fit(setup.memory))
        self.model.allocate(self.pages)
        self.longest = min(ceildiv(config.positions, self.page), self.pages)
        """Pages of the longest sequence."""
        self.graphs = setup.graphs and not self.on_host
        largest = Shape(max(tokens, sequences), sequences, tokens)
        self._memory = [Memory(largest, self.longest, self.page, device) for _ in range(2)]
        self._turn = 0
        self._inputs: dict[Shape, Inputs] = {}
        self._batches: dict[tuple[Shape, int], Batch] = {}
        self._recorded: dict[tuple[Shape, int, Ways], Any] = {}
        if setup.prepare and not self.on_host:
            self._prepare(tell)

    def _pages_that_fit(self, share: float) -> int:
        """How many pages fit in a share of what is free; not more than the longest sequences may need."""
        c = self.model.config
        most = self.model.sequences * ceildiv(c.positions, self.page)
        left = None if self.on_host else fh.memory_left(self.device)
        if left is None:
            return min(most, _HOST_PAGES)
        fits = int(left[0] * share) // self.model.page_bytes()
        if fits < 1:
            raise ModelError("the weights leave no room for a page of keys and values on the GPU")
        return min(most, fits, (2**31 - 1) // (self.page * 2 * c.kv_heads * c.head))  # elements of a layer: a stride

    # --- Ahead of all steps -------------------------------------------------------------------------------------------

    def shapes(self) -> list[Shape]:
        """The shapes of all steps: of those that decode, first, then those for each number of tokens and sequences."""
        model = self.model
        rows = sorted({rows_of(n, model.sequences) for n in range(1, model.sequences + 1)})
        mixed = {self._shape(n, 1, n) for n in range(2, model.tokens)}
        mixed |= {self._shape(model.tokens, n, model.tokens) for n in rows}
        return [
            *(Shape(1, 1, 1, n) for n in reaches(model.config.heads)),
            *(Shape(n, n, 1) for n in rows),
            *sorted(mixed),
        ]

    def _prepare(self, tell: Callable[[str], None]) -> None:
        """Compiles what steps launch, beside one another, and records the graphs."""
        shapes = self.shapes()
        every = [Ways(draws, changes) for draws in (False, True) for changes in (False, True)]
        launches: list[Any] = []
        for shape in shapes:
            batch = self._batch(shape)
            launches += self._operations(batch, Ways(False, False), layers=1 if batch.decoding else 2)
            for ways in every if batch.decoding else ():
                launches += self._choice(batch, ways)
        largest = self._batch(shapes[-1])
        for alone in range(ALONE, min(largest.sequences, largest.tokens), ALONE):
            largest.alone = alone
            launches += self.model.attention(Views(self.model, largest), 0)
        tell(f"compiling kernels ({len(launches)} launches)")
        fh.gather(launches).prepare()
        decoding = [shape for shape in shapes if shape.longest == 1] if self.graphs else []
        for number, shape in enumerate(decoding):
            tell(f"recording graphs ({number} of {len(decoding)})")
            for memory in self._memory:
                self._turn ^= 1
                batch = self._batch(shape)
                inputs = self._numbers(shape)
                inputs.fill([])
                inputs.choice.fill([])
                batch.send(inputs.numbers)
                for ways in (Ways(True, False), Ways(False, False)):
                    if memory is self._memory[0]:  # launched, too: kernels are loaded, and processes meet
                        for op in self._operations(batch, ways, layers=1):
                            op.on()
                    self._recorded[shape, self._turn, ways] = self._graph(batch, ways)

    # --- Steps --------------------------------------------------------------------------------------------------------

    def begin(self, plan: Plan, before: Begun | None = None) -> Begun:
        """Enqueues a step, here and in the other processes, behind the one `before`, if that still runs."""
        self._turn ^= 1
        if plan.again and before and not 0 < before.batch.shape.reach < _tokens(plan):
            shape, ways = before.batch.shape, before.ways
            inputs = self._numbers(shape)
            inputs.advance()
        else:
            ways = Ways(any(p.sequence.sampling.temperature > 0 for p in plan), any(p.sequence.changes for p in plan))
            longest = max(p.length for p in plan)
            ones = sum(p.length == 1 for p in plan)
            count = len(plan) if longest == 1 else len(plan) + with_ones(ones) - ones
            shape = self._shape(sum(p.length for p in plan), count, longest, _tokens(plan))
            inputs = self._numbers(shape)
            inputs.choice.fill([(p.sequence.sampling, p.sequence.seed, p.first + p.length) for p in plan])
            rows = {p.sequence: row for row, p in enumerate(before.plan)} if before else {}
            inputs.fill([Share(p.tokens(rows), p.first, p.sequence.pages) for p in plan])
        extra = self._changes(plan) if ways.changes else None
        order = Order(shape, ways, inputs.numbers, inputs.alone, extra)
        self.ranks.tell(order)
        batch = self._batch(shape)
        return Begun(plan, batch, ways, self._go(batch, order))

    def follow(self) -> None:
        """Does what the first process tells, up to the end."""
        for order in self.ranks.orders():
            self._turn ^= 1
            self._go(self._batch(order.shape), order)
        self.close()

    def close(self) -> None:
        """Lets go of the graphs: NCCL ends no communicator whose sums are a part of one."""
        recorded, self._recorded = self._recorded, {}
        for graph in recorded.values():
            if graph is not None:
                graph.close()

    def _shape(self, tokens: int, sequences: int, longest: int, whole: int = 1 << 30) -> Shape:
        """
        The shape of a step of so many tokens: there are few, so that there are few kernels. With those in front of them
        a sequence has up to `whole` tokens.
        """
        rows = rows_of(sequences, self.model.sequences)
        if longest == 1:
            near = [n for n in reaches(self.model.config.heads) if n >= whole] if rows == 1 else []
            return Shape(rows, rows, 1, *near[:1])
        return Shape(padded(tokens, self.model.tokens), rows_of(max(4, sequences), self.model.sequences), 2)

    def _batch(self, shape: Shape) -> Batch:
        """The inputs of steps of a shape, in this turn."""
        found = self._batches.get((shape, self._turn))
        if found is None:
            here, before = self._memory[self._turn], self._memory[1 - self._turn].chosen
            found = self._batches[shape, self._turn] = Batch(shape, here, before)
        return found

    def _numbers(self, shape: Shape) -> Inputs:
        """The numbers of steps of a shape."""
        found = self._inputs.get(shape)
        if found is None:
            found = self._inputs[shape] = Inputs(shape, self.longest, self.page, self.pages * self.page)
        return found

    def _go(self, batch: Batch, order: Order) -> fh.InFlight[Any]:
        batch.send(order.numbers, order.alone)
        if order.extra is not None:
            self.model.room.rows("extra", len(order.extra)).copy_from(order.extra).on()
        key = batch.shape, self._turn, order.ways
        graph = self._recorded.get(key)
        if graph is not None:
            return graph.replay().on().marked()
        flights = [op.on() for op in self._operations(batch, order.ways)]
        last = flights[-1].marked()
        if self.graphs and batch.decoding and key not in self._recorded:  # for the next one
            self._recorded[key] = self._graph(batch, order.ways)
        return last

    def _graph(self, batch: Batch, ways: Ways) -> Any:
        """The graph of steps of a shape; None where there is no memory for it."""
        with suppress(MemoryError):
            with fh.graph() as graph:
                for op in self._operations(batch, ways):
                    graph.record(op)
            return graph
        return None

    def _operations(self, batch: Batch, ways: Ways, layers: int | None = None) -> Any:
        yield batch.load()
        yield from self.model.forward(batch, layers)
        yield from self._choice(batch, ways)

    def _choice(self, batch: Batch, ways: Ways) -> Any:
        """The operations that follow the model's: tokens are chosen, and told."""
        room, logits = self.model.room, self.model.logits(batch.sequences)
        if ways.changes:
            yield from added(logits, room.rows("extra", batch.sequences))
        yield from sampling.choice(room, batch.chosen, logits, batch.floats, batch.top_k, batch.seeds, ways.draws)
        yield batch.tell()

    def _changes(self, plan: Plan) -> Any:
        """What is added to the logits of each row."""
        extra = np.zeros((len(plan), self.model.config.vocabulary), np.float32)
        for row, p in zip(extra, plan, strict=True):
            if p.whole:
                p.sequence.change(row)
        return extra

    def read(self, begun: Begun) -> Chosen:
        """The token that follows each sequence whose tokens were all in a step, once that is done."""
        plan = begun.plan
        begun.flight.wait()
        tokens = begun.batch.told.numpy().tolist()
        if plan.left:  # all of them, and nobody asked for more
            return [(p, token, None) for p, token in zip(plan, tokens, strict=False)]
        told: Chosen = []
        for row, (p, token) in enumerate(zip(plan, tokens, strict=False)):
            if not p.whole:
                continue
            asked, logprob = p.sequence.sampling.logprobs, None
            if asked is not None:
                logprob = sampling.likeliest(self.model.logits(len(plan))[row].numpy(), token, asked)
            told.append((p, token, logprob))
        return told
