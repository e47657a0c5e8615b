"""
What came from beyond a tensor: in checked mode, tiles that overhang remember which of their elements are padding.

A mark goes where the values go: an operation on elements marks what it makes of a marked one, and one that moves
elements moves their marks. A condition that chooses another value takes a mark away; so does a maximum that is another
operand's, and a sum that is. An operation of which nothing is said here drops marks, so that nothing is reported that
is not so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from xdsl.ir import Block, SSAValue

from freehold.dialects.cuda_tile.types import TileType
from freehold.runtime.interpreter.access import dims
from freehold.runtime.interpreter.elements import Array

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from freehold.runtime.interpreter.compile import Function

Mark = Any
"""Which elements are padding: an array of truth values, or `False`."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where padding came from, and what it has changed since."""

    load: Operation
    fold: Operation | None = None
    """The reduction that first gave something else because of it."""
    witness: str = ""
    """What that gave, and what it would have given."""
    padding: str | None = None
    """A padding that it would not have seen, as it is written."""


class Marked(np.ndarray[Any, Any]):
    """An array of which some elements are padding, or depend on it."""

    mark: Mark = False
    origin: Origin | None = None


def marked(values: Any, mark: Mark, origin: Origin | None) -> Any:
    """Values with a mark, where there is anything to mark."""
    if origin is None or not np.any(mark):
        return values
    found = np.asarray(values).view(Marked)
    found.mark, found.origin = np.broadcast_to(mark, found.shape), origin
    return found


def mark_of(value: Any) -> Mark:
    """Which elements of a value are padding."""
    return value.mark if isinstance(value, Marked) else False


def origin_of(values: Iterable[Any]) -> Origin | None:
    """Where the padding in values came from; that which has changed something, if there is one."""
    found = [value.origin for value in values if isinstance(value, Marked) and value.origin is not None]
    return next((origin for origin in found if origin.fold is not None), found[0] if found else None)


def plain(value: Any) -> Any:
    """A value without its mark."""
    return value.view(np.ndarray) if isinstance(value, Marked) else value


def any_of(values: Iterable[Any]) -> Mark:
    """Where one of several values of a shape is padding."""
    mark: Mark = False
    for value in values:
        mark = mark | mark_of(value)
    return mark


def tracking(op: Operation, function: Function) -> Function:
    """What an operation computes, with marks."""
    rule = _rule(op)

    def tracked(*operands: Any) -> Any:
        for operand in operands:
            if isinstance(operand, Marked):
                values = [plain(operand) for operand in operands]
                result = function(*values)
                if rule is None:
                    return result
                return marked(result, rule(function, result, values, operands), origin_of(operands))
        return function(*operands)

    return tracked


Rule = Callable[["Function", Any, Sequence[Any], Sequence[Any]], Mark]
"""The mark of a result, given how it is computed, the result, and the operands without and with marks."""


def _rule(op: Operation) -> Rule | None:
    special = _sum_of(op) if op.name in _SUMS else _RULES.get(op.name)
    if special is not None or len(op.results) != 1:
        return special
    values = [*op.operands, *op.results]
    alike = all(isinstance(value.type, TileType) and dims(value) == dims(values[0]) for value in values)
    return _element_by_element if alike else None


def _element_by_element(function: Function, result: Any, values: Sequence[Any], operands: Sequence[Any]) -> Mark:
    return any_of(operands)


def _moved(
    function: Function, result: Any, values: Sequence[Any], operands: Sequence[Any], tiles: int | None = None
) -> Mark:
    """Elements that are put elsewhere: of so many operands, or of all; the others are places."""
    marks = [np.broadcast_to(mark_of(operand), np.shape(operand)) for operand in operands[:tiles]]
    return function(*marks, *(values[tiles:] if tiles else ()))


def _selected(function: Function, result: Any, values: Sequence[Any], operands: Sequence[Any]) -> Mark:
    return cast(Any, np.where(values[0], mark_of(operands[1]), mark_of(operands[2])))


def _sum_of(op: Operation) -> Rule:
    """Sums but those that are their other operand: zeros add nothing to an accumulator, if it is no constant."""
    computed = [not _is_constant(operand) for operand in op.operands]

    def rule(function: Function, result: Any, values: Sequence[Any], operands: Sequence[Any]) -> Mark:
        mark = any_of(operands)
        for value, operand, counts in zip(values, operands, computed, strict=True):
            if counts:
                mark = mark & ~np.asarray((value == result) & np.logical_not(mark_of(operand)))
        return mark

    return rule


_SUMS: Final = frozenset(f"cuda_tile.{name}" for name in ("addf", "addi", "subf", "subi", "ori", "xori"))


def _is_constant(value: SSAValue) -> bool:
    op = value.owner
    if isinstance(op, Block):
        return False
    through = op.name in ("cuda_tile.reshape", "cuda_tile.broadcast") and _is_constant(op.operands[0])
    return through or op.name == "cuda_tile.constant"


def _extreme(function: Function, result: Any, values: Sequence[Any], operands: Sequence[Any]) -> Mark:
    """Elements that are those of a marked operand, and of no other."""
    a, b = (np.asarray((value == result) | ((value != value) & (result != result))) for value in values)
    p, q = map(mark_of, operands)
    return (a | b) & ~((a & np.logical_not(p)) | (b & np.logical_not(q)))


def _product(function: Function, result: Any, values: Sequence[Any], operands: Sequence[Any]) -> Mark:
    """Rows and columns of which nothing is in a tensor. What is summed over may be zeros on either side."""
    marks: list[Mark] = [mark_of(operand) for operand in operands[:3]]
    rows, columns, accumulator = marks
    rows = np.all(rows, axis=-1, keepdims=True) if np.ndim(rows) else rows
    columns = np.all(columns, axis=-2, keepdims=True) if np.ndim(columns) else columns
    return rows | columns | accumulator


_RULES: Final[dict[str, Rule]] = {
    **dict.fromkeys((f"cuda_tile.{name}" for name in ("reshape", "broadcast", "permute", "cat")), _moved),
    "cuda_tile.extract": partial(_moved, tiles=1),
    "cuda_tile.insert": partial(_moved, tiles=2),
    **dict.fromkeys((f"cuda_tile.{name}" for name in ("maxf", "minf", "maxi", "mini")), _extreme),
    **dict.fromkeys((f"cuda_tile.{name}" for name in ("mmaf", "mmai", "mmaf_scaled")), _product),
    "cuda_tile.select": _selected,
}


def marked_beyond(tile: Array, shape: Sequence[int], starts: Sequence[int], load: Operation) -> Array:
    """A tile that was loaded at a place of a tensor, where it begins inside, with what is beyond the end marked."""
    mark = np.zeros(tile.shape, np.bool_)
    for axis, (start, extent) in enumerate(zip(starts, shape, strict=True)):
        mark[(slice(None),) * axis + (slice(extent - start, None),)] = True
    return marked(tile, mark, Origin(load))
