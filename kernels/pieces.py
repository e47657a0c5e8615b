"""
Products of float32 on tensor cores: each element in pieces of bf16, each pair of pieces by itself.

A float32 has 24 bits, a bf16 has 8: three pieces h + m + l are the element to the last bit, and the range of their
exponents is the same. Of the nine products of pieces the six largest are added up, the smallest first; what is left out
is below 2**-25 of the product. Two pieces have 16 bits or more, where TF32 has 11.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import freehold as fh
from freehold import Const, Mut, Out, Ref, bf16, f32, i32
from freehold.kernels.activations import ended
from freehold.kernels.operators import torch_dtype
from freehold.kernels.schedules import PROCESSORS, ceildiv, cut, hinted, power_of_two
from freehold.kernels.tiles import extents_agree, safe

GREATEST: Final = 3.3895313892515355e38
"""The greatest bf16."""


def torn(x: Any, dtype: Any, more: bool) -> tuple[Any, Any]:
    """The first piece of a tile in `dtype`, and with `more` what is left for others."""
    if x.dtype == dtype:
        return x, x
    piece = fh.clip(x, -GREATEST, GREATEST).astype(dtype) if dtype == bf16 else x.astype(dtype)
    return piece, x - piece.astype(f32) if more else x


def torn_all(x: Any, PIECES: int) -> tuple[Any, ...]:
    """The pieces of a tile; with none, it is its only one."""
    if PIECES == 0:
        return (x,)
    found: Any = ()
    rest = x
    for s in fh.static_range(PIECES):
        piece, rest = torn(rest, bf16, s + 1 < PIECES)
        found = (*found, piece)
    return found


def multiplied(a: tuple[Any, ...], b: tuple[Any, ...], acc: Any, TURNED: bool = False) -> Any:
    """
    acc + a @ b, or with `TURNED` a @ b.T, for tiles in one, two or three pieces: of each pair of pieces whose numbers,
    from 0 on, add up to less than so many.
    """
    for total in fh.static_range(len(a) - 1, -1, -1):
        for s in fh.static_range(total + 1):
            acc = fh.mma(a[s], b[total - s].T if TURNED else b[total - s], acc)
    return acc


def tile_of(t: Any, at: Any, tile: tuple[int, int], turned: bool, latency: int | None = None) -> Any:
    """The tile at (..., i, j) of a matrix, of several, or with `turned` of what it is the transpose of."""
    front = (1,) * (len(at) - 2)
    if turned:
        at, shape = (*at[:-2], at[-1], at[-2]), (tile[1], tile[0])
        return t.load(at, (*front, *shape), latency=latency).reshape(shape).T
    return t.load(at, (*front, *tile), latency=latency).reshape(tile)


def one_of(t: Any, axis: int, z: Any) -> Any:
    """Number `z` along an axis, or 0 where there is but one for all."""
    return fh.minimum(z, t.shape[axis] - 1)


# freehold: S=3 PIECES=3
@safe
def split_tiles(y: Out[bf16, "S", "Z", "M", "N"], x: Ref[f32, "Z", "M", "N"], PIECES: Const[int]):
    """y[s] = piece s of x."""
    fh.require("S == 3" if PIECES == 3 else "S == 2")
    z, m, n = y.index
    rest = x.load((z, m, n), y.tile[1:])
    for s in fh.static_range(PIECES):
        piece, rest = torn(rest, bf16, s + 1 < PIECES)
        y.at(s).store(piece.reshape(y.tile))


# freehold: S=3 BK=16 PIECES=3
@safe
def product_of_pieces(
    c: Out[f32, "Z", "M", "N"],
    wrong: Out[i32, "Z", "U", "V"],
    a: Ref[bf16, "S", "Y", "A", "B"],
    b: Ref[bf16, "S", "X", "P", "Q"],
    bias: Ref[f32, "N"] | None,
    residual: Ref[f32, "M", "N"] | None,
    BK: Const[int],
    TA: Const[bool],
    TB: Const[bool],
    PIECES: Const[int],
    PARTS: Const[bool] = False,
    ACT: Const[str] = "",
):
    """
    c[z] = activate(a[z] @ b[z] + bias) + residual of matrices in pieces, each where it is given.

    a and b may be one for all z. With `PARTS` c.sum(axis=0) is a @ b, and part z has every Z-th step along the sum.
    `wrong` is 1 for tiles with a sum that is not finite, else 0. The sums of each step are added up outside `mma`,
    which rounds towards zero.
    """
    fh.require("S == 3" if PIECES == 3 else "S == 2")
    extents_agree(TA, TB)
    z, m, n = c.index
    _, TM, TN = c.tile
    first, step = (z, c.shape[0]) if PARTS else (0, 1)
    acc = fh.zeros((TM, TN), f32)
    for k in fh.tiles(a, axis=2 if TA else 3, size=BK, start=first, step=step):
        x: Any = ()
        y: Any = ()
        for s in fh.static_range(PIECES):
            x = (*x, tile_of(a, (s, one_of(a, 1, z), m, k), (TM, BK), TA))
            y = (*y, tile_of(b, (s, one_of(b, 1, z), k, n), (BK, TN), TB))
        acc += multiplied(x, y, fh.zeros((TM, TN), f32))
    wrong.store(fh.where(abs(acc) < float("inf"), 0, 1).max().reshape(1, 1, 1))
    c.store(ended(acc, m, n, bias, residual, ACT)[None])


@safe
def mend_product(
    c: Mut[f32, "Z", "M", "N"],
    wrong: Ref[i32, "W", "U", "V"],
    a: Ref[f32, "Y", "A", "B"],
    b: Ref[f32, "X", "P", "Q"],
    bias: Ref[f32, "N"] | None,
    residual: Ref[f32, "M", "N"] | None,
    BK: Const[int],
    TA: Const[bool],
    TB: Const[bool],
    PARTS: Const[bool] = False,
    ACT: Const[str] = "",
):
    """
    As `product_of_pieces`, of elements as they are, for the tiles that `wrong` says: an infinity has no pieces. With
    `PARTS` it says so of each part of a sum.
    """
    extents_agree(TA, TB)
    z, m, n = c.index
    _, TM, TN = c.tile
    at = one_of(wrong, 1, m), one_of(wrong, 2, n)
    found = fh.zeros((), i32)
    if PARTS:
        for part in fh.tiles(wrong, axis=0, size=1):
            found += wrong.load((part, *at), ())
    else:
        found = wrong.load((one_of(wrong, 0, z), *at), ())
    if found > 0:
        acc = fh.zeros((TM, TN), f32)
        for k in fh.tiles(a, axis=1 if TA else 2, size=BK):
            x = tile_of(a, (one_of(a, 0, z), m, k), (TM, BK), TA)
            acc = fh.mma(x, tile_of(b, (one_of(b, 0, z), k, n), (BK, TN), TB), acc)
        c.store(ended(acc, m, n, bias, residual, ACT)[None])


# --- Launches ---------------------------------------------------------------------------------------------------------

MANY: Final = 1 << 27
"""Products of elements from which on pieces pay."""

_TILE: Final = (128, 64)
_BANDS: Final = fh.grouped(8)


def in_pieces_is_faster(x: Any, count: int) -> bool:
    """Whether a product with so many products of elements of `x` is worth the copies."""
    return count >= MANY and x.dtype == torch_dtype("float32")


def in_pieces(x: Any, pieces: int) -> Any:
    """The matrices x (Z, M, N) of float32 in pieces (S, Z, M, N) of bf16, rows a multiple of 16 bytes apart."""
    Z, M, N = x.shape
    y = x.new_empty((pieces, Z, M, ceildiv(N, 8) * 8), dtype=torch_dtype("bfloat16"))[..., :N]
    width = min(512, power_of_two(N))
    tile = 1, 1, min(2048 // width, power_of_two(M)), width
    split_tiles(cut(y, tile, owned=0), x, pieces).on()
    return y


def launch_product(
    c: Any,
    a: Any,
    b: Any,
    turned: tuple[bool, bool],
    pieces: int,
    ends: tuple[Any, Any, str] = (None, None, ""),
    total: Callable[[Any], Any] | None = None,
) -> None:
    """
    Writes activate(a @ b + bias) + residual to c (Z, M, N), of float32, by as many pieces an element.

    a and b are (Z, ...) or (1, ...), `turned` whether transposed; `ends` bias and residual, or None, and the
    activation. `total(parts)` is the launch that adds up parts (splits, M, N) of a single product; without it none is
    cut.
    """
    _, M, N = c.shape
    K = a.shape[1 if turned[0] else 2]
    TM, TN = tile = _TILE
    blocks = ceildiv(M, TM) * ceildiv(N, TN)
    splits = 1
    while total is not None and splits < 64 and blocks * splits * 2 <= 2 * PROCESSORS and 1024 * splits <= K:
        splits *= 2
    parts = splits > 1
    room = c.new_empty((splits, M, N)) if parts else c
    wrong = c.new_empty((room.shape[0], ceildiv(M, TM), ceildiv(N, TN)), dtype=torch_dtype("int32"))
    one, other = in_pieces(a, pieces), in_pieces(b, pieces)
    step = max(16, min(64, power_of_two(K)))
    *extra, activation = ends
    hints = {"num_worker_warps": 4, "occupancy": 2}
    part = (cut(t, size, order=_BANDS, blocks=fh.PERSISTENT) for t, size in ((room, (1, *tile)), (wrong, (1, 1, 1))))
    rest = (None, None, step, *turned, pieces, True) if parts else (*extra, step, *turned, pieces, False, activation)
    hinted(product_of_pieces, hints)(*part, one, other, *rest).on()
    if parts:
        assert total is not None
        total(room).on()
    mend_product(cut(c, (1, *tile)), wrong, a, b, *extra, 16, *turned, parts, activation).on()
