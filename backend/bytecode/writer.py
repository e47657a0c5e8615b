"""Modules of the `cuda_tile` dialect to bytecode."""

from __future__ import annotations

import struct
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
)

from freehold.backend.bytecode.attributes import AttributeWriter
from freehold.backend.bytecode.body_writer import BodyWriter
from freehold.backend.bytecode.debug import DebugWriter
from freehold.backend.bytecode.encoding import MAGIC, PAD, put_offset_table, put_varint
from freehold.backend.bytecode.missing import Missing, TooLow
from freehold.backend.bytecode.tables import (
    ALIGNMENT,
    SECTION_ORDER,
    AttributeTag,
    FunctionFlag,
    Section,
)
from freehold.backend.bytecode.types import NoForm, TypeWriter
from freehold.backend.errors.bytecode import NotBytecode, UnknownVersion
from freehold.dialects.classes import ops_of
from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr
from freehold.dialects.cuda_tile.ops.module import EntryOp, GlobalOp, TileModuleOp
from freehold.dialects.cuda_tile.version import V13_3, V13_5, VERSIONS, Version
from freehold.dialects.location import span_of
from freehold.support.diagnostic import Rejected
from freehold.support.large import large


def write_bytecode(
    module: ModuleOp | TileModuleOp, version: Version | None = None, *, exact_locations: bool = False
) -> bytes:
    """
    The bytecode file of a module: a `cuda_tile.module`, or a builtin one that holds exactly that.

    Without `version` the lowest that has everything the module uses. The same module gives the same bytes. Attributes
    outside of the dialect's definitions are not written. Of a span its beginning is written, of a name its place, and
    of places that were fused the first, unless `exact_locations`, which refuses them as NVIDIA's tools do.

    The module is taken to verify; what cannot be written is refused all the same: raises `Rejected` with O410 for each
    thing that `version` lacks, O411 for a version there is not, and O412 for what bytecode has no form for.
    """
    if version is not None and version not in VERSIONS:
        raise Rejected([UnknownVersion(None, str(version), ", ".join(map(str, VERSIONS)))])
    writer = _Writer(version or VERSIONS[0], version is None, exact_locations)
    while True:
        missing = writer.missing
        try:
            with large():
                data = writer.file(_tile_module(module))
        except TooLow as low:
            # What stood before it was written in vain, which is still cheaper than asking.
            writer = _Writer(low.needs, True, exact_locations)
        except NoForm as problem:
            place = None if missing.op is None else span_of(missing.op)
            refused = NotBytecode(place, problem.what, problem.why)
            raise Rejected([*missing.errors(), refused], missing.kernel) from None
        else:
            if errors := missing.errors():
                raise Rejected(errors, missing.only_kernel)
            return data


def _tile_module(module: ModuleOp | TileModuleOp) -> TileModuleOp:
    if isinstance(module, TileModuleOp):
        return module
    ops = ops_of(module.regions[0].block)
    if len(ops) == 1 and isinstance(ops[0], TileModuleOp):
        return ops[0]
    names = list(dict.fromkeys(op.name for op in ops))
    found = f"{len(ops)} of them" if names == [TileModuleOp.name] else ", ".join(f"`{name}`" for name in names)
    raise NoForm("this module", f"a file holds one `cuda_tile.module`, and this one {found or 'nothing'}")


class _Writer:
    """One attempt to write a file for one version."""

    def __init__(self, version: Version, lowest: bool, exact_locations: bool):
        self.version = version
        self.missing = Missing(version, lowest)
        self._lowest = lowest
        self._types = TypeWriter(version, self.missing)
        self._attributes = AttributeWriter(self._types)
        self._debug = DebugWriter(self._attributes, version, self.missing, exact_locations)
        self._bodies = BodyWriter(self._attributes, self._debug, version, self.missing)

    def file(self, module: TileModuleOp) -> bytes:
        """The whole file."""
        entries: list[EntryOp] = []
        globals_: list[GlobalOp] = []
        for op in ops_of(module.body.block):
            self.missing.op = op
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
        self.missing.op = module
        if module.producer is None:
            return None
        if self.version < V13_3 and not self._lowest:
            return None  # it says nothing of the kernels, so that whoever asks for a version does without
        if self.version < V13_3:
            self.missing("`producer` of `module`", V13_3)
        out = bytearray()
        put_varint(out, self._attributes.string(module.producer.data))
        return out

    def _globals(self, globals_: list[GlobalOp]) -> bytearray | None:
        if not globals_:
            return None
        out = bytearray()
        put_varint(out, len(globals_))
        for op in globals_:
            self.missing.op = op
            put_varint(out, self._attributes.string(op.sym_name.data))
            put_varint(out, self._types.index(op.value.type))
            put_varint(out, self._attributes.constants.index(op.value.data.data))
            put_varint(out, cast("IntegerAttr[IntegerType]", op.alignment).value.data)
            visibility = op.symbol_visibility
            if self.version >= V13_3:
                put_varint(out, visibility.wire)
                put_varint(out, op.constant is not None)
            elif op.constant is not None:
                self.missing("`constant` of `global`", V13_3)
            elif visibility.wire:
                self.missing(f"visibility `{visibility.data.value}` of `global`", V13_3)
        return out

    def _functions(self, entries: list[EntryOp]) -> bytearray:
        functions = bytearray()
        put_varint(functions, len(entries))
        for entry in entries:
            self.missing.op, self.missing.kernel = entry, entry.sym_name.data
            self._function(functions, entry)
        self.missing.kernel = None
        return functions

    def _function(self, functions: bytearray, entry: EntryOp) -> None:
        hints = entry.optimization_hints
        if entry.arg_attrs is not None and entry.arg_attrs.data and self.version < V13_5:
            self.missing("`arg_attrs` of `entry`", V13_5)
        if entry.res_attrs is not None and entry.res_attrs.data:
            raise NoForm("`res_attrs` of `entry`", "a kernel has no results")
        put_varint(functions, self._attributes.string(entry.sym_name.data))
        put_varint(functions, self._types.index(entry.function_type))
        flags = FunctionFlag.ENTRY
        if hints is not None and self.version < V13_5:
            flags |= FunctionFlag.HINTS
        functions.append(flags)
        locations = self._debug.begin(entry.location, entry.sym_name.data)
        put_varint(functions, self._debug.index)
        if hints is not None or self.version >= V13_5:
            functions.append(AttributeTag.HINTS)
            self._attributes.put_hints(functions, hints or OptimizationHintsAttr({}))
        if self.version >= V13_5:
            functions.append(AttributeTag.ARRAY)
            self._attributes.put_array(functions, entry.arg_attrs or ArrayAttr([]))
        body = self._bodies.body(entry.body.block, locations)
        put_varint(functions, len(body))
        functions += body


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
