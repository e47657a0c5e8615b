"""Operations with an assembly format that is compiled when there is text.

xDSL compiles a format when the class is made, and needs its parser for that. A compiler that never touches text should
not wait for either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Final, cast

from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue
from xdsl.irdl import AttrSizedOperandSegments

from freehold.dialects.classes import PlainOp, build
from freehold.dialects.cuda_tile.op import SEGMENTS, segments

if TYPE_CHECKING:
    from typing import Self

    from xdsl.irdl.declarative_assembly_format import FormatProgram
    from xdsl.parser import Parser
    from xdsl.printer import Printer


_VALUES: Final = (OpResult, BlockArgument)


@cache
def _program(kind: type[FormattedOp]) -> FormatProgram:
    from xdsl.irdl.declarative_assembly_format import FormatProgram

    from freehold.dialects.optional_groups import with_values

    return FormatProgram(with_values(FormatProgram.from_str(kind.FORMAT, kind.get_irdl_definition()).stmts))


@cache
def _segmented(kind: type[FormattedOp]) -> bool:
    return any(isinstance(option, AttrSizedOperandSegments) for option in kind.get_irdl_definition().options)


class FormattedOp(PlainOp):
    """Base of the operations whose text is described by `FORMAT`, in xDSL's format language."""

    FORMAT: ClassVar[str]

    def __init__(
        self,
        *,
        operands: Sequence[SSAValue | Sequence[SSAValue] | None] = (),
        result_types: Sequence[Attribute | None] = (),
        properties: Mapping[str, Attribute | None] | None = None,
    ):
        """An operation of these fields, None where there is none of an optional one.

        What xDSL's constructor does, without its search for what each field may be: verification finds that out.
        """
        flat: list[SSAValue] = []
        sizes: list[int] = []
        for values in operands:
            if values is None:
                sizes.append(0)
            elif isinstance(values, _VALUES):
                flat.append(values)
                sizes.append(1)
            else:
                several = cast("Sequence[SSAValue]", values)
                flat += several
                sizes.append(len(several))
        made = {} if properties is None else {name: value for name, value in properties.items() if value is not None}
        if _segmented(type(self)):
            made[SEGMENTS] = segments(*sizes)
        build(self, flat, [t for t in result_types if t is not None], made)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Reads what follows the operation's name."""
        return _program(cls).parse(parser, cls)

    def print(self, printer: Printer) -> None:
        """Writes what follows the operation's name."""
        _program(type(self)).print(printer, self)
