"""Launches with no schedule against the best of a search, and torch, on a GPU: `python -m benchmarks.schedules`.

Each kernel is launched without a partition; what Freehold chooses is timed in turns with the fastest of the schedules
that it could have chosen, which are tried out here, and with torch. A ratio of 1 means that the choice is as fast as
the best that was found. Results are compared with torch's before anything is timed. What is timed are CUDA graphs of
several calls: schedules differ on the GPU, and the host takes longer for a call than the GPU for some of them.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Final

from examples.kernels import attention, grids

import freehold as fh
from benchmarks import plain_kernels as plain
from benchmarks.gpu import recorded, seconds
from benchmarks.report import Row, show
from freehold import Const, Out, Ref, f32
from freehold.runtime.scheduling.candidates import Candidates

PAIRS: Final = 7
MOST: Final = 48
"""How many schedules a search tries, unless told."""
HINTS: Final[tuple[dict[str, int], ...]] = (
    {}, {"occupancy": 2}, {"occupancy": 4}, {"occupancy": 6}, {"occupancy": 8},
    {"allow_tma": False, "occupancy": 2}, {"allow_tma": False, "occupancy": 4}, {"allow_tma": False, "occupancy": 8},
    {"allow_tma": False, "occupancy": 16}, {"allow_tma": False, "num_worker_warps": 8, "occupancy": 2},
)  # fmt: skip
PRODUCT_HINTS: Final[tuple[dict[str, int], ...]] = (
    {"num_worker_warps": 4}, {"num_worker_warps": 8}, {"occupancy": 2}, {"occupancy": 4},
    {"num_worker_warps": 8, "occupancy": 1},
)  # fmt: skip


@fh.kernel
def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = fh.choose(32, 64, 128)):
    """c = a @ b, with a step along K that is chosen, too."""
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    c.store(acc.astype(c.dtype))


@fh.kernel
def rms_norm(y: Out["M", "N"], x: Ref["M", "N"], w: Ref["N"], eps: f32):
    """Of rows that fit a tile."""
    t = x.load_like(y).astype(f32)
    scale = fh.rsqrt((t * t).sum(axis=1, keepdims=True) / x.shape[1] + eps)
    y.store((t * scale * w.load((y.index[1],), (y.tile[1],)).astype(f32)).astype(y.dtype))


@fh.kernel
def softmax(y: Out["M", "N"], x: Ref["M", "N"]):
    """Of rows that fit a tile."""
    t = x.load(y.index, y.tile, padding="-inf").astype(f32)
    e = fh.exp(t - t.max(axis=1, keepdims=True))
    y.store((e / e.sum(axis=1, keepdims=True)).astype(y.dtype))


@fh.kernel
def add(z: Out["N"], x: Ref["N"], y: Ref["N"]):
    """z = x + y."""
    z.store(x.load_like(z) + y.load_like(z))


@dataclass(frozen=True)
class Case:
    """A kernel with arguments and no schedule."""

    name: str
    kernel: Any
    arguments: tuple[Any, ...]
    """The first is what is written."""
    work: float
    """Bytes that have to be moved, or operations, in units of `unit` times a second."""
    unit: str
    rival: Callable[[], Any] | None = None
    """The same by torch, as a tensor."""
    exact: bool = True
    """Whether the rival's result is to be compared."""


def cases(torch: Any) -> Iterator[Case]:
    """What is timed. Arrays are made when it is asked for, and dropped with it."""
    F: Any = torch.nn.functional

    def bf(*shape: int) -> Any:
        return torch.randn(*shape, device="cuda").bfloat16()

    def wide(*shape: int) -> Any:
        return torch.randn(*shape, device="cuda")

    x, y = wide(1 << 27), wide(1 << 27)
    yield Case("add, f32, 2^27", add, (torch.empty_like(x), x, y), 12 * x.numel() / 1e12, "TB/s", lambda: x + y)
    for m, n in ((16384, 4096), (65536, 1000), (4096, 16384)):
        t, w = bf(m, n), bf(n)
        size = 4 * t.numel() / 1e12
        yield Case(
            f"RMS norm, bf16, {m} x {n}", rms_norm, (torch.empty_like(t), t, w, 1e-6), size, "TB/s",
            lambda t=t, w=w, n=n: F.rms_norm(t, (n,), w, 1e-6),
        )  # fmt: skip
        yield Case(
            f"softmax, bf16, {m} x {n}", softmax, (torch.empty_like(t), t), size, "TB/s", lambda t=t: t.softmax(-1)
        )
    t, w = wide(16384, 4096), wide(4096)
    yield Case(
        "RMS norm in two walks, f32, 16384 x 4096", plain.rms_norm, (torch.empty_like(t), t, w, 1e-6),
        8 * t.numel() / 1e12, "TB/s", lambda: F.rms_norm(t, (4096,), w, 1e-6),
    )  # fmt: skip
    yield Case(
        "softmax in two walks, f32, 16384 x 4096", plain.softmax, (torch.empty_like(t), t),
        8 * t.numel() / 1e12, "TB/s", lambda: t.softmax(-1),
    )  # fmt: skip
    g, u = bf(16384, 12288), bf(16384, 12288)
    yield Case(
        "SwiGLU, bf16, 16384 x 12288", plain.swiglu, (torch.empty_like(g), g, u), 6 * g.numel() / 1e12, "TB/s",
        lambda: F.silu(g) * u,
    )  # fmt: skip
    b = bf(12288)
    yield Case(
        "bias and GELU, bf16, 16384 x 12288", plain.bias_gelu, (torch.empty_like(g), g, b),
        4 * g.numel() / 1e12, "TB/s", lambda: F.gelu(g + b, approximate="tanh"),
    )  # fmt: skip
    t = wide(8192, 8192)
    yield Case(
        "transpose, f32, 8192^2", grids.transpose, (torch.empty_like(t), t), 8 * t.numel() / 1e12, "TB/s",
        lambda: t.T.contiguous(),
    )  # fmt: skip
    yield Case("heat, f32, 8192^2", grids.heat, (torch.empty_like(t), t, 0.1), 8 * t.numel() / 1e12, "TB/s", None)
    yield Case(
        "sums of columns, f32, 8192^2", plain.sum_columns, (torch.empty(8192, device="cuda"), t),
        4 * t.numel() / 1e12, "TB/s", lambda: t.sum(0),
    )  # fmt: skip
    table, ids = bf(151936, 4096), torch.randint(0, 151936, (16384,), device="cuda", dtype=torch.int32)
    yield Case(
        "embedding, bf16, 16384 rows of 4096", plain.embedding, (bf(16384, 4096), table, ids),
        4 * 16384 * 4096 / 1e12, "TB/s", lambda: F.embedding(ids, table),
    )  # fmt: skip
    logits, target = bf(8192, 32000), torch.randint(0, 32000, (8192,), device="cuda", dtype=torch.int32)
    loss, lse = torch.empty(8192, device="cuda"), torch.empty(8192, device="cuda")
    yield Case(
        "cross entropy, bf16, 8192 x 32000", plain.cross_entropy,
        (loss, lse, logits, target, fh.choose(512, 1024, 2048, 4096)), 2 * logits.numel() / 1e12, "TB/s",
        lambda: F.cross_entropy(logits.float(), target.long(), reduction="none"),
    )  # fmt: skip
    a, v = bf(12288, 4096), bf(4096)
    yield Case(
        "matrix by vector, bf16, 12288 x 4096", plain.matvec,
        (torch.empty(12288, device="cuda"), a, v, fh.choose(256, 512, 1024, 2048)), 2 * a.numel() / 1e12, "TB/s",
        lambda: a @ v,
    )  # fmt: skip
    yield from products(torch, bf)


def products(torch: Any, bf: Callable[..., Any]) -> Iterator[Case]:
    """Matrix products, and what is made of them."""
    F: Any = torch.nn.functional
    shapes = ((8192, 8192, 8192), (4096, 4096, 4096), (2048, 2048, 2048), (1000, 3000, 2000), (128, 12288, 4096))
    for m, n, k in (*shapes, (16, 12288, 4096)):
        a, b = bf(m, k), bf(k, n)
        yield Case(
            f"GEMM, bf16, {m} x {n} x {k}", gemm, (bf(m, n), a, b), 2 * m * n * k / 1e12, "TFLOP/s",
            lambda a=a, b=b: a @ b,
        )  # fmt: skip
    a, b = bf(32, 1024, 1024), bf(32, 1024, 1024)
    yield Case(
        "32 GEMMs, bf16, 1024^3", plain.batched_gemm, (torch.empty_like(a), a, b, fh.choose(32, 64, 128)),
        2 * 32 * 1024**3 / 1e12, "TFLOP/s", lambda: a @ b,
    )  # fmt: skip
    q, k, v = bf(1, 32, 4096, 128), bf(1, 8, 4096, 128), bf(1, 8, 4096, 128)
    yield Case(
        "attention, causal, 4096", attention.prefill,
        (torch.empty_like(q), q, k, v, 128**-0.5, 4, fh.choose(32, 64, 128)), 2 * 32 * 4096**2 * 128 / 1e12, "TFLOP/s",
        lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True),
    )  # fmt: skip
    q, k, v = bf(32, 8, 4, 128), bf(32, 8, 8192, 128), bf(32, 8, 8192, 128)
    yield Case(
        "attention, decode, batch 32, 8192", attention.decode,
        (torch.empty_like(q), q, k, v, 8192, 128**-0.5, fh.choose(32, 64, 128)), 4 * k.numel() / 1e12, "TB/s",
        lambda: F.scaled_dot_product_attention(q, k, v),
    )  # fmt: skip


def tried(case: Case, most: int) -> list[tuple[str, Any]]:
    """At most so many schedules of a case that can be launched, ready to run."""
    found = case.kernel.choice(case.arguments, {}, None)
    assert found is not None
    candidates = Candidates(found.problem, case.kernel.verified)
    first, meaning = candidates.first()
    hinted = PRODUCT_HINTS if first.profile.multiplies else HINTS
    space = [
        replace(one.schedule, hints=h, known=known)
        for c in candidates.all(first, meaning)
        for one in (c, candidates.persistent(c))
        if one is not None
        for known in dict.fromkeys((candidates.known(c), ()))
        for h in hinted
    ]
    space = random.Random(1).sample(space, min(most, len(space)))

    def ready(schedule: Any) -> tuple[str, Any] | None:
        try:
            kernel = case.kernel.with_hints(**schedule.hints) if schedule.hints else case.kernel
            return str(schedule), kernel.bind(*found.problem.arguments(found.arguments, schedule))
        except fh.Rejected:
            return None

    with ThreadPoolExecutor() as threads:
        return [one for one in threads.map(ready, space) if one is not None]


def compared(torch: Any, case: Case, most: int) -> list[Row]:
    """The choice against the best of its search, and against torch."""
    began = time.perf_counter()
    chosen = case.kernel.bind(*case.arguments)
    took = time.perf_counter() - began
    written = case.arguments[0]
    written.fill_(float("nan"))
    chosen.sync()
    if case.rival is not None and case.exact:
        expected = case.rival().float()
        error = ((written.float() - expected).norm() / expected.norm()).item()
        if not error <= 2e-2:
            raise AssertionError(f"{case.name}: relative error {error:.1e}")
    repeat = max(1, min(50, round(1e-3 / quickly(torch, chosen.on))))

    def graph(function: Callable[[], Any]) -> Callable[[], Any]:
        return recorded(torch, function, repeat)

    others = tried(case, most)
    once = [(quickly(torch, graph(bound.on)), said, bound) for said, bound in others]
    once.sort(key=lambda one: one[0])
    finalists = [(said, graph(bound.on)) for _, said, bound in once[:4]]
    taken = [(statistics.median(quickly(torch, again) for _ in range(3)), said, again) for said, again in finalists]
    _, said, best = min(taken, key=lambda one: one[0])
    ours = graph(chosen.on)
    rivals = [("best of the search", best)] + ([] if case.rival is None else [("torch", graph(case.rival))])
    made = case.kernel.choice(case.arguments, {}, None)
    print(f"{case.name}: {made.chosen.schedule} in {took:.1f} s; the best of {len(others)}: {said}", file=sys.stderr)
    return [against(torch, case, ours, function, name, repeat) for name, function in rivals]


def quickly(torch: Any, function: Callable[[], Any]) -> float:
    """Seconds of a call, of a few."""
    function()
    return min(seconds(torch, function, 1) for _ in range(4))


def against(torch: Any, case: Case, ours: Callable[[], Any], theirs: Callable[[], Any], name: str, repeat: int) -> Row:
    """Graphs of so many calls of both, in turns."""
    for function in (ours, theirs):
        seconds(torch, function, 1)
    pairs = [(seconds(torch, ours, 1) / repeat, seconds(torch, theirs, 1) / repeat) for _ in range(PAIRS)]
    ratios = sorted(b / a for a, b in pairs)
    mine, other = (statistics.median(p[n] for p in pairs) for n in (0, 1))
    mark = ">= 0.90" if name != "torch" else ""
    return Row(
        case.name, case.work / mine, case.work / other, name, case.unit, statistics.median(ratios),
        ratios[-1] - ratios[0], mark,
    )  # fmt: skip


def main(given: Sequence[str] | None = None) -> None:
    """Run the benchmarks and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no further kernel after so long")
    parser.add_argument("--names", metavar="REGEX", default="", help="only kernels whose names it is found in")
    parser.add_argument("--most", type=int, default=MOST, help=f"how many schedules a search tries ({MOST})")
    parser.add_argument("--compile", action="store_true", help="compile what would be timed, and time nothing")
    arguments = parser.parse_args(given)
    torch: Any = import_module("torch")  # no dependency of the project
    torch.manual_seed(0)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, freehold {fh.__version__}\n")
    began, rows, left = time.monotonic(), list[Row](), list[str]()
    for case in cases(torch):
        if not re.search(arguments.names, case.name):
            continue
        if arguments.compile:
            case.kernel.bind(*case.arguments)
            tried(case, arguments.most)
            continue
        if time.monotonic() - began > arguments.seconds:
            left.append(case.name)
            continue
        try:
            rows += compared(torch, case, arguments.most)
        except (fh.Rejected, AssertionError) as e:
            print(f"{case.name}: {str(e).splitlines()[0]}", file=sys.stderr)
    show(rows, arguments.json)
    searched = [row.ratio for row in rows if row.mark and row.ratio is not None]
    if searched:
        print(f"\nto the best of a search: median {statistics.median(searched):.3f}, least {min(searched):.3f}")
    if left:
        print(f"not begun: {', '.join(left)}")


if __name__ == "__main__":
    main()
