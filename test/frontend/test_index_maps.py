"""Index maps: what is read of a function of integers, what cannot be read, and the maps that come with the library."""

# Maps are functions of integers, and need no annotations.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import freehold as fh
from freehold.frontend import index_maps
from freehold.frontend.index_maps import IndexMap, Place, PointMap, Untraceable, read
from freehold.support import terms


def shown(found: PointMap) -> tuple[list[str], list[str], str]:
    return [*map(str, found.domain)], [*map(str, found.region)], str(found.where)


def i_of(function: Callable[[Any], Any]) -> str:
    """What a map of one coordinate is."""
    (term,) = read(IndexMap(function), 1).region
    return str(term).replace("point[0]", "i")


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda i: i + 1, "i + 1"),
        (lambda i: 1 + i, "i + 1"),
        (lambda i: i - 1, "i - 1"),
        (lambda i: 7 - i, "7 - i"),
        (lambda i: i * 2, "i * 2"),
        (lambda i: 2 * i, "i * 2"),
        (lambda i: i // 2, "i // 2"),
        (lambda i: 7 // (i + 1), "7 // (i + 1)"),
        (lambda i: i % 2, "i % 2"),
        (lambda i: 7 % (i + 1), "7 % (i + 1)"),
        (lambda i: -i, "0 - i"),
        (lambda i: -(-i // 2), "ceildiv(i, 2)"),
        (lambda i: fh.cdiv(i, 2), "ceildiv(i, 2)"),
        (lambda i: fh.minimum(i, 2), "min(i, 2)"),
        (lambda i: fh.maximum(2, i), "max(2, i)"),
        (lambda i: +i, "i"),
        (lambda i: abs(i), "max(i, 0 - i)"),
        (lambda i: divmod(i, 3)[0] + 2 * divmod(i, 3)[1], "i // 3 + i % 3 * 2"),
        (lambda i: divmod(7, i + 1)[1], "7 % (i + 1)"),
        (lambda i: i << 3, "i * 8"),
        (lambda i: i >> 3, "i // 8"),
        (lambda i: [i], "i"),
        (lambda i: (i,), "i"),
    ],
)
def test_what_is_computed(function: Callable[[Any], Any], text: str) -> None:
    assert i_of(function) == text


@pytest.mark.parametrize(
    ("where", "text"),
    [
        (lambda i, j: i < j, "point[0] < point[1]"),
        (lambda i, j: i <= j, "point[0] <= point[1]"),
        (lambda i, j: i > j, "point[1] < point[0]"),
        (lambda i, j: i >= j, "point[1] <= point[0]"),
        (lambda i, j: i == j, "point[0] == point[1]"),
        (lambda i, j: i != j, "not point[0] == point[1]"),
        (lambda i, j: (i < j) & (j < 3), "point[0] < point[1] and point[1] < 3"),
        (lambda i, j: (i < j) | (j == 3), "point[0] < point[1] or point[1] == 3"),
        (lambda i, j: ~(i < j), "point[1] <= point[0]"),
        (lambda i, j: ~((i < j) & (j < 3)), "not (point[0] < point[1] and point[1] < 3)"),
        (lambda j, i: i < j, "point[1] < point[0]"),
        (lambda i, j: (i < j) & True, "point[0] < point[1]"),
        (lambda i, j: (i < j) | True, "1"),
        (lambda i, j, grid: j < grid[0], "point[1] < grid[0]"),
        (lambda *at: at[0] < at[1], "point[0] < point[1]"),
        (lambda i, j: True, "1"),
        (lambda i, j: False, "0"),
    ],
)
def test_which_points_do_something(where: Callable[..., Any], text: str) -> None:
    found = read(IndexMap(lambda i, j: (i, j), where=where), 2)
    assert shown(found) == (["grid[0]", "grid[1]"], ["point[0]", "point[1]"], text)


@pytest.mark.parametrize(
    ("made", "what", "instead"),
    [
        (IndexMap(lambda i: i if i < 3 else 0), "asks whether `i < 3` holds", "leave points out by `where=`"),
        (IndexMap(lambda i: i / 2), "divides `i` into fractions", "round down"),
        (IndexMap(lambda i: [0, 1][i]), "needs the value of `i`", "compute with it"),
        (IndexMap(lambda i: (*i,)), "takes `i` apart", "one integer"),
        (IndexMap(lambda i: fh.exp(i)), "calls `exp`", "minimum, maximum, cdiv"),
        (IndexMap(lambda i: fh.where(i < 2, i, 0)), "calls `where`", "minimum, maximum, cdiv"),
        (IndexMap(lambda i: i + 1.5), "computes with 1.5", "coordinates are integers"),
        (IndexMap(lambda i: i + True), "computes with True", "coordinates are integers"),
        (IndexMap(lambda i: i ^ 1), "computes `i ^ 1`", "compute with `+ - * // %`"),
        (IndexMap(lambda i: 1 ^ i), "computes `1 ^ i`", "compute with `+ - * // %`"),
        (IndexMap(lambda i: i**2), "computes `i ** 2`", "compute with `+ - * // %`"),
        (IndexMap(lambda i: 2**i), "computes `2 ** i`", "compute with `+ - * // %`"),
        (IndexMap(lambda i: 1 << i), "computes `1 << i`", "compute with `+ - * // %`"),
        (IndexMap(lambda i: 8 >> i), "computes `8 >> i`", "compute with `+ - * // %`"),
        (IndexMap(lambda i: i << i), "shifts by i", "write `a * 2`"),
        (IndexMap(lambda i: i << 32), "shifts by 32", "from 0 to 31"),
        (IndexMap(lambda i: i >> -1), "shifts by -1", "write `a // 2`"),
        (IndexMap(lambda i: i >> True), "shifts by True", "from 0 to 31"),
        (IndexMap(lambda i: (i < 1) & i), "applies `&` to `i`", "for comparisons"),
        (IndexMap(lambda i: i | (i < 1)), "applies `|` to `i`", "for comparisons"),
        (IndexMap(lambda i: ~i), "applies `~` to `i`", "for comparisons"),
        (IndexMap(lambda i: i, where=lambda i: i + 1), "applies `where` to `i + 1`", "for comparisons"),
        (IndexMap(lambda i: i < 3), "the map gives a comparison", "are integers"),
        (IndexMap(lambda i: i, lambda m: m == 3), "the extents of the domain gives a comparison", "are integers"),
        (IndexMap(lambda i: (i, i)), "gives 2 coordinates, for regions of 1", "one integer for each axis"),
        (IndexMap(lambda i: ()), "gives 0 coordinates, for regions of 1", "one integer for each axis"),
        (IndexMap(lambda i, j: i), "takes 2 coordinates, and points have 1", "name one for each axis"),
        (IndexMap(lambda: 0), "takes 0 coordinates, and points have 1", "name one for each axis"),
        (IndexMap(lambda i: i, where=lambda i, j: i < j), "takes 2 coordinates, and points have 1", "each axis"),
        (IndexMap(lambda i, j: i, 4), "takes 2 coordinates, and points have 1", "each axis"),
        (IndexMap(lambda i: i // 0), "divides by 0", "positive integers"),
        (IndexMap(lambda i: i % -2), "divides by -2", "positive integers"),
        (IndexMap(lambda i: fh.cdiv(i, 0)), "divides by 0", "positive integers"),
        (IndexMap(lambda i: i, lambda m: m // 0), "divides by 0", "positive integers"),
        (IndexMap(lambda i: i, where=lambda i: i // 0 < 1), "divides by 0", "positive integers"),
    ],
)
def test_what_cannot_be_said_of_all_points(made: IndexMap, what: str, instead: str) -> None:
    with pytest.raises(Untraceable) as caught:
        read(made, 1)
    assert (caught.value.what, str(caught.value)) == (what, what)
    assert instead in caught.value.instead


def test_domains_and_names() -> None:
    found = read(IndexMap(lambda row, part: row, lambda m: (m, 4)), 1)
    assert shown(found) == (["grid[0]", "4"], ["point[0]"], "1")
    assert found.names == ("row", "part")
    assert shown(read(IndexMap(lambda k: (k, 0), (6,)), 2)) == (["6"], ["point[0]", "0"], "1")
    assert shown(read(IndexMap(lambda k: k, 6), 1)) == (["6"], ["point[0]"], "1")
    assert read(IndexMap(lambda *at: at), 2).names == ()
    # A parameter with a default, or one that is named, is no coordinate.
    assert read(IndexMap(lambda i, by=2, *, more=1: i * by), 1).names == ("i",)
    assert shown(read(IndexMap(lambda i, grid: grid[0] - 1 - i), 1))[1] == ["grid[0] - 1 - point[0]"]
    assert shown(read(IndexMap(lambda i, *, grid: grid[0] - 1 - i), 1))[1] == ["grid[0] - 1 - point[0]"]
    assert shown(index_maps.identity(2)) == (["grid[0]", "grid[1]"], ["point[0]", "point[1]"], "1")
    assert (str(index_maps.point(3)), str(index_maps.grid(1))) == ("point[3]", "grid[1]")


def test_what_is_kept_of_a_map_is_what_it_computes() -> None:
    first, second = (read(made, 1) for made in (IndexMap(lambda i: i + 1), IndexMap(lambda i: i + 1)))
    assert first.place != second.place or first.place is None
    assert repr(first) == repr(second) == "PointMap(['grid[0]'], ['point[0] + 1'], '1')"


def written_below(i: Any) -> Any:
    return (
        i
        + 1
    )  # fmt: skip


def test_where_a_map_is_written() -> None:
    place = read(IndexMap(written_below), 1).place
    assert isinstance(place, Place)
    line = written_below.__code__.co_firstlineno
    assert (place.file, place.line, place.end_line) == (__file__, line + 1, line + 4)
    span = read(IndexMap(lambda äöü: äöü * 2), 1).place
    assert span is not None
    with open(__file__, encoding="utf-8") as file:
        text = file.read().splitlines()[span.line - 1]
    assert text[span.span.start : span.span.end] == "äöü * 2"
    assert read(IndexMap(index_maps.OWN_PLACE.region, where=lambda i: i < 2), 1).place is not None  # the user's part
    assert read(index_maps.OWN_PLACE, 2).place is None
    forgotten = written_below.__code__.replace(co_linetable=b"")
    assert index_maps.place_of(forgotten, "elsewhere.py") == Place("elsewhere.py", line, 0, line, 0)


def taken(made: IndexMap, *grid: int) -> list[tuple[int, ...]]:
    """The regions that the points of a launch take, in the order of the points."""
    found = read(made, len(grid))
    env = {f"grid[{axis}]": count for axis, count in enumerate(grid)}
    regions: list[tuple[int, ...]] = []
    for at in product(*(range(t.evaluate(env)) for t in found.domain)):
        here = env | {f"point[{axis}]": i for axis, i in enumerate(at)}
        if found.where.evaluate(here):
            regions.append(tuple(t.evaluate(here) for t in found.region))
    return regions


def test_maps_of_the_library() -> None:
    assert taken(index_maps.OWN_PLACE, 2, 2) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert taken(index_maps.REVERSED, 2, 2) == [(1, 1), (1, 0), (0, 1), (0, 0)]
    assert taken(index_maps.REVERSED, 3) == [(2,), (1,), (0,)]
    assert taken(index_maps.SKEWED, 2, 3) == [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (1, 0)]
    assert taken(index_maps.SKEWED, 1, 3, 2)[2:4] == [(0, 1, 1), (0, 1, 0)]
    assert taken(index_maps.LOWER_TRIANGLE, 2, 3) == [(0, 0), (1, 0), (1, 1)]
    assert taken(index_maps.UPPER_TRIANGLE, 2, 3) == [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2)]
    assert taken(index_maps.LOWER_TRIANGLE, 2, 2, 2) == [
        (0, 0, 0),
        (0, 1, 0),
        (0, 1, 1),
        (1, 0, 0),
        (1, 1, 0),
        (1, 1, 1),
    ]
    assert taken(index_maps.permuted(1, 0), 2, 3) == [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)]
    assert taken(index_maps.permuted(1, 2, 0), 2, 1, 3)[:3] == [(0, 0, 0), (1, 0, 0), (0, 0, 1)]
    assert taken(index_maps.interleaved(2), 5) == [(0,), (2,), (4,), (1,), (3,)]
    assert taken(index_maps.interleaved(4), 2, 4) == [(i, j) for i in range(2) for j in range(4)]
    assert taken(index_maps.interleaved(1), 3) == [(0,), (1,), (2,)]
    assert index_maps.interleaved(3) is index_maps.interleaved(3)


@pytest.mark.parametrize("axes", [(1,), (0, 0), (1, 2), (0, 2), (-1, 0)])
def test_what_is_no_permutation(axes: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="has each axis from 0 on once"):
        index_maps.permuted(*axes)


@pytest.mark.parametrize("ways", [0, -1])
def test_there_is_a_sequence(ways: int) -> None:
    with pytest.raises(ValueError, match=f"at least one sequence, not {ways}"):
        index_maps.interleaved(ways)


def test_symbols_are_shown_and_not_kept_in_sets() -> None:
    symbol = index_maps.SymbolicInt(terms.parse("M + 1"))
    assert repr(symbol) == "M + 1"
    with pytest.raises(TypeError, match="unhashable"):
        hash(symbol)
