"""What counted loops run over: ranges and tiles, upwards and downwards, as a counter and what it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from freehold.dialects.cuda_tile.attrs import SIGNED
from freehold.dialects.cuda_tile.ops.arith_int import MaxIOp, MinIOp
from freehold.dialects.ownership import TilesOp
from freehold.frontend import errors
from freehold.frontend.arithmetic import arithmetic, comparison, convert
from freehold.frontend.checks import check
from freehold.frontend.context import Context
from freehold.frontend.syntax import core
from freehold.frontend.types import promote
from freehold.frontend.values import (
    INDEX_DTYPE,
    Number,
    RangeValue,
    Static,
    TilesValue,
    TileValue,
    Value,
    describe,
    is_poison,
)
from freehold.support import dtypes
from freehold.support.dtypes import DType


@dataclass(frozen=True, slots=True)
class Count:
    """A counter from `start` by `step`, which is positive, up to `stop`."""

    start: TileValue
    stop: TileValue
    step: TileValue
    down: bool = False
    """Whether it stands for numbers that fall: `i` for `-1 - i`, which never wraps."""
    backwards: bool = False
    """Whether it stands for its own values in the opposite order."""
    begins_at_zero: bool = False
    steps_by_one: bool = True

    def index(self, c: Context, counter: TileValue) -> TileValue:
        """What the counter stands for in a turn; written in the loop's body, where its bounds hold."""
        if self.backwards:
            counter = self._mirrored(c, counter)
        return _below_zero(c, counter) if self.down else counter

    def _mirrored(self, c: Context, counter: TileValue) -> TileValue:
        """The last value, less what the counter is beyond the first."""
        last = arithmetic(c, "-", self.stop, c.constant(1, counter.dtype))
        if not self.steps_by_one:
            # How far the last value is beyond the first may need all bits: it is divided without a sign.
            unsigned = dtypes.u64 if counter.dtype is dtypes.i64 else dtypes.u32
            far = arithmetic(c, "-", last, self.start)
            dividend, divisor = (
                (far, self.step)
                if self.begins_at_zero
                else (
                    convert(c, far, unsigned),
                    convert(c, self.step, unsigned),
                )
            )
            turns = arithmetic(c, "//", dividend, divisor)
            last = arithmetic(c, "+", self.start, arithmetic(c, "*", convert(c, turns, counter.dtype), self.step))
        left = arithmetic(c, "-", last, counter)
        return left if self.begins_at_zero else arithmetic(c, "+", left, self.start)


def _below_zero(c: Context, value: TileValue) -> TileValue:
    return arithmetic(c, "-", c.constant(-1, value.dtype), value)


def of(c: Context, node: core.For, over: RangeValue | TilesValue) -> Count | None:
    """The counter of what a `for` runs over; None after reporting why there is none."""
    return _of_range(c, node, over) if isinstance(over, RangeValue) else _of_tiles(c, node, over)


def _of_range(c: Context, node: core.For, over: RangeValue) -> Count | None:
    parts = (over.start, over.stop, over.step)
    if is_poison(*parts):
        return None
    if isinstance(over.step, Static) and over.step.value == 0:
        error = errors.NotIterable(c.span(node.iter), what="a range with step 0")
        c.error(error.add(error.Instead("count by 1: `range(start, stop)`")))
        return None
    if (known := over.known) is not None:
        over = RangeValue(Static(known.start), Static(known.stop), Static(known.step))
    dtype = _dtype(c, node, parts)
    if dtype is None:
        return None
    down = isinstance(over.step, Static) and cast(int, over.step.value) < 0
    start, stop = (_bound(c, v, dtype, down) for v in (over.start, over.stop))
    step, stop = _step(c, over.step, stop)
    zero = isinstance(over.start, Static) and over.start.value == -down
    one = isinstance(over.step, Static) and over.step.value in (1, -1)
    return Count(start, stop, step, down, over.backwards, zero, one)


def _bound(c: Context, value: Value, dtype: DType, down: bool) -> TileValue:
    if isinstance(value, Static):
        number = cast(int, value.value)
        return c.constant(-1 - number if down else number, dtype)
    tile = convert(c, cast(TileValue, value), dtype)
    return _below_zero(c, tile) if down else tile


def _dtype(c: Context, node: core.For, parts: tuple[Value, ...]) -> DType | None:
    """The dtype in which a range is counted."""
    dtype: DType = INDEX_DTYPE
    for part in parts:
        if isinstance(part, TileValue):
            if part.shape or part.dtype.kind != "int" or not part.dtype.signed:
                error = errors.NotIterable(c.span(node.iter), what=f"a range to {describe(part)}")
                signed = "i64" if part.dtype.kind == "int" and part.dtype.bits == 64 else "i32"
                only = node.iter.args[0] if isinstance(node.iter, core.Call) and len(node.iter.args) == 1 else None
                if part.shape:
                    error.add(error.Instead("reduce the tile to a scalar: `t.max()`"))
                elif only is None:
                    error.add(error.Instead(f"convert it: `.astype(fh.{signed})`"))
                else:
                    error.add(error.Instead(f"convert it: `{c.primary(only)}.astype(fh.{signed})`", at=c.span(only)))
                c.error(error)
                return None
            dtype = promote(dtype, part.dtype)
    return dtype


def _step(c: Context, step: Value, stop: TileValue) -> tuple[TileValue, TileValue]:
    """
    The step, which is positive, and an end that the counter passes without wrapping.

    A step that is known when the kernel runs is checked there: a count that would not end is stopped.
    """
    dtype = stop.dtype
    if isinstance(step, Static):
        return c.constant(abs(cast(Number, step.value)), dtype), stop
    given = convert(c, cast(TileValue, step), dtype)
    one = c.constant(1, dtype)
    positive = _larger(c, given, one)
    greatest = c.constant(dtypes.bounds(dtype)[1], dtype)
    most = arithmetic(c, "-", greatest, arithmetic(c, "-", positive, one))
    shown = {"step": given, "stop": stop}
    check(c, comparison(c, ">=", given, one), "the step of a range is not positive", shown)
    check(c, comparison(c, "<=", stop, most), "a range ends where its counter would wrap", shown)
    return positive, _smaller(c, stop, most)


def _of_tiles(c: Context, node: core.For, over: TilesValue) -> Count | None:
    parts = (over.start, over.stop, over.step)
    dtype = None if is_poison(*parts) else _dtype(c, node, parts)
    if dtype is None:
        return None
    stop = convert(c, c.tile(INDEX_DTYPE, (), TilesOp, over.tensor.handle, over.axis, over.size), dtype)
    if isinstance(over.stop, TileValue) or over.stop.value is not None:
        stop = _smaller(c, stop, _bound(c, over.stop, dtype, False))
    start = _bound(c, over.start, dtype, False)
    if isinstance(over.start, TileValue):
        start = _larger(c, start, c.constant(0, dtype))
    step, stop = _step(c, over.step, stop)
    zero = isinstance(over.start, Static) and over.start.value == 0
    one = isinstance(over.step, Static) and over.step.value == 1
    return Count(start, stop, step, False, over.backwards, zero, one)


def _larger(c: Context, a: TileValue, b: TileValue) -> TileValue:
    return c.tile(a.dtype, (), MaxIOp, a, b, SIGNED)


def _smaller(c: Context, a: TileValue, b: TileValue) -> TileValue:
    return c.tile(a.dtype, (), MinIOp, a, b, SIGNED)
