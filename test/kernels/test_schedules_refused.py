"""Kernels of the library refuse the schedules that they are not written for, whoever launches them, and say why."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import freehold as fh
from freehold.kernels import activations, distances, experts, losses, orders, pooling, prefill, quantised, rows
from freehold.support.diagnostic import Rejected

X, NUMBERS = np.zeros((4, 1024), ml_dtypes.bfloat16), np.zeros(4, np.int32)


def cut(array: Any, *tile: int) -> Any:
    return fh.partition(array.copy(), tile)


def of_rows() -> Any:
    return fh.partition(np.zeros(4, np.float32), (1,))


def activated(kind: str) -> Any:
    return activations.activation_tiles.lower(cut(X, 1, 256), X, kind)


def activated_backward(kind: str) -> Any:
    return activations.activation_tiles_backward.lower(cut(X, 1, 256), X, X, kind)


def lost(kind: str) -> Any:
    return distances.pair_loss_parts.lower(of_rows(), X, X, kind, 256)


def counted(high: int) -> Any:
    return experts.count_experts.lower(cut(np.zeros((4, 8), np.int32), high, 8), NUMBERS, 1)


def walked(width: int) -> Any:
    given = of_rows(), of_rows(), X, NUMBERS, 0
    return losses.cross_entropy_walked.lower(*given, width, 2, 256, 1024)


def in_turns(width: int) -> Any:
    given = of_rows(), cut(NUMBERS, 1), of_rows(), of_rows()
    return losses.cross_entropy_turns.lower(*given, X, NUMBERS, 0, 2, width, 256, 1024)


def at_once(width: int) -> Any:
    given = of_rows(), cut(NUMBERS, 1), of_rows(), of_rows()
    return losses.cross_entropy_several.lower(*given, X, NUMBERS, 0, width, 64, 1024, True)


def merged(log: int) -> Any:
    keys, splits = np.zeros((4, 64), np.int64), np.zeros((4, 4), np.int32)
    return orders.merge_tiles.lower(cut(keys, 1, 16), keys, splits, 8, 0, log)


def pooled(deep: int) -> Any:
    window = (1, 2, 2), (1, 2, 2), (0, 0, 0), (1, 1, 1), False
    y, x = np.zeros((4, 4, 8, 8), np.float32), np.zeros((4, 4, 16, 16), np.float32)
    return pooling.pool_tiles.lower(cut(y, 1, deep, 1, 8), x, window, True)


def attended(kept: int, window: bool, pieces: int, whole: bool = False, causal: bool = True) -> Any:
    q = np.zeros((1, 2, 64, 64), np.float32 if pieces else ml_dtypes.bfloat16)
    lse, o = fh.partition(np.zeros((1, 2, 64), np.float32), (1, 1, 64)), fh.partition(q.copy(), (1, 1, 64, 64))
    constants = {"TK": 64, "CAUSAL": causal, "WINDOW": window, "PIECES": pieces, "KEPT": kept, "WHOLE": whole}
    given = {
        "o": o,
        "lse": lse,
        "q": q,
        "k": q,
        "v": q,
        "sinks": np.zeros(1, np.float32),
        "window": 8,
        "scale": 0.125,
        "G": 1,
        "WIDTH": 64,
    }
    names = [p.name for p in prefill.attention_tiles.signature.parameters]
    return prefill.attention_tiles.lower(**{n: v for n, v in {**given, **constants}.items() if n in names})


def scaled(width: int, blocks: bool) -> Any:
    a, b, scales = np.zeros((64, 256), np.int8), np.zeros((512, 256), np.int8), np.zeros((64, 2), np.float32)
    c = fh.partition(np.zeros((64, 512), np.float32), (64, width))
    of_b = np.zeros((4, 2), np.float32)
    given = (scales, of_b) if blocks else (np.zeros((1, 64), np.float32), np.zeros((1, 512), np.float32))
    return quantised.scaled_matmul_tiles.lower(c, a, b, *given, None, 128, blocks)


def held(width: int, count: int) -> Any:
    return rows.softmax_rows.lower(fh.partition(X.copy(), (1, width), owned=1), X, False, 0, 1024, count)


CASES: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "an activation of KINDS": (partial(activated, "softplus"), partial(activated, "soft")),
    "an activation of KINDS, backward": (partial(activated_backward, "softplus"), partial(activated_backward, "soft")),
    "a loss of KINDS": (partial(lost, "hinge"), partial(lost, "hinges")),
    "a row of counts for each tile": (partial(counted, 1), partial(counted, 2)),
    "rows of whole steps": (partial(walked, 512), partial(walked, 1024)),
    "rows of whole tiles": (partial(in_turns, 512), partial(in_turns, 2048)),
    "rows of whole tiles, several": (partial(at_once, 1024), partial(at_once, 2048)),
    "a tile for the network": (partial(merged, 4), partial(merged, 5)),
    "one place along depth": (partial(pooled, 1), partial(pooled, 2)),
    "every row sees the first key, and weights have its dtype": (
        partial(attended, 1, False, 0),
        partial(attended, 1, True, 0),
    ),
    "every row sees the first key, and weights have its dtype, in pieces": (
        partial(attended, 0, True, 2),
        partial(attended, 1, False, 2),
    ),
    "all keys are seen": (partial(attended, 2, False, 0, True, False), partial(attended, 2, False, 0, True)),
    "all keys are seen, no window": (
        partial(attended, 0, False, 0, True, False),
        partial(attended, 0, True, 0, True, False),
    ),
    "a tile has one row of scales of b": (partial(scaled, 128, True), partial(scaled, 256, True)),
    "a tile has one row of scales of b, but": (partial(scaled, 256, False), partial(scaled, 256, True)),
    "rows of whole tiles, held": (partial(held, 256, 3), partial(held, 256, 4)),
    "rows of whole tiles, held, one": (partial(held, 512, 1), partial(held, 512, 3)),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_kernel_is_written_for(name: str) -> None:
    taken, refused = CASES[name]
    taken()
    with pytest.raises(Rejected) as caught:
        refused()
    assert name.partition(", but")[0].split(", ")[0] in str(caught.value)
