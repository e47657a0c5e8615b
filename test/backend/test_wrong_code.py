"""Kernels of which the assembler makes wrong code: columns that blocks share, and running sums of products."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Mut, Ref, f32
from freehold.backend.assembler import assemble
from freehold.backend.wrong_code import wrong
from freehold.runtime.variants.build import bytecode
from freehold.support.diagnostic import Rejected

GOLDEN = Path(__file__).with_name("golden")


@fh.kernel
def in_columns(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], W: Const[int]):
    """A product, stored in two halves of its columns."""
    fh.require("N <= 1000000")
    m, _ = c.index
    TM, R = c.tile
    acc = fh.zeros((TM, W), f32)
    for k in fh.tiles(a, axis=1, size=32):
        acc = fh.mma(a.load((m, k), (TM, 32)), b.load((k, 0), (32, W)), acc)
    c.store((acc[:, :R] + acc[:, W - R :]).astype(c.dtype))


@fh.kernel
def in_rows(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], W: Const[int]):
    """A product, of which the upper rows are stored."""
    m, n = c.index
    acc = fh.zeros((W, c.tile[1]), f32)
    for k in fh.tiles(a, axis=1, size=32):
        acc = fh.mma(a.load((m, k), (W, 32)), b.load((k, n), (32, c.tile[1])), acc)
    c.store(acc[: c.tile[0]].astype(c.dtype))


def arguments(tile: tuple[int, int], W: int) -> tuple[Any, ...]:
    c, a, b = (np.zeros((512, 512), np.float16) for _ in range(3))
    return fh.partition(c, tile), a, b, W


def refused(kernel: Any, tile: tuple[int, int], W: int, **hints: int) -> bool:
    hinted = kernel.with_hints(**hints)
    return bool(wrong(bytecode(hinted.verify(*arguments(tile, W)), hinted.options), "sm_90"))


@pytest.mark.parametrize(("rows", "warps", "blocks"), [(64, 4, 2), (128, 8, 2), (256, 8, 4), (128, 4, 4), (64, 2, 2)])
def test_tiles_with_too_few_rows(rows: int, warps: int, blocks: int) -> None:
    hints = {"num_worker_warps": warps, "num_cta_in_cga": blocks}
    assert refused(in_columns, (rows, 64), 128, **hints)
    assert not refused(in_columns, (2 * rows, 64), 128, **hints)
    assert not refused(in_columns, (rows, 64), 128, num_worker_warps=warps)
    assert not refused(in_columns, (rows, 128), 128, **hints)  # takes all of them
    assert not refused(in_rows, (rows // 2, 64), rows, **hints)


def test_it_is_told_and_refused(golden: Callable[[Path, str], None]) -> None:
    kernel = in_columns.with_hints(num_worker_warps=8, num_cta_in_cga=2)
    with pytest.raises(Rejected) as caught:
        kernel.compile(*arguments((128, 64), 128), arch="sm_90")
    assert caught.value.codes == ("O415",)
    golden(GOLDEN / "columns_mixed.err", str(caught.value))
    code = bytecode(kernel.verify(*arguments((128, 64), 128)), kernel.options)
    with pytest.raises(Rejected, match="would mix columns up"):  # whoever assembles it
        assemble(code, "sm_90")
    in_columns.with_hints(num_worker_warps=8).compile(*arguments((128, 64), 128), arch="sm_90")  # the edits
    kernel.compile(*arguments((256, 64), 128), arch="sm_90")


@fh.kernel
def in_line(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    """Running sums of a product."""
    c.store(fh.cumsum(a.load((c.index[0], 0), (c.tile[0], 32)) @ b.load((0, c.index[1]), (32, c.tile[1])), axis=1))


@fh.kernel
def in_loop(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    """Running sums of what a loop adds to and returns by way of the tile it carries."""
    t = fh.zeros(c.tile, f32)
    seen = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=32):
        seen += fh.cumsum(t, axis=0)
        t = fh.mma(a.load((c.index[0], k), (c.tile[0], 32)), b.load((k, c.index[1]), (32, c.tile[1])), t)
    c.store(seen)


@fh.kernel
def in_if(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    """Running sums, in some of the blocks, of the exponentials of a product."""
    t = fh.exp(a.load((c.index[0], 0), (c.tile[0], 32)) @ b.load((0, c.index[1]), (32, c.tile[1])))
    if c.index[0] > 0:
        t = fh.cumsum(t, axis=1)
    c.store(t)


@fh.kernel
def in_loop_that_is_left(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    """Running sums of a product that a loop hands on where it is left early, within an `if`."""
    seen = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=32):
        t = a.load((c.index[0], k), (c.tile[0], 32)) @ b.load((k, c.index[1]), (32, c.tile[1]))
        if t.sum() > 0:
            seen = t
            break
    c.store(fh.cumsum(seen, axis=1))


def multiplied(a: fh.Tile, b: fh.Tile) -> fh.Tile:
    return (a @ b).max(axis=1, keepdims=True)


@fh.kernel
def in_helper(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    """Running sums of the maxima of a product that a helper returns."""
    t = multiplied(a.load((c.index[0], 0), (c.tile[0], 32)), b.load((0, c.index[1]), (32, c.tile[1])))
    c.store(fh.cumsum(t, axis=0) + fh.zeros(c.tile, f32))


@fh.kernel
def of_loads(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    """Running sums of what was loaded, which a product then takes."""
    t = fh.cumsum(a.load((c.index[0], 0), (c.tile[0], 32)), axis=1)
    c.store(t @ b.load((0, c.index[1]), (32, c.tile[1])))


def products() -> tuple[Any, ...]:
    c, a, b = (np.zeros((256, 256), np.float32) for _ in range(3))
    return fh.partition(c, (64, 64)), a, b


@pytest.mark.parametrize("kernel", [in_line, in_loop, in_loop_that_is_left, in_if, in_helper])
def test_running_sums_of_products(kernel: Any) -> None:
    errors = wrong(bytecode(kernel.verify(*products()), kernel.options), "sm_90")
    assert [error.code for error in errors] == ["O416"]


def test_running_sums_of_what_is_loaded() -> None:
    assert not wrong(bytecode(of_loads.verify(*products()), of_loads.options), "sm_90")


def test_running_sums_are_told_and_refused(golden: Callable[[Path, str], None]) -> None:
    with pytest.raises(Rejected) as caught:
        in_line.compile(*products(), arch="sm_90")
    golden(GOLDEN / "product_scanned.err", str(caught.value))
