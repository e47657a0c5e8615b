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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final

from xdsl.ir import Block, Operation, SSAValue

from freehold.dialects.cuda_tile.op import TileOp
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, CmpIOp, DivIOp, MaxIOp, MinIOp, SubIOp
from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, IfOp, LoopOp, YieldOp, ends_of
from freehold.dialects.cuda_tile.ops.mma import Mma
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp, ScanOp
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, IotaOp, PermuteOp, ReshapeOp, SelectOp
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
from freehold.passes.analysis.assumed import NOBODY, Assumed
from freehold.passes.analysis.facts import KernelFacts, analyse
from freehold.passes.analysis.launch_values import required
from freehold.passes.analysis.sums_of_parts import adds, only_added, passes_sums, repeats
from freehold.passes.analysis.tile_axes import (
    COUNT,
    HERE,
    LOOP,
    Along,
    Axis,
    Factor,
    all_along,
    counting,
    dims_of,
    plain,
    points_of,
)
from freehold.passes.analysis.tile_places import TilePlaces
from freehold.passes.prover.polynomials import poly, to_term
from freehold.support.terms import Term, const, sym

_CHANGES: Final = 6
"""How often what is known of an axis of a tile may change."""
_ELEMENTWISE: Final = frozenset({"Floating Point", "Integer", "Bitwise", "Conversions"})


@dataclass
class TileMeaning:
    """What a kernel asks of the tiles of its launch, so that its results do not depend on them."""

    whole: set[int] = field(default_factory=set[int])
    """Axes of the launch that one tile has to cover."""
    ones: set[int] = field(default_factory=set[int])
    """Axes along which tiles have to have one element: the number of a region is a place in a tensor there."""
    counted: set[int] = field(default_factory=set[int])
    """Axes of which the number of a region, or the place where a tile begins, becomes data or decides, and those of
    which each tile adds something of its own to an accumulator: what that means depends on the tile."""
    repeated: set[int] = field(default_factory=set[int], compare=False)
    """Those of the counted ones along which each tile adds something of its own: tiles of one element do, too."""
    unclear: bool = False
    """Whether parts of tensors are combined that no tile of the launch is shown to be right for."""
    spans: set[tuple[int, int, int | None]] = field(default_factory=set[tuple[int, int, int | None]])
    """Axes of the launch, each with the length of a tile that stands for its places, and of the tensor's axis."""
    products: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])
    """Axes that are rows (`m`) or columns (`n`) of a matrix product."""

    def allows(self, tile: Sequence[int], counts: Sequence[int]) -> bool:
        """Whether tiles of these extents are right, of which so many cover each axis of the launch."""
        if self.unclear or self.counted:
            return False
        if any(axis in self.whole and (extent is None or size < extent) for axis, size, extent in self.spans):
            return False  # one tile of the launch has all of the axis, and not all of another tensor's that goes along
        return all(counts[axis] == 1 for axis in self.whole) and all(tile[axis] == 1 for axis in self.ones)


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


class _Walk(TilePlaces):
    """One walk over a kernel, with what is known of the axes of each tile."""

    def __init__(self, kernel: KernelOp, facts: KernelFacts, tile: Sequence[int], extents: Mapping[str, int]):
        super().__init__(required(kernel))
        self.facts = facts
        self.assumed = Assumed(facts)
        self.tile = tile
        self.extents = extents
        self.found = TileMeaning()
        self.axes: dict[SSAValue, tuple[Axis, ...]] = {}
        self.scalars: dict[SSAValue, Term] = {}
        """Tiles whose elements are all one integer."""
        self.repeated: set[int] = set()
        """Axes of the launch along which each tile adds to an accumulator what is not a part of the tile."""
        self.lengths: set[int] = set()
        """Axes that have to be whole, as what counts elements is as long as their tiles: another may be meant."""
        self.filled: set[SSAValue] = set()
        """Tiles whose elements are all one number, known or not."""
        self.numbers: set[SSAValue] = set()
        """Tiles of which each element is its own number in the tile, plus what is the same for all."""
        self.exact: dict[SSAValue, int | None] = {}
        """Tiles of which each element is its own number in the tile, or its place along an axis of the launch."""

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
                case TileOp():
                    self.operation(op)
                case _:
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

    def of(self, value: SSAValue) -> tuple[Axis, ...]:
        """The axes of a tile; nothing is known of what was not met."""
        found = self.axes.get(value)
        return plain(dims_of(value)) if found is None else found

    # --- Integers that tell places ------------------------------------------------------------------------------------

    def counted(self, value: SSAValue) -> None:
        """A number that decides or becomes data: notes the axes whose regions or tiles it tells."""
        term = self.scalars.get(value) if dims_of(value) else self.term(value)
        if term is not None:
            self.found.counted |= self.begins(term)

    def term(self, value: SSAValue) -> Term | None:
        """How a scalar is computed of the point, counters and extents; None where that is not known."""
        found = None if dims_of(value) else self.assumed.term(value)
        return None if found is None or NOBODY in found.symbols() else found

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

    # --- Operations on tiles ------------------------------------------------------------------------------------------

    def operation(self, op: TileOp) -> None:
        """One operation."""
        match op:
            case ReshapeOp():
                self.reshape(op)
            case BroadcastOp():
                self.axes[op.results[0]] = self.stretched(op.operands[0], dims_of(op.results[0]))
                self.passed_on(op.operands[0], op.results[0])
            case PermuteOp():
                order = [int(n) for n in op.permutation.get_values()]
                source = self.of(op.operands[0])
                self.axes[op.results[0]] = tuple(source[n] for n in order)
                self.passed_on(op.operands[0], op.results[0])
            case IotaOp():
                self.axes[op.results[0]] = all_along(COUNT, dims_of(op.results[0]))
                self.numbers.add(op.results[0])
                self.exact[op.results[0]] = None
            case ReduceOp() | ScanOp():
                self.fold(op)
            case Mma():
                self.product(op)
            case _:
                self.other(op)

    def passed_on(self, source: SSAValue, result: SSAValue) -> None:
        """A number that fills a tile, or the numbers of its elements."""
        if not dims_of(source) or source in self.filled:
            self.filled.add(result)
        if source in self.numbers:
            self.numbers.add(result)
        if source in self.exact:
            self.exact[result] = self.exact[source]
        term = self.scalars.get(source) if dims_of(source) else self.term(source)
        if term is not None and dims_of(result):
            self.scalars[result] = term

    def reshape(self, op: ReshapeOp) -> None:
        source, result = op.operands[0], op.results[0]
        self.passed_on(source, result)
        left = [factor for axis in self.of(source) for factor in axis if factor[0] > 1]
        found: list[Axis] = []
        for size in dims_of(result):
            axis: list[Factor] = []
            while prod(f[0] for f in axis) < size and left:
                axis.append(self.split(left, size // prod(f[0] for f in axis)))
            found.append(tuple(axis) or ((1, None),))
        self.axes[result] = tuple(found)

    def split(self, left: list[Factor], size: int) -> Factor:
        """The next `size` elements of some axes, or fewer."""
        whole, along = left[0]
        if whole <= size:
            return left.pop(0)
        inner = along
        if along is not None and along.kind == "point":
            sizes = {own for axis, own in self.points.values() if axis == along.number}
            if sizes == {size}:  # several elements beside one another for each of the tile
                inner = HERE
            else:
                self.blame([along])
        elif along is not None:
            self.blame([along])
        left[0] = whole // size, inner
        return size, along

    def fold(self, op: ReduceOp | ScanOp) -> None:
        """A reduction or a scan along an axis."""
        axis = op.dim.value.data
        for operand in op.operands:
            self.counted(operand)
        keeps = isinstance(op, ScanOp)
        if not keeps and not (repeats(op) and self.alike(self.of(op.operands[0])[axis])):
            self.reckoned([self.of(operand)[axis] for operand in op.operands])
        for operand, result in zip(op.operands, op.results, strict=True):
            before = self.of(operand)
            if not before:
                continue
            if keeps or not (adds(op) and only_added(result)):
                self.blame(factor[1] for factor in before[axis])
            own: tuple[Axis, ...] = (self.scanned(before[axis], dims_of(operand)[axis]),) if keeps else ()
            self.axes[result] = (*before[:axis], *own, *before[axis + 1 :])

    def scanned(self, axis: Axis, size: int) -> Axis:
        """What an axis stands for along which elements are put together with those in front of them."""
        if any(along is not None and along.kind == "loop" for _, along in axis):
            return axis  # tile by tile: what was in front of this one is the loop's affair
        return ((size, COUNT if counting(axis) else HERE),)

    def alike(self, axis: Axis) -> bool:
        """Whether a tile has one number many times along an axis."""
        return all(along is None for _, along in axis)

    def reckoned(self, axes: Sequence[Axis]) -> None:
        """What is put together along these axes. A sum of what is repeated is as many times that as the tile is long,
        and so is the last of what counts the tile's elements."""
        if not all(map(counting, axes)):
            return
        sizes, own = [size for size, _ in axes[0]], dict(self.points.values())
        length, lengths = prod(sizes), {1}
        for size in own.values():
            lengths |= {size * other for other in lengths}
        if any(size > 1 and size in lengths for size in (length, *sizes)):
            same = {axis for axis, size in own.items() if size == length}
            if same and not all(map(self.alike, axes)):
                self.lengths |= same
            else:
                self.found.unclear = True

    def product(self, op: Mma) -> None:
        """A matrix product: rows of the one, columns of the other, summed along what they share. Its scales are a
        matrix each, of the same rows and columns."""
        for operand in op.operands:
            self.counted(operand)
        left, right, acc, *scales = (self.of(operand) for operand in op.operands)
        ways = [acc]
        self.reckoned([left[-1], right[-2]])
        for a, b in ((left, right), *([scales] if scales else [])):
            self.blame(along for axis in (a[-1], b[-2]) for _, along in axis)
            for name, axis in (("m", a[-2]), ("n", b[-1])):
                self.found.products |= {(p.number, name) for _, p in axis if p is not None and p.kind == "point"}
            ways.insert(-1, (*a[:-2], a[-2], b[-1]))
        self.axes[op.results[0]] = self.joined(ways)

    def other(self, op: TileOp) -> None:
        """Element by element, as far as that is known of an operation; or else depending on all that it is given."""
        tiles = [o for o in op.operands if isinstance(o.type, TileType)]
        for operand in tiles:
            named = self.placed(op, operand) if dims_of(operand) else any(map(self.named, op.results))
            if not named:
                self.counted(operand)
        for result in op.results:
            dims = dims_of(result)
            if not dims or not isinstance(result.type, TileType):
                continue
            alike = op.group in _ELEMENTWISE or isinstance(op, SelectOp)
            if alike and all(dims_of(o) in (dims, ()) for o in tiles):
                self.axes[result] = self.shifted(op, self.joined([self.of(o) for o in tiles if dims_of(o)] or [()]))
            elif tiles:
                self.blame(along for o in tiles for axis in self.of(o) for _, along in axis)
                alone = all(counting(axis) for o in tiles for axis in self.of(o))
                self.axes[result] = all_along(COUNT if alone else HERE, dims)
        for region in op.regions:
            for inner in region.blocks:
                self.block(inner)

    def named(self, value: SSAValue) -> bool:
        """Whether a scalar's term says what it is computed from, and is no name of its own."""
        term = self.term(value)
        return term is not None and value not in map(self.facts.symbols.get, term.symbols())

    def placed(self, op: TileOp, start: SSAValue) -> Along | None:
        """What the elements of a result stand for where the numbers of elements in a tile are added to where it begins,
        or they, or the places that they are, are compared with how far it reaches."""
        term = self.scalars.get(start)
        if term is None or not isinstance(op, AddIOp | CmpIOp):
            return None
        if isinstance(op, CmpIOp) and (point := self.stop(term)) is not None:
            return Along("point", point) if any(self.exact.get(o) == point for o in op.operands) else None
        number = next((o for o in op.operands if o in self.numbers), None)
        if number is None or number is start:
            return None
        size = next((size for (size, along), *_ in self.of(number) if along is not None), 1)
        point = self.point_of(term, size, 1 if isinstance(op, AddIOp) else -1) if size > 1 else None
        if point is None and isinstance(op, CmpIOp) and number in self.exact:
            point = self.reach(term)
        if point is not None:
            return Along("point", point)
        first = term if isinstance(op, AddIOp) else const(0) - term
        walked = any(factor == size > 1 and self.turns(to_term({atoms: 1})) for atoms, factor in poly(first).items())
        if not walked and not (isinstance(op, AddIOp) and self.turns(term)):
            return None
        self.found.ones |= self.other_steps(first)
        return self.walk(first, 1) if walked else LOOP

    def shifted(self, op: TileOp, axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
        """Numbers of elements in a tile, added to where it begins, are numbers of elements of the tensor."""
        start = next((o for o in op.operands if o in self.filled), None)
        number = next((o for o in op.operands if o in self.numbers), None)
        if start is None or number is None or start is number:
            return axes
        if (along := self.placed(op, start)) is None:
            if isinstance(op, AddIOp) or (isinstance(op, SubIOp) and op.operands[0] is number):
                self.numbers.add(op.results[0])
            return axes
        if isinstance(op, AddIOp) and number in self.exact and (point := self.first(self.scalars[start])) is not None:
            self.exact[op.results[0]] = point
        return tuple(
            ((axis[0][0], along), *axis[1:]) if axis[0][1] is not None and len(axis) == 1 else axis for axis in axes
        )

    # --- Where they meet ----------------------------------------------------------------------------------------------

    def stretched(self, value: SSAValue, shape: Sequence[int]) -> tuple[Axis, ...]:
        """The axes of a tile that is repeated along those where it has one element."""
        dims = dims_of(value)
        if len(dims) != len(shape):
            return plain(shape)
        pairs = zip(self.of(value), dims, shape, strict=True)
        return tuple(axis if own == size else ((size, None),) for axis, own, size in pairs)

    def joined(self, ways: Sequence[tuple[Axis, ...]]) -> tuple[Axis, ...]:
        """What axes stand for, of tiles of one shape that meet element by element."""
        found = ways[0]
        for other in ways[1:]:
            if len(other) == len(found):
                found = tuple(map(self.met, found, other))
        self.blame_twice(found)
        return found

    def blame_twice(self, axes: tuple[Axis, ...]) -> None:
        """Pairs of elements of a tile, which are not all the pairs that there are of the elements of a tensor."""
        each = [{a.number for _, a in axis if a is not None and a.kind == "point"} for axis in axes]
        self.found.whole |= {n for k, found in enumerate(each) for n in found if any(n in more for more in each[:k])}

    def met(self, first: Axis, second: Axis) -> Axis:
        if first == second or all(along is None for _, along in second):
            return first
        if all(along is None for _, along in first):
            return second
        if [size for size, _ in first] != [size for size, _ in second]:
            self.blame(along for _, along in (*first, *second))
            return ((prod(size for size, _ in first), HERE),)
        pairs = zip(first, second, strict=True)
        return tuple((size, self.one(a, b)) for (size, a), (_, b) in pairs)

    def one(self, a: Along | None, b: Along | None) -> Along | None:
        """What two factors stand for together."""
        if a == b or b is None:
            return a
        if a is None:
            return b
        a, b = (HERE if along == COUNT else along for along in (a, b))
        if a.kind == b.kind == "place" and a.number == b.number:
            return a._replace(covers=a.covers and b.covers)
        if "loop" not in (a.kind, b.kind) or "point" in (a.kind, b.kind):
            self.blame([a, b])
        return LOOP if "loop" in (a.kind, b.kind) else HERE

    def blame(self, what: Iterable[Along | None]) -> None:
        """These elements are combined with others of their tile: it has to have all that there are."""
        for along in what:
            if along is not None and along.kind == "point":
                self.found.whole.add(along.number)
            elif along is not None and along.kind == "place" and not along.covers:
                self.found.unclear = True


def _value(term: Term, extents: Mapping[str, int]) -> int | None:
    try:
        return term.evaluate(extents)
    except (KeyError, ZeroDivisionError):
        return None
