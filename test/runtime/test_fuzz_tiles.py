"""Random kernels that are launched without a partition: all tiles are alike, and where they are not, it is found."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import pytest

from freehold.passes.analysis.tile_axes import TileMeaning
from freehold.runtime.scheduling import candidates

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))

import fuzz_tiles


def test_all_tiles_are_alike() -> None:
    figures, found = fuzz_tiles.run(0, range(2))
    assert found == []
    assert figures.total() == 2
    assert figures["finding"] == 0


def asks_nothing(*_: Any) -> TileMeaning:
    return TileMeaning()


def test_tiles_of_which_nothing_is_asked_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "tile_meaning", asks_nothing)
    outcome, what = fuzz_tiles.attempt(0, 31)
    assert outcome == "finding"
    assert "tile M:4 x N:16 and tile M:1 x N:1 differ" in what


def no_kernel(seed: int, number: int) -> tuple[str, fuzz_tiles.Writer]:
    return "kernel = None", fuzz_tiles.Writer(random.Random(f"{seed} {number}"))


def test_a_kernel_that_is_no_kernel_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_tiles, "kernel_of", no_kernel)
    outcome, what = fuzz_tiles.attempt(0, 0)
    assert outcome == "finding"
    assert "AttributeError" in what
