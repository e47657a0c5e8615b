"""Overlap of strided arrays, against the addresses themselves."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freehold.runtime.memory import overlap as module
from freehold.runtime.memory.overlap import overlap, repeated

shapes = st.lists(st.integers(1, 4), min_size=0, max_size=3).map(tuple)


def offsets(shape: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    return [
        sum(i * s for i, s in zip(index, strides, strict=True))
        for index in product(*(range(extent) for extent in shape))
    ]


@st.composite
def layouts(draw: st.DrawFn, least: int = 1) -> tuple[tuple[int, ...], tuple[int, ...]]:
    shape = draw(shapes)
    return shape, tuple(draw(st.integers(least, 13)) for _ in shape)


@given(layouts())
def test_repeated_elements_are_found(layout: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    shape, strides = layout
    places = offsets(shape, strides)
    difference = repeated(shape, strides)
    assert (difference is not None) == (len(set(places)) < len(places))
    if difference:
        assert any(difference)
        assert sum(d * s for d, s in zip(difference, strides, strict=True)) == 0
        assert all(abs(d) < extent for d, extent in zip(difference, shape, strict=True))


@settings(max_examples=300)
@given(layouts(0), layouts(0), st.integers(-40, 40), st.sampled_from([1, 2, 4]), st.sampled_from([1, 2, 4]))
def test_overlap_is_sharing_a_byte(
    first: tuple[tuple[int, ...], tuple[int, ...]],
    second: tuple[tuple[int, ...], tuple[int, ...]],
    distance: int,
    size: int,
    other_size: int,
) -> None:
    bytes_of_first = {p + b for p in offsets(*first) for b in range(size)}
    bytes_of_second = {distance + p + b for p in offsets(*second) for b in range(other_size)}
    found = overlap((0, *first, size), (distance, *second, other_size))
    assert found == bool(bytes_of_first & bytes_of_second)


def test_large_arrays_are_decided() -> None:
    columns = (8192, 4096), (8192 * 2, 2)
    assert not overlap((0, *columns, 2), (4096 * 2, *columns, 2))
    assert overlap((0, *columns, 2), (4095 * 2, *columns, 2))
    even, odd = ((1 << 30,), (8,)), ((1 << 30,), (8,))
    assert not overlap((0, *even, 4), (4, *odd, 4))
    assert repeated((1 << 20, 1 << 10), (1 << 10, 1)) is None


def test_what_is_too_hard_counts_as_shared() -> None:
    shape = (30,) * 6
    first = tuple(2 * (10007 + 2 * k * k * k) for k in range(6))
    assert overlap((0, shape, first, 1), (30001, shape, tuple(s + 2 for s in first), 1))


def test_a_search_that_is_given_up_is_told_from_one_that_finds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    shape, strides = (3, 3), (2, 3)
    for answer, wanted in ((None, None), ((), ()), ((1, -1), (-1, 1))):
        monkeypatch.setattr(module, "_solve", lambda *_, answer=answer, **__: answer)
        assert repeated(shape, strides) == wanted
