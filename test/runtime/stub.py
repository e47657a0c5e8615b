"""What programs on the stub driver share: the driver as they see it, no assembler, and how their tests are run."""

from __future__ import annotations

import ctypes
import gc
import struct
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

import pytest

import freehold as fh
from freehold.runtime.memory import arguments
from freehold.runtime.variants import build


def the_stub() -> Any:
    """The stub driver, which says what arrived there; it looks at no cubin, so none are made. None on a real driver."""
    library: Any = ctypes.CDLL("libcuda.so.1")
    if not hasattr(library, "stub_defer"):
        return None
    for counter in ("dropped_graphs", "interleave", "launches", "misplaced", "records", "stray", "stuck", "waits"):
        getattr(library, f"stub_{counter}").restype = ctypes.c_ulong
    library.stub_interleave.argtypes = [ctypes.c_ulong]
    library.stub_defer.argtypes = [ctypes.c_uint64]
    library.stub_stream.restype = ctypes.c_void_p
    library.stub_meaning(b"mix", 1)  # a kernel of this name is done on the host
    build.assembled = without_assembler
    return library


def without_assembler(code: bytes, arch: str, kernel: str, meanwhile: Callable[[], None] | None = None) -> bytes:
    """What stands for a cubin."""
    if meanwhile is not None:
        meanwhile()
    return b"\x7fELF" + arch.encode() + bytes(64)


def expect(sizes: str) -> None:
    """Says what the next launches' parameters are, as `struct` calls them."""
    widths = [struct.calcsize(f"={s}") for s in sizes]
    ctypes.CDLL("libcuda.so.1").stub_expect((ctypes.c_int * len(widths))(*widths), len(widths))


def passed(sizes: str) -> list[Any]:
    """The last launch's parameters."""
    stub, buffer = ctypes.CDLL("libcuda.so.1"), ctypes.create_string_buffer(8)
    found: list[Any] = []
    for n, code in enumerate(sizes):
        stub.stub_value(n, buffer)
        found.append(struct.unpack_from(f"={code}", buffer.raw)[0])
    return found


def told(sizes: str, call: Callable[[], Any]) -> tuple[list[Any], Any]:
    """The parameters of a call's last launch, and what it returns; as many for each of its launches."""
    expect(sizes)
    found = call()
    parameters = passed(sizes)
    expect("")
    return parameters, found


def launches_of(call: Callable[[], Any]) -> int:
    """How many launches a call does."""
    count: Any = ctypes.CDLL("libcuda.so.1").stub_launches
    count.restype = ctypes.c_ulong
    before = count()
    call()
    return int(count()) - before


current: Final = [0]
"""The handle of torch's current stream, which programs change."""


def current_stream(device: int) -> int:
    """The handle of torch's current stream."""
    return current[0]


@cache
def posing() -> Any:
    """Torch, whose tensors in the host's memory are taken for the GPU's from here on. Without it a test is skipped."""
    torch: Any = pytest.importorskip("torch")  # here, for importing it takes longer than most programs
    read = arguments._torch  # pyright: ignore[reportPrivateUsage] -- to be replaced

    def as_gpu(tensor: Any) -> Any:
        found = read(tensor)
        found.device = 0
        return found

    readers_of: Any = arguments._BY_FAMILY  # pyright: ignore[reportPrivateUsage] -- as above
    readers_of["torch"] = as_gpu
    torch._C._cuda_getCurrentRawStream = current_stream
    return torch


def nothing() -> None:
    """What comes before tests that need no preparation."""


def run_tests(scope: Mapping[str, Any], strays: bool = False, before: Callable[[], None] = nothing) -> None:
    """
    Runs the tests among a program's globals and prints their names, with `:skipped` behind those that skip.

    Unless `strays`, none may touch bytes that are no allocation's, or leave work that can never be done.
    """
    assert fh.gpu_available()
    stub = the_stub()
    for name, function in list(scope.items()):
        if not name.startswith("test_"):
            continue
        before()
        gc.collect()
        gc.freeze()  # so that what a test collects is its own, and not the compiler as well, twenty times as large
        counts = stub.stub_stray(), stub.stub_stuck()
        skipped = False
        try:
            function()
        except pytest.skip.Exception:
            skipped = True
        assert strays or (stub.stub_stray(), stub.stub_stuck()) == counts, name
        print(f"{name}:skipped" if skipped else name, flush=True)
