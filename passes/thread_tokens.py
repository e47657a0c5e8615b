"""`thread-tokens`: orders the accesses to each region, and nothing else.

Program order does not order memory accesses in Tile IR; tokens do. Two accesses of one tile block need an order where
both touch the same region and one of them writes. Different regions are disjoint and a shared borrow is never written,
as the verifiers have shown, so no other accesses need one, and every order that is not asked for is freedom for the
assembler. Of a partition of which a point may know one region by several names (the verifiers say so: `ordered`), all
regions count as one. Updates of an accumulator commute, and nothing else touches it: they need none. A raw tensor is
like one region; an unsafe access that acquires or releases is a write to all of them, for it orders what is done to the
others. What is printed is like a region that each print writes, so that a point's prints come in the order of the text.

What is followed is a region's state: the token of its last write, and the tokens of the reads since then. A read waits
for the write; a write waits for all of them. Tokens pass through `if` as results and through `for` and `loop` as
carried values. Only an access that a later one has to wait for gets a token, so a region that is stored once and never
read has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from freehold.dialects.classes import Kinds, blocks_in, erase, insert_before, ops_of, replace_uses
from freehold.dialects.cuda_tile.op import SEGMENTS, segments
from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, IfOp, LoopOp, YieldOp
from freehold.dialects.cuda_tile.ops.memory import JoinTokensOp, MakeTokenOp
from freehold.dialects.cuda_tile.ops.misc import PrintTkoOp
from freehold.dialects.cuda_tile.types import TOKEN
from freehold.dialects.ownership import (
    AccessOp,
    Action,
    DistributeOp,
    Duty,
    ExposeOp,
    KernelOp,
    PartitionOp,
    RawType,
    RegionOp,
    RegionType,
    Rung,
    UnsafeOp,
    kernels_of,
)
from freehold.passes.rewriting import Inserter, OpT, defined_outside, of_kind
from freehold.passes.verify_duties import require_discharged

_PRINTED: Final[SSAValue] = MakeTokenOp().result
"""Stands for what is printed, among the regions."""


@dataclass(frozen=True)
class ThreadTokensPass(ModulePass):
    """Orders the accesses to each region by tokens."""

    name = "thread-tokens"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Threads tokens through every kernel of the module."""
        for kernel in kernels_of(op):
            thread_tokens(kernel)


def thread_tokens(kernel: KernelOp) -> None:
    """Orders the accesses to each region of `kernel`, in place.

    Raises `PassFailedException` for a kernel of which a duty is open, and for an access inside an operation through
    which no token can be carried.
    """
    require_discharged(kernel)
    order_accesses(kernel)


def order_accesses(kernel: KernelOp) -> None:
    """`thread_tokens` for a kernel of which no duty is open."""
    uses = _Uses(
        tuple(op.result for op in ops_of(kernel.body.block) if isinstance(op, ExposeOp)),
        frozenset(op.result for op in ops_of(kernel.body.block) if isinstance(op, PartitionOp) and _is_ordered(op)),
    )
    _look_ahead(kernel.body.block, {}, uses)
    if uses.wanted:
        _Threader(uses).block(kernel.body.block, {})


def _is_ordered(op: PartitionOp) -> bool:
    """Whether a point may know one region of a partition by several names."""
    return op.duty(Duty.ORDERED).rung is not Rung.PROVED


@dataclass(frozen=True)
class _Access:
    """Whether a region is read, and whether it is written."""

    read: bool = False
    write: bool = False

    def __or__(self, other: _Access) -> _Access:
        return _Access(self.read or other.read, self.write or other.write)


_NONE = _Access()
_READ = _Access(read=True)
_WRITE = _Access(write=True)
_Accesses = dict[SSAValue, _Access]


@dataclass
class _Uses:
    """What the look-ahead finds: which accesses are waited for, and what structured operations do to regions."""

    raw: tuple[SSAValue, ...] = ()
    """The raw tensors of the kernel."""
    ordered: frozenset[SSAValue] = frozenset()
    """The partitions whose regions count as one, because one region may have several names."""
    wanted: set[Operation] = field(default_factory=set[Operation])
    """Accesses whose token a later access takes."""
    inside: dict[Operation, _Accesses] = field(default_factory=dict[Operation, _Accesses])
    """What an operation with regions does to the ownership regions that are made outside it."""
    later: dict[Operation, _Accesses] = field(default_factory=dict[Operation, _Accesses])
    """What follows such an operation."""


_TOUCHING = (AccessOp, PrintTkoOp)
_TOUCHES: Final = Kinds(*_TOUCHING)


def _accessed(op: Operation, uses: _Uses) -> _Accesses:
    """The regions, ordered partitions and raw tensors that `op` itself reads or writes."""
    if isinstance(op, PrintTkoOp):
        return {_PRINTED: _WRITE}
    if not isinstance(op, AccessOp) or op.ACTION is Action.TAKE:
        return {}
    if isinstance(op, UnsafeOp) and op.synchronises:
        return dict.fromkeys(uses.raw, _WRITE)
    memory, access = op.memory, _READ if op.ACTION is Action.READ else _WRITE
    if isinstance(memory.type, RawType):
        return {memory: access}
    if not isinstance(memory.type, RegionType):
        return {}  # nobody writes what is borrowed, and updates commute
    if uses.ordered and isinstance(taken := memory.owner, RegionOp) and taken.partition in uses.ordered:
        return {taken.partition: access}
    return {memory: access}


def _merge(target: _Accesses, more: _Accesses) -> None:
    for region, access in more.items():
        target[region] = target.get(region, _NONE) | access


def _summary(op: Operation, uses: _Uses) -> _Accesses:
    """What the operations inside `op` do to regions that are made outside it, and to raw tensors."""
    found: _Accesses = {}
    for inner in of_kind(op, *_TOUCHING):
        if inner is not op:
            _merge(found, _accessed(inner, uses))
    return {region: access for region, access in found.items() if defined_outside(region, op)}


def _look_ahead(block: Block, later: _Accesses, uses: _Uses) -> None:
    """Walks backwards, knowing what follows, and marks the accesses that are waited for."""
    later = dict(later)
    for op in reversed(ops_of(block)):
        for region, access in _accessed(op, uses).items() if _TOUCHES[type(op)] else ():
            after = later.get(region, _NONE)
            if after.write or (access.write and after.read):
                uses.wanted.add(op)
            later[region] = after | access
        if op.regions:
            inside = _summary(op, uses)
            uses.inside[op] = inside
            uses.later[op] = dict(later)
            # What a loop does, it may do again after this access.
            following = dict(later)
            if isinstance(op, ForOp | LoopOp):
                _merge(following, inside)
            elif not isinstance(op, IfOp | DistributeOp | KernelOp) and inside:
                raise PassFailedException(f"thread-tokens: no token can be carried through {op.name}")
            for nested in blocks_in(op):
                _look_ahead(nested, following, uses)
            _merge(later, inside)


@dataclass
class _State:
    """Where a region stands: the token of the last write, None for the kernel's start, and those of the reads since."""

    write: SSAValue | None = None
    reads: tuple[SSAValue, ...] = ()

    def all(self) -> tuple[SSAValue, ...]:
        """What a write has to wait for. Reads wait for the write themselves."""
        return self.reads or (() if self.write is None else (self.write,))


_States = dict[SSAValue, _State]
_Structured = IfOp | ForOp | LoopOp


class _Threader:
    def __init__(self, uses: _Uses):
        self.uses = uses
        self.carries: dict[Operation, tuple[SSAValue, ...]] = {}
        """The regions that each loop carries a token for."""

    def block(self, block: Block, states: _States) -> None:
        """Threads through one block, from the states at its start to those at its end, in place."""
        for op in ops_of(block):
            if _TOUCHES[type(op)] and (found := _accessed(op, self.uses)):
                self.access(op, found, states)
            elif isinstance(op, IfOp):
                self.branch(op, states)
            elif isinstance(op, ForOp | LoopOp):
                self.loop(op, states)
            elif isinstance(op, ContinueOp | BreakOp):
                self.leave(op, states)
            else:
                for region in op.regions:
                    for nested in region.blocks:
                        self.block(nested, states)

    def access(self, op: Operation, found: _Accesses, states: _States) -> None:
        """Gives an access the token it waits for, and one of its own if it is waited for."""
        waits: list[SSAValue] = []
        for region, access in found.items():
            state = states.setdefault(region, _State())
            waits += state.all() if access.write else () if state.write is None else (state.write,)
        token = _joined(Inserter(op), waits)
        wanted = op in self.uses.wanted
        if token is None and not wanted:
            return
        result = _with_tokens(op, token, wanted)
        if result is None:
            return
        for region, access in found.items():
            state = states[region]
            states[region] = _State(result) if access.write else _State(state.write, (*state.reads, result))

    def carried(self, op: Operation) -> tuple[SSAValue, ...]:
        """The regions for which a token has to leave `op`: what it does conflicts with what follows, or with itself."""
        again = isinstance(op, ForOp | LoopOp)
        result: list[SSAValue] = []
        for region, inside in self.uses.inside.get(op, {}).items():
            after = self.uses.later[op].get(region, _NONE)
            if after.write or (inside.write and (after.read or again)):
                result.append(region)
        return tuple(result)

    def branch(self, op: IfOp, states: _States) -> None:
        """Threads through both regions; what they do to a region joins in one result of the `if`."""
        regions = self.carried(op)
        if regions and not op.elseRegion.blocks:
            block = Block()
            op.elseRegion.add_block(block)
            block.add_op(_located(YieldOp(()), op))
        ends: list[_States] = []
        for region in op.regions:
            for block in region.blocks:
                end = {r: _State(s.write, s.reads) for r, s in states.items()}
                self.block(block, end)
                ends.append(end)
                if regions and isinstance(last := block.last_op, YieldOp):
                    at = Inserter(last)
                    _append(last, [_token(at, end.get(r, _State())) for r in regions])
        if not regions:
            return
        new = IfOp(
            op.condition,
            (*(r.type for r in op.results), *(TOKEN for _ in regions)),
            op.detach_region(op.thenRegion),
            op.detach_region(op.regions[0]),
        )
        self._replace(op, new, regions, states)

    def loop(self, op: ForOp | LoopOp, states: _States) -> None:
        """Threads through the body; each carried region has one token that is handed from turn to turn."""
        regions = self.carried(op)
        inside = self.uses.inside.get(op, {})
        at = Inserter(op)
        initial = [_token(at, states.get(r, _State())) for r in regions]
        body = op.region.block
        start = {r: _State(s.write, s.reads) for r, s in states.items()}
        for r in regions:
            token = body.insert_arg(TOKEN, len(body.args), op.location)
            # Where nothing is written, the reads of earlier turns need not be waited for by those of later ones.
            start[r] = _State(token) if inside[r].write else _State(start.get(r, _State()).write, (token,))
        self.carries[op] = regions
        self.block(body, start)
        if not regions:
            return
        detached = op.detach_region(op.region)
        new: ForOp | LoopOp
        if isinstance(op, ForOp):
            new = ForOp(
                op.lowerBound,
                op.upperBound,
                op.step,
                (*op.initValues, *initial),
                detached,
                op.unsignedCmp is not None,
            )
        else:
            types = (*(r.type for r in op.results), *(TOKEN for _ in regions))
            new = LoopOp((*op.initValues, *initial), types, detached)
        self._replace(op, new, regions, states)

    def leave(self, op: ContinueOp | BreakOp, states: _States) -> None:
        """Hands the tokens of the loop that is continued or left to it."""
        if regions := self.carries[op.loop]:
            at = Inserter(op)
            _append(op, [_token(at, states.get(r, _State())) for r in regions])

    def _replace(self, op: _Structured, new: _Structured, regions: Sequence[SSAValue], states: _States):
        """Puts `new`, which has a further result for each region, in the place of `op`."""
        new.attributes.update(op.attributes)
        Inserter(op).insert(new)
        count = len(op.results)
        for old, result in zip(op.results, new.results, strict=False):
            result.name_hint = old.name_hint
            replace_uses(old, result)
        for region, token in zip(regions, new.results[count:], strict=True):
            state = states.get(region, _State())
            if self.uses.inside[op][region].write:
                states[region] = _State(token)
            else:
                states[region] = _State(state.write, (*state.reads, token))
        block = op.parent
        assert block is not None
        erase(op)


def _located(op: OpT, like: Operation) -> OpT:
    op.location = like.location
    return op


def _joined(at: Inserter, tokens: Sequence[SSAValue]) -> SSAValue | None:
    """One token for several; None for none."""
    distinct = tuple(dict.fromkeys(tokens))
    if len(distinct) < 2:
        return distinct[0] if distinct else None
    return at.value(JoinTokensOp(distinct))


def _token(at: Inserter, state: _State) -> SSAValue:
    """One token for everything that has happened to a region; a new one where nothing has."""
    return _joined(at, state.all()) or at.value(MakeTokenOp())


def _append(op: Operation, tokens: Iterable[SSAValue]) -> None:
    op.operands = (*op.operands, *tokens)


def _with_tokens(op: Operation, token: SSAValue | None, wanted: bool) -> SSAValue | None:
    """Replaces an access by one that waits for `token` and, if `wanted`, has a token of its own, which is returned."""
    if isinstance(op, PrintTkoOp):  # it has a token in any case
        return _print_after(op, token)
    operands = [*op.operands]
    types: list[Attribute] = [r.type for r in op.results]
    *lengths, waits = cast("DenseArrayBase[IntegerType]", op.properties[SEGMENTS]).get_values()
    if waits:
        operands.pop()
    if types and types[-1] == TOKEN:
        types.pop()
    if token is not None:
        operands.append(token)
    if wanted:
        types.append(TOKEN)
    sizes = (*map(int, lengths), int(token is not None))
    new = type(op).create(
        operands=operands,
        result_types=types,
        properties={**op.properties, SEGMENTS: segments(*sizes)},
        attributes=op.attributes,
        location=op.location,
    )
    _replace(op, new)
    return new.results[-1] if wanted else None


def _print_after(op: PrintTkoOp, token: SSAValue | None) -> SSAValue:
    """The token of a print that waits for `token`, which takes the place of `op`."""
    if token is None and op.token is None:
        return op.result_token
    new = _located(PrintTkoOp(op.str_.data, op.args, token), op)
    new.attributes.update(op.attributes)
    _replace(op, new)
    return new.result_token


def _replace(op: Operation, new: Operation) -> None:
    block = op.parent
    assert block is not None
    insert_before(new, op)
    for old, result in zip(op.results, new.results, strict=False):
        result.name_hint = old.name_hint
        replace_uses(old, result)
    erase(op)
