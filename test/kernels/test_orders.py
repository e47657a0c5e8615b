"""What is drawn from logits, rows in order and the largest of rows: against torch, rule by rule."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportCallIssue=false

from __future__ import annotations

from typing import Any

import pytest
from comparing import assembled, close, integers, made

from freehold import kernels
from freehold.runtime.jit.kernel import Kernel

torch: Any = pytest.importorskip("torch")


def kept(logits: Any, temperature: float, top_k: int = 0, top_p: float = 1.0, min_p: float = 0.0) -> Any:
    """Which columns may be drawn."""
    t = logits.double() / temperature
    keep = torch.ones_like(t, dtype=torch.bool)
    if top_k:
        keep = t >= t.topk(top_k, 1).values[:, -1:]
    if top_p < 1:
        weights, where = torch.softmax(t.masked_fill(~keep, -torch.inf), 1).sort(1, descending=True)
        least = (weights.cumsum(1) < top_p).sum(1)
        keep = keep & (t >= t.gather(1, where).gather(1, least[:, None]))
    if min_p:
        keep = keep & (t >= t.amax(1, keepdim=True) + torch.log(torch.tensor(min_p)))
    return keep


RULES: tuple[dict[str, Any], ...] = (
    {"top_k": 4},
    {"top_p": 0.5},
    {"min_p": 0.1},
    {"top_k": 20, "top_p": 0.9, "min_p": 0.03},
)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_what_may_be_drawn(rules: dict[str, Any], dtype: Any, launched: dict[str, tuple[Kernel, Any]]) -> None:
    logits = (made((7, 301), torch.float32, 1) * 2).to(dtype)
    drawn = torch.stack([kernels.sample(logits, seed=n, temperature=0.7, **rules) for n in range(6)])
    allowed = kept(logits, 0.7, **rules)
    assert allowed[torch.arange(7), drawn].all()
    assert (drawn != logits.argmax(1)).any()
    assembled(launched)


def test_it_is_drawn_as_often_as_softmax_says() -> None:
    logits = made((1, 7), torch.float32, 2).repeat(500, 1)
    for given in ({"seed": 3}, {"seed": torch.arange(500)}):
        found = torch.bincount(kernels.sample(logits, temperature=1.5, **given), minlength=7) / 500
        assert (found - torch.softmax(logits[0] / 1.5, 0)).abs().max() < 0.08


def test_a_seed_says_what_is_drawn() -> None:
    logits, seeds = made((5, 300), torch.float32, 3), torch.arange(5)
    once = kernels.sample(logits, seed=seeds)
    assert torch.equal(once.flip(0), kernels.sample(logits.flip(0), seed=seeds.flip(0)))
    assert not torch.equal(once, kernels.sample(logits, seed=seeds + 7))
    warm = torch.tensor([0.0, 0.0, 1.0, 1.0, 0.0])
    mixed = kernels.sample(logits, seed=seeds, temperature=warm)
    assert torch.equal(mixed, torch.where(warm > 0, once, logits.argmax(1)))


def test_the_largest() -> None:
    logits = made((5, 5000), torch.float32, 4)
    logits[1, 3] = logits[1, 4000] = 50.0
    logits[2] = float("-inf")
    logits[2, 77] = -1e30
    assert kernels.greedy(logits).tolist() == logits.argmax(1).tolist()
    ids = torch.tensor([0, 3, 77, 4999, 5000])
    found = kernels.logprobs(logits, ids)
    close(found[:4], torch.log_softmax(logits.double(), 1)[torch.arange(4), ids[:4]], 2e-6)
    assert found[4].isnan()


@pytest.mark.parametrize("descending", [False, True])
def test_rows_in_order(descending: bool, launched: dict[str, tuple[Kernel, Any]]) -> None:
    x = integers(50, 3, 900).float() - 20  # many are equal
    x[0, 5], x[1, 7] = float("nan"), -0.0
    values, where = kernels.sort(x, descending=descending)
    wanted = torch.sort(x, stable=True, descending=descending)
    assert torch.equal(where, wanted.indices)
    assert torch.equal(values.nan_to_num(99), wanted.values.nan_to_num(99))
    for k in (1, 5, 300):
        found = kernels.topk(x, k, largest=descending)
        assert torch.equal(found[1], wanted.indices[:, :k])
    assembled(launched)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "int32", "uint32", "int16", "int8", "uint8"])
def test_order_of_rows_of_several_tiles(dtype: str) -> None:
    """Each bit is what it was, those of NaNs and of zeros below zero too."""
    signed = {1: torch.int8, 2: torch.int16, 4: torch.int32}[getattr(torch, dtype).itemsize]
    bits = torch.cat((integers(1 << 31, 1, 2150), -integers(1 << 31, 1, 2150)), 1).to(signed)
    bits[0, :8] = torch.tensor([0, -1, torch.iinfo(signed).min, torch.iinfo(signed).max, 1, 0, -2, 0])
    bits[0, 3000:3008] = bits[0, :8]
    x = bits.view(getattr(torch, dtype))
    comparable = x.long() if dtype == "uint32" else x
    for descending in (False, True):
        values, where = kernels.sort(x, descending=descending)
        assert torch.equal(where, torch.sort(comparable, stable=True, descending=descending).indices)
        assert torch.equal(values.view(signed), bits.gather(1, where))


@pytest.mark.parametrize("count", [1, 2, 3, 33, 64, 65, 129, 1000, 1024, 1025])
def test_order_of_rows_of_any_length(count: int) -> None:
    x = made((2, count), torch.float32, 7)
    for descending in (False, True):
        wanted = torch.sort(x, stable=True, descending=descending)
        for found, one in zip(kernels.sort(x, descending=descending), wanted, strict=True):
            assert torch.equal(found, one)


def test_order_of_other_axes_and_dtypes_and_gradients() -> None:
    x = integers(100, 40, 6).to(torch.int8) - 50
    assert torch.equal(kernels.sort(x, 0)[1], torch.sort(x, dim=0, stable=True)[1])
    y = made((3, 40), torch.float32, 1).requires_grad_()
    for ours, theirs in (
        (kernels.sort(y)[0], torch.sort(y)[0]),
        (kernels.topk(y.bfloat16(), 3)[0].float(), y.bfloat16().topk(3)[0].float()),
    ):
        above = made(tuple(ours.shape), torch.float32, 5)
        close(*(torch.autograd.grad(t, y, above)[0] for t in (ours, theirs)), 1e-6)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="up to 32 bits"):
        kernels.sort(torch.ones(3, dtype=torch.float64))
    with pytest.raises(ValueError, match="not 4"):
        kernels.topk(torch.ones(3), 4)
    with pytest.raises(ValueError, match=r"\(M, N\)"):
        kernels.greedy(torch.ones(3))
    with pytest.raises(ValueError, match="f32, bf16"):
        kernels.greedy(torch.ones(3, 3, dtype=torch.float64))
