"""Products of float32 in pieces of bf16: exact pieces, every layout, and what has no pieces, against torch."""

# What torch has is of no types here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import pytest
from comparing import assembled, made
from hypothesis import given, settings
from hypothesis import strategies as st

from freehold import kernels
from freehold.kernels import pieces
from freehold.runtime.jit.kernel import Kernel

torch: Any = pytest.importorskip("torch")
SHAPES = (70, 100, 130), (20, 5000, 40), (33, 17, 29)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small products are in pieces, too."""
    monkeypatch.setattr(pieces, "MANY", 0)


def error(found: Any, wanted: Any) -> float:
    return float((found.double() - wanted).norm() / wanted.norm())


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=40))
def test_three_pieces_are_the_element(numbers: list[float]) -> None:
    """To the last bit, but for what is below the least bf16."""
    x = torch.tensor(numbers)
    back = pieces.in_pieces(x.view(1, 1, -1), 3).double().sum(0).view(-1)
    whole = x.abs() >= 2.0**-110
    assert torch.equal(back[whole], x.double()[whole])
    assert (back - x.double()).abs().max() <= 2.0**-134
    two = pieces.in_pieces(x.view(1, 1, -1), 2).double().sum(0).view(-1)
    assert ((two - x.double()).abs() <= x.double().abs() * 2.0**-16 + 2.0**-134).all()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("second", [False, True])
def test_products(shape: tuple[int, int, int], first: bool, second: bool) -> None:
    """No further from float64 than torch's products of float32; in tf32, nearer than TF32 may be."""
    m, k, n = shape
    a = made((k, m), torch.float32, 1).t() if first else made((m, k), torch.float32, 1)
    b = made((n, k), torch.float32, 2).t() if second else made((k, n), torch.float32, 2)
    wanted = a.double() @ b.double()
    assert error(kernels.matmul(a, b), wanted) <= 1.5e-7
    assert error(kernels.matmul(a, b, tf32=True), wanted) <= 2.0**-15


def test_batches_and_epilogues(launched: dict[str, tuple[Kernel, Any]]) -> None:
    a, b = made((3, 20, 40), torch.float32, 1), made((3, 40, 30), torch.float32, 2)
    assert error(kernels.matmul(a, b), a.double() @ b.double()) <= 1.5e-7
    x, w, bias, rest = (made(s, torch.float32, n) for n, s in enumerate(((70, 50), (90, 50), (90,), (70, 90))))
    found = kernels.linear(x, w, bias, activation="relu", residual=rest)
    assert error(found, torch.relu(x.double() @ w.double().t() + bias) + rest) <= 1.5e-7
    assembled(launched)


def test_gradients() -> None:
    a, b = made((40, 50), torch.float32, 1).requires_grad_(), made((50, 30), torch.float32, 2).requires_grad_()
    above = made((40, 30), torch.float32, 3)
    da, db = torch.autograd.grad(kernels.matmul(a, b), (a, b), above)
    assert error(da, above.double() @ b.detach().double().t()) <= 1.5e-7
    assert error(db, a.detach().double().t() @ above.double()) <= 1.5e-7


@pytest.mark.parametrize("K", [40, 3000])
def test_what_has_no_pieces(K: int) -> None:
    """Infinities and NaN, and sums that overflow, are those of float32; so are products near the greatest number."""
    a, b = made((70, K), torch.float32, 1), made((K, 200), torch.float32, 2)
    a[3, 5], b[7, 150], a[65, 1], b[1, 2] = float("inf"), float("nan"), float("-inf"), 0.0
    a[10] = 0.0
    a[10, 4], b[4] = torch.finfo(torch.float32).max, 1.0
    found, wanted = kernels.matmul(a, b), a @ b
    finite = wanted.isfinite()
    assert torch.equal(found[~finite].nan_to_num(), wanted[~finite].nan_to_num())
    assert (found[10, 0], found[10, 5]) == (a[10, 4], a[10, 4])
    assert ((found - wanted)[finite].abs() <= 1e-5 * wanted[finite].abs().clamp_min(1.0)).all()


@pytest.mark.parametrize("options", [{}, {"causal": False}, {"window": 40}])
def test_attention(options: dict[str, Any], launched: dict[str, tuple[Kernel, Any]]) -> None:
    """Of 64 queries or more, in pieces: as near to float64 as torch's float32 is."""
    q, k, v = (made((1, heads, 70, 24), torch.float32, n) for n, heads in enumerate((4, 2, 2)))
    back = torch.arange(70)[:, None] - torch.arange(70)[None, :]
    seen = (back < options.get("window", 70)) & ((back >= 0) | (not options.get("causal", True)))
    attend = torch.nn.functional.scaled_dot_product_attention
    wanted = attend(q.double(), k.double(), v.double(), attn_mask=seen, enable_gqa=True)
    assert error(kernels.attention(q, k, v, **options), wanted) <= 3e-7
    assert "attention_tiles" in launched
