"""Recording launches of cuTile Python: what is recorded without a GPU runs on the interpreter and computes the same."""
# pyright: basic, reportInvalidTypeForm=false

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from freehold.tools.pretend_gpu import pretend
from freehold.tools.record import Launch, recording

ct: Any = pytest.importorskip("cuda.tile", reason="cuda-tile is not installed")


@ct.kernel
def scaled(x, y, factor, BLOCK: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i,), (BLOCK,)) * factor)


@ct.kernel
def total(xs, y, BLOCK: ct.Constant[int]):
    acc = ct.zeros((BLOCK,), dtype=ct.float32)
    for j in range(len(xs)):
        acc += ct.load(xs[j], (ct.bid(0),), (BLOCK,))
    ct.store(y, (ct.bid(0),), acc)


@ct.kernel
def beyond(x, y, BLOCK: ct.Constant[int]):
    tile = ct.load(x, (ct.bid(0) + 1,), (BLOCK,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, (ct.bid(0),), tile)


def test_a_launch_is_recorded_with_what_its_entry_takes() -> None:
    x, y = np.arange(20, dtype=np.float32), np.zeros(20, np.float32)
    launches: list[Launch] = []
    with pretend(), recording(launches.append):
        ct.launch(0, (3,), scaled, (x, y, 2.0, 8))
    (launch,) = launches
    assert (launch.kernel, launch.grid, launch.constants) == ("scaled", (3, 1, 1), {"BLOCK": 8})
    assert [(each.parameter, each.kind) for each in launch.given] == [
        ("x", "pointer"), ("x", "extent"), ("x", "stride"),
        ("y", "pointer"), ("y", "extent"), ("y", "stride"),
        ("factor", "scalar"),
    ]  # fmt: skip
    assert launch.place == (__file__, test_a_launch_is_recorded_with_what_its_entry_takes.__code__.co_firstlineno + 4)
    facts = launch.facts()
    memory = {"address": x.ctypes.data, "shape": [20], "strides": [1], "dtype": "float32"}
    assert facts["arguments"][0] == {"parameter": "x", "kind": "pointer", **memory}
    assert not y.any()
    launch.run(checked=True)
    np.testing.assert_array_equal(y, 2 * x)


def test_a_list_of_arrays_is_a_table() -> None:
    xs = [np.full(12, n, np.float32) for n in (1, 2, 4)]
    y = np.zeros(12, np.float32)
    with pretend(), recording(lambda launch: launch.run(checked=True)):
        ct.launch(0, (2,), total, (xs, y, 8))
    np.testing.assert_array_equal(y, 7)


@pytest.mark.filterwarnings("error")
def test_tiles_beyond_a_padded_view_are_padding() -> None:
    x, y = np.ones(8, np.float32), np.full(8, 5, np.float32)
    with pretend(), recording(lambda launch: launch.run()):
        ct.launch(0, (1,), beyond, (x, y, 8))
    np.testing.assert_array_equal(y, 0)


def test_empty_arrays_and_broadcasts() -> None:
    empty, y = np.zeros((0,), np.float32), np.full(8, 5, np.float32)
    with pretend(), recording(lambda launch: launch.run()):
        ct.launch(0, (1,), beyond, (empty, y, 8))
        np.testing.assert_array_equal(y, 0)
        one = np.lib.stride_tricks.as_strided(np.ones(1, np.float32), (8,), (0,))
        ct.launch(0, (1,), scaled, (one, y, 3.0, 8))
    np.testing.assert_array_equal(y, 3)


@pytest.mark.parametrize("grid", [(), (1,), (1, 1), (1, 1, 1), 1])
def test_grids_of_fewer_axes(grid: Any) -> None:
    y = np.ones(8, np.float32)
    with pretend(), recording(lambda launch: launch.run()):
        ct.launch(0, grid, scaled, (y, y, 3.0, 8))
    np.testing.assert_array_equal(y, 3)


def test_what_handling_raises_is_seen_by_the_program() -> None:
    def refuse(launch: Launch) -> None:
        raise ValueError(launch.kernel)

    x = np.ones(8, np.float32)
    with pretend(), recording(refuse), pytest.raises(ValueError, match="scaled"):
        ct.launch(0, (1,), scaled, (x, x.copy(), 3.0, 8))


def test_outside_the_block_everything_is_as_before() -> None:
    before = ct.launch
    with pretend(), recording(lambda _: None):
        assert ct.launch is not before
    assert ct.launch is before
