"""An error with every text filled in: what a renderer or an editor needs, and all that it sees of errors."""

from __future__ import annotations

from dataclasses import dataclass

from freehold.support.span import Span


@dataclass(frozen=True, slots=True)
class Argument:
    """The place of an error that has no source text: an argument of a call."""

    name: str
    """The parameter that the argument was given for."""
    of: str
    """What was called: a kernel, a function, a tool."""

    def __str__(self) -> str:
        return f"argument `{self.name}` of `{self.of}`"


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A label with its text filled in."""

    span: Span
    text: str
    primary: bool


@dataclass(frozen=True, slots=True)
class Edit:
    """A change to the user's text that a help offers: ready to be made by an editor, and tested by being made."""

    span: Span
    """What is replaced."""
    code: str
    """What stands there instead; without text, it is left out."""
    before: tuple[str, ...]
    """Statements that go ahead of the one that `span` is in."""
    help: str
    """The text of the help that offers it."""


@dataclass(frozen=True, slots=True)
class Report:
    """An error with every text filled in: what a renderer or an editor needs, in the order to show it."""

    code: str
    title: str
    place: Span | Argument | None
    label: str
    """The primary label's text, also among `labels` where `place` is a span."""
    labels: tuple[PlacedText, ...]
    notes: tuple[str, ...]
    helps: tuple[str, ...]
    edits: tuple[Edit, ...]
    """Those of the helps that can be made as they are."""
    severity: str = "error"
