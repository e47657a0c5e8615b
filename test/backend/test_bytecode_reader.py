"""What the reader says of files in which one byte is another, or a section ends too soon: where it is, and why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import pytest
from bytecode_mutator import HEADER, Part, join, split

from freehold.backend.bytecode.encoding import PAD, MalformedBytecode, varint
from freehold.backend.bytecode.reader import MAX_FILE, read_bytecode
from freehold.backend.bytecode.tables import Section
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.text import parse_disassembly
from freehold.dialects.cuda_tile.version import V13_1, V13_5, VERSIONS, Version

GOLDEN = Path(__file__).with_name("golden")
ENDS = 12
"""How many bytes of a section are left, or left out, where it ends too soon."""

TEXT = """
#file = #cuda_tile.di_file<"k.py" in "/p">
#unit = #cuda_tile.di_compile_unit<file = #file>
#function = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName = "k", compileUnit = #unit>
#block = #cuda_tile.di_lexical_block<scope = #function, file = #file, line = 3>
#at = #cuda_tile.di_loc<loc("/p/k.py":7:8) in #block>
cuda_tile.module @kernels {
  global @g <f32: [1.5, 2.5]> : tile<2xf32>
  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) optimization_hints=<sm_90 = {occupancy = 2}> {
    %a = assume div_by<16>, %p : tile<ptr<f32>>
    %t = make_tensor_view %a, shape = [%n, 16], strides = [16, 1] : tile<i32> -> tensor_view<?x16xf32, strides=[16,1]>
    %v = make_partition_view %t : VIEW loc(#at)
    %z = constant <i32: 0> : tile<i32>
    %x, %token = load_view_tko weak %v[%z, %n] optimization_hints = <sm_90 = {latency = 3}>
      : VIEW, tile<i32> -> tile<4x2xf32>, token loc("/p/k.py":9:3)
    %s = for %i in (%z to %n, step %n) : tile<i32> iter_values(%c = %x) -> (tile<4x2xf32>) {
      %d = addf %c, %c : tile<4x2xf32> loc(callsite(#at at "/p/k.py":200:3))
      continue %d : tile<4x2xf32>
    }
    %r = reduce %s dim=0 identities=[-5.000000e-01 : f32] : tile<4x2xf32> -> tile<2xf32>
    (%l: tile<f32>, %m: tile<f32>) {
      %q = addf %l, %m : tile<f32>
      yield %q : tile<f32>
    }
    return loc("/p/h.py":5:2)
  } loc(#cuda_tile.di_loc<loc("/p/k.py":1:1) in #function>)
}
""".replace("VIEW", "partition_view<tile=(4x2), padding_value = zero, tensor_view<?x16xf32, strides=[16,1]>>")
"""Something of each section, and of each way in which a field is written."""


def said(data: bytes) -> str:
    try:
        read_bytecode(data)
    except MalformedBytecode as error:
        return str(error)
    return "read"


def changes(version: Version, sections: Collection[Section]) -> Iterator[tuple[str, bytes]]:
    data = write_bytecode(parse_disassembly(TEXT), version)
    header, parts = split(data)
    for at in range(HEADER):
        yield f"header {at} is one more", bytes((*data[:at], data[at] + 1 & 0xFF, *data[at + 1 :]))
    for part in parts:
        if part.number not in sections:
            continue
        whole, name = bytes(part.payload), Section(part.number).name
        for at, byte in enumerate(whole):
            if byte == PAD or whole[at - 1 : at + 1] == b"\0\0":  # gaps, and the upper bytes of large numbers
                continue
            values = [(byte + 1 & 0xFF, "is one more"), *([(0xFF, "is 255")] if byte else [])]
            values += [(0, "is 0")] if byte and part.number == Section.DEBUG else []
            for value, how in values:
                part.payload[at] = value
                yield f"{name} {at} {how}", join(header, parts)
            part.payload[at] = byte
        for end in (*range(min(len(whole), ENDS)), *range(max(ENDS, len(whole) - ENDS), len(whole))):
            part.payload[:] = whole[:end]
            yield f"{name} has {end} bytes", join(header, parts)
        part.payload[:] = whole


def cut_bodies() -> Iterator[tuple[str, bytes]]:
    """A body that ends too soon, and says so."""
    header, parts = split(write_bytecode(parse_disassembly(TEXT)))
    part = next(part for part in parts if part.number == Section.FUNCTION)
    whole = bytes(part.payload)
    start = whole.index(b"\x06\x02\x08\x10") - 1  # how long it is, and `assume div_by<16>`
    assert whole[start] == len(whole) - start - 1
    for length in range(whole[start]):
        part.payload[:] = whole[:start] + bytes((length,)) + whole[start + 1 : start + 1 + length]
        yield f"a body of {length} bytes", join(header, parts)


def test_one_byte_is_another(golden: Callable[[Path, str], None]):
    lines = [f"{what}: {said(data)}" for what, data in (*changes(V13_5, [*Section]), *cut_bodies())]
    golden(GOLDEN / "damaged.txt", "\n".join(lines))


def test_one_byte_is_another_in_the_first_version(golden: Callable[[Path, str], None]):
    """Where types and globals stand in other ways."""
    lines = [f"{what}: {said(data)}" for what, data in changes(V13_1, (Section.TYPE, Section.GLOBAL))]
    golden(GOLDEN / "damaged_13.1.txt", "\n".join(lines))


def test_a_whole_file_byte_by_byte(golden: Callable[[Path, str], None]):
    """The same module in each version, section by section, 32 bytes a line."""
    lines: list[str] = []
    for version in VERSIONS:
        header, parts = split(write_bytecode(parse_disassembly(TEXT), version))
        lines.append(f"--- {version}: {header.hex(' ')}")
        for part in parts:
            lines.append(f"{Section(part.number).name}, {len(part.payload)} bytes, aligned to {part.alignment}")
            lines += [f"  {part.payload[at : at + 32].hex(' ')}" for at in range(0, len(part.payload), 32)]
    golden(GOLDEN / "bytes.txt", "\n".join(lines))


EMPTY = write_bytecode(parse_disassembly("cuda_tile.module @kernels {\n}"), V13_5)
HEAD, PARTS = split(EMPTY)


def with_section(section: Section, payload: bytes, alignment: int) -> bytes:
    """A file without kernels, with another payload for a section, which stands in front."""
    return join(HEAD, [Part(section, alignment, bytearray(payload)), *(p for p in PARTS if p.number != section)])


def begun(*numbers: int) -> bytes:
    """A file that ends with the head of its first section: what it is, its length and its alignment."""
    return HEAD + b"".join(map(varint, numbers))


END_OF_EMPTY = len(EMPTY) - 1
AT = 16
"""Where the payload begins that stands in front, and is aligned to 8 bytes."""


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (EMPTY, "read"),
        (EMPTY + b"\0", f"byte {END_OF_EMPTY + 1}: 1 bytes follow the end of the file"),
        (HEAD[:10] + b"\1\0", "byte 10: the header announces preview content, which has no stable meaning"),
        (HEAD[:10] + b"\2\0", "byte 10: the header announces the unknown tag 0x2"),
        (HEAD[:10] + b"\0\1", "byte 10: the header announces the unknown tag 0x100"),
        (HEAD[:11], "byte 10: 2 bytes are announced and 1 are left"),
        (HEAD, "byte 12: the data ends here, in the middle of something"),
        (begun(Section.END), "byte 12: there is no STRING section"),
        (HEAD + b"\x80\0\1", "byte 12: there is no section 0"),
        (HEAD + b"\x08\0", "byte 12: there is no section 8"),
        (HEAD + b"\x07\0", "byte 14: the data ends here, in the middle of something"),
        (HEAD + b"\x07\1", "byte 14: 1 bytes of the PRODUCER section are announced and 0 are left"),
        (HEAD + b"\x07\1\0\x07\0", "byte 15: there are two PRODUCER sections"),
        (HEAD + b"\x07\1\0\x01\0", "byte 15: the STRING section is not aligned to 4"),
        (HEAD + b"\x05\0", "byte 12: the TYPE section is not aligned to 4"),
        (HEAD + b"\x07\1\0\x05\0", "byte 15: the TYPE section is not aligned to 4"),
        *((HEAD + b"\x87\0" + varint(n), f"byte 12: a section cannot be aligned to {n}") for n in (0, 3, 6, 2097152)),
        (HEAD + b"\x87\0\1", "byte 15: the data ends here, in the middle of something"),
        (HEAD + b"\x87\0" + varint(1 << 20), "byte 17: the padding is cut off"),
        (with_section(Section.FUNCTION, b"\2" + bytes(9), 8), f"byte {AT}: 2 functions cannot follow in 9 bytes"),
        (with_section(Section.FUNCTION, b"\2" + bytes(10), 8), f"byte {AT + 1}: there is no string 0"),
        (with_section(Section.GLOBAL, b"\2" + bytes(7), 8), f"byte {AT}: 2 globals cannot follow in 7 bytes"),
        (with_section(Section.GLOBAL, b"\2" + bytes(8), 8), f"byte {AT + 1}: there is no string 0"),
        (with_section(Section.GLOBAL, b"\0" + bytes((PAD,)) * 20, 8), "read"),
        (with_section(Section.GLOBAL, b"\0\0", 8), f"byte {AT + 2}: something follows the last global"),
        (with_section(Section.DEBUG, b"\0" * 16, 8), "read"),
        (
            with_section(Section.DEBUG, b"\3\0\0\0" + bytes(11), 8),
            "byte 20: 12 bytes of lists of locations are announced and 11 are left",
        ),
        (with_section(Section.DEBUG, b"\0\0\0\0\2" + bytes(10), 8), "byte 20: 2 locations cannot follow in 10 bytes"),
        (
            with_section(Section.DEBUG, b"\0\0\0\0\2" + bytes(16), 8),
            "byte 24: 16 bytes of locations are announced and 13 are left",
        ),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)  # fmt: skip
def test_what_just_may_not_be(data: bytes, what: str):
    assert said(data) == what


def test_files_are_read_up_to_a_size():
    assert said(bytes(MAX_FILE)) == "byte 0: it does not begin as Tile IR bytecode does"
    assert said(bytes(MAX_FILE + 1)) == "byte 67108864: the file has 67108865 bytes; at most 67108864 are read"


def test_a_body_ends_where_it_says():
    """What was read before is not taken to stand at its end, where the bytes behind it happen to go on like it."""
    ops = "%a = constant <i32: 0> : tile<i32> %b = constant <i32: 0> : tile<i32> %c = constant <i32: 0> : tile<i32>"
    header, parts = split(write_bytecode(parse_disassembly(f"cuda_tile.module @m {{ entry @k() {{ {ops} return }} }}")))
    part = next(part for part in parts if part.number == Section.FUNCTION)
    start = len(part.payload) - 13
    assert part.payload[start] == 12  # three constants and `return` of three bytes each
    found: list[str] = []
    for length in range(13):
        part.payload[start] = length
        found.append(said(join(header, parts)).partition(": ")[-1])
    cut = "an integer is cut off"
    assert found == ["", cut, cut] * 4 + [""]


@pytest.mark.parametrize(
    ("spelled", "what"),
    [
        (b"\1", "read"),
        (b"\x81\0", "read"),  # longer than needed
        (b"\x81\x80\0", "read"),
        (b"\x81\x80\x80\0", "read"),
        (b"\2", "there is no value 2 here"),
        (b"\x7f", "there is no value 127 here"),
        (b"\x80\1", "there is no value 128 here"),
        (b"\xff\x7f", "there is no value 16383 here"),
        (b"\x80\x80\1", "there is no value 16384 here"),
        (b"\x80", "an integer is cut off"),
    ],
)
def test_numbers_of_operands_are_as_long_as_they_are(spelled: bytes, what: str):
    text = "%x: tile<i32>, %y: tile<i32>) { %z = negi %y : tile<i32> return }"
    header, parts = split(write_bytecode(parse_disassembly(f"cuda_tile.module @m {{ entry @k({text} }}"), V13_1))
    part = next(part for part in parts if part.number == Section.FUNCTION)
    start = part.payload.index(b"\1\x5c\0\0")  # the operand, and `return`
    behind = b"" if what.endswith("off") else b"\x5c\0\0"
    body = part.payload[start - 2 : start] + spelled + behind
    part.payload[start - 3 :] = bytes((len(body),)) + body
    assert said(join(header, parts)).partition(": ")[-1] == what.removeprefix("read")
