"""
Searches through numbered cases, each the text of a Python program: how each ended, and what was found.
"""

from __future__ import annotations

import gc
import linecache
import multiprocessing
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from fuzz_ownership import TooSlow, command_line, limited

from freehold.support.progress import progress

Outcome = tuple[str, str]
"""What became of a case, and what is wrong with it, if anything."""
Outcomes = tuple[Counter[str], list[str]]
"""How often each outcome came, and what was found."""


def attempted(text: str, file: str, seconds: float, outcome: Callable[[], Outcome]) -> Outcome:
    """What became of a program that was read as a file, within so many seconds of a processor."""
    try:
        with limited(seconds):
            return outcome()
    except TooSlow:
        return "finding", f"takes more than {seconds} s\n{text}"
    except Exception:
        return "finding", f"{traceback.format_exc()}\n{text}"
    finally:
        linecache.cache.pop(file, None)


def outcomes(attempt: Callable[[int, int], Outcome], seed: int, numbers: range) -> Outcomes:
    """What became of some cases of a seed. Garbage is collected behind them all, and not between them."""
    figures: Counter[str] = Counter()
    findings: list[str] = []
    gc.disable()
    try:
        for number in numbers:
            outcome, what = attempt(seed, number)
            figures[outcome] += 1
            if what:
                findings.append(f"case {number} of seed {seed}: {what}")
    finally:
        gc.enable()
        gc.collect()
    return figures, findings


def _timed(run: Callable[[int, range], Outcomes], seed: int, numbers: range) -> tuple[Outcomes, float]:
    """What became of a batch, and how many seconds of a processor it took."""
    began = time.process_time()
    return run(seed, numbers), time.process_time() - began


def _in_batches(
    run: Callable[[int, range], Outcomes], seed: int, batches: list[range], jobs: int
) -> Iterator[tuple[Outcomes, float]]:
    """All batches, in their order: in this process, where that is the only one."""
    if jobs == 1:
        yield from map(partial(_timed, run, seed), batches)
        return
    with multiprocessing.Pool(jobs) as pool:
        yield from pool.imap(partial(_timed, run, seed), batches)


def search(
    about: str | None,
    text_of: Callable[[int, int], str],
    run: Callable[[int, range], Outcomes],
    batch: int,
    told: Callable[[Counter[str]], str],
) -> int:
    """
    The command of a fuzzer: runs cases in processes that take a batch at a time, and prints what was found, and a line
    of figures, of which `told` says what is not counted by every fuzzer. The status: 1, if there was a finding.
    """
    parser = command_line(about, 1000)
    parser.add_argument("--show", action="store_true", help="print each program")
    chosen = parser.parse_args()
    numbers = range(chosen.first, chosen.first + chosen.cases)
    if chosen.show:
        for number in numbers:
            print(f"# case {number} of seed {chosen.seed}", text_of(chosen.seed, number), sep="\n")
    batches = [numbers[first : first + batch] for first in range(0, len(numbers), batch)]
    figures: Counter[str] = Counter()
    taken = 0.0
    done = _in_batches(run, chosen.seed, batches, chosen.jobs)
    for (some, findings), seconds in progress(done, "batches of cases", len(batches)):
        figures += some
        taken += seconds
        for finding in findings:
            print(finding, flush=True)
    refused = ", ".join(f"{code}: {count}" for code, count in sorted(figures.items()) if code.startswith("O"))
    print(
        f"{figures.total()} cases of seed {chosen.seed}: {told(figures)}, {figures['finding']} findings, "
        f"refused: {refused or 'none'}; {figures.total() / max(taken, 1e-9):.0f} cases a second of one core"
    )
    return int(figures["finding"] > 0)
