"""Mutants of accepted kernels: each is refused, or safe in every launch that the launcher lets through."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

FUZZ = Path(__file__).parents[1] / "fuzz"


@pytest.mark.slow
def test_no_mutant_breaks_a_promise(started: Callable[..., CompletedProcess[str]]) -> None:
    done = started(FUZZ / "mutants.py", "--seconds", "8", "--seed", "0")
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    figures = {what: int(n) for n, what in re.findall(r"(\d+) (refused|at launch|equivalent|broken|ill-formed)", last)}
    assert figures["broken"] == figures["ill-formed"] == 0
    assert min(figures["refused"], figures["at launch"], figures["equivalent"]) > 0
