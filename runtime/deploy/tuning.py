"""
Tuning: which configuration of a kernel is fastest for arrays of some kind, found by trying and kept in a record.

A configuration is whatever tells one way to run a kernel from another: values of `Const` parameters, hints, partitions.
It changes the speed and not the results, which a search makes sure of before it measures anything.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from html import escape
from logging import getLogger
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, cast

import freehold
from freehold.runtime.arrays.contents import Contents, difference, tensor_of
from freehold.runtime.base.call_site import caller
from freehold.runtime.deploy.timing import Measure, by_events, in_turns
from freehold.runtime.errors.refusing import errors, reject
from freehold.runtime.launch.partition import Partition
from freehold.runtime.memory.arguments import HOST, is_array, view
from freehold.runtime.scheduling.problem import Schedule
from freehold.runtime.variants.hints import Given, given
from freehold.support.diagnostic import Rejected
from freehold.support.progress import progress
from freehold.support.public import public

if TYPE_CHECKING:
    from freehold.runtime.arrays.tensor import Tensor
    from freehold.runtime.jit.kernel import Kernel
    from freehold.runtime.launch.bound_launch import BoundLaunch
    from freehold.runtime.launch.launch import Launch
    from freehold.runtime.memory.arguments import ArrayView
    from freehold.runtime.scheduling.completion import Completed

C = TypeVar("C")


@dataclass(frozen=True)
class Measured(Generic[C]):
    """A configuration, and the seconds that a launch of it takes: the median of `samples`."""

    configuration: C
    seconds: float
    samples: int


@dataclass(frozen=True)
class Search(Generic[C]):
    """What a search found."""

    kind: str
    """What it counts for: the GPU, and the dtypes and shapes of the arrays."""
    measured: tuple[Measured[C], ...]
    """The fastest first."""
    refused: tuple[tuple[C, str], ...]
    """Configurations that cannot be compiled or launched, with the first line of why."""
    left: tuple[C, ...]
    """Those that there was no time for."""

    @property
    def best(self) -> C:
        """The fastest configuration."""
        return self.measured[0].configuration

    def _repr_html_(self) -> str:
        """For notebooks: the times as a table, and what was refused."""
        fastest = self.measured[0].seconds
        rows = [
            (f"{1e6 * m.seconds:.2f} us", f"{m.seconds / fastest:.2f}", str(m.configuration)) for m in self.measured
        ]
        rows += [("refused", "", f"{configuration}: {why}") for configuration, why in self.refused]
        cells = "".join(f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in rows)
        return f"<table><caption>{escape(self.kind)}</caption>{cells}</table>"

    def __str__(self) -> str:
        lines = [f"{self.kind}: {len(self.measured)} measured, {len(self.refused)} refused, {len(self.left)} left"]
        fastest = self.measured[0].seconds
        lines += [f"{1e6 * m.seconds:10.2f} us  {m.seconds / fastest:5.2f}  {m.configuration}" for m in self.measured]
        return "\n".join([*lines, *(f"{'refused':>13}         {c}: {why}" for c, why in self.refused)])


class Tuned(Generic[C]):
    """
    A kernel that is launched in the configuration which is fastest for the arrays it is given.

    `arguments(configuration, *arrays)` are the kernel's arguments, `hints(configuration)` its hints. `search` tries all
    of `space` and keeps the fastest in the file `record`; a call, with arrays of the same dtypes and shapes on the same
    GPU, launches it. `otherwise` is the configuration where there is no record.

        tuned = fh.Tuned(gemm, space, lambda f, c, a, b: (fh.partition(c, f.tile), a, b, f.BK), record="gemm.json")
        print(tuned.search(c, a, b))
        tuned(c, a, b).sync()

    Without a space, `fh.Tuned(gemm, record="gemm.json")`, the configurations are the schedules that a launch could
    choose which leaves its partition open (`docs/schedules.md`): those that should be fastest, at most `most`. Where
    there is no record, what such a launch chooses is launched.
    """

    @public
    def __init__(
        self,
        kernel: Kernel,
        space: Sequence[C] | None = None,
        arguments: Callable[..., tuple[Any, ...]] | None = None,
        *,
        hints: Callable[[C], Mapping[str, Given]] | None = None,
        record: str | os.PathLike[str] | None = None,
        otherwise: C | None = None,
        most: int = 32,
    ):
        if (space is None) != (arguments is None):
            raise TypeError("a space and the arguments of its configurations go together")
        self.kernel = kernel
        self.space = tuple(space or ())
        self.most = most
        self.record = None if record is None else Path(record)
        self.otherwise = otherwise
        self._derived = space is None
        self._given = arguments
        self._hints = hints
        self._variants: dict[str, Kernel] = {}
        self._chosen: dict[str, C] = {}
        self._known: dict[str, Completed] = {}

    def __call__(self, *arrays: Any) -> Launch:
        """A launch in the configuration of the record. Raises `Rejected` (O292) where there is none."""
        configuration = self.configuration(*arrays)
        return self.variant(configuration)(*self._arguments(configuration, *arrays))

    def configuration(self, *arrays: Any) -> C:
        """What a call with these arrays is launched in. Raises `Rejected` (O292)."""
        kind = self.kind(*arrays)
        if kind not in self._chosen:
            known = self._entries().get(kind, {})
            found = None
            if known.get("kernel") == self._fingerprint():
                found = {str(c): c for c in self._space(arrays)}.get(known.get("configuration", ""))
            if found is None and self.otherwise is None and self._derived:
                found = cast(C, self._completed(arrays).chosen.schedule)
            if found is None and self.otherwise is None:
                reject(errors.NoRecord(_site(), self.kernel.__name__, kind))
            self._chosen[kind] = self.otherwise if found is None else found  # pyright: ignore[reportArgumentType] -- one of them is there
        return self._chosen[kind]

    def variant(self, configuration: C) -> Kernel:
        """The kernel with the hints of a configuration."""
        hints: dict[str, Given] = {} if self._hints is None else dict(self._hints(configuration))
        if isinstance(configuration, Schedule):
            hints = {**configuration.hints, **given(self.kernel.options.hints)}
        key = repr(sorted(hints.items()))
        if key not in self._variants:
            self._variants[key] = self.kernel.with_hints(**hints) if hints else self.kernel
        return self._variants[key]

    def kind(self, *arrays: Any) -> str:
        """What a record counts for: `NVIDIA H200: f32 (4096, 4096), f32 (4096,)`."""
        views = [None if a is None else view(a) for a in arrays if a is None or is_array(a)]
        device = next((v.device for v in views if v is not None), HOST)
        place = "the interpreter"
        if device != HOST:
            from freehold.runtime.gpu import driver

            place = f"{driver.device_name(device)} ({driver.architecture(device)})"
        said = ["None" if v is None else f"{v.dtype} {v.shape}" for v in views]
        return f"{place}: {', '.join(said)}"

    def _completed(self, arrays: tuple[Any, ...]) -> Completed:
        """What the kernel's launch leaves open, and what it chooses. Raises `Rejected`."""
        kind = self.kind(*arrays)
        found = self._known.get(kind) or self.kernel.choice(arrays, {}, None)
        if found is None:
            raise TypeError(f"a launch of `{self.kernel.__name__}` on these arguments leaves nothing open")
        self._known[kind] = found
        return found

    def _space(self, arrays: tuple[Any, ...]) -> Sequence[C]:
        """The configurations for these arrays."""
        if not self._derived:
            return self.space
        from freehold.runtime.scheduling.choice import space

        found = self._completed(arrays)
        return cast("list[C]", space(found.problem, self.kernel.verified, found.arch, self.most))

    def _arguments(self, configuration: C, *arrays: Any) -> tuple[Any, ...]:
        """The kernel's arguments in a configuration."""
        if self._given is not None:
            return self._given(configuration, *arrays)
        found = self._completed(arrays)
        given = (*arrays, *found.arguments[len(arrays) :])
        return found.problem.arguments(given, cast(Schedule, configuration))

    # --- The search ---------------------------------------------------------------------------------------------------

    @public
    def search(
        self,
        *arrays: Any,
        seconds: float = 60.0,
        measure: Measure | None = None,
        tolerance: float | None = None,
    ) -> Search[C]:
        """
        Tries every configuration on these arrays, and keeps the fastest in the record.

        All are compiled, on as many threads as there are processors, and run once, and what they write is compared:
        integers exactly, floats up to `tolerance` of the result's norm. Then they are timed in turns, on the GPU, those
        that are close to the best more often, until each has its share or `seconds` are over. The arrays are written;
        those that the kernel also reads have their contents back afterwards. `measure` takes the place of timing by
        events.

        Raises `Rejected`: O290 where nothing can be measured, O291 where results differ, O293 without a measure on
        arrays in the host's memory.
        """

        ends = time.monotonic() + seconds
        device = next((v.device for v in _views(arrays)), HOST)
        if device == HOST and measure is None:
            reject(errors.NoMeasure(_site(), self.kernel.__name__))
        refused: list[tuple[C, str]] = []
        contents = Contents()
        try:
            with closing(self._compiled(arrays, device, refused)) as alive:
                bound = self._agreeing(alive, arrays, contents, refused, tolerance)
            if not bound:
                self._nothing(refused)
            samples = in_turns([launch.on for _, launch in bound], measure or by_events(_views(arrays)), ends)
        finally:
            contents.give_back()
        measured = [Measured(c, statistics.median(s), len(s)) for (c, _), s in zip(bound, samples, strict=True) if s]
        measured.sort(key=lambda m: (-m.samples, m.seconds))  # who is slower is left out of further rounds
        left = tuple(c for (c, _), s in zip(bound, samples, strict=True) if not s)
        found = Search(self.kind(*arrays), tuple(measured), tuple(refused), left)
        log = getLogger("freehold.tuning")
        for m in measured:
            log.debug("%s: %s takes %.3g s", self.kernel.__name__, m.configuration, m.seconds)
        for configuration, why in refused:
            log.debug("%s: %s is refused: %s", self.kernel.__name__, configuration, why)
        log.info("%s: %s is the fastest of %d", self.kernel.__name__, found.best, len(measured))
        self._chosen[found.kind] = found.best
        self._keep(found)
        return found

    def _nothing(self, refused: Sequence[tuple[C, str]]) -> NoReturn:
        """Raises `Rejected` where no configuration is left."""
        error = errors.NothingToChoose(_site(), self.kernel.__name__, "all are refused" if refused else "there is none")
        reject(error.add(*(error.Refused(str(c), said) for c, said in refused[:1])))

    def _compiled(self, arrays: tuple[Any, ...], device: int, refused: list[tuple[C, str]]) -> Generator[C]:
        """The configurations that can be compiled, each as soon as those before it are; the others, with the first line
        of why not, are added to `refused`."""

        configurations = self._space(arrays)
        for configuration in configurations:
            self.variant(configuration)  # hints that there are not are no matter of one configuration

        def refusal(configuration: C) -> str | None:
            try:
                kernel, arguments = self.variant(configuration), self._arguments(configuration, *arrays)
                kernel.verify(*arguments) if device == HOST else kernel.compile(*arguments)
            except Rejected as e:
                return str(e).splitlines()[0]
            return None

        threads = ThreadPoolExecutor(os.cpu_count())
        try:
            said = progress(threads.map(refusal, configurations), "configurations compiled", len(configurations))
            for configuration, why in zip(configurations, said, strict=True):
                if why is None:
                    yield configuration
                else:
                    refused.append((configuration, why))
        finally:
            threads.shutdown(cancel_futures=True)

    def _agreeing(
        self,
        alive: Iterable[C],
        arrays: tuple[Any, ...],
        contents: Contents,
        refused: list[tuple[C, str]],
        tolerance: float | None,
    ) -> list[tuple[C, BoundLaunch]]:
        """A launch for each configuration. Each has been run, while later ones were compiled, and wrote the same."""
        from freehold.runtime.arrays.copying import read

        ready: list[tuple[C, BoundLaunch]] = []
        first: dict[str, Any] = {}
        for configuration in alive:
            arguments = self._arguments(configuration, *arrays)
            written: dict[str, Tensor] = {}
            for p, a in zip(self.kernel.signature.parameters, arguments, strict=False):
                if p.mode in ("mut", "out", "acc", "raw") and a is not None:
                    written[p.name] = tensor_of(a.array if isinstance(a, Partition) else a)
                    if p.mode != "out":
                        contents.keep(p.name, written[p.name])
            contents.give_back()
            try:
                launch = self.variant(configuration).bind(*arguments)
                launch.sync()
            except Rejected as e:
                refused.append((configuration, str(e).splitlines()[0]))
                continue
            ready.append((configuration, launch))
            for name, tensor in written.items():
                result = read(tensor, None)
                apart, limit = difference(first.setdefault(name, result), result, tolerance)
                if not apart <= limit:
                    one, other = str(ready[0][0]), str(configuration)
                    reject(errors.ResultsDiffer(_site(), self.kernel.__name__, name, one, other, apart, limit))
        return ready

    # --- The record ---------------------------------------------------------------------------------------------------

    def _entries(self) -> dict[str, dict[str, Any]]:
        if self.record is None or not self.record.is_file():
            return {}
        return json.loads(self.record.read_text(encoding="utf-8"))

    def _keep(self, found: Search[C]) -> None:
        if self.record is None:
            return
        from freehold.backend.cache import identity

        best = found.measured[0]
        entry = {"configuration": str(best.configuration), "seconds": best.seconds, "kernel": self._fingerprint()}
        entry |= {"tried": len(found.measured), "freehold": freehold.__version__, "assembler": identity() or "none"}
        text = json.dumps({**self._entries(), found.kind: entry}, indent=2, sort_keys=True) + "\n"
        made = self.record.with_name(f".{self.record.name}.{os.getpid()}")
        made.write_text(text, encoding="utf-8")
        made.replace(self.record)

    def _fingerprint(self) -> str:
        return self.kernel.function.fingerprint().hexdigest()


def _views(arrays: Sequence[Any]) -> list[ArrayView]:
    return [view(a) for a in arrays if is_array(a)]


def _site() -> Any:

    return caller().span
