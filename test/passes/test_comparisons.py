"""What decides comparisons of scalars and tiles, and by how much they come out."""

from __future__ import annotations

import pytest
from xdsl.ir import SSAValue

from freehold.dialects.cuda_tile.ops.arith_int import CmpIOp
from freehold.passes.analysis.comparisons import Comparisons
from freehold.passes.launch_contract import kernel_of
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.support.terms import Term, parse, sym
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

KNOWN = ("a", "b", "c")
TEXT = """
ownership.kernel @k(%a: !cuda_tile.tile<i32>, %b: !cuda_tile.tile<i32>, %c: !cuda_tile.tile<i32>,
    %u: !cuda_tile.tile<i32>, %v: !cuda_tile.tile<i8>) {
  %3 = cuda_tile.constant <i32: 3> : tile<i32>
  %sum = cuda_tile.addi %a, %3 : tile<i32>
  %iota = cuda_tile.iota : tile<8xi32>
  %one = cuda_tile.reshape %a : tile<i32> -> tile<1xi32>
  %wide = cuda_tile.broadcast %one : tile<1xi32> -> tile<8xi32>
  %r = cuda_tile.cmpi COMPARISON
}
"""
GIVEN = ("0 <= a", "a < b", "b <= 100", "c == 7", "-100 <= c")


def compared(predicate: str, left: str, right: str, signedness: str = "signed") -> tuple[Comparisons, CmpIOp]:
    type_ = "8xi32" if {left, right} & {"iota", "wide"} else "i8" if "v" in (left, right) else "i32"
    result = "8xi1" if type_ == "8xi32" else "i1"
    comparison = f"{predicate} %{left}, %{right}, {signedness} : tile<{type_}> -> tile<{result}>"
    kernel = kernel_of(parse_module(make_context(), TEXT.replace("COMPARISON", comparison), "test.mlir"))
    op = next(op for op in kernel.body.block.ops if isinstance(op, CmpIOp))
    known: dict[SSAValue, Term] = {v: sym(n) for v, n in zip(kernel.body.block.args, KNOWN, strict=False)}
    return Comparisons(known, Hypotheses().extended(map(parse, GIVEN))), op


@pytest.mark.parametrize(
    ("predicate", "left", "right", "decided"),
    [
        ("less_than", "a", "b", True),
        ("less_than", "b", "a", False),
        ("less_than", "a", "a", False),
        ("less_than_or_equal", "a", "a", True),
        ("less_than_or_equal", "b", "a", False),
        ("less_than_or_equal", "a", "b", True),
        ("greater_than", "b", "a", True),
        ("greater_than", "a", "b", False),
        ("greater_than", "a", "a", False),
        ("greater_than_or_equal", "a", "a", True),
        ("greater_than_or_equal", "b", "a", True),
        ("greater_than_or_equal", "a", "b", False),
        ("equal", "a", "a", True),
        ("equal", "a", "b", False),
        ("equal", "b", "a", False),
        ("not_equal", "a", "a", False),
        ("not_equal", "a", "b", True),
        ("not_equal", "b", "a", True),
        ("equal", "a", "c", None),
        ("not_equal", "a", "c", None),
        ("less_than", "a", "c", None),
        ("less_than", "3", "c", True),
        ("less_than", "c", "3", False),
        ("less_than", "a", "sum", True),
        ("greater_than", "a", "sum", False),
        ("equal", "a", "sum", False),
        ("less_than", "u", "a", None),
        ("equal", "u", "u", True),
        ("less_than", "u", "u", False),
        # Tiles: what is so for all elements
        ("less_than", "iota", "wide", None),
        ("less_than", "wide", "wide", False),
        ("less_than_or_equal", "wide", "wide", True),
        ("equal", "wide", "wide", True),
        ("equal", "iota", "iota", None),
        ("less_than", "iota", "iota", None),
    ],
)
def test_what_comparisons_come_to(predicate: str, left: str, right: str, decided: bool | None) -> None:
    comparisons, op = compared(predicate, left, right)
    assert comparisons.decided(op) is decided
    assert comparisons.where(parse("a <= 100")).decided(op) is decided


def test_more_is_known_where_something_holds() -> None:
    comparisons, op = compared("less_than", "a", "c")
    assert comparisons.decided(op) is None
    assert comparisons.where(parse("a < 7")).decided(op) is True
    assert comparisons.where(parse("7 <= a")).decided(op) is False
    assert comparisons.decided(op) is None
    comparisons, op = compared("less_than", "iota", "wide")
    assert comparisons.where(parse("8 <= a")).decided(op) is True
    assert comparisons.where(parse("7 <= a")).decided(op) is None
    assert comparisons.where(parse("a <= 0")).decided(op) is False


@pytest.mark.parametrize(
    ("predicate", "left", "right", "true", "false"),
    [
        ("less_than", "a", "b", "b - a - 1", "a - b"),
        ("less_than_or_equal", "a", "b", "b - a", "a - b - 1"),
        ("greater_than", "a", "b", "a - b - 1", "b - a"),
        ("greater_than_or_equal", "a", "b", "a - b", "b - a - 1"),
        ("less_than", "iota", "wide", "a - 7 - 1", "0 - a"),
        ("greater_than_or_equal", "wide", "iota", "a - 7", "0 - a - 1"),
        ("equal", "a", "b", None, None),
    ],
)
def test_margins(predicate: str, left: str, right: str, true: str | None, false: str | None) -> None:
    comparisons, op = compared(predicate, left, right)
    for result, text in ((True, true), (False, false)):
        found = comparisons.margin(op, result)
        assert (None if found is None else str(found)) == (None if text is None else str(parse(text)))


def test_differences() -> None:
    def difference(predicate: str, left: str, right: str) -> str | None:
        comparisons, op = compared(predicate, left, right)
        found = comparisons.difference(op)
        return None if found is None else str(found)

    assert difference("equal", "a", "b") == difference("not_equal", "a", "b") == "a - b"
    assert difference("equal", "wide", "wide") == "0"
    assert difference("equal", "iota", "wide") is None
    assert difference("equal", "wide", "iota") is None
    assert difference("less_than", "a", "b") is None


def test_numbers_without_a_sign() -> None:
    """They are compared as numbers where they are not negative."""
    for left, right, decided in (("a", "b", True), ("a", "u", None), ("u", "a", None), ("a", "c", None)):
        comparisons, op = compared("less_than", left, right, "unsigned")
        assert comparisons.decided(op) is decided
        assert (comparisons.sides(op) is None) == ("u" in (left, right))
    comparisons, op = compared("equal", "u", "u", "unsigned")
    assert comparisons.decided(op) is None  # a symbol of its own may be negative


def test_what_nothing_is_known_of_has_its_type() -> None:
    comparisons, op = compared("less_than", "v", "v")
    found = comparisons.term(op.lhs)
    assert comparisons.term(op.lhs) is found
    assert comparisons.shown(parse("-128").le(found))
    assert comparisons.shown(found.le(127))
    assert not comparisons.shown(parse("-127").le(found))
    assert not comparisons.shown(found.le(126))
    assert comparisons.fits(found, op.lhs)
    assert not comparisons.fits(found + 1, op.lhs)
    assert comparisons.fits(parse("127"), op.lhs)
    assert not comparisons.fits(parse("128"), op.lhs)
