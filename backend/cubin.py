"""
What a cubin says of its kernels: registers, shared memory, stack, threads, parameters, and how much code there is.

Read from the ELF file itself, by no other program. Every offset and count of the file is checked before it is used, so
a damaged file costs little and is refused by `NotACubin`.

A kernel `k` has its code in `.text.k`, its static shared memory in `.nv.shared.k`, its parameters in `.nv.constant0.k`
and its attributes in `.nv.info.k`. Attributes that name their function stand in `.nv.info`: registers and stack. An
attribute is a format byte, a number, and two bytes that are its value, or for format 4 the length of what follows.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

_MACHINE: Final = 190
_SHT_NOBITS: Final = 8
_SIZED: Final = 4
_REGCOUNT, _FRAME_SIZE, _REQNTID, _CTA_PER_CLUSTER = 0x2F, 0x11, 0x10, 0x3D
_KPARAM_INFO, _MAX_THREADS = 0x17, 0x05
_ABI_WITH_WIDE_FLAGS: Final = 8
"""From this version of the ABI on, the architecture stands in the second byte of the file's flags, before in the first
one."""
_INSTRUCTION: Final = 16
"""Bytes of an instruction since Volta; the lowest twelve bits are the operation."""
_STORE_LOCAL: Final = 0x387
_LOAD_LOCAL: Final = 0x983
_SET_REGISTERS: Final = 0x9C8
_WAIT_FOR_GRIDS: Final = 0x82E
_PTX: Final = ".nv_debug_ptx_txt"
_REGISTERS: Final = 1 << 16
"""Of a multiprocessor."""
_GIVES_BACK: Final = 1 << 8
"""Of the second word of an instruction that sets how many registers a warp has."""


class NotACubin(ValueError):
    """A file that is no ELF file for a GPU, or a damaged one; says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What one kernel of a cubin takes of a GPU."""

    kernel: str
    """The symbol."""
    registers: int
    """32-bit registers of a thread."""
    shared: int
    """Bytes of static shared memory of a block. CUDA reserves 1 KiB more since compute capability 8.0."""
    stack: int
    """Bytes of a thread's stack in local memory, where values are that registers do not hold."""
    threads: tuple[int, int, int] | None
    """Threads of a block, where the kernel requires a number."""
    cluster: tuple[int, int, int] | None
    """Blocks of a cluster, where the kernel requires a number."""
    parameters: int
    """Bytes of constant bank 0: the parameters, and what the driver keeps there."""
    code: int
    """Bytes of instructions."""
    local_stores: int
    """Instructions that store to local memory: registers that are spilled, mostly."""
    local_loads: int
    """Instructions that load from local memory."""
    sizes: tuple[int, ...] = ()
    """Bytes of each parameter, in order."""
    most_threads: int | None = None
    """Threads of a block, where the kernel bounds their number."""
    grows: tuple[int, ...] = ()
    """The registers of a thread that warps ask for beyond those that they begin with, in the order of the code."""
    shrinks: tuple[int, ...] = ()
    """The registers of a thread that warps keep which give others back, in the order of the code."""

    @property
    def thread_count(self) -> int | None:
        """All threads of a block, or None where the kernel requires no number."""
        if self.threads is None:
            return None
        x, y, z = self.threads
        return x * y * z


class _Section(NamedTuple):
    name: str
    kind: int
    offset: int
    size: int
    link: int


def resources(cubin: bytes) -> tuple[Resources, ...]:
    """What each kernel of a cubin takes, in the order of the file. Raises `NotACubin`."""
    try:
        return tuple(_kernels(memoryview(cubin)))
    except (struct.error, UnicodeDecodeError) as e:
        raise NotACubin(f"a part of it is cut off or garbled: {e}") from e


def waits_for_grids(cubin: bytes) -> bool:
    """Whether a kernel of a cubin waits for those in front of it (`griddepcontrol.wait`)."""
    data = memoryview(cubin)
    try:
        texts = [bytes(_content(data, s)) for s in _sections(data) if s.name.startswith(".text.")]
    except (NotACubin, struct.error, UnicodeDecodeError):  # whoever loads it is told
        return False
    return any(word & 0xFFF == _WAIT_FOR_GRIDS for code in texts for word in _words(code))


def ptx(cubin: bytes) -> dict[str, str]:
    """The PTX that each kernel of a cubin was made of; nothing of kernels without lines of the source."""
    data = memoryview(cubin)
    try:
        parts = [bytes(_content(data, s)) for s in _sections(data) if s.name == _PTX]
    except (NotACubin, struct.error, UnicodeDecodeError):  # whoever loads it is told
        return {}
    found: dict[str, str] = {}
    for part in parts:
        _, *entries = part.replace(b"\0", b"\n").decode(errors="replace").split(".entry ")
        found.update((entry.partition("(")[0], entry) for entry in entries)
    return found


def fills_a_multiprocessor(cubin: bytes) -> bool:
    """Whether a block of the first kernel of a cubin takes more than half of a multiprocessor's registers."""
    try:
        found = resources(cubin)[0]
    except (NotACubin, IndexError):  # whoever loads it is told
        return False
    return 2 * found.registers * (found.thread_count or 0) > _REGISTERS


def architecture(cubin: bytes) -> str:
    """The architecture that a cubin is for: `sm_90`. Raises `NotACubin`."""
    data = memoryview(cubin)
    _sections(data)
    (flags,) = struct.unpack_from("<I", data, 48)
    number = (flags >> 8 if data[8] >= _ABI_WITH_WIDE_FLAGS else flags) & 0xFF
    return f"sm_{number}"


def _kernels(data: memoryview) -> Iterator[Resources]:
    sections = _sections(data)
    by_name = {s.name: s for s in sections}
    symbols = _symbols(data, sections)
    registers: dict[int, int] = {}
    frames: dict[int, int] = {}
    for number, value in _attributes(data, by_name.get(".nv.info")):
        if number in (_REGCOUNT, _FRAME_SIZE):
            symbol, amount = struct.unpack_from("<II", value)
            (registers if number == _REGCOUNT else frames)[symbol] = amount
    kernels: dict[str, _Section] = {s.name.removeprefix(".nv.info."): s for s in sections if _is_info(s)}
    for name, info in kernels.items():
        threads: tuple[int, int, int] | None = None
        cluster: tuple[int, int, int] | None = None
        sizes: dict[int, int] = {}
        bound: int | None = None
        for number, value in _attributes(data, info):
            if number == _REQNTID:
                threads = struct.unpack_from("<III", value)
            elif number == _CTA_PER_CLUSTER:
                cluster = struct.unpack_from("<III", value)
            elif number == _KPARAM_INFO:
                place, attributes = struct.unpack_from("<4xH2xI", value)
                sizes[place] = attributes >> 18
            elif number == _MAX_THREADS:
                x, y, z = struct.unpack_from("<III", value)
                bound = x * y * z
        symbol = symbols.get(name)
        if symbol is None or symbol not in registers:
            if f".text.{name}" in by_name and symbol is None:
                raise NotACubin(f"the kernel `{name}` has no symbol")
            continue  # attributes of something that is no function of this file
        text = by_name.get(f".text.{name}")
        code = b"" if text is None else bytes(_content(data, text))
        stores, loads = _local(code)
        grows, shrinks = _registers_set(code)
        yield Resources(
            kernel=name,
            registers=registers[symbol],
            shared=_size(by_name.get(f".nv.shared.{name}")),
            stack=frames.get(symbol, 0),
            threads=threads,
            cluster=cluster,
            parameters=_size(by_name.get(f".nv.constant0.{name}")),
            code=len(code),
            local_stores=stores,
            local_loads=loads,
            sizes=tuple(sizes[n] for n in sorted(sizes)),
            most_threads=bound,
            grows=grows,
            shrinks=shrinks,
        )


def _is_info(section: _Section) -> bool:
    return section.name.startswith(".nv.info.")


def _size(section: _Section | None) -> int:
    return 0 if section is None else section.size


def _words(code: bytes) -> Iterator[int]:
    """The first word of each instruction."""
    return (word for (word,) in struct.iter_unpack("<Q8x", code[: len(code) // _INSTRUCTION * _INSTRUCTION]))


def _local(code: bytes) -> tuple[int, int]:
    """How many instructions store to local memory, and how many load from it."""
    stores = loads = 0
    for word in _words(code):
        operation = word & 0xFFF
        stores += operation == _STORE_LOCAL
        loads += operation == _LOAD_LOCAL
    return stores, loads


def _registers_set(code: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """To how many registers warps grow, and to how many they shrink."""
    grows: list[int] = []
    shrinks: list[int] = []
    for word, rest in struct.iter_unpack("<QQ", code[: len(code) // _INSTRUCTION * _INSTRUCTION]):
        if word & 0xFFF == _SET_REGISTERS:
            (shrinks if rest & _GIVES_BACK else grows).append(word >> 32 & 0xFFFF)
    return tuple(grows), tuple(shrinks)


# --- The file ---------------------------------------------------------------------------------------------------------


def _sections(data: memoryview) -> list[_Section]:
    if bytes(data[:4]) != b"\x7fELF" or len(data) < 64:
        raise NotACubin("it is no ELF file")
    if data[4] != 2 or data[5] != 1:
        raise NotACubin("it is no 64-bit, little-endian ELF file")
    (machine,) = struct.unpack_from("<H", data, 18)
    if machine != _MACHINE:
        raise NotACubin(f"it is for machine {machine}, not for an NVIDIA GPU")
    (start,) = struct.unpack_from("<Q", data, 40)
    entry, count, names = struct.unpack_from("<HHH", data, 58)
    if entry < 64 or start + entry * count > len(data):
        raise NotACubin("its section headers lie outside of it")
    raw: list[tuple[int, int, int, int, int]] = []
    for n in range(count):
        name, kind, _, _, offset, size, link = struct.unpack_from("<IIQQQQI", data, start + n * entry)
        if kind != _SHT_NOBITS and offset + size > len(data):
            raise NotACubin(f"section {n} lies outside of it")
        raw.append((name, kind, offset, size, link))
    if names >= count:
        raise NotACubin("its sections have no names")
    strings = data[raw[names][2] : raw[names][2] + raw[names][3]] if raw[names][1] != _SHT_NOBITS else data[:0]
    sections = [_Section(_string(strings, name), *rest) for name, *rest in raw]
    # Others may share their bytes; if these did, reading each of them could take for ever.
    if sum(len(_content(data, s)) for s in sections if s.name.startswith((".text.", ".nv.info"))) > len(data):
        raise NotACubin("its sections overlap")
    return sections


def _content(data: memoryview, section: _Section) -> memoryview:
    return data[:0] if section.kind == _SHT_NOBITS else data[section.offset : section.offset + section.size]


def _string(strings: memoryview, offset: int) -> str:
    """A name of a string table; names of more than 1024 bytes are cut."""
    part = bytes(strings[offset : offset + 1024])
    return part.partition(b"\0")[0].decode()


def _symbols(data: memoryview, sections: list[_Section]) -> dict[str, int]:
    """The numbers of functions by name."""
    found: dict[str, int] = {}
    table = next((s for s in sections if s.name == ".symtab"), None)
    if table is None:
        return found
    if table.link >= len(sections):
        raise NotACubin("its symbols have no names")
    strings = _content(data, sections[table.link])
    content = _content(data, table)
    for number, (name, info) in enumerate(struct.iter_unpack("<IB19x", content[: len(content) // 24 * 24])):
        if info & 15 == 2:
            found.setdefault(_string(strings, name), number)
    return found


def _attributes(data: memoryview, section: _Section | None) -> Iterator[tuple[int, memoryview]]:
    """Numbers and values, of those whose values are more than two bytes, as all are that are read here."""
    if section is None:
        return
    content = _content(data, section)
    position = 0
    while position < len(content):
        form, number, size = struct.unpack_from("<BBH", content, position)
        position += 4
        if form != _SIZED:
            continue
        if position + size > len(content):
            raise NotACubin(f"an attribute of {section.name} ends outside of it")
        yield number, content[position : position + size]
        position += size
