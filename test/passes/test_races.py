"""Launches in which something goes wrong: what is known of one in part is completed by what its kernel asks for."""

from __future__ import annotations

import numpy as np

import freehold as fh
from freehold import Out, f32, i32
from freehold.passes.analysis.facts import analyse
from freehold.passes.analysis.races import complete
from freehold.passes.launch_contract import kernel_of
from freehold.support.terms import const, sym


def twice(y: Out["N"], n: i32, m: i32):
    fh.require(m == 2 * n)
    y.store(fh.zeros(y.tile, f32))


def test_a_launch_is_completed_by_what_a_kernel_asks() -> None:
    facts = analyse(kernel_of(fh.kernel(twice).verify(fh.partition(np.zeros(16, np.float32), 16), 1, 2)))
    n, m = sorted(facts.passed, key="nm".index)
    assert complete({n: 5, "N": 8}, facts) == {n: 5, m: 10, "N": 8}
    assert complete({m: 6, "N": 8}, facts) == {n: 3, m: 6, "N": 8}
    assert complete({n: 5, m: 11}, facts) is None
    found = complete({}, facts, [const(20).lt(sym(m))])
    assert found is not None
    assert found[m] == 2 * found[n] > 20
    assert complete({n: 5}, facts, [const(20).lt(sym(m))]) is None
