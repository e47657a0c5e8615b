"""What is said of arguments that do not fit, or are of another type or shape than they must be, in lines of kernels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from advised import of_section

GIVEN = """
y.store((0, 0), t)
y.store(i, j, t)
y.store()
y.store(t, mask=b)
y.store(tile=t, tiel=t)
r = x.load(0, 0, (4, 8))
r = x.load(0, 0, shape=(4, 8))
r = x.load(0, (4, 8), padding="zero", index=1)
r = x.load(*(1, 2, 3))
r = x.load(i, (4, 8))
r = x.load(j, (4, 8))
r = x.load(y.index[0], (4, 8))
r = x.load(y.index[1], (4, 8))
r = w.load(i, (4, 8))
r = x.load((i, j, 0), (4, 8))
r = x.load((i, j), 4)
r = v.load(y.index, (8,))
r = v.load((0,), (8, 8))
r = x.load(y.index)
r = x.load(y.index, padding="zero")
r = x.load(i)
r = x.load()
r = x.load(shape=(4, 8))
r = x.load(y.index, x.shape)
r = x.load(y.index, y.shape)
r = x.load(y.index, (4, 8), mask=b)
r = x.load(y.index, (4, 8), mask=b, other=1.0)
r = 2 * x.load(y.index, (4, 8), mask=b, other=-1)
r = x.load_like(y, mask=b)
r = x.load(y.index, (4, 8), other=0.0)
r = x.load(y.index, (4, 8), other=1.0)
r = x.load(y.index, (4, 8), padding_value=0)
r = x.load(y.index, (4, 8), pading="zero")
r = x.load(y.index, (4, 8), nothing=0)
r = t.sum(0, 1)
r = t.sum(0, True)
r = t.sum(0, True, 1)
r = t.sum(0, 1, keepdims=True)
r = fh.sum(t, 0, True)
r = t.sum(dtype=f64)
r = (t + 1).sum(dtype=f64)
r = t.prod(axis=0, dtype=f64)
r = fh.sum(t + 1, dtype=f64)
r = fh.cumsum(t, 0, dtype=f16)
r = fh.exp(t, dtype=f16)
r = t.max(dtype=f16)
r = t.sum(axs=0)
r = t.sum(dim=0)
r = t.sum(keepdim=True)
r = t.sum(0, axis=0)
r = t.sum(nothing=0)
r = fh.exp(t, out=t)
r = fh.where(b, t, t, x=1)
r = fh.arange(8, i32, 1)
r = fh.zeros(4, 8)
r = fh.zeros(4, 8, f32)
r = fh.zeros(4, 8, 16)
r = fh.zeros(4, 8, dtype=f32)
r = fh.zeros(4, 8, t.dtype)
r = fh.zeros(4, 8, fh.f32)
r = fh.zeros((4,), 8, f32)
r = fh.zeros(*(4, 8, f32))
r = fh.zeros(f32, 4, 8)
r = fh.zeros((4, 8), f32, dtype=f32)
r = fh.zeros(4, f32, dtype=f32)
r = fh.ones(4, 8, 16, f32)
r = fh.full(4, 8, 1.0)
r = fh.full(4, 8, 1.0, f32)
r = fh.full((4, 8), 1.0, f32, 2)
r = fh.full((4, 8))
r = fh.zeros()
r = fh.mma(t, t.T)
r = 1 + fh.mma(t, t.T)
r = fh.mma(t + 1, t.T)[0]
r = fh.mma(t)
r = t.clip(1)
r = t.clip(high=1)
r = fh.clip(t, 1)
r = fh.clip(t, high=2)
r = fh.clip(t)
r = fh.where(b)
r = fh.where(b, t)
r = fh.where()
r = t.astype()
r = some()
r = some(1, 2, 3)
r = some(1, 2, 3, 4)
r = some(1, c=4, d=5)
r = some(1, a=1)
r = some(1, bb=1)
r = many()
r = many(1, c=2)
with fh.unsafe(): pass
for q in fh.tiles(x, 1, 8): pass
for q in fh.tiles(x): pass
for q in fh.tiles(x.shape[1], 8): pass
for q in fh.tiles(x.shape[1], axis=8): pass
for q in fh.tiles(x.shape[1], axis=8, size=4): pass
for q in fh.tiles(x.shape[1]): pass
for q in fh.tiles(x, 1): pass
for q in fh.tiles(x, size=8): pass
for q in fh.tiles(x, 8, axis=1): pass
for q in fh.tiles(x, 1, 8, 0, 4, 2): pass
for q in fh.tiles(x, 1, 8, 0, 4, 2, 9): pass
for q in fh.tiles(x, 1, 8, step=2): pass
for q in fh.tiles(n, 8): pass
for q in fh.tiles(): pass
"""

KNOWN = """
r = t.sum(axis=2)
r = t.sum(axis=-3)
r = r.sum(axis=1)
r = t.sum().sum(axis=0)
r = t.sum(axis=True)
r = t.sum(axis=1.0)
r = t.sum(axis=n)
r = t.sum(axis=(0, n))
r = t.sum(axis=(0, True))
r = t.sum(axis=(0, 0))
r = t.max(axis=(1, 0, -1), keepdims=True)
r = fh.any(b, (-1, 1))
r = fh.zeros((0, 8), f32)
r = fh.zeros((8, 0), f32)
r = fh.zeros(-4, f32)
r = fh.zeros((4, 3), f32)
r = fh.zeros(12, f32)
r = fh.zeros((4, n), f32)
r = fh.zeros((4, True), f32)
r = fh.zeros("a", f32)
r = fh.zeros((1 << 13, 1 << 12), f32)
r = fh.zeros((1, 1), fh.f4e2m1fn)
r = fh.zeros(1, fh.f4e2m1fn)
r = fh.zeros(y.shape, f32)
r = fh.zeros(x.shape, f32)
r = fh.zeros((n,), f32)
q = y.shape ;; r = fh.zeros(q, f32)
q = w.shape ;; r = fh.zeros(q, f32)
q = n ;; r = fh.zeros(q, f32)
r = fh.zeros(y.shape[0], f32)
r = fh.zeros(n + 1, f32)
r = t.astype("float32")
r = t.astype("bf16")
r = t.astype("foo")
r = t.astype(3)
r = t.astype(n)
r = t.astype(t)
r = t.astype(None)
r = t.astype((f32,))
r = t.sum(keepdims="a")
r = t.sum(keepdims=n)
r = t.sum(keepdims=None)
r = t.sum(keepdims=2.0)
r = v.gather(r)
r = v.gather(b[0])
r = v.gather("a")
r = v.gather(fh.arange(8), mask=r)
r = v.gather(fh.arange(8), mask=fh.arange(4) > 0)
r = v.gather(fh.arange(4), fh.arange(4))
r = v.gather()
r = x.gather(fh.arange(4))
r = x.gather(t.astype(i32))
r = x.gather(0)
r = x.gather((fh.arange(4),))
r = x.gather(fh.arange(4), fh.arange(8))
r = x.gather((fh.arange(4), fh.arange(8)))
r = x.gather(fh.arange(4)[:, None], fh.arange(4), fh.arange(4))
r = x.gather(fh.arange(4), r)
r = x.gather((r, 0))
r = fh.extract(t, (missing, 0), (2, 4))
r = fh.extract(t, (b, 0), (2, 4))
r = fh.extract(t, (n, s), (2, 4))
r = fh.extract(t, (2, 0), (2, 4))
r = fh.extract(t, (-2, 0), (2, 8))[missing]
r = t[missing]
r = t[missing, 0]
r = t[s]
r = t.insert((missing, 0), t)
r = v.load_from(0.5, (8,))
r = v.load_from(0, (8, 8))
r = x.load_from(0, (4, 8))
r = x.load_from((0, n), (4, 7))
q = fh.zeros((4, 4), f16) ;; r = fh.mma(t.astype(bf16), t.T.astype(bf16), q)
q = fh.ones(4, f16) ;; r = fh.mma(t.astype(bf16), t.T.astype(bf16), q)
q = t[:, :4].astype(f16) ;; r = fh.mma(t.astype(bf16), t.T.astype(bf16), q)
r = fh.mma(t.astype(bf16), t.T.astype(bf16), fh.zeros((4, 4), f16))
q = t.astype(f16) ;; for _ in range(n): q = q + t
q = fh.zeros((4, 8), f16) ;; q += 1 ;; for _ in range(n): q += t
q = fh.ones((4, 8), dtype=f16) ;; for _ in range(n): q = q * t
q = t ;; for _ in range(n): q = q.astype(f16)
q = t.astype(bf16) ;; for _ in range(n): q = q.astype(f16)
q = () ;; for _ in range(4): q += (t,)
q = () ;; for _ in range(1, 4): q = (*q, t)
q = () ;; for _ in fh.tiles(x, axis=1, size=8): q += (t,)
"""

SECTIONS = {"given": GIVEN, "known": KNOWN}


@pytest.mark.parametrize("name", SECTIONS)
def test_what_is_said(name: str, golden: Callable[[Path, str], None], part: Any, lowered: Callable[..., Any]) -> None:
    golden(Path(__file__).parent / "advice" / f"{name}.err", of_section(SECTIONS[name], lowered, part))
