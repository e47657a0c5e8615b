"""
Triton's kernels for the benchmarks, and functions on torch tensors that launch them. Importing it needs Triton.

They are written as Triton's users write them: one program a row, or a tile of the result, and the best of a few
configurations, which Triton itself chooses.
"""
# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false, reportIndexIssue=false

import torch
import triton
import triton.language as tl

ONE_BLOCK = 65536
"""Elements of a row that a program takes at once, at most; longer rows are walked."""


@triton.jit
def add(z, x, y, n, BLOCK: tl.constexpr):
    """z = x + y."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


# --- Rows -------------------------------------------------------------------------------------------------------------


@triton.jit
def softmax_whole(y, x, n, BLOCK: tl.constexpr):
    """A row at once."""
    start, at = tl.program_id(0).to(tl.int64) * n, tl.arange(0, BLOCK)
    t = tl.load(x + start + at, mask=at < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(t - tl.max(t, 0))
    tl.store(y + start + at, (e / tl.sum(e, 0)).to(y.dtype.element_ty), mask=at < n)


@triton.jit
def softmax_walked(y, x, n, BLOCK: tl.constexpr):
    """A row walked twice."""
    start, at = tl.program_id(0).to(tl.int64) * n, tl.arange(0, BLOCK)
    top = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(0, n, BLOCK):
        t = tl.load(x + start + k + at, mask=k + at < n, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(tl.maximum(top, t), -1e30)
        total = total * tl.exp(top - higher) + tl.exp(t - higher)
        top = higher
    most = tl.max(top, 0)
    scale = 1.0 / tl.sum(total * tl.exp(top - most), 0)
    for k in range(0, n, BLOCK):
        t = tl.load(x + start + k + at, mask=k + at < n, other=-float("inf")).to(tl.float32)
        tl.store(y + start + k + at, (tl.exp(t - most) * scale).to(y.dtype.element_ty), mask=k + at < n)


@triton.jit
def norm_whole(y, x, w, b, n, eps, CENTER: tl.constexpr, BLOCK: tl.constexpr):
    """A row at once: its layer norm, or without `CENTER` its root mean square norm."""
    start, at = tl.program_id(0).to(tl.int64) * n, tl.arange(0, BLOCK)
    t = tl.load(x + start + at, mask=at < n, other=0.0).to(tl.float32)
    if CENTER:
        t = tl.where(at < n, t - tl.sum(t, 0) / n, 0.0)
    t = t * tl.rsqrt(tl.sum(t * t, 0) / n + eps) * tl.load(w + at, mask=at < n).to(tl.float32)
    if CENTER:
        t = t + tl.load(b + at, mask=at < n).to(tl.float32)
    tl.store(y + start + at, t.to(y.dtype.element_ty), mask=at < n)


@triton.jit
def norm_walked(y, x, w, b, n, eps, CENTER: tl.constexpr, BLOCK: tl.constexpr):
    """A row walked twice; of a layer norm three times, so that nothing cancels."""
    start, at = tl.program_id(0).to(tl.int64) * n, tl.arange(0, BLOCK)
    middle = 0.0
    if CENTER:
        total = tl.zeros((BLOCK,), tl.float32)
        for k in range(0, n, BLOCK):
            total += tl.load(x + start + k + at, mask=k + at < n, other=0.0).to(tl.float32)
        middle = tl.sum(total, 0) / n
    squares = tl.zeros((BLOCK,), tl.float32)
    for k in range(0, n, BLOCK):
        t = tl.load(x + start + k + at, mask=k + at < n, other=0.0).to(tl.float32)
        t = tl.where(k + at < n, t - middle, 0.0)
        squares += t * t
    scale = tl.rsqrt(tl.sum(squares, 0) / n + eps)
    for k in range(0, n, BLOCK):
        t = tl.load(x + start + k + at, mask=k + at < n, other=0.0).to(tl.float32)
        t = (t - middle) * scale * tl.load(w + k + at, mask=k + at < n).to(tl.float32)
        if CENTER:
            t = t + tl.load(b + k + at, mask=k + at < n).to(tl.float32)
        tl.store(y + start + k + at, t.to(y.dtype.element_ty), mask=k + at < n)


def _rows(x):
    """How rows are cut, and by how many warps they are worked on."""
    n = x.shape[-1]
    whole = n <= ONE_BLOCK
    block = triton.next_power_of_2(n) if whole else 16384
    return whole, block, max(4, min(32 if whole else 16, block // 1024))


def softmax(x):
    """As `torch.softmax(x, -1)`, of a matrix."""
    y = torch.empty_like(x)
    whole, block, warps = _rows(x)
    kernel = softmax_whole if whole else softmax_walked
    kernel[(x.shape[0],)](y, x, x.shape[1], BLOCK=block, num_warps=warps)
    return y


def _norm(x, w, b, eps, center):
    y = torch.empty_like(x)
    whole, block, warps = _rows(x)
    kernel = norm_whole if whole else norm_walked
    kernel[(x.shape[0],)](y, x, w, b, x.shape[1], eps, CENTER=center, BLOCK=block, num_warps=warps)
    return y


def rms_norm(x, w, eps=1e-6):
    """As `torch.nn.functional.rms_norm`, of a matrix."""
    return _norm(x, w, w, eps, False)


def layer_norm(x, w, b, eps=1e-5):
    """As `torch.nn.functional.layer_norm`, of a matrix."""
    return _norm(x, w, b, eps, True)


# --- Products ---------------------------------------------------------------------------------------------------------


def _products():
    shapes = (
        *((128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (256, 128, 64, 8, 3), (128, 128, 64, 4, 4), (128, 128, 64, 8, 4)),
        *((64, 128, 64, 4, 4), (128, 64, 64, 4, 4), (64, 64, 128, 4, 4), (16, 128, 128, 4, 4)),
    )
    return [
        triton.Config({"BM": m, "BN": n, "BK": k, "GROUP": 8}, num_warps=warps, num_stages=stages)
        for m, n, k, warps, stages in shapes
    ]


def _fitting(configs, named, **rest):
    """Configurations whose tiles are not much larger than the matrix."""
    M, N = (rest.get(name, named.get(name)) for name in ("M", "N"))
    fitting = [c for c in configs if c.kwargs["BM"] < 2 * max(16, M) and c.kwargs["BN"] < 2 * max(64, N)]
    return fitting or configs[-1:]


@triton.autotune(_products(), key=["M", "N", "K"], prune_configs_by={"early_config_prune": _fitting})
@triton.jit
def product_tiles(
    c, a, b, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr
):  # pragma: no cover
    """c (M, N) = a (M, K) @ b (N, K).T, in groups of rows of tiles."""
    wide, high = tl.cdiv(N, BN), tl.cdiv(M, BM)
    at = tl.program_id(0)
    first = at // (GROUP * wide) * GROUP
    rows = min(high - first, GROUP)
    m, n = first + at % (GROUP * wide) % rows, at % (GROUP * wide) // rows
    row, column, k = m * BM + tl.arange(0, BM), n * BN + tl.arange(0, BN), tl.arange(0, BK)
    x = a + (row % M).to(tl.int64)[:, None] * K + k[None, :]
    y = b + (column % N).to(tl.int64)[None, :] * K + k[:, None]
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(tl.cdiv(K, BK)):
        inside = k < K - i * BK
        acc = tl.dot(tl.load(x, mask=inside[None, :], other=0.0), tl.load(y, mask=inside[:, None], other=0.0), acc)
        x += BK
        y += BK
    there = (row < M)[:, None] & (column < N)[None, :]
    tl.store(c + row.to(tl.int64)[:, None] * N + column[None, :], acc.to(c.dtype.element_ty), mask=there)


def linear(x, w):
    """As `torch.nn.functional.linear`, of matrices."""
    (M, K), N = x.shape, w.shape[0]
    c = torch.empty(M, N, device=x.device, dtype=x.dtype)
    product_tiles[lambda config: (triton.cdiv(M, config["BM"]) * triton.cdiv(N, config["BN"]),)](c, x, w, M, N, K)
    return c


# --- Attention --------------------------------------------------------------------------------------------------------


def _attentions():
    shapes = (128, 128, 8, 2), (128, 128, 8, 3), (128, 64, 8, 3), (128, 64, 4, 3), (64, 64, 4, 3)
    return [triton.Config({"BM": m, "BN": n}, num_warps=warps, num_stages=stages) for m, n, warps, stages in shapes]


@triton.autotune(_attentions(), key=["S", "D"])
@triton.jit
def attention_tiles(
    o, q, k, v, scale, H, S, GROUP: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):  # pragma: no cover
    """Causal attention of BM queries of a head, the diagonal behind all else."""
    m, h = tl.num_programs(0) - 1 - tl.program_id(0), tl.program_id(1)
    row, d = m * BM + tl.arange(0, BM), tl.arange(0, D)
    queries = q + h.to(tl.int64) * S * D
    behind = (h // H * (H // GROUP) + h % H // GROUP).to(tl.int64) * S * D
    t = tl.load(queries + row[:, None] * D + d[None, :], mask=(row < S)[:, None], other=0.0)
    top, total = tl.full((BM,), -1e30, tl.float32), tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for stage in tl.static_range(2):
        first = m * BM if stage else 0
        last = min(m * BM + BM, S) if stage else m * BM
        for j in range(first, last, BN):
            column = j + tl.arange(0, BN)
            inside = column < S
            keys = tl.load(k + behind + column[None, :] * D + d[:, None], mask=inside[None, :], other=0.0)
            s = tl.dot(t, keys) * (scale * 1.4426950408889634)
            if stage:
                s = tl.where(column[None, :] <= row[:, None], s, -float("inf"))
            higher = tl.maximum(top, tl.max(s, 1))
            p = tl.exp2(s - higher[:, None])
            fade = tl.exp2(top - higher)
            total = total * fade + tl.sum(p, 1)
            values = tl.load(v + behind + column[:, None] * D + d[None, :], mask=inside[:, None], other=0.0)
            acc = tl.dot(p.to(v.dtype.element_ty), values, acc * fade[:, None])
            top = higher
    there = (row < S)[:, None]
    found = (acc / total[:, None]).to(o.dtype.element_ty)
    tl.store(o + h.to(tl.int64) * S * D + row[:, None] * D + d[None, :], found, mask=there)


def attention(q, k, v):
    """Causal attention of q (B, H, S, D), k and v (B, H / GROUP, S, D), contiguous."""
    B, H, S, D = q.shape
    o = torch.empty_like(q)
    grid = lambda config: (triton.cdiv(S, config["BM"]), B * H)  # noqa: E731
    attention_tiles[grid](o, q, k, v, D**-0.5, H, S, GROUP=H // k.shape[1], D=D)
    return o
