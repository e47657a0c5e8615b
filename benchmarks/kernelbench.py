"""
KernelBench's first level: `python -m benchmarks.kernelbench [--only 26,50-60] [--gpu]`.

Without a GPU every problem is computed by the interpreter at small shapes and compared with torch. With `--gpu` each is
computed at its own shapes, compared with torch, and timed against torch, eager and compiled, in turns: ratios above 1
mean that Freehold is faster. Calls are replayed from graphs, so that what the host takes does not count. In the end it
says how many problems there are, were right, and were faster. No kernel has anything unsafe. The table is
`benchmarks/kernelbench_table.py`.

It may be done in pieces: `--seconds` begins nothing after so many, and what stands in `--json FILE` is not timed again.
`--jobs 12` has everything compiled by 12 processes beside one another first, ours and torch.compile's. After that they
time what they have, one at a time.
"""

# What torch has is of no types here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from functools import partial
from time import perf_counter, sleep
from typing import Any

from benchmarks.gpu import recorded, seconds
from benchmarks.kernelbench_table import Problem, problems, torch
from benchmarks.kernelbench_workers import Steps, Workers
from benchmarks.kernels_library import several
from benchmarks.report import Row, kept, ratios_of, show, write

TURNS = 5
"""How many times all rivals are timed."""

TRIES = 20
"""How many times a problem is begun for which there is no room, while others are prepared."""


def inputs(problem: Problem, small: bool, device: str) -> tuple[Any, ...]:
    """Random inputs, the same each time."""
    generator = torch.Generator(device).manual_seed(problem.number)
    shapes = problem.small if small else problem.shapes
    given = tuple(torch.rand(shape, generator=generator, device=device) for shape in shapes)
    return given if problem.made is None else problem.made(*given)


def given_of(problem: Problem, arguments: argparse.Namespace) -> tuple[Any, ...]:
    """Its inputs, of the size and on the device that are asked for."""
    return inputs(problem, not arguments.gpu or arguments.small, "cuda" if arguments.gpu else "cpu")


def error_of(problem: Problem, given: tuple[Any, ...]) -> float:
    """The relative error of what is computed, in the Frobenius norm; of places, how many are other ones."""
    found, wanted = problem.ours(*given), problem.theirs(*given)
    if found.shape != wanted.shape:
        return float("inf")
    if not found.is_floating_point():
        return float((found != wanted).float().mean())
    size = float(wanted.norm(dtype=torch.float64 if wanted.numel() < 1 << 28 else None))
    return float((found - wanted).norm()) / max(size, 1e-30)


def rivals_of(problem: Problem, compiled: bool) -> dict[str, Callable[..., Any]]:
    """Torch's ways of the same."""
    rivals: dict[str, Callable[..., Any]] = {"torch": problem.theirs}
    if compiled:
        torch._dynamo.config.recompile_limit = 200  # problems share lambdas, and each has shapes of its own
        rivals["torch.compile"] = torch.compile(problem.theirs, dynamic=False)
    return rivals


def replayed(function: Callable[[], Any], repeat: int) -> Callable[[], Any]:
    """So many calls as a graph, or as they are where they cannot be recorded."""
    try:
        return recorded(torch, function, repeat)
    except Exception:  # of every kind: what is recorded is not ours
        torch.cuda.synchronize()
        return partial(several, function, repeat)


def timed(problem: Problem, given: tuple[Any, ...], rivals: dict[str, Callable[..., Any]]) -> list[Row]:
    """How long it takes, in milliseconds, against torch's ways of the same."""
    calls = [partial(function, *given) for function in (problem.ours, *rivals.values())]
    once = [seconds(torch, call, 1) for call in calls * 2][-len(calls) :]
    repeat = max(1, min(20, int(4e-3 / min(once))))
    replays = [replayed(call, repeat) for call in calls]
    turns = [[seconds(torch, replay, 1) * 1e3 / repeat for replay in replays] for _ in range(TURNS)]
    rows: list[Row] = []
    for n, name in enumerate(rivals, 1):
        ratios = sorted(t[n] / t[0] for t in turns)
        ours, other = (statistics.median(t[i] for t in turns) for i in (0, n))
        spread = ratios[-1] - ratios[0]
        rows.append(Row(title(problem), ours, other, name, "ms", statistics.median(ratios), spread))
    return rows


def title(problem: Problem) -> str:
    """What rows call it."""
    return f"{problem.number} {problem.name}"


class Kept:
    """What a process has compiled of problems, and how it goes on with them."""

    def __init__(self, arguments: argparse.Namespace):
        self.arguments = arguments
        self.table = {p.number: p for p in problems()}
        self.rivals: dict[int, dict[str, Callable[..., Any]]] = {}

    def prepare(self, number: int) -> None:
        """Computes a problem our way and torch.compile's, to have both compiled."""
        problem = self.table[number]
        rivals = rivals_of(problem, not self.arguments.no_compile)
        for left in reversed(range(TRIES)):
            given: Any = ()
            try:
                with torch.no_grad():
                    given = given_of(problem, self.arguments)
                    for function in (problem.ours, *list(rivals.values())[1:]):
                        function(*given)
                    if self.arguments.gpu:
                        torch.cuda.synchronize()
                self.rivals[number] = rivals
                return
            except torch.OutOfMemoryError:  # the others have it
                if not left:
                    raise
            finally:
                given = ()
                torch.cuda.empty_cache()
            sleep(1)

    def measure(self, number: int) -> list[Row]:
        """As `done`."""
        return done(self.table[number], self.arguments, self.rivals.get(number))


def steps(arguments: argparse.Namespace) -> Steps:
    """What a process does with problems."""
    kept = Kept(arguments)
    return Steps(kept.prepare, kept.measure)


def numbers_of(text: str) -> set[int]:
    """The numbers in a text such as `5,19-22`."""
    found: set[int] = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def done(
    problem: Problem, arguments: argparse.Namespace, rivals: dict[str, Callable[..., Any]] | None = None
) -> list[Row]:
    """
    Computes, compares and times a problem, as it is asked for, beside `rivals` if they are there already;
    `AssertionError` where it is not right.
    """
    small = not arguments.gpu or arguments.small
    rows: list[Row] = []
    try:
        with torch.no_grad():
            given = given_of(problem, arguments)
            error = error_of(problem, given)
            if not error <= problem.bound:
                raise AssertionError(f"relative error {error:.1e}")
            if not (small or arguments.no_times):
                rows = timed(problem, given, rivals or rivals_of(problem, not arguments.no_compile))
            times = "".join(f", {row.ratio:.3f} to {row.rival_name} ({row.rival:.4g})" for row in rows)
            ours = f", {rows[0].ours:.4g} ms" if rows else ""
            print(f"{problem.number:3} {problem.name}: {error:.1e}{ours}{times}", flush=True)
            return rows
    finally:
        given = ()
        if arguments.gpu:
            torch.cuda.empty_cache()


def main() -> None:
    """Compute, compare and time, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="numbers of problems, with commas, and ranges of them")
    parser.add_argument("--gpu", action="store_true", help="at the problems' own shapes, on a GPU, with times")
    parser.add_argument("--small", action="store_true", help="with --gpu: at small shapes, without times")
    parser.add_argument("--no-times", action="store_true", help="with --gpu: only see that results are right")
    parser.add_argument("--no-compile", action="store_true", help="leave torch.compile out")
    parser.add_argument("--jobs", type=int, default=0, help="compile first, by so many processes")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no problem after so many")
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too; what it has is not timed again")
    arguments = parser.parse_args()
    wanted = numbers_of(arguments.only)
    rows, compiled = kept(arguments.json), not arguments.no_compile
    count = 2 if compiled else 1
    chosen = [p for p in problems() if not wanted or p.number in wanted]
    chosen = [p for p in chosen if sum(row.work == title(p) for row in rows) < count]
    right, wrong = 0, list[str]()
    begun = perf_counter()
    workers = None
    if arguments.jobs:
        workers = Workers(arguments.jobs, partial(steps, arguments))
        workers.prepare([p.number for p in chosen], arguments.seconds)
        print(f"{len(workers.holders)} of {len(chosen)} compiled in {perf_counter() - begun:.0f} s", flush=True)
    for problem in chosen:
        if perf_counter() - begun > arguments.seconds:
            break
        try:
            found: list[Row] = workers.measure(problem.number) if workers else done(problem, arguments)
        except Exception as e:  # the others are told, too
            wrong.append(f"{title(problem)}: {e}")
            continue
        right += 1
        rows = [row for row in rows if row.work != title(problem)] + found
        if arguments.json:
            write(rows, arguments.json)
    if workers:
        workers.close()
    if rows:
        rows.sort(key=lambda row: int(row.work.split()[0]))
        show(rows, arguments.json)
        print(ratios_of(rows))
    print(f"{right} right of {right + len(wrong)}; the table has {len(problems())} of 100")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
