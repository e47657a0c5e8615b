"""Mixtures of experts: routing, sorting tokens by expert, and putting the results back together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import freehold as fh
from examples.kernels.example import BF16, Example, Inputs, softmax, unwritten
from freehold import Acc, Const, Mut, Out, Ref, f32, i32


@fh.kernel
def route(weights: Out["T", "K"], experts: Out[i32, "T", "K"], logits: Ref["T", "E"]):
    """The K most likely experts of each token, and the softmax over those. The experts of a token fit a tile."""
    t, _ = weights.index
    E: Const[int] = 16
    scores = logits.load((t, 0), (weights.tile[0], E), padding="-inf")
    best, where = fh.top_k(scores, weights.tile[1])
    e = fh.exp(best - best.max(axis=1, keepdims=True))
    weights.store(e / e.sum(axis=1, keepdims=True))
    experts.store(where)


@fh.kernel
def count(counts: Acc[i32, "E"], experts: Ref[i32, "N"]):
    """How many tokens each expert has."""
    inside = experts.index[0] * experts.tile[0] + fh.arange(experts.tile[0]) < experts.shape[0]
    counts.add_at(1, experts.load(), mask=inside)


@fh.kernel
def permute(y: Out["S", "D"], x: Ref["T", "D"], token: Ref[i32, "S"]):
    """Row s of y is the row token[s] of x; zeros where that is no row."""
    s, d = y.index
    rows = token.load((s,), (y.tile[0],))
    columns = d * y.tile[1] + fh.arange(y.tile[1])
    y.store(x.gather(rows[:, None], columns[None, :]))


@fh.kernel
def grouped_gemm(
    y: Out["S", "N"],
    x: Ref["S", "K"],
    w: Ref["E", "K", "N"],
    offsets: Ref[i32, "E + 1"],
    BK: Const[int] = 16,
):
    """y = x @ w[e] for the rows of each expert e, which are those from offsets[e] up to offsets[e + 1]."""
    e, _, n = y.index
    acc = fh.zeros(y.tile, f32)
    for k in fh.tiles(x, axis=1, size=BK):
        rows = x.load_window((y.start[0], k * BK), (y.tile[0], BK))
        acc = fh.mma(rows, w.load((e, k, n), (1, BK, y.tile[1])).reshape(BK, y.tile[1]), acc)
    y.store(acc.astype(y.dtype))


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


@fh.kernel
def combine_by_token(y: Out["T", "D"], x: Ref["S", "D"], slot: Ref[i32, "T", 2], weight: Ref["T", 2]):
    """The same in a fixed order: token t gathers its two rows, which `slot` says the places of."""
    t, d = y.index
    rows = t * y.tile[0] + fh.arange(y.tile[0])
    columns = d * y.tile[1] + fh.arange(y.tile[1])
    acc = fh.zeros(y.tile, y.dtype)
    for n in fh.static_range(2):
        part = x.gather(slot.gather(rows, n)[:, None], columns[None, :])
        acc += part * weight.gather(rows, n)[:, None]
    y.store(acc)


def examples() -> Iterator[Example]:
    """A launch of each kernel of this file."""
    new = Inputs(6)
    T, E, D, K = 21, 11, 40, 2
    logits = new.normal(T, E)
    experts = np.argsort(-logits, axis=1, kind="stable")[:, :K].astype(np.int32)
    weights = softmax(np.take_along_axis(logits, experts, axis=1))
    parts = fh.partition(unwritten(T, K), (8, K)), fh.partition(unwritten(T, K, dtype=np.int32), (8, K))
    yield Example(route, (*parts, logits), {0: weights, 1: experts})

    flat = experts.reshape(-1)
    yield Example(count, (np.zeros(E, np.int32), fh.partition(flat, 16)), {0: np.bincount(flat, minlength=E)}, 0)

    order = np.argsort(flat, kind="stable")
    token = (order // K).astype(np.int32)
    x = new.normal(T, D)
    yield Example(permute, (fh.partition(unwritten(T * K, D), (8, 32)), x, token), {0: x[token]}, 0)

    offsets = np.concatenate([[0], np.bincount(flat, minlength=E).cumsum()]).astype(np.int32)
    x, w = new.normal(T * K, D), new.normal(E, D, 50)
    wanted = np.concatenate([x[offsets[e] : offsets[e + 1]] @ w[e] for e in range(E)])
    y = unwritten(T * K, 50)
    yield Example(grouped_gemm, (fh.ragged(y, (4, 32), by="offsets"), x, w, offsets), {0: wanted}, checks=1)
    narrow = x.astype(BF16), w.astype(BF16), offsets, 32
    y = fh.ragged(unwritten(T * K, 50, dtype=BF16), (16, 64), by="offsets", most=16)
    yield Example(grouped_gemm, (y, *narrow), {0: wanted}, 2e-2, checks=1)

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

    slot = np.empty(T * K, np.int32)
    slot[order] = np.arange(T * K)
    part = fh.partition(unwritten(T, D), (8, 32))
    yield Example(combine_by_token, (part, rows, slot.reshape(T, K), weights), {0: wanted})
