"""Lines of kernels by themselves: what is said of each that is refused, and what each that is accepted comes to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import fragments
import numpy as np
import pytest
from fragments import said

from freehold.dialects.ownership import RequireOp
from freehold.support.diagnostic import Rejected

HEAD = """
import dataclasses
LISTED = [1, 2]

@dataclass(frozen=True)
class Pair:
    left: object
    right: object
    kept: int = field(init=False, default=3)

class Point(NamedTuple):
    x: object
    y: object

@dataclass(frozen=True)
class Boxed:
    scale: InitVar[int]
    whole: int = 0

    def __post_init__(self, scale): object.__setattr__(self, "whole", self.whole * scale or scale)

@dataclass(frozen=True)
class Made:
    one: object
    other: object = field(default_factory=lambda: 3, kw_only=False)

    @property
    def two(self): return (self.one, self.other)

@dataclass(frozen=True)
class Late:
    one: object
    other: object = field(init=False)

    def __post_init__(self): object.__setattr__(self, "other", 3)

@dataclass(frozen=True)
class Checked:
    one: int

    def __post_init__(self):
        if self.one < 0: raise ValueError("negative")

def first(a, b): return a

def nothing(a): pass

def kernel(y: Out[f32, "M", "N"], x: Ref[f32, "M", "N"], v: Ref[f32, "N"], n: int):
    t = x.load_like(y)
    r = v.load((0,), (8,))
"""


def kernel_of(*lines: str) -> Callable[..., Any]:
    """A kernel with these lines in the middle."""
    return fragments.kernel_of(*lines, head=HEAD)


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


def arguments(part: Any) -> list[Any]:
    """Of the kernel: `x` and `v` count from 0, `n` is 3."""
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    return [part(np.zeros((4, 8), np.float32), 4, 8), x, x[0].copy(), 3]


def test_what_is_said(golden: Callable[[Path, str], None], part: Any, lowered: Callable[..., Any]) -> None:
    found = said(REFUSED, lambda line: lowered(kernel_of(line), *arguments(part)))
    golden(Path(__file__).with_name("fragments.err"), "\n".join(found))


STATIC = """
len(t) == 4 and len(r) == 8 and len((1, 2)) == 2 and len("abc") == 3
fh.cdiv(7, 1) == 7 and fh.cdiv(7, 2) == 4 and fh.cdiv(-7, 2) == -3 and fh.cdiv(8, 2) == 4
reversed((1, 2, 3)) == (3, 2, 1)
(n, 1) != (n,) and not (n, 1) == (n,)
(f32, 2) == (t.dtype, 2) and not (f32, 2) != (f32, 2) and (f32, 2) != (f32, 3)
(t == None) is False and (t != None) is True and t is not None and not t is None
None in (None, n) and n not in (None,) and not n in (None, None) and not None not in (None, n)
Pair(1, 2).kept == 3 and Pair(1, right=2).right == 2 and Point(1, y=2).y == 2
t.reshape((8, 4)).shape == (8, 4) and t.reshape(-1, 4).shape == (8, 4) and t.transpose((1, 0)).shape == (8, 4)
bool(3) is True and bool(0) is False and int("7") == 7 and float("2.5") == 2.5
(t.astype(i32) ** 0).dtype is i32 and (t.astype(i32) ** 16).dtype is i32
(t > 0).astype(i8).dtype is i8 and (t * 2).dtype is f32 and (n * 2).dtype is i32
(t.astype(i8) + t.astype(i32)).dtype is i32 and (t.astype(i32) - t.astype(i8)).dtype is i32
(t.astype(i8) << n).dtype is i8 and (n >> t.astype(i8)).dtype is i32
(t.astype(f16) + t).dtype is f32 and (t.astype(i8) + 1).dtype is i8 and ((t > 0) + 1).dtype is i32
t[:, None, :4].shape == (4, 1, 4) and t[2:].shape == (2, 8) and t[..., 4:].shape == (4, 4)
t.sum(axis=1).shape == (4,) and t.sum(axis=-1, keepdims=True).shape == (4, 1) and fh.sum(t).shape == ()
tuple(i for i in range(3) if i != 1) == (0, 2) and tuple(zip((1, 2), (3, 4))) == ((1, 3), (2, 4))
(t > 0).sum().dtype is i32 and (t > 0).max().dtype is bool_ and t.astype(i8).sum(axis=0).dtype is i8
(t > 0).any().dtype is bool_ and t.astype(f16).sum().dtype is f16 and t.astype(i8).max().dtype is i8
tuple(enumerate((5, 6), 1)) == ((1, 5), (2, 6)) and sum((1, 2, 3)) == 6 and max(1, 2) == 2 and min((4, 3)) == 3
f"{7:03d} {(1, 2)} {f32}" == "007 (1, 2) f32"
sum(range(1000)) == 499500 and max(range(1000)) == 999 and min(range(5, 1000)) == 5
len(tuple(range(1000))) == 1000
sum((1,) * 1200) == 1200 and sum((1, 2), 3) == 6 and sum(()) == 0 and len(tuple("abc")) == 3
tuple("ab") == ("a", "b")
tuple(i for i in range(1000) if i % 300 == 0) == (0, 300, 600, 900) and len(tuple(i for i in range(1000))) == 1000
tuple(enumerate((5, 6))) == ((0, 5), (1, 6)) and tuple(enumerate("ab", -1)) == ((-1, "a"), (0, "b"))
tuple(enumerate((5, 6), True)) == ((1, 5), (2, 6)) and enumerate(()) == ()
tuple(zip((1, 2), (3, 4, 5))) == ((1, 3), (2, 4)) and tuple(zip((1,), (3,), strict=True)) == ((1, 3),) and zip() == ()
any((0, 1)) and not any((0, 0)) and not any(()) and all((1, 1)) and not all((1, 0)) and all(())
bool(()) is False and bool((0,)) is True and bool((t,)) is True and bool("") is False and bool(None) is False
bool(2.5) is True
int(2.9) == 2 and int(-2.9) == -2 and int("-3") == -3 and int(True) == 1 and float(3) == 3.0 and float("inf") > 1e300
max(1, 2.5) == 2.5 and min(2, 2.5) == 2 and max((1,)) == 1 and abs(-2.5) == 2.5 and abs(True) == 1
divmod(-7, 2) == (-4, 1)
isinstance(3, int) and isinstance(True, int) and not isinstance(2.5, int) and isinstance("a", (int, str))
isinstance(None, object)
isinstance(t, fh.Tile) and not isinstance(t, fh.Scalar) and isinstance(n, fh.Scalar) and isinstance((1,), tuple)
isinstance(Pair(1, t), Pair) and isinstance(Point(t, 2), Point) and isinstance(Point(t, 2), tuple)
not isinstance((t, 2), Point)
reversed((1, t))[1] == 1 and reversed("ab") == ("b", "a") and reversed(()) == ()
math.sqrt(16) == 4 and math.isclose(1.0, 1.2, rel_tol=0.5) and not math.isclose(1.0, 1.2) and math.gcd(12, 18) == 6
math.floor(-2.5) == -3 and math.ceil(2.1) == 3 and math.log(8, 2) == 3 and math.isinf(math.inf)
math.prod((2, 3, 4)) == 24
Point._fields == ("x", "y") and y.at(0, 0).ndim == 2 and y.ndim == 2 and Late(1).other == 3 and Checked(2).one == 2
dataclasses.replace(Pair(1, 2), left=3).left == 3 and dataclasses.replace(Pair(1, t), left=3).right.shape == (4, 8)
Boxed(1).whole == 1 and Boxed(scale=3, whole=2).whole == 6 and Made(2).two == (2, 3) and Made(2, 4).two == (2, 4)
fh.reduce(t, lambda p, q: p + q, 0.0, 1).shape == (4,)
fh.reduce(t, lambda p, q: p + q, 0.0, 0, keepdims=True).shape == (1, 8)
fh.reduce(t, lambda p, q: p + q, 0.0, None, keepdims=True).shape == (1, 1)
fh.reduce(t, lambda p, q: p + q, 0.0, None).shape == ()
fh.reduce(n, lambda p, q: p + q, 0).shape == () and fh.reduce(n, fh.maximum, 0, keepdims=True).shape == ()
fh.scan(t, lambda p, q: p + q, 0.0, 1, reverse=True).shape == (4, 8)
fh.scan(r, lambda p, q: p + q, 0.0).shape == (8,)
f32(2).dtype is f32 and i8(2.9).dtype is i8 and bool_(2).dtype is bool_ and f16(n).dtype is f16
i64(t).shape == (4, 8)
fh.arange(8, 0, -2).shape == (4,) and fh.arange(0, -8, -1).shape == (8,) and fh.arange(0, 7, 2).shape == (4,)
fh.arange(4).dtype is i32 and fh.arange(4, f16).dtype is f16 and fh.arange(0, 4, 1, i64).dtype is i64
fh.arange(1, 2).shape == (1,)
t.sum(axis=0, keepdims=True).shape == (1, 8) and t.sum(keepdims=True).shape == (1, 1)
t.max(axis=(0, 1)).shape == ()
t.argmax(axis=1, keepdims=True).shape == (4, 1) and t.argmin(keepdims=True).shape == (1, 1) and t.argmax().shape == ()
t.squeeze().shape == (4, 8) and t[:, None].squeeze(1).shape == (4, 8)
t.flatten().shape == (32,) and t.T.shape == (8, 4) and t[0].shape == (8,) and t[-1].shape == (8,)
t[:, 0].shape == (4,)
t[1].shape == (8,) and t[..., 0].shape == (4,) and t[:2, :4].shape == (2, 4) and t[:, :-4].shape == (4, 4)
t[-2:].shape == (2, 8)
t.size == 32 and t.ndim == 2 and n.size == 1 and n.ndim == 0 and n.shape == () and x.ndim == 2 and x.dtype is f32
fh.concatenate((t, t)).shape == (8, 8) and fh.concatenate((t, t), axis=-1).shape == (4, 16)
fh.random_bits((1 << 64) - 1, 1).shape == () and fh.random_bits(-(1 << 63), 1).shape == ()
x.load((0, 0), (4, 8), latency=1).shape == (4, 8) and x.load((0, 0), (4, 8), latency=10).shape == (4, 8)
fh.pack(t.astype(fh.tf32)).shape == (4, 32) and fh.unpack(fh.pack(t.astype(fh.tf32)), fh.tf32).shape == (4, 8)
fh.expand_dims(t, 1).shape == (4, 1, 8) and fh.expand_dims(t, -1).shape == (4, 8, 1)
fh.expand_dims(t, 0).shape == (1, 4, 8)
fh.extract(t, (0, 0), (2, 4)).shape == (2, 4) and t.insert((0, 0), fh.zeros((2, 4), f32)).shape == (4, 8)
""".strip().split("\n")


def test_what_is_known(lowered: Callable[..., Any], part: Any) -> None:
    """Each line holds when the kernel is compiled."""
    lowered(kernel_of(*(f"fh.static_assert({line})" for line in STATIC)), *arguments(part))


def test_what_both_branches_know_is_known_after_them(lowered: Callable[..., Any], part: Any) -> None:
    lines = ("k, s = 1, 2", "if n > 0:", "    k = 4", "    s = t", "else:", "    k = 4", "    s = t")
    known = ("fh.static_assert(k == 4)", "t = s + fh.zeros((k, 8), f32)")
    lowered(kernel_of(*lines, *known), *arguments(part))


NUMBERS = ("0.0", "(1.0 if n > 0 else 2.0) * 2", "fh.where(n > 0, 1.0, 2.0)", "fh.maximum(1.0, 1.0 if n > 1 else 2.0)")


@pytest.mark.parametrize("number", [*NUMBERS, "-(1.0 if n > 0 else 2.0)", "abs(1.0 if n > 0 else 2.0)"])
def test_numbers_alone_have_the_dtype_that_a_loop_makes_of_them(
    number: str, lowered: Callable[..., Any], part: Any
) -> None:
    lines = (f"q = {number}", "for i in range(n):", "    q = q + t.astype(f64)")
    lowered(kernel_of(*lines, "fh.static_assert(q.dtype is f64 and q.shape == (4, 8))"), *arguments(part))
    with pytest.raises(Rejected):  # whose dtype was asked for is no guess
        lowered(kernel_of(f"q = ({number}) + t[0].sum()", *lines[1:]), *arguments(part))


def test_what_does_not_hold_is_said(lowered: Callable[..., Any], part: Any) -> None:
    with pytest.raises(Rejected) as caught:
        lowered(kernel_of(*(f"fh.static_assert(not ({line}))" for line in STATIC)), *arguments(part))
    assert [error.code for error in caught.value.errors] == ["O030"] * len(STATIC)


X = np.arange(32, dtype=np.float32).reshape(4, 8)
COMPUTED = [
    ("t ** 0", X**0),
    ("t ** 1", X),
    ("(t / 16) ** 16", (X / 16) ** 16),
    ("(t / 16) ** 17", (X / 16) ** 17),
    ("(t.astype(i32) ** 5).astype(f32)", (X.astype(np.int32) ** 5).astype(np.float32)),
    ("fh.where(True, t, 1.0)", X),
    ("fh.where(0, t, 1.0)", X * 0 + 1),
    ("t * float(n)", X * 3),
    ("t if n in (None, 1, 3) else r", X),
    ("t if n not in (1, 2) else t * 2", X),
    ("t if (n, 1) == (3, 1) else t * 2", X),
    ("t if (n, 1) != (2, 1) else t * 2", X),
    ("t if (n, n) == (3, 2) else t * 2", X * 2),
    ("t + fh.cdiv(n, 2)", X + 2),
    ("t + fh.mulhi(fh.full((4, 8), 1 << 31, u32), 6).astype(f32)", X + 3),
    ("fh.powi(t, n)", X**3),
    ("fh.fmod(t, -5.0)", np.fmod(X, -5)),
    ("fh.maximum(t, r)", np.maximum(X, X[0])),
    ("t + r[:, None][:4]", X + X[0][:4, None]),
    ("t + t.sum(axis=1, keepdims=True)", X + X.sum(1, keepdims=True)),
    ("t + v.load((0,), (8,))", X + X[0]),
    ("sum((i * v for i, v in enumerate((t, t + 1), n)), t * 0)", X * 3 + (X + 1) * 4),
    ("sum((t, 1, n), 2)", X + 6),
    ("max(t, r, 3)", np.maximum(np.maximum(X, X[0]), 3)),
    ("min((t, r, n))", np.minimum(np.minimum(X, X[0]), 3)),
    ("divmod(t, 3)[0] * 10 + divmod(t, 3)[1]", X // 3 * 10 + X % 3),
    ("fh.where(all((n > 0, n > 2, True)), t, 0)", X),
    ("fh.where(any((n > 3, n < 0)), t, 0)", X * 0),
    ("fh.reduce(t, lambda p, q: p + q, 0.0, 1, keepdims=True) + t * 0", X * 0 + X.sum(1, keepdims=True)),
    ("fh.scan(t, lambda p, q: p + q, 0.0, 1, reverse=True)", X[:, ::-1].cumsum(1)[:, ::-1]),
    ("fh.scan(t, lambda p, q: p + q, 0.0, 0)", X.cumsum(0)),
    ("t + fh.reduce(t.sum(), lambda p, q: p + q, 0.0)", X + X.sum()),
    (
        "t.reshape(*(8, 4)).T.reshape(*(2, 2), 8).reshape(*x.load(*((0, 0), (4, 8))).shape)",
        X.reshape(8, 4).T.reshape(4, 8),
    ),
    ("t * Made(t).other + Pair(1, t).right", X * 4),
    ("t[2:] .sum() + t * 0", X * 0 + X[2:].sum()),
    ("fh.where(n in (t, 2), 1.0, 0.0)", (X == 3) * 1.0),
    ("fh.where(t not in (n, r[0], 9), 1.0, 0.0)", 1.0 - ((X == 3) | (X == 0) | (X == 9))),
    ("fh.where(fh.full((4, 8), 2.0, fh.f4e2m1fn) != n, t, 0.0)", X),
    ("fh.where(fh.full((4, 8), 3.0, fh.f4e2m1fn) == n, t, 0.0)", X),
    ("t + (t.astype(f32).astype(i32) & 5)", X + (X.astype(np.int32) & 5)),
]


@pytest.mark.parametrize(("line", "wanted"), COMPUTED, ids=[line for line, _ in COMPUTED])
def test_what_is_computed(line: str, wanted: Any, interpret: Callable[..., None], part: Any) -> None:
    args = arguments(part)
    interpret(kernel_of(f"t = {line}"), *args)
    np.testing.assert_allclose(args[0].array, wanted, rtol=1e-6)


REQUIRED = [
    "n > 2", "-n < 3", "not n > 3", "not (n < 3 or n == 5)", "0 < n < 9", "0 < x.shape[0] <= n != 7",
    "n % 2 == 0 and x.shape[1] // n < 4", "min(n, 3) < max(x.shape[0], 4) - 1", "fh.cdiv(x.shape[1], 3) * 2 >= n",
    '"M % 2 == 0 and n < N"', '"not n == 3 or M < n"',
]  # fmt: skip


def test_what_is_required_of_a_launch(
    lowered: Callable[..., Any], part: Any, golden: Callable[[Path, str], None]
) -> None:
    module = lowered(kernel_of(*(f"fh.require({line})" for line in REQUIRED)), *arguments(part))
    asked = [str(op.predicate.data) for op in module.walk() if isinstance(op, RequireOp)]
    golden(
        Path(__file__).with_name("required.txt"), "\n".join(f"{a}: {b}" for a, b in zip(REQUIRED, asked, strict=True))
    )
