"""The GPU, by way of cuda-python: devices, streams, memory, loaded kernels, launches. No other file imports it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, NoReturn

from freehold.runtime.arguments import ArrayView, UnknownDType, Unreadable, contiguous
from freehold.support.dtypes import from_name

_FAILURES: Final = ("CUDAError", "NVRTCError", "DynamicLibNotFoundError")
"""Classes of exceptions for errors of the driver. cuda.core does not export them before 1.3."""


@cache
def _core() -> Any:
    from cuda import core

    return core


@cache
def _bindings() -> Any:
    import cuda.bindings.driver

    return cuda.bindings.driver  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType] -- it has no stubs


def failed(what: str, error: Exception) -> NoReturn:
    """Raises the `Rejected` of an exception from cuda-python, or that exception if it is not the driver's."""
    if type(error).__name__ not in _FAILURES:
        raise error
    from freehold.runtime.errors import DriverFailed
    from freehold.support.diagnostic import Rejected

    text = " ".join(str(error).split())
    raise Rejected([DriverFailed(None, what, text)]) from error


@contextmanager
def _doing(what: str) -> Generator[None]:
    try:
        yield
    except Exception as e:
        failed(what, e)


# --- Devices ----------------------------------------------------------------------------------------------------------


@cache
def _problem() -> str | None:
    """Why no GPU can be used, or None if one can."""
    try:
        core = _core()
    except ImportError as e:
        return f"cuda-python is not installed ({e})"
    try:
        devices = core.Device.get_all_devices()
    except Exception as e:
        if isinstance(e, RuntimeError) or type(e).__name__ in _FAILURES:
            return f"the NVIDIA driver cannot be used ({' '.join(str(e).split())[:200]})"
        raise
    return None if devices else "the NVIDIA driver reports no device"


def gpu_available() -> bool:
    """Whether kernels can run on a GPU here. The first call loads the driver."""
    return _problem() is None


def require_gpu(remedy: str = "pass arrays in the host's memory, which the interpreter takes") -> None:
    """Raises `Rejected` (O240) where no GPU can be used."""
    problem = _problem()
    if problem is not None:
        from freehold.runtime.errors import NoGpu
        from freehold.support.diagnostic import Rejected

        raise Rejected([NoGpu(None, problem, remedy)])


@cache
def architecture(device: int) -> str:
    """The assembler's name for a GPU: `sm_90`."""
    with _doing(f"asking GPU {device} for its architecture"):
        return f"sm_{_core().Device(device).arch}"


@cache
def multiprocessors(device: int) -> int:
    """How many multiprocessors a GPU has."""
    with _doing(f"asking GPU {device} for its size"):
        return int(_core().Device(device).properties.multiprocessor_count)


def current_device() -> int:
    """The GPU of the calling thread's context; 0 where there is none yet."""
    error, device = _bindings().cuCtxGetDevice()
    return 0 if error else int(device)


@contextmanager
def on_device(device: int) -> Generator[None]:
    """Makes a GPU current for the calling thread, and afterwards the one that was before."""
    core = _core()
    error, before = _bindings().cuCtxGetDevice()
    core.Device(device).set_current()
    try:
        yield
    finally:
        if not error:
            core.Device(int(before)).set_current()


def device_of(pointer: int) -> int:
    """The number of the GPU whose memory an address is; 0 where the driver does not know or is not there."""
    if _problem() is not None:
        return 0
    bindings = _bindings()
    error, device = bindings.cuPointerGetAttribute(
        bindings.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer
    )
    return 0 if error else int(device)


def dlpack_view(array: Any, device: int, read_only: tuple[str, str] | None) -> ArrayView:
    """Reads an array on a GPU by DLPack, ordered before what is launched next on the default stream."""
    require_gpu()
    with on_device(device):
        try:
            found = _core().utils.StridedMemoryView.from_dlpack(array, stream_ptr=int(stream(0, device).handle))
        except (BufferError, TypeError, NotImplementedError) as e:
            raise Unreadable(f"its library says: {e}") from e
    if found.dtype is None:
        raise UnknownDType("a type that NumPy does not have")
    dtype = from_name(found.dtype.name)
    if dtype is None:
        raise UnknownDType(found.dtype.name)
    shape = tuple(found.shape)
    if found.strides is None:
        strides = contiguous(shape, dtype.itemsize)
    else:
        strides = tuple(s * dtype.itemsize for s in found.strides)
    if found.readonly and read_only is None:
        read_only = ("it is read-only", "pass an array that may be written")
    return ArrayView(found, int(found.ptr), shape, strides, dtype, device, "", read_only)


# --- Streams ----------------------------------------------------------------------------------------------------------

streams: Final[defaultdict[int, dict[int, Any]]] = defaultdict(dict)
"""Streams of cuda.core by GPU and handle, as `stream` made them."""


def stream(handle: int, device: int) -> Any:
    """A stream of cuda.core for a driver handle; 0 is the default stream. It is not owned."""
    found = streams[device].get(handle)
    if found is None:
        core = _core()
        with _doing("wrapping a stream"), on_device(device):
            found = core.Device(device).default_stream if handle in (0, 1) else core.Stream.from_handle(handle)
        streams[device][handle] = found
    return found


def stream_of(given: Any, device: int) -> Any:
    """The stream that a user names: an integer handle, an object of cuda.core, torch or CuPy. Raises `TypeError`."""
    if isinstance(given, int):
        return stream(given, device)
    if isinstance(given, _core().Stream):
        return given
    for attribute in ("cuda_stream", "ptr"):  # torch, CuPy
        handle = getattr(given, attribute, None)
        if isinstance(handle, int):
            return stream(handle, device)
    if hasattr(given, "__cuda_stream__"):
        return stream(int(given.__cuda_stream__()[1]), device)
    raise TypeError(f"{type(given).__name__} is no CUDA stream")


def current_handle(family: str, device: int) -> int:
    """The handle of the current stream of a library (`torch`, `cupy`), or 0, the default stream."""
    import sys

    if family == "torch":
        torch: Any = sys.modules["torch"]
        return int(torch._C._cuda_getCurrentRawStream(device))
    if family == "cupy":
        cupy: Any = sys.modules["cupy"]
        return int(cupy.cuda.get_current_stream(device).ptr)
    return 0


def order_after(later: Any, earlier: int, device: int) -> None:
    """Makes a stream wait for what is in another one (a handle) now."""
    other = stream(earlier, device)
    if other is not later:
        with _doing("ordering streams"), on_device(device):
            later.wait(other)


def record(stream: Any) -> Any:
    """An event that is done when all that is on a stream now is."""
    with _doing("recording an event"):
        return stream.record()


def wait(stream: Any, what: str) -> None:
    """Waits until a stream is empty. `what` is what runs there, for errors. Raises `Rejected` (O241)."""
    try:
        stream.sync()
    except Exception as e:
        failed(what, e)


# --- Kernels ----------------------------------------------------------------------------------------------------------


def load(cubin: bytes, symbol: str, device: int) -> Any:
    """The kernel of a cubin, loaded for a GPU. It stays loaded for the life of the process once it was launched."""
    core = _core()
    with _doing(f"loading kernel `{symbol}`"), on_device(device):
        return core.ObjectCode.from_cubin(cubin, name=symbol).get_kernel(symbol)


@cache
def config(blocks: int) -> Any:
    """The launch configuration for so many tile blocks. A tile block is one thread as far as a launch can tell."""
    return _core().LaunchConfig(grid=(blocks, 1, 1), block=(1, 1, 1))


def parts() -> tuple[Any, Any]:
    """
    What a launch is made of: `launch(stream, config, kernel, *arguments)` of cuda.core, which enqueues a kernel on the
    calling thread's current GPU, and a function whose second result is that GPU, or None.

    Arguments are addresses (`int`) and NumPy scalars. `launch_on` is for when another GPU is current.
    """
    return _core().launch, _bindings().cuCtxGetDevice


def launch_on(device: int, stream: Any, config: Any, kernel: Any, *arguments: Any) -> None:
    """Enqueues a kernel on a GPU, whichever is the current one, which it leaves as it is."""
    with _doing("a launch"), on_device(device):
        _core().launch(stream, config, kernel, *arguments)


# --- Memory -----------------------------------------------------------------------------------------------------------


def allocate(size: int, device: int) -> Any:
    """A buffer of cuda.core in a GPU's memory, of at least one byte."""
    require_gpu()
    with _doing(f"allocating {size} bytes on GPU {device}"), on_device(device):
        return _core().Device(device).allocate(max(size, 1), stream=stream(0, device))


def copy_to_device(pointer: int, host: int, size: int, device: int) -> None:
    """Copies bytes from the host's memory, and waits for it."""
    _copy("copying to the GPU", "cuMemcpyHtoD", pointer, host, size, device)


def copy_to_host(host: int, pointer: int, size: int, device: int) -> None:
    """Copies bytes to the host's memory, after the work on the default stream, and waits for it."""
    _copy("copying from the GPU", "cuMemcpyDtoH", host, pointer, size, device)


def _copy(what: str, function: str, target: int, source: int, size: int, device: int) -> None:
    if size == 0:
        return
    bindings = _bindings()
    with on_device(device):
        (error,) = getattr(bindings, function)(target, source, size)
    if error:
        from freehold.runtime.errors import DriverFailed
        from freehold.support.diagnostic import Rejected

        raise Rejected([DriverFailed(None, what, error.name)])
