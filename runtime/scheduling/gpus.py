"""What GPUs can do, as far as schedules depend on it: figures by architecture, measured or of data sheets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True)
class Gpu:
    """The figures of one GPU of an architecture: the one that is built most."""

    name: str
    multiprocessors: int
    registers: int
    """32-bit registers of a multiprocessor."""
    shared: int
    """Bytes of shared memory of a multiprocessor."""
    threads: int
    """Threads that a multiprocessor holds."""
    bandwidth: float
    """Bytes a second of its memory that copies reach."""
    cache_bandwidth: float
    """Bytes a second of its L2 cache."""
    matrix: float
    """Operations a second of products of 16-bit floats."""
    other: float
    """Other operations of f32 a second."""


_H200: Final = Gpu("H200", 132, 1 << 16, 228 << 10, 2048, 4.4e12, 14e12, 0.80e15, 33e12)

GPUS: Final = {
    "sm_80": replace(
        _H200, name="A100", multiprocessors=108, shared=164 << 10, bandwidth=1.4e12, cache_bandwidth=5e12,
        matrix=0.27e15, other=10e12,
    ),
    "sm_90": _H200,
    "sm_100": replace(
        _H200, name="B200", multiprocessors=148, bandwidth=7.2e12, cache_bandwidth=20e12, matrix=1.9e15,
        other=40e12,
    ),
    "sm_120": replace(
        _H200, name="RTX 5090", multiprocessors=170, shared=100 << 10, threads=1536, bandwidth=1.6e12,
        cache_bandwidth=8e12, matrix=0.2e15, other=50e12,
    ),
}  # fmt: skip
"""By architecture."""


def gpu_of(arch: str) -> Gpu:
    """The figures of an architecture; of one that is not listed, those of the nearest older one."""
    number = int(arch.removeprefix("sm_"))
    known = sorted(int(name.removeprefix("sm_")) for name in GPUS)
    return GPUS[f"sm_{max((n for n in known if n <= number), default=known[0])}"]
