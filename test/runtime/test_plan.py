"""Launches that look like one before: which addresses and numbers fit what was made for that one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from freehold.runtime.launch import plan
from freehold.runtime.launch.plan import Arrays
from freehold.runtime.memory.arguments import view
from freehold.runtime.variants.evaluation import Geometry

inner: Any = plan
"""The module, of which some is not for others."""


class Evaluates:
    """As much of an evaluator as arrays ask: of two arrays, the values 0 and 2 of all; the value 1 is a scalar."""

    def __init__(self, **changes: Any):
        self.contract = SimpleNamespace(parameters=())
        self.tensors = ((0, SimpleNamespace(mode="out")), (2, SimpleNamespace(mode="ref")))
        self.admits: Any = None
        self.judge: Any = None
        self.varies = (1,)
        self.asked: list[Any] = []
        self.answer: Geometry | None = Geometry(7, ())
        vars(self).update(changes)

    def extents(self, shapes: Any) -> tuple[int, ...]:
        return tuple(extent for shape in shapes for extent in shape)

    def evaluate(self, *given: Any) -> Geometry | None:
        self.asked.append(given)
        return self.answer


def arrays(evaluator: Any, one: Any, other: Any) -> Arrays:
    return Arrays(evaluator, [view(one), view(other)])


COLUMNS = np.zeros((4, 8), np.float32)[:, :2]
ROW = np.zeros(5, np.float16)


def bytes_of(array: Any, address: int) -> set[int]:
    """The bytes of an array, if it begins at an address."""
    return {
        address + sum(i * s for i, s in zip(index, array.strides, strict=True)) + byte
        for index in np.ndindex(array.shape)
        for byte in range(array.itemsize)
    }


def fits(found: Arrays, values: Any) -> bool:
    try:
        found.verify(values)
    except inner.Mismatch:
        return False
    return True


def test_arrays_that_share_a_byte_with_what_is_written_do_not_fit() -> None:
    found = arrays(Evaluates(), COLUMNS, ROW)
    for _ in range(2):  # what was found once is known then
        for distance in range(-16, 110):
            apart = not bytes_of(COLUMNS, 1000) & bytes_of(ROW, 1000 + distance)
            assert fits(found, [1000, 3, 1000 + distance]) == apart, distance
    reading = Evaluates(tensors=((0, SimpleNamespace(mode="ref")), (2, SimpleNamespace(mode="ref"))))
    assert fits(arrays(reading, COLUMNS, ROW), [1000, 3, 1000])
    turned = Evaluates(tensors=((0, SimpleNamespace(mode="ref")), (2, SimpleNamespace(mode="out"))))
    assert not fits(arrays(turned, COLUMNS, ROW), [1000, 3, 1000])


def test_what_is_known_of_distances_does_not_grow_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def overlap(one: Any, other: Any) -> bool:
        asked.append((one, other))
        return False

    monkeypatch.setattr(inner, "overlap", overlap)
    large = np.zeros((1000, 1000), np.float32)
    found: Any = arrays(Evaluates(), large, large)
    sizes = list[int]()
    for distance in range(600):
        found.verify([0, 3, distance])
        sizes.append(len(found._disjoint))
    assert sizes[:258] == [*range(1, 258), 1]
    assert max(sizes) == 257
    assert len(asked) == 600
    found.verify([0, 3, 599])
    assert len(asked) == 600


def test_numbers_that_do_not_fit() -> None:
    def admits(extents: Any, values: Any) -> bool:
        assert extents == (4, 2, 5)
        return values[1] > 2

    found = arrays(Evaluates(admits=admits), COLUMNS, ROW)
    assert [fits(found, [0, n, 1000]) for n in (1, 2, 3)] == [False, False, True]


def test_the_geometry_of_other_numbers() -> None:
    evaluator = Evaluates()
    found = arrays(evaluator, COLUMNS, ROW)
    assert found.geometry((9,)) == Geometry(7, ())
    assert evaluator.asked == [([(4, 2), (5,)], [(8, 1), (1,)], {1: 9})]  # strides in elements
    evaluator.answer = None
    with pytest.raises(inner.Mismatch):
        found.geometry((9,))


@pytest.mark.parametrize("wrong", [False, True])
def test_who_is_asked_of_each_launch(wrong: bool) -> None:
    judged: list[Any] = []

    def judge(*given: Any) -> bool:
        judged.append(given)
        return wrong

    found = arrays(Evaluates(judge=judge), COLUMNS, ROW)
    if wrong:
        with pytest.raises(inner.Mismatch):
            found.geometry((9,))
    else:
        assert found.geometry((9,)) == Geometry(7, ())
    assert judged == [(Geometry(7, ()), [(4, 2), (5,)], [(8, 1), (1,)], {1: 9}, None)]
