"""Making, reshaping, joining and picking from tiles. Results may share memory with operands: tiles do not change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.runtime.interpreter.access import dims, element, integer
from freehold.runtime.interpreter.compile import binary, nullary, unary
from freehold.runtime.interpreter.elements import Array, Element, Tile, choose, element_of

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from freehold.runtime.interpreter.compile import Compiler, Function, Pure


def from_bytes(data: bytes, e: Element) -> Array:
    """The elements of a literal's bytes, which are exact, NaN payloads included."""
    codes = np.frombuffer(data, np.uint8)
    if e.name == "i1":
        return codes != 0
    if e.name == "tf32":
        wide = np.zeros((len(codes) // 3, 4), np.uint8)
        wide[:, :3] = codes.reshape(-1, 3)
        return (wide.view(np.uint32)[:, 0] << np.uint32(13)).view(np.float32)
    if e.name == "i4":
        return ((codes.astype(np.int8) << np.int8(4)) >> np.int8(4)).astype(np.int8)
    if e.name == "f4E2M1FN":
        return (codes & np.uint8(15)).view(e.dtype)
    return codes.view(e.dtype)


def literal(value: DenseElementsAttr) -> Tile:
    """The tile that a literal is."""
    e, shape = element_of(value.type.element_type), value.type.dims
    if value.is_splat:
        first = value.elements()[0] if e.bits == 1 else value.data.data
        return np.broadcast_to(from_bytes(first, e)[0], shape) if shape else from_bytes(first, e)[0]
    data = b"".join(value.elements()) if e.bits == 1 else value.data.data
    return from_bytes(data, e).reshape(shape)


def _constant(op: Operation, _: Compiler) -> Function:
    tile = literal(cast(DenseElementsAttr, op.properties["value"]))
    return nullary(lambda: tile)


def _iota(op: Operation, _: Compiler) -> Function:
    (count,) = dims(op.results[0])
    tile = np.arange(count).astype(element(op.results[0]).dtype)
    return nullary(lambda: tile)


def _reshape(op: Operation, _: Compiler) -> Function:
    shape = dims(op.results[0])
    if not shape:
        return unary(lambda a: np.asarray(a).reshape(())[()])
    return unary(lambda a: np.asarray(a).reshape(shape))


def _broadcast(op: Operation, _: Compiler) -> Function:
    shape = dims(op.results[0])
    return unary(lambda a: np.broadcast_to(a, shape))


def _permute(op: Operation, _: Compiler) -> Function:
    permutation = tuple(int(i) for i in cast(Any, op.properties["permutation"]).get_values())
    return unary(lambda a: a.transpose(permutation))


def _concatenate(op: Operation, _: Compiler) -> Function:
    axis = integer(op, "dim")
    return binary(lambda a, b: np.concatenate((a, b), axis))


def _place(op: Operation, c: Compiler, large: tuple[int, ...], small: tuple[int, ...]) -> Function:
    """The slices of a place counted in small tiles. Out of range, which is undefined, it wraps around."""
    counts = [whole // part for whole, part in zip(large, small, strict=True)]

    def place(indices: tuple[Tile, ...]) -> tuple[slice, ...]:
        found: list[slice] = []
        for index, count, part in zip(indices, counts, small, strict=True):
            if c.checked and not 0 <= index < count:
                c.undefined(op, f"index {int(index)} of {count}")
            start = int(index) % count * part
            found.append(slice(start, start + part))
        return tuple(found)

    return place


def _extract(op: Operation, c: Compiler) -> Function:
    place = _place(op, c, dims(op.operands[0]), dims(op.results[0]))

    def extract(source: Tile, *indices: Tile) -> Tile:
        return source[place(indices)]

    return extract


def _insert(op: Operation, c: Compiler) -> Function:
    place = _place(op, c, dims(op.results[0]), dims(op.operands[0]))

    def insert(source: Tile, destination: Tile, *indices: Tile) -> Tile:
        result = np.array(destination)
        result[place(indices)] = source
        return result

    return insert


def _select(op: Operation, _: Compiler) -> Function:
    def pick(condition: Tile, yes: Tile, no: Tile) -> Tile:
        # Inside a combiner the scalars of the text are whole tiles.
        if np.ndim(condition):
            return choose(condition, yes, no)
        return yes if condition else no

    return pick


PURE: Final[dict[str, Pure]] = {
    "cuda_tile.constant": _constant,
    "cuda_tile.iota": _iota,
    "cuda_tile.reshape": _reshape,
    "cuda_tile.broadcast": _broadcast,
    "cuda_tile.permute": _permute,
    "cuda_tile.cat": _concatenate,
    "cuda_tile.extract": _extract,
    "cuda_tile.insert": _insert,
    "cuda_tile.select": _select,
}
"""The definitions, by name."""
