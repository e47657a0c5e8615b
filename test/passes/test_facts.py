"""What is known of numbers behind branches, and of shifts: by what `explain` says of the loads that rest on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Out, Ref, i32


@fh.kernel
def left(y: Out["M"], x: Ref["N"], FIRST: Const[bool]):
    """A number of the branch that goes on, where the other one leaves."""
    total = fh.zeros((32,), x.dtype)
    for k in fh.tiles(x, axis=0, size=32):
        if FIRST:
            if k > 0:
                j = k - 1
            else:
                continue
        else:
            if k == 0:
                continue
            else:  # noqa: RET507 -- the other branch leaves first
                j = k - 1
        total += x.load((j,), (32,))
    y.store(total)


@fh.kernel
def kept(y: Out["M"], x: Ref["N"]):
    """A number of either branch, where none leaves."""
    total = fh.zeros((32,), x.dtype)
    for k in fh.tiles(x, axis=0, size=32):
        j = k - 1 if k > 0 else k
        total += x.load((j,), (32,))
    y.store(total)


@fh.kernel
def divided(y: Out["M"], x: Ref["M"], BITS: Const[int]):
    (i,) = y.index
    y.store(x.load((i >> BITS,), (32,)))


@fh.kernel
def divided_by_a_number(y: Out["M"], x: Ref["M"], bits: i32):
    (i,) = y.index
    y.store(x.load((i >> bits,), (32,)))


def told(kernel: Any, *constants: Any) -> str:
    """How the bounds of its load are shown."""
    x, y = np.ones(320, np.float32), fh.partition(np.zeros(320, np.float32), 32)
    (line,) = [line for line in str(kernel.explain(y, x, *constants)).splitlines() if "load from `x`" in line]
    return line.split("in bounds along axis 0: ")[1]


@pytest.mark.parametrize("first", [True, False])
def test_a_number_of_the_branch_that_goes_on(first: bool) -> None:
    assert told(left, first).startswith("proved (0 <= k - 1 < ceildiv(N, 32)")


def test_a_number_of_either_branch() -> None:
    assert told(kept).startswith("proved")


@pytest.mark.parametrize("bits", [0, 1, 30, 31])
def test_shifts_that_divide(bits: int) -> None:
    assert told(divided, bits).startswith("proved")


@pytest.mark.parametrize("bits", [32, 33, 64])
def test_shifts_that_are_not_defined_are_of_no_number(bits: int) -> None:
    assert told(divided, bits).startswith("checked in the kernel")


def test_a_shift_by_a_number_that_is_not_known() -> None:
    assert told(divided_by_a_number, 2).startswith("checked in the kernel")
