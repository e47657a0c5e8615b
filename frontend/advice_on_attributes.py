"""Edits for attributes and methods that a value does not have, by what other libraries mean by them."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Final, cast

from typing_extensions import TypeIs

from freehold.frontend import elsewhere
from freehold.frontend.advice import (
    Advice,
    advised,
    call_of,
    chunked,
    extremes,
    in_place,
    line,
    names_here,
    of_function,
    of_misspelling,
    of_tensor,
    tuple_of,
    unread,
)
from freehold.frontend.context import Context
from freehold.frontend.elsewhere import KEYWORDS
from freehold.frontend.intrinsics import intrinsic_of
from freehold.frontend.syntax import core
from freehold.frontend.values import (
    RegionValue,
    Static,
    TensorValue,
    TileValue,
    TupleValue,
    Value,
    field_names,
    is_record_class,
)
from freehold.support import dtypes
from freehold.support.dtypes import DType


def of_attribute(
    c: Context, value: Value, node: core.Attribute, known: Sequence[str], of_tiles: Sequence[str]
) -> Advice | None:
    """What to write for an attribute that `value` does not have. `known` are those it has, `of_tiles` tiles'."""
    name = node.attr
    if name in ("index", "start", "stop") and isinstance(value, TensorValue) and not value.has_place:
        index = ", ".join("ijklmn"[: value.spec.rank])
        return Advice(
            f"the grid has fewer axes than `{value.name}`, so no block has a region of its own: name one, "
            f"`{value.name}.at({index})`, or give the grid as many axes"
        )
    if isinstance(value, Static) and getattr(value.value, "__name__", None) == "freehold":
        if name in elsewhere.NUMBERS:
            return Advice(f"write `{elsewhere.NUMBERS[name]}`", node)
        return of_function(c, name, node) or of_misspelling(c, node, [n for n in names_here() if n[0].islower()])
    kind = value.value if isinstance(value, Static) and isinstance(value.value, type) else None
    if kind is not None and is_record_class(kind) and name in field_names(kind):
        return Advice(f"it is a field of its objects: make one, `{c.text(node.value)}(...).{name}`")
    if name in ("values", "indices") and (pair := extremes(c, node.value)) is not None:
        return Advice(f"`{pair[name == 'indices']}`", node)
    if isinstance(value, TileValue) and ((edit := of_method(c, value, node)) is not None or name in _AXES):
        return edit  # none for axes that are not there, or not said: `t` is no misspelled `T`, whatever is imported
    if isinstance(value, TensorValue) and (value.parameter.mode, name) in elsewhere.OF_TENSORS:
        return Advice(elsewhere.OF_TENSORS[value.parameter.mode, name])
    if isinstance(value, Static) and isinstance(value.value, str) and name == "format":
        return Advice('write the values into the text: `fh.print(f"{x}")`')
    if isinstance(value, Static) and isinstance(value.value, DType) and name == "element_ty":  # of Triton's pointers
        return Advice(f"`{c.text(node.value)}`", node)
    if isinstance(value, RegionValue) and name == "set":  # JAX's
        return Advice(f"`{c.text(node.value)}.store`", node)
    if isinstance(value, TupleValue) and name == "append":
        return _appended(c, node)
    if (edit := of_misspelling(c, node, known)) is not None:
        return edit
    if name in ("size", "numel") and isinstance(value, TensorValue):
        return _extents(c, value, node)
    if name == "at" and isinstance(value, TileValue):  # JAX's
        return Advice("make a new tile: `t.insert(i, value)`, or `fh.where(condition, new, t)`")
    if name in elsewhere.OF_VALUES and isinstance(value, TileValue | TensorValue):
        return Advice(elsewhere.OF_VALUES[name])
    if isinstance(value, TensorValue) and name in of_tiles:
        if (other := unread(value)) is not None:
            return Advice(other)
        tile = of_tensor(c, value, node.value)
        whole = name in ("T", "astype") and tile.place is not None
        return Advice(f"load a tile first: `{tile.text}.{name}`", node if whole else None)
    if isinstance(value, TensorValue) and name in ("start", "stop") and value.position is None:
        return Advice(f"give `{value.name}` a partition at launch, and it says where this point's tile is")
    return None


def _extents(c: Context, tensor: TensorValue, node: core.Attribute) -> Advice | None:
    """An extent, for torch's `x.size(i)`, or how many elements there are: `x.size`, `x.numel()`."""
    call, shape = call_of(c, node), f"{c.primary(node.value)}.shape"
    place = node if call is None else call
    if call is not None and (call.args or call.keywords):
        given = [line(c, a) for a in call.args]
        return Advice(f"`{shape}[{given[0]}]`", call) if len(given) == 1 and not call.keywords else None
    code = " * ".join(f"{shape}[{axis}]" for axis in range(tensor.spec.rank))
    return Advice(f"multiply the extents: `{in_place(c, place, code)}`" if " " in code else f"`{code}`", place)


def _appended(c: Context, node: core.Attribute) -> Advice | None:
    """A longer tuple under the same name, for the statement `items.append(value)`."""
    call = call_of(c, node)
    alone = any(isinstance(n, core.Evaluate) and n.value is call for n in c.frame.nodes)
    if call is None or not alone or len(call.args) != 1:
        return None
    return Advice(f"make a longer one: `{c.text(node.value)} += ({line(c, call.args[0])},)`", call)


def of_method(c: Context, value: TileValue, node: core.Attribute) -> Advice | None:
    """What to write for a method that tiles of other libraries have, with the arguments it is called with."""
    if isinstance(node.value, core.Name) and node.value.id in c.renamed and node.attr in ("store", "at", "index"):
        return Advice(f"give the tile another name: `{node.value.id}` is the tensor until it is assigned")
    call = call_of(c, node)
    if call is not None and node.attr[-1:] == "_" and node.attr[:1] != "_" and node.attr not in _NOTHING_TO_DO:
        return _in_place_method(c, value, node, call)
    return _of_method(c, value, node, call)


def _in_place_method(c: Context, value: TileValue, node: core.Attribute, call: core.Call) -> Advice | None:
    """torch's methods that change what they are called on: what computes the same, under the same name."""
    found = _of_method(c, value, replace(node, attr=node.attr[:-1]), call)
    if found is None or found.place is None:
        return found
    *words, code, end = found.text.split("`")
    place = next((n.value for n in c.frame.nodes if _calls_on(n, call)), None)
    if place is None or not isinstance(node.value, core.Name):
        return Advice("a tile stays what it is: " + "`".join((*words, code, end)), call)
    whole = line(c, place).replace(line(c, call), code, 1)
    return Advice("a tile stays what it is: " + "`".join((*words, f"{node.value.id} = {whole}", end)), place)


def _calls_on(node: core.Node, call: core.Call) -> TypeIs[core.Evaluate]:
    """Whether a statement is nothing but a call, and methods that are called on what it returns."""
    at = node.value if isinstance(node, core.Evaluate) else None
    while at is not call and isinstance(at, core.Call) and isinstance(at.func, core.Attribute):
        at = at.func.value
    return at is call


def _of_method(c: Context, value: TileValue, node: core.Attribute, call: core.Call | None) -> Advice | None:
    place = node if call is None else call
    code = _method(c, value, node, call)
    if code is not None:
        return Advice(f"{_WORDS.get(node.attr, '')}`{in_place(c, place, code)}`", place)
    if node.attr in elsewhere.EDITS:
        args = [node.value, *(call.args if call is not None else ())]
        return advised(c, elsewhere.EDITS[node.attr], call, args)
    if call is not None and node.attr in _functions():
        given = [line(c, node.value), *(line(c, a) for a in call.args)]
        given += [f"{k.arg}={line(c, k.value)}" for k in call.keywords]
        return Advice(f"`fh.{node.attr}({', '.join(given)})`", call)
    return None


_NOTHING_TO_DO: Final = ("contiguous", "detach", "clone", "cpu", "cuda", "numpy", "requires_grad_", "copy")
"""Methods of other libraries that change nothing about a tile."""


_WORDS: Final = {
    "store": "a store is a method of the tensor: ",
    "mean": "divide the sum: ",
    **dict.fromkeys(_NOTHING_TO_DO, "leave it out, a tile is a value: "),
}


_CONVERSIONS: Final = {
    "float": "f32",
    "half": "f16",
    "bfloat16": "bf16",
    "double": "f64",
    "int": "i32",
    "long": "i64",
    "short": "i16",
    "bool": "bool_",
}


def _is_memory(c: Context, node: core.Expr) -> bool:
    """Whether something is stored to by this expression, as far as it can be told without typing it again."""
    name = node.func.value if isinstance(node, core.Call) and isinstance(node.func, core.Attribute) else node
    return isinstance(name, core.Name) and isinstance(c.frame.variables.get(name.id), TensorValue | RegionValue)


def _method(c: Context, value: TileValue, node: core.Attribute, call: core.Call | None) -> str | None:
    """The code for a method that only tiles have."""
    text = c.primary(node.value)
    given = [] if call is None or call.keywords else [line(c, a) for a in call.args]
    match node.attr:
        case "to" | "type" | "cast" if len(given) == 1:
            return f"{text}.astype({given[0]})"
        case name if name in _CONVERSIONS and call is not None and not given:
            return f"{text}.astype(fh.{_CONVERSIONS[name]})"
        case "store" if call is not None and len(given) == 1 and _is_memory(c, call.args[0]):
            return f"{given[0]}.store({line(c, node.value)})"
        case "view" if call is not None and len(given) == 1 and _is_dtype(c, call.args[0]):
            return f"fh.bitcast({c.text(node.value)}, {given[0]})"
        case name if name in _NOTHING_TO_DO and call is not None:
            return c.text(node.value)
        case "view" | "expand" if given and call is not None:
            shape = given[0] if isinstance(call.args[0], core.Tuple) else tuple_of(given)
            return (
                f"{text}.reshape({shape})" if node.attr == "view" else f"fh.broadcast_to({c.text(node.value)}, {shape})"
            )
        case "chunk" if call is not None:
            return chunked(c, value, text, call, call.args)
        case "mean" if call is not None:
            return _mean(c, value, text, call)
        case name if name in _AXES:
            axes = _moved(c, node.attr, len(value.shape), [] if call is None else call.args)
            if axes is None:
                return None
            return f"{text}.T" if axes == [1, 0] else f"{text}.permute{tuple(axes)}"
        case _:
            return None


def _is_dtype(c: Context, node: core.Expr) -> bool:
    """Whether an expression names a dtype, of ours or of another library."""
    before = len(c.errors)
    value = c.lower(node)
    del c.errors[before:]  # which were found as the call was read
    named = value.value if isinstance(value, Static) else None
    return dtypes.understood(named) is not None or dtypes.from_name(c.text(node)) is not None


_AXES: Final = ("swapaxes", "moveaxis", "movedim", "mT", "t")
"""Methods of other libraries that put axes in another order."""


def _moved(c: Context, name: str, rank: int, args: Sequence[core.Expr]) -> list[int] | None:
    """The axes in the order in which a method of other libraries puts them; None where that is not known."""
    try:
        at = [int(literal_eval(c.text(a))) % rank for a in args]
    except (ValueError, TypeError, ZeroDivisionError):
        return None
    axes = list(range(rank))
    if name in ("mT", "t") and not at and rank >= 2 and (name == "mT" or rank == 2):
        at = [rank - 2, rank - 1]
    elif name in ("mT", "t") or len(at) != 2:
        return None
    if name in ("moveaxis", "movedim"):
        axes.insert(at[1], axes.pop(at[0]))
    else:
        axes[at[0]], axes[at[1]] = axes[at[1]], axes[at[0]]
    return axes


def _functions() -> tuple[str, ...]:
    """Functions that take a tile first, and are no methods."""
    import freehold

    return tuple(name for name in dir(freehold) if _first_parameter(getattr(freehold, name)) == "x")


def _first_parameter(function: object) -> str | None:
    declared = intrinsic_of(function)
    names = () if declared is None else declared.function.__code__.co_varnames
    return next(iter(names), None)


def _mean(c: Context, value: TileValue, text: str, call: core.Call) -> str | None:
    """The sum along the axes of a mean, divided by the number of summands."""
    named = {KEYWORDS.get(k.arg or "", k.arg or ""): k.value for k in call.keywords}
    if named.keys() - {"axis", "keepdims"} or len(call.args) > 1:
        return None
    axis = call.args[0] if call.args else named.get("axis")
    rank = len(value.shape)
    try:
        chosen: object = tuple(range(rank)) if axis is None else literal_eval(c.text(axis))
        axes = {a % rank for a in cast("tuple[int, ...]", chosen if isinstance(chosen, tuple) else (chosen,))}
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    summands = prod(value.shape[a] for a in axes)
    parts = [] if axis is None else [f"axis={c.text(axis)}"]
    parts += [f"keepdims={c.text(named['keepdims'])}"] if "keepdims" in named else []
    return f"{text}.sum({', '.join(parts)}) / {summands}"
