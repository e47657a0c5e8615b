"""Edits for those who come from NumPy, torch, Triton or cuTile: what to write instead of what they wrote."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, cast

from freehold.frontend.context import Context, Frame
from freehold.frontend.values import MethodValue, Static, TensorValue, TileValue, TupleValue, Value, is_number
from freehold.support import dtypes

FUNCTIONS: Final = {
    "program_id": "this block's coordinates are `{region}.index`",
    "num_programs": "the number of regions along an axis is `fh.cdiv({region}.shape[0], {region}.tile[0])`",
    "bid": "this block's coordinates are `{region}.index`",
    "num_blocks": "the number of regions along an axis is `fh.cdiv({region}.shape[0], {region}.tile[0])`",
    "load": "a load is a method: `x.load(index, shape)`, or `x.load_like({region})`",
    "store": "a store is a method, without an index: `{region}.store(tile)`",
    "dot": "`fh.mma(a, b, acc)`, or `a @ b`",
    "matmul": "`fh.mma(a, b, acc)`, or `a @ b`",
    "zeros_like": "`fh.zeros(t.shape, t.dtype)`",
    "ones_like": "`fh.ones(t.shape, t.dtype)`",
    "full_like": "`fh.full(t.shape, value, t.dtype)`",
    "empty": "a tile has values from the start: `fh.zeros(shape, dtype)`",
    "mean": "divide the sum: `fh.sum(x, axis) / n`",
    "sigmoid": "`1 / (1 + fh.exp(-x))`",
    "silu": "`x / (1 + fh.exp(-x))`",
    "relu": "`fh.maximum(x, 0)`",
    "clamp": "`fh.clip(x, low, high)`",
    "cat": "`fh.concatenate((a, b), axis)`",
    "pow": "`x ** n`",
    "power": "`x ** n`",
    "square": "`x * x`",
    "any": "`fh.max(condition)`",
    "all": "`fh.min(condition)`",
    "cast": "`x.astype(f32)`",
    "constexpr": "`Const[int]`",
    "Constant": "`Const[int]`",
}
"""What other libraries have as a function of their module, and how it is written here."""

KEYWORDS: Final = {"dim": "axis", "dims": "axis", "keepdim": "keepdims", "other": "padding", "padding_mode": "padding"}
"""Names of parameters in other libraries."""


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


def of_function(c: Context, name: str) -> str | None:
    """What to write for a name that another library's module has."""
    if name in FUNCTIONS:
        outputs = [v.name for v in _variables(c) if isinstance(v, TensorValue) and v.region is not None]
        return FUNCTIONS[name].format(region=outputs[0] if outputs else "y")
    dtype = dtypes.from_name(name)
    return f"write `fh.{dtype}`" if dtype is not None else None


def of_method(c: Context, value: TileValue, node: ast.Attribute) -> str | None:
    """What to write for a method that tiles of other libraries have, with the arguments it is called with."""
    call = next((n for n in ast.walk(c.frame.tree) if isinstance(n, ast.Call) and n.func is node), None)
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
        case "exp" | "exp2" | "log" | "log2" | "sqrt" | "rsqrt" | "abs" | "sin" | "cos" | "tanh" | "floor" | "ceil":
            return f"`fh.{node.attr}({c.text(node.value)})`"
        case "mean" if call is not None:
            named = {k.arg: k.value for k in call.keywords}
            axis = call.args[0] if call.args else named.get("axis", named.get("dim"))
            if axis is None:
                count = 1
                for extent in value.shape:
                    count *= extent
                return f"divide the sum: `{text}.sum() / {count}`"
            if isinstance(axis, ast.Constant) and axis.value in range(len(value.shape)):
                return f"divide the sum: `{text}.sum(axis={axis.value}) / {value.shape[cast(int, axis.value)]}`"
        case _:
            pass
    return None


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
    nothing = isinstance(value, Static) and value.value is None
    if nothing and isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return f"end `{node.func.id}` with `return`, and what it computes"
    return None


def of_host(value: object, text: str) -> str | None:
    """What to write for a host value that can change."""
    if isinstance(value, list):
        items = cast("list[object]", value)
        short = all(is_number(i) for i in items) and len(items) <= 8 and text.isidentifier()
        return f"make it a tuple: `{text} = {tuple(items)}`" if short else "make it a tuple"
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
