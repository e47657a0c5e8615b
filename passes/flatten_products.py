"""
`flatten-products`: matrix products of one batch become products of matrices.

The assembler has the fast instructions of tensor cores for tiles of two axes alone; `(1, m, k)` by `(1, k, n)` gets
those of older GPUs. A sum that a `for` carries is carried as a matrix, too, where a turn does nothing else with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from freehold.dialects.classes import erase, replace_uses
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.folding import literal
from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp, ForOp
from freehold.dialects.cuda_tile.ops.mma import MmaFOp, MmaIOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp, ReshapeOp
from freehold.dialects.cuda_tile.types import TileType, tile
from freehold.passes.rewriting import Inserter, around, of_kind, walk


@dataclass(frozen=True)
class FlattenProductsPass(ModulePass):
    """Makes products of one batch products of matrices."""

    name = "flatten-products"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Flattens everywhere in the module."""
        flatten_products(op)


def flat_products(module: ModuleOp) -> ModuleOp:
    """A module with its products of one batch flattened; itself, where it has none."""
    if any(map(_has_one_batch, of_kind(module, MmaFOp, MmaIOp))):
        module = module.clone()
        flatten_products(module)
    return module


def flatten_products(root: Operation) -> None:
    """Flattens every `mmaf` and `mmai` of one batch inside `root`, and the sums that loops carry, in place."""
    loops: dict[ForOp, None] = {}
    for op in of_kind(root, MmaFOp, MmaIOp):
        if _has_one_batch(op):
            loops.update((loop, None) for loop in around(op) if isinstance(loop, ForOp))
            _flatten(op)
    for loop in sorted(loops, key=lambda loop: -len(list(around(loop)))):  # inner ones first: they carry to outer ones
        for number in range(len(loop.carried)):
            _carry_flat(loop, number)


def _has_one_batch(op: Operation) -> bool:
    return isinstance(op, MmaFOp | MmaIOp) and _dims(op.acc)[:-2] == (1,)


def _dims(value: SSAValue) -> tuple[int, ...]:
    return cast(TileType, value.type).dims


def _flatten(op: MmaFOp | MmaIOp) -> None:
    at, dims = Inserter(op), _dims(op.acc)
    lhs, rhs, acc = (_flat(operand, at) for operand in (op.lhs, op.rhs, op.acc))
    if isinstance(op, MmaFOp):
        found = at.insert(MmaFOp(lhs, rhs, acc, op.fast_acc is not None))
    else:
        found = at.insert(MmaIOp(lhs, rhs, acc, op.signedness_lhs, op.signedness_rhs))
    found.attributes |= op.attributes
    found.result.name_hint = op.result.name_hint
    replace_uses(op.result, at.value(ReshapeOp(found.result, dims)))
    assert op.parent is not None
    erase(op)


def _flat(value: SSAValue, at: Inserter) -> SSAValue:
    """A tile (1, m, n) as a matrix."""
    dims = _dims(value)[1:]
    if isinstance(value.owner, ReshapeOp) and _dims(value.owner.source) == dims:
        return value.owner.source
    known = literal(value)
    if known is not None and known.is_splat:
        flat = tile(dims, cast(TileType, value.type).element_type)
        return at.value(ConstantOp(DenseElementsAttr.splat(flat, known.splat_value)))
    return at.value(ReshapeOp(value, dims))


def _carry_flat(loop: ForOp, number: int) -> None:
    """Has a loop carry a value as a matrix, if a turn takes it as one alone, and makes the next as one."""
    inside, last = loop.carried[number], loop.block.last_op
    assert isinstance(last, ContinueOp)
    uses = [use.operation for use in inside.uses]
    ends = [op for op in walk(loop) if isinstance(op, ContinueOp) and op.loop is loop]
    made = [op.operands[number].owner for op in ends]
    flat = _one_type(uses)
    if flat is None or not all(isinstance(op, ReshapeOp) and op.source.type == flat for op in made):
        return
    dims = _dims(inside)
    loop.operands = [
        _flat(value, Inserter(loop)) if index == number + 3 else value for index, value in enumerate(loop.operands)
    ]
    for end, op in zip(ends, made, strict=True):
        assert isinstance(op, ReshapeOp)
        end.operands = [op.source if index == number else value for index, value in enumerate(end.operands)]
        _erase_unused(op)
    argument = cast(BlockArgument, Rewriter.replace_value_with_new_type(inside, flat))
    for op in uses:
        replace_uses(op.results[0], argument)
        _erase_unused(op)
    result = Rewriter.replace_value_with_new_type(loop.resultValues[number], flat)
    if result.first_use is None:
        return
    assert loop.next_op is not None
    at = Inserter(loop.next_op, loop.location)
    whole = ReshapeOp(result, dims)
    result.replace_uses_with_if(at.value(whole), lambda use: use.operation is not whole)


def _one_type(uses: list[Operation]) -> Attribute | None:
    """The type of a matrix that all uses of a tile (1, m, n) make of it; None where there is another use, or none."""
    types = {op.result.type if isinstance(op, ReshapeOp) else None for op in uses}
    if len(types) != 1 or (flat := types.pop()) is None:
        return None
    (first, *_) = uses
    assert isinstance(first, ReshapeOp)
    return flat if _dims(first.source)[:1] == (1,) and _dims(first.source)[1:] == _dims(first.result) else None


def _erase_unused(op: Operation) -> None:
    if op.results[0].first_use is None:
        assert op.parent is not None
        erase(op)
