"""Terms as SMT-LIB text. What divisions and products are is the business of who asks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from freehold.support.terms import Term

Text = tuple[str, bool]
"""A term as text, and whether that is a truth value; if not, it is an integer."""


@dataclass
class SmtText(ABC):
    """Terms as text, and the names in it."""

    symbols: dict[str, str] = field(default_factory=dict[str, str])
    """The text of each symbol, by its name."""
    known: dict[Term, Text] = field(default_factory=dict[Term, Text])

    @abstractmethod
    def times(self, t: Term, a: str, b: str) -> str:
        """A product of two integers."""

    @abstractmethod
    def divided(self, t: Term, a: str, b: str) -> str:
        """A quotient, rounded down (`//`) or up (`ceildiv`), or a remainder (`%`)."""

    def number(self, t: Term) -> str:
        """A term as an integer."""
        return _number(t.fold(self._leaf, self._node, self.known))

    def predicate(self, t: Term) -> str:
        """A term as a truth value."""
        return _predicate(t.fold(self._leaf, self._node, self.known))

    def _leaf(self, t: Term) -> Text:
        if t.is_const:
            return str(t.value) if t.value >= 0 else f"(- {-t.value})", False
        return self.symbols.setdefault(t.name, f"|{t.name}|"), False

    def _node(self, t: Term, operands: Sequence[Text]) -> Text:
        if t.op in ("and", "or", "not"):
            return f"({t.op} {' '.join(map(_predicate, operands))})", True
        a, b = map(_number, operands)
        match t.op:
            case "<" | "<=" | "==":
                return f"({t.op if t.op != '==' else '='} {a} {b})", True
            case "+" | "-":
                return f"({t.op} {a} {b})", False
            case "*":
                return self.times(t, a, b), False
            case "min":
                return f"(ite (<= {a} {b}) {a} {b})", False
            case "max":
                return f"(ite (<= {a} {b}) {b} {a})", False
            case _:
                return self.divided(t, a, b), False


def _number(text: Text) -> str:
    return f"(ite {text[0]} 1 0)" if text[1] else text[0]


def _predicate(text: Text) -> str:
    return text[0] if text[1] else f"(not (= {text[0]} 0))"
