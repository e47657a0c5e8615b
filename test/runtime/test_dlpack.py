"""Memory shared with other libraries: out by DLPack, in by DLPack and by their own attributes, and for how long."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold.runtime.arrays import dlpack
from freehold.runtime.gpu.timeline import host_timeline
from freehold.runtime.memory.ledger import enqueue
from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.support import dtypes

IN_MEMORY = [d for d in dtypes.ALL if d.storage_bits and d is not dtypes.f8e8m0fnu]  # which has no zero
NARROW = ("bf16", "f8e4m3fn", "f8e5m2")


def made(dtype: fh.DType) -> fh.Tensor:
    """A matrix on the host with a few small numbers."""
    return fh.from_numpy(np.arange(12).reshape(3, 4) % 2, dtype, device=fh.HOST).sync()


def test_what_other_libraries_say_of_functions_of_python_is_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = ctypes.pythonapi.PyCapsule_New
    monkeypatch.setattr(shared, "argtypes", [ctypes.c_int])
    tensor = made(fh.f32)
    found = np.from_dlpack(tensor)
    assert np.array_equal(found, tensor.numpy())
    assert shared.argtypes == [ctypes.c_int]
    del found
    gc.collect()
    assert tensor.state == "owned"


def test_what_a_thread_still_writes_is_waited_for() -> None:
    tensor = made(fh.f32)
    began, end = threading.Event(), threading.Event()

    def write() -> None:
        began.set()
        end.wait(100)

    writer = threading.Thread(target=lambda: enqueue(host_timeline(), [], [tensor], write))
    writer.start()
    assert began.wait(100)
    found: list[Any] = []
    reader = threading.Thread(target=lambda: found.append(np.from_dlpack(tensor)))
    reader.start()
    reader.join(0.05)
    assert not found
    end.set()
    reader.join(100)
    writer.join(100)
    assert len(found) == 1


@pytest.mark.parametrize("dtype", IN_MEMORY, ids=str)
def test_torch_has_the_same_memory(dtype: fh.DType) -> None:
    torch: Any = pytest.importorskip("torch")
    tensor = made(dtype)
    found = torch.from_dlpack(tensor)
    assert str(found.dtype).removeprefix("torch.") in (numpy_dtype(dtype.name).name, "bool")
    assert found.data_ptr() == tensor.pointer
    assert tensor.state == "exported"
    expected = tensor.numpy().astype(np.float32)
    assert np.array_equal(found.to(torch.float32).numpy(), expected)
    part = torch.from_dlpack(tensor[1:, ::2])
    assert np.array_equal(part.to(torch.float32).numpy(), expected[1:, ::2])
    found.zero_()
    assert not tensor.numpy().astype(np.float32).any()
    tensor.fill(1).sync()
    assert (found.to(torch.float32) == 1).all()
    del found, part
    assert tensor.state == "owned"


@pytest.mark.parametrize("dtype", IN_MEMORY, ids=str)
def test_tensors_of_torch_come_in(dtype: fh.DType) -> None:
    torch: Any = pytest.importorskip("torch")
    source = torch.from_dlpack(made(dtype)).clone()
    tensor = fh.from_dlpack(source)
    assert (tensor.dtype, tensor.shape, tensor.pointer) == (dtype, (3, 4), source.data_ptr())
    assert fh.from_dlpack(source.t()).strides == (dtype.itemsize, 4 * dtype.itemsize)
    tensor.fill(0).sync()
    assert not source.to(torch.float32).any()
    assert np.array_equal(fh.to_numpy(source).astype(np.float32), source.to(torch.float32).numpy())
    copied = fh.to_device(source, fh.HOST)
    assert copied.dtype == dtype
    assert copied.pointer != source.data_ptr()


@pytest.mark.parametrize("dtype", [d for d in IN_MEMORY if d.name not in NARROW], ids=str)
def test_numpy_both_ways(dtype: fh.DType) -> None:
    tensor = made(dtype)
    found = np.from_dlpack(tensor)
    assert (found.dtype, found.shape, found.ctypes.data) == (numpy_dtype(dtype.name), (3, 4), tensor.pointer)
    assert np.array_equal(found, tensor.numpy())
    again = fh.from_dlpack(found)
    assert (again.dtype, again.shape, again.strides) == (dtype, (3, 4), tensor.strides)
    assert again.pointer == tensor.pointer
    assert fh.from_dlpack(again) is again
    tensor.fill(1).sync()
    assert found.all()
    found = np.zeros((3, 4), numpy_dtype(dtype.name))
    fh.from_dlpack(found).fill(1).sync()
    assert found.all()


def test_arrays_that_may_not_be_written_are_read_alone() -> None:
    array = np.arange(4, dtype=np.float32)
    array.flags.writeable = False
    with pytest.raises(fh.Rejected, match=r"it is read-only; `freehold\.from_numpy` copies it") as caught:
        fh.from_dlpack(array)
    assert caught.value.codes == ("O257",)
    assert fh.from_numpy(array).sync().numpy().tolist() == [0, 1, 2, 3]


def test_scales_are_shared_with_torch() -> None:
    torch: Any = pytest.importorskip("torch")
    tensor = fh.full((3, 4), 4.0, fh.f8e8m0fnu).sync()
    found = torch.from_dlpack(tensor)
    assert (found.dtype, found.data_ptr()) == (torch.float8_e8m0fnu, tensor.pointer)
    assert set(found.to(torch.float32).ravel().tolist()) == {4.0}
    there = torch.full((3, 4), 0.5).to(torch.float8_e8m0fnu)
    again = fh.from_dlpack(there)
    assert (again.dtype, again.pointer) == (dtypes.f8e8m0fnu, there.data_ptr())
    assert again.numpy().astype(np.float32).tolist() == [[0.5] * 4] * 3


def test_jax_both_ways() -> None:
    jax: Any = pytest.importorskip("jax")
    tensor = made(dtypes.f32)
    assert np.array_equal(np.asarray(jax.dlpack.from_dlpack(tensor)), tensor.numpy())
    with pytest.raises(fh.Rejected) as caught:
        fh.from_dlpack(jax.numpy.ones(4))
    assert caught.value.codes == ("O257",)  # its arrays never change
    assert fh.from_numpy(jax.numpy.ones(4)).sync().numpy().tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("module", ["jaxlib._jax", "jax", "jaxish"])
def test_arrays_of_jax_are_known_by_their_module_and_never_written(module: str) -> None:
    memory = np.zeros(4, np.float32)

    class Array:
        __module__ = module

        def __dlpack__(self, **given: Any) -> Any:
            return memory.__dlpack__(**given)

        def __dlpack_device__(self) -> tuple[int, int]:
            return memory.__dlpack_device__()

    if module == "jaxish":
        assert fh.from_dlpack(Array()).numpy().tolist() == [0, 0, 0, 0]
        return
    with pytest.raises(fh.Rejected) as caught:
        fh.from_dlpack(Array())
    assert caught.value.codes == ("O257",)
    assert "JAX arrays never change" in str(caught.value)


def test_memory_lives_as_long_as_somebody_has_it() -> None:
    tensor = made(dtypes.f32)
    alive = weakref.ref(tensor.storage)
    found = np.from_dlpack(tensor)
    part = found[1:]
    del tensor, found
    gc.collect()
    assert alive() is not None
    assert part.sum() == 4
    del part
    gc.collect()
    assert alive() is None


def test_arrays_live_as_long_as_tensors_of_them() -> None:
    class Array(np.ndarray):
        """Can be referred to weakly."""

    array: Any = np.zeros(8, np.float32).view(Array)
    alive = weakref.ref(array)
    tensor = fh.from_dlpack(array)[2:]
    del array
    gc.collect()
    assert alive() is not None
    tensor.fill(1).sync()
    del tensor
    gc.collect()
    from freehold.runtime.gpu.timeline import let_go

    let_go()
    assert alive() is None


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (1, 1)])
def test_a_capsule_that_nobody_takes_gives_all_back(version: Any) -> None:
    tensor = made(dtypes.bf16)
    before = len(dlpack._EXPORTED)  # pyright: ignore[reportPrivateUsage] -- there is no public count
    count = sys.getrefcount(tensor.storage)
    capsule = tensor.__dlpack__(max_version=version)
    assert ("versioned" in repr(capsule)) == (version is not None and version[0] >= 1)
    assert tensor.state == "exported"
    del capsule
    assert tensor.state == "owned"
    assert len(dlpack._EXPORTED) == before  # pyright: ignore[reportPrivateUsage] -- as above
    after = sys.getrefcount(tensor.storage)
    assert after == count


def test_what_cannot_be_exported_is_a_buffer_error() -> None:
    tensor = made(dtypes.f32)
    with pytest.raises(BufferError, match="operation"):
        tensor.__dlpack__(copy=True)
    with pytest.raises(BufferError, match="operation"):
        tensor.__dlpack__(dl_device=(2, 0))
    with tensor.borrow_mut(), pytest.raises(BufferError, match="lent exclusively"):
        np.from_dlpack(tensor)
    owner = tensor.move()
    with pytest.raises(BufferError, match="moved"):
        np.from_dlpack(tensor)
    moved = np.from_dlpack(owner.move())  # nobody else has it
    assert moved.shape == (3, 4)


def test_what_is_no_tensor() -> None:
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    for given in (1, [1.0], "text", np.zeros(2, np.complex64), np.zeros(2, ">f4"), fixed):
        with pytest.raises(fh.Rejected) as caught:
            fh.from_dlpack(given)
        assert caught.value.codes == ("O257",)
    assert fh.to_numpy(fixed).tolist() == [0, 0, 0]
    assert fh.zeros(3, device=fh.HOST).then(lambda t: t.copy_from(fixed)).sync().numpy().tolist() == [0, 0, 0]


CODES = {"i8": (0, 8), "i16": (0, 16), "i32": (0, 32), "i64": (0, 64), "u8": (1, 8), "u16": (1, 16), "u32": (1, 32),
         "u64": (1, 64), "f16": (2, 16), "f32": (2, 32), "f64": (2, 64), "bf16": (4, 16), "bool_": (6, 8),
         "f8e4m3fn": (10, 8), "f8e5m2": (12, 8), "f8e8m0fnu": (14, 8)}  # fmt: skip
"""DLPack's codes of the types of elements, and their bits, as its header has them."""


@pytest.mark.parametrize("versioned", [False, True])
@pytest.mark.parametrize("dtype", IN_MEMORY, ids=str)
def test_what_is_written_into_a_capsule(dtype: fh.DType, versioned: bool) -> None:
    tensor = made(dtype)[1:, ::2]
    capsule = tensor.__dlpack__(max_version=(1, 0) if versioned else None)
    inner: Any = dlpack
    kind = inner._Versioned if versioned else inner._Managed
    held = kind.from_address(inner._content_of(id(capsule), inner._NAMES[versioned]))
    array = held.array
    assert (array.dtype.code, array.dtype.bits, array.dtype.lanes) == (*CODES[dtype.name], 1)
    assert (array.ndim, array.shape[:2], array.strides[:2]) == (2, [2, 2], [4, 2])
    assert (array.device.type, array.device.number, array.byte_offset) == (1, 0, 0)
    assert array.data == tensor.pointer
    if versioned:
        assert (held.major, held.minor, held.flags) == (1, 0, 0)


def test_what_is_lent_to_the_host_is_not_exported() -> None:
    """Whoever has the capsule may write it."""
    tensor = made(fh.f32)
    for borrow in (tensor.borrow, tensor.borrow_mut):
        with borrow(), pytest.raises(BufferError, match="O25"):
            np.from_dlpack(tensor)
    np.from_dlpack(tensor)


@pytest.mark.parametrize("strides", [(5, 4), (8, 5), (5, 5)])
def test_each_axis_goes_by_whole_elements(strides: tuple[int, int]) -> None:
    memory = np.zeros(64, np.uint8)
    array: Any = np.lib.stride_tricks.as_strided(memory.view(np.float32), (3, 2), strides)
    with pytest.raises(BufferError, match="its elements do not lie in steps of their size"):
        np.from_dlpack(fh.from_dlpack(array))
