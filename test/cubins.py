"""Cubins made by hand: files that say of their kernels what is to be read of them, and do nothing."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from freehold.backend.cubin import Resources

STORE_LOCAL, LOAD_LOCAL, SET_REGISTERS, WAIT, OTHER = 0x387, 0x983, 0x9C8, 0x82E, 0x221
"""Operations: the lowest twelve bits of an instruction."""


def sized(number: int, *words: int) -> bytes:
    """An attribute that is some words long."""
    return struct.pack("<BBH", 4, number, 4 * len(words)) + struct.pack(f"<{len(words)}I", *words)


def symbol(name: int, kind: int) -> bytes:
    """An entry of the table of symbols."""
    return struct.pack("<IBBHQQ", name, kind, 0, 0, 0, 0)


def elf(sections: Sequence[tuple[str, int, bytes, int, int]], flags: int = 0) -> bytes:
    """A file with these sections: name, kind, content, the size where there is no content, link."""
    names, at = b"\0", 64
    headers = [struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)]
    body = b""
    sections = [*sections, (".shstrtab", 3, b"", 0, 0)]
    for name, *_ in sections:
        names += name.encode() + b"\0"
    for name, kind, content, size, link in sections:
        content = names if name == ".shstrtab" else content
        offset = names.index(b"\0" + name.encode() + b"\0") + 1
        headers.append(struct.pack("<IIQQQQIIQQ", offset, kind, 0, 0, at, size or len(content), link, 0, 1, 0))
        body += content
        at += len(content)
    ident = b"\x7fELF" + bytes([2, 1, 1, 0x33]) + bytes(8)
    header = struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, at, flags, 64, 0, 0, 64, len(headers), len(headers) - 1)
    return ident + header + body + b"".join(headers)


def cubin_of(kernels: Sequence[Resources], arch: str, waits: bool) -> bytes:
    """A cubin of which `backend.cubin` reads just this; each of its kernels waits for those in front, or none."""
    names = b"\0" + b"".join(k.kernel.encode() + b"\0" for k in kernels)
    symbols, general = symbol(0, 0), b""
    sections: list[tuple[str, int, bytes, int, int]] = []
    for number, k in enumerate(kernels, 1):
        symbols += symbol(names.index(b"\0" + k.kernel.encode() + b"\0") + 1, 0x12)
        general += sized(0x2F, number, k.registers) + sized(0x11, number, k.stack)
        own = sized(0x10, *k.threads) if k.threads else b""
        own += sized(0x3D, *k.cluster) if k.cluster else b""
        own += sized(0x05, k.most_threads, 1, 1) if k.most_threads else b""
        own += b"".join(sized(0x17, 0, place, size << 18) for place, size in enumerate(k.sizes))
        words = [(STORE_LOCAL, 0)] * k.local_stores + [(LOAD_LOCAL, 0)] * k.local_loads + [(WAIT, 0)] * waits
        words += [(count << 32 | SET_REGISTERS, 0) for count in k.grows]
        words += [(count << 32 | SET_REGISTERS, 1 << 8) for count in k.shrinks]
        words += [(OTHER, 0)] * (k.code // 16 - len(words))
        sections += [
            (f".nv.info.{k.kernel}", 0x70000000, own, 0, 2),
            (f".text.{k.kernel}", 1, b"".join(struct.pack("<QQ", *word) for word in words), 0, 2),
            (f".nv.shared.{k.kernel}", 8, b"", k.shared, 0),
            (f".nv.constant0.{k.kernel}", 1, bytes(k.parameters), 0, 0),
        ]
    first = [(".strtab", 3, names, 0, 0), (".symtab", 2, symbols, 0, 1), (".nv.info", 0x70000000, general, 0, 2)]
    return elf([*first, *sections], int(arch.removeprefix("sm_")))
