"""
What stands where in a bytecode file: the tables that the writer and the reader share.

Sections, types, attributes and debug records are listed here. Operations are not: `op_record` derives an operation's
record from its class (the order of its fields, which of them are optional, and the version each came in with), so that
adding an operation touches the file of its class and nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum, IntFlag, auto
from functools import cache
from typing import Final, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    DenseArrayBase,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import (
    AttrConstraint,
    AttrSizedOperandSegments,
    BaseAttr,
    OperandDef,
    OptOperandDef,
    OptPropertyDef,
    ParamAttrConstraint,
    ResultDef,
    SingleBlockRegionDef,
    VerificationContext,
)
from xdsl.irdl.operations import OptionalDef, VariadicDef

from freehold.backend.bytecode.encoding import varint
from freehold.dialects.cuda_tile.attrs import (
    ENUMS,
    OptimizationHintsAttr,
    PaddingValueAttr,
    PtrAttrAttr,
    WireEnum,
    WireEnumAttr,
)
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.op import TileOp
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
from freehold.dialects.cuda_tile.version import V13_1, V13_3, V13_4, Version

# --- Sections


class FunctionFlag(IntFlag):
    """What a function record's flags say. Bit 2 means something else from 13.5 on."""

    PRIVATE = 1
    ENTRY = 2
    HINTS = 4


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


class Arity(Enum):
    """How many values a field of operands or results holds."""

    ONE = auto()
    OPTIONAL = auto()
    MANY = auto()


_LOOSE: Final = {Form.ARRAY, Form.CONSTANT, Form.HINTS, Form.TAGGED}


@dataclass(frozen=True, slots=True)
class Property:
    """A property of an operation, as it stands in the records of one version."""

    name: str
    form: Form
    since: Version
    there: bool
    """Whether this version has it."""
    optional: bool
    flag: int
    """The bit of the record's flags that says if an optional one is there; 0 otherwise."""
    enum: type[WireEnumAttr[WireEnum]] | None
    """Which enumeration, for `Form.ENUM`."""
    integer: IntegerType | None
    """The type of the integer, for `Form.INTEGER` and `Form.BOOL`."""
    kind: type[Attribute]
    """The class of attributes it holds, or their base."""


@dataclass(frozen=True, slots=True)
class Values:
    """A field of operands or results, as it stands in the records of one version."""

    name: str
    arity: Arity
    since: Version
    there: bool
    flag: int
    """The bit of the record's flags that says if an optional operand is there; 0 where nothing says so."""
    counted: bool
    """Whether the number of its values stands before them."""
    type: Attribute | None
    """The one type it can have, where there is but one."""


@dataclass(frozen=True, slots=True)
class OpRecord:
    """
    The record of an operation in one version:

    opcode, [number of results], result types, [flags], properties, operands, [number of regions, regions].
    """

    type: type[TileOp]
    opcode: bytes
    since: Version
    counts_results: bool
    results: tuple[Values, ...]
    has_flags: bool
    properties: tuple[Property, ...]
    segmented: bool
    """Whether each field of operands says for itself how many it holds; if not, `counts_operands` or it is fixed."""
    counts_operands: bool
    operands: tuple[Values, ...]
    may_be_empty: tuple[bool, ...]
    """For each region, whether it may have no block; none has more than one."""

    bare: bool
    """Whether operands are all there is between result types and regions."""
    newer_results: bool
    """Whether it has results that this version does not have."""
    known_flags: int
    """The flag bits that have a meaning."""
    property_flags: tuple[tuple[str, int], ...]
    """The properties that have a flag, and its bit."""
    operand_flags: tuple[tuple[int, int], ...]
    """The positions of the operand fields that have a flag, and its bit."""
    written: tuple[Property, ...]
    """The properties that stand in the record by more than a flag."""
    absent: tuple[Property, ...]
    """The properties that this version does not have."""
    loose: tuple[str, ...]
    """The properties that may be equal and give other bytes, as zeros of either sign do, or take long to compare."""
    fixed_results: int
    """How many results there are at least in this version; exactly as many without `many_results`."""
    many_results: bool


@cache
def op_record(op: type[TileOp], version: Version) -> OpRecord:
    """The record of an operation in files of a version; derived from its class."""
    definition = op.get_irdl_definition()
    since = {
        name: op.field_since.get(name, op.since)
        for name in (
            *definition.properties,
            *(name for name, _ in (*definition.operands, *definition.results)),
        )
    }
    segmented = any(isinstance(option, AttrSizedOperandSegments) for option in definition.options)
    names = [name for name in definition.properties if name != AttrSizedOperandSegments.attribute_name]
    # Flag bits count optional properties and then optional operands, those of older versions first.
    flagged = [name for name in names if isinstance(definition.properties[name], OptPropertyDef)]
    if segmented:
        flagged += [name for name, field in definition.operands if isinstance(field, OptOperandDef)]
    flagged.sort(key=lambda name: since[name])  # a stable sort
    flags = {name: 1 << bit for bit, name in enumerate(flagged)}

    def values(name: str, field: OperandDef | ResultDef) -> Values:
        optional, many = isinstance(field, OptionalDef), isinstance(field, VariadicDef)
        arity = Arity.OPTIONAL if optional else Arity.MANY if many else Arity.ONE
        there = since[name] <= version
        flag, counted = flags.get(name, 0) if there else 0, segmented and arity is Arity.MANY
        return Values(name, arity, since[name], there, flag, counted, _only_type(field))

    def property_(name: str) -> Property:
        constraint = definition.properties[name].constr
        form, kind, integer = _form(op, name, constraint)
        enum = cast("type[WireEnumAttr[WireEnum]]", kind) if form is Form.ENUM else None
        there = since[name] <= version
        flag = flags.get(name, 0) if there else 0
        return Property(name, form, since[name], there, name in flags, flag, enum, integer, kind)

    operands = tuple(values(name, field) for name, field in definition.operands)
    results = tuple(values(name, field) for name, field in definition.results)
    properties = tuple(property_(name) for name in names)
    return OpRecord(
        op,
        varint(op.opcode),
        op.since,
        any(field.arity is Arity.MANY for field in (*operands, *results)),
        results,
        any(since[name] <= version for name in flagged),
        properties,
        segmented,
        not segmented and any(field.arity is not Arity.ONE for field in operands),
        operands,
        tuple(not isinstance(field, SingleBlockRegionDef) for _, field in definition.regions),
        not segmented and not properties,
        not all(field.there for field in results),
        sum(field.flag for field in (*properties, *operands)),
        tuple((field.name, field.flag) for field in properties if field.flag),
        tuple((index, field.flag) for index, field in enumerate(operands) if field.flag),
        tuple(field for field in properties if field.there and field.form is not Form.FLAG),
        tuple(field for field in properties if not field.there),
        tuple(field.name for field in properties if field.form in _LOOSE),
        sum(field.there and field.arity is Arity.ONE for field in results),
        any(field.arity is Arity.MANY for field in results),
    )


_FORMS: Final[Mapping[type[Attribute], Form]] = {
    UnitAttr: Form.FLAG,
    StringAttr: Form.STRING,
    SymbolRefAttr: Form.STRING,
    ArrayAttr: Form.ARRAY,
    DenseElementsAttr: Form.CONSTANT,
    OptimizationHintsAttr: Form.HINTS,
}


def _form(op: type[TileOp], name: str, constraint: AttrConstraint) -> tuple[Form, type[Attribute], IntegerType | None]:
    """How a property with this constraint stands in a record, the class it has, and the type of its integers."""
    bases = constraint.get_bases()
    if bases is None and isinstance(constraint, BaseAttr):  # an open set of attributes, each of which says what it is
        return Form.TAGGED, constraint.attr, None
    if bases is not None and len(bases) == 1:
        (base,) = bases
        if issubclass(base, WireEnumAttr):
            return Form.ENUM, cast("type[WireEnumAttr[WireEnum]]", base), None
        if (form := _FORMS.get(base)) is not None:
            return form, base, None
        if base is IntegerAttr and (element := _element_type(constraint, 1)) is not None:
            return Form.BOOL if element.width.data == 1 else Form.INTEGER, base, element
        if base is DenseArrayBase and (element := _element_type(constraint, 0)) is not None:
            return Form.BOOLS if element.width.data == 1 else Form.I32S, base, element
    raise TypeError(f"{op.name}: nothing says how the property `{name}` is encoded")


def _element_type(constraint: AttrConstraint, parameter: int) -> IntegerType | None:
    """The integer type that a constraint on an attribute demands of one of its parameters."""
    if not isinstance(constraint, ParamAttrConstraint):
        return None
    try:
        type_ = constraint.param_constrs[parameter].infer(VerificationContext())
    except (ValueError, KeyError):
        return None
    return cast("IntegerType", type_) if isinstance(type_, IntegerType) else None


def _only_type(field: OperandDef | ResultDef) -> Attribute | None:
    try:
        (type_,) = field.constr.infer(VerificationContext(), length=1)
    except (ValueError, KeyError):
        return None
    return type_


@cache
def op_of_opcode() -> Mapping[int, type[TileOp]]:
    """Every operation that stands in function bodies, by its opcode."""
    from freehold.dialects.cuda_tile import CudaTile

    # Text has spellings that are operations of their own until they are read; bytecode has none of them.
    ops = (op for op in CudaTile.operations if issubclass(op, TileOp) and "opcode" in vars(op))
    return {op.opcode: op for op in ops if op.short_name() not in NOT_IN_BODIES}


PREVIEW_OPCODES: Final[Mapping[int, str]] = {
    0x4000: "preview$func",
    0x4001: "preview$extern_impl",
    0x4002: "preview$call",
}
"""Operations that only preview builds of the tools read. They are refused by name."""

NOT_IN_BODIES: Final = frozenset({"entry", "global", "module"})
"""Operations that have sections of their own and are never written as operations."""

WIRE_VALUE: Final[Mapping[int, int]] = {id(member): member.wire for enum in ENUMS for member in enum.enum_type}
"""The value of every enumeration member by its identity: members live as long as the process."""
