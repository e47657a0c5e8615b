"""Launches whose points or windows depend on scalars, on the stub driver; run by test_stub_driver.py."""

from __future__ import annotations

import ctypes
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stub import expect, passed, posing, run_tests, the_stub

import freehold as fh
from freehold import Mut, Out, f32, i32, u32
from freehold.runtime.launch import plan

stub = the_stub()


@fh.kernel
def prefix(y: Mut["N"], n: i32, a: f32):
    window = y.window(0, 0, n)
    window.store(window.load() * a)


@fh.kernel
def parts(y: Out["S", "N"], splits: i32, m: u32, at: fh.Grid = fh.Grid("splits", "cdiv(N, 64)", blocks=fh.PERSISTENT)):
    y.store(m.astype(f32))


def blocks() -> int:
    """How many tile blocks the last launch had."""
    buffer = (ctypes.c_uint * 6)()
    stub.stub_grid(buffer)
    return buffer[0]


def tensor(*shape: int) -> Any:
    return fh.to_device(np.zeros(shape, np.float32))


PREFIX = "Qiiif"
"""The address, N, the length as an extent, the length as a number, the factor."""


def without_checks(function: Any) -> Any:
    """What a function gives while the thorough way is shut."""
    binding: Any = sys.modules["freehold.runtime.launch.binding"]
    bind = binding.bind
    try:
        binding.bind = None
        return function()
    finally:
        binding.bind = bind


def test_blocks_and_extents_follow_a_scalar() -> None:
    y = tensor(1000)
    expect(PREFIX)
    prefix(fh.partition(y, 64), 100, 2.0).sync()
    assert (passed(PREFIX), blocks()) == ([y.pointer, 1000, 100, 100, 2.0], 2)

    def quickly() -> None:
        for n in (1, 64, 65, 999, 1000, 100):
            prefix(fh.partition(y, 64), n, 3.0).sync()
            assert (passed(PREFIX), blocks()) == ([y.pointer, 1000, n, n, 3.0], -(-n // 64))
            prefix(fh.partition(y, 64), n, 4.0).on().wait()
            assert (passed(PREFIX), blocks()) == ([y.pointer, 1000, n, n, 4.0], -(-n // 64))

    without_checks(quickly)


def test_what_does_not_fit_is_refused_on_the_quick_way_too() -> None:
    y = tensor(1000)
    expect(PREFIX)
    for n in (5, 6):
        prefix(fh.partition(y, 64), n, 2.0).sync()
    before = stub.stub_launches()
    for n in (0, -1, 1001, 2**31 - 1):
        with pytest.raises(fh.Rejected, match="O232"):
            prefix(fh.partition(y, 64), n, 2.0).sync()
    for n in (2**40, 2.0, "5", None):
        with pytest.raises(fh.Rejected, match="O215"):
            prefix(fh.partition(y, 64), n, 2.0).sync()
    assert stub.stub_launches() == before


def test_persistent_blocks_are_no_more_than_points() -> None:
    expect("Qiiiiii")
    counts: list[int] = []
    for splits in (1, 2, 30):
        y = tensor(splits, 100)
        parts(fh.partition(y, (1, 64)), splits, 2**32 - 1).sync()
        counts.append(blocks())
    assert counts[:2] == [2, 4]
    assert counts[2] <= 60
    with pytest.raises(fh.Rejected, match="O232"):
        parts(fh.partition(tensor(4, 100), (1, 64)), 5, 0).sync()


def test_a_plan_forgets_values_and_finds_them_again() -> None:
    y = tensor(1000)
    expect(PREFIX)
    prefix(fh.partition(y, 64), 3, 2.0).sync()

    def many() -> None:
        for n in (*range(1, plan.MOST_FITS + 40), 3, 2):
            prefix(fh.partition(y, 64), n, 2.0).sync()
            assert (passed(PREFIX)[2:4], blocks()) == ([n, n], -(-n // 64))

    without_checks(many)


def test_what_is_bound_keeps_its_scalar() -> None:
    y = tensor(1000)
    expect(PREFIX)
    bound = prefix.bind(fh.partition(y, 64), 300, 2.0)
    other = prefix.bind(fh.partition(y, 64), 10, 2.0)
    for launch, n in ((bound, 300), (other, 10), (bound, 300)):
        launch.sync()
        assert (passed(PREFIX)[2:4], blocks()) == ([n, n], -(-n // 64))
    bound.rebind(n=400).sync()
    assert (passed(PREFIX)[2:4], blocks()) == ([400, 400], 7)
    with pytest.raises(fh.Rejected, match="O232"):
        bound.rebind(n=1001)
    bound.sync()
    assert blocks() == 7


def test_a_graph_records_the_scalar_of_each_launch() -> None:
    y = tensor(1000)
    expect(PREFIX)
    with fh.graph() as g:
        g.record(prefix(fh.partition(y, 64), 130, 2.0))
        assert (passed(PREFIX)[2:4], blocks()) == ([130, 130], 3)
        g.record(prefix(fh.partition(y, 64), 1, 2.0))
        assert (passed(PREFIX)[2:4], blocks()) == ([1, 1], 1)
    g.replay().sync()


def test_a_package_computes_them_too() -> None:
    y = tensor(1000)
    expect(PREFIX)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernels")
        z = tensor(2, 100)
        fh.build([prefix(fh.partition(y, 64), 8, 1.0), parts(fh.partition(z, (1, 64)), 2, 0)], ["sm_90"], path)
        kernels = fh.load(path, strict=True)
        for n in (8, 9, 700):
            kernels.prefix(fh.partition(y, 64), n, 2.5).sync()
            assert (passed(PREFIX), blocks()) == ([y.pointer, 1000, n, n, 2.5], -(-n // 64))
        with pytest.raises(fh.Rejected, match="O232"):
            kernels.prefix(fh.partition(y, 64), 0, 2.5).sync()
        expect("Qiiiiii")
        z = tensor(3, 100)
        kernels.parts(fh.partition(z, (1, 64)), 3, 0).sync()
        assert blocks() <= 6
        kernels.parts(fh.partition(z, (1, 64)), 3, 0, at=fh.Grid("splits", "cdiv(N, 64)", blocks=fh.PERSISTENT)).sync()
        with pytest.raises(fh.Rejected, match="O270"):
            kernels.parts(fh.partition(z, (1, 64)), 3, 0, at=fh.Grid("splits", "cdiv(N, 64)")).sync()


def test_torch_without_looking_thoroughly() -> None:
    torch = posing()
    y = torch.zeros(1000)
    expect(PREFIX)
    for _ in range(3):
        prefix(fh.partition(y, 64), 20, 2.0).on()

    def quickly() -> None:
        for n in (20, 21, 640, 20):
            prefix(fh.partition(y, 64), n, 2.0).on()
            assert (passed(PREFIX)[:4], blocks()) == ([y.data_ptr(), 1000, n, n], -(-n // 64))

    without_checks(quickly)
    with pytest.raises(fh.Rejected, match="O232"):
        prefix(fh.partition(y, 64), 1001, 2.0).on()


class Fickle:
    """A number that is another one each time it is asked."""

    def __init__(self, *values: int):
        self.values = list(values)
        self.asked = 0

    def __index__(self) -> int:
        self.asked += 1
        return self.values.pop(0) if len(self.values) > 1 else self.values[0]

    __int__ = __index__


class Split:
    """A number that is one as an integer and another as an index."""

    def __int__(self) -> int:
        return 0

    def __index__(self) -> int:
        return 10**6


@fh.kernel
def moved(y: Mut["N"], at: i32):
    window = y.window(0, at, 64)
    window.store(window.load() + 1.0)


def test_a_scalar_is_asked_once_for_its_number() -> None:
    y = tensor(256)
    expect("Qii")
    moved(fh.partition(y, 64), 0).sync()
    for at in (Fickle(64, 10**6), Fickle(0, 0, 0, 10**6), Fickle(64, 10**6)):
        first = at.values[0]
        moved(fh.partition(y, 64), at).sync()
        assert (passed("Qii"), at.asked) == ([y.pointer, 256, first], 1)
    at = Fickle(64, 10**6)
    moved(fh.partition(y, 64), at).map(len).on().wait()
    assert (passed("Qii"), at.asked) == ([y.pointer, 256, 64], 1)
    before = stub.stub_launches()
    with pytest.raises(fh.Rejected):
        moved(fh.partition(y, 64), Split()).sync()
    with pytest.raises(fh.Rejected):
        moved(fh.partition(y, 64), Split()).on()
    assert stub.stub_launches() == before
    fickle = Fickle(128, 10**6)
    bound = moved.bind(fh.partition(y, 64), fickle)
    for _ in range(3):
        bound.sync()
        assert (passed("Qii"), fickle.asked) == ([y.pointer, 256, 128], 1)


if __name__ == "__main__":
    # What the stub would read of another kernel's parameters is not there.
    run_tests(globals(), strays=True, before=lambda: expect(""))
