"""Tile blocks that write nothing: counted by where each access may touch an element, and told in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from freehold.audit.accesses import Access, Box, Points, Trace
from freehold.audit.dead import dead_blocks, told
from freehold.audit.facts import Launch
from freehold.audit.lanes import Unknown, View

BLOCKS = np.arange(4)
LAUNCH = Launch((4, 1, 1), ())
VIEW = View(0, np.zeros(1, np.int64), (np.array([8]), np.array([4])), (np.array([4]), np.array([1])), 4)
WHY = Unknown("it is read from memory")


def access(place: Any, kind: Any = "write", lanes: tuple[int, ...] = (1, 1, 1, 1), **more: Any) -> Access:
    op: Any = object()
    return Access(op, kind, 0, BLOCKS, np.array(lanes, np.bool_), 0, 0, 4, place, **more)


def box(rows: list[int], columns: list[int]) -> Box:
    """A tile of two by two elements, at these rows and columns in each block."""
    return Box(VIEW, (np.array(rows), np.array(columns)), (2, 2))


MASK = np.array([[0, 0], [0, 1], [1, 0], [0, 0]], np.bool_)
ADDRESS = np.zeros((4, 2), np.int64)
ALONE: list[tuple[Access, list[int]]] = [
    (access(box([0, 2, 4, 6], [0])), []),
    (access(box([0, 2, 4, 6], [0]), "update"), []),
    (access(box([0, 2, 4, 6], [0]), "read"), [0, 1, 2, 3]),
    (access(box([0, 2, 4, 6], [0]), lanes=(1, 0, 0, 1)), [1, 2]),
    # The last row that is there is the eighth, and a tile that begins a row before the first one has one in it.
    (access(box([7, 8, 9, 0], [0])), [1, 2]),
    (access(box([-1, -2, -3, 0], [0])), [1, 2]),
    (access(box([0], [3, 4, -1, -2])), [1, 3]),
    (access(Points(ADDRESS, None)), []),
    (access(Points(ADDRESS, None), lanes=(0, 1, 1, 1)), [0]),
    (access(Points(ADDRESS, MASK)), [0, 3]),
    (access(Points(ADDRESS, MASK), lanes=(1, 1, 0, 1)), [0, 2, 3]),
    (access(Points(ADDRESS, MASK[1:2]), lanes=(1, 1, 0, 1)), [2]),
    # What may happen is no work for nothing.
    (access(WHY), []),
    (access(WHY, lanes=(1, 1, 1, 0)), [3]),
    (access(Points(ADDRESS, MASK), maybe=WHY), []),
]


@pytest.mark.parametrize(("one", "dead"), ALONE, ids=range(len(ALONE)))
def test_blocks_are_dead_that_touch_nothing(one: Access, dead: list[int]) -> None:
    assert dead_blocks(LAUNCH, Trace([one])).tolist() == dead


def test_a_block_lives_by_any_of_its_writes() -> None:
    one, other = access(box([0], [0]), lanes=(1, 0, 0, 0)), access(box([0], [0]), lanes=(0, 0, 1, 0))
    read = access(box([0], [0]), "read")
    assert dead_blocks(LAUNCH, Trace([one, read, other])).tolist() == [1, 3]
    assert dead_blocks(LAUNCH, Trace([])).tolist() == [0, 1, 2, 3]


def test_blocks_are_numbered_by_the_launch() -> None:
    """A run of some of its blocks."""
    one = replace(access(box([0], [0]), lanes=(1, 1, 0, 0)), blocks=np.array([1, 3, 0, 2]))
    assert dead_blocks(LAUNCH, Trace([one])).tolist() == [0, 2]


def test_where_not_all_was_followed_no_block_is_dead() -> None:
    assert dead_blocks(LAUNCH, Trace([], gave_up=[WHY])).tolist() == []


TOLD: list[tuple[tuple[int, int, int], list[int], str]] = [
    ((4, 1, 1), [], ""),
    ((4, 1, 1), [0, 1, 2, 3], "no tile block writes anything"),
    ((1, 1, 1), [0], "no tile block writes anything"),
    ((8, 1, 1), [5], "1 of 8 tile blocks writes nothing: 5"),
    ((8, 1, 1), [1, 5], "2 of 8 tile blocks write nothing: 1, 5"),
    ((8, 1, 1), [0, 1, 2, 5], "4 of 8 tile blocks write nothing: 0, 1, 2, 5"),
    ((8, 1, 1), [0, 1, 2, 5, 7], "5 of 8 tile blocks write nothing: 0, 1, 2, 5, ..."),
    ((2, 3, 1), [1, 4], "2 of 6 tile blocks write nothing: (1, 0, 0), (0, 2, 0)"),
    ((2, 1, 2), [3], "1 of 4 tile blocks writes nothing: (1, 0, 1)"),
]


@pytest.mark.parametrize(("grid", "dead", "said"), TOLD)
def test_dead_blocks_in_words(grid: tuple[int, int, int], dead: list[int], said: str) -> None:
    assert told(Launch(grid, ()), np.array(dead, np.int64)) == said
