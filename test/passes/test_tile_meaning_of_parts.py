"""What parts of tensors are to their tiles: neighbours, numbers of elements, pairs, and sums that are added up."""

from __future__ import annotations

from typing import Any

import pytest
from test_tile_meaning import SPANS, meaning

import freehold as fh
from freehold import Acc, Mut, Out, Ref, f16, f32, f64, i8, i32
from freehold.passes.analysis.tile_axes import TileMeaning


def next_tile(y: Out["M", "N"], x: Ref["A", "N"]):
    i, j = y.index
    y.store(x.load((i + 1, j), y.tile))


def next_tile_in_a_branch(y: Out["M", "N"], x: Ref["A", "N"], n: i32):
    i, j = y.index
    t = fh.zeros(y.tile, f32)
    if n > 0:
        t = x.load((i + 1, j), y.tile)
    y.store(t)


def next_tile_in_a_helper(y: Out["M", "N"], x: Ref["A", "N"]):
    y.store(_next(x, y.index, y.tile))


def _next(x: Any, index: Any, tile: Any) -> Any:
    return x.load((index[0] + 1, index[1]), tile)


def next_tiles_in_a_loop(y: Out["M", "N"], x: Ref["A", "N"]):
    i, j = y.index
    t = fh.zeros(y.tile, f32)
    for k in range(2):
        t += x.load((i + k, j), y.tile)
    y.store(t)


def whole_tiles_away(y: Out["M", "N"], x: Ref["A", "N"]):
    fh.require("M % 64 == 0")
    i, j = y.index
    y.store(x.load((i + y.shape[0] // y.tile[0], j), y.tile))


def tiles_away(y: Out["M", "N"], x: Ref["A", "N"]):
    i, j = y.index
    y.store(x.load((i + y.shape[0] // y.tile[0], j), y.tile))


def blocks_away(y: Out["M", "N"], x: Ref["A", "N"]):
    fh.require("M % 64 == 0")
    i, j = y.index
    y.store(x.load((i + y.shape[0] // 64, j), y.tile))


def elements_in_a_loop(y: Out["M", "N"], x: Ref["A"]):
    t = fh.zeros(y.tile, f32)
    for k in range(3):
        t += x.load((y.index[0] + k,), ())
    y.store(t)


def elements_behind_the_start_in_a_loop(y: Out["M", "N"], x: Ref["A"]):
    t = fh.zeros(y.tile, f32)
    for k in range(3):
        t += x.load((y.start[0] + k,), ())
    y.store(t)


def blocks_of_eight_in_a_loop(y: Out["M", "N"], x: Ref["L"]):
    t = fh.zeros(y.tile, f32)
    for k in range(3):
        t += x.load((y.index[0] + k,), (8,)).sum()
    y.store(t)


def gathered_behind_the_number_in_a_loop(y: Out["M", "N"], x: Ref["A"]):
    t = fh.zeros(y.tile, f32)
    for k in range(3):
        t += x.gather(y.index[0] + k + fh.arange(8)).max()
    y.store(t)


def gathered_in_a_loop_in_a_branch(y: Out["M", "N"], x: Ref["A"], n: i32):
    t = fh.zeros(y.tile, f32)
    if n > 0:
        for k in range(n):
            t += x.gather(k * 8 + fh.arange(8)).max()
    y.store(t)


def product_of_ones(y: Out["M", "N"], x: Ref["M", "N"]):
    ones = fh.ones((16, y.tile[1]), f16), fh.ones((y.tile[1], 16), f16)
    y.store(x.load_like(y) + fh.mma(*ones, fh.zeros((16, 16), f32)).max())


def product_of_ones_in_a_loop(y: Out["M", "N"], x: Ref["M", "N"]):
    ones = fh.ones((16, y.tile[1]), f16), fh.ones((y.tile[1], 16), f16)
    t = fh.zeros((16, 16), f32)
    for _ in range(2):
        t = fh.mma(*ones, t)
    y.store(x.load_like(y) + t.max())


def exponentials_of_ones(y: Out["M", "N"], x: Ref["M", "N"]):
    ones = fh.ones((y.tile[1],), f32)
    _, s = fh.reduce((ones, ones), _exponentials, (float("-inf"), 0.0), axis=0)
    y.store(x.load_like(y) + s)


def _exponentials(a: Any, b: Any) -> Any:
    top = fh.maximum(a[0], b[0])
    return top, a[1] * fh.exp(a[0] - top) + b[1] * fh.exp(b[0] - top)


def ones_in_a_row(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load_like(y) + fh.ones(y.tile, f32).flatten().sum())


def square_of_ones_in_a_row(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load_like(y) + fh.ones((y.tile[1], y.tile[1]), f32).flatten().sum())


def numbers_in_the_tile_summed(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load_like(y) + fh.arange(y.tile[1]).sum().astype(f32))


def last_number_in_the_tile(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load_like(y) + fh.arange(y.tile[1]).max().astype(f32))


def running_count_in_a_branch(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    t = x.load_like(y)
    if n > 0:
        t += fh.cumsum(fh.ones((y.tile[1],), f32)).max()
    y.store(t)


def first_elements_of_a_table(y: Out["M", "N"], x: Ref["A"]):
    y.store(fh.zeros(y.tile, f32) + x.gather(fh.arange(y.tile[1])).sum())


def pairs_added(y: Acc[f32, 1], x: Mut["M"]):
    t = x.load()
    y.at(0).add((t[:, None] * t[None, :]).sum())


def pairs_added_in_a_loop(y: Acc[f32, 1], x: Mut["M"], n: i32):
    for _ in range(n):
        t = x.load()
        y.at(0).add((t[:, None] * t[None, :]).sum())


def blocks_of_the_diagonal(y: Acc[f32, 1], x: Mut["M"], w: Ref["M", "M"]):
    i = x.index[0]
    y.at(0).add(w.load((i, i), (x.tile[0], x.tile[0])).sum())


def gathered_blocks_of_the_diagonal(y: Acc[f32, 1], x: Mut["M"], w: Ref["M", "M"]):
    rows = x.start[0] + fh.arange(x.tile[0])
    y.at(0).add(w.gather(rows[:, None], rows[None, :]).sum())


def products_of_rows_of_a_tile(y: Acc[f32, 1], x: Mut["M"], w: Ref["M", 16]):
    t = w.load((x.index[0], 0), (x.tile[0], 16)).astype(f16)
    y.at(0).add(fh.mma(t, t.T, fh.zeros((x.tile[0], x.tile[0]), f32)).sum())


def sum_added_to_each(y: Acc[f32, "M"], x: Mut["M"]):
    y.at(x.index[0]).add(fh.broadcast_to(x.load().sum(), (x.tile[0],)))


def sum_added_to_some(y: Acc[f32, "M"], x: Mut["M"]):
    rows = x.start[0] + fh.arange(x.tile[0])
    y.add_at(x.load().sum(), 0, mask=rows < 5)


def sum_added_to_each_in_a_branch(y: Acc[f32, "M"], x: Mut["M"], n: i32):
    if n > 0:
        y.add_at(x.load().sum(), x.start[0] + fh.arange(x.tile[0]))


def sums_that_wrap(y: Acc[f32, 1], x: Mut["M"]):
    y.at(0).add(x.load().astype(i8).sum().astype(f32))


def sums_of_32_bits(y: Acc[f32, 1], x: Mut["M"]):
    y.at(0).add(x.load().astype(i32).sum().astype(f32))


def sums_of_truths(y: Acc[f32, 1], x: Mut["M"]):
    y.at(0).add((x.load() > 0).sum().astype(f32))


def sums_of_16_bits(y: Acc[f32, 1], x: Mut["M"]):
    y.at(0).add(x.load().astype(f16).sum().astype(f32))


def sums_of_64_bits(y: Acc[f32, 1], x: Mut["M"]):
    y.at(0).add(x.load().sum().astype(f64).astype(f32))


def sums_as_16_bits(y: Acc[f32, 1], x: Mut["M"]):
    y.at(0).add(x.load().sum().astype(f16).astype(f32))


def counts_as_16_bits_in_a_branch(y: Acc[f32, 1], x: Mut["M"], n: i32):
    if n > 0:
        y.at(0).add((x.load() > 0).sum().astype(f16).astype(f32))


def sums_as_16_bits_in_a_helper(y: Acc[f32, 1], x: Mut["M"]):
    _add_as_16_bits(y, x.load().sum())


def _add_as_16_bits(y: Any, total: Any) -> None:
    y.at(0).add(total.astype(f16).astype(f32))


def sums_in_16_bits(y: Acc[f16, 1], x: Mut["M"]):
    y.at(0).add(x.load().sum().astype(f16))


def handed_from_turn_to_turn(y: Out["M", "N"], x: Ref["M", "N"]):
    z = x.load((0, 0), (1, 1)).max() * fh.ones(y.tile, f32)
    a, b, c, d, e, f = z, z, z, z, z, z
    for _ in range(8):
        a, b, c, d, e, f = b, c, d, e, f, x.load_like(y)
    y.store(z + a.max())


def asserted_of_starts(y: Out["M", "N"], x: Ref["M", "N"]):
    assert y.start[0] < 8, "the first rows"
    y.store(x.load_like(y))


def asserted_of_starts_in_a_loop(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    for k in range(n):
        assert y.start[0] + k < 8, "the first rows"
    y.store(x.load_like(y))


def asserted_of_starts_in_a_helper(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    if n > 0:
        _asserted(y.start[0])
    y.store(x.load_like(y))


def _asserted(start: Any) -> None:
    assert start < 8, "the first rows"


def asserted_of_what_is_passed(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    assert n < 8, "few"
    y.store(x.load_like(y))


def next_place_compared_with_the_stop(y: Out["M", "N"], x: Ref["M", "N"]):
    rows = y.start[0] + fh.arange(y.tile[0])
    y.store(fh.where((rows + 1 < y.stop[0])[:, None], x.load_like(y), 0.0))


def place_compared_with_the_stop(y: Out["M", "N"], x: Ref["M", "N"]):
    rows = y.start[0] + fh.arange(y.tile[0])
    y.store(fh.where((rows[:, None] < y.stop[0]), x.load_like(y), 0.0))


def twice_the_place_compared_in_a_loop(y: Out["M", "N"], x: Ref["M", "N"]):
    rows, t = y.start[0] + fh.arange(y.tile[0]), x.load_like(y)
    for _ in range(2):
        t = fh.where((2 * rows < y.stop[0])[:, None], t, 0.0)
    y.store(t)


def data_compared_with_the_stop_in_a_branch(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    t = x.load_like(y)
    if n > 0:
        t = fh.where(t.astype(i32) < y.stop[0], t, 0.0)
    y.store(t)


def data_compared_with_the_stop_in_a_helper(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(_before(x.load_like(y), y.stop[0]))


def _before(t: Any, stop: Any) -> Any:
    return fh.where(t.astype(i32) < stop, t, 0.0)


def next_number_compared_with_what_is_left(y: Out["M", "N"], x: Ref["M", "N"]):
    inside = fh.arange(y.tile[0]) + 1 < y.stop[0] - y.start[0]
    y.store(fh.where(inside[:, None], x.load_like(y), 0.0))


def as_often_as_regions(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    for _ in range(y.index[0]):
        t += 1.0
    y.store(t)


def as_often_as_elements_in_front(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    t = x.load_like(y)
    if n > 0:
        for _ in range(y.start[0]):
            t += 1.0
    y.store(t)


def as_often_as_elements_of_the_tile_in_a_helper(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    t = x.load_like(y)
    for _ in range(n):
        t = _often(t, y.stop[0] - y.start[0])
    y.store(t)


def _often(t: Any, n: Any) -> Any:
    for _ in range(n):
        t = t + 1.0
    return t


def as_often_as_it_is_told(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    y.store(_often(x.load_like(y), n))


def along_all_in_front(y: Out["M", "N"], x: Ref["M", "N"]):
    t = fh.zeros((1, y.tile[1]), f32)
    for k in range(y.index[0]):
        t += x.load((k, y.index[1]), y.tile).sum(axis=0, keepdims=True)
    y.store(fh.cumsum(x.load_like(y), axis=0) + t)


def place_chosen_by_the_region(y: Out["M", "N"], x: Ref["A"]):
    y.store(fh.zeros(y.tile, f32) + x.load((fh.where(y.index[0] > 0, 3, 5),), ()))


def place_chosen_in_a_loop(y: Out["M", "N"], x: Ref["A"]):
    t = fh.zeros(y.tile, f32)
    for k in range(2):
        t += x.load((fh.where(y.start[0] > k, 3, 5),), ())
    y.store(t)


def place_chosen_in_a_helper(y: Out["M", "N"], x: Ref["A"], n: i32):
    t = fh.zeros(y.tile, f32)
    if n > 0:
        t += x.load((_chosen(y.index[0] > 0),), ())
    y.store(t)


def _chosen(first: Any) -> Any:
    return fh.where(first, 3, 5)


def place_chosen_by_what_is_passed(y: Out["M", "N"], x: Ref["A"], n: i32):
    y.store(fh.zeros(y.tile, f32) + x.load((fh.where(n > 0, 3, 5),), ()))


def eight_places_for_each(y: Acc[i32, "L"], x: Mut[i32, "M"]):
    y.at(x.index[0]).maximum(fh.full((8,), 7, i32))


def eight_places_for_each_added(y: Acc["L"], x: Mut["M"], n: i32):
    for _ in range(n):
        y.at(x.index[0]).add(fh.full((8,), 1.0, f32))


def as_many_places_as_elements(y: Acc[i32, "L"], x: Mut[i32, "M"], n: i32):
    if n > 0:
        y.maximum_at(7, fh.arange(x.tile[0]))


def places_of_elements(y: Acc[i32, "L"], x: Mut[i32, "M"]):
    y.maximum_at(7, x.start[0] + fh.arange(x.tile[0]))


def as_often_as_regions_with_a_count(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y) + fh.arange(2).max().astype(f32)
    for _ in range(y.index[0]):
        t += 1.0
    y.store(t)


ASKED: list[tuple[Any, dict[str, Any]]] = [
    (next_tile, {"whole": {0}, "unclear": True}),
    (next_tile_in_a_branch, {"whole": {0}, "unclear": True}),
    (next_tile_in_a_helper, {"whole": {0}, "unclear": True}),
    (next_tiles_in_a_loop, {"whole": {0}}),
    (elements_in_a_loop, {"ones": {0}}),
    (elements_behind_the_start_in_a_loop, {"counted": {0}}),
    (blocks_of_eight_in_a_loop, {"ones": {0}}),
    (gathered_behind_the_number_in_a_loop, {"ones": {0}}),
    (gathered_in_a_loop_in_a_branch, {}),
    (product_of_ones, {"unclear": True}),
    (product_of_ones_in_a_loop, {"unclear": True}),
    (exponentials_of_ones, {"unclear": True}),
    (ones_in_a_row, {"unclear": True}),
    (square_of_ones_in_a_row, {"unclear": True}),
    (numbers_in_the_tile_summed, {"whole": {1}}),
    (last_number_in_the_tile, {"whole": {1}}),
    (running_count_in_a_branch, {"whole": {1}}),
    (first_elements_of_a_table, {"whole": {1}}),
    (handed_from_turn_to_turn, {"whole": {0, 1}}),
    (asserted_of_starts, {"counted": {0}}),
    (asserted_of_starts_in_a_loop, {"counted": {0}}),
    (asserted_of_starts_in_a_helper, {"counted": {0}}),
    (asserted_of_what_is_passed, {}),
    (next_place_compared_with_the_stop, {"counted": {0}}),
    (place_compared_with_the_stop, {}),
    (twice_the_place_compared_in_a_loop, {"counted": {0}}),
    (data_compared_with_the_stop_in_a_branch, {"counted": {0}}),
    (data_compared_with_the_stop_in_a_helper, {"counted": {0}}),
    (next_number_compared_with_what_is_left, {"whole": {0}}),
    (as_often_as_regions, {"counted": {0}}),
    (as_often_as_elements_in_front, {"counted": {0}}),
    (as_often_as_elements_of_the_tile_in_a_helper, {"counted": {0}}),
    (as_often_as_it_is_told, {}),
    (as_often_as_regions_with_a_count, {"whole": {0}, "counted": {0}}),
    (along_all_in_front, {"whole": {0}}),
    (place_chosen_by_the_region, {"counted": {0}}),
    (place_chosen_in_a_loop, {"counted": {0}}),
    (place_chosen_in_a_helper, {"counted": {0}}),
    (place_chosen_by_what_is_passed, {}),
]
ADDED: list[tuple[Any, set[int]]] = [
    (pairs_added, {0}),
    (pairs_added_in_a_loop, {0}),
    (blocks_of_the_diagonal, {0}),
    (gathered_blocks_of_the_diagonal, {0}),
    (products_of_rows_of_a_tile, {0}),
    (sum_added_to_each, {0}),
    (sum_added_to_some, {0}),
    (sum_added_to_each_in_a_branch, {0}),
    (as_many_places_as_elements, {0}),
    (places_of_elements, set()),
    (sums_that_wrap, {0}),
    (sums_of_32_bits, {0}),
    (sums_of_truths, set()),
    (sums_of_16_bits, {0}),
    (sums_of_64_bits, set()),
    (sums_as_16_bits, {0}),
    (counts_as_16_bits_in_a_branch, {0}),
    (sums_as_16_bits_in_a_helper, {0}),
    (sums_in_16_bits, set()),
]
"""Kernels that add to an accumulator, and the axes of a tile of two that have to be whole."""


@pytest.mark.parametrize(("kernel", "asked"), ASKED, ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_asked_of_tiles(kernel: Any, asked: dict[str, Any]) -> None:
    found = meaning(kernel, 2, 8)
    found.spans.clear()
    assert found == TileMeaning(**asked)


@pytest.mark.parametrize(("kernel", "whole"), ADDED, ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_added_is_a_sum_of_parts(kernel: Any, whole: set[int]) -> None:
    found = meaning(kernel, 2)
    assert found.whole == whole
    assert not found.unclear
    assert not found.counted


def test_tiles_a_part_of_a_table_away() -> None:
    assert meaning(whole_tiles_away, 2, 8) == TileMeaning(spans={*SPANS, (0, 2, 64)})
    assert meaning(tiles_away, 2, 8).unclear
    assert meaning(blocks_away, 2, 8).unclear


@pytest.mark.parametrize("kernel", [eight_places_for_each, eight_places_for_each_added])
def test_places_for_each_tile_are_unclear(kernel: Any) -> None:
    assert meaning(kernel, 4).unclear
    assert not meaning(kernel, 8).unclear
