"""
Debug information: where in the source text each operation comes from.

Operations carry plain positions (or spans, of which the beginning is kept) and call sites. Which function, file and
compile unit a position belongs to follows from the entry, and is derived on writing; on reading, what would be derived
is dropped again, and anything else kept as a scope (`fused<scope>[position]`).
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Final, TypeVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute

from freehold.backend.bytecode.attributes import AttributeReader, AttributeWriter, Pool
from freehold.backend.bytecode.encoding import Cursor, Varints, pad, put_offset_table, put_varint, varint
from freehold.backend.bytecode.tables import DebugTag
from freehold.backend.bytecode.types import Lacks, NoForm
from freehold.dialects.classes import string as text
from freehold.dialects.classes import whole
from freehold.dialects.cuda_tile.debug import (
    DICompileUnitAttr,
    DIFileAttr,
    DILexicalBlockAttr,
    DISubprogramAttr,
    file_of,
    function_of,
    position_of,
    subprogram_of,
)
from freehold.dialects.cuda_tile.version import V13_5, Version
from freehold.dialects.location import called, located, position
from freehold.support.large import MAX_NESTING

MAX_CALL_SITES = 1024
"""How many call sites may stand in one location: they are a tree in memory and can be less than that in a file."""


_BEGINS: Final = tuple(bytes((group | 0x80,)) for group in range(1 << 7))
"""How a variable-length integer of more than seven bits begins, by its lowest seven."""

_RecordT = TypeVar("_RecordT", bound=Attribute)


@lru_cache(maxsize=256)
def _scope_in(path: str, subprogram: DISubprogramAttr) -> DISubprogramAttr | DILexicalBlockAttr:
    """What a position in a file belongs to: the entry's subprogram, or a block of it that is text of another file."""
    file = file_of(path)
    if file == subprogram.file:
        return subprogram
    return DILexicalBlockAttr(subprogram, file, whole(1), whole(1))


def _must_be_exact(location: Attribute) -> None:
    """Refuses a location of which only a part can be written. Raises `NoForm`."""
    if type(location) is CallSiteLoc:
        _must_be_exact(location.callee)
        _must_be_exact(location.caller)
    elif type(location) is NameLoc:
        raise NoForm("a location with a name", "it has positions, scopes and calls alone")
    elif type(location) is FusedLoc and type(location.metadata) is NoneAttr:
        raise NoForm("a location of several places", "an operation has one position")


class DebugWriter:
    """Collects the records of locations and, for each function that has one, the list of its operations' locations."""

    def __init__(self, attributes: AttributeWriter, version: Version, lacks: Lacks, exact: bool = False):
        self._attributes = attributes
        self._exact = exact
        self._version = version
        self._lacks = lacks
        self._records = Pool()
        self._lists: list[list[int]] = []
        self._scopes: dict[Attribute, int] = {}
        self._subprogram: DISubprogramAttr | None = None
        self._known: dict[int, int] = {}
        """Numbers of the current function's locations that are no plain places, by their identity: its operations keep
        them alive."""
        self._callees: dict[int, int] = {}
        """As `_known`, for locations in functions that were inlined."""
        self._heads: dict[str, bytes] = {}
        """For each file with positions in the current function: how their records begin, up to the line."""
        self._spelled = Varints()

    def begin(self, location: LocationAttr, name: str) -> list[int] | None:
        """The list to append the numbers of a function's operations to; None where its location is unknown."""
        self._known.clear()
        self._callees.clear()
        self._heads.clear()
        position, scope = position_of(location)
        if position is None:
            self._subprogram = None
            return None
        path, line = position.filename.data, position.line.data
        if scope is None:
            self._subprogram = subprogram_of(path, line, name)
        elif not isinstance(scope, DISubprogramAttr):
            raise NoForm(f"the debug information of `{name}`", "the scope of a kernel is a `di_subprogram`")
        elif scope.linkage_name.data != name:
            what = f"the debug information of `{name}`"
            raise NoForm(what, f"it is of a function with the linkage name `{scope.linkage_name.data}`")
        else:
            self._subprogram = scope
        numbers = [self._located(position, self._scope(self._subprogram), self._attributes.string(path))]
        self._lists.append(numbers)
        return numbers

    @property
    def index(self) -> int:
        """The debug index of the function begun last."""
        return 0 if self._subprogram is None else len(self._lists)

    def number(self, location: Attribute) -> int:
        """The number of an operation's location; 0 where it is unknown."""
        if self._exact:
            _must_be_exact(location)
        place: Attribute = location
        if type(location) is FusedLoc and type(location.metadata) is NoneAttr:  # a span, as most are
            parts = cast("ArrayAttr[Attribute]", location.locations).data
            place = parts[0] if parts else location
        if type(place) is not FileLineColLoc:
            number = self._known.get(id(location))
            if number is None:
                number = self._known[id(location)] = self._number(location)
            return number
        if self._subprogram is None:
            return 0
        path, line, numbers, spelled = place.filename.data, place.line.data, self._records.numbers, self._spelled
        head = self._heads.get(path) or self._head(path, self._subprogram)
        # Lines are many, so that they are put together of parts that are few.
        spelled_line = _BEGINS[line & 0x7F] + spelled[line >> 7] if line > 0x7F else spelled[line]
        record = head + spelled_line + spelled[place.column.data]
        return numbers.setdefault(record, len(numbers)) + 1

    def _head(self, path: str, subprogram: DISubprogramAttr) -> bytes:
        scope = self._scope(_scope_in(path, subprogram))
        head = self._heads[path] = b"".join(map(varint, (DebugTag.LOCATION, scope, self._attributes.string(path))))
        return head

    def _callee(self, location: Attribute) -> int:
        """The number of a location in a function that was inlined, which may be of any subprogram."""
        number = self._callees.get(id(location))
        if number is None:
            number = self._callees[id(location)] = self._number(location, inlined=True)
        return number

    def _number(self, location: Attribute, inlined: bool = False) -> int:
        if type(location) is CallSiteLoc:  # exact types: isinstance asks an abstract base for each of these
            callee = self._callee(location.callee)
            caller = self._callee(location.caller) if inlined else self.number(location.caller)
            return self._record(DebugTag.CALL_SITE, callee, caller) if callee and caller else callee or caller
        if type(location) is NameLoc:
            return self._number(location.location, inlined)
        position, scope = position_of(location)
        if position is None or self._subprogram is None:
            return 0
        if scope is None:
            return self.number(position)
        if not inlined and (function := function_of(scope)) != self._subprogram:
            what = "the debug information of an operation"
            raise NoForm(what, f"its scope is of `{function.linkage_name.data}`, another function than the kernel")
        return self._located(position, self._scope(scope), self._attributes.string(position.filename.data))

    def _located(self, position: FileLineColLoc, scope: int, path: int) -> int:
        return self._record(DebugTag.LOCATION, scope, path, position.line.data, position.column.data)

    def _scope(self, scope: Attribute) -> int:
        number = self._scopes.get(scope)
        if number is None:
            number = self._scopes[scope] = self._scope_record(scope)
        return number

    def _scope_record(self, scope: Attribute) -> int:
        string = self._attributes.string
        match scope:
            case DIFileAttr():
                return self._record(DebugTag.FILE, string(scope.file_name.data), string(scope.directory.data))
            case DICompileUnitAttr():
                return self._record(DebugTag.COMPILE_UNIT, self._scope(scope.file))
            case DILexicalBlockAttr():
                outer, file = self._scope(scope.scope), self._scope(scope.file)
                return self._record(DebugTag.LEXICAL_BLOCK, outer, file, scope.line.data, scope.column.data)
            case DISubprogramAttr():
                file, unit = self._scope(scope.file), self._scope(scope.compile_unit)
                names = string(scope.function_name.data), string(scope.linkage_name.data)
                fields = [file, scope.line.data, *names, unit, scope.scope_line.data]
                if self._version >= V13_5:
                    fields.append(scope.declaration.data)
                elif scope.declaration.data:
                    self._lacks("`flags` of `di_subprogram`", V13_5)
                return self._record(DebugTag.SUBPROGRAM, *fields)
            case _:
                raise NoForm(f"debug information `{scope}`", "it is no scope of Tile IR")

    def _record(self, tag: DebugTag, *fields: int) -> int:
        return self._records.index(b"".join(map(varint, (tag, *fields)))) + 1

    def section(self) -> bytearray | None:
        """The payload of the debug section; None where no function has debug information."""
        if not self._lists:
            return None
        out = bytearray()
        put_varint(out, len(self._lists))
        pad(out, 4)
        first = 0
        for numbers in self._lists:
            out += struct.pack("<I", first)
            first += len(numbers)
        put_varint(out, first)
        pad(out, 8)
        for numbers in self._lists:
            out += struct.pack(f"<{len(numbers)}Q", *numbers)
        put_offset_table(out, self._records.entries, 4)
        return out


class DebugReader:
    """The locations of a file being read. Records are read when they are first asked for."""

    def __init__(self, cursor: Cursor, attributes: AttributeReader, version: Version):
        self._data = cursor.data
        self._attributes = attributes
        self._version = version
        start = cursor.position
        lists = cursor.count("lists of locations")
        cursor.skip_padding(4, start)
        cursor.need(lists * 4, "lists of locations")
        firsts = cursor.fixed(lists, "I")
        total = cursor.count("locations", 8)
        cursor.skip_padding(8, start)
        cursor.need(total * 8, "locations")
        numbers = cursor.fixed(total, "Q")
        self._lists: list[tuple[int, ...]] = []
        for index, first in enumerate(firsts):
            end = firsts[index + 1] if index + 1 < lists else total
            if not first <= end <= total:
                raise cursor.fail(f"list {index} of locations begins at {first} and ends at {end} of {total}", start)
            self._lists.append(numbers[first:end])
        self._entries = cursor.entries("debug records", 4, start)
        self._records: list[LocationAttr | Attribute | None] = [None] * len(self._entries)
        self._open: set[int] = set()
        self._sizes: dict[int, int] = {}
        self._subprogram: DISubprogramAttr | None = None
        self._locations: dict[int, LocationAttr] = {}
        self._plain: dict[int, dict[bytes, StringAttr]] = {}
        """The files of the current function's positions, by how records begin that say of it only what would be derived
        from the file: a tag, a scope, and a path; those of each length by themselves."""

    def begin(self, index: int, name: str, cursor: Cursor, at: int) -> tuple[LocationAttr, tuple[int, ...]]:
        """The location of the function with debug index `index`, and the numbers of its operations' locations."""
        self._locations.clear()
        self._plain.clear()
        self._subprogram = None
        if index > len(self._lists):
            raise cursor.fail(f"there is no list {index} of locations", at)
        numbers = self._lists[index - 1]
        if not numbers:
            raise cursor.fail(f"list {index} of locations is empty", at)
        if numbers[0] == 0:
            return UnknownLoc(), numbers[1:]
        record = self._record(numbers[0], at)
        scope = record.metadata if isinstance(record, FusedLoc) else None
        if not isinstance(scope, DISubprogramAttr):
            raise cursor.fail("the location of a function is no position in a subprogram", at)
        if scope.linkage_name.data != name:
            raise cursor.fail(f"the subprogram of {name!r} has the linkage name {scope.linkage_name.data!r}", at)
        self._subprogram = scope
        position, _ = position_of(cast("FusedLoc", record))
        assert position is not None
        derived = scope == subprogram_of(position.filename.data, position.line.data, name)
        return (position if derived else cast("LocationAttr", record)), numbers[1:]

    def location(self, number: int, cursor: Cursor) -> LocationAttr:
        """The location of an operation of the function begun last."""
        location = self._locations.get(number)
        if location is None:
            location = self._plain_position(number)
            if location is None:
                location = self._simplified(self._record(number, cursor.position), cursor) if number else UnknownLoc()
            self._locations[number] = location
        return location

    def _plain_position(self, number: int) -> FileLineColLoc | None:
        """The record's position if it has the scope that would be derived; the common case, read without detours."""
        if self._subprogram is None or not 0 < number <= len(self._entries):
            return None
        begin, end = self._entries[number - 1]
        for length, files in self._plain.items():
            file = files.get(self._data[begin : begin + length])
            if file is not None and begin + length < end:
                cursor = Cursor(self._data, begin + length, end)
                return position(file, cursor.varint(), cursor.varint())
        cursor = Cursor(self._data, begin, end)
        if cursor.varint() != DebugTag.LOCATION:
            return None
        at, scope = cursor.position, cursor.varint()
        path = self._attributes.string(cursor)
        if not scope or self._record(scope, at) != _scope_in(path, self._subprogram):
            return None
        files = self._plain.setdefault(cursor.position - begin, {})
        file = files[self._data[begin : cursor.position]] = text(path)
        return position(file, cursor.varint(), cursor.varint())

    def _simplified(self, record: Attribute, cursor: Cursor) -> LocationAttr:
        """The location of a record, without a scope that would be derived from its position anyway."""
        match record:
            case CallSiteLoc():
                return called(self._simplified(record.callee, cursor), self._simplified(record.caller, cursor))
            case FusedLoc():
                position, scope = position_of(record)
                assert position is not None
                if self._subprogram is None:
                    raise cursor.fail("an operation has a scope and its function has none")
                return position if scope == _scope_in(position.filename.data, self._subprogram) else record
            case UnknownLoc():
                return record
            case _:
                raise cursor.fail("the location of an operation is neither a position nor a call site")

    def _record(self, number: int, at: int) -> Attribute:
        cursor = Cursor(self._data, at, at)
        if number > len(self._records):
            raise cursor.fail(f"there is no debug record {number}")
        record = self._records[number - 1]
        if record is None:
            if number in self._open:
                raise cursor.fail(f"debug record {number} is made of itself")
            if len(self._open) >= MAX_NESTING:
                raise cursor.fail(f"more than {MAX_NESTING} debug records stand in one another")
            self._open.add(number)
            record = self._records[number - 1] = self._read(Cursor(self._data, *self._entries[number - 1]))
            self._open.remove(number)
        return record

    def _read(self, cursor: Cursor) -> Attribute:
        at = cursor.position
        string = self._attributes.string
        match cursor.varint():
            case DebugTag.UNKNOWN:
                return UnknownLoc()
            case DebugTag.FILE:
                return DIFileAttr(text(string(cursor)), text(string(cursor)))
            case DebugTag.COMPILE_UNIT:
                return DICompileUnitAttr(self._part(cursor, DIFileAttr))
            case DebugTag.LEXICAL_BLOCK:
                outer = self._part(cursor, DISubprogramAttr, DILexicalBlockAttr)
                file = self._part(cursor, DIFileAttr)
                return DILexicalBlockAttr(outer, file, whole(cursor.varint()), whole(cursor.varint()))
            case DebugTag.LOCATION:
                scope = self._part(cursor, DISubprogramAttr, DILexicalBlockAttr)
                return located(position(text(string(cursor)), cursor.varint(), cursor.varint()), scope)
            case DebugTag.SUBPROGRAM:
                file, line = self._part(cursor, DIFileAttr), whole(cursor.varint())
                names = text(string(cursor)), text(string(cursor))
                unit, scope_line = self._part(cursor, DICompileUnitAttr), whole(cursor.varint())
                declaration = cursor.flags("a subprogram", 1) if self._version >= V13_5 else 0
                return DISubprogramAttr(file, line, *names, unit, scope_line, whole(declaration))
            case DebugTag.CALL_SITE:
                location = called(self._part(cursor, FusedLoc, CallSiteLoc), self._part(cursor, FusedLoc, CallSiteLoc))
                size = 1 + self._call_sites(location.callee) + self._call_sites(location.caller)
                if size > MAX_CALL_SITES:
                    raise cursor.fail("a location has too many call sites", at)
                self._sizes[id(location)] = size
                return location
            case tag:
                raise cursor.fail(f"there is no debug tag {tag}", at)

    def _call_sites(self, location: Attribute) -> int:
        """How many call sites there are in a location that was read before, and is therefore kept."""
        return self._sizes.get(id(location), 0)

    def _part(self, cursor: Cursor, *kinds: type[_RecordT]) -> _RecordT:
        at = cursor.position
        number = cursor.varint()
        if number == 0:
            raise cursor.fail("a debug record refers to an unknown one", at)
        record = self._record(number, at)
        if not isinstance(record, kinds):
            names = " or ".join(kind.__name__ for kind in kinds)
            raise cursor.fail(f"debug record {number} is no {names}", at)
        return record
