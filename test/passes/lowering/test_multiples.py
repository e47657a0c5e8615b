"""Extents that are written as multiples, `16 * P`: their tiles are counted, also where nothing passes `P` itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Out, Ref, f32, i32
from freehold.passes.launch_contract import contract
from freehold.passes.pipeline import convert
from freehold.passes.validate_translation import entry_of, validate_translation
from freehold.runtime.interpreter import run_entry


def lowered(kernel: Any, arguments: Sequence[Any]) -> None:
    """Runs a kernel as it is lowered, once that is validated."""
    module = kernel.verify(*arguments)
    made = convert(module)
    (verified,) = (op for op in module.body.block.ops)
    validate_translation(verified, entry_of(made))
    arrays = [getattr(argument, "array", argument) for argument in arguments]
    run_entry(made, contract(module), arrays, adversarial=True)


@fh.kernel
def in_a_loop(y: Out[f32, 4], x: Ref[f32, "16 * P"]):
    total = fh.zeros((4,), f32)
    for i in fh.tiles(x, axis=0, size=4):
        total += x.load((i,), (4,))
    y.store(total)


@fh.kernel
def of_another_tensor(y: Out[f32, "P"], x: Ref[f32, "16 * P"]):
    (i,) = y.index
    total = fh.zeros(y.tile, f32)
    for k in fh.tiles(x, axis=0, size=16):
        total += fh.where(k == i, x.load((i,), (16,)).sum(), 1.0)
    y.store(total)


@fh.kernel
def in_a_branch(y: Out[f32, 4], x: Ref[f32, "8 * P"], n: i32):
    total = fh.zeros((4,), f32)
    if n > 2:
        for i in fh.tiles(x, axis=0, size=8):
            total += x.load((i,), (8,)).sum()
    y.store(total)


def sum_of_tiles(x: Any) -> Any:
    total = fh.zeros((2,), f32)
    for i in fh.tiles(x, axis=0, size=2):
        total += x.load((i,), (2,))
    return total


@fh.kernel
def in_a_helper(y: Out[f32, 2], x: Ref[f32, "4 * (P - 3)"]):
    y.store(sum_of_tiles(x))


@fh.kernel
def of_a_window(y: Out[f32, 4], x: Ref[f32, "N"], n: i32):
    total = fh.zeros((4,), f32)
    w = x.window(0, 1, 8 * n)
    for i in fh.tiles(w, axis=0, size=4):
        total += w.load((i,), (4,))
    y.store(total)


@fh.kernel
def checked_in_the_kernel(y: Out[f32, 4], x: Ref[f32, "4 * P"], at: Ref[i32, 1]):
    y.store(x.load((at.load((0,), ()),), (4,)))


NUMBERS = np.arange(1, 97, dtype=np.float32)


@pytest.mark.parametrize(
    ("kernel", "out", "rest", "wanted"),
    [
        (in_a_loop, 4, (NUMBERS[:48],), NUMBERS[:48].reshape(12, 4).sum(0)),
        (in_a_branch, 4, (NUMBERS[:40], 3), [NUMBERS[:40].sum()] * 4),
        (in_a_branch, 4, (NUMBERS[:40], 2), [0] * 4),
        (in_a_helper, 2, (NUMBERS[:20],), NUMBERS[:20].reshape(10, 2).sum(0)),
        (of_a_window, 4, (NUMBERS, 3), NUMBERS[1:25].reshape(6, 4).sum(0)),
        (checked_in_the_kernel, 4, (NUMBERS[:12], np.array([2], np.int32)), NUMBERS[8:12]),
    ],
)
def test_tiles_of_a_multiple_are_counted(kernel: Any, out: int, rest: tuple[Any, ...], wanted: Any) -> None:
    y = np.zeros(out, np.float32)
    lowered(kernel, [fh.partition(y, out), *rest])
    assert y.tolist() == list(wanted)


def test_what_another_tensor_passes_is_taken() -> None:
    y = np.zeros(3, np.float32)
    lowered(of_another_tensor, [fh.partition(y, 1), NUMBERS[:48]])
    assert y.tolist() == (NUMBERS[:48].reshape(3, 16).sum(1) + 2).tolist()


def test_an_index_behind_the_last_tile_of_a_multiple_fails() -> None:
    for index in (3, -1):
        y = np.zeros(4, np.float32)
        with pytest.raises(fh.Rejected) as caught:
            lowered(checked_in_the_kernel, [fh.partition(y, 4), NUMBERS[:12], np.array([index], np.int32)])
        assert caught.value.codes == ("O233",)
