"""The kernels of attention under schedules that the functions would not choose for so little, against float64."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import pytest
from comparing import made

import freehold as fh
from freehold.kernels.prefill import (
    attention_backward_keys,
    attention_backward_queries,
    attention_row_dots,
    attention_tiles,
)

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
    o, lse, dots = torch.empty_like(q), torch.empty(1, 4, S), torch.empty(1, 4, S)
    dq, dk, dv = (torch.empty_like(t) for t in (q, k, v))
    parts = fh.partition(o, (1, 1, high, D)), fh.partition(lse, (1, 1, high))
    attention_tiles(*parts, q, k, v, q[0, 0, 0], SCALE, window, 2, D, width, causal, window > 0).sync()
    attention_row_dots(fh.partition(dots, (1, 1, 16)), do, o, D).sync()
    part = fh.partition(dq, (1, 1, high, D))
    attention_backward_queries(part, q, k, v, do, lse, dots, SCALE, window, 2, D, width, causal, window > 0).sync()
    parts = fh.partition(dk, (1, 1, width, D)), fh.partition(dv, (1, 1, width, D))
    groups = [t.reshape(1, 2, 2, *t.shape[2:]) for t in (q, do, lse, dots)]
    given = groups[0], k, v, *groups[1:], SCALE, window, high, causal, window > 0
    attention_backward_keys(*parts, *given).sync()
    for found, right in zip((o, lse, dq, dk, dv), (wanted, wanted_lse, *gradients), strict=True):
        assert ((found.double() - right).norm() / right.norm()).item() <= 1e-6
