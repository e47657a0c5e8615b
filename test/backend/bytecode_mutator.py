"""Damages bytecode in ways that get past the first checks: it knows sections, varints and lengths."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from freehold.backend.bytecode.encoding import MAGIC, PAD, Cursor, varint

HEADER = len(MAGIC) + 4
INTERESTING = (
    b"\x00",
    b"\x01",
    b"\x7f",
    b"\x80\x01",
    b"\xff\xff\x03",
    b"\xff\xff\xff\xff\x0f",
    b"\xff" * 9 + b"\x01",
    b"\xff" * 10,
    b"\x80" * 9 + b"\x00",
    b"\x00\x00\x00\x80",
    b"\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\x00\x00\x00\x00\x00\x00\x00\x80",
)
"""Counts that are too large, the smallest and largest integers, integers that are cut off or too long."""


@dataclass
class Part:
    """A section of a file."""

    number: int
    alignment: int
    payload: bytearray


def split(data: bytes) -> tuple[bytes, list[Part]]:
    """The header and the sections of a well-formed file."""
    cursor = Cursor(data, HEADER, len(data))
    parts: list[Part] = []
    while (head := cursor.byte()) != 0:
        size = cursor.varint()
        alignment = 1
        if head & 0x80:
            alignment = cursor.varint()
            cursor.skip_padding(alignment, 0)
        parts.append(Part(head & 0x7F, alignment, bytearray(cursor.bytes(size))))
    return data[:HEADER], parts


def join(header: bytes, parts: Sequence[Part]) -> bytes:
    """A file of these sections, with lengths and padding as they should be."""
    out = bytearray(header)
    for part in parts:
        out.append(part.number | (0x80 if part.alignment > 1 else 0))
        out += varint(len(part.payload))
        if part.alignment > 1:
            out += varint(part.alignment)
            out += bytes((PAD,)) * (-len(out) % part.alignment)
        out += part.payload
    out.append(0)
    return bytes(out)


def damage(random_: random.Random, data: bytearray, others: Sequence[bytes] = ()) -> None:
    """One change to a run of bytes, in place."""
    if not data:
        data += random_.choice(INTERESTING)
        return
    at = random_.randrange(len(data))
    match random_.randrange(8):
        case 0:
            data[at] ^= 1 << random_.randrange(8)
        case 1:
            data[at] = random_.randrange(256)
        case 2:  # the neighbouring type, value, opcode or enumeration member
            data[at] = (data[at] + random_.choice((-2, -1, 1, 2))) & 0xFF
        case 3:
            what = random_.choice(INTERESTING)
            data[at : at + len(what)] = what
        case 4:
            data[at:at] = random_.choice(INTERESTING)
        case 5:
            del data[at : at + random_.randrange(1, 9)]
        case 6:
            end = min(len(data), at + random_.randrange(1, 33))
            data[at:at] = data[at:end] * random_.choice((1, 1, 1, 2, 50))
        case _:
            if others:
                other = random_.choice(others)
                begin = random_.randrange(len(other) or 1)
                piece = other[begin : begin + random_.randrange(1, 33)]
                data[at : at + random_.choice((0, len(piece)))] = piece


def mutate(random_: random.Random, seeds: Sequence[bytes]) -> bytes:
    """A damaged file."""
    data = random_.choice(seeds)
    if random_.random() < 0.1:  # without regard to sections
        raw = bytearray(data)
        for _ in range(random_.randrange(1, 4)):
            damage(random_, raw)
        return bytes(raw)
    header, parts = split(data)
    if random_.random() < 0.05:  # the same bytes in another version
        header = header[: len(MAGIC) + 1] + bytes((random_.randrange(1, 6),)) + header[len(MAGIC) + 2 :]
    for _ in range(random_.choice((1, 1, 1, 2, 3, 5))):
        part = random_.choice(parts)
        others = [bytes(other.payload) for other in parts if other is not part]
        damage(random_, part.payload, others)
        if random_.random() < 0.03:
            random_.shuffle(parts)
        if random_.random() < 0.02 and len(parts) > 1:
            parts.remove(random_.choice(parts))
        if random_.random() < 0.02:  # a section of another file
            _, foreign = split(random_.choice(seeds))
            there = random_.choice(foreign)
            parts = [there if own.number == there.number else own for own in parts]
    return join(header, parts)
