"""Products whose columns are equal parts, a little wider than a power of two: two tiles side by side for each part."""

from __future__ import annotations

from typing import Any, Final

import freehold as fh
from freehold import Const, Out, Ref, f32
from freehold.kernels.activations import activate
from freehold.kernels.schedules import ceildiv, cut, hinted
from freehold.kernels.tiles import safe
from freehold.kernels.tilings import Product, Tiling

_MANY: Final = 4
"""From so many times the width of the second tile on, the first one is better stored as a whole."""


@safe
def matmul_parts(
    c: Out["M", "T", "W"],
    d: Out["M", "T", "V"],
    a: Ref["A", "B"],
    b: tuple[Ref, ...],
    bias: tuple[Ref, ...],
    residual: tuple[Ref, ...],
    BK: Const[int],
    TA: Const[bool] = False,
    TB: Const[bool] = False,
    ACT: Const[str] = "",
    AHEAD: Const[int | None] = None,
):
    """
    c[:, t] and d[:, t] = activate(a @ b + bias) + residual of part t: its first W columns, and the V that are left.

    `b` are the columns of both, (K, T, W) and (K, T, V), or with `TB` (T, W, K) and (T, V, K); `bias` is (T, W) and
    (T, V), `residual` (M, T, W) and (M, T, V), or none. With `TA` a is (K, M). Threads store the tiles: by TMA this
    took 2 % longer.
    """
    fh.require("M == B" if TA else "M == A")
    m, t, _ = c.index
    TM, _, first = c.tile
    widths = first, d.tile[2]
    accs = tuple(fh.zeros((TM, width), f32) for width in widths)
    for k in fh.tiles(a, axis=0 if TA else 1, size=BK):
        x = a.load((k, m), (BK, TM), latency=AHEAD).T if TA else a.load((m, k), (TM, BK), latency=AHEAD)
        accs = tuple(
            fh.mma(x, columns_of(part, k, t, BK, width, TB, AHEAD), acc)
            for part, width, acc in zip(b, widths, accs, strict=True)
        )
    for i in fh.static_range(2):
        y, width = accs[i], widths[i]
        if len(bias) > 0:
            y += bias[i].load((t, 0), (1, width)).astype(f32)
        if ACT:
            y = activate(y, ACT)
        if len(residual) > 0:
            y += residual[i].load((m, t, 0), (TM, 1, width)).reshape(TM, width).astype(f32)
        if i == 0:
            c.store(y[:, None].astype(c.dtype), allow_tma=False)
        else:
            d.store(y[:, None].astype(d.dtype), allow_tma=False)


def columns_of(b: Any, k: Any, t: Any, BK: int, width: int, TB: bool, AHEAD: int | None) -> Any:
    """A tile of BK rows and the columns of part t."""
    if TB:
        return b.load((t, 0, k), (1, width, BK), latency=AHEAD).reshape(width, BK).T
    return b.load((k, t, 0), (BK, 1, width), latency=AHEAD).reshape(BK, width)


def parts_of(n: int, first: int, second: int) -> int:
    """In how many equal parts n columns are stored faster than in regions of `second`; 0 where they are not."""
    parts = ceildiv(n, first + second)
    even = n % parts == 0 and first < n // parts and n // parts % 8 == 0  # 16 bytes, for TMA
    return parts if even and first > _MANY * second else 0


def parts_launch(product: Product, way: Tiling, parts: int) -> Any:
    """The launch of a product whose columns are so many equal parts; see `product_launches`."""
    first = way.tile[1]

    def both(x: Any, axis: int) -> tuple[Any, ...]:
        if x is None:
            return ()
        x = x.unflatten(axis, (parts, -1))
        return x.narrow(axis + 1, 0, first), x.narrow(axis + 1, first, x.shape[axis + 1] - first)

    tiles = (way.tile[0], 1, first), (way.tile[0], 1, way.beside)
    outputs = (cut(x, tile, blocks=way.blocks) for x, tile in zip(both(product.c, 1), tiles, strict=True))
    rest = both(product.b, 0 if product.transposed[1] else 1), both(product.bias, 0), both(product.residual, 1)
    end = way.step, *product.transposed, product.activation, way.ahead
    return hinted(matmul_parts, way.hints)(*outputs, product.a, *rest, *end)
