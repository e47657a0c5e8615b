"""What kernels ask of their tiles: which axes are whole, which have one element, and of which no tile is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Acc, Const, Mut, Out, Ref, f16, f32, i32
from freehold.passes.analysis.tile_axes import TileMeaning
from freehold.passes.analysis.tile_meaning import tile_meaning
from freehold.passes.launch_contract import kernel_of

EXTENTS = {"A": 64, "L": 512, "P": 13, "M": 16, "N": 32, "K": 8, "E": 8, "x.shape[0]": 16, "x.shape[1]": 32}


def plain(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load_like(y) * 2.0 + 1.0)


def own(y: Mut["M", "N"], x: Ref["M", "N"]):
    y.store(y.load() + x.load_like(y))


def rows(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(t - t.sum(axis=1, keepdims=True))


def columns(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(t - t.max(axis=0, keepdims=True))


def everything(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(t - t.sum())


def scanned(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(fh.cumsum(x.load_like(y), axis=1))


def turned(y: Out["M", "N"], x: Ref["N", "M"]):
    i, j = y.index
    y.store(x.load((j, i), (y.tile[1], y.tile[0])).T)


def numbered(y: Out["M", "N"]):
    i, _ = y.index
    y.store(fh.full(y.tile, 0.0, f32) + i)


def elements_numbered(y: Out["M", "N"]):
    _, j = y.index
    columns = j * y.tile[1] + fh.arange(y.tile[1])
    y.store(fh.broadcast_to(columns[None, :], y.tile).astype(f32))


def numbers_in_the_tile(y: Out["M", "N"]):
    y.store(fh.broadcast_to(fh.arange(y.tile[1])[None, :], y.tile).astype(f32))


def decided(y: Out["M", "N"], x: Ref["M", "N"]):
    i, _ = y.index
    t = x.load_like(y)
    if i > 0:
        t = t * 2.0
    y.store(t)


def decided_by_elements(y: Out["M", "N"], x: Ref["M", "N"]):
    i, _ = y.index
    t = x.load_like(y)
    if i * y.tile[0] > 4:
        t = t * 2.0
    y.store(t)


def product(y: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int]):
    m, n = y.index
    acc = fh.zeros(y.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (y.tile[0], BK)), b.load((k, n), (BK, y.tile[1])), acc)
    y.store(acc)


def product_of_parts(y: Out["M", "N"], x: Ref["M", "N"], w: Ref["N", "N"]):
    _, n = y.index
    y.store(fh.mma(x.load_like(y), w.load((n, n), (y.tile[1], y.tile[1])), fh.zeros(y.tile, f32)))


def same_row(y: Out["M", "N"], x: Ref["N"]):
    _, j = y.index
    y.store(fh.broadcast_to(x.load((j,), (y.tile[1],))[None, :], y.tile))


def first_row(y: Out["M", "N"], x: Ref["N"]):
    y.store(fh.broadcast_to(x.load((0,), (y.tile[1],))[None, :], y.tile))


def of_a_table(y: Out["M", "N"], x: Ref["E"]):
    y.store(fh.full(y.tile, 0.0, f32) + x.load((0,), (8,)).sum())


def part_of_a_table(y: Out["M", "N"], x: Ref["E"]):
    y.store(fh.full(y.tile, 0.0, f32) + x.load((0,), (4,)).sum())


def later_part_of_a_table(y: Out["M", "N"], x: Ref["E"]):
    y.store(fh.full(y.tile, 0.0, f32) + x.load((1,), (8,)).sum())


def one_of_each_row(y: Out["M", "N"], x: Ref["M"]):
    i, _ = y.index
    y.store(fh.full(y.tile, 0.0, f32) + x.load((i,), (1,)).item())


def walked(y: Out["M", "N"], x: Ref["M", "N"]):
    i, _ = y.index
    acc = fh.zeros((y.tile[0], 1), f32)
    for k in fh.tiles(x, axis=1, size=8):
        acc = acc + x.load((i, k), (y.tile[0], 8)).sum(axis=1, keepdims=True)
    y.store(fh.broadcast_to(acc, y.tile))


def walked_from_here(y: Out["M", "N"], x: Ref["M", "N"]):
    _, j = y.index
    acc = fh.zeros(y.tile, f32)
    for _ in range(j, 100):
        acc = acc + 1.0
    y.store(acc)


def walked_from_this_element(y: Out["M", "N"], x: Ref["M", "N"]):
    _, j = y.index
    acc = fh.zeros(y.tile, f32)
    for _ in range(j * y.tile[1] // 8, 100):
        acc = acc + 1.0
    y.store(acc)


def carried(y: Out["M", "N"], x: Ref["M", "N"]):
    i, _ = y.index
    number = i
    for _ in range(3):
        number = number + 1
    y.store(fh.full(y.tile, 0.0, f32) + number)


def added(y: Acc[f32, 1], x: Mut["M", "N"]):
    y.add_at(x.load().sum(), 0)


def added_twice(y: Acc[f32, 1], x: Mut["M", "N"]):
    s = x.load().sum()
    y.add_at(s, 0)
    x.store(x.load() * s)


def greatest_added(y: Acc[f32, 1], x: Mut["M", "N"]):
    y.add_at(x.load().max(), 0)


def gathered(y: Out["M", "N"], x: Ref["M"]):
    i, _ = y.index
    rows = i * y.tile[0] + fh.arange(y.tile[0])
    y.store(fh.broadcast_to(x.gather(fh.minimum(rows, x.shape[0] - 1))[:, None], y.tile))


def reshaped(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(t.reshape((y.tile[0] * y.tile[1],)).reshape(y.tile))


def reshaped_and_summed(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y).reshape((y.tile[0], 2, y.tile[1] // 2))
    s = t.sum(axis=1, keepdims=True)
    y.store((t - s).reshape(y.tile))


def chosen(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(fh.where(t > 0.0, t, t.sum(axis=0, keepdims=True)))


def in_a_loop(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    t = x.load_like(y)
    for _ in range(n):
        t = t - t.sum(axis=1, keepdims=True)
    y.store(t)


def in_a_branch(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    t = x.load_like(y)
    if n > 0:
        t = t - t.sum(axis=0, keepdims=True)
    else:
        t = t * 2.0
    y.store(t)


def gathered_by_number(y: Out["M", "N"], x: Ref["M"]):
    i, _ = y.index
    rows = fh.minimum(fh.full((y.tile[0],), 0, i32) + i, x.shape[0] - 1)
    y.store(fh.broadcast_to(x.gather(rows)[:, None], y.tile))


def in_a_while(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    t = x.load_like(y)
    k = 0
    while k < n:
        t = t - t.sum(axis=1, keepdims=True)
        k += 1
    y.store(t)


def doubled_in_a_while(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    t = x.load_like(y)
    k = 0
    while k < n:
        t = t * 2.0
        k += 1
    y.store(t)


def merged_and_summed(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y).reshape((y.tile[0] * y.tile[1],))
    y.store(fh.broadcast_to(t.sum(keepdims=True).reshape((1, 1)), y.tile))


def split_and_scaled(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y).reshape((y.tile[0], 2, y.tile[1] // 2))
    y.store((t * 2.0).reshape(y.tile))


def split_after_being_merged(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y).reshape((y.tile[0] * y.tile[1] // 4, 4))
    y.store((t - t.max(axis=1, keepdims=True)).reshape(y.tile))


def turned_round(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load_like(y).T.reshape(y.tile))


def masked_in_a_loop(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    i, _ = y.index
    acc = fh.zeros((y.tile[0], 1), f32)
    for k in fh.tiles(x, axis=1, size=8):
        inside = (k * 8 + fh.arange(8) < n)[None, :]
        acc = acc + fh.where(inside, x.load((i, k), (y.tile[0], 8)), 0.0).sum(axis=1, keepdims=True)
    y.store(fh.broadcast_to(acc, y.tile))


def masked_here(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    inside = (y.start[1] + fh.arange(y.tile[1]) < n)[None, :]
    y.store(fh.where(inside, x.load_like(y), 0.0))


def with_a_loop(y: Out["M", "N"], x: Ref["M", "N"]):
    i, _ = y.index
    t = x.load_like(y)
    for k in fh.tiles(x, axis=1, size=8):
        t = t + x.load((i, k), (y.tile[0], 8))
    y.store(t)


def two_places(y: Out["M", "N"], x: Ref["N"]):
    t = x.load((0,), (8,)) + x.load((1,), (8,))
    y.store(fh.full(y.tile, 0.0, f32) + t.sum())


def two_tables(y: Out["M", "N"], x: Ref["E"], w: Ref["K"]):
    t = x.load((0,), (8,)) + w.load((0,), (8,))
    y.store(fh.full(y.tile, 0.0, f32) + t.max())


def a_table_and_a_part(y: Out["M", "N"], x: Ref["E"], w: Ref["N"]):
    t = w.load((0,), (8,)) + x.load((0,), (8,))
    y.store(fh.full(y.tile, 0.0, f32) + t.max())


def chosen_in_branches(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    i, j = y.index
    t = x.load((i, j), y.tile) if n > 0 else x.load((i, 0), y.tile)
    y.store(t)


def sum_of_sums_added(y: Acc[f32, 1], x: Mut["M", "N"]):
    y.add_at(x.load().sum(axis=1).astype(f16).sum().astype(f32), 0)


def sum_added_by_rows(y: Acc[f32, 16], x: Mut["M", "N"]):
    s = x.load().sum(axis=1)
    y.add_at(s, x.start[0] + fh.arange(x.tile[0]))


def beside_itself(y: Out["M", "N"], x: Ref["M", "N"], w: Ref["N", "M"]):
    y.store(x.load_like(y) + w.load((0, 0), (y.tile[1], y.tile[0])).T)


def starts_stored(y: Out["M", "N"]):
    y.store(y.start[1].astype(f32))


def starts_of_another_axis(y: Out["M", "N"]):
    y.store((y.start[0] + y.start[1] + fh.arange(y.tile[0]))[:, None].astype(f32))


def starts_plus_multiples(y: Out["M", "N"]):
    y.store(fh.broadcast_to((y.start[1] + 2 * fh.arange(y.tile[1]))[None, :], y.tile).astype(f32))


def multiples_of_places(y: Out["M", "N"]):
    y.store(fh.broadcast_to(2 * (y.start[1] + fh.arange(y.tile[1]) + 1)[None, :], y.tile).astype(f32))


def starts_plus_data(y: Out["M", "N"], x: Ref[i32, "M"]):
    y.store((x.load((0,), (y.tile[0],)) + y.start[0])[:, None].astype(f32))


def starts_summed(y: Out["M", "N"]):
    y.store(fh.sum(fh.full(y.tile, y.start[1], i32)).astype(f32))


def starts_bitwise(y: Out["M", "N"]):
    y.store(fh.full(y.tile, 0.0, f32) + (y.start[1] & 8))


def blocks_of_32_columns(y: Out["M", "N"], x: Ref["M"]):
    y.store(x.gather(y.start[1] // 32))


def blocks_of_12_columns(y: Out["M", "N"], x: Ref["M"]):
    y.store(x.gather(y.start[1] // 12))


def starts_gathered(y: Out["M", "N"], x: Ref["M"]):
    y.store(x.gather(y.start[0]))


def starts_loaded(y: Out["M", "N"], x: Ref["M"]):
    y.store(x.load((y.start[0],), ()))


def starts_compared(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(fh.where(t > y.start[1], t, 0.0))


def starts_in_a_helper(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(_from(x.load_like(y), y.start[1]))


def _from(t: Any, start: Any) -> Any:
    return t + start


def starts_in_a_loop(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    t, k = x.load_like(y), y.start[1]
    for _ in range(n):
        t = t + k
        k = k + 1
    y.store(t)


def masked_by_number(y: Out["M", "N"], x: Ref["N"]):
    columns = y.start[1] + fh.arange(y.tile[1])
    y.store(fh.broadcast_to(x.gather(columns, mask=fh.arange(y.tile[1]) < 5)[None, :], y.tile))


def masked_by_starts(y: Out["M", "N"], x: Ref["N"]):
    columns = y.start[1] + fh.arange(y.tile[1])
    y.store(fh.broadcast_to(x.gather(columns, mask=y.start[1] < 5)[None, :], y.tile))


def masked_by_what_is_left(y: Out["M", "N"], x: Ref["M", "N"]):
    inside = fh.arange(y.tile[1]) < x.shape[1] - y.start[1]
    y.store(fh.where(inside[None, :], x.load_like(y), 0.0))


def masked_by_half_of_what_is_left(y: Out["M", "N"], x: Ref["M", "N"]):
    inside = fh.arange(y.tile[1]) < x.shape[1] - 2 * y.start[1]
    y.store(fh.where(inside[None, :], x.load_like(y), 0.0))


def masked_by_what_is_inside(y: Acc[f32, 1], x: Mut["P", 8]):
    x.store(x.load() * 2.0)
    inside = fh.arange(x.tile[0]) < x.stop[0] - x.start[0]
    y.at(0).add(fh.where(inside[:, None], x.load(), 1.0).sum())


def masked_by_an_overhanging_stop(y: Acc[f32, 1], x: Mut["P", 8]):
    x.store(x.load() * 2.0)
    inside = x.start[0] + fh.arange(x.tile[0]) < x.stop[0]
    y.at(0).add(fh.where(inside[:, None], x.load(), 1.0).sum())


def masked_by_the_stop(y: Out["M", "N"], x: Ref["M", "N"]):
    inside = y.start[1] + fh.arange(y.tile[1]) < y.stop[1]
    y.store(fh.where(inside[None, :], x.load_like(y), 0.0))


def masked_by_another_stop(y: Out["M", "N"], x: Ref["M", "N"]):
    inside = y.start[1] + fh.arange(y.tile[1]) < y.stop[0]
    y.store(fh.where(inside[None, :], x.load_like(y), 0.0))


def tiles_counted(y: Acc[f32, 1], x: Mut["M", "N"]):
    x.store(x.load() * 2.0)
    y.at(0).add(1.0)


def rows_counted_in_each_tile(y: Acc[f32, 16], x: Mut["M", "N"]):
    x.store(x.load() * 2.0)
    y.add_at(1.0, x.start[0] + fh.arange(x.tile[0]))


def tiles_counted_in_a_loop(y: Acc[f32, 1], x: Mut["M", "N"], n: i32):
    x.store(x.load() * 2.0)
    for k in range(n):
        y.at(0).add(f32(k))


def rows_of_another_length_added(y: Acc[f32, 1], x: Mut["M", "N"], w: Ref["K", "N"]):
    x.store(x.load() * 2.0)
    y.at(0).add(w.load((x.index[0], x.index[1]), (4, x.tile[1])).sum())


def greatest_of_sums(y: Acc[i32, 1], x: Mut[i32, "M", "N"]):
    x.store(x.load() * 2)
    y.at(0).maximum(x.load().sum())


def bits_of_sums(y: Acc[i32, 1], x: Mut[i32, "M", "N"]):
    x.store(x.load() * 2)
    y.at(0).bitwise_xor(x.load().sum())


def sums_as_places(y: Acc[i32, 8], x: Mut[i32, "M", "N"]):
    x.store(x.load() * 2)
    y.add_at(1, x.load().sum())


def chosen_by_sums(y: Acc[i32, 8], x: Mut[i32, "M", "N"]):
    x.store(x.load() * 2)
    y.add_at(1, 0, mask=x.load().sum() > 5)


def elements_counted(y: Acc[i32, 8], x: Mut[i32, "M", "N"]):
    x.store(x.load() * 2)
    y.add_at(1, x.load() % 8)


def sums_of_repeated(y: Out["M", "N"], x: Ref["M", "N"], z: Ref["M"]):
    t = z.load((y.index[0],), (y.tile[0],))[:, None] + fh.zeros(y.tile, f32)
    y.store(x.load_like(y) + t.sum(axis=1, keepdims=True))


def sums_of_repeated_in_a_branch(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    t = x.load_like(y)
    if n > 0:
        t += fh.full(y.tile, n, f32).sum(axis=1, keepdims=True)
    y.store(t)


def sums_of_repeated_in_a_loop(y: Out["M", "N"], x: Ref["M", "N"], n: i32):
    t = x.load_like(y)
    for k in range(n):
        t += fh.full(y.tile, k, f32).sum(axis=1, keepdims=True)
    y.store(t)


def repeated_in_a_helper(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load_like(y) + _sum_of(fh.ones(y.tile)))


def _sum_of(t: Any) -> Any:
    return t.sum(axis=1, keepdims=True)


def greatest_of_repeated(y: Out["M", "N"], x: Ref["M", "N"], z: Ref["M"]):
    t = z.load((y.index[0],), (y.tile[0],))[:, None] + fh.zeros(y.tile, f32)
    y.store(x.load_like(y) + t.max(axis=1, keepdims=True))


def sums_of_four(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load_like(y) + fh.full((4,), 2.0).sum())


def added_by_number_in_the_tile(y: Acc[f32, 16], x: Mut["M", "N"]):
    y.add_at(x.load().sum(axis=1), fh.arange(x.tile[0]))


def scaled(y: Out["M", "N"], s: Ref["M"], t: Ref["N"]):
    """Rows and columns differ by what they are scaled by alone."""
    rows = s.load((y.index[0],), (y.tile[0],))[:, None].astype(fh.f8e8m0fnu)
    columns = t.load((y.index[1],), (y.tile[1],))[None, :].astype(fh.f8e8m0fnu)
    ones = fh.ones((y.tile[0], 32), fh.f8e4m3fn), fh.ones((32, y.tile[1]), fh.f8e4m3fn)
    y.store(fh.mma_scaled(ones[0], rows, ones[1], columns, fh.zeros(y.tile, f32)))


def scaled_and_summed(y: Out["M", "N"], s: Ref["M"]):
    rows = s.load((y.index[0],), (y.tile[0],))[:, None].astype(fh.f8e8m0fnu)
    columns = fh.ones((1, y.tile[1]), fh.f8e8m0fnu)
    ones = fh.ones((y.tile[0], 32), fh.f8e4m3fn), fh.ones((32, y.tile[1]), fh.f8e4m3fn)
    t = fh.mma_scaled(ones[0], rows, ones[1], columns, fh.zeros(y.tile, f32))
    y.store(t - t.max(axis=0, keepdims=True))


SPANS: set[tuple[int, int, int | None]] = {(0, 2, 16), (1, 8, 32)}
ASKED: list[tuple[Any, dict[str, Any]]] = [
    (plain, {}),
    (own, {}),
    (rows, {"whole": {1}}),
    (columns, {"whole": {0}}),
    (everything, {"whole": {0, 1}}),
    (scanned, {"whole": {1}}),
    (turned, {}),
    (beside_itself, {"whole": {0, 1}, "unclear": True}),
    (numbered, {"counted": {0}}),
    (elements_numbered, {}),
    (numbers_in_the_tile, {"whole": {1}}),
    (decided, {"counted": {0}}),
    (decided_by_elements, {"counted": {0}}),
    (product, {"products": {(0, "m"), (1, "n")}}),
    (product_of_parts, {"whole": {1}, "products": {(0, "m"), (1, "n")}}),
    (same_row, {}),
    (first_row, {"whole": {1}, "unclear": True}),
    (of_a_table, {}),
    (part_of_a_table, {"unclear": True}),
    (later_part_of_a_table, {"unclear": True}),
    (one_of_each_row, {"ones": {0}}),
    (walked, {}),
    (walked_from_here, {"counted": {1}}),
    (walked_from_this_element, {"counted": {1}}),
    (carried, {"counted": {0}}),
    (added, {}),
    (added_twice, {"whole": {0, 1}}),
    (greatest_added, {"whole": {0, 1}}),
    (gathered, {}),
    (reshaped, {}),
    (reshaped_and_summed, {"whole": {1}}),
    (chosen, {"whole": {0}}),
    (in_a_loop, {"whole": {1}}),
    (in_a_branch, {"whole": {0}}),
    (gathered_by_number, {"counted": {0}}),
    (in_a_while, {"whole": {1}}),
    (doubled_in_a_while, {}),
    (merged_and_summed, {"whole": {0, 1}}),
    (split_and_scaled, {"whole": {1}}),
    (split_after_being_merged, {"whole": {1}}),
    (turned_round, {"whole": {0, 1}}),
    (masked_in_a_loop, {}),
    (masked_here, {}),
    (with_a_loop, {"whole": {1}}),
    (two_places, {"unclear": True}),
    (two_tables, {}),
    (a_table_and_a_part, {"unclear": True}),
    (chosen_in_branches, {"whole": {1}, "unclear": True}),
    (sum_of_sums_added, {"whole": {0, 1}}),
    (sum_added_by_rows, {}),
    (starts_stored, {"counted": {1}}),
    (starts_of_another_axis, {"whole": {0}, "counted": {1}}),
    (starts_plus_multiples, {"whole": {1}}),
    (multiples_of_places, {}),
    (starts_plus_data, {"whole": {0}, "unclear": True}),
    (starts_summed, {"counted": {1}, "unclear": True}),
    (starts_bitwise, {"counted": {1}}),
    (blocks_of_32_columns, {}),
    (blocks_of_12_columns, {"counted": {1}}),
    (starts_gathered, {"counted": {0}}),
    (starts_loaded, {"counted": {0}}),
    (starts_compared, {"counted": {1}}),
    (starts_in_a_helper, {"counted": {1}}),
    (starts_in_a_loop, {"counted": {1}}),
    (masked_by_number, {"whole": {1}}),
    (masked_by_starts, {"counted": {1}}),
    (masked_by_what_is_left, {}),
    (masked_by_half_of_what_is_left, {"whole": {1}}),
    (masked_by_the_stop, {}),
    (masked_by_another_stop, {"counted": {0}}),
    (tiles_counted, {"counted": {0, 1}}),
    (rows_counted_in_each_tile, {"counted": {1}}),
    (tiles_counted_in_a_loop, {"counted": {0, 1}}),
    (greatest_of_sums, {"whole": {0, 1}}),
    (bits_of_sums, {"whole": {0, 1}}),
    (sums_as_places, {"whole": {0, 1}}),
    (chosen_by_sums, {"whole": {0, 1}}),
    (elements_counted, {}),
    (sums_of_repeated, {"unclear": True}),
    (sums_of_repeated_in_a_branch, {"unclear": True}),
    (sums_of_repeated_in_a_loop, {"unclear": True}),
    (repeated_in_a_helper, {"unclear": True}),
    (greatest_of_repeated, {}),
    (sums_of_four, {}),
    (added_by_number_in_the_tile, {"whole": {0}}),
    (scaled, {"products": {(0, "m"), (1, "n")}}),
    (scaled_and_summed, {"whole": {0}, "products": {(0, "m")}}),
]


def meaning(kernel: Any, *tile: int) -> TileMeaning:
    function = fh.kernel(kernel)
    split = next(p.name for p in function.signature.parameters if p.mode in ("out", "mut"))
    given: list[Any] = []
    for p in function.signature.parameters:
        if p.mode in ("const", "scalar"):
            given.append(4)
            continue
        dtype: Any = np.int32 if p.dtype is i32 else np.float16 if p.dtype is f16 else np.float32
        array = np.zeros([EXTENTS.get(str(d)) or int(str(d)) for d in p.dims or ()], dtype)
        given.append(fh.partition(array, tile) if p.name == split else array)
    return tile_meaning(kernel_of(function.lower(*given)), tile, EXTENTS)


@pytest.mark.parametrize(("kernel", "asked"), ASKED, ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_asked_of_tiles(kernel: Any, asked: dict[str, Any]) -> None:
    assert meaning(kernel, 2, 8) == TileMeaning(**asked, spans=SPANS)


@pytest.mark.parametrize("kernel", [masked_by_what_is_inside, masked_by_an_overhanging_stop])
def test_masks_of_what_overhangs(kernel: Any) -> None:
    assert meaning(kernel, 4, 8) == TileMeaning(spans={(0, 4, 13), (1, 8, 8)})


def test_parts_of_another_length_are_not_all_of_it() -> None:
    assert meaning(rows_of_another_length_added, 2, 8).counted == {0}
    assert not meaning(rows_of_another_length_added, 4, 8).counted


@pytest.mark.parametrize("kernel", [numbered, decided, one_of_each_row, carried])
def test_regions_of_one_element_are_places(kernel: Any) -> None:
    assert meaning(kernel, 1, 8) == TileMeaning(spans={(0, 1, 16), (1, 8, 32)})


def test_a_tile_that_covers_a_table_takes_it_whole() -> None:
    assert meaning(first_row, 2, 32) == TileMeaning(whole={1}, spans={(0, 2, 16), (1, 32, 32)})
    assert meaning(first_row, 2, 16).unclear


def test_tiles_that_are_right() -> None:
    assert meaning(plain, 2, 8).allows((2, 8), (8, 4))
    assert meaning(rows, 2, 32).allows((2, 32), (8, 1))
    assert not meaning(rows, 2, 8).allows((2, 8), (8, 4))
    assert not meaning(rows, 2, 8).allows((2, 8), (8, 1))  # ... of another tensor, whose axis is longer
    assert meaning(one_of_each_row, 1, 8).allows((1, 8), (16, 4))
    assert not meaning(one_of_each_row, 2, 8).allows((2, 8), (8, 4))
    assert not meaning(numbered, 2, 8).allows((2, 8), (8, 4))
    assert not meaning(part_of_a_table, 2, 8).allows((2, 8), (8, 4))
    assert TileMeaning(whole={1}, spans={(0, 2, None), (1, 8, 8)}).allows((2, 8), (8, 1))
    assert not TileMeaning(whole={1}, spans={(1, 8, None)}).allows((2, 8), (8, 1))
    assert not TileMeaning(ones={1}).allows((1, 8), (8, 1))
    assert TileMeaning(ones={0}).allows((1, 8), (8, 1))
