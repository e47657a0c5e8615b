"""Some random programs: accepted or refused with a code. `make fuzz-frontend` tries as many as one likes."""

import runpy
from pathlib import Path

FUZZ = Path(__file__).parents[1] / "fuzz"


def test_random_kernels_compute_what_python_does():
    fuzz = runpy.run_path(str(FUZZ / "fuzz_meaning.py"))
    figures, findings = fuzz["run"](20, range(12))
    assert not findings, findings[0]
    assert figures["same"] > 6


def test_random_programs_are_accepted_or_refused_with_a_code():
    fuzz = runpy.run_path(str(FUZZ / "fuzz_frontend.py"))
    outcomes, findings = fuzz["run"](20, range(150))
    assert not findings, f"{findings[0].what}\n{findings[0].text}"
    assert outcomes["accepted"] > 10
    assert len(outcomes) > 20
