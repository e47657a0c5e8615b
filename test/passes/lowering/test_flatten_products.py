"""Products of one batch as products of matrices: what they compute, what loops carry, and that it is validated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from xdsl.ir import SSAValue

import freehold as fh
from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.ops.control_flow import ForOp
from freehold.dialects.cuda_tile.ops.mma import Mma
from freehold.dialects.cuda_tile.types import TileType
from freehold.passes.flatten_products import flat_products
from freehold.passes.launch_contract import kernel_of
from freehold.passes.pipeline import contract, convert
from freehold.passes.validate_translation import entry_of, validate_translation
from freehold.runtime.interpreter import run, run_entry

Function = Callable[..., None]


def as_written(c: fh.Out["B", "M", "N"], a: fh.Ref["B", "M", "K"], b: fh.Ref["B", "K", "N"]):
    i, m, n = c.index
    acc = fh.zeros(c.tile, fh.f32)
    for k in fh.tiles(a, axis=2, size=16):
        acc = fh.mma(a.load((i, m, k), (1, 8, 16)), b.load((i, k, n), (1, 16, 8)), acc)
    c.store(acc)


def in_two_loops(c: fh.Out["B", "M", "N"], a: fh.Ref["B", "M", "K"], b: fh.Ref["B", "K", "N"]):
    i, m, n = c.index
    acc = fh.full(c.tile, 3.0, fh.f32)
    for _ in range(2):
        for k in fh.tiles(a, axis=2, size=16):
            acc = fh.mma(a.load((i, m, k), (1, 8, 16)), b.load((i, k, n), (1, 16, 8)), acc)
    for k in fh.tiles(a, axis=2, size=16):
        acc = fh.mma(a.load((i, m, k), (1, 8, 16)), b.load((i, k, n), (1, 16, 8)), acc)
    c.store(acc)


def scaled_each_turn(c: fh.Out["B", "M", "N"], a: fh.Ref["B", "M", "K"], b: fh.Ref["B", "K", "N"]):
    i, m, n = c.index
    acc = fh.zeros(c.tile, fh.f32)
    for k in fh.tiles(a, axis=2, size=16):
        acc = fh.mma(a.load((i, m, k), (1, 8, 16)), b.load((i, k, n), (1, 16, 8)), acc * 0.5)
    c.store(acc)


def with_a_turn_left(c: fh.Out["B", "M", "N"], a: fh.Ref["B", "M", "K"], b: fh.Ref["B", "K", "N"]):
    i, m, n = c.index
    acc = fh.zeros(c.tile, fh.f32)
    for k in fh.tiles(a, axis=2, size=16):
        if k == 1:
            continue
        acc = fh.mma(a.load((i, m, k), (1, 8, 16)), b.load((i, k, n), (1, 16, 8)), acc)
    c.store(acc)


def two_sums(c: fh.Out["B", "M", "N"], a: fh.Ref["B", "M", "K"], b: fh.Ref["B", "K", "N"]):
    i, m, n = c.index
    one, other = fh.zeros(c.tile, fh.f32), fh.ones(c.tile, fh.f32)
    for k in fh.tiles(a, axis=2, size=16):
        x, y = a.load((i, m, k), (1, 8, 16)), b.load((i, k, n), (1, 16, 8))
        one, other = fh.mma(x, y, one), fh.mma(x + 1.0, y, other)
    c.store(one - other)


def without_a_loop(c: fh.Out["B", "M", "N"], a: fh.Ref["B", "M", "K"], b: fh.Ref["B", "K", "N"]):
    i, m, n = c.index
    c.store(a.load((i, m, 0), (1, 8, 16)) @ b.load((i, 0, n), (1, 16, 8)))


CASES: list[tuple[Function, int]] = [
    (as_written, 1),
    (in_two_loops, 3),
    (scaled_each_turn, 0),
    (with_a_turn_left, 0),
    (two_sums, 2),
    (without_a_loop, 0),
]
"""A kernel, and how many sums its loops carry as matrices."""


def dims(value: SSAValue) -> tuple[int, ...]:
    return cast(TileType, value.type).dims


def kernel(function: Function) -> tuple[Any, list[Any]]:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((2, 12, 40), (2, 40, 20)))
    return fh.kernel(function).verify(fh.partition(np.zeros((2, 12, 20), np.float32), (1, 8, 8)), a, b), [a, b]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_it_computes_the_same(case: tuple[Function, int]) -> None:
    """To the bit: the kernel, what it becomes, and that lowered, through bytecode, and validated."""
    function, carried = case
    module, given = kernel(function)
    before, flat = str(module), flat_products(module)
    assert str(module) == before
    assert all(len(dims(op.operands[2])) == 2 for op in flat.walk() if isinstance(op, Mma))
    kept = [dims(v) for op in flat.walk() if isinstance(op, ForOp) for v in op.carried]
    assert kept.count((8, 8)) == carried
    lowered = convert(flat)
    validate_translation(kernel_of(flat), entry_of(read_bytecode(write_bytecode(lowered))))
    found = [np.full((2, 12, 20), np.nan, np.float32) for _ in range(3)]
    run(module, [found[0], *given], checked=True)
    run(flat, [found[1], *given], checked=True)
    run_entry(lowered, contract(flat), [found[2], *given], checked=True)
    assert not np.isnan(found[0]).any()
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_a_module_without_such_products_is_itself() -> None:
    @fh.kernel
    def product(c: fh.Out["M", "N"], a: fh.Ref["M", "K"], b: fh.Ref["K", "N"]):
        m, n = c.index
        acc = fh.zeros(c.tile, fh.f32)
        for k in fh.tiles(a, axis=1, size=16):
            acc = fh.mma(a.load((m, k), (8, 16)), b.load((k, n), (16, 8)), acc)
        c.store(acc)

    x = np.zeros((16, 16), np.float32)
    module = product.verify(fh.partition(x, (8, 8)), x.copy(), x.copy())
    assert flat_products(module) is module
