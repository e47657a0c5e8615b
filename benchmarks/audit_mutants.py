"""Mutants of other people's kernels: what the audit calls safe of them is run on the interpreter, watched for races.

A mutant has one change: an access loses its token, an index is shifted or is another value of its kind, a mask is taken
away or is true everywhere, or the launch has another grid. `benchmarks.audit_peers` makes them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from freehold.audit.facts import Launch
from freehold.audit.whose import ACCESSES
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp
from freehold.dialects.cuda_tile.types import TOKEN, TileType
from freehold.support.diagnostic import Rejected
from freehold.tools.tile_opt import verify

_SHIFTS: Final = (1, -1, 2)


def mutants(entry: EntryOp, launch: Launch, rng: random.Random) -> Iterator[tuple[str, Launch]]:
    """Changes the entry in its place, one change after another, each undone before the next one is made.

    The kinds of changes take turns, so that a few are of every kind."""
    accesses = [op for op in entry.walk() if op.name in ACCESSES]
    rng.shuffle(accesses)
    grids = _grids(launch.grid)
    for op in accesses:
        for kind, change in (("token", _token), ("index", _index), ("mask", _mask)):
            undo = change(op, rng)
            if undo is not None:
                yield kind, launch
                undo()
        if grid := next(grids, None):
            yield "grid", replace(launch, grid=grid)


def _grids(grid: tuple[int, int, int]) -> Iterator[tuple[int, int, int]]:
    x, y, z = grid
    yield x + 1, y, z
    yield x, y + 1, z
    if x > 1:
        yield x - 1, y, z


_Undo = Callable[[], None]


def _token(op: Operation, rng: random.Random) -> _Undo | None:
    """Its token is that of the kernel's beginning, or of another access."""
    token: SSAValue | None = getattr(op, "token", None)
    if token is None:
        return None
    block = op.parent_block()
    assert block is not None
    others = [r for other in block.ops for r in other.results if r.type == TOKEN and other.is_before_in_block(op)]
    others = [other for other in others if other is not token]
    return _replaced(op, token, rng.choice(others)) if others else None


def _index(op: Operation, rng: random.Random) -> _Undo | None:
    """An index of a tile, or all offsets of pointers, are a few more or less."""
    fields: Any = op
    if hasattr(fields, "view"):
        choices: list[SSAValue] = [v for v in fields.index if isinstance(v.type, TileType)]
    else:
        pointer = next(getattr(fields, n) for n in ("source", "destination", "pointers") if hasattr(fields, n))
        owner = pointer.owner
        choices = [owner.operands[1]] if isinstance(owner, Operation) and owner.name == "cuda_tile.offset" else []
        op = owner if choices else op
    if not choices:
        return None
    value = rng.choice(choices)
    assert isinstance(value.type, TileType)
    if not isinstance(value.type.element_type, IntegerType):
        return None
    step = ConstantOp.build(
        result_types=[value.type], properties={"value": DenseElementsAttr.splat(value.type, rng.choice(_SHIFTS))}
    )
    moved = AddIOp.build(operands=[value, step.result], result_types=[value.type], properties=_plain(op))
    block = op.parent_block()
    assert block is not None
    block.insert_ops_before([step, moved], op)
    undo = _replaced(op, value, moved.results[0])

    def back() -> None:
        undo()
        moved.detach()
        moved.erase()
        step.detach()
        step.erase()

    return back


def _plain(op: Operation) -> dict[str, Any]:
    """The properties of an addition that may wrap, as another one in the module has them."""
    root = op
    while (parent := root.parent_op()) is not None:
        root = parent
    found = next((o for o in root.walk() if isinstance(o, AddIOp)), None)
    return {k: v for k, v in found.properties.items() if k != "overflow"} if found is not None else {}


def _mask(op: Operation, rng: random.Random) -> _Undo | None:
    """It has another mask of its shape, or one that is true everywhere."""
    del rng
    mask: SSAValue | None = getattr(op, "mask", None)
    if mask is None or not isinstance(mask.type, TileType):
        return None
    every = ConstantOp.build(result_types=[mask.type], properties={"value": DenseElementsAttr.splat(mask.type, -1)})
    block = op.parent_block()
    assert block is not None
    block.insert_op_before(every, op)
    undo = _replaced(op, mask, every.result)

    def back() -> None:
        undo()
        every.detach()
        every.erase()

    return back


def _replaced(op: Operation, old: SSAValue, new: SSAValue) -> _Undo:
    places = [n for n, operand in enumerate(op.operands) if operand is old]
    for n in places:
        op.operands[n] = new

    def back() -> None:
        for n in places:
            op.operands[n] = old

    return back


def valid(module: ModuleOp) -> bool:
    """Whether a mutant is a module at all."""
    try:
        verify(module)
    except (Rejected, VerifyException):
        return False
    return True
