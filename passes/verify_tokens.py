"""`verify-tokens`: shows of Tile IR that tokens order what has to be ordered within a tile block.

Program order orders nothing in Tile IR. Two accesses of one tile block need a path of tokens from the earlier to the
later one, if they may touch the same memory and one of them writes. This pass runs behind all rewrites, reads nothing
but Tile IR and the roles of the entry point's arguments, and shares no code with `thread-tokens`, which put the tokens
there. Apart, and in no need of an order, are

- distinct arguments, which the launcher keeps from overlapping, and arguments that are only read;
- tiles of one partition at different coordinates: of `regions`, which the verifiers have shown to be taken once, those
  whose coordinates are computed differently or in different turns of a loop; of others, those with an index that is a
  different constant; and those that a persistent block touches at different points;
- windows of an argument that begin at different places, of arguments that are `split`;
- updates of an accumulator, which commute.

Prints need an order among themselves, those of different points of a persistent block excepted.

Where a check has failed no access follows, so what such a path leaves loose does not matter. A loop that may be left so
says it by its last value; a path on which that is true ends there, if nothing but the way out follows.

What is followed, along every path, is what each token leaves loose: the accesses that may have run by now without being
ordered before it. The latest run of an access and its earlier ones are told apart, because a loop whose reads are not
ordered among themselves joins one token a turn. Loops are run until nothing changes. What is not understood is refused:
pointers from anywhere but arguments, operations that reach memory in another way, unknown ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, NamedTuple, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import Pure
from xdsl.utils.exceptions import PassFailedException

from freehold.dialects.classes import Kinds, has_trait, nth, operands_of, ops_of, type_of
from freehold.dialects.cuda_tile.attrs import AtomicRMWModeAttr, MemoryOrderingSemanticsAttr
from freehold.dialects.cuda_tile.op import TileOp
from freehold.dialects.cuda_tile.ops.atomics import AtomicCasTkoOp, AtomicRedViewTkoOp, AtomicRmwTkoOp
from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, IfOp, LoopOp, YieldOp
from freehold.dialects.cuda_tile.ops.memory import JoinTokensOp, LoadPtrTkoOp, MakeTokenOp, StorePtrTkoOp
from freehold.dialects.cuda_tile.ops.misc import AssumeOp, PrintTkoOp
from freehold.dialects.cuda_tile.ops.module import EntryOp, GetNumTileBlocksOp, GetTileBlockIdOp
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, ConstantOp, OffsetOp, ReshapeOp
from freehold.dialects.cuda_tile.ops.views import (
    LoadViewTkoOp,
    MakePartitionViewOp,
    MakeStridedViewOp,
    MakeTensorViewOp,
    StoreViewTkoOp,
)
from freehold.dialects.cuda_tile.types import TOKEN, PartitionViewType, StridedViewType, TokenType
from freehold.dialects.location import span_of
from freehold.dialects.ownership import (
    AccumulatorOp,
    BlocksKind,
    DistributeOp,
    Duty,
    ExposeOp,
    KernelOp,
    PartitionOp,
    Rung,
    TensorType,
    WindowOp,
)
from freehold.passes.analysis.flow import End, Flags, Flow
from freehold.passes.analysis.windows import argument_of
from freehold.passes.launch_contract import entry_parameters
from freehold.passes.rewriting import around, walk
from freehold.support.contract import Checks, EntryParameter


class Roles(NamedTuple):
    """What the verified kernel makes of the entry point's arguments, by their positions. All others are raw."""

    shared: tuple[int, ...] = ()
    """Only read."""
    regions: tuple[int, ...] = ()
    """Partitioned, and no region is taken twice."""
    ordered: tuple[int, ...] = ()
    """Partitioned, and a point may take a region again."""
    accumulators: tuple[int, ...] = ()
    failures: int = -1
    """The compiler's own, which takes what checks that fail write down; -1 for none."""
    persistent: bool = False
    """Whether the loop from a tile block's number on in steps of their count runs over points, whose regions differ."""
    split: tuple[int, ...] = ()
    """Used in several windows, of which those that begin elsewhere have been shown to be apart."""


class TokensNotShownError(PassFailedException):
    """An operation of which it is not shown that tokens order it as they have to."""

    def __init__(self, op: Operation, what: str, earlier: Operation | None = None, argument: int = -1):
        super().__init__(f"verify-tokens: {_named(op)} {what}")
        self.op = op
        self.earlier = earlier
        """The access that it has to come after, and does not, where that is what is missing."""
        self.argument = argument
        """The position of the argument that both touch; negative for prints."""


@dataclass(frozen=True)
class VerifyTokensPass(ModulePass):
    """Refuses Tile IR in which two accesses of a tile block lack an order. Changes nothing."""

    name = "verify-tokens"
    shared: tuple[int, ...] = ()
    regions: tuple[int, ...] = ()
    ordered: tuple[int, ...] = ()
    accumulators: tuple[int, ...] = ()
    failures: int = -1
    persistent: bool = False
    split: tuple[int, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Raises `PassFailedException` with the first pair of accesses that is not ordered."""
        roles = Roles(
            self.shared, self.regions, self.ordered, self.accumulators, self.failures, self.persistent, self.split
        )
        for entry in op.walk():
            if isinstance(entry, EntryOp):
                verify_tokens(entry, roles)


def roles_of(kernel: KernelOp, checks: Checks = True, entry: Sequence[EntryParameter] | None = None) -> Roles:
    """The roles of the arguments of the entry point that a verified kernel becomes: its pointers come first.

    `entry` are its `entry_parameters`, where they have been found.
    """
    found: dict[str, list[int]] = {"shared": [], "regions": [], "ordered": [], "accumulators": []}
    split: list[int] = []
    distributions = [op for op in ops_of(kernel.body.block) if isinstance(op, DistributeOp)]
    persistent = any(op.blocks.kind is BlocksKind.PERSISTENT for op in distributions)
    tensors = [a for a in kernel.body.block.args if isinstance(a.type, TensorType)]
    for position, argument in enumerate(tensors):
        users = list(_users(argument))
        partitions = [op for op in users if isinstance(op, PartitionOp) and argument_of(op.tensor) is argument]
        if partitions and len({op.operands[0] for op in users if not isinstance(op, WindowOp)}) > 1:
            split.append(position)
        if partitions:
            named = all(op.duty(Duty.ORDERED).rung is Rung.PROVED for op in partitions)
            found["regions" if named else "ordered"].append(position)
        elif any(isinstance(op, AccumulatorOp) for op in users):
            found["accumulators"].append(position)
        elif not any(isinstance(op, ExposeOp) for op in users):
            found["shared"].append(position)
    parameters = entry_parameters(kernel, checks) if entry is None else entry
    failures = len(parameters) - 1 if parameters and parameters[-1].kind == "failures" else -1
    return Roles(*map(tuple, found.values()), failures=failures, persistent=persistent, split=tuple(split))


def _users(tensor: SSAValue) -> Iterator[Operation]:
    """What uses a tensor, or one of its windows."""
    for use in tensor.uses:
        yield use.operation
        if isinstance(use.operation, WindowOp):
            yield from _users(use.operation.result)


def verify_tokens(entry: EntryOp, roles: Roles) -> None:
    """Shows that all accesses of `entry` that need an order have one. Raises `PassFailedException` where not."""
    _Walk(entry, roles).run()


_LOADS: Final = (LoadViewTkoOp, LoadPtrTkoOp)
_STORES: Final = (StoreViewTkoOp, StorePtrTkoOp)
_UPDATES: Final = (AtomicRedViewTkoOp, AtomicRmwTkoOp, AtomicCasTkoOp)
_ACCESSES: Final = Kinds(*_LOADS, *_STORES, *_UPDATES, PrintTkoOp)
_OF_VIEWS: Final = (LoadViewTkoOp, StoreViewTkoOp, AtomicRedViewTkoOp)
_SAME_POINTER: Final = (
    AssumeOp, ReshapeOp, BroadcastOp, OffsetOp, MakeTensorViewOp, MakePartitionViewOp, MakeStridedViewOp,
)  # fmt: skip
_PRINTED: Final = -2
"""What is printed, among the arguments."""
_Loop = ForOp | LoopOp
_HANDS_ON: Final = Kinds(MakeTokenOp, JoinTokensOp, IfOp, ForOp, LoopOp, YieldOp, ContinueOp, BreakOp)
"""What hands on tokens, and touches no memory."""
_KNOWN: Final = Kinds(TileOp)
_Loose = set[tuple[Operation, bool]]
"""Runs of accesses: the latest (True), the earlier ones (False)."""


class _Access(NamedTuple):
    """What an access touches, and how."""

    argument: int
    writes: bool
    synchronises: bool
    place: tuple[object, ...] | None
    """The kind of tile and the numbers of its indices' values; None where it may be anywhere."""
    indices: tuple[SSAValue, ...]
    home: Operation | None
    """The innermost loop in which an index is computed: in another turn of it, the coordinates are others."""
    base: int = -1
    """The number of the address at which its window begins; -1 where that is the argument itself."""


@dataclass
class _State:
    """What is known at a place of the program."""

    past: set[Operation] = field(default_factory=set[Operation])
    """The accesses that may have run."""
    loose: dict[SSAValue, _Loose] = field(default_factory=dict[SSAValue, _Loose])
    """Of each token, the runs that may have happened and are not shown to be ordered before it."""

    def copy(self) -> _State:
        return _State(set(self.past), {token: set(runs) for token, runs in self.loose.items()})

    def merge(self, other: _State) -> None:
        """Either has happened."""
        self.past |= other.past
        for token, runs in other.loose.items():
            self.loose.setdefault(token, set()).update(runs)

    def everything(self) -> _Loose:
        return {(op, latest) for op in self.past for latest in (False, True)}


class _Walk:
    VISITS: ClassVar = Kinds(MakeTokenOp, JoinTokensOp, *_LOADS, *_STORES, *_UPDATES, PrintTkoOp)

    def __init__(self, entry: EntryOp, roles: Roles):
        self.entry = entry
        self.roles = roles
        self.named = {*roles.shared, *roles.regions, *roles.ordered, *roles.accumulators, roles.failures, _PRINTED}
        self.numbers: dict[object, int] = {}
        self.known: dict[SSAValue, tuple[int, Operation | None]] = {}
        self.accesses: dict[Operation, _Access] = {}
        for op in walk(entry):
            self._understand(op)
        self.synchronised = any(a.synchronises for a in self.accesses.values())
        self.written = {a.argument for a in self.accesses.values() if a.writes}
        loops = [op for op in ops_of(entry.body.block) if _is_over_points(op)]
        self.over_points = loops[0] if roles.persistent and len(loops) == 1 else None
        """The loop of a persistent block: each turn works on another point."""

    def run(self) -> None:
        if not self._some_conflict():
            return
        flow: Flow[_State] = Flow(self.entry, self)
        flow.block(self.entry.body.block, {frozenset(): _State()})

    # --- What accesses touch ------------------------------------------------------------------------------------------

    def _understand(self, op: Operation) -> None:
        """Notes an access. Refuses operations whose effect on memory is not known."""
        kind = type(op)
        if _ACCESSES[kind]:
            self.accesses[op] = self._access(op)
        elif not _KNOWN[kind] or (
            not _HANDS_ON[kind] and TokenType in map(type, map(type_of, (*operands_of(op), *op.results)))
        ):
            raise _failed(op, "is not understood")

    def _access(self, op: Operation) -> _Access:
        if isinstance(op, PrintTkoOp):
            return _Access(_PRINTED, True, False, None, (), None)
        pointer = nth(operands_of(op), 0) if not isinstance(op, StoreViewTkoOp) else op.view
        place, indices, home = None, (), None
        if isinstance(op, _OF_VIEWS):
            pointer, indices = op.view, tuple(op.index)
            found = [self._number(index) for index in indices]
            home = _innermost([h for _, h in found])
            geometry = _geometry(op.view.type)
            place = None if geometry is None else (geometry, *(n for n, _ in found))
        argument = self._argument(op, pointer)
        ordering = cast(MemoryOrderingSemanticsAttr, op.properties["memory_ordering_semantics"]).data.value
        synchronises = ordering not in ("weak", "relaxed") and argument != self.roles.failures
        base = self._base(pointer) if argument in self.roles.split else -1
        access = _Access(argument, not isinstance(op, _LOADS), synchronises, place, indices, home, base)
        if argument == self.roles.failures and not isinstance(op, AtomicCasTkoOp | StorePtrTkoOp):
            raise _failed(op, "touches what is there for failures")
        if access.writes and argument in self.roles.shared:
            raise _failed(op, f"writes argument {argument}, which is only read")
        if argument in self.roles.accumulators and (
            not isinstance(op, AtomicRedViewTkoOp | AtomicRmwTkoOp) or _mode(op) == "xchg" or ordering != "relaxed"
        ):
            raise _failed(op, f"does to argument {argument} what does not commute")
        return access

    def _argument(self, op: Operation, pointer: SSAValue) -> int:
        """The position of the argument that a pointer, or a tile of them, or a view is derived from."""
        while not isinstance(pointer, BlockArgument):
            if not isinstance(owner := pointer.owner, _SAME_POINTER):
                raise _failed(op, "touches memory of which it is not known whose it is")
            pointer = nth(operands_of(owner), 0)
        if pointer.block is not self.entry.body.block:
            raise _failed(op, "touches memory of which it is not known whose it is")
        return pointer.index

    def _base(self, pointer: SSAValue) -> int:
        """The number of the address at which the window of an access begins."""
        while not isinstance(pointer, BlockArgument):
            owner = pointer.owner
            assert isinstance(owner, Operation)
            if isinstance(owner, OffsetOp) and owner.result.type.dims == ():
                return self._number(pointer)[0]
            pointer = nth(operands_of(owner), 0)
        return -1

    def _number(self, value: SSAValue) -> tuple[int, Operation | None]:
        """A number that equal computations share, and the innermost loop in which something of it is new each turn."""
        if value in self.known:
            return self.known[value]
        owner = value.owner
        if isinstance(owner, Operation) and has_trait(type(owner), Pure) and not owner.regions:
            parts = [self._number(operand) for operand in operands_of(owner)]
            properties = tuple(sorted(((n, p) for n, p in owner.properties.items()), key=lambda pair: pair[0]))
            position = owner.results.index(value)  # pyright: ignore[reportArgumentType] -- a result of its owner
            key: object = (owner.name, properties, value.type, position, *(n for n, _ in parts))
            home = _innermost([h for _, h in parts])
        else:
            key, home = value, _loop_around(owner)
        found = self.known[value] = self.numbers.setdefault(key, len(self.numbers)), home
        return found

    def _some_conflict(self) -> bool:
        """Whether there are two accesses, or two runs of one, that need an order: else any tokens will do."""
        seen: list[_Access] = []
        for op, access in self.accesses.items():
            seen.append(access)
            if any(self._conflict(other, access) for other in seen[:-1]):
                return True
            around = _loop_around(op)
            elsewhere = access.argument in self.roles.regions and access.home is around  # in each turn
            if around is not None and not elsewhere and self._conflict(access, access):
                return True
        return False

    def _conflict(self, a: _Access, b: _Access) -> bool:
        """Whether two accesses of one block need an order."""
        if (a.synchronises or b.synchronises) and self.named.isdisjoint((a.argument, b.argument)):
            return True
        if a.argument != b.argument or not (a.writes or b.writes) or a.argument in self.roles.accumulators:
            return False
        if a.base != b.base:
            return False
        if a.place is None or b.place is None or a.place[0] != b.place[0]:
            return True
        if a.argument in self.roles.regions:
            return a.place == b.place
        return not any(_differ(i, j) for i, j in zip(a.indices, b.indices, strict=True))

    # --- Along every path, as a domain of `Flow` ----------------------------------------------------------------------

    def visit(self, op: Operation, state: _State) -> _State:
        """Follows an operation from a state, which it changes."""
        match op:
            case MakeTokenOp():
                state.loose[op.result] = state.everything()
            case JoinTokensOp():
                first, *others = (self.loose(op, state, token) for token in op.tokens)
                state.loose[op.result] = first.intersection(*others)
            case _ if op in self.accesses:
                self.access(op, state)
            case _:
                pass  # touches no memory, as has been seen to
        return state

    def fork(self, state: _State) -> _State:
        """A state that may be changed."""
        return state.copy()

    def runs(self, loop: ForOp) -> bool:
        """Any loop may have no turn."""
        return False

    def first_turn(self, loop: LoopOp) -> Flags:
        """Accesses wait for one another in whatever turn."""
        del loop
        return frozenset()

    def matters(self, flag: SSAValue) -> bool:
        """What loops hand on last may say that a check has failed."""
        loop = flag.owner if isinstance(flag.owner, Operation) else flag.owner.parent_op()
        return isinstance(loop, _Loop) and flag in (*loop.carried[-1:], *loop.results[-1:])

    def meet(self, op: Operation, ends: Sequence[End[_State]], names: Sequence[SSAValue]) -> _State:
        """What holds after any of `ends`, whose values become `names`: not what those stood for in another turn."""
        found = _State()
        for end in ends:
            found.merge(end.state)
        for n, name in enumerate(names):
            if name.type == TOKEN:
                found.loose[name] = set[tuple[Operation, bool]]().union(
                    *(self.loose(op, end.state, end.values[n]) for end in ends)
                )
        return found

    def turned(self, loop: ForOp | LoopOp, state: _State) -> _State:
        """A state when a turn is over."""
        self._forget(state, loop)
        return state

    def _forget(self, state: _State, loop: Operation) -> None:
        """Leaves out accesses to regions of a turn that is over. The next turn takes others, as each point does."""
        apart = {*self.roles.regions, *self.roles.ordered, _PRINTED} if loop is self.over_points else ()
        gone = {
            op
            for op in state.past
            if (self.accesses[op].home is loop and self.accesses[op].argument in self.roles.regions)
            or (self.accesses[op].argument in apart and loop.is_ancestor(op))
        }
        if gone:
            state.past -= gone
            for token, runs in state.loose.items():
                state.loose[token] = {run for run in runs if run[0] not in gone}

    def loose(self, op: Operation, state: _State, token: SSAValue) -> _Loose:
        """What a token leaves loose."""
        if token not in state.loose:
            raise _failed(op, "takes a token of which it is not known where it comes from")
        return state.loose[token]

    def access(self, op: Operation, state: _State) -> None:
        """Sees that an access waits for all it conflicts with, and notes that it has run."""
        access = self.accesses[op]
        token = next((operand for operand in op.operands if operand.type == TOKEN), None)
        waits = state.everything() if token is None else set(self.loose(op, state, token))
        loose = {e for e in state.past if (e, True) in waits or (e, False) in waits}
        if any(self._conflict(self.accesses[earlier], access) for earlier in loose):
            shared = "both print" if access.argument == _PRINTED else f"argument {access.argument}"
            # In the order of the program: sets of operations have another one in each process.
            earlier = next(e for e in self.accesses if e in loose and self._conflict(self.accesses[e], access))
            what = f"is not ordered after {_named(earlier)}: {shared}"
            raise TokensNotShownError(op, what, earlier, access.argument)
        result = next(r for r in op.results if r.type == TOKEN)
        if access.argument not in self.written and not self.synchronised:
            state.loose[result] = waits  # nothing will have to wait for it
            return
        for runs in state.loose.values():
            if (op, True) in runs:
                runs.add((op, False))
            runs.add((op, True))
        if (op, True) in waits:
            waits.remove((op, True))
            waits.add((op, False))
        state.loose[result] = waits
        state.past.add(op)


def _mode(op: AtomicRedViewTkoOp | AtomicRmwTkoOp) -> str:
    return cast(AtomicRMWModeAttr, op.properties["mode"]).data.value


def _geometry(view: Attribute) -> tuple[object, ...] | None:
    """How a view cuts its tensor, where its tiles are disjoint: indices into views of one geometry name tiles."""
    if isinstance(view, PartitionViewType):
        return "tiles", view.tile_shape, view.dim_map
    if isinstance(view, StridedViewType) and all(
        step >= extent for step, extent in zip(view.traversal_strides.data, view.tile_shape.data, strict=True)
    ):
        return "steps", view.tile_shape, view.traversal_strides, view.dim_map
    return None


def _differ(i: SSAValue, j: SSAValue) -> bool:
    """Whether two indices are different constants."""
    a, b = i.owner, j.owner
    return isinstance(a, ConstantOp) and isinstance(b, ConstantOp) and a.value != b.value and i.type == j.type


def _is_over_points(op: Operation) -> bool:
    """Whether an operation is a loop of a persistent block over its points: those of other loops are any."""
    if not isinstance(op, ForOp):
        return False
    first, step = op.lowerBound.owner, op.step.owner
    return isinstance(first, GetTileBlockIdOp) and isinstance(step, GetNumTileBlocksOp)


def _loop_around(owner: Operation | Block) -> Operation | None:
    return next((op for op in around(owner) if isinstance(op, _Loop)), None)


def _innermost(loops: Sequence[Operation | None]) -> Operation | None:
    """Of loops around one place, the one that all others are around."""
    found = [loop for loop in loops if loop is not None]
    return max(found, key=lambda loop: sum(1 for _ in around(loop)), default=None)


def _named(op: Operation) -> str:
    span = span_of(op)
    return f"{op.name} of line {span.line}" if span is not None else op.name


def _failed(op: Operation, what: str) -> TokensNotShownError:
    return TokensNotShownError(op, what)
