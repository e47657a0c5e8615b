"""Pictures of partitions: every region where it belongs, numbered as blocks get them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import freehold as fh
from freehold.frontend.schedule import Order
from freehold.runtime.show.pieces import numbering
from freehold.runtime.show.show import Drawing
from freehold.support.diagnostic import Rejected

HERE = Path(__file__).parent
SVG = "{http://www.w3.org/2000/svg}"
Index = tuple[int, ...]

orders = st.sampled_from([fh.ROW, fh.COLUMN, fh.grouped(1), fh.grouped(2), fh.grouped(3), fh.grouped(7)])


def array(shape: Index) -> Any:
    """An array of a shape; an empty page of memory serves for all of its elements."""
    return np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), shape, [0] * len(shape))


class Drawn:
    """The regions of a drawing, as its SVG has them."""

    def __init__(self, drawing: Drawing):
        self.tree = ElementTree.fromstring(drawing.svg)
        self.regions = [g for g in self.tree.iter(f"{SVG}g") if g.get("class") == "r"]
        self.numbers = {self.index(g): int(g.get("data-number", "")) for g in self.regions}
        self.blocks = {self.index(g): int(g.get("data-block", "")) for g in self.regions}

    @staticmethod
    def index(group: ElementTree.Element) -> Index:
        return tuple(map(int, group.get("data-region", "").split(",")))

    def elements(self) -> dict[Index, tuple[tuple[int, ...], ...]]:
        """The ranges of elements of each region."""
        pieces = {self.index(g): g.get("data-elements", "") for g in self.regions}
        return {i: tuple(tuple(map(int, p.split(":"))) for p in text.split(",")) for i, text in pieces.items()}

    def boxes(self) -> dict[Index, tuple[float, ...]]:
        """Left, top, width and height of each region."""
        found: dict[Index, tuple[float, ...]] = {}
        for group in self.regions:
            rect = group.find(f"{SVG}rect")
            assert rect is not None
            found[self.index(group)] = tuple(float(rect.get(k, "")) for k in ("x", "y", "width", "height"))
        return found

    def of_class(self, name: str) -> list[ElementTree.Element]:
        return [e for e in self.tree.iter() if e.get("class") == name]

    def of_tag(self, name: str) -> list[ElementTree.Element]:
        return list(self.tree.iter(f"{SVG}{name}"))

    def texts(self) -> list[str]:
        return [e.text or "" for e in self.tree.iter(f"{SVG}text")]


def in_order(order: Order, grid: Index) -> list[Index]:
    """All regions in an order, by sorting them."""

    def key(index: Index) -> Any:
        if order.kind == "grouped":
            *outer, i, j = index
            return (*outer, i // order.size, j, i)
        return index if order.kind == "row" else index[::-1]

    return sorted(product(*map(range, grid)), key=key)


@given(orders, st.lists(st.integers(1, 6), min_size=2, max_size=4))
def test_numbers_are_those_of_the_order(order: Order, grid: list[int]):
    number = numbering(order, tuple(grid))
    assert [number(index) for index in in_order(order, tuple(grid))] == list(range(int(np.prod(grid))))


@given(
    st.integers(1, 9), st.integers(1, 11), st.sampled_from([4, 8]), st.sampled_from([2, 16]), orders,
    st.sampled_from([fh.EACH, fh.PERSISTENT]), st.integers(-3, 3), st.integers(1, 9), st.integers(0, 1),
)  # fmt: skip
def test_every_region_is_drawn_once_in_its_place(
    rows: int, columns: int, tm: int, tn: int, order: Order, blocks: Any, extra: int, count: int, ragged: int
):
    steps = max(1, tm + extra), max(1, tn + extra)
    shape = rows * steps[0] - ragged * (steps[0] > 1), columns * steps[1]
    drawn = Drawn(fh.show(fh.partition(array(shape), (tm, tn), step=steps, order=order, blocks=blocks), blocks=count))
    expected = in_order(order, (rows, columns))
    assert len(drawn.regions) == rows * columns
    assert sorted(drawn.numbers, key=drawn.numbers.__getitem__) == expected
    workers = min(count, rows * columns) if blocks is fh.PERSISTENT else rows * columns
    assert all(drawn.blocks[index] == n % workers for n, index in enumerate(expected))
    for index, ranges in drawn.elements().items():
        wanted = [
            (i * s, min(extent, i * s + t)) for i, s, t, extent in zip(index, steps, (tm, tn), shape, strict=True)
        ]
        assert list(ranges) == wanted
    to_scale(drawn)


def to_scale(drawn: Drawn) -> None:
    """Places on paper are places in the array, times a scale of each axis, up to what rounding to 0.1 pixels moves."""
    boxes, elements = drawn.boxes(), drawn.elements()
    left, top, width, height = boxes[0, 0]
    (row, column) = elements[0, 0]
    down, across = height / (row[1] - row[0]), width / (column[1] - column[0])
    for index, (x, y, w, h) in boxes.items():
        (r0, r1), (c0, c1) = elements[index]
        slack = 0.2 + 0.1 * max(r1, c1)
        assert x == pytest.approx(left + c0 * across, abs=slack)
        assert y == pytest.approx(top + r0 * down, abs=slack)
        assert w == pytest.approx((c1 - c0) * across, abs=slack)
        assert h == pytest.approx((r1 - r0) * down, abs=slack)


@given(st.integers(1, 300), st.sampled_from([2, 16]), st.integers(-1, 20))
def test_one_axis(extent: int, tile: int, extra: int):
    step = tile + extra
    drawn = Drawn(fh.show(fh.partition(array((extent,)), tile, step=step)))
    count = -(-extent // step)
    shown = range(count) if count <= 14 else [*range(12), count - 2, count - 1]
    assert drawn.numbers == {(i,): i for i in shown}
    assert all(drawn.elements()[i,] == ((i * step, min(extent, i * step + tile)),) for i in shown)


@given(st.integers(13, 10**6), st.integers(11, 10**6), orders)
def test_a_large_grid_is_cut_short(rows: int, columns: int, order: Order):
    drawn = Drawn(fh.show(fh.partition(array((rows * 4, columns * 8)), (4, 8), order=order)))
    last = {(rows - 1, columns - 1): rows * columns - 1}
    assert drawn.numbers.items() >= ({(0, 0): 0} | last).items()
    assert len(drawn.regions) == 10 * min(columns, 12)
    assert len(set(drawn.numbers.values())) == len(drawn.regions)
    assert "⋮" in drawn.texts()
    assert ("⋯" in drawn.texts()) == (columns > 12)
    assert f"{len(drawn.regions)} of {rows * columns} regions are drawn" in words(drawn.of_tag("desc"))


def test_slices_of_more_axes():
    drawn = Drawn(fh.show(fh.partition(array((2, 2, 12, 8)), (1, 1, 4, 8))))
    assert sorted(drawn.numbers.values()) == list(range(12))
    assert {t for t in drawn.texts() if t.startswith("region")} == {
        f"region ({i}, {j}, *, *)" for i in range(2) for j in range(2)
    }
    many = Drawn(fh.show(fh.partition(array((5, 7, 8)), (1, 4, 8), order=fh.grouped(2))))
    assert {i for i, *_ in many.numbers} == {0, 1, 2, 3, 4}
    # One row of slices below the other, all of them in the picture.
    broad = Drawn(fh.show(fh.partition(array((5, 64, 4096)), (1, 4, 64))))
    tops = [min(top for (i, *_), (_, top, _, _) in broad.boxes().items() if i == n) for n in range(5)]
    assert tops == sorted(tops)
    assert tops[0] < tops[-1]
    ends = [top + height for _, top, _, height in broad.boxes().values()]
    assert 0 < tops[0] < max(ends) < float(broad.tree.get("height", "0"))
    many = Drawn(fh.show(fh.partition(array((50, 7, 8)), (1, 4, 8), order=fh.grouped(2))))
    assert {i for i, *_ in many.numbers} == {0, 1, 2, 3, 49}
    assert "45 more slices" in many.texts()


def test_what_overlaps_overhangs_or_is_nobodys_is_said():
    plain = Drawn(fh.show(fh.partition(array((64, 64)), (32, 32))))
    assert not plain.of_class("ghost") + plain.of_class("shared")
    ragged = Drawn(fh.show(fh.partition(array((60, 64)), (32, 32))))
    assert len(ragged.of_class("ghost")) == 2
    assert any(t.startswith("dashed: overhangs") for t in ragged.texts())
    overlapping = Drawn(fh.show(fh.partition(array((64, 64)), (32, 32), step=(32, 16))))
    assert len(overlapping.of_class("shared")) == 3
    assert any(t.startswith("hatched: in several regions") for t in overlapping.texts())
    gaps = Drawn(fh.show(fh.partition(array((64, 64)), (32, 8), step=(32, 16))))
    assert any(t.startswith("dotted: in no region") for t in gaps.texts())


def test_it_can_be_read_without_being_seen():
    drawn = Drawn(fh.show(fh.partition(array((60, 64)), (32, 32), order=fh.COLUMN)))
    assert drawn.tree.get("role") == "img"
    named = drawn.tree.get("aria-labelledby", "").split()
    assert {e.get("id") for e in (*drawn.of_tag("title")[:1], *drawn.of_tag("desc"))} == set(named)
    assert words(drawn.of_tag("title")[:1]) == "60 x 64 f32 in tiles of 32 x 32"
    assert words(drawn.of_tag("desc")).startswith(
        "4 regions (2 x 2) column by column, one block each. number 0 is region (0, 0), number 1 is region (1, 0)"
    )
    titles = [words(g.findall(f"{SVG}title")) for g in drawn.regions]
    assert titles[2] == (
        "region (1, 0): elements [32 .. 60, 0 .. 32], the rest of the tile overhangs; number 1, block 1"
    )
    style = words(drawn.of_tag("style"))
    assert "prefers-color-scheme: dark" in style
    # A page may hold several pictures: what styles one of them names it.
    selectors = re.findall(r"^\s*(?!@)([^{}\n]+)\{", style, re.MULTILINE)
    assert all(part.strip().startswith(f".{drawn.tree.get('class')}") for s in selectors for part in s.split(","))


def words(elements: Iterable[ElementTree.Element]) -> str:
    return " ".join(e.text or "" for e in elements)


def test_blocks_that_take_several_regions_are_named():
    drawn = Drawn(fh.show(fh.partition(array((64, 96)), (32, 32), blocks=fh.PERSISTENT), blocks=4))
    labels = [e.text for e in drawn.of_tag("text") if re.fullmatch(r"block \d+", e.text or "")]
    assert labels == [f"block {n % 4}" for n in range(6)]
    one_each = Drawn(fh.show(fh.partition(array((64, 96)), (32, 32))))
    assert not [e for e in one_each.of_tag("text") if (e.text or "").startswith("block ")]


def test_notebooks_show_it_and_files_hold_it(tmp_path: Path):
    partition = fh.partition(array((64, 64)), (32, 32), blocks=fh.PERSISTENT)
    drawing = fh.show(partition, blocks=3)
    shown: Any = drawing
    assert shown._repr_svg_() == shown._repr_html_() == drawing.svg
    file = drawing.save(tmp_path / "partition.svg")
    assert file.read_text(encoding="utf-8") == drawing.svg + "\n"
    assert "persistent blocks, drawn for 3" in repr(drawing)
    assert drawing.svg == fh.show(partition, blocks=3).svg


def test_the_whole_picture(golden: Callable[[Path, str], None]):
    drawing = fh.show(fh.partition(array((200, 256)), (64, 64), order=fh.grouped(2)))
    golden(HERE / "partition.svg", drawing.svg)


def test_what_cannot_be_drawn():
    given: Any = array((4,))
    with pytest.raises(TypeError, match="is a partition"):
        fh.show(given)
    with pytest.raises(TypeError, match="no array that kernels take, but a str"):
        fh.show(fh.partition("text", 4))
    with pytest.raises(ValueError, match="at least one block"):
        fh.show(fh.partition(given, 4), blocks=0)
    with pytest.raises(Rejected) as caught:
        fh.show(fh.partition(given, (4, 4)))
    assert "(4, 4)" in str(caught.value)
    empty = fh.show(fh.partition(array((0, 4)), (2, 2)))
    assert not Drawn(empty).regions
    assert "The array is empty" in empty.svg


def test_a_partition_of_another_rank_is_told_where_it_is_given() -> None:
    wrong: Any = fh.partition(np.zeros((4, 4), np.float32), 4)
    with pytest.raises(fh.Rejected) as caught:
        fh.show(wrong)
    (error,) = caught.value.errors
    place: Any = error.place
    number: int = place.line - 1
    line = Path(__file__).read_text(encoding="utf-8").splitlines()[number]
    assert line[place.start : place.end] == "wrong"
