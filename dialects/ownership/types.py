"""Types of the ownership dialect. They say what a value is: a tensor the launch holds, a shared borrow of one, an
exclusive partition of one, or the region of such a partition that one tile block owns.

A dimension is a term over launch-uniform symbols (`freehold.support.terms`): `M`, `128`, `"H // G"`. Equal
dimensions are equal extents: the launcher checks it once, the prover uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.classes import PlainAttribute, array, holding, put, string, whole
from freehold.dialects.ownership.attrs import Access, AccessAttr, LayoutAttr, integers, parse_ints, print_ints
from freehold.support import terms
from freehold.support.terms import Term

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer


@lru_cache(maxsize=4096)
def term_of_text(text: str) -> Term:
    """A term by its text. Raises `ValueError` for what is none."""
    return terms.parse(text)


def parse_terms(parser: AttrParser) -> list[StringAttr]:
    """Reads `[M, 128, "H // G"]`."""
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_dim(parser))


def print_terms(printer: Printer, found: ArrayAttr[StringAttr]) -> None:
    """Writes what `parse_terms` reads."""
    with printer.in_square_brackets():
        printer.print_list(
            found,
            lambda d: (
                printer.print_string(d.data)
                if d.data.isidentifier() or d.data.isdecimal()
                else printer.print_string_literal(d.data)
            ),
        )


def _parse_dim(parser: AttrParser) -> StringAttr:
    if (number := parser.parse_optional_integer(allow_boolean=False)) is not None:
        return StringAttr(str(number))
    if (text := parser.parse_optional_str_literal()) is not None:
        return StringAttr(text)
    return StringAttr(parser.parse_identifier(" of a dimension"))


@irdl_attr_definition
class TensorType(PlainAttribute, TypeAttribute):
    """A tensor in global memory that a launch holds: `!ownership.tensor<[M, "H // G", 64], f32>`.

    As a kernel's argument it is owned by the kernel for the launch; `borrow` lends it to all tile blocks for
    reading, `partition` splits it into regions for writing. It cannot be accessed itself.
    """

    name = "ownership.tensor"

    dims: ArrayAttr[StringAttr]
    element: Attribute
    layout: LayoutAttr

    @staticmethod
    def of(dims: Sequence[str | int], element: Attribute, layout: LayoutAttr | None = None) -> TensorType:
        """The type of tensors of these extents (terms as text, or numbers)."""
        return TensorType(
            array([string(str(d)) for d in dims]),
            element,
            layout or LayoutAttr.default(len(dims)),
        )

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.dims.data)

    @property
    def extents(self) -> tuple[Term, ...]:
        """The extents, in elements."""
        found = getattr(self, "_extents", None)  # IRDL takes no cached property
        if found is None:
            found = tuple([term_of_text(d.data) for d in self.dims.data])
            put(self, "_extents", found)
        return found

    def extent(self, axis: int) -> Term:
        """The extent of `axis`, in elements."""
        return self.extents[axis]

    def verify(self) -> None:
        if len(self.layout.strides) != self.rank:
            raise VerifyException(
                f"{self.name}: the layout has {len(self.layout.strides)} axes, the tensor {self.rank}"
            )
        for d in self.dims:
            try:
                extent = term_of_text(d.data)
            except ValueError as e:
                raise VerifyException(f"{self.name}: a dimension is a term over symbols: {e}") from e
            if extent.is_const and extent.value < 1:
                raise VerifyException(f"{self.name}: extents are positive, not {extent.value}")

    def print_body(self, printer: Printer) -> None:
        """The parameters without brackets: `[M, K], f32`, and the layout where it says anything."""
        print_terms(printer, self.dims)
        printer.print_string(", ")
        printer.print_attribute(self.element)
        if self.layout != LayoutAttr.default(self.rank):
            printer.print_string(", ")
            printer.print_attribute(self.layout)

    @staticmethod
    def parse_body(parser: AttrParser) -> TensorType:
        """Reads what `print_body` prints."""
        dims = parse_terms(parser)
        parser.parse_punctuation(",")
        element = parser.parse_type()
        layout: Attribute = LayoutAttr.default(len(dims))
        position = parser.pos
        if parser.parse_optional_punctuation(",") is not None:
            found = parser.parse_optional_attribute()
            if not isinstance(found, LayoutAttr):
                parser.raise_error("expected #ownership.layout<...>", position)
            layout = found
        return TensorType(ArrayAttr(dims), element, layout)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self.print_body(printer)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return cls.parse_body(parser).parameters


class _WholeTensor(PlainAttribute, TypeAttribute):
    """Base of the types that say what becomes of a whole tensor: their text is the tensor's."""

    if TYPE_CHECKING:
        tensor: TensorType

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self.tensor.print_body(printer)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return (TensorType.parse_body(parser),)


@irdl_attr_definition
class RefType(_WholeTensor):
    """A shared borrow of a whole tensor: any tile block may read any of it, none may write it.

    `!ownership.ref<[M, K], f32>`
    """

    name = "ownership.ref"

    tensor: TensorType


@irdl_attr_definition
class PartitionType(PlainAttribute, TypeAttribute):
    """A tensor split into tiles, each for one tile block alone.

    `!ownership.partition<out tile [128, 64], [M, N], f32>`, with `step [..]` after the tile where consecutive
    regions do not start a tile apart. Region `(i, j)` begins at element `(i * step[0], j * step[1])` and has `tile`
    elements, less what overhangs the tensor; there are `ceildiv(extent, step)` regions along an axis.

    `ragged 0` behind that: along axis 0 the tensor falls into groups, which offsets bound, and each is split by itself.
    Region `(g, i, j)` is region `(i, j)` of group `g`, less what overhangs the group.
    """

    name = "ownership.partition"

    access: AccessAttr
    tile: ArrayAttr[IntAttr]
    step: ArrayAttr[IntAttr]
    ragged: IntAttr
    tensor: TensorType

    @staticmethod
    def of(
        access: Access,
        tile: Sequence[int],
        tensor: TensorType,
        step: Sequence[int] | None = None,
        ragged: int | None = None,
    ) -> PartitionType:
        """The partition of `tensor` into regions of `tile` elements, `step` (by default: a tile) apart; where it is
        `ragged`, along that axis group by group."""
        return PartitionType(
            holding(AccessAttr, access),
            integers(tile),
            integers(tile if step is None else step),
            whole(-1 if ragged is None else ragged),
            tensor,
        )

    @property
    def groups_axis(self) -> int | None:
        """The axis along which the tensor falls into groups, if it does."""
        axis = self.ragged.data
        return None if axis < 0 else axis

    @property
    def index_rank(self) -> int:
        """The number of a region's coordinates: one an axis, and in front of them the group's, if there are groups."""
        return self.tensor.rank + (self.groups_axis is not None)

    @property
    def tile_shape(self) -> tuple[int, ...]:
        """The shape of a region."""
        return tuple([i.data for i in self.tile.data])

    @property
    def steps(self) -> tuple[int, ...]:
        """The distance between neighbouring regions' first elements, by axis."""
        return tuple([i.data for i in self.step.data])

    @property
    def stored_first(self) -> bool:
        """Whether a region is garbage until it is stored."""
        return self.access.data not in (Access.MUT, Access.PARTIAL_MUT)

    @property
    def partial(self) -> bool:
        """Whether the partition says that regions may be left to nobody."""
        return self.access.data in (Access.PARTIAL, Access.PARTIAL_MUT)

    @property
    def covered(self) -> bool:
        """Whether every region has to be stored."""
        return self.access.data is Access.OUT

    def grid(self, axis: int) -> Term:
        """The number of regions along `axis`; not along one with groups, of which each has its own."""
        return self.regions[axis]

    @property
    def regions(self) -> tuple[Term, ...]:
        """The numbers of regions, by axis; of groups' axes as if there were none."""
        found = getattr(self, "_regions", None)
        if found is None:
            each = zip(self.tensor.extents, self.step.data, strict=True)
            found = tuple([terms.ceildiv(extent, terms.const(step.data)) for extent, step in each])
            put(self, "_regions", found)
        return found

    def verify(self) -> None:
        if not len(self.tile) == len(self.step) == self.tensor.rank:
            raise VerifyException(
                f"{self.name}: a tile of rank {len(self.tile)} with steps of rank {len(self.step)} "
                f"cannot partition a tensor of rank {self.tensor.rank}"
            )
        if any(i.data < 1 or i.data & (i.data - 1) for i in self.tile):
            raise VerifyException(f"{self.name}: a tile's extents are powers of two")
        if any(i.data < 1 for i in self.step):
            raise VerifyException(f"{self.name}: steps are positive")
        if (axis := self.groups_axis) is not None:
            if axis >= self.tensor.rank:
                raise VerifyException(f"{self.name}: no axis {axis} in a tensor of rank {self.tensor.rank}")
            if self.steps[axis] != self.tile_shape[axis]:
                raise VerifyException(f"{self.name}: regions of a group lie a tile apart")

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.access.data} tile ")
            print_ints(printer, self.tile)
            if self.step != self.tile:
                printer.print_string(" step ")
                print_ints(printer, self.step)
            if self.groups_axis is not None:
                printer.print_string(f" ragged {self.groups_axis}")
            printer.print_string(", ")
            self.tensor.print_body(printer)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            access = parser.parse_str_enum(Access)
            parser.parse_keyword("tile")
            tile = parse_ints(parser)
            step = parse_ints(parser) if parser.parse_optional_keyword("step") else tile
            axis = parser.parse_integer(allow_negative=False) if parser.parse_optional_keyword("ragged") else -1
            parser.parse_punctuation(",")
            return AccessAttr(access), tile, step, IntAttr(axis), TensorType.parse_body(parser)


@irdl_attr_definition
class RegionType(PlainAttribute, TypeAttribute):
    """The exclusive region of a partition that one tile block owns: `!ownership.region<out tile [64], [N], f32>`.

    It is accessed without an index, so it cannot be accessed out of place.
    """

    name = "ownership.region"

    partition: PartitionType

    def print_parameters(self, printer: Printer) -> None:
        self.partition.print_parameters(printer)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return (PartitionType(*PartitionType.parse_parameters(parser)),)  # pyright: ignore[reportArgumentType] -- its own parameters, typed as attributes


@irdl_attr_definition
class AccType(_WholeTensor):
    """A tensor that any tile block may update, atomically and in one way, and nobody reads: `!ownership.acc<[N], f32>`.

    Updates of one kind commute, so blocks may meet at an element.
    """

    name = "ownership.acc"

    tensor: TensorType


@irdl_attr_definition
class RawType(_WholeTensor):
    """A tensor that is accessed without proof, by operations that name their reason: `!ownership.raw<[N], f32>`."""

    name = "ownership.raw"

    tensor: TensorType
