"""What tile blocks compute and access between branches and loops, many of them at once, and how much work that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
from xdsl.dialects.builtin import IntAttr, NoneAttr
from xdsl.ir import Operation, SSAValue

from freehold.audit.accesses import Access, Box, Points, Trace, box_addresses
from freehold.audit.facts import Call
from freehold.audit.folds import folded
from freehold.audit.lanes import SEVERAL, Evaluator, Pointer, Token, UndefinedError, Unknown, Value, View, dim_map
from freehold.audit.relevant import relevant
from freehold.audit.whose import ACCESSES, bases, kind_of, written
from freehold.dialects.cuda_tile.attrs import BoundedAttr, DivByAttr
from freehold.dialects.cuda_tile.ops.control_flow import has_no_memory_effect
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.ops.reduce import Aggregate
from freehold.dialects.cuda_tile.types import (
    DYNAMIC,
    TOKEN,
    GatherScatterViewType,
    StridedViewType,
    TensorViewType,
    TileViewType,
)
from freehold.runtime.interpreter.access import element
from freehold.runtime.interpreter.elements import Array, element_of, unsigned

MOST_WORK: Final = 400_000
"""Operations that are walked; those on many elements, and accesses, count more than once."""
_AN_ACCESS: Final = 8
"""What an access counts: it is looked at again for its bounds, for who meets whom, and for pictures."""
_A_STEP: Final = 4096
"""Elements that an operation computes at no further cost."""

_TOKENS: Final = frozenset({"cuda_tile.print_tko", "cuda_tile.gdc_wait_tko", "cuda_tile.gdc_launch_dependents_tko"})


class TooMuchError(Exception):
    """A launch that is too large to be walked."""


class Whole:
    """What the walks of all tile blocks of a launch share."""

    def __init__(self, entry: EntryOp, call: Call):
        self.entry = entry
        self.call = call
        self.trace = Trace()
        self.relevant = relevant(entry)
        self.evaluator = Evaluator()
        self.written = written(entry, call)
        self.bases = bases(entry)
        self.images: dict[int, Array] = {}
        self.work = 0

    def spend(self, work: int) -> None:
        """Counts work. Raises `TooMuchError` where it is too much."""
        self.work += work
        if self.work > MOST_WORK:
            raise TooMuchError

    def image(self, number: int) -> Array | None:
        """What the memory of an array holds, element by element, if that is known for the whole launch."""
        placed = self.call.arrays.get(number)
        if placed is None or placed.tensor.contents is None or number in self.written:
            return None
        if number not in self.images:
            tensor = placed.tensor
            flat = np.zeros(tensor.span, np.asarray(tensor.contents).dtype)
            assert tensor.contents is not None
            index = np.indices(tensor.shape).reshape(len(tensor.shape), -1)
            places = sum((i * s for i, s in zip(index, tensor.steps, strict=True)), np.zeros(1, np.int64))
            flat[places] = tensor.contents.reshape(-1)
            self.images[number] = flat
        return self.images[number]


class Straight:
    """Some tile blocks, and what is known of the values of a kernel in them."""

    def __init__(self, whole: Whole, blocks: Array):
        self.whole = whole
        self.trace = whole.trace
        self.relevant = whole.relevant
        self.blocks = blocks
        self.n = len(blocks)
        self.values: dict[SSAValue, Value] = {}
        self.accesses: list[Access] = []
        self.left: Unknown | None = None
        """Why it is not known whether a tile block has ended before."""
        self.maybe: Unknown | None = None
        self.path: tuple[tuple[int, int], ...] = ()

    def get(self, value: SSAValue) -> Value:
        """A value; unknown where it does not matter, or nothing is known of it."""
        return self.values.get(value, _NOTHING)

    def note(self, op: Operation, why: str, lanes: Array) -> None:
        """Notes an operation that has no defined result in some tile blocks."""
        self.trace.undefined.append((op, why, int(self.blocks[int(np.argmax(lanes))]), self.maybe))

    def operation(self, op: Operation, lanes: Array) -> Array:
        """An operation without control flow; the tile blocks that go on."""
        name = op.name
        if name in ACCESSES:
            self.access(op, lanes)
            return lanes
        if name in ("cuda_tile.make_token", "cuda_tile.join_tokens") or name in _TOKENS:
            before = 0
            for operand in op.operands:
                if operand.type == TOKEN and isinstance(token := self.get(operand), Token):
                    before |= token.before
            self.values[op.results[-1]] = Token(before)
            return lanes
        if name == "cuda_tile.assert":
            return lanes  # one that fails ends the launch, so what follows may be taken to hold
        wanted = [result for result in op.results if result in self.relevant]
        if not wanted and not (op.results and op.results[-1].type == TOKEN):
            if not has_no_memory_effect(op):
                self.not_followed(op)
            return lanes
        try:
            self.pure(op, lanes)
        except UndefinedError as error:
            self.note(error.op, error.why, error.lanes)
            for result in op.results:
                self.values[result] = Unknown(error.why)
        return lanes

    def pure(self, op: Operation, lanes: Array) -> None:
        operands = [self.get(v) for v in op.operands]
        match op.name:
            case "cuda_tile.get_tile_block_id":
                rest, x = np.divmod(self.blocks, self.whole.call.launch.grid[0])
                z, y = np.divmod(rest, self.whole.call.launch.grid[1])
                for result, place in zip(op.results, (x, y, z), strict=True):
                    self.values[result] = place.astype(np.int32)
            case "cuda_tile.get_num_tile_blocks":
                for result, count in zip(op.results, self.whole.call.launch.grid, strict=True):
                    self.values[result] = np.full(1, count, np.int32)
            case "cuda_tile.assume":
                self.values[op.results[0]] = operands[0]
                self.assumed(op, operands[0], lanes)
            case "cuda_tile.make_tensor_view":
                self.values[op.results[0]] = self.tensor_view(op, lanes)
            case "cuda_tile.get_tensor_shape" | "cuda_tile.get_index_space_shape":
                self.shape(op, operands[0])
            case "cuda_tile.reduce" | "cuda_tile.scan":
                for result, value in zip(
                    op.results, folded(cast(Aggregate, op), operands, self.whole.evaluator), strict=True
                ):
                    self.values[result] = value
            case _:
                found = self.whole.evaluator.compute(op, operands, lanes)
                self.whole.spend(found.size // _A_STEP if isinstance(found, np.ndarray) else 0)
                if found is None:
                    found = self.not_followed(op)
                for result in op.results:
                    self.values[result] = Token(0) if result.type == TOKEN else found

    def not_followed(self, op: Operation) -> Unknown:
        why = Unknown(f"`{op.name.removeprefix('cuda_tile.')}` is not followed")
        if not has_no_memory_effect(op) or any(v.type == TOKEN for v in (*op.operands, *op.results)):
            self.trace.gave_up.append(why)
        return why

    def assumed(self, op: Operation, value: Value, lanes: Array) -> None:
        """A promise to the assembler that the launch breaks."""
        from freehold.runtime.interpreter.control import holds

        found = value.address if isinstance(value, Pointer) else value
        if not isinstance(found, np.ndarray):
            return
        predicate: Any = op.properties["predicate"]
        e = element(op.operands[0])
        pointee: Any = op.operands[0].type
        stride = element_of(pointee.element_type.pointee).memory_bytes if e.is_pointer else 1
        of_each = isinstance(predicate, BoundedAttr) or (
            isinstance(predicate, DivByAttr) and not isinstance(predicate.every, IntAttr)
        )
        if of_each and holds(predicate, found, e.bits, stride):
            return
        bad = np.array([not holds(predicate, tile, e.bits, stride) for tile in found])
        if bad.any() and (wrong := np.broadcast_to(bad, (self.n,)) & lanes).any():
            self.note(op, f"`{predicate.name.removeprefix('cuda_tile.')}` is false of the value", wrong)

    def tensor_view(self, op: Operation, lanes: Array) -> Value:
        fields: Any = op
        type_ = cast(TensorViewType, op.results[0].type)
        base = self.get(op.operands[0])
        dynamic = [self.get(v) for v in (*fields.dynamicShape, *fields.dynamicStrides)]
        unknown = next((v for v in (base, *dynamic) if isinstance(v, Unknown)), None)
        if unknown is not None or not isinstance(base, Pointer):
            return unknown or _NOTHING
        rest = iter(cast("list[Array]", dynamic))
        shape, strides = (
            tuple(_numbers(next(rest)) if n == DYNAMIC else np.full(1, n, np.int64) for n in entries)
            for entries in (type_.shape.data, type_.strides.data)
        )
        for number in (*shape, *strides):
            bad = np.broadcast_to(number < 0, (self.n,)) & lanes
            if bad.any():
                self.note(op, "an extent or a stride of a view is negative", bad)
                return Unknown("an extent or a stride of the view is negative")
        size = element_of(type_.element_type).memory_bytes
        if any((n.astype(np.float64) * s * size).max() >= 2.0**60 for n, s in zip(shape, strides, strict=True)):
            return Unknown("the extents and strides of a view do not fit in 64 bits")
        return View(base.base, base.address, shape, strides, size)

    def shape(self, op: Operation, view: Value) -> None:
        for number, result in enumerate(op.results):
            if not isinstance(view, View):
                self.values[result] = view
                continue
            type_ = op.operands[0].type
            if isinstance(type_, TileViewType):
                axis, step = dim_map(type_)[number], steps(type_)[number]
                found = -(-view.shape[axis] // step)
            else:
                found = view.shape[number]
            self.values[result] = found.astype(element(result).dtype)

    # Accesses

    def access(self, op: Operation, lanes: Array) -> None:
        self.whole.spend(_AN_ACCESS)
        fields: Any = op
        token = self.get(fields.token) if fields.token is not None else Token(0)
        before = after = token.before if isinstance(token, Token) else 0
        masked: Unknown | None = None
        if hasattr(fields, "view"):
            base, size, place = self.tile(op, lanes)
        else:
            base, size, place, masked = self.elements(op)
        maybe = self.maybe or self.left or masked
        if isinstance(place, Points):
            self.whole.spend(place.address.size // _A_STEP)
        owners = [(base, lanes)] if base != SEVERAL else self.owners(place, lanes)
        for base, touching in owners:
            number = len(self.accesses)
            self.accesses.append(
                Access(op, kind_of(op), number, self.blocks, touching, base, before, size, place, maybe, self.path)
            )
            after |= 1 << number
        self.values[op.results[-1]] = Token(after)
        if op.results[0].type != TOKEN and op.results[0] in self.relevant:
            several = Unknown("what is read is of one array or another")
            self.values[op.results[0]] = self.loaded(op, base, place) if len(owners) == 1 else several

    def owners(self, place: Box | Points | Unknown, lanes: Array) -> list[tuple[int, Array]]:
        """Whose memory tile blocks touch, by the address where they begin to."""
        if isinstance(place, Unknown):
            return [(-1, lanes)]
        address = place.view.address if isinstance(place, Box) else place.address
        if isinstance(place, Points) and place.mask is not None:
            address = np.where(place.mask, address, np.iinfo(np.int64).max)
        first = np.broadcast_to(address.reshape(address.shape[0], -1).min(axis=1), (self.n,))
        found = np.full(self.n, -1)
        for number, placed in self.whole.call.arrays.items():
            found[(first >= placed.start) & (first < placed.end)] = number
        return [(int(base), lanes & (found == base)) for base in np.unique(found[lanes])]

    def elements(self, op: Operation) -> tuple[int, int, Points | Unknown, Unknown | None]:
        fields: Any = op
        value = next(getattr(fields, n) for n in ("source", "destination", "pointers") if hasattr(fields, n))
        size = element_of(value.type.element_type.pointee).memory_bytes
        pointer = self.get(value)
        mask = self.get(fields.mask) if fields.mask is not None else None
        if not isinstance(pointer, Pointer):
            base = self.whole.bases[op]
            return base, size, pointer if isinstance(pointer, Unknown) else _NOTHING, None
        if isinstance(mask, Unknown):  # all of it may be accessed
            return pointer.base, size, Points(pointer.address, None), mask
        return pointer.base, size, Points(pointer.address, None if mask is None else cast(Array, mask)), None

    def tile(self, op: Operation, lanes: Array) -> tuple[int, int, Box | Points | Unknown]:
        fields: Any = op
        view = self.get(fields.view)
        type_ = cast(TileViewType, fields.view.type)
        size = element_of(type_.tensor.element_type).memory_bytes
        index = [self.get(v) for v in fields.index]
        unknown = next((v for v in (view, *index) if isinstance(v, Unknown)), None)
        if unknown is not None or not isinstance(view, View):
            return self.whole.bases[op], size, unknown or _NOTHING
        numbers = [_numbers(cast(Array, i)) for i in index]
        if isinstance(type_, GatherScatterViewType):
            return view.base, size, self.sparse(op, type_, view, numbers, lanes)
        map_, step = dim_map(type_), steps(type_)
        starts: list[Array] = [np.zeros(1, np.int64)] * len(numbers)
        sizes = [1] * len(numbers)
        for d, number in enumerate(numbers):
            axis = map_[d]
            starts[axis], sizes[axis] = number * step[d], type_.tile_dims[d]
        return view.base, size, Box(view, tuple(starts), tuple(sizes))

    def sparse(
        self, op: Operation, type_: GatherScatterViewType, view: View, numbers: Sequence[Array], lanes: Array
    ) -> Points:
        rank, n = len(numbers), self.n
        address = view.address.reshape(-1, *(1,) * rank)
        inside: Array = np.ones((1,) * (rank + 1), np.bool_)
        for axis, number in enumerate(numbers):
            shape = [1] * (rank + 1)
            shape[axis + 1] = type_.tile_dims[axis]
            if axis == type_.sparse_dimension:
                index = number.reshape(number.shape[0], *shape[1:])
            else:
                extent = np.broadcast_to(view.shape[axis], (n,))
                bad = lanes & ((number < 0) | (number >= extent)) & (extent > 0)
                if bad.any() and isinstance(type_.view_parts()[2], NoneAttr):
                    self.note(op, f"dimension {axis} of a view without padding begins beyond it", bad)
                index = number.reshape(-1, *(1,) * rank) + np.arange(type_.tile_dims[axis]).reshape(shape)
            address = address + index * (view.strides[axis].reshape(-1, *(1,) * rank) * view.size)
            inside = inside & (index >= 0) & (index < view.shape[axis].reshape(-1, *(1,) * rank))
        shape = (n, *type_.tile_dims)
        return Points(np.broadcast_to(address, shape), np.broadcast_to(inside, shape))

    def loaded(self, op: Operation, base: int, place: Box | Points | Unknown) -> Value:
        """What an access reads, where the launch facts say what memory holds."""
        if isinstance(place, Unknown):
            return place
        placed = self.whole.call.arrays.get(base)
        name = placed.tensor.name if placed is not None else "memory"
        image = self.whole.image(base)
        if image is None or placed is None or kind_of(op) != "read":
            written = base in self.whole.written or kind_of(op) != "read"
            what = f"the kernel itself writes `{name}`" if written else ""
            return Unknown(what or f"it depends on what `{name}` holds", "" if written else f"contents of `{name}`")
        if isinstance(place, Box):
            address, inside = box_addresses(place, self.n)
            view: Any = cast(Any, op).view.type
            order = (0, *(axis + 1 for axis in dim_map(view)))
            address, inside = address.transpose(order), inside.transpose(order)
        else:
            address = place.address
            inside = np.ones((1,) * address.ndim, np.bool_) if place.mask is None else place.mask
        offset = (address - placed.start) // placed.tensor.element.memory_bytes
        inside = inside & (offset >= 0) & (offset < len(image))
        e = element(op.results[0])
        with np.errstate(all="ignore"):
            return np.where(inside, image[np.clip(offset, 0, len(image) - 1)], 0).astype(e.dtype)


_NOTHING: Final = Unknown("nothing is known of a value")


def _numbers(value: Array) -> Array:
    """Scalars as unsigned numbers; negative ones of 32 bits or more stay negative, being out of every range."""
    return (unsigned(value) if value.dtype.itemsize < 4 else value).astype(np.int64)


def steps(view: TileViewType) -> tuple[int, ...]:
    """The distance between tiles along each dimension of the index space, in elements."""
    if isinstance(view, StridedViewType):
        return view.traversal_strides.data
    return (1,) * len(view.tile_dims) if isinstance(view, GatherScatterViewType) else view.tile_dims
