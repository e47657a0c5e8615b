"""The kernels of attention under schedules that the functions would not choose for so little, against float64."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from comparing import made

import freehold as fh
import freehold.kernels
from freehold.kernels.decoding import decode_merge
from freehold.kernels.prefill import (
    MANY,
    attention_backward_keys,
    attention_backward_queries,
    attention_row_dots,
    attention_tiles,
)
from freehold.kernels.walks import attention_strided

torch: Any = pytest.importorskip("torch")

D = 16
SCALE = 0.3


def attended(q: Any, k: Any, v: Any, causal: bool, window: int) -> tuple[Any, Any]:
    """Attention and the logarithms of sums, of queries that are the last of the positions."""
    (S, T), G = (q.shape[2], k.shape[2]), q.shape[1] // k.shape[1]
    back = torch.arange(S)[:, None] + T - S - torch.arange(T)[None, :]
    seen = (back >= 0 if causal else back < T) & (back < (window or T))
    s = (q @ k.repeat_interleave(G, 1).mT * SCALE).masked_fill(~seen, float("-inf"))
    return s.softmax(-1) @ v.repeat_interleave(G, 1), s.logsumexp(-1)


@pytest.mark.parametrize(("causal", "window"), [(True, 0), (False, 0), (True, 13), (False, 13)])
@pytest.mark.parametrize(("S", "T"), [(40, 40), (21, 53)])
@pytest.mark.parametrize(("high", "width"), [(32, 16), (16, 32), (64, 64)])
def test_tiles_of_any_height(high: int, width: int, S: int, T: int, causal: bool, window: int) -> None:
    """The last tiles overhang, and there may be more tiles of keys than one beside a tile of queries, or less."""
    q, do = made((1, 4, S, D), torch.float32, 0), made((1, 4, S, D), torch.float32, 1)
    k, v = made((1, 2, T, D), torch.float32, 2), made((1, 2, T, D), torch.float32, 3)
    exact: Any = tuple(t.double().requires_grad_() for t in (q, k, v))
    wanted, wanted_lse = attended(*exact, causal=causal, window=window)
    gradients = torch.autograd.grad(wanted, exact, do.double())
    o, (lse, less), added = torch.empty_like(q), torch.empty(2, 1, 4, S), torch.empty(1, 4, (S + 1) // 2, 4)
    dq, dk, dv = (torch.empty_like(t) for t in (q, k, v))
    parts = fh.partition(o, (1, 1, high, D)), fh.partition(lse, (1, 1, high))
    attention_tiles(*parts, q, k, v, q[0, 0, 0], SCALE, window, 2, D, width, causal, window > 0).sync()
    attention_row_dots(fh.partition(less, (1, 1, 16)), fh.partition(added, (1, 1, 8, 4)), do, o, lse, D).sync()
    part = fh.partition(dq, (1, 1, high, D))
    attention_backward_queries(part, q, k, v, do, lse, less, SCALE, window, 2, D, width, causal, window > 0).sync()
    parts = fh.partition(dk, (1, 1, width, D)), fh.partition(dv, (1, 1, width, D))
    groups = [t.reshape(1, 2, 2, *t.shape[2:]) for t in (q, do, added)]
    given = groups[0], k, v, *groups[1:], SCALE, window, high, causal, window > 0
    for flags in ((False, False, False), (True, False, True), (False, True, False), (True, True, True)):
        for poisoned in (dk, dv):
            poisoned.fill_(float("nan"))
        attention_backward_keys(*parts, *given, *flags).sync()
        for found, right in zip((o, lse, dq, dk, dv), (wanted, wanted_lse, *gradients), strict=True):
            assert ((found.double() - right).norm() / right.norm()).item() <= 1e-6


def kept(
    q: Any,
    k: Any,
    v: Any,
    causal: bool,
    sinks: Any = None,
    keep: bool = True,
    size: int = 16,
    blocks: int = 0,
    high: int = 16,
) -> tuple[Any, Any]:
    """
    Attention and logarithms of sums by the kernel that keeps the largest score of the first keys, or does not: with 0
    blocks in two loops, with 1 in one. With more, causal, by the kernel of which a head has one block less; else
    without masks where keys are whole tiles.
    """
    o, lse = torch.full_like(q, float("nan")), torch.full(q.shape[:3], float("nan"), dtype=torch.float32)
    parts = fh.partition(o, (1, 1, high, D)), fh.partition(lse, (1, 1, high))
    given: Any = *parts, q, k, v, q[0, 0, 0] if sinks is None else sinks, SCALE
    if causal and blocks > 1:
        attention_strided(*given, blocks - 1, 2, D, size, sinks is not None).sync()
    else:
        whole = blocks > 1 and k.shape[2] % size == 0
        way = int(keep) * (1 + min(blocks, 1))
        attention_tiles(*given, 0, 2, D, size, causal, False, sinks is not None, 0, way, WHOLE=whole).sync()
    return o, lse


@pytest.mark.parametrize("blocks", [0, 1, 2, 5])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("size", [16, 32])
@pytest.mark.parametrize(("S", "T"), [(40, 40), (21, 53), (5, 7), (40, 64)])
@pytest.mark.parametrize("most", [1.0, 12.0, 300.0, -300.0])
def test_scores_that_rise_above_the_first(most: float, S: int, T: int, size: int, causal: bool, blocks: int) -> None:
    """By nothing, by what a walk bears that keeps its largest score, and by what makes it walk again; or they fall."""
    q, v = made((1, 4, S, D), torch.float32, 0), made((1, 2, T, D), torch.float32, 2)
    growing = torch.linspace(0.1, most, T) if most > 0 else torch.linspace(-most, 0.1, T)
    k = made((1, 2, T, D), torch.float32, 1) * growing[:, None]
    wanted, sums = attended(q.double(), k.double(), v.double(), causal, 0)
    found, lse = kept(q, k, v, causal, size=size, blocks=blocks)
    assert ((found.double() - wanted).norm() / wanted.norm()).item() <= 1e-6 * max(1, abs(most))
    assert ((lse.double() - sums).norm() / sums.norm()).item() <= 1e-6


@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("S", "T", "size"), [(256, 256, 128), (200, 256, 64), (130, 160, 32)])
@pytest.mark.parametrize("most", [1.0, 300.0])
def test_tiles_of_128_queries(most: float, S: int, T: int, size: int, causal: bool, blocks: int) -> None:
    """As many as keys, or more, of which the last tile may overhang."""
    q, v = made((1, 2, S, D), torch.float32, 0), made((1, 1, T, D), torch.float32, 2)
    k = made((1, 1, T, D), torch.float32, 1) * torch.linspace(0.1, most, T)[:, None]
    wanted, sums = attended(q.double(), k.double(), v.double(), causal, 0)
    found, lse = kept(q, k, v, causal, size=size, blocks=0 if causal and blocks > 1 else blocks, high=128)
    assert ((found.double() - wanted).norm() / wanted.norm()).item() <= 1e-6 * max(1, most)
    assert ((lse.double() - sums).norm() / sums.norm()).item() <= 1e-6


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("blocks", [0, 1, 2, 5])
@pytest.mark.parametrize("causal", [True, False])
def test_one_row_walks_again_for_its_tile(causal: bool, blocks: int, dtype: Any) -> None:
    """Scores of one row in a tile rise by thousands; those beside it, which would not have to, are as right."""
    q, k, v = (made((1, h, 48, D), dtype, h) for h in (4, 2, 2))
    q[0, 1, 37] *= 500
    k[0, 0, 30] = q[0, 1, 37] / 100
    wanted, sums = attended(q.double(), k.double(), v.double(), causal, 0)
    found, lse = kept(q, k, v, causal, blocks=blocks)
    assert (sums[0, 1, 37] - (q[0, 1, 37].double() @ k[0, 0, :16].double().mT * SCALE).max()).item() > 1000
    assert ((found.double() - wanted).norm() / wanted.norm()).item() <= (1e-5 if dtype is torch.float32 else 6e-3)
    assert ((lse.double() - sums).norm() / sums.norm()).item() <= 1e-6


def test_scores_are_kept_that_may_be() -> None:
    """What is relative to another score is rounded otherwise; what was computed again would be the same."""
    q, k, v = (made((1, h, 40, D), torch.float32, h) for h in (4, 2, 2))
    k[:, :, 16:] *= 3
    found, again = kept(q, k, v, True), kept(q, k, v, True, keep=False)
    for one, other in zip(found, again, strict=True):
        assert not torch.equal(one, other)
        assert ((one - other).norm() / other.norm()).item() <= 1e-6


@pytest.mark.parametrize("blocks", [0, 1, 2, 5])
@pytest.mark.parametrize("causal", [True, False])
def test_sums_of_weights_alone_are_too_large(causal: bool, blocks: int) -> None:
    """Each of them is a number, 2 to the power of 126.9, and nothing comes of their values, which are 0."""
    q, k = torch.zeros(1, 4, 40, D), torch.zeros(1, 2, 40, D)
    q[..., 0], k[:, :, 16:, 0] = 1.0, 126.9 * math.log(2) / SCALE
    _, sums = attended(q.double(), k.double(), k.double(), causal, 0)
    found, lse = kept(q, k, torch.zeros_like(k), causal, blocks=blocks)
    assert not found.any()
    assert ((lse.double() - sums).norm() / sums.norm()).item() <= 1e-6


@pytest.mark.parametrize("blocks", [0, 1, 2, 5])
@pytest.mark.parametrize("large", [1e20, -1e36])
def test_values_so_large_that_weights_above_1_are_too_much(large: float, blocks: int) -> None:
    """No sum of weights is large then, but what they are multiplied by."""
    q, k, v = (made((1, h, 40, D), torch.float32, h) for h in (4, 2, 2))
    k = k * torch.linspace(0.1, 12.0, 40)[:, None]
    v[0, 1, 39, 3] = large
    wanted, sums = attended(q.double(), k.double(), v.double(), True, 0)
    found, lse = kept(q, k, v, True, blocks=blocks)
    assert ((found.double() - wanted).norm(dim=-1) / wanted.norm(dim=-1)).max().item() <= 1e-5
    assert ((lse.double() - sums).norm() / sums.norm()).item() <= 1e-6


@pytest.mark.parametrize("blocks", [0, 1, 2, 5])
@pytest.mark.parametrize("causal", [True, False])
def test_first_keys_of_nothing(causal: bool, blocks: int) -> None:
    """Where none of the first keys counts, because their scores are -inf, none of these can be kept."""
    q, k, v = (
        made((1, 4, 40, D), torch.float32, 0).abs() + 0.1,
        *(made((1, 2, 40, D), torch.float32, n) for n in (1, 2)),
    )
    k[:, :, :16] = float("-inf")
    wanted, sums = attended(q.double(), k.double(), v.double(), causal, 0)
    found, lse = kept(q, k, v, causal, blocks=blocks)
    rows = slice(16 if causal else 0, None)  # rows in front see nothing at all
    assert ((found[:, :, rows].double() - wanted[:, :, rows]).norm() / wanted[:, :, rows].norm()).item() <= 1e-6
    assert ((lse[:, :, rows].double() - sums[:, :, rows]).norm() / sums[:, :, rows].norm()).item() <= 1e-6


@pytest.mark.parametrize("blocks", [0, 1, 2, 5])
@pytest.mark.parametrize("most", [1.0, 300.0])
@pytest.mark.parametrize("causal", [True, False])
def test_sinks_beside_kept_scores(causal: bool, most: float, blocks: int) -> None:
    """A score without a value joins what a walk leaves, whichever its weights are relative to."""
    q, k, v = (made((1, h, 40, D), torch.float32, h) for h in (4, 2, 2))
    k, sinks = k * torch.linspace(0.1, most, 40)[:, None], torch.tensor([-3.0, 0.0, 40.0, 900.0])
    wanted, sums = attended(q.double(), k.double(), v.double(), causal, 0)
    beside = torch.logaddexp(sums, sinks.double()[None, :, None])
    found, lse = kept(q, k, v, causal, sinks, blocks=blocks)
    right = wanted * (sums - beside).exp()[..., None]
    assert ((found.double() - right).norm() / right.norm()).item() <= 1e-6 * most
    assert ((lse.double() - beside).norm() / beside.norm()).item() <= 1e-6


@pytest.mark.cuda
@pytest.mark.parametrize(("S", "T"), [(12288, 12300), (12345, 16384)])
def test_pairs_of_blocks_that_share_keys(S: int, T: int) -> None:
    """Long sequences that see all keys: two blocks of a cluster load each tile of keys once. Some rows, in float64."""
    q, k, v = (made((1, h, n, 128), torch.bfloat16, h).cuda() for h, n in ((4, S), (2, T), (1, T)))
    v = v.expand(1, 2, T, 128).contiguous()
    found = freehold.kernels.attention(q, k, v, causal=False, scale=SCALE)
    rows = torch.tensor([0, 63, 64, 127, 128, S // 2, S - 58, S - 1]).cuda()
    keys, values = (t.double().repeat_interleave(2, 1) for t in (k, v))
    wanted = (q[:, :, rows].double() @ keys.mT * SCALE).softmax(-1) @ values
    assert ((found[:, :, rows].double() - wanted).norm() / wanted.norm()).item() <= 6e-3


@pytest.mark.cuda
@pytest.mark.parametrize(
    ("S", "T", "causal"), [(4096, 4096, False), (8100, 8192, False), (8192, 8192, True), (8100, 8192, True)]
)
@pytest.mark.parametrize("most", [1.0, 60.0])
def test_blocks_of_128_queries_on_a_gpu(most: float, S: int, T: int, causal: bool) -> None:
    """Some rows, where no block walks again or all do: as in float64, and the same each time."""
    q, k, v = (made((1, h, n, 128), torch.bfloat16, i).cuda() for i, (h, n) in enumerate(((16, S), (4, T), (4, T))))
    k = (k * torch.linspace(0.2, most, T, device="cuda")[:, None]).bfloat16()
    found = freehold.kernels.attention(q, k, v, causal=causal, scale=128**-0.5)
    rows = torch.tensor([0, 63, 64, 127, 128, S // 2, S - 58, S - 1]).cuda()
    keys, values = (t.double().repeat_interleave(4, 1) for t in (k, v))
    s = q[:, :, rows].double() @ keys.mT * 128**-0.5
    if causal:
        s = s.masked_fill(torch.arange(T, device="cuda")[None, :] > (rows + T - S)[:, None], float("-inf"))
    wanted = s.softmax(-1) @ values
    assert ((found[:, :, rows].double() - wanted).norm(dim=-1) / wanted.norm(dim=-1)).max().item() <= 2e-2
    assert torch.equal(found, freehold.kernels.attention(q, k, v, causal=causal, scale=128**-0.5))


@pytest.mark.cuda
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("width", [64, 128])
@pytest.mark.parametrize(("S", "T"), [(2048, 2048), (1000, 1500)])
@pytest.mark.parametrize("most", [1.0, 12.0, 60.0])
def test_scores_that_rise_on_a_gpu(most: float, S: int, T: int, width: int, causal: bool) -> None:
    """Some blocks, all, or none walk again: as in float64, and the same each time."""
    q, k, v = (made((1, h, n, width), torch.bfloat16, h).cuda() for h, n in ((8, S), (2, T), (1, T)))
    k, v = (k * torch.linspace(0.2, most, T, device="cuda")[:, None]).bfloat16(), v.expand(1, 2, T, width).contiguous()
    found = freehold.kernels.attention(q, k, v, causal=causal, scale=width**-0.5)
    s = q.double() @ k.double().repeat_interleave(4, 1).mT * width**-0.5
    if causal:
        s = s.masked_fill(torch.ones(S, T, dtype=torch.bool, device="cuda").triu(T - S + 1), float("-inf"))
    wanted = s.softmax(-1) @ v.double().repeat_interleave(4, 1)
    assert ((found.double() - wanted).norm(dim=-1) / wanted.norm(dim=-1)).max().item() <= 2e-2
    assert torch.equal(found, freehold.kernels.attention(q, k, v, causal=causal, scale=width**-0.5))


@pytest.mark.cuda
@pytest.mark.parametrize("S", [1024, 1100])
@pytest.mark.parametrize("most", [1.0, 60.0])
def test_a_block_has_a_head_on_a_gpu(most: float, S: int) -> None:
    """Many causal heads of about 1,024 keys: the first and last sequence as in float64, and the same each time."""
    q, k, v = (made((16, h, S, 128), torch.bfloat16, n).cuda() for n, h in enumerate((32, 8, 8)))
    k = (k * torch.linspace(0.2, most, S, device="cuda")[:, None]).bfloat16()
    found = freehold.kernels.attention(q, k, v, scale=128**-0.5)
    later = torch.ones(S, S, dtype=torch.bool, device="cuda").triu(1)
    for b in (0, 15):
        keys, values = (t[b].double().repeat_interleave(4, 0) for t in (k, v))
        s = (q[b].double() @ keys.mT * 128**-0.5).masked_fill(later, float("-inf"))
        wanted = s.softmax(-1) @ values
        assert ((found[b].double() - wanted).norm(dim=-1) / wanted.norm(dim=-1)).max().item() <= 2e-2
    assert torch.equal(found, freehold.kernels.attention(q, k, v, scale=128**-0.5))


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("scale", [1e-35, 0.25, 30.0])
def test_gradients_with_any_scale(scale: float, causal: bool) -> None:
    """Also where it is tiny, and where one weight is 1."""
    q, do = made((1, 2, 24, D), torch.float32, 0), made((1, 2, 24, D), torch.float32, 1)
    k, v = made((1, 1, 24, D), torch.float32, 2), made((1, 1, 24, D), torch.float32, 3)
    given = [t.requires_grad_() for t in (q, k, v)]
    exact = [t.detach().double().requires_grad_() for t in given]
    s = exact[0] @ exact[1].mT * scale
    if causal:
        s = s.masked_fill(torch.ones(24, 24, dtype=torch.bool).triu(1), float("-inf"))
    wanted = torch.autograd.grad(s.softmax(-1) @ exact[2], exact, do.double())
    found = torch.autograd.grad(freehold.kernels.attention(*given, causal=causal, scale=scale), given, do)
    for one, right in zip(found, wanted, strict=True):
        assert (one.double() - right).norm().item() <= 2e-4 * max(right.norm().item(), 1.0)


@pytest.mark.parametrize("S", [1, 21, 24])
def test_gradients_of_sinks(S: int) -> None:
    """What is added to rows stands two by two: also where their number is odd, and for the gradient that reads it."""
    q, do = made((2, 4, S, D), torch.float32, 0), made((2, 4, S, D), torch.float32, 1)
    k, v = made((2, 2, S, D), torch.float32, 2), made((2, 2, S, D), torch.float32, 3)
    given = [t.requires_grad_() for t in (q, k, v, torch.tensor([-1.0, 0.0, 0.5, 2.0]))]
    exact = [t.detach().double().requires_grad_() for t in given]
    s = (exact[0] @ exact[1].repeat_interleave(2, 1).mT * SCALE).masked_fill(
        torch.ones(S, S, dtype=torch.bool).triu(1), float("-inf")
    )
    beside = torch.cat((s, exact[3][None, :, None, None].expand(2, 4, S, 1)), -1).softmax(-1)[..., :S]
    wanted = torch.autograd.grad(beside @ exact[2].repeat_interleave(2, 1), exact, do.double())
    *three, sinks = given
    found = torch.autograd.grad(freehold.kernels.attention(*three, scale=SCALE, sinks=sinks), given, do)
    for one, right in zip(found, wanted, strict=True):
        assert ((one.double() - right).norm() / right.norm()).item() <= 1e-5


@pytest.mark.parametrize("scale", [0.0, -0.25, float("nan")])
def test_a_scale_is_above_nought(scale: float) -> None:
    q = made((1, 1, 24, D), torch.float32, 0)
    with pytest.raises(ValueError, match="a scale is above 0"):
        freehold.kernels.attention(q, q, q, scale=scale)


@pytest.mark.cuda
@pytest.mark.parametrize("causal", [True, False])
def test_gradients_beside_one_another(causal: bool) -> None:
    """Of so many scores that two streams have them: as group by group on one, also behind another stream."""
    S, D = 8192, 64
    q, do = (made((1, 16, S, D), torch.bfloat16, seed).cuda() for seed in (0, 1))
    k, v = (made((1, 4, S, D), torch.bfloat16, seed).cuda() for seed in (2, 3))
    assert q.shape[1] * S * S >= MANY > q.shape[1] * S * S // 4

    def gradients(heads: slice, groups: slice) -> list[Any]:
        given = [t.clone().requires_grad_() for t in (q[:, heads], k[:, groups], v[:, groups])]
        found = freehold.kernels.attention(*given, causal=causal)
        return [t + 0.0 for t in torch.autograd.grad(found, given, do[:, heads])]  # which waits for all of it

    parts = [gradients(slice(4 * n, 4 * n + 4), slice(n, n + 1)) for n in range(4)]
    wanted = [torch.cat(several, 1) for several in zip(*parts, strict=True)]
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        many = [gradients(slice(None), slice(None)) for _ in range(3)]
    stream.synchronize()
    for found in (*many, gradients(slice(None), slice(None))):
        for one, right in zip(found, wanted, strict=True):
            assert ((one.double() - right.double()).norm() / right.double().norm()).item() <= 5e-3


@pytest.mark.parametrize("parts", [1, 3, 4])
def test_parts_are_weighted_by_what_they_sum_to(parts: int) -> None:
    """However large scores are: what a part sums to is told by its logarithm, -inf of one that saw nothing."""
    rng = np.random.default_rng(0)
    part = rng.standard_normal((2, 1, parts, 2, 16)).astype(np.float32)
    lse = np.array([300.0, -np.inf, 299.0, 200.0])[:parts] + np.array([0.0, -600.0]).reshape(2, 1, 1)
    lse = np.repeat(lse[:, None, :, :].transpose(0, 1, 3, 2), 2, axis=3).astype(np.float32)
    o = np.zeros((2, 1, 2, 16), np.float32)
    decode_merge(fh.partition(o, (1, 1, 2, 16)), part, lse, 4).sync()
    weights = np.exp(lse.astype(np.float64) - lse.max(axis=2, keepdims=True))
    wanted = (part * weights[..., None]).sum(2) / weights.sum(2)[..., None]
    np.testing.assert_allclose(o, wanted, rtol=1e-3, atol=1e-4)
    with pytest.raises(fh.Rejected, match="all parts are in one tile"):
        decode_merge(
            fh.partition(o, (1, 1, 2, 16)),
            np.zeros((2, 1, 5, 2, 16), np.float32),
            np.zeros((2, 1, 5, 2), np.float32),
            4,
        ).sync()
