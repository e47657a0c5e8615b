"""Subscripts of tiles: new axes, and elements and parts at places that are known at compile time."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from freehold.dialects.cuda_tile.ops.shape import ExtractOp
from freehold.frontend import advice, errors
from freehold.frontend.arguments import check_pairs
from freehold.frontend.context import Context
from freehold.frontend.expressions import not_constant, reshape
from freehold.frontend.values import INDEX_DTYPE, POISON, Poison, Static, TileValue, Value


@dataclass(slots=True)
class _Cut:
    """What a subscript leaves of a tile: a piece of each axis, and the shape in which the pieces are shown."""

    pieces: list[tuple[int, int]] = field(default_factory=list["tuple[int, int]"])
    """The first element and the extent, by axis."""
    shape: list[int] = field(default_factory=list[int])


def piece(c: Context, tile: TileValue, node: ast.Subscript) -> Value:
    """`t[:, None]`, `t[0]`, `t[..., 32:64]`."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    cut = _Cut()
    for position, part in enumerate(parts):
        value = None if isinstance(part, ast.Slice) else c.lower(part)
        if isinstance(value, Poison):
            return POISON
        host = value.value if isinstance(value, Static) else value
        if isinstance(value, Static) and host is None:
            cut.shape.append(1)
            continue
        if host is Ellipsis:
            later = sum(not (isinstance(p, ast.Constant) and p.value is None) for p in parts[position + 1 :])
            _keep(cut, tile.shape[len(cut.pieces) : max(len(cut.pieces), len(tile.shape) - later)])
            continue
        if len(cut.pieces) == len(tile.shape):
            return _too_many(c, tile, node, len(parts))
        extent = tile.shape[len(cut.pieces)]
        if isinstance(part, ast.Slice):
            found = _slice(c, tile, part, extent, node)
            if found is None:
                return POISON
            cut.pieces.append(found)
            cut.shape.append(found[1])
        elif isinstance(host, int) and not isinstance(host, bool):
            if not -extent <= host < extent:
                what = f"index {host} is outside an axis of {extent}"
                return c.error(errors.ArithmeticFails(c.span(part), what=what))
            cut.pieces.append((host % extent, 1))
        else:
            return _unknown(c, tile, node, part)
    _keep(cut, tile.shape[len(cut.pieces) :])
    sizes = tuple(size for _, size in cut.pieces)
    if not check_pairs(c, tile.dtype, sizes, node):
        return POISON
    if sizes != tile.shape:
        places = [c.constant(start // size, INDEX_DTYPE).ssa for start, size in cut.pieces]
        tile = c.tile(ExtractOp(tile.ssa, places, sizes), tile.dtype, sizes)
    return reshape(c, tile, tuple(cut.shape))


def _keep(cut: _Cut, extents: tuple[int, ...]) -> None:
    cut.pieces += [(0, extent) for extent in extents]
    cut.shape += extents


def _slice(c: Context, tile: TileValue, part: ast.Slice, extent: int, node: ast.Subscript) -> tuple[int, int] | None:
    """The first element and the extent of `a:b`, which a tile can be cut into; None after reporting that it cannot."""
    bounds: list[int | None] = []
    for bound in (part.lower, part.upper, part.step):
        match Static(None) if bound is None else c.lower(bound):
            case Static(value=None | int() as known):
                bounds.append(known)
            case TileValue():
                _unknown(c, tile, node, part)
                return None
            case value:
                if not isinstance(value, Poison) and bound is not None:
                    not_constant(c, bound, value, "the bound of a slice")
                return None
    lower, upper, step = bounds
    start, stop, _ = slice(lower, upper).indices(extent)
    size = stop - start
    why = None
    if step not in (None, 1):
        why = "its elements would not stand beside each other"
    elif size < 1:
        why = "there is nothing in it"
    elif size & (size - 1):
        why = f"{size} is not a power of two"
    elif start % size:
        why = f"tiles are cut into pieces of one size, and {start} is not a multiple of {size}"
    if why is None:
        return start, size
    error = errors.BadShape(c.span(part), shape=f"[{c.text(node.slice)}]", why=why)
    edit = advice.of_element(c, tile, node) or "load the part you need: `x.load(index, shape)`"
    c.error(error.add(error.Instead(edit)))
    return None


def _unknown(c: Context, tile: TileValue, node: ast.Subscript, part: ast.expr) -> Poison:
    error = errors.Unsupported(
        c.span(part),
        what="an element or a part of a tile at a computed place",
        why="a subscript of a tile is known at compile time",
    )
    edit = advice.of_element(c, tile, node) or "load the part you need, or reduce the tile: `t.sum(axis)`"
    return c.error(error.add(error.Instead(edit)))


def _too_many(c: Context, tile: TileValue, node: ast.Subscript, given: int) -> Poison:
    rank = len(tile.shape)
    axes = f"{rank} {'axis' if rank == 1 else 'axes'}"
    error = errors.WrongRank(c.span(node), what="the subscript", given=str(given), of=c.text(node.value), rank=axes)
    return c.error(error)
