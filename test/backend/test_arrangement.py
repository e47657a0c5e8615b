"""Where the elements of a tile come from that was moved about, against NumPy's arrays of numbers."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freehold.backend.arrangement import (
    Arrangement,
    Step,
    _source,  # pyright: ignore[reportPrivateUsage]
    arranged,
    lie_alike,
    moved,
)
from freehold.dialects.cuda_tile.text import parse_disassembly
from freehold.dialects.cuda_tile.types import TileType

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


A, B = np.arange(32).reshape(4, 8), 100 + np.arange(32).reshape(4, 8)
TILE = "tile<4x8xi32>"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (f"reshape %a : {TILE} -> tile<2x16xi32>", A.reshape(2, 16)),
        (f"permute %a [1, 0] : {TILE} -> tile<8x4xi32>", A.T),
        ("broadcast %row : tile<1x8xi32> -> tile<4x8xi32>", np.broadcast_to(A[:1], (4, 8))),
        (f"extract %a[%c1, %c0] : {TILE} -> tile<2x8xi32>", A[2:]),
        (f"extract %a[%c1, %c3] : {TILE} -> tile<2x2xi32>", A[2:, 6:]),
        (f"extract %a[%n, %c1] : {TILE} -> tile<4x4xi32>", A[:, 4:]),  # of all rows there is one part
        (f"extract %a[%n, %c1] : {TILE} -> tile<2x4xi32>", None),
        (f"cat %a, %b dim = 0 : {TILE}, {TILE} -> tile<8x8xi32>", np.concatenate((A, B), 0)),
        (f"cat %a, %b dim = 1 : {TILE}, {TILE} -> tile<4x16xi32>", np.concatenate((A, B), 1)),
        (f"addi %a, %a : {TILE}", A),
        (f"addi %a, %b : {TILE}", None),
        (f"select %on, %a, %a : tile<i1>, {TILE}", A),
        ("addi %c1, %n : tile<i32>", None),
        (f"constant <i32: 1> : {TILE}", None),
        ("unpack %bytes : tile<32xi8> -> tile<8xi32>", None),
    ],
)
def test_where_operations_put_elements(text: str, made: Numbers | None) -> None:
    arguments = f"%a: {TILE}, %b: {TILE}, %row: tile<1x8xi32>, %bytes: tile<32xi8>, %n: tile<i32>, %on: tile<i1>"
    constants = " ".join(f"%c{n} = constant <i32: {n}> : tile<i32>" for n in (0, 1, 3))
    module = parse_disassembly(
        f"cuda_tile.module @m {{ entry @k({arguments}) {{ {constants} %made = {text} return }} }}"
    )
    (op,) = (op for op in module.walk() if op.results and op.results[0].name_hint == "made")
    at = arranged(
        op, [(("from", v.name_hint, v.type.dims if isinstance(v.type, TileType) else ()),) for v in op.operands]
    )
    if made is None:
        assert at is None
        return
    assert at is not None
    assert at[-1][2] == made.shape
    for place in places(made.shape):
        source, number = _source(at, place), int(made[place])
        assert number % 100 == np.ravel_multi_index(source, (4, 8))


def test_arrangements_that_differ_in_one_element_do_not_lie_alike() -> None:
    start: Step = ("tile", "one", (2, 2))
    turned: Step = ("permute", (1, 0), (2, 2))
    assert not lie_alike((start,), (start, turned))
    assert lie_alike((start,), (start, turned, turned))
    assert not lie_alike((start,), (start, ("reshape", None, (4,))))
