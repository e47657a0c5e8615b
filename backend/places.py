"""Where the assembler may be: looked up without importing much, as a cache hit wants to know which one there is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

_PACKAGE: Final = "nvidia_cuda_tileiras"
_PACKAGED: Final = os.path.join("nvidia", "cu13", "bin", "tileiras")


def locate(
    import_path: Sequence[str], named: str | None, search_path: str | None, cuda_home: str | None
) -> tuple[str, str | None] | None:
    """
    The program's path, and its release if it is the Python package's; None where there is none.

    In order: the package's on `import_path`, the file that is `named`, the one on `search_path`, `cuda_home`'s.
    """
    if (packaged := _in_package(import_path)) is not None:
        return packaged
    if named:
        return (named, None) if os.path.isfile(named) else None
    import shutil

    if (found := shutil.which("tileiras", path=search_path)) is not None:
        return found, None
    if cuda_home and os.path.isfile(binary := os.path.join(cuda_home, "bin", "tileiras")):
        return binary, None
    return None


def _in_package(import_path: Sequence[str]) -> tuple[str, str] | None:
    """The packaged binary and its release, read off the name of the package's metadata directory.

    `importlib.metadata` would say the same; importing it takes longer than a cache hit may.
    """
    for folder in import_path:
        try:
            with os.scandir(folder or ".") as entries:
                names = [entry.name for entry in entries if entry.name.startswith(_PACKAGE)]
        except OSError:
            continue
        for name in names:
            release, dash, kind = name.removeprefix(f"{_PACKAGE}-").partition(".dist-info")
            binary = os.path.join(folder, _PACKAGED)
            if dash and not kind and os.path.isfile(binary):
                return binary, release
    return None
