"""The primitive encodings of Tile IR bytecode: variable-length integers, padding, tables of offsets."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

MAGIC: Final = b"\x7fTileIR\x00"
PAD: Final = 0xCB
"""The byte that fills gaps. Readers do not look at it."""

_LOW64: Final = (1 << 64) - 1


class MalformedBytecode(Exception):
    """
    The bytes do not follow the format.

    The only exception that leaves the reader, whatever the bytes are. `offset` counts from the start of the file.
    """

    def __init__(self, offset: int, reason: str):
        super().__init__(offset, reason)
        self.offset = offset
        self.reason = reason

    def __str__(self) -> str:
        return f"byte {self.offset}: {self.reason}"


def put_varint(out: bytearray, value: int) -> None:
    """Appends an unsigned integer of at most 64 bits, least significant group of seven bits first."""
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def varint(value: int) -> bytes:
    """The bytes that `put_varint` appends."""
    if value < 1 << 7:
        return bytes((value,))
    if value < 1 << 14:
        return bytes((value & 0x7F | 0x80, value >> 7))
    if value < 1 << 21:
        return bytes((value & 0x7F | 0x80, value >> 7 & 0x7F | 0x80, value >> 14))
    out = bytearray()
    put_varint(out, value)
    return bytes(out)


class Varints(dict[int, bytes]):
    """What `varint` says of numbers that are written again and again: each is found, once it has been made."""

    def __missing__(self, value: int) -> bytes:
        found = self[value] = varint(value)
        return found


def zigzag(value: int) -> int:
    """A signed 64-bit integer as an unsigned one that is small where it is near zero: 0, -1, 1, -2, ..."""
    return (value << 1 ^ value >> 63) & _LOW64


def unzigzag(value: int) -> int:
    """The inverse of `zigzag`."""
    return value >> 1 ^ -(value & 1)


def to_signed(value: int, bits: int = 64) -> int:
    """The signed integer with these low `bits`."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def pad(out: bytearray, alignment: int) -> None:
    """Fills up to a multiple of `alignment` from the start of `out`."""
    out.extend(bytes((PAD,)) * (-len(out) % alignment))


def put_offset_table(out: bytearray, entries: Sequence[bytes], width: int) -> None:
    """
    Appends a table of entries of different lengths: their number, where each begins, and their bytes.

    `width` is the size of an offset, and what the offsets are aligned to from the start of `out`: 4 or 8 bytes.
    """
    put_varint(out, len(entries))
    pad(out, width)
    begins = tuple(accumulate(map(len, entries[:-1]), initial=0)) if entries else ()
    out += struct.pack(f"<{len(begins)}{'I' if width == 4 else 'Q'}", *begins)
    out += b"".join(entries)


def put_integers(out: bytearray, values: Iterable[int], letter: str) -> None:
    """Appends a counted array of fixed-width integers; `letter` is their `struct` code."""
    listed = tuple(values)
    put_varint(out, len(listed))
    out += struct.pack(f"<{len(listed)}{letter}", *listed)


class Cursor:
    """
    A position in bytes, which never leaves its range.

    Every count is compared with the bytes that are left before anything is made of that size.
    """

    __slots__ = ("data", "end", "position")

    def __init__(self, data: bytes, position: int, end: int):
        self.data = data
        self.position = position
        self.end = end

    @property
    def left(self) -> int:
        """How many bytes follow."""
        return self.end - self.position

    def fail(self, reason: str, offset: int | None = None) -> MalformedBytecode:
        """The exception for what is wrong here, or at `offset`; to be raised."""
        return MalformedBytecode(self.position if offset is None else offset, reason)

    def byte(self) -> int:
        """The next byte."""
        position = self.position
        if position >= self.end:
            raise self.fail("the data ends here, in the middle of something")
        self.position = position + 1
        return self.data[position]

    def varint(self) -> int:
        """
        The next unsigned integer of 64 bits.

        Longer spellings than needed are accepted, and bits past the 64th dropped, as NVIDIA's reader does: some
        writers sign-extend once too often.
        """
        position, end, data = self.position, self.end, self.data
        if position < end and (first := data[position]) < 0x80:
            self.position = position + 1
            return first
        value = shift = 0
        while position < end:
            byte = data[position]
            position += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                self.position = position
                return value & _LOW64
            shift += 7
            if shift > 63:
                raise self.fail("an integer has more than ten bytes")
        raise self.fail("an integer is cut off")

    def signed(self) -> int:
        """The next zig-zag encoded integer."""
        return unzigzag(self.varint())

    def count(self, what: str, size: int = 1) -> int:
        """The next count of things that take at least `size` bytes each, no more than can still follow."""
        at = self.position
        number = self.varint()
        if number * size > self.end - self.position:
            raise self.fail(f"{number} {what} cannot follow in {self.end - self.position} bytes", at)
        return number

    def bytes(self, length: int) -> bytes:
        """The next `length` bytes."""
        position = self.position
        if length > self.end - position:
            raise self.fail(f"{length} bytes are announced and {self.end - position} are left")
        self.position = position + length
        return self.data[position : position + length]

    def skip_padding(self, alignment: int, start: int) -> None:
        """Moves on to a multiple of `alignment`, counted from `start`."""
        position = self.position + (start - self.position) % alignment
        if position > self.end:
            raise self.fail("the padding is cut off")
        self.position = position

    def integers(self, what: str, letter: str) -> tuple[int, ...]:
        """A counted array of fixed-width integers; `letter` is their `struct` code."""
        size = struct.calcsize(f"<{letter}")
        return self.fixed(self.count(what, size), letter)

    def fixed(self, number: int, letter: str) -> tuple[int, ...]:
        """`number` fixed-width integers."""
        size = number * struct.calcsize(f"<{letter}")
        return struct.unpack(f"<{number}{letter}", self.bytes(size))

    def flags(self, what: str, known: int) -> int:
        """A varint of flag bits, of which only those in `known` have a meaning."""
        at = self.position
        bits = self.varint()
        if bits & ~known:
            raise self.fail(f"{what} has unknown flags {bits & ~known:#x}", at)
        return bits

    def need(self, size: int, what: str) -> None:
        """Raises where fewer than `size` bytes are left for `what`."""
        if size > self.left:
            raise self.fail(f"{size} bytes of {what} are announced and {self.left} are left")

    def entries(self, what: str, width: int, start: int) -> list[tuple[int, int]]:
        """
        The table that `put_offset_table` writes, up to the end of the range: where each entry begins and ends.

        `start` is where the alignment counts from.
        """
        number = self.count(what)
        self.skip_padding(width, start)
        self.need(number * width, what)
        begins = self.fixed(number, "I" if width == 4 else "Q")
        base, size = self.position, self.left
        table: list[tuple[int, int]] = []
        for index, begin in enumerate(begins):
            end = begins[index + 1] if index + 1 < number else size
            if not begin <= end <= size:
                raise self.fail(f"{what} {index} begins at {begin} and ends at {end} of {size} bytes", start)
            table.append((base + begin, base + end))
        self.position = self.end
        return table
