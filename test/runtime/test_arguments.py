"""Arrays of many libraries, as kernels see them."""

from __future__ import annotations

import subprocess
import sys
import warnings
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import freehold as fh
from freehold.runtime.launch.host import array_of
from freehold.runtime.memory import arguments as module
from freehold.runtime.memory.arguments import HOST, ArrayView, UnknownDType, Unreadable, view
from freehold.support import dtypes


class Interface:
    """What follows `__cuda_array_interface__` and nothing else."""

    def __init__(self, **changes: Any):
        self.__cuda_array_interface__ = {
            "version": 3, "data": (1 << 20, False), "shape": (4, 6), "strides": None, "typestr": "<f4", **changes,
        }  # fmt: skip


class OnlyDlpack:
    """What follows DLPack and nothing else."""

    def __init__(self, array: Any, device: tuple[int, int] | None = None):
        self.array = array
        self.device = device

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device or self.array.__dlpack_device__()


@pytest.mark.parametrize("dtype", [d for d in dtypes.ALL if d.storage_bits], ids=str)
def test_numpy_dtypes(dtype: dtypes.DType) -> None:
    from freehold.runtime.memory.numpy_types import numpy_dtype

    array = np.zeros((3, 8), numpy_dtype(dtype.name))
    found = view(array)
    assert (found.dtype, found.shape, found.device) == (dtype, (3, 8), HOST)
    assert found.element_strides == (8, 1)
    assert found.pointer == array.ctypes.data
    assert found.size == array.nbytes


def test_slices_keep_their_place() -> None:
    whole = np.arange(240, dtype=np.float32).reshape(4, 6, 10)
    part = whole[1:, ::2, 3:8]
    found = view(part)
    assert found.pointer == whole.ctypes.data + 4 * (60 + 3)
    assert found.element_strides == (60, 20, 1)
    assert found.size == 4 * (2 * 60 + 2 * 20 + 4 + 1)


def test_the_stride_of_one_element_means_nothing() -> None:
    base = np.zeros((1, 4, 1, 8), np.float32)
    odd = np.lib.stride_tricks.as_strided(base, strides=(12345, 32, 0, 4))
    assert view(odd).element_strides == view(base).element_strides == (32, 8, 8, 1)
    assert view(np.zeros((), np.float32)).element_strides == ()


def specified(array: Any) -> tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    spec = view(array).spec(None)
    return spec.align, spec.strides, spec.stride_divs, spec.extent_divs


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.float64])
def test_strides_and_extents_are_said_to_be_divisible_where_they_are(dtype: Any) -> None:
    unit = 16 // np.dtype(dtype).itemsize
    for extent in range(2, 4 * unit + 1):
        said = 1 if extent % unit else unit
        assert specified(np.zeros((6, extent), dtype))[1:] == ((0, 1), (said, 1), (1, said))


def test_what_kernels_are_specialised_to() -> None:
    def at(address: int, shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> Interface:
        return Interface(data=(address, False), shape=shape, strides=strides)

    assert specified(at(4096, (8, 64))) == (16, (0, 1), (4, 1), (1, 4))
    assert specified(at(4096 + 8, (8, 64))) == (8, (0, 1), (4, 1), (1, 4))
    assert specified(at(4096 + 4, (8, 63))) == (4, (0, 1), (1, 1), (1, 1))
    assert specified(at(4096, (8, 64), (4, 32))) == (16, (1, 0), (1, 4), (4, 1))
    assert specified(at(4096, (8, 64), (0, 4))) == (16, (0, 1), (1, 1), (1, 4))  # of nothing is 0 said to be a multiple
    assert specified(at(4096, (8, 62), (256, 4))) == (16, (0, 1), (4, 1), (1, 1))


def test_cuda_array_interface() -> None:
    found = view(Interface(strides=(48, 8), typestr="<i2", stream=7))
    assert (found.dtype, found.shape, found.element_strides) == (dtypes.i16, (4, 6), (24, 4))
    assert (found.device, found.stream, found.read_only) == (0, 7, None)
    assert view(Interface(typestr="|b1")).dtype == dtypes.bool_
    assert view(Interface(data=(256, True))).read_only is not None
    for typestr in (">f4", "<c8", "<V2", "<M8"):
        with pytest.raises(UnknownDType):
            view(Interface(typestr=typestr))
    with pytest.raises(Unreadable, match="masked"):
        view(Interface(mask=object()))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"shape": (4.0, 6)}, "cannot be read"),
        ({"shape": (-4, 6)}, "its shape is"),
        ({"shape": 4}, "cannot be read"),
        ({"data": (0, False)}, "its address is 0"),
        ({"data": (0, False), "shape": (4, 1)}, "its address is 0"),
        ({"data": (-64, False)}, "its address is -64"),
        ({"data": (1 << 64, False)}, "its address is 18446744073709551616"),
        ({"data": (None, False)}, "cannot be read"),
        ({"data": (1.5, False)}, "cannot be read"),
        ({"data": (256,)}, "cannot be read"),
        ({"strides": ()}, "its strides are"),
        ({"strides": (4,)}, "its strides are"),
        ({"stream": "default"}, "cannot be read"),
    ],
)
def test_interfaces_that_describe_no_array(change: dict[str, Any], why: str) -> None:
    with pytest.raises(Unreadable) as caught:
        view(Interface(**change))
    assert why in caught.value.why


def test_any_address_is_one_and_without_elements_none_is_needed() -> None:
    for address in (1, (1 << 64) - 1):
        assert view(Interface(data=(address, False), shape=(1, 1))).pointer == address
    assert view(Interface(data=(0, False), shape=(4, 0))).pointer == 0


def test_interfaces_that_say_too_little() -> None:
    for missing in ("data", "shape", "typestr"):
        array = Interface()
        del array.__cuda_array_interface__[missing]
        with pytest.raises(Unreadable) as caught:
            view(array)
        assert missing in caught.value.why
    for typestr in ("<f3", "<f", "f", "", None, "<fx"):
        with pytest.raises(UnknownDType):
            view(Interface(typestr=typestr))


def _lie(_: object) -> tuple[int, ...]:
    return (1000,)


LIES: dict[str, Any] = {"shape": property(_lie), "stride": _lie}
"""Attributes of a subclass whose objects say that they are larger than they are."""


def test_attributes_of_subclasses_are_not_asked() -> None:
    numpy_kind: Any = type("Liar", (np.ndarray,), LIES)
    array = np.zeros(8, np.float32).view(numpy_kind)
    assert array.shape == (1000,)
    assert (view(array).shape, array_of(view(array)).shape) == ((8,), (8,))
    torch: Any = pytest.importorskip("torch")
    tensor = torch.zeros(2, 4).as_subclass(type("Liar", (torch.Tensor,), LIES))
    assert tensor.shape == (1000,)
    assert (view(tensor).shape, view(tensor).element_strides) == ((2, 4), (4, 1))
    assert view(torch.nn.Parameter(torch.zeros(3))).read_only is not None


def test_an_array_is_what_it_was_when_it_was_read() -> None:
    array = np.zeros(8, np.float32)
    found = view(array)
    array.resize((2, 4), refcheck=False)
    assert array_of(found).shape == (8,)


def test_dlpack_on_the_host() -> None:
    array = np.arange(12, dtype=np.int64).reshape(3, 4)
    found = view(OnlyDlpack(array))
    assert (found.dtype, found.shape, found.device, found.pointer) == (dtypes.i64, (3, 4), HOST, array.ctypes.data)
    with pytest.raises(Unreadable, match="no NVIDIA GPU"):
        view(OnlyDlpack(array, (8, 0)))


@pytest.mark.parametrize("value", [None, 3, 2.5, "text", [1.0], (1, 2), {"a": 1}, object()])
def test_what_is_no_array(value: object) -> None:
    with pytest.raises(Unreadable):
        view(value)


def test_memory_of_others_as_numpy_arrays() -> None:
    base = np.arange(24, dtype=np.float32).astype(ml_dtypes.bfloat16).reshape(4, 6)
    part = base[:, 1::2]
    seen = ArrayView(part, part.ctypes.data, part.shape, part.strides, dtypes.bf16, HOST, "other")
    same = array_of(seen)
    assert same.dtype == base.dtype
    assert np.array_equal(same, part)
    same[...] = 0
    assert not part.any()
    assert base[:, 0].tolist() == [0, 6, 12, 18]


def test_without_a_gpu_to_device_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    from freehold.runtime.gpu import driver

    monkeypatch.setattr(driver, "gpu_available", lambda: False)
    array: Any = np.arange(6, dtype=np.float32).reshape(2, 3)
    copy = fh.to_device(array.T)
    assert copy.device == fh.HOST
    assert np.array_equal(copy.numpy(), array.T)
    with copy.borrow() as inside:
        assert not np.shares_memory(inside, array)
    back: Any = fh.to_numpy(array)
    assert np.array_equal(back, array)
    assert not np.shares_memory(back, array)


def test_torch_on_the_host() -> None:
    torch: Any = pytest.importorskip("torch")
    tensor = torch.arange(24, dtype=torch.bfloat16).reshape(4, 6)[:, ::2]
    found = view(tensor)
    assert (found.dtype, found.shape, found.device) == (dtypes.bf16, (4, 3), HOST)
    assert found.element_strides == (6, 2)
    assert array_of(found).astype(np.float32).tolist() == tensor.float().tolist()
    assert tensor.get_device() == fh.HOST == -1  # as torch numbers it
    with torch.no_grad():
        assert view(torch.zeros(3, requires_grad=True)).read_only is None
    assert view(torch.zeros(3, requires_grad=True)).read_only is not None
    with pytest.raises(UnknownDType):
        view(torch.zeros(3, dtype=torch.complex64))
    negated = torch.zeros(2, dtype=torch.cfloat).conj().imag
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nested tensors are a prototype, says torch
        nested = torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)])
    for refused, why in (
        (torch.zeros(3).to_sparse(), "its layout is torch.sparse_coo: pass a dense tensor"),
        (torch.zeros(3, device="meta"), "it is on meta, where tensors have no elements"),
        (negated, "its elements are negated when they are read: pass `resolve_neg()` of it"),
        (nested, "it is a nested tensor: pass its values and offsets as two tensors"),
    ):
        with pytest.raises(Unreadable) as caught:
            view(refused)
        assert caught.value.why == why


def test_a_tensor_that_torch_transforms_has_no_memory() -> None:
    torch: Any = pytest.importorskip("torch")

    def read(tensor: Any) -> Any:
        view(tensor)
        return tensor.sum()

    def summed(tensor: Any) -> Any:
        return read(tensor).sum()

    for transformed in (torch.vmap(read), torch.func.grad(summed)):
        with pytest.raises(Unreadable, match="register_vmap"):
            transformed(torch.zeros(2, 3))


def test_reading_arguments_imports_no_library() -> None:
    program = (
        "import sys, freehold as fh\n"
        "from freehold.runtime.memory.arguments import Unreadable, view\n"
        "try: view([1])\n"
        "except Unreadable: pass\n"
        "fh.partition([1], 4)\n"
        "print([m for m in ('numpy', 'torch', 'cupy', 'jax', 'cuda', 'xdsl') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_interface_that_raises_is_no_array() -> None:
    class Broken:
        @property
        def __cuda_array_interface__(self) -> Any:
            raise KeyError("gone")

    with pytest.raises(Unreadable, match="its `__cuda_array_interface__` raises KeyError"):
        view(Broken())


@fh.kernel
def scaled(y: fh.Mut["N"], a: fh.f32):
    y.store(y.load() * a)


def test_an_integer_may_be_too_large_for_a_float() -> None:
    y = np.ones(4, np.float32)
    with pytest.raises(fh.Rejected, match=r"must be a number that `f32` holds .*, not an int"):
        scaled(fh.partition(y, 4), 10**400).sync()
    assert (y == 1).all()


@pytest.mark.parametrize(("strides", "wanted"), [(None, (16, 4)), ((1, 3), (4, 12)), ((8, 1), (32, 4))])
@pytest.mark.parametrize("locked", [False, True])
def test_dlpack_on_a_gpu(strides: Any, wanted: tuple[int, ...], locked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its strides are told in elements, and where it has none it is contiguous."""
    seen = SimpleNamespace(dtype=np.dtype(np.float32), shape=(3, 4), strides=strides, readonly=locked, ptr=4096)
    monkeypatch.setattr(module.driver, "strided", lambda array, device: seen)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] -- a stand-in
    found = view(OnlyDlpack(np.zeros(1, np.float32), (2, 1)))
    assert (found.pointer, found.shape, found.strides, found.device) == (4096, (3, 4), wanted, 1)
    assert found.dtype == dtypes.f32
    assert (found.read_only is not None) == locked
    seen.dtype = None
    with pytest.raises(UnknownDType, match="a type that NumPy does not have"):
        view(OnlyDlpack(np.zeros(1, np.float32), (2, 1)))


@pytest.mark.parametrize("error", [BufferError, TypeError, NotImplementedError])
def test_what_another_library_says_is_handed_on(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def strided(array: Any, device: int) -> Any:
        raise error("it is busy")

    monkeypatch.setattr(module.driver, "strided", strided)
    with pytest.raises(Unreadable, match="its library says: it is busy"):
        view(OnlyDlpack(np.zeros(1, np.float32), (2, 1)))
