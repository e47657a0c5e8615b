"""Windows, groups and the edges of regions, as IR: what is read and written, and what is refused."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from evaluate import parse

from freehold.runtime.interpreter import parts, run
from freehold.support.diagnostic import Rejected

WHOLE = '!ownership.partition<mut tile [2, 2], ["M - 3", 2], i32>'
TENSOR, WINDOW = "!ownership.tensor<[M, N], i32>", '!ownership.tensor<["M - 3", 2], i32>'
PARTITION = "!ownership.partition<mut tile [2, 2], [M, N], i32>"
GROUPS = PARTITION.replace("[2, 2],", "[2, 2] ragged 0,")


def region(partition: str) -> str:
    return partition.replace("partition", "region")


WINDOWS = f"""
ownership.kernel @windows(%y: {TENSOR}, %at: !cuda_tile.tile<i32>) {{
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %rows = ownership.window %y[%at] {{axis = #builtin.int<0>}} : {TENSOR} -> !ownership.tensor<["M - 3", N], i32>
  %w = ownership.window %rows[%one] {{axis = #builtin.int<1>}} : !ownership.tensor<["M - 3", N], i32> -> {WINDOW}
  %p = ownership.partition %w : {WINDOW} -> {WHOLE}
  ownership.distribute %p : {WHOLE} {{
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j] : {WHOLE} -> {region(WHOLE)}
    %a = ownership.start %r, 0 : {region(WHOLE)}
    %t = cuda_tile.reshape %a : tile<i32> -> tile<1x1xi32>
    %u = cuda_tile.broadcast %t : tile<1x1xi32> -> tile<2x2xi32>
    ownership.store %u, %r : !cuda_tile.tile<2x2xi32>, {region(WHOLE)}
  }}
}}
"""

GROUPED = f"""
ownership.kernel @grouped(%y: {TENSOR}, %offsets: !ownership.tensor<[O], i32>) {{
  %o = ownership.borrow %offsets : !ownership.tensor<[O], i32> -> !ownership.ref<[O], i32>
  %p = ownership.partition %y by %o : !ownership.ref<[O], i32>, : {TENSOR} -> {GROUPS}
  ownership.distribute %p over ["O - 1", "ceildiv(M, 2)", "ceildiv(N, 2)"] : {GROUPS} {{
  ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %n = ownership.group_tiles %p[%e] : {GROUPS}
    %in = cuda_tile.cmpi less_than %i, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    cuda_tile.if %in {{
      %r = ownership.region %p[%e, %i, %j] : {GROUPS} -> {region(GROUPS)}
      %a = ownership.start %r, 0 : {region(GROUPS)}
      %b = ownership.stop %r, 0 : {region(GROUPS)}
      %g = ownership.coordinate %r, 0 : {region(GROUPS)}
      %hundred = cuda_tile.constant <i32: 100> : !cuda_tile.tile<i32>
      %high = cuda_tile.muli %b, %hundred : !cuda_tile.tile<i32>
      %both = cuda_tile.addi %a, %high : !cuda_tile.tile<i32>
      %all = cuda_tile.addi %both, %g : !cuda_tile.tile<i32>
      %t = cuda_tile.reshape %all : tile<i32> -> tile<1x1xi32>
      %u = cuda_tile.broadcast %t : tile<1x1xi32> -> tile<2x2xi32>
      ownership.store %u, %r : !cuda_tile.tile<2x2xi32>, {region(GROUPS)}
    }}
  }}
}}
"""


@pytest.mark.parametrize("order", [None, "decreasing", 3])
@pytest.mark.parametrize("at", [0, 2, 3])
def test_a_window_of_a_window(at: int, order: Any) -> None:
    y = np.full((8, 5), -1, np.int32)
    run(parse(WINDOWS), [y, np.int32(at)], order=order, checked=True)
    wanted = np.full((8, 5), -1, np.int32)
    wanted[at : at + 5, 1:3] = np.array([0, 0, 2, 2, 4])[:, None]
    np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("at", [-1, 4, 2**31 - 1])
def test_a_window_outside_is_refused(at: int) -> None:
    y = np.full((8, 5), -1, np.int32)
    with pytest.raises(Rejected, match="does not lie in `y`"):
        run(parse(WINDOWS), [y, np.int32(at)])
    assert (y == -1).all()


def test_a_window_without_elements_is_refused() -> None:
    with pytest.raises(Rejected, match="does not lie in `y`"):
        run(parse(WINDOWS), [np.zeros((3, 5), np.int32), np.int32(0)])


@pytest.mark.parametrize("order", [None, "decreasing", 3])
def test_regions_end_with_their_groups(order: Any) -> None:
    y = np.full((8, 3), -1, np.int32)
    run(parse(GROUPED), [y, np.array([1, 1, 4, 7], np.int32)], order=order, checked=True)
    column = [-1, 301, 301, 403 + 1, 604 + 2, 604 + 2, 706 + 2, -1]
    column[1:4] = [1 + 300 + 1, 1 + 300 + 1, 3 + 400 + 1]
    np.testing.assert_array_equal(y, np.array(column)[:, None].repeat(3, 1))


@pytest.mark.parametrize("offsets", [[0, 5, 4, 8], [-1, 2, 4, 8], [0, 2, 4, 9]])
def test_offsets_that_do_not_ascend_in_bounds_are_refused(offsets: list[int]) -> None:
    y = np.full((8, 3), -1, np.int32)
    with pytest.raises(Rejected, match="its offsets do not fit") as caught:
        run(parse(GROUPED), [y, np.array(offsets, np.int32)])
    assert (y == -1).all()
    bad = next(n for n in range(3) if not 0 <= offsets[n] <= offsets[n + 1] <= 8)
    assert f"group {bad} of `y` is none: its offsets do not fit" in str(caught.value)


@pytest.mark.parametrize("number", [-1, 3, 4])
def test_a_group_that_there_is_not_has_no_tiles_and_no_regions(number: int) -> None:
    """Of three groups, the numbers are 0 to 2."""
    y = np.full((8, 3), -1, np.int32)
    other = f"%other = cuda_tile.constant <i32: {number}> : !cuda_tile.tile<i32>"
    with_it = GROUPED.replace("    %n = ", f"    {other}\n    %n = ")
    none = with_it.replace("group_tiles %p[%e]", "group_tiles %p[%other]")
    run(parse(none), [y, np.array([0, 2, 4, 8], np.int32)], checked=True)
    assert (y == -1).all()
    text = with_it.replace("%p[%e, %i, %j]", "%p[%other, %i, %j]")
    with pytest.raises(Rejected) as caught:
        run(parse(text), [y, np.array([0, 2, 4, 8], np.int32)])
    report = caught.value.errors[0].report()
    assert caught.value.codes == ("O520",)
    assert f"{number}" in report.title + report.label + str(report.notes)
    assert "block (0, 0, 0)" in str(caught.value) or "block 0" in str(caught.value)


def test_a_window_of_one_row() -> None:
    y = np.full((4, 5), -1, np.int32)
    run(parse(WINDOWS), [y, np.int32(2)], checked=True)
    assert y[2].tolist() == [-1, 0, 0, -1, -1]
    assert (y[[0, 1, 3]] == -1).all()


def test_a_region_behind_its_group_is_refused() -> None:
    text = GROUPED.replace("less_than", "greater_than_or_equal")
    with pytest.raises(Rejected, match="`y`"):
        run(parse(text), [np.zeros((8, 3), np.int32), np.array([0, 2, 4, 8], np.int32)])


@pytest.mark.parametrize("covered", [False, True])
@pytest.mark.parametrize("most", [None, 1, 2])
@pytest.mark.parametrize("extent", [1, 3, 4])
def test_the_first_group_that_is_none_is_named(extent: int, most: int | None, covered: bool) -> None:
    """One that runs backwards or leaves the tensor, has more tiles than there may be, or leaves elements to nobody."""
    inner: Any = parts
    kind: Any = SimpleNamespace(tile_shape=(8, 2), groups_axis=1, covered=covered)
    for count in (2, 3, 4):
        for bounds in product(range(-1, extent + 2), repeat=count):
            wrong: list[int] = []
            for n in range(count - 1):
                elements = range(bounds[n], bounds[n + 1])
                inside = bounds[n] <= bounds[n + 1] and {*bounds[n : n + 2], *elements} <= {*range(extent + 1)}
                tiles = len({(at - bounds[n]) // 2 for at in elements})
                before = n == 0 and bounds[0] > 0
                behind = n == count - 2 and bounds[-1] < extent
                if not inside or tiles > (most or extent) or (covered and (before or behind)):
                    wrong.append(n)
            assert inner._first_bad(kind, extent, bounds, most) == (wrong[0] if wrong else None), bounds
