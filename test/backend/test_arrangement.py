"""Where the elements of a tile come from that was moved about, against NumPy's arrays of numbers."""

from __future__ import annotations

from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from freehold.backend.arrangement import (
    Arrangement,
    Step,
    _source,  # pyright: ignore[reportPrivateUsage]
    lie_alike,
    moved,
)

Numbers = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


def shapes(elements: int) -> list[tuple[int, ...]]:
    """Ways to lay out so many elements, a power of two."""
    two = [(a, elements // a) for a in (1, 2, 4, 8, 16, 32) if elements % a == 0]
    return [(elements,), *two, *((a, b // 2, 2) for a, b in two if b % 2 == 0)]


def places(dims: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [tuple(int(n) for n in place) for place in np.ndindex(*dims)]


def step(data: st.DataObject, numbers: Numbers, at: Arrangement) -> tuple[Numbers, Arrangement]:
    """One move, of an array and of an arrangement."""
    dims = numbers.shape
    kind = data.draw(st.sampled_from(["reshape", "permute", "broadcast", "cut", "join"]))
    if kind == "reshape":
        wanted = data.draw(st.sampled_from(shapes(numbers.size)))
        return numbers.reshape(wanted), moved((kind, None, wanted), at)
    if kind == "permute":
        order = tuple(data.draw(st.permutations(range(len(dims)))))
        found = numbers.transpose(order)
        return found, moved((kind, order, found.shape), at)
    if kind == "broadcast":
        wanted = tuple(2 if extent == 1 and numbers.size < 32 else extent for extent in dims)
        return np.broadcast_to(numbers, wanted), moved((kind, None, wanted), at)
    axis = data.draw(st.integers(0, len(dims) - 1))
    if kind == "cut":
        if dims[axis] == 1:
            return numbers, at
        half = dims[axis] // 2
        first = data.draw(st.sampled_from([0, half]))
        found = numbers.take(range(first, first + half), axis)
        parts = tuple(first if n == axis else 0 for n in range(len(dims)))
        return found, moved((kind, parts, found.shape), at)
    if numbers.size > 32:
        return numbers, at
    assert at is not None
    other: Step = ("tile", "another", dims)
    found = np.concatenate([numbers, 1000 + np.arange(numbers.size).reshape(dims)], axis)
    return found, (("join", (axis, at, (other,)), found.shape),)


def chain(data: st.DataObject, numbers: Numbers, at: Arrangement) -> tuple[Numbers, Arrangement]:
    for _ in range(data.draw(st.integers(0, 4))):
        if numbers.max() >= 1000:  # of two tiles: which one is told by the step alone
            break
        numbers, at = step(data, numbers, at)
    return numbers, at


@given(st.data())
def test_elements_come_from_where_they_stood(data: st.DataObject) -> None:
    dims = data.draw(st.sampled_from([*shapes(8), *shapes(16)]))
    numbers, at = chain(data, np.arange(prod(dims)).reshape(dims), (("tile", "one", dims),))
    assert at is not None
    for place in places(numbers.shape):
        source = _source(at, place)
        number = int(numbers[place])
        if number < 1000:
            assert int(np.ravel_multi_index(source, dims)) == number
        else:  # of the other tile, whose shape is that before it was joined
            joined = at[-1][1]
            assert int(np.ravel_multi_index(source, joined[2][-1][2])) == number - 1000


@given(st.data())
def test_tiles_lie_alike_where_they_have_the_same_elements(data: st.DataObject) -> None:
    dims = data.draw(st.sampled_from(shapes(8)))
    start = np.arange(prod(dims)).reshape(dims)
    one, at = chain(data, start, (("tile", "one", dims),))
    other, there = chain(data, start, (("tile", "one", dims),))
    if max(one.max(), other.max()) >= 1000:
        return
    assert lie_alike(at, there) == (one.shape == other.shape and bool((one == other).all()))
    assert lie_alike(at, at)
    assert lie_alike(at, None)
    assert lie_alike(None, there)
