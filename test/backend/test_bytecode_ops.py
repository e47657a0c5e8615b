"""Every operation, in each of its forms and every version: module -> bytes -> module -> bytes, and to text and back."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from op_kernels import SAMPLES, Sample, module_of
from xdsl.dialects.builtin import FloatData, ModuleOp, UnitAttr
from xdsl.irdl import AttrSizedOperandSegments, opt_operand_def, opt_prop_def, prop_def

from freehold.backend.bytecode.reader import bytecode_version, read_bytecode
from freehold.backend.bytecode.tables import NOT_IN_BODIES, op_of_opcode, op_record
from freehold.backend.bytecode.writer import write_bytecode
from freehold.backend.errors.bytecode import NotInVersion
from freehold.dialects.cuda_tile import CudaTile
from freehold.dialects.cuda_tile.op import TileOp, tile_op
from freehold.dialects.cuda_tile.text import parse_disassembly, print_module
from freehold.dialects.cuda_tile.version import V13_1, V13_2, VERSIONS, Version
from freehold.support.diagnostic import Rejected

each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)


@cache
def module(sample: Sample) -> ModuleOp:
    return module_of([sample])


@cache
def lowest(sample: Sample) -> Version:
    return bytecode_version(write_bytecode(module(sample)))


def test_there_is_a_sample_of_every_operation():
    defined = {op.short_name() for op in CudaTile.operations if issubclass(op, TileOp) and "opcode" in vars(op)}
    assert {sample.mnemonic for sample in SAMPLES} == defined - NOT_IN_BODIES
    assert len(op_of_opcode()) == len(defined - NOT_IN_BODIES)


@each_sample
def test_module_to_bytes_and_back(sample: Sample):
    given = module(sample)
    given.verify()
    for version in VERSIONS:
        if version >= lowest(sample):
            data = write_bytecode(given, version)
            assert bytecode_version(data) == version
            read = read_bytecode(data)
            read.verify()
            assert read.is_structurally_equivalent(given), version
            assert write_bytecode(read, version) == data
            assert write_bytecode(given, version) == data


@each_sample
def test_text_to_bytes_and_back(sample: Sample):
    given = module(sample)
    text = print_module(given)
    parsed = parse_disassembly(text)
    assert parsed.is_structurally_equivalent(given)
    read = read_bytecode(write_bytecode(parsed))
    assert print_module(read) == text


@each_sample
def test_older_versions_refuse_it_by_name(sample: Sample):
    needed = lowest(sample)
    for version in VERSIONS:
        if version < needed:
            with pytest.raises(Rejected) as caught:
                write_bytecode(module(sample), version)
            assert set(caught.value.codes) == {"O410"}
            assert str(version) in str(caught.value)
            assert "is new in Tile IR 13." in str(caught.value)


def test_an_operation_is_written_from_its_own_version_on():
    for op in op_of_opcode().values():
        lowest_of_all = min(lowest(sample) for sample in SAMPLES if sample.mnemonic == op.short_name())
        assert lowest_of_all >= op.since, op.name
        if op.short_name() not in {"multimem_load_reduce_view_tko", "return"}:
            assert lowest_of_all == op.since, op.name


def test_all_operations_in_one_module():
    everything = module_of(SAMPLES)
    data = write_bytecode(everything)
    assert bytecode_version(data) == VERSIONS[-1]
    assert write_bytecode(read_bytecode(data)) == data


@pytest.mark.parametrize(
    ("mnemonic", "version", "layout"),
    [
        # What the file holds between opcode and operands, written down once by hand for the unusual records.
        ("addf", Version(13, 1), "results:1 flags:flush_to_zero rounding_mode operands:2"),
        ("negi", Version(13, 1), "results:1 operands:1"),
        ("negi", Version(13, 2), "results:1 overflow operands:1"),
        ("mmaf", Version(13, 2), "results:1 operands:3"),
        ("mmaf", Version(13, 3), "results:1 flags:fast_acc operands:3"),
        ("for", Version(13, 1), "count results:* counted operands:* regions:1"),
        ("print_tko", Version(13, 1), "count results:0 str operands:*"),
        ("print_tko", Version(13, 2), "count results:1 flags:token str operands:*"),
        ("load_view_tko", Version(13, 3), "count results:2 flags:memory_scope,optimization_hints,token"
         " memory_ordering_semantics memory_scope? optimization_hints? operands:*"),
        ("load_view_tko", Version(13, 4), "count results:2 flags:memory_scope,optimization_hints,token"
         " memory_ordering_semantics memory_scope? optimization_hints? inbounds operands:*"),
        ("gdc_wait_tko", Version(13, 4), "results:1 counted operands:*"),
        ("if", Version(13, 1), "count results:* operands:1 regions:2"),
    ],
)  # fmt: skip
def test_records(mnemonic: str, version: Version, layout: str):
    (op,) = (op for op in op_of_opcode().values() if op.short_name() == mnemonic)
    record = op_record(op, version)
    words = ["count"] if record.counts_results else []
    words.append(f"results:{'*' if record.many_results else record.fixed_results}")
    if record.has_flags:
        fields = sorted((field for field in (*record.properties, *record.operands) if field.flag), key=lambda f: f.flag)
        assert [field.flag for field in fields] == [1 << bit for bit in range(len(fields))]
        words.append("flags:" + ",".join(field.name for field in fields))
    flags = {"flush_to_zero", "fast_acc", "unsignedCmp"}
    words += [
        field.name + "?" * field.optional for field in record.properties if field.there and field.name not in flags
    ]
    words += ["counted"] if record.counts_operands else []
    fixed = all(field.arity.name == "ONE" for field in record.operands)
    words.append(f"operands:{len(record.operands) if fixed else '*'}")
    words += [f"regions:{len(record.may_be_empty)}"] if record.may_be_empty else []
    assert " ".join(words) == layout


def test_what_each_version_lacks_of_an_operation(golden: Callable[[Path, str], None]):
    """Of each sample, in the order of the message: what is new, and since when. All of it is said at once."""
    lines: dict[str, None] = {}
    for sample in SAMPLES:
        for version in VERSIONS:
            if version < lowest(sample):
                with pytest.raises(Rejected) as caught:
                    write_bytecode(module(sample), version)
                errors = [error for error in caught.value.errors if isinstance(error, NotInVersion)]
                said = ", ".join(f"{error.what} ({error.needs})" for error in errors)
                lines[f"{sample.mnemonic} in {version}: {said}; enough is {errors[0].enough}"] = None
    golden(Path(__file__).with_name("golden") / "older_versions.txt", "\n".join(lines))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("%a = print_tko \"x\" -> token", []),
        ("%a = print_tko \"x\" -> token %b = print_tko \"y\" token = %a -> token", ["result_token", "token"]),
        ("%t = make_token : token %b = print_tko \"y\" token = %t -> token", ["token"]),
        ("%a = print_tko \"x\" -> token %b = join_tokens %a, %a : token", ["result_token"]),
    ],
)  # fmt: skip
def test_results_that_are_newer_may_be_there_unused(body: str, said: list[str]):
    given = parse_disassembly(f"cuda_tile.module @kernels {{ entry @k() {{ {body} return }} }}")
    assert read_bytecode(write_bytecode(given)).is_structurally_equivalent(given)
    if not said:
        assert bytecode_version(write_bytecode(given)) == V13_1
        assert read_bytecode(write_bytecode(given, V13_1)).is_structurally_equivalent(given)
        return
    assert bytecode_version(write_bytecode(given)) == V13_2
    with pytest.raises(Rejected) as caught:
        write_bytecode(given, V13_1)
    errors = [error for error in caught.value.errors if isinstance(error, NotInVersion)]
    assert [(error.what, error.needs) for error in errors] == [(f"`{name}` of `print_tko`", "13.2") for name in said]


@tile_op(9999, group="none")
class OfNoForm(TileOp):
    """An operation with a property that has no form on the wire."""

    name = "cuda_tile.of_no_form"
    mystery = prop_def(FloatData)


def test_a_property_without_a_form_is_told_when_its_operation_is_first_seen():
    told = "cuda_tile.of_no_form: nothing says how the property `mystery` is encoded"
    with pytest.raises(TypeError, match=f"^{re.escape(told)}$"):
        op_record(OfNoForm, V13_1)


@tile_op(9998, group="none", field_since={"later": V13_2, "before": V13_2})
class LaterFirst(TileOp):
    """An operation whose first fields came after the ones behind them."""

    name = "cuda_tile.later_first"
    later = opt_prop_def(UnitAttr)
    sooner = opt_prop_def(UnitAttr)
    before = opt_operand_def()
    behind = opt_operand_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)


def test_flags_of_older_fields_come_first_however_they_stand_in_a_class():
    older, newer = (op_record(LaterFirst, version) for version in (V13_1, V13_2))
    assert (older.property_flags, older.operand_flags, older.known_flags) == ((("sooner", 1),), ((1, 2),), 3)
    assert (newer.property_flags, newer.operand_flags) == ((("later", 4), ("sooner", 1)), ((0, 8), (1, 2)))
    assert newer.known_flags == 15
