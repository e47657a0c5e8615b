"""Arrays that repeat their elements, as `np.broadcast_to` makes them: read as if they had them all, never written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Acc, Out, Ref, f32
from freehold.passes.analysis.launch_values import Launch
from freehold.passes.analysis.machine_integers import Integers
from freehold.passes.launch_contract import kernel_of

M, N = 20, 24


@fh.kernel
def copied(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load_like(y))


@fh.kernel
def gathered(y: Out["M", "N"], x: Ref["M", "N"]):
    rows = y.start[0] + fh.arange(y.tile[0])
    columns = y.start[1] + fh.arange(y.tile[1])
    y.store(x.gather(rows[:, None], columns[None, :]) + x.load_from(y.start, y.tile))


@fh.kernel
def window(y: Out["T", "N"], x: Ref["M", "N"]):
    y.store(x.window(0, 3, y.shape[0]).load_like(y))


@fh.kernel
def total(t: Acc[f32, 1], x: Ref["M", "N"]):
    t.at(0).add(x.load().sum())


BASE = np.arange(M * N, dtype=np.float32).reshape(M, N)
REPEATED = {
    "rows": np.broadcast_to(BASE[:1], (M, N)),
    "columns": np.broadcast_to(BASE[:, 5:6], (M, N)),
    "one element": np.broadcast_to(BASE[3, 4], (M, N)),
    "rows of every second column": np.broadcast_to(np.arange(2 * N, dtype=np.float32)[::2], (M, N)),
}


@pytest.mark.parametrize("mode", ["fast", "adversarial", "checked"])
@pytest.mark.parametrize("name", REPEATED)
def test_what_repeats_is_read(name: str, mode: Any) -> None:
    x = REPEATED[name]
    with fh.interpreting(mode):
        y = np.zeros((M, N), np.float32)
        copied(fh.partition(y, (8, 16)), x).sync()
        np.testing.assert_array_equal(y, x)
        gathered(fh.partition(y, (8, 16)), x).sync()
        np.testing.assert_array_equal(y, 2 * x)
        z = np.zeros((9, N), np.float32)
        window(fh.partition(z, (4, 8)), x).sync()
        np.testing.assert_array_equal(z, x[3:12])
        t = np.zeros(1, np.float32)
        total(t, fh.partition(x, (8, 16))).sync()
        assert t[0] == x.sum()


def test_packages_have_variants_for_them(tmp_path: Path) -> None:
    whole = BASE.copy()
    y = np.zeros((M, N), np.float32)
    launches = [copied(fh.partition(y, (8, 16)), x) for x in (whole, *REPEATED.values())]
    fh.build(launches, [], tmp_path / "kernels")
    kernels = fh.load(tmp_path / "kernels")
    for x in (whole, *REPEATED.values()):
        kernels.copied(fh.partition(y, (8, 16)), x).sync()
        np.testing.assert_array_equal(y, x)


def test_what_overlaps_what_is_written_is_refused_all_the_same() -> None:
    y = np.zeros((M, N), np.float32)
    with pytest.raises(fh.Rejected, match="O201"):
        copied(fh.partition(y, (8, 16)), np.broadcast_to(y[2:3, 3:4], (M, N))).sync()
    pair = np.zeros((2, N), np.float32)
    copied(fh.partition(np.zeros((M, N), np.float32), (8, 16)), np.broadcast_to(pair[1], (M, N))).sync()


def test_of_torch() -> None:
    torch: Any = pytest.importorskip("torch")
    y, x = torch.zeros(M, N), torch.arange(float(M))
    copied(fh.partition(y, (8, 16)), x[:, None].expand(M, N)).sync()
    assert torch.equal(y, x[:, None].expand(M, N))
    bound = copied.bind(fh.partition(y, (8, 16)), torch.ones(()).expand(M, N))
    bound.sync()
    assert (y == 1).all()


def test_a_stride_of_which_nothing_is_known_may_be_zero() -> None:
    @fh.kernel
    def copied(y: fh.Out["N", "M"], x: fh.Ref["N", "M"]):
        y.store(x.load_like(y))

    part = fh.partition(np.zeros((8, 16), np.float32), (4, 4))
    integers = Integers()
    kernel = kernel_of(copied.verify(part, np.broadcast_to(np.float32(1), (8, 16))))
    strides = Launch(kernel, integers, "trap").strides
    assert [integers.between(strides[1, axis])[0] for axis in (0, 1)] == [0, 0]
    assert integers.between(strides[0, 0])[0] == 4  # a multiple of 4 is not repeated
