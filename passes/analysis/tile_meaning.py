"""
Which tiles a kernel may be given: those under which it computes the same.

What a partition's tile is changes how work is cut, and in most kernels nothing else. But a sum along an axis of the
tile is one of the whole tensor only where the tile covers the axis, and the number of a region is the number of an
element only where regions have one element. So each axis of a tile is followed from where it is loaded to where it is
stored, with what its elements stand for: places of the tensor that the point has, places that a loop comes by, or
places that are the same for every point. Where these meet in a way that depends on how long the tile is, that is noted:
the axis has to be whole, or of one element, or no tile can be told to be right. What is not understood is taken to
depend on it.

Not seen is a kernel that computes with the extent of its tile as with any number; and of loops it is believed that
they walk along all of what they are meant to walk along, and make the same of it in longer steps and in shorter ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from xdsl.ir import Block, Operation, SSAValue

from freehold.dialects.cuda_tile.op import TileOp
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, DivIOp, MaxIOp, MinIOp, SubIOp
from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, IfOp, LoopOp, YieldOp, ends_of
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp, ScanOp
from freehold.dialects.cuda_tile.types import TileType
from freehold.dialects.ownership import (
    AccessOp,
    Action,
    CheckOp,
    DistributeOp,
    Indexing,
    KernelOp,
    RegionOp,
    Update,
    tensor_type,
)
from freehold.passes.analysis.facts import KernelFacts, analyse
from freehold.passes.analysis.sums_of_parts import only_added, passes_sums
from freehold.passes.analysis.tile_axes import HERE, LOOP, Along, Axis, TileMeaning, all_along, dims_of, points_of
from freehold.passes.analysis.tile_operations import TileOperations
from freehold.passes.prover.polynomials import poly
from freehold.support.terms import Term, sym

_CHANGES: Final = 6
"""How often what is known of an axis of a tile may change."""


def tile_meaning(
    kernel: KernelOp, tile: Sequence[int], extents: Mapping[str, int], facts: KernelFacts | None = None
) -> TileMeaning:
    """
    What a verified kernel asks of its tiles, which has `tile` elements along each axis of the launch, where tensors
    have these extents, by symbol.
    """
    walk = _Walk(kernel, facts or analyse(kernel), tile, extents)
    walk.block(kernel.body.block)
    walk.found.repeated = walk.repeated - walk.found.whole
    walk.found.counted |= walk.repeated
    walk.found.counted -= walk.found.whole  # there is one tile, which begins at 0
    walk.found.whole |= walk.lengths
    return walk.found


class _Walk(TileOperations):
    """One walk over a kernel, with what is known of the axes of each tile."""

    def __init__(self, kernel: KernelOp, facts: KernelFacts, tile: Sequence[int], extents: Mapping[str, int]):
        super().__init__(kernel, facts)
        self.tile = tile
        self.extents = extents
        self.repeated: set[int] = set()
        """Axes of the launch along which each tile adds to an accumulator what is not a part of the tile."""

    # --- The walk -----------------------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        """Follows the operations of a block."""
        for op in block.ops:
            match op:
                case DistributeOp():
                    self.distribution(op)
                case ForOp():
                    self.bounds(op)
                    self.loop(op)
                case LoopOp():
                    self.loop(op)
                case IfOp():
                    self.branches(op)
                case AccessOp():
                    self.access(op)
                case CheckOp():
                    self.counted(op.condition)
                case ReduceOp() | ScanOp():  # what it holds is of numbers
                    self.operation(op)
                case TileOp():
                    self.operation(op)
                    self.inside(op)
                case _:
                    self.inside(op)

    def inside(self, op: Operation) -> None:
        """The blocks that an operation holds."""
        for region in op.regions:
            for inner in region.blocks:
                self.block(inner)

    def distribution(self, op: DistributeOp) -> None:
        """The point's axes."""
        names = self.facts.points[op]
        for axis, name in enumerate(names):
            self.points[name] = axis, self.tile[axis] if axis < len(self.tile) else 1
        self.block(op.body.block)

    def bounds(self, op: ForOp) -> None:
        counter = self.facts.terms.get(op.block.args[0])
        if counter is not None:
            self.counters |= counter.symbols() - self.points.keys()
        for value in (op.lowerBound, op.step):  # how far it goes is its own affair
            self.bound(value)
        if op.block.args[0].first_use is None:  # ... unless it only does something so many times
            for value in (op.lowerBound, op.upperBound):
                self.counted(value)

    def bound(self, value: SSAValue) -> None:
        """A scalar that a loop begins with, also one that counts the loop's own tiles, of what counts elements."""
        owner, term = value.owner, self.term(value)
        if term is None or not self.counts(term):
            return
        if isinstance(owner, DivIOp):
            self.bound(owner.operands[0])
        elif isinstance(owner, AddIOp | SubIOp | MaxIOp | MinIOp):
            for operand in owner.operands:
                self.bound(operand)
        else:
            self.counted(value)

    def loop(self, op: ForOp | LoopOp) -> None:
        """A loop: what it carries stands for the same in each turn, or for what the turns make of it."""
        carried, turns, own = op.carried, ends_of(op, ContinueOp), self.counter(op)
        for argument, value in zip(carried, op.initValues, strict=True):
            self.axes[argument] = self.of(value)
            self.counted(value)
        for _ in range(_CHANGES * len(carried) + 1):  # what one turn makes of a tile, the next may hand on to another
            self.block(op.block)
            before = [self.axes[argument] for argument in carried]
            for end in turns:
                for argument, value in zip(carried, end.operands, strict=True):
                    self.axes[argument] = self.handed_on(self.axes[argument], self.of(value), own)
                    self.counted(value)
            if before == [self.axes[argument] for argument in carried]:
                break
        else:
            self.found.unclear = True
        ways = [end.operands for end in (ends_of(op, BreakOp) if isinstance(op, LoopOp) else turns)]
        ways += [] if isinstance(op, LoopOp) else [op.initValues]
        for n, result in enumerate(op.results):
            first, *more = [self.of(way[n]) for way in ways] or [self.of(result)]
            found = self.handed_on(first, first, own)
            for other in more:
                found = self.handed_on(found, other, own)
            self.axes[result] = found

    def counter(self, op: ForOp | LoopOp) -> frozenset[str]:
        """The symbol of a loop's counter."""
        term = self.term(op.block.args[0]) if isinstance(op, ForOp) else None
        return frozenset() if term is None else term.symbols() & self.counters

    def handed_on(self, first: tuple[Axis, ...], second: tuple[Axis, ...], own: frozenset[str]) -> tuple[Axis, ...]:
        """What a tile stands for that is one or the other, and is met in another turn of a loop, or behind it: not for
        the places that the loop comes by in this turn."""

        def later(axis: Axis) -> Axis:
            return tuple(
                (size, LOOP if along is not None and self.walks_by(along, own) else along) for size, along in axis
            )

        return self.joined([tuple(map(later, first)), tuple(map(later, second))])

    def branches(self, op: IfOp) -> None:
        self.counted(op.operands[0])
        ways: list[Operation] = []
        for region in op.regions:
            for inner in region.blocks:
                self.block(inner)
                if isinstance(inner.last_op, YieldOp):
                    ways.append(inner.last_op)
                    for value in inner.last_op.operands:
                        self.counted(value)
        for n, result in enumerate(op.results):
            self.axes[result] = self.joined([self.of(way.operands[n]) for way in ways] or [self.of(result)])

    # --- Accesses -----------------------------------------------------------------------------------------------------

    def access(self, op: AccessOp) -> None:
        """Where a tile is from, or goes to."""
        if isinstance(op, RegionOp):
            return
        if op.indexing is Indexing.EACH:
            chosen = [] if op.chosen is None else [op.chosen]
            axes = self.joined([self.stretched(place, op.shape) for place in (*op.places, *chosen)])
            for place in op.places:
                self.one_place(self.scalars.get(place) if dims_of(place) else self.term(place))
            for value in chosen:
                self.counted(value)
        elif op.indexing is Indexing.OWN:
            axes = self.places(op, op.memory.owner) if isinstance(op.memory.owner, RegionOp) else ()
        else:
            axes = self.places(op, op)
        if op.ACTION is Action.READ:
            self.blame_twice(axes)
            for result in op.results:
                if isinstance(result.type, TileType):
                    self.axes[result] = axes or all_along(HERE, result.type.dims)
            return
        value = op.value
        if value is None:
            return
        self.counted(value)
        self.blame_twice(axes)
        if op.indexing is Indexing.EACH:
            self.joined([axes, self.stretched(value, op.shape)])
        else:
            self.stored(self.of(value), axes)
        if op.commuting is not None:
            self.updated(axes)
        if op.commuting in (Update.ADD, Update.XOR):  # twice is not once: what is the same in all tiles counts them
            every, summed = {axis for axis, size in self.points.values() if size > 1}, self.whole_sum(value)
            self.repeated |= every - summed - points_of(axes)
            # A sum of a tile for each of its elements:
            self.found.whole |= (summed - points_of(self.of(value))) & points_of(axes)

    def updated(self, axes: tuple[Axis, ...]) -> None:
        """The places of an update, which are those of the elements of a tile, and no number of places for each."""
        sizes = dict(self.points.values())
        for axis in axes:
            if any(a is not None and a.kind == "point" and sizes.get(a.number) != size for size, a in axis):
                self.found.unclear = True
            if not self.alike(axis):
                self.reckoned([axis])

    def whole_sum(self, value: SSAValue) -> set[int]:
        """The axes of the launch of which a number for each place is in a tile, or was added up in it."""
        sizes = dict(self.points.values())
        found, owner = points_of(self.of(value), sizes), value.owner
        if isinstance(owner, Operation) and only_added(value):
            found |= self.whole_sum(owner.operands[0]) if passes_sums(owner) else set()
        return found

    def one_place(self, term: Term | None) -> None:
        """A place of one element: the number of a region is one where regions have one element, and where a tile
        begins is one of many."""
        if term is not None:
            counts = self.counts(term)
            self.found.ones |= counts
            self.found.counted |= self.begins(term) - counts

    def places(self, op: AccessOp, at: AccessOp) -> tuple[Axis, ...]:
        """What the axes of a tile stand for that is accessed at the places of `at`."""
        tensor, found = tensor_type(op.memory), list[Axis]()
        coordinates = [self.term(place) for place in at.places]
        if len(coordinates) != len(op.shape):  # of groups
            self.found.unclear = True
            return all_along(HERE, op.shape)
        for axis, (term, size) in enumerate(zip(coordinates, op.shape, strict=True)):
            extent = _value(tensor.extent(axis), self.extents)
            step = 1 if at.indexing is Indexing.FIRST else size
            own = isinstance(at, RegionOp)
            found.append(((size, self.place(term, size, step, extent, own)),))
        return tuple(found)

    def place(self, term: Term | None, size: int, step: int, extent: int | None, own: bool) -> Along | None:
        """What an axis stands for whose tile begins at `term * step`; of a region, also where that is one element."""
        if term is None:
            return HERE._replace(covers=False) if size > 1 else None
        start = term * step
        if size == 1 and not own:
            self.one_place(start)
            return None
        if (point := self.point_of(start, size)) is not None:
            own_place = sym(next(name for name, (axis, _) in self.points.items() if axis == point)) * size
            shift = poly(start - own_place).items()
            if step == 1 or size == 1 or all(self.whole_tiles(atoms, factor, step) for atoms, factor in shift):
                self.found.spans.add((point, size, extent))
                return Along("point", point)
            if not self.turns(term):  # so many tiles away, which is nearer with shorter ones
                self.found.unclear = True
        if self.turns(term):
            self.found.ones |= self.other_steps(start)
            return self.walk(start, step)
        for name in term.symbols() & self.points.keys():
            self.found.whole.add(self.points[name][0])
        number = term.value if term.is_const else -1
        return Along("place", number, covers=number == 0 and extent is not None and extent <= size)

    def stored(self, value: tuple[Axis, ...], region: tuple[Axis, ...]) -> None:
        """A tile that goes to a region stands for the region's places, or for the same everywhere."""
        if len(value) != len(region):
            self.blame(factor[1] for axis in (*value, *region) for factor in axis)
            return
        for axis, to in zip(value, region, strict=True):
            wanted = to[0][1]
            if wanted is not None and wanted.kind == "place" and not wanted.covers:
                self.found.unclear = True
            for number, (_, along) in enumerate(axis):
                if along is not None and (along != wanted or number):
                    self.blame([along, wanted])
                    if wanted is not None and wanted.kind == "loop":  # tiles of another turn, or one for all turns
                        self.found.unclear = True


def _value(term: Term, extents: Mapping[str, int]) -> int | None:
    try:
        return term.evaluate(extents)
    except (KeyError, ZeroDivisionError):
        return None
