"""Attributes of the ownership dialect: access modes, schedules and layouts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from freehold.dialects.classes import PlainAttribute, array, string, whole

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer


_string = lru_cache(maxsize=64)(string)
_integer = lru_cache(maxsize=1024)(whole)


def integers(values: Sequence[int]) -> ArrayAttr[IntAttr]:
    """A list of integers. Most are short, and equal to one that there is already."""
    return _integers(tuple(map(int, values)))


@lru_cache(maxsize=1024)
def _integers(values: tuple[int, ...]) -> ArrayAttr[IntAttr]:
    return array([_integer(i) for i in values])


class Access(StrEnum):
    """How a partition's regions may be used by the tile block that owns them."""

    MUT = "mut"
    """Read and written: the elements are initialised when the kernel starts."""
    PARTIAL_MUT = "partial_mut"
    """As `mut`; and no region has to be taken, of large groups neither."""
    OUT = "out"
    """Written, every region of it, and read only after that: the elements are garbage when the kernel starts."""
    PARTIAL = "partial"
    """Written and read only after that, where a region is taken; the rest of the tensor stays as it is."""


@irdl_attr_definition
class AccessAttr(Data[Access]):
    """An access mode."""

    name = "ownership.access"

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Access:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(Access)


class Update(StrEnum):
    """What an accumulator's element becomes of its old value and a new one. Updates of one kind commute."""

    ADD = "add"
    """The sum; of integers, wrapped around; of floats, rounded each time, in no specified order."""
    MAX = "max"
    """The greater, read as signed."""
    MIN = "min"
    """The lesser, read as signed."""
    UMAX = "umax"
    """The greater, read as unsigned."""
    UMIN = "umin"
    """The lesser, read as unsigned."""
    AND = "and"
    """The bits that both have."""
    OR = "or"
    """The bits that either has."""
    XOR = "xor"
    """The bits that one of them has."""


@irdl_attr_definition
class UpdateAttr(Data[Update]):
    """A kind of update."""

    name = "ownership.update"

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Update:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(Update)


class OrderKind(StrEnum):
    """In which order the points of an index space are handed to tile blocks."""

    ROW = "row"
    """The last axis runs fastest."""
    COLUMN = "column"
    """The first axis runs fastest."""
    GROUPED = "grouped"
    """Bands of `size` rows of the last two axes, each walked column by column, so that concurrent blocks share
    operands in L2; the last band may be lower. Earlier axes run slowest, last of them fastest."""


_ORDERS: Final = {kind.value: kind for kind in OrderKind}  # asking the enumeration takes a call each time


@irdl_attr_definition
class OrderAttr(PlainAttribute):
    """A schedule's order: `#ownership.order<row>`, `<column>`, `<grouped 8>`."""

    name = "ownership.order"

    kind: StringAttr
    size: IntAttr

    def __init__(self, kind: OrderKind | StringAttr, size: int | IntAttr = 1):
        super().__init__(
            _string(kind.value) if isinstance(kind, OrderKind) else kind,
            _integer(size) if isinstance(size, int) else size,
        )

    @property
    def order(self) -> OrderKind:
        """The kind, as an enum."""
        return _ORDERS[self.kind.data]

    def verify(self) -> None:
        if self.kind.data not in _ORDERS:
            raise VerifyException(f"ownership.order: unknown order '{self.kind.data}'")
        if self.size.data < 1:
            raise VerifyException(f"ownership.order: a group has at least one row, not {self.size.data}")

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.kind.data)
            if self.order is OrderKind.GROUPED:
                printer.print_string(f" {self.size.data}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[StringAttr | IntAttr]:
        with parser.in_angle_brackets():
            kind = parser.parse_identifier()
            size = parser.parse_integer() if kind == OrderKind.GROUPED else 1
        return StringAttr(kind), IntAttr(size)


class BlocksKind(StrEnum):
    """How many tile blocks a launch has."""

    EACH = "each"
    """One tile block a point of the index space."""
    PERSISTENT = "persistent"
    """As many as the launcher likes, or a given number of them; each takes every n-th point."""


_BLOCKS: Final = {kind.value: kind for kind in BlocksKind}  # as above


@irdl_attr_definition
class BlocksAttr(PlainAttribute):
    """How points are spread over tile blocks: `#ownership.blocks<each>`, `<persistent>`, `<persistent 132>`."""

    name = "ownership.blocks"

    kind_name: StringAttr
    most: IntAttr

    def __init__(self, kind: BlocksKind | StringAttr, most: int | IntAttr = 0):
        super().__init__(
            _string(kind.value) if isinstance(kind, BlocksKind) else kind,
            _integer(most) if isinstance(most, int) else most,
        )

    @property
    def kind(self) -> BlocksKind:
        """The kind, as an enum."""
        return _BLOCKS[self.kind_name.data]

    @property
    def count(self) -> int:
        """How many persistent blocks there are, where the launch has as many points; 0: as many as the GPU holds."""
        return self.most.data

    def verify(self) -> None:
        if self.kind_name.data not in _BLOCKS:
            raise VerifyException(f"ownership.blocks: unknown kind '{self.kind_name.data}'")
        if self.count < 0 or (self.count and self.kind is BlocksKind.EACH):
            raise VerifyException(f"ownership.blocks: {self.count} is no number of persistent blocks")

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.kind_name.data)
            if self.count:
                printer.print_string(f" {self.count}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[StringAttr | IntAttr]:
        with parser.in_angle_brackets():
            kind = parser.parse_identifier()
            count = parser.parse_optional_integer(allow_boolean=False)
        return StringAttr(kind), IntAttr(count or 0)


def parse_ints(parser: AttrParser) -> ArrayAttr[IntAttr]:
    """Reads `[1, 2]`."""
    return ArrayAttr(
        IntAttr(i) for i in parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    )


def print_ints(printer: Printer, values: ArrayAttr[IntAttr]) -> None:
    """Writes `[1, 2]`."""
    with printer.in_square_brackets():
        printer.print_string(", ".join(str(v.data) for v in values))


@irdl_attr_definition
class LayoutAttr(PlainAttribute):
    """What the launcher has checked about a tensor's storage, and the compiler may therefore use.

    `align`: the base address is a multiple of so many bytes. `strides`, in elements: a positive number is that
    stride, 0 a stride known at launch only. `stride_divs`, `extent_divs`: what each stride and extent is a
    multiple of (1: nothing is known).
    """

    name = "ownership.layout"

    align: IntAttr
    strides: ArrayAttr[IntAttr]
    stride_divs: ArrayAttr[IntAttr]
    extent_divs: ArrayAttr[IntAttr]

    @staticmethod
    def of(align: int, strides: Sequence[int], stride_divs: Sequence[int], extent_divs: Sequence[int]) -> LayoutAttr:
        """The layout with these facts."""
        return LayoutAttr(_integer(align), integers(strides), integers(stride_divs), integers(extent_divs))

    @staticmethod
    def default(rank: int) -> LayoutAttr:
        """The layout of a tensor about which only a unit stride of the last axis is known."""
        return LayoutAttr.of(1, [0] * (rank - 1) + [1] * (rank > 0), [1] * rank, [1] * rank)

    def verify(self) -> None:
        if not len(self.strides) == len(self.stride_divs) == len(self.extent_divs):
            raise VerifyException("ownership.layout: strides, stride_divs and extent_divs differ in length")
        if self.align.data < 1 or any(i.data < 1 for i in (*self.stride_divs, *self.extent_divs)):
            raise VerifyException("ownership.layout: alignments and divisors are positive")
        if any(i.data < 0 for i in self.strides):
            raise VerifyException("ownership.layout: strides are positive, or 0 for one known at launch")

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"align = {self.align.data}, strides = ")
            print_ints(printer, self.strides)
            printer.print_string(", stride_divs = ")
            print_ints(printer, self.stride_divs)
            printer.print_string(", extent_divs = ")
            print_ints(printer, self.extent_divs)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[IntAttr | ArrayAttr[IntAttr]]:
        with parser.in_angle_brackets():
            parser.parse_keyword("align")
            parser.parse_punctuation("=")
            found: list[IntAttr | ArrayAttr[IntAttr]] = [IntAttr(parser.parse_integer())]
            for key in ("strides", "stride_divs", "extent_divs"):
                parser.parse_punctuation(",")
                parser.parse_keyword(key)
                parser.parse_punctuation("=")
                found.append(parse_ints(parser))
        return found
