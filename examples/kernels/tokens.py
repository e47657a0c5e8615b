"""What stands at both ends of a language model: embeddings, the loss, and drawing the next token."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import freehold as fh
from examples.kernels.elementwise import philox
from examples.kernels.example import Example, Inputs, softmax, unwritten
from freehold import Const, Out, Ref, f32, i32, u32
from freehold.kernels.embeddings import embedding_rows, embedding_rows_backward
from freehold.kernels.losses import (
    cross_entropy_rows,
    cross_entropy_several,
    cross_entropy_tiles_backward,
    cross_entropy_turns,
    cross_entropy_walked,
    sum_of_losses,
    sum_of_parts,
)
from freehold.kernels.reductions import extreme_axis


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
    yield Example(embedding_rows, (fh.partition(unwritten(N, D), (8, 32)), table, ids), {0: table[ids]}, 0)

    dy = new.normal(N, D)
    dtable = np.zeros((V, D), np.float32)
    np.add.at(dtable, ids, dy)
    yield Example(embedding_rows_backward, (np.zeros((V, D), np.float32), fh.partition(dy, (8, 32)), ids), {0: dtable})

    logits, target = new.normal(N, V), new.integers(0, V, N)
    lse = np.log(np.exp(logits).sum(1))
    loss = lse - logits[np.arange(N), target]
    outputs = fh.partition(unwritten(N), 4), fh.partition(unwritten(N), 4)
    yield Example(cross_entropy_rows, (*outputs, logits, target, -100, 0.0, 64), {0: loss, 1: lse})
    ignored, even = int(target[3]), lse - logits.mean(1)
    counts = target != ignored
    smooth = np.where(counts, 0.75 * loss + 0.25 * even, 0)
    yield Example(cross_entropy_rows, (*outputs, logits, target, ignored, 0.25, 64, True, 3), {0: smooth, 1: lse})
    both = np.array([smooth.sum() / counts.sum(), 1 / counts.sum()])
    part, mean = fh.partition(unwritten(2), 2), fh.partition(unwritten(1), 1)
    args = part, mean, smooth.astype(np.float32), target, ignored, True, 16
    yield Example(sum_of_losses, args, {0: both, 1: both[:1]})
    sums, parts = new.normal(N), new.integers(1, 5, N)
    both = np.array([sums.sum() / parts.sum(), 1 / parts.sum()])
    part, mean = fh.partition(unwritten(2), 2), fh.partition(unwritten(1), 1)
    yield Example(sum_of_parts, (part, mean, sums, parts, True, 16), {0: both, 1: both[:1]})
    one = 0.75 * np.eye(V, dtype=np.float32)[target] + 0.25 / V
    gradient = (softmax(logits) - one) * np.where(counts, 0.5, 0)[:, None]
    part, scale = fh.partition(unwritten(N, V), (4, 64)), np.array([0.5], np.float32)
    yield Example(cross_entropy_tiles_backward, (part, scale, logits, target, lse, ignored, 0.25, False), {0: gradient})

    logits, target = new.normal(N, 512), new.integers(0, 512, N)
    lse, ignored = np.log(np.exp(logits).sum(1)), int(target[3])
    loss = np.where(target == ignored, 0, lse - logits[np.arange(N), target])
    for at_once in (1, 2):
        outputs = fh.partition(unwritten(N), 1), fh.partition(unwritten(N), 1)
        ends = 64, at_once, 128, 512
        yield Example(cross_entropy_walked, (*outputs, logits, target, ignored, *ends), {0: loss, 1: lse})
    blocks = np.arange(0, N, 4)
    counts = np.add.reduceat((target != ignored).astype(np.int32), blocks)
    outputs = (
        *(fh.partition(unwritten(len(blocks), dtype=dtype), 1) for dtype in (np.float32, np.int32)),
        *(fh.partition(unwritten(N), 4) for _ in range(2)),
    )
    wanted = {0: np.add.reduceat(loss, blocks), 1: counts, 2: loss, 3: lse}
    yield Example(cross_entropy_several, (*outputs, logits, target, ignored, 256, 64, 512, True), wanted)
    kinds = {1: np.int32}
    outputs = tuple(fh.partition(unwritten(len(t), dtype=kinds.get(n, np.float32)), 1) for n, t in wanted.items())
    yield Example(cross_entropy_turns, (*outputs, logits, target, ignored, 4, 128, 64, 512), wanted)

    part = fh.partition(unwritten(N, 1, dtype=np.int32), (4, 1))
    yield Example(extreme_axis, (part, logits[:, :, None].copy(), False, 64), {0: logits.argmax(1)[:, None]}, 0)

    few = new.normal(N, 60)
    t = few / np.float32(0.7)
    kept = np.where(t >= np.sort(t, axis=1)[:, -4:-3], np.exp(t - t.max(1, keepdims=True)), 0)
    draw = (philox(3, np.arange(N, dtype=np.uint64)) >> np.uint64(8)).astype(np.float32) / 2**24 * kept.sum(1)
    drawn = (kept.cumsum(1) <= draw[:, None]).sum(1)
    parts = fh.partition(unwritten(N, dtype=np.int32), 4), fh.partition(unwritten(N, 60), (4, 64), owned=1)
    yield Example(sample, (*parts, few, 0.7, 4, 3), {0: drawn, 1: kept})
