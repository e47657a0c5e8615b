"""Modules without a Python kernel, as they are launched on a GPU: how many tile blocks of which kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Out, Ref, f32, i32
from freehold.runtime.gpu import driver
from freehold.runtime.jit.module_launch import LoadedKernel, load_kernel
from freehold.runtime.variants.build import contract_of


@fh.kernel
def doubled(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * 2.0)


class Written:
    """An entry of a GPU that runs seven tile blocks at once; what is launched is written down."""

    at_once = 7

    def launch(self, arguments: Sequence[object], grid: tuple[int, int, int]) -> None:
        assert len(arguments) > 1
        grids.append(grid)


class Entered(LoadedKernel):
    @property
    def entry(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride] -- instead of what is compiled on a GPU
        return Written()


grids: list[tuple[int, int, int]] = []
X = np.ones(100, np.float32)


def launched(blocks: Any, *given: int) -> tuple[int, int, int]:
    """The grid of a launch in ten regions of a kernel with these blocks; `given` is the number that it says."""
    y = np.zeros(160, np.float32)
    module = doubled.verify(fh.partition(y, 16, blocks=blocks), np.ones(160, np.float32))
    Entered(module, contract_of(module), signed=True).launch([y, np.ones(160, np.float32)], *given)
    return grids.pop()


def test_how_many_blocks_there_are() -> None:
    assert launched(fh.EACH) == (10, 1, 1)
    assert launched(fh.PERSISTENT) == (7, 1, 1)  # as many as the GPU runs at once
    assert launched(fh.PERSISTENT, 4) == (4, 1, 1)
    assert launched(fh.PERSISTENT, 99) == (10, 1, 1)  # and no more than there are regions
    assert launched(5) == (5, 1, 1)
    assert launched(5, 2) == (2, 1, 1)
    with pytest.raises(fh.Rejected) as caught:
        launched(fh.EACH, 4)
    assert caught.value.codes == ("O530",)
    assert "the kernel has one tile block a region" in str(caught.value)
    assert "no number of blocks" in str(caught.value)
    assert grids == []


@fh.kernel
def positive(y: Out["N"], d: Ref[i32, 1]):
    assert d.load(0, ()) > 0, "it is positive"
    y.store(fh.zeros(y.tile, f32))


def test_a_check_that_fails_in_the_kernel_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    y, d = np.zeros(16, np.float32), np.ones(1, np.int32)
    module = positive.verify(fh.partition(y, 16), d)

    class Entry:
        def launch(self, arguments: Sequence[Any], grid: tuple[int, int, int]) -> None:
            assert grid == (1, 1, 1)
            arguments[-1][0] = failing

    monkeypatch.setattr(LoadedKernel, "entry", Entry())
    loaded = LoadedKernel(module, contract_of(module), signed=True)
    failing = 0
    loaded.launch([y, d])
    failing = 1
    with pytest.raises(fh.Rejected, match="it is positive") as caught:
        loaded.launch([y, d])
    assert caught.value.codes == ("O234",)


def test_without_a_gpu_the_interpreter_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    module = doubled.verify(fh.partition(X.copy(), 16), X)
    asked: list[str] = []
    monkeypatch.setattr(driver, "require_gpu", asked.append)
    loaded = load_kernel(module)
    assert asked == ["leave `--gpu` out: the interpreter runs the module"]
    assert not loaded.signed  # no dtype needs a sign here
    assert loaded.written == {0}
    assert loaded.module is not module  # what is verified is a copy
    with pytest.raises(fh.Rejected):
        load_kernel(module, "other")
