"""Activations and gated ones (SwiGLU, GEGLU), forward and backward, computed in f32 and rounded once."""

from __future__ import annotations

from typing import Any, Final

import freehold as fh
from freehold import Const, Out, Ref
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import operator
from freehold.kernels.schedules import compiled_in, cut, hinted, power_of_two
from freehold.kernels.tiles import exponential, part, safe, sigmoid

KINDS: Final = (
    *("silu", "gelu", "exact gelu", "relu", "squared relu", "leaky relu", "elu", "selu"),
    *("sigmoid", "hardsigmoid", "tanh", "hardtanh", "softplus", "softsign"),
)
"""What `activation` knows by name. "gelu" is the approximation by tanh."""

_SELU: Final = 1.0507009873554805, 1.7580993408473766
"""What SELU multiplies positive numbers by, and the exponentials less 1 of others."""

# --- Kernels ----------------------------------------------------------------------------------------------------------


def ended(acc: Any, m: Any, n: Any, bias: Any, residual: Any, ACT: str = "") -> Any:
    """activate(acc + bias) + residual of tile (m, n) of a product: bias (N) and residual (M, N), or None of each."""
    if bias is not None:
        acc += bias.load((n,), (acc.shape[1],)).astype(acc.dtype)
    if ACT:
        acc = activate(acc, ACT)
    if residual is not None:
        acc += residual.load((m, n), acc.shape).astype(acc.dtype)
    return acc


def activate(t: Any, KIND: str) -> Any:
    """The activation of a tile."""
    match KIND:
        case "silu":
            return t * sigmoid(t)
        case "gelu":
            return t * sigmoid(1.5957691216057308 * (t + 0.044715 * t * t * t))
        case "relu":
            return fh.maximum(t, 0.0)
        case "squared relu":
            r = fh.maximum(t, 0.0)
            return r * r
        case "exact gelu":
            return 0.5 * t * (1.0 + fh.erf(t * 0.7071067811865476))
        case "leaky relu":
            return fh.where(t > 0.0, t, 0.01 * t)
        case "elu":
            return fh.where(t > 0.0, t, less_one(fh.minimum(t, 0.0)))
        case "selu":
            return fh.where(t > 0.0, _SELU[0] * t, _SELU[1] * less_one(fh.minimum(t, 0.0)))
        case "sigmoid":
            return sigmoid(t)
        case "hardsigmoid":
            return fh.clip(t / 6.0 + 0.5, 0.0, 1.0)
        case "tanh":
            return fh.tanh(t)
        case "hardtanh":
            return fh.clip(t, -1.0, 1.0)
        case "softsign":
            return t / (1.0 + abs(t))
        case _:
            fh.static_assert(KIND == "softplus", "an activation of KINDS")
            return fh.maximum(t, 0.0) + fh.log(1.0 + exponential(-abs(t)))


def less_one(t: Any) -> Any:
    """e ** t - 1."""
    return fh.exp(t) - 1.0 if t.dtype == fh.f64 else fh.expm1(t)


def derivative(t: Any, KIND: str) -> Any:
    """The derivative of `activate` at a tile."""
    match KIND:
        case "silu":
            s = sigmoid(t)
            return s * (1.0 + t * (1.0 - s))
        case "gelu":
            s = sigmoid(1.5957691216057308 * (t + 0.044715 * t * t * t))
            return s + t * s * (1.0 - s) * 1.5957691216057308 * (1.0 + 0.134145 * t * t)
        case "relu":
            return fh.where(t > 0.0, fh.ones(t.shape, t.dtype), 0.0)
        case "squared relu":
            return 2.0 * fh.maximum(t, 0.0)
        case "exact gelu":
            bell = exponential(-0.5 * t * t) * 0.3989422804014327
            return 0.5 * (1.0 + fh.erf(t * 0.7071067811865476)) + t * bell
        case "leaky relu":
            return fh.where(t > 0.0, fh.ones(t.shape, t.dtype), 0.01)
        case "elu":
            return fh.where(t > 0.0, 1.0, exponential(t))
        case "selu":
            return fh.where(t > 0.0, _SELU[0], _SELU[1] * exponential(t))
        case "sigmoid":
            s = sigmoid(t)
            return s * (1.0 - s)
        case "hardsigmoid":
            return fh.where(abs(t) < 3.0, fh.ones(t.shape, t.dtype), 0.0) / 6.0
        case "hardtanh":
            return fh.where(abs(t) < 1.0, fh.ones(t.shape, t.dtype), 0.0)
        case "softsign":
            r = 1.0 / (1.0 + abs(t))
            return r * r
        case "tanh":
            r = fh.tanh(t)
            return 1.0 - r * r
        case _:
            fh.static_assert(KIND == "softplus", "an activation of KINDS")
            return sigmoid(t)


@safe
def activation_tiles(y: Out["M", "N"], x: Ref["M", "N"], KIND: Const[str], N: Const[Any] = None):
    """y = activate(x). With `N` rows have that length."""
    y.store(activate(part(x, y.index, y.tile), KIND).astype(y.dtype), allow_tma=False)


@safe
def activation_tiles_backward(
    dx: Out["M", "N"], dy: Ref["M", "N"], x: Ref["M", "N"], KIND: Const[str], N: Const[Any] = None
):
    """dx = dy * derivative(x). With `N` rows have that length."""
    t = part(dy, dx.index, dx.tile) * derivative(part(x, dx.index, dx.tile), KIND)
    dx.store(t.astype(dx.dtype), allow_tma=False)


@safe
def gated_tiles(y: Out["M", "N"], gate: Ref["M", "N"], up: Ref["M", "N"], KIND: Const[str], N: Const[Any] = None):
    """y = activate(gate) * up. With `N` rows have that length."""
    t = activate(part(gate, y.index, y.tile), KIND) * part(up, y.index, y.tile)
    y.store(t.astype(y.dtype), allow_tma=False)


@safe
def gated_tiles_backward(
    dgate: Out["M", "N"],
    dup: Out["M", "N"],
    dy: Ref["M", "N"],
    gate: Ref["M", "N"],
    up: Ref["M", "N"],
    KIND: Const[str],
    N: Const[Any] = None,
):
    """dgate = dy * up * derivative(gate), and dup = dy * activate(gate). With `N` rows have that length."""
    at, tile = dgate.index, dgate.tile
    g, t = part(dy, at, tile), part(gate, at, tile)
    dgate.store((g * part(up, at, tile) * derivative(t, KIND)).astype(dgate.dtype), allow_tma=False)
    dup.store((g * activate(t, KIND)).astype(dup.dtype), allow_tma=False)


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def activation(x: Tensor, kind: str) -> Tensor:
    """
    One of `KINDS` of each element, in the shape and dtype of `x`; differentiable.

    "gelu" is torch's `approximate="tanh"`, "exact gelu" the one by erf, of up to 32 bits; slopes and bounds are torch's
    defaults. Raises `ValueError` for other names.
    """
    if kind == "exact gelu" and x.element_size() == 8:
        raise ValueError("the exact gelu is of f32, bf16 and f16")
    return _activation(x, _known(kind))


@function()
def gated(gate: Tensor, up: Tensor, kind: str = "silu") -> Tensor:
    """
    The activation `kind` of `gate`, times `up`: SwiGLU for "silu", GEGLU for "gelu"; differentiable.

    Both have one shape and dtype, and may be halves of one tensor, `gate, up = x.chunk(2, dim=-1)`, without a copy.
    Raises `ValueError` for a kind that is none of `KINDS`.
    """
    return _gated(gate, up, _known(kind))


@function()
def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """silu(gate) * up, as `gated`."""
    return _gated(gate, up, "silu")


@function()
def geglu(gate: Tensor, up: Tensor) -> Tensor:
    """gelu(gate) * up with the approximation by tanh, as `gated`."""
    return _gated(gate, up, "gelu")


def _known(kind: str) -> str:
    if kind not in KINDS:
        raise ValueError(f"an activation is one of {', '.join(KINDS)}, not {kind!r}")
    return kind


# --- Operators --------------------------------------------------------------------------------------------------------

_HINTS: Final = {n: {"num_worker_warps": 4, "occupancy": 8 if n <= 2 else 12} for n in (1, 2, 4, 8)}
"""By the size of elements."""


def as_matrices(*tensors: Any) -> tuple[Any, ...]:
    """Tensors of one shape as matrices of one shape: long rows where all are contiguous, else those that they have."""
    first = tensors[0]
    if all(t.is_contiguous() for t in tensors):
        count = first.numel()
        width = next((w for w in (65536, 4096) if count % w == 0 and count > w), None) or first.shape[-1]
        return tuple(t.view(-1, width) for t in tensors)
    return tuple(t.reshape(-1, first.shape[-1]) for t in tensors)


def tile_of(matrix: Any) -> tuple[int, int]:
    """
    A tile of a matrix that is worked on element by element: for each thread of four warps a load of 16 bytes, or of 16
    bits two.
    """
    size = 2048 if matrix.dtype.itemsize <= 2 else 2048 // matrix.dtype.itemsize
    width = min(size, power_of_two(matrix.shape[1]))
    return min(max(1, size // width), power_of_two(matrix.shape[0])), width


def _like(x: Any, *_: Any) -> Any:
    return x.new_empty(x.shape)


@operator("activation(Tensor x, str kind) -> Tensor", results=_like, takes={"x": "floats"})
def _activation(y: Any, x: Any, kind: str) -> None:
    out, given = as_matrices(y, x)
    hinted(activation_tiles, _HINTS[y.dtype.itemsize])(
        fh.partition(out, tile_of(out)), given, kind, compiled_in(out.shape[1])
    ).on()


@operator("activation_backward(Tensor dy, Tensor x, str kind) -> Tensor", results=lambda dy, x, kind: _like(x))
def _activation_backward(dx: Any, dy: Any, x: Any, kind: str) -> None:
    out, given, of = as_matrices(dx, dy.contiguous(), x)
    part = fh.partition(out, tile_of(out))
    hinted(activation_tiles_backward, _HINTS[dx.dtype.itemsize])(part, given, of, kind, compiled_in(out.shape[1])).on()


@operator(
    "gated(Tensor gate, Tensor up, str kind) -> Tensor",
    results=_like,
    takes={"gate": "... floats", "up": "... same"},
)
def _gated(y: Any, gate: Any, up: Any, kind: str) -> None:
    out, of, times = as_matrices(y, gate, up)
    gated_launch(out, of, times, kind).on()


def gated_launch(y: Any, gate: Any, up: Any, kind: str) -> Any:
    """The launch that writes activate(gate) * up, of matrices."""
    high, width = tile_of(y)
    if width == 1024 > y.shape[1]:  # of rows that are shorter, one at a time is faster
        high = 1
    return hinted(gated_tiles, _HINTS[y.dtype.itemsize])(cut(y, (high, width)), gate, up, kind, compiled_in(y.shape[1]))


@operator(
    "gated_backward(Tensor dy, Tensor gate, Tensor up, str kind) -> (Tensor, Tensor)",
    results=lambda dy, gate, up, kind: (_like(gate), _like(up)),
)
def _gated_backward(dgate: Any, dup: Any, dy: Any, gate: Any, up: Any, kind: str) -> None:
    one, other, *given = as_matrices(dgate, dup, dy.contiguous(), gate, up)
    tile = tile_of(one)
    parts = fh.partition(one, tile), fh.partition(other, tile)
    hinted(gated_tiles_backward, _HINTS[dgate.dtype.itemsize])(*parts, *given, kind, compiled_in(one.shape[1])).on()


@_activation.backward(keeps=lambda inputs, output: inputs[:1])
def _activation_gradient(ctx: Any, dy: Any) -> tuple[Any, ...]:
    return _activation_backward(dy, *ctx.saved_tensors, *ctx.arguments), None


@_gated.backward(keeps=lambda inputs, output: inputs[:2])
def _gated_gradients(ctx: Any, dy: Any) -> tuple[Any, ...]:
    return *_gated_backward(dy, *ctx.saved_tensors, *ctx.arguments), None
