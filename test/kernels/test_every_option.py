"""
The library's functions with every combination of their options, of tensors that are larger than a tile on each axis and
overhang on each, in float64 against torch: results and gradients.
"""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from itertools import product
from typing import Any

import pytest
from comparing import Case, close, compared, integers, made

from freehold import kernels
from freehold.kernels import optimisers

torch: Any = pytest.importorskip("torch")
F: Any = torch.nn.functional
BOOLS = False, True
WIDE = torch.float64


def small(monkeypatch: pytest.MonkeyPatch, module: str, **constants: Any) -> None:
    """Bounds of a file of schedules that small tensors pass, too."""
    for name, value in constants.items():
        monkeypatch.setattr(import_module(f"freehold.kernels.{module}"), name, value)


# --- Along an axis ----------------------------------------------------------------------------------------------------

SHAPES = {
    "short": (3, 37, 1),
    "beside others": (2, 37, 70),
    "in parts": (2, 4100, 1),
    "in parts of others": (1, 300, 40),
    "columns of threads": (130, 40, 64),
    "columns of threads, in parts": (2, 300, 80),
}


def running(x: Any, reverse: bool, exclusive: bool, mask: Any) -> Any:
    x = x if mask is None else x * mask
    found = x.flip(1).cumsum(1).flip(1) if reverse else x.cumsum(1)
    return found - x if exclusive else found


@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("reverse", BOOLS)
def test_scans(reverse: bool, shape: str, rows: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """As rows that blocks have, of several tiles, and in parts of an axis."""
    if rows and SHAPES[shape][2] > 1:
        pytest.skip("columns are no rows")
    small(monkeypatch, "scans", PROCESSORS=1 if rows else 132)
    for exclusive, masked in ((False, True), (True, False)):
        mask = integers(2, *SHAPES[shape], seed=8).bool() if masked else None
        options: dict[str, Any] = {"reverse": reverse, "exclusive": exclusive, "mask": mask}
        ours = partial(kernels.cumsum, dim=1, **options)
        compared(Case(ours, partial(running, **options), (SHAPES[shape],), (), 2000), WIDE)
    x = 1 + made(SHAPES[shape], WIDE, 1) / 100
    wanted = x.flip(1).cumprod(1).flip(1) if reverse else x.cumprod(1)
    error = kernels.cumprod(x, 1, reverse=reverse) / wanted - 1
    assert error.abs().max() < 1e-11


AXES = [((3, 37, 70), 1), ((300, 37), 0), ((3, 4100), 1), ((2, 4100, 3), 1), ((3, 5, 37), (1, 2)), ((5, 70), None)]


@pytest.mark.parametrize("keep", BOOLS)
@pytest.mark.parametrize(("shape", "dim"), AXES)
def test_reductions(shape: tuple[int, ...], dim: Any, keep: bool) -> None:
    axes = dim if dim is not None else tuple(range(len(shape)))
    torchs: dict[str, Callable[..., Any]] = {
        "sum": lambda x: x.sum(axes, keep),
        "mean": lambda x: x.mean(axes, keep),
        "square sum": lambda x: x.square().sum(axes, keep),
    }
    for kind, theirs in torchs.items():
        compared(Case(lambda x, k=kind: kernels.reduce(x, k, dim, keep), theirs, (shape,), (), 100), WIDE)
    for sign in (1, -1):  # also where what is beyond the ends would be the largest, and where all but one are alike
        x = sign * (made(shape, WIDE, 3).abs() + 1)
        assert torch.equal(kernels.reduce(x, "amax", dim, keep), x.amax(axes, keep))
        assert torch.equal(kernels.reduce(x, "amin", dim, keep), x.amin(axes, keep))
        if isinstance(dim, int):
            for ours, theirs in ((kernels.argmax, torch.argmax), (kernels.argmin, torch.argmin)):
                narrow = x.float()
                assert torch.equal(ours(narrow, dim, keepdim=keep), theirs(narrow, dim, keepdim=keep))


@pytest.mark.parametrize("mean", BOOLS)
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize(("shape", "dim"), AXES[:-1])
def test_norms_of_vectors(shape: tuple[int, ...], dim: Any, p: int, mean: bool) -> None:
    x = made(shape, WIDE, 4)
    axes = dim if isinstance(dim, tuple) else (dim,)
    size = x.abs().pow(p)
    size = size.mean(axes, True) if mean else size.sum(axes, True)
    for eps in (0.0, 2.0**-7, 2.0**7):
        by = (size + eps) ** (1 / p) if mean else (size ** (1 / p)).clamp_min(eps)
        close(kernels.normalize(x, p, dim, mean=mean, eps=eps), x / by, 1e-12)


# --- Windows ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(2, 3), (3, 1), (1, 4)])
def test_pools(size: tuple[int, int]) -> None:
    pad = size[0] // 2, size[1] // 2
    for given in ((size, 1, 0, (2, 1)), (size, (2, 1), pad), (size, (1, 3), pad, (1, 2)), (size,)):
        largest = Case(
            lambda x, g=given: kernels.max_pool(x, *g), lambda x, g=given: F.max_pool2d(x, *g), ((1, 3, 11, 37),)
        )
        compared(largest, WIDE)
        if len(given) < 4:
            mean = Case(
                lambda x, g=given: kernels.avg_pool(x, *g[:3]),
                lambda x, g=given: F.avg_pool2d(x, *g[:3]),
                ((2, 3, 11, 37),),
            )
            compared(mean, WIDE)


def test_largest_of_windows_of_nothing_but_infinities() -> None:
    """Places beyond the ends are none, and the first of equals has the gradient."""
    for value in (-float("inf"), -1.0, 3.0):
        x = torch.full((1, 2, 5, 7), value, dtype=WIDE, requires_grad=True)
        y = x.detach().clone().requires_grad_()
        found, wanted = kernels.max_pool(x, 3, 2, 1), F.max_pool2d(y, 3, 2, 1)
        assert torch.equal(found, wanted)
        above = made(tuple(found.shape), WIDE, 3)
        assert torch.equal(torch.autograd.grad(found, x, above)[0], torch.autograd.grad(wanted, y, above)[0])


@pytest.mark.parametrize("groups", [1, 2, 6])
@pytest.mark.parametrize("biased", BOOLS)
def test_convolutions(biased: bool, groups: int) -> None:
    for stride, pad, dilation in ((1, (1, 2), (2, 1)), ((2, 3), 0, 1), ((2, 3), (1, 2), (2, 1))):
        options = {"stride": stride, "padding": pad, "dilation": dilation, "groups": groups}
        shapes = (2, 6, 9, 11), (18, 6 // groups, 3, 2), *(((18,),) if biased else ())
        compared(Case(partial(kernels.conv, **options), partial(F.conv2d, **options), shapes, (), 30), WIDE)
        if stride != 1:
            options["output_padding"] = (1, 2)
        shapes = (2, 6, 5, 7), (6, 18 // groups, 3, 2), *(((18,),) if biased else ())
        case = Case(partial(kernels.conv_transpose, **options), partial(F.conv_transpose2d, **options), shapes, (), 30)
        compared(case, WIDE)


@pytest.mark.parametrize("wanted", [(0,), (1,), (2,), (0, 2), (1, 2)])
def test_gradients_of_some_arguments_alone(wanted: tuple[int, ...]) -> None:
    """Those that are not wanted are not computed, and the others are the same."""
    shapes: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
        "conv": (partial(kernels.conv, padding=1), ((2, 6, 9, 11), (8, 6, 3, 3), (8,))),
        "linear": (kernels.linear, ((70, 40), (33, 40), (33,))),
        "layer_norm": (kernels.layer_norm, ((5, 70), (70,), (70,))),
        "attention": (kernels.attention, ((1, 2, 9, 8), (1, 1, 9, 8), (1, 1, 9, 8))),
        "triplet": (kernels.triplet_margin_loss, ((6, 50), (6, 50), (6, 50))),
        "group_norm": (lambda x, w, b: kernels.group_norm(x, 2, w, b), ((2, 4, 9), (4,), (4,))),
    }
    for name, (function, sizes) in shapes.items():
        given = [made(size, WIDE, n) for n, size in enumerate(sizes)]
        everything = [t.clone().requires_grad_() for t in given]
        some = [t.clone().requires_grad_(n in wanted) for n, t in enumerate(given)]
        found, all_of_it = function(*some), function(*everything)
        above = made(tuple(found.shape), WIDE, 9)
        found.backward(above)
        all_of_it.backward(above)
        for n, (one, other) in enumerate(zip(some, everything, strict=True)):
            assert (one.grad is None) == (n not in wanted), name
            assert one.grad is None or torch.equal(one.grad, other.grad), name


# --- Losses -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("shape", [(9, 37), (1, 5), (3, 9000), (70, 7)])
def test_cross_entropy(shape: tuple[int, int], reduction: str) -> None:
    target = integers(shape[1], shape[0])
    target[-1] = 0
    for ignored, smoothing in product((-100, 0, shape[1] - 1), (0.0, 0.375)):
        if reduction == "mean" and bool((target == ignored).all()):
            continue
        options: dict[str, Any] = {"ignore_index": ignored, "label_smoothing": smoothing, "reduction": reduction}
        ours, theirs = partial(kernels.cross_entropy, **options), partial(F.cross_entropy, **options)
        compared(Case(ours, theirs, (shape,), (target,), 40), WIDE)


PAIRS: dict[str, Callable[[Any, Any], Any]] = {
    "squared": lambda x, t: (x - t).square(),
    "smooth l1": lambda x, t: F.smooth_l1_loss(x, t.expand(x.shape), reduction="none"),
    "kl": lambda x, t: F.kl_div(x, t.expand(x.shape), reduction="none"),
    "hinge": lambda x, t: (1 - x * t).clamp(min=0),
}


@pytest.mark.parametrize("kind", PAIRS)
@pytest.mark.parametrize("row", BOOLS)
def test_losses_of_pairs(row: bool, kind: str) -> None:
    for shape, reduction in product(((6, 37), (150, 3), (3, 4096), (2, 3, 5000)), ("mean", "sum", "batchmean")):
        target = 2 * made(shape[-1:] if row else shape, WIDE, 7)
        target = target.abs() if kind == "kl" else target
        by = {"mean": torch.Size(shape).numel(), "sum": 1, "batchmean": shape[0]}[reduction]
        case = Case(
            lambda x, t, r=reduction: kernels.pair_loss(x, t, kind, r),
            lambda x, t, b=by: PAIRS[kind](x, t).sum() / b,
            (shape,),
            (target,),
            40,
        )
        compared(case, WIDE)


def test_losses_of_pairs_at_their_corners() -> None:
    """Slopes where a loss has a corner: torch's, and none of a hinge."""
    x = torch.tensor([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0], dtype=WIDE)
    for kind, target in (("smooth l1", 0.0), ("hinge", 1.0), ("hinge", -1.0), ("kl", 0.0), ("squared", 0.5)):
        t = torch.full_like(x, target)
        given, wide = x.clone().requires_grad_(), x.clone().requires_grad_()
        found, wanted = kernels.pair_loss(given, t, kind, "sum"), PAIRS[kind](wide, t).sum()
        close(found, wanted, 1e-14)
        one, other = torch.autograd.grad(found, given)[0], torch.autograd.grad(wanted, wide)[0]
        other = other.where((x * t != 1) | (kind != "hinge"), 0.0)
        assert torch.equal(one, other), (kind, target)


def test_triplets_at_the_margin() -> None:
    """Rows that are exactly as far as the margin says have a gradient, as torch's, and none beyond it."""
    anchor, near = torch.zeros(4, 1, dtype=WIDE), torch.tensor([[-0.75], [-0.75], [-0.75], [0.25]], dtype=WIDE)
    far = torch.tensor([[-1.25], [-1.0], [-1.5], [0.25]], dtype=WIDE)
    given, wide = ([t.clone().requires_grad_() for t in (anchor, near, far)] for _ in range(2))
    found, wanted = (
        f(*t, 0.5, eps=0.25) for f, t in ((kernels.triplet_margin_loss, given), (F.triplet_margin_loss, wide))
    )
    assert torch.equal(found, wanted)
    for one, other in zip(torch.autograd.grad(found, given), torch.autograd.grad(wanted, wide), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("shape", [(5, 37), (3, 1100)])
def test_triplets(shape: tuple[int, int]) -> None:
    for margin, eps in product((0.5, 30.0), (2.0**-20, 0.25)):
        options: dict[str, Any] = {"margin": margin, "eps": eps}
        ours, theirs = partial(kernels.triplet_margin_loss, **options), partial(F.triplet_margin_loss, **options)
        compared(Case(ours, theirs, (shape,) * 3, (), 100), WIDE)


# --- Others -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sinks", BOOLS)
@pytest.mark.parametrize(("rows", "keys"), [(37, 37), (37, 70), (1, 33)])
def test_attention(rows: int, keys: int, sinks: bool) -> None:
    def theirs(q: Any, k: Any, v: Any, sink: Any = None, *, causal: bool, window: int | None) -> Any:
        k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], 1) for t in (k, v))
        s = q @ k.transpose(-1, -2) * 0.375
        place, column = torch.arange(rows)[:, None] + keys - rows, torch.arange(keys)[None]
        hidden = ((column > place) & causal) | ((column <= place - window) if window else torch.tensor(False))
        s = s.masked_fill(hidden, float("-inf"))
        if sink is not None:
            s = torch.cat([s, sink[None, :, None, None].expand(*s.shape[:3], 1)], -1)
        return torch.softmax(s, -1)[..., :keys] @ v

    for causal, window in ((True, None), (False, 2), (True, 33)):
        options: dict[str, Any] = {"causal": causal, "window": window}
        shapes = (2, 4, rows, 9), (2, 2, keys, 9), (2, 2, keys, 17), *(((4,),) if sinks else ())

        def ours(q: Any, k: Any, v: Any, sink: Any = None, options: Any = options) -> Any:
            return kernels.attention(q, k, v, sinks=sink, scale=0.375, **options)

        compared(Case(ours, partial(theirs, **options), shapes, (), 100), WIDE)


@pytest.mark.parametrize("kind", sorted({"silu", "gelu", "relu", "elu", "selu", "hardsigmoid", "hardtanh", "softplus"}))
def test_activations_far_out_and_at_their_corners(kind: str) -> None:
    x = torch.tensor([-800.0, -30.0, -3.0, -1.0, -1e-300, -0.0, 0.0, 1e-300, 1.0, 3.0, 30.0, 800.0], dtype=WIDE)
    torchs: dict[str, Any] = {"gelu": partial(F.gelu, approximate="tanh")}
    torchs["hardsigmoid"] = lambda x: (x / 6 + 0.5).clamp(0, 1)
    given, wide = x.clone().requires_grad_(), x.clone().requires_grad_()
    found, wanted = kernels.activation(given, kind), torchs.get(kind, getattr(F, kind))(wide)
    torch.testing.assert_close(found, wanted, rtol=1e-13, atol=1e-15)
    one, other = (torch.autograd.grad(t.sum(), x)[0] for t, x in ((found, given), (wanted, wide)))
    corners = (3.0,) if kind == "hardsigmoid" else (1.0,) if kind == "hardtanh" else ()
    inside = torch.tensor([abs(float(v)) not in corners for v in x])
    torch.testing.assert_close(one[inside], other[inside], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("nesterov", BOOLS)
@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW"])
def test_optimisers(kind: str, nesterov: bool) -> None:
    if nesterov and kind != "SGD":
        pytest.skip("has no such momentum")
    every: list[dict[str, Any]] = [
        {"momentum": m, "dampening": 0.0 if nesterov else d, "weight_decay": w, "nesterov": nesterov}
        for m, d, w in ((0.875, 0.0, 0.125), (0.875, 0.25, 0.0), (0.0, 0.25, 0.125))
        if m or not nesterov
    ]
    if kind != "SGD":
        every = [
            {"betas": b, "eps": e, "weight_decay": w}
            for b, e, w in (((0.5, 0.75), 1e-8, 0.0), ((0.875, 0.5), 0.25, 0.125))
        ]
    for options in every:
        ours, theirs = (made((37,), WIDE, 0).requires_grad_() for _ in range(2))
        pair = (
            getattr(optimisers, kind)([ours], lr=0.25, **options),
            getattr(torch.optim, kind)([theirs], lr=0.25, **options),
        )
        for turn in range(3):
            for p, optimiser in zip((ours, theirs), pair, strict=True):
                p.grad = made((37,), WIDE, 1 + turn)
                optimiser.step()
        close(ours, theirs, 1e-6)
