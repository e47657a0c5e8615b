"""Reads of raw memory that nobody uses may be gone from what is emitted, wherever they stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Mut, Raw


def straight(y: Mut["N"], r: Raw["M"]):
    with fh.unsafe("a look"):
        _ = r.gather(0)
    y.store(y.load() + 1)


def in_a_branch(y: Mut["N"], r: Raw["M"]):
    (i,) = y.index
    if i > 0:
        with fh.unsafe("a look"):
            _ = r.gather(i)
    y.store(y.load() + 1)


def in_a_loop(y: Mut["N"], r: Raw["M"]):
    for k in range(3):
        with fh.unsafe("a look"):
            _ = r.gather(k)
        y.store(y.load() + 1)


def peek(r: Any, k: Any) -> Any:
    """A helper."""
    with fh.unsafe("a look"):
        v = r.gather(k)
    return v + 0


def in_a_helper(y: Mut["N"], r: Raw["M"]):
    _ = peek(r, 1)
    y.store(y.load() + 1)


@pytest.mark.parametrize("function", [straight, in_a_branch, in_a_loop, in_a_helper])
def test_an_unused_read_may_be_left_out(function: Callable[..., None]) -> None:
    kernel = fh.kernel(function)
    text = str(kernel.lower(fh.partition(np.zeros(64, "f"), 64), np.zeros(4, "f")))
    assert "load_ptr_tko" not in text
