"""Compiles the native module (`runtime/native*.c`), as installing does: `python -m freehold.tools.build_native`."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Final

NAME: Final = "_native.abi3.so"
"""Of the module's file: one for all versions of CPython from 3.11 on."""

ROOT: Final = Path(__file__).resolve().parents[1]


def compile_native(folder: Path) -> str | None:
    """
    Compiles the module into a folder. Returns None, or why there is none, which is no error: all works without it.

    It needs CPython with its headers, on Linux, and a C compiler: `$CC`, `cc` or `gcc`. `FREEHOLD_NATIVE=0` asks for
    none.
    """
    if os.environ.get("FREEHOLD_NATIVE") == "0":
        return "FREEHOLD_NATIVE=0"
    if sys.platform != "linux" or sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "it is for CPython with its lock, on Linux"
    include = sysconfig.get_path("include")
    if not (Path(include) / "Python.h").is_file():
        return "Python's headers are not installed"
    compiler = shlex.split(os.environ.get("CC", "")) or [found for n in ("cc", "gcc") if (found := shutil.which(n))][:1]
    if not compiler:
        return "there is no C compiler"
    options = ["-O2", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{include}", "-o", str(folder / NAME)]
    sources = map(str, sorted((ROOT / "runtime").glob("native*.c")))
    try:
        done = subprocess.run([*compiler, *options, *sources], capture_output=True, text=True, check=False)
    except OSError as e:
        return str(e)
    return f"the compiler failed:\n{done.stderr}" if done.returncode else None


def main() -> int:
    """Compiles it beside its source, where a checkout finds it."""
    problem = compile_native(ROOT / "runtime")
    print(f"no native module: {problem}" if problem else ROOT / "runtime" / NAME)
    return int(problem is not None)


if __name__ == "__main__":
    sys.exit(main())
