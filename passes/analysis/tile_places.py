"""
What terms say of the tiles of a launch: where one begins and ends, or what depends on how long tiles are.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import lcm

from freehold.passes.analysis.tile_axes import Along
from freehold.passes.prover.polynomials import Monomial, poly, to_term
from freehold.support.terms import Term, const, sym


class TilePlaces:
    """The coordinates of a point, and terms over them."""

    def __init__(self, required: Iterable[tuple[str, int]] = ()) -> None:
        self.points: dict[str, tuple[int, int]] = {}
        """The symbols of the point: their axes, and how many elements a tile has there."""
        self.counters: set[str] = set()
        """The symbols of the counters of loops."""
        self.required: dict[str, int] = {}
        """What the launch is required to see to: what numbers are multiples of."""
        for number, divisor in required:
            self.required[number] = lcm(self.required.get(number, 1), divisor)
        self.walks: list[frozenset[str]] = [frozenset()]
        """The counters of walks, by their numbers; those of 0 are not known."""
        self.walk_numbers: dict[frozenset[tuple[Monomial, int]], int] = {}

    def counts(self, term: Term) -> set[int]:
        """The axes whose coordinates are in a term other than as the tile's first element."""
        found: set[int] = set()
        for atoms, factor in poly(term).items():
            for atom in atoms:
                if atom.op != "sym":
                    for part in atom.args:
                        found |= self.counts(part)
                elif atom.name in self.points:
                    axis, size = self.points[atom.name]
                    if factor % size:
                        found.add(axis)
        return found

    def other_steps(self, term: Term) -> set[int]:
        """The axes whose coordinates are in a term, and not as so many elements as a tile has."""
        found: set[int] = set()
        for atoms, factor in poly(term).items():
            for atom in atoms:
                if atom.op != "sym":
                    found |= {axis for part in atom.args for axis in self.other_steps(part)}
                elif atom.name in self.points:
                    axis, size = self.points[atom.name]
                    found |= {axis} if abs(factor) != size else set()
        return found

    def begins(self, term: Term) -> set[int]:
        """The axes whose coordinates are in a term at all, unless regions have one element there."""
        return {axis for atoms in poly(term) for axis in self.in_atoms(atoms)}

    def in_atoms(self, atoms: Iterable[Term]) -> set[int]:
        """The same, of a product; a part that whole tiles are in, as a block of 128 elements, is no place of a tile."""
        found: set[int] = set()
        for atom in atoms:
            if atom.op == "sym":
                axis, size = self.points.get(atom.name, (0, 1))
                found |= {axis} if size > 1 else set()
            elif not (atom.op == "//" and atom.args[1].is_const and self.starts_in(*atom.args)):
                found |= {axis for part in atom.args for axis in self.begins(part)}
        return found

    def starts_in(self, term: Term, part: Term) -> bool:
        """Whether a term is where a tile begins, and parts of so many elements hold whole tiles."""
        return any(
            _same(term, sym(name) * size) and part.value % size == 0 and part.value > 0
            for name, (_, size) in self.points.items()
        )

    def point_of(self, term: Term, size: int, sign: int = 1) -> int | None:
        """The axis of the launch whose tiles of `size` elements begin at a term, or a number of elements, the same for
        all points, behind it; with `sign` -1, in front of a place that is the same for all points, the term away."""
        for atoms, factor in poly(term).items():
            if len(atoms) == 1 and atoms[0].op == "sym" and atoms[0].name in self.points and factor == sign * size:
                more = {axis for rest in poly(term) if rest != atoms for axis in self.in_atoms(rest)}
                return None if more else self.points[atoms[0].name][0]
        return None

    def first(self, term: Term) -> int | None:
        """The axis of the launch of whose tiles a term is the first element."""
        return next((axis for name, (axis, size) in self.points.items() if _same(term, sym(name) * size)), None)

    def reach(self, term: Term) -> int | None:
        """The axis of the launch of whose tiles a term says how many elements are in the tensor."""
        if not self.begins(term):
            return None
        found = (self.stop(term + sym(name) * size) for name, (_, size) in self.points.items())
        return next((axis for axis in found if axis is not None), None)

    def stop(self, term: Term) -> int | None:
        """The axis of the launch of whose tiles a term is the end: that of the tile, or of the tensor before it."""
        for name, (axis, size) in self.points.items():
            start = sym(name) * size
            if _same(term, start + size) or any(
                _same(rest, start + size) and not self.begins(extent) for extent, rest in _least(term)
            ):
                return axis
            if any(_same(rest, const(size)) and self.point_of(e, size, -1) == axis for e, rest in _least(term - start)):
                return axis
        return None

    def turns(self, term: Term) -> bool:
        """Whether a term changes from turn to turn of a loop."""
        return bool(term.symbols() & self.counters)

    def walk(self, start: Term, step: int) -> Along:
        """The places that a loop comes by whose tiles begin at an element, at multiples of `step` if that is not 1.

        Two that begin equally far from one another for every tile are one walk.
        """
        parts = poly(start).items()
        if step == 1:
            key = frozenset(
                (m, c) for m, c in parts if to_term({m: c}).symbols() & (self.counters | self.points.keys())
            )
        else:
            key = frozenset((m, c) for m, c in parts if not self.whole_tiles(m, c, step))
        if key not in self.walk_numbers:
            self.walk_numbers[key] = len(self.walks)
            self.walks.append(frozenset(start.symbols() & self.counters))
        return Along("loop", self.walk_numbers[key])

    def whole_tiles(self, atoms: tuple[Term, ...], factor: int, size: int) -> bool:
        """Whether so many elements are as many for every tile: multiples of a number that is cut into whole tiles."""
        if len(atoms) != 1 or atoms[0].op not in ("//", "ceildiv") or factor % size:
            return False
        number, divisor = atoms[0].args
        return divisor == const(size) and self.divides(size, number) and not self.begins(number)

    def divides(self, size: int, number: Term) -> bool:
        """Whether the kernel requires of the launch that a number is a multiple of another."""
        return (number.is_const and number.value % size == 0) or self.required.get(str(number), 1) % size == 0

    def walks_by(self, along: Along, counters: frozenset[str]) -> bool:
        """Whether places change with a counter."""
        return along.kind == "loop" and bool(self.walks[along.number] & counters)


def _same(a: Term, b: Term) -> bool:
    return poly(a) == poly(b)


def _least(term: Term) -> list[tuple[Term, Term]]:
    """The two of which a term is the lesser, in both orders."""
    ((atoms, factor), *more) = [*poly(term).items()] or [((), 0)]
    if more or factor != 1 or len(atoms) != 1 or atoms[0].op != "min" or len(atoms[0].args) != 2:
        return []
    one, other = atoms[0].args
    return [(one, other), (other, one)]
