"""`contract-multiply-add`: a product that is only added to or subtracted from becomes one operation that rounds once.

CUDA's own compilers contract by default, for it is faster and the error is smaller; the assembler of Tile IR does not.
Contracted is what rounds to nearest and flushes alike, where every use of the product is such a sum in the same block:
then no product is computed twice, and nothing lives longer than before.

Products of the same factors, in either order and up to signs, are contracted all or not at all, and each in all of its
sums. So `a * b - b * a` stays 0, and what is equal however it is rounded stays equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign
from typing import Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from freehold.dialects.classes import erase, replace_uses
from freehold.dialects.cuda_tile.attrs import NEAREST_EVEN
from freehold.dialects.cuda_tile.folding import literal
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
    ops = of_kind(root, AddFOp, SubFOp, MulFOp, NegFOp)
    if not any(isinstance(op, MulFOp) for op in ops):
        return
    alike = _alike(ops)
    kept: set[int] = set()  # the groups that are known not to be contracted, by their lists
    for op in ops:
        if not isinstance(op, _SUMS) or op.parent is None:
            continue
        for operand in (op.lhs, op.rhs):  # of two products the left one, where both could be
            owner = operand.owner
            group = alike.get(owner) if isinstance(owner, MulFOp) else None
            if group is None or id(group) in kept:
                continue
            if all(_takes(use.operation, product, alike) for product in group for use in product.result.uses):
                _contract_all(group)
                break
            kept.add(id(group))


def _alike(ops: Sequence[AddFOp | SubFOp | MulFOp | NegFOp]) -> dict[Operation, list[MulFOp]]:
    """For each product that rounds to nearest, all products that are the same up to their signs, however they are
    written: factors and addends in another order, signs pulled out. Whatever is not made of these operations is the
    same where it is one value."""
    numbers: dict[SSAValue, _Signed] = {}
    known: dict[tuple[object, ...], int] = {}
    groups: dict[int, list[MulFOp]] = {}
    found: dict[Operation, list[MulFOp]] = {}
    zeros: set[int] = set()

    def number(value: SSAValue, negate: bool = False) -> _Signed:
        if value not in numbers:
            negated, same = _of_constant(value)
            numbers[value] = negated, known.setdefault(same, len(known))
            if same[0] == 0.0:
                zeros.add(numbers[value][1])
        negated, same = numbers[value]
        return negated != negate, same

    for op in ops:
        if isinstance(op, NegFOp):
            numbers[op.result] = number(op.source, True)
            continue
        if op.rounding_mode != NEAREST_EVEN:
            continue
        flushes = op.flush_to_zero is not None
        (x, p), (y, q) = number(op.lhs), number(op.rhs, isinstance(op, SubFOp))
        if isinstance(op, MulFOp):
            key = known.setdefault((MulFOp, flushes, *sorted((p, q))), len(known))
            numbers[op.result] = x != y, key
            found[op] = groups.setdefault(key, [])
            found[op].append(op)
        elif p == q and x != y:  # what is less itself: a zero, of either sign
            numbers[op.result] = False, known.setdefault((0.0, op.result.type), len(known))
            zeros.add(numbers[op.result][1])
        elif not flushes and not zeros.isdisjoint((p, q)):  # the other one, with either zero added to it
            numbers[op.result] = (y, q) if p in zeros else (x, p)
        else:
            (p, x), (q, y) = sorted(((p, x), (q, y)))
            numbers[op.result] = x, known.setdefault((AddFOp, flushes, p, q, x != y), len(known))
    return found


_Signed = tuple[bool, int]
"""Whether a value is negated, and the number of what is."""


def _of_constant(value: SSAValue) -> tuple[bool, tuple[object, ...]]:
    """Whether a constant is negative, and what tells it from others. Any other value is itself."""
    constant = literal(value)
    if constant is None or not constant.is_splat or not isinstance(number := constant.splat_value, float):
        return False, (value,)
    return copysign(1.0, number) < 0, (abs(number), value.type)


def _takes(user: Operation, product: MulFOp, alike: dict[Operation, list[MulFOp]]) -> bool:
    """Whether a use of a product can be contracted with it. One that takes it twice, or the like of it, would need it
    as well: the product less itself is 0, and the product less the rounded product is not."""
    return (
        isinstance(user, _SUMS)
        and user.parent is product.parent
        and user.rounding_mode == product.rounding_mode
        and user.flush_to_zero == product.flush_to_zero
        and _group(user.lhs, alike) is not _group(user.rhs, alike)
    )


def _group(value: SSAValue, alike: dict[Operation, list[MulFOp]]) -> object:
    """What tells an operand of a sum from others: its group, or itself."""
    owner = value.owner
    return alike.get(owner, value) if isinstance(owner, MulFOp) else value


def _contract_all(group: list[MulFOp]) -> None:
    """Contracts products of which every use is a sum that takes them once."""
    for product in [*group]:
        for use in [*product.result.uses]:
            user = use.operation
            assert isinstance(user, _SUMS)
            contract(user, product)


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
