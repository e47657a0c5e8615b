"""
The library's functions on torch tensors, on the CPU: what they return and their gradients against torch in float64,
element by element; `torch.compile`, torch's own checks of operators and of gradients; and their kernels assembled.
"""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from comparing import BOUNDS, Case, assembled, close, compared, inputs, integers, made, tuple_of

from freehold import kernels
from freehold.kernels.activations import KINDS
from freehold.kernels.elsewhere import NAMES
from freehold.runtime.jit.kernel import Kernel

torch: Any = pytest.importorskip("torch")
F: Any = torch.nn.functional


def rotated(x: Any, cos: Any, sin: Any, interleaved: bool = False) -> Any:
    """Rotary embedding of (B, T, H, D)."""
    cos, sin = (t[:, None] if t.dim() == 2 else t[:, :, None] for t in (cos, sin))
    half = x.shape[-1] // 2
    a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])
    pair = a * cos - b * sin, b * cos + a * sin
    return torch.stack(pair, -1).flatten(-2) if interleaved else torch.cat(pair, -1)


def angles(*shape: int) -> tuple[Any, Any]:
    t = torch.arange(0, torch.Size(shape).numel(), dtype=torch.float64).view(shape)
    return t.cos(), t.sin()


def norm(function: Callable[..., Any], eps: float) -> Callable[..., Any]:
    return lambda x, *rest: function(x, x.shape[-1:], *rest, eps)


def add_norm(x: Any, residual: Any, weight: Any) -> tuple[Any, Any]:
    total = x + residual
    return F.rms_norm(total, total.shape[-1:], weight, 2**-20), total


TARGETS = integers(50, 9)
TARGETS[3] = -100
TORCH: dict[str, Callable[..., Any]] = {
    "silu": F.silu,
    "gelu": partial(F.gelu, approximate="tanh"),
    "relu": F.relu,
    "squared relu": lambda x: F.relu(x) ** 2,
    "leaky relu": F.leaky_relu,
    "elu": F.elu,
    "selu": F.selu,
    "hardsigmoid": lambda x: (x / 6 + 0.5).clamp(0, 1),  # torch divides by 6 in float32
    "hardtanh": F.hardtanh,
    "softsign": F.softsign,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "softplus": F.softplus,
}
EPS = 2**-20
CASES: dict[str, Case] = {
    "softmax": Case(kernels.softmax, partial(torch.softmax, dim=-1), ((5, 50),)),
    "softmax of tiles": Case(kernels.softmax, partial(torch.softmax, dim=-1), ((2, 3, 650),)),
    "softmax of long rows": Case(kernels.softmax, partial(torch.softmax, dim=-1), ((2, 33000),)),
    "softmax of an axis": Case(partial(kernels.softmax, dim=1), partial(torch.softmax, dim=1), ((2, 5, 3),)),
    "log_softmax": Case(kernels.log_softmax, partial(torch.log_softmax, dim=-1), ((5, 50),), (), 9),
    "log_softmax of long rows": Case(kernels.log_softmax, partial(torch.log_softmax, dim=-1), ((2, 33000),), (), 40),
    "rms_norm": Case(partial(kernels.rms_norm, eps=EPS), norm(F.rms_norm, EPS), ((2, 3, 50), (50,))),
    "rms_norm of tiles": Case(partial(kernels.rms_norm, eps=EPS), norm(F.rms_norm, EPS), ((3, 650), (650,))),
    "rms_norm of many rows": Case(partial(kernels.rms_norm, eps=EPS), norm(F.rms_norm, EPS), ((1100, 4), (4,))),
    "rms_norm of long rows": Case(partial(kernels.rms_norm, eps=EPS), norm(F.rms_norm, EPS), ((2, 33000), (33000,))),
    "add_rms_norm": Case(partial(kernels.add_rms_norm, eps=EPS), add_norm, ((5, 50), (5, 50), (50,))),
    "layer_norm": Case(partial(kernels.layer_norm, eps=EPS), norm(F.layer_norm, EPS), ((5, 50), (50,), (50,))),
    "layer_norm of tiles": Case(
        partial(kernels.layer_norm, eps=EPS), norm(F.layer_norm, EPS), ((600, 3, 50), (50,), (50,))
    ),
    "layer_norm without bias": Case(
        lambda x, w: kernels.layer_norm(x, w, eps=EPS),
        lambda x, w: F.layer_norm(x, (50,), w, None, EPS),
        ((5, 50), (50,)),
    ),
    "cross_entropy": Case(kernels.cross_entropy, F.cross_entropy, ((9, 50),), (TARGETS,)),
    "cross_entropy of long rows": Case(kernels.cross_entropy, F.cross_entropy, ((2, 33000),), (integers(33000, 2),)),
    "cross_entropy, smoothed sum": Case(
        partial(kernels.cross_entropy, label_smoothing=0.125, reduction="sum"),
        partial(F.cross_entropy, label_smoothing=0.125, reduction="sum"),
        ((9, 50),),
        (TARGETS,),
    ),
    "cross_entropy, each": Case(
        partial(kernels.cross_entropy, ignore_index=7, reduction="none"),
        partial(F.cross_entropy, ignore_index=7, reduction="none"),
        ((9, 50),),
        (integers(50, 9),),
    ),
    **{f"activation {k}": Case(partial(kernels.activation, kind=k), TORCH[k], ((5, 50),)) for k in TORCH},
    "swiglu": Case(kernels.swiglu, lambda g, u: F.silu(g) * u, ((5, 50), (5, 50))),
    "swiglu of halves": Case(
        lambda x: kernels.swiglu(*x.chunk(2, -1)), lambda x: F.silu(x[..., :20]) * x[..., 20:], ((2, 3, 40),)
    ),
    "geglu": Case(kernels.geglu, lambda g, u: TORCH["gelu"](g) * u, ((5, 50), (5, 50))),
    "rope": Case(kernels.rope, rotated, ((2, 5, 3, 24),), angles(5, 12)),
    "rope, interleaved": Case(
        partial(kernels.rope, interleaved=True), partial(rotated, interleaved=True), ((2, 5, 3, 16),), angles(2, 5, 8)
    ),
    "rope of heads first": Case(
        lambda x, c, s: kernels.rope(x.transpose(1, 2), c, s).transpose(1, 2),
        lambda x, c, s: rotated(x.transpose(1, 2), c, s).transpose(1, 2),
        ((2, 3, 5, 16),),
        angles(5, 8),
    ),
    "embedding": Case(
        lambda t, i: kernels.embedding(i, t), lambda t, i: F.embedding(i, t), ((30, 70),), (integers(30, 3, 7),)
    ),
}

CASES.update(
    {
        "matmul": Case(kernels.matmul, torch.matmul, ((20, 30), (30, 40)), (), 6),
        "matmul of transposes": Case(
            lambda a, b: kernels.matmul(a.t(), b.t()), lambda a, b: a.t() @ b.t(), ((30, 20), (40, 30)), (), 6
        ),
        "matmul of batches": Case(kernels.matmul, torch.matmul, ((3, 20, 30), (3, 30, 40)), (), 6),
        "matmul in parts": Case(kernels.matmul, torch.matmul, ((3, 1100), (1100, 20)), (), 20),
        "linear": Case(
            lambda x, w, b, r: kernels.linear(x, w, b, residual=r),
            lambda x, w, b, r: F.linear(x, w, b) + r,
            ((2, 5, 30), (40, 30), (40,), (2, 5, 40)),
            (),
            6,
        ),
        "linear of a vector": Case(kernels.linear, F.linear, ((1, 30), (40, 30), (40,)), (), 6),
        "linear, activated": Case(
            partial(kernels.linear, activation="silu"),
            lambda x, w, b: F.silu(F.linear(x, w, b)),
            ((5, 30), (40, 30), (40,)),
            (),
            20,
        ),
    }
)


def attended(q: Any, k: Any, v: Any, sinks: Any = None, *, causal: bool = True, window: int = 0) -> Any:
    """Attention, with the scores of all pairs."""
    k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], 1) for t in (k, v))
    s = q @ k.transpose(-1, -2) / 4
    place, column = torch.arange(s.shape[-2])[:, None] + s.shape[-1] - s.shape[-2], torch.arange(s.shape[-1])[None]
    hidden = (column > place) & causal
    if window:
        hidden = hidden | (column <= place - window)
    s = s.masked_fill(hidden, float("-inf"))
    if sinks is not None:
        s = torch.cat([s, sinks[None, :, None, None].expand(*s.shape[:3], 1)], -1)
    return torch.softmax(s, -1)[..., : k.shape[2]] @ v


HEADS = ((2, 4, 19, 16), (2, 2, 19, 16), (2, 2, 19, 24))
SOME = ((1, 4, 40, 12), (1, 2, 70, 12), (1, 2, 70, 12))
CASES.update(
    {
        "attention": Case(kernels.attention, attended, HEADS, (), 20),
        "attention of few queries": Case(partial(kernels.attention, scale=0.25), attended, SOME, (), 20),
        "attention of all": Case(
            partial(kernels.attention, scale=0.25, causal=False), partial(attended, causal=False), SOME, (), 20
        ),
        "attention, window and sinks": Case(
            lambda q, k, v, s: kernels.attention(q, k, v, scale=0.25, window=20, sinks=s),
            partial(attended, window=20),
            (*SOME, (4,)),
            (),
            40,
        ),
    }
)


@pytest.mark.parametrize("dtype", BOUNDS, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_results_and_gradients(name: str, dtype: Any, launched: dict[str, tuple[Kernel, Any]]) -> None:
    compared(CASES[name], dtype)
    if dtype is torch.bfloat16:
        assembled(launched)


SMALL = [name for name in CASES if "long" not in name and "many" not in name and "tiles" not in name]


@pytest.mark.parametrize("name", SMALL)
def test_operators_are_what_torch_expects(name: str) -> None:
    """Gradients by differences, in float64, and the function compiled in one piece."""
    case = CASES[name]
    given, others = inputs(case, torch.float64)
    assert torch.autograd.gradcheck(lambda *a: case.ours(*a, *others), tuple(given), fast_mode=True)
    torch.compiler.reset()
    compiled = torch.compile(lambda *a: case.ours(*a), fullgraph=True, backend="aot_eager")
    for ours, theirs in zip(tuple_of(compiled(*given, *others)), tuple_of(case.ours(*given, *others)), strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("sizes", [(5, 30, 40), (3, 1100, 20)], ids=str)
def test_epilogues(sizes: tuple[int, int, int]) -> None:
    """What is fused where nothing is differentiated, also into the sum of parts."""
    m, k, n = sizes
    shapes = (m, k), (n, k), (n,), (m, n)
    x, w, b, r = (made(shape, torch.float32, seed) for seed, shape in enumerate(shapes))
    found = kernels.linear(x, w, b, activation="silu", residual=r)
    close(found, F.silu(F.linear(x.double(), w.double(), b.double())) + r, 1e-4)


def test_products_of_integers_are_exact() -> None:
    a, b = (integers(256, *shape).sub(128).to(torch.int8) for shape in ((20, 30), (30, 40)))
    assert torch.equal(kernels.matmul(a, b), a.int() @ b.int())


def test_empty_tensors() -> None:
    x = torch.empty(0, 8, requires_grad=True)
    weight = torch.ones(8, requires_grad=True)
    y = kernels.rms_norm(x, weight)
    y.sum().backward()
    assert y.shape == (0, 8)
    assert weight.grad.tolist() == [0.0] * 8
    for shape in ((0, 3), (3, 0), (2, 0, 3), (2, 3, 0), (0, 3, 4)):
        x = torch.empty(shape)
        assert kernels.transpose(x).shape == x.mT.shape


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: kernels.activation(torch.ones(3), "swish"), "not 'swish'"),
        (lambda: kernels.cross_entropy(torch.ones(3, 4), torch.zeros(3, dtype=torch.int64), reduction="max"), "max"),
        (lambda: kernels.linear(torch.ones(3, 4), torch.ones(3, 4), activation="swish"), "swish"),
        (lambda: kernels.attention(*(torch.ones(1, 1, n, 8) for n in (5, 4, 4))), "not 5 of 4"),
        (lambda: kernels.attention(*(torch.ones(1, 1, 4, 8) for _ in range(3)), window=0), "at least one"),
        (lambda: kernels.rope(torch.ones(2, 3, 4), torch.ones(3, 2), torch.ones(3, 2)), r"\(2, 3, 4\)"),
    ],
)
def test_what_does_not_fit_is_refused(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_exact_gelu() -> None:
    x = made((5, 50), torch.float32, 0).requires_grad_()
    wide = x.detach().double().requires_grad_()
    y, wanted = kernels.activation(x, "exact gelu"), F.gelu(wide)
    close(y, wanted, 2e-6)
    close(*(torch.autograd.grad(t.sum(), of)[0] for t, of in ((y, x), (wanted, wide))), 2e-6)
    with pytest.raises(ValueError, match="exact gelu is of f32"):
        kernels.activation(wide, "exact gelu")
    assert set(KINDS) == {*TORCH, "exact gelu"}


def test_what_is_no_row_is_seen() -> None:
    loss = kernels.cross_entropy(torch.zeros(3, 4), torch.tensor([1, 4, -1]), reduction="none")
    assert loss.isnan().tolist() == [False, True, True]
    assert kernels.embedding(torch.tensor([1, -1, 4]), torch.ones(4, 2)).sum(1).tolist() == [2.0, 0.0, 0.0]
    x = torch.tensor([[float("-inf")] * 3, [0.0, float("-inf"), 0.0]])
    assert torch.equal(kernels.softmax(x).isnan(), torch.softmax(x, -1).isnan())


def test_names() -> None:
    assert set(kernels.__all__) <= set(dir(kernels))
    for name in kernels.__all__:
        assert getattr(kernels, name).__doc__
    with pytest.raises(AttributeError, match="conv9") as caught:
        kernels.conv9  # noqa: B018 -- what is asked for
    assert (caught.value.name, caught.value.obj) == ("conv9", kernels)  # of which Python makes "Did you mean"


@pytest.mark.parametrize("name", NAMES)
def test_names_of_other_libraries(name: str) -> None:
    assert not hasattr(kernels, name)
    with pytest.raises(AttributeError, match=f"'{name}': {NAMES[name]}"):
        getattr(kernels, name)
    assert NAMES[name].split(".")[1].rstrip("`") in kernels.__all__


def test_arrays_of_other_libraries_are_refused() -> None:
    with pytest.raises(
        TypeError, match=r"rms_norm: x has to be a tensor, not an array of numpy: write `torch.from_dlpack"
    ):
        kernels.rms_norm(torch.ones(2, 8).numpy(), torch.ones(8).numpy())
    assert kernels.rms_norm(torch.from_dlpack(torch.ones(2, 8).numpy()), torch.ones(8)).shape == (2, 8)
