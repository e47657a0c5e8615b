"""`verify-duties`: every operation of every kernel has met what it owes.

What that is, operations say by their types (`OwingOp.owed`); how it is met, verifiers write down. What no verifier has
written anything about is open, whatever the reason: that it was not run, that it found an error, or that nobody thought
of it. Whatever makes code or a launch of a kernel asks here first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from freehold.dialects.location import span_of
from freehold.dialects.ownership import (
    CheckOp,
    DistributeOp,
    Duty,
    DutyAttr,
    KernelOp,
    OwingOp,
    Rung,
    duties_of,
    kernels_of,
)
from freehold.passes.errors.translation import NotVerified
from freehold.passes.rewriting import of_kind
from freehold.support.diagnostic import Error, Rejected


@dataclass(frozen=True)
class VerifyDutiesPass(ModulePass):
    """Refuses kernels of which a duty is open. Comes behind all verifiers; changes nothing."""

    name = "verify-duties"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Raises `Rejected` with an error (O142) for each open duty."""
        if errors := [error for kernel in kernels_of(op) for error in verify_duties(kernel)]:
            raise Rejected(errors)


Record = Sequence[tuple[Operation, Sequence[DutyAttr]]]
"""The operations of a kernel that owe something or check something, in order, each with what it owes, as it is met."""


def recorded(kernel: KernelOp) -> Record:
    """How the duties of a kernel are met."""
    return [(op, duties_of(op)) for op in of_kind(kernel, OwingOp, CheckOp)]


def owing(root: Operation) -> list[OwingOp]:
    """The operations in `root` that owe something, in order."""
    return of_kind(root, OwingOp)


def reopen(kernel: KernelOp) -> None:
    """Forgets how the duties of a kernel are met: whoever wrote that down may have seen another kernel."""
    for op in owing(kernel):
        op.duties = None


def verify_duties(kernel: KernelOp, record: Record | None = None) -> list[Error]:
    """An error for each duty of a kernel that is open; `record` says how they are met, where that has been found."""
    return [
        NotVerified(span_of(op), kernel.sym_name.data, op.name.split(".")[1], _text(duty), _discharges(op, duty.duty))
        for op, duty in _open(recorded(kernel) if record is None else record)
    ]


def require_discharged(kernel: KernelOp) -> Record:
    """How the duties of a kernel are met. Raises `PassFailedException` where one is open, naming the verifier that
    would meet it."""
    record = recorded(kernel)
    for op, duty in _open(record):
        raise PassFailedException(
            f"{kernel.sym_name.data}: `{op.name}` owes that it is {_text(duty)}, and nothing says how that is met: "
            f"`{_discharges(op, duty.duty)}` has not accepted it"
        )
    return record


def _open(record: Record) -> Iterator[tuple[Operation, DutyAttr]]:
    return ((op, duty) for op, duties in record for duty in duties if duty.met[1] is Rung.OPEN)


def _text(duty: DutyAttr) -> str:
    axis = f" along axis {duty.axis.data}" if duty.axis.data >= 0 else ""
    return duty.duty.replace("_", " ") + axis


def _discharges(op: Operation, duty: Duty) -> str:
    """The verifier that meets a duty of an operation."""
    return "verify-domains" if isinstance(op, DistributeOp) else _VERIFIERS[duty]


_VERIFIERS: Final[dict[Duty, str]] = {
    Duty.LAUNCHABLE: "verify-domains",
    Duty.SAME_GRID: "verify-domains",
    Duty.DISJOINT: "verify-partitions",
    Duty.ORDERED: "verify-partitions",
    Duty.COVERED: "verify-partitions",
    Duty.UNDERSTOOD: "verify-borrows",
    Duty.APART: "verify-borrows",
    Duty.COMMUTING: "verify-borrows",
    Duty.DISTRIBUTED: "verify-borrows",
    Duty.HELD: "verify-borrows",
    Duty.INITIALISED: "verify-borrows",
    Duty.STORED: "verify-borrows",
    Duty.FITS: "resolve-obligations",
    Duty.IN_BOUNDS: "resolve-obligations",
    Duty.GROUPED: "resolve-obligations",
}
