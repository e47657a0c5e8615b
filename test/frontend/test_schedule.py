"""Orders, blocks, grids and partitions as data: what is no such thing is refused, and what they say of a launch."""

# pyright: reportArgumentType=false
from __future__ import annotations

from collections.abc import Callable

import pytest

import freehold as fh
from freehold.frontend import index_maps
from freehold.frontend.schedule import COLUMN, EACH, PERSISTENT, ROW, Blocks, Choice, Groups, Order, PartitionSpec
from freehold.support.terms import parse


def test_how_schedules_are_written() -> None:
    assert [repr(o) for o in (ROW, COLUMN, fh.grouped(4))] == [
        "freehold.ROW", "freehold.COLUMN", "freehold.grouped(4)",
    ]  # fmt: skip
    assert [repr(b) for b in Blocks] == ["freehold.EACH", "freehold.PERSISTENT"]
    assert repr(fh.choose(1, "a")) == "freehold.choose(1, 'a')"
    assert fh.choose() == Choice()
    assert [fh.grouped(n) for n in (1, 2**31 - 1)] == [Order("grouped", 1), Order("grouped", 2**31 - 1)]
    assert [repr(g) for g in (fh.Grid(), fh.Grid(4, "2 * N"), fh.Grid("M", "N", order=fh.grouped(2), blocks=7))] == [
        "freehold.Grid()",
        "freehold.Grid(4, 'N * 2')",
        "freehold.Grid('M', 'N', order=freehold.grouped(2), blocks=7)",
    ]
    assert repr(fh.Grid(1, blocks=PERSISTENT)) == "freehold.Grid(1, blocks=freehold.PERSISTENT)"


def test_grids() -> None:
    grid = fh.Grid(4, "cdiv(N, 8)", order=COLUMN)
    assert (grid.extents, grid.order, grid.blocks, grid.count) == (("4", "ceildiv(N, 8)"), COLUMN, EACH, 0)
    assert (grid.rank, fh.Grid().rank) == (2, 0)
    assert [(g.blocks, g.count) for g in (fh.Grid(1, blocks=n) for n in (1, 2**24 - 1, PERSISTENT, EACH))] == [
        (PERSISTENT, 1), (PERSISTENT, 2**24 - 1), (PERSISTENT, 0), (EACH, 0),
    ]  # fmt: skip
    assert fh.Grid(1, 2**31 - 1).extents == ("1", "2147483647")
    assert fh.Grid(4, 4, order=fh.grouped(2)).order == fh.grouped(2)


WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: fh.grouped(0), "a band has from 1 to 2147483647 rows, not 0"),
    (lambda: fh.grouped(2**31), "a band has from 1 to 2147483647 rows"),
    (lambda: fh.Grid(0), "a positive integer or an expression as text, not 0"),
    (lambda: fh.Grid(2**31), "a positive integer or an expression as text"),
    (lambda: fh.Grid(True), "a positive integer or an expression as text, not True"),
    (lambda: fh.Grid(1.5), "a positive integer or an expression as text, not 1.5"),
    (lambda: fh.Grid("N +"), "an expression of names and integers"),
    (lambda: fh.Grid("f(N)"), "an expression of names and integers"),
    (lambda: fh.Grid(1, order="row"), "an order is `freehold.ROW`"),
    (lambda: fh.Grid(4, order=fh.grouped(2)), "it needs two axes"),
    (lambda: fh.Grid(1, blocks=0), "or a number of blocks, not 0"),
    (lambda: fh.Grid(1, blocks=-1), "or a number of blocks, not -1"),
    (lambda: fh.Grid(1, blocks=2**24), "or a number of blocks, not 16777216"),
    (lambda: fh.Grid(1, blocks=True), "or a number of blocks, not True"),
    (lambda: fh.Grid(1, blocks="each"), "or a number of blocks, not 'each'"),
]


@pytest.mark.parametrize(("make", "said"), WRONG)
def test_what_is_no_schedule(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()


def domain(spec: PartitionSpec, groups: str | None = None) -> list[str]:
    extents = [parse(name) for name in ("M", "N", "K")]
    return [*map(str, spec.domain(extents[: len(spec.tile)], None if groups is None else parse(groups)))]


def test_what_partitions_say_of_a_launch() -> None:
    plain = PartitionSpec((4, 8), (4, 8))
    assert (plain.shared, plain.plain, plain.point_map) == ((0, 1), True, index_maps.identity(2))
    assert domain(plain) == ["ceildiv(M, 4)", "ceildiv(N, 8)"]
    assert domain(PartitionSpec((4, 8), (2, 8))) == ["ceildiv(M, 2)", "ceildiv(N, 8)"]
    owned = PartitionSpec((4, 8, 1), (4, 8, 1), owned=(1,))
    assert (owned.shared, owned.plain, owned.point_map) == ((0, 2), False, index_maps.identity(2))
    assert domain(owned) == ["ceildiv(M, 4)", "K"]
    grouped = PartitionSpec((4, 8), (4, 8), groups=Groups("offsets", 0))
    assert (grouped.shared, grouped.plain, grouped.point_map) == ((0, 1), False, index_maps.identity(3))
    assert domain(grouped, "G") == ["G", "ceildiv(M, 4)", "ceildiv(N, 8)"]
    least = PartitionSpec((4, 8), (4, 8), groups=Groups("offsets", 0, 30))
    assert domain(least, "G") == ["G", "8", "ceildiv(N, 8)"]
    other = PartitionSpec((4, 8), (4, 8), groups=Groups("offsets", 1, 30))
    assert domain(other, "G") == ["G", "ceildiv(M, 4)", "4"]
    mapped = PartitionSpec((4, 8), (4, 8), map=index_maps.read(fh.interleaved(2), 2))
    assert (mapped.plain, domain(mapped)) == (False, ["ceildiv(M, 4)", "2", "ceildiv(ceildiv(N, 8), 2)"])
    assert mapped.point_map is mapped.map
    assert [*map(str, plain.grid([parse("M"), parse("N")]))] == ["grid[0]", "grid[1]"]
