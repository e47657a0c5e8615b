"""The pass `mlir{...}`: passes of upstream MLIR, in the middle of a pipeline of ours."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from freehold.tools import mlir_bridge


@dataclass(frozen=True)
class MlirPass(ModulePass):
    """Hands the module to upstream MLIR, runs the passes between the braces there, and takes the result back."""

    name = "mlir"

    pipeline: str = ""
    """MLIR's own pipeline, anchored at the module: `canonicalize,cse`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replaces the contents of the module. Raises `Rejected` (O507, O508)."""
        result = mlir_bridge.run(ctx, op, self.pipeline)
        op.detach_region(op.body)
        op.add_region(result.detach_region(result.body))
        op.attributes = result.attributes
        op.properties = result.properties
