"""Pools of windows that are found without a search, forward and backward, against torch in double precision."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import pytest
from comparing import assembled, made

from freehold import kernels
from freehold.runtime.jit.kernel import Kernel

torch: Any = pytest.importorskip("torch")
F: Any = torch.nn.functional
NUMBERS = torch.bfloat16, torch.float16, torch.float32, torch.float64
EPS = {torch.bfloat16: 2**-8, torch.float16: 2**-11, torch.float32: 2e-6, torch.float64: 1e-13}
HALVES = NUMBERS[:2]
Launched = dict[str, tuple[Kernel, Any]]

PAIRS, PLACES, TWO = "pool_pairs", "pool_by_place", "pool_two_by_place"
ROWS, GROUPS, BESIDE = "pool_rows_of_windows", "pool_groups_of_windows", "pool_beside"
FORWARD: list[tuple[tuple[int, ...], Any, Any, Any, str, str]] = [
    # pairs of 16-bit numbers; rows of windows of several images at once, and of each by itself; columns left over
    ((2, 3, 20, 40), 2, None, 0, PAIRS, BESIDE),
    ((2, 3, 21, 41), 2, None, 0, PAIRS, BESIDE),
    ((1, 2, 12, 300), (3, 2), None, 0, PAIRS, GROUPS),
    ((1, 2, 12, 300), (2, 4), None, 0, PAIRS, BESIDE),
    ((1, 2, 4, 1100), (1, 8), None, 0, PAIRS, BESIDE),
    ((2, 3, 6, 8, 20), 2, None, 0, PAIRS, "pool_tiles"),
    ((2, 3, 5, 4, 6), (1, 2, 2), None, 0, PAIRS, ROWS),
    ((2, 3, 90), 2, None, 0, PAIRS, ROWS),
    # each place by itself, of words where rows have whole ones; an odd number of windows a row, and an even one
    ((2, 3, 17, 41), 3, None, 0, PLACES, PLACES),
    ((2, 3, 17, 42), 3, None, 0, TWO, PLACES),
    ((2, 3, 18, 400), (3, 5), None, 0, TWO, PLACES),
    ((2, 3, 18, 48), (1, 7), None, 0, TWO, PLACES),
    ((2, 3, 18, 48), (3, 6), None, 0, PLACES, PLACES),
    ((1, 2, 8, 5, 18), (2, 1, 3), None, 0, TWO, PLACES),
    ((2, 3, 91), 5, None, 0, PLACES, PLACES),
    # rows of windows: in step, over one another, padded, of one row, of a number of rows that nothing divides
    ((2, 3, 19, 17), 3, 2, 0, ROWS, ROWS),
    ((1, 2, 25, 7), (5, 2), (3, 1), (2, 1), ROWS, ROWS),
    ((70, 3, 4, 5), 2, 1, 0, ROWS, ROWS),
    ((2, 3, 51), 3, 2, 1, ROWS, ROWS),
    ((1, 2, 9, 24), 3, (1, 3), 1, ROWS, ROWS),
    ((1, 2, 9, 24), (1, 7), 1, (0, 3), ROWS, ROWS),
    # the same in groups of a load, which reach into others before and behind, and beyond the last column or not
    ((2, 3, 18, 40), 3, 2, 1, GROUPS, GROUPS),
    ((5, 1, 9, 200), 3, 1, 1, GROUPS, GROUPS),
    ((1, 2, 25, 24), (5, 2), (3, 1), (2, 1), GROUPS, GROUPS),
    ((70, 3, 4, 8), 2, 1, 0, GROUPS, GROUPS),
    ((3, 2, 9, 16), (2, 5), (1, 2), (0, 2), GROUPS, GROUPS),
    ((2, 3, 48), 3, 2, 1, GROUPS, GROUPS),
]


def pooled(x: Any, largest: bool, size: Any, step: Any, pad: Any) -> Any:
    """What torch makes of it."""
    name = f"{'max' if largest else 'avg'}_pool{x.dim() - 2}d"
    return getattr(F, name)(x, size, step, pad)


def values(shape: tuple[int, ...], dtype: Any, largest: bool) -> Any:
    """Numbers, for the largest also equal ones, infinities and NaN, and windows of nothing else."""
    x = made(shape, dtype, 3)
    if largest:
        flat = x.view(-1)
        flat[3::17], flat[5::23], flat[7::31] = float("inf"), float("-inf"), float("nan")
        x[..., 3:8] = 1.0
        x[-1, -1] = float("-inf")
    return x


def agrees(found: Any, wanted: Any, dtype: Any, largest: bool) -> None:
    assert found.dtype == dtype
    if largest:
        assert torch.equal(found.nan_to_num(7.0), wanted.to(dtype).nan_to_num(7.0))
        assert torch.equal(found.isnan(), wanted.isnan())
    else:
        size = wanted.abs().clamp_min(0.1)
        assert ((found.double() - wanted).abs() <= EPS[dtype] * size).all()


@pytest.mark.parametrize("largest", [True, False], ids=["largest", "mean"])
@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize(("shape", "size", "step", "pad", "of_halves", "of_others"), FORWARD)
def test_windows(
    shape: tuple[int, ...],
    size: Any,
    step: Any,
    pad: Any,
    of_halves: str,
    of_others: str,
    dtype: Any,
    largest: bool,
    launched: Launched,
) -> None:
    x = values(shape, dtype, largest)
    function = kernels.max_pool if largest else kernels.avg_pool
    agrees(function(x, size, step, pad), pooled(x.double(), largest, size, step, pad), dtype, largest)
    kernel = of_halves if dtype in HALVES else of_others
    assert list(launched) == [ROWS if kernel == GROUPS and dtype == torch.float64 else kernel]
    if dtype == torch.bfloat16 and largest:
        assembled(launched)


@pytest.mark.parametrize("largest", [True, False], ids=["largest", "mean"])
@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize(
    ("length", "size", "pad", "apart", "kernel"),
    [
        (1536, 8, 4, 1, "pool_along"),
        (1056, 3, 0, 1, "pool_along"),
        (1104, 5, 2, 7, "pool_along"),
        (1104, 2, 1, 70, "pool_rows"),
        (1105, 8, 4, 1, "pool_rows"),
    ],
)
def test_windows_along_rows(
    length: int, size: int, pad: int, apart: int, kernel: str, dtype: Any, largest: bool, launched: Launched
) -> None:
    x = values((2, 3, length), dtype, largest)
    if largest:
        found, wanted = kernels.max_pool(x, size, 1, pad, apart), F.max_pool1d(x.double(), size, 1, pad, apart)
    else:
        found, wanted = kernels.avg_pool(x, size, 1, pad), F.avg_pool1d(x.double(), size, 1, pad)
    agrees(found, wanted, dtype, largest)
    if apart == 1 or largest:
        assert ("pool_rows" if dtype == torch.float64 else kernel) in launched
    if dtype == torch.bfloat16:
        assembled(launched)


def test_what_is_not_dense() -> None:
    x = made((2, 3, 20, 24), torch.bfloat16, 1).transpose(2, 3)
    for size, step, pad in ((2, 2, 0), (3, 3, 0), (3, 2, 1)):
        assert torch.equal(kernels.max_pool(x, size, step, pad), F.max_pool2d(x, size, step, pad))


BACKWARD: list[tuple[tuple[int, ...], Any, Any, Any, list[str], list[str]]] = [
    ((2, 3, 20, 40), 2, None, 0, ["pairs_backward"], ["pairs_backward"]),
    ((1, 2, 12, 300), (3, 2), None, 0, ["pairs_backward"], ["pairs_backward"]),
    ((2, 3, 1, 44), (1, 2), None, 0, ["pairs_backward"], ["pairs_backward"]),
    ((2, 3, 21, 41), 3, None, 0, ["places_of_windows", "windows_backward"], ["means_backward"]),
    ((2, 3, 22, 301), 3, None, 0, ["pool_places", "pool_tiles_backward"], ["means_backward"]),
    ((2, 3, 18, 20), 3, 2, 1, ["places_of_windows", "windows_backward"], ["windows_backward"]),
    ((2, 3, 18, 35), (3, 5), (1, 3), (1, 2), ["places_of_windows", "windows_backward"], ["windows_backward"]),
    ((70, 3, 6, 5), 2, 1, 0, ["places_of_windows", "windows_backward"], ["windows_backward"]),
    ((2, 3, 19, 17), 3, 2, 0, ["pool_places", "pool_tiles_backward"], ["pool_tiles_backward"]),
    ((2, 3, 52), 3, 2, 1, ["places_of_windows", "windows_backward"], ["windows_backward"]),
]


@pytest.mark.parametrize("largest", [True, False], ids=["largest", "mean"])
@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize(("shape", "size", "step", "pad", "of_largest", "of_means"), BACKWARD)
def test_gradients(
    shape: tuple[int, ...],
    size: Any,
    step: Any,
    pad: Any,
    of_largest: list[str],
    of_means: list[str],
    dtype: Any,
    largest: bool,
    launched: Launched,
) -> None:
    """Of the first of equals, of the last of those that are NaN, and nothing where no window is."""
    x = values(shape, dtype, largest).requires_grad_()
    function = kernels.max_pool if largest else kernels.avg_pool
    y = function(x, size, step, pad)
    dy = made(tuple(y.shape), dtype, 4)
    launched.clear()
    (found,) = torch.autograd.grad(y, x, dy)
    names = of_largest if largest else of_means
    if dtype == torch.float64 and names == ["pairs_backward"]:
        names = ["places_of_windows", "windows_backward"] if largest else ["means_backward"]
    assert sorted(launched) == sorted(names)
    seen = x.detach().clone().double().requires_grad_()
    (wanted,) = torch.autograd.grad(pooled(seen, largest, size, step, pad), seen, dy.double())
    agrees(found, wanted, dtype, False)
    if dtype == torch.bfloat16:
        assembled(launched)
