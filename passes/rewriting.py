"""How passes walk and change IR: one walk, a table from operation class to handler, and locations that are kept.

xDSL's pattern walker tries every pattern on every operation and starts over after a change, and what it inserts has no
location. Here a handler is found by class, each operation is met once, and whatever a handler inserts takes over the
location of the operation it stands for, so that errors and debug information still name the user's line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.dialects.builtin import UNKNOWN_LOC
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator, NoMemoryEffect, Pure, SymbolOpInterface

from freehold.dialects.classes import (
    append,
    blocks_in,
    build,
    detach,
    erase,
    insert_after,
    insert_before,
    nth,
    operands_of,
    ops_of,
    region_of,
    replace_uses,
    set_hint,
    type_of,
)
from freehold.dialects.classes import of_kind as of_kind
from freehold.dialects.classes import walk as walk
from freehold.dialects.cuda_tile.folding import literal
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, LoopOp, ways_out

if TYPE_CHECKING:
    from xdsl.dialects.builtin import LocationAttr

OpT = TypeVar("OpT", bound=Operation)

Handler = Callable[[Any, "Inserter"], bool]
"""Takes an operation and an inserter that stands before it; says whether the operation is to be erased."""


class Effect(Enum):
    """What a class of operations does besides making its results."""

    PURE = 0
    """Nothing, ever: it may be merged, removed, and done where it was not."""
    FREE = 1
    """Nothing where it stands: it may be merged and removed, but not done where it was not (a division)."""
    KEPT = 2
    """It ends a block or defines a symbol: it is never touched."""
    UNKNOWN = 3
    """It depends: on what is inside, or on the operation."""


@cache
def effect(kind: type[Operation]) -> Effect:
    """The effect of a class of operations. Asked once a class, as traits are slow to search."""
    if kind.has_trait(IsTerminator) or kind.has_trait(SymbolOpInterface):
        return Effect.KEPT
    if kind.has_trait(Pure):
        return Effect.PURE
    return Effect.FREE if kind.has_trait(NoMemoryEffect) else Effect.UNKNOWN


def copy(op: OpT, values: dict[SSAValue, SSAValue]) -> OpT:
    """
    A copy of `op` and of everything inside it, `values` taking what is defined to its copy.

    What is used stands before its use in the text, and blocks have no successors: xDSL's own clone is for anything, and
    takes twice as long. Raises `KeyError` for a use of what is not in `values`.
    """
    made = type(op).__new__(type(op))
    build(made, [*map(values.__getitem__, operands_of(op))], [*map(type_of, op.results)], op.properties.copy())
    if op.attributes:
        made.attributes = op.attributes.copy()
    made.location = op.location
    old: Any
    new: Any
    for old, new in zip(op.results, made.results, strict=True):
        values[old] = new
        new._name = old._name  # which is known to be one
    for region in op.regions:
        made.add_region(_copy_of_region(region, values))
    return made


def _copy_of_region(region: Region, values: dict[SSAValue, SSAValue]) -> Region:
    first = region.first_block
    if first is not None and first is region.last_block:
        return region_of(_copy_of_block(first, values))
    return Region([_copy_of_block(block, values) for block in region.blocks])


def _copy_of_block(block: Block, values: dict[SSAValue, SSAValue]) -> Block:
    made = Block(arg_types=map(type_of, block.args))
    old: Any
    new: Any
    for old, new in zip(block.args, made.args, strict=True):
        values[old] = new
        new._name = old._name
        new.location = old.location
    append(made, [copy(op, values) for op in ops_of(block)])
    return made


class Inserter:
    """Inserts operations before `anchor`, with `location` unless they have one of their own."""

    __slots__ = ("anchor", "block", "location")

    def __init__(self, anchor: Operation, location: LocationAttr | None = None):
        assert anchor.parent is not None
        self.anchor = anchor
        self.block = anchor.parent
        self.location: LocationAttr = anchor.location if location is None else location

    def insert(self, op: OpT) -> OpT:
        """Inserts `op`, and returns it."""
        if op.location is UNKNOWN_LOC:
            op.location = self.location
        insert_before(op, self.anchor)
        return op

    def value(self, op: Operation, name: str | None = None) -> SSAValue:
        """Inserts an operation with a first result, and returns that, called `name` in text."""
        result = nth(self.insert(op).results, 0)
        if name is not None:
            set_hint(result, name)
        return result


class Dispatcher:
    """Calls the handler of each operation's class, outside in and in program order.

    What a handler inserts before its operation is not visited; what it moves to directly behind it is. Operations are
    erased in the end, last one first, so that an operation may be erased before its users have been met.
    """

    def __init__(self, handlers: Mapping[type[Operation], Handler]):
        self.handlers = handlers
        self._doomed: list[Operation] = []

    def run(self, block: Block) -> None:
        """Visits everything in `block`, then erases what is to be erased."""
        self.visit(block)
        for op in reversed(self._doomed):
            assert op.parent is not None
            erase(op)
        self._doomed.clear()

    def visit(self, block: Block) -> None:
        """Visits everything in `block`. For handlers, whose own operation's regions are not visited if it is erased."""
        op = block.first_op
        while op is not None:
            handler = self.handlers.get(type(op))
            if handler is not None and handler(op, Inserter(op)):
                self._doomed.append(op)
            else:
                for inner in blocks_in(op):
                    self.visit(inner)
            op = op.next_op


def inline_behind(body: Block, op: Operation, arguments: Sequence[SSAValue]) -> None:
    """Moves the operations of `body` directly behind `op`, with `arguments` for the block's own."""
    for argument, value in zip(body.args, arguments, strict=True):
        replace_uses(argument, value)
    last = op
    for moved in ops_of(body):
        detach(moved)
        insert_after(moved, last)
        last = moved


def around(place: Operation | Block) -> Iterator[Operation]:
    """The operations around an operation or a block, inside out."""
    op = place.parent_op()
    while op is not None:
        yield op
        op = op.parent_op()


def in_front(op: Operation) -> Iterator[Operation]:
    """The operations in front of one, in its block and then in those around it, each in program order."""
    for at in (op, *around(op)):
        for earlier in () if at.parent is None else ops_of(at.parent):
            if earlier is at:
                break
            yield earlier


def may_leave(op: Operation) -> bool:
    """Whether control may not come to what follows an operation: it leaves its block, or may run for ever."""
    return bool(ways_out(op)) or bool(of_kind(op, LoopOp))


def integer(value: SSAValue) -> int | None:
    """The signed integer that fills a tile (0 or 1 for `i1`), where it is a constant filled with one."""
    attr = literal(value)
    if attr is None or not attr.is_splat:
        return None
    found = attr.splat_value
    return found if isinstance(found, int) else None


def defined_outside(value: SSAValue, op: Operation) -> bool:
    """Whether `value` exists before `op` begins: it is neither a result of `op` nor made in one of its regions."""
    owner = value.owner
    return owner is not op and not op.is_ancestor(owner)


def loops(root: Operation) -> Iterator[ForOp | LoopOp]:
    """The loops inside `root`, innermost first. What is inserted in front of one meanwhile is not visited."""
    for block in blocks_in(root):
        for op in ops_of(block):
            if op.regions:
                yield from loops(op)
                if isinstance(op, ForOp | LoopOp):
                    yield op
