"""Some random ownership kernels, and some faults in the verifiers that they find."""

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


@pytest.mark.slow
def test_random_kernels_that_are_accepted_keep_what_is_promised(run: Run) -> None:
    done = run("fuzz_ownership.py", "--cases", "300", "--jobs", "1", "--seed", "0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 findings" in done.stdout
    assert " 0 accepted" not in done.stdout
    assert ", 0 translations validated" not in done.stdout


@pytest.mark.slow
def test_damaged_text_is_refused_with_a_code_or_keeps_what_is_promised(run: Run) -> None:
    done = run("fuzz_text.py", "--cases", "250", "--jobs", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 findings" in done.stdout
    assert ": 0 accepted" not in done.stdout


@pytest.mark.cuda
def test_random_kernels_leave_behind_on_a_gpu_what_the_interpreter_says(run: Run) -> None:
    done = run("fuzz_gpu.py", "--cases", "200", "--jobs", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 findings" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["two points count as one", "a remainder is a modulus", "every loop runs"])
def test_a_planted_fault_is_found(fault: str, run: Run) -> None:
    done = run("planted_faults.py", "--fault", fault, "--cases", "600", "--seed", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 of 1 faults found" in done.stdout


def test_each_fault_in_what_is_owed_is_found(run: Run) -> None:
    done = run("planted_faults.py", "--duties")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "NOT FOUND" not in done.stdout
