"""Integers of a width as terms in one normal form: equal terms are equal numbers, whatever computed them.

A number is the mathematical integer that a signed reading gives; a truth value is 0 or 1. Sums and products are kept as
polynomials, modulo two to the width where it is not shown by intervals that nothing wraps. What has no term (a quotient
by a number that may be zero, the bits of two unknown numbers) is a symbol that equal operations on equal ones share.

This is a second definition of integer arithmetic on purpose: what validates a translation rests on nothing that the
translation, or what was proved before it, rests on. Tests compare it with the table of `support.integers`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Final

from freehold.passes.prover.polynomials import Bounds, Interval, Monomial, Poly, bound_term, combine, poly, to_term
from freehold.support import terms
from freehold.support.integers import contents
from freehold.support.terms import Term

_ONE: Final[Poly] = {(): 1}


class Integers:
    """Numbers, with what is known of the symbols in them."""

    def __init__(self) -> None:
        self.bounds = Bounds()
        self.choices: dict[Term, tuple[Term, Term]] = {}
        """Of numbers that are one of two, these."""
        self._unknown: dict[object, Term] = {}
        self._sums: dict[tuple[Term, int, Term, int], Term] = {}

    # Symbols

    def symbol(self, name: str, low: int | None = None, high: int | None = None) -> Term:
        """A number of which the bounds are known."""
        found = terms.sym(name)
        self.bounds[found,] = (low, high)
        return found

    def unknown(self, key: object, width: int | None = None, name: str = "value") -> Term:
        """The number that a key stands for; of any size without a width."""
        if (found := self._unknown.get(key)) is None:
            low, high = (None, None) if width is None else contents(width)
            found = self._unknown[key] = self.symbol(f"{name}#{len(self._unknown)}", low, high)
        return found

    def between(self, t: Term) -> Interval:
        """The interval of a number."""
        return bound_term(t, self.bounds)

    def _within(self, t: Term, low: int, high: int) -> bool:
        least, greatest = self.between(t)
        return least is not None and greatest is not None and low <= least and greatest <= high

    def _at_least(self, t: Term, low: int) -> bool:
        least, _ = self.between(t)
        return least is not None and least >= low

    # Exact arithmetic

    def combined(self, a: Term, x: int, b: Term, y: int) -> Term:
        """`x * a + y * b`."""
        if a.is_const and b.is_const:
            return terms.const(x * a.value + y * b.value)
        key = (a, x, b, y)
        if (found := self._sums.get(key)) is None:
            found = self._sums[key] = to_term(combine(poly(a), x, poly(b), y))
        return found

    def plus(self, a: Term, b: Term | int) -> Term:
        """`a + b`."""
        return self.combined(a, 1, terms.term(b), 1)

    def minus(self, a: Term, b: Term | int) -> Term:
        """`a - b`."""
        return self.combined(a, 1, terms.term(b), -1)

    def times(self, a: Term, b: Term | int) -> Term:
        """`a * b`."""
        return to_term(poly(a * terms.term(b)))

    def floor_divided(self, a: Term, b: Term) -> Term:
        """`a // b`, rounded down; `b` is positive."""
        if not b.is_const:
            return Term("//", (a, b))
        whole: dict[Monomial, int] = {}
        rest: dict[Monomial, int] = {}
        for m, c in poly(a).items():
            quotient, remainder = divmod(c, b.value)
            if quotient:
                whole[m] = quotient
            if remainder:
                rest[m] = remainder
        inside = to_term(rest)
        if self._within(inside, 0, b.value - 1):
            return to_term(whole)
        return self.plus(to_term(whole), terms.floordiv(inside, b))

    def remainder(self, a: Term, b: Term) -> Term:
        """`a % b`, never negative; `b` is positive."""
        if not b.is_const:
            return Term("%", (a, b))
        inside = to_term({m: c % b.value for m, c in poly(a).items() if c % b.value})
        return inside if self._within(inside, 0, b.value - 1) else terms.mod(inside, b)

    def ceil_divided(self, a: Term, b: Term) -> Term:
        """`a / b`, rounded up; `b` is positive. It is `(a - 1) // b + 1`, for all integers."""
        return self.plus(self.floor_divided(self.minus(a, 1), b), 1)

    def extreme(self, which: str, a: Term, b: Term) -> Term:
        """The smaller (`min`) or the larger (`max`) of two numbers."""
        if a == b:
            return a
        difference = self.minus(a, b)
        low, high = self.between(difference)
        if low is not None and low >= 0:
            return b if which == "min" else a
        if high is not None and high <= 0:
            return a if which == "min" else b
        return Term(which, tuple(sorted((a, b), key=str)))

    # Numbers of a width

    def wrapped(self, t: Term, width: int) -> Term:
        """What a register of a width holds of a number."""
        low, high = contents(width)
        if self._within(t, low, high):
            return t
        modulus = 1 << width
        p = self._unwrapped(poly(t), modulus)
        p = {m: r - modulus if width > 1 and r > high else r for m, c in p.items() if (r := c % modulus)}
        inside = to_term(p)
        if self._within(inside, low, high):
            return inside
        if width == 1:
            return terms.mod(inside, terms.const(2))
        half = terms.const(-low)
        return self.minus(terms.mod(self.plus(inside, half), terms.const(modulus)), half)

    def _unwrapped(self, p: Poly, modulus: int) -> Poly:
        """A polynomial that is the same modulo `modulus`, without remainders by multiples of it."""
        while True:
            found = next((a for m in p for a in m if _is_remainder(a, modulus)), None)
            if found is None:
                return p
            result: Poly = {}
            for m, c in p.items():
                if found not in m:
                    result = combine(result, 1, {m: c}, 1)
                    continue
                others = list(m)
                others.remove(found)
                factor = reduce(terms.mul, others, terms.const(1))
                result = combine(result, 1, poly(factor * found.args[0]), c)
            p = result

    def unsigned(self, t: Term, width: int) -> Term:
        """The number that an unsigned reading gives of one of a width."""
        return t if width == 1 or self._at_least(t, 0) else self.remainder(t, terms.const(1 << width))

    def read(self, t: Term, width: int, signed: bool) -> Term:
        """A number as an operation reads it. The one bit of a truth value is -1 to a signed reading."""
        if not signed:
            return self.unsigned(t, width)
        return self.minus(terms.const(0), t) if width == 1 else t

    def divided(self, a: Term, b: Term, width: int, signed: bool, rounding: str) -> Term:
        """A quotient."""
        x, y = self.read(a, width, signed), self.read(b, width, signed)
        if y == terms.const(1):
            return self.wrapped(x, width)
        if self._at_least(y, 1) and (rounding == "negative_inf" or (rounding == "zero" and self._at_least(x, 0))):
            return self.wrapped(self.floor_divided(x, y), width)
        if self._at_least(y, 1) and rounding == "positive_inf":
            return self.wrapped(self.ceil_divided(x, y), width)
        if x.is_const and y.is_const and y.value:
            down, rest = divmod(x.value, y.value)
            up = rest and (rounding == "positive_inf" or (rounding == "zero" and (x.value < 0) != (y.value < 0)))
            return self.wrapped(terms.const(down + bool(up)), width)
        return self.unknown(("quotient", x, y, width, signed, rounding), width)

    def remaining(self, a: Term, b: Term, width: int, signed: bool) -> Term:
        """The remainder of a truncated division, which has the dividend's sign."""
        x, y = self.read(a, width, signed), self.read(b, width, signed)
        if self._at_least(y, 1) and self._at_least(x, 0):
            return self.wrapped(self.remainder(x, y), width)
        if y == terms.const(1):
            return terms.const(0)
        if x.is_const and y.is_const and y.value:
            left = abs(x.value) % abs(y.value)
            return self.wrapped(terms.const(-left if x.value < 0 else left), width)
        return self.unknown(("remainder", x, y, width, signed), width)

    def bits(self, which: str, a: Term, b: Term, width: int) -> Term:
        """`and`, `or` or `xor` of the bits of two numbers."""
        mask = (1 << width) - 1
        if a.is_const and b.is_const:
            x, y = a.value & mask, b.value & mask
            return self.wrapped(terms.const({"and": x & y, "or": x | y, "xor": x ^ y}[which]), width)
        if a == b:
            return terms.const(0) if which == "xor" else a
        if width == 1 and which != "xor":
            return self.both(a, b) if which == "and" else self.either(a, b)
        for one, other in ((a, b), (b, a)):
            if one.is_const and one.value & mask == 0:
                return one if which == "and" else other
            if one.is_const and one.value & mask == mask:
                if which != "xor":
                    return other if which == "and" else one
                if width == 1:
                    return self.negated(other)
        return self.unknown((which, *sorted((a, b), key=str), width), width)

    def shifted_left(self, a: Term, b: Term, width: int) -> Term:
        """`a << b`."""
        if b.is_const and 0 <= b.value < width:
            return self.wrapped(self.times(a, 1 << b.value), width)
        return self.unknown(("shl", a, b, width), width)

    def shifted_right(self, a: Term, b: Term, width: int, signed: bool) -> Term:
        """`a >> b`."""
        if b.is_const and 0 <= b.value < width:
            return self.wrapped(self.floor_divided(self.read(a, width, signed), terms.const(1 << b.value)), width)
        return self.unknown(("shr", a, b, width, signed), width)

    # Truth values

    def less(self, a: Term, b: Term) -> Term:
        """`a < b`."""
        difference = self.minus(a, b)
        low, high = self.between(difference)
        if high is not None and high < 0:
            return terms.TRUE
        if low is not None and low >= 0:
            return terms.FALSE
        return Term("<", (difference, terms.const(0)))

    def equal(self, a: Term, b: Term) -> Term:
        """`a == b`."""
        difference = self.minus(a, b)
        low, high = self.between(difference)
        if difference.is_const or (low is not None and low > 0) or (high is not None and high < 0):
            return terms.const(int(difference.is_const and difference.value == 0))
        opposite = self.minus(terms.const(0), difference)
        return Term("==", (min(difference, opposite, key=str), terms.const(0)))

    def compared(self, relation: str, a: Term, b: Term) -> Term:
        """A comparison, by the name it has in Tile IR."""
        match relation:
            case "equal":
                return self.equal(a, b)
            case "not_equal":
                return self.negated(self.equal(a, b))
            case "less_than":
                return self.less(a, b)
            case "less_than_or_equal":
                return self.less(a, self.plus(b, 1))
            case "greater_than":
                return self.less(b, a)
            case _:
                return self.less(b, self.plus(a, 1))

    def negated(self, a: Term) -> Term:
        """`not a`."""
        if a.op == "<":  # not (d < 0) is -d - 1 < 0
            return self.less(self.minus(terms.const(-1), a.args[0]), terms.const(0))
        return terms.negate(a)

    def both(self, *conditions: Term) -> Term:
        """A conjunction, whatever the order and nesting of its parts."""
        return self._joined("and", conditions)

    def either(self, *conditions: Term) -> Term:
        """A disjunction, whatever the order and nesting of its parts."""
        return self._joined("or", conditions)

    def _joined(self, op: str, conditions: tuple[Term, ...]) -> Term:
        parts: set[Term] = set()
        todo = list(conditions)
        while todo:
            condition = todo.pop()
            if condition.op == op:
                todo += condition.args
            else:
                parts.add(condition)
        join, start = (terms.both, terms.TRUE) if op == "and" else (terms.either, terms.FALSE)
        return reduce(join, sorted(parts, key=str), start)

    def chosen(self, condition: Term, a: Term, b: Term, width: int | None) -> Term:
        """`a` where the condition holds, and `b` where not."""
        if condition.is_const:
            return a if condition.value else b
        if a == b:
            return a
        found = self.unknown(("select", condition, a, b), width)
        self.choices[found] = a, b
        if width is not None:
            (x, y), (u, v) = self.between(a), self.between(b)
            if x is not None and y is not None and u is not None and v is not None:
                self.bounds[found,] = (min(x, u), max(y, v))
        return found

    # Terms of others

    def carried_out(self, t: Term, values: Mapping[Term, Term], width: int) -> Term:
        """A term over numbers that are never negative, computed step by step in registers of a width."""

        def step(t: Term, operands: Sequence[Term]) -> Term:
            a, b = operands
            match t.op:
                case "+" | "-" | "*":
                    exact = {"+": self.plus, "-": self.minus, "*": self.times}[t.op](a, b)
                    return self.wrapped(exact, width)
                case "//":
                    return self.divided(a, b, width, False, "zero")
                case "%":
                    return self.remaining(a, b, width, False)
                case "ceildiv":
                    return self.ceil_divided(a, b)
                case "min" | "max":
                    return self.extreme(t.op, self.unsigned(a, width), self.unsigned(b, width))
                case _:
                    raise ValueError(f"{t} is no arithmetic")

        def leaf(t: Term) -> Term:
            if not t.is_const:
                raise ValueError(f"nothing is known of {t}")
            return t

        return t.fold(leaf, step, dict(values))


def _is_remainder(atom: Term, modulus: int) -> bool:
    """Whether an atom is a remainder that says nothing modulo `modulus`."""
    return atom.op == "%" and atom.args[1].is_const and atom.args[1].value % modulus == 0
