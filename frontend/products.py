"""Matrix products: which dtypes and shapes tensor cores multiply, and into what."""

from __future__ import annotations

import ast
from typing import Final

from freehold.dialects.cuda_tile.ops.mma import MmaFOp, MmaIOp
from freehold.frontend import errors
from freehold.frontend.arguments import Arguments
from freehold.frontend.arithmetic import as_tile
from freehold.frontend.context import Context
from freehold.frontend.types import signedness
from freehold.frontend.values import POISON, Poison, TileValue, Value, show_shape
from freehold.support import dtypes
from freehold.support.dtypes import DType

ACCUMULATORS: Final[dict[DType, tuple[DType, ...]]] = {
    dtypes.f16: (dtypes.f32, dtypes.f16),
    dtypes.bf16: (dtypes.f32,),
    dtypes.f32: (dtypes.f32,),
    dtypes.tf32: (dtypes.f32,),
    dtypes.f64: (dtypes.f64,),
    dtypes.f8e4m3fn: (dtypes.f32, dtypes.f16),
    dtypes.f8e5m2: (dtypes.f32, dtypes.f16),
    dtypes.i8: (dtypes.i32,),
    dtypes.u8: (dtypes.i32,),
}
"""By the dtype of the operands, the dtypes they are accumulated in; the usual one first."""


def mma(c: Context, a: Arguments) -> Value:
    """`mma(a, b, acc)`."""
    if a.poisoned:
        return POISON
    x, y, acc = (as_tile(c, a[n], a.place(n)) for n in ("a", "b", "acc"))
    if isinstance(x, Poison) or isinstance(y, Poison) or isinstance(acc, Poison):
        return POISON
    return _product(c, x, y, acc, a.node, a.place("acc"))


def matmul(c: Context, a: Value, b: Value, node: ast.BinOp | ast.AugAssign) -> Value:
    """`a @ b`: a product that begins at zero, in the usual accumulator."""
    left, right = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
    x, y = as_tile(c, a, left), as_tile(c, b, right)
    if isinstance(x, Poison) or isinstance(y, Poison):
        return POISON
    dtype = ACCUMULATORS.get(x.dtype, (dtypes.f32,))[0]
    if len(x.shape) not in (2, 3) or len(y.shape) != len(x.shape):
        if len(x.shape) == 2 and y.shape == x.shape[1:]:
            edit = f"multiply and add up: `({c.primary(left)} * {c.primary(right)}).sum(axis=1)`"
            return _shapes(c, x, y, None, node, "tensor cores multiply tiles of two axes", edit)
        return _shapes(c, x, y, None, node, "tiles of two axes are multiplied, or of three with a batch axis first")
    acc = c.constant(0, dtype, (*x.shape[:-1], y.shape[-1]))
    return _product(c, x, y, acc, node, node)


def _product(c: Context, x: TileValue, y: TileValue, acc: TileValue, node: ast.AST, place: ast.AST) -> Value:
    whole = {dtypes.i8, dtypes.u8}
    fits = x.dtype is y.dtype or {x.dtype, y.dtype} <= whole
    allowed = ACCUMULATORS.get(x.dtype, ())
    if not fits or acc.dtype not in allowed:
        return _dtypes(c, x, y, acc, node, place, fits, allowed)
    ranks = (len(x.shape), len(y.shape), len(acc.shape))
    if ranks not in ((2, 2, 2), (3, 3, 3)):
        return _shapes(c, x, y, acc, node, "all three have two axes, or all have a batch axis before")
    (m, k), (k2, n) = x.shape[-2:], y.shape[-2:]
    if k != k2:
        return _shapes(c, x, y, acc, node, f"the inner extents {k} and {k2} differ")
    if acc.shape[-2:] != (m, n):
        return _shapes(c, x, y, acc, node, f"the product is {show_shape((*x.shape[:-2], m, n))}")
    if ranks[0] == 3 and not x.shape[0] == y.shape[0] == acc.shape[0]:
        return _shapes(c, x, y, acc, node, "the batch extents differ")
    if x.dtype in whole:
        op = MmaIOp(x.ssa, y.ssa, acc.ssa, signedness(x.dtype), signedness(y.dtype))
    else:
        op = MmaFOp(x.ssa, y.ssa, acc.ssa)
    return c.tile(op, acc.dtype, acc.shape)


def _operand(c: Context, node: ast.AST, position: int) -> str:
    """The text of an operand, so that `.T` can follow."""
    given: list[ast.expr] = []
    if isinstance(node, ast.Call):
        given = node.args
    elif isinstance(node, ast.BinOp):
        given = [node.left, node.right]
    return c.primary(given[position]) if len(given) > position else "ab"[position]


def _dtypes(
    c: Context, x: TileValue, y: TileValue, acc: TileValue, node: ast.AST, place: ast.AST, fits: bool,
    allowed: tuple[DType, ...],
) -> Poison:  # fmt: skip
    if not allowed:
        why = f"tensor cores do not multiply `{x.dtype}`"
    elif not fits:
        why = "both operands have one dtype"
    else:
        why = f"`{x.dtype}` is accumulated in {' or '.join(f'`{d}`' for d in allowed)}"
    primary = place if allowed and fits else node
    error = errors.MmaTypes(c.span(primary), a=str(x.dtype), b=str(y.dtype), acc=str(acc.dtype), why=why)
    if not allowed:
        if x.dtype.kind == "int":
            error.add(error.Instead("convert the operands to 8 bits where their values fit: `.astype(i8)`"))
            error.add(error.Instead("or to floats, and accumulate in `f32`: `.astype(f16)`"))
        else:
            error.add(error.Instead("convert the operands first: `.astype(bf16)` or `.astype(f16)`"))
    elif not fits:
        wide = y if y.dtype.bits > x.dtype.bits else x
        narrow = _operand(c, node, 1 if wide is x else 0)
        error.add(error.Instead(f"convert one of them: `{narrow}.astype({wide.dtype})`"))
    else:
        error.add(error.Instead(f"accumulate in `{allowed[0]}`: `fh.zeros({show_shape(acc.shape)}, {allowed[0]})`"))
    return c.error(error)


def _shapes(
    c: Context, x: TileValue, y: TileValue, acc: TileValue | None, node: ast.AST, why: str, edit: str | None = None
) -> Poison:
    shown = show_shape((*x.shape[:-1], *y.shape[-1:])) if acc is None else show_shape(acc.shape)
    error = errors.MmaShapes(c.span(node), a=show_shape(x.shape), b=show_shape(y.shape), acc=shown, why=why)
    if edit is not None:
        error.add(error.Instead(edit))
    elif len(x.shape) == len(y.shape) == 2 and x.shape[1] != y.shape[0]:
        if x.shape[1] == y.shape[1]:
            error.add(error.Instead(f"transpose the second: `{_operand(c, node, 1)}.T`"))
        elif x.shape[0] == y.shape[0]:
            error.add(error.Instead(f"transpose the first: `{_operand(c, node, 0)}.T`"))
        else:
            wanted = show_shape((x.shape[1], y.shape[1]))
            error.add(error.Instead(f"load the second with shape {wanted}, so that its rows are the first's columns"))
    elif acc is not None and len(x.shape) == len(y.shape) == 2:
        wanted = show_shape((x.shape[0], y.shape[1]))
        error.add(error.Instead(f"begin with an accumulator of that shape: `fh.zeros({wanted}, {acc.dtype})`"))
    return c.error(error)
