"""Softmax and norms of rows of any length, forward and backward: launches of `freehold.kernels`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import freehold as fh
from examples.kernels.example import Example, Inputs, unwritten
from examples.kernels.example import softmax as softmax_of
from freehold.kernels.norms import add_rms_norm_rows, layer_norm_rows, norm_backward_rows, rms_norm_rows
from freehold.kernels.reductions import sum_of_rows
from freehold.kernels.rows import softmax_rows, softmax_rows_backward


def examples() -> Iterator[Example]:
    """A launch of each kernel, in walks, or with the three tiles of a row in registers."""
    new = Inputs(2)
    M, N, eps = 10, 150, 1e-5

    def rows(*shape: int) -> Any:
        return fh.partition(unwritten(*shape), (4, 64), owned=1)

    x, dy = new.normal(M, N) + 1, new.normal(M, N)
    y = softmax_of(x)
    yield Example(softmax_rows, (rows(M, N), x), {0: y})
    yield Example(softmax_rows, (rows(M, N), x, True, 3), {0: np.log(y)})
    dx = y * (dy - (dy * y).sum(1, keepdims=True))
    yield Example(softmax_rows_backward, (rows(M, N), dy, y), {0: dx})

    w, b = new.normal(N), new.normal(N)
    mean, rstd = x.mean(1), 1 / np.sqrt(x.var(1) + eps)
    xhat = (x - mean[:, None]) * rstd[:, None]
    moments = fh.partition(unwritten(M), 4), fh.partition(unwritten(M), 4)
    wanted = {0: xhat * w + b, 1: mean, 2: rstd}
    yield Example(layer_norm_rows, (rows(M, N), *moments, x, w, b, eps), wanted)
    yield Example(layer_norm_rows, (rows(M, N), *moments, x, w, b, eps, True, 3), wanted)

    wg = dy * w
    dx = rstd[:, None] * (wg - xhat * (wg * xhat).mean(1, keepdims=True) - wg.mean(1, keepdims=True))
    parts = np.stack([[d[n : n + 4].sum(0) for d in (dy * xhat, dy)] for n in range(0, M, 4)])
    outputs = fh.partition(unwritten(M, N), (2, 64)), fh.partition(unwritten(3, 2, N), (1, 1, 64))
    yield Example(
        norm_backward_rows,
        (*outputs, dy, dy, x, w, mean, rstd, 2, True, False, 3, 2, 64),
        {0: dx, 1: parts},
    )
    yield Example(sum_of_rows, (fh.partition(unwritten(N), 64), parts[:, 0].copy(), 2), {0: (dy * xhat).sum(0)})

    rstd = 1 / np.sqrt((x * x).mean(1) + eps)
    xhat = x * rstd[:, None]
    of_rows = fh.partition(unwritten(M), 4)
    yield Example(rms_norm_rows, (rows(M, N), of_rows, x, w, eps), {0: xhat * w, 1: rstd})

    dx = rstd[:, None] * (wg - xhat * (wg * xhat).mean(1, keepdims=True)) + y
    parts = np.stack([[(dy * xhat)[n : n + 4].sum(0)] for n in range(0, M, 4)])
    outputs = fh.partition(unwritten(M, N), (4, 256)), fh.partition(unwritten(3, 1, N), (1, 1, 256))
    yield Example(
        norm_backward_rows,
        (*outputs, dy, y, x, w, rstd, rstd, 1, False, True, 1, 4, 256),
        {0: dx, 1: parts},
    )

    r = new.normal(M, N)
    s = r + x
    rstd = 1 / np.sqrt((s * s).mean(1) + eps)
    yield Example(
        add_rms_norm_rows,
        (rows(M, N), rows(M, N), of_rows, x, r, w, eps),
        {0: s * rstd[:, None] * w, 1: s, 2: rstd},
    )
