"""The kernels of attention of sequences under schedules and offsets of all kinds, against float64."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import pytest
from answers import compiles
from comparing import made

import freehold as fh
from freehold import kernels
from freehold.kernels.sequences import (
    sequence_attention,
    sequence_attention_keys,
    sequence_attention_queries,
    sequence_row_dots,
    sequence_row_pairs,
)

torch: Any = pytest.importorskip("torch")

H, KH, D = 4, 2, 16
SCALE = 0.3


def places(*counts: int) -> Any:
    """Offsets of sequences of so many elements."""
    return torch.tensor([0, *counts], dtype=torch.int32).cumsum(0, dtype=torch.int32)


QUERIES = places(5, 0, 33, 32, 1, 32)
KEYS = places(5, 4, 33, 18, 33, 47)
"""Begin at even places and odd ones; one has keys alone, one has fewer keys than queries, and two have more."""


def attended(q: Any, k: Any, v: Any, q_offsets: Any, k_offsets: Any, causal: bool) -> tuple[Any, Any]:
    """Attention of (S, H, D), sequence by sequence, and logarithms of sums (H, S). Who sees no key has zeros."""
    found, sums = [], []
    for e in range(len(q_offsets) - 1):
        rows, keys = slice(*q_offsets[e : e + 2].tolist()), slice(*k_offsets[e : e + 2].tolist())
        one = q[rows].transpose(0, 1)
        others = (t[keys].transpose(0, 1).repeat_interleave(H // KH, 0) for t in (k, v))
        key, value = others
        ahead = key.shape[1] - one.shape[1]
        later = torch.arange(key.shape[1])[None, :] > torch.arange(one.shape[1])[:, None] + ahead
        s = (one @ key.mT * SCALE).masked_fill(later & causal, float("-inf"))
        blind = torch.isinf(s).all(-1, keepdim=True)
        weights = s.masked_fill(blind, 0.0).softmax(-1).masked_fill(blind, 0.0)
        found.append((weights @ value).transpose(0, 1))
        sums.append(s.logsumexp(-1))
    return torch.cat(found), torch.cat(sums, 1)


def by_head(*tensors: Any) -> Any:
    return tuple(t.transpose(0, 1) for t in tensors)


def cut(t: Any, tile: tuple[int, ...], by: str) -> Any:
    return fh.ragged(t, tile, by=by, axis=1)


def error(found: Any, wanted: Any) -> float:
    return ((found.double() - wanted).norm() / wanted.norm()).item()


def walked(
    q: Any, k: Any, v: Any, q_offsets: Any, k_offsets: Any, causal: bool, way: int, high: int = 16, width: int = 16
) -> tuple[Any, Any]:
    """What `sequence_attention` finds."""
    o, lse = torch.full_like(q, float("nan")), torch.full((H, q.shape[0]), float("nan"))
    parts = cut(o.transpose(0, 1), (1, high, D), "q_offsets"), cut(lse, (1, high), "q_offsets")
    given = *by_head(q, k, v), q_offsets, k_offsets, SCALE, H // KH, D, width, causal, way
    sequence_attention(*parts, *given).sync()
    return o, lse


@pytest.mark.parametrize("way", [0, 1, 2])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("high", "width"), [(16, 16), (32, 16), (16, 32), (64, 64)])
def test_sequences_of_all_kinds(high: int, width: int, causal: bool, way: int) -> None:
    """Also such as have no queries, or queries that see no key."""
    q, do = made((103, H, D), torch.float32, 0), made((103, H, D), torch.float32, 1)
    k, v = made((140, KH, D), torch.float32, 2), made((140, KH, D), torch.float32, 3)
    exact: Any = tuple(t.double().requires_grad_() for t in (q, k, v))
    wanted, sums = attended(*exact, q_offsets=QUERIES, k_offsets=KEYS, causal=causal)
    gradients = [torch.nan_to_num(t) for t in torch.autograd.grad(wanted, exact, do.double())]
    o, lse = walked(q, k, v, QUERIES, KEYS, causal, way, high, width)
    seeing = torch.isfinite(sums)
    assert seeing.all() == (not causal)
    assert error(o, wanted) <= 1e-6
    assert not o.transpose(0, 1)[~seeing].any()
    assert error(lse[seeing], sums[seeing]) <= 1e-6
    less, added = torch.full_like(lse, float("nan")), torch.full((2, H, 52, 4), float("nan"))
    dq, dk, dv = (torch.full_like(t, float("nan")) for t in (q, k, v))
    q, k, v, do, o = by_head(q, k, v, do, o)
    sequence_row_dots(fh.partition(less, (1, 16)), do, o, D).sync()
    sequence_row_pairs(fh.partition(added, (1, 1, 16, 4)), less, lse).sync()
    part = cut(dq.transpose(0, 1), (1, high, D), "q_offsets")
    last = QUERIES, KEYS, SCALE, H // KH
    sequence_attention_queries(part, q, k, v, do, lse, less, *last, D, width, causal).sync()
    assert error(dq, gradients[0]) <= 1e-6
    for held in (False, True):
        for begun in (False, True):
            for poisoned in (dk, dv):
                poisoned.fill_(float("nan"))
            parts = (cut(t.transpose(0, 1), (1, width, D), "k_offsets") for t in (dk, dv))
            sequence_attention_keys(*parts, q, k, v, do, added, *last, high, causal, held, begun).sync()
            assert max(map(error, (dk, dv), gradients[1:])) <= 1e-6


@pytest.mark.parametrize("way", [1, 2])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("most", [1.0, 12.0, 300.0, -300.0])
def test_scores_that_rise_above_the_first(most: float, causal: bool, way: int) -> None:
    """By nothing, by what a walk bears that keeps its largest score, and by what makes it walk again; or they fall."""
    q, v = made((103, H, D), torch.float32, 0), made((140, KH, D), torch.float32, 2)
    growing = torch.linspace(0.1, most, 140) if most > 0 else torch.linspace(-most, 0.1, 140)
    k = made((140, KH, D), torch.float32, 1) * growing[:, None, None]
    wanted, sums = attended(q.double(), k.double(), v.double(), QUERIES, KEYS, causal)
    o, lse = walked(q, k, v, QUERIES, KEYS, causal, way)
    seeing = torch.isfinite(sums)
    assert error(o, wanted) <= 1e-6 * max(1, abs(most))
    assert error(lse[seeing], sums[seeing]) <= 1e-6


@pytest.mark.parametrize("way", [1, 2])
@pytest.mark.parametrize("causal", [True, False])
def test_one_row_walks_again_for_its_tile(causal: bool, way: int) -> None:
    """Scores of one row in a tile rise by thousands; those beside it are as right."""
    q, k, v = (made((38, h, D), torch.float32, h) for h in (H, KH, KH))
    q[36, 1] *= 500
    k[30, 0] = q[36, 1] / 100
    wanted, sums = attended(q.double(), k.double(), v.double(), QUERIES[:4], QUERIES[:4], causal)
    assert (sums[1, 36] - (q[36, 1].double() @ k[5:21, 0].double().mT * SCALE).max()).item() > 1000
    o, lse = walked(q, k, v, QUERIES[:4], QUERIES[:4], causal, way)
    assert error(o, wanted) <= 1e-5
    assert error(lse, sums) <= 1e-6


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=str)
def test_keys_that_offsets_have_beyond_the_end(dtype: Any) -> None:
    """Offsets of keys alone may be wrong: nothing is read outside, and sequences that are right are not touched."""
    q, k, v = made((40, H, D), dtype, 0), made((40, KH, D), dtype, 1), made((40, KH, D), dtype, 2)
    offsets = places(20, 20)
    right = kernels.varlen_attention(q, k, v, offsets, scale=SCALE)
    wrong = torch.tensor([0, 20, 100], dtype=torch.int32)
    found = kernels.varlen_attention(q, k, v, offsets, wrong, scale=SCALE, causal=True)
    assert torch.equal(found[:20], right[:20])


def test_scales_that_are_not_above_0() -> None:
    q, k = made((4, H, D), torch.float32, 0), made((4, KH, D), torch.float32, 1)
    for scale in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="a scale is above 0, not"):
            kernels.varlen_attention(q, k, k, places(4), scale=scale)


def test_gradients_of_long_heads_of_f32_assemble(launched: dict[str, Any]) -> None:
    q, k, v = (made((32, 2, 256), torch.float32, n).requires_grad_() for n in range(3))
    o = kernels.varlen_attention(q, k, v, places(32))
    torch.autograd.grad(o, (q, k, v), torch.ones_like(o))
    assert "sequence_attention_keys" in launched
    for kernel, specialisation in launched.values():
        assert compiles(kernel, specialisation, "sm_90")
