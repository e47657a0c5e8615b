"""`report-obligations`: one line an obligation, in front of the module: the access, the rung, the reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from freehold.dialects.location import span_of
from freehold.dialects.ownership import (
    AccessOp,
    DistributeOp,
    DutyAttr,
    PartitionOp,
    Rung,
    UnsafeOp,
    WindowOp,
    duties_of,
    kernels_of,
    tensor_type,
)
from freehold.passes.analysis.advice import cost, upwards
from freehold.passes.analysis.divisibility import Divisors, step
from freehold.passes.analysis.facts import KernelFacts, analyse
from freehold.passes.analysis.wording import name_of
from freehold.passes.verify_duties import owing


@dataclass(frozen=True)
class ReportObligationsPass(ModulePass):
    """Prints what each access owes and how that is met, as comments in front of the module. Changes nothing."""

    name = "report-obligations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Prints; assumes that `resolve-obligations` has run."""
        for line in report(op):
            print(f"// {line}")


def report(module: ModuleOp, *, advice: bool = False) -> list[str]:
    """The lines, kernel by kernel: where, what, the duty, the rung, the reason or the predicate to check.

    With `advice` also what each rung but the highest costs, and what would move the obligation up.
    """
    lines: list[str] = []
    for kernel in kernels_of(module):
        facts = analyse(kernel) if advice else None
        lines.append(f"@{kernel.sym_name.data}")
        known = Divisors(kernel)
        for op in owing(kernel):
            lines += _lines(op, facts)
            if isinstance(op, WindowOp):
                lines += _alignment(op, known)
        lines += (_unsafe(op) for op in kernel.walk() if isinstance(op, UnsafeOp))
    return lines


def _unsafe(op: UnsafeOp) -> str:
    return f'  {_where(op)}{op.CALLED} `{name_of(op.memory)}`: not proved: "{op.reason.data}"'


def _where(op: Operation) -> str:
    span = span_of(op)
    return "" if span is None else f"{span.line}:{span.start + 1} "


def _lines(op: Operation, facts: KernelFacts | None) -> Iterator[str]:
    told = [duty for duty in duties_of(op) if duty.text]  # of the others there is nothing to say
    if not told:
        return
    where = _where(op)
    match op:
        case DistributeOp():
            what = "distribution of " + (", ".join(f"`{name_of(p)}`" for p in op.partitions) or "points")
        case PartitionOp():
            what = f"{'output' if op.result.type.covered else 'partition of'} `{name_of(op.tensor)}`"
        case WindowOp():
            what = f"window at a position of `{name_of(op.tensor)}`"
        case AccessOp():
            what = f"{op.CALLED} `{name_of(op.memory)}`"
        case _:
            what = f"`{name_of(op.operands[0])}`"
    for obligation in told:
        line = f"  {where}{what}: {_duty(obligation)}: {_rung(obligation)}"
        if facts is not None and obligation.rung not in (Rung.PROVED, Rung.TOKENS):
            line += f"; costs {cost(op, obligation, facts)}; {upwards(op, obligation, facts)}"
        yield line


def _alignment(op: WindowOp, known: Divisors) -> Iterator[str]:
    """What is lost by where a window begins: tiles are read in fewer pieces where they are aligned."""
    kept, whole = known.alignment(op.result), known.alignment(op.tensor)
    if kept == whole:
        return
    multiple = whole // step(tensor_type(op.tensor), op.axis.data)
    keeps = f"a start that is a multiple of {multiple}"
    if op.start in known.scalars:
        keeps = f'`fh.require("{known.scalars[op.start]} % {multiple} == 0")`'
    what = f"window at a position of `{name_of(op.tensor)}`"
    yield f"  {_where(op)}{what}: aligned to {kept} bytes of {whole}; {keeps} keeps it"


def _duty(obligation: DutyAttr) -> str:
    axis = f" along axis {obligation.axis.data}" if obligation.axis.data >= 0 else ""
    return obligation.duty.replace("_", " ") + axis


def _rung(obligation: DutyAttr) -> str:
    text = obligation.text
    return {
        Rung.PROVED: f"proved ({text})",
        Rung.LAUNCH: f"checked at launch: {text}",
        Rung.KERNEL: f"checked in the kernel: {text}",
        Rung.MASKED: f"masked where not ({text})",
        Rung.TOKENS: f"by tokens ({text})",
        Rung.OPEN: "not met",
    }[obligation.rung]
