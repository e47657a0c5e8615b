"""
The choice of a schedule: candidates by what they should take, the best of them by their code, and the best of those.

Nothing is timed, so a choice is the same each time: it depends on the kernel, the arguments' dtypes and extents, and
the architecture. Extents are rounded to a few steps an octave, so that neighbours share one, unless their launch would
break a condition. Values of scalars do not matter.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any, Final

from freehold.backend.cubin import NotACubin, Resources, resources
from freehold.frontend.schedule import Blocks, Order
from freehold.passes.analysis.tile_axes import TileMeaning
from freehold.runtime.scheduling.candidates import OPEN_INTEGERS, Candidate, Candidates, Nothing, Verified
from freehold.runtime.scheduling.gpus import Gpu, gpu_of
from freehold.runtime.scheduling.model import Prediction, hints_for, predicted
from freehold.runtime.scheduling.problem import Problem, Schedule
from freehold.support.diagnostic import Rejected
from freehold.support.progress import progress

if TYPE_CHECKING:
    from freehold.frontend.signature import Specialisation

FINALISTS: Final = 6
"""How many schedules are assembled beside one another."""
ROUNDS: Final = 2
"""How often so many are, at most, where code is worse than it was guessed to be."""
_INTERPRETED: Final = 1 << 16
"""Elements of a tile that NumPy works on at a time."""


@dataclass(frozen=True)
class Considered:
    """A schedule that was assembled, or would have been."""

    schedule: Schedule
    prediction: Prediction
    resources: Resources | None


@dataclass(frozen=True)
class Chosen:
    """A choice, and what it was made of."""

    schedule: Schedule
    considered: tuple[Considered, ...] = ()
    """The finalists, the best first; none where the choice was found on disk, or is for the interpreter."""
    candidates: int = 0
    """How many there were."""


Ranked = tuple[Candidate, Schedule, Prediction]

Assemble = Callable[["Specialisation"], bytes]
"""The cubin of a variant. Raises `Rejected`."""


def choose(problem: Problem, verified: Verified, assemble: Assemble | None, arch: str | None) -> Chosen:
    """
    A schedule for an architecture, or without one for the interpreter. Raises `Nothing`.

    Without `assemble`, no code is looked at.
    """
    candidates, first, meaning = _begun(problem, verified)
    if arch is None:
        return Chosen(_for_numpy(candidates, first, meaning))
    gpu = gpu_of(arch)
    ranked = _ranked(candidates, first, meaning, gpu)
    different = _different(ranked)
    finalists = different[:FINALISTS]
    accepted = replace(finalists[0][1], blocks=first.schedule.blocks)  # with others it was not looked at
    if assemble is None:
        return Chosen(accepted, tuple(Considered(s, p, None) for _, s, p in finalists), len(ranked))

    def judged(one: Ranked) -> Considered | None:
        candidate, schedule, before = one
        try:
            made = next(iter(resources(assemble(problem.specialisation(schedule)))), None)
        except (Rejected, NotACubin):
            return None
        return Considered(schedule, predicted(candidate, gpu, schedule.hints, made) if made else before, made)

    results: list[Considered] = []
    with ThreadPoolExecutor(min(FINALISTS, os.cpu_count() or 1)) as threads:
        for start in range(0, ROUNDS * FINALISTS, FINALISTS):
            some = different[start : start + FINALISTS]
            if not some or (results and results[0].prediction.seconds <= some[0][2].seconds):
                break  # none of the others should be faster, even if its code is as good as it was guessed to be
            tried = progress(threads.map(judged, some), "schedules assembled", len(some))
            results += [c for c in tried if c is not None]
            if not results:  # no assembler, or none that takes them: whoever compiles is told
                return Chosen(accepted, (), len(ranked))
            results.sort(key=lambda c: c.prediction.seconds)
    return Chosen(results[0].schedule, tuple(results), len(ranked))


def space(problem: Problem, verified: Verified, arch: str | None, most: int) -> list[Schedule]:
    """The schedules that should be fastest, at most so many, the best first; for the interpreter, in no such order.
    Raises `Nothing`."""
    candidates, first, meaning = _begun(problem, verified)
    if arch is None:
        return [c.schedule for c in [*candidates.all(first, meaning)] or [first]][:most]
    return [schedule for _, schedule, _ in _ranked(candidates, first, meaning, gpu_of(arch))][:most]


def _begun(problem: Problem, verified: Verified) -> tuple[Candidates, Candidate, TileMeaning]:
    """The candidates, and the first that is accepted. Where the extents admit the launch of none, they are those whose
    launch is refused: it says what it breaks, and where. Raises `Nothing`."""
    candidates = Candidates(problem, verified)
    try:
        return candidates, *candidates.first()
    except Nothing:
        if not candidates.broken:
            raise
    candidates = Candidates(problem, verified, admitted=False)
    return candidates, *candidates.first()


def _ranked(candidates: Candidates, first: Candidate, meaning: TileMeaning, gpu: Gpu) -> list[Ranked]:
    """All candidates with all hints that are worth a try, by what they should take."""
    found: list[Ranked] = []
    for candidate in list(candidates.all(first, meaning)) or [first]:
        candidate = replace(candidate, schedule=replace(candidate.schedule, known=candidates.known(candidate)))
        for hints in hints_for(candidate, gpu, along_rows=candidates.along_rows(candidate)):
            for one in (candidate, candidates.persistent(candidate)):
                if one is not None:
                    found.append((one, replace(one.schedule, hints=hints), predicted(one, gpu, hints)))
    return sorted(found, key=lambda one: one[2].seconds)


def _different(ranked: Sequence[Ranked]) -> list[Ranked]:
    """The first of each that should take the same time, and with the blocks that should be faster."""
    seen: set[str] = set()
    found: list[Ranked] = []
    for one in ranked:
        alike = {f"{one[2].seconds:.4g}", str(replace(one[1], blocks=Blocks.EACH))}
        if not alike & seen:
            found.append(one)
        seen |= alike
    return found


def _for_numpy(candidates: Candidates, first: Candidate, meaning: TileMeaning) -> Schedule:
    """The largest tile that is not too large, of those that are accepted: NumPy is slow to begin with a tile."""

    def size(schedule: Schedule) -> int:
        return prod(schedule.tile.values())

    others = [s for s in candidates.schedules(first, meaning) if size(s) <= _INTERPRETED]
    for schedule in sorted(others, key=size, reverse=True)[:3]:
        if size(schedule) <= size(first.schedule):
            break
        try:
            return candidates.look(schedule)[0].schedule
        except Nothing:
            continue
    return first.schedule


def bucket(shape: Sequence[int]) -> tuple[int, ...]:
    """Extents that stand for those of a shape: up to 16 themselves, then four steps an octave, rounded up."""
    return tuple(e if e <= 16 else -(-e // (s := 1 << (e - 1).bit_length() - 3)) * s for e in shape)


def to_json(schedule: Schedule, problem: Problem) -> str:
    """A schedule as text, for the cache on disk; a constant is told by its number among those to choose from."""
    said: dict[str, Any] = {"tile": dict(schedule.tile), "owned": schedule.owned, "hints": dict(schedule.hints)}
    said |= {"order": (schedule.order.kind, schedule.order.size), "blocks": schedule.blocks.name}
    said |= {"count": schedule.count, "known": schedule.known}
    said["constants"] = {n: _values(problem, n).index(v) for n, v in schedule.constants.items()}
    return json.dumps(said)


def from_json(text: str, problem: Problem) -> Schedule:
    """The schedule of a text. Raises `ValueError`, `KeyError`, `TypeError` or `IndexError` for one of another form."""
    said: Mapping[str, Any] = json.loads(text)
    kind, size = said["order"]
    constants = {name: _values(problem, name)[number] for name, number in said["constants"].items()}
    owned, known, blocks = tuple(said["owned"]), tuple(said["known"]), Blocks[said["blocks"]]
    return Schedule(said["tile"], owned, Order(kind, size), blocks, said["count"], constants, said["hints"], known)


def _values(problem: Problem, name: str) -> Sequence[Any]:
    return problem.constants[name].values or OPEN_INTEGERS
