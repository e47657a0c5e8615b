"""Gradients of pools whose windows need no search: those side by side, and those of whole rows of windows."""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold import Const, Out, Ref, f32, i8, i16, i32, i64
from freehold.kernels.operators import torch_dtype
from freehold.kernels.schedules import cut, hinted, power_of_two
from freehold.kernels.tiles import accumulator, safe, wide
from freehold.kernels.windows import (
    AT_ONCE,
    LONGEST,
    at_once,
    first_largest,
    halves,
    in_rows,
    mean_of,
    planes_of,
    tile_of_rows,
    words,
)

# --- Kernels ----------------------------------------------------------------------------------------------------------


@safe
def pairs_backward(
    dx: Out["P", "Q", "H", "V"], dy: Ref["P", "Q", "B"], x: Ref["P", "Q", "H", "V"] | None, HIGH: Const[int]
):
    """
    The gradient of windows of HIGH x 2 places side by side: of the largest of `x`, or of means where there is no x.

    The first of equals has the gradient, and the last of those that are NaN.
    """
    fh.require("H == HIGH and V == 2 * B")
    p, q, b = dx.index
    _, TQ, _, TV = dx.tile
    fh.static_assert(dx.tile[0] == 1, "a tile of one P")
    n = TQ * TV // 2
    g = dy.load((p, q, b), (1, TQ, TV // 2), allow_tma=False).reshape(n)
    if x is None:
        g = mean_of(wide(g), 2 * HIGH).astype(dx.dtype)
    bits: Any
    if dx.dtype == f32:
        shift, bits = 32, fh.bitcast(g, i32).astype(i64) & 0xFFFFFFFF
    else:
        shift, bits = 16, fh.bitcast(g, i16).astype(i32) & 0xFFFF
    found = fh.zeros(n, i32)
    if x is not None:
        most = fh.full(n, float("-inf"), f32)
        for h in fh.static_range(HIGH):
            pair = halves(words(x.load((p, q, h, b), (1, TQ, 1, TV), allow_tma=False).reshape(2 * n)), x.dtype)
            for k in fh.static_range(2):
                most, found = first_largest(pair[k], 2 * h + k, most, found)
    for h in fh.static_range(HIGH):
        if x is None:
            w = bits | bits << shift
        else:
            w = fh.where(found == 2 * h, bits, 0) | fh.where(found == 2 * h + 1, bits << shift, 0)
        dx.at(h).store(fh.unpack(fh.pack(w), dx.dtype).reshape(dx.tile), allow_tma=False)


@safe
def means_backward(dx: Out["R", "A", "H", "W"], dy: Ref["R", "A", "B"], HIGH: Const[int], WIDE: Const[int]):
    """
    The gradient of means of windows of HIGH x WIDE places side by side, but for rows that are in no window: a row of
    windows is found once, and stored HIGH times.
    """
    fh.require("A > 0 and B > 0 and H == HIGH and W <= 1048576", "places are counted in 32 bits")
    r, a, w = dx.index
    _, TA, _, TW = dx.tile
    fh.static_assert(dx.tile[0] == 1, "a tile of one R")
    at = fh.arange(TA * TW)
    right = (w * TW + at % TW) // WIDE
    down = fh.minimum(a * TA + at // TW, dy.shape[1] - 1)
    g = wide(dy.gather(r, down, fh.minimum(right, dy.shape[2] - 1)))
    g = fh.where(right < dy.shape[2], mean_of(g, HIGH * WIDE), 0.0).astype(dx.dtype)
    for h in fh.static_range(HIGH):
        dx.at(h).store(g.reshape(dx.tile), allow_tma=False)


@safe
def places_of_windows(taps: Out[i8, "R", "C", "T", "B"], x: Ref["R", "H", "W"], WINDOW: Const[Any], ROWS: Const[int]):
    """Which place of its window is the largest, as `pool_places` has it, of windows as in `pool_rows_of_windows`."""
    size, step, pad = WINDOW
    fh.static_assert(pad[0] < size[0] and pad[1] < size[1], "no window is beyond the ends")
    fh.require(taps.shape[2] == ROWS, "rows of windows that are written out")
    fh.require("R > 0 and H > 0 and W > 0 and H <= 1048576 and W <= 1048576", "places are counted in 32 bits")
    image, column = in_rows(taps.index, taps.tile, x.shape[0])
    left, top = column * step[1] - pad[1], taps.index[1] * ROWS * step[0] - pad[0]
    found: Any = ()
    for i in fh.static_range((ROWS - 1) * step[0] + size[0]):
        h = fh.clip(top + i, 0, x.shape[1] - 1)
        w = fh.clip(left, 0, x.shape[2] - 1)
        most, place = wide(x.gather(image, h, w)), w - left
        for k in fh.static_range(1, size[1]):
            w = fh.clip(left + k, 0, x.shape[2] - 1)
            most, place = first_largest(wide(x.gather(image, h, w)), w - left, most, place)
        found = (*found, (most, place + (h - top) * size[1]))
    for k in fh.static_range(ROWS):
        most, place = found[k * step[0]]
        for i in fh.static_range(1, size[0]):
            t, other = found[k * step[0] + i]
            most, place = first_largest(t, other, most, place)
        taps.at(k).store((place - k * step[0] * size[1]).astype(i8).reshape(taps.tile), allow_tma=False)


@safe
def windows_backward(
    dx: Out["R", "C", "S", "W"],
    dy: Ref["R", "A", "B"],
    taps: Ref[i8, "R", "A", "B"] | None,
    WINDOW: Const[Any],
    ROWS: Const[int],
):
    """
    What each element gets of the windows that it is in, ROWS steps of rows of x at once: of the largest, whose places
    are `taps`, or of means. Each row of windows is loaded once.
    """
    size, step, pad = WINDOW
    fh.require(dx.shape[2] == ROWS * step[0], "rows of x that are written out")
    fh.require("R > 0 and A > 0 and B > 0 and W <= 1048576 and A <= 1048576", "places are counted in 32 bits")
    image, column = in_rows(dx.index, dx.tile, dy.shape[0])
    right = column + pad[1]
    above = (size[0] - 1) // step[0]
    behind = (size[1] - 1) // step[1] + 1
    given: Any = ()
    last = (ROWS * step[0] - 1 + pad[0]) // step[0]
    for i in fh.static_range(-above, last + 1):
        row: Any = ()
        for k in fh.static_range(behind):
            a, b = dx.index[1] * ROWS + i, right // step[1] - k
            g = wide(dy.gather(image, a, b))
            row = (*row, (g, None if taps is None else taps.gather(image, a, b, padding=-1)))
        given = (*given, row)
    for h in fh.static_range(ROWS * step[0]):
        acc = fh.zeros(right.shape, accumulator(dx.dtype))
        for i in fh.static_range(above + 1):
            down = (h + pad[0]) % step[0] + i * step[0]
            if down < size[0]:
                for k in fh.static_range(behind):
                    g, place = given[(h + pad[0]) // step[0] - i + above][k]
                    along = right % step[1] + k * step[1]
                    there = along < size[1]
                    if taps is not None:
                        there = there & (place.astype(i32) == down * size[1] + along)
                    acc += fh.where(there, g, 0.0)
        if taps is None:
            acc = mean_of(acc, size[0] * size[1])
        dx.at(h).store(acc.astype(dx.dtype).reshape(dx.tile), allow_tma=False)


# --- Launches ---------------------------------------------------------------------------------------------------------


def _pairs_backward(dx: Any, dy: Any, x: Any, high: int) -> None:
    W = dx.shape[3]
    rows, columns = dx[..., 0].numel() // high, min(256, power_of_two(W))
    tile = 1, min(max(1, 1024 // columns), power_of_two(rows)), 1, columns
    seen = None if x is None else x.view(1, rows, high, W)
    kernel = hinted(pairs_backward, {"num_worker_warps": 4, "occupancy": 12})
    kernel(cut(dx.view(1, rows, high, W), tile, owned=2), dy.view(1, rows, W // 2), seen, high).on()


def _means_backward(dx: Any, dy: Any, high: int, along: int) -> None:
    A, W = dy.shape[2], dx.shape[3]
    columns = min(256, power_of_two(W))
    tile = 1, min(max(1, 512 // columns), power_of_two(A)), 1, columns
    kernel = hinted(means_backward, {"num_worker_warps": 4, "occupancy": 12})
    kernel(cut(dx[:, 0, : A * high].unflatten(1, (A, high)), tile, owned=2), dy[:, 0], high, along).on()
    dx[:, :, A * high :].zero_()


def backward(dx: Any, dy: Any, x: Any, window: list[int]) -> bool:
    """
    The gradient of a pool of windows, where it is found without a search: dx (R, D, H, W) of dy, and of x where the
    largest had been asked for. Returns whether it is.
    """
    planes = planes_of(window)
    if planes is None or max(dx.shape[2:]) > LONGEST:
        return False
    size, step, pad = planes
    (A, B), (H, W) = dy.shape[2:], dx.shape[2:]
    beside = size == step and pad == (0, 0)
    whole = beside and (A * size[0], B * size[1]) == (H, W) and (x is None or x.is_contiguous())
    if whole and size[1] == 2 and size[0] <= AT_ONCE and dx.element_size() < 8:
        _pairs_backward(dx, dy, x, size[0])
        return True
    if beside and x is None and dx.shape[1] == 1 and size[0] <= AT_ONCE:
        _means_backward(dx, dy, *size)
        return True
    if H % step[0]:
        return False
    flat, taps = dy.flatten(0, 1), None
    R = flat.shape[0]
    hints = {"num_worker_warps": 4, "occupancy": 12}
    if x is not None:
        taps, rows = dy.new_empty(flat.shape, dtype=torch_dtype("int8")), at_once(A)
        to = cut(taps.view(R, A // rows, rows, B), tile_of_rows(R, B), owned=2)
        hinted(places_of_windows, hints)(to, x.flatten(0, 1), planes, rows).on()
    rows = at_once(H // step[0])
    to = cut(dx.view(R, H // (rows * step[0]), rows * step[0], W), tile_of_rows(R, W), owned=2)
    hinted(windows_backward, hints)(to, flat, taps, planes, rows).on()
    return True
