"""Rules for conditions, one at a time: each applied as far as it goes, and not where something is missing for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from freehold.dialects.cuda_tile.text import print_module
from freehold.passes.conditions import simplify
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

ENTRY = """cuda_tile.module @m {{
  entry @k(%p: tile<ptr<i32>>, %c: tile<i1>, %d: tile<i1>, %x: tile<i32>, %y: tile<i32>, %f: tile<f32>,
      %g: tile<f32>) {{
{}
    return
  }}
}}
"""
TRUTHS = "%one = constant <i1: 1> : tile<i1>\n%none = constant <i1: 0> : tile<i1>\n"
NUMBERS = (
    "%n0 = constant <i32: 0> : tile<i32>\n%n1 = constant <i32: 1> : tile<i32>\n%n2 = constant <i32: 2> : tile<i32>\n"
)
SAID = 'print_tko "%d", %r : tile<i32> -> token'
TRUE = 'print_tko "%d", %r : tile<i1> -> token'


def select(condition: str, yes: str, no: str, kind: str = "i32", of: str = "i1") -> str:
    return f"%r = select {condition}, {yes}, {no} : tile<{of}>, tile<{kind}>\n"


def branch(condition: str, then: str, other: str | None, results: str = "") -> str:
    end = "" if other is None else f" else {{\n{other}\n}}"
    return f"{'%r = ' if results else ''}if {condition}{results} {{\n{then}\n}}{end}\n"


STORE_X = "store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token"
STORE_Y = "store_ptr_tko weak %p, %y : tile<ptr<i32>>, tile<i32> -> token"
NOT = "%not = xori %c, %one : tile<i1>\n"
CASES: dict[str, str] = {
    "a truth": TRUTHS + select("%c", "%one", "%none", "i1") + TRUE,
    "the other truth": TRUTHS + select("%c", "%none", "%one", "i1") + TRUE,
    "a truth alone": TRUTHS + select("%c", "%one", "%one", "i1") + TRUE,
    "a truth or another": TRUTHS + select("%c", "%one", "%d", "i1") + TRUE,
    "numbers of a condition": NUMBERS + select("%c", "%n1", "%n0") + SAID,
    "numbers of its opposite": NUMBERS + select("%c", "%n0", "%n1") + SAID,
    "other numbers": NUMBERS + select("%c", "%n2", "%n0") + SAID,
    "numbers the other way": NUMBERS + select("%c", "%n1", "%n2") + SAID,
    "floats": "%z = constant <f32: 0.0> : tile<f32>\n%o = constant <f32: 1.0> : tile<f32>\n"
    + select("%c", "%o", "%z", "f32") + 'print_tko "%f", %r : tile<f32> -> token',
    "negated": TRUTHS + NOT + select("%not", "%x", "%y") + SAID,
    "no negation": TRUTHS + "%not = xori %c, %none : tile<i1>\n" + select("%not", "%x", "%y") + SAID,
    "equal": "%e = cmpi equal %x, %y, signed : tile<i32> -> tile<i1>\n" + select("%e", "%x", "%y") + SAID,
    "equal, turned": "%e = cmpi equal %x, %y, signed : tile<i32> -> tile<i1>\n" + select("%e", "%y", "%x") + SAID,
    "unequal": "%e = cmpi not_equal %x, %y, signed : tile<i32> -> tile<i1>\n" + select("%e", "%x", "%y") + SAID,
    "less": "%e = cmpi less_than %x, %y, signed : tile<i32> -> tile<i1>\n" + select("%e", "%x", "%y") + SAID,
    "equal to another": NUMBERS + "%e = cmpi equal %x, %n2, signed : tile<i32> -> tile<i1>\n"
    + select("%e", "%x", "%y") + SAID,
    "selected before": "%s = select %c, %x, %y : tile<i1>, tile<i32>\n" + select("%c", "%s", "%y") + SAID,
    "selected before, left": "%s = select %c, %x, %y : tile<i1>, tile<i32>\n" + select("%c", "%x", "%s") + SAID,
    "selected twice": "%s = select %c, %x, %y : tile<i1>, tile<i32>\n%u = select %c, %y, %x : tile<i1>, tile<i32>\n"
    + select("%c", "%s", "%u") + SAID,
    "selected by another": "%s = select %d, %x, %y : tile<i1>, tile<i32>\n" + select("%c", "%s", "%s") + SAID,
    "a product on the right": "%q = mulf %f, %g : tile<f32>\n%r = addf %f, %q : tile<f32>\n"
    'print_tko "%f", %r : tile<f32> -> token',
    "two products": "%q = mulf %f, %g : tile<f32>\n%s = mulf %g, %g : tile<f32>\n%r = addf %s, %q : tile<f32>\n"
    'print_tko "%f", %r : tile<f32> -> token',
    "a promise again": "%a = assume div_by<4>, %x : tile<i32>\n%b = assume bounded<0, ?>, %a : tile<i32>\n"
    "%r = assume div_by<4>, %b : tile<i32>\n" + SAID,
    "another promise": "%a = assume div_by<4>, %x : tile<i32>\n%r = assume div_by<8>, %a : tile<i32>\n" + SAID,
    "an if that chooses": branch("%c", "yield %x : tile<i32>", "yield %y : tile<i32>", " -> (tile<i32>)") + SAID,
    "an if that computes": branch(
        "%c", "%s = addi %x, %y : tile<i32>\nyield %s : tile<i32>", "yield %y : tile<i32>", " -> (tile<i32>)"
    ) + SAID,
    "a constant in it": branch(
        "%c", "%s = constant <i32: 7> : tile<i32>\nyield %s : tile<i32>", "yield %y : tile<i32>", " -> (tile<i32>)"
    ) + SAID,
    "one way out": branch("%c", "return", "yield %y : tile<i32>", " -> (tile<i32>)") + SAID,
    "a negated if": TRUTHS + NOT + branch("%not", STORE_X, STORE_Y),
    "a negated if without else": TRUTHS + NOT + branch("%not", STORE_X, None),
    "two in a row": branch("%c", STORE_X, None) + branch("%c", STORE_Y, STORE_X),
    "two of opposites": TRUTHS + branch("%c", STORE_X, None) + NOT + branch("%not", STORE_Y, None),
    "an opposite and its own": TRUTHS + NOT + branch("%not", STORE_X, STORE_X) + branch("%c", STORE_Y, STORE_X),
    "two of two": branch("%c", STORE_X, None) + branch("%d", STORE_Y, None),
    "the first leaves": branch("%c", f"{STORE_X}\nreturn", None) + branch("%c", STORE_Y, STORE_X),
    "an else of nothing": branch("%c", STORE_X, ""),
    "an else of something": branch("%c", STORE_X, STORE_Y),
    "one in another": branch("%c", branch("%d", STORE_X, None), None),
    "one in another, with an else": branch("%c", branch("%d", STORE_X, None), STORE_Y),
    "one with an else in another": branch("%c", branch("%d", STORE_X, STORE_Y), None),
    "one in another, behind which is more": branch("%c", branch("%d", STORE_X, None) + STORE_Y, None),
    "all leave": branch("%c", f"{STORE_X}\nreturn", f"{STORE_Y}\nreturn") + STORE_X,
    "one leaves": branch("%c", f"{STORE_X}\nreturn", STORE_Y) + STORE_X,
    "known to leave": TRUTHS + branch("%one", f"{STORE_X}\nreturn", STORE_Y) + STORE_X,
    "known not to leave": TRUTHS + branch("%none", f"{STORE_X}\nreturn", STORE_Y) + STORE_X,
    "constants on the way": "store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token\n" + NUMBERS
    + "%again = constant <i32: 1> : tile<i32>\n%r = addi %n1, %again : tile<i32>\n" + SAID,
    "constants in front": NUMBERS + "%r = addi %n1, %n2 : tile<i32>\n" + SAID,
    "a constant in a branch": branch(
        "%c", f"%n = constant <i32: 5> : tile<i32>\n%r = addi %n, %x : tile<i32>\n{SAID}", None
    ),
}  # fmt: skip


def module_of(lines: str) -> ModuleOp:
    return parse_module(make_context(), ENTRY.format(lines), "k.mlir")


def test_what_rules_make_of_conditions(golden: Callable[[Path, str], None]) -> None:
    """Once for each operation, and whether anything was changed."""
    found: list[str] = []
    for name, lines in CASES.items():
        module = module_of(lines)
        changed = simplify(module)
        module.verify()
        body = print_module(module).split("{\n", 2)[2].rsplit("return", 1)[0].rstrip()
        found.append(f"// {name}: {'changed' if changed else 'as it was'}\n{body}")
    golden(Path(__file__).with_name("conditions.txt"), "\n".join(found))


@pytest.mark.parametrize(("size", "folded"), [(4096, True), (8192, False)])
def test_literals_are_selected_up_to_a_size(size: int, folded: bool) -> None:
    numbers = [", ".join(str(n + k) for n in range(size)) for k in (0, 1)]
    truths = ", ".join("true" if n % 3 else "false" for n in range(size))
    lines = f"%t = constant <i1: [{truths}]> : tile<{size}xi1>\n" + "".join(
        f"%a{k} = constant <i32: [{each}]> : tile<{size}xi32>\n" for k, each in enumerate(numbers)
    )
    module = module_of(lines + select("%t", "%a0", "%a1", f"{size}xi32", f"{size}xi1"))
    simplify(module)
    assert ("select" not in print_module(module)) == folded
