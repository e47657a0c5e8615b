"""Integers in all that computes with them, in seconds: each operation, and the analyses of random kernels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

FUZZ = Path(__file__).parents[1] / "fuzz"

Run = Callable[..., CompletedProcess[str]]


@pytest.fixture
def run(started: Run) -> Run:
    def call(script: str, *options: str) -> CompletedProcess[str]:
        return started(FUZZ / script, *options)

    return call


def test_every_operation_is_what_the_second_definition_says(run: Run) -> None:
    done = run("fuzz_integers.py", "--rounds", "400")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 findings" in done.stdout


def test_what_analyses_say_is_so(run: Run) -> None:
    done = run("fuzz_analyses.py", "--kernels", "100")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 findings" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        "all numbers are signed",
        "truth values have no sign",
        "tiles do not wrap",
        "branches are taken the other way",
    ],
)
def test_a_fault_is_found(fault: str, run: Run) -> None:
    done = run("fuzz_analyses.py", "--kernels", "600", "--seed", "6", "--fault", fault, "--first")
    assert done.returncode == 1, done.stdout + done.stderr
    assert " 1 findings" in done.stdout
