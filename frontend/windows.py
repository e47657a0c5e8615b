"""
Windows: parts of tensors that begin at a position, which is the same for all blocks.

A window is made in front of the points, so what its position is computed from is moved there; that it can be is what
makes it the same for all. A partition that the launch gives for a tensor is one of its window, where it has one.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Final

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from freehold.dialects.ownership import (
    BorrowOp,
    DimOp,
    GroupTilesOp,
    PartitionOp,
    PartitionType,
    RefType,
    RegionOp,
    TensorType,
    TilesOp,
    WindowOp,
)
from freehold.frontend import errors
from freehold.frontend.arguments import Arguments, Signature, bind
from freehold.frontend.context import Context
from freehold.frontend.expressions import not_constant
from freehold.frontend.memory import coordinates
from freehold.frontend.requirements import launch_term
from freehold.frontend.values import (
    POISON,
    MethodValue,
    Static,
    TensorValue,
    TupleValue,
    Value,
)

WINDOW: Final = Signature("window", ("axis", "start", "length"), (), ())


def method(c: Context, called: MethodValue, node: ast.Call) -> Value:
    """`x.window(axis, start, length)`: a tensor of its own."""
    target = called.receiver
    assert isinstance(target, TensorValue)
    a = bind(c, node, WINDOW, f"{target.name}.")
    if a is None or a.poisoned:
        return POISON
    axis = _axis(c, target, a)
    if axis is None:
        return POISON
    if c.block is not c.top:
        error = errors.ControlFlow(
            c.span(node),
            what="a window",
            where="in a branch or a loop",
            why="it is the same for all blocks, whatever each of them does",
        )
        return c.error(error.add(error.Instead("make it at the beginning of the kernel")))
    if _used(target):
        error = errors.ControlFlow(
            c.span(node),
            what=f"a window of `{target.name}`",
            where="behind an access to its regions",
            why="the partition that the launch gives is one of the window",
        )
        return c.error(error.add(error.Instead("make it at the beginning of the kernel")))
    start = coordinates(c, TupleValue((a["start"],)), a.place("start"), target, "elements", axes=1)
    length = launch_term(c, a["length"], a.place("length"))
    if start is None or length is None or not _in_front(c, start[0], a):
        return POISON
    made = WindowOp(target.argument, start[0], axis, str(length))
    made.location = c.location()
    c.body.add_op(made)
    made.result.name_hint = target.name
    return _as_tensor(c, target, made)


def _used(target: TensorValue) -> bool:
    """Whether regions have been taken of what a launch partitions."""
    own = None if target.region is None else target.region.ssa
    taken = [use.operation.results[0] for use in target.handle.uses if isinstance(use.operation, RegionOp)]
    return any(region is not own or any(region.uses) for region in taken)


def _axis(c: Context, target: TensorValue, a: Arguments) -> int | None:
    value = a["axis"]
    if not isinstance(value, Static) or not isinstance(value.value, int) or isinstance(value.value, bool):
        not_constant(c, a.place("axis"), value, "the axis of a window")
        return None
    rank = target.spec.rank
    if not -rank <= value.value < rank:
        place = a.place("axis")
        error = errors.WrongValue(
            c.span(place), what=f"axis {value.value}", role=f"one of `{target.name}`", why=f"it has {rank}"
        )
        c.error(error.add(error.Instead(f"name an axis from 0 to {rank - 1}")))
        return None
    return value.value % rank


def _in_front(c: Context, start: SSAValue, a: Arguments) -> bool:
    """Moves what a position is computed from in front of the points; false after reporting what differs among them."""
    inside: set[Operation] = set()
    todo = [start]
    while todo:
        owner = todo.pop().owner
        if isinstance(owner, Block):
            if owner is c.body:
                continue
            return _differs(c, a)
        if owner.parent is c.body or owner in inside:
            continue
        if owner.regions or not (is_side_effect_free(owner) or isinstance(owner, BorrowOp)):
            return _differs(c, a)
        inside.add(owner)
        todo += owner.operands
    blocks = {op.parent for op in inside}
    for op in [op for block in blocks if block is not None for op in block.ops if op in inside]:
        op.detach()
        c.body.add_op(op)
    return True


def _differs(c: Context, a: Arguments) -> bool:
    place = a.place("start")
    error = errors.WrongValue(
        c.span(place),
        what=f"`{c.text(place)}`, which may differ from block to block,",
        role="where a window begins",
        why="regions of two blocks are apart because a window begins at one place for all",
    )
    text = "compute it from scalar arguments and what is loaded at a fixed place: `position.load(0, ())`"
    c.error(error.add(error.Instead(text)))
    return False


def _as_tensor(c: Context, target: TensorValue, made: WindowOp) -> TensorValue:
    """The window as the kernel sees it: borrowed or partitioned as its tensor was."""
    type_ = made.result.type
    assert isinstance(type_, TensorType)
    dims = tuple(d.data for d in type_.dims.data)
    spec = replace(target.spec, align=type_.layout.align.data)
    window = TensorValue(replace(target.parameter, dims=dims), spec, made.result, made.result, domain=target.domain)
    kind, owner = target.handle.type, target.handle.owner
    offsets = owner.offsets if isinstance(owner, PartitionOp) else None
    if target.spent is not None:
        kind, offsets = target.spent
    if isinstance(kind, RefType):
        borrow = BorrowOp(made.result)  # pyright: ignore[reportArgumentType] -- its type is a tensor's
        _behind(c, borrow, made)
        window.handle = borrow.result
        if target.domain is not None:
            target.domain.take(target, window)
        return window
    assert isinstance(kind, PartitionType)
    partition = PartitionOp(
        made.result,
        PartitionType.of(kind.access.data, kind.tile_shape, type_, kind.steps, kind.groups_axis),
        offsets,
    )
    _behind(c, partition, made)
    window.handle = partition.result
    assert target.domain is not None
    target.domain.take(target, window)
    if target.spent is None:
        _spend(target, window, kind, offsets)
    return window


def _behind(c: Context, op: Operation, made: WindowOp) -> None:
    """Writes what becomes of a window."""
    op.location = made.location
    c.body.add_op(op)


def _spend(target: TensorValue, window: TensorValue, kind: PartitionType, offsets: SSAValue | None) -> None:
    """The tensor is no longer partitioned: its window is. Of the tensor there are its extents, and other windows."""
    assert target.domain is not None
    old = target.handle
    for use in list(old.uses):
        op = use.operation
        if isinstance(op, GroupTilesOp) or (isinstance(op, TilesOp) and op in target.domain.counts):
            op.operands[use.index] = window.handle
        elif isinstance(op, DimOp | TilesOp):
            op.operands[use.index] = target.argument
    target.handle, target.spent = target.argument, (kind, offsets)
    target.region = target.position = None
    if not any(old.uses) and isinstance(old.owner, PartitionOp):
        old.owner.detach()
        old.owner.erase()
