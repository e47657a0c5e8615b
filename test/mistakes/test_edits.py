"""
The edits that errors offer are what their readers meant: each is made in the program, which is then run and compared.

`test_elsewhere.py` does it for what other libraries have names for.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import test_elsewhere
from edits import HEADER, followed, offered
from numpy.typing import NDArray

import freehold as fh
from freehold.frontend.advice import Advice
from freehold.frontend.syntax.core import Node
from freehold.support.diagnostic import Error, Help, Label, Note

Array = NDArray[Any]
RNG = np.random.default_rng(3)
X = RNG.standard_normal(100).astype(np.float32)
Z = RNG.standard_normal(100).astype(np.float32)
X2, Z2 = RNG.standard_normal((2, 20, 100)).astype(np.float32)
A, B = RNG.standard_normal((20, 48)).astype(np.float32), RNG.standard_normal((48, 100)).astype(np.float32)
S = RNG.standard_normal((64, 64)).astype(np.float32)
I = RNG.permutation(100).astype(np.int32)  # noqa: E741 -- integers
SUMS = np.pad(X2, ((0, 0), (0, 28))).reshape(20, 2, 64).sum(1)[:, np.arange(100) % 64]
MOST = np.stack([X2[:, :64].max(1), np.maximum(X2[:, 64:].max(1), 0)], 1)
PADDED = np.pad(X2, ((0, 0), (0, 28))).reshape(20, 2, 64)
WIDEST = np.repeat(PADDED.max(2), 64, 1)[:, :100]
PLACES = np.repeat(PADDED.argmax(2), 64, 1)[:, :100].astype(np.float32)


@dataclass(frozen=True)
class Case:
    """A kernel that is refused, or whose `launch` is, what it is given, and what its author wants."""

    kernel: str
    given: tuple[object, ...]
    wanted: object
    """What is to be in the output."""
    tile: object = 64
    owned: object = ()
    dtype: Any = np.float32
    note: str = ""
    mut: Array | None = None
    """What the output holds before."""
    acc: Array | None = None
    """What is cut into tiles instead of the output, to which all blocks add."""

    def outcome(self, names: dict[str, Any]) -> Array:
        """Runs the kernel. Raises Rejected."""
        wanted = np.asarray(self.wanted)
        out = np.full(wanted.shape, np.nan if self.dtype is np.float32 else 0, self.dtype)
        if self.mut is not None:
            out[...] = self.mut
        kwargs: dict[str, Any] = {"owned": self.owned} if self.owned != () else {}
        cut = fh.partition(out if self.acc is None else self.acc, self.tile, **kwargs)  # pyright: ignore[reportArgumentType] -- a tile
        if "launch" in names:
            names["launch"](out, *self.given)
        else:
            names["kernel"](*((cut,) if self.acc is None else (out, cut)), *self.given).sync()
        return out


ONE = 'def kernel(y: Out["N"], x: Ref["N"]):'
TWO = 'def kernel(y: Out["M", "N"], x: Ref["M", "N"]):'
PRODUCT = 'def kernel(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):'


def one(body: str, wanted: object, **more: Any) -> Case:
    return Case(f"{ONE}\n{body}", (X,), wanted, **more)


def two(body: str, wanted: object, **more: Any) -> Case:
    return Case(f"{TWO}\n{body}", (X2,), wanted, tile=(4, 64), **more)


CASES = {
    # Tensors that are used as values.
    "assign to a tensor": one("    y[:] = x[:] * 2", X * 2),
    "a module that is not imported": one("    y.store(jnp.exp(x.load_like(y)))", np.exp(X)),
    "Triton's module, not imported": one("    i = tl.program_id(0)\n    y.store(x.load((i,), y.tile))", X),
    "a module of a module": one("    y.store(cp.fft.relu(x.load_like(y)) + 1)", np.maximum(X, 0) + 1),
    "one element as a tile": Case(
        'def kernel(y: Out["N"], x: Ref["N"], s: Ref[1]):\n    y.store(x.load_like(y) * s)', (X, Z[:1]), X * Z[0]
    ),
    "one element by its number": Case(
        'def kernel(y: Out["N"], x: Ref["N"], s: Ref[1]):\n    y.store(x.load_like(y) * s[0])', (X, Z[:1]), X * Z[0]
    ),
    "an element by its number": Case(
        'def kernel(y: Out["N"], x: Ref["N"], s: Ref[5, 6]):\n    y.store(x.load_like(y) * s[4, 2])',
        (X, X2[:5, :6]), X * X2[4, 2],
    ),
    "a load of one element": Case(
        'def kernel(y: Out["N"], x: Ref["N"], s: Ref[1]):\n    y.store(x.load_like(y) * s.load(0))',
        (X, Z[:1]), X * Z[0],
    ),
    "add to an element of an accumulator": Case(
        'def kernel(h: Acc[4], x: Mut["N"]):\n    h[1] += x.load().sum()\n    x.store(x.load())',
        (), np.array([0, X.sum(), 0, 0], np.float32), mut=np.zeros(4, np.float32), acc=X.copy(),
    ),
    "a row like a matrix": Case(
        'def kernel(y: Out["M", "N"], x: Ref["M", "N"], b: Ref["N"]):\n    y.store(x.load_like(y) + b.load_like(y))',
        (X2, X), X2 + X, tile=(4, 64),
    ),
    "a column like a matrix": Case(
        'def kernel(y: Out["M", "N"], x: Ref["M", "N"], b: Ref["M"]):\n    y.store(x.load_like(y) + b.load_like(y))',
        (X2, X[:20]), X2 + X[:20, None], tile=(4, 64),
    ),
    "a mask of rows": Case(
        'def kernel(y: Out["M", "N"], x: Ref["M", "N"], m: Ref["M"]):\n    t = x.load_like(y)\n'
        "    m = m.load((y.index[0],), (4,)) > 0\n    y.store(fh.where(m, t, 0.0))",
        (X2, X[:20]), np.where(X[:20, None] > 0, X2, 0), tile=(4, 64),
    ),
    "rows compared with their maxima": Case(
        'def kernel(y: Out["M", "N"], x: Ref["M", "N"]):\n    t = x.load((y.index[0], 0), (4, 64))\n'
        "    y.store((t == fh.max(t, axis=1)) * 1.0)",
        (X2[:, :64].copy(),), (X2[:, :64] == X2[:, :64].max(1)[:, None]) * 1.0, tile=(4, 64),
    ),
    "a dtype of NumPy's by its name": one("    y.store(x.load_like(y) * float32(3))", X * 3),
    "elements of a dtype": Case('def kernel(y: Out["N"], x: f32[::1]):\n    y.store(x.load_like(y) * 2)', (X,), X * 2),
    "assign to all of a tensor": two("    y[:, :] = x[...] * 2", X2 * 2),
    "compute with tensors": one("    y.store(x + x * 2)", X * 3),
    "use a tensor that may be left out": Case(
        'def kernel(y: Out["N"], x: Ref["N"], b: Ref["N"] | None):\n'
        "    t = x.load_like(y)\n    t += b.load_like(y)\n    y.store(t)",
        (X, None), X,
    ),
    "ask for a tensor that may be left out": Case(
        'def kernel(y: Out["N"], x: Ref["N"], b: Ref["N"] | None):\n'
        "    t = x.load_like(y)\n    if b:\n        t += b.load_like(y)\n    y.store(t)",
        (X, Z), X + Z,
    ),
    "augment a tensor": Case(
        'def kernel(y: Mut["N"], x: Ref["N"]):\n    y *= x.load_like(y) + 1', (X,), (X + 1) * Z, mut=Z
    ),
    "augment all of a tensor": Case(
        'def kernel(y: Mut["N"], x: Ref["N"]):\n    y[:] *= x.load_like(y) + 1', (X,), (X + 1) * Z, mut=Z
    ),
    "a region as a value": Case(
        'def kernel(y: Mut["M", "N"]):\n    for k in fh.tiles(y, axis=1, size=64):\n        y.at(k).store(y.at(k) * 2)',
        (), Z2 * 2, tile=(4, 64), owned=1, mut=Z2,
    ),
    "convert a tensor": one("    y.store(x.astype(f16))", X.astype(np.float16)),
    "return the result": one("    return x.load_like(y) * 2", X * 2),
    # What torch's functions are called with, and what they return.
    "infinity of the module": one("    y.store(fh.minimum(x.load_like(y), fh.inf))", X),
    "zeros of two numbers": two("    t = fh.zeros(4, 64)\n    t += x.load_like(y)\n    y.store(t)", X2),
    "zeros of two numbers in a dtype": two("    y.store(fh.zeros(4, 64, fh.f32) + x.load_like(y))", X2),
    "full of two numbers": two("    y.store(fh.full(4, 64, 2.0) + x.load_like(y))", X2 + 2),
    "ones of two numbers, named dtype": two("    y.store(fh.ones(4, 64, dtype=f32) + x.load_like(y))", X2 + 1),
    "maximum and place": two(
        "    value, place = x.load_like(y).max(1, keepdims=True)\n"
        "    y.store(fh.where(place < 0, 0, x.load_like(y) - value + value))", X2),
    "values of a maximum": two("    y.store(x.load_like(y) * 0 + x.load_like(y).max(dim=1).values[:, None])", WIDEST),
    "places of a maximum": two("    y.store(x.load_like(y) * 0 + fh.max(x.load_like(y), 1).indices[:, None])", PLACES),
    "first of a maximum": two("    y.store(x.load_like(y) * 0 + x.load_like(y).max(axis=1)[0][:, None])", WIDEST),
    "second of a minimum": two("    y.store(x.load_like(y) * 0 + fh.min(-x.load_like(y), 1)[1][:, None])", PLACES),
    "stack of a list": two("    y.store(fh.stack([x.load_like(y), x.load_like(y) + 1], 2).sum(axis=-1))", X2 * 2 + 1),
    "an axis twice": two("    t = x.load_like(y)\n    y.store(t * 0 + t.max(axis=(1, -1), keepdims=True))", WIDEST),
    "all axes, one of them twice": two(
        "    t = x.load_like(y)\n    y.store(t * 0 + t.sum(axis=(-1, 0, 1), keepdims=True) * 0 + t)", X2),
    # What others' pointers, arrays and functions have.
    "dtype of a pointer": one("    y.store(x.load_like(y).astype(y.dtype.element_ty))", X),
    "set a region": Case(
        'def kernel(y: Mut["M", "N"]):\n'
        "    for k in fh.tiles(y, axis=1, size=64):\n        y.at(k).set(y.at(k).load() * 2)",
        (), Z2 * 2, tile=(4, 64), owned=1, mut=Z2,
    ),
    "store to an index": one("    y.store(x.load_like(y), index=y.index)", X),
    "ask a maximum for places": two(
        "    value, place = x.load_like(y).max(axis=1, keepdims=True, return_indices=True)\n"
        "    y.store(fh.where(place < 0, 0, x.load_like(y) - value + value))", X2),
    "a method with brackets": one("    y.store(x.load_like[y])", X),
    "load from places": Case(
        'def kernel(y: Out["N"], x: Ref["N"], i: Ref[i32, "N"]):\n    y.store(x.load(i.load_like(y)))', (X, I), X[I]
    ),
    "a power of two": Case(
        'def kernel(y: Out["N"], x: Ref["N"], n: i32):\n    y.store(x.load_like(y) * (2 ** n).astype(f32))',
        (X, 3), X * 8,
    ),
    # Indices and shapes.
    "take every second element": Case(
        'def kernel(y: Out["N"], x: Ref["2 * N"]):\n    y.store((x.load(y.index, (128,)) + 1)[1::2])',
        (np.append(X, Z),), np.append(X, Z)[1::2] + 1,
    ),
    "load without a shape": one("    y.store(x.load(y.index))", X),
    "load with one of two coordinates": two("    i, j = y.index\n    y.store(x.load(i, y.tile))", X2),
    "load with the first of two coordinates": two("    y.store(x.load(y.index[0], y.tile))", X2),
    "load with coordinates apart": two("    i, j = y.index\n    y.store(x.load(i, j, (4, 64)))", X2),
    "load a larger tile": two("    i, j = y.index\n    y.store(x.load((i, j), (8, 64)))", X2),
    "load a larger tile at the index": two("    y.store(x.load(y.index, (8, 64)))", X2),
    "load the shape of the tensor": two("    s = y.shape\n    y.store(x.load(y.index, s))", X2),
    "load the shape of the tensor at once": two("    y.store(x.load(y.index, y.shape))", X2),
    "an index in elements": one("    y.store(x.load((y.index[0] * 64,), (64,)))", X),
    "an index in elements, of both axes": two("    i, j = y.index\n    y.store(x.load((4 * i, j * 64), (4, 64)))", X2),
    "an index in elements, alone": one("    i = y.index[0]\n    y.store(x.load(i * y.tile[0], y.tile))", X),
    "an index that is a float": one("    y.store(x.load((y.index[0] * 1.0,), y.tile))", X),
    "tiles by position": two(
        "    acc = fh.zeros((4, 64), f32)\n    for j in fh.tiles(x, 1, 64):\n"
        "        acc += x.load((y.index[0], j), (4, 64))\n    y.store(acc)", SUMS,
    ),
    "tiles of an extent": two(
        "    acc = fh.zeros((4, 64), f32)\n    for j in fh.tiles(x.shape[1], 64):\n"
        "        acc += x.load((y.index[0], j), (4, 64))\n    y.store(acc)",
        SUMS,
    ),
    "count up to a number": one(
        "    t = x.load_like(y)\n    for i in 3:\n        t = t + i\n    y.store(t)", X + 3
    ),
    "count up to a scalar": Case(
        'def kernel(y: Out["N"], x: Ref["N"], n: i32):\n    t = x.load_like(y)\n    for i in n:\n        t = t + i\n'
        "    y.store(t)", (X, 3), X + 3,
    ),
    "a shape from a scalar": Case(
        'def kernel(y: Out["N"], x: Ref["N"], n: i32):\n    y.store(x.load_like(y) + fh.ones((n,), f32))',
        (X, 64), X + 1,
    ),
    "half as an index": one("    y.store(x.load_like(y) + fh.zeros((128 / 2,), f32))", X),
    "a dtype as text": one('    y.store(x.load_like(y).astype("float16"))', X.astype(np.float16)),
    # Choices.
    "and": one("    t = x.load_like(y)\n    y.store(fh.where((t > 0) and (t < 1), t, 0))", X * ((X > 0) & (X < 1))),
    "or": one("    t = x.load_like(y)\n    y.store(fh.where(t < 0 or t > 1, t, 0))", X * ((X < 0) | (X > 1))),
    "and of numbers": Case(
        'def kernel(y: Out["N"], x: Ref["N"]):\n    t = x.load_like(y)\n    y.store(fh.where(t and 2 * t < 90, 1, 0))',
        (I,), (I != 0) & (2 * I < 90),
    ),
    "not": one("    t = x.load_like(y)\n    inside = t > 0\n    y.store(fh.where(not inside, t, 0))", X * (X <= 0)),
    "shift a float": one("    y.store((x.load_like(y) >> 1) + 1)", X / 2 + 1),
    "shift a float up": one("    y.store(x.load_like(y) << 3)", X * 8),
    "not of a comparison": one("    t = x.load_like(y)\n    y.store(fh.where(not t > 0, t, 0))", X * (X <= 0)),
    "chained": one("    t = x.load_like(y)\n    y.store(fh.where(0 < t < 1, t, 0))", X * ((X > 0) & (X < 1))),
    "if": one("    t = x.load_like(y)\n    if t > 0:\n        t = t * 2\n    y.store(t)", np.where(X > 0, X * 2, X)),
    "if and else": one(
        "    t = x.load_like(y)\n    if t > 0:\n        u = t * 2\n    else:\n        u = t - 1\n    y.store(u)",
        np.where(X > 0, X * 2, X - 1),
    ),
    "a conditional expression": one(
        "    t = x.load_like(y)\n    y.store(1 + (t * 2 if t > 0 else t))", 1 + np.where(X > 0, X * 2, X)
    ),
    "bits without brackets": one(
        "    t = x.load_like(y)\n    y.store(fh.where(t > 0 & t < 1, t, 0))", X * ((X > 0) & (X < 1))
    ),
    # Changing a tile.
    "change an element": one(
        "    t = x.load_like(y)\n    t[1] = 5.0\n    y.store(t)", np.where(np.arange(100) % 64 == 1, 5, X)
    ),
    "change by a condition": one("    t = x.load_like(y)\n    t[t < 0] = 0.0\n    y.store(t)", np.maximum(X, 0)),
    "change by a mask": one(
        "    t = x.load_like(y)\n    negative = t < 0\n    t[negative] = -t\n    y.store(t)", np.abs(X)
    ),
    # Dtypes.
    "a float into integers": Case(
        f"{ONE}\n    y.store(x.load_like(y) * 10)", (X,), np.trunc(X * 10), dtype=np.int32
    ),
    "divide integers": Case(f"{ONE}\n    y.store(x.load_like(y) / 2)", (I,), I / 2),
    "divide by integers": Case(f"{ONE}\n    y.store(1 / (x.load_like(y) + 1))", (I,), 1 / (I + 1)),
    "divide extents": one(
        "    t = x.load_like(y)\n    for i in range((x.shape[0] + 28) / 64):\n        t = t + 1\n    y.store(t)", X + 2
    ),
    "two halves": Case(
        'def kernel(y: Out["N"], x: Ref["N"], z: Ref["N"]):\n    y.store(x.load_like(y) * z.load_like(y))',
        (X.astype(np.float16), Z.astype(test_elsewhere.BF16)),
        X.astype(np.float16).astype(np.float32) * Z.astype(test_elsewhere.BF16).astype(np.float32),
    ),
    "signed and unsigned": Case(
        'def kernel(y: Out["N"], x: Ref["N"], z: Ref["N"]):\n    y.store(x.load_like(y) + z.load_like(y))',
        (-I, I.astype(np.uint32)), 0 * I, dtype=np.int64,
    ),
    "a float as an index": Case(f"{ONE}\n    y.store(x.gather(fh.arange(64) * 1.0))", (X[:64],), X[:64]),
    "a subscript with tiles": Case(f"{ONE}\n    y.store(x[fh.arange(64) // 2])", (X[:64],), X[np.arange(64) // 2]),
    "a subscript with tiles for both axes": Case(
        f"{TWO}\n    r, c = fh.arange(4)[:, None], fh.arange(64)[None, :]\n    y.store(x[3 - r, c] * 2)",
        (X2[:4, :64],), X2[3::-1, :64] * 2, tile=(4, 64),
    ),
    "a gather that is a function": Case(
        f"{ONE}\n    i = fh.arange(64)\n    y.store(1 + fh.gather(x, (63 - i,), mask=i > 3))",
        (X[:64],), 1 + X[63::-1] * (np.arange(64) > 3),
    ),
    "elements taken from a tensor": Case(
        f"{ONE}\n    y.store(np.take(x, fh.arange(64) // 2))", (X[:64],), X[np.arange(64) // 2]
    ),
    "padding with minus infinity": two("    y.store(x.load(y.index, y.tile, padding=-np.inf))", X2),
    "padding with a zero": two("    y.store(x.load(y.index, y.tile, padding=0.0))", X2),
    "padding with what is no number": one("    y.store(x.load(y.index, (64,), other=float('nan')))", X),
    "how many elements a tensor has": one("    y.store(x.load_like(y) * x.size)", X * 100),
    "how many elements a tensor of two axes has": two("    y.store(x.load_like(y) / x.numel())", X2 / X2.size),
    "an extent of a tensor": two("    y.store(x.load_like(y) + x.size(1))", X2 + 100),
    "a function of NumPy's that Python runs": one("    y.store(np.clip(x.load_like(y), 0, 1))", X.clip(0, 1)),
    "a number as a mask": Case(
        f"{ONE}\n    i = fh.arange(64)\n    y.store(x.gather(i, mask=i % 2))", (X[:64],), X[:64] * (np.arange(64) % 2)
    ),
    "an eight-bit float": Case(
        f"{ONE}\n    y.store(x.load_like(y) * 2)", (X.astype(test_elsewhere.FP8),),
        X.astype(test_elsewhere.FP8).astype(np.float32) * 2,
    ),
    "insert a number of another dtype": one(
        "    t = x.load_like(y)\n    y.store(t.insert(0, y.index[0]))",
        np.where(np.arange(100) % 64 == 0, np.arange(100) // 64, X),
    ),
    "floats that are added to integers": Case(
        'def kernel(y: Acc["N"], x: Ref["N"]):\n    y.at(x.index[0]).add(x.load() * 10)', (),
        np.trunc(X * 10), dtype=np.int32, acc=X,
    ),
    "an element at a float": one(
        "    t = x.load_like(y)\n    y.store(t - t + t[y.index[0] * 0.0])", X[np.arange(100) // 64 * 64]
    ),
    # Loops.
    "a sum in bf16": two(
        "    i, j = y.index\n    acc = fh.zeros((4, 64), fh.bf16)\n    for k in fh.tiles(x, axis=1, size=64):\n"
        "        acc += x.load((i, k), (4, 64))\n    y.store(acc)",
        SUMS,
    ),
    "a sum that begins with a tile of integers": two(
        "    i, j = y.index\n    acc = x.load((i, j), (4, 64)).astype(f16)\n    for k in range(2):\n"
        "        acc = acc + x.load((i, j), (4, 64))\n    y.store(acc)", X2.astype(np.float16) + 2 * X2,
    ),
    "a tuple that grows": one(
        "    parts = ()\n    for i in range(2):\n        parts += (x.load_like(y) * (i + 1),)\n"
        "    y.store(parts[0] + parts[1])", X * 3,
    ),
    "a tuple that is appended to": one(
        "    parts = ()\n    for i in range(2):\n        parts.append(x.load_like(y) * (i + 1))\n"
        "    y.store(parts[0] + parts[1])", X * 3,
    ),
    "a product in bf16": Case(
        f"{PRODUCT}\n    m, n = c.index\n    acc = fh.zeros(c.tile, c.dtype)\n"
        "    for k in fh.tiles(a, axis=1, size=16):\n"
        "        acc = fh.mma(a.load((m, k), (4, 16)), b.load((k, n), (16, 64)), acc)\n    c.store(acc)",
        (A.astype(test_elsewhere.BF16), B.astype(test_elsewhere.BF16)),
        (A.astype(test_elsewhere.BF16).astype(np.float32) @ B.astype(test_elsewhere.BF16).astype(np.float32)).astype(
            test_elsewhere.BF16
        ),
        tile=(4, 64), dtype=test_elsewhere.BF16,
    ),
    # Products.
    "the second operand is transposed": Case(
        'def kernel(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["N", "K"]):\n    m, n = c.index\n'
        "    acc = fh.zeros(c.tile, f32)\n    for k in fh.tiles(a, axis=1, size=16):\n"
        "        acc = fh.mma(a.load((m, k), (4, 16)), b.load((n, k), (64, 16)), acc)\n    c.store(acc)",
        (A, np.ascontiguousarray(B.T)), A @ B, tile=(4, 64),
    ),
    "the first operand is transposed": Case(
        'def kernel(c: Out["M", "N"], a: Ref["K", "M"], b: Ref["K", "N"]):\n    m, n = c.index\n'
        "    acc = fh.zeros(c.tile, f32)\n    for k in fh.tiles(b, axis=0, size=16):\n"
        "        acc = fh.mma(a.load((k, m), (16, 4)), b.load((k, n), (16, 64)), acc)\n    c.store(acc)",
        (np.ascontiguousarray(A.T), B), A @ B, tile=(4, 64),
    ),
    "operands of two dtypes": Case(
        f"{PRODUCT}\n    m, n = c.index\n    acc = fh.zeros(c.tile, f32)\n    for k in fh.tiles(a, axis=1, size=16):\n"
        "        acc = fh.mma(a.load((m, k), (4, 16)), b.load((k, n), (16, 64)), acc)\n    c.store(acc)",
        (A.astype(np.float16), B), A.astype(np.float16).astype(np.float32) @ B, tile=(4, 64),
    ),
    "no accumulator": Case(
        f"{PRODUCT}\n    m, n = c.index\n    acc = fh.zeros(c.tile, f32)\n    for k in fh.tiles(a, axis=1, size=16):\n"
        "        acc += fh.mma(a.load((m, k), (4, 16)), b.load((k, n), (16, 64)))\n    c.store(acc)",
        (A, B), A @ B, tile=(4, 64),
    ),
    # Shapes that do not meet.
    "a row factor without an axis": two(
        "    t = x.load_like(y)\n    y.store(t - t.max(axis=1))", X2 - MOST[:, np.arange(100) // 64]
    ),
    "store a column": Case(
        'def kernel(y: Out["M", 1], x: Ref["M", "N"]):\n    y.store(x.load((y.index[0], 0), (4, 128)).sum(axis=1))',
        (X2,), X2.sum(1, keepdims=True), tile=(4, 1),
    ),
    "store the transposed": Case(
        'def kernel(y: Out["N", "M"], x: Ref["M", "N"]):\n    i, j = y.index\n    y.store(x.load((j, i), (8, 32)))',
        (X2,), X2.T, tile=(32, 8),
    ),
    "store the transposed of the same place": Case(
        'def kernel(y: Out["N", "N"], x: Ref["N", "N"]):\n    y.store(x.load_like(y).T)', (S,), S.T, tile=(32, 16)
    ),
    "store a transposed tile": two("    y.store(x.load(y.index, y.tile).T)", X2),
    "gather with rows along columns": Case(
        'def kernel(y: Out["M", "N"], x: Ref["M", "N"]):\n    i, j = y.index\n    rows = i * 4 + fh.arange(4)\n'
        "    columns = j * 64 + fh.arange(64)\n    y.store(x.gather(rows, columns))", (X2,), X2, tile=(4, 64),
    ),
    # Arguments of calls.
    "dim": two("    y.store(x.load_like(y) + x.load_like(y).sum(dim=1, keepdim=True) * 0)", X2),
    "a keyword by position": two("    y.store(x.load_like(y) + x.load_like(y).sum(1, True) * 0)", X2),
    "sum with a dtype": Case(
        'def kernel(y: Out["M"], x: Ref["M", "N"]):\n'
        "    y.store(x.load((y.index[0], 0), (4, 128)).sum(axis=1, dtype=f32))",
        (X2.astype(np.float16),), X2.astype(np.float16).astype(np.float32).sum(1), tile=4,
    ),
    "load with a dtype": one("    y.store(x.load(y.index, y.tile, dtype=f16))", X.astype(np.float16)),
    "load with a mask": one(
        "    i = y.index[0] * 64 + fh.arange(64)\n    y.store(x.load(y.index, y.tile, mask=i % 3 == 0, other=7.0))",
        np.where(np.arange(100) % 3 == 0, X, 7),
    ),
    "load with a mask alone": one(
        "    i = y.index[0] * 64 + fh.arange(64)\n    y.store(x.load(y.index, y.tile, mask=i < x.shape[0]))", X
    ),
    "load with other": one(
        "    t = x.load(y.index, y.tile, other=-math.inf)\n    y.store(fh.zeros((64,)) + t.max())",
        np.where(np.arange(100) < 64, np.max(X[:64]), np.max(X[64:])),
    ),
    "one bound": one("    y.store(x.load_like(y).clip(0.25))", np.maximum(X, 0.25)),
    "one bound by name": one("    y.store(fh.clip(x.load_like(y), high=0.25) * 2)", np.minimum(X, 0.25) * 2),
    "a forgotten call": one("    y.store(x.load_like(y) / x.load_like(y).max * 0 + 1)", np.ones(100, np.float32)),
    "a misspelled variable": one("    total = x.load_like(y)\n    y.store(totl * 2)", X * 2),
    "a dimension as a variable": one("    y.store(x.load_like(y) * N)", X * 100),
    "an item by brackets": one("    t = (x.load_like(y), 3)\n    y.store(t(0))", X),
    "a view in another dtype": Case(
        'def kernel(y: Out["N"], x: Ref["N"]):\n    y.store(x.load_like(y).view(fh.i32))',
        (X,), X.view(np.int32), dtype=np.int32,
    ),
    "a view in torch's dtype": Case(
        'def kernel(y: Out["N"], x: Ref["N"]):\n    y.store(x.load_like(y).view(np.int32) + 1)',
        (X,), X.view(np.int32) + 1, dtype=np.int32,
    ),
    "methods that do nothing": one("    y.store(-x.load_like(y).contiguous().detach().clone())", -X),
    "a dtype of NumPy as a function": one("    t = x.load_like(y)\n    y.store(np.float32(t > 0) * 2)", (X > 0) * 2),
    "a maximum of three": one("    t = x.load_like(y)\n    y.store(fh.maximum(t, 0, -t))", np.abs(X)),
    "scale the elements of a mask": one(
        "    t = x.load_like(y)\n    t[t < 0] *= 0.5\n    y.store(t)", np.where(X < 0, X / 2, X)
    ),
    "add to an element": one(
        "    t = x.load_like(y)\n    t[1] += 5 - 2\n    y.store(t)", np.where(np.arange(100) % 64 == 1, X + 3, X)
    ),
    "a method in place": one("    t = x.load_like(y)\n    t.exp_()\n    y.store(t)", np.exp(X)),
    "methods in place with arguments": one(
        "    t = x.load_like(y)\n    t.mul_(2)\n    t.add_(1)\n    t.clamp_(min=0)\n    y.store(t)",
        np.maximum(2 * X + 1, 0),
    ),
    "methods in place, one after another": one(
        "    t = x.load_like(y)\n    t.mul_(2).add_(1).abs_()\n    y.store(t)", np.abs(2 * X + 1)
    ),
    "a method in place as a value": one("    t = x.load_like(y)\n    y.store(2 * t.sub_(1) + 1)", 2 * (X - 1) + 1),
    "chunks": two(
        "    a, b = x.load_like(y).chunk(2, dim=-1)\n    y.store(fh.concatenate((b, a), axis=1))",
        PADDED[:, :, np.arange(64) ^ 32].reshape(20, 128)[:, :100],
    ),
    "chunks of torch": two(
        "    t = x.load_like(y)\n    a, b, c, d = fh.chunk(t, 4)\n    y.store(fh.concatenate((b, a, d, c)))",
        X2.reshape(5, 4, 100)[:, [1, 0, 3, 2]].reshape(20, 100),
    ),
    "linspace of a whole tensor": one(
        "    y.store(x.load_like(y) + fh.linspace(0.0, 1.0, x.shape[0]))", X + np.linspace(0, 1, 100)
    ),
    "linspace of a number that is no tile's": one(
        "    y.store(2 * fh.linspace(-1, 1, num=100) + x.load_like(y))", X + 2 * np.linspace(-1, 1, 100)
    ),
    "linspace of torch": one(
        "    y.store(fh.linspace(3, 1, steps=64) * 1)", np.linspace(3, 1, 64)[np.arange(100) % 64]
    ),
    "eye of a whole tensor": two("    y.store(x.load_like(y) + fh.eye(20, 100))", X2 + np.eye(20, 100)),
    "a lambda that is not called": one("    t = x.load_like(y)\n    y.store(t + (lambda: t * 2))", X * 3),
    "a named lambda that is not called": one("    f = lambda k=2: x.load_like(y) * k\n    y.store(f)", X * 2),
    "a function that is not called": one(
        "    def twice():\n        return 2 * x.load_like(y)\n    y.store(twice - 1)", X * 2 - 1
    ),
    "a lambda as a statement": Case('def kernel(y: Mut["N"]):\n    lambda: y.store(y.load() * 2)', (), Z * 2, mut=Z),
    "a number past f32": one("    y.store(fh.minimum(x.load_like(y), 1e39))", X),
    "a number past f32, in a product": one(
        "    t = x.load_like(y)\n    y.store(fh.where(t * 1e39 > 0, t, 0))", np.maximum(X, 0)
    ),
    "a number past f16": one("    y.store(x.load_like(y).astype(f16) * 0 - 65520)", np.full(100, -np.inf)),
    "a number past Python's": one("    y.store(fh.maximum(x.load_like(y), -1e400))", X),
    "a statement that only names a method": Case(
        'def kernel(y: Mut["N"]):\n    y.store(y.load() * 2)\n    y.release', (), Z * 2, mut=Z
    ),
    # Parameters, and what is asked of a launch.
    "text as a parameter": Case(
        'def kernel(y: Out["N"], x: Ref["N"], how: str):\n    y.store(x.load_like(y) * (2 if how == "double" else 1))',
        (X, "double"), X * 2,
    ),
    "a dtype behind the dimensions": Case(
        'def kernel(y: Out["N"], x: Ref["N", f32]):\n    y.store(x.load_like(y))', (X,), X
    ),
    "ask a launch for a number without a sign": Case(
        'def kernel(y: Out["N"], x: Ref["N"], n: u32):\n    fh.require(n < 5)\n    y.store(x.load_like(y) * n)',
        (X, 3), X * 3,
    ),
    "ask a launch for a fraction": Case(
        'def kernel(y: Out["N"], x: Ref["N"], s: f32):\n    fh.require(s < 5, "low")\n    y.store(x.load_like(y) * s)',
        (X, 3.0), X * 3,
    ),
    "give the name of an output to a tile": one("    y = x.load_like(y) * 2", X * 2),
    "a negative extent": one("    y.store(x.load_like(y) + fh.ones((-64,), f32))", X + 1),
    "an extent of nothing": one("    y.store(x.load_like(y) + fh.ones((0,), f32))", X + 1),
    "an extent that is to be found": one("    y.store(x.load_like(y) + fh.ones((-1,), f32))", X + 1),
    "an extent between powers of two": one("    y.store(x.load_like(y) + fh.ones(50, f32))", X + 1),
    "count up to a negative number": one(
        "    y.store(x.load_like(y) + fh.arange(-64) * 2)", X + 2 * (np.arange(100) % 64 - 64)
    ),
    "count down below zero": one(
        "    y.store(x.load_like(y) + fh.arange(-8, -72))", X - 8 - np.arange(100) % 64
    ),
    "count up to a negative number of another dtype": one(
        "    y.store(x.load_like(y) + fh.arange(-64, dtype=f32))", X + (np.arange(100) % 64 - 64)
    ),
    "a dtype in front of the extents": one("    y.store(x.load_like(y) + fh.ones(f32, 8, 8).reshape(64))", X + 1),
    "an extent behind the shape": one("    y.store(x.load_like(y) + fh.ones((8,), 8, f32).reshape(64))", X + 1),
    "leave a call's other arguments as they are": one(
        "    y.store(x.load_like(y))\n\ndef launch(y, x):\n    more = {}\n"
        "    kernel(fh.partition(y, 64), x, 100, **more).sync()", X
    ),
    "a number as text": one('    y.store(x.load_like(y) * "2.5")', X * 2.5),
    "count to a float": one("    t = x.load_like(y)\n    for i in range(4.0):\n        t += i\n    y.store(t)", X + 6),
    "count to a float of the launch": Case(
        'def kernel(y: Out["N"], x: Ref["N"], n: f32):\n    t = x.load_like(y)\n    for i in range(n + 1):\n'
        "        t += i\n    y.store(t)", (X, 3.0), X + 6,
    ),
    "more arguments than there are": one("    y.store(fh.exp(x.load_like(y), 1, 2, 3))", np.exp(X)),
    "an argument twice": one("    y.store(fh.exp(x.load_like(y), x=x.load_like(y)))", np.exp(X)),
    "launch with a negative tile": one(
        "    y.store(x.load_like(y))\n\ndef launch(y, x):\n    kernel(fh.partition(y, (-64,)), x).sync()", X
    ),
    "launch with more arguments than there are": one(
        "    y.store(x.load_like(y))\n\ndef launch(y, x):\n    kernel(fh.partition(y, 64), x, 100, x=x).sync()", X
    ),
}  # fmt: skip
"""Mistakes, with what their authors want."""


@pytest.mark.parametrize("name", CASES)
def test_the_edit_is_what_was_meant(name: str) -> None:
    case = CASES[name]
    outcome = np.zeros(())

    def run(names: dict[str, Any]) -> None:
        nonlocal outcome
        outcome = case.outcome(names)

    for program, made in followed(HEADER + "\n@fh.kernel\n" + case.kernel + "\n", run):
        assert made, f"accepted:\n{program}"
        got, wanted = (np.asarray(a, np.float64) for a in (outcome, case.wanted))
        np.testing.assert_allclose(
            got, wanted, rtol=2e-3 if case.dtype is test_elsewhere.BF16 else 1e-4, atol=1e-4, err_msg=program
        )


ROOMS = [Path(fh.__file__).parent / room for room in ("frontend", "passes", "runtime")]


def places() -> set[tuple[str, int, int]]:
    """Where edits are made: the lines of each statement that gives one its place."""
    found: set[tuple[str, int, int]] = set()
    for path in sorted(path for room in ROOMS for path in room.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "at=" not in text and "Advice(" not in text:
            continue
        for statement in (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.stmt) and not hasattr(n, "body")):
            for call in (n for n in ast.walk(statement) if isinstance(n, ast.Call)):
                name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                given = next((k.value for k in call.keywords if k.arg == "at"), None)
                passed_on = isinstance(given, ast.Call) and ast.unparse(given).endswith(".at(c)")
                if (given is not None and not passed_on and name[:1].isupper()) or (
                    name == "Advice" and len(call.args) == 2
                ):
                    found.add((path.name, statement.lineno, statement.end_lineno or statement.lineno))
    return found


def test_every_edit_is_made_in_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    made: set[tuple[str, int]] = set()

    def caller() -> tuple[str, int]:
        frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage] -- who made the edit
        return Path(frame.f_code.co_filename).name, frame.f_lineno

    add, advise = Error.add, Advice.__init__

    def added(self: Error, *parts: Label | Note | Help) -> Error:
        if any(isinstance(part, Help) and part.at is not None for part in parts):
            made.add(caller())
        return add(self, *parts)

    def advised(self: Advice, text: str, place: Node | None = None) -> None:
        if place is not None:
            made.add(caller())
        advise(self, text, place)

    monkeypatch.setattr(Error, "add", added)
    monkeypatch.setattr(Advice, "__init__", advised)
    for case in CASES.values():
        offered(HEADER + "\n@fh.kernel\n" + case.kernel + "\n", case.outcome)
    for call, (_, (x, y)) in test_elsewhere.CASES.items():

        def run(names: dict[str, Any], x: Array = x, y: Array = y) -> None:
            names["kernel"](fh.partition(np.zeros((1,), np.float32), (1,)), x, y).sync()

        offered(HEADER + test_elsewhere.PROGRAM.format(call=call), run)
    missing = [
        f"{file}:{first}"
        for file, first, last in sorted(places())
        if not any(name == file and first <= line <= last for name, line in made)
    ]
    assert not missing, f"edits that no case here makes: {', '.join(missing)}"
