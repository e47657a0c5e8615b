"""The GPU that there is not: what its driver and torch say of it, and where tensors are put that are asked of it."""
# pyright: basic

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np
import pytest

from freehold.tools import pretend_gpu
from freehold.tools.pretend_gpu import lent, pretend
from freehold.tools.record import host_array

torch: Any = pytest.importorskip("torch", reason="torch is not installed")

ANSWERS = [
    ("cuDriverGetVersion", (), ctypes.c_int, 13050),
    ("cuDeviceGetCount", (), ctypes.c_int, 1),
    ("cuDeviceGet", (0,), ctypes.c_int, 0),
    ("cuDeviceGetAttribute", (75, 0), ctypes.c_int, 9),
    ("cuDeviceGetAttribute", (76, 0), ctypes.c_int, 2),
    ("cuDeviceGetAttribute", (16, 0), ctypes.c_int, 148),
    ("cuDeviceGetAttribute", (1, 0), ctypes.c_int, 1),
    ("cuCtxGetCurrent", (), ctypes.c_size_t, 1),
    ("cuPointerGetAttribute", (1, 0), ctypes.c_size_t, 1),
]


def function_of(arch: int, name: str) -> int:
    """The address of a function of the driver, looked up by name as a program does."""
    kinds = (ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p)
    place = ctypes.c_void_p.from_address(vars(pretend_gpu._driver(arch))["cuGetProcAddress_v2_ptrptr"])
    find = ctypes.CFUNCTYPE(ctypes.c_int, *kinds)(place.value or 0)
    function, status = ctypes.c_void_p(), ctypes.c_int(7)
    assert find(name.encode(), ctypes.addressof(function), 0, 0, ctypes.addressof(status)) == status.value == 0
    return function.value or 0


@pytest.mark.parametrize(("name", "given", "kind", "answer"), ANSWERS)
def test_what_the_driver_answers(name: str, given: tuple[int, ...], kind: Any, answer: int) -> None:
    out = kind(77)
    takes = (ctypes.c_void_p, *(ctypes.c_int if n < 2 or kind is ctypes.c_int else kind for n in range(len(given))))
    asked = ctypes.CFUNCTYPE(ctypes.c_int, *takes)(function_of(92, name))
    assert asked(ctypes.addressof(out), *given) == 0
    assert out.value == answer
    assert asked(None, *given) == 0


def test_what_torch_says_of_it() -> None:
    pytest.importorskip("cuda.tile", reason="cuda-tile is not installed")
    cuda, before = torch.cuda, torch.cuda.is_available()
    with pretend(arch=103):
        found = cuda.get_device_properties(0)
        assert (found.major, found.minor, found.multi_processor_count) == (10, 3, 148)
        assert (found.total_memory, found.L2_cache_size, found.max_threads_per_multi_processor) == (
            64 << 30, 64 << 20, 2048,
        )  # fmt: skip
        assert cuda.get_device_capability() == (10, 3)
        assert (cuda.is_available(), cuda.is_initialized(), cuda.device_count(), cuda.current_device()) == (
            True, True, 1, 0,
        )  # fmt: skip
        assert cuda.Event().elapsed_time(cuda.Event()) == 1.0
        assert cuda.current_stream() is cuda.default_stream()
        assert cuda.Stream().cuda_stream == 0
        with cuda.stream(cuda.Stream()):
            cuda.synchronize()
        assert torch.Generator("cuda").device.type == "cpu"
    assert torch.cuda.is_available() is before


def test_where_tensors_are_put() -> None:
    pytest.importorskip("cuda.tile", reason="cuda-tile is not installed")
    cuda = torch.device("cuda")
    with pretend():
        made = [
            torch.zeros(3, device="cuda"), torch.ones(3).cuda(), torch.ones(3).to("cuda:0"), torch.ones(3).to(cuda),
            torch.tensor([1.0], device=cuda), torch.as_tensor([1.0], device="cuda"), torch.arange(3, device="cpu"),
            torch.empty(2, device="cuda", pin_memory=True), torch.ones(3).to("cuda", torch.float16),
        ]  # fmt: skip
        assert all(tensor.is_cuda for tensor in made)
    assert {tensor.device.type for tensor in made} == {"cpu"}
    assert [tensor.dtype for tensor in made[-2:]] == [torch.float32, torch.float16]
    assert not made[0].is_cuda


class Two(NamedTuple):
    array: Any
    rest: Any


def test_arrays_pretend_to_be_of_a_gpu() -> None:
    x, t = np.arange(3.0), torch.arange(3.0, requires_grad=True)
    found = lent(Two(x, [t, (x, 2)]))
    assert type(found) is Two
    assert type(found.rest) is list
    assert type(found.rest[1]) is tuple
    assert found.rest[1][1] == 2
    for array in (found.array, found.rest[0], found.rest[1][0]):
        assert array.__dlpack_device__() == (2, 0)


@pytest.mark.parametrize(
    "name", ["bool", "uint8", "int32", "float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2"]
)
def test_tensors_are_seen_where_they_lie(name: str) -> None:
    whole = torch.tensor([[0, 1, 1], [1, 0, 1]]).to(getattr(torch, name))
    for tensor in (whole, whole.T, whole[:, 1:], whole[::2], whole[1], whole[1, 2]):
        seen = host_array(tensor)
        assert seen.shape == tuple(tensor.shape)
        assert np.array_equal(seen.astype(np.float32), tensor.float().numpy())
    host_array(whole.T)[2, 0] = 0
    assert float(whole[0, 2]) == 0.0
    assert host_array(whole[:0]).shape == (0, 3)


@pytest.mark.parametrize("arch", [100, 92, 120])
def test_architectures_of_one_process_are_told_apart(arch: int) -> None:
    for each in (80, arch):
        out, takes = ctypes.c_int(77), (ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
        asked = ctypes.CFUNCTYPE(ctypes.c_int, *takes)(function_of(each, "cuDeviceGetAttribute"))
        assert asked(ctypes.addressof(out), 75, 0) == 0
        assert out.value == each // 10
