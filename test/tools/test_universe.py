"""What xDSL's own tools see of Freehold."""

from __future__ import annotations

import tomllib
from pathlib import Path

from xdsl.dialects import get_all_dialects
from xdsl.transforms import get_all_passes

from freehold.tools.universe import FREEHOLD

ROOT = Path(__file__).resolve().parents[2]


def test_nothing_clashes_with_what_xdsl_has() -> None:
    assert FREEHOLD.all_dialects.keys().isdisjoint(get_all_dialects())
    assert FREEHOLD.all_passes.keys().isdisjoint(get_all_passes())


def test_what_is_registered_is_called_so() -> None:
    assert {name: factory().name for name, factory in FREEHOLD.all_dialects.items()} == {
        "ownership": "ownership",
        "cuda_tile": "cuda_tile",
    }
    assert "verify-borrows" in FREEHOLD.all_passes
    assert all(factory().name == name for name, factory in FREEHOLD.all_passes.items())


def test_xdsl_finds_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["xdsl.universe"] == {"freehold": "freehold.tools.universe:FREEHOLD"}
