"""Loops that are cut compute what they did: a comparison with a range is not taken for one with a number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Out, Ref, f32, i32
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
