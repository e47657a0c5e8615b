"""
How long a space of 100 matrix products takes to tune, against cuTile Python: `python -m benchmarks.tuner`.

Both get the same product, the same 100 points (tiles, steps along K, worker warps, bands) and nothing compiled before.
The rival is `cuda.tile.tune.exhaustive_search` as its documentation shows it; ours is `fh.Tuned.search`, which compares
the result of every point with the first one's before it times any. The best point of each is timed again afterwards, in
turns, so that a search which is fast because it looks at less is found out. Needs a GPU, torch and cuda-tile (`bench`).

The rival compiles one point after the other. With `--rival-seconds` it begins no further ten points after so many, and
what it took by then is less than a search of all would have taken.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from itertools import product
from typing import Any, Final, NamedTuple

import freehold as fh
from benchmarks.gpu import seconds
from benchmarks.report import Row, show
from freehold import Const, Out, Ref, f32

SIZE: Final = 4096


class Point(NamedTuple):
    """A configuration."""

    tile: tuple[int, int]
    step: int
    warps: int
    band: int


SPACE: Final[tuple[Point, ...]] = tuple(
    Point(*chosen)
    for chosen in product(
        ((128, 128), (128, 256), (256, 128), (64, 128), (64, 256)), (32, 64), (4, 8), (1, 2, 4, 8, 16)
    )
)


@fh.kernel
def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 64):
    """c = a @ b."""
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    c.store(acc.astype(c.dtype))


def arguments(point: Point, c: Any, a: Any, b: Any) -> tuple[Any, ...]:
    """Those of `gemm` at a point."""
    return fh.partition(c, point.tile, order=fh.grouped(point.band)), a, b, point.step


def tuner() -> fh.Tuned[Point]:
    """Our search."""
    return fh.Tuned(gemm, SPACE, arguments, hints=lambda p: {"num_worker_warps": p.warps, "occupancy": 1})


def searched_by_rival(
    points: Sequence[Point], arrays: tuple[Any, Any, Any], most: float
) -> tuple[Point, float, int, float]:
    """Of the rival: the best point, its seconds, how many points were measured, and the seconds that all took."""
    rival: Any = import_module("benchmarks.rival_tuner")
    found: list[tuple[float, Point]] = []
    count, began = 0, time.perf_counter()
    for first in range(0, len(points), 10):
        if time.perf_counter() - began > most:
            break
        best, took, measured = rival.search(points[first : first + 10], *arrays)
        found.append((took, best))
        count += measured
    took, best = min(found, key=lambda one: one[0])
    return best, took, count, time.perf_counter() - began


def main(given: Sequence[str] | None = None) -> None:
    """Tune with both, and print how long each took and what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    parser.add_argument("--size", type=int, default=SIZE, help=f"rows, columns and depth of the product ({SIZE})")
    parser.add_argument("--points", type=int, default=len(SPACE), help="only so many of them, spread over the space")
    parser.add_argument("--seconds", type=float, default=60.0, help="what our search may take")
    parser.add_argument(
        "--rival-seconds", type=float, default=1e9, help="begin no more of the rival's points after so long"
    )
    options = parser.parse_args(given)
    torch: Any = import_module("torch")  # no dependency of the project
    torch.manual_seed(0)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {os.cpu_count()} processors\n", flush=True)
    a, b = (torch.randn(options.size, options.size, device="cuda").bfloat16() for _ in range(2))
    c = torch.empty_like(a)
    points: list[Point] = [SPACE[n * len(SPACE) // options.points] for n in range(options.points)]
    with tempfile.TemporaryDirectory() as empty:  # nothing is found that was compiled before
        os.environ["FREEHOLD_CACHE_DIR"], os.environ["CUDA_TILE_CACHE_DIR"] = empty, ""
        tuned = tuner()
        tuned.space = tuple(points)
        fh.zeros((8,), f32).sync()  # the GPU is awake
        began = time.perf_counter()
        found = tuned.search(c, a, b, seconds=options.seconds)
        ours = time.perf_counter() - began
        best, measured = found.best, found.measured
        print(f"ours: {ours:.1f} s, {len(measured)} measured, {len(found.refused)} refused, {len(found.left)} left")
        print(f"  {best}: {1e6 * measured[0].seconds:.1f} us", flush=True)
        error = ((c.float() - a.float() @ b.float()).norm() / c.float().norm()).item()
        if not error <= 1e-2:
            raise AssertionError(f"relative error {error:.1e}")
        theirs, took, count, other = searched_by_rival(points, (c, a, b), options.rival_seconds)
        print(f"cuTile Python: {other:.1f} s, {count} measured\n  {theirs}: {1e6 * took:.1f} us\n", flush=True)
    runs = [gemm.with_hints(num_worker_warps=p.warps, occupancy=1).bind(*arguments(p, c, a, b)) for p in (best, theirs)]
    times = [[seconds(torch, run.on, 10) for run in runs] for _ in range(9)]
    ratio = sorted(second / first for first, second in times)
    ours_done, theirs_done = (2e-12 * options.size**3 / sorted(t)[len(t) // 2] for t in zip(*times, strict=True))
    rows = [
        Row(
            f"search of {len(points)} points", ours, other, f"cuTile Python, {count} of them", "s", other / ours, 0.0,
            ">= 3",
        ),
        Row(
            "the best points, as our kernel", ours_done, theirs_done, "the point of cuTile Python", "TFLOP/s",
            ratio[len(ratio) // 2], ratio[-1] - ratio[0], ">= 0.98",
        ),
    ]  # fmt: skip
    show(rows, options.json)


if __name__ == "__main__":
    main()
