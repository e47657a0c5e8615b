"""Processes that prepare what is timed later: who prepared it measures it, and what fails stops none of the others."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.kernelbench_workers import Workers

STEPS = """
import os
from benchmarks.kernelbench_workers import Steps

class Odd:
    # numbers, of which even ones cannot be prepared, and three ends its process
    def __init__(self):
        self.prepared = []

    def prepare(self, number):
        if number == 3:
            os._exit(1)
        if number % 2 == 0:
            raise ValueError(f"{number} is even")
        self.prepared.append(number)

    def measure(self, number):
        if number == 0:
            raise ValueError("nothing to measure")
        return os.getpid(), self.prepared

def begun():
    steps = Odd()
    return Steps(steps.prepare, steps.measure)
"""


@pytest.fixture
def workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workers]:
    (tmp_path / "steps_of_numbers.py").write_text(STEPS, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    made = Workers(3, importlib.import_module("steps_of_numbers").begun, "spawn")
    yield made
    made.close()


def test_what_one_prepared_it_measures(workers: Workers) -> None:
    workers.prepare([1, 2, 5, 7, 4], 1e6)
    assert set(workers.holders) == {1, 5, 7}
    assert workers.wrong == {2: "ValueError: 2 is even", 4: "ValueError: 4 is even"}
    for number, worker in workers.holders.items():
        process, prepared = workers.measure(number)
        assert process == worker.process.pid
        assert number in prepared


def test_one_that_ends_is_told_and_the_others_go_on(workers: Workers) -> None:
    workers.prepare([3, 1, 5], 1e6)
    assert workers.wrong == {3: "its process ended"}
    assert set(workers.holders) == {1, 5}
    workers.prepare([9, 5, 3], 1e6)
    assert set(workers.holders) == {1, 5, 9}


def test_nothing_begins_when_the_time_is_up_and_is_done_all_the_same_when_it_is_measured(workers: Workers) -> None:
    workers.prepare([1], 0)
    assert not workers.holders
    assert workers.measure(1)[1] == []
    with pytest.raises(RuntimeError, match="nothing to measure"):
        workers.measure(0)
