"""Bytecode to modules of the `cuda_tile` dialect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    FunctionType,
    LocationAttr,
    ModuleOp,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, Operation, Region

from freehold.backend.bytecode.attributes import AttributeReader
from freehold.backend.bytecode.body_reader import BodyReader
from freehold.backend.bytecode.debug import DebugReader
from freehold.backend.bytecode.encoding import MAGIC, PAD, Cursor, MalformedBytecode
from freehold.backend.bytecode.tables import (
    ALIGNMENT,
    AttributeTag,
    FunctionFlag,
    Section,
)
from freehold.backend.bytecode.types import TypeReader
from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr, SymbolVisibilityAttr
from freehold.dialects.cuda_tile.ops.module import EntryOp, GlobalOp, TileModuleOp
from freehold.dialects.cuda_tile.types import TileType
from freehold.dialects.cuda_tile.version import V13_3, V13_5, VERSIONS, Version
from freehold.support.large import large

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
        self._bodies = BodyReader(self._attributes, self._debug, self._version)

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
        locations: Sequence[int] | None = None
        if debug:
            if self._debug is None:
                raise cursor.fail("there is no debug section", at)
            location, locations = self._debug.begin(debug, name, cursor, at)
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
        self._bodies.body(block, body, locations)
        return EntryOp.create(properties=properties, regions=[Region(block)], location=location)

    def _tagged(self, cursor: Cursor, tag: AttributeTag, what: str) -> Attribute:
        if cursor.left and self._data[cursor.position] != tag:
            raise cursor.fail(f"{what} are expected here")
        return self._attributes.self_contained(cursor)
