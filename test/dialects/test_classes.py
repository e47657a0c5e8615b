"""Blocks and operations that are changed in place: what is still used stays."""

from __future__ import annotations

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import i32
from xdsl.ir import Block

from freehold.dialects.classes import drop_arguments


@pytest.mark.parametrize(("used", "count", "refused"), [
    ((), 0, False), ((), 2, False), ((0,), 0, False), ((0,), 1, True), ((1,), 1, False), ((1,), 2, True),
    ((0,), 2, True), ((2,), 2, False), ((0, 1), 2, True), ((0, 1, 2), 3, True),
])  # fmt: skip
def test_arguments_that_nobody_uses_are_taken_away(used: tuple[int, ...], count: int, refused: bool) -> None:
    block = Block(arg_types=[i32] * 3)
    arguments = list(block.args)
    block.add_op(test.TestOp(operands=[arguments[n] for n in used]))
    if refused:
        with pytest.raises(ValueError, match="an argument is taken away, and it is used"):
            drop_arguments(block, count)
        assert list(block.args) == arguments
        return
    drop_arguments(block, count)
    assert list(block.args) == arguments[count:]
    assert [argument.index for argument in block.args] == list(range(3 - count))
