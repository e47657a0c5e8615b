"""Accesses that count elements: what they compute, as NumPy does one by one, and whom checked mode sees meet where."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Acc, Const, Mut, Out, Raw, Ref, f32, i8, i32, i64
from freehold.runtime.interpreter import run


def array(values: Sequence[float], dtype: Any = np.int32) -> Any:
    return np.array(values, dtype)


# --- Who meets whom ---------------------------------------------------------------------------------------------------


@fh.kernel
def pair(
    y: Mut[i32, "B"], x: Ref[i32, "N", "M"], t: Acc[i32, "N", "M"], r: Raw[i32, "N", "M"],
    first: i32, second: i32, beside: i32,
):  # fmt: skip
    """One block accesses an element in one way, the other one the same or one beside it, in another way."""
    kind = second
    at = beside
    if y.index[0] == 0:
        kind = first
        at = 1
    with fh.unsafe("it is watched"):
        if kind == 0:
            y.store(x.gather(1, at))
        elif kind == 1:
            y.store(fh.sum(x.load_from((1, at), (1, 1)), (0,)))
        elif kind == 2:
            t.add_at(1, 1, at)
        elif kind == 3:
            t.at(1, at).add(fh.ones((1, 1), i32))
        elif kind == 4:
            y.store(r.gather(1, at))
        elif kind == 5:
            r.scatter(5, 1, at)
        elif kind == 6:
            r.scatter(5, 1, at, order="release", scope="device")
        elif kind == 7:
            y.store(r.gather(1, at, order="acquire", scope="device"))
        elif kind == 8:
            r.atomic_add(5, 1, at)
        elif kind == 9:
            r.atomic_cas(5, 6, 1, at)


VERBS = {
    "gather": "reads", "load_from": "reads", "add_at": "updates", "add": "updates", "read": "reads", "write": "writes",
    "release": "writes", "acquire": "reads", "update": "updates", "swap": "updates",
}  # fmt: skip
"""The ways of `pair`, in its order."""
STRONG = {"add_at", "add", "update", "swap", "acquire", "release"}
"""Accesses that name a scope: these do not race with one another."""


def run_pair(first: str, second: str, at: int, found: Any) -> None:
    blocks, kinds = np.zeros(2, np.int32), [*VERBS]
    module = pair.verify(fh.partition(blocks, 1), found, found.copy(), found.copy(), 0, 0, 0)
    run(module, [blocks, found, found, found, kinds.index(first), kinds.index(second), at], checked=True)


@pytest.mark.parametrize("first", VERBS)
def test_two_blocks_meet_at_an_element_and_not_beside_it(first: str) -> None:
    shared = np.zeros((3, 8), np.int32)[:, ::2]
    for second, verb in VERBS.items():
        if {VERBS[first], verb} == {"reads"} or {first, second} <= STRONG:
            run_pair(first, second, 1, shared)
            continue
        with pytest.raises(fh.Rejected) as caught:
            run_pair(first, second, 1, shared)
        assert caught.value.codes == ("O523",), second
        report = caught.value.errors[0].report()
        assert report.title == "blocks 0 and 1 both access element [1, 1] of `x`"
        labels = [f"block 1 {verb} it here", f"block 0 {VERBS[first]} it here"]
        assert [label.text for label in report.labels] == labels
    for second, at in product(("write", "gather", "add"), (0, 2, 3)):
        run_pair(first, second, at, shared)


# --- What an unproved index is refused with ---------------------------------------------------------------------------


@fh.kernel
def picked(y: Mut[i32, 4], r: Raw[i32, "N", "M"], i: Ref[i32, 4], j: Ref[i32, 4], on: Ref[i8, 4]):
    at = i.load_like(y), j.load_like(y)
    with fh.unsafe("its indices are checked"):
        y.store(r.gather(*at, mask=on.load_like(y) != 0))


@pytest.mark.parametrize(
    ("i", "j", "on", "title", "note"),
    [
        ([0, 2, 1, 0], [0, 3, 0, 3], [1, 1, 1, 1], None, None),
        ([0, 3, 1, -1], [0, 4, 0, 3], [1, 0, 1, 0], None, None),
        ([0, 3, 1, -1], [0, 0, 0, 0], [1, 0, 1, 1], "index -1 of axis 0 is outside `r`", "axis 0 has 3 elements"),
        ([0, 3, 1, -1], [0, 0, 0, 0], [1, 1, 1, 1], "index 3 of axis 0 is outside `r`", "axis 0 has 3 elements"),
        ([0, 0, 0, 0], [0, 4, -1, 0], [1, 1, 1, 1], "index 4 of axis 1 is outside `r`", "axis 1 has 4 elements"),
        ([0, 0, 0, 0], [0, 4, -1, 0], [1, 0, 1, 1], "index -1 of axis 1 is outside `r`", "axis 1 has 4 elements"),
    ],
)
def test_the_first_index_that_counts_and_is_outside_is_named(
    i: list[int], j: list[int], on: list[int], title: str | None, note: str | None
) -> None:
    y, r = np.full(4, -1, np.int32), np.arange(12, dtype=np.int32).reshape(3, 4)
    launch = picked(fh.partition(y, 4), r, array(i), array(j), array(on, np.int8))
    if title is None:
        launch.sync()
        assert y.tolist() == [r[a, b] if m else 0 for a, b, m in zip(i, j, on, strict=True)]
        return
    with pytest.raises(fh.Rejected) as caught:
        launch.sync()
    report = caught.value.errors[0].report()
    assert (report.title, report.notes) == (title, (f"in block 0; {note}",))


@fh.kernel
def scattered(y: Mut[i32, 4], r: Raw[f32, "N", "M"], i: Ref[i32, 4], j: Ref[i32, 4], x: Ref[f32, 4], on: Ref[i8, 4]):
    with fh.unsafe("no two elements meet, or they say the same"):
        r.scatter(x.load_like(y), i.load_like(y), j.load_like(y), mask=on.load_like(y) != 0)
    y.store(y.load())


@pytest.mark.parametrize(
    ("i", "j", "x", "on", "told"),
    [
        ([0, 1, 0, 1], [0, 0, 1, 1], [1, 2, 3, 4], [1, 1, 1, 1], None),
        ([0, 1, 1, 1], [0, 2, 2, 1], [1, 2, 2, 4], [1, 1, 1, 1], None),
        ([0, 1, 1, 1], [0, 2, 2, 1], [1, 2, 3, 4], [1, 0, 1, 1], None),
        ([0, 1, 1, 1], [0, 2, 2, 1], [1, 2, 3, 4], [1, 1, 1, 1], ("[1, 2]", "2.0", "3.0")),
        ([1, 2, 0, 1], [1, 0, 0, 1], [5, 2, 3, 4], [1, 1, 1, 1], ("[1, 1]", "5.0", "4.0")),
        ([1, 2, 0, 1], [1, 0, 0, 1], [0.0, 2, 3, -0.0], [1, 1, 1, 1], ("[1, 1]", "0.0", "-0.0")),
    ],
)
def test_different_values_for_one_element_are_told(
    i: list[int], j: list[int], x: list[float], on: list[int], told: tuple[str, str, str] | None
) -> None:
    r = np.full((3, 4), 9, np.float32)
    y = fh.partition(np.zeros(4, np.int32), 4)
    with fh.interpreting("checked"):
        launch = scattered(y, r, array(i), array(j), array(x, np.float32), array(on, np.int8))
        if told is not None:
            with pytest.raises(fh.Rejected) as caught:
                launch.sync()
            element, first, second = told
            report = caught.value.errors[0].report()
            assert report.title == f"one store writes {first} and {second} to element {element} of `r`"
            assert report.label == "which of them stays, in block 0, is left open"
            return
        launch.sync()
    wanted = np.full((3, 4), 9, np.float32)
    for a, b, value, counts in zip(i, j, x, on, strict=True):
        if counts:
            wanted[a, b] = value
    assert r.tolist() == wanted.tolist()


# --- What is computed -------------------------------------------------------------------------------------------------


@fh.kernel
def taken(
    y: Out[i32, 2, 4], z: Out[i32, 1], x: Ref[i32, "N", "M"], i: Ref[i32, 2, 1], j: Ref[i64, 1, 4], on: Ref[i8, 2, 4],
    a: i32, b: i32,
):  # fmt: skip
    y.store(x.gather(i.load((0, 0), (2, 1)), j.load((0, 0), (1, 4)), mask=on.load((0, 0), (2, 4)) != 0, padding=-7))
    z.store(x.gather(a, b, padding=-8))


@fh.kernel
def loaded(y: Out[f32, 2, 4], x: Ref[f32, "N", "M"], a: i32, b: i32, PADDING: Const[Any]):
    y.store(x.load_from((a, b), (2, 4), padding=PADDING))


@pytest.mark.parametrize("kind", ["fast", "checked"])
@pytest.mark.parametrize("spread", [False, True])
def test_gathered_elements_are_those_of_the_array(kind: Any, spread: bool) -> None:
    rng = np.random.default_rng(3)
    for shape in ((1, 1), (3, 5), (5, 2)):
        x = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
        x = np.asfortranarray(np.kron(x, np.ones((2, 2), np.int32)))[::2, ::2] if spread else x
        i, j = rng.integers(-1, shape[0] + 1, (2, 1), np.int32), rng.integers(-1, shape[1] + 1, (1, 4))
        on, (a, b) = rng.integers(0, 2, (2, 4), np.int8), (shape[0] - 1, shape[1] - 1 if spread else shape[1])
        y, z = np.zeros((2, 4), np.int32), np.zeros(1, np.int32)
        with fh.interpreting(kind):
            taken(fh.partition(y, (2, 4)), fh.partition(z, 1), x, i, j, on, a, b).sync()
        around = np.full((shape[0] + 2, shape[1] + 2), -7)
        around[1:-1, 1:-1] = x
        assert y.tolist() == np.where(on, around[i + 1, j + 1], -7).tolist()
        assert z[0] == (x[a, b] if spread else -8)


@pytest.mark.parametrize(
    ("padding", "value"), [("zero", 0.0), ("neg_zero", -0.0), ("inf", np.inf), ("-inf", -np.inf), ("nan", np.nan)]
)
def test_a_tile_from_any_element_on(padding: str, value: float) -> None:
    x = np.arange(1, 16, dtype=np.float32).reshape(3, 5)
    around = np.full((20, 20), value, np.float32)
    around[6:9, 6:11] = x
    for a, b in ((0, 0), (-1, -2), (2, 2), (1, 1), (3, 0), (0, 5), (-2, 1), (1, -4)):
        y = np.zeros((2, 4), np.float32)
        with fh.interpreting("checked"):
            loaded(fh.partition(y, (2, 4)), x, a, b, padding).sync()
        wanted = around[6 + a : 8 + a, 6 + b : 10 + b]
        assert np.array_equal(y, wanted, equal_nan=True)
        assert np.array_equal(np.signbit(y), np.signbit(wanted))


@fh.kernel
def counted(t: Acc[i32, "N", "M"], y: Mut[i32, 4], i: Ref[i32, 4], j: Ref[i32, 4], on: Ref[i8, 4], HOW: Const[str]):
    at = i.load_like(y), j.load_like(y)
    if HOW == "add":
        t.add_at(y.load(), *at, mask=on.load_like(y) != 0)
    elif HOW == "maximum":
        t.maximum_at(y.load(), *at, mask=on.load_like(y) != 0)
    elif HOW == "minimum":
        t.minimum_at(y.load(), *at, mask=on.load_like(y) != 0)


@pytest.mark.parametrize("how", ["add", "maximum", "minimum"])
@pytest.mark.parametrize("kind", ["fast", "checked", "adversarial"])
def test_each_element_of_an_update_counts_once(how: str, kind: Any) -> None:
    for i, j in (([0, 1, 2, 0], [0, 1, 2, 1]), ([1, 1, 1, 1], [3, 3, 3, 0]), ([2, -1, 3, 0], [-1, 0, 0, 4])):
        for on in ([1, 1, 1, 1], [1, 1, 0, 1]):
            t, values = np.full((3, 4), 5, np.int32), [7, -2, 5, 9]
            wanted = t.copy()
            with fh.interpreting(kind):
                y = fh.partition(array(values), 4)
                counted(t, y, array(i), array(j), array(on, np.int8), how).sync()
            for a, b, value, counts in zip(i, j, values, on, strict=True):
                if counts and 0 <= a < 3 and 0 <= b < 4:
                    old = wanted[a, b]
                    wanted[a, b] = {"add": old + value, "maximum": max(old, value), "minimum": min(old, value)}[how]
            assert t.tolist() == wanted.tolist()


@fh.kernel
def tiles_added(t: Acc[i32, "N", "M"], y: Mut[i32, "B"], one: Acc[i32]):
    t.at(y.index[0], 1).add(fh.arange(8).reshape(2, 4))
    one.add(y.index[0] + 1)


def test_tiles_are_added_at_places_that_are_counted_in_tiles() -> None:
    for columns in (8, 6, 5):
        t, one = np.zeros((5, columns), np.int32), np.zeros((), np.int32)
        with fh.interpreting("checked"):
            tiles_added(t, fh.partition(np.zeros(3, np.int32), 1), one).sync()
        wanted = np.zeros((6, 8), np.int32)
        wanted[:, 4:] = np.tile(np.arange(8).reshape(2, 4), (3, 1))
        assert t.tolist() == wanted[:5, :columns].tolist()
        assert one == 6


@fh.kernel
def added_from_memory(t: Acc[i32, "N"], y: Mut[i32, "B"], table: Ref[i32, "B"]):
    t.at(table.load(y.index[0], ())).add(fh.ones((4,), i32))


@pytest.mark.parametrize("kind", ["fast", "checked", "adversarial"])
def test_a_tile_that_is_not_there_is_not_added(kind: Any) -> None:
    t = np.zeros(8, np.int32)
    with fh.interpreting(kind), pytest.raises(fh.LaunchError, match="O233") as caught:
        added_from_memory(t, fh.partition(np.zeros(3, np.int32), 1), array([0, 2, 1])).sync()
    assert "in block 1\n" in str(caught.value)


@fh.kernel
def raw(
    y: Out[i32, 4], z: Out[i32, 1], r: Raw[i32, "N"], s: Raw[i32], i: Ref[i32, 4], on: Ref[i8, 4], old: Ref[i32, 4],
    HOW: Const[str],
):  # fmt: skip
    at, mask = i.load_like(y), on.load_like(y) != 0
    with fh.unsafe("one block does it all"):
        if HOW == "add":
            y.store(r.atomic_add(old.load_like(y), at, mask=mask))
            z.store(s.atomic_add(4))
        elif HOW == "swap":
            y.store(r.atomic_cas(old.load_like(y), at + 50, at, mask=mask))
            z.store(s.atomic_cas(3, 4))
        elif HOW == "exchange":
            y.store(r.atomic_exchange(old.load_like(y), at, mask=mask))
            z.store(s.atomic_exchange(4))


@pytest.mark.parametrize("how", ["add", "swap", "exchange"])
def test_atomic_updates_say_what_was_there(how: str) -> None:
    """What is masked reads as what was given to a swap, and as 0 elsewhere."""
    for i in ([0, 1, 2, 4], [2, 2, 2, 3], [1, 3, 1, 3]):
        for on in ([1, 1, 1, 1], [1, 0, 1, 1]):
            r, s, given = array([10, 20, 30, 40, 50]), np.full((), 3, np.int32), array([10, 21, 30, 50])
            y, z, wanted, seen = np.zeros(4, np.int32), np.zeros(1, np.int32), r.copy(), list[int]()
            with fh.interpreting("checked"):
                whole = fh.partition(y, 4), fh.partition(z, 1)
                raw(*whole, r, s, array(i), array(on, np.int8), given, how).sync()
            for at, value, counts in zip(i, given, on, strict=True):
                old = int(wanted[at])
                seen.append(old if counts else int(value) if how == "swap" else 0)
                if counts and (how != "swap" or old == value):
                    wanted[at] = {"add": old + value, "swap": at + 50, "exchange": value}[how]
            assert (y.tolist(), r.tolist()) == (seen, wanted.tolist())
            assert (z[0], s) == (3, 7 if how == "add" else 4)


@fh.kernel
def some_added(y: Out[i32, 4], r: Raw[i32, 4]):
    n = fh.arange(4)
    with fh.unsafe("nobody else adds"):
        y.store(r.atomic_add(n, n, mask=n % 2 == 1))


def test_what_an_update_yields_that_is_masked_off_is_anything() -> None:
    def added(seed: int) -> list[int]:
        y, r = np.zeros(4, np.int32), np.full(4, 5, np.int32)
        with fh.interpreting("adversarial", seed=seed):
            some_added(fh.partition(y, 4), r).sync()
        assert r.tolist() == [5, 6, 5, 8]
        return y.tolist()

    found = [added(seed) for seed in range(8)]
    assert {tuple(y[1::2]) for y in found} == {(5, 5)}
    assert len({tuple(y[::2]) for y in found}) > 3
    assert found[3] == added(3)


@fh.kernel
def one_stays(y: Mut[i32, 1], r: Raw[i32, 1]):
    y.store(0)
    with fh.unsafe("it is left open which of them stays"):
        r.scatter(fh.arange(64), fh.zeros((64,), i32))


def test_what_is_left_open_is_decided_by_seed_0_where_there_is_none() -> None:
    def stays(order: int | str | None) -> int:
        y, r = np.zeros(1, np.int32), np.zeros(1, np.int32)
        run(one_stays.verify(fh.partition(y, 1), r), [y, r], order=order, adversarial=True)
        return int(r[0])

    assert len({stays(seed) for seed in range(8)}) > 4
    assert stays(None) == stays("decreasing") == stays(0)
