"""Pictures of mapped partitions: every region carries the number of the point that takes it, or of none."""

from __future__ import annotations

import re
from itertools import product
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import freehold as fh

ARRAY = np.zeros((100, 150), np.float32)
TILE = (16, 32)
ROWS, COLUMNS = 7, 5


def numbers(drawing: Any) -> dict[tuple[int, int], int | None]:
    """The regions that are drawn, with their numbers."""
    ElementTree.fromstring(drawing.svg)
    found: dict[tuple[int, int], int | None] = {}
    for region, number in re.findall(r'data-region="([\d,]+)"(?: data-number="(\d+)")?', drawing.svg):
        i, j = map(int, region.split(","))
        found[i, j] = int(number) if number else None
    assert len(found) == ROWS * COLUMNS
    return found


def drawn(**options: Any) -> dict[tuple[int, int], int | None]:
    return numbers(fh.show(fh.partition(ARRAY, TILE, **options)))


def test_reversed() -> None:
    assert drawn(map=fh.REVERSED) == {
        (ROWS - 1 - i, COLUMNS - 1 - j): i * COLUMNS + j for i, j in product(range(ROWS), range(COLUMNS))
    }


def test_columns_of_a_skewed_map() -> None:
    found = drawn(map=fh.SKEWED, order=fh.COLUMN)
    assert all(found[i, (i + j) % COLUMNS] == j * ROWS + i for i, j in product(range(ROWS), range(COLUMNS)))


def test_a_triangle_leaves_regions_to_nobody() -> None:
    found = drawn(map=fh.LOWER_TRIANGLE, partial=True)
    assert all((number is None) == (j > i) for (i, j), number in found.items())


def test_an_owned_axis_has_one_number() -> None:
    assert all(number == i for (i, _), number in drawn(owned=1).items())


def test_what_is_refused_can_be_seen() -> None:
    text = fh.show(fh.partition(ARRAY, TILE, map=lambda i, j: (i // 2, j))).svg
    assert "15 regions that no point takes: an `Out` may not have any" in text
    assert "15 regions that several points take" in text
    text = fh.show(fh.partition(ARRAY, TILE, map=lambda i, j: (i + 1, j))).svg
    assert "5 points have no region" in text


def test_a_number_of_blocks_is_drawn() -> None:
    assert "5 persistent blocks" in repr(fh.show(fh.partition(ARRAY, TILE, blocks=5)))


def test_too_many_points_are_not_carried_out() -> None:
    with pytest.raises(ValueError, match="is not drawn"):
        fh.show(fh.partition(ARRAY, (1, 1), grid=lambda m, n: (m * m, n)))
