"""Memory of GPUs: allocated, copied and filled; and how long such work takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from freehold.runtime.gpu.driver import (
    api,
    checked,
    context,
    cuda_core,
    doing,
    handle_of,
    of_core,
    on_device,
    refused,
    require_gpu,
    stream,
)


def page_locked(size: int, device: int) -> int:
    """The address of bytes in the host's memory that every GPU can access. Nobody else gives them back."""
    with on_device(device):
        portable = api().CU_MEMHOSTALLOC_PORTABLE | api().CU_MEMHOSTALLOC_DEVICEMAP
        _, address = checked("allocating page-locked memory", api().cuMemHostAlloc(size, portable))
    return int(address)


def unlock(address: int, device: int) -> None:
    """Gives back what `page_locked` allocated, on which no work is in flight."""
    with on_device(device):
        checked("giving page-locked memory back", api().cuMemFreeHost(address))


def allocate(size: int, device: int, on: Any = None) -> Any:
    """A buffer of cuda.core in a GPU's memory, of at least one byte, usable on a stream (the default one) at once."""
    require_gpu()
    with on_device(device), doing(f"allocating {size} bytes on GPU {device}"):
        return cuda_core().Device(device).allocate(max(size, 1), stream=of_core(on or stream(0, device)))


def copy(target: int, source: int, size: int, on: Any) -> None:
    """Enqueues a copy of bytes on a stream, between any two of the host and GPUs. Memory of the host has to stay."""
    if size:
        checked("copying", api().cuMemcpyAsync(target, source, size, handle_of(on)))


def copy_between(target: int, to: int, source: int, come_from: int, size: int, on: Any) -> None:
    """As `copy`, from one GPU's memory to another's: directly where they reach each other, and else by the host."""
    _open_pool(come_from, to)
    _open_pool(to, come_from)
    ends = (target, context(to), source, context(come_from))
    checked("copying between GPUs", api().cuMemcpyPeerAsync(*ends, size, handle_of(on)))


@cache
def _open_pool(owner: int, user: int) -> None:
    """Lets a GPU reach what is allocated on another one, if the machine can."""
    device = cuda_core().Device(user)
    with doing(f"letting GPU {user} reach the memory of GPU {owner}"), on_device(owner):
        if device.can_access_peer(owner):
            cuda_core().Device(owner).memory_resource.peer_accessible_by.add(user)


def fill(pointer: int, pattern: int, width: int, count: int, on: Any) -> None:
    """Enqueues the filling of memory with `count` elements of `width` bytes (1, 2, 4 or 8) with the bits `pattern`."""
    if not count:
        return
    bindings, handle = api(), handle_of(on)
    if width == 8:  # the driver fills with 32 bits at most: first one half of each element, then the other
        for half in (0, 1):
            bits = pattern >> (32 * half) & 0xFFFFFFFF
            checked("filling memory", bindings.cuMemsetD2D32Async(pointer + 4 * half, 8, bits, 1, count, handle))
    else:
        enqueue = getattr(bindings, f"cuMemsetD{8 * width}Async")
        checked("filling memory", enqueue(pointer, pattern, count, handle))


def copy_to_device(pointer: int, host: int, size: int, device: int) -> None:
    """Copies bytes from the host's memory, and waits for it."""
    _copy("copying to the GPU", "cuMemcpyHtoD", pointer, host, size, device)


def copy_to_host(host: int, pointer: int, size: int, device: int) -> None:
    """Copies bytes to the host's memory, after the work on the default stream, and waits for it."""
    _copy("copying from the GPU", "cuMemcpyDtoH", host, pointer, size, device)


def _copy(what: str, function: str, target: int, source: int, size: int, device: int) -> None:
    if size == 0:
        return
    bindings = api()
    with on_device(device):
        (error,) = getattr(bindings, function)(target, source, size)
    if error:
        refused(what, error)


def seconds(stream: Any, work: Callable[[], object]) -> float:
    """How long a stream takes for what `work` enqueues on it, by its GPU's own clock."""
    options = cuda_core().EventOptions(timing_enabled=True)
    with doing("timing"):
        began = stream.record(options=options)
        work()
        ended = stream.record(options=options)
        ended.sync()
        return (ended - began) / 1e3
