"""Loops with a `break`: what is known of their first turn counts, and what may not happen in it is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Out, Ref, Rejected, i32


@fh.kernel
def at_once(y: Out["N"], x: Ref["N"], n: i32):
    for k in range(3):
        y.store(x.load_like(y) + k)
        break


@fh.kernel
def in_the_first_turn(y: Out["N"], x: Ref["N"], n: i32):
    for k in range(2, 9, 3):
        if k == 2:
            y.store(x.load_like(y))
        if k > n:
            break


@fh.kernel
def and_perhaps_again(y: Out["N"], x: Ref["N"], n: i32):
    for k in range(3):
        y.store(x.load_like(y) + k)
        if k == n:
            break


@fh.kernel
def read_in_later_turns(y: Out["N"], x: Ref["N"], n: i32):
    for k in range(4):
        t = x.load_like(y) if k == 0 else y.load() + 1
        y.store(t)
        if k == n:
            break


@fh.kernel
def counted_by_hand(y: Out["N"], x: Ref["N"], n: i32):
    k = 5
    while k > 0:
        if k >= 5:
            y.store(x.load_like(y))
        elif k < n:
            break
        k -= 1


@fh.kernel
def asked_for(y: Out["N"], x: Ref["N"], n: i32):
    fh.require("n >= -1 and n <= 100")
    for k in range(n + 2):
        y.store(x.load_like(y))
        if k == 1:
            break


def stored_early(y: Any, x: Any, n: Any) -> None:
    for k in range(2):
        if k == n:
            break
        if k == 0:
            continue
    for k in range(2):
        y.store(x.load_like(y))
        if k == n:
            break


@fh.kernel
def in_a_helper(y: Out["N"], x: Ref["N"], n: i32):
    stored_early(y, x, n)


@fh.kernel
def in_a_branch_and_a_loop(y: Out["N"], x: Ref["N"], n: i32):
    for m in range(2):
        if m < 1:
            for k in range(2):
                y.store(x.load_like(y) + k)
                if k == n:
                    break
        if m == n:
            break


@fh.kernel
def perhaps_no_turn(y: Out["N"], x: Ref["N"], n: i32):
    for k in range(n):
        y.store(x.load_like(y))
        if k == 1:
            break


@fh.kernel
def left_before(y: Out["N"], x: Ref["N"], n: i32):
    for k in range(3):
        if k == n:
            break
        y.store(x.load_like(y))


@fh.kernel
def in_the_second_turn(y: Out["N"], x: Ref["N"], n: i32):
    for k in range(3):
        if k == 1:
            y.store(x.load_like(y))
        if k == n:
            break


@fh.kernel
def not_in_its_turns(y: Out["N"], x: Ref["N"], n: i32):
    for k in range(3, 0):
        y.store(x.load_like(y))
        if k == n:
            break


@fh.kernel
def of_an_inner_loop(y: Out["N"], x: Ref["N"], n: i32):
    for m in range(2):
        for k in range(m, 2 - m):
            if k == 1:
                y.store(x.load_like(y))
            if k == n:
                break
        if m == n:
            break


@fh.kernel
def read_in_the_first_turn(y: Out["N"], x: Ref["N"], n: i32):
    for k in range(4):
        t = x.load_like(y) if k == n else y.load() + 1
        y.store(t)
        if k == 2:
            break


@fh.kernel
def asked_for_too_little(y: Out["N"], x: Ref["N"], n: i32):
    fh.require("n >= 0")
    for k in range(n):
        y.store(x.load_like(y))
        if k == 1:
            break


STORED = (
    *(at_once, in_the_first_turn, and_perhaps_again, read_in_later_turns, counted_by_hand, asked_for),
    *(in_a_helper, in_a_branch_and_a_loop),
)
REFUSED: dict[Any, str] = {
    **dict.fromkeys((perhaps_no_turn, left_before, in_the_second_turn, not_in_its_turns, of_an_inner_loop), "O108"),
    asked_for_too_little: "O108",
    read_in_the_first_turn: "O107",
}


@pytest.mark.parametrize("n", [-1, 0, 1, 2, 7])
@pytest.mark.parametrize("kernel", STORED, ids=lambda k: k.__name__)
def test_everything_is_written(kernel: Any, n: int) -> None:
    y = np.full(40, np.nan, np.float32)
    kernel(fh.partition(y, 16), np.ones(40, np.float32), n).sync()
    assert not np.isnan(y).any()


@pytest.mark.parametrize("kernel", REFUSED, ids=lambda k: k.__name__)
def test_what_may_be_left_out_is_refused(kernel: Any) -> None:
    with pytest.raises(Rejected) as caught:
        kernel(fh.partition(np.zeros(40, np.float32), 16), np.ones(40, np.float32), 1).sync()
    assert caught.value.codes[0] == REFUSED[kernel]


def test_a_launch_can_be_asked_for_a_turn() -> None:
    with pytest.raises(Rejected) as caught:
        perhaps_no_turn(fh.partition(np.zeros(40, np.float32), 16), np.ones(40, np.float32), 1).sync()
    assert 'or ask the launch for a turn: `fh.require("0 < n")`' in str(caught.value)
    with pytest.raises(Rejected) as caught:
        left_before(fh.partition(np.zeros(40, np.float32), 16), np.ones(40, np.float32), 1).sync()
    assert "may have no turn" not in str(caught.value)


def test_the_values_are_those_of_the_turns() -> None:
    x = np.ones(40, np.float32)
    for kernel, n, wanted in ((at_once, 0, 1), (and_perhaps_again, 1, 2), (and_perhaps_again, 9, 3)):
        y = np.zeros(40, np.float32)
        kernel(fh.partition(y, 16), x, n).sync()
        np.testing.assert_array_equal(y, np.full(40, wanted, np.float32))
