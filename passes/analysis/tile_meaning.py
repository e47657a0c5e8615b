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
they walk along all of what they are meant to walk along.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final, NamedTuple

from xdsl.ir import Block, Operation, SSAValue

from freehold.dialects.cuda_tile.op import TileOp
from freehold.dialects.cuda_tile.ops.arith_float import AddFOp
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, DivIOp, MaxIOp, MinIOp, SubIOp
from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, IfOp, LoopOp, YieldOp, ends_of
from freehold.dialects.cuda_tile.ops.mma import Mma
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp, ScanOp
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, IotaOp, PermuteOp, ReshapeOp, SelectOp
from freehold.dialects.cuda_tile.types import TileType
from freehold.dialects.ownership import AccessOp, Action, DistributeOp, Indexing, KernelOp, RegionOp, tensor_type
from freehold.passes.analysis.assumed import NOBODY, Assumed
from freehold.passes.analysis.facts import KernelFacts, analyse
from freehold.passes.prover.polynomials import poly
from freehold.support.terms import Term


class Along(NamedTuple):
    """What the elements along an axis of a tile stand for."""

    kind: str
    """`point`: the places that the tile block's point has along axis `number` of the launch. `loop`: those that a loop
    comes by. `place`: tile `number` of the axis, for all points alike."""
    number: int = 0
    covers: bool = True
    """Of a place: whether it is all of the axis."""


Factor = tuple[int, Along | None]
"""A number of elements, and what they stand for; None: for nothing, they are all alike or reckoned by themselves."""
Axis = tuple[Factor, ...]
"""An axis of a tile; one that was made of several has a factor for each, the slowest first."""

_LOOP: Final = Along("loop")
_HERE: Final = Along("place")
_ELEMENTWISE: Final = frozenset({"Floating Point", "Integer", "Bitwise", "Conversions"})


@dataclass
class TileMeaning:
    """What a kernel asks of the tiles of its launch, so that its results do not depend on them."""

    whole: set[int] = field(default_factory=set[int])
    """Axes of the launch that one tile has to cover."""
    ones: set[int] = field(default_factory=set[int])
    """Axes along which tiles have to have one element: the number of a region is a place in a tensor there."""
    counted: set[int] = field(default_factory=set[int])
    """Axes of which the number of a region becomes data, or decides: what that means depends on the tile."""
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
    walk = _Walk(facts or analyse(kernel), tile, extents)
    walk.block(kernel.body.block)
    return walk.found


class _Walk:
    """One walk over a kernel, with what is known of the axes of each tile."""

    def __init__(self, facts: KernelFacts, tile: Sequence[int], extents: Mapping[str, int]):
        self.facts = facts
        self.assumed = Assumed(facts)
        self.tile = tile
        self.extents = extents
        self.found = TileMeaning()
        self.axes: dict[SSAValue, tuple[Axis, ...]] = {}
        self.scalars: dict[SSAValue, Term] = {}
        """Tiles whose elements are all one integer."""
        self.raw: dict[SSAValue, set[int]] = {}
        """Those whose integer counts regions, by the axes."""
        self.points: dict[str, tuple[int, int]] = {}
        """The symbols of the point: their axes, and how many elements a tile has there."""
        self.counters: set[str] = set()

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
        carried, turns = op.carried, ends_of(op, ContinueOp)
        for argument, value in zip(carried, op.initValues, strict=True):
            self.axes[argument] = self.of(value)
            self.counted(value)
        for _ in range(3):
            self.block(op.block)
            before = [self.axes[argument] for argument in carried]
            for end in turns:
                for argument, value in zip(carried, end.operands, strict=True):
                    self.axes[argument] = self.joined([self.axes[argument], self.of(value)])
                    self.counted(value)
            if before == [self.axes[argument] for argument in carried]:
                break
        ways = [end.operands for end in (ends_of(op, BreakOp) if isinstance(op, LoopOp) else turns)]
        ways += [] if isinstance(op, LoopOp) else [op.initValues]
        for n, result in enumerate(op.results):
            self.axes[result] = self.joined([self.of(way[n]) for way in ways] or [self.of(result)])

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
        return _plain(_dims(value)) if found is None else found

    # --- Integers that tell places ------------------------------------------------------------------------------------

    def counted(self, value: SSAValue) -> None:
        """A scalar that decides or becomes data: notes the axes whose regions it counts, rather than elements."""
        self.found.counted |= self.raw.get(value, set())
        if (term := self.term(value)) is not None:
            self.found.counted |= self.counts(term)

    def term(self, value: SSAValue) -> Term | None:
        """How a scalar is computed of the point, counters and extents; None where that is not known."""
        found = None if _dims(value) else self.assumed.term(value)
        return None if found is None or NOBODY in found.symbols() else found

    def counts(self, term: Term) -> set[int]:
        """The axes whose coordinates are in a term other than as the tile's first element."""
        found: set[int] = set()
        for atoms, factor in poly(term).items():
            for atom in atoms:
                if atom.op != "sym":
                    for part in atom.args:
                        found |= self.counts(part)
                elif atom.name in self.points:
                    axis, size = self.points[atom.name]
                    if factor % size:
                        found.add(axis)
        return found

    def point_of(self, term: Term, size: int) -> int | None:
        """The axis of the launch whose tiles of `size` elements begin at a term."""
        for atoms, factor in poly(term).items():
            if len(atoms) == 1 and atoms[0].op == "sym" and atoms[0].name in self.points and factor == size:
                return self.points[atoms[0].name][0]
        return None

    def turns(self, term: Term) -> bool:
        """Whether a term changes from turn to turn of a loop."""
        return bool(term.symbols() & self.counters)

    # --- Accesses -----------------------------------------------------------------------------------------------------

    def access(self, op: AccessOp) -> None:
        """Where a tile is from, or goes to."""
        if isinstance(op, RegionOp):
            return
        if op.indexing is Indexing.EACH:
            axes = self.joined([self.stretched(place, op.shape) for place in op.places])
            for place in op.places:
                self.found.ones |= self.raw.get(place, set())
        elif op.indexing is Indexing.OWN:
            axes = self.places(op, op.memory.owner) if isinstance(op.memory.owner, RegionOp) else ()
        else:
            axes = self.places(op, op)
        if op.ACTION is Action.READ:
            for result in op.results:
                if isinstance(result.type, TileType):
                    self.axes[result] = axes or _places(result.type.dims)
            return
        self.counted(op.operands[0])
        if op.indexing is not Indexing.EACH:
            self.stored(self.of(op.operands[0]), axes)

    def places(self, op: AccessOp, at: AccessOp) -> tuple[Axis, ...]:
        """What the axes of a tile stand for that is accessed at the places of `at`."""
        tensor, found = tensor_type(op.memory), list[Axis]()
        coordinates = [self.term(place) for place in at.places]
        if len(coordinates) != len(op.shape):  # of groups
            self.found.unclear = True
            return _places(op.shape)
        for axis, (term, size) in enumerate(zip(coordinates, op.shape, strict=True)):
            extent = _value(tensor.extent(axis), self.extents)
            step = 1 if at.indexing is Indexing.FIRST else size
            own = isinstance(at, RegionOp)
            found.append(((size, self.place(term, size, step, extent, own)),))
        return tuple(found)

    def place(self, term: Term | None, size: int, step: int, extent: int | None, own: bool) -> Along | None:
        """What an axis stands for whose tile begins at `term * step`; of a region, also where that is one element."""
        if term is None:
            return _HERE._replace(covers=False) if size > 1 else None
        start = term * step
        if size == 1 and not own:
            if not self.turns(term):
                self.found.ones |= self.counts(start)
            return None
        if (point := self.point_of(start, size)) is not None:
            self.found.spans.add((point, size, extent))
            return Along("point", point)
        if self.turns(term):
            return _LOOP
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

    # --- Operations on tiles ------------------------------------------------------------------------------------------

    def operation(self, op: TileOp) -> None:
        """One operation."""
        match op:
            case ReshapeOp():
                self.reshape(op)
            case BroadcastOp():
                self.axes[op.results[0]] = self.stretched(op.operands[0], _dims(op.results[0]))
                self.passed_on(op.operands[0], op.results[0])
            case PermuteOp():
                order = [int(n) for n in op.permutation.get_values()]
                source = self.of(op.operands[0])
                self.axes[op.results[0]] = tuple(source[n] for n in order)
            case IotaOp():
                self.axes[op.results[0]] = _places(_dims(op.results[0]))
            case ReduceOp() | ScanOp():
                self.fold(op)
            case Mma():
                self.product(op)
            case _:
                self.other(op)

    def passed_on(self, source: SSAValue, result: SSAValue) -> None:
        """An integer that fills a tile."""
        term = self.scalars.get(source) if _dims(source) else self.term(source)
        if term is not None and _dims(result):
            self.scalars[result] = term
            if counts := self.counts(term):
                self.raw[result] = counts

    def reshape(self, op: ReshapeOp) -> None:
        source, result = op.operands[0], op.results[0]
        self.passed_on(source, result)
        left = [factor for axis in self.of(source) for factor in axis if factor[0] > 1]
        found: list[Axis] = []
        for size in _dims(result):
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
                inner = _HERE
            else:
                self.blame([along])
        elif along is not None:
            self.blame([along])
        left[0] = whole // size, inner
        return size, along

    def fold(self, op: ReduceOp | ScanOp) -> None:
        """A reduction or a scan along an axis."""
        axis = op.dim.value.data
        keeps = isinstance(op, ScanOp)
        for operand, result in zip(op.operands, op.results, strict=True):
            before = self.of(operand)
            if not before:
                continue
            if keeps or not (_adds(op) and _only_added(result)):
                self.blame(factor[1] for factor in before[axis])
            own: tuple[Axis, ...] = (((_dims(operand)[axis], _HERE),),) if keeps else ()
            self.axes[result] = (*before[:axis], *own, *before[axis + 1 :])

    def product(self, op: Mma) -> None:
        """A matrix product: rows of the one, columns of the other, summed along what they share."""
        left, right, acc = (self.of(operand) for operand in op.operands[:3])
        self.blame(along for axis in (left[-1], right[-2]) for _, along in axis)
        for name, axis in (("m", left[-2]), ("n", right[-1])):
            self.found.products |= {(a.number, name) for _, a in axis if a is not None and a.kind == "point"}
        self.axes[op.results[0]] = self.joined([(*left[:-2], left[-2], right[-1]), acc])

    def other(self, op: TileOp) -> None:
        """Element by element, as far as that is known of an operation; or else depending on all that it is given."""
        tiles = [o for o in op.operands if isinstance(o.type, TileType)]
        for operand in tiles:
            if _dims(operand) and operand in self.raw:
                self.counted(operand)
            if not _dims(operand) and not any(self.term(result) for result in op.results):
                self.counted(operand)
        for result in op.results:
            dims = _dims(result)
            if not dims or not isinstance(result.type, TileType):
                continue
            alike = op.group in _ELEMENTWISE or isinstance(op, SelectOp)
            if alike and all(_dims(o) in (dims, ()) for o in tiles):
                self.axes[result] = self.shifted(op, self.joined([self.of(o) for o in tiles if _dims(o)] or [()]))
            elif tiles:
                self.blame(along for o in tiles for axis in self.of(o) for _, along in axis)
                self.axes[result] = _places(dims)
        for region in op.regions:
            for inner in region.blocks:
                self.block(inner)

    def shifted(self, op: TileOp, axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
        """Numbers of elements in a tile, added to where it begins, are numbers of elements of the tensor."""
        start = next((self.scalars[o] for o in op.operands if o in self.scalars), None)
        if not isinstance(op, AddIOp) or start is None:
            return axes
        found: list[Axis] = []
        for axis in axes:
            size, along = axis[0]
            if along is not None and along.kind == "place" and len(axis) == 1:
                if (point := self.point_of(start, size)) is not None:
                    along = Along("point", point)
                elif self.turns(start):
                    along = _LOOP
            found.append(((size, along), *axis[1:]))
        return tuple(found)

    # --- Where they meet ----------------------------------------------------------------------------------------------

    def stretched(self, value: SSAValue, shape: Sequence[int]) -> tuple[Axis, ...]:
        """The axes of a tile that is repeated along those where it has one element."""
        dims = _dims(value)
        if len(dims) != len(shape):
            return _plain(shape)
        pairs = zip(self.of(value), dims, shape, strict=True)
        return tuple(axis if own == size else ((size, None),) for axis, own, size in pairs)

    def joined(self, ways: Sequence[tuple[Axis, ...]]) -> tuple[Axis, ...]:
        """What axes stand for, of tiles of one shape that meet element by element."""
        found = ways[0]
        for other in ways[1:]:
            if len(other) == len(found):
                found = tuple(map(self.met, found, other))
        return found

    def met(self, first: Axis, second: Axis) -> Axis:
        if first == second or all(along is None for _, along in second):
            return first
        if all(along is None for _, along in first):
            return second
        if [size for size, _ in first] != [size for size, _ in second]:
            self.blame(along for _, along in (*first, *second))
            return ((prod(size for size, _ in first), _HERE),)
        pairs = zip(first, second, strict=True)
        return tuple((size, self.one(a, b)) for (size, a), (_, b) in pairs)

    def one(self, a: Along | None, b: Along | None) -> Along | None:
        """What two factors stand for together."""
        if a == b or b is None:
            return a
        if a is None:
            return b
        if a.kind == b.kind == "place" and a.number == b.number:
            return a._replace(covers=a.covers and b.covers)
        if "loop" not in (a.kind, b.kind) or "point" in (a.kind, b.kind):
            self.blame([a, b])
        return _LOOP if "loop" in (a.kind, b.kind) else _HERE

    def blame(self, what: Iterable[Along | None]) -> None:
        """These elements are combined with others of their tile: it has to have all that there are."""
        for along in what:
            if along is not None and along.kind == "point":
                self.found.whole.add(along.number)
            elif along is not None and along.kind == "place" and not along.covers:
                self.found.unclear = True


def _dims(value: SSAValue) -> tuple[int, ...]:
    return value.type.dims if isinstance(value.type, TileType) else ()


def _plain(dims: Sequence[int]) -> tuple[Axis, ...]:
    return tuple(((size, None),) for size in dims)


def _places(dims: Sequence[int]) -> tuple[Axis, ...]:
    return tuple(((size, _HERE if size > 1 else None),) for size in dims)


def _value(term: Term, extents: Mapping[str, int]) -> int | None:
    try:
        return term.evaluate(extents)
    except (KeyError, ZeroDivisionError):
        return None


def _adds(op: ReduceOp | ScanOp) -> bool:
    """Whether it is a sum."""
    ops = [*op.regions[0].block.ops]
    return len(ops) == 2 and isinstance(ops[0], AddFOp | AddIOp)


def _only_added(value: SSAValue) -> bool:
    """Whether a sum goes nowhere but to sums that all tile blocks share: then it may as well be of parts."""
    users = [use.operation for use in value.uses]
    return bool(users) and all(
        (isinstance(u, AccessOp) and u.commuting is not None)
        or (isinstance(u, ReshapeOp | BroadcastOp) and _only_added(u.results[0]))
        or (u.name in ("cuda_tile.ftof", "cuda_tile.itof") and _only_added(u.results[0]))
        or (isinstance(u, ReduceOp) and _adds(u) and _only_added(u.results[0]))
        for u in users
    )
