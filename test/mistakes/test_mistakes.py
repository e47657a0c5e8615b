"""
What newcomers get wrong: every program here is a mistake, with what its author is told, and what helps.

A file has `mistake()`, which must be refused with the text beside it, and, where the help is an edit, `fixed()`, which
must be accepted; it returns what was computed and what was wanted, where that shows anything.
"""

from __future__ import annotations

import gc
import re
import runpy
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import freehold as fh

FOLDER = Path(__file__).parent
CASES = sorted(FOLDER.glob("[0-9]*.py"))
OURS = re.compile(r"xdsl|0x[0-9a-f]{6}|Traceback|cuda_tile|ownership\.|\w+Value\b|SSA|freehold\.(frontend|runtime)")


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_mistake(path: Path, golden: Callable[[Path, str], None]) -> None:
    gc.freeze()  # what was there before is looked at in no collection below
    program = runpy.run_path(str(path))
    with pytest.raises(fh.Rejected) as caught:
        program["mistake"]()
    text = str(caught.value).replace(f"{FOLDER}/", "")
    assert not OURS.search(text), "a name of ours shows"
    golden(path.with_suffix(".err"), text)
    with warnings.catch_warnings():  # launches that were refused never ran
        warnings.simplefilter("ignore")
        del caught
        gc.collect()


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_the_help_helps(path: Path) -> None:
    program = runpy.run_path(str(path))
    assert program["__doc__"], "says what its author wanted"
    if "fixed" not in program:
        return
    outcome = program["fixed"]()
    if outcome is not None:
        computed, wanted = outcome
        np.testing.assert_allclose(np.asarray(computed, np.float64), wanted, rtol=1e-4, atol=1e-4)


def test_there_are_enough() -> None:
    assert len(CASES) >= 250
