"""Resources read from cubins: those of the assembler for each family of GPUs, ones made by hand, and damaged ones."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from cubins import LOAD_LOCAL, OTHER, SET_REGISTERS, STORE_LOCAL, WAIT, cubin_of, elf, sized, symbol
from hypothesis import given, settings
from hypothesis import strategies as st
from op_kernels import SAMPLES, module_of

from freehold.backend.assembler import assemble
from freehold.backend.bytecode.writer import write_bytecode
from freehold.backend.cubin import (
    NotACubin,
    Resources,
    architecture,
    fills_a_multiprocessor,
    ptx,
    resources,
    waits_for_grids,
)

ARCHS = ("sm_80", "sm_90", "sm_100", "sm_120")
CODE = write_bytecode(module_of([SAMPLES[0]]))


@cache
def assembled(arch: str) -> bytes:
    return assemble(CODE, arch)


@pytest.mark.parametrize("arch", ARCHS)
def test_what_the_assembler_makes(arch: str):
    (found,) = resources(assembled(arch))
    assert found.kernel == SAMPLES[0].name
    assert architecture(assembled(arch)) == arch
    parameters = next(op for op in module_of([SAMPLES[0]]).walk() if op.name == "cuda_tile.entry").regions[0].block.args
    assert len(found.sizes) == len(parameters)
    assert set(found.sizes) <= {4, 8}
    assert 1 <= found.registers <= 255
    assert found.thread_count is not None
    assert found.thread_count % 32 == 0
    assert 32 <= found.thread_count <= 1024
    assert found.code % 16 == 0
    assert found.code > 0
    assert 0 <= found.shared <= 232448
    assert found.parameters >= 352  # the driver's own part of the bank comes first
    assert (found.stack, found.local_stores, found.local_loads, found.cluster) == (0, 0, 0, None)


@pytest.mark.parametrize("arch", ARCHS)
def test_the_text_of_a_kernel(arch: str):
    ((name, text),) = ptx(assembled(arch)).items()
    assert name == SAMPLES[0].name
    assert text.startswith(f"{name}(")
    assert "ret;\n" in text


def test_texts_are_of_each_kernel():
    part = b".version 9.5\0.visible .entry one(\0)\0{\0ret;\0}\0.entry two()\0{\0\xff\0}"
    expected = {"one": "one(\n)\n{\nret;\n}\n", "two": "two()\n{\n\ufffd\n}"}
    found = ptx(elf([(".nv_debug_ptx_txt", 1, part, 0, 0), (".nv_debug_ptx_text", 1, b".entry x()", 0, 0)]))
    assert {name: text.removesuffix(".visible ") for name, text in found.items()} == expected
    assert ptx(elf([])) == ptx(b"nonsense") == ptx(assembled("sm_90")[:1000]) == {}


@pytest.mark.skipif(shutil.which("cuobjdump") is None, reason="no cuobjdump on the path")
@pytest.mark.parametrize("arch", ARCHS)
def test_cuobjdump_says_the_same(arch: str, tmp_path: Path):
    file = tmp_path / "k.cubin"
    file.write_bytes(assembled(arch))
    command = ["cuobjdump", "--dump-resource-usage", str(file)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    usage = re.search(r"Function (\S+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+).*CONSTANT\[0\]:(\d+)", said)
    (r,) = resources(assembled(arch))
    assert usage is not None
    assert usage.groups() == (r.kernel, str(r.registers), str(r.stack), str(r.shared), str(r.parameters))


# --- Made by hand -----------------------------------------------------------------------------------------------------


def by_hand() -> bytes:
    code = b"".join(struct.pack("<QQ", 0xAB000 | op, 0) for op in (STORE_LOCAL, OTHER, LOAD_LOCAL, LOAD_LOCAL))
    symbols = symbol(0, 0) + symbol(1, 0x12) + symbol(7, 0x12) + symbol(1, 0x10)
    general = sized(0x2F, 1, 77) + sized(0x11, 1, 24) + sized(0x2F, 2, 8) + struct.pack("<BBH", 3, 0x50, 9)
    first = struct.pack("<BBH", 2, 0x4C, 1) + sized(0x10, 16, 2, 4) + sized(0x3D, 4, 1, 1) + sized(0x45, 1, 2, 3)
    parts = [
        (3, b"\0first\0second\0", 0, 0),
        (2, symbols, 0, 1),
        (0x70000000, general, 0, 2),
        (0x70000000, first, 0, 2),
        (0x70000000, b"", 0, 2),
        (1, code, 0, 2),
        (1, code[16:32], 0, 2),
        (8, b"", 4096, 0),
        (1, bytes(360), 0, 0),
    ]
    return elf([(name, *part) for name, part in zip(NAMES, parts, strict=True)])


NAMES = (
    *(".strtab", ".symtab", ".nv.info", ".nv.info.first", ".nv.info.second", ".text.first", ".text.second"),
    *(".nv.shared.first", ".nv.constant0.first"),
)


def test_every_number():
    assert resources(by_hand()) == (
        Resources("first", 77, 4096, 24, (16, 2, 4), (4, 1, 1), 360, 64, local_stores=1, local_loads=2),
        Resources("second", 8, 0, 0, None, None, 0, 16, local_stores=0, local_loads=0),
    )
    first, second = resources(by_hand())
    assert (first.thread_count, second.thread_count) == (128, None)


def with_kernels(*sections: str, symbols: int = 2) -> bytes:
    """Two kernels, of which the first so many have symbols, and these sections."""
    names = b"\0first\0second\0"
    table = b"".join([symbol(0, 0), symbol(1, 0x12), symbol(7, 0x12)][: symbols + 1])
    general = sized(0x2F, 1, 77) + sized(0x2F, 2, 8)
    known = [(".strtab", 3, names, 0, 0), (".symtab", 2, table, 0, 1), (".nv.info", 0x70000000, general, 0, 2)]
    return elf([*known, *((name, 1, bytes(16), 0, 2) for name in sections)])


def test_kernels_are_what_has_a_symbol() -> None:
    def kernels(*sections: str, symbols: int = 2) -> list[str]:
        return [found.kernel for found in resources(with_kernels(*sections, symbols=symbols))]

    assert kernels(".nv.info.first", ".nv.info.second", ".text.first", ".text.second") == ["first", "second"]
    assert kernels(".nv.info.first", ".nv.info.second", ".text.first", symbols=1) == ["first"]
    assert kernels(".nv.info.first", ".text.second", symbols=1) == ["first"]
    with pytest.raises(NotACubin, match="the kernel `second` has no symbol"):
        kernels(".nv.info.first", ".nv.info.second", ".text.second", symbols=1)
    assert resources(elf([])) == ()
    assert not fills_a_multiprocessor(b"nothing")
    assert not fills_a_multiprocessor(elf([]))


@pytest.mark.parametrize(
    ("registers", "threads", "fills"), [(128, 256, False), (129, 256, True), (64, 512, False), (65, 512, True)]
)
def test_half_of_the_registers_of_a_multiprocessor(registers: int, threads: int, fills: bool) -> None:
    one = Resources("k", registers, 0, 0, (threads, 1, 1), None, 360, 16, 0, 0)
    assert fills_a_multiprocessor(cubin_of((one,), "sm_90", False)) is fills
    for count in (registers, 1 << 16):
        none = Resources("k", count, 0, 0, None, None, 360, 16, 0, 0)
        assert not fills_a_multiprocessor(cubin_of((none,), "sm_90", False))


@pytest.mark.parametrize("waits", [False, True])
def test_what_cubins_by_hand_are_made_of_is_read_of_them(waits: bool):
    two = (
        Resources("first", 77, 4096, 24, (64, 2, 1), (4, 1, 1), 360, 160, 1, 2, (8, 4), None, (96, 40), (24,)),
        Resources("second", 8, 0, 0, None, None, 352, 32, 0, 0, (), 128),
    )
    made = cubin_of(two, "sm_120", waits)
    assert (resources(made), architecture(made), waits_for_grids(made)) == (two, "sm_120", waits)


def kernel_of(
    code: bytes = b"", own: bytes = b"", general: bytes = b"", kind: int = 0x12, *more: tuple[str, int, bytes, int, int]
) -> bytes:
    """A file with the kernel `k`: its code, its attributes, those of the file, and what its symbol is."""
    return elf(
        [
            (".strtab", 3, b"\0k\0", 0, 0),
            (".symtab", 2, symbol(0, 0) + symbol(1, kind), 0, 1),
            (".nv.info", 0x70000000, sized(0x2F, 1, 40) + general, 0, 2),
            (".nv.info.k", 0x70000000, own, 0, 2),
            (".text.k", 1, code, 0, 2),
            *more,
        ]
    )


def words(*pairs: tuple[int, int]) -> bytes:
    return b"".join(struct.pack("<QQ", *pair) for pair in pairs)


def test_an_instruction_is_its_lowest_twelve_bits() -> None:
    high = 0xFFFF_0000_0000_F000
    for operation, counted in ((STORE_LOCAL, (1, 0)), (LOAD_LOCAL, (0, 1)), (OTHER, (0, 0))):
        (found,) = resources(kernel_of(words((high | operation, 0), (OTHER, operation))))
        assert (found.local_stores, found.local_loads) == counted
        (found,) = resources(kernel_of(words((operation << 12, 0), (operation ^ 0x800, 0))))
        assert (found.local_stores, found.local_loads) == (0, 0)
    assert waits_for_grids(kernel_of(words((OTHER, WAIT), (high | WAIT, 0))))
    assert not waits_for_grids(kernel_of(words((OTHER, WAIT), (WAIT << 12, 0))))
    assert not waits_for_grids(kernel_of(words((OTHER, 0)), own=words((WAIT, 0))))  # no code


def test_registers_that_are_set() -> None:
    """The number stands above the lower half of the first word; bit 8 of the second one gives registers back."""
    asked = (
        (0xABCD_0060_0000_1000 | SET_REGISTERS, 0x0FF),
        (0x0000_0018_0000_0000 | SET_REGISTERS, 0x100),
        (0x0001_00E8_FFFF_F000 | SET_REGISTERS, 0x200),
        (0x0000_0028_0000_0000 | SET_REGISTERS, 0x3FF),
        (0x0000_0030_0000_0000 | OTHER, 0x100),
    )
    (found,) = resources(kernel_of(words(*asked)))
    assert (found.grows, found.shrinks) == ((0x60, 0xE8), (0x18, 0x28))


def test_what_is_no_whole_instruction_is_code_all_the_same() -> None:
    cut = words((STORE_LOCAL, 0), (WAIT, 0))[:-1]
    (found,) = resources(kernel_of(cut))
    assert (found.code, found.local_stores) == (31, 1)
    assert not waits_for_grids(kernel_of(cut))
    assert waits_for_grids(kernel_of(cut + b"\0"))


@pytest.mark.parametrize("binding", [0, 1, 2])
def test_functions_are_told_by_their_kind(binding: int) -> None:
    for kind in range(16):
        with nullcontext() if kind == 2 else pytest.raises(NotACubin, match=r"^the kernel `k` has no symbol$"):
            assert resources(kernel_of(kind=binding << 4 | kind))


def test_the_first_of_symbols_with_one_name_counts() -> None:
    table = symbol(0, 0) + symbol(1, 0x12) + symbol(1, 0x12)
    general = sized(0x2F, 2, 50) + sized(0x2F, 1, 40)
    sections = [(".strtab", 3, b"\0k\0", 0, 0), (".symtab", 2, table, 0, 1), (".nv.info", 1, general, 0, 2)]
    (found,) = resources(elf([*sections, (".nv.info.k", 1, b"", 0, 2)]))
    assert found.registers == 40
    (cut,) = resources(elf([sections[0], (".symtab", 2, table[:-1], 0, 1), sections[2], (".nv.info.k", 1, b"", 0, 2)]))
    assert cut == found


def test_attributes_that_say_nothing_of_a_kernel_are_passed_over() -> None:
    """Those of two bytes, and of other numbers, whatever stands in them."""
    short = b"".join(struct.pack("<BBH", form, number, 0x0101) for form in (0, 1, 2, 3, 5) for number in (0x10, 0x05))
    known = sized(0x10, 32, 3, 2) + sized(0x05, 64, 2, 3) + sized(0x3D, 2, 1, 1)
    inside = sized(0x99, *struct.unpack("<4I", sized(0x10, 1, 1, 1)))  # what stands in one is none itself
    own = short + sized(0x11, 1, 2, 3) + short + known + short + inside
    (found,) = resources(kernel_of(own=own, general=sized(0x30, 1, 99) + sized(0x11, 1, 16) + sized(0x11, 2, 99)))
    assert found == Resources(
        "k", 40, 0, 16, (32, 3, 2), (2, 1, 1), 0, 0, local_stores=0, local_loads=0, most_threads=384
    )
    assert found.thread_count == 192


def test_parameters_are_in_the_order_of_their_numbers() -> None:
    """A size is the upper 14 bits of a word, which has other things in its lower ones."""
    sizes = {2: 4, 0: 8, 1: 128}
    own = b"".join(sized(0x17, 0xFFFF, 0xABCD_0000 | place, size << 18 | 0x3FFFF) for place, size in sizes.items())
    (found,) = resources(kernel_of(own=own))
    assert found.sizes == (8, 128, 4)


@pytest.mark.parametrize(("version", "flags"), [(7, 0x1212_125A), (8, 0x1212_5A12), (9, 0x1212_5A12)])
def test_where_the_architecture_stands(version: int, flags: int) -> None:
    file = bytearray(elf([], flags))
    file[8] = version
    assert architecture(bytes(file)) == "sm_90"


@pytest.mark.parametrize(("length", "found"), [(1015, 1), (1016, 0)])
def test_names_are_read_as_far_as_any_has_letters(length: int, found: int) -> None:
    """Those of sections are at most 1024 bytes long. What is cut is no kernel's."""
    name = "k" * length
    table = symbol(0, 0) + symbol(1, 0x12)
    known = [(".strtab", 3, f"\0{name}\0".encode(), 0, 0), (".symtab", 2, table, 0, 1)]
    file = elf([*known, (".nv.info", 1, sized(0x2F, 1, 40), 0, 2), (f".nv.info.{name}", 1, b"", 0, 2)])
    assert [one.kernel for one in resources(file)] == [name] * found


# --- Damaged ----------------------------------------------------------------------------------------------------------


HEADERS = len(by_hand()) - 11 * 64
"""Where the headers of its sections stand: none, nine that are named above, and the names."""


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (0, b"\x7fELG", "it is no ELF file"),
        (4, b"\x01", "it is no 64-bit, little-endian ELF file"),
        (4, b"\x03", "it is no 64-bit, little-endian ELF file"),
        (5, b"\x02", "it is no 64-bit, little-endian ELF file"),
        (5, b"\x00", "it is no 64-bit, little-endian ELF file"),
        (18, b"\x3e\x00", "it is for machine 62, not for an NVIDIA GPU"),
        (19, b"\x01", "it is for machine 446, not for an NVIDIA GPU"),
        (40, b"\xff" * 8, "its section headers lie outside of it"),
        (40, struct.pack("<Q", HEADERS + 1), "its section headers lie outside of it"),
        (58, b"\x3f", "its section headers lie outside of it"),
        (60, b"\x0c", "its section headers lie outside of it"),
        (62, b"\xff\xff", "its sections have no names"),
        (62, b"\x0b", "its sections have no names"),
        (65, b"\xff\xff", "a part of it is cut off or garbled: 'utf-8' codec can't decode byte 0xff in position 0: "),
        (HEADERS + 2 * 64 + 40, b"\x0b", "its symbols have no names"),
    ],
)
def test_a_wrong_header(place: int, value: bytes, said: str):
    damaged = bytearray(by_hand())
    damaged[place : place + len(value)] = value
    with pytest.raises(NotACubin) as caught:
        resources(bytes(damaged))
    assert str(caught.value).startswith(said)
    assert str(caught.value) == said or said.endswith(": ")
    assert not waits_for_grids(bytes(damaged))
    assert not fills_a_multiprocessor(bytes(damaged))


def test_what_a_header_may_say_just_yet():
    """The last section may have the names, or the symbols'; headers may be longer, and end with the file."""
    file = by_hand()
    assert struct.unpack_from("<HHH", file, 58) == (64, 11, 10)
    (names,) = struct.unpack_from("<I", file, HEADERS + 2 * 64 + 40)
    assert names == 1
    longer = b"".join(file[at : at + 64] + bytes(8) for at in range(HEADERS, len(file), 64))
    header = file[:58] + struct.pack("<H", 72) + file[60:HEADERS]
    assert resources(header + longer) == resources(file)
    named = bytearray(file)  # of the names of sections: `.symtab` says that its names stand in the last
    struct.pack_into("<I", named, HEADERS + 2 * 64 + 40, 10)
    with pytest.raises(NotACubin, match=r"^the kernel `first` has no symbol$"):
        resources(bytes(named))
    unnamed = bytearray(file)
    struct.pack_into("<I", unnamed, HEADERS + 10 * 64 + 4, 8)  # there is nothing of the names
    assert resources(bytes(unnamed)) == ()


@pytest.mark.parametrize("name", [".symtab", ".nv.info", ".nv.info.first", ".text.first"])
def test_sections_without_content(name: str):
    """What takes no bytes may say that it lies anywhere; nothing is read of it."""
    file = bytearray(by_hand())
    header = HEADERS + (1 + NAMES.index(name)) * 64
    struct.pack_into("<I", file, header + 4, 8)
    struct.pack_into("<Q", file, header + 24, 2**40)
    first, second = resources(by_hand())
    if name == ".symtab":
        with pytest.raises(NotACubin, match=r"^the kernel `first` has no symbol$"):
            resources(bytes(file))
    elif name == ".nv.info":  # where it stands how many registers they have
        assert resources(bytes(file)) == ()
    elif name == ".nv.info.first":
        assert resources(bytes(file)) == (replace(first, threads=None, cluster=None), second)
    else:
        assert resources(bytes(file)) == (replace(first, code=0, local_stores=0, local_loads=0), second)


@pytest.mark.parametrize("section", [".nv.info", ".nv.info.k"])
def test_an_attribute_that_ends_outside(section: str):
    """By one byte, or with nothing of it there; it may end with its section."""
    for missing, said in ((1, "an attribute of {} ends outside of it"), (8, "an attribute of {} ends outside of it")):
        attribute = sized(0x10, 32, 1, 1)[:-missing]
        file = kernel_of(own=attribute) if section == ".nv.info.k" else kernel_of(general=attribute)
        with pytest.raises(NotACubin) as caught:
            resources(file)
        assert str(caught.value) == said.format(section)
    for cut in (b"\x04", b"\x04\x10\x0c", b"\x03\x10\x0c"):
        file = kernel_of(own=cut) if section == ".nv.info.k" else kernel_of(general=cut)
        with pytest.raises(NotACubin, match="a part of it is cut off or garbled: unpack_from requires"):
            resources(file)


def test_an_attribute_that_is_too_short():
    for number in (0x10, 0x3D, 0x17, 0x05):
        with pytest.raises(NotACubin, match="a part of it is cut off or garbled: unpack_from requires a buffer of"):
            resources(kernel_of(own=sized(number, 1, 1)))
    with pytest.raises(NotACubin, match="a part of it is cut off or garbled: unpack_from requires a buffer of"):
        resources(kernel_of(general=sized(0x11, 1)))


@pytest.mark.parametrize(("place", "value"), [(24, 2**40), (32, 2**40), (24, None), (32, None)])
def test_a_section_beyond_the_end(place: int, value: int | None):
    """Far away, or by one byte."""
    file = bytearray(by_hand())
    (start,) = struct.unpack_from("<Q", file, 40)
    header = start + 6 * 64
    at, size = struct.unpack_from("<QQ", file, header + 24)
    nearly = len(file) - (size if place == 24 else at)
    struct.pack_into("<Q", file, header + place, nearly + 1 if value is None else value)
    with pytest.raises(NotACubin, match="section 6 lies outside of it"):
        resources(bytes(file))
    if value is None:  # one byte less is inside, whatever else may be wrong
        struct.pack_into("<Q", file, header + place, nearly)
        said = ""
        try:
            resources(bytes(file))
        except NotACubin as error:
            said = str(error)
        assert "outside" not in said


def test_sections_that_overlap_are_not_read():
    """All that are read may be as large as the file together, and no larger; what is not read may."""
    file = bytearray(by_hand())
    others = sum(len(_section(file, number)) for number in (3, 4, 5, 7))
    struct.pack_into("<QQ", file, HEADERS + 6 * 64 + 24, 0, len(file) - others)
    assert [one.code for one in resources(bytes(file))] == [len(file) - others, 16]
    struct.pack_into("<QQ", file, HEADERS + 6 * 64 + 24, 0, len(file) - others + 1)
    with pytest.raises(NotACubin, match=r"^its sections overlap$"):
        resources(bytes(file))
    file = bytearray(by_hand())
    struct.pack_into("<QQ", file, HEADERS + 9 * 64 + 24, 0, len(file))
    assert resources(bytes(file))[0].parameters == len(file)


def _section(file: bytearray, number: int) -> bytearray:
    at, size = struct.unpack_from("<QQ", file, HEADERS + number * 64 + 24)
    return file[at : at + size]


@pytest.mark.parametrize("length", [0, 3, 20, 63, 64, 200])
def test_a_file_that_is_cut_off(length: int):
    said = "it is no ELF file" if length < 64 else "its section headers lie outside of it"
    for ask in (resources, architecture):
        with pytest.raises(NotACubin) as caught:
            ask(by_hand()[:length])
        assert str(caught.value) == said


@settings(max_examples=300)
@given(st.data())
def test_damage_is_refused_or_harmless(data: st.DataObject):
    file = bytearray(by_hand())
    for _ in range(data.draw(st.integers(1, 4))):
        file[data.draw(st.integers(0, len(file) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(file)))
    try:
        found = resources(bytes(file[:cut] if data.draw(st.booleans()) else file))
    except NotACubin:
        return
    assert all(isinstance(r, Resources) for r in found)
