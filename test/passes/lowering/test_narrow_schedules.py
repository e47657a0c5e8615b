"""The form of a schedule that is emitted for 32-bit arithmetic: the same points, and nothing too large on the way."""

from __future__ import annotations

from itertools import product
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from freehold.dialects.ownership import OrderAttr, OrderKind
from freehold.passes import schedules
from freehold.support import terms
from freehold.support.terms import Term


def values(term: Term, env: dict[str, int]) -> list[int]:
    """The value of a term and of every term in it."""
    return [t.evaluate(env) for t in term.walk()]


@given(
    st.sampled_from(OrderKind),
    st.integers(1, 2**31 - 1),
    st.lists(st.integers(1, 2**16), min_size=2, max_size=4),
    st.data(),
)
def test_same_points_and_no_value_above_their_number(
    kind: OrderKind, size: int, extents: list[int], data: st.DataObject
) -> None:
    while prod(extents) > 2**31 - 2**25:
        extents = [max(1, e // 3) for e in extents]
    points = prod(extents)
    number = data.draw(st.integers(0, points - 1))
    grid = [terms.sym(f"g{n}") for n in range(len(extents))]
    env = {"n": number, **{f"g{n}": e for n, e in enumerate(extents)}}
    order = OrderAttr(kind, size if kind is OrderKind.GROUPED else 1)
    plain = schedules.point(order, terms.sym("n"), grid)
    narrow = schedules.point(order, terms.sym("n"), grid, narrow=True)
    assert [t.evaluate(env) for t in narrow] == [t.evaluate(env) for t in plain]
    # The group's size is a constant; whatever is computed stays in range.
    constants = {size}
    assert all(v <= points or v in constants for t in narrow for v in values(t, env))
    assert all(v >= 0 for t in narrow for v in values(t, env))


def test_every_point_once() -> None:
    for rows, columns, size in product(range(1, 6), range(1, 5), range(1, 8)):
        order = OrderAttr(OrderKind.GROUPED, size)
        grid = [terms.const(rows), terms.const(columns)]
        found = {
            tuple(t.evaluate({"n": n}) for t in schedules.point(order, terms.sym("n"), grid, narrow=True))
            for n in range(rows * columns)
        }
        assert found == set(product(range(rows), range(columns)))
