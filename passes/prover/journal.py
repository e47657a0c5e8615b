"""What was concluded, written down while somebody asks for it: the questions that another program can answer again."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from freehold.support.terms import Term


@dataclass(frozen=True)
class Claim:
    """That a goal follows from facts, by the rules or the solver."""

    facts: tuple[Term, ...]
    goal: Term
    by: str = field(compare=False)


_open: ContextVar[dict[Claim, None] | None] = ContextVar("journal", default=None)


@contextmanager
def journal() -> Generator[dict[Claim, None]]:
    """The claims of everything that is proved in the block, each once, in order; those of this thread or task alone."""
    claims: dict[Claim, None] = {}
    token = _open.set(claims)
    try:
        yield claims
    finally:
        _open.reset(token)


def note(goal: Term, facts: Callable[[], Sequence[Term]], by: str) -> None:
    """Writes down that a goal follows from facts, which are not looked for unless somebody wants to know."""
    claims = _open.get()
    if claims is not None and not goal.is_const:
        claims.setdefault(Claim(tuple(facts()), goal, by))
