"""`math="fast"`: what it makes of kernels, and that errors stay within what docs/language.md says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold.dialects.cuda_tile.ops.arith_float import DivFOp, Exp2Op, ExpOp
from freehold.passes.launch_contract import kernel_of
from freehold.passes.pipeline import contract, convert
from freehold.passes.validate_translation import entry_of, validate_translation
from freehold.runtime.interpreter import run_entry
from freehold.runtime.variants.build import optimised

Array = np.ndarray[Any, Any]
SHAPE = (16, 64)
U = 2.0**-22


def exponential(y: fh.Out["M", "N"], x: fh.Ref["M", "N"], z: fh.Ref["M", "N"]):
    y.store(fh.exp(x.load_like(y)))


def difference(y: fh.Out["M", "N"], x: fh.Ref["M", "N"], z: fh.Ref["M", "N"]):
    t = x.load_like(y)
    y.store(fh.exp(t - t.max(axis=1, keepdims=True)))


def quotient(y: fh.Out["M", "N"], x: fh.Ref["M", "N"], z: fh.Ref["M", "N"]):
    y.store(x.load_like(y) / z.load_like(y))


def by_row(y: fh.Out["M", "N"], x: fh.Ref["M", "N"], z: fh.Ref["M", "N"]):
    y.store(x.load_like(y) / z.load_like(y).max(axis=1, keepdims=True))


def root(y: fh.Out["M", "N"], x: fh.Ref["M", "N"], z: fh.Ref["M", "N"]):
    y.store(fh.sqrt(z.load_like(y)))


def reciprocal_root(y: fh.Out["M", "N"], x: fh.Ref["M", "N"], z: fh.Ref["M", "N"]):
    y.store(fh.rsqrt(z.load_like(y)))


def softmax(y: fh.Out["M", "N"], x: fh.Ref["M", "N"], z: fh.Ref["M", "N"]):
    t = x.load_like(y)
    e = fh.exp(t - t.max(axis=1, keepdims=True))
    y.store(e / e.sum(axis=1, keepdims=True))


def top(x: Array) -> Array:
    return x.max(axis=1, keepdims=True)


Bounded = tuple[Callable[..., None], Callable[[Array, Array], Array], Callable[[Array, Array], Array]]

CASES: list[Bounded] = [
    (exponential, lambda x, z: np.exp(x), lambda x, z: U * (1 + abs(x))),
    (difference, lambda x, z: np.exp(x - top(x)), lambda x, z: U * (1 + abs(x) + abs(top(x)))),
    (quotient, lambda x, z: x / z, lambda x, z: np.full_like(x, U)),
    (by_row, lambda x, z: x / top(z), lambda x, z: np.full_like(x, U)),
    (root, lambda x, z: np.sqrt(z), lambda x, z: np.full_like(x, U)),
    (reciprocal_root, lambda x, z: 1 / np.sqrt(z), lambda x, z: np.full_like(x, U)),
    (
        softmax,
        lambda x, z: np.exp(x - top(x)) / np.exp(x - top(x)).sum(axis=1, keepdims=True),
        lambda x, z: 3e-5 + 0 * x,
    ),
]
"""Kernels, what they compute, and bounds of the relative error."""


def inputs() -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    x = rng.uniform(-80, 80, SHAPE).astype(np.float32)
    return x, np.exp2(rng.uniform(-100, 100, SHAPE)).astype(np.float32)


def close(found: Array, case: Bounded, x: Array, z: Array) -> None:
    _, exact, bound = case
    wide = x.astype(np.float64), z.astype(np.float64)
    with np.errstate(over="ignore", under="ignore"):
        wanted = exact(*wide)
    normal = (abs(wanted) > 2.0**-125) & (abs(wanted) < 2.0**127)  # subnormal results are flushed
    error = abs(found - wanted) / abs(wanted)
    assert normal.mean() > 0.5
    assert (error <= bound(*wide))[normal].all()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_errors_are_within_their_bounds(case: Bounded) -> None:
    kernel = fh.kernel(math="fast")(case[0])
    x, z = inputs()
    module = kernel.verify(fh.partition(np.zeros(SHAPE, np.float32), SHAPE), x, z)
    chosen = optimised(module, "fast")
    lowered = convert(chosen)
    validate_translation(kernel_of(chosen), entry_of(lowered))
    assert not any(isinstance(op, ExpOp) for op in lowered.walk())
    found = np.full(SHAPE, np.nan, np.float32)
    run_entry(lowered, contract(chosen), [found, x, z])
    close(found, case, x, z)


@pytest.mark.cuda
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_errors_are_within_their_bounds_on_a_gpu(case: Bounded) -> None:
    import torch  # pyright: ignore[reportMissingImports] -- only where there is a GPU

    cuda: Any = torch
    x, z = inputs()
    y = cuda.full(SHAPE, float("nan"), device="cuda")
    kernel = fh.kernel(math="fast")(case[0])
    kernel(fh.partition(y, SHAPE), cuda.from_numpy(x).cuda(), cuda.from_numpy(z).cuda()).sync()
    close(y.cpu().numpy(), case, x, z)


def test_a_quotient_by_rows_is_inverted_once_a_row() -> None:
    x, z = inputs()
    module = fh.kernel(by_row).verify(fh.partition(np.zeros(SHAPE, np.float32), SHAPE), x, z)
    before = str(module)
    (division,) = (op for op in optimised(module, "fast").walk() if isinstance(op, DivFOp))
    assert division.result.type.num_elements == SHAPE[0]
    assert str(module) == before
    assert optimised(module) is module


def test_a_kernel_says_how_it_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FREEHOLD_CACHE_DIR", "")
    x, z = inputs()
    given = fh.partition(np.zeros(SHAPE, np.float32), SHAPE), x, z
    precise, fast = (fh.kernel(math=m)(softmax) for m in ("precise", "fast"))
    assert precise.compile(*given, arch="sm_90").cubin != fast.compile(*given, arch="sm_90").cubin
    hinted = fast.with_hints(occupancy=2)
    assert hinted.options.math == "fast"
    assert any(isinstance(op, Exp2Op) for op in optimised(fast.verify(*given), "fast").walk())
    assert "exp2" in fast.explain(*given, arch="sm_90", ir=True)
    with pytest.raises(TypeError, match='`math` is "precise" or "fast", not \'quick\''):
        fh.kernel(math="quick")  # type: ignore[call-overload] # pyright: ignore[reportArgumentType, reportCallIssue]
