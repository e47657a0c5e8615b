"""`contract-multiply-add`: a product that is only added to or subtracted from becomes one operation that rounds once.

CUDA's own compilers contract by default, for it is faster and the error is smaller; the assembler of Tile IR does not.
Contracted is what rounds to nearest and flushes alike, where every use of the product is such a sum in the same block:
then no product is computed twice, and nothing lives longer than before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from freehold.dialects.classes import erase, replace_uses
from freehold.dialects.cuda_tile.attrs import NEAREST_EVEN
from freehold.dialects.cuda_tile.ops.arith_float import AddFOp, FmaOp, MulFOp, NegFOp, SubFOp
from freehold.passes.rewriting import Inserter, of_kind

_SUMS: Final = (AddFOp, SubFOp)


@dataclass(frozen=True)
class ContractMultiplyAddPass(ModulePass):
    """Contracts products and sums into `fma`."""

    name = "contract-multiply-add"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Contracts everywhere in the module."""
        contract_multiply_add(op)


def contract_multiply_add(root: Operation) -> None:
    """Contracts every product and sum inside `root` that allows it, in place."""
    for op in of_kind(root, AddFOp, SubFOp):
        if (product := _product_of(op)) is not None:
            contract(op, product)


def _product_of(op: AddFOp | SubFOp) -> MulFOp | None:
    """The product that is contracted with a sum: the left one, where both operands are products."""
    if op.rounding_mode != NEAREST_EVEN:
        return None
    for operand in (op.lhs, op.rhs):
        owner = operand.owner
        if isinstance(owner, MulFOp) and all(_takes(use.operation, owner) for use in operand.uses):
            return owner
    return None


def _takes(user: Operation, product: MulFOp) -> bool:
    """Whether a use of a product can be contracted with it. One that takes it twice would need it as well: the product
    less itself is 0, and the product less the rounded product is not."""
    return (
        isinstance(user, _SUMS)
        and user.lhs is not user.rhs
        and user.parent is product.parent
        and user.rounding_mode == product.rounding_mode
        and user.flush_to_zero == product.flush_to_zero
    )


def contract(op: AddFOp | SubFOp, product: MulFOp) -> None:
    """`a * b + c`, `a * b - c` or `c - a * b`, rounded once."""
    at = Inserter(op)
    left: SSAValue = product.lhs
    on_left = op.lhs is product.result
    other = op.rhs if on_left else op.lhs
    if isinstance(op, SubFOp) and on_left:
        other = at.value(NegFOp(other))
    elif isinstance(op, SubFOp):
        left = at.value(NegFOp(left))
    found = at.insert(FmaOp(left, product.rhs, other, op.rounding_mode, op.flush_to_zero is not None))
    found.result.name_hint = op.result.name_hint
    replace_uses(op.result, found.result)
    assert op.parent is not None
    erase(op)
    if product.result.first_use is None:
        assert product.parent is not None
        erase(product)
