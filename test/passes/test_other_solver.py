"""
Obligations that reach z3, asked of cvc5: no answer of one contradicts the other's.

cvc5 is given the plain question: real products, and quotients as it knows them. So it also finds out what our encoding
gets wrong, lemmas about uninterpreted products included. It counts its steps, as z3 does; unknown says nothing.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest

from freehold.passes.pipeline import verify
from freehold.passes.prover import prove as prover
from freehold.passes.prover import smt
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.passes.prover.prove import prove
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


class Encoding:
    """Terms as cvc5's. A quotient by a divisor that is not positive is any number."""

    def __init__(self) -> None:
        self.manager: Any = cvc5.TermManager()
        self.solver: Any = cvc5.Solver(self.manager)
        self.solver.setLogic("QF_NIA")
        self.solver.setOption("rlimit-per", "60000")
        self.symbols: dict[str, Any] = {}
        self.free = 0

    def fresh(self, name: str) -> Any:
        return self.manager.mkConst(self.manager.getIntegerSort(), name)

    def apply(self, kind: str, *args: Any) -> Any:
        return self.manager.mkTerm(getattr(cvc5.Kind, kind), *args)

    def number(self, t: Term) -> Any:
        match t.op:
            case "const":
                return self.manager.mkInteger(str(t.value))
            case "sym":
                if t.name not in self.symbols:
                    self.symbols[t.name] = self.fresh(t.name)
                return self.symbols[t.name]
            case "<" | "<=" | "==" | "and" | "or" | "not":
                one, zero = self.manager.mkInteger(1), self.manager.mkInteger(0)
                return self.apply("ITE", self.predicate(t), one, zero)
            case _:
                a, b = (self.number(x) for x in t.args)
                return self.combined(t.op, a, b)

    def combined(self, op: str, a: Any, b: Any) -> Any:
        plain = {"+": "ADD", "-": "SUB", "*": "MULT"}
        if op in plain:
            return self.apply(plain[op], a, b)
        if op in ("min", "max"):
            return self.apply("ITE", self.apply("LEQ", a, b), *((a, b) if op == "min" else (b, a)))
        self.free += 1
        dividend = a
        if op == "ceildiv":
            dividend = self.apply("SUB", self.apply("ADD", a, b), self.manager.mkInteger(1))
        value = self.apply("INTS_MODULUS" if op == "%" else "INTS_DIVISION", dividend, b)
        positive = self.apply("GT", b, self.manager.mkInteger(0))
        return self.apply("ITE", positive, value, self.fresh(f"any!{self.free}"))

    def predicate(self, t: Term) -> Any:
        kinds = {"<": "LT", "<=": "LEQ", "==": "EQUAL"}
        if t.op in kinds:
            return self.apply(kinds[t.op], *(self.number(a) for a in t.args))
        if t.op in ("and", "or", "not"):
            return self.apply(t.op.upper(), *(self.predicate(a) for a in t.args))
        return self.apply("DISTINCT", self.number(t), self.manager.mkInteger(0))


def ask(facts: Sequence[Term]) -> str:
    """Whether predicates can hold together, as cvc5 has it."""
    encoding = Encoding()
    for fact in facts:
        encoding.solver.assertFormula(encoding.predicate(fact))
    result = encoding.solver.checkSat()
    return "satisfiable" if result.isSat() else "unsatisfiable" if result.isUnsat() else "unknown"


Question = tuple[tuple[Term, ...], str]


@cache
def questions() -> tuple[Question, ...]:
    """What reaches the solver while random kernels and those of the repository are verified, with z3's answers."""
    found: dict[tuple[Term, ...], str] = {}
    original = smt.ask

    def recorded(facts: Sequence[Term], *, real_products: bool, budget: int) -> Any:
        answer = original(facts, real_products=real_products, budget=budget)
        if answer[0] != "unknown":
            found[tuple(facts)] = answer[0]
        return answer

    with patch.object(smt, "ask", recorded):
        for make in kernels():
            try:
                verify(make())
            except Rejected:
                continue
    return tuple(found.items())


def kernels() -> Iterator[Callable[[], Any]]:
    """Kernels of the corpus of mutants, and random ones."""
    yield from (case.make for case in module_at("test", "fuzz", "mutant_corpus.py").corpus())
    fuzz = module_at("test", "fuzz", "fuzz_ownership.py")
    yield from (fuzz.builder_of(1, number).module for number in range(120))


def test_cvc5_says_the_same_of_what_kernels_ask() -> None:
    asked = questions()
    assert len(asked) >= 20
    answers = [ask(facts) for facts, _ in asked]
    for (facts, answer), other in zip(asked, answers, strict=True):
        assert other in (answer, "unknown"), f"z3 {answer}, cvc5 {other}: {[str(f) for f in facts]}"
    assert answers.count("unknown") < len(answers) / 2


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
