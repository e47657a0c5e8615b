"""Which values are defined where they are used: in blocks that follow one another, branch and meet, and in regions."""

from __future__ import annotations

import pytest

from freehold.passes.verify_dominance import verify_dominance
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

GRAPH = """
"test.op"() ({
^entry(%given: i32):
  %first = "test.op"() : () -> i32
  "test.termop"() [^left, ^right] : () -> ()
^left:
  %left = "test.op"(%first) : (i32) -> i32
  "test.termop"() [^meet] : () -> ()
^right:
  %right = "test.op"(%first) : (i32) -> i32
  "test.termop"() [^meet] : () -> ()
^meet:
  %before = "test.op"() : () -> i32
  "test.op"(USED) ({
    %inside = "test.op"(INSIDE) : (i32) -> i32
    "test.termop"() : () -> ()
  }) : (i32) -> ()
  %after = "test.op"() : () -> i32
  "test.termop"() : () -> ()
}) : () -> ()
"""


def wrong(used: str, inside: str = "%before") -> list[str]:
    """What is said of a use in the block where two branches meet, and of one in a region there."""
    text = GRAPH.replace("USED", used).replace("INSIDE", inside)
    return [e.report().label for e in verify_dominance(parse_module(make_context(), text, "test.mlir"))]


@pytest.mark.parametrize(
    ("value", "visible"),
    [("%given", True), ("%first", True), ("%before", True), ("%left", False), ("%right", False), ("%after", False)],
)
def test_what_is_visible_where_branches_meet(value: str, visible: bool) -> None:
    said = ["operand 0 does not dominate this use"]
    assert wrong(value) == ([] if visible else said)
    assert wrong("%before", value) == ([] if visible else said)
    assert wrong(value, value) == ([] if visible else said * 2)


def test_what_is_defined_in_a_region_is_not_visible_behind_it() -> None:
    text = """
      "test.op"() ({
        %inside = "test.op"() : () -> i32
        "test.termop"() : () -> ()
      }, {
        "test.op"(%inside) : (i32) -> ()
        "test.termop"() : () -> ()
      }) : () -> ()
    """
    with pytest.raises(Exception, match="inside"):  # the text knows no such value either
        parse_module(make_context(), text, "test.mlir")


def test_several_operands_and_loops_between_blocks() -> None:
    text = """
      "test.op"() ({
      ^entry:
        %a = "test.op"() : () -> i32
        "test.termop"() [^turn] : () -> ()
      ^turn:
        "test.op"(%a, %late, %later) : (i32, i32, i32) -> ()
        %late = "test.op"() : () -> i32
        "test.termop"() [^turn, ^end] : () -> ()
      ^end:
        "test.op"(%a, %late) : (i32, i32) -> ()
        %later = "test.op"() : () -> i32
        "test.termop"() : () -> ()
      }) : () -> ()
    """
    errors = verify_dominance(parse_module(make_context(), text, "test.mlir"))
    assert [e.report().label for e in errors] == [
        "operand 1 does not dominate this use",
        "operand 2 does not dominate this use",
    ]
    assert {e.code for e in errors} == {"O120"}
    assert [len(e.report().labels) for e in errors] == [2, 2]  # and where the value is defined
