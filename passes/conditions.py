"""What `canonicalize` makes of conditions: an `if` that only chooses becomes a `select`, and there are fewer of both.

What a pipeline's own canonicalisation leaves as it was written, so that a kernel can be followed from its source to
what is emitted, is simplified here: a `select` of truth values, of one and zero, on a negated condition, on a
comparison of what it selects, or of another `select` on the same condition; an `if` whose values exist whatever it
does, on a negated condition, behind another on the same condition, in nothing but another `if`, or before text that is
never reached; promises that were made before. A product goes to the left of a sum, and constants to the front of the
entry, each once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, cast

from xdsl.dialects.builtin import Float4E2M1FNType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from freehold.dialects.classes import erase, replace_uses
from freehold.dialects.cuda_tile.attrs import UNSIGNED
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.folding import literal
from freehold.dialects.cuda_tile.integers import element_width
from freehold.dialects.cuda_tile.ops.arith_float import AddFOp, MulFOp
from freehold.dialects.cuda_tile.ops.arith_int import AndIOp, CmpIOp, XOrIOp
from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp, ForOp, IfOp, LoopOp, ReturnOp, YieldOp
from freehold.dialects.cuda_tile.ops.conversion import ExtIOp
from freehold.dialects.cuda_tile.ops.misc import AssumeOp
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, ConstantOp, ReshapeOp, SelectOp
from freehold.dialects.cuda_tile.types import TileType
from freehold.passes.rewriting import walk

MOST_SELECTED: Final = 4096
"""The most elements of a literal that is made of two others."""


def simplify(root: Operation) -> bool:
    """Applies each rule once wherever it can be, and gathers constants; says whether that changed anything."""
    changed = sum([_simplified(inner) for inner in walk(root) if type(inner) in _RULES and root.is_ancestor(inner)])
    gathered = sum([_gather(inner) for inner in walk(root) if isinstance(inner, EntryOp)])
    return bool(changed or gathered)


def _simplified(op: Operation) -> bool:
    """Whether one of the rules could be applied to an operation, which it was."""
    return any(rule(op) for rule in _RULES[type(op)])


def _replace(op: Operation, values: list[SSAValue], new: list[Operation] | None = None) -> bool:
    for each in new or ():
        each.location = op.location
        if isinstance(each, type(op)):
            each.attributes |= op.attributes  # hints hold of what it becomes
    Rewriter.replace_op(op, new or [], values)
    return True


def _type(value: SSAValue) -> TileType:
    return cast(TileType, value.type)


def _known(value: SSAValue) -> int | None:
    """The truth that fills a tile."""
    found = literal(value)
    return int(found.splat_value) if found is not None and found.is_splat else None


def _negated(condition: SSAValue) -> SSAValue | None:
    """The truth values that these are the opposite of."""
    owner = condition.owner
    return owner.lhs if isinstance(owner, XOrIOp) and _known(owner.rhs) == 1 else None


def _select_truth(op: SelectOp) -> bool:
    if op.cond.type != op.result.type:
        return False
    match _known(op.val_if_true), _known(op.val_if_false):
        case 1, 0:
            return _replace(op, [op.cond])
        case 0, 1:
            opposite = XOrIOp(op.cond, op.val_if_false)
            return _replace(op, [opposite.result], [opposite])
        case _:
            return False


def _select_negated(op: SelectOp) -> bool:
    if (condition := _negated(op.cond)) is None:
        return False
    new = SelectOp(condition, op.val_if_false, op.val_if_true)
    return _replace(op, [new.result], [new])


def _select_compared(op: SelectOp) -> bool:
    """Where two numbers are equal either is as good as the other."""
    compared = op.cond.owner
    if not isinstance(compared, CmpIOp) or {op.val_if_true, op.val_if_false} != {compared.lhs, compared.rhs}:
        return False
    same = {"equal": op.val_if_false, "not_equal": op.val_if_true}.get(compared.comparison_predicate.data.value)
    return same is not None and _replace(op, [same])


def _select_selected(op: SelectOp) -> bool:
    taken, left = op.val_if_true, op.val_if_false
    if isinstance(inner := taken.owner, SelectOp) and inner.cond is op.cond:
        taken = inner.val_if_true
    if isinstance(inner := left.owner, SelectOp) and inner.cond is op.cond:
        left = inner.val_if_false
    if taken is op.val_if_true and left is op.val_if_false:
        return False
    new = SelectOp(op.cond, taken, left)
    return _replace(op, [new.result], [new])


def _select_literals(op: SelectOp) -> bool:
    conds, taken, left = literal(op.cond), literal(op.val_if_true), literal(op.val_if_false)
    if conds is None or taken is None or left is None or taken.type.num_elements > MOST_SELECTED:
        return False
    elements = zip(conds.elements(), taken.elements(), left.elements(), strict=True)
    chosen = [b if c == b"\0" else a for c, a, b in elements]
    new = ConstantOp(DenseElementsAttr.from_elements(taken.type, chosen))
    return _replace(op, [new.result], [new])


def _select_extended(op: SelectOp) -> bool:
    """One and zero are truth values made wider."""
    kind = _type(op.result).element_type
    if element_width(op.result.type) in (None, 1):
        return False
    new: Sequence[Operation] = ()
    match _known(op.val_if_true), _known(op.val_if_false):
        case 1, 0:
            condition = op.cond
        case 0, 1:
            true = ConstantOp.splat(_type(op.cond), 1)
            opposite = XOrIOp(op.cond, true.result)
            condition, new = opposite.result, [true, opposite]
        case _:
            return False
    wide = ExtIOp(condition, kind, UNSIGNED)
    return _replace(op, [wide.results[0]], [*new, wide])


def _product_left(op: AddFOp) -> bool:
    """A product is looked for on the left of a sum, as `fuse-fma` and the assembler do."""
    if not isinstance(op.rhs.owner, MulFOp) or isinstance(op.lhs.owner, MulFOp):
        return False
    op.operands = (op.rhs, op.lhs)
    return True


def _assume_again(op: AssumeOp) -> bool:
    before = op.value.owner
    while isinstance(before, AssumeOp):
        if before.predicate == op.predicate:
            return _replace(op, [op.value])
        before = before.value.owner
    return False


def _detached(op: IfOp) -> tuple[Region, Region]:
    then, other = op.thenRegion, op.elseRegion
    return op.detach_region(then), op.detach_region(other)


def _if_negated(op: IfOp) -> bool:
    condition = _negated(op.condition)
    if condition is None or not op.elseRegion.blocks:
        return False
    then, other = _detached(op)
    new = IfOp(condition, op.result_types, other, then)
    return _replace(op, list(new.results), [new])


def _if_selects(op: IfOp) -> bool:
    """
    Values that exist whatever the `if` does need no `if`: tiles are selected, and where only one region comes to its
    end, what that yields is what there is.
    """
    regions = [region for region in (op.thenRegion, op.elseRegion) if region.blocks]
    ends = [end for region in regions if isinstance(end := region.block.last_op, YieldOp)]
    if not ends or len(regions) < 2:
        return False
    columns = list(zip(*(end.operands for end in ends), strict=True))
    chosen = [i for i, column in enumerate(columns) if all(_exists(value, op, len(ends) > 1) for value in column)]
    if not chosen:
        return False
    for constant in dict.fromkeys(value.owner for index in chosen for value in columns[index]):
        if isinstance(constant, ConstantOp) and op.is_ancestor(constant):
            constant.detach()
            Rewriter.insert_op(constant, InsertPoint.before(op))
    values: dict[int, SSAValue] = {index: columns[index][0] for index in chosen}
    selects = {index: _selected(op.condition, *columns[index]) for index in chosen if len(ends) > 1}
    kept = [index for index in range(len(columns)) if index not in values]
    for end in ends:
        _replace(end, [], [YieldOp([end.operands[index] for index in kept])])
    smaller = IfOp(op.condition, [op.results[index].type for index in kept], *_detached(op))
    values |= {index: smaller.results[at] for at, index in enumerate(kept)}
    values |= {index: made[-1].results[0] for index, made in selects.items()}
    new = [each for made in selects.values() for each in made]
    return _replace(op, [values[index] for index in range(len(columns))], [*new, smaller])


def _selected(condition: SSAValue, taken: SSAValue, left: SSAValue) -> list[Operation]:
    """What selects one of two tiles on a truth value; the last of these operations has it."""
    made: list[Operation] = []
    if dims := _type(taken).dims:
        reshaped = ReshapeOp(condition, [1] * len(dims))
        spread = BroadcastOp(reshaped.result, dims)
        condition, made = spread.result, [reshaped, spread]
    return [*made, SelectOp(condition, taken, left)]


def _exists(value: SSAValue, op: IfOp, selected: bool) -> bool:
    """Whether a value is there without an `if`, or is a constant in it; only tiles can be `selected`."""
    if selected and (not isinstance(value.type, TileType) or value.type.element_type == Float4E2M1FNType()):
        return False
    return isinstance(value.owner, ConstantOp) or not op.is_ancestor(value.owner)


def _if_again(op: IfOp) -> bool:
    """Two in a row on one condition, or on its opposite, are one."""
    again = op.next_op
    if not isinstance(again, IfOp) or again.attributes != op.attributes:
        return False
    then, other = again.thenRegion, again.elseRegion
    if again.condition is not op.condition:
        if _negated(again.condition) is not op.condition and _negated(op.condition) is not again.condition:
            return False
        then, other = other, then
    regions = [_joined(op, *pair) for pair in ((op.thenRegion, then), (op.elseRegion, other))]
    both = IfOp(op.condition, [*op.result_types, *again.result_types], *regions)
    both.location, both.attributes = op.location, dict(op.attributes)
    Rewriter.insert_op(both, InsertPoint.before(op))
    for old, new in zip([*op.results, *again.results], both.results, strict=True):
        replace_uses(old, new)
    erase(again)
    erase(op)
    return True


def _joined(op: IfOp, first: Region, second: Region) -> Region:
    """What runs where one region of an `if` does and one of the next `if` behind it. A region without text yields."""
    before, behind = (region.detach_block(0) if region.blocks else Block([YieldOp()]) for region in (first, second))
    end, last = before.last_op, behind.last_op
    if not isinstance(end, YieldOp):  # it leaves: what is behind is not reached
        behind.erase(safe_erase=False)
        return Region(before)
    for result, value in zip(op.results, end.operands, strict=True):
        result.replace_uses_with_if(value, lambda use: behind.is_ancestor(use.operation))
    values = [*end.operands]
    erase(end)
    if isinstance(last, YieldOp):
        values += last.operands
        erase(last)
    Rewriter.inline_block(behind, InsertPoint.at_end(before))
    if isinstance(last, YieldOp):
        before.add_op(YieldOp(values))
    return Region(before)


def _else_nothing(op: IfOp) -> bool:
    if op.results or not op.elseRegion.blocks or not _only_yields(op.elseRegion):
        return False
    then, _ = _detached(op)
    return _replace(op, [], [IfOp(op.condition, (), then)])


def _only_yields(region: Region) -> bool:
    return all(isinstance(block.first_op, YieldOp) for block in region.blocks)


def _if_in_if(op: IfOp) -> bool:
    """An `if` with nothing in it but another: both conditions at once."""
    inner = op.thenRegion.block.first_op
    if op.results or not isinstance(inner, IfOp) or inner.results or not isinstance(inner.next_op, YieldOp):
        return False
    if not _only_yields(op.elseRegion) or not _only_yields(inner.elseRegion):
        return False
    both = AndIOp(op.condition, inner.condition)
    new = IfOp(both.result, (), inner.detach_region(inner.thenRegion))
    Rewriter.insert_op([both, new], InsertPoint.before(op))
    both.location, new.location = op.location, inner.location
    erase(op)
    return True


def _may_end(block: Block, end: Operation) -> bool:
    match block.parent_op():
        case EntryOp():
            return isinstance(end, ReturnOp)
        case ForOp():
            return isinstance(end, ContinueOp)
        case _:
            return not isinstance(end, YieldOp)


def _if_leaves(op: IfOp) -> bool:
    """Text behind an `if` that is left by every way that can be taken is never reached."""
    around = op.parent
    regions = [op.thenRegion, op.elseRegion]
    known = literal(op.condition)
    if known is not None:
        last = regions[0 if known.splat_value else 1]
    elif all(region.blocks and not isinstance(region.block.last_op, YieldOp) for region in regions):
        last = op.elseRegion
    else:
        return False
    end = last.block.last_op if last.blocks else None
    if around is None or end is None or isinstance(end, YieldOp) or not _may_end(around, end):
        return False
    while (unreached := around.last_op) is not op and unreached is not None:
        Rewriter.erase_op(unreached)
    block = last.block
    last.detach_block(block)
    if known is None:
        new = IfOp(op.condition, (), op.detach_region(op.thenRegion))
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(op))
    Rewriter.inline_block(block, InsertPoint.before(op))
    Rewriter.erase_op(op, safe_erase=False)
    return True


def _gather(entry: EntryOp) -> bool:
    """Constants stand at the front of an entry, each of them once, unless they are in the text of a reduction."""
    front: dict[object, ConstantOp] = {}
    block = entry.regions[0].block
    ops, leading, changed = [each for op in block.ops for each in _run(op)], True, False
    for op in ops:
        leading &= isinstance(op, ConstantOp) and op.parent is block
        if not isinstance(op, ConstantOp):
            continue
        if (same := front.setdefault(op.value, op)) is not op:
            changed |= _replace(op, [same.result])
        elif not leading:
            op.detach()
            Rewriter.insert_op(op, InsertPoint.at_start(block))
            changed = True
    return changed


def _run(op: Operation) -> Iterator[Operation]:
    """An operation, and what is in it, if that sees the values around it."""
    yield op
    if isinstance(op, IfOp | ForOp | LoopOp):
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    yield from _run(inner)


_RULES: Final[dict[type[Operation], tuple[Callable[[Any], bool], ...]]] = {
    SelectOp: (
        _select_truth, _select_negated, _select_compared, _select_selected, _select_literals, _select_extended,
    ),
    AssumeOp: (_assume_again,),
    AddFOp: (_product_left,),
    IfOp: (_if_leaves, _if_negated, _if_selects, _if_again, _else_nothing, _if_in_if),
}  # fmt: skip
