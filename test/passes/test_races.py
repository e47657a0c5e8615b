"""Launches in which something goes wrong: what is known of one in part is completed by what its kernel asks for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Out, Ref, f32, i32
from freehold.passes.analysis.facts import analyse
from freehold.passes.analysis.races import complete, worked_through
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


def plain(y: Out["N"]):
    y.store(0.0)


def beside(y: Out["N"], x: Ref["K"]):
    y.store(x.shape[0])


def launches(kernel: Any, *besides: Any) -> list[dict[str, int]]:
    facts = analyse(kernel_of(fh.kernel(kernel).verify(fh.partition(np.zeros(15, np.float32), 16), *besides)))
    (distribution,) = facts.points
    return [dict(work.launch) for work in worked_through(facts, distribution)]


def test_small_launches_have_up_to_four_regions_whole_and_ragged() -> None:
    extents = [32, 48, 16, 64, 47]
    assert launches(plain) == [{"N": n} for n in extents]
    tried = [{"K": k, "N": n} for k in (64, 8, 2) for n in extents]
    assert launches(beside, np.zeros(3, np.float32)) == tried[:12]


def far(y: Out["N"], x: Ref["N"]):
    (i,) = y.index
    t = fh.zeros(y.tile, f32)
    if i == 700:
        t = x.load(699 - i, y.tile)
    y.store(t)


def near(y: Out["N"], x: Ref["N"]):
    (i,) = y.index
    t = fh.zeros(y.tile, f32)
    if i == 2:
        t = x.load(1 - i, y.tile)
    y.store(t)


@pytest.mark.parametrize(("kernel", "block"), [(near, 2), (far, 700)])
def test_a_tile_that_is_never_there_is_shown_in_a_launch_as_small_as_it_is_found(kernel: Any, block: int) -> None:
    """Where small launches do not go there, the counterexample shows it."""
    with pytest.raises(fh.Rejected, match="O302") as caught:
        fh.kernel(kernel).verify(fh.partition(np.zeros(16, np.float32), 16), np.zeros(16, np.float32))
    assert f"by block {block}" in str(caught.value)


def behind(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load((y.index[0], y.index[1] + 1), y.tile))


def behind_of_many(y: Out["M", "N"], x: Ref["M", "N"]):
    fh.require("M > 5 and N % 3 == 0")
    y.store(x.load((y.index[0] + 2, y.index[1]), y.tile))


@pytest.mark.parametrize(("kernel", "shown"), [(behind, "M = 1, N = 1"), (behind_of_many, "M = 6, N = 3")])
def test_a_launch_that_goes_outside_is_no_larger_than_it_has_to_be(kernel: Any, shown: str) -> None:
    given = np.zeros((5, 9001), np.float32)
    with pytest.raises(fh.Rejected, match="O302") as caught:
        fh.kernel(kernel).verify(fh.partition(given, (2, 4096)), given.copy())
    assert f"where {shown}, " in str(caught.value)
