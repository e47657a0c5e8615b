"""Rows of a table by their numbers, and the sums of their gradients."""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold import Acc, Out, Ref, i32
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import operator, wide_dtype
from freehold.kernels.schedules import hinted, tile_of_rows
from freehold.kernels.tiles import places, safe, wide


@safe
def embedding_rows(y: Out["M", "N"], table: Ref["V", "N"], ids: Ref["M"]):
    """y = table[ids]; a number that is no row's gives zeros."""
    row = ids.load((y.index[0],), (y.tile[0],))
    column = places(y.index[1] * y.tile[1], y.tile[1])
    y.store(table.gather(row[:, None], column[None, :]))


@safe
def following_rows(y: Out["M", "N"], table: Ref["V", "N"], ids: Ref[i32, "M"], chosen: Ref[i32, "B"]):
    """As `embedding_rows`; a negative id, -1 - n, stands for `chosen[n]`: what a step finds out for the next one."""
    given = ids.load((y.index[0],), (y.tile[0],))
    row = fh.where(given < 0, chosen.gather(fh.maximum(-1 - given, 0)), given)
    column = places(y.index[1] * y.tile[1], y.tile[1])
    y.store(table.gather(row[:, None], column[None, :]))


@safe
def embedding_rows_backward(dtable: Acc["V", "N"], dy: Ref["M", "N"], ids: Ref["M"]):
    """Adds each row of dy to the row of dtable that it came from, in any order."""
    m, n = dy.index
    row = ids.load((m,), (dy.tile[0],))
    column = places(n * dy.tile[1], dy.tile[1])
    inside = places(m * dy.tile[0], dy.tile[0]) < dy.shape[0]
    dtable.add_at(wide(dy.load()), row[:, None], column[None, :], mask=inside[:, None])


@function()
def embedding(ids: Tensor, table: Tensor) -> Tensor:
    """
    The rows of `table` (V, N) that `ids` (integers, any shape) says, as `torch.nn.functional.embedding`; differentiable
    in `table`.

    A number that is no row's gives a row of zeros. Gradients are added up in float32, in an order that is not always
    the same.
    """
    return _embedding(ids, table)


def _read(matrix: Any) -> tuple[int, int]:
    return tile_of_rows(matrix, 2048 if matrix.dtype.itemsize <= 2 else 1024)


def embedding_launch(y: Any, table: Any, ids: Any) -> Any:
    """The launch that writes table[ids] to the matrix y."""
    return embedding_rows(fh.partition(y, _read(y)), table, ids)


def following_launch(y: Any, table: Any, ids: Any, chosen: Any) -> Any:
    """The launch that writes table[ids] to the matrix y, where negative ids stand for what was chosen."""
    return following_rows(fh.partition(y, _read(y)), table, ids, chosen)


@operator(
    "embedding(Tensor ids, Tensor table) -> Tensor",
    results=lambda ids, table: table.new_empty((*ids.shape, table.shape[1])),
    takes={"ids": "integers", "table": "V N"},
)
def _embedding(y: Any, ids: Any, table: Any) -> None:
    out, flat = y.view(-1, y.shape[-1]), ids.reshape(-1)
    embedding_launch(out, table, flat).on()


@operator(
    "embedding_backward(Tensor dy, Tensor ids, SymInt count) -> Tensor",
    results=lambda dy, ids, count: dy.new_empty((count, dy.shape[-1]), dtype=wide_dtype(dy)),
)
def _embedding_backward(dtable: Any, dy: Any, ids: Any, count: int) -> None:
    given = dy.reshape(-1, dy.shape[-1])
    dtable.zero_()
    added = hinted(embedding_rows_backward, {"num_worker_warps": 2, "occupancy": 8})
    added(dtable, fh.partition(given, tile_of_rows(given, 1024)), ids.reshape(-1)).on()


@_embedding.backward(keeps=lambda inputs, output: inputs)
def _gradient(ctx: Any, dy: Any) -> tuple[Any, ...]:
    ids, table = ctx.saved_tensors
    return None, _embedding_backward(dy.contiguous(), ids, table.shape[0]).to(table.dtype)
