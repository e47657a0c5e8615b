"""Rows in order: the largest of a row, and whole rows, sorted tile by tile and merged; all stable."""

from __future__ import annotations

from typing import Any, Final

import freehold as fh
from freehold import Const, Out, Ref, i32, i64
from freehold.kernels.operators import operator
from freehold.kernels.sampling import order_of
from freehold.kernels.schedules import PROCESSORS, ceildiv, power_of_two
from freehold.kernels.tiles import places, safe

LAST: Final = 0x7FFFFFFFFFFFFFFF
"""Behind all keys."""

# --- Kernels ----------------------------------------------------------------------------------------------------------


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
    number = numbers(x.load((m, n), keys.tile))
    key = ((-1 - number if DESCENDING else number) << 32) | place.astype(i64)
    keys.store(fh.sort(fh.where(place < x.shape[1], key, LAST), axis=1))


@safe
def merge_runs(y: Out[i64, "M", "L"], x: Ref[i64, "M", "L"], run: i32, steps: i32):
    """
    Joins neighbouring runs of keys in order, each of `run`, into runs twice as long.

    Each element of the result finds by bisection how many of those in front of it are of the first run; `steps` turns
    are enough to find one of `run` places.
    """
    fh.require("run > 0 and run <= 536870912 and L <= 536870912", "no place wraps around")
    m, n = y.index
    place = places(n * y.tile[1], y.tile[1])[None, :]
    first = place // (2 * run) * (2 * run)
    one = fh.minimum(x.shape[1] - first, run)
    two = fh.clip(x.shape[1] - first - run, 0, run)
    along = place - first
    low, high = fh.maximum(along - two, 0), fh.minimum(along, one)
    row = places(m, 1)[:, None]
    for _ in range(steps):
        middle = (low + high) // 2
        left = x.gather(row, first + middle)
        right = x.gather(row, first + run + along - 1 - middle)
        more = (low < high) & (left < right)
        low, high = fh.where(more, middle + 1, low), fh.where(more, high, fh.where(low < high, middle, high))
    other = along - low
    left = fh.where(low < one, x.gather(row, first + low), LAST)
    right = fh.where(other < two, x.gather(row, first + run + other), LAST)
    y.store(fh.minimum(left, right))


@safe
def elements_of_keys(values: Out["M", "N"], where: Out[i64, "M", "N"], keys: Ref[i64, "M", "L"], x: Ref["M", "X"]):
    """The elements that keys stand for, and their places; N are the first of L keys."""
    fh.require("N <= L")
    m, n = values.index
    place = keys.load((m, n), values.tile).astype(i32)
    values.store(x.gather(places(m, 1)[:, None], place))
    where.store(place.astype(i64))


@safe
def smallest_parts(
    best: Out[i64, "M", "S"],
    x: Ref["M", "N"],
    parts: i32,
    W: Const[int],
    K: Const[int],
    KEYS: Const[bool] = False,
    LARGEST: Const[bool] = True,
):
    """
    The keys of the K largest elements of each row, in order: in S // K parts, of which p has every P-th tile of W.

    With `KEYS` x has keys already. A tile that has nothing better than what was found is only looked at.
    """
    m, p = best.index
    fh.require(parts > 0)
    fh.require("parts * K == S", "the parts are those of the result")
    found = fh.full((1, W), LAST, i64)
    for k in fh.tiles(x, axis=1, size=W, start=p, step=parts):
        t = x.load((m, k), (1, W))
        place = places(k * W, W)[None, :]
        if KEYS:
            key = t
        else:
            number = numbers(t)
            key = ((-1 - number if LARGEST else number) << 32) | place.astype(i64)
        key = fh.where(place < x.shape[1], key, LAST)
        if key.min() < found[:, K - 1].item():
            found = fh.sort(fh.concatenate((found, key), axis=1), axis=1)[:, :W]
    best.store(found[:, :K])


# --- Functions --------------------------------------------------------------------------------------------------------


def sort(x: Any, dim: int = -1, descending: bool = False) -> tuple[Any, Any]:
    """
    The elements of `x` in order along an axis, and their places in int64; equal ones stay in their order.

    Of f32, bf16, f16 and integers of up to 32 bits; NaN is the largest. Differentiable. Raises `ValueError` for others.
    """
    rows, back = _rows(x, dim)
    values, where = _sort(rows, descending)
    return back(values), back(where)


def topk(x: Any, k: int, dim: int = -1, largest: bool = True) -> tuple[Any, Any]:
    """
    The `k` largest (or smallest) elements along an axis, in order, and their places in int64: the first of equals.

    As `sort` in what it takes; differentiable. Up to 64 are found in one walk. Raises `ValueError` for more than there
    are.
    """
    if not 0 < k <= x.shape[dim]:
        raise ValueError(f"from 1 to {x.shape[dim]} of the elements, not {k}")
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

_TILE: Final = 128
"""Elements that are sorted by a network; its code grows with the square of the logarithm."""

_WALK: Final = 64
"""Elements of a tile where the largest are looked for: so many of them are found in one walk."""


def _pair(x: Any, count: int) -> tuple[Any, Any]:
    return x.new_empty((x.shape[0], count)), x.new_empty((x.shape[0], count)).long()


def sorted_keys(x: Any, descending: bool) -> Any:
    """The keys of a matrix's rows, in order."""
    M, N = x.shape
    tile = min(_TILE, power_of_two(N))
    keys = x.new_empty((M, ceildiv(N, tile) * tile)).long()
    sort_tiles(fh.partition(keys, (1, tile)), x, descending).on()
    run, L = tile, keys.shape[1]
    while run < L:
        merged = keys.new_empty(keys.shape)
        merge_runs(fh.partition(merged, (1, min(1024, power_of_two(L)))), keys, run, run.bit_length()).on()
        keys, run = merged, 2 * run
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
    K = power_of_two(k)
    if K > _WALK:
        _told(values, where, sorted_keys(x, largest), x)
        return
    W = max(K, min(_WALK, power_of_two(N)))
    P = max(1, min(ceildiv(N, W), ceildiv(2 * PROCESSORS, M), 64))
    best = x.new_empty((M, P * K)).long()
    smallest_parts(fh.partition(best, (1, K)), x, P, W, K, False, largest).on()
    if P > 1:
        merged = best.new_empty((M, K))
        smallest_parts(fh.partition(merged, (1, K)), best, 1, W, K, True, True).on()
        best = merged
    _told(values, where, best, x)


def _gradient(ctx: Any, dvalues: Any, _: Any) -> tuple[Any, ...]:
    x, where = ctx.saved_tensors
    return (x.new_zeros(x.shape).scatter_(1, where, dvalues), *(None,) * (ctx.count - 1))


_sort.backward(keeps=lambda inputs, output: (inputs[0], output[1]))(_gradient)
_topk.backward(keeps=lambda inputs, output: (inputs[0], output[1]))(_gradient)
