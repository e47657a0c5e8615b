"""`verify-borrows`: each tensor is lent or split, never both, and each region is used as its mode allows.

Established, for every path through the control flow: a tensor is either borrowed, any number of times, or partitioned,
once, or is an accumulator of one kind of update and nothing else, or raw and nothing else; nothing is stored through a
borrow; a region is not used after its release; an output's region is stored before it
is read, and before the work ends; every point takes a region of every output; ownerships are not handed on through
control flow; and no operation reaches memory in any other way. What is not known is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from typing import ClassVar, Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from freehold.dialects.classes import Kinds, operands_of, type_of
from freehold.dialects.cuda_tile.op import TileOp
from freehold.dialects.cuda_tile.ops.arith_int import NegIOp, OverflowBinary
from freehold.dialects.cuda_tile.ops.control_flow import (
    AssertOp,
    BreakOp,
    ContinueOp,
    ForOp,
    IfOp,
    LoopOp,
    ReturnOp,
    YieldOp,
    has_no_memory_effect,
    never_has_memory_effect,
)
from freehold.dialects.cuda_tile.ops.conversion import TruncIOp
from freehold.dialects.cuda_tile.ops.misc import AssumeOp, PrintTkoOp
from freehold.dialects.location import span_of
from freehold.dialects.ownership import (
    AccessOp,
    AccType,
    AccumulatorOp,
    Action,
    BorrowOp,
    BreakpointOp,
    CheckOp,
    CoordinateOp,
    DimOp,
    DistributeOp,
    Duty,
    DutyAttr,
    EndOp,
    ExposeOp,
    GroupTilesOp,
    Indexing,
    KernelOp,
    OwingOp,
    PartitionOp,
    PartitionType,
    RawType,
    RefType,
    RegionOp,
    RegionType,
    ReleaseOp,
    RequireOp,
    Rung,
    StartOp,
    StopOp,
    TilesOp,
    UnsafeOp,
    Update,
    WindowOp,
)
from freehold.dialects.ownership import ReturnOp as KernelReturnOp
from freehold.passes.analysis.coverage import by_paths
from freehold.passes.analysis.facts import KernelFacts, analyse
from freehold.passes.analysis.flow import End, Flags, Flow
from freehold.passes.analysis.races import reader_and_writer
from freehold.passes.analysis.stored import ends_of_turns, in_every_case, in_first_turn, left_in_front, missing_turns
from freehold.passes.analysis.windows import apart, argument_of, parts_of, shared_element
from freehold.passes.analysis.wording import OWNERSHIP_TYPES, called, name_of, sizes, what_is
from freehold.passes.errors.borrow import (
    BorrowedAndPartitioned,
    NotStored,
    NotTaken,
    NotVerifiable,
    OwnershipEscapes,
    PartitionedTwice,
    ReadBeforeStored,
    StoreThroughShared,
    UnknownUse,
    UsedAfterRelease,
)
from freehold.passes.errors.sharing import UpdatesDiffer, UsedInTwoWays
from freehold.passes.errors.windows import WindowsMeet
from freehold.passes.rewriting import around, of_kind, walk
from freehold.passes.verify_dominance import refuse
from freehold.support.diagnostic import Error
from freehold.support.span import Span


@dataclass(frozen=True)
class VerifyBorrowsPass(ModulePass):
    """Refuses kernels that use a tensor in ways its modes do not allow. Records what each operation has met."""

    name = "verify-borrows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Raises `Rejected` with every error (O102 to O112, O130, O131, O134) of every kernel."""
        refuse(op, lambda kernel: verify_borrows(kernel, analyse(kernel)))


def verify_borrows(kernel: KernelOp, facts: KernelFacts) -> list[Error]:
    """What a kernel does to its tensors that it may not. Its definitions dominate their uses."""
    errors = [*_operations(kernel)]
    if not errors:
        _met(kernel, Duty.UNDERSTOOD)
    errors += [*_tensors(kernel, facts), *_outside(kernel)]
    paths = _Paths(kernel, facts)
    paths.flow.block(kernel.body.block, {frozenset(): _State()})
    paths.discharge()
    errors += (error for _, error in paths.errors)
    return errors


def _met(op: OwingOp, *duties: Duty) -> None:
    """Notes of an operation that was looked at that it breaks no rule."""
    op.discharge(*(DutyAttr.of(duty, Rung.PROVED) for duty in duties))


# Which operations there may be, and who may use what


_MAY_USE: Final[dict[type[Operation], tuple[int, ...]]] = {
    WindowOp: (0,),
    BorrowOp: (0,),
    PartitionOp: (0, 1),
    GroupTilesOp: (0,),
    CoordinateOp: (0,),
    StartOp: (0,),
    StopOp: (0,),
    DimOp: (0,),
    TilesOp: (0,),
    ReleaseOp: (0,),
    AccumulatorOp: (0,),
    ExposeOp: (0,),
}
"""The operands of each operation that may be an ownership. Accesses say it of themselves, and a distribution takes
partitions in all of them."""

_OWNERSHIPS: Final = frozenset(OWNERSHIP_TYPES)
_MAKES: Final = frozenset((WindowOp, BorrowOp, PartitionOp, RegionOp, AccumulatorOp, ExposeOp))
"""The operations whose results are ownerships."""

_OWN = (*_MAY_USE, DistributeOp, EndOp, KernelReturnOp, RequireOp)
_FLOW = (IfOp, ForOp, LoopOp, YieldOp, ContinueOp, BreakOp)
_VISIBLE = (AssertOp, BreakpointOp, CheckOp, PrintTkoOp)
"""Operations with an effect that is not one on the kernel's tensors."""

_HARMLESS: Final = frozenset((*_OWN, *_VISIBLE))
_CHANGES: Final = (Action.WRITE, Action.UPDATE)


def _operations(kernel: KernelOp) -> Iterable[Error]:
    for op in walk(kernel)[1:]:
        values = (*operands_of(op), *op.results)
        if _only_computes(type(op)) and _OWNERSHIPS.isdisjoint(map(type, map(type_of, values))):
            continue
        yield from _uses(op)
        if isinstance(op, AccessOp):
            yield from _reaches(op, kernel)
            continue
        if type(op) in _HARMLESS:
            continue
        if isinstance(op, AssumeOp):
            yield NotVerifiable(span_of(op), op.name, "promises what nobody checks")
        elif isinstance(op, OverflowBinary | NegIOp | TruncIOp) and op.overflow.data.value != "none":
            yield NotVerifiable(span_of(op), op.name, "promises that nothing overflows, which nobody checks")
        elif isinstance(op, ReturnOp):
            yield NotVerifiable(span_of(op), op.name, "leaves the kernel before its work is done")
        elif type(op) not in _FLOW and not has_no_memory_effect(op):
            yield NotVerifiable(span_of(op), called(op), "may touch memory in ways that are not understood")


@cache
def _only_computes(kind: type[Operation]) -> bool:
    """Whether no operation of a class promises anything, or does more than to make results and to hand values on."""
    if kind in _FLOW:
        return True
    promises = issubclass(kind, AssumeOp | OverflowBinary | NegIOp | TruncIOp | ReturnOp)
    return issubclass(kind, TileOp) and never_has_memory_effect(kind) and not promises


def _uses(op: Operation) -> Iterable[Error]:
    if isinstance(op, BreakpointOp):  # names what can be seen, and is dropped before anything runs on a GPU
        return
    operands = operands_of(op)
    owned = [number for number, kind in enumerate(map(type, map(type_of, operands))) if kind in _OWNERSHIPS]
    allowed = (op.MEMORY,) if isinstance(op, AccessOp) else _MAY_USE.get(type(op), ()) if owned else ()
    for number in owned:
        operand = operands[number]
        if number in allowed or isinstance(op, DistributeOp):
            continue
        if isinstance(op, _FLOW):
            error = OwnershipEscapes(span_of(op), name_of(operand), what_is(operand))
            yield error.add(error.ChooseCoordinates())
        else:
            yield UnknownUse(span_of(op), name_of(operand), called(op), what_is(operand))
    if type(op) not in _MAKES:
        for result in op.results:
            if type(result.type) in _OWNERSHIPS and not isinstance(op, _FLOW):
                yield UnknownUse(span_of(op), name_of(result), called(op), what_is(result))


_REACHES: Final[dict[Action, tuple[type[Attribute], ...]]] = {
    Action.TAKE: (PartitionType,),
    Action.READ: (RefType, RegionType),
    Action.WRITE: (RegionType,),
    Action.UPDATE: (RegionType, AccType),
}
"""Through which ownerships each kind of access may go. What nobody proves goes through raw tensors, with a reason."""


def _reaches(op: AccessOp, kernel: KernelOp) -> Iterable[Error]:
    type_ = op.memory.type
    if op.ACTION is not Action.READ and isinstance(type_, RefType):
        yield _through_shared(op, type_, kernel)
    elif not isinstance(type_, RawType if isinstance(op, UnsafeOp) else _REACHES[op.ACTION]):
        yield NotVerifiable(span_of(op), op.name, "reaches memory in a way that it does not own")
    elif isinstance(type_, AccType) and op.commuting is None:
        yield NotVerifiable(span_of(op), op.name, "updates an accumulator in a way that need not commute")


def _through_shared(op: AccessOp, borrowed: RefType, kernel: KernelOp) -> Error:
    """The error for a store through a borrow."""
    error = StoreThroughShared(span_of(op), name_of(op.memory))
    if (where := span_of(op.memory)) is not None and where != error.place:
        error.add(error.Borrowed(where))
    for other in walk(kernel):
        if isinstance(other, RegionOp) and other.result.type.partition.tensor.dims == borrowed.tensor.dims:
            error.add(error.StoreElsewhere(name_of(other.result)))
            break
    return error.add(error.BorrowExclusively())


# What becomes of each tensor


def _tensors(kernel: KernelOp, facts: KernelFacts) -> Iterator[Error]:
    order = {op: n for n, op in enumerate(walk(kernel))}
    updates = [op for op in facts.places if isinstance(op, AccessOp) and isinstance(op.memory.type, AccType)]
    for argument in kernel.body.block.args:
        parts = [*parts_of(argument)]
        uses = sorted((u.operation for part in parts for u in part.uses), key=order.__getitem__)
        apart, alike = [*_parts(argument, parts, uses, facts)], [*_of_one_kind(argument, updates)]
        yield from (*apart, *alike)
        for op in uses:
            if isinstance(op, OwingOp) and type(op) in _WAYS:
                _met(op, *(() if apart else (Duty.APART,)), *(() if alike else (Duty.COMMUTING,)))


def _parts(
    argument: SSAValue, parts: Sequence[SSAValue], uses: Sequence[Operation], facts: KernelFacts
) -> Iterator[Error]:
    """What is lent and what is split of an argument shares no element, and neither do two that are split."""
    partitions = [op for op in uses if isinstance(op, PartitionOp) and op.tensor in parts]
    for n, second in enumerate(partitions):
        for first in partitions[:n]:
            if first.tensor is second.tensor:
                error = PartitionedTwice(span_of(second), name_of(argument))
                if (where := span_of(first)) is not None:
                    error.add(error.First(where))
                yield error
            else:
                yield from _meeting(first, second, facts)
    for borrow in uses:
        if not isinstance(borrow, BorrowOp):
            continue
        for partition in partitions:
            if borrow.tensor is partition.tensor:
                yield from _read_and_written(borrow, partition, facts)
                break
            yield from _meeting(borrow, partition, facts)
    yield from _alone(argument, uses)


def _meeting(first: BorrowOp | PartitionOp, second: PartitionOp, facts: KernelFacts) -> Iterator[Error]:
    """Two uses of different parts of an argument, of which the second writes."""
    shown, values = apart(first.tensor, second.tensor, facts)
    if shown:
        return
    error = WindowsMeet(span_of(second), name_of(argument_of(second.tensor)), _WAYS[PartitionOp])
    if (where := span_of(first)) is not None and where != error.place:
        error.add(error.Other(where, _WAYS[type(first)]))
    if (shared := shared_element(first.tensor, second.tensor, values, facts)) is not None:
        error.add(error.Witness(sizes(values), *shared))
    elif not values:
        error.add(error.Unknown())
    yield error.add(error.Split())


_WAYS: Final[dict[type[Operation], str]] = {
    BorrowOp: "lent for reading",
    PartitionOp: "split into regions for writing",
    AccumulatorOp: "an accumulator",
    ExposeOp: "raw",
}


def _alone(argument: SSAValue, uses: Sequence[Operation]) -> Iterator[Error]:
    """An accumulator is nothing else, and neither is a raw tensor."""
    ways = {type(op): op for op in reversed(uses) if type(op) in _WAYS}
    for way in (AccumulatorOp, ExposeOp):
        others = [op for kind, op in ways.items() if kind is not way]
        if way not in ways or not others:
            continue
        first, second = sorted((ways[way], others[0]), key=lambda op: list(_WAYS).index(type(op)))
        error = UsedInTwoWays(span_of(second), name_of(argument), _WAYS[type(first)], _WAYS[type(second)])
        if (where := span_of(first)) is not None and where != error.place:
            error.add(error.First(where))
        yield error.add(error.Another())
        return


def _of_one_kind(argument: SSAValue, updates: Sequence[AccessOp]) -> Iterator[Error]:
    """All updates of an accumulator commute with each other."""
    first: tuple[Update, AccessOp] | None = None
    for op in updates:
        other = op.commuting
        if other is None or argument_of(op.memory) is not argument:
            continue
        if first is None:
            first = other, op
        elif other is not (one := first[0]):
            names: tuple[str, str] = (_NUMPY.get(one, str(one)), _NUMPY.get(other, str(other)))
            if names[0] == names[1]:  # of one name, but of different signs
                names = str(one), str(other)
            error = UpdatesDiffer(span_of(op), name_of(argument), *names)
            if (where := span_of(first[1])) is not None and where != error.place:
                error.add(error.First(where))
            if (witness := _order_matters(one, other)) is not None:
                error.add(error.Witness(*names, *witness))
            yield error.add(error.TwoTensors())


_NUMPY: Final[dict[Update, str]] = {
    Update.MAX: "maximum",
    Update.MIN: "minimum",
    Update.UMAX: "maximum",
    Update.UMIN: "minimum",
    Update.AND: "bitwise_and",
    Update.OR: "bitwise_or",
    Update.XOR: "bitwise_xor",
}
"""What users call updates, where that is not their name here."""

_RESULT: Final[dict[Update, Callable[[int, int], int]]] = {
    Update.ADD: int.__add__,
    Update.MAX: max,
    Update.MIN: min,
    Update.UMAX: max,
    Update.UMIN: min,
    Update.AND: int.__and__,
    Update.OR: int.__or__,
    Update.XOR: int.__xor__,
}
"""What updates make of small numbers."""


def _order_matters(first: Update, second: Update) -> tuple[int, int, int, int, int] | None:
    """An old value and an argument of each update, and the two results."""
    for old, one, other in product((0, 1, 2, 3), repeat=3):
        forth = _RESULT[second](_RESULT[first](old, one), other)
        back = _RESULT[first](_RESULT[second](old, other), one)
        if forth != back:
            return old, one, other, forth, back
    return None


def _read_and_written(borrow: BorrowOp, partition: PartitionOp, facts: KernelFacts) -> Iterable[Error]:
    users = [u.operation for u in borrow.result.uses]
    loads = [op for op in users if isinstance(op, AccessOp) and op.ACTION is Action.READ]
    regions = [u.operation for u in partition.result.uses if isinstance(u.operation, RegionOp)]
    where = span_of(partition)
    for op in loads or [borrow]:
        error = BorrowedAndPartitioned(span_of(op), name_of(borrow.tensor))
        if where is not None and where != error.place:
            error.add(error.Partitioned(where))
        if isinstance(op, AccessOp) and op.indexing in (Indexing.TILES, Indexing.FIRST):
            for region in regions:
                if (witness := reader_and_writer(op, region, facts)) is not None:
                    error.add(error.Witness(*witness))
                    break
        yield error.add(error.DoubleBuffer(), error.OwnRegion())


def _outside(kernel: KernelOp) -> Iterator[Error]:
    """Of each output some distribution hands out the regions; what its points do is seen on their paths."""
    handed_out = {p for op in of_kind(kernel, DistributeOp) for p in op.partitions}
    last = kernel.body.block.last_op
    where = span_of(kernel) if last is None or span_of(last) is None else span_of(last)
    for op in of_kind(kernel, PartitionOp):
        if not op.result.type.covered:
            continue
        if op.result in handed_out:
            _met(op, Duty.DISTRIBUTED)
        else:
            yield NotTaken(where, name_of(op.tensor))


# What happens on each path


def _later(op: Operation, store: AccessOp) -> bool:
    """Whether a store stands behind an operation in the text, in whatever branches and loops either stands: then it is
    no path to it that was forgotten."""
    outer = {at.parent: at for at in (op, *around(op))}
    there = next((at for at in (store, *around(store)) if at.parent in outer), None)
    here = None if there is None else outer[there.parent]
    return there is not None and here is not None and here is not there and here.is_before_in_block(there)


def _around(op: Operation) -> Operation | None:
    """What an operation is part of, past the control flow around it."""
    return next((outer for outer in around(op) if not isinstance(outer, IfOp | ForOp | LoopOp)), None)


@dataclass
class _State:
    """What has happened on a path. Of two paths that meet, what has happened on both, or may have on either."""

    stored: frozenset[SSAValue] = frozenset()
    """Regions that were stored to, and partitions of which one was, on every path."""
    taken: frozenset[SSAValue] = frozenset()
    """Partitions of which a region was taken, on every path."""
    released: dict[SSAValue, ReleaseOp] = field(default_factory=dict[SSAValue, ReleaseOp])
    """Regions that were given back on some path."""
    owed: frozenset[SSAValue] = frozenset()
    """Regions of outputs that were taken on some path, and not stored to since."""


class _Paths:
    """What is done to regions on each path, as a domain of `Flow`."""

    VISITS: ClassVar = Kinds(AccessOp, ReleaseOp, CoordinateOp, DistributeOp)

    def __init__(self, kernel: KernelOp, facts: KernelFacts):
        self.facts = facts
        self.errors: list[tuple[Operation, Error]] = []
        self.broken: set[tuple[SSAValue, Duty]] = set()
        """Of regions and partitions, the duties that are not met on some path."""
        self.points: list[DistributeOp] = []
        """The distributions that were looked at."""
        self.flow: Flow[_State] = Flow(kernel, self)
        self.stores: dict[SSAValue, list[AccessOp]] = {}
        self.taken = [op for op in facts.places if isinstance(op, RegionOp)]
        for op in facts.places:
            if isinstance(op, AccessOp) and op.ACTION in _CHANGES:
                self.stores.setdefault(op.memory, []).append(op)

    def visit(self, op: Operation, state: _State) -> _State:
        """The state behind an operation."""
        match op:
            case AccessOp() if isinstance(op.memory.type, RegionType):
                if op.ACTION is not Action.WRITE:
                    self.read(op, op.memory, op.memory.type, state)
                return self.store(op, op.memory, state) if op.ACTION in _CHANGES else state
            case ReleaseOp():
                self.check_held(op, op.region, "released", state)
                return replace(state, released={**state.released, op.region: op})
            case CoordinateOp():
                self.check_held(op, op.region, "used", state)
            case RegionOp():
                # What was done to the region that an earlier turn of a loop took says nothing of this one.
                released = {r: by for r, by in state.released.items() if r is not op.result}
                owed = state.owed | {op.result} if op.result.type.partition.stored_first else state.owed
                return _State(state.stored - {op.result}, state.taken | {op.partition}, released, owed)
            case DistributeOp():
                self.distribute(op, state)
            case _:
                pass
        return state

    def fork(self, state: _State) -> _State:
        """States are never changed."""
        return state

    def meet(self, op: Operation, ends: Sequence[End[_State]], names: Sequence[SSAValue]) -> _State:
        """What has happened on all of several paths, or may have on either."""
        released: dict[SSAValue, ReleaseOp] = {}
        first, *others = (end.state for end in ends)
        stored, taken, owed = first.stored, first.taken, first.owed
        for s in others:
            stored, taken, owed = stored & s.stored, taken & s.taken, owed | s.owed
        for s in (first, *others):
            released = {**s.released, **released}
        return _State(stored, taken, released, owed)

    def turned(self, loop: ForOp | LoopOp, state: _State) -> _State:
        """The end of a turn gives nothing back."""
        return state

    def first_turn(self, loop: LoopOp) -> Flags:
        """Conditions that are shown to be known in a loop's first turn."""
        return in_first_turn(loop, self.facts)

    def matters(self, flag: SSAValue) -> bool:
        """No flag is of more use than others."""
        return False

    def runs(self, loop: ForOp) -> bool:
        """Whether a loop is shown to run."""
        return loop in self.facts.repeated

    def discharge(self) -> None:
        """Notes what the regions and outputs of the distributions that were looked at have met."""
        regions = [op for op in self.taken if _around(op) in self.points]
        outputs = [p.owner for op in self.points for p in op.partitions if isinstance(p.owner, PartitionOp)]
        for op in (*regions, *outputs):
            duties = (Duty.HELD, Duty.INITIALISED, Duty.STORED) if isinstance(op, RegionOp) else (Duty.STORED,)
            _met(op, *(duty for duty in duties if (op.result, duty) not in self.broken))

    def refuse(self, op: Operation, error: Error, broken: SSAValue, duty: Duty) -> None:
        """Notes an error, once for all paths to an operation, and the duty of a region or partition that is broken."""
        self.broken.add((broken, duty))
        if all(other != error or where is not op for where, other in self.errors):
            self.errors.append((op, error))

    def check_held(self, op: Operation, region: SSAValue, used: str, state: _State) -> None:
        """The region has not been released on any path to here."""
        if (release := state.released.get(region)) is None:
            return
        error = UsedAfterRelease(span_of(op), name_of(region), used)
        if (where := span_of(release)) is not None:
            when = ", in an earlier turn" if release is op else ""
            error.add(error.Released(where, when))
        self.refuse(op, error, region, Duty.HELD)

    def read(self, op: AccessOp, region: SSAValue, type_: RegionType, state: _State) -> None:
        """A region is held, and an output has been stored."""
        self.check_held(op, region, "read", state)
        if type_.partition.stored_first and region not in state.stored:
            stores = [s for s in self.stores.get(region, []) if not _later(op, s)]
            error = ReadBeforeStored(span_of(op), name_of(region), " on some paths" if stores else "")
            for store in stores:
                if (where := span_of(store)) is not None and where != error.place:
                    error.add(error.StoredOnSomePaths(where))
            self.refuse(op, error.add(error.DeclareMut()), region, Duty.INITIALISED)

    def store(self, op: AccessOp, target: SSAValue, state: _State) -> _State:
        """Only regions that are held are stored to."""
        self.check_held(op, target, "stored", state)
        more = {target, target.owner.partition} if isinstance(target.owner, RegionOp) else {target}
        return _State(state.stored | more, state.taken, state.released, state.owed - {target})

    def distribute(self, op: DistributeOp, state: _State) -> None:
        """The work of a point, and what it owes in the end: a store to a region of every output."""
        self.points.append(op)
        ends = self.flow.block(op.body.block, {frozenset(): state})
        if not ends:
            return
        end = self.meet(op, ends, ())
        reported: set[SSAValue] = set()
        last = op.body.block.last_op
        where = span_of(op) if last is None or span_of(last) is None else span_of(last)
        for partition in op.partitions:
            assert isinstance(partition.type, PartitionType)
            if not partition.type.covered or partition in end.stored or self.counted(partition):
                continue
            if partition in end.taken and all(self.stored(t) for t in self.taken if t.partition is partition):
                continue
            stores = [
                s
                for region, found in self.stores.items()
                if isinstance(owner := region.owner, RegionOp) and owner.partition is partition
                for s in found
            ]
            if partition not in end.taken:
                untaken = NotTaken(where, name_of(partition))
                self.refuse(op, untaken.add(untaken.Partial(), untaken.DeclareMut()), partition, Duty.STORED)
                reported.add(partition)
                continue
            self.refuse(op, self.not_stored(where, partition, stores), partition, Duty.STORED)
            reported.add(partition)
        for taken in self.taken:
            if taken.result in end.owed and taken.partition not in reported and not self.stored(taken):
                reported.add(taken.partition)
                stores = self.stores.get(taken.result, [])
                error = self.not_stored(span_of(taken.result), taken.result, stores)
                self.refuse(taken, error, taken.result, Duty.STORED)

    def stored(self, taken: RegionOp) -> bool:
        """Whether a region is stored by conditions that leave no case out."""
        return in_every_case(taken, self.stores.get(taken.result, []), self.facts)

    def counted(self, partition: SSAValue) -> bool:
        """Whether `verify-partitions` finds out in other ways that every region of a partition is stored."""
        return isinstance(partition.owner, PartitionOp) and not by_paths(partition.owner, self.facts)

    def not_stored(self, where: Span | None, owned: SSAValue, stores: Sequence[AccessOp]) -> Error:
        """The error for an output, or a region of it that is taken, that on some path is not stored to."""
        where = left_in_front(stores) or where
        error = NotStored(where, name_of(owned), " on some paths" if stores else "")
        for store in stores:
            if (place := span_of(store)) is not None:
                error.add(error.StoredOnSomePaths(place))
        for place in ends_of_turns(stores):
            error.add(error.TurnEnds(place))
        turnless, condition = missing_turns(stores, self.facts)
        if not turnless:
            return error.add(error.StoreFirst() if stores else error.Store(), error.DeclareMut())
        error.add(error.StoreInFront())
        if condition is not None:
            error.add(error.AskForATurn(str(condition)))
        return error.add(error.DeclareMut())
