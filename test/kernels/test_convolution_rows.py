"""Convolutions of a copy with its channels last, against torch in float64, transposed ones and their gaps included."""

# What torch has is of no types here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import pytest
from comparing import assembled, made

from freehold import kernels
from freehold.kernels import convolutions
from freehold.kernels.convolution_rows import along
from freehold.runtime.jit.kernel import Kernel

torch: Any = pytest.importorskip("torch")
F: Any = torch.nn.functional

CASES: dict[str, tuple[bool, tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "plain": (False, (2, 16, 9, 20), (24, 16, 3, 3), {}),
    "steps": (False, (2, 16, 9, 50), (24, 16, 3, 5), {"stride": (2, 3), "padding": (1, 2), "dilation": (2, 1)}),
    "rows apart": (False, (1, 16, 12, 30), (24, 16, 3, 5), {"padding": (2, 4), "dilation": (2, 3)}),
    "one axis": (False, (2, 16, 70), (16, 8, 3), {"stride": 3, "dilation": 4, "groups": 2}),
    "three axes": (
        False,
        (1, 10, 5, 5, 55),
        (8, 10, 2, 3, 4),
        {"stride": (2, 1, 3), "padding": (1, 0, 2), "dilation": (1, 2, 3)},
    ),
    "transposed": (True, (2, 16, 9, 20), (16, 8, 3, 3), {}),
    "transposed steps": (
        True,
        (2, 16, 9, 20),
        (16, 8, 3, 5),
        {"stride": (2, 3), "padding": (1, 2), "dilation": (2, 1), "groups": 2},
    ),
    "transposed volume": (
        True,
        (1, 8, 4, 6, 9),
        (8, 8, 3, 5, 2),
        {"stride": (2, 1, 3), "padding": (1, 2, 0), "output_padding": (1, 0, 2), "dilation": (1, 2, 1)},
    ),
    "some places without taps": (True, (1, 8, 5, 6, 9), (8, 8, 3, 3, 3), {"stride": 2, "padding": 1, "dilation": 2}),
}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small convolutions are copied, too."""
    monkeypatch.setattr(convolutions, "_MANY", 0)


@pytest.mark.parametrize("name", CASES)
def test_against_torch(name: str, launched: dict[str, tuple[Kernel, Any]]) -> None:
    """As precise as float32, and in tf32 more than TF32 is; in bfloat16 as near as its own rounding."""
    back, shape, kernel, options = CASES[name]
    x, w = made(shape, torch.float32, 1), made(kernel, torch.float32, 2)
    bias = made((kernel[1] * options.get("groups", 1) if back else kernel[0],), torch.float32, 3)
    theirs = getattr(F, f"conv{'_transpose' if back else ''}{len(shape) - 2}d")
    ours = kernels.conv_transpose if back else kernels.conv
    wanted = theirs(x.double(), w.double(), bias.double(), **options)
    for bound, found in (
        (2e-7, ours(x, w, bias, **options)),
        (2.0**-16, ours(x, w, None, tf32=True, **options) + bias.view(-1, *(1,) * (len(shape) - 2))),
        (2.0**-8, ours(x.bfloat16(), w.bfloat16(), bias.bfloat16(), **options)),
    ):
        assert found.shape == wanted.shape
        assert float((found.double() - wanted).norm() / wanted.norm()) <= bound
    assert "rows_convolved" in launched


def test_kernels_assemble(launched: dict[str, tuple[Kernel, Any]]) -> None:
    x, w = made((1, 16, 9, 40), torch.float32, 1).requires_grad_(), made((24, 16, 3, 3), torch.float32, 2)
    found = kernels.conv(x, w, padding=1)
    (dx,) = torch.autograd.grad(found.sum(), x)
    (wanted,) = torch.autograd.grad(F.conv2d(x, w, padding=1).sum(), x)
    assert (dx - wanted).norm() <= 1e-6 * wanted.norm()
    assembled(launched)


def test_windows_of_one_place(launched: dict[str, tuple[Kernel, Any]]) -> None:
    x, w, bias = (made(s, torch.float32, n) for n, s in enumerate(((2, 32, 5, 7), (24, 16, 1, 1), (24,))))
    wanted = F.conv2d(x.double(), w.double(), bias.double(), groups=2)
    for dtype, options in ((torch.float32, {}), (torch.float32, {"tf32": True}), (torch.bfloat16, {})):
        found = kernels.conv(x.to(dtype), w.to(dtype), bias.to(dtype), groups=2, **options)
        assert float((found.double() - wanted).norm() / wanted.norm()) <= (
            2.0**-8 if options or dtype != x.dtype else 2e-7
        )
    assert {"pointwise_tiles", "rows_convolved"} & set(launched)
    assembled(launched)


@pytest.mark.parametrize("stride", [1, 2, 3, 5])
@pytest.mark.parametrize("dilation", [1, 2, 3])
def test_transposed_ones_are_plain_ones(stride: int, dilation: int) -> None:
    """Every place of the result, and each of its taps, is in one of them."""
    taps, pad, size = 4, 2, 11
    out = (size - 1) * stride - 2 * pad + dilation * (taps - 1) + 1
    seen: dict[int, set[tuple[int, int]]] = {}
    for a in along(out, taps, stride, pad, dilation, True):
        for n in range(a.places):
            at = seen.setdefault(a.first + n * a.every, set())
            at |= {(a.start + n * a.step + i * a.dilation, k) for i, k in enumerate(a.taps)}
    assert set(seen) == set(range(out))
    for o, found in seen.items():
        assert found == {
            ((o + pad - k * dilation) // stride, k) for k in range(taps) if not (o + pad - k * dilation) % stride
        }
