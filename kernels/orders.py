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
"""Behind all numbers that are looked through for the largest."""

BEHIND: Final = 1 << 62
"""Behind all keys of rows that are put in order."""

_PLACE: Final = 30
"""Bits of a key that say the place of its element."""

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


def keys_of(t: Any, place: Any, last: Any, DESCENDING: bool) -> Any:
    """
    The elements as `i64` keys that differ, in their order: 32 bits of the element's number, and 30 of its place.

    They are at least 0 and below BEHIND, so that as bits of `f64`, too, they are numbers in the same order. Places from
    `last` on are behind the row, and have BEHIND.
    """
    number = numbers(t)
    number = number if t.dtype == fh.u32 else number + 0x80000000
    number = 0xFFFFFFFF - number if DESCENDING else number
    return fh.where(place < last, (number << _PLACE) | place.astype(i64), BEHIND)


def place_of(key: Any) -> Any:
    """The place that a key is of."""
    return (key & ((1 << _PLACE) - 1)).astype(i32)


def element_of(key: Any, x: Any, m: Any, DESCENDING: bool) -> Any:
    """
    The elements of row `m` that keys stand for.

    They are the numbers in the keys. Those of zeros and NaNs do not tell a zero's sign and a NaN's bits: these are
    loaded.
    """
    number = key >> _PLACE
    number = 0xFFFFFFFF - number if DESCENDING else number
    if x.dtype == fh.u32:
        return number.astype(fh.u32)
    number = (number - 0x80000000).astype(i32)
    match x.dtype:
        case fh.f32 | fh.f16 | fh.bf16:
            value = value_of(number, x.dtype)
            is_told = (value != 0.0) & ~fh.isnan(value)
            row, place = places(m, 1)[:, None], fh.where(is_told, -1, place_of(key))
            loaded = rows_of(tuple(x.gather(row, place[r : r + 1]) for r in range(place.shape[0])))
            return fh.where(is_told, value, loaded)
        case _:
            return number.astype(x.dtype)


def is_before(a: Any, b: Any) -> Any:
    """Whether keys are less than others, compared as `f64`: in one instruction, of units that are idle otherwise."""
    return fh.bitcast(a, fh.f64) < fh.bitcast(b, fh.f64)


def exclusive_or(a: Any, b: Any) -> Any:
    """The bits in which they differ."""
    return a ^ b


def turned(R: int, P: int, W: int, BACK: int) -> Any:
    """Where bit BACK of the place is set, for the pairs (A, 2, B, P) of R rows of P whose rows are W apart."""
    if 1 << BACK < P:
        return ((fh.arange(P)[None, None, None, :] >> BACK) & 1) != 0
    if 1 << BACK < W * P:
        return (((fh.arange(W)[None, None, :, None] * P) >> BACK) & 1) != 0
    return (((fh.arange(R // 2 // W)[:, None, None, None] * (2 * W * P)) >> BACK) & 1) != 0


def put_in_order(keys: Any, BIT: int, BACK: int) -> Any:
    """
    Each two keys (R, P) whose places differ in bit BIT alone, in order; where bit BACK of the place is set, backwards.

    Rows are registers of a thread, which compares pairs of them. Along a row a key meets the other of its pair as what
    differs in both, which threads of a warp tell one another: so no key is ever moved to another thread.
    """
    R, P = keys.shape
    if 1 << BIT >= P:
        W: int = (1 << BIT) // P
        pairs = keys.reshape(R // 2 // W, 2, W, P)
        low, high = pairs[:, :1], pairs[:, 1:]
        swap = is_before(high, low) if BACK < 0 else is_before(high, low) != turned(R, P, W, BACK)
        least = fh.where(swap, high, low)
        return fh.concatenate((least, low ^ high ^ least), axis=1).reshape(R, P)
    A: int = (R * P) >> (BIT + 1)
    pairs = keys.reshape(A, 2, 1 << BIT)
    other = pairs ^ fh.reduce(pairs, exclusive_or, 0, axis=1, keepdims=True)
    back = fh.arange(2)[None, :, None]
    if BACK > BIT:
        back = back ^ ((fh.arange(A)[:, None, None] >> (BACK - BIT - 1)) & 1)
    elif BACK >= 0:
        back = back ^ ((fh.arange(1 << BIT)[None, None, :] >> BACK) & 1)
    return fh.where(is_before(other, pairs) != (back != 0), other, pairs).reshape(R, P)


def bit_at(BIT: int, ROWS: int, LOG: int) -> int:
    """
    Which bit of the place in a tile of 2 ** ROWS rows and 2 ** LOG keys stands for a bit of the place in order.

    The lowest bits are rows: most steps of a network are between neighbours, and those are of one thread. The last is
    the lowest bit of columns, of which a thread has two.
    """
    return LOG - ROWS + BIT if BIT < ROWS else (0 if BIT == LOG - 1 else BIT - ROWS + 1)


def rows_of(rows: Any) -> Any:
    """A tile of rows."""
    return fh.concatenate(rows, axis=0) if len(rows) > 1 else rows[0]


def sorted_tile(x: Any, m: Any, n: Any, DESCENDING: bool, ROWS: int, LOG: int) -> Any:
    """The keys of the n-th tile of 2 ** LOG elements of row `m`, in order: Batcher's bitonic network."""
    R: int = 1 << ROWS
    P: int = (1 << LOG) // R
    place = n * (R * P) + fh.arange(R)[:, None] * P + fh.arange(P)[None, :]
    row = places(m, 1)[:, None]
    loaded = rows_of(tuple(x.gather(row, place[r : r + 1]) for r in range(R)))
    keys = keys_of(loaded, place, x.shape[1], DESCENDING)
    for runs in fh.static_range(LOG):
        for step in fh.static_range(runs + 1):
            BACK = -1 if runs + 1 == LOG else bit_at(runs + 1, ROWS, LOG)
            keys = put_in_order(keys, bit_at(runs - step, ROWS, LOG), BACK)
    return keys.reshape(R, P // 2, 2).transpose(2, 1, 0).reshape(R, P)


@safe
def sort_tiles(keys: Out[i64, "M", "L"], x: Ref["M", "N"], DESCENDING: Const[bool], ROWS: Const[int], LOG: Const[int]):
    """
    Tiles of each row in order, as keys, in tiles of 2 ** LOG of which a thread has 2 ** ROWS rows.

    L is N, filled up to whole tiles; what is beyond the row comes last.
    """
    fh.require("L <= 536870912", "places are of 30 bits")
    m, n = keys.index
    fh.static_assert(keys.tile[1] == 1 << LOG, "a tile for the network")
    keys.store(sorted_tile(x, m, n, DESCENDING, ROWS, LOG).reshape(keys.tile), allow_tma=False)


@safe
def sort_short_rows(
    values: Out["M", "N"],
    where: Out[i64, "M", "N"],
    x: Ref["M", "X"],
    DESCENDING: Const[bool],
    ROWS: Const[int],
    LOG: Const[int],
):
    """The first N elements of rows of a tile in order, and their places."""
    m, n = values.index
    fh.static_assert(values.tile[1] == 1 << LOG, "a tile for the network")
    keys = sorted_tile(x, m, n, DESCENDING, ROWS, LOG)
    values.store(element_of(keys, x, m, DESCENDING).reshape(values.tile), allow_tma=False)
    where.store(place_of(keys).astype(i64).reshape(where.tile), allow_tma=False)


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


def merged_tile(x: Any, splits: Any, run: Any, m: Any, n: Any, ROWS: int, LOG: int) -> Any:
    """
    The keys of the n-th tile of 2 ** LOG of row `m` once neighbouring runs, each of `run` keys in order, are joined.

    What a tile has of both runs is loaded, the second part from its end on: keys that ascend and then descend, which
    LOG steps of a network put in order.
    """
    R: int = 1 << ROWS
    P: int = (1 << LOG) // R
    T: int = R * P
    begin = n * T
    first = begin // (2 * run) * (2 * run)
    one, two = fh.minimum(x.shape[1] - first, run), fh.clip(x.shape[1] - first - run, 0, run)
    at_begin = splits.gather(m, n)
    is_last = (begin + T == first + 2 * run) | (begin + T >= x.shape[1])
    at_end = fh.where(is_last, one, splits.gather(m, n + 1, padding=0))
    inside = fh.arange(R)[:, None] * P + fh.arange(P)[None, :]
    of_first = inside < at_end - at_begin
    other = begin - first - at_begin + (T - 1 - inside)
    place = fh.where(of_first, first + at_begin + inside, first + run + other)
    row = places(m, 1)[:, None]
    keys = rows_of(tuple(x.gather(row, place[r : r + 1]) for r in range(R)))
    keys = fh.where(of_first | (other < two), keys, BEHIND)
    for step in fh.static_range(LOG):
        keys = put_in_order(keys, LOG - 1 - step, -1)
    return keys


@safe
def merge_tiles(
    y: Out[i64, "M", "L"],
    x: Ref[i64, "M", "L"],
    splits: Ref[i32, "M", "P"],
    run: i32,
    ROWS: Const[int],
    LOG: Const[int],
):
    """Joins neighbouring runs of keys in order, each of `run`, into runs twice as long, in tiles of 2 ** LOG."""
    fh.require("run > 0 and run <= 536870912 and L <= 536870912", "no place wraps around")
    m, n = y.index
    fh.static_assert(y.tile[1] == 1 << LOG, "a tile for the network")
    y.store(merged_tile(x, splits, run, m, n, ROWS, LOG).reshape(y.tile), allow_tma=False)


@safe
def merge_elements(
    values: Out["M", "N"],
    where: Out[i64, "M", "N"],
    keys: Ref[i64, "M", "L"],
    splits: Ref[i32, "M", "P"],
    x: Ref["M", "X"],
    run: i32,
    DESCENDING: Const[bool],
    ROWS: Const[int],
    LOG: Const[int],
):
    """As `merge_tiles` for the last two runs: the first N elements that keys stand for, and their places."""
    fh.require("run > 0 and run <= 536870912 and N <= L and L <= 536870912", "no place wraps around")
    m, n = values.index
    fh.static_assert(values.tile[1] == 1 << LOG, "a tile for the network")
    merged = merged_tile(keys, splits, run, m, n, ROWS, LOG)
    values.store(element_of(merged, x, m, DESCENDING).reshape(values.tile), allow_tma=False)
    where.store(place_of(merged).astype(i64).reshape(where.tile), allow_tma=False)


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
"""Elements that are sorted by a network, and of a tile of two runs that are joined, by one warp; the code of the
network grows with the square of the logarithm."""

_WARP: Final = 64
"""Keys of a row of registers, two of each thread of a warp: 16 bytes are stored at once. No tile has fewer, so that
no thread has copies of what others have."""


def _pair(x: Any, count: int) -> tuple[Any, Any]:
    return x.new_empty((x.shape[0], count)), x.new_empty((x.shape[0], count)).long()


def _by_warp(kernel: Any, tile: int) -> tuple[Any, int, int]:
    """A kernel with the hints for tiles of so many keys; the logarithms of rows of registers and of keys."""
    log = tile.bit_length() - 1
    rows = log + 1 - _WARP.bit_length()
    return hinted(kernel, {"num_worker_warps": 1, "occupancy": 4 if rows > 3 else 8}), rows, log


def _in_order(values: Any, where: Any, x: Any, descending: bool) -> None:
    """The first elements of each row of a matrix in order, and their places: as many as there are results."""
    M, N = x.shape
    tile = max(_WARP, min(_TILE, power_of_two(N)))
    results = cut(values, (1, tile)), cut(where, (1, tile))
    if tile >= N:
        sorting, *network = _by_warp(sort_short_rows, tile)
        sorting(*results, x, descending, *network).on()
        return
    keys = x.new_empty((M, ceildiv(N, tile) * tile)).long()
    sorting, *network = _by_warp(sort_tiles, tile)
    sorting(cut(keys, (1, tile)), x, descending, *network).on()
    run, L = tile, keys.shape[1]
    merged = keys.new_empty(keys.shape) if 2 * run < L else keys
    is_back = True
    while 2 * run < L:
        joining, *network = _by_warp(merge_tiles, tile)
        order = {"map": fh.REVERSED} if is_back else {}
        joining(cut(merged, (1, tile), **order), keys, _splits(keys, run, tile), run, *network).on()
        keys, merged, run, is_back = merged, keys, 2 * run, not is_back
    joining, *network = _by_warp(merge_elements, tile)
    order = {"map": fh.REVERSED} if is_back else {}
    results = cut(values, (1, tile), **order), cut(where, (1, tile), **order)
    joining(*results, keys, _splits(keys, run, tile), x, run, descending, *network).on()


def _splits(keys: Any, run: int, tile: int) -> Any:
    """How many keys in front of each tile of joined runs are of the first of two; a tile is no longer than a run."""
    splits = keys.new_empty((keys.shape[0], keys.shape[1] // tile)).int()
    region = cut(splits, (1, min(128, power_of_two(splits.shape[1]))))
    merge_splits(region, keys, run, run.bit_length(), tile).on()
    return splits


@operator("sort(Tensor x, bool descending) -> (Tensor, Tensor)", results=lambda x, descending: _pair(x, x.shape[1]))
def _sort(values: Any, where: Any, x: Any, descending: bool) -> None:
    _in_order(values, where, x, descending)


@operator("topk(Tensor x, int k, bool largest) -> (Tensor, Tensor)", results=lambda x, k, largest: _pair(x, k))
def _topk(values: Any, where: Any, x: Any, k: int, largest: bool) -> None:
    M, N = x.shape
    K, W = power_of_two(k), group_of(N)
    if K > MOST or W > _WIDEST * _GROUP:
        _in_order(values, where, x, largest)
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
