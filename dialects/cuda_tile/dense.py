"""Dense literals: the values of constants and globals, kept as the bytes the bytecode stores.

Keeping the bytes makes reading and writing exact (NaN payloads included) and cheap. A buffer of one element stands for
a tile filled with it; `i1` fills are the byte 00 or FF, other `i1` tiles are packed eight to a byte from the lowest
bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from xdsl.dialects.builtin import BytesAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.classes import PlainAttribute, octets
from freehold.dialects.cuda_tile.types import ELEMENT_BITS, TileType, element_name, is_int
from freehold.support.integers import read, wrapped

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer

_STORAGE_BYTES: Final = {"tf32": 3}


def storage_bytes(element: Attribute) -> int:
    """The bytes one element takes in a literal. `tf32` takes 3, `i1`, `i4` and `f4E2M1FN` a whole byte.

    Raises `VerifyException` for a type literals cannot have, such as a pointer.
    """
    name = element_name(element)
    bits = ELEMENT_BITS.get(name)
    if bits is None:
        raise VerifyException(f"cuda_tile.dense: {element} cannot stand in a literal")
    return _STORAGE_BYTES.get(name) or (bits + 7) // 8


@lru_cache(maxsize=4096)
def element_bytes(value: float, element: Attribute) -> bytes:
    """The bytes of one element. Integers wrap to the width; floats round to nearest even."""
    if is_int(element):
        width = element.width.data
        return read(int(value), width, signed=False).to_bytes((width + 7) // 8, "little")
    pack = getattr(element, "pack", None)
    if pack is None:
        raise VerifyException(f"cuda_tile.dense: {element} cannot stand in a literal")
    try:
        data = pack((float(value),))
    except OverflowError:  # Python's struct refuses what rounds to infinity
        data = pack((math.copysign(math.inf, value),))
    assert isinstance(data, bytes)
    return data


def element_value(data: bytes, element: Attribute) -> int | float:
    """The value of one element: a signed integer (0 or 1 for `i1`), or a float."""
    if is_int(element):
        width = element.width.data
        return wrapped(int.from_bytes(data, "little"), width)
    unpack = getattr(element, "unpack", None)
    if unpack is None:
        raise VerifyException(f"cuda_tile.dense: {element} cannot stand in a literal")
    (value,) = unpack(data, 1)
    assert isinstance(value, float)
    return value


@irdl_attr_definition
class DenseElementsAttr(PlainAttribute):
    """`<f32: [1.0, 2.0]> : tile<2xf32>`: a literal of a tile type, as the bytes of the bytecode's constant section."""

    name = "cuda_tile.dense"
    type: TileType
    data: BytesAttr

    def __init__(self, type: TileType, data: bytes | BytesAttr):
        super().__init__(type, octets(data) if isinstance(data, bytes) else data)

    def verify(self) -> None:
        """The buffer holds one element, or exactly as many as the tile."""
        size = storage_bytes(self.type.element_type)
        length, count = len(self.data.data), self.type.num_elements
        full = (count + 7) // 8 if self._is_i1 else size * count
        if length not in (size, full):
            raise VerifyException(
                f"cuda_tile.dense: {self.type} takes {size} bytes for a fill or {full} for all elements, got {length}"
            )

    @property
    def _is_i1(self) -> bool:
        return self.type.width == 1

    @property
    def is_splat(self) -> bool:
        """Whether one value fills the tile."""
        data = self.data.data
        if self._is_i1:
            return len(data) == 1 and (data[0] in (0, 0xFF) or self.type.num_elements == 1)
        return len(data) == storage_bytes(self.type.element_type)

    @property
    def splat_value(self) -> int | float:
        """The value that fills the tile. Only for `is_splat`."""
        if self._is_i1:
            return int(self.data.data[0] != 0)
        return element_value(self.data.data, self.type.element_type)

    def elements(self) -> list[bytes]:
        """The bytes of every element, row by row; `i1` elements as 00 or 01."""
        data, count = self.data.data, self.type.num_elements
        if self._is_i1:
            if self.is_splat:
                return [bytes([int(data[0] != 0)])] * count
            return [bytes([data[index >> 3] >> (index & 7) & 1]) for index in range(count)]
        size = storage_bytes(self.type.element_type)
        if len(data) == size:
            return [data] * count
        return [data[start : start + size] for start in range(0, len(data), size)]

    def values(self) -> list[int | float]:
        """The value of every element, row by row: signed integers, 0 or 1 for `i1`, or floats."""
        element = self.type.element_type
        return [element_value(data, element) for data in self.elements()]

    @classmethod
    def splat(cls, type_: TileType, value: float) -> DenseElementsAttr:
        """A tile filled with `value`; one object for equal arguments."""
        # 0.0 and -0.0 (and 0 and False) are equal keys to a cache but not equal literals.
        return _splat(type_, value, str(value))

    @classmethod
    def from_values(cls, type_: TileType, values: Sequence[float]) -> DenseElementsAttr:
        """A tile of the given values, row by row."""
        element = type_.element_type
        return cls.from_elements(type_, [element_bytes_exact(value, element) for value in values])

    @classmethod
    def from_elements(cls, type_: TileType, elements: Sequence[bytes]) -> DenseElementsAttr:
        """A tile of the given elements, each as bytes, or a tile of one; equal elements become a fill."""
        count = type_.num_elements
        if len(elements) not in (1, count):
            raise VerifyException(f"cuda_tile.dense: {type_} takes {count} values, got {len(elements)}")
        same = all(data == elements[0] for data in elements)
        if is_int(type_.element_type) and type_.element_type.width.data == 1:
            if same:
                return cls(type_, b"\xff" if elements[0] != b"\0" else b"\0")
            packed = bytearray((count + 7) // 8)
            for index, data in enumerate(elements):
                packed[index >> 3] |= (data != b"\0") << (index & 7)
            return cls(type_, bytes(packed))
        return cls(type_, elements[0] if same else b"".join(elements))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<f32: [1.0, 2.0], tile<2xf32>>`, the form inside MLIR's generic syntax."""
        from freehold.dialects.cuda_tile.text_dense import parse_dense_parameters

        return parse_dense_parameters(parser)

    def print_parameters(self, printer: Printer) -> None:
        """Write `<f32: [1.0, 2.0], tile<2xf32>>`, the form inside MLIR's generic syntax."""
        from freehold.dialects.cuda_tile.text_dense import print_dense_parameters

        print_dense_parameters(self, printer)


def element_bytes_exact(value: float, element: Attribute) -> bytes:
    """As `element_bytes`, telling -0.0 from 0.0, which are equal keys to its cache."""
    return element_bytes.__wrapped__(value, element) if value == 0 else element_bytes(value, element)


@lru_cache(maxsize=4096)
def _splat(type_: TileType, value: float, spelled: str) -> DenseElementsAttr:
    element = type_.element_type
    if is_int(element) and element.width.data == 1:
        return DenseElementsAttr(type_, b"\xff" if value else b"\0")
    return DenseElementsAttr(type_, element_bytes_exact(value, element))
