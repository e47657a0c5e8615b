"""Runs a program of this folder on the stub driver: `python test/runtime/on_stub.py switches.py --preemptions 2`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    """Builds the driver and runs the program, whose status it returns. Needs a C compiler."""
    program, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "libcuda.so.1"
        options = ["-O1", "-w", "-shared", "-fPIC", "-pthread"]
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, *options, "-o", str(library), str(HERE / "stub_driver.c")], check=True)
        environment = {**os.environ, "LD_LIBRARY_PATH": folder, "FREEHOLD_CACHE_DIR": ""}
        return subprocess.run(
            [sys.executable, str(HERE / program), *arguments], env=environment, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
