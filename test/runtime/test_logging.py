"""What is compiled, chosen and tuned is told by `logging`, and nobody is told who did not ask."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Out, Ref


@fh.kernel
def double(y: Out["N"], x: Ref["N"], K: Const[int] = 1):
    y.store(x.load_like(y) * 2.0)


def arrays() -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(100, np.float32), np.ones(100, np.float32)


def told(caplog: pytest.LogCaptureFixture, name: str) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.name == name]


def test_compiling(tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FREEHOLD_CACHE_DIR", str(tmp_path))
    tmp_path.chmod(0o700)
    caplog.set_level(logging.DEBUG, "freehold")
    y, x = arrays()
    double.compile(fh.partition(y, 32), x, arch="sm_90")
    (line,) = told(caplog, "freehold.compile")
    assert line.startswith("double for sm_90: compiled in ")
    double.with_hints().compile(fh.partition(y, 32), x, arch="sm_90")
    assert told(caplog, "freehold.compile")[1:] == ["double for sm_90: found on disk"]


def test_choosing_and_tuning(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "freehold")
    y, x = arrays()
    double(y, x).sync()
    (line,) = told(caplog, "freehold.schedule")
    assert line.startswith("double for ")

    def cut(tile: int, y: Any, x: Any) -> tuple[Any, ...]:
        return fh.partition(y, tile), x

    tuned = fh.Tuned(double, [16, 32], cut)
    tuned.search(y, x, measure=lambda run: 1.0)
    assert told(caplog, "freehold.tuning")[-1] == "double: 16 is the fastest of 2"
