"""One walk through a kernel for all tile blocks of a launch at once: what it accesses, in which order, and where.

What the launch facts decide is computed. Where they do not, both ways are gone, and what happens there may happen: it
counts for what is safe, and never for what is wrong. A loop of which it is not known how often it turns is walked as
often as it takes for its tokens to have met, with nothing known of what it carries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

import numpy as np
from xdsl.dialects.builtin import IntAttr, NoneAttr
from xdsl.ir import Block, Operation, SSAValue

from freehold.audit.accesses import Access, Box, Points, Trace, box_addresses
from freehold.audit.facts import Call, Placed
from freehold.audit.folds import folded
from freehold.audit.lanes import (
    SEVERAL,
    Evaluator,
    Pointer,
    Token,
    UndefinedError,
    Unknown,
    Value,
    View,
    dim_map,
    dims_of,
    met,
)
from freehold.audit.relevant import relevant
from freehold.audit.whose import ACCESSES, bases, kind_of, sharing, waits, written
from freehold.dialects.cuda_tile.attrs import BoundedAttr, DivByAttr
from freehold.dialects.cuda_tile.ops.control_flow import (
    BreakOp,
    ContinueOp,
    ForOp,
    IfOp,
    LoopOp,
    ReturnOp,
    YieldOp,
    has_no_memory_effect,
)
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.ops.reduce import Aggregate
from freehold.dialects.cuda_tile.types import (
    DYNAMIC,
    TOKEN,
    GatherScatterViewType,
    StridedViewType,
    TensorViewType,
    TileType,
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
MOST_ELEMENTS: Final = 1 << 20
"""Elements of a value in all tile blocks of a run."""

_TOKENS: Final = frozenset({"cuda_tile.print_tko", "cuda_tile.gdc_wait_tko", "cuda_tile.gdc_launch_dependents_tko"})


class TooMuchError(Exception):
    """A launch that is too large to be walked."""


@dataclass
class _Loop:
    """The ways in which the turns of a loop end, with the tile blocks that go them and what they hand on."""

    op: Operation
    continued: list[tuple[Array, list[Value]]] = field(default_factory=list[tuple[Array, list[Value]]])
    broken: list[tuple[Array, list[Value]]] = field(default_factory=list[tuple[Array, list[Value]]])
    unknown: Unknown | None = None
    """Why it is not known whether a turn is left."""


class Walk:
    """The walk of one kernel in one launch."""

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

    def run(self) -> Trace:
        """Walks all tile blocks, as many at once as fit."""
        widest = max((int(np.prod(dims_of(v))) for v in self.relevant if isinstance(v.type, TileType)), default=1)
        at_once = max(16, min(1 << 16, MOST_ELEMENTS // max(widest, 1)))
        while True:
            for first in range(0, self.call.launch.blocks, at_once):
                blocks = np.arange(first, min(first + at_once, self.call.launch.blocks))
                _Run(self, blocks).run()
            if not (wrong := self.touched() & self.images.keys()):
                break
            self.written |= wrong  # what was believed of these does not hold: once more without
            self.trace, self.images = Trace(), {}
        self.trace.waits = waits(self.entry)
        return self.trace

    def touched(self) -> set[int]:
        """The arrays in whose memory something is written, of accesses through pointers that are not a parameter's."""
        arrays = self.call.arrays
        writes = {a.base for a in self.trace.accesses if a.kind != "read" and self.bases[a.op] < 0}
        return set(arrays) if -1 in writes else sharing(self.call, writes)

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


class _Run:
    """The walk of some tile blocks."""

    def __init__(self, whole: Walk, blocks: Array):
        self.whole = whole
        self.trace = whole.trace
        self.relevant = whole.relevant
        self.blocks = blocks
        self.n = len(blocks)
        self.values: dict[SSAValue, Value] = {}
        self.accesses: list[Access] = []
        self.branches = 0
        self.left: Unknown | None = None
        """Why it is not known whether a tile block has ended before."""
        self.loops: list[_Loop] = []
        self.maybe: Unknown | None = None
        self.path: tuple[tuple[int, int], ...] = ()

    def run(self) -> None:
        arguments = self.whole.entry.body.block.args
        for number, (argument, value) in enumerate(zip(arguments, self.whole.call.values, strict=True)):
            if isinstance(value, Placed):
                self.values[argument] = Pointer(number, np.full(1, value.start, np.int64))
            else:
                with np.errstate(all="ignore"):
                    self.values[argument] = np.asarray([value]).astype(element(argument).dtype)
        self.block(self.whole.entry.body.block, np.ones(self.n, np.bool_))
        self.trace.accesses += self.accesses

    # Control flow

    def block(self, block: Block, lanes: Array) -> tuple[Array, list[Value]]:
        """Walks a block; the tile blocks that reach its end, and what it yields there."""
        for op in block.ops:
            if not lanes.any():
                break
            self.whole.spend(1)
            match op:
                case YieldOp():
                    return lanes, [self.get(v) for v in op.operands]
                case ContinueOp() | BreakOp():
                    self.jump(op, lanes)
                    return np.zeros_like(lanes), []
                case ReturnOp():
                    return np.zeros_like(lanes), []
                case IfOp():
                    lanes = self.branch(op, lanes)
                case ForOp():
                    lanes = self.counted(op, lanes)
                case LoopOp():
                    lanes = self.loop(op, lanes)
                case _:
                    lanes = self.operation(op, lanes)
        return lanes, []

    def jump(self, op: Operation, lanes: Array) -> None:
        kinds = (LoopOp,) if isinstance(op, BreakOp) else (ForOp, LoopOp)
        loop = next(loop for loop in reversed(self.loops) if isinstance(loop.op, kinds))
        ways = loop.broken if isinstance(op, BreakOp) else loop.continued
        ways.append((lanes, [self.get(v) for v in op.operands]))

    def branch(self, op: IfOp, lanes: Array) -> Array:
        condition = self.get(op.condition)
        regions = [region.block if region.blocks else None for region in op.regions]
        if isinstance(condition, Unknown):
            return self.either(op, condition, lanes)
        chosen = np.broadcast_to(cast(Array, condition).reshape(-1), (self.n,))
        ends: list[tuple[Array, list[Value]]] = []
        for block, side in zip(regions, (lanes & chosen, lanes & ~chosen), strict=True):
            if side.any():
                ends.append((side, []) if block is None else self.block(block, side))
        return self.joined(op.results, ends, np.zeros_like(lanes))

    def either(self, op: IfOp, why: Unknown, lanes: Array) -> Array:
        """Both branches, because it is not known which is taken."""
        maybe, path = self.maybe, self.path
        self.maybe = maybe or why
        self.branches = number = self.branches + 1
        ends: list[tuple[Array, list[Value]]] = []
        for side, region in enumerate(op.regions):
            self.path = (*path, (number, side))
            ends.append(self.block(region.block, lanes.copy()) if region.blocks else (lanes, []))
        self.maybe, self.path = maybe, path
        if any(not (end == lanes).all() for end, _ in ends):
            # It is not known either who goes on: what follows may not happen.
            for loop in self.loops:
                loop.unknown = loop.unknown or why
            if any(isinstance(inner, ReturnOp) for inner in op.walk()):
                self.left = self.left or why
        reached = [(end, values) for end, values in ends if end.any()]
        after = np.logical_or.reduce([end for end, _ in reached]) if reached else np.zeros_like(lanes)
        for place, result in enumerate(op.results):
            choices = [(end, values[place]) for end, values in reached]
            if result.type == TOKEN:
                self.values[result] = self.tokens(choices, number)
            elif choices and all(value is choices[0][1] for _, value in choices):
                self.values[result] = choices[0][1]
            else:
                self.values[result] = why
        return after

    def joined(self, results: Sequence[SSAValue], ends: Sequence[tuple[Array, list[Value]]], none: Array) -> Array:
        """Several ways meet; the tile blocks that go on."""
        ends = [(lanes, values) for lanes, values in ends if lanes.any()]
        if not ends:
            return none
        self.hand_on(results, ends)
        return np.logical_or.reduce([lanes for lanes, _ in ends])

    def hand_on(self, names: Sequence[SSAValue], ends: Sequence[tuple[Array, list[Value]]]) -> None:
        values: list[Value] = []
        for number, name in enumerate(names):
            choices = [(lanes, handed[number]) for lanes, handed in ends]
            values.append(self.tokens(choices) if name.type == TOKEN else met(choices))
        for name, value in zip(names, values, strict=True):
            self.values[name] = value

    def tokens(self, choices: Sequence[tuple[Array, Value]], branch: int = 0) -> Value:
        """The token behind several ways: it orders what each of them orders, of those that happen on it.

        The ways are the sides of an unknown `branch`, where there is one.
        """
        sets = [(lanes, value.before if isinstance(value, Token) else 0) for lanes, value in choices]
        every = some = sets[0][1]
        for _, before in sets[1:]:
            every &= before
            some |= before
        rest = some & ~every
        while rest:
            number = (rest & -rest).bit_length() - 1
            rest &= rest - 1
            access = self.accesses[number]
            sides = dict(access.path)
            if all(
                before >> number & 1 or not (access.lanes & lanes).any() or sides.get(branch, side) != side
                for side, (lanes, before) in enumerate(sets)
            ):
                every |= 1 << number
        return Token(every)

    def counted(self, op: ForOp, lanes: Array) -> Array:
        bounds = [self.get(v) for v in (op.lowerBound, op.upperBound, op.step)]
        carried = [self.get(v) for v in op.initValues]
        unknown = next((b for b in bounds if isinstance(b, Unknown)), None)
        if unknown is not None:
            return self.unknown_turns(op, lanes, carried, unknown)
        low, high, step = (cast(Array, b) for b in bounds)
        if op.unsignedCmp is not None:
            low, high = (unsigned(b) for b in (low, high))
        low, high, step = (np.broadcast_to(b.astype(np.int64), (self.n,)) for b in (low, high, step))
        if (step[lanes] <= 0).any():
            self.note(op, "the step of a loop is not positive", lanes & (step <= 0))
            return np.zeros_like(lanes)
        counter, dtype = low, element(op.lowerBound).dtype
        exits: list[tuple[Array, list[Value]]] = []
        while True:
            turning = lanes & (counter < high)
            if (leaving := lanes & ~turning).any():
                exits.append((leaving, carried))
            if not turning.any():
                break
            same = (counter[turning] == counter[turning][0]).all()
            loop = _Loop(op)
            place = counter[turning][:1] if same else counter
            self.values[op.block.args[0]] = place.astype(dtype)
            for argument, value in zip(op.block.args[1:], carried, strict=True):
                self.values[argument] = value
            self.loops.append(loop)
            self.block(op.block, turning)
            self.loops.pop()
            if loop.unknown is not None:
                ways = [*exits, *loop.continued]
                carried = self.meet_unknown(op.block.args[1:], ways, loop.unknown)
                return self.unknown_turns(op, lanes, carried, loop.unknown)
            names = op.block.args[1:]
            lanes = self.joined(names, loop.continued, np.zeros_like(lanes))
            carried = [self.values[name] for name in names] if lanes.any() else carried
            counter = counter + step
        return self.joined(op.results, exits, np.zeros_like(lanes))

    def loop(self, op: LoopOp, lanes: Array) -> Array:
        carried = [self.get(v) for v in op.initValues]
        exits: list[tuple[Array, list[Value]]] = []
        while lanes.any():
            loop = _Loop(op)
            for argument, value in zip(op.region.block.args, carried, strict=True):
                self.values[argument] = value
            self.loops.append(loop)
            self.block(op.region.block, lanes)
            self.loops.pop()
            exits += loop.broken
            if loop.unknown is not None:
                if not loop.continued:
                    break
                carried = self.meet_unknown(op.region.block.args, loop.continued, loop.unknown)
                return self.unknown_turns(op, lanes, carried, loop.unknown, exits)
            lanes = self.joined(op.region.block.args, loop.continued, np.zeros_like(lanes))
            carried = [self.values[name] for name in op.region.block.args] if lanes.any() else carried
        return self.joined(op.results, exits, np.zeros_like(lanes))

    def meet_unknown(
        self, names: Sequence[SSAValue], ways: Sequence[tuple[Array, list[Value]]], why: Unknown
    ) -> list[Value]:
        """What is carried where it is not known which way was gone."""
        found: list[Value] = []
        for number, name in enumerate(names):
            choices = [(lanes, values[number]) for lanes, values in ways]
            if name.type == TOKEN:
                found.append(self.tokens(choices))
            elif choices and all(value is choices[0][1] for _, value in choices):
                found.append(choices[0][1])
            else:
                found.append(why)
        return found

    def unknown_turns(
        self,
        op: ForOp | LoopOp,
        lanes: Array,
        carried: list[Value],
        why: Unknown,
        exits: Sequence[tuple[Array, list[Value]]] = (),
    ) -> Array:
        """A loop of which it is not known how often it turns."""
        maybe = self.maybe
        self.maybe = maybe or why
        block = op.region.block
        names = block.args[1:] if isinstance(op, ForOp) else block.args
        start = carried
        changing = _changing(block, names)
        carried = [v if n.type == TOKEN or n not in changing else why for n, v in zip(names, carried, strict=True)]
        ends = [*exits, (lanes, start)] if isinstance(op, ForOp) else list(exits)
        turns = 2 + sum(name.type == TOKEN for name in names)
        for _ in range(turns):
            loop = _Loop(op)
            if isinstance(op, ForOp):
                self.values[block.args[0]] = why
            for name, value in zip(names, carried, strict=True):
                self.values[name] = value
            self.loops.append(loop)
            self.block(block, lanes.copy())
            self.loops.pop()
            ends += loop.broken if isinstance(op, LoopOp) else loop.continued
            if not loop.continued:
                break
            handed = self.meet_unknown(names, loop.continued, why)
            carried = [h if n.type == TOKEN else c for n, h, c in zip(names, handed, carried, strict=True)]
        self.maybe = maybe
        if isinstance(op, LoopOp) and not ends:
            return np.zeros_like(lanes)
        for name, value in zip(op.results, self.meet_unknown(op.results, ends, why), strict=True):
            self.values[name] = value
        return lanes

    # Operations

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


def _changing(block: Block, names: Sequence[SSAValue]) -> set[SSAValue]:
    """The carried values that a turn may hand on changed."""
    last = [op for op in block.walk() if isinstance(op, ContinueOp)]
    return {
        name
        for number, name in enumerate(names)
        if any(number >= len(op.operands) or op.operands[number] is not name for op in last)
    }
