"""Outputs that are stored under conditions and in loops: what leaves no case out is accepted, and writes everything;
what leaves one out is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Out, Ref, Rejected, f32, i32

# --- A region, stored in one of several places ------------------------------------------------------------------------


@fh.kernel
def complementary(y: Out["N"], x: Ref["N"], n: i32):
    if n > 0:
        y.store(x.load_like(y))
    if n <= 0:
        y.store(-x.load_like(y))


@fh.kernel
def all_cases(y: Out["N"], x: Ref["N"], n: i32):
    if n > 0:
        y.store(x.load_like(y))
    elif n == 0:
        y.store(-x.load_like(y))
    elif n < 0:
        y.store(x.load_like(y) + 1.0)


@fh.kernel
def last_turn(y: Out["N"], x: Ref["N"], n: i32):
    acc = fh.zeros(y.tile, f32)
    for k in fh.tiles(x, axis=0, size=16):
        acc = acc + x.load((k,), y.tile)
        if k == fh.cdiv(x.shape[0], 16) - 1:
            y.store(acc)


@fh.kernel
def last_step(y: Out["N"], x: Ref["N"], n: i32):
    for k in range(0, 7, 3):
        if k == 6:
            y.store(x.load_like(y))


@fh.kernel
def first_turn_of_both(y: Out["N"], x: Ref["N"], n: i32):
    for k in range(2):
        for m in range(3):
            if k == 0 and m == 2:
                y.store(x.load_like(y))


@fh.kernel
def zero_is_left_out(y: Out["N"], x: Ref["N"], n: i32):
    if n > 0:
        y.store(x.load_like(y))
    if n < 0:
        y.store(-x.load_like(y))


@fh.kernel
def by_data_of_other_turns(y: Out["N"], x: Ref["N"], n: i32):
    for k in range(2):
        v = fh.sum(x.load((k,), y.tile))
        if k == 0 and v > 0.0:
            y.store(x.load_like(y))
        if k == 1 and v <= 0.0:
            y.store(x.load_like(y))


@fh.kernel
def beyond_the_last_turn(y: Out["N"], x: Ref["N"], n: i32):
    for k in range(4):
        if k == 4:
            y.store(x.load_like(y))


@fh.kernel
def between_the_steps(y: Out["N"], x: Ref["N"], n: i32):
    for k in range(0, 7, 3):
        if k == 5:
            y.store(x.load_like(y))


@fh.kernel
def perhaps_no_turn(y: Out["N"], x: Ref["N"], n: i32):
    for k in range(n):
        if k == n - 1:
            y.store(x.load_like(y))


@fh.kernel
def turns_that_end_before(y: Out["N"], x: Ref["N"], n: i32):
    for k in range(4):
        if n > 3:
            continue
        if k == 3:
            y.store(x.load_like(y))


# --- Rows of regions, taken in loops ----------------------------------------------------------------------------------


@fh.kernel
def either_branch(y: Out["N", "M"], x: Ref["N", "M"], n: i32):
    (i,) = y.index
    for k in range(fh.cdiv(y.shape[1], y.tile[1])):
        if n > 0:
            y.at(k).store(x.load((i, k), y.tile))
        else:
            y.at(k).store(-x.load((i, k), y.tile))


@fh.kernel
def causal(y: Out["N", "M"], x: Ref["N", "M"], n: i32):
    (i,) = y.index
    for k in range(fh.cdiv(y.shape[1], y.tile[1])):
        if k > i:
            y.at(k).store(fh.zeros(y.tile, f32))
            continue
        y.at(k).store(x.load((i, k), y.tile))


@fh.kernel
def up_to_the_diagonal_and_on(y: Out["N", "M"], x: Ref["N", "M"], n: i32):
    (i,) = y.index
    count = fh.cdiv(y.shape[1], y.tile[1])
    diagonal = min(i + 1, count)
    for k in range(diagonal):
        y.at(k).store(x.load((i, k), y.tile))
    for k in range(diagonal, count):
        y.at(k).store(fh.zeros(y.tile, f32))


@fh.kernel
def loops_in_branches(y: Out["N", "M"], x: Ref["N", "M"], n: i32):
    (i,) = y.index
    count = fh.cdiv(y.shape[1], y.tile[1])
    if n > 0:
        for k in range(count):
            y.at(k).store(x.load((i, k), y.tile))
    else:
        for k in range(count):
            y.at(count - 1 - k).store(x.load((i, k), y.tile))


@fh.kernel
def first_others_and_rest(y: Out["N", "M"], x: Ref["N", "M"], n: i32):
    (i,) = y.index
    for k in range(fh.cdiv(y.shape[1], y.tile[1])):
        if k == 0:
            y.at(k).store(x.load((i, k), y.tile))
        elif k == 1:
            y.at(k).store(-x.load((i, k), y.tile))
        else:
            y.at(k).store(fh.zeros(y.tile, f32))


@fh.kernel
def taken_and_stored_by_cases(y: Out["N", "M"], x: Ref["N", "M"], n: i32):
    (i,) = y.index
    for k in range(fh.cdiv(y.shape[1], y.tile[1])):
        region = y.at(k)
        if k < i:
            region.store(x.load((i, k), y.tile))
        if k >= i:
            region.store(-x.load((i, k), y.tile))


@fh.kernel
def one_branch(y: Out["N", "M"], x: Ref["N", "M"], n: i32):
    (i,) = y.index
    for k in range(fh.cdiv(y.shape[1], y.tile[1])):
        if k <= i:
            y.at(k).store(x.load((i, k), y.tile))


@fh.kernel
def a_turn_is_left_out(y: Out["N", "M"], x: Ref["N", "M"], n: i32):
    (i,) = y.index
    for k in range(fh.cdiv(y.shape[1], y.tile[1])):
        if k == 2:
            continue
        y.at(k).store(x.load((i, k), y.tile))


@fh.kernel
def up_to_the_diagonal(y: Out["N", "M"], x: Ref["N", "M"], n: i32):
    (i,) = y.index
    for k in range(min(i + 1, fh.cdiv(y.shape[1], y.tile[1]))):
        y.at(k).store(x.load((i, k), y.tile))


@fh.kernel
def taken_and_stored_sometimes(y: Out["N", "M"], x: Ref["N", "M"], n: i32):
    (i,) = y.index
    for k in range(fh.cdiv(y.shape[1], y.tile[1])):
        region = y.at(k)
        if k < i:
            region.store(x.load((i, k), y.tile))


LINES = (complementary, all_cases, last_turn, last_step, first_turn_of_both)
ROWS = (either_branch, causal, up_to_the_diagonal_and_on, loops_in_branches, first_others_and_rest)
REFUSED: dict[Any, str] = {
    **dict.fromkeys((zero_is_left_out, by_data_of_other_turns, beyond_the_last_turn, between_the_steps), "O108"),
    **dict.fromkeys((perhaps_no_turn, turns_that_end_before, taken_and_stored_sometimes), "O108"),
    **dict.fromkeys((one_branch, a_turn_is_left_out, up_to_the_diagonal), "O122"),
}


def arguments(kernel: Any, extents: tuple[int, int], n: int) -> tuple[Any, ...]:
    shape = extents if "M" in str(kernel.signature.parameters[0]) else extents[:1]
    y, x = np.full(shape, np.nan, np.float32), np.ones(shape, np.float32)
    return fh.partition(y, (16, 16), owned=1) if len(shape) > 1 else fh.partition(y, 16), x, n


@pytest.mark.parametrize("n", [-1, 0, 1])
@pytest.mark.parametrize("extents", [(64, 80), (40, 24), (1, 1)])
@pytest.mark.parametrize("kernel", [*LINES, *ROWS, taken_and_stored_by_cases], ids=lambda k: k.__name__)
def test_everything_is_written(kernel: Any, extents: tuple[int, int], n: int) -> None:
    given = arguments(kernel, extents, n)
    kernel(*given).sync()
    assert not np.isnan(given[0].array).any()


@pytest.mark.parametrize("kernel", REFUSED, ids=lambda k: k.__name__)
def test_a_case_is_left_out(kernel: Any) -> None:
    with pytest.raises(Rejected) as caught:
        kernel.verify(*arguments(kernel, (64, 80), 1))
    assert caught.value.codes == (REFUSED[kernel],)


def test_the_witness_is_a_region_that_nobody_takes() -> None:
    with pytest.raises(Rejected, match=r"where M = 64, N = 32, n = 1, no block takes `y\[0 \.\. 16, 32 \.\. 48\]`"):
        a_turn_is_left_out.verify(*arguments(a_turn_is_left_out, (64, 80), 1))
