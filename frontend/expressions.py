"""Expressions: names, attributes, subscripts, operators, conditions."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from types import ModuleType
from typing import Final, cast

from xdsl.ir import Block, Operation, Region
from xdsl.traits import is_side_effect_free

from freehold.dialects.cuda_tile.ops.arith_int import AndIOp, DivIOp, OrIOp, RemIOp
from freehold.dialects.cuda_tile.ops.control_flow import IfOp, YieldOp
from freehold.dialects.cuda_tile.ops.shape import PermuteOp, ReshapeOp, SelectOp
from freehold.dialects.ownership import DimOp
from freehold.frontend import arithmetic, errors
from freehold.frontend.arithmetic import SYMBOLS, as_tile, broadcast, convert, load_of
from freehold.frontend.context import Context, Frame
from freehold.frontend.source import UNDEFINED
from freehold.frontend.values import (
    INDEX_DTYPE,
    POISON,
    ClosureValue,
    MethodValue,
    Poison,
    RegionValue,
    Static,
    TensorValue,
    TileValue,
    TupleValue,
    Unbound,
    Value,
    describe,
    is_comparable,
    is_number,
    is_poison,
    of_host,
    same,
    show_shape,
    static_of,
)
from freehold.support import dtypes
from freehold.support.dtypes import DType

TILE_METHODS: Final = ("astype", "reshape", "permute", "transpose", "sum", "prod", "max", "min")
REF_METHODS: Final = ("load", "load_like", "store")
REGION_METHODS: Final = ("load", "store", "release")
PARTITION_METHODS: Final = (*REGION_METHODS, "load_like", "at")

# --- Names -----------------------------------------------------------------------------------------------------------


def name(c: Context, node: ast.Name) -> Value:
    """A variable, a parameter, or a name of the host."""
    frame: Frame | None = c.frame
    while frame is not None:
        value = frame.variables.get(node.id)
        if value is not None:
            return c.unbound(node.id, value, node) if isinstance(value, Unbound) else value
        frame = frame.outer
    found = c.frame.host[node.id]
    if found is not UNDEFINED:
        return of_host(found)
    return _undefined(c, node)


def _undefined(c: Context, node: ast.Name) -> Poison:
    import freehold

    error = errors.UndefinedName(c.span(node), name=node.id)
    known: list[str] = []
    frame: Frame | None = c.frame
    while frame is not None:
        known += frame.variables
        frame = frame.outer
    close = difflib.get_close_matches(node.id, known, 1)
    if close:
        error.add(error.DidYouMean(close[0]))
    elif node.id in freehold.__all__:
        error.add(error.Import(node.id))
    return c.error(error)


def constant(c: Context, node: ast.Constant) -> Value:
    """A literal."""
    return Static(node.value)


def tuple_(c: Context, node: ast.Tuple) -> Value:
    """`(a, b, *c)`."""
    return TupleValue(tuple(elements(c, node.elts)))


def elements(c: Context, nodes: Sequence[ast.expr]) -> list[Value]:
    """The values of a tuple's or call's elements, starred ones taken apart."""
    items: list[Value] = []
    for item in nodes:
        if isinstance(item, ast.Starred):
            value = c.lower(item.value)
            if isinstance(value, TupleValue):
                items += value.items
            elif not isinstance(value, Poison):
                error = errors.Unsupported(
                    c.span(item), what=f"`*` of {describe(value)}", why="only a tuple can be taken apart"
                )
                c.error(error.add(error.Instead("write the values out")))
        else:
            items.append(c.lower(item))
    return items


# --- Attributes and subscripts ---------------------------------------------------------------------------------------


def attribute(c: Context, node: ast.Attribute) -> Value:
    """`value.attr`."""
    value = c.lower(node.value)
    attr = node.attr
    match value:
        case Poison():
            return POISON
        case TileValue():
            found = _of_tile(c, value, attr)
        case TensorValue():
            found = _of_tensor(c, value, attr)
        case RegionValue():
            found = _of_region(value, attr)
        case Static():
            found = _of_static(value.value, attr)
        case _:
            found = None
    return _no_attribute(c, value, node) if found is None else found


def _of_tile(c: Context, tile: TileValue, attr: str) -> Value | None:
    match attr:
        case "dtype":
            return Static(tile.dtype)
        case "shape":
            return of_host(tile.shape)
        case "ndim":
            return Static(len(tile.shape))
        case "T":
            return permute(c, tile, tuple(reversed(range(len(tile.shape)))))
        case _:
            return MethodValue(tile, attr) if attr in TILE_METHODS else None


def _of_tensor(c: Context, tensor: TensorValue, attr: str) -> Value | None:
    match attr:
        case "dtype":
            return Static(tensor.spec.dtype)
        case "ndim":
            return Static(tensor.spec.rank)
        case "shape":
            return TupleValue(tuple(_extent(c, tensor, axis) for axis in range(tensor.spec.rank)))
        case _ if tensor.region is not None:
            if attr in PARTITION_METHODS:
                return MethodValue(tensor, attr)
            return _of_region(tensor.region, attr)
        case _:
            return MethodValue(tensor, attr) if attr in REF_METHODS else None


def _extent(c: Context, tensor: TensorValue, axis: int) -> Value:
    dims = tensor.parameter.dims
    if dims is not None and dims[axis].isdecimal():
        return Static(int(dims[axis]))
    return c.tile(DimOp(tensor.handle, axis), INDEX_DTYPE, ())


def _of_region(region: RegionValue, attr: str) -> Value | None:
    match attr:
        case "index":
            return TupleValue(region.index)
        case "tile":
            return of_host(region.tile)
        case "dtype":
            return Static(region.tensor.spec.dtype)
        case "ndim":
            return Static(region.tensor.spec.rank)
        case _:
            return MethodValue(region, attr) if attr in REGION_METHODS else None


def _of_static(value: object, attr: str) -> Value | None:
    if attr.startswith("_"):
        return None
    match value:
        case ModuleType():
            return of_host(getattr(value, attr)) if hasattr(value, attr) else None
        case type() if issubclass(value, Enum):
            return Static(value[attr]) if attr in value.__members__ else None
        case Enum():
            return of_host(getattr(value, attr)) if attr in ("name", "value") else None
        case DType():
            return Static(getattr(value, attr)) if attr in ("name", "bits", "itemsize", "is_float", "signed") else None
        case _ if is_dataclass(value) and getattr(getattr(value, "__dataclass_params__", None), "frozen", False):
            return of_host(getattr(value, attr)) if attr in {f.name for f in fields(value)} else None
        case _:
            return None


_COMMON: Final = {
    "size": "multiply the extents: `x.shape[0] * x.shape[1]`",
    "T": "load a tile first: `.load(...).T`",
    "to": "`.astype(f32)`",
    "float": "`.astype(f32)`",
    "half": "`.astype(f16)`",
    "item": "a scalar is used as it is: leave `.item()` out",
    "dot": "`fh.mma(a, b, acc)`, or `a @ b`",
    "matmul": "`fh.mma(a, b, acc)`, or `a @ b`",
    "view": "`.reshape(...)`",
    "mean": "divide the sum: `x.sum(axis) / n`",
    "exp": "`fh.exp(x)`",
    "sqrt": "`fh.sqrt(x)`",
    "abs": "`fh.abs(x)`",
    "index": "a `Ref` is read at any index; its loads name theirs: `x.load((i, j), shape)`",
    "tile": "the shape of a load is its own: `x.load(index, (128, 64))`",
}


def _no_attribute(c: Context, value: Value, node: ast.Attribute) -> Poison:
    known: tuple[str, ...] = ()
    match value:
        case TileValue():
            known = ("dtype", "shape", "ndim", "T", *TILE_METHODS)
        case TensorValue() if value.region is not None:
            known = ("dtype", "shape", "ndim", "index", "tile", "load", "store", "at", "release")
        case TensorValue():
            known = ("dtype", "shape", "ndim", "load", "load_like")
        case RegionValue():
            known = ("dtype", "ndim", "index", "tile", *REGION_METHODS)
        case Static(value=host) if isinstance(host, type) and issubclass(host, Enum):
            known = tuple(host.__members__)
        case Static(value=host) if not isinstance(host, ModuleType):
            if is_number(host) or isinstance(host, str | DType | None):
                pass
            else:
                return host_value(c, node.value, host)
        case _:
            pass
    what = describe(value)
    if what.startswith(("a ", "an ")) and isinstance(node.value, ast.Name):
        what = f"`{node.value.id}`, {what},"
    shown = ", ".join(f"`{k}`" for k in known) if known else "none that a kernel can use"
    error = errors.NoAttribute(c.span(node), what=what, attribute=node.attr, known=shown)
    close = difflib.get_close_matches(node.attr, known, 1)
    if close:
        error.add(error.Instead(f"write `.{close[0]}`"))
    elif node.attr in _COMMON and isinstance(value, TileValue | TensorValue):
        error.add(error.Instead(_COMMON[node.attr]))
    return c.error(error)


def host_value(c: Context, node: ast.expr, value: object) -> Poison:
    """Reports the use of a host object that a kernel cannot see."""
    error = errors.HostValue(c.span(node), name=c.text(node), what=describe(Static(value)))
    if hasattr(value, "__dlpack__") or hasattr(value, "__array__"):
        error.add(error.Instead(f"pass it as an argument: `{c.text(node)}: Ref`"))
    elif is_dataclass(value):
        error.add(error.Instead("make its class immutable: `@dataclass(frozen=True)`"))
    elif isinstance(value, list):
        error.add(error.Instead("make it a tuple"))
    return c.error(error)


def subscript(c: Context, node: ast.Subscript) -> Value:
    """`tuple[i]`, `tuple[i:j]`, `tile[:, None]`."""
    value = c.lower(node.value)
    if isinstance(value, Poison):
        return POISON
    if isinstance(value, TupleValue) or (isinstance(value, Static) and isinstance(value.value, str | range)):
        return _item(c, value, node)
    if isinstance(value, TileValue):
        return _expand(c, value, node)
    if isinstance(value, TensorValue):
        text = c.text(node.slice)
        error = errors.TensorAsValue(c.span(node), name=value.name, edit=_load_at(value, text))
        return c.error(error)
    if isinstance(value, Static) and not is_comparable(value.value):
        return host_value(c, node.value, value.value)
    error = errors.WrongOperands(
        c.span(node), operator="[...]", operands=describe(value), why="only tuples and tiles have a subscript"
    )
    return c.error(error)


def _load_at(tensor: TensorValue, index: str) -> str:
    if tensor.region is None and ":" not in index and index.count(",") == tensor.spec.rank - 1:
        comma = "," if tensor.spec.rank == 1 else ""
        sizes = ", ".join(["64"] * tensor.spec.rank)
        return f"{tensor.name}.load(({index}{comma}), ({sizes}{comma}))"
    return load_of(tensor)


def _item(c: Context, value: TupleValue | Static, node: ast.Subscript) -> Value:
    if isinstance(node.slice, ast.Slice):
        parts = [
            known_int(c, part, "the bound of a slice") if part is not None else None
            for part in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        if any(part is None and given is not None for part, given in zip(parts, _parts(node.slice), strict=True)):
            return POISON
        try:
            chosen = slice(*parts)
            return (
                TupleValue(value.items[chosen])
                if isinstance(value, TupleValue)
                else of_host(cast(str, value.value)[chosen])
            )
        except ValueError as e:
            return c.error(errors.ArithmeticFails(c.span(node), what=str(e)))
    index = known_int(c, node.slice, "the index of a tuple")
    if index is None:
        return POISON
    items = value.items if isinstance(value, TupleValue) else cast(str, value.value)
    if not -len(items) <= index < len(items):
        what = f"index {index} is outside a tuple of {len(items)}"
        return c.error(errors.ArithmeticFails(c.span(node), what=what))
    return value.items[index] if isinstance(value, TupleValue) else of_host(items[index])


def _parts(node: ast.Slice) -> tuple[ast.expr | None, ...]:
    return node.lower, node.upper, node.step


def known_int(c: Context, node: ast.expr, what: str) -> int | None:
    """The value of an expression that must be a compile-time integer, or None after reporting."""
    value = c.lower(node)
    if isinstance(value, Static) and isinstance(value.value, int) and not isinstance(value.value, bool):
        return value.value
    if not isinstance(value, Poison):
        not_constant(c, node, value, what)
    return None


def not_constant(c: Context, node: ast.expr, value: Value, what: str) -> Poison:
    """Reports a value that is not known at compile time where one is needed, or is of another type."""
    if static_of(value) is not None:
        error = errors.NotConstant(c.span(node), what=what, why=f"this is {describe(value)}, not an integer")
    elif isinstance(value, TileValue):
        error = errors.NotConstant(c.span(node), what=what, why="this is known when the kernel runs")
        parameter = next((p for p in _scalars(c) if isinstance(node, ast.Name) and p == node.id), None)
        if parameter is not None:
            error.add(error.MakeConst(parameter, "int"))
    else:
        error = errors.NotConstant(c.span(node), what=what, why=f"this is {describe(value)}")
    return c.error(error)


def _scalars(c: Context) -> list[str]:
    frame = c.frame
    if not frame.is_kernel:
        return []
    return [a.arg for a in (*frame.source.arguments.args, *frame.source.arguments.kwonlyargs)]


def _expand(c: Context, tile: TileValue, node: ast.Subscript) -> Value:
    """`t[:, None]`: new axes of extent 1."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    shape: list[int] = []
    rest = list(tile.shape)
    for position, part in enumerate(parts):
        if isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None:
            if not rest:
                break
            shape.append(rest.pop(0))
            continue
        value = Static(slice(None)) if isinstance(part, ast.Slice) else c.lower(part)
        if isinstance(value, Poison):
            return POISON
        if isinstance(value, Static) and value.value is None:
            shape.append(1)
        elif isinstance(value, Static) and value.value is Ellipsis:
            later = sum(isinstance(p, ast.Slice) for p in parts[position + 1 :])
            while len(rest) > later:
                shape.append(rest.pop(0))
        else:
            error = errors.Unsupported(
                c.span(part),
                what="an element or a part of a tile",
                why="a subscript of a tile is made of `:` and `None`",
            )
            return c.error(error.add(error.Instead("load the part you need, or reduce the tile: `t.sum(axis)`")))
    else:
        return reshape(c, tile, (*shape, *rest))
    error = errors.WrongRank(
        c.span(node), what="the subscript", given=str(len(parts)), of=c.text(node.value), rank=_axes(len(tile.shape))
    )
    return c.error(error)


def _axes(rank: int) -> str:
    return f"{rank} {'axis' if rank == 1 else 'axes'}"


def reshape(c: Context, tile: TileValue, shape: tuple[int, ...]) -> TileValue:
    """`tile` under another shape of as many elements."""
    return tile if shape == tile.shape else c.tile(ReshapeOp(tile.ssa, shape), tile.dtype, shape)


def permute(c: Context, tile: TileValue, axes: tuple[int, ...]) -> TileValue:
    """`tile` with its axes permuted."""
    if axes == tuple(range(len(axes))):
        return tile
    return c.tile(PermuteOp(tile.ssa, axes), tile.dtype, tuple(tile.shape[a] for a in axes))


# --- Operators and conditions ----------------------------------------------------------------------------------------


def binary(c: Context, node: ast.BinOp) -> Value:
    """`a + b` and the like."""
    a, b = c.lower(node.left), c.lower(node.right)
    symbol = SYMBOLS[type(node.op)]
    if symbol == "@":
        from freehold.frontend.products import matmul

        return matmul(c, a, b, node)
    return arithmetic.binary(c, symbol, a, b, node)


def unary(c: Context, node: ast.UnaryOp) -> Value:
    """`-a`, `+a`, `~a`, `not a`."""
    value = c.lower(node.operand)
    symbol = SYMBOLS[type(node.op)]
    if symbol != "not":
        return arithmetic.unary(c, symbol, value, node)
    truth = condition(c, value, node.operand, "`not`", f"~{c.primary(node.operand)}")
    if isinstance(truth, TileValue):
        return arithmetic.unary(c, "~", truth, node)
    return POISON if truth is None else Static(not truth)


def condition(
    c: Context, value: Value, node: ast.expr, construct: str, edit: str | None = None
) -> bool | TileValue | None:
    """The truth of a value: known, or a scalar of bool; None after reporting that it has none."""
    if isinstance(value, Poison):
        return None
    if isinstance(value, TileValue):
        if value.shape:
            error = errors.ConditionNotScalar(c.span(node), what=describe(value), construct=construct)
            if edit is not None:
                error.add(error.Instead(f"combine element by element: `{edit}`"))
            else:
                if construct != "a `while`":
                    error.add(error.Instead(f"choose element by element: `fh.where({c.text(node)}, a, b)`"))
                error.add(error.Instead(f"ask whether it holds anywhere: `{c.primary(node)}.max()`"))
            c.error(error)
            return None
        return value if value.dtype.kind == "bool" else convert(c, value, dtypes.bool_)
    known = static_of(value)
    if known is not None and (is_comparable(known[0]) or isinstance(known[0], tuple)):
        return bool(cast(object, known[0]))
    error = errors.ConditionNotScalar(c.span(node), what=describe(value), construct=construct)
    c.error(error)
    return None


def boolean(c: Context, node: ast.BoolOp) -> Value:
    """`a and b`, `a or b`: what decides is not followed by anything that is computed."""
    word = "and" if isinstance(node.op, ast.And) else "or"
    sign = " & " if word == "and" else " | "
    chain = _Chain(word == "or", f"`{word}`", sign.join(c.primary(n) for n in node.values))
    return chain.lower(c, [(operand, lambda o=operand: c.lower(o)) for operand in node.values])


@dataclass(frozen=True, slots=True)
class _Chain:
    """`a and b`, `a or b`, `a < b < c`."""

    decides: bool
    """The truth of an operand that decides, so that nothing after it is computed."""
    construct: str
    edit: str
    """How it would be written for tiles."""

    def lower(self, c: Context, operands: list[tuple[ast.expr, Callable[[], Value]]]) -> Value:
        """The value of a chain of operands, each made when it is needed."""
        return _chain(c, self, operands)


def _chain(c: Context, chain: _Chain, operands: list[tuple[ast.expr, Callable[[], Value]]]) -> Value:
    decides = chain.decides
    node, make = operands[0]
    value = make()
    truth = condition(c, value, node, chain.construct, chain.edit)
    rest = operands[1:]
    if not rest:
        return POISON if truth is None else value if isinstance(truth, bool) else truth
    if truth is None:
        for _, other in rest:
            other()
        return POISON
    if isinstance(truth, bool):
        return value if truth is decides else _chain(c, chain, rest)
    block = Block()
    with c.into(block):
        other = _chain(c, chain, rest)
        right = condition(c, other, rest[0][0], chain.construct, chain.edit)
        if right is None:
            return POISON
        if isinstance(right, bool):
            right = c.constant(right, dtypes.bool_)
    if all(map(is_cheap, block.ops)):
        absorb(c, block)
        op = (OrIOp if decides else AndIOp)(truth.ssa, right.ssa)
        return c.tile(op, dtypes.bool_, ())
    with c.into(block):
        c.add(YieldOp([right.ssa]))
    known = Block()
    with c.into(known):
        c.add(YieldOp([c.constant(decides, dtypes.bool_).ssa]))
    then, otherwise = (known, block) if decides else (block, known)
    return c.tile(IfOp(truth.ssa, [right.ssa.type], Region(then), Region(otherwise)), dtypes.bool_, ())


def is_cheap(op: Operation) -> bool:
    """Whether an operation may be carried out where its result is not needed: it has no effect and cannot fail."""
    return not op.regions and not isinstance(op, DivIOp | RemIOp) and is_side_effect_free(op)


def absorb(c: Context, block: Block) -> None:
    """Moves the operations of a detached block to the end of the current one."""
    for op in list(block.ops):
        op.detach()
        c.block.add_op(op)


def ternary(c: Context, node: ast.IfExp) -> Value:
    """`a if test else b`."""
    truth = condition(c, c.lower(node.test), node.test, "a conditional expression")
    if truth is None:
        c.lower(node.body)
        c.lower(node.orelse)
        return POISON
    if isinstance(truth, bool):
        return c.lower(node.body if truth else node.orelse)
    then, otherwise = Block(), Block()
    with c.into(then):
        a = c.lower(node.body)
    with c.into(otherwise):
        b = c.lower(node.orelse)
    if is_poison(a, b):
        return POISON
    return choose(c, truth, (then, a), (otherwise, b), node)


def choose(
    c: Context, truth: TileValue, then: tuple[Block, Value], otherwise: tuple[Block, Value], node: ast.expr
) -> Value:
    """The one or the other of two scalars or tiles, each with the operations that make it."""
    (first, a), (second, b) = then, otherwise
    if all(map(is_cheap, (*first.ops, *second.ops))):
        absorb(c, first)
        absorb(c, second)
        return select(c, truth, a, b, node)
    if same(a, b):
        merged: list[TileValue] | None = []
    else:
        merged = unify(c, [(first, a), (second, b)], node)
    if merged is None:
        return POISON
    for block, part in ((first, merged[:1]), (second, merged[1:])):
        with c.into(block):
            c.add(YieldOp([v.ssa for v in part]))
    op = c.add(IfOp(truth.ssa, [v.ssa.type for v in merged[:1]], Region(first), Region(second)))
    return TileValue(op.results[0], merged[0].dtype, merged[0].shape) if merged else a


def unify(c: Context, ways: list[tuple[Block, Value]], node: ast.expr) -> list[TileValue] | None:
    """Two values as tiles of one dtype and shape, each converted in its own block; None after reporting."""
    (_, a), (_, b) = ways
    x, y = arithmetic.operand(c, a, node), arithmetic.operand(c, b, node)
    dtype = None if x is None or y is None else arithmetic.meet_dtype(c, x, y, node)
    if x is None or y is None or dtype is None:
        return None
    shape = arithmetic.common_shape(_shape(x), _shape(y))
    if shape and shape[-1] is None:
        m, n = cast("tuple[int, int, None]", shape)[:2]
        error = errors.NoBroadcast(c.span(node), left=show_shape(_shape(x)), right=show_shape(_shape(y)), a=m, b=n)
        c.error(error)
        return None
    found: list[TileValue] = []
    for (block, _), value in zip(ways, (x, y), strict=True):
        with c.into(block):
            tile = as_tile(c, value, node, dtype)
            assert isinstance(tile, TileValue)
            found.append(broadcast(c, convert(c, tile, dtype), cast("tuple[int, ...]", shape)))
    return found


def _shape(value: TileValue | Static) -> tuple[int, ...]:
    return value.shape if isinstance(value, TileValue) else ()


def select(c: Context, truth: TileValue, a: Value, b: Value, node: ast.AST) -> Value:
    """`a` where `truth` holds, else `b`."""
    if same(a, b):
        return a
    pair = arithmetic.meet(c, a, b, node)
    if pair is None:
        return POISON
    x, y = pair
    if truth.shape != x.shape:
        shape = arithmetic.meet_shape(c, truth, x, node)
        if shape is None:
            return POISON
        truth, x, y = broadcast(c, truth, shape), broadcast(c, x, shape), broadcast(c, y, shape)
    return c.tile(SelectOp(truth.ssa, x.ssa, y.ssa), x.dtype, x.shape)


def compare(c: Context, node: ast.Compare) -> Value:
    """`a < b`, and chains of comparisons, whose middles are computed once."""
    if len(node.ops) == 1:
        return _compare(c, node.ops[0], c.lower(node.left), c.lower(node.comparators[0]), node)
    left = c.lower(node.left)
    parts: list[tuple[ast.expr, Callable[[], Value]]] = []
    state = [left]

    def make(op: ast.cmpop, right: ast.expr) -> Value:
        a, b = state[0], c.lower(right)
        state[0] = b
        return _compare(c, op, a, b, node)

    for op, right in zip(node.ops, node.comparators, strict=True):
        parts.append((node, lambda o=op, r=right: make(o, r)))
    texts = [c.text(n) for n in (node.left, *node.comparators)]
    pairs = [f"({a} {SYMBOLS.get(type(op), 'in')} {b})" for a, op, b in zip(texts, node.ops, texts[1:], strict=False)]
    return _Chain(False, "a chain of comparisons", " & ".join(pairs)).lower(c, parts)


def _compare(c: Context, op: ast.cmpop, a: Value, b: Value, node: ast.expr) -> Value:
    if is_poison(a, b):
        return POISON
    if isinstance(op, ast.Is | ast.IsNot):
        return _identical(c, a, b, isinstance(op, ast.Is), node)
    if isinstance(op, ast.In | ast.NotIn):
        return _contains(c, a, b, isinstance(op, ast.In), node)
    symbol = SYMBOLS[type(op)]
    x, y = static_of(a), static_of(b)
    if x is not None and y is not None:
        return arithmetic.host(c, symbol, x[0], y[0], node)
    if symbol in ("==", "!=") and (_is_none(a) or _is_none(b)):
        return Static(symbol == "!=")
    pair = arithmetic.meet(c, a, b, node)
    if pair is None:
        return POISON
    if pair[0].dtype.is_float and pair[0].dtype.bits < 16:
        f32 = (convert(c, pair[0], dtypes.f32), convert(c, pair[1], dtypes.f32))
        return arithmetic.comparison(c, symbol, *f32)
    return arithmetic.comparison(c, symbol, *pair)


def _is_none(value: Value) -> bool:
    return isinstance(value, Static) and value.value is None


def _identical(c: Context, a: Value, b: Value, wanted: bool, node: ast.expr) -> Value:
    x, y = static_of(a), static_of(b)
    if x is not None and y is not None:
        return Static((x[0] is y[0]) is wanted)
    if _is_none(a) or _is_none(b):
        return Static(not wanted)
    error = errors.WrongOperands(
        c.span(node),
        operator="is",
        operands=f"{describe(a)} and {describe(b)}",
        why="tiles have values and no identity",
    )
    return c.error(error.add(error.Instead("compare their values: `==`")))


def _contains(c: Context, a: Value, b: Value, wanted: bool, node: ast.expr) -> Value:
    x, y = static_of(a), static_of(b)
    if x is not None and y is not None and isinstance(y[0], tuple | str | range):
        try:
            return Static((x[0] in y[0]) is wanted)  # type: ignore[operator]
        except TypeError as e:
            return c.error(errors.ArithmeticFails(c.span(node), what=str(e)))
    if not isinstance(b, TupleValue):
        error = errors.WrongOperands(c.span(node), operator="in", operands=describe(b), why="only tuples are searched")
        return c.error(error)
    found: Value = Static(False)
    for item in b.items:
        equal = _compare(c, ast.Eq(), a, item, node)
        if isinstance(equal, Poison):
            return POISON
        if isinstance(equal, Static):
            if equal.value:
                return Static(wanted)
            continue
        found = (
            equal
            if isinstance(found, Static)
            else c.tile(
                OrIOp(cast(TileValue, found).ssa, cast(TileValue, equal).ssa),
                dtypes.bool_,
                cast(TileValue, equal).shape,
            )
        )
    if isinstance(found, Static):
        return Static(not wanted)
    return found if wanted else arithmetic.unary(c, "~", found, node)


def lambda_(c: Context, node: ast.Lambda) -> Value:
    """A function without a name; it sees the variables around it as they are when it is called."""
    return ClosureValue(node, c.frame)
