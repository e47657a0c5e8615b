"""Windows of tensors at a position, and slices made on the host: run in several orders, before and after lowering."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from everywhere import everywhere

import freehold as fh
from freehold import Mut, Out, Ref, f32, i32
from freehold.dialects.ownership import Rung, duties_of
from freehold.passes.pipeline import contract
from freehold.support.contract import TensorParameter

RNG = np.random.default_rng(11)
SCHEDULES: list[dict[str, Any]] = [{}, {"blocks": fh.PERSISTENT}, {"blocks": 2, "order": fh.COLUMN}]


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape, np.float32)


@fh.kernel
def append(cache: Mut["S", "D"], x: Ref["T", "D"], at: i32):
    here = cache.window(0, at, x.shape[0])
    here.store(x.load_like(here))


@fh.kernel
def append_at(cache: Mut["S", "D"], x: Ref["T", "D"], at: Ref[i32, 1]):
    here = cache.window(axis=0, start=i32(at.load((0,), (1,)).reshape(())), length=x.shape[0])
    here.store(x.load_like(here))


@fh.kernel
def fill(y: Out["N", "M"], value: f32, at: i32):
    part = y.window(1, at, 24)
    part.store(fh.full(part.tile, value, f32))


@fh.kernel
def copy_behind(y: Mut["N"], scale: f32):
    """The second half becomes the first one, scaled: two windows of one tensor."""
    front, back = y.window(0, 0, y.shape[0] // 2), y.window(0, y.shape[0] // 2, y.shape[0] // 2)
    back.store(scale * front.load())


@fh.kernel
def add_behind(y: Out["T"], x: Ref["S"], start: i32):
    """y = x[start : start + T] + x[0 : T]: two windows that are read may overlap."""
    y.store(x.window(0, start, y.shape[0]).load_like(y) + x.window(0, 0, y.shape[0]).load_like(y))


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("position", [0, 7, 15])
def test_a_window_at_a_scalar_position(position: int, schedule: dict[str, Any]) -> None:
    before, x = normal(20, 40), normal(5, 40)
    cache, wanted = before.copy(), before.copy()
    wanted[position : position + 5] = x
    part = fh.partition(cache, (4, 32), **schedule)
    everywhere(append, part, x, np.int32(position), check=lambda: np.testing.assert_array_equal(cache, wanted))


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("position", [0, 7, 15])
def test_a_window_at_a_position_in_memory(position: int, schedule: dict[str, Any]) -> None:
    before, x = normal(20, 40), normal(5, 40)
    cache, wanted = before.copy(), before.copy()
    wanted[position : position + 5] = x
    part, at = fh.partition(cache, (4, 32), **schedule), np.array([position], np.int32)
    everywhere(append_at, part, x, at, check=lambda: np.testing.assert_array_equal(cache, wanted), arch="sm_90")


def test_where_a_window_is_checked() -> None:
    cache, x = fh.partition(normal(20, 40), (4, 32)), normal(5, 40)
    found = contract(append.verify(cache, x, 3))
    assert [c.predicate for c in found.checks] == ["T <= S", "0 <= at and at + T <= S"]
    module = append_at.verify(cache, x, np.array([3], np.int32))
    rungs = [o.rung for op in module.walk() for o in duties_of(op) if o.rung in (Rung.KERNEL, Rung.LAUNCH)]
    assert rungs == [Rung.LAUNCH, Rung.KERNEL]


@pytest.mark.parametrize("position", [16, -1, 2**31 - 1, -(2**31)])
def test_a_window_outside_is_refused(position: int) -> None:
    cache, x = np.zeros((20, 40), np.float32), normal(5, 40)
    with pytest.raises(fh.Rejected, match="breaks a condition"):
        append(fh.partition(cache, (4, 32)), x, position).sync()
    with pytest.raises(fh.Rejected, match="window"):
        append_at(fh.partition(cache, (4, 32)), x, np.array([position], np.int32)).sync()
    assert not cache.any()


def test_the_rest_of_an_output_stays_as_it_is() -> None:
    before = normal(10, 64)
    y, wanted = before.copy(), before.copy()
    wanted[:, 8:32] = 3
    part = fh.partition(y, (4, 8))
    everywhere(fill, part, np.float32(3), np.int32(8), check=lambda: np.testing.assert_array_equal(y, wanted))
    (written, *_) = contract(fill.verify(part, 3.0, 8)).parameters
    assert isinstance(written, TensorParameter)
    assert written.mode == "partial"


@fh.kernel
def measure(y: Out["N", "M"], at: i32):
    """What is asked of a tensor before there is a window of it is asked of the whole."""
    columns = y.shape[1]
    tiles = 0
    for k in fh.tiles(y, axis=1, size=16):
        tiles += k
    part = y.window(1, at, 24)
    part.store(fh.full(part.tile, 3.0, f32))
    assert columns == 64
    assert tiles == 6
    assert part.shape[1] == 24


MAPS: list[fh.IndexMap] = [
    fh.REVERSED,
    fh.SKEWED,
    fh.interleaved(3),
    fh.IndexMap(lambda i, j, grid: (grid[0] - 1 - i, (j + 1) % grid[1])),
    fh.IndexMap(lambda n, grid: (n // grid[1], n % grid[1]), domain=lambda m, n: m * n),
]


@pytest.mark.parametrize("index_map", MAPS, ids=lambda m: str(MAPS.index(m)))
def test_points_of_a_window_are_counted_in_it(index_map: fh.IndexMap) -> None:
    before = normal(10, 64)
    y, wanted = before.copy(), before.copy()
    wanted[:, 8:32] = 3
    part = fh.partition(y, (4, 8), map=index_map)
    everywhere(fill, part, np.float32(3), np.int32(8), check=lambda: np.testing.assert_array_equal(y, wanted))


def test_what_was_asked_before_is_of_the_whole() -> None:
    y = np.zeros((8, 64), np.float32)
    everywhere(
        measure, fh.partition(y, (4, 8)), np.int32(40), check=lambda: np.testing.assert_array_equal(y[:, 40:], 3)
    )


def test_windows_that_are_read_may_overlap() -> None:
    x = normal(50)
    y = np.full(20, np.nan, np.float32)
    wanted = x[7:27] + x[:20]
    everywhere(add_behind, fh.partition(y, 8), x, np.int32(7), check=lambda: np.testing.assert_array_equal(y, wanted))


@pytest.mark.parametrize("schedule", SCHEDULES[:2])
def test_two_windows_of_one_tensor(schedule: dict[str, Any]) -> None:
    before = normal(51)
    y, wanted = before.copy(), before.copy()
    wanted[25:50] = 3 * wanted[:25]
    part = fh.partition(y, 8, **schedule)
    everywhere(copy_behind, part, np.float32(3), check=lambda: np.testing.assert_array_equal(y, wanted), arch="sm_90")
    with pytest.raises(fh.Rejected, match=r"`1 <= N // 2` is false"):
        copy_behind(fh.partition(y[:1], 8), 3.0).sync()


@fh.kernel
def append_columns(cache: Mut["S", "D"], x: Ref["T", "E"], at: i32):
    def part(y: Mut, first: fh.Scalar) -> Mut:
        return y.window(0, first + 1, x.shape[0]).window(1, 8, x.shape[1])

    fh.require("0 <= at and at < T")
    here = part(cache, at)
    here.store(x.load_like(here))


@fh.kernel
def read_behind(y: Out["T"], x: Ref["S"], at: i32):
    y.store(x.window(0, at, y.shape[0]).load_like(y))


@fh.kernel
def read_behind_aligned(y: Out["T"], x: Ref["S"], at: i32):
    fh.require("at % 4 == 0")
    y.store(x.window(0, at, y.shape[0]).load_like(y))


def test_where_alignment_is_lost_and_how_it_is_kept() -> None:
    y, x = np.empty(32, np.float32), normal(64)
    part = fh.partition(y, 16)
    said = read_behind.explain(part, x, np.int32(8), arch=())
    assert 'aligned to 4 bytes of 16; `fh.require("at % 4 == 0")` keeps it' in " ".join(said.split())
    assert "aligned to" not in read_behind_aligned.explain(part, x, np.int32(8), arch=())
    for kernel in (read_behind, read_behind_aligned):
        everywhere(kernel, part, x, np.int32(8), check=lambda: np.testing.assert_array_equal(y, x[8:40]), arch="sm_90")


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_windows_of_windows_in_a_helper(schedule: dict[str, Any]) -> None:
    before, x = normal(20, 40), normal(5, 24)
    cache, wanted = before.copy(), before.copy()
    wanted[4:9, 8:32] = x
    part = fh.partition(cache, (4, 16), **schedule)
    everywhere(append_columns, part, x, np.int32(3), check=lambda: np.testing.assert_array_equal(cache, wanted))


# --- Slices made on the host ------------------------------------------------------------------------------------------


@fh.kernel
def double(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(2 * x.load_like(y))


@fh.kernel
def halve(x: Mut["M", "N"]):
    x.store(x.load() / 2)


SLICES = [
    (slice(3, 19), slice(None)),
    (slice(None), slice(5, 37)),
    (slice(1, None, 3), slice(2, None, 2)),
    (slice(7, 8), slice(9, 10)),
]


def arrays_of(library: str, shape: tuple[int, ...]) -> Any:
    array = normal(*shape)
    if library == "numpy":
        return array
    if library == "freehold":
        return fh.to_device(array)
    return pytest.importorskip("torch").from_numpy(array)


def numpy_of(array: Any) -> Any:
    if isinstance(array, fh.Tensor):
        return np.array(fh.to_numpy(array))
    return array.numpy().copy() if hasattr(array, "numpy") else array.copy()


@pytest.mark.parametrize("library", ["numpy", "torch", "freehold"])
@pytest.mark.parametrize("where", SLICES)
def test_slices_are_arguments(library: str, where: tuple[slice, slice]) -> None:
    x, y, z = (arrays_of(library, (24, 40)) for _ in range(3))
    wanted_y, wanted_z = numpy_of(y), numpy_of(z)
    wanted_y[where] = 2 * numpy_of(x)[where]
    wanted_z[where] /= 2
    double(fh.partition(y[where], (8, 16)), x[where]).sync()
    halve(fh.partition(z[where], (8, 16))).sync()
    np.testing.assert_array_equal(numpy_of(y), wanted_y)
    np.testing.assert_array_equal(numpy_of(z), wanted_z)


@pytest.mark.parametrize("library", ["numpy", "torch", "freehold"])
def test_parts_of_one_array_are_apart(library: str) -> None:
    x = arrays_of(library, (24, 40))
    wanted = numpy_of(x)
    wanted[:12] = 2 * wanted[12:]
    double(fh.partition(x[:12], (4, 32)), x[12:]).sync()
    np.testing.assert_array_equal(numpy_of(x), wanted)
    with pytest.raises(fh.Rejected):
        double(fh.partition(x[:13], (4, 32)), x[11:]).sync()


def test_a_row_of_a_cache() -> None:
    cache = np.zeros((2, 64, 4, 16), ml_dtypes.bfloat16)
    x = normal(3, 16).astype(ml_dtypes.bfloat16)
    double(fh.partition(cache[1, 5:8, 2], (1, 16)), x).sync()
    wanted = np.zeros_like(cache)
    wanted[1, 5:8, 2] = 2 * x
    np.testing.assert_array_equal(cache, wanted)
