"""
Faults put into the verifiers on purpose, one at a time, to see that the fuzzer finds each. Then it means something that
it finds none in good verifiers.

`python test/fuzz/planted_faults.py` prints for each fault the case that shows it, and the time. Status 1: one is left.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent))

import fuzz_ownership
from fuzz_ownership import Finding

from freehold.dialects.cuda_tile.integers import meaning_of
from freehold.dialects.cuda_tile.ops.control_flow import IfOp
from freehold.passes import pipeline, resolve_obligations, verify_borrows, verify_partitions
from freehold.passes.analysis import arithmetic, concrete, facts, injectivity
from freehold.passes.analysis.injectivity import Outcome
from freehold.passes.prover.prove import Verdict, prove
from freehold.support import terms

RULES: Final[Any] = vars(arithmetic)["_EXACT"]
WALK: Final[Any] = vars(facts)["_Walk"]
RUN: Final[Any] = vars(concrete)["_Run"]


def always(value: object) -> Callable[..., Any]:
    """A function that returns `value` whatever it is given."""
    return lambda *_, **__: value


def rule(name: str, replacement: Callable[..., Any]) -> Any:
    return patch.dict(RULES, {name: replacement})


def _quotient(reading: Any, a: Any, b: Any) -> Any:
    return terms.floordiv(a, b) if reading.shown(terms.const(1).le(b)) else None


def _remainder(reading: Any, a: Any, b: Any) -> Any:
    return a % b if reading.shown(terms.const(1).le(b)) else None


def _as_signed(op: Any) -> Any:
    meaning = meaning_of(op)
    return meaning and replace(meaning, signed=True)


def _without(lower: bool) -> Callable[..., Any]:
    """A prover that takes every lower bound for shown, or `<=` for `<` in upper ones."""

    def careless(goal: Any, given: Any, **options: Any) -> Any:
        if lower and goal.op == "<=" and goal.args[0] == terms.const(0):
            return Verdict("proved", "nothing")
        if not lower and goal.op == "<":
            goal = goal.args[0].le(goal.args[1])
        return prove(goal, given, **options)

    return careless


def _one_side(self: Any, value: Any, _condition: Any, x: Any, _y: Any) -> None:
    self.facts.terms[value] = x


_FITS: Final = WALK.fits
_COUNT: Final = WALK.count
_OPERATIONS: Final[Any] = vars(verify_borrows)["_operations"]


def _promised(self: Any, t: Any, value: Any) -> bool:
    return ("overflow" in value.owner.properties and value.owner.overflow.data.value != "none") or _FITS(self, t, value)


def _trusting(kernel: Any) -> Any:
    return (e for e in _OPERATIONS(kernel) if e.code != "O112")


def _runs(self: Any, op: Any) -> None:
    _COUNT(self, op)
    self.facts.repeated.add(op)


def _folded(a: Any, b: Any, known: Any) -> Outcome:
    """The pair of two branches, by what is known in the first of them."""
    one, other = known.places[a], known.places[b]
    if injectivity.exclusive(one, other) and known.coordinates(a) == known.coordinates(b):
        return injectivity.injective(a, known)
    return _DISJOINT(a, b, known)


_DISJOINT: Final = injectivity.disjoint


_APART: Final[tuple[bool, dict[str, int]]] = True, {}


def _other_side(op: Any) -> Callable[[Any, Any], Any]:
    yes, no = ([*region.blocks] for region in op.regions)

    def step(run: Any, _: Any) -> Any:
        return run.branch(no if run.known(op.condition) else yes, tuple(op.results))

    return step


def _careless(kernel: Any, known: Any) -> Any:
    return [e for e in verify_borrows.verify_borrows(kernel, known) if e.code != "O107"]


FAULTS: Final[dict[str, Callable[[], list[Any]]]] = {
    "two points count as one": lambda: [patch.object(injectivity, "injective", always(Outcome("proved", "nothing")))],
    "pairs of regions are not compared": lambda: [
        patch.object(injectivity, "disjoint", always(Outcome("proved", "nothing")))
    ],
    "branches are compared by one of them": lambda: [patch.object(injectivity, "disjoint", _folded)],
    "steps below the tile": lambda: [patch.object(verify_partitions, "_regions_by_themselves", always(()))],
    "nothing overflows": lambda: [patch.object(WALK, "fits", always(True))],
    "promises not to overflow are kept": lambda: [
        patch.object(WALK, "fits", _promised),
        patch.object(verify_borrows, "_operations", _trusting),
    ],
    "every quotient is rounded down": lambda: [rule("divi", _quotient)],
    "a remainder is a modulus": lambda: [rule("remi", _remainder)],
    "unsigned is signed": lambda: [patch.object(arithmetic, "meaning_of", _as_signed)],
    "no lower bounds": lambda: [patch.object(resolve_obligations, "prove", _without(lower=True))],
    "`<=` for `<`": lambda: [patch.object(resolve_obligations, "prove", _without(lower=False))],
    "a join is its first side": lambda: [patch.object(WALK, "join", _one_side)],
    "every loop runs": lambda: [patch.object(WALK, "count", _runs)],
    "outputs are covered by any taking": lambda: [patch.object(verify_partitions, "_covered", always(()))],
    "an output may be read before it is stored": lambda: [patch.object(pipeline, "verify_borrows", _careless)],
    "what a turn begins with is kept": lambda: [patch.object(WALK, "kept", always(True))],
    "conditions of stores leave no case out": lambda: [patch.object(verify_borrows, "in_every_case", always(True))],
    "windows are apart": lambda: [patch.object(verify_borrows, "apart", always(_APART))],
    "a region is one of its group's": lambda: [
        patch.object(resolve_obligations, "_region_of_group", always(())),
    ],
    "witnesses divide by zero": lambda: [patch.object(RUN, "defined", property(always(True), always(None)))],
    "witnesses take the other branch": lambda: [patch.dict(vars(concrete)["_CONTROL"], {IfOp: _other_side})],
}
"""By name: the patches that put a fault in."""


def first_finding(name: str, seed: int, cases: int) -> tuple[Finding | None, float]:
    """The first case that shows a fault, and the seconds it took to come to it."""
    start = time.perf_counter()
    patches = FAULTS[name]()
    for each in patches:
        each.start()
    try:
        for number in range(cases):
            finding = fuzz_ownership.check(seed, number, Counter())
            if finding is not None:
                return finding, time.perf_counter() - start
    finally:
        for each in reversed(patches):
            each.stop()
    return None, time.perf_counter() - start


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", choices=[*FAULTS], help="this one alone")
    chosen = parser.parse_args()
    left = 0
    names = [chosen.fault] if chosen.fault else [*FAULTS]
    for name in names:
        finding, taken = first_finding(name, chosen.seed, chosen.cases)
        left += finding is None
        what = "NOT FOUND" if finding is None else f"case {finding.case}: {finding.what.splitlines()[0]}"
        print(f"{name:40} {taken:7.1f} s  {what}", flush=True)
    print(f"{len(names) - left} of {len(names)} faults found")
    return int(left > 0)


if __name__ == "__main__":
    sys.exit(main())
