"""A GPU that there is not: what makes programs on torch and cuTile Python run as far as their launches.

`pretend` gives cuTile Python a driver that answers for one GPU and does nothing, and puts torch's tensors into the
host's memory wherever a program asks for `cuda`. Nothing computes: what takes a launch (`tools.record`) may carry it
out on the interpreter. What needs more of a GPU than that, such as capturing a graph, fails as it does without one.
"""

# pyright: basic
# The types of what is put in the place of others' code are theirs.

from __future__ import annotations

import ctypes
import importlib
import sys
import types
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from typing import Any, Final, cast
from unittest.mock import patch

DRIVER: Final = 13050
"""The version of the driver that is pretended."""
_MAJOR, _MINOR, _MULTIPROCESSORS = 75, 76, 16  # numbers of CUdevice_attribute
_DLPACK: Final = b"dltensor"
_ON_GPU: Final = 2  # DLPack's number of CUDA
_FOUND: Final[dict[tuple[str, int], Any]] = {}
"""The functions that were handed out, by name and architecture: they must live as long as the process."""


def _answer(address: int | None, value: int, kind: Any = ctypes.c_int) -> int:
    if address:
        kind.from_address(address).value = value
    return 0


def _function(name: str, arch: int) -> Any:
    """What a program gets for a function of the driver: success, and an answer where the answer matters."""
    pointer, number = ctypes.c_void_p, ctypes.c_int
    attributes = {_MAJOR: arch // 10, _MINOR: arch % 10, _MULTIPROCESSORS: 148}
    answers: dict[str, Any] = {
        "cuDriverGetVersion": ((pointer,), lambda out: _answer(out, DRIVER)),
        "cuDeviceGetCount": ((pointer,), lambda out: _answer(out, 1)),
        "cuDeviceGet": ((pointer, number), lambda out, _: _answer(out, 0)),
        "cuDeviceGetAttribute": (
            (pointer, number, number),
            lambda out, attribute, _: _answer(out, attributes.get(attribute, 1)),
        ),
        "cuCtxGetCurrent": ((pointer,), lambda out: _answer(out, 1, ctypes.c_size_t)),
        "cuPointerGetAttribute": (
            (pointer, number, ctypes.c_size_t),
            lambda out, _, __: _answer(out, 1, ctypes.c_size_t),
        ),
    }
    takes, does = answers.get(name, ((), lambda: 0))
    return ctypes.CFUNCTYPE(number, *takes)(does)


def _driver(arch: int) -> types.ModuleType:
    """A module in the place of the one through which cuTile Python finds the driver."""

    def find(name: bytes, out: int, version: int, flags: int, status: int | None) -> int:
        del version, flags
        text = name.decode()
        found = _FOUND.setdefault((text, arch), _function(text, arch))
        _answer(status, 0)
        return _answer(out, ctypes.cast(found, ctypes.c_void_p).value or 0, ctypes.c_size_t)

    kinds = (ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p)
    getter = _FOUND.setdefault(("", arch), ctypes.CFUNCTYPE(ctypes.c_int, *kinds)(find))
    module = types.ModuleType("cuda.tile._load_libcuda")
    vars(module)["cuGetProcAddress_v2_ptrptr"] = ctypes.addressof(getter)
    return module


def _elsewhere(value: object) -> object:
    """The host in place of a GPU, wherever in an argument a device is named."""
    kind = type(value)
    if kind is str:
        return "cpu" if str(value) == "cuda" or str(value).startswith("cuda:") else value
    if kind.__name__ == "device" and getattr(value, "type", "") == "cuda":
        return cast("Any", kind)("cpu")
    return value


def _torch_patches(arch: int) -> Iterator[Any]:
    """What is put in the place of parts of `torch.cuda`, which must have been imported."""
    torch = cast("Any", sys.modules["torch"])

    class Stream:
        """A stream on which nothing runs."""

        cuda_stream = 0
        device = torch.device("cpu")
        synchronize = wait_stream = wait_event = _nothing

        def __init__(self, *_: object, **__: object):
            pass

    stream = Stream()
    properties = types.SimpleNamespace(
        name="none", major=arch // 10, minor=arch % 10, multi_processor_count=148, total_memory=1 << 36,
        L2_cache_size=1 << 26, max_threads_per_multi_processor=2048,
    )  # fmt: skip
    event = types.SimpleNamespace(record=_nothing, synchronize=_nothing, elapsed_time=lambda *_: 1.0, wait=_nothing)
    parts: dict[str, Any] = {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "current_stream": lambda *_, **__: stream,
        "default_stream": lambda *_, **__: stream,
        "Stream": Stream,
        "stream": lambda *_, **__: nullcontext(),
        "Event": lambda *_, **__: event,
        "get_device_capability": lambda *_: (arch // 10, arch % 10),
        "get_device_properties": lambda *_: properties,
        "get_device_name": lambda *_: "none",
    }
    for name in ("set_device", "synchronize", "empty_cache", "manual_seed", "manual_seed_all"):
        parts[name] = partial(_nothing)  # each a function of its own, by which torch.compile tells them apart
    for name, part in parts.items():
        yield patch.object(torch.cuda, name, part)

    class Generator(torch.Generator):
        """A generator of the host's, whichever device is asked for."""

        def __new__(cls, device: Any = "cpu") -> Any:
            return super().__new__(cls, _elsewhere(device))

    yield patch.object(torch, "Generator", Generator)


def _nothing(*_: object, **__: object) -> None:
    """Does nothing, as there is nothing to wait for."""


def _torch_mode() -> Any:
    """A mode of torch in which functions that are asked for a GPU take the host."""
    overrides = cast("Any", __import__("torch.overrides", fromlist=["TorchFunctionMode"]))
    torch = cast("Any", sys.modules["torch"])

    class Elsewhere(overrides.TorchFunctionMode):
        """Sends what is asked of a GPU to the host."""

        def __torch_function__(
            self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            del types
            given = kwargs or {}
            if func is torch.Tensor.cuda:
                return args[0]
            if getattr(func, "__self__", None) is torch.Tensor.is_cuda:
                return True
            if func in (torch.Tensor.to, torch.asarray, torch.tensor, torch.as_tensor) or "device" in given:
                args = tuple(_elsewhere(each) for each in args)
                given = {name: _elsewhere(each) for name, each in given.items()}
            given.pop("pin_memory", None)
            return func(*args, **given)

    return Elsewhere()


class _AsOnGpu:
    """An array of the host that says of itself that it is a GPU's, which is all that cuTile Python asks of it."""

    def __init__(self, value: Any):
        self.value = value

    def __dlpack_device__(self) -> tuple[int, int]:
        return _ON_GPU, 0

    def __dlpack__(self, **_: object) -> object:
        capsule = self.value.__dlpack__()
        api = ctypes.pythonapi.PyCapsule_GetPointer
        api.restype, api.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        device = cast("int", api(capsule, _DLPACK)) + ctypes.sizeof(ctypes.c_void_p)
        ctypes.c_int32.from_address(device).value = _ON_GPU
        return capsule


def _is_array(value: object) -> bool:
    return hasattr(value, "__dlpack__") or hasattr(value, "__cuda_array_interface__")


def lent(value: Any) -> Any:
    """An argument as cuTile Python takes it: arrays of the host pretend to be a GPU's."""
    if _is_array(value):
        on_host = getattr(getattr(value, "device", None), "type", "cpu") in ("cpu", "c")
        detached = value.detach() if hasattr(value, "detach") else value
        return _AsOnGpu(detached) if on_host and hasattr(value, "__dlpack__") else value
    if isinstance(value, list | tuple):
        found = [lent(each) for each in cast("Sequence[Any]", value)]
        if hasattr(value, "_fields"):
            return cast("Any", type(value))(*found)
        return cast("Any", type(value))(found)
    return value


def _tile_patches() -> Iterator[Any]:
    """What is put in the place of parts of cuTile Python: its driver, and how it looks at arguments."""
    signature: Any = importlib.import_module("cuda.tile.compilation._signature")
    look = signature.get_parameter_constraints_from_pyargs

    def look_at(kernel: Any, arguments: tuple[Any, ...], convention: Any) -> Any:
        return look(kernel, tuple(lent(each) for each in arguments), convention)

    yield patch.object(signature, "get_parameter_constraints_from_pyargs", look_at)


@contextmanager
def pretend(arch: int = 100) -> Generator[None]:
    """
    While this block runs, cuTile Python and torch (where it was imported) find a GPU of compute capability
    `arch / 10`.
    """
    with ExitStack() as stack:
        stack.enter_context(patch.dict(sys.modules, {"cuda.tile._load_libcuda": _driver(arch)}))
        for each in _tile_patches():
            stack.enter_context(each)
        if "torch" in sys.modules:
            for each in _torch_patches(arch):
                stack.enter_context(each)
            stack.enter_context(_torch_mode())
        yield
