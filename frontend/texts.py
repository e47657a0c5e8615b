"""Text in kernels: f-strings, `print`, and assertions with a message."""

from __future__ import annotations

import re
from typing import Final

from freehold.dialects.cuda_tile.ops.misc import PrintTkoOp
from freehold.frontend import errors
from freehold.frontend.arguments import Arguments
from freehold.frontend.arithmetic import as_tile, convert
from freehold.frontend.checks import check, scalars_in, static_failure, unsaid
from freehold.frontend.conditions import condition
from freehold.frontend.context import Context
from freehold.frontend.syntax import core
from freehold.frontend.values import (
    NONE,
    POISON,
    Field,
    Poison,
    Static,
    TextValue,
    TileValue,
    TupleValue,
    Value,
    describe,
    is_lasting,
    is_poison,
    static_of,
)
from freehold.support import dtypes

SPECIFICATION: Final = re.compile(r"(?P<flags>[-+ #0]*)(?P<width>[0-9]*)(?P<precision>\.[0-9]+)?(?P<letter>[a-zA-Z]?)")
FLOATS: Final = frozenset("eEfFgG")
INTEGERS: Final = frozenset("dxXo")

Parts = tuple[str | Field, ...]


def joined(c: Context, node: core.Text) -> Value:
    """An f-string: a text where all of it is known at compile time, else one that only `print` takes."""
    parts: list[str | Field] = []
    for item in node.parts:
        if isinstance(item, str):
            parts.append(item)
            continue
        made = _formatted(c, item)
        if made is None:
            return POISON
        parts += made
    if all(isinstance(p, str) for p in parts):
        return Static("".join(p for p in parts if isinstance(p, str)))
    return TextValue(tuple(parts))


def _formatted(c: Context, item: core.Field) -> Parts | None:
    specification = ""
    if item.format is not None:
        with c.at(item):
            given = c.lower(item.format)
        if not isinstance(given, Static):
            if not is_poison(given):
                c.error(errors.NotConstant(c.span(item), what="a format", why="this is known when the kernel runs"))
            return None
        specification = str(given.value)
    value = c.lower(item.value)
    known = static_of(value)
    if known is None or not is_lasting(value):
        return parts_of(c, value, item.value, specification)
    shown = {"r": repr, "s": str, "a": ascii}.get(item.conversion)
    try:
        return (format(known[0] if shown is None else shown(known[0]), specification),)
    except Exception as e:
        c.error(errors.ArithmeticFails(c.span(item), what=f"`{c.text(item.value)}` cannot be shown as text: {e}"))
        return None


def parts_of(c: Context, value: Value, node: core.Expr, specification: str = "") -> Parts | None:
    """A value as parts of a text: a tuple in parentheses. None after reporting what cannot be shown."""
    known = static_of(value)
    if known is not None and is_lasting(value):
        return (str(known[0]),)
    if isinstance(value, TextValue):
        return value.parts
    if isinstance(value, TupleValue):
        parts: list[str | Field] = ["("]
        for position, item in enumerate(value.items):
            inner = parts_of(c, item, node, specification)
            if inner is None:
                return None
            parts += [*([", "] if position else []), *inner]
        return (*parts, ",)" if len(value.items) == 1 else ")")
    tile = as_tile(c, value, node)
    if isinstance(tile, Poison):
        return None
    field = _field(c, tile, specification)
    if field is None:
        what, role = f'the format "{specification}"', f"applied to {describe(tile)}"
        why = "integers take a width and `d`, `x` or `o`; floats a width, a precision, and `e`, `f` or `g`"
        c.error(errors.WrongValue(c.span(node), what=what, role=role, why=why))
        return None
    return (field,)


def _field(c: Context, tile: TileValue, specification: str) -> Field | None:
    """A tile with printf's conversion for it. What is narrower than 32 bits is widened, which changes no value."""
    match = SPECIFICATION.fullmatch(specification)
    if match is None:
        return None
    flags, width, precision, letter = (match[name] or "" for name in ("flags", "width", "precision", "letter"))
    dtype = tile.dtype
    if dtype.is_float:
        if letter and letter not in FLOATS:
            return None
        if dtype is not dtypes.f64:
            tile = convert(c, tile, dtypes.f32)
        return Field(tile, f"%{flags}{width}{precision}{letter or 'g'}")
    if (letter and letter not in INTEGERS) or precision:
        return None
    if dtype.bits < 32:
        tile = convert(c, tile, dtypes.i32 if dtype.signed or dtype.kind == "bool" else dtypes.u32)
    long = "ll" if tile.dtype.bits == 64 else ""
    sign = letter if letter and letter != "d" else "d" if tile.dtype.signed else "u"
    return Field(tile, f"%{flags}{width}{long}{sign}")


def print_(c: Context, a: Arguments) -> Value:
    """`print`."""
    separators = [static_of(a[name]) for name in ("sep", "end")]
    for name, known in zip(("sep", "end"), separators, strict=True):
        if known is None or not isinstance(known[0], str):
            error = errors.NotConstant(c.span(a.place(name)), what=f"`{name}`", why=f"this is {describe(a[name])}")
            return c.error(error)
    separator, end = (str(known[0]) for known in separators if known is not None)
    plain = not any(isinstance(n, core.Starred) for n in a.node.args)
    parts: list[str | Field] = []
    for position, value in enumerate(a.rest):
        made = parts_of(c, value, a.node.args[position] if plain else a.node)
        if made is None:
            return POISON
        parts += [*([separator] if position else []), *made]
    parts.append(end)
    text = "".join(p.replace("%", "%%") if isinstance(p, str) else p.conversion for p in parts)
    c.add(PrintTkoOp, text, [p.tile for p in parts if isinstance(p, Field)])
    return NONE


def assert_(c: Context, a: Arguments) -> Value:
    """`assert_`: as the statement, for every element of a tile."""
    known = static_of(a["message"])
    if known is None or not isinstance(known[0], str):
        why = f"this is {describe(a['message'])}"
        return c.error(errors.NotConstant(c.span(a.place("message")), what="the message", why=why))
    value, place = a["condition"], a.place("condition")
    if isinstance(value, TileValue):
        check(c, convert(c, value, dtypes.bool_), known[0] or unsaid(c, place), scalars_in(c, place))
    elif condition(c, value, place, "an assertion") is False:
        static_failure(c, place, known[0] or unsaid(c, place))
    return NONE
