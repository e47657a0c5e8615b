"""
What goes wrong while nobody looks: faults in kernels, forked processes, the end of the interpreter.

A fault is reported by whatever call of the driver comes next, and it ends the use of that GPU in this process. To say
which launch it was, the launches that may be running are remembered.
"""

from __future__ import annotations

import atexit
import ctypes
import os
from collections import deque
from functools import cache
from time import monotonic, sleep
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

if TYPE_CHECKING:
    from freehold.runtime.errors import GpuLost
    from freehold.runtime.failures import Entry, Log


class Trace(NamedTuple):
    """A launch that may be running. Holds nothing that a collection of garbage has to look at: there are thousands."""

    stream: int
    """The identity of its stream."""
    what: str
    """What it is, in an error's words."""
    code: CodeType | None
    instruction: int
    """Where it was described."""


trail: Final[deque[tuple[int, str, CodeType | None, int]]] = deque(maxlen=4096)
"""Launches as `Trace`s, in order; without code where all before it on that stream was seen to be done."""

logs: Final[dict[int, list[Log]]] = {}
"""Where checks that fail in kernels are written down (`runtime.failures`), by handle of a stream, and each GPU's. Empty
as long as no kernel that checks anything was launched."""

fresh: Final[list[Entry]] = []
"""Launches of such kernels of which nobody has said yet how they are waited for."""

FAULTS: Final = frozenset(
    (
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "CUDA_ERROR_LAUNCH_TIMEOUT",
        "CUDA_ERROR_ASSERT",
        "CUDA_ERROR_HARDWARE_STACK_ERROR",
        "CUDA_ERROR_ILLEGAL_INSTRUCTION",
        "CUDA_ERROR_MISALIGNED_ADDRESS",
        "CUDA_ERROR_INVALID_ADDRESS_SPACE",
        "CUDA_ERROR_INVALID_PC",
        "CUDA_ERROR_LAUNCH_FAILED",
        "CUDA_ERROR_ECC_UNCORRECTABLE",
        "CUDA_ERROR_CONTAINED",
    )
)
"""Errors after which a context takes no more work (CUDA Driver API, `CUresult`)."""

PATIENCE: Final = 2.0
"""Seconds that the end of the interpreter waits for work in flight."""

_lost: Final[dict[int, GpuLost]] = {}
"""By GPU: the first fault there."""


def passed(stream: Any) -> None:
    """Says that all on a stream was seen to be done. Raises `Rejected` (O233 to O235) if a check failed in a kernel."""
    if trail:
        trail.append((id(stream), "", None, 0))
    if logs:
        from freehold.runtime import failures

        failures.look(int(stream.handle))


def unfinished() -> list[Trace]:
    """The launches that are not known to be done, the oldest first. Only so many are remembered."""
    found: list[Trace] = []
    for entry in map(Trace._make, list(trail)):
        if entry.code is None:
            found = [earlier for earlier in found if earlier.stream != entry.stream]
        else:
            found.append(entry)
    return found


def report(what: str, text: str, cause: BaseException | None = None) -> NoReturn:
    """
    Raises `Rejected` for an error of the driver.

    O280 if it is a fault, after which a GPU is lost; O276 for code of another architecture, O277 where memory is short,
    or else O241. `what` is what was being done, `text` the error's name and what the driver says about it. The GPU is
    the calling thread's.
    """
    from freehold.runtime import driver, storage
    from freehold.runtime.errors import ArchitectureWrong, DriverFailed, OutOfMemory
    from freehold.support.diagnostic import Rejected

    words = set(text.replace(":", " ").split())
    device = driver.current_device()
    if words & {"CUDA_ERROR_NO_BINARY_FOR_GPU", "CUDA_ERROR_INVALID_IMAGE"}:
        raise Rejected([ArchitectureWrong(None, what, device, driver.architecture(device), text)]) from cause
    if "CUDA_ERROR_OUT_OF_MEMORY" in words:
        error = OutOfMemory(None, what, device)
        left = driver.memory_left()
        raise Rejected([error if left is None else error.add(error.Left(*left))]) from cause
    if not words & FAULTS:
        raise Rejected([DriverFailed(None, what, text)]) from cause
    lost = _lost.get(device)
    if lost is None:
        lost = _lost[device] = _fault(what, text, device)
        storage.lose(device, f"GPU {device} was lost to a fault: {text}")
    raise Rejected([lost]) from cause


def _fault(what: str, text: str, device: int) -> GpuLost:
    from freehold.runtime.call_site import CallSite
    from freehold.runtime.errors import GpuLost

    launches = unfinished()
    if not launches:
        error = GpuLost(None, device, text, what)
        return error.add(error.Unknown())
    oldest = launches[0]
    error = GpuLost(CallSite(oldest.code, oldest.instruction).span, device, text, what)
    error.add(error.Oldest(oldest.what))
    if len(launches) > 1:
        error.add(error.Others(len(launches) - 1))
    return error


# --- The life of the process ------------------------------------------------------------------------------------------


@cache
def watch() -> None:
    """Once the driver is in use: looks out for forks and for the end of the interpreter."""
    from freehold.runtime import driver

    os.register_at_fork(after_in_child=driver.forget)
    atexit.register(_end)


def _end() -> None:
    """Waits a little for work in flight. What is not done then is never taken down: it may still use its memory."""
    from freehold.runtime import streams

    deadline = monotonic() + PATIENCE
    while (left := streams.unfinished()) and monotonic() < deadline:
        sleep(1e-3)
    for kept in left:
        ctypes.PYFUNCTYPE(None, ctypes.py_object)(("Py_IncRef", ctypes.pythonapi))(kept)
