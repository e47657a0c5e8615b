"""
How long kernels take from Python to bytecode, against cuTile Python: `python -m benchmarks.frontend [--json FILE]`.

Six kernels, each written for both (ours are what users would write; the rival's are in `rival_frontend`), compiled in
turns in one process that has compiled them before. Times are CPU time, and each is that of the whole way from the
function to bytecode: for ours with every proof, and without warnings (O150), which are looked for while the assembler
works. What either keeps of a kernel from one compilation to the next is dropped before each; needs no GPU. Nests of one
to six loops show that depth costs no more than loops do. The rival is the PyPI package cuda-tile (the extra `bench`).
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from examples.kernels import attention

import freehold as fh
from benchmarks import kernels
from benchmarks.report import Row, against, cpu, show
from freehold.frontend.source import KernelFunction
from freehold.passes.analysis.facts import KernelFacts
from freehold.runtime.variants import build
from freehold.support.sources import register_source


class Case(NamedTuple):
    """A kernel, and the arguments that it is compiled for."""

    name: str
    kernel: Any
    arguments: tuple[Any, ...]
    mark: str = "ratio >= 1"


def cases() -> list[Case]:
    """The kernels, in tiles of the sizes that the rival's are given."""

    def array(*shape: int, dtype: Any = np.float16) -> Any:
        return np.zeros(shape, dtype)

    f32, i32 = np.float32, np.int32
    line, square, rows = array(1 << 16, dtype=f32), array(256, 256), array(64, 2048, dtype=f32)
    moments = fh.partition(array(64, dtype=f32), 4), fh.partition(array(64, dtype=f32), 4)
    weights = array(2048, dtype=f32), array(2048, dtype=f32)
    queries, keys = array(1, 8, 256, 128), array(1, 2, 256, 128)
    experts = array(256, 256), array(4, 256, 256), array(256, dtype=i32), array(2, dtype=i32)
    return [
        Case("add", kernels.add, (fh.partition(line, 1024), line.copy(), line.copy())),
        Case("saxpy", kernels.saxpy, (fh.partition(line, 1024), line.copy(), 2.0), "<= 8 ms"),
        Case("softmax", kernels.softmax, (fh.partition(rows, (4, 1024), owned=1), rows.copy())),
        Case(
            "layer norm",
            kernels.layer_norm,
            (fh.partition(rows, (4, 1024), owned=1), *moments, rows.copy(), *weights, 1e-5),
        ),
        Case(
            "GEMM", kernels.gemm, (fh.partition(square, (128, 256), order=fh.grouped(8)), square.copy(), square.copy())
        ),
        Case(
            "attention",
            attention.prefill,
            (fh.partition(queries, (1, 1, 128, 128)), queries.copy(), keys, keys.copy(), 0.1, 4, 64),
        ),
        Case("MoE", kernels.experts_gemm, (fh.partition(square, (128, 128)), *experts)),
        *(
            Case(f"loops {depth} deep", nest(depth), (fh.partition(line, 1024), 3), "linear in the depth")
            for depth in range(1, 7)
        ),
    ]


def nest(depth: int) -> Any:
    """A kernel of loops in each other, the innermost of which makes a float of the number that all of them carry."""
    loops = [f"{'    ' * (n + 1)}for i{n} in range(n):" for n in range(depth)]
    turn = "    " * (depth + 1) + "total = total + 0.5"
    header = ["def nested(y: Out['N'], n: i32):", "    total = 0"]
    text = "\n".join([*header, *loops, turn, "    y.store(total)", ""])
    file = f"<nest of {depth}>"
    register_source(file, text)
    names: dict[str, Any] = {"Out": fh.Out, "i32": fh.i32}
    exec(compile(text, file, "exec"), names)
    return fh.kernel(names["nested"])


def forgetful(package: str) -> Callable[[], None]:
    """
    A function that empties every cache of a package's modules that may hold something about a kernel.

    Those are the bounded ones; `functools.cache` holds what is known of the package's own classes.
    """
    found: dict[int, Any] = {}
    for name, module in list(sys.modules.items()):
        if name == package or name.startswith(package + "."):
            for value in vars(module).values():
                holder: Any = vars(value).values() if isinstance(value, type) else [value]
                for item in holder:
                    if hasattr(item, "cache_clear") and item.cache_parameters()["maxsize"] is not None:
                        found[id(item)] = item
    caches = list(found.values())

    def forget() -> None:
        for cache in caches:
            cache.cache_clear()

    return forget


def compiler(case: Case) -> Callable[[], bytes]:
    """All of Freehold's compiler, from the function to bytecode."""
    function: FunctionType = case.kernel.function.function
    specialisation = case.kernel.bound(*case.arguments).specialisation
    options = case.kernel.options

    def compile_once() -> bytes:
        facts: list[KernelFacts] = []
        module = build.optimised(
            build.verified(KernelFunction(function), specialisation, options, facts=facts), facts=facts
        )
        build.contract_of(module)
        return build.bytecode(module, options)

    return compile_once


def rivals() -> dict[str, Callable[[], bytes]]:
    """The same kernels in cuda-tile; nothing where it is not installed."""
    try:
        from benchmarks.rival_frontend import frontends
    except ImportError:
        return {}
    return frontends()


def fresh(compile_once: Callable[[], bytes], forget: Callable[[], None]) -> Callable[[], float]:
    """Seconds of CPU time of a compilation that finds nothing of an earlier one."""

    def measured() -> float:
        forget()
        gc.collect()
        return cpu(compile_once)

    return measured


def rows(times: int) -> list[Row]:
    """A row for each kernel."""
    theirs = rivals()
    made = [(case, compiler(case)) for case in cases()]
    for case, ours in made:  # which loads what is loaded once
        for compile_once in filter(None, (ours, theirs.get(case.name))):
            if not compile_once():
                raise AssertionError(f"no bytecode of {case.name}")
    forget, forget_theirs = forgetful("freehold"), forgetful("cuda.tile")
    return [
        against(
            f"{case.name}, Python to bytecode",
            fresh(ours, forget),
            fresh(theirs[case.name], forget_theirs) if case.name in theirs else None,
            "cuda-tile",
            times=times,
            mark=case.mark,
        )
        for case, ours in made
    ]


def main() -> None:
    """Run the benchmark and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    parser.add_argument("--times", type=int, default=25, help="how often each kernel is compiled")
    arguments = parser.parse_args()
    found = rows(arguments.times)
    show(found, arguments.json)
    if ratios := [row.ratio for row in found if row.ratio is not None]:
        print(f"\nratio: CPU time of cuda-tile by ours, the median of pairs; smallest {min(ratios):.2f}")


if __name__ == "__main__":
    main()
