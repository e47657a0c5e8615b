"""
Launchers of the native module (`runtime/native_launch.c`): what they are told of kernels, plans and other libraries.

A launcher knows plans by what arguments look like, of whatever libraries they are. All that it does is done by Python,
too (`runtime.launch.launch`): it is faster, and it leaves alone whatever is unusual.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import count
from typing import Any, Final

from freehold.frontend.signature import ConstSpec, KernelSignature
from freehold.runtime.base import native
from freehold.runtime.base.locks import lock
from freehold.runtime.gpu import checked, driver
from freehold.runtime.gpu.timeline import MOST_KEPT, let_go, timeline, timelines
from freehold.runtime.launch.partition import Partition
from freehold.runtime.launch.plan import WRONG, Plan
from freehold.runtime.memory.arguments import ALIGNMENT, ArrayView, is_self_describing, quick_family
from freehold.runtime.memory.ledger import lease
from freehold.runtime.memory.scalars import is_plain
from freehold.runtime.memory.storage import Outside, foreign_space
from freehold.runtime.memory.versions import changed
from freehold.runtime.variants.entry import in_native_code
from freehold.support.contract import ScalarParameter, TensorParameter

UNDONE: Final = object()
"""What `run` of a launcher or a bound launch returns that did nothing."""

_NONE, _OWN, _TORCH, _CUPY, _FOREIGN, _CUT = 0, 1, 2, 4, 8, 16
"""Whose the arrays of a class are, as `runtime/native_read.h` calls them."""

_CONSTANTS: Final[dict[ConstSpec, int]] = {}
_NEXT: Final = count()


def launcher(signature: KernelSignature, what: str) -> Any:
    """
    A kernel's launcher, which knows no plans yet; None without the native module, or where it takes too many arguments.

    `read(arguments, execution)` launches and returns the timeline, or does nothing and returns None; so does `run`
    with launches that are a part of others, and returns their value or `UNDONE`.
    """
    if len(signature.parameters) > native.MOST or not ready():
        return None
    modes = "".join("t" if p.is_tensor else p.mode[0] for p in signature.parameters)
    outputs = tuple(n for n, p in enumerate(signature.parameters) if p.is_tensor and p.mode != "ref")
    return native.module().Launcher(modes, outputs, what)


def learn(
    made: Any, arguments: tuple[Any, ...], signature: KernelSignature, plan: Plan, views: Sequence[ArrayView]
) -> None:
    """Tells a launcher the plan for what looks like these arguments, as they were read when it was made."""
    if made.knows(arguments):
        return
    given = zip(signature.parameters, arguments, strict=True)
    scalars: list[type] = [a.__class__ for p, a in given if p.mode == "scalar"]
    if all(map(is_plain, scalars)) and len(plan.contract.entry) <= native.MOST:
        layouts = [(v.shape, v.strides, v.dtype.itemsize, v.pointer % ALIGNMENT) for v in views]
        made.add(arguments, entry(plan), tuple(layouts))


def entry(plan: Plan, fixed: bool = False) -> Any:
    """A plan, as launchers take it; `fixed`: for the scalars alone that it is for, which its checks have admitted."""
    launch, current, capturing = driver.addresses()
    offsets = struct.pack(f"={len(plan.layout.offsets)}H", *plan.layout.offsets)
    same = fixed or (plan.admits is None and not plan.evaluator.varies)
    plain = in_native_code(plan.contract, plan.layout) and same
    x, y, z, u, v, w, *cluster, shared = plan.shape or (plan.blocks, 1, 1, 1, 1, 1, 1, 1, 1, 0)
    plain = plain and all(n == 1 for n in cluster)  # `cuLaunchKernel` has no word for clusters
    shape = struct.pack("=7I", x, y, z, u, v, w, shared)
    values = tuple(_described(plan, n) for n in range(len(plan.contract.parameters)))
    checks = plan.contract.kernel_checks
    room = partial(checked.enter, plan.device, kernel=plan.name, checks=checks) if checks else None
    return native.module().Entry(
        launch, 0 if driver.device_count() == 1 else current, capturing if plan.begins else 0, plan.kernel, shape,
        plan.device, bytes(plan.layout.filled(plan.integers)), offsets, values, plain,
        room, plan.layout.failures, plan.enqueue,
        foreign_space(plan.device), timelines[plan.device], lock(plan.device), plan.family,
    )  # fmt: skip


def bound(made: Any, plan: Plan, arguments: tuple[Any, ...], data: bytearray, *more: Any) -> Any:
    """
    Launches of a plan on the same arguments, which are packed in `data`; `more` are the launch that stands for them,
    its value, what `on` does otherwise, and what makes an `InFlight` of a timeline. None where it cannot be.
    """
    if len(plan.contract.entry) > native.MOST or any(n != 1 for n in plan.shape[6:9]):
        return None
    return native.module().Bound(made, entry(plan), arguments, bytes(data), *more)


def _described(plan: Plan, number: int) -> tuple[Any, ...]:
    """A run-time argument: how it is packed, where, whether it is written, and how many bytes it spans."""
    parameters, layout = plan.contract.parameters, plan.layout
    given = [plan.contract.entry[n].argument for n in layout.given]
    parameter, place = parameters[number], given.index(number) if number in given else -1
    if isinstance(parameter, ScalarParameter):
        return native.CODES.get(parameter.dtype, "\0"), place, 0, 0
    tensor = sum(isinstance(p, TensorParameter) for p in parameters[:number])
    return "P", place, int(plan.writes[tensor]), plan.sizes[tensor]


# --- What the native module is told once ------------------------------------------------------------------------------


@cache
def ready() -> bool:
    """Whether there can be launchers: the native module is there, and is told what it has to know."""
    module = native.module()
    if module is None:
        return False
    attribute = driver.pointer_attribute() if driver.device_count() > 1 else 0
    module.reads(_family, attribute, {"stream": 1, "max_version": (1, 0)})
    module.launches(lease, Outside, timeline, WRONG, let_go, _constant, changed, UNDONE, MOST_KEPT)
    return True


def _constant(value: object) -> int:
    """A number that equal compile-time values have, and no others."""
    if len(_CONSTANTS) > 1 << 16:
        _CONSTANTS.clear()
    return _CONSTANTS.setdefault(ConstSpec(value), next(_NEXT))


def _family(kind: type[Any]) -> int:
    """Whose the arrays of a class are."""
    if issubclass(kind, Partition):
        return _CUT
    family = quick_family(kind)
    if family == "freehold":
        return _OWN
    if family == "torch":
        return _TORCH if _reads_torch() else _NONE
    if family == "cupy":
        native.module().reads_cupy(driver.current_of("cupy"))
        return _CUPY
    return _FOREIGN if is_self_describing(kind) else _NONE


_ASKED: Final = (
    *(
        ("torch_cpu", f"aoti_torch_get_{name}")
        for name in (
            "data_ptr",
            "layout",
            "device_type",
            "device_index",
            "dtype",
            "dim",
            "sizes",
            "strides",
            "storage_size",
            "storage_offset",
        )
    ),
    ("torch_cpu", "aoti_torch_dtype_element_size"),
    ("torch_cpu", "_ZN2at6native6is_negERKNS_6TensorE"),
    ("c10", "_ZNK3c1010TensorImpl13requires_gradEv"),
    ("c10", "_ZN3c108GradMode10is_enabledEv"),
    ("torch_cpu", "_ZN2at6native12is_inferenceERKNS_6TensorE"),
    ("torch_cpu", "_ZN5torch8autograd4impl12bump_versionERKN2at6TensorE"),
)
"""Libraries of torch, and functions there: those of its C interface, and others whose names say what they take."""


@cache
def _reads_torch() -> bool:
    """
    Whether torch's tensors can be read by the C interface that it has for compiled code, and what that has no word for
    by functions of its own, whose names say what they take.

    What an object of Python has of its tensor is no part of that: it is looked for, and all is tried once.
    """
    torch: Any = sys.modules["torch"]
    try:
        functions = [_address(torch, library, name) for library, name in _ASKED]
        with torch.inference_mode(False), torch.no_grad():
            tensor: Any = torch.empty(2, 2)
            current = driver.current_of("torch")
            found = native.module().reads_torch(tensor, tensor._cdata, current, _stream(torch), tuple(functions))
            return found and _tells_apart(torch, lambda tensor: native.module().look_at(tensor, _TORCH))
    except (AttributeError, OSError, TypeError):  # another torch, or one without CUDA
        return False


def _address(torch: Any, library: str, name: str) -> int:
    """Of a function of torch's. Raises `OSError` or `AttributeError`."""
    path = os.path.join(os.path.dirname(torch.__file__), "lib", f"lib{library}.so")
    return ctypes.cast(getattr(ctypes.CDLL(path), name), ctypes.c_void_p).value or 0


def _stream(torch: Any) -> int:
    """Of torch's function that yields the current stream of a GPU; 0 where only Python tells."""
    try:
        return _address(torch, "torch_cuda", "aoti_torch_get_current_cuda_stream")
    except (AttributeError, OSError):  # torch for the CPU
        return 0


def _tells_apart(torch: Any, look: Callable[[Any], tuple[int, bytes] | None]) -> bool:
    """Whether all is seen that is relied on, and the same is what looks the same."""
    square = partial(torch.empty, 2, 2)
    plain, same, short = square(), square(), square()
    found = look(plain)
    others = [
        short,
        square(dtype=torch.int32),
        torch.empty(3, 2),
        torch.empty(4),
        square().t(),
        torch.empty(4, 2)[::2],
        torch._neg_view(square()),
        square(device="meta"),
        square().to_sparse(),
        square(requires_grad=True),
    ]
    short.untyped_storage().resize_(8)
    if found is None or found[0] != plain.data_ptr():
        return False
    with torch.enable_grad():
        watched = look(others[-1])
    seen, unwatched = look(same), look(others[-1])
    if watched is None or unwatched is None or watched[1] == unwatched[1]:  # whether autograd looks
        return False
    return seen is not None and seen[1] == found[1] and all((o := look(a)) is None or o[1] != found[1] for a in others)
