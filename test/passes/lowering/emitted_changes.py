"""
Emitted code with one thing changed, everywhere in turn: an operand is another value of its type, an attribute has the
next value, an operation is gone. No change is thought of by hand, so no rule of validation is spared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from freehold.dialects.cuda_tile.attrs import WireEnumAttr
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, IfOp, ReturnOp, YieldOp
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.types import TOKEN

Change = tuple[str, Operation | None, Callable[[], None], Callable[[], None]]
"""What is changed, the operation that has to be well-formed with it, how it is done, and how it is undone."""


def changes(entry: EntryOp, *, tokens: bool = False) -> Iterator[Change]:
    """Every change of an entry, in the order of its text: of all but tokens, or of tokens alone."""
    names: dict[SSAValue, str] = {}
    seen = _arguments(entry.regions[0].block, names)
    yield from _block(entry.regions[0].block, seen, names, tokens)


def _arguments(block: Block, names: dict[SSAValue, str]) -> list[SSAValue]:
    for argument in block.args:
        names[argument] = f"%{argument.name_hint or len(names)}"
    return [*block.args]


def _block(block: Block, seen: list[SSAValue], names: dict[SSAValue, str], tokens: bool) -> Iterator[Change]:
    seen = [*seen]
    for op in [*block.ops]:
        what = op.name.removeprefix("cuda_tile.")
        for result in op.results:
            names[result] = f"%{result.name_hint or len(names)}"
        if op.results:
            what = f"{', '.join(names[result] for result in op.results)} = {what}"
        for n, operand in enumerate(op.operands):
            if (operand.type == TOKEN) is tokens and (other := _other(operand, seen)) is not None:
                yield _operand(op, n, other, f"{what}: {names[operand]} -> {names[other]}")
        if not tokens:
            for name, value in op.properties.items():
                if not name.endswith("SegmentSizes") and (new := _next(value)) is not None:
                    yield _property(op, name, new, f"{what}: {name} = {new}")
            if (gone := _gone(op, seen)) is not None:
                yield f"{what}: gone", None, *gone
            if isinstance(op, IfOp) and not op.results:
                yield _turned(op, f"{what}: the other way round")
        for region in op.regions:
            for inner in region.blocks:
                yield from _block(inner, [*seen, *_arguments(inner, names)], names, tokens)
        seen += op.results


def _other(value: SSAValue, seen: list[SSAValue]) -> SSAValue | None:
    """The last value in reach of the same type that is another."""
    return next((v for v in reversed(seen) if v.type == value.type and v is not value), None)


def _operand(op: Operation, n: int, other: SSAValue, what: str) -> Change:
    old = op.operands[n]

    def put(value: SSAValue) -> Callable[[], None]:
        def change() -> None:
            op.operands[n] = value

        return change

    return what, op, put(other), put(old)


def _next(value: Attribute) -> Attribute | None:
    """Another value of an attribute."""
    found: Any = value
    match value:
        case WireEnumAttr():
            with suppress(ValueError):
                return found.from_wire(found.wire + 1)
            return found.from_wire(0) if found.wire else None
        case IntegerAttr():
            return IntegerAttr(found.value.data + 1, found.type)
        case DenseElementsAttr(is_splat=True, splat_value=int(number)):
            return DenseElementsAttr.splat(value.type, number ^ 1)
        case DenseArrayBase() if len(found) > 1:
            first, *others = found.get_values()
            return DenseArrayBase.from_list(found.elt_type, [*others, first])
        case _:
            return None


def _property(op: Operation, name: str, new: Attribute, what: str) -> Change:
    old = op.properties[name]

    def put(value: Attribute) -> Callable[[], None]:
        def change() -> None:
            op.properties[name] = value

        return change

    return what, op, put(new), put(old)


def _gone(op: Operation, seen: list[SSAValue]) -> tuple[Callable[[], None], Callable[[], None]] | None:
    """An operation that nobody needs, or for whose results others can stand in."""
    if isinstance(op, YieldOp | ContinueOp | BreakOp | ReturnOp):
        return None
    block, following = op.parent, op.next_op
    stand_ins = [_other(result, seen) for result in op.results]
    assert block is not None
    assert following is not None
    if any(s is None and any(True for _ in r.uses) for r, s in zip(op.results, stand_ins, strict=True)):
        return None
    uses = [[(use.operation, use.index) for use in result.uses] for result in op.results]

    def take() -> None:
        for places, value in zip(uses, stand_ins, strict=True):
            for user, index in places:
                assert value is not None
                user.operands[index] = value
        op.detach()

    def put_back() -> None:
        block.insert_op_before(op, following)
        for places, value in zip(uses, op.results, strict=True):
            for user, index in places:
                user.operands[index] = value

    return take, put_back


def _turned(op: IfOp, what: str) -> Change:
    def turn() -> None:
        first, second = op.regions
        op.detach_region(second)
        op.detach_region(first)
        op.add_region(second)
        op.add_region(first)

    return what, op, turn, turn
