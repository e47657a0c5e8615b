"""`fuse-fma`: a product that one sum or difference takes becomes an operation that rounds once.

Name and rules are those of the pass in NVIDIA's `cuda-tile-opt`: `a * b + c`, `c + a * b` and `a * b - c`, where
nobody else uses the product and both operations round and flush alike. A product on the right of a sum is put on its
left, whether or not it can be fused. `contract-multiply-add`, which kernels in Python go through, contracts `c - a * b`
and products with several sums, too, but only what rounds to nearest.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from freehold.dialects.cuda_tile.ops.arith_float import AddFOp, MulFOp, SubFOp
from freehold.passes.contract_multiply_add import contract
from freehold.passes.rewriting import walk


@dataclass(frozen=True)
class FuseFmaPass(ModulePass):
    """Fuses a product and the one sum that takes it into `fma`, however they round."""

    name = "fuse-fma"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Fuses everywhere in the module."""
        fuse_fma(op)


def fuse_fma(root: Operation) -> None:
    """Fuses every product inside `root` that one sum or difference takes, in place."""
    for op in walk(root):
        if not isinstance(op, AddFOp | SubFOp):
            continue
        if isinstance(op, AddFOp) and isinstance(op.rhs.owner, MulFOp) and not isinstance(op.lhs.owner, MulFOp):
            op.operands = (op.rhs, op.lhs)
        product = op.lhs.owner
        if (
            isinstance(product, MulFOp)
            and product.result.has_one_use()
            and product.rounding_mode == op.rounding_mode
            and product.flush_to_zero == op.flush_to_zero
        ):
            contract(op, product)
