"""Code that never ends, because its warps wait for more registers than there are: found, mended, told, or refused."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cubins import cubin_of
from figures import kept

import freehold as fh
from freehold import Mut, Ref, i32
from freehold.backend.bytecode.writer import write_bytecode
from freehold.backend.cubin import Resources, resources
from freehold.backend.errors.wrong_code import NeverEnds
from freehold.backend.registers import asked_for, starving
from freehold.dialects.cuda_tile.text import parse_disassembly
from freehold.passes.patterns import groups
from freehold.support.diagnostic import Rejected

GOLDEN = Path(__file__).with_name("golden")

ONE = Resources("k", 64, 0, 0, (256, 1, 1), None, 0, 0, 0, 0, grows=(96,), shrinks=(32, 32))


@fh.kernel
def scattered(y: Mut["S", "N"], x: Ref["T", "N"], slots: Ref[i32, "G + 1"]):
    """Stores to regions of groups, whose descriptors are made in the kernel."""
    _, i, j = y.index
    y.store(x.load((i, j), y.tile) * 2.0)


@fh.kernel
def insisting(y: Mut["S", "N"], x: Ref["T", "N"], slots: Ref[i32, "G + 1"]):
    """The same, and leaves nothing to choose."""
    _, i, j = y.index
    y.store(x.load((i, j), y.tile, allow_tma=True) * 2.0, allow_tma=True)


@pytest.fixture(scope="module", autouse=True)
def offsets_in_pieces() -> Iterator[None]:
    """
    The offsets of groups are looked at in pieces of 128, as they once were: of that the assembler makes code that never
    ends. All tests here look at figures.
    """
    with pytest.MonkeyPatch.context() as patch, kept():
        patch.setattr(groups, "_WIDTH", 128)
        patch.setattr(groups, "_LINE", groups.tile((128,), groups.i32))
        yield


def arguments() -> tuple[Any, ...]:
    y, x, slots = np.zeros((512, 1024), np.float32), np.zeros((512, 1024), np.float32), np.zeros(6, np.int32)
    return fh.ragged(y, (16, 64), by="slots", most=256, partial=True), x, slots


def test_what_is_asked_for():
    assert asked_for(ONE, 4) == 96 * 128 + 32 * 128
    assert asked_for(replace(ONE, threads=(384, 1, 1), registers=40), 4) == 96 * 128 + 32 * 256
    assert asked_for(replace(ONE, grows=()), 4) == 0
    assert asked_for(replace(ONE, shrinks=()), 4) == 96 * 128 + 64 * 128


def hinted(workers: int | None) -> bytes:
    """A kernel whose hints say how many warps compute, beside another without hints."""
    hints = "" if workers is None else f" optimization_hints=<sm_90 = {{num_worker_warps_per_cta = {workers}}}>"
    text = f"cuda_tile.module @kernels {{ entry @other() {{ return }} entry @k(){hints} {{ return }} }}"
    return write_bytecode(parse_disassembly(text))


@pytest.mark.parametrize(
    ("threads", "grows", "shrinks", "workers", "asked"),
    [
        (256, (96,), (32,), None, None),  # 16384: as many as there are
        (256, (97,), (32,), None, 97 * 128 + 32 * 128),
        (256, (96,), (32, 33), None, 96 * 128 + 33 * 128),
        (256, (65,), (), None, 65 * 128 + 64 * 128),  # the others keep what they begin with
        (256, (), (200,), None, None),
        (256, (97,), (32,), 8, 97 * 128 + 32 * 128),  # four move tiles, however many are to compute
        (224, (200,), (32,), None, None),  # there are no four to compute
        (384, (96,), (32,), None, None),  # four of twelve
        (384, (96,), (32,), 4, None),
        (384, (96,), (32,), 6, None),
        (384, (96,), (32,), 7, 96 * 224 + 32 * 160),
        (384, (96,), (32,), 8, 96 * 256 + 32 * 128),
        (384, (96,), (32,), 16, 96 * 256 + 32 * 128),
        (384, (96, 40), (32,), None, 96 * 256 + 32 * 128),  # two groups
        (384, (80, 80), (32,), None, None),
    ],
)
def test_warps_that_ask_for_more_than_there_is(
    threads: int, grows: tuple[int, ...], shrinks: tuple[int, ...], workers: int | None, asked: int | None
):
    one = replace(ONE, threads=(threads, 1, 1), grows=grows, shrinks=shrinks, code=160)
    errors = starving(cubin_of((one,), "sm_90", False), hinted(workers), "sm_90")
    if asked is None:
        assert errors == []
        return
    error = NeverEnds(None, "kernel `k`", "sm_90")
    assert errors == [error.add(error.Starved(asked, 64 * threads), error.AskForLess())]


def test_each_kernel_is_looked_at_with_its_own_hints():
    """One that the module does not have computes with as many warps as one without hints."""
    asking = replace(ONE, threads=(384, 1, 1), code=160)
    kernels = [replace(asking, kernel=name) for name in ("other", "k", "third")]
    errors = starving(cubin_of(kernels, "sm_90", False), hinted(8), "sm_90")
    assert [error.subject for error in errors] == ["kernel `k`"]
    assert not starving(cubin_of(kernels, "sm_100", False), hinted(8), "sm_100")
    none = replace(asking, threads=None, grows=(200,))
    assert not starving(cubin_of((none,), "sm_90", False), hinted(None), "sm_90")


def test_no_cubin_is_no_matter_of_registers():
    assert not starving(b"nonsense", b"", "sm_90")


@pytest.mark.parametrize("hints", [{"occupancy": 4}, {"occupancy": 2}, {"num_worker_warps": 8, "occupancy": 2}])
@pytest.mark.parametrize("arch", ["sm_90", "sm_100"])
def test_tiles_are_moved_by_threads_where_the_code_would_not_end(arch: str, hints: dict[str, int]):
    kernel = scattered.with_hints(**hints)
    (found,) = resources(kernel.compile(*arguments(), arch=arch).cubin)
    assert found.thread_count is not None
    most = found.thread_count // 32 - 4
    assert asked_for(found, min(most, hints.get("num_worker_warps", 4))) <= found.registers * found.thread_count
    said = kernel.explain(*arguments(), arch=arch)
    assert f"for {arch} tiles are moved by threads" in said
    assert said.index("what costs time") < said.index("moved by threads") < said.index("GPU code")


def test_nothing_is_told_where_the_code_ends():
    assert "moved by threads" not in scattered.with_hints(num_worker_warps=4).explain(*arguments(), arch="sm_90")


def test_what_insists_is_refused(golden: Callable[[Path, str], None]):
    with pytest.raises(Rejected) as caught:
        insisting.with_hints(occupancy=4).compile(*arguments(), arch="sm_90")
    assert caught.value.codes == ("O414",)
    golden(GOLDEN / "warps_starve.err", str(caught.value))
    insisting.with_hints(num_worker_warps=4).compile(*arguments(), arch="sm_90")  # the edit that it suggests


def test_a_hint_moves_all_tiles_by_threads():
    plain, hinted = (
        resources(k.compile(*arguments(), arch="sm_90").cubin)[0]
        for k in (scattered, scattered.with_hints(allow_tma=False))
    )
    assert plain.grows
    assert not hinted.grows
    mine = scattered.with_hints(allow_tma={"sm_100": False})
    assert resources(mine.compile(*arguments(), arch="sm_90").cubin)[0].grows


def test_results_stay():
    y = np.zeros((512, 1024), np.float32)
    x = np.arange(512 * 1024, dtype=np.float32).reshape(512, 1024)
    slots = np.array([0, 64, 128, 200, 333, 500], np.int32)
    with fh.interpreting():
        scattered.with_hints(allow_tma=False)(
            fh.ragged(y, (16, 64), by="slots", most=256, partial=True), x, slots
        ).sync()
    assert (y[64:80] == 2 * x[:16]).all()
