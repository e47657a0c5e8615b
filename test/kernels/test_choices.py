"""
What the library's functions launch for arguments of some sizes: kernels, tiles, orders, hints and constants; and what
operations these kernels are made of.

Choices were made by measuring, and nothing but speed depends on them. So a change of one is seen here, and meant:
`pytest --update-golden test/kernels/test_choices.py` writes them anew. Nothing is run, and arrays are never touched.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from launches import Made, said

from freehold import kernels
from freehold.kernels import few, optimisers, products, quantised, tilings
from freehold.runtime.launch.launch import Launch

torch: Any = pytest.importorskip("torch")
GOLDEN = Path(__file__).with_name("golden")
COLUMNS = (512, 1000, 1024, 2048, 4096, 8192, 16384, 20480, 32768, 65536, 131072, 262144)
Work = Callable[[], object]
CONVOLUTIONS: list[tuple[Any, Any, dict[str, Any]]] = [
    ((2, 3, 50), (8, 3, 5), {}),
    ((2, 16, 400), (16, 1, 32), {"groups": 16}),
    ((2, 16, 160), (16, 1, 33), {"groups": 16}),
    ((2, 16, 158), (16, 1, 32), {"groups": 16}),
    ((2, 16, 20, 300), (16, 1, 3, 3), {"groups": 16, "dilation": (2, 1)}),
    ((2, 16, 20, 300), (16, 1, 3, 3), {"groups": 16, "padding": 1}),
    ((2, 32, 20, 20), (64, 32, 1, 1), {}),
    ((2, 32, 20, 20), (64, 32, 1, 1), {"stride": 2}),
    ((2, 30, 20, 20), (24, 15, 3, 3), {"groups": 2}),
    ((8, 64, 64, 64), (128, 64, 3, 3), {"padding": 1}),
    ((8, 64, 64, 64), (128, 64, 3, 3), {"padding": 1, "stride": 2}),
    ((8, 64, 64, 64), (128, 64, 3, 3), {"padding": 2, "dilation": 2}),
    ((64, 256, 64, 64), (256, 256, 3, 3), {"padding": 1}),
    ((8, 7, 64, 64), (128, 7, 3, 3), {}),
    ((8, 32, 16, 16, 16), (32, 32, 3, 3, 3), {"padding": 1}),
]
"""The shapes of an input and of weights, and options."""


def bf16(*shape: int) -> Any:
    return torch.empty(shape, dtype=torch.bfloat16)


def f32(*shape: int) -> Any:
    return torch.empty(shape, dtype=torch.float32)


def lengths(count: int) -> Any:
    return torch.empty(count, dtype=torch.int32)


def of_rows() -> Iterator[tuple[str, Work]]:
    for n in COLUMNS:
        for m in (64, 2**26 // n):
            x, w, labels = bf16(m, n), bf16(n), torch.empty(m, dtype=torch.int64)
            yield f"rms_norm {m} x {n}", lambda x=x, w=w: kernels.rms_norm(x, w)
            yield f"layer_norm {m} x {n}", lambda x=x, w=w: kernels.layer_norm(x, w, w)
            yield f"softmax {m} x {n}", lambda x=x: kernels.softmax(x)
            yield f"log_softmax {m} x {n}", lambda x=x: kernels.log_softmax(x)
            yield f"cross_entropy {m} x {n}", lambda x=x, y=labels: kernels.cross_entropy(x, y)
        yield f"softmax of f32 {2**24 // n} x {n}", lambda n=n: kernels.softmax(f32(2**24 // n, n))
        yield f"cumsum {2**22 // n} x {n}", lambda n=n: kernels.cumsum(f32(2**22 // n, n))
        yield f"topk of 8 {2**20 // n + 1} x {n}", lambda n=n: kernels.topk(f32(2**20 // n + 1, n), 8)
        yield f"reduce {2**22 // n} x {n}", lambda n=n: kernels.reduce(f32(2**22 // n, n), "sum", -1)


def of_products() -> Iterator[tuple[str, Work]]:
    sizes = [(n, n, n) for n in (256, 1024, 2048, 4096, 8192)]
    sizes += [(1536, 1544, 3080), (4112, 4112, 4096), (1000, 3000, 2000), (128, 12288, 4096), (8192, 8192, 256)]
    sizes += [(40, 12288, 4096), (56, 12288, 4096), (40, 2048, 6144), (64, 5120, 5120), (80, 12288, 4096)]
    sizes += [(m, n, k) for m in (1, 4, 16, 17, 64, 2048) for n, k in ((4096, 4096), (6144, 4096), (4096, 12288))]
    for m, n, k in sizes:
        yield f"linear {m} x {n} x {k}", lambda m=m, n=n, k=k: kernels.linear(bf16(m, k), bf16(n, k))
        yield f"matmul {m} x {n} x {k}", lambda m=m, n=n, k=k: kernels.matmul(bf16(m, k), bf16(k, n))
    for n in (512, 4096):
        yield f"matmul of f32 {n}", lambda n=n: kernels.matmul(f32(n, n), f32(n, n))
        yield f"matmul in tf32 {n}", lambda n=n: kernels.matmul(f32(n, n), f32(n, n), tf32=True)
        yield f"matmul of batches {n}", lambda n=n: kernels.matmul(bf16(8, n, 256), bf16(8, 256, n))
    offsets = torch.empty(129, dtype=torch.int32)
    for rows in (64, 512, 2048, 8192, 32768):
        work = lambda rows=rows: kernels.grouped_linear(bf16(rows, 2048), bf16(128, 1536, 2048), offsets)  # noqa: E731
        yield f"grouped_linear {rows}", work


def of_attention() -> Iterator[tuple[str, Work]]:
    for d in (64, 128):
        for s in (1, 100, 1024, 2048, 4096, 16384):
            for causal in (False, True):
                q, k = bf16(16384 // s or 1, 16, s, d), bf16(16384 // s or 1, 4, s, d)
                name = f"attention {len(q)} x {s}, {d}{', causal' * causal}"
                yield name, lambda q=q, k=k, causal=causal: kernels.attention(q, k, k, causal=causal)
        for b, s in ((16, 1024), (16, 1279), (16, 1280), (20, 1024)):
            q, k = bf16(b, 32, s, d), bf16(b, 8, s, d)
            yield f"attention of 32 heads {b} x {s}, {d}, causal", lambda q=q, k=k: kernels.attention(q, k, k)
        for s in (8192, 12287, 12288):
            for causal in (False, True):
                given = [torch.empty(1, 1, s, d, dtype=torch.float16) for _ in range(3)]
                yield (
                    f"attention of f16 {s}, {d}, causal {causal}",
                    lambda g=given, c=causal: kernels.attention(*g, causal=c),
                )
        for b, length in ((1, 1024), (1, 65536), (16, 512), (16, 4096), (20, 4096), (64, 1024), (64, 16384)):
            q, k = bf16(b, 32, d), bf16(b, 8, length, d)
            yield (
                f"decode_attention {b} x {length}, {d}",
                lambda q=q, k=k: kernels.decode_attention(q, k, k, lengths(len(q))),
            )


def of_elements() -> Iterator[tuple[str, Work]]:
    for m, n in ((16, 4096), (2048, 12288), (16384, 12288)):
        yield f"swiglu {m} x {n}", lambda m=m, n=n: kernels.swiglu(bf16(m, n), bf16(m, n))
        yield f"transpose {m} x {n}", lambda m=m, n=n: kernels.transpose(bf16(m, n))
        yield f"activation {m} x {n}", lambda m=m, n=n: kernels.activation(f32(m, n), "gelu")
        yield (
            f"embedding {m} x {n}",
            lambda m=m, n=n: kernels.embedding(torch.empty(m, dtype=torch.int64), bf16(1000, n)),
        )
    for n in (1, 3):
        x = f32(8, 16, *(32,) * n)
        yield f"conv of {n} axes", lambda x=x, n=n: kernels.conv(x, f32(32, 16, *(3,) * n), padding=1)
        yield f"max_pool of {n} axes", lambda x=x: kernels.max_pool(x, 3)
        yield f"avg_pool of {n} axes", lambda x=x: kernels.avg_pool(x, 3)


def of_reductions() -> Iterator[tuple[str, Work]]:
    """Of which each axis may be long or short, and rows may begin anywhere."""
    shapes = [(4096, 64), (4096, 8192), (4, 1 << 20), (1, 7), (3, 100, 5), (64, 4096, 3), (2, 4224, 3), (2, 4096, 1023)]
    shapes += [(512, 16, 40), (512, 17, 640), (16, 256, 4096), (16, 257, 4096), (2112, 4096, 1), (265, 1 << 16)]
    for shape in shapes:
        for axis in dict.fromkeys((1, len(shape) - 1)):
            name = f"{' x '.join(map(str, shape))} along {axis}"
            for kind in ("sum", "mean", "amax"):
                yield f"{kind} of {name}", lambda s=shape, a=axis, k=kind: kernels.reduce(bf16(*s), k, a)
            yield f"argmin of {name}", lambda s=shape, a=axis: kernels.argmin(bf16(*s), a)
            yield f"normalize {name}", lambda s=shape, a=axis: kernels.normalize(bf16(*s), 2, a)
    for m, n in ((131, 8192), (132, 8192), (132, 8193), (132, 32768), (132, 32769), (132, 131072), (132, 131073)):
        yield f"normalize f32 {m} x {n}", lambda m=m, n=n: kernels.normalize(f32(m, n), 1, mean=True)
    for shape in ((300, 1 << 10), (263, 1 << 15), (264, 1 << 15), (264, (1 << 15) + 1), (2, 1 << 20), (3, 5000, 40)):
        name = " x ".join(map(str, shape))
        yield f"cumsum of {name}", lambda s=shape: kernels.cumsum(f32(*s), 1, reverse=True)
        yield f"cumprod of {name}", lambda s=shape: kernels.cumprod(f32(*s), 1)
    yield "cumsum with a mask", lambda: kernels.cumsum(f32(300, 64), mask=torch.empty(300, 64, dtype=torch.bool))
    yield "cumsum without the element", lambda: kernels.cumsum(f32(4, 1 << 17), exclusive=True)


def of_orders() -> Iterator[tuple[str, Work]]:
    for n in (1, 200, 256, 257, 1024, 5000, 1 << 17, (1 << 17) + 1, 1 << 20):
        yield f"topk of 3 of {n}", lambda n=n: kernels.topk(f32(3, max(3, n)), 3, largest=False)
        yield f"topk of 64 of {n}", lambda n=n: kernels.topk(bf16(2, max(64, n)), 64)
        yield f"topk of 65 of {n}", lambda n=n: kernels.topk(bf16(2, max(65, n)), 65)
        yield f"sample 2 x {n}", lambda n=n: kernels.sample(f32(2, n), seed=1, top_p=0.5)
        yield f"greedy 700 x {n}", lambda n=n: kernels.greedy(bf16(700, n))
        yield f"logprobs 2 x {n}", lambda n=n: kernels.logprobs(f32(2, n), torch.empty(2, dtype=torch.int64))
    for n in (1, 200, 257, 600):
        yield f"sort of {n}", lambda n=n: kernels.sort(f32(3, n), descending=n > 256)
    each: dict[str, Any] = {"top_k": lengths(2), "min_p": 0.1, "seed": torch.empty(2, dtype=torch.int64)}
    yield "sample with a seed a row", lambda: kernels.sample(f32(2, 4096), **each, temperature=0.5)
    yield "sample without limits", lambda: kernels.sample(f32(2, 4096), seed=1)
    for n in (1, 1000, 1 << 20, 1 << 22):
        yield f"histogram of {n}", lambda n=n: kernels.histogram(f32(n), 10, 0.0, 1.0)


def of_channels() -> Iterator[tuple[str, Work]]:
    """Norms of channels, convolutions and pools of one to three axes."""
    for shape in ((2, 6, 5), (2, 64, 56, 56), (4, 32, 8, 64, 64), (64, 512, 7, 7), (1, 3, 100000), (1000, 4096)):
        name = " x ".join(map(str, shape))
        for kind in (bf16, f32):
            yield f"group_norm of {name}", lambda s=shape, k=kind: kernels.group_norm(k(*s), s[1] // 2 or 1)
            yield f"batch_norm of {name}", lambda s=shape, k=kind: kernels.batch_norm(k(*s))
        yield f"instance_norm of {name}", lambda s=shape: kernels.instance_norm(f32(*s), f32(s[1]), f32(s[1]))
    for x, w, options in CONVOLUTIONS:
        name = f"{' x '.join(map(str, x))} by {' x '.join(map(str, w))} {options or ''}"
        for kind in (bf16, f32):
            yield f"conv of {name}", lambda x=x, w=w, o=options, k=kind: kernels.conv(k(*x), k(*w), **o)
        yield (
            f"conv in tf32 of {name}",
            lambda x=x, w=w, o=options: kernels.conv(f32(*x), f32(*w), f32(w[0]), **o, tf32=True),
        )
    for stride, padding, dilation in ((1, 1, 1), (2, 1, 1), (3, 0, 1), (4, 0, 1), (2, 1, 2)):
        for kind in (bf16, f32):
            work = lambda k=kind, o=(stride, padding, 0, 1, dilation): kernels.conv_transpose(  # noqa: E731
                k(4, 64, 40, 40), k(64, 32, 3, 3), None, *o
            )
            yield f"conv_transpose {stride} {padding} {dilation}", work
    for shape, size, options in (
        ((4, 8, 5000), 3, {"stride": 1}),
        ((4, 8, 5000), 3, {"stride": 1, "padding": 1}),
        ((4, 8, 5000), 32, {"stride": 1}),
        ((4, 8, 5000), 33, {"stride": 1}),
        ((4, 8, 1025), 3, {"stride": 1}),
        ((4, 8, 1026), 3, {"stride": 1}),
        ((4, 8, 64, 64), 4, {}),
        ((4, 8, 64, 64), 5, {}),
        ((4, 8, 64, 600), 3, {}),
        ((4, 8, 64, 600), (32, 2), {}),
        ((4, 8, 66, 600), (33, 2), {}),
        ((4, 8, 64, 600), (4, 2), {"padding": (1, 0)}),
        ((4, 8, 16, 16, 16), 2, {"stride": 1}),
        ((4, 8, 16, 16, 16), (2, 2, 4), {}),
    ):
        name = f"{' x '.join(map(str, shape))} by {size} {options or ''}"
        yield f"max_pool of {name}", lambda s=shape, n=size, o=options: kernels.max_pool(f32(*s), n, **o)
        yield f"avg_pool of {name}", lambda s=shape, n=size, o=options: kernels.avg_pool(bf16(*s), n, **o)
    yield "max_pool apart", lambda: kernels.max_pool(f32(4, 8, 5000), 3, 1, 2, 2)


def of_gradients() -> Iterator[tuple[str, Work]]:
    """What is launched for a result and then for its gradients."""

    def both(function: Callable[..., Any], *given: Any, **options: Any) -> Work:
        def work() -> None:
            for t in given:
                if isinstance(t, torch.Tensor) and t.is_floating_point():
                    t.requires_grad_()
            found = function(*given, **options)
            first = found[0] if isinstance(found, tuple) else found
            first.backward(torch.empty_like(first))

        return work

    for n in (64, 1000, 2048, 2560, 4096, 8192, 20000):
        for m in (8, 3000):
            x, w = bf16(m, n), bf16(n)
            yield f"rms_norm {m} x {n}", both(kernels.rms_norm, x, w)
            yield f"softmax {m} x {n}", both(kernels.softmax, bf16(m, n))
        yield f"add_rms_norm {n}", both(lambda *a: sum(kernels.add_rms_norm(*a)), bf16(300, n), bf16(300, n), bf16(n))
        yield f"layer_norm {n}", both(kernels.layer_norm, bf16(300, n), bf16(n), bf16(n))
        yield f"layer_norm without a bias {n}", both(kernels.layer_norm, f32(300, n), f32(n))
        labels = torch.empty(300, dtype=torch.int64)
        for how in ("mean", "none"):
            yield f"cross_entropy {how} {n}", both(kernels.cross_entropy, bf16(300, n), labels, reduction=how)
    yield "cross_entropy of a row", both(kernels.cross_entropy, f32(1, 100), torch.empty(1, dtype=torch.int64))
    for m, n in ((3, 5), (16, 4096), (17, 65536), (32, 4096 * 5)):
        for kind in (bf16, f32):
            yield f"activation {m} x {n}", both(kernels.activation, kind(m, n), "gelu")
            yield f"swiglu {m} x {n}", both(kernels.swiglu, kind(m, n), kind(m, n))
        yield f"swiglu of halves {m} x {n}", lambda m=m, n=n: kernels.swiglu(*bf16(m, 2 * n).chunk(2, -1))
        for loss in (kernels.mse_loss, kernels.kl_div):
            yield f"{loss.__name__} {m} x {n}", both(loss, f32(m, n), f32(m, n).detach())
        yield f"triplet {m} x {n}", both(kernels.triplet_margin_loss, f32(m, n), f32(m, n), f32(m, n))
        yield f"transpose {m} x {n}", both(kernels.transpose, torch.empty(m, n, dtype=torch.float64))
        yield f"embedding {m} x {n}", both(kernels.embedding, torch.empty(m, dtype=torch.int64), bf16(10, n))
    for d in (32, 64, 100, 128, 256):
        for s in (1, 100, 128, 2048):
            for kind in (bf16, f32):
                q, k = kind(2, 4, s, d), kind(2, 2, s, d)
                yield f"attention {s}, {d}", both(kernels.attention, q, k, kind(2, 2, s, d), window=64)
            q, k = bf16(s, 4, d), bf16(s, 2, d)
            yield f"varlen_attention {s}, {d}", both(kernels.varlen_attention, q, k, bf16(s, 2, d), lengths(4))
            yield f"linear_attention {s}, {d}", both(kernels.linear_attention, *(bf16(1, 2, s, d) for _ in range(3)))
    for s in (1023, 1024, 1025, 4096, 4097):
        for causal in (True, False):
            given = [bf16(1, 1, s, 128) for _ in range(3)]
            yield f"attention of 128 back, {s}, causal {causal}", both(kernels.attention, *given, causal=causal)
    yield "attention with sinks", both(kernels.attention, *(bf16(2, 4, 256, 64) for _ in range(3)), sinks=bf16(4))
    for shape in ((2, 64, 20), (2, 6, 30, 30)):
        yield f"group_norm of {shape}", both(kernels.group_norm, f32(*shape), 2, f32(shape[1]), f32(shape[1]))
        yield f"batch_norm of {shape}", both(kernels.batch_norm, f32(*shape), f32(shape[1]), f32(shape[1]))
    for groups in (1, 2):
        given = f32(2, 32, 20, 20), f32(32, 32 // groups, 3, 3), f32(32)
        yield f"conv in {groups} groups", both(kernels.conv, *given, padding=1, groups=groups)
    yield "max_pool", both(kernels.max_pool, f32(2, 3, 40, 50), (3, 2), 2, 1)
    yield "avg_pool", both(kernels.avg_pool, f32(2, 3, 40, 50), (3, 2), 2, 1)
    slot, source = torch.zeros(10, 2, dtype=torch.int32), lengths(20)
    yield "combine", both(kernels.combine, bf16(20, 100), slot, source, f32(10, 2))
    yield "matmul", both(kernels.matmul, bf16(100, 200), bf16(200, 300))
    yield "matmul of batches", both(kernels.matmul, f32(4, 100, 200), f32(4, 200, 300))
    yield "linear with an end", both(kernels.linear, bf16(100, 200), bf16(300, 200), bf16(300), activation="silu")
    for kind in (bf16, f32):
        yield "grouped_linear", both(kernels.grouped_linear, kind(100, 40), kind(4, 200, 40), lengths(5))
    for m, n in ((10, 8), (300, 512)):
        yield (
            f"linear_cross_entropy {m}",
            both(kernels.linear_cross_entropy, f32(m, 64), f32(n, 64), torch.zeros(m, dtype=torch.int64), chunk=128),
        )


def of_steps() -> Iterator[tuple[str, Work]]:
    """Steps of optimisers, and products in ways that no shape here has chosen."""
    made: list[tuple[Any, dict[str, Any]]] = [
        (optimisers.SGD, {"momentum": 0.5, "nesterov": True}),
        *((kind, {}) for kind in (optimisers.SGD, optimisers.Adam, optimisers.Lion)),
    ]
    for optimiser, options in made:
        for n, kind in ((33, f32), (4096, bf16)):
            ps = [kind(n), kind(n), kind(n, 2)]
            for p in ps:
                p.grad = kind(*p.shape)
            name = f"{optimiser.__name__} of {n}"
            yield name, lambda ps=ps, made=optimiser, o=options: made(ps, lr=0.5, **o).step()
    way = tilings.Tiling((32, 128), 32, 1, 4, 1, False, beside=16)
    for turned in ((False, True), (False, False)):
        given = tilings.Product(bf16(40, 408), bf16(40, 48), bf16(408, 48) if turned[1] else bf16(48, 408), bf16(408))
        product = given._replace(transposed=turned)
        yield f"equal parts {turned}", lambda p=product: on(products.product_launches(p, way, lambda: None))
    strips = [((3, 1), False, 1), ((0, 5), False, 0), ((30, 0), False, 1)]
    for margins, widened, end in (*strips, ((8, 24), True, 0), ((24, 8), True, 0), ((8, 8), True, 1)):
        margined = way._replace(beside=0, margins=margins, widened=widened, persistent=widened)
        m, n = 96 + margins[0], 384 + margins[1]
        given = tilings.Product(
            bf16(m, n), bf16(m, 48), bf16(n, 48), bf16(n) if end else None, transposed=(False, True)
        )
        work = lambda p=given, w=margined: on(products.product_launches(p, w, lambda: None))  # noqa: E731
        yield f"margins {margins}, widened {widened}, bias {end}", work
    for m, n, k in ((16, 512, 8192), (64, 4096, 512)):
        narrow = bf16(m, n), bf16(m, k), torch.empty(n, k, dtype=torch.float8_e4m3fn), f32(n)
        for residual in (None, bf16(m, n)):
            way_of = tilings.tiling(m, n, k, 2)
            given = *narrow, residual, way_of, lambda w=way_of, m=m, n=n: f32(w.splits, m, n)
            yield f"of 8 bits {m} x {n} x {k}", lambda g=given: on(quantised.narrow_weight_launches(*g))


def on(launches: Iterable[Any]) -> None:
    for launch in launches:
        launch.on()


def of_serving() -> Iterator[tuple[str, Work]]:
    """Products with a row, caches, rotations, experts and numbers of 8 bits."""
    for n, k in ((1000, 1000), (4096, 1024), (4096, 2048), (4095, 3072), (4095, 100), (5000, 2000), (4096, 4095)):
        yield f"linear of a row {n} x {k}", lambda n=n, k=k: kernels.linear(bf16(1, k), bf16(n, k), bf16(n))
    for d in (64, 128, 256):
        for b, heads, positions in ((1, 8, 10), (1, 8, 4096), (33, 4, 4096), (4, 8, 1 << 17), (64, 8, 100)):
            q, k = bf16(b, 2 * heads, d), bf16(b, heads, positions, d)
            name = f"{b} x {heads} x {positions}, {d}"
            yield f"decode_attention {name}", lambda q=q, k=k: kernels.decode_attention(q, k, k, lengths(len(q)))
        for page, held in ((16, 1), (64, 100), (128, 1), (256, 30)):
            q, k, table = bf16(4, 16, d), bf16(200, 2, page, d), torch.empty(4, held, dtype=torch.int32)
            work = lambda q=q, k=k, t=table: kernels.paged_attention(q, k, k, t, lengths(4))  # noqa: E731
            yield f"paged_attention {held} of {page}, {d}", work
        one, other = bf16(4, 2, 100, d), bf16(4, 2, 100, d)
        for tokens, count in ((1, 1), (1, 4), (5, 1), (5, 4)):
            new = bf16(4, 2, tokens, d)
            work = lambda a=one, b=other, n=new, m=count: kernels.append_kv(a, b, n, n, lengths(m))  # noqa: E731
            yield f"append_kv {tokens} at {count}, {d}", work
        angles = f32(100, d // 2)
        for tokens, heads in ((1, 8), (5, 12)):
            q, k = bf16(4, tokens, heads, d), bf16(4, tokens, 2, d)
            for weights in ({}, {"q_weight": bf16(d), "k_weight": bf16(d)}):
                work = lambda q=q, k=k, a=one, b=other, c=angles, w=weights: kernels.rope_append(  # noqa: E731
                    q, k, k, a, b, c, c, lengths(4), **w
                )
                yield f"rope_append {tokens} x {heads}, {d}", work
            cos = f32(tokens, d // 2)
            yield f"rope {tokens} x {heads}, {d}", lambda q=q, c=cos: kernels.rope(q, c, c)
            yield f"rope in pairs, {d}", lambda q=q, c=cos: kernels.rope(q[0], c, c, interleaved=True)
    for tokens, count, k in ((1, 8, 2), (300, 60, 4), (5000, 511, 8)):
        logits, experts = bf16(tokens, count), torch.zeros(tokens, k, dtype=torch.int32)
        yield f"route {tokens} of {count}", lambda t=logits, k=k: kernels.route(t, k)
        yield f"sort_by_expert {tokens} of {count}", lambda e=experts, n=count: kernels.sort_by_expert(e, n)
        flat = lengths(tokens * k)
        yield f"dispatch {tokens}", lambda e=experts, s=flat, n=count: kernels.dispatch(bf16(len(e), 2 * n), e, s)
        yield (
            f"combine {tokens}",
            lambda e=experts, s=flat, n=count: kernels.combine(bf16(len(s), 2 * n), e, s, f32(*e.shape)),
        )
        for kind in (bf16, f32):
            rows, weights = kind(tokens, 64), kind(count, 100, 64)
            work = lambda x=rows, w=weights: kernels.grouped_linear(x, w, lengths(len(w) + 1))  # noqa: E731
            yield f"grouped_linear {tokens} of {count}", work
    for m, n in ((1, 16), (64, 4096), (3000, 5000), (1000, 20000)):
        for name in ("int8", "fp8", "fp8 e5m2", "mxfp8"):
            yield f"quantise {name} {m} x {n}", lambda m=m, n=n, name=name: kernels.quantise(bf16(m, n), name)
        yield f"quantise in groups {m} x {n}", lambda m=m, n=n: kernels.quantise(f32(m, n), group=128)
        values = torch.empty(m, n, dtype=torch.int8)
        yield f"dequantise {m} x {n}", lambda v=values, m=m: kernels.dequantise(v, f32(m))
        yield (
            f"dequantise groups {m} x {n}",
            lambda v=values, m=m, n=n: kernels.dequantise(v, f32(m, -(-n // 64)), torch.float32),
        )
        for kind in (torch.int8, torch.float8_e4m3fn):
            x, w = torch.empty(m, 512, dtype=kind), torch.empty(n, 512, dtype=kind)
            yield f"scaled_linear {m} x {n}", lambda x=x, w=w, m=m, n=n: kernels.scaled_linear(x, w, f32(m), f32(n))
            yield (
                f"scaled_linear in blocks {m} x {n}",
                lambda x=x, w=w, m=m, n=n: kernels.scaled_linear(x, w, f32(m, 4), f32(-(-n // 128), 4), bf16(n)),
            )
    for n in (1 << 9, 1 << 10):
        yield f"matmul of f32 in pieces {n}", lambda n=n: kernels.matmul(f32(2, n, 512), f32(2, 512, n), tf32=n > 512)
        yield f"matmul in parts {n}", lambda n=n: kernels.linear(f32(16, 8 * n), f32(n, 8 * n), activation="relu")


def of_few() -> Iterator[tuple[str, Work]]:
    """Products with few rows, as the engine launches them."""
    for m in (16, 17, 32, 33, 64):
        for n in (100, 4192, 4224, 8447, 8448, 8449, 12288, 16896):
            given = bf16(m, n), bf16(m, 512), bf16(n, 512), bf16(n, 512)
            yield f"gated_product {m} x {n}", lambda given=given: few.gated_product_launch(*given).on()
    for n in (8, 1056, 32767, 32768, 32772):
        for k in (100, 1000, 1024, 2048, 2560, 4096, 5120, 8192, 16384, 18432):
            y, x, w = bf16(1, n), bf16(1, k), bf16(n, k)
            for norm, residual in ((None, None), (bf16(k), None), (None, bf16(1, n))):
                given = y, x, w, norm, residual, 1e-6
                yield f"row_product {n} x {k}", lambda given=given: few.row_product_launch(*given).on()
            narrow = torch.empty(n, k, dtype=torch.float8_e4m3fn)
            for norm in (None, bf16(k)):
                given = y, x, narrow, norm, None, 1e-6, f32(n)
                yield f"row_product of 8 bits {n} x {k}", lambda given=given: few.row_product_launch(*given).on()
            given = y, x, w, w, bf16(k), 1e-6
            yield f"gated_row_product {n} x {k}", lambda given=given: few.gated_row_product_launch(*given).on()
            given = y, x, narrow, narrow, bf16(k), 1e-6, (f32(n), f32(n))
            yield (
                f"gated_row_product of 8 bits {n} x {k}",
                lambda given=given: few.gated_row_product_launch(*given).on(),
            )


OF_ALL = [of_reductions, of_orders, of_channels, of_gradients, of_steps, of_serving, of_few]
"""What of each launch is told whole."""


@pytest.mark.parametrize("works", [of_rows, of_products, of_attention, of_elements, *OF_ALL])
def test_choices(
    works: Callable[[], Iterator[tuple[str, Work]]],
    golden: Callable[[Path, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[str] = []
    made = Made()

    def note(self: Launch, stream: Any = None) -> Launch:
        told.append(said(self, works in OF_ALL))
        made.note(self)
        return self.spend()

    monkeypatch.setattr(Launch, "on", note)
    for name, work in works():
        told.append(f"{name}\n")
        before = len(told)
        work()
        assert len(told) > before, f"{name} launches nothing"
    golden(GOLDEN / f"choices_{works.__name__}.txt", "".join(told))
    golden(GOLDEN / f"made_{works.__name__}.txt", str(made))
