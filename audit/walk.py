"""One walk through a kernel for all tile blocks of a launch at once: what it accesses, in which order, and where.

What the launch facts decide is computed. Where they do not, both ways are gone, and what happens there may happen: it
counts for what is safe, and never for what is wrong. A loop of which it is not known how often it turns is walked as
often as it takes for its tokens to have met, with nothing known of what it carries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, cast

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from freehold.audit.accesses import Trace
from freehold.audit.facts import Placed
from freehold.audit.lanes import Pointer, Token, Unknown, Value, dims_of, met
from freehold.audit.straight import Straight, Whole
from freehold.audit.whose import sharing, waits
from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, IfOp, LoopOp, ReturnOp, YieldOp
from freehold.dialects.cuda_tile.types import TOKEN, TileType
from freehold.runtime.interpreter.access import element
from freehold.runtime.interpreter.elements import Array, unsigned

MOST_ELEMENTS: Final = 1 << 20
"""Elements of a value in all tile blocks of a run."""


@dataclass
class _Loop:
    """The ways in which the turns of a loop end, with the tile blocks that go them and what they hand on."""

    op: Operation
    continued: list[tuple[Array, list[Value]]] = field(default_factory=list[tuple[Array, list[Value]]])
    broken: list[tuple[Array, list[Value]]] = field(default_factory=list[tuple[Array, list[Value]]])
    unknown: Unknown | None = None
    """Why it is not known whether a turn is left."""


class Walk(Whole):
    """The walk of one kernel in one launch."""

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


class _Run(Straight):
    """The walk of some tile blocks."""

    def __init__(self, whole: Walk, blocks: Array):
        super().__init__(whole, blocks)
        self.branches = 0
        self.loops: list[_Loop] = []

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


def _changing(block: Block, names: Sequence[SSAValue]) -> set[SSAValue]:
    """The carried values that a turn may hand on changed."""
    last = [op for op in block.walk() if isinstance(op, ContinueOp)]
    return {
        name
        for number, name in enumerate(names)
        if any(number >= len(op.operands) or op.operands[number] is not name for op in last)
    }
