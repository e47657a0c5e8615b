"""Large modules: deep regions, large literals, and the quick ways to read and verify, against the slow ones."""

from __future__ import annotations

import gc
import re
import sys
from contextlib import suppress
from threading import Thread

import pytest
from benchmarks.toolkit import constant, nested, through
from counting import steps
from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir import Block, Region
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.classes import walk
from freehold.dialects.cuda_tile import ConstantOp, EntryOp, IfOp, TileModuleOp, YieldOp
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.text import parse_disassembly, print_module
from freehold.dialects.cuda_tile.text_lexer import TileLexer
from freehold.dialects.cuda_tile.text_printer import TilePrinter
from freehold.support.diagnostic import Rejected
from freehold.support.large import MAX_NESTING, large, uncollected
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module
from freehold.tools.tile_opt import verify

_WORDS = "%a %0 #x #-} {-# { } !t ^b @f -> - 0x1F 0xi3 1.5e-3 12 1. ... 4x4xf32 é a.b$ < > [ ( :: ? | * / + ="
_PIECES = st.sampled_from([*re.findall(r"\S+", _WORDS), '@"q"', '"s\\0A"', "// c\n", " ", "\n"])


def _tokens(lexer: MLIRLexer) -> list[tuple[MLIRTokenKind, int, str]] | str:
    tokens: list[tuple[MLIRTokenKind, int, str]] = []
    try:
        while True:
            token = lexer.lex()
            tokens.append((token.kind, token.span.start, token.text))
            if token.kind is MLIRTokenKind.EOF:
                return tokens
    except ParseError as error:
        return error.msg


@given(st.lists(_PIECES | st.text(max_size=3), max_size=20).map("".join))
def test_lexer(text: str):
    """The tokens of any text are those that xDSL's lexer finds."""
    source = Input(text, "t")
    assert _tokens(TileLexer(source)) == _tokens(MLIRLexer(source))


def test_nesting():
    """Text, verifier, printer, and bytecode both ways have one limit, and say so beyond it."""
    before = sys.getrecursionlimit()
    through(nested(MAX_NESTING))
    assert sys.getrecursionlimit() == before
    with pytest.raises(Rejected, match=f"more than {MAX_NESTING} regions stand in one another"):
        through(nested(MAX_NESTING + 1))


def _module(depth: int) -> TileModuleOp:
    text = "entry @k(%c: tile<i1>) {\n" + "if %c {\n" * depth + "}\n" * depth + "return }"
    (module,) = parse_disassembly(text).body.ops
    assert isinstance(module, TileModuleOp)
    return module


def test_nesting_of_bytecode():
    """The writer refuses what the reader would not read."""
    module = _module(MAX_NESTING)
    assert read_bytecode(write_bytecode(module))
    innermost = [op for op in walk(module) if isinstance(op, IfOp)][-1]
    inside = innermost.thenRegion.block
    assert inside.first_op is not None
    inside.insert_op_before(IfOp(innermost.condition, then_region=Region(Block([YieldOp()]))), inside.first_op)
    with pytest.raises(Rejected, match=f"more than {MAX_NESTING} regions stand in one another"):
        write_bytecode(module)


def test_walk():
    """In the order of xDSL's walk."""
    module = _module(5)
    assert list(walk(module)) == list(module.walk())


def test_large_leaves_no_trace():
    """What it changes is as it was, whoever leaves first."""

    def found() -> tuple[bool, bool]:
        return sys.getrecursionlimit() > limit, gc.isenabled()

    limit = sys.getrecursionlimit()
    first, second = large(), large()
    first.__enter__()
    second.__enter__()
    assert found() == (True, False)
    first.__exit__(None, None, None)
    assert found() == (True, False)
    second.__exit__(None, None, None)
    assert found() == (False, True)


def test_uncollected_leaves_no_trace():
    """Nothing is collected until all have left, in whatever thread and way; calls are as limited as ever."""
    limit, seen = sys.getrecursionlimit(), list[bool]()

    @uncollected.during
    def fails() -> None:
        seen.append(gc.isenabled())
        raise ValueError("it fails")

    def runs() -> None:
        with suppress(ValueError):
            fails()

    with uncollected():
        with large():
            assert sys.getrecursionlimit() > limit
        assert sys.getrecursionlimit() == limit
        other = Thread(target=runs)
        other.start()
        other.join()
        assert not gc.isenabled()
    runs()
    assert seen == [False, False]
    assert gc.isenabled()


def test_what_was_off_stays_off():
    """Who collects nothing himself finds it so afterwards."""
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def _constant(text: str) -> DenseElementsAttr:
    module = parse_disassembly(f"entry @k() {{\n%0 = constant {text}\nreturn }}")
    (op,) = [op for op in module.walk() if isinstance(op, ConstantOp)]
    assert isinstance(op.value, DenseElementsAttr)
    return op.value


@pytest.mark.parametrize("element", ["i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"])
def test_listed_literals(element: str):
    """Literals that are read as a whole are those that are read one by one, which a `0x` in them makes them be."""
    values = [3, -1, 0, 127] if element[0] == "i" else [1.5, -0.0, 65504.0, 0.1]
    listed = ", ".join(map(str, values))
    whole = _constant(f"<{element}: [[{listed}], [{listed}]]> : tile<2x4x{element}>")
    single = _constant(f"<{element}: [[{listed}], [{listed.replace(', ', ', /* */ ', 0)}]]> : tile<2x4x{element}>")
    assert whole == single
    assert [float(value) for value in whole.values()][:2] == pytest.approx([float(v) for v in values[:2]], rel=1e-2)
    assert whole == DenseElementsAttr.from_values(whole.type, [*values, *values])


@pytest.mark.parametrize(
    "text", ["[[1], [2, 3]]", "[1, 2]", "[[1, 2]]", "[]", "[[], []]", "[[1, [2]], [3, 4]]", "[[1, 2], 3]"]
)
def test_listed_literals_of_another_shape(text: str):
    """A literal without the shape of its type is refused."""
    with pytest.raises(ParseError, match=r"shape of its type|fewer dimensions|values"):
        _constant(f"<i32: {text}> : tile<2x2xi32>")


def test_large_constant():
    """A constant of many elements goes through text and bytecode."""
    module = parse_module(make_context(), constant(4096), "c.mlir")
    assert print_module(read_bytecode(write_bytecode(module))).count("0000003F") == 1


def test_verified_again():
    """That an operation was found to be right once says nothing of one that consists of something else."""
    module = parse_disassembly("entry @k(%a: tile<i32>, %b: tile<i64>) {\n%0 = addi %a, %a : tile<i32>\nreturn }")
    verify(module)
    (kernel,) = [op for op in module.walk() if isinstance(op, EntryOp)]
    (add,) = [op for op in module.walk() if op.name == "cuda_tile.addi"]
    add.operands[1] = kernel.body.block.args[1]
    with pytest.raises(Rejected, match=r"cuda_tile\.addi"):
        verify(module)


_ALIKE = """cuda_tile.module @m { entry @k(%x: tile<i32>, %y: tile<i32>, %p: tile<ptr<i32>>, %c: tile<i1>) {
  %0 = addi %x, %x : tile<i32>
  %1 = addi %0, %y : tile<i32>
  %2 = addi %y, %0 overflow<no_signed_wrap> : tile<i32>
  %3 = addi %1, %2 : tile<i32>
  %t = make_token : token
  %4, %5 = load_ptr_tko weak %p token=%t : tile<ptr<i32>> -> tile<i32>, token
  %6, %7 = load_ptr_tko weak %p token=%5 : tile<ptr<i32>> -> tile<i32>, token
  %8, %9 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
  if %c { %10 = addi %6, %x : tile<i32> }
  %11 = addi %6, %1 {note = 1 : i32} : tile<i32>
  %12 = select %c, %1, %2 : tile<i1>, tile<i32>
  %13 = select %c, %6, %6 : tile<i1>, tile<i32>
  %14 = assume bounded<0, ?>, %12 : tile<i32>
  %15 = assume bounded<0, ?>, %y : tile<i32>
  print_tko "%i %i", %1, %2 : tile<i32>, tile<i32> -> token
  print_tko "%i %i", %2, %2 : tile<i32>, tile<i32> -> token
}}"""


@pytest.mark.parametrize("locations", [False, True])
def test_printed_alike(locations: bool, monkeypatch: pytest.MonkeyPatch):
    """What is kept of the text of an operation is right for all that are printed by it."""
    module = parse_module(make_context(), _ALIKE, "alike.mlir")
    quick = print_module(module, locations=locations)
    assert "%0 = addi %x, %x" in quick
    assert "addi %0, %y" in quick

    def keep(self: TilePrinter, key: object, form: object) -> None:
        """Keeps nothing."""

    monkeypatch.setattr(TilePrinter, "keep", keep)
    assert print_module(module, locations=locations) == quick


def test_printed_once():
    """Of operations that differ in their operands alone, the first costs more than twice what the others do."""

    def cost(number: int) -> int:
        lines = [f"%{n + 1} = addi %{n}, %x : tile<i32>" for n in range(number)]
        module = parse_disassembly("\n".join(["entry @k(%0: tile<i32>, %x: tile<i32>) {", *lines, "return }"]))
        return steps(lambda: print_module(module))

    cost(1)
    assert 2 * (cost(41) - cost(21)) < 20 * (cost(1) - cost(0))


def test_types_without_parameters():
    """A type is found by its text only where that is all of it."""
    text = (
        "entry @k(%a: tile<i32>, %b: tile <i64>) {\n%t = make_token : token\n%u = join_tokens %t, %t : token\nreturn }"
    )
    module = parse_disassembly(text)
    (make, join) = [op for op in module.walk() if op.name.endswith(("make_token", "join_tokens"))]
    assert make.results[0].type is join.results[0].type
    assert "%b: tile<i64>" in print_module(module)


def test_literal_without_a_point():
    """What JSON reads and MLIR does not is refused."""
    with pytest.raises(ParseError):
        _constant("<f32: [1e3, 2.0]> : tile<2xf32>")
