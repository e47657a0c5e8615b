"""`validate-translation`: shows that the Tile IR emitted for a kernel makes the accesses that were verified, no others.

Both sides are walked at once: the verified kernel, and the entry point as it was read from bytecode. Each access is
matched with one in the same place of the flow of control, and has to touch the same (`analysis/access_maps`), at the
same index as a term over what the launch passes (`analysis/tile_values`), and to store the same value; conditions of
branches, bounds of loops, what loops carry and branches yield are the same terms, too. Which point a tile block works
on is compared with the schedule's map. Promises to the assembler have to be among the launcher's guarantees, and each
check in the kernel has an assertion, as far out as its condition allows.

Emitted code may lack what has no effect, unused loads or equal ones, but has nothing that was not verified. It follows
the order of the kernel, as that of the tokens rests on it (`verify-tokens`). What is not understood is refused, and so
is a kernel with an open duty: compared is what was verified. On purpose nothing is shared with the lowering but the
terms of the schedules: what operations mean is read a second time here, of both forms. Trusted are these readers, the
normal form of terms, and the lemmas of schedules: that in 32 bits nothing wraps in the narrow form, nor in the
wide one with a block a point and groups of at most 128 rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from freehold.dialects.classes import Kinds, ops_of
from freehold.dialects.cuda_tile.integers import element_width
from freehold.dialects.cuda_tile.ops.control_flow import (
    AssertOp,
    BreakOp,
    ContinueOp,
    ForOp,
    IfOp,
    LoopOp,
    ReturnOp,
    YieldOp,
)
from freehold.dialects.cuda_tile.ops.memory import LoadPtrTkoOp
from freehold.dialects.cuda_tile.ops.misc import AssumeOp, PrintTkoOp
from freehold.dialects.cuda_tile.ops.module import EntryOp, TileModuleOp
from freehold.dialects.cuda_tile.ops.reduce import Aggregate
from freehold.dialects.cuda_tile.ops.shape import SelectOp
from freehold.dialects.cuda_tile.types import TileType
from freehold.dialects.location import span_of
from freehold.dialects.ownership import (
    AccessOp,
    BlocksKind,
    CheckOp,
    DistributeOp,
    EndOp,
    KernelOp,
    PartitionOp,
    WindowOp,
    kernels_of,
)
from freehold.dialects.ownership import ReturnOp as KernelReturnOp
from freehold.passes import schedules
from freehold.passes.analysis.access_maps import ACCESSES, Access, Emitted, Owned, is_access, only_reads
from freehold.passes.analysis.contraction import CONTRACTED
from freehold.passes.analysis.emitted_checks import ChecksAlike, Path, beyond_tokens
from freehold.passes.analysis.facts import MOST_POINTS
from freehold.passes.analysis.group_maps import ALL_FIT, read_once, takes_group
from freehold.passes.analysis.launch_values import Launch
from freehold.passes.analysis.machine_integers import Integers
from freehold.passes.analysis.tile_values import Different, NotFollowedError, Values, named
from freehold.passes.errors.translation import TranslationNotShown
from freehold.passes.launch_contract import distribution_of, kernel_checks
from freehold.passes.lowering import convert
from freehold.passes.rewriting import Effect, effect, walk
from freehold.passes.verify_duties import recorded, verify_duties
from freehold.support import terms
from freehold.support.contract import Checks
from freehold.support.diagnostic import Rejected
from freehold.support.terms import Term

_WIDEST_GROUP: Final = 128
"""The most rows of a group of which the wide form of the grouped order does not wrap, with a block a point."""


@dataclass(frozen=True)
class ValidateTranslationPass(ModulePass):
    """Compares each verified kernel of a module with the entry point of its name beside it, or with a new one."""

    name = "validate-translation"

    checks: bool = True
    """Whether what is met in the kernel is checked there."""
    traps: bool = False
    """Whether checks are assertions, which stop the GPU."""
    contracted: bool = True
    """Whether a product may be rounded together with the sum that it is added to."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Raises `Rejected` (O140) at the first difference. Changes nothing."""
        targets = [m for m in op.walk() if isinstance(m, TileModuleOp)]
        emitted = {(m.parent, e.sym_name.data): e for m in targets for e in ops_of(m.block) if isinstance(e, EntryOp)}
        for kernel in kernels_of(op):
            entry = emitted.get((kernel.parent, kernel.sym_name.data))
            checks: Checks = "trap" if self.checks and self.traps else self.checks
            if entry is None:
                entry = entry_of(convert(ModuleOp([kernel.clone()]), checks=checks, contract=self.contracted))
            validate_translation(kernel, entry, checks, contracted=self.contracted)


def entry_of(module: ModuleOp) -> EntryOp:
    """The one entry point of a module."""
    (target,) = (op for op in ops_of(module.body.block) if isinstance(op, TileModuleOp))
    (entry,) = (op for op in ops_of(target.block) if isinstance(op, EntryOp))
    return entry


def validate_translation(kernel: KernelOp, entry: EntryOp, checks: Checks = True, *, contracted: bool = True) -> None:
    """Shows that `entry` does what the verified `kernel` says, with its checks as they are told. Changes neither.

    If it may be `contracted`, a product may be rounded together with the sum that it is added to. Raises `Rejected`
    (O140) at the first difference, and (O142) where the kernel was not verified: what it says of itself would be
    compared with what was made of that.
    """
    record = recorded(kernel)
    if errors := verify_duties(kernel, record):
        raise Rejected(errors, kernel=kernel.sym_name.data)
    try:
        failing = [*kernel_checks(record, checks)]
        narrow = not _is_wide(distribution_of(kernel))
        _Comparison(kernel, entry, checks, failing, narrow=narrow, contracted=contracted).run()
        return
    except Different as found:
        failed = found
    except NotFollowedError as found:
        failed = Different(found.op, f"{named(found.op)} {found.what}")
    except RecursionError:
        failed = Different(kernel, "values are nested too deeply to be compared")
    error = TranslationNotShown(span_of(failed.op), kernel.sym_name.data, failed.what)
    if failed.part:
        error.add(error.Differs(*failed.part))
    raise Rejected([error], kernel=kernel.sym_name.data)


def _is_wide(distribution: DistributeOp) -> bool:
    """Whether a schedule's map is emitted in its wide form. Both name the same points, and differ for groups alone."""
    return distribution.blocks.kind is BlocksKind.EACH and distribution.order.size.data <= _WIDEST_GROUP


_TERMINATORS: Final = (YieldOp, ContinueOp, BreakOp, ReturnOp, EndOp, KernelReturnOp)
_EVENTS: Final = frozenset((*ACCESSES, *_TERMINATORS, IfOp, ForOp, LoopOp, DistributeOp, PrintTkoOp))
"""What happens, in the order in which it stands; accesses of ownership IR do, too."""
_ENDED: Final = frozenset((YieldOp, EndOp))
_SILENT: Final = frozenset((AssumeOp, CheckOp, WindowOp))
"""What computes nothing that would have to be known, or is asked for where it is used."""


_CHECKED: Final = Kinds(AccessOp, CheckOp, WindowOp)


@dataclass(frozen=True)
class _Cursor:
    """A place in a block, and where it goes on behind structures that were decided at compile time."""

    op: Operation | None
    outer: _Cursor | None = None
    decided: IfOp | DistributeOp | None = None
    """The operation whose body is walked as if it stood in its place."""


class _Comparison:
    def __init__(
        self,
        kernel: KernelOp,
        entry: EntryOp,
        checks: Checks,
        failing: Sequence[tuple[Operation, int]],
        *,
        narrow: bool,
        contracted: bool,
    ):
        self.kernel = kernel
        self.entry = entry
        self.narrow = narrow
        self.integers = Integers()
        self.launch = Launch(kernel, self.integers, checks, bool(failing))
        keys: dict[object, int] = {}
        rules = CONTRACTED if contracted else None
        self.verified, self.emitted = Values(self.integers, keys, rules), Values(self.integers, keys, rules)
        self.owned = Owned(kernel, self.launch, self.verified, checks, failing)
        self.found = Emitted(entry, self.launch, self.emitted)
        self.checks = ChecksAlike(self.owned, self.found)
        self.numbers: dict[Operation, int] = {}
        """Structures of the verified kernel, numbered."""
        self.versions: dict[SSAValue, int] = {}
        """How often what is in memory has been changed, by what was changed."""
        self.changes = 0

    def run(self) -> None:
        self.block(_Cursor(self.kernel.body.block.first_op), _Cursor(self.entry.body.block.first_op), ())
        self.checks.finish()
        self.found.check_promises()  # by now it is known what everything is

    # Both at once

    def block(self, verified: _Cursor, emitted: _Cursor, path: Path) -> tuple[Operation, Operation]:
        """Matches what is left of two blocks; returns how they end."""
        outer, self.checks.path = self.checks.path, path
        found, emitted = self.following(self.emitted, emitted)
        failure: Different | None = None
        while True:
            op, verified = self.following(self.verified, verified)
            self.checks.demand()
            if isinstance(op, _TERMINATORS) and isinstance(found, _TERMINATORS):
                if _ENDS[type(op)] is not _ENDS[type(found)]:
                    raise failure or Different(found, f"{named(found)} does not end its block as the kernel does")
                self.checks.path = outer
                return op, found
            if isinstance(op, _TERMINATORS):
                raise failure or Different(found, f"{named(found)} is nowhere in the kernel")
            if takes_group(op):
                found, emitted = self.match_group(op, found, emitted)
                continue
            before = self.emitted.mark(), self.checks.mark(), dict(self.versions)
            try:
                self.match(op, found)
            except Different as different:
                if failure is None or failure.part is None:
                    failure = different
                if not self.skippable(op):
                    raise failure from None
                self.emitted.forget(before[0])
                self.checks.forget(before[1])
                self.versions = before[2]
                self.skip(op)
            else:
                found, emitted = self.following(self.emitted, emitted)
                failure = None

    def following(self, side: Values, cursor: _Cursor) -> tuple[Operation, _Cursor]:
        """The next operation that does something, and the place behind it. What is only computed is computed."""
        op, outer, decided = cursor.op, cursor.outer, cursor.decided
        while op is not None:
            kind = type(op)
            if _CHECKED[kind]:
                self.checks.expect(op)
            if kind in _ENDED and decided is not None:
                assert outer is not None
                for result, value in zip(decided.results, op.operands, strict=True):
                    side.alias(result, value)
                op, outer, decided = outer.op, outer.outer, outer.decided
                continue
            if kind not in _EVENTS and not is_access(op):
                if takes_group(op) or (isinstance(op, PartitionOp) and op.offsets is not None):
                    return op, _Cursor(op.next_op, outer, decided)
                self.compute(side, op)
            elif isinstance(op, IfOp) and side is self.emitted and self.checks.leaves(op):
                pass
            elif isinstance(op, DistributeOp) and op.blocks.kind is BlocksKind.EACH:
                self.points(op, self.integers.symbol("block", 0, MOST_POINTS[BlocksKind.EACH] - 1))
                outer, decided, op = _Cursor(op.next_op, outer, decided), op, op.body.block.first_op
                continue
            elif isinstance(op, IfOp) and (condition := side.whole(op.condition)).is_const:
                region = op.regions[0 if condition.value else 1]
                if region.blocks:
                    outer, decided, op = _Cursor(op.next_op, outer, decided), op, region.block.first_op
                    continue
            elif isinstance(op, ForOp) and self.turns(side, op) == terms.TRUE:
                for result, value in zip(op.results, op.initValues, strict=True):
                    side.alias(result, value)
            else:
                if side is self.emitted and self.checks.failed is not None:
                    raise Different(op, f"{named(op)} follows a check that failed in a loop")
                return op, _Cursor(op.next_op, outer, decided)
            op = op.next_op
        raise Different(self.kernel, "a block has no end")

    def compute(self, side: Values, op: Operation) -> None:
        """What does nothing but compute is computed in order, for what it is computed from is known by then."""
        kind = type(op)
        if isinstance(op, AssertOp):
            self.checks.asserted(op, side.whole(op.condition), emitted=side is self.emitted)
        elif kind is SelectOp and side is self.emitted:
            self.checks.note(cast(SelectOp, op))
        elif kind not in _SILENT:
            if side is self.emitted and effect(kind) is Effect.UNKNOWN and not isinstance(op, Aggregate):
                raise NotFollowedError(op, "is not understood")
            for result in op.results:
                if isinstance(result.type, TileType):
                    side.whole(result)

    def match(self, op: Operation, found: Operation) -> None:
        """Sees that two operations do the same."""
        if is_access(op) and isinstance(found, ACCESSES):
            self.match_access(self.owned.access(op), self.found.access(found))
        elif isinstance(op, IfOp) and isinstance(found, IfOp):
            self.match_if(op, found)
        elif isinstance(op, ForOp) and isinstance(found, ForOp):
            self.match_for(op, found)
        elif isinstance(op, LoopOp) and isinstance(found, LoopOp):
            self.same_values(op, op.initValues, found, found.initValues, "what the loop begins with")
            self.checks.bounds[op] = None
            self.match_body(op, op.block, found, 0)
            self.hand_on(op, op.results, found.results, "result")
        elif isinstance(op, DistributeOp) and isinstance(found, ForOp):
            self.match_points(op, found)
        elif isinstance(op, PartitionOp) and isinstance(found, ForOp):
            self.match_offsets(op, found)
        elif isinstance(op, PrintTkoOp) and isinstance(found, PrintTkoOp) and op.str_ == found.str_:
            self.same_values(op, op.args, found, found.args, "what is printed")
        else:
            raise Different(op, f"{named(op)} of the kernel is {named(found)} in what was emitted")

    def match_access(self, wanted: Access, found: Access) -> None:
        """Sees that an access touches what was proved of it."""
        if wanted.kind != found.kind:
            raise Different(wanted.op, f"this {wanted.kind} is emitted as a {found.kind}")
        for part in {**wanted.parts, **found.parts}:
            one, other = wanted.parts.get(part), found.parts.get(part)
            if one != other:
                raise Different(
                    wanted.op, f"this {wanted.kind} is emitted with another {part}", (part, _text(one), _text(other))
                )
        self.loaded(wanted)
        for result, new in zip(wanted.results, found.results, strict=False):
            self.emitted.bind(new, self.result(wanted, result))
        if wanted.kind != "load" and wanted.memory is not None:
            self.change([wanted.memory])

    def loaded(self, access: Access) -> None:
        """Says what an access yields: what it touches, in the state in which memory is."""
        for result in access.results:
            self.verified.bind(result, self.result(access, result))

    def result(self, access: Access, result: SSAValue) -> object:
        """What tells the result of an access from others. Raw memory may be changed by others at any time."""
        if access.kind != "load" or access.parts["order"] != ("weak", None):
            return ("result", access.op)
        if access.memory is None:
            return read_once(access.parts, result.type)
        return ("loaded", access.memory, self.versions.get(access.memory, 0), tuple(access.parts.items()), result.type)

    def change(self, memory: Sequence[SSAValue]) -> None:
        """Notes that something in memory is changed."""
        for m in memory:
            self.changes += 1
            self.versions[m] = self.changes

    def changed_in(self, op: Operation) -> list[SSAValue]:
        """What is changed in memory by what stands inside an operation."""
        inner = [self.owned.written(i) for i in walk(op)]
        return list(dict.fromkeys(m for m in inner if m is not None))

    def same(self, op: Operation, a: SSAValue, found: Operation, b: SSAValue, what: str) -> None:
        """Sees that two values are one."""
        wanted, got = self.verified.whole(a), self.emitted.whole(b)
        if wanted != got or a.type != b.type:
            raise Different(op, f"{what} is another one in what was emitted", (what, _text(wanted), _text(got)))

    def same_values(
        self, op: Operation, values: Sequence[SSAValue], found: Operation, others: Sequence[SSAValue], what: str
    ) -> None:
        """Sees that values are the same one by one; behind them, tokens may follow."""
        if len(others) < len(values) or not self.checks.none_failed(beyond_tokens(others, len(values))):
            raise Different(op, f"{what} is more or less in what was emitted")
        for a, b in zip(values, others, strict=False):
            self.same(op, a, found, b, what)

    def hand_on(self, op: Operation, values: Sequence[SSAValue], others: Sequence[SSAValue], what: str) -> None:
        """Lets two rows of values stand for the same."""
        number = self.numbers.setdefault(op, len(self.numbers))
        for n, (a, b) in enumerate(zip(values, others, strict=False)):
            self.verified.bind(a, (what, number, n))
            self.emitted.bind(b, (what, number, n))

    # Structures

    def computed_alike(self, op: IfOp | ForOp, found: IfOp | ForOp) -> list[object]:
        """What tells the results of two structures from others if they do nothing but compute, and the same.

        So it does not matter which of several equal ones is what was emitted: the others may be missing.
        """
        one = self.verified.computed(op)
        return one if one is not None and one == self.emitted.computed(found) else []

    def hand_on_results(self, op: IfOp | ForOp, found: IfOp | ForOp, computed: Sequence[object]) -> None:
        """Lets the results of two structures stand for the same."""
        self.hand_on(op, op.results, found.results, "result")
        for a, b, key in zip(op.results, found.results, computed, strict=False):
            self.verified.stand_for(a, key)
            self.emitted.stand_for(b, key)

    def match_if(self, op: IfOp, found: IfOp) -> None:
        """Two branches under one condition."""
        self.same(op, op.condition, found, found.condition, "the condition")
        written, noted = self.changed_in(op), self.checks.noted
        before, computed = dict(self.versions), self.computed_alike(op, found)
        for n, (one, other) in enumerate(zip(op.regions, found.regions, strict=True)):
            self.versions, self.checks.noted = dict(before), noted
            path = (*self.checks.path, (op, n))
            end, last = self.block(_start(one.blocks.first), _start(other.blocks.first), path)
            self.end_alike(end, last)
        self.versions, self.checks.noted = before, noted
        self.change(written)
        self.hand_on_results(op, found, computed)

    def end_alike(self, end: Operation, last: Operation) -> None:
        """Sees that two blocks hand on the same."""
        if not isinstance(end, EndOp | KernelReturnOp):
            self.same_values(end, end.operands, last, last.operands, f"what `{end.name.split('.')[1]}` hands on")

    def match_for(self, op: ForOp, found: ForOp) -> None:
        """Two counted loops."""
        for what, a, b in (
            ("the lower bound", op.lowerBound, found.lowerBound),
            ("the upper bound", op.upperBound, found.upperBound),
            ("the step", op.step, found.step),
        ):
            self.same(op, a, found, b, what)
        if (op.unsignedCmp is None) != (found.unsignedCmp is None):
            raise Different(op, "this loop compares its counter in another way in what was emitted")
        self.same_values(op, op.initValues, found, found.initValues, "what the loop begins with")
        no_turn = self.turns(self.verified, op)
        self.checks.bounds[op] = None if no_turn == terms.FALSE else no_turn
        computed = self.computed_alike(op, found)
        self.match_body(op, op.block, found, 1)
        self.hand_on_results(op, found, computed)

    def turns(self, values: Values, op: ForOp) -> Term:
        """The condition under which a loop has no turn."""
        i, width = self.integers, element_width(op.lowerBound.type) or 32
        bounds = [i.read(values.whole(b), width, op.unsignedCmp is None) for b in (op.lowerBound, op.upperBound)]
        return i.compared("greater_than_or_equal", *bounds)

    def match_body(self, op: ForOp | LoopOp, body: Block, found: ForOp | LoopOp, counters: int) -> None:
        """The bodies of two loops, from any turn to the next."""
        written, other, noted = self.changed_in(op), found.block, self.checks.noted
        self.change(written)
        self.hand_on(op, body.args[:counters], other.args[:counters], "counter")
        self.hand_on(op, body.args[counters:], other.args[counters:], "carried")
        self.checks.begin_turn(op, found, counters + len(op.initValues))
        end, last = self.block(_start(body), _start(other), (*self.checks.path, (op, 0)))
        self.end_alike(end, last)
        self.change(written)
        self.checks.leave_loop(op, found, noted)

    def match_points(self, op: DistributeOp, found: ForOp) -> None:
        """The points that a persistent block works on: those from its number on, in steps of the number of blocks."""
        values, count = self.emitted, self.launch.number(schedules.count(op.extents))
        wanted = terms.sym("block"), count, terms.sym("blocks")
        for what, term, value in zip(
            ("the first point", "the number of points", "the distance to the next point"),
            wanted,
            (found.lowerBound, found.upperBound, found.step),
            strict=True,
        ):
            if (got := values.whole(value)) != term:
                raise Different(op, f"{what} of a tile block is another one", (what, _text(term), _text(got)))
        if found.unsignedCmp is not None:
            raise Different(op, "the loop over points is another one in what was emitted")
        self.same_values(op, (), found, found.initValues, "what the loop over points begins with")
        number = self.integers.symbol("point", 0, MOST_POINTS[BlocksKind.PERSISTENT] - 1)
        values.define(found.block.args[0], number)
        self.checks.bounds[op] = self.integers.compared("greater_than_or_equal", wanted[0], count)
        self.points(op, number)
        self.change(self.changed_in(op))
        self.checks.begin_turn(op, found, 1)
        _, last = self.block(_start(op.body.block), _start(found.block), (*self.checks.path, (op, 0)))
        self.same_values(op, (), last, last.operands, "what the loop over points hands on")
        self.checks.leave_loop(op, found, ())

    def points(self, op: DistributeOp, number: Term) -> None:
        """Says what the coordinates of a point are, by the schedule's map."""
        symbol = terms.sym("$number")
        values = {**self.launch.extents, symbol: number}
        coordinates = schedules.point(op.order, symbol, op.extents, narrow=self.narrow)
        for argument, coordinate in zip(op.body.block.args, coordinates, strict=True):
            self.verified.define(argument, self.integers.carried_out(coordinate, values, 32))

    # Groups

    def match_group(self, op: Operation, found: Operation, emitted: _Cursor) -> tuple[Operation, _Cursor]:
        """Where a group lies is read, if that is not known yet. Returns what comes next of what was emitted."""
        for parts, key in self.owned.groups.reads(op):
            if isinstance(found, LoadPtrTkoOp) and self.found.access(found).parts == parts:
                self.emitted.bind(found.result, key)
                found, emitted = self.following(self.emitted, emitted)
        return found, emitted

    def match_offsets(self, op: PartitionOp, found: ForOp) -> None:
        """The loop that looks at all offsets, many at a time, for the first group that is none of the tensor."""
        groups, values, i = self.owned.groups, self.emitted, self.integers
        if len(found.results) != 1 or not isinstance(type_ := found.results[0].type, TileType) or type_.rank != 1:
            raise Different(op, "what is looked for in offsets is another thing in what was emitted")
        wanted = {
            "the first group that is looked at": (found.lowerBound, terms.const(0)),
            "how many groups are looked at": (found.upperBound, groups.count(op)),
            "how many groups are looked at together": (found.step, terms.const(type_.dims[0])),
            "what is found where there is no group": (found.initValues[0], ALL_FIT),
        }
        for what, (value, term) in wanted.items():
            if (got := values.whole(value)) != term:
                raise Different(op, f"{what} is another in what was emitted", (what, _text(term), _text(got)))
        turns = i.symbol("turns over groups", 0, ALL_FIT.value // type_.dims[0])
        values.define(found.block.args[0], i.times(turns, type_.dims[0]))
        values.bind(found.block.args[1], ("found so far", op))
        group = i.wrapped(i.plus(i.times(turns, type_.dims[0]), values.everywhere(type_)[0]), 32)
        reads, least = groups.line(op, group, type_)
        outer, self.checks.path = self.checks.path, (*self.checks.path, (op, 0))
        last, rest = self.following(values, _start(found.block))
        while not isinstance(last, _TERMINATORS):
            parts = self.found.access(last).parts if isinstance(last, LoadPtrTkoOp) else None
            key = next((key for wanted, key in reads if wanted == parts), None)
            if key is None:
                raise Different(last, f"{named(last)} is nowhere in the kernel")
            values.bind(last.results[0], key)
            last, rest = self.following(values, rest)
        self.checks.path = outer
        least = i.wrapped(i.extreme("min", values.whole(found.block.args[1]), least), 32)
        if (got := values.whole(last.operands[0])) != least:
            what = "what is looked for in offsets"
            raise Different(op, f"{what} is another thing in what was emitted", (what, _text(least), _text(got)))
        self.found.lines[found.results[0]] = groups.first_bad(op)
        self.checks.expect(op)

    # What may be missing

    def skippable(self, op: Operation) -> bool:
        """Whether an operation of the kernel may be left out: it changes nothing and stops nothing."""
        if isinstance(op, AccessOp) and is_access(op):
            return only_reads(op)
        return isinstance(op, IfOp | ForOp) and all(self.harmless(i) for i in self.reached(op))

    def reached(self, op: Operation) -> Iterator[Operation]:
        """What may run inside an operation: not what it is decided at compile time of that it is never done."""
        mark, taken, decided = self.verified.mark(), op.regions, False
        with suppress(NotFollowedError):  # it depends on a loop that nobody has walked
            if isinstance(op, IfOp) and (condition := self.verified.whole(op.condition)).is_const:
                taken, decided = (op.regions[:1] if condition.value else op.regions[1:]), True
            elif isinstance(op, ForOp) and self.turns(self.verified, op) == terms.TRUE:
                taken = ()
        self.verified.forget(mark)
        for inner in (inner for region in taken for block in region.blocks for inner in ops_of(block)):
            yield inner
            yield from self.reached(inner)
            if decided and isinstance(inner, YieldOp):  # which may decide of what follows
                for result, value in zip(op.results, inner.operands, strict=True):
                    self.verified.alias(result, value)

    def harmless(self, op: Operation) -> bool:
        """Whether an operation inside one that is left out changes nothing, stops nothing and leaves nothing."""
        if isinstance(op, AssertOp | CheckOp | PrintTkoOp | LoopOp | BreakOp | ReturnOp) or self.owned.is_checked(op):
            return False
        return not is_access(op) or self.skippable(op)

    def skip(self, op: Operation) -> None:
        """Goes on behind an operation that was left out. Its checks were not, and neither is what it yields lost."""
        if is_access(op):
            self.loaded(self.owned.access(op))


_ENDS: Final[dict[type[Operation], type[Operation]]] = {
    YieldOp: YieldOp,
    ContinueOp: ContinueOp,
    BreakOp: BreakOp,
    ReturnOp: ReturnOp,
    EndOp: ContinueOp,
    KernelReturnOp: ReturnOp,
}
"""How a block of Tile IR ends that is made of one that ends so."""


def _start(block: Block | None) -> _Cursor:
    """The beginning of a block; of a branch that there is not, its end."""
    return _Cursor(YieldOp() if block is None else block.first_op)


def _text(part: object) -> str:
    return "nothing" if part is None else str(part)
