"""Hostile bytecode into `tile-audit`, in seconds: `make fuzz-audit` does the same for as long as one likes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))


@pytest.mark.parametrize("seed", [1, 2])
def test_no_mutant_crashes_the_audit_or_passes_for_safe_wrongly(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cuda.tile")
    import fuzz_audit  # pyright: ignore[reportMissingImports]

    monkeypatch.setattr(sys, "argv", ["fuzz_audit.py", "--cases", "80", "--seed", str(seed), "--jobs", "1"])
    assert fuzz_audit.main() == 0
