"""Accesses to memory: tiles of borrows, and regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.cuda_tile import OptimizationHintsAttr, PaddingValueAttr, TileType, TokenType
from freehold.dialects.ownership.duties import Owed
from freehold.dialects.ownership.format import FormattedOp
from freehold.dialects.ownership.interface import AccessOp, Action, Indexing
from freehold.dialects.ownership.ops.common import INDEX, checked_tile, in_bounds, tensor_type
from freehold.dialects.ownership.types import RefType, RegionType


class AccessEffect(MemoryEffect):
    """What is behind a shared borrow cannot change while the kernel runs, so reading it is no effect at all: such
    loads may be merged, moved and dropped. What a region holds can change, and only through that region."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        assert isinstance(op, AccessOp)
        if op.ACTION is not Action.READ:
            return {EffectInstance(MemoryEffectKind.WRITE)}
        return set() if isinstance(op.memory.type, RefType) else {EffectInstance(MemoryEffectKind.READ, op.memory)}


@irdl_op_definition
class LoadOp(AccessOp, FormattedOp):
    """Reads a tile.

    From a shared borrow: the tile at `coordinates`, counted in tiles of the result's shape along each axis. Owes
    `in_bounds` for each axis. From a region: the region, without coordinates. Elements that overhang the tensor
    read as `padding_value`, by default zero. `hints` carries what is known about speed only (latency, TMA).
    Accesses to one region are ordered by `token` once `thread-tokens` has run.
    """

    name = "ownership.load"
    ACTION: ClassVar[Action] = Action.READ
    CALLED: ClassVar[str] = "load from"

    source = operand_def(RefType | RegionType)
    coordinates = var_operand_def(INDEX)
    token = opt_operand_def(TokenType)
    padding_value = opt_prop_def(PaddingValueAttr)
    hints = opt_prop_def(OptimizationHintsAttr)
    result = result_def(TileType)
    result_token = opt_result_def(TokenType)

    FORMAT: ClassVar[str] = (
        "$source (`[` $coordinates^ `]`)? (`token` $token^)? attr-dict `:` type($source) `->` type($result)"
        " (`,` type($result_token)^)?"
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(AccessEffect())

    def __init__(
        self,
        source: SSAValue,
        coordinates: Sequence[SSAValue],
        result_type: TileType,
        *,
        padding: PaddingValueAttr | None = None,
        hints: OptimizationHintsAttr | None = None,
    ):
        super().__init__(
            operands=[source, coordinates, None],
            properties={"padding_value": padding, "hints": hints},
            result_types=[result_type, None],
        )

    @property
    def indexing(self) -> Indexing:
        return Indexing.OWN if isinstance(self.source.type, RegionType) else Indexing.TILES

    @property
    def places(self) -> Sequence[SSAValue]:
        return self.coordinates

    @property
    def steps(self) -> tuple[int, ...]:
        return self.source.type.partition.steps if isinstance(self.source.type, RegionType) else self.shape

    @property
    def owed(self) -> Sequence[Owed]:
        return () if isinstance(self.source.type, RegionType) else in_bounds(tensor_type(self.source).rank)

    def verify_(self) -> None:
        source, tile = self.source.type, checked_tile(self.name, "loads", self.result, tensor_type(self.source))
        if isinstance(source, RegionType):
            if self.coordinates:
                raise VerifyException(f"{self.name}: a region is loaded without coordinates")
            if tile.dims != source.partition.tile_shape:
                raise VerifyException(f"{self.name}: the region is {source.partition.tile_shape}, not {tile.dims}")
        else:
            rank = tensor_type(self.source).rank
            if not len(self.coordinates) == len(tile.dims) == rank:
                raise VerifyException(
                    f"{self.name}: a tile of rank {len(tile.dims)} at {len(self.coordinates)} coordinates "
                    f"of a tensor of rank {rank}"
                )


@irdl_op_definition
class StoreOp(AccessOp, FormattedOp):
    """Writes a tile to a region. What overhangs the tensor is not written.

    A shared borrow is accepted as a target so that `verify-borrows` can refuse it with the user's own line.
    """

    name = "ownership.store"
    ACTION: ClassVar[Action] = Action.WRITE
    CALLED: ClassVar[str] = "store to"
    MEMORY: ClassVar[int] = 1
    VALUE: ClassVar[int | None] = 0

    tile = operand_def(TileType)
    target = operand_def(RegionType | RefType)
    coordinates = var_operand_def(INDEX)
    token = opt_operand_def(TokenType)
    hints = opt_prop_def(OptimizationHintsAttr)
    result_token = opt_result_def(TokenType)

    FORMAT: ClassVar[str] = (
        "$tile `,` $target (`[` $coordinates^ `]`)? (`token` $token^)? attr-dict `:` type($tile) `,` type($target)"
        " (`->` type($result_token)^)?"
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(AccessEffect())

    def __init__(
        self,
        tile: SSAValue,
        target: SSAValue,
        coordinates: Sequence[SSAValue] = (),
        *,
        hints: OptimizationHintsAttr | None = None,
    ):
        super().__init__(operands=[tile, target, coordinates, None], properties={"hints": hints}, result_types=[None])

    @property
    def owed(self) -> Sequence[Owed]:
        return ()

    @property
    def indexing(self) -> Indexing:
        return Indexing.OWN

    @property
    def places(self) -> Sequence[SSAValue]:
        return self.coordinates

    @property
    def steps(self) -> tuple[int, ...]:
        return self.target.type.partition.steps if isinstance(self.target.type, RegionType) else self.shape

    def verify_(self) -> None:
        tile = checked_tile(self.name, "stores", self.tile, tensor_type(self.target))
        if isinstance(self.target.type, RegionType):
            if self.coordinates:
                raise VerifyException(f"{self.name}: a region is stored without coordinates")
            shape = self.target.type.partition.tile_shape
            if tile.dims != shape:
                raise VerifyException(f"{self.name}: the region is {shape}, not {tile.dims}")
