"""The second rung of the prover: z3, under a budget counted in solver steps, so that a verdict never depends on time.

Two encodings are tried. In the first, products of two terms are uninterpreted, with instances of what is needed of
them (a product grows with its factors); that is linear arithmetic, and fast. It can only prove. The second has real
products; it can also refute, by a model that the caller replays. Where there are no such products it is the only one.
A solver is made anew, in a context of its own, for each question: the answer depends on nothing asked before, and
threads do not meet. Questions are put as SMT-LIB text: z3 reads it faster than its terms can be made from Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import combinations
from typing import Any, Final, Literal

from freehold.passes.prover.smtlib import SmtText
from freehold.support import terms
from freehold.support.terms import Term

PRODUCTS_UNINTERPRETED: Final = 500_000
PRODUCTS_REAL: Final = 5_000_000
"""Budgets of the two encodings, in z3's resource units."""
QUICK: Final = 400_000
"""A budget for answers that can be done without: a unit takes much longer where numbers have many digits."""

Answer = Literal["unsatisfiable", "satisfiable", "unknown"]


@cache
def _z3() -> Any:
    return import_module("z3")


@dataclass
class _Encoding(SmtText):
    """Terms as SMT-LIB text, with the side conditions that their definitions need."""

    real_products: bool = False
    side: list[str] = field(default_factory=list[str])
    auxiliary: list[str] = field(default_factory=list[str])
    """Numbers that stand for quotients, remainders and products."""
    products: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """Uninterpreted products, by their factors in the order of their texts."""
    divisors: frozenset[tuple[Term, ...]] = frozenset()
    """Dividends with divisors, of all quotients and remainders in the question."""
    divisions: dict[tuple[Term, Term, bool], tuple[str, str]] = field(
        default_factory=dict[tuple[Term, Term, bool], tuple[str, str]]
    )
    """Quotients and remainders, by dividend, divisor, and whether the quotient is rounded up."""

    def text(self, facts: Sequence[Term]) -> str:
        """A script that asserts predicates."""
        wanted = [self.predicate(f) for f in facts]
        names = (*self.symbols.values(), *self.auxiliary)
        declared = (f"(declare-const {name} Int)" for name in names)
        return "".join((*declared, *(f"(assert {p})" for p in (*wanted, *self.side, *self.lemmas()))))

    def fresh(self, what: str) -> str:
        """A number without a value of its own. No symbol is called so."""
        name = f"{what}!{len(self.auxiliary)}"
        self.auxiliary.append(name)
        return name

    def times(self, t: Term, a: str, b: str) -> str:
        """A product; uninterpreted where that is asked for and both factors are unknown."""
        return self._product(a, b, constant=t.args[0].is_const or t.args[1].is_const)

    def _product(self, a: str, b: str, *, constant: bool) -> str:
        if constant or self.real_products:
            return f"(* {a} {b})"
        key = (a, b) if a <= b else (b, a)
        if (found := self.products.get(key)) is None:
            found = self.products[key] = self.fresh("product")
        return found

    def _nested(self, t: Term) -> Term | None:
        """`x // (p * q)` as `x // p // q`, where `x` is divided by `p` elsewhere: that says how the two are related.

        They are equal where `p` and `q` are positive; where not, less is said.
        """
        x, divisor = t.args
        for p, q in (divisor.args, divisor.args[::-1]) if divisor.op == "*" else ():
            if (x, p) in self.divisors:
                return terms.floordiv(terms.floordiv(x, p), q)
        return None

    def divided(self, t: Term, a: str, b: str) -> str:
        """A quotient or remainder: one of each a division, bound to the dividend only where the divisor is positive.

        Where it is not, nothing is said of them, so that nothing is proved of what may not be defined.
        """
        if t.op == "//" and (nested := self._nested(t)) is not None:
            return self.number(nested)
        key = (t.args[0], t.args[1], t.op == "ceildiv")
        if (found := self.divisions.get(key)) is None:
            quotient, remainder = found = self.divisions[key] = self.fresh("quotient"), self.fresh("remainder")
            dividend = a if t.op != "ceildiv" else f"(- (+ {a} {b}) 1)"
            back = f"(+ {self._product(quotient, b, constant=t.args[1].is_const)} {remainder})"
            defined = f"(and (= {dividend} {back}) (<= 0 {remainder}) (< {remainder} {b}))"
            self.side.append(f"(=> (> {b} 0) {defined})")
        return found[t.op == "%"]

    def lemmas(self) -> list[str]:
        """What is said of uninterpreted products: signs, units, and growth where two of them share a factor."""
        found: list[str] = []
        for (a, b), p in self.products.items():
            found.append(f"(=> (and (>= {a} 0) (>= {b} 0)) (>= {p} 0))")
            found.append(f"(=> (and (>= {a} 1) (>= {b} 1)) (and (>= {p} {a}) (>= {p} {b})))")
            found.append(f"(=> (or (= {a} 0) (= {b} 0)) (= {p} 0))")
            found.append(f"(=> (= {a} 1) (= {p} {b}))")
            found.append(f"(=> (= {b} 1) (= {p} {a}))")
        for ((a, b), p), ((c, d), q) in combinations(self.products.items(), 2):
            for x, y, shared, other in ((a, c, b, d), (a, d, b, c), (b, c, a, d), (b, d, a, c)):
                if shared != other:
                    continue
                found.append(f"(=> (and (> {shared} 0) (< {x} {y})) (<= (+ {p} {shared}) {q}))")
                found.append(f"(=> (and (> {shared} 0) (< {y} {x})) (<= (+ {q} {shared}) {p}))")
                found.append(f"(=> (= {x} {y}) (= {p} {q}))")
        return found


def multiplies(facts: Sequence[Term]) -> bool:
    """Whether predicates have products of two unknown numbers, so that the two encodings of them differ."""
    of_two = (t for f in facts for t in f.walk() if t.op in ("*", "//", "%", "ceildiv") and not t.args[1].is_const)
    return any(t.op != "*" or not t.args[0].is_const for t in of_two)


def ask(facts: Sequence[Term], *, real_products: bool, budget: int) -> tuple[Answer, dict[str, int]]:
    """Whether predicates can hold together, and a model where they can and products are real.

    A model gives every symbol of the predicates that the solver had to choose; others are left out.
    """
    z3 = _z3()
    encoding = _Encoding(real_products=real_products)
    encoding.divisors = frozenset(t.args for f in facts for t in f.walk() if t.op in ("//", "%"))
    context = z3.Context()
    solver = z3.SimpleSolver(ctx=context)
    solver.set("rlimit", budget)
    solver.set("random_seed", 0)
    solver.from_string(encoding.text(facts))
    result = solver.check()
    if result == z3.unsat:
        return "unsatisfiable", {}
    if result == z3.sat and real_products:
        model = solver.model()
        value: Callable[[str], int] = lambda s: model.eval(z3.Int(s, context), model_completion=True).as_long()  # noqa: E731
        return "satisfiable", {name: value(name) for name in encoding.symbols}
    return "unknown", {}
