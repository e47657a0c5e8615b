"""Terms as polynomials over atoms, and bounds of them by interval arithmetic.

An atom is what sums and products cannot see into: a symbol, a quotient, a remainder, `ceildiv`, `min`, `max`. Two terms
that are equal by the rules of rings have one polynomial.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache, reduce
from itertools import chain, product
from types import MappingProxyType
from typing import Final

from freehold.support import terms
from freehold.support.terms import Term

Monomial = tuple[Term, ...]
Poly = Mapping[Monomial, int]
"""Coefficients by product of atoms, in a fixed order; the constant's is that of the empty product. None is 0."""
Interval = tuple[int | None, int | None]
"""A least and a greatest value; None where there is none."""

UNBOUNDED: Final[Interval] = (None, None)
_ONE: Final[Monomial] = ()
_MOST_MONOMIALS: Final = 64


@lru_cache(maxsize=65536)
def size(m: Monomial) -> int:
    """How long a product of atoms is, written down."""
    return sum([len(str(atom)) for atom in m])


@lru_cache(maxsize=65536)
def poly(t: Term) -> Poly:
    """The polynomial of a term. Of a predicate: itself, as an atom."""
    if t.op == "const":
        return {_ONE: t.value} if t.value else {}
    if t.op in ("+", "-"):
        return combine(poly(t.args[0]), 1, poly(t.args[1]), 1 if t.op == "+" else -1)
    if t.op == "*":
        a, b = poly(t.args[0]), poly(t.args[1])
        if len(a) * len(b) <= _MOST_MONOMIALS:
            result: dict[Monomial, int] = {}
            for (m, c), (n, d) in product(a.items(), b.items()):
                key = tuple(sorted((*m, *n), key=str))
                result[key] = result.get(key, 0) + c * d
            return {m: c for m, c in result.items() if c}
    return {(t,): 1}


def combine(a: Poly, x: int, b: Poly, y: int) -> Poly:
    """`x * a + y * b`."""
    result = {m: x * c for m, c in a.items()} if x else {}
    for m, c in b.items():
        total = result.get(m, 0) + y * c
        if total:
            result[m] = total
        else:
            result.pop(m, None)
    return result


def to_term(p: Poly) -> Term:
    """A term with this polynomial: positive summands first, in the order of their texts."""
    positive = terms.const(0)
    negative = terms.const(0)
    for m, c in sorted(p.items(), key=lambda item: (item[0] == _ONE, [str(a) for a in item[0]])):
        summand = reduce(terms.mul, m, terms.const(1)) * abs(c)
        if c > 0:
            positive = positive + summand
        else:
            negative = negative + summand
    return positive - negative


class Bounds(dict[Monomial, Interval]):
    """Intervals that are known of products of atoms, and what was found from them about atoms with operands."""

    __slots__ = ("found",)

    def __init__(self, known: Mapping[Monomial, Interval] = MappingProxyType({})):
        super().__init__(known)
        self.found: dict[Term, Interval] = {}

    def __setitem__(self, m: Monomial, interval: Interval) -> None:
        super().__setitem__(m, interval)
        self.found.clear()


def bound(p: Poly, bounds: Bounds) -> Interval:
    """The interval of a polynomial, from those that are known of its products and atoms."""
    low: int | None = 0
    high: int | None = 0
    for m, c in p.items():
        alone = len(m) == 1 and m[0].op == "sym"
        least, greatest = bounds.get(m, UNBOUNDED) if alone else bound_monomial(m, bounds)
        if c < 0:
            least, greatest = greatest, least
        low = None if low is None or least is None else low + c * least
        high = None if high is None or greatest is None else high + c * greatest
    return low, high


def at_most(p: Poly, bounds: Bounds) -> int | None:
    """The greatest value of a polynomial: of its interval the end that the search asks for at every step."""
    high = 0
    for m, c in p.items():
        alone = len(m) == 1 and m[0].op == "sym"
        least, greatest = bounds.get(m, UNBOUNDED) if alone else bound_monomial(m, bounds)
        limit = least if c < 0 else greatest
        if limit is None:
            return None
        high += c * limit
    return high


def bound_monomial(m: Monomial, bounds: Bounds) -> Interval:
    """The interval of a product of atoms."""
    if not m:
        return 1, 1
    if len(m) == 1:
        return bound_atom(m[0], bounds)
    factors = [bound_atom(atom, bounds) for atom in dict.fromkeys(m) if m.count(atom) % 2]
    factors += [_squared(bound_atom(atom, bounds)) for atom in dict.fromkeys(m) for _ in range(m.count(atom) // 2)]
    return meet(reduce(_times, factors), bounds.get(m, UNBOUNDED))


def bound_term(t: Term, bounds: Bounds) -> Interval:
    """The interval of a term."""
    return bound(poly(t), bounds)


def bound_atom(t: Term, bounds: Bounds) -> Interval:
    """The interval of an atom: what is known of it, and what its operands' intervals say."""
    known = bounds.get((t,), UNBOUNDED)
    match t.op:
        case "sym":
            return known
        case "const":
            return t.value, t.value
        case "<" | "<=" | "==" | "and" | "or" | "not":
            return meet(known, (0, 1))
        case _:
            if (found := bounds.found.get(t)) is None:
                a, b = (bound_term(x, bounds) for x in t.args)
                found = bounds.found[t] = meet(known, _bound_op(t.op, a, b))
            return found


def _bound_op(op: str, a: Interval, b: Interval) -> Interval:
    match op:
        case "min":
            return _lowest(a[0], b[0]), _least_known(a[1], b[1])
        case "max":
            return _greatest_known(a[0], b[0]), _highest(a[1], b[1])
        case "%":
            if b[0] is None or b[0] < 1:
                return UNBOUNDED
            high = None if b[1] is None else b[1] - 1
            if a[0] is not None and a[0] >= 0 and a[1] is not None:
                high = a[1] if high is None else min(high, a[1])
            return 0, high
        case "//" | "ceildiv":
            if b[0] is None or b[0] < 1:
                return UNBOUNDED
            return _divided(op, a[0], b, low=True), _divided(op, a[1], b, low=False)
        case "*":
            return _times(a, b)
        case _:
            return UNBOUNDED


def _divided(op: str, value: int | None, divisor: Interval, *, low: bool) -> int | None:
    """The extreme quotient of `value`: by the largest divisor where that brings it nearer to it, else by the least."""
    if value is None:
        return None
    least, greatest = divisor
    assert least is not None
    towards_zero = (value >= 0) == low
    if towards_zero and greatest is None:
        return (1 if op == "ceildiv" and value > 0 else 0) if value >= 0 else (-1 if op == "//" else 0)
    d = max(least, greatest or least) if towards_zero else least  # bounds that contradict each other bound nothing
    return value // d if op == "//" else -(-value // d)


def _times(a: Interval, b: Interval) -> Interval:
    if None not in (*a, *b):
        corners = [x * y for x in a for y in b if x is not None and y is not None]
        return min(corners), max(corners)
    if a[0] is not None and b[0] is not None and a[0] >= 0 and b[0] >= 0:
        return a[0] * b[0], None
    return UNBOUNDED


def _squared(a: Interval) -> Interval:
    low, high = a
    least = 0 if low is None or high is None or low <= 0 <= high else min(low * low, high * high)
    return least, None if low is None or high is None else max(low * low, high * high)


def meet(a: Interval, b: Interval) -> Interval:
    """What both intervals allow."""
    return _greatest_known(a[0], b[0]), _least_known(a[1], b[1])


def _lowest(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else min(a, b)


def _highest(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else max(a, b)


def _least_known(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else min(a, b)


def _greatest_known(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else max(a, b)


def atoms(p: Poly) -> Iterable[Term]:
    """The atoms of a polynomial, repeated ones once."""
    return dict.fromkeys(chain.from_iterable(p))
