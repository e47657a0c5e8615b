"""
What checks in a kernel cost on a GPU: kernels that read pages which a table names, with checks, without, and with
assertions (`checks="trap"`), and what launches with checks cost the host. Run by `python -m benchmarks.checks`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import freehold as fh
from benchmarks.report import Row, against, show, timed
from freehold import Mut, Out, Ref, f32, i32
from freehold.support.contract import Checks

if TYPE_CHECKING:
    from freehold.runtime.jit.kernel import Kernel
    from freehold.runtime.launch.launch import Launch

REPEAT: Final = 20
"""Launches that are timed together on the GPU."""

RIVALS: Final[tuple[tuple[Checks, str], ...]] = ((False, "unchecked"), ("trap", "assertions"))
"""What checks are compared with."""


def kernels(checks: Checks) -> tuple[Any, Any]:
    """The product over pages, and the sum of pages, with checks of some kind."""

    @fh.kernel(checks=checks)
    def product(o: Out["M", "D"], q: Ref["M", "K"], pages: Ref["P", "S", "D"], table: Ref[i32, "T"]):
        m, d = o.index
        acc = fh.zeros(o.tile, f32)
        for j in range(table.shape[0]):
            page = pages.load((table.load((j,), (1,)).max(), 0, d), (1, 64, o.tile[1])).reshape(64, o.tile[1])
            acc = fh.mma(q.load((m, j), (o.tile[0], 64)), page, acc)
        o.store(acc.astype(o.dtype))

    @fh.kernel(checks=checks)
    def total(y: Out["N"], pages: Ref["M"], table: Ref[i32, "P"]):
        acc = fh.zeros(y.tile, f32)
        for j in range(table.shape[0]):
            acc += pages.load((table.load((j,), (1,)).max(),), (1024,))
        y.store(acc)

    return product, total


@fh.kernel
def plain(y: Mut["N"], x: Ref["N"], n: i32):
    """Adds."""
    y.store(x.load_like(y) + n.astype(f32) + y.load())


@fh.kernel
def checked(y: Mut["N"], x: Ref["N"], n: i32):
    """Adds, and checks something."""
    assert n > 0, "n is positive"
    y.store(x.load_like(y) + n.astype(f32) + y.load())


def seconds(run: Callable[[], object]) -> Callable[[], float]:
    """A function that returns how long the GPU takes for one of several launches."""
    torch: Any = import_module("torch")

    def time() -> float:
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(REPEAT):
            run()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end) / 1e3 / REPEAT

    return time


def rows() -> list[Row]:
    """The table. Needs torch and a GPU."""
    torch: Any = import_module("torch")
    on: dict[str, Any] = {"device": "cuda"}
    o = torch.zeros(4096, 4096, dtype=torch.bfloat16, **on)
    q, pages = torch.randn(4096, 4096, **on).bfloat16(), torch.randn(128, 64, 4096, **on).bfloat16()
    y, flat = torch.zeros(1024 * 528, **on), torch.randn(1024 * 512, **on)
    table = torch.randint(0, 128, (64,), dtype=torch.int32, **on)
    long = torch.randint(0, 512, (2000,), dtype=torch.int32, **on)
    by: dict[Checks, tuple[Any, Any]] = {mode: kernels(mode) for mode in (True, False, "trap")}
    works: dict[str, Callable[[Checks], Launch]] = {
        "product over pages": lambda mode: by[mode][0](fh.partition(o, (128, 128)), q, pages, table),
        "the same, persistent": lambda mode: by[mode][0](
            fh.partition(o, (128, 128), blocks=fh.PERSISTENT), q, pages, table
        ),
        "sum of pages": lambda mode: by[mode][1](fh.partition(y, 1024), flat, long),
    }
    found: list[Row] = []
    for work, launch in works.items():
        ours = seconds(partial(enqueue, launch, True))
        for rival, name in RIVALS:
            found.append(against(work, ours, seconds(partial(enqueue, launch, rival)), name, unit="us", scale=1e6))
    small, other = torch.zeros(1024, **on), torch.ones(1024, **on)
    part = fh.partition(small, 256)

    def waited(kernel: Kernel) -> float:
        return timed(lambda: kernel(part, other, 1).sync(), 500)

    def enqueued(kernel: Kernel) -> float:
        taken = timed(lambda: kernel(part, other, 1).on(), 200)
        torch.cuda.synchronize()
        return taken

    ways: dict[str, Callable[[Kernel], float]] = {"a small launch, enqueued": enqueued, "the same, waited for": waited}
    for work, way in ways.items():
        found.append(against(work, partial(way, checked), partial(way, plain), "without a check", unit="us", scale=1e6))
    return found


def enqueue(launch: Callable[[Checks], Launch], mode: Checks) -> None:
    """Enqueues the launch of a kernel with checks of some kind."""
    launch(mode).on()


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE")
    show(rows(), parser.parse_args().json)


if __name__ == "__main__":
    main()
