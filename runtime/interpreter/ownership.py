"""The ownership dialect: tensors are windows, a region is a box of one, a distribution runs its body once a point.

The order of points, the number of blocks and the watch are the run's, not the program's: see `launch`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from freehold.dialects.cuda_tile.attrs import PaddingValueAttr
from freehold.dialects.location import span_of
from freehold.dialects.ownership import (
    AccessOp,
    BlocksKind,
    CheckOp,
    DistributeOp,
    Duty,
    Indexing,
    OrderAttr,
    OwingOp,
    PartitionType,
    RefType,
    RegionOp,
    Rung,
    StoreOp,
)
from freehold.passes import schedules
from freehold.runtime.errors.kernel_checks import failure
from freehold.runtime.interpreter.access import dims, element, integer
from freehold.runtime.interpreter.compile import RETURN, binary, reject, unary
from freehold.runtime.interpreter.elements import Array, Tile
from freehold.runtime.interpreter.errors import DifferentGrids, UnfitDomain
from freehold.runtime.interpreter.marks import marked_beyond
from freehold.runtime.interpreter.order import Order, arrange
from freehold.runtime.interpreter.padding import refuse_padding
from freehold.runtime.interpreter.views import refuse_index
from freehold.runtime.interpreter.windows import Window, box_ranges, load_box, padding_of, store_box, watch_at
from freehold.support.contract import MOST_EACH, MOST_PERSISTENT, KernelCheck
from freehold.support.terms import Term, sym

if TYPE_CHECKING:
    from xdsl.ir import Operation, SSAValue

    from freehold.runtime.interpreter.compile import Compiler, Effect, Frame, Function, Pure, Step
    from freehold.runtime.interpreter.machine import Machine
    from freehold.support.span import Span

DEFAULT_BLOCKS: Final = 8
"""How many blocks a persistent distribution gets where nobody says."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """How a run hands out points."""

    order: Order = None
    blocks: int | None = None


@dataclass(frozen=True, slots=True)
class Box:
    """A region: some elements of a window, and the coordinates it was taken at."""

    window: Window
    starts: tuple[int, ...]
    sizes: tuple[int, ...]
    coordinates: tuple[Any, ...]


_ARRAY: Final[dict[str, Callable[..., Any]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "//": np.floor_divide,
    "%": np.remainder,
    "ceildiv": binary(lambda a, b: -(-a // b)),
    "min": np.minimum,
    "max": np.maximum,
}


def evaluate(term: Term, symbol: str, numbers: Array) -> Array:
    """A term of one symbol, for all its values at once."""

    def leaf(t: Term) -> Array:
        assert t.name in ("", symbol)
        return np.full(numbers.shape, t.value, np.int64) if t.is_const else numbers

    return term.fold(leaf, lambda t, operands: _ARRAY[t.op](*operands))


def points(order: OrderAttr, grid: Sequence[int], numbers: Array) -> Array:
    """The coordinates of points by their numbers under a schedule's order: one row a point."""
    extents = [schedules.terms.const(n) for n in grid]
    columns = schedules.point(order, sym("number"), extents)
    return np.stack([evaluate(column, "number", numbers) for column in columns], axis=1)


def numbers_by_block(count: int, blocks: int, order: Order) -> Iterator[int]:
    """All point numbers: block after block, each taking every `blocks`-th; mixed through if the order is a seed."""
    if isinstance(order, int) and not isinstance(order, bool):
        yield from arrange(count, order)
        return
    for block in arrange(blocks, order):
        yield from range(block, count, blocks)


def points_of(grid: Sequence[int], span: Span | None, *, persistent: bool) -> int:
    """The number of points of a domain. Raises `Rejected` for one that no launch has, on which no proof rests."""
    if min(grid, default=1) < 1:
        reject(UnfitDomain(span, _by(grid), "each of its extents is at least 1"))
    allowed, how = (MOST_PERSISTENT, "persistent blocks") if persistent else (MOST_EACH, "one block a point")
    if (count := prod(grid)) > allowed:
        reject(UnfitDomain(span, _by(grid), f"a launch has at most {allowed} points, with {how}"))
    return count


def _same(_op: Operation, _: Compiler) -> Function:
    return unary(lambda window: window)


def _dim(op: Operation, _: Compiler) -> Function:
    axis = integer(op, "axis")
    return unary(lambda source: np.int32(_window(source).shape[axis]))


def _tiles(op: Operation, _: Compiler) -> Function:
    axis, size = integer(op, "axis"), integer(op, "size")
    return unary(lambda source: np.int32(-(-_window(source).shape[axis] // size)))


def _window(source: Window | Box) -> Window:
    return source.window if isinstance(source, Box) else source


def _coordinate(op: Operation, _: Compiler) -> Function:
    axis = integer(op, "axis")
    return unary(lambda box: box.coordinates[axis])


def _distribute(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, DistributeOp)
    sources = c.slots(op.partitions)
    kinds = [p.type for p in op.partitions]
    arguments = c.slots(op.body.block.args)
    body = c.block(op.body.block)
    persistent, most = op.blocks.kind is BlocksKind.PERSISTENT, op.blocks.count
    extents = None if op.domain is None else op.extents
    leader = 0 if op.domain is not None else op.leader

    def grid_of(window: Window, kind: object) -> list[int]:
        assert isinstance(kind, PartitionType)
        return [-(-n // step) for n, step in zip(window.shape, kind.steps, strict=True)]

    def domain(machine: Machine, v: Frame) -> list[int]:
        """The number of points along each axis."""
        if extents is not None:
            return [extent.evaluate(machine.symbols) for extent in extents]
        windows: list[Window] = [v[slot] for slot in sources]
        grids = [grid_of(window, kind) for window, kind in zip(windows, kinds, strict=True)]
        found = grids[leader]
        for window, grid in zip(windows, grids, strict=True):
            if grid + [1] * (len(found) - len(grid)) != found:
                error = DifferentGrids(span_of(op), windows[leader].name, _by(found), window.name, _by(grid))
                reject(error)
        return found

    def at(v: Frame, place: Array) -> None:
        for slot, coordinate in zip(arguments, place, strict=True):
            v[slot] = coordinate
        body(v)

    def under_way(v: Frame, number: int, place: Array) -> Callable[[], None]:
        """A point with a frame and a machine of its own."""

        def work() -> None:
            own = list(v)
            own[0] = machine = v[0].of_block(number, _label(place.tolist()))
            at(own, place)
            machine.end()

        return work

    def run(v: Frame) -> None:
        machine: Machine = v[0]
        schedule: Schedule = machine.schedule
        grid = domain(machine, v)
        count = points_of(grid, span_of(op), persistent=persistent)
        blocks = min(count, schedule.blocks or most or DEFAULT_BLOCKS) if persistent else count
        handed_out = _points(op.order, grid, numbers_by_block(count, blocks, schedule.order))
        if machine.adversary is not None:
            machine.adversary.run(under_way(v, number, place) for number, place in handed_out)
            return
        for number, place in handed_out:
            machine.begin(number, _label(place.tolist()))
            at(v, place)

    return run


def _points(order: OrderAttr, grid: Sequence[int], numbers: Iterator[int]) -> Iterator[tuple[int, Array]]:
    """Points by their numbers, with their coordinates."""
    for chunk in _chunks(numbers):
        places = points(order, grid, chunk).astype(np.int32) if grid else np.zeros((1, 0), np.int32)
        yield from zip(chunk.tolist(), places, strict=True)


def _chunks(numbers: Iterator[int], size: int = 1 << 16) -> Iterator[Array]:
    """Numbers as arrays of a bounded size."""
    while True:
        chunk = np.fromiter(islice(numbers, size), np.int64)
        if not chunk.size:
            return
        yield chunk


def _by(grid: Sequence[int]) -> str:
    return " by ".join(map(str, grid))


def _label(place: Sequence[int]) -> str:
    return str(place[0]) if len(place) == 1 else "(" + ", ".join(map(str, place)) + ")"


def _region(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, RegionOp)
    partition, *coordinates = c.slots(op.operands)
    kind = op.result.type.partition
    steps, sizes = kind.steps, kind.tile_shape
    checks = kernel_checks(op)
    (result,) = c.slots(op.results)

    def take(v: Frame) -> None:
        window: Window = v[partition]
        places = tuple(v[slot] for slot in coordinates)
        v[result] = Box(window, starts_of(v[0], op, window, places, steps, checks), sizes, places)

    return take


def starts_of(
    machine: Machine,
    op: Operation,
    window: Window,
    places: Sequence[Tile],
    steps: Sequence[int],
    checks: Mapping[int, str],
) -> tuple[int, ...]:
    """Where a tile begins. Refuses coordinates outside the index space: as the check that the kernel makes, by axis,
    or else as what no prover should have accepted."""
    starts: list[int] = []
    for axis, (place, step, extent) in enumerate(zip(places, steps, window.shape, strict=True)):
        start = int(place) * step
        if not 0 <= start < extent:
            if axis in checks:
                check = KernelCheck(checks[axis], _INDEX, span_of(op), window.name, axis, step)
                reject(failure("the kernel", check, machine.label, (int(place), -(-extent // step))))
            refuse_index(machine, op, window.name, axis, int(place), extent, step)
        starts.append(start)
    return tuple(starts)


def kernel_checks(op: OwingOp) -> dict[int, str]:
    """The predicates that an access checks in the kernel, by axis."""
    return {duty.axis.data: duty.text for duty in op.owes if duty.rung is Rung.KERNEL and duty.duty is Duty.IN_BOUNDS}


def _load(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, AccessOp)
    read, *tokens = op.results
    source, result, after = c.slot(op.memory), c.slot(read), c.slots(tokens)
    coordinates = c.slots(op.places)
    sizes, steps = op.shape, op.steps
    padding = padding_of(op.padding.data.value if isinstance(op.padding, PaddingValueAttr) else None, element(read))
    whole = op.indexing is Indexing.OWN
    checks = kernel_checks(op)

    def load(v: Frame) -> None:
        machine: Machine = v[0]
        if whole:
            box: Box = v[source]
            window, starts = box.window, box.starts
        else:
            window = v[source]
            starts = starts_of(machine, op, window, [v[slot] for slot in coordinates], steps, checks)
        tile = load_box(machine, op, window, starts, sizes, padding)
        v[result] = marked_beyond(tile, window.shape, starts, op) if c.checked else tile
        if machine.watch is not None:
            watch_at(machine, op, "read", window, box_ranges(window, starts, sizes))
        for token in after:
            v[token] = 0

    return load


def _store(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, StoreOp)
    tile, target = c.slot(op.tile), c.slot(op.target)
    coordinates = c.slots(op.coordinates)
    sizes = dims(op.tile)
    after = None if op.result_token is None else c.slot(op.result_token)
    through_borrow = isinstance(op.target.type, RefType)

    def store(v: Frame) -> None:
        machine: Machine = v[0]
        if through_borrow:  # no verified module has it; the watch shows what it does
            window = v[target]
            starts = starts_of(machine, op, window, [v[slot] for slot in coordinates], sizes, {})
        else:
            box: Box = v[target]
            window, starts = box.window, box.starts
        if machine.watch is not None:
            refuse_padding(op, v[tile], window.shape, starts)
            watch_at(machine, op, "write", window, box_ranges(window, starts, sizes))
        store_box(machine, op, window, starts, v[tile])
        if after is not None:
            v[after] = 0

    return store


def _nothing(_op: Operation, _: Compiler) -> Step:
    return lambda _: None


def _return(_op: Operation, _: Compiler) -> Step:
    return lambda _: RETURN


_INDEX: Final = (("index", "i32"), ("count", "i32"))


def _check(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, CheckOp)
    condition, *values = c.slots(op.operands)
    check = KernelCheck(op.message.data, op.shown, span_of(op))

    def run(v: Frame) -> None:
        if not v[condition]:
            numbers = zip((v[slot].item() for slot in values), check.values, strict=True)
            shown = [_as(value, dtype) for value, (_, dtype) in numbers]
            reject(failure("the kernel", check, v[0].label, shown))

    return run


def _as(value: Any, dtype: str) -> object:
    """A number as its dtype reads it: integers in IR have no sign."""
    return value % (1 << int(dtype[1:])) if dtype.startswith("u") else value


_WRITERS: Final = ("ownership.partition", "ownership.accumulator", "ownership.expose")


def written(arguments: Sequence[SSAValue]) -> set[int]:
    """The numbers of the kernel's arguments that may be stored to."""
    return {n for n, argument in enumerate(arguments) if _is_written(argument)}


def _is_written(tensor: SSAValue) -> bool:
    for use in tensor.uses:
        user = use.operation
        if user.name == "ownership.window" and _is_written(user.results[0]):
            return True
        through = any(isinstance(u.operation, StoreOp) and u.index == 1 for r in user.results for u in r.uses)
        if (user.name in _WRITERS and use.index == 0) or through:
            return True
    return False


PURE: Final[dict[str, Pure]] = {
    "ownership.borrow": _same,
    "ownership.accumulator": _same,
    "ownership.expose": _same,
    "ownership.coordinate": _coordinate,
    "ownership.dim": _dim,
    "ownership.tiles": _tiles,
}
"""The definitions without effects, by name."""

EFFECTS: Final[dict[str, Effect]] = {
    "ownership.distribute": _distribute,
    "ownership.region": _region,
    "ownership.load": _load,
    "ownership.store": _store,
    "ownership.release": _nothing,
    "ownership.require": _nothing,
    "ownership.check": _check,
    "ownership.end": _nothing,
    "ownership.return": _return,
}
"""The definitions of what accesses, places or ends, by name."""
