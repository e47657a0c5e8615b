"""Terms of values that are made of each other, step by step: none is so long that nobody could walk through it."""

from __future__ import annotations

import numpy as np

import freehold as fh
from freehold import Mut, Out, i32
from freehold.passes.analysis.facts import LONGEST, analyse
from freehold.passes.launch_contract import kernel_of


def flags(y: Out["N"], a: i32, b: i32):
    flag = a > 0
    for n in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23):
        if flag:
            flag = b > n
        else:
            flag = b < -n
    y.store(fh.full(y.tile, 1.0 if flag else 0.0))


def least(y: Mut["N"], a: i32, b: i32):
    one, other = a, b
    for _ in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11):
        if one < other:
            other = one + 1
        one = fh.minimum(one, other)
        other = fh.maximum(other, one)
    if one == 3 and other == 3:
        y.store(y.load())


def test_what_is_too_long_is_unknown() -> None:
    """Each step doubles: of 24 there would be hundreds of millions of terms, as many as whoever asks walks through."""
    y = np.zeros(64, np.float32)
    for function in (flags, least):
        facts = analyse(kernel_of(fh.kernel(function).verify(fh.partition(y, 16), 1, 2)))
        assert max(term.size() for term in facts.terms.values()) <= LONGEST
