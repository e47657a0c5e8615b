"""Terms of values that are made of each other, step by step: none is so long that nobody could walk through it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Mut, Out, Ref, i32
from freehold.passes.analysis import facts as facts_of
from freehold.passes.analysis.facts import LONGEST, analyse
from freehold.passes.launch_contract import kernel_of
from freehold.runtime.variants import build


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


def deep(y: Mut["N"], n: i32):
    a = 0
    for _ in range(n):
        for _ in range(n):
            for _ in range(n):
                for _ in range(n):
                    for _ in range(n):
                        for _ in range(n):
                            for _ in range(n):
                                for _ in range(n):
                                    for _ in range(n):
                                        for _ in range(n):
                                            for _ in range(n):
                                                for _ in range(n):
                                                    a += 1
    if a > 3:
        y.store(1.0)


def test_loops_in_many_others_are_walked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop is walked again where what it carries may fall: of twelve the innermost was, 4096 times."""
    walked: list[object] = []
    turns = facts_of._Walk.turns  # pyright: ignore[reportPrivateUsage]

    def counted(self: object, op: object, facts: object) -> None:
        walked.append(op)
        turns(self, op, facts)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(facts_of._Walk, "turns", counted)  # pyright: ignore[reportPrivateUsage]
    y = np.ones(32, np.float32)
    fh.kernel(deep).verify(fh.partition(y, 16), 1)
    assert 12 <= len(walked) <= 12 * 2**6


def steps(a: Any, n: Any) -> Any:
    for k in fh.static_range(700):
        a = a ^ (n + k)
    return a


def chain(y: Mut[i32, "N"], x: Ref[i32, "N"], n: i32):
    y.store(x.load((steps(n, y.index[0]) & 1,), y.tile))


def test_a_long_chain_of_numbers() -> None:
    """Who follows it has more calls open than Python allows if nobody asks."""
    x, y = np.arange(32, dtype=np.int32), np.zeros(32, np.int32)
    kernel: Any = fh.kernel(chain)
    kernel(fh.partition(y, 16), x, 5).sync()
    a = np.full(2, 5)
    for k in range(700):
        a = a ^ (np.arange(2) + k)
    assert np.array_equal(y.reshape(2, 16), x.reshape(2, 16)[a & 1])
    module, options = kernel.verify(fh.partition(y, 16), x, 5), build.Options()
    build.validate(module, build.bytecode(module, options), options)
