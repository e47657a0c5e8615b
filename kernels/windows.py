"""
Pooling of windows whose places need no search: those side by side, and those of whole rows of windows.

Loads are in the order in which memory has their elements, and each thread computes with what it has loaded: no element
goes through shared memory. What overhangs reads an element that is there, which costs less than a comparison.
"""

from __future__ import annotations

from typing import Any, Final

import freehold as fh
from freehold import Const, Out, Ref, bf16, f16, f32, i16, i32, i64
from freehold.kernels.operators import torch_dtype
from freehold.kernels.schedules import cut, hinted, power_of_two
from freehold.kernels.tiles import accumulator, safe, wide

# --- Kernels ----------------------------------------------------------------------------------------------------------


def is_half(dtype: Any) -> bool:
    """Whether numbers have 16 bits."""
    return dtype in (bf16, f16)


def words(t: Any) -> Any:
    """The words of two neighbours each, of a tile of one axis."""
    return fh.unpack(fh.pack(t), i32 if is_half(t.dtype) else i64)


def halves(w: Any, dtype: Any) -> tuple[Any, Any]:
    """Both numbers of each word, in `f32`."""
    if dtype == bf16:
        return fh.bitcast(w << 16, f32), fh.bitcast(w & -65536, f32)
    if dtype == f16:
        return wide(fh.bitcast(w.astype(i16), f16)), wide(fh.bitcast((w >> 16).astype(i16), f16))
    return fh.bitcast(w.astype(i32), f32), fh.bitcast((w >> 32).astype(i32), f32)


def joined(a: Any, b: Any, LARGEST: bool) -> Any:
    """The larger of both, or their sum."""
    return fh.maximum(a, b) if LARGEST else a + b


def first_largest(t: Any, place: Any, most: Any, found: Any) -> tuple[Any, Any]:
    """The larger elements of a tile and of those before, and their places: of equals the first, of NaN the last."""
    higher = (t > most) | (t != t)
    return fh.where(higher, t, most), fh.where(higher, place, found)


def mean_of(acc: Any, taps: int) -> Any:
    """The mean of so many whose sum is `acc`. But for `f64` it is off by an ulp at most: quotients take branches."""
    return acc / taps if acc.dtype == fh.f64 else acc * (1.0 / taps)


def in_rows(index: Any, tile: Any, images: Any) -> tuple[Any, Any]:
    """The images and the columns of a tile's elements, over axes 0 and 3; those beyond the last image are of that."""
    at = fh.arange(tile[0] * tile[3])
    return fh.minimum(index[0] * tile[0] + at // tile[3], images - 1), index[2] * tile[3] + at % tile[3]


def beside(t: Any, count: int) -> tuple[Any, ...]:
    """Of each `count` neighbours of a tile of one axis the first, the second and so on, to compute with."""
    parts = words(t).reshape(-1, count // 2) if is_half(t.dtype) else t.reshape(-1, count)
    found: Any = ()
    for n in fh.static_range(count // 2 if is_half(t.dtype) else count):
        found = (*found, *(halves(parts[:, n], t.dtype) if is_half(t.dtype) else (wide(parts[:, n]),)))
    return found


def in_turns(parts: Any) -> Any:
    """The elements of 1, 2, 4 or 8 tiles of one axis in turns, as one tile."""
    parts = tuple(p[:, None] for p in parts)
    for _ in fh.static_range(3):
        if len(parts) > 1:
            parts = tuple(fh.concatenate(parts[2 * n : 2 * n + 2], axis=1) for n in range(len(parts) // 2))
    return parts[0].reshape(-1)


def narrowed(parts: Any, dtype: Any) -> Any:
    """`in_turns` in `dtype`: of 16-bit numbers two are put into a word, which no layout of a tile is changed for."""
    if not is_half(dtype) or len(parts) == 1:
        return in_turns(tuple(p.astype(dtype) for p in parts))
    bits = tuple(fh.bitcast(p.astype(dtype), i16).astype(i32) & 0xFFFF for p in parts)
    pairs = tuple(bits[2 * n] | bits[2 * n + 1] << 16 for n in range(len(parts) // 2))
    return fh.unpack(fh.pack(in_turns(pairs)), dtype)


@safe
def pool_pairs(y: Out["P", "Q", "B"], x: Ref["P", "D", "Q", "H", "V"], SIZE: Const[Any], LARGEST: Const[bool]):
    """
    The largest of each window, or the mean, of 16-bit numbers in windows side by side: of SIZE places along depth,
    down and along, the last of which is 2, 4 or 8.

    Rows of a window are compared as they are in memory, and pairs as the halves of words.
    """
    deep, high, along = SIZE
    fh.require(x.shape[1] == deep and x.shape[3] == high and x.shape[4] == along * y.shape[2], "windows side by side")
    p, q, b = y.index
    _, TQ, TB = y.tile
    fh.static_assert(y.tile[0] == 1, "a tile of one P")
    n = TQ * TB * along
    rows: Any = ()
    acc: Any = fh.zeros(n // 2, f32)
    for d in fh.static_range(deep):
        for h in fh.static_range(high):
            t = x.load((p, d, q, h, b), (1, 1, TQ, 1, TB * along), allow_tma=False).reshape(n)
            if not LARGEST:
                first, second = halves(words(t), x.dtype)
                acc += first + second
            else:
                rows = (t if len(rows) == 0 else fh.maximum(rows[0], t),)
    if LARGEST:
        acc = fh.maximum(*halves(words(rows[0]), x.dtype))
    if along > 2:
        acc = acc.reshape(n // along, along // 2)
        acc = acc.max(axis=1) if LARGEST else acc.sum(axis=1)
    if not LARGEST:
        acc = mean_of(acc, deep * high * along)
    y.store(acc.astype(y.dtype).reshape(y.tile), allow_tma=False)


@safe
def pool_by_place(y: Out["P", "Q", "B"], x: Ref["P", "D", "Q", "H", "B", "W"], SIZE: Const[Any], LARGEST: Const[bool]):
    """As `pool_pairs`, of windows of any size: each place is loaded by itself."""
    deep, high, along = SIZE
    fh.require(x.shape[1] == deep and x.shape[3] == high and x.shape[5] == along, "windows side by side")
    fh.require("Q > 0 and B > 0")
    p, q, b = y.index
    _, TQ, TB = y.tile
    fh.static_assert(y.tile[0] == 1, "a tile of one P")
    acc = fh.full(TQ * TB, float("-inf") if LARGEST else 0.0, accumulator(x.dtype))
    at = fh.arange(TQ * TB)
    down, right = fh.minimum(q * TQ + at // TB, x.shape[2] - 1), fh.minimum(b * TB + at % TB, x.shape[4] - 1)
    for d in fh.static_range(deep):
        for h in fh.static_range(high):
            for k in fh.static_range(along):
                acc = joined(acc, wide(x.gather(p, d, down, h, right, k)), LARGEST)
    if not LARGEST:
        acc = mean_of(acc, deep * high * along)
    y.store(acc.astype(y.dtype).reshape(y.tile), allow_tma=False)


@safe
def pool_rows_of_windows(
    y: Out["R", "C", "T", "B"], x: Ref["R", "H", "W"], WINDOW: Const[Any], ROWS: Const[int], LARGEST: Const[bool]
):
    """
    As `pool_tiles` of windows over two axes without places apart, ROWS rows of which a block has: what is found of a
    row of x serves all windows that it is in. WINDOW has the size, the step and the padding down and along.

    The largest of places beyond an end is that of the last one inside, which is in the window: so padding is less than
    the size.
    """
    size, step, pad = WINDOW
    fh.static_assert(not LARGEST or (pad[0] < size[0] and pad[1] < size[1]), "no window is beyond the ends")
    fh.require(y.shape[2] == ROWS, "rows of windows that are written out")
    fh.require("R > 0 and H > 0 and W > 0 and H <= 1048576 and W <= 1048576", "places are counted in 32 bits")
    image, column = in_rows(y.index, y.tile, x.shape[0])
    left, top = column * step[1] - pad[1], y.index[1] * ROWS * step[0] - pad[0]
    found: Any = ()
    for i in fh.static_range((ROWS - 1) * step[0] + size[0]):
        h = fh.clip(top + i, 0, x.shape[1] - 1) if LARGEST else top + i
        row = fh.full(left.shape, float("-inf") if LARGEST else 0.0, accumulator(x.dtype))
        for k in fh.static_range(size[1]):
            w = fh.clip(left + k, 0, x.shape[2] - 1) if LARGEST else left + k
            row = joined(row, wide(x.gather(image, h, w)), LARGEST)
        found = (*found, row)
        k = i - size[0] + 1
        if k >= 0 and k % step[0] == 0:
            out = found[k]
            for m in fh.static_range(1, size[0]):
                out = joined(out, found[k + m], LARGEST)
            if not LARGEST:
                out = mean_of(out, size[0] * size[1])
            y.at(k // step[0]).store(out.astype(y.dtype).reshape(y.tile), allow_tma=False)


@safe
def pool_two_by_place(y: Out["P", "Q", "B"], x: Ref["P", "D", "Q", "H", "V"], SIZE: Const[Any], LARGEST: Const[bool]):
    """
    As `pool_by_place` of 16-bit numbers in windows of an odd number of columns. Two neighbouring windows have as many
    words of two columns: x is of such words, V of them a row.
    """
    deep, high, along = SIZE
    fh.require(x.shape[1] == deep and x.shape[3] == high, "windows side by side")
    fh.require("Q > 0 and V > 0 and V <= 1048576", "places are counted in 32 bits")
    p, q, b = y.index
    _, TQ, TB = y.tile
    fh.static_assert(y.tile[0] == 1, "a tile of one P")
    at = fh.arange(TQ * TB // 2)
    down = fh.minimum(q * TQ + at // (TB // 2), x.shape[2] - 1)
    left = (b * (TB // 2) + at % (TB // 2)) * along
    one = fh.full(TQ * TB // 2, float("-inf") if LARGEST else 0.0, f32)
    two = one
    for d in fh.static_range(deep):
        for h in fh.static_range(high):
            for k in fh.static_range(along):
                w = x.gather(p, d, down, h, fh.clip(left + k, 0, x.shape[4] - 1))
                first, second = halves(w, y.dtype)
                if 2 * k < along:
                    one = joined(one, first, LARGEST)
                else:
                    two = joined(two, first, LARGEST)
                if 2 * k + 1 < along:
                    one = joined(one, second, LARGEST)
                else:
                    two = joined(two, second, LARGEST)
    if not LARGEST:
        one, two = mean_of(one, deep * high * along), mean_of(two, deep * high * along)
    y.store(narrowed((one, two), y.dtype).reshape(y.tile), allow_tma=False)


@safe
def pool_groups_of_windows(
    y: Out["R", "C", "T", "B"],
    x: Ref["R", "H", "W"],
    WINDOW: Const[Any],
    ROWS: Const[int],
    G: Const[int],
    LARGEST: Const[bool],
    INSIDE: Const[bool],
):
    """
    As `pool_rows_of_windows`, where a thread has G neighbours of each row of x, in one load, and loads those beside
    them that its windows reach into by themselves. INSIDE says that no window reaches beyond the last column.
    """
    size, step, pad = WINDOW
    fh.static_assert(pad[0] < size[0] and pad[1] < size[1], "no window is beyond the ends")
    fh.static_assert(G % step[1] == 0, "windows begin in groups alike")
    fh.require(y.shape[2] == ROWS, "rows of windows that are written out")
    fh.require("R > 0 and H > 0 and W > 0 and H <= 1048576 and W <= 1048576", "places are counted in 32 bits")
    r, c, b = y.index
    TR, TW = y.tile[0], y.tile[3] * step[1]
    at = fh.arange(TR * TW // G)
    image = fh.minimum(r * TR + at // (TW // G), x.shape[0] - 1)
    left = b * TW + at % (TW // G) * G
    top = c * ROWS * step[0] - pad[0]
    behind = size[1] - step[1] - pad[1]
    rows = (ROWS - 1) * step[0] + size[0]
    found: Any = ()
    for i in fh.static_range(rows):
        h: Any = fh.clip(top + i, 0, x.shape[1] - 1)
        outside = "-inf" if LARGEST and not INSIDE else "zero"
        t = x.load((r, h, b), (TR, 1, TW), padding=outside, allow_tma=False).reshape(TR * TW)
        near: Any = ()
        for k in fh.static_range(pad[1] + max(behind, 0)):
            w = left + k - pad[1] + (0 if k < pad[1] else G)
            place = fh.clip(w, 0, x.shape[2] - 1) if LARGEST else w
            near = (*near, wide(x.gather(image, h, place)))
        row = near[: pad[1]] + beside(t, G) + near[pad[1] :]
        some: Any = ()
        for n in fh.static_range(G // step[1]):
            e = row[n * step[1]]
            for k in fh.static_range(1, size[1]):
                e = joined(e, row[n * step[1] + k], LARGEST)
            if not LARGEST and (i < pad[0] or i >= rows - pad[0]):
                e = fh.where((top + i >= 0) & (top + i < x.shape[1]), e, 0.0)
            some = (*some, e)
        found = (*found, some)
        k = i - size[0] + 1
        if k >= 0 and k % step[0] == 0:
            out = found[k]
            for m in fh.static_range(1, size[0]):
                out = tuple(joined(e, found[k + m][n], LARGEST) for n, e in enumerate(out))
            if not LARGEST:
                out = tuple(mean_of(e, size[0] * size[1]) for e in out)
            y.at(k // step[0]).store(narrowed(out, y.dtype).reshape(y.tile), allow_tma=False)


@safe
def pool_along(
    y: Out["R", "N"],
    xs: tuple[Ref["R", "N"], ...],
    SIZE: Const[int],
    APART: Const[int],
    G: Const[int],
    LARGEST: Const[bool],
):
    """
    As `pool_tiles` of windows along rows that move by one element and have their places APART elements apart: `xs` are
    the columns of x from each G-th on. A thread has G neighbours of each of them, in one load.
    """
    r, c = y.index
    row: Any = ()
    for x in xs:
        row = row + beside(x.load((r, c), y.tile, allow_tma=False).reshape(-1), G)
    out: Any = ()
    for n in fh.static_range(G):
        e = row[n]
        for k in fh.static_range(1, SIZE):
            e = joined(e, row[n + k * APART], LARGEST)
        out = (*out, e if LARGEST else mean_of(e, SIZE))
    y.store(narrowed(out, y.dtype).reshape(y.tile), allow_tma=False)


# --- Launches ---------------------------------------------------------------------------------------------------------

_WRITTEN: Final = 64
"""Places of a window that are written out, at most, where windows are side by side."""
_OVERLAID: Final = 32
"""The same where they are over one another."""
LONGEST: Final = 1 << 20
"""Rows and columns whose places are counted without wrapping around."""
AT_ONCE: Final = 8
"""Rows of windows that are written out, at most: those of one row of windows are found in the next one's, too."""
_BESIDE: Final = 4
"""Elements of a row that a thread loads beside those that it has in one load, at most."""
_SHIFTS: Final = 8
"""Loads of a thread along a row, at most."""
_LINE: Final = 512
"""Elements of a row, at least, for threads to have several of it each."""
_THREADS: Final = 128
"""Threads of a block, of which each has one place of a row."""


def _side_by_side(x: Any, size: Any) -> Any:
    """
    x (R, D, H, W) as (P, places, Q, places, columns), whose windows of `size` lie side by side; None where it has to be
    copied.
    """
    (R, D, H, W), (deep, high, along) = x.shape, size
    if not x.is_contiguous() or (deep > 1 and D % deep):
        return None
    A = H // high
    rows = x.view(R * D // deep, deep, H, W)[:, :, : A * high, : W // along * along].unflatten(2, (A, high))
    if deep == 1 and A * high == H:  # all rows of windows are equally far apart
        return rows.view(1, 1, R * D * A, high, rows.shape[4])
    return rows


def _in_words(x: Any) -> bool:
    """Whether the rows of 16-bit numbers are of whole words."""
    return x.shape[3] % 2 == x.storage_offset() % 2 == 0 and x.data_ptr() % 4 == 0


def side_by_side(y: Any, x: Any, window: list[int], largest: bool) -> bool:
    """
    Pools windows side by side, of x (R, D, H, W), but for those that are loaded in whole rows. Returns whether it did.
    """
    deep, high, along = size = tuple(window[:3])
    if window != [*size, *size, 0, 0, 0, 1, 1, 1] or deep * high * along > _WRITTEN:
        return False
    pairs = x.element_size() == 2 and along in (2, 4, 8)
    seen = _side_by_side(x, size) if pairs or along & (along - 1) else None
    if seen is None or max(x.shape[2:]) > LONGEST:
        return False
    P, Q, B = seen.shape[0], seen.shape[2], y.shape[3]
    if pairs:
        columns = min(256 // along, power_of_two(B))
        rows = min(max(1, 1024 // (columns * along)), power_of_two(Q))
        kernel = hinted(pool_pairs, {"num_worker_warps": 4, "occupancy": 12})
    elif x.element_size() == 2 and along % 2 and B > 1 and _in_words(x):
        columns = min(128, power_of_two(B))
        rows = min(max(1, 512 // columns), power_of_two(Q))
        seen = _side_by_side(x.view(torch_dtype("int32")), (deep, high, 1))
        kernel = hinted(pool_two_by_place, {"num_worker_warps": 2, "occupancy": 8})
    else:
        columns = min(128, power_of_two(B))
        rows = min(max(1, 256 // columns), power_of_two(Q))
        seen = seen.unflatten(4, (B, along))
        kernel = hinted(pool_by_place, {"num_worker_warps": 4, "occupancy": 16})
    kernel(cut(y.view(P, Q, B), (1, rows, columns)), seen, size, largest).on()
    return True


def at_once(count: int) -> int:
    """How many of so many rows a block has: all blocks have as many."""
    return max(n for n in range(1, AT_ONCE + 1) if count % n == 0)


def planes_of(window: list[int]) -> tuple[Any, Any, Any] | None:
    """The size, step and padding of windows over two axes without places apart; None where they are others."""
    size, step, pad, apart = (tuple(window[n : n + 3]) for n in range(0, 12, 3))
    plain = size[0] == step[0] == 1 and pad[0] == 0 and apart[1:] == (1, 1) and size[1] * size[2] <= _OVERLAID
    near = all(0 < s <= k and p < k for k, s, p in zip(size, step, pad, strict=True))
    return (size[1:], step[1:], pad[1:]) if plain and near else None


def tile_of_rows(count: int, width: int, each: int = 1) -> tuple[int, int, int, int]:
    """The tile of one row of each of `count` images, `width` wide, of which a thread has `each` elements."""
    columns = max(each, min(64, power_of_two(width)))
    return min(_THREADS * each // columns, power_of_two(count)), 1, 1, columns


def rows_of_windows(y: Any, x: Any, window: list[int], largest: bool) -> bool:
    """Pools windows over two axes whose rows meet, of x (R, D, H, W). Returns whether it did."""
    planes = planes_of(window)
    if planes is None or max(x.shape[2:]) > LONGEST:
        return False
    size, step, pad = planes
    out, seen = y.flatten(0, 1), x.flatten(0, 1)
    (R, A, B), W = out.shape, x.shape[3]
    rows = at_once(A)
    part = out.view(R, A // rows, rows, B)
    group = 16 // x.element_size()
    beside = pad[1] + max(0, size[1] - step[1] - pad[1])
    if group > 2 and seen.is_contiguous() and W % group == group % step[1] == 0 and beside <= _BESIDE:
        inside = step[1] * (B - 1) - pad[1] + size[1] <= W
        few = group == 8 and A % 4 == 0  # of 16-bit numbers four rows are faster than eight, where they come out even
        if few:
            rows, part = 4, out.view(R, A // 4, 4, B)
        hints = {"num_worker_warps": 4, "occupancy": 6 if few and step[1] > 1 else 8 if group == 8 else 4}
        kernel = hinted(pool_groups_of_windows, hints)
        tile = tile_of_rows(R, B, group // step[1])
        kernel(cut(part, tile, owned=2), seen, planes, rows, group, largest, inside).on()
        return True
    kernel = hinted(pool_rows_of_windows, {"num_worker_warps": 4, "occupancy": 8})
    kernel(cut(part, tile_of_rows(R, B), owned=2), seen, planes, rows, largest).on()
    return True


def along_rows(y: Any, x: Any, size: int, apart: int, largest: bool) -> int:
    """
    Pools windows along the rows of the matrix x that move by one element, all inside, into y. Returns how many of a row
    it did: all but a few at the end, or none.
    """
    group, width = 16 // x.element_size(), x.shape[1]
    shifts = range(0, (size - 1) * apart + group, group)
    count = width - shifts[-1]
    if group == 2 or not x.is_contiguous() or width % group or len(shifts) > _SHIFTS or count < _LINE:
        return 0
    kernel = hinted(pool_along, {"num_worker_warps": 4, "occupancy": 8})
    parts = tuple(x[:, n : n + count] for n in shifts)
    kernel(cut(y[:, :count], (1, _THREADS * group)), parts, size, apart, group, largest).on()
    return count
