"""Matrix products: every layout, batches, splits along the sum, epilogues; and a matrix times few vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

import freehold as fh
from freehold import Const, Out, Ref, f32, f64, i32
from freehold.kernels.activations import KINDS, activation, ended
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import as_rows, asked, in_tf32, integer_sums, operator, wide_dtype
from freehold.kernels.pieces import in_pieces_is_faster, launch_product, tile_of
from freehold.kernels.reductions import sum_rows
from freehold.kernels.schedules import PROCESSORS, by_row, ceildiv, cut, hinted, power_of_two
from freehold.kernels.streams import beside_one_another
from freehold.kernels.strips import strips_launch
from freehold.kernels.tiles import extents_agree, safe, wide
from freehold.kernels.tilings import Product, Tiling, tiling
from freehold.kernels.wide_tiles import parts_launch, parts_of

# --- Kernels ----------------------------------------------------------------------------------------------------------


def sum_dtype(dtype: Any) -> Any:
    """The dtype in which products of elements of `dtype` are added up."""
    if dtype == f64:
        return f64
    return i32 if dtype in (fh.i8, fh.u8) else f32


def operand(tile: Any, TF32: bool) -> Any:
    """A tile as `mma` takes it."""
    return tile.astype(fh.tf32) if TF32 else tile


def turned(tile: Any, TURNED: bool) -> Any:
    """A tile, or with `TURNED` its transpose."""
    return tile.T if TURNED else tile


def added(acc: Any, x: Any, y: Any, TURNED: bool, FAST: bool = False) -> Any:
    """acc + x @ y; with `TURNED` of a sum that is the transpose: acc + (x @ y).T."""
    return fh.mma(y.T, x.T, acc, fast_acc=FAST) if TURNED else fh.mma(x, y, acc, fast_acc=FAST)


@safe
def matmul_tiles(
    c: Out["M", "N"],
    a: Ref["A", "B"],
    b: Ref["P", "Q"],
    bias: Ref["N"] | None,
    residual: Ref["M", "N"] | None,
    BK: Const[int],
    TA: Const[bool] = False,
    TB: Const[bool] = False,
    ACT: Const[str] = "",
    TF32: Const[bool] = False,
    FAST: Const[bool] = False,
    AHEAD: Const[int | None] = None,
    TURNED: Const[bool] = False,
):
    """
    c = activate(a @ b + bias) + residual, each where it is given, added up in f32 (f64, i32 for integers).

    `TA` and `TB` take the transposes of a and b: of matrices (K, M) and (N, K). `FAST` adds up products of 8-bit floats
    with less precision. `AHEAD` is the latency that loads are told to expect. With `TURNED` a tile is added up as its
    transpose: so tiles of less than 64 rows, and 64 columns or more, are multiplied from shared memory.
    """
    extents_agree(TA, TB)
    m, n = c.index
    TM, TN = c.tile
    acc, last = fh.zeros((TN, TM) if TURNED else (TM, TN), sum_dtype(a.dtype)), residual
    if residual is not None and bias is None and ACT == "":  # so it is loaded beside the first factors
        acc, last = turned(residual.load((m, n), c.tile).astype(acc.dtype), TURNED), None
    for k in fh.tiles(a, axis=0 if TA else 1, size=BK):
        x = tile_of(a, (m, k), (TM, BK), TA, AHEAD)
        y = tile_of(b, (k, n), (BK, TN), TB, AHEAD)
        acc = added(acc, operand(x, TF32), operand(y, TF32), TURNED, FAST)
    c.store(ended(turned(acc, TURNED), m, n, bias, last, ACT).astype(c.dtype))


@safe
def matmul_two_tiles(
    c: Out["M", "N"],
    a: Ref["A", "B"],
    b: Ref["P", "Q"],
    bias: Ref["N"] | None,
    residual: Ref["M", "N"] | None,
    at: fh.Grid,
    BK: Const[int],
    FIRST: Const[int],
    TA: Const[bool] = False,
    TB: Const[bool] = False,
    ACT: Const[str] = "",
    AHEAD: Const[int | None] = None,
):
    """
    As `matmul_tiles`, where a point of the grid has two tiles side by side: one `FIRST` columns wide, and one as wide
    as a region of c. So tiles may be 192 columns wide, and as many as the GPU has multiprocessors.

    The grid is ("cdiv(M, rows)", "cdiv(N, FIRST + columns)") for regions of so many rows and columns, which are a part
    of c (`partial=True`) as far as the proof goes: that they are all is arithmetic that it does not know.
    """
    extents_agree(TA, TB)
    fh.require("N <= 1073741824")
    m, n = at.index
    TM, TN = c.tile
    start = n * (FIRST + TN)
    second = fh.where(start + FIRST < c.shape[1], start + FIRST, 0)
    one, other = fh.zeros((TM, FIRST), f32), fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=0 if TA else 1, size=BK):
        x = tile_of(a, (m, k), (TM, BK), TA, AHEAD)
        if TB:
            y = b.load_from((start, k * BK), (FIRST, BK), latency=AHEAD).T
            z = b.load_from((second, k * BK), (TN, BK), latency=AHEAD).T
        else:
            y = b.load_from((k * BK, start), (BK, FIRST), latency=AHEAD)
            z = b.load_from((k * BK, second), (BK, TN), latency=AHEAD)
        one, other = fh.mma(x, y, one), fh.mma(x, z, other)
    count = FIRST // TN
    first = n * (count + 1)
    c.at(m, first).store(ended(one[:, :TN], m, first, bias, residual, ACT).astype(c.dtype))
    for piece in fh.static_range(1, count + 1):
        if first + piece < fh.cdiv(c.shape[1], TN):
            part = one[:, piece * TN : (piece + 1) * TN] if piece < count else other
            c.at(m, first + piece).store(ended(part, m, first + piece, bias, residual, ACT).astype(c.dtype))


@safe
def batched_matmul_tiles(
    c: Out["Z", "M", "N"],
    a: Ref["Z", "A", "B"],
    b: Ref["Z", "P", "Q"],
    BK: Const[int],
    TA: Const[bool] = False,
    TB: Const[bool] = False,
    TF32: Const[bool] = False,
):
    """c[z] = a[z] @ b[z]; `TA` and `TB` as in `matmul_tiles`."""
    extents_agree(TA, TB)
    z, m, n = c.index
    _, TM, TN = c.tile
    acc = fh.zeros((TM, TN), sum_dtype(a.dtype))
    for k in fh.tiles(a, axis=1 if TA else 2, size=BK):
        x, y = tile_of(a, (z, m, k), (TM, BK), TA), tile_of(b, (z, k, n), (BK, TN), TB)
        acc = fh.mma(operand(x, TF32), operand(y, TF32), acc)
    c.store(acc[None].astype(c.dtype))


@safe
def matmul_splits(
    parts: Out["Z", "M", "N"],
    a: Ref["A", "B"],
    b: Ref["P", "Q"],
    BK: Const[int],
    TA: Const[bool] = False,
    TB: Const[bool] = False,
    TF32: Const[bool] = False,
    TURNED: Const[bool] = False,
):
    """
    parts.sum(axis=0) = a @ b: part z has every Z-th step along K. `TA`, `TB` and `TURNED` are as in `matmul_tiles`.
    """
    extents_agree(TA, TB)
    z, m, n = parts.index
    _, TM, TN = parts.tile
    acc = fh.zeros((TN, TM) if TURNED else (TM, TN), sum_dtype(a.dtype))
    for k in fh.tiles(a, axis=0 if TA else 1, size=BK, start=z, step=parts.shape[0]):
        x, y = tile_of(a, (m, k), (TM, BK), TA), tile_of(b, (k, n), (BK, TN), TB)
        acc = added(acc, operand(x, TF32), operand(y, TF32), TURNED)
    parts.store(turned(acc, TURNED)[None])


@safe
def sum_of_splits(
    c: Out["M", "N"],
    parts: Ref["Z", "M", "N"],
    bias: Ref["N"] | None = None,
    residual: Ref["M", "N"] | None = None,
    ACT: Const[str] = "",
    MANY: Const[int] = 0,
):
    """
    c = activate(parts.sum(axis=0) + bias) + residual, in the same order every time.

    With `MANY` there are so many parts, which threads load at once.
    """
    fh.require("MANY == 0 or Z == MANY")
    m, n = c.index
    acc = fh.zeros(c.tile, parts.dtype)
    for z in fh.static_range(MANY) if MANY else fh.tiles(parts, axis=0, size=1):
        acc += parts.load((z, m, n), (1, *c.tile), allow_tma=not MANY).reshape(c.tile)
    c.store(ended(acc, m, n, bias, residual, ACT).astype(c.dtype), allow_tma=not MANY)


@safe
def matvec_rows(
    y: Out["M", "N"],
    x: Ref["M", "K"],
    w: Ref["N", "K"],
    bias: Ref["N"] | None,
    BK: Const[int],
    N: Const[Any] = None,
    K: Const[Any] = None,
):
    """
    y = x @ w.T + bias for one row of x, as decoding a token needs it: bound by reading w.

    With `K`, and `N`, these extents are compiled in, and each thread loads what it multiplies; else tiles are loaded by
    TMA.
    """
    m, n = y.index
    high, tma = y.tile[1], K is None
    acc = fh.zeros((high, BK), f64 if w.dtype == f64 else f32)
    for k in fh.tiles(w, axis=1, size=BK):
        acc += wide(w.load((n, k), (high, BK), allow_tma=tma)) * wide(x.load((m, k), (1, BK), allow_tma=tma))
    y.store(ended(acc.sum(axis=1)[None], m, n, bias, None).astype(y.dtype), allow_tma=tma)


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def matmul(a: Tensor, b: Tensor, *, tf32: bool | None = None) -> Tensor:
    """
    a @ b of matrices (M, K) and (K, N), or of batches (Z, M, K) and (Z, K, N) of them; differentiable.

    Both have one dtype, which is the result's: bf16, f16, f32, f64, or i8, whose products are i32. Each may be stored
    along either axis: `x.t()` costs nothing. Sums are computed in float32, or float64 for float64. Products of float32
    are as precise as float32 is, or with `tf32` at least as TF32 is; unless it is given, torch's setting for products
    is followed. Raises `ValueError` for other shapes.
    """
    return _matmul(a, b, None, None, "", asked(tf32)) if a.dim() == 2 else _bmm(a, b, asked(tf32))


@function(x="... K floats", weight="N K same", bias="N floats", residual="... N floats")
def linear(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, *, activation: str = "", residual: Tensor | None = None
) -> Tensor:
    """
    activate(x @ weight.T + bias) + residual in one pass, each where it is given; differentiable.

    `x` is (..., K), `weight` (N, K), `bias` (N), `residual` (..., N); `activation` one of `activations.KINDS`. The
    result is in the dtype of `x`. With gradients, an activation is a pass of its own, for its argument is needed again.
    Raises `ValueError` for other activations and shapes.
    """
    if activation and activation not in KINDS:
        raise ValueError(f"an activation is one of {', '.join(KINDS)}, not {activation!r}")
    if x.dim() == 2:
        return _linear(x, weight, bias, activation, residual)
    rest = None if residual is None else as_rows(residual.expand(*x.shape[:-1], weight.shape[0]))
    return _linear(as_rows(x), weight, bias, activation, rest).view(*x.shape[:-1], weight.shape[0])


def _linear(x: Any, weight: Any, bias: Any, activation: str, residual: Any) -> Any:
    """`linear` of rows."""
    if activation and any(t.requires_grad for t in (x, weight, bias) if t is not None):
        y = _activated(_matmul(x, weight.t(), bias, None, "", asked(None)), activation)
        return y if residual is None else y + residual
    return _matmul(x, weight.t(), bias, residual, activation, asked(None))


_BANDS: Final = fh.grouped(8)
MOST_AT_ONCE: Final = 16
"""Parts of a sum that are loaded at once."""
_activated: Final = activation


def product_launches(product: Product, way: Tiling, parts: Callable[[], Any]) -> Iterator[Any]:
    """
    The launches that compute a product in a tiling.

    `parts()` is room for the parts of a sum that is cut, (splits, M, N).
    """
    c, a, b, bias, residual, activation, transposed, tf32 = product
    if any(way.margins):
        yield from _with_margins(product, way, parts)
        return
    if way.splits > 1:
        room = parts()
        if way.strips:
            yield strips_launch(product, way, room)
        else:
            yield hinted(matmul_splits, way.hints)(
                cut(room, (1, *way.tile)), a, b, way.step, *transposed, tf32, way.turned
            )
        yield splits_launch(c, room, bias, residual, activation)
        return
    if way.strips:
        yield strips_launch(product, way)
        return
    if way.beside and (equal := parts_of(c.shape[1], way.tile[1], way.beside)):
        yield parts_launch(product, way, equal)
        return
    if way.beside:
        part = cut(c, (way.tile[0], way.beside), partial=True)
        grid = _pairs(way.tile[0], way.tile[1] + way.beside, way.persistent)
        yield hinted(matmul_two_tiles, way.hints)(
            part, a, b, bias, residual, grid, way.step, way.tile[1], *transposed, activation, way.ahead
        )
        return
    part = cut(c, way.tile, order=_BANDS, blocks=way.blocks)
    yield hinted(matmul_tiles, way.hints)(
        part, a, b, bias, residual, way.step, *transposed, activation, tf32, False, way.ahead, way.turned
    )


def _with_margins(product: Product, way: Tiling, parts: Callable[[], Any]) -> Iterator[Any]:
    """
    The launches of a product whose last rows and columns are by themselves: of tiles that are all full, then of what is
    right of them and of what is below. Where it is `widened`, these have the last column of tiles with them, and the
    last row, as a product whose rows and columns are exchanged.
    """
    m, n = (extent - margin for extent, margin in zip(product.c.shape, way.margins, strict=True))
    low, right = way.margins
    high, width = way.tile
    plain = way._replace(margins=(0, 0))
    strip = Tiling((64, 64), min(128, way.step * 2), 1, 4, 2, False)
    top = m - high if way.widened and product.bias is None else m  # the bias is one of columns
    left = n - width if way.widened else n
    if top and left:
        yield from product_launches(product.part(slice(top), slice(left)), plain, parts)
    if right and m:
        if way.widened:
            column = plain._replace(persistent=False, beside=power_of_two(max(8, right)))
        else:
            column = strip._replace(tile=(64, power_of_two(max(16, right))))
        yield from product_launches(product.part(slice(m), slice(left, None)), column, parts)
    if low:
        below = product.part(slice(m, None), slice(left if top < m else 0, None))
        yield from product_launches(below, strip._replace(tile=(power_of_two(max(16, low)), 64)), parts)
    if top < m:
        row = plain._replace(tile=(width, high), persistent=False, beside=power_of_two(max(8, low)))
        yield from product_launches(product.part(slice(top, None), slice(left)).exchanged(), row, parts)


@cache
def _pairs(rows: int, columns: int, persistent: bool) -> fh.Grid:
    """The grid of `matmul_two_tiles` for pairs of tiles of so many rows and columns together."""
    blocks = fh.PERSISTENT if persistent else fh.EACH
    return fh.Grid(f"cdiv(M, {rows})", f"cdiv(N, {columns})", order=_BANDS, blocks=blocks)


def splits_launch(c: Any, room: Any, bias: Any, residual: Any, activation: str) -> Any:
    """The launch that adds up the parts of a product, and ends it; see `Product`."""
    many, width = room.shape[0], 512 if c.shape[0] * c.shape[1] >= 512 * PROCESSORS else 256
    if many > MOST_AT_ONCE:
        return sum_of_splits(cut(c, (4, min(512, power_of_two(c.shape[1])))), room, bias, residual, activation)
    hints = {"num_worker_warps": 4, "begin_early": True}
    return hinted(sum_of_splits, hints)(cut(c, (1, width)), room, bias, residual, activation, many)


# --- Operators --------------------------------------------------------------------------------------------------------


def stored(matrix: Any) -> tuple[Any, bool]:
    """A matrix as it lies in memory, rows first, and whether that is its transpose; copied if it is neither."""
    if matrix.stride(-1) == 1:
        return matrix, False
    if matrix.stride(-2) == 1:
        return matrix.transpose(-1, -2), True
    return matrix.contiguous(), False


def aligned(matrix: Any) -> Any:
    """
    The matrix with rows that begin at 16 bytes: others are loaded element by element, so they are copied, to rows that
    begin at 128, which are the fastest.
    """
    size = matrix.element_size()
    if matrix.stride(-2) * size % 16 == 0 and matrix.data_ptr() % 16 == 0:
        return matrix
    width = ceildiv(matrix.shape[-1] * size, 128) * 128 // size
    return matrix.new_empty((*matrix.shape[:-1], width))[..., : matrix.shape[-1]].copy_(matrix)


def _result(a: Any, b: Any) -> Any:
    return a.new_empty((*a.shape[:-1], b.shape[-1]), dtype=integer_sums(a))


@operator(
    "matmul(Tensor a, Tensor b, Tensor? bias, Tensor? residual, str activation, int tf32) -> Tensor",
    results=lambda a, b, bias, residual, activation, tf32: _result(a, b),
    takes={"a": "M K", "b": "K N same", "bias": "N floats", "residual": "M N floats"},
)
def _matmul(c: Any, a: Any, b: Any, bias: Any, residual: Any, activation: str, tf32: int) -> None:
    (x, ta), (y, tb) = stored(a), stored(b)
    if c.shape[0] > 64 and a.element_size() <= 2:
        x, y = aligned(x), aligned(y)
    even = all(t.stride(0) * t.element_size() % 32 == 0 for t in (x, y))
    way = tiling(*c.shape, a.shape[1], a.element_size(), even, True)
    ends = bias, residual, activation
    if c.shape[0] == 1 and tb and not activation and residual is None:
        by = by_row(*y.shape)
        rest = x if not ta else a.contiguous(), y, bias, *by.constants
        hinted(matvec_rows, by.hints)(cut(c, (1, by.rows)), *rest).on()
        return

    if in_pieces_is_faster(a, c.numel() * a.shape[1]):
        launch_product(
            c[None],
            x[None],
            y[None],
            (ta, tb),
            2 if in_tf32(a, tf32, False) else 3,
            ends,
            lambda p: splits_launch(c, p, *ends),
        )
        return

    def parts() -> Any:
        return a.new_empty((way.splits, *c.shape), dtype=wide_dtype(a))

    launches = product_launches(Product(c, x, y, *ends, (ta, tb), in_tf32(a, tf32, False)), way, parts)
    if any(way.margins) and c.is_cuda:
        count = 1 + sum(margin > 0 for margin in way.margins) + (way.widened and bias is None)
        beside_one_another((launch.on for launch in launches), count, c.device)
        return
    for launch in launches:
        launch.on()


@operator(
    "bmm(Tensor a, Tensor b, int tf32) -> Tensor",
    results=lambda a, b, tf32: _result(a, b),
    takes={"a": "Z M K", "b": "Z K N same"},
)
def _bmm(c: Any, a: Any, b: Any, tf32: int) -> None:
    (x, ta), (y, tb) = stored(a), stored(b)
    if in_pieces_is_faster(a, c.numel() * a.shape[2]):
        launch_product(c, x, y, (ta, tb), 2 if in_tf32(a, tf32, False) else 3)
        return
    way = tiling(c.shape[0] * c.shape[1], c.shape[2], a.shape[2], a.element_size(), apart=True)
    high = min(way.tile[0], power_of_two(max(16, c.shape[1])))
    part = cut(c, (1, high, way.tile[1]), blocks=way.blocks)
    hinted(batched_matmul_tiles, way.hints)(part, x, y, way.step, ta, tb, in_tf32(a, tf32, False)).on()


@operator("sum_rows(Tensor x) -> Tensor", results=lambda x: x.new_empty((x.shape[1],)))
def _sum_rows(y: Any, x: Any) -> None:
    sum_rows(y, x)


@_matmul.backward(keeps=lambda inputs, output: inputs[:2])
def _matmul_gradients(ctx: Any, dc: Any) -> tuple[Any, ...]:
    a, b = ctx.saved_tensors
    tf32 = ctx.arguments[-1]
    dc = dc.contiguous()
    wanted = ctx.needs_input_grad
    da = _matmul(dc, b.t(), None, None, "", tf32) if wanted[0] else None
    db = _matmul(a.t(), dc, None, None, "", tf32) if wanted[1] else None
    return da, db, _sum_rows(dc) if wanted[2] else None, dc if wanted[3] else None, None, None


@_bmm.backward(keeps=lambda inputs, output: inputs[:2])
def _bmm_gradients(ctx: Any, dc: Any) -> tuple[Any, ...]:
    a, b = ctx.saved_tensors
    (tf32,) = ctx.arguments
    dc = dc.contiguous()
    return _bmm(dc, b.transpose(1, 2), tf32), _bmm(a.transpose(1, 2), dc, tf32), None
