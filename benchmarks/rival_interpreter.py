"""Four kernels for Triton's interpreter. Importing it needs Triton, and `TRITON_INTERPRET=1` set before."""
# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false

import triton
import triton.language as tl


@triton.jit
def add(z, x, y, n, BLOCK: tl.constexpr):
    """z = x + y."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


@triton.jit
def softmax(y, x, n, BLOCK: tl.constexpr):
    """The softmax of a row."""
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * n
    t = tl.load(x + row + at, mask=at < n, other=float("-inf"))
    e = tl.exp(t - tl.max(t, axis=0))
    tl.store(y + row + at, e / tl.sum(e, axis=0), mask=at < n)


@triton.jit
def layer_norm(y, x, w, bias, n, eps, BLOCK: tl.constexpr):
    """A row brought to mean 0 and variance 1, scaled and shifted."""
    at = tl.arange(0, BLOCK)
    inside = at < n
    row = tl.program_id(0) * n
    t = tl.load(x + row + at, mask=inside, other=0.0)
    d = tl.where(inside, t - tl.sum(t, axis=0) / n, 0.0)
    scale = tl.rsqrt(tl.sum(d * d, axis=0) / n + eps)
    result = d * scale * tl.load(w + at, mask=inside, other=0.0) + tl.load(bias + at, mask=inside, other=0.0)
    tl.store(y + row + at, result, mask=inside)


@triton.jit
def gemm(c, a, b, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a @ b, accumulated in float32; row-major."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK)
        left = tl.load(
            a + rows[:, None] * k + inner[None, :], mask=(rows[:, None] < m) & (inner[None, :] < k), other=0.0
        )
        right = tl.load(
            b + inner[:, None] * n + columns[None, :], mask=(inner[:, None] < k) & (columns[None, :] < n), other=0.0
        )
        acc = tl.dot(left, right, acc)
    tl.store(c + rows[:, None] * n + columns[None, :], acc, mask=(rows[:, None] < m) & (columns[None, :] < n))
