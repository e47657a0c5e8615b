"""Commutative atomic updates: what may be done to a tensor that all tile blocks write at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from xdsl.dialects.builtin import ArrayAttr, IntAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.cuda_tile import TileType
from freehold.dialects.cuda_tile.ops.atomics import atomic_elements
from freehold.dialects.cuda_tile.types import element_name, is_int
from freehold.dialects.ownership.attrs import Update, UpdateAttr
from freehold.dialects.ownership.duties import Duty, Owed, OwingOp, Rung
from freehold.dialects.ownership.format import FormattedOp
from freehold.dialects.ownership.interface import AccessOp, Action, ElementsOp, Indexing
from freehold.dialects.ownership.ops.common import (
    INDEX,
    MASKABLE,
    OwnershipEffect,
    checked_tile,
    in_bounds,
    tensor_type,
)
from freehold.dialects.ownership.ops.gather import check_elements
from freehold.dialects.ownership.types import AccType, TensorType


@irdl_op_definition
class AccumulatorOp(OwingOp, FormattedOp):
    """Lends a tensor to every tile block for updates of one kind, which commute, until the kernel ends.

    Nobody reads it or stores to it meanwhile.
    """

    name = "ownership.accumulator"

    tensor = operand_def(TensorType)
    result = result_def(AccType)

    FORMAT: ClassVar[str] = "$tensor attr-dict `:` type($tensor) `->` type($result)"
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(OwnershipEffect())

    def __init__(self, tensor: SSAValue[TensorType]):
        super().__init__(operands=[tensor], result_types=[AccType(tensor.type)])

    @property
    def owed(self) -> Sequence[Owed]:
        return (Duty.APART, -1), (Duty.COMMUTING, -1)

    def verify_(self) -> None:
        if self.result.type.tensor != self.tensor.type:
            raise VerifyException(f"{self.name}: an accumulator of {self.tensor.type} is no {self.result.type}")


ATOMIC: Final[dict[Update, frozenset[str]]] = {
    update: atomic_elements(update.value).union(atomic_elements("addf") if update is Update.ADD else ())
    for update in Update
}
"""The element types that each update takes, by name."""


class UpdateOp(AccessOp):
    """Base of the updates of accumulators."""

    ACTION: ClassVar[Action] = Action.UPDATE
    CALLED: ClassVar[str] = "update of"
    MEMORY: ClassVar[int] = 1
    VALUE: ClassVar[int | None] = 0

    update = prop_def(UpdateAttr)
    traits = traits_def(OwnershipEffect())

    @property
    def order(self) -> tuple[str, str | None]:
        return "relaxed", "device"

    @property
    def commuting(self) -> Update:
        return self.update.data

    @property
    def combining(self) -> str:
        floats = self.commuting is Update.ADD and not is_int(tensor_type(self.memory).element)
        return "addf" if floats else self.commuting.value

    @property
    def owed(self) -> Sequence[Owed]:
        return in_bounds(tensor_type(self.memory).rank)

    def checked(self) -> TileType:
        """The type of what the tensor is updated with. Refuses elements that there is no such update of."""
        tensor, update = tensor_type(self.memory), self.commuting
        if element_name(tensor.element) not in ATOMIC[update]:
            takes = ", ".join(sorted(ATOMIC[update]))
            raise VerifyException(f"{self.name}: {update.value} takes {takes}, not {tensor.element}")
        return checked_tile(self.name, "updates", self.operands[0], tensor)


@irdl_op_definition
class AccumulateOp(UpdateOp, FormattedOp):
    """Updates the tile at `coordinates`, counted in tiles, element by element; what overhangs the tensor is left out.

    Tiles begin `step` elements apart, by default a tile. Owes `in_bounds` for each axis. Updates of one kind commute,
    so they are ordered neither with each other nor with those of other tile blocks.
    """

    name = "ownership.accumulate"

    tile = operand_def(TileType)
    target = operand_def(AccType)
    coordinates = var_operand_def(INDEX)
    step = opt_prop_def(ArrayAttr[IntAttr])

    FORMAT: ClassVar[str] = "$update $tile `,` $target `[` $coordinates `]` attr-dict `:` type($tile) `,` type($target)"
    irdl_options = (ParsePropInAttrDict(),)

    def __init__(
        self,
        update: Update,
        tile: SSAValue,
        target: SSAValue,
        coordinates: Sequence[SSAValue],
        step: Sequence[int] | None = None,
    ):
        steps = None if step is None else ArrayAttr([IntAttr(s) for s in step])
        super().__init__(operands=[tile, target, coordinates], properties={"update": UpdateAttr(update), "step": steps})

    @property
    def steps(self) -> tuple[int, ...]:
        return self.shape if self.step is None else tuple(s.data for s in self.step)

    @property
    def indexing(self) -> Indexing:
        return Indexing.TILES

    @property
    def places(self) -> Sequence[SSAValue]:
        return self.coordinates

    def verify_(self) -> None:
        tensor, tile = tensor_type(self.target), self.checked()
        if not len(self.coordinates) == len(tile.dims) == len(self.steps) == tensor.rank:
            raise VerifyException(
                f"{self.name}: a tile of rank {len(tile.dims)} at {len(self.coordinates)} coordinates of a tensor of "
                f"rank {tensor.rank}"
            )
        if any(s < 1 for s in self.steps):
            raise VerifyException(f"{self.name}: steps are positive")


@irdl_op_definition
class AccumulateAtOp(UpdateOp, ElementsOp, FormattedOp):
    """Updates the element at `(indices[0][e], indices[1][e], ...)` with `values[e]`, for each element `e`.

    Indices are those of `gather`. An element whose index is out of bounds, or for which `mask` is false, does nothing.
    Two that meet at one element both count.
    """

    name = "ownership.accumulate_at"

    values = operand_def(TileType)
    target = operand_def(AccType)

    FORMAT: ClassVar[str] = (
        "$update $values `,` $target `[` $indices `]` (`mask` $mask^ `:` type($mask))? attr-dict `:` type($values) `,`"
        " type($target) `,` `(` type($indices) `)`"
    )

    def __init__(
        self,
        update: Update,
        values: SSAValue,
        target: SSAValue,
        indices: Sequence[SSAValue],
        mask: SSAValue | None = None,
    ):
        super().__init__(operands=[values, target, indices, mask], properties={"update": UpdateAttr(update)})

    @property
    def rungs(self) -> frozenset[Rung]:
        return MASKABLE

    def verify_(self) -> None:
        check_elements(self.name, self.target, self.indices, self.mask, self.checked().dims)
