"""Pooling over one to three axes: the largest and the mean of windows, forward and backward."""

from __future__ import annotations

from typing import Any, Final

import freehold as fh
from freehold import Const, Out, Ref, i32
from freehold.kernels.arguments import Extents, Tensor, function
from freehold.kernels.convolutions import for_each_axis, gaps, under, window_of
from freehold.kernels.operators import operator, torch_dtype, wide_dtype
from freehold.kernels.schedules import cut, hinted, power_of_two
from freehold.kernels.tiles import accumulator, places, safe, wide
from freehold.kernels.windows import along_rows, first_largest, rows_of_windows, side_by_side
from freehold.kernels.windows_backward import backward

# --- Kernels ----------------------------------------------------------------------------------------------------------


@safe
def pool_tiles(y: Out["R", "A", "B", "C"], x: Ref["R", "D", "H", "W"], WINDOW: Const[Any], LARGEST: Const[bool]):
    """
    The largest of each window, or the mean of its places, those beyond the ends counted as zeros.

    Where a tile is one row high, its places along that axis are one number for all of it.
    """
    size, stride, pad, dilation, _ = WINDOW
    r, a, b, c = y.index
    TR, TA, TB, TC = y.tile
    fh.static_assert(TA == 1, "one place along depth")
    taps = size[0] * size[1] * size[2]
    nothing = float("-inf") if LARGEST else 0.0
    acc = fh.full((TR, TB, TC), nothing, accumulator(x.dtype))
    row = r if TR == 1 else places(r * TR, TR)[:, None, None]
    high = b if TB == 1 else places(b * TB, TB)[None, :, None]
    wide_places = places(c * TC, TC)[None, None, :]
    lines = size[0] * size[1]
    for line in fh.static_range(lines) if taps <= 16 else range(lines):
        d = a * stride[0] - pad[0] + line // size[1] * dilation[0]
        h = high * stride[1] - pad[1] + line % size[1] * dilation[1]
        for k in fh.static_range(size[2]) if size[2] <= 16 else range(size[2]):
            w = wide_places * stride[2] - pad[2] + k * dilation[2]
            t = wide(x.gather(row, d, h, w, padding=nothing))
            acc = fh.maximum(acc, t) if LARGEST else acc + t
    y.store(ended(acc, taps, LARGEST).astype(y.dtype).reshape(y.tile), allow_tma=False)


def ended(acc: Any, taps: int, LARGEST: bool) -> Any:
    """The mean of so many, where their sum was found."""
    if LARGEST:
        return acc
    return acc * (1.0 / taps) if taps & (taps - 1) == 0 else acc / taps  # exact, and quicker


@safe
def pool_rows(y: Out["R", "C"], x: Ref["R", "K", "C"], SIZE: Const[int], LARGEST: Const[bool]):
    """As `pool_tiles` of windows that lie in x: y = x.max(axis=1), or the mean, where x has a row for each place."""
    fh.require("K == SIZE")
    r, c = y.index
    TR, TC = y.tile
    acc = fh.full(y.tile, float("-inf") if LARGEST else 0.0, accumulator(x.dtype))
    for k in fh.static_range(SIZE):
        t = wide(x.load((r, k, c), (TR, 1, TC), allow_tma=False)).reshape(TR, TC)
        acc = fh.maximum(acc, t) if LARGEST else acc + t
    y.store(ended(acc, SIZE, LARGEST).astype(y.dtype), allow_tma=False)


@safe
def pool_beside(y: Out["R", "A", "B"], x: Ref["R", "H", "W"], HIGH: Const[int], WIDE: Const[int], LARGEST: Const[bool]):
    """As `pool_tiles` of windows of HIGH x WIDE side by side, loaded in rows: what overhangs is in no window."""
    fh.require("A * HIGH <= H and B * WIDE <= W and H <= 1048576 and W <= 1048576", "every window lies in x")
    r, a, b = y.index
    _, TA, TB = y.tile
    t = wide(x.load((r, a, b), (1, TA * HIGH, TB * WIDE), allow_tma=False)).reshape(TA, HIGH, TB, WIDE)
    found = t.max(axis=(1, 3)) if LARGEST else ended(t.sum(axis=(1, 3)), HIGH * WIDE, LARGEST)
    y.store(found[None].astype(y.dtype), allow_tma=False)


@safe
def mean_of_windows(
    y: Out["R", "A", "B"], x: Ref["R", "A", "H", "B", "W"], HIGH: Const[int], WIDE: Const[int], TW: Const[int]
):
    """y = x.mean(axis=(2, 4)), of up to TW columns a window: a tile is of one row of windows, and loads row by row."""
    fh.require("H == HIGH and W == WIDE and W <= TW", "a tile has all columns of a window")
    r, a, b = y.index
    TB, width = y.tile[2], TW
    acc = fh.zeros((TB, width), accumulator(x.dtype))
    for i in fh.static_range(HIGH):
        acc += wide(x.load((r, a, i, b, 0), (1, 1, 1, TB, width), allow_tma=False)).reshape(TB, width)
    y.store(ended(acc.sum(axis=1), HIGH * WIDE, False)[None, None].astype(y.dtype), allow_tma=False)


@safe
def mean_of_rows(y: Out["R", "P", "W"], x: Ref["R", "P", "H", "W"], HIGH: Const[int]):
    """y = x.mean(axis=2)."""
    fh.require("H == HIGH")
    r, p, w = y.index
    acc = fh.zeros(y.tile, accumulator(x.dtype))
    for i in fh.static_range(HIGH):
        acc += wide(x.load((r, p, i, w), (1, y.tile[1], 1, y.tile[2])).reshape(y.tile))
    y.store((acc / HIGH).astype(y.dtype))


@safe
def pool_places(taps: Out[i32, "R", "P"], x: Ref["R", "D", "H", "W"], high: i32, width: i32, WINDOW: Const[Any]):
    """Which place of its window is the largest: the first of equals, also of infinities, and none beyond the ends."""
    fh.require("high > 0 and width > 0")
    r, p = taps.index
    row, place = places(r * taps.tile[0], taps.tile[0])[:, None], places(p * taps.tile[1], taps.tile[1])[None, :]
    count = WINDOW[0][0] * WINDOW[0][1] * WINDOW[0][2]
    most, found = fh.full(taps.tile, float("-inf"), accumulator(x.dtype)), fh.zeros(taps.tile, i32)
    begins, _ = under(place, high, width, 0, WINDOW)
    for n in fh.static_range(3):
        found *= WINDOW[0][n]
        if WINDOW[2][n] > 0:
            found += (fh.maximum(-begins[n], 0) + WINDOW[3][n] - 1) // WINDOW[3][n]
    for k in fh.static_range(count) if count <= 9 else range(count):
        (d, h, w), _ = under(place, high, width, k, WINDOW)
        t = wide(x.gather(row, d, h, w, padding=float("-inf")))
        most, found = first_largest(t, k, most, found)
    taps.store(found)


@safe
def pool_tiles_backward(
    dx: Out["R", "I"],
    dy: Ref["R", "D", "H", "W"],
    taps: Ref["X", "Y", "Z", "Q"],
    high: i32,
    width: i32,
    WINDOW: Const[Any],
    LARGEST: Const[bool],
):
    """What each element gets of the windows that it is in: `high` and `width` are the axes of dx."""
    fh.require("high > 0 and width > 0")
    r, i = dx.index
    row, place = places(r * dx.tile[0], dx.tile[0])[:, None], places(i * dx.tile[1], dx.tile[1])[None, :]
    count = WINDOW[0][0] * WINDOW[0][1] * WINDOW[0][2]
    acc = fh.zeros(dx.tile, accumulator(dx.dtype))
    for k in fh.static_range(count) if count <= 9 else range(count):
        (d, h, w), there = under(place, high, width, k, WINDOW)
        t = wide(dy.gather(row, d, h, w, mask=there if gaps(WINDOW) else None))
        if LARGEST:
            t = fh.where(taps.gather(row, d, h, w, padding=-1) == k, t, 0.0)
        acc += t
    dx.store((acc if LARGEST else acc / count).astype(dx.dtype))


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def max_pool(
    x: Tensor, size: Extents, stride: Extents | None = None, padding: Extents = 0, dilation: Extents = 1
) -> Tensor:
    """
    The largest element of each window over the one to three axes behind the first two of `x` (N, C, ...), as
    `torch.nn.functional.max_pool1d`, `2d`, `3d`; differentiable. NaN is the largest.

    Windows are `size` apart unless `stride` says otherwise. Raises `ValueError` where no window fits.
    """
    return _pooled(_max_pool, x, size, stride, padding, dilation)


@function()
def avg_pool(x: Tensor, size: Extents, stride: Extents | None = None, padding: Extents = 0) -> Tensor:
    """
    The mean of each window, those of its places that are beyond the ends counted as zeros, as
    `torch.nn.functional.avg_pool1d`, `2d`, `3d`; otherwise as `max_pool`.
    """
    return _pooled(_avg_pool, x, size, stride, padding, 1)


def _pooled(function: Any, x: Any, size: Extents, stride: Extents | None, pad: Extents, dilation: Extents) -> Any:
    axes = x.dim() - 2
    if axes not in (1, 2, 3):
        raise ValueError(f"pooling is along one to three axes of (N, C, ...), not of {tuple(x.shape)}")
    given = size, size if stride is None else stride, pad, dilation
    window = [for_each_axis(e, axes) for e in given]
    found = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(x.shape[2:], *window, strict=True)]
    if min(found) < 1:
        raise ValueError(f"the window does not fit {tuple(x.shape)}")
    flat = [n for nothing, e in zip((1, 1, 0, 1), window, strict=True) for n in (*(nothing,) * (3 - axes), *e)]
    seen = x.reshape(-1, *(1,) * (3 - axes), *x.shape[2:])
    return function(seen, flat, [1] * (3 - axes) + found).view(*x.shape[:2], *found)


# --- Operators --------------------------------------------------------------------------------------------------------


_UNROLLED: Final = 32
"""Places of a window that are written out, at most."""


def _tile(out: Any) -> tuple[int, int]:
    width = min(1024, power_of_two(out.shape[1]))
    return min(max(1, 1024 // width), power_of_two(out.shape[0])), width


_BESIDE: Final = 8
"""Rows and columns of a window that is loaded with its neighbours in whole rows, at most."""
_LOADED: Final = 2048
"""Elements that a block loads for such windows."""
_NARROW: Final = 16
"""Columns of other windows side by side, of which means are taken row by row, at most."""
_ROW: Final = 512
"""Elements of a row of such windows that a block loads at once; half of them, at least, are there. In whole rows a
block loads as many, at least: small images are several a block, element by element."""
_LONGEST: Final = 1 << 20
"""Rows and columns whose elements `pool_beside` counts without wrapping around."""


def _launched(y: Any, x: Any, window: Any, largest: bool) -> None:
    if not _launched_in_rows(y, x, window, largest):
        _launched_by_element(y, x, window, largest)


def _launched_in_rows(y: Any, x: Any, window: Any, largest: bool) -> bool:
    """Pools windows whose rows are loaded as such. Returns whether there is a kernel for them."""
    return (
        side_by_side(y, x, window, largest)
        or _launched_beside(y, x, window, largest)
        or _launched_along(y, x, window, largest)
        or rows_of_windows(y, x, window, largest)
    )


def _launched_beside(y: Any, x: Any, window: Any, largest: bool) -> bool:
    """Pools windows that lie side by side, in whole rows. Returns whether that is faster."""
    high, wide = window[1:3]
    if window != [1, high, wide, 1, high, wide, 0, 0, 0, 1, 1, 1] or wide == 1 or not x.is_contiguous():
        return False
    images, out = x.flatten(0, 1), y.flatten(0, 1)
    _, A, B = out.shape
    if all(n == power_of_two(n) <= _BESIDE for n in (high, wide)):
        columns = min(128, power_of_two(B), _LOADED // (high * wide))
        rows = min(max(1, _LOADED // (columns * high * wide)), power_of_two(A))
        if rows * columns * high * wide < _ROW or max(images.shape[1:]) > _LONGEST:
            return False
        kernel = hinted(pool_beside, {"num_worker_warps": 2, "occupancy": 16})
        kernel(cut(out, (1, rows, columns)), images, high, wide, largest).on()
        return True
    width = power_of_two(wide)
    if largest or not 3 <= wide <= _NARROW or high > _UNROLLED or 2 * B * width <= _ROW:
        return False
    windows = images[:, : A * high, : B * wide].unflatten(1, (A, high)).unflatten(3, (B, wide))
    kernel = hinted(mean_of_windows, {"num_worker_warps": 4, "occupancy": 12})
    kernel(cut(out, (1, 1, _ROW // width)), windows, high, wide, width).on()
    return True


def _launched_along(y: Any, x: Any, window: Any, largest: bool) -> bool:
    """Pools windows along the last axis alone that move by one element. Returns whether they are such."""
    size, step, front, apart = window[2::3]
    inside = x.shape[3] - (size - 1) * apart
    plain = window[:2] == window[3:5] == [1, 1] and window[6:8] == [0, 0]  # along the last axis alone
    if not (plain and step == 1 and size <= _UNROLLED and inside >= 1024 and x.shape[1] == x.shape[2] == 1):
        return False
    rows = x[:, 0, 0]
    done = along_rows(y[:, 0, 0, front : front + inside], rows, size, apart, largest)
    if not done:
        done = inside
        step = rows.stride(1)
        view = rows.as_strided((x.shape[0], size, inside), (rows.stride(0), apart * step, step))
        hinted(pool_rows, {"num_worker_warps": 4, "occupancy": 16})(
            fh.partition(y[:, 0, 0, front : front + inside], (1, 512)), view, size, largest
        ).on()
    if front:  # windows that are partly beyond the ends, and those that are left over
        _launched_by_element(y[..., :front], x, window, largest)
    if front + done < y.shape[3]:
        _launched_by_element(y[..., front + done :], x[..., done:], [*window[:8], 0, *window[9:]], largest)
    return True


def _launched_by_element(y: Any, x: Any, window: Any, largest: bool) -> None:
    R, _, H, W = y.shape
    many = window[0] * window[1] * window[2] > 16  # places: fewer elements at once, and more blocks
    most, hints = (256, {"num_worker_warps": 4, "occupancy": 16}) if many else (1024, {})
    wide = min(64 if many else most, power_of_two(W))
    high = min(most // wide, power_of_two(H))
    tile = min(most // (wide * high), power_of_two(R)), 1, high, wide
    hinted(pool_tiles, hints)(fh.partition(y, tile), x, window_of(window, False), largest).on()


def _backward(dx: Any, dy: Any, taps: Any, window: Any) -> None:
    _, _, H, W = dx.shape
    given = dy if taps is None else taps.view(dy.shape), H, W, window_of(window, True), taps is not None
    flat = dx.view(dx.shape[0], -1)
    pool_tiles_backward(fh.partition(flat, _tile(flat)), dy, *given).on()


def _results(x: Any, window: Any, size: Any) -> Any:
    return x.new_empty((x.shape[0], *size))


@operator("max_pool(Tensor x, int[] window, SymInt[] size) -> Tensor", results=_results)
def _max_pool(y: Any, x: Any, window: Any, size: Any) -> None:
    _launched(y, x, window, True)


@operator("avg_pool(Tensor x, int[] window, SymInt[] size) -> Tensor", results=_results)
def _avg_pool(y: Any, x: Any, window: Any, size: Any) -> None:
    one, high, _, _, down, _, front, above = window[:8]
    if _launched_in_rows(y, x, window, False):
        return
    if one == 1 and front == above == 0 and 4 <= high == down <= 32 and x.shape[1] == 1:  # first down, then along
        R, n, W = x.shape[0], size[1], x.shape[3]
        rows = x.new_empty((R, 1, n, W), dtype=wide_dtype(x))
        part = fh.partition(rows[:, 0], (1, 1, min(512, power_of_two(W))))
        mean_of_rows(part, x[:, 0, : n * high].unflatten(1, (n, high)), high).on()
        x, window = rows, [*window[:1], 1, *window[2:4], 1, *window[5:]]
    _launched(y, x, window, False)


@operator(
    "pool_backward(Tensor dy, Tensor x, int[] window, bool largest) -> Tensor",
    results=lambda dy, x, window, largest: x.new_empty(x.shape),
)
def _pool_backward(dx: Any, dy: Any, x: Any, window: Any, largest: bool) -> None:
    dy = dy.contiguous()
    if backward(dx, dy, x if largest else None, window):
        return
    taps = None
    if largest:
        taps = dy.new_empty((dy.shape[0], dy.shape[1:].numel()), dtype=torch_dtype("int32"))
        given = x, dy.shape[2], dy.shape[3], window_of(window, False)
        pool_places(fh.partition(taps, _tile(taps)), *given).on()
    _backward(dx, dy, taps, window)


@_max_pool.backward(keeps=lambda inputs, output: inputs[:1])
def _max_gradient(ctx: Any, dy: Any) -> tuple[Any, ...]:
    return _pool_backward(dy, ctx.saved_tensors[0], ctx.arguments[0], True), None, None


@_avg_pool.backward(keeps=lambda inputs, output: inputs[:1])
def _avg_gradient(ctx: Any, dy: Any) -> tuple[Any, ...]:
    return _pool_backward(dy, ctx.saved_tensors[0], ctx.arguments[0], False), None, None
