"""Loops that are cut where a condition changes: how often, and that nothing but speed is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.ops.arith_int import CmpIOp
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp
from freehold.dialects.cuda_tile.ops.shape import SelectOp
from freehold.dialects.ownership import CheckOp, KernelOp, Rung
from freehold.passes import split_loops as split_loops_module
from freehold.passes.launch_contract import kernel_of
from freehold.passes.pipeline import contract, convert, verify
from freehold.passes.split_loops import split_loops
from freehold.passes.validate_translation import entry_of, validate_translation
from freehold.passes.verify_duties import recorded
from freehold.runtime.interpreter import run, run_entry

F32 = fh.f32


def causal(y: fh.Out["N"], x: fh.Ref["N"], n: fh.i32):
    (i,) = y.index
    sums = fh.zeros(y.tile, F32)
    for k in range(n):
        if k >= i * 2:
            sums = sums * 0.5
        sums = sums + x.load((0,), y.tile) + k
    y.store(sums)


def other_way_round(y: fh.Out["N"], x: fh.Ref["N"], n: fh.i32):
    fh.require("n < 1000")
    (i,) = y.index
    sums = fh.zeros(y.tile, F32)
    for k in range(n):
        if not (i * 4 < 3 * k + 1):
            sums = sums + k
        else:
            sums = sums - x.load((0,), y.tile)
    y.store(sums)


def first_turn(y: fh.Out["N"], x: fh.Ref["N"], n: fh.i32):
    sums = fh.zeros(y.tile, F32)
    for k in range(n):
        if k == 0:
            sums = x.load_like(y)
        else:
            sums = sums * 0.5 + k
    y.store(sums)


def last_turn(y: fh.Out["N"], x: fh.Ref["N"], n: fh.i32):
    sums = fh.zeros(y.tile, F32)
    fh.require("0 <= n")
    for k in range(n):
        if k != n - 1:
            sums = sums * 0.5 + k
        else:
            sums = sums + x.load_like(y)
    y.store(sums)


def between(y: fh.Out["N"], x: fh.Ref["N"], n: fh.i32):
    (i,) = y.index
    sums = fh.zeros(y.tile, F32)
    for k in range(1, n):
        if k >= i and k < i + 3:
            sums = sums + x.load_like(y)
        sums = sums * 0.5 + k
    y.store(sums)


def disordered(y: fh.Out["N"], x: fh.Ref["N"], n: fh.i32, m: fh.i32):
    """Two conditions of which it is not known which changes first."""
    fh.require("0 <= m")
    fh.require("m < 100")
    (i,) = y.index
    sums = fh.zeros(y.tile, F32)
    for k in range(n):
        if k > i:
            sums = sums + x.load_like(y)
        if k > m:
            sums = sums * 0.5
        sums = sums + k
    y.store(sums)


def that_continues(y: fh.Out["N"], x: fh.Ref["N"], n: fh.i32):
    (i,) = y.index
    sums = fh.zeros(y.tile, F32)
    for k in range(n):
        if k < i:
            continue
        sums = sums * 0.5 + x.load_like(y) + k
    y.store(sums)


def that_checks(y: fh.Out["N"], x: fh.Ref["N"], n: fh.i32):
    """What is checked in a loop is checked in each part of it."""
    (i,) = y.index
    sums = fh.zeros(y.tile, F32)
    for k in range(n):
        assert sums.max() < 1000.0, "a sum is too large"
        if k >= i:
            sums = sums + x.load((0,), y.tile)
        sums = sums * 0.5 + k
    y.store(sums)


def helper(sums: fh.Tile, k: Any, i: Any, n: Any) -> fh.Tile:
    for j in range(n):
        if j > i:
            sums = sums * 0.5
        sums = sums + k
    return sums


def nested(y: fh.Out["N"], x: fh.Ref["N"], n: fh.i32):
    """In a helper, in a branch, in a loop."""
    (i,) = y.index
    sums = x.load_like(y)
    for k in range(n):
        if sums.sum() > 1.0:
            sums = helper(sums, k, i, n)
    y.store(sums)


def window(y: fh.Out["M", "N"], x: fh.Ref["M", "K"], z: fh.Ref["K", "N"], W: fh.Const[int] = 20):
    """A band of a matrix times another one: tiles at both its edges are masked."""
    i, j = y.index
    rows = i * y.tile[0] + fh.arange(y.tile[0])
    acc = fh.zeros(y.tile, F32)
    for k in fh.tiles(x, axis=1, size=8):
        cols = k * 8 + fh.arange(8)
        a = x.load((i, k), (y.tile[0], 8))
        inside = (cols[None, :] <= rows[:, None]) & (cols[None, :] > rows[:, None] - W)
        acc = fh.mma(fh.where(inside, a, 0.0), z.load((k, j), (8, y.tile[1])), acc)
    y.store(acc)


def masked_out(y: fh.Out["M", "N"], x: fh.Ref["M", "K"], z: fh.Ref["K", "N"]):
    """A mask says what is left out."""
    i, j = y.index
    rows = i * y.tile[0] + fh.arange(y.tile[0])
    acc = fh.zeros(y.tile, F32)
    for k in fh.tiles(x, axis=1, size=8):
        a = x.load((i, k), (y.tile[0], 8))
        a = fh.where((k * 8 + fh.arange(8))[None, :] > rows[:, None], 0.0, a)
        acc = fh.mma(a, z.load((k, j), (8, y.tile[1])), acc)
    y.store(acc)


def always(y: fh.Out["M", "N"], x: fh.Ref["M", "K"], z: fh.Ref["K", "N"]):
    """A mask that is true everywhere needs no cut."""
    i, j = y.index
    acc = fh.zeros(y.tile, F32)
    for k in fh.tiles(x, axis=1, size=8):
        a = fh.where((k * 8 + fh.arange(8))[None, :] >= 0, x.load((i, k), (y.tile[0], 8)), 1.0)
        acc = fh.mma(a, z.load((k, j), (8, y.tile[1])), acc)
    y.store(acc)


def not_linear(y: fh.Out["N"], x: fh.Ref["N"], n: fh.i32):
    (i,) = y.index
    sums = fh.zeros(y.tile, F32)
    for k in range(n):
        if k % 2 == i:
            sums = sums + x.load_like(y)
        sums = sums * 0.5 + k
    y.store(sums)


def may_wrap(y: fh.Out["N"], x: fh.Ref["N"], n: fh.i32, m: fh.i32):
    """`k + m` may wrap, so that it is not known where the condition changes."""
    sums = fh.zeros(y.tile, F32)
    for k in range(n):
        if k + m > 5:
            sums = sums + x.load_like(y)
        sums = sums * 0.5 + k
    y.store(sums)


def in_steps(y: fh.Out["N"], x: fh.Ref["N"], n: fh.i32):
    (i,) = y.index
    sums = fh.zeros(y.tile, F32)
    for k in range(0, n, 3):
        if k > i:
            sums = sums + x.load_like(y)
        sums = sums * 0.5 + k
    y.store(sums)


LINES: list[tuple[Callable[..., None], int, int]] = [
    (causal, 2, 0),
    (other_way_round, 2, 0),
    (first_turn, 2, 0),
    (last_turn, 2, 0),
    (between, 3, 0),
    (disordered, 3, 2),
    (that_continues, 2, 1),
    (nested, 3, 1),
    (not_linear, 1, 1),
    (may_wrap, 1, 1),
    (in_steps, 1, 1),
]
"""Kernels of lines, and how many loops, and branches, there are when loops are cut."""
PRODUCTS: list[tuple[Callable[..., None], int, int]] = [(window, 3, 2), (masked_out, 2, 1), (always, 1, 0)]
"""Kernels of products, and how many loops there are, and masks."""


def of_lines(function: Callable[..., None]) -> tuple[Any, Iterator[list[Any]]]:
    """A verified kernel, and what it is run with: loops with no turn, few, and many."""
    x = np.random.default_rng(0).standard_normal(40).astype(np.float32)
    more: list[list[int]] = [[3], [0], [99]] if function is disordered else [[]]
    if function is may_wrap:
        more = [[2**31 - 1], [-7]]
    part = fh.partition(np.zeros(40, np.float32), 8)
    module = fh.kernel(function).verify(part, x, 5, *more[0])
    counts = (0, 1, 2, 3, 7, 12) if function is last_turn else (-1, 0, 1, 2, 3, 7, 12)
    return module, ([x, np.int32(n), *map(np.int32, m)] for n in counts for m in more)


def of_products(function: Callable[..., None]) -> tuple[Any, Iterator[list[Any]]]:
    rng = np.random.default_rng(0)
    x, z = (rng.standard_normal((40, 40)).astype(np.float32) for _ in range(2))
    module = fh.kernel(function).verify(fh.partition(np.zeros((40, 40), np.float32), (8, 8)), x, z)
    return module, iter([[x, z]])


def optimised(module: ModuleOp) -> ModuleOp:
    """A kernel with its loops cut, lowered, through bytecode and validated."""
    cut = split_loops(module)
    lowered = convert(cut)
    validate_translation(kernel_of(cut), entry_of(read_bytecode(write_bytecode(lowered))))
    return lowered


def count(module: ModuleOp, kind: type) -> int:
    return sum(isinstance(op, kind) for op in module.walk())


def computes_the_same(module: ModuleOp, runs: Iterator[list[Any]], shape: tuple[int, ...]) -> None:
    """To the bit: what is cut, interpreted before and after it is lowered, and what it was."""
    before, cut, lowered = str(module), split_loops(module), optimised(module)
    for given in runs:
        found = [np.full(shape, np.nan, np.float32) for _ in range(3)]
        run(module, [found[0], *given], checked=True)
        run(cut, [found[1], *given], checked=True)
        run_entry(lowered, contract(cut), [found[2], *given], checked=True)
        assert not np.isnan(found[0]).any()
        np.testing.assert_array_equal(found[0], found[1])
        if not count(module, SelectOp):  # products and sums may be contracted
            np.testing.assert_allclose(found[0], found[2], rtol=1e-6)
    assert str(module) == before


@pytest.mark.parametrize("case", LINES, ids=lambda case: case[0].__name__)
def test_conditions_of_branches(case: tuple[Callable[..., None], int, int]) -> None:
    function, loops, branches = case
    module, runs = of_lines(function)
    lowered = optimised(module)
    assert (count(lowered, ForOp), count(lowered, IfOp)) == (loops, branches)
    computes_the_same(module, runs, (40,))


@pytest.mark.parametrize("case", PRODUCTS, ids=lambda case: case[0].__name__)
def test_masks_of_products(case: tuple[Callable[..., None], int, int]) -> None:
    function, loops, masks = case
    module, runs = of_products(function)
    lowered = optimised(module)
    assert (count(lowered, ForOp), count(lowered, SelectOp)) == (loops, masks)
    computes_the_same(module, runs, (40, 40))


def test_what_is_checked_in_a_loop_is_checked_in_its_parts() -> None:
    module, runs = of_lines(that_checks)
    assert count(split_loops(module), CheckOp) == 2
    computes_the_same(module, runs, (40,))


def test_what_is_not_cut_is_the_module_itself() -> None:
    module, _ = of_lines(not_linear)
    assert split_loops(module) is module


@pytest.mark.parametrize("function", [case[0] for case in LINES], ids=lambda function: function.__name__)
def test_what_is_cut_would_verify_again(function: Callable[..., None]) -> None:
    """Nothing of it is open, and what verifiers say of it on its own is what it has from the kernel."""
    cut = split_loops(of_lines(function)[0])
    met = rungs(cut)
    assert Rung.OPEN not in met
    verify(cut)
    assert rungs(cut) == met


def rungs(module: ModuleOp) -> list[Rung]:
    return [duty.rung for _, duties in recorded(kernel_of(module)) for duty in duties]


def looked_up(y: fh.Out["N"], x: fh.Ref["N"], n: fh.i32):
    sums, at = fh.zeros(y.tile, F32), x.load((0,), (1,)).max().astype(fh.i32)
    for k in range(n):
        if k >= at:
            sums = sums + x.load((k,), y.tile)
        else:
            sums = sums - x.load((at,), y.tile)
    y.store(sums)


def test_what_is_checked_in_the_kernel_is_verified_again(monkeypatch: pytest.MonkeyPatch) -> None:
    module, asked = of_lines(looked_up)[0], list[KernelOp]()
    assert Rung.KERNEL in rungs(module)

    def refuse(kernel: KernelOp) -> list[str]:
        asked.append(kernel)
        return ["an error"]

    assert split_loops(module) is not module
    monkeypatch.setattr(split_loops_module, "verify_kernel", refuse)
    assert split_loops(module) is module
    assert len(asked) == 1


def test_long_bodies_are_written_down_once(monkeypatch: pytest.MonkeyPatch) -> None:
    module, _ = of_lines(causal)
    monkeypatch.setattr(split_loops_module, "_MOST_OPERATIONS", 3)
    assert split_loops(module) is module


def test_a_comparison_is_replaced_only_where_it_is_shown() -> None:
    """Of the band's masks, the middle part has none, and each outer one has that of its edge."""
    module, _ = of_products(window)
    found = [count_in(loop, CmpIOp) for loop in split_loops(module).walk() if isinstance(loop, ForOp)]
    assert found == [1, 0, 1]


def count_in(loop: ForOp, kind: type) -> int:
    return sum(isinstance(op, kind) for op in loop.walk())
