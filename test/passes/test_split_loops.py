"""Loops that are cut compute what they did, wherever they are cut; a range is not taken for one number."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Out, Ref, f32, i32
from freehold.dialects.cuda_tile.ops.control_flow import IfOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp
from freehold.passes.split_loops import split_loops
from freehold.runtime.interpreter.launch import Kernel

N = 16


@fh.kernel
def one_column(y: Out[16, 16], a: Ref[16, 16], b: Ref[16, 16], turns: i32, way: Const[int]):
    acc = fh.zeros((16, 16), f32)
    for k in range(turns):
        if k == 0:  # here it is cut
            acc += 1000.0
        fives = fh.full((16,), 5, i32)
        places, t = k * 16 + fh.arange(16), a.load((0, 0), (16, 16))
        if way == 0:
            t = fh.where((places == 5)[None, :], t, 0.0)
        if way == 1:
            t = fh.where((fives == places)[None, :], t, 0.0)
        if way == 2:
            t = fh.where((fives != places)[None, :], 0.0, t)
        acc = fh.mma(t, b.load((0, 0), (16, 16)), acc)
    y.store(acc)


@pytest.mark.parametrize("way", [0, 1, 2])
def test_a_mask_of_one_place_stays_one(way: int) -> None:
    random = np.random.default_rng(way)
    a, b = (random.integers(1, 9, (N, N)).astype(np.float32) for _ in range(2))
    y: Any = np.zeros((N, N), np.float32)
    wanted = 1000 + a[:, 5:6] * b[5:6]
    module = one_column.verify(fh.partition(y, (N, N)), a, b, 4, way)
    cut = split_loops(module)
    assert cut is not module
    for each in (module, cut):
        y[...] = 0
        Kernel.of(each, checked=True).run([y, a, b, 4], blocks=1)
        assert np.array_equal(y, wanted)


CONDITIONS: tuple[Callable[[Any, Any, Any], Any], ...] = (
    lambda k, a, n: k < a,
    lambda k, a, n: k <= a,
    lambda k, a, n: k > a,
    lambda k, a, n: k >= a,
    lambda k, a, n: a > k,
    lambda k, a, n: a <= k,
    lambda k, a, n: 2 * k < a,
    lambda k, a, n: 2 * k >= a,
    lambda k, a, n: 3 * k > a + 1,
    lambda k, a, n: a - 2 * k > 1,
    lambda k, a, n: a - 3 * k <= 2,
    lambda k, a, n: k == 0,
    lambda k, a, n: k != 0,
    lambda k, a, n: k == n - 1,
    lambda k, a, n: n - 1 != k,
    lambda k, a, n: n - k == 1,
)
"""What a loop can be cut at, of its counter and of numbers that it does not change."""


@fh.kernel
def one_branch(y: Out[4], turns: i32, a: i32, first: Const[int]):
    fh.require(0 <= a <= 20)
    fh.require(0 <= turns <= 20)
    acc = fh.zeros((4,), i32)
    for k in range(turns):
        acc = 3 * acc
        if CONDITIONS[first](k, a, turns):
            acc = acc + 1
    y.store(acc)


@fh.kernel
def two_branches(y: Out[4], turns: i32, a: i32, b: i32, first: Const[int], second: Const[int]):
    fh.require(0 <= a <= 20)
    fh.require(0 <= b <= 20)
    fh.require(0 <= turns <= 20)
    acc = fh.zeros((4,), i32)
    for k in range(turns):
        acc = 5 * acc
        if CONDITIONS[first](k, a, turns):
            acc = acc + 1
        if CONDITIONS[second](k, b, turns):
            acc = acc + 2
    y.store(acc)


def loops(module: Any) -> int:
    return sum(op.name == "cuda_tile.for" for op in module.walk())


def decided(module: Any) -> list[bool]:
    """Of each branch, whether its condition is a constant."""
    return [isinstance(op.condition.owner, ConstantOp) for op in module.walk() if isinstance(op, IfOp)]


@pytest.mark.parametrize("first", range(len(CONDITIONS)))
def test_a_cut_loop_takes_each_branch_in_the_same_turns(first: int) -> None:
    y: Any = np.zeros(4, np.int32)
    module = one_branch.verify(fh.partition(y, 4), 4, 3, first)
    cut = split_loops(module)
    assert loops(cut) == 2
    assert decided(cut) == [True, True]  # which is what it is cut for
    ran = Kernel.of(cut, checked=True)
    for turns in range(7):
        for a in range(9):
            wanted = 0
            for k in range(turns):
                wanted = 3 * wanted + bool(CONDITIONS[first](k, a, turns))
            ran.run([y, turns, a], blocks=1)
            assert y.tolist() == [wanted] * 4, (turns, a)


@pytest.mark.parametrize(("first", "second"), [(0, 3), (2, 1), (6, 0), (11, 13), (3, 13), (11, 7), (9, 10), (0, 0)])
def test_a_loop_that_is_cut_twice_takes_each_branch_in_the_same_turns(first: int, second: int) -> None:
    y: Any = np.zeros(4, np.int32)
    module = two_branches.verify(fh.partition(y, 4), 4, 3, 3, first, second)
    cut = split_loops(module)
    assert loops(cut) > 1
    ran = Kernel.of(cut, checked=True)
    for turns in (0, 1, 2, 5):
        for a, b in product((0, 1, 2, 4, 7), repeat=2):
            wanted = 0
            for k in range(turns):
                taken = [bool(CONDITIONS[n](k, x, turns)) for n, x in ((first, a), (second, b))]
                wanted = 5 * wanted + taken[0] + 2 * taken[1]
            ran.run([y, turns, a, b], blocks=1)
            assert y.tolist() == [wanted] * 4, (turns, a, b)


@fh.kernel
def at_a_quotient(y: Out[4], turns: i32, a: i32, d: i32, known: Const[bool]):
    fh.require(0 <= a <= 20)
    fh.require(1 <= d <= 20)
    acc = fh.zeros((4,), i32)
    for k in range(turns):
        if k < (a // 2 if known else a // d):
            acc += 1
    y.store(acc.astype(f32))


@pytest.mark.parametrize("known", [True, False])
def test_a_loop_is_not_cut_at_a_quotient_by_what_the_launch_brings(known: bool) -> None:
    """Where no turn runs, nothing is divided; in front of the loop it would be."""
    y: Any = np.zeros(4, np.float32)
    module = at_a_quotient.verify(fh.partition(y, 4), 6, 7, 2, known)
    cut = split_loops(module)
    assert (cut is not module) == known
    for each, turns in product((module, cut), (0, 6)):
        Kernel.of(each, checked=True).run([y, turns, 7, 2], blocks=1)
        assert y.tolist() == [min(turns, 3)] * 4
