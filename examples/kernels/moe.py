"""Mixtures of experts: launches of `freehold.kernels`; groups scaled in place, and sums in any order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import freehold as fh
from examples.kernels.example import BF16, Example, Inputs, softmax, unwritten
from freehold import Acc, Mut, Ref, i32
from freehold.kernels.experts import (
    chunk_groups,
    combine_rows,
    count_experts,
    counts_before,
    first_rows,
    gather_rows,
    grouped_tiles,
    grouped_tiles_backward,
    invert,
    places_of_rows,
    route_rows,
    sum_counts,
)


@fh.kernel
def scale_groups(x: Mut["S", "D"], scale: Ref["E"], offsets: Ref[i32, "E + 1"]):
    """Multiplies the rows of each group by the group's number, in place; rows of no group stay as they are."""
    e, _, _ = x.index
    x.store(x.load() * scale.load((e,), (1,)))


@fh.kernel
def combine(y: Acc["T", "D"], x: Ref["S", "D"], token: Ref[i32, "S"], weight: Ref["S"]):
    """Row s of x, times weight[s], is added to row token[s] of y, in any order."""
    s, d = x.index
    rows = token.load((s,), (x.tile[0],))
    columns = d * x.tile[1] + fh.arange(x.tile[1])
    inside = s * x.tile[0] + fh.arange(x.tile[0]) < x.shape[0]
    part = x.load() * weight.load((s,), (x.tile[0],))[:, None]
    y.add_at(part, rows[:, None], columns[None, :], mask=inside[:, None])


def examples() -> Iterator[Example]:
    """A launch of each kernel of this file."""
    new = Inputs(6)
    T, E, D, K = 21, 11, 40, 2
    logits = new.normal(T, E)
    experts = np.argsort(-logits, axis=1, kind="stable")[:, :K].astype(np.int32)
    weights = softmax(np.take_along_axis(logits, experts, axis=1))
    parts = fh.partition(unwritten(T, K), (8, K)), fh.partition(unwritten(T, K, dtype=np.int32), (8, K))
    yield Example(route_rows, (*parts, logits, 16, K, True), {0: weights, 1: experts})

    flat = experts.reshape(-1)
    counts = np.stack([np.bincount(flat[n : n + 16], minlength=E) for n in range(0, T * K, 16)]).astype(np.int32)
    part = fh.partition(unwritten(3, E, dtype=np.int32), (1, 16))
    yield Example(count_experts, (part, flat, 16), {0: counts}, 0)

    order = np.argsort(flat, kind="stable")
    token = (order // K).astype(np.int32)
    x = new.normal(T, D)
    source = order.astype(np.int32)
    yield Example(gather_rows, (fh.partition(unwritten(T * K, D), (8, 32)), x, source, K), {0: x[token]}, 0)

    offsets = np.concatenate([[0], np.bincount(flat, minlength=E).cumsum()]).astype(np.int32)
    before = counts.cumsum(0).astype(np.int32) - counts
    parts = (
        fh.partition(unwritten(E + 1, dtype=np.int32), 16),
        fh.partition(unwritten(3, E, dtype=np.int32), (1, 16), owned=0),
    )
    yield Example(sum_counts, (*parts, counts, 16), {0: offsets, 1: before}, 0)
    part = fh.partition(unwritten(3, E, dtype=np.int32), (2, 4), owned=0)
    yield Example(counts_before, (part, counts, 2), {0: before}, 0)
    part = fh.partition(unwritten(E + 1, dtype=np.int32), 16)
    yield Example(first_rows, (part, before, counts, 16), {0: offsets}, 0)
    slot = np.empty(T * K, np.int32)
    slot[order] = np.arange(T * K)
    parts = fh.partition(unwritten(T * K, dtype=np.int32), 16), fh.partition(unwritten(T * K, dtype=np.int32), 16)
    yield Example(places_of_rows, (*parts, flat, offsets, before), {0: slot}, 0)
    yield Example(invert, (np.zeros(T * K, np.int32), fh.partition(slot, 16)), {0: source}, 0)

    x, w = new.normal(T * K, D), new.normal(E, D, 50)
    wanted = np.concatenate([x[offsets[e] : offsets[e + 1]] @ w[e] for e in range(E)])
    y = unwritten(T * K, 50)
    yield Example(grouped_tiles, (fh.ragged(y, (4, 32), by="offsets"), x, w, offsets, None, 16), {0: wanted}, checks=1)
    dy = new.normal(T * K, 50)
    dw = np.stack([dy[offsets[e] : offsets[e + 1]].T @ x[offsets[e] : offsets[e + 1]] for e in range(E)])
    part = fh.partition(unwritten(E, 50, D), (1, 32, 32))
    yield Example(grouped_tiles_backward, (part, dy, x, offsets, 16), {0: dw})
    narrow = x.astype(BF16), np.ascontiguousarray(w.swapaxes(1, 2)).astype(BF16), offsets, None, 32, True
    y = fh.ragged(unwritten(T * K, 50, dtype=BF16), (16, 64), by="offsets", most=16)
    yield Example(grouped_tiles, (y, *narrow), {0: wanted}, 2e-2, checks=1)
    pairs = [(n, e) for e in range(E) for n in range(offsets[e], offsets[e + 1], 4)]
    chunks = np.array(pairs + [(T * K, 0)] * (21 + 1 - len(pairs)), np.int32).T
    yield Example(
        chunk_groups, (fh.partition(unwritten(2, 22, dtype=np.int32), (2, 16)), offsets, T * K, 4, 16), {0: chunks}, 0
    )
    y = fh.ragged(unwritten(T * K, 50), (4, 32), by="offsets", most=4, blocks=fh.PERSISTENT)
    yield Example(grouped_tiles, (y, x, w, *np.ascontiguousarray(chunks), 16), {0: wanted}, checks=1)

    some, scale = offsets[2:], new.normal(E - 2)
    wanted = x.copy()
    for e in range(E - 2):
        wanted[some[e] : some[e + 1]] *= scale[e]
    part = fh.ragged(x.copy(), (2, 32), by="offsets", most=8, order=fh.grouped(4))
    yield Example(scale_groups, (part, scale, some), {0: wanted}, 0, checks=1)

    rows, weight = new.normal(T * K, D), weights.reshape(-1)[order]
    wanted = np.zeros((T, D), np.float32)
    np.add.at(wanted, token, rows * weight[:, None])
    sums = np.zeros((T, D), np.float32)
    yield Example(combine, (sums, fh.partition(rows, (8, 32)), token, weight), {0: wanted})

    part = fh.partition(unwritten(T, D), (8, 32))
    yield Example(combine_rows, (part, rows, slot.reshape(T, K), weights, K), {0: wanted})
