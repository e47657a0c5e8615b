"""Modules of the `cuda_tile` dialect to bytecode."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

from freehold.backend.bytecode.attributes import AttributeWriter
from freehold.backend.bytecode.debug import DebugWriter
from freehold.backend.bytecode.encoding import MAGIC, PAD, put_offset_table, put_varint
from freehold.backend.bytecode.tables import (
    ALIGNMENT,
    NOT_IN_BODIES,
    SECTION_ORDER,
    WIRE_VALUE,
    AttributeTag,
    Form,
    FunctionFlag,
    OpRecord,
    Property,
    Section,
    op_record,
)
from freehold.backend.bytecode.types import NoForm, TypeWriter
from freehold.backend.errors import NotBytecode, NotInVersion, UnknownVersion
from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr, WireEnum, WireEnumAttr
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.op import SEGMENTS, TileOp
from freehold.dialects.cuda_tile.ops.module import EntryOp, GlobalOp, TileModuleOp
from freehold.dialects.cuda_tile.version import V13_3, V13_5, VERSIONS, Version
from freehold.dialects.location import span_of
from freehold.support.diagnostic import Error, Rejected
from freehold.support.large import MAX_NESTING, large
from freehold.support.span import Span

MAX_PLACES: Final = 4
"""How many further uses of what a version lacks are shown."""


def write_bytecode(module: ModuleOp | TileModuleOp, version: Version | None = None) -> bytes:
    """
    The bytecode file of a module: a `cuda_tile.module`, or a builtin one that holds exactly that.

    Without `version` the lowest that has everything the module uses. The same module gives the same bytes. Attributes
    outside of the dialect's definitions are not written. The module is taken to verify; what cannot be written is
    refused all the same: raises `Rejected` with O410 for each thing that `version` lacks, O411 for a version there is
    not, and O412 for what bytecode has no form for.
    """
    if version is not None and version not in VERSIONS:
        raise Rejected([UnknownVersion(None, str(version), ", ".join(map(str, VERSIONS)))])
    writer = _Writer(version or VERSIONS[0], lowest=version is None)
    while True:
        try:
            with large():
                data = writer.file(_tile_module(module))
        except _TooLow as low:
            # What stood before it was written in vain, which is still cheaper than asking.
            writer = _Writer(low.needs, lowest=True)
        except NoForm as problem:
            place = None if writer.current is None else span_of(writer.current)
            refused = NotBytecode(place, problem.what, problem.why)
            if place is None:
                refused.add(refused.Because())
            raise Rejected([*writer.lacks.errors(writer.version), refused], writer.kernel) from None
        else:
            if errors := writer.lacks.errors(writer.version):
                raise Rejected(errors, writer.lacks.kernel)
            return data


class _TooLow(Exception):
    """The lowest version is asked for, and it is not the one that is being written."""

    def __init__(self, needs: Version):
        super().__init__(needs)
        self.needs = needs


class _Lacks:
    """What a module has that the version does not: each thing once, with the places of all its uses."""

    def __init__(self) -> None:
        self._uses: dict[tuple[str, Version], list[Operation]] = {}
        self._kernels: set[str | None] = set()

    def add(self, what: str, since: Version, op: Operation, kernel: str | None) -> None:
        """Notes a use."""
        uses = self._uses.setdefault((what, since), [])
        if not uses or uses[-1] is not op:
            uses.append(op)
        self._kernels.add(kernel)

    @property
    def kernel(self) -> str | None:
        """The one kernel that everything is in."""
        return next(iter(self._kernels)) if len(self._kernels) == 1 else None

    def errors(self, version: Version) -> list[Error]:
        """An error for each thing, in the order of their first uses."""
        enough = str(max((since for _, since in self._uses), default=version))
        return [
            _not_in(version, what, since, enough, [(op.name, span_of(op)) for op in uses])
            for (what, since), uses in self._uses.items()
        ]


def _not_in(version: Version, what: str, since: Version, enough: str, uses: list[tuple[str, Span | None]]) -> Error:
    (name, place), *others = uses
    error = NotInVersion(place, what, str(since), str(version), enough)
    short = name.removeprefix("cuda_tile.")
    if place is None and f"`{short}`" not in what:
        error.add(error.Used(short))
    places = dict.fromkeys(span for _, span in others if span is not None and span != place)
    error.add(*(error.Also(span, str(since)) for span in list(places)[:MAX_PLACES]))
    if len(places) > MAX_PLACES:
        error.add(error.More(len(places) - MAX_PLACES))
    return error


def _tile_module(module: ModuleOp | TileModuleOp) -> TileModuleOp:
    if isinstance(module, TileModuleOp):
        return module
    ops = list(module.ops)
    if len(ops) == 1 and isinstance(ops[0], TileModuleOp):
        return ops[0]
    raise NoForm("this module", f"a file holds one `cuda_tile.module`, and here are {len(ops)} operations")


class _Writer:
    """One attempt to write a file for one version."""

    def __init__(self, version: Version, lowest: bool):
        self.version = version
        self.lacks = _Lacks()
        self._lowest = lowest
        self.kernel: str | None = None
        """The entry that is being written."""
        self.current: Operation | None = None
        """The operation that is being written."""
        self._types = TypeWriter(version, self._lack)
        self._attributes = AttributeWriter(self._types)
        self._debug = DebugWriter(self._attributes, version, self._lack)
        self._records: dict[type[Operation], OpRecord] = {}
        self._out = bytearray()
        self._numbers: dict[int, int] = {}
        """The numbers of the values in scope, by identity: hashing a value takes a call."""
        self._next = 0
        self._depth = 0
        self._locations: list[int] | None = None

    def _lack(self, what: str, since: Version) -> None:
        """Something that came with a later version. Writing goes on, to find the rest of them, if one was asked for."""
        if self._lowest:
            raise _TooLow(since)
        assert self.current is not None
        self.lacks.add(what, since, self.current, self.kernel)

    def file(self, module: TileModuleOp) -> bytes:
        """The whole file."""
        entries: list[EntryOp] = []
        globals_: list[GlobalOp] = []
        for op in module.body.block.ops:
            self.current = op
            if isinstance(op, EntryOp):
                entries.append(op)
            elif isinstance(op, GlobalOp):
                globals_.append(op)
            else:
                raise NoForm(f"operation `{op.name}` in a module", "a module holds entries and globals")
        payloads: dict[Section, bytes | bytearray | None] = {
            Section.FUNCTION: self._functions(entries),
            Section.GLOBAL: self._globals(globals_),
            Section.PRODUCER: self._producer(module),
        }
        constants = [_sized(entry) for entry in self._attributes.constants.entries]
        payloads[Section.CONSTANT] = _table(constants, 8) if constants else None
        payloads[Section.DEBUG] = self._debug.section()
        payloads[Section.TYPE] = _table(self._types.records, 4)
        payloads[Section.STRING] = _table(self._attributes.strings.entries, 4)
        out = bytearray(MAGIC)
        out += struct.pack("<BBH", self.version.major, self.version.minor, 0)
        for section in SECTION_ORDER:
            payload = payloads[section]
            if payload is not None:
                _put_section(out, section, payload)
        out.append(Section.END)
        return bytes(out)

    def _producer(self, module: TileModuleOp) -> bytearray | None:
        self.current = module
        if module.producer is None:
            return None
        if self.version < V13_3 and not self._lowest:
            return None  # it says nothing of the kernels, so that whoever asks for a version does without
        if self.version < V13_3:
            self._lack("`producer` of `module`", V13_3)
        out = bytearray()
        put_varint(out, self._attributes.string(module.producer.data))
        return out

    def _globals(self, globals_: list[GlobalOp]) -> bytearray | None:
        if not globals_:
            return None
        out = bytearray()
        put_varint(out, len(globals_))
        for op in globals_:
            self.current = op
            put_varint(out, self._attributes.string(op.sym_name.data))
            put_varint(out, self._types.index(op.value.type))
            put_varint(out, self._attributes.constants.index(op.value.data.data))
            put_varint(out, cast("IntegerAttr[IntegerType]", op.alignment).value.data)
            visibility = op.symbol_visibility
            if self.version >= V13_3:
                put_varint(out, visibility.wire)
                put_varint(out, op.constant is not None)
            elif op.constant is not None:
                self._lack("`constant` of `global`", V13_3)
            elif visibility.wire:
                self._lack(f"visibility `{visibility.data.value}` of `global`", V13_3)
        return out

    def _functions(self, entries: list[EntryOp]) -> bytearray:
        functions = bytearray()
        put_varint(functions, len(entries))
        for entry in entries:
            self.current, self.kernel = entry, entry.sym_name.data
            self._function(functions, entry)
        self.kernel = None
        return functions

    def _function(self, functions: bytearray, entry: EntryOp) -> None:
        hints = entry.optimization_hints
        if entry.arg_attrs is not None and entry.arg_attrs.data and self.version < V13_5:
            self._lack("`arg_attrs` of `entry`", V13_5)
        if entry.res_attrs is not None and entry.res_attrs.data:
            raise NoForm("`res_attrs` of `entry`", "a kernel has no results")
        put_varint(functions, self._attributes.string(entry.sym_name.data))
        put_varint(functions, self._types.index(entry.function_type))
        flags = FunctionFlag.ENTRY
        if hints is not None and self.version < V13_5:
            flags |= FunctionFlag.HINTS
        functions.append(flags)
        self._locations = self._debug.begin(entry.location, entry.sym_name.data)
        put_varint(functions, self._debug.index)
        if hints is not None or self.version >= V13_5:
            functions.append(AttributeTag.HINTS)
            self._attributes.put_hints(functions, hints or OptimizationHintsAttr({}))
        if self.version >= V13_5:
            functions.append(AttributeTag.ARRAY)
            self._attributes.put_array(functions, entry.arg_attrs or ArrayAttr([]))
        body = entry.body.block
        self._out = bytearray()
        self._numbers.clear()
        self._next = 0
        self._number(body.args)
        for op in body.ops:
            self._op(op)
        put_varint(functions, len(self._out))
        functions += self._out

    def _number(self, values: Sequence[SSAValue]) -> None:
        number, numbers = self._next, self._numbers
        for value in values:
            numbers[id(value)] = number
            number += 1
        self._next = number

    def _record(self, op: Operation) -> OpRecord:
        if not isinstance(op, TileOp):
            raise NoForm(f"operation `{op.name}`", "it is no operation of the `cuda_tile` dialect")
        if op.short_name() in NOT_IN_BODIES:
            raise NoForm(f"operation `{op.name}` in a body", "it stands in a module")
        if op.since > self.version:
            self._lack(f"operation `{op.short_name()}`", op.since)
            return op_record(type(op), op.since)
        record = self._records[type(op)] = op_record(type(op), self.version)
        return record

    def _op(self, op: Operation) -> None:
        self.current = op
        record = self._records.get(type(op)) or self._record(op)
        out = self._out
        if self._locations is not None:
            location = op.location
            number = self._debug.by_id.get(id(location))
            self._locations.append(self._debug.number(location) if number is None else number)
        out += record.opcode
        results = op.results
        if record.newer_results:
            results = self._older_results(record, op)
        if record.counts_results:
            put_varint(out, len(results))
        type_numbers = self._types.by_id
        for result in results:
            type_ = result.type
            number = type_numbers.get(id(type_))
            if number is None:
                number = self._types.index(type_)
            if number < 0x80:
                out.append(number)
            else:
                put_varint(out, number)
        if record.bare:
            operands = op._operands  # pyright: ignore[reportPrivateUsage] -- its property makes a list of them anew
            self._operands(operands, record.counts_operands)
        else:
            self._details(record, cast("TileOp", op))
        if record.may_be_empty:
            if self._depth >= MAX_NESTING:
                what = f"operation `{op.name.removeprefix('cuda_tile.')}`"
                raise NoForm(what, f"more than {MAX_NESTING} regions stand in one another")
            self._depth += 1
            put_varint(out, len(op.regions))
            for region in op.regions:
                self._region(region)
            self._depth -= 1
        number, numbers = self._next, self._numbers
        for result in results:
            numbers[id(result)] = number
            number += 1
        self._next = number

    def _details(self, record: OpRecord, op: TileOp) -> None:
        """Flags, properties and operands of an operation that has more than operands."""
        out, properties = self._out, op.properties
        sizes = _segment_sizes(properties[SEGMENTS]) if record.segmented else None
        if record.has_flags:
            flags = 0
            for name, flag in record.property_flags:
                if name in properties:
                    flags |= flag
            if sizes is not None:
                for index, flag in record.operand_flags:
                    if sizes[index]:
                        flags |= flag
            out.append(flags) if flags < 0x80 else put_varint(out, flags)
        for field in record.written:
            value = properties.get(field.name)
            if value is None:
                if not field.optional:
                    raise NoForm(f"operation `{op.short_name()}`", f"its property `{field.name}` is missing")
            elif field.form is Form.ENUM:
                enum = cast("WireEnumAttr[WireEnum]", value)
                if enum.VALUE_SINCE and enum.keyword_since > self.version:
                    what = f"`{enum.data.value}` of `{field.name}` of `{op.short_name()}`"
                    self._lack(what, enum.keyword_since)
                out.append(WIRE_VALUE[id(enum.data)])
            else:
                self._property(field.form, op, value)
        for field in record.absent:
            if (value := properties.get(field.name)) is not None:
                self._absent(record, field, op, value, sizes)
        operands = op._operands  # pyright: ignore[reportPrivateUsage] -- its property makes a list of them anew
        if sizes is None:
            self._operands(operands, record.counts_operands)
            return
        first = 0
        for values, size in zip(record.operands, sizes, strict=True):
            if size or values.counted:
                if size and not values.there:
                    self._lack(f"`{values.name}` of `{record.type.short_name()}`", values.since)
                self._operands(operands[first : first + size], values.counted)
                first += size

    def _operands(self, operands: Sequence[SSAValue], counted: bool) -> None:
        out, numbers = self._out, self._numbers
        if counted:
            put_varint(out, len(operands))
        for operand in operands:
            number = numbers.get(id(operand))
            if number is None:
                raise NoForm(
                    "a use of a value that is not defined", "neither before it in this region nor in one around"
                )
            if number < 0x80:
                out.append(number)
            else:
                put_varint(out, number)

    def _older_results(self, record: OpRecord, op: Operation) -> tuple[OpResult, ...]:
        """The results that this version has. The others have no number, so nothing may use them."""
        kept: list[OpResult] = []
        for field, result in zip(record.results, op.results, strict=True):
            if field.there:
                kept.append(result)
            elif result.first_use is not None:
                self._lack(f"`{field.name}` of `{record.type.short_name()}`", field.since)
                kept.append(result)
        return tuple(kept)

    def _absent(
        self, record: OpRecord, field: Property, op: TileOp, value: Attribute, sizes: tuple[int, ...] | None
    ) -> None:
        """A property that this version does not have can only have the value that its absence means."""
        if value != record.type.missing_property(field.name, sizes or (len(op.operands),)):
            self._lack(f"`{field.name}` of `{record.type.short_name()}`", field.since)

    def _property(self, form: Form, op: TileOp, value: Attribute) -> None:
        """A property that is neither an enumeration's value nor a flag."""
        out = self._out
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
            array = cast("DenseArrayBase[IntegerType]", value)
            data = array.data.data
            if form is Form.BOOLS:
                put_varint(out, len(data))
                out += bytes(byte != 0 for byte in data)
            else:
                put_varint(out, len(data) // 4)
                out += data
        elif form is Form.INTEGER or form is Form.BOOL:
            integer = cast("IntegerAttr[IntegerType]", value)
            number = integer.value.data & ((1 << integer.type.width.data) - 1)
            put_varint(out, number)
        elif form is Form.STRING:
            name = value.root_reference if isinstance(value, SymbolRefAttr) else cast("StringAttr", value)
            put_varint(out, self._attributes.string(name.data))
        else:
            self._attributes.put_array(out, cast("ArrayAttr[Attribute]", value))

    def _region(self, region: Region) -> None:
        out = self._out
        blocks = tuple(region.blocks)
        put_varint(out, len(blocks))
        for block in blocks:
            self._block(block)

    def _block(self, block: Block) -> None:
        out, before = self._out, self._next
        put_varint(out, len(block.args))
        for argument in block.args:
            put_varint(out, self._types.index(argument.type))
        self._number(block.args)
        ops = tuple(block.ops)
        put_varint(out, len(ops))
        for op in ops:
            self._op(op)
        # The next block uses these numbers again, so that they must not be found for values out of scope.
        numbers = self._numbers
        for argument in block.args:
            del numbers[id(argument)]
        for op in ops:
            for result in op.results:
                numbers.pop(id(result), None)
        self._next = before


@lru_cache(maxsize=1024)
def _sizes(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 4}i", data)


def _segment_sizes(segments: Attribute) -> tuple[int, ...]:
    return _sizes(cast("DenseArrayBase[IntegerType]", segments).data.data)


def _table(entries: list[bytes], width: int) -> bytearray:
    out = bytearray()
    put_offset_table(out, entries, width)
    return out


def _sized(entry: bytes) -> bytes:
    """A constant's entry, which begins with its length."""
    out = bytearray()
    put_varint(out, len(entry))
    return bytes(out + entry)


def _put_section(out: bytearray, section: Section, payload: bytes | bytearray) -> None:
    """Appends a section: its number, the length of its payload, and the payload where its alignment has it."""
    alignment = ALIGNMENT.get(section)
    out.append(section | 0x80 if alignment else section)
    put_varint(out, len(payload))
    if alignment:
        put_varint(out, alignment)
        out += bytes((PAD,)) * (-len(out) % alignment)
    out += payload
