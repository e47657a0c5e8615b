"""Launches that leave their schedule open: right results, the same choice each time, refusals where none is right."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from benchmarks import plain_kernels as plain
from benchmarks.plain_kernels import batched_gemm
from benchmarks.schedules import softmax
from examples.kernels import library
from examples.kernels.example import Example
from figures import kept

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32, i32
from freehold.runtime.launch.partition import Partition
from freehold.runtime.scheduling.choice import bucket, space
from freehold.runtime.scheduling.completion import Completed, completed
from freehold.runtime.variants.hints import KNOWN
from freehold.support.contract import TensorParameter

LIBRARY = dict(library())
softmax, walked_softmax, batched = (fh.kernel(k.__wrapped__) for k in (softmax, plain.softmax, batched_gemm))
AUTHORS_OWN = {
    "softmax_rows_2", "layer_norm_rows_2", "norm_backward_rows", "norm_backward_rows_2", "count_experts",
    "quantise_groups",
    "cross_entropy_rows_2", "gemm_split_k", "rope", "rotate_and_append", "rotate_and_append_2", "append_row_each",
    "grouped_tiles", "grouped_tiles_2", "grouped_tiles_3", "grouped_tiles_backward", "chunk_groups", "scale_groups",
    "sum_counts", "counts_before", "places_of_rows", "sum_tiles", "cumsum_tiles",
    "add_before", "matmul_two_tiles", "matmul_two_tiles_2", "cross_entropy_several", "cross_entropy_walked",
    "cross_entropy_walked_2", "cross_entropy_turns", "sum_of_losses", "sum_of_parts",
}  # fmt: skip
"""
Examples whose text counts regions, or whose outputs go together as only their author knows: no tile is chosen, or none
that they take.
"""


@pytest.fixture(scope="module", autouse=True)
def figures_are_kept() -> Iterator[None]:
    """A choice is made by the figures of a dozen modules, which nobody else looks at."""
    with kept():
        yield


def without_partitions(example: Example) -> tuple[Any, ...]:
    """The arguments of an example as somebody writes them who leaves out the schedule."""
    return tuple(a.array if isinstance(a, Partition) else a for a in example.arguments)


@pytest.mark.parametrize("name", sorted(LIBRARY))
def test_the_library_without_schedules(name: str) -> None:
    example = LIBRARY[name]
    arguments: tuple[Any, ...] = tuple(a.copy() if hasattr(a, "copy") else a for a in without_partitions(example))
    if name in AUTHORS_OWN:
        with pytest.raises(fh.Rejected, match=r"no tile was found|needs a partition|breaks a requirement"):
            example.kernel(*arguments).sync()
        return
    example.kernel(*arguments).sync()
    for place, expected in example.expected.items():
        found, wanted = (np.asarray(a, np.float64) for a in (arguments[place], expected))
        assert np.linalg.norm(found - wanted) <= max(example.tolerance, 1e-30) * np.linalg.norm(wanted)


@fh.kernel
def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = fh.choose(16, 32)):
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    c.store(acc)


@fh.kernel
def row_sums(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(t - t.sum(axis=1, keepdims=True))


@fh.kernel
def counts_of_parts(y: Out["B", "E"], x: Ref[i32, "N"]):
    mine = x.load((y.index[0],), (16,))
    y.store((mine[:, None] == fh.arange(y.tile[1])[None, :]).sum(axis=0)[None].astype(f32))


def test_a_tile_of_all_blocks_is_none_of_all_that_they_read() -> None:
    """One tile of y would cover its three rows, and take the first 16 numbers for all of them."""
    with pytest.raises(fh.Rejected, match="no tile was found"):
        counts_of_parts(np.zeros((3, 8), np.float32), np.zeros(48, np.int32)).sync()


@fh.kernel
def row_sums_in_a_branch(y: Out["M", "N"], x: Ref["M", "N"], on: i32):
    t = x.load_like(y)
    if on > 0:
        t = t - t.sum(axis=1, keepdims=True)
    y.store(t)


@fh.kernel
def row_sums_in_a_loop(y: Out["M", "N"], x: Ref["M", "N"], turns: i32):
    t = x.load_like(y)
    for _ in range(turns):
        t = t - t.sum(axis=1, keepdims=True)
    y.store(t)


def less_its_sum(t: Any) -> Any:
    return t - t.sum(axis=1, keepdims=True)


@fh.kernel
def row_sums_in_a_helper(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(less_its_sum(x.load_like(y)))


def chosen(kernel: Any, *arguments: Any, arch: str | None = None) -> Completed:
    """The choice for a call."""
    from freehold.runtime.base.call_site import CallSite

    found = completed(kernel, arguments, CallSite(), arch)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("kernel", "rest"),
    [(row_sums, ()), (row_sums_in_a_branch, (1,)), (row_sums_in_a_loop, (1,)), (row_sums_in_a_helper, ())],
)
def test_an_axis_that_is_summed_is_whole(kernel: Any, rest: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal((20, 300)).astype(np.float32)
    y = np.empty_like(x)
    kernel(y, x, *rest).sync()
    np.testing.assert_allclose(y, x - x.sum(1, keepdims=True), rtol=1e-4, atol=1e-4)
    assert chosen(kernel, y, x, *rest).chosen.schedule.tile["N"] == 512


@fh.kernel
def numbered(y: Out[i32, "N"]):
    y.store(y.index[0])


@fh.kernel
def numbered_in_a_branch(y: Out[i32, "N"]):
    if y.index[0] > 3:
        y.store(1)
    else:
        y.store(0)


@fh.kernel
def numbered_in_a_loop(y: Out[i32, "N"]):
    count = 0
    for k in range(y.index[0], 8):
        count += k
    y.store(count)


def the_number(y: Any) -> Any:
    return fh.full(y.tile, 1, i32) * y.index[0]


@fh.kernel
def numbered_in_a_helper(y: Out[i32, "N"]):
    y.store(the_number(y))


@pytest.mark.parametrize("kernel", [numbered, numbered_in_a_branch, numbered_in_a_loop, numbered_in_a_helper])
def test_what_counts_regions_is_refused(kernel: Any) -> None:
    with pytest.raises(fh.Rejected, match="it computes with the numbers of regions along `N`"):
        kernel(np.zeros(1000, np.int32)).sync()


@fh.kernel
def placed(y: Out[i32, "N"]):
    y.store(y.start[0] + fh.arange(y.tile[0]))


def test_the_numbers_of_elements_are_no_numbers_of_regions() -> None:
    y = np.zeros(1000, np.int32)
    placed(y).sync()
    assert (y == np.arange(1000)).all()


def test_a_part_may_be_said() -> None:
    a, b = (np.random.default_rng(n).standard_normal((96, 96)).astype(np.float32) for n in (1, 2))
    c = np.empty_like(a)
    for partition in (
        fh.partition(c),
        fh.partition(c, order=fh.grouped(4)),
        fh.partition(c, fh.choose((16, 32), (32, 16))),
        fh.partition(c, (32, 32), order=fh.choose(fh.ROW, fh.COLUMN), blocks=fh.choose()),
        fh.partition(c, blocks=3),
    ):
        c[:] = np.nan
        gemm(partition, a, b).sync()
        np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)
    said = chosen(gemm, fh.partition(c, fh.choose((16, 32), (32, 16)), order=fh.grouped(4)), a, b, 32).chosen.schedule
    assert tuple(said.tile.values()) in ((16, 32), (32, 16))
    assert said.order == fh.grouped(4)
    assert said.constants == {}


def test_a_constant_may_be_open_where_a_partition_is_given() -> None:
    a, b = (np.ones((32, 32), np.float32) for _ in range(2))
    c = np.empty_like(a)
    gemm(fh.partition(c, (16, 16)), a, b).sync()
    assert (c == 32).all()
    assert chosen(gemm, fh.partition(c, (16, 16)), a, b, fh.choose(8, 16)).chosen.schedule.constants["BK"] in (8, 16)


@fh.kernel(partition=64)
def doubled(y: Mut["N"]):
    y.store(y.load() * 2)


@fh.kernel(partition={"y": lambda y: fh.partition(y, 128, order=fh.COLUMN)})
def tripled(y: Mut["N"]):
    y.store(y.load() * 3)


def test_a_kernel_may_have_a_partition_of_its_own() -> None:
    y = np.ones(300, np.float32)
    doubled(y).sync()
    tripled(y).sync()
    assert (y == 6).all()
    assert "tile [64]" in str(doubled.verify(y))
    assert "tile [32]" in str(doubled.verify(fh.partition(y, 32)))
    assert "tile [128]" in str(tripled.with_hints(occupancy=2).verify(y))


def test_a_choice_is_the_same_each_time_and_for_neighbours() -> None:
    shapes = [(1000, 3000, 2000), (1001, 2990, 1999)]
    found: list[Any] = []
    for _ in range(2):
        again = fh.kernel(gemm.__wrapped__)
        for m, n, k in shapes:
            arrays: list[Any] = [np.empty(s, np.float16) for s in ((m, n), (m, k), (k, n))]
            found.append(chosen(again, *arrays, 32).chosen.schedule)
    assert found[0] == found[2]
    assert found[1] == found[3]
    assert bucket((1000, 7, 17, 1025)) == (1024, 7, 20, 1280)
    assert bucket(bucket((999, 33, 70000))) == bucket((999, 33, 70000))


def test_a_choice_for_a_named_architecture_and_what_is_said_of_it() -> None:
    x = np.ones((4096, 4096), np.float32)
    arguments = (np.empty_like(x), x)
    found = chosen(row_sums, *arguments, arch="sm_90")
    assert found.chosen.schedule.tile["N"] == 4096
    said = row_sums.explain(*arguments, arch="sm_90")
    assert f"schedule, chosen for sm_90 by the figures of an H200\n  {found.chosen.schedule}\n" in said
    rows = [line.split() for line in said.split("their code decided:\n")[1].splitlines()]
    first, second = [float(row[0]) for row in rows if row[1:2] == ["us"]][:2]
    assert first <= second
    code = row_sums.compile(*arguments, arch="sm_90").cubin
    partition = found.problem.arguments(found.arguments, found.chosen.schedule)[0]
    by_hand = row_sums.with_hints(**found.chosen.schedule.hints).compile(partition, x, arch="sm_90")
    assert by_hand.cubin == code


def test_a_kernels_own_hints_are_kept() -> None:
    x = np.ones((4096, 4096), np.float32)
    hinted = row_sums.with_hints(occupancy=2)
    assert "occupancy = 2" in str(hinted.verify(np.empty_like(x), x))


def test_a_choice_is_found_on_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    from freehold.runtime.scheduling import choice

    monkeypatch.setenv("FREEHOLD_CACHE_DIR", str(tmp_path))
    x = np.ones((512, 512), np.float32)
    first = chosen(fh.kernel(gemm.__wrapped__), np.empty_like(x), x, x, fh.choose(16, 32), arch="sm_90").chosen
    assert first.considered

    def never(*_: Any) -> Any:
        raise AssertionError("it is on disk")

    monkeypatch.setattr(choice, "choose", never)
    again = chosen(fh.kernel(gemm.__wrapped__), np.empty_like(x), x, x, fh.choose(16, 32), arch="sm_90").chosen
    assert again.schedule == first.schedule
    with pytest.raises(AssertionError, match="it is on disk"):  # among others
        chosen(fh.kernel(gemm.__wrapped__), np.empty_like(x), x, x, fh.choose(16, 64), arch="sm_90")


@fh.kernel
def few_rows(y: Out["M", "N"], x: Ref["M", "K"], w: Ref["K", "N"]):
    i, j = y.index
    acc = fh.zeros(y.tile, f32)
    for k in fh.tiles(x, axis=1, size=32):
        acc = fh.mma(x.load((i, k), (y.tile[0], 32)), w.load((k, j), (32, y.tile[1])), acc)
    y.store(acc.astype(y.dtype))


def test_products_of_few_rows_are_named() -> None:
    x, w, y = (np.ones(shape, np.float16) for shape in ((4, 64), (64, 64), (4, 64)))
    said = few_rows.explain(fh.partition(y, (4, 64)), x, w, arch="sm_90")
    assert "a product of 4 x 64 by 32: fewer than 16 rows are not multiplied by tensor cores" in said
    said = few_rows.explain(fh.partition(y, (16, 64)), x, w, arch="sm_90")
    assert "fewer than 16 rows" not in said
    assert chosen(few_rows, y, x, w, arch="sm_90").chosen.schedule.tile["M"] == 16


@fh.kernel
def shares(y: Out["M", "N"], x: Ref["M", "N"]):
    t = fh.exp(x.load_like(y))
    y.store(t / t.sum(axis=1, keepdims=True))


def test_what_is_not_chosen_warns_of_nothing() -> None:
    x = np.zeros((4, 60), np.float32)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        shares.choice((np.empty_like(x), x), {}, "sm_90", anew=True)
    assert [w.category for w in told] == [fh.KernelWarning]
    assert "warning[O150]" in str(told[0].message)


def rows_without_a_schedule(count: int, length: int) -> tuple[Completed, tuple[Any, ...]]:
    arguments = tuple(np.zeros((count, length), np.float32) for _ in range(2))
    found = row_sums.choice(arguments, {}, "sm_90")
    assert found is not None
    return found, arguments


@pytest.mark.parametrize("arch", ["sm_90", "sm_100", "sm_120"])
def test_hints_that_are_tried_are_hints_that_there_are(arch: str) -> None:
    x = np.zeros((4096, 2048), np.float32)
    a, b, c = (np.zeros((512, 512), np.float16) for _ in range(3))
    seen: set[str] = set()
    tried: Any = ((row_sums, (x, x.copy())), (gemm, (c.astype(np.float32), a, b, fh.choose(16, 32))))
    for kernel, arguments in tried:
        found = chosen(kernel, *arguments, arch=arch)
        for schedule in space(found.problem, kernel.verified, arch, 10**6):
            for name, value in dict(schedule.hints).items():
                assert value in KNOWN[name][1], (name, value)
                seen.add(name)
    assert {"num_worker_warps", "occupancy", "allow_tma"} <= seen


def test_the_length_of_rows_is_compiled_in() -> None:
    found, arguments = rows_without_a_schedule(4096, 2048)
    assert found.chosen.schedule.known == ("N",)
    assert "N compiled in" in row_sums.explain(*arguments, arch="sm_90")
    compiled = row_sums.compile(*arguments, arch="sm_90")
    tensors = [p for p in compiled.contract.parameters if isinstance(p, TensorParameter)]
    assert [p.dims for p in tensors] == [("M", "2048"), ("M", "2048")]
    other, arguments = rows_without_a_schedule(4096, 2049)  # rows of any length share a variant
    assert not other.chosen.schedule.known
    assert "compiled in" not in row_sums.explain(*arguments, arch="sm_90")


def test_code_with_a_length_compiled_in_takes_no_other() -> None:
    found, arguments = rows_without_a_schedule(64, 256)
    cut, x = found.problem.arguments(arguments, found.chosen.schedule)
    with fh.interpreting():
        row_sums(cut, x).sync()
    other = np.zeros((64, 512), np.float32)
    with pytest.raises(fh.Rejected), fh.interpreting():
        row_sums(cut.of(other), other).sync()


def test_a_choice_with_a_length_compiled_in_is_found_again() -> None:
    from freehold.runtime.scheduling.choice import from_json, to_json

    found, _ = rows_without_a_schedule(4096, 2048)
    assert from_json(to_json(found.chosen.schedule, found.problem), found.problem) == found.chosen.schedule


@pytest.mark.parametrize(("shape", "tile", "warps"), [((65536, 1000), (2, 1024), 1), ((131072, 512), (4, 512), 1)])
def test_what_was_measured_to_be_fastest_is_chosen(shape: tuple[int, int], tile: tuple[int, int], warps: int) -> None:
    """Softmax of short rows: on an H200 blocks of one warp, loading by threads, were the fastest that were timed."""
    x = np.empty(shape, np.float16)
    found = chosen(softmax, np.empty_like(x), x, arch="sm_90").chosen.schedule
    assert found.tile == dict(zip("MN", tile, strict=True))
    assert found.hints == {"allow_tma": False, "num_worker_warps": warps, "occupancy": 32}


def test_products_of_many_tiles_have_persistent_blocks() -> None:
    """32 products of 1024 cubed: on an H200 persistent blocks took 0.89 of the time of a block a tile."""
    a, b = (np.empty((32, 1024, 1024), np.float16) for _ in range(2))
    found = chosen(batched, np.empty_like(a), a, b, fh.choose(32, 64), arch="sm_90").chosen.schedule
    assert found.blocks is fh.PERSISTENT
    found = chosen(batched, np.empty_like(a[:1]), a[:1], b[:1], 64, arch="sm_90").chosen.schedule
    assert found.blocks is fh.EACH, "all tiles at once"
    cut = fh.partition(np.empty_like(a), blocks=fh.EACH)
    assert chosen(batched, cut, a, b, 64, arch="sm_90").chosen.schedule.blocks is fh.EACH


def test_rows_in_two_walks_have_as_many_blocks_as_registers_allow() -> None:
    """Softmax of rows of 4096 floats in two walks: on an H200 this was the fastest of 17, and 1.12 times as fast as
    rows that are a tile, in six blocks a multiprocessor. Tiles of several rows were slower in eight blocks."""
    x = np.empty((16384, 4096), np.float32)
    found = chosen(walked_softmax, np.empty_like(x), x, arch="sm_90").chosen.schedule
    assert found.tile == {"M": 1, "N": 2048}
    assert found.hints == {"occupancy": 8}
