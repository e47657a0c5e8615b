"""The audit of a launch: what each array and each access of a kernel comes to, and what is wrong, replayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from xdsl.ir import Operation

from freehold.audit.accesses import Access, Trace, strong_between_blocks
from freehold.audit.bounds import Bound, check_bounds
from freehold.audit.conflicts import SMALLER, Conflict, Group, Undecided, groups_of
from freehold.audit.dead import dead_blocks, told
from freehold.audit.everywhere import Everywhere
from freehold.audit.facts import Call, Launch, call_of
from freehold.audit.lanes import Unknown
from freehold.audit.replay import agrees, replay
from freehold.audit.straight import TooMuchError
from freehold.audit.terms import InBounds
from freehold.audit.walk import Walk
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.passes.verify_dominance import verify_dominance
from freehold.runtime.interpreter.access import keyword
from freehold.support.diagnostic import Error, Rejected

Share = Literal["untouched", "read only", "disjoint", "commuting", "atomic", "race", "unordered", "unknown"]
"""What blocks do with an array among themselves."""


@dataclass(frozen=True)
class Open:
    """Something that was not decided: what, at which operations, why, and the fact that would decide it."""

    what: str
    ops: tuple[Operation, ...]
    why: str
    fact: str = ""
    alarm: bool = False
    """Whether it was found for certain, and its replay does not show it: this should not be."""


@dataclass(frozen=True)
class Finding:
    """Something that is wrong in this launch, as it happened on the interpreter."""

    kind: str
    error: Error
    ops: tuple[Operation, ...]
    blocks: tuple[int, ...]


@dataclass
class ArrayVerdict:
    """What became of an array."""

    number: int
    name: str
    share: Share
    repeated: bool = False
    """Whether a tile block touches an element of it more than once, in an order that tokens give."""
    bounds: list[Bound] = field(default_factory=list[Bound])
    everywhere: bool = False
    """Whether tile blocks are apart in it in every launch with as many axes of the grid."""


@dataclass
class Audit:
    """What became of a kernel in a launch."""

    kernel: str
    launch: Launch
    call: Call
    arrays: list[ArrayVerdict]
    findings: list[Finding]
    open: list[Open]
    trace: Trace
    hidden: list[Open] = field(default_factory=list[Open])
    """What is wrong, too, and not shown, because its replay ends in another finding before."""
    dead: str = ""
    """Tile blocks that write nothing, in words: no fault, and work for nothing."""

    @property
    def verdict(self) -> Literal["safe", "faulty", "unknown"]:
        """Of the whole kernel, in this launch."""
        return "faulty" if self.findings else "unknown" if self.open else "safe"


_TRIED: Final = 3
"""How often one operation without a defined result is replayed."""
_CODES: Final = {
    "race": ("O523",),
    "unordered": ("O525",),
    "lanes": ("O534",),
    "unwritten": ("O524",),
    "bounds": ("O520", "O521", "O528"),  # the last of a tile that `inbounds` says ends inside
    "undefined": ("O528",),
}
"""The errors of the interpreter that a finding of each kind has to end in."""
_SHOWN: Final = {code for codes in _CODES.values() for code in codes} | {"O522"}
"""What is wrong with a kernel wherever a replay finds it: misalignment, too."""


def audit(module: Operation, entry: EntryOp, launch: Launch) -> Audit:
    """Audits an entry of a verified module in a launch.

    Raises `FactsError` where the facts do not fit the entry, and `Rejected` where a value is used before it is defined.
    """
    if errors := verify_dominance(module):
        raise Rejected(errors)
    call = call_of(entry, launch)
    walk = Walk(entry, call)
    try:
        trace = walk.run()
    except TooMuchError:
        trace = walk.trace
        trace.gave_up.append(Unknown("the launch is too large to be walked", SMALLER))
    return _Audit(module, entry, call, trace).run()


def unread(entry: EntryOp, grid: tuple[int, int, int], why: str) -> Audit:
    """The audit of a launch whose arguments are of kinds that are not known here: nothing is decided."""
    launch = Launch(grid, ())
    return Audit(entry.sym_name.data, launch, Call(launch, (), ()), [], [], [Open("the launch", (), why)], Trace())


class _Audit:
    def __init__(self, module: Operation, entry: EntryOp, call: Call, trace: Trace):
        self.module = module
        self.entry = entry
        self.call = call
        self.trace = trace
        self.findings: list[Finding] = []
        self.open: list[Open] = [Open("the kernel", (), u.why, u.fact) for u in dict.fromkeys(trace.gave_up)]
        self.hidden: list[Open] = []
        self.everywhere = Everywhere(entry, call)

    def run(self) -> Audit:
        times: Counter[tuple[Operation, str]] = Counter()
        for op, why, block, maybe in self.trace.undefined:
            times[op, why] += 1
            if times[op, why] <= _TRIED:  # in a loop it is so in every turn, and one replay tells as much as all
                self._confirm("undefined", (op,), (block,), why, maybe)
        bounds = check_bounds(self.call, self.trace, InBounds(self.entry, self.call).shown)
        for bound in bounds:
            if bound.status == "out of bounds":
                self._confirm("bounds", (bound.op,), (bound.block,), bound.what, None)
            elif bound.status == "unknown":
                self.open.append(Open(f"{self._name(bound.array)} out of bounds", (bound.op,), bound.what, bound.fact))
        arrays: list[ArrayVerdict] = []
        for group in groups_of(self.call, self.trace.accesses):
            arrays += self._arrays(group, bounds)
        return Audit(
            self.entry.sym_name.data, self.call.launch, self.call, sorted(arrays, key=lambda a: a.number),
            self.findings, self.open, self.trace, self.hidden,
            told(self.call.launch, dead_blocks(self.call.launch, self.trace)),
        )  # fmt: skip

    def _name(self, number: int) -> str:
        return f"`{self.call.names[number]}`" if number >= 0 else "memory"

    def _arrays(self, group: Group, bounds: Sequence[Bound]) -> list[ArrayVerdict]:
        """What becomes of the arrays of a group: what is wrong with one is wrong with all that share its memory."""
        wrong: dict[int, Share] = {}
        open_: set[int] = set()
        for found in group.check():
            if isinstance(found, Undecided):
                self.open.append(Open(f"{self._name(found.array)} in a race", found.ops, found.why.why, found.why.fact))
                open_ |= set(group.arrays)
                continue
            confirmed = self._conflict(found)
            if not confirmed:
                open_.add(found.array)
            elif found.kind == "race" or found.array not in wrong:
                wrong[found.array] = "race" if found.kind == "race" else "unordered"
        result: list[ArrayVerdict] = []
        for number in group.arrays:
            own = [a for a in (*group.known, *group.wild) if a.base == number]
            share: Share = wrong.get(number) or ("unknown" if number in open_ else _share(own))
            known = share in ("read only", "disjoint", "commuting")
            everywhere = known and not group.wild and self.everywhere.apart(own)
            of_it = [b for b in bounds if b.array == number]
            result.append(ArrayVerdict(number, self.call.names[number], share, _repeated(own), of_it, everywhere))
        return result

    def _conflict(self, found: Conflict) -> bool:
        """Replays a conflict; whether it happens."""
        maybe = found.maybe
        if maybe is None and self.trace.waits and found.kind == "race":
            maybe = Unknown("tile blocks may wait for one another through memory, which is not followed")
        blocks = tuple(sorted(set(found.blocks)))
        where = self.call.arrays[found.array].element_at(found.address)
        names = " and ".join(self.call.launch.block(block) for block in blocks)
        what = f"blocks {names} at" if len(blocks) > 1 else f"block {names} twice at"
        why = f"{what} `{self.call.names[found.array]}{where}`"
        return self._confirm(found.kind, (found.first, found.second), blocks, why, maybe)

    def _confirm(
        self, kind: str, ops: tuple[Operation, ...], blocks: tuple[int, ...], why: str, maybe: Unknown | None
    ) -> bool:
        """Shows what is wrong if it happens on the interpreter, and leaves it open if not."""
        if maybe is not None:
            self.open.append(Open(kind, ops, f"{why}, if it happens: {maybe.why}", maybe.fact))
            return False
        done = replay(self.module, self.entry.sym_name.data, self.call, blocks, checked=kind in ("undefined", "bounds"))
        if done.error is None:
            self.open.append(Open(kind, ops, f"{why}; {done.why}", alarm=True))
            return False
        if not agrees(done.error, _CODES[kind], ops):
            if done.error.code not in _SHOWN:
                self.open.append(Open(kind, ops, f"{why}; the replay ends in {done.error.code}", alarm=True))
                return False
            self._add(Finding("other", done.error, (), blocks))
            self.hidden.append(Open(kind, ops, why))
            return False
        self._add(Finding(kind, done.error, ops, blocks))
        return True

    def _add(self, finding: Finding) -> None:
        """Adds what is wrong, once."""
        report = finding.error.report()
        if all(other.error.report() != report for other in self.findings):
            self.findings.append(finding)


def _share(accesses: Sequence[Access]) -> Share:
    if not accesses:
        return "untouched"
    writes = [a for a in accesses if a.kind != "read"]
    if not writes:
        return "read only"
    if all(strong_between_blocks(a.op) for a in accesses):
        modes = {keyword(a.op, "mode", a.op.name) for a in accesses}
        return "commuting" if len(modes) == 1 and modes <= _COMMUTE else "atomic"
    return "disjoint"


_COMMUTE: Final = {"add", "addf", "and", "or", "xor", "max", "min", "umax", "umin"}


def _repeated(accesses: Sequence[Access]) -> bool:
    return len({a.op for a in accesses}) > 1 and any(a.kind != "read" for a in accesses)
