"""What integer operations compute, as terms: exact where it is shown that nothing wraps, and nothing at all otherwise.

Tile IR's integers have a width and wrap around. A term is a mathematical integer. So an operation has a term only where
its result, and that of every operation it is made from, is shown to be in range; a quotient only where its divisor is
shown to be positive and where its rounding is that of the term. Promises that the IR itself makes (`no_signed_wrap`)
count for nothing here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

from xdsl.ir import Operation, SSAValue

from freehold.dialects.cuda_tile.integers import meaning_of, width_of
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, ConstantOp, ReshapeOp
from freehold.dialects.ownership import DimOp, TilesOp, tensor_type
from freehold.support import terms
from freehold.support.integers import Meaning, limits
from freehold.support.terms import Term

_ZERO: Final = terms.const(0)
_ONE: Final = terms.const(1)


class Known(Protocol):
    """What is known where an operation stands."""

    def term(self, value: SSAValue) -> Term:
        """The term of an integer scalar."""
        ...

    def shown(self, predicate: Term, wanted: SSAValue) -> bool:
        """Whether a predicate follows from what is known; `wanted` is the value for which it is asked."""
        ...

    def fits(self, t: Term, value: SSAValue) -> bool:
        """Whether a term is in the range of a value's type."""
        ...


def term_of(op: Operation, known: Known) -> Term | None:
    """The term of an operation's only result, or None where it has none that is shown to be exact."""
    if (rule := _NO_ARITHMETIC.get(type(op))) is not None:
        return rule(op, known)
    meaning = meaning_of(op)
    if meaning is None or width_of(op.results[0].type) is None:
        return None
    operands = [known.term(operand) for operand in op.operands]
    if meaning.width == 1:
        return _of_truths(meaning, [truth(t) for t in operands])
    if meaning.result_width == 1 and meaning.name != "cmpi":
        return None
    return _Reading(op, meaning, operands, known).result()


def truth(t: Term) -> Term:
    """A truth value's term as a predicate."""
    return t.eq(1) if t.op == "sym" else t


def _of_truths(meaning: Meaning, operands: list[Term]) -> Term | None:
    """A truth value that is computed of others, by all the cases that there are."""
    if meaning.result_width > 1:
        return None
    first, *others = operands
    cases = [_cases(meaning, value, others) for value in (0, 1)]
    no, yes = (case for case in cases)
    if no is None or yes is None:
        return None
    return _chosen(first, yes, no, others)


def _cases(meaning: Meaning, first: int, others: list[Term]) -> Term | None:
    """What comes out for a first operand: a predicate of the other one, if there is one."""
    if not others:
        found = meaning(first)
        return None if found is None else terms.const(found)
    no, yes = meaning(first, 0), meaning(first, 1)
    if no is None or yes is None:
        return None
    if no == yes:
        return terms.const(no)
    return others[0] if yes else terms.negate(others[0])


def _chosen(condition: Term, yes: Term, no: Term, others: list[Term]) -> Term:
    """`yes` where the condition holds, and `no` where not; each is constant, or `others`' only one, or not that."""
    if condition.is_const:
        return yes if condition.value else no
    if yes == no:
        return yes
    if yes.is_const:
        return terms.either(condition, no) if yes.value else terms.both(terms.negate(condition), no)
    if no.is_const:
        return terms.either(terms.negate(condition), yes) if no.value else terms.both(condition, yes)
    same = condition.eq(others[0])
    return same if yes == others[0] else terms.negate(same)


class _Reading:
    """An operation on numbers of more than one bit, and how it reads them."""

    def __init__(self, op: Operation, meaning: Meaning, operands: list[Term], known: Known):
        self.op = op
        self.meaning = meaning
        self.operands = operands
        self.known = known

    def shown(self, predicate: Term) -> bool:
        """Whether a predicate follows from what is known."""
        return self.known.shown(predicate, self.op.results[0])

    def result(self) -> Term | None:
        """The term of the result."""
        if self.meaning.name == "exti":
            return self._widened(self.operands[0])
        # Read as unsigned, a number is what it is to a signed reading where that is not negative.
        if not all(
            signed or self.shown(_ZERO.le(t)) for t, signed in zip(self.operands, self.meaning.readings(), strict=True)
        ):
            return None
        exact = _EXACT.get(self.meaning.name)
        found = None if exact is None else exact(self, *self.operands)
        if found is None or self.meaning.name == "cmpi" or self.known.fits(found, self.op.results[0]):
            return found
        return self._narrowed(found) if self.meaning.name == "trunci" else None

    def _widened(self, a: Term) -> Term:
        return (
            a
            if self.meaning.signed or self.shown(_ZERO.le(a))
            else a % (limits(self.meaning.width, signed=False)[1] + 1)
        )

    def _narrowed(self, a: Term) -> Term:
        half = -limits(self.meaning.result_width)[0]
        return (a + half) % (2 * half) - half

    def difference(self, a: Term, b: Term) -> Term:
        """`a - b`; what is left of a division where `b` is a multiple of its divisor."""
        for quotient, divisor in (b.args, b.args[::-1]) if b.op == "*" else ():
            if quotient.op == "//" and quotient.args == (a, divisor):
                return a % divisor  # a - a // d * d; the quotient has a term, so the divisor is positive
        return a - b

    def quotient(self, a: Term, b: Term) -> Term | None:
        """`a / b`, where the divisor is positive. Rounded towards zero it is rounded down for a >= 0 only."""
        rounding = self.meaning.detail
        if not self.shown(_ONE.le(b)) or (rounding == "zero" and not self.shown(_ZERO.le(a))):
            return None
        if a == b:
            return _ONE
        return terms.ceildiv(a, b) if rounding == "positive_inf" else terms.floordiv(a, b)

    def remainder(self, a: Term, b: Term) -> Term | None:
        """What a truncated division leaves has the dividend's sign, and `%` the divisor's."""
        if not self.shown(_ONE.le(b)) or not self.shown(_ZERO.le(a)):
            return None
        return _ZERO if a == b else a % b

    def power(self, amount: Term) -> Term | None:
        """Two to the amount of a shift that is defined."""
        known = amount.is_const and 0 <= amount.value < self.meaning.width
        return terms.const(1 << amount.value) if known else None

    def shifted(self, a: Term, amount: Term) -> Term | None:
        """A shift, which multiplies or divides."""
        power = self.power(amount)
        if power is None:
            return None
        return a * power if self.meaning.name == "shli" else terms.floordiv(a, power)

    def compared(self, a: Term, b: Term) -> Term:
        """A comparison."""
        match self.meaning.detail:
            case "equal":
                return a.eq(b)
            case "not_equal":
                return terms.negate(a.eq(b))
            case "less_than":
                return a.lt(b)
            case "less_than_or_equal":
                return a.le(b)
            case "greater_than":
                return b.lt(a)
            case _:
                return b.le(a)


def _plain(function: Callable[..., Term]) -> Callable[..., Term]:
    """A function of terms, where nothing depends on what is known."""

    def rule(_: _Reading, *operands: Term) -> Term:
        return function(*operands)

    return rule


def _opposite(a: Term) -> Term:
    return _ZERO - a


def _absolute(a: Term) -> Term:
    return terms.maximum(a, _ZERO - a)


_EXACT: Final[dict[str, Callable[..., Term | None]]] = {
    "addi": _plain(terms.add),
    "subi": _Reading.difference,
    "muli": _plain(terms.mul),
    "negi": _plain(_opposite),
    "absi": _plain(_absolute),
    "divi": _Reading.quotient,
    "remi": _Reading.remainder,
    "mini": _plain(terms.minimum),
    "maxi": _plain(terms.maximum),
    "cmpi": _Reading.compared,
    "shli": _Reading.shifted,
    "shri": _Reading.shifted,
    "trunci": _plain(terms.term),
}
"""What operations compute of numbers, by their names in the table of meanings; the others have no terms."""


def _constant(op: ConstantOp, _: Known) -> Term | None:
    return terms.const(int(op.value.splat_value)) if op.value.is_splat else None


def _dim(op: DimOp, _: Known) -> Term | None:
    return tensor_type(op.source).extent(op.axis.data)


def _tiles(op: TilesOp, _: Known) -> Term | None:
    return terms.ceildiv(tensor_type(op.source).extent(op.axis.data), terms.const(op.size.data))


def _same(op: ReshapeOp | BroadcastOp, known: Known) -> Term | None:
    return known.term(op.source) if width_of(op.source.type) is not None else None


_NO_ARITHMETIC: Final[dict[type[Operation], Callable[[Any, Known], Term | None]]] = {
    ConstantOp: _constant,
    DimOp: _dim,
    TilesOp: _tiles,
    ReshapeOp: _same,
    BroadcastOp: _same,
}
