"""
What is read of cubins, kept for modules that were assembled once, so that the assembler need not run again.

`with kept():` the assembler is not started for a module that `figures.txt` knows by its digest (`answers.digest`). A
cubin is made by hand instead (`cubins.py`), of which `backend.cubin` reads what it read of the assembler's; it does
nothing on a GPU. All else that belongs to assembling is done as ever. A module that is not known is assembled.
`--update-golden` adds what is missing; with `--assemble` the assembler runs for what is known, too, and a figure that
differs is a failure. To be rid of modules that nothing asks for any more, empty the file and run `make golden`.

Only for tests that look at figures, and kernels that no other file of tests has: what is compiled is no code. On disk
it is kept in a folder of its own.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from answers import ASK, NOTE, digest, lacked
from cubins import cubin_of

from freehold.backend import assembler
from freehold.backend.bytecode.encoding import MalformedBytecode
from freehold.backend.cubin import Resources, architecture, resources, waits_for_grids

KNOWN = Path(__file__).with_name("figures.txt")
OUTPUT, ARCH = "--output-file=", "--gpu-name="


@contextmanager
def kept(known: Path = KNOWN) -> Generator[None]:
    """Has the assembler started for what is not known alone."""
    run: Callable[..., Any] = assembler._run  # pyright: ignore[reportPrivateUsage] -- where the program is started

    def answered(command: Sequence[str], folder: Path, time_limit: float, meanwhile: Any = None) -> Any:
        if (asked := _asked(command)) is None:
            return run(command, folder, time_limit, meanwhile)
        key, arch, target = asked
        figures = _read(known).get(key)
        if figures is not None and ASK not in os.environ:
            target.write_bytes(_made(figures, arch) + key.encode())  # no other module has the same cubin
            if meanwhile is not None:
                meanwhile()
            return assembler._Outcome(0, b"", "", timed_out=False)  # pyright: ignore[reportPrivateUsage] -- of `_run`
        outcome = run(command, folder, time_limit, meanwhile)
        if outcome.status == 0 and not outcome.timed_out:
            found = _figures(target.read_bytes())
            assert figures in (None, found), f"{known.name} is wrong of {key}: {found}"
            if figures is None:
                assert NOTE not in os.environ or _figures(_made(found, arch)) == found
                lacked(known, f"{key} {found}")
        return outcome

    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="figures-") as folder:
        patch.setattr(assembler, "_run", answered)
        patch.setenv("FREEHOLD_CACHE_DIR", folder)
        yield


def _figures(cubin: bytes) -> str:
    """All that is read of a cubin, as a line."""
    kernels = [astuple(k) for k in resources(cubin)]
    return json.dumps([architecture(cubin), waits_for_grids(cubin), *kernels], separators=(",", ":"))


def _made(figures: str, arch: str) -> bytes:
    _, waits, *kernels = json.loads(figures)
    read: list[list[Any]] = [[tuple(v) if isinstance(v, list) else v for v in kernel] for kernel in kernels]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] -- of JSON
    return cubin_of([Resources(*kernel) for kernel in read], arch, waits)


def _asked(command: Sequence[str]) -> tuple[str, str, Path] | None:
    """What the assembler is asked for: digest, architecture, where it goes; None where that is not a cubin alone."""
    said = {word.partition("=")[0] + "=": word.partition("=")[2] for word in command}
    if ARCH not in said or OUTPUT not in said or any(word.startswith("--remark") for word in command):
        return None
    flags = [word for word in command[1:-1] if not word.startswith((ARCH, OUTPUT))]
    try:
        return digest(Path(command[-1]).read_bytes(), said[ARCH], flags), said[ARCH], Path(said[OUTPUT])
    except (MalformedBytecode, ValueError):
        return None


@cache
def _read(known: Path) -> dict[str, str]:
    lines = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    return {key: figures for key, _, figures in (line.partition(" ") for line in lines)}
