"""A matrix product for cuTile Python, and its exhaustive search. Importing it needs cuda-tile and torch."""
# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false, reportGeneralTypeIssues=false

from collections.abc import Sequence
from importlib import import_module
from typing import Any

ct: Any = import_module("cuda.tile")
tune: Any = import_module("cuda.tile.tune")


def _gemm(
    c: Any, a: Any, b: Any, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int], band: ct.Constant[int]
):
    """c = a @ b, in bands of `band` rows of tiles."""
    rows, columns = ct.cdiv(c.shape[0], tm), ct.cdiv(c.shape[1], tn)
    first = ct.bid(0) // (band * columns) * band
    high, within = ct.minimum(rows - first, band), ct.bid(0) % (band * columns)
    i, j = first + within % high, within // high
    acc = ct.full((tm, tn), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(a, axis=1, shape=(tm, tk))):
        left = ct.load(a, index=(i, k), shape=(tm, tk), padding_mode=ct.PaddingMode.ZERO)
        right = ct.load(b, index=(k, j), shape=(tk, tn), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(left, right, acc)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


def search(space: Sequence[Any], c: Any, a: Any, b: Any) -> tuple[Any, float, int]:
    """The best of a space of `tuner.Point`, the seconds that it takes, and how many were measured."""
    torch: Any = import_module("torch")
    result = tune.exhaustive_search(
        space,
        torch.cuda.current_stream(),
        lambda p: (-(-c.shape[0] // p.tile[0]) * -(-c.shape[1] // p.tile[1]), 1, 1),
        ct.kernel(_gemm),
        lambda p: (c, a, b, *p.tile, p.step, p.band),
        lambda p: {"num_worker_warps": p.warps, "occupancy": 1},
        quiet=True,
    )
    return result.best.config, result.best.mean_us / 1e6, len(result.successes)
