"""Control flow, assertions, assumptions, the grid, printing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Block

from freehold.dialects.cuda_tile.attrs import BoundedAttr, DivByAttr, SameElementsAttr
from freehold.dialects.cuda_tile.types import TileType
from freehold.dialects.location import span_of
from freehold.runtime.interpreter.access import element, flag, operand, text
from freehold.runtime.interpreter.compile import (
    BREAK,
    CONTINUE,
    RETURN,
    Frame,
    Step,
    copy,
    may_jump,
    reject,
    sequence,
    unary,
)
from freehold.runtime.interpreter.elements import Array, Tile, element_of, to_f64, unsigned
from freehold.runtime.interpreter.errors import AssertionFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import Operation

    from freehold.runtime.interpreter.compile import Compiler, Effect, Function, Pure
    from freehold.runtime.interpreter.machine import Machine


def _body(c: Compiler, block: Block, end: Callable[[], Step] | None) -> Step:
    """The steps of a block, whose last operation `end` replaces; None leaves it as it is.

    `end` is called when the others have been compiled: only then is it known where their results lie.
    """
    ops = list(block.ops)
    jumps = any(may_jump(op) for op in (ops if end is None else ops[:-1]))
    steps = [step for op in (ops if end is None else ops[:-1]) if (step := c.operation(op)) is not None]
    return sequence([*steps, end()] if end is not None else steps, jumps)


def _nothing(_: Frame) -> None:
    return None


def _branch(c: Compiler, block: Block, results: Sequence[int]) -> Step:
    last = block.last_op
    if last is not None and last.name == "cuda_tile.yield":
        return _body(c, block, lambda: copy(c.slots(last.operands), results) if results else _nothing)
    return _body(c, block, None)


def _if(op: Operation, c: Compiler) -> Step:
    condition = c.slot(op.operands[0])
    results = c.slots(op.results)
    then = _branch(c, op.regions[0].block, results)
    otherwise = _branch(c, op.regions[1].block, results) if op.regions[1].blocks else _nothing

    def choose(v: Frame) -> int | None:
        return then(v) if v[condition] else otherwise(v)

    return choose


def _enclosing(op: Operation) -> Operation:
    """The innermost loop around an operation."""
    parent = op.parent_op()
    while parent is not None and parent.name not in ("cuda_tile.for", "cuda_tile.loop"):
        parent = parent.parent_op()
    assert parent is not None
    return parent


def _carried(c: Compiler, loop: Operation) -> list[int]:
    """The slots of the values that a loop hands on."""
    arguments = loop.regions[0].block.args
    return c.slots(arguments[1:] if loop.name == "cuda_tile.for" else arguments)


def _loop_body(op: Operation, c: Compiler) -> Step:
    """The body of a loop. A `continue` at its end needs no jump."""
    block = op.regions[0].block
    last = block.last_op
    if last is None or last.name != "cuda_tile.continue":
        return c.counting(_body(c, block, None))
    carried = _carried(c, op)
    return c.counting(_body(c, block, lambda: copy(c.slots(last.operands), carried) if carried else _nothing))


def _for(op: Operation, c: Compiler) -> Step:
    lower, upper, step, *inits = c.slots(op.operands)
    carried = _carried(c, op)
    counter = c.slot(op.regions[0].block.args[0])
    # Results are read after the loop only, carried values inside it only: they are the same slots.
    for result, slot in zip(op.results, carried, strict=True):
        c.share(result, slot)
    dtype = element(op.operands[0]).dtype
    wide = unsigned(np.zeros((), dtype)).dtype if flag(op, "unsignedCmp") else dtype
    is_bool = dtype == np.bool_  # as a signed number, true is -1
    signed_bool = is_bool and not flag(op, "unsignedCmp")
    begin = copy(inits, carried) if carried else _nothing
    body = _loop_body(op, c)

    def read(value: Tile) -> int:
        return -int(value) if signed_bool else int(value.view(wide))

    def loop(v: Frame) -> int | None:
        first, end, by = read(v[lower]), read(v[upper]), read(v[step])
        if by <= 0:
            c.undefined(op, f"a step of {by}")
        begin(v)
        for number in range(first, end, by):
            v[counter] = wide.type(number).view(dtype)
            if body(v) == RETURN:
                return RETURN
        return None

    return loop


def _loop(op: Operation, c: Compiler) -> Step:
    carried = _carried(c, op)
    begin = copy(c.slots(op.operands), carried) if carried else _nothing
    c.slots(op.results)
    body = _loop_body(op, c)

    def loop(v: Frame) -> int | None:
        begin(v)
        while True:
            jump = body(v)
            if jump == BREAK:
                return None
            if jump == RETURN:
                return RETURN

    return loop


def _jump(copied: Step | None, jump: int) -> Step:
    return copied if copied is not None else lambda _: jump


def _continue(op: Operation, c: Compiler) -> Step:
    carried = _carried(c, _enclosing(op))
    return _jump(copy(c.slots(op.operands), carried, CONTINUE) if carried else None, CONTINUE)


def _break(op: Operation, c: Compiler) -> Step:
    results = c.slots(_enclosing(op).results)
    return _jump(copy(c.slots(op.operands), results, BREAK) if results else None, BREAK)


def _return(_op: Operation, _: Compiler) -> Step:
    return lambda _: RETURN


def _assert(op: Operation, c: Compiler) -> Step:
    condition = c.slot(op.operands[0])
    message = text(op, "message")

    def check(v: Frame) -> None:
        if not np.all(v[condition]):
            reject(AssertionFailed(span_of(op), message, v[0].label))

    return check


def _upto(count: int) -> Array:
    return np.arange(count, dtype=np.int64)


def holds(predicate: Any, value: Tile, bits: int, stride: int) -> bool:
    """Whether an assumption is true of a tile of integers or addresses."""
    numbers: Array = np.asarray(value).astype(np.int64)
    match predicate:
        case DivByAttr(divisor=divisor, every=IntAttr(data=every), along=IntAttr(data=along)) if every > 0:
            groups = np.moveaxis(numbers, along, -1)
            places = _upto(groups.shape[-1])
            heads = groups[..., places - places % every]
            return bool(np.all(heads % divisor.data == 0) and np.all(groups == heads + places % every * stride))
        case DivByAttr(divisor=divisor):
            return bool(np.all(numbers % divisor.data == 0))
        case SameElementsAttr(values=values):
            for axis, run in enumerate(v.data for v in values):
                if run > 1:
                    lines = np.moveaxis(numbers, axis, -1)
                    places = _upto(lines.shape[-1])
                    if not np.all(lines == lines[..., places - places % run]):
                        return False
            return True
        case BoundedAttr(lower=lower, upper=upper):
            if bits == 1:
                numbers = -numbers
            low = not isinstance(lower, IntAttr) or bool(np.all(numbers >= lower.data))
            return low and (not isinstance(upper, IntAttr) or bool(np.all(numbers <= upper.data)))
        case _:
            return True


def _assume(op: Operation, c: Compiler) -> Function:
    """The value itself. Checked mode holds the assumption to what it says, tensor views aside."""
    type_ = op.operands[0].type
    if not c.checked or not isinstance(type_, TileType):
        return unary(lambda a: a)
    predicate: Any = op.properties["predicate"]
    e = element(op.operands[0])
    pointee: Any = type_.element_type
    stride = element_of(pointee.pointee).memory_bytes if e.is_pointer else 1

    def assume(a: Tile) -> Tile:
        if not holds(predicate, a, e.bits, stride):
            c.undefined(op, f"`{predicate.name.removeprefix('cuda_tile.')}` is false of the value")
        return a

    return assume


def _grid_query(what: str) -> Effect:
    def make(op: Operation, c: Compiler) -> Step:
        x, y, z = c.slots(op.results)

        def query(v: Frame) -> None:
            v[x], v[y], v[z] = getattr(v[0], what)

        return query

    return make


_CONVERSION: Final = re.compile(r"%%|%([-+ #0]*)([0-9]*)(\.[0-9]*)?(?:hh|h|ll|l|L|q|j|z|t)?([a-zA-Z])")


def format_tile(tile: Array, flags: str, letter: str) -> str:
    """A tile as printf would show its elements, in brackets by dimension."""
    if tile.ndim:
        return "[" + ", ".join(format_tile(row, flags, letter) for row in tile) + "]"
    value: Any = tile.item()
    if letter in "diuxXoc":
        value = int(value)
        if letter in "uxXo" and value < 0:
            value += 1 << (8 * tile.dtype.itemsize)
        return f"%{flags}{'d' if letter in 'iu' else letter}" % value
    if letter in "fFeEgG":
        return f"%{flags}{letter}" % float(value)
    return str(value)


def _print(op: Operation, c: Compiler) -> Step:
    pattern = text(op, "str")
    arguments: Any = op
    values: list[Any] = list(arguments.args)
    slots, elements = c.slots(values), [element(v) for v in values]
    token, result = operand(op, "token"), c.slot(op.results[0])
    before = None if token is None else c.slot(token)

    def show(v: Frame) -> None:
        machine: Machine = v[0]
        shown = iter(
            (to_f64(v[s], e) if e.is_float else np.asarray(v[s])) for s, e in zip(slots, elements, strict=True)
        )

        def fill(match: re.Match[str]) -> str:
            if match.group() == "%%":
                return "%"
            flags, width, precision, letter = match.groups()
            return format_tile(next(shown), f"{flags}{width}{precision or ''}", letter)

        machine.write(_CONVERSION.sub(fill, pattern))
        v[result] = 0 if before is None else v[before]

    return show


PURE: Final[dict[str, Pure]] = {"cuda_tile.assume": _assume}
"""The definitions without effects, by name."""

EFFECTS: Final[dict[str, Effect]] = {
    "cuda_tile.if": _if,
    "cuda_tile.for": _for,
    "cuda_tile.loop": _loop,
    "cuda_tile.continue": _continue,
    "cuda_tile.break": _break,
    "cuda_tile.return": _return,
    "cuda_tile.assert": _assert,
    "cuda_tile.print_tko": _print,
    "cuda_tile.get_tile_block_id": _grid_query("block"),
    "cuda_tile.get_num_tile_blocks": _grid_query("grid"),
}
"""The definitions of what steers, asks or prints, by name."""
