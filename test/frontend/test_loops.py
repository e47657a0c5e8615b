"""Loops of kernels: what they carry a proof of, what they become, and ways out of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold import Const, Out, Ref, f32, i32
from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ForOp, IfOp, LoopOp
from freehold.dialects.ownership import LoadOp, duties_of
from freehold.passes.pipeline import verify

Interpret = Callable[..., None]
Lowered = Callable[..., ModuleOp]


def rungs(kernel: Callable[..., object], lowered: Lowered, *args: object) -> set[str]:
    """How the bounds of a kernel's loads are met."""
    module = lowered(kernel, *args)
    verify(module)
    return {o.rung.value for op in module.walk() if isinstance(op, LoadOp) for o in duties_of(op)}


def with_break(y: Out["N"], x: Ref["M"], limit: f32):
    acc = fh.zeros(y.tile, f32)
    for i in fh.tiles(x, axis=0, size=4):
        acc = acc + x.load(i, 4)
        if acc.max() > limit:
            break
    y.store(acc)


def with_continue(y: Out["N"], x: Ref["M"], limit: f32):
    acc = fh.zeros(y.tile, f32)
    for i in range(1, fh.cdiv(x.shape[0], 4), 2):
        t = x.load(i - 1, 4)
        if t.max() > limit:
            continue
        acc = acc + t + x.load(i, 4)
        if acc.max() > 2 * limit:
            break
    y.store(acc)


def with_return(y: Out["N"], x: Ref["M"], limit: f32):
    def prefix() -> fh.Tile:
        acc = fh.zeros(y.tile, f32)
        for i in fh.tiles(x, axis=0, size=4):
            acc = acc + x.load(i, 4)
            if acc.max() > limit:
                return acc * 2
        return acc

    y.store(prefix())


def downwards(y: Out["N"], x: Ref["M"], limit: f32):
    acc = fh.zeros(y.tile, f32)
    for i in range(fh.cdiv(x.shape[0], 4) - 1, -1, -1):
        acc = acc * 0.5 + x.load(i, 4)
    for i in reversed(fh.tiles(x, axis=0, size=4)):
        acc = acc * 0.5 + x.load(i, 4)
        if acc.max() > limit:
            break
    for i in reversed(range(x.shape[0] // 4)):
        acc = acc * 0.5 + x.load(i, 4)
    y.store(acc)


def windows(y: Out["N"], x: Ref["M"], limit: f32):
    n = y.index[0]
    acc = fh.zeros(y.tile, f32)
    for i in fh.tiles(x, axis=0, size=4, stop=n + 2):
        acc = acc + x.load(i, 4)
    for i in fh.tiles(x, axis=0, size=4, start=n - 3, step=2):
        acc = acc * 2 + x.load(i, 4)
    for i in reversed(fh.tiles(x, axis=0, size=4, start=1, stop=n)):
        acc = acc * 0.5 + x.load(i, 4)
    y.store(acc)


KERNELS = (with_break, with_continue, with_return, downwards, windows)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda f: f.__name__)
def test_the_index_carries_its_bound(kernel: Callable[..., object], part: Any, lowered: Lowered):
    x = np.arange(24, dtype=np.float32)
    assert rungs(kernel, lowered, part(np.zeros(8, np.float32), 4), x, 3.0) == {"proved"}


def expected_windows(x: np.ndarray[Any, Any], n: int) -> np.ndarray[Any, Any]:
    tiles = x.reshape(-1, 4)
    acc = np.zeros(4, np.float32)
    for i in range(min(len(tiles), n + 2)):
        acc = acc + tiles[i]
    for i in range(max(0, n - 3), len(tiles), 2):
        acc = acc * 2 + tiles[i]
    for i in reversed(range(1, min(len(tiles), n))):
        acc = acc * np.float32(0.5) + tiles[i]
    return acc


def test_tiles_of_a_window(part: Any, interpret: Interpret):
    x = np.arange(24, dtype=np.float32)
    y = np.zeros(40, np.float32)
    interpret(windows, part(y, 4), x, 3.0)
    np.testing.assert_array_equal(y.reshape(-1, 4), [expected_windows(x, n) for n in range(10)])


def test_loops_that_are_left(part: Any, interpret: Interpret):
    x = np.arange(24, dtype=np.float32)
    sums = np.cumsum(x.reshape(-1, 4), axis=0)
    for limit in (-1.0, 3.0, 20.0, 1e9):
        first = next((s for s in sums if s.max() > limit), None)
        y = np.zeros(8, np.float32)
        interpret(with_break, part(y, 4), x, limit)
        np.testing.assert_array_equal(y.reshape(2, 4), [sums[-1] if first is None else first] * 2)
        interpret(with_return, part(y, 4), x, limit)
        np.testing.assert_array_equal(y.reshape(2, 4), [sums[-1] if first is None else first * 2] * 2)


def test_the_kernel_returns_from_a_loop(part: Any, interpret: Interpret, lowered: Lowered):
    def kernel(y: Out["N"], x: Ref["M"], limit: f32):
        acc = fh.ones(y.tile, f32)
        for i in fh.tiles(x, axis=0, size=4):
            for k in range(2):
                t = x.load(i, 4)
                acc = acc + t + k
                if acc.max() > limit:
                    last = acc
                    y.store(last)
                    return
                if t.max() > 4 * limit:
                    y.store(t * k + i)
                    return
        y.store(-acc)

    def on_host(limit: float) -> np.ndarray[Any, Any]:
        acc = np.ones(4, np.float32)
        for i, tile in enumerate(x.reshape(-1, 4)):
            for k in range(2):
                acc = acc + tile + k
                if acc.max() > limit:
                    return acc
                if tile.max() > 4 * limit:
                    return tile * k + i
        return -acc

    x = np.arange(24, dtype=np.float32)
    verify(lowered(kernel, part(np.zeros(8, np.float32), 4), x, 1.0))
    for limit in (-5.0, 0.0, 5.0, 40.0, 1e9):
        y = np.ones(8, np.float32)
        interpret(kernel, part(y, 4), x, limit)
        np.testing.assert_array_equal(y.reshape(2, 4), [on_host(limit)] * 2)


def test_an_output_is_stored_on_every_way_out(part: Any, lowered: Lowered):
    def kernel(y: Out["N"], x: Ref["M"], limit: f32):
        for i in fh.tiles(x, axis=0, size=4):
            if x.load(i, 4).max() > limit:
                return
        y.store(0.0)

    module = lowered(kernel, part(np.zeros(8, np.float32), 4), np.zeros(8, np.float32), 1.0)
    with pytest.raises(fh.Rejected) as caught:
        verify(module)
    assert "O108" in caught.value.codes


def test_a_kernel_returns_under_a_condition_in_another(part: Any, interpret: Interpret, lowered: Lowered):
    def kernel(y: Out["N"], x: Ref["N"], a: i32, b: i32, EARLY: Const[bool]):
        t = x.load_like(y)
        if a > 0:
            t = t * 2
            if b > 0:
                t = t + 1
                if EARLY:
                    return
                y.store(t)
                return
            t = t * 3
        y.store(-t)

    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    verify(lowered(kernel, part(y, 4), x, 1, 1, False))
    with pytest.raises(fh.Rejected) as caught:
        verify(lowered(kernel, part(y, 4), x, 1, 1, True))
    assert "O108" in caught.value.codes
    for a, b, expected in ((0, 0, -x), (0, 1, -x), (1, 0, -6 * x), (1, 1, 2 * x + 1)):
        interpret(kernel, part(y, 4), x, a, b, False)
        np.testing.assert_array_equal(y, expected)


def test_loops_that_are_written_out_are_left_when_the_kernel_runs(part: Any, interpret: Interpret, lowered: Lowered):
    def kernel(y: Out["N"], x: Ref["M"], limit: f32):
        acc = fh.zeros(y.tile, f32)
        for k in (1, 2, 3):
            t = x.load(k - 1, 4) * k
            if t.max() > limit:
                if t.min() > limit:
                    y.store(t)
                    return
                break
            if t.min() < 3.0:
                continue
            acc = acc + t
        y.store(acc)

    def on_host(limit: float) -> np.ndarray[Any, Any]:
        acc = np.zeros(4, np.float32)
        for k in (1, 2, 3):
            t = x.reshape(-1, 4)[k - 1] * k
            if t.max() > limit:
                if t.min() > limit:
                    return t
                break
            if t.min() < 3.0:
                continue
            acc = acc + t
        return acc

    x = np.arange(12, dtype=np.float32)
    verify(lowered(kernel, part(np.zeros(8, np.float32), 4), x, 1.0))
    for limit in (-1.0, 2.0, 6.0, 13.0, 23.0, 40.0):
        y = np.ones(8, np.float32)
        interpret(kernel, part(y, 4), x, limit)
        np.testing.assert_array_equal(y.reshape(2, 4), [on_host(limit)] * 2)


def test_many_truths_are_carried_by_loops_that_are_left(part: Any, lowered: Lowered):
    """What nothing asks for any more keeps no paths apart, so that what `return` leaves behind is known."""

    def kernel(y: Out["N"], a: i32, b: i32):
        c = d = e = True
        for i in range(a):
            for j in range(b):
                if c:
                    d = i == j
                    if d and e:
                        y.store(1.0)
                        return
                elif d:
                    e = j > 3
                c = j == 2
                if e:
                    continue
                d = i == 3
            if d:
                e = b > 3
        y.store(2.0)

    verify(lowered(kernel, part(np.zeros(8, np.float32), 4), 3, 3))


def stored_in_a_loop(y: Out["N"], n: i32):
    for i in range(n):
        if i > 2:
            if n > 5:
                t = fh.zeros(y.tile, f32)
            y.store(t)  # pyright: ignore[reportPossiblyUnboundVariable] -- which is what is refused
            return
    y.store(0.0)


def stored_in_a_loop_that_is_written_out(y: Out["N"], n: i32):
    for i in (1, 2, 3):
        if i > n:
            for k in range(i):
                t = k
            y.store(t)  # pyright: ignore[reportPossiblyUnboundVariable] -- likewise
            return
    y.store(0.0)


def stored_under_a_condition(y: Out["N"], n: i32):
    if n > 0:
        if n > 2:
            if n > 5:
                t = 1.0
            y.store(t)  # pyright: ignore[reportPossiblyUnboundVariable] -- likewise
            return
        n = n + 1
    y.store(n)


def stored_by_a_helper(y: Out["N"], n: i32):
    def store() -> None:
        for i in range(n):
            if i == 2:
                for k in range(i):
                    t = k
                y.store(t)  # pyright: ignore[reportPossiblyUnboundVariable] -- likewise
                return
        y.store(0.0)

    store()


UNASSIGNED = (
    stored_in_a_loop,
    stored_in_a_loop_that_is_written_out,
    stored_under_a_condition,
    stored_by_a_helper,
)


@pytest.mark.parametrize("kernel", UNASSIGNED, ids=lambda f: f.__name__)
def test_what_is_stored_on_the_way_out_is_assigned(kernel: Callable[..., object], part: Any, lowered: Lowered):
    with pytest.raises(fh.Rejected) as caught:
        lowered(kernel, part(np.zeros(8, np.float32), 4), 3)
    assert caught.value.codes == ("O011",)


def test_what_had_two_types_before_a_loop_is_told_so_behind_it(part: Any, lowered: Lowered):
    def kernel(y: Out["N"], n: i32):
        if n > 3:
            t = fh.f32(0.5)
        else:
            t = n
        for i in range(n):
            t = i
        y.store(t)

    with pytest.raises(fh.Rejected, match="an f32 scalar if the condition holds, and an i32 scalar if not"):
        lowered(kernel, part(np.zeros(8, np.float32), 4), 3)


def test_a_way_out_that_is_never_taken_costs_nothing(part: Any, lowered: Lowered):
    def kernel(y: Out["N"], n: i32, EARLY: Const[bool] = False):
        def count() -> fh.Scalar:
            s = 0
            for i in range(n):
                if EARLY:
                    return -1  # pyright: ignore[reportReturnType] -- a number that becomes a scalar
                if EARLY and i > 3:
                    break
                s += i
            return s  # pyright: ignore[reportReturnType] -- likewise

        y.store(count())

    plain = lowered(kernel, part(np.zeros(4, np.int32), 4), 3, False)
    assert [type(op) for op in plain.walk() if isinstance(op, ForOp | LoopOp | IfOp)] == [ForOp]
    (loop,) = (op for op in plain.walk() if isinstance(op, ForOp))
    assert len(loop.results) == 1
    early = lowered(kernel, part(np.zeros(4, np.int32), 4), 3, True)
    assert any(isinstance(op, BreakOp) for op in early.walk())


def test_a_step_is_positive(part: Any, interpret: Interpret):
    def kernel(y: Out["N"], n: i32, step: i32):
        s = 0
        for i in range(0, n, step):
            s += i
        y.store(s)

    y = np.zeros(4, np.int32)
    interpret(kernel, part(y, 4), 10, 3)
    assert y.tolist() == [18] * 4
    for n, step, why in ((10, 0, "not positive"), (10, -1, "not positive"), (2**31 - 1, 5, "would wrap")):
        with pytest.raises(fh.Rejected, match=why):
            interpret(kernel, part(y, 4), n, step)


def test_variables_of_ours_are_not_proposed(part: Any, lowered: Lowered):
    def kernel(y: Out["N"], x: Ref["M"]):
        def first() -> fh.Tile:
            for i in fh.tiles(x, axis=0, size=4):
                if x.load(i, 4).max() > 3:
                    return x.load(i, 4)
            return resul  # pyright: ignore[reportUndefinedVariable, reportUnknownVariableType]

        y.store(first())

    with pytest.raises(fh.Rejected) as caught:
        lowered(kernel, part(np.zeros(4, np.float32), 4), np.zeros(8, np.float32))
    assert "`resul` is not defined" in str(caught.value)
    assert "$" not in str(caught.value)
