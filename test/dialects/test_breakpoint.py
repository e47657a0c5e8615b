"""What a breakpoint says of the names that can be seen: which texts are values, and which are none."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntAttr, StringAttr
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.cuda_tile.ops.shape import ConstantOp
from freehold.dialects.cuda_tile.types import tile
from freehold.dialects.ownership import BreakpointOp, Scope
from freehold.frontend.types import ELEMENTS
from freehold.support import dtypes


def stopping(*names: tuple[str, str], values: int = 2, dtypes_: int | None = None) -> BreakpointOp:
    """A breakpoint that sees names, with operands."""
    made = [ConstantOp.splat(tile((), ELEMENTS[dtypes.i32]), n).result for n in range(values)]
    kinds = ["i32"] * (values if dtypes_ is None else dtypes_)
    return BreakpointOp(made, kinds, [Scope("f", "m", 3, names)], asked=False)


VALUES = [
    "1", "-1", "1.5", "-1.5", "'text'", "b'bytes'", "None", "True", "_0", "_1", "()", "(_0,)", "(1, (_1, 'a'), ())",
    "dtype('f32')", "float('nan')", "range(0, 8, 2)", "host('m', 'Color.RED')", "record('m', 'State', (_1, 0))",
    "tensor(_1, (_0, _0), (64, 64))",
]  # fmt: skip
NONE = [
    "", "x", "_2", "_x", "_", "__0", "_-1", "1 +", "(", "1 + 1", "+1", "~1", "-x", "-_0", "[1]", "{1: 2}", "{1}",
    "(1, x)", "(_0, (1, _2))", "open('f')", "dtype(x)", "dtype(name='f32')", "m.dtype('f32')", "dtype(*())",
    "range(_2)", "lambda: 1", "1 if 1 else 2", "not 1", "1 < 2", "f'{1}'", "dtype", "x.y", "a\0b",
    "record('m', 'State', (_2, 0))",
]  # fmt: skip


@pytest.mark.parametrize("text", VALUES)
def test_what_is_a_value(text: str) -> None:
    op = stopping(("x", text), ("other", "1"))
    op.verify()
    assert op.read() == [Scope("f", "m", 3, (("x", text), ("other", "1")))]


@pytest.mark.parametrize("text", NONE)
def test_what_is_none(text: str) -> None:
    with pytest.raises(VerifyException) as caught:
        stopping(("other", "1"), ("x", text)).verify_()
    assert str(caught.value) == f"ownership.breakpoint: `x = {text}` is no name with a value"


@pytest.mark.parametrize("name", ["", "a b", "1", "a.b", "a-b"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(VerifyException, match=r"is no name with a value$"):
        stopping((name, "1")).verify_()


@pytest.mark.parametrize("kinds", [0, 1, 3])
def test_each_operand_has_a_dtype(kinds: int) -> None:
    with pytest.raises(VerifyException, match=rf"^ownership.breakpoint: 2 values and {kinds} dtypes$"):
        stopping(dtypes_=kinds).verify_()


WHOLE: dict[str, Any] = {
    "begins": IntAttr(3), "function": StringAttr("f"), "module": StringAttr("m"), "names": ArrayAttr([]),
}  # fmt: skip


@pytest.mark.parametrize("left", WHOLE)
@pytest.mark.parametrize("instead", [None, DictionaryAttr({})])
def test_a_scope_is_whole(left: str, instead: Any) -> None:
    op = stopping()
    scope = {name: instead if name == left else value for name, value in WHOLE.items()}
    given = DictionaryAttr({name: value for name, value in scope.items() if value is not None})
    op.properties["scopes"] = ArrayAttr([DictionaryAttr(WHOLE), given])
    with pytest.raises(VerifyException) as caught:
        op.verify_()
    said = "a scope has a function, a module, the line where it begins, and names"
    assert str(caught.value) == f"ownership.breakpoint: {said}"


def test_a_function_is_being_run() -> None:
    op = stopping()
    op.properties["scopes"] = ArrayAttr([])
    with pytest.raises(VerifyException, match=r"^ownership.breakpoint: no function is being run$"):
        op.verify_()
