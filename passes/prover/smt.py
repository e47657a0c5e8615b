"""The second rung of the prover: z3, under a budget counted in solver steps, so that a verdict never depends on time.

Two encodings are tried. In the first, products of two terms are uninterpreted, with instances of what is needed of
them (a product grows with its factors); that is linear arithmetic, and fast. It can only prove. The second has real
products; it can also refute, by a model that the caller replays. A solver is made anew, in a context of its own, for
each question: the answer depends on nothing asked before, and threads do not meet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import combinations
from typing import Any, Final, Literal

from freehold.support import terms
from freehold.support.terms import Term

PRODUCTS_UNINTERPRETED: Final = 500_000
PRODUCTS_REAL: Final = 5_000_000
"""Budgets of the two encodings, in z3's resource units."""

Answer = Literal["unsatisfiable", "satisfiable", "unknown"]


@cache
def _z3() -> Any:
    return import_module("z3")


@dataclass
class _Encoding:
    """Terms as z3's, with the side conditions that their definitions need."""

    context: Any
    real_products: bool
    side: list[Any] = field(default_factory=list[Any])
    symbols: dict[str, Any] = field(default_factory=dict[str, Any])
    products: list[tuple[Any, Any, Any]] = field(default_factory=list[tuple[Any, Any, Any]])
    known: dict[Term, Any] = field(default_factory=dict[Term, Any])
    divided: frozenset[tuple[Term, ...]] = frozenset()
    """Dividends with divisors, of all quotients and remainders in the question."""
    divisions: dict[tuple[Term, Term, bool], tuple[Any, Any]] = field(
        default_factory=dict[tuple[Term, Term, bool], tuple[Any, Any]]
    )
    """Quotients and remainders, by dividend, divisor, and whether the quotient is rounded up."""

    def number(self, t: Term) -> Any:
        """A term that is an integer."""
        if (found := self.known.get(t)) is None:
            found = self.known[t] = self._number(t)
        return found

    def _number(self, t: Term) -> Any:
        z3 = _z3()
        match t.op:
            case "const":
                return z3.IntVal(t.value, self.context)
            case "sym":
                return self.symbols.setdefault(t.name, z3.Int(t.name, self.context))
            case "<" | "<=" | "==" | "and" | "or" | "not":
                return z3.If(self.predicate(t), z3.IntVal(1, self.context), z3.IntVal(0, self.context))
            case "//" if (nested := self._nested(t)) is not None:
                return self.number(nested)
            case _:
                a, b = (self.number(x) for x in t.args)
                return self._combined(t, a, b)

    def _combined(self, t: Term, a: Any, b: Any) -> Any:
        z3 = _z3()
        match t.op:
            case "+":
                return a + b
            case "-":
                return a - b
            case "*":
                return self.times(a, b, constant=t.args[0].is_const or t.args[1].is_const)
            case "min":
                return z3.If(a <= b, a, b)
            case "max":
                return z3.If(a <= b, b, a)
            case "//" | "%" | "ceildiv":
                return self._divided(t, a, b)
            case _:
                raise ValueError(f"no integer: {t}")

    def times(self, a: Any, b: Any, *, constant: bool) -> Any:
        """A product; uninterpreted where that is asked for and both factors are unknown."""
        if constant or self.real_products:
            return a * b
        z3 = _z3()
        for x, y, p in self.products:
            if (x.eq(a) and y.eq(b)) or (x.eq(b) and y.eq(a)):
                return p
        p = z3.Int(f"product!{len(self.products)}", self.context)
        self.products.append((a, b, p))
        return p

    def _nested(self, t: Term) -> Term | None:
        """`x // (p * q)` as `x // p // q`, where `x` is divided by `p` elsewhere: that says how the two are related.

        They are equal where `p` and `q` are positive; where not, less is said.
        """
        x, divisor = t.args
        for p, q in (divisor.args, divisor.args[::-1]) if divisor.op == "*" else ():
            if (x, p) in self.divided:
                return terms.floordiv(terms.floordiv(x, p), q)
        return None

    def _divided(self, t: Term, a: Any, b: Any) -> Any:
        """A quotient or remainder: one of each a division, bound to the dividend only where the divisor is positive.

        Where it is not, nothing is said of them, so that nothing is proved of what may not be defined.
        """
        z3 = _z3()
        key = (t.args[0], t.args[1], t.op == "ceildiv")
        if (found := self.divisions.get(key)) is not None:
            return found[t.op == "%"]
        n = len(self.side)
        dividend = a if t.op != "ceildiv" else a + b - 1
        constant = t.args[1].is_const
        quotient = z3.Int(f"quotient!{n}", self.context)
        remainder = z3.Int(f"remainder!{n}", self.context)
        defined = z3.And(
            dividend == self.times(quotient, b, constant=constant) + remainder, remainder >= 0, remainder < b
        )
        self.side.append(z3.Implies(b > 0, defined))
        self.divisions[key] = quotient, remainder
        return remainder if t.op == "%" else quotient

    def predicate(self, t: Term) -> Any:
        """A term that is true or false."""
        z3 = _z3()
        match t.op:
            case "<":
                return self.number(t.args[0]) < self.number(t.args[1])
            case "<=":
                return self.number(t.args[0]) <= self.number(t.args[1])
            case "==":
                return self.number(t.args[0]) == self.number(t.args[1])
            case "and":
                return z3.And(*(self.predicate(a) for a in t.args))
            case "or":
                return z3.Or(*(self.predicate(a) for a in t.args))
            case "not":
                return z3.Not(self.predicate(t.args[0]))
            case _:
                return self.number(t) != 0

    def lemmas(self) -> list[Any]:
        """What is said of uninterpreted products: signs, units, and growth where two of them share a factor."""
        z3 = _z3()
        found: list[Any] = []
        for a, b, p in self.products:
            found.append(z3.Implies(z3.And(a >= 0, b >= 0), p >= 0))
            found.append(z3.Implies(z3.And(a >= 1, b >= 1), z3.And(p >= a, p >= b)))
            found.append(z3.Implies(z3.Or(a == 0, b == 0), p == 0))
            found.append(z3.Implies(a == 1, p == b))
            found.append(z3.Implies(b == 1, p == a))
        for (a, b, p), (c, d, q) in combinations(self.products, 2):
            for x, y, shared in (
                (a, c, b.eq(d) and b),
                (a, d, b.eq(c) and b),
                (b, c, a.eq(d) and a),
                (b, d, a.eq(c) and a),
            ):
                if shared is False:
                    continue
                positive = shared > 0
                found.append(z3.Implies(z3.And(positive, x < y), p + shared <= q))
                found.append(z3.Implies(z3.And(positive, y < x), q + shared <= p))
                found.append(z3.Implies(x == y, p == q))
        return found


def ask(facts: Sequence[Term], *, real_products: bool, budget: int) -> tuple[Answer, dict[str, int]]:
    """Whether predicates can hold together, and a model where they can and products are real.

    A model gives every symbol of the predicates that the solver had to choose; others are left out.
    """
    z3 = _z3()
    context = z3.Context()
    divided = frozenset(t.args for f in facts for t in f.walk() if t.op in ("//", "%"))
    encoding = _Encoding(context, real_products, divided=divided)
    assertions = [encoding.predicate(f) for f in facts]
    solver = z3.SimpleSolver(ctx=context)
    solver.set("rlimit", budget)
    solver.set("random_seed", 0)
    solver.add(*assertions, *encoding.side, *([] if real_products else encoding.lemmas()))
    result = solver.check()
    if result == z3.unsat:
        return "unsatisfiable", {}
    if result == z3.sat and real_products:
        model = solver.model()
        value: Callable[[Any], int] = lambda s: model.eval(s, model_completion=True).as_long()  # noqa: E731
        return "satisfiable", {name: value(s) for name, s in encoding.symbols.items()}
    return "unknown", {}
