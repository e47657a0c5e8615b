"""
What passes say and make of some hundred programs that nobody wrote, and of small kernels: as it was, to a word.

A table holds precision as well as soundness: what is proved, of which facts, what is told of what is not, and what is
left of a program. Where a row differs, `python test/passes/lowering/corpora.py TABLE ROW` prints what it is about.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from corpora import CORPORA, table


@pytest.mark.parametrize("name", CORPORA)
def test_what_comes_out(name: str, golden: Callable[[Path, str], None]) -> None:
    golden(Path(__file__).with_name("corpora") / f"{name}.txt", table(name))
