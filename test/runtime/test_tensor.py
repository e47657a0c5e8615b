"""Tensors on the host: made, filled, copied, converted, lent, moved and freed."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest

import freehold as fh
from freehold.runtime.arrays import copying
from freehold.runtime.arrays import tensor as tensor_module
from freehold.runtime.gpu.timeline import host_timeline
from freehold.runtime.memory import storage
from freehold.runtime.memory.arguments import contiguous
from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.support import dtypes

IN_MEMORY = [d for d in dtypes.ALL if d.storage_bits]
FLOATS = [d for d in IN_MEMORY if d.is_float]


@pytest.fixture(autouse=True)
def on_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors are made on the host wherever no device is given, also where there is a GPU."""
    from freehold.runtime.gpu import driver

    monkeypatch.setattr(driver, "gpu_available", lambda: False)


@fh.kernel
def scale(y: fh.Out["N"], x: fh.Ref["N"], a: fh.f32):
    y.store(a * x.load_like(y))


# --- Making -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", IN_MEMORY, ids=str)
def test_zeros_ones_full(dtype: fh.DType) -> None:
    expected: Any = numpy_dtype(dtype.name)
    if dtype is dtypes.f8e8m0fnu:  # which has no zero
        with pytest.raises(fh.Rejected, match="f8e8m0fnu"):
            fh.zeros((2, 3), dtype).sync()
    zeros = () if dtype is dtypes.f8e8m0fnu else ((fh.zeros((2, 3), dtype), 0),)
    for made, value in (*zeros, (fh.ones((2, 3), dtype), 1), (fh.full((2, 3), True, dtype), 1)):
        tensor = made.sync()
        assert (tensor.shape, tensor.dtype, tensor.device) == ((2, 3), dtype, fh.HOST)
        assert tensor.is_contiguous
        assert tensor.pointer % 256 == 0
        found = tensor.numpy()
        assert found.dtype == expected
        assert (found.astype(np.float32) == value).all()


def test_nothing_is_done_before_it_is_asked_for() -> None:
    array = np.zeros(3, np.float32)
    operation = fh.from_numpy(array)
    array[:] = 7
    tensor = operation.sync()
    array[:] = 8
    assert tensor.numpy().tolist() == [7, 7, 7]
    with pytest.raises(fh.Rejected):
        operation.sync()


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda: fh.arange(5), np.arange(5, dtype=np.int32)),
        (lambda: fh.arange(5, fh.f16), np.arange(5, dtype=np.float16)),
        (lambda: fh.arange(2, 11, 3), np.arange(2, 11, 3, dtype=np.int32)),
        (lambda: fh.arange(11, step=3), np.arange(11, step=3, dtype=np.int32)),
        (lambda: fh.arange(0.0, 1.0, 0.25), np.arange(0, 1, 0.25, dtype=np.float32)),
        (lambda: fh.arange(7, 0, -2, fh.u8), np.arange(7, 0, -2).astype(np.uint8)),
        (lambda: fh.linspace(-1, 1, 9), np.linspace(-1, 1, 9, dtype=np.float32)),
        (lambda: fh.eye(3), np.eye(3, dtype=np.float32)),
        (lambda: fh.eye(2, 4, fh.i8), np.eye(2, 4, dtype=np.int8)),
        (lambda: fh.full((), 3, fh.i64), np.int64(3)),
        (lambda: fh.zeros((0, 4), fh.f32), np.zeros((0, 4), np.float32)),
        (lambda: fh.from_numpy([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]])),
        (lambda: fh.from_numpy(np.arange(4.0), fh.bf16), np.arange(4.0).astype(ml_dtypes.bfloat16)),
    ],
)
def test_contents(made: Any, expected: Any) -> None:
    found = made().sync().numpy()
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_random_numbers_are_a_function_of_the_seed(dtype: fh.DType) -> None:
    first, again, other = (fh.rand((3, 700), dtype, seed=seed).sync().numpy() for seed in (5, 5, 6))
    assert np.array_equal(first.view(np.uint8), again.view(np.uint8))
    assert not np.array_equal(first, other)
    numbers = first.astype(np.float32)
    assert ((numbers >= 0) & (numbers <= 1)).all()
    longer = fh.rand(4000, dtype, seed=5).sync().numpy()
    assert np.array_equal(longer[:2100], first.ravel())


def test_random_numbers_look_random() -> None:
    n = 20000
    uniform = fh.rand(n, seed=1).sync().numpy()
    assert len(np.unique(uniform)) > 0.99 * n
    assert abs(uniform.mean() - 0.5) < 5 * np.sqrt(1 / 12 / n)
    assert uniform.max() < 1
    normal = fh.randn(n, seed=1).sync().numpy()
    assert abs(normal.mean()) < 5 / np.sqrt(n)
    assert abs(normal.std() - 1) < 0.03
    assert abs((normal**3).mean()) < 0.15
    assert np.isfinite(normal).all()
    assert not np.array_equal(fh.rand(8).sync().numpy(), fh.rand(8).sync().numpy())


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (3, fh.i32),
        (0.5, fh.f32),
        (True, fh.bool_),
        (np.int64(3), fh.i64),
        (np.float16(1), fh.f16),
        (np.uint8(7), fh.u8),
    ],
)
def test_numbers_are_kept_as_what_they_are(value: Any, dtype: fh.DType) -> None:
    found = fh.full((2,), value).sync()
    assert found.dtype == dtype
    assert found.numpy().tolist() == [value, value]


def test_random_numbers_of_a_seed_stay_what_they_are() -> None:
    """By position, the same in every release; pairs of uniform ones make those that are normally distributed."""
    places = [0, 1, 1023, 1024, 5999]
    uniform = fh.rand(6000, seed=1).sync().numpy()
    assert uniform[places].tolist() == [
        0.8902591466903687, 0.6719982624053955, 0.8324043154716492, 0.7409727573394775, 0.47752052545547485
    ]  # fmt: skip
    assert fh.rand(6000, seed=(1 << 63) - 1).sync().numpy()[places].tolist() == [
        0.19884198904037476, 0.03201049566268921, 0.3049733638763428, 0.9761534929275513, 0.2801189422607422
    ]  # fmt: skip
    first, second = uniform[::2].astype(np.float64), uniform[1::2].astype(np.float64)
    wanted = np.sqrt(-2 * np.log(1 - first)) * np.cos(2 * np.pi * second)
    np.testing.assert_allclose(fh.randn(3000, seed=1).sync().numpy(), wanted, atol=1e-5)


# --- Copies -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", IN_MEMORY, ids=str)
@pytest.mark.parametrize("target", IN_MEMORY, ids=str)
def test_every_dtype_is_converted_to_every_other(source: fh.DType, target: fh.DType) -> None:
    array = np.array([1, 1, 2, 3, 5, 7] if source is dtypes.f8e8m0fnu else [0, 1, 2, 3, 5, 7])
    array = array.astype(numpy_dtype(source.name)).reshape(2, 3)
    tensor = fh.from_numpy(array).sync()
    converted = tensor[:, ::2].astype(target).sync()
    assert converted.dtype == target
    assert converted.is_contiguous
    exact = array[:, ::2].astype(np.float64) if dtypes.f8e8m0fnu in (source, target) else array[:, ::2]
    expected = exact.astype(numpy_dtype(target.name))
    if target is dtypes.f8e8m0fnu:  # up, which NumPy does not round
        numbers = np.maximum(exact, 2.0**-127)
        expected = np.exp2(np.ceil(np.log2(numbers))).astype(expected.dtype)
    assert np.array_equal(converted.numpy().astype(np.float64), expected.astype(np.float64))


def test_copies_are_separate() -> None:
    tensor = fh.arange(6).sync()
    twin, there = tensor.copy().sync(), tensor.to(fh.HOST).sync()
    tensor.fill(9).sync()
    assert twin.numpy().tolist() == there.numpy().tolist() == [0, 1, 2, 3, 4, 5]


def test_overwriting() -> None:
    tensor = fh.zeros((3, 4)).sync()
    assert tensor[1:, ::-2].copy_from(np.ones((2, 2), np.int64)).sync().shape == (2, 2)
    tensor[0].fill(-2.5).sync()
    assert tensor.numpy().tolist() == [[-2.5] * 4, [0, 1, 0, 1], [0, 1, 0, 1]]
    tensor.copy_from(fh.full((3, 4), 3.0, fh.f32)).sync()
    assert (tensor.numpy() == 3).all()


def test_a_tensor_is_what_kernels_take() -> None:
    x, y = fh.arange(100, fh.f32).sync(), fh.empty(100).sync()
    assert scale(fh.partition(y, 64), x, 2.0).sync() is y
    assert np.array_equal(y.numpy(), 2 * np.arange(100))
    scale(fh.partition(y[10:20], 8), x[::10], 1.0).sync()
    assert np.array_equal(y[10:20].numpy(), np.arange(0, 100, 10))
    made = scale(fh.partition(fh.zeros(100), 64), fh.ones(100), 0.5).sync()
    assert (made.numpy() == 0.5).all()


def test_reading() -> None:
    tensor = fh.full((1, 1), 2.5).sync()
    assert tensor.item() == 2.5
    assert np.asarray(tensor, np.float64).tolist() == [[2.5]]
    assert np.add(tensor, 1).tolist() == [[3.5]]
    assert len(tensor) == 1
    with pytest.raises(ValueError, match="single"):
        fh.zeros(2).sync().item()
    with pytest.raises(ValueError, match="borrow"):
        np.asarray(tensor, copy=False)
    with pytest.raises(TypeError, match="item"):
        bool(tensor)
    for function in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"copy\(\)\.sync\(\)"):
            function(tensor)


# --- Owners -----------------------------------------------------------------------------------------------------------


def codes(function: Any) -> tuple[str, ...]:
    """The codes of the errors that a call must end in."""
    with pytest.raises(fh.Rejected) as caught:
        function()
    return caught.value.codes


def test_borrows() -> None:
    tensor = fh.zeros(4).sync()
    other = tensor[2:]
    assert tensor.state == "owned"
    with tensor[:2].borrow() as inside:
        assert (tensor.state, other.state) == ("lent", "owned")
        assert not inside.flags.writeable
        with tensor.borrow():
            pass
        assert tensor.numpy().tolist() == [0, 0, 0, 0]
        assert codes(lambda: tensor.fill(1).sync()) == ("O251",)
        assert codes(lambda: tensor.borrow_mut().__enter__()) == ("O251",)
        other.fill(1).sync()
    with tensor.borrow_mut() as inside:
        assert tensor.state == "lent exclusively"
        inside[0] = 5
        for use in (tensor.numpy, tensor[0].item, tensor.move, tensor.free, lambda: tensor.copy().sync()):
            assert codes(use) == ("O251",)
        assert codes(lambda: scale(fh.partition(fh.zeros(4).sync(), 4), tensor, 1.0).sync()) == ("O251",)
    assert tensor.state == "owned"
    assert tensor.numpy().tolist() == [5, 0, 1, 1]


def test_a_borrow_ends_with_its_block_whatever_happens() -> None:
    tensor = fh.zeros(4).sync()
    with pytest.raises(ZeroDivisionError), tensor.borrow_mut():
        raise ZeroDivisionError
    assert tensor.state == "owned"
    tensor.fill(1).sync()


@pytest.mark.parametrize("fails", [False, True])
def test_what_was_lent_exclusively_is_read_only_behind_the_block(fails: bool) -> None:
    tensor = fh.zeros(4).sync()
    with suppress(ZeroDivisionError), tensor.borrow_mut() as kept:
        kept[0] = 5
        if fails:
            raise ZeroDivisionError
    with pytest.raises(ValueError, match="read-only"):
        kept[1] = 6
    assert tensor.numpy().tolist() == [5, 0, 0, 0]


@pytest.mark.parametrize("exclusive", [False, True])
def test_what_is_read_only_nobody_opens(exclusive: bool) -> None:
    tensor = fh.zeros(4).sync()
    with tensor.borrow_mut() if exclusive else tensor.borrow() as kept:
        arrays = [] if exclusive else [kept, kept[1:], kept.reshape(2, 2), kept.view(np.int32), kept.base]
    for array in (*arrays, kept, kept[1:], kept.base):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
    assert tensor.numpy().tolist() == [0, 0, 0, 0]


def test_moves() -> None:
    tensor = fh.arange(8).sync()
    left, right = tensor[:4], tensor[4:]
    owner = left.move()
    assert (tensor.state, left.state, right.state, owner.state) == ("moved", "moved", "owned", "owned")
    assert codes(tensor.numpy) == codes(left[1:].numpy) == codes(left.move) == ("O250",)
    assert right.numpy().tolist() == [4, 5, 6, 7]
    assert owner[1:].move().numpy().tolist() == [1, 2, 3]
    assert codes(owner.numpy) == ("O250",)
    numbers = fh.zeros(4).sync()
    numbers.move()
    assert codes(lambda: scale(fh.partition(numbers, 4), fh.zeros(4).sync(), 1.0).sync()) == ("O250",)


def test_memory_with_a_new_owner_is_told_of_as_moved() -> None:
    for others_first in (False, True):
        old = fh.zeros(4).sync()
        if others_first:  # so that a plan for such arrays is there
            scale(fh.partition(old, 4), fh.zeros(4).sync(), 1.0).sync()
        new = old.move()
        for y, x in ((new, old), (old, new)):
            assert codes(lambda y=y, x=x: scale(fh.partition(y, 4), x, 1.0).sync()) == ("O250",)
            with fh.graph() as graph:
                assert codes(lambda y=y, x=x: graph.record(scale(fh.partition(y, 4), x, 1.0))) == ("O250",)
    new.free()
    for y, x in ((new, old), (old, new)):
        assert codes(lambda y=y, x=x: scale(fh.partition(y, 4), x, 1.0).sync()) == ("O254",)


def test_freeing() -> None:
    tensor = fh.arange(8).sync()
    part = tensor[2:]
    tensor.free()
    assert tensor.state == part.state == "freed"
    assert codes(part.numpy) == codes(tensor.free) == codes(tensor.move) == ("O254",)


def test_memory_goes_when_the_last_view_does() -> None:
    gc.collect()
    before = len(storage._ALIVE)  # pyright: ignore[reportPrivateUsage] -- there is no public count
    tensor = fh.zeros(1000).sync()
    view = tensor[10:]
    del tensor
    assert view.numpy().sum() == 0
    assert len(storage._ALIVE) == before + 1  # pyright: ignore[reportPrivateUsage] -- as above
    del view
    gc.collect()
    assert len(storage._ALIVE) == before  # pyright: ignore[reportPrivateUsage] -- as above


def test_threads_write_one_after_the_other() -> None:
    tensor, one = fh.zeros(256).sync(), fh.ones(256).sync()

    @fh.kernel
    def add(y: fh.Mut["N"], x: fh.Ref["N"]):
        y.store(y.load() + x.load_like(y))

    def work() -> None:
        for _ in range(25):
            add(fh.partition(tensor, 256), one).sync()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tensor.numpy() == 100).all()


def test_what_is_shown() -> None:
    tensor = fh.zeros((2, 3), fh.bf16).sync()
    assert repr(tensor) == "<tensor (2, 3) of bf16 on the host>"
    assert repr(fh.zeros(2)) == "<`zeros`, not run>"
    owner = tensor.move()
    assert repr(tensor) == "<tensor (2, 3) of bf16 on the host, moved>"
    with owner.borrow():
        assert repr(owner) == "<tensor (2, 3) of bf16 on the host, lent>"
    assert repr(owner.storage) == "<storage of 12 bytes on the host>"


def test_a_tensor_is_walked_along_its_first_axis() -> None:
    x = fh.arange(6, device=fh.HOST).sync().reshape(3, 2)
    np.testing.assert_array_equal([row.numpy() for row in x], [[0, 1], [2, 3], [4, 5]])
    assert list(fh.zeros((0, 3), device=fh.HOST).sync()) == []
    with pytest.raises(TypeError, match="no length"):
        iter(fh.zeros((), device=fh.HOST).sync())


def test_memory_of_the_host_is_not_described_as_that_of_a_gpu() -> None:
    tensor = fh.zeros(4, fh.f32).sync()
    assert not hasattr(tensor, "__cuda_array_interface__")
    with pytest.raises(AttributeError, match="describes memory of GPUs, and this tensor is on the host"):
        _ = tensor.__cuda_array_interface__


def test_arrays_of_numpy_are_asked_for_in_a_dtype() -> None:
    tensor = fh.full(3, 2.5, fh.f32).sync()
    for dtype in (None, np.float32, np.float64, np.int32):
        found: Any = np.asarray(tensor, dtype)
        assert found.dtype == (dtype or np.float32)
        assert found.tolist() == [2 if dtype is np.int32 else 2.5] * 3


@pytest.mark.parametrize("size", [0, 1, 100])
def test_page_locked_memory_is_the_hosts_and_zero(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    said, back = list[Any](), list[Callable[[], object]]()
    memory: Any = np.full(size + 8, 7, np.uint8)

    def page_locked(count: int, device: int) -> int:
        said.append((count, device))
        return memory.ctypes.data

    monkeypatch.setattr(storage.transfers, "page_locked", page_locked)
    monkeypatch.setattr(storage.transfers, "unlock", lambda *given: said.append(given))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] -- a stand-in
    monkeypatch.setattr(storage, "later", back.append)
    found = storage.allocate_page_locked(size, 1)
    assert said == [(max(size, 1), 1)]
    assert (found.device, found.nbytes, found.address, found.foreign) == (fh.HOST, size, memory.ctypes.data, False)
    assert (found.space.device, found.space.low, found.space.high) == (1, found.address, found.address + size)
    assert memory.tolist() == [0] * size + [7] * 8
    storage._OWNERS.pop(id(found.owner), None)  # pyright: ignore[reportPrivateUsage] -- what a ledger does in the end
    found.owner = None
    gc.collect()
    (give_back,) = back
    give_back()
    assert said[1:] == [(memory.ctypes.data, 1)]


def test_a_fork_keeps_what_is_on_a_gpu_and_never_gives_it_back(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = list[object]()
    alive = [SimpleNamespace(device=device, owner=f"memory {device}") for device in (fh.HOST, 0, 1)]
    monkeypatch.setattr(storage, "_ALIVE", alive)
    monkeypatch.setattr(storage, "never_drop", kept.append)
    storage._forget()  # pyright: ignore[reportPrivateUsage] -- what is called in a fork
    assert kept == ["memory 0", "memory 1"]
    assert [each.owner for each in alive] == [f"memory {fh.HOST}", None, None]


def test_memory_that_was_moved_has_no_sole_user() -> None:
    tensor = fh.zeros(4, fh.f32).sync()
    tensor.space.settle()
    assert tensor.space.sole is host_timeline()  # it wrote the zeros
    tensor.move()
    assert tensor.space.sole is None
    assert [user for user, *_ in tensor.space.uses] == [host_timeline()]


@pytest.mark.parametrize("exclusive", [False, True])
def test_who_borrows_comes_after_what_is_in_flight(exclusive: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    joined, tensor = list[Any](), fh.zeros(4, fh.f32).sync()
    monkeypatch.setattr(tensor_module.ledger, "join", lambda *tensors, write: joined.append((tensors, write)))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] -- a stand-in
    with tensor.borrow_mut() if exclusive else tensor.borrow():
        assert joined == [(([tensor],), exclusive)]


@pytest.mark.parametrize(("seed", "same"), [(-1, 2**63 - 1), (2**63 + 5, 5), (2**64, 0), (-(2**63), 0)])
def test_a_seed_counts_by_its_lowest_bits(seed: int, same: int) -> None:
    def drawn(seed: int) -> list[float]:
        return fh.rand(4, seed=seed).sync().numpy().tolist()

    assert drawn(seed) == drawn(same)
    assert drawn(same) != drawn(same ^ 1)
    assert drawn(same) != drawn(same ^ 1 << 62)


@pytest.mark.parametrize("seed", ["7", 2.5, [1]])
def test_a_seed_is_an_integer(seed: Any) -> None:
    for name in ("rand", "randn"):
        with pytest.raises(fh.Rejected) as caught:
            getattr(fh, name)(4, seed=seed)
        assert f"freehold.{name}" in str(caught.value)
        assert "`seed` is an integer or None, not" in str(caught.value)
    three: Any = np.int64(3)
    assert fh.rand(4, seed=three).sync().numpy().tolist() == fh.rand(4, seed=3).sync().numpy().tolist()


def test_bytes_that_begin_anywhere_are_copied_before_they_are_read_otherwise() -> None:
    tensor = fh.zeros(16, fh.u8).sync()
    assert tensor[4:12].reinterpret(fh.f32).shape == (2,)
    for start in (1, 2, 3):
        with pytest.raises(fh.Rejected) as caught:
            tensor[start : start + 8].reinterpret(fh.f32)
        report = caught.value.errors[0].report()
        assert report.label == "it begins at an address that is no multiple of 4"
        assert report.helps == ("make a contiguous copy first: `.copy().sync()`",)


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        ((128, fh.i8), True), ((129, fh.i8), False), ((0, 128, 1, fh.i8), True), ((97, 130, 10, fh.i8), True),
        ((97, 137, 10, fh.i8), True), ((97, 138, 10, fh.i8), False), ((0, -129, -1, fh.i8), True),
        ((0, -130, -1, fh.i8), False), ((300, 200, 1, fh.i8), True), ((200, 300, -1, fh.i8), True),
        ((200, 200, 1, fh.i8), True),
    ],
)  # fmt: skip
def test_even_steps_fit_their_dtype_as_far_as_they_go(given: Any, fits: bool) -> None:
    """The last one that is made counts, and not where they would go on; none is made where the end is behind."""
    if fits:
        ours, numpys = cast(Any, fh.arange), cast(Any, np.arange)
        assert ours(*given).sync().numpy().tolist() == numpys(*given[:-1]).tolist()
        return
    with pytest.raises(fh.Rejected):
        fh.arange(*given)


def on_a_gpu(dtype: fh.DType, shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> fh.Tensor:
    """A tensor whose memory nobody looks at."""
    size = 4096 * dtype.itemsize
    memory = storage.Storage(1 << 20, size, 0, None)
    return fh.Tensor(memory, 1 << 20, shape, strides or contiguous(shape, dtype.itemsize), dtype)


@pytest.mark.parametrize("dtype", IN_MEMORY, ids=str)
def test_what_is_said_in_the_interface_of_cuda_arrays(dtype: fh.DType, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[Any] = []

    def ready(*said: Any) -> None:
        waited.append(said)

    def stream_of(device: int) -> str:
        return f"the stream of {device}"

    monkeypatch.setattr(tensor_module, "ready_on", ready)
    monkeypatch.setattr(tensor_module, "timeline", stream_of)
    tensor = on_a_gpu(dtype, (4, 6))
    if dtype.name in ("bf16", "f8e4m3fn", "f8e5m2", "f8e8m0fnu"):
        with pytest.raises(AttributeError, match=f"cannot describe elements of {dtype}"):
            _ = tensor.__cuda_array_interface__
        return
    said = tensor.__cuda_array_interface__
    wanted = np.zeros((4, 6), numpy_dtype(dtype.name)).__array_interface__
    assert (said["typestr"], said["shape"], said["strides"]) == (wanted["typestr"], (4, 6), None)
    assert (said["data"], said["version"], said["stream"]) == ((1 << 20, False), 3, 1)
    assert waited == [(tensor, "the stream of 0")]
    strides = (12 * dtype.itemsize, 2 * dtype.itemsize)
    assert on_a_gpu(dtype, (4, 6), strides).__cuda_array_interface__["strides"] == strides
    moved = tensor.move()
    assert moved.__cuda_array_interface__["data"] == said["data"]
    with pytest.raises(fh.Rejected) as caught:
        _ = tensor.__cuda_array_interface__
    assert caught.value.codes == ("O250",)


@pytest.mark.parametrize(
    ("shape", "elements", "tile"),
    [
        ((), 1024, ()), ((1,), 1024, (1,)), ((5,), 1024, (8,)), ((5000,), 1024, (1024,)), ((5000,), 64, (64,)),
        ((3, 5), 1024, (4, 8)), ((100, 100), 1024, (8, 128)), ((100, 4096), 1024, (1, 1024)),
        ((9, 2, 3, 65), 2048, (2, 2, 4, 128)), ((9, 7, 3, 65), 1024, (1, 2, 4, 128)),
    ],
)  # fmt: skip
def test_elements_that_a_tile_block_works_on_are_neighbours(
    shape: tuple[int, ...], elements: int, tile: tuple[int, ...]
) -> None:
    assert copying.cut(on_a_gpu(fh.f32, shape), elements).spec.tile == tile


@pytest.mark.parametrize("axes", [(), (0,), (1, 0), (2, 0, 1)])
def test_offsets_are_those_of_the_elements_in_order(axes: tuple[int, ...]) -> None:
    shape = (3, 2, 4)[: len(axes)]
    array: Any = np.arange(24, dtype=np.int32)[: int(np.prod(shape))].reshape(shape).transpose(axes)
    found = [*vars(copying)["_offsets"](array.shape, array.strides)]
    assert found == [4 * n for n in array.reshape(-1).tolist()]
