"""Operations with an assembly format that is compiled when there is text.

xDSL compiles a format when the class is made, and needs its parser for that. A compiler that never touches text should
not wait for either.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, ClassVar

from xdsl.irdl import IRDLOperation

if TYPE_CHECKING:
    from typing import Self

    from xdsl.irdl.declarative_assembly_format import FormatProgram
    from xdsl.parser import Parser
    from xdsl.printer import Printer


@cache
def _program(kind: type[FormattedOp]) -> FormatProgram:
    from xdsl.irdl.declarative_assembly_format import FormatProgram

    return FormatProgram.from_str(kind.FORMAT, kind.get_irdl_definition())


class FormattedOp(IRDLOperation):
    """Base of the operations whose text is described by `FORMAT`, in xDSL's format language."""

    FORMAT: ClassVar[str]

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Reads what follows the operation's name."""
        return _program(cls).parse(parser, cls)

    def print(self, printer: Printer) -> None:
        """Writes what follows the operation's name."""
        _program(type(self)).print(printer, self)
