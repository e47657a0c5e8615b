"""Contraction: one rounding where a kernel has two, unless it says otherwise; validation tells them apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.ops.arith_float import FmaOp, MulFOp, NegFOp
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
