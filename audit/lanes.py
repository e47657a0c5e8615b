"""Values of many tile blocks at once: every array has the tile blocks as its first axis, of length 1 where all agree.

Elementwise operations are the interpreter's own, so that there is one definition of each. What depends on memory of
which nothing is known is `Unknown`, with the reason; nothing is concluded from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
from xdsl.ir import Operation, SSAValue

from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.integers import meaning_of
from freehold.dialects.cuda_tile.types import PartitionViewType, PointerType, StridedViewType, TileType, TileViewType
from freehold.runtime.interpreter import conversions, floats, integers, pointers
from freehold.runtime.interpreter.access import element, integer
from freehold.runtime.interpreter.compile import Compiler
from freehold.runtime.interpreter.elements import Array, as_numbers
from freehold.runtime.interpreter.shapes import literal


@dataclass(frozen=True, eq=False)
class Unknown:
    """A value of which nothing is known, and why."""

    why: str
    fact: str = ""
    """What would have to be known."""


SEVERAL: Final = -2
"""In the place of a parameter: whose memory it is, addresses say."""


@dataclass(frozen=True, eq=False)
class Pointer:
    """Addresses, and the parameter that they were made from: `SEVERAL` where tile blocks may differ in that."""

    base: int
    address: Array


@dataclass(frozen=True, eq=False)
class View:
    """A tensor view: where it begins, its extents and strides (in elements), each for every tile block."""

    base: int
    address: Array
    shape: tuple[Array, ...]
    strides: tuple[Array, ...]
    size: int
    """Bytes of an element."""


@dataclass(frozen=True, eq=False)
class Token:
    """Which accesses come before: the bits of an integer, by their numbers."""

    before: int


Value = Array | Unknown | Pointer | View | Token


class UndefinedError(Exception):
    """An operation without a defined result in some tile block: which operation, why, in which of the blocks."""

    def __init__(self, op: Operation, why: str, lanes: Array):
        super().__init__(why)
        self.op = op
        self.why = why
        self.lanes = lanes


_COMPILER: Final = Compiler({}, {})
ELEMENTWISE: Final = {**integers.PURE, **floats.PURE, **conversions.PURE}
"""What is computed element by element, by name."""
_NOT: Final = frozenset({"cuda_tile.int_to_ptr", "cuda_tile.ptr_to_int", "cuda_tile.ptr_to_ptr"})


def dims_of(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tile."""
    return cast(TileType, value.type).dims


def is_pointer(value: SSAValue) -> bool:
    """Whether a value is a tile of pointers."""
    return isinstance(value.type, TileType) and isinstance(value.type.element_type, PointerType)


def dim_map(view: TileViewType) -> tuple[int, ...]:
    """The axis of the tensor that each dimension of the tile covers."""
    if isinstance(view, PartitionViewType | StridedViewType):
        return view.dim_map.data
    return tuple(range(len(view.tile_dims)))


class Evaluator:
    """Computes results from operands, an operation at a time."""

    def __init__(self) -> None:
        self._functions: dict[Operation, Callable[..., Any]] = {}

    def compute(self, op: Operation, operands: Sequence[Value], lanes: Array) -> Value | None:
        """The result of an operation without effects; None for one that is not known here.

        `lanes` says which tile blocks come here: in those its result has to be defined. Raises `UndefinedError`.
        """
        unknown = next((v for v in operands if isinstance(v, Unknown)), None)
        name = op.name
        if name in ELEMENTWISE and name not in _NOT:
            return unknown or self._elementwise(op, cast("Sequence[Array]", operands), lanes)
        rule = _RULES.get(name)
        if rule is None:
            return None
        if unknown is not None and name not in ("cuda_tile.select", "cuda_tile.cat"):
            return unknown
        return rule(op, operands)

    def _elementwise(self, op: Operation, operands: Sequence[Array], lanes: Array) -> Value:
        if (function := self._functions.get(op)) is None:
            function = self._functions[op] = ELEMENTWISE[op.name](op, _COMPILER)
        _defined(op, operands, lanes)
        with np.errstate(all="ignore"):
            return np.asarray(function(*operands))


def _defined(op: Operation, operands: Sequence[Array], lanes: Array) -> None:
    """Raises `UndefinedError` where an operation on integers has no meaning, or breaks its promise not to wrap."""
    meaning = meaning_of(op)
    if meaning is None or (not (undefined := meaning.undefined()) and meaning.promise == "none"):
        return
    e = element(op.operands[0])
    numbers = [as_numbers(x, e, how) for x, how in zip(operands, meaning.readings(), strict=True)]
    for where, why in undefined:
        _refuse(op, np.asarray(where(*numbers)), why, lanes)
    if meaning.promise != "none" and op.name in _EXACT and e.bits <= 32:
        for article, kind, signed in (("a", "signed", True), ("an", "unsigned", False)):
            if meaning.promise in (f"no_{kind}_wrap", "no_wrap"):
                wide = [as_numbers(x, e, signed).astype(np.int64) for x in operands]
                exact = _EXACT[op.name](*wide)
                low, high = (-(1 << (e.bits - 1)), (1 << (e.bits - 1)) - 1) if signed else (0, (1 << e.bits) - 1)
                why = f"the result wraps as {article} {kind} number"
                promise = f"and `overflow<{meaning.promise}>` says that it cannot"
                _refuse(op, (exact < low) | (exact > high), f"{why}, {promise}", lanes)


_EXACT: Final[dict[str, Callable[..., Array]]] = {
    "cuda_tile.addi": np.add,
    "cuda_tile.subi": np.subtract,
    "cuda_tile.muli": np.multiply,
}


def _refuse(op: Operation, bad: Array, why: str, lanes: Array) -> None:
    if not bad.any():
        return
    wrong = bad.reshape(bad.shape[0], -1).any(axis=1) & lanes
    if wrong.any():
        raise UndefinedError(op, why, wrong)


# Shapes


def _constant(op: Operation, _: Sequence[Value]) -> Value:
    return np.asarray(literal(cast(DenseElementsAttr, op.properties["value"])))[None]


def _iota(op: Operation, _: Sequence[Value]) -> Value:
    (count,) = dims_of(op.results[0])
    return np.arange(count).astype(element(op.results[0]).dtype)[None]


def _mapped(value: Value, change: Callable[[Array], Array]) -> Value:
    """A change of the shape of a tile of numbers or pointers."""
    if isinstance(value, Pointer):
        return Pointer(value.base, change(value.address))
    return change(cast(Array, value))


def _reshape(op: Operation, operands: Sequence[Value]) -> Value:
    shape = dims_of(op.results[0])
    return _mapped(operands[0], lambda a: a.reshape(a.shape[0], *shape))


def _broadcast(op: Operation, operands: Sequence[Value]) -> Value:
    shape = dims_of(op.results[0])
    return _mapped(operands[0], lambda a: np.broadcast_to(a, (a.shape[0], *shape)))


def _permute(op: Operation, operands: Sequence[Value]) -> Value:
    order = (0, *(int(i) + 1 for i in cast(Any, op.properties["permutation"]).get_values()))
    return _mapped(operands[0], lambda a: a.transpose(order))


def _cat(op: Operation, operands: Sequence[Value]) -> Value:
    if (unknown := next((v for v in operands if isinstance(v, Unknown)), None)) is not None:
        return unknown
    if any(isinstance(v, Pointer) for v in operands):
        return Unknown("pointers are joined")
    a, b = (cast(Array, v) for v in operands)
    n = max(a.shape[0], b.shape[0])
    return np.concatenate([np.broadcast_to(x, (n, *x.shape[1:])) for x in (a, b)], integer(op, "dim") + 1)


def _extract(op: Operation, operands: Sequence[Value]) -> Value:
    source, *indices = operands
    places = [cast(Array, i) for i in indices]
    if any(i.shape[0] != 1 for i in places):
        return Unknown("a part of a tile is picked that differs between tile blocks")
    small, large = dims_of(op.results[0]), dims_of(op.operands[0])
    where: list[slice] = [slice(None)]
    for index, part, whole in zip(places, small, large, strict=True):
        if not 0 <= int(index[0]) < whole // part:
            return Unknown("a part of a tile is picked that does not exist")
        where.append(slice(int(index[0]) * part, (int(index[0]) + 1) * part))
    return _mapped(source, lambda a: a[tuple(where)])


def _select(op: Operation, operands: Sequence[Value]) -> Value:
    condition, yes, no = operands
    if isinstance(condition, Unknown):
        return condition
    chosen = cast(Array, condition)
    if isinstance(yes, Unknown) or isinstance(no, Unknown):
        if chosen.all() or not chosen.any():
            return yes if chosen.all() else no
        return yes if isinstance(yes, Unknown) else no
    if isinstance(yes, Pointer) and isinstance(no, Pointer):
        return Pointer(_base((yes.base, no.base)), _where(chosen, yes.address, no.address))
    del op
    return _where(chosen, cast(Array, yes), cast(Array, no))


def _where(condition: Array, yes: Array, no: Array) -> Array:
    rank = max(yes.ndim, no.ndim)
    return np.where(condition.reshape(*condition.shape, *(1,) * (rank - condition.ndim)), yes, no)


def _offset(op: Operation, operands: Sequence[Value]) -> Value:
    pointer, offset = operands
    assert isinstance(pointer, Pointer)
    function = pointers.PURE["cuda_tile.offset"](op, _COMPILER)
    with np.errstate(all="ignore"):
        return Pointer(pointer.base, function(pointer.address, cast(Array, offset)))


def _made(_: Operation, operands: Sequence[Value]) -> Value:
    return Pointer(SEVERAL, cast(Array, operands[0]).astype(np.int64))


def _same(_: Operation, operands: Sequence[Value]) -> Value:
    return operands[0]


_RULES: Final[dict[str, Callable[[Operation, Sequence[Value]], Value]]] = {
    "cuda_tile.constant": _constant,
    "cuda_tile.iota": _iota,
    "cuda_tile.reshape": _reshape,
    "cuda_tile.broadcast": _broadcast,
    "cuda_tile.permute": _permute,
    "cuda_tile.cat": _cat,
    "cuda_tile.extract": _extract,
    "cuda_tile.select": _select,
    "cuda_tile.offset": _offset,
    "cuda_tile.ptr_to_ptr": _same,
    "cuda_tile.int_to_ptr": _made,
    "cuda_tile.make_partition_view": _same,
    "cuda_tile.make_strided_view": _same,
    "cuda_tile.make_gather_scatter_view": _same,
}


def met(choices: Sequence[tuple[Array, Value]]) -> Value:
    """The value behind several ways, each with the tile blocks that took it. Tokens are not met here."""
    first = choices[0][1]
    if all(value is first for _, value in choices):
        return first
    if (unknown := next((v for _, v in choices if isinstance(v, Unknown)), None)) is not None:
        return unknown
    if isinstance(first, Pointer):
        ways = [(lanes, cast(Pointer, value)) for lanes, value in choices]
        return Pointer(_base([way.base for _, way in ways]), _joined([(lanes, way.address) for lanes, way in ways]))
    if isinstance(first, View):
        views = [(lanes, cast(View, value)) for lanes, value in choices]
        rank = range(len(first.shape))
        return View(
            _base([view.base for _, view in views]),
            _joined([(lanes, v.address) for lanes, v in views]),
            tuple(_joined([(lanes, v.shape[d]) for lanes, v in views]) for d in rank),
            tuple(_joined([(lanes, v.strides[d]) for lanes, v in views]) for d in rank),
            first.size,
        )
    return _joined([(lanes, cast(Array, value)) for lanes, value in choices])


def _base(bases: Sequence[int]) -> int:
    """The parameter that several ways have in common."""
    found = set(bases)
    return found.pop() if len(found) == 1 else SEVERAL


def _joined(choices: Sequence[tuple[Array, Array]]) -> Array:
    lanes, found = choices[0]
    n = lanes.shape[0]
    result = np.array(np.broadcast_to(found, (n, *found.shape[1:])))
    for lanes, value in choices[1:]:
        result[lanes] = np.broadcast_to(value, (n, *value.shape[1:]))[lanes]
    return result
