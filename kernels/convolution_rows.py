"""
Convolutions as products of matrices that lie in memory already: channels last, one copy, seen once for each tap.

A copy of the input with its channels last, and room for the padding, is all that is made. A view of it that overlaps
itself has the places of every tap as rows, so nothing is gathered. A transposed convolution of stride s is s plain ones
an axis, each of every s-th place. Elements of float32 are copied in two or three pieces of bf16; see `pieces`.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import freehold as fh
from freehold import Const, Out, Ref, f32, i32
from freehold.kernels.operators import torch_dtype
from freehold.kernels.pieces import multiplied, torn
from freehold.kernels.schedules import ceildiv, cut, hinted, power_of_two
from freehold.kernels.tiles import accumulator, places, safe, wide

# --- Kernels ----------------------------------------------------------------------------------------------------------


# freehold: S=3 PIECES=3
@safe
def channels_last(y: Out["S", "R", "D", "H", "W", "L"], x: Ref["R", "C", "D", "H", "W"], PIECES: Const[int]):
    """y[s, r, d, h, w, c] = piece s of x[r, c, d, h, w]; zeros for channels that x does not have."""
    fh.require("S == 3" if PIECES == 3 else "S == 2" if PIECES == 2 else "S == 1")
    r, d, h, w, c = y.index
    _, _, _, _, TW, TC = y.tile
    rest = x.load((r, c, d, h, w), (1, TC, 1, 1, TW)).reshape(TC, TW).T
    for s in fh.static_range(PIECES):
        piece, rest = torn(rest, y.dtype, s + 1 < PIECES)
        y.at(s).store(piece.reshape(y.tile))


# freehold: S=3 PIECES=3 JOINED=False
@safe
def weights_of_taps(
    y: Out["S", "G", "V", "CO", "K"],
    w: Ref["G", "CO", "CI", "D", "H", "W"],
    d: i32,
    dd: i32,
    h: i32,
    dh: i32,
    t: i32,
    dt: i32,
    KH: i32,
    KW: i32,
    C: i32,
    JOINED: Const[bool],
    PIECES: Const[int],
):
    """
    The weights of some taps, from (d, h, t) on by (dd, dh, dt), in pieces: K are C channels, or with `JOINED` those of
    each of KW taps along width.
    """
    fh.require("S == 3" if PIECES == 3 else "S == 2" if PIECES == 2 else "S == 1")
    fh.require("KH > 0 and KW > 0 and C > 0")
    g, v, c, k = y.index
    _, _, _, TC, TK = y.tile
    out, column = places(c * TC, TC)[:, None], places(k * TK, TK)[None, :]
    if JOINED:
        at = d + v // KH * dd, h + v % KH * dh, t + column // C * dt
    else:
        at = d + v // KW // KH * dd, h + v // KW % KH * dh, t + v % KW * dt
    rest = w.gather(g, out, column % C, *at)
    for s in fh.static_range(PIECES):
        piece, rest = torn(rest, y.dtype, s + 1 < PIECES)
        y.at(s).store(piece.reshape(y.tile))


def within(i: Any, n: Any) -> Any:
    """`i`, which is from 0 to n - 1; so that this need not be proved."""
    return fh.clip(i, 0, n - 1)


# freehold: S=3 PIECES=3 BIAS=True TURNED=False
@safe
def rows_convolved(
    y: Out["N", "G", "CO", "D", "H", "W"],
    x: Ref["R", "T", "X", "W", "K"],
    w: Ref["S", "G", "V", "CO", "K"],
    bias: Ref["G", "L"],
    deep: i32,
    first: i32,
    STEPS: Const[Any],
    TK: Const[int],
    CK: Const[int],
    PIECES: Const[int],
    BIAS: Const[bool],
    TURNED: Const[bool],
):
    """
    y = the sum over taps v of w[v] @ x at v, + bias. With `TURNED` the transpose is computed.

    `x` has for each of T taps the rows of all places: R are pieces, samples, groups and `deep` slices of depth, counted
    as one, of which a sample's `first` is the first that counts. `STEPS` are step and dilation of depth, and of height
    its taps, step and dilation where T are the taps of width alone.
    """
    fh.require("S == 3" if PIECES == 3 else "S == 2" if PIECES == 2 else "S == 1")
    SD, DD, KH, SH, DH = STEPS
    fh.require("X == H" if KH == 1 else "X > 0")
    n, g, c, d, h, place = y.index
    _, _, TC, _, TH, TW = y.tile
    T = x.shape[1]
    each = y.shape[0] * y.shape[1] * deep
    begin = (n * y.shape[1] + g) * deep + first + d * SD
    acc = fh.zeros((TH * TW, TC) if TURNED else (TC, TH * TW), f32)
    for i in range(w.shape[2] * CK):
        v, k = within(i // CK, w.shape[2]), within(i % CK, fh.cdiv(x.shape[4], TK))
        t = within(v % T, T)
        row, high = begin + v // T // KH * DD, h
        if KH > 1:
            high = within(h * SH + v // T % KH * DH, x.shape[2])
        given: Any = ()
        weights: Any = ()
        for s in fh.static_range(PIECES):
            at = within(row + s * each, x.shape[0]), t, high, place, k
            given = (*given, x.load(at, (1, 1, TH, TW, TK)).reshape(TH * TW, TK))
            weights = (*weights, w.load((s, g, v, c, k), (1, 1, 1, TC, TK)).reshape(TC, TK))
        one, other = (given, weights) if TURNED else (weights, given)
        if PIECES == 3:
            acc += multiplied(one, other, fh.zeros(acc.shape, f32), True)
        else:
            acc = multiplied(one, other, acc, True)
    if TURNED:
        acc = acc.T
    if BIAS:
        fh.require("L == CO")
        acc += bias.load((g, c), (1, TC)).reshape(TC, 1).astype(f32)
    y.store(acc.reshape(y.tile).astype(y.dtype))


# freehold: y=(1, 1, 16, 16) BIAS=True TF32=False
@safe
def pointwise_tiles(
    y: Out["N", "G", "CO", "P"],
    x: Ref["N", "G", "CI", "P"],
    w: Ref["G", "CO", "CI"],
    bias: Ref["G", "L"],
    TK: Const[int],
    BIAS: Const[bool],
    TF32: Const[bool],
):
    """
    y = w @ x + bias: a convolution whose window is one place, in each of G groups of channels.

    With `TF32` the product is that of the transposes: tensor cores take the places as rows there, from registers.
    """
    n, g, c, p = y.index
    _, _, TC, TP = y.tile
    acc = fh.zeros((TP, TC) if TF32 else (TC, TP), f32)
    for k in fh.tiles(w, axis=2, size=TK):
        weights = w.load((g, c, k), (1, TC, TK)).reshape(TC, TK)
        given = x.load((n, g, k, p), (1, 1, TK, TP)).reshape(TK, TP)
        if TF32:
            acc = fh.mma(given.astype(fh.tf32).T, weights.astype(fh.tf32).T, acc)
        else:
            acc = fh.mma(weights, given, acc)
    if TF32:
        acc = acc.T
    if BIAS:
        fh.require("L == CO")
        acc += bias.load((g, c), (1, TC)).reshape(TC, 1).astype(f32)
    y.store(acc.reshape(y.tile).astype(y.dtype), allow_tma=not TF32)


# freehold: y=(1, 1, 16, 16) A=3 B=3 K=9 HIGH=3 WIDE=3 BIAS=True
@safe
def depthwise_places(
    y: Out["N", "C", "H", "W"],
    x: Ref["N", "C", "A", "B", "H", "W"],
    w: Ref["C", "K"],
    bias: Ref["C"],
    HIGH: Const[int],
    WIDE: Const[int],
    BIAS: Const[bool],
):
    """y = the sum over taps of w * x at the tap, + bias: each channel by itself, of windows that lie in x."""
    fh.require(x.shape[2] == HIGH, "taps along height")
    fh.require(x.shape[3] == WIDE, "taps along width")
    fh.require(w.shape[1] == HIGH * WIDE, "a weight for each tap")
    n, c, h, place = y.index
    _, _, TH, TW = y.tile
    acc = fh.zeros((TH, TW), accumulator(x.dtype))
    for k in fh.static_range(HIGH * WIDE):
        t = x.load((n, c, k // WIDE, k % WIDE, h, place), (1, 1, 1, 1, TH, TW), allow_tma=False)
        acc += wide(t.reshape(TH, TW)) * wide(w.load((c, k), ()))
    if BIAS:
        acc += wide(bias.load(c, ()))
    y.store(acc.reshape(y.tile).astype(y.dtype), allow_tma=False)


# --- Geometry ---------------------------------------------------------------------------------------------------------


class Axis(NamedTuple):
    """A plain convolution along an axis, of some of the places of the result."""

    first: int
    every: int
    """Its places in the result: from `first` on, each `every`-th."""
    places: int
    taps: tuple[int, ...]
    """Which places of the window it has, in the order of what they see."""
    start: int
    """What the first place's first tap sees; negative in front of the input."""
    step: int
    """From place to place."""
    dilation: int
    """From tap to tap."""

    @property
    def stop(self) -> int:
        """Behind the last that is seen."""
        return self.start + (self.places - 1) * self.step + (len(self.taps) - 1) * self.dilation + 1


def along(out: int, taps: int, stride: int, pad: int, dilation: int, back: bool) -> list[Axis]:
    """The plain convolutions that one along an axis is made of, for `out` places; `back`: a transposed one."""
    if not back:
        return [Axis(0, 1, out, tuple(range(taps)), -pad, stride, dilation)]
    found: list[Axis] = []
    for r in range(min(stride, out)):
        ks = tuple(k for k in reversed(range(taps)) if (r + pad - k * dilation) % stride == 0)
        seen = [(r + pad - k * dilation) // stride for k in ks]
        between = seen[1] - seen[0] if len(seen) > 1 else 1
        found.append(Axis(r, stride, ceildiv(out - r, stride), ks, seen[0] if seen else 0, 1, between))
    return found


class Seen(NamedTuple):
    """The copy of an input, channels last, and where in it the input begins along three axes."""

    buffer: Any
    """(pieces, samples and groups, depth, height, width, channels)."""
    begin: list[int]


def copied(x: Any, axes: list[list[Axis]], pieces: int) -> Seen:
    """The copy of `x`, (samples and groups, channels, depth, height, width), with room for padding."""
    R, C, *sizes = x.shape
    begin = [max(0, -min(a.start for a in of)) for of in axes]
    ends = [max(n, max(a.stop for a in of)) for n, of in zip(sizes, axes, strict=True)]
    full = [b + e for b, e in zip(begin, ends, strict=True)]
    dtype = x.dtype if x.element_size() == 2 else torch_dtype("bfloat16")
    buffer = x.new_empty((pieces, R, *full, ceildiv(C, 8) * 8), dtype=dtype)
    inner = buffer
    for axis, (b, n, of) in enumerate(zip(begin, sizes, full, strict=True), 2):
        if b:
            buffer.narrow(axis, 0, b).zero_()
        if of > b + n:
            buffer.narrow(axis, b + n, of - b - n).zero_()
        inner = inner.narrow(axis, b, n)
    width, deep = min(64, power_of_two(sizes[2])), min(64, power_of_two(buffer.shape[-1]))
    part = cut(inner, (1, 1, 1, 1, width, deep), owned=0)
    hinted(channels_last, {"occupancy": 8})(part, x, pieces).on()
    return Seen(buffer, begin)


# --- Launches ---------------------------------------------------------------------------------------------------------


class Cut(NamedTuple):
    """How a result is cut."""

    channels: int
    high: int
    width: int
    warps: int
    occupancy: int
    deep: int = 64
    """What is added up in a step, at most."""
    turned: bool = True
    """Whether places are the rows of products, and not channels."""


def cutting(channels: int, high: int, width: int, rows: bool, pieces: int) -> Cut:
    """A cut for so many channels, and places along height and width; `rows`: of one row a tile."""
    TC = max(16, min(128, power_of_two(channels)))
    target = 256 if TC in (32, 64) and pieces == 2 else 64 if TC == 128 and pieces != 2 else 128
    sizes = [n for n in (256, 128, 64, 32, 16) if n <= (target if rows else min(128, target))]
    least = min(ceildiv(width, n) * n for n in sizes)
    TW = next(n for n in sizes if ceildiv(width, n) * n * 10 <= least * 11)
    TH = 1 if rows else min(target // TW, power_of_two(high))
    if TC * TH * TW > 8192:
        return Cut(TC, TH, TW, 8, 1, turned=rows or TC > 64)
    if TC == 32 and TH * TW == 256:
        return Cut(TC, TH, TW, 4, 2, 32)
    return Cut(TC, TH, TW, 4, 2 if TC >= 64 or pieces == 3 else 3)


def convolved_by_rows(y: Any, x: Any, w: Any, bias: Any, axes: list[list[Axis]], pieces: int) -> None:
    """
    Writes the convolution of `x` (N, G, CI, D, H, W) by `w` (G, CO, CI, ...) to `y` (N, G, CO, D, H, W), along each of
    three axes as `along` says, elements of float32 in so many pieces.
    """
    seen = copied(x.flatten(0, 1), axes, pieces)
    if any(not a.taps for of in axes for a in of):  # all at once: each by itself would be written at strides
        if bias is None:
            y.zero_()
        else:
            y.copy_(bias[None, :, :, None, None, None].expand(y.shape))
    for classes in product(*axes):
        if not all(a.taps for a in classes):
            continue
        out = y
        for axis, a in enumerate(classes, 3):
            if a.every > 1:
                out = out[(slice(None),) * axis + (slice(a.first, None, a.every),)]
        _launch(out, seen, w, bias, classes)


def _launch(y: Any, seen: Seen, w: Any, bias: Any, classes: tuple[Axis, ...]) -> None:
    S, NG, D, H, W, C = seen.buffer.shape
    G, CO = w.shape[:2]
    deep, high, wide = classes
    KD, KH, KW = (len(a.taps) for a in classes)
    at = [a.start + b for a, b in zip(classes, seen.begin, strict=True)]
    joined = KW == 1 or wide.dilation == 1  # neighbouring taps are neighbours in memory
    V, K = (KD * KH, KW * C) if joined else (KD * KH * KW, C)
    weights = w.new_empty((S, G, V, CO, K), dtype=seen.buffer.dtype)
    shape = 1, 1, 1, min(16, power_of_two(CO)), min(64, power_of_two(K))
    taps = (t for a in classes for t in (a.taps[0], a.taps[1] - a.taps[0] if len(a.taps) > 1 else 0))
    weights_of_taps(cut(weights, shape, owned=0), w, *taps, KH, KW, C, joined, S).on()
    rows = not joined and KH > 1
    count_of_taps, between = (KH, high.dilation * W * C) if joined else (KW, wide.dilation * C)
    count, step = (H - at[1], W * C) if rows else (high.places, high.step * W * C)
    view = seen.buffer.as_strided(
        (S * NG * D, count_of_taps, count, wide.places, K),
        (H * W * C, between, step, wide.step * C, 1),
        seen.buffer.storage_offset() + (at[1] * W + at[2]) * C,
    )
    way = cutting(CO, high.places, wide.places, rows, S)
    steps = deep.step, deep.dilation, *((KH, high.step, high.dilation) if rows else (1, 1, 1))
    TK = max(16, min(way.deep, power_of_two(K)))
    part = cut(y, (1, 1, way.channels, 1, way.high, way.width), blocks=fh.PERSISTENT)
    hints = {"num_worker_warps": way.warps, "occupancy": way.occupancy}
    extra = w[:, :, 0, 0, 0, 0] if bias is None else bias
    given = D, at[0], steps, TK, ceildiv(K, TK), S, bias is not None, way.turned
    hinted(rows_convolved, hints)(part, view, weights, extra, *given).on()


def pointwise(y: Any, x: Any, w: Any, bias: Any, tf32: bool) -> None:
    """Writes w @ x + bias to y (N, G, CO, P), for x (N, G, CI, P) and w (G, CO, CI)."""
    CO, CI = w.shape[1:]
    part = cut(y, (1, 1, max(16, min(128, power_of_two(CO))), min(64, power_of_two(y.shape[3]))), blocks=fh.PERSISTENT)
    extra = w[:, :, 0] if bias is None else bias
    given = max(16, min(64, power_of_two(CI))), bias is not None, tf32
    hinted(pointwise_tiles, {"num_worker_warps": 4, "occupancy": 2})(part, x, w, extra, *given).on()


def depthwise(y: Any, x: Any, w: Any, bias: Any, stride: list[int], dilation: list[int]) -> None:
    """
    Writes the convolution of each channel of `x` (N, C, H, W) by its own of `w` (C, ..., taps along height and width),
    + bias, to `y` (N, C, H, W): of windows that lie in x.
    """
    N, C, H, W = y.shape
    high, wide = w.shape[-2:]
    s = x.stride()
    view = x.as_strided(
        (N, C, high, wide, H, W),
        (
            *s[:2],
            *(d * n for d, n in zip(dilation, s[2:], strict=True)),
            *(d * n for d, n in zip(stride, s[2:], strict=True)),
        ),
        x.storage_offset(),
    )
    width = min(512, power_of_two(W))
    part = cut(y, (1, 1, min(512 // width, power_of_two(H)), width))
    weights = w.reshape(C, -1)
    given = weights[:, 0] if bias is None else bias
    kernel = hinted(depthwise_places, {"num_worker_warps": 4, "occupancy": 16})
    kernel(part, view, weights, given, high, wide, bias is not None).on()
