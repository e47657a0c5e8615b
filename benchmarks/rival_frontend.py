"""The kernels of `frontend` for NVIDIA's own Python frontend, cuda-tile, to compare compile times with. Imports only
where it is installed. Each computes what ours does in the same steps."""

import math
from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from typing import Any

ct: Any = import_module("cuda.tile")
cc: Any = import_module("cuda.tile.compilation")


def add(z: Any, x: Any, y: Any, tile: Any) -> None:
    """z = x + y."""
    i = ct.bid(0)
    ct.store(z, index=(i,), tile=ct.load(x, index=(i,), shape=(tile,)) + ct.load(y, index=(i,), shape=(tile,)))


def saxpy(y: Any, x: Any, a: Any, tile: Any) -> None:
    """y = a * x + y."""
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=a * ct.load(x, index=(i,), shape=(tile,)) + ct.load(y, index=(i,), shape=(tile,)))


def softmax(y: Any, x: Any, tm: Any, tn: Any) -> None:
    """Along rows that are longer than a tile: the maximum and the sum in one walk, the quotients in a second."""
    i = ct.bid(0)
    top = ct.full((tm, 1), -math.inf, dtype=ct.float32)
    total = ct.full((tm, 1), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(tm, tn))):
        t = ct.load(x, index=(i, k), shape=(tm, tn), padding_mode=ct.PaddingMode.NEG_INF)
        higher = ct.maximum(top, ct.max(t, axis=1, keepdims=True))
        total = total * ct.exp(top - higher) + ct.sum(ct.exp(t - higher), axis=1, keepdims=True)
        top = higher
    for k in range(ct.num_tiles(y, axis=1, shape=(tm, tn))):
        t = ct.load(x, index=(i, k), shape=(tm, tn), padding_mode=ct.PaddingMode.ZERO)
        ct.store(y, index=(i, k), tile=ct.exp(t - top) / total)


def layer_norm(y: Any, mean: Any, rstd: Any, x: Any, w: Any, b: Any, eps: Any, tm: Any, tn: Any) -> None:
    """y = (x - mean) * rstd * w + b, along rows; two walks for the moments."""
    i = ct.bid(0)
    n = ct.astype(x.shape[1], ct.float32)
    total = ct.full((tm, 1), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(tm, tn))):
        t = ct.load(x, index=(i, k), shape=(tm, tn), padding_mode=ct.PaddingMode.ZERO)
        total += ct.sum(t, axis=1, keepdims=True)
    middle = total / n
    squares = ct.full((tm, 1), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(tm, tn))):
        inside = (k * tn + ct.arange(tn, dtype=ct.int32))[None, :] < x.shape[1]
        t = ct.load(x, index=(i, k), shape=(tm, tn), padding_mode=ct.PaddingMode.ZERO)
        d = ct.where(inside, t - middle, 0.0)
        squares += ct.sum(d * d, axis=1, keepdims=True)
    scale = ct.rsqrt(squares / n + eps)
    ct.store(mean, index=(i,), tile=ct.reshape(middle, (tm,)))
    ct.store(rstd, index=(i,), tile=ct.reshape(scale, (tm,)))
    for k in range(ct.num_tiles(y, axis=1, shape=(tm, tn))):
        t = (ct.load(x, index=(i, k), shape=(tm, tn), padding_mode=ct.PaddingMode.ZERO) - middle) * scale
        weight = ct.load(w, index=(k,), shape=(tn,), padding_mode=ct.PaddingMode.ZERO)
        shift = ct.load(b, index=(k,), shape=(tn,), padding_mode=ct.PaddingMode.ZERO)
        ct.store(y, index=(i, k), tile=t * weight + shift)


def gemm(c: Any, a: Any, b: Any, tm: Any, tn: Any, tk: Any) -> None:
    """c = a @ b, blocks in groups of 8 rows of tiles, which this frontend's users write out themselves."""
    rows, columns = ct.cdiv(c.shape[0], tm), ct.cdiv(c.shape[1], tn)
    n = ct.bid(0)
    first = n // (8 * columns) * 8
    height = min(rows - first, 8)
    i = first + (n % (8 * columns)) % height
    j = (n % (8 * columns)) // height
    acc = ct.full((tm, tn), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(a, axis=1, shape=(tm, tk))):
        left = ct.load(a, index=(i, k), shape=(tm, tk), padding_mode=ct.PaddingMode.ZERO)
        right = ct.load(b, index=(k, j), shape=(tk, tn), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(left, right, acc)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


def attention(o: Any, q: Any, k: Any, v: Any, scale: Any, g: Any, tq: Any, tk: Any, d: Any) -> None:
    """Causal attention in one walk over the keys; g heads of queries share one of keys and values."""
    i, h, b = ct.bid(0), ct.bid(1), ct.bid(2)
    queries = ct.load(q, index=(b, h, i, 0), shape=(1, 1, tq, d), padding_mode=ct.PaddingMode.ZERO).reshape((tq, d))
    rows = i * tq + ct.arange(tq, dtype=ct.int32)
    top = ct.full((tq, 1), -math.inf, dtype=ct.float32)
    total = ct.full((tq, 1), 0, dtype=ct.float32)
    acc = ct.full((tq, d), 0, dtype=ct.float32)
    for j in range(ct.minimum(ct.cdiv((i + 1) * tq, tk), ct.num_tiles(k, axis=2, shape=(1, 1, tk, d)))):
        at = (b, h // g, j, 0)
        keys = ct.load(k, index=at, shape=(1, 1, tk, d), padding_mode=ct.PaddingMode.ZERO).reshape((tk, d))
        values = ct.load(v, index=at, shape=(1, 1, tk, d), padding_mode=ct.PaddingMode.ZERO).reshape((tk, d))
        s = ct.mma(queries, keys.transpose(), ct.full((tq, tk), 0, dtype=ct.float32)) * scale
        s = ct.where(rows[:, None] >= (j * tk + ct.arange(tk, dtype=ct.int32))[None, :], s, -math.inf)
        higher = ct.maximum(top, ct.max(s, axis=1, keepdims=True))
        p = ct.exp(s - higher)
        fade = ct.exp(top - higher)
        total = total * fade + ct.sum(p, axis=1, keepdims=True)
        acc = ct.mma(ct.astype(p, values.dtype), values, acc * fade)
        top = higher
    ct.store(o, index=(b, h, i, 0), tile=ct.astype((acc / total).reshape((1, 1, tq, d)), o.dtype))


def experts_gemm(y: Any, x: Any, w: Any, token: Any, expert: Any, tm: Any, tn: Any, tk: Any) -> None:
    """Row s of y is row token[s] of x times the matrix of its expert; a tile of rows has one expert."""
    s, n = ct.bid(0), ct.bid(1)
    rows = ct.load(token, index=(s,), shape=(tm,), padding_mode=ct.PaddingMode.ZERO)
    e = ct.minimum(ct.maximum(ct.load(expert, index=(s,), shape=(1,)).item(), 0), w.shape[0] - 1)
    acc = ct.full((tm, tn), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(w, axis=1, shape=(1, tk, tn))):
        left = ct.gather(x, (rows[:, None], (k * tk + ct.arange(tk, dtype=ct.int32))[None, :]))
        right = ct.load(w, index=(e, k, n), shape=(1, tk, tn), padding_mode=ct.PaddingMode.ZERO).reshape((tk, tn))
        acc = ct.mma(left, right, acc)
    ct.store(y, index=(s, n), tile=ct.astype(acc, y.dtype))


KERNELS: dict[str, tuple[Callable[..., None], tuple[Any, ...]]] = {
    "add": (add, ("f32 1", "f32 1", "f32 1", 1024)),
    "saxpy": (saxpy, ("f32 1", "f32 1", "f32", 1024)),
    "softmax": (softmax, ("f32 2", "f32 2", 4, 1024)),
    "layer norm": (layer_norm, ("f32 2", "f32 1", "f32 1", "f32 2", "f32 1", "f32 1", "f32", 4, 1024)),
    "GEMM": (gemm, ("f16 2", "f16 2", "f16 2", 128, 256, 32)),
    "attention": (attention, ("f16 4", "f16 4", "f16 4", "f16 4", "f32", 4, 128, 64, 128)),
    "MoE": (experts_gemm, ("f16 2", "f16 2", "f16 3", "i32 1", "i32 1", 128, 128, 32)),
}
"""By name: a kernel, and what it is compiled for: dtypes with ranks, dtypes of scalars, compile-time constants."""

DTYPES = {"f16": ct.float16, "f32": ct.float32, "i32": ct.int32}


def _constraint(text: str | int) -> Any:
    if isinstance(text, int):
        return cc.ConstantConstraint(text)
    dtype, _, rank = text.partition(" ")
    return _array(DTYPES[dtype], int(rank)) if rank else cc.ScalarConstraint(DTYPES[dtype])


def _array(dtype: Any, rank: int) -> Any:
    return cc.ArrayConstraint(
        dtype,
        rank,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=(None,) * (rank - 1) + (1,),
        stride_divisible_by=(8,) * (rank - 1) + (1,),
        shape_divisible_by=(1,) * (rank - 1) + (8,),
        base_addr_divisible_by=16,
    )


def _annotated(function: Callable[..., None], parameters: tuple[Any, ...]) -> Callable[..., None]:
    names = function.__code__.co_varnames[: len(parameters)]
    constants = [name for name, p in zip(names, parameters, strict=True) if isinstance(p, int)]
    function.__annotations__ = dict.fromkeys(constants, ct.Constant[int])  # a type checker takes these for mistakes
    return function


def frontends() -> dict[str, Callable[[], bytes]]:
    """By name, a function that compiles a kernel to bytecode, from its source."""
    convention = cc.CallingConvention.cutile_python_v1()

    def compiler(function: Callable[..., None], parameters: tuple[Any, ...]) -> Callable[[], bytes]:
        signature = cc.KernelSignature(tuple(_constraint(p) for p in parameters), convention)
        _annotated(function, parameters)

        def compile_once() -> bytes:
            file = BytesIO()
            options = {"gpu_code": "sm_90", "output_format": "tileir_bytecode", "bytecode_version": "13.3"}
            cc.export_kernel(ct.kernel(function), [signature], file, **options)
            return file.getvalue()

        return compile_once

    return {name: compiler(*parts) for name, parts in KERNELS.items()}
