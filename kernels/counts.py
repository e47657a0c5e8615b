"""How many elements fall into each of a row of equal parts."""

from __future__ import annotations

from typing import Any, Final

import freehold as fh
from freehold import Acc, Const, Out, Ref, f32, i32
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import operator
from freehold.kernels.schedules import cut, hinted, power_of_two
from freehold.kernels.tiles import places, safe


def part_of(t: Any, inside: Any, low: Any, high: Any, parts: Any) -> tuple[Any, Any]:
    """In which of so many equal parts of low to high numbers are, and of which that is so; `high` is in the last."""
    t = t.astype(f32)
    part = fh.floor((t - low) / (high - low) * parts.astype(f32)).astype(i32, saturate=True)
    return fh.minimum(part, parts - 1), inside & (t >= low) & (t <= high)


@safe
def histogram_tiles(h: Acc[i32, "C", "B"], x: Ref["N"], low: f32, high: f32):
    """
    Adds to h how many elements fall into each of B equal parts of low to high, which is in the last; others not.

    Blocks take turns at its C rows: updates of one element wait for one another.
    """
    inside = places(x.index[0] * x.tile[0], x.tile[0]) < x.shape[0]
    part, counts = part_of(x.load(allow_tma=False), inside, low, high, h.shape[1])
    h.add_at(1, x.index[0] % h.shape[0], part, mask=counts)


@safe
def histogram_pairs(
    h: Acc[i32, "C", "P", "Q"],
    x: Ref["N"],
    low: f32,
    high: f32,
    T: Const[int],
    at: fh.Grid = fh.Grid("cdiv(N, 2 * T)"),
):
    """
    As `histogram_tiles` of pairs of elements, so that there are half as many updates: adds to h which part each of a
    pair is in. What falls into none is in the last of P.
    """
    fh.require("P == Q and P > 1 and N <= 1073741824")
    (n,) = at.index
    parts = h.shape[1] - 1
    both: tuple[Any, ...] = ()
    for i in fh.static_range(2):
        k = n * 2 + i
        last: Any = fh.cdiv(x.shape[0], T) - 1
        at_most: Any = fh.minimum(k, last)
        t = x.load((at_most,), (T,), allow_tma=False)
        part, counts = part_of(t, places(k * T, T) < x.shape[0], low, high, parts)
        both = (*both, fh.where(counts, part, parts))
    h.add_at(1, n % h.shape[0], *both)


@safe
def sum_of_counts(h: Out[i32, "B"], rows: Ref[i32, "C", "B"], TC: Const[int]):
    """h = rows.sum(axis=0)."""
    (b,) = h.index
    acc = fh.zeros((TC, h.tile[0]), i32)
    for c in fh.tiles(rows, axis=0, size=TC):
        acc += rows.load((c, b), (TC, h.tile[0]))
    h.store(acc.sum(axis=0))


@safe
def sum_of_pairs(h: Out[i32, "B"], pairs: Ref[i32, "P", "Q"], W: Const[int]):
    """How many elements are in each part, as the first or the second of a pair; see `histogram_pairs`."""
    fh.require("P == Q and B + 1 == P and P <= W")
    (b,) = h.index
    high = h.tile[0]
    h.store(pairs.load((b, 0), (high, W)).sum(axis=1) + pairs.load((0, b), (W, high)).sum(axis=0))


@function()
def histogram(x: Tensor, bins: int, low: float, high: float) -> Tensor:
    """
    How many elements of `x` fall into each of `bins` equal parts of `low` to `high`, as `torch.histc`: in int32.

    An element that is `high` is in the last part; what is outside, and NaN, counts nowhere. Computed in float32. No
    gradients. Raises `ValueError` for no parts, or an empty range.
    """
    if bins < 1 or not low < high:
        raise ValueError(f"at least one part of a range, not {bins} from {low} to {high}")
    return _histogram(x.reshape(-1), bins, low, high)


_ROWS: Final = 256
"""Rows of counts that blocks take turns at, at most."""
_EACH: Final = 1 << 16
"""Elements that are counted in a row, at least."""
_COUNTS: Final = 1 << 20
"""Counts in all rows, at most, but for one row."""
_PAIRED: Final = 1 << 22
"""From so many elements on they are counted in pairs, which is more to add up."""
_TABLES: Final = 64
"""Tables of counts of pairs that blocks take turns at, at most."""
_FILLED: Final = 1 << 18
"""Elements that are counted in a table, at least."""
_WIDEST: Final = 257
"""The parts of a table, with that for what falls into none, at most: wider tables leave the L2 cache."""


@operator(
    "histogram(Tensor x, int bins, float low, float high) -> Tensor",
    results=lambda x, bins, low, high: x.new_empty((bins,)).int(),
    takes={"x": "floats"},
)
def _histogram(h: Any, x: Any, bins: int, low: float, high: float) -> None:
    if _PAIRED <= x.shape[0] <= 1 << 30 and bins < _WIDEST:
        _count_pairs(h, x, bins + 1, low, high)
        return
    count = max(1, min(_ROWS, x.shape[0] // _EACH, _COUNTS // bins))
    rows = h.view(1, bins) if count == 1 else h.new_empty((count, bins))
    part = cut(x, (min(2048, power_of_two(x.shape[0])),))
    hinted(histogram_tiles, {"num_worker_warps": 4})(rows.zero_(), part, low, high).on()
    if count > 1:
        sum_of_counts(cut(h, (min(16, power_of_two(bins)),)), rows, power_of_two(count)).on()


def _count_pairs(h: Any, x: Any, parts: int, low: float, high: float) -> None:
    """`histogram` by way of tables that count pairs, of so many parts a side."""
    count = min(_TABLES, x.shape[0] // _FILLED)
    tables, pairs = h.new_zeros((count, parts, parts)), h.new_empty((parts, parts))
    hinted(histogram_pairs, {"num_worker_warps": 4})(tables, x, low, high, 1024).on()
    every = pairs.view(-1)
    part = cut(every, (min(128, power_of_two(every.shape[0])),))
    sum_of_counts(part, tables.view(count, -1), power_of_two(count)).on()
    sum_of_pairs(cut(h, (min(16, power_of_two(h.shape[0])),)), pairs, power_of_two(parts)).on()
