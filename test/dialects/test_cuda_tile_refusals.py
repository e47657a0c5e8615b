"""Text of the dialect that is refused, each with what is said of it, and attributes that cannot be."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, NoneAttr, StringAttr, i1, i32
from xdsl.ir import Attribute
from xdsl.utils.exceptions import ParseError, VerifyException

from freehold.dialects.cuda_tile import attrs, debug
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.types import tile
from freehold.support.diagnostic import Rejected
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

VIEW = "tensor_view<?xf32, strides=[1]>"
GIVEN = {
    "%p": "!cuda_tile.tile<ptr<f32>>",
    "%n": "!cuda_tile.tile<i32>",
    "%l": "!cuda_tile.tile<i64>",
    "%x": "!cuda_tile.tile<4xf32>",
    "%v": f"!cuda_tile.{VIEW}",
    "%t": f"!cuda_tile.partition_view<tile=(4), {VIEW}>",
    "%k": "!cuda_tile.token",
    "%c": "!cuda_tile.tile<i1>",
    "%o": "!ownership.tensor<[M, N], f32>",
}
PART = f"partition_view<tile=(4), {VIEW}>"
# ruff: noqa: E501 -- text of programs
REFUSED = [
    ("%r = cuda_tile.make_tensor_view %p, shape = [4], strides = [1] : tile<i32>", "expected a tensor_view type"),
    (f"%r = cuda_tile.make_tensor_view %p, shape = [%n], strides = [1] : {VIEW}", "extents and strides need one type"),
    (f"%r = cuda_tile.make_tensor_view %p, shape = [%n], strides = [2] : tile<i32> -> {VIEW}", "strides given does not"),
    ("%r = cuda_tile.get_tensor_shape %x : tile<4xf32> -> tile<i32>", "expected"),
    ("%r = cuda_tile.make_partition_view %v : tile<i32>", "expected a tile view type"),
    (f"%r, %m = cuda_tile.load_view_tko weak %t[%n, %n] : {PART}, tile<i32>, tile<i32>, tile<i32> -> tile<4xf32>, token",
     "2 indices need one type for all or one each, got 3"),
    ("%r = cuda_tile.store_view_tko weak %x, %t[%n] : tile<4xf32> -> token", "expected the types of the tile, the view"),
    ("%r = cuda_tile.store_view_tko sideways %x, %t[%n] : tile<4xf32> -> token", "expected"),
    ("%r = cuda_tile.addf %x, %x rounding<sideways> : tile<4xf32>", "expected one of nearest_even"),
    ("%r = cuda_tile.cmpi sideways %n, %n, signed : tile<i32> -> tile<i1>", "expected one of equal"),
    ("%r = cuda_tile.assume #cuda_tile.rounding<zero>, %n : tile<i32>", "expected div_by, same_elements or bounded"),
    ("%r = cuda_tile.assume 4, %n : tile<i32>", "expected div_by, same_elements or bounded"),
    ("%r, %q = cuda_tile.addi %n, %n : tile<i32>", "Operation has 1 results, but was given 2 to bind"),
    ("%r = cuda_tile.print_tko \"\\FF\" -> token", "must be UTF-8"),
    ("%r = cuda_tile.constant <f32: 1.0> : token", "a literal has a tile type"),
    ("%r = cuda_tile.constant <f32: 1.0> : tile<4xi32>", "the literal has elements of f32 but its type is"),
    ('%r = cuda_tile.constant <f32: "0x00"> : tile<4xf32>', "takes 16 bytes, got 1"),
    ('%r = cuda_tile.constant <f32: "0xzz"> : tile<4xf32>', "must be hexadecimal"),
    ("%r = cuda_tile.constant <f32: [1.0, 2.0]> : tile<4xf32>", "does not have the shape of its type: got 2 items"),
    ("%r = cuda_tile.reduce %x dim=0 identities=[0.0 : i32] : tile<4xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) {\n"
     "cuda_tile.yield %a : tile<f32>\n}", "0.0 is no value of i32"),
    ("%r = cuda_tile.for %i in (%n to %n, step %n) : tile<i32> iter_values(%a = %x) -> (tile<4xf32>, tile<i32>) {\n"
     "cuda_tile.continue %a, %i : tile<4xf32>, tile<i32>\n}", "1 carried values need as many types, got 2"),
    ("cuda_tile.if %n {\n^bb0:\ncuda_tile.yield\n^bb1:\n}", "."),
    ('"test.op"() ({\n"test.op"() [^nowhere] : () -> ()\n}) : () -> ()', "block nowhere is not defined in this region"),
    ("%q = \"test.op\"() : () -> !cuda_tile.partition_view<tile=(4), tile<i32>>", "expected a tensor_view type"),
    ("%q = \"test.op\"() : () -> !cuda_tile.tile<ptr<f32, #cuda_tile.rounding<zero>>>", "expected a ptr_attr"),
    ("%q = \"test.op\"() {a = #cuda_tile.optimization_hints<sm_90 = {occupancy = 2 : f32}>} : () -> ()",
     "expected an integer type"),
    ("%q = \"test.op\"() {a = #cuda_tile.optimization_hints<sm_90 = 3>} : () -> ()", "."),
    ("cuda_tile.module @m {\nentry @k() optimization_hints = #cuda_tile.rounding<zero> {\nreturn\n}\n}",
     "expected optimization hints"),
    (f"%r = cuda_tile.loop : {VIEW} {{\nbreak %v : {VIEW}\n}}", "loop: views are not carried through control flow"),
    ("\"cuda_tile.if\"(%c) ({\ncuda_tile.yield\n}, {\ncuda_tile.yield\n^bb1:\ncuda_tile.yield\n}) : (!cuda_tile.tile<i1>) -> ()",
     "the else region must have at most one block"),
    ("%r = cuda_tile.constant <i32: [[1], [2, 3]]> : tile<2x1xi32>", "does not have the shape of its type: got 2 items"),
    ("%r = cuda_tile.constant <i32: [[1, 2], [3]]> : tile<2x2xi32>", "does not have the shape of its type: got 1 items"),
    ("%r = cuda_tile.constant <i32: [1, [2]]> : tile<2x1xi32>", "has fewer dimensions than its type"),
    ("%r = cuda_tile.constant <i1: 2> : tile<i1>", "2 does not fit in i1"),
    ("%r = cuda_tile.constant <i8: true> : tile<i8>", "true and false are values of i1, not of i8"),
    ("%r = cuda_tile.constant <i8: 256> : tile<i8>", "256 does not fit in i8"),
    ("%r = cuda_tile.constant <i8: [-129, 0]> : tile<2xi8>", "-129 does not fit in i8"),
    ("%r = cuda_tile.constant <f16: 0x12345> : tile<f16>", "0x12345 is not a bit pattern of f16"),
    ("%r = cuda_tile.broadcast %x : tile<4xf32> -> tile<8xf32>", "extent 4 cannot be repeated to 8"),
    ("%r = cuda_tile.extract %x[%n] : tile<4xf32> -> tile<8xf32>", "extent 4 is not a multiple of 8"),
    ("%r = cuda_tile.pack %x : tile<4xf32> -> tile<4xi8>", "takes 16 bytes, not 4"),
    ('%r = "test.op"() : () -> !cuda_tile.tile<0xf32>', "a positive power of two, got 0"),
    ('%r = "test.op"() : () -> !cuda_tile.tile<3xf32>', "a positive power of two, got 3"),
    ('%r = "test.op"() : () -> !cuda_tile.tile<33554432xf32>', "at most 16777216 elements, got 33554432"),
    ('%r = "test.op"() : () -> !cuda_tile.tensor_view<0xf32, strides=[1]>', "extent must be positive, got 0"),
    ('%r = "test.op"() : () -> !cuda_tile.tensor_view<4xf32, strides=[0]>', "stride must be positive, got 0"),
    ('%r = "test.op"() : () -> !cuda_tile.tensor_view<4x4xf32, strides=[1]>', "2 extents but 1 strides"),
    ("%r = ownership.dim %o, true : !ownership.tensor<[M, N], f32>", "Expected integer literal"),
    ("%r = ownership.dim %o, -1 : !ownership.tensor<[M, N], f32>", "Expected integer literal"),
    ("%r = ownership.dim %o, 2 : !ownership.tensor<[M, N], f32>", "no axis 2 in a tensor of rank 2"),
    ("%r = ownership.tiles %o, true by 4 : !ownership.tensor<[M, N], f32>", "Expected integer literal"),
    ("%r = ownership.tiles %o, 0 by true : !ownership.tensor<[M, N], f32>", "Expected integer literal"),
    ('%r = "test.op"() : () -> !ownership.tensor<[M], f32, 7>', "expected #ownership.layout"),
]  # fmt: skip


ACCEPTED = [
    "%r = cuda_tile.constant <i8: [255, -128]> : tile<2xi8>",
    "%r = cuda_tile.constant <i8: -128> : tile<i8>",
    "%r = cuda_tile.constant <i1: [true, false]> : tile<2xi1>",
    "%r = cuda_tile.constant <f16: 0xffff> : tile<f16>",
    "%r = cuda_tile.constant <i32: [[1, 2], [3, 4]]> : tile<2x2xi32>",
    '%r = "test.op"() : () -> !cuda_tile.tile<16777216xf32>',
    '%r = "test.op"() : () -> !cuda_tile.tensor_view<1xf32, strides=[1]>',
    "%r = ownership.dim %o, 1 : !ownership.tensor<[M, N], f32>",
]
"""What is just accepted."""


def read(text: str) -> ModuleOp:
    return parse_module(make_context(), text, "test.mlir")


def parsed(text: str) -> None:
    given = "\n".join(f'{name} = "test.op"() : () -> {type_}' for name, type_ in GIVEN.items())
    read(f"{given}\n{text}\n").verify()


@pytest.mark.parametrize(("text", "said"), REFUSED)
def test_text_that_is_refused(text: str, said: str) -> None:
    with pytest.raises((ParseError, VerifyException, Rejected), match=said) as caught:
        parsed(text)
    assert not re.search(r"Traceback|object at 0x", str(caught.value))


@pytest.mark.parametrize("text", ACCEPTED)
def test_text_that_is_just_accepted(text: str) -> None:
    parsed(text)


FILE = debug.DIFileAttr(StringAttr("k.py"), StringAttr("/src"))
UNIT = debug.DICompileUnitAttr(FILE)


def subprogram(line: int = 1, scope_line: int = 1, declaration: int = 0) -> debug.DISubprogramAttr:
    return debug.DISubprogramAttr.new(
        (
            FILE,
            attrs.IntAttr(line),
            StringAttr("k"),
            StringAttr("k"),
            UNIT,
            attrs.IntAttr(scope_line),
            attrs.IntAttr(declaration),
        )
    )


def lexical_block(scope: Attribute | None = None, line: int = 0, column: int = 0) -> debug.DILexicalBlockAttr:
    return debug.DILexicalBlockAttr.new((scope or subprogram(), FILE, attrs.IntAttr(line), attrs.IntAttr(column)))


MADE: list[tuple[Callable[[], object], str | None]] = [
    (lambda: subprogram(), None),
    (lambda: subprogram(0, 0, 1), None),
    (lambda: subprogram(-1), "lines cannot be negative"),
    (lambda: subprogram(1, -1), "lines cannot be negative"),
    (lambda: subprogram(1, 1, 2), "declaration must be 0 or 1, got 2"),
    (lambda: subprogram(1, 1, -1), "declaration must be 0 or 1, got -1"),
    (lambda: lexical_block(), None),
    (lambda: lexical_block(lexical_block()), None),
    (lambda: lexical_block(UNIT), "the scope must be a di_subprogram or a di_lexical_block"),
    (lambda: lexical_block(line=-1), "line and column cannot be negative"),
    (lambda: lexical_block(column=-1), "line and column cannot be negative"),
    (lambda: attrs.DivByAttr(1), None),
    (lambda: attrs.DivByAttr(1 << 62), None),
    (lambda: attrs.DivByAttr(16, 4, 0), None),
    (lambda: attrs.DivByAttr(0), "a power of two from 1 to 2\\^62, got 0"),
    (lambda: attrs.DivByAttr(-2), "a power of two"),
    (lambda: attrs.DivByAttr(3), "a power of two"),
    (lambda: attrs.DivByAttr(1 << 63), "a power of two"),
    (lambda: attrs.DivByAttr(16, 4), "every and along are given together or not at all"),
    (lambda: attrs.DivByAttr(16, None, 0), "every and along are given together or not at all"),
    (lambda: attrs.OptimizationHintsAttr({"sm_90": DictionaryAttr({"occupancy": IntegerAttr(1, i32)})}), None),
    (lambda: attrs.OptimizationHintsAttr({"sm_90": NoneAttr()}), "the hints for sm_90 must be a dictionary"),
    (lambda: DenseElementsAttr.from_elements(tile((4,), i32), [b"\0\0\0\0"] * 4), None),
    (lambda: DenseElementsAttr.from_elements(tile((4,), i32), [b"\0\0\0\0"] * 3), "takes 4 values, got 3"),
    (lambda: DenseElementsAttr(tile((16,), i1), b"\0\0"), None),
    (lambda: DenseElementsAttr(tile((16,), i1), b"\0"), None),
    (lambda: DenseElementsAttr(tile((16,), i1), b"\0\0\0"), "takes 1 bytes for a fill or 2 for all elements, got 3"),
    (lambda: DenseElementsAttr(tile((4,), i1), b"\0\0"), "takes 1 bytes for a fill or 1 for all elements, got 2"),
    (lambda: DenseElementsAttr(tile((4,), i32), bytes(16)), None),
    (lambda: DenseElementsAttr(tile((4,), i32), bytes(4)), None),
    (lambda: DenseElementsAttr(tile((4,), i32), bytes(8)), "takes 4 bytes for a fill or 16 for all elements, got 8"),
]


@pytest.mark.parametrize(("make", "said"), MADE)
def test_attributes_that_cannot_be(make: Callable[[], object], said: str | None) -> None:
    if said is None:
        make()
        return
    with pytest.raises(VerifyException, match=said):
        make()
