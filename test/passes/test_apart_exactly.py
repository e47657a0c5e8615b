"""
Which of a point's numbers its coordinates tell, and which coordinates never meet: what the rules find, beside what is
so by going through every small launch. Nothing is found that is not so; the table says how much of what is so is found.
"""

# The rules are looked at by themselves.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from freehold.passes.analysis import meetings
from freehold.passes.analysis.concrete import Visit, is_outside
from freehold.passes.analysis.coverage import as_many
from freehold.passes.analysis.injectivity import _differ, exclusive, recovers
from freehold.passes.analysis.meetings import Meeting, Outside, in_launches
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.support.terms import Term, parse

UNIFORM = frozenset({"B", "s"})
LAUNCHES = [{"B": b, "s": s} for b in (3, 4, 7) for s in (-1, 0, 2)]
"""Numbers that are the same for all points."""
POINTS = [{"i": i, "j": j} for i, j in product(range(4), range(3))]
GIVEN = Hypotheses().extended(map(parse, ("0 <= i", "i < 4", "0 <= j", "j < 3", "j < B", "3 <= B", "B < 100")))

COORDINATES = (
    "i", "j", "i, j", "j, i", "i + j", "i - j", "i + j, j", "i + j, i - j", "s", "0", "i * 0 + j", "s + i", "s - i, j",
    "i * 3 + j", "i * 2 + j", "j * 4 + i", "j * 3 + i", "i + 3 * j + s", "i * B + j", "j + B * i",
    "B * i - j", "i * B + 2 * j", "i * B * B + j",
    "i * B + j + s, j", "B * i", "i * s", "s * i + j", "i * j", "i * i", "-i", "5 - i, 7 - j", "2 * i, 3 * j + 1",
    "i // 2, i % 2", "i // 2, i % 3", "i // B, i % B", "(i + j) // 2, (i + j) % 2, j", "i // 2", "i % 2, j",
    "i % 4", "i % 5", "i % 3", "j % B", "i % B", "(i + s) % 4", "(s - i) % 4", "(2 * i + s) % 8", "(i + s) % 3",
    "(j + s) % B", "(j + i) % B, i",
    "(i + j) % 4", "min(i, 3), j", "max(i, 0)", "min(i, 2)", "(i * 3 + j) // 3, (i * 3 + j) % 3", "(i * 3 + j) // 3",
    "i * 6 + j * 2", "i * 6 + 2 * j + 1, s", "i * -3 + j", "j - 3 * i",
)  # fmt: skip


def terms_of(text: str) -> tuple[Term, ...]:
    depth, parts = 0, [""]
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return tuple(parse(part.strip()) for part in parts)


def told(coordinates: Sequence[Term], name: str) -> bool:
    """Whether a symbol of the point has one value for each value of the coordinates, in every launch."""
    for launch in LAUNCHES:
        seen: dict[tuple[int, ...], int] = {}
        for point in POINTS:
            values = launch | point
            where = tuple(c.evaluate(values) for c in coordinates)
            if seen.setdefault(where, point[name]) != point[name]:
                return False
    return True


def test_what_coordinates_tell_of_a_point(golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    for text in COORDINATES:
        coordinates = terms_of(text)
        found = [name for name in "ij" if recovers(coordinates, [name], GIVEN, UNIFORM)]
        so = [name for name in "ij" if told(coordinates, name)]
        assert {*found} <= {*so}, text
        assert recovers(coordinates, ["i", "j"], GIVEN, UNIFORM) == (found == ["i", "j"])
        rest = "" if found == so else f", of {chr(32).join(so)}"
        lines.append(f"{text}: {chr(32).join(found) or chr(45)}{rest}")
    golden(Path(__file__).with_name("apart_points.txt"), "\n".join(lines))


def test_what_is_known_of_a_point_counts() -> None:
    """A number that can only be one is told by no coordinate; without its bounds a digit is none."""
    one = GIVEN.extended([parse("i <= 0")])
    assert recovers((parse("j"),), ["i", "j"], one, UNIFORM)
    assert not recovers((parse("j"),), ["i", "j"], GIVEN, UNIFORM)
    for fact in ("0 <= j", "j < B"):
        less = Hypotheses().extended(f for f in GIVEN.facts if f != parse(fact) and f != parse("j < 3"))
        assert not recovers((parse("i * B + j"),), ["i", "j"], less, UNIFORM), fact
    without = Hypotheses().extended(f for f in GIVEN.facts if f != parse("j < 3"))
    assert recovers((parse("i * B + j"),), ["i", "j"], without, UNIFORM)
    assert not recovers((parse("i * B + j"),), ["i", "j"], GIVEN, frozenset({"s"}))  # another base at each point
    assert recovers((), [], GIVEN, UNIFORM)
    assert recovers((), ["s"], GIVEN, UNIFORM)


SINGLE = (
    "0", "1", "3", "s", "s + 1", "2 * s", "2 * s + 1", "i", "i + 1", "2 * i", "2 * i + 1", "2 * i + 2 * j", "4 * i + 2",
    "4 * j + 3", "6 * i + 4 * j + 1", "i * B", "i * B + s", "2 * B + 1", "3 * i + s", "3 * j + s + 1",
    "3 * j + s + 3", "i * j", "2 * i * j + 1",
)  # fmt: skip


SOME = [{"B": b, "s": s} for b in range(1, 6) for s in range(-4, 9)]
"""Launches in which coordinates may meet."""


def taken(coordinate: Term) -> list[set[int]]:
    """The values of a coordinate in each of some launches, wherever its point is: all integers count as points."""
    points = [{"i": i, "j": j} for i, j in product(range(-4, 5), repeat=2)]
    return [{coordinate.evaluate(launch | point) for point in points} for launch in SOME]


def test_which_coordinates_never_meet(golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    values = {text: taken(parse(text)) for text in SINGLE}
    for first, second in combinations(SINGLE, 2):
        pair = parse(first), parse(second)
        found = _differ(pair[:1], pair[1:], UNIFORM)
        assert found == _differ(pair[1:], pair[:1], UNIFORM)
        so = all(ones.isdisjoint(others) for ones, others in zip(values[first], values[second], strict=True))
        assert so or not found, (first, second)
        if so:
            lines.append(f"{first} | {second}{'' if found else ': not found'}")
        # One axis along which they differ is enough.
        assert _differ((*pair[:1], pair[0]), (pair[0], *pair[1:]), UNIFORM) == found
    golden(Path(__file__).with_name("apart_pairs.txt"), "\n".join(lines))


def test_places_of_which_one_is_reached() -> None:
    """Two places exclude one another where a branch around both goes two ways; by no other of its branches."""
    a, b = object(), object()
    ways = [(), ((a, 0),), ((a, 1),), ((b, 0),), ((b, 1),), ((a, 0), (b, 1)), ((a, 1), (b, 1)), ((b, 0), (a, 1))]
    for one, other in product(ways, repeat=2):
        places: list[Any] = [SimpleNamespace(branches=one), SimpleNamespace(branches=other)]
        assert exclusive(places[0], places[1]) == any(
            op is same and way != elsewhere for op, way in one for same, elsewhere in other
        )


# --- What many launches come to ---------------------------------------------------------------------------------------


def visit(*point: int, coordinates: tuple[int, ...] = (9,), defined: bool = True) -> Any:
    return SimpleNamespace(point=point, coordinates=coordinates, defined=defined)


@dataclass
class Told:
    """A launch that was worked through: what meets in it, and who takes what there is not."""

    launch: dict[str, int]
    meets: Any
    visits: list[Any]

    def of(self, *ops: Any) -> list[Any]:
        assert ops == ("a", "b")
        return self.visits


KINDS: dict[str, tuple[Any, list[Any]]] = {
    "nothing": (None, [visit(0, coordinates=(3,))]),
    "outside": (None, [visit(0, coordinates=(3,)), visit(1), visit(2)]),
    "perhaps outside": (None, [visit(1, defined=False), visit(0)]),
    "one point": ((visit(1), visit(1)), [visit(7)]),
    "two points": ((visit(1), visit(2)), [visit(7)]),
}


@pytest.mark.parametrize("kinds", list(chain.from_iterable(product(KINDS, repeat=n) for n in (0, 1, 2, 3))))
def test_what_launches_come_to(kinds: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two points that meet, of any launch, come before one that takes a region twice, and that before one outside."""
    works: list[Any] = [Told({"n": n}, *KINDS[kind]) for n, kind in enumerate(kinds)]

    def met(work: Told) -> Meeting | None:
        return None if work.meets is None else Meeting(work.launch, *work.meets)

    monkeypatch.setattr(meetings, "index_space", lambda op: [parse("n + 4")])  # pyright: ignore[reportUnknownArgumentType, reportUnknownLambdaType]
    pair: Any = SimpleNamespace(a="a", b="b", met=met)
    asked: list[int] = []

    def some() -> Iterator[Any]:
        for work in works:
            asked.append(work.launch["n"])
            yield work

    found = in_launches(pair, some())
    order = ("two points", "one point", "outside", "perhaps outside")
    best = next((kind for kind in order[:2] if kind in kinds), None)
    if best is None:
        best = next((kind for kind in kinds if kind in order[2:]), None)
    if best is None:
        assert found is None
        return
    first = kinds.index(best)
    assert found is not None
    assert found.launch == {"n": first}
    assert isinstance(found, Meeting if best in order[:2] else Outside)
    if isinstance(found, Outside):
        assert found.grid == (first + 4,)
        assert found.visit is works[first].visits[1]
    assert asked == [*range(first + 1 if best == "two points" else len(kinds))]


def test_a_region_that_there_is_not() -> None:
    """Along any axis, on either side."""
    for coordinates in product((-1, 0, 2, 3), (-1, 0, 1)):
        outside = not (0 <= coordinates[0] < 3 and 0 <= coordinates[1] < 1)
        seen: Visit = visit(0, coordinates=coordinates)
        assert is_outside(seen, (3, 1)) == outside, coordinates


def test_factors_that_two_products_share() -> None:
    """What remains to be asked of `M * N == ...`: shared factors, and those that are one, are gone."""
    given = Hypotheses().extended(map(parse, ("1 <= M", "1 <= N", "1 <= K", "K <= 1", "P == M")))
    sides = ("", "1", "M", "N", "K", "P", "M N", "N M", "M M", "M P", "M K", "2 M", "2 N")
    lines = [
        f"{one or '-'} = {other or '-'}: {as_many([*map(parse, one.split())], [*map(parse, other.split())], given)}"
        for one, other in product(sides, repeat=2)
        if one <= other
    ]
    for line in lines:
        left, _, rest = line.partition(" = ")
        right, _, asked = rest.partition(": ")
        for m, n in product((1, 2, 3, 4), repeat=2):
            values = {"M": m, "N": n, "K": 1, "P": m}
            numbers = [_product(side, values) for side in (left, right)]
            assert bool(parse(asked).evaluate(values)) == (numbers[0] == numbers[1]), line
    wanted = {
        "M N = N M: 1",
        "M = P: 1",
        "M N = N: M == 1",
        "K = M: M == 1",
        "2 M = 2 N: M == N",
        "M M = M P: 1",
        "K = K: 1",
    }
    assert {line.replace("True", "1") for line in lines} >= wanted, lines


def _product(side: str, values: dict[str, int]) -> int:
    found = 1
    for factor in side.replace("-", "").split():
        found *= parse(factor).evaluate(values)
    return found
