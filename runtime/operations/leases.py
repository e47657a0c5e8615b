"""What a launch leases of the ledger: tensors of ours, and memory of other libraries by its bytes."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

from freehold.frontend.signature import KernelSignature
from freehold.runtime.gpu.timeline import Timeline, host_timeline
from freehold.runtime.memory import ledger
from freehold.runtime.memory.arguments import HOST, ArrayView, UnknownDType, Unreadable, view
from freehold.runtime.memory.blame import of_operation
from freehold.runtime.memory.ledger import Leased
from freehold.runtime.memory.storage import outside
from freehold.runtime.operations.execution import Execution
from freehold.support.public import refuse, shown


class Leases(NamedTuple):
    """The tensors of a launch."""

    reads: list[Leased]
    writes: list[Leased]


def leases(signature: KernelSignature, views: Iterable[ArrayView]) -> Leases:
    """What a launch with these arrays leases. What is not only read counts as written."""
    made = Leases([], [])
    modes = [p.mode for p in signature.parameters if p.is_tensor]
    for mode, found in zip(modes, views, strict=True):
        (made.reads if mode == "ref" else made.writes).append(_leased(found))
    return made


def early(signature: KernelSignature, names: Collection[str], views: Iterable[ArrayView]) -> list[Leased]:
    """What a launch with these arrays leases by these names, as they stand in the text."""
    places = signature.positions(names)
    return [_leased(found) for n, found in enumerate(views) if n in places]


def _leased(found: ArrayView) -> Leased:
    """An array as the ledger knows it."""
    if found.family == "freehold":
        return cast(Leased, found.owner)
    return outside(found)


@contextmanager
def used(execution: Execution, reads: Iterable[Any], writes: Iterable[Any], what: str) -> Generator[None]:
    """
    Around what enqueues another engine's work: leases tensors, of ours or of other libraries, on any number of GPUs.

    Nothing is locked meanwhile, because engines may wait for other threads (NCCL does). Raises `Rejected` for
    tensors that may not be used, and `TypeError` for what is no array.
    """
    read, written = [_viewed(array, what) for array in reads], [_viewed(array, what) for array in writes]
    views = [*read, *written]
    if execution.recording is not None:
        execution.recording.uses(views, [_leased(v) for v in read], [_leased(v) for v in written])
        yield
        return
    users = [_user(execution, device, views) for device in {v.device for v in views}]
    kept = execution.uses(v for v in views if v.device != HOST)
    blame = of_operation(what)

    def note() -> None:
        for user in users:
            to_read = [_leased(v) for v in read if v.device == user.device]
            to_write = [_leased(v) for v in written if v.device == user.device]
            ledger.enqueue(user, to_read, to_write, _nothing, blame, kept=kept or None)

    note()  # it comes after what uses them now
    try:
        yield
    finally:
        note()  # and what comes next, after it


def _nothing() -> None: ...


def _viewed(array: Any, what: str) -> ArrayView:
    try:
        return view(array)
    except (Unreadable, UnknownDType):
        refuse("freehold.Work", f"{what} uses {shown(array)}, which is no array that kernels take")


def _user(execution: Execution, device: int, views: Iterable[ArrayView]) -> Timeline:
    if device == HOST:
        return host_timeline()
    family = next((v.family for v in views if v.device == device and v.family in ("torch", "cupy")), "")
    return execution.place(device, family)[2]
