"""Kernels with one thing in the middle of each: an index, a loop, a branch, an update, and how these meet."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import freehold as fh

HEAD: Final = """
def kernel(y: Out[f32, "M", "N"], z: Mut[f32, "M", "N"], x: Ref[f32, "M", "N"], v: Ref[f32, "K"], w: Ref[f32, "L"],
           at: Ref[i32, "P"], s: Acc[f32, "N"], r: Raw[i32, "Q"], n: i32, m: i32):
    i, j = y.index
    t = x.load_like(y)
"""
INDICES: Final = (
    "n", "j", "i * 2 + 1", "i + n", "n * m", "n // 2", "n % 4", "fh.minimum(i, n)", "fh.maximum(n, 0)",
    "at.load(i, 1)[0]", "at.load(0, 1)[0]", "at.load(n, 1)[0]", "fh.cdiv(v.shape[0], 8) - 1",
    "i if n > 0 else j", "fh.minimum(fh.maximum(n, 0), fh.cdiv(v.shape[0], 8) - 1)", "0",
)  # fmt: skip
PLACES: Final = (
    "n", "i * 4", "y.start[1]", "v.shape[0] - 8", "at.load(i, 1)[0]", "y.start[1] + 1", "0", "y.stop[1] - 8",
)  # fmt: skip
SCATTERED: Final = (
    "fh.arange(8)", "n + fh.arange(8)", "j * 8 + fh.arange(8)", "at.load(j, 8)", "at.load(j, 8) % 64",
    "at.load(j, 8) + n", "fh.minimum(at.load(j, 8), 7)", "fh.maximum(at.load(j, 8), 0)", "fh.arange(8) // 2",
)  # fmt: skip
LINES: Final = (
    *(f"t += v.load({index}, 8)" for index in INDICES),
    *(f"t += v.load_from(({place},), (8,))" for place in PLACES),
    *(f"t += v.gather({places})" for places in SCATTERED),
    *(f"s.add_at(t.sum(axis=0), {places})" for places in SCATTERED[:4]),
    *(f"t += v.gather({places}, mask=fh.arange(8) < n, padding=1.0)" for places in SCATTERED[1:3]),
    *(f"t += v.window(0, {start}, {length}).load(0, 8)" for start, length in (("n", 16), ("n", "m"), ("0", "n"))),
    "t += x.load((n, m), (4, 8))", "t += x.load((j, i), (4, 8))", "t += x.load((i, n), (1, 8))",
    "t = fh.where(y.start[1] + fh.arange(8) < x.shape[1], t, 0.0)", "t += i", "t += y.start[1] + fh.arange(8)",
    "t = fh.where(y.start[1] + fh.arange(8) < y.stop[1], t, 0.0)", "t += j * y.tile[1] + fh.arange(8)",
    "t = fh.where(j * 8 + fh.arange(8) == n, t, 0.0)", "t = t - t.sum(axis=1, keepdims=True)", "t = t - t.max(axis=0)",
    "t = t.T.reshape(4, 8)", "t = t.reshape(2, 2, 8).sum(axis=1).reshape(1, 2, 8).sum(axis=0)[0] + t",
    "t = fh.mma(t, x.load((j, j), (8, 8)), t)", "t = t.cumsum(axis=1)",
    "t += fh.random_uniform(1, i * 8 + fh.arange(8))",
    "with fh.unsafe('why'): t += r.gather(fh.arange(8))",
    "with fh.unsafe('why'): t += r.gather(n + fh.arange(8), mask=fh.arange(8) < m, padding=3)",
    "with fh.unsafe('why'): r.scatter(fh.arange(8), at.load(j, 8))",
    "with fh.unsafe('why'): t += r.atomic_add(fh.arange(8), 1, mask=fh.arange(8) < n)",
    "t += v.load(n, 8) + w.load(n, 8)", "t += v.load(n, 8) + v.load(n + 1, 8)",
)  # fmt: skip
WALKS: Final = """
if n > 3: t += v.load(n, 8)

if n < m: t += v.load(m - n, 8)

if 0 <= n: t += v.load(n, 8)

if n >= 0 and n * 8 < v.shape[0]: t += v.load(n, 8)

for k in range(n): t += v.load(k, 8)

for _ in range(n): t += v.load(_, 8)

for k in range(n, m): t += v.load(k, 8)

for k in range(0, n, 2): t += v.load(k + 1, 8)

for k in range(n, 0, -1): t += v.load(k - 1, 8)

for k in fh.tiles(w, axis=0, size=8): t += v.load(k, 8)

for k in fh.tiles(w, axis=0, size=16): t += v.load(k, 8)

for k in fh.tiles(v, axis=0, size=8): t += w.load(k, 8) * v.load(k + 1, 8)

for k in fh.tiles(v, axis=0, size=8, start=1): t += v.load(k - 1, 8)

for k in range(4): t += v.load(at.load(k, 1)[0], 8)

for k in range(n):
    if k < m: t += v.load(k, 8)
    else: t *= 2.0

for k in range(n):
    if k < m: z.store(z.load() + t)

for k in range(n, n): t += v.load(k, 8)

for k in range(5, 2): t += v.load(k, 8)

for k in range(n):
    if k == m: t += 1.0
    t = t * 2.0

for k in range(n):
    t = fh.where(k < m, t + 1.0, t)

for k in fh.tiles(x, axis=1, size=8):
    u = x.load((i, k), (4, 8))
    t += fh.where(k * 8 + fh.arange(8) <= n, u, 0.0)

for k in fh.tiles(x, axis=1, size=8):
    u = x.load((i, k), (4, 8))
    if k * 8 + 8 > n: u = fh.where(k * 8 + fh.arange(8) < n, u, -math.inf)
    t = fh.maximum(t, u)

for k in range(n):
    for l in range(k, m):
        if l > k + 1: t += v.load(l, 8)

for k in fh.tiles(x, axis=1, size=8):
    t = fh.mma(x.load((i, k), (4, 8)), x.load((k, j), (8, 8)), t)

acc = fh.zeros((4, 8), f32)
for k in fh.tiles(x, axis=1, size=8):
    acc += x.load((i, k), (4, 8)) * v.load(k, 8)
t = acc + x.load((i, 0), (4, 8))

for k in range(n):
    a = v.load(0, 8)
    b = a * 2.0 + n
    t = t * b + a

z.store(z.load() + t)

z.store(z.load() + t)
z.store(z.load() * 2.0)

for k in range(n): z.store(z.load() + k)

if n > 0: z.store(t)

if n > 0: z.store(t)
else: z.store(-t)

for k in range(n):
    if k > 2: z.store(z.load() * t)
    s.add_at(t.sum(axis=0), fh.arange(8))

u = z.load()
z.store(t)
t = u

assert n > 0
assert v.load(0, 8).sum() > 0.0
t = t / n

fh.require(v.shape[0] >= 64)
t += v.load(7, 8)

fh.require(n >= 0)
fh.require(n < 4)
t += v.load(n, 8)

k = 0
while k < n:
    t += v.load(k, 8)
    k += 2

k = n
while k > 0:
    if at.load(k, 1)[0] == 0: break
    k = k // 2
t += k

p = v.window(0, n, 16)
for k in fh.tiles(p, axis=0, size=8): t += p.load(k, 8)

p = v.window(0, at.load(0, 1)[0], 16)
t += p.load(1, 8)

p = w.window(0, at.load(1, 1)[0], 24)
t += p.load(2, 8)

a = at.load(j, 8)
t += fh.where((a >= 0) & (a < 8), v.gather(fh.minimum(fh.maximum(a, 0), 7)), 0.0)
""".strip().split("\n\n")
MIDDLES: Final = (*LINES, *WALKS)


def arguments() -> tuple[Any, ...]:
    """What the kernels are given: two partitions, arrays, and two scalars."""
    y, z, x = (np.zeros((64, 96), np.float32) for _ in range(3))
    v, w, at, s = (np.zeros(size, dtype) for size, dtype in ((96, "f4"), (128, "f4"), (40, "i4"), (96, "f4")))
    r = np.zeros(64, np.int32)
    return fh.partition(y, (4, 8)), fh.partition(z, (4, 8)), x, v, w, at, s, r, 1, 2


def lowered(number: int) -> ModuleOp:
    """The module of one."""
    file, lines = f"line_{number}.py", [*MIDDLES[number].split("\n"), "y.store(t)"]
    text = HEAD.lstrip() + "".join(f"    {line}\n" for line in lines)
    fh.register_source(file, text)
    names: dict[str, Any] = {"__name__": "lines", "fh": fh, "math": math}
    names |= {name: getattr(fh, name) for name in ("Acc", "Mut", "Out", "Raw", "Ref", "f32", "i32")}
    exec(compile(text, file, "exec", dont_inherit=True), names)
    return fh.kernel(names["kernel"]).lower(*arguments())
