"""Whether a goal follows from hypotheses: rules first, then a search for a small counterexample, then the solver.

A verdict is `proved`, `refuted` with values of the symbols under which the hypotheses hold and the goal does not, or
`unknown`. Every counterexample has been evaluated, whoever found it. Nothing depends on time, threads, or on what was
asked before; answers of the solver are kept by the question, with its symbols renamed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, product
from typing import Final, Literal

from freehold.passes.prover import rules
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.support import terms
from freehold.support.terms import Term

Status = Literal["proved", "refuted", "unknown"]

_TRIES: Final = 1500


@dataclass(frozen=True)
class Verdict:
    """What became of a goal, by which means, and the counterexample of a refuted one."""

    status: Status
    by: str
    witness: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def proved(self) -> bool:
        """Whether the goal follows."""
        return self.status == "proved"

    @property
    def refuted(self) -> bool:
        """Whether there is a counterexample."""
        return self.status == "refuted"


def prove(goal: Term, given: Hypotheses, *, solver: bool = True) -> Verdict:
    """Whether `goal` follows from `given`. Without `solver` z3 is not asked."""
    if rules.holds(goal, given):
        return Verdict("proved", "rules")
    if goal.op == "and":  # one at a time: smaller questions have answers where large ones have none
        verdicts = [prove(part, given, solver=solver) for part in goal.args]
        return next((v for v in verdicts if v.refuted), next((v for v in verdicts if not v.proved), verdicts[-1]))
    facts = given.relevant(goal)
    witness = find(facts, terms.negate(goal))
    if witness is not None:
        return Verdict("refuted", "search", witness)
    return _by_solver(facts, goal) if solver else Verdict("unknown", "rules")


def satisfiable(given: Hypotheses) -> Verdict:
    """Whether the hypotheses can hold at all: `refuted` (there is a model) is the good answer here."""
    if find(given.facts, terms.TRUE) is not None:
        return Verdict("refuted", "search")
    return _by_solver(given.facts, terms.FALSE)


def holds_in(facts: Sequence[Term], values: Mapping[str, int]) -> bool:
    """Whether all predicates hold for these values; not if one of them divides by zero or names another symbol."""
    try:
        return all(f.evaluate(values) for f in facts)
    except (ZeroDivisionError, KeyError):
        return False


def find(facts: Sequence[Term], wanted: Term) -> dict[str, int] | None:
    """Small values under which `facts` and `wanted` hold, if a bounded search meets any."""
    everything = (*facts, wanted)
    names = sorted({name for f in everything for name in f.symbols()})
    if not names:
        return {} if holds_in(everything, {}) else None
    # Whatever mentions fewer symbols is cheaper to refuse by.
    ordered = sorted(everything, key=lambda f: len(f.symbols()))
    for values in chain((dict.fromkeys(names, n) for n in (1, 64, 4096)), _candidates(names, everything)):
        if holds_in(ordered, values):
            return values
    return None


def _candidates(names: Sequence[str], facts: Sequence[Term]) -> Iterator[dict[str, int]]:
    """Assignments to try: all small ones where there are few symbols, then mixtures of interesting numbers."""
    small = (0, 1, 2, 3)
    tried = 0
    if len(small) ** len(names) <= _TRIES:
        for numbers in product(small, repeat=len(names)):
            yield dict(zip(names, numbers, strict=True))
            tried += 1
    constants = sorted({abs(t.value) for f in facts for t in f.walk() if t.is_const and abs(t.value) < 2**20})
    pool = sorted({*small, -1, *(c + d for c in constants for d in (-1, 0, 1)), *(2 * c for c in constants)})
    ranges = {name: _range(name, facts) for name in names}
    chosen = random.Random(0)
    while tried < _TRIES:
        tried += 1
        values: dict[str, int] = {}
        for name in names:
            low, high = ranges[name]
            fitting = [v for v in pool if low <= v <= high]
            fitting += [low, high]
            few = fitting[:6] if chosen.random() < 0.5 else fitting
            values[name] = chosen.choice(few)
        yield values


def _range(name: str, facts: Sequence[Term]) -> tuple[int, int]:
    low, high = -(2**31), 2**31 - 1
    for f in facts:
        if f.op in ("<", "<=") and len(f.args) == 2:
            a, b = f.args
            strict = int(f.op == "<")
            if a.is_const and b.op == "sym" and b.name == name:
                low = max(low, a.value + strict)
            elif b.is_const and a.op == "sym" and a.name == name:
                high = min(high, b.value - strict)
    return low, high


def _by_solver(facts: tuple[Term, ...], goal: Term) -> Verdict:
    names: dict[str, str] = {}
    for f in (*facts, goal):
        for t in f.walk():
            if t.op == "sym":
                names.setdefault(t.name, f"s{len(names)}")
    renaming = {name: terms.sym(new) for name, new in names.items()}
    verdict = _asked(tuple(f.substitute(renaming) for f in facts), goal.substitute(renaming))
    if verdict.status != "refuted":
        return verdict
    witness = {name: verdict.witness.get(new, 0) for name, new in names.items()}
    if holds_in((*facts, terms.negate(goal)), witness):
        return Verdict("refuted", verdict.by, witness)
    return Verdict("unknown", verdict.by)  # a model that does not replay is none


@lru_cache(maxsize=4096)
def _asked(facts: tuple[Term, ...], goal: Term) -> Verdict:
    from freehold.passes.prover import smt

    question = (*facts, terms.negate(goal))
    answer, _ = smt.ask(question, real_products=False, budget=smt.PRODUCTS_UNINTERPRETED)
    if answer == "unsatisfiable":
        return Verdict("proved", "solver")
    answer, model = smt.ask(question, real_products=True, budget=smt.PRODUCTS_REAL)
    if answer == "unsatisfiable":
        return Verdict("proved", "solver")
    return Verdict("refuted", "solver", model) if answer == "satisfiable" else Verdict("unknown", "solver")
