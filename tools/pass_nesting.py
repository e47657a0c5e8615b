"""Passes that run on operations inside a module, as nested pipelines say: `cuda_tile.module(canonicalize,cse)`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

ANY = "any"
"""The anchor that every operation with a region fits."""


@dataclass(frozen=True)
class NestedPass(ModulePass):
    """Runs a pass on each operation that a path of anchors leads to, alone in a module of its own."""

    name = "nested"
    inner: ModulePass
    anchors: tuple[str, ...]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Runs it on one operation after the other."""
        for each in self._anchored(op):
            if isinstance(each, ModuleOp):
                self.inner.apply(ctx, each)
            else:
                _alone(ctx, self.inner, each)

    def _anchored(self, module: ModuleOp) -> list[Operation]:
        found: list[Operation] = [module]
        for anchor in self.anchors:
            inside = [op for each in found for region in each.regions for block in region.blocks for op in block.ops]
            found = [op for op in inside if (op.regions if anchor == ANY else op.name == anchor)]
        return found


def _alone(ctx: Context, inner: ModulePass, op: Operation) -> None:
    """Runs a pass on an operation as the only one of a module; what is there afterwards takes its place."""
    block, following = op.parent, op.next_op
    assert block is not None
    op.detach()
    shell = ModuleOp([op])
    shell.location = op.location
    try:
        inner.apply(ctx, shell)
    finally:
        for each in list(shell.body.block.ops):
            each.detach()
            if following is None:
                block.add_op(each)
            else:
                block.insert_op_before(each, following)


def name_of(each: ModulePass) -> str:
    """What a pass is called in a pipeline, with where it is nested."""
    if isinstance(each, NestedPass):
        return "".join(f"{anchor}(" for anchor in each.anchors) + each.inner.name + ")" * len(each.anchors)
    return each.name


def spec_of(each: ModulePass) -> str:
    """How a pass is written in a pipeline: its name and the options that it was given."""
    if isinstance(each, NestedPass):
        return "".join(f"{anchor}(" for anchor in each.anchors) + spec_of(each.inner) + ")" * len(each.anchors)
    if each.name == "mlir":
        return f"mlir{{{getattr(each, 'pipeline', '')}}}"
    return str(each.pipeline_pass_spec())
