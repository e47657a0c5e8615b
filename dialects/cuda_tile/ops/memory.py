"""Accesses through pointers, and tokens (specification, section "Memory")."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, Final, cast

from xdsl.dialects.builtin import IntegerAttr, IntegerType, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryAllocEffect, MemoryWriteEffect, Pure

from freehold.dialects.cuda_tile.attrs import WEAK, MemoryOrderingSemanticsAttr, MemoryScopeAttr, OptimizationHintsAttr
from freehold.dialects.cuda_tile.constraints import (
    ANY_TILE,
    BOOL_TILE,
    NUMBER_TILE,
    POINTER_TILE,
    SCALAR_POINTER,
    TOKEN_TYPE,
)
from freehold.dialects.cuda_tile.effects import OrderedRead, ReadAndWrite
from freehold.dialects.cuda_tile.op import SEGMENTS, TileOp, segments, tile_op
from freehold.dialects.cuda_tile.ops.views import Ordered
from freehold.dialects.cuda_tile.types import ELEMENT_BITS, TOKEN, PointerType, TileType, element_name, tile
from freehold.dialects.cuda_tile.version import V13_3, V13_4

GROUP: Final = "Memory"


@tile_op(68, group=GROUP)
class MakeTokenOp(TileOp):
    """A token that nothing comes before."""

    name = "cuda_tile.make_token"
    result = result_def(TOKEN_TYPE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "attr-dict `:` custom<Ty>(type($result))"

    def __init__(self) -> None:
        self._init((), (TOKEN,))


@tile_op(60, group=GROUP)
class JoinTokensOp(TileOp):
    """A token that comes after every operand."""

    name = "cuda_tile.join_tokens"
    tokens = var_operand_def(TOKEN_TYPE)
    result = result_def(TOKEN_TYPE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "$tokens attr-dict `:` custom<Ty>(type($result))"

    def __init__(self, tokens: Sequence[SSAValue]) -> None:
        self._init(tuple(tokens), (TOKEN,))

    def verify_(self) -> None:
        """There are two operands or more."""
        if len(self.tokens) < 2:
            raise self.fail(f"at least two tokens are needed, got {len(self.tokens)}")


class PointerAccess(Ordered, ABC):
    """Base of the accesses through a tile of pointers, one element a pointer."""

    def verify_access(self, pointers: Attribute, value: Attribute, mask: SSAValue | None) -> None:
        """Pointees, shapes and mask fit each other."""
        pointer_tile, value_tile = cast(TileType, pointers), cast(TileType, value)
        pointer = cast(PointerType, pointer_tile.element_type)
        self.refuse_multicast(pointer.ptr_attr)
        if pointer.pointee != value_tile.element_type:
            raise self.fail(f"the pointers are to {pointer.pointee}, but the value is {value_tile}")
        if pointer_tile.dims != value_tile.dims:
            raise self.fail(f"pointers and value must have one shape, got {pointer_tile} and {value_tile}")
        if mask is not None and cast(TileType, mask.type).dims != pointer_tile.dims:
            raise self.fail(f"the mask must have the pointers' shape, got {mask.type}")
        if pointer_tile.dims and element_name(pointer.pointee) == "f4E2M1FN":
            raise self.fail("f4E2M1FN is addressed through views; pointers to it are scalars")


def access_properties(
    ordering: MemoryOrderingSemanticsAttr, scope: MemoryScopeAttr | None, hints: OptimizationHintsAttr | None
) -> dict[str, Attribute]:
    """The properties of an access, without what is absent."""
    properties: dict[str, Attribute] = {"memory_ordering_semantics": ordering}
    if scope is not None:
        properties["memory_scope"] = scope
    if hints is not None:
        properties["optimization_hints"] = hints
    return properties


@tile_op(61, group=GROUP)
class LoadPtrTkoOp(PointerAccess):
    """Loads one element a pointer. Where the mask is false nothing is read and the padding value stands instead.

    Without a padding value, masked elements are not specified; without a mask, a padding value (`padding=%x`) says
    nothing. Ordered with other accesses by tokens only.
    """

    name = "cuda_tile.load_ptr_tko"
    ORDERINGS: ClassVar[tuple[str, ...]] = ("weak", "relaxed", "acquire")
    memory_ordering_semantics = prop_def(MemoryOrderingSemanticsAttr)
    memory_scope = opt_prop_def(MemoryScopeAttr)
    optimization_hints = opt_prop_def(OptimizationHintsAttr)
    source = operand_def(POINTER_TILE)
    mask = opt_operand_def(BOOL_TILE)
    paddingValue = opt_operand_def(NUMBER_TILE)
    token = opt_operand_def(TOKEN_TYPE)
    result = result_def(ANY_TILE)
    result_token = result_def(TOKEN_TYPE)
    traits = traits_def(OrderedRead())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str | None] = (
        "custom<Key>($memory_ordering_semantics) custom<OptKey>($memory_scope) $source"
        " custom<MaskPad>($mask, $paddingValue) (`token` `` `=` `` $token^)? custom<Hints>($optimization_hints)"
        " attr-dict `:` custom<Ty>(type($source)) custom<MaskPadTy>(type($mask), type($paddingValue)) `->`"
        " custom<Ty>(type($result)) `,` custom<Ty>(type($result_token))"
    )

    def __init__(
        self,
        source: SSAValue,
        mask: SSAValue | None = None,
        padding: SSAValue | None = None,
        token: SSAValue | None = None,
        ordering: MemoryOrderingSemanticsAttr = WEAK,
        scope: MemoryScopeAttr | None = None,
        hints: OptimizationHintsAttr | None = None,
    ) -> None:
        type_ = cast(TileType, source.type)
        properties = access_properties(ordering, scope, hints)
        properties[SEGMENTS] = segments(1, int(mask is not None), int(padding is not None), int(token is not None))
        self._init(
            tuple(value for value in (source, mask, padding, token) if value is not None),
            (tile(type_.dims, cast(PointerType, type_.element_type).pointee), TOKEN),
            properties,
        )

    def verify_(self) -> None:
        """Ordering, pointers, mask and padding fit."""
        self.verify_ordering()
        self.verify_access(self.source.type, self.result.type, self.mask)
        if self.paddingValue is not None and self.paddingValue.type != self.result.type:
            raise self.fail(f"the padding value must be {self.result.type}, got {self.paddingValue.type}")


@tile_op(101, group=GROUP)
class StorePtrTkoOp(PointerAccess):
    """Stores one element a pointer, where the mask holds. Ordered with other accesses by tokens only."""

    name = "cuda_tile.store_ptr_tko"
    ORDERINGS: ClassVar[tuple[str, ...]] = ("weak", "relaxed", "release")
    memory_ordering_semantics = prop_def(MemoryOrderingSemanticsAttr)
    memory_scope = opt_prop_def(MemoryScopeAttr)
    optimization_hints = opt_prop_def(OptimizationHintsAttr)
    destination = operand_def(POINTER_TILE)
    value = operand_def(ANY_TILE)
    mask = opt_operand_def(BOOL_TILE)
    token = opt_operand_def(TOKEN_TYPE)
    result_token = result_def(TOKEN_TYPE)
    traits = traits_def(MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str | None] = (
        "custom<Key>($memory_ordering_semantics) custom<OptKey>($memory_scope) $destination `,` $value (`,` $mask^)?"
        " (`token` `` `=` `` $token^)? custom<Hints>($optimization_hints) attr-dict `:`"
        " custom<Ty>(type($destination)) `,` custom<Ty>(type($value)) (`,` custom<Ty>(type($mask))^)? `->`"
        " custom<Ty>(type($result_token))"
    )

    def __init__(
        self,
        destination: SSAValue,
        value: SSAValue,
        mask: SSAValue | None = None,
        token: SSAValue | None = None,
        ordering: MemoryOrderingSemanticsAttr = WEAK,
        scope: MemoryScopeAttr | None = None,
        hints: OptimizationHintsAttr | None = None,
    ) -> None:
        properties = access_properties(ordering, scope, hints)
        properties[SEGMENTS] = segments(1, 1, int(mask is not None), int(token is not None))
        self._init(
            tuple(operand for operand in (destination, value, mask, token) if operand is not None),
            (TOKEN,),
            properties,
        )

    def verify_(self) -> None:
        """Ordering, pointers, value and mask fit."""
        self.verify_ordering()
        self.verify_access(self.destination.type, self.value.type, self.mask)


@tile_op(113, group=GROUP, since=V13_3)
class AllocaOp(TileOp):
    """Memory for `num_elem` elements, private to the tile block, or `global`ly visible. Contents are not specified.

    `alignment` is in bytes: a power of two no smaller than the element.
    """

    name = "cuda_tile.alloca"
    num_elem = prop_def(IntegerAttr.constr(i64))
    alignment = prop_def(IntegerAttr.constr(i64))
    global_ = opt_prop_def(UnitAttr, prop_name="global")
    result = result_def(SCALAR_POINTER)
    traits = traits_def(MemoryAllocEffect())
    FORMAT: ClassVar[str | None] = (
        "`num_elem` `=` custom<Int64>($num_elem) `,` `alignment` `=` custom<Int64>($alignment) custom<Flag>($global)"
        " attr-dict `:` custom<Ty>(type($result))"
    )

    def __init__(self, pointer: PointerType, num_elem: int, alignment: int, is_global: bool = False) -> None:
        properties: dict[str, Attribute] = {
            "num_elem": IntegerAttr(num_elem, i64),
            "alignment": IntegerAttr(alignment, i64),
        }
        if is_global:
            properties["global"] = UnitAttr()
        self._init((), (tile((), pointer),), properties)

    def verify_(self) -> None:
        """The count is not negative and the alignment fits the element."""
        count = cast("IntegerAttr[IntegerType]", self.num_elem).value.data
        alignment = cast("IntegerAttr[IntegerType]", self.alignment).value.data
        if count < 0:
            raise self.fail(f"num_elem must not be negative, got {count}")
        pointee = cast(PointerType, self.result.type.element_type).pointee
        natural = (ELEMENT_BITS[element_name(pointee)] + 7) // 8
        if alignment <= 0 or alignment & (alignment - 1):
            raise self.fail(f"the alignment must be a power of two, got {alignment}")
        if alignment < natural:
            raise self.fail(f"{pointee} must be aligned to {natural} bytes or more, got {alignment}")


class Dependency(TileOp, ABC):
    """Base of the operations by which one grid waits for another (programmatic dependent launch)."""

    token = opt_operand_def(TOKEN_TYPE)
    result_token = result_def(TOKEN_TYPE)
    traits = traits_def(ReadAndWrite())
    FORMAT: ClassVar[str | None] = "(`token` `=` $token^)? attr-dict `->` custom<Ty>(type($result_token))"

    def __init__(self, token: SSAValue | None = None) -> None:
        self._init(() if token is None else (token,), (TOKEN,))


@tile_op(119, group=GROUP, since=V13_4)
class GdcLaunchDependentsTkoOp(Dependency):
    """Lets the grids that depend on this one start. What comes before the token is visible to them."""

    name = "cuda_tile.gdc_launch_dependents_tko"


@tile_op(120, group=GROUP, since=V13_4)
class GdcWaitTkoOp(Dependency):
    """Waits for the grids this one depends on. What comes after the token sees their writes."""

    name = "cuda_tile.gdc_wait_tko"


@tile_op(122, group=GROUP, since=V13_4)
class MemoryFenceAliasTkoOp(TileOp):
    """Orders accesses to the same memory through different kinds of address."""

    name = "cuda_tile.memory_fence_alias_tko"
    token = operand_def(TOKEN_TYPE)
    result_token = result_def(TOKEN_TYPE)
    traits = traits_def(ReadAndWrite())
    FORMAT: ClassVar[str | None] = "$token attr-dict"

    def __init__(self, token: SSAValue) -> None:
        self._init((token,), (TOKEN,))
