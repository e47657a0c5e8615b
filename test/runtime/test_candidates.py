"""Which schedules of a launch are looked at, in which order, and which of them are compiled in or persistent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import freehold as fh
from freehold import Out, Ref, i32
from freehold.frontend.schedule import COLUMN, EACH, PERSISTENT, ROW, Choice, OpenPartition, grouped
from freehold.frontend.signature import Parameter
from freehold.passes.analysis.tile_axes import TileMeaning
from freehold.passes.cost import Cost
from freehold.runtime.base.call_site import CallSite
from freehold.runtime.scheduling import candidates
from freehold.runtime.scheduling.candidates import MOST, Candidate, Candidates, Nothing
from freehold.runtime.scheduling.choice import bucket
from freehold.runtime.scheduling.completion import completed
from freehold.runtime.scheduling.problem import Problem, Schedule
from freehold.runtime.scheduling.profile import Profile
from freehold.support import terms
from freehold.support.diagnostic import Rejected
from freehold.support.errors import WrongCall

PLAIN = Profile(64, 64, False, False, 64, 1.0, (), 2)
SUMS = replace(PLAIN, waits=True)
PRODUCT = replace(PLAIN, products=(((64, 64, 64), 1.0),))
FREE = OpenPartition()


def problem(
    shapes: Mapping[str, tuple[int, ...]],
    open_: Mapping[str, OpenPartition] | None = None,
    modes: str = "out ref ref",
    constants: Mapping[str, Choice] | None = None,
    **options: Any,
) -> Problem:
    """What is open of a call with tensors of these shapes, whose axes are called M and N, of three axes B, too."""
    names = {0: (), 1: ("N",), 2: ("M", "N"), 3: ("B", "M", "N"), 4: ("A", "B", "M", "N")}
    dims = options.pop("dims", {})
    parameters = tuple(
        Parameter(name, cast(Any, mode), dims.get(name, names[len(shape)]))
        for (name, shape), mode in zip(shapes.items(), modes.split(), strict=False)
    )
    return Problem(parameters, (), shapes, {"y": FREE} if open_ is None else open_, constants or {}, **options)


def nobody(_: Any) -> Any:
    raise AssertionError("nothing is compiled")


def among(*arguments: Any, **options: Any) -> Candidates:
    return Candidates(problem(*arguments, **options), nobody)


def one(
    tile: Mapping[str, int], profile: Profile = PLAIN, *, asked: int = 100, size: int = 100, **schedule: Any
) -> Candidate:
    """A candidate whose kernel asks for so many bytes of an array of that size."""

    traffic = SimpleNamespace(work=SimpleNamespace(launch=terms.const(asked)), size=terms.const(size))
    cost = cast(Cost, SimpleNamespace(traffic=[traffic]))
    return Candidate(Schedule(tile, **schedule), cost, {}, (), profile)


def tiles(found: Any) -> list[tuple[int, ...]]:
    return [tuple(each.tile.values() if isinstance(each, Schedule) else each.values()) for each in found]


# --- Where it begins --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [
        ((1,), [(1,)]),
        ((2,), [(2,), (1,)]),
        ((50,), [(64,), (16,), (32,), (1,), (8,)]),
        ((1000,), [(64,), (16,), (128,), (32,), (1,), (256,), (8,)]),
        ((3, 20), [(4, 32), (1, 32), (4, 16), (1, 16), (1, 1), (4, 8), (1, 8)]),
        ((5, 1), [(8, 1), (1, 1)]),
        ((2, 9, 17), [(1, 16, 32), (1, 1, 32), (1, 16, 16), (1, 1, 16), (1, 1, 1), (1, 8, 8), (1, 1, 8)]),
    ],
)
def test_tiles_to_begin_with(shape: tuple[int, ...], wanted: list[tuple[int, ...]]) -> None:
    found = [*among({"y": shape}).starts()]
    plain = [s for s in found if not s.owned]
    assert tiles(plain) == wanted
    assert [s.owned for s in found] == [(), ("N",)] * len(wanted) if len(shape) > 1 else [()] * len(wanted)
    assert all((s.order, s.blocks, s.count, s.constants) == (ROW, EACH, 0, {}) for s in found)


def test_axes_that_only_another_tensor_has_are_cut_as_the_last_ones() -> None:
    open_ = {"y": FREE, "z": FREE}
    shapes = {"y": (3, 20), "z": (7, 100)}
    found = among(shapes, open_, "out out", dims={"y": ("M", "N"), "z": ("M", "K")})
    assert next(found.starts()).tile == {"M": 8, "N": 32, "K": 64}
    assert [*found.starts()][1].tile == {"M": 8, "N": 32, "K": 64}


@pytest.mark.parametrize(
    ("open_", "wanted"),
    [
        ({"tile": (16, 32)}, [(16, 32)]),
        ({"tile": Choice(((16, 32), (64, 8)))}, [(16, 32), (64, 8)]),
    ],
)
def test_tiles_that_a_call_names(open_: dict[str, Any], wanted: list[tuple[int, int]]) -> None:
    found = among({"y": (100, 70)}, {"y": OpenPartition(owned=(), **open_)})
    assert tiles(found.starts()) == wanted
    first = one({"M": 16, "N": 32})
    assert found.names_tiles()
    assert tiles(found.schedules(first, TileMeaning())) == wanted


def test_tiles_that_are_named_for_some_tensors() -> None:
    named = OpenPartition(tile=Choice(((8,), (4,))), owned=())
    found = among({"y": (100, 20), "z": (100,)}, {"y": FREE, "z": named}, "out out", dims={"z": ("M",)})
    assert found.given() == [{"M": 8, "N": 32}, {"M": 4, "N": 32}]
    assert not among({"y": (100, 20)}).names_tiles()
    assert found.names_tiles()
    assert among({"y": (100, 200)}).given() == [{"M": 64, "N": 64}]
    for tile in ((8, 8), Choice(((8,), (8, 8)))):
        wrong = among({"y": (100,)}, {"y": OpenPartition(tile=tile)})
        with pytest.raises(Nothing, match="the tile of `y` has not as many axes as the array"):
            next(wrong.starts())


def test_orders_blocks_and_constants_that_a_call_names() -> None:
    spec = OpenPartition(order=Choice((COLUMN, ROW)), blocks=Choice((PERSISTENT, EACH)), count=3)
    found = among({"y": (64, 64)}, {"y": spec}, constants={"K": Choice((5, 6)), "L": Choice()})
    start = next(found.starts())
    assert (start.order, start.blocks, start.count) == (COLUMN, PERSISTENT, 3)
    assert start.constants == {"K": 5, "L": 64}
    assert found.blocks() == ((PERSISTENT, 3), (EACH, 3))
    schedule = Schedule({"M": 16, "N": 16})
    assert found.orders(schedule, one({}, PRODUCT)) == (COLUMN, ROW)
    assert found.constant_values() == [{"K": k, "L": n} for k in (5, 6) for n in (64, 32, 128)]
    shown = [(s.order, s.blocks, s.count) for s in found.schedules(one({"M": 64, "N": 64}), TileMeaning())]
    assert shown[:5] == [(o, b, 3) for o in (COLUMN, ROW) for b in (PERSISTENT, EACH)] + [(COLUMN, PERSISTENT, 3)]


def test_constants_alone() -> None:
    found = among({"y": (64,)}, {}, constants={"K": Choice((5, 6))})
    assert (found.last, found.caps, found.constants) == ((), {}, {"K": 5})
    assert [s.tile for s in found.starts()] == [{}]
    base = one({}, constants={"K": 5})
    assert [s.constants for s in found.schedules(base, TileMeaning())] == [{"K": 5}, {"K": 6}]
    assert found.problem.counts(base.schedule) == found.problem.tile(base.schedule) == ()
    assert found.persistent(one({}, PRODUCT)) is None
    assert found.known(base) == ()


def test_regions_that_a_point_has_all_of() -> None:
    assert among({"y": (4, 4)}).owned() == ((), ("N",))
    assert among({"y": (4,)}).owned() == ((),)
    named = {"y": OpenPartition(owned=(0,)), "z": OpenPartition(owned=(1, 0))}
    assert among({"y": (4, 4), "z": (4, 4)}, named, "out out").owned() == (("M", "N"),)
    assert among({"y": (4, 4)}, {"y": OpenPartition(owned=())}).owned() == ((),)


@pytest.mark.parametrize("extent", [1, 2, 3, 4, 5, 16, 17, 1000])
def test_a_tile_that_covers_an_axis_is_the_smallest_power_of_two(extent: int) -> None:
    (cap,) = among({"y": (extent,)}).caps.values()
    assert cap >= extent
    assert cap == 1 or cap // 2 < extent


# --- What a kernel was seen to ask ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "owned", "wanted"),
    [
        (None, (), None),
        (TileMeaning(), (), None),
        (TileMeaning(whole={1}), (), (8, 128)),
        (TileMeaning(whole={0}), (), (32, 16)),
        (TileMeaning(ones={0}), (), (1, 16)),
        (TileMeaning(ones={1}, whole={0}), (), (32, 1)),
        (TileMeaning(whole={0}), ("M",), (8, 128)),
        (TileMeaning(whole={1}, unclear=True), (), None),
        (TileMeaning(whole={1}, counted={0}), (), None),
    ],
)
def test_a_tile_is_made_as_the_kernel_asks(
    asked: TileMeaning | None, owned: tuple[str, ...], wanted: tuple[int, int] | None
) -> None:
    found = among({"y": (20, 100)})
    vars(found)["_asked"] = asked
    wider = found.wider(Schedule({"M": 8, "N": 16}, owned, COLUMN))
    if wanted is None or wider is None:
        assert wider is wanted
        return
    assert wider == Schedule(dict(zip("MN", wanted, strict=True)), owned, COLUMN)
    assert found.wider(wider) is None


REFUSED = Rejected([WrongCall(None, "k", "it is refused")])


class Scripted(Candidates):
    """Candidates of which each look ends as the test says: with an error, and what the kernel asks."""

    def __init__(self, script: Any):
        super().__init__(problem({"y": (20, 100)}), nobody)
        self.script, self.seen = iter(script), list[tuple[int, ...]]()

    def look(self, schedule: Schedule) -> tuple[Candidate, TileMeaning]:
        self.seen += tiles([schedule])
        why, asked = next(self.script, ("refused", None))
        self._asked = asked
        if why is None:
            return one(schedule.tile), TileMeaning()
        raise Nothing(schedule, REFUSED if why == "refused" else None, why)


def test_the_first_that_is_accepted() -> None:
    whole, both = TileMeaning(whole={1}), TileMeaning(whole={0, 1})
    found = Scripted([("a sum", whole), ("a sum", both), (None, None)])
    assert found.first()[0].schedule.tile == {"M": 32, "N": 64}
    assert found.seen == [(32, 64), (32, 128), (32, 64)]
    # A tile is changed twice, and then it is another one's turn.
    asked = [TileMeaning(whole={0}), whole, TileMeaning(ones={0}), TileMeaning()]
    tried = Scripted([("refused", None)] * 2 + [("a sum", meaning) for meaning in asked])
    with pytest.raises(Nothing) as caught:
        tried.first()
    assert tried.seen[:7] == [(32, 64), (32, 64), (1, 64), (32, 64), (32, 128), (1, 64), (16, 16)]
    assert (caught.value.why, caught.value.rejected) == ("a sum", None)


def test_why_nothing_is_accepted() -> None:
    """The first reason that is not an error of the compiler's; where numbers of regions count, at once."""
    for script, why in (
        ([], "refused"),
        ([("refused", None), ("a sum", None), ("another", None)], "a sum"),
        ([("a sum", None), ("refused", None)], "a sum"),
        ([("counted", TileMeaning(counted={0}))], "counted"),
        ([("a sum", None), ("counted", TileMeaning(counted={0}))], "counted"),
    ):
        found = Scripted(script)
        with pytest.raises(Nothing) as caught:
            found.first()
        assert str(caught.value) == caught.value.why == why
        assert len(found.seen) == (len(script) if why == "counted" else 22)
        assert (caught.value.rejected is not None) == (why == "refused")
    with pytest.raises(Nothing, match="there is nothing to cut"):
        Empty().first()


class Empty(Candidates):
    """No schedule at all."""

    def __init__(self) -> None:
        super().__init__(problem({"y": (4,)}), nobody)

    def starts(self) -> Any:
        return iter(())


def test_no_more_than_some_are_looked_at() -> None:
    values = Choice(tuple(range(MOST + 5)))
    found = Scripted([("refused", None), *[(None, None)] * 100])
    found.problem = problem({"y": (4,)}, {}, constants={"K": values})
    looked = [*found.all(one({}), TileMeaning())]
    assert (len(found.seen), len(looked)) == (MOST, MOST - 1)
    assert all(isinstance(each, Candidate) for each in looked)


# --- Those to choose from ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "meaning", "owned", "wanted"),
    [
        ((300, 300), [(0, "m"), (1, "n")], (), [(128, 128), (128, 64), (128, 256), (64, 128), (64, 64), (64, 256)]),
        ((300, 300), [(0, "n"), (1, "m")], (), [(128, 128), (128, 64), (64, 128), (64, 64), (256, 128), (256, 64)]),
        ((20, 5), [(0, "m"), (1, "n")], (), [(32, 16)]),
        ((100, 17), [(0, "m"), (1, "n")], (), [(128, 32), (64, 32)]),
        ((9, 300, 70), [(1, "m"), (2, "n")], (), [(1, a, b) for a in (128, 64) for b in (128, 64)]),
        ((9, 300, 70), [(2, "n")], (), [(1, 8, b) for b in (128, 64)]),
        ((9, 300, 70), [(1, "m")], ("B",), [(4, 8, b) for b in (128, 64)]),
    ],
)
def test_tiles_of_products(
    shape: tuple[int, ...], meaning: list[tuple[int, str]], owned: tuple[str, ...], wanted: list[tuple[int, ...]]
) -> None:
    found = among({"y": shape})
    base = one(dict(zip(found.last, (4, 8, 16)[-len(shape) :], strict=True)), PRODUCT, owned=owned)
    assert tiles(found.tiles(base, TileMeaning(products={*meaning}))) == wanted


@pytest.mark.parametrize(("tile", "rows"), [(1, [1]), (2, [16, 2]), (8, [16, 8]), (16, [16]), (32, [32])])
def test_few_rows_of_products_are_filled_up(tile: int, rows: list[int]) -> None:
    """An axis that has to be whole has the extent it began with; all others are cut as tensor cores want it."""
    found = among({"y": (tile, 300)})
    base = one({"M": tile, "N": 64}, PRODUCT)
    given = tiles(found.tiles(base, TileMeaning(whole={0}, products={(1, "n")})))
    assert given == [(m, n) for m in rows for n in (128, 64, 256)]
    last = among({"y": (300, tile)})
    given = tiles(last.tiles(one({"M": 64, "N": tile}, PRODUCT), TileMeaning(whole={1}, products={(0, "m")})))
    assert given == [(m, tile) for m in (128, 64)]


@pytest.mark.parametrize(
    ("shape", "profile", "tile", "meaning", "wanted"),
    [
        ((5,), PLAIN, (8,), {}, [(8,)]),
        ((600,), PLAIN, (64,), {}, [(1024,), (512,)]),
        ((1 << 20,), PLAIN, (64,), {}, [(4096,), (2048,), (1024,), (512,)]),
        ((1 << 20,), replace(PLAIN, elements=64 * 16), (64,), {},
         [(1024,), (512,), (256,), (128,), (64,), (32,)]),
        ((3, 100), PLAIN, (4, 64), {}, [(4, 128)]),
        ((50, 600), PLAIN, (1, 64), {"ones": {0}}, [(1, 1024), (1, 512)]),
        ((100, 9), replace(PLAIN, elements=2), (1, 1), {}, [(16, 16), (32, 16), (32, 8), (64, 16), (64, 8), (64, 4)]),
        ((100, 9), replace(PLAIN, elements=1), (1, 1), {}, [(32, 16), (64, 16)]),
        ((100, 20), PLAIN, (64, 32), {}, [(16, 32), (32, 32), (64, 32)]),
        ((100, 1 << 15), PLAIN, (1, 1 << 15), {"whole": {1}}, [(1, 32768), (2, 32768), (4, 32768), (8, 32768)]),
        ((100, 1 << 14), PLAIN, (1, 1 << 14), {"whole": {1}}, [(1, 1 << 14)]),
        ((7, 3, 2, 400), PLAIN, (1, 1, 1, 64), {},
         [(1, 1, 1, 512), (1, 1, 2, 512), (1, 1, 2, 256), (1, 2, 1, 512), (1, 2, 1, 256), (1, 2, 2, 512),
          (1, 2, 2, 256), (1, 2, 2, 128), (1, 4, 1, 512), (1, 4, 1, 256), (1, 4, 1, 128), (1, 4, 2, 512),
          (1, 4, 2, 256), (1, 4, 2, 128), (1, 4, 2, 64)]),
    ],
)  # fmt: skip
def test_tiles_of_elements(
    shape: tuple[int, ...], profile: Profile, tile: tuple[int, ...], meaning: Any, wanted: list[tuple[int, ...]]
) -> None:
    """From 512 elements to 16,384, where there are so many, as long along the last axis as it goes."""
    found = among({"y": shape})
    base = one(dict(zip(found.last, tile, strict=True)), profile)
    assert tiles(found.tiles(base, TileMeaning(**meaning))) == wanted


@pytest.mark.parametrize(
    ("shape", "profile", "banded"),
    [
        ((64, 64), PRODUCT, True), ((64, 64), PLAIN, False), ((16, 64), PRODUCT, False), ((64, 16), PRODUCT, False),
        ((64,), PRODUCT, False), ((1, 64, 64), PRODUCT, True), ((64, 64, 16), PRODUCT, False),
    ],
)  # fmt: skip
def test_products_of_two_axes_go_in_bands(shape: tuple[int, ...], profile: Profile, banded: bool) -> None:
    found = among({"y": shape})
    schedule = Schedule(dict.fromkeys(found.last, 16))
    assert found.orders(schedule, one({}, profile)) == ((grouped(8),) if banded else (ROW,))


def test_axes_of_which_a_point_has_all_make_no_band() -> None:
    found = among({"y": (64, 64, 64)})
    schedule = Schedule({"B": 16, "M": 16, "N": 64})
    assert found.orders(schedule, one({}, PRODUCT)) == (ROW,)
    assert found.orders(replace(schedule, owned=("N",)), one({}, PRODUCT)) == (grouped(8),)


def test_products_may_have_persistent_blocks() -> None:
    base = one({"M": 64, "N": 64}, PRODUCT)
    found = among({"y": (64, 64)}).persistent(base)
    assert found is not None
    assert found.schedule == replace(base.schedule, blocks=PERSISTENT)
    assert among({"y": (64, 64)}).persistent(one({"M": 64, "N": 64})) is None
    for said in (EACH, PERSISTENT, Choice((EACH,))):
        assert among({"y": (64, 64)}, {"y": OpenPartition(blocks=said)}).persistent(base) is None
    assert among({"y": (64, 64)}, {"y": OpenPartition(blocks=Choice())}).persistent(base) is not None
    one_of_two = {"y": FREE, "z": OpenPartition(blocks=EACH)}
    assert among({"y": (64, 64), "z": (64, 64)}, one_of_two, "out out").persistent(base) is None


# --- What is compiled in ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tile", "profile", "asked", "size", "known"),
    [
        ((2, 1024), PLAIN, 110, 100, True), ((2, 1024), PLAIN, 111, 100, False), ((1, 2048), PLAIN, 100, 100, True),
        ((4, 1024), PLAIN, 100, 100, True), ((4, 512), PLAIN, 100, 100, False), ((1, 1024), PLAIN, 100, 100, False),
        ((8, 1024), PLAIN, 100, 100, False), ((1, 4096), PLAIN, 100, 100, True), ((3, 1024), PLAIN, 100, 100, False),
        ((4, 512), SUMS, 900, 100, False), ((1, 2048), SUMS, 900, 100, True), ((1, 4096), SUMS, 900, 100, True),
        ((2, 1024), PRODUCT, 100, 100, False), ((2, 1024), replace(PLAIN, turns=True), 100, 100, False),
    ],
)  # fmt: skip
def test_the_length_of_rows_is_compiled_in(
    tile: tuple[int, int], profile: Profile, asked: int, size: int, known: bool
) -> None:
    """Where rows are summed as one tile, or where a few thousand elements are each loaded about once."""
    found = among({"y": (40, 2048), "x": (40, 2048)}, whole=("N",))
    candidate = one(dict(zip("MN", tile, strict=True)), profile, asked=asked, size=size)
    assert found.known(candidate) == (("N",) if known else ())
    assert among({"y": (40, 2048), "x": (40, 2048)}).known(candidate) == ()


def unknown_value(_: Any) -> int | None:
    return None


def test_what_is_asked_of_arrays_is_summed_as_far_as_it_is_known() -> None:
    found = among({"y": (40, 2048), "x": (40, 2048)}, whole=("N",))
    base = one({"M": 2, "N": 1024}, asked=22, size=20)
    (traffic,) = base.cost.traffic
    unknown: Any = SimpleNamespace(
        work=SimpleNamespace(launch=SimpleNamespace(evaluate=unknown_value)), size=terms.const(0)
    )
    assert found.known(replace(base, cost=replace_traffic(traffic, unknown))) == ("N",)
    assert found.known(replace(base, cost=replace_traffic(traffic, traffic))) == ("N",)
    assert found.known(replace(base, cost=replace_traffic(traffic, one({}, asked=1, size=0).cost.traffic[0]))) == ()


def replace_traffic(*traffic: Any) -> Cost:
    return cast(Cost, SimpleNamespace(traffic=[*traffic]))


def test_rows_are_worked_on_one_by_one() -> None:
    def along(shapes: Any, candidate: Candidate, **options: Any) -> bool:
        return among(shapes, **options).along_rows(candidate)

    rows = one({"M": 2, "N": 1024})
    both = {"y": (40, 1000), "x": (40, 1000)}
    assert along(both, rows)
    assert along({**both, "w": (1000,)}, rows)
    assert along({**both, "w": (40,)}, rows, dims={"w": ("M",)})
    assert not along({**both, "w": (1000, 40)}, rows, dims={"w": ("N", "M")})
    assert not along({**both, "w": (7,)}, rows, dims={"w": ("K",)})
    assert not along({"y": (1000,)}, one({"N": 1024}))
    assert not along(both, one({"M": 2, "N": 1024}, PRODUCT))
    assert not along(both, one({"M": 2, "N": 1024}, replace(PLAIN, turns=True)))
    assert not along(both, one({"M": 2, "N": 1024}, owned=("M",)))
    assert not along(both, one({"M": 2, "N": 512}, SUMS))
    assert along({"y": (40, 1024), "x": (40, 1024)}, one({"M": 2, "N": 1024}, SUMS))


# --- What is asked of the compiler ------------------------------------------------------------------------------------


def test_what_is_cut_differently_is_not_compiled() -> None:
    shapes = {"y": (40, 64), "z": (80, 64)}
    dims = {"y": ("M", "N"), "z": ("K", "N")}
    found = among(shapes, {"y": FREE, "z": FREE}, "out out", dims=dims)
    with pytest.raises(Nothing, match="is cut into different numbers of regions") as caught:
        found.look(Schedule({"M": 16, "K": 16, "N": 16}))
    assert caught.value.rejected is None


def test_the_compiler_says_why_it_refuses() -> None:
    def refusing(_: Any) -> Any:
        raise REFUSED

    with pytest.raises(Nothing) as caught:
        Candidates(problem({"y": (40,)}, {}, ""), refusing).look(Schedule({}))
    assert caught.value.rejected is REFUSED
    assert caught.value.why == REFUSED.errors[0].report().title


@pytest.mark.parametrize(
    ("meaning", "axes", "why"),
    [
        (TileMeaning(unclear=True, whole={0}), "MN", "it combines parts of a tensor that depend on the tile"),
        (TileMeaning(whole={1, 0}), "MN", "a tile has to cover `M`, `N`"),
        (TileMeaning(whole={1}), "MN", "a tile has to cover `N`"),
        (
            TileMeaning(counted={1}, whole={0}),
            "MN",
            "it computes with the numbers of regions along `N`, with where they begin, or counts them",
        ),
        (
            TileMeaning(counted={1, 0}),
            "MN",
            "it computes with the numbers of regions along `M` and `N`, with where they begin, or counts them",
        ),
        (TileMeaning(ones={1}), "MN", "the number of a region is used as that of an element"),
    ],
)
def test_why_a_tile_is_not_accepted(meaning: TileMeaning, axes: str, why: str) -> None:
    assert vars(candidates)["_why"](meaning, [*axes]) == why


# --- Extents that share a choice --------------------------------------------------------------------------------------


def test_neighbours_share_a_choice() -> None:
    """Up to 16 an extent stands for itself; from there on four steps double it."""
    steps = [*range(17), 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160]
    for extent in range(161):
        assert bucket((extent, 5)) == (min(s for s in steps if s >= extent), 5)
    assert bucket(()) == ()


# --- What is known of a kernel's symbols ------------------------------------------------------------------------------


@fh.kernel
def turned(y: Out["2 * N", "M"], x: Ref["2 * N + 1", "K"], on: Ref[i32, "K"], n: i32):
    t = x.load_like(y)
    for _ in range(n):
        t = t + x.load((0, 0), (1, 1))
    for _ in range(on.gather(0)):  # pyright: ignore[reportArgumentType] -- one element is a scalar
        t = t * 2
    y.store(t)


def test_symbols_stand_for_extents_and_numbers_that_a_launch_brings_for_the_largest() -> None:
    y, x = np.zeros((40, 9), np.float32), np.zeros((41, 70), np.float32)
    open_ = completed(turned, (y, x, np.zeros(70, np.int32), 3), CallSite(), None)
    assert open_ is not None
    values = dict(Candidates(open_.problem, turned.verified).first()[0].values)
    assert {name: values.pop(name) for name in ("N", "M", "K", "n")} == {"N": 20, "M": 9, "K": 70, "n": 70}
    assert [*values.values()] == [16]
