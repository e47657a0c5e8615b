"""
Faults: errors of the driver as errors of a program.

A fault is reported by whatever call of the driver comes next, and it ends the use of that GPU in this process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn

from freehold.runtime.base.call_site import CallSite
from freehold.runtime.errors.refusing import errors, reject
from freehold.runtime.gpu.flight import unfinished

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

_lost: Final[dict[int, errors.GpuLost]] = {}
"""By GPU: the first fault there."""


when_lost: Final[list[Callable[[int, str], object]]] = []
"""Called with a GPU and a sentence, once it is lost: who has memory there says so of it."""


def report(
    what: str,
    text: str,
    device: int,
    architecture: Callable[[int], str],
    memory_left: Callable[[], tuple[int, int] | None],
    cause: BaseException | None = None,
) -> NoReturn:
    """
    Raises `Rejected` for an error of the driver.

    O280 if it is a fault, after which a GPU is lost; O276 for code of another architecture, O277 where memory is short,
    or else O241. `what` is what was being done, `text` the error's name and what the driver says about it; `device` is
    the calling thread's GPU, and the functions are the driver's.
    """
    words = set(text.replace(":", " ").split())
    if words & {"CUDA_ERROR_NO_BINARY_FOR_GPU", "CUDA_ERROR_INVALID_IMAGE"}:
        reject(errors.ArchitectureWrong(None, what, device, architecture(device), text), cause)
    if "CUDA_ERROR_OUT_OF_MEMORY" in words:
        error = errors.OutOfMemory(None, what, device)
        left = memory_left()
        reject(error if left is None else error.add(error.Left(*left)), cause)
    if not words & FAULTS:
        reject(errors.DriverFailed(None, what, text), cause)
    lost = _lost.get(device)
    if lost is None:
        lost = _lost[device] = _fault(what, text, device)
        for tell in when_lost:
            tell(device, f"GPU {device} was lost to a fault: {text}")
    reject(lost, cause)


def _fault(what: str, text: str, device: int) -> errors.GpuLost:
    launches = unfinished()
    if not launches:
        error = errors.GpuLost(None, device, text, what)
        return error.add(error.Unknown())
    oldest = launches[0]
    error = errors.GpuLost(CallSite(oldest.code, oldest.instruction).span, device, text, what)
    error.add(error.Oldest(oldest.what))
    if len(launches) > 1:
        error.add(error.Others(len(launches) - 1))
    return error
