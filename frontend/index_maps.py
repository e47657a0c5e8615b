"""
Index maps: which region each point of a launch takes, written as Python functions of integers.

A map is called once, on the host, with symbols in the place of the integers; what it computes is kept as terms. So a
map knows no array, one map serves all extents without compiling again, and the prover sees nothing but arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import CodeType, FunctionType
from typing import Any, Final, NoReturn, cast

from freehold.support import terms
from freehold.support.public import public
from freehold.support.span import Span, char_column
from freehold.support.terms import Term

OfPoint = (
    Callable[[Any], Any]
    | Callable[[Any, Any], Any]
    | Callable[[Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any], Any]
    | Callable[..., Any]
)
"""A function of integers, as many as there are axes: spelled out so that lambdas need no annotations."""

Extents = int | tuple[int, ...] | OfPoint
"""The extents of a domain: numbers, or a function of the numbers of regions along each axis."""


class Untraceable(Exception):
    """A map does what cannot be said of all points at once: what that is, and what to write instead."""

    def __init__(self, what: str, instead: str = ""):
        super().__init__(what)
        self.what = what
        self.instead = instead


class SymbolicInt:
    """An integer that stands for the coordinate of any point, or the extent of any launch, while a map is read."""

    __slots__ = ("term",)
    __hash__ = None  # pyright: ignore[reportAssignmentType] -- equality is a question for the prover

    def __init__(self, term: Term):
        self.term = term

    def __add__(self, other: object) -> SymbolicInt:
        return _binary(terms.add, self, other)

    def __radd__(self, other: object) -> SymbolicInt:
        return _binary(terms.add, other, self)

    def __sub__(self, other: object) -> SymbolicInt:
        return _binary(terms.sub, self, other)

    def __rsub__(self, other: object) -> SymbolicInt:
        return _binary(terms.sub, other, self)

    def __mul__(self, other: object) -> SymbolicInt:
        return _binary(terms.mul, self, other)

    def __rmul__(self, other: object) -> SymbolicInt:
        return _binary(terms.mul, other, self)

    def __floordiv__(self, other: object) -> SymbolicInt:
        return _binary(terms.floordiv, self, other)

    def __rfloordiv__(self, other: object) -> SymbolicInt:
        return _binary(terms.floordiv, other, self)

    def __mod__(self, other: object) -> SymbolicInt:
        return _binary(terms.mod, self, other)

    def __rmod__(self, other: object) -> SymbolicInt:
        return _binary(terms.mod, other, self)

    def __neg__(self) -> SymbolicInt:
        return SymbolicInt(terms.sub(terms.const(0), self.term))

    def __pos__(self) -> SymbolicInt:
        return self

    def __abs__(self) -> SymbolicInt:
        return _binary(terms.maximum, self, -self)

    def __divmod__(self, other: object) -> tuple[SymbolicInt, SymbolicInt]:
        return self // other, self % other

    def __rdivmod__(self, other: object) -> tuple[SymbolicInt, SymbolicInt]:
        return other // self, other % self

    def __lshift__(self, other: object) -> SymbolicInt:
        return self * _power_of_two(other, "<<", "a * 2")

    def __rshift__(self, other: object) -> SymbolicInt:
        return self // _power_of_two(other, ">>", "a // 2")

    def __xor__(self, other: object) -> NoReturn:
        raise _not_computed("^", self, other)

    def __pow__(self, other: object) -> NoReturn:
        raise _not_computed("**", self, other)

    def __rlshift__(self, other: object) -> NoReturn:
        raise _not_computed("<<", other, self)

    def __rrshift__(self, other: object) -> NoReturn:
        raise _not_computed(">>", other, self)

    def __rxor__(self, other: object) -> NoReturn:
        raise _not_computed("^", other, self)

    def __rpow__(self, other: object) -> NoReturn:
        raise _not_computed("**", other, self)

    def __lt__(self, other: object) -> SymbolicInt:
        return _binary(Term.lt, self, other)

    def __le__(self, other: object) -> SymbolicInt:
        return _binary(Term.le, self, other)

    def __gt__(self, other: object) -> SymbolicInt:
        return _binary(Term.lt, other, self)

    def __ge__(self, other: object) -> SymbolicInt:
        return _binary(Term.le, other, self)

    def __eq__(self, other: object) -> SymbolicInt:  # pyright: ignore[reportIncompatibleMethodOverride] -- a predicate
        return _binary(Term.eq, self, other)

    def __ne__(self, other: object) -> SymbolicInt:  # pyright: ignore[reportIncompatibleMethodOverride] -- a predicate
        return SymbolicInt(terms.negate((self == other).term))

    def __and__(self, other: object) -> SymbolicInt:
        return _connective(terms.both, "&", self, other)

    def __or__(self, other: object) -> SymbolicInt:
        return _connective(terms.either, "|", self, other)

    def __invert__(self) -> SymbolicInt:
        return SymbolicInt(terms.negate(_predicate(self, "~")))

    def __bool__(self) -> NoReturn:
        instead = (
            "write it without `if`, `and`, `or`, `not`, `min` and `max`: `fh.minimum(a, b)`, `(a <= i) & (i < b)`; "
        )
        raise Untraceable(f"asks whether `{self.term}` holds", f"{instead}leave points out by `where=`")

    def __truediv__(self, other: object) -> NoReturn:
        raise Untraceable(f"divides `{self.term}` into fractions", "round down: `a // b`")

    def __index__(self) -> NoReturn:
        raise Untraceable(f"needs the value of `{self.term}`", "compute with it: `+ - * // %`, `fh.minimum`, `fh.cdiv`")

    def __iter__(self) -> NoReturn:
        raise Untraceable(f"takes `{self.term}` apart", "a coordinate is one integer; the map gets one for each axis")

    def __freehold_host__(self, name: str, arguments: Sequence[object]) -> SymbolicInt:
        """A function of the language, called in a map."""
        rule = _FUNCTIONS.get(name)
        if rule is None or len(arguments) != 2:
            raise Untraceable(f"calls `{name}`", f"of the language's functions there are {', '.join(_FUNCTIONS)}")
        return _binary(rule, *arguments)

    def __repr__(self) -> str:
        return str(self.term)


_FUNCTIONS: Final = {"minimum": terms.minimum, "maximum": terms.maximum, "cdiv": terms.ceildiv}


def _term(value: object) -> Term:
    if isinstance(value, SymbolicInt):
        return value.term
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise Untraceable(f"computes with {value!r}", "coordinates are integers")
    return terms.const(int(cast(int, value)))


def _binary(rule: Callable[[Term, Term], Term], left: object, right: object) -> SymbolicInt:
    return SymbolicInt(rule(_term(left), _term(right)))


def _power_of_two(exponent: object, symbol: str, instead: str) -> int:
    """What a shift by a known number multiplies with, or divides by."""
    if isinstance(exponent, bool) or not isinstance(exponent, int) or not 0 <= exponent < 32:
        raise Untraceable(f"shifts by {exponent!r}", f"`{symbol}` takes a number from 0 to 31; or write `{instead}`")
    return 1 << exponent


def _not_computed(symbol: str, left: object, right: object) -> Untraceable:
    return Untraceable(f"computes `{left} {symbol} {right}`", f"there is no `{symbol}`: compute with `+ - * // %`")


def _predicate(value: object, symbol: str) -> Term:
    found = value.term if isinstance(value, SymbolicInt) else terms.const(bool(value))
    if found.op not in ("<", "<=", "==", "not", "and", "or") and found not in (terms.TRUE, terms.FALSE):
        raise Untraceable(f"applies `{symbol}` to `{found}`", f"`{symbol}` is for comparisons")
    return found


def _connective(rule: Callable[[Term, Term], Term], symbol: str, left: object, right: object) -> SymbolicInt:
    return SymbolicInt(rule(_predicate(left, symbol), _predicate(right, symbol)))


# --- Maps -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexMap:
    """
    Which region each point of a launch takes: for `partition(..., map=...)`, where a function alone is not enough.

    `region(i, j, ..., grid)` is given a point's coordinates and, if it has a parameter `grid`, the numbers of regions
    along each axis; it returns the region's coordinates. `domain` are the extents of the points' index space: by
    default the numbers of regions themselves. Points for which `where` is false do nothing.
    """

    region: OfPoint
    """The region's coordinates, of a point's."""
    domain: Extents | None = None
    """The extents of the points' index space, or a function of the numbers of regions that gives them."""
    where: OfPoint | None = None
    """Whether a point does anything."""


@dataclass(frozen=True, slots=True)
class Place:
    """A piece of source text, in byte columns as Python's code objects have them."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def span(self) -> Span:
        """The same in characters. Reads the file."""
        import linecache

        first, last = (linecache.getline(self.file, line) for line in (self.line, self.end_line))
        return Span(
            self.file,
            self.line,
            char_column(first, self.column),
            self.end_line,
            char_column(last, self.end_column),
        )


@dataclass(frozen=True, slots=True)
class PointMap:
    """An index map that was read: terms over `point[0]`, ... and `grid[0]`, ..., the numbers of regions."""

    domain: tuple[Term, ...]
    """The extents of the domain, over `grid` alone; a point's coordinates are the launch's leading ones."""
    region: tuple[Term, ...]
    """The coordinates of the region that a point takes."""
    where: Term
    """Whether the point does anything."""
    names: tuple[str, ...] = ()
    """The coordinates of a point, as the map's author calls them; empty where they have no names."""
    place: Place | None = None
    """Where the map is written."""

    def __repr__(self) -> str:  # the text by which a kernel on disk is found: what is computed, not where it is written
        return f"PointMap({[*map(str, self.domain)]}, {[*map(str, self.region)]}, {str(self.where)!r})"


def point(axis: int) -> Term:
    """The symbol of a point's coordinate."""
    return terms.sym(f"point[{axis}]")


def grid(axis: int) -> Term:
    """The symbol of the number of regions along an axis."""
    return terms.sym(f"grid[{axis}]")


@cache
def identity(rank: int) -> PointMap:
    """The map of a partition that has none: each point takes the region at its own coordinates."""
    return PointMap(tuple(map(grid, range(rank))), tuple(map(point, range(rank))), terms.TRUE)


def read(index_map: IndexMap, rank: int) -> PointMap:
    """The terms of a map of regions with `rank` coordinates. Raises `Untraceable`, and what the functions raise."""
    counts = tuple(SymbolicInt(grid(axis)) for axis in range(rank))
    domain = _integers(_extents(index_map.domain, counts), "the extents of the domain")
    names = _coordinates(index_map.region, len(domain))
    at, canonical = _named(names, len(domain))
    region = tuple(t.substitute(canonical) for t in _integers(_call(index_map.region, at, counts), "the map"))
    if len(region) != rank:
        raise Untraceable(f"gives {_many(len(region))}, for regions of {rank}", "give one integer for each axis")
    where = terms.TRUE
    if index_map.where is not None:
        at, canonical = _named(_coordinates(index_map.where, len(domain)), len(domain))
        where = _predicate(_call(index_map.where, at, counts), "where").substitute(canonical)
    for found in (*domain, *region, where):
        for part in found.walk():
            if part.op in ("//", "%", "ceildiv") and part.args[1].is_const and part.args[1].value < 1:
                raise Untraceable(f"divides by {part.args[1]}", "divide by positive integers")
    place = _place(index_map.region) or _place(index_map.domain) or _place(index_map.where)
    return PointMap(domain, region, where, names, place)


def _named(names: tuple[str, ...], rank: int) -> tuple[tuple[SymbolicInt, ...], dict[str, Term]]:
    """A point's coordinates under their author's names, so that an error can show them; and what they stand for."""
    symbols = [terms.sym(names[axis]) if names else point(axis) for axis in range(rank)]
    return tuple(map(SymbolicInt, symbols)), {s.name: point(axis) for axis, s in enumerate(symbols)}


def _extents(given: Extents | None, counts: tuple[SymbolicInt, ...]) -> object:
    if given is None:
        return counts
    return given(*counts) if callable(given) else given


def _many(count: int) -> str:
    return f"{count} coordinate{'' if count == 1 else 's'}"


def _integers(given: object, what: str) -> tuple[Term, ...]:
    items = tuple(cast("list[object]", given)) if isinstance(given, tuple | list) else (given,)
    found = tuple(map(_term, items))
    if any(t.op in ("<", "<=", "==", "not", "and", "or") for t in found):
        raise Untraceable(f"{what} gives a comparison", "coordinates and extents are integers")
    return found


def _signature(function: Callable[..., Any]) -> tuple[tuple[str, ...], bool, bool]:
    """The parameters of a map that are coordinates, whether it takes any number of them, and whether `grid` is one."""
    from inspect import Parameter, signature

    found = list(signature(function).parameters.values())
    positional = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    names = tuple(p.name for p in found if p.kind in positional and p.name != "grid" and p.default is Parameter.empty)
    takes_grid = any(p.name == "grid" and p.kind is not Parameter.POSITIONAL_ONLY for p in found)
    return names, any(p.kind is Parameter.VAR_POSITIONAL for p in found), takes_grid


def _coordinates(function: Callable[..., Any], rank: int) -> tuple[str, ...]:
    names, any_number, _ = _signature(function)
    if any_number:
        return ()
    if len(names) != rank:
        raise Untraceable(
            f"takes {_many(len(names))}, and points have {rank}",
            "name one for each axis of the domain, which has the axes of `grid=`, or else of the tile",
        )
    return names


def _call(function: Callable[..., Any], at: tuple[SymbolicInt, ...], counts: tuple[SymbolicInt, ...]) -> object:
    return function(*at, grid=counts) if _signature(function)[2] else function(*at)


def _place(function: object) -> Place | None:
    """Where a function's body is written; None for our own, and for what is no function of Python's."""
    code = function.__code__ if isinstance(function, FunctionType) else None
    return (
        None
        if code is None or code.co_filename == _own_place.__code__.co_filename
        else place_of(code, code.co_filename)
    )


@lru_cache(maxsize=256)
def place_of(code: CodeType, file: str) -> Place | None:
    """Where the body of some code is written. Code is equal by its text, so the file is asked for, too."""
    body = [
        cast("tuple[int, int, int, int]", p)
        for p in code.co_positions()
        if None not in p and p[2:] not in ((0, 0), (0, 1))
    ]
    if code.co_name != "<lambda>":
        body = [p for p in body if p[0] > code.co_firstlineno] or body
    if not body:  # Python was told to forget columns
        return Place(file, code.co_firstlineno, 0, code.co_firstlineno, 0)
    first = min((line, column) for line, _, column, _ in body)
    last = max((end_line, end_column) for _, end_line, _, end_column in body)
    return Place(file, *first, *last)


def _own_place(*at: Any) -> tuple[Any, ...]:
    return at


OWN_PLACE: Final = IndexMap(_own_place)
"""Each point takes the region at its own coordinates."""


def _reversed(*at: Any, grid: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(count - 1 - i for i, count in zip(at, grid, strict=True))


REVERSED: Final = IndexMap(_reversed)
"""The last region first, along every axis."""


def _skewed(*at: Any, grid: Sequence[Any]) -> tuple[Any, ...]:
    *outer, i, j = at
    return (*outer, i, (i + j) % grid[-1])


SKEWED: Final = IndexMap(_skewed)
"""Diagonals of the last two axes: neighbouring rows begin a region apart, and wrap around."""


def _below(*at: Any) -> Any:
    return at[-1] <= at[-2]


LOWER_TRIANGLE: Final = IndexMap(_own_place, where=_below)
"""The regions on and below the diagonal of the last two axes; the points of the others do nothing."""


def _above(*at: Any) -> Any:
    return at[-2] <= at[-1]


UPPER_TRIANGLE: Final = IndexMap(_own_place, where=_above)
"""The regions on and above the diagonal of the last two axes; the points of the others do nothing."""


@public
@lru_cache(maxsize=64)
def permuted(*axes: int) -> IndexMap:
    """
    The axes of the domain in another order: axis `n` of the domain runs along axis `axes[n]` of the regions.

    Raises `ValueError` unless each axis is there once.
    """
    if sorted(axes) != list(range(len(axes))):
        raise ValueError(f"a permutation has each axis from 0 on once, and {axes} has not")

    def region(*at: Any) -> tuple[Any, ...]:
        return tuple(at[axes.index(axis)] for axis in range(len(axes)))

    def domain(*counts: Any) -> tuple[Any, ...]:
        return tuple(counts[axis] for axis in axes)

    return IndexMap(region, domain)


@public
@lru_cache(maxsize=64)
def interleaved(ways: int) -> IndexMap:
    """
    The regions along the last axis in `ways` sequences, each of which takes every `ways`-th: 0, 4, 8, ... 1, 5, 9, ...

    The domain has one axis more, of extent `ways`, in front of the last. Where there is no multiple of `ways` regions,
    the last turn of some sequences does nothing. Raises `ValueError` unless `ways` is at least 1.
    """
    if ways < 1:
        raise ValueError(f"there is at least one sequence, not {ways}")

    def region(*at: Any) -> tuple[Any, ...]:
        *outer, first, turn = at
        return (*outer, turn * ways + first)

    def domain(*counts: Any) -> tuple[Any, ...]:
        return (*counts[:-1], ways, SymbolicInt(terms.ceildiv(_term(counts[-1]), terms.const(ways))))

    def where(*at: Any, grid: Sequence[Any]) -> Any:
        return region(*at)[-1] < grid[-1]

    return IndexMap(region, domain, where)
