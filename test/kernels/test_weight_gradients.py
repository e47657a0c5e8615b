"""Gradients of convolutions by their weights, of copies that are seen through windows, against torch in float64."""

# What torch has is of no types here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import pytest
from comparing import assembled, made

from freehold import kernels
from freehold.kernels import convolutions
from freehold.kernels.weight_gradients import split
from freehold.runtime.jit.kernel import Kernel

torch: Any = pytest.importorskip("torch")
F: Any = torch.nn.functional

CASES: dict[str, tuple[bool, tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "plain": (False, (2, 16, 9, 20), (24, 16, 3, 3), {}),
    "rows of whole tiles": (False, (2, 16, 3, 64), (24, 16, 3, 3), {"padding": 1}),
    "steps": (False, (2, 16, 9, 50), (24, 16, 3, 5), {"stride": (2, 3), "padding": (1, 2), "dilation": (2, 1)}),
    "one axis": (False, (2, 16, 70), (16, 8, 9), {"stride": 3, "dilation": 4, "groups": 2}),
    "three axes": (
        False,
        (1, 10, 5, 5, 55),
        (8, 10, 2, 3, 4),
        {"stride": (2, 1, 3), "padding": (1, 0, 2), "dilation": (1, 2, 3)},
    ),
    "one place": (False, (3, 16, 8, 8), (24, 8, 1, 1), {"groups": 2}),
    "transposed": (True, (2, 16, 3, 64), (16, 8, 3, 3), {"padding": 1}),
    "transposed steps": (
        True,
        (2, 16, 9, 20),
        (16, 8, 3, 5),
        {"stride": (2, 3), "padding": (1, 2), "dilation": (2, 1), "output_padding": (1, 1), "groups": 2},
    ),
}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small ones are made this way, too."""
    monkeypatch.setattr(convolutions, "_WEIGHTS", 0)


@pytest.mark.parametrize("name", CASES)
def test_against_torch(name: str, launched: dict[str, tuple[Kernel, Any]]) -> None:
    """As precise as float32, and in tf32 more than TF32 is; of 16 bits as near as its own rounding."""
    back, shape, kernel, options = CASES[name]
    theirs = getattr(F, f"conv{'_transpose' if back else ''}{len(shape) - 2}d")
    ours = kernels.conv_transpose if back else kernels.conv
    for bound, dtype, more in (
        (2e-7, torch.float32, {"tf32": False}),
        (2.0**-15, torch.float32, {"tf32": True}),
        (2.0**-8, torch.bfloat16, {}),
        (2.0**-11, torch.float16, {}),
    ):
        x, w = made(shape, dtype, 1), made(kernel, dtype, 2)
        wanted, found = w.double().requires_grad_(), w.clone().requires_grad_()
        y = theirs(x.double(), wanted, **options)
        dy = made(tuple(y.shape), dtype, 3)
        y.backward(dy.double())
        ours(x, found, **options, **more).backward(dy)
        assert found.grad.dtype == dtype
        assert float((found.grad.double() - wanted.grad).norm() / wanted.grad.norm()) <= bound
    assert "weights_of_windows" in launched


def test_kernels_assemble(launched: dict[str, tuple[Kernel, Any]]) -> None:
    x, w = made((1, 16, 5, 64), torch.float32, 1), made((24, 16, 3, 3), torch.float32, 2).requires_grad_()
    kernels.conv(x, w, padding=1).sum().backward()
    assembled({name: launched[name] for name in ("weights_of_windows", "patches_apart")})


def test_float64_is_gathered(launched: dict[str, tuple[Kernel, Any]]) -> None:
    x, w = made((1, 8, 5, 6), torch.float64, 1), made((8, 8, 3, 3), torch.float64, 2).requires_grad_()
    kernels.conv(x, w).sum().backward()
    (wanted,) = torch.autograd.grad(F.conv2d(x, w).sum(), w)
    assert float((w.grad - wanted).norm() / wanted.norm()) <= 1e-14
    assert "convolution_weights" in launched
    assert "weights_of_windows" not in launched


@pytest.mark.parametrize("channels", [16, 64, 100, 512])
@pytest.mark.parametrize("size", [(1, 1, 1), (1, 3, 3), (1, 5, 5), (3, 3, 7)])
@pytest.mark.parametrize("steps", [1, 49, 4096])
def test_parts_have_something_each(channels: int, size: tuple[int, int, int], steps: int) -> None:
    way = split(1, channels, channels, size, steps)
    assert 1 <= way.parts <= steps
    assert size[2] % way.taps == 0
    assert way.taps * way.channels[0] * way.channels[1] <= 32768  # registers of a block, half of them for sums
