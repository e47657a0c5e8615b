"""Edits for calls whose arguments do not fit: how the call is written with the same arguments."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from freehold.frontend import elsewhere
from freehold.frontend.advice import Advice, element_of, in_place, line
from freehold.frontend.context import Context
from freehold.frontend.syntax import core
from freehold.frontend.syntax.text import number_in
from freehold.frontend.values import TensorValue, TileValue, padding_named
from freehold.support import dtypes
from freehold.support.lazy import Lazy
from freehold.support.spelling import nearest


class Parameters(Protocol):
    """What is known of what is called."""

    @property
    def name(self) -> str: ...

    @property
    def positional(self) -> tuple[str, ...]: ...

    @property
    def keywords(self) -> tuple[str, ...]: ...


def too_many(c: Context, node: core.Call, signature: Parameters, taken: int) -> Advice | None:
    """More arguments by position than the `taken` first."""
    name, texts = c.text(node.func), [line(c, a) for a in node.args]
    if any(isinstance(a, core.Starred) for a in node.args):
        return None
    if signature.name == "tiles":
        return of_tiles(c, node)
    if (whole := of_shape(c, node, signature.name)) is not None:
        return whole
    if signature.name == "store":
        return Advice(f"leave out the index, a block stores to its own region: `{name}({texts[-1]})`")
    if signature.name == "load" and not node.keywords and not isinstance(node.args[0], core.Tuple):
        *index, shape = texts
        return Advice(f"put the index in brackets: `{name}(({', '.join(index)}), {shape})`", node)
    if signature.name in ("maximum", "minimum", "add", "multiply") and taken == 2 and not node.keywords:
        whole = texts[0]
        for text in texts[1:]:
            whole = f"{name}({whole}, {text})"
        return Advice(f"one after the other: `{whole}`", node)
    free = [k for k in signature.keywords if k not in {given.arg for given in node.keywords}]
    if len(texts) - taken > len(free):
        if signature.name in _SHAPED and _typed(texts[:taken]) != [False] * (taken - 1) + [True]:
            return _in_order(c, node, signature.name)
        kept = ", ".join([*texts[:taken], *(line(c, k) for k in node.keywords)])
        more = len(texts) - taken
        what = "the last argument" if more == 1 else f"the last {more} arguments"
        return Advice(f"leave out {what} by position: `{name}({kept})`", node)
    extra = [f"{k}={text}" for k, text in zip(free, texts[taken:], strict=False)]
    call = ", ".join([*texts[:taken], *extra, *(line(c, k) for k in node.keywords)])
    return Advice(f"name {'it' if len(extra) == 1 else 'them'}: `{name}({call})`", node)


_SHAPED: Final = ("zeros", "ones", "full")
"""Functions that take a shape first, and a dtype last."""


def _typed(texts: Sequence[str]) -> list[bool]:
    """Which arguments are dtypes, as far as their text tells."""
    return [t.endswith(".dtype") or dtypes.from_name(t.rpartition(".")[2]) is not None for t in texts]


def _in_order(c: Context, node: core.Call, name: str) -> Advice | None:
    """`zeros(f32, 4, 128)`: all extents as one shape, and then the dtype. None where it is not clear which is which."""
    typed = _typed([line(c, a) for a in node.args])
    if name == "full" or typed.count(True) != 1 or node.keywords:
        return None
    extents = [a for a, is_dtype in zip(node.args, typed, strict=True) if not is_dtype]
    inside = [e for a in extents for e in (a.elts if isinstance(a, core.Tuple) else (a,))]
    call = f"(({', '.join(line(c, e) for e in inside)}), {line(c, node.args[typed.index(True)])})"
    return Advice(f"one shape, and then the dtype: `{c.text(node.func)}{call}`", node)


def twice(c: Context, node: core.Call, key: str, name: str) -> Advice:
    """An argument by its name that is given by position, too, or for a second time."""
    whole = of_shape(c, node, name)
    return Advice(f"leave out the one by its name: `{_without(c, node, key)}`", node) if whole is None else whole


def of_shape(c: Context, node: core.Call, name: str) -> Advice | None:
    """`zeros(4, 128)`: the extents as one shape. None where no more than one is given by position."""
    if name not in _SHAPED or any(isinstance(a, core.Starred) for a in node.args):
        return None
    texts = [line(c, a) for a in node.args]
    typed = _typed(texts)
    count = len(texts) - typed[-1:].count(True) - (name == "full")
    if count < 2 or any(typed[:count]) or any(isinstance(a, core.Tuple) for a in node.args[:count]):
        return None
    call = ", ".join([f"({', '.join(texts[:count])})", *texts[count:], *(line(c, k) for k in node.keywords)])
    return Advice(f"put the shape in brackets: `{c.text(node.func)}({call})`", node)


def unknown_keyword(c: Context, node: core.Call, keyword: core.Keyword, signature: Parameters) -> list[Advice]:
    """An argument for a parameter that there is not."""
    known, key, text = (*signature.positional, *signature.keywords), keyword.arg, line(c, keyword.value)
    if key == "mask" and signature.name in _LOADS:
        other = next((k for k in node.keywords if k.arg == "other"), None)
        kept = _without(c, node, "mask", "other")
        value = "0" if other is None else line(c, other.value)
        chosen = in_place(c, node, f"fh.where({text}, {kept}, {value})")
        return [Advice(f"choose among the elements: `{chosen}`", node), Advice(_OVERHANG)]
    if key == "mask" and signature.name == "store":
        return [Advice(_KEPT), Advice(_OVERHANG)]
    if key == "dtype" and _gives_tiles(node, signature):
        return [_converted(c, node, text, signature)]
    if key == "index" and signature.name == "store":
        return [Advice(f"each block stores to its own region: `{_without(c, node, key)}`", node)]
    if key == "return_indices" and signature.name in ("max", "min") and (pair := _with_places(c, node, key)):
        return [Advice(f"ask for each: `{pair}`", node)]
    meant = elsewhere.KEYWORDS.get(key)
    if meant not in known:
        meant = nearest(key, known)
    elif meant == "padding":
        padding = padding_named(c.lower(keyword.value))
        if padding is None:
            return [Advice('pad with one of `"zero"`, `"-inf"`, `"inf"` and `"nan"`, and choose others by `fh.where`')]
        return [Advice(f'write `padding="{padding}"`', keyword)]
    return [] if meant is None else [Advice(f"write `{meant}={text}`", keyword)]


def _with_places(c: Context, node: core.Call, key: str) -> str:
    """Triton's `max(t, axis=1, return_indices=True)`: a tuple of the extremes and their places."""
    whole, function = _without(c, node, key), c.text(node.func)
    before = function[:-3]
    return f"({whole}, {before}arg{function[-3:]}{whole[len(function) :]})"


_OVERHANG: Final = "if it is to keep out what overhangs the tensor, leave it out: that is padded, and never stored"
_KEPT: Final = (
    "to keep the other elements as they are, declare the tensor as `Mut`, and store `fh.where(mask, tile, y.load())`"
)


_LOADS: Final = ("load", "load_like", "load_from")
_MAKE_TILES: Final = tuple(Lazy(f"freehold.frontend.language.{name}") for name in ("elementwise", "folds", "shapes"))
_MAKE_OTHERS: Final = ("reduce", "scan", "top_k")


def _gives_tiles(node: core.Call, signature: Parameters) -> bool:
    """Whether a call is one of the language's, and gives a tile or a scalar: Python has functions of the same names."""
    pythons = isinstance(node.func, core.Name) and hasattr(builtins, signature.name)
    update = signature.positional == ("tile",)  # of an accumulator
    made = signature.name in (*_LOADS, "gather") or any(signature.name in module.__all__ for module in _MAKE_TILES)
    return made and signature.name not in _MAKE_OTHERS and not pythons and not update


def _without(c: Context, node: core.Call, *names: str) -> str:
    """A call without the arguments for some parameters."""
    left = [line(c, a) for a in (*node.args, *(k for k in node.keywords if k.arg not in names))]
    return f"{c.text(node.func)}({', '.join(left)})"


def _converted(c: Context, node: core.Call, dtype: str, signature: Parameters) -> Advice:
    """NumPy's `dtype=`: of what a reduction combines, and else of what comes out."""
    first = next(iter(node.args), None)
    if signature.positional[:1] != ("x",) and isinstance(node.func, core.Attribute):
        first = node.func.value
    if signature.name in ("sum", "prod", "cumsum", "cumprod") and first is not None:
        kept = _without(c, node, "dtype")
        return Advice(f"convert: `{kept.replace(line(c, first), f'{c.primary(first)}.astype({dtype})', 1)}`", node)
    return Advice(f"convert: `{_without(c, node, 'dtype')}.astype({dtype})`", node)


def missing(
    c: Context, node: core.Call, signature: Parameters, names: Sequence[str], given: Mapping[str, core.Expr]
) -> Advice | None:
    """Arguments that a call needs, and does not have."""
    texts, name = [line(c, a) for a in node.args], signature.name
    if names == ["dtype"]:
        return Advice(f"name the dtype: `{c.text(node.func)}({', '.join([*texts, 'f32'])})`")
    if name == "mma" and names == ["acc"] and len(texts) == 2:
        return Advice(
            f"begin at zero: `{in_place(c, node, f'{c.primary(node.args[0])} @ {c.primary(node.args[1])}')}`", node
        )
    if name in ("reduce", "scan") and names == ["identity"] and len(texts) == 2:
        first, second = node.args
        tile, function = (second, first) if isinstance(first, core.Lambda) else (first, second)
        call = f"{c.text(node.func)}({line(c, tile)}, {line(c, function)}, 0)"
        return Advice(f"give what changes nothing, as 0 for a sum: `{call}`")
    if name == "tiles" and node.args:
        return of_tiles(c, node)
    if name == "store" and names == ["tile"]:
        return Advice(f"say what is stored: `{c.text(node.func)}(tile)`")
    if name == "unsafe":
        return Advice('say why it is right: `with fh.unsafe("blocks take tickets, so no two get one slot"):`')
    if name == "clip" and names in (["high"], ["low"]) and isinstance(node.func, core.Attribute):
        method = signature.positional[0] == "low"
        tile = c.text(node.func.value) if method else texts[0]
        bound = next(line(c, given[p]) for p in ("low", "high") if p in given)
        return Advice(f"one bound is `fh.{'maximum' if names == ['high'] else 'minimum'}({tile}, {bound})`", node)
    if name == "where" and names in (["x", "y"], ["y"]) and len(texts) == 3 - len(names):
        chosen = ", ".join((*texts, "1", "0")[:2] if names == ["x", "y"] else texts)
        return Advice(f"say what to choose from: `{c.text(node.func)}({chosen}, 0)`")
    if name == "load" and names == ["shape"] and len(texts) == 1 and isinstance(node.func, core.Attribute):
        place, read = c.lower(node.args[0]), c.lower(node.func.value)
        vector = isinstance(read, TensorValue) and read.parameter.mode == "ref" and read.spec.rank == 1
        if vector and isinstance(place, TileValue) and place.shape:
            call = f"{c.text(node.func.value)}.gather({', '.join([*texts, *(line(c, k) for k in node.keywords)])})"
            return Advice(f"elements at places of their own are gathered: `{call}`", node)
        if isinstance(read, TensorValue) and (element := element_of(read)) is not None:
            return Advice(f"a scalar has no axes: `{element}`", node)
        tensor, dot, attribute = texts[0].rpartition(".")
        at = dot and attribute == "index"
        shape = f"{tensor}.tile" if at else "shape"
        call = f"{c.text(node.func)}({', '.join([*texts, shape, *(line(c, k) for k in node.keywords)])})"
        return Advice(f"say how much is loaded: `{call}`", node if at else None)
    return None


def of_tiles(c: Context, node: core.Call) -> Advice:
    """A call of `tiles` with its arguments named; an edit where the axis and the size were given in some way."""
    first = node.args[0]
    given = {k.arg: line(c, k.value) for k in node.keywords}
    by_position = [line(c, a) for a in node.args[1:]]
    tensor = line(c, first)
    if isinstance(first, core.Subscript) and isinstance(first.value, core.Attribute) and first.value.attr == "shape":
        tensor = c.text(first.value.value)
        if "size" not in given and not by_position and "axis" in given:
            given["size"] = given.pop("axis")
        given["axis"] = line(c, first.slice)
    read = c.frame.variables.get(tensor)
    if len(by_position) == 1 and "size" not in given and isinstance(read, TensorValue):
        number = number_in(by_position[0])
        if (
            number is None or not -read.spec.rank <= number < read.spec.rank
        ):  # it is no axis, so it is how long tiles are
            given["size"] = by_position.pop()
    for name in ("axis", "size", "start", "stop", "step"):
        if name not in given and by_position:
            given[name] = by_position.pop(0)
    whole = "axis" in given and "size" in given and not by_position
    order = {"axis": given.pop("axis", "0"), "size": given.pop("size", "64"), **given}
    call = ", ".join([tensor, *(f"{k}={v}" for k, v in order.items())])
    return Advice(f"say which: `fh.tiles({call})`", node if whole else None)
