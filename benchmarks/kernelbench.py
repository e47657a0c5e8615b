"""
KernelBench's first level: `python -m benchmarks.kernelbench [--only 26,50] [--gpu]`.

Without a GPU every problem is computed by the interpreter at small shapes and compared with torch. With `--gpu` each is
computed at its own shapes, compared with torch, and timed against torch, eager and compiled, in turns: ratios above 1
mean that Freehold is faster. In the end it says how many problems there are, were right, and were faster. No kernel has
anything unsafe. The table is `benchmarks/kernelbench_table.py`.
"""

# What torch has is of no types here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from time import perf_counter
from typing import Any

from benchmarks.gpu import seconds
from benchmarks.kernelbench_table import Problem, problems, torch
from benchmarks.report import Row, show

TURNS = 5
"""How many times all rivals are timed."""


def inputs(problem: Problem, small: bool, device: str) -> tuple[Any, ...]:
    """Random inputs, the same each time."""
    generator = torch.Generator(device).manual_seed(problem.number)
    shapes = problem.small if small else problem.shapes
    given = tuple(torch.rand(shape, generator=generator, device=device) for shape in shapes)
    return given if problem.made is None else problem.made(*given)


def error_of(problem: Problem, given: tuple[Any, ...]) -> float:
    """The relative error of what is computed, in the Frobenius norm; of places, how many are other ones."""
    found, wanted = problem.ours(*given), problem.theirs(*given)
    if found.shape != wanted.shape:
        return float("inf")
    if not found.is_floating_point():
        return float((found != wanted).float().mean())
    size = float(wanted.norm(dtype=torch.float64 if wanted.numel() < 1 << 28 else None))
    return float((found - wanted).norm()) / max(size, 1e-30)


def timed(problem: Problem, given: tuple[Any, ...], compiled: bool) -> list[Row]:
    """How long it takes, in milliseconds, against torch's ways of the same."""
    rivals: dict[str, Callable[..., Any]] = {"torch": problem.theirs}
    if compiled:
        torch.compiler.reset()
        rivals["torch.compile"] = torch.compile(problem.theirs)
    functions = [problem.ours, *rivals.values()]
    for function in functions:
        function(*given)
    turns = [[seconds(torch, lambda f=f: f(*given), 1) * 1e3 for f in functions] for _ in range(TURNS)]
    rows: list[Row] = []
    for n, name in enumerate(rivals, 1):
        ratios = sorted(t[n] / t[0] for t in turns)
        ours, other = (statistics.median(t[i] for t in turns) for i in (0, n))
        spread = ratios[-1] - ratios[0]
        rows.append(Row(f"{problem.number} {problem.name}", ours, other, name, "ms", statistics.median(ratios), spread))
    return rows


def main() -> None:
    """Compute, compare and time, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="numbers of problems, with commas")
    parser.add_argument("--gpu", action="store_true", help="at the problems' own shapes, on a GPU, with times")
    parser.add_argument("--small", action="store_true", help="with --gpu: at small shapes, without times")
    parser.add_argument("--no-times", action="store_true", help="with --gpu: only see that results are right")
    parser.add_argument("--no-compile", action="store_true", help="leave torch.compile out")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no problem after so many")
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    arguments = parser.parse_args()
    chosen = {int(n) for n in arguments.only.split(",") if n}
    begun = perf_counter()
    rows: list[Row] = []
    right, wrong = 0, list[str]()
    for problem in problems():
        if (chosen and problem.number not in chosen) or perf_counter() - begun > arguments.seconds:
            continue
        try:
            with torch.no_grad():
                given = inputs(problem, not arguments.gpu or arguments.small, "cuda" if arguments.gpu else "cpu")
                error = error_of(problem, given)
                if not error <= problem.bound:
                    raise AssertionError(f"relative error {error:.1e}")
                right += 1
                if arguments.gpu and not (arguments.small or arguments.no_times):
                    rows += timed(problem, given, not arguments.no_compile)
                times = f", {rows[-1].ours:.3g} ms, {rows[-1].ratio:.2f} to {rows[-1].rival_name}" if rows else ""
                print(f"{problem.number:3} {problem.name}: {error:.1e}{times}", flush=True)
        except Exception as e:  # the others are told, too
            wrong.append(f"{problem.number} {problem.name}: {e}")
        given = ()
        if arguments.gpu:
            torch.cuda.empty_cache()
    if rows:
        show(rows, arguments.json)
        best = {row.work: min(r.ratio or 0.0 for r in rows if r.work == row.work) for row in rows}
        faster = sum(ratio > 1 for ratio in best.values())
        print(f"median of the ratios to the best of torch: {statistics.median(best.values()):.2f}; {faster} faster")
    print(f"{right} right of {right + len(wrong)}; the table has {len(problems())} of 100")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
