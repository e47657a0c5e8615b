"""Contracts as functions, against evaluating their terms one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from freehold.runtime.variants.evaluation import Evaluator, Geometry
from freehold.support.contract import (
    MOST_EACH,
    MOST_PERSISTENT,
    EntryParameter,
    LaunchCheck,
    LaunchContract,
    ScalarParameter,
    TensorParameter,
)
from freehold.support.terms import parse


def tensor(name: str, *dims: str) -> TensorParameter:
    ones = (1,) * len(dims)
    return TensorParameter(name, "ref", "f32", dims, 4, (0,) * len(dims), ones, ones)


def contract(
    *tensors: TensorParameter, grid: tuple[str, ...], checks: tuple[str, ...] = (), persistent: bool = False
) -> LaunchContract:
    entry = (
        *(EntryParameter("pointer", n) for n in range(len(tensors))),
        EntryParameter("extent", term="M"),
        EntryParameter("extent", term="N // 2"),
        EntryParameter("stride", 1, 0),
    )
    return LaunchContract(
        "k", (*tensors, ScalarParameter("a", "f32")), entry, grid, persistent, tuple(LaunchCheck(c, c) for c in checks)
    )


GRID = ("ceildiv(M, 16)", "max(N // 4, 1)")
CHECKS = ("N % 2 == 0", "M < 3 * N or not M == min(N, 7)", "M // (N - 5) < 9")
KERNEL = Evaluator(contract(tensor("x", "M", "N"), tensor("y", "N // 2", "M", "8"), grid=GRID, checks=CHECKS))
extent = st.integers(1, 64)


@given(extent, extent, st.integers(1, 32), extent, st.sampled_from([8, 9]), st.booleans())
def test_a_contract_is_what_its_terms_say(m: int, n: int, half: int, again: int, eight: int, agree: bool) -> None:
    if agree:
        half, again, eight = max(1, n // 2), m, 8
    symbols = {"M": m, "N": n}
    try:
        holds = all(parse(c).evaluate(symbols) for c in CHECKS)
    except ZeroDivisionError:
        holds = False
    holds = holds and (half, again, eight) == (n // 2, m, 8)
    found = KERNEL.evaluate([(m, n), (half, again, eight)], [(n, 1), (77, 8, 1)])
    points = parse(GRID[0]).evaluate(symbols) * parse(GRID[1]).evaluate(symbols)
    assert found == (Geometry(points, (m, n // 2, 77)) if holds else None)


def test_counters_of_persistent_blocks_do_not_wrap() -> None:
    """In its last turn a block adds the number of blocks: at most one a point, and no more than can be launched."""
    assert MOST_PERSISTENT - 1 + min(MOST_PERSISTENT, MOST_EACH) < 2**31


def test_points_are_bounded() -> None:
    for persistent, most in ((False, MOST_EACH), (True, MOST_PERSISTENT)):
        one = Evaluator(contract(tensor("x", "M", "N"), tensor("y", "1"), grid=("M", "N"), persistent=persistent))
        assert one.evaluate([(most, 1), (1,)], [(1, 1), (1,)]) is not None
        assert one.evaluate([(most + 1, 1), (1,)], [(1, 1), (1,)]) is None
        assert one.evaluate([(1 << 30, 1 << 30), (1,)], [(1, 1), (1,)]) is None


def test_symbols_of_arrays_without_named_dimensions() -> None:
    bare = TensorParameter("x", "out", "f32", ("x.shape[0]", "x.shape[1]"), 4, (0, 1), (1, 1), (1, 1))
    entry = (EntryParameter("pointer", 0), EntryParameter("extent", term="x.shape[1]"))
    one = Evaluator(LaunchContract("k", (bare,), entry, ("ceildiv(x.shape[0], 4)", "x.shape[1]"), False, ()))
    assert one.evaluate([(9, 5)], [(5, 1)]) == Geometry(15, (5,))


def test_a_symbol_that_nothing_binds_refuses_everything() -> None:
    one = Evaluator(LaunchContract("k", (tensor("x", "M // 2"),), (), ("1",), False, ()))
    assert list(one.unbound()) == [("M", "M // 2")]
    assert one.evaluate([(4,)], [(1,)]) is None


def test_symbols_that_a_sum_or_a_multiple_determines() -> None:
    one = Evaluator(contract(tensor("x", "2 * N"), tensor("y", "M + N - 1"), tensor("z", "M"), grid=("M", "N")))
    assert not [*one.unbound()]
    assert one.bind([(8,), (6,), (3,)], ()) == {"M": 3, "N": 4}
    assert one.extents([(8,), (6,), (3,)]) == tuple({**one.binders, "N": 4, "M": 3}.values())
    strides = [(1,)] * 3
    assert one.evaluate([(8,), (6,), (3,)], strides) == Geometry(12, (3, 2, 1))
    assert one.evaluate([(9,), (6,), (3,)], strides) is None, "of no whole N"
    assert one.evaluate([(8,), (7,), (3,)], strides) is None


def test_values_that_are_admitted() -> None:
    """Of conditions on scalars, with extents beside them; one that cannot be evaluated is none that holds."""
    scalars = (ScalarParameter("n", "i32", symbol="n"), ScalarParameter("b", "u8", symbol="b"))

    def above(n: int, _: int, __: int) -> bool:
        return n > 3

    def twice(n: int, _: int, m: int) -> bool:
        return n != 0 and m // n == 2

    def both(n: int, b: int, m: int) -> bool:
        return n < m and b == 200

    for checks, admitted in ((("n > 3",), above), (("M // n == 2",), twice), (("n < M", "b == 0 - 56"), both)):
        made = LaunchContract(
            "k", (tensor("x", "M"), *scalars), (), ("M",), False, tuple(LaunchCheck(c, c) for c in checks)
        )
        admits = Evaluator(made).admits
        for n, b, m in ((4, 200, 9), (3, 200, 9), (0, 200, 9), (4, 199, 9), (9, 200, 9), (-1, 200, 9)):
            assert admits is not None
            assert admits((m,), (None, n, b)) == admitted(n, b, m), (checks, n, b, m)
    of_extents = (LaunchCheck("M > 3", "M > 3"),)
    assert Evaluator(LaunchContract("k", (tensor("x", "M"), *scalars), (), ("M",), False, of_extents)).admits is None
