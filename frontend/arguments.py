"""Arguments of calls, bound to parameters as Python does, and read as what a parameter needs them to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from types import FunctionType
from typing import cast

from freehold.frontend import advice_on_calls, errors
from freehold.frontend.advice import Advice
from freehold.frontend.context import Context
from freehold.frontend.intrinsics import Intrinsic
from freehold.frontend.operands import elements, not_constant
from freehold.frontend.schedule import MAX_ELEMENTS
from freehold.frontend.syntax import core
from freehold.frontend.values import (
    Absent,
    Poison,
    Static,
    TileValue,
    TupleValue,
    Value,
    describe,
    is_poison,
    of_host,
    show_shape,
    static_of,
)
from freehold.support import dtypes
from freehold.support.dtypes import DType


class _Required:
    """The default of a parameter that has none."""


REQUIRED = _Required()


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of something that is called: by position or name, by name only, or any number by position."""

    name: str
    positional: tuple[str, ...]
    keywords: tuple[str, ...] = ()
    defaults: tuple[tuple[str, object], ...] = ()
    rest: str | None = None
    """The name of `*rest`."""

    @staticmethod
    def of(function: FunctionType, name: str) -> Signature:
        """The signature of a Python function; its defaults are host values."""
        code = function.__code__
        count = code.co_argcount
        positional = code.co_varnames[:count]
        keywords = code.co_varnames[count : count + code.co_kwonlyargcount]
        given = function.__defaults__ or ()
        defaults = dict(zip(positional[count - len(given) :], given, strict=True)) | (function.__kwdefaults__ or {})
        rest = code.co_varnames[count + len(keywords)] if code.co_flags & 0x04 else None
        return Signature(name, positional, keywords, tuple(defaults.items()), rest)

    @staticmethod
    @cache
    def declared(intrinsic: Intrinsic) -> Signature:
        """The signature of a function of the language."""
        return Signature.of(cast(FunctionType, intrinsic.function), intrinsic.name)

    @staticmethod
    @cache
    def forms(method: Intrinsic) -> tuple[Signature, ...]:
        """The signatures of a method of the language, without what it is called on: one for each way to call it."""
        found = (Signature.of(form, method.name) for form in method.forms)
        return tuple(dict.fromkeys(replace(form, positional=form.positional[1:]) for form in found))

    def takes(self, node: core.Call, count: int) -> bool:
        """Whether a call gives what is needed, and nothing else, by what its arguments are called and how many."""
        by_position = self.positional[:count]
        given = {*by_position, *(k.arg for k in node.keywords)}
        every = {*self.positional, *self.keywords}
        few = self.rest is not None or count <= len(self.positional)
        return few and every - dict(self.defaults).keys() <= given <= every

    @property
    def text(self) -> str:
        """As users would write it."""
        defaults = dict(self.defaults)

        def one(p: str) -> str:
            if p not in defaults:
                return p
            default = defaults[p]
            if default is ... or default is REQUIRED:
                return f"{p}=..."
            shown = str(default) if isinstance(default, (DType, Enum)) else repr(default)
            return f"{p}={shown}"

        parts = [one(p) for p in self.positional]
        if self.rest is not None:
            parts.append("*" + self.rest)
        elif self.keywords:
            parts.append("*")
        return f"{self.name}({', '.join(parts + [one(p) for p in self.keywords])})"


@dataclass(eq=False, slots=True)
class Arguments:
    """The arguments of one call, by parameter. Parameters that were left out have their default's value."""

    node: core.Call
    signature: Signature
    values: dict[str, Value]
    nodes: dict[str, core.Expr]
    rest: tuple[Value, ...] = ()

    def __getitem__(self, name: str) -> Value:
        return self.values[name]

    def place(self, name: str) -> core.Expr:
        """Where the argument stands; the call where it was left out."""
        return self.nodes.get(name, self.node)

    def text(self, c: Context, name: str) -> str:
        """What is written for an argument; its name where it stands in a tuple, `*pair`."""
        return c.text(self.nodes[name]) if name in self.nodes else name

    @property
    def poisoned(self) -> bool:
        """Whether an argument comes of a mistake that is already reported."""
        return is_poison(*self.values.values(), *self.rest)


def bind(
    c: Context,
    node: core.Call,
    signatures: Signature | Sequence[Signature],
    receiver: str = "",
    first: tuple[Value, ...] = (),
) -> Arguments | None:
    """
    Lowers the arguments of a call and binds them; None after reporting that they do not fit.

    Of several signatures the first is taken that the call fits, and the first of all where it fits none. `receiver` is
    what the function's name is shown with; `first` are arguments that stand before those of the call.
    """
    given = [*first, *elements(c, node.args)]
    before = len(first)
    ways = [signatures] if isinstance(signatures, Signature) else signatures
    signature = next((way for way in ways if way.takes(node, len(given))), ways[0])
    named = [(k, c.lower(k.value)) for k in node.keywords]
    values: dict[str, Value] = {}
    nodes: dict[str, core.Expr] = {}

    def wrong(problem: str, place: core.Node, *edits: Advice | None) -> None:
        name = f"{receiver}{signature.name}"
        error = errors.WrongArguments(c.span(place), function=name, problem=problem, signature=signature.text)
        c.error(error.add(*(error.Instead(edit.text, at=edit.at(c)) for edit in edits if edit is not None)))

    plain = not any(isinstance(a, core.Starred) for a in node.args)
    for position, (key, value) in enumerate(zip(signature.positional, given, strict=False)):
        values[key] = value
        if plain and position >= before:
            nodes[key] = node.args[position - before]
    rest = tuple(given[len(signature.positional) :])
    if rest and signature.rest is None:
        place = node.args[len(signature.positional) - before] if plain else node
        most = len(signature.positional) - before
        problem = f"takes {most} argument{'s' * (most != 1)} by position, and is given {len(given) - before}"
        wrong(problem, place, advice_on_calls.too_many(c, node, signature, most) if plain else None)
        return None
    for keyword, value in named:
        key = keyword.arg
        if key not in signature.positional and key not in signature.keywords:
            edits = advice_on_calls.unknown_keyword(c, node, keyword, signature)
            wrong(f"has no parameter `{key}`", keyword, *edits)
            return None
        if key in values:
            wrong(f"is given `{key}` twice", keyword, advice_on_calls.twice(c, node, key, signature.name))
            return None
        values[key] = value
        nodes[key] = keyword.value
    defaults = dict(signature.defaults)
    missing = [p for p in (*signature.positional, *signature.keywords) if p not in values and p not in defaults]
    if missing:
        listed = ", ".join(f"`{m}`" for m in missing)
        wrong(f"needs {listed}", node, advice_on_calls.missing(c, node, signature, missing, nodes))
        return None
    for p, default in defaults.items():
        if p not in values:
            values[p] = of_host(default)
    return Arguments(node, signature, values, nodes, rest)


def misuse(c: Context, a: Arguments, name: str, problem: str, instead: str | Advice | None = None) -> Poison:
    """Reports an argument that a function has no meaning for; `name` is its parameter, or empty for the call."""
    error = errors.WrongArguments(
        c.span(a.place(name)), function=a.signature.name, problem=problem, signature=a.signature.text
    )
    if isinstance(given := a.values.get(name), Absent):
        instead = f"do so where there is one, under `if {given.name} is not None:`"
    if isinstance(instead, Advice):
        error.add(error.Instead(instead.text, at=instead.at(c)))
    elif instead is not None:
        error.add(error.Instead(instead))
    return c.error(error)


# --- What a parameter needs ------------------------------------------------------------------------------------------


def axis_of(c: Context, value: Value, node: core.Expr, rank: int, what: str) -> int | None:
    """An axis of something of rank `rank`, from 0; None after reporting."""
    if isinstance(value, Poison):
        return None
    if not isinstance(value, Static) or not isinstance(value.value, int) or isinstance(value.value, bool):
        not_constant(c, node, value, "an axis")
        return None
    axis = value.value
    if not -rank <= axis < rank:
        axes = (
            "a scalar has none" if rank == 0 else f"its axes are 0 to {rank - 1}" if rank > 1 else "its only axis is 0"
        )
        c.error(errors.NoAxis(c.span(node), what=what, axis=axis, axes=axes))
        return None
    return axis % rank


def ints_of(c: Context, value: Value, node: core.Expr, what: str) -> tuple[int, ...] | None:
    """A tuple of compile-time integers; one alone counts as a tuple of one. None after reporting."""
    items = value.items if isinstance(value, TupleValue) else (value,)
    found: list[int] = []
    nodes = node.elts if isinstance(node, core.Tuple) and len(node.elts) == len(items) else [node] * len(items)
    for item, place in zip(items, nodes, strict=True):
        if isinstance(item, Poison):
            return None
        if not isinstance(item, Static) or not isinstance(item.value, int) or isinstance(item.value, bool):
            not_constant(c, place, item, what)
            return None
        found.append(item.value)
    return tuple(found)


def shape_of(c: Context, value: Value, node: core.Expr) -> tuple[int, ...] | None:
    """A tile's shape; None after reporting that it is none."""
    shape = ints_of(c, value, node, "a shape")
    return None if shape is None or not check_shape(c, shape, node) else shape


def check_shape(c: Context, shape: Sequence[int], node: core.Expr, *, written: bool = True) -> bool:
    """Whether `shape` can be a tile's; reports why not. `written`: the extents are what stands at `node`."""
    for position, extent in enumerate(shape):
        if extent < 1 or extent & (extent - 1):
            single = isinstance(node, core.Tuple) and len(node.elts) == len(shape)
            place = node.elts[position] if isinstance(node, core.Tuple) and single else node
            why = f"{extent} is not a power of two" if extent > 0 else f"{extent} is not positive"
            error = errors.BadShape(c.span(place), shape=show_shape(shape), why=why)
            if extent > 0:
                edit = f"what overhangs is padded, and never stored: take `{1 << extent.bit_length()}`"
            elif extent == 0:
                edit = "a tile has an element along each axis at least: take `1`"
            elif extent == -1:
                edit = "how long a tile is does not follow from the array: take a length, such as `64`"
            else:
                edit = f"take `{1 << (-extent - 1).bit_length()}`"
            exact = written and (single or len(shape) == 1)
            c.error(error.add(error.Instead(edit, at=c.span(place) if exact else None)))
            return False
    count = 1
    for extent in shape:
        count *= extent
    if count > MAX_ELEMENTS:
        error = errors.BadShape(c.span(node), shape=show_shape(shape), why=f"{count} elements are too many for a tile")
        c.error(error.add(error.Instead("take smaller tiles, and loop over them: `for k in fh.tiles(...)`")))
        return False
    return True


def check_pairs(c: Context, dtype: DType, shape: Sequence[int], node: core.Expr) -> bool:
    """Whether a tile of `shape` can hold `dtype`: 4-bit floats are held in pairs. Reports why not."""
    if dtype is not dtypes.f4e2m1fn or any(extent > 1 for extent in shape):
        return True
    error = errors.BadShape(c.span(node), shape=show_shape(shape), why=f"elements of `{dtype}` are held in pairs")
    c.error(error.add(error.Instead("convert a whole tile, or compute in another dtype: `.astype(f16)`")))
    return False


def dtype_of(c: Context, value: Value, node: core.Expr) -> DType | None:
    """A dtype: Freehold's, or one that NumPy, torch or Python calls by a known name. None after reporting."""
    if isinstance(value, Poison):
        return None
    if isinstance(value, Static):
        host = value.value
        if (found := dtypes.understood(host)) is not None:
            return found
        if isinstance(host, str) and (found := dtypes.from_name(host)) is not None:
            why = "dtypes are objects, not text"
            error = errors.WrongValue(c.span(node), what=describe(value), role="a dtype", why=why)
            c.error(error.add(error.Instead(f"write `fh.{found}`", at=c.span(node))))
            return None
    if isinstance(value, TileValue):
        not_constant(c, node, value, "a dtype")
        return None
    why = "a dtype is one of `f32`, `bf16`, `i32`, ..."
    c.error(errors.WrongValue(c.span(node), what=describe(value), role="a dtype", why=why))
    return None


def flag_of(c: Context, value: Value, node: core.Expr, what: str) -> bool | None:
    """A compile-time bool; None after reporting."""
    known = static_of(value)
    if known is not None and isinstance(known[0], bool | int):
        return bool(known[0])
    if not is_poison(value):
        c.error(errors.NotConstant(c.span(node), what=what, why=f"this is {describe(value)}, not `True` or `False`"))
    return None
