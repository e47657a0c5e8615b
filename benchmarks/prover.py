"""
How long the prover takes: `python -m benchmarks.prover [--json FILE] [--cases 200]`.

Timed are obligations that reach the solver: those of the list in `obligations`, and those that come up while random
kernels are verified. Processor time, each question once and in a context of its own, as a compiler asks it; the solver
is loaded before. A question that rules or the search for a counterexample decide does not count here.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any
from unittest.mock import patch

from benchmarks.obligations import OBLIGATIONS
from benchmarks.report import Row, show
from freehold.passes.pipeline import verify
from freehold.passes.prover import prove as prover
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.support.diagnostic import Rejected

FUZZ = Path(__file__).parents[1] / "test" / "fuzz"


def timed(times: list[float], unknown: list[int], ask: Any, *args: Any) -> Any:
    """What the solver says, with the milliseconds that it took."""
    began = process_time()
    verdict = ask(*args)
    times.append((process_time() - began) * 1e3)
    unknown.append(verdict.status == "unknown")
    return verdict


def listed() -> Iterator[str]:
    """Proves the list; yields the names of obligations that do not come out as they should."""
    for o in OBLIGATIONS:
        if prover.prove(o.wanted, Hypotheses().extended(o.facts)).status != o.verdict:
            yield o.name


def random_kernels(cases: int) -> None:
    """Verifies random kernels."""
    sys.path.insert(0, str(FUZZ))
    builder_of: Any = import_module("fuzz_ownership").builder_of
    for number in range(cases):
        try:
            verify(builder_of(0, number).module())
        except Rejected:
            continue


def main() -> int:
    """The command. Status 1: an obligation of the list came out wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", help="write the rows there, too")
    parser.add_argument("--cases", type=int, default=200, help="how many random kernels")
    chosen = parser.parse_args()
    wrong = list(listed())  # loads the solver, and fills no cache that counts: questions are renamed and kept by text
    vars(prover)["_asked"].cache_clear()
    rows: list[Row] = []
    for what, work in (
        ("of the list", lambda: list(listed())),
        ("of random kernels", partial(random_kernels, chosen.cases)),
    ):
        times: list[float] = []
        unknown: list[int] = []
        original = vars(prover)["_by_solver"]
        with patch.object(prover, "_by_solver", partial(timed, times, unknown, original)):
            work()
        times.sort()
        middle, most = median(times), times[int(len(times) * 0.95)]
        spread = (times[-1] - times[0]) / middle
        name = f"{len(times)} obligations {what} that reach the solver"
        rows.append(Row(f"{name}, median", middle, None, None, "ms", None, spread, "<= 5 ms"))
        rows.append(Row(f"{name}, 95 of 100", most, None, None, "ms", None, spread, "<= 40 ms"))
        rows.append(Row(f"{name}, without an answer", sum(unknown), None, None, "", None, 0.0, "0"))
    show(rows, chosen.json)
    for name in wrong:
        print(f"WRONG: {name}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
