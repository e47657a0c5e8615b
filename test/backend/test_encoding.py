"""The primitive encodings: both ways, and nothing read past the end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freehold.backend.bytecode.encoding import (
    Cursor,
    MalformedBytecode,
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
    [(0, "00"), (1, "01"), (127, "7f"), (128, "8001"), (300, "ac02"), ((1 << 64) - 1, "ffffffffffffffffff01")],
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


def strings(cursor: Cursor) -> object:
    return cursor.entries("strings", 4, 0)


MALFORMED: list[tuple[bytes, Read, str]] = [
    (b"", Cursor.byte, "ends here"),
    (b"\x80", Cursor.varint, "cut off"),
    (b"\xff" * 11, Cursor.varint, "more than ten bytes"),
    (b"\x05abc", counting, "5 things cannot follow in 3 bytes"),
    (b"\x02" + b"x" * 15, array, "2 values cannot follow"),
    (b"\x06", flags, "unknown flags 0x4"),
    (b"\x01\xcb", strings, "padding"),
    (_table(2, 0), strings, "strings take 8 bytes and 4 are left"),
    (_table(2, 2, 1) + b"abc", strings, "begins at 2 and ends at 1"),
]


@pytest.mark.parametrize(("data", "read", "reason"), MALFORMED)
def test_what_is_wrong_is_said_and_where(data: bytes, read: Read, reason: str):
    with pytest.raises(MalformedBytecode, match=reason) as caught:
        read(cursor(data))
    assert 0 <= caught.value.offset <= len(data)
    assert str(caught.value).startswith(f"byte {caught.value.offset}: ")
