"""
Bytecode to the bodies of functions.

What stands before an operation's operands says its class, the types of its results and its properties. A kernel has few
such *heads*: each is read once, and found again by its bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from freehold.backend.bytecode.attributes import AttributeReader
from freehold.backend.bytecode.debug import DebugReader
from freehold.backend.bytecode.encoding import Cursor
from freehold.backend.bytecode.tables import (
    PREVIEW_OPCODES,
    Arity,
    Form,
    OpRecord,
    Property,
    op_of_opcode,
    op_record,
)
from freehold.dialects.classes import append, build
from freehold.dialects.cuda_tile.op import SEGMENTS, segments
from freehold.dialects.cuda_tile.version import Version
from freehold.support.large import MAX_NESTING

MOST_HEADS: Final = 4096
"""How many heads are kept."""
MOST_LENGTHS: Final = 4
"""How many lengths the heads of one operation may have that are kept."""


@lru_cache(maxsize=256)
def _bools(data: bytes) -> DenseArrayBase[IntegerType]:
    return DenseArrayBase.from_list(i1, [byte != 0 for byte in data])


@dataclass(slots=True)
class _Head:
    """What an operation consists of before its operands."""

    record: OpRecord
    types: list[Attribute]
    properties: dict[str, Attribute]
    """Those that are written down."""
    sizes: tuple[int | None, ...]
    """How many operands the fields have; None where their number stands before them."""
    complete: dict[tuple[int, ...], dict[str, Attribute]] = field(
        default_factory=dict[tuple[int, ...], dict[str, Attribute]]
    )
    """All properties, for the numbers of operands that there were."""


class BodyReader:
    """Reads the bodies of the functions of one file."""

    def __init__(self, attributes: AttributeReader, debug: DebugReader | None, version: Version):
        self._attributes = attributes
        self._types = attributes.types
        self._debug = debug
        self._version = version
        self._values: list[SSAValue] = []
        self._locations: Sequence[int] | None = None
        self._location = 0
        self._records: dict[int, OpRecord] = {}
        self._heads: dict[bytes, _Head] = {}
        self._lengths: dict[int, tuple[int, ...]] = {}
        """The lengths of the heads that begin with a byte."""

    def body(self, block: Block, cursor: Cursor, locations: Sequence[int] | None) -> None:
        """Reads operations to the end of the range. `locations` are the numbers of their locations, if known."""
        self._values = list(block.args)
        self._locations = locations
        self._location = 0
        ops: list[Operation] = []
        while cursor.left:
            ops.append(self._op(cursor, 0))
        append(block, ops)

    def _record(self, opcode: int, cursor: Cursor, at: int) -> OpRecord:
        op = op_of_opcode().get(opcode)
        if op is None or op.since > self._version:
            if (name := PREVIEW_OPCODES.get(opcode)) is not None:
                raise cursor.fail(f"operation `{name}` is preview content, which has no stable meaning", at)
            if op is not None:
                raise cursor.fail(f"`{op.short_name()}` came with {op.since}; this file has {self._version}", at)
            raise cursor.fail(f"there is no operation {opcode}", at)
        record = self._records[opcode] = op_record(op, self._version)
        return record

    def _op(self, cursor: Cursor, depth: int) -> Operation:
        at, data = cursor.position, cursor.data
        head = None
        if at < cursor.end:
            for length in self._lengths.get(data[at], ()):
                # No head is the beginning of another one: what says how long it is stands in itself.
                if (head := self._heads.get(data[at : at + length])) is not None and at + length <= cursor.end:
                    cursor.position = at + length
                    break
            else:
                head = None
        location = None
        if head is None:
            head, location = self._head(cursor)
        elif self._locations is not None:
            location = self._next_location(cursor)
        record = head.record
        operands: list[SSAValue] = []
        sizes: list[int] = []
        for size in head.sizes:
            if size is None:
                size = self._count(record, cursor)
            if size:
                self._operands(cursor, size, operands)
            sizes.append(size)
        key = tuple(sizes)
        properties = head.complete.get(key)
        regions = self._regions(record, cursor, depth) if record.may_be_empty else ()
        op = record.type.__new__(record.type)
        if properties is None:
            build(op, operands, head.types, self._complete(head, key, cursor, at), regions)
            op.__post_init__()
            head.complete[key] = op.properties.copy()
        else:
            build(op, operands, head.types, properties.copy(), regions)
        if location is not None:
            op.location = location
        if record.newer_results:
            self._values += [result for fld, result in zip(record.results, op.results, strict=True) if fld.there]
        else:
            self._values += op.results
        return op

    def _head(self, cursor: Cursor) -> tuple[_Head, LocationAttr | None]:
        """Reads what stands before an operation's operands, and its location."""
        at = cursor.position
        opcode = cursor.varint()
        record = self._records.get(opcode) or self._record(opcode, cursor, at)
        location = None if self._locations is None else self._next_location(cursor)
        types = self._result_types(record, cursor)
        properties: dict[str, Attribute] = {}
        flags = cursor.flags(f"`{record.type.short_name()}`", record.known_flags) if record.has_flags else 0
        for each in record.properties:
            if each.there and (not each.optional or flags & each.flag):
                properties[each.name] = self._property(each, cursor, types)
        sizes: list[int | None] = [len(record.operands)]
        if record.segmented:
            sizes = [
                None if each.counted else int(each.arity is Arity.ONE or bool(flags & each.flag))
                for each in record.operands
            ]
        elif record.counts_operands:
            sizes = [None]
        head = _Head(record, types, properties, tuple(sizes))
        lengths, length = self._lengths.get(cursor.data[at], ()), cursor.position - at
        if len(self._heads) >= MOST_HEADS:
            self._heads.clear()
        if length in lengths or len(lengths) < MOST_LENGTHS:
            self._lengths[cursor.data[at]] = tuple(dict.fromkeys((*lengths, length)))
            self._heads[cursor.data[at : cursor.position]] = head
        return head, location

    def _complete(self, head: _Head, sizes: tuple[int, ...], cursor: Cursor, at: int) -> dict[str, Attribute]:
        """All properties of an operation with these numbers of operands."""
        record, properties = head.record, head.properties.copy()
        if record.segmented:
            properties[SEGMENTS] = segments(*sizes)
        for each in record.properties:
            if not each.there and not each.optional:
                value = record.type.missing_property(each.name, sizes)
                if value is None:
                    raise cursor.fail(f"`{record.type.short_name()}` needs `{each.name}`", at)
                properties[each.name] = value
        return properties

    def _next_location(self, cursor: Cursor) -> LocationAttr:
        assert self._debug is not None
        assert self._locations is not None
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

    def _count(self, record: OpRecord, cursor: Cursor) -> int:
        """The number of operands of a field, or of all, that stands next."""
        at = cursor.position
        number = cursor.count("operands")
        if record.segmented:
            return number
        least = sum(each.arity is Arity.ONE for each in record.operands)
        most = None if any(each.arity is Arity.MANY for each in record.operands) else len(record.operands)
        if number < least or (most is not None and number > most):
            raise cursor.fail(f"`{record.type.short_name()}` cannot have {number} operands", at)
        return number

    def _operands(self, cursor: Cursor, number: int, operands: list[SSAValue]) -> None:
        """Appends the values whose numbers stand next."""
        values, data, position, end = self._values, cursor.data, cursor.position, cursor.end
        known = len(values)
        for _ in range(number):
            at = position
            # Most numbers take one byte or two, which are read here without a call.
            if position < end and (index := data[position]) < 0x80:
                position += 1
            elif position + 1 < end and (second := data[position + 1]) < 0x80:
                index = data[position] & 0x7F | second << 7
                position += 2
            else:
                cursor.position = position
                index = cursor.varint()
                position = cursor.position
            if index >= known:
                raise cursor.fail(f"there is no value {index} here", at)
            operands.append(values[index])
        cursor.position = position

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
                return IntegerAttr(value, field.integer)
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
        append(block, [self._op(cursor, depth + 1) for _ in range(cursor.count("operations"))])
        del self._values[outside:]
        return block
