"""
`warn-padding`: names reductions and counts of elements beyond a tensor's end that nothing masks, and short loops.

A tile that overhangs its tensor reads as padding there, by default zero. A sum does not see zeros, nor does a matrix
product. A maximum does, and so do a sum of exponentials and a mean that divides by the tile's size: they are other
functions of the data then. Followed are tiles along their axes, from loads that may overhang, with the value of the
padding where it is known. A histogram counts the zeros beyond the end, too. What is chosen by a condition counts as
masked; what is not understood is not warned of, so that a warning is worth reading. A comparison is followed where its
truth beyond the end is known: `(x == 0).sum()` sees padding, and so does `assert x > 0`. Changes nothing. The checked
mode of the interpreter finds what this does not.
"""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, TypeGuard, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from freehold.dialects.classes import operands_of, ops_of
from freehold.dialects.cuda_tile.attrs import PADDING_NUMBERS, PaddingValueAttr
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.float_bits import FloatBitsAttr
from freehold.dialects.cuda_tile.integers import element_width
from freehold.dialects.cuda_tile.ops.arith_int import MinIOp
from freehold.dialects.cuda_tile.types import TileType
from freehold.dialects.location import span_of
from freehold.dialects.names import users_name
from freehold.dialects.ownership import (
    AccessOp,
    Action,
    DimOp,
    Indexing,
    KernelOp,
    RegionOp,
    Update,
    kernels_of,
    tensor_type,
)
from freehold.passes.analysis.divisibility import Divisors
from freehold.passes.analysis.wording import name_of
from freehold.passes.errors.padding import PaddingFolded, RestLeftOut
from freehold.passes.rewriting import walk
from freehold.support.diagnostic import KernelWarning
from freehold.support.render import render
from freehold.support.span import Span
from freehold.support.terms import Term


@dataclass(frozen=True)
class WarnPaddingPass(ModulePass):
    """Warns of reductions over padding that they see, and of loops that read whole tiles alone. Changes nothing."""

    name = "warn-padding"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Gives a `KernelWarning` (O150, O151) for each."""
        warn_padding(op)


def warn_padding(module: ModuleOp, told: dict[Any, Any] | None = None) -> None:
    """Gives a `KernelWarning` (O150, O151) for each place where what overhangs counts or is left out; those that were
    `told` not again."""
    for kernel in kernels_of(module):
        for found in padding_folded(kernel):
            file, line = (found.place.file, found.place.line) if isinstance(found.place, Span) else ("kernel", 0)
            warnings.warn_explicit(render(found.report()), KernelWarning, file, line, registry=told)


def padding_folded(kernel: KernelOp) -> list[PaddingFolded | RestLeftOut]:
    """The reductions of a kernel over padding that they see, and its loops that leave out what would be padded."""
    ops = walk(kernel)
    names, accesses = {op.name for op in ops}, [op for op in ops if isinstance(op, AccessOp)]
    folds = "cuda_tile.reduce" in names or any(map(_updates, accesses))
    if not folds and "cuda_tile.for" not in names:
        return []
    found = _Padding(kernel, [op for op in accesses if _loads(op)])
    if found.overhang and folds:
        found.block(kernel.body.block)
    return found.errors


@dataclass(frozen=True, slots=True)
class _Pad:
    """What stands beyond the end along one axis of a tile."""

    load: AccessOp
    value: float | None
    """None where it is not known."""


Pads = Mapping[int, _Pad]
"""By axis."""


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum over an axis of which a part may be beyond the end."""

    load: AccessOp
    size: int
    """Of the axis, in elements of the tile."""


class _Padding:
    """The padding in the tiles of one kernel."""

    def __init__(self, kernel: KernelOp, loads: Sequence[AccessOp]):
        self.errors: list[PaddingFolded | RestLeftOut] = []
        self._loads = loads
        self._pads: dict[SSAValue, Pads] = {}
        self._sums: dict[SSAValue, _Sum] = {}
        self._divisors = Divisors(kernel)
        for op in loads:
            self._load(op)

    @property
    def overhang(self) -> bool:
        """Whether a tile that is loaded may be partly outside of its tensor."""
        return bool(self._pads)

    def block(self, block: Block) -> None:
        """Follows the operations of a block."""
        for op in ops_of(block):
            self._operation(op)

    def _operation(self, op: Operation) -> None:
        padded = not self._pads.keys().isdisjoint(operands_of(op))
        if op.regions:
            if op.name in ("cuda_tile.reduce", "cuda_tile.scan"):
                self._fold(op)
            else:
                self._enter(op)
        elif padded and _updates(op):
            self._update(op)
        elif (padded or (self._sums and not self._sums.keys().isdisjoint(operands_of(op)))) and _computes(op):
            if padded:
                self._through(op, op.results[0])
            else:
                self._with_sum(op, op.results[0])

    def _load(self, op: AccessOp) -> None:
        number, tensor = PADDING_NUMBERS[_padding(op)], tensor_type(op.memory)
        value = None if math.isnan(number) else number
        pads: dict[int, _Pad] = {}
        for axis, (extent, size) in enumerate(zip(tensor.extents, op.shape, strict=False)):
            if size == 1 or self._divides(extent, size, tensor.layout.extent_divs, axis):
                continue
            whole = _whole_tiles(op.places[axis], size) if op.places else None
            if whole is None:
                pads[axis] = _Pad(op, value)
            elif _is_extent(whole.operands[0]) and [load for load in self._loads if load.memory is op.memory] == [op]:
                # nothing else reads the rest
                self._left_out(op, whole, axis, size)
        if pads:
            self._pads[op.results[0]] = pads

    def _left_out(self, op: AccessOp, count: Operation, axis: int, size: int) -> None:
        error = RestLeftOut(span_of(count), name_of(op.memory), axis, size, size - 1)
        if (place := span_of(op)) is not None:
            error.add(error.Read(place))
        self.errors.append(error.add(error.Tiles()))

    def _divides(self, extent: Term, size: int, layout: Any, axis: int) -> bool:
        """Whether an extent is shown to be a multiple of a tile's size."""
        known = _int(layout.data[axis]) if axis < len(layout.data) else 1
        return math.lcm(known, self._divisors.of_term(extent)) % size == 0

    def _enter(self, op: Operation) -> None:
        """Loops hand operands to their bodies; of what loops and branches give, padding is what is so on all ways."""
        carried = op.operands[len(op.operands) - len(op.results) :] if op.name.endswith((".for", ".loop")) else ()
        for region in op.regions:
            for block in region.blocks:
                first = len(block.args) - len(carried)
                for argument, given in zip(block.args[first:], carried, strict=False):
                    self._hand_on(given, argument)
                self.block(block)
        ends = [b.last_op for r in op.regions for b in r.blocks if b.last_op is not None]
        ways = [end for end in ends if len(end.operands) == len(op.results)]
        for n, result in enumerate(op.results):
            pads = [self._pads.get(way.operands[n], {}) for way in ways]
            if pads and (joined := _joined(pads)):
                self._pads[result] = joined

    def _hand_on(self, given: SSAValue, to: SSAValue) -> None:
        if given in self._pads:
            self._pads[to] = self._pads[given]

    def _through(self, op: Operation, result: SSAValue) -> None:
        """One operation on tiles."""
        name = op.name.removeprefix("cuda_tile.")
        pads: Pads = {}
        if name in ("reshape", "broadcast", "permute"):
            pads = _moved(op, self._pads.get(operands_of(op)[0], {}))
        elif name == "mmaf" or name == "mmai":
            pads = self._product(op)
        elif name in ("cmpf", "cmpi"):
            pads = self._compared(op)
        elif name != "select":
            pads = self._element_by_element(op, name)
        self._with_sum(op, result)
        if pads:
            self._pads[result] = pads

    def _with_sum(self, op: Operation, result: SSAValue) -> None:
        """One operation on tiles, as far as sums are concerned."""
        name = op.name.removeprefix("cuda_tile.")
        if name in ("divf", "mulf"):
            self._mean(op, name)
        elif name in ("reshape", "broadcast", "permute", "ftof", "itof"):
            self._of_sum(operands_of(op)[0], result)

    def _compared(self, op: Operation) -> Pads:
        """Where it is known whether a comparison holds beyond the end."""
        holds = _COMPARISONS[cast(Any, op.properties["comparison_predicate"]).data.value]
        left, right = (self._pads.get(operand, {}) for operand in operands_of(op)[:2])
        constants = [_constant(operand) for operand in operands_of(op)[:2]]
        found: dict[int, _Pad] = {}
        for axis in {*left, *right}:
            pads = left.get(axis), right.get(axis)
            first, second = (pad.value if pad else known for pad, known in zip(pads, constants, strict=True))
            if first is not None and second is not None:
                found[axis] = _Pad(cast(_Pad, pads[0] or pads[1]).load, float(holds(first, second)))
        return found

    def _element_by_element(self, op: Operation, name: str) -> Pads:
        operands = [*operands_of(op)]
        if any(map(_is_condition, operands)):  # which masks, but for truth values that become numbers
            return self._pads.get(operands[0], {}) if name in ("exti", "itof") else {}
        found: dict[int, _Pad] = {}
        pads = [self._pads.get(operand, {}) for operand in operands]
        for axis in {*chain(*pads)}:
            given = [pad.get(axis) for pad in pads]
            first = next(filter(None, given))
            neutral = zip(given, given[::-1], operands, operands[::-1], strict=True)
            if (name in _SUMS or name in _GREATER) and any(_is_neutral(name, *each) for each in neutral):
                continue
            values = [pad.value if pad else _constant(o) for pad, o in zip(given, operands, strict=True)]
            found[axis] = _Pad(first.load, _computed(name, values))
        return found

    def _product(self, op: Operation) -> Pads:
        left, right, accumulator = (self._pads.get(operand, {}) for operand in operands_of(op)[:3])
        rank = len(cast(TileType, op.results[0].type).dims)
        found = {a: _Pad(p.load, 0.0 if p.value == 0 else None) for a, p in left.items() if a != rank - 1}
        found |= {a: _Pad(p.load, 0.0 if p.value == 0 else None) for a, p in right.items() if a != rank - 2}
        return {axis: pad for axis, pad in found.items() if axis in accumulator or pad.value == 0}

    # --- What sees padding --------------------------------------------------------------------------------------------

    def _fold(self, op: Operation) -> None:
        axis = cast("IntegerAttr[IntegerType]", op.properties["dim"]).value.data
        neutral = [_number(e) for e in cast("ArrayAttr[Attribute]", op.properties["identities"]).data]
        combiner = _combiner(op)
        scan = op.name == "cuda_tile.scan"
        for operand, result, e in zip(op.operands, op.results, neutral, strict=True):
            pads = self._pads.get(operand, {})
            pad = pads.get(axis)
            if pad is not None and not scan and not self._unseen(operand, pad, e, combiner):
                self._report(op, pad.load, combiner)
            size = cast(TileType, operand.type).dims[axis]
            if pad is not None and pad.value == 0 and combiner == "addf" and not scan:
                self._sums[result] = _Sum(pad.load, size)
            repeats = pad is not None and pad.value == e  # a scan goes on with the last result of an element
            moved = {
                a - (a > axis and not scan): _Pad(p.load, p.value if p.value == e else None)
                for a, p in pads.items()
                if a != axis or (scan and not repeats)
            }
            if moved:
                self._pads[result] = moved

    def _update(self, op: AccessOp) -> None:
        """
        An update of the elements that a tile names: what is beyond its end names elements, too.

        Nothing happens there where an index is below 0, nor where what is added is 0.
        """
        if op.chosen is not None or op.value is None:
            return
        for axis in sorted({axis for index in op.places for axis in self._pads.get(index, {})}):
            named = [pads[axis] for index in op.places if axis in (pads := self._pads.get(index, {}))]
            given = self._pads.get(op.value, {}).get(axis)
            value = given.value if given is not None else _constant(op.value)
            nothing = value == 0 and op.commuting in _ADDING
            understood = given is not None or value is not None
            if understood and not nothing and not any(pad.value is not None and pad.value < 0 for pad in named):
                self._report(op, named[0].load, "update")

    def _unseen(self, operand: SSAValue, pad: _Pad, neutral: float | None, combiner: str) -> bool:
        if element_width(operand.type) == 1 and pad.value is not None and neutral is not None:
            return bool(pad.value) == bool(neutral)  # the bit of a truth value is 1 or -1
        if pad.value is not None and pad.value == neutral:
            return True
        return combiner in _GREATER and pad.value == 0 and _is_positive(operand)

    def _of_sum(self, source: SSAValue, result: SSAValue) -> None:
        if source in self._sums:
            self._sums[result] = self._sums[source]

    def _mean(self, op: Operation, name: str) -> None:
        """A sum over elements, of which some are beyond the end, divided by how many there are in a tile."""
        for place, operand in enumerate(operands_of(op)[:2]):
            total = self._sums.get(operand)
            by = _constant(operands_of(op)[1 - place])
            if total is None or by is None or (name == "divf" and place == 1):
                continue
            if by == total.size or (name == "mulf" and by * total.size == 1):
                self._report(op, total.load, "mean")

    def _report(self, op: Operation, load: AccessOp, combiner: str) -> None:
        error = PaddingFolded(span_of(op), _WORDS.get(combiner, "fold"))
        if (place := span_of(load)) is not None:
            error.add(error.Loaded(place, _padding(load)))
        padding = {"maxf": '"-inf"', "minf": '"inf"'}.get(combiner)
        if combiner == "mean":
            error.add(error.Divide())
        elif combiner == "update":
            error.add(error.Inside(_inside(load)))
        else:
            error.add(error.Mask() if padding is None else error.Pad(padding))
        if error not in self.errors:
            self.errors.append(error)


_ADDING: Final = frozenset((Update.ADD, Update.OR, Update.XOR))
"""Updates by which 0 changes nothing."""
_SUMS: Final = frozenset(("addf", "addi"))
_GREATER: Final = frozenset(("maxf", "maxi"))
_WORDS: Final = {
    "addf": "sum", "addi": "sum", "maxf": "maximum", "maxi": "maximum", "minf": "minimum", "mini": "minimum",
    "mulf": "product", "muli": "product", "mean": "mean", "update": "update",
    "andi": "test of all elements", "ori": "test for any element",
}  # fmt: skip
"""What reductions are called."""


def _is_neutral(name: str, pad: _Pad | None, other: _Pad | None, own: SSAValue, value: SSAValue) -> bool:
    """Whether zeros beyond the end of one operand change nothing in the other, where that is no padding."""
    if pad is None or pad.value != 0 or other is not None:
        return False
    if name in _SUMS:
        return _constant(value) is None  # zeros add nothing to an accumulator
    return _is_positive(own)  # nor are they above what is not below them


def _computes(op: Operation) -> bool:
    """Whether an operation makes a tile of others."""
    return len(op.results) == 1 and isinstance(op.results[0].type, TileType) and not _loads(op)


def _loads(op: Operation) -> TypeGuard[AccessOp]:
    """Whether an operation reads a tile, padded where that overhangs."""
    return isinstance(op, AccessOp) and op.ACTION is Action.READ and op.indexing in (Indexing.TILES, Indexing.OWN)


def _updates(op: Operation) -> TypeGuard[AccessOp]:
    """Whether an operation updates the elements of an accumulator that a tile names."""
    return isinstance(op, AccessOp) and op.commuting is not None and op.indexing is Indexing.EACH


def _padding(load: AccessOp) -> str:
    """What stands beyond the end of what is loaded, by its name."""
    return load.padding.data.value if isinstance(load.padding, PaddingValueAttr) else "zero"


def _inside(load: AccessOp) -> str:
    """The condition of being inside of a tensor, for the elements of a tile that was loaded from it."""
    name, dims = name_of(load.memory), load.shape
    parts: list[str] = []
    for axis, size in enumerate(dims):
        if size > 1:
            spread = f"[{', '.join(':' if n == axis else 'None' for n in range(len(dims)))}]" if len(dims) > 1 else ""
            start = _start(load, axis, size)
            parts.append(f"{start} + fh.arange({size}){spread} < {name}.shape[{axis}]")
    return parts[0] if len(parts) == 1 else " & ".join(f"({part})" for part in parts)


def _start(load: AccessOp, axis: int, size: int) -> str:
    """The first element of a tile along an axis: of a region, of a tile by a named index, of the point's own tile."""
    if not load.places:
        return f"{name_of(load.memory)}.start[{axis}]"
    index = load.places[axis]
    if index.name_hint is not None or not isinstance(index.owner, Block):
        return f"{users_name(index) or 'k'} * {size}"
    alike = (
        name_of(op.partition)
        for op in index.owner.walk()
        if isinstance(op, RegionOp) and [*op.coordinates] == [*load.places] and op.shape == load.shape
    )
    return f"{next(alike, name_of(load.memory))}.start[{axis}]"


def _joined(ways: Sequence[Pads]) -> Pads:
    """What is beyond the end on every way."""
    found: dict[int, _Pad] = {}
    for axis in set(ways[0]).intersection(*ways[1:]):
        pads = [way[axis] for way in ways]
        alike = len({pad.value for pad in pads}) == 1
        found[axis] = pads[0] if alike else _Pad(pads[0].load, None)
    return found


def _moved(op: Operation, pads: Pads) -> Pads:
    """Padding where a tile has another shape."""
    before, after = (cast(TileType, value.type).dims for value in (op.operands[0], op.results[0]))
    if op.name == "cuda_tile.broadcast":
        return pads
    if op.name == "cuda_tile.permute":
        order = [int(n) for n in cast(Any, op.properties["permutation"]).get_values()]
        return {order.index(axis): pad for axis, pad in pads.items()}
    long = [n for n, size in enumerate(after) if size != 1]
    if [size for size in before if size != 1] != [after[n] for n in long]:
        return {}
    places = dict(zip([n for n, size in enumerate(before) if size != 1], long, strict=True))
    return {places[axis]: pad for axis, pad in pads.items() if axis in places}


def _computed(name: str, values: Sequence[float | None]) -> float | None:
    """What an operation makes of padding, where that follows from it alone."""
    if name in ("mulf", "muli") and 0 in values and math.inf not in map(abs, filter(None, values)):
        return 0.0
    if name == "divf" and values[0] == 0 and values[1] != 0:
        return 0.0
    if name in ("addf", "subf") and values[0] in (math.inf, -math.inf) and values[1] != values[0]:
        return values[0]
    if any(value is None for value in values):
        return None
    known = cast("Sequence[float]", values)
    try:
        return _FUNCTIONS[name](*known) if name in _FUNCTIONS else None
    except (ArithmeticError, ValueError, TypeError):
        return None


def _multiplied_and_added(a: float, b: float, c: float) -> float:
    return a * b + c


_FUNCTIONS: Final[Mapping[str, Any]] = {
    "addf": operator.add, "addi": operator.add, "subf": operator.sub, "subi": operator.sub, "mulf": operator.mul,
    "maxf": max, "maxi": max, "minf": min, "mini": min, "exp": math.exp, "exp2": math.exp2,
    "sqrt": math.sqrt, "tanh": math.tanh, "sin": math.sin, "tan": math.tan, "sinh": math.sinh, "cos": math.cos,
    "floor": math.floor, "ceil": math.ceil, "fma": _multiplied_and_added,
    "absf": operator.abs, "absi": operator.abs, "negf": operator.neg, "negi": operator.neg,
    "ftof": float, "itof": float, "exti": float, "ftoi": math.trunc,
}  # fmt: skip


_COMPARISONS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "equal": operator.eq, "not_equal": operator.ne, "less_than": operator.lt, "less_than_or_equal": operator.le,
    "greater_than": operator.gt, "greater_than_or_equal": operator.ge,
}  # fmt: skip


def _is_condition(value: SSAValue) -> bool:
    """Whether a tile is of truth values, or of numbers made of them, as masks are."""
    op = value.owner
    if isinstance(op, Block) or op.name not in (
        "cuda_tile.reshape",
        "cuda_tile.broadcast",
        "cuda_tile.itof",
        "cuda_tile.exti",
    ):
        return element_width(value.type) == 1
    return _is_condition(op.operands[0])


def _is_positive(value: SSAValue) -> bool:
    """Whether no element is less than zero, by the operation that computes it."""
    op = value.owner
    if isinstance(op, Block):
        return False
    name = op.name.removeprefix("cuda_tile.")
    if name in ("absf", "absi", "exp", "exp2", "sqrt") or (
        name in ("mulf", "muli") and op.operands[0] is op.operands[1]
    ):
        return True
    return name in ("reshape", "broadcast", "permute", "ftof") and _is_positive(op.operands[0])


def _combiner(op: Operation) -> str:
    """The one operation that folds; empty for other functions."""
    ops = [*op.regions[0].block.ops]
    return ops[0].name.removeprefix("cuda_tile.") if len(ops) == 2 else ""


def _constant(value: SSAValue) -> float | None:
    """The number that all elements of a tile are, if it is one constant."""
    op = value.owner
    if isinstance(op, Block):
        return None
    if op.name in ("cuda_tile.reshape", "cuda_tile.broadcast", "cuda_tile.ftof", "cuda_tile.itof"):
        return _constant(op.operands[0])
    if op.name != "cuda_tile.constant":
        return None
    literal = cast(DenseElementsAttr, op.properties["value"])
    return float(literal.splat_value) if literal.is_splat else None


def _number(identity: Attribute) -> float | None:
    if isinstance(identity, FloatBitsAttr):
        return identity.value
    return float(cast("IntegerAttr[IntegerType]", identity).value.data)


def _int(attribute: Any) -> int:
    return attribute if isinstance(attribute, int) else int(attribute.data)


def _whole_tiles(index: SSAValue, size: int) -> Operation | None:
    """What counts the whole tiles that an index is of, or the first of them, where it counts a loop over these."""
    block = index.owner
    loop = block.parent_op() if isinstance(block, Block) else None
    if loop is None or loop.name != "cuda_tile.for" or index is not cast(Block, block).args[0]:
        return None
    for bound in _bounds(loop.operands[1]):
        count = bound.owner
        if isinstance(count, Block) or count.name != "cuda_tile.divi" or _constant(count.operands[1]) != size:
            continue
        rounding: Any = count.properties.get("rounding")
        floor = rounding is None or rounding.data.value in ("negative_inf", "zero")
        if floor and any(_is_extent(of) for of in _bounds(count.operands[0])):
            return count
    return None


def _bounds(value: SSAValue) -> Iterator[SSAValue]:
    """What a number is not above: itself, and where it is a minimum, what that is of."""
    yield value
    if isinstance(value.owner, MinIOp):
        for operand in value.owner.operands:
            yield from _bounds(operand)


def _is_extent(value: SSAValue) -> bool:
    return isinstance(value.owner, DimOp)
