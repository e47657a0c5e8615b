"""Where data decide whether an access is reached, it is checked in the kernel: a launch would be refused for what never
happens. And windows may begin at any extent, for the launch says what that is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Mut, Out, Ref, f32, i32
from freehold.dialects.ownership import LoadOp, Rung, duties_of
from freehold.passes.launch_contract import kernel_of


def behind_continue(y: Out["N"], x: Ref["M"], d: Ref[i32, "K"]):
    acc = fh.zeros((64,), f32)
    for k in range(10):
        if d.load(0, ()) == 0:
            continue
        acc += x.load(k, 64)
    y.store(acc)


def behind_break(y: Out["N"], x: Ref["M"], d: Ref[i32, "K"]):
    acc = fh.zeros((64,), f32)
    for k in range(10):
        if d.load(0, ()) == 0:
            break
        acc += x.load(k, 64)
    y.store(acc)


def in_a_branch(y: Out["N"], x: Ref["M"], d: Ref[i32, "K"]):
    acc = fh.zeros((64,), f32)
    for k in range(10):
        if d.load(0, ()) != 0:
            acc += x.load(k, 64)
    y.store(acc)


def behind_a_way_out_in_a_branch(y: Out["N"], x: Ref["M"], d: Ref[i32, "K"]):
    acc = fh.zeros((64,), f32)
    for k in range(10):
        if k > 0:
            if d.load(0, ()) == 0:
                break
            acc += 1.0
        acc += x.load(0, 64)
        if d.load(0, ()) == 0:
            break
    y.store(acc)


def part(x: Any, d: Any, k: Any) -> Any:
    """A helper that may return early."""
    if d.load(0, ()) == 0:
        return fh.zeros((64,), f32)
    return x.load(k, 64)


def in_a_helper(y: Out["N"], x: Ref["M"], d: Ref[i32, "K"]):
    acc = fh.zeros((64,), f32)
    for k in range(10):
        acc += part(x, d, k)
    y.store(acc)


def arguments() -> tuple[Any, ...]:
    return fh.partition(np.zeros(64, "f"), 64), np.ones(64, "f"), np.zeros(1, "i4")


@pytest.mark.parametrize(
    "function", [behind_continue, behind_break, in_a_branch, behind_a_way_out_in_a_branch, in_a_helper]
)
def test_a_load_that_data_decide_about_is_checked_in_the_kernel(function: Callable[..., None]) -> None:
    kernel = fh.kernel(function)
    found = kernel_of(kernel.verify(*arguments()))
    rungs = {duty.rung for op in found.walk() if isinstance(op, LoadOp) for duty in duties_of(op)}
    assert Rung.LAUNCH not in rungs
    with fh.interpreting("checked"):
        kernel(*arguments()).sync()  # nothing out of bounds is reached


def begins_at_an_extent(y: Out["M", "N"], x: Ref["M", "2 * N"]):
    second = x.window(1, y.shape[1], x.shape[1] - y.shape[1])
    y.store(second.load_like(y))


def begins_at_a_count(y: Out["N"], x: Ref["M"]):
    y.store(x.window(0, fh.cdiv(y.shape[0], 2), y.shape[0]).load_like(y))


def test_a_window_may_begin_at_an_extent_of_what_is_written() -> None:
    x, y = np.arange(800, dtype="f").reshape(4, 200), np.zeros((4, 100), "f")
    with fh.interpreting("checked"):
        fh.kernel(begins_at_an_extent)(fh.partition(y, (2, 64)), x).sync()
    assert (y == x[:, 100:]).all()
    line, part_of = np.arange(200, dtype="f"), np.zeros(100, "f")
    with fh.interpreting("checked"):
        fh.kernel(begins_at_a_count)(fh.partition(part_of, 64), line).sync()
    assert (part_of == line[50:150]).all()


def behind_a_return(y: Mut["N"], x: Ref["N"], d: Ref[i32, "K"]):
    if d.load(0, ()) == 0:
        return
    y.store(x.load(y.index[0] + 1, y.tile))


def test_what_would_fail_in_every_launch_may_not_be_reached() -> None:
    y, x, stop = np.zeros(64, "f"), np.ones(64, "f"), np.zeros(1, "i4")
    fh.kernel(behind_a_return)(fh.partition(y, 16), x, stop).sync()
    assert (y == 0).all()
