"""What is written and told of each way to cut arrays up: the points of a launch, their regions, proofs and costs."""

# Maps are functions of integers, and need no annotations.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import freehold as fh
from freehold import Acc, Mut, Out, Ref, i32
from freehold.dialects.cuda_tile.text import text_of
from freehold.runtime.jit.kernel import Kernel


@fh.kernel
def double(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load() * 2.0)


@fh.kernel
def copy(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load_like(y))


@fh.kernel
def read_first(x: Ref["M", "N"], y: Out["M", "N"]):
    y.store(x.load() * 2.0)


@fh.kernel
def change(y: Mut["M", "N"], x: Ref["N"]):
    y.store(y.load() + x.load(y.index[1], y.tile[1]))


@fh.kernel
def two(y: Out["M", "N"], z: Out["M"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(t)
    z.store(t.sum(axis=1))


@fh.kernel
def vector(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y))


@fh.kernel
def walk(y: Out["M", "N"], x: Ref["M", "N"]):
    (i,) = y.index
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        y.at(k).store(x.load((i, k), y.tile))


@fh.kernel
def backwards(y: Out["N"], x: Ref["N"]):
    j = fh.cdiv(y.shape[0], y.tile[0]) - 1 - y.index[0]
    y.at(j).store(x.load(j, y.tile))


@fh.kernel
def counted(h: Acc[i32, "B"], x: Ref[i32, "N"], at: fh.Grid = fh.Grid("cdiv(N, 64)")):
    (i,) = at.index
    h.add_at(1, x.load(i, 64), mask=i * 64 + fh.arange(64) < x.shape[0])


@fh.kernel
def on_a_grid(y: Out["M", "N"], x: Ref["M", "N"], at: fh.Grid = fh.Grid("cdiv(M, 16)", "cdiv(N, 32)")):
    y.store(x.load_like(y))


@fh.kernel
def split(y: Out["S", "N"], x: Ref["N"], s: i32, at: fh.Grid = fh.Grid("s", "cdiv(N, 16)")):
    k, n = at.index
    y.at(k, n).store(x.load(n, 16).reshape(1, 16))


@fh.kernel
def grouped(y: Out[i32, "M", "N"], offsets: Ref[i32, "O"]):
    y.store(fh.full(y.tile, y.index[0] + y.start[0], i32))


@fh.kernel
def window(y: Out["S"], x: Ref["T"], at: i32):
    part = y.window(0, at, x.shape[0])
    part.store(x.load_like(part))


def floats(*shape: int) -> Any:
    return np.zeros(shape, np.float32)


def ints(*shape: int) -> Any:
    return np.zeros(shape, np.int32)


Y, X = floats(64, 96), floats(64, 96)
MAPS: dict[str, dict[str, Any]] = {
    "reversed": {"map": fh.REVERSED},
    "skewed": {"map": fh.SKEWED},
    "permuted": {"map": fh.permuted(1, 0)},
    "interleaved": {"map": fh.interleaved(3)},
    "a triangle": {"map": fh.LOWER_TRIANGLE, "partial": True},
    "a triangle of a whole output": {"map": fh.UPPER_TRIANGLE},
    "two conditions": {"where": lambda i, j: (i != j) | ~(j < 2), "partial": True},
    "of the numbers of regions": {"where": lambda i, j, grid: (i <= grid[1]) & (i + j < grid[0]), "partial": True},
    "one axis": {"map": lambda n, grid: (n // grid[1], n % grid[1]), "grid": lambda m, n: m * n},
    "three axes": {"map": lambda i, j, k: (i, 2 * j + k), "grid": lambda m, n: (m, fh.cdiv(n, 2), 2)},
    "a part": {"grid": (2, 3), "partial": True},
    "bounds": {"map": lambda i, j, grid: (fh.minimum(i, grid[0] - 1), fh.maximum(j, 0))},
    "folded": {"map": lambda i, j: (i // 2, j)},
    "gaps": {"step": (32, 32), "partial": True},
    "by columns": {"order": fh.COLUMN},
    "by bands": {"order": fh.grouped(2), "blocks": fh.PERSISTENT},
    "five blocks": {"blocks": 5},
}


def launches() -> Iterator[tuple[str, Kernel, tuple[Any, ...]]]:
    """Ways to cut arrays up, each with its words."""
    part, ragged = fh.partition, fh.ragged
    for name, options in MAPS.items():
        yield name, copy, (part(Y, (16, 32), **options), X)
    for name in ("reversed", "permuted", "one axis", "gaps", "by bands"):
        yield f"{name}, of what is read", double, (part(Y, (16, 32)), part(X, (16, 32), **MAPS[name]))
    yield "what is read comes first", read_first, (part(X, (16, 32)), part(Y, (16, 32)))
    yield "it alone has words", read_first, (part(X, (16, 32), map=lambda i, k: (i, k)), part(Y, (16, 32)))
    yield "changed", change, (part(Y, (16, 32)), floats(96))
    yield "changed, turned", change, (part(Y, (16, 32), map=fh.REVERSED), floats(96))
    yield "two outputs", two, (part(Y, (16, 128)), part(floats(64), 16), X)
    yield "two outputs of other axes", two, (part(Y, (16, 32)), part(floats(64), 16), X)
    yield "two schedules", two, (part(Y, (16, 128), blocks=4), part(floats(64), 16, blocks=fh.PERSISTENT), X)
    yield "two orders", two, (part(Y, (16, 128), order=fh.COLUMN), part(floats(64), 16, order=fh.ROW), X)
    yield "a vector", vector, (part(floats(96), 32), floats(96))
    yield "rows", walk, (part(Y, (16, 32), owned=1), X)
    yield "rows, turned", walk, (part(Y, (16, 32), owned=1, map=fh.REVERSED), X)
    yield "by name", backwards, (part(floats(96), 32), floats(96))
    yield "no partition", counted, (ints(10), ints(96))
    for grid in (fh.Grid(6, order=fh.COLUMN), fh.Grid(blocks=3), fh.Grid("M")):
        yield f"no partition, {grid}", counted, (ints(10), ints(96), grid)
    yield "a grid", on_a_grid, (part(Y, (16, 32)), X)
    yield "a grid and a schedule", on_a_grid, (part(Y, (16, 32), order=fh.COLUMN, blocks=7), X)
    yield "a grid and bands", on_a_grid, (part(Y, (16, 32)), X, fh.Grid(4, 3, order=fh.grouped(3)))
    yield "a grid of one axis", on_a_grid, (part(Y, (16, 32)), X, fh.Grid("cdiv(M, 16)"))
    yield "a grid of three", on_a_grid, (part(Y, (16, 32)), X, fh.Grid(4, 3, 2))
    yield "a grid and a map", on_a_grid, (part(Y, (16, 32), map=fh.REVERSED), X)
    yield "a grid and a domain", on_a_grid, (part(Y, (16, 32), **MAPS["one axis"]), X)
    yield "a scalar's grid", split, (part(floats(4, 96), (1, 16)), floats(96), 4)
    yield "groups", grouped, (ragged(ints(64, 96), (16, 32), by="offsets"), ints(5))
    yield "groups of at most", grouped, (ragged(ints(64, 96), (16, 32), by="offsets", most=32), ints(5))
    yield "groups of columns", grouped, (ragged(ints(64, 96), (16, 32), by="offsets", axis=1), ints(5))
    yield "a window", window, (part(floats(96), 32), floats(64), 8)


def test_what_is_told(golden: Callable[[Path, str], None]) -> None:
    def told(kernel: Kernel, arguments: tuple[Any, ...]) -> Iterator[str]:
        try:
            text = text_of(kernel.verify(*arguments))
            yield str(kernel.explain(*arguments, arch=()))
        except fh.Rejected as refused:
            yield str(refused).replace(__file__, Path(__file__).name)
            return
        text = re.sub(r", #ownership\.layout<[^>]*>|!cuda_tile\.|!ownership\.|cuda_tile\.|ownership\.", "", text)
        text = re.sub(r"(?: attributes)? \{duties = .*?\]\}|, duties = .*?\](?=\})", "", text)
        yield from (line[4:] for line in text.splitlines()[2:-2])

    def lines() -> Iterator[str]:
        for words, kernel, arguments in launches():
            yield f"=== {words}\n"
            yield from told(kernel, arguments)
            yield ""

    golden(Path(__file__).with_name("told_of_partitions.txt"), "\n".join(lines()))
