"""Kernels on a GPU: loaded from code of any maker, and the shapes of their launches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from freehold.runtime.gpu.driver import api, checked, cuda_core, doing, multiprocessors, of_core, on_device

_FREE_SHARED: Final = 48 << 10
"""Bytes of dynamic shared memory that a kernel may have without having been allowed more."""

_PORTABLE_CLUSTER: Final = 8
"""Blocks that a cluster has on every GPU with clusters; for more a kernel has to be allowed."""

_allowed: Final[dict[tuple[int, int], int]] = {}
"""Bytes that kernels were allowed, by handle and GPU: never less than a launch before has asked for."""


def load(code: bytes, symbol: str, device: int) -> Any:
    """
    The kernel of a cubin, or of PTX, which the driver compiles, loaded for a GPU. It stays loaded for the life of the
    process once it was launched. Raises `Rejected` (O241, O276).
    """
    core = cuda_core()
    with on_device(device), doing(f"loading kernel `{symbol}`"):
        of = core.ObjectCode.from_cubin if code[:4] == b"\x7fELF" else core.ObjectCode.from_ptx
        return of(code, name=symbol).get_kernel(symbol)


@cache
def config(x: int, y: int = 1, z: int = 1) -> Any:
    """The launch configuration for a grid of tile blocks. A tile block is one thread as far as a launch can tell."""
    return cuda_core().LaunchConfig(grid=(x, y, z), block=(1, 1, 1))


def launch_config(blocks: int, handle: int, shape: Sequence[int] = (), *, early: bool = False) -> Any:
    """
    As `config` for so many blocks, or for the shape of foreign code (`Geometry.shape`), for the driver itself and for
    one stream. Nobody may change it. What is `early` may begin while the kernel in front of it on the stream ends.
    """
    bindings = api()
    made = bindings.CUlaunchConfig()
    x, y, z, u, v, w, *cluster, shared = shape or (blocks, 1, 1, 1, 1, 1, 1, 1, 1, 0)
    made.gridDimX, made.gridDimY, made.gridDimZ = x, y, z
    made.blockDimX, made.blockDimY, made.blockDimZ = u, v, w
    made.sharedMemBytes = shared
    made.hStream = bindings.CUstream(handle)
    kinds, attributes = bindings.CUlaunchAttributeID, list[Any]()
    if any(n > 1 for n in cluster):
        attributes.append(bindings.CUlaunchAttribute())
        attributes[-1].id = kinds.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        of = attributes[-1].value.clusterDim
        of.x, of.y, of.z = cluster
    if early:
        attributes.append(bindings.CUlaunchAttribute())
        attributes[-1].id = kinds.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
        attributes[-1].value.programmaticStreamSerializationAllowed = 1
    if attributes:
        made.attrs, made.numAttrs = attributes, len(attributes)
    return made


def allow_shared(kernel: Any, size: int, device: int) -> None:
    """Allows a loaded kernel so many bytes of dynamic shared memory, where it needs to be. Raises `Rejected` (O241)."""
    key = int(kernel.handle), device
    if size <= max(_FREE_SHARED, _allowed.get(key, 0)):
        return
    bindings = api()
    which = bindings.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    answer = bindings.cuKernelSetAttribute(which, size, kernel.handle, bindings.CUdevice(device))
    checked(f"allowing a kernel {size} bytes of shared memory", answer)
    _allowed[key] = size


def allow_clusters(kernel: Any, device: int, size: int) -> None:
    """Allows a loaded kernel clusters of so many blocks, where it needs to be. Raises `Rejected` (O241)."""
    if size <= _PORTABLE_CLUSTER:
        return
    bindings = api()
    which = bindings.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
    answer = bindings.cuKernelSetAttribute(which, 1, kernel.handle, bindings.CUdevice(device))
    checked("allowing a kernel clusters of more than 8 blocks", answer)


def at_once(kernel: Any, device: int, occupancy: int, ctas: int) -> int:
    """
    How many tile blocks of a loaded kernel a GPU is meant to run at once, with so many on a multiprocessor; of such as
    are clusters of `ctas` no more than do run.
    """
    most = max(1, multiprocessors(device) * occupancy // ctas)
    return min(most, (clusters_at_once(kernel, device) if ctas > 1 else None) or most)


def clusters_at_once(kernel: Any, device: int) -> int | None:
    """
    How many clusters of a loaded kernel's own size a GPU runs at once; None where the driver does not say.

    They are fewer than its multiprocessors would hold one by one: a cluster runs within a group of multiprocessors, and
    groups differ in size. An H200 of 132 runs 30 clusters of four blocks that fill a multiprocessor each.
    """
    bindings = api()
    with on_device(device):
        error, function = bindings.cuKernelGetFunction(kernel.handle)
        if not error:
            error, count = bindings.cuOccupancyMaxActiveClusters(function, launch_config(multiprocessors(device), 0))
            return None if error else count or None
    return None


def launch_on(device: int, stream: Any, config: Any, kernel: Any, *arguments: Any) -> None:
    """Enqueues a kernel on a GPU, whichever is the current one, which it leaves as it is."""
    with doing("a launch"), on_device(device):
        cuda_core().launch(of_core(stream), config, kernel, *arguments)
