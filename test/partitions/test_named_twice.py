"""Regions that have one name at two places, of which conditions alone say that not both are taken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from everywhere import everywhere

import freehold as fh
from freehold import Mut, Out, Ref, i32
from freehold.dialects.ownership import Duty, PartitionOp, Rung
from freehold.runtime.variants import build


@fh.kernel
def by_place(y: Mut[i32, "M"], n: i32):
    """One condition, and its contrary, one behind the other."""
    i = y.index[0]
    if i < n:
        y.at(i).store(fh.zeros(y.tile, i32))
    if i >= n:
        y.at(i).store(fh.ones(y.tile, i32))


@fh.kernel
def outputs_by_place(y: Out[i32, "M"], n: i32):
    """Of an output, either branch."""
    i = y.index[0]
    if i < n:
        y.at(i).store(fh.zeros(y.tile, i32))
    else:
        y.at(i).store(fh.ones(y.tile, i32))


@fh.kernel
def in_one_turn(y: Mut[i32, "M"], n: i32):
    """A loop of at most one turn."""
    fh.require(n <= 1)
    for _ in range(n):
        y.at(y.index[0]).store(fh.zeros(y.tile, i32))


@fh.kernel
def in_turns(y: Mut[i32, "M", "N"], n: i32):
    """Both in a loop, which has a turn for each region of the point."""
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        if k < n:
            y.at(k).store(fh.zeros(y.tile, i32))
        if k >= n:
            y.at(k).store(fh.ones(y.tile, i32))


def put(y: Any, i: Any, n: Any) -> None:
    if i >= n:
        y.at(i).store(fh.ones(y.tile, i32))


@fh.kernel
def in_a_helper(y: Mut[i32, "M"], n: i32):
    i = y.index[0]
    if i < n:
        y.at(i).store(fh.zeros(y.tile, i32))
    put(y, i, n)


@fh.kernel
def never(y: Mut[i32, "M"]):
    """A branch that is never taken."""
    i = y.index[0]
    y.store(y.load() + 1)
    if i < 0:
        y.at(i).store(fh.ones(y.tile, i32))


@pytest.mark.parametrize("kernel", [by_place, outputs_by_place, in_a_helper, in_turns])
@pytest.mark.parametrize("blocks", [None, fh.PERSISTENT])
def test_conditions_that_exclude_each_other(kernel: Any, blocks: Any) -> None:
    schedule: dict[str, Any] = {} if blocks is None else {"blocks": blocks}
    y = np.full((3, 40) if kernel is in_turns else 40, 7, np.int32)
    part = fh.partition(y, (1, 8), owned=1, **schedule) if kernel is in_turns else fh.partition(y, 8, **schedule)

    def check() -> None:
        np.testing.assert_array_equal(y, np.broadcast_to(np.repeat([0, 0, 1, 1, 1], 8), y.shape))

    everywhere(kernel, part, 2, check=check, arch="sm_90")


def test_what_happens_once_or_never() -> None:
    y = np.full(40, 7, np.int32)
    everywhere(in_one_turn, fh.partition(y, 8), 1, check=lambda: np.testing.assert_array_equal(y, 0))
    y[...] = 7
    everywhere(never, fh.partition(y, 8), check=lambda: np.testing.assert_array_equal(y, 8))


@pytest.mark.parametrize(("kernel", "ordered"), [(by_place, True), (outputs_by_place, False), (in_one_turn, True)])
def test_only_what_names_do_not_tell_apart_is_ordered(kernel: Any, ordered: bool) -> None:
    module = kernel.verify(fh.partition(np.zeros(40, np.int32), 8), 1)
    (partition,) = (op for op in module.walk() if isinstance(op, PartitionOp))
    assert (partition.duty(Duty.ORDERED).rung is Rung.TOKENS) == ordered


@fh.kernel
def from_memory(y: Mut[i32, "M"], x: Ref[i32, "N"]):
    i = y.index[0]
    if i < 0:
        first = x.load(i, ())
        y.at(first).store(fh.zeros(y.tile, i32))
        second = x.load(i, ())
        y.at(second).store(fh.ones(y.tile, i32))
    y.store(y.load() + 1)


def put_twice(y: Any, x: Any, i: Any) -> None:
    y.at(x.load(i, ())).store(fh.zeros(y.tile, i32))
    y.at(x.load(i, ())).store(fh.ones(y.tile, i32))


@fh.kernel
def from_memory_in_a_helper(y: Mut[i32, "M"], x: Ref[i32, "N"]):
    if y.index[0] < 0:
        put_twice(y, x, y.index[0])


@fh.kernel
def from_memory_in_turns(y: Mut[i32, "M"], x: Ref[i32, "N"]):
    for _ in range(3):
        if y.index[0] < 0:
            put_twice(y, x, y.index[0])


def test_names_that_only_turn_out_to_be_one(golden: Callable[[Path, str], None]) -> None:
    """What is never reached is proved to be anything; the same two reads are merged later. The refusal has a code."""
    given = fh.partition(np.zeros(40, np.int32), 8), np.zeros(8, np.int32)
    for kernel in from_memory, from_memory_in_a_helper:
        with pytest.raises(fh.Rejected) as caught:
            build.bytecode(kernel.verify(*given), kernel.options)
        assert caught.value.codes == ("O141",)
        if kernel is from_memory:
            told = str(caught.value).replace(__file__, "test_named_twice.py")
            golden(Path(__file__).with_name("named_twice.err"), told)
        with pytest.raises(fh.Rejected, match="O141"):
            kernel.explain(*given, ir=True)
    module = from_memory_in_turns.verify(*given)  # of which it is not shown that no region is taken in two turns
    assert build.bytecode(module, from_memory_in_turns.options)
