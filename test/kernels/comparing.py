"""How the library's functions are compared with torch's: cases, random tensors, and how close is close."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from answers import NOTE, compiles

import freehold as fh
from freehold.runtime.jit.kernel import Kernel

torch: Any = pytest.importorskip("torch")


class Case(NamedTuple):
    """A function, what torch makes of the same arguments, and the shapes of the arguments that are differentiated."""

    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    others: tuple[Any, ...] = ()
    """Arguments that have no gradient."""
    slack: float = 3
    """How many times the bound an element may be away."""


BOUNDS = {torch.float32: 2e-6, torch.float64: 1e-13, torch.bfloat16: 2**-8}
"""Of an element, relative to itself or to the root mean square of all of its tensor, whichever is larger."""


def integers(below: int, *shape: int, seed: int = 5) -> Any:
    return torch.randint(0, below, shape, generator=torch.Generator().manual_seed(seed))


def made(shape: tuple[int, ...], dtype: Any, seed: int) -> Any:
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(shape, generator=generator, dtype=torch.float64) + 0.5).to(dtype)


def inputs(case: Case, dtype: Any) -> tuple[list[Any], list[Any]]:
    """What is differentiated, and the other arguments, in a dtype."""
    given = [made(shape, dtype, n).requires_grad_() for n, shape in enumerate(case.shapes)]
    return given, [t.to(dtype) if torch.is_tensor(t) and t.is_floating_point() else t for t in case.others]


def tuple_of(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def close(found: Any, wanted: Any, bound: float) -> None:
    found, wanted = found.detach(), wanted.detach()
    size = wanted.double().square().mean().sqrt()
    error = (found.double() - wanted.double()).abs() / wanted.double().abs().maximum(size).clamp_min(1e-300)
    assert found.shape == wanted.shape
    assert error.max() <= bound, float(error.max())


def compared(case: Case, dtype: Any) -> None:
    """Asserts that results and gradients are those of torch in float64, and that no kernel is warned of."""
    given, others = inputs(case, dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error", fh.KernelWarning)
        found = tuple_of(case.ours(*given, *others))
    wide = [t.detach().double().requires_grad_() for t in given]
    wanted = tuple_of(
        case.theirs(*wide, *(t.double() if torch.is_tensor(t) and t.is_floating_point() else t for t in others))
    )
    if not given or not found[0].requires_grad:
        for ours, theirs in zip(found, wanted, strict=True):
            close(ours, theirs, case.slack * BOUNDS[dtype])
        return
    above = [made(tuple(t.shape), t.dtype, 100 + n) for n, t in enumerate(found)]
    gradients = torch.autograd.grad(found, given, above)
    of_torch = torch.autograd.grad(wanted, wide, [t.double() for t in above])
    for ours, theirs in zip((*found, *gradients), (*wanted, *of_torch), strict=True):
        close(ours, theirs, case.slack * BOUNDS[dtype])


_assembled: set[str] = set()


def assembled(launched: dict[str, tuple[Kernel, Any]]) -> None:
    """
    Asserts that what was launched has nothing unsafe, and that each kernel assembles: the first time it is seen.

    Which time is the first depends on how tests are shared among processes, so answers are noted of all times.
    """
    for kernel, specialisation in launched.values():
        if kernel.__name__ not in _assembled or NOTE in os.environ:
            _assembled.add(kernel.__name__)
            assert kernel.options.deny_unsafe
            assert compiles(kernel, specialisation, "sm_90")
