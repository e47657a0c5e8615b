"""
Windows: parts of tensors that begin at a position, which is the same for all blocks.

A window is made in front of the points, so what its position is computed from is moved there; that it can be is what
makes it the same for all. A partition that the launch gives for a tensor is one of its window, where it has one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from freehold.dialects.ownership import (
    BorrowOp,
    CheckOp,
    DimOp,
    GroupTilesOp,
    PartitionOp,
    PartitionType,
    RefType,
    TensorType,
    TilesOp,
    WindowOp,
    tensor_type,
    window_type,
)
from freehold.frontend import errors
from freehold.frontend.arguments import Arguments, axis_of
from freehold.frontend.context import Context
from freehold.frontend.domains import offsets_of
from freehold.frontend.memory import borrow, coordinates
from freehold.frontend.requirements import launch_term
from freehold.frontend.typed import Block, Do, Typed, Var, hint, is_free
from freehold.frontend.values import POISON, TensorValue, TupleValue, Value


def window(c: Context, a: Arguments) -> Value:
    """`x.window(axis, start, length)`: a tensor of its own."""
    target, node = cast(TensorValue, a["self"]), a.node
    axis = axis_of(c, a["axis"], a.place("axis"), target.spec.rank, f"tensor `{target.name}`")
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
    before = len(c.block.body)
    start = coordinates(c, TupleValue((a["start"],)), a.place("start"), target, "elements", axes=1)
    checks = [do for do in c.block.body[before:] if do.make is CheckOp]
    instead = f"a window is the same for all blocks: read a block's own by `{target.name}.load_from(start, shape)`"
    length = launch_term(c, a, "length", instead if target.parameter.mode == "ref" else None)
    if start is None or length is None or not _in_front(c, start[0].var, checks, a):
        return POISON
    if length.is_const and length.value < 1:
        error = errors.WrongValue(
            c.span(a.place("length")),
            what=f"the number {length.value}",
            role="the length of a window",
            why="a tensor has elements along each axis",
        )
        return c.error(error)
    type_ = window_type(tensor_type(target.argument), axis, str(length))
    with c.into(c.body):
        made = c.handle(type_, WindowOp, target.argument, *start, axis, str(length))
        hint(made, target.name)
    return _as_tensor(c, target, made, type_)


def _used(target: TensorValue) -> bool:
    """Whether regions have been taken of what a launch partitions."""
    domain, own = target.domain, target.region
    taken = [] if domain is None else domain.regions(target)
    return domain is not None and any(own is None or do is not own.var.maker or domain.is_used(own) for do in taken)


def _in_front(c: Context, start: Var, checks: list[Do], a: Arguments) -> bool:
    """
    Moves what a position is computed from, and the checks that it fits 32 bits, in front of the points; false after
    reporting what differs among them.

    The checks come with it since they name the number that was given: a window looks at its lower 32 bits alone.
    """
    inside = set(checks)
    todo = [start, *(operand for do in checks for operand in do.operands)]
    while todo:
        maker = todo.pop().maker
        if isinstance(maker, Block):
            if maker is c.body:
                continue
            return _differs(c, a)
        if maker.block is c.body or maker in inside:
            continue
        if any(maker.blocks) or not (is_free(maker) or maker.make is BorrowOp):
            return _differs(c, a)
        inside.add(maker)
        todo += maker.operands
    blocks = {do.block for do in inside}
    for do in [do for block in blocks if block is not None for do in block.body if do in inside]:
        do.drop()
        c.body.add(do)
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


def _as_tensor(c: Context, target: TensorValue, made: Typed, type_: TensorType) -> TensorValue:
    """The window as the kernel sees it: borrowed or partitioned as its tensor was."""
    dims = tuple(d.data for d in type_.dims.data)
    spec = replace(target.spec, align=type_.layout.align.data)
    window = TensorValue(replace(target.parameter, dims=dims), spec, made, made, domain=target.domain)
    kind, offsets = target.handle.type, offsets_of(target.handle)
    if target.spent is not None:
        kind, offsets = target.spent
    if isinstance(kind, RefType):
        with c.into(c.body):
            window.handle = borrow(c, made)
        if target.domain is not None:
            target.domain.take(target, window)
        return window
    assert isinstance(kind, PartitionType)
    part = PartitionType.of(kind.access.data, kind.tile_shape, type_, kind.steps, kind.groups_axis)
    with c.into(c.body):
        window.handle = c.handle(part, PartitionOp, made, part, offsets)
    assert target.domain is not None
    target.domain.take(target, window)
    if target.spent is None:
        _spend(c, target, window, kind, offsets)
    return window


def _spend(c: Context, target: TensorValue, window: TensorValue, kind: PartitionType, offsets: Typed | None) -> None:
    """The tensor is no longer partitioned: its window is. Of the tensor there are its extents, and other windows."""
    assert target.domain is not None
    old = target.handle
    users = [do for block in (c.body, target.domain.block) for do in block.walk() if old in do.operands]
    for do in users:
        if do.make is GroupTilesOp or do in target.domain.counts:
            do.replace(old, window.handle)
        elif do.make in (DimOp, TilesOp):
            do.replace(old, target.argument)
    target.handle, target.spent = target.argument, (kind, offsets)
    target.region = target.position = None
    if not any(old in do.operands for do in users) and isinstance(old.maker, Do) and old.maker.make is PartitionOp:
        old.maker.drop()
