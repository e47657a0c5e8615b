"""How implementations read an operation: properties by their names in the specification, and element types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from xdsl.ir import SSAValue

from freehold.dialects.cuda_tile.types import TileType
from freehold.runtime.interpreter.elements import Element, element_of

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation


def keyword(op: Operation, name: str, default: str = "") -> str:
    """The keyword of an enumeration property, as in text."""
    attribute: Any = op.properties.get(name)
    return default if attribute is None else str(attribute.data.value)


def flag(op: Operation, name: str) -> bool:
    """Whether a unit property is set."""
    return name in op.properties


def integer(op: Operation, name: str) -> int:
    """An integer property."""
    attribute: Any = op.properties[name]
    value = attribute.value if hasattr(attribute, "value") else attribute
    return int(value.data)


def text(op: Operation, name: str) -> str:
    """A string property."""
    attribute: Any = op.properties[name]
    return str(attribute.data)


def operand(op: Operation, name: str) -> SSAValue | None:
    """An operand by its field's name, None where it is optional and absent."""
    value: Any = getattr(op, name)
    assert value is None or isinstance(value, SSAValue)
    return cast("SSAValue | None", value)


def tile_type(value: SSAValue) -> TileType:
    """The type of a tile."""
    assert isinstance(value.type, TileType)
    return value.type


def element(value: SSAValue | Attribute) -> Element:
    """The element of a tile."""
    return element_of(tile_type(value).element_type if isinstance(value, SSAValue) else value)


def dims(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tile."""
    return tile_type(value).dims
