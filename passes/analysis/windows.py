"""Windows of tensors: whose they are, and which of them share no element."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.ir import SSAValue

from freehold.dialects.classes import ops_of
from freehold.dialects.ownership import KernelOp, WindowOp, tensor_type
from freehold.passes.analysis.facts import KernelFacts
from freehold.passes.analysis.races import complete
from freehold.passes.analysis.wording import tensor_of
from freehold.passes.prover.prove import prove
from freehold.support import terms
from freehold.support.terms import Term

Box = list[tuple[Term, Term]]
"""By axis: the first element, and the one behind the last."""


def windows_of(kernel: KernelOp) -> Iterator[WindowOp]:
    """The windows that a kernel makes, in order."""
    return (op for op in ops_of(kernel.body.block) if isinstance(op, WindowOp))


def argument_of(value: SSAValue) -> SSAValue:
    """The kernel's argument that `value` lends, partitions, is a region or a window of."""
    value = tensor_of(value)
    while isinstance(owner := value.owner, WindowOp):
        value = owner.tensor
    return value


def parts_of(argument: SSAValue) -> Iterator[SSAValue]:
    """An argument, its windows, and theirs."""
    yield argument
    for use in argument.uses:
        if isinstance(op := use.operation, WindowOp) and op.tensor is argument:  # and does not begin there
            yield from parts_of(op.result)


def apart(a: SSAValue, b: SSAValue, facts: KernelFacts) -> tuple[bool, Mapping[str, int]]:
    """Whether two parts of one argument share no element in any launch; the launch of one in which they do, if not.

    A window that begins where memory says is apart from no other: that it lies in its tensor is checked in the kernel,
    and if it does not, it is taken elsewhere.
    """
    first, second = _box(a, facts), _box(b, facts)
    if first is None or second is None:
        return False, {}
    goal = terms.FALSE
    for (low, high), (other_low, other_high) in zip(first, second, strict=True):
        goal = terms.either(goal, terms.either(high.le(other_low), other_high.le(low)))
    if prove(goal, facts.base).proved:
        return True, {}
    inside = [fact for part in (a, b) for fact in _inside(part, facts)]
    verdict = prove(goal, facts.base.extended(inside))
    return False, (complete(verdict.witness, facts, inside) or {}) if verdict.refuted else {}


def _inside(part: SSAValue, facts: KernelFacts) -> Iterator[Term]:
    """What the launcher sees to: that a part lies in what it is a part of."""
    while isinstance(owner := part.owner, WindowOp):
        start, axis = facts.terms[owner.start], owner.axis.data
        yield terms.const(0).le(start)
        yield (start + tensor_type(part).extent(axis)).le(tensor_type(owner.tensor).extent(axis))
        part = owner.tensor


def shared_element(a: SSAValue, b: SSAValue, values: Mapping[str, int], facts: KernelFacts) -> tuple[int, int] | None:
    """An element that both parts have along the axis where one of them is a window, and that axis; None where the
    values say nothing about it."""
    first, second = _box(a, facts), _box(b, facts)
    for axis, (one, other) in enumerate(zip(first or (), second or (), strict=False)):
        if one != other and {n for t in (*one, *other) for n in t.symbols()} <= values.keys():
            low = max(one[0].evaluate(values), other[0].evaluate(values))
            if low < min(one[1].evaluate(values), other[1].evaluate(values)):
                return low, axis
    return None


def _box(part: SSAValue, facts: KernelFacts) -> Box | None:
    """Where in its argument a part lies, in terms that the launcher knows; None where it does not know."""
    owner = part.owner
    if not isinstance(owner, WindowOp):
        type_ = tensor_type(part)
        return [(terms.const(0), type_.extent(axis)) for axis in range(type_.rank)]
    box, start, axis = _box(owner.tensor, facts), facts.terms[owner.start], owner.axis.data
    if box is None or not start.symbols() <= facts.launch:
        return None
    low = box[axis][0] + start
    box[axis] = low, low + tensor_type(part).extent(axis)
    return box
