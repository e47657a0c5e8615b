"""The stretches of memory that an access touches are those of its elements, however they are found."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freehold.audit import cells
from freehold.audit.accesses import Access, Box, Points
from freehold.audit.cells import BITS, BLOCK, Cells, _joined, _one_each, runs_of  # pyright: ignore[reportPrivateUsage]
from freehold.audit.lanes import View

SIZE = 4


def bytes_of(runs: tuple[np.ndarray, np.ndarray, np.ndarray]) -> set[tuple[int, int]]:
    return {(int(b), n) for b, first, end in zip(*runs, strict=True) for n in range(int(first), int(end))}


@given(
    starts=st.lists(st.integers(0, 40), min_size=1, max_size=5),
    steps=st.lists(st.sampled_from([SIZE, SIZE, SIZE, 2 * SIZE, 0, -SIZE]), min_size=0, max_size=6),
    kept=st.none() | st.lists(st.booleans(), min_size=35, max_size=35),
)
def test_runs_are_what_elements_touch(starts: list[int], steps: list[int], kept: list[bool] | None) -> None:
    offsets = np.cumsum([400, *steps])
    address = np.array(starts)[:, None] * SIZE + offsets
    mask = None if kept is None else np.array(kept[: address.size]).reshape(address.shape)
    blocks = 7 * np.arange(len(starts))
    wanted = {
        (7 * b, int(a) + n)
        for (b, lane), a in np.ndenumerate(address)
        for n in range(SIZE)
        if mask is None or mask[b, lane]
    }
    assert bytes_of(_joined(blocks, address, mask, SIZE)) == wanted
    quick = _one_each(blocks, address, mask, SIZE)
    assert quick is None or bytes_of(quick) == wanted
    if steps and set(steps) == {SIZE} and mask is None:
        assert quick is not None


BLOCKS = np.array([3, 5, 8])
"""The numbers of the tile blocks of a run."""
OP: Any = object()


def each(values: Any) -> np.ndarray:
    """One number for all tile blocks, or one for each."""
    return np.array(values, np.int64).reshape(-1)


def access(number: int, kind: Any, place: Box | Points, lanes: list[bool], size: int = SIZE) -> Access:
    return Access(OP, kind, number, BLOCKS, np.array(lanes), 0, 0, size, place)


def touched(one: Access) -> dict[int, list[int]]:
    """The bytes that an access touches in each tile block, one after the other."""
    found: dict[int, list[int]] = {}
    for lane, block in enumerate(BLOCKS):
        if not one.lanes[lane]:
            continue

        def of(values: np.ndarray, lane: int = lane) -> Any:
            return values[lane if values.shape[0] > 1 else 0]

        place = one.place
        if isinstance(place, Points):
            address = of(place.address)
            chosen = np.broadcast_to(True if place.mask is None else of(place.mask), address.shape)
            elements = [int(a) for a in address[chosen]]
        else:
            assert isinstance(place, Box)
            view, elements = place.view, list[int]()
            for index in product(*map(range, place.sizes)):
                at = [int(of(s)) + n for s, n in zip(place.starts, index, strict=True)]
                if all(0 <= a < int(of(e)) for a, e in zip(at, view.shape, strict=True)):
                    moved = sum(a * int(of(s)) for a, s in zip(at, view.strides, strict=True))
                    elements.append(int(of(view.address)) + moved * view.size)
        found[int(block)] = [element + n for element in elements for n in range(one.size)]
    return found


VIEWS = [
    View(0, each(400), (each(6), each(8)), (each(8), each(1)), SIZE),
    View(0, each(400), (each(6), each(8)), (each(11), each(1)), SIZE),
    View(0, each(400), (each(6), each(8)), (each(1), each(6)), SIZE),
    View(0, each(400), (each(5),), (each(1),), SIZE),
    View(0, each(400), (each(5),), (each(2),), SIZE),
    View(0, each([400, 480, 400]), (each(5),), (each(1),), SIZE),
    View(0, each(400), (each([5, 2, 9]),), (each(1),), SIZE),
    View(0, each(400), (each(4), each(3)), (each(2), each(1)), SIZE),
]
"""Whole, padded, transposed; with another address or extent for each tile block; and one whose rows overlap."""


@st.composite
def boxes(draw: Any, view: View, number: int) -> Access:
    sizes = tuple(draw(st.sampled_from([1, 2, 4])) for _ in view.shape)
    some = st.integers(-2, 7)
    ways = st.one_of(some.map(lambda n: [n]), st.lists(some, min_size=3, max_size=3))
    starts = tuple(each(draw(ways)) for _ in sizes)
    lanes = draw(st.lists(st.booleans(), min_size=3, max_size=3))
    return access(number, draw(st.sampled_from(["read", "write"])), Box(view, starts, sizes), lanes)


@st.composite
def points(draw: Any, number: int) -> Access:
    rows = draw(st.sampled_from([1, 3]))
    address = np.array(draw(st.lists(st.integers(0, 12), min_size=4 * rows, max_size=4 * rows))).reshape(rows, 4)
    mask = draw(st.none() | st.lists(st.booleans(), min_size=12, max_size=12))
    chosen = None if mask is None else np.array(mask).reshape(3, 4)
    lanes = draw(st.lists(st.booleans(), min_size=3, max_size=3))
    return access(number, draw(st.sampled_from(["read", "write"])), Points(400 + SIZE * address, chosen), lanes)


@st.composite
def several(draw: Any) -> list[Access]:
    """Accesses to one array: tiles of one view, of two, or single elements among them."""
    view = draw(st.sampled_from(VIEWS))
    ways = [boxes(view, 0), boxes(view, 1), draw(st.sampled_from([boxes(view, 2), points(2), boxes(VIEWS[0], 2)]))]
    found = [draw(way) for way in ways[: draw(st.integers(1, 3))]]
    return found if draw(st.booleans()) else found[::-1]


@given(one=st.sampled_from(VIEWS).flatmap(lambda view: boxes(view, 0)) | points(0))
@settings(max_examples=60)
def test_stretches_of_an_access_are_what_its_elements_touch(one: Access) -> None:
    wanted = {(block, byte) for block, found in touched(one).items() for byte in found}
    assert bytes_of(runs_of(one)) == wanted


def by_block(keys: np.ndarray) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for key in keys:
        found.setdefault(int(key) & BLOCK, set()).add(int(key) >> BITS)
    return found


@given(accesses=several())
@settings(max_examples=80)
def test_accesses_meet_where_their_cells_do(accesses: list[Access]) -> None:
    cells = Cells(accesses)
    touches = [touched(one) for one in accesses]
    keys = [by_block(found) for found in cells.keys]
    for a, b in product(range(len(accesses)), repeat=2):
        for block, other in product(touches[a], touches[b]):
            meet = {*touches[a][block]} & {*touches[b][other]}
            mine, theirs = keys[a].get(block, set()), keys[b].get(other, set())
            assert bool(mine & theirs) == bool(meet)
            assert {cells.address(cell) for cell in mine & theirs} <= meet
        shared = cells.shared(a, b)
        meeting = {n: {*touches[a][n]} & {*touches[b][n]} for n in {*touches[a]} & {*touches[b]}}
        assert (shared is None) == (not any(meeting.values()))
        assert shared is None or shared[1] in meeting[shared[0]]


@given(accesses=several())
@settings(max_examples=80)
def test_neighbours_in_time_are_those_of_each_element(accesses: list[Access]) -> None:
    wanted: set[tuple[int, int]] = set()
    touches = [touched(one) for one in accesses]
    for block, byte in {(block, byte) for each_ in touches for block, found in each_.items() for byte in found}:
        there = [n for n, found in enumerate(touches) if byte in found.get(block, ())]
        for n in there:
            before = [m for m in there if m < n and accesses[m].kind == "write"]
            after = [m for m in there if m > n and accesses[m].kind == "write"]
            wanted |= {(before[-1], n)} if before else set()
            wanted |= {(n, after[0])} if after else set()
    assert Cells(accesses).in_order() == sorted(wanted)


@given(one=points(0))
@settings(max_examples=60)
def test_an_element_that_is_touched_twice_is_found(one: Access) -> None:
    twice = {(block, byte) for block, found in touched(one).items() for byte in found if found.count(byte) > 1}
    found = Cells([one]).repeated(0)
    assert (found is None) == (not twice)
    assert found is None or found in twice


@pytest.mark.parametrize("kind", ["read", "write", "update"])
def test_of_updates_and_of_branches_no_order_is_concluded(kind: str) -> None:
    place = Points(each([400, 404, 408]).reshape(3, 1), None)
    one, two = access(0, kind, place, [True] * 3), access(1, "write", place, [True] * 3)
    assert Cells([one, two]).in_order() == (None if kind == "update" else [(0, 1)])
    one.path = ((1, 0),)
    assert Cells([one, two]).in_order() is None


def test_what_happens_for_sure_is_told_apart() -> None:
    place = Points(each([400, 404, 408]).reshape(3, 1), None)
    one, two = access(0, "read", place, [True, False, True]), access(1, "read", place, [False, True, False])
    reason: Any = object()
    two.maybe = reason
    found = {maybe: by_block(keys) for _, maybe, keys in Cells([one, two]).by_operation()}
    assert {maybe: {*blocks} for maybe, blocks in found.items()} == {None: {3, 8}, reason: {5}}


LINE = View(0, np.array([400]), (np.array([16]),), (np.array([1]),), SIZE)


@pytest.mark.parametrize(("most", "boxes_"), [(12, True), (11, False)])
def test_tiles_are_compared_by_their_cells_up_to_a_limit(
    most: int, boxes_: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three blocks with four elements each, which another access cuts into single ones."""
    monkeypatch.setattr(cells, "MOST_CELLS", most)
    four = access(0, "write", Box(LINE, (each([0, 4, 8]),), (4,)), [True] * 3)
    assert Cells([four]).view is not None
    one = access(1, "read", Box(LINE, (each([1, 1, 1]),), (1,)), [True, False, False])
    monkeypatch.setattr(cells, "MOST_CELLS", most + 1)
    found = Cells([four, one])
    assert (found.view is not None) == boxes_
    assert found.shared(0, 1) == (3, 404)


@pytest.mark.parametrize(("most", "enough"), [(24, True), (23, False)])
def test_more_elements_than_that_are_not_looked_at(most: int, enough: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MOST_ELEMENTS", most)
    address = np.arange(12).reshape(3, 4) * SIZE
    two = [access(n, "write", Points(address, None), [True] * 3) for n in range(2)]
    if enough:
        assert Cells(two).shared(0, 1) == (3, 0)
    else:
        with pytest.raises(OverflowError):
            Cells(two)


@pytest.mark.parametrize(("most", "enough"), [(12, True), (11, False)])
def test_more_stretches_than_that_are_not_compared(most: int, enough: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Elements that lie apart are stretches of their own."""
    monkeypatch.setattr(cells, "MOST_CELLS", most)
    apart = [access(n, "write", Points(np.arange(6).reshape(3, 2) * 2 * SIZE, None), [True] * 3) for n in range(2)]
    if enough:
        assert Cells(apart).shared(0, 1) == (3, 0)
    else:
        with pytest.raises(OverflowError):
            Cells(apart)
