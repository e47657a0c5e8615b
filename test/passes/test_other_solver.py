"""
What is concluded about kernels, by rules and by z3, asked of cvc5: no answer contradicts another.

cvc5 is given the plain question, as users are: real products, and quotients as it knows them. So it also finds out what
our encoding for z3 gets wrong, lemmas about uninterpreted products included. It counts its steps, as z3 does; unknown
says nothing.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest

from freehold.passes.pipeline import proofs
from freehold.passes.prover import prove as prover
from freehold.passes.prover import smt
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.passes.prover.prove import prove
from freehold.passes.prover.script import question
from freehold.support import terms
from freehold.support.diagnostic import Rejected
from freehold.support.terms import Term

ROOT = Path(__file__).parents[2]
cvc5: Any = pytest.importorskip("cvc5")


@cache
def module_at(*path: str) -> ModuleType:
    """A module of the repository that is in no package."""
    file = ROOT.joinpath(*path)
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


OBLIGATIONS = module_at("benchmarks", "obligations.py").OBLIGATIONS


@cache
def _manager() -> Any:
    return cvc5.TermManager()


def ask(facts: Sequence[Term]) -> str:
    """Whether predicates can hold together, as cvc5 has it."""
    words = {"sat": "satisfiable", "unsat": "unsatisfiable", "unknown": "unknown"}
    (said,) = answers(f"(set-logic QF_NIA)\n{question(facts)}(check-sat)\n")
    return words[said]


def answers(script: str) -> list[str]:
    """What cvc5 says to a script, question by question."""
    solver = cvc5.Solver(_manager())
    solver.setOption("incremental", "true")
    solver.setOption("rlimit-per", "60000")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "script")
    found: list[str] = []
    while not (command := parser.nextCommand()).isNull():
        if said := command.invoke(solver, parser.getSymbolManager()):
            found.append(said.split()[0])  # behind it, why an answer is unknown
    return found


@dataclass
class Learned:
    """What verifying random kernels and those of the repository says."""

    asked: dict[tuple[Term, ...], str] = field(default_factory=dict[tuple[Term, ...], str])
    """What reached z3, with its answers."""
    scripts: list[str] = field(default_factory=list[str])
    """What was concluded about those that were accepted."""


@cache
def learned() -> Learned:
    """What there is to compare."""
    found = Learned()
    original = smt.ask

    def recorded(facts: Sequence[Term], *, real_products: bool, budget: int) -> Any:
        answer = original(facts, real_products=real_products, budget=budget)
        if answer[0] != "unknown":
            found.asked[tuple(facts)] = answer[0]
        return answer

    with patch.object(smt, "ask", recorded):
        for make in kernels():
            with suppress(Rejected):
                found.scripts.append(proofs(make()))
    return found


def kernels() -> Iterator[Callable[[], Any]]:
    """Kernels of the corpus of mutants, and random ones."""
    yield from (case.make for case in module_at("test", "fuzz", "mutant_corpus.py").corpus())
    fuzz = module_at("test", "fuzz", "fuzz_ownership.py")
    yield from (fuzz.builder_of(1, number).module for number in range(120))


def test_cvc5_says_the_same_of_what_kernels_ask() -> None:
    asked = learned().asked
    assert len(asked) >= 20
    said = [ask(facts) for facts in asked]
    for (facts, answer), other in zip(asked.items(), said, strict=True):
        assert other in (answer, "unknown"), f"z3 {answer}, cvc5 {other}: {[str(f) for f in facts]}"
    assert said.count("unknown") < len(said) / 2


def test_cvc5_confirms_what_was_concluded() -> None:
    """By rules as by the solver, each fact about a kernel that was accepted; as scripts that users are given."""
    said: Counter[str] = Counter()
    for text in learned().scripts:
        found = answers(text)
        assert len(found) == text.count("(check-sat)")
        assert "sat" not in found, f"question {found.index('sat') + 1} of\n{text}"
        said.update(found)
    assert said["unsat"] > 500
    assert said["unknown"] < said["unsat"] / 50


@pytest.mark.parametrize("obligation", OBLIGATIONS, ids=lambda o: o.name)
def test_cvc5_says_the_same_of_the_list(obligation: Any) -> None:
    answer = ask((*obligation.facts, terms.negate(obligation.wanted)))
    assert answer in ("unknown", {"proved": "unsatisfiable", "refuted": "satisfiable"}[obligation.verdict])


@pytest.mark.parametrize("obligation", OBLIGATIONS, ids=lambda o: o.name)
def test_the_prover_says_so_within_its_budget(obligation: Any) -> None:
    with (
        patch.object(smt, "PRODUCTS_UNINTERPRETED", obligation.budget),
        patch.object(smt, "PRODUCTS_REAL", obligation.budget),
    ):
        verdict = prove(obligation.wanted, Hypotheses().extended(obligation.facts))
    assert verdict.status == obligation.verdict


def test_verdicts_do_not_depend_on_what_was_asked_before() -> None:
    """Nor on the thread that asks. Answers that are kept are forgotten in between."""

    def verdicts(order: list[Any]) -> dict[str, Any]:
        for kept in ("_asked", "_possible"):
            vars(prover)[kept].cache_clear()
        return {o.name: prover.prove(o.wanted, Hypotheses().extended(o.facts)) for o in order}

    expected = verdicts([*OBLIGATIONS])
    assert verdicts([*OBLIGATIONS[::-1]]) == expected
    for seed in range(2):
        order = [*OBLIGATIONS]
        random.Random(seed).shuffle(order)
        assert verdicts(order) == expected
    with ThreadPoolExecutor(4) as threads:
        halves = threads.map(verdicts, (OBLIGATIONS[::2], OBLIGATIONS[1::2]))
        assert {name: v for half in halves for name, v in half.items()} == expected


@pytest.mark.parametrize("obligation", OBLIGATIONS, ids=lambda o: o.name)
def test_the_facts_are_possible(obligation: Any) -> None:
    """Nothing is proved of what never happens."""
    assert not prove(terms.FALSE, Hypotheses().extended(obligation.facts)).proved
