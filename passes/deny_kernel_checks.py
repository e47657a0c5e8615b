"""`deny-kernel-checks`: refuses kernels of which an access is checked in the kernel.

Assumes `resolve-obligations`. Each error names the access, what could not be proved and why, and what helps.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from freehold.dialects.location import span_of
from freehold.dialects.ownership import (
    AccessOp,
    Duty,
    DutyAttr,
    KernelOp,
    OwingOp,
    Rung,
    WindowOp,
    kernels_of,
    tensor_type,
)
from freehold.passes.analysis.facts import KernelFacts, analyse
from freehold.passes.analysis.wording import access_text, name_of, why_unknown
from freehold.passes.errors.bounds import KernelCheckDenied
from freehold.passes.verify_duties import owing
from freehold.support import terms
from freehold.support.diagnostic import Error, Rejected


@dataclass(frozen=True)
class DenyKernelChecksPass(ModulePass):
    """Refuses accesses whose bounds are checked in the kernel. Changes nothing."""

    name = "deny-kernel-checks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Raises `Rejected` with an error (O301) for each such access."""
        errors: list[Error] = []
        for kernel in kernels_of(op):
            errors += deny_kernel_checks(kernel, analyse(kernel))
        if errors:
            raise Rejected(errors)


def deny_kernel_checks(kernel: KernelOp, facts: KernelFacts) -> list[Error]:
    """An error for each bound that is checked in the kernel."""
    return [
        _error(op, obligation, facts)
        for op in owing(kernel)
        for obligation in op.owes
        if obligation.rung is Rung.KERNEL
    ]


def _error(op: OwingOp, obligation: DutyAttr, facts: KernelFacts) -> Error:
    if not isinstance(op, AccessOp):
        what = "this window of" if isinstance(op, WindowOp) else "this partition into groups of"
        error = KernelCheckDenied(span_of(op), f"{what} `{name_of(op.operands[0])}`", obligation.text)
        return error.add(*_unknown(error, obligation, facts), error.Allow())
    axis = obligation.axis.data
    size, name = op.steps[axis], name_of(op.memory)
    error = KernelCheckDenied(span_of(op), access_text(op), obligation.text)
    error.add(*_unknown(error, obligation, facts))
    others = [o for o in op.owes if o is not obligation and o.text]
    if others:
        error.add(error.Others("; ".join(_met(o) for o in others)))
    index = str(facts.coordinates(op)[axis])
    tiles = terms.ceildiv(tensor_type(op.memory).extent(axis), terms.const(size))
    count = f"fh.cdiv({name}.shape[{axis}], {size})" if tiles.symbols() else str(tiles)
    return error.add(error.Clamp(index, count), error.Guard(index, count), error.Allow())


def _unknown(error: KernelCheckDenied, obligation: DutyAttr, facts: KernelFacts) -> list[KernelCheckDenied.Unknown]:
    """Why the numbers are not known that a check is about."""
    if obligation.predicate is None:  # about offsets, which are no numbers of the kernel's
        return []
    symbols = obligation.predicate.symbols() - facts.launch
    values = {name: value for name in sorted(symbols) if (value := facts.symbols.get(name)) is not None}
    return [error.Unknown(name, why_unknown(value)) for name, value in values.items()]


def _met(obligation: DutyAttr) -> str:
    """One obligation and where it is met: `axis 1 in bounds: proved`."""
    what = "disjoint" if obligation.duty is Duty.DISJOINT else f"axis {obligation.axis.data} in bounds"
    where = {Rung.PROVED: "proved", Rung.LAUNCH: "checked at launch", Rung.KERNEL: "not proved either"}
    return f"{what} {where.get(obligation.rung, 'refused')}"
