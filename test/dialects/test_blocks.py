"""Operations put into blocks and taken out of them, against lists; and the fields of operations, against their text."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import test
from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, OptionalDef, VariadicDef

from freehold.dialects.classes import append, detach, erase, insert_after, insert_before, replace_uses
from freehold.dialects.cuda_tile.op import SEGMENTS
from freehold.dialects.cuda_tile.types import TileType
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

LIT = Path(__file__).parents[1] / "lit" / "dialects"


def uses_of(value: SSAValue) -> set[tuple[int, int]]:
    """Who uses a value, at which place; each once."""
    found = [(id(use.operation), use.index) for use in value.uses]
    assert len(found) == len(set(found))
    return set(found)


def check(block: Block, expected: list[Operation], outside: list[Operation], values: list[SSAValue]) -> None:
    """That a block holds these operations, in this order from both ends, and every value knows who uses it."""
    assert list(block.ops) == expected
    backwards = [block.last_op] if block.last_op else []
    while backwards and (before := backwards[-1].prev_op) is not None:
        backwards.append(before)
    assert backwards == expected[::-1]
    assert block.first_op is (expected[0] if expected else None)
    assert all(op.parent is block for op in expected)
    for op in outside:
        assert (op.parent, op.prev_op, op.next_op) == (None, None, None)
    for value in values:
        assert uses_of(value) == {
            (id(op), n) for op in (*expected, *outside) for n, operand in enumerate(op.operands) if operand is value
        }


@given(st.data())
def test_operations_are_where_they_are_put(data: st.DataObject) -> None:
    block = Block(arg_types=[i32, i32])
    values: list[SSAValue] = [*block.args]

    def made() -> Operation:
        count = data.draw(st.integers(0, 2))
        op = test.TestOp(operands=[data.draw(st.sampled_from(values)) for _ in range(count)], result_types=[i32])
        values.extend(op.results)
        return op

    inside = [made() for _ in range(data.draw(st.integers(0, 4)))]
    append(block, inside)
    outside: list[Operation] = []
    check(block, inside, outside, values)
    for _ in range(data.draw(st.integers(1, 10))):
        step = data.draw(st.sampled_from(["before", "behind", "take", "erase", "replace"]))
        if step == "replace":
            replace_uses(data.draw(st.sampled_from(values)), data.draw(st.sampled_from(values)))
        elif step in ("take", "erase"):
            if not inside:
                continue
            op = data.draw(st.sampled_from(inside))
            if step == "take":
                detach(op)
                outside.append(op)
            elif any(True for _ in op.results[0].uses):
                with pytest.raises(ValueError, match=r"`test\.op` is erased, and its results are used"):
                    erase(op)
                continue
            else:
                erase(op)
                values.remove(op.results[0])
            inside.remove(op)
        elif inside:
            op = outside.pop() if outside else made()
            at = data.draw(st.integers(0, len(inside) - 1))
            (insert_before if step == "before" else insert_after)(op, inside[at])
            inside.insert(at + (step == "behind"), op)
        check(block, inside, outside, values)


def test_what_is_erased_with_regions_uses_nothing_any_more() -> None:
    block = Block(arg_types=[i32])
    inner = test.TestOp(operands=[block.args[0]])
    outer = test.TestOp(operands=[block.args[0]], regions=[Region(Block([inner]))])
    append(block, [outer])
    erase(outer)
    assert not list(block.ops)
    assert not uses_of(block.args[0])


def test_a_name_goes_to_what_is_used_instead() -> None:
    block = Block(arg_types=[i32, i32, i32])
    named, other, without = block.args
    named.name_hint, other.name_hint = "named", "other"
    replace_uses(named, without)
    replace_uses(named, other)
    assert [value.name_hint for value in block.args] == ["named", "other", "named"]


def fields_of(op: IRDLOperation) -> dict[str, Any]:
    """The operands of each field, counted from the left as the operation says itself, or where only one is open."""
    definitions = op.get_irdl_definition().operands
    sizes = op.properties.get(SEGMENTS)
    if isinstance(sizes, DenseArrayBase):
        counts = [int(size) for size in sizes.get_values()]
    else:
        several = sum(isinstance(kind, VariadicDef) for _, kind in definitions)
        left = len(op.operands) - len(definitions) + several
        counts = [left if isinstance(kind, VariadicDef) else 1 for _, kind in definitions]
    found: dict[str, Any] = {}
    first = 0
    for (name, kind), count in zip(definitions, counts, strict=True):
        part = tuple(op.operands)[first : first + count]
        first += count
        if isinstance(kind, OptionalDef):
            found[name] = part[0] if part else None
        else:
            found[name] = part if isinstance(kind, VariadicDef) else part[0]
    assert first == len(op.operands)
    return found


@pytest.mark.parametrize("path", sorted(LIT.rglob("*.mlir")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_fields_are_the_operands_of_their_names(path: Path) -> None:
    if path.stem.endswith("invalid"):
        return
    for chunk in path.read_text(encoding="utf-8").split("// -----"):
        for op in parse_module(make_context(allow_unregistered=True), chunk, path.name).walk():
            if isinstance(op, IRDLOperation) and op.name.startswith(("cuda_tile.", "ownership.")):
                for name, expected in fields_of(op).items():
                    given = getattr(op, name)
                    assert (tuple(given) if isinstance(expected, tuple) else given) == expected, (op.name, name)


def test_types_are_copied_and_sent_without_what_is_kept_of_them() -> None:
    type_ = TileType.new(TileType((4, 2), i32).parameters)
    assert hash(type_) == hash(TileType((4, 2), i32))
    for again in (pickle.loads(pickle.dumps(type_)), copy.deepcopy(type_)):
        assert again == type_
        assert hash(again) == hash(type_)
        assert "_hash" in vars(again)  # computed here
    assert "_hash" not in type_.__getstate__()
