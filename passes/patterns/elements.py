"""Accesses by element become tiles of pointers, and masks.

An index is compared once, as unsigned: a negative one is larger than any extent. Indices are multiplied by strides in
64 bits, before they are stretched to the tile's shape, so that rows and columns cost what they are long. No product of
an index that is in bounds can wrap there; what an index out of bounds makes of an address is masked.

What `load_from` reads is a tile of a strided view with steps of 1, where it begins in bounds: the assembler loads
those well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from freehold.dialects.classes import replace_uses
from freehold.dialects.cuda_tile.attrs import PADDING_NUMBERS, SIGNED, UNSIGNED, PaddingValueAttr
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, AndIOp, CmpIOp, MulIOp
from freehold.dialects.cuda_tile.ops.atomics import AtomicCasTkoOp, AtomicRedViewTkoOp, AtomicRmwTkoOp
from freehold.dialects.cuda_tile.ops.conversion import ExtIOp
from freehold.dialects.cuda_tile.ops.memory import LoadPtrTkoOp, StorePtrTkoOp
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, ConstantOp, IotaOp, OffsetOp, ReshapeOp
from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp
from freehold.dialects.cuda_tile.types import TileType, tile
from freehold.dialects.ownership import (
    AccessOp,
    AccumulateAtOp,
    AccumulateOp,
    GatherOp,
    LoadFromOp,
    Rung,
    UnsafeLoadOp,
    UnsafeStoreOp,
    UnsafeSwapOp,
    UnsafeUpdateOp,
    tensor_type,
)
from freehold.dialects.ownership.ops.gather import Padding
from freehold.passes.analysis.wording import tensor_of
from freehold.passes.patterns.checks import checked_places
from freehold.passes.patterns.context import Conversion, Patterns
from freehold.passes.rewriting import Inserter

_ZERO_PADDING: Final = PaddingValueAttr.of("zero")


def gather(c: Conversion, op: GatherOp, at: Inserter) -> bool:
    """A load through pointers."""
    tensor, shape = tensor_of(op.source), op.result.type.dims
    compared = _masked(op)
    pointers, mask = _places(c, tensor, op.indices, shape, compared, op.mask, at)
    _load_elements(c, op, pointers, mask, at)
    return True


def load_from(c: Conversion, op: LoadFromOp, at: Inserter) -> bool:
    """A load through a strided view where the first element is in bounds, and through pointers otherwise."""
    tensor, shape = tensor_of(op.source), op.result.type.dims
    if not _masked(op):
        padding = op.padding_value or _ZERO_PADDING
        view = c.view(tensor, shape, (1,) * len(shape), padding)
        new = at.insert(LoadViewTkoOp(view, op.start, None, hints=op.hints))
        _replace(op, new.results[0])
        return True
    indices: list[SSAValue] = []
    for axis, (start, size) in enumerate(zip(op.start, shape, strict=True)):
        line = tuple(size if n == axis else 1 for n in range(len(shape)))
        numbers = at.value(ReshapeOp(at.value(IotaOp(tile((size,), i32))), line))
        # Where this wraps the sum is out of bounds, and so is what it wraps to: a negative number.
        indices.append(at.value(AddIOp(_spread(start, line, at), numbers)))
    pointers, mask = _places(c, tensor, indices, shape, frozenset(range(len(shape))), None, at)
    _load_elements(c, op, pointers, mask, at)
    return True


def _load_elements(
    c: Conversion, op: GatherOp | LoadFromOp, pointers: SSAValue, mask: SSAValue | None, at: Inserter
) -> None:
    """Loads through pointers in the place of an operation."""
    padding = None if mask is None else _padding(op.result.type, op.padding_value, at)
    _replace(op, at.insert(LoadPtrTkoOp(pointers, mask, padding, hints=op.hints)).results[0])


def accumulate(c: Conversion, op: AccumulateOp, at: Inserter) -> bool:
    """An update of a tile of a view."""
    tensor = tensor_of(op.target)
    mode = op.combining
    index = checked_places(c, op, at)
    if index:
        view = c.view(tensor, op.shape, op.steps, None)
        at.insert(AtomicRedViewTkoOp(view, index, mode, op.tile))
    else:  # a view has axes
        at.insert(AtomicRmwTkoOp(c.pointer(tensor), mode, op.tile))
    return True


def accumulate_at(c: Conversion, op: AccumulateAtOp, at: Inserter) -> bool:
    """An update through pointers, whose result nobody takes."""
    tensor = tensor_of(op.target)
    assert isinstance(op.values.type, TileType)
    pointers, mask = _places(c, tensor, op.indices, op.values.type.dims, _masked(op), op.mask, at)
    mode = op.combining
    at.insert(AtomicRmwTkoOp(pointers, mode, op.values, mask))
    return True


def unsafe_load(c: Conversion, op: UnsafeLoadOp, at: Inserter) -> bool:
    """A load through pointers that nothing is compared for."""
    type_ = op.result.type
    pointers, mask = _places(c, tensor_of(op.source), op.indices, type_.dims, frozenset(), op.mask, at)
    padding = None if mask is None else _padding(type_, op.padding_value, at)
    new = at.insert(LoadPtrTkoOp(pointers, mask, padding, op.token, op.ordering, op.scope))
    _replace(op, *new.results)
    return True


def unsafe_store(c: Conversion, op: UnsafeStoreOp, at: Inserter) -> bool:
    """A store through pointers that nothing is compared for."""
    assert isinstance(op.tile.type, TileType)
    pointers, mask = _places(c, tensor_of(op.target), op.indices, op.tile.type.dims, frozenset(), op.mask, at)
    new = at.insert(StorePtrTkoOp(pointers, op.tile, mask, op.token, op.ordering, op.scope))
    _replace(op, *new.results)
    return True


def unsafe_update(c: Conversion, op: UnsafeUpdateOp, at: Inserter) -> bool:
    """An atomic update through pointers."""
    pointers, mask = _places(c, tensor_of(op.target), op.indices, op.result.type.dims, frozenset(), op.mask, at)
    assert op.scope is not None  # no update is weak
    new = at.insert(AtomicRmwTkoOp(pointers, op.mode, op.tile, mask, op.token, op.ordering, op.scope))
    _replace(op, *new.results)
    return True


def unsafe_swap(c: Conversion, op: UnsafeSwapOp, at: Inserter) -> bool:
    """An atomic comparison and replacement through pointers."""
    pointers, mask = _places(c, tensor_of(op.target), op.indices, op.result.type.dims, frozenset(), op.mask, at)
    assert op.scope is not None
    new = at.insert(AtomicCasTkoOp(pointers, op.expected, op.desired, mask, op.token, op.ordering, op.scope))
    _replace(op, *new.results)
    return True


def _places(
    c: Conversion,
    tensor: SSAValue,
    indices: Sequence[SSAValue],
    shape: tuple[int, ...],
    compared: frozenset[int],
    mask: SSAValue | None,
    at: Inserter,
) -> tuple[SSAValue, SSAValue | None]:
    """Pointers to elements, and which of them are accessed: those of `mask` that are in bounds along the axes
    `compared`; None for all."""
    type_ = tensor_type(tensor)
    offset: SSAValue | None = None
    inside: SSAValue | None = None
    for axis, index in enumerate(indices):
        found = index.type
        assert isinstance(found, TileType)
        long = found.element_type == i64
        if axis in compared:
            extent = c.term(type_.extent(axis))
            if long:
                extent = at.value(ExtIOp(extent, i64, SIGNED))
            fits = at.value(CmpIOp("less_than", index, _spread(extent, found.dims, at), UNSIGNED))
            inside = fits if inside is None else _both(AndIOp, inside, fits, at)
        moved = index if long else at.value(ExtIOp(index, i64, SIGNED))
        stride = c.stride(tensor, axis)
        if isinstance(stride, SSAValue):
            factor = _spread(at.value(ExtIOp(stride, i64, SIGNED)), found.dims, at)
            moved = at.value(MulIOp(moved, factor))
        elif stride != 1:
            moved = at.value(MulIOp(moved, at.value(ConstantOp.splat(tile(found.dims, i64), stride))))
        offset = moved if offset is None else _both(AddIOp, offset, moved, at)
    if inside is not None:
        inside = _stretch(inside, shape, at)
    if mask is not None:
        inside = mask if inside is None else at.value(AndIOp(inside, mask))
    base = _spread(c.pointer(tensor), shape, at)
    if offset is None:  # no axes
        return base, inside
    return at.value(OffsetOp(base, _stretch(offset, shape, at))), inside


def _masked(op: AccessOp) -> frozenset[int]:
    """The axes along which elements may be out of bounds: all of which it is not recorded that they are not."""
    return frozenset(duty.axis.data for duty in op.owes if duty.rung is not Rung.PROVED)


def _padding(type_: TileType, padding: Padding | None, at: Inserter) -> SSAValue:
    """A tile of the padding value."""
    if isinstance(padding, DenseElementsAttr):
        return at.value(ConstantOp(DenseElementsAttr(type_, padding.data)))
    name = "zero" if padding is None else padding.data.value
    return at.value(ConstantOp.splat(type_, PADDING_NUMBERS[name]))


def _replace(op: GatherOp | LoadFromOp | UnsafeLoadOp | UnsafeStoreOp | UnsafeUpdateOp | UnsafeSwapOp, *by: SSAValue):
    """Puts results in the place of those of an operation, which may lack the token."""
    for old, new in zip(op.results, by, strict=False):
        new.name_hint = old.name_hint
        replace_uses(old, new)


def _spread(scalar: SSAValue, dims: tuple[int, ...], at: Inserter) -> SSAValue:
    """A tile filled with a scalar."""
    if not dims:
        return scalar
    return _stretch(at.value(ReshapeOp(scalar, (1,) * len(dims))), dims, at)


def _stretch(value: SSAValue, dims: tuple[int, ...], at: Inserter) -> SSAValue:
    """A tile, repeated along the axes where it has one element."""
    assert isinstance(value.type, TileType)
    return value if value.type.dims == dims else at.value(BroadcastOp(value, dims))


def _both(kind: type[AddIOp | AndIOp], a: SSAValue, b: SSAValue, at: Inserter) -> SSAValue:
    """An operation on two tiles, stretched to the shape in which they meet."""
    assert isinstance(a.type, TileType)
    assert isinstance(b.type, TileType)
    dims = tuple(max(x, y) for x, y in zip(a.type.dims, b.type.dims, strict=True))
    return at.value(kind(_stretch(a, dims, at), _stretch(b, dims, at)))


PATTERNS: Final[Patterns] = {
    GatherOp: gather,
    LoadFromOp: load_from,
    AccumulateOp: accumulate,
    AccumulateAtOp: accumulate_at,
    UnsafeLoadOp: unsafe_load,
    UnsafeStoreOp: unsafe_store,
    UnsafeUpdateOp: unsafe_update,
    UnsafeSwapOp: unsafe_swap,
}
