"""Convolutions of channels each by itself, and their gradients, against torch in float64."""

# What torch has is of no types here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import pytest
from comparing import assembled, made

from freehold import kernels
from freehold.kernels.depthwise import fitting
from freehold.kernels.schedules import ceildiv
from freehold.runtime.jit.kernel import Kernel

torch: Any = pytest.importorskip("torch")
F: Any = torch.nn.functional

CASES: dict[str, tuple[bool, tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "plain": (False, (2, 5, 9, 32), (3, 3), {"padding": 1}),
    "steps": (False, (2, 5, 9, 32), (3, 3), {"padding": 1, "stride": 2}),
    "words of two": (False, (2, 5, 9, 30), (3, 5), {"padding": (1, 2), "dilation": (2, 1)}),
    "no words": (False, (2, 5, 33), (7,), {"padding": 3}),
    "padding of more than a word": (False, (1, 3, 4, 4), (3, 7), {"padding": (0, 9), "dilation": (1, 3)}),
    "a window beyond the image": (False, (2, 3, 3, 3), (7, 7), {"padding": 3}),
    "three axes": (False, (1, 3, 4, 6, 16), (3, 3, 3), {"padding": 1, "dilation": (1, 2, 1), "stride": (2, 1, 1)}),
    "transposed": (True, (2, 5, 9, 32), (3, 5), {"padding": (0, 2)}),
    "transposed steps": (True, (2, 5, 9, 32), (3, 3), {"stride": 2, "padding": 1, "output_padding": 1}),
    "no padding": (False, (1, 3, 9, 140), (3, 3), {}),
    "many places": (False, (1, 3, 12, 16), (9, 9), {"padding": 4}),
}


@pytest.mark.parametrize("name", CASES)
def test_against_torch(name: str) -> None:
    back, shape, kernel, options = CASES[name]
    theirs = getattr(F, f"conv{'_transpose' if back else ''}{len(kernel)}d")
    ours = kernels.conv_transpose if back else kernels.conv
    channels = shape[1]
    for bound, dtype in ((1e-6, torch.float32), (2.0**-7, torch.bfloat16), (2.0**-10, torch.float16), (1e-14, None)):
        kind = dtype or torch.float64
        given = [made(s, kind, n) for n, s in enumerate((shape, (channels, 1, *kernel), (channels,)))]
        mine, other = ([t.to(k, copy=True).requires_grad_() for t in given] for k in (kind, torch.float64))
        found, wanted = ours(*mine, groups=channels, **options), theirs(*other, groups=channels, **options)
        assert found.shape == wanted.shape
        assert found.dtype == kind
        dy = made(tuple(wanted.shape), kind, 7)
        found.backward(dy)
        wanted.backward(dy.double())
        for one, right in (
            (found.detach(), wanted.detach()),
            *((m.grad, o.grad) for m, o in zip(mine, other, strict=True)),
        ):
            assert float((one.double() - right).norm() / right.norm()) <= bound


def test_what_is_launched(launched: dict[str, tuple[Kernel, Any]]) -> None:
    """Words, in both directions, and by the weights; each is assembled."""
    x, w = made((1, 2, 8, 64), torch.float32, 1).requires_grad_(), made((2, 1, 3, 3), torch.float32, 2).requires_grad_()
    kernels.conv(x, w, padding=1, groups=2).sum().backward()
    assert {"depthwise_words", "depthwise_sums"} <= set(launched)
    assert not {"depthwise_tiles", "convolution_weights"} & set(launched)
    assembled(launched)


def test_an_infinity_stays_where_windows_see_it() -> None:
    x = torch.zeros(1, 1, 8, 16)
    x[0, 0, 3, 7] = float("inf")
    found = kernels.conv(x, torch.ones(1, 1, 3, 3), padding=1)
    assert torch.equal(found, F.conv2d(x, torch.ones(1, 1, 3, 3), padding=1))
    assert int(found.isinf().sum()) == 9
    assert not bool(found.isnan().any())


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7, 8, 31, 49, 128, 1000])
def test_tiles_fit(n: int) -> None:
    for most in (1, 4, 16):
        size = fitting(n, most)
        assert 1 <= size <= most
        assert size & (size - 1) == 0
        assert ceildiv(n, size) * size * 3 <= 4 * n
