"""Cross entropy of a linear layer's outputs, over vocabularies of any size, whose logits are never there as a whole."""

from __future__ import annotations

from typing import Any

from freehold.kernels.arguments import Tensor, function
from freehold.kernels.losses import _cross_entropy, _cross_entropy_backward  # pyright: ignore[reportPrivateUsage] -- the library's own
from freehold.kernels.operators import operator, wide_dtype
from freehold.kernels.products import _matmul  # pyright: ignore[reportPrivateUsage] -- the library's own


@function()
def linear_cross_entropy(
    x: Tensor,
    weight: Tensor,
    target: Tensor,
    *,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    chunk: int = 1024,
) -> Tensor:
    """
    The mean cross entropy of `x @ weight.T` against `target`, as `cross_entropy`; differentiable in `x` and `weight`.

    `x` is (M, D), `weight` (V, D), `target` (M, integers). Logits are there for `chunk` rows at a time, so memory does
    not grow with M times V. Where gradients are wanted they are computed with the loss, chunk by chunk, that of
    `weight` in float32. A target that is neither a column nor `ignore_index` gives NaN. Raises `ValueError` for other
    shapes.
    """
    wanted = (x.requires_grad or weight.requires_grad) and _grad_enabled()
    return _linear_cross_entropy(x, weight, target, ignore_index, label_smoothing, chunk, wanted)[0]


def _grad_enabled() -> bool:
    from freehold.kernels.operators import _torch  # pyright: ignore[reportPrivateUsage] -- the library's own

    return _torch().is_grad_enabled()


def _results(
    x: Any, weight: Any, target: Any, ignored: int, smoothing: float, chunk: int, wanted: bool
) -> tuple[Any, ...]:
    dtype = wide_dtype(x)
    kept = (x.shape, weight.shape) if wanted else ((1, 1), (1, 1))
    return x.new_empty((), dtype=dtype), x.new_empty(kept[0]), x.new_empty(kept[1], dtype=dtype)


@operator(
    "linear_cross_entropy(Tensor x, Tensor weight, Tensor target, int ignored, float smoothing, int chunk,"
    " bool wanted) -> (Tensor, Tensor, Tensor)",
    results=_results,
    takes={"x": "M D floats", "weight": "V D same", "target": "M integers"},
)
def _linear_cross_entropy(
    loss: Any,
    dx: Any,
    dweight: Any,
    x: Any,
    weight: Any,
    target: Any,
    ignored: int,
    smoothing: float,
    chunk: int,
    wanted: bool,
) -> None:
    count = (target != ignored).sum()
    one = (1 / count.to(loss.dtype)).reshape(1)
    loss.zero_()
    dweight.zero_()
    for first in range(0, x.shape[0], chunk):
        rows = slice(first, min(first + chunk, x.shape[0]))
        part, wants = x[rows], target[rows]
        logits = _matmul(part, weight.t(), None, None, "", False)
        summed, lse, _ = _cross_entropy(logits, wants, ignored, smoothing, "sum")
        loss += summed * one[0]
        if wanted:
            dlogits = _cross_entropy_backward(one, logits, wants, lse, ignored, smoothing)
            dx[rows] = _matmul(dlogits, weight, None, None, "", False)
            dweight += _matmul(dlogits.t(), part, None, None, "", False)


@_linear_cross_entropy.backward(keeps=lambda inputs, output: (output[1], output[2], inputs[1]))
def _gradients(ctx: Any, dloss: Any, *_: Any) -> tuple[Any, ...]:
    dx, dweight, weight = ctx.saved_tensors
    return dx * dloss.to(dx.dtype), (dweight * dloss).to(weight.dtype), *(None,) * 5
