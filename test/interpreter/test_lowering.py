"""The same kernel before and after it is lowered computes the same, in every order and under every schedule.

The lowered one runs in checked mode: its assumptions are true, tokens order its accesses, and none races.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import interpreted as kernels
import numpy as np
import pytest
from evaluate import parse
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from freehold.dialects.cuda_tile.ops.module import TileModuleOp
from freehold.dialects.ownership import DutyAttr, OwingOp, Rung
from freehold.passes.convert_ownership_to_cuda_tile import convert_kernel
from freehold.passes.launch_contract import contract, kernel_of
from freehold.passes.pipeline import verify
from freehold.passes.thread_tokens import thread_tokens
from freehold.runtime.interpreter import Order, run, run_entry
from freehold.support.contract import LaunchContract
from freehold.support.diagnostic import Rejected

SCHEDULES = [
    "",
    "order #ownership.order<column>",
    "order #ownership.order<grouped 2>",
    "blocks #ownership.blocks<persistent>",
    "order #ownership.order<grouped 3> blocks #ownership.blocks<persistent>",
]
RNG = np.random.default_rng(11)


def lowered(text: str) -> tuple[LaunchContract, ModuleOp]:
    """A kernel's contract and entry."""
    module = parse(text)
    verify(module)
    return _lowered(module)


def lowered_all_the_same(text: str) -> tuple[LaunchContract, ModuleOp]:
    """Likewise of a kernel of which somebody has written down that it meets all that it owes."""
    module = parse(text)
    for op in module.walk():
        if isinstance(op, OwingOp):
            op.discharge(*(DutyAttr.of(duty, Rung.PROVED, axis=axis) for duty, axis in op.owed))
    return _lowered(module)


def _lowered(module: ModuleOp) -> tuple[LaunchContract, ModuleOp]:
    found = contract(module)
    kernel = kernel_of(module)
    thread_tokens(kernel)
    made = ModuleOp([TileModuleOp("kernels", [convert_kernel(kernel)])])
    made.verify()
    return found, made


def saxpy() -> list[Any]:
    return [RNG.standard_normal(70, np.float32), RNG.standard_normal(70, np.float32), 2.5]


def gemm() -> list[Any]:
    a, b = RNG.standard_normal((37, 50), np.float32), RNG.standard_normal((50, 70), np.float32)
    return [np.zeros((37, 70), np.float32), a, b]


def copy() -> list[Any]:
    x = RNG.integers(0, 99, (5, 8, 9)).astype(np.int32)
    return [np.zeros((5, 4, 9), np.int32), x]


CASES: list[tuple[str, Callable[[], list[Any]]]] = [(kernels.SAXPY, saxpy)] + [
    (text.replace("SCHEDULE", schedule), arguments)
    for text, arguments in ((kernels.GEMM, gemm), (kernels.COPY, copy))
    for schedule in SCHEDULES
]


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("order", ["increasing", "decreasing", 4])
def test_lowering_changes_nothing(case: int, order: Order) -> None:
    text, make = CASES[case]
    before = make()
    after: list[Any] = [np.array(x) if np.ndim(x) else x for x in before]
    run(parse(text), before, order=order, blocks=3)
    found, module = lowered(text)
    run_entry(module, found, after, order=order, blocks=3, checked=True)
    for x, y in zip(before, after, strict=True):
        assert np.array_equal(x, y)


def in_order() -> list[Any]:
    return [np.zeros(1, np.int32), np.array([3, 5], np.int32)]


IN_ORDER = """
ownership.kernel @in_order(%y: !ownership.tensor<[N], i32>, %q: !ownership.tensor<[B], i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], i32> -> !ownership.partition<mut tile [1], [N], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [1], [N], i32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %l = ownership.unsafe_load "why" %raw[%zero] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    %m = ownership.unsafe_load "why" %raw[%one] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    ownership.unsafe_store "why" %l, %raw[%one] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !cuda_tile.tile<i32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>)
    %o = ownership.unsafe_update "why" %m, %raw[%zero] {mode = #cuda_tile.atomic_rmw_mode<add>, ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<device>} : !cuda_tile.tile<i32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  }
}
"""  # noqa: E501 -- IR has long lines


@pytest.mark.parametrize(("text", "make"), [*CASES[:2], (IN_ORDER, in_order)], ids=["saxpy", "gemm", "in_order"])
def test_tokens_change_nothing(text: str, make: Callable[[], list[Any]]) -> None:
    """Each access that others come after says so, and what joins them finds what it said."""
    before = make()
    after: list[Any] = [np.array(x) if np.ndim(x) else x for x in before]
    module = parse(text)
    verify(module)
    thread_tokens(kernel_of(module))
    run(parse(text), before)
    run(module, after)
    for x, y in zip(before, after, strict=True):
        assert np.array_equal(x, y)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(SCHEDULES),
    st.tuples(st.integers(1, 5), st.integers(2, 9), st.integers(1, 13)),
    st.integers(0, 99),
    st.integers(1, 40),
)
def test_lowering_changes_nothing_for_any_extents(
    schedule: str, extents: tuple[int, int, int], seed: int, blocks: int
) -> None:
    text = kernels.COPY.replace("SCHEDULE", schedule)
    rows, middle, columns = extents
    x = np.arange(rows * middle * columns, dtype=np.int32).reshape(extents)
    before, after = (np.full((rows, middle // 2, columns), -1, np.int32) for _ in range(2))
    run(parse(text), [before, x], order=seed, blocks=blocks, checked=True)
    found, module = lowered(text)
    run_entry(module, found, [after, x], order=seed, blocks=blocks, checked=True)
    assert np.array_equal(before, x[:, : middle // 2])
    assert np.array_equal(after, before)


def test_the_contract_is_held_to() -> None:
    found, module = lowered(kernels.SAXPY)
    y = np.zeros(70, np.float32)
    for wrong in (
        [y, np.zeros(60, np.float32), 1.0],
        [y, np.zeros(140, np.float32)[::2], 1.0],
        [y, y.astype(np.float16), 1],
    ):
        with pytest.raises(Rejected) as refused:
            run_entry(module, found, wrong)
        assert refused.value.codes == ("O530",)
    text = kernels.WITH_A_CHECK
    found, module = lowered(text)
    with pytest.raises(Rejected) as refused:
        run_entry(module, found, [np.zeros(40, np.float32), np.zeros(30, np.float32)])
    assert refused.value.codes == ("O527",)


@pytest.mark.parametrize(
    ("text", "order", "code"),
    [
        (kernels.OVERLAPPING, "increasing", "O523"),
        (kernels.IN_PLACE, "decreasing", "O523"),
        # The first block meets itself: nothing orders its load through the borrow and its store.
        (kernels.IN_PLACE, "increasing", "O525"),
        (kernels.EARLY, "increasing", "O524"),
    ],
)
def test_what_is_wrong_is_found_in_what_was_lowered_too(text: str, order: Order, code: str) -> None:
    """Kernels that the passes refuse, lowered all the same."""
    found, module = lowered_all_the_same(text)
    with pytest.raises(Rejected) as refused:
        run_entry(module, found, [np.zeros(40, np.float32)], order=order, checked=True)
    assert refused.value.codes == (code,)
