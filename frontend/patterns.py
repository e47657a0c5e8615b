"""What the patterns of a `match` ask of a value, decided when the kernel is compiled."""

from __future__ import annotations

from freehold.frontend import errors
from freehold.frontend.classes import field_of
from freehold.frontend.context import Context
from freehold.frontend.python_functions import is_of
from freehold.frontend.syntax import core
from freehold.frontend.values import POISON, Poison, Static, TupleValue, Value, describe

PLAIN = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""Classes whose patterns take the value itself: `int(x)`."""


def fits(c: Context, node: core.Fits) -> Value:
    """Whether a value is of a pattern's class, or a tuple of its length."""
    value = c.lower(node.subject)
    if isinstance(value, Poison):
        return POISON
    if node.kind is None:
        if not isinstance(value, TupleValue):
            return Static(False)
        return Static(len(value.items) >= node.count if node.more else len(value.items) == node.count)
    kind = c.lower(node.kind)
    if isinstance(kind, Poison):
        return POISON
    truth = is_of(value, kind)
    if truth is not None:
        return Static(truth)
    if isinstance(kind, Static) and isinstance(kind.value, type):
        wrong = errors.WrongValue(c.span(node.subject), what=describe(value), role="matched", why="it has no class")
    else:
        role = "the class of a pattern"
        wrong = errors.WrongValue(c.span(node.kind), what=describe(kind), role=role, why="a class is needed")
    return c.error(wrong)


def positional(c: Context, node: core.Positional) -> Value:
    """What a class's pattern takes a value apart into, at a position."""
    value, kind = c.lower(node.subject), c.lower(node.kind)
    host = kind.value if isinstance(kind, Static) else None
    if isinstance(value, Poison) or not isinstance(host, type):
        return POISON
    if host in PLAIN and node.index == 0:
        return value
    names: tuple[str, ...] = getattr(host, "__match_args__", ())
    if node.index < len(names) and (found := field_of(value, names[node.index])) is not None:
        return found
    if node.index > len(names):
        return POISON  # reported for the first
    listed = ", ".join(f"`{n}`" for n in names)
    what = f"a pattern of {len(names) + 1} values or more" if names else "a pattern with values"
    why = f"it has {listed}" if names else "it has no values by position"
    error = errors.WrongValue(c.span(node), what=what, role=f"a pattern of `{host.__name__}`", why=why)
    return c.error(error.add(error.Instead(f"name what is asked for: `{c.text(node.kind)}(name=value)`")))
