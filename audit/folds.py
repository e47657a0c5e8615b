"""Reductions and scans of integers, for many tile blocks at once: sums of floats would depend on the order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
from xdsl.ir import Operation, SSAValue

from freehold.audit.lanes import ELEMENTWISE, Evaluator, Unknown, Value
from freehold.dialects.cuda_tile.ops.reduce import Aggregate, ReduceOp
from freehold.runtime.interpreter.access import element, integer
from freehold.runtime.interpreter.elements import Array

_Tiles = list[Array]


def followed(op: Aggregate) -> bool:
    """Whether a reduction or scan can be computed here: of integers, by operations on single elements."""
    block = op.regions[0].block
    inside = set(block.args)
    for each in block.ops:
        if each.name != "cuda_tile.yield" and each.name not in (*ELEMENTWISE, "cuda_tile.constant", "cuda_tile.select"):
            return False
        if any(operand not in inside for operand in each.operands):
            return False
        inside |= set(each.results)
    return not any(element(operand).is_float for operand in op.operands)


def folded(op: Aggregate, operands: Sequence[Value], evaluator: Evaluator) -> list[Value]:
    """The results of a reduction or scan."""
    unknown = next((v for v in operands if isinstance(v, Unknown)), None)
    if unknown is not None or not followed(op):
        return [unknown or Unknown(f"`{op.name.removeprefix('cuda_tile.')}` of this kind is not followed")] * len(
            op.results
        )
    tiles = [np.moveaxis(cast(Array, v), op.dimension + 1, -1) for v in operands]
    combine = _combiner(op, evaluator)
    if isinstance(op, ReduceOp):
        while (n := tiles[0].shape[-1]) > 1:
            tiles = combine([t[..., 0:n:2] for t in tiles], [t[..., 1:n:2] for t in tiles])
        return [t[..., 0] for t in tiles]
    backwards = bool(integer(op, "reverse"))
    tiles = [t[..., ::-1] if backwards else t for t in tiles]
    step = 1
    while step < (n := tiles[0].shape[-1]):
        joined = combine([t[..., : n - step] for t in tiles], [t[..., step:] for t in tiles])
        tiles = [np.concatenate((t[..., :step], j), -1) for t, j in zip(tiles, joined, strict=True)]
        step *= 2
    tiles = [t[..., ::-1] if backwards else t for t in tiles]
    return [np.moveaxis(t, -1, op.dimension + 1) for t in tiles]


def _combiner(op: Operation, evaluator: Evaluator) -> Callable[[_Tiles, _Tiles], _Tiles]:
    """The body, on tiles in place of its scalars."""
    block = op.regions[0].block

    def combine(left: _Tiles, right: _Tiles) -> _Tiles:
        values: dict[SSAValue, Value] = {}
        for number, (a, b) in enumerate(zip(left, right, strict=True)):
            values[block.args[2 * number]], values[block.args[2 * number + 1]] = a, b
        for each in block.ops:
            if each.name == "cuda_tile.yield":
                return [np.broadcast_to(cast(Array, values[v]), left[0].shape) for v in each.operands]
            found = evaluator.compute(each, [values[v] for v in each.operands], np.zeros(left[0].shape[0], np.bool_))
            assert isinstance(found, np.ndarray)
            values[each.results[0]] = found.reshape(()) if each.name == "cuda_tile.constant" else found
        raise AssertionError("a body ends in a yield")

    return combine
