"""Structured control flow (specification, section "Control Flow")."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Final, cast

from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    VarConstraint,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsTerminator, NoMemoryEffect, Pure, RecursiveMemoryEffect

from freehold.dialects.classes import ops_of
from freehold.dialects.cuda_tile.constraints import ANY_TYPE, BOOL_TILE, SCALAR_BOOL, SCALAR_INT
from freehold.dialects.cuda_tile.effects import InlinesDecidedIf
from freehold.dialects.cuda_tile.op import TileOp, tile_op
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.types import TensorViewType, TileViewType
from freehold.dialects.cuda_tile.version import V13_2

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

GROUP: Final = "Control Flow"


def _types(values: Sequence[SSAValue]) -> tuple[Attribute, ...]:
    return tuple(value.type for value in values)


def _listed(types: Sequence[Attribute]) -> str:
    return "(" + ", ".join(map(str, types)) + ")"


class Terminator(TileOp, ABC):
    """Base of the terminators: they hand values to the operation around them, or leave it."""

    operands_ = var_operand_def(ANY_TYPE)
    FORMAT: ClassVar[str | None] = "attr-dict ($operands_^ `:` custom<Ty>(type($operands_)))?"

    def __init__(self, values: Sequence[SSAValue] = ()) -> None:
        self._init(tuple(values), ())

    def check_types(self, expected: Sequence[Attribute], what: str) -> None:
        """The operands have the given types."""
        types = _types(self.operands_)
        if types != tuple(expected):
            raise self.fail(f"the operands must have the types of {what}, {_listed(expected)}, got {_listed(types)}")


def _enclosing(
    op: Operation, what: str, through: tuple[type[Operation], ...], target: tuple[type[Operation], ...]
) -> Operation | None:
    """The nearest ancestor among `target`, passing only `through`; None where there is no ancestor at all."""
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, target):
            return parent
        if not isinstance(parent, through):
            raise cast(TileOp, op).fail(f"{what}, but stands in {parent.name}")
        parent = parent.parent_op()
    return None


def _loop_around(op: Operation) -> ForOp | LoopOp:
    """The innermost loop around an operation, in IR that has been verified."""
    loop = op.parent_op()
    while isinstance(loop, IfOp):
        loop = loop.parent_op()
    assert isinstance(loop, ForOp | LoopOp)
    return loop


@tile_op(92, group=GROUP)
class ReturnOp(Terminator):
    """Ends the kernel for this tile block. It stands in a kernel, or in an `if` or `loop` (13.4) inside one."""

    name = "cuda_tile.return"
    traits = traits_def(IsTerminator())

    def verify_(self) -> None:
        """Only `if` and `loop` lie between this and the kernel, which returns nothing."""
        entry = _enclosing(self, "must stand in an entry, through if and loop only", (IfOp, LoopOp), (EntryOp,))
        if entry is not None and self.operands_:
            raise self.fail("a kernel returns nothing")


@tile_op(109, group=GROUP)
class YieldOp(Terminator):
    """Hands the results of an `if`, or the combined values of a `reduce` or `scan`, to the operation around it."""

    name = "cuda_tile.yield"
    traits = traits_def(Pure(), IsTerminator())

    def verify_(self) -> None:
        """The parent takes yields; an `if` yields its results."""
        from freehold.dialects.cuda_tile.ops.reduce import Aggregate

        parent = self.parent_op()
        if parent is not None and not isinstance(parent, IfOp | Aggregate):
            raise self.fail(f"must stand in if, reduce or scan, got {parent.name}")
        if isinstance(parent, IfOp):
            self.check_types(_types(parent.results), "the results of the if")


@tile_op(10, group=GROUP)
class BreakOp(Terminator):
    """Leaves the innermost `loop`, whose results become the operands."""

    name = "cuda_tile.break"
    traits = traits_def(IsTerminator())

    @property
    def loop(self) -> ForOp | LoopOp:
        """The loop that it leaves."""
        return _loop_around(self)

    def verify_(self) -> None:
        """Only `if` lies between this and the loop, and the types are those of its results."""
        loop = _enclosing(self, "must stand in a loop, through if only", (IfOp,), (LoopOp,))
        if loop is not None:
            self.check_types(_types(loop.results), "the results of the loop")


@tile_op(17, group=GROUP)
class ContinueOp(Terminator):
    """Begins the next iteration of the innermost `for` or `loop`, whose carried values become the operands."""

    name = "cuda_tile.continue"
    traits = traits_def(IsTerminator())

    @property
    def loop(self) -> ForOp | LoopOp:
        """The loop of which it ends a turn."""
        return _loop_around(self)

    def verify_(self) -> None:
        """Only `if` lies between this and the loop, and the types are those of its carried values."""
        loop = _enclosing(self, "must stand in a for or loop, through if only", (IfOp,), (ForOp, LoopOp))
        if isinstance(loop, ForOp | LoopOp):
            self.check_types(_types(loop.initValues), "the carried values")


def _check_carried(op: TileOp, types: Sequence[Attribute]) -> None:
    for type_ in types:
        if isinstance(type_, TensorViewType | TileViewType):
            raise op.fail(f"views are not carried through control flow, got {type_}")


@tile_op(50, group=GROUP)
class IfOp(TileOp):
    """Runs one region where the condition holds and the other where it does not; both yield the results.

    Without results the else region may have no block. A region may instead leave by `break`, `continue` or `return`.
    """

    name = "cuda_tile.if"
    condition = operand_def(SCALAR_BOOL)
    results_ = var_result_def(ANY_TYPE)
    thenRegion = region_def("single_block")
    elseRegion = region_def()
    traits = traits_def(RecursiveMemoryEffect(), InlinesDecidedIf())

    def __init__(
        self,
        condition: SSAValue,
        result_types: Sequence[Attribute] = (),
        then_region: Region | None = None,
        else_region: Region | None = None,
    ) -> None:
        regions = (then_region or Region(Block()), else_region or Region())
        self._init((condition,), result_types, None, regions)

    def verify_(self) -> None:
        """Results need both regions; regions take no arguments and end in a terminator; no view is a result."""
        _check_carried(self, _types(self.results))
        if len(self.elseRegion.blocks) > 1:
            raise self.fail("the else region must have at most one block")
        if self.results and not self.elseRegion.blocks:
            raise self.fail("an if with results must have an else region")
        for name, region in (("then", self.thenRegion), ("else", self.elseRegion)):
            for block in region.blocks:
                if block.args:
                    raise self.fail(f"the {name} region takes no arguments")
                if not isinstance(block.last_op, Terminator):
                    raise self.fail(f"the {name} region must end in yield, break, continue or return")

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        """Read `%c -> (T) {...} else {...}`."""
        from freehold.dialects.cuda_tile.text_ops import parse_if

        return parse_if(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `%c -> (T) {...} else {...}`."""
        from freehold.dialects.cuda_tile.text_ops import print_if

        print_if(self, printer)


@tile_op(41, group=GROUP, field_since={"unsignedCmp": V13_2})
class ForOp(TileOp):
    """Counts from `lowerBound` to `upperBound`, excluded, by `step`, which must be positive.

    Carried values start as `initValues`, are handed on by `continue`, and are the results in the end: without an
    iteration, the initial ones. The comparison is signed unless `unsignedCmp` is set (13.2).
    """

    name = "cuda_tile.for"
    T: ClassVar = VarConstraint("T", SCALAR_INT)
    unsignedCmp = opt_prop_def(UnitAttr)
    lowerBound = operand_def(T)
    upperBound = operand_def(T)
    step = operand_def(T)
    initValues = var_operand_def(ANY_TYPE)
    resultValues = var_result_def(ANY_TYPE)
    region = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        lower: SSAValue,
        upper: SSAValue,
        step: SSAValue,
        init_values: Sequence[SSAValue] = (),
        body: Region | None = None,
        unsigned: bool = False,
    ) -> None:
        types = _types(init_values)
        region = body or Region(Block(arg_types=(lower.type, *types)))
        properties: dict[str, Attribute] = {"unsignedCmp": UnitAttr()} if unsigned else {}
        self._init((lower, upper, step, *init_values), types, properties, (region,))

    @property
    def block(self) -> Block:
        """The block of the body: its arguments are the induction variable and the carried values."""
        return self.region.block

    @property
    def carried(self) -> Sequence[BlockArgument]:
        """The values that are carried from turn to turn."""
        return self.block.args[1:]

    def verify_(self) -> None:
        """The body's arguments fit the bounds and the carried values, and it ends in a terminator."""
        types = _types(self.initValues)
        _check_carried(self, types)
        if _types(self.results) != types:
            raise self.fail(
                f"results must have the types of the initial values, {_listed(types)},"
                f" got {_listed(_types(self.results))}"
            )
        block = self.region.block
        expected = (self.lowerBound.type, *types)
        if tuple(block.arg_types) != expected:
            raise self.fail(f"the body must take {_listed(expected)}, got {_listed(tuple(block.arg_types))}")
        if not isinstance(block.last_op, ContinueOp):
            raise self.fail("the body must end in cuda_tile.continue")

    @classmethod
    def parse(cls, parser: Parser) -> ForOp:
        """Read `%i in (%lb to %ub, step %s) : T iter_values(%a = %x) -> (T) {...}`."""
        from freehold.dialects.cuda_tile.text_ops import parse_for

        return parse_for(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `%i in (%lb to %ub, step %s) : T iter_values(%a = %x) -> (T) {...}`."""
        from freehold.dialects.cuda_tile.text_ops import print_for

        print_for(self, printer)


@tile_op(65, group=GROUP)
class LoopOp(TileOp):
    """Repeats its body until a `break`, whose operands are the results. It may run for ever.

    Carried values start as `initValues` and are handed on by `continue`.
    """

    name = "cuda_tile.loop"
    initValues = var_operand_def(ANY_TYPE)
    resultValues = var_result_def(ANY_TYPE)
    region = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        init_values: Sequence[SSAValue] = (),
        result_types: Sequence[Attribute] = (),
        body: Region | None = None,
    ) -> None:
        region = body or Region(Block(arg_types=_types(init_values)))
        self._init(tuple(init_values), result_types, None, (region,))

    @property
    def block(self) -> Block:
        """The block of the body, whose arguments are the carried values."""
        return self.region.block

    @property
    def carried(self) -> Sequence[BlockArgument]:
        """The values that are carried from turn to turn."""
        return self.block.args

    def verify_(self) -> None:
        """The body's arguments are the carried values, and it ends in a terminator."""
        types = _types(self.initValues)
        _check_carried(self, (*types, *_types(self.results)))
        block = self.region.block
        if tuple(block.arg_types) != types:
            raise self.fail(f"the body must take {_listed(types)}, got {_listed(tuple(block.arg_types))}")
        if not isinstance(block.last_op, ContinueOp | BreakOp | ReturnOp):
            raise self.fail("the body must end in continue, break or return")

    @classmethod
    def parse(cls, parser: Parser) -> LoopOp:
        """Read `iter_values(%a = %x) : T -> R {...}`."""
        from freehold.dialects.cuda_tile.text_ops import parse_loop

        return parse_loop(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `iter_values(%a = %x) : T -> R {...}`."""
        from freehold.dialects.cuda_tile.text_ops import print_loop

        print_loop(self, printer)


@tile_op(5, group=GROUP)
class AssertOp(TileOp):
    """Stops the kernel with a message where any element of the condition is false."""

    name = "cuda_tile.assert"
    message = prop_def(StringAttr)
    condition = operand_def(BOOL_TILE)
    FORMAT: ClassVar[str | None] = "$condition `,` custom<Str>($message) attr-dict `:` custom<Ty>(type($condition))"

    def __init__(self, condition: SSAValue, message: str) -> None:
        self._init((condition,), (), {"message": StringAttr(message)})


def has_no_memory_effect(op: Operation) -> bool:
    """Whether an operation, and all inside it, neither touches memory nor stops the kernel."""
    if _has_effects_of_what_is_inside(type(op)):
        return all(
            has_no_memory_effect(inner) for region in op.regions for block in region.blocks for inner in ops_of(block)
        )
    return never_has_memory_effect(type(op))


@cache
def never_has_memory_effect(kind: type[Operation]) -> bool:
    """Whether no operation of a class has any: not so of those unregistered, to which xDSL ascribes every trait."""
    return kind.has_trait(NoMemoryEffect, value_if_unregistered=False)


@cache
def _has_effects_of_what_is_inside(kind: type[Operation]) -> bool:
    return kind.has_trait(RecursiveMemoryEffect, value_if_unregistered=False)


WayOut = ContinueOp | BreakOp | ReturnOp
WAYS_OUT: Final[tuple[type[WayOut], ...]] = (ContinueOp, BreakOp, ReturnOp)


def ways_out(op: Operation, kinds: tuple[type[WayOut], ...] = WAYS_OUT) -> list[WayOut]:
    """What of these kinds leaves an operation: itself, or what is in it and does not lead to a loop in it."""
    if isinstance(op, kinds):
        return [op]
    if not op.regions:
        return []
    inner = tuple(kind for kind in kinds if kind is ReturnOp) if isinstance(op, ForOp | LoopOp) else kinds
    blocks = (block for region in op.regions for block in region.blocks) if inner else ()
    return [end for block in blocks for each in ops_of(block) for end in ways_out(each, inner)]


def ends_of(loop: ForOp | LoopOp, kind: type[ContinueOp | BreakOp]) -> list[WayOut]:
    """What ends the turns of a loop, or leaves it."""
    return [end for op in ops_of(loop.block) for end in ways_out(op, (kind,))]
