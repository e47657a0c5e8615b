"""KernelBench's first level: the table has all of it, and one problem of each family is computed as torch does."""

# What torch has is of no types here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import importlib
from typing import Any

import pytest

pytest.importorskip("torch")
PROBLEMS: dict[int, Any] = {p.number: p for p in importlib.import_module("benchmarks.kernelbench_table").problems()}


def test_the_table_is_whole() -> None:
    assert sorted(PROBLEMS) == list(range(1, 101))
    for problem in PROBLEMS.values():
        assert [len(s) for s in problem.shapes] == [len(s) for s in problem.small], problem.name


@pytest.mark.parametrize("number", [12, 14, 15, 24, 37, 41, 72, 76, 85, 90, 97, 100])
def test_problems_at_small_shapes(number: int) -> None:
    """The others: `python -m benchmarks.kernelbench`."""
    command: Any = importlib.import_module("benchmarks.kernelbench")
    problem = PROBLEMS[number]
    assert command.error_of(problem, command.inputs(problem, True, "cpu")) <= problem.bound
