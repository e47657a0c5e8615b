"""What passes ask of accesses: an operation that reaches into a tensor says it of itself, and is matched by no name."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import ClassVar

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import AttrSizedOperandSegments, ParsePropInAttrDict, opt_operand_def, var_operand_def

from freehold.dialects.classes import nth, operands_of
from freehold.dialects.cuda_tile import TileType
from freehold.dialects.ownership.attrs import Update
from freehold.dialects.ownership.duties import OwingOp


class Action(Enum):
    """What is done to elements of a tensor."""

    TAKE = "take"
    """They become a region, for accesses that come later."""
    READ = "read"
    WRITE = "write"
    UPDATE = "update"
    """They are read and written in one."""


class Indexing(Enum):
    """What the indices of an access are."""

    OWN = "own"
    """There are none: it is a region, whose place is known from where it was taken."""
    TILES = "tiles"
    """Scalars, which count tiles: along each axis, `steps` elements apart."""
    FIRST = "first"
    """Scalars, which count elements: where a tile begins."""
    EACH = "each"
    """Tiles of numbers, which count elements: one for each that is accessed, or as many as are stretched to that."""


class AccessOp(OwingOp):
    """Base of the operations that reach into a tensor: its tiles, its elements, or the regions that points take.

    If an access is ordered by tokens, the one that it waits for is its last operand, in a segment of its own, and the
    one that it yields its last result.
    """

    ACTION: ClassVar[Action]
    CALLED: ClassVar[str]
    """In the words of a user, in front of the tensor's name: `load from`."""
    MEMORY: ClassVar[int] = 0
    """The number of the operand that is accessed."""

    VALUE: ClassVar[int | None] = None
    """The number of the operand that is written, or that what is there is updated with."""

    @property
    def memory(self) -> SSAValue:
        """What is accessed: a borrow, a region, an accumulator, a raw tensor, or the partition that a region is of."""
        return nth(operands_of(self), self.MEMORY)

    @property
    def value(self) -> SSAValue | None:
        """The tile that is written, or that what is there is updated with."""
        return None if self.VALUE is None else nth(operands_of(self), self.VALUE)

    @property
    def indexing(self) -> Indexing:
        """What `places` are."""
        raise NotImplementedError

    @property
    def places(self) -> Sequence[SSAValue]:
        """The indices, by axis; of a region of a group the group's number comes first."""
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tile that is accessed: of what is written, or else of what is read."""
        tile = (nth(self.results, 0) if self.VALUE is None else nth(operands_of(self), self.VALUE)).type
        assert isinstance(tile, TileType)
        return tile.dims

    @property
    def steps(self) -> tuple[int, ...]:
        """How far apart neighbouring places lie, in elements, by axis."""
        return self.shape if self.indexing in (Indexing.TILES, Indexing.OWN) else (1,) * len(self.shape)

    @property
    def chosen(self) -> SSAValue | None:
        """Which elements are accessed, as truth values; None for all."""
        return None

    @property
    def padding(self) -> Attribute | None:
        """What is read where nothing is accessed; None for zero."""
        return self.properties.get("padding_value")

    @property
    def order(self) -> tuple[str, str | None]:
        """How the access is ordered with others, and among which threads, in the words of Tile IR."""
        return "weak", None

    @property
    def commuting(self) -> Update | None:
        """The kind of an update of an accumulator: one of its kind may come before it or after it."""
        return None

    @property
    def combining(self) -> str | None:
        """What an update makes of what is there and of `value`, in the words of Tile IR."""
        return None

    @property
    def expects(self) -> SSAValue | None:
        """What has to be there for `value` to take its place."""
        return None


class ElementsOp(AccessOp):
    """Base of accesses by element: to the one at each index, where a mask holds. Both come behind other operands."""

    indices = var_operand_def(TileType)
    mask = opt_operand_def(TileType)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    @property
    def indexing(self) -> Indexing:
        return Indexing.EACH

    @property
    def places(self) -> Sequence[SSAValue]:
        return self.indices

    @property
    def chosen(self) -> SSAValue | None:
        return self.mask
