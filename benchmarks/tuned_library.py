"""
The library's own schedules against the best of a search, on a GPU: `python -m benchmarks.tuned_library`.

Each call of `benchmarks.library_calls` launches what the library launches. Then each of its kernels in turn has other
hints, and tiles twice or half as large. What is faster by itself is put together, and timed in turns with the library's
own: a ratio of 1 means that the library is as fast as the best that was found. Results are compared with the library's
before anything is timed.

`--prepare 8` has all of it compiled by 8 processes and times nothing; what is not compiled then, is when it is timed.
What the assembler takes longer than 20 seconds for is no change.
"""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import argparse
import re
import statistics
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from math import prod
from pathlib import Path
from time import perf_counter
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import freehold as fh
from benchmarks.gpu import recorded, repeats, seconds
from benchmarks.kernels_library import several
from benchmarks.library_calls import Call, Calls
from benchmarks.report import Row, kept, show, write
from benchmarks.works import by_processes
from freehold.backend import assembler
from freehold.frontend.schedule import PartitionSpec
from freehold.runtime.interop.planned import Planned
from freehold.runtime.jit.kernel import Kernel
from freehold.runtime.launch.partition import Partition

TURNS: Final = 7
"""How many times the library's schedule and the best are timed in the end."""

AHEAD: Final = 8
"""Calls that are not replayed at once, so that the host is ahead of the GPU."""

LONGEST: Final = 20.0
"""Seconds that the assembler may take for a kernel with a change."""

GAIN: Final = 1.01
"""What a change has to gain by itself to be part of the best."""


class Change(NamedTuple):
    """What a launch has in the place of what the library says."""

    hints: tuple[tuple[str, int], ...] = ()
    first: float = 1
    """How many times as many elements a tile has along its first axis."""
    last: float = 1

    def __str__(self) -> str:
        said = [f"{name}={value}" for name, value in self.hints]
        return ", ".join(
            [*said, *(f"{n} x {by:g}" for n, by in (("first", self.first), ("last", self.last)) if by != 1)]
        )


def _warps(warps: int, occupancy: int) -> Change:
    return Change((("num_worker_warps", warps), ("occupancy", occupancy)))


HINTS: Final = (
    *(_warps(4, n) for n in (2, 4, 8)),
    *(_warps(8, n) for n in (1, 2, 4)),
    *(_warps(16, n) for n in (1, 2)),
    _warps(2, 8),
)
TILES: Final = *(Change(first=by) for by in (0.5, 2)), *(Change(last=by) for by in (0.5, 2))
"""What each kernel is launched with."""

Changes = Mapping[str, Change]
"""By the name of a kernel."""


class NotChanged(Exception):
    """A launch cannot be changed so."""


def _cut(part: Partition, change: Change) -> Partition:
    """A partition with another tile. Raises `NotChanged` where more hangs on the tile than how fast it is."""
    spec = part.spec
    if not isinstance(spec, PartitionSpec) or spec.owned or spec.map or spec.groups or spec.extents:
        raise NotChanged
    if spec.step != spec.tile or spec.partial:  # of a part, another tile leaves out others
        raise NotChanged
    tile = list(spec.tile)
    if prod(tile) == 1:  # a block's part of a result: two of them would be one of their parts twice
        raise NotChanged
    if change.last != 1 and len(tile) < 2:
        raise NotChanged
    for axis, by in ((0, change.first), (-1, change.last)):
        wanted = tile[axis] * by
        if wanted < 1:
            raise NotChanged
        tile[axis] = int(wanted)
    return fh.partition(part.array, tuple(tile), order=spec.order, blocks=spec.count or spec.blocks)


class Changed:
    """While it is entered, launches are changed, and remembered by the names of their kernels."""

    def __init__(self, call: Callable[..., Any] = Kernel.__call__) -> None:
        self._call = call
        self.changes: Changes = {}
        self.launched: dict[str, int] = {}
        self._kernels: dict[tuple[int, Any], tuple[Kernel, Kernel]] = {}
        """By identity of a kernel and hints: itself, that it lives as long, and with these hints."""

    def launch(self, kernel: Kernel, *args: Any, **kwargs: Any) -> Any:
        """What a call of a kernel does meanwhile."""
        name = kernel.__name__
        self.launched[name] = self.launched.get(name, 0) + 1
        if (change := self.changes.get(name)) is None:
            return self._call(kernel, *args, **kwargs)
        if change.hints:
            key = id(kernel), change.hints
            if key not in self._kernels:
                self._kernels[key] = kernel, kernel.with_hints(**dict(change.hints))
            kernel = self._kernels[key][1]
        if (change.first, change.last) != (1, 1):
            cuts = [isinstance(a, Partition) for a in args]
            if not any(cuts):
                raise NotChanged
            args = tuple(_cut(a, change) if is_cut else a for a, is_cut in zip(args, cuts, strict=True))
        return self._call(kernel, *args, **kwargs)

    @contextmanager
    def entered(self) -> Generator[Changed]:
        """Every function of the library is called as it is written, and none as it was planned."""

        def launch(kernel: Kernel, *args: Any, **kwargs: Any) -> Any:
            return self.launch(kernel, *args, **kwargs)

        def plain(function: Any, *args: Any, **kwargs: Any) -> Any:
            return function.__wrapped__(*args, **kwargs)

        run = assembler._run  # pyright: ignore[reportPrivateUsage]

        def in_time(command: Sequence[str], folder: Path, time_limit: float, *rest: Any) -> Any:
            return run(command, folder, min(time_limit, LONGEST), *rest)

        with (
            patch.object(Kernel, "__call__", launch),
            patch.object(Planned, "__call__", plain),
            patch.object(assembler, "_run", in_time),
        ):
            yield self

    @contextmanager
    def by(self, changes: Changes) -> Generator[None]:
        """Launches have these changes meanwhile."""
        self.changes = changes
        try:
            yield
        finally:
            self.changes = {}


def tensors_of(found: Any) -> list[Any]:
    """The tensors of a result."""
    if found is None:
        return []
    return [t for t in (found if isinstance(found, tuple | list) else [found]) if t is not None]


def same(found: Sequence[Any], wanted: Sequence[Any]) -> bool:
    """Whether floats differ by rounding alone, and integers by nothing."""
    for ours, other in zip(found, wanted, strict=True):
        if not other.is_floating_point():
            if not bool((ours == other).all()):
                return False
            continue
        bound = 2e-5 if other.element_size() >= 4 else 5e-3
        ours, other = ours.float(), other.float()
        if not float((ours - other).norm()) <= bound * float(other.norm()) + 1e-6:
            return False
    return True


@contextmanager
def unwritten(torch: Any) -> Generator[None]:
    """
    New tensors hold no numbers meanwhile, and the largest of integers: a launch that leaves something out does not find
    there what one before it wrote.
    """
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)  # for `fill_uninitialized_memory`, which is on unless set
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of operators that are not deterministic
            yield
    finally:
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])


class Search:
    """Of the schedule of one call."""

    def __init__(self, torch: Any, call: Call, changed: Changed):
        self.torch = torch
        self.call = call
        self.changed = changed
        self.function = call.make()
        changed.launched.clear()
        self.wanted = [t.clone() for t in tensors_of(self.function())]
        self.kernels = tuple(changed.launched)

    def ended(self) -> None:
        """Waits for all launches, so that the next one tells what they failed."""
        if self.torch.cuda.is_available():
            self.torch.cuda.synchronize()

    def works(self, changes: Changes) -> bool:
        """Whether the launches can have such changes, and give the same; no other tiles where they give nothing."""
        if not self.wanted and any(change[1:] != (1, 1) for change in changes.values()):
            return False
        with self.changed.by(changes), unwritten(self.torch):
            try:
                found = same(tensors_of(self.function()), self.wanted)
                self.ended()
            except (fh.Rejected, NotChanged, RuntimeError):
                found = False
        return self.checked() and found

    def checked(self) -> bool:
        """Whether no launch before failed a check, which one behind it tells, each launch of its own."""
        for n in range(2 * len(self.kernels) + 2):
            try:
                self.function()
                self.ended()
            except fh.LaunchError:
                continue
            return n == 0
        raise RuntimeError("the call itself fails a check")

    def timed(self, changes: Changes, repeat: int) -> Callable[[], float]:
        """Seconds of a call with such changes, whenever it is called."""

        def function() -> Any:
            with self.changed.by(changes):
                return self.function()

        if self.call.recorded:
            replay = recorded(self.torch, function, repeat)
            return lambda: seconds(self.torch, replay, 1) / repeat
        calls = partial(several, function, repeat)
        return lambda: seconds(self.torch, calls, 1, ahead=True) / repeat

    def all(self) -> Iterator[Changes]:
        """One change of one kernel each."""
        for name in self.kernels:
            for change in (*HINTS, *TILES):
                yield {name: change}

    def gains(self, repeat: int) -> Iterator[tuple[float, str, Change]]:
        """How many times as fast a call is by each change that its launches can have."""
        plain = self.timed({}, repeat)
        plain()
        for changes in self.all():
            if self.works(changes):
                other = self.timed(changes, repeat)
                other()
                ((name, change),) = changes.items()
                yield statistics.median(plain() / other() for _ in range(3)), name, change

    def found(self, told: bool = False) -> Found:
        """The best changes, against the library's own schedule, in turns; what each gains is printed if it is told."""
        once = min(seconds(self.torch, self.function, 2) for _ in range(2))
        repeat = repeats(once) if self.call.recorded else min(AHEAD, repeats(once))
        gains = sorted(self.gains(max(1, repeat // 3)), reverse=True)
        if told:
            print("".join(f"    {gain:.3f} {name}: {change}\n" for gain, name, change in gains), end="")
        rivals = [changes for changes in (together(gains), together(gains[:1])) if changes and self.works(changes)]
        calls = [self.timed(changes, repeat) for changes in ({}, *rivals)]
        for each in calls:
            each()
        turns = [[each() for each in calls] for _ in range(TURNS)]
        ours, *others = (statistics.median(t[n] for t in turns) for n in range(len(calls)))
        if not others:
            return Found({}, ours, ours, 1.0, 0.0)
        n = others.index(min(others))
        ratios = sorted(t[n + 1] / t[0] for t in turns)
        return Found(rivals[n], ours, others[n], statistics.median(ratios), ratios[-1] - ratios[0])


class Found(NamedTuple):
    """What a search found."""

    changes: Changes
    ours: float
    """Seconds of a call as the library has it."""
    best: float
    ratio: float
    """Of the best's to ours, turn by turn; 1 where nothing was faster."""
    spread: float


def together(gains: Sequence[tuple[float, str, Change]]) -> Changes:
    """The hints and the tile of each kernel that gain most by themselves, of gains in order."""
    best: dict[str, Change] = {}
    for gain, name, change in gains:
        before = best.get(name, Change())
        if gain < GAIN:
            break
        if change.hints and not before.hints:
            best[name] = before._replace(hints=change.hints)
        elif not change.hints and before[1:] == (1, 1):
            best[name] = change._replace(hints=before.hints)
    return best


def said(changes: Changes) -> str:
    """The changes of a call, by kernel."""
    return "; ".join(f"{name}: {change}" for name, change in changes.items()) or "as it is"


def prepared(part: int, arguments: argparse.Namespace) -> int:
    """Has the calls of one job compiled, as long as there is time: how many launches' variants."""
    torch: Any = import_module("torch")
    begun, count = perf_counter(), 0
    with torch.no_grad(), Changed().entered() as changed:
        for n, call in enumerate(Calls(torch)):
            if n % arguments.prepare != part or not re.search(arguments.names, call.name):
                continue
            try:
                search = Search(torch, call, changed)
                for changes in search.all():
                    if perf_counter() - begun > arguments.seconds:
                        print(f"out of time at {call.name}, {n}", flush=True)
                        return count
                    count += search.works(changes)
            except Exception as e:  # the others are wanted, too
                print(f"{call.name}: {e!r}"[:300], flush=True)
            search = None
            torch.cuda.empty_cache()
    print(f"job {part} ends after {perf_counter() - begun:.0f} s", flush=True)
    return count


def prepare(arguments: argparse.Namespace) -> None:
    """Has all variants compiled by several processes."""
    print(f"{sum(by_processes(prepared, arguments))} variants prepared", flush=True)


def run(torch: Any, arguments: argparse.Namespace, rows: list[Row]) -> list[Row]:
    """The rows that there were, and those of calls that had none."""
    begun, known = perf_counter(), {row.work for row in rows}
    with torch.no_grad(), Changed().entered() as changed:
        for call in Calls(torch):
            if call.name in known or not re.search(arguments.names, call.name):
                continue
            if perf_counter() - begun > arguments.seconds:
                print(f"out of time at {call.name}", flush=True)
                break
            try:
                found = Search(torch, call, changed).found(arguments.gains)
            except Exception as e:  # the others are told, too
                print(f"{call.name}: {e!r}"[:300], flush=True)
                continue
            finally:
                torch.cuda.empty_cache()
            times = found.ours * 1e6, found.best * 1e6
            rows.append(Row(call.name, *times, said(found.changes), "us", found.ratio, found.spread, ">= 0.90"))
            print(f"{call.name}: {times[0]:.1f} us, {found.ratio:.3f} of {said(found.changes)}", flush=True)
            if arguments.json:
                write(rows, arguments.json)
    return rows


def main() -> None:
    """Run the benchmark and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too; what it has is not timed again")
    parser.add_argument("--names", metavar="REGEX", default="", help="only calls in whose names it is found")
    parser.add_argument("--gains", action="store_true", help="print what each change gains")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin nothing after so many")
    parser.add_argument("--prepare", type=int, metavar="JOBS", help="only compile, by so many processes")
    arguments = parser.parse_args()
    if arguments.prepare:
        prepare(arguments)
        return
    torch: Any = import_module("torch")  # no dependency of the project
    torch.manual_seed(0)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, freehold {fh.__version__}\n")
    rows = run(torch, arguments, kept(arguments.json))
    show(rows, arguments.json)
    ratios = [row.ratio for row in rows if row.ratio is not None]
    if ratios:
        low = sum(ratio < 0.9 for ratio in ratios)
        print(f"\nto the best of a search: median {statistics.median(ratios):.3f}, {low} of {len(ratios)} below 0.90")


if __name__ == "__main__":
    main()
