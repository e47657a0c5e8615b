"""NVIDIA's own tools on what the writer emits: the assembler accepts it, the disassembler prints what we print."""

from __future__ import annotations

import re
from functools import cache
from io import StringIO

import pytest
from answers import assembles
from bytecode_mutator import HEADER
from bytecode_text import normalised
from op_kernels import SAMPLES, Sample, module_of
from xdsl.printer import Printer

from freehold.backend.assembler import AssembleOptions, assemble, disassemble
from freehold.backend.bytecode.reader import bytecode_version, read_bytecode
from freehold.backend.bytecode.tables import op_of_opcode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.text import parse_disassembly, print_module
from freehold.dialects.cuda_tile.version import VERSIONS, Version

each_version = pytest.mark.parametrize("version", VERSIONS, ids=str)


@cache
def lowest(sample: Sample) -> Version:
    return bytecode_version(write_bytecode(module_of([sample])))


def samples_of(version: Version, arch: str | None = None) -> list[Sample]:
    """The kernels that a version has, for an architecture or all."""
    return [sample for sample in SAMPLES if lowest(sample) <= version and arch in (None, sample.arch)]


@each_version
def test_the_disassembler_prints_what_we_print(version: Version):
    module = module_of(samples_of(version))
    data = write_bytecode(module, version)
    assert normalised(disassemble(data)) == normalised(print_module(module))


def test_the_disassembler_calls_values_what_we_call_them():
    """Up to the numbers that tell values of one name apart."""
    data = write_bytecode(module_of(samples_of(VERSIONS[-1])), VERSIONS[-1])
    assert "%blockId_x" in print_module(read_bytecode(data))
    assert names(print_module(read_bytecode(data))) == names(disassemble(data))


def names(text: str) -> list[str]:
    """The values in a text, in its order, without their numbers."""
    return [re.sub(r"(?<=[A-Za-z\d])_\d+$|\d+$", "", name) for name in re.findall(r"%[\w.-]+", text)]


@each_version
def test_with_the_prefix_it_is_the_same_module(version: Version):
    module = module_of(samples_of(version))
    text = StringIO()
    Printer(text).print_op(module)
    parsed = parse_disassembly(text.getvalue())
    assert "cuda_tile.addf " in text.getvalue()
    assert write_bytecode(parsed, version) == write_bytecode(module, version)
    assert normalised(disassemble(write_bytecode(parsed, version))) == normalised(print_module(parsed))


@each_version
def test_what_the_disassembler_prints_is_read_as_the_same_module(version: Version):
    data = write_bytecode(module_of(samples_of(version)), version)
    assert write_bytecode(parse_disassembly(disassemble(data)), version) == data


@each_version
@pytest.mark.parametrize("arch", ["sm_100", "sm_107"])
def test_the_assembler_accepts_every_operation(version: Version, arch: str):
    samples = samples_of(version, arch)
    if not samples:
        pytest.skip(f"version {version} has nothing that only {arch} has")
    code, names = write_bytecode(module_of(samples), version), [sample.name for sample in samples]
    assert assembles(code, arch, AssembleOptions(opt_level=0), names)


@cache
def by_operation() -> dict[tuple[str, str], list[Sample]]:
    """The kernels of each operation and architecture."""
    found: dict[tuple[str, str], list[Sample]] = {}
    for sample in SAMPLES:
        found.setdefault((sample.mnemonic, sample.arch), []).append(sample)
    return found


def of_operation(mnemonic: str, version: Version, arch: str) -> list[Sample]:
    """The forms that a version has of an operation."""
    return [sample for sample in by_operation()[mnemonic, arch] if lowest(sample) <= version]


@cache
def alone(mnemonic: str, version: Version, arch: str) -> bytes:
    """A module of all the forms that a version has of an operation."""
    return write_bytecode(module_of(of_operation(mnemonic, version, arch)), version)


@cache
def forms() -> list[tuple[str, Version, str]]:
    """
    Every operation, with the architectures that its forms need, in the last version that has it, and in each whose
    module is another one than that of the version before. In all versions they are assembled together.
    """
    found: list[tuple[str, Version, str]] = []
    for mnemonic, arch in sorted(by_operation()):
        before = b""
        for version in VERSIONS:
            if not of_operation(mnemonic, version, arch):
                continue
            behind_header = alone(mnemonic, version, arch)[HEADER:]
            if behind_header != before or version == VERSIONS[-1]:
                found.append((mnemonic, version, arch))
            before = behind_header
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("mnemonic", "version", "arch"), forms(), ids=str)
def test_the_assembler_accepts_each_operation_alone(mnemonic: str, version: Version, arch: str):
    samples = of_operation(mnemonic, version, arch)
    options = AssembleOptions(opt_level=3 if version == VERSIONS[-1] else 0)
    assert assembles(alone(mnemonic, version, arch), arch, options, [sample.name for sample in samples])


def test_every_form_is_tried_alone():
    assert set[Sample]().union(*(of_operation(*form) for form in forms() if form[1] == VERSIONS[-1])) == set(SAMPLES)
    assert {(s.mnemonic, lowest(s)) for s in SAMPLES} <= {(mnemonic, version) for mnemonic, version, _ in forms()}
    assert {mnemonic for mnemonic, _, _ in forms()} == {op.short_name() for op in op_of_opcode().values()}


def test_a_module_that_was_read_is_the_same_code():
    module = module_of([sample for sample in SAMPLES if sample.arch == "sm_100"][::7])
    data = write_bytecode(module)
    assert assemble(write_bytecode(read_bytecode(data)), "sm_100") == assemble(data, "sm_100")
