"""Self-contained attributes: those that say on the wire what they are. Also the strings and constants they refer to."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
)
from xdsl.ir import Attribute, TypeAttribute
from xdsl.utils.exceptions import VerifyException

from freehold.backend.bytecode.encoding import (
    Cursor,
    put_integers,
    put_varint,
    to_signed,
    zigzag,
)
from freehold.backend.bytecode.tables import AttributeTag
from freehold.backend.bytecode.types import NoForm, TypeReader, TypeWriter
from freehold.dialects.cuda_tile.attrs import BoundedAttr, DivByAttr, OptimizationHintsAttr, SameElementsAttr
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.float_bits import FloatBitsAttr, exact_float
from freehold.dialects.cuda_tile.types import ELEMENT_BITS, FLOATS, TileType, element_name

MAX_NESTING = 32
"""How deep arrays and dictionaries may stand in one another."""


class Pool:
    """Byte strings and their numbers, each kept once, in the order they are first asked for."""

    def __init__(self):
        self.numbers: dict[bytes, int] = {}

    def index(self, entry: bytes) -> int:
        """The number of an entry, which is added if it is new."""
        return self.numbers.setdefault(entry, len(self.numbers))

    @property
    def entries(self) -> list[bytes]:
        """The byte strings in the order of their numbers."""
        return list(self.numbers)


class AttributeWriter:
    """Writes attributes, and fills the tables of strings and constants as they are used."""

    def __init__(self, types: TypeWriter):
        self.types = types
        self.strings = Pool()
        self.constants = Pool()

    def string(self, text: str) -> int:
        """The number of a string. Raises `NoForm` where it is not Unicode text."""
        try:
            return self.strings.index(text.encode())
        except UnicodeEncodeError:
            raise NoForm(f"the string {text!r}", "it holds half of a surrogate pair") from None

    def put_self_contained(self, out: bytearray, attribute: Attribute, depth: int = 0) -> None:
        """Appends an attribute with its tag. Raises `NoForm` for attributes without one, and those nested too deep."""
        if depth > MAX_NESTING:
            raise NoForm("an attribute", f"more than {MAX_NESTING} arrays and dictionaries stand in one another")
        attribute = exact_float(attribute)
        match attribute:
            case DivByAttr():
                out.append(AttributeTag.DIV_BY)
                put_varint(out, attribute.divisor.data)
                _put_optional(out, attribute.every, attribute.along)
            case BoundedAttr():
                out.append(AttributeTag.BOUNDED)
                _put_optional(out, attribute.lower, attribute.upper)
            case IntegerAttr():
                self._put_integer(out, attribute)
            case FloatBitsAttr():
                self._put_float(out, attribute)
            case StringAttr():
                out.append(AttributeTag.STRING)
                put_varint(out, self.string(attribute.data))
            case ArrayAttr():
                out.append(AttributeTag.ARRAY)
                self.put_array(out, attribute, depth)
            case DictionaryAttr():
                out.append(AttributeTag.DICTIONARY)
                self._put_dictionary(out, attribute, depth)
            case OptimizationHintsAttr():
                out.append(AttributeTag.HINTS)
                self.put_hints(out, attribute, depth)
            case DenseElementsAttr():
                out.append(AttributeTag.DENSE)
                put_varint(out, self.types.index(attribute.type))
                put_varint(out, self.constants.index(attribute.data.data))
            case SameElementsAttr():
                out.append(AttributeTag.SAME_ELEMENTS)
                put_integers(out, (value.data for value in attribute.values), "q")
            case TypeAttribute():
                out.append(AttributeTag.TYPE)
                put_varint(out, self.types.index(attribute))
            case _:
                raise NoForm(f"attribute `{attribute}`", "it is no attribute of Tile IR")

    def _put_integer(self, out: bytearray, attribute: IntegerAttr[IntegerType | IndexType]) -> None:
        type_ = attribute.type
        if not isinstance(type_, IntegerType):
            raise NoForm(f"attribute `{attribute}`", "Tile IR has no `index` type")
        if type_.width.data == 1:
            out += bytes((AttributeTag.BOOL, attribute.value.data != 0))
        else:
            out.append(AttributeTag.INTEGER)
            put_varint(out, self.types.index(type_))
            put_varint(out, attribute.value.data & ((1 << type_.width.data) - 1))

    def _put_float(self, out: bytearray, attribute: FloatBitsAttr) -> None:
        out.append(AttributeTag.FLOAT)
        put_varint(out, self.types.index(attribute.type))
        bits = attribute.bits.data
        if ELEMENT_BITS[element_name(attribute.type)] <= 8:
            out.append(bits)
        else:
            put_varint(out, zigzag(to_signed(bits)))

    def put_array(self, out: bytearray, array: ArrayAttr[Attribute], depth: int = 0) -> None:
        """Appends a counted array of self-contained attributes, without a tag."""
        put_varint(out, len(array.data))
        for attribute in array.data:
            self.put_self_contained(out, attribute, depth + 1)

    def put_hints(self, out: bytearray, hints: OptimizationHintsAttr, depth: int = 0) -> None:
        """Appends hints without a tag: architectures in alphabetical order, each with its dictionary."""
        self._put_dictionary(out, hints.hints, depth)

    def _put_dictionary(self, out: bytearray, dictionary: DictionaryAttr, depth: int) -> None:
        put_varint(out, len(dictionary.data))
        for key in sorted(dictionary.data):  # the order carries no meaning; sorted, equal modules are equal bytes
            put_varint(out, self.string(key))
            self.put_self_contained(out, dictionary.data[key], depth + 1)


def _put_optional(out: bytearray, *values: IntAttr | NoneAttr) -> None:
    """Appends a byte that says which of the integers are there, and those."""
    out.append(sum(1 << bit for bit, value in enumerate(values) if isinstance(value, IntAttr)))
    for value in values:
        if isinstance(value, IntAttr):
            put_varint(out, zigzag(value.data))


class AttributeReader:
    """Reads attributes, with the tables of strings and constants of a file."""

    def __init__(
        self, data: bytes, types: TypeReader, strings: list[tuple[int, int]], constants: list[tuple[int, int]]
    ):
        self.types = types
        self._data = data
        self._strings = strings
        self._constants = constants
        self._texts: list[str | None] = [None] * len(strings)

    def string(self, cursor: Cursor) -> str:
        """The string whose number stands next."""
        at = cursor.position
        index = cursor.varint()
        if index >= len(self._texts):
            raise cursor.fail(f"there is no string {index}", at)
        text = self._texts[index]
        if text is None:
            begin, end = self._strings[index]
            try:
                text = self._texts[index] = self._data[begin:end].decode()
            except UnicodeDecodeError:
                raise cursor.fail(f"string {index} is not UTF-8", begin) from None
        return text

    def constant(self, cursor: Cursor, type_: Attribute) -> DenseElementsAttr:
        """The constant whose number stands next, as the elements of a tile type."""
        at = cursor.position
        index = cursor.varint()
        if index >= len(self._constants):
            raise cursor.fail(f"there is no constant {index}", at)
        if not isinstance(type_, TileType):
            raise cursor.fail(f"a constant is a tile, not {type_}", at)
        begin, end = self._constants[index]
        entry = Cursor(self._data, begin, end)
        data = entry.bytes(entry.count("bytes"))
        try:
            return DenseElementsAttr(type_, data)
        except VerifyException as error:
            raise cursor.fail(str(error), begin) from None

    def self_contained(self, cursor: Cursor, depth: int = 0) -> Attribute:
        """The attribute that stands next, by its tag."""
        at = cursor.position
        tag = cursor.varint()
        if depth > MAX_NESTING:
            raise cursor.fail("attributes are nested too deep", at)
        try:
            return self._untagged(cursor, tag, depth)
        except VerifyException as error:
            raise cursor.fail(str(error), at) from None

    def _untagged(self, cursor: Cursor, tag: int, depth: int) -> Attribute:
        match tag:
            case AttributeTag.INTEGER:
                return self._integer(cursor)
            case AttributeTag.FLOAT:
                return self._float(cursor)
            case AttributeTag.BOOL:
                return IntegerAttr(int(cursor.byte() != 0), IntegerType(1))
            case AttributeTag.TYPE:
                return self.types.read(cursor)
            case AttributeTag.STRING:
                return StringAttr(self.string(cursor))
            case AttributeTag.ARRAY:
                return self.array(cursor, depth)
            case AttributeTag.DENSE:
                return self.constant(cursor, self.types.read(cursor))
            case AttributeTag.DIV_BY:
                return DivByAttr(cursor.varint(), *_optional(cursor))
            case AttributeTag.SAME_ELEMENTS:
                return SameElementsAttr(cursor.integers("values", "q"))
            case AttributeTag.DICTIONARY:
                return self._dictionary(cursor, depth)
            case AttributeTag.HINTS:
                return self.hints(cursor, depth)
            case AttributeTag.BOUNDED:
                return BoundedAttr(*_optional(cursor))
            case _:
                raise cursor.fail(f"there is no attribute tag {tag}")

    def _integer(self, cursor: Cursor) -> Attribute:
        at = cursor.position
        type_ = self.types.read(cursor)
        if not isinstance(type_, IntegerType):
            raise cursor.fail(f"an integer cannot be of type {type_}", at)
        integer = cast("IntegerType", type_)
        at, value = cursor.position, cursor.varint()
        if value >> integer.width.data:
            raise cursor.fail(f"{value} has more bits than {integer}", at)
        return IntegerAttr(value, integer)

    def _float(self, cursor: Cursor) -> Attribute:
        at = cursor.position
        type_ = self.types.read(cursor)
        name = element_name(type_)
        if name not in FLOATS:
            raise cursor.fail(f"a float cannot be of type {type_}", at)
        at, width = cursor.position, ELEMENT_BITS[name]
        bits = cursor.byte() if width <= 8 else cursor.signed() & 0xFFFF_FFFF_FFFF_FFFF
        if bits >> width:
            raise cursor.fail(f"{bits:#x} has more bits than {type_}", at)
        return FloatBitsAttr.from_bits(bits, type_)

    def array(self, cursor: Cursor, depth: int = 0) -> ArrayAttr[Attribute]:
        """Counted self-contained attributes."""
        return ArrayAttr([self.self_contained(cursor, depth + 1) for _ in range(cursor.count("attributes"))])

    def hints(self, cursor: Cursor, depth: int = 0) -> OptimizationHintsAttr:
        """Hints without a tag."""
        at = cursor.position
        try:
            return OptimizationHintsAttr(self._dictionary(cursor, depth))
        except VerifyException as error:
            raise cursor.fail(str(error), at) from None

    def _dictionary(self, cursor: Cursor, depth: int) -> DictionaryAttr:
        values: dict[str, Attribute] = {}
        for _ in range(cursor.count("entries", 2)):
            at = cursor.position
            key = self.string(cursor)
            if key in values:
                raise cursor.fail(f"the key {key!r} stands twice in one dictionary", at)
            values[key] = self.self_contained(cursor, depth + 1)
        return DictionaryAttr(values)


def _optional(cursor: Cursor) -> list[int | None]:
    """Two integers of which a byte says whether they are there."""
    flags = cursor.flags("an attribute", 3)
    return [cursor.signed() if flags >> bit & 1 else None for bit in range(2)]
