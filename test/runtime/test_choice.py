"""How a schedule is chosen of those that are looked at: by what they should take, and by what their code does."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from freehold.backend.cubin import NotACubin
from freehold.frontend.schedule import EACH, PERSISTENT
from freehold.runtime.scheduling import choice
from freehold.runtime.scheduling.candidates import Nothing
from freehold.runtime.scheduling.choice import Chosen, choose
from freehold.runtime.scheduling.model import Prediction
from freehold.runtime.scheduling.problem import Problem, Schedule
from freehold.support.diagnostic import Rejected
from freehold.support.errors import WrongCall

inner: Any = choice
"""The module, of which some is not for others."""


def prediction(seconds: float) -> Prediction:
    return Prediction(seconds, "memory", 1, 1.0)


class Scene:
    """A choice among schedules of one axis, N: `guessed` seconds of each tile, and those that `code` then says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, guessed: dict[int, float], code: dict[int, Any]):
        self.assembled: list[int] = []
        self.code = code
        self.first = SimpleNamespace(schedule=Schedule({"N": 1}, blocks=EACH))
        monkeypatch.setattr(inner, "Candidates", lambda *_: SimpleNamespace(first=lambda: (self.first, None)))
        ranked = [(n, Schedule({"N": n}, blocks=PERSISTENT), prediction(s)) for n, s in guessed.items()]
        monkeypatch.setattr(inner, "_ranked", lambda *_: ranked)
        monkeypatch.setattr(inner, "resources", lambda found: [found])
        monkeypatch.setattr(inner, "predicted", lambda n, gpu, hints, made: prediction(made))
        monkeypatch.setattr(Problem, "specialisation", lambda _, schedule: schedule)

    def chosen(self, *, assembles: bool = True) -> Chosen:
        problem = Problem((), (), {}, {}, {})
        return choose(problem, self.nobody, self.assemble if assembles else None, "sm_90")

    def nobody(self, _: Any) -> Any:
        raise AssertionError("nothing is compiled")

    def assemble(self, schedule: Any) -> Any:
        tile = schedule.tile["N"]
        self.assembled.append(tile)
        found = self.code.get(tile, 9.0)
        if isinstance(found, Exception):
            raise found
        return found


SEVEN = {n: float(n) for n in range(1, 8)}
"""Of seven schedules the first six are assembled."""


def test_without_an_assembler_the_first_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, SEVEN, {})
    found = scene.chosen(assembles=False)
    assert (found.schedule.tile, found.schedule.blocks) == ({"N": 1}, EACH)  # with those blocks it was looked at
    assert [c.schedule.tile["N"] for c in found.considered] == [1, 2, 3, 4, 5, 6]
    assert [c.prediction.seconds for c in found.considered] == [1, 2, 3, 4, 5, 6]
    assert found.candidates == 7
    assert scene.assembled == []


def test_the_best_by_its_code_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, SEVEN, {1: 6.5, 2: 8.0, 3: 5.5, 4: 6.9})
    found = scene.chosen()
    assert (found.schedule.tile, found.schedule.blocks) == ({"N": 3}, PERSISTENT)
    assert [c.schedule.tile["N"] for c in found.considered] == [3, 1, 4, 2, 5, 6]
    assert sorted(scene.assembled) == [1, 2, 3, 4, 5, 6]
    assert found.candidates == 7


@pytest.mark.parametrize(("best", "more"), [(7.0, False), (6.9, False), (7.1, True)])
def test_others_are_assembled_where_one_may_be_faster(best: float, more: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, SEVEN, {2: best, 7: 1.0})
    found = scene.chosen()
    assert (7 in scene.assembled) == more
    assert found.schedule.tile == {"N": 7 if more else 2}


def test_no_more_than_twelve_are_assembled(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, {n: float(n) for n in range(1, 30)}, dict.fromkeys(range(1, 30), 100.0))
    assert len(scene.chosen().considered) == 12
    assert sorted(scene.assembled) == list(range(1, 13))


def test_what_is_not_assembled_is_not_considered(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = Rejected([WrongCall(None, "k", "it is refused")])
    scene = Scene(monkeypatch, SEVEN, {1: refused, 2: NotACubin("no cubin"), 3: 4.0})
    assert [c.schedule.tile["N"] for c in scene.chosen().considered] == [3, 4, 5, 6]
    none = Scene(monkeypatch, SEVEN, dict.fromkeys(range(1, 8), refused)).chosen()
    assert (none.schedule, none.considered, none.candidates) == (Schedule({"N": 1}, blocks=EACH), (), 7)


def test_code_that_says_nothing_takes_what_was_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, {1: 3.0, 2: 4.0}, {1: 0.0, 2: 2.0})
    monkeypatch.setattr(inner, "resources", lambda found: [found] if found else [])
    found = scene.chosen()
    assert [(c.schedule.tile["N"], c.prediction.seconds) for c in found.considered] == [(2, 2.0), (1, 3.0)]
    assert [c.resources for c in found.considered] == [2.0, None]


def test_of_those_that_take_as_long_the_first_is_assembled() -> None:
    def ranked(*given: tuple[int, float, Any]) -> list[Any]:
        return [(n, Schedule({"N": n}, blocks=blocks), prediction(s)) for n, s, blocks in given]

    found = inner._different(
        ranked(
            (1, 1.0, EACH), (2, 1.00001, EACH), (1, 2.0, PERSISTENT), (3, 3.0, EACH), (4, 3.001, EACH), (3, 5.0, EACH)
        )
    )
    assert [one[0] for one in found] == [1, 3, 4]


@pytest.mark.parametrize(
    ("sizes", "refused", "wanted"),
    [
        ([128, 256, 32], set[int](), 256),
        ([128, 256, 32], {256}, 128),
        ([128, 256, 512, 1024], {1024, 512, 256}, 64),  # three are tried
        ([1 << 16, 1 << 17], set[int](), 1 << 16),
        ([1 << 17], set[int](), 64),
        ([64, 32], set[int](), 64),
        ([], set[int](), 64),
    ],
)
def test_numpy_gets_the_largest_tile_that_is_not_too_large(sizes: list[int], refused: set[int], wanted: int) -> None:
    first = SimpleNamespace(schedule=Schedule({"M": 1, "N": 64}))
    looked: list[int] = []

    def look(schedule: Schedule) -> Any:
        (size,) = (schedule.tile["N"] * schedule.tile["M"],)
        looked.append(size)
        if size in refused:
            raise Nothing(schedule, None, "refused")
        return SimpleNamespace(schedule=schedule), None

    candidates = SimpleNamespace(schedules=lambda *_: [Schedule({"M": 2, "N": n // 2}) for n in sizes], look=look)
    found = inner._for_numpy(candidates, first, None)
    assert found.tile["M"] * found.tile["N"] == wanted
    assert all(64 < size <= 1 << 16 for size in looked)
