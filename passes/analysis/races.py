"""Concrete pairs of tile blocks that meet at one element: the witnesses of races, found by enumeration.

Only terms of extents and coordinates are enumerated; where an unknown number is involved there is no witness. Every
witness has been evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, product
from typing import Final

from freehold.dialects.ownership import DistributeOp, LoadOp, LoadWindowOp, PartitionOp, RegionOp, tensor_type
from freehold.passes.analysis.facts import KernelFacts
from freehold.passes.analysis.wording import sizes, span_text, tuple_text
from freehold.passes.prover.search import compiled, holds_in
from freehold.support.terms import Term

_MOST: Final = 4000
"""Assignments that are tried."""
_COUNTS: Final = (2, 4, 3, 9, 1, 40, 6)
"""Numbers of regions."""
_FEW: Final = 4
"""Values of a point's coordinate and of a counter that are tried."""
_LAUNCHES: Final = 12
"""Launches in which a region is looked for that nobody takes."""


def launches(facts: KernelFacts, distribution: DistributeOp) -> Iterator[dict[str, int]]:
    """Small extents that a launch may have: up to four regions along each axis, whole and ragged."""
    symbols = sorted(facts.launch)
    steps = _steps(distribution)
    choices = [
        [n * steps[s] for n in (2, 3, 1, 4)] + [3 * steps[s] - 1] if s in steps else [64, 8, 2, 1, 512] for s in symbols
    ]
    base = facts.base.facts
    for values in islice(product(*choices), 200):
        found = dict(zip(symbols, values, strict=True))
        if holds_in([f for f in base if f.symbols() <= facts.launch], found):
            yield found


def samples(facts: KernelFacts, distribution: DistributeOp) -> Iterator[dict[str, int]]:
    """Some extents that a launch may have, of up to forty regions along an axis: no two symbols in step."""
    symbols = sorted(facts.launch)
    steps = _steps(distribution)
    base = [f for f in facts.base.facts if f.symbols() <= facts.launch]
    for n in range(2 * len(_COUNTS)):
        found = {
            s: max(1, _COUNTS[(n * (k + 1) + k) % len(_COUNTS)] * steps.get(s, 2) - n % 2)
            for k, s in enumerate(symbols)
        }
        if holds_in(base, found):
            yield found


def _steps(distribution: DistributeOp) -> dict[str, int]:
    """How many elements of each symbol a region takes up."""
    steps: dict[str, int] = {}
    for extent in (t for e in distribution.extents for t in e.walk()):
        if extent.op == "sym":
            steps.setdefault(extent.name, 1)
        elif extent.op == "ceildiv" and extent.args[0].op == "sym" and extent.args[1].is_const:
            steps.setdefault(extent.args[0].name, extent.args[1].value)
    return steps


def turns(
    extents: Mapping[str, int], facts: Sequence[Term], coordinates: Sequence[Term], most: int = _FEW
) -> Iterator[dict[str, int]]:
    """Values below `most` of all symbols that coordinates depend on, under which `facts` hold."""
    names = sorted({n for c in coordinates for n in c.symbols()} - extents.keys())
    if len(names) > 4:
        return
    own = [compiled(f) for f in facts if f.symbols() <= {*extents, *names}]
    for values in product(range(most), repeat=len(names)):
        found = {**extents, **dict(zip(names, values, strict=True))}
        try:
            if all(f(found) for f in own):
                yield found
        except ZeroDivisionError:
            continue


def reader_and_writer(
    load: LoadOp | LoadWindowOp, region: RegionOp, facts: KernelFacts
) -> tuple[str, str, str, str, str] | None:
    """Two different points of which one loads elements of the other's region: sizes, reader, read, writer, owned."""
    steps = (1,) * len(load.result.type.dims) if isinstance(load, LoadWindowOp) else load.result.type.dims
    load_place, region_place = facts.places.get(load), facts.places.get(region)
    if load_place is None or region_place is None or region_place.distribution is None:
        return None
    points = facts.points.get(region_place.distribution, ())
    shape, partition = load.result.type.dims, region.result.type.partition
    reads, owns = facts.coordinates(load), facts.coordinates(region)
    extents_of = tensor_type(load.source)
    tried = 0
    for extents in launches(facts, region_place.distribution):
        limits = [extents_of.extent(axis).evaluate(extents) for axis in range(extents_of.rank)]
        where = [*points] if load_place.distribution is region_place.distribution else []
        readers = list(turns(extents, load_place.given.facts, [*reads, *_symbols(where)]))
        writers = list(turns(extents, region_place.given.facts, [*owns, *_symbols(points)]))
        for reader, writer in product(readers, writers):
            tried += 1
            if tried > _MOST:
                return None
            if where and all(reader[p] == writer[p] for p in points):
                continue
            read = [c.evaluate(reader) * s for c, s in zip(reads, steps, strict=True)]
            owned = [c.evaluate(writer) * t for c, t in zip(owns, partition.steps, strict=True)]
            read_end = [min(a + t, n) for a, t, n in zip(read, shape, limits, strict=True)]
            owned_end = [min(a + t, n) for a, t, n in zip(owned, partition.tile_shape, limits, strict=True)]
            read = [max(a, 0) for a in read]  # what a window has in front of the tensor is not read
            if all(max(a, b) < min(c, d) for a, b, c, d in zip(read, owned, read_end, owned_end, strict=True)):
                return (
                    sizes(extents),
                    tuple_text([reader[p] for p in points]) if where else "any",
                    span_text(read, read_end),
                    tuple_text([writer[p] for p in points]),
                    span_text(owned, owned_end),
                )
    return None


def left_out(op: PartitionOp, distribution: DistributeOp, facts: KernelFacts) -> tuple[str, str] | None:
    """A small launch in which no point takes some region: its sizes, and the elements of the region."""
    partition = op.result.type
    taken = [use.operation for use in op.result.uses if isinstance(use.operation, RegionOp)]
    if any(not {n for c in facts.coordinates(r) for n in c.symbols()} <= _enumerable(facts) for r in taken):
        return None
    numbers = _enumerable(facts) - facts.launch
    for extents in islice(launches(facts, distribution), _LAUNCHES):
        grid = [partition.grid(axis).evaluate(extents) for axis in range(partition.tensor.rank)]
        owned: set[tuple[int, ...]] = set()
        greatest = 0
        for region in taken:
            coordinates = facts.coordinates(region)
            for values in turns(extents, facts.places[region].given.facts, coordinates, _FEW + 1):
                with suppress(ZeroDivisionError):  # which what is not enumerated rules out
                    owned.add(tuple(c.evaluate(values) for c in coordinates))
                greatest = max(greatest, *(values[n] for n in numbers & values.keys()), 0)
        if greatest == _FEW:
            continue  # there are more of them, so what nobody is seen to take may be taken all the same
        for index in islice(product(*map(range, grid)), _MOST):
            if index not in owned:
                starts = [i * s for i, s in zip(index, partition.steps, strict=True)]
                limits = [partition.tensor.extent(axis).evaluate(extents) for axis in range(partition.tensor.rank)]
                ends = [min(a + t, n) for a, t, n in zip(starts, partition.tile_shape, limits, strict=True)]
                return f"where {sizes(extents)}, " if extents else "", span_text(starts, ends)
    return None


def _enumerable(facts: KernelFacts) -> set[str]:
    points = (name for names in facts.points.values() for name in names)
    return {*facts.launch, *facts.counters.values(), *points}


def _symbols(names: Sequence[str]) -> list[Term]:
    from freehold.support.terms import sym

    return [sym(n) for n in names]
