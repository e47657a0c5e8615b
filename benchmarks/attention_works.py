"""Attention of the library against torch's backends: many queries, forward and backward, and one query over a cache."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any, Final

from benchmarks.gpu import seconds
from benchmarks.works import Work, bytes_of, gradient
from freehold import kernels

HEADS: Final = 32
GROUPS: Final = 8
"""Heads of queries, and of keys and values."""


def by_backend(torch: Any, backend: str, **given: Any) -> Callable[..., Any]:
    """Attention by one of torch's backends alone."""
    nn: Any = import_module("torch.nn.attention")

    def function(q: Any, k: Any, v: Any) -> Any:
        with nn.sdpa_kernel([getattr(nn.SDPBackend, backend)]):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, **given)

    return function


def attention_works(torch: Any) -> Iterator[Work]:
    """Causal attention of many queries."""
    by = partial(by_backend, torch, is_causal=True, enable_gqa=True)
    for batch, length, head in ((4, 4096, 128), (1, 16384, 128), (4, 4096, 64), (1, 16384, 64)):
        q, k, v = (torch.randn(batch, h, length, head, device="cuda").bfloat16() for h in (HEADS, GROUPS, GROUPS))
        amount = 2 * batch * HEADS * length * length * head / 1e12
        name = f"attention bf16 {batch} x {HEADS}/{GROUPS} x {length} x {head}"
        for backend in ("CUDNN_ATTENTION", "FLASH_ATTENTION"):
            work = Work(
                f"{name} against {short(backend)}", kernels.attention, by(backend), (q, k, v), amount, "TFLOP/s"
            )
            yield work._replace(compiled=False, triton="attention" if short(backend) == "cudnn" else None)
        do = torch.randn_like(q)
        yield gradient(
            f"{name} backward", kernels.attention, by("CUDNN_ATTENTION"), (q, k, v), do, 2.5 * amount, torch
        )._replace(unit="TFLOP/s")


def short(backend: str) -> str:
    """`CUDNN_ATTENTION`: `cudnn`."""
    return backend.split("_")[0].lower()


def decode_works(torch: Any) -> Iterator[Work]:
    """One query a sequence over a cache, against the fastest of torch's backends there."""
    for batch in (1, 4, 16, 64):
        for length in (1024, 4096, 16384, 65536):
            yield decode_work(torch, batch, length, 128)


def decode_work(torch: Any, batch: int, length: int, head: int) -> Work:
    """Attention over so many caches after one another that they do not fit the L2 cache."""

    def randn(*shape: int) -> Any:
        return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)

    count = max(1, 200_000_000 // (4 * batch * GROUPS * length * head))
    q = randn(batch, HEADS, head)
    lengths = torch.full((batch,), length, dtype=torch.int32, device="cuda")
    caches = [randn(batch, GROUPS, length, head) for _ in range(2 * count)]

    def each(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda q, *caches: tuple(function(q, k, v) for k, v in zip(caches[::2], caches[1::2], strict=True))

    def ours(q: Any, k: Any, v: Any) -> Any:
        return kernels.decode_attention(q, k, v, lengths)

    ways = {short(b) + how: each(way) for b in BACKENDS for how, way in decoding_by(torch, b).items()}
    name, theirs = fastest(torch, ways, (q, *caches))
    what = f"decode attention bf16 {batch} x {HEADS}/{GROUPS} x {length} x {head} against {name}"
    return Work(what, each(ours), theirs, (q, *caches), bytes_of(*caches), compiled=False)


BACKENDS: Final = "FLASH_ATTENTION", "CUDNN_ATTENTION", "EFFICIENT_ATTENTION"


def decoding_by(torch: Any, backend: str) -> dict[str, Callable[..., Any]]:
    """Two ways to give a backend one query a head: the heads of a group as they are, or as the rows of one head."""
    plain, grouped = by_backend(torch, backend), by_backend(torch, backend, enable_gqa=True)
    return {
        ", heads": lambda q, k, v: grouped(q[:, :, None], k, v)[:, :, 0],
        ", rows": lambda q, k, v: plain(q.unflatten(1, (k.shape[1], -1)), k, v).flatten(1, 2),
    }


def fastest(
    torch: Any, ways: dict[str, Callable[..., Any]], tensors: tuple[Any, ...]
) -> tuple[str, Callable[..., Any]]:
    """The way that takes the least time, of those that run at all, and its name."""
    times: dict[str, float] = {}
    for name, way in ways.items():
        call = partial(way, *tensors)
        try:
            call()
        except RuntimeError:  # a backend that does not take this
            continue
        times[name] = min(seconds(torch, call, 2) for _ in range(3))
    name = min(times, key=times.__getitem__)
    return name, ways[name]
