"""Optional groups of assembly formats in which a word says that a value follows. Imported when text is read or printed.

In a group as ``(`token` $token^)?`` xDSL looks for the value only where one stands, so that `token` with nothing behind
it would read as if there were neither: an operation would lose what it has to wait for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from xdsl.irdl.declarative_assembly_format import (
    FormatDirective,
    OptionalGroupDirective,
    OptionalOperandVariable,
    ParsingState,
)
from xdsl.parser import Parser


@dataclass(frozen=True)
class AnnouncedOperand(OptionalOperandVariable):
    """The operand of an optional group that has begun."""

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the operand, which must be there."""
        self.set(state, parser.parse_unresolved_operand())


def with_values(statements: Iterable[FormatDirective]) -> tuple[FormatDirective, ...]:
    """The statements of a format, with optional groups that are read whole or not at all."""
    return tuple(
        replace(each, then_elements=tuple(map(_announced, each.then_elements)))
        if isinstance(each, OptionalGroupDirective)
        else each
        for each in statements
    )


def _announced(element: FormatDirective) -> FormatDirective:
    if isinstance(element, OptionalOperandVariable):
        return AnnouncedOperand(element.name, element.index)
    return element
