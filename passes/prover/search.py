"""
The search for a small counterexample: values of symbols under which predicates hold, met by trying them in order.

Symbols get values one after another, those first that bound the others. A symbol's candidates are small numbers,
numbers near the constants of the question, and the ends of the range that the symbols before it leave to it; a
predicate is looked at as soon as its symbols have values. The work is bounded by a number of assignments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import Final

from freehold.support import terms
from freehold.support.terms import Term

Values = dict[str, int]
Evaluate = Callable[[Mapping[str, int]], int]

_SMALL: Final = (1, 2, 0, 3, 4, -1)
_BUDGETS: Final = (400, 2500)
"""Assignments to one symbol: with few candidates, then with all of them."""
_LARGE: Final = 2**31 - 1
_FEW: Final = 3
_MOST: Final = 12


def find(facts: Sequence[Term], wanted: Term) -> Values | None:
    """Values under which `facts` and `wanted` hold, if a bounded search meets any."""
    found = _found(tuple(facts), wanted)
    return None if found is None else {**found}


@lru_cache(maxsize=4096)
def _found(facts: tuple[Term, ...], wanted: Term) -> Values | None:
    """The same, kept: accesses of a kernel ask for the same, and so do its variants."""
    predicates = list(dict.fromkeys(_isolated(part) for f in (*facts, wanted) for part in _conjuncts(f)))
    if any(p.is_const and not p.value for p in predicates):
        return None
    plan = _plan(predicates)
    pool = _pool(predicates)
    for few, budget in zip((True, False), _BUDGETS, strict=True):
        search = _Search(plan, pool, few, budget)
        if search.level(0) and holds_in((*facts, wanted), search.values):
            return search.values
    return None


def holds_in(facts: Sequence[Term], values: Mapping[str, int]) -> bool:
    """Whether all predicates hold for these values; not if one of them divides by zero or names another symbol."""
    try:
        return all(f.evaluate(values) for f in facts)
    except (ZeroDivisionError, KeyError):
        return False


@dataclass
class _Level:
    """A symbol, and what is asked when it gets a value."""

    name: str
    low: int = -(2**63)
    high: int = 2**63
    above: list[Evaluate] = field(default_factory=list[Evaluate])
    """Terms of earlier symbols that it is not below."""
    below: list[Evaluate] = field(default_factory=list[Evaluate])
    """Terms of earlier symbols that it is not above."""
    equal: list[Evaluate] = field(default_factory=list[Evaluate])
    """Terms of earlier symbols of which it is one."""
    likely: list[Evaluate] = field(default_factory=list[Evaluate])
    """Terms that it is compared with somewhere inside of other predicates."""
    checks: list[Evaluate] = field(default_factory=list[Evaluate])


@dataclass
class _Search:
    plan: Sequence[_Level]
    pool: Sequence[int]
    few: bool
    left: int
    values: Values = field(default_factory=Values)

    def level(self, n: int) -> bool:
        """Gives values to the symbols from the n-th on."""
        if n == len(self.plan):
            return True
        here = self.plan[n]
        values = self.values
        checks = here.checks
        for value in self.candidates(here):
            self.left -= 1
            if self.left < 0:
                return False
            values[here.name] = value
            holds = True
            try:
                for check in checks:
                    if not check(values):
                        holds = False
                        break
            except ZeroDivisionError:
                continue
            if holds and self.level(n + 1):
                return True
        return False

    def candidates(self, here: _Level) -> Iterator[int]:
        """Values of a symbol, the likeliest first."""
        values, low, high = self.values, here.low, here.high
        try:
            for f in here.above:
                low = max(low, f(values))
            for f in here.below:
                high = min(high, f(values))
            named = [f(values) for f in here.equal]
            if not named:
                named = [x + d for f in here.likely for d in (0, 1, -1) for x in (f(values),)]
        except ZeroDivisionError:
            return
        if low > high:
            return
        if here.equal:
            yield from (v for v in named if low <= v <= high)
            return
        near = [v for v in named if low <= v <= high]
        small = [v for v in _SMALL if low <= v <= high]
        if self.few:
            yield from dict.fromkeys((*near[:_FEW], *small[:_FEW], low, high, *small[_FEW:]))
        else:
            ends = (low, high, low + 1, high - 1) if low < high else (low,)
            yield from dict.fromkeys((*small, *ends, *near, *(v for v in self.pool if low <= v <= high)))


def _conjuncts(t: Term) -> Iterator[Term]:
    """The predicates that all hold exactly if this one does."""
    inner = t.args[0] if t.op == "not" else t
    if inner.op == "and" and inner is t:
        parts = t.args
    elif inner.op == "or" and inner is not t:
        parts = tuple(terms.negate(a) for a in inner.args)
    else:
        yield t
        return
    for part in parts:
        yield from _conjuncts(part)


def _isolated(p: Term) -> Term:
    """An inequality of one symbol in sums, multiples and quotients by constants, with that symbol alone on a side.

    One that has a symbol alone on a side stays as it is."""
    if p.op not in ("<", "<=") or any(a.op == "sym" for a in p.args):
        return p
    upper = p.args[0].op in _INVERTED
    while p.op in ("<", "<="):
        t, limit = p.args if upper else p.args[::-1]
        if t.op not in _INVERTED or not t.args[1].is_const or t.args[1].value <= 0:
            return p
        x, c = t.args
        if p.op == "<":  # t <= limit, or limit <= t
            limit = limit + (-1 if upper else 1)
        match t.op, upper:
            case "+", _:
                limit = limit - c
            case "*", True:
                limit = terms.floordiv(limit, c)
            case "*", False:
                limit = terms.ceildiv(limit, c)
            case "//", True:
                limit = limit * c + (c - 1)
            case "ceildiv", False:
                limit = limit * c - (c - 1)
            case _:
                limit = limit * c
        p = x.le(limit) if upper else limit.le(x)
    return p


_INVERTED: Final = ("+", "*", "//", "ceildiv")


def _plan(predicates: Sequence[Term]) -> list[_Level]:
    """The symbols in order, each with the predicates that are decided by it and those before it."""
    names = sorted({name for p in predicates for name in p.symbols()})
    bounding: dict[str, list[frozenset[str]]] = {name: [] for name in names}
    about: dict[str, list[Term]] = {name: [] for name in names}
    for p in predicates:
        for name in p.symbols():
            about[name].append(p)
        for name, other in _bounded(p):
            bounding[name].append(other.symbols())
    levels: list[_Level] = []
    known: set[str] = set()
    still = {name: set[str]().union(*bounding[name]) - {name} for name in names}
    bounds: dict[str, list[str]] = {name: [] for name in names}
    for name, others in still.items():
        for other in others:
            bounds[other].append(name)
    # First what nothing open bounds; then what most predicates are about. Of what was pushed twice, the last is best.
    heap = [(len(still[name]), -len(bounding[name]), name) for name in names]
    heapify(heap)
    while heap:
        *_, name = heappop(heap)
        if name in known:
            continue
        known.add(name)
        for bounded in bounds[name]:
            still[bounded].discard(name)
            heappush(heap, (len(still[bounded]), -len(bounding[bounded]), bounded))
        levels.append(_level(name, about[name], known))
    return levels


def _level(name: str, predicates: Sequence[Term], known: set[str]) -> _Level:
    """What is known of a symbol once those in `known` have values, of the predicates about it."""
    found = _Level(name)
    symbol = terms.sym(name)
    for p in predicates:
        if p.symbols() <= known:
            _decided(p, symbol, found)
        for inner in p.walk():
            # What a choice is made of may well be the value, and so may what it is compared with.
            if inner is not p and inner.op in ("==", "<", "<=") and symbol in inner.args:
                other = inner.args[inner.args[0] == symbol]
                if other.symbols() < known and name not in other.symbols():
                    found.likely.append(compiled(other))
    return found


def _decided(p: Term, symbol: Term, found: _Level) -> None:
    """A predicate of one open symbol: a bound or a value of it, or else a check."""
    for name, other in _bounded(p):
        if name != symbol.name or name in other.symbols():
            continue
        if p.op == "==":
            found.equal.append(compiled(other))
            break
        strict = int(p.op == "<")
        upper = p.args[0] == symbol
        if other.is_const:
            if upper:
                found.high = min(found.high, other.value - strict)
            else:
                found.low = max(found.low, other.value + strict)
        elif upper:
            found.below.append(compiled(other - strict))
        else:
            found.above.append(compiled(other + strict))
        return
    found.checks.append(compiled(p))


def _bounded(p: Term) -> Iterator[tuple[str, Term]]:
    """The symbols that a comparison has on one side alone, each with the other side."""
    if p.op in ("<", "<=", "=="):
        for n, a in enumerate(p.args):
            if a.op == "sym":
                yield a.name, p.args[1 - n]


def _pool(predicates: Sequence[Term]) -> list[int]:
    """Interesting numbers: constants of the question, and what is near them."""
    constants = sorted(
        {abs(t.value) for p in predicates for t in p.walk() if t.is_const and 3 < abs(t.value) < _LARGE}
    )[:_MOST]
    return [*(c + d for c in constants for d in (0, 1, -1)), *(2 * c for c in constants), 64, 4096, 65536]


@lru_cache(maxsize=65536)
def compiled(t: Term) -> Evaluate:
    """A term as a function of its symbols' values. It raises what `Term.evaluate` does."""
    try:
        text = terms.as_python(t, {name: f"v[{name!r}]" for name in t.symbols()})
        return eval(f"lambda v: {text}", {"ceildiv": terms.rounded_up})
    except (SyntaxError, RecursionError, MemoryError):  # nested more deeply than Python's parser goes
        return t.evaluate
