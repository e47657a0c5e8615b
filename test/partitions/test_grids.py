"""Launches whose geometry depends on integer scalars: grids that are said, and windows as long as a scalar says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from everywhere import in_all_orders
from hypothesis import given, settings
from hypothesis import strategies as st

import freehold as fh
from freehold import Acc, Const, Mut, Out, Ref, f32, i32, i64, u32
from freehold.passes.pipeline import contract, convert
from freehold.runtime.jit.kernel import Kernel
from freehold.runtime.launch.partition import Partition
from freehold.runtime.variants.evaluation import Evaluator
from freehold.support.contract import MOST_PERSISTENT, LaunchContract, ScalarParameter
from freehold.support.terms import rounded_up


def code(refused: Any) -> str:
    return refused.value.errors[0].code


def all_orders(kernel: Kernel, *arguments: Any) -> None:
    """Runs a kernel in several orders of blocks with a watch, as it is and lowered: it leaves one result behind."""
    module = kernel.verify(*arguments)
    modes = [p.mode for p in kernel.signature.parameters]
    found = contract(module)
    given = [a.array if isinstance(a, Partition) else a for a, m in zip(arguments, modes, strict=False) if m != "const"]
    given = [
        np.dtype(p.dtype.replace("i", "int").replace("f", "float")).type(a) if isinstance(p, ScalarParameter) else a
        for a, p in zip(given, found.parameters, strict=True)
    ]
    arrays: list[Any] = [a for a in given if isinstance(a, np.ndarray)]
    results = [[a.copy() for a in arrays] for _ in in_all_orders(module, convert(module.clone()), given, arrays)]
    for result in results[1:]:
        for one, other in zip(results[0], result, strict=True):
            np.testing.assert_array_equal(one, other)


# --- Grids ------------------------------------------------------------------------------------------------------------


@fh.kernel
def histogram(h: Acc[i32, "B"], x: Ref[i32, "N"], at: fh.Grid = fh.Grid("cdiv(N, 64)")):
    (i,) = at.index
    h.add_at(1, x.load(i, 64), mask=i * 64 + fh.arange(64) < x.shape[0])


def test_an_accumulator_needs_no_partition() -> None:
    x, h = np.random.default_rng(0).integers(0, 10, 1000).astype(np.int32), np.zeros(10, np.int32)
    all_orders(histogram, h, x)
    assert h.tolist() == np.bincount(x, minlength=10).tolist()


@fh.kernel
def in_one_block(y: Out["N"], x: Ref["N"], at: fh.Grid = fh.Grid()):
    for k in fh.tiles(x, axis=0, size=y.tile[0]):
        y.at(k).store(x.load(k, y.tile[0]) * 2)


@pytest.mark.parametrize(
    "grid", [fh.Grid(), fh.Grid(blocks=fh.PERSISTENT), fh.Grid(order=fh.COLUMN, blocks=3)], ids=str
)
def test_a_grid_of_no_axes_is_one_block(grid: fh.Grid) -> None:
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    all_orders(in_one_block, fh.partition(y, 16), x, grid)
    np.testing.assert_array_equal(y, 2 * x)
    y[:] = 0
    in_one_block(fh.partition(y, 16), x, grid).sync()
    np.testing.assert_array_equal(y, 2 * x)


@fh.kernel
def parts(p: Out[i32, "S", "N"], splits: i32, at: fh.Grid = fh.Grid("splits", "cdiv(N, 16)")):
    """Each region's number, in two axes of which one is a scalar's."""
    s, n = at.index
    p.store(fh.full(p.tile, 100 * s + n, i32))


@fh.kernel
def parts_by_name(p: Out[i32, "S", "N"], splits: i32, T: Const[int] = 16, at: fh.Grid = fh.Grid("splits * cdiv(N, T)")):
    """The same, in a grid of one axis, whose points the kernel takes apart."""
    (i,) = at.index
    n = fh.cdiv(p.shape[1], T)
    p.at(i // n, i % n).store(fh.full(p.tile, 100 * (i // n) + i % n, i32))


@pytest.mark.parametrize("kernel", [parts, parts_by_name], ids=lambda k: k.__name__)
@pytest.mark.parametrize("schedule", [{}, {"blocks": fh.PERSISTENT}, {"blocks": 3, "order": fh.COLUMN}], ids=str)
def test_an_extent_is_a_scalar(kernel: Kernel, schedule: dict[str, Any]) -> None:
    for splits in (1, 2, 5):
        p = np.full((splits, 40), -1, np.int32)
        all_orders(kernel, fh.partition(p, (1, 16), **schedule), splits)
        np.testing.assert_array_equal(p, 100 * np.arange(splits)[:, None] + np.arange(40) // 16)
        p[:] = -1
        kernel(fh.partition(p, (1, 16), **schedule), splits).sync()
        np.testing.assert_array_equal(p, 100 * np.arange(splits)[:, None] + np.arange(40) // 16)


@pytest.mark.parametrize("kernel", [parts, parts_by_name], ids=lambda k: k.__name__)
@pytest.mark.parametrize("splits", [-3, 0, 2, 4, 2**31 - 1])
def test_a_launch_in_which_the_scalar_does_not_fit_is_refused(kernel: Kernel, splits: int) -> None:
    p = np.full((3, 40), -1, np.int32)
    with pytest.raises(fh.Rejected) as refused:
        kernel(fh.partition(p, (1, 16)), splits).sync()
    assert code(refused) in ("O226", "O229", "O232")
    assert (p == -1).all()


@fh.kernel
def shares(y: Mut["N"], n: i32, at: fh.Grid = fh.Grid("cdiv(cdiv(N, 8), n)")):
    """Each block walks `n` regions, or what is left."""
    fh.require(n > 0, "a share is not empty")
    (i,) = at.index
    for k in range(i * n, min((i + 1) * n, fh.cdiv(y.shape[0], 8))):
        y.at(k).store(y.at(k).load() + 1)


def test_what_is_required_of_a_divisor_is_enough() -> None:
    y = np.zeros(100, np.float32)
    for n in (1, 3, 13, 200):
        shares(fh.partition(y, 8), n).sync()
    assert (y == 4).all()
    with pytest.raises(fh.Rejected) as refused:
        shares(fh.partition(y, 8), 0).sync()
    assert code(refused) == "O239"


def test_a_call_may_say_another_grid() -> None:
    p = np.full((3, 40), -1, np.int32)
    parts_by_name(fh.partition(p, (1, 16)), 3, at=fh.Grid("S * cdiv(N, 16)", order=fh.COLUMN)).sync()
    np.testing.assert_array_equal(p, 100 * np.arange(3)[:, None] + np.arange(40) // 16)
    parts_by_name(fh.partition(p, (1, 16)), 3, at=fh.Grid(9)).sync()
    with pytest.raises(fh.Rejected) as refused:
        parts_by_name(fh.partition(p, (1, 16)), 3, at=fh.Grid(8)).sync()
    assert code(refused) == "O232"


@pytest.mark.parametrize("what", [0, -1, 1.5, True, "n +", "f(n)", None])
def test_what_is_no_extent_is_refused_where_it_is_said(what: Any) -> None:
    with pytest.raises(ValueError, match="an extent of a grid is"):
        fh.Grid("n", what)


def test_what_is_no_schedule_is_refused_where_it_is_said() -> None:
    with pytest.raises(ValueError, match="two axes"):
        fh.Grid("n", order=fh.grouped(4))
    with pytest.raises(ValueError, match="number of blocks"):
        fh.Grid("n", blocks=0)
    with pytest.raises(ValueError, match="an order is"):
        fh.Grid("n", order="row")  # pyright: ignore[reportArgumentType] -- what is refused


def test_equal_grids_are_equal_and_print_as_they_are_written() -> None:
    grid = fh.Grid("(n + 31) // 32", 4, order=fh.grouped(2), blocks=7)
    assert grid == fh.Grid("cdiv(n, 32)", "4", order=fh.grouped(2), blocks=7)
    assert hash(grid) == hash(fh.Grid("cdiv(n, 32)", "4", order=fh.grouped(2), blocks=7))
    assert repr(grid) == "freehold.Grid('ceildiv(n, 32)', 4, order=freehold.grouped(2), blocks=7)"
    assert grid.rank == 2


# --- What the launcher makes of it ------------------------------------------------------------------------------------

OPERATORS = ("{} + {}", "{} - {}", "{} * {}", "({}) // 3 + {}", "{} % 5 + {}", "cdiv({}, 4) * ({})", "max({}, {})")


@st.composite
def extents(draw: st.DrawFn) -> str:
    leaf = st.sampled_from(("n", "m", "N", "M", "1", "7"))
    text = draw(leaf)
    for _ in range(draw(st.integers(0, 3))):
        text = draw(st.sampled_from(OPERATORS)).format(f"({text})", draw(leaf))
    return text


@given(
    st.lists(extents(), max_size=3), st.integers(-9, 40), st.integers(-9, 40), st.integers(1, 30), st.integers(1, 30)
)
def test_extents_are_what_python_computes(texts: list[str], n: int, m: int, N: int, M: int) -> None:
    grid = fh.Grid(*texts)
    scalars = (ScalarParameter("n", "i32", "n"), ScalarParameter("m", "u8", "m"))
    tensor = contract(histogram.verify(np.zeros(4, np.int32), np.zeros(4, np.int32))).parameters[1]
    found = Evaluator(
        LaunchContract("k", (tensor_of(tensor, ("N", "M")), *scalars), (), grid.extents, persistent=True, checks=())
    )
    values = {"n": n, "m": m if m >= 0 else m % 256 - 256, "N": N, "M": M}
    wanted = [eval(t, {"cdiv": rounded_up, "max": max}, values) for t in texts]
    geometry = found.evaluate([(N, M)], [(M, 1)], (None, n, m % 256))
    points = int(np.prod([1, *wanted], dtype=object))
    if all(e >= 1 for e in wanted) and points <= MOST_PERSISTENT:
        assert geometry is not None
        assert geometry.points == points
    else:
        assert geometry is None


def tensor_of(parameter: Any, dims: tuple[str, ...]) -> Any:
    from dataclasses import replace

    ones = (1,) * len(dims)
    return replace(parameter, dims=dims, strides=(0,) * len(dims), stride_divs=ones, extent_divs=ones)


@given(st.integers(-40, 120), st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_a_launch_does_what_numpy_does_or_is_refused(n: int, at: int) -> None:
    y = np.arange(100, dtype=np.float32)
    wanted = y.copy()
    if n >= 1 and at + n <= 100:
        wanted[at : at + n] *= 3
        scale(fh.partition(y, 16), at, n, 3.0).sync()
    else:
        with pytest.raises(fh.Rejected):
            scale(fh.partition(y, 16), at, n, 3.0).sync()
    np.testing.assert_array_equal(y, wanted)


# --- Windows ----------------------------------------------------------------------------------------------------------


@fh.kernel
def scale(y: Mut["N"], at: i32, n: i32, factor: f32):
    window = y.window(0, at, n)
    window.store(window.load() * factor)


@fh.kernel
def prefix_sums(y: Out["B", "D"], x: Ref["B", "S", "D"], n: i64):
    """The sum of the first `n` rows: nothing else is looked at."""
    rows = x.window(axis=1, start=0, length=n)
    b, d = y.index
    total = fh.zeros((y.tile[1],), f32)
    for s in fh.tiles(rows, axis=1, size=8):
        total += rows.load((b, s, d), (1, 8, y.tile[1])).sum(axis=1).reshape(y.tile[1])
    y.store(total[None])


@fh.kernel
def apart(y: Mut["N"], n: i32):
    """Two windows, of which one begins where the other ends."""
    first, second = y.window(0, 0, n), y.window(0, n, y.shape[0] - n)
    first.store(first.load() + 1)
    second.store(second.load() + 2)


@pytest.mark.parametrize("blocks", [fh.EACH, fh.PERSISTENT, 2])
def test_a_window_is_as_long_as_a_scalar_says(blocks: Any) -> None:
    y = np.arange(100, dtype=np.float32)
    all_orders(scale, fh.partition(y, 16, blocks=blocks), 30, 41, 2.0)
    wanted = np.arange(100, dtype=np.float32)
    wanted[30:71] *= 2
    np.testing.assert_array_equal(y, wanted)


def test_windows_of_one_tensor_meet_at_a_scalar() -> None:
    y = np.zeros(80, np.float32)
    all_orders(apart, fh.partition(y, 16), 40)
    assert y.tolist() == [1] * 40 + [2] * 40
    apart(fh.partition(y, 16), 44).sync()  # as many regions in both
    assert y.tolist() == [2] * 40 + [3] * 4 + [4] * 36
    for n in (0, 20, 80):
        with pytest.raises(fh.Rejected) as refused:
            apart(fh.partition(y, 16), n).sync()
        assert code(refused) == "O232"


@pytest.mark.parametrize("n", [1, 8, 37, 40])
def test_what_is_behind_a_window_is_not_read(n: int) -> None:
    x = np.random.default_rng(n).standard_normal((2, 40, 16), np.float32)
    x[:, n:] = np.nan
    y = np.zeros((2, 16), np.float32)
    all_orders(prefix_sums, fh.partition(y, (1, 16)), x, n)
    np.testing.assert_allclose(y, x[:, :n].sum(1), rtol=1e-5, atol=1e-5)


def test_nothing_of_it_is_checked_in_the_kernel() -> None:
    y, x = np.zeros((2, 16), np.float32), np.zeros((2, 40, 16), np.float32)
    found = contract(prefix_sums.verify(fh.partition(y, (1, 16)), x, 7))
    assert found.kernel_checks == ()
    assert [c.predicate for c in found.checks] == ["1 <= n and n <= S"]


def test_unsigned_scalars_are_no_lengths() -> None:
    @fh.kernel
    def unsigned(y: Mut["N"], n: u32):
        y.window(0, 0, n).store(0.0)

    with pytest.raises(fh.Rejected) as refused:
        unsigned.verify(fh.partition(np.zeros(8, np.float32), 8), 3)
    assert code(refused) == "O042"


# --- Elsewhere --------------------------------------------------------------------------------------------------------


def test_an_operator_of_torch_takes_the_scalar_and_not_the_grid() -> None:
    torch = pytest.importorskip("torch")
    operator = parts.as_torch_op("freehold_test::parts", {"p": (1, 16)})
    p = torch.full((3, 40), -1, dtype=torch.int32)
    operator(p, 3)
    np.testing.assert_array_equal(p.numpy(), 100 * np.arange(3)[:, None] + np.arange(40) // 16)
    with pytest.raises(fh.Rejected) as refused:
        operator(p, 4)
    assert code(refused) == "O232"


def test_the_bytecode_does_what_was_verified() -> None:
    """Translation validation follows grids and windows of a scalar's length."""
    for kernel, arguments in (
        (parts, (fh.partition(np.zeros((3, 40), np.int32), (1, 16)), 3)),
        (scale, (fh.partition(np.zeros(80, np.float32), 16), 3, 40, 1.0)),
        (prefix_sums, (fh.partition(np.zeros((2, 16), np.float32), (1, 16)), np.zeros((2, 40, 16), np.float32), 4)),
        (in_one_block, (fh.partition(np.zeros(80, np.float32), 16), np.zeros(80, np.float32))),
    ):
        validated = Kernel(kernel.__wrapped__, kernel.options._replace(validate=True))
        assert validated.compile(*arguments, arch="sm_90").cubin


def test_a_kernel_is_compiled_once_for_all_scalars() -> None:
    variants: list[Any] = []
    for splits in (2, 3):
        p = fh.partition(np.zeros((splits, 40), np.int32), (1, 16))
        variants.append(parts.lower(p, splits))
    assert str(variants[0]) == str(variants[1])
