"""docs/seeing.md shows what there is to be seen: its picture is the library's, and so is its text."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import freehold as fh

ROOT = Path(__file__).parents[2]


@pytest.fixture
def call() -> tuple[Any, tuple[Any, ...]]:
    """The example's GEMM and the arguments of the page."""
    spec = importlib.util.spec_from_file_location("quickstart", ROOT / "examples" / "quickstart.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    a, b, c = (np.zeros(shape, ml_dtypes.bfloat16) for shape in ((1000, 512), (512, 1024), (1000, 1024)))
    return module.gemm, (fh.partition(c, (128, 128), order=fh.grouped(4)), a, b)


def test_the_picture(call: Any, golden: Callable[[Path, str], None]):
    golden(ROOT / "docs" / "seeing.svg", fh.show(call[1][0]).svg)


def test_the_text(call: Any):
    kernel, arguments = call
    said = without_numbers(kernel.explain(*arguments, arch=(), ir=True))
    blocks = re.findall(r"^```text\n(.*?)^```", (ROOT / "docs" / "seeing.md").read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) == 2
    for block in blocks:
        assert without_numbers(block) in said


def without_numbers(text: str) -> str:
    """Text without line numbers: the page need not follow each change of the example."""
    return re.sub(r"^ *\d+ \|", "|", re.sub(r"^ +\|", "|", text, flags=re.M), flags=re.M)
