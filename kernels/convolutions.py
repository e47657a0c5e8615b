"""Convolutions over one to three axes, transposed ones, and their gradients: products whose operand is gathered."""

from __future__ import annotations

from math import prod
from typing import Any, Final, NamedTuple

import freehold as fh
from freehold import Const, Out, Ref, i32
from freehold.kernels.arguments import Extents, Tensor, function
from freehold.kernels.convolution_rows import along, convolved_by_rows, depthwise, pointwise
from freehold.kernels.depthwise import WRITTEN, by_words, sums_by_words
from freehold.kernels.operators import asked, in_tf32, operator, wide_dtype
from freehold.kernels.patches import launches, taken
from freehold.kernels.products import operand, sum_dtype
from freehold.kernels.reductions import reduce
from freehold.kernels.schedules import PROCESSORS, ceildiv, hinted, power_of_two
from freehold.kernels.tiles import accumulator, places, safe, wide
from freehold.kernels.weight_gradients import summed


class Window(NamedTuple):
    """How a window moves over three axes: its extents, steps, paddings and the distances between its places."""

    size: tuple[int, int, int]
    stride: tuple[int, int, int]
    pad: tuple[int, int, int]
    dilation: tuple[int, int, int]
    back: bool = False
    """Whether what is computed stands where the window's input stands, as in a transposed convolution."""


# --- Kernels ----------------------------------------------------------------------------------------------------------


def under(place: Any, high: Any, width: Any, tap: Any, window: Any) -> tuple[Any, Any]:
    """
    Where windows at `place`, counted along three axes of which the last two are `high` and `width`, have their place
    `tap`, counted alike; and for which it has one.
    """
    size, stride, pad, dilation, back = window
    outer = place // (high * width), place // width % high, place % width
    inner = tap // (size[1] * size[2]), tap // size[2] % size[1], tap % size[2]
    found = ()
    there = True
    for n in fh.static_range(3):
        if back:
            t = outer[n] + pad[n] - inner[n] * dilation[n]
            found = (*found, t // stride[n])
            if stride[n] > 1:
                there = there & (t % stride[n] == 0)
        else:
            found = (*found, outer[n] * stride[n] - pad[n] + inner[n] * dilation[n])
    return found, there


def gaps(window: Any) -> bool:
    """Whether some windows do not have some of their places."""
    return window[4] and max(window[1]) > 1


def patch_of(x: Any, n: Any, g: Any, k: Any, place: Any, high: Any, width: Any, window: Any, TK: int) -> Any:
    """The elements of `x` that TK of the channels' taps from tile k on have at the places, as (TK, places)."""
    taps = window[0][0] * window[0][1] * window[0][2]
    index = places(k * TK, TK)[:, None]
    (d, h, w), there = under(place[None, :], high, width, index % taps, window)
    return x.gather(n, g, index // taps, d, h, w, mask=there if gaps(window) else None)


@safe
def convolution_tiles(
    y: Out["N", "G", "CO", "P"],
    x: Ref["N", "G", "CI", "D", "H", "W"],
    w: Ref["G", "CO", "K"],
    bias: Ref["G", "L"],
    high: i32,
    width: i32,
    WINDOW: Const[Any],
    TK: Const[int],
    BIAS: Const[bool] = False,
    TF32: Const[bool] = False,
):
    """
    y = w @ patches of x + bias in each of G groups of channels, where y is counted along three axes as one.

    K are the taps of the window, channel by channel. `high` and `width` are the last two of the axes of y.
    """
    fh.require("high > 0 and width > 0")
    n, g, c, p = y.index
    _, _, TC, TP = y.tile
    place = places(p * TP, TP)
    acc = fh.zeros((TC, TP), sum_dtype(x.dtype))
    for k in fh.tiles(w, axis=2, size=TK):
        patch = patch_of(x, n, g, k, place, high, width, WINDOW, TK)
        weights = w.load((g, c, k), (1, TC, TK)).reshape(TC, TK)
        acc = fh.mma(operand(weights, TF32), operand(patch, TF32), acc)
    if BIAS:
        fh.require("L == CO")
        acc += bias.load((g, c), (1, TC)).reshape(TC, 1).astype(acc.dtype)
    y.store(acc.reshape(y.tile).astype(y.dtype))


@safe
def convolution_weights(
    parts: Out["S", "G", "CO", "K"],
    dy: Ref["N", "G", "CO", "P"],
    x: Ref["N", "G", "CI", "D", "H", "W"],
    high: i32,
    width: i32,
    WINDOW: Const[Any],
    TP: Const[int],
    TF32: Const[bool] = False,
):
    """parts.sum(axis=0) = dy @ patches of x, transposed, over all places; part s has every S-th of the N."""
    fh.require("high > 0 and width > 0")
    s, g, c, k = parts.index
    _, _, TC, TK = parts.tile
    acc = fh.zeros((TC, TK), accumulator(x.dtype))
    for n in fh.tiles(dy, axis=0, size=1, start=s, step=parts.shape[0]):
        for p in fh.tiles(dy, axis=3, size=TP):
            patch = patch_of(x, n, g, k, places(p * TP, TP), high, width, WINDOW, TK)
            given = dy.load((n, g, c, p), (1, 1, TC, TP)).reshape(TC, TP)
            acc = fh.mma(operand(given, TF32), operand(patch, TF32).T, acc)
    parts.store(acc.reshape(parts.tile).astype(parts.dtype))


@safe
def depthwise_tiles(
    y: Out["N", "C", "P"],
    x: Ref["N", "C", "D", "H", "W"],
    w: Ref["C", "K"],
    bias: Ref["C"],
    high: i32,
    width: i32,
    WINDOW: Const[Any],
    BIAS: Const[bool] = False,
):
    """As `convolution_tiles`, of channels each by itself: so without products of matrices."""
    fh.require("high > 0 and width > 0")
    n, c, p = y.index
    _, TC, TP = y.tile
    channel, place = places(c * TC, TC)[:, None], places(p * TP, TP)[None, :]
    taps = WINDOW[0][0] * WINDOW[0][1] * WINDOW[0][2]
    acc = fh.zeros((TC, TP), accumulator(x.dtype))
    for k in fh.static_range(taps) if taps <= 25 else fh.tiles(w, axis=1, size=1):
        (d, h, at), there = under(place, high, width, k, WINDOW)
        t = wide(x.gather(n, channel, d, h, at, mask=there if gaps(WINDOW) else None))
        acc += t * wide(w.gather(channel, k))
    if BIAS:
        acc += wide(bias.load((c,), (TC,)))[:, None]
    y.store(acc[None].astype(y.dtype))


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def conv(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Extents = 1,
    padding: Extents = 0,
    dilation: Extents = 1,
    groups: int = 1,
    *,
    tf32: bool | None = None,
) -> Tensor:
    """
    A convolution over the one to three axes behind the first two of `x` (N, C, ...), as `torch.nn.functional.conv1d`,
    `conv2d`, `conv3d`; differentiable.

    `weight` is (CO, C // groups, ...). In the dtype of `x`, of floats, computed in float32, or float64 for float64;
    products of float32 are as precise as float32 is, or with `tf32` at least as TF32 is. Unless it is given, torch's
    setting for convolutions is followed, which allows TF32 on GPUs. Raises `ValueError` for shapes that do not fit.
    """
    axes = x.dim() - 2
    CO = weight.shape[0]
    _fits(x, weight, axes, weight.shape[1] * groups, CO, groups)
    window, sizes = _window(weight, axes, stride, padding, dilation), x.shape[2:]
    tail = zip(sizes, window.size[3 - axes :], window.stride[3 - axes :], window.pad[3 - axes :], strict=True)
    steps = window.dilation[3 - axes :]
    size = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for (n, k, s, p), d in zip(tail, steps, strict=True)]
    kernel = weight.reshape(groups, CO // groups, weight.shape[1], *window.size)
    return _conv(x, kernel, bias, window, size, asked(tf32))


@function()
def conv_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Extents = 1,
    padding: Extents = 0,
    output_padding: Extents = 0,
    groups: int = 1,
    dilation: Extents = 1,
    *,
    tf32: bool | None = None,
) -> Tensor:
    """
    A transposed convolution, as `torch.nn.functional.conv_transpose1d`, `2d`, `3d`, and otherwise as `conv`;
    `weight` is (C, CO // groups, ...).
    """
    axes = x.dim() - 2
    C, each = weight.shape[:2]
    _fits(x, weight, axes, C, each * groups, groups)
    window, extra = _window(weight, axes, stride, padding, dilation), for_each_axis(output_padding, axes)
    steps = zip(*(t[3 - axes :] for t in window[:4]), strict=True)
    size = [
        (n - 1) * s - 2 * p + d * (k - 1) + e + 1 for n, e, (k, s, p, d) in zip(x.shape[2:], extra, steps, strict=True)
    ]
    kernel = weight.reshape(groups, C // groups, each, *window.size).transpose(1, 2)
    return _conv(x, kernel, bias, window._replace(back=True), size, asked(tf32))


def _conv(x: Any, kernel: Any, bias: Any, window: Window, size: list[int], tf32: int) -> Any:
    groups, each = kernel.shape[:2]
    if min(size) < 1:
        raise ValueError(f"the window does not fit {tuple(x.shape)}")
    seen = x.reshape(x.shape[0], groups, kernel.shape[2], *(1,) * (5 - x.dim()), *x.shape[2:])
    flat = [n for extents in window[:4] for n in extents]
    full = [1] * (3 - len(size)) + size
    y = _convolve(
        seen, kernel.contiguous(), None if bias is None else bias.view(groups, each), flat, full, window.back, tf32
    )
    return y.view(x.shape[0], groups * each, *size)


def _fits(x: Any, weight: Any, axes: int, C: int, CO: int, groups: int) -> None:
    if axes not in (1, 2, 3) or weight.dim() != x.dim() or x.shape[1] != C or CO % groups or C % groups:
        raise ValueError(f"no convolution of {tuple(x.shape)} by {tuple(weight.shape)} in {groups} groups")


def for_each_axis(value: Extents, axes: int) -> tuple[int, ...]:
    """A number for each axis. Raises `ValueError` where they are not as many."""
    found = (value,) * axes if isinstance(value, int) else tuple(value)
    if len(found) != axes:
        raise ValueError(f"one number for each of {axes} axes, or one for all, not {found}")
    return found


def _window(weight: Any, axes: int, *extents: Extents) -> Window:
    """The window along three axes, of which those in front do nothing."""
    stride, pad, dilation = (for_each_axis(e, axes) for e in extents)
    full: Any = tuple(
        (nothing,) * (3 - axes) + given
        for nothing, given in ((1, tuple(weight.shape[2:])), (1, stride), (0, pad), (1, dilation))
    )
    return Window(*full)


# --- Operators --------------------------------------------------------------------------------------------------------


def window_of(flat: list[int], back: bool) -> Any:
    """A window as a kernel takes it, of twelve numbers."""
    return *(tuple(flat[n : n + 3]) for n in (0, 3, 6, 9)), back


@operator(
    "convolve(Tensor x, Tensor w, Tensor? bias, int[] window, SymInt[] size, bool back, int tf32) -> Tensor",
    results=lambda x, w, bias, window, size, back, tf32: x.new_empty((x.shape[0], *w.shape[:2], *size)),
    takes={"x": "floats", "w": "same", "bias": "floats"},
)
def _convolve(y: Any, x: Any, w: Any, bias: Any, window: Any, size: Any, back: bool, tf32: int) -> None:
    N, G, CO, *_ = y.shape
    out, shape = y.view(N, G, CO, -1), window_of(window, back)
    shifted, alone = taken(x, shape[1], back), max(window[:6]) == 1 and max(window[6:9]) == 0
    if shifted and max(shape[1]) == 1 and not alone:  # it copies the weights, however they lie
        for launch in launches(y, x, w, bias, shape):
            launch.on()
        return
    w = w.contiguous()
    weights = w.view(G, CO, -1)
    extra = w.view(G, -1) if bias is None else bias
    P, K = out.shape[3], weights.shape[2]
    if CO == 1 and x.shape[2] == 1:
        flat = x.shape[3] == window[0] == 1 and max(window[6:9]) == 0 and not back
        if flat and K <= _WRITTEN and size[2] >= 128:
            of = None if bias is None else bias.view(-1)
            depthwise(y[:, :, 0, 0], x[:, :, 0, 0], w[:, 0, 0, 0], of, window[4:6], window[10:12])
            return
        if K <= WRITTEN and not (back and max(shape[1]) > 1):
            by_words(y[:, :, 0], x[:, :, 0], w[:, 0, 0], None if bias is None else bias.view(-1), shape)
            return
        width = min(1024, power_of_two(P))
        tile = 1, min(max(1, 1024 // width), power_of_two(G)), width
        given = x[:, :, 0], weights[:, 0], extra[:, 0], size[1], size[2], shape, bias is not None
        depthwise_tiles(fh.partition(out[:, :, 0], tile), *given).on()
        return
    if alone and x.element_size() <= 4 and (x.element_size() == 2 or in_tf32(x, tf32, True)):
        pointwise(out, x.view(N, G, x.shape[2], -1), weights, bias, x.element_size() == 4)
        return
    each = [along(size[n], window[n], window[3 + n], window[6 + n], window[9 + n], back) for n in range(3)]
    many = N * G * CO * P * K >= _MANY and prod(sum(bool(a.taps) for a in of) for of in each) <= _CLASSES
    apart = max(shape[1]) > 1
    if (apart or not shifted) and many and min(x.shape[2], CO) >= 8 and size[2] >= 16 and x.element_size() <= 4:
        pieces = 1 if x.element_size() == 2 else 2 if in_tf32(x, tf32, True) else 3
        convolved_by_rows(y, x, w, bias, each, pieces)
        return
    if shifted:
        for launch in launches(y, x, w, bias, shape):
            launch.on()
        return
    narrow = x.element_size() <= 2 or in_tf32(x, tf32, True)
    high = max(16, min(128 if narrow else 64, power_of_two(CO)))
    tile = 1, 1, high, max(16, min(_PLACES[narrow], power_of_two(P)))
    step = max(16, min(32, power_of_two(K)))
    given = x, weights, extra, size[1], size[2], shape, step, bias is not None, in_tf32(x, tf32, True)
    hinted(convolution_tiles, {"num_worker_warps": 4, "occupancy": 2})(fh.partition(out, tile), *given).on()


_MANY: Final = 1 << 28
"""Products from which on a copy of the input is made that is multiplied faster."""

_WRITTEN: Final = 32
"""Taps of a channel by itself that are written out, at most."""

_WEIGHTS: Final = 1 << 26
"""Products from which on the gradient by the weights copies what it sees through windows."""

_CLASSES: Final = 9
"""Plain convolutions that a transposed one is made of, at most."""

_PLACES: Final = {True: 128, False: 64}
"""Places of a tile, where products go to the tensor cores, and where they do not."""


@operator(
    "convolve_weights(Tensor dy, Tensor x, int[] window, int[] shape, bool back, int tf32) -> Tensor",
    results=lambda dy, x, window, shape, back, tf32: x.new_empty(shape),
)
def _convolve_weights(dw: Any, dy: Any, x: Any, window: Any, shape: Any, back: bool, tf32: int) -> None:
    if shape[1] == shape[2] == 1 and prod(shape[3:]) <= WRITTEN:
        f, seen = (x, dy) if back else (dy, x)
        sums_by_words(dw.view(shape[0], -1), f[:, :, 0], seen[:, :, 0], window_of(window, back)[:4])
        return
    if x.element_size() <= 4 and dy.numel() * prod(shape[2:]) >= _WEIGHTS and min(shape[1:3]) >= 8:
        summed(dw, dy, x, window_of(window, back)[:4], back, tf32)
        return
    G, CO = shape[:2]
    given = dy.view(*dy.shape[:3], -1)
    K, P = prod(shape[2:]), given.shape[3]
    high, width = (max(16, min(64, power_of_two(n))) for n in (CO, K))
    blocks = G * ceildiv(CO, high) * ceildiv(K, width)
    S = max(1, min(x.shape[0], 2 * PROCESSORS // blocks))
    parts = x.new_empty((S, G, CO, K), dtype=wide_dtype(x))
    seen = window_of(window, back)
    rest = given, x, dy.shape[4], dy.shape[5], seen, max(16, min(32, power_of_two(P))), in_tf32(x, tf32, True)
    convolution_weights(fh.partition(parts, (1, 1, high, width)), *rest).on()
    dw.view(-1).copy_(reduce(parts.view(S, -1), "sum", 0))


@_convolve.backward(keeps=lambda inputs, output: inputs[:2])
def _gradients(ctx: Any, dy: Any) -> tuple[Any, ...]:
    x, w = ctx.saved_tensors
    window, _, back, tf32 = ctx.arguments
    dy, wanted = dy.contiguous(), ctx.needs_input_grad
    dx = _convolve(dy, w.transpose(1, 2), None, window, list(x.shape[3:]), not back, tf32) if wanted[0] else None
    dw = _convolve_weights(dy, x, window, list(w.shape), back, tf32) if wanted[1] else None
    db = reduce(dy.flatten(3), "sum", 3).sum(0) if wanted[2] else None
    return dx, dw, db, *(None,) * 4
