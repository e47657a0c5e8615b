"""
What the library's functions launch with each of their options given and left out, and beside borders that sizes alone
do not reach: which kernels, in which tiles, with which hints, constants and other arguments; and what operations those
are made of.

As `test_choices.py`: `pytest --update-golden test/kernels/test_launches_of_options.py` writes it anew. Nothing is run,
and arrays are never touched.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from launches import Made, said

from freehold import kernels
from freehold.kernels import optimisers, tilings
from freehold.kernels.activations import KINDS
from freehold.kernels.products import product_launches
from freehold.runtime.launch.launch import Launch

torch: Any = pytest.importorskip("torch")
GOLDEN = Path(__file__).with_name("golden")
Work = Callable[[], object]


def bf16(*shape: int) -> Any:
    return torch.empty(shape, dtype=torch.bfloat16)


def f32(*shape: int) -> Any:
    return torch.empty(shape, dtype=torch.float32)


def f64(*shape: int) -> Any:
    return torch.empty(shape, dtype=torch.float64)


def i32(*shape: int) -> Any:
    return torch.empty(shape, dtype=torch.int32)


def i64(*shape: int) -> Any:
    return torch.empty(shape, dtype=torch.int64)


def of_convolutions() -> Iterator[tuple[str, Work]]:
    def of(x: Any, w: Any, bias: Any = None, **options: Any) -> tuple[str, Work]:
        name = f"conv {x.dtype} {tuple(x.shape)} by {tuple(w.shape)}, bias {bias is not None} {options or ''}"
        return name.replace("torch.", ""), lambda: kernels.conv(x, w, bias, **options)

    def turned(x: Any, w: Any, bias: Any = None, *options: Any) -> tuple[str, Work]:
        name = f"conv_transpose {x.dtype} {tuple(x.shape)} by {tuple(w.shape)}, bias {bias is not None} {options}"
        return name.replace("torch.", ""), lambda: kernels.conv_transpose(x, w, bias, *options)

    # A channel by itself: of a line, an image, a volume, the other way round, and beyond the taps that are written out.
    for shape, taps in (((2, 8, 140), (3,)), ((2, 8, 5, 140), (3, 3)), ((2, 8, 4, 5, 140), (1, 3, 3))):
        for bias in (None, f32(8)):
            yield of(f32(*shape), f32(8, 1, *taps), bias, groups=8)
            yield turned(f32(*shape), f32(8, 1, *taps), bias, 1, 0, 0, 8)
    for width, padding in ((127, 0), (128, 0), (129, 0), (128, 1)):
        yield of(f32(2, 8, 9, width + 2), f32(8, 1, 3, 3), groups=8, padding=padding)
    for taps in (31, 32, 33):
        yield of(f32(2, 8, 200 + taps), f32(8, 1, taps), groups=8)
    # A window of one element, and of more.
    for kind in (bf16, f32, f64):
        for tf32 in (False, True):
            for stride, padding in ((1, 0), (2, 0), (1, 1)):
                options = {"stride": stride, "padding": padding, "tf32": tf32}
                yield of(kind(2, 32, 20, 20), kind(48, 32, 1, 1), kind(48), **options)
    # As many products as a copy is worth, one place fewer and one more; channels, places and elements for which it is.
    for high in (127, 128, 129):
        yield of(f32(1, 32, high, 256), f32(256, 32, 1, 1), tf32=False)
        yield of(f32(1, 16, high, 1026), f32(32, 16, 1, 4), padding=(0, 1), tf32=False)
    for channels, to in ((7, 512), (8, 512), (9, 512), (512, 7), (512, 8), (512, 9)):
        for tf32 in (False, True):
            yield of(f32(8, channels, 66, 66), f32(to, channels, 3, 3), f32(to), tf32=tf32)
        yield of(bf16(8, channels, 130, 130), bf16(to, channels, 3, 3))
    for wide in (15, 16, 17):
        yield of(f32(64, 64, 66, wide + 2), f32(128, 64, 3, 3), tf32=False)
    yield of(f64(8, 64, 66, 66), f64(128, 64, 3, 3))
    for taps, dilation in (((1, 3), (1, 2)), ((3, 3), (1, 2)), ((3, 3), (2, 1)), ((3, 1), (2, 1))):
        for kind in (bf16, f32):
            yield of(kind(16, 60, 68, 68), kind(128, 60, *taps), dilation=dilation, stride=(1, 2), tf32=False)
    for stride in (1, 2, 3, 4):
        for bias in (None, f32(64)):
            yield turned(f32(16, 128, 64, 64), f32(128, 64, 2, 3), bias, stride)
    # Images of 16 bits.
    for n in (131, 132, 133):
        for bias in (None, bf16(128)):
            yield of(bf16(1, 16, n, 258), bf16(128, 16, 3, 3), bias, padding=(1, 0))
        yield of(bf16(1, 16, n, 258), bf16(127, 16, 3, 3), padding=(1, 0))
        yield of(bf16(1, 32, n, 258), bf16(512, 16, 3, 3), padding=(1, 0), groups=2)
    for channels in (8, 15, 16, 24, 28):
        yield of(bf16(2, channels, 20, 20), bf16(63, channels, 3, 3))
        yield turned(bf16(2, channels, 20, 20), bf16(channels, 64, 3, 3))
    # Of gradients only those that are wanted.
    for wanted in ((True, False, False), (False, True, False), (False, False, True), (True, True, True)):
        given = [
            t.requires_grad_(w) for t, w in zip((f32(6, 8, 20, 20), f32(40, 8, 3, 3), f32(40)), wanted, strict=True)
        ]
        yield f"gradients of a convolution {wanted}", backwards(kernels.conv, *given)
    for images, channels, to in ((1, 16, 16), (300, 16, 16), (4, 256, 300), (70, 64, 64)):
        given = f32(images, channels, 12, 12), f32(to, channels, 3, 3).requires_grad_()
        yield f"gradients of weights {images} x {channels} x {to}", backwards(kernels.conv, *given)


def backwards(function: Callable[..., Any], *given: Any, **options: Any) -> Work:
    """A result and its gradients."""

    def work() -> None:
        found = function(*given, **options)
        first = found[0] if isinstance(found, tuple) else found
        first.backward(torch.empty_like(first))

    return work


def of_windows() -> Iterator[tuple[str, Work]]:
    def of(shape: tuple[int, ...], size: Any, stride: Any = None, *rest: Any) -> Iterator[tuple[str, Work]]:
        name = f"{shape} by {size}, {stride} {rest or ''}"
        yield f"max_pool of {name}", lambda: kernels.max_pool(f32(*shape), size, stride, *rest)
        if len(rest) < 2:
            yield f"avg_pool of {name}", lambda: kernels.avg_pool(bf16(*shape), size, stride, *rest)

    for size in ((1, 2), (2, 1), (8, 8), (8, 9), (16, 2), (1, 3), (3, 16), (3, 17), (32, 5), (33, 5), (2, 4), (4, 4)):
        for shape in ((2, 3, 66, 340), (2, 3, 66, 37)):
            yield from of(shape, size)
    for places in (63, 64, 65):
        yield from of((1, 2, 6, 3 * places), 3)
        yield from of((1, 2, 6, 5 * places // 2 * 2), 5)
    for rows, columns in ((1, 64), (1, 65), (2, 32), (4, 16), (4, 15), (8, 8)):
        yield from of((1, 1, 2 * rows, 2 * columns), 2)
    for long in ((1 << 20), (1 << 20) + 2):
        yield from of((1, 1, 4, long), 2)
        yield from of((1, 1, long, 4), 2)
    for shape, size, stride, padding in (
        ((1, 2, 64, 40), (4, 3), (4, 1), 0), ((1, 2, 64, 40), (3, 3), (3, 1), 0), ((1, 2, 64, 40), (4, 3), (3, 1), 0),
        ((1, 2, 64, 40), (32, 3), (32, 1), 0), ((1, 2, 66, 40), (33, 3), (33, 1), 0),
        ((1, 2, 64, 40), (4, 3), (4, 1), (1, 0)), ((1, 2, 64, 40), (4, 3), (4, 1), (0, 1)),
        ((1, 2, 3, 64, 40), (1, 4, 3), (1, 4, 1), 0), ((1, 2, 1, 64, 40), (1, 4, 3), (1, 4, 1), 0),
        ((1, 2, 3, 64, 40), (2, 4, 3), (2, 4, 1), 0),
        ((1, 2, 1, 1100), (1, 3), 1, 0), ((1, 2, 2, 1100), (1, 3), 1, 0), ((1, 2, 1, 1100), (1, 3), 1, (0, 1)),
        ((1, 2, 1100), 3, 1, 1), ((1, 2, 1100), 3, 2, 1), ((1, 2, 1025), 3, 1, 1), ((1, 2, 1025), 3, 1, 0),
        ((1, 2, 1, 1, 1100), (1, 1, 3), 1, 0), ((1, 2, 1, 2, 1100), (1, 1, 3), 1, 0),
        ((1, 2, 2, 1, 1100), (1, 1, 3), 1, 0), ((1, 2, 3, 3, 1100), 3, 1, 1), ((1, 2, 2, 2, 1100), (1, 1, 3), 1, 0),
        ((2, 3, 9, 9), 4, 2, 1), ((2, 3, 9, 9), (4, 5), 2, 1), ((2, 3, 2, 9, 9), (2, 3, 3), 1, 0),
    ):  # fmt: skip
        yield from of(shape, size, stride, padding)
    yield from of((1, 2, 1100), 3, 1, 0, 2)
    yield from of((1, 2, 9, 1100), (1, 3), 1, 0, (1, 2))
    yield "max_pool of what is not dense", lambda: kernels.max_pool(f32(2, 3, 40, 66).transpose(2, 3), 2)
    for kernel in (kernels.max_pool, kernels.avg_pool):
        for shape in ((2, 3, 9, 11), (2, 300, 40, 60)):
            x = f32(*shape).requires_grad_()
            yield f"gradients of {kernel.__name__} of {shape}", backwards(kernel, x, 3, 2, 1)


def of_rows() -> Iterator[tuple[str, Work]]:
    for m, n in ((64, 4096), (3, 1000), (4, 1 << 17), (4, (1 << 17) + 1), (131, 1 << 17), (132, 1 << 17)):
        for x, w, b in product((bf16, f32), (bf16, f32), (None, bf16, f32)):
            name = f"{m} x {n} {x.__name__}, {w.__name__}"
            if b is None:
                yield f"rms_norm {name}", lambda m=m, n=n, x=x, w=w: kernels.rms_norm(x(m, n), w(n))
                yield f"add_rms_norm {name}", lambda m=m, n=n, x=x, w=w: kernels.add_rms_norm(x(m, n), x(m, n), w(n))
            yield (
                f"layer_norm {name}, {b and b.__name__}",
                lambda m=m, n=n, x=x, w=w, b=b: kernels.layer_norm(x(m, n), w(n), b and b(n)),
            )
    for dim in (0, 1, 2, -1, -2):
        yield f"softmax along {dim}", lambda d=dim: kernels.softmax(f32(3, 40, 50), d)
        yield f"log_softmax along {dim}", lambda d=dim: kernels.log_softmax(bf16(3, 40, 50), d)
    for m, n in ((16 * 4224, 512), (16 * 4224 + 1, 512), (4224, 8192), (4225, 8192), (1000, 4096), (2113, 768)):
        for kind, how in product((bf16, f32), ("none", "sum", "mean")):
            yield (
                f"cross_entropy {kind.__name__} {how} {m} x {n}",
                lambda m=m, n=n, k=kind, h=how: kernels.cross_entropy(k(m, n), i64(m), reduction=h),
            )
        yield (
            f"cross_entropy with smooth targets {m} x {n}",
            lambda m=m, n=n: kernels.cross_entropy(bf16(m, n), i64(m), label_smoothing=0.25, ignore_index=3),
        )
    for m in (1, 2):
        for how in ("none", "sum"):
            x = f32(m, 100).requires_grad_()
            options: dict[str, Any] = {"reduction": how, "label_smoothing": 0.5, "ignore_index": 7}
            yield f"gradients of cross_entropy {how} {m}", backwards(kernels.cross_entropy, x, i64(m), **options)


def of_pairs() -> Iterator[tuple[str, Work]]:
    kinds = "squared", "smooth l1", "kl", "hinge", "divergence"
    for kind, how in product(kinds, ("mean", "sum", "batchmean")):
        yield f"{kind} {how}", lambda k=kind, h=how: kernels.pair_loss(f32(50, 300), f32(50, 300), k, h)
    for kind in kinds:
        for m, n in ((3, 4096), (3, 4095), (5000, 40960), (7, 12288), (1, 1)):
            yield f"{kind} of {m} x {n}", lambda m=m, n=n, k=kind: kernels.pair_loss(bf16(m, n), bf16(m, n), k)
            yield f"{kind} of {m} x {n} and a row", lambda m=m, n=n, k=kind: kernels.pair_loss(bf16(m, n), bf16(n), k)
        yield (
            f"{kind} of what is apart",
            lambda k=kind: kernels.pair_loss(f32(64, 8192)[:, :4096], f32(64, 4096), k),
        )
        yield (
            f"{kind} beside what is apart",
            lambda k=kind: kernels.pair_loss(f32(64, 4096), f32(64, 8192)[:, 4096:], k),
        )
    yield "squared of a line", lambda: kernels.pair_loss(f32(4096), f32(4096), "squared")
    for m, n in ((1, 1), (8447, 4), (8448, 4), (8449, 4), (33792, 2), (33796, 2)):
        for kind in ("squared", "kl"):
            yield f"{kind} of rows {m} x {n}", lambda m=m, n=n, k=kind: kernels.pair_loss(f32(m, n), f32(n), k)
    for m, n in ((1, 1), (300, 511), (300, 512), (3000, 513)):
        for kind in (f32, f64):
            x = kind(m, n)
            yield f"triplet {m} x {n}", lambda x=x: kernels.triplet_margin_loss(x, x, x, 0.5, 0.25)


def of_axes() -> Iterator[tuple[str, Work]]:
    for reverse, exclusive, masked in product((False, True), repeat=3):
        for shape in ((300, 64), (5, 5000), (3, 70, 40)):
            options: dict[str, Any] = {"reverse": reverse, "exclusive": exclusive}
            options["mask"] = torch.empty(shape, dtype=torch.bool) if masked else None
            name = f"cumsum {shape} back {reverse}, without {exclusive}, masked {masked}"
            yield name, lambda s=shape, o=options: kernels.cumsum(bf16(*s), 1, **o)
    for shape in ((300, 64), (5, 5000), (3, 70, 40)):
        yield f"cumprod {shape} back", lambda s=shape: kernels.cumprod(f32(*s), 1, reverse=True)
    for blocks in (131, 132, 133):
        yield f"cumsum of {blocks} blocks", lambda b=blocks: kernels.cumsum(f32(b, 8192), 1)
        yield f"cumprod of {blocks} blocks", lambda b=blocks: kernels.cumprod(f32(b, 8192), 1, reverse=True)
    for n in (16383, 16384, 16385, 32768, 32769):
        yield f"cumsum of 264 x {n}", lambda n=n: kernels.cumsum(bf16(264, n))
    for kind in ("sum", "mean", "amax", "amin", "square sum"):
        for keep in (False, True):
            yield f"{kind} of all, kept {keep}", lambda k=kind, e=keep: kernels.reduce(f32(30, 40), k, None, e)
            yield f"{kind} of two, kept {keep}", lambda k=kind, e=keep: kernels.reduce(f32(30, 4, 5), k, (1, 2), e)
    for p, mean in product((1, 2), (False, True)):
        for shape, dim in (((30, 4000), -1), ((30, 40, 50), 1), ((5, 40, 50), (1, 2)), ((3, 1 << 17), 1)):
            yield (
                f"normalize {shape} along {dim}, {p}, {mean}",
                lambda s=shape, d=dim, p=p, m=mean: kernels.normalize(f32(*s), p, d, mean=m, eps=0.5),
            )
    for bins in (1, 15, 16, 17, 255, 256, 257, 258, 4097):
        for n in ((1 << 22) - 1, 1 << 22, 1 << 24):
            yield f"histogram of {n} in {bins}", lambda n=n, b=bins: kernels.histogram(bf16(n), b, 0.0, 1.0)
    for n in ((1 << 30) - 1, 1 << 30, (1 << 30) + 1):
        yield f"histogram of {n}", lambda n=n: kernels.histogram(bf16(1).expand(n), 9, 0.0, 1.0)
    for n in (1, 1 << 17, (1 << 17) + 1, 1 << 20, (1 << 20) + 1):
        for k in (1, 3, 64, 65):
            yield f"topk {k} of {n}", lambda n=n, k=k: kernels.topk(bf16(2, max(n, k)), k, largest=k > 1)
    for dim in (0, 1):
        yield f"topk along {dim}", lambda d=dim: kernels.topk(f32(30, 40), 3, d)
        yield f"sort along {dim}", lambda d=dim: kernels.sort(f32(30, 40), d)
    for kind in (bf16, f32, f64):
        for m, n in ((40, 70), (31, 128), (33, 129)):
            yield f"transpose of {kind.__name__} {m} x {n}", lambda m=m, n=n, k=kind: kernels.transpose(k(3, m, n))
    for shape in ((40, 256, 5), (64, 128, 3)):
        dense, apart = bf16(*shape), bf16(*shape, 2)[..., 0]
        yield f"sum of {shape} along 1", lambda x=dense: kernels.reduce(x, "sum", 1)
        yield f"sum of {shape} along 1, not dense", lambda x=apart: kernels.reduce(x, "sum", 1)
    for d, heads in ((2, 1), (128, 8), (130, 12), (256, 6), (1024, 32)):
        for paired, many in product((False, True), repeat=2):
            x, angles = bf16(3, 7, heads, d), f32(*((3,) if many else ()), 7, d // 2)
            yield (
                f"rope of {heads} x {d}, neighbours {paired}, each {many}",
                lambda x=x, a=angles, p=paired: kernels.rope(x, a, a, interleaved=p),
            )
    yield "rope of three axes", lambda: kernels.rope(bf16(7, 2, 8), f32(7, 4), f32(7, 4))
    each: dict[str, Any] = {"temperature": f32(2), "top_k": i32(2), "top_p": f32(2), "min_p": f32(2), "seed": i64(2)}
    alone: dict[str, Any] = {"temperature": 0.5, "top_k": 7, "top_p": 0.75, "min_p": 0.25, "seed": 9}
    for name in each:
        for given in ({name: each[name]}, {name: alone[name]}):
            options = {"seed": 1, **given}
            yield (
                f"sample, {name} {'each' if given[name] is each[name] else 'for all'}",
                lambda o=options: kernels.sample(f32(2, 5000), **o),
            )


def of_products() -> Iterator[tuple[str, Work]]:
    for m in (1, 3, 100):
        for bias, activation, residual in product((None, bf16(96)), ("", "silu"), (False, True)):
            added = bf16(m, 96) if residual else None
            yield (
                f"linear {m}, bias {bias is not None}, {activation or 'nothing'}, residual {residual}",
                lambda m=m, b=bias, a=activation, r=added: kernels.linear(
                    bf16(m, 64), bf16(96, 64), b, activation=a, residual=r
                ),
            )
    for turned in product((False, True), repeat=2):
        for m, kind in ((1, bf16), (1, f32), (100, bf16), (100, f32), (1024, f32)):
            a, b = (
                (kind(2048, m).t() if turned[0] else kind(m, 2048)),
                (kind(512, 2048).t() if turned[1] else kind(2048, 512)),
            )
            yield f"matmul {kind.__name__} {m}, turned {turned}", lambda a=a, b=b: kernels.matmul(a, b)
            one, other = (t[None].expand(3, -1, -1) for t in (a, b))
            yield f"matmul of three {kind.__name__} {m}, turned {turned}", lambda a=one, b=other: kernels.matmul(a, b)
    for m, n in ((34, 4096), (40, 4096), (56, 8448), (57, 8448), (127, 4096)):
        for bias, residual, turned in product((False, True), repeat=3):
            given = (bf16(1024, m).t() if turned else bf16(m, 1024)), bf16(n, 1024), bf16(n) if bias else None
            added = bf16(m, n) if residual else None
            yield (
                f"linear {m} x {n}, bias {bias}, residual {residual}, turned {turned}",
                lambda g=given, r=added: kernels.linear(*g, activation="relu", residual=r),
            )
    yield "matmul of what is not dense", lambda: kernels.matmul(bf16(3, 200)[:, ::2], bf16(100, 400)[:, ::2])
    for margins, bias, residual, turned in product(
        ((1, 0), (0, 1), (8, 8)), (False, True), (False, True), (False, True)
    ):
        for m, n, persistent in ((256, 256, True), (512, 768, False))[margins == (8, 8) :]:
            whole = m + margins[0], n + margins[1]
            way = tilings.Tiling((256, 256), 64, 1, 8, 1, persistent, 2, margins=margins, widened=margins == (8, 8))
            given = tilings.Product(
                bf16(*whole), bf16(48, whole[0]) if turned else bf16(whole[0], 48), bf16(48, whole[1]),
                bf16(whole[1]) if bias else None, bf16(*whole) if residual else None, "", (turned, False),
            )  # fmt: skip
            yield (
                f"margins {margins} of {m} x {n}, bias {bias}, residual {residual}, turned {turned}",
                lambda p=given, w=way: [launch.on() for launch in product_launches(p, w, lambda: None)],
            )
    for wanted in product((False, True), repeat=2):
        x, w = (t.requires_grad_(yes) for t, yes in zip((f32(10, 64), f32(96, 64)), wanted, strict=True))
        for chunk in (3, 5, 10):
            work = lambda x=x, w=w, c=chunk: kernels.linear_cross_entropy(  # noqa: E731
                x, w, torch.zeros(10, dtype=torch.int64), chunk=c, ignore_index=7, label_smoothing=0.5
            )
            yield f"linear_cross_entropy in {chunk}, wanted {wanted}", work
    for wanted in product((False, True), repeat=2):
        added = bf16(100, 96).requires_grad_(wanted[0])
        given = bf16(100, 64).requires_grad_(wanted[1]), bf16(96, 64).requires_grad_()
        yield f"gradients of linear with a residual {wanted}", backwards(kernels.linear, *given, residual=added)
    yield "linear of batches", lambda: kernels.linear(bf16(2, 3, 64), bf16(96, 64), residual=bf16(96))
    for k in (4095, 4096, 8192, 1 << 17, 1 << 18):
        yield f"matmul of f64 by {k}", lambda k=k: kernels.matmul(f64(16, k), f64(k, 16))
    for k in (1023, 1024, 1025, 2048, 1 << 16, 1 << 17):
        for tf32 in (False, True):
            yield f"matmul of f32 by {k}, {tf32}", lambda k=k, t=tf32: kernels.matmul(f32(128, k), f32(k, 128), tf32=t)
    for m, n in ((512, 131), (512, 132), (512, 133), (132, 512)):
        yield f"parts of {m} x {n}", lambda m=m, n=n: kernels.matmul(f64(m, 65536), f64(65536, n))
    for wanted in product((False, True), repeat=3):
        if any(wanted):
            given = [t.requires_grad_(w) for t, w in zip((bf16(100, 64), bf16(96, 64), bf16(96)), wanted, strict=True)]
            yield f"gradients of linear {wanted}", backwards(kernels.linear, *given)
    for kind in (bf16, f32):
        for decay in (None, f32(1, 2, 100)):
            for d, e in ((16, 16), (64, 100), (100, 64)):
                given = kind(1, 2, 100, d), kind(1, 2, 100, d), kind(1, 2, 100, e)
                yield (
                    f"linear_attention {kind.__name__}, decay {decay is not None}, {d} and {e}",
                    lambda g=given, c=decay: kernels.linear_attention(*g, c),
                )


def of_attention() -> Iterator[tuple[str, Work]]:
    for kind, (rows, keys, d, e) in product((bf16, f32), ((64, 64, 64, 64), (63, 64, 64, 128), (5, 65, 129, 64))):
        for causal, window, sinks in product((False, True), (None, 7), (False, True)):
            if (causal or window) and rows > keys:
                continue
            q, k, v = kind(1, 4, rows, d), kind(1, 2, keys, d), kind(1, 2, keys, e)
            options: dict[str, Any] = {"causal": causal, "window": window, "scale": 0.5}
            options["sinks"] = kind(4) if sinks else None
            yield (
                f"attention {kind.__name__} {rows} {keys} {d} {e}, {causal} {window} sinks {sinks}",
                lambda q=q, k=k, v=v, o=options: kernels.attention(q, k, v, **o),
            )
    for rows, keys, options in (
        (12288, 12288, {"causal": False}), (12287, 12288, {"causal": False}),
        (12288, 12288, {"causal": False, "window": 9}), (12288, 12300, {}),
        (1024, 1024, {}), (1024, 1024, {"window": 1024}), (1023, 1023, {}),
        (1000, 1024, {}), (1000, 1088, {"causal": False}), (1000, 1024, {"causal": False}),
    ):  # fmt: skip
        for kind in (torch.float16, torch.bfloat16):
            for d in (64, 128):
                given = [torch.empty(1, 1, n, d, dtype=kind) for n in (rows, keys, keys)]
                name = f"attention of {kind} {rows} {keys} {d} {options}".replace("torch.", "")
                yield name, lambda g=given, o=options: kernels.attention(*g, **o)
    for kind, d in ((f32, 64), (bf16, 16), (bf16, 64), (bf16, 65), (bf16, 128), (bf16, 129)):
        for rows, keys in ((127, 127), (128, 128), (1024, 1025), (1023, 1024)):
            for causal, window in ((True, None), (False, None), (True, 9)):
                given = [kind(1, h, n, d).requires_grad_() for h, n in ((2, rows), (1, keys), (1, keys))]
                yield (
                    f"gradients of attention {kind.__name__} {rows} {keys} {d} {causal} {window}",
                    backwards(kernels.attention, *given, causal=causal, window=window),
                )
    for kind in (bf16, f32):
        for causal, most, apart in product((True, False), (None, 9, 500), (False, True)):
            given = kind(50, 4, 64), kind(60 if apart else 50, 2, 64), kind(60 if apart else 50, 2, 64), i32(3)
            options = {"causal": causal, "scale": 0.5}
            if apart:
                options["k_offsets"] = i32(3)
            if most:
                options["most"] = most
            yield (
                f"varlen_attention {kind.__name__} {causal} {most} apart {apart}",
                lambda g=given, o=options: kernels.varlen_attention(*g, **o),
            )
    for heads, d in ((56, 128), (132, 128), (133, 128), (160, 64), (160, 256), (264, 256), (265, 128)):
        for positions in (511, 512, 1024, 1025, 4096, 4097):
            given = bf16(heads, 1, d), bf16(heads, 1, positions, d), bf16(heads, 1, positions, d), i32(heads)
            yield (
                f"decode_attention {heads} x {positions}, {d}",
                lambda g=given: kernels.decode_attention(*g, scale=0.5),
            )
    for group, e in ((1, 64), (4, 128), (8, 100), (16, 256), (64, 512)):
        given = bf16(1, group, 64), bf16(1, 1, 8192, 64), bf16(1, 1, 8192, e), i32(1)
        yield f"decode_attention of {group} heads and {e}", lambda g=given: kernels.decode_attention(*g)


def of_ways() -> Iterator[tuple[str, Work]]:
    """Ways of kernels that no other text here has: kinds, options together, and what is given the other way round."""
    for kind in KINDS:
        yield f"gradients of {kind}", backwards(kernels.activation, f32(3, 5).requires_grad_(), kind)
    for kind in ("squared", "smooth l1", "kl", "hinge", "divergence"):
        yield f"gradients of {kind}", backwards(kernels.pair_loss, f32(3, 5).requires_grad_(), f32(3, 5), kind)
    for shape in ((30, 40), (3, 300, 5), (2, 1 << 20)):
        for function in (kernels.argmax, kernels.argmin):
            yield f"{function.__name__} of {shape}", lambda s=shape, f=function: f(bf16(*s), 1)
    for n in (300, 9000):
        x = bf16(3, n).requires_grad_()
        yield f"gradients of log_softmax {n}", backwards(kernels.log_softmax, x)
    for kind, limits in product((bf16, f32), ({"top_p": 0.5}, {"top_p": 0.5, "min_p": 0.25}, {"min_p": 0.25})):
        for k in (0, 7):
            drawn: dict[str, Any] = {"seed": 1, **({"top_k": k} if k else {}), **limits}
            yield f"sample {kind.__name__} {drawn}", lambda k=kind, o=drawn: kernels.sample(k(2, 5000), **o)
    for kind in ("mxfp8", "int8"):
        values, scales = kernels.quantise(bf16(3, 64), kind, **({} if kind == "mxfp8" else {"group": 16}))
        yield f"dequantise {kind}", lambda v=values, c=scales: kernels.dequantise(v, c)
    for optimiser in (optimisers.Adam, optimisers.AdamW, optimisers.SGD, optimisers.Lion):
        p = bf16(33)
        p.grad = bf16(33)
        yield f"{optimiser.__name__} with a decay", optimiser([p], lr=0.5, weight_decay=0.25).step
    for causal in (False, True):
        given = [bf16(50, h, 64).requires_grad_() for h in (4, 2, 2)]
        yield (
            f"gradients of varlen_attention {causal}",
            backwards(kernels.varlen_attention, *given, i32(3), causal=causal),
        )
    for kind, heads, rows, keys, d in (
        (bf16, 4, 1, 100, 64), (bf16, 4, 1024, 1024, 64), (bf16, 512, 1024, 1024, 128), (f32, 4, 64, 100, 64),
    ):  # fmt: skip
        for causal, window in ((True, None), (False, None), (True, 9)):
            q, k = kind(1, heads, rows, d), kind(1, heads // 2, keys, d)
            options: dict[str, Any] = {"causal": causal, "window": window, "sinks": f32(heads)}
            yield (
                f"attention with sinks {kind.__name__} {heads} {rows} {keys} {d} {causal} {window}",
                lambda q=q, k=k, o=options: kernels.attention(q, k, k, **o),
            )
    for m, n, k in ((512, 128, 1 << 16), (4224, 64, 1 << 14), (4225, 64, 1 << 14)):
        work = lambda m=m, n=n, k=k: kernels.matmul(f32(m, k), f32(k, n), tf32=False)  # noqa: E731
        yield f"parts of a product of pieces {m} x {n} x {k}", work
    for splits, a, b in product((1, 2), (False, True), (False, True)):
        for strips, m in (((), 40), ((32, 8), 40), ((32, 8), 32)):
            way = tilings.Tiling((64, 64), 32, splits, 4, 1, False, strips=strips)
            given = tilings.Product(
                bf16(m, 96), bf16(64, m) if a else bf16(m, 64), bf16(96, 64) if b else bf16(64, 96), bf16(96),
                bf16(m, 96), "silu", (a, b),
            )  # fmt: skip
            work = lambda p=given, w=way, z=splits, m=m: [  # noqa: E731
                launch.on() for launch in product_launches(p, w, lambda: f32(z, m, 96))
            ]
            yield f"product in {splits} and strips {strips}, turned {a, b}", work
    for a, b in product((False, True), repeat=2):
        way = tilings.Tiling((32, 128), 32, 1, 4, 1, False, beside=16)
        given = tilings.Product(
            bf16(40, 408), bf16(48, 40) if a else bf16(40, 48), bf16(408, 48) if b else bf16(48, 408), bf16(408),
            None, "", (a, b),
        )  # fmt: skip
        yield (
            f"equal parts turned {a, b}",
            lambda p=given, w=way: [t.on() for t in product_launches(p, w, lambda: None)],
        )


OF_KERNELS = [of_ways, of_convolutions, of_windows, of_rows, of_pairs, of_axes, of_products]
"""Of which it is told, too, what operations the kernels are made of."""
ALL = [of_ways, of_convolutions, of_windows, of_rows, of_pairs, of_axes, of_products, of_attention]


def told(works: Iterable[tuple[str, Work]], launches: list[str]) -> Iterator[str]:
    """What each launches; where that is all that the one before it does, nothing but its name."""
    last: list[str] = []
    for name, work in works:
        launches.clear()
        work()
        assert launches, f"{name} launches nothing"
        yield f"{name}\n"
        if launches != last:
            yield from launches
        last = list(launches)


@pytest.mark.parametrize("works", ALL)
def test_launches_of_options(
    works: Callable[[], Iterator[tuple[str, Work]]],
    golden: Callable[[Path, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    launches: list[str] = []
    made = Made()

    def note(self: Launch, stream: Any = None) -> Launch:
        launches.append(said(self, True))
        if works in OF_KERNELS:
            made.note(self)
        return self.spend()

    monkeypatch.setattr(Launch, "on", note)
    golden(GOLDEN / f"options_{works.__name__}.txt", "".join(told(works(), launches)))
    if works in OF_KERNELS:
        golden(GOLDEN / f"made_with_options_{works.__name__}.txt", str(made))
