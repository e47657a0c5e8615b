"""Ranges of single operations: just what they come to, and every result of the registers within them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freehold.passes.analysis.ranges import Ranges
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

Bounds = tuple[int, int]
FULL = (-128, 127)


def range_of(op: str, a: Bounds, b: Bounds) -> Bounds:
    """The range of the last operation of a text about `%a` and `%b`, tiles of numbers between these."""
    tiles = "\n".join(
        f"%{n} = cuda_tile.constant <i8: [{low}, {high}]> : tile<2xi8>"
        for n, (low, high) in zip("ab", (a, b), strict=True)
    )
    module = parse_module(make_context(), f"{tiles}\n{op}", "k.mlir")
    last = module.body.block.last_op
    assert last is not None
    low, high = Ranges({}, Hypotheses()).of(last.results[0])
    return low.evaluate({}), high.evaluate({})


def plain(name: str, more: str = "") -> str:
    return f"%r = cuda_tile.{name} %a, %b {more} : tile<2xi8>"


def chosen(predicate: str, signedness: str = "signed", first: str = "%a, %b") -> str:
    compared = f"%c = cuda_tile.cmpi {predicate} {first}, {signedness} : tile<2xi8> -> tile<2xi1>"
    return f"{compared}\n%r = cuda_tile.select %c, %a, %b : tile<2xi1>, tile<2xi8>"


ADD, SUB, MUL = plain("addi"), plain("subi"), plain("muli")
DOWN, ZERO = plain("divi", "signed rounding<negative_inf>"), plain("divi", "signed rounding<zero>")
REM, AND, SHR = plain("remi", "signed"), plain("andi"), plain("shri", "signed")
EXACTLY: list[tuple[str, Bounds, Bounds, Bounds]] = [
    (ADD, (-3, 5), (2, 7), (-1, 12)),
    (ADD, (100, 120), (7, 7), (107, 127)),
    (ADD, (100, 120), (7, 8), FULL),
    (ADD, (-120, 0), (-8, -1), (-128, -1)),
    (ADD, (-120, 0), (-9, -1), FULL),
    (SUB, (-3, 5), (2, 7), (-10, 3)),
    (SUB, (-120, 0), (0, 8), (-128, 0)),
    (SUB, (-120, 0), (0, 9), FULL),
    (MUL, (2, 3), (0, 5), (0, 15)),
    (MUL, (-2, 3), (5, 5), (-10, 15)),
    (MUL, (5, 5), (-2, 3), (-10, 15)),
    (MUL, (-2, 3), (-5, -5), (-15, 10)),
    (MUL, (-2, 3), (0, 0), (0, 0)),
    (MUL, (-2, 3), (0, 5), FULL),
    (MUL, (0, 16), (0, 8), FULL),
    (plain("mini", "signed"), (-3, 5), (2, 7), (-3, 5)),
    (plain("maxi", "signed"), (-3, 5), (2, 7), (2, 7)),
    (plain("maxi", "unsigned"), (-3, 5), (2, 7), FULL),
    (plain("maxi", "unsigned"), (0, 5), (2, 7), (2, 7)),
    (plain("mini", "unsigned"), (0, 5), (-1, 7), FULL),
    (DOWN, (-7, 9), (2, 2), (-4, 4)),
    (DOWN, (-7, 9), (1, 1), (-7, 9)),
    (DOWN, (-7, 9), (0, 0), FULL),
    (DOWN, (-7, 9), (2, 3), FULL),
    (ZERO, (-7, 9), (2, 2), FULL),
    (ZERO, (0, 9), (2, 2), (0, 4)),
    (plain("divi", "signed rounding<positive_inf>"), (0, 9), (2, 2), FULL),
    (REM, (-7, 9), (3, 5), (-4, 4)),
    (REM, (0, 9), (3, 5), (0, 4)),
    (REM, (-1, 9), (1, 5), (-4, 4)),
    (REM, (0, 9), (0, 5), FULL),
    (AND, (0, 9), (-1, 5), (0, 9)),
    (AND, (-1, 9), (0, 5), (0, 5)),
    (AND, (0, 9), (0, 5), (0, 5)),
    (AND, (-1, 9), (-1, 5), FULL),
    (SHR, (-7, 9), (1, 1), (-4, 4)),
    (SHR, (-7, 9), (0, 0), (-7, 9)),
    (SHR, (-128, 127), (7, 7), (-1, 0)),
    (SHR, (-128, 126), (8, 8), FULL),
    (SHR, (-7, 9), (-1, -1), FULL),
    (SHR, (-7, 9), (0, 1), FULL),
    (plain("shri", "unsigned"), (0, 9), (1, 1), (0, 4)),
    (plain("shri", "unsigned"), (-7, 9), (1, 1), FULL),
    (plain("ori"), (0, 1), (0, 1), FULL),
    ("%r = cuda_tile.iota : tile<8xi8>", FULL, FULL, (0, 7)),
    ("%q = cuda_tile.reshape %a : tile<2xi8> -> tile<2x1xi8>\n"
     "%r = cuda_tile.broadcast %q : tile<2x1xi8> -> tile<2x2xi8>", (3, 5), FULL, (3, 5)),
    ("%q = cuda_tile.reshape %a : tile<2xi8> -> tile<2x1xi8>\n"
     "%r = cuda_tile.permute %q [1, 0] : tile<2x1xi8> -> tile<1x2xi8>", (3, 5), FULL, (3, 5)),
    (chosen("less_than"), (-9, 9), (2, 4), (-9, 4)),
    (chosen("less_than"), (-9, 9), (4, 4), (-9, 4)),
    (chosen("greater_than"), (-9, 9), (2, 4), (2, 9)),
    (chosen("greater_than_or_equal"), (-9, 9), (3, 4), (3, 9)),
    (chosen("equal"), (-9, 9), (3, 4), (-9, 9)),
    (chosen("less_than", "unsigned"), (-9, 9), (3, 4), (-9, 9)),
    (chosen("less_than", first="%b, %a"), (-9, 9), (3, 4), (-9, 9)),
    ("%z = cuda_tile.constant <i8: 3> : tile<2xi8>\n"
     "%c = cuda_tile.cmpi less_than %a, %z, signed : tile<2xi8> -> tile<2xi1>\n"
     "%r = cuda_tile.select %c, %a, %b : tile<2xi1>, tile<2xi8>", (-9, 9), (0, 1), (-9, 2)),
    ("%z = cuda_tile.constant <i8: 3> : tile<2xi8>\n"
     "%c = cuda_tile.cmpi less_than_or_equal %a, %z, signed : tile<2xi8> -> tile<2xi1>\n"
     "%r = cuda_tile.select %c, %a, %b : tile<2xi1>, tile<2xi8>", (-9, 9), (0, 1), (-9, 3)),
    ("%z = cuda_tile.constant <i8: 3> : tile<2xi8>\n"
     "%c = cuda_tile.cmpi greater_than %a, %z, signed : tile<2xi8> -> tile<2xi1>\n"
     "%r = cuda_tile.select %c, %a, %b : tile<2xi1>, tile<2xi8>", (-9, 9), (5, 6), (4, 9)),
    ("%q = cuda_tile.divi %a, %b signed rounding<negative_inf> : tile<2xi8>\n"
     "%m = cuda_tile.muli %q, %b : tile<2xi8>\n%r = cuda_tile.subi %a, %m : tile<2xi8>", (-128, 127), (3, 5), (0, 4)),
    ("%q = cuda_tile.divi %a, %b signed rounding<negative_inf> : tile<2xi8>\n"
     "%m = cuda_tile.muli %b, %q : tile<2xi8>\n%r = cuda_tile.subi %a, %m : tile<2xi8>", (-128, 127), (1, 5), (0, 4)),
    ("%q = cuda_tile.divi %a, %b signed rounding<zero> : tile<2xi8>\n"
     "%m = cuda_tile.muli %q, %b : tile<2xi8>\n%r = cuda_tile.subi %a, %m : tile<2xi8>", (-128, 127), (3, 5), FULL),
    ("%q = cuda_tile.divi %a, %b signed rounding<negative_inf> : tile<2xi8>\n"
     "%m = cuda_tile.muli %q, %b : tile<2xi8>\n%r = cuda_tile.subi %a, %m : tile<2xi8>", (-128, 127), (0, 5), FULL),
]  # fmt: skip


@pytest.mark.parametrize(("op", "a", "b", "wanted"), EXACTLY)
def test_exactly(op: str, a: Bounds, b: Bounds, wanted: Bounds) -> None:
    assert range_of(op, a, b) == wanted


def wrapped(n: int) -> int:
    return (n + 128) % 256 - 128


REGISTERS: dict[str, Callable[[int, int], int | None]] = {
    ADD: lambda a, b: a + b,
    SUB: lambda a, b: a - b,
    MUL: lambda a, b: a * b,
    AND: lambda a, b: a & b,
    plain("mini", "signed"): min,
    plain("maxi", "signed"): max,
    plain("mini", "unsigned"): lambda a, b: min(a % 256, b % 256),
    plain("maxi", "unsigned"): lambda a, b: max(a % 256, b % 256),
    DOWN: lambda a, b: a // b if b else None,
    ZERO: lambda a, b: int(a / b) if b else None,
    REM: lambda a, b: a - int(a / b) * b if b else None,
    SHR: lambda a, b: a >> b if 0 <= b < 8 else None,
    plain("shri", "unsigned"): lambda a, b: (a % 256) >> b if 0 <= b < 8 else None,
    chosen("less_than"): lambda a, b: a if a < b else b,
    chosen("greater_than_or_equal"): lambda a, b: a if a >= b else b,
}
numbers = st.integers(-128, 127) | st.integers(-3, 9)


@settings(max_examples=150)
@given(st.sampled_from([*REGISTERS]), numbers, st.integers(0, 6), numbers, st.integers(0, 6))
def test_every_result_is_within(op: str, a: int, wide: int, b: int, high: int) -> None:
    x, y = (a, min(a + wide, 127)), (b, min(b + high, 127))
    low, most = range_of(op, x, y)
    for m, n in product(range(x[0], x[1] + 1), range(y[0], y[1] + 1)):
        made = REGISTERS[op](m, n)
        assert made is None or low <= wrapped(made) <= most
