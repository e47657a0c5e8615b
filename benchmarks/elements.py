"""Kernels that access single elements, on a GPU, against torch: `python -m benchmarks.elements [--json FILE]`.

Results are compared with torch's before anything is timed, and rivals are timed in turns, as in `benchmarks.gpu`. A
stencil's rival is a copy of its input: what memory could do.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Any

import freehold as fh
from benchmarks.gpu import compare
from benchmarks.report import Row, show
from freehold import Acc, Const, Out, Ref, f32, i32


@fh.kernel
def stencil(v: Out["M", "N"], u: Ref["M", "N"]):
    """Five points, zeros around the grid."""
    tile = v.tile
    i, j = v.index[0] * tile[0], v.index[1] * tile[1]
    around = u.load_from((i - 1, j), tile) + u.load_from((i + 1, j), tile)
    around += u.load_from((i, j - 1), tile) + u.load_from((i, j + 1), tile)
    v.store(around - 4.0 * u.load_from((i, j), tile))


@fh.kernel
def embedding(y: Out["N", "D"], table: Ref["V", "D"], ids: Ref[i32, "N"]):
    """Rows of a table."""
    rows = ids.load((y.index[0],), (y.tile[0],))
    columns = y.index[1] * y.tile[1] + fh.arange(y.tile[1])
    y.store(table.gather(rows[:, None], columns[None, :]))


@fh.kernel
def histogram(h: Acc[i32, "B"], x: Ref[i32, "N"]):
    """Counts of numbers."""
    inside = x.index[0] * x.tile[0] + fh.arange(x.tile[0]) < x.shape[0]
    h.add_at(1, x.load(), mask=inside)


@fh.kernel
def counted_first(h: Acc[i32, "B"], x: Ref[i32, "N"], B: Const[int] = 256):
    """The same, counted in the block first, so that blocks meet once a bin and not once a number."""
    inside = x.index[0] * x.tile[0] + fh.arange(x.tile[0]) < x.shape[0]
    numbers = fh.where(inside, x.load(), -1)
    h.at(0).add((numbers[:, None] == fh.arange(B)).astype(i32).sum(axis=0))


@fh.kernel
def combine(y: Acc[f32, "T", "D"], x: Ref["S", "D"], token: Ref[i32, "S"]):
    """Rows added to the rows that are named."""
    s, d = x.index
    rows = token.load((s,), (x.tile[0],))
    y.add_at(x.load(), rows[:, None], (d * x.tile[1] + fh.arange(x.tile[1]))[None, :])


@fh.kernel
def column_sums(total: Acc[f32, "N"], x: Ref["M", "N"]):
    """Sums of columns, a tile of rows after the other, as a weight's gradient is."""
    total.at(x.index[1]).add(x.load().sum(axis=0))


def main() -> None:
    """Run the benchmarks and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    arguments = parser.parse_args()
    torch: Any = import_module("torch")  # no dependency of the project
    torch.manual_seed(0)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, freehold {fh.__version__}\n")
    rows = [
        *(stencil_row(torch, 8192, tile) for tile in ((8, 256), (16, 128), (32, 64))),
        embedding_row(torch),
        histogram_row(torch, "every number an update", histogram, 4096),
        histogram_row(torch, "counted first", counted_first, 64),
        combine_row(torch),
        column_row(torch),
    ]
    show(rows, arguments.json)


def _equal(torch: Any, what: str, ours: Any, theirs: Any) -> None:
    if not torch.allclose(ours, theirs, rtol=1e-3, atol=1e-2):
        raise AssertionError(f"{what}: wrong result")


def stencil_row(torch: Any, size: int, tile: tuple[int, int]) -> Row:
    """Bytes of the grid read and written once, in TB/s."""
    u = torch.randn(size, size, device="cuda")
    v, copy = torch.full_like(u, float("nan")), torch.empty_like(u)
    stencil(fh.partition(v, tile), u).sync()
    p = torch.nn.functional.pad(u, (1, 1, 1, 1))
    _equal(torch, "stencil", v, p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u)
    return compare(
        torch,
        f"stencil of {size}^2, tiles of {tile[0]} by {tile[1]}",
        lambda: stencil(fh.partition(v, tile), u).on(),
        lambda: copy.copy_(u),
        work=8 * size * size / 1e12,
        unit="TB/s",
        rival="copy",
        repeat=20,
    )


def embedding_row(torch: Any) -> Row:
    """Bytes written, in TB/s."""
    table = torch.randn(128_000, 4096, device="cuda").bfloat16()
    ids = torch.randint(0, 128_000, (16_384,), device="cuda", dtype=torch.int32)
    y = torch.zeros(16_384, 4096, device="cuda", dtype=torch.bfloat16)
    embedding(fh.partition(y, (1, 4096)), table, ids).sync()
    _equal(torch, "embedding", y, table[ids.long()])
    return compare(
        torch,
        "embedding, 16384 rows of 4096 bf16",
        lambda: embedding(fh.partition(y, (1, 4096)), table, ids).on(),
        lambda: torch.nn.functional.embedding(ids, table),
        work=2 * y.numel() / 1e12,
        unit="TB/s",
        rival="torch embedding",
        repeat=20,
    )


def histogram_row(torch: Any, how: str, kernel: Any, tile: int) -> Row:
    """Numbers counted, in billions a second."""
    x = torch.randint(0, 256, (1 << 26,), device="cuda", dtype=torch.int32)
    h = torch.zeros(256, device="cuda", dtype=torch.int32)
    kernel(h, fh.partition(x, tile)).sync()
    _equal(torch, "histogram", h.float(), torch.bincount(x, minlength=256).float())
    return compare(
        torch,
        f"histogram of 2^26 numbers, 256 bins, {how}",
        lambda: kernel(h, fh.partition(x, tile)).on(),
        lambda: torch.bincount(x, minlength=256),
        work=x.numel() / 1e9,
        unit="G numbers/s",
        rival="torch.bincount",
        repeat=5,
    )


def combine_row(torch: Any) -> Row:
    """Bytes of the rows that are added, in TB/s."""
    x = torch.randn(32_768, 4096, device="cuda")
    token = torch.randint(0, 8192, (32_768,), device="cuda", dtype=torch.int32)
    y, theirs = torch.zeros(8192, 4096, device="cuda"), torch.zeros(8192, 4096, device="cuda")
    combine(y, fh.partition(x, (1, 1024)), token).sync()
    long = token.long()
    _equal(torch, "combine", y, theirs.index_add_(0, long, x))
    return compare(
        torch,
        "combine, 32768 rows of 4096 f32 into 8192",
        lambda: combine(y, fh.partition(x, (1, 1024)), token).on(),
        lambda: theirs.index_add_(0, long, x),
        work=4 * x.numel() / 1e12,
        unit="TB/s",
        rival="torch.index_add_",
        repeat=10,
    )


def column_row(torch: Any) -> Row:
    """Bytes read, in TB/s."""
    x = torch.rand(65_536, 4096, device="cuda")
    total = torch.zeros(4096, device="cuda")
    column_sums(total, fh.partition(x, (64, 128))).sync()
    _equal(torch, "column sums", total / 65_536, x.mean(0))
    return compare(
        torch,
        "column sums of 65536 by 4096 f32",
        lambda: column_sums(total, fh.partition(x, (64, 128))).on(),
        lambda: x.sum(0),
        work=4 * x.numel() / 1e12,
        unit="TB/s",
        rival="torch.sum",
        repeat=10,
    )


if __name__ == "__main__":
    main()
