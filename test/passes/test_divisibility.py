"""What divides the numbers of a kernel: by layouts, by requirements and by what is computed of them."""

from __future__ import annotations

from typing import Any, cast

import pytest
from xdsl.ir import SSAValue

from freehold.passes.analysis.divisibility import Divisors, power_of_two, step
from freehold.passes.launch_contract import kernel_of
from freehold.support.terms import parse
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

LAYOUT = "#ownership.layout<align = 48, strides = [0, 1], stride_divs = [12, 1], extent_divs = [6, 16]>"
TEXT = f"""
ownership.kernel @k(%x: !ownership.tensor<[M, N], f32, {LAYOUT}>, %s: !cuda_tile.tile<i32>, %u: !cuda_tile.tile<i32>,
    %y: !ownership.tensor<[M, "8"], f16, #ownership.layout<align = 16, strides = [8, 1], stride_divs = [1, 1],
    extent_divs = [4, 8]>>) {{
  ownership.require "s % 24 == 0 and M % 5 == 0"
  ownership.require "0 <= u"
  ownership.require "u % 2 == 1"
  %c = cuda_tile.constant <i32: 40> : tile<i32>
  %m = ownership.dim %x, 0 : !ownership.tensor<[M, N], f32, {LAYOUT}>
  %n = ownership.dim %x, 1 : !ownership.tensor<[M, N], f32, {LAYOUT}>
  %sum = cuda_tile.addi %s, %n : tile<i32>
  %difference = cuda_tile.subi %n, %c : tile<i32>
  %product = cuda_tile.muli %s, %c : tile<i32>
  %quotient = cuda_tile.divi %s, %c signed rounding<zero> : tile<i32>
  %wide = cuda_tile.exti %sum signed : tile<i32> -> tile<i64>
  %narrow = cuda_tile.trunci %product : tile<i32> -> tile<i16>
  %flag = cuda_tile.cmpi less_than %s, %u, signed : tile<i32> -> tile<i1>
  %tile = cuda_tile.constant <i32: 16> : tile<4xi32>
  %real = cuda_tile.constant <f32: 16.0> : tile<f32>
  %p = ownership.partition %x : !ownership.tensor<[M, N], f32, {LAYOUT}> -> !ownership.partition<mut tile [4, 4], [M, N], f32, {LAYOUT}>
  %w = ownership.window %x[%s] {{axis = #builtin.int<0>}} : !ownership.tensor<[M, N], f32, {LAYOUT}> -> !ownership.tensor<["4", N], f32, #ownership.layout<align = 4, strides = [0, 1], stride_divs = [12, 1], extent_divs = [1, 16]>>
}}
"""  # noqa: E501 -- text of a program


def kernel() -> Any:
    return kernel_of(parse_module(make_context(), TEXT, "test.mlir"))


def named(found: Any, name: str) -> SSAValue:
    values = [*found.body.block.args, *(r for op in found.body.block.ops for r in op.results)]
    return next(v for v in values if v.name_hint == name)


@pytest.mark.parametrize(
    ("name", "power"),
    [
        ("s", 8), ("u", 1), ("c", 8), ("m", 4), ("n", 16), ("sum", 8), ("difference", 8), ("product", 64),
        ("quotient", 1), ("wide", 8), ("narrow", 64), ("flag", 1), ("tile", 1), ("real", 1),
    ],
)  # fmt: skip
def test_powers_of_two_that_divide_integers(name: str, power: int) -> None:
    found = kernel()
    assert Divisors(found).of(named(found, name)) == power


@pytest.mark.parametrize(
    ("text", "divisor"),
    [
        ("M", 60), ("N", 16), ("s", 24), ("u", 1), ("K", 1), ("M + N", 4), ("M - s", 12), ("M * N", 960),
        ("M * 7", 420),
        ("M // 2", 1), ("M % 4", 1), ("-M", 60), ("M * K + N * 2", 4), ("0", 0), ("-12", 12), ("M + 30", 30),
    ],
)  # fmt: skip
def test_what_divides_terms(text: str, divisor: int) -> None:
    assert Divisors(kernel()).of_term(parse(text)) == divisor


def test_addresses_and_distances() -> None:
    found = kernel()
    divisors = Divisors(found)
    x, y, w = (named(found, name) for name in "xyw")
    assert [divisors.alignment(x), divisors.alignment(y)] == [16, 16]
    assert divisors.alignment(w) == 16  # begins 8 rows on, each a multiple of 16 bytes from the one before
    assert [step(cast("Any", x).type, axis) for axis in (0, 1)] == [16, 4]
    assert [step(cast("Any", y).type, axis) for axis in (0, 1)] == [16, 2]
    assert [power_of_two(n) for n in (0, 1, 2, 3, 12, 40, -8)] == [0, 1, 2, 1, 4, 8, 8]


@pytest.mark.parametrize(
    ("element", "strides", "divisors", "steps"),
    [
        ("i8", "0, 1", "1, 1", [1, 1]),
        ("i8", "0, 1", "6, 1", [2, 1]),
        ("i8", "24, 2", "1, 1", [8, 2]),
        ("f64", "0, 1", "1, 1", [8, 8]),
        ("f16", "3, 1", "1, 1", [2, 2]),
    ],
)
def test_distances_in_bytes(element: str, strides: str, divisors: str, steps: list[int]) -> None:
    layout = f"#ownership.layout<align = 16, strides = [{strides}], stride_divs = [{divisors}], extent_divs = [1, 1]>"
    text = f"ownership.kernel @k(%x: !ownership.tensor<[M, N], {element}, {layout}>) {{ }}"
    (x,) = kernel_of(parse_module(make_context(), text, "test.mlir")).body.block.args
    assert [step(cast("Any", x).type, axis) for axis in (0, 1)] == steps
