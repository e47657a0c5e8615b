"""
Launch contracts as functions.

A contract's terms are compiled once, to one Python function of the arguments' extents, strides and values that binds
the dimensions, compares them, makes the launch checks and yields the grid and the entry point's integers. Where
something does not hold that function only says so; what it is, is found by evaluating term by term.

Integer scalars are symbols as extents are. Those that the grid or an entry point's integer depends on are part of a
launch's geometry (`varies`); checks that depend on scalars are made apart from it (`admits`), at each launch. Of
foreign code the geometry has a shape, too: the blocks and threads of the launch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from freehold.support.contract import (
    MOST_EACH,
    MOST_PERSISTENT,
    Foreign,
    LaunchContract,
    ScalarParameter,
    TensorParameter,
)
from freehold.support.terms import Solution, Term, as_python, parse, rounded_up, solved

if TYPE_CHECKING:
    from freehold.support.diagnostic import Error
    from freehold.support.span import Span

Shapes = Sequence[tuple[int, ...]]
Values = Sequence[Any] | Mapping[int, Any]
"""Of parameters, by position."""
Evaluate = Callable[..., "Geometry | None"]


class Geometry(NamedTuple):
    """What a launch is, for certain extents, strides and integers."""

    points: int
    """The number of points of the domain."""
    integers: tuple[int, ...]
    """The entry point's extents and strides, in the contract's order."""
    shape: tuple[int, ...] = ()
    """Of foreign code: the blocks, the threads of a block and the blocks of a cluster, each along x, y and z, and the
    bytes of dynamic shared memory."""


class Judge(Protocol):
    """Who is asked whether foreign code does in a launch what is declared of it (`freehold.audit.extern`)."""

    def __call__(
        self, geometry: Geometry, shapes: Shapes, strides: Shapes, values: Values, place: Span | None
    ) -> Sequence[Error]: ...


MOST_SHAPE: Final = (2**31 - 1, 65535, 65535, 1024, 1024, 64, 16, 16, 16, 227 << 10)
"""The most that a GPU of compute capability 8.0 to 12.1 takes of each number of a shape."""

SHAPE: Final = (
    *(f"the grid's {n} extent" for n in ("first", "second", "third")),
    *(f"the block's {n} extent" for n in ("first", "second", "third")),
    *(f"the cluster's {n} extent" for n in ("first", "second", "third")),
    "dynamic shared memory",
)
"""What the numbers of a shape are, in an error's words."""


def misshapen(foreign: Foreign, shape: Sequence[int]) -> tuple[str, int, str] | None:
    """What of a shape no GPU, or not the code, takes: what it is, its value, and what it may be. None of a good one."""
    for n, (what, value, most) in enumerate(zip(SHAPE, shape, MOST_SHAPE, strict=True)):
        least = 0 if n == 9 else 1
        if not least <= value <= most:
            return what, value, f"from {least} to {most}"
    threads, blocks = reduce(mul, shape[3:6], 1), reduce(mul, shape[6:9], 1)
    if threads > foreign.most_threads:
        return "the number of threads of a block", threads, f"up to {foreign.most_threads}"
    for what, value, wanted in zip(SHAPE[3:6], shape[3:6], foreign.threads, strict=True):
        if wanted not in (0, value):
            return what, value, f"{wanted}, as the code is made"
    if blocks > 16:
        return "the number of blocks of a cluster", blocks, "up to 16"
    for what, extent, step in zip(SHAPE, shape[:3], shape[6:9], strict=False):
        if extent % step:
            return what, extent, f"a multiple of the cluster's {step}"
    return None


def too_wide(contract: LaunchContract, integers: Sequence[int]) -> tuple[str, int, str] | None:
    """What of the entry point's extents and strides does not fit its dtype: its text, its value, the dtype."""
    known = [e for e in contract.entry if e.kind in ("extent", "stride")]
    for entry, value in zip(known, integers, strict=True):
        signed_, bits = entry.dtype[0] == "i", int(entry.dtype[1:])
        low, high = (-(1 << (bits - 1)), 1 << (bits - 1)) if signed_ else (0, 1 << bits)
        if not low <= value < high:
            name = contract.parameters[entry.argument].name
            strides = "strides" if entry.scale == 1 else "byte_strides"
            return entry.term or f"{name}.{strides}[{entry.axis}]", value, entry.dtype
    return None


class Evaluator:
    """One contract's function, and its parts for whoever must explain a failure."""

    def __init__(self, contract: LaunchContract, judge: Judge | None = None):
        self.contract = contract
        self.judge = judge
        """Asked of each launch: then all scalars are part of its geometry."""
        self.tensors: tuple[tuple[int, TensorParameter], ...] = tuple(
            (n, p) for n, p in enumerate(contract.parameters) if isinstance(p, TensorParameter)
        )
        """The tensor parameters with their positions among all."""
        self.dims: tuple[tuple[Term, ...], ...] = tuple(tuple(map(parse, p.dims)) for _, p in self.tensors)
        self.grid: tuple[Term, ...] = tuple(map(parse, contract.grid))
        self.checks: tuple[Term, ...] = tuple(parse(c.predicate) for c in contract.checks)
        self.scalars: dict[str, int] = {
            p.symbol: n for n, p in enumerate(contract.parameters) if isinstance(p, ScalarParameter) and p.symbol
        }
        """The symbols of integer scalars, with their positions among all parameters."""
        foreign = contract.foreign
        shape = () if foreign is None else (*contract.grid, *foreign.block, *foreign.cluster, foreign.shared)
        self.shape: tuple[Term, ...] = tuple(map(parse, shape))
        places = [(n, axis) for n, dims in enumerate(self.dims) for axis in range(len(dims))]
        self.solutions: dict[str, Solution] = solved([term for dims in self.dims for term in dims])
        """How each symbol of an extent follows from one of them, counted through all tensors."""
        self.binders: dict[str, tuple[int, int]] = {name: places[s.at] for name, s in self.solutions.items()}
        """Each symbol of an extent with the tensor (counted among tensors) and axis that bind it."""
        self.varies: tuple[int, ...] = self._varies()
        """The positions of the scalars, among all parameters, that the geometry depends on."""
        self.evaluate: Evaluate = self._compile()
        """The geometry for the tensors' extents and strides (in elements) and the values of all parameters, of which
        those that `varies` names are looked at; or None where the contract is broken, as far as no check depends on a
        scalar."""
        self.admits: Callable[[Sequence[int], Sequence[Any]], bool] | None = self._compile_scalar_checks()
        """Whether the checks that depend on scalars hold for the extents that `extents` gives and the values of all
        parameters; None where there are no such checks."""

    def unbound(self) -> Iterator[tuple[str, str]]:
        """Symbols that nothing binds, each with a term that uses it."""
        seen: set[str] = set()
        dims = [(t, self.binders.keys()) for dims in self.dims for t in dims]
        others = [(t, self.binders.keys() | self.scalars.keys()) for t in (*self._computed(), *self.checks)]
        for term, known in (*dims, *others):
            for name in sorted(term.symbols() - known - seen):
                seen.add(name)
                yield name, str(term)

    def _computed(self) -> list[Term]:
        """The terms of a launch's geometry: the grid, and the entry point's extents."""
        return [*self.grid, *self.shape, *(parse(e.term) for e in self.contract.entry if e.kind == "extent")]

    def _varies(self) -> tuple[int, ...]:
        if self.judge is not None:
            return tuple(n for n, p in enumerate(self.contract.parameters) if isinstance(p, ScalarParameter))
        used = frozenset[str]().union(*(t.symbols() for t in self._computed()))
        return tuple(n for name, n in self.scalars.items() if name in used)

    def bind(self, shapes: Shapes, values: Sequence[Any]) -> dict[str, int]:
        """The value of each symbol, for the tensors' extents and the values of all parameters."""
        extents = dict(zip(self.binders, self.extents(shapes), strict=True))
        return extents | {name: signed(values[n], self._width(n)) for name, n in self.scalars.items()}

    def extents(self, shapes: Shapes) -> tuple[int, ...]:
        """The values of the symbols of extents."""
        found: dict[str, int] = {}
        for name, (n, axis) in self.binders.items():
            found[name] = self.solutions[name].of(shapes[n][axis], found)
        return tuple(found.values())

    def _width(self, position: int) -> int:
        """The width of an unsigned scalar in bits; 0 for a signed one."""
        dtype = self.contract.parameters[position].dtype
        return int(dtype[1:]) if dtype.startswith("u") else 0

    @property
    def most_points(self) -> int:
        """How many points a launch may have."""
        if self.contract.foreign is not None:
            return reduce(mul, MOST_SHAPE[:3])
        return MOST_PERSISTENT if self.contract.persistent else MOST_EACH

    def _read(self, name: str) -> str:
        """The symbol of a scalar, of the values of all parameters, as a Python expression."""
        n = self.scalars[name]
        width = self._width(n)
        return f"signed(values[{n}], {width})" if width else f"int(values[{n}])"

    def _compile(self) -> Evaluate:
        if any(True for _ in self.unbound()):
            return _never
        names = {name: f"s{i}" for i, name in enumerate((*self.binders, *self.scalars))}
        lines = ["def evaluate(shapes, strides, values):"]
        for name, (n, axis) in self.binders.items():
            lines.append(f"    {names[name]} = {solution(self.solutions[name], f'shapes[{n}][{axis}]', names)}")
        lines += [f"    {names[name]} = {self._read(name)}" for name, n in self.scalars.items() if n in self.varies]
        conditions = [
            f"shapes[{n}][{axis}] == {as_python(term, names)}"
            for n, dims in enumerate(self.dims)
            for axis, term in enumerate(dims)
            if not (term.op == "sym" and self.binders[term.name] == (n, axis))
        ]
        conditions += [as_python(term, names) for term in self.checks if not term.symbols() & self.scalars.keys()]
        lines.append(f"    points = {' * '.join(f'({as_python(t, names)})' for t in self.grid) or '1'}")
        # Numbers of tiles are positive; of other extents that has to be seen.
        conditions += [f"1 <= {as_python(t, names)}" for t in self.grid if not self._counts_tiles(t)]
        conditions.append(f"0 < points <= {self.most_points}")
        lines.append(f"    if not ({' and '.join(f'({c})' for c in conditions)}):")
        lines.append("        return None")
        place = {position: n for n, (position, _) in enumerate(self.tensors)}
        integers: list[str] = []
        for entry in self.contract.entry:
            if entry.kind == "extent":
                integers.append(as_python(parse(entry.term), names))
            elif entry.kind == "stride":
                scaled = "" if entry.scale == 1 else f" * {entry.scale}"
                integers.append(f"strides[{place[entry.argument]}][{entry.axis}]{scaled}")
        shape = "".join(f"{as_python(t, names)}, " for t in self.shape)
        lines.append(f"    return Geometry(points, ({''.join(f'{i}, ' for i in integers)}), ({shape}))")
        scope: dict[str, object] = {"Geometry": Geometry, "ceildiv": rounded_up, "signed": signed}
        exec("\n".join(lines), scope)
        evaluate: Evaluate = scope["evaluate"]  # pyright: ignore[reportAssignmentType] -- just defined

        foreign = self.contract.foreign

        def guarded(shapes: Shapes, strides: Shapes, values: Values = ()) -> Geometry | None:
            try:
                found = evaluate(shapes, strides, values)
            except ZeroDivisionError:  # a divisor that is an extent less something
                return None
            if found is not None and foreign is not None:
                wrong = misshapen(foreign, found.shape) or too_wide(self.contract, found.integers)
                return None if wrong else found
            return found

        return guarded

    def _compile_scalar_checks(self) -> Callable[[Sequence[int], Sequence[Any]], bool] | None:
        checks = [term for term in self.checks if term.symbols() & self.scalars.keys()]
        if not checks:
            return None
        names = {name: f"s{i}" for i, name in enumerate((*self.binders, *self.scalars))}
        lines = ["def admits(extents, values):"]
        if self.binders:
            lines.append(f"    {''.join(f'{names[name]}, ' for name in self.binders)} = extents")
        lines += [f"    {names[name]} = {self._read(name)}" for name in self.scalars]
        lines.append(f"    return {' and '.join(f'({as_python(term, names)})' for term in checks)}")
        scope: dict[str, object] = {"signed": signed, "ceildiv": rounded_up}
        exec("\n".join(lines), scope)
        admits: Callable[[Sequence[int], Sequence[Any]], bool] = scope["admits"]  # pyright: ignore[reportAssignmentType] -- just defined

        def guarded(extents: Sequence[int], values: Sequence[Any]) -> bool:
            try:
                return admits(extents, values)
            except ZeroDivisionError:
                return False

        return guarded

    def _counts_tiles(self, t: Term) -> bool:
        """Whether a term is an extent of an argument, or how many tiles cover one."""
        extent = t.args[0] if t.op == "ceildiv" and t.args[1].is_const and t.args[1].value > 0 else t
        return extent.op == "sym" and extent.name in self.binders

    def points(self, symbols: dict[str, int]) -> int:
        """The number of points, by evaluating the terms; 0 where an extent of the domain is not positive."""
        return reduce(mul, (max(0, t.evaluate(symbols)) for t in self.grid), 1)


def _never(shapes: Shapes, strides: Shapes, values: Values = ()) -> None:
    return None


def signed(value: Any, width: int) -> int:
    """An integer of so many bits as it reads with a sign; of width 0, itself."""
    value = int(value)
    return value - (1 << width) if width and value >> (width - 1) else value


def solution(found: Solution, extent: str, names: dict[str, str]) -> str:
    """What a symbol is, as a Python expression over the extent that determines it and other names for its symbols."""
    if found.factor == 1 and found.offset.is_const and not found.offset.value:
        return extent
    return f"({extent} - {as_python(found.offset, names)}) // {found.factor}"
