"""What is compiled, chosen and tuned is told by `logging`, and nobody is told who did not ask."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
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


class Asked(logging.Handler):
    """Keeps what it is told."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def told() -> Iterator[Callable[[str], list[str]]]:
    """`told(name)`: what was told in a name of `logging`'s; all that Freehold tells is asked for."""
    logger, asked = logging.getLogger("freehold"), Asked()
    before = logger.level
    logger.addHandler(asked)
    logger.setLevel(logging.DEBUG)
    yield lambda name: [record.getMessage() for record in asked.records if record.name == name]
    logger.setLevel(before)
    logger.removeHandler(asked)


def test_compiling(tmp_path: Path, told: Callable[[str], list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FREEHOLD_CACHE_DIR", str(tmp_path))
    tmp_path.chmod(0o700)
    y, x = arrays()
    double.compile(fh.partition(y, 32), x, arch="sm_90")
    (line,) = told("freehold.compile")
    assert line.startswith("double for sm_90: compiled in ")
    double.with_hints().compile(fh.partition(y, 32), x, arch="sm_90")
    assert told("freehold.compile")[1:] == ["double for sm_90: found on disk"]


def test_choosing_and_tuning(told: Callable[[str], list[str]]) -> None:
    y, x = arrays()
    double(y, x).sync()
    (line,) = told("freehold.schedule")
    assert line.startswith("double for ")

    def cut(tile: int, y: Any, x: Any) -> tuple[Any, ...]:
        return fh.partition(y, tile), x

    tuned = fh.Tuned(double, [16, 32], cut)
    tuned.search(y, x, measure=lambda run: 1.0)
    assert told("freehold.tuning")[-1] == "double: 16 is the fastest of 2"
