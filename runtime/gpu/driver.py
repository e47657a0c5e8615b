"""The GPU, by way of cuda-python: devices, streams, memory, loaded kernels, launches. No other file imports it."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections import defaultdict
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from threading import local
from time import perf_counter
from typing import Any, Final, NoReturn

from freehold.runtime.base import native
from freehold.runtime.errors.refusing import errors, refuse, reject
from freehold.runtime.gpu import faults
from freehold.runtime.gpu.flight import never_drop
from freehold.support.locks import mutex

_FAILURES: Final = ("CUDAError", "NVRTCError", "DynamicLibNotFoundError")
"""Classes of exceptions for errors of the driver. cuda.core does not export them before 1.3."""


_IMPORTING: Final = mutex()

forked = False
"""Whether this process was forked from one that used the driver, which it cannot use itself."""


@cache
def cuda_core() -> Any:
    """The package `cuda.core`. One thread imports it: others would meet what it puts in its own place meanwhile."""
    _require_own()
    with _IMPORTING:
        from cuda import core

        return core


@cache
def api() -> Any:
    """The driver's functions."""
    _require_own()
    import cuda.bindings.driver

    return cuda.bindings.driver  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType] -- it has no stubs


def _require_own() -> None:
    """Raises `Rejected` (O281) in a process that was forked from one that used the driver."""
    if forked:
        refuse(errors.Forked)


def forget() -> None:
    """In a forked process: what the driver knew is of no use, and never dropped: that calls it. Who asks is told so."""
    global forked
    forked = True
    gc.freeze()  # nor is what was garbage before
    for asked in (cuda_core, api, parts):
        asked.cache_clear()
    for known in (*streams.values(), _handles, _owners):
        never_drop([known.popitem() for _ in range(len(known))])


def is_of_driver(error: Exception) -> bool:
    """Whether an exception from cuda-python is the driver's."""
    return type(error).__name__ in _FAILURES


def failed(what: str, error: Exception) -> NoReturn:
    """Raises the `Rejected` of an exception from cuda-python, or that exception if it is not the driver's."""
    if not is_of_driver(error):
        raise error
    report(what, " ".join(str(error).split()), error)


def report(what: str, text: str, cause: BaseException | None = None) -> NoReturn:
    """Raises the `Rejected` of an error of the driver on the calling thread's GPU (`runtime.gpu.faults`)."""
    faults.report(what, text, current_device(), architecture, memory_left, cause)


@contextmanager
def doing(what: str) -> Generator[None]:
    """Inside, what the driver refuses is a `Rejected` (O241); `what` is what is being done."""
    try:
        yield
    except Exception as e:
        failed(what, e)


# --- Devices ----------------------------------------------------------------------------------------------------------


@cache
def _problem() -> str | None:
    """Why no GPU can be used, or None if one can."""
    try:
        core = cuda_core()
    except ImportError as e:
        return f"cuda-python is not installed ({e})"
    try:
        devices = core.Device.get_all_devices()
    except Exception as e:
        if isinstance(e, RuntimeError) or is_of_driver(e):
            return f"the NVIDIA driver cannot be used ({' '.join(str(e).split())[:200]})"
        raise
    if not devices:
        return "the NVIDIA driver reports no device"
    os.register_at_fork(after_in_child=forget)
    return None


def gpu_available() -> bool:
    """Whether kernels can run on a GPU here. The first call loads the driver."""
    return _problem() is None


def require_gpu(remedy: str = "pass arrays in the host's memory, which the interpreter takes") -> None:
    """Raises `Rejected` (O240) where no GPU can be used."""
    problem = _problem()
    if problem is not None:
        reject(errors.NoGpu(None, problem, remedy))


@cache
def architecture(device: int) -> str:
    """The assembler's name for a GPU: `sm_90`."""
    with doing(f"asking GPU {device} for its architecture"):
        return f"sm_{cuda_core().Device(device).arch}"


@cache
def device_name(device: int) -> str:
    """What a GPU is called: `NVIDIA H200`."""
    return str(cuda_core().Device(device).name)


def device_count() -> int:
    """How many GPUs there are. None where a driver is installed that may show none (`CUDA_VISIBLE_DEVICES=`)."""
    if _problem() is not None:
        return 0
    with doing("counting GPUs"):
        return len(cuda_core().Device.get_all_devices())


@cache
def multiprocessors(device: int) -> int:
    """How many multiprocessors a GPU has."""
    with doing(f"asking GPU {device} for its size"):
        return int(cuda_core().Device(device).properties.multiprocessor_count)


def _has_context() -> bool:
    """Whether the calling thread has a context. Asked without an error where it has none, which tools would report."""
    error, context = api().cuCtxGetCurrent()
    return not error and int(context) != 0


def _device_of_context() -> int | None:
    """The GPU of the calling thread's context; None where it has none."""
    if not _has_context():
        return None
    error, device = api().cuCtxGetDevice()
    return None if error else int(device)


def current_device() -> int:
    """The GPU of the calling thread's context; 0 where there is none yet."""
    return _device_of_context() or 0


class _Entered(local):
    def __init__(self) -> None:
        self.devices: set[int] = set()


_entered: Final = _Entered()
"""By thread: the GPUs that cuda.core was told of there, without which it does nothing."""


@contextmanager
def on_device(device: int) -> Generator[None]:
    """
    Makes a GPU current for the calling thread, and afterwards whatever was before: also a context of part of a GPU.

    A thread that had none keeps it, and what is current for that GPU already stays.
    """
    bindings = api()
    error, before = bindings.cuCtxGetCurrent()
    alone = bool(error) or int(before) == 0
    if alone or device not in _entered.devices:
        cuda_core().Device(device).set_current()
        _entered.devices.add(device)
        if not alone:
            checked("making a GPU current", bindings.cuCtxSetCurrent(before))
    if alone or _device_of_context() == device:
        yield
        return
    checked("making a GPU current", bindings.cuCtxPushCurrent(context(device)))
    try:
        yield
    finally:
        bindings.cuCtxPopCurrent()


@cache
def context(device: int) -> Any:
    """A GPU's context: the one that all libraries share. It lives as long as the process."""
    return checked("asking for a context", api().cuDevicePrimaryCtxRetain(device))[1]


def memory_left(device: int | None = None) -> tuple[int, int] | None:
    """
    The bytes that are free on a GPU, or on the calling thread's, and all it has; None where the driver does not say, or
    there is no GPU.
    """
    if not gpu_available():
        return None
    with nullcontext() if device is None else on_device(device):
        error, free, total = api().cuMemGetInfo()
    return None if error else (int(free), int(total))


def synchronize(device: int) -> None:
    """Waits for all work on a GPU, of whatever library and stream. Raises `Rejected` (O241)."""
    with on_device(device):
        (error,) = api().cuCtxSynchronize()
    if error:
        refused("waiting for the GPU", error)


def device_of(pointer: int) -> int:
    """The number of the GPU whose memory an address is; 0 where the driver does not know or is not there."""
    if _problem() is not None:
        return 0
    bindings = api()
    error, device = bindings.cuPointerGetAttribute(
        bindings.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer
    )
    return 0 if error else int(device)


def strided(array: Any, device: int) -> Any:
    """An array on a GPU by DLPack, as cuda.core describes it; ordered before what comes next on the default stream."""
    require_gpu()
    with on_device(device):
        return cuda_core().utils.StridedMemoryView.from_dlpack(array, stream_ptr=int(stream(0, device).handle))


# --- Streams ----------------------------------------------------------------------------------------------------------

streams: Final[defaultdict[int, dict[int, Any]]] = defaultdict(dict)
"""Streams of cuda.core by GPU and handle, as `stream` made them."""


_owners: Final[dict[tuple[int, int], Any]] = {}
"""Other libraries' objects for streams, by GPU and handle. A stream whose handle is known here is not destroyed: events
may be recorded on it long after its last launch, and a handle that was used again would be taken for the old one."""


def stream(handle: int, device: int, owner: Any = None) -> Any:
    """A stream of cuda.core for a driver handle; 0 is the default stream. `owner` keeps it, where its library lets go
    of streams; a handle alone has to stay valid as long as the process uses the GPU."""
    found = streams[device].get(handle)
    if found is None:
        core = cuda_core()
        with doing("wrapping a stream"), on_device(device):
            found = core.Device(device).default_stream if handle in (0, 1) else core.Stream.from_handle(handle)
        _owners[device, handle] = _of_cupy(handle) if owner is None else owner
        found = streams[device][handle] = _homed(found, device)
    return found


class HomedStream:
    """
    A stream of cuda.core that makes its GPU the current one where that matters, for processes with several GPUs.

    The driver takes a default stream for that of the current GPU, and makes events for the current one.
    """

    __slots__ = ("_device", "handle", "inner")

    def __init__(self, stream: Any, device: int):
        self.inner = stream
        self._device = device
        self.handle = stream.handle

    def sync(self) -> None:
        """Waits until the stream is empty."""
        with on_device(self._device):
            self.inner.sync()

    def wait(self, other: Any) -> None:
        """Has what is enqueued from here on wait for an event, or for what is on another stream."""
        if isinstance(other, HomedStream):
            other = other.record()
        with on_device(self._device):
            self.inner.wait(other)

    def record(self, event: Any = None, options: Any = None) -> Any:
        """An event that is done when what is on the stream is."""
        with on_device(self._device):
            return self.inner.record(event) if event is not None else self.inner.record(options=options)

    @property
    def device(self) -> Any:
        """The GPU, as cuda.core's object."""
        return cuda_core().Device(self._device)

    def __cuda_stream__(self) -> tuple[int, int]:
        """cuda.core's protocol of streams: its version, and the handle."""
        return 0, int(self.handle)

    def __repr__(self) -> str:
        return f"<stream {int(self.handle):#x} of GPU {self._device}>"


def _homed(stream: Any, device: int) -> Any:
    return HomedStream(stream, device) if device_count() > 1 else stream


def of_core(stream: Any) -> Any:
    """A stream as cuda.core's own functions take it."""
    return stream.inner if isinstance(stream, HomedStream) else stream


def _of_cupy(handle: int) -> Any:
    """CuPy's current stream, if that is the one: CuPy destroys streams when nobody holds them."""
    cupy: Any = sys.modules.get("cupy")
    current = cupy.cuda.get_current_stream() if cupy is not None and handle not in (0, 1) else None
    return current if current is not None and current.ptr == handle else None


def stream_of(given: Any, device: int) -> Any:
    """The stream that a user names: an integer handle, an object of cuda.core, torch or CuPy. Raises `TypeError`."""
    if isinstance(given, int):
        return stream(given, device)
    if isinstance(given, cuda_core().Stream | HomedStream):
        handle = int(given.handle)
        _owners.setdefault((device, handle), given)
        found = streams[device].get(handle)
        if found is None:
            found = given if isinstance(given, HomedStream) else _homed(given, device)
            found = streams[device].setdefault(handle, found)
        return found
    for attribute in ("cuda_stream", "ptr"):  # torch, CuPy
        handle = getattr(given, attribute, None)
        if isinstance(handle, int):
            return stream(handle, device, given)
    if hasattr(given, "__cuda_stream__"):
        return stream(int(given.__cuda_stream__()[1]), device, given)
    raise TypeError(f"{type(given).__name__} is no CUDA stream")


def current_handle(family: str, device: int) -> int:
    """The handle of the current stream of a library (`torch`, `cupy`), or 0, the default stream."""
    if family not in ("torch", "cupy"):
        return 0
    found = current_of(family)(device)
    return int(found if family == "torch" else found.ptr)


def current_of(family: str) -> Any:
    """The function that yields a library's current stream on a GPU: torch's handle, CuPy's object."""
    if family == "torch":
        torch: Any = sys.modules["torch"]
        return torch._C._cuda_getCurrentRawStream
    return sys.modules["cupy"].cuda.get_current_stream


def order_after(later: Any, earlier: int, device: int) -> None:
    """Makes a stream wait for what is in another one (a handle) now."""
    other = stream(earlier, device)
    if other is not later:
        with doing("ordering streams"), on_device(device):
            later.wait(other)


_handles: Final[dict[int, tuple[int, Any]]] = {}
"""Handles of streams, with the streams, by identity. They are kept: there are few, and no other is taken for one."""


def handle_of(stream: Any) -> int:
    """The handle of a stream, which cuda.core takes a microsecond to say."""
    found = _handles.get(id(stream))
    if found is None:
        found = _handles[id(stream)] = int(stream.handle), stream
    return found[0]


def record(stream: Any) -> Any:
    """An event that is done when all that is on a stream now is."""
    with doing("recording an event"):
        return stream.record()


def wait(stream: Any, what: str) -> None:
    """Waits until a stream is empty. `what` is what runs there, for errors. Raises `Rejected` (O241, O280)."""
    try:
        stream.sync()
    except Exception as e:
        failed(what, e)


def new_stream(device: int) -> Any:
    """A stream of ours, which no other library's default stream waits for."""
    core = cuda_core()
    with doing("making a stream"), on_device(device):
        made = _homed(core.Device(device).create_stream(), device)
    streams[device][int(made.handle)] = made
    return made


# --- Events -----------------------------------------------------------------------------------------------------------


def record_again(stream: Any, event: Any, blocking: bool = False) -> Any:
    """
    As `record`, with an event that was recorded there before, if one is given.

    `blocking` makes it one that threads wait for without using the processor; looking whether such a one is done takes
    longer.
    """
    try:
        if event is not None:
            return stream.record(event)
        return stream.record(options=cuda_core().EventOptions(blocking_sync=blocking))
    except Exception as e:
        failed("recording an event", e)


def is_done(event: Any) -> bool:
    """Whether the work before an event is done. Of a GPU that is lost, nothing is."""
    try:
        return event.is_done
    except Exception as e:
        if not is_of_driver(e):
            raise
        return False


def exchange_capture_mode(mode: Any = None) -> Any:
    """
    Sets how the calling thread meets captures of others, and returns how it did before; None is that it ends none.

    By default, and torch leaves it at that, a capture counts it as an error if any thread asks for an event.
    """
    return api().cuThreadExchangeStreamCaptureMode(relaxed() if mode is None else mode)[1]


class _Unseen(local):
    depth = 0

    def __call__(self) -> AbstractContextManager[None]:
        return self

    def __enter__(self) -> None:
        if not self.depth:
            self.before = exchange_capture_mode()
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1
        if not self.depth:
            exchange_capture_mode(self.before)


unseen: Final = _Unseen()
"""`with unseen():` what is asked of the driver inside ends no capture of anybody's."""


def becomes_empty(stream: Any, seconds: float) -> bool:
    """
    Whether a stream of ours, which nobody else captures, is empty within so many seconds, looking again and again. Of a
    GPU that is lost, none is.
    """
    if not native.thread.new and (asked := _asked_natively()) is not None:
        return asked(handle_of(stream), int(1e9 * seconds))
    until = perf_counter() + seconds
    query = api().cuStreamQuery
    with unseen():
        while query(handle_of(stream))[0]:
            if perf_counter() > until:
                return False
    return True


@cache
def _asked_natively() -> Any:
    """The native module's `becomes_empty`; None without it."""
    known = native.module()
    return known and known.asking(_address(b"cuStreamQuery"), _address(b"cuThreadExchangeStreamCaptureMode"))


@cache
def relaxed() -> Any:
    """The mode of a capture that nothing else in the process ends."""
    return api().CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED


def enter_waiter(stream: Any) -> None:
    """Makes the calling thread one that waits for events of a stream, and does nothing else."""
    on = stream.device
    on.set_current()
    exchange_capture_mode()


# --- Graphs -----------------------------------------------------------------------------------------------------------


def is_capturing(stream: Any) -> bool:
    """Whether a graph is being captured on a stream, by whomever."""
    return captures(handle_of(stream))


def disturbs_a_capture(stream: Any) -> bool:
    """As `is_capturing`; of the legacy stream also while a stream that waits for it is captured. A GPU is current."""
    error, status = api().cuStreamIsCapturing(handle_of(stream))
    return error == api().CUresult.CUDA_ERROR_STREAM_CAPTURE_IMPLICIT or (not error and int(status) != 0)


_DEFAULT_STREAMS: Final = frozenset((0, 1, 2))
"""Handles that mean the legacy stream, or the one of a thread."""


def captures(handle: int) -> bool:
    """As `is_capturing`, of a stream's handle."""
    if handle in _DEFAULT_STREAMS and not _has_context():
        return False
    error, status = api().cuStreamIsCapturing(handle)
    return not error and int(status) != 0


def checked(what: str, answer: tuple[Any, ...]) -> tuple[Any, ...]:
    """The answer of a driver's function that did what it should. Raises `Rejected` (O241)."""
    if answer[0]:
        refused(what, answer[0])
    return answer


# --- Kernels ----------------------------------------------------------------------------------------------------------


def parameter_block(data: bytearray, offsets: Sequence[int]) -> tuple[bytearray, int, Any]:
    """Memory with the parameters of a launch: itself, the address of the list of their addresses, and its keeper."""
    memory = (ctypes.c_char * len(data)).from_buffer(data)
    start = ctypes.addressof(memory)
    pointers = (ctypes.c_void_p * max(1, len(offsets)))(*[start + offset for offset in offsets])
    return data, ctypes.addressof(pointers), (memory, pointers)


@cache
def parts() -> tuple[Any, Any]:
    """
    What a launch is made of: `launch(launch_config, kernel, address, 0)` of the driver, which enqueues a kernel on the
    calling thread's current GPU and whose first result is an error or 0, and what yields that GPU as its second one.

    `address` is that of a `parameter_block`. `launch_failed` takes the error, or True instead of it where
    `native.thread.new`.
    """
    return api().cuLaunchKernelEx, api().cuCtxGetDevice


@cache
def addresses() -> tuple[int, int, int]:
    """Of the driver's functions `cuLaunchKernel`, `cuCtxGetDevice` and `cuStreamIsCapturing`, for native code."""
    return _address(b"cuLaunchKernel"), _address(b"cuCtxGetDevice"), _address(b"cuStreamIsCapturing")


def pointer_attribute() -> int:
    """The same of `cuPointerGetAttribute`."""
    return _address(b"cuPointerGetAttribute")


def _address(name: bytes) -> int:
    bindings = api()
    flags = bindings.CUdriverProcAddress_flags.CU_GET_PROC_ADDRESS_DEFAULT
    return int(checked("loading the driver", bindings.cuGetProcAddress(name, 12000, flags))[1])


def launch_failed(error: Any, device: int, config: Any, kernel: int, address: int) -> None:
    """Enqueues a kernel with its GPU current, if it was not (`error` is True, or says so). Raises `Rejected`."""
    bindings = api()
    if error is True or int(error) in (201, 709):  # no context is current, or one that was destroyed
        with doing("a launch"), on_device(device):
            (error,) = bindings.cuLaunchKernelEx(config, kernel, address, 0)
        native.enter_thread()
    if error:
        refused("a launch", error)


def refused(what: str, error: Any) -> NoReturn:
    """Raises the `Rejected` (O241) of an error of the driver."""
    _, text = api().cuGetErrorString(error)
    shown = error.name if text is None else f"{error.name}: {text.decode(errors='replace')}"
    report(what, shown)
