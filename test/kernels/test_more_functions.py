"""Reductions, scans, losses, experts, convolutions, pooling and norms of channels, against torch; all assembled."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportCallIssue=false

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from answers import compiles
from comparing import BOUNDS, Case, assembled, close, compared, inputs, integers, made, tuple_of

from freehold import kernels
from freehold.kernels import counts
from freehold.kernels.operators import operator
from freehold.kernels.patches import taken
from freehold.kernels.row_schedules import ByColumns
from freehold.runtime.jit.kernel import Kernel

torch: Any = pytest.importorskip("torch")
F: Any = torch.nn.functional
EPS = 2**-17


def hinge(x: Any, t: Any) -> Any:
    return (1 - x * t).clamp(min=0).mean()


def run(x: Any, dim: int, *, reverse: bool = False, exclusive: bool = False, mask: Any = None) -> Any:
    """A running sum."""
    x = x if mask is None else x * mask
    found = x.flip(dim).cumsum(dim).flip(dim) if reverse else x.cumsum(dim)
    return found - x if exclusive else found


def mixture(k: int, normalize: bool, x: Any, logits: Any, gate_up: Any, down: Any) -> Any:
    """Each token by its experts, one after the other."""
    weights, experts = torch.softmax(logits, 1).topk(k, 1)
    if normalize:
        weights = weights / weights.sum(1, keepdim=True)
    half = gate_up.shape[1] // 2
    rows: list[Any] = []
    for token, w, chosen in zip(x, weights, experts, strict=True):
        hidden = [gate_up[e] @ token for e in chosen]
        rows.append(
            sum(
                w[n] * (down[e] @ (F.silu(h[:half]) * h[half:]))
                for n, (e, h) in enumerate(zip(chosen, hidden, strict=True))
            )
        )
    return torch.stack(rows)


APART: dict[str, Any] = {"stride": (1, 2, 3), "padding": (0, 2, 1), "dilation": (3, 1, 2)}
"""No two axes alike."""
STARTS = torch.tensor([0, 5, 5, 45, 50], dtype=torch.int32), torch.tensor([0, 9, 9, 49, 60], dtype=torch.int32)


def one_by_one(causal: bool, q: Any, k: Any, v: Any) -> Any:
    """Attention of each sequence by itself."""
    found: list[Any] = []
    for a, b, c, d in zip(*(t[n:][:4].tolist() for t in STARTS for n in (0, 1)), strict=True):
        keys, values = (t[c:d].repeat_interleave(2, 1) for t in (k, v))
        s = torch.einsum("ihd,jhd->hij", q[a:b], keys) / 4
        if causal:
            s = s.masked_fill(torch.ones(b - a, d - c).tril(d - c - b + a) == 0, -torch.inf)
        found.append(torch.einsum("hij,jhe->ihe", torch.softmax(s, -1), values))
    return torch.cat(found)


def recurrent(q: Any, k: Any, v: Any, gate: Any = None) -> Any:
    """Linear attention with all pairs."""
    s = (q @ k.transpose(-1, -2)).tril()
    if gate is not None:
        g = gate.abs().neg().cumsum(-1)
        s = s * (g[..., :, None] - g[..., None, :]).tril().exp()
    return s @ v


MOE = (21, 24), (21, 7), (7, 20, 24), (7, 24, 10)
WIDE = {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2), "groups": 2}
TURNED = {"stride": (2, 3), "padding": (1, 0), "output_padding": (1, 1), "groups": 2, "dilation": (1, 2)}
MASK = integers(2, 3, 700).bool()
CASES: dict[str, Case] = {
    "sum": Case(lambda x: kernels.reduce(x, "sum", 1), lambda x: x.sum(1), ((3, 70, 5),), (), 9),
    "mean of all": Case(lambda x: kernels.reduce(x, "mean"), lambda x: x.mean(), ((3, 5000),), (), 9),
    "squares": Case(
        lambda x: kernels.reduce(x, "square sum", (1, 2), True),
        lambda x: (x * x).sum((1, 2), True),
        ((3, 7, 5),),
        (),
        9,
    ),
    "cumsum": Case(partial(kernels.cumsum, dim=1), partial(run, dim=1), ((3, 70, 5),), (), 40),
    "cumsum backwards, in parts": Case(
        partial(kernels.cumsum, dim=-1, reverse=True, exclusive=True),
        partial(run, dim=-1, reverse=True, exclusive=True),
        ((2, 5000),),
        (),
        200,
    ),
    "cumsum, masked": Case(partial(kernels.cumsum, mask=MASK), partial(run, dim=-1, mask=MASK), ((3, 700),), (), 100),
    "mse_loss": Case(kernels.mse_loss, F.mse_loss, ((6, 50),), (made((6, 50), torch.float64, 7),)),
    "smooth_l1_loss": Case(
        partial(kernels.smooth_l1_loss, reduction="sum"),
        partial(F.smooth_l1_loss, reduction="sum"),
        ((6, 50),),
        (made((6, 50), torch.float64, 7),),
    ),
    "kl_div": Case(
        partial(kernels.kl_div, reduction="batchmean"),
        partial(F.kl_div, reduction="batchmean"),
        ((6, 50),),
        (made((6, 50), torch.float64, 7).relu(),),
    ),
    "hinge": Case(
        lambda x, t: kernels.pair_loss(x, t, "hinge"), hinge, ((6, 50),), (made((50,), torch.float64, 7).sign(),)
    ),
    "triplet": Case(kernels.triplet_margin_loss, F.triplet_margin_loss, ((6, 50), (6, 50), (6, 50)), (), 40),
    "moe": Case(partial(kernels.moe, k=3), lambda *a: mixture(3, True, *a), MOE, (), 40),
    "moe, not normalised": Case(
        partial(kernels.moe, k=2, normalize=False), lambda *a: mixture(2, False, *a), MOE, (), 40
    ),
    "transpose": Case(kernels.transpose, lambda x: x.mT.contiguous(), ((2, 3, 40, 70),)),
    "varlen_attention": Case(
        lambda q, k, v: kernels.varlen_attention(q, k, v, *STARTS, most=44, scale=0.25),
        partial(one_by_one, True),
        ((50, 4, 12), (60, 2, 12), (60, 2, 20)),
        (),
        40,
    ),
    "varlen_attention, not causal": Case(
        lambda q, k, v: kernels.varlen_attention(q, k, v, *STARTS, causal=False, scale=0.25),
        partial(one_by_one, False),
        ((50, 4, 12), (60, 2, 12), (60, 2, 20)),
        (),
        40,
    ),
    "linear_attention": Case(
        lambda q, k, v, g: kernels.linear_attention(q, k, v, g.abs().neg()),
        recurrent,
        ((1, 2, 70, 12), (1, 2, 70, 12), (1, 2, 70, 20), (1, 2, 70)),
        (),
        400,
    ),
    "linear_attention without decay": Case(
        kernels.linear_attention, recurrent, ((1, 2, 40, 12), (1, 2, 40, 12), (1, 2, 40, 20)), (), 40
    ),
    "conv1d": Case(partial(kernels.conv, stride=2), partial(F.conv1d, stride=2), ((2, 4, 20), (5, 4, 3)), (), 9),
    "conv2d": Case(
        partial(kernels.conv, **WIDE), partial(F.conv2d, **WIDE), ((2, 6, 9, 11), (8, 3, 3, 5), (8,)), (), 9
    ),
    "conv3d": Case(
        partial(kernels.conv, **APART), partial(F.conv3d, **APART), ((1, 2, 6, 8, 9), (3, 2, 2, 3, 2)), (), 9
    ),
    "conv, depthwise": Case(
        partial(kernels.conv, padding=(0, 1), groups=6),
        partial(F.conv2d, padding=(0, 1), groups=6),
        ((2, 6, 9, 11), (6, 1, 1, 2), (6,)),
        (),
        9,
    ),
    "conv_transpose": Case(
        partial(kernels.conv_transpose, **TURNED),
        partial(F.conv_transpose2d, **TURNED),
        ((2, 6, 9, 11), (6, 4, 3, 2), (8,)),
        (),
        9,
    ),
    "max_pool": Case(lambda x: kernels.max_pool(x, 3, 2, 1), lambda x: F.max_pool2d(x, 3, 2, 1), ((2, 3, 9, 11),)),
    "max_pool of volumes": Case(
        lambda x: kernels.max_pool(x, (2, 1, 2), (1, 2, 3), (1, 0, 1), (3, 1, 2)),
        lambda x: F.max_pool3d(x, (2, 1, 2), (1, 2, 3), (1, 0, 1), (3, 1, 2)),
        ((1, 2, 5, 6, 7),),
    ),
    "depthwise of whole windows": Case(
        partial(kernels.conv, stride=(2, 1), dilation=(1, 2), groups=3),
        partial(F.conv2d, stride=(2, 1), dilation=(1, 2), groups=3),
        ((2, 3, 7, 140), (3, 1, 3, 5), (3,)),
        (),
        40,
    ),
    "max_pool of neighbours": Case(
        lambda x: kernels.max_pool(x, 5, 1, 2, 3), lambda x: F.max_pool1d(x, 5, 1, 2, 3), ((2, 1, 1040),)
    ),
    "avg_pool of neighbours": Case(
        lambda x: kernels.avg_pool(x, 8, 1, 4), lambda x: F.avg_pool1d(x, 8, 1, 4), ((1, 2, 1040),)
    ),
    "max_pool side by side": Case(lambda x: kernels.max_pool(x, 2), lambda x: F.max_pool2d(x, 2), ((2, 3, 39, 44),)),
    "max_pool side by side, places apart": Case(
        lambda x: kernels.max_pool(x, 2, dilation=2), lambda x: F.max_pool2d(x, 2, dilation=2), ((2, 3, 9, 22),)
    ),
    "avg_pool side by side": Case(
        lambda x: kernels.avg_pool(x, (1, 4)), lambda x: F.avg_pool2d(x, (1, 4)), ((2, 2, 5, 155),)
    ),
    "avg_pool": Case(
        lambda x: kernels.avg_pool(x, (3, 2, 1), (2, 1, 3), (1, 0, 0)),
        lambda x: F.avg_pool3d(x, (3, 2, 1), (2, 1, 3), (1, 0, 0)),
        ((2, 3, 4, 5, 6),),
    ),
    "group_norm": Case(
        lambda x, w, b: kernels.group_norm(x, 2, w, b, EPS),
        lambda x, w, b: F.group_norm(x, 2, w, b, EPS),
        ((3, 6, 9, 11), (6,), (6,)),
        (),
        40,
    ),
    "instance_norm": Case(
        partial(kernels.instance_norm, eps=EPS), partial(F.instance_norm, eps=EPS), ((3, 6, 90),), (), 40
    ),
    "batch_norm": Case(
        lambda x, w, b: kernels.batch_norm(x, w, b, EPS)[0],
        lambda x, w, b: F.batch_norm(x, None, None, w, b, True, 0.1, EPS),
        ((3, 6, 9, 11), (6,), (6,)),
        (),
        40,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_results_and_gradients(name: str) -> None:
    compared(CASES[name], torch.float64)


SLOWLY = "varlen_attention", "varlen_attention, not causal", "max_pool"
"""What the assembler is slow at: rows that begin anywhere, and windows that are written out."""


@pytest.mark.parametrize("name", [name for name in CASES if name not in SLOWLY])
def test_kernels_assemble(name: str, launched: dict[str, tuple[Kernel, Any]]) -> None:
    """In bfloat16, as they are used; double precision takes the assembler long."""
    given, others = inputs(CASES[name], torch.bfloat16)
    loss: Any = sum(t.sum() for t in tuple_of(CASES[name].ours(*given, *others)))
    loss.backward()
    assembled(launched)


@pytest.mark.parametrize(
    "name",
    ["sum", "cumsum", "mse_loss", "moe", "conv2d", "max_pool", "group_norm", "varlen_attention", "linear_attention"],
)
def test_other_dtypes(name: str) -> None:
    """In float32 against torch, and in bfloat16, whose results are near those of float32, and in one piece."""
    case = CASES[name]
    compared(case, torch.float32)
    given, others = inputs(case, torch.bfloat16)
    with torch.no_grad():
        found = tuple_of(case.ours(*given, *others))
        wanted = tuple_of(case.theirs(*(t.float() for t in given), *others))
    for ours, theirs in zip(found, wanted, strict=True):
        assert (ours.float() - theirs.float()).norm() <= 2e-2 * theirs.float().norm()


@pytest.mark.parametrize("name", ["cumsum", "moe", "conv2d", "avg_pool"])
def test_one_piece(name: str) -> None:
    """As `torch.compile` sees the functions, also where it is the first to see one."""
    case = CASES[name]
    given, others = inputs(case, torch.float32)
    torch.compiler.reset()
    compiled = torch.compile(lambda *a: case.ours(*a), fullgraph=True, backend="aot_eager")
    for ours, theirs in zip(tuple_of(compiled(*given, *others)), tuple_of(case.ours(*given, *others)), strict=True):
        torch.testing.assert_close(ours, theirs)


SHIFTED: dict[str, tuple[Any, Any, dict[str, Any], tuple[int, ...], tuple[int, ...]]] = {
    "2d": (kernels.conv, F.conv2d, {"padding": 1}, (2, 16, 9, 11), (24, 16, 3, 3)),
    "2d in groups, with strides": (kernels.conv, F.conv2d, WIDE, (2, 32, 9, 11), (8, 16, 3, 5)),
    "3d": (kernels.conv, F.conv3d, APART, (2, 16, 6, 7, 9), (5, 16, 2, 3, 2)),
    "1d with strides": (kernels.conv, F.conv1d, {"stride": 2}, (2, 16, 33), (20, 16, 3)),
    "transposed": (kernels.conv_transpose, F.conv_transpose2d, {"padding": 1}, (2, 16, 9, 11), (16, 8, 3, 3)),
}


@pytest.mark.parametrize("name", SHIFTED)
def test_convolutions_of_many_channels(name: str, launched: dict[str, tuple[Kernel, Any]]) -> None:
    """In bfloat16, where windows are shifts of a padded image; gradients, too."""
    ours, theirs, options, shape, taps = SHIFTED[name]
    x, w = (made(size, torch.bfloat16, n).requires_grad_() for n, size in enumerate((shape, taps)))
    wide = [t.detach().double().requires_grad_() for t in (x, w)]
    bias = made((theirs(*wide, **options).shape[1],), torch.bfloat16, 2)
    found, wanted = ours(x, w, bias, **options), theirs(*wide, bias.double(), **options)
    above = made(tuple(found.shape), torch.bfloat16, 3)
    gradients = torch.autograd.grad(found, (x, w), above)
    of_torch = torch.autograd.grad(wanted, wide, above.double())
    for one, other in zip((found, *gradients), (wanted, *of_torch), strict=True):
        close(one, other, BOUNDS[torch.bfloat16])
    assert taken(x.unflatten(1, (options.get("groups", 1), -1)), (1,), False)
    assembled(launched)


def test_extremes(launched: dict[str, tuple[Kernel, Any]]) -> None:
    x = made((3, 70, 50), torch.float32, 0)
    x[1, 3] = x[1, 60] = 9.0
    x[2, 40, 7] = float("nan")
    assert torch.equal(kernels.reduce(x, "amax", 1).nan_to_num(99), x.amax(1).nan_to_num(99))
    assert torch.equal(kernels.reduce(x[:2], "amin"), x[:2].amin())
    assert torch.equal(kernels.argmax(x, 1), x.argmax(1))
    assert torch.equal(kernels.argmin(x, -1, keepdim=True), x.argmin(-1, keepdim=True))
    close(kernels.normalize(x[:2], 2, 1), F.normalize(x[:2].double(), 2.0, 1), 2e-6)
    close(kernels.normalize(x[:2], 1, (1, 2), mean=True, eps=0), x[:2] / x[:2].abs().mean((1, 2), True), 2e-6)
    close(kernels.cumprod(1 + x[:2] / 1e4, -1), (1 + x[:2].double() / 1e4).cumprod(-1), 2e-5)
    close(kernels.cumprod(1 + x[:1].view(1, -1) / 1e6), (1 + x[:1].view(1, -1).double() / 1e6).cumprod(1), 1e-3)
    assembled(launched)


@pytest.mark.parametrize("shape", [(300, 5), (3, 9, 7), (2, 4100, 3), (1, 5000), (2, 70000), (200, 1, 130)])
def test_extremes_of_what_is_all_of_one_sign(shape: tuple[int, ...]) -> None:
    """Where a tile has more than there is, that is none of it."""
    x = made(shape, torch.float32, 3).abs() + 1
    for axis in range(len(shape)):
        assert torch.equal(kernels.reduce(-x, "amax", axis), (-x).amax(axis))
        assert torch.equal(kernels.reduce(x, "amin", axis), x.amin(axis))
        assert torch.equal(kernels.argmax(-x, axis), (-x).argmax(axis))
        assert torch.equal(kernels.argmin(x, axis), x.argmin(axis))


def test_extremes_of_equals(launched: dict[str, tuple[Kernel, Any]]) -> None:
    """The first of equals, of infinities and of NaN, along an axis whose rows begin at no 16 bytes."""
    x = made((3, 256, 33), torch.float32, 1)
    x[0, 5, 3] = x[0, 9, 3] = x[0, 10, 4] = float("nan")
    x[1, 7, 2] = x[1, 200, 2] = 100.0
    x[2, :, 4], x[2, :, 5] = float("-inf"), 1.0
    assert torch.equal(kernels.argmax(x, 1), x.argmax(1))
    assert torch.equal(kernels.argmin(x, 1), x.argmin(1))
    assert torch.equal(kernels.reduce(x, "amin", 1).nan_to_num(99), x.amin(1).nan_to_num(99))
    for kind, wanted in (("mean", x[1:2].double().mean(1)), ("square sum", x[1:2].double().square().sum(1))):
        close(kernels.reduce(x[1:2], kind, 1), wanted, 2e-6)
    assembled(launched)


def test_norms_that_stay_in_registers(launched: dict[str, tuple[Kernel, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of float32 that several multiprocessors have, and an axis that a tile has the whole of."""
    reductions: Any = importlib.import_module("freehold.kernels.reductions")
    monkeypatch.setattr(reductions, "LONGEST", 256)
    monkeypatch.setattr(reductions, "PROCESSORS", 1)
    x = made((3, 1501), torch.float32, 2)
    close(kernels.normalize(x), F.normalize(x.double()), 2e-6)
    close(kernels.normalize(x, 1, mean=True, eps=0), x / x.abs().mean(1, True), 2e-6)
    y = made((2, 50, 70), torch.float32, 3)
    close(kernels.normalize(y, 2, 1), F.normalize(y.double(), 2.0, 1), 2e-6)
    assembled(launched)


def test_divergence_is_that_of_logarithms(launched: dict[str, tuple[Kernel, Any]]) -> None:
    p, q = (made((5, 300), torch.float32, n).softmax(-1) for n in (4, 5))
    q[0, 3] = 0.0
    p.requires_grad_()
    found, wanted = kernels.divergence(p, q, "batchmean"), F.kl_div(p.log(), q, reduction="batchmean")
    close(found.detach(), wanted.detach(), 2e-6)
    close(torch.autograd.grad(found, p)[0], torch.autograd.grad(wanted, p)[0], 2e-6)
    assembled(launched)


def test_divergence_of_little(launched: dict[str, tuple[Kernel, Any]]) -> None:
    """Zeros of either, and probabilities that float32 keeps few bits of."""
    p, q = torch.full((4, 8), 0.125), torch.full((4, 8), 0.125)
    q[0], q[1, 0], p[2, 0] = 0.0, 1e-41, 2.0**-120
    found = torch.stack([kernels.divergence(p[n : n + 1], q[n : n + 1], "sum") for n in range(4)])
    close(found, torch.tensor([0.0, 0.0, 0.125 * 117 * math.log(2.0), 0.0]), 1e-6)
    p[3, 0] = 0.0
    assert kernels.divergence(p, q, "sum").item() == math.inf
    assembled(launched)


def test_losses_of_many_rows(launched: dict[str, tuple[Kernel, Any]]) -> None:
    """More rows than blocks add up parts of, in rows of the whole, and in rows that share a target."""
    x, t = (made((2, 1100, 4096), torch.float32, n) for n in (6, 7))
    close(kernels.mse_loss(x, t), (x.double() - t.double()).square().mean(), 2e-6)
    row = t[0, 0].sign()
    close(kernels.pair_loss(x, row, "hinge"), (1 - x.double() * row).clamp(min=0).mean(), 2e-6)
    assembled(launched)


@pytest.mark.parametrize("N", [32768, 40960, 65536])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=str)
def test_long_rows_of_whole_tiles(dtype: Any, N: int, launched: dict[str, tuple[Kernel, Any]]) -> None:
    """Rows of which a part stays in registers, and which are walked back from the end."""
    x, residual, w, b = (made(s, dtype, n) for n, s in enumerate(((2, N), (2, N), (N,), (N,))))
    wide, weight = x.double() + 3.0, w.double()
    x = wide.to(dtype)
    wide, bound = x.double(), BOUNDS[dtype]
    close(kernels.softmax(x), wide.softmax(-1), bound)
    close(kernels.rms_norm(x, w, EPS), F.rms_norm(wide, (N,), weight, EPS), bound)
    close(kernels.layer_norm(x, w, b, EPS), F.layer_norm(wide, (N,), weight, b.double(), EPS), bound)
    found, total = kernels.add_rms_norm(x, residual, w, EPS)
    assert torch.equal(total, x + residual)
    close(found, F.rms_norm(total.double(), (N,), weight, EPS), bound)
    assembled(launched)


def test_rows_of_which_a_part_stays_in_registers(launched: dict[str, tuple[Kernel, Any]]) -> None:
    """The longest row for which schedules hold the most tiles, in each dtype."""
    for dtype in (torch.float32, torch.bfloat16):
        x = made((2, 1 << 17), dtype, 3)
        close(kernels.softmax(x), x.double().softmax(-1), BOUNDS[dtype])
        close(kernels.log_softmax(x), x.double().log_softmax(-1), BOUNDS[dtype])
    assembled(launched)


def test_rows_of_which_several_blocks_have_one(
    launched: dict[str, tuple[Kernel, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    norms = importlib.import_module("freehold.kernels.norms")
    monkeypatch.setattr(norms, "way_of", lambda *_, **__: ByColumns(2048, 8, 4))
    x, w, b = (made(s, torch.float32, n) for n, s in enumerate(((3, 2, 8192), (8192,), (8192,))))
    for shifted, bias in ((x + 50.0, b), (x, None)):
        wanted = F.layer_norm(shifted.double(), (8192,), w.double(), None if bias is None else b.double(), EPS)
        close(kernels.layer_norm(shifted, w, bias, EPS), wanted, 2e-5)
    tall = made((17, 8192), torch.float32, 3)
    close(kernels.layer_norm(tall, w, b, EPS), F.layer_norm(tall.double(), (8192,), w.double(), b.double(), EPS), 2e-5)
    assert "scaled_columns" in launched
    assembled(launched)


@pytest.mark.parametrize(
    ("asked", "rows", "length"),
    [*((a, *s) for a in (False, True) for s in ((300, 512), (300, 1024), (300, 4096), (3, 16384))), (False, 3, 20736)],
)
def test_moments_are_written_where_gradients_are_asked_for(
    asked: bool,
    rows: int,
    length: int,
    launched: dict[str, tuple[Kernel, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And of long rows always. Where they are not, nothing is allocated for them."""
    allocated: list[Any] = []
    plain = torch.Tensor.new_empty
    monkeypatch.setattr(torch.Tensor, "new_empty", lambda *a, **k: (allocated.append(plain(*a, **k)), allocated[-1])[1])
    shapes = (rows, length), (length,), (length,)
    x, w, b = (made(s, torch.bfloat16, n).requires_grad_(asked) for n, s in enumerate(shapes))
    results = kernels.rms_norm(x, w, EPS), kernels.layer_norm(x, w, b, EPS), *kernels.add_rms_norm(x, x, w, EPS)
    moments = 4 if asked or length > 16384 else 0
    assert sorted(t.dim() for t in allocated) == [1] * moments + [2] * 4
    assert [r.requires_grad for r in results] == [asked] * 4
    norms = {name: kernel for name, (kernel, _) in launched.items() if "norm" in name}
    assert len(norms) == 3
    for name, kernel in norms.items():
        there = [p.name for p in kernel.signature.parameters if p.is_tensor and p.name in ("mean", "rstd")]
        assert there == ((["mean"] if "layer" in name else []) + ["rstd"] if asked or length > 16384 else []), name
    assembled(launched)
    with torch.no_grad():  # what asks for none has the same results, whoever could
        again = kernels.rms_norm(x, w, EPS), kernels.layer_norm(x, w, b, EPS), *kernels.add_rms_norm(x, x, w, EPS)
    assert all(torch.equal(one, other) for one, other in zip(results, again, strict=True))


@pytest.mark.parametrize(
    ("shape", "size", "step", "edge", "kernel"),
    [
        ((1, 2, 33, 70), 32, 32, 0, "mean_of_rows"), ((1, 1, 64, 40), (32, 3), (32, 1), 0, "mean_of_rows"),
        ((2, 3, 33, 41), (4, 2), (4, 2), 0, "pool_beside"), ((2, 3, 17, 103), (1, 8), (1, 8), 0, "pool_beside"),
        ((2, 3, 17, 13), (5, 7), (5, 7), 0, "pool_by_place"), ((2, 3, 17, 20), (7, 10), (7, 10), 0, "mean_of_rows"),
        ((2, 3, 17, 13), (2, 2), (2, 2), 0, "pool_rows_of_windows"),
        ((1, 2, 7, 350), (3, 3), (3, 3), 0, "pool_by_place"), ((1, 2, 35, 300), 11, 11, 0, "mean_of_windows"),
        ((1, 1, 64, 340), (32, 16), (32, 16), 0, "mean_of_windows"),
        ((1, 1, 2, 7, 330), (1, 3, 4), (1, 3, 4), 0, "mean_of_windows"),
        ((2, 3, 12, 13), (3, 2), (3, 2), 0, "pool_rows_of_windows"), ((1, 2, 35, 130), 11, 11, 0, "mean_of_rows"),
        ((2, 3, 17, 13), (4, 2), (5, 2), 0, "pool_tiles"),
        ((2, 3, 18, 13), (4, 2), (4, 2), (1, 0), "pool_rows_of_windows"),
        ((1, 2, 66, 9), (33, 2), (33, 2), 0, "pool_tiles"), ((1, 2, 2, 16, 12), (2, 4, 4), (2, 4, 4), 0, "pool_tiles"),
    ],
)  # fmt: skip
def test_windows_that_lie_side_by_side_are_loaded_in_rows(
    shape: tuple[int, ...], size: Any, step: Any, edge: Any, kernel: str, launched: dict[str, tuple[Kernel, Any]]
) -> None:
    x = made(shape, torch.float32, 1)
    flat = len(shape) == 4
    mean, largest = (F.avg_pool2d, F.max_pool2d) if flat else (F.avg_pool3d, F.max_pool3d)
    close(kernels.avg_pool(x, size, step, edge), mean(x.double(), size, step, edge), BOUNDS[torch.float32])
    assert kernel in launched
    if kernel in ("pool_beside", "mean_of_windows"):
        assert list(launched) == [kernel]
        x.view(-1)[::7] = float("nan")
        assert torch.equal(*(t.nan_to_num(9) for t in (kernels.max_pool(x, size, step), largest(x, size, step))))
    assembled(launched)


def test_histogram(launched: dict[str, tuple[Kernel, Any]]) -> None:
    x = torch.tensor([0.0, 0.5, 1.0, 1.5, 4.0, -0.1, 4.1, float("nan"), float("inf"), 1e30] * 300)
    found = kernels.histogram(x, 8, 0.0, 4.0)
    assert found.tolist() == [300, 300, 300, 300, 0, 0, 0, 300]
    with pytest.raises(ValueError, match="from 1 to 1"):
        kernels.histogram(x, 3, 1, 1)
    assert "sum_of_counts" not in launched
    many = made((200_000,), torch.float32, 1)  # are counted in several rows
    assert torch.equal(kernels.histogram(many, 70, -1.0, 1.0).double(), torch.histc(many, 70, -1.0, 1.0).double())
    assert "sum_of_counts" in launched
    assembled(launched)


@pytest.mark.parametrize("bins", [1, 7, 100, 256, 257])
def test_histogram_of_pairs(
    launched: dict[str, tuple[Kernel, Any]], bins: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "_PAIRED", 5000)
    monkeypatch.setattr(counts, "_FILLED", 2000)
    x = made((5301,), torch.float32, 1)  # the last pair of tiles has one
    x[:6] = torch.tensor([float("nan"), float("inf"), -float("inf"), 1e30, 1.0, -1.0])
    expected = torch.histc(x[1:], bins, -1.0, 1.0).double()
    assert torch.equal(kernels.histogram(x, bins, -1.0, 1.0).double(), expected)
    assert ("histogram_pairs" in launched) == ("sum_of_pairs" in launched) == (bins < 257)
    assembled(launched)


@pytest.mark.parametrize(
    ("offsets", "narrow"),
    [
        *(((0, *some), 48) for some in ((3, 3, 40, 41, 70), (0, 0, 0, 70, 70), (16, 32, 48, 64, 70), (1, 1, 1, 2, 4))),
        ((0, 70, 70, 70, 70, 70), 136),
        ((0, 0, 130, 300, 300, 700), 136),
        ((0, 0, 130, 300, 300, 420), 48),
    ],
)
def test_groups_of_rows(offsets: tuple[int, ...], narrow: int, launched: dict[str, tuple[Kernel, Any]]) -> None:
    """Groups of a few rows, empty ones, of whole tiles and a part of one, and fewer rows than groups."""
    x, w = (made(s, torch.bfloat16, n).requires_grad_() for n, s in enumerate(((offsets[-1], 64), (5, narrow, 64))))
    wide = [t.detach().double().requires_grad_() for t in (x, w)]
    found = kernels.grouped_linear(x, w, torch.tensor(offsets, dtype=torch.int32))
    wanted = torch.cat([wide[0][a:b] @ wide[1][e].t() for e, (a, b) in enumerate(pairwise(offsets))])
    above = made(tuple(found.shape), torch.bfloat16, 3)
    gradients = torch.autograd.grad(found, (x, w), above)
    of_torch = torch.autograd.grad(wanted, wide, above.double())
    for one, other in zip((found, *gradients), (wanted, *of_torch), strict=True):
        close(one, other, BOUNDS[torch.bfloat16])
    assembled(launched)


@pytest.mark.parametrize("offsets", [(0, 5, 5, 9), (3, 5, 5, 9), (0, 0, 0, 0)])
def test_groups_of_rows_whose_offsets_leave_rows_out(offsets: tuple[int, ...]) -> None:
    """The first group begins with the first row, and the last ends with the last, as tokens of no expert need it."""
    x, w = made((20, 32), torch.float32, 0), made((3, 16, 32), torch.float32, 1)
    found = kernels.grouped_linear(x, w, torch.tensor(offsets, dtype=torch.int32))
    bounds = [0, *offsets[1:-1], 20]
    wanted = torch.cat([x[a:b] @ w[e].t() for e, (a, b) in enumerate(pairwise(bounds))])
    close(found, wanted, BOUNDS[torch.float32])


@pytest.mark.parametrize("tokens", [1, 300, 1500])  # in one tile, a few, and many
def test_rows_by_expert(tokens: int) -> None:
    experts = integers(8, tokens, 3).int() - 1  # -1 is no expert's number
    offsets, slot, source = kernels.sort_by_expert(experts, 7)
    flat = experts.view(-1).long()
    assert torch.equal(offsets.diff().long(), torch.bincount(flat[flat >= 0], minlength=7))
    count = int(offsets[-1])
    assert torch.equal(source[:count].long(), torch.argsort(flat, stable=True)[-count:])
    assert torch.equal(slot.view(-1)[source[:count].long()], torch.arange(count, dtype=torch.int32))
    assert (slot.view(-1)[flat < 0] == -1).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("normalize", [True, False])
def test_experts_of_equal_logits_and_of_none(normalize: bool, dtype: Any) -> None:
    """Each is chosen once: the first of equals, where 0.0 equals -0.0, and those of -inf when no others are left."""
    inf = float("inf")
    rows = [-0.0, 0.0, 2.0, -inf, 2.0, -1.0], [-inf, -inf, 1.0, -inf, -inf, -inf], [5.0, inf, -inf, -3.0, -3.0, 4.0]
    logits = torch.tensor(rows, dtype=dtype)
    weights, experts = kernels.route(logits, 5, normalize=normalize)
    assert experts.tolist() == [[2, 4, 0, 1, 5], [2, 0, 1, 3, 4], [1, 0, 5, 3, 4]]
    wanted = logits[:2].double().softmax(1).gather(1, experts[:2].long())
    close(weights[:2], wanted, 1e-6)
    assert weights[2].isnan().any()  # as a softmax with an infinity is


def test_a_logit_that_is_no_number_is_chosen_first() -> None:
    nan = float("nan")
    weights, experts = kernels.route(torch.tensor([[1.0, -nan, 3.0], [nan, nan, 3.0]]), 2)
    assert experts.tolist() == [[1, 2], [0, 1]]
    assert weights[:, 0].isnan().all()


@pytest.mark.parametrize("dim", [2, -3, 5])
@pytest.mark.parametrize(
    "call",
    [
        lambda x, dim: kernels.reduce(x, "sum", dim), lambda x, dim: kernels.reduce(x, "amax", (0, dim)),
        kernels.argmax, kernels.cumsum, kernels.cumprod, lambda x, dim: kernels.normalize(x, 2, dim),
        lambda x, dim: kernels.topk(x, 1, dim),
    ],
)  # fmt: skip
def test_axes_that_are_not_there(call: Any, dim: int) -> None:
    with pytest.raises(IndexError, match=rf"no axis {dim} of \(3, 4\): its axes are 0 to 1, or -2 to -1"):
        call(torch.ones(3, 4), dim)


def test_a_tensor_without_axes() -> None:
    assert kernels.reduce(torch.tensor(2.0), "sum").shape == ()
    assert kernels.reduce(torch.tensor(2.0), "mean").item() == 2.0
    with pytest.raises(IndexError, match="a scalar has none"):
        kernels.argmax(torch.tensor(2.0))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: kernels.reduce(torch.ones(3), "max"), "not 'max'"),
        (lambda: kernels.reduce(torch.ones(3, 3, 3), "sum", (0, 2)), "neighbours"),
        (lambda: kernels.reduce(torch.ones(3, 3), "sum", ()), "neighbours"),
        (lambda: kernels.reduce(torch.ones(3, 3), "sum", (0, -2)), "each axis once"),
        (lambda: kernels.normalize(torch.ones(3), 3), "1 or 2"),
        (lambda: kernels.cumsum(torch.ones(3), mask=torch.ones(2)), "as large"),
        (lambda: kernels.pair_loss(torch.ones(3), torch.ones(2), "squared"), "a target for each"),
        (lambda: kernels.pair_loss(torch.ones(3), torch.ones(3), "cubed"), "not 'cubed'"),
        (lambda: kernels.mse_loss(torch.ones(3), torch.ones(3), "none"), "not 'none'"),
        (lambda: kernels.route(torch.ones(3, 4), 5), "1 to E"),
        (lambda: kernels.transpose(torch.ones(3)), "two axes or more"),
        (lambda: kernels.linear_attention(*(torch.ones(1, 2, 3, 4),) * 3, torch.ones(3)), "a decay for each"),
        (lambda: kernels.conv(torch.ones(1, 4, 5), torch.ones(3, 3, 2)), "no convolution"),
        (lambda: kernels.conv(torch.ones(1, 4, 5), torch.ones(3, 4, 9)), "does not fit"),
        (lambda: kernels.max_pool(torch.ones(1, 4), 2), "one to three axes"),
        (lambda: kernels.avg_pool(torch.ones(1, 4, 5), 6), "does not fit"),
        (lambda: kernels.group_norm(torch.ones(1, 4, 5), 3), "4 channels in 3"),
    ],
)
def test_what_does_not_fit_is_refused(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_an_operator_that_is_first_used_while_torch_traces() -> None:
    def doubled(y: Any, x: Any) -> None:
        y.copy_(2 * x)

    twice = operator("first_used_in_a_trace(Tensor x) -> Tensor", results=lambda x: x.new_empty(x.shape))(doubled)
    compiled = torch.compile(lambda x: twice(x) + 1, fullgraph=True, backend="aot_eager")
    x = made((3, 5), torch.float32, 0)
    for _ in range(2):
        torch.testing.assert_close(compiled(x), 2 * x + 1)
    torch.testing.assert_close(twice(x), 2 * x)
    torch.testing.assert_close(compiled(x), 2 * x + 1)


@pytest.mark.parametrize("columns", [65, 98, 100, 127])
@pytest.mark.parametrize(
    "options", [{}, {"reverse": True}, {"exclusive": True}, {"mask": True}, {"product": True}], ids=lambda o: "".join(o)
)
def test_columns_of_one_warp_assemble(options: dict[str, Any], columns: int, launched: dict[str, Any]) -> None:
    x = made((600, 9, columns), torch.bfloat16, 1)  # the fewest that are narrow and many: see `column_parts`
    if "product" in options:
        found, wanted = kernels.cumprod(x, 1), x.double().cumprod(1)
    else:
        asked = {**options, "mask": x > 0} if "mask" in options else options
        found, wanted = kernels.cumsum(x, 1, **asked), run(x.double(), 1, **asked)
    close(found, wanted, BOUNDS[torch.bfloat16] * 10)
    ((kernel, specialisation),) = launched.values()
    assert dict(kernel.options.hints)["num_worker_warps"] == 1
    assert compiles(kernel, specialisation, "sm_90")
