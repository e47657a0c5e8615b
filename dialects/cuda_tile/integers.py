"""Operations on integers, each with its meaning: what the table of `support.integers` says of it."""

from __future__ import annotations

from typing import Any, Final

from xdsl.ir import Attribute, Operation

from freehold.dialects.classes import nth, operands_of
from freehold.dialects.cuda_tile.types import TileType
from freehold.support.integers import OPERATIONS, Meaning

_NAMES: Final = {f"cuda_tile.{name}": name for name in OPERATIONS}


def element_width(type_: Attribute) -> int | None:
    """The width of the elements of a tile of integers; None for every other type."""
    return type_.width if isinstance(type_, TileType) else None


def width_of(type_: Attribute) -> int | None:
    """The width of an integer scalar; None for every other type."""
    return type_.width if isinstance(type_, TileType) and not type_.dims else None


def meaning_of(op: Operation) -> Meaning | None:
    """What an operation computes of each element of its operands; None for one that is no arithmetic of integers."""
    name = _NAMES.get(op.name)
    if name is None:
        return None
    width, result = element_width(nth(operands_of(op), 0).type), element_width(nth(op.results, 0).type)
    assert width is not None
    assert result is not None
    detail = _keyword(op, "rounding", "zero") if name == "divi" else _keyword(op, "comparison_predicate", "")
    signed = _keyword(op, "signedness", "signed") == "signed"
    return Meaning(name, width, result, signed, detail, _keyword(op, "overflow", "none"))


def _keyword(op: Operation, name: str, default: str) -> str:
    """The keyword of an enumeration property, as in text."""
    attribute: Any = op.properties.get(name)
    return default if attribute is None else str(attribute.data.value)
