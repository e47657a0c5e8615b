"""
Bodies of functions to bytecode.

All that stands before an operation's operands follows from its class, the types of its results and its properties. A
kernel has few such combinations, so that the bytes of each, its *head*, are made once and found again by identity. Most
operations even have the properties of the last one of their class and types, which takes one comparison.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias, cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, IntegerType, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from freehold.backend.bytecode.attributes import AttributeWriter
from freehold.backend.bytecode.debug import DebugWriter
from freehold.backend.bytecode.encoding import put_varint, varint
from freehold.backend.bytecode.missing import Missing
from freehold.backend.bytecode.tables import NOT_IN_BODIES, WIRE_VALUE, Form, OpRecord, Property, op_record
from freehold.backend.bytecode.types import NoForm
from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr, WireEnum, WireEnumAttr
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.op import SEGMENTS, TileOp
from freehold.dialects.cuda_tile.version import Version
from freehold.support.large import MAX_NESTING

MOST_HEADS: Final = 4096
"""How many heads are kept; an operation with a property of its own, as a constant, has one of its own."""

_SMALL: Final = tuple(map(varint, range(256)))


class _More(NamedTuple):
    """What stands in operations of a head besides the head and their operands, and which of their results count."""

    counts: tuple[tuple[int, bytes], ...]
    """Before which operands something stands, and what: how many there are of a field. The last of them first."""
    counted: bool
    """Whether the number of all operands stands before them."""
    regions: bool
    older: tuple[OpResult, ...] | None
    """The results that have a number, where this version does not have all. Such a head is of one operation alone."""


_Head: TypeAlias = tuple[dict[str, Attribute], bytes, _More | None]
"""The properties of operations of one class with the same types of results; how they begin, and what else there is."""


class BodyWriter:
    """Writes the bodies of functions; `missing` is told which operation has what `version` does not."""

    def __init__(
        self,
        attributes: AttributeWriter,
        debug: DebugWriter,
        version: Version,
        missing: Missing,
    ):
        self._attributes = attributes
        self._types = attributes.types
        self._debug = debug
        self._version = version
        self._missing = missing
        self._records: dict[type[Operation], OpRecord] = {}
        self._last: dict[object, _Head] = {}
        """The last head of operations of a class with types of results, by that class and the identity of these."""
        self._heads: dict[tuple[object, ...], _Head] = {}
        """Heads of operations with properties that may be equal and not the same: by the identity of these, too."""
        self._kept: list[object] = []
        """What the keys of heads are the identities of: nothing else may come to have them."""
        self._pieces: list[bytes] = []
        """What is written, in pieces: to append one takes less time than to copy its few bytes."""
        self._numbers: dict[int, bytes] = {}
        """The values in scope by their identity, for hashing one takes a call, in the order of their numbers: those as
        they are written."""
        self._spelled = [*_SMALL]
        """Numbers of values as they are written; more than there were values in scope at once."""
        self._locations: list[int] | None = None
        self._depth = 0

    def body(self, block: Block, locations: list[int] | None) -> bytes:
        """
        The operations of a function.

        To `locations`, unless it is None, the numbers of their locations are appended. Raises `NoForm`; `missing` knows
        of which operation.
        """
        self._pieces = []
        self._numbers.clear()
        self._locations = locations
        self._define(block.args)
        self._ops(block)
        return b"".join(self._pieces)

    def _define(self, values: Sequence[SSAValue]) -> None:
        numbers, spelled = self._numbers, self._spelled
        for value in values:
            self._spell(len(numbers))
            numbers[id(value)] = spelled[len(numbers)]

    def _spell(self, number: int) -> int:
        """Spells numbers of values, at least as far as this one, and says how many are spelled then."""
        spelled = self._spelled
        if number >= len(spelled):
            spelled += map(varint, range(len(spelled), 2 * number + 64))
        return len(spelled)

    def _ops(self, block: Block) -> int:
        """Writes the operations of a block, and says how many there are."""
        # Fields of xDSL's own are read, for each property takes a call, as `results[0]` and unpacking a named tuple do.
        pieces, numbers, spelled, last = self._pieces, self._numbers, self._spelled, self._last
        locations, located, location, number = self._locations, self._debug.number, None, 0
        missing, append, count, defined, room = self._missing, pieces.append, 0, len(numbers), len(spelled)
        op: Any = block.first_op
        while op is not None:
            count += 1
            if locations is not None:
                if op.location is not location:  # operations of one expression share theirs
                    location, missing.op = op.location, op
                    number = located(location)
                locations.append(number)
            results = op.results
            key = op.__class__
            for result in results:
                key = key, id(result._type)
            head = last.get(key)
            if head is None or head[0] != op.properties:
                head = self._head(op, key)
            _, data, more = head
            append(data)
            if more is not None and more.counted:
                append(varint(len(op._operands)))
            begin = len(pieces)
            try:
                for operand in op._operands:
                    append(numbers[id(operand)])
            except KeyError:
                missing.op = op
                why = "neither before it in this region nor in one around"
                raise NoForm("a use of a value that is not defined", why) from None
            if more is not None:
                for at, number_of in more.counts:
                    pieces.insert(begin + at, number_of)
                if more.regions:
                    self._regions(op)
                if more.older is not None:
                    results = more.older
            for result in results:
                if defined >= room:
                    room = self._spell(defined)
                numbers[id(result)] = spelled[defined]
                defined += 1
            op = op._next_op
        return count

    # --- Heads

    def _head(self, op: Operation, key: object) -> _Head:
        """The head of operations such as this one, whose class and types of results are `key`."""
        self._missing.op = op
        record = self._records.get(type(op)) or self._record(op)
        before, properties, identity = self._missing.uses, op.properties, None
        for name in record.loose:
            if name in properties:
                identity = (key, *properties, *map(id, properties.values()))
                if (head := self._heads.get(identity)) is not None:
                    return head
                break
        head = self._new_head(record, op)
        # What is wrong is said of every operation, so that a head with something wrong is not used again.
        if record.newer_results or self._missing.uses != before:
            return head
        if len(self._kept) >= MOST_HEADS:
            self._last.clear()
            self._heads.clear()
            self._kept.clear()
        if identity is None:
            self._last[key] = head
        else:
            self._heads[identity] = head
        self._kept.append((op.results, *properties.values()))
        return head

    def _new_head(self, record: OpRecord, op: Operation) -> _Head:
        out = bytearray(record.opcode)
        older = self._older_results(record, op) if record.newer_results else None
        results = op.results if older is None else older
        if record.counts_results:
            put_varint(out, len(results))
        for result in results:
            put_varint(out, self._types.index(result.type))
        counts: tuple[tuple[int, bytes], ...] = ()
        if not record.bare:
            counts = self._details(out, record, cast("TileOp", op))
        more = None
        if counts or record.counts_operands or record.may_be_empty or older is not None:
            more = _More(counts, record.counts_operands, bool(record.may_be_empty), older)
        return op.properties, bytes(out), more

    def _record(self, op: Operation) -> OpRecord:
        if not isinstance(op, TileOp):
            raise NoForm(f"operation `{op.name}`", "it is no operation of the `cuda_tile` dialect")
        if op.short_name() in NOT_IN_BODIES:
            raise NoForm(f"operation `{op.name}` in a body", "it stands in a module")
        if op.since > self._version:
            self._missing(f"operation `{op.short_name()}`", op.since)
            return op_record(type(op), op.since)
        record = self._records[type(op)] = op_record(type(op), self._version)
        return record

    def _older_results(self, record: OpRecord, op: Operation) -> tuple[OpResult, ...]:
        """The results that this version has. The others have no number, so nothing may use them."""
        kept: list[OpResult] = []
        for field, result in zip(record.results, op.results, strict=True):
            if field.there:
                kept.append(result)
            elif result.first_use is not None:
                self._missing(f"`{field.name}` of `{record.type.short_name()}`", field.since)
                kept.append(result)
        return tuple(kept)

    def _details(self, out: bytearray, record: OpRecord, op: TileOp) -> tuple[tuple[int, bytes], ...]:
        """Appends flags and properties, and says which numbers of operands stand where among them."""
        properties = op.properties
        sizes = _sizes(_segments(properties[SEGMENTS])) if record.segmented else None
        if record.has_flags:
            put_varint(out, _flags(record, properties, sizes))
        for field in record.written:
            value = properties.get(field.name)
            if value is None:
                if not field.optional:
                    raise NoForm(f"operation `{op.short_name()}`", f"its property `{field.name}` is missing")
            elif field.form is Form.ENUM:
                enum = cast("WireEnumAttr[WireEnum]", value)
                if enum.VALUE_SINCE and enum.keyword_since > self._version:
                    self._missing(f"`{enum.data.value}` of `{field.name}` of `{op.short_name()}`", enum.keyword_since)
                out.append(WIRE_VALUE[id(enum.data)])
            else:
                self._property(out, field.form, op, value)
        for field in record.absent:
            # A property that this version does not have can only have the value that its absence means.
            if (value := properties.get(field.name)) is not None:
                meant = record.type.missing_property(field.name, sizes or (len(op.operands),))
                if value != meant:
                    self._missing(_field_of(record, field), field.since)
        counts: list[tuple[int, bytes]] = []
        first = 0
        for values, size in zip(record.operands, sizes or (), strict=sizes is not None):
            if size and not values.there:
                self._missing(f"`{values.name}` of `{record.type.short_name()}`", values.since)
            if values.counted:
                counts.append((first, varint(size)))
            first += size
        return tuple(reversed(counts))

    def _property(self, out: bytearray, form: Form, op: TileOp, value: Attribute) -> None:
        """A property that is neither an enumeration's value nor a flag."""
        if form is Form.CONSTANT:
            dense = cast("DenseElementsAttr", value)
            if dense.type is not op.results[0].type and dense.type != op.results[0].type:
                raise NoForm(f"operation `{op.short_name()}`", "its value is of another type than its result")
            put_varint(out, self._attributes.constants.index(dense.data.data))
        elif form is Form.HINTS:
            self._attributes.put_hints(out, cast("OptimizationHintsAttr", value))
        elif form is Form.TAGGED:
            self._attributes.put_self_contained(out, value)
        elif form is Form.BOOLS or form is Form.I32S:
            data = cast("DenseArrayBase[IntegerType]", value).data.data
            if form is Form.BOOLS:
                put_varint(out, len(data))
                out += bytes(byte != 0 for byte in data)
            else:
                put_varint(out, len(data) // 4)
                out += data
        elif form is Form.INTEGER or form is Form.BOOL:
            integer = cast("IntegerAttr[IntegerType]", value)
            put_varint(out, integer.value.data & ((1 << integer.type.width.data) - 1))
        elif form is Form.STRING:
            name = value.root_reference if isinstance(value, SymbolRefAttr) else cast("StringAttr", value)
            put_varint(out, self._attributes.string(name.data))
        else:
            self._attributes.put_array(out, cast("ArrayAttr[Attribute]", value))

    # --- Regions

    def _regions(self, op: Operation) -> None:
        if self._depth >= MAX_NESTING:
            self._missing.op = op
            what = f"operation `{op.name.removeprefix('cuda_tile.')}`"
            raise NoForm(what, f"more than {MAX_NESTING} regions stand in one another")
        self._depth += 1
        self._pieces.append(varint(len(op.regions)))
        for region in op.regions:
            blocks = tuple(region.blocks)
            self._pieces.append(varint(len(blocks)))
            for block in blocks:
                self._block(block)
        self._depth -= 1

    def _block(self, block: Block) -> None:
        pieces, numbers = self._pieces, self._numbers
        before = len(numbers)
        pieces.append(varint(len(block.args)))
        pieces += [varint(self._types.index(argument.type)) for argument in block.args]
        self._define(block.args)
        at = len(pieces)
        pieces.append(b"")
        pieces[at] = varint(self._ops(block))
        # The next block uses these numbers again, so that they must not be found for values out of scope.
        for _ in range(len(numbers) - before):
            numbers.popitem()


def _field_of(record: OpRecord, field: Property) -> str:
    return f"`{field.name}` of `{record.type.short_name()}`"


def _flags(record: OpRecord, properties: Mapping[str, Attribute], sizes: tuple[int, ...] | None) -> int:
    """The bits that say which properties and operands are there."""
    flags = sum(flag for name, flag in record.property_flags if name in properties)
    if sizes is not None:
        flags += sum(flag for index, flag in record.operand_flags if sizes[index])
    return flags


def _segments(attribute: Attribute) -> bytes:
    return cast("DenseArrayBase[IntegerType]", attribute).data.data


@lru_cache(maxsize=1024)
def _sizes(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 4}i", data)
