"""The lines of `.debug_line`: what profilers and compute-sanitizer show (DWARF 4, section 6.2, and NVIDIA's opcode)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from itertools import takewhile

INLINED_CALL = 0x90
"""NVIDIA's extended opcode: the rows that follow are of a function that was inlined at the row with this number."""


@dataclass
class Bytes:
    """Where a section is being read."""

    data: bytes
    at: int = 0

    def number(self, size: int) -> int:
        """A little-endian number."""
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at], "little")

    def leb(self, signed: bool = False) -> int:
        """A number of seven bits a byte."""
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value

    def text(self) -> str:
        """A string up to its zero."""
        raw = bytes(takewhile(bool, self.data[self.at :]))
        self.at += len(raw) + 1
        return raw.decode()


@dataclass(frozen=True)
class Row:
    """One row of the table: a source line, and the rows of the calls through which it was inlined."""

    file: str
    line: int
    called_from: Row | None


@dataclass
class _Unit:
    """One unit's program and its registers."""

    files: list[str]
    rows: list[Row] = field(default_factory=list[Row])
    file: int = 1
    line: int = 1
    caller: int = 0

    def append(self) -> None:
        """A row of the registers."""
        caller = self.rows[self.caller - 1] if self.caller else None
        self.rows.append(Row(self.files[self.file - 1], self.line, caller))


def debug_line(section: bytes) -> list[Row]:
    """The rows of all units in the order of their programs."""
    source, rows = Bytes(section), list[Row]()
    while source.at < len(section):
        end = source.number(4) + source.at
        assert source.number(2) in (2, 3)
        program = source.number(4) + source.at
        source.at += 2  # the shortest instruction, and whether rows are statements
        base, span, first = source.number(1), source.number(1), source.number(1)
        base -= 256 * (base > 127)
        counts = [source.number(1) for _ in range(first - 1)]
        folders = ["", *iter(source.text, "")]
        unit = _Unit([])
        while name := source.text():
            folder = folders[source.leb()]
            source.leb()  # its time
            source.leb()  # and size
            unit.files.append(f"{folder}/{name}" if folder else name)
        source.at = program
        while source.at < end:
            _step(source, unit, base, span, first, counts)
        rows += unit.rows
    return rows


def _step(source: Bytes, unit: _Unit, base: int, span: int, first: int, counts: list[int]) -> None:
    opcode = source.number(1)
    if opcode >= first:
        unit.line += base + (opcode - first) % span
        unit.append()
    elif opcode == 0:
        following = source.leb() + source.at
        code = source.number(1)
        if code == INLINED_CALL:
            unit.caller = source.leb()
        elif code == 1:
            unit.file, unit.line, unit.caller = 1, 1, 0
        source.at = following
    elif opcode == 1:
        unit.append()
    elif opcode == 3:
        unit.line += source.leb(signed=True)
    elif opcode == 4:
        unit.file = source.leb()
    elif opcode == 9:
        source.number(2)
    else:
        for _ in range(counts[opcode - 1]):
            source.leb()


def section_of(elf: bytes, name: str) -> bytes:
    """A section of a 64-bit little-endian ELF file."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + size * index) for index in range(count)]
    strings = headers[names][4]
    for label, _, _, _, offset, length in headers:
        if Bytes(elf, strings + label).text() == name:
            return elf[offset : offset + length]
    raise LookupError(name)
