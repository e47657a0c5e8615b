"""Digests of modules: the same for IR that is equal, whatever values are called, and another for any other."""

# What is written of a module is looked at by itself.
# pyright: reportPrivateUsage=false
from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import pytest
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntAttr, StringAttr

from freehold.passes.analysis import digest as module
from freehold.passes.analysis.digest import digest
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

TEXT = """
ownership.kernel @k(%y: !ownership.tensor<[M, N], f32>, %x: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [2, 4], [M, N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, N], f32> -> !ownership.ref<[M, N], f32>
  ownership.distribute %p : !ownership.partition<out tile [2, 4], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j] : !ownership.partition<out tile [2, 4], [M, N], f32> -> \
!ownership.region<out tile [2, 4], [M, N], f32>
    %t = ownership.load %b[%i, %j] : !ownership.ref<[M, N], f32> -> !cuda_tile.tile<2x4xf32>
    %u = cuda_tile.addf %t, %t rounding<nearest_even> : tile<2x4xf32>
    %v = cuda_tile.mulf %t, %u rounding<nearest_even> : tile<2x4xf32>
    %c = cuda_tile.constant <f32: 1.0> : tile<2x4xf32>
    ownership.store %v, %r : !cuda_tile.tile<2x4xf32>, !ownership.region<out tile [2, 4], [M, N], f32>
  }
}
"""


def of(text: str) -> str:
    return digest(parse_module(make_context(), text, "test.mlir"))


BASE = of(TEXT)


@pytest.mark.parametrize(
    ("old", "new"),
    [("%t", "%first"), ("%i, %j", "%row, %column"), ("^bb0", "^begin"), ("\n  ", "\n     "), ("%x", "%given")],
)
def test_names_and_places_are_no_part_of_it(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    if old == "%i, %j":
        text = text.replace("%i:", "%row:").replace("%j:", "%column:")
    assert of(text) == BASE
    assert len(BASE) == 64


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@k", "@other"),
        ("addf", "subf"),
        ("mulf %t, %u", "mulf %u, %t"),
        ("mulf %t, %u", "mulf %t, %t"),
        ("addf %t, %t rounding<nearest_even>", "addf %t, %t rounding<zero>"),
        ("<f32: 1.0>", "<f32: 2.0>"),
        ("%b[%i, %j]", "%b[%j, %i]"),
        ("%p[%i, %j]", "%p[%i, %i]"),
        ("store %v", "store %u"),
        ("    %c = cuda_tile.constant <f32: 1.0> : tile<2x4xf32>\n", ""),
        ("[M, N]", "[M, K]"),
        ("tile [2, 4]", "tile [4, 2]"),
        ("2x4xf32", "2x4xf16"),
    ],
)
def test_whatever_else_differs_shows(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    if old == "tile [2, 4]":
        text = text.replace("2x4xf32", "4x2xf32")
    if new == "2x4xf16":
        text = text.replace(", f32>", ", f16>").replace("<f32: 1.0>", "<f16: 1.0>")
    assert text != TEXT
    assert of(text) != BASE


def test_where_blocks_and_regions_end_shows() -> None:
    def account(*lengths: int) -> list[int]:
        found = module._Account()
        found.operation(parse_module(make_context(), "".join(TEXT for _ in lengths), "test.mlir"))
        return found.numbers.tolist()

    one, two = account(1), account(1, 1)
    assert one != two[: len(one)]  # the number of operations stands in front of them
    # The module: its name, no operand, no result, nothing held, no successor, one region of one block with no argument.
    assert one[:10] == [0, 0, 0, 0, 0, 0, 1, 1, 0, 1]
    assert two[:10] == [0, 0, 0, 0, 0, 0, 1, 1, 0, 2]


class Colour(Enum):
    RED = 1


@dataclass(frozen=True)
class Pair:
    a: int


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (3, "int 3"),
        (True, "bool True"),
        (1.0, "float 1.0"),
        ("a", "str 'a'"),
        (b"a", "bytes b'a'"),
        (None, "NoneType None"),
        (Colour.RED, "Colour.RED"),
        ({"b": 1, "a": "x"}, "{str 'a': str 'x', str 'b': int 1}"),
        ((1, "2"), "[int 1, str '2']"),
        (Pair(3), "Pair Pair(a=3)"),
        (StringAttr("it's"), """string<str "it's">"""),
        (ArrayAttr([IntAttr(1), IntAttr(2)]), "array<[builtin.int<int 1>, builtin.int<int 2>]>"),
        (DictionaryAttr({"k": StringAttr("v")}), "dictionary<{str 'k': string<str 'v'>}>"),
    ],
)
def test_what_attributes_say(data: object, text: str) -> None:
    assert module._written(data) == text
