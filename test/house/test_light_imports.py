"""What importing Freehold does not load. Each case is a fresh process."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("xdsl", "z3", "numpy", "ml_dtypes", "cuda", "torch")
OTHERS = ("xdsl.dialects.func", "xdsl.dialects.arith", "xdsl.dialects.scf")
TEXT = ("xdsl.parser", "xdsl.printer")


def loaded_by(statement: str, names: tuple[str, ...]) -> list[str]:
    """Which of the packages or modules are loaded after the statement."""
    program = f"{statement}\nimport sys\nprint(*(name for name in {names!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize(
    "statement",
    [
        "import freehold",
        "import freehold\nfrom freehold import *",
        "import freehold.support.diagnostic, freehold.support.render",
        "import freehold.tools.tile_opt",
    ],
)
def test_nothing_heavy_is_loaded_by(statement: str) -> None:
    assert loaded_by(statement, HEAVY) == []


@pytest.mark.parametrize("module", ["freehold.dialects.ownership", "freehold.dialects.cuda_tile"])
def test_a_dialect_brings_no_other_dialect_no_solver_and_no_parser(module: str) -> None:
    assert loaded_by(f"import {module}", ("z3", "numpy", "cuda", *OTHERS, *TEXT)) == []
