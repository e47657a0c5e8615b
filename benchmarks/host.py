"""
What Freehold costs the host: `python -m benchmarks.host [--json FILE]`. Needs no GPU.

Times are CPU time of one process, so that a busy machine matters little; medians of repeated runs. NumPy multiplies
with one thread here. How long kernels take to compile is in `frontend`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when NumPy is loaded

import numpy as np

import freehold as fh
from benchmarks.kernels import gemm, saxpy
from benchmarks.report import Row, against, cpu, show


def main() -> None:
    """Run the benchmarks and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    arguments = parser.parse_args()
    show([*process_rows(), interpreter_row(), launch_row()], arguments.json)


# --- New processes ----------------------------------------------------------------------------------------------------

HIT = """
import sys
from time import process_time
import numpy as np, cuda.core
import freehold as fh
sys.path.insert(0, {root!r})
y, x = (np.zeros(1 << 16, np.float32) for _ in range(2))
c, a, b = (np.zeros((256, 256), np.float16) for _ in range(3))
began = process_time()
from benchmarks.kernels import gemm, saxpy
if {which!r} == "gemm":
    made = gemm.compile(fh.partition(c, (128, 256), order=fh.grouped(8)), a, b, arch="sm_90")
else:
    made = saxpy.compile(fh.partition(y, 1024), x, 2.0, arch="sm_90")
made.evaluator
print(process_time() - began)
"""


def process_rows() -> list[Row]:
    """What a new process pays: importing Freehold, and finding a compiled kernel on disk."""

    def import_freehold() -> float:
        return seconds_of("import freehold") - seconds_of("pass")

    rows = [against("import freehold, over bare Python", import_freehold, None, times=15, mark="<= 60 ms")]
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "FREEHOLD_CACHE_DIR": os.path.join(folder, "kernels")}
        for which in ("saxpy", "gemm"):
            program = HIT.format(root=root, which=which)
            rows.append(
                against(
                    f"{which}, cache hit in a new process, decorator to launchable",
                    lambda program=program: float(printed_by(program, environment)),
                    None,
                    times=11,
                    mark="<= 15 ms",
                )
            )
    return rows


def printed_by(program: str, environment: dict[str, str]) -> str:
    """What a program prints, run in a process of its own."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def seconds_of(statement: str) -> float:
    """CPU time of a process that does one thing."""
    began = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True)
    ended = getrusage(RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime


# --- Running ----------------------------------------------------------------------------------------------------------


def interpreter_row() -> Row:
    """A float32 matrix product of 1024^3 in tiles of 128, verified once before."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((1024, 1024), dtype=np.float32) for _ in range(2))
    c, expected = np.full_like(a, np.nan), a @ b

    def ours() -> float:
        return cpu(lambda: gemm(fh.partition(c, (128, 128)), a, b, BK=128).sync())

    ours()
    if not np.linalg.norm(c - expected) <= 1e-5 * np.linalg.norm(expected):
        raise AssertionError("the interpreter's product is wrong")
    return against(
        "interpreter, 1024^3 f32 GEMM in 128-tiles",
        ours,
        lambda: cpu(lambda: np.matmul(a, b, out=expected)),
        "numpy.matmul",
        times=7,
        mark="ratio >= 0.05",
    )


def launch_row() -> Row:
    """The checks of a launch that is like the one before it, all but the driver's part; on the interpreter's arrays."""
    y, x = (np.zeros(1 << 16, np.float32) for _ in range(2))

    def ours() -> float:
        times = [cpu(lambda: [saxpy.bound(fh.partition(y, 1024), x, 2.0) for _ in range(200)]) / 200 for _ in range(3)]
        return median(times)

    return against("all checks of a launch that is new, saxpy", ours, None, unit="us", scale=1e6)


if __name__ == "__main__":
    main()
