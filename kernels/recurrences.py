"""Linear attention: sums of keys and values along a sequence, chunk by chunk, with a decay, forward and backward."""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold import Const, Out, Ref
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import operator, wide_dtype
from freehold.kernels.scans import cumsum
from freehold.kernels.schedules import hinted, power_of_two
from freehold.kernels.tiles import accumulator, exponential, places, safe, wide


@safe
def linear_attention_chunks(
    o: Out["B", "H", "T", "E"],
    q: Ref["B", "H", "T", "D"],
    k: Ref["B", "H", "T", "D"],
    v: Ref["B", "H", "T", "E"],
    gates: Ref["B", "H", "T"],
    WIDTH: Const[int],
    TC: Const[int],
    BACK: Const[bool] = False,
):
    """
    o[t] = sum over s <= t of exp(gates[t] - gates[s]) * (q[t] . k[s]) * v[s], in chunks of TC, by a state (D, E).

    `gates` are running sums of logarithms of decays. `BACK` runs from the end: s >= t, with exp(gates[s] - gates[t]).
    A point has all chunks of a head, for some columns of v.
    """
    fh.require("D <= WIDTH and T <= 536870912")
    b, h, e = o.index
    TE, dtype = o.tile[3], accumulator(q.dtype)
    state, gate = fh.zeros((WIDTH, TE), dtype), fh.zeros((), dtype)
    if BACK:
        gate = wide(gates.gather(b, h, gates.shape[2] - 1))
    walk = fh.tiles(o, axis=2, size=TC)
    for c in reversed(walk) if BACK else walk:
        queries = q.load((b, h, c, 0), (1, 1, TC, WIDTH)).reshape(TC, WIDTH)
        keys = k.load((b, h, c, 0), (1, 1, TC, WIDTH)).reshape(TC, WIDTH)
        values = v.load((b, h, c, e), (1, 1, TC, TE)).reshape(TC, TE)
        row = places(c * TC, TC)
        g = wide(gates.load((b, h, c), (1, 1, TC))).reshape(TC)
        inside = row < o.shape[2]
        away = (gate - g) if BACK else (g - gate)
        from_state = fh.where(inside, exponential(away), 0.0)[:, None]
        between = (g[None, :] - g[:, None]) if BACK else (g[:, None] - g[None, :])
        order = (row[None, :] >= row[:, None]) if BACK else (row[None, :] <= row[:, None])
        order = order & inside[:, None] & inside[None, :]
        fade = fh.where(order, exponential(fh.where(order, between, 0.0)), 0.0)
        s = fh.mma(queries, keys.T, fh.zeros((TC, TC), dtype)) * fade
        found = fh.mma(queries, state.astype(q.dtype), fh.zeros((TC, TE), dtype)) * from_state
        found = fh.mma(s.astype(v.dtype), values, found)
        o.at(c).store(found.reshape(o.tile).astype(o.dtype))
        last = c * TC if BACK else fh.minimum(c * TC + TC, o.shape[2]) - 1
        end = fh.where(row == last, g, 0.0).sum()
        weight = (g - end) if BACK else (end - g)
        scaled = wide(keys) * fh.where(inside, exponential(weight), 0.0)[:, None]
        state = state * exponential(gate - end if BACK else end - gate)
        state = fh.mma(scaled.astype(v.dtype).T, values, state)
        gate = end


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def linear_attention(q: Tensor, k: Tensor, v: Tensor, log_decay: Tensor | None = None) -> Tensor:
    """
    o[t] = sum over s <= t of decay * (q[t] . k[s]) * v[s] for `q` and `k` (B, H, T, D) and `v` (B, H, T, E), where the
    decay from s to t is the exponential of the sum of `log_decay` (B, H, T; at most 0) behind s up to t; 1 without it.

    In the shape of `v` and the dtype of `q`; differentiable, computed in float32, or float64 for float64, chunk by
    chunk. D is at most 256. Raises `ValueError` for other shapes.
    """
    if log_decay is not None and log_decay.shape != q.shape[:3]:
        raise ValueError(f"a decay for each position of each head, {tuple(q.shape[:3])}, not {tuple(log_decay.shape)}")
    dtype = wide_dtype(q)
    gates = q.new_zeros(q.shape[:3], dtype=dtype) if log_decay is None else cumsum(log_decay.to(dtype))
    return _linear_attention(q, k, v, gates, False)


# --- Operators --------------------------------------------------------------------------------------------------------


@operator(
    "linear_attention(Tensor q, Tensor k, Tensor v, Tensor gates, bool back) -> Tensor",
    results=lambda q, k, v, gates, back: v.new_empty(v.shape),
    takes={"q": "B H T D floats", "k": "B H T D same", "v": "B H T E same"},
    where=("D <= 256",),
)
def _linear_attention(o: Any, q: Any, k: Any, v: Any, gates: Any, back: bool) -> None:
    T, narrow = q.shape[2], q.element_size() <= 2
    chunk = min(64 if narrow else 32, power_of_two(max(16, T)))
    width = min(64 if narrow else 32, power_of_two(max(16, v.shape[3])))
    part = fh.partition(o, (1, 1, chunk, width), owned=2)
    given = q, k, v, gates, power_of_two(max(16, q.shape[3])), chunk, back
    hinted(linear_attention_chunks, {"num_worker_warps": 4})(part, *given).on()


@_linear_attention.backward(keeps=lambda inputs, output: inputs[:4])
def _gradients(ctx: Any, do: Any) -> tuple[Any, ...]:
    q, k, v, gates = ctx.saved_tensors
    do = do.contiguous()
    dq = _linear_attention(do, v, k, gates, False)
    dk = _linear_attention(v, do, q, gates, True)
    dv = _linear_attention(k, q, do, gates, True)
    dgates = None
    if ctx.needs_input_grad[3]:
        dgates = ((q * dq).sum(-1, dtype=gates.dtype) - (k * dk).sum(-1, dtype=gates.dtype)).to(gates.dtype)
    return dq, dk, dv, dgates, None
