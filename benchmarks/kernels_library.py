"""
The library's functions on a GPU against torch, eager and compiled, and Triton: `python -m benchmarks.kernels_library`.

Each result is compared with one in higher precision before anything is timed; what is wrong is not timed, and said in
the end. Inputs are random, and larger than the L2 cache where a function is bound by memory. Rivals are timed in turns,
and the ratio is taken turn by turn: above 1 means that Freehold is faster. `--plot FILE` draws all that was timed.

It may be done in pieces: `--seconds` begins nothing after so many, and what stands in `--json FILE` is not timed again.
`--prepare 8` has all of it compiled by 8 processes, rivals too, and times nothing.
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
from pathlib import Path
from time import perf_counter
from typing import Any

import freehold as fh
from benchmarks.attention_works import attention_works, decode_works
from benchmarks.gpu import recorded, repeats, seconds
from benchmarks.report import Row, kept, ratios_of, show, timed, write
from benchmarks.roofline import picture
from benchmarks.works import Work, by_processes, bytes_of, gradient
from freehold import kernels

TURNS = 7
"""How many times all rivals are timed."""

LENGTHS = 1024, 2048, 4096, 5120, 8192, 16384, 32768, 65536, 131072, 262144
"""Of rows; there are so many of them that they have 67 million elements, or 84."""

PEAKS = {"bf16": 989.5, "fp8": 1979.0}
"""What an H200's tensor cores do at most, in TFLOP/s, as its maker says."""


def row_works(torch: Any) -> Iterator[Work]:
    """Functions along rows, and element by element."""
    F = torch.nn.functional

    def randn(*shape: int, dtype: Any = torch.bfloat16) -> Any:
        return torch.randn(*shape, device="cuda").to(dtype)

    for n in LENGTHS:
        m = 16384 if n == 5120 else (1 << 26) // n
        x, w, b = randn(m, n), randn(n), randn(n)
        size = bytes_of(x, x)
        what = f"bf16 {m} x {n}"
        rms = Work(f"rms_norm {what}", kernels.rms_norm, lambda x, w: F.rms_norm(x, w.shape, w, 1e-6), (x, w), size)
        yield rms._replace(triton="rms_norm")
        yield Work(f"softmax {what}", kernels.softmax, lambda x: torch.softmax(x, -1), (x,), size, triton="softmax")
        layer = Work(
            f"layer_norm {what}", kernels.layer_norm, lambda x, w, b: F.layer_norm(x, w.shape, w, b), (x, w, b), size
        )
        yield layer._replace(triton="layer_norm")
        target = torch.randint(0, n, (m,), device="cuda")
        yield Work(f"cross_entropy {what}", kernels.cross_entropy, F.cross_entropy, (x, target), bytes_of(x))
        if n == 4096:
            r = randn(m, n)
            yield Work(
                f"add_rms_norm {what}",
                kernels.add_rms_norm,
                lambda x, r, w: (F.rms_norm(x + r, w.shape, w, 1e-6), x + r),
                (x, r, w),
                2 * size,
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
        work = Work(name, kernels.linear, linear, (randn(m, k), randn(n, k)), amount, "TFLOP/s", compiled=False)
        yield work._replace(triton="linear")
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


def several(call: Callable[[], Any], repeat: int) -> None:
    """Calls it so many times."""
    for _ in range(repeat):
        call()


def host_gradients(torch: Any) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """Gradients of all tensors of small calls, ours and torch's."""
    F = torch.nn.functional

    def both(ours: Callable[..., Any], theirs: Callable[..., Any], *shapes: tuple[int, ...]) -> Any:
        def one(function: Callable[..., Any]) -> Callable[[], Any]:
            with torch.enable_grad():
                given = [torch.randn(shape, device="cuda", dtype=torch.bfloat16).requires_grad_() for shape in shapes]
                y = function(*given)
            dy = torch.randn_like(y)
            return lambda: torch.autograd.grad(y, given, dy, retain_graph=True)

        return one(ours), one(theirs)

    row, image, window = (256,), (4, 64, 32, 32), (64, 64, 3, 3)
    return {
        "softmax, gradient": both(kernels.softmax, lambda x: x.softmax(-1), (64, 256)),
        "layer_norm, gradients": both(
            kernels.layer_norm, lambda x, w, b: F.layer_norm(x, row, w, b), (64, 256), row, row
        ),
        "group_norm, gradients": both(
            lambda x, w, b: kernels.group_norm(x, 8, w, b),
            lambda x, w, b: F.group_norm(x, 8, w, b),
            image,
            (64,),
            (64,),
        ),
        "linear with bias, gradients": both(kernels.linear, F.linear, (256, 256), (256, 256), row),
        "conv, gradients": both(
            lambda x, w: kernels.conv(x, w, padding=1), lambda x, w: F.conv2d(x, w, padding=1), image, window
        ),
    }


def host_works(torch: Any) -> Iterator[Row]:
    """What a call costs the host, in microseconds, where the GPU has next to nothing to do."""
    F = torch.nn.functional
    x, w = torch.randn(64, 256, device="cuda"), torch.randn(256, device="cuda")
    pairs = {
        "rms_norm": (lambda: kernels.rms_norm(x, w), lambda: F.rms_norm(x, w.shape, w, 1e-6)),
        "softmax": (lambda: kernels.softmax(x), lambda: torch.softmax(x, -1)),
        "swiglu": (lambda: kernels.swiglu(x, x), lambda: F.silu(x) * x),
        "linear": (lambda: kernels.linear(x, x), lambda: F.linear(x, x)),
        **host_gradients(torch),
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


def rivals_of(torch: Any, work: Work, compile_too: bool, triton_too: bool) -> dict[str, Callable[..., Any]]:
    """The ways of others, by their names."""
    rivals = {"torch": work.theirs}
    if compile_too and work.compiled:
        torch.compiler.reset()
        rivals["torch.compile"] = torch.compile(work.theirs, dynamic=False)
    if triton_too and work.triton:
        rivals["Triton"] = getattr(import_module("benchmarks.rival_triton"), work.triton)
    return rivals


def measured(torch: Any, work: Work, rivals: dict[str, Callable[..., Any]]) -> Iterator[Row]:
    """Times all rivals in turns: a row for each of them."""
    functions = [work.ours, *rivals.values()]
    once = [seconds(torch, lambda f=f: f(*work.tensors), 3) for f in functions * 2][-len(functions) :]
    repeat = repeats(min(once))
    replays: list[Callable[[], Any]] = []
    for f in functions:
        call = partial(f, *work.tensors)
        replays.append(recorded(torch, call, repeat) if work.recorded else partial(several, call, repeat))
    turns = [[seconds(torch, replay, 1, not work.recorded) / repeat for replay in replays] for _ in range(TURNS)]
    ours = work.amount / statistics.median(t[0] for t in turns)
    intensity = None
    if work.unit == "TFLOP/s":
        result = work.ours(*work.tensors)
        results = result if isinstance(result, tuple) else (result,)
        intensity = work.amount / bytes_of(*work.tensors, *results)
    for n, name in enumerate(rivals, 1):
        ratios = sorted(t[n] / t[0] for t in turns)
        rival = work.amount / statistics.median(t[n] for t in turns)
        spread, ratio = ratios[-1] - ratios[0], statistics.median(ratios)
        yield Row(work.name, ours, rival, name, work.unit, ratio, spread, intensity=intensity)


COPY = "copy of 2^26 bf16"
"""What a copy is called. It is as large as the rows are; more than that a graph copies more slowly than a kernel."""


def copied(torch: Any) -> Row:
    """How fast a copy is, in TB/s: what rows that are read and written once are held against."""
    x = torch.randn(1 << 26, device="cuda").bfloat16()
    y = torch.empty_like(x)
    replay = recorded(torch, lambda: y.copy_(x), 20)
    found = sorted(2 * bytes_of(x) / (seconds(torch, replay, 1) / 20) for _ in range(TURNS))
    return Row(COPY, found[TURNS // 2], None, None, "TB/s", None, (found[-1] - found[0]) / found[TURNS // 2])


def all_works(torch: Any, jobs: int = 1, part: int = 0) -> Iterator[Work]:
    """All works, or those of one of so many jobs, which are as many of each kind, or all of a kind."""
    more: Any = import_module("benchmarks.kernels_more")
    for works in (row_works, product_works, attention_works, partial(attention_works, causal=False)):
        yield from (work for n, work in enumerate(works(torch)) if n % jobs == part)
    for n, works in enumerate((decode_works, *more.FAMILIES)):
        if n % jobs == part:
            yield from works(torch)


def is_asked_for(work: str, only: str) -> bool:
    """Whether a work's name has one of these parts, with commas between them, in it."""
    return any(part in work for part in only.split(","))


def prepared(part: int, arguments: argparse.Namespace) -> list[str]:
    """Has the works of one job compiled, as long as there is time: their names."""
    torch: Any = import_module("torch")
    begun, names = perf_counter(), list[str]()
    with torch.no_grad():
        for work in all_works(torch, arguments.prepare, part):
            if perf_counter() - begun > arguments.seconds:
                break
            if not is_asked_for(work.name, arguments.only):
                continue
            try:
                rivals = rivals_of(torch, work, not arguments.no_compile, not arguments.no_triton)
                for function in (work.ours, *rivals.values()):
                    function(*work.tensors)
                torch.cuda.synchronize()
                names.append(work.name)
            except Exception as e:  # the others are wanted, too
                print(f"{work.name}: {e}", flush=True)
    return names


def prepare(arguments: argparse.Namespace) -> list[str]:
    """Has all works compiled by several processes: their names."""
    names = [name for part in by_processes(prepared, arguments) for name in part]
    print(f"{len(names)} prepared", flush=True)
    return names


def parsed() -> argparse.Namespace:
    """What is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too; what it has is not timed again")
    parser.add_argument("--plot", metavar="FILE", help="draw the rows there, as SVG")
    parser.add_argument("--only", default="", help="only functions whose name has one of these in it, with commas")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin nothing after so many")
    parser.add_argument("--prepare", type=int, metavar="JOBS", help="only compile, by so many processes")
    parser.add_argument("--no-times", action="store_true", help="only see that results are right")
    parser.add_argument("--no-compile", action="store_true", help="leave torch.compile out")
    parser.add_argument("--no-triton", action="store_true", help="leave Triton out")
    return parser.parse_args()


def main() -> None:
    """Run the benchmarks and print the table."""
    arguments = parsed()
    if arguments.prepare:
        prepare(arguments)
        return
    torch: Any = import_module("torch")  # no dependency of the project
    torch.manual_seed(0)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, freehold {fh.__version__}\n")
    rows = run(torch, arguments, kept(arguments.json))
    if rows:
        show(rows, arguments.json)
        print(ratios_of(rows))
        if arguments.plot:
            copy = next((row.ours for row in rows if row.work == COPY), 4.0)
            Path(arguments.plot).write_text(picture(rows, copy, PEAKS), encoding="utf-8")


def run(torch: Any, arguments: argparse.Namespace, rows: list[Row]) -> list[Row]:
    """The rows that there were, and those of works that had none; what is wrong is printed, and ends the program."""
    begun, known = perf_counter(), {row.work for row in rows}
    wrong: list[str] = []
    if COPY not in known and not arguments.no_times:
        rows.append(copied(torch))
    for work in all_works(torch):
        if perf_counter() - begun > arguments.seconds:
            break
        if not is_asked_for(work.name, arguments.only) or work.name in known:
            continue
        try:
            with torch.no_grad():
                right(torch, work)
                if arguments.no_times:
                    continue
                found = list(
                    measured(torch, work, rivals_of(torch, work, not arguments.no_compile, not arguments.no_triton))
                )
        except Exception as e:  # the others are told, too
            wrong.append(f"{work.name}: {e}")
            continue
        rows += found
        if arguments.json:
            write(rows, arguments.json)
        ratios = ", ".join(f"{row.ratio:.3f} to {row.rival_name}" for row in found)
        print(f"{work.name}: {found[0].ours:.2f} {work.unit}, {ratios}", flush=True)
    if arguments.only in "host" and not arguments.no_times and perf_counter() - begun < arguments.seconds:
        rows = [row for row in rows if not row.work.startswith("host: ")] + list(host_works(torch))
    if wrong:
        show(rows, arguments.json)
        raise SystemExit("\n".join(wrong))
    return rows


if __name__ == "__main__":
    main()
