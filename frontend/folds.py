"""Reductions and scans with a function of the user's, of one tile or of several together."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from math import prod
from typing import cast

from freehold.dialects.cuda_tile.ops.control_flow import YieldOp
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp, ScanOp
from freehold.frontend import errors
from freehold.frontend.arguments import Arguments, axis_of, flag_of
from freehold.frontend.arithmetic import as_tile
from freehold.frontend.context import Context
from freehold.frontend.joins import flatten
from freehold.frontend.kinds import AnyKind, FixedKind, Kind, TileKind, TupleKind, assemble, fits, kind_of, tile_kinds
from freehold.frontend.operands import reshape
from freehold.frontend.reductions import arithmetic_tile, identity, running_axis
from freehold.frontend.typed import Block, touches_no_memory
from freehold.frontend.types import computable, computes, purpose
from freehold.frontend.values import (
    POISON,
    Number,
    Poison,
    Static,
    TupleValue,
    Value,
    describe,
    describe_tile,
    is_number,
    record_of,
    show_shape,
)


def folded(c: Context, a: Arguments, scan: bool) -> Value:
    """`reduce` and `scan`: of a tile, or of the tiles of a tuple or object, element by element together."""
    kind = _kind(c, a)
    if kind is None:
        return POISON
    tiles = flatten(c, a["x"], kind)
    shape = whole = tiles[0].shape
    given = a["axis"]
    everything = not scan and isinstance(given, Static) and given.value is None
    if everything:
        shape = (prod(shape),)
        tiles = [reshape(c, t, shape) for t in tiles]
        axis = 0
    elif scan:
        axis = running_axis(c, a, tiles[0].dtype, shape)
    else:
        axis = axis_of(c, a["axis"], a.place("axis"), len(shape), describe_tile(tiles[0].dtype, shape))
    name = "reverse" if scan else "keepdims"
    flag = flag_of(c, a[name], a.place(name), f"`{name}`")
    starts = None if axis is None or flag is None else _starts(c, a, kind)
    if axis is None or flag is None or starts is None:
        return POISON
    body = _body(c, a, kind)
    if body is None:
        return POISON
    neutral = [identity(n, t.dtype) for n, t in zip(starts, tiles, strict=True)]
    if scan:
        made = c.tiles([(t.dtype, shape) for t in tiles], ScanOp, tiles, axis, neutral, flag, body)
    else:
        shape = (*shape[:axis], *shape[axis + 1 :])
        made = c.tiles([(t.dtype, shape) for t in tiles], ReduceOp, tiles, axis, neutral, body)
    if flag and not scan:
        kept = (1,) * len(whole) if everything else (*shape[:axis], 1, *shape[axis:])
        made = [reshape(c, t, kept) for t in made]
    return assemble(kind, made)


def _kind(c: Context, a: Arguments) -> Kind | None:
    """The type of what is folded, whose tiles have one shape; None after reporting that it cannot be."""
    value = a["x"]
    if a.poisoned:
        return None
    if not isinstance(value, TupleValue) and record_of(value) is None:
        tile = arithmetic_tile(c, a)
        a.values["x"] = tile or POISON
        return None if tile is None else TileKind(tile.dtype, tile.shape)
    kind = kind_of(value)
    parts = [] if kind is None else tile_kinds(kind)
    why = None
    edit = "give it tiles of one shape: `(x, fh.broadcast_to(y, x.shape))`"
    if not parts:
        why = "there is no tile in it"
    elif len({p.shape for p in parts}) > 1:
        why = f"its tiles have shapes {' and '.join(dict.fromkeys(show_shape(p.shape) for p in parts))}"
    elif (narrow := next((p.dtype for p in parts if not computes(p.dtype)), None)) is not None:
        why, edit = purpose(narrow), f"convert its tiles first: `.astype({computable(narrow)})`"
    if why is None:
        return kind
    error = errors.WrongValue(
        c.span(a.place("x")), what=describe(value), role=f"what `{a.signature.name}` folds", why=why
    )
    c.error(error.add(error.Instead(edit)))
    return None


def _starts(c: Context, a: Arguments, kind: Kind) -> list[Number] | None:
    """The neutral numbers, in the structure of what is folded; None after reporting that they do not fit."""
    given = a["identity"]
    found = list(_numbers(given, kind))
    if all(n is not None for n in found):
        return [n for n in found if n is not None]
    if not isinstance(given, Poison):
        single = isinstance(kind, TileKind)
        why = f"this is {describe(given)}, not {'a number' if single else 'numbers in the form of what is folded'}"
        c.error(errors.NotConstant(c.span(a.place("identity")), what="the identity", why=why))
    return None


def _numbers(value: Value | None, kind: Kind) -> Iterator[Number | None]:
    match kind:
        case FixedKind() | AnyKind():
            return
        case TileKind():
            known = isinstance(value, Static) and is_number(value.value)
            yield cast(Number, cast(Static, value).value) if known else None
        case TupleKind():
            whole = value if isinstance(value, TupleValue) or value is None else record_of(value)
            items = () if whole is None else whole.items
            fitting = len(items) == len(kind.items)
            for position, part in enumerate(kind.items):
                yield from _numbers(items[position] if fitting else None, part)


def _scalars(kind: Kind) -> Kind:
    match kind:
        case FixedKind() | AnyKind():
            return kind
        case TileKind():
            return TileKind(kind.dtype, ())
        case TupleKind():
            return TupleKind(tuple(map(_scalars, kind.items)), kind.of)


@contextmanager
def _folding(c: Context) -> Generator[None]:
    outer, c.folding = c.folding, True
    try:
        yield
    finally:
        c.folding = outer


def _body(c: Context, a: Arguments, kind: Kind) -> Block | None:
    """The function, applied to two elements of each tile; None after reporting that it does not fold them."""
    scalars = _scalars(kind)
    parts = tile_kinds(scalars)
    place = a.place("function")
    block = Block()
    with c.into(block), _folding(c):
        elements = [c.argument(block, p.dtype, ()) for p in parts for _ in range(2)]
        left, right = assemble(scalars, elements[::2]), assemble(scalars, elements[1::2])
        made = c.apply(a["function"], [left, right], a.node, place)
        if isinstance(scalars, TileKind):
            made = as_tile(c, made, place, scalars.dtype)
        if isinstance(made, Poison):
            return None
        if not fits(kind_of(made), scalars):
            one = describe(left) if isinstance(kind, TileKind) else f"{describe(left)} of scalars"
            error = errors.WrongValue(
                c.span(place),
                what=f"a function that returns {describe(made)}",
                role=f"what `{a.signature.name}` folds with",
                why=f"two elements become one: {one}",
            )
            edit = f"convert its result: `.astype({parts[0].dtype})`"
            if not isinstance(kind, TileKind):
                edit = "return what it was given, part by part, each of its dtype"
            c.error(error.add(error.Instead(edit)))
            return None
        c.add(YieldOp, flatten(c, made, scalars))
    if not all(map(touches_no_memory, block.body)):
        error = errors.WrongValue(
            c.span(place),
            what="a function that loads, prints or asserts",
            role=f"what `{a.signature.name}` folds with",
            why="it is applied any number of times, in any order",
        )
        c.error(error.add(error.Instead("do so before or after")))
        return None
    return block
