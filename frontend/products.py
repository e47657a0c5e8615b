"""Matrix products: which dtypes and shapes tensor cores multiply, and into what."""

from __future__ import annotations

from typing import Final

from freehold.dialects.cuda_tile.ops.mma import SCALE_BLOCKS, MmaFOp, MmaFScaledOp, MmaIOp
from freehold.dialects.cuda_tile.types import element_name
from freehold.frontend import advice_on_values, errors
from freehold.frontend.arguments import Arguments, flag_of
from freehold.frontend.arithmetic import as_tile
from freehold.frontend.context import Context
from freehold.frontend.syntax import core
from freehold.frontend.syntax.text import primary
from freehold.frontend.types import ELEMENTS, signedness
from freehold.frontend.values import POISON, Poison, TileValue, Value, show_shape, show_tile
from freehold.support import dtypes
from freehold.support.dtypes import DType
from freehold.support.span import Span

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

SCALED: Final[dict[tuple[DType, DType], tuple[int, ...]]] = {
    (x, s): SCALE_BLOCKS[names]
    for x in (dtypes.f8e4m3fn, dtypes.f8e5m2, dtypes.f4e2m1fn)
    for s in (dtypes.f8e8m0fnu, dtypes.f8e4m3fn, dtypes.f8e5m3fnu)
    if (names := (element_name(ELEMENTS[x]), element_name(ELEMENTS[s]))) in SCALE_BLOCKS
}
"""By the dtypes of operands and scales, how many elements may share a scale; the smallest number first."""


def mma(c: Context, a: Arguments) -> Value:
    """`mma(a, b, acc)`."""
    if a.poisoned:
        return POISON
    x, y, acc = (as_tile(c, a[n], a.place(n)) for n in ("a", "b", "acc"))
    fast = flag_of(c, a["fast_acc"], a.place("fast_acc"), "`fast_acc`")
    if isinstance(x, Poison) or isinstance(y, Poison) or isinstance(acc, Poison) or fast is None:
        return POISON
    return _product(c, x, y, acc, a.node, a.place("acc"), fast)


def mma_scaled(c: Context, a: Arguments) -> Value:
    """`mma_scaled(a, a_scale, b, b_scale, acc)`."""
    if a.poisoned:
        return POISON
    given = [as_tile(c, a[n], a.place(n)) for n in ("a", "a_scale", "b", "b_scale", "acc")]
    tiles = [v for v in given if isinstance(v, TileValue)]
    if len(tiles) < len(given):
        return POISON
    x, s, y, t, acc = tiles
    scales = tuple(dtype for operand, dtype in SCALED if operand is x.dtype)
    if not scales or x.dtype is not y.dtype or acc.dtype is not dtypes.f32:
        fits, allowed = x.dtype is y.dtype, (dtypes.f32,) if scales else ()
        return _dtypes(c, x, y, acc, a.node, a.place("acc"), fits, allowed, "mma_scaled")
    if not _fit(c, x, y, acc, a.node, "mma_scaled"):
        return POISON
    for name, scale in (("a", s), ("b", t)):
        if scale.dtype not in scales:
            why = f"`{x.dtype}` is scaled by {' or '.join(f'`{d}`' for d in scales)}"
            edit = f"convert the scales: `{primary(a.text(c, f'{name}_scale'))}.astype({scales[0]})`"
            return _scales(c, a, name, x if name == "a" else y, scale, why, edit)
    if s.dtype is not t.dtype:
        edit = f"convert one of them: `{primary(a.text(c, 'b_scale'))}.astype({s.dtype})`"
        return _scales(c, a, "b", y, t, f"the scales of `a` are `{s.dtype}`", edit)
    k, blocks = x.shape[-1], SCALED[x.dtype, s.dtype]
    block = next((b for b in blocks if s.shape == (*x.shape[:-1], k // b)), None)
    wanted = [(*x.shape[:-1], k // b) for b in blocks if k % b == 0]
    if block is None:
        return _unscaled(c, a, "a", x, s, k, blocks, wanted)
    if t.shape != (wanted := (*y.shape[:-2], k // block, y.shape[-1])):
        return _unscaled(c, a, "b", y, t, k, (block,), [wanted])
    return c.tile(acc.dtype, acc.shape, MmaFScaledOp, x, y, acc, s, t)


def matmul(c: Context, a: Value, b: Value, node: core.BinOp) -> Value:
    """`a @ b`: a product that begins at zero, in the usual accumulator."""
    left, right = node.left, node.right
    x, y = as_tile(c, a, left), as_tile(c, b, right)
    if isinstance(x, Poison) or isinstance(y, Poison):
        return POISON
    dtype = ACCUMULATORS.get(x.dtype, (dtypes.f32,))[0]
    if len(x.shape) not in (2, 3) or len(y.shape) != len(x.shape):
        if len(x.shape) == 2 and y.shape == x.shape[1:]:
            edit = f"multiply and add up: `({c.primary(left)} * {c.primary(right)}).sum(axis=1)`"
            return _shapes(c, x, y, None, node, "tensor cores multiply tiles of two axes", edit)
        why = "tiles of two axes are multiplied, or of three with a batch axis first"
        flat = len(x.shape) == 1 and x.shape == y.shape
        edit = f"multiply and add up: `({c.primary(left)} * {c.primary(right)}).sum()`" if flat else None
        return _shapes(c, x, y, None, node, why, edit)
    acc = c.constant(0, dtype, (*x.shape[:-1], y.shape[-1]))
    return _product(c, x, y, acc, node, node)


def _product(
    c: Context, x: TileValue, y: TileValue, acc: TileValue, node: core.Node, place: core.Node, fast: bool = False
) -> Value:
    whole = {dtypes.i8, dtypes.u8}
    fits = x.dtype is y.dtype or {x.dtype, y.dtype} <= whole
    allowed = ACCUMULATORS.get(x.dtype, ())
    if not fits or acc.dtype not in allowed:
        return _dtypes(c, x, y, acc, node, place, fits, allowed)
    if not _fit(c, x, y, acc, node, "mma"):
        return POISON
    if fast and x.dtype not in (dtypes.f8e4m3fn, dtypes.f8e5m2):
        problem = f"adds products of 8-bit floats with less precision where it is asked to, not those of `{x.dtype}`"
        error = errors.WrongArguments(
            c.span(node), function="mma", problem=problem, signature="mma(a, b, acc, *, fast_acc=False)"
        )
        return c.error(error.add(error.Instead("leave out `fast_acc`")))
    if x.dtype in whole:
        return c.tile(acc.dtype, acc.shape, MmaIOp, x, y, acc, signedness(x.dtype), signedness(y.dtype))
    return c.tile(acc.dtype, acc.shape, MmaFOp, x, y, acc, fast)


def _fit(c: Context, x: TileValue, y: TileValue, acc: TileValue, node: core.Node, function: str) -> bool:
    """Whether the shapes of a product fit each other; reports why not."""
    ranks = (len(x.shape), len(y.shape), len(acc.shape))
    why = None
    if ranks not in ((2, 2, 2), (3, 3, 3)):
        why = "all three have two axes, or all have a batch axis before"
    else:
        (m, k), (k2, n) = x.shape[-2:], y.shape[-2:]
        if k != k2:
            why = f"the inner extents {k} and {k2} differ"
        elif x.shape[:-2] != y.shape[:-2]:
            why = "the batch extents differ"
        elif acc.shape != (*x.shape[:-2], m, n):
            why = f"the product is {show_shape((*x.shape[:-2], m, n))}"
    if why is not None:
        _shapes(c, x, y, acc, node, why, function=function)
    return why is None


def _unscaled(
    c: Context, a: Arguments, name: str, tile: TileValue, scale: TileValue, k: int, blocks: tuple[int, ...],
    wanted: list[tuple[int, ...]],
) -> Poison:  # fmt: skip
    """Reports scales of a shape that is none."""
    sizes = " or ".join(map(str, blocks))
    why = f"a scale stands for {sizes} of the {k} elements along the inner axis"
    if not wanted:
        return _scales(c, a, name, tile, scale, why, f"take a multiple of {blocks[0]} elements along it")
    if (*scale.shape[:-2], *scale.shape[:-3:-1]) in wanted:
        edit = f"transpose them: `{primary(a.text(c, f'{name}_scale'))}.T`"
        return _scales(c, a, name, tile, scale, f"the scales of `{name}` are {show_shape(wanted[0])}", edit)
    shapes = " or ".join(show_shape(shape) for shape in wanted)
    return _scales(c, a, name, tile, scale, why, f"give `{name}_scale` the shape {shapes}")


def _scales(c: Context, a: Arguments, name: str, tile: TileValue, scale: TileValue, why: str, edit: str) -> Poison:
    shown = [show_tile(t.dtype, t.shape) for t in (tile, scale)]
    error = errors.MmaScales(c.span(a.place(f"{name}_scale")), operand=name, tile=shown[0], scale=shown[1], why=why)
    return c.error(error.add(error.Instead(edit)))


def _operands(node: core.Node) -> list[core.Expr]:
    if isinstance(node, core.Call):
        return node.args[:3:2] if len(node.args) == 5 else node.args  # scales stand behind what they scale
    return [node.left, node.right] if isinstance(node, core.BinOp) else []


def _operand(c: Context, node: core.Node, position: int) -> str:
    """The text of an operand, so that `.T` can follow."""
    given = _operands(node)
    return c.primary(given[position]) if len(given) > position else "ab"[position]


def _operand_place(c: Context, node: core.Node, position: int) -> Span | None:
    given = _operands(node)
    return c.span(given[position]) if len(given) > position else None


def _dtypes(
    c: Context, x: TileValue, y: TileValue, acc: TileValue, node: core.Node, place: core.Node, fits: bool,
    allowed: tuple[DType, ...], function: str = "mma",
) -> Poison:  # fmt: skip
    if not allowed:
        scaled = " in blocks with scales" if function == "mma_scaled" else ""
        why = f"tensor cores do not multiply `{x.dtype}`{scaled}"
    elif not fits:
        why = "both operands have one dtype"
    else:
        why = f"`{x.dtype}` is accumulated in {' or '.join(f'`{d}`' for d in allowed)}"
    primary = place if allowed and fits else node
    error = errors.MmaTypes(
        c.span(primary), a=str(x.dtype), b=str(y.dtype), acc=str(acc.dtype), why=why, function=function
    )
    if not allowed:
        if function == "mma_scaled":
            known = " or ".join(f"`.astype({d})`" for d in dict.fromkeys(operand for operand, _ in SCALED))
            error.add(error.Instead(f"convert both operands: {known}"))
        elif x.dtype is dtypes.f4e2m1fn:
            error.add(error.Instead("multiply with scales: `fh.mma_scaled(a, a_scale, b, b_scale, acc)`"))
        elif x.dtype.kind == "int":
            error.add(error.Instead("convert the operands to 8 bits where their values fit: `.astype(i8)`"))
            error.add(error.Instead("or to floats, and accumulate in `f32`: `.astype(f16)`"))
        else:
            error.add(error.Instead("convert the operands first: `.astype(bf16)` or `.astype(f16)`"))
    elif not fits:
        wide = y if y.dtype.bits > x.dtype.bits else x
        narrow = _operand(c, node, 1 if wide is x else 0)
        edit = f"convert one of them: `{narrow}.astype(fh.{wide.dtype})`"
        error.add(error.Instead(edit, at=_operand_place(c, node, 1 if wide is x else 0)))
    else:
        edit = advice_on_values.of_accumulator(c, place, acc.shape, allowed[0])
        error.add(error.Instead(edit.text, at=edit.at(c)))
    return c.error(error)


def _shapes(
    c: Context, x: TileValue, y: TileValue, acc: TileValue | None, node: core.Node, why: str, edit: str | None = None,
    function: str = "mma",
) -> Poison:  # fmt: skip
    shown = show_shape((*x.shape[:-1], *y.shape[-1:])) if acc is None else show_shape(acc.shape)
    error = errors.MmaShapes(
        c.span(node), a=show_shape(x.shape), b=show_shape(y.shape), acc=shown, why=why, function=function
    )
    if edit is not None:
        error.add(error.Instead(edit))
    elif len(x.shape) == len(y.shape) == 2 and x.shape[1] != y.shape[0]:
        if x.shape[1] == y.shape[1]:
            error.add(error.Instead(f"transpose the second: `{_operand(c, node, 1)}.T`", at=_operand_place(c, node, 1)))
        elif x.shape[0] == y.shape[0]:
            error.add(error.Instead(f"transpose the first: `{_operand(c, node, 0)}.T`", at=_operand_place(c, node, 0)))
        else:
            wanted = show_shape((x.shape[1], y.shape[1]))
            error.add(error.Instead(f"load the second with shape {wanted}, so that its rows are the first's columns"))
    elif acc is not None and len(x.shape) == len(y.shape) == 2:
        wanted = show_shape((x.shape[0], y.shape[1]))
        error.add(error.Instead(f"begin with an accumulator of that shape: `fh.zeros({wanted}, {acc.dtype})`"))
    return c.error(error)
