"""Small kernels of many kinds, verified: between them they have the forms of access, of control flow and of checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import lowering_kernels as texts
import numpy as np
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold import Acc, Const, Mut, Out, Ref, f32, i32


@fh.kernel
def checked(y: Mut[f32, "N"], x: Ref["N"], at: Ref[i32, "K"], n: i32):
    """Checks before a loop, in one that only reads, in one that writes, and behind it."""
    first = x.load(y.index[0], ())
    total = 0.0
    for k in range(n):
        total += x.load(at.load(k, ()), ())
    for k in range(n):
        assert at.load(k, ()) >= 0
        y.store(y.load() + total)
    if n > 3:
        assert first == total
    y.store(y.load() * 2.0)


@fh.kernel
def of_groups(y: Mut[i32, "M"], z: Out[i32, "M"], offsets: Ref[i32, "O"]):
    """Where regions of groups begin and end, of two partitions."""
    y.store(y.load() + y.start[0])
    z.store(fh.full(z.tile, z.stop[0] - z.start[0], i32))


@fh.kernel
def left_early(y: Out[f32, "N"], x: Ref["N"], n: i32):
    """A loop that is broken, in a branch."""
    t = x.load_like(y)
    if n > 1:
        k = 0
        while k < n:
            t = t + 1.0
            if k * k > n:
                break
            k += 2
    y.store(t)


@fh.kernel
def walked(y: Out["M", "N"], x: Ref["M", "N"]):
    """Rows that are read twice, a tile at a time; what is carried is the greatest number, and a sum."""
    i = y.index[0]
    most, total = fh.full((4, 1), -1000.0, f32), fh.zeros((4, 1), f32)
    for k in fh.tiles(x, axis=1, size=8):
        t = x.load((i, k), (4, 8), padding="-inf")
        higher = fh.maximum(most, fh.max(t, axis=1, keepdims=True))
        total = total * fh.exp(most - higher) + fh.sum(fh.exp(t - higher), axis=1, keepdims=True)
        most = higher
    y.store(fh.exp(x.load_like(y) - most) / total)


@fh.kernel
def placed(y: Out["N"], h: Acc[i32, "H"], x: Ref["N"], at: Ref[i32, "N"]):
    """Elements that an index names, some of them masked: read, and added to."""
    index = at.load_like(y)
    here = (index >= 0) & (index < x.shape[0])
    y.store(x.gather(fh.where(here, index, 0), mask=here))
    h.add_at(1, index % h.shape[0], mask=here)


@fh.kernel
def in_a_window(cache: Mut["S", 8], x: Ref["T", 8], at: i32):
    """A part of a tensor that begins where a number says."""
    here = cache.window(0, at, x.shape[0])
    here.store(x.load_like(here) + here.load())


@fh.kernel
def of_bits(y: Out[i32, "M", "N"], x: Ref[i32, "M", "N"], seed: i32):
    """Integers of all kinds, and tiles turned and cut."""
    i, j = y.index
    t = x.load((i, j), y.tile)
    t = (t ^ seed) * 77 + (t >> 3) - (t & 15)
    t = fh.where(t > 4, t // 3, t % 5) | (seed << 2)
    turned = t.transpose().reshape(y.tile)
    y.store(fh.cumsum(turned, axis=1) + fh.arange(8)[None, :])


@fh.kernel
def unused(y: Out[f32, "N"], x: Ref["N"], at: Ref[i32, "K"], n: i32, ON: Const[bool]):
    """Branches and loops that nobody needs, some of which no launch comes to."""
    t = x.load_like(y)
    if n > 3:
        u = t + x.load((0,), y.tile)
        if n > 5:
            u = u + x.load((1,), y.tile)
    for k in range(n):
        v = x.load((k,), y.tile) * 2.0
        if k > 2:
            v = v + x.load((0,), y.tile)
    if ON:
        _w = t * 3.0
    elif n > 7:
        _w = t * 4.0
    for _ in range(0):
        y.store(t)
    y.store(t)


@fh.kernel
def needed(y: Mut[f32, "N"], x: Ref["N"], at: Ref[i32, "K"], n: i32):
    """Branches and loops with nothing in them but what is seen, or stops, or is checked."""
    if n > 1:
        fh.print("n", n)
    if n > 2:
        for k in range(n):
            assert k != 7
    if n > 3:
        y.store(y.load() + 1.0)
    for k in range(n):
        if k > 4:
            y.store(x.load((at.load(0, ()),), y.tile))


def _groups() -> list[Any]:
    parts = [fh.ragged(np.zeros(64, np.int32), 16, by="offsets") for _ in range(2)]
    return [*parts, np.zeros(10, np.int32)[::2]]


def _zeros(*shape: int) -> Any:
    return np.zeros(shape, np.float32)


def _integers(*shape: int) -> Any:
    return np.zeros(shape, np.int32)


MADE: Final[dict[str, Callable[[], ModuleOp]]] = {
    "saxpy_persistent": lambda: texts.parse(texts.saxpy(persistent=True)),
    "gemm_grouped": lambda: texts.parse(texts.gemm(order="grouped 256", persistent=True)),
    "increment": lambda: texts.parse(texts.increment(3, "column", True)),
    "collatz": lambda: texts.parse(texts.collatz()),
    "shifted": lambda: texts.parse(texts.shifted()),
    "row_softmax": lambda: texts.parse(texts.row_softmax()),
    "checked": lambda: checked.verify(fh.partition(_zeros(64), 16), _zeros(64), _integers(8), 3),
    "of_groups": lambda: of_groups.verify(*_groups()),
    "left_early": lambda: left_early.verify(fh.partition(_zeros(64), 16), _zeros(64), 3),
    "walked": lambda: walked.verify(fh.partition(_zeros(64, 64), (4, 64)), _zeros(64, 64)),
    "placed": lambda: placed.verify(fh.partition(_zeros(64), 16), _integers(4), _zeros(64), _integers(64)),
    "in_a_window": lambda: in_a_window.verify(fh.partition(_zeros(64, 8), (2, 8)), _zeros(4, 8), 3),
    "unused": lambda: unused.verify(fh.partition(_zeros(64), 16), _zeros(64), _integers(8), 3, True),
    "needed": lambda: needed.verify(fh.partition(_zeros(64), 16), _zeros(64), _integers(8), 3),
    "of_bits": lambda: of_bits.verify(
        fh.partition(_integers(64, 64), (8, 8), blocks=fh.PERSISTENT), _integers(64, 64), 3
    ),
}
"""By name, how a kernel is made."""
