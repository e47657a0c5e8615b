"""Where everything of a picture stands: pictures of all kinds as numbers, and what is true of each of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import freehold as fh
from freehold.runtime.show import pieces, takings
from freehold.runtime.show.axes import Axis

HERE = Path(__file__).parent
SVG = "{http://www.w3.org/2000/svg}"
NUMBERS = (
    "x",
    "y",
    "width",
    "height",
    "points",
    "d",
    "fill",
    "fill-opacity",
    "stroke",
    "rx",
    "font-weight",
    "font-size",
    "text-anchor",
)


def array(*shape: int) -> Any:
    """An array of a shape; an empty page of memory serves for all of its elements."""
    return np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), shape, [0] * len(shape))


def partition(shape: tuple[int, ...], tile: Any, **options: Any) -> Any:
    return fh.partition(array(*shape), tile, **options)


def halved(i: Any, j: Any) -> Any:
    return i // 2, j


def below(i: Any, j: Any) -> Any:
    return i + 1, j


def fewer(n: Any) -> Any:
    return (n - 3,)


def upper(i: Any, j: Any) -> Any:
    return i <= j


PICTURES: dict[str, Callable[[], Any]] = {
    "one axis that overhangs": lambda: partition((61,), 16),
    "one axis in one region": lambda: partition((5,), 16),
    "one long axis": lambda: partition((3_000,), 16),
    "one axis with steps": lambda: partition((50,), 8, step=12),
    "one axis that overlaps": lambda: partition((50,), 16, step=6),
    "columns that are left out, and a row that overhangs": lambda: partition((50, 2_040), (32, 16), order=fh.COLUMN),
    "rows that are left out": lambda: partition((2_000, 20), (16, 16), order=fh.grouped(3)),
    "regions that overlap both ways": lambda: partition((60, 70), (16, 32), step=(13, 21), order=fh.grouped(2)),
    "gaps": lambda: partition((40, 40), (8, 8), step=(11, 13)),
    "gaps along one axis": lambda: partition((40, 40), (8, 8), step=(11, 8)),
    "a gap behind the array": lambda: partition((40, 8), (8, 8), step=(8, 11)),
    "an overlap behind the array": lambda: partition((6, 40), (8, 8), step=(6, 8)),
    "persistent": lambda: partition((64, 100), (32, 32), blocks=fh.PERSISTENT),
    "three persistent": lambda: partition((32, 300), (16, 16), blocks=3),
    "more blocks than regions": lambda: partition((20, 32), (16, 16), blocks=100),
    "slices": lambda: partition((2, 3, 33, 30), (1, 1, 16, 16)),
    "slices of which some are left out": lambda: partition((9, 40, 16), (1, 16, 16), order=fh.COLUMN),
    "slices of many regions": lambda: partition((2, 100, 150), (1, 16, 16)),
    "nobody's, and shared": lambda: partition((64, 64), (16, 16), map=halved),
    "a triangle": lambda: partition((60, 64), (16, 16), map=fh.LOWER_TRIANGLE, partial=True),
    "outside": lambda: partition((64, 32), (16, 16), map=below),
    "owned": lambda: partition((64, 70), (16, 16), owned=1),
    "fewer points": lambda: partition((64,), 16, grid=fewer, partial=True),
    "points that are left out": lambda: partition((64, 32), (16, 16), where=upper, partial=True),
    "nothing": lambda: partition((0, 4), (2, 2)),
    "nothing for persistent blocks": lambda: partition((0, 4), (2, 2), blocks=fh.PERSISTENT),
    "two regions": lambda: partition((32,), 16),
    "gaps where an axis is cut": lambda: partition((3_000,), 8, step=12),
    "overlaps where both axes are cut": lambda: partition((2_000, 3_000), (16, 32), step=(13, 21)),
    "slices that are wider than a page": lambda: partition((3, 4, 4), (1, 4, 64), step=(1, 4, 4)),
    "shared regions that overhang": lambda: partition((60, 60), (16, 16), map=halved),
    "all of it owned": lambda: partition((32, 32), (16, 16), owned=(0, 1)),
    "as many regions as have a path": lambda: partition((400 * 16,), 16),
    "one region more": lambda: partition((401 * 16,), 16),
    "numbers that just fit": lambda: partition((72 + 13, 96 + 9), (64, 64), step=(72, 96)),
    "numbers that are too wide": lambda: partition((72 + 13, 96 + 8), (64, 64), step=(72, 96)),
    "numbers that are too high": lambda: partition((72 + 12, 96 + 9), (64, 64), step=(72, 96)),
    "blocks that just fit": lambda: partition((72 + 30, 96 + 44), (64, 64), step=(72, 96), blocks=2),
    "blocks that are too wide": lambda: partition((72 + 30, 96 + 43), (64, 64), step=(72, 96), blocks=2),
    "blocks that are too high": lambda: partition((72 + 29, 96 + 44), (64, 64), step=(72, 96), blocks=2),
    "labels that crowd": lambda: partition((14 << 20,), 1 << 20),
    "four regions a block": lambda: partition((12 * 16,), 16, blocks=3),
    "four regions a block, and one more": lambda: partition((13 * 16,), 16, blocks=3),
}  # fmt: skip


def drawn(name: str) -> ElementTree.Element:
    return ElementTree.fromstring(fh.show(PICTURES[name](), blocks=5).svg)


def shapes(tree: ElementTree.Element) -> Iterator[str]:
    """What is drawn, a line each, without styles and what patterns and arrows are made of."""
    name = str(tree.get("class"))
    yield f"svg {tree.get('width')} x {tree.get('height')}, box {tree.get('viewBox')}"
    for element in tree:
        kind = element.tag.removeprefix(SVG)
        if kind in ("defs", "style"):
            continue
        for each in [element] if kind != "g" else [element, *element]:
            said = (each.text or "").strip()
            found = [str(each.get(key)) for key in NUMBERS if each.get(key)]
            words = [
                "",
                each.tag.removeprefix(SVG),
                *found,
                str(each.get("class") or ""),
                *([f"| {said}"] if said else []),
            ]
            yield " ".join(filter(None, words)).replace(name, "")


def test_where_everything_stands(golden: Callable[[Path, str], None]) -> None:
    text = [line for name in PICTURES for line in (f"== {name}", *shapes(drawn(name)), "")]
    golden(HERE / "pictures.txt", "\n".join(text))


def corners(element: ElementTree.Element) -> Iterator[tuple[float, float]]:
    """The points of an element, of texts as wide as they are at least."""

    def number(key: str) -> float:
        return float(element.get(key, "0"))

    match element.tag.removeprefix(SVG):
        case "rect":
            yield number("x"), number("y")
            yield number("x") + number("width"), number("y") + number("height")
        case "text":
            width = 4.5 * len(element.text or "")
            left = number("x") - width * {"start": 0, "middle": 0.5, "end": 1}[element.get("text-anchor", "start")]
            yield left, number("y") - 8
            yield left + width, number("y")
        case "polyline":
            for point in element.get("points", "").split():
                x, y = point.split(",")
                yield float(x), float(y)
        case "path":
            x = y = 0.0
            for kind, at in re.findall(r"([MHV])([^MHV]+)", element.get("d", "")):
                x, y = map(float, at.split()) if kind == "M" else (float(at), y) if kind == "H" else (x, float(at))
                yield x, y
        case _:
            pass


@pytest.mark.parametrize("name", PICTURES)
def test_nothing_stands_outside_of_the_picture(name: str) -> None:
    tree = drawn(name)
    width, height = float(tree.get("width", "")), float(tree.get("height", ""))
    assert tree.get("viewBox") == f"0 0 {tree.get('width')} {tree.get('height')}"
    shown = [
        element for element in tree.iter() if element.tag in (f"{SVG}{kind}" for kind in ("rect", "text", "polyline"))
    ]
    shown += [element for element in tree.iter(f"{SVG}path") if element.get("class") == "ghost"]
    points = [point for element in shown for point in corners(element)]
    assert all(0 <= x <= width and 0 <= y <= height for x, y in points)
    if not name.startswith("nothing"):  # ... and what is right and low is not far from the edge
        assert max(x for x, _ in points) > 0.65 * width
        assert max(y for _, y in points) > height - 30


@pytest.mark.parametrize("name", [name for name in PICTURES if not name.startswith("nothing")])
def test_the_array_is_where_its_regions_are(name: str) -> None:
    tree = drawn(name)
    arrays = [[*corners(e)] for e in tree.iter(f"{SVG}rect") if e.get("class") == "array"]
    regions = [[*corners(r)] for g in tree.iter(f"{SVG}g") for r in g.iter(f"{SVG}rect")]
    for (left, top), (right, bottom) in regions:
        slack = 0.11  # of what is rounded
        around = [
            (a, b)
            for a, b in arrays
            if a[0] - slack <= left and right <= b[0] + slack and a[1] - slack <= top and bottom <= b[1] + slack
        ]
        assert len(around) == 1
    for (left, top), (right, bottom) in arrays:
        inside = [
            (a, b)
            for a, b in regions
            if left - 0.11 <= a[0] and b[0] <= right + 0.11 and top - 0.11 <= a[1] and b[1] <= bottom + 0.11
        ]
        assert min(a for a, _ in inside) == (left, top)


@pytest.mark.parametrize("extent", [1, 15, 16, 17, 160, 161, 1000])
@pytest.mark.parametrize(("tile", "step"), [(16, 16), (16, 6), (8, 16)])
def test_an_axis_to_scale(extent: int, tile: int, step: int) -> None:
    axis = Axis(extent, tile, step, 10, 40.0)
    count = -(-extent // step)
    whole = [*range(count)] if count <= 10 else [*range(8), count - 2, count - 1]
    assert [i for i, _ in axis.drawn()] == whole
    for i, run in axis.drawn():
        low, high = axis.bounds(i)
        assert (low, high) == (i * step, min(extent, i * step + tile))
        assert axis.pixel(high, run) - axis.pixel(low, run) == pytest.approx((high - low) * 40 / step)
        assert axis.pixel(high, run) <= axis.length + 1e-9
    ends = [end for _, end in axis.frames()]
    assert axis.length == pytest.approx(ends[-1])
    assert len(ends) == 1 + (count > 10)
    if len(ends) == 2:
        assert [*axis.frames()][1][0] - ends[0] == pytest.approx(30)
    assert axis.room - axis.length == pytest.approx(max(0, (count - 1) * step + tile - extent) * 40 / step)
    shared = sum(end - begin for begin, end in axis.shared())
    overlapped = sum(
        1
        for run in axis.runs
        for e in range(run[0] * step, axis.end(run))
        if sum(i * step <= e < i * step + tile for i in run) > 1
    )
    assert shared == pytest.approx(overlapped * 40 / step)


def test_one_block_is_enough_and_groups_are_not_drawn() -> None:
    assert "drawn for 1" in repr(fh.show(partition((64,), 16, blocks=fh.PERSISTENT), blocks=1))
    with pytest.raises(ValueError, match="groups are not drawn"):
        fh.show(fh.ragged(array(9, 8), (4, 8), by="offsets"))


def test_what_is_not_drawn_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="left open is completed by a launch"):
        fh.show(fh.partition(array(64)))
    with pytest.raises(fh.Rejected) as caught:
        fh.show(partition((64,), (16, 16)))
    assert caught.value.codes == ("O222",)
    monkeypatch.setattr(takings, "MOST", 16)
    assert "16 points" in fh.show(partition((64, 64), (16, 16), map=halved)).description
    for shape, points in (((68, 64), "5 x 4"), ((48,), "0"), ((32,), "-1")):
        tile, rule = ((16, 16), halved) if len(shape) == 2 else (16, None)
        options: dict[str, Any] = {"map": rule} if rule else {"grid": fewer, "partial": True}
        with pytest.raises(ValueError, match=f"a domain of {points} points is not drawn, but one of 1 to 16 is"):
            fh.show(partition(shape, tile, **options))


def three(*_: Any) -> int:
    return 3


def test_numbers_are_compared_with_those_of_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "_number", three)
    assert pieces.numbering(fh.ROW, (2, 2))((1, 1)) == 3
    with pytest.raises(AssertionError, match=r"region \(0, 1\) of \(2, 2\) is not number 3"):
        pieces.numbering(fh.ROW, (2, 2))((0, 1))
