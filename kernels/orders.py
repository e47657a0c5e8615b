"""Rows in order: the largest of a row, and whole rows, sorted tile by tile and merged; all stable."""

from __future__ import annotations

from typing import Any, Final

import freehold as fh
from freehold import Const, Out, Ref, f32, i32, i64
from freehold.kernels.arguments import Tensor, axis_of, function
from freehold.kernels.operators import operator
from freehold.kernels.schedules import ceildiv, cut, hinted, power_of_two
from freehold.kernels.tiles import places, safe

LAST: Final = 0x7FFFFFFFFFFFFFFF
"""Behind all keys."""

MOST: Final = 64
"""How many of the largest are found without putting a row in order."""

_GROUP: Final = 64
"""Neighbours of which only the largest is looked at first, at least."""

_GROUPS: Final = 4096
"""Such groups of a row, at most."""

_WIDEST: Final = 4
"""How many times as wide a group may be."""

# --- Kernels ----------------------------------------------------------------------------------------------------------


def order_of(t: Any) -> Any:
    """Floats of 16 or 32 bits as `i32` numbers in the same order; NaN is beyond the infinity of its sign."""
    if t.dtype == f32:
        bits = fh.bitcast(t, i32)
        return bits ^ ((bits >> 31) & 0x7FFFFFFF)
    bits = fh.bitcast(t, fh.i16).astype(i32)
    return bits ^ ((bits >> 15) & 0x7FFF)


def value_of(number: Any, dtype: Any) -> Any:
    """The floats that numbers of `order_of` stand for."""
    if dtype == f32:
        return fh.bitcast(number ^ ((number >> 31) & 0x7FFFFFFF), f32)
    return fh.bitcast((number ^ ((number >> 15) & 0x7FFF)).astype(fh.i16), dtype)


def numbers(t: Any) -> Any:
    """The elements as `i64` numbers of 32 bits in the same order: NaN is the largest, and -0.0 equals 0.0."""
    match t.dtype:
        case fh.f32 | fh.f16 | fh.bf16:
            t = fh.where(fh.isnan(t), float("nan"), fh.where(t == 0.0, 0.0, t))
            return order_of(t).astype(i64)
        case _:
            return t.astype(i64)


@safe
def sort_tiles(keys: Out[i64, "M", "L"], x: Ref["M", "N"], DESCENDING: Const[bool]):
    """
    Tiles of each row in order, as keys: the element's number above, and below its place, so that all keys differ.

    L is N, filled up to whole tiles; what is beyond the row comes last.
    """
    m, n = keys.index
    place = places(n * keys.tile[1], keys.tile[1])[None, :]
    number = numbers(x.load((m, n), keys.tile, allow_tma=False))
    key = ((-1 - number if DESCENDING else number) << 32) | place.astype(i64)
    keys.store(fh.sort(fh.where(place < x.shape[1], key, LAST), axis=1), allow_tma=False)


def from_first(x: Any, row: Any, first: Any, run: Any, along: Any, low: Any, high: Any, steps: Any) -> Any:
    """
    How many of the `along` keys in front of some are of the first of two runs that begin at `first`: by bisection from
    `low` to `high`.
    """
    for _ in range(steps):
        middle = (low + high) // 2
        left = x.gather(row, first + middle)
        right = x.gather(row, first + run + along - 1 - middle)
        more = (low < high) & (left < right)
        low, high = fh.where(more, middle + 1, low), fh.where(more, high, fh.where(low < high, middle, high))
    return low


@safe
def merge_splits(splits: Out[i32, "M", "P"], x: Ref[i64, "M", "L"], run: i32, steps: i32, T: Const[int]):
    """How many of the keys in front of each T-th place of two joined runs are of the first of them."""
    fh.require("run > 0 and run <= 536870912 and L <= 536870912 and P <= 4194304", "no place wraps around")
    m, n = splits.index
    place = places(n * splits.tile[1], splits.tile[1])[None, :] * T
    first = place // (2 * run) * (2 * run)
    one, two = fh.clip(x.shape[1] - first, 0, run), fh.clip(x.shape[1] - first - run, 0, run)
    along = place - first
    low, high = fh.maximum(along - two, 0), fh.minimum(along, one)
    splits.store(from_first(x, places(m, 1)[:, None], first, run, along, low, high, steps))


@safe
def merge_tiles(y: Out[i64, "M", "L"], x: Ref[i64, "M", "L"], splits: Ref[i32, "M", "P"], run: i32, LOG: Const[int]):
    """
    Joins neighbouring runs of keys in order, each of `run`, into runs twice as long, in tiles of 2 ** LOG.

    What a tile has of both runs is loaded, the second part from its end on: keys that ascend and then descend, which
    LOG steps of a network put in order.
    """
    fh.require("run > 0 and run <= 536870912 and L <= 536870912", "no place wraps around")
    m, n = y.index
    T = y.tile[1]
    fh.static_assert(T == 1 << LOG, "a tile for the network")
    begin = n * T
    first = begin // (2 * run) * (2 * run)
    one, two = fh.minimum(x.shape[1] - first, run), fh.clip(x.shape[1] - first - run, 0, run)
    at_begin = splits.gather(m, n)
    is_last = (begin + T == first + 2 * run) | (begin + T >= x.shape[1])
    at_end = fh.where(is_last, one, splits.gather(m, n + 1, padding=0))
    inside = fh.arange(T)[None, :]
    of_first = inside < at_end - at_begin
    other = begin - first - at_begin + (T - 1 - inside)
    place = fh.where(of_first, first + at_begin + inside, first + run + other)
    keys = fh.where(of_first | (other < two), x.gather(places(m, 1)[:, None], place), LAST)
    for step in fh.static_range(LOG):
        pairs = keys.reshape(1 << step, 2, T >> (step + 1))
        low, high = fh.minimum(pairs[:, :1], pairs[:, 1:]), fh.maximum(pairs[:, :1], pairs[:, 1:])
        keys = fh.concatenate((low, high), axis=1).reshape(1, T)
    y.store(keys, allow_tma=False)


@safe
def elements_of_keys(values: Out["M", "N"], where: Out[i64, "M", "N"], keys: Ref[i64, "M", "L"], x: Ref["M", "X"]):
    """The elements that keys stand for, and their places; N are the first of L keys."""
    fh.require("N <= L")
    m, n = values.index
    place = keys.load((m, n), values.tile).astype(i32)
    values.store(x.gather(places(m, 1)[:, None], place))
    where.store(place.astype(i64))


def is_short(dtype: Any) -> bool:
    """Whether `ranks` have 16 bits."""
    return dtype not in (fh.f32, fh.i32, fh.u32)


def ranks(t: Any, inside: Any, LARGEST: bool) -> Any:
    """Numbers in `i32` of which the least are wanted, in the order of `numbers`; the last there is outside."""
    number = (numbers(t) - (2147483648 if t.dtype == fh.u32 else 0)).astype(i32)
    return fh.where(inside, -1 - number if LARGEST else number, 32767 if is_short(t.dtype) else 2147483647)


def first_places(numbers: Any, count: Any, K: int, SHORT: bool) -> Any:
    """
    Where the `count` least of a row of numbers are, in order, the first of equals first; behind them places behind the
    row. Numbers have 32 bits, or where they are `SHORT` 16: half as much is compared then.
    """
    P: int = numbers.shape[1]
    wide = i32 if SHORT else i64
    keys: Any = (numbers.astype(wide) << (15 if SHORT else 32)) | places(0, P)[None, :].astype(wide)
    found, last = places(P, K)[None, :], 0x7FFFFFFF if SHORT else LAST
    for n in range(count):
        least = keys.min()
        place = (least & (0x7FFF if SHORT else 0xFFFFFFFF)).astype(i32)
        found = fh.where((fh.arange(K)[None, :] == n) & (least != last), place, found)
        keys = fh.where(keys == least, last, keys)
    return found


def in_order(numbers: Any, K: int) -> Any:
    """K numbers that differ, from the least on."""
    before = fh.where(numbers.reshape(1, K) < numbers.reshape(K, 1), 1, 0).sum(axis=1)
    return fh.where(before[None, :] == fh.arange(K)[:, None], numbers.reshape(1, K), 0).sum(axis=1)


def columns_of(best: Any, count: Any, K: int, W: int, SHORT: bool) -> Any:
    """The columns of the groups of W that have the `count` least of a row of ranks, up to K groups, in order."""
    return in_order(first_places(best, count, K, SHORT), K)[:, None] * W + fh.arange(W)[None, :]


@safe
def first_of_groups(best: Out[i32, "M", "S"], x: Ref["M", "N"], W: Const[int], LARGEST: Const[bool]):
    """The first of the ranks of each W neighbours."""
    fh.require("S == cdiv(N, W)", "each group has a rank")
    m, s = best.index
    _, groups = best.tile
    inside = places(s * (groups * W), groups * W)[None, :] < x.shape[1]
    found = ranks(x.load((m, s), (1, groups * W), allow_tma=False), inside, LARGEST)
    best.store(found.reshape(groups, W).min(axis=1)[None, :], allow_tma=False)


@safe
def largest_of_groups(
    values: Out["M", "K"],
    where: Out[i64, "M", "K"],
    best: Ref[i32, "M", "S"],
    x: Ref["M", "N"],
    W: Const[int],
    P: Const[int],
    LARGEST: Const[bool],
):
    """
    The K first elements of each row in order, and their places.

    They are in the K groups whose first ones come first: an element of another group comes after each of these K.
    `best` has the ranks of the first ones, of W neighbours each, up to P of them.
    """
    fh.require("S <= P", "a row's groups fit a tile")
    m, _ = values.index
    (_, K), SHORT = values.tile, is_short(x.dtype)
    tops = best.load((m, 0), (1, P), allow_tma=False)
    tops = fh.where(places(0, P)[None, :] < best.shape[1], tops, 32767 if SHORT else 2147483647)
    column = columns_of(tops, values.shape[1], K, W, SHORT)
    found = ranks(x.gather(places(m, 1)[:, None], column), column < x.shape[1], LARGEST)
    at = first_places(found.reshape(1, K * W), values.shape[1], K, SHORT)
    group = fh.where((at.reshape(K, 1) // W) == fh.arange(K)[None, :], column[:, :1].reshape(1, K), 0).sum(axis=1)
    place = group[None, :] + at % W
    values.store(x.gather(places(m, 1)[:, None], place), allow_tma=False)
    where.store(place.astype(i64), allow_tma=False)


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def sort(x: Tensor, dim: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    """
    The elements of `x` in order along an axis, and their places in int64; equal ones stay in their order.

    Of f32, bf16, f16 and integers of up to 32 bits; NaN is the largest. Differentiable. Raises `ValueError` for others.
    """
    rows, back = _rows(x, dim)
    values, where = _sort(rows, descending)
    return back(values), back(where)


@function()
def topk(x: Tensor, k: int, dim: int = -1, largest: bool = True) -> tuple[Tensor, Tensor]:
    """
    The `k` largest (or smallest) elements along an axis, in order, and their places in int64: the first of equals.

    As `sort` in what it takes; differentiable. Up to 64 of a million are found without putting the others in order.
    Raises `ValueError` for more than there are.
    """
    most = x.shape[axis_of(x, dim)]
    if not 0 < k <= most:
        raise ValueError(f"from 1 to {most} of the elements, not {k}")
    rows, back = _rows(x, dim)
    values, where = _topk(rows, k, largest)
    return back(values), back(where)


def _rows(x: Any, dim: int) -> tuple[Any, Any]:
    if x.element_size() > 4:
        raise ValueError(f"elements of up to 32 bits are put in order, not {x.dtype}")
    moved = x.transpose(dim, -1)

    def back(t: Any) -> Any:
        return t.view(*moved.shape[:-1], t.shape[-1]).transpose(dim, -1)

    return moved.reshape(-1, moved.shape[-1]), back


# --- Operators --------------------------------------------------------------------------------------------------------

_TILE: Final = 1024
"""Elements that are sorted by a network, and of a tile of two runs that are joined; the code of the network grows with
the square of the logarithm."""


def _pair(x: Any, count: int) -> tuple[Any, Any]:
    return x.new_empty((x.shape[0], count)), x.new_empty((x.shape[0], count)).long()


def sorted_keys(x: Any, descending: bool) -> Any:
    """The keys of a matrix's rows, in order."""
    M, N = x.shape
    tile = min(_TILE, power_of_two(N))
    keys = x.new_empty((M, ceildiv(N, tile) * tile)).long()
    hints = {"num_worker_warps": 4, "occupancy": 8}
    hinted(sort_tiles, hints)(cut(keys, (1, tile)), x, descending).on()
    run, L = tile, keys.shape[1]
    merged = keys.new_empty(keys.shape) if run < L else keys
    while run < L:  # so a tile is as long as the shortest run
        splits = keys.new_empty((M, L // tile)).int()
        region = cut(splits, (1, min(128, power_of_two(splits.shape[1]))))
        merge_splits(region, keys, run, run.bit_length(), tile).on()
        hinted(merge_tiles, hints)(cut(merged, (1, tile)), keys, splits, run, tile.bit_length() - 1).on()
        keys, merged, run = merged, keys, 2 * run
    return keys


@operator("sort(Tensor x, bool descending) -> (Tensor, Tensor)", results=lambda x, descending: _pair(x, x.shape[1]))
def _sort(values: Any, where: Any, x: Any, descending: bool) -> None:
    _told(values, where, sorted_keys(x, descending), x)


def _told(values: Any, where: Any, keys: Any, x: Any) -> None:
    tile = 1, min(1024, power_of_two(values.shape[1]))
    elements_of_keys(fh.partition(values, tile), fh.partition(where, tile), keys, x).on()


@operator("topk(Tensor x, int k, bool largest) -> (Tensor, Tensor)", results=lambda x, k, largest: _pair(x, k))
def _topk(values: Any, where: Any, x: Any, k: int, largest: bool) -> None:
    M, N = x.shape
    K, W = power_of_two(k), group_of(N)
    if K > MOST or W > _WIDEST * _GROUP:
        _told(values, where, sorted_keys(x, largest), x)
        return
    best = x.new_empty((M, ceildiv(N, W))).int()
    groups_launch(best, x, W, largest).on()
    parts = fh.partition(values, (1, K)), fh.partition(where, (1, K))
    kernel = hinted(largest_of_groups, {"num_worker_warps": 4, "occupancy": 8})
    kernel(*parts, best, x, W, power_of_two(best.shape[1]), largest).on()


def group_of(columns: int) -> int:
    """How many neighbours of a row of so many columns are a group."""
    return max(_GROUP, power_of_two(ceildiv(columns, _GROUPS)))


def groups_launch(best: Any, x: Any, width: int, largest: bool = True) -> Any:
    """The launch that writes the first rank of each group of `width` in the rows of `x` (M, N) to `best` (M, S)."""
    tile = 1, min(max(1, 4096 // width), power_of_two(best.shape[1]))
    kernel = hinted(first_of_groups, {"num_worker_warps": 16, "occupancy": 2})
    return kernel(fh.partition(best, tile), x, width, largest)


def _gradient(ctx: Any, dvalues: Any, _: Any) -> tuple[Any, ...]:
    x, where = ctx.saved_tensors
    return (x.new_zeros(x.shape).scatter_(1, where, dvalues), *(None,) * (len(ctx.needs_input_grad) - 1))


_sort.backward(keeps=lambda inputs, output: (inputs[0], output[1]))(_gradient)
_topk.backward(keeps=lambda inputs, output: (inputs[0], output[1]))(_gradient)
