"""
Compiled kernels on disk, so that a new process neither compiles nor assembles what an earlier one has.

Storage is cuda.core's program cache: atomic writes, least recently read entries dropped first. An entry is a cubin with
its launch contract, which has the digest of the IR that was verified, and a checksum over them and the key. So one that
is damaged, or lies under another kernel's key, is found out and compiled again. Nothing here ever
fails a launch: a cache that cannot be used is no cache, said once.

The directory is `$FREEHOLD_CACHE_DIR` (set but empty: no cache), else `$XDG_CACHE_HOME/freehold/kernels`, else
`~/.cache/freehold/kernels`. Who can write there can run code on your GPU: it is made for its owner alone, and one that
others may write to is not used. Without cuda.core (macOS) there is no cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from freehold.backend.places import locate

VARIABLE: Final = "FREEHOLD_CACHE_DIR"
SIZE: Final = 2 << 30
"""Bytes on disk from which on entries are dropped."""
SCHEMA: Final = 2
"""The form of keys and entries; entries of other forms are never found."""

_MAGIC: Final = b"freehold-kernel-2\n"


class CacheWarning(UserWarning):
    """The disk cache cannot be used; kernels are compiled in every process."""


class Entry(NamedTuple):
    """What is kept of a compiled kernel."""

    contract: str
    """The launch contract, as JSON."""
    cubin: bytes
    assembler: str
    """Which assembler made the cubin (`identity`)."""


def key_of(parts: Sequence[str | bytes]) -> bytes:
    """A key of everything that the code depends on. Parts are told apart by their lengths, so none can pose as two."""
    digest = hashlib.sha256()
    for part in (str(SCHEMA), *parts):
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


class KernelCache:
    """The kernels in one directory. Made by `open_cache`."""

    def __init__(self, root: Path):
        self.root = root
        # Entries are only measured, which takes a look at each of them, when one is added.
        self._readable = _program_cache(root)
        self._writable: Any = None

    def load(self, key: bytes) -> Entry | None:
        """The entry of a key; None where there is none, or a damaged one."""
        try:
            data = self._readable.get(key)
        except (OSError, ValueError):
            return None
        return None if data is None else _unpacked(bytes(data), key)

    def store(self, key: bytes, entry: Entry) -> None:
        """Adds or replaces an entry; a failure to do so is a warning."""
        try:
            if self._writable is None:
                self._writable = _program_cache(self.root, max_size_bytes=SIZE)
            self._writable[key] = _packed(entry, key)
        except OSError as e:
            _warn(f"{self.root} cannot be written: {e}")


def _program_cache(root: Path, **options: int) -> Any:
    from cuda.core.utils import FileStreamProgramCache  # pyright: ignore[reportMissingImports, reportUnknownVariableType] -- it has no stubs of its own

    return FileStreamProgramCache(root, **options)  # pyright: ignore[reportUnknownVariableType] -- as above


def _packed(entry: Entry, key: bytes) -> bytes:
    head = json.dumps({"contract": entry.contract, "assembler": entry.assembler}, separators=(",", ":")).encode()
    body = len(head).to_bytes(4, "little") + head + entry.cubin
    return _MAGIC + hashlib.sha256(key + body).digest() + body


def _unpacked(data: bytes, key: bytes) -> Entry | None:
    start = len(_MAGIC)
    checksum, body = data[start : start + 32], data[start + 32 :]
    if data[:start] != _MAGIC or hashlib.sha256(key + body).digest() != checksum:
        return None
    # The checksum holds, so this is what `_packed` wrote.
    length = int.from_bytes(body[:4], "little")
    head = json.loads(body[4 : 4 + length])
    return Entry(head["contract"], body[4 + length :], head["assembler"])


def open_cache() -> KernelCache | None:
    """The user's cache; None where there is none to use, with one warning unless that was asked for."""
    named = os.environ.get(VARIABLE)
    if named == "":
        return None
    return _open(named, os.environ.get("XDG_CACHE_HOME"), os.environ.get("HOME"))


@cache
def _open(named: str | None, xdg: str | None, home: str | None) -> KernelCache | None:
    try:
        root = Path(named) if named else Path(xdg or Path.home() / ".cache", "freehold", "kernels")
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = root.stat()
        if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & 0o022):
            _warn(f"{root} can be written by others, so no kernels are kept there")
            return None
        if not os.access(root, os.W_OK | os.X_OK):
            _warn(f"{root} cannot be written")
            return None
        return KernelCache(root)
    except ImportError:  # no cuda.core for this system: there is nothing to launch, either
        return None
    except (OSError, RuntimeError) as e:  # RuntimeError: there is no home
        _warn(str(e))
        return None


_warned: set[str] = set()


def _warn(problem: str) -> None:
    if problem in _warned:
        return
    _warned.add(problem)
    warnings.warn(f"kernels are not cached on disk: {problem}", CacheWarning, stacklevel=2)


# --- Which assembler an entry is of -----------------------------------------------------------------------------------


def identity() -> str | None:
    """
    What tells the installed assembler from others, without running or importing anything; None where there is none.

    The Python package is known by its release, any other program by its file's size and time.
    """
    import sys

    return _identity(
        tuple(sys.path),
        os.environ.get("FREEHOLD_TILEIRAS"),
        os.environ.get("PATH"),
        os.environ.get("CUDA_HOME"),
    )


@cache
def _identity(
    import_path: tuple[str, ...], named: str | None, search_path: str | None, cuda_home: str | None
) -> str | None:
    found = locate(import_path, named, search_path, cuda_home)
    if found is None:
        return None
    place, release = found
    if release is not None:
        return release
    try:
        status = os.stat(place)
    except OSError:
        return None
    return f"{place}:{status.st_size}:{status.st_mtime_ns}"


@cache
def compiler_identity(package: str, version: str) -> str:
    """
    What tells this compiler from others: its release, and for the sake of those who work on it, its files' times.

    They are looked up once: a process has the files that it began with.
    `package` is the folder of the `freehold` package.
    """
    newest = count = size = 0
    for room in ("support", "dialects", "frontend", "passes", "backend"):
        pending = [os.path.join(package, room)]
        while pending:
            try:
                with os.scandir(pending.pop()) as entries:
                    for entry in entries:
                        if entry.name.endswith(".py"):
                            status = entry.stat()
                            newest = max(newest, status.st_mtime_ns)
                            size += status.st_size
                            count += 1
                        elif entry.is_dir() and entry.name != "__pycache__":
                            pending.append(entry.path)
            except OSError:  # not installed as files
                continue
    return f"{version}:{count}:{size}:{newest}"
