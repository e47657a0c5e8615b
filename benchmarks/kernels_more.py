"""More functions for `benchmarks.kernels_library`: drawing tokens, experts, 8 bits, images, scans, steps."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.works import Work, bytes_of
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


def narrow_works(torch: Any) -> Iterator[Work]:
    """Products of 8 bits, and what makes them."""
    large = (4096, 12288, 4096), (4096, 4096, 12288), (512, 12288, 4096)
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
    image = torch.randn(32, 64, 256, 256, device="cuda")
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


FAMILIES = drawing_works, expert_works, narrow_works, image_works, axis_works, training_works
"""What makes the works, each of some kind."""
