"""Schedules of rows are such that kernels take them: extents of tiles are powers of two, and nothing is left over."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from freehold.kernels.schedules import LONGEST, compiled_in, rows

COUNTS, LENGTHS = st.integers(1, 1 << 20), st.integers(1, LONGEST) | st.integers(LONGEST, 1 << 20)


def is_power_of_two(n: int) -> bool:
    return n > 0 and n & (n - 1) == 0


@given(COUNTS, LENGTHS)
def test_a_row_is_read_whole_or_walked(count: int, length: int) -> None:
    way = rows(count, length)
    high, width = way.tile
    assert is_power_of_two(high)
    assert is_power_of_two(width)
    assert is_power_of_two(way.warps)
    assert way.warps * way.occupancy <= 64  # threads of a multiprocessor, in warps
    pieces = way.constants[0]
    if length > LONGEST:
        assert (high, pieces) == (1, 0)
    else:
        assert (pieces - 1) * width < length <= pieces * width
    assert compiled_in(length) in (None, length)
