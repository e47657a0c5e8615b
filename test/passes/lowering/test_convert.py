"""What a kernel computes before and after it is lowered: the same, in every order, with no access left unordered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lowering_kernels as kernels
import numpy as np
import pytest
from xdsl.dialects.builtin import UNKNOWN_LOC, ModuleOp

from freehold.dialects.cuda_tile.ops.atomics import AtomicCasTkoOp
from freehold.dialects.cuda_tile.ops.control_flow import AssertOp
from freehold.dialects.cuda_tile.ops.module import TileModuleOp
from freehold.dialects.location import span_of
from freehold.passes.convert_ownership_to_cuda_tile import convert_kernel
from freehold.passes.launch_contract import contract, kernel_of
from freehold.passes.pipeline import convert
from freehold.runtime.interpreter import Order, run_entry
from freehold.support.contract import Checks, LaunchContract
from freehold.support.diagnostic import Rejected

ORDERS: list[Order] = ["increasing", "decreasing", 1, 2]


def run(text: str, arguments: Sequence[Any], order: Order = None, blocks: int = 3, checks: Checks = True) -> None:
    """Lowers a kernel and runs it under watch."""
    module = kernels.parse(text)
    lowered = convert(module, checks=checks)
    lowered.verify()
    run_entry(lowered, contract(module, checks), arguments, blocks=blocks, order=order, checked=True)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("n", [16, 64, 112])
def test_saxpy(n: int, persistent: bool, order: Order) -> None:
    y, x = np.arange(n, dtype=np.float32), np.linspace(0, 1, n, dtype=np.float32)
    wanted = np.float32(2) * x + y
    run(kernels.saxpy(32, persistent=persistent), [y, x, 2.0], order)
    assert np.array_equal(y, wanted)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("order", ["", "column", "grouped 2", "grouped 200"])
@pytest.mark.parametrize("shape", [(5, 30, 20), (64, 16, 8), (70, 90, 20)])
def test_gemm(shape: tuple[int, int, int], order: str, persistent: bool) -> None:
    m, n, k = shape
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((m, k), np.float32), rng.standard_normal((k, n), np.float32)
    c = np.full((m, n), np.nan, np.float32)
    run(kernels.gemm((16, 32, 8), "f32", order, persistent, divisor=1), [c, a, b], 5)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize(
    ("rank", "order"),
    [
        (1, ""),
        (1, "column"),
        (2, "grouped 3"),
        (3, ""),
        (3, "column"),
        (3, "grouped 2"),
        (4, "column"),
        (4, "grouped 2"),
    ],
)
def test_every_rank(rank: int, order: str, persistent: bool) -> None:
    x = np.arange(np.prod((5, 6, 3, 9)[:rank]), dtype=np.float32).reshape((5, 6, 3, 9)[:rank])
    wanted = x + 1
    run(kernels.increment(rank, order, persistent), [x], 3)
    assert np.array_equal(x, wanted)


def test_rank_zero() -> None:
    z, x = np.array(2, np.float32), np.array(3, np.float32)
    run(kernels.add_scalars(), [z, x])
    assert z == 5


def test_reductions_and_padding() -> None:
    x = np.random.default_rng(1).standard_normal((7, 100), np.float32)
    y = np.full_like(x, np.nan)
    run(kernels.row_softmax(128), [y, x])
    wanted = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(y, wanted / wanted.sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("order", ORDERS)
def test_tokens_through_every_kind_of_control_flow(order: Order) -> None:
    n, steps = np.arange(1, 20, dtype=np.int32), np.zeros(19, np.int32)
    # Odd numbers become 1 + 3n; the last store adds the 1 that is left to the number of steps.
    run(kernels.collatz(), [n, steps], order)

    def count(v: int) -> int:
        return 1 if v == 1 else 1 + count(v // 2 if v % 2 == 0 else 3 * v + 1)

    assert steps.tolist() == [count(v) for v in range(1, 20)]


@pytest.mark.parametrize("text", [kernels.increment(1), kernels.collatz()], ids=["straight", "control flow"])
def test_without_tokens_the_watch_would_have_found_a_race(text: str) -> None:
    module = kernels.parse(text)
    promised = contract(module)
    kernel = kernel_of(module)
    entry = convert_kernel(kernel)
    lowered = ModuleOp([TileModuleOp("m", [entry])])
    arrays = [np.arange(1, 9, dtype=np.float32)] if "increment" in text else [np.arange(1, 9, dtype=np.int32)] * 2
    arrays = [a.copy() for a in arrays]
    with pytest.raises(Rejected):
        run_entry(lowered, promised, arrays, checked=True)


@pytest.mark.parametrize(
    ("text", "asserted"),
    [
        (kernels.saxpy(), 0),
        (kernels.gemm(order="grouped 8", persistent=True), 0),
        (kernels.row_softmax(), 0),
        (kernels.increment(4, "column"), 0),
        (kernels.collatz(), 0),
        (kernels.shifted(), 1),
    ],
)
def test_only_what_the_verifiers_leave_to_the_kernel_is_asserted(text: str, asserted: int) -> None:
    module = kernels.parse(text)
    assert sum(isinstance(op, AssertOp) for op in convert(module, checks="trap").walk()) == asserted
    lowered = list(convert(module).walk())
    assert sum(isinstance(op, AtomicCasTkoOp) for op in lowered) == asserted
    assert not any(isinstance(op, AssertOp) for op in lowered)


def test_the_module_is_left_as_it_was() -> None:
    module = kernels.parse(kernels.gemm(order="grouped 8", persistent=True))
    before = str(module)
    first, second = convert(module), convert(module)
    assert str(module) == before
    assert str(first) == str(second)


@pytest.mark.parametrize(
    "text", [kernels.saxpy(), kernels.gemm(order="grouped 8", persistent=True), kernels.row_softmax()]
)
def test_without_kernel_checks_the_unchecked_build_is_the_same(text: str) -> None:
    module = kernels.parse(text)
    assert str(convert(module)) == str(convert(module, checks=False)) == str(convert(module, checks="trap"))
    assert contract(module) == contract(module, False) == contract(module, "trap")
    assert all(p.kind != "failures" for p in contract(module).entry)


def test_what_is_lowered_keeps_the_places_it_came_from() -> None:
    module = kernels.parse(kernels.gemm(order="grouped 8", persistent=True))
    lowered = convert(module)
    (target,) = lowered.body.block.ops
    assert all(op.location != UNKNOWN_LOC and span_of(op) is not None for op in target.walk())


class TestKernelChecks:
    """Obligations that are met in the kernel."""

    @staticmethod
    def arrays() -> tuple[np.ndarray, np.ndarray]:
        return np.full(10, np.nan, np.float32), np.arange(10, dtype=np.float32)

    def test_pass(self) -> None:
        y, x = self.arrays()
        run(kernels.shifted(), [y, x, 1, 2])
        assert y.tolist() == [8, 10, 12, 14, 8, 10, 12, 14, 8, 10]

    @pytest.mark.parametrize("shift", [3, -1, 2**31 - 1, -(2**31)])
    def test_fail(self, shift: int) -> None:
        y, x = self.arrays()
        with pytest.raises(Rejected) as refused:
            run(kernels.shifted(), [y, x, shift, 1])
        assert refused.value.codes == ("O233",)
        assert "of axis 0 is outside `x`, which has 3 tiles there" in str(refused.value)
        with pytest.raises(Rejected, match="tile index out of bounds: axis 0 of x"):
            run(kernels.shifted(), [y, x, shift, 1], checks="trap")

    def test_no_turn_no_check(self) -> None:
        y, x = self.arrays()
        run(kernels.shifted(), [y, x, 99, 0])
        assert not y.any()

    def test_the_unchecked_build_has_none(self) -> None:
        lowered = convert(kernels.parse(kernels.shifted()), checks=False)
        assert not [op for op in lowered.walk() if isinstance(op, AssertOp)]

    def test_stand_in_front_of_the_loop(self) -> None:
        lowered = convert(kernels.parse(kernels.shifted()), checks="trap")
        (check,) = [op for op in lowered.walk() if isinstance(op, AssertOp)]
        parent = check.parent_op()
        assert parent is not None
        assert parent.name == "cuda_tile.entry"


def test_a_contract_survives_its_json_form() -> None:
    for text in (kernels.saxpy(), kernels.gemm(), kernels.collatz(), kernels.shifted()):
        found = contract(kernels.parse(text))
        assert LaunchContract.from_json(found.to_json()) == found
