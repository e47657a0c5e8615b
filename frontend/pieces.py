"""Parts of tiles: subscripts, and what is taken out or put in at places that the kernel may compute."""

from __future__ import annotations

from dataclasses import dataclass, field

from freehold.dialects.cuda_tile.ops.arith_int import AndIOp
from freehold.dialects.cuda_tile.ops.shape import ExtractOp, InsertOp
from freehold.frontend import advice, elsewhere, errors
from freehold.frontend.arguments import Arguments, check_pairs, shape_of
from freehold.frontend.arithmetic import as_tile, convert
from freehold.frontend.context import Context
from freehold.frontend.operands import not_constant, reshape
from freehold.frontend.syntax import core
from freehold.frontend.syntax.text import primary
from freehold.frontend.types import computes
from freehold.frontend.values import (
    INDEX_DTYPE,
    POISON,
    Poison,
    Static,
    TileValue,
    TupleValue,
    Value,
    describe,
    show_shape,
)


@dataclass(slots=True)
class _Cut:
    """What a subscript leaves of a tile: a piece of each axis, and the shape in which the pieces are shown."""

    pieces: list[tuple[int | TileValue, int]] = field(default_factory=list["tuple[int | TileValue, int]"])
    """The first element and the extent, by axis. One that is computed has extent 1."""
    shape: list[int] = field(default_factory=list[int])


def piece(c: Context, tile: TileValue, node: core.Subscript) -> Value:
    """`t[:, None]`, `t[0]`, `t[..., 32:64]`."""
    parts = node.slice.elts if isinstance(node.slice, core.Tuple) else [node.slice]
    pair = advice.extremes(c, node.value)
    if pair is not None and isinstance(node.slice, core.Constant) and node.slice.value in (0, 1):
        return _one_of_a_pair(c, tile, node, pair, bool(node.slice.value))
    cut = _Cut()
    for position, part in enumerate(parts):
        value = None if isinstance(part, core.Slice) else c.lower(part)
        if isinstance(value, Poison):
            return POISON
        host = value.value if isinstance(value, Static) else value
        if isinstance(value, Static) and host is None:
            cut.shape.append(1)
            continue
        if host is Ellipsis:
            later = sum(not (isinstance(p, core.Constant) and p.value is None) for p in parts[position + 1 :])
            _keep(cut, tile.shape[len(cut.pieces) : max(len(cut.pieces), len(tile.shape) - later)])
            continue
        if len(cut.pieces) == len(tile.shape):
            return _too_many(c, tile, node, len(parts))
        extent = tile.shape[len(cut.pieces)]
        if isinstance(part, core.Slice):
            found = _slice(c, tile, part, extent, node)
            if found is None:
                return POISON
            cut.pieces.append(found)
            cut.shape.append(found[1])
        elif isinstance(host, int) and not isinstance(host, bool):
            if not -extent <= host < extent:
                what = f"index {host} is outside an axis of {extent}"
                error = errors.ArithmeticFails(c.span(part), what=what)
                return c.error(
                    error.add(error.Instead(f"its elements are `0` to `{extent - 1}`, or `{-extent}` to `-1`"))
                )
            cut.pieces.append((host % extent, 1))
        elif isinstance(value, TileValue) and not value.shape and value.dtype.kind == "int" and computes(value.dtype):
            cut.pieces.append((value, 1))
        else:
            return _no_subscript(c, value, part)
    _keep(cut, tile.shape[len(cut.pieces) :])
    sizes = tuple(size for _, size in cut.pieces)
    if not check_pairs(c, tile.dtype, sizes, node):
        return POISON
    if sizes != tile.shape:
        places = [
            wrapped(c, start, extent) if isinstance(start, TileValue) else c.constant(start // size, INDEX_DTYPE)
            for (start, size), extent in zip(cut.pieces, tile.shape, strict=True)
        ]
        tile = c.tile(tile.dtype, sizes, ExtractOp, tile, places, sizes)
    return reshape(c, tile, tuple(cut.shape))


def _one_of_a_pair(c: Context, tile: TileValue, node: core.Subscript, pair: tuple[str, str], second: bool) -> Poison:
    """`t.max(1)[0]`: all of the largest in torch, and one of them if it were read as it stands."""
    what, role = f"`{pair[0]}`", "one of a pair, values and places"
    error = errors.WrongValue(c.span(node), what=what, role=role, why=f"it is {describe(tile)}: the values alone")
    error.add(error.Instead(f"for all of them: `{pair[second]}`", at=c.span(node)))
    return c.error(error.add(error.Instead("for one element, give the tile a name first")))


def wrapped(c: Context, index: TileValue, count: int) -> TileValue:
    """A computed place, modulo the number of places, which is a power of two: -1 is the last one, as in Python."""
    place = convert(c, index, INDEX_DTYPE)
    return c.tile(INDEX_DTYPE, (), AndIOp, place, c.constant(count - 1, INDEX_DTYPE))


def extract(c: Context, a: Arguments) -> Value:
    """`extract(x, index, shape)`."""
    tile, shape = as_tile(c, a["x"], a.place("x")), shape_of(c, a["shape"], a.place("shape"))
    if isinstance(tile, Poison) or shape is None or not check_pairs(c, tile.dtype, shape, a.place("shape")):
        return POISON
    places = _places(c, a, tile.shape, shape, a.place("shape"))
    return POISON if places is None else c.tile(tile.dtype, shape, ExtractOp, tile, places, shape)


def insert(c: Context, a: Arguments) -> Value:
    """`insert(x, index, part)`."""
    tile = as_tile(c, a["x"], a.place("x"))
    if isinstance(tile, Poison):
        return POISON
    value = a["part"]
    if isinstance(value, Static) and not check_pairs(c, tile.dtype, (), a.place("part")):
        return POISON
    part = as_tile(c, value, a.place("part"), tile.dtype if isinstance(value, Static) else None)
    if isinstance(part, Poison):
        return POISON
    if part.dtype is not tile.dtype:
        error = errors.WrongValue(
            c.span(a.place("part")), what=describe(part), role=f"put into {describe(tile)}", why="the dtypes differ"
        )
        edit = f"convert it: `{primary(a.text(c, 'part'))}.astype(fh.{tile.dtype})`"
        return c.error(error.add(error.Instead(edit, at=c.span(a.place("part")))))
    if not part.shape:
        part = reshape(c, part, (1,) * len(tile.shape))
    places = _places(c, a, tile.shape, part.shape, a.place("part"))
    return POISON if places is None else c.tile(tile.dtype, tile.shape, InsertOp, part, tile, places)


def _places(
    c: Context, a: Arguments, whole: tuple[int, ...], part: tuple[int, ...], place: core.Expr
) -> list[TileValue] | None:
    """Which part of a tile an index names, axis by axis, counted in parts; None after reporting that it names none."""
    if len(part) != len(whole) or any(p > w for p, w in zip(part, whole, strict=True)):
        why = f"a part of a tile of shape {show_shape(whole)} has as many axes, and none that is longer"
        c.error(errors.BadShape(c.span(place), shape=show_shape(part), why=why))
        return None
    given = a["index"]
    items = given.items if isinstance(given, TupleValue) else (given,)
    node = a.place("index")
    if len(items) != len(whole):
        counts = [f"{n} {'entry' if n == 1 else 'entries'}" for n in (len(items), len(whole))]
        c.error(errors.WrongRank(c.span(node), what="the index", given=counts[0], of="the tile", rank=counts[1]))
        return None
    found: list[TileValue] = []
    nodes = node.elts if isinstance(node, core.Tuple) and len(node.elts) == len(items) else [node] * len(items)
    for item, entry, w, p in zip(items, nodes, whole, part, strict=True):
        count = w // p
        if isinstance(item, Static) and isinstance(item.value, int) and not isinstance(item.value, bool):
            if not -count <= item.value < count:
                what = f"index {item.value} is outside an axis of {count} {'part' if count == 1 else 'parts'}"
                c.error(errors.ArithmeticFails(c.span(entry), what=what))
                return None
            found.append(c.constant(item.value % count, INDEX_DTYPE))
        elif isinstance(item, TileValue) and not item.shape and item.dtype.kind == "int" and computes(item.dtype):
            found.append(wrapped(c, item, count))
        else:
            _no_subscript(c, item, entry)
            return None
    return found


def _no_subscript(c: Context, value: Value | None, part: core.Expr) -> Poison:
    """Reports an index that is no scalar of integers."""
    if value is None or isinstance(value, Poison):
        return POISON
    error = errors.WrongValue(
        c.span(part), what=describe(value), role="an index of a tile", why="one integer an axis says which element"
    )
    if isinstance(value, TileValue) and value.dtype.kind == "bool":
        error.add(error.Instead(f"choose between elements: `fh.where({c.text(part)}, a, b)`"))
    elif isinstance(value, TileValue) and value.shape:
        error.add(error.Instead("read elements where they lie: `x.gather(indices)`"))
    elif isinstance(value, TileValue):
        error.add(error.Instead(f"convert it: `{c.primary(part)}.astype(fh.i32)`", at=c.span(part)))
    return c.error(error)


def _keep(cut: _Cut, extents: tuple[int, ...]) -> None:
    cut.pieces += [(0, extent) for extent in extents]
    cut.shape += extents


def _slice(c: Context, tile: TileValue, part: core.Slice, extent: int, node: core.Subscript) -> tuple[int, int] | None:
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
    words = elsewhere.EDITS["flip"].words if step == -1 else "load the part you need: `x.load(index, shape)`"
    edit = advice.of_part(c, tile, node) or advice.Advice(words)
    c.error(error.add(error.Instead(edit.text, at=edit.at(c))))
    return None


def _unknown(c: Context, tile: TileValue, node: core.Subscript, part: core.Expr) -> Poison:
    error = errors.Unsupported(
        c.span(part),
        what="a slice of a tile with a computed bound",
        why="the shape of a tile is known at compile time",
    )
    edit = advice.of_part(c, tile, node) or advice.Advice("count in parts of one size: `fh.extract(t, (i,), (32,))`")
    return c.error(error.add(error.Instead(edit.text, at=edit.at(c))))


def _too_many(c: Context, tile: TileValue, node: core.Subscript, given: int) -> Poison:
    rank = len(tile.shape)
    axes = f"{rank} {'axis' if rank == 1 else 'axes'}"
    error = errors.WrongRank(c.span(node), what="the subscript", given=str(given), of=c.text(node.value), rank=axes)
    return c.error(error)
