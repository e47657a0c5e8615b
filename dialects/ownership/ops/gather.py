"""Reads of a shared borrow that count elements: of each one, or from one on. What is out of bounds is not read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import NoMemoryEffect
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.cuda_tile import DenseElementsAttr, OptimizationHintsAttr, PaddingValueAttr, TileType
from freehold.dialects.cuda_tile.types import element_name
from freehold.dialects.ownership.duties import Owed, Rung
from freehold.dialects.ownership.format import FormattedOp
from freehold.dialects.ownership.interface import AccessOp, Action, ElementsOp, Indexing
from freehold.dialects.ownership.ops.common import INDEX, MASKABLE, checked_tile, in_bounds, tensor_type
from freehold.dialects.ownership.types import RefType


def check_elements(
    name: str, source: SSAValue, indices: Sequence[SSAValue], mask: SSAValue | None, shape: Sequence[int]
) -> None:
    """One index an axis, of `i32` or `i64`, as long as `shape` or 1 along each of its axes; a mask of that shape."""
    tensor = tensor_type(source)
    if len(indices) != tensor.rank or not indices:
        raise VerifyException(f"{name}: {len(indices)} indices for a tensor of rank {tensor.rank}")
    for index in indices:
        assert isinstance(index.type, TileType)
        if element_name(index.type.element_type) not in ("i32", "i64"):
            raise VerifyException(f"{name}: an index is i32 or i64, not {index.type.element_type}")
        dims = index.type.dims
        if len(dims) != len(shape) or any(d not in (1, s) for d, s in zip(dims, shape, strict=True)):
            raise VerifyException(f"{name}: an index of shape {dims} cannot be stretched to {tuple(shape)}")
    if mask is not None:
        assert isinstance(mask.type, TileType)
        if mask.type.dims != tuple(shape) or element_name(mask.type.element_type) != "i1":
            raise VerifyException(f"{name}: the mask is a tile of i1 of shape {tuple(shape)}, not {mask.type}")


Padding = PaddingValueAttr | DenseElementsAttr
"""What elements read by index are where they are not read: a value by name, or any as a scalar literal."""


def check_padding(name: str, padding: Padding | None, tile: TileType) -> None:
    """A literal is one scalar of the tile's element."""
    if isinstance(padding, DenseElementsAttr) and (padding.type.dims or padding.type.element_type != tile.element_type):
        raise VerifyException(f"{name}: the padding is a scalar of {tile.element_type}, not {padding.type}")


@irdl_op_definition
class GatherOp(ElementsOp, FormattedOp):
    """Reads the element at `(indices[0][e], indices[1][e], ...)` for each element `e` of the result.

    Indices count elements and are read as signed; an extent of 1 is stretched to the result's. An element whose index
    is out of bounds along some axis, a negative one included, or for which `mask` is false, is not read: it is
    `padding_value`, by default zero. `in_bounds` records for each axis whether that can happen at all (`masked`) or
    not (`proved`).
    """

    name = "ownership.gather"
    ACTION: ClassVar[Action] = Action.READ
    CALLED: ClassVar[str] = "gather from"

    source = operand_def(RefType)
    padding_value = opt_prop_def(Padding)
    hints = opt_prop_def(OptimizationHintsAttr)
    result = result_def(TileType)

    FORMAT: ClassVar[str] = (
        "$source `[` $indices `]` (`mask` $mask^ `:` type($mask))? attr-dict `:` type($source) `,`"
        " `(` type($indices) `)` `->` type($result)"
    )
    traits = traits_def(NoMemoryEffect())

    def __init__(
        self,
        source: SSAValue,
        indices: Sequence[SSAValue],
        result_type: TileType,
        mask: SSAValue | None = None,
        *,
        padding: Padding | None = None,
        hints: OptimizationHintsAttr | None = None,
    ):
        super().__init__(
            operands=[source, indices, mask],
            properties={"padding_value": padding, "hints": hints},
            result_types=[result_type],
        )

    @property
    def owed(self) -> Sequence[Owed]:
        return in_bounds(tensor_type(self.source).rank)

    @property
    def rungs(self) -> frozenset[Rung]:
        return MASKABLE

    def verify_(self) -> None:
        tile = checked_tile(self.name, "loads", self.result, tensor_type(self.source))
        check_elements(self.name, self.source, self.indices, self.mask, tile.dims)
        check_padding(self.name, self.padding_value, tile)


@irdl_op_definition
class LoadFromOp(AccessOp, FormattedOp):
    """Reads the tile that begins at element `start`, which may lie anywhere, also in front of the tensor.

    Elements out of bounds read as `padding_value`, by default zero. `in_bounds` records for each axis whether the first
    element is in bounds (`proved`); then only the tile's end may overhang, as that of any tile. Otherwise (`masked`)
    each element along the axis is compared.
    """

    name = "ownership.load_from"
    ACTION: ClassVar[Action] = Action.READ
    CALLED: ClassVar[str] = "load from"

    source = operand_def(RefType)
    start = var_operand_def(INDEX)
    padding_value = opt_prop_def(PaddingValueAttr)
    hints = opt_prop_def(OptimizationHintsAttr)
    result = result_def(TileType)

    FORMAT: ClassVar[str] = "$source `[` $start `]` attr-dict `:` type($source) `->` type($result)"
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(NoMemoryEffect())

    def __init__(
        self,
        source: SSAValue,
        start: Sequence[SSAValue],
        result_type: TileType,
        *,
        padding: PaddingValueAttr | None = None,
        hints: OptimizationHintsAttr | None = None,
    ):
        super().__init__(
            operands=[source, start],
            properties={"padding_value": padding, "hints": hints},
            result_types=[result_type],
        )

    @property
    def indexing(self) -> Indexing:
        return Indexing.FIRST

    @property
    def places(self) -> Sequence[SSAValue]:
        return self.start

    @property
    def owed(self) -> Sequence[Owed]:
        return in_bounds(tensor_type(self.source).rank)

    @property
    def rungs(self) -> frozenset[Rung]:
        return MASKABLE

    def verify_(self) -> None:
        tensor = tensor_type(self.source)
        tile = checked_tile(self.name, "loads", self.result, tensor)
        if not len(self.start) == len(tile.dims) == tensor.rank or not tensor.rank:
            raise VerifyException(
                f"{self.name}: a tile of rank {len(tile.dims)} at {len(self.start)} offsets of a tensor of rank "
                f"{tensor.rank}"
            )
