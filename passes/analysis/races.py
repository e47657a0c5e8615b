"""Concrete pairs of tile blocks that meet at one element: the witnesses of races, found by enumeration.

Small launches are worked through on numbers. What decides where a block goes is computed; where that is not possible,
because a number comes from memory, there is no witness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, islice, product
from typing import Final

from xdsl.ir import SSAValue

from freehold.dialects.cuda_tile.integers import width_of
from freehold.dialects.ownership import AccessOp, DistributeOp, PartitionOp, RegionOp, tensor_type
from freehold.passes.analysis.concrete import Runner, Visit, Work
from freehold.passes.analysis.facts import KernelFacts
from freehold.passes.analysis.wording import sizes, span_text, tuple_text
from freehold.passes.prover.search import find, holds_in
from freehold.support.integers import wrapped
from freehold.support.terms import TRUE, Term, sym

_MOST: Final = 4000
"""Assignments that are tried."""
_COUNTS: Final = (2, 4, 3, 9, 1, 40, 6)
"""Numbers of regions."""
_SCALARS: Final = (1, 2, 3, 0, 4, -1, 100)
"""Integers that a launch passes."""
_SMALL: Final = 64
"""Up to where extents and scalars of a counterexample are small."""
_LEAST: Final = (1, 2, 3, 4)
"""Extents and scalars of the smallest launches; greater ones are powers of two."""
_LAUNCHES: Final = 12
"""Small launches that are enumerated."""


def worked_through(facts: KernelFacts, distribution: DistributeOp) -> Sequence[Work]:
    """
    A few small launches, with what their points do: extents and scalars with up to four regions along each axis, whole
    and ragged.

    Every two regions of a kernel are asked about, so a launch is worked through once, and not for each two.
    """
    return _once("small", facts, distribution, lambda: _launches(facts, distribution))


def sampled(facts: KernelFacts, distribution: DistributeOp) -> Sequence[Work]:
    """As `worked_through`, of launches of up to forty regions along an axis: no two in step."""
    return _once("samples", facts, distribution, lambda: _samples(facts, distribution))


def _once(
    kind: str, facts: KernelFacts, distribution: DistributeOp, some: Callable[[], Iterable[dict[str, int]]]
) -> Sequence[Work]:
    found = facts.tried.get((distribution, kind))
    if found is None or found[0] is not facts.base:
        runner = Runner(distribution, facts)
        work = [done for launch in some() if (done := runner.work(launch)) is not None]
        found = facts.tried[distribution, kind] = facts.base, work
    return found[1]


def _launches(facts: KernelFacts, distribution: DistributeOp) -> Iterator[dict[str, int]]:
    steps = _steps(distribution)
    choices: dict[str, Sequence[int]] = {}
    for name in _names(facts):
        if name in facts.symbols:
            choices[name] = _scalars(name, facts)
        elif (step := steps.get(name)) is not None:
            choices[name] = *(n * step for n in (2, 3, 1, 4)), 3 * step - 1
        else:
            choices[name] = 64, 8, 2, 1, 512
    some = (dict(zip(choices, values, strict=True)) for values in islice(product(*choices.values()), 200))
    return islice(_admitted(some, facts), _LAUNCHES)


def _samples(facts: KernelFacts, distribution: DistributeOp) -> Iterator[dict[str, int]]:
    steps = _steps(distribution)

    def chosen(n: int, k: int, name: str) -> int:
        if name in facts.symbols:
            values = _scalars(name, facts)
            return values[(n + k) % len(values)]
        return max(1, _COUNTS[(n * (k + 1) + k) % len(_COUNTS)] * steps.get(name, 2) - n % 2)

    some = ({name: chosen(n, k, name) for k, name in enumerate(_names(facts))} for n in range(2 * len(_COUNTS)))
    return _admitted(some, facts)


def complete(values: Mapping[str, int], facts: KernelFacts, besides: Sequence[Term] = ()) -> dict[str, int] | None:
    """A launch with these extents and scalars, and with others that may be chosen for those that are not among them;
    None where there is none in which `besides` holds, too."""
    names = _names(facts)
    known = [sym(name).eq(values[name]) for name in names if name in values]
    some = find((*facts.base.facts, *besides, *known), TRUE) or {}
    launch = {name: values.get(name, some.get(name, 1)) for name in names}
    fits = all(_fits(launch[name], value) for name, value in facts.passed.items())
    return launch if fits and holds_in((*facts.base.facts, *besides), launch) else None


def _fits(number: int, scalar: SSAValue) -> bool:
    """Whether a scalar can be a number: a truth value is 0 or 1, and eight bits end at 127."""
    return wrapped(number, width_of(scalar.type) or 32) == number


def _scalars(name: str, facts: KernelFacts) -> list[int]:
    """Of the integers that are tried, those that a scalar can be."""
    return [number for number in _SCALARS if _fits(number, facts.symbols[name])]


def _names(facts: KernelFacts) -> list[str]:
    """What a launch brings: extents and scalars."""
    return sorted({*facts.launch, *facts.passed})


def _admitted(some: Iterable[dict[str, int]], facts: KernelFacts) -> Iterator[dict[str, int]]:
    """Those launches that the launcher does not refuse for their extents and scalars alone."""
    return (launch for launch in some if holds_in(facts.base.facts, launch))


def _steps(distribution: DistributeOp) -> dict[str, int]:
    """How many elements of each symbol a region takes up."""
    steps: dict[str, int] = {}
    for extent in (t for e in distribution.extents for t in e.walk()):
        if extent.op == "sym":
            steps.setdefault(extent.name, 1)
        elif extent.op == "ceildiv" and extent.args[0].op == "sym" and extent.args[1].is_const:
            steps.setdefault(extent.args[0].name, extent.args[1].value)
    return steps


def reader_and_writer(load: AccessOp, region: RegionOp, facts: KernelFacts) -> tuple[str, str, str, str, str] | None:
    """Two different points of which one loads elements of the other's region: sizes, reader, read, writer, owned."""
    distribution = facts.places[region].distribution
    if distribution is None:
        return None
    for work in worked_through(facts, distribution):
        reads = [(v, at) for v in work.of(load) if v.defined and (at := box(v, work.launch))]
        owned = [(v, at) for v in work.of(region) if v.defined and (at := box(v, work.launch))]
        for (reader, read), (writer, own) in islice(product(reads, owned), _MOST):
            if reader.point != writer.point and shared(read, own) is not None:
                return (
                    sizes(work.launch),
                    tuple_text(reader.point) if reader.point else "any",
                    span_text(*zip(*read, strict=True)),
                    tuple_text(writer.point),
                    span_text(*zip(*own, strict=True)),
                )
    return None


Box = list[tuple[int, int]]
"""By axis: the first element, and the one behind the last."""


def box(visit: Visit, launch: Mapping[str, int]) -> Box | None:
    """The elements of a tensor that a visit is to; None where there are none."""
    tensor, steps, shape = visit.op.memory, visit.op.steps, visit.op.shape
    type_ = tensor_type(tensor)
    if len(visit.coordinates) != type_.rank:
        return None  # undefined, or of a group
    starts = [c * step for c, step in zip(visit.coordinates, steps, strict=True)]
    limits = [type_.extent(axis).evaluate(launch) for axis in range(type_.rank)]
    found = [(max(a, 0), min(a + t, n)) for a, t, n in zip(starts, shape, limits, strict=True)]
    return found if all(a < b for a, b in found) else None


def shared(one: Box, other: Box) -> Box | None:
    """The elements that two boxes have in common, if there are any."""
    found = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(one, other, strict=True)]
    return found if all(a < b for a, b in found) else None


def overlapping(op: PartitionOp, facts: KernelFacts) -> tuple[Mapping[str, int], Visit, Visit, Box] | None:
    """A small launch in which two points take regions that share elements, and those."""
    taken = [use.operation for use in op.result.uses if isinstance(use.operation, RegionOp)]
    distribution = next((d for d in facts.points if op.result in d.partitions), None)
    if distribution is None:
        return None
    for work in worked_through(facts, distribution):
        found = [(v, at) for v in work.of(*taken) if v.defined and (at := box(v, work.launch))]
        for (first, one), (second, other) in islice(combinations(found, 2), _MOST):
            if first.point != second.point and (both := shared(one, other)) is not None:
                return work.launch, first, second, both
    return None


def left_out(op: PartitionOp, distribution: DistributeOp, facts: KernelFacts) -> tuple[str, str] | None:
    """A small launch in which no point takes some region: its sizes, and the elements of the region."""
    partition = op.result.type
    taken = {use.operation for use in op.result.uses if isinstance(use.operation, RegionOp)}
    for work in worked_through(facts, distribution):
        owned = {v.coordinates for v in work.of(*taken)}
        grid = [partition.grid(axis).evaluate(work.launch) for axis in range(partition.tensor.rank)]
        for index in islice(product(*map(range, grid)), _MOST) if work.whole else ():
            if index not in owned:
                starts = [i * s for i, s in zip(index, partition.steps, strict=True)]
                limits = [partition.tensor.extent(axis).evaluate(work.launch) for axis in range(partition.tensor.rank)]
                ends = [min(a + t, n) for a, t, n in zip(starts, partition.tile_shape, limits, strict=True)]
                return f"where {sizes(work.launch)}, " if work.launch else "", span_text(starts, ends)
    return None


def outside(
    op: AccessOp, axis: int, count: Term, values: Mapping[str, int], facts: KernelFacts
) -> tuple[Mapping[str, int], Visit] | None:
    """A launch and an access in it that is out of bounds along an axis: at the values of a counterexample, or else in a
    small launch. `count` is the number of tiles."""
    distribution = facts.places[op].distribution or next(iter(facts.points), None)
    if distribution is None:
        return None

    def first(work: Work) -> Visit | None:
        n = count.evaluate(work.launch)
        found = (v for v in work.of(op) if v.defined and v.coordinates and not 0 <= v.coordinates[axis] < n)
        return next(found, None)

    for work in _suspected(values, distribution, facts):
        if (visit := first(work)) is not None:
            return _least(work.launch, visit, first, distribution, facts)
    return None


def _least(
    launch: Mapping[str, int],
    visit: Visit,
    first: Callable[[Work], Visit | None],
    distribution: DistributeOp,
    facts: KernelFacts,
) -> tuple[Mapping[str, int], Visit]:
    """A launch as small as will do, one number after the other, where `visit` is what is looked for in a larger one."""
    runner = Runner(distribution, facts)
    for name in sorted(launch):
        for value in chain(_LEAST, (1 << n for n in range(3, 31))):
            tried = {**launch, name: value}
            if value >= launch[name]:
                break
            work = runner.work(tried) if holds_in(facts.base.facts, tried) else None
            if work is not None and (found := first(work)) is not None:
                launch, visit = tried, found
                break
    return launch, visit


def _suspected(values: Mapping[str, int], distribution: DistributeOp, facts: KernelFacts) -> Iterator[Work]:
    """What the point of a counterexample does, and what those of small launches do: first where numbers are small."""
    point = tuple(values.get(name, 0) for name in facts.points[distribution])
    launch = complete(values, facts)
    work = None if launch is None else Runner(distribution, facts).work(launch, (point,))
    small = launch is not None and all(abs(value) <= _SMALL for value in launch.values())
    if work is not None and small:
        yield work
    yield from worked_through(facts, distribution)
    if work is not None and not small:
        yield work
