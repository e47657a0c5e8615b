"""Bytecode to modules of the `cuda_tile` dialect."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    UnknownLoc,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from freehold.backend.bytecode.attributes import AttributeReader
from freehold.backend.bytecode.debug import DebugReader
from freehold.backend.bytecode.encoding import MAGIC, PAD, Cursor, MalformedBytecode
from freehold.backend.bytecode.tables import (
    ALIGNMENT,
    HIGHEST_OPCODE,
    PREVIEW_OPCODES,
    Arity,
    AttributeTag,
    Form,
    FunctionFlag,
    OpRecord,
    Property,
    Section,
    op_of_opcode,
    op_record,
)
from freehold.backend.bytecode.types import TypeReader
from freehold.dialects.classes import build
from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr, SymbolVisibilityAttr
from freehold.dialects.cuda_tile.op import SEGMENTS, segments
from freehold.dialects.cuda_tile.ops.module import EntryOp, GlobalOp, TileModuleOp
from freehold.dialects.cuda_tile.types import TileType
from freehold.dialects.cuda_tile.version import V13_3, V13_5, VERSIONS, Version
from freehold.support.large import MAX_NESTING, large

MODULE_NAME: Final = "kernels"
"""The name of modules that are read: files do not hold one."""
MAX_FILE: Final = 64 << 20
"""The largest file that is read, in bytes."""


def read_bytecode(data: bytes) -> ModuleOp:
    """
    The module of a bytecode file of version 13.1 to 13.5: a builtin module that holds one `cuda_tile.module`.

    Whatever the bytes are, it ends soon, takes memory in proportion to their number, and raises nothing but
    `MalformedBytecode(offset, reason)`. The module has the shape that its operations demand (numbers of operands,
    results and regions, kinds of attributes); what its verifier says of it is another question.
    """
    if len(data) > MAX_FILE:
        raise MalformedBytecode(MAX_FILE, f"the file has {len(data)} bytes; at most {MAX_FILE} are read")
    try:
        with large():
            return _Reader(data).module()
    except (RecursionError, MemoryError) as error:  # the bounds above should make this impossible
        raise MalformedBytecode(0, f"reading it takes too much ({type(error).__name__})") from None


@lru_cache(maxsize=256)
def _bools(data: bytes) -> DenseArrayBase[IntegerType]:
    return DenseArrayBase.from_list(i1, [byte != 0 for byte in data])


def bytecode_version(data: bytes) -> Version:
    """The version that a file's header states. Raises `MalformedBytecode`."""
    if data[: len(MAGIC)] != MAGIC:
        raise MalformedBytecode(0, "it does not begin as Tile IR bytecode does")
    cursor = Cursor(data, len(MAGIC), len(data))
    version = Version(cursor.byte(), cursor.byte())
    if version not in VERSIONS:
        raise cursor.fail(f"version {version} is none of {', '.join(map(str, VERSIONS))}", len(MAGIC))
    return version


class _Reader:
    def __init__(self, data: bytes):
        self._data = data
        self._version = bytecode_version(data)
        sections = self._sections()
        self._of: Final = sections
        self._types = TypeReader(data, self._table(Section.TYPE, 4), self._version)
        strings = self._table(Section.STRING, 4)
        self._attributes = AttributeReader(data, self._types, strings, self._table(Section.CONSTANT, 8))
        debug = sections.get(Section.DEBUG)
        self._debug = None if debug is None else DebugReader(debug, self._attributes, self._version)
        self._values: list[SSAValue] = []
        self._locations: Sequence[int] = ()
        self._location = 0
        self._located = False
        self._records: dict[int, OpRecord] = {}

    def _sections(self) -> dict[Section, Cursor]:
        data = self._data
        cursor = Cursor(data, len(MAGIC) + 2, len(data))
        (tag,) = cursor.fixed(1, "H")
        if tag:
            what = "preview content, which has no stable meaning" if tag == 1 else f"the unknown tag {tag:#x}"
            raise cursor.fail(f"the header announces {what}", len(MAGIC) + 2)
        sections: dict[Section, Cursor] = {}
        while True:
            at = cursor.position
            head = cursor.byte()
            number, aligned = head & 0x7F, head & 0x80
            if number == Section.END and not aligned:
                if cursor.left:
                    raise cursor.fail(f"{cursor.left} bytes follow the end of the file")
                break
            if not Section.END < number <= Section.PRODUCER:
                raise cursor.fail(f"there is no section {number}", at)
            section = Section(number)
            if section in sections:
                raise cursor.fail(f"there are two {section.name} sections", at)
            size = cursor.varint()
            if aligned:
                alignment = cursor.varint()
                if not alignment or alignment & (alignment - 1) or alignment > 1 << 20:
                    raise cursor.fail(f"a section cannot be aligned to {alignment}", at)
                cursor.skip_padding(alignment, 0)
            if cursor.position % ALIGNMENT.get(section, 1):
                raise cursor.fail(f"the {section.name} section is not aligned to {ALIGNMENT[section]}", at)
            cursor.need(size, f"the {section.name} section")
            sections[section] = Cursor(data, cursor.position, cursor.position + size)
            cursor.position += size
        for section in (Section.STRING, Section.FUNCTION):
            if section not in sections:
                raise cursor.fail(f"there is no {section.name} section", at)
        return sections

    def _table(self, section: Section, width: int) -> list[tuple[int, int]]:
        cursor = self._of.get(section)
        return [] if cursor is None else cursor.entries(f"{section.name} entries", width, cursor.position)

    def module(self) -> ModuleOp:
        """The whole file."""
        producer = None
        if (cursor := self._of.get(Section.PRODUCER)) is not None:
            producer = self._attributes.string(cursor)
        module = TileModuleOp(MODULE_NAME, self._globals(), producer)
        cursor = self._of[Section.FUNCTION]
        # A function takes at least a name, a signature, flags, a debug index and a length.
        for _ in range(cursor.count("functions", 5)):
            module.block.add_op(self._function(cursor))
        return ModuleOp([module])

    def _globals(self) -> list[Operation]:
        cursor = self._of.get(Section.GLOBAL)
        if cursor is None:
            return []
        ops: list[Operation] = []
        for _ in range(cursor.count("globals", 4)):
            name = self._attributes.string(cursor)
            at = cursor.position
            type_ = self._types.read(cursor)
            if not isinstance(type_, TileType) or type_.rank != 1:
                raise cursor.fail(f"a global is a tile of rank 1, not {type_}", at)
            value = self._attributes.constant(cursor, type_)
            at, alignment = cursor.position, cursor.varint()
            if alignment >> 63:
                raise cursor.fail(f"the alignment {alignment} is out of range", at)
            constant, visibility = 0, SymbolVisibilityAttr.of("public")
            if self._version >= V13_3:
                visibility = cast("SymbolVisibilityAttr", self._types.enum(cursor, SymbolVisibilityAttr))
                constant = cursor.flags("a global", 1)
            ops.append(GlobalOp(name, value, alignment, bool(constant), visibility))
        if cursor.bytes(cursor.left).strip(bytes((PAD,))):  # padding may be counted as a part of the section
            raise cursor.fail("something follows the last global")
        return ops

    def _function(self, cursor: Cursor) -> EntryOp:
        name = self._attributes.string(cursor)
        at = cursor.position
        signature = self._types.read(cursor)
        if not isinstance(signature, FunctionType):
            raise cursor.fail(f"the signature of {name!r} is no function type", at)
        at, flags = cursor.position, cursor.byte()
        known = FunctionFlag.ENTRY | (FunctionFlag.HINTS if self._version < V13_5 else 0)
        if flags | known != known or not flags & FunctionFlag.ENTRY:  # `~` of an enumeration knows its own bits alone
            raise cursor.fail(
                f"the function {name!r} with flags {flags:#x} is no kernel; others are preview content", at
            )
        at, debug = cursor.position, cursor.varint()
        location: LocationAttr = UnknownLoc()
        self._located = debug != 0
        if debug:
            if self._debug is None:
                raise cursor.fail("there is no debug section", at)
            location, self._locations = self._debug.begin(debug, name, cursor, at)
            self._location = 0
        properties: dict[str, Attribute] = {"sym_name": StringAttr(name), "function_type": signature}
        if self._version >= V13_5 or flags & FunctionFlag.HINTS:
            hints = self._tagged(cursor, AttributeTag.HINTS, "optimization hints")
            if flags & FunctionFlag.HINTS or cast("OptimizationHintsAttr", hints).hints.data:
                properties["optimization_hints"] = hints
        if self._version >= V13_5:
            attributes = cast("ArrayAttr[Attribute]", self._tagged(cursor, AttributeTag.ARRAY, "argument attributes"))
            if attributes.data:
                properties["arg_attrs"] = attributes
        length = cursor.count("bytes of a body")
        body = Cursor(self._data, cursor.position, cursor.position + length)
        cursor.position += length
        block = Block(arg_types=signature.inputs.data)
        self._values = list(block.args)
        while body.left:
            block.add_op(self._op(body, 0))
        return EntryOp.create(properties=properties, regions=[Region(block)], location=location)

    def _tagged(self, cursor: Cursor, tag: AttributeTag, what: str) -> Attribute:
        if cursor.left and self._data[cursor.position] != tag:
            raise cursor.fail(f"{what} are expected here")
        return self._attributes.self_contained(cursor)

    def _record(self, opcode: int, cursor: Cursor, at: int) -> OpRecord:
        op = op_of_opcode().get(opcode)
        if op is None or opcode > HIGHEST_OPCODE[self._version]:
            if (name := PREVIEW_OPCODES.get(opcode)) is not None:
                raise cursor.fail(f"operation `{name}` is preview content, which has no stable meaning", at)
            if op is not None:
                raise cursor.fail(f"`{op.short_name()}` came with {op.since}; this file has {self._version}", at)
            raise cursor.fail(f"there is no operation {opcode}", at)
        record = self._records[opcode] = op_record(op, self._version)
        return record

    def _op(self, cursor: Cursor, depth: int) -> Operation:
        at = cursor.position
        opcode = cursor.varint()
        record = self._records.get(opcode) or self._record(opcode, cursor, at)
        location = self._next_location(cursor) if self._located else None
        result_types = self._result_types(record, cursor)
        properties: dict[str, Attribute] = {}
        if record.bare:
            operands = self._operands(cursor, self._plain_count(record, cursor))
        else:
            flags = cursor.flags(f"`{record.type.short_name()}`", record.known_flags) if record.has_flags else 0
            for field in record.properties:
                if field.there and (not field.optional or flags & field.flag):
                    properties[field.name] = self._property(field, cursor, result_types)
            if record.segmented:
                operands, sizes = self._segments(record, cursor, flags)
                properties[SEGMENTS] = segments(*sizes)
            else:
                operands = self._operands(cursor, self._plain_count(record, cursor))
                sizes = (len(operands),)
            for field in record.properties:
                if not field.there and not field.optional:
                    value = record.type.missing_property(field.name, sizes)
                    if value is None:
                        raise cursor.fail(f"`{record.type.short_name()}` needs `{field.name}`", at)
                    properties[field.name] = value
        regions: Sequence[Region] = ()
        if record.may_be_empty:
            regions = self._regions(record, cursor, depth)
        op = record.type.__new__(record.type)
        build(op, operands, result_types, properties, regions)
        op.__post_init__()
        if location is not None:
            op.location = location
        if record.newer_results:
            for field, result in zip(record.results, op.results, strict=True):
                if field.there:
                    self._values.append(result)
        else:
            self._values += op.results
        return op

    def _next_location(self, cursor: Cursor) -> LocationAttr:
        assert self._debug is not None
        index = self._location
        if index >= len(self._locations):
            raise cursor.fail("the list of locations is shorter than the function")
        self._location = index + 1
        return self._debug.location(self._locations[index], cursor)

    def _result_types(self, record: OpRecord, cursor: Cursor) -> list[Attribute]:
        at = cursor.position
        read = self._types.read
        expected = record.fixed_results
        if record.counts_results:
            number = cursor.count("results")
            if number < expected if record.many_results else number != expected:
                raise cursor.fail(f"`{record.type.short_name()}` cannot have {number} results", at)
            expected = number
        types = [read(cursor) for _ in range(expected)]
        if record.newer_results:
            for index, field in enumerate(record.results):
                if not field.there:
                    assert field.type is not None
                    types.insert(index, field.type)
        return types

    def _plain_count(self, record: OpRecord, cursor: Cursor) -> int:
        """The number of operands where no field says its own."""
        if not record.counts_operands:
            return len(record.operands)
        at = cursor.position
        number = cursor.count("operands")
        least = sum(field.arity is Arity.ONE for field in record.operands)
        most = None if any(field.arity is Arity.MANY for field in record.operands) else len(record.operands)
        if number < least or (most is not None and number > most):
            raise cursor.fail(f"`{record.type.short_name()}` cannot have {number} operands", at)
        return number

    def _operands(self, cursor: Cursor, number: int) -> list[SSAValue]:
        values = self._values
        operands: list[SSAValue] = []
        for _ in range(number):
            at = cursor.position
            index = cursor.varint()
            if index >= len(values):
                raise cursor.fail(f"there is no value {index} here", at)
            operands.append(values[index])
        return operands

    def _segments(self, record: OpRecord, cursor: Cursor, flags: int) -> tuple[list[SSAValue], tuple[int, ...]]:
        """The operands of an operation whose every field says how many it holds, and those numbers."""
        operands: list[SSAValue] = []
        sizes: list[int] = []
        for field in record.operands:
            if field.counted:
                size = cursor.count("operands")
            else:
                size = 1 if field.arity is Arity.ONE or flags & field.flag else 0
            operands += self._operands(cursor, size)
            sizes.append(size)
        return operands, tuple(sizes)

    def _property(self, field: Property, cursor: Cursor, result_types: list[Attribute]) -> Attribute:
        match field.form:
            case Form.ENUM:
                assert field.enum is not None
                return self._types.enum(cursor, field.enum)
            case Form.FLAG:
                return UnitAttr()
            case Form.CONSTANT:
                return self._attributes.constant(cursor, result_types[0])
            case Form.HINTS:
                return self._attributes.hints(cursor)
            case Form.TAGGED:
                at = cursor.position
                attribute = self._attributes.self_contained(cursor)
                if not isinstance(attribute, field.kind):
                    raise cursor.fail(f"{attribute} is nothing that `{field.name}` can be", at)
                return attribute
            case Form.BOOLS:
                return _bools(cursor.bytes(cursor.count("flags")))
            case Form.I32S:
                return DenseArrayBase.from_list(i32, cursor.integers("integers", "i"))
            case Form.INTEGER | Form.BOOL:
                assert field.integer is not None
                at, value = cursor.position, cursor.varint()
                if value >> field.integer.width.data:
                    raise cursor.fail(f"{value} has more bits than {field.integer}", at)
                return IntegerAttr(value, field.integer, truncate_bits=True)
            case Form.STRING:
                text = self._attributes.string(cursor)
                return SymbolRefAttr(text) if field.kind is SymbolRefAttr else StringAttr(text)
            case Form.ARRAY:
                return self._attributes.array(cursor)

    def _regions(self, record: OpRecord, cursor: Cursor, depth: int) -> list[Region]:
        at = cursor.position
        if depth >= MAX_NESTING:
            raise cursor.fail(f"more than {MAX_NESTING} regions stand in one another", at)
        number = cursor.count("regions")
        if number != len(record.may_be_empty):
            raise cursor.fail(f"`{record.type.short_name()}` has {len(record.may_be_empty)} regions, not {number}", at)
        return [self._region(record, index, cursor, depth) for index in range(number)]

    def _region(self, record: OpRecord, index: int, cursor: Cursor, depth: int) -> Region:
        at = cursor.position
        blocks = cursor.count("blocks", 2)
        if blocks > 1 or (blocks == 0 and not record.may_be_empty[index]):
            raise cursor.fail(f"region {index} of `{record.type.short_name()}` cannot have {blocks} blocks", at)
        return Region([self._block(cursor, depth) for _ in range(blocks)])

    def _block(self, cursor: Cursor, depth: int) -> Block:
        outside = len(self._values)
        block = Block(arg_types=[self._types.read(cursor) for _ in range(cursor.count("block arguments"))])
        self._values += block.args
        for _ in range(cursor.count("operations")):
            block.add_op(self._op(cursor, depth + 1))
        del self._values[outside:]
        return block
