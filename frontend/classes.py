"""What the classes of users' objects say: fields, methods and operators."""

from __future__ import annotations

from enum import Enum
from functools import cached_property
from types import FunctionType
from typing import Final, cast

from freehold.frontend.context import Context
from freehold.frontend.syntax import core
from freehold.frontend.values import (
    RecordValue,
    Static,
    TupleValue,
    Value,
    field_names,
    is_named_tuple,
    is_record_class,
    record_of,
)
from freehold.support.dtypes import DType


def class_of(value: Value) -> type[object] | None:
    """The class of the user's that a value is an object of."""
    if isinstance(value, TupleValue | RecordValue):
        return value.kind
    if isinstance(value, Static) and is_users(kind := type(value.value)):
        return kind
    return None


def is_users(kind: type[object]) -> bool:
    """Whether objects of a class can be part of a kernel: none of them ever changes."""
    return is_record_class(kind) or is_named_tuple(kind) or issubclass(kind, Enum)


def enumeration(value: Value) -> type[Enum] | None:
    """A class of constants, if a value is one."""
    host = value.value if isinstance(value, Static) else None
    return host if isinstance(host, type) and issubclass(host, Enum) else None


def declared_in(kind: type[object], name: str) -> object:
    """What a class says a name is, before any descriptor has acted."""
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)


def getter_of(found: object) -> object:
    """The function behind a property."""
    if isinstance(found, property):
        return found.fget
    return cast("cached_property[object]", found).func if isinstance(found, cached_property) else None


def field_of(value: Value, name: str) -> Value | None:
    """A field of an object by its name; None if it has none of that name."""
    whole = value if isinstance(value, TupleValue) else record_of(value)
    if whole is None or whole.kind is None or name not in (names := field_names(whole.kind)):
        return None
    return whole.items[names.index(name)]


def names_of(value: Value) -> tuple[str, ...]:
    """What of an object a kernel can name: for errors."""
    kind = class_of(value)
    if kind is None:
        return ()
    fields = ("name", "value") if issubclass(kind, Enum) else field_names(kind)
    listed = dict.fromkeys(fields)
    for base in kind.__mro__:
        if base.__module__ not in ("builtins", "enum", "typing"):
            public = (n for n, v in vars(base).items() if not n.startswith("_") and callable(getattr(v, "fget", v)))
            listed |= dict.fromkeys(n for n in public if n not in ("count", "index"))
    return tuple(listed)


def names_of_class(kind: type[object]) -> tuple[str, ...]:
    """What of a class a kernel can name without an object: constants, static and class methods; for errors."""
    found = {name: value for base in reversed(kind.__mro__) for name, value in vars(base).items() if base is not object}
    usable = (*CONSTANTS, staticmethod, classmethod, FunctionType)
    return tuple(name for name, value in found.items() if not name.startswith("_") and isinstance(value, usable))


CONSTANTS: Final = (bool, int, float, str, tuple, Enum)
"""What of a class a kernel reads as it is."""


_OPERATORS: Final = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "<<": "lshift",
    ">>": "rshift",
    "&": "and",
    "|": "or",
    "^": "xor",
    "@": "matmul",
}


_COMPARISONS: Final = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}


_MIRRORED: Final = {"<": "gt", "<=": "ge", ">": "lt", ">=": "le", "==": "eq", "!=": "ne"}


def method_of(value: Value, name: str) -> FunctionType | None:
    """A special method that the user wrote for the class of an object."""
    kind = class_of(value)
    found = None if kind is None or kind is DType else declared_in(kind, name)
    return found if isinstance(found, FunctionType) and found.__code__.co_filename != "<string>" else None


def operator(c: Context, symbol: str, a: Value, b: Value, node: core.Expr) -> Value | None:
    """An operator by a method of the user's; None where neither operand has one."""
    comparing = symbol in _COMPARISONS
    name = _COMPARISONS[symbol] if comparing else _OPERATORS[symbol]
    if (function := method_of(a, f"__{name}__")) is not None:
        return c.inline(function, (a, b), node)
    name = _MIRRORED[symbol] if comparing else f"r{name}"
    if (function := method_of(b, f"__{name}__")) is not None:
        return c.inline(function, (b, a), node)
    return None
