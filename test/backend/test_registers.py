"""Code that never ends, because its warps wait for more registers than there are: found, mended, told, or refused."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from figures import kept

import freehold as fh
from freehold import Mut, Ref, i32
from freehold.backend.cubin import Resources, resources
from freehold.backend.registers import asked_for, starving
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
