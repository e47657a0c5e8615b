"""
How the elements of a tile lie that was made of another one by moving them: for `likeness`.

An arrangement is a row of steps: what the elements come from, then each move, with the shape that it makes. It is
looked at from behind: which element of the source stands at a place. Two arrangements are compared at some places.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from random import Random
from typing import TYPE_CHECKING, Any, Final, cast

from freehold.dialects.cuda_tile.folding import literal

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from freehold.dialects.cuda_tile.ops.shape import CatOp, ExtractOp
    from freehold.dialects.cuda_tile.types import TileType

Step = tuple[str, Any, tuple[int, ...]]
"""A move, what it is told, and the shape that it makes."""
Arrangement = tuple[Step, ...] | None
"""None where it is not known: it may be any."""

_PLACES: Final = 64
"""Places at which arrangements are compared."""


def moved(step: Step, at: Arrangement) -> Arrangement:
    """Elements that lie so, moved once more."""
    if at is None or (at[-1][2] == step[2] and step[0] != "permute"):
        return at  # it stays where it is
    return (*at, step)


def arranged(op: Operation, operands: Sequence[Arrangement]) -> Arrangement:
    """How the elements of what an operation makes lie, if those of its operands lie so."""
    from freehold.dialects.cuda_tile.ops import shape

    dims = cast("TileType", op.results[0].type).dims
    if isinstance(op, shape.PackOp | shape.UnpackOp) or not operands:
        return None
    if isinstance(op, shape.CatOp):
        return _joined(op, operands)
    if isinstance(op, shape.ExtractOp):
        return _cut(op, operands[0])
    if isinstance(op, shape.PermuteOp):
        return moved(("permute", op.order, dims), operands[0])
    if isinstance(op, shape.ReshapeOp | shape.BroadcastOp):
        return moved(("reshape" if isinstance(op, shape.ReshapeOp) else "broadcast", None, dims), operands[0])
    tiles = {at for at, operand in zip(operands, op.operands, strict=True) if prod(_dims(operand.type)) > 1}
    return tiles.pop() if len(tiles) == 1 else None


def _dims(type_: object) -> tuple[int, ...]:
    from freehold.dialects.cuda_tile.types import TileType

    return type_.dims if isinstance(type_, TileType) else ()


def _joined(op: CatOp, operands: Sequence[Arrangement]) -> Arrangement:
    left, right = operands
    return (
        None if left is None or right is None else (("join", (op.dim.value.data, left, right), _dims(op.result.type)),)
    )


def _cut(op: ExtractOp, at: Arrangement) -> Arrangement:
    dims = _dims(op.result.type)
    parts: list[int] = []
    for index, extent, of in zip(op.indices, dims, _dims(op.source.type), strict=True):
        number = literal(index)
        if extent == of:
            parts.append(0)
        elif number is not None:
            parts.append(int(number.splat_value) * extent)
        else:
            return None
    return moved(("cut", tuple(parts), dims), at)


def lie_alike(one: Arrangement, other: Arrangement) -> bool:
    """Whether elements that lie so may lie at the same places."""
    if one is None or other is None or one == other:
        return True
    dims = one[-1][2]
    return dims == other[-1][2] and all(_source(one, place) == _source(other, place) for place in _some(dims))


@cache
def _some(dims: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Some places in a tile."""
    random = Random(0)
    return tuple(tuple(random.randrange(extent) for extent in dims) for _ in range(_PLACES))


def _source(steps: tuple[Step, ...], place: tuple[int, ...]) -> tuple[int, ...]:
    """The place in the source of the element that stands at a place."""
    for number in range(len(steps) - 1, -1, -1):
        kind, told, dims = steps[number]
        before = steps[number - 1][2] if number else dims
        if kind == "reshape":
            place = _at(before, _number(dims, place))
        elif kind == "permute":
            order = cast("tuple[int, ...]", told)
            place = tuple(place[order.index(axis)] for axis in range(len(place)))
        elif kind == "broadcast":
            place = tuple(min(index, extent - 1) for index, extent in zip(place, before, strict=True))
        elif kind == "cut":
            firsts = cast("tuple[int, ...]", told)
            place = tuple(index + first for index, first in zip(place, firsts, strict=True))
        elif kind == "join":
            axis, left, right = cast("tuple[int, tuple[Step, ...], tuple[Step, ...]]", told)
            middle = left[-1][2][axis]
            if place[axis] < middle:
                return _source(left, place)
            return _source(right, (*place[:axis], place[axis] - middle, *place[axis + 1 :]))
    return place


def _number(dims: tuple[int, ...], place: tuple[int, ...]) -> int:
    found = 0
    for extent, index in zip(dims, place, strict=True):
        found = found * extent + index
    return found


def _at(dims: tuple[int, ...], number: int) -> tuple[int, ...]:
    place: list[int] = []
    for extent in reversed(dims):
        number, index = divmod(number, extent)
        place.append(index)
    return tuple(reversed(place))
