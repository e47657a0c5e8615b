"""Views: tensors in memory cut into tiles. A view is the window of its tensor; how it is cut, its type says."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from freehold.dialects.cuda_tile.types import (
    DYNAMIC,
    GatherScatterViewType,
    PartitionViewType,
    StridedViewType,
    TensorViewType,
    TileViewType,
)
from freehold.dialects.location import span_of
from freehold.runtime.interpreter.access import element, keyword, operand
from freehold.runtime.interpreter.compile import reject, unary
from freehold.runtime.interpreter.elements import Array, Tile, element_of, unsigned
from freehold.runtime.interpreter.errors import BeyondView, OutsideIndexSpace
from freehold.runtime.interpreter.machine import undecided
from freehold.runtime.interpreter.pointers import is_strong, optional_slot, update
from freehold.runtime.interpreter.windows import (
    Window,
    box_ranges,
    load_at,
    load_box,
    padding_of,
    store_at,
    store_box,
    watch_at,
    window_at,
)
from freehold.support.diagnostic import KernelWarning
from freehold.support.render import render

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from freehold.runtime.interpreter.compile import Compiler, Effect, Frame, Function, Pure, Step
    from freehold.runtime.interpreter.machine import Machine


def _number(value: Tile) -> int:
    """A scalar as an unsigned number; a negative one of 32 bits or more stays negative, being out of every range."""
    return int(unsigned(value)) if value.dtype.itemsize < 4 else int(value)


def _make_tensor_view(op: Operation, c: Compiler) -> Step:
    type_ = op.results[0].type
    assert isinstance(type_, TensorViewType)
    fields: Any = op
    base = c.slot(op.operands[0])
    dynamic_shape, dynamic_strides = iter(c.slots(fields.dynamicShape)), iter(c.slots(fields.dynamicStrides))
    # An extent or stride that the type knows is a number here, one that it does not know is a slot, counted from -1.
    shape = [~next(dynamic_shape) if n == DYNAMIC else n for n in type_.shape.data]
    strides = [~next(dynamic_strides) if n == DYNAMIC else n for n in type_.strides.data]
    e = element_of(type_.element_type)
    (result,) = c.slots(op.results)

    def make(v: Frame) -> None:
        extents = [n if n >= 0 else _number(v[~n]) for n in shape]
        steps = [n if n >= 0 else _number(v[~n]) for n in strides]
        if any(n < 0 for n in (*extents, *steps)):
            c.undefined(op, f"extents {extents} or strides {steps} are negative")
        v[result] = window_at(v[0], "", int(v[base]), extents, steps, e)

    return make


def _same(_op: Operation, _: Compiler) -> Function:
    """The type says how the view is cut, the value is that of the tensor view."""
    return unary(lambda window: window)


def _steps(view: TileViewType) -> tuple[int, ...]:
    """The distance between tiles along each dimension of the index space, in elements."""
    if isinstance(view, StridedViewType):
        return view.traversal_strides.data
    return (1,) * len(view.tile_dims) if isinstance(view, GatherScatterViewType) else view.tile_dims


def _map(view: TileViewType) -> tuple[int, ...]:
    """The dimension of the tensor that each dimension of the tile covers."""
    if isinstance(view, PartitionViewType | StridedViewType):
        return view.dim_map.data
    return tuple(range(len(view.tile_dims)))


def _tensor_shape(op: Operation, c: Compiler) -> Function:
    dtypes = [element(r).dtype for r in op.results]

    def shape(window: Window) -> Any:
        found = [_as(n, dtype) for n, dtype in zip(window.shape, dtypes, strict=True)]
        return found if len(found) != 1 else found[0]

    del c
    return shape


def _as(number: int, dtype: np.dtype[Any]) -> Tile:
    """An extent as an integer of some width, which it may not fit in."""
    return np.array(number).astype(dtype)[()]


def _index_space(op: Operation, _: Compiler) -> Function:
    """Numbers of tiles. A gather or scatter counts elements, as its indices do."""
    view = op.operands[0].type
    assert isinstance(view, TileViewType)
    dtypes = [element(r).dtype for r in op.results]
    steps, dim_map = _steps(view), _map(view)

    def space(window: Window) -> Any:
        found = [
            _as(-(-window.shape[axis] // step), dtype) for axis, step, dtype in zip(dim_map, steps, dtypes, strict=True)
        ]
        return found if len(found) != 1 else found[0]

    return space


def name_at(machine: Machine, address: int) -> str:
    """The name of the array at an address."""
    buffer = machine.memory.find(address)
    return next((p.name for p in buffer.parts if p.address <= address < p.end), "?") if buffer is not None else "?"


def refuse_index(
    machine: Machine, op: Operation, name: str, axis: int, coordinate: int, extent: int, step: int
) -> None:
    """Ends the run: a coordinate is outside the index space."""
    error = OutsideIndexSpace(span_of(op), name, axis, coordinate, -(-extent // step))
    reject(error.add(error.Witness(machine.label, extent, step)))


def _padding_name(view: TileViewType) -> str | None:
    """What the view's type says of what is beyond the tensor, where it says it."""
    return getattr(getattr(view.view_parts()[2], "data", None), "value", None)


def warn_beyond(c: Compiler, machine: Machine, op: Operation, window: Window, axis: int, coordinate: int) -> None:
    """In checked mode, warns of a tile that a view with padding does not have: once for each operation."""
    if c.checked:
        place = span_of(op)
        found = BeyondView(place, name_at(machine, window.address), axis, coordinate, window.shape[axis], machine.label)
        file, line = (place.file, place.line) if place is not None else (op.name, 0)
        warnings.warn_explicit(render(found.report()), KernelWarning, file, line, registry=c.warned.setdefault(op, {}))


class _Box:
    """How an access finds its tile through a partition or strided view: from indices to starts in the tensor."""

    def __init__(self, op: Operation, c: Compiler, view: TileViewType, indices: Sequence[int]):
        self.op, self.c = op, c
        self.indices = tuple(indices)
        self.steps, self.map = _steps(view), _map(view)
        self.inverse = tuple(int(i) for i in np.argsort(self.map))
        self.permuted = self.map != tuple(range(len(self.map)))
        self.tile = view.tile_dims
        self.sizes = tuple(view.tile_dims[d] for d in self.inverse)
        promises: Any = op.properties.get("inbounds")
        self.promises = tuple(bool(p) for p in promises.get_values()) if promises is not None else ()
        self.padded = _padding_name(view) is not None

    def starts(self, v: Frame, window: Window) -> list[int] | None:
        """Where the tile begins in the tensor; None where it is beyond a view with padding. Refuses any other index
        outside the index space."""
        starts = [0] * len(self.indices)
        for d, slot in enumerate(self.indices):
            axis = self.map[d]
            number, extent, step = _number(v[slot]), window.shape[axis], self.steps[d]
            start = number * step
            if not 0 <= start < extent:
                if self.padded or extent == 0:
                    warn_beyond(self.c, v[0], self.op, window, d, number)
                    return None
                refuse_index(v[0], self.op, name_at(v[0], window.address), d, number, extent, step)
            if self.c.checked and self.promises and self.promises[d] and start + self.tile[d] > extent:
                self.c.undefined(self.op, f"`inbounds` says that dimension {d} does not overhang, and it does")
            starts[axis] = start
        return starts


def _sparse(
    op: Operation, c: Compiler, view: GatherScatterViewType, indices: Sequence[int]
) -> Callable[[Frame, Window], Any]:
    """From indices to the element numbers along each dimension that are inside, and their places in the tile."""
    sizes, sparse = view.tile_dims, view.sparse_dimension

    def find(v: Frame, window: Window) -> tuple[list[Array], list[Array]]:
        inside: list[Array] = []
        places: list[Array] = []
        for d, slot in enumerate(indices):
            if d == sparse:
                numbers = v[slot]
                numbers = (unsigned(numbers) if numbers.dtype.itemsize < 4 else numbers).astype(np.int64)
            else:
                start = _number(v[slot])
                if not 0 <= start < window.shape[d]:
                    if _padding_name(view) is None and window.shape[d]:
                        refuse_index(v[0], op, name_at(v[0], window.address), d, start, window.shape[d], 1)
                    warn_beyond(c, v[0], op, window, d, start)
                numbers = np.arange(start, start + sizes[d], dtype=np.int64)
            valid = np.flatnonzero((numbers >= 0) & (numbers < window.shape[d]))
            inside.append(numbers[valid])
            places.append(valid)
        return inside, places

    return find


def _view(op: Operation) -> TileViewType:
    found = operand(op, "view")
    assert found is not None
    assert isinstance(found.type, TileViewType)
    return found.type


def _parts(op: Operation, c: Compiler) -> tuple[int, list[int], int | None]:
    """The slots of the view, the indices and the token."""
    fields: Any = op
    return c.slot(fields.view), c.slots(fields.index), optional_slot(op, c, "token")


def _before(v: Frame, token: int | None) -> int:
    return 0 if token is None else cast(int, v[token])


def _load(op: Operation, c: Compiler) -> Step:
    view = _view(op)
    source, indices, token = _parts(op, c)
    result, after = c.slots(op.results)
    e = element(op.results[0])
    padding = padding_of(_padding_name(view), e)
    left_open = c.adversarial and _padding_name(view) is None
    strong = is_strong(op)
    if isinstance(view, GatherScatterViewType):
        find = _sparse(op, c, view, indices)

        def gather(v: Frame) -> None:
            machine, window = v[0], v[source]
            inside, places = find(v, window)
            beyond = undecided(machine.adversary, view.tile_dims, e) if left_open else padding
            tile = np.full(view.tile_dims, beyond, e.dtype)
            tile[np.ix_(*places)] = load_at(machine, op, window, inside)
            before = _before(v, token)
            if machine.watch is not None:
                before = watch_at(machine, op, "read", window, inside, strong=strong, token=before)
            v[result], v[after] = tile, before

        return gather
    box = _Box(op, c, view, indices)

    def load(v: Frame) -> None:
        machine, window = v[0], v[source]
        starts = box.starts(v, window)
        before = _before(v, token)
        if starts is None:
            v[result], v[after] = np.full(view.tile_dims, padding, e.dtype), before
            return
        beyond = padding
        if left_open and any(s + n > m for s, n, m in zip(starts, box.sizes, window.shape, strict=True)):
            beyond = undecided(machine.adversary, box.sizes, e)
        tile = load_box(machine, op, window, starts, box.sizes, beyond)
        if machine.watch is not None:
            ranges = box_ranges(window, starts, box.sizes)
            before = watch_at(machine, op, "read", window, ranges, strong=strong, token=before)
        v[result], v[after] = tile.transpose(box.map) if box.permuted else tile, before

    return load


def _store(op: Operation, c: Compiler) -> Step:
    view = _view(op)
    fields: Any = op
    value = c.slot(fields.tile)
    target, indices, token = _parts(op, c)
    (after,) = c.slots(op.results)
    strong = is_strong(op)
    if isinstance(view, GatherScatterViewType):
        find = _sparse(op, c, view, indices)

        def scatter(v: Frame) -> None:
            machine, window = v[0], v[target]
            inside, places = find(v, window)
            before = _before(v, token)
            if machine.watch is not None:
                before = watch_at(machine, op, "write", window, inside, strong=strong, token=before)
            store_at(machine, op, window, inside, v[value][np.ix_(*places)])
            v[after] = before

        return scatter
    box = _Box(op, c, view, indices)

    def store(v: Frame) -> None:
        machine, window = v[0], v[target]
        starts = box.starts(v, window)
        before = _before(v, token)
        if starts is None:
            v[after] = before
            return
        tile = v[value].transpose(box.inverse) if box.permuted else v[value]
        if machine.watch is not None:
            ranges = box_ranges(window, starts, box.sizes)
            before = watch_at(machine, op, "write", window, ranges, strong=strong, token=before)
        store_box(machine, op, window, starts, tile)
        v[after] = before

    return store


def _updating(value_field: str, mode_of: Callable[[Operation], str]) -> Effect:
    """An atomic update of every element of a tile of a view, without a result."""

    def make(op: Operation, c: Compiler) -> Step:
        view = _view(op)
        mode = mode_of(op)
        value = c.slot(getattr(op, value_field))
        target, indices, token = _parts(op, c)
        (after,) = c.slots(op.results)
        box = _Box(op, c, view, indices)

        def apply(v: Frame) -> None:
            machine, window = v[0], v[target]
            starts = box.starts(v, window)
            before = _before(v, token)
            if starts is None:
                v[after] = before
                return
            tile = v[value].transpose(box.inverse) if box.permuted else v[value]
            ranges = box_ranges(window, starts, box.sizes)
            if machine.watch is not None:
                before = watch_at(machine, op, "update", window, ranges, strong=True, token=before)
            addresses = window.addresses(ranges).reshape(-1)
            values = tile[tuple(slice(0, len(r)) for r in ranges)].reshape(-1)
            update(machine, op, addresses, values, window.element, mode)
            v[after] = before

        return apply

    return make


PURE: Final[dict[str, Pure]] = {
    "cuda_tile.make_partition_view": _same,
    "cuda_tile.make_strided_view": _same,
    "cuda_tile.make_gather_scatter_view": _same,
    "cuda_tile.get_tensor_shape": _tensor_shape,
    "cuda_tile.get_index_space_shape": _index_space,
}
"""The definitions without effects, by name."""

EFFECTS: Final[dict[str, Effect]] = {
    "cuda_tile.make_tensor_view": _make_tensor_view,
    "cuda_tile.load_view_tko": _load,
    "cuda_tile.store_view_tko": _store,
    "cuda_tile.atomic_red_view_tko": _updating("value", lambda op: keyword(op, "mode")),
    # One device has one copy: reducing it is loading it, and storing to all copies is storing to it.
    "cuda_tile.multimem_load_reduce_view_tko": _load,
    "cuda_tile.multimem_store_view_tko": _store,
    "cuda_tile.multimem_reduce_view_tko": _updating("tile", lambda op: keyword(op, "reduction", "add")),
}
"""The definitions of what touches memory, by name."""
