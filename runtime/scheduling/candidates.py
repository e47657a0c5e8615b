"""Which schedules of a launch are worth a look: tiles that the kernel accepts, under which it means the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from freehold.frontend.schedule import EACH, MAX_ELEMENTS, PERSISTENT, ROW, Blocks, Choice, Order, grouped
from freehold.passes.analysis.facts import KernelFacts, analyse
from freehold.passes.analysis.tile_axes import TileMeaning
from freehold.passes.analysis.tile_meaning import tile_meaning
from freehold.passes.cost import Cost, cost
from freehold.passes.launch_contract import contract, kernel_of
from freehold.runtime.scheduling.problem import Problem, Schedule
from freehold.runtime.scheduling.profile import Profile, profile
from freehold.runtime.variants.evaluation import Evaluator
from freehold.support.diagnostic import Rejected
from freehold.support.terms import Term

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from freehold.dialects.ownership import KernelOp
    from freehold.frontend.signature import Specialisation

T = TypeVar("T")

Verified = Callable[["Specialisation"], "ModuleOp"]
"""Makes the verified module of a variant. Raises `Rejected`."""

MOST: Final = 40
"""How many schedules are compiled to ownership IR for one choice."""
OPEN_INTEGERS: Final = (64, 32, 128)
"""What a constant may be of which nothing is said."""
BAND: Final = 8
"""Rows of a band, in which blocks that run at the same time share what they read."""

_LENGTHS: Final = (4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1)
"""Extents of tiles along the last axis."""
_STARTS: Final = (64, 16, 128, 32, 1, 256, 8)
"""Extents of the last two axes of tiles that are tried until one is accepted."""


@dataclass(frozen=True)
class Candidate:
    """A schedule that the kernel accepts, with what it is known to take."""

    schedule: Schedule
    cost: Cost
    values: Mapping[str, int]
    """What the symbols of the cost stand for."""
    counts: tuple[int, ...]
    """How many tiles there are along each axis of the launch."""
    profile: Profile


class Nothing(Exception):
    """No tile is accepted; `rejected` says why the first was not, if it was refused."""

    def __init__(self, tile: Schedule | None, rejected: Rejected | None, why: str):
        super().__init__(why)
        self.tile = tile
        self.rejected = rejected
        self.why = why


class Candidates:
    """The schedules of one problem."""

    def __init__(self, problem: Problem, verified: Verified, *, admitted: bool = True):
        self.problem = problem
        self.verified = verified
        self.admitted = admitted
        """Whether only schedules are taken whose launch the arrays' extents admit."""
        self.broken = False
        """Whether one was left out because its launch would break a condition."""
        self.caps = {d: 1 << max(0, e - 1).bit_length() for d, e in problem.extents.items()}
        """The extent of a tile that covers all of a dimension."""
        self.last: tuple[str, ...] = problem.dimensions(problem.leader) if problem.open else ()
        self.constants: Mapping[str, Any] = {
            name: (choice.values or OPEN_INTEGERS)[0] for name, choice in problem.constants.items()
        }

    # --- One that is accepted -----------------------------------------------------------------------------------------

    def first(self) -> tuple[Candidate, TileMeaning]:
        """A schedule that the kernel accepts, whatever its speed. Raises `Nothing`."""
        failure: Nothing | None = None
        for schedule in self.starts():
            for _ in range(3):
                try:
                    found = self.look(schedule)
                    longer = None if self.names_tiles() else self.longer(schedule)
                    if longer is None:
                        return found
                    schedule = longer
                except Nothing as nothing:
                    if failure is None or (failure.rejected and not nothing.rejected):
                        failure = nothing
                    if self._asked is not None and self._asked.counted:
                        raise  # with tiles of one element, too, it would not be known what is meant
                    wider = self.wider(schedule)
                    if wider is None:
                        break
                    schedule = wider
        raise failure or Nothing(None, None, "there is nothing to cut")

    def starts(self) -> Iterator[Schedule]:
        """Tiles to begin with: of the last two axes, or of the last alone, and of one element along the others."""
        said = [
            spec.tile for spec in self.problem.open.values() if not isinstance(spec.tile, Choice) or spec.tile.values
        ]
        if said or not self.problem.open:
            for tile in self.given():
                for owned in self.owned():
                    yield self.plain(tile, owned)
            return
        seen: set[tuple[int, ...]] = set()
        for size in _STARTS:
            for axes in (2, 1):
                tile = {d: min(self.caps[d], size) if d in self.last[-axes:] else 1 for d in self.last}
                tile |= {d: min(self.caps[d], size) for d in self.caps if d not in tile}
                if tuple(tile.values()) in seen:
                    continue
                seen.add(tuple(tile.values()))
                for owned in self.owned():
                    yield self.plain(tile, owned)

    def plain(self, tile: Mapping[str, int], owned: tuple[str, ...]) -> Schedule:
        """A schedule with these tiles, the order and the blocks that the call names, and any constants."""
        orders = [o for spec in self.problem.open.values() for o in _said(spec.order, Order)]
        blocks, count = self.blocks()[0]
        return Schedule(tile, owned, orders[0] if orders else ROW, blocks, count, self.constants)

    def given(self) -> list[dict[str, int]]:
        """The tiles that the call names."""
        problem = self.problem
        found: list[dict[str, int]] = [{}]
        for name, spec in problem.open.items():
            dims = problem.dimensions(name)
            tiles = cast("tuple[tuple[int, ...], ...]", _said(spec.tile, tuple))
            if any(len(tile) != len(dims) for tile in tiles):
                raise Nothing(None, None, f"the tile of `{name}` has not as many axes as the array")
            named = [dict(zip(dims, tile, strict=True)) for tile in tiles]
            found = [{**one, **other} for one in found for other in (named or [{}])]
        return [{d: tile.get(d, min(self.caps[d], 64)) for d in self.caps} for tile in found]

    def owned(self) -> tuple[tuple[str, ...], ...]:
        """The dimensions of which a point may have all regions: none, the last, or those that the call names."""
        said = {name: spec.owned for name, spec in self.problem.open.items() if spec.owned is not None}
        if said:
            return (
                tuple(
                    {d: None for name, axes in said.items() for d in (self.problem.dimensions(name)[a] for a in axes)}
                ),
            )
        return ((), self.last[-1:]) if len(self.last) > 1 else ((),)

    def wider(self, schedule: Schedule) -> Schedule | None:
        """The same with axes whole, or of one element, as the kernel was seen to ask; None where it asks nothing."""
        asked = self._asked
        if asked is None:
            return self.agreeing(schedule)
        axes = [d for d in self.last if d not in schedule.owned]
        tile = dict(schedule.tile)
        for axis in asked.ones:
            tile[axes[axis]] = 1
        for axis in asked.whole:
            tile[axes[axis]] = self.caps[axes[axis]]
        if tile == schedule.tile or asked.unclear or asked.counted:
            return None
        return replace(schedule, tile=tile)

    def agreeing(self, schedule: Schedule) -> Schedule | None:
        """The same with axes whole that not all that is written has, as the columns of a matrix beside the sums of its
        rows; None where there are equally many regions already, or not with these either."""
        if self.names_tiles() or self.problem.agrees(schedule):
            return None
        shared = set[str](self.last).intersection(*map(self.problem.dimensions, self.problem.open))
        tile = {d: size if d in shared or d not in self.last else self.caps[d] for d, size in schedule.tile.items()}
        whole = replace(schedule, tile=tile)
        return whole if self.problem.agrees(whole) else None

    def longer(self, schedule: Schedule) -> Schedule | None:
        """
        The same with axes whole along which tiles had one element, and elements are combined; None where none are.

        Of tiles of one element it is not seen that they are combined: each is all of its axis. So tiles of two are
        looked at, too. Raises `Nothing` where with these it is unclear what is meant.
        """
        axes = [d for d in self.last if d not in schedule.owned]
        whole: dict[str, int] = {}
        for axis, d in enumerate((*axes, *schedule.owned)):
            two = replace(schedule, tile={**schedule.tile, d: 2})
            if schedule.tile[d] > 1 or self.caps[d] == 1 or not self.fits(two):
                continue
            try:
                _, _, meaning, _ = self.meant(two)
            except Nothing:
                continue  # it takes tiles of one element alone
            if axis in meaning.ones:
                continue  # ... and so it does here
            if meaning.unclear or axis in meaning.repeated:
                raise Nothing(schedule, None, _why(meaning, axes))
            if axis in meaning.whole:
                whole[d] = self.caps[d]
        return replace(schedule, tile={**schedule.tile, **whole}) if whole else None

    def fits(self, schedule: Schedule) -> bool:
        """Whether there are tiles as large as that."""
        tiles = (self.problem.dimensions(name) for name in self.problem.open)
        return all(prod(schedule.tile[d] for d in dims) <= MAX_ELEMENTS for dims in tiles)

    _asked: TileMeaning | None = None

    def look(self, schedule: Schedule) -> tuple[Candidate, TileMeaning]:
        """Compiles a schedule to ownership IR. Raises `Nothing` where it is refused, or means something else."""
        self._asked = None
        problem = self.problem
        kernel, facts, meaning, evaluator = self.meant(schedule)
        counts = problem.counts(schedule)
        if problem.open and not meaning.allows(problem.tile(schedule), counts):
            self._asked = meaning
            raise Nothing(schedule, None, _why(meaning, [d for d in self.last if d not in schedule.owned]))
        values = self.values(evaluator)
        if self.admitted and (broken := next(broken_by(evaluator, values), None)) is not None:
            self.broken = True
            raise Nothing(schedule, None, f"a launch breaks the condition `{broken}`")
        found = cost(kernel, facts)
        values |= {name: _scalar(problem, position) for name, position in found.scalars.items()}
        values |= dict.fromkeys(found.unknown, 16)
        return Candidate(schedule, found, values, counts, profile(kernel)), meaning

    def meant(self, schedule: Schedule) -> tuple[KernelOp, KernelFacts, TileMeaning, Evaluator]:
        """The kernel with a schedule, what is known of it, what it asks of its tiles, and its launch contract. Raises
        `Nothing` where it is refused."""
        problem = self.problem
        if not self.fits(schedule):
            raise Nothing(schedule, None, f"a tile has at most {MAX_ELEMENTS} elements")
        if not problem.agrees(schedule):
            raise Nothing(schedule, None, "what is written is cut into different numbers of regions")
        try:
            module = self.verified(problem.specialisation(schedule))
        except Rejected as rejected:
            raise Nothing(schedule, rejected, rejected.errors[0].report().title) from None
        kernel = kernel_of(module)
        facts, evaluator = analyse(kernel), Evaluator(contract(module))
        meaning = tile_meaning(kernel, problem.tile(schedule), self.values(evaluator), facts)
        return kernel, facts, meaning, evaluator

    def values(self, evaluator: Evaluator) -> dict[str, int]:
        """The extents of a contract; integers that a launch brings are left out, as no choice depends on them."""
        return extents_of(evaluator, self.problem)

    # --- All of them --------------------------------------------------------------------------------------------------

    def all(self, first: Candidate, meaning: TileMeaning) -> Iterator[Candidate]:
        """The schedules to choose from, in an order that is the same each time."""
        for number, schedule in enumerate(self.schedules(first, meaning)):
            if number == MOST:
                return
            try:
                yield self.look(schedule)[0]
            except Nothing:
                continue

    def schedules(self, first: Candidate, meaning: TileMeaning) -> Iterator[Schedule]:
        """Schedules that may be accepted."""
        base = first.schedule
        if not self.problem.open:
            yield from (replace(base, constants=c) for c in self.constant_values())
            return
        tiles = self.given() if base.tile and self.names_tiles() else self.tiles(first, meaning)
        for tile, values in product(tiles, self.constant_values()):
            schedule = replace(base, tile=tile, constants=values)
            for order, (blocks, count) in product(self.orders(schedule, first), self.blocks()):
                yield replace(schedule, order=order, blocks=blocks, count=count)

    def persistent(self, candidate: Candidate) -> Candidate | None:
        """The same with persistent blocks, where a call leaves that open and it is a matrix product: a block begins to
        load its next tile while it stores the one before."""
        said = any(_said(spec.blocks, Blocks) for spec in self.problem.open.values())
        if said or not self.problem.open or not candidate.profile.multiplies:
            return None
        return replace(candidate, schedule=replace(candidate.schedule, blocks=PERSISTENT))

    def known(self, candidate: Candidate) -> tuple[str, ...]:
        """The dimensions that are compiled in: the length of rows. Nothing has to be compared with it then, and no
        load goes around what overhangs."""
        row, tile = self.last[-1] if self.last else "", candidate.schedule.tile
        if row not in self.problem.whole or not self.along_rows(candidate):
            return ()
        if candidate.profile.waits:
            return (row,)
        asked = sum(t.work.launch.evaluate(candidate.values) or 0 for t in candidate.cost.traffic)
        size = sum(t.size.evaluate(candidate.values) for t in candidate.cost.traffic)
        # A few times 16 bytes a thread of neighbours, each of which is loaded once.
        return (row,) if tile[row] >= 1024 and prod(tile.values()) in (2048, 4096) and asked <= 1.1 * size else ()

    def along_rows(self, candidate: Candidate) -> bool:
        """Whether rows are worked on one by one: each tensor has the axes of what is written, in their order, and
        what is summed is a row that is a tile."""
        profile, row = candidate.profile, self.last[-1] if self.last else ""
        if len(self.last) < 2 or profile.multiplies or profile.turns or candidate.schedule.owned:
            return False
        if profile.waits and candidate.schedule.tile[row] < self.problem.extents[row]:
            return False
        found = (self.problem.dimensions(name) for name in self.problem.shapes)
        return all(dims == tuple(d for d in self.last if d in dims) for dims in found)

    def names_tiles(self) -> bool:
        """Whether the call says which tiles there are."""
        return any(not isinstance(s.tile, Choice) or s.tile.values for s in self.problem.open.values())

    def constant_values(self) -> list[dict[str, Any]]:
        """What open constants may be, together."""
        names = self.problem.constants
        return [dict(zip(names, v, strict=True)) for v in product(*(c.values or OPEN_INTEGERS for c in names.values()))]

    def tiles(self, first: Candidate, meaning: TileMeaning) -> list[dict[str, int]]:
        """Tiles to choose from."""
        base = first.schedule
        axes = [d for d in self.last if d not in base.owned]
        fixed = {axes[n]: base.tile[axes[n]] for n in meaning.whole | meaning.ones}
        if first.profile.multiplies:
            return self._products(base, meaning, axes, fixed)
        return self._elements(first, fixed)

    def _products(
        self, base: Schedule, meaning: TileMeaning, axes: Sequence[str], fixed: Mapping[str, int]
    ) -> list[dict[str, int]]:
        """Of matrix products: what tensor cores take, from the largest tile to the smallest."""
        rows = {axes[n] for n, name in meaning.products if name == "m"}
        columns = {axes[n] for n, name in meaning.products if name == "n"}
        sizes: dict[str, Sequence[int]] = {}
        for d in self.caps:
            cap = self.caps[d]
            if d in fixed:  # a few rows are filled up to what tensor cores take
                sizes[d] = (16, fixed[d]) if 1 < fixed[d] < 16 and axes[-1] != d else (fixed[d],)
            elif d in rows or d in columns:
                wanted = (128, 64, 256) if d in columns else (128, 64)
                sizes[d] = tuple(dict.fromkeys(min(max(cap, 16), s) for s in wanted))
            else:
                sizes[d] = (base.tile[d] if d in base.owned or d not in self.last[:-2] else 1,)
        return self._crossed(sizes)

    def _elements(self, first: Candidate, fixed: Mapping[str, int]) -> list[dict[str, int]]:
        """Of what is computed element by element, or row by row: as long along the last axis as it goes, so that
        threads read neighbours, and a few rows."""
        base = first.schedule
        deep = max(1, first.profile.elements // prod(base.tile.values()))  # what each element is computed from
        sizes: dict[str, Sequence[int]] = {}
        for d, cap in self.caps.items():
            if d in fixed:
                sizes[d] = (fixed[d],)
            elif d == self.last[-1]:
                sizes[d] = tuple(s for s in _LENGTHS if s <= cap and (deep > 1 or s >= min(32, cap)))
            else:
                sizes[d] = (1,) if d in self.last[:-3] else tuple(s for s in (1, 2, 4, 8, 16, 32, 64) if s <= cap)
        found = self._crossed(sizes)
        least = min(512, prod(self.caps.values()) * deep)
        fitting = [t for t in found if least <= prod(t.values()) * deep <= 1 << 14]
        return fitting or sorted(found, key=lambda t: prod(t.values()))[:4] or [dict(base.tile)]

    def _crossed(self, sizes: Mapping[str, Sequence[int]]) -> list[dict[str, int]]:
        return [dict(zip(sizes, chosen, strict=True)) for chosen in product(*sizes.values())]

    def orders(self, schedule: Schedule, first: Candidate) -> tuple[Order, ...]:
        """Bands for products of two free axes; rows for all else."""
        said = [spec.order for spec in self.problem.open.values()]
        if orders := tuple(o for order in said for o in _said(order, Order)):
            return orders
        counts = self.problem.counts(schedule)
        return (grouped(BAND),) if first.profile.multiplies and len(counts) > 1 and min(counts[-2:]) > 1 else (ROW,)

    def blocks(self) -> tuple[tuple[Blocks, int], ...]:
        """A block a region, or persistent ones where the call says so."""
        for spec in self.problem.open.values():
            if found := _said(spec.blocks, Blocks):
                return tuple((b, spec.count) for b in found)
        return ((EACH, 0),)


def extents_of(evaluator: Evaluator, problem: Problem) -> dict[str, int]:
    """The extents that the arrays of a problem give the symbols of a contract."""
    shapes = [problem.shapes[p.name] for p in problem.parameters if p.name in problem.shapes]
    found: dict[str, int] = {}
    for name, (tensor, axis) in evaluator.binders.items():
        solution = evaluator.solutions[name]
        if solution.offset.symbols() <= found.keys():
            found[name] = solution.of(shapes[tensor][axis], found)
    return found


def broken_by(evaluator: Evaluator, extents: Mapping[str, int]) -> Iterator[Term]:
    """The conditions that a launch on arrays of these extents would break because of how they are cut. What the kernel
    itself requires is not among them, nor what scalars decide: no other tile mends that."""
    for check, condition in zip(evaluator.contract.checks, evaluator.checks, strict=True):
        if check.required or not condition.symbols() <= extents.keys():
            continue
        with suppress(ZeroDivisionError):
            if condition.evaluate(extents):
                continue
        yield condition


def _said(value: object, kind: type[T]) -> tuple[T, ...]:
    """The values that a call names of something: one, or some to choose from."""
    values = value.values if isinstance(value, Choice) else (value,)
    return tuple(v for v in values if isinstance(v, kind))


def _why(meaning: TileMeaning, axes: Sequence[str]) -> str:
    if meaning.unclear:
        return "it combines parts of a tensor that depend on the tile"
    whole = ", ".join(f"`{axes[n]}`" for n in sorted(meaning.whole))
    if meaning.counted:
        counted = " and ".join(f"`{axes[n]}`" for n in sorted(meaning.counted))
        return f"it computes with the numbers of regions along {counted}, with where they begin, or counts them"
    return f"a tile has to cover {whole}" if whole else "the number of a region is used as that of an element"


def _scalar(problem: Problem, position: int) -> int:
    """A number for an integer that a launch brings: the largest extent, so that a choice depends on none of them."""
    return max((e for shape in problem.shapes.values() for e in shape), default=1)
