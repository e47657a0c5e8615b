"""Types to their numbers in a file's type table, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

from xdsl.dialects.builtin import FunctionType, NoneAttr
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from freehold.backend.bytecode.encoding import Cursor, put_integers, put_varint
from freehold.backend.bytecode.tables import (
    ELEMENT_OF_TAG,
    FUNCTION_TAG,
    RECORD_OF_TAG,
    RECORD_OF_TYPE,
    TAG_OF_ELEMENT,
    Part,
    TypeRecord,
    element_since,
)
from freehold.dialects.cuda_tile.attrs import WireEnum, WireEnumAttr
from freehold.dialects.cuda_tile.types import ShapeAttr, element_name, shape
from freehold.dialects.cuda_tile.version import V13_1, Version


class NoForm(Exception):
    """What is being written has no form in bytecode of any version."""

    def __init__(self, what: str, why: str):
        super().__init__(what, why)
        self.what = what
        self.why = why


Lacks: TypeAlias = Callable[[str, Version], None]
"""Is told what is being written that came with a later version than the file's, and with which."""


class TypeWriter:
    """The type table of a file being written. A type's own types come before it."""

    def __init__(self, version: Version, lacks: Lacks):
        self.version = version
        self._lacks = lacks
        self.records: list[bytes] = []
        self.by_id: dict[int, int] = {}
        """Numbers by the identity of types that `_kept` keeps alive: asking for an object seen before costs no hash."""
        self._known: dict[Attribute, int] = {}
        self._kept: list[Attribute] = []

    def index(self, type_: Attribute) -> int:
        """The number of a type. Raises `NoForm` for a type that is not of Tile IR."""
        index = self.by_id.get(id(type_))
        if index is None:
            index = self._known.get(type_)
            if index is None:
                record = self._record(type_)
                index = len(self.records)
                self.records.append(record)
                self._known[type_] = index
            self.by_id[id(type_)] = index
            self._kept.append(type_)
        return index

    def _record(self, type_: Attribute) -> bytes:
        out = bytearray()
        if (form := RECORD_OF_TYPE.get(type(type_))) is not None:
            self._composite(out, form, type_)
        elif isinstance(type_, FunctionType):
            put_varint(out, FUNCTION_TAG)
            for types in (type_.inputs, type_.outputs):
                indices = [self.index(part) for part in types]
                put_varint(out, len(indices))
                for index in indices:
                    put_varint(out, index)
        elif (tag := TAG_OF_ELEMENT.get(type_)) is not None:
            self._need(f"type `{element_name(type_)}`", element_since(type_))
            put_varint(out, tag)
        else:
            raise NoForm(f"type `{type_}`", "it is no type of Tile IR")
        return bytes(out)

    def _composite(self, out: bytearray, form: TypeRecord, type_: Attribute) -> None:
        self._need(f"type `{form.type.name.removeprefix('cuda_tile.')}`", form.since)
        put_varint(out, form.tag)
        option = None
        if form.option is not None and not isinstance(value := getattr(type_, form.parts[-1][0]), NoneAttr):
            option = cast(WireEnumAttr[WireEnum], value)
            self._need(f"`{form.parts[-1][0]}` `{option.data.value}` of a type", option.keyword_since)
        if form.option is not None and self.version >= form.flags_since:
            put_varint(out, option is not None)
        for name, part in form.parts:
            value = getattr(type_, name)
            if part is Part.TYPE:
                put_varint(out, self.index(value))
            elif part is Part.OPTION:
                if self.version < form.flags_since and _has_presence_byte(form):
                    out.append(option is not None)
                if option is not None:
                    put_varint(out, option.wire)
            else:
                numbers = cast(ShapeAttr, value).data
                if part is Part.NUMBER:
                    put_varint(out, numbers[0])
                else:
                    put_integers(out, numbers, "i" if part is Part.I32S else "q")

    def _need(self, what: str, since: Version) -> None:
        if since > self.version:
            self._lacks(what, since)


def _has_presence_byte(form: TypeRecord) -> bool:
    """Whether files older than the record's flags say with a byte if the optional parameter is there."""
    assert form.option is not None
    return form.option.SINCE == V13_1


class TypeReader:
    """The type table of a file being read. Types are read when they are first asked for, and may refer forwards."""

    def __init__(self, data: bytes, entries: list[tuple[int, int]], version: Version):
        self._data = data
        self._entries = entries
        self._version = version
        self._types: list[Attribute | None] = [None] * len(entries)
        self._open: set[int] = set()

    def read(self, cursor: Cursor) -> Attribute:
        """The type whose number stands next."""
        at = cursor.position
        return self.get(cursor.varint(), cursor, at)

    def get(self, index: int, cursor: Cursor, at: int) -> Attribute:
        """The type of a number that stood at `at`."""
        if index >= len(self._types):
            raise cursor.fail(f"there is no type {index}", at)
        type_ = self._types[index]
        if type_ is None:
            if index in self._open:
                raise cursor.fail(f"type {index} is made of itself", at)
            self._open.add(index)
            begin, end = self._entries[index]
            type_ = self._types[index] = self._read_record(Cursor(self._data, begin, end))
            self._open.remove(index)
        return type_

    def _read_record(self, cursor: Cursor) -> Attribute:
        begin = cursor.position
        tag = cursor.varint()
        if (element := ELEMENT_OF_TAG.get(tag)) is not None:
            self._need(cursor, f"type {element}", element_since(element), begin)
            return element
        if tag == FUNCTION_TAG:
            inputs = self._several(cursor)
            return FunctionType.from_lists(inputs, self._several(cursor))
        form = RECORD_OF_TAG.get(tag)
        if form is None:
            raise cursor.fail(f"there is no type tag {tag}", begin)
        self._need(cursor, f"type {form.type.name}", form.since, begin)
        try:
            return self._composite(cursor, form)
        except VerifyException as error:
            raise cursor.fail(str(error), begin) from None

    def _several(self, cursor: Cursor) -> list[Attribute]:
        types: list[Attribute] = []
        for _ in range(cursor.count("types")):
            at = cursor.position
            type_ = self.read(cursor)
            if isinstance(type_, FunctionType):
                raise cursor.fail("a function type cannot stand inside another", at)
            types.append(type_)
        return types

    def _composite(self, cursor: Cursor, form: TypeRecord) -> Attribute:
        flags = None
        if form.option is not None and self._version >= form.flags_since:
            flags = cursor.flags("a type", 1)
        values: dict[str, Attribute] = {}
        for name, part in form.parts:
            if part is Part.TYPE:
                values[name] = self.read(cursor)
            elif part is Part.I32S:
                values[name] = shape(cursor.integers("extents", "i"))
            elif part is Part.I64S:
                values[name] = shape(cursor.integers("extents", "q"))
            elif part is Part.NUMBER:
                values[name] = shape((cursor.varint(),))
            else:
                assert form.option is not None
                present = flags == 1
                if flags is None and _has_presence_byte(form):
                    present = cursor.flags("the option of a type", 1) == 1
                values[name] = self.enum(cursor, form.option) if present else NoneAttr()
        return form.type.new([values[name] for name, _ in form.type.get_irdl_definition().parameters])

    def enum(self, cursor: Cursor, kind: type[WireEnumAttr[WireEnum]]) -> WireEnumAttr[WireEnum]:
        """The enumeration's value that stands next, if this version has it."""
        at = cursor.position
        value = cursor.varint()
        try:
            attribute = kind.from_wire(value)
        except ValueError as error:
            raise cursor.fail(str(error), at) from None
        self._need(cursor, f"{kind.name} {attribute.data.value}", attribute.keyword_since, at)
        return attribute

    def _need(self, cursor: Cursor, what: str, since: Version, at: int) -> None:
        if since > self._version:
            raise cursor.fail(f"{what} came with {since} and this file has version {self._version}", at)
