"""Folding against the interpreter: a program prints the same before and after, for any numbers."""

from __future__ import annotations

import lowering_kernels as kernels
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from freehold.passes.canonicalize import canonicalize
from freehold.passes.cse import merge_common_subexpressions
from freehold.passes.hoist_invariants import hoist_invariants
from freehold.runtime.interpreter import run_tile

WIDTHS = [1, 8, 16, 32, 64]
BINARY = [
    "addi {a}, {b}",
    "subi {a}, {b}",
    "muli {a}, {b}",
    "andi {a}, {b}",
    "ori {a}, {b}",
    "xori {a}, {b}",
    *(f"{op} {{a}}, {{b}} {sign}" for op in ("mini", "maxi") for sign in ("signed", "unsigned")),
]
DIVISIONS = [
    "divi {a}, {b} signed",
    "divi {a}, {b} unsigned",
    "divi {a}, {b} signed rounding<negative_inf>",
    "divi {a}, {b} signed rounding<positive_inf>",
    "divi {a}, {b} unsigned rounding<positive_inf>",
    "remi {a}, {b} signed",
    "remi {a}, {b} unsigned",
]
SHIFTS = ["shli {a}, {b}", "shri {a}, {b} signed", "shri {a}, {b} unsigned"]
RELATIONS = ["equal", "not_equal", "less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal"]


def program(lines: list[str], shown: dict[str, str], parameters: str = "") -> str:
    """A module that computes and prints."""
    types = ", ".join(shown.values())
    pattern = " ".join(["%d"] * len(shown))
    body = "\n".join([*lines, f'%t = print_tko "{pattern}", {", ".join(shown)} : {types} -> token', "return"])
    return f"cuda_tile.module @m {{\n entry @k({parameters}) {{\n {body}\n }}\n }}"


def printed(module: ModuleOp, arguments: list[int]) -> list[str]:
    lines: list[str] = []
    run_tile(module, arguments, write=lines.append)
    return lines


def check(text: str, left: set[str], arguments: list[int] | None = None) -> None:
    """The program prints the same after canonicalisation, which leaves only the operations `left`."""
    module = kernels.parse(text)
    before = printed(module, arguments or [])
    canonicalize(module)
    module.verify()
    assert printed(module, arguments or []) == before
    names = {op.name.removeprefix("cuda_tile.") for op in module.walk()}
    assert names <= {"builtin.module", "module", "entry", "constant", "print_tko", "return", *left}


def literal(value: int, bits: int) -> str:
    type_ = f"i{bits}"
    return f"constant <{type_}: {('true' if value else 'false') if bits == 1 else value}> : tile<{type_}>"


@st.composite
def numbers(draw: st.DrawFn) -> tuple[int, int, int]:
    """A width and two numbers of it, often at the edges."""
    bits = draw(st.sampled_from(WIDTHS))
    low, high = (0, 1) if bits == 1 else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    one = st.sampled_from(sorted({low, high, 0, 1, max(-1, low)})) | st.integers(low, high)
    return bits, draw(one), draw(one)


@given(numbers(), st.sampled_from(BINARY))
def test_two_numbers(given_numbers: tuple[int, int, int], op: str) -> None:
    bits, a, b = given_numbers
    type_ = f"tile<i{bits}>"
    lines = [f"%a = {literal(a, bits)}", f"%b = {literal(b, bits)}", f"%c = {op.format(a='%a', b='%b')} : {type_}"]
    check(program(lines, {"%c": type_}), set())


@given(numbers(), st.sampled_from(DIVISIONS))
def test_divisions(given_numbers: tuple[int, int, int], op: str) -> None:
    bits, a, b = given_numbers
    if b == 0 or (b == -1 and a == -(1 << (bits - 1))) or bits == 1:
        return  # undefined
    type_ = f"tile<i{bits}>"
    lines = [f"%a = {literal(a, bits)}", f"%b = {literal(b, bits)}", f"%c = {op.format(a='%a', b='%b')} : {type_}"]
    check(program(lines, {"%c": type_}), set())


@given(numbers(), st.sampled_from(SHIFTS), st.integers(0, 63))
def test_shifts(given_numbers: tuple[int, int, int], op: str, amount: int) -> None:
    bits, a, _ = given_numbers
    if bits == 1:
        return
    type_ = f"tile<i{bits}>"
    amount %= bits
    lines = [f"%a = {literal(a, bits)}", f"%b = {literal(amount, bits)}", f"%c = {op.format(a='%a', b='%b')} : {type_}"]
    check(program(lines, {"%c": type_}), set())


@given(numbers(), st.sampled_from(RELATIONS), st.sampled_from(["signed", "unsigned"]))
def test_comparisons_and_selections(given_numbers: tuple[int, int, int], relation: str, sign: str) -> None:
    bits, a, b = given_numbers
    type_ = f"tile<i{bits}>"
    lines = [
        f"%a = {literal(a, bits)}",
        f"%b = {literal(b, bits)}",
        f"%c = cmpi {relation} %a, %b, {sign} : {type_} -> tile<i1>",
        f"%d = select %c, %a, %b : tile<i1>, {type_}",
    ]
    check(program(lines, {"%c": "tile<i1>", "%d": type_}), set())


@given(numbers(), st.sampled_from(["signed", "unsigned"]))
def test_widths(given_numbers: tuple[int, int, int], sign: str) -> None:
    bits, a, _ = given_numbers
    lines = [f"%a = {literal(a, bits)}"]
    shown: dict[str, str] = {}
    for n, other in enumerate(w for w in WIDTHS if w != bits):
        op = f"exti %a {sign}" if other > bits else "trunci %a"
        lines.append(f"%r{n} = {op} : tile<i{bits}> -> tile<i{other}>")
        shown[f"%r{n}"] = f"tile<i{other}>"
    check(program(lines, shown), set())


@settings(max_examples=20)
@given(st.integers(-(2**31), 2**31 - 1))
def test_one_unknown_number(x: int) -> None:
    """Neutral operands, on either side, around an argument."""
    t = "tile<i32>"
    lines = [f"%{name} = {literal(value, 32)}" for name, value in (("z", 0), ("o", 1), ("m", -1))]
    ops = [
        "addi %x, %z", "addi %z, %x", "subi %x, %z", "subi %x, %x", "muli %x, %o", "muli %o, %x", "muli %z, %x",
        "andi %x, %m", "andi %z, %x", "andi %x, %x", "ori %x, %z", "ori %m, %x", "ori %x, %x", "xori %x, %x",
        "xori %z, %x", "shli %x, %z", "shri %x, %z signed", "divi %x, %o signed", "remi %x, %o signed",
        "mini %x, %x signed", "maxi %x, %x unsigned",
    ]  # fmt: skip
    lines += [f"%r{n} = {op} : {t}" for n, op in enumerate(ops)]
    check(program(lines, {f"%r{n}": t for n in range(len(ops))}, "%x: tile<i32>"), set(), [x])


@pytest.mark.parametrize("bounds", [(0, 3), (3, 3), (5, 2), (-1, 1)])
@pytest.mark.parametrize("condition", ["true", "false"])
def test_control_flow(bounds: tuple[int, int], condition: str) -> None:
    text = f"""
cuda_tile.module @m {{
  entry @k(%x: tile<i32>) {{
    %c = constant <i1: {condition}> : tile<i1>
    %l = constant <i32: {bounds[0]}> : tile<i32>
    %u = constant <i32: {bounds[1]}> : tile<i32>
    %s = constant <i32: 1> : tile<i32>
    %r = for %k in (%l to %u, step %s) : tile<i32> iter_values(%a = %x) -> (tile<i32>) {{
      %three = constant <i32: 3> : tile<i32>
      %seven = muli %three, %x : tile<i32>
      %b = addi %a, %seven : tile<i32>
      %b1 = addi %a, %seven : tile<i32>
      %d = if %c -> (tile<i32>) {{
        %t = print_tko "then %d", %b : tile<i32> -> token
        yield %b1 : tile<i32>
      }} else {{
        %f = subi %b, %x : tile<i32>
        yield %f : tile<i32>
      }}
      continue %d : tile<i32>
    }}
    %e = for unsigned %k in (%l to %u, step %s) : tile<i32> iter_values(%a = %r) -> (tile<i32>) {{
      %b = addi %a, %k : tile<i32>
      if %c {{
        continue %b : tile<i32>
      }}
      continue %a : tile<i32>
    }}
    %t = print_tko "%d %d", %r, %e : tile<i32>, tile<i32> -> token
    return
  }}
}}"""
    if bounds[0] < 0:
        text = text.replace("for unsigned", "for")
    module = kernels.parse(text)
    before = printed(module, [7])
    for step in (canonicalize, hoist_invariants, merge_common_subexpressions, canonicalize):
        step(module)
        module.verify()
        assert printed(module, [7]) == before
