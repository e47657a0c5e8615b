"""What a partition may be made of, at the limits, what is said of everything else, and what two calls share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold.frontend.schedule import OpenPartition
from freehold.runtime.launch import partition as made_by
from freehold.support.span import Span

X = np.zeros((64, 64), np.float32)
ORDERS, EXTENTS = "`freehold.ROW`, `COLUMN` or `grouped(n)`", "a positive integer or a tuple of them"
BLOCKS = "`freehold.EACH`, `PERSISTENT` or a number of blocks"
AXES = "axes of the tile, each from 0 to 1 and once"


def halves(i: Any, j: Any) -> Any:
    return i, j


def diagonal(i: Any, j: Any) -> Any:
    return (i + j,)


def first_rows(i: Any, j: Any) -> Any:
    return i < 2


def cut(*arguments: Any, **options: Any) -> Any:
    return fh.partition(X, *arguments, **options).spec


ACCEPTED: list[tuple[Callable[[], Any], dict[str, Any]]] = [
    (lambda: cut((8, 16)), {"tile": (8, 16), "step": (8, 16), "order": fh.ROW, "blocks": fh.EACH, "count": 0}),
    (lambda: cut((8, 16), step=(1, 2**31 - 1)), {"tile": (8, 16), "step": (1, 2**31 - 1)}),
    (lambda: cut([8, 16]), {"tile": (8, 16)}),
    (lambda: cut((4096, 4096)), {"tile": (4096, 4096)}),
    (lambda: cut(np.int64(8)), {"tile": (8,)}),
    (lambda: cut(()), {"tile": (), "step": ()}),
    (lambda: cut((8, 8), blocks=1), {"blocks": fh.PERSISTENT, "count": 1}),
    (lambda: cut((8, 8), blocks=2**24 - 1), {"blocks": fh.PERSISTENT, "count": 2**24 - 1}),
    (lambda: cut((8, 8), blocks=fh.PERSISTENT), {"blocks": fh.PERSISTENT, "count": 0}),
    (lambda: cut((8, 8), owned=1), {"owned": (1,)}),
    (lambda: cut((8, 8), owned=-1), {"owned": (1,)}),
    (lambda: cut((8, 8), owned=(1, -2)), {"owned": (0, 1)}),
    (lambda: cut((8, 8), partial=True), {"partial": True}),
    (lambda: cut((8, 8), order=fh.grouped(2)), {"order": fh.grouped(2)}),
    (lambda: cut((8, 8), owned=1, order=fh.grouped(2)), {"order": fh.grouped(2)}),
    (lambda: cut(8, map=diagonal, grid=(2, 2), order=fh.grouped(2)), {"order": fh.grouped(2)}),
    (lambda: fh.ragged(X, (8, 8), by="offsets").spec, {"tile": (8, 8)}),
    (lambda: fh.ragged(X, 8, by="offsets", order=fh.grouped(2)).spec, {"order": fh.grouped(2)}),
]


@pytest.mark.parametrize("number", range(len(ACCEPTED)))
def test_partitions_say_what_was_given(number: int) -> None:
    make, said = ACCEPTED[number]
    found = make()
    assert {name: getattr(found, name) for name in said} == said
    assert make() is found or "lambda" in repr(make)  # equal ones are one


@pytest.mark.parametrize(
    ("axis", "most", "groups"),
    [(0, None, ("o", 0, 0)), (1, 64, ("o", 1, 64)), (-1, 1, ("o", 1, 1)), (-2, None, ("o", 0, 0))],
)
def test_groups(axis: int, most: int | None, groups: tuple[str, int, int]) -> None:
    found: Any = fh.ragged(X, (8, 8), by="o", axis=axis, most=most).spec
    assert (found.groups.by, found.groups.axis, found.groups.most) == groups


REFUSED: list[tuple[Callable[[], Any], str, str, str]] = [
    (lambda: cut(0), "the tile", EXTENTS, ""),
    (lambda: cut(-8), "the tile", EXTENTS, ""),
    (lambda: cut(2**31), "the tile", "of 16777216 elements at most", ""),
    (lambda: cut((2**31, 1)), "the tile", "of 16777216 elements at most", ""),
    (lambda: cut(8, step=2**31), "the step", "below 2147483648", ""),
    (lambda: cut(True), "the tile", EXTENTS, ""),
    (lambda: cut("8"), "the tile", EXTENTS, ""),
    (lambda: cut(8.0), "the tile", EXTENTS, "help: use `8`"),
    (lambda: cut(8.5), "the tile", EXTENTS, ""),
    (lambda: cut((8.0, 8)), "the tile", EXTENTS, ""),
    (lambda: cut(100), "the tile", "powers of two", "128"),
    (lambda: cut((8, 3)), "the tile", "powers of two", "(8, 4)"),
    (lambda: cut((4096, 8192)), "the tile", "of 16777216 elements at most", ""),
    (lambda: cut((8, 8), step=(8,)), "the step", "as long as the tile (8, 8)", ""),
    (lambda: cut((8, 8), step=(8, 0)), "the step", EXTENTS, "help: use `(8, 64)`"),
    (lambda: cut((8, 8), step=()), "the step", EXTENTS, ""),
    (lambda: cut((8, 8), order="row"), "`order`", ORDERS, "`freehold.ROW`"),
    (lambda: cut((8, 8), order="column"), "`order`", ORDERS, "`freehold.COLUMN`"),
    (lambda: cut((8, 8), order=fh.grouped), "`order`", ORDERS, "`freehold.grouped(8)`"),
    (lambda: cut((8, 8), order=3), "`order`", ORDERS, ""),
    (
        lambda: cut(8, order=fh.grouped(2)),
        "`order`",
        "`freehold.ROW` or `COLUMN` for a tile of one axis",
        "`freehold.ROW`",
    ),
    (lambda: cut((8, 8), blocks="persistent"), "`blocks`", BLOCKS, "`freehold.PERSISTENT`"),
    (lambda: cut((8, 8), blocks="each"), "`blocks`", BLOCKS, "`freehold.EACH`"),
    (lambda: cut((8, 8), blocks=0), "`blocks`", BLOCKS, ""),
    (lambda: cut((8, 8), blocks=2**24), "`blocks`", BLOCKS, ""),
    (lambda: cut((8, 8), blocks=True), "`blocks`", BLOCKS, ""),
    (lambda: cut((8, 8), owned=2), "`owned`", AXES, ""),
    (lambda: cut((8, 8), owned=-3), "`owned`", AXES, ""),
    (lambda: cut((8, 8), owned=(1, -1)), "`owned`", AXES, ""),
    (lambda: cut((8, 8), owned=True), "`owned`", AXES, ""),
    (lambda: cut((8, 8), owned="1"), "`owned`", AXES, ""),
    (lambda: cut((8, 8), map=5), "`map`", "a function of a point's coordinates", ""),
    (lambda: cut((8, 8), where=5), "`where`", "a function of a point's coordinates", ""),
    (lambda: cut(step=8), "`step`", "left out where the tile, the order or the blocks are open", ""),
    (lambda: cut(8, order=fh.choose(), map=halves), "`map`", "left out where", "the function `halves`"),
    (lambda: cut(fh.choose(), order=3), "`order`", ORDERS, ""),
    (lambda: cut(fh.choose(), order=fh.choose(fh.ROW, 3)), "`order`", ORDERS, ""),
    (lambda: cut(fh.choose(), blocks="each"), "`blocks`", "`EACH`", ""),
    (lambda: cut(fh.choose(), partial=1), "`partial`", "True or False", ""),
    (lambda: cut(fh.choose(), owned="1"), "`owned`", "an axis or a tuple of axes", ""),
    (lambda: cut(fh.choose((8, 8)), owned=2), "`owned`", AXES, ""),
    (lambda: cut(fh.choose(8, 3)), "the tile", "powers of two", ""),
    (lambda: fh.partition(fh.partition(X, 8), 8), "the array", "an array", "a partition"),
    (lambda: fh.ragged(X, (8, 8), by="o", axis=2), "`axis`", "one of the tile's axes, from 0 to 1", "2"),
    (lambda: fh.ragged(X, (8, 8), by="o", axis=-3), "`axis`", "one of the tile's axes, from 0 to 1", "-3"),
    (lambda: fh.ragged(X, (8, 8), by="o", axis=True), "`axis`", "one of the tile's axes, from 0 to 1", "True"),
    (
        lambda: fh.ragged(X, (8, 8), by="1 o"),
        "`by`",
        "the name of the parameter that holds the offsets",
        '`by="offsets"`',
    ),
    (lambda: fh.ragged(X, (8, 8), by=X), "`by`", "the name of the parameter that holds the offsets", "ndarray"),  # type: ignore
    (lambda: fh.ragged(X, (8, 8), by="o", most=0), "`most`", EXTENTS, ""),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_is_no_partition_is_refused(number: int) -> None:
    make, what, expected, more = REFUSED[number]
    with pytest.raises(fh.Rejected) as caught:
        make()
    said = " ".join(str(caught.value).split())
    assert caught.value.codes == ("O223",)
    assert what in said
    assert expected in said
    assert more in said


@pytest.mark.parametrize(
    ("given", "offered"),
    [
        (-(2**40), 1024),
        ((-(2**40),), 1024),
        (2**26, 1024),
        (2**31, 1024),
        pytest.param(-(10**6000), 1024, id="digits"),
        ((-(2**20), -(2**20)), (64, 64)),
        ((8191, 4095), (64, 64)),
        ((4096, 8192), (64, 64)),
        ((0,) * 5, (1, 1, 1, 64, 64)),
        ((-100, 3), (128, 4)),
        ((4095, 4096), (4096, 4096)),
        (100.0, 128),
        ("100", 128),
    ],
)
def test_the_tile_that_is_offered_is_one(given: Any, offered: Any) -> None:
    """A negative, an uneven and a large one are wrong in several ways, and the edit mends all of them."""
    with pytest.raises(fh.Rejected) as caught:
        fh.partition(X, given)
    (wrong,) = caught.value.errors
    (nearest,) = wrong.report().helps
    assert nearest == f"use `{offered}`"
    tile = (offered,) if isinstance(offered, int) else offered
    assert fh.partition(X, offered).spec.tile == tile


class Addressed:
    """Its text has an address."""


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (np.zeros(1000), "an ndarray"),
        (np.zeros(1, np.int32), "array([0], dtype=int32)"),
        (Addressed(), "an Addressed"),
        ((Addressed(), 8), "a tuple"),
        (halves, "the function `halves`"),
        (10**400, "an integer of 1329 bits"),
        pytest.param(10**6000, "an integer of 19932 bits", id="digits"),
        (None, "None"),
    ],
)
def test_what_is_no_tile_is_told_in_short(given: Any, told: str) -> None:
    with pytest.raises(fh.Rejected) as caught:
        fh.partition(X, given)
    assert str(caught.value).splitlines()[0].endswith(f", not {told}")


def test_a_tile_in_front_of_its_array_is_told_so() -> None:
    fh.register_source("swapped.py", "fh.partition((8, 16), X)")
    with pytest.raises(fh.Rejected) as caught:
        exec(compile("fh.partition((8, 16), X)", "swapped.py", "exec"), {"fh": fh, "X": X})
    assert "help: use `freehold.partition(X, (8, 16))`" in str(caught.value)


def test_what_is_left_open() -> None:
    assert isinstance(cut(), OpenPartition)
    found: Any = cut()
    assert cut() is found
    assert (found.tile.values, found.owned, found.partial, found.count) == ((), None, False, 0)
    some: Any = cut(fh.choose((8, 8), (16, 16)), order=fh.COLUMN, blocks=3, owned=1, partial=True)
    assert some.tile.values == ((8, 8), (16, 16))
    assert (some.order, some.blocks, some.count, some.owned, some.partial) == (fh.COLUMN, fh.PERSISTENT, 3, (1,), True)
    fixed: Any = cut((8, 8), order=fh.choose(fh.ROW, fh.COLUMN))
    assert (fixed.tile, fixed.blocks) == ((8, 8), fh.EACH)
    assert cut(fh.choose(), owned=(0, 1)).owned == (0, 1)


def test_equal_arguments_are_one_spec_and_others_are_not() -> None:
    offset = 1

    def moved(i: Any, j: Any) -> Any:
        return i + offset, j

    before = cut((8, 8), map=moved)
    assert cut((8, 8), map=moved) is before
    offset = 2
    assert cut((8, 8), map=moved) is not before  # it reads an integer, which is another one now
    assert cut((8, 8)) is not cut((8, 8), partial=True)
    with pytest.raises(fh.Rejected):
        cut((8, 8.0))  # which is equal to (8, 8)


def test_of_functions_it_is_known_what_they_read() -> None:
    inner: Any = made_by
    scale, several = 3, [1]

    def plain(i: Any) -> Any:
        return (i,)

    def scaled(i: Any) -> Any:
        return (i * scale,)

    def with_default(i: Any, by: int = 2) -> Any:
        return (i * by,)

    def by_keyword(i: Any, *, by: int = 2) -> Any:
        return (i * by,)

    def with_a_function(i: Any) -> Any:
        return (*map(lambda n: n + 1, (i,)),)  # noqa: C417 -- a function in it

    def reading_a_list(i: Any) -> Any:
        return (i * several[0],)

    def reading_a_global(i: Any) -> Any:
        return (i * len(ACCEPTED),)

    def reading_the_package(i: Any) -> Any:
        return (i + fh.ROW.size,)

    assert inner._sense(plain) == inner._sense(plain)
    assert inner._sense(scaled)[2:] == (3,)
    assert inner._sense(reading_the_package)
    for function in (with_default, by_keyword, with_a_function, reading_a_list, reading_a_global):
        with pytest.raises(TypeError):
            inner._sense(function)
    assert inner._sense((8, 8)) == inner._sense((8, 8)) != inner._sense((8, 8.0))
    assert inner._sense(fh.ROW) is fh.ROW


def test_a_ready_made_map_may_get_another_domain_or_condition() -> None:
    ready = fh.LOWER_TRIANGLE
    whole = cut((8, 8), map=ready)
    assert cut((8, 8), map=ready).map is whole.map
    fewer = cut((8, 8), map=ready, where=first_rows)
    assert (fewer.map.region, fewer.map.domain) == (whole.map.region, whole.map.domain)
    assert fewer.map.where != whole.map.where
    larger = cut((8, 8), map=ready, grid=(5, 7))
    assert [extent.value for extent in larger.map.domain] == [5, 7]
    assert larger.map.where == whole.map.where


BY_NAME: Any = "row"
MARKED: list[tuple[Callable[[], Any], str]] = [
    (lambda: fh.partition(X, 3), "3"),
    (lambda: fh.partition(X, tile=3), "3"),
    (lambda: fh.partition(X, 8, step=0), "0"),
    (lambda: fh.partition(X, 8, order=BY_NAME), "BY_NAME"),
    (lambda: fh.partition(fh.partition(X, 8), 4), "fh.partition(X, 8)"),
]


@pytest.mark.parametrize(("make", "marked"), MARKED)
def test_the_argument_is_marked(make: Callable[[], Any], marked: str) -> None:
    with pytest.raises(fh.Rejected) as caught:
        make()
    lines = str(caught.value).splitlines()
    row = next(n for n, line in enumerate(lines) if "^" in line)
    assert lines[row - 1][lines[row].index("^") : lines[row].rindex("^") + 1] == marked


def test_what_is_remembered_does_not_grow_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    inner: Any = made_by
    monkeypatch.setattr(inner, "_MOST_REMEMBERED", 3)
    inner._REMEMBERED.clear()
    sizes: list[int] = []
    for blocks in range(1, 8):
        cut((8, 8), blocks=blocks, partial=True)
        sizes.append(len(inner._REMEMBERED))
    assert sizes == [1, 2, 3, 1, 2, 3, 1]


def test_another_array_is_cut_the_same_way() -> None:
    one = fh.partition(X, (8, 8))
    other = one.of(X.T)
    assert other.spec is one.spec
    assert other.array.base is X or other.array is not X
    with pytest.raises(AttributeError, match="has no attribute 'zzz'"):
        one.zzz  # noqa: B018 -- it is read
    with pytest.raises(fh.Rejected, match=r"Mut\.load"):
        one.load  # noqa: B018 -- as above


@pytest.mark.parametrize(
    ("tile", "edit"),
    [((3,), "(4)"), (3, "4"), (5, "8"), (1000, "1024"), ((3, 8), "(4, 8)"), ((2, 9, 3), "(2, 16, 4)")],
)
def test_a_tile_that_is_no_power_of_two_gets_the_next_ones(tile: Any, edit: str) -> None:
    with pytest.raises(fh.Rejected) as caught:
        fh.partition(X, tile)
    report = caught.value.errors[0].report()
    assert report.title == f"the tile of a partition must be powers of two, not {tile!r}"
    assert report.helps == (f"use `{edit.removeprefix('(').removesuffix(')') if len(edit) == 3 else edit}`",)


def test_a_map_that_cannot_be_read_is_shown_where_it_fails() -> None:
    def broken(i: Any, j: Any) -> Any:
        return i, 1 // 0 + j

    with pytest.raises(fh.Rejected) as caught:
        fh.partition(X, (8, 8), map=broken)
    assert "raises ZeroDivisionError" in str(caught.value)
    place = caught.value.errors[0].report().place
    assert isinstance(place, Span)
    assert place.line == broken.__code__.co_firstlineno + 1
    odd: Any = int  # which has no code of Python's
    with pytest.raises(fh.Rejected) as caught:
        fh.partition(X, (8, 8), map=odd)
    place = caught.value.errors[0].report().place
    assert isinstance(place, Span)
    assert place.end - place.start == len("odd")
