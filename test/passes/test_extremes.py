"""The greatest and least value of an index over all blocks and turns: as terms that the launcher computes."""

# The bounds are looked at by themselves.
# pyright: reportPrivateUsage=false
from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Out, Ref, f32, i64
from freehold.passes.analysis import extremes
from freehold.passes.launch_contract import contract
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.support.terms import parse

LAUNCH = frozenset("MNK")
GIVEN = ("1 <= M", "1 <= N", "1 <= K", "0 <= i", "i < M", "0 <= j", "j <= N", "z < 4")
BETWEEN = ("i <= k", "k < j")


def extreme(text: str, up: bool, *given: str) -> str | None:
    search = extremes._Extremes(Hypotheses().extended(map(parse, given or GIVEN)), LAUNCH)
    found = search.extreme(parse(text), up=up)
    return None if found is None else str(found)


@pytest.mark.parametrize(
    ("text", "least", "greatest"),
    [
        ("M + 1", "M + 1", "M + 1"),
        ("i", "0", "M - 1"),
        ("j", "0", "N"),
        ("i + j", "0", "M + N - 1"),
        ("i - j", "0 - N", "M - 1"),
        ("j - i", "1 - M", "N"),
        ("2 * i", "0", "M * 2 - 2"),
        ("-2 * i", "2 - M * 2", "0"),
        ("3 - i", "4 - M", "3"),
        ("i * j", "0", "M * N - N"),
        ("i * K", "0", "K * M - K"),
        ("i // 2", "0", "(M - 1) // 2"),
        ("i // K", "0 // K", "(M - 1) // K"),
        ("ceildiv(j, 4)", "0", "ceildiv(N, 4)"),
        ("ceildiv(j, K)", "ceildiv(0, K)", "ceildiv(N, K)"),
        ("i // j", None, None),
        ("i // z", None, None),
        ("i % 4", "0", "3"),
        ("i % K", "0", "K - 1"),
        ("i % j", None, None),
        ("u % 8", "0", "7"),
        ("u % 256", "0", None),
        ("u % 65536", "0", None),
        ("i % 256", "0", "255"),
        ("min(i, j)", "min(0, 0)", "min(M - 1, N)"),
        ("max(i, K)", "max(0, K)", "max(M - 1, K)"),
        ("min(i, u)", None, "M - 1"),
        ("min(u, i)", None, "M - 1"),
        ("max(i, u)", "0", None),
        ("max(u, i)", "0", None),
        ("min(z, i)", None, "min(3, M - 1)"),
        ("z", None, "3"),
        ("u", None, None),
        ("u + i", None, None),
        ("i - u", None, None),
        ("u * 2", None, None),
        ("u * i", None, None),
        ("z * i", None, None),
        ("(i + 1) * (j + 1)", "1", "M + M * N"),
        ("i < 3", None, None),
        ("M < 3", "M < 3", "M < 3"),
        ("((((((((i // 2) // 3) % 9 + 1) // 2) * 3 + 1) // 5) % 7 + i) // 2) + i", "0", "(M + 5) // 2 + M - 1"),
    ],
)
def test_over_all_blocks_and_turns(text: str, least: str | None, greatest: str | None) -> None:
    expected = [None if t is None else str(parse(t)) for t in (least, greatest)]
    assert [extreme(text, up=False), extreme(text, up=True)] == expected
    given = Hypotheses().extended(map(parse, GIVEN))
    found = extremes.greatest(parse(text), given, LAUNCH)
    assert (None if found is None else str(found)) == expected[1]


SOUND = ["i * 2 - j", "min(i, j) + k", "max(k - 1, i // 2)", "(j - i) * 2 + k", "i * j - k", "ceildiv(i + j, 3) % 4"]


@pytest.mark.parametrize("text", SOUND)
def test_no_value_is_beyond(text: str) -> None:
    low, high = (parse(extreme(text, up, *GIVEN, *BETWEEN) or "") for up in (False, True))
    for m, n in product(range(1, 5), range(1, 5)):
        for i, j in product(range(m), range(n + 1)):
            for k in range(i, j):
                values = {"M": m, "N": n, "K": 1, "i": i, "j": j, "k": k, "z": 0}
                assert low.evaluate(values) <= parse(text).evaluate(values) <= high.evaluate(values)


def test_what_bounds_a_number() -> None:
    assert extreme("a", True, "a <= M", "a <= N", "a < K") == "min(min(K - 1, N), M)"  # what is known last is first
    assert extreme("a", False, "M <= a", "N < a") == "max(N + 1, M)"
    assert extreme("a", True, "a <= 1", "a <= M", "a <= N", "a < K") == "min(min(K - 1, N), M)"  # three are enough
    assert extreme("a", True, "a == M + 1") == "M + 1"
    assert extreme("a", False, "M + 1 == a") == "M + 1"
    assert extreme("a", True, "a < 2147483647") == "2147483646"
    assert extreme("a", True, "a <= 2147483647") is None  # of any integer
    assert extreme("a", False, "-2147483648 <= a") is None
    assert extreme("a", True, "a < b", "b < a + 3") is None  # by itself
    assert extreme("a", True, "a < b", "b < c", "c <= M") == "M - 2"
    chain = [f"a{n} <= a{n + 1}" for n in range(8)]
    assert extreme("a0", True, *chain, "a7 <= M") == "M"
    assert extreme("a0", True, *chain, "a8 <= M") is None  # so far nobody looks
    strict = [f"a{n} < a{n + 1}" for n in range(4)]
    assert extreme("a0", True, *strict, "a3 < M") == "M - 4"
    assert extreme("a0", True, *strict, "a4 < M") is None


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("M < 3", "M < 3"),
        ("M == N", "M == N"),
        ("i < 3", "0 < 3"),
        ("3 < i", "3 < M - 1"),
        ("3 <= i", "3 <= M - 1"),
        ("i < j", "0 < N"),
        ("z < i", None),
        ("i < z", "0 < 3"),
        ("i == 3", None),
        ("u < 3", None),
        ("3 < u", None),
        ("i < 3 or M < 2", None),
    ],
)
def test_whether_a_condition_holds_anywhere(text: str, possible: str | None) -> None:
    search = extremes._Extremes(Hypotheses().extended(map(parse, GIVEN)), LAUNCH)
    found = search.possible(parse(text))
    assert (None if found is None else str(found)) == (None if possible is None else str(parse(possible)))


def test_predicates_that_say_the_same_are_said_once() -> None:
    texts = ["M < N", "M + 1 <= N", "N < M", "M == N", "not M == N", "not M == N", "N == M", "M < 3 or N < 3"]
    found = extremes._distinct(map(parse, texts))
    assert [*map(str, found)] == ["M < N", "N < M", "M == N", "not M == N", "M < 3 or N < 3"]
    assert extremes._distinct([]) == []


# --- Of what a launch is asked ----------------------------------------------------------------------------------------


@fh.kernel
def in_a_loop(y: Out[f32, 8], x: Ref[f32, "N"], n: i64):
    total = fh.zeros((8,), f32)
    for k in range(n):
        total += x.load((k,), (8,))
    y.store(total)


@fh.kernel
def in_a_branch(y: Out[f32, 8], x: Ref[f32, "N"], n: i64):
    total = fh.zeros((8,), f32)
    if n > 0:
        for k in range(n):
            total += x.load((k,), (8,))
    y.store(total)


def summed(x: Any, first: Any, n: Any) -> Any:
    total = fh.zeros((8,), f32)
    for k in range(first, n):
        total += x.load((k,), (8,))
    return total


@fh.kernel
def in_a_helper(y: Out[f32, 8], x: Ref[f32, "N"], n: i64):
    y.store(summed(x, 1, n) + x.load((0,), (8,)))


@pytest.mark.parametrize("kernel", [in_a_loop, in_a_branch, in_a_helper])
def test_no_launch_is_asked_to_come_to_no_access(kernel: Any) -> None:
    """An index of 64 bits is any number of 32: where that bounds it, its loop was to have no turn."""
    y, x = np.zeros(8, np.float32), np.arange(32, dtype=np.float32)
    arguments = fh.partition(y, 8), x, 4
    assert [c.predicate for c in contract(kernel.verify(*arguments)).checks if "n" in c.predicate.split()] == []
    kernel(*arguments).sync()
    assert y.tolist() == x.reshape(4, 8).sum(0).tolist()
    with pytest.raises(fh.Rejected) as caught:
        kernel(fh.partition(y, 8), x, 5).sync()
    assert caught.value.codes == ("O233",)
