"""A `Mut` that is only read is told of, and nothing else is."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32
from freehold.support.diagnostic import KernelWarning


def read(y: Out["N"], x: Mut[f32, "N"]):
    y.store(x.load() + x.start[0] + x.shape[0])


def read_twice(y: Out["N"], x: Mut["N"]):
    t = x.load()
    for _ in range(2):
        t = t + x.load()
    y.store(t)


def forgotten(y: Out["N"], x: Mut["N"]):
    t = x.load()
    y.store(t)
    t = t * 2


def updated(y: Out["N"], x: Mut["N"]):
    y.store(x.load())
    x.store(x.load() + 1)


def updated_for_some_constants(y: Out["N"], x: Mut["N"], KEEP: Const[bool] = True):
    y.store(x.load())
    if not KEEP:
        x.store(x.load() + 1)


def add_one(t: Any):
    t.store(t.load() + 1)


def updated_by_a_function(y: Out["N"], x: Mut["N"]):
    y.store(x.load())
    add_one(x)


def updated_by_another_name(y: Out["N"], x: Mut["N"]):
    y.store(x.load())
    other = x
    other.store(other.load() + 1)


def placed_alone(y: Out["N"], x: Mut["N"], z: Ref["N"]):
    y.store(z.load_like(x))


def told(function: Callable[..., None]) -> list[str]:
    rest = [np.zeros(100, np.float32)] if function is placed_alone else []
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", KernelWarning)
        fh.kernel(function).compile(
            *(fh.partition(np.zeros(100, np.float32), 32) for _ in range(2)), *rest, arch="sm_90"
        )
    return [str(w.message) for w in found if "O047" in str(w.message)]


@pytest.mark.parametrize("function", [read, read_twice, forgotten])
def test_a_mut_that_is_only_read_is_told_of(
    function: Callable[..., None], monkeypatch: pytest.MonkeyPatch, golden: Callable[[Path, str], None]
) -> None:
    monkeypatch.setenv("FREEHOLD_CACHE_DIR", "")
    (message,) = told(function)
    here = Path(__file__)
    golden(here.parent / "never_stored" / f"{function.__name__}.err", message.replace(f"{here.parent}/", "") + "\n")


@pytest.mark.parametrize(
    "function",
    [updated, updated_for_some_constants, updated_by_a_function, updated_by_another_name, placed_alone],
)
def test_what_may_be_stored_is_not_told_of(function: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FREEHOLD_CACHE_DIR", "")
    assert not told(function)


def test_the_mode_that_is_named_is_enough() -> None:
    def read(y: Out["N"], x: Ref[f32, "N"]):
        y.store(x.load() + x.start[0] + x.shape[0])

    y, x = np.zeros(100, np.float32), np.arange(100, dtype=np.float32)
    fh.kernel(read)(fh.partition(y, 32), fh.partition(x, 32)).sync()
    assert np.array_equal(y, x + np.arange(100) // 32 * 32 + 100)
