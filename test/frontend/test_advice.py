"""What is said to those who write lines of kernels as they would elsewhere: each hint, and when there is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from advised import of_section
from fragments import kernel_of

from freehold.support.diagnostic import Rejected

TENSORS = """
r = x + 1
r = v + 1
r = w + 1
r = y + 1
r = k + 1
r = x[:]
r = x[..., :]
r = v[:]
r = w[:, :]
r = x[1:]
r = v[0]
r = v[n]
r = v[(0,)]
r = w[0, 1]
r = w[0]
r = w[0, :]
r = x[0, 1]
r = y[0, 1]
r = x[fh.arange(4)[:, None], fh.arange(8)]
r = x[fh.arange(4)]
r = x[t.sum().astype(i32), 0]
r = y[fh.arange(4), fh.arange(4)]
r = x.size
r = x.size * 2
r = 2 ** x.size
r = x.size(0)
r = x.size(dim=0)
r = x.size(0, 1)
r = x.size(0, dim=0)
r = x.numel()
r = x.numel(0)
r = v.size
r = v.size ** 2
r = t * v.numel()
r = x.T
r = x.T + 1
r = v.astype(f16)
r = x.sum(axis=0)
r = w.sum()
r = x.start
r = w.stop
r = w.middle
r = x.laod((0, 0), (4, 8))
r = y.stroe(t)
y.add(t)
r = M
r = N + 1
r = K
r = L
r = O
"""

PAIRS = """
u, q = t.max(1)
u, q = t.max(axis=0)
u, q = t.max()
u, q, p = t.max(1)
u, *q = t.max(1)
(u, q), p = t.max(1), 1
u, q = fh.max(t, 1)
u, q = fh.max(t)
u, q = fh.min(t, axis=1)
u, q = t.argmax(1)
u, q = t.sum(1)
u, q = r
u, q = n
u = t.max(1).values
u = t.max(1).indices
u = 1 + t.min(axis=0).values
u = fh.min(t, 1).indices
u = fh.min(t).indices
u = t.sum(1).values
u = t.indices
u = t.max(1)[0].values
u, q = x
u, q = y.index, 1, 2
u, = (1, 2)
u, q = ()
u, q = (1,)
u, q, p = 1, 2
u, (q, p) = 1, (2,)
u, *q, p = (1,)
u, q, *p = (1,)
*u, q, p = ()
"""

JOINED = """
r = fh.stack((t, t))
r = fh.stack((t, t + 1), 1)
r = fh.stack((t, t), axis=-1)
r = fh.stack([t, t], dim=2)
r = fh.stack((t, t), axis=3)
r = fh.stack((t, t), axis=-2)
r = fh.stack((t, t), axis=n)
r = fh.stack(t)
r = fh.stack((t,))
r = fh.stack((t, t)).T
r = fh.stack((t, t), 0, 1)
r = fh.stack()
q = () ;; q.append(t)
q = (1,) ;; r = q.append(t)
q = (1,) ;; q.append(t, t)
q = (1,) ;; q.append
q = (1, 2) ;; q.extend((t,))
"""

SPELLED = """
r = fh.maximun(t, t)
r = fh.xyzzy(t)
r = fh.Tilee
r = t.sume()
r = t.xyzzy
r = n.astyp(f32)
r = fh.inf
r = -fh.inf
r = fh.pi * 2
r = fh.nan
r = fh.e
r = fh.float16
r = fh.int8(n)
r = fh.xyzzy
r = Pair(1, 2).lef
r = "a".format(n)
r = "a".upper()
r = "a %d" % n
r = t + "a %d" % n
"""

PLACED = """
r = -fh.sub(t, t)
r = fh.sub(t, t) ** 2
r = 2 ** fh.sub(t, t)
r = fh.sub(t, t)[0]
r = fh.sub(t, t).T
r = t - fh.sub(t, t)
r = fh.sub(t, t) - t
r = t * fh.sub(t, t)
r = t[fh.sub(1, 1)]
r = fh.exp(fh.sub(t, t))
r = fh.sub(t, t) if n > 0 else t
r = fh.sub(t, t) > 0
r = not fh.sub(n, n)
r = fh.sub(t + 1, t if n > 0 else r)
r = fh.sub(t)
r = fh.sub()
r = fh.sub(t, t, t)
r = fh.sub(*(t, t))
r = fh.sub(t, other=t)
r = fh.sub(t, y=t)
r = fh.sub(x=t, y=t)
r = fh.sub(t, x=t)
r = fh.clamp(t)
r = fh.clamp(t, max=1)
r = fh.clamp(t, 0, max=1)
r = fh.eye(4, k=1)
r = fh.var(t, dim=1, keepdim=True)
r = fh.var(t, axis=(0, 1))
r = fh.mean(t, axis=n)
r = fh.mean(t + t, axis=None)
d = t ;; r = fh.var(d)
d = e = u = t ;; r = fh.std(d)
d = e = u = v = w = t ;; r = fh.std(d)
r = fh.program_id(0)
r = fh.program_id()
r = fh.program_id(axis=1)
r = fh.num_programs(1)
r = fh.program_id
r = fh.square
r = fh.take(x, fh.arange(8))
r = fh.take(r, fh.arange(8))
r = fh.take(t, fh.arange(8))
r = fh.empty((4, 8), f32)
r = fh.histogram(r)
fh.syncthreads()
fh.barrier()
fh.atomic_add(y, t)
r = fh.logical_and(b, t)
r = fh.logical_and(t > 0, t + 1)
"""

METHODS = """
r = t.to(f16)
r = t.to(f16, f32)
r = t.to(dtype=f16)
r = t.to()
r = t.to
r = (t + 1).to(f16)
r = t.type(f16)
r = t.cast(f16)
r = t.float()
r = t.float(1)
r = t.float
r = t.half()
r = t.bfloat16()
r = t.double()
r = t.int()
r = t.long()
r = t.short()
r = t.bool()
t.store(y)
t.store(y, 1)
t.store()
(t + 1).store(y)
r = t.view(8, 4)
r = t.view((8, 4))
r = t.view(-1)
r = t.view()
r = t.view
r = (t + 1).view(32)
r = t.expand(4, 8)
r = (t + 1).expand((4, 8))
r = t.mean
r = t.mean()
r = t.mean(0)
r = t.mean(-1, keepdims=True)
r = t.mean((0, 1))
r = t.mean((0, -2))
r = t.mean(axis=1)
r = t.mean(axis="a")
r = t.mean(axis=n)
r = t.mean(0, 1)
r = t.mean(dtype=f32)
r = t.mean(dim=0, keepdim=True)
r = (t + 1).mean()
r = r.mean()
r = 2 ** r.mean()
r = t.sum().mean()
r = t.sum().mean(0)
r = t.swapaxes(0, 1)
r = t.swapaxes(1, 0)
r = t.swapaxes(0, 0)
r = t.swapaxes(0)
r = t.swapaxes(0, n)
r = t.swapaxes(0, 1, 2)
r = t.moveaxis(0, 1)
r = t.movedim(0, -1)
r = t.mT
r = t.mT()
r = t.mT(0)
r = t.t()
r = t.t
r = r.t()
r = r.mT
r = t.sum().swapaxes(0, 0)
r = t.reshape(2, 2, 8).swapaxes(0, 2)
r = t.reshape(2, 2, 8).swapaxes(-1, 0)
r = t.reshape(2, 2, 8).moveaxis(0, 2)
r = t.reshape(2, 2, 8).moveaxis(2, 0)
r = t.reshape(2, 2, 8).movedim(1, 0)
r = t.reshape(2, 2, 8).mT
r = t.reshape(2, 2, 8).t()
r = t.exp()
r = (t + 1).exp()
r = t.exp(1)
r = t.exp
r = t.exp2(flush_to_zero=True)
r = t.maximum(t)
r = t.log1p()
"""

PARTS = """
r = r[::2]
r = r[1::2]
r = r[0::4]
r = r[2::2]
r = r[7::8]
r = r[8::8]
r = r[1::3]
r = r[-1::2]
r = r[::-1]
r = r[::n]
r = r[n::2]
r = r[1:]
r = r[:3]
r = r[:n]
r = r[1:3]
r = r[0:3]
r = (r * 2)[:3]
r = (r * 2)[1::2]
r = t[:3]
r = t[::2]
"""

OPERATORS = """
r = t > 0 & t < 1
r = t == 0 | t == 1
r = t & t > 0
r = 0 < t & t
r = 0 < t & t < 8 < r
r = -1 < 0 < t & t < 8
r = (t > 0 & t < 1) + 1
r = (t & t) > 0
r = t << 2
r = t >> 3
r = t << n
r = t << -1
r = t << 63
r = t << 64
r = t << True
r = t >> 0
r = (t + 1) >> 2
r = t | 2
r = ~t
r = ~t > 0
r = not b
r = not t > 0
r = not (t > 0) + 0.5
r = -(not t)
r = b and t > 1
r = t or b or r
r = b and not b
r = t and n
r = 0 < t < 1
r = 0 < t + 1 <= 2 != r
r = t if b else r
r = 1 + (t if b else r)
r = t if t else r
if b: t = t * 2
if b: t += 1
if b: t *= t + 1 ;; else: t -= 2
if b: t = t * 2 ;; else: t = t + 1
if b: t = 1 ;; else: r = 2
if b: t, r = 1, 2
if b: t = 1; r = 2
if n > 0: pass ;; elif b: t = t + 1
while b: t = t + 1
r = t + (1, 2)
q = (1, 2) ;; r = t + q
r = t + ()
r = t + t.sum
r = t + nothing(1)
r = t + y.store(t)
r = t + None
r = t + t.reshape
r = y.index + 1
r = (1, 2) - 1
r = (n, n) / 2
r = x.shape * 2.5
q = y.index ;; r = q - 1
r = t + LISTED
r = t + LONG
r = t + EIGHT
r = t + MIXED
r = t + NAMED
r = t + NUMBERED
r = t + COMPLEX
r = t * 1j
"""

STORED = """
x[0, 0] = 1
x.a = 1
x[:] = t
x[:] += t
y[0, 0] = t
y[0, 0] += t + 1
y.a = 3
y.a += 3
y[:] = t + 1
y[:] *= t + 1
y[...] -= t
y[:, 1:] = t
y[:, None] = t
y.at(0, 0)[:] = t
k[:] = r
t[0, 0] = 1
t[0] += 1
t[b] = 0.0
t[t > 0] = n
t[n > 0] = 1
r[3] = 1.0
r[n] = s * 2
r[1:] = 0
r[0, 1] = 0
r[3] += 1
r[r < 0] = -r
t.a = 1
t.a += 1
q = Pair(1, 2) ;; q.left = 3
q = Pair(1, 2) ;; q.left += 3
q = Pair(1, 2) ;; q[0] = 3
q = (1, 2) ;; q[0] = 3
n.x = 1
(t + 1)[0] = 1
LISTED[0] = 2
fh.x = 2
missing[0] = 2
"""

SECTIONS = {
    "tensors": TENSORS,
    "pairs": PAIRS,
    "joined": JOINED,
    "spelled": SPELLED,
    "placed": PLACED,
    "methods": METHODS,
    "parts": PARTS,
    "operators": OPERATORS,
    "stored": STORED,
}


@pytest.mark.parametrize("name", SECTIONS)
def test_what_is_said(name: str, golden: Callable[[Path, str], None], part: Any, lowered: Callable[..., Any]) -> None:
    golden(Path(__file__).parent / "advice" / f"{name}.err", of_section(SECTIONS[name], lowered, part))


SEVERAL = """
from freehold import Raw

def kernel(y: Out[f32, "M", "N"], z: Mut[f32, "K", "L"], u: Out[f32, "M"], x: Ref[f32, "M", "N"], w: Ref[f32, "K", "L"],
           v: Ref[f32, "K"], a: Ref[f32, "M"], p: Ref[f32, "P", "Q"], q: Ref, r: Ref[f32, "M", "N", "K"],
           s: Acc[f32, "M"], h: Raw[f32, "M"], n: int):
    t = x.load_like(y)
"""
"""A kernel whose blocks have several regions, of tensors of other extents and ranks."""
BESIDE = """
r = {} + 1
r = {}[:, :]
r = {}[:]
r = {}[0, 0]
r = {}[0]
r = {}[n:]
r = {}[fh.arange(4)]
r = {}.load()
r = {}.load(n)
r = {}.load(y.index[0], (4, 8))
r = {}.load((0, 0), {}.shape)
r = {}.load(y.index)
r = {}.size
r = {}.T
r = {}.start
r = fh.exp({})
r = fh.zeros({}.shape, f32)
r = {}.index
r = {}.nothing
for k in fh.tiles({}, 8): pass
"""


def test_of_several_regions_that_one_is_named_which_is_cut_alike(
    golden: Callable[[Path, str], None], part: Any, lowered: Callable[..., Any]
) -> None:
    x, row = np.zeros((4, 8), np.float32), np.zeros(4, np.float32)
    given = [part(x, 4, 8), part(x.copy(), 2, 4), part(row, 4), x, x, row, row, x, x, x[None], row, row, 3]
    found: list[str] = []
    for name in ("x", "w", "v", "a", "p", "q", "r", "y", "z", "u", "s", "h"):
        for line in BESIDE.strip().replace("{}", name).split("\n"):
            try:
                lowered(kernel_of(line, head=SEVERAL), *given)
            except Rejected as rejected:
                helps = [text for error in rejected.errors for text in (error.code, *error.report().helps)]
                found.append(f"{line:36} {'; '.join(helps)}")
            else:
                found.append(line)
    golden(Path(__file__).parent / "advice" / "several.err", "\n".join(found))
