"""Objects of the user's classes: frozen dataclasses, named tuples and enumerations, made, read, copied and called."""

from __future__ import annotations

import dataclasses
import difflib
from dataclasses import MISSING, dataclass
from enum import Enum
from functools import cached_property, lru_cache
from types import FunctionType
from typing import Any, cast

from freehold.frontend import errors
from freehold.frontend.arguments import REQUIRED, Signature, bind
from freehold.frontend.classes import CONSTANTS, class_of, declared_in, field_of, getter_of, is_users
from freehold.frontend.context import Context
from freehold.frontend.operands import elements
from freehold.frontend.syntax import core
from freehold.frontend.values import (
    POISON,
    BoundValue,
    Poison,
    Static,
    TupleValue,
    Value,
    describe,
    field_names,
    is_named_tuple,
    of_host,
    record,
    record_of,
    static_of,
)

# --- Making ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Maker:
    """How objects of a class are made: the parameters of its call, and what else is needed."""

    signature: Signature
    factories: tuple[tuple[str, Any], ...]
    """What makes the values of fields that a call leaves out."""
    fixed: tuple[tuple[str, object], ...]
    """Fields that are no parameters."""


@lru_cache(maxsize=1024)
def _maker(kind: type[object]) -> _Maker:
    if is_named_tuple(kind):
        named: Any = kind
        return _Maker(Signature(kind.__name__, field_names(kind), (), tuple(named._field_defaults.items())), (), ())
    positional: list[str] = []
    keywords: list[str] = []
    given: list[tuple[str, object]] = []
    factories: list[tuple[str, Any]] = []
    fixed: list[tuple[str, object]] = []
    for f in dataclasses.fields(cast(Any, kind)):
        if not f.init:
            fixed.append((f.name, f.default))
            continue
        (keywords if f.kw_only else positional).append(f.name)
        if f.default is not MISSING:
            given.append((f.name, f.default))
        elif f.default_factory is not MISSING:
            factories.append((f.name, f.default_factory))
            given.append((f.name, REQUIRED))
    signature = Signature(kind.__name__, tuple(positional), tuple(keywords), tuple(given))
    return _Maker(signature, tuple(factories), tuple(fixed))


@lru_cache(maxsize=1024)
def only_on_host(kind: type[object]) -> str | None:
    """Why objects of a class cannot be made of values of the running kernel; None if they can."""
    if not is_users(kind) or issubclass(kind, Enum):
        return "kernels make no objects"
    if is_named_tuple(kind):
        return None
    own = declared_in(kind, "__init__")
    if not isinstance(own, FunctionType) or own.__code__.co_filename != "<string>":
        return "its `__init__` is written by hand, and runs on the host"
    made = {f.name: f for f in dataclasses.fields(cast(Any, kind))}
    if any(not f.init and f.default is MISSING for f in made.values()):
        return "a field of it is set by code of its own, which runs on the host"
    if any(p not in made for p in Signature.of(own, kind.__name__).positional[1:]):
        return "it has an `InitVar`, which is read on the host"
    return None


def make(c: Context, kind: type[object], node: core.Call) -> Value:
    """`Kind(a, b=c)` for a dataclass or named tuple; made by the host where all that it is made of is known."""
    maker = _maker(kind)
    a = bind(c, node, maker.signature)
    if a is None or a.poisoned:
        return POISON
    known = {name: static_of(value) for name, value in a.values.items()}
    if None not in known.values():
        given = {name: value[0] for name, value in known.items() if value is not None and value[0] is not REQUIRED}
        try:
            return of_host(cast(Any, kind)(**given))
        except Exception as e:
            return c.error(errors.ArithmeticFails(c.span(node), what=f"`{c.text(node)}` cannot be computed: {e}"))
    for name, factory in maker.factories:
        value = a.values[name]
        if isinstance(value, Static) and value.value is REQUIRED:
            a.values[name] = of_host(factory())
    for name, value in maker.fixed:
        a.values[name] = of_host(value)
    made = record(kind, tuple(a.values[name] for name in field_names(kind)))
    after = declared_in(kind, "__post_init__")
    if isinstance(after, FunctionType) and isinstance(c.inline(after, (made,), node), Poison):
        return POISON
    return made


def replaced(c: Context, node: core.Call, first: tuple[Value, ...] = ()) -> Value:
    """`dataclasses.replace(value, a=b)`; of a named tuple `value._replace(a=b)`, whose object is `first`."""
    given = [*first, *elements(c, node.args)]
    named = [(k, c.lower(k.value)) for k in node.keywords]
    if len(given) != 1:
        problem = f"takes one object, and is given {len(given)}"
        signature = "replace(value, *, field=new)"
        return c.error(errors.WrongArguments(c.span(node), function="replace", problem=problem, signature=signature))
    value = given[0]
    if isinstance(value, Poison) or any(isinstance(v, Poison) for _, v in named):
        return POISON
    whole = value if isinstance(value, TupleValue) and value.kind is not None else record_of(value)
    if isinstance(value, Poison) or any(isinstance(v, Poison) for _, v in named):
        return POISON
    if whole is None or whole.kind is None:
        why = "objects of frozen dataclasses have fields"
        return c.error(
            errors.WrongValue(c.span(node), what=describe(value), role="an object whose fields are replaced", why=why)
        )
    names = field_names(whole.kind)
    items = dict(zip(names, whole.items, strict=True))
    for keyword, item in named:
        if keyword.arg not in items:
            known = ", ".join(f"`{n}`" for n in names) or "no fields"
            what = describe(value)
            error = errors.NoAttribute(c.span(keyword), what=what, attribute=str(keyword.arg), known=known)
            if close := difflib.get_close_matches(str(keyword.arg), names, 1):
                error.add(error.Instead(f"write `{close[0]}=`"))
            return c.error(error)
        items[keyword.arg] = item
    return record(whole.kind, tuple(items.values()))


# --- Reading ---------------------------------------------------------------------------------------------------------


def attribute(c: Context, value: Value, attr: str, node: core.Attribute) -> Value | None:
    """A field, property, method or constant of an object; None if it has none of that name."""
    kind = class_of(value)
    if kind is None or attr.startswith("__"):
        return None
    host = value.value if isinstance(value, Static) else None
    if isinstance(host, Enum) and attr in ("name", "value"):
        return of_host(getattr(host, attr))
    if (found := field_of(value, attr)) is not None:
        return found
    return _of_class(c, kind, value, declared_in(kind, attr), attr, node)


def of_class(c: Context, kind: type[object], attr: str, node: core.Attribute) -> Value | None:
    """A member, constant, static or class method of a class itself; None if it has none of that name."""
    if attr.startswith("__"):
        return None
    if issubclass(kind, Enum) and attr in kind.__members__:
        return Static(kind[attr])
    if attr == "_fields" and is_named_tuple(kind):
        return of_host(field_names(kind))
    found = declared_in(kind, attr)
    if isinstance(found, FunctionType):
        return Static(found)
    if isinstance(found, property | cached_property):
        return None
    return _of_class(c, kind, Static(kind), found, attr, node)


def _of_class(
    c: Context, kind: type[object], value: Value, found: object, attr: str, node: core.Attribute
) -> Value | None:
    if isinstance(getter := getter_of(found), FunctionType):
        return c.inline(getter, (value,), node)
    match found:
        case FunctionType():
            return BoundValue(value, found)
        case staticmethod():
            return of_host(cast("staticmethod[..., object]", found).__func__)
        case classmethod():
            function = cast("classmethod[Any, ..., object]", found).__func__
            return BoundValue(Static(kind), function) if isinstance(function, FunctionType) else None
        case _:
            plain = isinstance(found, CONSTANTS) and not attr.startswith("_")
            return of_host(cast(object, found)) if plain else None


# --- Operators -------------------------------------------------------------------------------------------------------
