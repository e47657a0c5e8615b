"""What stands at both ends of a language model: embeddings, the loss, and drawing the next token."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import freehold as fh
from examples.kernels.elementwise import philox
from examples.kernels.example import Example, Inputs, softmax, unwritten
from freehold import Acc, Const, Out, Ref, f32, i32, u32


@fh.kernel
def embedding(y: Out["N", "D"], table: Ref["V", "D"], ids: Ref[i32, "N"]):
    """y = table[ids]; a number that is no row's gives zeros."""
    rows = ids.load((y.index[0],), (y.tile[0],))
    columns = y.index[1] * y.tile[1] + fh.arange(y.tile[1])
    y.store(table.gather(rows[:, None], columns[None, :]))


@fh.kernel
def embedding_backward(dtable: Acc["V", "D"], dy: Ref["N", "D"], ids: Ref[i32, "N"]):
    """Adds each row of dy to the row of dtable that it came from."""
    n, d = dy.index
    rows = ids.load((n,), (dy.tile[0],))
    columns = d * dy.tile[1] + fh.arange(dy.tile[1])
    inside = n * dy.tile[0] + fh.arange(dy.tile[0]) < dy.shape[0]
    dtable.add_at(dy.load(), rows[:, None], columns[None, :], mask=inside[:, None])


@fh.kernel
def cross_entropy(
    loss: Out[f32, "N"], lse: Out[f32, "N"], logits: Ref["N", "V"], target: Ref[i32, "N"], TV: Const[int] = 64
):
    """loss = log(sum(exp(logits))) - logits[target], in one walk over the vocabulary."""
    (n,) = loss.index
    rows = n * loss.tile[0] + fh.arange(loss.tile[0])
    top = fh.full((loss.tile[0], 1), float("-inf"), f32)
    total = fh.zeros((loss.tile[0], 1), f32)
    for k in fh.tiles(logits, axis=1, size=TV):
        t = logits.load((n, k), (loss.tile[0], TV), padding="-inf").astype(f32)
        higher = fh.maximum(top, t.max(axis=1, keepdims=True))
        total = total * fh.exp(top - higher) + fh.exp(t - higher).sum(axis=1, keepdims=True)
        top = higher
    sums = (top + fh.log(total)).reshape(loss.tile)
    lse.store(sums)
    loss.store(sums - logits.gather(rows, target.load((n,), loss.tile)).astype(f32))


@fh.kernel
def cross_entropy_backward(
    dlogits: Out["N", "V"], logits: Ref["N", "V"], target: Ref[i32, "N"], lse: Ref[f32, "N"], scale: f32
):
    """dlogits = (softmax(logits) - onehot(target)) * scale."""
    n, v = dlogits.index
    p = fh.exp(logits.load_like(dlogits).astype(f32) - lse.load((n,), (dlogits.tile[0],))[:, None])
    columns = v * dlogits.tile[1] + fh.arange(dlogits.tile[1])
    hit = columns[None, :] == target.load((n,), (dlogits.tile[0],))[:, None]
    dlogits.store(((p - fh.where(hit, 1.0, 0.0)) * scale).astype(dlogits.dtype))


@fh.kernel
def argmax(y: Out[i32, "N"], logits: Ref["N", "V"], TV: Const[int] = 64):
    """Where each row is largest; the first of equals."""
    (n,) = y.index
    top = fh.full(y.tile, float("-inf"), f32)
    found = fh.zeros(y.tile, i32)
    for k in fh.tiles(logits, axis=1, size=TV):
        t = logits.load((n, k), (y.tile[0], TV), padding="-inf").astype(f32)
        higher = t.max(axis=1)
        found = fh.where(higher > top, k * TV + fh.argmax(t, axis=1), found)
        top = fh.maximum(top, higher)
    y.store(found)


@fh.kernel
def sample(
    y: Out[i32, "N"], kept: Out[f32, "N", "V"], logits: Ref["N", "V"], temperature: f32, k: Const[int], seed: u32
):
    """Draws from the k most likely tokens of each row; a row fits a tile.

    What they are drawn by is left in `kept`, not yet divided by its sum: the block reads back what it wrote.
    """
    (n,) = y.index
    t = logits.load((n, 0), kept.tile, padding="-inf") / temperature
    best, _ = fh.top_k(t, k)
    weights = fh.exp(t - best.max(axis=1, keepdims=True))
    rest = kept.at(0)
    rest.store(fh.where(t >= best.min(axis=1, keepdims=True), weights, 0.0))
    running = fh.cumsum(rest.load(), axis=1)
    rows = n * y.tile[0] + fh.arange(y.tile[0])
    draw = fh.random_uniform(seed, rows)[:, None] * running.max(axis=1, keepdims=True)
    y.store(fh.minimum((running <= draw).sum(axis=1), logits.shape[1] - 1))


def examples() -> Iterator[Example]:
    """A launch of each kernel of this file."""
    new = Inputs(7)
    N, V, D = 21, 150, 40
    table, ids = new.normal(V, D), new.integers(0, V, N)
    yield Example(embedding, (fh.partition(unwritten(N, D), (8, 32)), table, ids), {0: table[ids]}, 0)

    dy = new.normal(N, D)
    dtable = np.zeros((V, D), np.float32)
    np.add.at(dtable, ids, dy)
    yield Example(embedding_backward, (np.zeros((V, D), np.float32), fh.partition(dy, (8, 32)), ids), {0: dtable})

    logits, target = new.normal(N, V), new.integers(0, V, N)
    lse = np.log(np.exp(logits).sum(1))
    loss = lse - logits[np.arange(N), target]
    outputs = fh.partition(unwritten(N), 4), fh.partition(unwritten(N), 4)
    yield Example(cross_entropy, (*outputs, logits, target), {0: loss, 1: lse})
    gradient = (softmax(logits) - np.eye(V, dtype=np.float32)[target]) * 0.5
    part = fh.partition(unwritten(N, V), (4, 64))
    yield Example(cross_entropy_backward, (part, logits, target, lse, 0.5), {0: gradient})

    part = fh.partition(unwritten(N, dtype=np.int32), 4)
    yield Example(argmax, (part, logits), {0: logits.argmax(1)}, 0)

    few = new.normal(N, 60)
    t = few / np.float32(0.7)
    kept = np.where(t >= np.sort(t, axis=1)[:, -4:-3], np.exp(t - t.max(1, keepdims=True)), 0)
    draw = (philox(3, np.arange(N, dtype=np.uint64)) >> np.uint64(8)).astype(np.float32) / 2**24 * kept.sum(1)
    drawn = (kept.cumsum(1) <= draw[:, None]).sum(1)
    parts = fh.partition(unwritten(N, dtype=np.int32), 4), fh.partition(unwritten(N, 60), (4, 64), owned=1)
    yield Example(sample, (*parts, few, 0.7, 4, 3), {0: drawn, 1: kept})
