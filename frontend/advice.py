"""Edits for those who come from NumPy, torch, Triton or cuTile: what to write instead of what they wrote."""

from __future__ import annotations

import inspect
import sys
from ast import literal_eval
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from types import FunctionType
from typing import cast

from freehold.frontend import elsewhere
from freehold.frontend.context import Context
from freehold.frontend.elsewhere import KEYWORDS, Foreign
from freehold.frontend.intrinsics import intrinsic_of
from freehold.frontend.syntax import core
from freehold.frontend.syntax.text import fits, is_comparison, items, number_in, primary
from freehold.frontend.values import (
    POISON,
    BoundValue,
    ClosureValue,
    Frame,
    MethodValue,
    ReplaceValue,
    Static,
    TensorValue,
    TileValue,
    TupleValue,
    Value,
    is_number,
)
from freehold.support import dtypes
from freehold.support.span import Span
from freehold.support.spelling import nearest


def _variables(c: Context) -> Iterator[Value]:
    frame: Frame | None = c.frame
    while frame is not None:
        yield from frame.variables.values()
        frame = frame.outer


def _region_like(c: Context, rank: int, dims: tuple[str, ...] | None = None) -> str | None:
    """A tensor of the kernel that each block has a region of, with as many axes, the one of equal extents first."""
    found = [v for v in _variables(c) if isinstance(v, TensorValue) and v.region is not None and v.spec.rank == rank]
    same = [v.name for v in found if v.parameter.dims == dims]
    return same[0] if same else found[0].name if found else None


def at_same_place(c: Context, tensor: TensorValue) -> str | None:
    """A tensor that each block has a region of, and whose extents are declared to be those of `tensor`."""
    like = _region_like(c, tensor.spec.rank, tensor.parameter.dims)
    names = (v.parameter.dims for v in _variables(c) if isinstance(v, TensorValue) and v.name == like)
    return like if like is not None and tensor.parameter.dims is not None and tensor.parameter.dims in names else None


def tuple_of(parts: list[str]) -> str:
    """A tuple of some texts."""
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def load_of(c: Context, tensor: TensorValue) -> str:
    """A load from a tensor: at the block's own place where there is one."""
    if tensor.parameter.mode != "ref":
        return f"{tensor.name}.load()"
    dims = tensor.parameter.dims
    like = at_same_place(c, tensor) if dims is not None else _region_like(c, tensor.spec.rank)
    return f"{tensor.name}.load(index, shape)" if like is None else f"{tensor.name}.load_like({like})"


def element_of(tensor: TensorValue) -> str | None:
    """How the one element is read of a tensor that is declared to have one; None for others."""
    dims = tensor.parameter.dims
    if tensor.parameter.mode != "ref" or not dims or any(d != "1" for d in dims):
        return None
    return f"{tensor.name}.load({tuple_of(['0'] * len(dims))}, ())"


def of_place(c: Context, tensor: TensorValue, like: TensorValue, node: core.Node) -> Advice:
    """A load at the place of a tensor with other axes: along those axes of it that have the same names."""
    call = next((n for n in _parents(c, node) if isinstance(n, core.Call)), None)
    dims, others = tensor.parameter.dims or (), like.parameter.dims or ()
    axes = [others.index(d) for d in dims if others.count(d) == 1]
    whole = like.position is not None and len(like.position.index) == len(others)
    if call is None or not whole or not axes or len(axes) < len(dims) or sorted(set(axes)) != axes:
        return Advice(f"name the index and the shape: `{tensor.name}.load(index, shape)`")
    index, shape = (tuple_of([f"{like.name}.{of}[{axis}]" for axis in axes]) for of in ("index", "tile"))
    more = "" if axes[-1] == len(others) - 1 else f"[{', '.join(':' if d in dims else 'None' for d in others)}]"
    code = f"{tensor.name}.load({index}, {shape}){more}"
    return Advice(f"load along the axes that both have: `{code}`", call)


def unread(tensor: TensorValue) -> str | None:
    """What to do instead of a load, where nothing of a tensor is loaded."""
    return elsewhere.OF_TENSORS.get((tensor.parameter.mode, "load"))


def of_tensor(c: Context, tensor: TensorValue, node: core.Node) -> Advice:
    """A tile to compute with instead of a tensor: an edit where the tensor is cut as one that the block writes."""
    if (element := element_of(tensor)) is not None:
        return Advice(element, node if isinstance(node, core.Expr) else None)
    meant = tensor.parameter.mode != "ref" or at_same_place(c, tensor) is not None
    return Advice(load_of(c, tensor), node if meant and isinstance(node, core.Expr) else None)


def of_subscript(c: Context, tensor: TensorValue, node: core.Subscript) -> Advice:
    """
    A load instead of a subscript of a tensor.

    All of it is this block's part of it, and tiles for indices are those of a gather. Another index counts elements,
    and one of a load counts tiles: no edit.
    """
    index, rank = c.text(node.slice), tensor.spec.rank
    parts = node.slice.elts if isinstance(node.slice, core.Tuple) else [node.slice]
    given = POISON if any(isinstance(part, core.Slice) for part in parts) else c.lower(node.slice)
    among = given.items if isinstance(given, TupleValue) else (given,)
    if tensor.parameter.mode == "ref" and any(isinstance(v, TileValue) and v.shape for v in among):
        return Advice(f"{tensor.name}.gather({Written(index):*})", node if len(among) == rank else None)
    numbers = [v.value if isinstance(v, Static) else None for v in among]
    if tensor.parameter.mode == "ref" and len(among) == rank and all(isinstance(n, int) and n >= 0 for n in numbers):
        return Advice(f"{tensor.name}.load({tuple_of([str(n) for n in numbers])}, ())", node)
    if all(part in (":", "...") for part in index.replace(" ", "").split(",")):
        return of_tensor(c, tensor, node)
    if tensor.region is None and at_same_place(c, tensor) is None and ":" not in index and index.count(",") == rank - 1:
        return Advice(f"{tensor.name}.load({f'({index},)' if rank == 1 else f'({index})'}, {shape_like(c, rank)})")
    return Advice(load_of(c, tensor))


def conditional(c: Context, node: core.Attribute) -> core.Stmt | None:
    """The statement that something is asked of a value in, where all of it may stand under a condition: `t += x.load()`
    or a method alone, in one line. None for others."""
    for found in c.frame.nodes:
        if not isinstance(found, core.Evaluate | core.Assign) or "\n" in c.text(found):
            continue
        value = found.value
        if isinstance(found, core.Evaluate) and isinstance(value, core.Call) and value.func is node:
            return found
        if isinstance(value, core.BinOp) and value.augmented and node in core.walk(value.right):
            return found
    return None


def extremes(c: Context, node: core.Expr) -> tuple[str, str] | None:
    """
    The largest or smallest along an axis, and their places: torch's `max` and `min` are pairs of these.

    None where `node` is no such call.
    """
    named = core.Attribute | core.Name
    if not isinstance(node, core.Call) or not isinstance(node.func, named):
        return None
    function, whole = c.text(node.func), line(c, node)
    before, name = function[:-3], function[-3:]
    along = any(k.arg == "axis" for k in node.keywords) or len(node.args) > (before in ("", "fh."))
    if name not in ("max", "min") or (before and before[-1] != ".") or not along or not whole.startswith(function):
        return None
    return whole, f"{before}arg{name}{whole[len(function) :]}"


def chunked(c: Context, tile: TileValue, text: str, call: core.Call, args: Sequence[core.Expr]) -> str | None:
    """torch's `chunk`: so many parts of a tile along an axis, as slices of it; None where they are not equal."""
    given = dict(zip(("chunks", "axis"), (line(c, a) for a in args), strict=False))
    given |= {KEYWORDS.get(k.arg or "", k.arg or ""): line(c, k.value) for k in call.keywords}
    count, axis = number_in(given.get("chunks", "")), number_in(given.get("axis", "0"))
    rank = len(tile.shape)
    if not isinstance(count, int) or not isinstance(axis, int) or not -rank <= axis < rank or count < 1:
        return None
    extent = tile.shape[axis % rank]
    each, before = extent // count, ":, " * (axis % rank)
    if each * count != extent:
        return None
    ends = [(n * each or "", (n + 1) * each if n < count - 1 else "") for n in range(count)]
    return tuple_of([f"{text}[{before}{start}:{stop}]" for start, stop in ends])


def stacked(c: Context, call: core.Call) -> Advice | None:
    """torch's and NumPy's `stack`: a new axis in each tile, along which they are joined."""
    texts = _arguments(c, Foreign("x, axis=0", "{x}{axis}"), call, call.args)
    if texts is None:
        return None
    tiles, axis = items(f"({texts['x'][1:-1]})"), str(texts["axis"])
    if tiles is None or axis not in ("0", "1", "2", "-1"):
        return None
    place = "..., None" if axis == "-1" else ":, " * int(axis) + "None"
    joined = f"fh.concatenate({tuple_of([f'{primary(t)}[{place}]' for t in tiles])}, axis={axis})"
    return Advice(f"join them along a new axis: `{in_place(c, call, joined)}`", call)


def of_misspelling(c: Context, node: core.Attribute, known: Sequence[str]) -> Advice | None:
    """The name of `known` that is meant, if what was written is no name of its own in other libraries."""
    libraries = (sys.modules.get(m) for m in ("math", "numpy", "torch", "jax.numpy", "triton.language", "cuda.tile"))
    other = None if any(hasattr(m, node.attr) for m in libraries if m is not None) else nearest(node.attr, known)
    return None if other is None else Advice(f"write `{c.text(node.value)}.{other}`", node)


def names_here() -> list[str]:
    """What a star import brings."""
    import freehold

    return freehold.__all__


def shape_like(c: Context, rank: int) -> str:
    """A shape of a tile with `rank` axes."""
    like = _region_like(c, rank)
    return f"{like}.tile" if like is not None else tuple_of(["64"] * rank)


class Written(str):
    """The text of an argument, which an edit puts in a place of its own: see `elsewhere.Foreign`."""

    __slots__ = ("name",)
    name: str

    @classmethod
    def of(cls, name: str, text: str) -> Written:
        """The argument `name`; without a text if it was left out."""
        made = cls(text)
        made.name = name
        return made

    def __format__(self, spec: str) -> str:
        text = str(self)
        match spec:
            case "p":
                return primary(text)
            case "t":
                return f"({text})" if is_comparison(text) else f"({primary(text)} != 0)"
            case ",":
                return f", {self.name}={text}" if text else ""
            case "+":
                return f" + {primary(text)}" if text else ""
            case "*":
                return ", ".join(items(text) or [text])
            case _:
                return text


@dataclass(frozen=True)
class Advice:
    """What to write instead: words with code in them, and the expression that the code replaces, if it is whole."""

    text: str
    place: core.Node | None = None

    def at(self, c: Context) -> Span | None:
        """Where the code goes."""
        return None if self.place is None else c.span(self.place)


def of_function(c: Context, name: str, node: core.Expr | None = None) -> Advice | None:
    """What to write for a name that another library's module has, with the arguments of the call that `node` names."""
    call = call_of(c, node)
    library = c.text(node).split(".")[0] if node is not None else ""
    if name == "stack" and call is not None and (edit := stacked(c, call)) is not None:
        return edit
    tile = c.frame.variables.get(c.text(call.args[0])) if call is not None and call.args else None
    if name == "chunk" and call is not None and isinstance(tile, TileValue):
        code = chunked(c, tile, c.primary(call.args[0]), call, call.args[1:])
        return None if code is None else Advice(f"take its parts: `{in_place(c, call, code)}`", call)
    foreign = elsewhere.EDITS.get(f"{library}.{name}", elsewhere.EDITS.get(name))
    if foreign is not None:
        return advised(c, foreign, call, [] if call is None else call.args)
    dtype = dtypes.from_name(name)
    return None if dtype is None else Advice(f"write `fh.{dtype}`", node)


def of_library(c: Context, node: core.Name) -> Advice | None:
    """What to write for what is asked of a name that is undefined, and that other libraries' modules are known by."""
    import freehold

    asked: core.Node = node
    while (outers := [n for n in _parents(c, asked) if isinstance(n, core.Attribute)]) and node.id in elsewhere.MODULES:
        asked = outers[0]
    if not isinstance(asked, core.Attribute):
        return None
    if intrinsic_of(getattr(freehold, asked.attr, None)) is not None:
        return Advice(f"use Freehold's: `fh.{asked.attr}`", asked)
    return of_function(c, asked.attr, asked)


def _parents(c: Context, node: core.Node) -> Iterator[core.Node]:
    """What holds `node`."""
    for outer in c.frame.nodes:
        if any(child is node for child in core.children(outer)):
            yield outer
            if isinstance(outer, core.Let):
                yield from _parents(c, outer)


def call_of(c: Context, node: core.Expr | None) -> core.Call | None:
    """The call whose function is `node`."""
    return None if node is None else c.frame.calls.get(id(node))


def advised(c: Context, foreign: Foreign, call: core.Call | None, args: Sequence[core.Expr]) -> Advice | None:
    """The edit of a call, or what there is to say without one."""
    fits_it = not foreign.of_tensor or (args and isinstance(c.frame.variables.get(c.text(args[0])), TensorValue))
    texts = None if call is None or not foreign.edit or not fits_it else _arguments(c, foreign, call, args)
    given = [v for v in _variables(c) if isinstance(v, TensorValue) and v.region is not None]
    regions = [v.name for v in given]
    if call is not None and texts is not None:
        whole = all(_is_length(c, call, texts[name]) for name in foreign.lengths)
        edit = foreign.edit if whole else foreign.otherwise
        if not whole:  # of what has as many axes as there are lengths
            regions = [v.name for v in given if v.spec.rank == len(foreign.lengths)]
        if edit and (regions or "{region" not in edit):
            edit = edit.format(**texts, region=regions[0] if regions else "")
            *words, code, end = edit.split("`")
            return Advice("`".join((*words, in_place(c, call, code), end)), call)
    return Advice(foreign.words.format(region=regions[0] if regions else "y")) if foreign.words else None


def _is_length(c: Context, call: core.Call, text: str) -> bool:
    """Whether an argument of a call is known, and a power of two, so that a tile can be as long."""
    given = next((a for a in (*call.args, *(k.value for k in call.keywords)) if line(c, a) == text), None)
    before = len(c.errors)
    value = None if given is None else c.lower(given)
    del c.errors[before:]  # which were found as the call was read
    number = value.value if isinstance(value, Static) else number_in(text)
    return isinstance(number, int) and number > 0 and number & (number - 1) == 0


def in_place(c: Context, place: core.Expr, code: str) -> str:
    """Code that may stand where `place` does: in brackets, where an operator beside it would take a part of it."""
    binds = core.BinOp | core.UnaryOp | core.BoolOp | core.Compare | core.Attribute | core.Subscript
    for outer in _parents(c, place):
        inside = isinstance(outer, core.Subscript) and outer.value is not place
        if isinstance(outer, core.Expr) and isinstance(outer, binds) and not inside:
            before, found, after = line(c, outer).partition(line(c, place))
            if not found or not fits(code, before, after):
                return f"({code})"
    return code


def _arguments(c: Context, foreign: Foreign, call: core.Call, args: Sequence[core.Expr]) -> dict[str, Written] | None:
    """The arguments of a call by the placeholders of an edit; None where they are not what the edit is for."""
    names, defaults = _parameters(foreign)
    given: dict[str, core.Expr] = dict(zip(names, args, strict=False))
    others: list[str] = [line(c, a) for a in args[len(names) :]]
    for keyword in call.keywords:
        key = keyword.arg if keyword.arg in names else KEYWORDS.get(keyword.arg or "", keyword.arg or "")
        if key in names and key not in given:
            given[key] = keyword.value
        else:
            others.append(f"{key}={line(c, keyword.value)}")
    if any(isinstance(a, core.Starred) for a in args) or (others and "{rest}" not in foreign.edit):
        return None
    texts: dict[str, Written] = {}
    for name in names:
        if name not in given and name not in defaults:
            return None
        text = line(c, given[name]) if name in given else defaults[name].format(**texts)
        texts[name] = Written.of(name, text)
    rest = ", ".join(others)
    texts["rest"] = Written.of("", f", {rest}" if rest and names else rest)
    texts["new"] = Written.of("", _free(c))
    if "{count}" in foreign.edit:
        texts["count"] = Written.of("", _count(texts["x"], texts.get("axis")))
    return texts


def _parameters(foreign: Foreign) -> tuple[list[str], dict[str, str]]:
    """The names of what a foreign function takes, and what stands for those that may be left out."""
    listed = [p.strip() for p in foreign.takes.split(", ") if p]
    return [p.partition("=")[0] for p in listed], {p.partition("=")[0]: p.partition("=")[2] for p in listed if "=" in p}


def line(c: Context, node: core.Expr | core.Keyword) -> str:
    """The user's text of an expression or an argument, on one line."""
    if isinstance(node, core.Keyword):
        return f"{node.arg}={line(c, node.value)}"
    return c.text(node)


def _free(c: Context) -> str:
    """A short name that the function does not use."""
    used = {n.id for n in c.frame.nodes if isinstance(n, core.Name)} | set(c.frame.variables)
    return next(name for name in chain("deuvw", (f"d{i}" for i in count())) if name not in used)


def _count(x: Written, axis: Written | None) -> str:
    """How many elements of a tile lie along an axis, several, or all."""
    if not axis or axis == "None":
        return f"{x:p}.size"
    axes = items(axis)
    if axes is None:
        return f"{x:p}.shape[{axis}]"
    return f"({' * '.join(f'{x:p}.shape[{a}]' for a in axes)})"


def of_part(c: Context, tile: TileValue, node: core.Subscript) -> Advice | None:
    """A part of a tile of one axis that no subscript takes."""
    part, text = node.slice, c.primary(node.value)
    if len(tile.shape) != 1 or not isinstance(part, core.Slice):
        return None
    (extent,) = tile.shape
    if part.upper is None:
        given = (part.lower, part.step)
        lower, step = (literal_eval(c.text(p)) if isinstance(p, core.Constant) else None for p in given)
        first = 0 if part.lower is None else lower
        if isinstance(first, int) and isinstance(step, int) and 0 <= first < step and extent % step == 0:
            return Advice(f"`{text}.reshape({extent // step}, {step})[:, {first}]`", node)
    elif not part.lower:
        rest = f"fh.where(fh.arange({extent}) < {c.text(part.upper)}, {c.text(node.value)}, 0)"
        return Advice(f"load the part you need, or set the rest to 0: `{rest}`")
    return None


def of_bits(c: Context, node: core.Node) -> Advice | None:
    """Brackets around comparisons, where `&` or `|` stands among them and binds tighter."""
    for outer in c.frame.nodes:
        sides, signs = _compared(outer)
        at = next((i for i, side in enumerate(sides) if side is node), None)
        if not isinstance(node, core.BinOp) or not isinstance(outer, core.Expr) or at is None:
            continue
        if f"({line(c, node)})" in line(c, outer):
            return None  # there are brackets already
        left, right = line(c, node.left), line(c, node.right)
        left = f"({line(c, sides[at - 1])} {signs[at - 1]} {left})" if at else primary(left)
        right = f"({right} {signs[at]} {line(c, sides[at + 1])})" if at < len(signs) else primary(right)
        whole = (at > 0) + (at < len(signs)) == len(signs)
        edit = f"{left} {node.op} {right}"
        return Advice(
            f"operators on bits bind tighter than comparisons: `{in_place(c, outer, edit) if whole else edit}`",
            outer if whole else None,
        )
    return None


def of_shift(c: Context, node: core.BinOp) -> Advice | None:
    """A product or a quotient, where a float is shifted by a number that is known."""
    by = node.right.value if isinstance(node.right, core.Constant) else None
    if node.op not in ("<<", ">>") or type(by) is not int or not 0 <= by < 64:
        return None
    edit = f"{primary(line(c, node.left))} {'*' if node.op == '<<' else '/'} {2**by}"
    return Advice(f"a shift of an integer is a product or a quotient: `{edit}`", node)


def _compared(node: core.Node) -> tuple[list[core.Expr], list[str]]:
    """What a comparison or a chain of them compares, and how."""
    chained = node.values if isinstance(node, core.BoolOp) and node.chain else [node]
    parts = [part for part in chained if isinstance(part, core.Compare)]
    sides = [part.right.value if isinstance(part.right, core.Let) else part.right for part in parts]
    return [part.left for part in parts[:1]] + sides, [part.op for part in parts]


def of_value(c: Context, value: Value, node: core.Node) -> Advice | None:
    """What to write where something stands that is neither a tile nor a number."""
    if not isinstance(node, core.Expr):
        return None
    text = c.primary(node)
    if isinstance(value, TupleValue) and value.items:
        return Advice(
            "take one of its items" if isinstance(node, core.Tuple) else f"take one of its items: `{text}[0]`"
        )
    if (edit := of_uncalled(c, value, node)) is not None:
        return edit
    formats = (n.left for n in c.frame.nodes if isinstance(n, core.BinOp) and n.op == "%")
    if isinstance(value, Static) and isinstance(value.value, str) and any(left is node for left in formats):
        return Advice('write the values into the text: `fh.print(f"{x}")`')
    if isinstance(node, core.Constant) and isinstance(node.value, str) and number_in(node.value) is not None:
        return Advice(f"write the number without quotes: `{node.value.strip()}`", node)
    nothing = isinstance(value, Static) and value.value is None
    if nothing and isinstance(node, core.Call) and isinstance(node.func, core.Name):
        return Advice(f"end `{node.func.id}` with `return`, and what it computes")
    return None


def of_uncalled(c: Context, value: Value, node: core.Expr) -> Advice | None:
    """A call, where a function or a method is named and not called: an edit where that needs no arguments."""
    match value:
        case ClosureValue():
            needs = [p.name for p in value.function.parameters if p.default is None]
        case MethodValue():
            needs = min((_needed(form)[1:] for form in value.declared.forms), key=len)
        case BoundValue():
            needs = _needed(cast(FunctionType, value.function))[1:]
        case ReplaceValue():
            needs = []
        case Static(value=FunctionType() as function):
            declared = intrinsic_of(function)
            needs = _needed(function) if declared is None else _needed(cast(FunctionType, declared.function))
        case _:
            return None
    return Advice(f"call it: `{c.primary(node)}({', '.join(needs)})`", None if needs else node)


def _needed(function: FunctionType) -> list[str]:
    """The parameters of a function that have no defaults."""
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    given = inspect.signature(function).parameters.values()
    return [p.name for p in given if p.default is p.empty and p.kind not in variadic]


def of_tuple(c: Context, node: core.Expr) -> str:
    """What to write for a tuple that is computed with: most often a block's coordinates."""
    if isinstance(node, core.Name | core.Attribute):
        return f"take one of its items: `{c.text(node)}[0]`"
    regions = (v for v in _variables(c) if isinstance(v, TensorValue) and v.region is not None)
    region = next(regions, None)
    if region is None:
        return "give its items names first, and compute with them"
    names = "ijklmnopqrstuv"[: region.spec.rank]
    given = "(i,)" if len(names) == 1 else ", ".join(names)
    return f"give its items names first, and compute with them: `{given} = {region.name}.index`"


def of_host(value: object, text: str) -> str | None:
    """What to write for a host value that can change."""
    if isinstance(value, list):
        items = cast("list[object]", value)
        short = all(is_number(i) for i in items) and len(items) <= 8 and text.isidentifier()
        return f"make it a tuple: `{text} = {tuple(items)}`" if short else "make it a tuple"
    if isinstance(value, complex):
        return f"carry the two parts, `{value.real:g}` and `{value.imag:g}`: a frozen dataclass of two tiles"
    if isinstance(value, dict):
        names = [k for k in cast("dict[object, object]", value) if isinstance(k, str) and k.isidentifier()]
        return f"give each value a name of its own: `{names[0].upper()} = ...`" if names else None
    return None


def of_dimension(c: Context, name: str) -> str | None:
    """The extent that a tensor's annotation calls `name`."""
    for v in _variables(c):
        if isinstance(v, TensorValue) and name in (v.parameter.dims or ()):
            return f"{v.name}.shape[{(v.parameter.dims or ()).index(name)}]"
    return None
