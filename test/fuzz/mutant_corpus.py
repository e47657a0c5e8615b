"""The kernels that `mutants` damages: accepted ones of the benchmarks, the examples, the library and the tests."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
from kernel_builder import Builder
from ownership_kernels import seeds
from part_kernels import PartBuilder, right
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold import Acc, Const, Mut, Out, Ref, f32, i32
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

ROOT: Final = Path(__file__).parents[2]


def zeros(*shape: int, dtype: Any = np.float32) -> np.ndarray[Any, Any]:
    """An array of a test."""
    return np.zeros(shape, dtype)


@fh.kernel
def transpose(y: Out["N", "M"], x: Ref["M", "N"]):
    """y = x.T"""
    n, m = y.index
    turned = x.load((m, n), (y.tile[1], y.tile[0])).transpose()
    y.store(turned)


@fh.kernel
def shifted_sum(y: Out["N"], x: Ref["N"]):
    """Each tile and the one on its left."""
    (i,) = y.index
    left = x.load((max(i - 1, 0),), y.tile)
    y.store(left + x.load_like(y))


@fh.kernel
def row_softmax(y: Out["M", "N"], x: Ref["M", "N"]):
    """Rows that fit one tile."""
    t = x.load_like(y)
    e = fh.exp(t - fh.max(t, axis=1, keepdims=True))
    y.store(e / fh.sum(e, axis=1, keepdims=True))


@fh.kernel
def triangle(y: Out["N", "N"], x: Ref["N", "N"]):
    """The lower triangle of tiles, and zeros above."""
    i, j = y.index
    acc = fh.zeros(y.tile, f32)
    for k in range(j, i + 1):
        acc = acc + x.load((i, k), y.tile)
    y.store(acc)


@fh.kernel
def grouped_heads(o: Out["H", "S"], k: Ref["H // 2", "S"]):
    """Two heads read one."""
    h, s = o.index
    o.store(k.load((h // 2, s), o.tile))


@fh.kernel
def guarded(y: Mut["N"], x: Ref["M"], n: i32):
    """Adds a tile where there is one, and `n` allows it."""
    (i,) = y.index
    if i < n and i < fh.cdiv(x.shape[0], y.tile[0]):
        y.store(y.load() + x.load((i,), y.tile))


@fh.kernel
def column_sums(total: Acc["N"], x: Ref["M", "N"]):
    """Sums over rows, by blocks of rows."""
    j = x.index[1]
    total.at(j).add(fh.sum(x.load(), axis=0))


@fh.kernel
def blocked(y: Out["N"], x: Ref["N", "K"], B: Const[int] = 8):
    """Sums of rows, some columns at a time."""
    (i,) = y.index
    acc = fh.zeros(y.tile, f32)
    for k in fh.tiles(x, axis=1, size=B):
        acc = acc + fh.sum(x.load((i, k), (y.tile[0], B)), axis=1)
    y.store(acc)


@dataclass(frozen=True)
class Case:
    """A kernel by name, as a function that makes its module, and arguments for a run where it comes with them."""

    name: str
    make: Callable[[], ModuleOp]
    arguments: Callable[[], list[Any]] | None = None


Part = Callable[[Any, Any], Any]
"""Partitions an array into tiles, under some schedule."""


def _kernels() -> dict[str, Callable[[Part], ModuleOp]]:
    """Kernels of the tests, benchmarks and examples, for arguments of some shapes."""
    benchmarks = _module(ROOT / "benchmarks" / "kernels.py")
    quickstart = _module(ROOT / "examples" / "quickstart.py")
    a, b, m, out = zeros(64), zeros(64), zeros(64, 64), zeros(64, 64)
    return {
        "add": lambda p: benchmarks.add.lower(p(a, 16), b, b),
        "saxpy": lambda p: quickstart.saxpy.lower(p(a, 16), b, 1.0),
        "gemm": lambda p: benchmarks.gemm.lower(p(out, (16, 8)), m, m, 16),
        "transpose": lambda p: transpose.lower(p(zeros(64, 32), (16, 8)), zeros(32, 64)),
        "shifted sum": lambda p: shifted_sum.lower(p(a, 16), b),
        "softmax": lambda p: row_softmax.lower(p(out, (4, 64)), m),
        "triangle": lambda p: triangle.lower(p(out, (8, 8)), m),
        "grouped heads": lambda p: grouped_heads.lower(p(zeros(8, 64), (1, 16)), zeros(4, 64)),
        "guarded": lambda p: guarded.lower(p(a, 16), zeros(32), 1),
        "column sums": lambda p: column_sums.lower(a, p(m, (8, 8))),
        "blocked sums": lambda p: blocked.lower(p(a, 8), m),
    }


def _frontend() -> Iterator[tuple[str, Callable[[], ModuleOp]]]:
    """Those kernels, each under some schedules."""
    schedules: dict[str, Part] = {
        "": fh.partition,
        ", persistent": partial(fh.partition, blocks=fh.PERSISTENT),
        ", columns": partial(fh.partition, order=fh.COLUMN),
    }
    kernels = _kernels()
    for suffix, part in schedules.items():
        for name, make in kernels.items():
            yield f"{name}{suffix}", partial(make, part)
    yield "gemm, grouped", partial(kernels["gemm"], partial(fh.partition, order=fh.grouped(2)))


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"corpus_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


def _texts() -> Iterator[tuple[str, Callable[[], ModuleOp]]]:
    """Kernels that are kept as IR."""
    kernels = _module(ROOT / "test" / "interpreter" / "interpreted.py")
    for name in ("SAXPY", "GEMM", "COPY", "WITH_A_CHECK"):
        text: str = getattr(kernels, name).replace("SCHEDULE", "")
        yield f"{name.lower()} (text)", partial(parse_module, make_context(), text, "kernel.mlir")
    for n, tree in enumerate(seeds()):
        yield f"seed {n}", Builder(tree).module
    for n, tree in enumerate(right()):
        yield f"parts {n}", PartBuilder(tree).module


def _values(argument: Any) -> Any:
    """What the interpreter takes for an argument of a launch."""
    found: Any = getattr(argument, "array", argument)
    return found.copy() if hasattr(found, "copy") else found


def _library() -> Iterator[Case]:
    """The library of kernels, with the arguments of its own launches."""
    sys.path.insert(0, str(ROOT))
    for name, example in importlib.import_module("examples.kernels").library():
        kernel = example.kernel
        modes = [p.mode for p in kernel.signature.parameters]
        given = [a for a, mode in zip(example.arguments, modes, strict=False) if mode != "const"]
        yield Case(
            f"library: {name}", partial(kernel.lower, *example.arguments), lambda given=given: [*map(_values, given)]
        )


def corpus() -> Iterator[Case]:
    """Every kernel."""
    yield from (Case(name, make) for name, make in (*_frontend(), *_texts()))
    yield from _library()
