"""Contraction: one rounding where a kernel has two, unless it says otherwise; validation tells them apart."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "fuzz"))

import fuzz_contraction
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.ops.arith_float import FmaOp, MulFOp, NegFOp
from freehold.passes import contract_multiply_add
from freehold.passes.launch_contract import kernel_of
from freehold.passes.pipeline import contract, convert
from freehold.passes.validate_translation import entry_of, validate_translation
from freehold.runtime.interpreter import run_entry
from freehold.support.diagnostic import Rejected


def sums(y: fh.Out["N"], a: fh.Ref["N"], b: fh.Ref["N"]):
    p, q = a.load_like(y), b.load_like(y)
    t = p * q + p
    t = t - q * p
    t = -p * t - q
    t = q * q - p * -t
    y.store(q - (-p) * -q + t)


def branches(y: fh.Out["N"], a: fh.Ref["N"], b: fh.Ref["N"], STATIC: fh.Const[bool] = True):
    """Values that reach a sum through a loop, a branch of the running kernel, and one that is decided before."""
    p, q = a.load_like(y), b.load_like(y)
    t = -(p * q)
    if STATIC:
        t = -t
    for k in range(3):
        t = t * q + p
        if k == y.index[0]:
            t = p - t * q
    y.store(t - p)


def arguments() -> tuple[Any, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(100).astype(np.float32) for _ in range(2))
    return fh.partition(np.zeros(100, np.float32), 32), a, b


def through_bytecode(lowered: ModuleOp) -> Any:
    return entry_of(read_bytecode(write_bytecode(lowered)))


KERNELS = (sums, branches)


@pytest.mark.parametrize("function", KERNELS)
def test_what_is_contracted_is_what_was_verified(function: Callable[..., None]) -> None:
    module = fh.kernel(function).verify(*arguments())
    lowered = convert(module)
    assert any(isinstance(op, FmaOp) for op in lowered.walk())
    validate_translation(kernel_of(module), through_bytecode(lowered))
    with pytest.raises(Rejected, match="O140"):
        validate_translation(kernel_of(module), through_bytecode(lowered), contracted=False)


@pytest.mark.parametrize("function", KERNELS)
def test_roundings_are_kept_where_that_is_asked_for(function: Callable[..., None]) -> None:
    module = fh.kernel(function).verify(*arguments())
    lowered = convert(module, contract=False)
    assert not any(isinstance(op, FmaOp) for op in lowered.walk())
    for contracted in (True, False):
        validate_translation(kernel_of(module), through_bytecode(lowered), contracted=contracted)


def test_a_kernel_says_whether_it_is_contracted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FREEHOLD_CACHE_DIR", "")
    cubins = [fh.kernel(contract=c)(sums).compile(*arguments(), arch="sm_90").cubin for c in (True, False)]
    assert cubins[0] != cubins[1]


@pytest.mark.parametrize("function", KERNELS)
def test_results_differ_by_roundings_alone(function: Callable[..., None]) -> None:
    kernel = fh.kernel(function)
    part, a, b = arguments()
    module = kernel.verify(part, a, b)
    results: list[np.ndarray[Any, Any]] = []
    for contracted in (True, False):
        y = np.zeros(100, np.float32)
        run_entry(convert(module, contract=contracted), contract(module), [y, a, b])
        results.append(y)
    kernel(part, a, b).sync()
    assert np.array_equal(results[1], part.array)  # the interpreter rounds each by itself
    assert not np.array_equal(results[0], results[1])
    np.testing.assert_allclose(results[0], results[1], rtol=2e-4, atol=2e-5)


def doubled(y: fh.Out["N"], a: fh.Ref["N"], b: fh.Ref["N"]):
    """A product on both sides of a sum, in front of a loop, in it and in a branch."""
    p, q = a.load_like(y), b.load_like(y)
    r = p * q
    t = (r - r) + (r + r)
    for k in range(3):
        s = p * t
        t = t + (s - s)
        if k == y.index[0]:
            u = q * t
            t = t + (u - u)
    y.store(t)


def test_a_product_is_not_contracted_with_itself() -> None:
    """What is left of a product less itself is nothing, and not the error of its rounding."""
    part, a, b = arguments()
    module = fh.kernel(doubled).verify(part, a, b)
    lowered = convert(module)
    validate_translation(kernel_of(module), through_bytecode(lowered))
    for op in lowered.walk():
        if isinstance(op, FmaOp):
            assert not isinstance(op.acc.owner, MulFOp | NegFOp)
    y = np.zeros(100, np.float32)
    run_entry(lowered, contract(module), [y, a, b])
    assert np.array_equal(y, 2 * (a * b))


def alike(y: fh.Out["N"], a: fh.Ref["N"], b: fh.Ref["N"]):
    """What is 0, however it is rounded: trees less themselves in another order, with signs in other places."""
    p, q = a.load_like(y), b.load_like(y)
    t = (p * q - q * p) + (p * q + -p * q)
    t = t + ((p * q + p * p) - (p * p - -q * p))
    t = t + ((p * 3.0 - q) + (q + p * -3.0))
    t = t + ((p - q) * q + q * (q - p))
    for k in range(2):
        if k == y.index[0]:
            t = t + (q * p - p * q)
    y.store(t)


def test_what_is_equal_however_it_is_rounded_stays_equal() -> None:
    part, a, b = arguments()
    module = fh.kernel(alike).verify(part, a, b)
    lowered = convert(module)
    validate_translation(kernel_of(module), through_bytecode(lowered))
    y = np.ones(100, np.float32)
    run_entry(lowered, contract(module), [y, a, b])
    assert not y.any()


def test_random_trees_keep_their_bounds_and_what_is_exact() -> None:
    """`make fuzz-passes` tries as many as one likes."""
    figures, findings = fuzz_contraction.run(0, range(40))
    assert not findings, findings[0]
    assert figures["contracted"] > 5
    assert fuzz_contraction.attempt(5, 1142) == ("plain", "")  # zeros of both signs are added there
    assert fuzz_contraction.attempt(13, 769) == ("plain", "")  # and there a value less itself


def test_trees_find_products_that_are_told_apart_by_the_order_of_their_factors(monkeypatch: pytest.MonkeyPatch) -> None:
    def apart(ops: list[Any]) -> dict[Any, list[Any]]:
        return {op: [op] for op in ops if isinstance(op, MulFOp)}

    monkeypatch.setattr(contract_multiply_add, "_alike", apart)
    _, findings = fuzz_contraction.run(0, range(5, 8))
    assert any("a tree is not itself" in finding for finding in findings)


def rounded_up(y: fh.Out["N"], a: fh.Ref["N"], b: fh.Ref["N"]):
    p, q = a.load_like(y), b.load_like(y)
    y.store(fh.multiply(-p, q, rounding=fh.Rounding.UP))


def test_a_product_that_is_rounded_up_is_not_the_opposite_of_one_that_is() -> None:
    module = fh.kernel(rounded_up).verify(*arguments())
    lowered = convert(module)
    validate_translation(kernel_of(module), through_bytecode(lowered))
    (negated,) = (op for op in lowered.walk() if isinstance(op, NegFOp))
    (product,) = (op for op in lowered.walk() if isinstance(op, MulFOp))
    product.operands = (negated.source, product.rhs)
    after = NegFOp(product.result)
    assert product.parent is not None
    product.parent.insert_op_after(after, product)
    product.result.replace_uses_with_if(after.result, lambda use: use.operation is not after)
    with pytest.raises(Rejected, match="O140"):
        validate_translation(kernel_of(module), through_bytecode(lowered))


def of_an_fma(change: Callable[[FmaOp], None]) -> Callable[[ModuleOp], None]:
    def plant(lowered: ModuleOp) -> None:
        change(next(op for op in lowered.walk() if isinstance(op, FmaOp)))

    return plant


def swap_factor_and_addend(op: FmaOp) -> None:
    op.operands = (op.lhs, op.acc, op.rhs)


def negate_a_factor(op: FmaOp) -> None:
    negated = NegFOp(op.lhs)
    assert op.parent is not None
    op.parent.insert_op_before(negated, op)
    op.operands = (negated.result, op.rhs, op.acc)


def negate_the_addend(op: FmaOp) -> None:
    negated = NegFOp(op.acc)
    assert op.parent is not None
    op.parent.insert_op_before(negated, op)
    op.operands = (op.lhs, op.rhs, negated.result)


def forget_the_addend(op: FmaOp) -> None:
    product = MulFOp(op.lhs, op.rhs)
    assert op.parent is not None
    op.parent.insert_op_before(product, op)
    op.result.replace_all_uses_with(product.result)
    op.parent.erase_op(op)


FAULTS = (swap_factor_and_addend, negate_a_factor, negate_the_addend, forget_the_addend)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("function", KERNELS)
def test_each_fault_is_found(function: Callable[..., None], fault: Callable[[FmaOp], None]) -> None:
    module = fh.kernel(function).verify(*arguments())
    lowered = convert(module)
    of_an_fma(fault)(lowered)
    with pytest.raises(Rejected) as caught:
        validate_translation(kernel_of(module), through_bytecode(lowered))
    assert caught.value.codes == ("O140",)
