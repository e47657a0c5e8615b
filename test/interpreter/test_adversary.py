"""What a seed decides: which block goes on at an access, and in which order points come; and laws of folds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from freehold.runtime.interpreter import adversary as modes
from freehold.runtime.interpreter import laws
from freehold.runtime.interpreter import order as orders
from freehold.runtime.interpreter.adversary import Adversary
from freehold.runtime.interpreter.order import arrange


def counting(seed: int, blocks: int, steps: int) -> list[int]:
    """Which block took each step, where all pause between theirs."""
    chosen, taken = Adversary(seed), list[int]()

    def work(number: int) -> Callable[[], None]:
        def run() -> None:
            for _ in range(steps):
                taken.append(number)
                chosen.pause()

        return run

    chosen.run(work(n) for n in range(blocks))
    return taken


def test_blocks_take_turns_as_the_seed_says() -> None:
    first = counting(1, 20, 5)
    assert sorted(first) == sorted([*range(20)] * 5)
    assert first == counting(1, 20, 5) != counting(2, 20, 5)
    changes = sum(a != b for a, b in pairwise(first))
    assert 20 < changes < 99  # some pauses change the block, and some do not
    assert changes > len(set(first))


def test_at_most_eight_are_under_way_until_they_wait_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modes, "PATIENCE", 50)
    chosen, begun, most = Adversary(0), set[int](), list[int]()
    last = 10

    def work(number: int) -> Callable[[], None]:
        def run() -> None:
            begun.add(number)
            most.append(len(begun))
            while last not in begun:  # all wait for one that comes late
                chosen.pause()

        return run

    chosen.run(work(n) for n in range(last + 3))
    assert begun == set(range(last + 3))
    begun.clear()
    last = 7  # the last of the first eight
    most.clear()
    started = Adversary(0)
    seen = list[int]()

    def waiting(number: int) -> Callable[[], None]:
        def run() -> None:
            seen.append(number)
            for _ in range(20):
                started.pause()

        return run

    started.run(waiting(n) for n in range(9))
    assert seen.index(8) > 0


def test_no_more_than_eight_are_under_way_where_all_get_on() -> None:
    chosen, under_way, most = Adversary(2), set[int](), list[int]()

    def work(number: int) -> Callable[[], None]:
        def run() -> None:
            under_way.add(number)
            most.append(len(under_way))
            for _ in range(9):
                chosen.pause()
            under_way.remove(number)

        return run

    chosen.run(work(n) for n in range(40))
    assert max(most) == modes.WIDTH == 8
    assert not under_way


@pytest.mark.parametrize(("late", "flips", "settled"), [([], True, 0), ([1], False, 0), ([1], True, 1)])
def test_late_stores_may_be_seen_before_an_access(late: list[int], flips: bool, settled: int) -> None:
    done = list[str]()
    chosen = SimpleNamespace(pause=lambda: done.append("pause"), flips=lambda: flips)
    machine = SimpleNamespace(adversary=chosen, late=late, settle=lambda: done.append("settle"))
    assert modes.pausing(lambda v: 7)([machine]) == 7
    assert done == ["pause", *["settle"] * settled]


def test_what_a_block_raises_is_raised_and_no_other_goes_on() -> None:
    chosen, after = Adversary(3), list[str]()
    failed = False

    def failing() -> None:
        nonlocal failed
        for _ in range(3):
            chosen.pause()
        failed = True
        raise ValueError("broken")

    def other() -> None:
        while True:
            if failed:
                after.append("went on")
                return
            chosen.pause()

    threads = threading.active_count()
    with pytest.raises(ValueError, match="broken"):
        chosen.run([other, failing, other])
    assert after == []
    for thread in [t for t in threading.enumerate() if t is not threading.current_thread()]:
        thread.join(0.01)
    assert threading.active_count() <= threads


def test_outside_of_blocks_nothing_pauses() -> None:
    Adversary(0).pause()


def test_shuffled_numbers_are_all_of_them() -> None:
    chosen = Adversary(5)
    one, other = chosen.shuffled(50), chosen.shuffled(50)
    assert sorted(one.tolist()) == list(range(50))
    assert one.tolist() != other.tolist()
    assert one.tolist() == Adversary(5).shuffled(50).tolist()
    flips = [chosen.flips() for _ in range(1000)]
    assert 400 < sum(flips) < 600


def test_orders() -> None:
    assert [*arrange(4, None)] == [*arrange(4, "increasing")] == [0, 1, 2, 3]
    assert [*arrange(4, "decreasing")] == [3, 2, 1, 0]
    mixed = [*arrange(100, 1)]
    assert sorted(mixed) == list(range(100))
    assert mixed == [*arrange(100, 1)] != [*arrange(100, 2)]
    assert mixed != list(range(100))
    wrong: Any = "sideways"
    with pytest.raises(ValueError, match="not 'sideways'"):
        arrange(4, wrong)


@pytest.mark.parametrize("count", [16, 17, 24, 60])
def test_very_many_are_mixed_without_a_list(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "_LISTED", 16)
    for seed in range(20):
        found = [*arrange(count, seed)]
        assert sorted(found) == list(range(count))
        steps = {(b - a) % count for a, b in pairwise(found)}
        assert (len(steps) == 1) == (count > 16)


Numbers = Sequence[Any]


def joined(function: Callable[[Any, Any], Any]) -> laws.Join:
    return lambda a, b: [function(*pair) for pair in zip(a, b, strict=True)]


def tried(function: Callable[[Any, Any], Any], identity: Any, values: Any, commutes: bool = True) -> Any:
    with np.errstate(all="ignore"):
        return laws.broken(joined(function), [values], [np.asarray(identity, values.dtype)], commutes=commutes)


F32 = np.array([1.5, -2.0, 0.25, 7.0, -1.0], np.float32)
I32 = np.array([3, 5, -2, 9], np.int32)


def where(condition: Any, one: Any, other: Any) -> Any:
    return np.where(condition, one, other)  # pyright: ignore[reportUnknownVariableType] -- of NumPy


LAWS: list[tuple[Callable[[Any, Any], Any], Any, Any, Any]] = [
    (np.add, 0, F32, None), (np.add, 0, I32, None), (np.maximum, -np.inf, F32, None), (np.multiply, 1, I32, None),
    (np.add, 1, I32, ("the identity is not neutral", "f(identity, a) = 4, and a = 3", "a = 3")),
    (np.subtract, 0, I32, ("the identity is not neutral", "f(identity, a) = -3, and a = 3", "a = 3")),
    (lambda a, b: where(b == 0, a, where(a == 0, b, a - b)), 0, I32,
     ("the function is not commutative", "f(a, b) = -2, and f(b, a) = 2", "a = 3, b = 5")),
    (lambda a, b: where(a == 0, b, where(b == 0, a, a * b + 1)), 0, I32,
     ("the function is not associative", "f(f(a, b), c) = -31, and f(a, f(b, c)) = -26", "a = 3, b = 5, c = -2")),
    (lambda a, b: where(b == 0, a, b), 0, np.array([np.nan, 1, 0], np.float32),
     ("the function is not commutative", "f(a, b) = 1.0, and f(b, a) = nan", "a = nan, b = 1.0")),
]  # fmt: skip


@pytest.mark.parametrize(("function", "identity", "values", "law"), LAWS)
def test_laws_that_hold_and_those_that_do_not(function: Any, identity: Any, values: Any, law: Any) -> None:
    assert tried(function, identity, values) == law


def test_what_scans_need_not_commute() -> None:
    def last(a: Any, b: Any) -> Any:
        return a * (b == 0) + b

    assert tried(last, 0, I32, commutes=False) is None
    assert tried(last, 0, I32)[0] == "the function is not commutative"


def test_one_and_two_elements_are_enough_for_some_laws() -> None:
    def differing(a: Any, b: Any) -> Any:
        return a * (b == 0) + b * (a == 0) + (a - b) * ((a != 0) & (b != 0))

    assert tried(differing, 0, I32[:1]) is None
    assert tried(differing, 0, I32[:2])[0] == "the function is not commutative"
    assert tried(differing, 0, I32[:2], commutes=False) is None
    assert tried(differing, 0, I32[:3], commutes=False)[0] == "the function is not associative"


@pytest.mark.parametrize(("large", "holds"), [(8.0, False), (7.9, True)])
def test_sums_beyond_the_largest_number_depend_on_the_grouping(large: float, holds: bool) -> None:
    """`f(f(a, b), c)` is infinite and `f(a, f(b, c))` is not: no fault of the function if the numbers are large."""
    values = np.array([1, 1, -1], np.float32) * np.float32(np.finfo(np.float32).max / large)

    def infinite_at_first(a: Any, b: Any) -> Any:
        return where((a > 1) & (b > 1), np.float32(np.inf), a + b)

    assert (tried(infinite_at_first, 0, values, commutes=False) is None) == holds


def test_rounding_is_no_fault_but_more_is() -> None:
    """Floats may differ by the root of the type's precision, beside the largest number that is involved."""
    for dtype, near, far in ((np.float32, 3.4e-4, 3.6e-4), (ml_dtypes.bfloat16, 0.08, 0.1)):
        values = np.array([1, 1], dtype)
        for apart, holds in ((near, True), (far, False)):

            def off(a: Any, b: Any, apart: float = apart) -> Any:
                return (a.astype(np.float64) + b.astype(np.float64) * (1 + apart)).astype(np.float64)

            law = laws.broken(
                joined(lambda a, b: off(a, b).astype(a.dtype)), [values], [np.zeros((), dtype)], commutes=False
            )
            assert (law is None) == holds, (dtype, apart)


def test_of_large_tiles_some_elements_are_tried() -> None:
    seen: list[tuple[int, ...]] = []

    def noted(a: Any, b: Any) -> Any:
        seen.append(np.shape(a))
        return a + b

    assert tried(noted, 0, np.ones((65, 2, 33), np.float32)) is None
    assert set(seen) == {(22, 22), (21, 22), (20, 22)}
    seen.clear()
    assert tried(noted, 0, np.ones((32, 32), np.float32)) is None
    assert (32, 32) in seen


def test_pairs_are_shown_as_pairs() -> None:
    def wrong(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
        return [a[0] + b[0], a[1]]

    found = laws.broken(wrong, [I32, I32], [np.int32(0), np.int32(0)], commutes=True)  # pyright: ignore[reportArgumentType]
    assert found == ("the identity is not neutral", "f(identity, a) = (3, 0), and a = (3, 3)", "a = (3, 3)")
