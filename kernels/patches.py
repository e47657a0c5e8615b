"""Convolutions as products of shifted windows: of an image that is padded, its channels last, its strides apart."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from math import prod
from typing import Any, NamedTuple

import freehold as fh
from freehold import Const, Out, Ref
from freehold.kernels.pieces import torn
from freehold.kernels.products import sum_dtype
from freehold.kernels.schedules import PROCESSORS, ceildiv, cut, hinted, power_of_two
from freehold.kernels.tiles import places, safe

# --- Kernels ----------------------------------------------------------------------------------------------------------


@safe
def patches_apart(
    p: Out["B", "PD", "PH", "PW", "C"],
    x: Ref["Z", "C", "D", "H", "W"],
    STRIDE: Const[tuple[int, int, int]],
    PAD: Const[tuple[int, int, int]],
    PIECE: Const[int | None] = None,
):
    """
    p[z * A + a, d, h, w, c] = x[z, c, (d, h, w) * STRIDE + a - PAD], and zeros where x has nothing.

    `a` counts the A places within a stride along three axes: what windows at neighbouring places see lies side by side.
    With `PIECE` it is this piece of x, from 0 on, in the dtype of p.
    """
    b, d, _, _, c = p.index
    _, _, high, width, deep = p.tile
    A = STRIDE[0] * STRIDE[1] * STRIDE[2]
    z, a = b // A, b % A
    depth = d * STRIDE[0] + a // (STRIDE[1] * STRIDE[2]) - PAD[0]
    row = (p.start[2] + fh.arange(high)) * STRIDE[1] + a // STRIDE[2] % STRIDE[1] - PAD[1]
    column = (p.start[3] + fh.arange(width)) * STRIDE[2] + a % STRIDE[2] - PAD[2]
    t = x.gather(z, places(c * deep, deep)[:, None, None], depth, row[None, :, None], column[None, None, :])
    if PIECE is not None:
        for _ in fh.static_range(PIECE):
            t = torn(t, p.dtype, True)[1]
        t = torn(t, p.dtype, False)[0]
    p.store(t.reshape(deep, high * width).T.reshape(p.tile))


@safe
def patches_multiplied(
    y: Out["B", "CO", "D", "H", "W"],
    p: Ref["Q", "PD", "PH", "PW", "CI"],
    w: Ref["G", "T", "CO", "CI"],
    bias: Ref["G", "L"],
    SIZE: Const[tuple[int, int, int]],
    STRIDE: Const[tuple[int, int, int]],
    DILATION: Const[tuple[int, int, int]],
    TK: Const[int],
    BIAS: Const[bool] = False,
    TURNED: Const[bool] = False,
):
    """
    y[b] = w[b % G] @ windows of p + bias: a window's T places, counted along three axes, are shifts of p, which
    `patches_apart` has made. With `TURNED` the transpose is computed, for which few channels are enough.
    """
    fh.require("G > 0")
    fh.require(f"Q == B * {STRIDE[0] * STRIDE[1] * STRIDE[2]} and T == {SIZE[0] * SIZE[1] * SIZE[2]}")
    fh.require(f"PD >= D + {(SIZE[0] - 1) * DILATION[0] // STRIDE[0]}")
    fh.require(f"PH >= H + {(SIZE[1] - 1) * DILATION[1] // STRIDE[1]}")
    fh.require(f"PW >= W + {(SIZE[2] - 1) * DILATION[2] // STRIDE[2]}")
    b, c, _, _, _ = y.index
    _, TC, TD, TH, TW = y.tile
    TP = TD * TH * TW
    acc = fh.zeros((TP, TC) if TURNED else (TC, TP), sum_dtype(p.dtype))
    for t in fh.tiles(w, axis=1, size=1):
        d = t // (SIZE[1] * SIZE[2]) * DILATION[0]
        h, v = t // SIZE[2] % SIZE[1] * DILATION[1], t % SIZE[2] * DILATION[2]
        a = (d % STRIDE[0] * STRIDE[1] + h % STRIDE[1]) * STRIDE[2] + v % STRIDE[2]
        image = b * (STRIDE[0] * STRIDE[1] * STRIDE[2]) + a
        at = y.start[2] + d // STRIDE[0], y.start[3] + h // STRIDE[1], y.start[4] + v // STRIDE[2]
        for k in fh.tiles(p, axis=4, size=TK):
            seen = p.load_from((image, *at, k * TK), (1, TD, TH, TW, TK)).reshape(TP, TK)
            weights = w.load((b % w.shape[0], t, c, k), (1, 1, TC, TK)).reshape(TC, TK)
            if TURNED:
                acc = fh.mma(seen, weights.T, acc)
            else:
                acc = fh.mma(weights, seen.T, acc)
    if TURNED:
        acc = acc.T
    if BIAS:
        fh.require("L == CO")
        acc += bias.load((b % w.shape[0], c), (1, TC)).reshape(TC, 1).astype(acc.dtype)
    y.store(acc.reshape(y.tile).astype(y.dtype))


# --- Schedules --------------------------------------------------------------------------------------------------------


class Patches(NamedTuple):
    """A convolution without strides backwards: each along three axes."""

    size: tuple[int, int, int]
    stride: tuple[int, int, int]
    pad: tuple[int, int, int]
    dilation: tuple[int, int, int]

    def room(self, extents: Any) -> tuple[int, ...]:
        """How much of the padded image the windows of so many places see, of every place within a stride."""
        along = zip(extents, self.size, self.stride, self.dilation, strict=True)
        return tuple(n + (k - 1) * d // s for n, k, s, d in along)


@cache
def spread(extents: tuple[int, int, int], most: int) -> tuple[int, int, int]:
    """The tile of at most so many places, and 16 or more, of which the fewest cover the extents."""
    d, h, w = (power_of_two(n) for n in extents)
    sizes = [1 << n for n in range(most.bit_length())]
    tiles = [(a, b, c) for a, b, c in product(sizes, repeat=3) if a <= d and b <= h and c <= max(16, w)]
    fitting = [t for t in tiles if 16 <= prod(t) <= most]
    return min(fitting, key=lambda t: (prod(map(ceildiv, extents, t)), -t[2]))


# --- Launches ---------------------------------------------------------------------------------------------------------


def taken(x: Any, stride: tuple[int, ...], back: bool) -> bool:
    """Whether a convolution of x (N, G, CI, D, H, W) is made this way: of 16 bits, where channels fill 16 bytes."""
    channels = x.shape[2]
    return x.element_size() == 2 and channels >= 16 and channels % 8 == 0 and not (back and max(stride) > 1)


def launches(y: Any, x: Any, w: Any, bias: Any, window: Any) -> Iterator[Any]:
    """The launches that make y (N, G, CO, D, H, W) of x (N, G, CI, ...) and w (G, CO, CI, ...)."""
    *given, back = window
    how = Patches(*given)
    if back:
        pad = tuple((k - 1) * d - p for k, d, p in zip(how.size, how.dilation, how.pad, strict=True))
        how, w = how._replace(pad=pad), w.flip(3, 4, 5)
    N, G, CO, *extents = y.shape
    CI = x.shape[2]
    p = x.new_empty((N * G * prod(how.stride), *how.room(extents), CI))
    deep, width = min(64, power_of_two(CI)), min(64, power_of_two(p.shape[3]))
    part = cut(p, (1, 1, max(1, 4096 // (deep * width)), width, deep))
    yield hinted(patches_apart, {"occupancy": 8})(part, x.flatten(0, 1), how.stride, how.pad)
    weights = w.flatten(3).permute(0, 3, 1, 2).contiguous()
    high = max(16, min(128, power_of_two(CO)))
    large = high == 128 and N * G * ceildiv(CO, high) * prod(extents) >= 256 * PROCESSORS
    tile = (1, high, *spread(tuple(extents), 256 if large else 128))
    extra = weights[:, 0, 0] if bias is None else bias
    part = cut(y.flatten(0, 1), tile, blocks=fh.PERSISTENT)
    step = max(16, min(64, power_of_two(CI)))
    rest = p, weights, extra, how.size, how.stride, how.dilation, step, bias is not None, CO < 64
    shallow = {"num_worker_warps": 8, "occupancy": 2} if high == 64 and CI <= 64 else {"num_worker_warps": 4}
    yield hinted(patches_multiplied, {"num_worker_warps": 8} if large else shallow)(part, *rest)
