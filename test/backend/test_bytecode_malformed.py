"""Files that are damaged or hostile: each is refused with its place and its reason, and costs little."""

from __future__ import annotations

import random
import struct
from pathlib import Path
from types import SimpleNamespace

import bytecode_mutator
import pytest
from bytecode_mutator import Part, join, split
from hypothesis import given, settings
from hypothesis import strategies as st
from op_kernels import SAMPLES, module_of
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, SSAValue
from xdsl.irdl.operations import OptionalDef, VariadicDef

from freehold.backend.bytecode.body_reader import BodyReader
from freehold.backend.bytecode.encoding import Cursor, MalformedBytecode, put_offset_table, varint
from freehold.backend.bytecode.reader import MAX_FILE, bytecode_version, read_bytecode
from freehold.backend.bytecode.tables import FunctionFlag, Section, op_of_opcode, op_record
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile import LoopOp
from freehold.dialects.cuda_tile.text import parse_disassembly
from freehold.dialects.cuda_tile.version import V13_3, V13_4, V13_5, VERSIONS, Version
from freehold.support.diagnostic import Rejected
from freehold.support.large import MAX_NESTING, large

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("*.tileirbc"))
GEMM = (Path(__file__).parent / "fixtures" / "gemm_13.3.tileirbc").read_bytes()


def refused(data: bytes) -> str:
    with pytest.raises(MalformedBytecode) as caught:
        read_bytecode(data)
    assert 0 <= caught.value.offset <= len(data)
    return caught.value.reason


def with_section(section: Section, payload: bytes) -> bytes:
    """The matrix product with another payload for one section."""
    header, parts = split(GEMM)
    for part in parts:
        if part.number == section:
            part.payload[:] = payload
            return join(header, parts)
    return join(header, [*parts, Part(section, 1, bytearray(payload))])


def sample(mnemonic: str, version: Version | None = None) -> bytes:
    return write_bytecode(module_of([next(each for each in SAMPLES if each.mnemonic == mnemonic)]), version)


def ended_by(opcode: int, version: Version) -> bytes:
    """A kernel of `make_token` and, instead of `return`, an operation of which there is the opcode alone."""
    header, parts = split(sample("make_token", version))
    function = next(part for part in parts if part.number == Section.FUNCTION)
    at = function.payload.index(b"\x5c\x00\x00")  # return
    assert function.payload[at - 3] == 5  # the length of the body
    function.payload[at:] = varint(opcode)
    function.payload[at - 3] = 2 + len(varint(opcode))
    return join(header, parts)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "does not begin as Tile IR bytecode"),
        (b"\x7fELF" + bytes(100), "does not begin as Tile IR bytecode"),
        (GEMM[:8], "ends here"),
        (GEMM[:9], "ends here"),
        (GEMM[:8] + b"\x0d\x06" + GEMM[10:], "version 13.6 is none of 13.1"),
        (GEMM[:8] + b"\x0d\x00" + GEMM[10:], "version 13.0 is none of 13.1"),
        (GEMM[:10] + b"\x01\x00" + GEMM[12:], "preview content"),
        (GEMM[:10] + b"\x04\x00" + GEMM[12:], "unknown tag 0x4"),
        (GEMM[:200], "section"),
        (GEMM + b"\x00", "1 bytes follow the end"),
        (GEMM[:-1], "ends here"),
        (GEMM[:12] + b"\x00", "no STRING section"),
        (GEMM[:12] + b"\x42" + GEMM[13:], "there is no section 66"),
        (GEMM[:12] + b"\x82\x00\x03", "cannot be aligned to 3"),
        (GEMM[:12] + b"\x02\x00", "FUNCTION section is not aligned to 8"),
        (join(GEMM[:12], split(GEMM)[1] * 2), "two FUNCTION sections"),
        (with_section(Section.FUNCTION, varint(1 << 40)), "functions cannot follow"),
        (GEMM.replace(b"gemm", b"gem\xff"), "is not UTF-8"),
        (with_section(Section.STRING, b"\x00"), "padding"),
        (with_section(Section.TYPE, b"\x01\xcb\xcb\xcb\0\0\0\0\xff\x01"), "there is no type"),
        (with_section(Section.GLOBAL, b"\x01\x00\x00\x00\x00"), "a global is a tile of rank 1"),
        (with_section(Section.PRODUCER, b"\x7f"), "there is no string 127"),
        (with_section(Section.DEBUG, b"\x00"), "padding"),
    ],
)
def test_a_damaged_file(data: bytes, reason: str):
    assert reason in refused(data)


def test_a_file_that_is_too_large():
    assert "at most" in refused(bytes(MAX_FILE + 1))


def test_a_type_made_of_itself():
    header, parts = split(sample("make_token"))
    types = next(part for part in parts if part.number == Section.TYPE)
    at = types.payload.index(b"\x10\x03\x02\x04\x06\x00")  # type 7, the signature: three arguments, no results
    types.payload[at + 2] = 7
    assert "made of itself" in refused(join(header, parts))


def with_function_flags(flags: int, version: Version) -> bytes:
    header, parts = split(sample("make_token", version))
    function = next(part for part in parts if part.number == Section.FUNCTION)
    assert function.payload[3] == FunctionFlag.ENTRY  # behind a count, a name and a signature
    function.payload[3] = flags
    return join(header, parts)


@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_flags_of_functions_that_are_not_known(version: Version):
    assert with_function_flags(FunctionFlag.ENTRY, version) == sample("make_token", version)
    unknown = [1 << bit for bit in range(8) if 1 << bit not in (*FunctionFlag,)]
    later = [FunctionFlag.HINTS] if version >= V13_5 else []
    for flag in (FunctionFlag.PRIVATE, *unknown, *later):
        flags = FunctionFlag.ENTRY | flag
        assert f"with flags {int(flags):#x} is no kernel" in refused(with_function_flags(flags, version))
    assert "with flags 0x0 is no kernel" in refused(with_function_flags(0, version))


@pytest.mark.parametrize("version", VERSIONS[:-1], ids=str)
def test_operations_of_later_versions_are_named(version: Version):
    later = {opcode: op for opcode, op in op_of_opcode().items() if op.since > version}
    assert later
    for opcode, op in later.items():
        reason = f"`{op.short_name()}` came with {op.since}; this file has {version}"
        assert refused(ended_by(opcode, version)) == reason


def test_the_last_version_has_all_operations():
    read_bytecode(sample("multimem_store_view_tko"))
    assert "there is no operation" in refused(ended_by(max(op_of_opcode()) + 1, VERSIONS[-1]))


def test_preview_operations_are_refused_by_name():
    assert "`preview$call` is preview content" in refused(ended_by(0x4002, V13_4))


def test_regions_nested_without_end():
    header, parts = split(sample("loop"))
    function = next(part for part in parts if part.number == Section.FUNCTION)
    one = bytes((65, 0, 0, 1, 1, 0, 1))  # loop: no results, no operands, one region of one block with one operation
    body = one * 5000
    payload = bytes((1, *function.payload[1:5])) + varint(len(body)) + body
    function.payload[:] = payload
    assert "stand in one another" in refused(join(header, parts))


def test_as_many_regions_stand_in_one_another_as_may():
    header, parts = split(sample("loop"))
    function = next(part for part in parts if part.number == Section.FUNCTION)
    start = bytes((1, *function.payload[1:5]))

    def nested(depth: int) -> bytes:
        body = bytes((65, 0, 0, 1, 1, 0, 1)) * depth + b"\x5c\x00\x00"  # loops, and `return`
        function.payload[:] = start + varint(len(body)) + body
        return join(header, parts)

    with large():
        loops = [op for op in read_bytecode(nested(MAX_NESTING)).walk() if isinstance(op, LoopOp)]
    assert len(loops) == MAX_NESTING
    assert refused(nested(MAX_NESTING + 1)) == f"more than {MAX_NESTING} regions stand in one another"


@pytest.mark.parametrize(
    ("loop", "reason"),
    [
        ((65, 0, 0, 2, 1, 0, 1), "`loop` has 1 regions, not 2"),
        ((65, 0, 0, 0, 1, 0, 1), "`loop` has 1 regions, not 0"),
        ((65, 0, 0, 1, 2, 0, 1, 0, 1), "region 0 of `loop` cannot have 2 blocks"),
        ((65, 0, 0, 1, 0, 0, 1), "region 0 of `loop` cannot have 0 blocks"),
    ],
)
def test_an_operation_with_too_many_or_too_few_regions_or_blocks(loop: tuple[int, ...], reason: str):
    header, parts = split(sample("loop"))
    function = next(part for part in parts if part.number == Section.FUNCTION)
    body = bytes(loop) + bytes(8)
    function.payload[:] = bytes((1, *function.payload[1:5])) + varint(len(body)) + body
    assert reason in refused(join(header, parts))


def test_attributes_nested_without_end():
    data = sample("assume")
    header, parts = split(data)
    function = next(part for part in parts if part.number == Section.FUNCTION)
    body = bytes((6, 1)) + b"\x06\x01" * 5000
    function.payload[:] = bytes((1, *function.payload[1:5])) + varint(len(body)) + body
    assert "nested too deep" in refused(join(header, parts))


def test_call_sites_that_double():
    """Locations that refer to one another twice each would be a tree of 2^60 in memory."""
    header, parts = split(GEMM)
    debug = next(part for part in parts if part.number == Section.DEBUG)
    records = [b"\x02\x00\x00", b"\x01\x01", b"\x05\x01\x01\x02\x02\x02\x01", b"\x04\x03\x00\x01\x01"]
    records += [bytes((6, number, number)) for number in range(4, 60)]
    offsets, at = b"", 0
    for record in records:
        offsets += at.to_bytes(4, "little")
        at += len(record)
    functions = 200
    ids = [4, *[len(records)] * (functions - 1)]
    payload = bytearray(b"\x01\xcb\xcb\xcb\0\0\0\0" + varint(len(ids)))
    payload += b"\xcb" * (-len(payload) % 8) + b"".join(number.to_bytes(8, "little") for number in ids)
    payload += varint(len(records))
    payload += b"\xcb" * (-len(payload) % 4) + offsets + b"".join(records)
    debug.payload[:] = payload
    reason = refused(join(header, parts))
    assert "too many call sites" in reason


@given(st.binary(max_size=300))
def test_bytes_after_a_good_header(data: bytes):
    refused(GEMM[:12] + data + b"\xff")


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1 << 32))
def test_structured_damage(seed: int):
    random_ = random.Random(seed)
    seeds = [path.read_bytes() for path in FIXTURES]
    for _ in range(40):
        data = bytecode_mutator.mutate(random_, seeds)
        try:
            module = read_bytecode(data)
        except MalformedBytecode:
            continue
        version = bytecode_version(data)
        try:
            again = write_bytecode(module, version)
        except Rejected:
            continue
        assert write_bytecode(read_bytecode(again), version) == again


def with_records(records: list[bytes], number: int) -> bytes:
    """A kernel `k` at record 4, whose only operation is at the record of a number."""
    text = 'cuda_tile.module @m { entry @k() { return loc("/p/k.py":5:2) } loc("/p/k.py":1:1) }'
    header, parts = split(write_bytecode(parse_disassembly(text)))
    debug = next(part for part in parts if part.number == Section.DEBUG)
    payload = bytearray(b"\x01\xcb\xcb\xcb\0\0\0\0\x02" + b"\xcb" * 7 + struct.pack("<2Q", 4, number))
    put_offset_table(payload, [b"\x02\x01\x02", b"\x01\x01", b"\x05\x01\x01\x00\x00\x02\x01", *records], 4)
    debug.payload[:] = payload
    return join(header, parts)


PLACE = b"\x04\x03\x03\x05\x02"
"""Something on line 5, in the kernel."""
IN_NEXT = b"\x04\x05\x03\x05\x02"
"""The same, in what the next record is."""


def test_records_stand_in_one_another_so_deep():
    """Each of these blocks is in the next one, the last in the kernel."""

    def nested(blocks: int) -> bytes:
        records = [b"\x03" + varint(number) + b"\x01\x07\x01" for number in range(7, 6 + blocks)]
        records.append(b"\x03\x03\x01\x07\x01")
        return with_records([PLACE, b"\x04" + varint(6) + b"\x03\x05\x02", *records], 5)

    read_bytecode(nested(MAX_NESTING))
    assert refused(nested(MAX_NESTING + 1)) == f"more than {MAX_NESTING} debug records stand in one another"


def test_a_location_has_so_many_call_sites():
    """Those of both sides count, and each of them itself."""

    def pairs(sites: int) -> bytes:
        """Twice as many as in the one before, and one; then one by one."""
        records, count = [PLACE, b"\x06\x04\x04"], 1
        while 2 * count + 1 <= sites:
            records.append(b"\x06" + varint(len(records) + 3) * 2)
            count = 2 * count + 1
        while count < sites:
            records.append(b"\x06" + varint(len(records) + 3) + b"\x04")
            count += 1
        return with_records(records, len(records) + 3)

    read_bytecode(pairs(1023))
    read_bytecode(pairs(1024))
    assert refused(pairs(1025)) == "a location has too many call sites"


@pytest.mark.parametrize(
    ("records", "number", "what"),
    [
        ([PLACE], 0, ""),
        ([PLACE], 4, ""),
        ([PLACE, PLACE], 5, ""),
        ([PLACE], 5, "there is no debug record 5"),
        ([PLACE], 3, "the location of an operation is neither a position nor a call site"),
        ([PLACE, b"\x00"], 5, ""),
        ([PLACE, b"\x07"], 5, "there is no debug tag 7"),
        ([PLACE, b"\x04\x00\x03\x05\x02"], 5, "a debug record refers to an unknown one"),
        ([PLACE, b"\x04\x01\x03\x05\x02"], 5, "debug record 1 is no DISubprogramAttr or DILexicalBlockAttr"),
        ([PLACE, b"\x04\x06\x03\x05\x02"], 5, "there is no debug record 6"),
        ([PLACE, b"\x04\x05\x03\x05\x02"], 5, "debug record 5 is made of itself"),
        ([PLACE, b"\x04\x03\x09\x05\x02"], 5, "there is no string 9"),
        ([PLACE, b"\x06\x04\x00"], 5, "a debug record refers to an unknown one"),
        ([PLACE, b"\x06\x03\x04"], 5, "debug record 3 is no FusedLoc or CallSiteLoc"),
        ([b"\x00"], 4, "the location of a function is no position in a subprogram"),
        ([b"\x06\x05\x05", PLACE], 4, "the location of a function is no position in a subprogram"),
        ([IN_NEXT, b"\x03\x03\x01\x07\x01"], 4, "the location of a function is no position in a subprogram"),
        ([IN_NEXT, b"\x05\x01\x01\x00\x01\x02\x01\x00"], 4, "the subprogram of 'k' has the linkage name 'k.py'"),
    ],
)  # fmt: skip
def test_records_of_places(records: list[bytes], number: int, what: str):
    data = with_records(records, number)
    if what:
        assert refused(data) == what
    else:
        read_bytecode(data)


def ended_by_bytes(data: bytes, version: Version = VERSIONS[-1]) -> bytes:
    """A kernel of `make_token` and, instead of `return`, an operation that begins so."""
    header, parts = split(sample("make_token", version))
    function = next(part for part in parts if part.number == Section.FUNCTION)
    at = function.payload.index(b"\x5c\x00\x00")  # return
    function.payload[at:] = data + b"\xff" * 11  # no integer
    function.payload[at - 3] = 2 + len(data) + 11
    return join(header, parts)


def test_numbers_of_results():
    """Where an operation says how many it has, as those do that may have many of something."""
    asked = 0
    for opcode, op in op_of_opcode().items():
        if not op_record(op, VERSIONS[-1]).counts_results:
            continue
        asked += 1
        fields = [field for _, field in op.get_irdl_definition().results]
        least = sum(not isinstance(field, VariadicDef) for field in fields)
        for number in range(least + 3):
            wrong = number < least or (number > least and len(fields) == least)
            said = refused(ended_by_bytes(varint(opcode) + bytes((number,)) + bytes(number)))
            assert (said == f"`{op.short_name()}` cannot have {number} results") is wrong, (op.name, number, said)
    assert asked > 10


def test_numbers_of_operands():
    """Where one number says how many there are of all."""
    asked = 0
    for opcode, op in op_of_opcode().items():
        record = op_record(op, VERSIONS[-1])
        if not record.counts_operands or record.properties:
            continue
        asked += 1
        definition = op.get_irdl_definition()
        fields = [field for _, field in definition.operands]
        many = [field for field in fields if isinstance(field, VariadicDef) and not isinstance(field, OptionalDef)]
        least = sum(not isinstance(field, VariadicDef) for field in fields)
        results = sum(not isinstance(field, VariadicDef) for _, field in definition.results)
        head = varint(opcode) + (bytes((results,)) if record.counts_results else b"") + bytes(results)
        for number in range(least + 3):
            wrong = number < least or (not many and number > len(fields))
            said = refused(ended_by_bytes(head + bytes((number,)) + bytes(number)))
            assert (said == f"`{op.short_name()}` cannot have {number} operands") is wrong, (op.name, number, said)
    assert asked > 3


ASSUME = b"\x06\x01"
"""`assume`, of a result of type 1."""


@pytest.mark.parametrize(
    ("attribute", "what"),
    [
        (b"\1\3\5", "5 : i32 is nothing that `predicate` can be"),
        (b"\1\3" + varint(1 << 32), "4294967296 has more bits than i32"),
        (b"\1\0\1", "an integer cannot be of type f32"),
        (b"\5\0", '"make_token_0" is nothing that `predicate` can be'),
        (b"\x0d", "there is no attribute tag 13"),
    ],
)
def test_attributes_that_an_operation_cannot_have(attribute: bytes, what: str):
    assert refused(ended_by_bytes(ASSUME + attribute)) == what


@pytest.mark.parametrize(("number", "fits"), [((1 << 32) - 1, True), (1 << 32, False)])
def test_integers_have_the_bits_of_their_property(number: int, fits: bool):
    scan = next(opcode for opcode, op in op_of_opcode().items() if op.short_name() == "scan")
    found = refused(ended_by_bytes(varint(scan) + b"\1\1" + varint(number)))
    assert (found == f"{number} has more bits than i32") is not fits


def test_what_an_older_version_says_nothing_of_has_to_be_known(monkeypatch: pytest.MonkeyPatch):
    """Each property that came later has a value in older files; where none is known, nothing is made up."""
    version, op, name = next(
        (version, op, field.name)
        for version in VERSIONS
        for op in op_of_opcode().values()
        if op.since <= version
        for field in op_record(op, version).properties
        if not field.there and not field.optional
    )
    data = sample(op.short_name(), version)
    read_bytecode(data)

    def unknown(name: str, sizes: object) -> None:
        pass

    monkeypatch.setattr(op, "missing_property", staticmethod(unknown))
    assert refused(data) == f"`{op.short_name()}` needs `{name}`"


@pytest.mark.parametrize("error", [RecursionError, MemoryError])
def test_what_takes_too_much_all_the_same_is_refused(error: type[Exception], monkeypatch: pytest.MonkeyPatch):
    def module(self: object) -> None:
        raise error

    monkeypatch.setattr("freehold.backend.bytecode.reader._Reader.module", module)
    assert refused(GEMM) == f"reading it takes too much ({error.__name__})"


def test_a_function_type_in_another():
    header, parts = split(sample("make_token"))
    for part in parts:
        if part.number == Section.TYPE:
            part.payload[:] = b"\2"
            put_offset_table(part.payload, [b"\x10\0\0", b"\x10\1\0\0"], 4)
        if part.number == Section.FUNCTION:
            part.payload[2] = 1  # behind a count and a name: the signature
    assert refused(join(header, parts)) == "a function type cannot stand inside another"


@pytest.mark.parametrize(("alignment", "fits"), [(1 << 62, True), (1 << 63, False)])
def test_alignments_of_globals(alignment: int, fits: bool):
    text = "cuda_tile.module @m { global @g alignment = 4096 <f32: [1.5, 2.5]> : tile<2xf32> }"
    header, parts = split(write_bytecode(parse_disassembly(text)))
    part = next(part for part in parts if part.number == Section.GLOBAL)
    at = part.payload.index(b"\x80\x20")
    part.payload[at : at + 2] = varint(alignment)
    if fits:
        read_bytecode(join(header, parts))
    else:
        assert refused(join(header, parts)) == f"the alignment {alignment} is out of range"


@pytest.mark.parametrize(("version", "fits"), [(V13_3, False), (V13_4, True)])
def test_values_of_enumerations_that_came_later(version: Version, fits: bool):
    """`addf` rounds to the nearest, and away from zero, since 13.4."""
    opcode, op = next((opcode, op) for opcode, op in op_of_opcode().items() if op.short_name() == "addf")
    record = op_record(op, version)
    assert record.properties[0].name == "rounding_mode"
    said = refused(ended_by_bytes(varint(opcode) + b"\4" + b"\0" * record.has_flags + b"\7", version))
    told = "cuda_tile.rounding nearest_away came with 13.4 and this file has version 13.3"
    assert (said == told) is not fits


@pytest.mark.parametrize("number", [b"\x00", b"\x80\x00", b"\x80\x80\x00"])
def test_what_stands_behind_a_function_is_none_of_its_operands(number: bytes) -> None:
    """The range of a body ends in front of a number or within it; the file goes on."""
    value = Block(arg_types=[i32]).args[0]
    reader = BodyReader(SimpleNamespace(types=None), None, V13_5)  # pyright: ignore[reportArgumentType] -- not asked
    vars(reader)["_values"] = [value]
    found: list[SSAValue] = []
    reader._operands(Cursor(b"?" + number, 1, 1 + len(number)), 1, found)  # pyright: ignore[reportPrivateUsage]
    assert found == [value]
    for end in range(1, 1 + len(number)):
        with pytest.raises(MalformedBytecode) as caught:
            reader._operands(Cursor(b"?" + number, 1, end), 1, [])  # pyright: ignore[reportPrivateUsage]
        assert caught.value.offset <= end
