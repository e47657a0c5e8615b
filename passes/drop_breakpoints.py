"""`drop-breakpoints`: removes the places where a debugger may stop."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from freehold.dialects.classes import erase
from freehold.dialects.ownership import BreakpointOp, KernelOp, kernels_of
from freehold.passes.rewriting import of_kind


@dataclass(frozen=True)
class DropBreakpointsPass(ModulePass):
    """Removes breakpoints, as only the interpreter stops at them. Assumes nothing and refuses nothing."""

    name = "drop-breakpoints"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Removes them from every kernel of the module."""
        for kernel in kernels_of(op):
            drop_breakpoints(kernel)


def drop_breakpoints(kernel: KernelOp) -> None:
    """Removes the breakpoints of `kernel`, in place."""
    for op in of_kind(kernel, BreakpointOp):
        erase(op)
