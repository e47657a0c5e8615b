"""What a launch costs the host: `python -m benchmarks.launch [--json FILE]`. Needs a GPU, torch and Triton.

Host time of enqueueing an add of three small torch tensors, without waiting: all checks of Freehold are on. Rivals are
timed in turns; the ratio is the rival's time over ours, pair by pair.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from importlib import import_module
from time import perf_counter
from typing import Any

import freehold as fh
from benchmarks.kernels import add
from benchmarks.report import Row, against, show

CALLS = 2000
PAIRS = 11


def main() -> None:
    """Run the benchmark and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    arguments = parser.parse_args()
    torch: Any = import_module("torch")
    x, y, z = (torch.randn(4096, device="cuda") for _ in range(3))

    def ours() -> None:
        add(fh.partition(z, 512), x, y).on()

    ours()
    torch.cuda.synchronize()
    if not torch.equal(z, x + y):
        raise AssertionError("add: wrong result")
    rivals: dict[str, Callable[[], None]] = {"torch.add": lambda: torch.add(x, y, out=z)}
    if (triton := triton_add(torch, x, y, z)) is not None:
        rivals["Triton"] = triton
    rows = [row(torch, name, ours, theirs) for name, theirs in rivals.items()]
    show(rows, arguments.json)


def triton_add(torch: Any, x: Any, y: Any, z: Any) -> Callable[[], None] | None:
    """The same add as a launch of Triton's, or None where it is not installed."""
    try:
        kernels: Any = import_module("benchmarks.rival_triton")
    except ImportError:
        return None

    def launch() -> None:
        kernels.add[(8,)](z, x, y, 4096, BLOCK=512)

    launch()
    torch.cuda.synchronize()
    return launch


def row(torch: Any, name: str, ours: Callable[[], None], theirs: Callable[[], None]) -> Row:
    """Times both in turns."""
    work = "launch of an add of three torch tensors, host time"
    mine, others = (partial(seconds, torch, function) for function in (ours, theirs))
    return against(work, mine, others, name, unit="us", scale=1e6, times=PAIRS)


def seconds(torch: Any, function: Callable[[], None]) -> float:
    """Host seconds of a call, with an empty queue at the start of each hundred calls."""
    total = 0.0
    for _ in range(CALLS // 100):
        torch.cuda.synchronize()
        began = perf_counter()
        for _ in range(100):
            function()
        total += perf_counter() - began
    return total / CALLS


if __name__ == "__main__":
    main()
