"""Reductions and scans with any combiner.

The combiner's body is compiled once and run on whole slices in place of the scalars of its text: its operations work
element by element, so what holds for one pair of elements holds for all of them. A reduction joins neighbours until
one slice is left, a scan doubles its reach; both apply the combiner about log2(n) times, and neither swaps operands. A
body that holds something else than element-wise operations runs on one pair at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from freehold.runtime.interpreter import conversions, floats, integers
from freehold.runtime.interpreter.access import dims, element, integer
from freehold.runtime.interpreter.compile import Frame, sequence
from freehold.runtime.interpreter.elements import Array

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from freehold.runtime.interpreter.compile import Compiler, Effect, Step

ELEMENTWISE: Final = frozenset(
    {*integers.PURE, *floats.PURE, *conversions.PURE, "cuda_tile.constant", "cuda_tile.select", "cuda_tile.yield"}
    - {"cuda_tile.pack", "cuda_tile.unpack"}
)
"""Operations that treat a tile as its elements."""

Combiner = Callable[[Frame, Sequence[Array], Sequence[Array]], list[Array]]
_FAST: Final[dict[str, np.ufunc]] = {"cuda_tile.addf": np.add, "cuda_tile.addi": np.add, "cuda_tile.muli": np.multiply}


def _combiner(op: Operation, c: Compiler) -> Combiner:
    block = op.regions[0].block
    ops = list(block.ops)
    last = ops[-1]
    steps = [step for each in ops[:-1] if (step := c.operation(each)) is not None]
    body = sequence(steps, jumps=False)
    arguments, results = c.slots(block.args), c.slots(last.operands)
    dtypes = [element(value).dtype for value in op.operands]

    def whole(v: Frame, left: Sequence[Array], right: Sequence[Array]) -> list[Array]:
        for n, (a, b) in enumerate(zip(left, right, strict=True)):
            v[arguments[2 * n]], v[arguments[2 * n + 1]] = a, b
        body(v)
        shape = left[0].shape
        return [np.broadcast_to(v[slot], shape) for slot in results]

    def one_by_one(v: Frame, left: Sequence[Array], right: Sequence[Array]) -> list[Array]:
        shape = left[0].shape
        out = [np.empty(shape, dtype) for dtype in dtypes]
        for index in np.ndindex(shape):
            for n, (a, b) in enumerate(zip(left, right, strict=True)):
                v[arguments[2 * n]], v[arguments[2 * n + 1]] = a[index], b[index]
            body(v)
            for target, slot in zip(out, results, strict=True):
                target[index] = v[slot]
        return out

    return whole if all(each.name in ELEMENTWISE for each in ops) else one_by_one


def _single(op: Operation) -> np.ufunc | None:
    """The ufunc of a body that is one plain operation on its two arguments, where NumPy's own reduction is as good."""
    ops = list(op.regions[0].block.ops)
    if (
        len(ops) != 2
        or len(op.operands) != 1
        or element(op.operands[0]).name not in ("f32", "f64", "i8", "i16", "i32", "i64")
    ):
        return None
    first, last = ops
    mode: Any = first.properties.get("rounding_mode")
    plain = (
        set(first.operands) == set(op.regions[0].block.args)
        and list(last.operands) == list(first.results)
        and "flush_to_zero" not in first.properties
        and (mode is None or mode.data.value == "nearest_even")
    )
    return _FAST.get(first.name) if plain else None


def _reduce(op: Operation, c: Compiler) -> Step:
    axis = integer(op, "dim")
    count = dims(op.operands[0])[axis]
    sources, targets = c.slots(op.operands), c.slots(op.results)
    ufunc = _single(op)
    if ufunc is not None and not (c.checked and "overflow" in next(iter(op.regions[0].block.ops)).properties):
        (source,), (target,) = sources, targets
        dtype = element(op.operands[0]).dtype

        def fast(v: Frame) -> None:
            v[target] = ufunc.reduce(v[source], axis=axis, dtype=dtype)

        return fast
    combine = _combiner(op, c)

    def halve(v: Frame) -> None:
        tiles = [np.moveaxis(v[source], axis, 0) for source in sources]
        size = count
        while size > 1:
            size //= 2
            tiles = combine(v, [t[0::2] for t in tiles], [t[1::2] for t in tiles])
        for target, tile in zip(targets, tiles, strict=True):
            v[target] = tile[0]

    return halve


def _scan(op: Operation, c: Compiler) -> Step:
    axis = integer(op, "dim")
    count = dims(op.operands[0])[axis]
    reverse = bool(integer(op, "reverse"))
    sources, targets = c.slots(op.operands), c.slots(op.results)
    combine = _combiner(op, c)

    def double(v: Frame) -> None:
        tiles = [np.moveaxis(v[source], axis, 0) for source in sources]
        if reverse:
            tiles = [t[::-1] for t in tiles]
        reach = 1
        while reach < count:
            joined = combine(v, [t[:-reach] for t in tiles], [t[reach:] for t in tiles])
            tiles = [np.concatenate((t[:reach], j)) for t, j in zip(tiles, joined, strict=True)]
            reach *= 2
        for target, tile in zip(targets, tiles, strict=True):
            v[target] = np.moveaxis(tile[::-1] if reverse else tile, 0, axis)

    return double


EFFECTS: Final[dict[str, Effect]] = {"cuda_tile.reduce": _reduce, "cuda_tile.scan": _scan}
"""The definitions, by name."""
