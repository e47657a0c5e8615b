"""What launches should take under schedules: a table of situations at the limits of the model, and what has to hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import freehold as fh
from freehold import Const, Out, Ref, f32
from freehold.backend.cubin import Resources
from freehold.passes.cost import Amount, Cost, Total, Traffic, Work
from freehold.passes.launch_contract import kernel_of
from freehold.runtime.base.call_site import CallSite
from freehold.runtime.scheduling.candidates import Candidate, Candidates
from freehold.runtime.scheduling.choice import Chosen, Considered
from freehold.runtime.scheduling.completion import Completed, completed
from freehold.runtime.scheduling.gpus import GPUS, gpu_of
from freehold.runtime.scheduling.model import Prediction, hints_for, predicted
from freehold.runtime.scheduling.problem import Schedule
from freehold.runtime.scheduling.profile import Profile, profile
from freehold.runtime.scheduling.telling import told as told_of
from freehold.support import terms

HERE = Path(__file__).parent
MB = 1 << 20
PLAIN = Profile(4096, 1024, False, False, 4096, 1.0, (), 2)


def amount(number: int) -> Work:
    total = Total((Amount(terms.const(number)),)) if number else Total()
    return Work(total, total)


def candidate(
    regions: int = 4096, moved: int = 64 * MB, size: int | None = None, flops: int = 0, other: int = 0,
    tile: Mapping[str, int] | None = None, blocks: Any = fh.EACH, known: tuple[str, ...] = (), **of_profile: Any,
) -> Candidate:  # fmt: skip
    """A schedule of so many regions, whose launch asks for so many bytes of tensors of a size."""
    if product := of_profile.pop("product", None):
        of_profile |= {"products": ((product, 1.0),), "turns": True, "waits": True}
    read = Traffic("x", "read", terms.const(moved if size is None else size), amount(moved))
    cost = Cost(terms.const(regions), (read,), amount(flops), amount(other))
    schedule = Schedule(tile or {"M": 1, "N": 1024}, blocks=blocks, known=known)
    return Candidate(schedule, cost, {}, (regions,), replace(PLAIN, **of_profile))


def product(m: int, n: int, k: int, regions: int = 1024, depth: int = 4096, **options: Any) -> Candidate:
    """A matrix product in tiles of so many rows, columns and depth."""
    moved = regions * (m + n) * depth * 2
    rest: dict[str, Any] = {"product": (m, n, k), "largest": (m + n) * k * 2, "elements": m * n, **options}
    return candidate(regions, moved, moved // 8, 2 * regions * m * n * depth, **rest)


def sums(**options: Any) -> Candidate:
    """Rows that are summed."""
    rest: dict[str, Any] = {"waits": True, "other": 1 << 25, "largest": 1 << 14, "elements": 4096, **options}
    return candidate(**rest)


def found(registers: int, shared: int = 0, stack: int = 0, threads: int = 128) -> Resources:
    """What code takes."""
    return Resources("k", registers, shared, stack, (threads, 1, 1), None, 0, 0, 0, 0)


TMA_LESS: Mapping[str, int] = {"allow_tma": False}
SITUATIONS: dict[str, tuple[Candidate, Mapping[str, int], Resources | None]] = {
    "a copy": (candidate(), {}, None),
    "a copy in one block": (candidate(1), {}, None),
    "a copy in half as many blocks as multiprocessors": (candidate(66), {}, None),
    "a copy in as many": (candidate(132), {}, None),
    "a copy in one more": (candidate(133), {}, None),
    "no regions": (candidate(0), {}, None),
    "a copy that asks twice": (candidate(moved=128 * MB, size=64 * MB), {}, None),
    "a copy of a part": (candidate(moved=32 * MB, size=64 * MB), {}, None),
    "a copy of narrow pieces": (candidate(run=48), {}, None),
    "a copy of pieces as long as memory wants": (candidate(run=96), {}, None),
    "a copy whose rows' length is compiled in": (candidate(known=("N",)), {}, None),
    "sums whose rows' length is compiled in": (sums(known=("N",)), {}, None),
    "a copy of large tiles": (candidate(elements=1 << 13, largest=1 << 15), {}, None),
    "a copy of large tiles, six blocks": (candidate(elements=1 << 13, largest=1 << 15), {"occupancy": 6}, None),
    "a copy of large tiles, seven blocks": (candidate(elements=1 << 13, largest=1 << 15), {"occupancy": 7}, None),
    "a copy of nearly so large tiles": (candidate(elements=(1 << 13) - 1024, largest=1 << 15), {}, None),
    "a copy whose registers hold less": (candidate(largest=1 << 15), {}, None),
    "arithmetic": (candidate(other=1 << 32), {}, None),
    "dear arithmetic": (candidate(other=1 << 32, weight=8.0), {}, None),
    "arithmetic of few blocks": (candidate(33, other=1 << 28), {}, None),
    "arithmetic that is as long as the rest": (candidate(other=1 << 28), {}, None),
    "sums": (sums(), {}, None),
    "sums in one block": (sums(regions=1, moved=MB), {}, None),
    "sums that load in loops": (sums(turns=True), {}, None),
    "sums that load in loops, eight blocks": (sums(turns=True, largest=1 << 15), {"occupancy": 8}, None),
    "sums of large tiles": (sums(elements=1 << 15, largest=1 << 17), {}, None),
    "sums, two blocks": (sums(elements=1 << 14, largest=1 << 16), {"occupancy": 2}, None),
    "sums in four warps": (sums(elements=1 << 14), {"num_worker_warps": 4}, None),
    "sums in eight warps": (sums(elements=1 << 14), {"num_worker_warps": 8}, None),
    "sums by threads": (sums(), TMA_LESS, None),
    "sums by threads in two warps": (sums(), {**TMA_LESS, "num_worker_warps": 2}, None),
    "sums by a warp alone": (sums(elements=2048), {**TMA_LESS, "num_worker_warps": 1, "occupancy": 32}, None),
    "sums by threads that lack registers": (sums(elements=1 << 15), {**TMA_LESS, "occupancy": 4}, None),
    "sums with a stack": (sums(), {}, found(64, stack=280)),
    "sums with a small stack": (sums(), {}, found(64, stack=16)),
    "sums with a stack that is a little larger": (sums(), {}, found(64, stack=17)),
    "a copy with its code": (candidate(), {}, found(33)),
    "a copy with code of 40 registers": (candidate(), {}, found(40)),
    "a copy with code of 8 registers": (candidate(), {}, found(8)),
    "code of unknown threads": (candidate(), {}, replace(found(200), threads=None)),
    "code of many threads": (candidate(), {}, found(16, threads=1024)),
    "code that shares memory": (sums(), {}, found(32, shared=40 << 10)),
    "code that shares all memory": (sums(turns=True), {}, found(32, shared=228 << 10)),
    "a product": (product(128, 128, 64), {}, None),
    "a product of persistent blocks": (product(128, 128, 64, blocks=fh.PERSISTENT), {}, None),
    "a product in one block": (product(128, 128, 64, 1), {}, None),
    "a product in two blocks each": (product(64, 64, 64, 264), {"occupancy": 2}, found(64)),
    "a product in two blocks each, nearly": (product(64, 64, 64, 263), {"occupancy": 2}, found(64)),
    "a product of elements of one byte": (product(128, 128, 64, operand_bytes=1), {}, None),
    "a product in eight warps": (product(128, 128, 64), {"num_worker_warps": 8}, None),
    "a large product in eight warps": (product(128, 256, 64), {"num_worker_warps": 8}, None),
    "a product in five warps": (product(128, 128, 64), {"num_worker_warps": 5}, None),
    "a product with arithmetic": (product(128, 128, 64, other=1 << 32), {}, None),
    "a product that lacks registers": (product(256, 256, 64), {}, None),
    "a product of 1 row": (product(1, 128, 64), {}, None),
    **{
        f"a product of {m} x {n} by {k}": (product(m, n, k, 132), {}, None)
        for m, n, k in (
            (7, 64, 64), (8, 64, 64), (63, 128, 64), (64, 128, 64), (64, 64, 64), (64, 62, 64), (84, 84, 64),
            (82, 84, 64), (100, 100, 64), (98, 100, 64), (128, 126, 64), (128, 128, 32), (128, 128, 31), (170, 170, 64),
            (170, 168, 64), (240, 240, 64), (240, 238, 63),
        )
    },
    "tiles that the cache hands out again, to few blocks": (candidate(33, moved=8192 * MB, size=8 * MB), {}, None),
    "tiles that the cache hands out again": (candidate(moved=8192 * MB, size=8 * MB), {}, None),
    "a product in two blocks each, which share what they load": (product(84, 84, 64, 264), {"occupancy": 2}, found(64)),
    "sums by a warp that lacks registers": (sums(elements=1 << 14), {**TMA_LESS, "num_worker_warps": 1}, None),
    "sums in five warps": (sums(elements=1 << 14), {"num_worker_warps": 5, "occupancy": 3}, None),
    "sums that lack registers": (sums(elements=1 << 16), {}, None),
    "two products": (
        candidate(512, flops=1 << 38, waits=True, turns=True, largest=1 << 15, elements=1 << 14,
                  products=(((128, 64, 64), 0.75), ((16, 64, 32), 0.25))), {}, None,
    ),
}  # fmt: skip


def told(one: Prediction) -> str:
    return f"{one.seconds * 1e6:.5g} us, {one.bound}, {one.resident} beside one another, {one.waves:.4g} waves"


def of_all() -> Iterator[str]:
    for name, (one, hints, resources) in SITUATIONS.items():
        yield f"{name}: {told(predicted(one, gpu_of('sm_90'), hints, resources))}"
    for arch, shared in (("sm_90", 46_800), ("sm_80", 42_200), ("sm_120", 51_700)):
        one = predicted(sums(), gpu_of(arch), {}, found(16, shared))
        yield f"code that nearly fits once more on {arch}: {told(one)}"
    for arch in GPUS:
        for name in ("a copy", "arithmetic", "sums", "a product", "code that shares memory", "code of many threads"):
            one, hints, resources = SITUATIONS[name]
            yield f"{name} on {arch}: {told(predicted(one, gpu_of(arch), hints, resources))}"


HINTED: dict[str, tuple[Candidate, bool]] = {
    "a copy": (candidate(), False),
    "a copy of tiles that are nearly large": (candidate(elements=(1 << 13) - 1), False),
    "a copy of large tiles": (candidate(elements=1 << 13), False),
    **{
        f"a product of {m} x {n} in {regions} blocks": (product(m, n, 64, regions), False)
        for m, n, regions in (
            (31, 64, 132), (31, 64, 133), (31, 64, 0), (32, 64, 133), (128, 127, 264), (128, 128, 264), (128, 256, 264),
            (129, 254, 264),
        )
    },
    **{f"sums of {n} elements": (sums(elements=n), False) for n in (256, 2048, 4096, 5000, 8192, 1 << 14, 1 << 17)},
    **{
        f"sums of {n} elements in loops": (sums(elements=n, turns=True, tile={"M": 1, "N": tile}), False)
        for n, tile in ((1024, 1024), (1024, 512), (2048, 2048), (2560, 2560), (2688, 2688), (4096, 4096), (8192, 8192))
    },
    **{
        f"rows of {n} elements, each worth {weight} additions": (sums(elements=n, weight=weight), True)
        for n, weight in ((2048, 4.0), (2049, 4.0), (2048, 3.9), (8192, 1.0))
    },
}  # fmt: skip


def worth_a_try() -> Iterator[str]:
    for name, (one, along_rows) in HINTED.items():
        tried = (
            ", ".join(f"{k} = {v}" for k, v in h.items())
            for h in hints_for(one, gpu_of("sm_90"), along_rows=along_rows)
        )
        yield f"{name}: {'; '.join(tried)}"


def test_predictions_and_hints_as_they_were(golden: Callable[[Path, str], None]) -> None:
    """Changes of the model show here; whether they are right, measurements say."""
    golden(HERE / "predictions.txt", "\n".join([*of_all(), "", "Hints that are tried:", *worth_a_try()]))


def seconds(one: Candidate, arch: str = "sm_90", resources: Resources | None = None, **hints: int) -> float:
    return predicted(one, gpu_of(arch), hints, resources).seconds


def test_more_work_takes_longer() -> None:
    assert seconds(candidate()) < seconds(candidate(moved=128 * MB)) < 2 * seconds(candidate())
    assert seconds(candidate(other=1 << 30)) < seconds(candidate(other=1 << 31))
    assert seconds(product(128, 128, 64)) < seconds(product(128, 128, 64, depth=8192))
    for worse in (candidate(run=32), candidate(66), candidate(moved=512 * MB, size=64 * MB)):
        assert seconds(candidate()) < seconds(worse)
    assert seconds(sums(), resources=found(64)) < seconds(sums(), resources=found(64, stack=280))


def test_a_gpu_that_is_not_listed_is_taken_for_the_nearest_older_one() -> None:
    for arch, known in ((70, 80), (80, 80), (89, 80), (90, 90), (103, 100), (121, 120)):
        assert gpu_of(f"sm_{arch}") is GPUS[f"sm_{known}"]


# --- Which schedules are considered -----------------------------------------------------------------------------------


@fh.kernel
def doubled(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * 2)


@fh.kernel
def scaled(y: Out["B", "M", "N"], x: Ref["B", "M", "N"], w: Ref["N"]):
    y.store(x.load_like(y) * w.load((y.index[2],), (y.tile[2],)))


@fh.kernel
def centred(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(t - t.sum(axis=1, keepdims=True))


@fh.kernel
def turned(y: Out["N", "M"], x: Ref["M", "N"]):
    i, j = y.index
    y.store(x.load((j, i), (y.tile[1], y.tile[0])).transpose())


@fh.kernel
def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int]):
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    c.store(acc.astype(c.dtype))


@fh.kernel
def in_a_row(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "L"], w: Ref["L", "N"]):
    m, n = c.index
    weights = w.load((0, n), (64, 128))
    acc = fh.zeros((32, 64), f32)
    for k in fh.tiles(a, axis=1, size=16):
        acc = fh.mma(a.load((m, k), (32, 16)), b.load((k, 0), (16, 64)), acc)
    c.store(fh.mma(acc.astype(w.dtype), weights, fh.zeros((32, 128), f32)))


def shaped(*shapes: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple(np.empty(shape, np.float16) for shape in shapes)


LARGE, *OPERANDS = shaped((512, 512), (512, 64), (64, 512))
CALLS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    **{f"a vector of {n}": (doubled, shaped((n,), (n,))) for n in (1, 30, 33, 1000, 1 << 17)},
    **{
        f"rows of {n}, {m} times": (centred, shaped((m, n), (m, n)))
        for m, n in ((1, 64), (3, 100), (100, 3), (64, 256), (512, 4096), (2, 8192))
    },
    "a cube": (scaled, shaped((4, 20, 300), (4, 20, 300), (300,))),
    "a turned matrix": (turned, shaped((100, 60), (60, 100))),
    **{
        f"a product of {m} x {n} by {k}": (gemm, (*shaped((m, n), (m, k), (k, n)), fh.choose(32, 64)))
        for m, n, k in ((4, 64, 64), (1, 64, 64), (16, 16, 16), (64, 100, 32), (512, 512, 64), (4096, 4096, 64))
    },
    "a product in bands of columns": (gemm, (fh.partition(LARGE, order=fh.COLUMN), *OPERANDS, fh.choose())),
    "a product of tiles to choose from": (
        gemm, (fh.partition(LARGE, fh.choose((16, 32), (64, 64)), blocks=fh.PERSISTENT), *OPERANDS, 32),
    ),
    "a product of a tile": (gemm, (fh.partition(LARGE, (16, 32)), *OPERANDS, fh.choose(16, 128))),
}  # fmt: skip


def considered(kernel: Any, arguments: tuple[Any, ...]) -> Iterator[str]:
    found = completed(kernel, arguments, CallSite(), None)
    assert found is not None
    among = Candidates(found.problem, kernel.verified)
    first, meaning = among.first()
    yield f"begins with {first.schedule}; {first.counts} tiles; {first.profile}"
    yield f"compiled in: {among.known(first)}; along rows: {among.along_rows(first)}"
    if (other := among.persistent(first)) is not None:
        yield f"or {other.schedule}"
    tiles: dict[str, list[str]] = {}
    for schedule in among.schedules(first, meaning):
        rest = str(replace(schedule, tile={})).removeprefix("tile ")
        tiles.setdefault(rest, []).append("x".join(map(str, schedule.tile.values())))
    for rest, named in tiles.items():
        yield f"{rest.removeprefix(', ') or 'plain'}: {', '.join(named)}"


def test_what_is_considered_as_it_was(golden: Callable[[Path, str], None]) -> None:
    """Which tiles there are to choose from, for calls that leave them open."""
    lines = [line for name, call in CALLS.items() for line in (name, *(f"  {said}" for said in considered(*call)))]
    golden(HERE / "considered.txt", "\n".join(lines))


def test_of_several_products_the_largest_comes_first_and_so_many_bytes_are_loaded_at_once() -> None:
    c, a, b, w = np.empty((64, 256), np.float32), *shaped((64, 160), (160, 64), (64, 256))
    found = profile(kernel_of(in_a_row.verify(fh.partition(c, (32, 128)), a, b, w)))
    assert found.products == (((32, 128, 64), 8 / 9), ((32, 64, 16), 1 / 9))
    assert (found.largest, found.run, found.operand_bytes) == (64 * 128 * 2, 16 * 2, 2)
    assert (found.turns, found.waits, found.multiplies) == (True, True, True)


def test_what_is_said_of_a_choice() -> None:
    schedule = Schedule({"M": 1, "N": 1024}, hints={"occupancy": 4})
    problem: Any = None

    def said(chosen: Chosen, arch: str | None) -> list[str]:
        return list(told_of(Completed(problem, (), chosen, arch)))

    assert said(Chosen(schedule), None) == [
        "schedule, chosen for the interpreter",
        "  tile M:1 x N:1024, occupancy = 4",
    ]
    assert said(Chosen(schedule), "sm_90")[0] == "schedule, chosen for sm_90 by the figures of an H200"
    assert said(Chosen(schedule), "sm_100")[0] == "schedule, chosen for sm_100 by the figures of a B200"
    assert len(said(Chosen(schedule), "sm_90")) == 2
    considered = (
        Considered(schedule, Prediction(12.5e-6, "memory", 1, 0.5), found(64)),
        Considered(replace(schedule, hints={}), Prediction(110.25e-6, "arithmetic", 16, 2.25), found(64, stack=8)),
        Considered(replace(schedule, hints={}), Prediction(1e-3, "cache", 2, 1.0), None),
    )
    assert said(Chosen(schedule, considered, 9), "sm_90")[2:] == [
        "  of 9 candidates, these should be fastest; their code decided:",
        "   12.5 us  memory      1 block a multiprocessor, 0.5 waves     tile M:1 x N:1024, occupancy = 4",
        "  110.2 us  arithmetic  16 blocks a multiprocessor, 2.25 waves  tile M:1 x N:1024, 8 B of stack",
        "   1000 us  cache       2 blocks a multiprocessor, 1 waves      tile M:1 x N:1024",
    ]


@fh.kernel
def function_of(y: Out["N"], x: Ref["N"], F: Const[Any]):
    y.store(F(x.load_like(y)))


COSTS = {
    "exp2": 4, "exp": 6, "log": 6, "log2": 6, "tanh": 8, "sqrt": 8, "rsqrt": 4, "sin": 8, "cos": 8, "tan": 12,
    "sinh": 12, "cosh": 12, "floor": 1,
}  # fmt: skip
"""How many additions a function is worth."""


def test_functions_are_dear() -> None:
    for name, cost in COSTS.items():
        x = np.zeros(64, np.float32)
        assert (
            profile(kernel_of(function_of.verify(fh.partition(x, 16), x.copy(), getattr(fh, name)))).weight == cost
        ), name
