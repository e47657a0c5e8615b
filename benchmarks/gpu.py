"""What Freehold's kernels do on a GPU, against torch in the same run: `python -m benchmarks.gpu [--json FILE]`.

Every result is compared with a higher-precision reference before anything is timed; inputs are random, outputs are
poisoned first. Rivals are timed in turns (ours, theirs, ours, theirs), because the card slows down as it warms, and
the ratio is taken pair by pair: above 1 means that Freehold is faster.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from importlib import import_module
from typing import Any

import freehold as fh
from benchmarks.kernels import add, gemm
from benchmarks.report import Row, show

PAIRS = 9
"""How many times both rivals are timed."""


def main() -> None:
    """Run the benchmarks and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    parser.add_argument("--quick", action="store_true", help="fewer sizes")
    arguments = parser.parse_args()

    torch: Any = import_module("torch")  # no dependency of the project
    torch.manual_seed(0)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, freehold {fh.__version__}\n")
    rows = [add_row(torch, 1 << 28)]
    sizes = (8192,) if arguments.quick else (2048, 4096, 8192, 16384)
    rows += [gemm_row(torch, size) for size in sizes]
    rows += [same_code_row(torch, "add"), same_code_row(torch, "gemm")]
    show(rows, arguments.json)


def add_row(torch: Any, n: int) -> Row:
    """float32 add of `n` elements, in TB/s."""
    x, y = (torch.randn(n, device="cuda") for _ in range(2))
    z, out = torch.full_like(x, float("nan")), torch.empty_like(x)
    launch = add(fh.partition(z, 512), x, y)
    launch.sync()
    if not torch.equal(z, x + y):
        raise AssertionError("add: wrong result")
    return compare(
        torch,
        f"f32 add, {n} elements",
        lambda: add(fh.partition(z, 512), x, y).on(),
        lambda: torch.add(x, y, out=out),
        work=12 * n / 1e12,
        unit="TB/s",
        rival="torch.add",
        repeat=10,
    )


def gemm_row(torch: Any, size: int) -> Row:
    """bfloat16 matrix product of `size`, in TFLOP/s."""
    a, b = (torch.randn(size, size, device="cuda").bfloat16() for _ in range(2))
    c, out = torch.full_like(a, float("nan")), torch.empty_like(a)
    tuned = tuned_gemm()

    def ours() -> Any:
        return tuned(fh.partition(c, (128, 256), order=fh.grouped(8), blocks=fh.PERSISTENT), a, b)

    ours().sync()
    for start in range(0, size, 2048):
        rows = slice(start, min(start + 2048, size))
        expected = a[rows].float() @ b.float()
        error = ((c[rows].float() - expected).norm() / expected.norm()).item()
        if not error <= 1e-2:
            raise AssertionError(f"gemm {size}: relative error {error:.1e} in rows {start}..")
    return compare(
        torch,
        f"bf16 GEMM, {size}^3",
        lambda: ours().on(),
        lambda: torch.matmul(a, b, out=out),
        work=2 * size**3 / 1e12,
        unit="TFLOP/s",
        rival="torch.matmul",
        repeat=max(3, (8192 // size) ** 3 * 5),
    )


def tuned_gemm() -> Any:
    """The GEMM with what sm_90 wants for 128 x 256 tiles: with 4 warps they spill."""
    return gemm.with_hints(num_worker_warps=8, occupancy=1)


def same_code_row(torch: Any, which: str) -> Row:
    """Whether the safe and the unchecked build are the same machine code: 1 or 0."""
    if which == "add":
        z, x, y = (torch.empty(1 << 20, device="cuda") for _ in range(3))
        kernel, arguments = add, (fh.partition(z, 512), x, y)
    else:
        c, a, b = (torch.empty(1024, 1024, device="cuda", dtype=torch.bfloat16) for _ in range(3))
        region = fh.partition(c, (128, 256), order=fh.grouped(8), blocks=fh.PERSISTENT)
        kernel, arguments = tuned_gemm(), (region, a, b)
    safe, unchecked = (kernel.compile(*arguments, checks=checks).cubin for checks in (True, False))
    same = float(safe == unchecked)
    return Row(
        work=f"{which}: safe and unchecked build",
        ours=same,
        rival=1.0,
        rival_name="unchecked build",
        unit="1 if the cubins are identical",
        ratio=same,
        spread=0.0,
    )


def compare(
    torch: Any,
    work_name: str,
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    *,
    work: float,
    unit: str,
    rival: str,
    repeat: int,
) -> Row:
    """Times both in turns; `work` is done by each call, in units of `unit` times a second."""
    for function in (ours, theirs) * 2:
        seconds(torch, function, repeat)
    pairs = [(seconds(torch, ours, repeat), seconds(torch, theirs, repeat)) for _ in range(PAIRS)]
    ratios = sorted(b / a for a, b in pairs)
    return Row(
        work=work_name,
        ours=work / statistics.median(a for a, _ in pairs),
        rival=work / statistics.median(b for _, b in pairs),
        rival_name=rival,
        unit=unit,
        ratio=statistics.median(ratios),
        spread=ratios[-1] - ratios[0],
    )


def seconds(torch: Any, function: Callable[[], Any], repeat: int, ahead: bool = False) -> float:
    """
    Seconds a call on the device, over `repeat` calls between two events.

    With `ahead` the device has other work for some 2 ms when the host begins, as in the middle of a program: what is
    timed is the device, and not how long the host takes to give an idle one its first kernel.
    """
    if ahead:
        torch.cuda._sleep(4_000_000)
    began, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    began.record()
    for _ in range(repeat):
        function()
    ended.record()
    ended.synchronize()
    return began.elapsed_time(ended) / 1e3 / repeat


def recorded(torch: Any, function: Callable[[], Any], repeat: int) -> Callable[[], Any]:
    """A graph of so many calls: what is timed is the GPU, and not the host."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        function()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(repeat):
            function()
    graph.replay()
    return graph.replay


def repeats(once: float) -> int:
    """How many calls of so many seconds a graph has: for 4 ms, two at least, and one of those that take twice that."""
    return max(2 if once < 8e-3 else 1, min(50, int(4e-3 / once)))


if __name__ == "__main__":
    main()
