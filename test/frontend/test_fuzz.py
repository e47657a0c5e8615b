"""Some random programs: accepted or refused with a code. `make fuzz-frontend` tries as many as one likes."""

import re
import runpy
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))

import written_cases

FUZZ = Path(__file__).parents[1] / "fuzz"


def test_random_kernels_compute_what_python_does():
    fuzz = runpy.run_path(str(FUZZ / "fuzz_meaning.py"))
    figures, findings = fuzz["run"](20, range(12))
    assert not findings, findings[0]
    assert figures["same"] > 6


def test_random_programs_are_accepted_or_refused_with_a_code():
    fuzz = runpy.run_path(str(FUZZ / "fuzz_frontend.py"))
    outcomes, findings = fuzz["run"](20, range(150))
    assert not findings, findings[0]
    assert outcomes["accepted"] > 10
    assert len(outcomes) > 20


def test_what_a_search_tells(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What is found in any batch is printed with its number, and ends the command with status 1."""

    def attempt(seed: int, number: int) -> tuple[str, str]:
        return ("finding", f"{seed} is odd") if number == 5 else ("O012" if number % 2 else "good", "")

    def run(seed: int, numbers: range) -> written_cases.Outcomes:
        return written_cases.outcomes(attempt, seed, numbers)

    def told(figures: Counter[str]) -> str:
        return f"{figures['good']} good"

    for words, status in ((["--first", "2", "--cases", "5"], 1), (["--cases", "3"], 0)):
        monkeypatch.setattr(sys, "argv", ["fuzz", "--seed", "3", "--jobs", "1", *words])
        assert written_cases.search("", lambda seed, number: f"{seed} {number}", run, 2, told) == status
        out = capsys.readouterr().out
        assert ("case 5 of seed 3: 3 is odd\n" in out) == bool(status)
        line = "5 cases of seed 3: 3 good, 1 findings, refused: O012: 1" if status else "3 cases of seed 3: 2 good, 0 f"
        assert re.search(rf"^{line}", out, re.MULTILINE)
        assert re.search(r"; \d+ cases a second of one core\n$", out)
