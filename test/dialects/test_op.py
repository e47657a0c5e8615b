"""Operations of Tile IR are compared with their declarations: an operand of a wrong type is refused in each of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from freehold.dialects.cuda_tile import OPS, TileOp
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

FOLDER = Path(__file__).parents[1] / "lit" / "dialects" / "cuda_tile"
FILES = sorted(path for path in FOLDER.glob("*.mlir") if not path.stem.endswith("invalid"))
WRONG = StringAttr("no type")


@cache
def operations() -> dict[str, Operation]:
    """Each kind of operation once, as the suites of the dialect have it; the one with the most operands."""
    found: dict[str, Operation] = {}
    for path in FILES:
        for chunk in path.read_text(encoding="utf-8").split("// -----"):
            for op in parse_module(make_context(allow_unregistered=True), chunk, path.name).walk():
                if isinstance(op, TileOp) and len(op.operands) >= len(found.get(op.name, op).operands):
                    found[op.name] = op
    return found


NAMES = sorted(op.name for op in OPS)


def test_the_suites_have_every_operation() -> None:
    assert {*NAMES} <= {*operations()}


@pytest.mark.parametrize("name", NAMES)
def test_an_operand_or_a_result_of_a_wrong_type_is_refused(name: str) -> None:
    op = operations()[name]
    op.verify_()
    for number, right in enumerate(op.operands):
        op.operands[number] = create_ssa_value(WRONG)  # pyright: ignore[reportArgumentType] -- what is wrong with it
        with pytest.raises(VerifyException):
            op.verify_()
        op.operands[number] = right
    for result in op.results:
        result._type, right_type = WRONG, result.type  # pyright: ignore[reportPrivateUsage,reportAttributeAccessIssue]
        with pytest.raises(VerifyException):
            op.verify_()
        result._type = right_type  # pyright: ignore[reportPrivateUsage,reportAttributeAccessIssue]
    op.verify_()


@pytest.mark.parametrize("name", NAMES)
def test_a_property_that_is_missing_or_wrong_is_refused(name: str) -> None:
    op = operations()[name]
    for key, right in [*op.properties.items()]:
        op.properties[key] = WRONG
        if not isinstance(right, StringAttr):
            with pytest.raises(VerifyException):
                op.verify_()
        op.properties[key] = right
    op.properties["nothing_of_the_kind"] = WRONG
    with pytest.raises(VerifyException):
        op.verify_()
    del op.properties["nothing_of_the_kind"]
    op.verify_()
