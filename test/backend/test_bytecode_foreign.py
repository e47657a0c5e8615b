"""Files of another producer (cuTile Python): read, printed, parsed, written again, and the same code comes out."""

from __future__ import annotations

from pathlib import Path

import pytest
from answers import same_code
from bytecode_text import normalised
from fixtures.export import exported, kernel_names
from xdsl.dialects.builtin import UnknownLoc

from freehold.backend.assembler import disassemble
from freehold.backend.bytecode.reader import bytecode_version, read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.text import parse_disassembly, print_module
from freehold.dialects.location import span_of

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("*.tileirbc"))
each_fixture = pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)


def check(data: bytes, arch: str = "sm_100") -> None:
    """Reads a file and demands that nothing is lost on the way round."""
    version = bytecode_version(data)
    module = read_bytecode(data)
    module.verify()
    own = write_bytecode(module, version)
    assert disassemble(own, debug_info=True) == disassemble(data, debug_info=True)
    assert normalised(disassemble(data)) == normalised(print_module(module))
    assert write_bytecode(read_bytecode(own), version) == own
    parsed = parse_disassembly(print_module(module, locations=True))
    assert parsed.is_structurally_equivalent(module)
    assert same_code([data, own, write_bytecode(parsed, version)], arch)


def test_there_are_fixtures():
    assert {path.stem.rpartition("_")[2] for path in FIXTURES} == {"13.1", "13.2", "13.3", "13.4"}


@each_fixture
def test_fixture(path: Path):
    check(path.read_bytes())


@each_fixture
def test_fixture_in_later_versions(path: Path):
    data = path.read_bytes()
    module = read_bytecode(data)
    text = normalised(disassemble(data))
    for version in (bytecode_version(data), bytecode_version(write_bytecode(module))):
        assert normalised(disassemble(write_bytecode(module, version))) == text


def test_source_lines_are_read():
    module = read_bytecode((Path(__file__).parent / "fixtures" / "softmax_13.2.tileirbc").read_bytes())
    spans = [span_of(op) for op in module.walk() if not isinstance(op.location, UnknownLoc)]
    places = {(span.line, span.call_site.line if span.call_site else None) for span in spans if span is not None}
    source = (Path(__file__).parent / "fixtures" / "cutile_kernels.py.txt").read_text(encoding="utf-8").splitlines()
    helper = next(number for number, line in enumerate(source, 1) if "return ct.exp(x)" in line)
    caller = next(number for number, line in enumerate(source, 1) if "shifted = scaled(" in line)
    assert (helper, caller) in places
    assert (caller, None) in places


@pytest.mark.slow
@pytest.mark.parametrize("kernel", kernel_names())
def test_what_cutile_exports_now(kernel: str):
    pytest.importorskip("cuda.tile")
    files = dict(exported(kernel))
    assert "13.4" in files
    for data in files.values():
        check(data)
