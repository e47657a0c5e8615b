"""Steps on the device: the inputs of a plan are brought there, the model runs, the tokens come back."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

import freehold as fh
from freehold.engine import sampling
from freehold.engine.batch import Batch, Share
from freehold.engine.config import Config
from freehold.engine.errors import ModelError
from freehold.engine.layers import added
from freehold.engine.model import Model
from freehold.engine.ranks import Ranks
from freehold.engine.scheduler import Planned
from freehold.kernels.schedules import ceildiv, power_of_two

_HOST_PAGES: Final = 256
"""Pages on the host, where nothing says how much memory a trial may take."""

Chosen = dict[Planned, tuple[int, Any]]
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


class Ways(NamedTuple):
    """What a step does besides running the model; each has operations of its own."""

    draws: bool
    """Whether any token is drawn by chance."""
    changes: bool
    """Whether any logits are changed first."""


class Order(NamedTuple):
    """What every process has to know of a step."""

    tokens: int
    sequences: int
    longest: int
    """The most tokens of one sequence."""
    ways: Ways
    numbers: Any
    """The inputs, `Batch.numbers`."""
    extra: Any
    """What is added to the logits, (sequences, vocabulary), or None."""
    ahead: int
    """How many tokens are those that the last step chooses."""


class Begun(NamedTuple):
    """A step that is enqueued: what it was asked for, and where its tokens will be."""

    plan: list[Planned]
    batch: Batch


class Runner:
    """
    A model on a device with its caches, and the graphs of its decoding steps, by numbers of sequences.

    Of each there are two where a step begins while the one before it runs: its inputs are brought to the device then.

    Raises `ModelError` where weights and one page do not fit the device, and for weights of an unknown kind.
    """

    def __init__(self, folder: Path, config: Config, setup: Setup, ranks: Ranks):
        device = fh.empty((1,)).sync().device if setup.device is None else setup.device
        if setup.weights not in (None, "fp8"):
            raise ModelError(f"weights are made 'fp8', or stay as they are, but not {setup.weights!r}")
        self.device = device
        self.on_host = device == fh.HOST
        self.page = setup.page or (16 if self.on_host else 64)
        self.ranks = ranks
        tokens, sequences, narrow = setup.tokens, setup.sequences, setup.weights == "fp8"
        self.model = Model(folder, config, device, tokens, sequences, self.page, ranks, narrow)
        sampling.reserve(self.model.room, sequences, config.vocabulary)
        self.pages = setup.pages or ranks.least(self._pages_that_fit(setup.memory))
        self.model.allocate(self.pages)
        self.longest = min(ceildiv(config.positions, self.page), self.pages)
        """Pages of the longest sequence."""
        self.graphs = setup.graphs and not self.on_host
        self._decoding: dict[tuple[int, Ways, int], tuple[Batch, Any]] = {}
        self._turn = 0
        self._last: Batch | None = None
        self._aside = None if self.on_host else fh.SingleStream().stream(device)
        """The stream on which tokens are kept for the host: what waits for it does not wait for the steps after."""

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
        return min(most, fits, (2**31 - 1) // self.page)

    def begin(self, plan: list[Planned], ahead: bool = False) -> Begun:
        """Enqueues a step, here and in the other processes. `ahead`: its tokens are those that the last one chooses."""
        ways = Ways(any(p.sequence.sampling.temperature > 0 for p in plan), any(p.sequence.changes for p in plan))
        longest = max(p.length for p in plan)
        batch, graph = self._place(sum(p.length for p in plan), len(plan), longest, ways, ahead)
        batch.choice.clear()
        for row, p in enumerate(plan):
            s = p.sequence
            batch.choice.put(row, s.sampling, sampling.seed_of(s.seed, p.first + p.length))
        batch.fill([Share(p.tokens, p.first, p.sequence.pages) for p in plan], self.page)
        extra = self._changes(plan) if ways.changes else None
        count = len(plan) if ahead else 0
        order = Order(batch.tokens, len(plan), longest, ways, batch.numbers, extra, count)
        self.ranks.tell(order)
        self._go(batch, graph, order)
        batch.tell(self._aside)
        return Begun(plan, batch)

    def follow(self) -> None:
        """Does what the first process tells, up to the end."""
        for order in self.ranks.orders():
            batch, graph = self._place(order.tokens, order.sequences, order.longest, order.ways, order.ahead > 0)
            batch.numbers[:] = order.numbers
            self._go(batch, graph, order)

    def _go(self, batch: Batch, graph: Any, order: Order) -> None:
        batch.load().on()
        if order.extra is not None:
            self.model.room.rows("extra", order.sequences).copy_from(order.extra).on()
        if order.ahead:
            assert self._last is not None
            batch.ids[: order.ahead].copy_from(self._last.chosen[: order.ahead]).on()
        if graph is None:
            self._enqueue(batch, order.ways)
        else:
            graph.replay().on()
        self._last = batch

    def _place(self, tokens: int, sequences: int, longest: int, ways: Ways, ahead: bool) -> tuple[Batch, Any]:
        """A batch with room for a step, and the graph of such steps if there is one."""
        if longest == 1:
            self._turn ^= ahead
            return self._decoder(sequences, ways)
        return self._batch(tokens, sequences, longest), None

    def _batch(self, tokens: int, sequences: int, longest: int) -> Batch:
        slots = self.pages * self.page
        return Batch(tokens, sequences, self.longest, longest, slots, self.device)

    def _decoder(self, count: int, ways: Ways) -> tuple[Batch, Any]:
        """The batch of a decoding step with room for `count` sequences, and its graph if there is one."""
        size = min(power_of_two(count), self.model.sequences)
        found = self._decoding.get((size, ways, self._turn))
        if found is None:
            batch, graph = self._batch(size, size, 1), None
            if self.graphs:
                self._enqueue(batch, ways)  # compiled in front of the graph, in which nothing is allocated
                with fh.graph() as graph:
                    for op in self._operations(batch, ways):
                        graph.record(op)
            found = self._decoding[size, ways, self._turn] = batch, graph
        return found

    def _operations(self, batch: Batch, ways: Ways) -> Any:
        model, logits = self.model, self.model.logits(batch.sequences)
        yield from model.forward(batch)
        if ways.changes:
            yield from added(logits, model.room.rows("extra", batch.sequences))
        yield from sampling.choice(model.room, batch.chosen, logits, batch.floats, batch.top_k, batch.seeds, ways.draws)

    def _enqueue(self, batch: Batch, ways: Ways) -> None:
        for op in self._operations(batch, ways):
            op.on()

    def _changes(self, plan: list[Planned]) -> Any:
        """What is added to the logits of each row."""
        extra = np.zeros((len(plan), self.model.config.vocabulary), np.float32)
        for row, p in zip(extra, plan, strict=True):
            if p.whole:
                p.sequence.change(row)
        return extra

    def read(self, begun: Begun) -> Chosen:
        """The token that follows each sequence whose tokens were all in a step, once that is done."""
        plan, found = begun.plan, begun.batch.told()
        told: Chosen = {}
        for row, p in enumerate(plan):
            if not p.whole:
                continue
            token, asked = int(found[row]), p.sequence.sampling.logprobs
            logprob = None
            if asked is not None:
                logprob = sampling.likeliest(self.model.logits(len(plan))[row].numpy(), token, asked)
            told[p] = token, logprob
        return told
