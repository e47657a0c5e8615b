"""Launches and operators among torch's own operations: versions, gradients, tensors that are empty or expanded."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Acc, Const, Mut, Out, Ref, f32

torch: Any = pytest.importorskip("torch")
HERE = Path(__file__).parent


@fh.kernel
def scale(y: Mut["N"], a: f32):
    y.store(y.load() * a)


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32):
    y.store(a * x.load_like(y) + y.load())


@fh.kernel
def double(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * 2.0)


@fh.kernel
def ends(low: Out["M"], high: Out["M"], x: Ref["M", "N"], TN: Const[int] = 8):
    (m,) = low.index
    t = x.load((m, 0), (low.tile[0], TN))
    low.store(fh.min(t, axis=1))
    high.store(fh.max(t, axis=1))


@fh.kernel
def total(s: Acc[f32, 1], x: Ref["N"]):
    s.add_at(x.load().sum(), 0)


def _doubled_gradient(ctx: Any, gradient: Any) -> Any:
    return torch.ops.freehold_citizen.double(gradient)


@pytest.fixture(scope="module")
def doubled() -> Any:
    return double.as_torch_op(
        "freehold_citizen::double", {"y": 64}, returns=["y"], backward=_doubled_gradient, setup_context=_nothing
    )


def _nothing(ctx: Any, inputs: Any, output: Any) -> None: ...


# --- Versions ---------------------------------------------------------------------------------------------------------


def test_every_way_of_launching_changes_the_version() -> None:
    y, x = torch.ones(100), torch.ones(100)
    launch = fh.partition(y, 64)
    bound = saxpy.bind(launch, x, 1.0)
    with fh.graph() as recorded:
        recorded.record(saxpy(launch, x, 1.0))
    ways: list[Callable[[], object]] = [
        lambda: saxpy(launch, x, 1.0).sync(),
        lambda: saxpy(launch, x, 1.0).on().wait(),
        lambda: saxpy(launch, x, 1.0).then(lambda _: saxpy(launch, x, 1.0)).sync(),
        bound.sync,
        lambda: bound.on().wait(),
        lambda: recorded.replay().sync(),
        lambda: saxpy(fh.partition(y.detach(), 64), x, 1.0).sync(),
        lambda: ends(fh.partition(y[:1], 1), fh.partition(y[1:2], 1), x.reshape(10, 10)[:1]).sync(),
    ]
    for number, way in enumerate(ways):
        before = y._version, x._version
        way()
        assert y._version > before[0], number
        assert x._version == before[1], "it is only read"


def test_a_saved_tensor_that_a_launch_changed_is_autograds_own_error() -> None:
    w = torch.randn(100, requires_grad=True)
    y = w * 3
    z = y * y  # saves y
    scale(fh.partition(y.detach(), 64), 0.0).sync()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_tensors_of_inference_mode_have_no_version() -> None:
    with torch.inference_mode():
        y = torch.ones(100)
        scale(fh.partition(y, 64), 2.0).sync()
        assert bool((y == 2).all())


# --- Gradients --------------------------------------------------------------------------------------------------------


def test_an_operator_without_a_backward_says_so_in_backward(golden: Callable[[Path, str], None]) -> None:
    pure = double.as_torch_op("freehold_citizen::pure", {"y": 64}, returns=["y"])
    x = torch.randn(100, requires_grad=True)
    y = pure(x)
    assert y.requires_grad
    assert torch.equal(y.detach(), 2 * x.detach())
    with pytest.raises(fh.Rejected) as caught:
        (y * 3).sum().backward()
    golden(HERE / "operators" / "O279_returns.err", str(caught.value))
    with torch.no_grad():
        assert not pure(x).requires_grad
    torch.library.opcheck(pure, (torch.randn(100),))


def test_an_operator_that_changes_an_argument_says_so_in_backward(golden: Callable[[Path, str], None]) -> None:
    adds = saxpy.as_torch_op("freehold_citizen::saxpy", {"y": 64})
    x, y = torch.randn(100, requires_grad=True), torch.zeros(100)
    adds(y, x, a=2.0)
    assert y.requires_grad
    with pytest.raises(fh.Rejected) as caught:
        y.sum().backward()
    golden(HERE / "operators" / "O279_mutates.err", str(caught.value))
    y = torch.zeros(100)
    with torch.no_grad():
        adds(y, x, 2.0)
    assert not y.requires_grad
    torch.library.opcheck(adds, (torch.ones(100), torch.randn(100), 2.0))
    torch.library.opcheck(adds, (torch.ones(100), x, 2.0))


def test_several_results_and_accumulators_without_a_backward() -> None:
    two = ends.as_torch_op("freehold_citizen::ends", {"low": 4, "high": 4}, returns=["low", "high"], fixed={"TN": 32})
    low, high = two(torch.randn(10, 32, requires_grad=True))
    with pytest.raises(fh.Rejected) as caught:
        (low.sum() + high.sum()).backward()
    assert caught.value.codes == ("O279",)
    adds = total.as_torch_op("freehold_citizen::total", {"x": 64})
    s, x = torch.zeros(1), torch.randn(100)
    adds(s, x)
    torch.testing.assert_close(s, x.sum()[None])
    torch.library.opcheck(adds, (torch.zeros(1), x))


def test_gradients_of_sums_and_expanded_tensors(doubled: Any) -> None:
    for shape in ((100,), (1,)):
        x = torch.randn(*shape, requires_grad=True)
        doubled(x.expand(100)).sum().backward()  # a gradient of stride 0, and an argument
        torch.testing.assert_close(x.grad, torch.full(shape, 2.0 * 100 / shape[0]))
    torch.autograd.gradcheck(doubled, (torch.randn(8, dtype=torch.float64, requires_grad=True),))
    torch.library.opcheck(doubled, (torch.randn(100, requires_grad=True),))
    torch.library.opcheck(doubled, (torch.ones(1).expand(100),))


def test_empty_tensors_through_an_operator(doubled: Any) -> None:
    x = torch.empty(0, requires_grad=True)
    y = doubled(x)
    y.sum().backward()
    assert (tuple(y.shape), tuple(x.grad.shape)) == ((0,), (0,))
    torch.library.opcheck(doubled, (torch.empty(0),))


# --- Empty arrays -----------------------------------------------------------------------------------------------------


def test_a_launch_whose_outputs_are_empty_does_nothing() -> None:
    none, some = np.zeros(0, np.float32), np.ones(5, np.float32)
    for arrays in ((none, none), (torch.empty(0), torch.empty(0))):
        y, x = arrays
        assert saxpy(fh.partition(y, 64), x, 2.0).sync() is y
        assert saxpy(fh.partition(y, 64), x, 2.0).on().wait() is y
    s = np.ones(1, np.float32)
    assert total(s, fh.partition(none, 64)).sync() is s
    assert s[0] == 1
    for code, launch in (
        ("O230", saxpy(fh.partition(none, 64), some, 2.0)),
        ("O202", saxpy(fh.partition(some, 4), none, 2.0)),
        ("O202", fixed(fh.partition(none.astype(np.int32), 64))),
    ):
        with pytest.raises(fh.Rejected) as caught:
            launch.sync()
        assert code in caught.value.codes


@fh.kernel
def fixed(y: Out[f32, "N"]):
    y.store(fh.zeros(y.tile, f32))


# --- Dimensions that are solved ---------------------------------------------------------------------------------------


@fh.kernel
def halves(y: Out["2 * N"], x: Ref["2 * N"], z: Ref["N"]):
    y.store(x.load_like(y))


@fh.kernel
def steps(y: Out["B"], x: Ref["B + 1"]):
    (i,) = y.index
    y.store(x.load_from((i * y.tile[0] + 1,), y.tile) - x.load((i,), y.tile))


@fh.kernel
def even(y: Out["2 * N"], x: Ref["2 * N"]):
    y.store(x.load_like(y))


def test_results_whose_extents_are_solved() -> None:
    op = steps.as_torch_op("freehold_citizen::steps", {"y": 16}, returns=["y"])
    x = torch.randn(100)
    torch.testing.assert_close(op(x), x.diff())
    torch.library.opcheck(op, (x,))
    compiled = torch.compile(op, fullgraph=True, backend="aot_eager", dynamic=True)
    torch.testing.assert_close(compiled(x[:31]), x[:31].diff())
    same = even.as_torch_op("freehold_citizen::even", {"y": 16}, returns=["y"])
    assert torch.equal(same(x), x)


def test_launches_whose_extents_are_solved() -> None:
    x = np.arange(20, dtype=np.float32)
    y = np.zeros(20, np.float32)
    assert (even(fh.partition(y, 16), x).sync() == x).all()
    with pytest.raises(fh.Rejected) as caught:
        even(fh.partition(y[:19], 16), x[:19]).sync()
    assert "is 19 for no whole number `N`, and 18 for 9" in str(caught.value)
    with pytest.raises(fh.Rejected):
        halves(fh.partition(y, 16), x, x[:9]).sync()
    halves(fh.partition(y, 16), x, x[:10]).sync()


# --- Modules that hold kernels ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 4 * 511])
def test_a_tensor_that_its_storage_does_not_hold_is_refused(size: int) -> None:
    y, x = torch.zeros(512), torch.ones(512)
    replayed = saxpy(fh.partition(y, 64), x, 1.0).graph()
    bound = saxpy.bind(fh.partition(y, 64), x, 1.0)
    x.untyped_storage().resize_(size)
    for code, operation in (
        ("O211", saxpy(fh.partition(y, 64), x, 1.0)),
        ("O275", bound),
        ("O275", replayed.replay()),
    ):
        with pytest.raises(fh.Rejected) as caught:
            operation.sync()
        assert caught.value.codes == (code,)
    assert (y == 0).all()


def test_the_graph_works_on_no_memory_but_what_it_recorded() -> None:
    y, x = torch.zeros(512), torch.ones(512)
    with fh.graph() as graph:
        graph.record(saxpy(fh.partition(y, 64), x, 1.0))
        x.data = torch.ones(8)
    with pytest.raises(fh.Rejected, match="an array of torch, f32 of shape") as caught:
        graph.replay().sync()
    assert caught.value.codes == ("O275",)


def test_modules_that_hold_kernels_are_copied() -> None:
    module = torch.nn.Module()
    module.kernel, module.weight = double, torch.nn.Parameter(torch.ones(4))
    again = copy.deepcopy(module)
    assert again.kernel is double
    assert again.weight is not module.weight
