"""Whether a goal follows from hypotheses: rules first, then a search for a small counterexample, then the solver.

A verdict is `proved`, `refuted` with values of all symbols under which the hypotheses hold and the goal does not, or
`unknown`. Every counterexample has been evaluated, whoever found it. Nothing depends on time, threads, or on what was
asked before; answers of the solver are kept by the question, with its symbols renamed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

from freehold.passes.prover import rules
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.passes.prover.journal import note
from freehold.passes.prover.search import find, holds_in
from freehold.support import terms
from freehold.support.terms import Term

Status = Literal["proved", "refuted", "unknown"]


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


def prove(goal: Term, given: Hypotheses, budget: int | None = None) -> Verdict:
    """
    Whether `goal` follows from `given`. Who has no use for a counterexample or the solver asks `rules.holds`; who can
    do without an answer gives the solver a smaller `budget` (`smt.QUICK`).
    """
    if rules.holds(goal, given):
        return Verdict("proved", "rules")
    if goal.op == "and":  # one at a time: smaller questions have answers where large ones have none
        return _weakest(prove(part, given, budget) for part in goal.args)
    facts = given.relevant(goal)
    witness = find(facts, terms.negate(goal))
    verdict = _by_solver(facts, goal, budget) if witness is None else Verdict("refuted", "search", witness)
    if verdict.proved:
        note(goal, lambda: facts, verdict.by)
    if not verdict.refuted or len(facts) == len(given.facts):
        return verdict
    # What shares no symbol with the goal has to be possible, too: in a branch that is never taken nothing is refuted.
    known = set(facts)
    rest = _possible(tuple(f for f in given.facts if f not in known), budget)
    if rest.refuted:
        return Verdict("refuted", verdict.by, {**rest.witness, **verdict.witness})
    if rest.proved:
        note(goal, lambda: given.facts, rest.by)
    return rest


def _weakest(verdicts: Iterable[Verdict]) -> Verdict:
    """The first that is refuted, after which nothing is asked; else the first that is not proved; else the last."""
    found: Verdict | None = None
    for verdict in verdicts:
        if verdict.refuted:
            return verdict
        if found is None or found.proved:
            found = verdict
    assert found is not None
    return found


@lru_cache(maxsize=4096)
def _possible(facts: tuple[Term, ...], budget: int | None = None) -> Verdict:
    """Whether predicates contradict each other: `refuted`, with values under which they hold, if they do not."""
    witness = find(facts, terms.TRUE)
    if witness is not None:
        return Verdict("refuted", "search", witness)
    return _by_solver(facts, terms.FALSE, budget)


@lru_cache(maxsize=64)
def satisfiable(given: Hypotheses) -> Verdict:
    """Whether the hypotheses can hold at all: `refuted` (there is a model) is the good answer here."""
    names = sorted(frozenset[str]().union(*(fact.symbols() for fact in given.facts)))
    for guess in _GUESSES:
        if holds_in(given.facts, witness := dict.fromkeys(names, guess)):
            return Verdict("refuted", "search", witness)
    return _possible(given.facts)


_GUESSES: Final = (1, 64)
"""What all extents may be at once, most often."""


def _by_solver(facts: tuple[Term, ...], goal: Term, budget: int | None) -> Verdict:
    names: dict[str, str] = {}
    for f in (*facts, goal):
        for t in f.walk():
            if t.op == "sym":
                names.setdefault(t.name, f"s{len(names)}")
    renaming = {name: terms.sym(new) for name, new in names.items()}
    verdict = _asked(tuple(f.substitute(renaming) for f in facts), goal.substitute(renaming), budget)
    if verdict.status != "refuted":
        return verdict
    witness = {name: verdict.witness.get(new, 0) for name, new in names.items()}
    if holds_in((*facts, terms.negate(goal)), witness):
        return Verdict("refuted", verdict.by, witness)
    return Verdict("unknown", verdict.by)  # a model that does not replay is none


@lru_cache(maxsize=4096)
def _asked(facts: tuple[Term, ...], goal: Term, budget: int | None) -> Verdict:
    from freehold.passes.prover import smt

    question = (*facts, terms.negate(goal))
    if smt.multiplies(question):
        answer, _ = smt.ask(question, real_products=False, budget=smt.PRODUCTS_UNINTERPRETED)
        if answer == "unsatisfiable":
            return Verdict("proved", "solver")
    answer, model = smt.ask(question, real_products=True, budget=smt.PRODUCTS_REAL if budget is None else budget)
    if answer == "unsatisfiable":
        return Verdict("proved", "solver")
    return Verdict("refuted", "solver", model) if answer == "satisfiable" else Verdict("unknown", "solver")
