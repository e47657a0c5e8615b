"""
Domains: the points of a launch, and where each of them finds its part of every partitioned tensor.

The domain of a launch is that of the partition whose points have the most axes, unless a parameter says it (`Grid`);
the others have its leading ones, and of one with more axes than a grid a point has no part of its own. What a
partition's map computes is written in front of a point's work, as the arithmetic that the verifiers judge.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Final, cast

from freehold.dialects.cuda_tile.ops.control_flow import IfOp, YieldOp
from freehold.dialects.cuda_tile.terms import OF_TERMS
from freehold.dialects.location import location_of
from freehold.dialects.ownership import (
    BlocksAttr,
    BlocksKind,
    DistributeOp,
    EndOp,
    GroupTilesOp,
    OrderAttr,
    OrderKind,
    PartitionOp,
    PartitionType,
    RegionOp,
    RegionType,
    TilesOp,
    tensor_type,
)
from freehold.frontend import errors
from freehold.frontend.arithmetic import arithmetic
from freehold.frontend.context import Context
from freehold.frontend.index_maps import identity
from freehold.frontend.requirements import named_term
from freehold.frontend.schedule import EACH, ROW, Grid, Groups, PartitionSpec
from freehold.frontend.signature import Parameter
from freehold.frontend.syntax import core
from freehold.frontend.typed import Block, Do, Typed
from freehold.frontend.values import INDEX_DTYPE, PositionValue, RegionValue, TensorValue, TileValue
from freehold.support import dtypes, terms
from freehold.support.report import Argument
from freehold.support.span import Span
from freehold.support.terms import Term


class Domain:
    """The points of a launch while they are written: first their regions, then their work, then their distribution."""

    def __init__(
        self,
        c: Context,
        placed: Sequence[TensorValue],
        nodes: Mapping[str, core.Parameter],
        grids: Sequence[tuple[Parameter, Grid]] = (),
    ):
        self.c = c
        self.grid = grids[0] if grids else None
        """The parameter that says the domain, where one does."""
        self.placed: Final = list(placed)
        """The tensors that a partition was given for, or in their place their windows."""
        self.counts: Final[set[Do]] = set()
        """The numbers of regions that maps ask for."""
        for tensor in placed:
            tensor.domain = self
        self.nodes = nodes
        self.block = Block()
        """What a point does."""
        self.work = self.block
        """Where its work is written: in the block, or in a branch of it."""
        self.schedule: PartitionSpec | Grid
        """Whose order and blocks are the launch's."""
        self.domain: tuple[Term, ...] = ()
        """The extents of the points' index space."""
        self.fits = (self._one_grid(grids) if grids else bool(placed)) and self._one_schedule()
        if not self.fits:
            return
        specs = [_spec(t) for t in placed]
        self.extents = [s.domain(_extents(t), _groups(t)) for t, s in zip(placed, specs, strict=True)]
        if self.grid is not None:
            self.block = self.work = self._points(len(self.domain), ())
            self.fits = not [t for t in placed if not self._reaches(t)]
            self._bands(grids[0][0], len(self.domain))
            return
        ranks = [len(e) for e in self.extents]
        # Of equals, one that is written: its index space needs no words.
        self.leader = min(range(len(placed)), key=lambda n: (-ranks[n], not _is_region(placed[n])))
        self._bands(placed[self.leader].parameter, ranks[self.leader])
        self.block = self.work = self._points(ranks[self.leader], specs[self.leader].point_map.names)

    def _one_grid(self, grids: Sequence[tuple[Parameter, Grid]]) -> bool:
        """Whether a kernel says its domain once, in numbers that the launcher knows; reports it if not."""
        c = self.c
        (first, grid), *others = grids
        for second, _ in others:
            error = errors.NoPartition(
                second.span or Argument(second.name, c.kernel),
                what=f"`{second.name}` and `{first.name}` are both grids",
                why="a launch has one set of points",
            )
            c.error(error.add(error.Instead("leave one out, and give the other all axes: `fh.Grid(..., ...)`")))
        found = [named_term(c, text, self.nodes[first.name]) for text in grid.extents]
        self.domain = tuple(t for t in found if t is not None)
        return not others and len(self.domain) == len(found)

    def _reaches(self, tensor: TensorValue) -> bool:
        """Whether a partition goes with a grid: it has no more axes, or no words of its own about where points are."""
        spec = _spec(tensor)
        axes = len(spec.point_map.domain)
        if spec.map is not None and spec.map.domain != identity(len(spec.shared)).domain:
            self._reject(
                tensor,
                f"the partition of `{tensor.name}` has a domain of its own, and the launch has a grid",
                "a launch has one set of points",
                "leave out `grid=`, or the map that has a domain",
            )
            return False
        if axes <= len(self.domain) or spec.plain:
            return True
        self._reject(
            tensor,
            f"the partition of `{tensor.name}` speaks of points with {axes} axes, and the grid has {len(self.domain)}",
            "a point's place in it is computed from the point's own coordinates",
            f"give the grid as many axes, or take regions by name: `{tensor.name}.at(...)`",
        )
        return False

    def has_place(self, tensor: TensorValue) -> bool:
        """Whether a point has a place of its own in a tensor: not where the partition has more axes than the grid."""
        return self.grid is None or not self.fits or len(_spec(tensor).point_map.domain) <= len(self.domain)

    def _one_schedule(self) -> bool:
        """Whether the partitions share their order and blocks; reports it if not."""
        if self.grid is not None:
            return self._schedule_of_grid(*self.grid)
        first = self.placed[0]
        spec = self.schedule = _spec(first)
        for tensor in self.placed[1:]:
            other = _spec(tensor)
            if (other.order, other.blocks, other.count) != (spec.order, spec.blocks, spec.count):
                blocks = spec.count or f"fh.{spec.blocks.name}"
                self._reject(
                    tensor,
                    f"the partitions of `{tensor.name}` and `{first.name}` differ in their order or blocks",
                    "one schedule serves the whole launch",
                    f"give both the same: `order=fh.{spec.order}, blocks={blocks}`",
                )
                return False
        return True

    def _schedule_of_grid(self, parameter: Parameter, grid: Grid) -> bool:
        """Whether whoever asks for a schedule, the grid or partitions, asks for the same one; reports it if not."""
        self.schedule = grid
        for tensor in self.placed:
            spec = _spec(tensor)
            asked, known = ((s.order, s.blocks, s.count) for s in (spec, self.schedule))
            if asked in (known, (ROW, EACH, 0)):
                continue
            if known != (ROW, EACH, 0):
                blocks = spec.count or f"fh.{spec.blocks.name}"
                self._reject(
                    tensor,
                    f"the partition of `{tensor.name}` has another order or other blocks than the launch",
                    "one schedule serves the whole launch",
                    f"say it once: `{parameter.name}=fh.Grid(..., order=fh.{spec.order}, blocks={blocks})`",
                )
                return False
            self.schedule = spec
        return True

    def _bands(self, place: Parameter, rank: int) -> None:
        """Sees that there are bands of rows, where the order goes by them."""
        if self.schedule.order.kind != "grouped" or rank >= 2:
            return
        error = errors.NoPartition(
            place.span or Argument(place.name, self.c.kernel),
            what=f"`{place.name}` has {'one axis' if rank else 'no axis'}, and a grouped order needs two",
            why="bands of rows are walked column by column",
        )
        self.c.error(error.add(error.Instead("leave out `order=`")))
        self.fits = False

    def _points(self, rank: int, names: Sequence[str]) -> Block:
        """A block with a point's coordinates."""
        block = Block()
        for axis in range(rank):
            self.c.argument(block, INDEX_DTYPE, (), names[axis] if axis < len(names) else None)
        return block

    def begin(self) -> None:
        """Writes what comes before a point's work: its places, and the branch in which it does anything at all."""
        if not self.fits:
            return
        c = self.c
        for tensor in self.placed:
            point_map = _spec(tensor).map
            if _is_region(tensor) and point_map is not None and point_map.place is not None:
                cast(Do, tensor.handle.maker).place = location_of(point_map.place.span)
        with c.into(self.block):
            placed = [tensor for tensor in self.placed if self.has_place(tensor)]
            places = [self._place(tensor) for tensor in placed]
            condition = self._condition(placed, places)
            if condition is not None:
                self.work = Block()
                c.add(IfOp, condition, [], self.work)
        with c.into(self.work):
            for tensor, values in zip(placed, places, strict=True):
                self._take(tensor, values)

    def take(self, tensor: TensorValue, window: TensorValue) -> None:
        """Puts the first window of a tensor in its place, whose own region nobody has used; others come beside it."""
        extents = _spec(window).domain(_extents(window), _groups(window))
        if tensor in self.placed:
            number = self.placed.index(tensor)
            if tensor.region is not None:
                cast(Do, tensor.region.var.maker).drop()
            self.placed[number], self.extents[number] = window, extents
        else:
            self.placed.append(window)
            self.extents.append(extents)
        if self.has_place(window):
            self._take(window, self._place(window))

    def finish(self, end: core.Node) -> None:
        """Writes what comes after a point's work."""
        c = self.c
        with c.at(end):
            if self.work is not self.block:
                with c.into(self.work):
                    c.add(YieldOp)
            with c.into(self.block):
                c.add(EndOp)
        # A kernel that names regions itself takes no others.
        for tensor in self.placed:
            if tensor.region is None or len(self.regions(tensor)) < 2:
                continue
            if not self.is_used(tensor.region):
                cast(Do, tensor.region.var.maker).drop()

    def regions(self, tensor: TensorValue) -> list[Do]:
        """What takes a region of a tensor."""
        return [do for do in self.block.walk() if do.make is RegionOp and do.args[0] is tensor.handle]

    def is_used(self, region: RegionValue) -> bool:
        """Whether anything is done with a region."""
        return any(region.var in do.operands for do in self.block.walk())

    def distribute(self) -> None:
        """Writes the operation that hands the points to tile blocks."""
        spec = self.schedule
        order = OrderAttr(OrderKind(spec.order.kind), spec.order.size)
        blocks = BlocksAttr(BlocksKind(spec.blocks.value), spec.count)
        regions = [t for t in self.placed if _is_region(t)]
        if self.grid is not None:
            domain = [str(extent) for extent in self.domain]
        elif _is_region(self.placed[self.leader]) and all(_spec(t).plain for t in regions):
            domain = None
        else:
            domain = [str(extent) for extent in self.extents[self.leader]]
        self.c.add(DistributeOp, [t.handle for t in regions], self.block, order, blocks, domain)

    def axes_of(self, tensor: TensorValue) -> int | None:
        """How many axes of the domain a tensor's partition speaks of, if not of all. With a grid, that is what the
        coordinates say at which its regions are taken."""
        if self.grid is not None:
            return None
        axes = len(_spec(tensor).point_map.domain)
        return axes if axes < len(self.block.args) else None

    # Places

    def _place(self, tensor: TensorValue) -> dict[str, TileValue]:
        """The values of the symbols of a tensor's map."""
        c, spec = self.c, _spec(tensor)
        points = (TileValue(a, INDEX_DTYPE, ()) for a in self.block.args)
        values = {f"point[{n}]": p for n, p in zip(range(len(spec.point_map.domain)), points, strict=False)}
        used = {name for t in (*spec.point_map.region, spec.point_map.where) for name in t.symbols()}
        with self._at(tensor):
            for n, axis in enumerate(spec.shared):
                if spec.groups is None and f"grid[{n}]" in used:
                    count = c.tile(INDEX_DTYPE, (), TilesOp, tensor.handle, axis, spec.step[axis])
                    self.counts.add(cast(Do, count.var.maker))
                    values[f"grid[{n}]"] = count
        return values

    def _condition(self, placed: Sequence[TensorValue], places: Sequence[dict[str, TileValue]]) -> TileValue | None:
        """Whether a point does anything; None where all do."""
        c = self.c
        found: TileValue | None = None
        for tensor, values in zip(placed, places, strict=True):
            spec = _spec(tensor)
            where = spec.point_map.where
            if where == terms.TRUE and spec.groups is None:
                continue
            for other in self.placed:
                apart = other is not tensor and (spec.groups is None or _spec(other).groups != spec.groups)
                if apart and other.parameter.mode == "out" and not _spec(other).partial:
                    left = "`where=` leaves" if spec.groups is None else f"the groups of `{tensor.name}` leave"
                    self._reject(
                        other,
                        f"`{other.name}` is an `Out`, and {left} points of the launch out",
                        "an output is written whole, or its partition says that it is not",
                        f"leave the rest of it as it is: `fh.partition({other.name}, ..., partial=True)`",
                    )
            with self._at(tensor):
                one = _written(c, where, values) if spec.groups is None else self._in_group(tensor, spec.groups, values)
                found = one if found is None else arithmetic(c, "&", found, one)
        return found

    def _in_group(self, tensor: TensorValue, groups: Groups, values: Mapping[str, TileValue]) -> TileValue:
        """Whether there is a region of the point's group as far behind as the point is."""
        c = self.c
        count = c.tile(INDEX_DTYPE, (), GroupTilesOp, tensor.handle, values["point[0]"])
        place = values[f"point[{1 + _spec(tensor).shared.index(groups.axis)}]"]
        return arithmetic(c, "<", place, count)

    def _take(self, tensor: TensorValue, values: Mapping[str, TileValue]) -> None:
        """A tensor's place at the point; of one that is written, the region there, unless the point has many."""
        c, spec = self.c, _spec(tensor)
        with self._at(tensor):
            known = dict(values)
            index = tuple(_written(c, t, known) for t in spec.point_map.region)
            tensor.position = PositionValue(tensor, index, self.axes_of(tensor))
            if _is_region(tensor) and not spec.owned:
                mapped, axes = spec.map is not None or spec.groups is not None, self.axes_of(tensor)
                region = region_of(c, tensor.handle, index, mapped=mapped, axes=axes)
                tensor.region = RegionValue(tensor, region, index)

    def _at(self, tensor: TensorValue) -> AbstractContextManager[None]:
        """Gives what is written the place of a tensor's map, or else of its declaration."""
        c, point_map = self.c, _spec(tensor).map
        declared = c.at(self.nodes[tensor.parameter.written])
        return (
            declared if point_map is None or point_map.place is None else self._placed(declared, point_map.place.span)
        )

    @contextmanager
    def _placed(self, declared: AbstractContextManager[None], span: Span) -> Generator[None]:
        """Gives what is written a place."""
        before = len(self.c.block.body)
        with declared:
            yield
        location = location_of(span)
        for do in self.c.block.body[before:]:
            do.place = location

    def _reject(self, tensor: TensorValue, what: str, why: str, edit: str) -> None:
        place = tensor.parameter.span or Argument(tensor.name, self.c.kernel)
        error = errors.NoPartition(place, what=what, why=why)
        self.c.error(error.add(error.Instead(edit)))


def _spec(tensor: TensorValue) -> PartitionSpec:
    assert tensor.spec.partition is not None
    return tensor.spec.partition


def _is_region(tensor: TensorValue) -> bool:
    """Whether points own regions of a tensor: what is read, or added to, has none."""
    return isinstance(tensor.handle.type, PartitionType)


def _groups(tensor: TensorValue) -> Term | None:
    """How many groups a tensor falls into; None where into none."""
    offsets = offsets_of(tensor.handle)
    return None if offsets is None else tensor_type(offsets).extent(0) - 1


def offsets_of(handle: Typed) -> Typed | None:
    """The offsets that bound the groups of a partition; None where there are none."""
    maker = handle.maker
    if not isinstance(maker, Do) or maker.make is not PartitionOp or len(maker.args) < 3:
        return None
    return cast("Typed | None", maker.args[2])


def region_of(
    c: Context, partition: Typed, index: Sequence[TileValue], *, mapped: bool = False, axes: int | None = None
) -> Typed:
    """Takes the region of a partition at some coordinates."""
    type_ = RegionType(cast(PartitionType, partition.type))
    return c.handle(type_, RegionOp, partition, list(index), mapped=mapped, axes=axes)


def _extents(tensor: TensorValue) -> list[Term]:
    type_ = tensor_type(tensor.argument)
    return [type_.extent(axis) for axis in range(type_.rank)]


def _written(c: Context, t: Term, values: dict[str, TileValue] | Mapping[str, TileValue]) -> TileValue:
    """A term as operations."""
    match t.op:
        case "const":
            return c.constant(t.value, INDEX_DTYPE)
        case "sym":
            return values[t.name]
        case "not":
            return arithmetic(c, "^", _written(c, t.args[0], values), c.constant(True, dtypes.bool_))
        case _:
            a, b = (_written(c, x, values) for x in t.args)
    match t.op:
        case "min" | "max" | "ceildiv":
            return c.tile(INDEX_DTYPE, (), OF_TERMS[t.op], a, b)
        case _:
            return arithmetic(c, {"and": "&", "or": "|"}.get(t.op, t.op), a, b)


def coordinates_at(tensor: TensorValue, index: Sequence[TileValue]) -> tuple[TileValue, ...]:
    """The coordinates of a region of which a point has many: its own, and along the axes that it owns, those named."""
    assert tensor.position is not None
    own, named = iter(tensor.position.index), iter(index)
    spec = _spec(tensor)
    return tuple(next(named if axis in spec.owned else own) for axis in range(len(spec.tile)))
