"""The primitive encodings: both ways, and nothing read past the end."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freehold.backend.bytecode.encoding import (
    Cursor,
    MalformedBytecode,
    Varints,
    pad,
    put_integers,
    put_offset_table,
    put_varint,
    to_signed,
    unzigzag,
    varint,
    zigzag,
)

U64 = st.integers(0, (1 << 64) - 1)
I64 = st.integers(-(1 << 63), (1 << 63) - 1)


def cursor(data: bytes) -> Cursor:
    return Cursor(data, 0, len(data))


@pytest.mark.parametrize(
    ("value", "data"),
    [
        *((0, "00"), (1, "01"), (127, "7f"), (128, "8001"), (300, "ac02"), (16383, "ff7f"), (16384, "808001")),
        *(((1 << 21) - 1, "ffff7f"), (1 << 21, "80808001"), ((1 << 64) - 1, "ffffffffffffffffff01")),
    ],
)
def test_varint(value: int, data: str):
    assert varint(value).hex() == data
    out = bytearray(b"x")
    put_varint(out, value)
    assert out == b"x" + bytes.fromhex(data)
    assert cursor(bytes.fromhex(data)).varint() == value


def test_longer_varints_are_read_and_bits_past_the_64th_dropped():
    assert cursor(b"\x81\x80\x00").varint() == 1
    assert cursor(b"\xff" * 9 + b"\x03").varint() == (1 << 64) - 1


@given(U64)
def test_varint_both_ways(value: int):
    data = varint(value)
    read = cursor(data)
    assert read.varint() == value
    assert read.left == 0
    for end in range(len(data)):
        with pytest.raises(MalformedBytecode):
            cursor(data[:end]).varint()


@given(I64)
def test_zigzag_both_ways(value: int):
    assert 0 <= zigzag(value) < 1 << 64
    assert unzigzag(zigzag(value)) == value
    assert zigzag(to_signed(zigzag(value))) < 1 << 64


def test_zigzag_of_the_bits_of_a_negative_double():
    bits = 0xFFF0_0000_0000_0000
    assert zigzag(to_signed(bits)) == (1 << 53) - 1
    assert unzigzag(zigzag(to_signed(bits))) & (1 << 64) - 1 == bits


@given(st.lists(st.binary(max_size=9)), st.sampled_from([4, 8]), st.integers(0, 9))
def test_tables_both_ways(entries: list[bytes], width: int, before: int):
    out = bytearray(before)
    put_offset_table(out, entries, width)
    read = Cursor(bytes(out), before, len(out))
    table = read.entries("entries", width, 0)
    assert [bytes(out[begin:end]) for begin, end in table] == entries
    assert read.left == 0


@given(st.lists(st.integers(-(1 << 31), (1 << 31) - 1)))
def test_arrays_both_ways(values: list[int]):
    out = bytearray()
    put_integers(out, values, "i")
    assert cursor(bytes(out)).integers("values", "i") == tuple(values)


def test_padding_says_nothing_and_is_skipped():
    out = bytearray(b"x")
    pad(out, 8)
    assert out == b"x" + b"\xcb" * 7
    read = cursor(bytes(out) + b"y")
    read.byte()
    read.skip_padding(8, 0)
    assert read.byte() == ord("y")


def _table(entries: int, *offsets: int) -> bytes:
    out = bytearray()
    put_varint(out, entries)
    pad(out, 4)
    return bytes(out) + b"".join(offset.to_bytes(4, "little") for offset in offsets)


Read = Callable[[Cursor], object]


def counting(cursor: Cursor) -> object:
    return cursor.count("things")


def array(cursor: Cursor) -> object:
    return cursor.integers("values", "q")


def flags(cursor: Cursor) -> object:
    return cursor.flags("a thing", 3)


def aligned_strings(cursor: Cursor) -> object:
    return cursor.entries("strings", 4, 3)


def wide(cursor: Cursor) -> object:
    return cursor.entries("numbers", 8, 3)


def pairs(cursor: Cursor) -> object:
    return cursor.count("pairs", 2)


def padded(cursor: Cursor) -> object:
    cursor.byte()
    cursor.skip_padding(4, 3)
    return cursor.position


def needed(cursor: Cursor) -> object:
    return cursor.need(4, "things")


def three(cursor: Cursor) -> object:
    return cursor.bytes(3)


def fixed(cursor: Cursor) -> object:
    return cursor.fixed(2, "H")


NINE = b"\x80" * 9
MALFORMED: list[tuple[bytes, Read, int, str]] = [
    (b"", Cursor.byte, 0, "the data ends here, in the middle of something"),
    (b"", Cursor.varint, 0, "an integer is cut off"),
    (b"\x80", Cursor.varint, 0, "an integer is cut off"),
    (NINE, Cursor.varint, 0, "an integer is cut off"),
    (NINE + b"\x80", Cursor.varint, 0, "an integer has more than ten bytes"),
    (NINE + b"\x80\x00", Cursor.signed, 0, "an integer has more than ten bytes"),
    (b"\x05abcd", counting, 0, "5 things cannot follow in 4 bytes"),
    (b"\x80\x01" + b"x" * 127, counting, 0, "128 things cannot follow in 127 bytes"),
    (b"\x02abc", pairs, 0, "2 pairs cannot follow in 3 bytes"),
    (b"\x02" + b"x" * 15, array, 0, "2 values cannot follow in 15 bytes"),
    (b"ab", three, 0, "3 bytes are announced and 2 are left"),
    (b"abc", fixed, 0, "4 bytes are announced and 3 are left"),
    (b"abc", needed, 0, "4 bytes of things are announced and 3 are left"),
    (b"\x06", flags, 0, "a thing has unknown flags 0x4"),
    (b"\xfb\x01", flags, 0, "a thing has unknown flags 0xf8"),
    (b"abc", padded, 1, "the padding is cut off"),
    (b"\x01\xcb", aligned_strings, 1, "the padding is cut off"),
    (b"\x01", aligned_strings, 0, "1 strings cannot follow in 0 bytes"),
    (_table(2, 0) + b"a", aligned_strings, 4, "8 bytes of strings are announced and 5 are left"),
    (b"\x01" + b"\xcb" * 7 + bytes(7), wide, 8, "8 bytes of numbers are announced and 7 are left"),
    (_table(2, 2, 1) + b"abc", aligned_strings, 0, "strings 0 begins at 2 and ends at 1 of 3 bytes"),
    (_table(2, 2, 4) + b"abc", aligned_strings, 0, "strings 0 begins at 2 and ends at 4 of 3 bytes"),
    (_table(1, 4) + b"abc", aligned_strings, 0, "strings 0 begins at 4 and ends at 3 of 3 bytes"),
    (_table(3, 0, 3, 4) + b"abc", aligned_strings, 0, "strings 1 begins at 3 and ends at 4 of 3 bytes"),
]


def within(data: bytes) -> Cursor:
    """A range of bytes with others before and behind it, which belong to something else."""
    return Cursor(b"\x01\x02\x03" + data + bytes(20), 3, 3 + len(data))


@pytest.mark.parametrize(("data", "read", "offset", "reason"), MALFORMED)
def test_what_is_wrong_is_said_and_where(data: bytes, read: Read, offset: int, reason: str):
    with pytest.raises(MalformedBytecode) as caught:
        read(within(data))
    assert (caught.value.offset, caught.value.reason) == (3 + offset, reason)
    assert str(caught.value) == f"byte {3 + offset}: {reason}"


READ: list[tuple[bytes, Read, object, int]] = [
    (b"\x07x", Cursor.byte, 7, 1),
    (b"\x7fx", Cursor.varint, 127, 1),
    (b"\x80\x01x", Cursor.varint, 128, 2),
    (NINE + b"\x01", Cursor.varint, 1 << 63, 10),
    (NINE + b"\x02", Cursor.varint, 0, 10),
    (b"\x03x", Cursor.signed, -2, 1),
    (b"\x04x", Cursor.signed, 2, 1),
    (b"\x05abcde", counting, 5, 1),
    (b"\x02abcd", pairs, 2, 1),
    (b"\x02" + struct.pack("<2q", -1, 2) + b"x", array, (-1, 2), 17),
    (b"abc", three, b"abc", 3),
    (b"\x01\x02\x03\x04", fixed, (0x201, 0x403), 4),
    (b"abcd", needed, None, 0),
    (b"\x03", flags, 3, 1),
    (b"\x00", flags, 0, 1),
    (b"abcd", padded, 7, 4),
    (_table(0) + b"abc", aligned_strings, [], 7),
    (_table(2, 0, 3) + b"abc", aligned_strings, [(15, 18), (18, 18)], 15),
    (_table(2, 1, 1) + b"abc", aligned_strings, [(16, 16), (16, 18)], 15),
    (b"\x02" + b"\xcb" * 7 + struct.pack("<2Q", 0, 2) + b"abc", wide, [(27, 29), (29, 30)], 27),
]


@pytest.mark.parametrize(("data", "read", "value", "behind"), READ)
def test_what_is_just_read_and_how_far(data: bytes, read: Read, value: object, behind: int):
    cursor = within(data)
    assert read(cursor) == value
    assert (cursor.position, cursor.left) == (3 + behind, len(data) - behind)


def test_signed_numbers_of_so_many_bits():
    assert [to_signed(value, 4) for value in (0, 7, 8, 15, 16, 23, 24)] == [0, 7, -8, -1, 0, 7, -8]
    assert [to_signed(value) for value in (-1, 1 << 63, (1 << 64) + 5)] == [-1, -(1 << 63), 5]


def test_numbers_that_are_written_again_are_made_once():
    spelled = Varints()
    assert spelled[300] == b"\xac\x02"
    assert spelled == {300: b"\xac\x02"}
    assert spelled[300] is spelled[300]


@pytest.mark.parametrize(("width", "letter"), [(4, "I"), (8, "Q")])
def test_a_table_byte_by_byte(width: int, letter: str):
    """What stands before it counts as well: its offsets are aligned from the start of all."""
    out = bytearray(b"xx")
    put_offset_table(out, [b"ab", b"", b"c"], width)
    assert out == b"xx\x03" + b"\xcb" * (width - 3) + struct.pack(f"<3{letter}", 0, 2, 2) + b"abc"
    out = bytearray(b"xx")
    put_offset_table(out, [], width)
    assert out == b"xx\x00" + b"\xcb" * (width - 3)
