"""
What the library's functions launch for arguments of some sizes: kernels, tiles, orders, hints and constants.

Choices were made by measuring, and nothing but speed depends on them. So a change of one is seen here, and meant:
`pytest --update-golden test/kernels/test_choices.py` writes them anew. Nothing is run, and arrays are never touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from freehold import kernels
from freehold.frontend.schedule import PartitionSpec
from freehold.runtime.launch.launch import Launch
from freehold.runtime.launch.partition import Partition

torch: Any = pytest.importorskip("torch")
GOLDEN = Path(__file__).with_name("golden")
COLUMNS = (512, 1000, 1024, 2048, 4096, 8192, 16384, 20480, 32768, 65536, 131072, 262144)
Work = Callable[[], object]


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
            yield f"cross_entropy {m} x {n}", lambda x=x, y=labels: kernels.cross_entropy(x, y)
        yield f"softmax of f32 {2**24 // n} x {n}", lambda n=n: kernels.softmax(f32(2**24 // n, n))
        yield f"cumsum {2**22 // n} x {n}", lambda n=n: kernels.cumsum(f32(2**22 // n, n))
        yield f"topk of 8 {2**20 // n + 1} x {n}", lambda n=n: kernels.topk(f32(2**20 // n + 1, n), 8)
        yield f"reduce {2**22 // n} x {n}", lambda n=n: kernels.reduce(f32(2**22 // n, n), "sum", -1)


def of_products() -> Iterator[tuple[str, Work]]:
    sizes = [(n, n, n) for n in (256, 1024, 2048, 4096, 8192)]
    sizes += [(1536, 1544, 3080), (4112, 4112, 4096), (1000, 3000, 2000), (128, 12288, 4096), (8192, 8192, 256)]
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
        for b, length in ((1, 1024), (1, 65536), (16, 512), (16, 4096), (64, 1024), (64, 16384)):
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


def said(launch: Launch) -> str:
    """A launch, without what the sizes of its arguments say."""
    kernel, arguments = launch.dispatcher.kernel, launch.arguments
    assert arguments is not None
    cuts = [a.spec for a in arguments if isinstance(a, Partition) and isinstance(a.spec, PartitionSpec)]
    constants = {p.name: a for p, a in zip(kernel.signature.parameters, arguments, strict=True) if p.mode == "const"}
    parts = [f"{c.tile} {c.order} {c.blocks}".replace("freehold.", "") for c in dict.fromkeys(cuts)]
    parts += [" ".join(f"{name}={value}" for name, value in getattr(kernel, "options").hints)]  # noqa: B009 -- of kernels
    parts += [" ".join(f"{name}={value}" for name, value in constants.items() if value is not None)]
    return f"  {kernel.__name__}: {'; '.join(p for p in parts if p)}\n"


@pytest.mark.parametrize("works", [of_rows, of_products, of_attention, of_elements])
def test_choices(
    works: Callable[[], Iterator[tuple[str, Work]]],
    golden: Callable[[Path, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[str] = []

    def note(self: Launch, stream: Any = None) -> Launch:
        told.append(said(self))
        return self.spend()

    monkeypatch.setattr(Launch, "on", note)
    for name, work in works():
        told.append(f"{name}\n")
        before = len(told)
        work()
        assert len(told) > before, f"{name} launches nothing"
    golden(GOLDEN / f"choices_{works.__name__}.txt", "".join(told))
