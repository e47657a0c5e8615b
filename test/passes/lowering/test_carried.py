"""Kernels whose loops hand tiles on: what they are lowered to, its loops cut, computes what they compute as written."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "fuzz"))

import fuzz_carried

from freehold.backend.errors.wrong_code import UnpackedHandedOn
from freehold.passes.errors.borrow import NotVerifiable
from freehold.support.diagnostic import Error, Rejected


def test_lowered_kernels_compute_the_same() -> None:
    figures, found = fuzz_carried.cases(0, "lowered", 0.0, range(12))
    assert not found, found[0]
    assert figures["alike"] == 12


def test_another_result_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def with_a_fault(lowered: Any, terms: Any, values: list[Any], **how: Any) -> None:
        fuzz_carried_run(lowered, terms, values, **how)
        values[0].flat[-1] += 1

    fuzz_carried_run = fuzz_carried.run_entry
    monkeypatch.setattr(fuzz_carried, "run_entry", with_a_fault)
    figures: Counter[str] = Counter()
    what = fuzz_carried.attempt(0, 1, "lowered", figures)
    assert what.startswith("y0 with n = 3: 1 of ")
    assert not figures["alike"]


@pytest.mark.parametrize(
    ("error", "told"),
    [(UnpackedHandedOn(None, "kernel `k`", "sm_90"), False), (NotVerifiable(None, "an operation", "is odd"), True)],
)
def test_refusals_are_findings_unless_the_assembler_is_at_fault(
    error: Error, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(*_: object) -> str:
        raise Rejected([error])

    monkeypatch.setattr(fuzz_carried, "check", check)
    figures: Counter[str] = Counter()
    assert bool(fuzz_carried.attempt(0, 0, "lowered", figures)) == told
    assert figures[error.code] == 1
