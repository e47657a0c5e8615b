"""CUDA's own compilers, by way of cuda.core: NVRTC for CUDA C++, nvJitLink for PTX. Neither needs a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from freehold.runtime.gpu.driver import cuda_core

PACKAGES: Final = {"c++": "nvidia-cuda-nvrtc", "ptx": "nvidia-nvjitlink"}
"""Where PyPI has the compilers, by what they compile."""


class NotCompiled(Exception):
    """A compiler refuses code, or there is none (`missing`); says what the compiler says."""

    def __init__(self, said: str, missing: bool = False):
        super().__init__(said)
        self.said = said
        self.missing = missing


def to_cubin(
    text: str,
    language: str,
    arch: str,
    *,
    macros: Sequence[tuple[str, str]] = (),
    include: Sequence[str] = (),
    standard: str | None = None,
) -> bytes:
    """The cubin of CUDA C++ (`c++`) or PTX (`ptx`) for an architecture. Raises `NotCompiled`."""
    try:
        core = cuda_core()
    except ImportError as e:
        raise NotCompiled(str(e), missing=True) from e
    given: dict[str, Any] = {"arch": arch}
    if language == "c++":
        given |= {
            "std": standard or "c++17",
            "define_macro": list(macros) or None,
            "include_path": list(include) or None,
        }
    try:
        return bytes(core.Program(text, language, core.ProgramOptions(**given)).compile("cubin").code)
    except Exception as e:
        kind = type(e).__name__
        if kind == "DynamicLibNotFoundError":
            raise NotCompiled("its compiler is not installed", missing=True) from e
        if kind in ("NVRTCError", "nvJitLinkError", "CUDAError"):
            raise NotCompiled(str(e)) from e
        raise


@cache
def identity(language: str) -> str | None:
    """Which compiler there is, for keys of caches; None where it cannot be told, so that nothing is kept."""
    try:
        return f"{PACKAGES[language]} {version(PACKAGES[language])}"
    except PackageNotFoundError:
        return None
