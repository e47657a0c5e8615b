"""Rotary position embedding of queries and keys, forward and backward, in both layouts of pairs."""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold import Const, Out, Ref
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import operator
from freehold.kernels.schedules import hinted, power_of_two
from freehold.kernels.tiles import part, safe


@safe
def rotate_pairs(
    y1: Out["B", "T", "H", "D"],
    y2: Out["B", "T", "H", "D"],
    x1: Ref["B", "T", "H", "D"],
    x2: Ref["B", "T", "H", "D"],
    cos: Ref["C", "T", "D"],
    sin: Ref["C", "T", "D"],
    BACK: Const[bool] = False,
    EACH: Const[bool] = False,
    H: Const[Any] = None,
    D: Const[Any] = None,
):
    """
    y1 = x1 * cos - x2 * sin and y2 = x2 * cos + x1 * sin; `BACK` rotates the other way.

    The angles are those of the positions, and with `EACH` those of every sequence by itself. With `H` and `D` there are
    so many heads and pairs.
    """
    fh.require("B <= C" if EACH else "C > 0", "every sequence has angles")
    b, t, _, d = y1.index
    _, high, _, width = y1.tile
    row = b if EACH else 0
    c = part(cos, (row, t, d), (1, high, width))[:, :, None, :]
    s = part(sin, (row, t, d), (1, high, width))[:, :, None, :]
    s = -s if BACK else s
    first, second = part(x1, y1.index, y1.tile), part(x2, y1.index, y1.tile)
    y1.store((first * c - second * s).astype(y1.dtype), allow_tma=False)
    y2.store((second * c + first * s).astype(y2.dtype), allow_tma=False)


@function()
def rope(x: Tensor, cos: Tensor, sin: Tensor, *, interleaved: bool = False) -> Tensor:
    """
    Rotates pairs of elements of each head by the angle of its position; in the shape and dtype of `x`.

    `x` is (B, T, H, D), or (T, H, D): for (B, H, T, D) give and take `.transpose(1, 2)`, which costs nothing. `cos` and
    `sin` are (T, D // 2), or (B, T, D // 2) where sequences are at positions of their own. Pairs are `(i, i + D // 2)`,
    or `(2 * i, 2 * i + 1)` where `interleaved`. Computed in float32, or float64 for float64; differentiable in `x`.
    Raises `ValueError` for other shapes.
    """
    half, T = x.shape[-1] // 2, x.shape[-3]
    fits = x.dim() in (3, 4) and x.shape[-1] % 2 == 0 and cos.shape == sin.shape
    shapes = [(T, half)] + ([(x.shape[0], T, half)] if x.dim() == 4 else [])
    if not fits or tuple(cos.shape) not in shapes:
        raise ValueError(
            f"x is (B, T, H, D) and cos and sin are (T, D // 2) or (B, T, D // 2), "
            f"not {tuple(x.shape)}, {tuple(cos.shape)} and {tuple(sin.shape)}"
        )
    return _rope(x, cos, sin, interleaved, False)


@operator(
    "rope(Tensor x, Tensor cos, Tensor sin, bool interleaved, bool back) -> Tensor",
    results=lambda x, cos, sin, interleaved, back: _unwritten(x),
    takes={"x": "floats", "cos": "floats", "sin": "floats"},
)
def _rope(y: Any, x: Any, cos: Any, sin: Any, interleaved: bool, back: bool) -> None:
    half = x.shape[-1] // 2
    each = cos.dim() == 3

    def halves(t: Any) -> tuple[Any, Any]:
        t = t if t.dim() == 4 else t[None]
        return (t[..., 0::2], t[..., 1::2]) if interleaved else (t[..., :half], t[..., half:])

    count = x.shape[-2]
    width, heads = min(power_of_two(half), 128), min(count & -count, 16)
    tile = 1, max(1, min(1024 // (width * heads), power_of_two(x.shape[-3]))), heads, width
    outs = [fh.partition(t, tile) for t in halves(y)]
    angles = (t if each else t[None] for t in (cos, sin))
    kernel = hinted(rotate_pairs, {"num_worker_warps": 4, "occupancy": 8})
    kernel(*outs, *halves(x), *angles, back, each, count, half).on()


def _unwritten(x: Any) -> Any:
    return x.new_empty_strided(x.shape, x.stride()) if _dense(x) else x.new_empty(x.shape)


def _dense(x: Any) -> bool:
    """Whether a tensor has all of its memory, each element once, in whatever order its axes are."""
    order = sorted(range(x.dim()), key=lambda axis: -x.stride(axis))
    return x.permute(order).is_contiguous()


@_rope.backward(keeps=lambda inputs, output: inputs[1:3])
def _gradient(ctx: Any, dy: Any) -> tuple[Any, ...]:
    interleaved, back = ctx.arguments
    return _rope(dy if _dense(dy) else dy.contiguous(), *ctx.saved_tensors, interleaved, not back), *(None,) * 4
