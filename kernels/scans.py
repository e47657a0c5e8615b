"""Running sums and products along any axis: forwards and backwards, with or without the element itself, masked."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import freehold as fh
from freehold import Const, Mut, Out, Ref, i32
from freehold.kernels.arguments import Tensor, axis_of, function
from freehold.kernels.operators import operator, wide_dtype
from freehold.kernels.schedules import LONGEST, PROCESSORS, Rows, ceildiv, compiled_in, cut, hinted, power_of_two, rows
from freehold.kernels.tiles import accumulator, columns, part, places, safe, wide

SHARED: Final = "share > 0 and R <= 1073741824"
"""What makes parts of tiles all of an axis, whose places do not wrap around."""

# --- Kernels ----------------------------------------------------------------------------------------------------------


def counted(t: Any, mask: Any, at: Any, place: Any, end: Any, PRODUCT: bool, MASK: bool) -> Any:
    """A tile to compute with, with what changes nothing in place of what is not counted; sums have zeros beyond."""
    nothing = 1.0 if PRODUCT else 0.0
    if PRODUCT:
        t = fh.where(place < end, t, nothing)
    return fh.where(mask.load(at, t.shape, allow_tma=False), t, nothing) if MASK else t


def along(start: Any, tile: tuple[int, ...]) -> Any:
    """The places from `start` on along axis 1 of a tile."""
    return places(start, tile[1]).reshape(1, tile[1], *(1,) * (len(tile) - 2))


def total(t: Any, PRODUCT: bool) -> Any:
    """The sum or product of a tile along its axis 1."""
    return t.prod(axis=1, keepdims=True) if PRODUCT else t.sum(axis=1, keepdims=True)


def both(a: Any, b: Any, PRODUCT: bool) -> Any:
    """What two sums or products come to."""
    return a * b if PRODUCT else a + b


def tiles_of_part(p: Any, share: Any, end: Any, step: int) -> Any:
    """The numbers of the tiles of a part."""
    return range(p * share, min((p + 1) * share, fh.cdiv(end, step)))


def total_of_part(x: Any, mask: Any, at: Any, share: Any, tile: tuple[int, ...], PRODUCT: bool, MASK: bool) -> Any:
    """The sum or product of a part of `share` tiles along axis 1; `at` is the part's index."""
    a, p, *rest = at
    acc = fh.full(tile, 1.0 if PRODUCT else 0.0, accumulator(x.dtype))
    for k in tiles_of_part(p, share, x.shape[1], tile[1]):
        t = wide(x.load((a, k, *rest), tile))
        t = counted(t, mask, (a, k, *rest), along(k * tile[1], tile), x.shape[1], PRODUCT, MASK)
        acc = both(acc, t, PRODUCT)
    return total(acc, PRODUCT)


def before_part(totals: Any, at: Any, tile: tuple[int, ...], PRODUCT: bool, BACK: bool) -> Any:
    """What the parts in front of one, or with `BACK` behind it, come to."""
    a, p, *rest = at
    step, count = tile[1], totals.shape[1]
    nothing = 1.0 if PRODUCT else 0.0
    acc = fh.full((tile[0], 1, *tile[2:]), nothing, totals.dtype)
    for k in range((p + 1) // step, fh.cdiv(count, step)) if BACK else range(fh.cdiv(p, step)):
        place = along(k * step, tile)
        seen = (place > p) & (place < count) if BACK else place < p
        acc = both(
            acc, total(fh.where(seen, totals.load((a, k, *rest), tile, allow_tma=False), nothing), PRODUCT), PRODUCT
        )
    return acc


def running(t: Any, before: Any, PRODUCT: bool, BACK: bool, EXCLUSIVE: bool) -> Any:
    """The running sums or products of a tile along its axis 1, behind what is `before` it."""
    if PRODUCT:
        return fh.cumprod(t, axis=1, reverse=BACK) * before
    run = fh.cumsum(t, axis=1, reverse=BACK) + before
    return run - t if EXCLUSIVE else run


def run_along(y: Any, x: Any, totals: Any, mask: Any, at: Any, share: Any, tile: tuple[int, ...], *rules: bool) -> None:
    """
    Stores the running sums or products of a part of `share` tiles along axis 1; `at` is the part's index. `rules` are
    `PRODUCT`, `BACK`, `EXCLUSIVE`, `MASK` and `TMA` of `scan_axis`.
    """
    (a, p, *rest), (PRODUCT, BACK, EXCLUSIVE, MASK, TMA) = at, rules
    before = fh.full((tile[0], 1, *tile[2:]), 1.0 if PRODUCT else 0.0, accumulator(x.dtype))
    if totals is not None:
        before = before_part(totals, at, tile, PRODUCT, BACK)
    turns = tiles_of_part(p, share, x.shape[1], tile[1])
    for k in reversed(turns) if BACK else turns:
        t = wide(x.load((a, k, *rest), tile, allow_tma=TMA))
        t = counted(t, mask, (a, k, *rest), along(k * tile[1], tile), x.shape[1], PRODUCT, MASK)
        run = running(t, before, PRODUCT, BACK, EXCLUSIVE)
        y.at(a, k, *rest).store(run.astype(y.dtype), allow_tma=TMA)
        before = both(before, total(t, PRODUCT), PRODUCT)


@safe
def totals_of_parts(
    totals: Mut["A", "P", "C"],
    x: Ref["A", "R", "C"],
    mask: Ref["X", "Y", "Z"],
    share: i32,
    TA: Const[int],
    TR: Const[int],
    TC: Const[int],
    PRODUCT: Const[bool] = False,
    MASK: Const[bool] = False,
    R: Const[Any] = None,
    C: Const[Any] = None,
    at: fh.Grid = fh.Grid("cdiv(A, TA)", "cdiv(cdiv(R, TR), share)", "cdiv(C, TC)"),
):
    """
    The sum, or product, of each part of the middle axis, which has `share` tiles of TR; with `MASK` only elements count
    for which `mask` is true.
    """
    fh.require(SHARED, "the parts are all of the axis")
    if MASK:
        fh.require("X == A and Y == R and Z == C", "the mask has the shape of what is summed up")
    found = total_of_part(x, mask, at.index, share, (TA, TR, TC), PRODUCT, MASK)
    totals.at(*at.index).store(found.astype(totals.dtype))


@safe
def totals_of_row_parts(
    totals: Mut["A", "P"],
    x: Ref["A", "R"],
    mask: Ref["X", "Y"],
    share: i32,
    TA: Const[int],
    TR: Const[int],
    PRODUCT: Const[bool] = False,
    MASK: Const[bool] = False,
    R: Const[Any] = None,
    at: fh.Grid = fh.Grid("cdiv(A, TA)", "cdiv(cdiv(R, TR), share)"),
):
    """As `totals_of_parts`, of rows."""
    fh.require(SHARED, "the parts are all of the axis")
    if MASK:
        fh.require("X == A and Y == R", "the mask has the shape of what is summed up")
    found = total_of_part(x, mask, at.index, share, (TA, TR), PRODUCT, MASK)
    totals.at(*at.index).store(found.astype(totals.dtype))


@safe
def scan_axis(
    y: Mut["A", "R", "C"],
    x: Ref["A", "R", "C"],
    totals: Ref["A", "P", "C"] | None,
    mask: Ref["X", "Y", "Z"],
    share: i32,
    TA: Const[int],
    TR: Const[int],
    TC: Const[int],
    PRODUCT: Const[bool] = False,
    BACK: Const[bool] = False,
    EXCLUSIVE: Const[bool] = False,
    MASK: Const[bool] = False,
    TMA: Const[bool] = True,
    R: Const[Any] = None,
    C: Const[Any] = None,
    at: fh.Grid = fh.Grid("cdiv(A, TA)", "cdiv(cdiv(R, TR), share)", "cdiv(C, TC)"),
):
    """
    Running sums, or products, along the middle axis, in parts of `share` tiles of TR, of which `totals` are there, or
    in one part.

    `BACK` runs from the end, `EXCLUSIVE` leaves out the element itself, and with `MASK` only elements count for which
    `mask` is true. Threads with columns of their own add up rows with no word to one another, where tiles are so wide.
    """
    fh.require(SHARED, "the parts are all of the axis")
    if MASK:
        fh.require("X == A and Y == R and Z == C", "the mask has the shape of what is summed up")
    run_along(y, x, totals, mask, at.index, share, (TA, TR, TC), PRODUCT, BACK, EXCLUSIVE, MASK, TMA)


@safe
def scan_row_parts(
    y: Mut["A", "R"],
    x: Ref["A", "R"],
    totals: Ref["A", "P"] | None,
    mask: Ref["X", "Y"],
    share: i32,
    TA: Const[int],
    TR: Const[int],
    PRODUCT: Const[bool] = False,
    BACK: Const[bool] = False,
    EXCLUSIVE: Const[bool] = False,
    MASK: Const[bool] = False,
    TMA: Const[bool] = True,
    R: Const[Any] = None,
    at: fh.Grid = fh.Grid("cdiv(A, TA)", "cdiv(cdiv(R, TR), share)"),
):
    """As `scan_axis`, along rows."""
    fh.require(SHARED, "the parts are all of the axis")
    if MASK:
        fh.require("X == A and Y == R", "the mask has the shape of what is summed up")
    run_along(y, x, totals, mask, at.index, share, (TA, TR), PRODUCT, BACK, EXCLUSIVE, MASK, TMA)


@safe
def scan_rows(
    y: Out["M", "N"],
    x: Ref["M", "N"],
    mask: Ref["X", "Y"],
    K: Const[int],
    N: Const[Any] = None,
    PRODUCT: Const[bool] = False,
    BACK: Const[bool] = False,
    EXCLUSIVE: Const[bool] = False,
    MASK: Const[bool] = False,
):
    """As `scan_axis`, of rows that a block has in registers, in K tiles. With `N` rows have that length."""
    if MASK:
        fh.require(mask.shape[0] == x.shape[0], "the mask has the shape of what is summed up")
        fh.require(mask.shape[1] == x.shape[1], "the mask has the shape of what is summed up")
    (i,) = y.index
    width, dtype = y.tile[1], accumulator(x.dtype)
    begin = 1.0 if PRODUCT else 0.0
    before = fh.full((y.tile[0], 1), begin, dtype)
    for n in columns(x, width, K):
        k = K - 1 - n if BACK else n
        t = part(x, (i, k), y.tile)
        if PRODUCT:
            t = fh.where(places(k * width, width)[None, :] < x.shape[1], t, 1.0)
        if MASK:
            t = fh.where(mask.load((i, k), y.tile, allow_tma=False), t, begin)
        run = running(t, before, PRODUCT, BACK, EXCLUSIVE)
        before = both(before, total(t, PRODUCT), PRODUCT)
        y.at(k).store(run.astype(y.dtype), allow_tma=False)


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def cumsum(
    x: Tensor, dim: int = -1, *, reverse: bool = False, exclusive: bool = False, mask: Tensor | None = None
) -> Tensor:
    """
    Running sums of `x`, of floats, along an axis, in its shape and dtype; differentiable.

    `reverse` runs from the end, `exclusive` leaves out the element itself, and with `mask`, of the same shape, only
    elements count for which it is true. Computed in float32, or float64 for float64; long axes in parts.
    """
    if mask is not None and mask.shape != x.shape:
        raise ValueError(f"a mask is as large as what is summed up, {tuple(x.shape)}, not {tuple(mask.shape)}")
    seen = _seen(x, dim)
    return _scan(seen, None if mask is None else _seen(mask, dim), False, reverse, exclusive).view(x.shape)


@function()
def cumprod(x: Tensor, dim: int = -1, *, reverse: bool = False) -> Tensor:
    """Running products of `x`, of floats, along an axis, in its shape and dtype; as `cumsum`, without gradients."""
    return _scan(_seen(x, dim), None, True, reverse, False).view(x.shape)


def _seen(x: Any, dim: int) -> Any:
    dim = axis_of(x, dim)
    return x.reshape(x.shape[:dim].numel(), x.shape[dim], x.shape[dim + 1 :].numel())


# --- Operators --------------------------------------------------------------------------------------------------------


@operator(
    "scan_axis(Tensor x, Tensor? mask, bool product, bool back, bool exclusive) -> Tensor",
    results=lambda x, mask, product, back, exclusive: x.new_empty(x.shape),
    takes={"x": "floats"},
)
def _scan(y: Any, x: Any, mask: Any, product: bool, back: bool, exclusive: bool) -> None:
    A, R, C = x.shape
    rules = product, back, exclusive, mask is not None
    if C > 1:
        _scan_in_parts(y, x, mask, column_parts(A, R, C, x.element_size()), *rules)
        return
    y, x, mask = (None if t is None else t[:, :, 0] for t in (y, x, mask))
    if R <= 2 * LONGEST and A >= 2 * PROCESSORS:
        _scan_rows(y, x, mask, *rules)
    else:
        _scan_in_parts(y, x, mask, row_parts(A, R), *rules)


class Parts(NamedTuple):
    """How a long axis is cut for running sums, which a block walks along."""

    tile: tuple[int, ...]
    share: int
    """Tiles of a part."""
    number: int
    """Of parts; where there is one, sums are computed in one launch."""
    warps: int
    occupancy: int
    tma: bool

    @property
    def hints(self) -> dict[str, int]:
        """Hints of the kernel that stores running sums."""
        return {"num_worker_warps": self.warps, "occupancy": self.occupancy}

    @staticmethod
    def of(tile: tuple[int, ...], length: int, blocks: int, most: int, warps: int, occupancy: int, tma: bool) -> Parts:
        """Of an axis of this length, in so many parts at most; there are so many blocks for each part."""
        tiles = max(1, ceildiv(length, tile[1]))
        share = tiles if blocks >= _ENOUGH else ceildiv(tiles, min(tiles, most))
        return Parts(tile, share, ceildiv(tiles, share), warps, occupancy, tma)


_ENOUGH: Final = PROCESSORS * 7 // 8
"""Blocks from which on an axis is in one part."""

_PARTS: Final = 1024
"""Parts of a row, at most: each adds up those in front of it."""


def column_parts(A: int, R: int, C: int, size: int) -> Parts:
    """How (A, R, C), of elements of so many bytes, is cut for running sums along R."""
    each = 32 * (16 // size)  # columns of a warp whose threads have 16 bytes each
    if size == 2 and C % 8 and 64 < C < 128 and A >= 4 * PROCESSORS:  # threads load less than 16 bytes
        return Parts.of((1, 8, 128), R, A, 1, 1, 16, False)
    if power_of_two(C) < 2 * each:
        tile = 1, 64, 64  # also of less: the assembler joins sums of smaller ones wrongly (O424)
        blocks = A * ceildiv(C, tile[2])
        return Parts.of(tile, R, blocks, ceildiv(4 * PROCESSORS, blocks), 4, 4, True)
    warps = min(4, power_of_two(C) // each)
    blocks = A * ceildiv(C, warps * each)
    tma = size == 4 and (compiled_in(R) is None or compiled_in(C) is None)
    high, occupancy = (8, 4) if blocks >= 4 * PROCESSORS else (8, 2) if tma else (16, 2)
    tile = (1, min(high, power_of_two(R)), warps * each)
    return Parts.of(tile, R, blocks, ceildiv(2 * PROCESSORS, blocks), warps, occupancy, tma)


def row_parts(A: int, R: int) -> Parts:
    """How rows are cut that are long or few."""
    width, warps = (4096, 4) if R <= 4096 * _PARTS else (8192, 8)
    return Parts.of((1, min(width, power_of_two(R))), R, A, _PARTS, warps, 16 // warps, False)


def _scan_in_parts(y: Any, x: Any, mask: Any, way: Parts, product: bool, *rules: bool) -> None:
    tile, rows, given, totals = way.tile, len(way.tile) == 2, x if mask is None else mask, None
    extents = tuple(compiled_in(n) for n in x.shape[1:])
    if way.number > 1:
        totals = x.new_empty((x.shape[0], way.number, *x.shape[2:]), dtype=wide_dtype(x))
        kernel, part = totals_of_row_parts if rows else totals_of_parts, fh.partition(totals, (tile[0], 1, *tile[2:]))
        launched = hinted(kernel, {"num_worker_warps": 4, "occupancy": 4})
        launched(part, x, given, way.share, *tile, product, rules[-1], *extents).on()
    launched = hinted(scan_row_parts if rows else scan_axis, way.hints)
    launched(fh.partition(y, tile), x, totals, given, way.share, *tile, product, *rules, way.tma, *extents).on()


def _scan_rows(y: Any, x: Any, mask: Any, *rules: bool) -> None:
    way = rows(*x.shape)
    if not way.tiles:  # not much longer than what is kept in registers elsewhere
        way = Rows((1, 4096), ceildiv(x.shape[1], 4096), 8, 2, way.length)
    given = x if mask is None else mask
    hinted(scan_rows, way.hints)(cut(y, way.tile, owned=1), x, given, *way.constants, *rules).on()


@_scan.backward(keeps=lambda inputs, output: inputs[1:2])
def _gradient(ctx: Any, dy: Any) -> tuple[Any, ...]:
    (mask,), (product, back, exclusive) = ctx.saved_tensors, ctx.arguments
    if product:
        raise NotImplementedError("running products have no gradient here")
    dx = _scan(dy.contiguous(), None, False, not back, exclusive)
    return dx if mask is None else dx * mask, *(None,) * 4
