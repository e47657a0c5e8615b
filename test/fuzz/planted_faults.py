"""
Faults put into the verifiers on purpose, one at a time, to see that the fuzzer finds each. Then it means something that
it finds none in good verifiers. Faults in what is owed (`duty_faults.py`) are shown by kernels of their own.

`python test/fuzz/planted_faults.py` prints for each fault the case that shows it, and the time. Status 1: one is left.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent))

import duty_faults
import fuzz_ownership
from duty_faults import blind
from fuzz_ownership import Finding

from freehold.dialects.cuda_tile.integers import meaning_of
from freehold.dialects.cuda_tile.ops.control_flow import IfOp
from freehold.dialects.ownership import Duty, DutyAttr, Rung
from freehold.passes import resolve_obligations, verify_borrows, verify_partitions
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


def _taken_for_met(duty: Duty) -> Callable[[Any, Any], tuple[()]]:
    def careless(op: Any, _: Any) -> tuple[()]:
        op.discharge(*(DutyAttr.of(d, Rung.PROVED, axis=axis) for d, axis in op.owed if d is duty))
        return ()

    return careless


FAULTS: Final[dict[str, Callable[[], list[Any]]]] = {
    "two points count as one": lambda: [patch.object(injectivity, "injective", always(Outcome("proved", "nothing")))],
    "pairs of regions are not compared": lambda: [
        patch.object(injectivity, "disjoint", always(Outcome("proved", "nothing")))
    ],
    "branches are compared by one of them": lambda: [patch.object(injectivity, "disjoint", _folded)],
    "steps below the tile": lambda: [
        patch.object(verify_partitions, "_regions_by_themselves", _taken_for_met(Duty.DISJOINT))
    ],
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
    "outputs are covered by any taking": lambda: [
        patch.object(verify_partitions, "_covered", _taken_for_met(Duty.COVERED))
    ],
    "an output may be read before it is stored": lambda: [blind(Duty.INITIALISED)],
    "what a turn begins with is kept": lambda: [patch.object(WALK, "kept", always(True))],
    "conditions of stores leave no case out": lambda: [patch.object(verify_borrows, "in_every_case", always(True))],
    "windows are apart": lambda: [patch.object(verify_borrows, "apart", always(_APART))],
    "a region is one of its group's": lambda: [
        patch.object(resolve_obligations, "_region_of_group", _taken_for_met(Duty.IN_BOUNDS)),
    ],
    "witnesses divide by zero": lambda: [patch.object(RUN, "defined", property(always(True), always(None)))],
    "witnesses take the other branch": lambda: [patch.dict(vars(concrete)["_CONTROL"], {IfOp: _other_side})],
}
"""By name: the patches that put a fault in."""


def first_finding(name: str, seed: int, cases: int) -> tuple[Finding | None, float]:
    """The first case that shows a fault, and the seconds it took to come to it."""
    start = time.perf_counter()
    with planted(FAULTS[name]()):
        for number in range(cases):
            finding = fuzz_ownership.check(seed, number, Counter())
            if finding is not None:
                return finding, time.perf_counter() - start
    return None, time.perf_counter() - start


@contextmanager
def planted(patches: Sequence[Any]) -> Generator[None]:
    """With faults put in."""
    with ExitStack() as stack:
        for each in patches:
            stack.enter_context(each)
        yield


def duty_found(name: str) -> str:
    """What finds a fault in what is owed; nothing if nothing does."""
    with planted(duty_faults.FAULTS[name]()):
        return duty_faults.first_trace()


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", choices=[*FAULTS], help="this one alone")
    parser.add_argument("--duties", action="store_true", help="faults in what is owed alone, which take seconds")
    chosen = parser.parse_args()
    wrongly = "" if chosen.fault else duty_faults.first_trace()
    if wrongly:
        print(f"without a fault: {wrongly}")
    left = int(bool(wrongly))
    owed = [] if chosen.fault else [*duty_faults.FAULTS]
    for name in owed:
        found = duty_found(name)
        left += not found
        print(f"{name:45} {found or 'NOT FOUND'}", flush=True)
    names = [chosen.fault] if chosen.fault else [] if chosen.duties else [*FAULTS]
    for name in names:
        finding, taken = first_finding(name, chosen.seed, chosen.cases)
        left += finding is None
        what = "NOT FOUND" if finding is None else f"case {finding.case}: {finding.what.splitlines()[0]}"
        print(f"{name:40} {taken:7.1f} s  {what}", flush=True)
    print(f"{len(names) + len(owed) - left} of {len(names) + len(owed)} faults found")
    return int(left > 0)


if __name__ == "__main__":
    sys.exit(main())
