"""How many elements fall into each of a row of equal parts."""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold import Acc, Ref, f32, i32
from freehold.kernels.operators import operator
from freehold.kernels.schedules import power_of_two
from freehold.kernels.tiles import places, safe


@safe
def histogram_tiles(h: Acc[i32, "B"], x: Ref["N"], low: f32, high: f32):
    """Adds to h how many elements fall into each of B equal parts of low to high, which is in the last; others not."""
    inside = places(x.index[0] * x.tile[0], x.tile[0]) < x.shape[0]
    t = x.load().astype(f32)
    part = fh.floor((t - low) / (high - low) * h.shape[0].astype(f32)).astype(i32, saturate=True)
    h.add_at(1, fh.minimum(part, h.shape[0] - 1), mask=inside & (t >= low) & (t <= high))


def histogram(x: Any, bins: int, low: float, high: float) -> Any:
    """
    How many elements of `x` fall into each of `bins` equal parts of `low` to `high`, as `torch.histc`: in int32.

    An element that is `high` is in the last part; what is outside, and NaN, counts nowhere. Computed in float32. No
    gradients. Raises `ValueError` for no parts, or an empty range.
    """
    if bins < 1 or not low < high:
        raise ValueError(f"at least one part of a range, not {bins} from {low} to {high}")
    return _histogram(x.reshape(-1), bins, low, high)


@operator(
    "histogram(Tensor x, int bins, float low, float high) -> Tensor",
    results=lambda x, bins, low, high: x.new_empty((bins,)).int(),
    takes={"x": "floats"},
)
def _histogram(h: Any, x: Any, bins: int, low: float, high: float) -> None:
    histogram_tiles(h.zero_(), fh.partition(x, min(1024, power_of_two(x.shape[0]))), low, high).on()
