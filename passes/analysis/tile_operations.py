"""
What operations make of the axes of tiles: what their elements stand for behind one, and where they meet.

Two axes that meet in a way which depends on how long the tile is ask something of it, which is noted
(`analysis.tile_meaning`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Final

from xdsl.ir import SSAValue

from freehold.dialects.cuda_tile.op import TileOp
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, CmpIOp, SubIOp
from freehold.dialects.cuda_tile.ops.mma import Mma
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp, ScanOp
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, IotaOp, PermuteOp, ReshapeOp, SelectOp
from freehold.dialects.cuda_tile.types import TileType
from freehold.dialects.ownership import KernelOp
from freehold.passes.analysis.assumed import NOBODY, Assumed
from freehold.passes.analysis.facts import KernelFacts
from freehold.passes.analysis.launch_values import required
from freehold.passes.analysis.sums_of_parts import adds, only_added, repeats
from freehold.passes.analysis.tile_axes import (
    COUNT,
    HERE,
    LOOP,
    Along,
    Axis,
    Factor,
    TileMeaning,
    all_along,
    counting,
    dims_of,
    plain,
)
from freehold.passes.analysis.tile_places import TilePlaces
from freehold.passes.prover.polynomials import poly, to_term
from freehold.support.terms import Term, const

_ELEMENTWISE: Final = frozenset({"Floating Point", "Integer", "Bitwise", "Conversions"})


class TileOperations(TilePlaces):
    """What is known of the axes of each tile, and of the numbers in it, as operations make it."""

    def __init__(self, kernel: KernelOp, facts: KernelFacts):
        super().__init__(required(kernel))
        self.facts = facts
        self.assumed = Assumed(facts)
        self.found = TileMeaning()
        self.axes: dict[SSAValue, tuple[Axis, ...]] = {}
        self.scalars: dict[SSAValue, Term] = {}
        """Tiles whose elements are all one integer."""
        self.lengths: set[int] = set()
        """Axes that have to be whole, as what counts elements is as long as their tiles: another may be meant."""
        self.filled: set[SSAValue] = set()
        """Tiles whose elements are all one number, known or not."""
        self.numbers: set[SSAValue] = set()
        """Tiles of which each element is its own number in the tile, plus what is the same for all."""
        self.exact: dict[SSAValue, int | None] = {}
        """Tiles of which each element is its own number in the tile, or its place along an axis of the launch."""

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
