"""Products of rows a little more than a power of two: each block has tiles of several heights above one another."""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold import Const, Out, Ref, f32
from freehold.kernels.activations import ended
from freehold.kernels.pieces import tile_of
from freehold.kernels.schedules import cut, hinted
from freehold.kernels.tiles import safe
from freehold.kernels.tilings import Product, Tiling


def sums_of_strips(
    shapes: tuple[Any, ...],
    xs: tuple[Any, ...],
    b: Any,
    ms: tuple[Any, ...],
    n: Any,
    walk: tuple[Any, Any],
    BK: int,
    TA: bool,
    TB: bool,
) -> tuple[Any, ...]:
    """
    The transposes of x @ b for each strip x of rows, at its tile of rows `ms` and the columns n, in f32; `shapes` are
    those of the tiles. `walk` is the first of the steps along K, and after how many comes the next.
    """
    accs: Any = tuple(fh.zeros((width, high), f32) for high, width in shapes)
    start, step = walk
    for k in fh.tiles(b, axis=1 if TB else 0, size=BK, start=start, step=step):
        weights = tile_of(b, (k, n), (BK, shapes[0][1]), TB).T
        accs = tuple(
            fh.mma(weights, tile_of(x, (m, k), (shape[0], BK), TA).T, acc)
            for x, m, shape, acc in zip(xs, ms, shapes, accs, strict=True)
        )
    return accs


@safe
def matmul_strips(
    cs: tuple[Out, ...],
    xs: tuple[Ref, ...],
    b: Ref["P", "Q"],
    bias: Ref["N"] | None,
    residual: tuple[Ref, ...],
    BK: Const[int],
    TA: Const[bool] = False,
    TB: Const[bool] = False,
    ACT: Const[str] = "",
):
    """
    c = activate(x @ b + bias) + residual for each strip of rows c (M, N) and x (M, K), or with `TA` (K, M), of which a
    block has as many tiles as there are. b is (K, N), or with `TB` (N, K). `residual` is a tuple of as many, or empty.

    Sums are those of transposes: tensor cores take 64 rows of what they multiply from shared memory, which are columns
    of c, and tiles of rows may be low.
    """
    for x, c in zip(xs, cs, strict=True):
        fh.require(x.shape[1 if TA else 0] == c.shape[0])
        fh.require(x.shape[0 if TA else 1] == b.shape[1 if TB else 0])
        fh.require(c.shape[1] == b.shape[0 if TB else 1])
    ms, n = tuple(c.index[0] for c in cs), cs[0].index[1]
    accs = sums_of_strips(tuple(c.tile for c in cs), xs, b, ms, n, (0, 1), BK, TA, TB)
    for i in fh.static_range(len(cs)):
        last = residual[i] if len(residual) > 0 else None
        cs[i].store(ended(accs[i].T, ms[i], n, bias, last, ACT).astype(cs[i].dtype))


@safe
def matmul_strips_splits(
    parts: tuple[Out, ...],
    xs: tuple[Ref, ...],
    b: Ref["P", "Q"],
    BK: Const[int],
    TA: Const[bool] = False,
    TB: Const[bool] = False,
):
    """As `matmul_strips`, in parts (Z, M, N) of the sum: part z has every Z-th step along K."""
    for x, part in zip(xs, parts, strict=True):
        fh.require(x.shape[1 if TA else 0] == part.shape[1])
        fh.require(x.shape[0 if TA else 1] == b.shape[1 if TB else 0])
        fh.require(part.shape[2] == b.shape[0 if TB else 1])
    z, _, n = parts[0].index
    ms = tuple(part.index[1] for part in parts)
    walk = z, parts[0].shape[0]
    accs = sums_of_strips(tuple(part.tile[1:] for part in parts), xs, b, ms, n, walk, BK, TA, TB)
    for part, acc in zip(parts, accs, strict=True):
        part.store(acc.T[None])


def strips_launch(product: Product, way: Tiling, room: Any = None) -> Any:
    """
    The launch of a product in strips of rows, or with `room` (splits, M, N) of its parts; see `product_launches`.

    Raises `ValueError` for strips that leave rows over.
    """
    ta, tb = product.transposed
    rows, width, strips, start = product.c.shape[0], way.tile[1], list[tuple[slice, int]](), 0
    for high in way.strips:
        if start < rows:
            strips.append((slice(start, min(start + high, rows)), high))
        start += high
    if start < rows:
        raise ValueError(f"strips of {way.strips} rows are not all of {rows}")
    xs = tuple(product.a[:, part] if ta else product.a[part] for part, _ in strips)
    if room is not None:
        parts = tuple(cut(room[:, part], (1, high, width)) for part, high in strips)
        return hinted(matmul_strips_splits, way.hints)(parts, xs, product.b, way.step, ta, tb)
    cs = tuple(cut(product.c[part], (high, width), blocks=way.blocks) for part, high in strips)
    residual = () if product.residual is None else tuple(product.residual[part] for part, _ in strips)
    ends = product.bias, residual
    return hinted(matmul_strips, way.hints)(cs, xs, product.b, *ends, way.step, ta, tb, product.activation)
