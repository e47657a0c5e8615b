"""The refusal that the README shows is what its program is told today."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import freehold as fh

ROOT = Path(__file__).resolve().parents[2]
REFUSAL = re.compile(r"(?<=^```\n)error\[.*?(?=\n```$)", re.MULTILINE | re.DOTALL)


def test_the_refused_kernel(golden: Callable[[Path, str], None]) -> None:
    example = runpy.run_path(str(ROOT / "examples" / "quickstart.py"))
    with pytest.raises(fh.Rejected) as caught:
        example["smooth_in_place"](fh.partition(np.zeros(100_000, np.float32), 1024)).sync()
    said = str(caught.value).replace(f"{ROOT}/", "")
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(REFUSAL.findall(page)) == 1
    golden(ROOT / "README.md", REFUSAL.sub(lambda _: said, page))
