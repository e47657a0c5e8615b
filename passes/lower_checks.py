"""`lower-checks`: a check that fails is written down for the launch, and ends the tile block.

What is written goes to the entry's last parameter, the launch's first word in a failure buffer
(`support.contract.FAILURE_WORDS`), which the host can read. The first failure of a launch wins the first word by
compare-and-swap; the others write nothing.

A block ends by `return`, which may not stand in a `for`. There are two ways out of one:

- Where all that is checked in a nest of loops are indices of reads, which take index 0 instead, and they write nothing,
  the loops carry the first failure along and run to their end, and the block ends behind them. Nothing in them
  branches, so the assembler overlaps their reads with what they compute, as without checks. None of them is a `loop`,
  so they end.
- Otherwise the turn ends by `continue`, with a flag that is carried along; the following turns see it and do nothing,
  and behind the loop the block ends. A `loop` inside a `for` is left by `break`, with the same flag. So nothing that
  stands behind the check happens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from xdsl.context import Context
from xdsl.dialects.builtin import UNKNOWN_LOC, Float32Type, ModuleOp, i1, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from freehold.dialects.classes import erase, replace_uses
from freehold.dialects.cuda_tile.attrs import (
    DEVICE,
    RELAXED,
    SIGNED,
    UNSIGNED,
    MemoryOrderingSemanticsAttr,
    MemoryScopeAttr,
)
from freehold.dialects.cuda_tile.ops.arith_int import AndIOp, CmpIOp, XOrIOp
from freehold.dialects.cuda_tile.ops.atomics import AtomicCasTkoOp, AtomicRedViewTkoOp, AtomicRmwTkoOp
from freehold.dialects.cuda_tile.ops.control_flow import (
    AssertOp,
    BreakOp,
    ContinueOp,
    ForOp,
    IfOp,
    LoopOp,
    ReturnOp,
    YieldOp,
    ends_of,
    ways_out,
)
from freehold.dialects.cuda_tile.ops.conversion import BitcastOp, ExtIOp, FToFOp
from freehold.dialects.cuda_tile.ops.memory import MakeTokenOp, StorePtrTkoOp
from freehold.dialects.cuda_tile.ops.misc import PrintTkoOp
from freehold.dialects.cuda_tile.ops.module import EntryOp, GetTileBlockIdOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp, OffsetOp, SelectOp
from freehold.dialects.cuda_tile.ops.views import StoreViewTkoOp
from freehold.dialects.cuda_tile.types import TOKEN, PointerType, TileType, element_name, tile
from freehold.dialects.ownership import CheckOp
from freehold.passes.rewriting import Inserter, around, of_kind
from freehold.support.contract import FAILURE_SLOTS

FAILURES: Final = tile((), PointerType(i64))
"""The type of the parameter that takes failures."""

_DEFERRED: Final = 2
"""How many values a check has that is deferred."""

_ENDLESS_OR_WRITES: Final = (
    LoopOp, StoreViewTkoOp, StorePtrTkoOp, AtomicRedViewTkoOp, AtomicRmwTkoOp, AtomicCasTkoOp, PrintTkoOp, AssertOp,
)  # fmt: skip

_RELEASE: Final = MemoryOrderingSemanticsAttr.of("release")
_SYSTEM: Final = MemoryScopeAttr.of("sys")
_F32: Final = Float32Type()
_Loop = ForOp | LoopOp


@dataclass(frozen=True)
class LowerChecksPass(ModulePass):
    """Makes of every `ownership.check` code that writes its failure down and ends the block. Comes last."""

    name = "lower-checks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Lowers every check of the module. Raises `PassFailedException` where an entry lacks the parameter."""
        for entry in list(op.walk()):
            if isinstance(entry, EntryOp):
                lower_checks(entry)


def lower_checks(entry: EntryOp) -> None:
    """Lowers every check of an entry, in place. Raises `PassFailedException` where it lacks the parameter."""
    checks = of_kind(entry, CheckOp)
    if not checks:
        return
    last = entry.body.block.args[-1] if entry.body.block.args else None
    if last is None or last.type != FAILURES:
        raise PassFailedException(f"{entry.sym_name.data}: the last parameter takes no failures")
    _Lowering(entry, last).run(checks)


class _Lowering:
    def __init__(self, entry: EntryOp, failures: SSAValue):
        self.failures = failures
        first = entry.body.block.first_op
        assert first is not None
        self.top = Inserter(first, entry.location)
        self.flagged: set[Operation] = set()
        """Loops that no `return` may leave: the last value that they carry, or yield, says that a check failed."""

    def run(self, checks: Sequence[CheckOp]) -> None:
        """Lowers these, which are all."""
        self.truth = [self.top.value(ConstantOp.scalar(n, i1)) for n in (False, True)]
        found = dict.fromkeys(_nest(check) or check for check in checks)
        for op in found:
            for loop in reversed(_without_return(op)):  # from the outside in: an inner one's way out is the outer's
                if loop not in self.flagged:
                    self.flag(loop)
        for op in found:
            if isinstance(op, ForOp):
                self.defer(op)
            else:
                self.lower(op)

    def defer(self, nest: ForOp) -> None:
        """Has a nest of loops carry its first failure, and writes it down behind them."""
        at = Inserter(nest)
        zero = at.value(ConstantOp.scalar(0, i32))
        number, *values = self.carry(nest, [zero] * (1 + _DEFERRED))
        assert isinstance(number.owner, Operation)
        behind = number.owner.next_op
        assert behind is not None
        at = Inserter(behind, number.owner.location)
        failed = at.value(CmpIOp("not_equal", number, zero, SIGNED))
        way_out = self.exit(behind)
        assert way_out.first_op is not None
        inner = Inserter(way_out.first_op, at.location)
        self.record(number, list(zip(values, ["i32"] * _DEFERRED, strict=True)), inner)
        _insert(at, failed, way_out)

    def carry(self, loop: ForOp, state: list[SSAValue]) -> list[SSAValue]:
        """Exchanges a loop for one that carries the first failure: its number plus 1, or 0, and its values."""
        body = loop.region.block
        carried: list[SSAValue] = [body.insert_arg(value.type, len(body.args)) for value in state]
        for op in list(body.ops):
            if isinstance(op, CheckOp):
                carried = self.noted(op, carried)
                erase(op)
            elif isinstance(op, ForOp) and of_kind(op, CheckOp):
                carried = self.carry(op, carried)
            elif not isinstance(op, ForOp):
                for end in ways_out(op, (ContinueOp,)):
                    end.operands = (*end.operands, *carried)
        values = [*loop.initValues, *state]
        new = _with_body_of(loop, values)
        return list(new.results[-len(state) :])

    def noted(self, check: CheckOp, carried: list[SSAValue]) -> list[SSAValue]:
        """What is carried behind a check: its failure, if it is the first."""
        at = Inserter(check)
        zero = at.value(ConstantOp.scalar(0, i32))
        failed = at.value(XOrIOp(check.condition, self.truth[1]))
        first = at.value(AndIOp(at.value(CmpIOp("equal", carried[0], zero, SIGNED)), failed))
        number = at.value(ConstantOp.scalar(_number(check) + 1, i32))
        return [at.value(SelectOp(first, own, old)) for own, old in zip([number, *check.values], carried, strict=True)]

    def flag(self, loop: _Loop) -> None:
        """Exchanges a loop for one with a flag, and leaves what is around it where the flag is set."""
        false, true = self.truth
        leaving = ContinueOp if isinstance(loop, ForOp) else BreakOp
        for op in ends_of(loop, leaving):
            op.operands = (*op.operands, false)
        body = loop.region.block
        if isinstance(loop, ForOp):
            carried = body.args[1:]
            flag = body.insert_arg(tile((), i1), len(body.args))
            first = body.first_op
            assert first is not None
            _insert(Inserter(first, loop.location), flag, Block([ContinueOp([*carried, true])]))
            new = _with_body_of(loop, [*loop.initValues, false])
        else:
            new = _with_body_of(loop, loop.initValues, [tile((), i1)])
        behind = new.next_op
        assert behind is not None
        _insert(Inserter(behind, new.location), new.results[-1], self.exit(new))
        self.flagged.add(new)

    def exit(self, op: Operation) -> Block:
        """A block that ends the tile block from where `op` stands."""
        parent = next((outer for outer in around(op) if isinstance(outer, _Loop)), None)
        if parent not in self.flagged:
            return Block([ReturnOp()])
        if isinstance(parent, ForOp):
            return Block([ContinueOp([*parent.block.args[1:-1], self.truth[1]])])
        assert isinstance(parent, LoopOp)
        made = [_some(r.type) for r in parent.results[:-1]]
        return Block([*made, BreakOp([*(op.results[0] for op in made), self.truth[1]])])

    def lower(self, check: CheckOp) -> None:
        """Writes a failure down, and ends the block."""
        at = Inserter(check)
        failed = at.value(XOrIOp(check.condition, self.truth[1]))
        way_out = self.exit(check)
        assert way_out.first_op is not None
        inner = Inserter(way_out.first_op, check.location)
        number = inner.value(ConstantOp.scalar(_number(check) + 1, i32))
        shown = [(value, dtype) for value, (_, dtype) in zip(check.values, check.shown, strict=True)]
        self.record(number, shown, inner)
        _insert(at, failed, way_out)
        assert check.parent is not None
        erase(check)

    def record(self, number: SSAValue, values: Sequence[tuple[SSAValue, str]], at: Inserter) -> None:
        """Writes down a check's number plus 1, and values with their dtypes, unless the launch has failed already."""
        zero = at.value(ConstantOp.scalar(0, i64))
        taken = at.value(ConstantOp.scalar(-1, i64))
        # Only blocks of this launch compete. Over a bus, memory of the host has no atomic operations for all to see.
        cas = at.insert(AtomicCasTkoOp(self.failures, zero, taken, ordering=RELAXED, scope=DEVICE))
        first = at.value(CmpIOp("equal", cas.result, zero, SIGNED))
        end = YieldOp()
        _insert(at, first, Block([end]))
        at = Inserter(end)
        token: SSAValue = cas.result_token
        words = [_word(at.value(GetTileBlockIdOp()), "i32", at), *(_word(v, dtype, at) for v, dtype in values)]
        for place, word in enumerate(words, 1):
            far = at.value(ConstantOp.scalar(place * FAILURE_SLOTS, i64))
            token = at.insert(StorePtrTkoOp(at.value(OffsetOp(self.failures, far)), word, token=token)).result_token
        done = _word(number, "i32", at)
        at.insert(StorePtrTkoOp(self.failures, done, token=token, ordering=_RELEASE, scope=_SYSTEM))


def _number(check: CheckOp) -> int:
    if check.number is None:
        raise PassFailedException("lower-checks: a check has no number")
    return check.number.value.data


def _nest(op: CheckOp) -> ForOp | None:
    """The outermost of the `for` loops around a check that may run to their end where it fails; None for none."""
    found, parent = None, op.parent_op()
    while isinstance(parent, ForOp) and _harmless(parent):
        found, parent = parent, parent.parent_op()
    return found


def _harmless(op: Operation) -> bool:
    """Whether what is in an operation ends, writes nothing, and checks only what may be deferred, in loops alone."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if isinstance(inner, CheckOp):
                    if inner.deferrable is None or not isinstance(op, ForOp):
                        return False
                elif isinstance(inner, _ENDLESS_OR_WRITES) or not _harmless(inner):
                    return False
    return True


def _with_body_of(loop: _Loop, values: Sequence[SSAValue], more: Sequence[Attribute] = ()) -> _Loop:
    """Exchanges a loop for one with other first values, and with `more` results if it is a `loop`."""
    new: _Loop
    if isinstance(loop, ForOp):
        bounds = loop.lowerBound, loop.upperBound, loop.step
        new = ForOp(*bounds, values, loop.detach_region(loop.region), unsigned=loop.unsignedCmp is not None)
    else:
        new = LoopOp(values, [*(r.type for r in loop.results), *more], loop.detach_region(loop.region))
    new.attributes.update(loop.attributes)
    at = Inserter(loop)
    at.insert(new)
    for old, result in zip(loop.results, new.results, strict=False):
        result.name_hint = old.name_hint
        replace_uses(old, result)
    erase(loop)
    return new


def _without_return(op: Operation) -> list[_Loop]:
    """The loops around an operation that no `return` may leave: up to the outermost `for`, the innermost first."""
    found = [outer for outer in around(op) if isinstance(outer, _Loop)]
    while found and isinstance(found[-1], LoopOp):
        found.pop()
    return found


def _some(type_: Attribute) -> Operation:
    """Some value of a type, which nobody will look at."""
    if type_ == TOKEN:
        return MakeTokenOp()
    if isinstance(type_, TileType) and not isinstance(type_.element_type, PointerType):
        return ConstantOp.splat(type_, 0)
    raise PassFailedException(f"lower-checks: a loop with a check in it cannot hand on {type_}")


def _word(value: SSAValue, dtype: str, at: Inserter) -> SSAValue:
    """A scalar as 64 bits: an integer with its sign, a float as it is or, where it is narrower, as f32."""
    element = cast(TileType, value.type).element_type
    if dtype in ("bf16", "f16"):
        value, element = at.value(FToFOp(value, _F32)), _F32
    if element_name(element) == "f32":
        value = at.value(BitcastOp(value, i32))
    elif element_name(element) == "f64":
        return at.value(BitcastOp(value, i64))
    elif element_name(element) == "i64":
        return value
    return at.value(ExtIOp(value, i64, UNSIGNED if dtype.startswith(("u", "b")) and dtype != "bf16" else SIGNED))


def _insert(at: Inserter, condition: SSAValue, block: Block) -> None:
    """Inserts what happens where a condition holds."""
    for op in at.insert(IfOp(condition, then_region=Region(block))).walk():
        if op.location is UNKNOWN_LOC:
            op.location = at.location
