"""Edits for those who come from NumPy, torch, Triton or cuTile: what to write instead of what they wrote."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from math import prod
from typing import cast

from freehold.frontend import elsewhere
from freehold.frontend.context import Context, Frame
from freehold.frontend.elsewhere import KEYWORDS
from freehold.frontend.values import MethodValue, Static, TensorValue, TileValue, TupleValue, Value, is_number
from freehold.support import dtypes


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


def _tuple_of(parts: list[str]) -> str:
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def load_of(c: Context, tensor: TensorValue) -> str:
    """A load from a tensor: the block's own place where there is one."""
    if tensor.parameter.mode != "ref":
        return f"{tensor.name}.load()"
    rank = tensor.spec.rank
    like = _region_like(c, rank, tensor.parameter.dims)
    if like is not None:
        return f"{tensor.name}.load_like({like})"
    return f"{tensor.name}.load({_tuple_of(['0'] * rank)}, {_tuple_of(['64'] * rank)})"


def load_at(c: Context, tensor: TensorValue, index: str) -> str:
    """A load from a tensor that was subscripted with `index`: there, if blocks have no place of the same extents."""
    rank = tensor.spec.rank
    like = _region_like(c, rank, tensor.parameter.dims)
    same = like is not None and any(
        isinstance(v, TensorValue) and v.name == like and v.parameter.dims == tensor.parameter.dims
        for v in _variables(c)
    )
    if tensor.region is None and not same and ":" not in index and "..." not in index and index.count(",") == rank - 1:
        return f"{tensor.name}.load({f'({index},)' if rank == 1 else f'({index})'}, {shape_like(c, rank)})"
    return load_of(c, tensor)


def shape_like(c: Context, rank: int) -> str:
    """A shape of a tile with `rank` axes."""
    like = _region_like(c, rank)
    return f"{like}.tile" if like is not None else _tuple_of(["64"] * rank)


def of_function(c: Context, name: str, node: ast.expr | None = None) -> str | None:
    """What to write for a name that another library's module has, with the arguments of the call that `node` names."""
    call = _call_of(c, node)
    if name in elsewhere.EDITS:
        return _filled(c, name, [] if call is None else call.args)
    dtype = dtypes.from_name(name)
    return f"write `fh.{dtype}`" if dtype is not None else None


def _call_of(c: Context, node: ast.expr | None) -> ast.Call | None:
    """The call whose function is `node`."""
    return next((n for n in ast.walk(c.frame.tree) if isinstance(n, ast.Call) and n.func is node), None)


def _filled(c: Context, name: str, args: Sequence[ast.expr]) -> str:
    """An edit with arguments as they were written; where there are none, with letters."""
    outputs = [v.name for v in _variables(c) if isinstance(v, TensorValue) and v.region is not None]
    texts = {"region": outputs[0] if outputs else "y"}
    for position, letter in enumerate("xy"):
        given = args[position] if position < len(args) and not isinstance(args[position], ast.Starred) else None
        texts[letter] = letter if given is None else c.text(given)
        number = isinstance(given, ast.Constant)
        texts[f"p{letter}"] = letter if given is None else texts[letter] if number else c.primary(given)
    return elsewhere.EDITS[name].format(**texts)


def of_method(c: Context, value: TileValue, node: ast.Attribute) -> str | None:
    """What to write for a method that tiles of other libraries have, with the arguments it is called with."""
    call = _call_of(c, node)
    text = c.primary(node.value)
    given = [] if call is None else [c.text(a) for a in call.args]
    match node.attr:
        case "to" | "type" | "cast" if len(given) == 1:
            return f"`{text}.astype({given[0]})`"
        case "float" | "half" | "bfloat16" | "double" | "int":
            held = {"float": "f32", "half": "f16", "bfloat16": "bf16", "double": "f64", "int": "i32"}[node.attr]
            return f"`{text}.astype({held})`"
        case "store" if len(given) == 1:
            return f"a store is a method of the tensor: `{given[0]}.store({c.text(node.value)})`"
        case "view" if given:
            return f"`{text}.reshape({', '.join(given)})`"
        case "mean" if call is not None:
            return _mean(c, value, text, call)
        case "swapaxes" | "moveaxis" | "mT" | "t":
            last = len(value.shape) - 1
            axes = ", ".join(map(str, (*range(last - 1), last, last - 1)))
            return f"`{text}.T`" if last == 1 else f"name all axes in their new order: `{text}.permute({axes})`"
        case name if name in elsewhere.EDITS:
            return _filled(c, name, [node.value, *(call.args if call is not None else ())])
        case name if name in _functions():
            rest = [c.text(k) for k in (call.keywords if call is not None else ())]
            return f"`fh.{name}({', '.join([c.text(node.value), *given, *rest])})`"
        case _:
            return None


def _functions() -> tuple[str, ...]:
    """Functions that take a tile first, and are no methods."""
    import freehold

    given = (getattr(freehold, name, None) for name in dir(freehold))
    return tuple(f.__name__ for f in given if "x" in getattr(getattr(f, "__wrapped__", None), "__annotations__", ()))


def _mean(c: Context, value: TileValue, text: str, call: ast.Call) -> str | None:
    """The sum along the axes of a mean, divided by the number of summands."""
    named = {KEYWORDS.get(k.arg or "", k.arg or ""): k.value for k in call.keywords}
    axis = call.args[0] if call.args else named.get("axis")
    rank = len(value.shape)
    try:
        chosen: object = tuple(range(rank)) if axis is None else ast.literal_eval(axis)
        axes = {int(a) % rank for a in (chosen if isinstance(chosen, tuple) else (cast(int, chosen),))}
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    count = prod(value.shape[a] for a in axes)
    parts = [] if axis is None else [f"axis={c.text(axis)}"]
    parts += [f"keepdims={c.text(named['keepdims'])}"] if "keepdims" in named else []
    return f"divide the sum: `{text}.sum({', '.join(parts)}) / {count}`"


def of_element(c: Context, tile: TileValue, node: ast.Subscript, new: ast.expr | None = None) -> str | None:
    """A part of a tile of one axis that no subscript takes, or a tile in which one element is another."""
    part = node.slice
    if len(tile.shape) == 1 and new is None and isinstance(part, ast.Slice) and part.upper and not part.lower:
        rest = f"fh.where(fh.arange({tile.shape[0]}) < {c.text(part.upper)}, {c.text(node.value)}, 0)"
        return f"load the part you need, or set the rest to 0: `{rest}`"
    if len(tile.shape) != 1 or isinstance(node.slice, ast.Slice | ast.Tuple):
        return None
    text, index = c.text(node.value), c.text(node.slice)
    return None if new is None else f"make a new tile: `{text} = {text}.insert({index}, {c.text(new)})`"


def of_bits(c: Context, node: ast.BinOp | ast.AugAssign) -> str | None:
    """Brackets around comparisons, where `&` or `|` stands among them and binds tighter."""
    for outer in ast.walk(c.frame.tree):
        if not isinstance(outer, ast.Compare) or not isinstance(node, ast.BinOp):
            continue
        sides = [outer.left, *outer.comparators]
        at = next((i for i, side in enumerate(sides) if side is node), None)
        if at is None:
            continue
        from freehold.frontend.arithmetic import SYMBOLS

        symbol = SYMBOLS[type(node.op)]
        left = f"{c.text(sides[at - 1])} {SYMBOLS[type(outer.ops[at - 1])]} {c.text(node.left)}" if at else ""
        right = (
            f"{c.text(node.right)} {SYMBOLS[type(outer.ops[at])]} {c.text(sides[at + 1])}"
            if at < len(outer.ops)
            else ""
        )
        shown = [f"({part})" if part else c.text(side) for part, side in ((left, node.left), (right, node.right))]
        return f"`{symbol}` binds tighter than comparisons: `{shown[0]} {symbol} {shown[1]}`"
    return None


def of_value(c: Context, value: Value, node: ast.AST) -> str | None:
    """What to write where something stands that is neither a tile nor a number."""
    if not isinstance(node, ast.expr):
        return None
    text = c.primary(node)
    if isinstance(value, TupleValue) and value.items:
        return f"take one of its items: `{text}[0]`"
    if isinstance(value, MethodValue):
        return f"call it: `{text}()`"
    formats = (n.left for n in ast.walk(c.frame.tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod))
    if isinstance(value, Static) and isinstance(value.value, str) and any(left is node for left in formats):
        return 'write the values into the text: `fh.print(f"{x}")`'
    nothing = isinstance(value, Static) and value.value is None
    if nothing and isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return f"end `{node.func.id}` with `return`, and what it computes"
    return None


def of_tuple(c: Context, node: ast.expr) -> str:
    """What to write for a tuple that is computed with: most often a block's coordinates."""
    if isinstance(node, ast.Name | ast.Attribute):
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
