"""Declarative constraints on the types of operands and results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint, EqAttrConstraint
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.cuda_tile.types import (
    ANY_ELEMENT,
    FLOATS,
    IEEE_FLOATS,
    INTS,
    NUMBERS,
    POINTER,
    TOKEN,
    GatherScatterViewType,
    PartitionViewType,
    StridedViewType,
    TensorViewType,
    TileDialectType,
    TileType,
    TileViewType,
    element_name,
    tile,
)


@dataclass(frozen=True)
class TileOf(AttrConstraint[TileType]):
    """A tile whose elements are among `elements`; of rank 0 where `scalar` is set."""

    elements: frozenset[str]
    scalar: bool = False

    def verify(self, attr: Attribute, constraint_context: object) -> None:
        """Refuse anything but such a tile."""
        if (
            not isinstance(attr, TileType)
            or element_name(attr.element_type) not in self.elements
            or (self.scalar and attr.shape.data)
        ):
            raise VerifyException(f"expected {self}, got {attr}")

    def get_bases(self) -> set[type[Attribute]]:
        """The one class of attributes that can satisfy this."""
        return {TileType}

    def mapping_type_vars(self, type_var_mapping: Mapping[Any, Any]) -> TileOf:
        """There are no type variables inside."""
        del type_var_mapping
        return self

    def __str__(self) -> str:
        names = _SET_NAMES.get(self.elements) or ", ".join(sorted(self.elements, key=_element_order))
        return f"a {'rank-0 ' if self.scalar else ''}tile of {names}"


def _element_order(name: str) -> tuple[bool, str]:
    return name not in INTS, name


_SET_NAMES: Final = {
    INTS: "integers (i1 to i64)",
    FLOATS: "floats",
    NUMBERS: "numbers",
    NUMBERS | {"i4"}: "numbers (i4 included)",
    INTS | {"i4"}: "integers (i1 to i64, i4 included)",
    ANY_ELEMENT: "any element type",
    POINTER: "pointers",
    IEEE_FLOATS: "f16, bf16, f32 or f64",
}


@dataclass(frozen=True)
class OneOf(AttrConstraint[Attribute]):
    """A type of one of the given classes, named in messages by `what`."""

    classes: tuple[type[Attribute], ...]
    what: str

    def verify(self, attr: Attribute, constraint_context: object) -> None:
        """Refuse types of other classes."""
        if not isinstance(attr, self.classes):
            raise VerifyException(f"expected {self.what}, got {attr}")

    def mapping_type_vars(self, type_var_mapping: Mapping[Any, Any]) -> OneOf:
        """There are no type variables inside."""
        del type_var_mapping
        return self

    def __str__(self) -> str:
        return self.what


INT_TILE: Final = TileOf(INTS)
FLOAT_TILE: Final = TileOf(IEEE_FLOATS)
ANY_FLOAT_TILE: Final = TileOf(FLOATS)
NUMBER_TILE: Final = TileOf(NUMBERS)
ANY_TILE: Final = TileOf(ANY_ELEMENT)
BOOL_TILE: Final = TileOf(frozenset({"i1"}))
POINTER_TILE: Final = TileOf(POINTER)
SCALAR_INT: Final = TileOf(INTS, scalar=True)
SCALAR_I32: Final = EqAttrConstraint(tile((), i32))
SCALAR_BOOL: Final = TileOf(frozenset({"i1"}), scalar=True)
SCALAR_POINTER: Final = TileOf(POINTER, scalar=True)
I8_TILE: Final = TileOf(frozenset({"i8"}))
I64_TILE: Final = TileOf(frozenset({"i64"}))
TOKEN_TYPE: Final = EqAttrConstraint(TOKEN)
TENSOR_VIEW: Final = OneOf((TensorViewType,), "a tensor_view")
PARTITION_VIEW: Final = OneOf((PartitionViewType,), "a partition_view")
STRIDED_VIEW: Final = OneOf((StridedViewType,), "a strided_view")
GATHER_SCATTER_VIEW: Final = OneOf((GatherScatterViewType,), "a gather_scatter_view")
TILE_VIEW: Final = OneOf((TileViewType,), "a tile view (partition, strided or gather_scatter)")
ANY_TYPE: Final = OneOf((TileDialectType,), "a cuda_tile type")
