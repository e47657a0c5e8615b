"""
The lemmas about schedules that `verify-partitions` looks up, proved here: each order numbers every point once.

For symbolic extents the solver shows that each map is into the index space and injective; grouped order in steps, for
groups of any size. Numbers and points are equally many, so it is a bijection. Enumeration of small grids shows the same
without the solver.
"""

from __future__ import annotations

from itertools import product

import pytest

from freehold.dialects.ownership import BlocksKind, OrderAttr, OrderKind
from freehold.passes import schedules
from freehold.passes.analysis.schedule_lemmas import BLOCKS, ORDERS, lemma
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.passes.prover.polynomials import poly
from freehold.passes.prover.prove import prove
from freehold.support import terms
from freehold.support.terms import Term, const, sym

SCHEDULES = [(OrderAttr(kind), rank) for kind in (OrderKind.ROW, OrderKind.COLUMN) for rank in (0, 1, 2, 3)]
"""What the solver is asked about as a whole. Higher ranks repeat the step from one rank to the next."""

SMALL = [
    *((OrderAttr(kind), rank) for kind in (OrderKind.ROW, OrderKind.COLUMN) for rank in (0, 1, 2, 3, 4)),
    *((OrderAttr(OrderKind.GROUPED, size), rank) for size in (1, 2, 3, 8) for rank in (2, 3, 4)),
]


def name(value: object) -> str:
    return f"{value.kind.data}{value.size.data}" if isinstance(value, OrderAttr) else str(value)


def setting(rank: int) -> tuple[list[Term], Hypotheses]:
    """A grid of symbolic extents, and what the launcher guarantees of it."""
    grid = [sym(f"g{axis}") for axis in range(rank)]
    return grid, Hypotheses().extended([const(1).le(g) for g in grid])


def numbered(grid: list[Term], *numbers: Term) -> list[Term]:
    """Each of the numbers is that of a point."""
    return [fact for n in numbers for fact in (const(0).le(n), n.lt(schedules.count(grid)))]


@pytest.mark.parametrize(("order", "rank"), SCHEDULES, ids=name)
@pytest.mark.parametrize("narrow", [False, True], ids=["plain", "narrow"])
def test_every_number_is_a_point(order: OrderAttr, rank: int, narrow: bool) -> None:
    grid, given = setting(rank)
    n = sym("n")
    given = given.extended(numbered(grid, n))
    for coordinate, extent in zip(schedules.point(order, n, grid, narrow=narrow), grid, strict=True):
        assert prove(const(0).le(coordinate), given).proved
        assert prove(coordinate.lt(extent), given).proved


@pytest.mark.parametrize(("order", "rank"), SCHEDULES, ids=name)
def test_no_two_numbers_are_one_point(order: OrderAttr, rank: int) -> None:
    grid, given = setting(rank)
    n, m = sym("n"), sym("m")
    given = given.extended([*numbered(grid, n, m), n.lt(m)])
    first, second = schedules.point(order, n, grid), schedules.point(order, m, grid)
    meet = terms.all_of(*(a.eq(b) for a, b in zip(first, second, strict=True)))
    assert prove(terms.negate(meet), given).proved


def grouped(n: Term, rows: Term, columns: Term, size: Term) -> tuple[Term, Term]:
    """Grouped order over two axes, for any size of a group."""
    first = n // (columns * size) * size
    height = terms.minimum(rows - first, size)
    within = n % (columns * size)
    return first + within % height, within // height


@pytest.mark.parametrize("size", [1, 2, 8, 64])
def test_grouped_order_is_the_map_of_the_lemma(size: int) -> None:
    order, grid, n = OrderAttr(OrderKind.GROUPED, size), [sym("rows"), sym("columns")], sym("n")
    assert schedules.point(order, n, grid) == grouped(n, grid[0], grid[1], const(size))
    assert schedules.point(order, n, grid, narrow=True) == grouped(
        n, grid[0], grid[1], terms.minimum(grid[0], const(size))
    )


def test_grouped_order_numbers_every_point_once() -> None:
    """
    The lemma for groups of any size, ragged last band included, in steps that the solver takes one by one.

    `band` and `within` are quotient and remainder of the number by the points of a whole band. First: such a band
    begins inside the grid, and `within` is below the points that it has, be it the last. Then: row and column are
    inside. Last: two numbers with one row and one column have one band, so one height, so one `within`.
    """
    rows, columns, size, n = sym("rows"), sym("columns"), sym("size"), sym("n")
    band, within, first, height = sym("band"), sym("within"), sym("first"), sym("height")
    zero, one = const(0), const(1)
    assert poly(band * (columns * size) + within) == poly(band * size * columns + within)
    given = Hypotheses().extended([one.le(rows), one.le(columns), one.le(size), zero.le(n), n.lt(rows * columns)])
    given = given.extended([zero.le(band), zero.le(within), within.lt(size * columns), first.eq(band * size)])
    given = given.extended([n.eq(first * columns + within), zero.le(first)])

    def step(goal: Term) -> Hypotheses:
        assert prove(goal, given).proved, str(goal)
        return given.extended([goal])

    given = step(first.lt(rows))
    given = step(within.lt((rows - first) * columns))
    given = given.extended([terms.either(height.eq(rows - first), height.eq(size))])
    given = given.extended([height.le(rows - first), height.le(size), within.lt(height * columns), one.le(height)])
    for inside in (within % height, within // height):
        given = step(zero.le(inside))
    given = step((within // height).lt(columns))
    step((first + within % height).lt(rows))

    other, row, low = sym("other_band"), sym("row"), sym("low")
    same = Hypotheses().extended([one.le(size), zero.le(row), row.lt(size), zero.le(low), low.lt(size)])
    same = same.extended([zero.le(band), zero.le(other), (band * size + row).eq(other * size + low)])
    assert prove(band.eq(other), same).proved
    assert prove(row.eq(low), same).proved
    digits = Hypotheses().extended(
        [one.le(height), (within // height).eq(n // height), (within % height).eq(n % height)]
    )
    assert prove(within.eq(n), digits).proved


@pytest.mark.parametrize(("order", "rank"), SMALL, ids=name)
@pytest.mark.parametrize("narrow", [False, True], ids=["plain", "narrow"])
def test_small_grids_are_covered(order: OrderAttr, rank: int, narrow: bool) -> None:
    for extents in product((1, 2, 3, 5), repeat=rank):
        grid = [const(e) for e in extents]
        point = schedules.point(order, sym("n"), grid, narrow=narrow)
        found = {tuple(c.evaluate({"n": n}) for c in point) for n in range(schedules.count(grid).value)}
        assert found == set(product(*(range(e) for e in extents)))


def test_persistent_blocks_share_the_numbers() -> None:
    """Numbers `b + t * n` for blocks `b < n` and turns `t`: two of them are equal only for equal blocks and turns."""
    given = Hypotheses().extended(
        [
            *(const(0).le(sym(x)) for x in ("b", "c", "t", "u")),
            *(sym(x).lt(sym("n")) for x in ("b", "c")),
            (sym("b") + sym("t") * sym("n")).eq(sym("c") + sym("u") * sym("n")),
        ]
    )
    assert prove(sym("b").eq(sym("c")), given).proved
    assert prove(sym("t").eq(sym("u")), given).proved
    for points, blocks in product(range(1, 12), range(1, 12)):
        taken = [n for b in range(blocks) for n in range(b, points, blocks)]
        assert sorted(taken) == list(range(points))


def test_every_schedule_of_the_dialect_has_a_lemma() -> None:
    assert set(ORDERS) == set(OrderKind)
    assert set(BLOCKS) == set(BlocksKind)
    assert {order.order for order, _ in SMALL} == set(OrderKind)
    assert lemma(OrderAttr(OrderKind.GROUPED, 8), 1, BlocksKind.EACH) is None


def test_a_wrong_map_is_refuted() -> None:
    """The questions above can be failed: without the lower last band, and with one that is moved up instead."""
    rows, columns, n, m = sym("rows"), sym("columns"), sym("n"), sym("m")
    grid = [rows, columns]
    given = Hypotheses().extended([const(1).le(rows), const(1).le(columns), *numbered(grid, n, m), n.lt(m)])

    def unclamped(number: Term) -> tuple[Term, Term]:
        band, within = number // (columns * 8), number % (columns * 8)
        return band * 8 + within % const(8), within // const(8)

    assert prove(unclamped(n)[0].lt(rows), given).refuted

    def moved(number: Term) -> tuple[Term, Term]:
        row, column = unclamped(number)
        return terms.minimum(row, rows - 1), column

    meet = terms.all_of(*(a.eq(b) for a, b in zip(moved(n), moved(m), strict=True)))
    assert prove(terms.negate(meet), given).refuted
