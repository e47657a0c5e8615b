"""What the values of Tile IR are, element by element, as terms over what a launch brings and what memory holds.

An element of a tile is asked for by its place. Changes of shape are followed to the element that they take, integers
are computed (`machine_integers`), and everything else is a symbol that the same operation on the same operands shares:
two values with one term are equal, on whichever side of a translation they stand. Nothing is taken from other analyses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from freehold.dialects.classes import operands_of
from freehold.dialects.cuda_tile.integers import element_width
from freehold.dialects.cuda_tile.op import SEGMENTS
from freehold.dialects.cuda_tile.ops.arith_int import (
    AbsIOp,
    AddIOp,
    AndIOp,
    CmpIOp,
    DivIOp,
    MaxIOp,
    MinIOp,
    MulhiIOp,
    MulIOp,
    NegIOp,
    OrIOp,
    RemIOp,
    ShlIOp,
    ShrIOp,
    SubIOp,
    XOrIOp,
)
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp, has_no_memory_effect, never_has_memory_effect
from freehold.dialects.cuda_tile.ops.conversion import BitcastOp, ExtIOp, TruncIOp
from freehold.dialects.cuda_tile.ops.misc import AssumeOp
from freehold.dialects.cuda_tile.ops.module import GetNumTileBlocksOp, GetTileBlockIdOp
from freehold.dialects.cuda_tile.ops.reduce import Aggregate
from freehold.dialects.cuda_tile.ops.shape import (
    BroadcastOp,
    ConstantOp,
    IotaOp,
    OffsetOp,
    PermuteOp,
    ReshapeOp,
    SelectOp,
)
from freehold.dialects.cuda_tile.types import TileType
from freehold.passes.analysis.machine_integers import Integers
from freehold.support import terms
from freehold.support.contract import MOST_EACH
from freehold.support.terms import Term

Place = tuple[Term, ...]
"""The place of an element in a tile; empty for a scalar."""

_ZERO: Final = terms.const(0)


class NotFollowedError(Exception):
    """A value, or an operation, that is not understood."""

    def __init__(self, op: Operation, what: str):
        super().__init__(what)
        self.op = op
        self.what = what


class Different(Exception):
    """A difference between two sides, at an operation of one: what, and the part of it as it is wanted and as it is."""

    def __init__(self, op: Operation, what: str, part: tuple[str, str, str] | None = None):
        super().__init__(what)
        self.op = op
        self.what = what
        self.part = part


def named(op: Operation) -> str:
    """An operation in messages."""
    return f"`{op.name.split('.')[-1].removesuffix('_tko')}`"


Rule = Callable[["Values", Any, Place], Term]
"""What an element of an operation's result is, by its place."""


class Values:
    """The values of one side, over symbols that both sides share."""

    def __init__(
        self, integers: Integers, keys: dict[object, int], rules: Mapping[type[Operation], Rule] | None = None
    ):
        self.integers = integers
        self.keys = keys
        """Numbers of unknown values, by what tells them apart: one table for both sides."""
        self.rules: dict[type[Operation], Rule] = {**_RULES, **(rules or {})}
        self._bound: dict[SSAValue, object] = {}
        self._terms: dict[tuple[SSAValue, Place], Term] = {}
        self._journal: list[tuple[SSAValue, Place]] = []
        self._places: dict[tuple[int, ...], Place] = {}
        self._depth = 0

    # What values stand for

    def bind(self, value: SSAValue, key: object) -> None:
        """Lets a value stand for whatever the key says."""
        self._bound[value] = ("bound", key)

    def define(self, value: SSAValue, term: Term) -> None:
        """Says what a scalar is."""
        self._bound[value] = term

    def alias(self, value: SSAValue, other: SSAValue) -> None:
        """Says that two values are one."""
        self._bound[value] = other

    def origin(self, value: SSAValue) -> SSAValue:
        """The value that this one is said to be."""
        while (other := self._bound.get(value)) is not None and not isinstance(other, Term | tuple):
            value = cast("SSAValue[Attribute]", other)
        return value

    def stands_for(self, value: SSAValue) -> bool:
        """Whether it was said what a value is, so that it does not matter how it is computed."""
        return value in self._bound

    def computed(self, op: Operation) -> list[object] | None:
        """What tells the results of an operation with regions from others; None unless all it does is compute.

        Nothing is kept of what was looked at inside: that may be walked by itself afterwards.
        """
        if not has_no_memory_effect(op):
            return None
        mark = self.mark()
        try:
            return [self._computed(result, op) for result in op.results]
        except NotFollowedError:
            return None
        finally:
            self.forget(mark)

    def stand_for(self, value: SSAValue, computed: object) -> None:
        """Lets a value stand for a result of an operation, by what `computed` says of it."""
        self._bound[value] = computed

    def mark(self) -> int:
        """A point in time, for `forget`."""
        return len(self._journal)

    def forget(self, mark: int) -> None:
        """Drops what was computed since, for it may rest on what values were wrongly taken to stand for."""
        for key in self._journal[mark:]:
            self._terms.pop(key, None)
        del self._journal[mark:]

    # Terms

    def whole(self, value: SSAValue) -> Term:
        """All of a tile: its element at a place that stands for every one."""
        type_ = value.type
        if not isinstance(type_, TileType):
            raise NotFollowedError(_owner(value), f"computes with {type_}")
        return self.at(value, self.everywhere(type_))

    def everywhere(self, type_: TileType) -> Place:
        """A place that stands for every one of a tile."""
        if (found := self._places.get(dims := type_.dims)) is None:
            found = self._places[dims] = tuple(
                _ZERO if extent == 1 else self.integers.symbol(f"at{axis}_{extent}", 0, extent - 1)
                for axis, extent in enumerate(dims)
            )
        return found

    def at(self, value: SSAValue, place: Place) -> Term:
        """An element of a tile."""
        key = (value, place)
        if (found := self._terms.get(key)) is None:
            found = self._terms[key] = self._at(value, place)
            self._journal.append(key)
        return found

    def _at(self, value: SSAValue, place: Place) -> Term:
        bound = self._bound.get(value)
        if bound is None:
            if not isinstance(value, OpResult):
                raise NotFollowedError(_owner(value), "hands on a value of which it is not known what it is")
            owner = value.op
            if (rule := self.rules.get(type(owner))) is not None and len(owner.results) == 1:
                return rule(self, owner, place)
            if isinstance(owner, _GRID):
                return self._grid(owner)[owner.results.index(value)]  # pyright: ignore[reportArgumentType]
            return self.opaque(value, place)
        if isinstance(bound, Term):
            return bound
        if isinstance(bound, tuple):
            return self.element(cast("object", bound), value.type, place)
        return self.at(cast("SSAValue", bound), place)

    def element(self, key: object, type_: Attribute, place: Place) -> Term:
        """An element of a tile of which no more is known than what tells it from others."""
        if key not in self.keys:
            self.keys[key] = len(self.keys)
        number = self.keys[key]
        return self.integers.unknown((number, place) if place else number, element_width(type_))

    def opaque(self, value: SSAValue, place: Place) -> Term:
        """An element of the result of an operation of which no more is known than what it is computed from."""
        assert isinstance(value, OpResult)
        return self.element(self._computed(value, value.op), value.type, place)

    def _grid(self, op: GetTileBlockIdOp | GetNumTileBlocksOp) -> tuple[Term, Term, Term]:
        """The number of a tile block, or how many there are. The launcher's grids have one dimension."""
        one = terms.const(1)
        if isinstance(op, GetTileBlockIdOp):
            return self.integers.symbol("block", 0, MOST_EACH - 1), _ZERO, _ZERO
        return self.integers.symbol("blocks", 1, MOST_EACH), one, one

    def _computed(self, value: SSAValue, op: Operation) -> object:
        """What tells the result of an operation from others: the operation, and what it is computed from."""
        if not (never_has_memory_effect(type(op)) or (isinstance(op, _WITH_BODIES) and has_no_memory_effect(op))):
            return ("of its own", value)  # what is not matched with anything equals nothing
        properties = tuple(
            sorted(((n, p) for n, p in op.properties.items() if n not in _IGNORED), key=lambda pair: pair[0])
        )
        operands = tuple([(self.whole(operand), operand.type) for operand in operands_of(op)])
        bodies = tuple(self._body(region.block) for region in op.regions if region.blocks)
        position = op.results.index(value)  # pyright: ignore[reportArgumentType] -- a result of its owner
        return (op.name, properties, operands, bodies, position, value.type)

    def _body(self, block: Block) -> tuple[Term, ...]:
        """What a region yields of its arguments."""
        last = block.last_op
        assert last is not None
        if any(inner.name == "cuda_tile.continue" for inner in block.walk() if inner is not last):
            raise NotFollowedError(last, "is a loop inside a computation, left in more than one way")
        self._depth += 1
        try:
            for n, argument in enumerate(block.args):
                self.bind(argument, ("argument", self._depth, n))
            return tuple(self.whole(operand) for operand in last.operands)
        finally:
            self._depth -= 1


_GRID: Final = (GetTileBlockIdOp, GetNumTileBlocksOp)
_WITH_BODIES: Final = (Aggregate, IfOp, ForOp)


_IGNORED: Final = frozenset({"optimization_hints", SEGMENTS})
"""Properties that change nothing of what an operation computes."""


def _owner(value: SSAValue) -> Operation:
    op = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
    assert op is not None
    return op


# Operations on elements


def _width(value: SSAValue) -> int:
    width = element_width(value.type)
    assert width is not None
    return width


def _is_signed(op: Any) -> bool:
    return op.signedness.data.value == "signed"


def _constant(values: Values, op: ConstantOp, place: Place) -> Term:
    if not op.value.is_splat:
        return values.element(("literal", op.value.type, op.value.data), op.result.type, place)
    if element_width(op.result.type) is not None:
        return terms.const(int(op.value.splat_value))
    return values.element(("literal", op.result.type.element_type, op.value.data), op.result.type, ())


def _iota(values: Values, op: IotaOp, place: Place) -> Term:
    return values.integers.wrapped(place[0], _width(op.result))


def _reshape(values: Values, op: ReshapeOp, place: Place) -> Term:
    source, result = cast(TileType, op.source.type).dims, op.result.type.dims
    if [d for d in source if d > 1] == [d for d in result if d > 1]:
        long = iter([p for p, d in zip(place, result, strict=True) if d > 1])
        return values.at(op.source, tuple(next(long) if d > 1 else _ZERO for d in source))
    i = values.integers
    number = _ZERO
    for p, d in zip(place, result, strict=True):
        number = i.plus(i.times(number, d), p)
    found: list[Term] = []
    for d in reversed(source):
        found.append(i.remainder(number, terms.const(d)))
        number = i.floor_divided(number, terms.const(d))
    return values.at(op.source, tuple(reversed(found)))


def _broadcast(values: Values, op: BroadcastOp, place: Place) -> Term:
    source = cast(TileType, op.source.type).dims
    return values.at(op.source, tuple(_ZERO if d == 1 else p for p, d in zip(place, source, strict=True)))


def _permute(values: Values, op: PermuteOp, place: Place) -> Term:
    source = [_ZERO] * len(place)
    for position, axis in zip(place, op.order, strict=True):
        source[axis] = position
    return values.at(op.source, tuple(source))


def _select(values: Values, op: SelectOp, place: Place) -> Term:
    scalar = not cast(TileType, op.cond.type).dims
    condition = values.at(op.cond, () if scalar else place)
    a, b = values.at(op.val_if_true, place), values.at(op.val_if_false, place)
    return values.integers.chosen(condition, a, b, element_width(op.result.type))


def _assume(values: Values, op: AssumeOp, place: Place) -> Term:
    return values.at(op.value, place)


def _offset(values: Values, op: OffsetOp, place: Place) -> Term:
    return values.integers.plus(values.at(op.ptr, place), values.at(op.offset, place))


def _binary(compute: Callable[[Integers, Term, Term, int, Any], Term]) -> Callable[[Values, Any, Place], Term]:
    def rule(values: Values, op: Any, place: Place) -> Term:
        left, right = values.at(op.lhs, place), values.at(op.rhs, place)
        return compute(values.integers, left, right, _width(op.lhs), op)

    return rule


def _extreme(which: str) -> Callable[[Integers, Term, Term, int, Any], Term]:
    def compute(i: Integers, a: Term, b: Term, width: int, op: Any) -> Term:
        signed = _is_signed(op)
        return i.wrapped(i.extreme(which, i.read(a, width, signed), i.read(b, width, signed)), width)

    return compute


def _compare(i: Integers, a: Term, b: Term, width: int, op: CmpIOp) -> Term:
    relation, signed = op.comparison_predicate.data.value, _is_signed(op)
    if relation in ("equal", "not_equal"):
        return i.compared(relation, a, b)
    return i.compared(relation, i.read(a, width, signed), i.read(b, width, signed))


def _high_product(values: Values, op: MulhiIOp, place: Place) -> Term:
    i, width = values.integers, _width(op.x)
    x, y = (i.unsigned(values.at(v, place), width) for v in (op.x, op.y))
    return i.wrapped(i.floor_divided(i.times(x, y), terms.const(1 << width)), width)


def _bitcast(values: Values, op: BitcastOp, place: Place) -> Term:
    if op.source.type == op.result.type:
        return values.at(op.source, place)
    return values.element(("bits", values.at(op.source, place), op.result.type), op.result.type, ())


def _negate(values: Values, op: NegIOp, place: Place) -> Term:
    i = values.integers
    return i.wrapped(i.minus(_ZERO, values.at(op.source, place)), _width(op.source))


def _absolute(values: Values, op: AbsIOp, place: Place) -> Term:
    i, width = values.integers, _width(op.source)
    a = i.read(values.at(op.source, place), width, signed=True)
    return i.wrapped(i.extreme("max", a, i.minus(_ZERO, a)), width)


def _widen(values: Values, op: ExtIOp, place: Place) -> Term:
    return values.integers.read(values.at(op.from_, place), _width(op.from_), _is_signed(op))


def _narrow(values: Values, op: TruncIOp, place: Place) -> Term:
    return values.integers.wrapped(values.at(op.from_, place), _width(op.to))


_RULES: Final[dict[type[Operation], Rule]] = {
    ConstantOp: _constant,
    IotaOp: _iota,
    ReshapeOp: _reshape,
    BroadcastOp: _broadcast,
    PermuteOp: _permute,
    SelectOp: _select,
    AssumeOp: _assume,
    OffsetOp: _offset,
    AddIOp: _binary(lambda i, a, b, w, _: i.wrapped(i.plus(a, b), w)),
    SubIOp: _binary(lambda i, a, b, w, _: i.wrapped(i.minus(a, b), w)),
    MulIOp: _binary(lambda i, a, b, w, _: i.wrapped(i.times(a, b), w)),
    DivIOp: _binary(lambda i, a, b, w, op: i.divided(a, b, w, _is_signed(op), op.rounding.data.value)),
    RemIOp: _binary(lambda i, a, b, w, op: i.remaining(a, b, w, _is_signed(op))),
    MinIOp: _binary(_extreme("min")),
    MaxIOp: _binary(_extreme("max")),
    AndIOp: _binary(lambda i, a, b, w, _: i.bits("and", a, b, w)),
    OrIOp: _binary(lambda i, a, b, w, _: i.bits("or", a, b, w)),
    XOrIOp: _binary(lambda i, a, b, w, _: i.bits("xor", a, b, w)),
    ShlIOp: _binary(lambda i, a, b, w, _: i.shifted_left(a, b, w)),
    ShrIOp: _binary(lambda i, a, b, w, op: i.shifted_right(a, b, w, _is_signed(op))),
    CmpIOp: _binary(_compare),
    MulhiIOp: _high_product,
    BitcastOp: _bitcast,
    NegIOp: _negate,
    AbsIOp: _absolute,
    ExtIOp: _widen,
    TruncIOp: _narrow,
}
