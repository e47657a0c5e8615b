"""How long the library's kernels take to verify: `python -m benchmarks.kernels_verify [--json FILE] [--arch sm_90]`.

Each kernel of examples/kernels is compiled from its source to a cubin, and the time of each step is CPU time, the
assembler's included, which is a process of its own. A first kernel that does not count has loaded what is loaded once.
"""

from __future__ import annotations

import argparse
import resource
import time
from statistics import median

from examples.kernels import library
from examples.kernels.example import Example

from benchmarks.report import Row, show
from freehold.backend.assembler import assemble
from freehold.backend.bytecode.writer import write_bytecode
from freehold.passes.pipeline import convert, verify

MARK = 0.25


def seconds() -> float:
    """CPU time of this process and of those that it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def steps(example: Example, arch: str) -> tuple[float, float, float, float]:
    """Seconds for lowering, verifying, converting and assembling."""
    began = seconds()
    module = example.kernel.lower(*example.arguments)
    lowered = seconds()
    verify(module, deny_kernel_checks=not example.checks, deny_unsafe=True)
    verified = seconds()
    converted_module = convert(module)
    converted = seconds()
    assemble(write_bytecode(converted_module), arch)
    return lowered - began, verified - lowered, converted - verified, seconds() - converted


def main() -> None:
    """Run the benchmark and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    parser.add_argument("--repeat", type=int, default=1, help="how often each is compiled; the fastest counts")
    parser.add_argument("--arch", default="sm_90", help="what cubins are made for")
    arguments = parser.parse_args()
    kernels = list(library())
    steps(kernels[0][1], arguments.arch)
    rows: list[Row] = []
    shares: list[float] = []
    total = [0.0, 0.0, 0.0, 0.0]
    for name, example in kernels:
        taken = min((steps(example, arguments.arch) for _ in range(arguments.repeat)), key=sum)
        total = [a + b for a, b in zip(total, taken, strict=True)]
        shares.append(taken[1] / sum(taken))
        rows.append(Row(name, taken[1] * 1e3, sum(taken) * 1e3, "compiling", "ms CPU", shares[-1], 0.0))
    whole = sum(total)
    rows.append(Row("all", total[1] * 1e3, whole * 1e3, "compiling", "ms CPU", total[1] / whole, 0.0, f"<= {MARK}"))
    show(rows, arguments.json)
    print(f"\nratio: verification by all of the compilation; median {median(shares):.3f}, largest {max(shares):.3f}")
    each = zip(("lower", "verify", "convert", "assemble"), total, strict=True)
    print("ms CPU: " + ", ".join(f"{what} {t * 1e3:.0f}" for what, t in each))
    if total[1] / whole > MARK:
        raise SystemExit(f"verification takes more than {MARK:.0%} of the compilation")


if __name__ == "__main__":
    main()
