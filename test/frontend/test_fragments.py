"""Lines of kernels by themselves: what is said of each that is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from around_lines import arguments, kernel_of
from fragments import said

REFUSED = """
r = fh.zeros((8,), t)
r = t.sum(axis=0, keepdims=n)
t = fh.maximum(t, fh.zeros(4, f32))
t = fh.maximum(fh.zeros(4, f32), t)
r = first(unknown, (i for i in (1, 2)))
r = first(*missing, (i for i in (1, 2)))
r = LISTED(i for i in (1, 2))
r = getattr(t, "sum")
r = unread(t)
r = unread(missing)
r = t if n > 0 else fh.zeros((4, 16), f32)
for i in range(t): pass
for i in range(fh.value(2, f32)): pass
for i in range(n, 8, 0): pass
for i in range(0, 8, 0): pass
r = fh.fma(t.astype(f16), t.astype(bf16), t)
t = fh.exp(t.astype(f8e5m2))
y.store(t.flatten())
r = fh.zeros((*n,), f32)
r = r[1.5:]
r = r["a":]
r = r @ r
r = t @ r
r = fh.mma(t > 0, (t > 0).T, fh.zeros((4, 4), f32))
r = bool(t)
r = fh.rand(t.astype(u32), fh.arange(8))
for k in fh.tiles(x, axis=1, size=8, step=-1): pass
for k in fh.tiles(x, axis=1, size=8, start=-1): pass
for k in fh.tiles(x, axis=1, size=(8, 8)): pass
r = fh.fmod(t > 0, t > 1)
r = fh.mulhi(t, t)
r = fh.powi(t.astype(i32), 2)
r = fh.powi(t, fh.arange(8, i64))
r = fh.powi(t, fh.arange(8, u32))
r = fh.powi(t, 0.5)
r = t.astype(i32).astype(i8, saturate=True)
r = t.astype(f16, saturate=True)
r = fh.concatenate((t, t[:2]))
r = f"{n:{n}}"
r = f"{(1, 2):d}"
r = t.astype(f8e5m2) + t.astype(f8e8m0fnu)
r = t is r
r = n in LISTED
r = "1" in (1, n)
r = (1, n) < (2, n)
r = f32 == "f32"
r = int("seven")
r = 3 in "abc"
r = fh.random_uniform(t.astype(u32), fh.arange(8, u32))
for i in fh.static_range(0, 8, 0): pass
for i in range(n + 0.5): pass
for i in range(fh.sum(t).astype(u32)): pass
r = reversed(n)
r = enumerate(n)
r = len(n)
r = len(fh.sum(t))
r = zip((1, 2), n)
r = abs("a")
r = min()
r = max(1, "a")
r = (1, 2)[n]
r = (1, 2)[3]
r = t[9:]
r = t[:3]
r = t[::2]
r = t[:, :, :]
r = t.sum(axis=2)
r = t.sum(axis=n)
r = fh.cumsum(t)
r = fh.argmax(t, axis=-3)
r = t.reshape(5, 5)
r = t.reshape(-1, -1)
r = t.reshape(n, 8)
r = t.reshape((3, 8))
r = fh.arange(5)
r = fh.arange(0)
r = fh.arange(n)
r = fh.full((4, 4), t, f32)
r = fh.full((4, 4), 1 << 40, i32)
r = fh.zeros((4, 4), "f32")
r = fh.zeros((4, 4), 3)
r = fh.zeros(n, f32)
r = fh.zeros((4, 4.0), f32)
r = fh.broadcast_to(t, (4, 16))
r = fh.broadcast_to(t, (8,))
r = fh.expand_dims(t, 5)
r = t.transpose(0, 0)
r = t.transpose(1)
r = fh.permute(t, (0, 2))
r = fh.permute(t, n)
r = fh.bitcast(t, f16)
r = fh.bitcast(t, bool_)
r = t & t
r = t << 1
r = ~t
r = not t
r = t and t
r = t > 0 > t
r = t // 0
r = n % 0
r = 1 // 0
r = 1.0 / 0
r = n ** -1
r = t.astype(i32) ** -1
r = t.astype(i32) ** t.astype(i32)
r = t + "a"
r = t + None
r = t + (1, 2)
r = t + x
r = n + (1 << 31)
r = n + (1 << 63)
r = t.astype(i8) + 128
r = t.astype(u8) + -129
r = t.astype(u32) + t.astype(i32)
r = fh.exp(n, rounding=fh.Rounding.ZERO)
r = fh.add(t, t, rounding=fh.Rounding.APPROXIMATE)
r = fh.add(t.astype(i32), 1, rounding=fh.Rounding.ZERO)
r = fh.sqrt(t.astype(f16), flush_to_zero=True)
r = fh.exp2(t, flush_to_zero=n)
r = fh.clip(t, 2)
r = fh.sort(t, 4)
r = fh.top_k(t, 3)
r = fh.top_k(t, 16)
r = fh.top_k(t, n)
r = fh.top_k(t, 0)
r = x.load((0, 0), (4, 8), latency=0)
r = x.load((0, 0), (4, 8), latency=11)
r = x.load((0, 0), (4, 8), latency=True)
r = x.load(y.index)
r = x.load(y.start)
r = t.astype(i32).astype(i8, saturate=True)
r = t.astype(f16, saturate=True)
r = t.astype(bool_, saturate=True)
r = t.astype(fh.i4, saturate=True)
r = fh.random_bits(1 << 64, 1)
r = fh.random_bits(-(1 << 63) - 1, 1)
r = fh.top_k(t, -2)
r = fh.concatenate(t)
r = fh.concatenate(())
r = fh.concatenate((t,))
r = fh.concatenate((t, t, t))
r = t.astype(u32) + -1
r = t.astype(u64) + -1
r = fh.reduce(t, 0, lambda a: a, 0.0)
r = fh.reduce(t, 0, lambda a, b: a, "a")
r = fh.scan(t, 0, max, 0.0)
r = fh.extract(t, (0, 9), (4, 4))
r = fh.insert(t, fh.zeros((8, 8), f32), (0, 0))
r = fh.unpack(t, f16)
r = fh.eye(3)
r = fh.linspace(0.0, 1.0, 5)
r = fh.gather(t, 0)
r = fh.mma(t, t, t)
r = fh.mma(t, t.T, fh.zeros((4, 4), f16))
r = fh.mma(t, t.T, fh.zeros((8, 4), f32))
r = fh.mma(t, t.T, 0)
r = t.load((0, 0))
r = x.load((0,), (4, 8))
r = x.load((0, 0), (4,))
r = x.load((0, 0), (3, 8))
r = x.load((0, 0), (n, 8))
r = x.load((0.5, 0), (4, 8))
r = x.load((0, 0), (4, 8), padding="none")
r = x.load((0, 0), (4, 8), pad=0)
r = x[0]
r = x.shape[2]
r = x.shape[n]
r = x.at(0)
r = x.index
r = y.at(0)
y.store()
y.store(t, t)
y.store(t.T)
y.store(t[:2])
fh.assert_(n > 0, n)
fh.static_assert(n > 0)
fh.static_assert(1 > 2)
fh.static_assert(1 > 2, "one")
fh.require(n > 0.5)
fh.require(t > 0)
fh.require(-n < "a")
fh.require("n >")
fh.require("missing > 0")
print(x)
print(LISTED)
with fh.unsafe(): pass
with fh.unsafe(n): pass
while t > 0: pass
while "a": pass
for k in x: pass
for k in n: pass
for k in 1.5: pass
for k in fh.tiles(x, axis=2, size=8): pass
for k in fh.tiles(x, axis=0, size=n): pass
for k in fh.tiles(t, axis=0, size=4): pass
for k, l in ((1, 2), 3): pass
a, b = 1, 2, 3
a, *b = n
(a, b), c = (1, 2)
t.x = 1
t[0] = 1
LISTED[0] = 1
n += "a"
t @= r
r = Pair(1)
r = Pair(1, 2, 3)
r = Pair(1, 2).middle
r = Point(1, 2).z
r = first(1)
r = first(1, 2, 3)
r = first(a=1, c=2)
r = first(1, a=2)
r = kernel(y, x, v, n)
r = fh.nothing
r = object()
r = (lambda a: a)()
r = isinstance(n, 3)
r = [1, 2]
r = {1: 2}
r = t if t > 0 else r
r = 1 if n > 0 else "a"
r = 1 if n > 0 else None
r = n if x else 2
r = float(x)
r = str(n)
r = round(t, 2)
r = round(2.5, "a")
r = sum(t)
r = divmod(n, 0)
r = pow(t, 2, 3)
r = pow(t, 2)
r = any(t)
r = all(n)
r = range()
r = range(1, 2, 3, 4)
r = tuple(n)
r = t.nothing
r = f32.nothing
r = "a".nothing
r = (3).nothing
r = (2.5).nothing
r = None.nothing
r = LISTED.nothing
r = first.nothing
r = t.shape.nothing
r = t.dtype.nothing
r = y.nothing
r = n.nothing
r = range(3).nothing
r = fh.Rounding.nothing
r = fh.extract(t, (0, 0), (8, 4))
r = fh.extract(t, (0, 0), (2, 16))
r = fh.extract(t, (0, 0), n)
r = fh.extract(t, (0, 2), (2, 4))
r = fh.extract(t, 0, (2, 4))
r = fh.extract(t, (0.5, 0), (2, 4))
r = fh.insert(t, (0, 0), fh.zeros((2, 16), f32))
r = fh.insert(t, (0, 0), fh.zeros((8, 4), f32))
r = fh.insert(t, (0,), fh.zeros((2, 4), f32))
r = fh.insert(t, (0, 0), fh.zeros((2, 4), i32))
r = fh.insert(t, (2, 0), fh.zeros((2, 4), f32))
r = t + nothing(1)
r = t + y.store(t)
r = first(1, 2) % "a"
r = t + t.sum
y[...] = t
y[:] = t
y[:, :] = t
y[..., 0] = t
y[0] = t
y[1:] = t
y[None] = t
y += t
y[:] += t
x[:] = t
r = x[:] + t
r = x[...] + t
r = x.load((0, 0), (4, 8))[:] = 1
r = y.at(0, 0, 0)
r = y.at(0.5, 0)
r = y.at((0, "a"))
r = y.at(t, 0)
r = y.at(0, 0).at(0)
r = x.gather(0)
r = x.gather(t, 0)
r = x.gather(0, 0, 0)
r = x.gather(fh.arange(8), fh.arange(4))
r = x.gather(fh.arange(8), 0, mask=t)
r = x.gather(fh.arange(8), 0, padding=t)
r = x.load_like(v)
r = v.load_like(y)
r = x.load_like(t)
r = x.window(0, 4)
r = x.window(axis=0, start=0, stop=n)
r = fh.gather(x, 0)
r = x.shape + 1
r = t.astype()
r = t.astype(f32, f32)
r = t.astype(3)
r = t.astype("f32")
r = t.sum(0, 1)
r = t.sum(dim=0)
r = t.sum(axis="a")
r = t.sum(axis=True)
r = t.max(axis=(0, 1), keepdims=1.5)
r = t.argmax(axis=(0, 1))
r = t.any(axis=2)
r = t.squeeze(0)
r = t.squeeze(axis=n)
r = t.flatten(1)
r = t.round(1)
r = t.item()
r = t.T.T.shape.x
r = fh.where(t, t)
r = fh.where(t > 0, t, "a")
r = fh.where("a", t, t)
r = fh.minimum(t, x)
r = fh.maximum(t)
r = fh.cdiv(1.5, 2)
r = fh.cdiv(t, 2)
r = fh.sqrt("a")
r = fh.sqrt(t, t)
r = fh.fma(t, t)
r = fh.random_bits(n)
r = fh.random_bits(0.5, fh.arange(8))
r = fh.random_uniform(1, t)
r = fh.static_range(n)
for i in fh.static_range(n): pass
for i in fh.static_range(1000000): t = t + i
for i in range(n): return t
while True: pass
if t: pass
if n > 0: u = t; t = u + missing
return t
lambda: t
r = (yield)
r = [i for i in range(3)]
r = {i for i in range(3)}
r = tuple(i for i in range(n))
r = tuple(t)
r = *t,
r = (*x.shape, 1)[n]
r = t if None else missing
r: f32 = missing
import numpy
r = y.tile[5]
r = y.index[2]
r = y.index + 1
i, j, k = y.index
i, = y.index
r = i + 1
r = print(t, sep=n)
fh.print(t, end=3)
fh.print(f"{t:.3q}")
fh.print(x)
fh.print("%d" % n)
fh.assert_(n > 0, "a", "b")
fh.require(x.shape[0] > n, n)
fh.require(x.shape[0] / 2 > 1)
fh.require(n)
r = (t, 1) if n > 0 else t
r = t if n > 0 else (t, 1)
r = Pair(t, 1) if n > 0 else t
r = (n, 1) == t
r = t.astype(f8e5m2).sum()
r = fh.cumsum(t.astype(f8e5m2), axis=0)
r = fh.sort(t.astype(f8e5m2), axis=0)
r = x[0, :]
r = x[:, 1]
r = x[0:2, :]
r = x[:2]
r = x[t, 0]
r = x[fh.arange(8), 0]
r = fh.sinc(t)
r = fh.trunc(t)
r = fh.rint(t)
r = fh.zeros(4, *(8,), f32)
r = fh.zeros(4, 8)
r = fh.full(4, 8, 1.0, f32)
r = fh.random_bits(1 << 64, fh.arange(8))
r = fh.random_bits(-(1 << 63) - 1, fh.arange(8))
r = x.load((0, 0), (4, 8), padding=LISTED)
r = fh.Rounding[LISTED]
r = fh.top_k(t, ())
r = fh.top_k(t, (2, 4))
r = fh.top_k(t, 5)
r = t.astype(fh.f4e2m1fn).insert((0, 0), 1)
r = x.window(2, 0, 4)
r = x.window(-3, 0, 4)
r = x.window(0, 0, 0)
r = v.window(0, 0, -1)
r = v.window(0, 0, 1 - 1)
r = x.window(n, 0, 4)
r = x.window(*(0, 0, n * 2))
fh.require(*(n > 0,))
r = fh.Rounding["NEAR"]
r = fh.cdiv(7, 0)
r = fh.cdiv(n, 0)
r = dataclasses.replace()
r = dataclasses.replace(Pair(1, 2), Pair(1, 2))
r = dataclasses.replace(Pair(1, 2), lef=t)
r = dataclasses.replace(Pair(t, 2), right=missing)
r = Late(t)
r = Checked(-1)
r = Point._fields[2]
r = x.load((0, 0), (4, 8)) if n > 0 else x.load((0, 0), (2, 4))
r = x.load((0, 0), (4, 8)) if n > 0 else x.load((0, 0), (4, 4)) + missing
r = tuple(i for i in missing)
r = tuple(i + missing for i in (1, 2))
r = fh.mma(t[None], t.T[None], fh.zeros((2, 4, 4), f32))
r = fh.mma(t[:, None], t[:, :, None], fh.zeros((4, 1, 1), f16))
r = fh.mma(t[None], t[:, :, None][:2], fh.zeros((1, 1, 1), f32))
for k in fh.tiles(x.shape[1], axis=8): pass
for k in fh.tiles(x.shape[1], size=8): pass
for k in fh.tiles(x.shape, 1, 8): pass
for k in fh.tiles(x, 1, 8): pass
for k in fh.tiles(x, 9): pass
for k in fh.tiles(x, 1): pass
for k in fh.tiles(x, -2, 8): pass
for k in fh.tiles(x, -3): pass
for k in fh.tiles(v, n): pass
r = y.at(0, 0).nothing
r = y.at(0, 0).ndim.nothing
r = "ab"[5]
r = "ab"[::0]
r = (1, 2)[::0]
r = (1, t)[0:n]
r = complex(t)
r = complex(t, t)
r = complex(t, imag=t)
""".strip().split("\n")


def test_what_is_said(golden: Callable[[Path, str], None], part: Any, lowered: Callable[..., Any]) -> None:
    found = said(REFUSED, lambda line: lowered(kernel_of(line), *arguments(part)))
    golden(Path(__file__).with_name("fragments.err"), "\n".join(found))
