"""
Claims as a script in SMT-LIB 2.6, for any solver of integer arithmetic: each asks for a counterexample.

This is not how our own solver is asked (`smt.py`): products are products, quotients are the language's own, and nothing
is said but the facts and the goal. A quotient by what is not positive is any number, because nothing may be concluded
from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from freehold.passes.prover.journal import Claim
from freehold.passes.prover.smtlib import SmtText
from freehold.support import terms
from freehold.support.terms import Term

HEAD: Final = """\
; What was concluded about {what}, to be checked by another solver: every answer has to be `unsat`.
; A question assumes what holds (the facts), and that the conclusion does not.
(set-logic QF_NIA)
"""


def script(claims: Iterable[Claim], what: str) -> str:
    """A script of all claims, each between `push` and `pop`; `what` they are about stands in its head."""
    return HEAD.format(what=what) + "".join(f"\n{_claim(n, c)}" for n, c in enumerate(claims, 1))


def question(facts: Sequence[Term]) -> str:
    """Declarations and assertions that say that predicates hold together."""
    text = _Text()
    asserted = [f"(assert {text.predicate(f)})\n" for f in facts]
    declared = [f"(declare-const {name} Int)\n" for name in (*text.symbols.values(), *text.undefined.values())]
    return "".join((*declared, *asserted))


def _claim(number: int, claim: Claim) -> str:
    asked = question((*claim.facts, terms.negate(claim.goal)))
    return f"; {number}. {claim.goal} (by {claim.by})\n(push 1)\n{asked}(check-sat)\n(pop 1)\n"


@dataclass
class _Text(SmtText):
    """Terms as text. A division that is not defined has a number of its own as its result."""

    undefined: dict[Term, str] = field(default_factory=dict[Term, str])

    def times(self, t: Term, a: str, b: str) -> str:
        """A product, as the solver's."""
        return f"(* {a} {b})"

    def divided(self, t: Term, a: str, b: str) -> str:
        """The solver's own division, where the divisor is positive."""
        value = f"(mod {a} {b})" if t.op == "%" else f"(div {a if t.op == '//' else f'(- (+ {a} {b}) 1)'} {b})"
        if t.args[1].is_const and t.args[1].value > 0:
            return value
        name = self.undefined.setdefault(t, f"undefined!{len(self.undefined)}")
        return f"(ite (> {b} 0) {value} {name})"
