"""What a kernel checks while it runs, found again in the Tile IR that `lower-checks` emits.

A branch is the way out of a block if it does nothing but write a failure down, in the buffer that is there for it, and
then ends the tile block: by `return`, or by leaving a turn or a loop with `true` as the last value, of a loop that says
so whether a check has failed in it. Loops in which only reads are checked run to their end; they carry the number of
the first check that failed, and the way out stands behind them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.ir import Block, Operation, SSAValue

from freehold.dialects.classes import ops_of
from freehold.dialects.cuda_tile.ops.arith_int import AndIOp
from freehold.dialects.cuda_tile.ops.atomics import AtomicCasTkoOp
from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, IfOp, LoopOp, ReturnOp, YieldOp
from freehold.dialects.cuda_tile.ops.memory import StorePtrTkoOp
from freehold.dialects.cuda_tile.ops.shape import SelectOp
from freehold.dialects.cuda_tile.types import TOKEN, TileType
from freehold.dialects.ownership import AccessOp, Action
from freehold.passes.analysis.access_maps import ACCESSES, Emitted, Owned
from freehold.passes.analysis.tile_values import Different
from freehold.support import terms
from freehold.support.terms import Term

Noted = tuple[SSAValue, ...]
Path = tuple[tuple[Operation, int], ...]
"""The structures of the verified kernel around a place, and which of the regions of each."""


@dataclass(frozen=True)
class _Check:
    """Something that is checked: where, and the condition that has to hold."""

    op: Operation
    path: Path
    condition: Term
    says: tuple[Term, ...] = ()
    """What is written down where it fails: its number plus 1, and its values. Nothing of assertions."""


class ChecksAlike:
    """Sees, while two sides are walked at once, that what one checks is checked on the other before it matters."""

    def __init__(self, owned: Owned, emitted: Emitted):
        self.owned = owned
        self.emitted = emitted
        self.values = emitted.values
        self.path: Path = ()
        """Where the walk is."""
        self.bounds: dict[Operation, Term | None] = {}
        """Of each loop that was matched, the condition under which it has no turn; None where it always has one."""
        self.wanted: list[_Check] = []
        self.found: list[_Check] = []
        self.pending: list[_Check] = []
        """What is to be checked before the next thing happens."""
        self.later: list[_Check] = []
        """What is to be checked of reads, which are harmless where it fails."""
        self.loops: set[Operation] = set()
        """The loops that say by a truth value whether a check has failed in them."""
        self.noted: Noted = ()
        """In loops that run to their end where a check has failed: what says which was the first, and its values."""
        self.first: SSAValue | None = None
        """Whether the check that was noted last is the first that failed."""
        self.failed: tuple[Term, tuple[Term, ...]] | None = None
        """What says that a check has failed in a loop, where the block has to end next if it has; and what is written
        down of it there."""

    def mark(self) -> tuple[Path, int, int, int, Noted]:
        """A point of the walk, for `forget`."""
        return self.path, len(self.wanted), len(self.found), len(self.later), self.noted

    def forget(self, mark: tuple[Path, int, int, int, Noted]) -> None:
        """Goes back to a point of the walk at which nothing was to be checked next."""
        self.path, wanted, found, later, self.noted = mark
        del self.wanted[wanted:], self.found[found:], self.later[later:]
        self.pending, self.failed = [], None

    # What is to be checked

    def expect(self, op: Operation) -> None:
        """Notes what is to be checked before what follows an operation of the kernel."""
        self.pending += [_Check(op, self.path, condition, says) for condition, says in self.owned.checked(op)]

    def demand(self) -> None:
        """Sees that what is to be checked has been, before anything else happens."""
        for wanted in self.pending:
            if isinstance(wanted.op, AccessOp) and wanted.op.ACTION is Action.READ:
                self.later.append(wanted)
            elif not self._is_found(wanted):
                raise Different(wanted.op, f"`{wanted.condition}` is not checked before what rests on it")
        self.wanted += self.pending
        self.pending = []

    def asserted(self, op: Operation, condition: Term, *, emitted: bool) -> None:
        """Notes an assertion of either side."""
        (self.found if emitted else self.pending).append(_Check(op, self.path, condition))

    def finish(self) -> None:
        """Sees that all has been checked, and nothing else."""
        for wanted in self.later:
            if not self._is_found(wanted):
                raise Different(wanted.op, f"`{wanted.condition}` is not checked")
        allowed = {(*form, wanted.says) for wanted in self.wanted for form in self._hoisted(wanted)}
        for found in self.found:
            if found.condition != terms.TRUE and (found.path, found.condition, found.says) not in allowed:
                raise Different(found.op, f"`{found.condition}` is checked, which the kernel does not")

    def _is_found(self, wanted: _Check) -> bool:
        if wanted.condition == terms.TRUE:
            return True
        forms = self._hoisted(wanted)
        said = [c.says for c in self.found if (c.path, c.condition) in forms]
        if said and wanted.says not in said:
            what = "what is written down where this check fails"
            one, other = (", ".join(map(str, s)) or "nothing" for s in (wanted.says, said[-1]))
            raise Different(wanted.op, f"{what} is another in what was emitted", (what, one, other))
        return bool(said)

    def _hoisted(self, check: _Check) -> list[tuple[Path, Term]]:
        """The places at which a check may stand, with its condition there: in front of loops around it, too."""
        path, condition = check.path, check.condition
        found = [(path, condition)]
        while path and path[-1][0] in self.bounds:
            if (no_turn := self.bounds[path[-1][0]]) is not None:
                condition = self.values.integers.either(no_turn, condition)
            path = path[:-1]
            found.append((path, condition))
        return found

    # What loops say of checks that failed in them

    def none_failed(self, said: Sequence[SSAValue]) -> bool:
        """Whether what a loop hands on besides tokens says no more of failed checks than is known."""
        if len(said) == 1:  # a truth value, by which a check leaves the loop: here, none has failed
            return self.values.whole(said[0]) == terms.FALSE
        if said and not self.noted:
            return self.values.whole(said[0]) == terms.const(0)
        return not said or tuple(map(self.values.origin, said)) == self.noted

    def begin_turn(self, op: Operation, found: ForOp | LoopOp, carried: int) -> None:
        """What a turn does where a check has failed: nothing, or what it does anyway, if only reads are checked."""
        if len(beyond_tokens(found.results, len(op.results))) == 1:
            self.loops.add(found)
        if not isinstance(found, ForOp):
            return
        said = beyond_tokens(found.block.args, carried)
        if len(said) == 1:
            self.failed = self._flag(op, said[0], "failed in an earlier turn"), ()
        elif said:
            for n, value in enumerate(said):
                self._flag(op, value, f"noted {n}")
            self.noted = tuple(said)

    def leave_loop(self, op: Operation, found: ForOp | LoopOp, noted: Noted) -> None:
        """Behind the loops in which a check may have failed, the block has to end if one has."""
        said = beyond_tokens(found.results, len(op.results))
        self.noted = noted
        if len(said) == 1:
            self.failed = self._flag(op, said[0], "failed"), ()
        elif said:
            numbers = tuple(self._flag(op, value, f"noted {n} in the end") for n, value in enumerate(said))
            if not noted:
                i = self.values.integers
                self.failed = i.negated(i.equal(numbers[0], terms.const(0))), numbers
            else:
                self.noted = tuple(said)

    def note(self, op: SelectOp) -> None:
        """Whether something is chosen to say which check was the first that failed."""
        both = op.cond.owner
        before = self.values.origin(op.val_if_false)  # a loop without a turn hands on what it began with
        place = next((n for n, value in enumerate(self.noted) if value is before), None)
        if place is None or not isinstance(both, AndIOp):
            return
        i, said = self.values.integers, self.values.whole(op.val_if_true)
        if place:  # a value of the check that was noted last
            if op.cond is not self.first or len(self.found[-1].says) != place:
                return
            self.found[-1] = replace(self.found[-1], says=(*self.found[-1].says, said))
        else:
            none_yet = i.equal(self.values.whole(self.noted[0]), terms.const(0))
            if self.values.whole(both.lhs) != none_yet or not said.is_const or said.value <= 0:
                return
            self.first = op.cond
            self.found.append(_Check(op, self.path, i.negated(self.values.whole(both.rhs)), (said,)))
        self.noted = (*self.noted[:place], op.result, *self.noted[place + 1 :])

    def _flag(self, op: Operation, value: SSAValue, what: str) -> Term:
        """A value that says whether a check has failed."""
        self.values.bind(value, (what, op))
        return self.values.whole(value)

    # Ways out

    def leaves(self, op: IfOp) -> bool:
        """Whether a branch is the way out of a block in which a check has failed. It is what was asked for, then."""
        if op.results or not _does_nothing(op.regions[1].blocks.first):
            return False
        block = op.thenRegion.block
        if not self._ends(block.last_op) or not all(self._is_harmless(inner) for inner in ops_of(block)):
            return False
        condition, says = self.values.whole(op.condition), self._written(block)
        if self.failed is not None and condition == self.failed[0]:
            if says != self.failed[1]:
                return False
            self.failed = None
        elif any(isinstance(inner, AtomicCasTkoOp) for inner in ops_of(block)):
            self.found.append(_Check(op, self.path, self.values.integers.negated(condition), says))
        else:
            return False
        return True

    def _written(self, block: Block) -> tuple[Term, ...]:
        """What a way out writes down, the number first, if the tile block's number stands where it should."""
        found: dict[int, Term] = {}
        for op in block.walk():
            if isinstance(op, StorePtrTkoOp):
                found[self.emitted.place_of_failure(op)] = self.values.whole(op.value)
        if not found:
            return ()
        number, block_number, *rest = (found.get(n, terms.const(-1)) for n in range(max(found) + 1))
        return (number, *rest) if block_number == terms.sym("block") else ()

    def _is_harmless(self, op: Operation) -> bool:
        """Whether an operation of a way out computes, writes a failure down, or ends the block."""
        match op:
            case IfOp():  # the first failure is written down
                inside = all(self._is_harmless(inner) for inner in op.thenRegion.block.ops)
                return inside and not op.results and _does_nothing(op.regions[1].blocks.first)
            case YieldOp() | ReturnOp() | ContinueOp() | BreakOp():
                return op is op.parent.last_op if op.parent is not None else False
            case ForOp() | LoopOp():
                return False
            case _ if isinstance(op, ACCESSES):
                harmless = self.emitted.writes_failure(op)
                if isinstance(op, AtomicCasTkoOp):
                    self.values.bind(op.result, ("failure", op))
                return harmless
            case _:
                for result in op.results:
                    if isinstance(result.type, TileType):
                        self.values.whole(result)
                return True

    def _ends(self, op: Operation | None) -> bool:
        """Whether nothing happens behind the end of a block in which a check has failed."""
        if not isinstance(op, ContinueOp | BreakOp):
            return isinstance(op, ReturnOp)
        leaves = isinstance(op, BreakOp) or isinstance(op.loop, ForOp)
        if op.loop not in self.loops or not leaves or not op.operands:
            return False
        return self.values.whole(op.operands[-1]) == terms.TRUE


def beyond_tokens(values: Sequence[SSAValue], known: int) -> list[SSAValue]:
    """What is handed on besides what the kernel hands on, and tokens."""
    return [v for v in values[known:] if v.type != TOKEN]


def _does_nothing(block: Block | None) -> bool:
    return block is None or isinstance(block.first_op, YieldOp)
