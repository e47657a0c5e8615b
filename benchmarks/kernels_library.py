"""
The library's functions on a GPU against torch, eager and compiled: `python -m benchmarks.kernels_library [--only rms]`.

Each result is compared with one in higher precision before anything is timed; what is wrong is not timed, and said in
the end. Inputs are random, and larger than the L2 cache where a function is bound by memory. Rivals are timed in turns,
and the ratio is taken turn by turn: above 1 means that Freehold is faster.
"""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any

import freehold as fh
from benchmarks.attention_works import attention_works, decode_works
from benchmarks.gpu import seconds
from benchmarks.report import Row, show, timed
from benchmarks.works import Work, bytes_of, gradient
from freehold import kernels

TURNS = 7
"""How many times all rivals are timed."""


def row_works(torch: Any) -> Iterator[Work]:
    """Functions along rows, and element by element."""
    F = torch.nn.functional

    def randn(*shape: int, dtype: Any = torch.bfloat16) -> Any:
        return torch.randn(*shape, device="cuda").to(dtype)

    for m, n in ((16384, 4096), (16384, 5120), (65536, 1024), (4096, 16384), (1024, 65536)):
        x, w, b = randn(m, n), randn(n), randn(n)
        size = bytes_of(x, x)
        what = f"bf16 {m} x {n}"
        yield Work(f"rms_norm {what}", kernels.rms_norm, lambda x, w: F.rms_norm(x, w.shape, w, 1e-6), (x, w), size)
        yield Work(f"softmax {what}", kernels.softmax, lambda x: torch.softmax(x, -1), (x,), size)
        if n == 4096:
            r = randn(m, n)
            yield Work(
                f"add_rms_norm {what}",
                kernels.add_rms_norm,
                lambda x, r, w: (F.rms_norm(x + r, w.shape, w, 1e-6), x + r),
                (x, r, w),
                2 * size,
            )
            yield Work(
                f"layer_norm {what}",
                kernels.layer_norm,
                lambda x, w, b: F.layer_norm(x, w.shape, w, b),
                (x, w, b),
                size,
            )
            yield gradient(
                f"rms_norm {what} backward",
                kernels.rms_norm,
                lambda x, w: F.rms_norm(x, w.shape, w, 1e-6),
                (x, w),
                randn(m, n),
                1.5 * size,
                torch,
            )
    gate, up = randn(16384, 12288), randn(16384, 12288)
    size = bytes_of(gate, up, gate)
    yield Work("swiglu bf16 16384 x 12288", kernels.swiglu, lambda g, u: F.silu(g) * u, (gate, up), size)
    logits, target = randn(4096, 151936), torch.randint(0, 151936, (4096,), device="cuda")
    yield Work(
        "cross_entropy bf16 4096 x 151936", kernels.cross_entropy, F.cross_entropy, (logits, target), bytes_of(logits)
    )
    x, angle = randn(4, 4096, 32, 128), randn(4096, 64, dtype=torch.float32)
    yield Work(
        "rope bf16 4 x 4096 x 32 x 128", kernels.rope, rotated(torch), (x, angle.cos(), angle.sin()), bytes_of(x, x)
    )
    table, ids = randn(151936, 4096), torch.randint(0, 151936, (16384,), device="cuda")
    amount = 2 * 16384 * 4096 * 2 / 1e12
    yield Work("embedding bf16 16384 of 151936 x 4096", kernels.embedding, F.embedding, (ids, table), amount)


def rotated(torch: Any) -> Callable[..., Any]:
    """Rotary embedding as models write it."""

    def function(x: Any, cos: Any, sin: Any) -> Any:
        a, b = x.float().chunk(2, -1)
        cos, sin = cos[:, None], sin[:, None]
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1).to(x.dtype)

    return function


SQUARES = 1024, 2048, 4096, 8192, 16384
OF_TRANSFORMERS = (
    *((4096, 12288, 4096), (4096, 4096, 12288), (4096, 6144, 4096), (8192, 4096, 4096), (2048, 24576, 4096)),
    *((512, 12288, 4096), (256, 4096, 12288), (128, 12288, 4096)),
)
"""Rows, columns, and the length of what is added up, of layers with 128 tokens to 8192."""
ODD = (1000, 3000, 2000), (4104, 4104, 4104), (1536, 3080, 1544), (777, 3333, 2049)
OF_QWEN3 = {
    "0.6B": ((4096, 1024), (1024, 2048), (6144, 1024), (1024, 3072)),
    "1.7B": ((4096, 2048), (2048, 2048), (12288, 2048), (2048, 6144)),
    "4B": ((6144, 2560), (2560, 4096), (19456, 2560), (2560, 9728)),
    "8B": ((6144, 4096), (4096, 4096), (24576, 4096), (4096, 12288), (151936, 4096)),
    "14B": ((7168, 5120), (5120, 5120), (34816, 5120), (5120, 17408)),
    "32B": ((10240, 5120), (5120, 8192), (51200, 5120), (5120, 25600)),
}
"""The matrices of a layer, by which each token's vector is multiplied: rows and columns."""


def product_works(torch: Any) -> Iterator[Work]:
    """Matrix products."""
    linear = torch.nn.functional.linear

    def randn(*shape: int) -> Any:
        return torch.randn(*shape, device="cuda").bfloat16()

    for m, n, k in (*((n, n, n) for n in SQUARES), *OF_TRANSFORMERS, *ODD, (16, 4096, 4096)):
        amount = 2 * m * n * k / 1e12
        name = f"linear bf16 {m} x {n} x {k}"
        yield Work(name, kernels.linear, linear, (randn(m, k), randn(n, k)), amount, "TFLOP/s", compiled=False)
    for model, shapes in OF_QWEN3.items():
        for n, k in shapes:
            yield vectors(f"linear bf16 1 x {n} x {k} ({model})", linear, randn(1, k), randn, n)


def vectors(name: str, linear: Callable[..., Any], x: Any, randn: Callable[..., Any], n: int) -> Work:
    """A vector times so many matrices after one another that they do not fit the L2 cache."""
    k = x.shape[1]
    count = max(1, min(64, 200_000_000 // (2 * n * k)))
    matrices = [randn(n, k) for _ in range(count)]

    def by(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda x, *matrices: tuple(function(x, w) for w in matrices)

    return Work(name, by(kernels.linear), by(linear), (x, *matrices), bytes_of(*matrices), compiled=False)


def right(torch: Any, work: Work) -> None:
    """Raises `AssertionError` where a result is not what torch computes in higher precision, if it can."""
    found: Any = work.ours(*work.tensors)
    large = sum(t.numel() for t in work.tensors) > 1 << 27
    dtype = torch.float32 if large or work.unit != "TB/s" else torch.float64
    given = work.tensors
    if work.widened and "attention" not in work.name:  # whose rivals have 16 bits alone
        given = [t.to(dtype) if t.is_floating_point() else t for t in given]
    wanted: Any = work.theirs(*given)
    pairs: Any = zip(found, wanted, strict=True) if isinstance(found, tuple) else [(found, wanted)]
    for ours, theirs in pairs:
        error = ((ours.float() - theirs.float()).norm() / theirs.float().norm()).item()
        if not error <= work.bound:
            raise AssertionError(f"{work.name}: relative error {error:.1e}")


def recorded(torch: Any, function: Callable[[], Any], repeat: int) -> Callable[[], Any]:
    """A graph of so many calls: what is timed is the GPU, and not the host."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        function()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(repeat):
            function()
    graph.replay()
    return graph.replay


def several(call: Callable[[], Any], repeat: int) -> None:
    """Calls it so many times."""
    for _ in range(repeat):
        call()


def host_works(torch: Any) -> Iterator[Row]:
    """What a call costs the host, in microseconds, where the GPU has next to nothing to do."""
    F = torch.nn.functional
    x, w = torch.randn(64, 256, device="cuda"), torch.randn(256, device="cuda")
    pairs = {
        "rms_norm": (lambda: kernels.rms_norm(x, w), lambda: F.rms_norm(x, w.shape, w, 1e-6)),
        "softmax": (lambda: kernels.softmax(x), lambda: torch.softmax(x, -1)),
        "swiglu": (lambda: kernels.swiglu(x, x), lambda: F.silu(x) * x),
        "linear": (lambda: kernels.linear(x, x), lambda: F.linear(x, x)),
    }
    for name, both in pairs.items():
        found: list[float] = []
        for call in both:
            for _ in range(20):
                call()
            torch.cuda.synchronize()
            found.append(min(timed(call, 100) for _ in range(10)) * 1e6)
            torch.cuda.synchronize()
        yield Row(f"host: {name}", found[0], found[1], "torch", "us", found[1] / found[0], 0.0)


def measured(torch: Any, work: Work, compile_too: bool) -> Iterator[Row]:
    """Times all rivals in turns: a row for each of them."""
    rivals = {"torch": work.theirs}
    if compile_too and work.compiled:
        torch.compiler.reset()
        rivals["torch.compile"] = torch.compile(work.theirs)
    functions = [work.ours, *rivals.values()]
    once = [seconds(torch, lambda f=f: f(*work.tensors), 3) for f in functions * 2][-len(functions) :]
    repeat = max(2, min(50, int(4e-3 / min(once))))
    replays: list[Callable[[], Any]] = []
    for f in functions:
        call = partial(f, *work.tensors)
        replays.append(recorded(torch, call, repeat) if work.recorded else partial(several, call, repeat))
    turns = [[seconds(torch, replay, 1) / repeat for replay in replays] for _ in range(TURNS)]
    ours = work.amount / statistics.median(t[0] for t in turns)
    for n, name in enumerate(rivals, 1):
        ratios = sorted(t[n] / t[0] for t in turns)
        rival = work.amount / statistics.median(t[n] for t in turns)
        spread = ratios[-1] - ratios[0]
        yield Row(work.name, ours, rival, name, work.unit, statistics.median(ratios), spread)


def main() -> None:
    """Run the benchmarks and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    parser.add_argument("--only", default="", help="only functions whose name has one of these in it, with commas")
    parser.add_argument("--no-times", action="store_true", help="only see that results are right")
    parser.add_argument("--no-compile", action="store_true", help="leave torch.compile out")
    arguments = parser.parse_args()
    torch: Any = import_module("torch")  # no dependency of the project
    torch.manual_seed(0)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, freehold {fh.__version__}\n")
    rows: list[Row] = []
    wrong: list[str] = []
    more: Any = import_module("benchmarks.kernels_more")
    for works in (row_works, product_works, attention_works, decode_works, *more.FAMILIES):
        for work in works(torch):
            if any(part in work.name for part in arguments.only.split(",")):
                try:
                    with torch.no_grad():
                        right(torch, work)
                        if arguments.no_times:
                            continue
                        rows += measured(torch, work, not arguments.no_compile)
                except Exception as e:  # the others are told, too
                    wrong.append(f"{work.name}: {e}")
                    continue
                last = rows[-1]
                print(f"{work.name}: {last.ours:.2f} {work.unit}, {last.ratio:.2f} to {last.rival_name}", flush=True)
    if arguments.only in "host" and not arguments.no_times:
        rows += host_works(torch)
    if rows:
        show(rows, arguments.json)
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
