"""The short form of every kind of operation, and how operations stand beside the lines that they came of."""

# The text of programs.
# ruff: noqa: E501
# pyright: reportPrivateUsage=false
from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Block

from freehold.dialects.ownership import kernels_of
from freehold.passes import listing as module
from freehold.passes.listing import Names, listing, short_form
from freehold.passes.rewriting import walk
from freehold.support.span import SourceMap
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

OWNERSHIP = """
ownership.kernel @k(%y: !ownership.tensor<[M, N], f32>, %x: !ownership.tensor<[M, N], f32>, %h: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [2, 4], [M, N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, N], f32> -> !ownership.ref<[M, N], f32>
  ownership.distribute %p order #ownership.order<grouped 8> blocks #ownership.blocks<persistent 132> : !ownership.partition<out tile [2, 4], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j] : !ownership.partition<out tile [2, 4], [M, N], f32> -> !ownership.region<out tile [2, 4], [M, N], f32>
    %t = ownership.load %b[%i, %j] : !ownership.ref<[M, N], f32> -> !cuda_tile.tile<2x4xf32>
    %u = cuda_tile.addf %t, %t rounding<zero> : tile<2x4xf32>
    %v = cuda_tile.mulf %t, %u rounding<nearest_even> : tile<2x4xf32>
    %c = cuda_tile.constant <f32: 1.5> : tile<2x4xf32>
    %d = cuda_tile.constant <i32: [1, 2]> : tile<2xi32>
    %0 = cuda_tile.constant <i32: 0> : tile<i32>
    %a = cuda_tile.assume div_by<16>, %s : tile<i32>
    %f = cuda_tile.for %k in (%0 to %s, step %a) : tile<i32> iter_values(%q = %v) -> (tile<2x4xf32>) {
      %w = cuda_tile.maxf %q, %c : tile<2x4xf32>
      cuda_tile.continue %w : tile<2x4xf32>
    }
    %m = cuda_tile.reduce %f dim=1 identities=[0.0 : f32] : tile<2x4xf32> -> tile<2xf32> (%e: tile<f32>, %g: tile<f32>) {
      %n = cuda_tile.addf %e, %g rounding<nearest_even> : tile<f32>
      cuda_tile.yield %n : tile<f32>
    }
    %z = cuda_tile.cmpi less_than %0, %s, signed : tile<i32> -> tile<i1>
    cuda_tile.if %z {
      ownership.store %f, %r : !cuda_tile.tile<2x4xf32>, !ownership.region<out tile [2, 4], [M, N], f32>
    } else {
      ownership.store %v, %r : !cuda_tile.tile<2x4xf32>, !ownership.region<out tile [2, 4], [M, N], f32>
    }
    %loop = cuda_tile.loop iter_values(%o = %0) : tile<i32> -> tile<i32> {
      cuda_tile.break %o : tile<i32>
    }
    %pm = cuda_tile.permute %v [1, 0] : tile<2x4xf32> -> tile<4x2xf32>
    %bb = cuda_tile.exti %loop signed : tile<i32> -> tile<i64>
  }
}
"""
EMITTED = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %t = make_partition_view %v : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
    %0 = constant <i32: 0> : tile<i32>
    %k = make_token : token
    %x, %l = load_view_tko weak %t[%0] token = %k : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %s = store_view_tko weak %x, %t[%0] token = %l : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    %x2, %l2 = load_view_tko relaxed device %t[%0] : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    return
  }
}
"""


def read(text: str) -> ModuleOp:
    return parse_module(make_context(), text, "test.mlir")


def test_short_forms_of_a_kernel() -> None:
    names = Names()
    assert [short_form(op, names) for op in walk(read(OWNERSHIP))] == [
        "module",
        "kernel",
        "%p = partition %y tile 2x4",
        "%b = borrow %x",
        "distribute %p over %i, %j order grouped 8 blocks persistent 132",
        "%r = region %p[%i, %j]",
        "%t = load %b[%i, %j] : 2x4xf32",
        "%u = addf %t, %t {zero} : 2x4xf32",
        "%v = mulf %t, %u : 2x4xf32",
        "%c = constant 1.5 : 2x4xf32",
        "constant … : 2xi32",
        "%0 = constant 0 : i32",
        "%a = assume %s div_by<16>",
        "%f = for %k in %0 .. %s by %a carrying %q = %v",
        "%w = maxf %q, %c : 2x4xf32",
        "continue %w",
        "reduce addf %f {dim = 1} : 2xf32",
        "%n = addf %e, %g : f32",
        "yield %n",
        "%z = cmpi %0, %s {less_than, signed} : i1",
        "if %z",
        "store %f to %r",
        "yield",
        "store %v to %r",
        "yield",
        "%loop = loop carrying %o = %0",
        "break %o",
        "permute %v {array<i32: 1, 0>} : 4x2xf32",
        "exti %loop {signed} : i64",
        "end",
        "return",
    ]


def test_short_forms_of_what_is_emitted() -> None:
    names = Names()
    assert [short_form(op, names) for op in walk(read(EMITTED))] == [
        "module",
        "module",
        "entry {function_type = …}",
        "%v = make_tensor_view %p, %n",
        "%t = make_partition_view %v",
        "%0 = constant 0 : i32",
        "%k = make_token",
        "%x, %l = load_view_tko %t[%0] after %k : 64xf32",
        "store_view_tko %x to %t[%0] after %l",
        "load_view_tko %t[%0] {relaxed, device} : 64xf32",
        "return",
    ]


@pytest.mark.parametrize(
    ("schedule", "told"),
    [
        ("", "order row blocks each"),
        (" order #ownership.order<column>", "order column blocks each"),
        (
            " order #ownership.order<grouped 4> blocks #ownership.blocks<persistent>",
            "order grouped 4 blocks persistent",
        ),
    ],
)
def test_schedules(schedule: str, told: str) -> None:
    given = " order #ownership.order<grouped 8> blocks #ownership.blocks<persistent 132>"
    (found,) = [op for op in walk(read(OWNERSHIP.replace(given, schedule))) if op.name == "ownership.distribute"]
    assert short_form(found, Names()) == f"distribute %p over %i, %j {told}"


def test_names_are_given_once() -> None:
    block = Block(arg_types=[f32] * 6)
    a, b, c, d, e, f = block.args
    a.name_hint = b.name_hint = c.name_hint = "x"
    d.name_hint = "y"
    names = Names()
    assert names.all([a, b, e, c, d, f, a, f]) == "%x, %x_1, %0, %x_2, %y, %1, %x, %1"
    assert names.all([]) == ""


def test_what_does_not_fit() -> None:
    assert [module._clipped("abcdef", n) for n in (8, 7, 6, 5, 3)] == ["abcdef", "abcdef", "abcd…", "abc…", "a…"]
    assert module._wrapped("  one two three", 11) == ["  one two ", "      three"]
    assert module._wrapped("", 9) == [""]
    assert module._wrapped("one two", 20) == ["one two"]


def test_operations_stand_beside_their_lines() -> None:
    source = ["def kernel():", "    first = 1", "", "        second\t= " + "2" * 60, "    other"]
    rows = [*module._beside({2: ["a", "b"], 4: ["c" * 8 + " " + "d" * 8]}, source, 70)]
    assert rows == [
        f"2 | {'first = 1':48}| a",
        f"{' ':1} | {'':48}| b",
        "3 |",
        f"4 | {'    second    = ' + '2' * 30 + '…':48}| cccccccc",
        f"{' ':1} | {'':48}|     dddddddd",
    ]
    assert [*module._beside({7: ["a"]}, source, 70)] == [f"7 | {'':48}| a"]


def test_a_kernel_is_listed() -> None:
    (kernel,) = kernels_of(read(OWNERSHIP))
    plain = listing(kernel, SourceMap(), 100)
    assert len(plain) == 32
    assert plain[0].split("|") == [" 3 ", " " * 48, " %p = partition %y tile 2x4"]
    assert [line.partition("| ")[2] for line in plain if "else" in line] == [f"{'':47}|   else: store %v to %r"]
    assert not any(line.endswith("| yield") for line in plain)
    assert next(line for line in plain if "maxf" in line).endswith("|   %w = maxf %q, %c : 2x4xf32")
