"""`deny-unsafe`: refuses kernels with an unsafe access."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from freehold.dialects.location import span_of
from freehold.dialects.ownership import KernelOp, UnsafeOp, kernels_of
from freehold.passes.analysis.wording import name_of
from freehold.passes.errors.sharing import UnsafeDenied
from freehold.passes.rewriting import of_kind
from freehold.support.diagnostic import Error, Rejected


@dataclass(frozen=True)
class DenyUnsafePass(ModulePass):
    """Refuses unsafe accesses, so that everything in an accepted kernel is proved or checked. Changes nothing."""

    name = "deny-unsafe"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Raises `Rejected` with an error (O132) for each unsafe access."""
        errors = [e for kernel in kernels_of(op) for e in deny_unsafe(kernel)]
        if errors:
            raise Rejected(errors)


def deny_unsafe(kernel: KernelOp) -> Iterator[Error]:
    """An error for each unsafe access."""
    for op in of_kind(kernel, UnsafeOp):
        error = UnsafeDenied(span_of(op), name_of(op.memory))
        yield error.add(error.Reason(op.reason.data), error.Safe(), error.Allow())
