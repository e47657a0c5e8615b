"""Reductions and scans of several tiles together, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold import Out, Ref, f32, i32
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp
from freehold.support.diagnostic import Rejected

Interpret = Callable[..., None]
RNG = np.random.default_rng(3)


@dataclass(frozen=True)
class Moments:
    """How many numbers, their mean, and the sum of squares about it."""

    count: fh.Tile
    mean: fh.Tile
    squares: fh.Tile
    name: str = "moments"

    def merged(self, other: Moments) -> Moments:
        count = self.count + other.count
        delta = other.mean - self.mean
        share = fh.where(count > 0, other.count / fh.maximum(count, 1.0), 0.0)
        return Moments(
            count, self.mean + delta * share, self.squares + other.squares + delta * delta * self.count * share
        )


def test_an_object_is_reduced_as_a_whole(part: Any, interpret: Interpret, lowered: Callable[..., ModuleOp]):
    def kernel(mean: Out["M"], variance: Out["M"], x: Ref["M", "N"]):
        t = x.load((mean.index[0], 0), (4, 16))
        each = Moments(fh.ones(t.shape, f32), t, fh.zeros(t.shape, f32))
        all_ = fh.reduce(each, lambda p, q: p.merged(q), Moments(0.0, 0.0, 0.0), 1)  # pyright: ignore[reportArgumentType] -- numbers
        fh.static_assert(all_.name == "moments")
        mean.store(all_.mean)
        variance.store(all_.squares / all_.count)

    x = RNG.normal(3, 2, (8, 16)).astype(np.float32)
    mean, variance = np.zeros(8, np.float32), np.zeros(8, np.float32)
    interpret(kernel, part(mean, 4), part(variance, 4), x)
    np.testing.assert_allclose(mean, x.mean(axis=1), rtol=1e-5)
    np.testing.assert_allclose(variance, x.var(axis=1), rtol=1e-4)
    (op,) = (op for op in lowered(kernel, part(mean, 4), part(variance, 4), x).walk() if isinstance(op, ReduceOp))
    assert len(op.operands) == 3


def larger(p: tuple[Any, Any], q: tuple[Any, Any]) -> tuple[Any, Any]:
    better = (q[0] > p[0]) | (q[0] == p[0]) & (q[1] < p[1])
    return fh.where(better, q[0], p[0]), fh.where(better, q[1], p[1])


def test_a_tuple_is_reduced_and_scanned_as_a_whole(part: Any, interpret: Interpret):
    def kernel(best: Out["M"], where: Out["M"], run: Out["M", "N"], x: Ref["M", "N"]):
        t = x.load((0, 0), (8, 16))
        pairs = (t, fh.broadcast_to(fh.arange(16), t.shape))
        first = (float("-inf"), 2**31 - 1)
        value, position = fh.reduce(pairs, larger, first, -1, keepdims=True)
        best.store(value.squeeze())
        where.store(position.squeeze())
        run.store(fh.scan(pairs, larger, first, axis=1)[1])

    x = RNG.integers(0, 6, (8, 16)).astype(np.float32)
    best, where = np.zeros(8, np.float32), np.zeros(8, np.int32)
    run = np.zeros((8, 16), np.int32)
    interpret(kernel, part(best, 8), part(where, 8), part(run, 8, 16), x)
    assert best.tolist() == x.max(axis=1).tolist()
    assert where.tolist() == x.argmax(axis=1).tolist()
    assert run.tolist() == [[int(row[: n + 1].argmax()) for n in range(16)] for row in x]


def refused(kernel: Callable[..., object], lowered: Callable[..., ModuleOp], part: Any) -> str:
    with pytest.raises(Rejected) as caught:
        lowered(kernel, part(np.zeros(16, np.float32), 16), np.zeros(16, np.float32))
    return str(caught.value)


def test_what_is_not_folded_as_a_whole(part: Any, lowered: Callable[..., ModuleOp]):
    def shapes(y: Out["N"], x: Ref["N"]):
        t = x.load_like(y)
        y.store(fh.reduce((t, t[:, None]), larger, (0.0, 0.0), 0)[0])

    def identities(y: Out["N"], x: Ref["N"]):
        t = x.load_like(y)
        y.store(fh.reduce((t, t), larger, 0.0, 0)[0])

    def results(y: Out["N"], x: Ref["N"]):
        t = x.load_like(y)
        y.store(fh.reduce((t, t), lambda p, q: (p[0], q[0].astype(i32)), (0.0, 0.0), 0)[0])

    def nothing(y: Out["N"], x: Ref["N"]):
        y.store(fh.reduce((), larger, (), 0))  # pyright: ignore[reportArgumentType] -- what is tested

    assert "its tiles have shapes (16,) and (16, 1)" in refused(shapes, lowered, part)
    assert "numbers in the form of what is folded" in refused(identities, lowered, part)
    assert "return what it was given, part by part" in refused(results, lowered, part)
    assert "there is no tile in it" in refused(nothing, lowered, part)
