"""
What goes wrong while nobody looks: faults in kernels, forked processes, the end of the interpreter.

A fault is reported by whatever call of the driver comes next, and it ends the use of that GPU in this process.
"""

from __future__ import annotations

import atexit
import os
from functools import cache
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final, NoReturn

from freehold.runtime.timeline import never_drop, still_kept, unfinished

if TYPE_CHECKING:
    from freehold.runtime.errors import GpuLost
    from freehold.runtime.failures import Entry, Log


logs: Final[list[Log]] = []
"""Where checks that fail in kernels are written down (`runtime.failures`), of all streams. Empty as long as no kernel
that checks anything was launched."""

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
    deadline = monotonic() + PATIENCE
    while (left := still_kept()) and monotonic() < deadline:
        sleep(1e-3)
    for kept in left:
        never_drop(kept)
