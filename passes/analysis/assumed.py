"""Terms of integers that are taken to stay in range: for predictions, which a wrap-around makes meaningless anyway."""

from __future__ import annotations

from typing import Final

from xdsl.ir import Operation, SSAValue

from freehold.passes.analysis.arithmetic import term_of
from freehold.passes.analysis.facts import KernelFacts
from freehold.support import terms
from freehold.support.terms import Term

NOBODY: Final = "?"
"""The symbol of numbers that nothing is known about; no kernel's."""


class Assumed:
    """
    Terms for what integers are computed from, whether or not their arithmetic is shown to stay in range.

    A proof must do without them. A prediction need not: where an integer wraps around, the kernel is lost anyway.
    """

    def __init__(self, facts: KernelFacts):
        self.facts = facts

    def resolved(self, t: Term) -> Term:
        """A term with unknown numbers replaced by how they are computed, as far as there is a rule for it."""
        env: dict[str, Term] = {}
        for name in t.symbols():
            value = self.facts.symbols.get(name)
            if value is not None and isinstance(value.owner, Operation) and len(value.owner.results) == 1:
                found = term_of(value.owner, self)
                if found is not None:
                    env[name] = found
        return t.substitute(env) if env else t

    def term(self, value: SSAValue) -> Term:
        """The term of an integer scalar."""
        found = self.facts.terms.get(value)
        if found is not None:
            return self.resolved(found)
        owner = value.owner
        computed = term_of(owner, self) if isinstance(owner, Operation) and len(owner.results) == 1 else None
        return computed if computed is not None else terms.sym(NOBODY)

    def shown(self, predicate: Term, wanted: SSAValue) -> bool:
        """Everything is taken to be as it should be."""
        return True

    def fits(self, t: Term, value: SSAValue) -> bool:
        """As `shown`."""
        return True
