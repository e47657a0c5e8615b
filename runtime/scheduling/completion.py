"""Calls that leave something open, completed: the schedule of a problem, remembered in memory and on disk."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from logging import getLogger
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol, TypeVar

from freehold.runtime.base.call_site import CallSite
from freehold.runtime.errors.refusing import errors, reject
from freehold.runtime.interop.results import Cut, cutter
from freehold.runtime.launch.binding import bind
from freehold.runtime.launch.callee import Callee
from freehold.runtime.launch.partition import Partition
from freehold.runtime.memory.arguments import HOST, is_array
from freehold.runtime.scheduling.problem import Problem, Schedule, problem_of
from freehold.support.diagnostic import CompileError, KernelWarning, Rejected

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from freehold.frontend.signature import KernelSignature, Specialisation
    from freehold.frontend.source import KernelFunction
    from freehold.runtime.scheduling.candidates import Nothing
    from freehold.runtime.scheduling.choice import Chosen
    from freehold.runtime.variants.build import Options
    from freehold.runtime.variants.hints import Hints

VERSION: Final = 3
"""Of the model; a choice of another one is made again."""


T = TypeVar("T")


class Open(Callee, Protocol):
    """A kernel whose launches may leave something open (`runtime.jit.kernel`)."""

    options: Options

    @property
    def function(self) -> KernelFunction: ...
    def verified(self, specialisation: Specialisation) -> ModuleOp: ...
    def known(self, key: Hashable, make: Callable[[], T]) -> T: ...
    def warn(self, specialisation: Specialisation) -> None: ...


@dataclass(frozen=True)
class Completed:
    """A call whose schedule was chosen."""

    problem: Problem
    arguments: tuple[Any, ...]
    """As the call gave them."""
    chosen: Chosen
    arch: str | None
    """What it was chosen for; None: the interpreter."""


def cut(signature: KernelSignature, arguments: tuple[Any, ...], cuts: Mapping[str, Cut]) -> tuple[Any, ...]:
    """The arguments of a call with the kernel's own partitions of arrays that have none."""
    if len(arguments) != len(signature.parameters):
        return arguments
    return tuple(
        cutter(cuts[p.name])(a) if p.name in cuts and not isinstance(a, Partition) and is_array(a) else a
        for p, a in zip(signature.parameters, arguments, strict=True)
    )


def complete(kernel: Open, arguments: tuple[Any, ...], site: CallSite, arch: str | None) -> tuple[Any, Hints]:
    """What `Kernel.completed` returns, for a call that leaves something open."""
    found = completed(kernel, arguments, site, arch)
    if found is None:
        return arguments, ()  # what is missing is told by whoever binds it
    schedule = found.chosen.schedule
    return found.problem.arguments(arguments, schedule), tuple(sorted(schedule.hints.items()))


def completed(
    kernel: Open, arguments: tuple[Any, ...], site: CallSite, arch: str | None, *, anew: bool = False
) -> Completed | None:
    """
    The schedule of a call that leaves something open; None where partitions are missing beside others. It is found on
    disk where it was chosen before, unless it is to be made `anew`. Where the launch that neighbours share would break
    a condition with these extents, it is chosen for them alone.
    """
    from freehold.runtime.scheduling.candidates import Nothing
    from freehold.runtime.scheduling.choice import Chosen, bucket, choose, from_json, to_json

    bound = bind(kernel.signature, arguments, site, schedule=False)
    problem = problem_of(
        kernel.signature.parameters, arguments, bound.specialisation.specs, bound.run_time, kernel.function.source.tree
    )
    if problem is None:
        return None
    target = arch or _architecture(bound.device)

    def assemble(specialisation: Specialisation) -> bytes:
        assert target is not None
        return kernel.compiled(specialisation, target).cubin

    def chosen(looked_at: Problem) -> Chosen:
        """The choice for arrays of these extents, made once."""
        said = (tuple(problem.open.items()), tuple(looked_at.shapes.values()), problem.whole, target)

        def make() -> Chosen:
            kept = _Kept(kernel, bound.specialisation, [f"schedule {VERSION}", repr(said)])
            try:
                if target is not None and not anew and (text := kept.load()) is not None:
                    return Chosen(from_json(text, problem))
            except (ValueError, KeyError, TypeError, IndexError):  # of another form: it is made again
                pass
            try:
                with warnings.catch_warnings():  # of what is not taken nobody is to be warned
                    warnings.simplefilter("ignore", KernelWarning)
                    found = choose(looked_at, kernel.verified, assemble, target)
            except Nothing as nothing:
                _refuse(kernel, problem, nothing, site)
            kernel.warn(problem.specialisation(found.schedule))
            getLogger("freehold.schedule").info("%s for %s: %s", kernel.__name__, target, found.schedule)
            if target is not None and found.considered:
                kept.store(to_json(found.schedule, problem))
            return found

        return kernel.known(("schedule", anew, bound.specialisation, *said), make)

    found = chosen(problem.at({name: bucket(shape) for name, shape in problem.shapes.items()}))
    if not _admitted(kernel, problem, found.schedule, target):
        found = chosen(problem)
    return Completed(problem, arguments, found, target)


def _admitted(kernel: Open, problem: Problem, schedule: Schedule, arch: str | None) -> bool:
    """Whether the extents of a call admit the launch of a schedule."""
    from freehold.passes.launch_contract import contract
    from freehold.runtime.scheduling.candidates import broken_by, extents_of
    from freehold.runtime.variants.evaluation import Evaluator

    specialisation = problem.specialisation(schedule)

    def make() -> Evaluator:
        if arch is not None:
            with suppress(Rejected):  # of the code, which comes from disk where nothing has to be verified
                return kernel.compiled(specialisation, arch).evaluator
        return Evaluator(contract(kernel.verified(specialisation)))

    evaluator = kernel.known(("contract", specialisation, arch), make)
    return next(broken_by(evaluator, extents_of(evaluator, problem)), None) is None


class _Kept:
    """A choice on disk, beside the kernels' code: of a kernel's source, of arguments of a kind, of an assembler."""

    def __init__(self, kernel: Open, specialisation: Specialisation, said: list[str]):
        from freehold.backend import cache
        from freehold.runtime.variants.build import key_of

        self._cache = cache.open_cache()
        self._assembler = cache.identity()
        key = None
        if self._cache is not None and self._assembler is not None:
            key = key_of(kernel.function.fingerprint(), specialisation, [*said, repr(kernel.options)])
        self._key = key

    def load(self) -> str | None:
        """Its text; None where there is none."""
        found = None if self._cache is None or self._key is None else self._cache.load(self._key)
        return None if found is None or found.assembler != self._assembler else found.contract

    def store(self, text: str) -> None:
        """Keeps a text."""
        from freehold.backend.cache import Entry

        if self._cache is not None and self._key is not None and self._assembler is not None:
            self._cache.store(self._key, Entry(text, b"", self._assembler))


def _architecture(device: int) -> str | None:
    """What arrays on a device run on; None for the interpreter."""
    from freehold.runtime.launch import modes

    if device == HOST or modes.current() is not None:
        return None
    from freehold.runtime.gpu import driver

    return driver.architecture(device)


def _refuse(kernel: Open, problem: Problem, nothing: Nothing, site: CallSite) -> NoReturn:
    """Raises `Rejected` (O221): no schedule was found."""
    if nothing.rejected is not None and not problem.open:
        raise nothing.rejected
    name = next(iter(problem.open), "")
    parameter = next(n for n, p in enumerate(problem.parameters) if p.name == name) if name else 0
    text = site.text(parameter, name) or name
    tile = nothing.tile or Schedule(dict.fromkeys(problem.extents, 64))
    shape = tuple(tile.tile.get(d, 64) for d in problem.dimensions(name)) if name else ()
    shown = str(shape[0]) if len(shape) == 1 else str(shape)
    error = errors.NoSchedule(site.span, kernel.__name__, nothing.why, shown)
    if isinstance(nothing.rejected, CompileError):  # of the kernel itself, with its lines: no tile mends a race
        raise CompileError([error, *nothing.rejected.errors], kernel.__name__, nothing.rejected.sources)
    reject(error.add(error.Partition(text, shown)))
