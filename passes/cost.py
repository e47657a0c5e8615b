"""
What a kernel moves and computes: bytes by tensor and floating-point operations, as terms over the launch's symbols.

Counted is what the kernel asks for, each time it asks: a tile that is loaded in two turns of a loop counts twice,
whatever a cache may make of it; an atomic update counts its elements once, as updated. Of tiles that overhang their
tensor only the part inside is moved; all of it is computed on. A matrix product of `m x k` by `k x n` is
`2 * m * n * k` operations; every other floating-point operation is one for each element of its result (a fused
multiply-add two, comparisons, conversions and selections none), in a reduction one for each element that is combined
with another.

Loops count as often as they turn. Where that is not known there is a symbol for it, and `Cost.unknown` says which loop
it is of. What stands in a branch, or behind a way out, is counted as if it always ran: such an amount is not exact but
an upper bound. The same goes for places whose overhang no closed form is known for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final, Literal, cast

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from freehold.dialects.cuda_tile.op import TileOp
from freehold.dialects.cuda_tile.ops.arith_float import CmpFOp, FloatOp, FmaOp
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp, LoopOp, ways_out
from freehold.dialects.cuda_tile.ops.mma import Mma
from freehold.dialects.cuda_tile.ops.reduce import Aggregate
from freehold.dialects.cuda_tile.types import TileType
from freehold.dialects.location import span_of
from freehold.dialects.ownership import (
    AccessOp,
    Action,
    DistributeOp,
    Indexing,
    KernelOp,
    RegionOp,
    TensorType,
    UnsafeOp,
    tensor_type,
)
from freehold.passes.analysis.assumed import NOBODY, Assumed
from freehold.passes.analysis.facts import KernelFacts, analyse
from freehold.passes.analysis.wording import name_of, tensor_of
from freehold.passes.launch_contract import dtype_name
from freehold.passes.prover.polynomials import poly, to_term
from freehold.support import terms
from freehold.support.dtypes import BY_NAME
from freehold.support.terms import Term

MOST_SUMMED: Final = 1 << 16
"""How many summands `Amount.evaluate` adds up."""

_ZERO: Final = terms.const(0)
_ONE: Final = terms.const(1)
_UNCOUNTED: Final = frozenset({"Memory", "Atomics", "Views"})


@dataclass(frozen=True, slots=True)
class Variable:
    """An integer that takes every `step`-th value from `low` to below `high`."""

    name: str
    low: Term
    high: Term
    step: Term

    def __str__(self) -> str:
        step = "" if self.step == _ONE else f" by {self.step}"
        return f"{self.name} in {self.low} .. {self.high}{step}"


@dataclass(frozen=True, slots=True)
class Amount:
    """The sum of `term` over all values of the variables, the later of which may be bounded by the earlier."""

    term: Term
    over: tuple[Variable, ...] = ()

    def evaluate(self, values: Mapping[str, int]) -> int | None:
        """Its value; None where a symbol has none, or where there are more than `MOST_SUMMED` summands."""
        try:
            return self._sum(dict(values), 0, [MOST_SUMMED])
        except (KeyError, ZeroDivisionError, _TooMany):
            return None

    def _sum(self, values: dict[str, int], position: int, left: list[int]) -> int:
        if position == len(self.over):
            left[0] -= 1
            if left[0] < 0:
                raise _TooMany
            return self.term.evaluate(values)
        variable = self.over[position]
        total = 0
        for value in range(*(t.evaluate(values) for t in (variable.low, variable.high, variable.step))):
            values[variable.name] = value
            total += self._sum(values, position + 1, left)
        return total

    def __str__(self) -> str:
        if not self.over:
            return str(self.term)
        return f"sum of {self.term} over {', '.join(map(str, self.over))}"


class _TooMany(Exception):
    pass


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of some amounts."""

    amounts: tuple[Amount, ...] = ()
    exact: bool = True
    """Whether it is that; an upper bound otherwise."""

    @staticmethod
    def of(parts: Iterable[tuple[Amount, bool]]) -> Total:
        """The sum of amounts, each with whether it is exact; those over the same variables become one."""
        found: dict[tuple[Variable, ...], Term] = {}
        exact = True
        for amount, is_exact in parts:
            found[amount.over] = found.get(amount.over, _ZERO) + amount.term
            exact = exact and is_exact
        return Total(tuple(Amount(_tidy(t), over) for over, t in found.items()), exact)

    def evaluate(self, values: Mapping[str, int]) -> int | None:
        """Its value, or None as for `Amount.evaluate`."""
        found = [a.evaluate(values) for a in self.amounts]
        return None if None in found else sum(v for v in found if v is not None)

    def __str__(self) -> str:
        return " + ".join(map(str, self.amounts)) or "0"


@dataclass(frozen=True, slots=True)
class Work:
    """What one region takes, all of it inside its tensor, and what the whole launch takes."""

    region: Total = Total()
    launch: Total = Total()


Direction = Literal["read", "written", "updated"]

_DIRECTIONS: Final[Mapping[Action, Direction]] = {
    Action.READ: "read",
    Action.WRITE: "written",
    Action.UPDATE: "updated",
}


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes that are moved between one tensor and the tile blocks."""

    tensor: str
    direction: Direction
    size: Term
    """Bytes of the tensor itself."""
    work: Work


@dataclass(frozen=True)
class Cost:
    """What a kernel moves and computes."""

    regions: Term
    """How many regions there are, each the work of one tile block at a time."""
    traffic: tuple[Traffic, ...]
    matrix: Work
    """Operations of matrix products."""
    other: Work
    """Other floating-point operations."""
    scalars: Mapping[str, int] = field(default_factory=dict[str, int])
    """The symbols that are scalar arguments, with their positions among the kernel's arguments."""
    unknown: Mapping[str, str] = field(default_factory=dict[str, str])
    """Symbols that nobody knows, each with what it counts."""
    uncounted: tuple[str, ...] = ()
    """Names of operations that move memory and are not counted."""
    assumes: bool = False
    """Whether it rests on integers that are not shown to stay in range, and are taken not to wrap around."""


def cost(kernel: KernelOp, facts: KernelFacts | None = None) -> Cost:
    """What a kernel moves and computes. It is one that `verify` accepts: tiles with one element lie in their tensor."""
    return _Count(kernel, facts or analyse(kernel)).result()


@dataclass(frozen=True, slots=True)
class _Turns:
    """A loop or an axis of the index space around an operation: how often it turns, and over which variable."""

    times: Term
    variable: Variable | None
    is_point: bool = False


@dataclass(frozen=True, slots=True)
class _Axis:
    """An access along one axis: `tile` elements from `coordinate * step` on, of `extent`."""

    coordinate: Term
    tile: int
    step: int
    extent: Term


class _Count:
    def __init__(self, kernel: KernelOp, facts: KernelFacts):
        self.kernel = kernel
        self.facts = facts
        self.around: list[_Turns] = []
        self.regions = _ONE
        self.unknown: dict[str, str] = {}
        self.uncounted: dict[str, None] = {}
        self.scalars: dict[str, int] = {}
        for name, value in facts.symbols.items():
            if isinstance(value, BlockArgument) and value.block is kernel.body.block:
                self.scalars[name] = value.index
        self.assumes = False
        self.known = set(facts.launch) | set(self.scalars)
        self.moved: dict[tuple[SSAValue, Direction], list[tuple[Sequence[_Axis], _Around]]] = {}
        self.matrix: list[tuple[int, _Around]] = []
        self.other: list[tuple[int, _Around]] = []

    def result(self) -> Cost:
        """Counts, and adds up."""
        self.block(self.kernel.body.block, maybe=False)
        traffic = [
            Traffic(name_of(tensor), direction, _size(tensor), _moved(tensor, accesses))
            for (tensor, direction), accesses in self.moved.items()
        ]
        return Cost(
            regions=self.regions,
            traffic=tuple(traffic),
            matrix=_computed(self.matrix),
            other=_computed(self.other),
            scalars=self.scalars,
            unknown=self.unknown,
            uncounted=tuple(self.uncounted),
            assumes=self.assumes,
        )

    # The walk

    def block(self, block: Block, maybe: bool) -> None:
        """Everything in a block; `maybe`: it may not run each time."""
        for op in block.ops:
            match op:
                case IfOp():
                    for region in op.regions:
                        for inner in region.blocks:
                            self.block(inner, maybe=True)
                    maybe = maybe or bool(ways_out(op))
                case ForOp():
                    self.nested(op.block, [self.turns(op)], maybe)
                case LoopOp():
                    self.nested(op.block, [_Turns(self.nobody_knows(op), None)], maybe)
                case DistributeOp():
                    self.nested(op.body.block, self.points(op), maybe)
                case _:
                    self.operation(op, maybe)

    def nested(self, block: Block, turns: Sequence[_Turns], maybe: bool) -> None:
        """A block that runs again and again."""
        self.around += turns
        self.block(block, maybe)
        del self.around[len(self.around) - len(turns) :]

    def points(self, op: DistributeOp) -> list[_Turns]:
        """The axes of an index space."""
        found: list[_Turns] = []
        for count, name in zip(op.extents, self.facts.points[op], strict=True):
            self.regions = _tidy(self.regions * count)
            self.known.add(name)
            found.append(_Turns(count, Variable(name, _ZERO, count, _ONE), is_point=True))
        return found

    def turns(self, op: ForOp) -> _Turns:
        """A counted loop."""
        proved = [self.facts.terms.get(v, _ZERO) for v in (op.lowerBound, op.upperBound, op.step)]
        low, high, step = bounds = [Assumed(self.facts).resolved(t) for t in proved]
        counter = self.facts.terms.get(op.block.args[0])
        if not self.is_known(*bounds) or counter is None or counter.op != "sym":
            return _Turns(self.nobody_knows(op), None)
        self.assumes = self.assumes or bounds != proved or op not in self.facts.counters
        self.known.add(counter.name)
        times = terms.ceildiv(high - low, step)
        if op not in self.facts.repeated:
            times = terms.maximum(times, _ZERO)
        return _Turns(times, Variable(counter.name, low, high, step))

    def is_known(self, *found: Term) -> bool:
        """Whether a launch's arguments, and where in it one is, tell the values of all symbols."""
        return all(t.symbols() <= self.known for t in found)

    def nobody_knows(self, op: ForOp | LoopOp) -> Term:
        """A symbol for how often a loop turns."""
        taken = self.facts.symbols.keys() | self.facts.launch | self.unknown.keys()
        number, name = 1, "turns"
        while name in taken:
            number += 1
            name = f"turns_{number}"
        span = span_of(op)
        self.unknown[name] = (
            "how often a loop turns" if span is None else f"how often the loop in line {span.line} turns"
        )
        return terms.sym(name)

    def operation(self, op: Operation, maybe: bool) -> None:
        """One operation that is no control flow."""
        around = _Around(tuple(self.around), not maybe)
        match op:
            case AccessOp():
                self.access(op, around)
            case Mma():
                lhs, _, acc = (cast(TileType, o.type).dims for o in op.operands[:3])
                self.matrix.append((2 * prod(acc) * lhs[-1], around))
            case _:
                if operations := _operations(op):
                    self.other.append((operations, around))
                if isinstance(op, TileOp) and op.group in _UNCOUNTED:
                    self.uncounted[op.short_name()] = None

    def access(self, op: AccessOp, around: _Around) -> None:
        """What an access moves. What nobody looks at is not loaded."""
        direction = _DIRECTIONS.get(op.ACTION)
        unused = direction == "read" and not any(True for _ in op.results[0].uses)
        if direction is None or (unused and not isinstance(op, UnsafeOp)):
            return
        if op.indexing is Indexing.EACH:
            self.elements(op.memory, direction, op.shape, around)
        elif op.indexing is not Indexing.OWN:
            self.places(op.memory, direction, op.shape, self.facts.coordinates(op), around, op.steps)
        elif isinstance(region := op.memory.owner, RegionOp):  # one that a branch hands on is refused elsewhere
            coordinates = self.facts.coordinates(region)
            if (axis := region.result.type.partition.groups_axis) is not None:  # where its group lies, offsets say
                coordinates = tuple(terms.sym(NOBODY) if n == axis else c for n, c in enumerate(coordinates[1:]))
            self.places(op.memory, direction, op.shape, coordinates, around, op.steps)

    def places(
        self,
        source: SSAValue,
        direction: Direction,
        tile: Sequence[int],
        coordinates: Sequence[Term],
        around: _Around,
        steps: Sequence[int],
    ) -> None:
        """An access to a tile at coordinates that count steps."""
        tensor = tensor_type(source)
        axes = [
            _Axis(c, t, s, tensor.extent(n)) for n, (c, t, s) in enumerate(zip(coordinates, tile, steps, strict=True))
        ]
        self.moved.setdefault((tensor_of(source), direction), []).append((axes, around))

    def elements(self, source: SSAValue, direction: Direction, tile: Sequence[int], around: _Around) -> None:
        """An access by element: all of the tile, at most, for nobody knows what is masked."""
        axes = [_Axis(terms.sym(NOBODY), prod(tile), 1, tensor_type(source).extent(0))]
        self.moved.setdefault((tensor_of(source), direction), []).append((axes, _Around(around.turns, False)))


@dataclass(frozen=True, slots=True)
class _Around:
    """What is around an operation, outermost first, and whether it always runs there."""

    turns: tuple[_Turns, ...]
    always: bool


def _operations(op: Operation) -> int:
    """Floating-point operations of an operation that is no matrix product."""
    match op:
        case CmpFOp():
            return 0
        case FloatOp():
            tile = op.results[0].type
            assert isinstance(tile, TileType)
            return tile.num_elements * (2 if isinstance(op, FmaOp) else 1)
        case Aggregate():
            tile = op.operands[0].type
            assert isinstance(tile, TileType)
            combined = tile.num_elements - tile.num_elements // tile.dims[op.dimension]
            return combined * sum(_operations(inner) for inner in op.regions[0].block.ops)
        case _:
            return 0


def _size(tensor: SSAValue) -> Term:
    type_ = tensor.type
    assert isinstance(type_, TensorType)
    size = terms.const(_item_size(type_))
    for axis in range(type_.rank):
        size = size * type_.extent(axis)
    return _tidy(size)


def _item_size(type_: TensorType) -> int:
    return BY_NAME[dtype_name(type_.element)].itemsize


def _moved(tensor: SSAValue, accesses: Sequence[tuple[Sequence[_Axis], _Around]]) -> Work:
    type_ = tensor.type
    assert isinstance(type_, TensorType)
    size = _item_size(type_)
    region: list[tuple[Amount, bool]] = []
    launch: list[tuple[Amount, bool]] = []
    for axes, around in accesses:
        whole = terms.const(size * prod(a.tile for a in axes))
        inner = [t for t in around.turns if not t.is_point]
        region.append((_repeated(whole, inner), around.always))
        amount, exact = _clipped(size, axes, around.turns)
        launch.append((amount, exact and around.always))
    return Work(Total.of(region), Total.of(launch))


def _computed(found: Sequence[tuple[int, _Around]]) -> Work:
    region: list[tuple[Amount, bool]] = []
    launch: list[tuple[Amount, bool]] = []
    for operations, around in found:
        inner = [t for t in around.turns if not t.is_point]
        region.append((_repeated(terms.const(operations), inner), around.always))
        launch.append((_repeated(terms.const(operations), around.turns), around.always))
    return Work(Total.of(region), Total.of(launch))


def _repeated(amount: Term, around: Sequence[_Turns]) -> Amount:
    """An amount, once for each turn of what is around it."""
    over: list[Variable] = []
    for turns in reversed(around):
        variable = turns.variable
        if variable is not None and variable.name in _mentioned([amount, *_bounds(over)]):
            over.insert(0, variable)
        else:
            amount = amount * turns.times
    return Amount(_tidy(amount), tuple(over))


def _clipped(size: int, axes: Sequence[_Axis], around: Sequence[_Turns]) -> tuple[Amount, bool]:
    """
    The bytes inside its tensor of an access over all turns of what is around it, and whether they are just that.

    Where a variable is one axis's coordinate and nothing else depends on it, the parts along that axis add up to a
    closed form: all of the axis, where the variable goes from its first tile to its last.
    """
    amount = terms.const(size)
    exact = True
    rest = list(around)
    for n, axis in enumerate(axes):
        if axis.tile == 1:
            continue
        others = [a.coordinate for m, a in enumerate(axes) if m != n]
        if (summed := _along(axis, others, around)) is not None:
            turns, part = summed
            rest.remove(turns)
            amount = amount * part
        elif axis.coordinate.is_const:
            inside = axis.extent - axis.coordinate.value * axis.step
            amount = amount * terms.minimum(inside, terms.const(axis.tile))
        else:
            amount = amount * axis.tile
            exact = exact and _fits(axis)
    return _repeated(amount, rest), exact


def _along(axis: _Axis, others: Sequence[Term], around: Sequence[_Turns]) -> tuple[_Turns, Term] | None:
    """What turns over this axis alone, and the elements of the axis that it comes by."""
    for turns in around:
        variable = turns.variable
        if variable is None or axis.coordinate != terms.sym(variable.name):
            continue
        bounds = [b for t in around if t.variable is not None for b in _bounds([t.variable])]
        if variable.name in _mentioned([*others, *bounds]) or variable.low != _ZERO or variable.step != _ONE:
            return None
        covering = terms.ceildiv(axis.extent, terms.const(axis.step))
        if axis.tile == axis.step:
            if variable.high == covering:
                return turns, axis.extent
            return turns, terms.minimum(axis.extent, turns.times * axis.tile)
        if axis.tile < axis.step and variable.high == covering:
            last = covering - 1
            return turns, last * axis.tile + terms.minimum(axis.extent - last * axis.step, terms.const(axis.tile))
        return None
    return None


def _fits(axis: _Axis) -> bool:
    """Whether no tile along an axis can overhang."""
    return axis.extent.is_const and axis.tile == axis.step and axis.extent.value % axis.tile == 0


def _bounds(variables: Iterable[Variable]) -> Iterator[Term]:
    for v in variables:
        yield from (v.low, v.high, v.step)


def _mentioned(found: Iterable[Term]) -> set[str]:
    return {name for t in found for name in t.symbols()}


def _tidy(t: Term) -> Term:
    """Multiplied out, in one order."""
    return to_term(poly(t))
