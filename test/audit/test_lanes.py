"""Values of all tile blocks at once: what is chosen, joined and met of them, known or not."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from freehold.audit import lanes
from freehold.audit.lanes import SEVERAL, Pointer, Unknown, View, met

OP: Any = None
WHY, OTHER = Unknown("nobody knows"), Unknown("nobody knows either")
ONE, TWO = np.array([10, 11, 12, 13]), np.array([20])
"""A number of each of four tile blocks, and one of all."""


def some(*blocks: int) -> Any:
    return np.isin(np.arange(4), blocks)


def shown(value: Any) -> Any:
    """A value as plain numbers."""
    if isinstance(value, Pointer):
        return value.base, shown(value.address)
    if isinstance(value, View):
        return (*shown(Pointer(value.base, value.address)), shown(value.shape), shown(value.strides), value.size)
    if isinstance(value, tuple | list):
        return tuple(map(shown, value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] -- of anything
    return value.tolist() if isinstance(value, np.ndarray) else value


def view(base: int, address: Any, extent: Any, step: Any) -> View:
    return View(base, address, (extent, np.array([7])), (step, np.array([1])), 4)


MET: list[tuple[list[tuple[Any, Any]], Any]] = [
    ([(some(0, 1), ONE), (some(2, 3), ONE)], [10, 11, 12, 13]),
    ([(some(0, 1), ONE), (some(2, 3), TWO)], [10, 11, 20, 20]),
    ([(some(2), TWO), (some(0, 3), ONE)], [10, 20, 20, 13]),
    ([(some(0), ONE), (some(1), TWO), (some(2, 3), -ONE)], [10, 20, -12, -13]),
    ([(some(0), ONE), (some(1), WHY)], WHY),
    ([(some(0), WHY), (some(1), WHY)], WHY),
    ([(some(0), ONE), (some(1), WHY), (some(2), OTHER)], WHY),
    ([(some(0, 1), Pointer(2, ONE)), (some(2, 3), Pointer(2, TWO))], (2, [10, 11, 20, 20])),
    ([(some(0, 1), Pointer(2, ONE)), (some(2, 3), Pointer(3, TWO))], (SEVERAL, [10, 11, 20, 20])),
    ([(some(0, 2), view(1, ONE, TWO, TWO)), (some(1, 3), view(1, TWO, ONE, ONE))],
     (1, [10, 20, 12, 20], ([20, 11, 20, 13], [7] * 4), ([20, 11, 20, 13], [1] * 4), 4)),
    ([(some(0, 2), view(1, ONE, TWO, TWO)), (some(1, 3), view(4, ONE, TWO, TWO))],
     (SEVERAL, [10, 11, 12, 13], ([20] * 4, [7] * 4), ([20] * 4, [1] * 4), 4)),
]  # fmt: skip


@pytest.mark.parametrize(("choices", "wanted"), MET, ids=range(len(MET)))
def test_behind_several_ways_each_block_has_what_its_own_gave(choices: list[tuple[Any, Any]], wanted: Any) -> None:
    assert shown(met(choices)) == wanted


def test_one_value_is_itself_whichever_way_was_gone() -> None:
    pointer = Pointer(2, ONE)
    assert met([(some(0), pointer), (some(1), pointer)]) is pointer


TILE = np.arange(8).reshape(4, 2)
CHOSEN = np.array([True, False, False, True])
SELECTED: list[tuple[Any, Any, Any, Any]] = [
    (CHOSEN, ONE, TWO, [10, 20, 20, 13]),
    (CHOSEN, TILE, -TILE, [[0, 1], [-2, -3], [-4, -5], [6, 7]]),
    (np.array([True]), TILE, -TILE, TILE.tolist()),
    (WHY, ONE, TWO, WHY),
    (WHY, OTHER, TWO, WHY),
    (CHOSEN, WHY, ONE, WHY),
    (CHOSEN, ONE, WHY, WHY),
    (CHOSEN, WHY, OTHER, WHY),
    (CHOSEN | True, ONE, WHY, [10, 11, 12, 13]),
    (CHOSEN | True, WHY, ONE, WHY),
    (CHOSEN & False, WHY, ONE, [10, 11, 12, 13]),
    (CHOSEN & False, ONE, WHY, WHY),
    (CHOSEN, Pointer(2, ONE), Pointer(2, TWO), (2, [10, 20, 20, 13])),
    (CHOSEN, Pointer(2, ONE), Pointer(0, TWO), (SEVERAL, [10, 20, 20, 13])),
]


@pytest.mark.parametrize(("condition", "yes", "no", "wanted"), SELECTED, ids=range(len(SELECTED)))
def test_what_is_selected(condition: Any, yes: Any, no: Any, wanted: Any) -> None:
    """What is not known matters where a block may have chosen it."""
    assert shown(lanes._select(OP, (condition, yes, no))) == wanted
