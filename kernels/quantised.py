"""Numbers of 8 bits with scales: rows and groups quantised and back, and products of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import freehold as fh
from freehold import Const, Out, Ref, i8, i32
from freehold.kernels.activations import ended
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import _torch, as_rows, operator  # pyright: ignore[reportPrivateUsage] -- the library's own
from freehold.kernels.products import added, splits_launch, sum_dtype, turned
from freehold.kernels.schedules import PROCESSORS, ceildiv, cut, hinted, power_of_two, rows
from freehold.kernels.tiles import columns, part, safe, wide
from freehold.kernels.tilings import Tiling, scaled_tiling

FORMATS: Final = {"int8": 127.0, "fp8": 448.0, "fp8 e5m2": 57344.0, "mxfp8": 448.0}
"""What `quantise` knows by name, with the largest number of each."""

# --- Kernels ----------------------------------------------------------------------------------------------------------


def narrowed(t: Any, dtype: Any, MOST: float) -> Any:
    """Numbers as 8-bit ones, rounded to the nearest; those that are out of range become the last in it."""
    t = fh.clip(t, -MOST, MOST)
    if (
        dtype == i8
    ):  # a sum with 3 * 2^22 ends in the nearest whole number: conversions of floats are four times as slow
        return fh.bitcast(t + 12582912.0, i32).astype(i8)
    return t.astype(dtype)


@safe
def quantise_rows(
    q: Out["M", "N"],
    scale: Out["M"],
    x: Ref["M", "N"],
    MOST: Const[float],
    K: Const[int] = 0,
    N: Const[Any] = None,
):
    """scale = max(abs(x)) / MOST along rows, and q = x / scale in 8 bits. With `N` rows have that length."""
    (m,) = q.index
    top = fh.zeros(q.tile, fh.f32)
    for k in columns(x, q.tile[1], K):
        top = fh.maximum(top, abs(part(x, (m, k), q.tile)).astype(fh.f32))
    unit = top.max(axis=1, keepdims=True) / MOST
    rate = fh.where(unit > 0.0, 1.0 / fh.where(unit > 0.0, unit, 1.0), 0.0)
    scale.store(unit.reshape(scale.tile))
    for k in columns(q, q.tile[1], K):
        t = part(x, (m, k), q.tile).astype(fh.f32)
        q.at(k).store(narrowed(t * rate, q.dtype, MOST), allow_tma=False)


@safe
def quantise_groups(q: Out["M", "N"], scale: Out["M", "S"], x: Ref["M", "N"], MOST: Const[float], G: Const[int]):
    """
    The same for each G elements of a row; a tile is several groups wide.

    Where scales are bytes they are powers of two, 2 ** (scale - 127): the least with which nothing is out of range.
    """
    high, width = q.tile
    t = wide(x.load_like(q)).astype(fh.f32).reshape(high, width // G, G)
    unit = abs(t).max(axis=2) / MOST
    if scale.dtype == fh.u8:
        bits = fh.bitcast(unit, i32)
        power = fh.clip((bits >> 23) + fh.where((bits & 0x7FFFFF) != 0, 1, 0), 1, 254)
        scale.store(power.astype(fh.u8))
        rate = fh.bitcast((254 - power) << 23, fh.f32)
    else:
        scale.store(unit)
        rate = fh.where(unit > 0.0, 1.0 / fh.where(unit > 0.0, unit, 1.0), 0.0)
    q.store(narrowed(t * rate[:, :, None], q.dtype, MOST).reshape(high, width))


@safe
def dequantise_tiles(y: Out["M", "N"], q: Ref["M", "N"], scale: Ref["M", "S"], G: Const[int]):
    """y = q * scale, where each G elements of a row have one; with G 0, all of it."""
    m, n = y.index
    high, width = y.tile
    t = q.load_like(y).astype(fh.f32)
    if G == 0:
        y.store((t * scale.load((m, 0), (high, 1))).astype(y.dtype))
    else:
        unit = scale.load((m, n), (high, width // G))
        if scale.dtype == fh.u8:
            unit = fh.bitcast(unit.astype(i32) << 23, fh.f32)
        y.store((t.reshape(high, width // G, G) * unit[:, :, None]).reshape(high, width).astype(y.dtype))


@safe
def scaled_matmul_tiles(
    c: Out["M", "N"],
    a: Ref["M", "K"],
    b: Ref["N", "K"],
    a_scale: Ref["R", "S"],
    b_scale: Ref["T", "U"],
    bias: Ref["N"] | None,
    BK: Const[int],
    BLOCKS: Const[bool] = False,
    FAST: Const[bool] = False,
    TURNED: Const[bool] = False,
):
    """
    c = (a * a_scale) @ (b * b_scale).T + bias of 8-bit numbers, where each row of a and of b has a scale, in (1, M) and
    (1, N).

    With `BLOCKS` each BK elements of a row of a have one, and each BK of each 128 rows of b; a tile has up to 128 rows
    of b, and within these 128. `TURNED` is as for `matmul_tiles`.
    """
    m, n = c.index
    TM, TN = c.tile
    fh.static_assert(not BLOCKS or TN <= 128, "a tile has one row of scales of b")
    fh.require("R == M" if BLOCKS else "S == M and R > 0")
    fh.require("U > 0" if BLOCKS else "U == N and T > 0")
    shape = (TN, TM) if TURNED else (TM, TN)
    total = fh.zeros(shape, fh.f32)
    acc = fh.zeros(shape, sum_dtype(a.dtype))
    for k in fh.tiles(a, axis=1, size=BK):
        part = added(acc, a.load((m, k), (TM, BK)), b.load((n, k), (TN, BK)).T, TURNED, FAST)
        if BLOCKS:
            unit = a_scale.gather((m * TM + fh.arange(TM))[:, None], k)
            total += part.astype(fh.f32) * turned(unit, TURNED) * b_scale.gather(n * TN // 128, k)
        else:
            acc = part
    acc, total = turned(acc, TURNED), turned(total, TURNED)
    if not BLOCKS:
        unit = a_scale.load((0, m), (1, TM)).reshape(TM, 1) * b_scale.load((0, n), (1, TN))
        total = acc.astype(fh.f32) * unit
    c.store(ended(total, m, n, bias, None).astype(c.dtype))


def weighed(a: Any, w: Any, scale: Any, m: Any, n: Any, tile: Any, steps: Any, BK: int) -> Any:
    """Tile (m, n) of a @ (w * scale).T, of some steps along K."""
    acc = fh.zeros(tile, sum_dtype(a.dtype))
    for k in steps:
        acc = fh.mma(a.load((m, k), (tile[0], BK)), w.load((n, k), (tile[1], BK)).astype(a.dtype).T, acc)
    return acc * scale.load((n,), (tile[1],))


@safe
def narrow_weight_tiles(
    c: Out["M", "N"],
    a: Ref["M", "K"],
    w: Ref["N", "K"],
    scale: Ref["N"],
    residual: Ref["M", "N"] | None,
    BK: Const[int],
):
    """c = a @ (w * scale).T + residual, where w has 8 bits, one scale a row, and becomes what a is to be multiplied."""
    m, n = c.index
    acc = weighed(a, w, scale, m, n, c.tile, fh.tiles(a, axis=1, size=BK), BK)
    c.store(ended(acc, m, n, None, residual).astype(c.dtype))


@safe
def narrow_weight_splits(
    parts: Out["Z", "M", "N"], a: Ref["M", "K"], w: Ref["N", "K"], scale: Ref["N"], BK: Const[int]
):
    """parts.sum(axis=0) = a @ (w * scale).T: part z has every Z-th step along K."""
    z, m, n = parts.index
    steps = fh.tiles(a, axis=1, size=BK, start=z, step=parts.shape[0])
    parts.store(weighed(a, w, scale, m, n, parts.tile[1:], steps, BK)[None])


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def quantise(x: Tensor, format: str = "int8", group: int | None = None) -> tuple[Tensor, Tensor]:
    """
    The rows of `x` (..., N; floats) in 8 bits, and their scales: `x` is about `values * scales`.

    `format` is "int8", "fp8" (e4m3), "fp8 e5m2", or "mxfp8": e4m3 in groups of 32, whose scales are bytes, powers of
    two as e8m0 has them. A scale (float32) is of a row, (...), or with `group`, a power of two of at least 16, of so
    many neighbours, (..., ceil(N / group)). The largest number of each is kept as it is, but for rounding; numbers of
    0 alone have scale 0. No gradients. Raises `ValueError` for other formats and groups.
    """
    if format not in FORMATS:
        raise ValueError(f"a format is one of {', '.join(FORMATS)}, not {format!r}")
    if format == "mxfp8":
        group = 32
    if group is not None and (group < 16 or group != power_of_two(group)):
        raise ValueError(f"a group is a power of two of at least 16, not {group}")
    q, scales = _quantise(as_rows(x), format, group or 0)
    return q.view(x.shape), scales.view(*x.shape[:-1], *(() if group is None else scales.shape[1:]))


@function()
def dequantise(values: Tensor, scales: Tensor, dtype: Any = None) -> Tensor:
    """
    values * scales, as `quantise` gives them: in `dtype`, or else bfloat16. No gradients.

    Raises `ValueError` where there are neither scales for rows nor for groups of a power of two.
    """
    N, each = values.shape[-1], scales.dim() == values.dim()
    group = 0
    if each:
        group = power_of_two(-(-N // scales.shape[-1]))
    if tuple(scales.shape[: values.dim() - 1]) != tuple(values.shape[:-1]) or (
        group and -(-N // group) != scales.shape[-1]
    ):
        raise ValueError(f"scales {tuple(scales.shape)} are not those of {tuple(values.shape)}")
    rows = scales.reshape(-1, scales.shape[-1]) if each else scales.reshape(-1, 1)
    y = _dequantise(as_rows(values), rows, group, dtype or _torch().bfloat16)
    return y.view(values.shape)


@function()
def scaled_linear(
    x: Tensor, weight: Tensor, x_scales: Tensor, weight_scales: Tensor, bias: Tensor | None = None, dtype: Any = None
) -> Tensor:
    """
    (x * x_scales) @ (weight * weight_scales).T + bias of 8-bit numbers, in `dtype`, or else bfloat16.

    `x` (M, K) and `weight` (N, K) are both int8, whose products are added up exactly, or both of one 8-bit float. Each
    row has a scale, (M) and (N); or 128 neighbours of a row of `x`, and 128 x 128 of `weight`: (M, ceil(K / 128)) and
    (ceil(N / 128), ceil(K / 128)), all float32. No gradients. Raises `ValueError` for other shapes.
    """
    (M, K), (N, L) = x.shape, weight.shape
    steps = -(-K // 128)
    blocks = x_scales.dim() == 2
    shapes = ((M, steps), (-(-N // 128), steps)) if blocks else ((M,), (N,))
    if K != L or x.dtype != weight.dtype or (tuple(x_scales.shape), tuple(weight_scales.shape)) != shapes:
        raise ValueError(f"x {tuple(x.shape)} and weight {tuple(weight.shape)} do not multiply with these scales")
    given = (x_scales, weight_scales) if blocks else (x_scales.view(1, -1), weight_scales.view(1, -1))
    return _scaled(x, weight, *given, bias, blocks, dtype or _torch().bfloat16)


# --- Operators --------------------------------------------------------------------------------------------------------


def _of_format(format: str) -> Any:
    torch = _torch()
    return {"int8": torch.int8, "fp8 e5m2": torch.float8_e5m2}.get(format, torch.float8_e4m3fn)


def _quantised(x: Any, format: str, group: int) -> tuple[Any, Any]:
    torch = _torch()
    scales = (x.shape[0], -(-x.shape[1] // group)) if group else (x.shape[0],)
    kind = torch.uint8 if format == "mxfp8" else torch.float32
    return x.new_empty(x.shape, dtype=_of_format(format)), x.new_empty(scales, dtype=kind)


@operator(
    "quantise(Tensor x, str format, int group) -> (Tensor, Tensor)", results=_quantised, takes={"x": "M N floats"}
)
def _quantise(q: Any, scale: Any, x: Any, format: str, group: int) -> None:
    if not group:
        quantise_launch(q, scale, x, format).on()
        return
    width = min(4096, power_of_two(max(x.shape[1], group)))
    tile = max(1, min(2048 // width, power_of_two(x.shape[0]))), width
    parts = fh.partition(q, tile), fh.partition(scale, (tile[0], width // group))
    hinted(quantise_groups, {"num_worker_warps": 4, "occupancy": 8})(*parts, x, FORMATS[format], group).on()


def quantise_launch(q: Any, scale: Any, x: Any, format: str) -> Any:
    """The launch that makes 8-bit numbers and a scale (M,) of each row of a matrix."""
    way = rows(*x.shape)
    parts = cut(q, way.tile, owned=1), cut(scale, way.tile[:1])
    return hinted(quantise_rows, way.hints)(*parts, x, FORMATS[format], *way.constants)


def narrow_weight_launches(
    c: Any, a: Any, w: Any, scale: Any, residual: Any, way: Tiling, parts: Callable[[], Any]
) -> Iterator[Any]:
    """
    The launches that compute c = a @ (w * scale).T, and + residual unless that is None, in a tiling.

    `parts()` is room for the parts of a sum that is cut, (splits, M, N).
    """
    if way.splits > 1:
        room = parts()
        yield hinted(narrow_weight_splits, way.hints)(cut(room, (1, *way.tile)), a, w, scale, way.step)
        yield splits_launch(c, room, None, residual, "")
        return
    part = cut(c, way.tile, order=fh.grouped(8), blocks=way.blocks)
    yield hinted(narrow_weight_tiles, way.hints)(part, a, w, scale, residual, way.step)


@operator(
    "dequantise(Tensor q, Tensor scales, int group, ScalarType dtype) -> Tensor",
    results=lambda q, scales, group, dtype: q.new_empty(q.shape, dtype=dtype),
)
def _dequantise(y: Any, q: Any, scales: Any, group: int, dtype: Any) -> None:
    width = min(2048, power_of_two(max(q.shape[1], group)))
    tile = max(1, min(2048 // width, power_of_two(q.shape[0]))), width
    dequantise_tiles(fh.partition(y, tile), q, scales, group).on()


_BANDS: Final = fh.grouped(16)
"""Rows of tiles that are worked on together: of 8-bit numbers more of them fit the L2 cache."""


def _even_turns(way: Tiling, tiles: int) -> Any:
    """
    Of persistent blocks as few as need no more turns than one on each multiprocessor would. On an H200 128 of them take
    0.95 of the energy of 132 for 4096 and 8192 cubed, and less time while power is no limit; with scales of groups of
    128 they take 1.16 of the time.
    """
    turns = ceildiv(tiles, PROCESSORS)
    return ceildiv(tiles, turns) if way.persistent and turns > 1 else way.blocks


@operator(
    "scaled_linear(Tensor x, Tensor weight, Tensor x_scales, Tensor weight_scales, Tensor? bias, bool blocks,"
    " ScalarType dtype) -> Tensor",
    results=lambda x, weight, x_scales, weight_scales, bias, blocks, dtype: x.new_empty(
        (x.shape[0], weight.shape[0]), dtype=dtype
    ),
)
def _scaled(
    c: Any,
    x: Any,
    weight: Any,
    x_scales: Any,
    weight_scales: Any,
    bias: Any,
    blocks: bool,
    dtype: Any,
) -> None:
    m, n = c.shape
    way = scaled_tiling(m, n, x.shape[1], blocks)
    high, width = way.tile
    fast = x.dtype != _torch().int8 and not blocks
    held = _even_turns(way, ceildiv(m, high) * ceildiv(n, width)) if fast else way.blocks
    part = cut(c, (high, width), order=_BANDS, blocks=held)
    given = x, weight, x_scales, weight_scales, bias, way.step, blocks, fast, way.turned
    hinted(scaled_matmul_tiles, way.hints)(part, *given).on()
