"""Pictures of who touches what: each place says the tile blocks that meet there, counted one by one."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
from audited_kernels import audited

from freehold.audit import picture as pictures
from freehold.audit.picture import picture
from freehold.runtime.show.show import BLOCK_COLOURS


def array(name: str, *shape: int, **more: Any) -> dict[str, Any]:
    return {"name": name, "dtype": "f32", "shape": [*shape], **more}


def tiled(m: int, n: int, grid: list[int], row: int, shape: tuple[int, ...] = (), **more: Any) -> list[str]:
    """What is said of each place, where blocks read and write tiles of 2 by 4 of a matrix."""
    numbers = [{"name": name, "value": value} for name, value in (("m", m), ("n", n), ("a", row), ("b", 1))]
    found = audited("seen", grid, array("x", *(shape or (m, n)), **more), *numbers)
    drawn = picture(found, found.arrays[0])
    return [] if drawn is None else re.findall("<title>(.*?)</title>", drawn)


def test_each_block_writes_its_own_tile() -> None:
    wanted = [f"x[{i}, {j}]: block ({i // 2}, {j // 4}, 0) writes" for i, j in product(range(4), range(8))]
    assert tiled(4, 8, [2, 2, 1], 8) == wanted


def test_what_no_block_comes_to_is_not_touched() -> None:
    said = tiled(3, 7, [2, 1, 1], 7)
    assert said == [
        f"x[{i}, {j}]: {f'block {i // 2} writes' if j < 4 else 'not touched'}" for i, j in product(range(3), range(7))
    ]


def test_rows_that_overlap_are_written_twice() -> None:
    said = tiled(4, 4, [2, 1, 1], 2, (10,))
    owners = {e: {i // 2 for i in range(4) if 0 <= e - 2 * i < 4} for e in range(10)}
    assert said == [
        f"x[{e}]: {'blocks 0 and 1 both write here' if len(who) == 2 else f'block {min(who)} writes'}"
        for e, who in owners.items()
    ]


def test_a_place_stands_for_several_elements_of_a_larger_array() -> None:
    said = tiled(100, 100, [50, 25, 1], 100)
    places = [(top, left) for top in range(0, 100, 3) for left in range(0, 100, 3)]
    assert [text.partition(":")[0] for text in said] == [f"x[{top}, {left}]" for top, left in places]
    assert said[0] == "x[0, 0]: blocks from (0, 0, 0) to (1, 0, 0) write, each elements of its own"
    assert said[1] == "x[0, 3]: blocks from (0, 0, 0) to (1, 1, 0) write, each elements of its own"
    assert said[-1] == "x[99, 99]: block (49, 24, 0) writes"
    assert len(tiled(48, 48, [24, 12, 1], 48)) == 48 * 48
    assert len(tiled(49, 48, [25, 12, 1], 48)) == 25 * 48


def test_size_and_colours() -> None:
    found = audited("copied", [1], array("x", 8), array("y", 16))
    x, y = (picture(found, each) for each in found.arrays)
    assert x is not None
    assert y is not None
    assert 'width="114" height="16" viewBox="-1 -1 114 16"' in x
    assert 'width="226" height="16" viewBox="-1 -1 226 16"' in y
    assert x.count('fill="currentColor" fill-opacity=".12"') == 8
    assert re.findall("<title>(.*?)</title>", x) == [f"x[{n}]: read only" for n in range(8)]
    assert y.count(f'fill="{BLOCK_COLOURS[0]}"') == 8
    assert y.count('fill="none"') == 8
    assert [int(n) for n in re.findall(r'<rect x="(\d+)" y="0"', y)] == [14 * n for n in range(16)]
    assert y.startswith("<svg ")
    assert y.endswith("</svg>")


def test_a_race_is_red() -> None:
    found = audited("copied", [3], array("x", 8), array("y", 8))
    drawn = picture(found, found.arrays[1])
    assert drawn is not None
    assert drawn.count('fill="#d1242f"') == 8
    assert set(re.findall(": (.*?)</title>", drawn)) == {"blocks 0 and 2 both write here"}


NOT_DRAWN = [
    array("x", 1 << 10, (1 << 10) + 1),
    array("x", 4, 8, strides=[0, 1]),
]


@pytest.mark.parametrize("given", NOT_DRAWN, ids=range(len(NOT_DRAWN)))
def test_what_is_not_drawn(given: dict[str, Any]) -> None:
    m, n = given["shape"]
    numbers = [{"name": name, "value": value} for name, value in (("m", m), ("n", n), ("a", n), ("b", 1))]
    found = audited("seen", [1, 1, 1], given, *numbers)
    assert picture(found, found.arrays[0]) is None


@pytest.mark.parametrize(("blocks", "is_drawn"), [(64, True), (65, False)])
def test_accesses_of_very_many_elements_are_not_drawn(
    blocks: int, is_drawn: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of which all blocks together touch more than 64 times as many as an array may have."""
    found = audited("copied", [blocks], array("x", 8), array("y", 8))
    monkeypatch.setattr(pictures, "MOST_ELEMENTS", 8)
    assert [picture(found, each) is not None for each in found.arrays] == [is_drawn] * 2
