"""
Where what the library's functions launch changes with the size of their arguments: which kernels, in which tiles and
parts, with which hints and constants, from which size on.

`test_choices.py` tells what is launched for some sizes, and `test_where_choices_change.py` where the choices change
that are functions of their own. This finds the borders of those that are made in between, on both sides of each power
of two and of more: `pytest --update-golden` writes them anew. Nothing is run, and arrays are never touched.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from launches import said

from freehold import kernels
from freehold.runtime.launch.launch import Launch

torch: Any = pytest.importorskip("torch")
GOLDEN = Path(__file__).with_name("golden")
Asked = tuple[str, Callable[[int], object], Iterable[int]]


def around(*sizes: int) -> list[int]:
    """These sizes, and those before and behind them."""
    return sorted({n + d for n in sizes for d in (-1, 0, 1) if n + d > 0})


POWERS = around(1, *(1 << n for n in range(4, 17)))
ROWS = around(1, 16, 32, 132, 264, 528, 1056, 2112, 4224)
LONG = [512, 1024, 4096, 8192, 16384, 20480, 28672, 32768, 49152, 65536, 131072, 262144]
FEW = around(16, 64, 1024, 4096)


def bf16(*shape: int) -> Any:
    return torch.empty(shape, dtype=torch.bfloat16)


def f16(*shape: int) -> Any:
    return torch.empty(shape, dtype=torch.float16)


def f32(*shape: int) -> Any:
    return torch.empty(shape, dtype=torch.float32)


def integers(*shape: int) -> Any:
    return torch.empty(shape, dtype=torch.int64)


def pages(heads: int, width: int) -> Any:
    """A cache of a few pages."""
    return bf16(99, heads, 16, width)


def of_rows() -> Iterator[Asked]:
    for kind in (bf16, f32):
        name = kind.__name__
        for m in (1, 300):
            yield f"softmax {name} {m} x n", lambda n, m=m, k=kind: kernels.softmax(k(m, n)), POWERS
            yield f"sum {name} {m} x n", lambda n, m=m, k=kind: kernels.reduce(k(m, n), "sum", 1), POWERS
            yield f"normalize {name} {m} x n", lambda n, m=m, k=kind: kernels.normalize(k(m, n), 2, 1), POWERS
            yield f"rms_norm {name} {m} x n", lambda n, m=m, k=kind: kernels.rms_norm(k(m, n), k(n)), FEW
            yield f"layer_norm {name} {m} x n", lambda n, m=m, k=kind: kernels.layer_norm(k(m, n), k(n), k(n)), FEW
        for n in (1000, 4096, 32768):
            yield f"softmax {name} m x {n}", lambda m, n=n, k=kind: kernels.softmax(k(m, n)), ROWS
            yield f"layer_norm {name} m x {n}", lambda m, n=n, k=kind: kernels.layer_norm(k(m, n), k(n), k(n)), ROWS
            yield f"sum {name} m x {n}", lambda m, n=n, k=kind: kernels.reduce(k(m, n), "sum", 1), ROWS
            yield f"sum {name} {n} x m along 0", lambda m, n=n, k=kind: kernels.reduce(k(n, m), "sum", 0), ROWS
    for m in (32, 33, 264, 265):
        yield f"softmax {m} long rows", lambda n, m=m: kernels.softmax(bf16(m, n)), LONG
        yield f"log_softmax {m} long rows", lambda n, m=m: kernels.log_softmax(bf16(m, n)), LONG
        yield f"rms_norm {m} long rows", lambda n, m=m: kernels.rms_norm(bf16(m, n), bf16(n)), LONG
        yield f"layer_norm {m} long rows", lambda n, m=m: kernels.layer_norm(bf16(m, n), bf16(n), bf16(n)), LONG
        yield f"cross_entropy {m} x n", lambda n, m=m: kernels.cross_entropy(bf16(m, n), integers(m)), [*FEW, *LONG]
    for kind in (bf16, f16):  # the lengths that kernels of their own were measured for, and those between
        for name, function in (
            ("softmax", lambda x, _: kernels.softmax(x)),
            ("log_softmax", lambda x, _: kernels.log_softmax(x)),
            ("rms_norm", kernels.rms_norm),
            ("layer_norm", lambda x, w: kernels.layer_norm(x, w, w)),
            ("layer_norm without a bias", kernels.layer_norm),
        ):
            work = lambda n, k=kind, f=function: f(k(1056, n), k(n))  # noqa: E731
            yield (
                f"{name} {kind.__name__} 1056 x n",
                work,
                [*range(1024, 33792, 1024), *range(36864, 143360, 4096), 262144],
            )
    for n in (1000, 4096, 20480, 131072):
        yield f"cross_entropy m x {n}", lambda m, n=n: kernels.cross_entropy(bf16(m, n), integers(m)), ROWS


def of_axes() -> Iterator[Asked]:
    for a, c in ((1, 1), (263, 1), (264, 1), (3, 40)):
        # what is in parts is copied, and so is not long
        yield f"cumsum {a} x n x {c}", lambda n, a=a, c=c: kernels.cumsum(f32(a, n, c), 1), POWERS[:27]
        yield f"cumprod {a} x n x {c}", lambda n, a=a, c=c: kernels.cumprod(f32(a, n, c), 1), FEW
        yield f"argmax {a} x n x {c}", lambda n, a=a, c=c: kernels.argmax(f32(a, n, c), 1), POWERS
        yield f"amax {a} x n x {c}", lambda n, a=a, c=c: kernels.reduce(bf16(a, n, c), "amax", 1), POWERS
    for k in (1, 8, 64, 65, 256):
        yield f"topk of {k}", lambda n, k=k: kernels.topk(f32(3, max(k, n)), k), POWERS
    yield "sort", lambda n: kernels.sort(f32(3, n)), POWERS[:27]
    yield "sort of 16 bits, of many rows", lambda n: kernels.sort(bf16(n, 100)), ROWS
    for m in (1, 528, 529):
        yield f"greedy {m} rows", lambda n, m=m: kernels.greedy(bf16(m, n)), POWERS
        yield f"sample {m} rows", lambda n, m=m: kernels.sample(f32(m, n), seed=1, top_p=0.5), FEW
    yield "logprobs", lambda n: kernels.logprobs(f32(2, n), integers(2)), POWERS
    yield "histogram", lambda n: kernels.histogram(f32(n), 10, 0.0, 1.0), POWERS
    yield "histogram of as many", lambda n: kernels.histogram(f32(5000), n, 0.0, 1.0), POWERS[:27]
    yield "activation", lambda n: kernels.activation(bf16(n), "gelu"), POWERS
    yield "swiglu", lambda n: kernels.swiglu(bf16(3, n), bf16(3, n)), POWERS
    for m in (1, 64, 5000):
        yield f"transpose {m} x n", lambda n, m=m: kernels.transpose(bf16(m, n)), FEW
        yield f"embedding of {m}", lambda n, m=m: kernels.embedding(integers(m), bf16(10, n)), POWERS
    yield "mse_loss", lambda n: kernels.mse_loss(f32(n), f32(n)), POWERS


def of_channels() -> Iterator[Asked]:
    sides = [1, 2, 3, 7, 8, 14, 16, 28, 32, 33, 56, 64, 112, 128]
    counts = around(1, 16, 32, 64, 128)
    for kind in (bf16, f32):
        name = kind.__name__
        yield f"group_norm {name} n x n", lambda n, k=kind: kernels.group_norm(k(2, 64, n, n), 8), sides
        yield f"batch_norm {name} n x n", lambda n, k=kind: kernels.batch_norm(k(2, 64, n, n)), sides
        yield f"batch_norm {name} of m", lambda m, k=kind: kernels.batch_norm(k(m, 64)), FEW
        for size in (1, 3):
            for padding, stride in ((0, 1), (1, 1), (1, 2)):
                how = f"by {size}, padding {padding}, stride {stride}"
                options: dict[str, Any] = {"padding": padding, "stride": stride}
                yield (
                    f"conv {name} n x n {how}",
                    lambda n, k=kind, s=size, o=options: kernels.conv(k(2, 64, n + 2, n + 2), k(64, 64, s, s), **o),
                    sides,
                )
                yield (
                    f"conv {name} of n channels {how}",
                    lambda n, k=kind, s=size, o=options: kernels.conv(k(2, n, 28, 28), k(64, n, s, s), **o),
                    counts,
                )
        yield f"conv {name} to n", lambda n, k=kind: kernels.conv(k(2, 32, 28, 28), k(n, 32, 3, 3)), counts
        yield f"conv {name} of n images", lambda n, k=kind: kernels.conv(k(n, 32, 28, 28), k(64, 32, 3, 3)), counts
        yield (
            f"conv {name} of a group each",
            lambda n, k=kind: kernels.conv(k(2, 16, n + 2, n + 2), k(16, 1, 3, 3), groups=16),
            sides,
        )
        yield f"conv_transpose {name}", lambda n, k=kind: kernels.conv_transpose(k(2, 64, n, n), k(64, 32, 3, 3)), sides
        for size, stride in ((2, 2), (3, 1), (3, 2)):
            how = f"{name} n x n by {size}, stride {stride}"
            work = lambda n, k=kind, s=size, t=stride: kernels.max_pool(k(4, 8, n + 2, n + 2), s, stride=t)  # noqa: E731
            yield f"max_pool {how}", work, sides
            work = lambda n, k=kind, s=size, t=stride: kernels.avg_pool(k(4, 8, n + 2, n + 2), s, stride=t)  # noqa: E731
            yield f"avg_pool {how}", work, sides
    for size in (2, 3, 8, 31, 32, 33, 34):
        yield f"max_pool of a line by {size}", lambda n, s=size: kernels.max_pool(f32(4, 8, n + s), s, stride=1), POWERS
        yield f"avg_pool of a line by {size}", lambda n, s=size: kernels.avg_pool(f32(4, 8, n + s), s), FEW


def of_products() -> Iterator[Asked]:
    sizes = around(1, 8, 16, 32, 64, 128, 256, 2048)
    for n, k in ((512, 512), (4096, 4096), (4096, 1000), (8448, 4096)):
        yield f"linear m x {n} x {k}", lambda m, n=n, k=k: kernels.linear(bf16(m, k), bf16(n, k)), sizes
        yield f"linear m x {n} x {k} of 32 bits", lambda m, n=n, k=k: kernels.linear(f32(m, k), f32(n, k)), sizes
    yield "linear of a row, n x 2048", lambda n: kernels.linear(bf16(1, 2048), bf16(n, 2048)), POWERS
    yield "linear of a row, 4096 x k", lambda k: kernels.linear(bf16(1, k), bf16(4096, k)), POWERS
    yield "matmul of batches", lambda n: kernels.matmul(bf16(4, n, 256), bf16(4, 256, n)), sizes
    yield "matmul of many batches", lambda b: kernels.matmul(bf16(b, 100, 256), bf16(b, 256, 100)), sizes
    for groups in (8, 128):
        w, ends = bf16(groups, 512, 512), torch.empty(groups + 1, dtype=torch.int32)
        yield f"grouped_linear {groups}", lambda m, w=w, e=ends: kernels.grouped_linear(bf16(m, 512), w, e), POWERS
    narrow = lambda *shape: torch.empty(*shape, dtype=torch.float8_e4m3fn)  # noqa: E731
    yield (
        "scaled_linear",
        lambda m: kernels.scaled_linear(narrow(m, 512), narrow(640, 512), f32(m), f32(640)),
        sizes,
    )


def of_attention() -> Iterator[Asked]:
    counts = around(1, *(1 << n for n in range(4, 13)))
    for d in (64, 96, 128, 256):
        for causal in (False, True):
            work = lambda s, d=d, c=causal: kernels.attention(*(bf16(1, 8, s, d) for _ in range(3)), causal=c)  # noqa: E731
            yield f"attention of n x {d}, causal {causal}", work, counts
        work = lambda s, d=d: kernels.attention(bf16(1, 8, min(s, 64), d), bf16(1, 2, s, d), bf16(1, 2, s, d))  # noqa: E731
        yield f"attention of 64 over n, {d}", work, counts
        work = lambda s, d=d: kernels.varlen_attention(  # noqa: E731
            bf16(s, 4, d), bf16(s, 2, d), bf16(s, 2, d), torch.empty(4, dtype=torch.int32)
        )
        yield f"varlen_attention of n x {d}", work, FEW
        work = lambda s, d=d: kernels.linear_attention(*(bf16(1, 2, s, d) for _ in range(3)))  # noqa: E731
        yield f"linear_attention of n x {d}", work, FEW
        for b, heads, group in ((1, 8, 4), (16, 8, 1), (20, 8, 4), (64, 8, 8)):
            given = bf16(b, heads * group, d), torch.empty(b, dtype=torch.int32)
            work = lambda n, b=b, h=heads, g=given: kernels.decode_attention(  # noqa: E731
                g[0], bf16(b, h, n, g[0].shape[2]), bf16(b, h, n, g[0].shape[2]), g[1]
            )
            yield f"decode_attention of {b} x {heads} x {group}, {d}", work, counts
            work = lambda n, b=b, h=heads, g=given: kernels.paged_attention(  # noqa: E731
                g[0], pages(h, g[0].shape[2]), pages(h, g[0].shape[2]), torch.empty(b, n, dtype=torch.int32), g[1]
            )
            yield f"paged_attention of {b} x {heads} x {group}, {d}", work, around(1, 8, 32, 64, 128, 512)
    yield (
        "decode_attention by sequences",
        lambda b: kernels.decode_attention(
            bf16(b, 8, 128), bf16(b, 2, 1024, 128), bf16(b, 2, 1024, 128), torch.empty(b, dtype=torch.int32)
        ),
        around(1, 28, 32, 66, 72, 80, 132, 264),
    )


def changes(asked: Iterable[Asked], told: list[str]) -> Iterator[str]:
    """
    The sizes from which on something else is launched, and which of the launches are others then, all where there are
    more or fewer.
    """
    for name, work, sizes in asked:
        yield f"{name}\n"
        last: list[str] = []
        for n in sizes:
            told.clear()
            work(n)
            assert told, f"{name} launches nothing"
            found = [line.replace(" ROW Blocks.EACH", "") for line in told]
            if n > 99:
                found = [re.sub(rf"\b([A-Z]+)={n}\b", r"\1=n", line) for line in found]
            others = [a for a, b in zip(found, last, strict=True) if a != b] if len(found) == len(last) else found
            for number, line in enumerate(others):
                yield f"{'' if number else n:>7}{line}"
            last = found


@pytest.mark.parametrize("asked", [of_rows, of_axes, of_channels, of_products, of_attention])
def test_where_launches_change(
    asked: Callable[[], Iterator[Asked]], golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def note(self: Launch, stream: Any = None) -> Launch:
        told.append(said(self, False))
        return self.spend()

    monkeypatch.setattr(Launch, "on", note)
    golden(GOLDEN / f"launches_{asked.__name__}.txt", "".join(changes(asked(), told)))
