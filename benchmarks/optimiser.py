"""What each pass of the optimiser is worth: `python -m benchmarks.optimiser [--json FILE] [--cubins] [--budget S]`.

Kernels as users write them, compiled with all passes and without one of them, and timed in turns on a GPU; above 1, the
pass is worth it. Results of both are compared first. With `--cubins` nothing is timed, and no GPU is needed: it shows
instructions, registers and shared memory of both.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from importlib import import_module
from typing import Any, NamedTuple
from unittest.mock import patch

import ml_dtypes
import numpy as np
from examples.kernels.attention import decode, prefill

import freehold as fh
from benchmarks.gpu import compare
from benchmarks.kernels import add, gemm
from benchmarks.report import Row, show
from freehold import Const, Out, Ref, f32
from freehold.backend.cubin import resources


def _as_it_is(module: Any, **_: object) -> Any:
    return module


PASSES: dict[str, tuple[str, Callable[..., Any]]] = {
    "split-loops": ("freehold.passes.split_loops.split_loops", _as_it_is),
    "approximate-math": ("freehold.passes.approximate_math.approximate_math", _as_it_is),
    "contract-multiply-add": ("freehold.passes.lowering.contract_multiply_add", _as_it_is),
}
"""Where each pass is called, and what is called in its place where it is left out."""


@fh.kernel
def prefill_with_if(
    o: Out["B", "H", "S", "D"],
    q: Ref["B", "H", "S", "D"],
    k: Ref["B", "H // G", "S", "D"],
    v: Ref["B", "H // G", "S", "D"],
    scale: f32,
    G: Const[int],
    TK: Const[int] = 16,
):
    """Causal attention in powers of two that masks where it has to, as cuTile Python's example does."""
    fh.require("H % G == 0")
    b, h, i, _ = o.index
    TQ, D = o.tile[2], o.tile[3]
    queries = q.load_like(o).reshape(TQ, D)
    rows = i * TQ + fh.arange(TQ)
    top = fh.full((TQ, 1), float("-inf"), f32)
    total = fh.zeros((TQ, 1), f32)
    acc = fh.zeros((TQ, D), f32)
    scaled = scale * 1.4426950408889634
    for j in fh.tiles(k, axis=2, size=TK, stop=fh.cdiv((i + 1) * TQ, TK)):
        keys = k.load((b, h // G, j, 0), (1, 1, TK, D)).reshape(TK, D)
        s = fh.mma(queries, keys.T, fh.zeros((TQ, TK), f32))
        if (j + 1) * TK > i * TQ:
            s = fh.where(rows[:, None] >= j * TK + fh.arange(TK)[None, :], s, float("-inf"))
        higher = fh.maximum(top, s.max(axis=1, keepdims=True) * scaled)
        p = fh.exp2(s * scaled - higher)
        fade = fh.exp2(top - higher)
        total = total * fade + p.sum(axis=1, keepdims=True)
        values = v.load((b, h // G, j, 0), (1, 1, TK, D)).reshape(TK, D)
        acc = fh.mma(p.astype(values.dtype), values, acc * fade)
        top = higher
    o.store((acc / total).reshape(o.tile).astype(o.dtype))


@fh.kernel(math="fast")
def softmax(y: Out["M", "N"], x: Ref["M", "N"]):
    """Softmax of rows, each in one tile."""
    t = x.load(y.index, y.tile, padding="-inf").astype(f32)
    e = fh.exp(t - t.max(axis=1, keepdims=True))
    y.store((e / e.sum(axis=1, keepdims=True)).astype(y.dtype))


@fh.kernel(math="fast")
def swiglu(y: Out["M", "N"], gate: Ref["M", "N"], up: Ref["M", "N"]):
    """A product with the sigmoid of a gate."""
    g = gate.load_like(y).astype(f32)
    y.store((g / (1.0 + fh.exp(-g)) * up.load_like(y).astype(f32)).astype(y.dtype))


fast_prefill = fh.kernel(math="fast")(prefill.__wrapped__)


class Case(NamedTuple):
    """A launch, and what it is worth."""

    name: str
    kernel: Any
    output: tuple[int, ...]
    tile: tuple[int, ...]
    inputs: tuple[tuple[int, ...], ...]
    rest: tuple[Any, ...]
    work: float
    """Operations, or bytes, in units of `unit` times a second."""
    unit: str
    dtype: str = "bfloat16"


def attention(kernel: Any, length: int, keys: int, warps: int) -> Case:
    """Causal attention of 32 heads of queries and 8 of keys, of 128 elements."""
    queries, others = (16384 // length, 32, length, 128), (16384 // length, 8, length, 128)
    work = 4 * 16384 * length / 2 * 32 * 128 / 1e12
    how = ", fast" if kernel.options.math == "fast" else ""
    name = f"{kernel.__name__}{how}, {length}, tiles of {keys} keys, {warps} warps"
    hinted = kernel.with_hints(num_worker_warps=warps)
    rest = (128**-0.5, 4, keys)
    return Case(name, hinted, queries, (1, 1, 128, 128), (queries, others, others), rest, work, "TFLOP/s")


def cases() -> Iterator[Case]:
    """Launches, those first that are told most by."""
    for length in (16384, 4096):
        for kernel in (prefill, prefill_with_if, fast_prefill):
            for keys, warps in ((128, 8), (64, 4)):
                yield attention(kernel, length, keys, warps)
    rows = (16384, 4096)
    work = 2 * 2 * 16384 * 4096 / 1e12
    yield Case("softmax, fast", softmax.with_hints(occupancy=6), rows, (1, 4096), (rows,), (), work, "TB/s")
    wide = (16384, 12288)
    work = 3 * 2 * 16384 * 12288 / 1e12
    yield Case("SwiGLU, fast", swiglu, wide, (1, 4096), (wide, wide), (), work, "TB/s")
    cache = (32, 8, 8192, 128)
    few = (32, 8, 16, 128)
    work = 2 * 32 * 8 * 8192 * 128 * 2 / 1e12
    for occupancy in (1, 4):
        hinted = decode.with_hints(occupancy=occupancy)
        name = f"decode, 8192 positions, occupancy {occupancy}"
        yield Case(name, hinted, few, (1, 1, 16, 128), (few, cache, cache), (8192, 128**-0.5, 64), work, "TB/s")
    square = (4096, 4096)
    yield Case(
        "GEMM, 4096^3", gemm.with_hints(num_worker_warps=8), square, (128, 256), (square, square), (), 0.137, "TFLOP/s"
    )
    line = (1 << 26,)
    yield Case("add", add, line, (512,), (line, line), (), 12 * line[0] / 1e12, "TB/s", "float32")


@contextmanager
def without(name: str) -> Generator[None]:
    """Leaves a pass out of what is compiled meanwhile."""
    where, instead = PASSES[name]
    with patch(where, instead):
        yield


def fresh(case: Case) -> Any:
    """The kernel, which has not been compiled."""
    return case.kernel.with_hints()


def cubin_rows(name: str) -> Iterator[str]:
    """What is different in the cubins of the kernels with a pass."""
    for case in cases():
        dtype = getattr(ml_dtypes, case.dtype, None) or np.dtype(case.dtype)

        def cubin(case: Case = case, dtype: Any = dtype) -> bytes:
            small = [tuple(min(n, 256) for n in shape) for shape in (case.output, *case.inputs)]
            output, *inputs = (np.zeros(shape, dtype) for shape in small)
            return fresh(case).compile(fh.partition(output, case.tile), *inputs, *case.rest, arch="sm_90").cubin

        ours = cubin()
        with without(name):
            theirs = cubin()
        if ours == theirs:
            yield f"{name}: {case.name}: the same"
            continue
        with_it, without_it = (
            f"{r.code // 16} instructions, {r.registers} registers, {r.shared} B shared, {r.local_stores} spilled"
            for r in (resources(code)[0] for code in (ours, theirs))
        )
        yield f"{name}: {case.name}: {with_it}; without: {without_it}"


def timed_rows(torch: Any, budget: float) -> Iterator[Row]:
    """Every case with each pass against it without."""
    until = time.monotonic() + budget
    arrays = [
        [torch.randn(s, device="cuda").to(getattr(torch, c.dtype)) for s in (c.output, *c.inputs)] for c in cases()
    ]
    compiled: dict[str, list[Any]] = {}
    cubins: dict[str, list[bytes]] = {}
    if not fh.gpu_available():  # which also loads the driver's library, before threads do
        raise SystemExit("there is no GPU")
    with ThreadPoolExecutor() as pool:
        for name in ("", *PASSES):
            with without(name) if name else nullcontext():
                made = list(pool.map(_compiled, cases(), arrays))
                compiled[name], cubins[name] = [k for k, _ in made], [code for _, code in made]
    for number, case in enumerate(cases()):
        _, *inputs = arrays[number]

        def launcher(name: str, case: Case = case, number: int = number, inputs: list[Any] = inputs) -> Any:
            output = torch.full(case.output, float("nan"), device="cuda", dtype=getattr(torch, case.dtype))
            kernel, part = compiled[name][number], fh.partition(output, case.tile)
            kernel(part, *inputs, *case.rest).sync()
            return output, lambda: kernel(part, *inputs, *case.rest).on()

        wanted, ours = launcher("")
        for name in PASSES:
            if cubins[name][number] == cubins[""][number]:
                continue
            found, theirs = launcher(name)
            error = ((wanted.float() - found.float()).norm() / found.float().norm()).item()
            if not error <= 1e-2:
                raise AssertionError(f"{case.name}: {name} changes results, relative error {error:.1e}")
            yield compare(
                torch, case.name, ours, theirs, work=case.work, unit=case.unit, rival=f"without {name}", repeat=3
            )
            if time.monotonic() > until:
                return


def _compiled(case: Case, arrays: list[Any]) -> tuple[Any, bytes]:
    """The kernel, compiled for these arrays, the first of which is the output; and its cubin."""
    kernel, (output, *inputs) = fresh(case), arrays
    return kernel, kernel.compile(fh.partition(output, case.tile), *inputs, *case.rest).cubin


def main() -> None:
    """Run the benchmark and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    parser.add_argument("--cubins", action="store_true", help="compare cubins, and time nothing")
    parser.add_argument("--budget", type=float, default=600, help="begin no comparison after so many seconds")
    arguments = parser.parse_args()
    os.environ["FREEHOLD_CACHE_DIR"] = ""  # what is left out of a compilation is not part of its key
    if arguments.cubins:
        for name in PASSES:
            for line in cubin_rows(name):
                print(line)
        return
    torch: Any = import_module("torch")  # no dependency of the project
    torch.manual_seed(0)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, freehold {fh.__version__}\n")
    rows: list[Row] = []
    for row in timed_rows(torch, arguments.budget):
        rows.append(row)
        print(f"{row.work}, {row.rival_name}: {row.ours:.4g} {row.unit}, ratio {row.ratio:.3f}", flush=True)
    show(rows, arguments.json)


if __name__ == "__main__":
    main()
