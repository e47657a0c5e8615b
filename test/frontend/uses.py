"""A kernel, and what is understood in it: expressions with every function of the language, and statements."""

from __future__ import annotations

from typing import Any

import numpy as np

HEAD = """
from freehold import Raw

class Pair(NamedTuple):
    x: object
    y: object

def first(a, b=1, *, c=2): return a

def kernel(y: Out[f32, "M", "N"], z: Mut[f32, "M", "N"], x: Ref[f32, "M", "N"], v: Ref[i32, "N"],
           s: Acc[f32, "N"], b: Acc[i32, "N"], w: Raw[i32, 1], n: int):
    t = x.load_like(y)
    i = v.load((0,), (8,))
    q = fh.bitcast(i, f32).astype(f8e5m2)
    p = t > 0
"""

ELEMENTWISE = [
    "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "erf", "sigmoid",
    "silu", "gelu", "log1p", "expm1", "floor", "ceil", "abs", "isnan", "isinf", "isfinite", "sign", "round",
]  # fmt: skip

USES = [
    *(f"fh.{name}(t)" for name in ELEMENTWISE),
    *(f"fh.{name}(t, t)" for name in ("atan2", "maximum", "minimum", "fmod")),
    *(f"fh.{name}(t, t, rounding=fh.Rounding.UP)" for name in ("add", "subtract", "multiply", "divide")),
    *(f"fh.{name}(t, axis=1, keepdims=True)" for name in ("sum", "prod", "max", "min", "argmax", "argmin")),
    *(f"t.{name}(axis=(0, 1), keepdims=True)" for name in ("sum", "prod", "max", "min")),
    *(f"t.{name}(1, keepdims=False)" for name in ("argmax", "argmin")),
    *(f"{of}(axis=0, keepdims=True)" for of in ("p.any", "p.all")),
    *(f"fh.{name}(p, 1)" for name in ("any", "all")),
    *(f"fh.{name}(t, axis=1, reverse=True)" for name in ("cumsum", "cumprod")),
    *(f"t.{name}(1, reverse=False)" for name in ("cumsum", "cumprod")),
    *(f"fh.{name}(t, axis=1)" for name in ("sort", "argsort")),
    "fh.exp2(t, flush_to_zero=True)", "fh.maximum(t, 0.0, propagate_nan=True)", "fh.where(p, t, 0.0)",
    "fh.fma(t, t, 1.0)", "fh.clip(t, 0.0, n)", "t.clip(0.0, 1.0)", "t.round()", "fh.mulhi(i, 3)", "fh.powi(t, n)",
    "fh.cdiv(n, 2)", "fh.cdiv(i, 2)", "fh.reduce(t, lambda a, b: a + b, 0.0, 1)", "fh.scan(i, lambda a, b: a + b, 0)",
    "fh.top_k(t, 2, axis=1)", "fh.mma(t, t.T, fh.zeros((4, 4), f32), fast_acc=False)", "t @ t.T",
    "fh.random_bits(n, i)", "fh.random_uniform(1, i)", "fh.zeros((4, 8), f32)", "fh.ones((4, 8), i32)",
    "fh.full((4, 8), n, i32)", "fh.full((4, 8), 1.5, f32)", "fh.arange(0, 16, 2, i64)", "fh.arange(8)",
    "fh.reshape(t, (8, 4))", "t.reshape(2, 16)", "fh.permute(t, (1, 0))", "t.permute((1, 0))", "t.transpose(1, 0)",
    "fh.transpose(t, (1, 0))", "t.flatten()", "t.squeeze()", "t.sum(axis=0, keepdims=True).squeeze(0)",
    "fh.expand_dims(t, 1)", "fh.broadcast_to(t[0], (4, 8))", "fh.concatenate((t, t), axis=1)", "fh.bitcast(t, i32)",
    "fh.extract(t, (0, n), (2, 4))", "t.extract((n, 0), (2, 4))", "fh.insert(t, (n, 0), fh.zeros((2, 4), f32))",
    "t.insert((0, 0), t[:2, :4])", "fh.pack(q)", "fh.unpack(fh.pack(q), f8e5m2)", "t.astype(f16)",
    "t.astype(i32, saturate=True)", "t.sum().item()", "x.load_from((n, 0), (4, 8))",
    "x.load((n, 0), (4, 8), padding='nan', latency=2, allow_tma=True)", "x.load((0, 0), shape=(4, 8))",
    "x.load_like(y)",
    "x.gather(fh.arange(8), i, mask=i > 0, padding=1.0)", "x.gather(n, i)", "v.gather(i)",
    "f32(n)", "i8(2.5)", "float(n)", "int(n)", "bool(n)", "abs(n)", "max(n, 1)",
    "min((t, 1.0, n))", "sum((t, 1.0), 2.0)", "divmod(n, 2)", "len((n, t))", "isinstance(t, fh.Tile)",
    "any((n > 0, True))", "all((n > 0, n < 3))", "tuple(zip((n, 1), (t, 2)))", "tuple(enumerate((n, t), 1))",
    "reversed((n, t))", "range(3)", "f'{2:03d}'", "math.sqrt(16)", "math.isclose(1.0, 1.2, rel_tol=0.5)",
    "Pair(n, y=t)", "Pair(n, t).x", "first(n, 2, c=t)", "first(t, b=n)", "(n, t)[0]", "(1, 2, 3)[1:]",
    "t[1, :4]", "t[:, None]", "t[..., 0]", "x.shape[1]", "y.tile[0]", "y.index[1]",
    "t + n", "t - 1.0", "t * t", "t / n", "i // 2", "i % n", "t ** 2", "i ** 2", "i & 1", "i | n", "i ^ i", "i << 1",
    "i >> n", "-t", "~i", "+t", "not n > 0", "0 < n < 3", "n == 2", "i != n", "n > 0 and n < 5", "n > 5 or n < 0",
    "None is None", "n in (1, 2)", "n not in (1, 2)", "t if n > 0 else t + 1", "1 if n > 0 else 2", "(n, 1) == (n, 2)",
    "tuple(k + n for k in (1, 2) if k > 1)", "t.shape == (4, 8)", "t.dtype is f32",
    "i8(n) + i", "i + i8(n)", "i8(n) << i", "i << i8(n)", "n in (2, None, 1)", "n not in (None, 1, n)", "z.load()",
    "z.load() if n > 0 else t", "x.load((0, 0), (4, 8)) if n > 0 else t", "z.tile[0]", "y.start[1]", "z.stop[0]",
    "z.at(n, 0).load()", "fh.random_bits((1 << 64) - 1, i)", "fh.random_bits(-(1 << 63), i)",
    "fh.random_bits(1 << 32, i)",
    "fh.random_bits((1 << 32) - 1, i)", "fh.random_bits(-(1 << 31), i)", "fh.random_bits(-(1 << 31) - 1, i)",
]  # fmt: skip
"""Expressions."""
RAW = [
    *(f"w.atomic_{name}(i, i, mask=i > 0)" for name in ("add", "max", "min", "and", "or", "xor", "exchange")),
    "w.gather(i, mask=i > 0, padding=3)", "w.atomic_cas(i, i, i, mask=i > 0)", "w.scatter(i, i, mask=i > 0)",
]  # fmt: skip
STATEMENTS = [
    *(f"b.{name}_at(i, i, mask=i > 0)" for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "maximum", "minimum")),
    *(f"b.at(n).{name}(i)" for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "maximum", "minimum")),
    "b.add_at(1, i)", "s.add_at(t, fh.arange(8), mask=p)", "b.at(n).add(i)",
    *(f"with fh.unsafe('why'): {line}" for line in RAW),
    "fh.print(n, t, sep=' ', end='')", "fh.print('n', n)", "fh.assert_(n > 0, 'positive')",
    "fh.static_assert(1 < 2, 'less')", "for k in range(0, n, 2): t += k",
    "for k in fh.static_range(0, 4, 2): t += k", "while n > 5: n -= 1",
    "for k in fh.tiles(x, axis=1, size=8, start=0, step=8): t += x.load((0, k), (4, 8))",
    "for k, l in ((n, t), (1, 2)): r = k", "for k in (n, 1): r = k", "for k, l in enumerate((n, t), 1): r = l",
    "if n > 0: t = t + n", "r = t; r += n", "r, *k = (n, t, 1)", "r = k = n", "r = x.window(0, 2, 4)",
    "t = y.at(n, 0).load()",
]  # fmt: skip

BLOCKS = """
for k in range(n):
    if k > 3:
        for l in range(2):
            if l > k: break
        break
    t = t + 1

for k in (1, 2, 3):
    if n > k: break
    t = t + k

u = 2
for k in range(n):
    u = 2
    t = t + u
t = t * u

u = f32
for k in range(n):
    u = f32
    if k > 2: break
t = t.astype(u)

for k in range(n):
    t = t + k
    if k > 3: break
    t = t * 2

for k in range(0, n, 2):
    if k == 2: continue
    t = t + 1

for k in range(n, 0, -1):
    t = t * 0.5 + k

for k in reversed(fh.tiles(x, axis=1, size=8)): t = t + x.load((0, k), (4, 8))

for k in fh.tiles(x, axis=1, size=8):
    for l in range(k):
        t = t + l
        if l > n: break

k, u = 0, t
while k < n:
    k += 1
    if k == 7: continue
    u = u * 2
t = u + k

while True:
    t = t + 1
    if fh.sum(t) > n: break

if n > 0: u, k = t + 1, 2
else: u, k = t * 2, 3
t = u * k

if n > 0: t = t + 1
elif n < -3: t = t * 2

if n > 0 and n < 9 or n == -1: t = -t

pair = (t, 1)
for k in range(n): pair = (pair[0] + k, pair[1])
t = pair[0] + pair[1]

q = Pair(t, n)
if n > 1: q = Pair(t * 2, n + 1)
t = q.x + q.y

while True:
    with fh.unsafe('why'):
        if n > 0: break
    t = t + 1

u = 2
for k in range(n): u = t
t = u

best = -math.inf
for k in range(n): best = fh.maximum(best, t.max() + k)
t = t - best

total = 0.0
for k in range(n): total += 1.5
t = t * total

count = 0
for k in range(n):
    if k % 2 == 0: count += 1
t = t + count

match n:
    case 0: t = t + 1
    case 1 | 2: t = t + 2
    case _: t = t * 3

def leave(u, m):
    if m > 3: return u
    for k in range(m):
        if k > 1: return u * k
    return -u
t = leave(t, n)

def many(u, k, *, scale=2): return u * scale + k
t = many(t, n) + many(k=1, u=t, scale=3)

a, (b_, *c_) = (n, (t, 1, 2))
t = b_ * a + c_[1]

t = sum(tuple(t * k for k in range(3) if k != 1))

for k, u in zip((1, 2, 3), (t, t + 1, t + 2)): t = t + u * k

for k in (n, 2, t[0, 0]): t = t + k

t = fh.where(t > 0, t if n > 0 else -t, 0)

fh.assert_(n > 0, 'n is positive')
fh.require(x.shape[0] > 1)
t = t + x.shape[1]

u = x.load((0, 0), (2, 2))
t = t + u.sum() if n > 0 else t

for k in range(n):
    for l in fh.static_range(2):
        if k > l: t = t + k
""".strip().split("\n\n")
"""Statements over several lines."""
WRONG_BLOCKS = """
for k in range(n): t = t[:2]

for k in range(n): t = t.astype(i32)

for k in range(n): t = (t, k)

u = (t, 1)
for k in range(n): u = t
t = u

u = t
for k in range(n): u = (u, k)
t = u[0]

u = (t, 1)
for k in range(n): u = (*u, k)
t = u[0]

u = n
for k in range(n): u = t
t = u

u = f32
for k in range(n):
    if k > 2: break
    u = i32
t = t.astype(u)

for k in range(n):
    u = t
t = u

for k in range(n):
    for l in x: pass
    if n > 2: break

for k in x:
    u = missing
    t = u
t = t + 1

if n > 0: u = t
else: u = f32
t = u

if n > 0: u = f32
else: u = t
t = u

if n > 0: u = t
else: u = t[:2]
t = u

if n > 0: u = t
t = u

if n > 0:
    if n > 1: u = t
else: u = t
t = u

if n > 0: u = t
else:
    if n > 1: u = t
t = u

if n > 0:
    if n > 1: u = t
else:
    if n > 2: u = t
t = u

if n > 0:
    if n > 1: u = t
    else: u = f32
else: u = t
t = u

if n > 0: u = t
elif n < -2: u = f32
else: u = i32
t = t.astype(u)

if n > 0:
    for k in range(n): u = t
else: u = t
t = u

for k in range(n):
    if k > 2: u = t
    t = u

u = t
for k in range(n):
    if k > 2: u = (t, k)
t = u

while t: n += 1

def leave():
    with fh.unsafe('why'): return t
t = leave()

def leave(m):
    if m > 0: return t
t = leave(n)

def leave(m):
    if m > 0: return t
    return t[:2]
t = leave(n)

match n:
    case 1 | {}: pass

match n:
    case {}: pass

match n:
    case [1, {}]: pass

match (n, 2):
    case [1 | {}, 2]: pass

match t:
    case 1: t = t + 1

a = fh.zeros((4, 4), f16)
a = fh.ones((4, 4), f16)
a = fh.mma(t, t.T, a)

a = fh.zeros((4, 4), f16)
for k in range(n): a = fh.mma(t, t.T, a)

a, *b_, c, d = (1, 2)

a, *b_ = ()

*a, b_, c = (1,)

a, b_ = t.max(axis=1)

def leave(u, m):
    while True:
        if m > 1: return u.at(m, 0)
        m += 1
r = leave(y, n)

def leave(u, m):
    for k in range(m):
        if k > 1: return u.at(k, 0)
    return u.at(0, 0)
r = leave(y, n)
""".strip().split("\n\n")
"""Such as are refused."""


def arguments(part: Any) -> list[Any]:
    x = np.zeros((4, 8), np.float32)
    numbers = np.zeros(8, np.int32)
    return [part(x.copy(), 4, 8), part(x.copy(), 4, 8), x, numbers, np.zeros(8, np.float32), numbers, numbers, 3]
