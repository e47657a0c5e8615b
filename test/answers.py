"""
What the assembler is known to take, so that it need not run again for the same: assembling is half of what tests cost.

`assembled.txt` holds a digest of each module that was assembled, with the architecture, the options and the assembler's
release, and one of each several files of which it made the same (`same_code`). What tests read of cubins is kept by
`figures.py`. Line numbers and the folder of the checkout are no part of it. What is not there is assembled: an answer
that is missing costs time and nothing else, and pytest's summary says which tests lacked one. `--update-golden` adds
what is missing, and `--assemble` asks the assembler whatever is known, as the nightly run does. To be rid of digests
that nothing asks for any more, empty the file and run `make golden`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from freehold.backend.assembler import DEFAULT_OPTIONS, AssembleOptions, assemble
from freehold.backend.bytecode.encoding import MAGIC, Cursor
from freehold.backend.bytecode.tables import Section
from freehold.backend.cache import identity
from freehold.runtime.jit.kernel import Kernel
from freehold.runtime.variants.build import bytecode, contract_of, optimised, validate

KNOWN = Path(__file__).with_name("assembled.txt")
ROOT = str(Path(__file__).resolve().parents[1]).encode()
ASK, NOTE = "FREEHOLD_TEST_ASSEMBLE", "FREEHOLD_TEST_NOTE"
"""Variables that hand `--assemble` and `--update-golden` on to here."""
LACKED = "FREEHOLD_TEST_LACKED"
"""The variable that names a file for the tests that lacked an answer."""


def assembles(
    code: bytes, arch: str, options: AssembleOptions = DEFAULT_OPTIONS, kernels: Iterable[str] = (), known: Path = KNOWN
) -> bool:
    """
    Whether the assembler makes a cubin of bytecode that has these kernels, or is known to. Raises `Rejected`.

    Only for tests that ask nothing else of the cubin.
    """
    key = digest(code, arch, options.flags)
    if key in _read(known) and ASK not in os.environ:
        return True
    cubin = assemble(code, arch, options)
    taken = cubin.startswith(b"\x7fELF") and all(name.encode() in cubin for name in kernels)
    if taken and key not in _read(known):
        lacked(known, key)
    return taken


def compiles(kernel: Kernel, specialisation: Any, arch: str) -> bool:
    """Whether a kernel can be compiled as for a launch on a GPU, and proves right. Raises `Rejected`."""
    options = kernel.options.hinted(specialisation.hints)
    chosen = optimised(kernel.verified(specialisation), options.math)
    assert contract_of(chosen, options.checks).parameters
    code = bytecode(chosen, options)
    validate(chosen, code, options)
    return assembles(code, arch)


def same_code(codes: Iterable[bytes], arch: str, known: Path = KNOWN) -> bool:
    """Whether the assembler makes the same cubin of several files of bytecode, or is known to. Raises `Rejected`."""
    different = sorted({*codes})
    parts = [hashlib.sha256(code).hexdigest() for code in different]
    key = hashlib.sha256(repr((identity(), arch, DEFAULT_OPTIONS.flags, parts)).encode()).hexdigest()[:20]
    if key in _read(known) and ASK not in os.environ:
        return True
    same = len({assemble(code, arch, DEFAULT_OPTIONS) for code in different}) == 1
    if same and key not in _read(known):
        lacked(known, key)
    return same


def digest(code: bytes, arch: str, flags: Sequence[str] = DEFAULT_OPTIONS.flags, root: bytes = ROOT) -> str:
    """What an answer is known by."""
    header = len(MAGIC) + 4
    found = hashlib.sha256(repr((identity(), arch, tuple(flags))).encode() + code[:header])
    cursor = Cursor(code, header, len(code))
    while (head := cursor.byte()) != Section.END:
        size = cursor.varint()
        if head & 0x80:
            cursor.skip_padding(cursor.varint(), 0)
        section, payload = Section(head & 0x7F), cursor.bytes(size)
        if section == Section.STRING:
            inside = Cursor(payload, 0, size)
            texts = [payload[begin:end].replace(root, b"") for begin, end in inside.entries("strings", 4, 0)]
            payload = b"".join(len(text).to_bytes(4, "little") + text for text in texts)
        if section not in (Section.DEBUG, Section.PRODUCER):
            found.update(bytes([section]) + len(payload).to_bytes(8, "little") + payload)
    return found.hexdigest()[:20]


@cache
def _read(known: Path) -> frozenset[str]:
    return frozenset(known.read_text(encoding="utf-8").split()) if known.exists() else frozenset()


def lacked(known: Path, line: str) -> None:
    """Adds an answer that a test lacked, where that is asked for; else the test is noted for pytest's summary."""
    if NOTE in os.environ:
        note(known, line)
    elif named := os.environ.get(LACKED):
        with Path(named).open("a", encoding="utf-8") as file:
            file.write(os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0] + "\n")


def note(known: Path, line: str) -> None:
    """Adds a line to a file, which other processes add to at the same time."""
    import fcntl

    with known.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        lines = sorted({*file.read().splitlines(), line})
        file.seek(0)
        file.truncate()
        file.write("".join(f"{text}\n" for text in lines))
