"""Names that text of other versions uses: older spellings, which are read, and preview operations, which are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from xdsl.irdl import irdl_op_definition

from freehold.dialects.cuda_tile.op import TileOp
from freehold.dialects.cuda_tile.ops.arith_float import FPowFOp
from freehold.dialects.cuda_tile.ops.misc import PrintTkoOp
from freehold.dialects.cuda_tile.version import V13_3

if TYPE_CHECKING:
    from xdsl.parser import Parser, UnresolvedOperand

PREVIEW_CALL: Final = 0x4002
"""The opcode of `preview$call`."""

PREVIEW_REFUSED: Final = "preview operations change without notice and are not supported"


@irdl_op_definition
class PowOp(TileOp):
    """`pow`, which `fpowf` was called up to 13.3. Reading it makes an `fpowf`."""

    name = FPowFOp.name_in(V13_3)

    @classmethod
    def create(cls, **kwargs: Any) -> Any:
        """The `fpowf` of the same operands."""
        return FPowFOp.create(**kwargs)

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        """Read the operands of an `fpowf`."""
        return FPowFOp.parse(parser)


@irdl_op_definition
class PrintOp(TileOp):
    """`print`, which `print_tko` was called in 13.1. Reading it makes a `print_tko`."""

    name = "cuda_tile.print"

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        """Read a text and operands, without a token or a result."""
        from freehold.dialects.cuda_tile.text_format import parse_string
        from freehold.dialects.cuda_tile.text_types import parse_types

        text = parse_string(parser)
        operands: list[UnresolvedOperand] = []
        while parser.parse_optional_punctuation(","):
            operands.append(parser.parse_unresolved_operand())
        parser.parse_optional_attr_dict()
        types = parse_types(parser) if parser.parse_optional_punctuation(":") else []
        return PrintTkoOp(text, parser.resolve_operands(operands, types, parser.pos))


@irdl_op_definition
class PreviewCallOp(TileOp):
    """`preview$call`, a call of a device function: refused by name."""

    name = "cuda_tile.preview$call"

    @classmethod
    def parse(cls, parser: Parser) -> NoReturn:
        """Refuse the operation."""
        parser.raise_error(f"{cls.name}: {PREVIEW_REFUSED}")

    def verify_(self) -> None:
        """Refuse the operation."""
        raise self.fail(PREVIEW_REFUSED)


PreviewCallOp.field_since = {}

ALIASES: Final[tuple[type[TileOp], ...]] = (PowOp, PrintOp, PreviewCallOp)
"""What text may name besides the operations of the dialect."""
