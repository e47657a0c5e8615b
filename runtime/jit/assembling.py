"""A process that compiles kernels for another one, and leaves them in the cache on disk: `runtime.launch.preparing`."""

from __future__ import annotations

import os
import pickle
import sys
from contextlib import suppress


def main() -> None:
    """Reads where to look for modules, then jobs (`Kernel.job`), and writes a line for each that is over."""
    given, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what modules print is no answer
    sys.path[:] = pickle.load(given)
    while True:
        try:
            job = pickle.load(given)
        except EOFError:
            return
        with suppress(Exception):  # who needs the kernel compiles it again, and tells its user
            kernel, specialisation, options, arch = pickle.loads(job)
            from freehold.runtime.variants.build import build

            build(kernel.function, specialisation, options, arch)
        answers.write(b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
