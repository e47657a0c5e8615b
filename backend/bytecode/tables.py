"""
What stands where in a bytecode file: the tables that the writer and the reader share.

Sections, types, attributes and debug records are listed here. Operations are not: `op_record` derives an operation's
record from its class (the order of its fields, which of them are optional, and the version each came in with), so that
adding an operation touches the file of its class and nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum, auto
from typing import Final

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerType,
)
from xdsl.ir import Attribute, ParametrizedAttribute

from freehold.dialects.cuda_tile.attrs import (
    PaddingValueAttr,
    PtrAttrAttr,
    WireEnum,
    WireEnumAttr,
)
from freehold.dialects.cuda_tile.types import (
    ELEMENT_SINCE,
    GatherScatterViewType,
    PartitionViewType,
    PointerType,
    StridedViewType,
    TensorViewType,
    TileType,
    TokenType,
    element_name,
    fnv8E5M3FNU,
)
from freehold.dialects.cuda_tile.version import V13_1, V13_2, V13_3, V13_4, V13_5, Version

# --- Sections


class Section(IntEnum):
    """The sections of a file by their number."""

    END = 0
    STRING = 1
    FUNCTION = 2
    DEBUG = 3
    CONSTANT = 4
    TYPE = 5
    GLOBAL = 6
    PRODUCER = 7


ALIGNMENT: Final[Mapping[Section, int]] = {
    Section.STRING: 4,
    Section.FUNCTION: 8,
    Section.DEBUG: 8,
    Section.CONSTANT: 8,
    Section.TYPE: 4,
}
"""What each section's payload begins at a multiple of; the others are not aligned."""

SECTION_ORDER: Final = (
    Section.FUNCTION,
    Section.GLOBAL,
    Section.CONSTANT,
    Section.DEBUG,
    Section.TYPE,
    Section.PRODUCER,
    Section.STRING,
)
"""The order in which sections are written. Any order is read."""

HIGHEST_OPCODE: Final[Mapping[Version, int]] = {V13_1: 0x6D, V13_2: 0x6E, V13_3: 0x75, V13_4: 0x7A, V13_5: 0x7D}

# --- Types


class Part(Enum):
    """How one parameter of a type stands in the type's record."""

    TYPE = auto()
    """The number of another type."""
    I32S = auto()
    """A counted array of 32-bit integers."""
    I64S = auto()
    """A counted array of 64-bit integers."""
    NUMBER = auto()
    """One integer: a shape of one entry."""
    OPTION = auto()
    """An enumeration's value, there if its flag is set."""


@dataclass(frozen=True, slots=True)
class TypeRecord:
    """The record of a type: its tag, and its parameters in the order of the file."""

    tag: int
    type: type[ParametrizedAttribute]
    since: Version
    parts: tuple[tuple[str, Part], ...] = ()
    option: type[WireEnumAttr[WireEnum]] | None = None
    """What the one optional parameter is, which stands last."""
    flags_since: Version = V13_1
    """The version from which on the record begins with flags. Before it, an option is a byte 0 or 1 where it stands,
    or is not there at all if its attribute is not older."""


FUNCTION_TAG: Final = 16
ELEMENTS: Final[tuple[tuple[int, Attribute], ...]] = (
    (0, IntegerType(1)),
    (1, IntegerType(8)),
    (2, IntegerType(16)),
    (3, IntegerType(32)),
    (4, IntegerType(64)),
    (5, Float16Type()),
    (6, BFloat16Type()),
    (7, Float32Type()),
    (8, FloatTF32Type()),
    (9, Float64Type()),
    (10, Float8E4M3FNType()),
    (11, Float8E5M2Type()),
    (18, Float8E8M0FNUType()),
    (19, Float4E2M1FNType()),
    (22, IntegerType(4)),
    (130, fnv8E5M3FNU),
)
"""The tags of the element types, which have no parameters in the file."""

COMPOSITES: Final = (
    TypeRecord(12, PointerType, V13_1, (("pointee", Part.TYPE), ("ptr_attr", Part.OPTION)), PtrAttrAttr, V13_4),
    TypeRecord(13, TileType, V13_1, (("element_type", Part.TYPE), ("shape", Part.I64S))),
    TypeRecord(
        14,
        TensorViewType,
        V13_1,
        (("element_type", Part.TYPE), ("shape", Part.I64S), ("strides", Part.I64S), ("ptr_attr", Part.OPTION)),
        PtrAttrAttr,
        V13_4,
    ),
    TypeRecord(
        15,
        PartitionViewType,
        V13_1,
        (("tile_shape", Part.I32S), ("tensor_view", Part.TYPE), ("dim_map", Part.I32S), ("padding", Part.OPTION)),
        PaddingValueAttr,
        V13_3,
    ),
    TypeRecord(17, TokenType, V13_1),
    TypeRecord(
        20,
        GatherScatterViewType,
        V13_3,
        (("tile_shape", Part.I32S), ("tensor_view", Part.TYPE), ("sparse_dim", Part.NUMBER), ("padding", Part.OPTION)),
        PaddingValueAttr,
        V13_3,
    ),
    TypeRecord(
        21,
        StridedViewType,
        V13_3,
        (
            ("tile_shape", Part.I32S),
            ("traversal_strides", Part.I32S),
            ("tensor_view", Part.TYPE),
            ("dim_map", Part.I32S),
            ("padding", Part.OPTION),
        ),
        PaddingValueAttr,
        V13_3,
    ),
)

ELEMENT_OF_TAG: Final[Mapping[int, Attribute]] = dict(ELEMENTS)
TAG_OF_ELEMENT: Final[Mapping[Attribute, int]] = {element: tag for tag, element in ELEMENTS}
RECORD_OF_TAG: Final[Mapping[int, TypeRecord]] = {record.tag: record for record in COMPOSITES}
RECORD_OF_TYPE: Final[Mapping[type[Attribute], TypeRecord]] = {record.type: record for record in COMPOSITES}


def element_since(element: Attribute) -> Version:
    """The version that an element type came in with."""
    return ELEMENT_SINCE[element_name(element)]


# --- Attributes that say themselves what they are


class AttributeTag(IntEnum):
    """The tags of self-contained attributes."""

    INTEGER = 1
    FLOAT = 2
    BOOL = 3
    TYPE = 4
    STRING = 5
    ARRAY = 6
    DENSE = 7
    DIV_BY = 8
    SAME_ELEMENTS = 9
    DICTIONARY = 10
    HINTS = 11
    BOUNDED = 12


# --- Debug records


class DebugTag(IntEnum):
    """The tags of debug records."""

    UNKNOWN = 0
    COMPILE_UNIT = 1
    FILE = 2
    LEXICAL_BLOCK = 3
    LOCATION = 4
    SUBPROGRAM = 5
    CALL_SITE = 6


# --- Operations


class Form(Enum):
    """How a property of an operation stands in the operation's record."""

    FLAG = auto()
    """Nothing but its flag."""
    ENUM = auto()
    """An enumeration's value."""
    INTEGER = auto()
    """An integer, its bits taken as unsigned."""
    BOOL = auto()
    """One byte."""
    STRING = auto()
    """The number of a string."""
    I32S = auto()
    """A counted array of 32-bit integers."""
    BOOLS = auto()
    """A counted array of bytes 0 or 1."""
    ARRAY = auto()
    """Counted self-contained attributes."""
    CONSTANT = auto()
    """The number of a constant, of the type of the operation's result."""
    HINTS = auto()
    """Counted pairs of an architecture and a self-contained dictionary."""
    TAGGED = auto()
    """A self-contained attribute."""
