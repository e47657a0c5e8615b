"""Kernels in cuTile Python with a planted fault, each beside a twin without it, and the launches that show it.

Imports only where cuda-tile is installed. A case is a kernel, the facts of its arguments and a grid, twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

ct: Any = import_module("cuda.tile")
cc: Any = import_module("cuda.tile.compilation")
T = 64


def every_tile(x: Any, y: Any) -> None:
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i,), (T,)) + 1)


def first_tile(x: Any, y: Any) -> None:
    i = ct.bid(0)
    ct.store(y, (0,), ct.load(x, (i,), (T,)) + 1)


def apart(x: Any, y: Any) -> None:
    at = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(y, at, ct.gather(x, at))


def one_shared(x: Any, y: Any) -> None:
    at = ct.bid(0) * (T - 1) + ct.arange(T, dtype=ct.int32)
    ct.scatter(y, at, ct.gather(x, at))


def stencil(x: Any, y: Any) -> None:
    i = ct.bid(0)
    left = ct.load(x, (ct.maximum(i - 1, 0),), (T,))
    ct.store(y, (i,), left + ct.load(x, (i,), (T,)))


def stencil_in_place(x: Any, y: Any) -> None:
    i = ct.bid(0)
    left = ct.load(y, (ct.maximum(i - 1, 0),), (T,))
    ct.store(y, (i,), left + ct.load(x, (i,), (T,)))


def transpose(x: Any, y: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, (j, i), ct.transpose(ct.load(x, (i, j), (16, 16))))


def transpose_jj(x: Any, y: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, (j, j), ct.transpose(ct.load(x, (i, j), (16, 16))))


def transpose_forgotten(x: Any, y: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, (i, j), ct.load(x, (j, i), (16, 16)))


def symmetric(x: Any, y: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    if i < j:
        t = ct.load(x, (i, j), (16, 16))
        ct.store(y, (i, j), t)
        ct.store(y, (j, i), ct.transpose(t))
    elif i == j:
        ct.store(y, (i, i), ct.load(x, (i, i), (16, 16)))


def symmetric_by_all(x: Any, y: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, (i, j), (16, 16))
    ct.store(y, (i, j), t)
    ct.store(y, (j, i), ct.transpose(t))


def histogram(bins: Any, y: Any) -> None:
    at = ct.load(bins, (ct.bid(0),), (T,))
    ct.atomic_add(y, at, 1)


def histogram_lost(bins: Any, y: Any) -> None:
    at = ct.load(bins, (ct.bid(0),), (T,))
    ct.scatter(y, at, ct.gather(y, at) + 1)


def parts(x: Any, y: Any) -> None:
    i, k = ct.bid(0), ct.bid(1)
    ct.store(y, (k, i), ct.load(x, (k, i), (1, T)))


def parts_dropped(x: Any, y: Any) -> None:
    i, k = ct.bid(0), ct.bid(1)
    ct.store(y, (0, i), ct.load(x, (k, i), (1, T)))


def before(x: Any, y: Any) -> None:
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (ct.maximum(i - 1, 0),), (T,)))


def before_first(x: Any, y: Any) -> None:
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i - 1,), (T,)))


def masked_gather(x: Any, y: Any) -> None:
    i = ct.bid(0)
    ct.store(y, (i,), ct.gather(x, (i + 1) * T + ct.arange(T, dtype=ct.int32)))


def unmasked_gather(x: Any, y: Any) -> None:
    i = ct.bid(0)
    ct.store(y, (i,), ct.gather(x, (i + 1) * T + ct.arange(T, dtype=ct.int32), check_bounds=False))


def unmasked_scatter(x: Any, y: Any) -> None:
    at = ct.bid(0) * T + ct.arange(T, dtype=ct.int32) + 1
    ct.scatter(y, at, ct.gather(x, at), check_bounds=False)


def masked_scatter(x: Any, y: Any) -> None:
    at = ct.bid(0) * T + ct.arange(T, dtype=ct.int32) + 1
    ct.scatter(y, at, ct.gather(x, at))


def persistent(x: Any, y: Any) -> None:
    for i in range(ct.bid(0), ct.num_tiles(y, axis=0, shape=(T,)), ct.num_blocks(0)):
        ct.store(y, (i,), ct.load(x, (i,), (T,)))


def persistent_step(x: Any, y: Any) -> None:
    for i in range(ct.bid(0), ct.num_tiles(y, axis=0, shape=(T,)), ct.num_blocks(0) - 1):
        ct.store(y, (i,), ct.load(x, (i,), (T,)))


def persistent_start(x: Any, y: Any) -> None:
    for i in range(ct.bid(0) // 2, ct.num_tiles(y, axis=0, shape=(T,)), ct.num_blocks(0)):
        ct.store(y, (i,), ct.load(x, (i,), (T,)))


def persistent_end(x: Any, y: Any) -> None:
    for i in range(ct.bid(0), ct.num_tiles(y, axis=0, shape=(T,)) + 1, ct.num_blocks(0)):
        ct.store(y, (i,), ct.load(x, (i,), (T,)))


def grouped(x: Any, y: Any) -> None:
    rows, columns = ct.cdiv(y.shape[0], 16), ct.cdiv(y.shape[1], 16)
    n = ct.bid(0)
    first = n // (4 * columns) * 4
    height = ct.minimum(rows - first, 4)
    i = first + (n % (4 * columns)) % height
    j = (n % (4 * columns)) // height
    ct.store(y, (i, j), ct.load(x, (i, j), (16, 16)))


def grouped_unclamped(x: Any, y: Any) -> None:
    columns = ct.cdiv(y.shape[1], 16)
    n = ct.bid(0)
    first = n // (4 * columns) * 4
    i = first + (n % (4 * columns)) % 4
    j = (n % (4 * columns)) // 4
    ct.store(y, (i, j), ct.load(x, (i, j), (16, 16)))


def grouped_clamped_late(x: Any, y: Any) -> None:
    rows, columns = ct.cdiv(y.shape[0], 16), ct.cdiv(y.shape[1], 16)
    n = ct.bid(0)
    first = n // (4 * columns) * 4
    i = ct.minimum(first + (n % (4 * columns)) % 4, rows - 1)
    j = (n % (4 * columns)) // 4 % columns
    ct.store(y, (i, j), ct.load(x, (i, j), (16, 16)))


def heads(x: Any, y: Any) -> None:
    b, h = ct.bid(0) // 4, ct.bid(0) % 4
    ct.store(y, (b, h, 0), ct.load(x, (b, h, 0), (1, 1, T)))


def heads_divisor(x: Any, y: Any) -> None:
    b, h = ct.bid(0) // 4, ct.bid(0) % 3
    ct.store(y, (b, h, 0), ct.load(x, (b, h, 0), (1, 1, T)))


def heads_swapped(x: Any, y: Any) -> None:
    b, h = ct.bid(0) % 4, ct.bid(0) // 4
    ct.store(y, (b, h, 0), ct.load(x, (b, h, 0), (1, 1, T)))


def heads_rounded(x: Any, y: Any) -> None:
    b, h = ct.bid(0) // 4, ct.bid(0) // 4
    ct.store(y, (b, h, 0), ct.load(x, (b, h, 0), (1, 1, T)))


def doubled(x: Any, y: Any) -> None:
    i = ct.bid(0)
    ct.store(y, (2 * i,), ct.load(x, (i,), (T,)))


def permuted(order: Any, y: Any) -> None:
    to = ct.load(order, (ct.bid(0),), (1,)).item()
    ct.store(y, (to,), ct.full((T,), 1.0, ct.float32))


def permuted_elements(order: Any, y: Any) -> None:
    to = ct.load(order, (ct.bid(0),), (T,))
    ct.scatter(y, to, ct.arange(T, dtype=ct.int32).astype(ct.float32))


def ragged(offsets: Any, y: Any) -> None:
    g = ct.bid(0)
    start, end = ct.load(offsets, (g,), (1,)).item(), ct.load(offsets, (g + 1,), (1,)).item()
    part = y.slice(0, start, end)
    for k in range(ct.cdiv(end - start, T)):
        ct.store(part, (k,), ct.full((T,), 1.0, ct.float32))


def ragged_unended(offsets: Any, y: Any) -> None:
    g = ct.bid(0)
    start, end = ct.load(offsets, (g,), (1,)).item(), ct.load(offsets, (g + 1,), (1,)).item()
    part = y.slice(0, start, y.shape[0])
    for k in range(ct.cdiv(end - start, T)):
        ct.store(part, (k,), ct.full((T,), 1.0, ct.float32))


def lanes(x: Any, y: Any) -> None:
    at = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(y, at, ct.gather(x, at))


def lanes_halved(x: Any, y: Any) -> None:
    at = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(y, at // 2 * 2, ct.gather(x, at))


def total(x: Any, y: Any) -> None:
    ct.atomic_add(y, 0, ct.sum(ct.load(x, (ct.bid(0),), (T,))))


def total_of_block(x: Any, y: Any) -> None:
    ct.atomic_add(y, 0, ct.sum(ct.load(x, (ct.bid(0),), (T,))), memory_scope=ct.MemoryScope.BLOCK)


def total_stored(x: Any, y: Any) -> None:
    ct.scatter(y, 0, ct.sum(ct.load(x, (ct.bid(0),), (T,))))


def total_looked_at(x: Any, y: Any) -> None:
    ct.atomic_add(y, 0, ct.sum(ct.load(x, (ct.bid(0),), (T,))))
    seen = ct.gather(y, 0)
    ct.atomic_add(y, 1, seen)


def totals(x: Any, y: Any) -> None:
    i = ct.bid(0)
    ct.scatter(y, i, ct.sum(ct.load(x, (i,), (T,))))


def from_first(x: Any, y: Any) -> None:
    i = ct.bid(0)
    if i == 0:
        ct.store(y, (0,), ct.load(x, (0,), (T,)))


def from_some(x: Any, y: Any) -> None:
    i = ct.bid(0)
    if i < 2:
        ct.store(y, (0,), ct.load(x, (0,), (T,)))


def neighbour_read(x: Any, y: Any) -> None:
    i = ct.bid(0)
    ct.store(y, (i, 0), ct.load(x, (i, 0), (1, T)))
    ct.store(y, (i, 1), ct.load(y, (i, 0), (1, T)) * 2)


def neighbour_raced(x: Any, y: Any) -> None:
    i = ct.bid(0)
    ct.store(y, (i, 0), ct.load(x, (i, 0), (1, T)))
    ct.store(y, (i, 1), ct.load(y, (ct.num_blocks(0) - 1 - i, 0), (1, T)) * 2)


def rows(x: Any, y: Any) -> None:
    i = ct.bid(0)
    for k in range(ct.num_tiles(x, axis=1, shape=(1, 16))):
        ct.store(y, (i, k), ct.load(x, (i, k), (1, 16)))


def rows_one_more(x: Any, y: Any) -> None:
    i = ct.bid(0)
    for k in range(ct.num_tiles(x, axis=1, shape=(1, 16)) + 1):
        ct.store(y, (i, k), ct.load(x, (i, k), (1, 16)))


def rows_elements(x: Any, y: Any) -> None:
    i = ct.bid(0)
    for k in range(0, x.shape[1], 16):
        ct.store(y, (i, k), ct.load(x, (i, k), (1, 16)))


def sums(x: Any, y: Any) -> None:
    i = ct.bid(0)
    acc = ct.zeros((T,), ct.float32)
    for k in range(4):
        acc = acc + ct.load(x, (k, i), (1, T)).reshape((T,))
    ct.store(y, (i,), acc)


def sums_in_output(x: Any, y: Any) -> None:
    i = ct.bid(0)
    for k in range(4):
        ct.store(y, (i,), ct.load(y, (i,), (T,)) + ct.load(x, (k, i), (1, T)).reshape((T,)))


def sliced(x: Any, y: Any) -> None:
    for k in range(4):
        ct.store(y.slice(0, k * T, (k + 1) * T), (0,), ct.load(x, (k,), (T,)))


def sliced_back(x: Any, y: Any) -> None:
    for k in range(4):
        ct.store(y.slice(0, (3 - k) * T, 4 * T), (k,), ct.load(x, (k,), (T,)))


def wide_index(x: Any, y: Any) -> None:
    at = ct.astype(ct.bid(0), ct.int64) * 2147483648 // 2147483648 * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(y, at, ct.gather(x, at))


def narrow_index(x: Any, y: Any) -> None:
    at = ct.bid(0) * 1073741824 * 4 + ct.arange(T, dtype=ct.int32)
    ct.scatter(y, at, ct.gather(x, at))


@dataclass(frozen=True)
class Made:
    """A kernel and a launch of it."""

    kernel: Any
    grid: tuple[int, ...]
    arguments: tuple[dict[str, Any], ...]
    constraint: dict[str, Any] = field(default_factory=dict[str, Any])

    def bytecode(self) -> bytes:
        """What cuTile Python makes of it."""
        import io

        found = io.BytesIO()
        parameters = [_constraint(a, **self.constraint) for a in self.arguments]
        signature = cc.KernelSignature(parameters, cc.CallingConvention.cutile_python_v1(), self.kernel.__name__)
        kernel = ct.kernel(self.kernel)
        cc.export_kernel(kernel, [signature], found, output_format="tileir_bytecode", bytecode_version="13.3")
        return found.getvalue()

    @property
    def facts(self) -> dict[str, Any]:
        """The launch as data."""
        return {"grid": list(self.grid), "arguments": list(self.arguments)}


def _constraint(fact: dict[str, Any], **more: Any) -> Any:
    rank = len(fact["shape"])
    given = {"stride_constant": [None] * (rank - 1) + [1], "stride_lower_bound_incl": 0, "base_addr_divisible_by": 4}
    dtype = {"f32": ct.float32, "i32": ct.int32}[fact["dtype"]]
    fixed = {"index_dtype": ct.int32, "alias_groups": (), "may_alias_internally": False}
    return cc.ArrayConstraint(dtype, rank, **{**fixed, **given, **more})


def array(name: str, *shape: int, **more: Any) -> dict[str, Any]:
    """An argument."""
    return {"name": name, "dtype": "f32", "shape": list(shape), **more}


def table(name: str, contents: Any) -> dict[str, Any]:
    """An argument with known contents."""
    found = np.asarray(contents, np.int32)
    return {"name": name, "dtype": "i32", "shape": list(found.shape), "contents": found.tolist()}


LINE = (array("x", 500), array("y", 500))
SQUARE = (array("x", 96, 96), array("y", 96, 96))
LONG = (array("x", 100, 80), array("y", 100, 80))
HEADS = (array("x", 6, 4, T), array("y", 6, 4, T))
TOTAL = (array("x", 500), array("y", 2))
TOTALS = (array("x", 500), array("y", 8))
BINS = table("bins", np.arange(4 * T) % 50)
COUNTS = {"name": "y", "dtype": "i32", "shape": [50]}


def _order(contents: Any, n: int) -> tuple[dict[str, Any], ...]:
    return table("x", contents), array("y", n)


_EVEN = np.arange(4 * T)
_TWICE = np.r_[np.arange(4 * T - 1), 7]
_FAR = np.r_[np.arange(3), 9]

CASES: dict[str, tuple[Made, Made]] = {
    "same_tile": (Made(first_tile, (8,), LINE), Made(every_tile, (8,), LINE)),
    "overlap_scatter": (Made(one_shared, (7,), LINE), Made(apart, (8,), LINE)),
    "stencil": (Made(stencil_in_place, (8,), LINE), Made(stencil, (8,), LINE)),
    "grid_rank": (Made(every_tile, (8, 2), LINE), Made(every_tile, (8, 1), LINE)),
    "grid_size": (Made(every_tile, (9,), LINE), Made(every_tile, (7,), LINE)),
    "same_array": (
        Made(stencil, (8,), (array("x", 500), array("y", 500, same="x"))), Made(stencil, (8,), LINE),
    ),
    "shifted_window": (
        Made(every_tile, (6,), (array("x", 500), array("y", 400, same="x", shift=64))),
        Made(every_tile, (3,), (array("x", 500), array("y", 192, same="x", shift=192))),
    ),
    "transpose_jj": (Made(transpose_jj, (6, 6), SQUARE), Made(transpose, (6, 6), SQUARE)),
    "transpose_long": (
        Made(transpose_forgotten, (7, 5), LONG), Made(transpose, (7, 5), (LONG[0], array("y", 80, 100))),
    ),
    "symmetric": (Made(symmetric_by_all, (6, 6), SQUARE), Made(symmetric, (6, 6), SQUARE)),
    "histogram": (Made(histogram_lost, (4,), (BINS, COUNTS)), Made(histogram, (4,), (BINS, COUNTS))),
    "split_parts": (
        Made(parts_dropped, (4, 3), (array("x", 3, 256), array("y", 3, 256))),
        Made(parts, (4, 3), (array("x", 3, 256), array("y", 3, 256))),
    ),
    "before_first": (Made(before_first, (8,), LINE), Made(before, (8,), LINE)),
    "unmasked_gather": (Made(unmasked_gather, (7,), LINE), Made(masked_gather, (7,), LINE)),
    "unmasked_scatter": (Made(unmasked_scatter, (8,), LINE), Made(masked_scatter, (8,), LINE)),
    "expanded_output": (
        Made(transpose, (6, 6), (SQUARE[0], array("y", 96, 96, strides=[0, 1]))), Made(transpose, (6, 6), SQUARE),
    ),
    "overlapping_rows": (
        Made(transpose, (6, 6), (SQUARE[0], array("y", 96, 96, strides=[95, 1]))),
        Made(transpose, (6, 6), (SQUARE[0], array("y", 96, 96, strides=[112, 1]))),
    ),
    "persistent_step": (Made(persistent_step, (3,), LINE), Made(persistent, (3,), LINE)),
    "persistent_start": (Made(persistent_start, (3,), LINE), Made(persistent, (4,), LINE)),
    "persistent_end": (Made(persistent_end, (3,), LINE), Made(persistent, (8,), LINE)),
    "grouped_unclamped": (Made(grouped_unclamped, (35,), LONG), Made(grouped, (35,), LONG)),
    "grouped_late": (Made(grouped_clamped_late, (35,), LONG), Made(grouped, (30,), LONG)),
    "heads_divisor": (Made(heads_divisor, (24,), HEADS), Made(heads, (24,), HEADS)),
    "heads_swapped": (Made(heads_swapped, (24,), HEADS), Made(heads, (20,), HEADS)),
    "heads_rounded": (Made(heads_rounded, (16,), HEADS), Made(heads, (16,), HEADS)),
    "doubled": (Made(doubled, (8,), LINE), Made(doubled, (4,), LINE)),
    "table_twice": (
        Made(permuted, (4,), _order([3, 0, 2, 0], 256)), Made(permuted, (4,), _order([3, 0, 2, 1], 256)),
    ),
    "table_far": (Made(permuted, (4,), _order(_FAR, 256)), Made(permuted, (4,), _order([0, 1, 2, 3], 256))),
    "scatter_twice": (
        Made(permuted_elements, (4,), _order(_TWICE, 256)), Made(permuted_elements, (4,), _order(_EVEN[::-1], 256)),
    ),
    "ragged_overlap": (
        Made(ragged, (3,), _order([0, 100, 90, 200], 256)), Made(ragged, (3,), _order([0, 100, 190, 200], 256)),
    ),
    "ragged_unended": (
        Made(ragged_unended, (3,), _order([0, 100, 190, 200], 256)),
        Made(ragged, (4,), _order([0, 64, 65, 200, 256], 256)),
    ),
    "lanes_meet": (Made(lanes_halved, (7,), LINE), Made(lanes, (7,), LINE)),
    "scope_of_block": (
        Made(total_of_block, (8,), TOTAL), Made(total, (8,), TOTAL),
    ),
    "total_stored": (
        Made(total_stored, (7,), TOTALS), Made(totals, (7,), TOTALS),
    ),
    "atomic_and_plain": (
        Made(total_looked_at, (7,), TOTAL), Made(total, (7,), TOTAL),
    ),
    "some_blocks": (Made(from_some, (8,), LINE), Made(from_first, (8,), LINE)),
    "neighbour_read": (
        Made(neighbour_raced, (6,), (array("x", 6, T), array("y", 6, 2 * T))),
        Made(neighbour_read, (6,), (array("x", 6, T), array("y", 6, 2 * T))),
    ),
    "loop_one_more": (Made(rows_one_more, (96,), SQUARE), Made(rows, (96,), SQUARE)),
    "element_for_tile": (Made(rows_elements, (96,), SQUARE), Made(rows, (90,), SQUARE)),
    "unwritten_read": (
        Made(sums_in_output, (4,), (array("x", 4, 256), array("y", 256, unwritten=True))),
        Made(sums, (4,), (array("x", 4, 256), array("y", 256, unwritten=True))),
    ),
    "sliced_loop": (Made(sliced_back, (1,), LINE), Made(sliced, (1,), LINE)),
    "index_wraps": (Made(narrow_index, (4,), LINE), Made(wide_index, (4,), LINE)),
    "alignment": (
        Made(every_tile, (7,), (array("x", 500), array("y", 500, alignment=4)), {"base_addr_divisible_by": 16}),
        Made(every_tile, (7,), LINE, {"base_addr_divisible_by": 16}),
    ),
    "divisible_stride": (
        Made(transpose, (6, 6), (SQUARE[0], array("y", 96, 96, strides=[98, 1])), {"stride_divisible_by": [4, 1]}),
        Made(transpose, (6, 6), SQUARE, {"stride_divisible_by": [4, 1]}),
    ),
}  # fmt: skip
"""By name: with the fault, and without."""
