"""More functions for `benchmarks.kernels_library`: drawing tokens, experts, 8 bits, images, scans, steps."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.works import Work, bytes_of, gradient
from freehold import kernels
from freehold.kernels import optimisers


def drawing_works(torch: Any) -> Iterator[Work]:
    """What decoding does with logits."""
    for rows in (1, 64):
        logits = torch.randn(rows, 151936, device="cuda").bfloat16()
        size = bytes_of(logits)
        shape = f"bf16 {rows} x 151936"
        yield Work(f"greedy {shape}", kernels.greedy, lambda x: x.argmax(-1), (logits,), size, compiled=False)
        yield Work(
            f"topk 50 {shape}",
            lambda x: kernels.topk(x, 50)[0],
            lambda x: x.topk(50)[0],
            (logits,),
            size,
            compiled=False,
        )

        def filtered(x: Any) -> Any:
            best, where = x.float().topk(50)
            p = best.softmax(-1)
            p = p.masked_fill(p.cumsum(-1) - p > 0.9, 0)
            noise = torch.empty_like(p).exponential_(1)
            return where.gather(-1, (p / noise).argmax(-1, keepdim=True)).squeeze(-1)

        seeds = torch.arange(rows, device="cuda")
        given = [
            torch.full((rows,), n, device="cuda", dtype=t) for n, t in ((1.0, None), (50, torch.int32), (0.9, None))
        ]
        warm, most, share = given

        def ours(x: Any, warm: Any = warm, most: Any = most, share: Any = share, seeds: Any = seeds) -> Any:
            return kernels.sample(x, seed=seeds, temperature=warm, top_k=most, top_p=share)

        yield Work(
            f"sample, top-k 50 and top-p 0.9, {shape}", ours, filtered, (logits,), size, bound=1e9, compiled=False
        )
    logits, ids = torch.randn(4096, 151936, device="cuda").bfloat16(), torch.randint(0, 151936, (4096,), device="cuda")
    yield Work(
        "logprobs bf16 4096 x 151936",
        lambda x: kernels.logprobs(x, ids),
        lambda x: x.float().log_softmax(-1).gather(-1, ids[:, None])[:, 0],
        (logits,),
        bytes_of(logits),
    )


def expert_works(torch: Any) -> Iterator[Work]:
    """Grouped products, as of 128 experts of which each token has 8."""
    tokens, experts, wide, narrow, k = 4096, 128, 2048, 768, 8
    logits = torch.randn(tokens, experts, device="cuda")
    _, chosen = kernels.route(logits, k)
    offsets, slot, source = kernels.sort_by_expert(chosen, experts)
    x = torch.randn(tokens, wide, device="cuda").bfloat16()
    w = (torch.randn(experts, 2 * narrow, wide, device="cuda") * 0.02).bfloat16()
    rows = kernels.dispatch(x, slot, source)
    amount = 2 * rows.shape[0] * wide * 2 * narrow / 1e12
    name = f"grouped_linear bf16 {rows.shape[0]} x {2 * narrow} x {wide} of {experts}"

    def theirs(x: Any, w: Any) -> Any:
        return torch._grouped_mm(x, w.transpose(1, 2), offs=offsets[1:])

    yield Work(
        name,
        lambda x, w: kernels.grouped_linear(x, w, offsets),
        theirs,
        (rows, w),
        amount,
        "TFLOP/s",
        compiled=False,
        widened=False,
    )
    yield Work(
        f"dispatch bf16 {rows.shape[0]} x {wide}",
        lambda x: kernels.dispatch(x, slot, source),
        lambda x: x[source // k],
        (x,),
        2 * bytes_of(rows),
    )


def routing_works(torch: Any) -> Iterator[Work]:
    """Which experts tokens have, and how their rows are put in order; embeddings, whose gradients are likewise."""
    tokens, experts, k = 131072, 128, 8
    logits = torch.randn(tokens, experts, device="cuda")

    def routed(x: Any) -> Any:
        best = x.softmax(-1).topk(k)[0]
        return best / best.sum(-1, keepdim=True)

    size = bytes_of(logits) * (1 + 2 * k / experts)
    yield Work(f"route f32 {tokens} x {experts}, {k} each", lambda x: kernels.route(x, k)[0], routed, (logits,), size)
    chosen = kernels.route(logits[:8192], k)[1]
    yield Work(
        f"sort_by_expert 8192 x {k} of {experts}",
        lambda x: kernels.sort_by_expert(x, experts)[2],
        lambda x: x.flatten().sort(stable=True)[1],
        (chosen,),
        3 * bytes_of(chosen),
        compiled=False,
    )
    table, ids = torch.randn(32000, 4096, device="cuda").bfloat16(), torch.randint(0, 32000, (16384,), device="cuda")
    dy = torch.randn(16384, 4096, device="cuda").bfloat16()
    yield gradient(
        "embedding bf16 16384 of 32000 x 4096 backward",
        partial(kernels.embedding, ids),
        partial(torch.nn.functional.embedding, ids),
        (table,),
        dy,
        bytes_of(table, dy),
        torch,
    )


def narrow_works(torch: Any) -> Iterator[Work]:
    """Products of 8 bits, and what makes them."""
    large = (4096, 12288, 4096), (4096, 4096, 12288), (512, 12288, 4096), (16, 12288, 4096), (64, 4096, 4096)
    for m, n, k in (*((n, n, n) for n in (2048, 4096, 8192)), *large):
        x, w = torch.randn(m, k, device="cuda").bfloat16(), torch.randn(n, k, device="cuda").bfloat16()
        yield of_8_bits(torch, x, w, f"scaled_linear fp8 {m} x {n} x {k}")
    n = 4096
    x, w = (torch.randn(n, n, device="cuda").bfloat16() for _ in range(2))
    (c, u), (d, v) = kernels.quantise(x), kernels.quantise(w)
    yield Work(
        f"scaled_linear int8 {n}^3",
        lambda a, b: kernels.scaled_linear(a, b, u, v),
        lambda a, b: (torch._int_mm(a, b.t()).float() * u[:, None] * v).bfloat16(),
        (c, d),
        2 * n**3 / 1e12,
        "TFLOP/s",
        compiled=False,
        widened=False,
    )
    large = torch.randn(16384, 4096, device="cuda").bfloat16()
    yield Work(
        "quantise fp8 16384 x 4096",
        lambda x: kernels.quantise(x, "fp8")[1],
        lambda x: x.abs().amax(-1).float() / 448,
        (large,),
        1.5 * bytes_of(large),
        compiled=False,
    )

    def grouped(x: Any) -> Any:
        parts = x.float().unflatten(-1, (-1, 128))
        scales = parts.abs().amax(-1) / 448
        return (parts / scales[..., None]).flatten(-2).to(torch.float8_e4m3fn), scales

    yield Work(
        "quantise fp8 by 128, 16384 x 4096",
        lambda x: kernels.quantise(x, "fp8", 128),
        grouped,
        (large,),
        1.5 * bytes_of(large),
    )


def of_8_bits(torch: Any, x: Any, w: Any, name: str) -> Work:
    """A product of 8-bit floats with a scale of each row."""
    (a, s), (b, t) = kernels.quantise(x, "fp8"), kernels.quantise(w, "fp8")

    def scaled(a: Any, b: Any) -> Any:
        return torch._scaled_mm(a, b.t(), s[:, None], t[None, :], out_dtype=torch.bfloat16, use_fast_accum=True)

    amount = 2 * x.shape[0] * x.shape[1] * w.shape[0] / 1e12
    return Work(
        name,
        lambda a, b: kernels.scaled_linear(a, b, s, t),
        scaled,
        (a, b),
        amount,
        "TFLOP/s",
        3e-2,
        compiled=False,
        widened=False,
    )


def image_works(torch: Any) -> Iterator[Work]:
    """Convolutions, pooling and norms of images."""
    F = torch.nn.functional
    x, w = torch.randn(16, 64, 128, 128, device="cuda").bfloat16(), torch.randn(128, 64, 3, 3, device="cuda").bfloat16()
    amount = 2 * 16 * 128 * 128 * 128 * 64 * 9 / 1e12
    yield Work(
        "conv bf16 16 x 64 x 128 x 128 by 128 x 3 x 3",
        lambda x, w: kernels.conv(x, w, padding=1),
        lambda x, w: F.conv2d(x, w, padding=1),
        (x, w),
        amount,
        "TFLOP/s",
        compiled=False,
    )
    yield gradient(
        "conv bf16 16 x 64 x 128 x 128 by 128 x 3 x 3 backward",
        lambda x, w: kernels.conv(x, w, padding=1),
        lambda x, w: F.conv2d(x, w, padding=1),
        (x, w),
        torch.randn(16, 128, 128, 128, device="cuda").bfloat16(),
        2 * amount,
        torch,
    )._replace(unit="TFLOP/s")
    each = torch.randn(64, 1, 3, 3, device="cuda").bfloat16()
    yield Work(
        "conv bf16 16 x 64 x 128 x 128 by 3 x 3 each",
        lambda x, w: kernels.conv(x, w, padding=1, groups=64),
        lambda x, w: F.conv2d(x, w, padding=1, groups=64),
        (x, each),
        2 * bytes_of(x),
        compiled=False,
    )
    image = torch.randn(32, 64, 256, 256, device="cuda")
    narrow = image.bfloat16()
    for size, step, edge in ((2, 2, 0), (3, 2, 1)):
        yield Work(
            f"max_pool {size} by {step} bf16 32 x 64 x 256 x 256",
            partial(kernels.max_pool, size=size, stride=step, padding=edge),
            partial(F.max_pool2d, kernel_size=size, stride=step, padding=edge),
            (narrow,),
            1.25 * bytes_of(narrow),
        )
    yield Work(
        "avg_pool 3 bf16 32 x 64 x 256 x 256",
        lambda x: kernels.avg_pool(x, 3),
        lambda x: F.avg_pool2d(x, 3),
        (narrow,),
        10 / 9 * bytes_of(narrow),
    )
    yield gradient(
        "max_pool 2 by 2 bf16 32 x 64 x 256 x 256 backward",
        lambda x: kernels.max_pool(x, 2),
        lambda x: F.max_pool2d(x, 2),
        (narrow,),
        torch.randn(32, 64, 128, 128, device="cuda").bfloat16(),
        2.25 * bytes_of(narrow),
        torch,
    )
    yield Work(
        "max_pool f32 32 x 64 x 256 x 256",
        lambda x: kernels.max_pool(x, 2),
        lambda x: F.max_pool2d(x, 2),
        (image,),
        1.25 * bytes_of(image),
    )
    yield Work(
        "group_norm f32 32 x 64 x 256 x 256",
        lambda x: kernels.group_norm(x, 8),
        lambda x: F.group_norm(x, 8),
        (image,),
        2 * bytes_of(image),
    )


def axis_works(torch: Any) -> Iterator[Work]:
    """Reductions, scans and orders."""
    x = torch.randn(64, 2048, 2048, device="cuda")
    name = "f32 64 x 2048 x 2048"
    yield Work(f"sum {name}", lambda x: kernels.reduce(x, "sum", 1), lambda x: x.sum(1), (x,), bytes_of(x))
    yield Work(f"cumsum {name}", kernels.cumsum, lambda x: x.cumsum(-1), (x,), 2 * bytes_of(x), compiled=False)
    for dtype in ("float32", "bfloat16"):
        given = x.to(getattr(torch, dtype))
        yield Work(
            f"cumsum along 1 {dtype} 64 x 2048 x 2048",
            lambda x: kernels.cumsum(x, 1),
            lambda x: x.cumsum(1),
            (given,),
            2 * bytes_of(given),
            compiled=False,
        )
        rows = given.view(-1, 2048)
        yield Work(f"argmax {dtype} 131072 x 2048", kernels.argmax, lambda x: x.argmax(-1), (rows,), bytes_of(rows))
        yield Work(
            f"sum {dtype} 131072 x 2048",
            lambda x: kernels.reduce(x, "sum", -1),
            lambda x: x.sum(-1),
            (rows,),
            bytes_of(rows),
        )
    yield Work(f"transpose {name}", kernels.transpose, lambda x: x.mT.contiguous(), (x,), 2 * bytes_of(x))
    y = torch.randn(64, 131072, device="cuda")
    yield Work(
        "sort f32 64 x 131072", lambda x: kernels.sort(x)[0], lambda x: x.sort()[0], (y,), bytes_of(y), compiled=False
    )


def training_works(torch: Any) -> Iterator[Work]:
    """A step of AdamW on one large parameter, and linear attention."""
    ours, theirs = (torch.randn(1 << 27, device="cuda").requires_grad_() for _ in range(2))
    ours.grad, theirs.grad = torch.randn_like(ours), torch.randn_like(theirs)
    one, other = optimisers.AdamW([ours]), torch.optim.AdamW([theirs], fused=True)

    def step(optimiser: Any) -> Any:
        optimiser.step()
        return torch.ones(1)

    amount = 7 * bytes_of(ours)
    yield Work(
        "AdamW f32 2^27", lambda: step(one), lambda: step(other), (), amount, bound=1e9, compiled=False, recorded=False
    )
    q, k, v = (torch.randn(4, 16, 4096, 128, device="cuda").bfloat16() * 0.1 for _ in range(3))
    yield Work(
        "linear attention bf16 4 x 16 x 4096 x 128",
        kernels.linear_attention,
        lambda q, k, v: (q @ k.mT).tril() @ v,
        (q, k, v),
        4 * 4 * 16 * 4096 * 128 * 128 / 1e12,
        "TFLOP/s",
    )


def sequence_works(torch: Any) -> Iterator[Work]:
    """Attention of sequences behind one another, of one length and of many, against torch's flash attention."""
    of_many = torch.randint(17, 2001, (64,), generator=torch.Generator().manual_seed(1)).tolist()
    for named, lengths in (("4 of 4096", [4096] * 4), ("64 of 17 to 2000", of_many)):
        ends = torch.tensor([0, *lengths], device="cuda").cumsum(0).int()
        tokens, most = sum(lengths), max(lengths)
        q, k, v = (torch.randn(tokens, heads, 128, device="cuda").bfloat16() for heads in (32, 8, 8))

        def ours(q: Any, k: Any, v: Any, ends: Any = ends, most: int = most) -> Any:
            return kernels.varlen_attention(q, k, v, ends, most=most)

        def theirs(q: Any, k: Any, v: Any, ends: Any = ends, most: int = most) -> Any:
            return torch.ops.aten._flash_attention_forward(q, k, v, ends, ends, most, most, 0.0, True, False)[0]

        amount = 2 * 32 * 128 * sum(n * n for n in lengths) / 1e12
        name = f"varlen attention bf16 {named} against flash"
        yield Work(name, ours, theirs, (q, k, v), amount, "TFLOP/s", compiled=False)
        work = gradient(f"{name} backward", ours, theirs, (q, k, v), torch.randn_like(q), 2.5 * amount, torch)
        yield work._replace(unit="TFLOP/s")


FAMILIES = (
    *(drawing_works, expert_works, routing_works, narrow_works, image_works, axis_works, training_works),
    sequence_works,
)
"""What makes the works, each of some kind."""
