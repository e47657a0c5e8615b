"""Numbers of 8 bits, the loss without logits, optimisers, and what is appended to caches, against torch."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from comparing import Case, assembled, close, compared, integers, made

import freehold as fh
from freehold import kernels
from freehold.kernels import optimisers
from freehold.runtime.jit.kernel import Kernel

torch: Any = pytest.importorskip("torch")
F: Any = torch.nn.functional
STEPS = {"int8": 1 / 127, "fp8": 2**-3, "fp8 e5m2": 2**-2, "mxfp8": 2**-3}
"""How far a number may be away, by the largest of its group, or for floats by itself."""


@pytest.mark.parametrize(
    ("format", "group"), [("int8", None), ("fp8", None), ("fp8 e5m2", 64), ("int8", 32), ("mxfp8", 32)]
)
def test_8_bits_and_back(format: str, group: int | None, launched: dict[str, tuple[Kernel, Any]]) -> None:
    x = made((2, 3, 200), torch.float32, 0)
    x[1, 2] = 0
    values, scales = kernels.quantise(x, format, group)
    back = kernels.dequantise(values, scales, torch.float32)
    if group is None:
        top = x.abs().amax(-1, keepdim=True).expand(x.shape)
    else:
        top = (
            F.pad(x, (0, -200 % group))
            .unflatten(-1, (-1, group))
            .abs()
            .amax(-1)
            .repeat_interleave(group, -1)[..., :200]
        )
    assert scales.shape == (*x.shape[:2], *(() if group is None else (-(-200 // group),)))
    bound = STEPS[format] * (top if format == "int8" else x.abs()) * 0.51 + top * 2**-14
    assert ((back - x).abs() <= bound).all()
    assert not back[1, 2].any()
    assembled(launched)


def test_scales_of_bytes_are_the_least_powers_of_two() -> None:
    x = torch.tensor([[448.0, *[0.0] * 31, 449.0, *[0.0] * 31, 1e-30, *[0.0] * 31]])
    scales = kernels.quantise(x, "mxfp8")[1]
    assert scales.tolist() == [[127, 128, scales[0, 2].item()]]
    power = 2.0 ** (int(scales[0, 2]) - 127)
    assert 1e-30 / power <= 448 < 1e-30 / power * 2


@pytest.mark.parametrize(("rows", "columns"), [(6, 40), (1, 100), (20, 100), (100, 90), (150, 40)])
@pytest.mark.parametrize("format", ["int8", "fp8"])
def test_products_of_8_bits(format: str, rows: int, columns: int, launched: dict[str, tuple[Kernel, Any]]) -> None:
    """As transposes, too, and in tiles of few columns, which is how few rows are multiplied."""
    shapes = (rows, 300), (columns, 300), (columns,)
    x, w, bias = (made(shape, torch.float32, n) for n, shape in enumerate(shapes))
    (a, s), (b, t) = kernels.quantise(x, format), kernels.quantise(w, format)
    wanted = kernels.dequantise(a, s, torch.float32).double() @ kernels.dequantise(b, t, torch.float32).double().T
    close(kernels.scaled_linear(a, b, s, t, bias, torch.float32), wanted + bias, 1e-5)
    assembled(launched)


@pytest.mark.parametrize("rows", [6, 100, 150])
def test_products_of_blocks(rows: int) -> None:
    """As transposes, in tiles of 32 columns, and with 150 rows, of which a tile has not all: each has its scales."""
    x, w = made((rows, 200), torch.float32, 0), made((140, 200), torch.float32, 1).to(torch.float8_e4m3fn)
    (a, s), t = kernels.quantise(x, "fp8", 128), made((2, 2), torch.float32, 3)
    unit = t.repeat_interleave(128, 0)[:140].repeat_interleave(128, 1)[:, :200]
    wanted = kernels.dequantise(a, s, torch.float32).double() @ (w.double() * unit).T
    close(kernels.scaled_linear(a, w, s, t, dtype=torch.float32), wanted, 1e-5)


TARGET = integers(30, 11)
TARGET[2] = -100


def test_the_loss_without_logits() -> None:
    case = Case(
        lambda x, w, t: kernels.linear_cross_entropy(x, w, t, label_smoothing=0.125, chunk=4),
        lambda x, w, t: F.cross_entropy(x @ w.T, t, label_smoothing=0.125),
        ((11, 20), (30, 20)),
        (TARGET,),
        9,
    )
    for dtype in (torch.float64, torch.float32):
        compared(case, dtype)
    with torch.no_grad():
        x, w = made((11, 20), torch.float32, 0), made((30, 20), torch.float32, 1)
        close(kernels.linear_cross_entropy(x, w, TARGET), F.cross_entropy(x @ w.T, TARGET), 1e-5)


def lion(p: Any, m: Any, g: Any, lr: float, decay: float) -> None:
    """A step as its authors write it."""
    p.mul_(1 - lr * decay).sub_(lr * (0.9 * m + 0.1 * g).sign())
    m.mul_(0.99).add_(0.01 * g)


OPTIMISERS: dict[str, Any] = {
    "sgd": (partial(optimisers.SGD, lr=0.125), partial(torch.optim.SGD, lr=0.125)),
    "nesterov": tuple(
        partial(kind, lr=0.125, momentum=0.875, weight_decay=2**-6, nesterov=True)
        for kind in (optimisers.SGD, torch.optim.SGD)
    ),
    "sgd that dampens": tuple(
        partial(kind, lr=0.125, momentum=0.875, dampening=0.25) for kind in (optimisers.SGD, torch.optim.SGD)
    ),
    "adam of other numbers": tuple(
        partial(kind, lr=0.125, betas=(0.75, 0.875), eps=2**-4) for kind in (optimisers.Adam, torch.optim.Adam)
    ),
    "adam": tuple(partial(kind, lr=0.125, weight_decay=2**-6) for kind in (optimisers.Adam, torch.optim.Adam)),
    "adamw": tuple(partial(kind, lr=0.125) for kind in (optimisers.AdamW, torch.optim.AdamW)),
}


@pytest.mark.parametrize("name", OPTIMISERS)
def test_steps_of_optimisers(name: str, launched: dict[str, tuple[Kernel, Any]]) -> None:
    ours = [made((33,), torch.float32, 0).requires_grad_(), made((5, 7), torch.float32, 1).t().requires_grad_()]
    theirs = [p.detach().clone().requires_grad_() for p in ours]
    pair = [make(p) for make, p in zip(OPTIMISERS[name], (ours, theirs), strict=True)]
    for turn in range(3):
        for n, both in enumerate(zip(ours, theirs, strict=True)):
            for p in both:
                p.grad = made(tuple(p.shape), torch.float32, 10 * turn + n)
        for optimiser in pair:
            optimiser.step()
    for p, wanted in zip(ours, theirs, strict=True):
        close(p, wanted, 1e-5)
    pair[0].zero_grad()
    assert all(p.grad is None for p in ours)
    assembled(launched)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_options_are_torchs_unless_given(name: str) -> None:
    p = torch.zeros(3)
    (ours,), (theirs,) = (vars(getattr(m, name)([p]))["param_groups"] for m in (optimisers, torch.optim))
    for option in ("lr", "momentum", "dampening", "weight_decay", "nesterov", "eps"):
        assert ours.get(option) == theirs.get(option)
    assert (ours.get("beta1"), ours.get("beta2")) == tuple(theirs.get("betas", (None, None)))
    assert optimisers.Lion([p]).param_groups[0].items() >= {"lr": 1e-4, "beta1": 0.9, "beta2": 0.99}.items()


def test_parameters_of_one_size_are_stepped_together(monkeypatch: pytest.MonkeyPatch) -> None:
    launches: list[int] = []
    launch: Any = vars(optimisers)["_launch"]
    monkeypatch.setattr(optimisers, "_launch", lambda steps: launches.append(len(steps)) or launch(steps))
    like = [made((6,), torch.float32, n).requires_grad_() for n in range(17)]
    other = [made((2, 3), torch.float64, 0), made((7,), torch.float32, 1), torch.zeros(0), torch.zeros(5)]
    optimiser = optimisers.SGD([{"params": [*like[:16], *other]}, {"params": like[16:], "lr": 0.5}], lr=0.25)
    before = [p.detach().clone() for p in (*like, *other)]
    for p in (*like, *other[:3]):
        p.grad = torch.ones_like(p)
    optimiser.step()
    assert launches == [16, 1, 1, 1]  # of one size, dtype and rate; none of an empty one, nor without a gradient
    rates = [0.25] * 16 + [0.5] + [0.25] * 2 + [0.0] * 2
    for p, old, rate in zip((*like, *other), before, rates, strict=True):
        close(p, old - rate, 1e-6) if p.numel() else None
    launches.clear()
    optimisers.SGD(like, lr=0.25).step()
    assert launches == [16, 1]  # at most so many at once
    assert optimiser.state[like[0]]["step"] == 1


def test_lion_and_groups() -> None:
    p, q = (made((33,), torch.float32, n).requires_grad_() for n in range(2))
    optimiser = optimisers.Lion([{"params": [p], "lr": 0.25}, {"params": [q]}], lr=0.125, weight_decay=0.5)
    wanted = [(t.detach().clone(), torch.zeros(33)) for t in (p, q)]
    for turn in range(3):
        for n, (t, (w, m)) in enumerate(zip((p, q), wanted, strict=True)):
            t.grad = made((33,), torch.float32, 7 * turn + n)
            lion(w, m, t.grad, (0.25, 0.125)[n], 0.5)
        optimiser.step()
    for t, (w, _) in zip((p, q), wanted, strict=True):
        close(t, w, 1e-6)


@pytest.mark.parametrize("count", [1, 3])
def test_what_goes_in_front_of_decoding(count: int, launched: dict[str, tuple[Kernel, Any]]) -> None:
    B, H, KH, D, S = 2, 6, 2, 16, 20
    q, k, v = (
        t.unflatten(-1, (-1, D))
        for t in made((B, count, (H + 2 * KH) * D), torch.float32, 0).split((H * D, KH * D, KH * D), -1)
    )
    angle, weights = made((S, D // 2), torch.float32, 1), made((2, D), torch.float32, 2)
    caches, at = torch.zeros(2, B, KH, S, D), torch.tensor([4, 9], dtype=torch.int32)
    found = kernels.rope_append(
        q, k, v, *caches, angle.cos(), angle.sin(), at, q_weight=weights[0], k_weight=weights[1]
    )

    def rotated(t: Any, weight: Any) -> Any:
        here = angle[at[:, None] + torch.arange(count)][:, :, None]
        a, b = F.rms_norm(t, (D,), weight, 1e-6).chunk(2, -1)
        return torch.cat((a * here.cos() - b * here.sin(), b * here.cos() + a * here.sin()), -1).transpose(1, 2)

    close(found, rotated(q, weights[0]), 1e-5)
    keys = rotated(k, weights[1])
    for b in range(B):
        close(caches[0, b, :, at[b] : at[b] + count], keys[b], 1e-5)
        assert torch.equal(caches[1, b, :, at[b] : at[b] + count], v[b].transpose(0, 1))
    assert caches[1].count_nonzero() == v.numel()
    with pytest.raises(fh.LaunchError):
        kernels.append_kv(*caches, keys, keys, torch.tensor([0, S], dtype=torch.int32))
    again = torch.zeros(B, KH, S, D)
    kernels.append_kv(again, again.clone(), keys, keys, at)
    assert all(torch.equal(again[b, :, at[b] : at[b] + count], keys[b]) for b in range(B))
    assembled(launched)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: kernels.quantise(torch.ones(3), "int4"), "not 'int4'"),
        (lambda: kernels.quantise(torch.ones(3), "int8", 24), "not 24"),
        (lambda: kernels.dequantise(torch.ones(3, 4), torch.ones(2)), "are not those"),
        (lambda: kernels.scaled_linear(*(torch.ones(3, 4),) * 2, *(torch.ones(2),) * 2), "do not multiply"),
    ],
)
def test_what_does_not_fit_is_refused(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
