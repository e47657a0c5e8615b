"""Source lines: from spans to the bytecode, back, and into the cubin."""

from __future__ import annotations

import inspect
import re
import struct
from collections.abc import Callable
from contextlib import nullcontext
from itertools import count

import numpy as np
import pytest
from bytecode_mutator import join, split
from debug_line import debug_line, section_of
from op_kernels import SAMPLES, module_of
from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
    i32,
)
from xdsl.ir import Block, Operation, Region

import freehold as fh
from freehold import Out, Ref
from freehold.backend.assembler import AssembleOptions, assemble, disassemble
from freehold.backend.bytecode.encoding import PAD, MalformedBytecode, varint
from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.bytecode.tables import FunctionFlag, Section
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile import ConstantOp, EntryOp, ReturnOp, TileModuleOp
from freehold.dialects.cuda_tile.debug import DICompileUnitAttr, DIFileAttr, DILexicalBlockAttr, DISubprogramAttr
from freehold.dialects.cuda_tile.text import parse_disassembly, print_module
from freehold.dialects.cuda_tile.version import V13_3, V13_5
from freehold.dialects.location import location_of, span_of
from freehold.support.diagnostic import Rejected
from freehold.support.span import Span

KERNEL, HELPER = "/project/kernels.py", "/project/helpers.py"


def ops_of(module: ModuleOp) -> list[Operation]:
    """The kernels and their operations, in the order of the file."""
    return [op for op in module.walk() if op.name not in ("builtin.module", "cuda_tile.module")]


def located(mnemonic: str, number: int = 0) -> ModuleOp:
    """A kernel whose every operation stands on a line of its own; every third was inlined from another file."""
    module = module_of([next(s for s in SAMPLES if s.name == f"{mnemonic}_{number}")])
    lines = count(10)
    for op in ops_of(module):
        line = next(lines)
        span = Span.on_line(KERNEL, line, 4, 12)
        if line % 3 == 0 and not isinstance(op, EntryOp):
            span = Span.on_line(HELPER, 100 + line, 8, 9).inlined_at(span)
        op.location = location_of(span)
    return module


def starts(module: ModuleOp) -> list[tuple[object, ...]]:
    """Where each operation begins, with its call sites."""
    places: list[tuple[object, ...]] = []
    for op in ops_of(module):
        span, place = span_of(op), list[object]()
        while span is not None:
            place += [span.file, span.line, span.start]
            span = span.call_site
        places.append(tuple(place))
    return places


@pytest.mark.parametrize("mnemonic", ["for", "reduce", "if", "load_view_tko"])
def test_spans_to_bytes_and_back(mnemonic: str):
    module = located(mnemonic)
    data = write_bytecode(module)
    read = read_bytecode(data)
    assert starts(read) == starts(module)
    assert len(set(starts(read))) == len(ops_of(module))
    assert write_bytecode(read) == data


def test_the_disassembler_sees_the_same_lines():
    module = located("for", 1)
    text = disassemble(write_bytecode(module), debug_info=True)
    positions = set(re.findall(r'loc\("([^"]*)":(\d+):(\d+)\)', text))
    expected = {
        (file, str(line), str(start + 1))
        for place in starts(module)
        for file, line, start in zip(place[0::3], place[1::3], place[2::3], strict=True)
        if isinstance(start, int)
    }
    assert positions == expected
    assert f'name = "{next(op.sym_name.data for op in module.walk() if isinstance(op, EntryOp))}"' in text


def test_source_files_reach_the_cubin():
    module = located("store_ptr_tko")
    for line, op in enumerate(ops_of(module)[1:], 20):
        op.location = location_of(Span.on_line(HELPER, 100 + line, 8, 9).inlined_at(Span.on_line(KERNEL, line, 4, 12)))
    cubin = assemble(write_bytecode(module), "sm_90")
    assert b"kernels.py" in cubin
    assert b"helpers.py" in cubin
    without = assemble(write_bytecode(module), "sm_90", AssembleOptions(line_info=False))
    assert b"kernels.py" not in without


def test_source_lines_reach_the_cubin():
    """Each row of the cubin's line table is the line of an operation, with the call through which it was inlined."""
    module = located("store_ptr_tko")
    calls: set[tuple[int, int]] = set()
    for line, op in enumerate(ops_of(module)[1:], 20):
        op.location = location_of(Span.on_line(HELPER, 100 + line, 8, 9).inlined_at(Span.on_line(KERNEL, line, 4, 12)))
        calls.add((100 + line, line))
    rows = debug_line(section_of(assemble(write_bytecode(module), "sm_90"), ".debug_line"))
    inlined = {(row.line, row.called_from.line) for row in rows if row.file == HELPER and row.called_from is not None}
    assert inlined
    assert inlined <= calls
    assert {row.file for row in rows} == {KERNEL, HELPER}
    assert {row.line for row in rows if row.file == KERNEL} <= {10, *(line for _, line in calls)}


def scaled(x: fh.Tile) -> fh.Tile:
    return fh.exp(x * 2.0)


@fh.kernel
def kernel(y: Out["N"], x: Ref["N"]) -> None:
    (i,) = y.index
    loaded = x.load((i,), y.tile)
    y.store(scaled(loaded) + 1.0)


def test_lines_of_a_python_kernel_reach_the_cubin():
    """What is computed in the helper is of its line, called from the kernel's."""
    lines, _ = inspect.getsourcelines(kernel.__wrapped__)
    first = kernel.__wrapped__.__code__.co_firstlineno
    caller = first + next(number for number, line in enumerate(lines) if "scaled(loaded)" in line)
    loads = first + next(number for number, line in enumerate(lines) if "x.load(" in line)
    array = np.zeros(1024, np.float32)
    compiled = kernel.compile(fh.partition(array.copy(), 128), array, arch="sm_90")
    rows = debug_line(section_of(compiled.cubin, ".debug_line"))
    assert {row.file for row in rows} == {__file__}
    assert loads in {row.line for row in rows}
    helper = scaled.__code__.co_firstlineno + 1
    assert (helper, caller) in {(row.line, row.called_from.line) for row in rows if row.called_from is not None}


def test_what_an_architecture_lacks_shows_the_line():
    module = module_of([next(s for s in SAMPLES if s.mnemonic == "mmaf_scaled")])
    for number, op in enumerate(ops_of(module), 10):
        op.location = location_of(Span.on_line("nowhere.py", number, 4, 12))
    with pytest.raises(Rejected) as caught:
        assemble(write_bytecode(module), "sm_90", kernel="product")
    assert set(caught.value.codes) == {"O408"}
    for error in caught.value.errors:
        assert isinstance(error.place, Span)
        assert error.place.file == "nowhere.py"
        assert error.place.line > 10
        assert error.place.start == 4


def test_without_locations_there_is_no_debug_section():
    module = module_of([SAMPLES[0]])
    data = write_bytecode(module)
    assert b".py" not in data
    assert all(isinstance(op.location, UnknownLoc) for op in read_bytecode(data).walk())


def test_operations_of_a_kernel_without_a_location_lose_theirs():
    module = located("for", 1)
    for op in ops_of(module):
        if isinstance(op, EntryOp):
            op.location = UnknownLoc()
    assert all(isinstance(op.location, UnknownLoc) for op in read_bytecode(write_bytecode(module)).walk())


def test_unknown_locations_among_known_ones():
    module = located("for", 1)
    for op in ops_of(module)[2::2]:
        op.location = UnknownLoc()
    read = read_bytecode(write_bytecode(module))
    assert starts(read) == starts(module)
    disassemble(write_bytecode(module), debug_info=True)


def _position(line: int) -> FileLineColLoc:
    return FileLineColLoc(StringAttr(KERNEL), IntAttr(line), IntAttr(5))


def test_scopes_of_other_producers_are_kept():
    file = DIFileAttr(StringAttr("kernels.py"), StringAttr("/elsewhere"))
    unit = DICompileUnitAttr(file)
    module = module_of([next(s for s in SAMPLES if s.name == "addf_0")])
    ops = ops_of(module)
    name = StringAttr("addf_0")
    subprogram = DISubprogramAttr(file, IntAttr(3), StringAttr("pretty"), name, unit, IntAttr(4), IntAttr(0))
    block = DILexicalBlockAttr(subprogram, file, IntAttr(7), IntAttr(1))
    helper = DISubprogramAttr(file, IntAttr(90), StringAttr("h"), StringAttr("h"), unit, IntAttr(90), IntAttr(0))
    ops[0].location = FusedLoc(ArrayAttr([_position(3)]), subprogram)
    here, inside, called = (FusedLoc(ArrayAttr([_position(8)]), scope) for scope in (subprogram, block, helper))
    for op, location in zip(ops[1:], (here, inside, CallSiteLoc(called, inside)), strict=False):
        op.location = location
    data = write_bytecode(module)
    read = read_bytecode(data)
    assert [op.location for op in ops_of(read)] == [op.location for op in ops]
    assert write_bytecode(read) == data
    text = disassemble(data, debug_info=True)
    assert 'name = "pretty", linkageName = "addf_0"' in text
    assert "di_lexical_block" in text


def test_names_around_locations_are_passed_over():
    module = located("addf")
    op = ops_of(module)[1]
    op.location = NameLoc(StringAttr("x"), _position(77))
    assert ("/project/kernels.py", 77, 4) in starts(read_bytecode(write_bytecode(module)))


@pytest.mark.parametrize(
    ("location", "what"),
    [
        (NameLoc(StringAttr("x"), _position(77)), "a location with a name"),
        (FusedLoc(ArrayAttr([_position(1), _position(2)]), NoneAttr()), "a location of several places"),
        (
            CallSiteLoc(_position(3), FusedLoc(ArrayAttr([_position(1), _position(2)]), NoneAttr())),
            "a location of several places",
        ),
        (CallSiteLoc(NameLoc(StringAttr("x"), _position(3)), _position(4)), "a location with a name"),
        (CallSiteLoc(CallSiteLoc(_position(3), NameLoc(StringAttr("x"), _position(4))), _position(5)), "with a name"),
        (CallSiteLoc(CallSiteLoc(NameLoc(StringAttr("x"), _position(3)), _position(4)), _position(5)), "with a name"),
        (CallSiteLoc(CallSiteLoc(_position(3), _position(5)), _position(4)), ""),
        (CallSiteLoc(_position(3), _position(4)), ""),
    ],
)
def test_locations_that_are_written_in_part(location: LocationAttr, what: str):
    module = located("addf")
    for op in ops_of(module)[1:]:
        op.location = _position(7)
    assert write_bytecode(module, exact_locations=True) == write_bytecode(module)
    ops_of(module)[1].location = location
    assert read_bytecode(write_bytecode(module))
    with pytest.raises(Rejected, match=what) if what else nullcontext():
        write_bytecode(module, exact_locations=True)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("known", [(True, True), (True, False), (False, True)])
def test_kernels_that_share_their_locations(known: tuple[bool, bool], exact: bool):
    """Each is of its own kernel all the same: what was found out for one is not taken for the next."""
    plain = _position(50)
    called = CallSiteLoc(_position(60), _position(70))
    elsewhere = FileLineColLoc(StringAttr(HELPER), IntAttr(80), IntAttr(1))
    span = FusedLoc(ArrayAttr([_position(90), _position(90)]), NoneAttr())
    shared: list[LocationAttr] = [plain, called, elsewhere, CallSiteLoc(elsewhere, plain)]
    if not exact:
        shared += [span, NameLoc(StringAttr("x"), plain)]
    entries: list[EntryOp] = []
    for number, known_here in enumerate(known):
        block = Block()
        for location in shared:
            block.add_op(op := ConstantOp.scalar(1, i32))
            op.location = location
        block.add_op(ReturnOp())
        entries.append(EntryOp(f"k{number}", (), Region(block)))
        if known_here:
            entries[-1].location = _position(10 * number)
    module = ModuleOp([TileModuleOp("kernels", entries)])
    data = write_bytecode(module, exact_locations=exact)
    read = [op for op in read_bytecode(data).walk() if isinstance(op, EntryOp)]
    expected = [plain, called, elsewhere, CallSiteLoc(elsewhere, plain), _position(90), plain][: len(shared)]
    for entry, known_here in zip(read, known, strict=True):
        *there, last = (op.location for op in entry.body.block.ops)
        assert there == (expected if known_here else [UnknownLoc()] * len(shared))
        assert last == UnknownLoc()
    assert write_bytecode(module, exact_locations=exact) == data


def test_a_kernel_with_the_debug_information_of_another_is_refused():
    module = located("addf")
    file = DIFileAttr(StringAttr("k.py"), StringAttr(""))
    other = StringAttr("other")
    subprogram = DISubprogramAttr(file, IntAttr(3), other, other, DICompileUnitAttr(file), IntAttr(3), IntAttr(0))
    ops_of(module)[0].location = FusedLoc(ArrayAttr([_position(3)]), subprogram)
    with pytest.raises(Rejected) as caught:
        write_bytecode(module)
    assert caught.value.codes == ("O412",)


SCOPES = """
#file = #cuda_tile.di_file<"k.py" in "/project">
#unit = #cuda_tile.di_compile_unit<file = #file>
#function = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = #unit>
#block = #cuda_tile.di_lexical_block<scope = #function, file = #file, line = 3>
#at = #cuda_tile.di_loc<loc("/project/k.py":7:8) in #block>
cuda_tile.module @kernels {
  entry @k(%a: tile<i32> loc("/project/k.py":2:3), %b: tile<i32> {cuda_tile.n = "b"} loc(#at), %c: tile<i32>) {
    %x = constant <i32: 1> : tile<i32> loc(#at)
    return loc(unknown)
  } loc(#cuda_tile.di_loc<loc("/project/k.py":1:1) in #function>)
}
"""


def test_lines_and_columns_that_are_not_known():
    """A `scopeLine` and a `column` of 0 are left out of text, as the disassembler does."""
    module = parse_disassembly(SCOPES)
    data = write_bytecode(module)
    text = disassemble(data, debug_info=True)
    assert "scopeLine" not in text
    assert "column" not in text
    assert write_bytecode(parse_disassembly(text)) == data
    assert [op.location for op in ops_of(read_bytecode(data))] == [op.location for op in ops_of(module)]


@pytest.mark.parametrize("line", [1, 126, 127, 128, 129, 16383, 16384, (1 << 21) - 1, 1 << 21])
def test_lines_take_as_many_bytes_as_they_need(line: int):
    data = write_bytecode(parse_disassembly(SCOPES.replace("loc(unknown)", f'loc("/project/k.py":{line}:9)')))
    assert varint(line) + varint(9) in data
    assert f'"/project/k.py":{line}:9' in print_module(read_bytecode(data), locations=True)


def test_locations_of_arguments_are_kept_in_text():
    """Files have no place for them."""
    module = parse_disassembly(SCOPES)
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    first, second, third = (argument.location for argument in entry.block.args)
    assert span_of(entry.block.args[0]) == Span.on_line("/project/k.py", 2, 2, 3)
    assert isinstance(second, FusedLoc)
    assert isinstance(third, UnknownLoc)
    text = print_module(module, locations=True)
    assert "%a: tile<i32> loc(#loc), " in text
    assert f"#loc = {first}\n" in text
    assert print_module(parse_disassembly(text), locations=True) == text
    assert "loc(" not in print_module(module)
    assert write_bytecode(parse_disassembly(print_module(module, locations=True))) == write_bytecode(module)


@pytest.mark.parametrize(
    ("entry", "operation", "why"),
    [
        ("#at", "loc(unknown)", "the scope of a kernel is a `di_subprogram`"),
        ("#in", "loc(#of_other)", "its scope is of `other`, another function than the kernel"),
        ("#plain", "loc(#at)", "its scope is of `k`, another function than the kernel"),
        ("#in", "loc(callsite(#at at #of_other))", "its scope is of `other`"),
        ("#in", 'loc("name"(#of_other))', "its scope is of `other`"),
    ],
)
def test_scopes_are_of_the_kernel(entry: str, operation: str, why: str):
    """NVIDIA's tools refuse a file in which they are not."""
    module = parse_disassembly(SCOPES_OF_OTHERS.replace("ENTRY", entry).replace("OPERATION", operation))
    with pytest.raises(Rejected) as caught:
        write_bytecode(module)
    assert caught.value.codes == ("O412",)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("entry", "operation"),
    [("#in", "loc(#at)"), ("#in", "loc(callsite(#of_other at #at))"), ("#plain", "loc(callsite(#of_other at #plain))")],
)
def test_what_was_inlined_may_be_of_any_function(entry: str, operation: str):
    data = write_bytecode(parse_disassembly(SCOPES_OF_OTHERS.replace("ENTRY", entry).replace("OPERATION", operation)))
    assert write_bytecode(read_bytecode(data)) == data
    disassemble(data, debug_info=True)


SCOPES_OF_OTHERS = """
#file = #cuda_tile.di_file<"k.py" in "/project">
#unit = #cuda_tile.di_compile_unit<file = #file>
#function = #cuda_tile.di_subprogram<file = #file, line = 9, name = "k", linkageName = "k", compileUnit = #unit>
#other = #cuda_tile.di_subprogram<file = #file, line = 1, name = "other", linkageName = "other", compileUnit = #unit>
#block = #cuda_tile.di_lexical_block<scope = #function, file = #file, line = 3>
#plain = loc("/project/k.py":7:8)
#at = #cuda_tile.di_loc<#plain in #block>
#in = #cuda_tile.di_loc<#plain in #function>
#of_other = #cuda_tile.di_loc<loc("/project/k.py":2:8) in #other>
cuda_tile.module @kernels {
  entry @k() {
    %x = constant <i32: 1> : tile<i32> OPERATION
    return loc(unknown)
  } loc(ENTRY)
}
"""


def test_a_declaration_needs_13_5():
    module = located("addf")
    file, name = DIFileAttr(StringAttr("k.py"), StringAttr("")), StringAttr("addf_0")
    subprogram = DISubprogramAttr(file, IntAttr(3), name, name, DICompileUnitAttr(file), IntAttr(3), IntAttr(1))
    called = FusedLoc(ArrayAttr([_position(3)]), subprogram)
    ops_of(module)[1].location = CallSiteLoc(called, _position(30))
    data = write_bytecode(module)
    assert data[9] == V13_5.minor
    assert "flags = declaration" in disassemble(data, debug_info=True)
    assert write_bytecode(read_bytecode(data), V13_5) == data
    with pytest.raises(Rejected) as caught:
        write_bytecode(module, V13_3)
    assert caught.value.codes == ("O410",)


def test_a_function_with_places_in_several_files():
    """Records of one function's places that begin alike are not taken for each other."""
    files = ["/project/a.py", "/project/b.py", "/project/a.py", "/project/a/longer/path.py", "/project/b.py"]
    for turned in range(len(files)):
        order = files[turned:] + files[:turned]
        module = located("addf")
        ops = ops_of(module)[1:]
        assert len(ops) > 2
        for number, op in enumerate(ops):
            place = StringAttr(order[number % len(order)])
            op.location = FileLineColLoc(place, IntAttr(100 + 77 * number), IntAttr(1 + number))
        data = write_bytecode(module)
        assert [op.location for op in ops_of(read_bytecode(data))[1:]] == [op.location for op in ops]


TWO = """
#file = #cuda_tile.di_file<"k.py" in "/project">
#unit = #cuda_tile.di_compile_unit<file = #file>
#first = #cuda_tile.di_subprogram<file = #file, line = 1, name = "one", linkageName = "one", compileUnit = #unit>
#second = #cuda_tile.di_subprogram<file = #file, line = 9, name = "two", linkageName = "two", compileUnit = #unit>
#in_first = #cuda_tile.di_loc<loc("/project/k.py":2:8) in #first>
#in_second = #cuda_tile.di_loc<loc("/project/k.py":9:8) in #second>
cuda_tile.module @kernels {
  entry @one() {
    return loc("/project/k.py":3:1)
  } loc(#in_first)
  entry @two() {
    %x = constant <i32: 1> : tile<i32> loc("/project/k.py":10:1)
    return loc("/project/k.py":11:1)
  } loc(#in_second)
}
"""


def with_numbers(change: Callable[[list[int]], object]) -> bytes:
    """`TWO` as a file, in which the numbers of its five locations are changed."""
    header, parts = split(write_bytecode(parse_disassembly(TWO)))
    debug = next(part for part in parts if part.number == Section.DEBUG)
    lists = bytes((2, PAD, PAD, PAD)) + struct.pack("<2I", 0, 2) + bytes((5, PAD, PAD, PAD))
    assert debug.payload.startswith(lists)
    numbers = [*struct.unpack_from("<5Q", debug.payload, len(lists))]
    change(numbers)
    struct.pack_into("<5Q", debug.payload, len(lists), *numbers)
    return join(header, parts)


def test_a_place_of_another_function_keeps_its_scope():
    """What was read for the function before is of that function: there its scope went without saying."""
    read = read_bytecode(with_numbers(lambda numbers: numbers.__setitem__(4, numbers[1])))
    first, second = (op.location for op in read.walk() if isinstance(op, ReturnOp))
    assert isinstance(first, FileLineColLoc)
    assert isinstance(second, FusedLoc)
    scope = second.metadata
    assert isinstance(scope, DISubprogramAttr)
    assert scope.linkage_name.data == "one"
    assert second.locations == ArrayAttr([first])


def test_a_function_whose_locations_are_no_list_of_the_file():
    header, parts = split(write_bytecode(parse_disassembly(TWO)))
    (functions,) = (part for part in parts if part.number == Section.FUNCTION)
    at = functions.payload.index(bytes((FunctionFlag.ENTRY, 2))) + 1  # the second function, and its list
    for number, said in ((2, ""), (3, "there is no list 3 of locations"), (1, "'two' has the linkage name 'one'")):
        functions.payload[at] = number
        with pytest.raises(MalformedBytecode, match=said) if said else nullcontext():
            read_bytecode(join(header, parts))
