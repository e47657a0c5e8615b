"""Modules as text: what tileirdisasm prints, with locations and without, and what the dialect's own printer writes."""

# What other tools write has long lines and blanks at their ends.
# ruff: noqa: E501, W291

from __future__ import annotations

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import FusedLoc, ModuleOp
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, VerifyException

from freehold.dialects.cuda_tile import ConstantOp, CudaTile, DenseElementsAttr, EntryOp, TileModuleOp, tile
from freehold.dialects.cuda_tile.ops.aliases import PreviewCallOp
from freehold.dialects.cuda_tile.text import parse_disassembly, print_module
from freehold.dialects.cuda_tile.text_names import suggested_name
from freehold.dialects.cuda_tile.text_types import parse_short_type
from freehold.dialects.cuda_tile.types import ELEMENT_BITS, NUMBERS
from freehold.dialects.location import span_of
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

DISASSEMBLY = """\
// Producer: another compiler
global  @g alignment = 16 <f32: "0x0000803F00000040"> : tile<2xf32>
entry @k(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) optimization_hints=<default = {occupancy = 2}> {
  %cst_-3_i32 = constant <i32: -3> : tile<i32>
  %0 = addi %cst_-3_i32, %arg1 : tile<i32>
  %tview = make_tensor_view %arg0, shape = [%arg1, 16], strides = [16, 1] : tile<i32> -> tensor_view<?x16xf32, strides=[16,1]>
  %1:2 = get_tensor_shape %tview : tensor_view<?x16xf32, strides=[16,1]> -> tile<i32>
  %cst_f32 = constant <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>
  %2 = addf %cst_f32, %cst_f32  : tile<2xf32>
  %reduce = reduce %2 dim=0 identities=[0xFF800000 : f32] : tile<2xf32> -> tile<f32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %5 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
    yield %5 : tile<f32>
  }
  %3 = addi %1#0, %1#1 : tile<i32>
  %4 = print_tko "%d %d %f", %0, %3, %reduce : tile<i32>, tile<i32>, tile<f32> -> token
  return
}
"""


NAMED = """\
cuda_tile.module @m {
  entry @k(%x: tile<4xf32>, %y: tile<4xi32>) {
    %r, %i = reduce %x, %y dim=0 identities=[0.0 : f32, 0 : i32] : tile<4xf32>, tile<4xi32> -> tile<f32>, tile<i32> (%a: tile<f32>, %b: tile<f32>, %c: tile<i32>, %d: tile<i32>) {
      yield %a, %c : tile<f32>, tile<i32>
    }
    %n = constant <i32: 4> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %l = for %j in (%one to %n, step %one) : tile<i32> iter_values(%v = %i) -> (tile<i32>) {
      %m = addi %v, %j : tile<i32>
      continue %m : tile<i32>
    }
    %u, %w, %z = get_tile_block_id : tile<i32>
    %p = constant <i1: true> : tile<i1>
    %q = constant <f32: 2.0> : tile<f32>
    %s = constant <f32: 0.5> : tile<f32>
    %t = constant <f32: -2.0> : tile<f32>
    %o = constant <f32: 0x7FC00000> : tile<f32>
    %g = constant <i32: 4> : tile<i32>
    return
  }
}
"""


def names_of(module: ModuleOp) -> list[str]:
    """The names of all results and arguments, as they are suggested."""
    values = [
        v for op in module.walk() for v in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.args))
    ]
    return [suggested_name(value) or "-" for value in values]


def test_values_are_named_as_by_nvidias_tools() -> None:
    module = parse_module(make_context(), NAMED, "named.mlir")
    assert names_of(module) == [
        "arg0", "arg1", "reduce", "-", "reduce_lhs0", "reduce_rhs0", "reduce_lhs1", "reduce_rhs1", "cst_4_i32",
        "cst_1_i32", "for", "loopIdx", "iterArg0", "-", "blockId_x", "blockId_y", "blockId_z", "true", "cst_2_f32",
        "cst_f32", "cst_f32", "cst_NaN_f32", "cst_4_i32",
    ]  # fmt: skip


def test_a_name_that_is_taken_is_counted_on() -> None:
    module = parse_module(make_context(), NAMED, "named.mlir")
    for op in module.walk():
        for result in op.results:
            result.name_hint = "same"
    text = StringIO()
    Printer(text).print_op(module)
    found = [
        name
        for n in range(1, 14)
        if f"%{(name := f'same_{n}')} = " in text.getvalue() or f"%{name}, " in text.getvalue()
    ]
    assert found[:4] == ["same_1", "same_2", "same_3", "same_4"]


def the_module(module: ModuleOp) -> TileModuleOp:
    (inner,) = module.body.ops
    assert isinstance(inner, TileModuleOp)
    return inner


def test_disassembly_is_read() -> None:
    module = parse_disassembly(DISASSEMBLY)
    module.verify()
    inner = the_module(module)
    assert inner.sym_name.data == "kernels"
    assert inner.producer is not None
    assert inner.producer.data == "another compiler"
    assert [op.name for op in inner.body.ops] == ["cuda_tile.global", "cuda_tile.entry"]


def test_print_is_read_again() -> None:
    module = parse_disassembly(DISASSEMBLY)
    text = print_module(module)
    assert text.startswith('cuda_tile.module @kernels attributes {producer = "another compiler"} {\n')
    again = parse_disassembly(text)
    assert module.is_structurally_equivalent(again)
    assert print_module(again) == text


def test_print_leaves_out_the_dialect_and_groups_results() -> None:
    text = print_module(parse_disassembly(DISASSEMBLY))
    body = text.split("\n", 1)[1]
    assert "cuda_tile." not in body
    assert ":2 = get_tensor_shape" in body
    assert "#0, %" in body


@pytest.mark.parametrize("text", ["", "\n\n", "// Producer: nobody\n"])
def test_a_file_without_kernels(text: str) -> None:
    inner = the_module(parse_disassembly(text))
    assert not list(inner.body.ops)


LOCATED = """\
entry @k() {
  %0 = make_token : token loc(#loc2)
  %1 = make_token : token loc(callsite(#loc at #loc1))
  %2 = make_token : token loc(unknown)
  return loc(#loc2)
} loc(#loc2)
#di_file = #cuda_tile.di_file<"k.py" in "/src">
#loc = loc("/src/k.py":4:3)
#loc1 = loc("/src/k.py":9:1)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 3, name = "k", linkageName = "k", compileUnit = #di_compile_unit, scopeLine = 3>
#loc2 = #cuda_tile.di_loc<#loc in #di_subprogram>
"""


def test_locations_may_be_named_at_the_end() -> None:
    module = parse_disassembly(LOCATED)
    (entry,) = the_module(module).body.ops
    assert isinstance(entry, EntryOp)
    first, second, third, _ = entry.body.block.ops
    assert isinstance(first.location, FusedLoc)
    assert first.location.metadata.name == "cuda_tile.di_subprogram"
    called = span_of(second)
    assert called is not None
    assert (called.file, called.line, called.start) == ("/src/k.py", 4, 2)
    assert called.call_site is not None
    assert called.call_site.line == 9
    assert span_of(third) is None


def test_locations_survive_the_print() -> None:
    module = parse_disassembly(LOCATED)
    again = parse_disassembly(print_module(module, locations=True))
    first = [op.location for op in module.walk() if op.name.startswith("cuda_tile.make")]
    second = [op.location for op in again.walk() if op.name.startswith("cuda_tile.make")]
    assert first == second


def test_fields_of_a_subprogram_stand_in_any_order() -> None:
    fields = LOCATED.partition("di_subprogram<")[2].partition(">\n#loc2")[0]
    turned = LOCATED.replace(fields, ", ".join(reversed(fields.split(", "))))
    assert turned != LOCATED
    first, second = (print_module(parse_disassembly(text), locations=True) for text in (LOCATED, turned))
    assert first == second
    for wrong, message in (
        (fields.replace(", line = 3", ""), "missing `line`"),
        (f"{fields}, line = 4", "`line` is given twice"),
        (f"{fields}, colour = 4", "there is no field `colour`"),
    ):
        with pytest.raises(ParseError, match=message):
            parse_disassembly(LOCATED.replace(fields, wrong))


def test_the_place_of_a_terminator_is_told_where_places_are() -> None:
    text = """entry @k(%arg0: tile<i1>) {
  if %arg0 {
    yield loc("k.py":4:3)
  }
  return
}
"""
    module = parse_disassembly(text)
    assert "yield" not in print_module(module)
    again = parse_disassembly(print_module(module, locations=True))
    (place,) = [span_of(op) for op in again.walk() if op.name == "cuda_tile.yield"]
    assert place is not None
    assert (place.file, place.line) == ("k.py", 4)


FLOATS = """\
f32 1.234567 1.23456705
f32 0.1 1.000000e-01
f32 -1.00001 -1.000010e+00
f32 1234567.0 0x4996B438
f32 78663.40625 78663.4063
f32 1e-45 1.401300e-45
f64 1e-45 9.9999999999999998E-46
f64 -0.0012345678 -0.0012345678000000001
f64 -0.0 -0.000000e+00
f16 0.1 9.997550e-02
f16 3.14159 3.140630e+00
tf32 3.14159 3.140630e+00
f8E4M3FN 0.1 1.015630e-01
f8E8M0FNU 1e-45 5.877470e-39
"""


def test_floats_are_written_as_by_the_other_printer() -> None:
    # Each third word is what tileirdisasm makes of the second.
    for element, written, expected in (line.split() for line in FLOATS.splitlines()):
        number = written if "." in written else written.replace("e", ".0e")
        module = parse_disassembly(f"entry @k() {{ %0 = constant <{element}: {number}> : tile<2x{element}>\nreturn }}")
        assert f"<{element}: {expected}>" in print_module(module)
        assert parse_disassembly(print_module(module)).is_structurally_equivalent(module)


def test_text_in_strings_survives_the_generic_form() -> None:
    module = parse_disassembly('entry @k(%arg0: tile<i1>) { assert %arg0, "no \\22é\\22\\0A" : tile<i1>\nreturn }')
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(module)
    assert "\\C3\\A9" in stream.getvalue()
    assert parse_disassembly(stream.getvalue()).is_structurally_equivalent(module)


def test_an_alias_is_named_once() -> None:
    with pytest.raises(ParseError, match="re-declaration of alias '#loc'"):
        parse_disassembly('entry @k() {}\n#loc = loc("a":1:1)\n#loc = loc("a":2:1)\n')


GENERIC = """\
"cuda_tile.module"() <{sym_name = "m"}> ({
  "cuda_tile.entry"() <{sym_name = "k", function_type = (!cuda_tile.tile<4xptr<i32>>) -> ()}> ({
  ^bb0(%p: !cuda_tile.tile<4xptr<i32>>):
    %0 = "cuda_tile.constant"() <{value = dense<[1, -2, 3, 4]> : !cuda_tile.tile<4xi32>}> : () -> !cuda_tile.tile<4xi32>
    %1 = "cuda_tile.constant"() <{value = dense<1.5> : !cuda_tile.tile<4xf32>}> : () -> !cuda_tile.tile<4xf32>
    %2:2 = "cuda_tile.atomic_rmw_tko"(%p, %0) <{memory_ordering_semantics = 1 : i32, memory_scope = 2 : i32, mode = 3 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<4xptr<i32>>, !cuda_tile.tile<4xi32>) -> (!cuda_tile.tile<4xi32>, !cuda_tile.token)
    "cuda_tile.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_what_mlir_writes_in_generic_form() -> None:
    text = print_module(parse_disassembly(GENERIC))
    assert "constant <i32: [1, -2, 3, 4]> : tile<4xi32>" in text
    assert "constant <f32: 1.500000e+00> : tile<4xf32>" in text
    assert "atomic_rmw_tko relaxed sys %p, add, %cst_i32" in text


def test_the_preview_call_is_refused_by_name() -> None:
    assert PreviewCallOp in set(CudaTile.operations)
    with pytest.raises(ParseError, match=r"cuda_tile.preview\$call: preview operations"):
        parse_disassembly("entry @k() { preview$call @f() }")
    with pytest.raises(VerifyException, match=r"cuda_tile.preview\$call: preview operations"):
        parse_disassembly('"cuda_tile.preview$call"() : () -> ()').verify()


def element_types() -> st.SearchStrategy[str]:
    return st.sampled_from(sorted(NUMBERS))


@st.composite
def literals(draw: st.DrawFn) -> DenseElementsAttr:
    """A literal of any element type, by the bits of its elements."""
    name = draw(element_types())
    element = parse_element(name)
    dims = draw(st.sampled_from([(2,), (2, 4), (128,)] if name == "f4E2M1FN" else [(), (1,), (2,), (2, 4), (128,)]))
    count = tile(dims, element).num_elements
    values = draw(st.lists(st.integers(0, (1 << ELEMENT_BITS[name]) - 1), min_size=count, max_size=count))
    size = 3 if name == "tf32" else (ELEMENT_BITS[name] + 7) // 8
    return DenseElementsAttr.from_elements(tile(dims, element), [value.to_bytes(size, "little") for value in values])


def parse_element(name: str) -> Attribute:
    return parse_short_type(Parser(Context(), name))


@given(literals())
def test_literals_keep_every_bit(attr: DenseElementsAttr) -> None:
    """NaN payloads, negative zeros and denormals included, through text."""
    assert len(attr.elements()) == attr.type.num_elements
    module = ModuleOp([TileModuleOp("m", [EntryOp("k", [])])])
    entry = the_module(module).body.ops.first
    assert isinstance(entry, EntryOp)
    entry.body.block.add_op(ConstantOp(attr))
    again = parse_disassembly(print_module(module))
    (found,) = (op for op in again.walk() if isinstance(op, ConstantOp))
    assert found.value.elements() == attr.elements()
