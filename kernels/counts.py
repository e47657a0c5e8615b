"""How many elements fall into each of a row of equal parts."""

from __future__ import annotations

from typing import Any, Final

import freehold as fh
from freehold import Acc, Const, Out, Ref, f32, i32
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import operator
from freehold.kernels.schedules import cut, hinted, power_of_two
from freehold.kernels.tiles import places, safe


@safe
def histogram_tiles(h: Acc[i32, "C", "B"], x: Ref["N"], low: f32, high: f32):
    """
    Adds to h how many elements fall into each of B equal parts of low to high, which is in the last; others not.

    Blocks take turns at its C rows: updates of one element wait for one another.
    """
    inside = places(x.index[0] * x.tile[0], x.tile[0]) < x.shape[0]
    t = x.load(allow_tma=False).astype(f32)
    part = fh.floor((t - low) / (high - low) * h.shape[1].astype(f32)).astype(i32, saturate=True)
    row = x.index[0] % h.shape[0]
    h.add_at(1, row, fh.minimum(part, h.shape[1] - 1), mask=inside & (t >= low) & (t <= high))


@safe
def sum_of_counts(h: Out[i32, "B"], rows: Ref[i32, "C", "B"], TC: Const[int]):
    """h = rows.sum(axis=0)."""
    (b,) = h.index
    acc = fh.zeros((TC, h.tile[0]), i32)
    for c in fh.tiles(rows, axis=0, size=TC):
        acc += rows.load((c, b), (TC, h.tile[0]))
    h.store(acc.sum(axis=0))


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


@operator(
    "histogram(Tensor x, int bins, float low, float high) -> Tensor",
    results=lambda x, bins, low, high: x.new_empty((bins,)).int(),
    takes={"x": "floats"},
)
def _histogram(h: Any, x: Any, bins: int, low: float, high: float) -> None:
    count = max(1, min(_ROWS, x.shape[0] // _EACH, _COUNTS // bins))
    rows = h.view(1, bins) if count == 1 else h.new_empty((count, bins))
    part = cut(x, (min(2048, power_of_two(x.shape[0])),))
    hinted(histogram_tiles, {"num_worker_warps": 4})(rows.zero_(), part, low, high).on()
    if count > 1:
        sum_of_counts(cut(h, (min(16, power_of_two(bins)),)), rows, power_of_two(count)).on()
