"""What accesses touch, as plain parts that can be compared: of ownership IR as it was proved, and of Tile IR.

Of a tile of a view the parts are whose memory it is, extents and strides, the tile's shape, the distance between tiles
and the index; of an access by element, the address and the mask of the element at any place of the tile. Parts are
terms (`tile_values`) over the parameters of the entry point, which are those of the launch contract. The two sides read
different IR and meet in the terms only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import gcd, prod
from typing import Any, Final, cast

from xdsl.dialects.builtin import DenseArrayBase, Float32Type, IntAttr, IntegerAttr, IntegerType, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from freehold.dialects.classes import ops_of, walk
from freehold.dialects.cuda_tile.attrs import PADDING_NUMBERS, SIGNED, BoundedAttr, DivByAttr, PaddingValueAttr
from freehold.dialects.cuda_tile.dense import DenseElementsAttr, storage_bytes
from freehold.dialects.cuda_tile.integers import element_width
from freehold.dialects.cuda_tile.ops.arith_int import MinIOp
from freehold.dialects.cuda_tile.ops.atomics import AtomicCasTkoOp, AtomicRedViewTkoOp, AtomicRmwTkoOp
from freehold.dialects.cuda_tile.ops.conversion import FToFOp
from freehold.dialects.cuda_tile.ops.memory import LoadPtrTkoOp, StorePtrTkoOp
from freehold.dialects.cuda_tile.ops.misc import AssumeOp
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp
from freehold.dialects.cuda_tile.ops.views import (
    LoadViewTkoOp,
    MakePartitionViewOp,
    MakeStridedViewOp,
    MakeTensorViewOp,
    StoreViewTkoOp,
)
from freehold.dialects.cuda_tile.types import (
    DYNAMIC,
    PartitionViewType,
    PointerType,
    StridedViewType,
    TensorViewType,
    TileType,
    tile,
)
from freehold.dialects.ownership import (
    AccessOp,
    Action,
    CheckOp,
    CoordinateOp,
    DimOp,
    Duty,
    Indexing,
    KernelOp,
    PartitionOp,
    RawType,
    RegionOp,
    RegionType,
    Rung,
    StartOp,
    StopOp,
    TensorType,
    TilesOp,
    WindowOp,
    duties_of,
    tensor_type,
)
from freehold.passes.analysis.group_maps import Groups
from freehold.passes.analysis.launch_values import Launch
from freehold.passes.analysis.tile_values import NotFollowedError, Place, Values
from freehold.passes.analysis.wording import tensor_of
from freehold.passes.prover.polynomials import poly
from freehold.support import terms
from freehold.support.contract import FAILURE_SLOTS, FAILURE_WORDS, Checks
from freehold.support.terms import Term

_MOST: Final = 2**31 - 1
_F32: Final = Float32Type()

ACCESSES: Final = (
    LoadViewTkoOp, LoadPtrTkoOp, StoreViewTkoOp, StorePtrTkoOp, AtomicRedViewTkoOp, AtomicRmwTkoOp, AtomicCasTkoOp,
)  # fmt: skip
"""The accesses of Tile IR that are understood."""


def is_access(op: Operation) -> bool:
    """Whether an operation of ownership IR reaches memory: taking a region names a part of it, and does no more."""
    return _reaches(type(op))


@cache
def _reaches(kind: type[Operation]) -> bool:
    return issubclass(kind, AccessOp) and kind.ACTION is not Action.TAKE


def only_reads(op: AccessOp) -> bool:
    """Whether an access changes nothing, whatever it reads, and orders nothing."""
    return op.ACTION is Action.READ and op.order == _WEAK


@dataclass
class Access:
    """An access, and its parts by name."""

    op: Operation
    kind: str
    """`load`, `store`, `update` or `swap`."""
    parts: dict[str, object] = field(default_factory=dict[str, object])
    results: tuple[SSAValue, ...] = ()
    """What it yields, without tokens."""
    memory: SSAValue | None = None
    """What it reads or writes, where that changes while the kernel runs: a region, a partition, a raw tensor."""


def _tile_of_view(
    argument: Term,
    extents: Sequence[Term],
    strides: Sequence[Term],
    shape: Sequence[int],
    steps: Sequence[int],
    index: Sequence[Term],
) -> dict[str, object]:
    parts: dict[str, object] = {"memory": argument, "tile": tuple(shape)}
    for axis in range(len(extents)):
        parts[f"extent along axis {axis}"] = extents[axis]
        parts[f"stride along axis {axis}"] = strides[axis]
        parts[f"distance of tiles along axis {axis}"] = steps[axis]
        parts[f"index along axis {axis}"] = index[axis]
    return parts


# As it was proved


class Owned:
    """The accesses of a verified kernel."""

    def __init__(
        self,
        kernel: KernelOp,
        launch: Launch,
        values: Values,
        checks: Checks,
        failing: Iterable[tuple[Operation, int]],
    ):
        self.launch = launch
        self.values = values
        self.checks = checks
        values.rules[DimOp] = self._dim
        values.rules[TilesOp] = self._tiles
        values.rules[CoordinateOp] = self._coordinate
        values.rules[StartOp] = values.rules[StopOp] = self._edge
        self.groups = Groups(kernel, launch, values, self._element)
        self.numbers = {key: number for number, key in enumerate(failing)}
        """Of checks, by operation and axis."""
        for argument, term in launch.scalars.items():
            values.define(kernel.body.block.args[argument], term)
        self.ordered = {
            op.result
            for op in ops_of(kernel.body.block)
            if isinstance(op, PartitionOp) and op.duty(Duty.ORDERED).rung is not Rung.PROVED
        }

    def _dim(self, _: Values, op: DimOp, __: Place) -> Term:
        return self.launch.number(tensor_type(op.source).extent(op.axis.data))

    def _tiles(self, _: Values, op: TilesOp, __: Place) -> Term:
        return self._count(op.source, op.axis.data, op.size.data)

    def _coordinate(self, _: Values, op: CoordinateOp, __: Place) -> Term:
        assert isinstance(op.region.owner, Operation)
        return self.index(op.region.owner)[op.axis.data]

    def _edge(self, _: Values, op: StartOp | StopOp, __: Place) -> Term:
        """Where a region begins along an axis, or ends: what overhangs its tensor, or its group, is no part of it."""
        i, axis, region = self.values.integers, op.axis.data, op.region.owner
        assert isinstance(region, RegionOp)
        type_, index = region.result.type.partition, self._tile_index(region)
        first, extent = terms.const(0), self.launch.number(type_.tensor.extent(axis))
        if axis == type_.groups_axis:
            first, extent = self.groups.where(region)
        start = i.wrapped(i.times(index[axis], type_.steps[axis]), 32)
        left = i.wrapped(i.minus(extent, start), 32)
        start = i.wrapped(i.plus(first, start), 32)
        if isinstance(op, StartOp):
            return start
        return i.wrapped(i.plus(start, i.extreme("min", left, terms.const(type_.tile_shape[axis]))), 32)

    def _count(self, tensor: SSAValue, axis: int, size: int) -> Term:
        return self.launch.tiles(tensor_type(tensor).extent(axis), size)

    def checked(self, op: Operation) -> list[tuple[Term, tuple[Term, ...]]]:
        """What is checked in the kernel before an operation, and what is written down where that fails: the number of
        the check plus 1, and its values, each in 64 bits."""
        if isinstance(op, CheckOp):
            shown = zip(op.values, op.shown, strict=True)
            return [(self.values.whole(op.condition), self._says(op, -1, *(self._word(v, d) for v, (_, d) in shown)))]
        if isinstance(op, WindowOp):
            if not self.checks or op.duty(Duty.IN_BOUNDS, op.axis.data).rung is not Rung.KERNEL:
                return []
            i, start = self.values.integers, self.values.whole(op.start)
            extents = (tensor_type(t).extent(op.axis.data) for t in (op.tensor, op.result))
            last = i.wrapped(i.minus(*map(self.launch.number, extents)), 32)
            inside = i.compared("less_than_or_equal", i.unsigned(start, 32), i.unsigned(last, 32))
            return [(inside, self._says(op, op.axis.data, start, last))]
        if isinstance(op, PartitionOp):
            axis = op.result.type.groups_axis
            if axis is None or not self.checks:
                return []
            return [(self.groups.fit(op), self._says(op, axis, self.groups.first_bad(op), self.groups.count(op)))]
        if not isinstance(op, AccessOp):
            return []
        return [
            (inside, self._says(op, axis, self.values.whole(op.places[axis]), self._tiles_along(op, axis)))
            for axis, inside in self.inside(op).items()
        ]

    def _says(self, op: Operation, axis: int, *values: Term) -> tuple[Term, ...]:
        """What is written down of a check, in the kernel's numbering; nothing of one that stops the GPU."""
        return () if self.checks == "trap" else (terms.const(self.numbers[op, axis] + 1), *values)

    def _word(self, value: SSAValue, dtype: str) -> Term:
        """A scalar as 64 bits: an integer with its sign, a float as it is or, where it is narrower, as f32."""
        if (width := element_width(value.type)) is not None:
            signed = width == 64 or not dtype.startswith(("u", "b"))
            return self.values.integers.read(self.values.whole(value), width, signed)
        number, bits = self.values.whole(value), tile((), i64 if dtype == "f64" else i32)
        if dtype in ("bf16", "f16"):
            widened = FToFOp(value, _F32)
            number = self.values.whole(widened.results[0])
            widened.drop_all_references()
        return self.values.element(("bits", number, bits), bits, ())

    def _tiles_along(self, op: AccessOp, axis: int) -> Term:
        return self._count(op.memory, axis, op.steps[axis])

    def inside(self, op: AccessOp) -> dict[int, Term]:
        """What is checked in the kernel of an access, by axis."""
        i, found = self.values.integers, dict[int, Term]()
        for axis in self._checked_axes(op):
            index = i.unsigned(self.values.whole(op.places[axis]), 32)
            found[axis] = i.less(index, self._tiles_along(op, axis))
        return found

    def is_checked(self, op: Operation) -> bool:
        """Whether a tile's index is checked in the kernel, which can be said of one that is not computed so far."""
        return isinstance(op, AccessOp) and bool(self._checked_axes(op))

    def _checked_axes(self, op: Operation) -> list[int]:
        duties = duties_of(op) if self.checks else ()
        return [d.axis.data for d in duties if d.duty is Duty.IN_BOUNDS and d.rung is Rung.KERNEL]

    def index(self, op: Operation) -> tuple[Term, ...]:
        """The coordinates of a tile. They are 0 where a check fails that does not keep the access from happening: an
        assertion orders nothing, and what is checked of a read may be said behind the loops around it."""
        if not isinstance(op, AccessOp) or op.indexing is not Indexing.TILES:
            raise NotFollowedError(op, "is taken for a region")
        inside = self.inside(op) if self.checks == "trap" or op.ACTION is Action.READ else {}
        i = self.values.integers
        found = [self.values.whole(c) for c in op.places]
        return tuple(i.chosen(inside[a], c, terms.const(0), 32) if a in inside else c for a, c in enumerate(found))

    def _tile_index(self, op: AccessOp) -> tuple[Term, ...]:
        """The index of a tile in its tensor, or in its group."""
        grouped = isinstance(op, RegionOp) and op.result.type.partition.groups_axis is not None
        return self.index(op)[1:] if grouped else self.index(op)

    def access(self, op: Operation) -> Access:
        """The parts of an access."""
        if not isinstance(op, AccessOp) or op.ACTION is Action.TAKE:
            raise NotFollowedError(op, "is not understood")
        parts = {**self._reached(op), "order": op.order}
        results = tuple(result for result in op.results if isinstance(result.type, TileType))
        kind = _KINDS[op.ACTION]
        if op.ACTION is Action.READ:
            (result,) = results
            self._pad(parts, cast(TileType, result.type), op.padding)
        if op.value is not None:
            parts["value"] = self.values.whole(op.value)
        if op.combining is not None:
            parts["update"] = op.combining
        if op.expects is not None:
            kind, parts["expected"] = "swap", self.values.whole(op.expects)
        return Access(op, kind, parts, results, self._memory(op.memory))

    def _reached(self, op: AccessOp) -> dict[str, object]:
        """What an access touches."""
        match op.indexing:
            case Indexing.OWN:
                if not isinstance(taken := op.memory.owner, AccessOp):
                    raise NotFollowedError(op, "is of a region that is not known")
                return self._tile(op.memory, op.shape, taken)
            case Indexing.TILES:
                return self._tile(op.memory, op.shape, op)
            case Indexing.FIRST:
                return self._from_element(op)
            case Indexing.EACH:
                return self._elements(op)

    def written(self, op: Operation) -> SSAValue | None:
        """What an operation changes in memory that the kernel may read again."""
        return self._memory(op.memory) if isinstance(op, AccessOp) and op.ACTION in _CHANGES else None

    def tensor(self, value: SSAValue) -> tuple[Term, int, TensorType]:
        """What is accessed: the address of its first element, the argument that it is part of, and its type."""
        part = tensor_of(value)
        if isinstance(op := part.owner, WindowOp):
            i, axis, start = self.values.integers, op.axis.data, self.values.whole(op.start)
            base, argument, type_ = self.tensor(op.tensor)
            if self.checks == "trap" and (conditions := self.checked(op)):
                start = i.chosen(conditions[0][0], start, terms.const(0), 32)
            moved = i.wrapped(i.times(start, self.launch.strides_of(argument, type_)[axis]), 64)
            return i.plus(base, moved), argument, tensor_type(value)
        if part not in self.launch.positions:
            raise NotFollowedError(cast(Operation, value.owner), "is of a tensor that is no argument")
        argument = self.launch.positions[part]
        return self.launch.pointer(argument), argument, tensor_type(value)

    def _memory(self, accessed: SSAValue) -> SSAValue | None:
        """What is read or written, if that may be read again once it has changed."""
        if not isinstance(accessed.type, RegionType | RawType):
            return None  # nobody writes what is borrowed, and nobody reads an accumulator
        taken = accessed.owner
        return taken.partition if isinstance(taken, RegionOp) and taken.partition in self.ordered else accessed

    def _tile(self, tensor: SSAValue, shape: Sequence[int], at: AccessOp) -> dict[str, object]:
        """The tile that an access, or the region it goes through, names by its index."""
        pointer, argument, type_ = self.tensor(tensor)
        if not shape:  # a view has axes
            return {"address": pointer, "elements": (), "mask": terms.TRUE}
        strides, extents = self.launch.strides_of(argument, type_), list(self.launch.extents_of(type_))
        if isinstance(at, RegionOp) and (axis := at.result.type.partition.groups_axis) is not None:
            i, (first, extents[axis]) = self.values.integers, self.groups.where(at)
            pointer = i.plus(pointer, i.wrapped(i.times(first, strides[axis]), 64))
        return _tile_of_view(pointer, extents, strides, shape, at.steps, self._tile_index(at))

    def _from_element(self, op: AccessOp) -> dict[str, object]:
        """A tile that begins at an element; by element, where the first one may be out of bounds."""
        shape, (pointer, argument, type_) = op.shape, self.tensor(op.memory)
        if not _compared(op):
            extents, strides = self.launch.extents_of(type_), self.launch.strides_of(argument, type_)
            index = [self.values.whole(s) for s in op.places]
            return _tile_of_view(pointer, extents, strides, shape, op.steps, index)
        i, place = self.values.integers, self.values.everywhere(tile(shape, type_.element))
        numbers = [i.wrapped(i.plus(self.values.whole(s), p), 32) for s, p in zip(op.places, place, strict=True)]
        return self._places(pointer, argument, type_, numbers, shape, range(len(shape)), ())

    def _element(self, tensor: SSAValue, number: Term) -> dict[str, object]:
        """An element of a tensor with one axis."""
        return self._places(*self.tensor(tensor), [number], (), (), ()) | {"order": _WEAK}

    def _elements(self, op: AccessOp) -> dict[str, object]:
        """The elements at some indices, each of which is stretched to the shape."""
        place, numbers = self.values.everywhere(tile(op.shape, tensor_type(op.memory).element)), list[Term]()
        for index in op.places:
            assert isinstance(index.type, TileType)
            dims = index.type.dims
            numbers.append(
                self.values.at(index, tuple(terms.const(0) if d == 1 else p for d, p in zip(dims, place, strict=True)))
            )
        masks = () if op.chosen is None else (self.values.whole(op.chosen),)
        widths = [element_width(index.type) or 32 for index in op.places]
        return self._places(*self.tensor(op.memory), numbers, op.shape, _compared(op), masks, widths)

    def _places(
        self,
        pointer: Term,
        argument: int,
        type_: TensorType,
        numbers: Sequence[Term],
        shape: Sequence[int],
        compared: Sequence[int] | set[int],
        masks: Sequence[Term],
        widths: Sequence[int] | None = None,
    ) -> dict[str, object]:
        """The address and the mask of the element at any place of a tile."""
        i, offset, conditions = self.values.integers, terms.const(0), list(masks)
        for axis, (number, stride) in enumerate(zip(numbers, self.launch.strides_of(argument, type_), strict=True)):
            if axis in compared:
                width = 32 if widths is None else widths[axis]
                conditions.append(i.less(i.unsigned(number, width), self.launch.number(type_.extent(axis))))
            offset = i.wrapped(i.plus(offset, i.times(number, stride)), 64)
        address = i.plus(pointer, offset)
        return {"address": address, "elements": tuple(shape), "mask": i.both(*conditions)}

    def _pad(self, parts: dict[str, object], type_: TileType, padding: Attribute | None) -> None:
        """Notes what elements are that are not read, where there can be any."""
        name = padding.data.value if isinstance(padding, PaddingValueAttr) else "zero"
        if "address" not in parts:
            _note_padding(parts, name, self.launch)
        elif parts["mask"] != terms.TRUE:
            found = padding if isinstance(padding, DenseElementsAttr) else None
            parts["padding"] = _filled(self.values, type_, name, found)


_WEAK: Final = ("weak", None)
_KINDS: Final = {Action.READ: "load", Action.WRITE: "store", Action.UPDATE: "update"}
_CHANGES: Final = (Action.WRITE, Action.UPDATE)


def _compared(op: AccessOp) -> set[int]:
    """The axes along which an element may be out of bounds: all but those of which it is proved that none is, and
    of an access that nobody proves none."""
    return {o.axis.data for o in duties_of(op) if o.duty is Duty.IN_BOUNDS and o.rung is not Rung.PROVED}


def _note_padding(parts: dict[str, object], padding: str | None, launch: Launch) -> None:
    """Notes what a load of a tile reads beyond a tensor's end, where a tile may overhang at all."""
    shape = cast("tuple[int, ...]", parts["tile"])
    steps = tuple(parts[f"distance of tiles along axis {axis}"] for axis in range(len(shape)))
    extents = [cast(Term, parts[f"extent along axis {axis}"]) for axis in range(len(shape))]
    if steps != shape or not launch.exact(extents, shape):
        parts["padding"] = padding


def _filled(values: Values, type_: TileType, padding: str, literal: DenseElementsAttr | None) -> Term:
    """The term of a padding value as a constant."""
    scalar = tile((), type_.element_type)
    if isinstance(type_.element_type, IntegerType):
        return terms.const(0 if literal is None else int(literal.splat_value))
    found = DenseElementsAttr.splat(scalar, PADDING_NUMBERS[padding]) if literal is None else literal
    return values.element(("literal", type_.element_type, found.data), scalar, ())


# As it is emitted


class Emitted:
    """The accesses of an entry point."""

    def __init__(self, entry: EntryOp, launch: Launch, values: Values):
        self.entry = entry
        self.launch = launch
        self.values = values
        arguments = entry.body.block.args
        if [a.type for a in arguments] != [type_ for _, type_ in launch.passed]:
            raise NotFollowedError(entry, "has other parameters than the launcher passes")
        for argument, (found, _) in zip(arguments, launch.passed, strict=True):
            values.define(argument, found)
        self.lines: dict[SSAValue, Term] = {}
        """Lines of numbers of which it is known what the least one is."""
        values.rules[ReduceOp] = self._least

    def _least(self, values: Values, op: ReduceOp, place: Place) -> Term:
        """The least number of a line, where that is what is asked for."""
        least, body = self.lines.get(op.operands[0]), op.block
        smaller = body.last_op.operands[0].owner if body.last_op is not None else None
        if (
            least is not None
            and isinstance(smaller, MinIOp)
            and smaller.signedness == SIGNED
            and {*smaller.operands} == {*body.args}
            and list(op.identities) == [IntegerAttr(_MOST, i32)]
        ):
            return least
        return values.opaque(op.results[0], place)

    def check_promises(self) -> None:
        """Sees that nothing is promised to the assembler but what the launcher guarantees."""
        for op in walk(self.entry):
            if isinstance(op, AssumeOp) and not self._kept(op):
                raise NotFollowedError(op, f"promises {op.predicate} of what the launcher does not guarantee it of")
            overflow: Any = op.properties.get("overflow")
            if overflow is not None and overflow.data.value != "none":
                raise NotFollowedError(op, "promises that nothing overflows")

    def _kept(self, op: AssumeOp) -> bool:
        """Whether what is promised follows from what the launcher guarantees."""
        type_ = op.value.type
        if not isinstance(type_, TileType) or type_.dims:
            return False
        number = self.values.whole(op.value)
        match op.predicate:
            case DivByAttr(divisor=IntAttr(data=promised), every=every) if not isinstance(every, IntAttr):
                size = 1
                if isinstance(element := type_.element_type, PointerType):
                    size = storage_bytes(element.pointee)
                return self._divisor(number, size) % promised == 0
            case BoundedAttr(lower=lower, upper=upper):
                least, greatest = self.values.integers.between(number)
                above = not isinstance(lower, IntAttr) or (least is not None and lower.data <= least)
                return above and (not isinstance(upper, IntAttr) or (greatest is not None and greatest <= upper.data))
            case _:
                return False

    def _divisor(self, number: Term, size: int = 1) -> int:
        """What divides a number; of an address, which counts elements of a size, in bytes. All divide 0, as 0 says."""
        found = 0
        for m, c in poly(number).items():
            address = self.launch.alignments.get(m[0]) if len(m) == 1 else None
            factor = size * prod(map(self._divisor_of_part, m)) if address is None else address
            found = gcd(found, c * factor)
        return found

    def _divisor_of_part(self, part: Term) -> int:
        if part.op == "%" and part.args[1].is_const:
            return gcd(self._divisor(part.args[0]), part.args[1].value)
        return gcd(*map(self._divisor, self.values.integers.choices.get(part, (terms.const(1),))))

    def writes_failure(self, op: Operation) -> bool:
        """Whether an operation writes a failed check down: an access to the buffer for that, and nothing beyond it."""
        return isinstance(op, AtomicCasTkoOp | StorePtrTkoOp) and self.place_of_failure(op) >= 0

    def place_of_failure(self, op: AtomicCasTkoOp | StorePtrTkoOp) -> int:
        """Which word of a failure an operation touches; -1 for none."""
        address = self.values.whole(op.pointers if isinstance(op, AtomicCasTkoOp) else op.destination)
        place = self.values.integers.minus(address, self.launch.failures)
        inside = place.is_const and 0 <= place.value < FAILURE_WORDS * FAILURE_SLOTS
        return place.value // FAILURE_SLOTS if inside and place.value % FAILURE_SLOTS == 0 else -1

    def access(self, op: Operation) -> Access:
        """The parts of an access."""
        match op:
            case LoadViewTkoOp():
                parts, padding = self._tile(op, op.view, op.index)
                _note_padding(parts, padding, self.launch)
                return Access(op, "load", parts, (op.tile,))
            case StoreViewTkoOp():
                return Access(op, "store", self._tile(op, op.view, op.index)[0] | self._stored(op.tile))
            case AtomicRedViewTkoOp():
                parts = self._tile(op, op.view, op.index)[0] | self._stored(op.value)
                return Access(op, "update", parts | {"update": op.mode.data.value})
            case LoadPtrTkoOp():
                parts = self._elements(op, op.source, op.mask)
                if parts["mask"] != terms.TRUE:
                    parts["padding"] = None if op.paddingValue is None else self.values.whole(op.paddingValue)
                return Access(op, "load", parts, (op.result,))
            case StorePtrTkoOp():
                parts = self._elements(op, op.destination, op.mask) | self._stored(op.value)
                return Access(op, "store", parts)
            case AtomicRmwTkoOp():
                parts = self._elements(op, op.pointers, op.mask) | self._stored(op.arg)
                return Access(op, "update", parts | {"update": op.mode.data.value}, (op.result,))
            case AtomicCasTkoOp():
                parts = self._elements(op, op.pointers, op.mask) | self._stored(op.val)
                return Access(op, "swap", parts | {"expected": self.values.whole(op.cmp)}, (op.result,))
            case _:
                raise NotFollowedError(op, "is not understood")

    def _tile(self, op: Operation, view: SSAValue, index: Sequence[SSAValue]) -> tuple[dict[str, object], str | None]:
        cut, type_ = view.owner, view.type
        if not isinstance(cut, MakePartitionViewOp | MakeStridedViewOp):
            raise NotFollowedError(op, "touches memory of which it is not known whose it is")
        whole = cut.tensor_view.owner
        if not isinstance(whole, MakeTensorViewOp):
            raise NotFollowedError(op, "touches memory of which it is not known whose it is")
        assert isinstance(type_, PartitionViewType | StridedViewType)
        shape = type_.tile_shape.data
        steps = type_.traversal_strides.data if isinstance(type_, StridedViewType) else shape
        if type_.dim_map.data != tuple(range(len(shape))):
            raise NotFollowedError(op, "goes through a view with its axes in another order")
        if any(cast("DenseArrayBase[IntegerType]", op.properties["inbounds"]).get_values()):
            raise NotFollowedError(op, "promises that nothing overhangs")
        tensor = cast(TensorViewType, whole.result.type)
        extents = self._sizes(tensor.shape.data, whole.dynamicShape)
        strides = self._sizes(tensor.strides.data, whole.dynamicStrides)
        numbers = [self.values.whole(n) for n in index]
        parts = _tile_of_view(self.values.whole(whole.base), extents, strides, shape, steps, numbers)
        padding = type_.padding.data.value if isinstance(type_.padding, PaddingValueAttr) else None
        return parts | self._order(op), padding

    def _sizes(self, fixed: Sequence[int], others: Sequence[SSAValue]) -> list[Term]:
        rest = iter(others)
        return [terms.const(n) if n != DYNAMIC else self.values.whole(next(rest)) for n in fixed]

    def _elements(self, op: Operation, pointers: SSAValue, mask: SSAValue | None) -> dict[str, object]:
        assert isinstance(pointers.type, TileType)
        condition = terms.TRUE if mask is None else self.values.whole(mask)
        parts = {"address": self.values.whole(pointers), "elements": pointers.type.dims, "mask": condition}
        return parts | self._order(op)

    def _order(self, op: Operation) -> dict[str, object]:
        ordering = cast(Any, op.properties["memory_ordering_semantics"]).data.value
        scope = cast(Any, op.properties.get("memory_scope"))
        return {"order": (ordering, None if scope is None else scope.data.value)}

    def _stored(self, value: SSAValue) -> dict[str, object]:
        return {"value": self.values.whole(value)}
