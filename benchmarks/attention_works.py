"""Attention of the library against torch's backends: many queries, forward and backward, and one query over a cache."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any, Final

from benchmarks.gpu import recorded, repeats, seconds
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


def attention_works(torch: Any, causal: bool = True) -> Iterator[Work]:
    """Attention of many queries, causal or of all keys, forward and backward: 16,384 queries or more."""
    by = partial(by_backend, torch, is_causal=causal, enable_gqa=True)
    ours = partial(kernels.attention, causal=causal)
    for head in (128, 64):
        for length in (1024, 2048, 4096, 8192, 16384, 32768):
            batch = max(1, 16384 // length)
            q, k, v = (torch.randn(batch, h, length, head, device="cuda").bfloat16() for h in (HEADS, GROUPS, GROUPS))
            amount = (2 if causal else 4) * batch * HEADS * length * length * head / 1e12
            name = f"{'causal' if causal else 'full'} attention bf16 {batch} x {HEADS}/{GROUPS} x {length} x {head}"
            of: dict[str, Any] = {"tensors": (q, k, v), "amount": amount, "unit": "TFLOP/s", "compiled": False}
            triton = "attention" if causal and length in (4096, 16384) else None
            yield Work(f"{name} against cudnn", ours, by("CUDNN_ATTENTION"), **of, triton=triton)
            if triton:
                yield Work(f"{name} against flash", ours, by("FLASH_ATTENTION"), **of)
            do = torch.randn_like(q)
            work = gradient(f"{name} backward", ours, by("CUDNN_ATTENTION"), (q, k, v), do, 2.5 * amount, torch)
            yield work._replace(unit="TFLOP/s")


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


TURNS: Final = 5
"""How many times each way is timed."""


def fastest(
    torch: Any, ways: dict[str, Callable[..., Any]], tensors: tuple[Any, ...]
) -> tuple[str, Callable[..., Any]]:
    """
    The way that takes the GPU the least time, and its name: in turns, replayed from graphs, as all is timed afterwards.
    Launches one by one would tell how long a busy host needs for each. Raises `ValueError` where no way runs.
    """
    replays: dict[str, tuple[Callable[[], Any], int]] = {}
    for name, way in ways.items():
        call = partial(way, *tensors)
        try:
            call()
            repeat = repeats(seconds(torch, call, 1))
            replays[name] = recorded(torch, call, repeat), repeat
        except RuntimeError:  # a backend that does not take this
            continue
    if not replays:
        raise ValueError(f"none of {', '.join(ways)} runs")
    times = dict.fromkeys(replays, float("inf"))
    for _ in range(TURNS):
        for name, (replay, repeat) in replays.items():
            times[name] = min(times[name], seconds(torch, replay, 1) / repeat)
    name = min(times, key=times.__getitem__)
    return name, ways[name]
