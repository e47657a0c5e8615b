"""Kernels run on numbers: which regions the points of a small launch take, found out by computing their coordinates.

Where a coordinate has no term (it may wrap, its divisor may be zero, a loop carries it) the prover knows nothing of it,
and most such coordinates meet. A run of the integers alone shows two points that do. It is no proof of anything else:
what cannot be computed (a value out of memory) ends the turn of the block that it decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any, Final

from xdsl.ir import Block, Operation, SSAValue

from freehold.dialects.classes import ops_of
from freehold.dialects.cuda_tile.integers import meaning_of, width_of
from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, IfOp, LoopOp, ReturnOp, YieldOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp, SelectOp
from freehold.dialects.ownership import (
    AccessOp,
    Action,
    CheckOp,
    CoordinateOp,
    DimOp,
    DistributeOp,
    Indexing,
    KernelOp,
    RegionOp,
    TensorType,
    TilesOp,
    WindowOp,
    tensor_type,
)
from freehold.passes.analysis.facts import MOST_POINTS, KernelFacts
from freehold.support import terms
from freehold.support.integers import Meaning, wrapped

_MOST_STEPS: Final = 8000
"""Operations, over all points of all launches."""
_MOST_ELEMENTS: Final = 2**47
"""Of a tensor: more than an address space has bytes."""

Values = dict[SSAValue, int]
_Step = Callable[["_Run", Any], Operation | None]
"""Does an operation; returns it where it ends a block."""


class _Stopped(Exception):
    """What comes next depends on a number that is not known, or is never done."""


class _Exhausted(Exception):
    """The budget is spent."""


@dataclass
class Visit:
    """A region that is taken, or a tile that is accessed: by which operation, where, and the values of everything."""

    op: AccessOp
    coordinates: tuple[int, ...]
    """None of them where one is undefined."""
    point: tuple[int, ...]
    """None in front of the distribution."""
    values: Values
    defined: bool
    """Whether all that was computed before is: no divisor was zero, or may have been."""
    number: int
    """How many visits of the launch came before."""
    stored: bool = False
    """Whether the region was stored to, and all that was computed before that is defined."""


@dataclass
class Work:
    """What points of a launch do."""

    launch: Mapping[str, int]
    visits: list[Visit] = field(default_factory=list[Visit])
    by: dict[AccessOp, list[Visit]] = field(default_factory=dict[AccessOp, list[Visit]])
    """The visits of each operation, in order."""
    whole: bool = True
    """Whether every point is known to have done all of its work, at known places, and computed nothing undefined."""

    def add(self, visit: Visit) -> None:
        """Notes a visit."""
        self.visits.append(visit)
        self.by.setdefault(visit.op, []).append(visit)

    def of(self, *ops: AccessOp) -> list[Visit]:
        """The visits of some operations, in order."""
        found = [visit for op in dict.fromkeys(ops) for visit in self.by.get(op, ())]
        return sorted(found, key=lambda visit: visit.number)


@dataclass
class _Run:
    """A launch, worked through point after point."""

    work: Work
    left: int
    values: Values = field(default_factory=Values)
    undefined: set[SSAValue] = field(default_factory=set[SSAValue])
    """Integers that have no value now: a divisor is zero."""
    defined: bool = True
    """Whether nothing was computed yet that is undefined, or may be."""
    point: tuple[int, ...] = ()
    taken: dict[SSAValue, Visit] = field(default_factory=dict[SSAValue, Visit])
    """The regions that the point has now."""
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
            steps = self.steps[block] = [(op, _step(op)) for op in ops_of(block)]
        for op, step in steps:
            self.left -= 1
            if self.left < 0:
                raise _Exhausted
            if (ending := step(self, op)) is not None:
                return ending
        return None

    def visit(self, op: AccessOp, operands: Sequence[SSAValue]) -> None:
        """A region is taken or a tile accessed, if it is known which."""
        coordinates = [self.values.get(c) for c in operands]
        places = tuple(c for c in coordinates if c is not None)
        undefined = any(c in self.undefined for c in operands)
        if undefined or len(places) == len(coordinates):
            number = len(self.work.visits)
            found = Visit(op, () if undefined else places, self.point, dict(self.values), self.defined, number)
            self.work.add(found)
            if isinstance(op, RegionOp):
                self.taken[op.result] = found
        elif isinstance(op, RegionOp):
            self.taken.pop(op.result, None)
            self.work.whole = False  # of this region nobody knows which it is

    def store(self, op: AccessOp) -> None:
        """A region is stored to."""
        if (visit := self.taken.get(op.memory)) is not None:
            visit.stored = self.defined

    def check(self, op: CheckOp) -> None:
        """An assertion. One about what is not known is taken to hold."""
        if self.values.get(op.condition) == 0:
            raise _Stopped

    def window(self, op: WindowOp) -> None:
        """A window. The launcher, or the kernel, refuses one that is not inside of its tensor."""
        start, axis = self.values.get(op.start), op.axis.data
        length = self.extent(op.result, axis)
        if length < 1 or (start is not None and not 0 <= start <= self.extent(op.tensor, axis) - length):
            raise _Stopped

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

    def extent(self, source: SSAValue, axis: int) -> int:
        """The extent of a tensor."""
        return tensor_type(source).extent(axis).evaluate(self.work.launch)

    def stop(self, _: Operation) -> None:
        """Nothing is known of what comes next."""
        raise _Stopped

    def branch(self, blocks: Sequence[Block], results: Sequence[SSAValue]) -> Operation | None:
        """The side of an `if` that is taken; returns what leaves it for an outer block."""
        for block in blocks:
            ending = self.block(block)
            if not isinstance(ending, YieldOp):
                return ending
            self.copy(ending.operands, results)
        return None

    def count(
        self, op: ForOp, bounds: Sequence[SSAValue], block: Block, starts: Sequence[SSAValue]
    ) -> Operation | None:
        """A counted loop, turn by turn; returns what leaves it for an outer block."""
        low, high, step = map(self.known, bounds)
        if step < 1:
            raise _Stopped
        self.copy(starts, block.args[1:])
        for counter in range(low, high, step):
            self.values[block.args[0]] = counter
            ending = self.block(block)
            if not isinstance(ending, ContinueOp):
                return ending
            self.copy(ending.operands, block.args[1:])
        self.copy(block.args[1:], op.results)
        return None

    def repeat(self, op: LoopOp) -> Operation | None:
        """A loop that a `break` ends; returns what leaves it for an outer block."""
        self.copy(op.initValues, op.block.args)
        while isinstance(ending := self.block(op.block), ContinueOp):
            self.copy(ending.operands, op.block.args)
        if not isinstance(ending, BreakOp):
            return ending
        self.copy(ending.operands, op.results)
        return None

    def copy(self, sources: Sequence[SSAValue], targets: Sequence[SSAValue]) -> None:
        """Values handed on, all at once."""
        found = [(self.values.get(source), source in self.undefined) for source in sources]
        for target, (value, undefined) in zip(targets, found, strict=True):
            self.define(target, value)
            (self.undefined.add if undefined else self.undefined.discard)(target)


class Runner:
    """Runs a kernel on numbers: launch after launch, all points of it or some, within a budget over all of them."""

    def __init__(self, distribution: DistributeOp, facts: KernelFacts):
        self.distribution = distribution
        self.left = _MOST_STEPS
        self.steps: dict[Block, list[tuple[Operation, _Step]]] = {}
        self.scalars = facts.passed
        kernel = distribution.parent_op()
        assert isinstance(kernel, KernelOp)
        self.kernel = kernel
        tensors = [a.type for a in kernel.body.block.args if isinstance(a.type, TensorType)]
        self.tensors = [prod(tensor.extents, start=terms.const(1)) for tensor in tensors]
        """How many elements each has."""

    def work(self, launch: Mapping[str, int], points: Sequence[tuple[int, ...]] | None = None) -> Work | None:
        """What points do, as far as it can be computed: these, or all. None where there is no such launch: a tensor
        is larger than any memory, it has no points or too many, or not these, or a window is outside of its tensor; or
        where the budget is spent.

        `launch` has values for all extents and scalars.
        """
        values: Values = {v: wrapped(launch[name], width_of(v.type) or 32) for name, v in self.scalars.items()}
        run = _Run(Work(launch), self.left, values, steps=self.steps)
        if any(size.evaluate(launch) > _MOST_ELEMENTS for size in self.tensors):
            return None
        try:
            for op in ops_of(self.kernel.body.block):
                if op is self.distribution:
                    break
                _step(op)(run, op)
            if any(not extent.symbols() <= launch.keys() for extent in self.distribution.extents):
                return None
            grid = [extent.evaluate(launch) for extent in self.distribution.extents]
            if min(grid, default=1) < 1 or prod(grid) > MOST_POINTS[self.distribution.blocks.kind]:
                return None
            for point in points or ():
                if len(point) != len(grid) or not all(0 <= i < n for i, n in zip(point, grid, strict=True)):
                    return None
            self._points(run, product(*map(range, grid)) if points is None else points)
        except (_Stopped, _Exhausted, ZeroDivisionError):
            return None
        finally:
            self.left = run.left
        return run.work

    def _points(self, run: _Run, points: Iterable[tuple[int, ...]]) -> None:
        outside, nowhere, defined = dict(run.values), set(run.undefined), run.defined
        for point in points:
            run.point, run.values, run.undefined, run.defined = point, dict(outside), set(nowhere), defined
            run.taken = {}
            run.values |= zip(self.distribution.body.block.args, point, strict=True)
            try:
                run.block(self.distribution.body.block)
            except _Stopped:
                run.work.whole = False
            run.work.whole = run.work.whole and run.defined


def meeting(
    a: RegionOp, b: RegionOp, work: Work, grid: Sequence[int], *, at_one_point: bool
) -> tuple[Visit, Visit] | None:
    """Two takings, by `a` and by `b`, of one region that exists: of different points if there are such, or else, if
    that is asked for, of one point."""
    seen: dict[tuple[int, ...], list[Visit]] = {}
    best: tuple[Visit, Visit] | None = None
    for taking in work.of(a, b):
        if not taking.defined or is_outside(taking, grid):
            continue
        for earlier in seen.get(taking.coordinates, ()):
            if {earlier.op, taking.op} != {a, b}:
                continue
            if earlier.point != taking.point:
                return earlier, taking
            best = best or ((earlier, taking) if at_one_point else None)
        seen.setdefault(taking.coordinates, []).append(taking)
    return best


def is_outside(visit: Visit, grid: Sequence[int]) -> bool:
    """Whether there is no such region or tile."""
    return not visit.coordinates or any(not 0 <= c < g for c, g in zip(visit.coordinates, grid, strict=True))


def _ends(_: _Run, op: Operation) -> Operation:
    return op


def _always(step: _Step) -> Callable[[Any], _Step]:
    return lambda _: step


def _visiting(op: AccessOp) -> _Step:
    if op.indexing is Indexing.OWN and op.ACTION in (Action.WRITE, Action.UPDATE):
        return _Run.store
    operands = tuple(op.places) if op.indexing in (Indexing.TILES, Indexing.FIRST) else ()
    of_group = isinstance(op, RegionOp) and op.result.type.partition.groups_axis is not None
    if of_group or not operands:
        return _forget  # where groups are is data; a block's own region has no coordinates
    return lambda run, op: run.visit(op, operands)


def _branching(op: IfOp) -> _Step:
    condition, results = op.condition, tuple(op.results)
    yes, no = ([*region.blocks] for region in op.regions)
    return lambda run, _: run.branch(yes if run.known(condition) else no, results)


def _counting(op: ForOp) -> _Step:
    bounds, block, starts = (op.lowerBound, op.upperBound, op.step), op.block, tuple(op.initValues)
    if op.unsignedCmp is not None or width_of(block.args[0].type) == 1:
        return _Run.stop
    return lambda run, op: run.count(op, bounds, block, starts)


_CONTROL: Final[dict[type[Operation], Callable[[Any], _Step]]] = {
    **dict.fromkeys((YieldOp, ContinueOp, BreakOp, ReturnOp), _always(_ends)),
    IfOp: _branching,
    ForOp: _counting,
    LoopOp: _always(_Run.repeat),
    CheckOp: _always(_Run.check),
    WindowOp: _always(_Run.window),
    CoordinateOp: _always(_Run.coordinate),
    SelectOp: _always(_Run.choose),
}


def _step(op: Operation) -> _Step:
    """What is done for an operation: control flow, or its integer; nothing is known of other results."""
    if (control := _CONTROL.get(type(op))) is not None:
        return control(op)
    if isinstance(op, AccessOp):
        return _visiting(op)
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
            meaning = meaning_of(op)
            return _forget if meaning is None else _computation(meaning, op, result)


def _forget(run: _Run, op: Operation) -> None:
    for result in op.results:
        run.define(result, None)


def _computation(meaning: Meaning, op: Operation, result: SSAValue) -> _Step:
    """An integer operation: undefined where an operand is, or where its meaning says so."""
    operands = tuple(op.operands)
    divisor = operands[1] if meaning.name in ("divi", "remi") else None

    def step(run: _Run, _: Operation) -> None:
        values = run.values
        numbers = [n for o in operands if (n := values.get(o)) is not None]
        known = len(numbers) == len(operands)
        found = meaning(*numbers) if known else None
        nothing = divisor is not None and values.get(divisor) == 0  # whatever is divided
        if nothing or (known and found is None) or (run.undefined and not run.undefined.isdisjoint(operands)):
            run.undefined.add(result)
            run.defined = False
            found = None
        elif divisor is not None and divisor not in values:
            run.defined = False  # it may be zero: nothing is certain from here on
        run.define(result, found)

    return step
