"""`split-loops`: a counted loop in which a condition changes once becomes two loops, in each of which it is decided.

Masked attention computes its mask in every turn and needs it in the last ones. Cut are loops that count by one, at
numbers that are computed in front of them: the first part ends at the cut or where the loop does, the next one begins
at the cut or where the loop does. So each turn is in one part, and in order, wherever the cut is. Where to cut is found
from comparisons that are linear in the counter: those of scalars that an `if` asks for, and, in loops with matrix
products, those of tiles that mask values. With two conditions there may be three loops.

Nothing rests on how the cut was found. In each part a comparison is replaced by its result where the facts of the loop
and the bounds of the part show that for every element, by rules; a cut that decides nothing is not made. Wherever the
cuts are, the parts have all turns of the loop, each once, in order: so what is shown of its operations holds of their
copies, and what they owe is met as it was. Where the kernel itself checks something, what is decided may show more:
that is verified again. If that does not succeed, the kernel stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from freehold.dialects.classes import erase, insert_before, ops_of, replace_uses
from freehold.dialects.cuda_tile.attrs import SIGNED
from freehold.dialects.cuda_tile.ops.arith_int import AndIOp, CmpIOp, MaxIOp, MinIOp, OrIOp, XOrIOp
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp
from freehold.dialects.cuda_tile.ops.mma import Mma
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, ConstantOp, ReshapeOp, SelectOp
from freehold.dialects.cuda_tile.terms import OF_TERMS
from freehold.dialects.ownership import INDEX, DimOp, KernelOp, Rung, TensorType, kernels_of
from freehold.passes.analysis.comparisons import Comparisons
from freehold.passes.analysis.facts import KernelFacts, analyse
from freehold.passes.launch_contract import kernel_of
from freehold.passes.pipeline import verify_kernel
from freehold.passes.prover import rules
from freehold.passes.prover.polynomials import combine, poly, to_term
from freehold.passes.rewriting import Inserter, copy, integer, loops, walk
from freehold.passes.verify_duties import recorded
from freehold.support import terms
from freehold.support.integers import contents
from freehold.support.terms import Term

_MOST_OPERATIONS: Final = 600
"""The longest body that is written down more than once."""


@dataclass(frozen=True)
class SplitLoopsPass(ModulePass):
    """Cuts loops where a condition changes. Assumes that kernels are verified; refuses nothing."""

    name = "split-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Cuts the loops of every kernel of the module."""
        for kernel in kernels_of(op):
            block = kernel.parent
            if block is not None and (found := _cut(kernel)) is not None:
                insert_before(found, kernel)
                erase(kernel)


def split_loops(module: ModuleOp, facts: KernelFacts | None = None) -> ModuleOp:
    """A verified module of one kernel with its loops cut; the module itself, which stays as it is, if none is. `facts`
    are those of its kernel, where they have been found."""
    found = _cut(kernel_of(module), facts)
    return module if found is None else ModuleOp([found])


def _cut(kernel: KernelOp, facts: KernelFacts | None = None) -> KernelOp | None:
    """A copy of a kernel with its loops cut, where that can be done."""
    asked = {loop: found for loop in loops(kernel) if isinstance(loop, ForOp) and (found := [*_asked(loop)])}
    if not asked:
        return None
    facts = analyse(kernel) if facts is None else facts
    plans: dict[ForOp, Plan] = {}
    for loop, comparisons in asked.items():
        around_one = any(loop.is_ancestor(other) for other in plans)  # of nested loops, one is cut
        if not around_one and (plan := _plan(loop, comparisons, facts, kernel)) is not None:
            plans[loop] = plan
    if not plans:
        return None
    copies: dict[SSAValue, SSAValue] = {}
    found = copy(kernel, copies)
    for loop, plan in plans.items():
        _carry_out(loop, plan, copies)
    again = any(duty.met[1] in (Rung.KERNEL, Rung.OPEN) for _, duties in recorded(found) for duty in duties)
    return None if again and verify_kernel(found) else found


# What is asked in a loop


class Asked(NamedTuple):
    """A comparison that decides something in a turn."""

    comparison: CmpIOp
    wanted: bool
    """What is hoped for, of a mask: what leaves values as they are."""
    branches: bool
    """Whether an `if` asks for it."""


def _asked(loop: Operation) -> Iterator[Asked]:
    """The comparisons that conditions and masks of a loop's turns are made of. What inner loops ask is theirs."""
    if not isinstance(loop, ForOp) or integer(loop.step) != 1 or loop.lowerBound.type != INDEX:
        return
    turn = list(_of_turn(loop.block))
    multiplies = any(isinstance(op, Mma) for op in turn)
    for op in turn:
        if isinstance(op, IfOp):
            for comparison, wanted in _compared(op.condition, True):
                if loop.is_ancestor(comparison):
                    yield Asked(comparison, wanted, True)
        elif isinstance(op, SelectOp) and multiplies:
            kept = [_is_constant(value) for value in (op.val_if_false, op.val_if_true)]
            for comparison, wanted in _compared(op.cond, kept[0]) if kept[0] != kept[1] else ():
                if loop.is_ancestor(comparison):
                    yield Asked(comparison, wanted, False)


def _of_turn(block: Block) -> Iterator[Operation]:
    """What stands in a block and in branches there, and not in loops."""
    for op in ops_of(block):
        yield op
        if isinstance(op, IfOp):
            for region in op.regions:
                for inner in region.blocks:
                    yield from _of_turn(inner)


def _compared(value: SSAValue, wanted: bool) -> Iterator[tuple[CmpIOp, bool]]:
    """The comparisons that a truth value is made of, and what each should be so that it is as wanted."""
    match value.owner:
        case CmpIOp() as op:
            yield op, wanted
        case BroadcastOp() | ReshapeOp() as op:
            yield from _compared(op.source, wanted)
        case AndIOp() | OrIOp() as op:
            yield from _compared(op.lhs, wanted)
            yield from _compared(op.rhs, wanted)
        case XOrIOp() as op if integer(op.rhs) == 1:
            yield from _compared(op.lhs, not wanted)
        case _:
            pass


def _is_constant(value: SSAValue) -> bool:
    while isinstance(value.owner, BroadcastOp | ReshapeOp):
        value = value.owner.source
    return isinstance(value.owner, ConstantOp)


# Where to cut


class Part(NamedTuple):
    """A part of a loop."""

    since: tuple[Term, ...] = ()
    """Cuts that are at most its first number."""
    until: tuple[Term, ...] = ()
    """Cuts that its numbers are below."""


@dataclass(frozen=True)
class Plan:
    """What becomes of a loop."""

    parts: Sequence[Part]
    decided: Sequence[dict[CmpIOp, bool]]
    """What comparisons come to in each part."""
    uniform: Uniform
    """The values of the cuts."""


def _plan(loop: ForOp, asked: Sequence[Asked], facts: KernelFacts, kernel: KernelOp) -> Plan | None:
    """How a loop is cut, if it should be and can be."""
    asked = list(dict.fromkeys(asked))
    if loop not in facts.counters or len(walk(loop)) > _MOST_OPERATIONS:
        return None
    counter = terms.sym(facts.counters[loop])
    turns = Comparisons(_terms(facts), facts.turns[loop][1])
    bounds = facts.terms[loop.lowerBound], facts.terms[loop.upperBound]
    uniform = Uniform(loop, facts, kernel)
    plain, whole = _decided(asked, turns), Part()
    parts = _parts(_cuts([a for a in asked if a.comparison not in plain], turns, counter, bounds), turns)
    if not all(uniform.has(cut) for part in parts for cut in (*part.since, *part.until)):
        parts = []
    decided = [_decided(asked, _where(turns, counter, part)) for part in parts]
    if all(found == plain for found in decided):
        parts, decided = [whole], [plain]
    return Plan(parts, decided, uniform) if any(decided) else None


def _terms(facts: KernelFacts) -> dict[SSAValue, Term]:
    """The terms of scalars, those included that only the launch knows."""
    return {value: terms.sym(name) for name, value in facts.symbols.items()} | facts.terms


def _where(turns: Comparisons, counter: Term, part: Part) -> Comparisons:
    """The comparisons in the turns of a part."""
    return turns.where(*(cut.le(counter) for cut in part.since), *(counter.lt(cut) for cut in part.until))


def _decided(asked: Sequence[Asked], here: Comparisons) -> dict[CmpIOp, bool]:
    """The comparisons that are known, and what they come to."""
    found = {a.comparison: here.decided(a.comparison) for a in asked}
    return {comparison: result for comparison, result in found.items() if result is not None}


def _cuts(
    asked: Sequence[Asked], turns: Comparisons, counter: Term, bounds: tuple[Term, Term]
) -> dict[tuple[Term, bool, bool], None]:
    """The first numbers for which comparisons are known, or known no more: with whether it is the turns in front of
    them in which they are, and whether an `if` asks. Where one does, masks do not count: they may be what it is for."""
    found: dict[tuple[Term, bool, bool], None] = {}
    for a in asked:
        if (difference := turns.difference(a.comparison)) is not None:
            cut = _cut_of_equal(difference, turns, counter, bounds)
        else:
            cut = _cut_of_order(turns.margin(a.comparison, a.wanted), counter)
        if cut is not None:
            found[*cut, a.branches] = None
    branches = any(branches for *_, branches in found)
    return {cut: None for cut in found if cut[2] == branches}


def _cut_of_order(margin: Term | None, counter: Term) -> tuple[Term, bool] | None:
    """Where `margin >= 0` begins or ceases to hold, if that is linear in the counter."""
    if (line := _linear(margin, counter)) is None:
        return None
    slope, rest = line
    if slope < 0:
        return terms.floordiv(rest, terms.const(-slope)) + 1, True
    return terms.ceildiv(_scaled(rest, -1), terms.const(slope)), False


def _cut_of_equal(
    difference: Term, turns: Comparisons, counter: Term, bounds: tuple[Term, Term]
) -> tuple[Term, bool] | None:
    """Where a comparison for equality changes once: behind the first turn, or in front of the last one."""
    line, (low, high) = _linear(difference, counter), bounds
    if line is None or abs(line[0]) != 1:
        return None
    number = _scaled(line[1], -line[0])
    if turns.shown(number.le(low)):
        return number + 1, True
    return (number, True) if turns.shown(high.le(number + 1)) else None


def _scaled(t: Term, by: int) -> Term:
    return to_term(combine(poly(t), by, {}, 0))


def _linear(t: Term | None, counter: Term) -> tuple[int, Term] | None:
    """The counter's coefficient in a term, and the rest of it, in which it does not occur."""
    if t is None:
        return None
    rest = dict(poly(t))
    slope = rest.pop((counter,), 0)
    if not slope or any(counter.name in atom.symbols() for monomial in rest for atom in monomial):
        return None
    return slope, to_term(rest)


def _parts(cuts: dict[tuple[Term, bool, bool], None], turns: Comparisons) -> list[Part]:
    """The parts of a loop with these cuts."""
    if not cuts:
        return []
    front = list(dict.fromkeys(cut for cut, until, _ in cuts if until))
    back = list(dict.fromkeys(cut for cut, until, _ in cuts if not until))
    if any(branches for *_, branches in cuts):
        both = [*front, *back]
        if len(both) == 1:
            return [Part(until=(both[0],)), Part(since=(both[0],))]
        first, last = both[:2]
        if turns.shown(last.le(first)):
            first, last = last, first
        elif not turns.shown(first.le(last)):
            first, last = terms.minimum(first, last), terms.maximum(first, last)
        return [Part(until=(first,)), Part((first,), (last,)), Part(since=(first, last))]
    since = (reduce(terms.maximum, back),) if back else ()
    until = (reduce(terms.minimum, front),) if front else ()
    parts = [Part(since, until)]
    if since:
        parts.insert(0, Part(until=since))
    if until:
        parts.append(Part(since=(*since, *until)))
    return parts


# Cutting


class Uniform:
    """The values of terms, which are or can be computed in front of a loop in 32 bits."""

    def __init__(self, loop: ForOp, facts: KernelFacts, kernel: KernelOp):
        self.given = facts.turns[loop][0]
        self.values: dict[Term, SSAValue] = {}
        seen = set(_seen_from(loop))
        for value, t in _terms(facts).items():
            if value.type == INDEX and value in seen:
                self.values.setdefault(t, value)
        self.extents: dict[Term, tuple[SSAValue, int]] = {}
        for argument in kernel.body.block.args:
            if isinstance(type_ := argument.type, TensorType):
                for axis, extent in enumerate(type_.extents):
                    self.extents.setdefault(extent, (argument, axis))

    def has(self, t: Term) -> bool:
        """Whether a term can be computed: it, and all that it is computed from, are shown not to wrap."""
        if t in self.values or t in self.extents:
            return True
        if t.op not in ("min", "max") and not rules.in_range(t, *contents(32), self.given):
            return False
        if t.op in ("//", "ceildiv") and not (t.args[1].is_const and t.args[1].value > 0):
            return False
        return t.is_const or (t.op in OF_TERMS and all(map(self.has, t.args)))

    def value(self, t: Term, made: dict[Term, SSAValue], copies: Mapping[SSAValue, SSAValue], at: Inserter) -> SSAValue:
        """The value of a term that there is, in a copy of the kernel. Knows what was `made` there, and adds to it."""
        if (found := made.get(t)) is not None:
            return found
        if t in self.values:
            found = copies[self.values[t]]
        elif t.is_const:
            found = at.value(ConstantOp.scalar(t.value, INDEX.element_type))
        elif t in self.extents:
            tensor, axis = self.extents[t]
            found = at.value(DimOp(copies[tensor], axis))
        else:
            found = at.value(OF_TERMS[t.op](*[self.value(a, made, copies, at) for a in t.args]))
        made[t] = found
        return found


def _seen_from(op: Operation) -> Iterator[SSAValue]:
    """The values that are defined in front of an operation, in the blocks around it, inside out."""
    inner: Operation | None = op
    while inner is not None and (block := inner.parent) is not None:
        yield from block.args
        before = inner.prev_op
        while before is not None:
            yield from before.results
            before = before.prev_op
        inner = block.parent_op()


class _Over(dict[SSAValue, SSAValue]):
    """Copies of values, over other copies."""

    def __init__(self, others: Mapping[SSAValue, SSAValue]):
        super().__init__()
        self.others = others

    def __missing__(self, key: SSAValue) -> SSAValue:
        return self.others[key]


def _carry_out(loop: ForOp, plan: Plan, copies: dict[SSAValue, SSAValue]) -> None:
    """Makes the copy of a loop the last of its parts, and puts the others in front of it."""
    last = copies[loop.block.args[0]].owner.parent_op()
    assert isinstance(last, ForOp)
    carried: Sequence[SSAValue] = last.initValues
    at, made = Inserter(last), dict[Term, SSAValue]()
    bounds, step = (last.lowerBound, last.upperBound), last.step
    for number, (part, decided) in enumerate(zip(plan.parts, plan.decided, strict=True), 1):
        lower, upper = bounds
        for cut in part.since:
            lower = at.value(MaxIOp(lower, plan.uniform.value(cut, made, copies, at), SIGNED))
        for cut in part.until:
            upper = at.value(MinIOp(upper, plan.uniform.value(cut, made, copies, at), SIGNED))
        of_part = copies if number == len(plan.parts) else _Over(copies)
        turns = last if of_part is copies else at.insert(copy(loop, of_part))
        turns.operands = (lower, upper, step, *carried)
        carried = turns.results
        for comparison, result in decided.items():
            old = of_part[comparison.result].owner
            assert isinstance(old, CmpIOp)
            replace_uses(old.result, Inserter(old).value(ConstantOp.splat(old.result.type, result)))
            assert old.parent is not None
            erase(old)
