"""Modules without a Python kernel, as they are launched on a GPU: how many tile blocks of which kernel."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Out, Ref, f32, i32
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.text import parse_disassembly
from freehold.runtime.gpu import driver
from freehold.runtime.jit import module_launch
from freehold.runtime.jit.module_launch import LoadedEntry, LoadedKernel, load_kernel
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


class Buffer:
    """Memory of a GPU."""

    def __init__(self, said: list[Any], size: int):
        self.said, self.handle, self.data = said, 1000 + len(said), bytearray(size)

    def close(self) -> None:
        self.said.append(("close", self.handle))


class Gpu:
    """Stands for the modules that speak to the driver; what is asked of them is written down."""

    def __init__(self) -> None:
        self.said: list[Any] = []
        self.buffers: dict[int, Buffer] = {}

    def allocate(self, size: int, _device: int) -> Buffer:
        made = Buffer(self.said, size)
        self.buffers[made.handle] = made
        self.said.append(("allocate", size))
        return made

    def copy_to_device(self, pointer: int, host: int, size: int, _device: int) -> None:
        self.buffers[pointer].data[:] = ctypes.string_at(host, size)

    def copy_to_host(self, host: int, pointer: int, size: int, _device: int) -> None:
        ctypes.memmove(host, bytes(self.buffers[pointer].data), size)

    def stream(self, handle: int, device: int) -> Any:
        return "stream", handle, device

    def wait(self, stream: Any, what: str) -> None:
        self.said.append(("wait", stream, what))

    def config(self, *grid: int) -> Any:
        return grid

    def launch_on(self, device: int, stream: Any, config: Any, kernel: Any, *passed: Any) -> None:
        self.said.append(("launch", device, stream, config, kernel, passed))
        for buffer in self.buffers.values():
            buffer.data[:] = bytes(reversed(buffer.data))

    def architecture(self, device: int) -> str:
        return ("sm_90", "sm_100")[device]

    def at_once(self, *given: Any) -> int:
        self.said.append(("at_once", *given))
        return 3


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Gpu:
    found = Gpu()
    for name in ("driver", "kernels", "transfers"):
        monkeypatch.setattr(module_launch, name, found)
    return found


ENTRY = """
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i8>>, %n: tile<i32>, %x: tile<bf16>, %b: tile<ptr<i8>>) HINTS { return }
}
"""


def entry_of(hints: str = "") -> Any:
    module = parse_disassembly(ENTRY.replace("HINTS", hints))
    return next(op for op in module.walk() if isinstance(op, EntryOp))


def test_arrays_of_an_entry_are_copied_there_and_back(gpu: Gpu) -> None:
    written, kept = np.arange(6, dtype=np.int8), np.arange(4, dtype=np.int8)
    kept.flags.writeable = False
    turned = np.arange(6, dtype=np.int8).reshape(2, 3).T
    LoadedEntry(entry_of(), "kernel", 1).launch([written, 7, 1.5, kept], (4, 3, 2))
    sizes = [size for what, size, *_ in gpu.said if what == "allocate"]
    ((launch, at),) = [(one, n) for n, one in enumerate(gpu.said) if one[0] == "launch"]
    assert sizes == [6, 4]
    assert launch[1:5] == (1, ("stream", 0, 1), (4, 3, 2), "kernel")
    first, second = gpu.buffers
    one, number, bits, other = launch[5]
    assert (one, int(number), other) == (first, 7, second)
    assert (number.dtype, bits.dtype, hex(bits)) == (np.int32, np.uint16, "0x3fc0")
    assert gpu.said[at + 1] == ("wait", ("stream", 0, 1), "kernel `k`")
    assert gpu.said[-2:] == [("close", first), ("close", second)]
    assert written.tolist() == [5, 4, 3, 2, 1, 0]
    assert kept.tolist() == [0, 1, 2, 3]
    LoadedEntry(entry_of(), "kernel", 1).launch([turned, 7, 1.5, kept], (1, 1, 1))
    assert turned.ravel().tolist() == [5, 2, 4, 1, 3, 0]  # as its elements follow one another
    with pytest.raises(fh.Rejected, match="3 arguments for 4 parameters"):
        LoadedEntry(entry_of(), "kernel", 1).launch([written, 7, 1.5], (1, 1, 1))
    with pytest.raises(fh.Rejected, match="`n` of `k`"):
        LoadedEntry(entry_of(), "kernel", 1).launch([written, 7.5, 1.5, kept], (1, 1, 1))


@pytest.mark.parametrize(
    ("hints", "device", "asked"),
    [
        ("", 0, (1, 1)),
        ("optimization_hints=<sm_90 = {occupancy = 4, num_cta_in_cga = 2}>", 0, (4, 2)),
        ("optimization_hints=<sm_90 = {occupancy = 4}>", 1, (1, 1)),
        ("optimization_hints=<default = {occupancy = 8, num_cta_in_cga = 4}, sm_100 = {occupancy = 2}>", 1, (2, 4)),
        ("optimization_hints=<default = {occupancy = 8}, sm_100 = {occupancy = 2}>", 0, (8, 1)),
    ],
)
def test_how_many_blocks_run_at_once_is_asked_by_hints(
    hints: str, device: int, asked: tuple[int, int], gpu: Gpu
) -> None:
    assert LoadedEntry(entry_of(hints), "kernel", device).at_once == 3
    assert gpu.said == [("at_once", "kernel", device, *asked)]
