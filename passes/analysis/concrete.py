"""Kernels run on numbers: which regions the points of a small launch take, found out by computing their coordinates.

Where a coordinate has no term (it may wrap, its divisor may be zero, a loop carries it) the prover knows nothing of it,
and most such coordinates meet. A run of the integers alone shows two points that do. It is no proof of anything else:
what cannot be computed (a value out of memory) ends the turn of the block that it decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

from xdsl.ir import Block, Operation, SSAValue

from freehold.dialects.cuda_tile.folding import divide
from freehold.dialects.cuda_tile.ops.arith_int import (
    AbsIOp,
    AddIOp,
    AndIOp,
    CmpIOp,
    DivIOp,
    MaxIOp,
    MinIOp,
    MulIOp,
    NegIOp,
    OrIOp,
    RemIOp,
    ShlIOp,
    ShrIOp,
    SubIOp,
    XOrIOp,
)
from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, IfOp, LoopOp, ReturnOp, YieldOp
from freehold.dialects.cuda_tile.ops.conversion import ExtIOp, TruncIOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp, SelectOp
from freehold.dialects.ownership import CoordinateOp, DimOp, DistributeOp, KernelOp, RegionOp, TilesOp, tensor_type
from freehold.passes.analysis.arithmetic import width_of

_MOST_STEPS: Final = 8000
"""Operations, over all points of all launches."""
_SCALARS: Final = (1, 3, 0, 2, -1, 100)

Values = dict[SSAValue, int]
_Step = Callable[["_Run", Any], Operation | None]
"""Does an operation; returns it where it ends a block."""
_Rule = Callable[..., int | None]
"""What an operation computes of the numbers that are its operands; None where that is not defined."""


class _Stopped(Exception):
    """What comes next depends on a number that is not known, or is undefined."""


class _Exhausted(Exception):
    """The budget is spent."""


@dataclass
class Taking:
    """A region that is taken: by which operation, where, and the values of everything then."""

    op: RegionOp
    coordinates: tuple[int, ...]
    """None of them where one is undefined."""
    point: tuple[int, ...]
    values: Values


@dataclass
class _Run:
    """A launch, worked through point after point."""

    extents: Mapping[str, int]
    left: int
    values: Values = field(default_factory=Values)
    taken: list[Taking] = field(default_factory=list[Taking])
    undefined: set[SSAValue] = field(default_factory=set[SSAValue])
    """Integers that have no value now: a divisor is zero."""
    point: tuple[int, ...] = ()
    steps: dict[Block, list[tuple[Operation, _Step]]] = field(
        default_factory=dict[Block, "list[tuple[Operation, _Step]]"]
    )
    """What is done for each operation of a block; the same in all launches."""

    def known(self, value: SSAValue) -> int:
        """The value of an integer."""
        try:
            return self.values[value]
        except KeyError:
            raise _Stopped from None

    def block(self, block: Block) -> Operation | None:
        """The operations of a block, up to the one that ends it, which is returned."""
        steps = self.steps.get(block)
        if steps is None:
            steps = self.steps[block] = [(op, _step(op)) for op in block.ops]
        for op, step in steps:
            self.left -= 1
            if self.left < 0:
                raise _Exhausted
            if (ending := step(self, op)) is not None:
                return ending
        return None

    def take(self, op: RegionOp) -> None:
        """A region is taken, if it is known which."""
        coordinates = [self.values.get(c) for c in op.coordinates]
        places = tuple(c for c in coordinates if c is not None)
        undefined = any(c in self.undefined for c in op.coordinates)
        if undefined or len(places) == len(coordinates):
            places = () if undefined else places
            self.taken.append(Taking(op, places, self.point, dict(self.values)))

    def define(self, result: SSAValue, value: int | None) -> None:
        """The value of a result; None where it is not known."""
        if value is None:
            self.values.pop(result, None)
        else:
            self.values[result] = value
            self.undefined.discard(result)

    def choose(self, op: SelectOp) -> None:
        """One of two values."""
        flag = self.values.get(op.cond)
        self.define(op.result, None if flag is None else self.values.get(op.val_if_true if flag else op.val_if_false))

    def coordinate(self, op: CoordinateOp) -> None:
        """A coordinate of a region."""
        region = op.region.owner
        self.define(
            op.result, self.values.get(region.coordinates[op.axis.data]) if isinstance(region, RegionOp) else None
        )

    def stop(self, _: Operation) -> None:
        """Nothing is known of what comes next."""
        raise _Stopped

    def extent(self, source: SSAValue, axis: int) -> int:
        """The extent of a tensor."""
        return tensor_type(source).extent(axis).evaluate(self.extents)

    def branch(self, op: IfOp) -> Operation | None:
        """The side of an `if` that is taken; returns what leaves it for an outer block."""
        region = op.regions[0 if self.known(op.condition) else 1]
        for block in region.blocks:
            ending = self.block(block)
            if not isinstance(ending, YieldOp):
                return ending
            for result, value in zip(op.results, ending.operands, strict=True):
                self.copy(value, result)
        return None

    def count(self, op: ForOp) -> None:
        """A counted loop, turn by turn."""
        low, high, step = (self.known(v) for v in (op.lowerBound, op.upperBound, op.step))
        if step < 1 or op.unsignedCmp is not None:
            raise _Stopped
        block = op.block
        carried = list(block.args[1:])
        for argument, start in zip(carried, op.initValues, strict=True):
            self.copy(start, argument)
        for counter in range(low, high, step):
            self.values[block.args[0]] = counter
            ending = self.block(block)
            if not isinstance(ending, ContinueOp):
                raise _Stopped
            handed = [self.values.get(v) for v in ending.operands]
            for argument, value in zip(carried, handed, strict=True):
                self.values.pop(argument, None)
                if value is not None:
                    self.values[argument] = value
        for argument, result in zip(carried, op.results, strict=True):
            self.copy(argument, result)

    def copy(self, source: SSAValue, target: SSAValue) -> None:
        """One value is another's."""
        self.values.pop(target, None)
        self.undefined.discard(target)
        if source in self.values:
            self.values[target] = self.values[source]
        if source in self.undefined:
            self.undefined.add(target)


def takings(
    kernel: KernelOp, distribution: DistributeOp, launches: Iterator[Mapping[str, int]]
) -> Iterator[tuple[Mapping[str, int], list[Taking]]]:
    """Launches, each with the regions that are taken in it as far as they can be computed."""
    left = _MOST_STEPS
    steps: dict[Block, list[tuple[Operation, _Step]]] = {}
    scalars = [a for a in kernel.body.block.args if width_of(a.type) is not None]
    for number, extents in enumerate(launches):
        values: Values = {a: wrapped(_SCALARS[number % len(_SCALARS)], width_of(a.type) or 32) for a in scalars}
        run = _Run(extents, left, values, steps=steps)
        try:
            for op in kernel.body.block.ops:
                if op is distribution:
                    break
                _step(op)(run, op)
            grid = [e.evaluate(extents) for e in distribution.extents]
            outside, nowhere = dict(run.values), set(run.undefined)
            for point in product(*map(range, grid)):
                run.point, run.values, run.undefined = point, dict(outside), set(nowhere)
                run.values |= zip(distribution.body.block.args, point, strict=True)
                try:
                    run.block(distribution.body.block)
                except _Stopped:
                    continue
        except _Exhausted:
            return
        left = run.left
        yield extents, run.taken


def meeting(a: RegionOp, b: RegionOp, found: Sequence[Taking], grid: Sequence[int]) -> tuple[Taking, Taking] | None:
    """Two takings, by `a` and by `b`, of one region that exists: of different points if there are such."""
    seen: dict[tuple[int, ...], list[Taking]] = {}
    best: tuple[Taking, Taking] | None = None
    for taking in found:
        if taking.op not in (a, b) or is_outside(taking, grid):
            continue
        for earlier in seen.get(taking.coordinates, ()):
            if {earlier.op, taking.op} != {a, b}:
                continue
            best = earlier, taking
            if earlier.point != taking.point:
                return best
        seen.setdefault(taking.coordinates, []).append(taking)
    return best


def is_outside(taking: Taking, grid: Sequence[int]) -> bool:
    """Whether there is no such region."""
    return not taking.coordinates or any(not 0 <= c < g for c, g in zip(taking.coordinates, grid, strict=True))


def wrapped(value: int, width: int) -> int:
    """The signed integer of a width with the lower bits of a number; 0 or 1 for a truth value."""
    value &= (1 << width) - 1
    return value - (1 << width) if width > 1 and value >> (width - 1) else value


def _unsigned(op: MaxIOp | MinIOp | CmpIOp | DivIOp | RemIOp | ShrIOp | ExtIOp) -> bool:
    return op.signedness.data.value != "signed"


def _read(op: MaxIOp | MinIOp | CmpIOp | DivIOp | RemIOp, a: int, b: int) -> tuple[int, int]:
    width = width_of(op.operands[0].type) or 32
    return (a % (1 << width), b % (1 << width)) if _unsigned(op) else (a, b)


def _divided(op: DivIOp, a: int, b: int) -> int | None:
    a, b = _read(op, a, b)
    return None if b == 0 else divide(a, b, op.rounding)


def _remainder(op: RemIOp, a: int, b: int) -> int | None:
    a, b = _read(op, a, b)
    return None if b == 0 else abs(a) % abs(b) * (-1 if a < 0 else 1)


def _compared(op: CmpIOp, a: int, b: int) -> int | None:
    a, b = _read(op, a, b)
    holds = {
        "equal": a == b,
        "not_equal": a != b,
        "less_than": a < b,
        "less_than_or_equal": a <= b,
        "greater_than": a > b,
        "greater_than_or_equal": a >= b,
    }.get(op.comparison_predicate.data.value)
    return None if holds is None else int(holds)


def _shifted(op: ShlIOp | ShrIOp, a: int, b: int) -> int | None:
    width = width_of(op.result.type) or 32
    if not 0 <= b < width:
        return None
    if isinstance(op, ShlIOp):
        return a << b
    return (a % (1 << width) if _unsigned(op) else a) >> b


def _widened(op: ExtIOp, a: int) -> int:
    width = width_of(op.from_.type) or 1
    return a % (1 << width) if _unsigned(op) else wrapped(a, width)


def _smaller(op: MinIOp, a: int, b: int) -> int:
    x, y = _read(op, a, b)
    return a if x <= y else b


def _larger(op: MaxIOp, a: int, b: int) -> int:
    x, y = _read(op, a, b)
    return b if x <= y else a


def _plain(function: Callable[..., int]) -> _Rule:
    def rule(_: Operation, *numbers: int) -> int:
        return function(*numbers)

    return rule


_RULES: Final[dict[type[Operation], _Rule]] = {
    AddIOp: _plain(int.__add__),
    SubIOp: _plain(int.__sub__),
    MulIOp: _plain(int.__mul__),
    AndIOp: _plain(int.__and__),
    OrIOp: _plain(int.__or__),
    XOrIOp: _plain(int.__xor__),
    NegIOp: _plain(int.__neg__),
    AbsIOp: _plain(int.__abs__),
    MinIOp: _smaller,
    MaxIOp: _larger,
    CmpIOp: _compared,
    DivIOp: _divided,
    RemIOp: _remainder,
    ShlIOp: _shifted,
    ShrIOp: _shifted,
    ExtIOp: _widened,
    TruncIOp: _plain(int.__pos__),
}


def _ends(_: _Run, op: Operation) -> Operation:
    return op


_CONTROL: Final[dict[type[Operation], _Step]] = {
    YieldOp: _ends,
    ContinueOp: _ends,
    IfOp: _Run.branch,
    ForOp: _Run.count,
    RegionOp: _Run.take,
    CoordinateOp: _Run.coordinate,
    SelectOp: _Run.choose,
    BreakOp: _Run.stop,
    ReturnOp: _Run.stop,
    LoopOp: _Run.stop,
}


def _step(op: Operation) -> _Step:
    """What is done for an operation: control flow, or its integer; nothing is known of other results."""
    if (control := _CONTROL.get(type(op))) is not None:
        return control
    results = tuple(op.results)
    width = width_of(results[0].type) if len(results) == 1 else None
    if width is None:
        return _forget
    result = results[0]
    match op:
        case ConstantOp():
            constant = wrapped(int(op.value.splat_value), width) if op.value.is_splat else None
            return lambda run, _: run.define(result, constant)
        case DimOp():
            return lambda run, _: run.define(result, run.extent(op.source, op.axis.data))
        case TilesOp():
            return lambda run, _: run.define(result, -(-run.extent(op.source, op.axis.data) // op.size.data))
        case _:
            rule = _RULES.get(type(op))
            return _forget if rule is None else _computation(rule, tuple(op.operands), result, width)


def _forget(run: _Run, op: Operation) -> None:
    for result in op.results:
        run.define(result, None)


def _computation(rule: _Rule, operands: tuple[SSAValue, ...], result: SSAValue, width: int) -> _Step:
    """An integer operation: undefined where an operand is, or where the rule says so."""

    def step(run: _Run, op: Operation) -> None:
        values = run.values
        numbers = [values.get(o) for o in operands]
        known = None not in numbers
        found = rule(op, *numbers) if known else None
        if (known and found is None) or (run.undefined and not run.undefined.isdisjoint(operands)):
            run.undefined.add(result)
            found = None
        run.define(result, None if found is None else wrapped(found, width))

    return step
