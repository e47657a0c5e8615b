"""Resources read from cubins: those of the assembler for each family of GPUs, ones made by hand, and damaged ones."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from functools import cache
from pathlib import Path

import pytest
from cubins import LOAD_LOCAL, OTHER, STORE_LOCAL, cubin_of, elf, sized, symbol
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
    return elf(
        [
            (".strtab", 3, b"\0first\0second\0", 0, 0),
            (".symtab", 2, symbols, 0, 1),
            (".nv.info", 0x70000000, general, 0, 2),
            (".nv.info.first", 0x70000000, first, 0, 2),
            (".nv.info.second", 0x70000000, b"", 0, 2),
            (".text.first", 1, code, 0, 2),
            (".text.second", 1, code[16:32], 0, 2),
            (".nv.shared.first", 8, b"", 4096, 0),
            (".nv.constant0.first", 1, bytes(360), 0, 0),
        ]
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
    assert not fills_a_multiprocessor(
        cubin_of((Resources("k", registers, 0, 0, None, None, 360, 16, 0, 0),), "sm_90", False)
    )


@pytest.mark.parametrize("waits", [False, True])
def test_what_cubins_by_hand_are_made_of_is_read_of_them(waits: bool):
    two = (
        Resources("first", 77, 4096, 24, (64, 2, 1), (4, 1, 1), 360, 160, 1, 2, (8, 4), None, (96, 40), (24,)),
        Resources("second", 8, 0, 0, None, None, 352, 32, 0, 0, (), 128),
    )
    made = cubin_of(two, "sm_120", waits)
    assert (resources(made), architecture(made), waits_for_grids(made)) == (two, "sm_120", waits)


# --- Damaged ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (0, b"\x7fELG", "no ELF file"),
        (4, b"\x01", "no 64-bit"),
        (18, b"\x3e\x00", "machine 62"),
        (40, b"\xff" * 8, "section headers"),
        (62, b"\xff\xff", "no names"),
        (65, b"\xff\xff", "garbled"),
    ],
)
def test_a_wrong_header(place: int, value: bytes, said: str):
    damaged = bytearray(by_hand())
    damaged[place : place + len(value)] = value
    with pytest.raises(NotACubin, match=said):
        resources(bytes(damaged))


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
    file = bytearray(by_hand())
    (start,) = struct.unpack_from("<Q", file, 40)
    struct.pack_into("<QQ", file, start + 6 * 64 + 24, 0, len(file))  # the first kernel's code is the whole file
    with pytest.raises(NotACubin, match="overlap"):
        resources(bytes(file))


@pytest.mark.parametrize("length", [0, 3, 20, 63, 64, 200])
def test_a_file_that_is_cut_off(length: int):
    with pytest.raises(NotACubin):
        resources(by_hand()[:length])


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
