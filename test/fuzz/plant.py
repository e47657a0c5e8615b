"""
Faults planted in the product's own source, one line at a time, and whether the tests nearest to them find each.

`python test/fuzz/plant.py --faults 60 --seed 0` draws faults from all rooms (`source_faults.py`), runs for each the
tests nearest to its file on a copy of the tree, and lists those that no test has found. `--in PATH` draws from some
files, `--at PATH:LINE` plants all there are in a line, and `--slow` runs the slow tests, too. Status 1: one survived.

All tests run once without a fault, so that it is known which of them execute the lines that are to be changed
(`watching.py`, with Python 3.12 and later): no other can find a fault there, but for what caches keep. Of kernels,
which are read and compiled, and of a module's constants those count that execute a line which names them
(`launching.py`).
Nearest are the tests that are named as the file, import its module or import what imports it, and the suites of its
folder. In this order those run that execute the line, then tests elsewhere that do, a few of each file at a time. Where
the line is executed as its module is imported, any test may see the fault, and all follow, as where no test executes
it. Elsewhere the rest of the nearest does.

Every fault gets its share of the time (`--limit` for all of it, `--seconds` for each fault). It counts as found when a
test fails with it that passes without it, and fails again with it; so does one with which a test hangs that ends
without it (`HANGS`), or with which tests of one process do not end, twice, that pass without it. What no test has found
has survived, and it is said how many of the tests that reach it have run.

A run that is stopped goes on with the same `--record` and the same `--watched`, a file for what the first run of all
tests has shown: what is found or has run all its tests stays as it is; of the others those tests follow that have not
run.

Mutmut and cosmic-ray do much of this, and do not fit: mutmut wraps each function, which the frontend's fingerprints
see, and wants packages where the rooms are links; cosmic-ray runs one command whatever the file: the whole suite.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby, takewhile
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Final, Literal

sys.path.insert(0, str(Path(__file__).parent))

from launching import Launches
from source_faults import Fault, faults_of
from watching import PLUGINS, WATCHES, Watched, in_parallel, pytest, run, watched

from freehold.support.progress import progress

ROOT: Final = Path(__file__).parents[2]
ROOMS: Final = (
    "support", "dialects", "frontend", "passes", "backend", "runtime", "audit", "tools", "kernels", "engine",
)  # fmt: skip
SUITES: Final[dict[str, tuple[str, ...]]] = {
    "support": ("test/support", "test/frontend", "test/mistakes"),
    "dialects/cuda_tile": ("test/dialects", "test/lit/dialects/cuda_tile"),
    "dialects": ("test/dialects", "test/lit/dialects", "test/passes"),
    "frontend": ("test/frontend", "test/mistakes"),
    "passes": ("test/lit/passes", "test/passes"),
    "backend": ("test/backend",),
    "runtime/interpreter": ("test/interpreter",),
    "runtime": ("test/runtime",),
    "audit": ("test/audit", "test/lit/audit"),
    "tools": ("test/tools", "test/lit/tools"),
    "kernels": ("test/kernels",),
    "engine": ("test/engine",),
}
"""The tests of a folder, where a file of it has none of its own."""
STEPS: Final = 3
"""How many imports there may be from a file of tests to the file with the fault."""
MOST: Final = 40
"""Files of tests that count as near, beside suites."""
LIT: Final = "test/lit/"
INNER: Final = ("PYTEST_CURRENT", "PYTEST_XDIST", "PYTHONDONT")
"""Variables that are the outer process's own, where a test runs this."""
HANGS: Final = 60
"""Seconds after which a test counts as hanging. The same test has to end within them without the fault."""
BROKEN: Final = 4
"""Tests of a file or suite that may fail without any fault, as where a machine lacks something; more are a mistake."""
FIRST: Final = 4.0
"""Seconds that the first tests of a fault take without it."""
OF_LIT: Final = 1.0
"""Seconds that a file of lit's takes."""
LATER: Final = 64.0
"""Seconds that tests of one process take at most."""
STARTS: Final = 3.0
"""Seconds that it takes to start one."""
OF_FAULT: Final = ("path", "line", "start", "old", "new")
Verdict = Literal["found", "elsewhere", "survived"]


@dataclass(frozen=True)
class Batch:
    """Files or suites of one kind that run in one process, and which of their tests: all, where none is named."""

    targets: Sequence[str]
    tests: Sequence[str] = ()
    seconds: float = LATER
    """What they take without a fault, where it is known."""

    @staticmethod
    def of(tests: Sequence[str], seconds: float) -> Batch:
        """Tests by their names: pytest's, or files of lit's."""
        if tests[0].startswith(LIT):
            return Batch(tests, (), seconds)
        return Batch(list(dict.fromkeys(name.partition("::")[0] for name in tests)), tuple(tests), seconds)

    @property
    def name(self) -> str:
        """The nearest of its tests, or its first file."""
        return (self.tests or self.targets)[0]

    def __len__(self) -> int:
        return len(self.tests or self.targets)


@dataclass(eq=False)
class Judged:
    """A fault, and what has become of it so far."""

    fault: Fault
    near: Sequence[str]
    reaching: int | None
    """How many tests execute its line; None where any may see it."""
    batches: Iterator[Batch]
    by: str = ""
    """The test that found it."""
    ran_before: int = 0
    """How many of its tests have run in a run before this one."""
    begun: list[Batch] = field(default_factory=list[Batch])
    over: list[Batch] = field(default_factory=list[Batch])
    """Those that are begun and have run to their end."""
    took: float = 0.0
    running: int = 0
    ended: bool = False
    """Whether nothing is left to be run."""

    @property
    def ran(self) -> int:
        """How many of its tests have run, from the first one on."""
        over = takewhile(self.over.__contains__, self.begun)
        return self.ran_before + sum(map(len, over))

    @property
    def verdict(self) -> Verdict:
        return "survived" if not self.by else "found" if is_in(self.by, self.near) else "elsewhere"

    def recorded(self) -> dict[str, object]:
        """What is written down of it."""
        of_fault = {name: getattr(self.fault, name) for name in OF_FAULT}
        of_tests = {name: getattr(self, name) for name in ("verdict", "by", "reaching", "ran", "ended", "took")}
        return of_fault | of_tests

    def __str__(self) -> str:
        reach = "any test may" if self.reaching is None else f"{self.reaching} tests"
        said = self.by or f"{reach} reach it, {self.ran} ran{'' if self.ended else ', more would'}"
        return f"{self.verdict:9} {self.took:4.0f} s  {self.fault}  ({said})"


@cache
def tests() -> dict[str, str]:
    """The files of tests, with their texts."""
    files = [*ROOT.glob("test/**/test_*.py"), *ROOT.glob("test/lit/**/*.mlir")]
    return {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in sorted(files)}


def module_of(path: Path) -> str:
    """The module that a file of a room is."""
    return ".".join(("freehold", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")


def imported(text: str) -> frozenset[str]:
    """What a Python file imports of the product: modules, and names in them."""
    found = set(re.findall(r'Lazy\("(freehold\.[\w.]+)"', text))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("freehold"):
            found |= {str(node.module), *(f"{node.module}.{name.name}" for name in node.names)}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names if name.name.startswith("freehold.")}
    return frozenset(found)


@cache
def importing() -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """What each module imports, and each file of tests."""
    files = [file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))]
    of_modules = {module_of(file): imported(file.read_text(encoding="utf-8")) for file in files}
    return of_modules, {name: imported(text) for name, text in tests().items() if name.endswith(".py")}


@cache
def nearest(path: str) -> tuple[str, ...]:
    """The tests nearest to a file: named as it, importing it, or what imports it; then the suites of its folder."""
    file = Path(path)
    stem = file.parent.name if file.stem == "__init__" else file.stem
    named = re.compile(rf"(?:^|/)(?:test_)?{re.escape(stem)}(?:_\w+)?\.(?:py|mlir)$")
    of_modules, of_tests = importing()
    folder = next(suites for folder, suites in SUITES.items() if path.startswith(f"{folder}/"))
    near = [name for name in tests() if named.search(name)]
    wanted, seen = {module_of(ROOT / path)}, set[str]()
    for step in range(STEPS):
        found = [name for name, modules in of_tests.items() if name not in near and not wanted.isdisjoint(modules)]
        near += sorted(found, key=lambda name: len(tests()[name]))
        if step == 0:  # each of these says in its few lines what it is of
            near += [suite for suite in folder if suite.startswith(LIT)]
        seen |= wanted
        wanted = {name for name, modules in of_modules.items() if not wanted.isdisjoint(modules)} - seen
    return *near[:MOST], *(suite for suite in folder if suite not in near[:MOST])


class Workplace:
    """A copy of the tree, in which faults are planted one after the other."""

    def __init__(self, folder: Path, origin: Path, slow: bool, broken: set[str]):
        self.folder, self.slow = folder, slow
        self.written = 0
        self.broken = broken
        """Tests that fail without a fault, which are left out from then on, everywhere."""
        left = shutil.ignore_patterns(".git", ".venv", "build", "dist", ".hypothesis", "*_cache", "*.pyc.*")
        shutil.copytree(origin, folder, symlinks=True, ignore=left)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(INNER)}
        paths = os.pathsep.join((str(PLUGINS), str(folder / "src"), *filter(None, [kept.get("PYTHONPATH")])))
        changes = {
            "PYTHONPATH": paths,
            "PYTHONUNBUFFERED": "1",
            "FREEHOLD_CACHE_DIR": "",
            "CI": "1",
        }
        self.environment = {**kept, **changes}

    def command(self, targets: Sequence[str]) -> list[str]:
        """What runs files or suites, all of one kind, until one of their tests fails."""
        if targets[0].startswith(LIT):
            left = "|".join(re.escape(name.removeprefix(LIT)) for name in sorted(self.broken) if name.startswith(LIT))
            return [*lit(1), "--max-failures=1", *([f"--filter-out={left}"] if left else []), *targets]
        left_out = [f"--deselect={name}" for name in sorted(self.broken)]
        return [*pytest(self.slow), "-x", "-n0", f"--timeout={HANGS}", *left_out, *targets]

    def run(self, batch: Batch, seconds: float) -> str | None:
        """The first test that fails of a batch, empty where none does; None where it does not end in this time."""
        environment = self.environment
        if batch.tests:
            chosen = self.folder / "build" / "chosen"
            chosen.parent.mkdir(exist_ok=True)
            chosen.write_text("\n".join(batch.tests), encoding="utf-8")
            environment = {**environment, "FREEHOLD_CHOSEN": str(chosen)}
        done = run(self.command(batch.targets), self.folder, environment, seconds)
        if done is None:
            return None
        if done[0] in (0, 5):  # 5: there is no test but slow ones
            return ""
        failed = re.search(r"^(?:FAILED|ERROR) ([^\s\[]+(?:\[.*?\](?= - |$))?)", done[1], re.MULTILINE)
        return failed[1] if failed else next(iter(failing_of_lit(done[1])), batch.targets[0])

    def write(self, place: Path, text: bytes) -> None:
        """Writes a file so that Python compiles it anew: what it keeps knows the file by its size and whole seconds."""
        self.written += 1
        place.write_bytes(text)
        os.utime(place, (self.written, self.written))

    def with_fault(self, fault: Fault, batch: Batch, seconds: float) -> str | None:
        """The first test that fails of a batch while a fault is planted; as `run`."""
        place = self.folder / fault.path
        text = place.read_bytes()
        try:
            self.write(place, fault.planted(text))
            return self.run(batch, seconds)
        finally:
            self.write(place, text)

    def finding(self, fault: Fault, batch: Batch, seconds: float, end: float) -> str:
        """
        The first test of a batch that fails with a fault, and each time, and passes without it; before an end.

        Where the batch does not end with the fault, each time, and passes without it in the same time: the nearest.
        """

        def left(most: float) -> float:
            return min(most, end - time.monotonic())

        for _ in range(BROKEN):
            failing = self.with_fault(fault, batch, left(seconds))
            if failing == "" or left(1) <= 0:  # what is ended because the time is over may have been about to pass
                break
            again, most = (batch, seconds) if failing is None else (Batch([failing]), 2 * HANGS)
            passes = self.run(again, left(most)) == ""
            if passes and self.with_fault(fault, again, left(most)) != "" and left(1) > 0:
                return failing or batch.name
            if failing is None or left(1) <= 0:
                break
            self.broken.add(failing)
        return ""


class Judges:
    """The faults, and who runs what of their tests next: of the fault that has had the least time so far."""

    def __init__(
        self,
        faults: Iterable[Fault],
        known: Watched | None,
        seconds: float,
        limit: float,
        ran: Mapping[Fault, int] | None = None,
    ):
        self.known, self.seconds, self.end = known, seconds, time.monotonic() + limit
        self.lock = Lock()
        self.open = [self.judged(fault, ran.get(fault, 0) if ran else 0) for fault in faults]
        self.done: SimpleQueue[Judged] = SimpleQueue()

    def judged(self, fault: Fault, ran: int) -> Judged:
        """A fault of which some tests have run, or none yet."""
        near = nearest(fault.path)
        if self.known is None:
            return Judged(fault, near, None, map(Batch, rounds(near)))
        found = self.known.of(fault.path, fault.line)
        reaching = None if found is None else len(found)
        return Judged(fault, near, reaching, self.batches(fault, near, ran), ran_before=ran)

    def batches(self, fault: Fault, near: Sequence[str], ran: int) -> Iterator[Batch]:
        """What is run for a fault: what executes its line, and then what is near, or any test, but for the first."""
        assert self.known is not None
        passing = self.known.passing
        reaching = self.known.executing.get((fault.path, fault.line), ())
        first = [name for name in reaching if name in passing]
        rest = sorted(passing.difference(first))
        if first and "" not in reaching:
            rest = [name for name in rest if is_in(name, near)]
        return grouped([*in_order(first, near), *in_order(rest, near)][ran:], self.known.seconds)

    def next(self) -> tuple[Judged, Batch] | None:
        """What is to be run; nothing, where all of it has been begun, or the time is over."""
        with self.lock:
            while time.monotonic() < self.end:
                waiting = [each for each in self.open if not each.by and not each.ended and each.took < self.seconds]
                if not waiting:
                    break
                one = min(waiting, key=lambda each: each.took)
                if (batch := next(one.batches, None)) is not None:
                    one.running += 1
                    one.begun.append(batch)
                    one.took += STARTS + batch.seconds
                    return one, batch
                one.ended = True
                self.tell(one)
        return None

    def tell(self, one: Judged) -> None:
        """Tells of a fault that is done with. What is nearer than what has found it may be running still."""
        if one in self.open and not one.running and (one.by or one.ended):
            self.open.remove(one)
            self.done.put(one)

    def note(self, one: Judged, batch: Batch, failing: str, took: float) -> None:
        """Writes down what running a batch has shown."""
        with self.lock:
            one.running -= 1
            if time.monotonic() < self.end:  # what is ended because the time is over has not run
                one.over.append(batch)
            one.took += took - STARTS - batch.seconds
            if failing and (not one.by or is_in(failing, one.near)):
                one.by = failing
            self.tell(one)

    def run(self, place: Workplace) -> None:
        """Runs what is next, for as long as there is something."""
        while (asked := self.next()) is not None:
            one, batch = asked
            start = time.monotonic()
            failing = place.finding(one.fault, batch, 4 * batch.seconds + 2 * HANGS, self.end)
            self.note(one, batch, failing, time.monotonic() - start)


def lit(jobs: int) -> list[str]:
    """lit's command, without its targets."""
    return [sys.executable, "-c", "from lit.main import main; main()", "-q", f"-j{jobs}"]


def failing_of_lit(output: str) -> list[str]:
    """The files that lit lists as failing."""
    return [LIT + name for name in re.findall(r"^\s*freehold :: (\S+)", output, re.MULTILINE)]


def is_in(test: str, places: Iterable[str]) -> bool:
    """Whether a test stands in one of these files or folders."""
    return any(test == place or test.startswith((f"{place}::", f"{place}/")) for place in places)


def in_order(tests: Sequence[str], near: Sequence[str]) -> list[str]:
    """The nearest tests first; then those elsewhere, of each file the first, then of each the second, and so on."""
    files: dict[str, list[str]] = {}
    for name in tests:
        files.setdefault(name.partition("::")[0], []).append(name)
    steps = [(next((n for n, each in enumerate(near) if is_in(file, [each])), None), file) for file in files]
    ordered = [name for _, file in sorted((n, file) for n, file in steps if n is not None) for name in files[file]]
    elsewhere = [file for step, file in steps if step is None]
    of_lit = [file for file in elsewhere if file.startswith(LIT)]
    turns = ((turn, name) for file in elsewhere if file not in of_lit for turn, name in enumerate(files[file]))
    return [*ordered, *of_lit, *(name for _, name in sorted(turns, key=lambda each: each[0]))]


def grouped(tests: Sequence[str], seconds: Mapping[str, float]) -> Iterator[Batch]:
    """Tests in their order, those of one kind together; a few seconds at first: most faults are found there."""
    most = FIRST
    for _, names in groupby(tests, lambda name: name.startswith(LIT)):
        taken, took = list[str](), 0.0
        for name in names:
            taken.append(name)
            took += seconds[name]
            if took > most:
                yield Batch.of(taken, took)
                taken, took, most = [], 0.0, min(4 * most, LATER)
        if taken:
            yield Batch.of(taken, took)


def rounds(near: Sequence[str]) -> Iterator[list[str]]:
    """Files and suites of one kind, a few at first: pytest imports all that it is given before it runs one of them."""
    for is_lit, names in groupby(near, lambda name: name.startswith(LIT)):
        left, count = list(names), 2
        while left:
            files = left if is_lit else list(takewhile(lambda name: name.endswith(".py"), left[:count])) or left[:1]
            yield files
            left, count = left[len(files) :], 3 * count


def drawn(places: Sequence[str], count: int, seed: int) -> list[Fault]:
    """Some of the faults of files, or all in a line."""
    wanted = [place.partition(":") for place in places]
    files = [file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))]
    chosen: list[Fault] = []
    for file in files:
        name = str(file.relative_to(ROOT))
        lines = {line for path, _, line in wanted if name.startswith(path)}
        if not wanted or lines:
            chosen += [f for f in faults_of(file, ROOT) if not wanted or "" in lines or str(f.line) in lines]
    return random.Random(seed).sample(chosen, min(count, len(chosen)))


@dataclass(frozen=True)
class Times:
    """The seconds there are."""

    first: float
    """For all tests without a fault."""
    each: float
    """For a fault."""
    limit: float
    """For everything."""


def without_fault(
    place: Workplace, faults: Sequence[Fault], jobs: int, seconds: float, whole: bool, kept: Path | None
) -> Watched:
    """What all tests execute and how they end, or those nearest to some faults; written down, or as it was."""
    if kept and kept.exists():
        return Watched.kept(kept)
    files = [file for folder in (*ROOMS, "test") for file in sorted((ROOT / folder).rglob("*.py"))]
    launches = Launches(files, ROOT)
    places = {(fault.path, fault.line): launches.of(fault.path, fault.line) for fault in faults}
    near = {name for fault in faults for name in nearest(fault.path)}
    of_lit = [name for name in tests() if name.startswith(LIT) and (whole or is_in(name, near))]
    targets = ["test"] if whole else sorted(name for name in near if not name.startswith(LIT))
    commands = [[*pytest(place.slow), *in_parallel(jobs), *targets], *([[*lit(jobs), *of_lit]] if of_lit else [])]
    known = watched(place.folder, places, seconds, place.environment, commands)
    known.failing |= {*failing_of_lit(known.said)}
    known.seconds.update(dict.fromkeys(of_lit, OF_LIT))
    if kept:
        known.keep(kept)
    failing = f"{len(known.failing)} fail without a fault {' '.join(sorted(known.failing)[:MOST])}"
    print(f"{len(known.seconds)} tests ran in {known.took:.0f} s; {failing}".rstrip(), flush=True)
    return known


def judged(
    faults: Mapping[Fault, int], jobs: int, times: Times, slow: bool, whole: bool, kept: Path | None
) -> Iterator[Judged]:
    """What becomes of each, of which some tests have run, as soon as it is known; first all run without a fault."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="freehold-faults-") as folder, ThreadPoolExecutor(jobs) as pool:
        broken = set[str]()
        origin = Workplace(Path(folder, "0"), ROOT, slow, broken)
        known = None
        if WATCHES and times.first:
            known = without_fault(origin, [*faults], jobs, times.first, whole, kept)
            broken |= known.failing
        # ... with what Python has compiled

        def copied(number: int) -> Workplace:
            return Workplace(Path(folder, str(number)), origin.folder, slow, broken)

        places = [*pool.map(copied, range(1, jobs + 1))]
        judges = Judges(faults, known, times.each, times.limit - (time.monotonic() - start), faults)
        running = [pool.submit(judges.run, place) for place in places]
        try:
            while not all(each.done() for each in running) or not judges.done.empty():
                with suppress(Empty):
                    yield judges.done.get(timeout=1)
            for each in running:
                each.result()
            yield from judges.open
        finally:
            judges.end = 0.0


def recorded(file: Path | None) -> dict[Fault, tuple[Verdict, int | None]]:
    """What is written down of faults: how it ended, and how many tests have run where more would."""
    found: dict[Fault, tuple[Verdict, int | None]] = {}
    if file and file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            each = json.loads(line)
            fault = Fault(*(each[name] for name in OF_FAULT))
            found[fault] = (each["verdict"], None if each["by"] or each["ended"] else each["ran"])
    return found


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--in", dest="places", action="append", default=[], help="draw from paths that begin so")
    parser.add_argument("--at", dest="lines", action="append", default=[], help="PATH:LINE, all there are in a line")
    parser.add_argument("--seconds", type=float, default=1800.0, help="for one fault")
    parser.add_argument("--first", type=float, default=1800.0, help="for all tests without a fault; 0: leave that out")
    parser.add_argument("--limit", type=float, default=10**9, help="seconds for everything")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--slow", action="store_true", help="run the slow tests, too")
    parser.add_argument("--record", type=Path, help="a file for what became of each, a line of JSON each")
    parser.add_argument("--watched", type=Path, help="a file for what the run of all tests has shown")
    chosen = parser.parse_args()
    faults = drawn([*chosen.places, *chosen.lines], 10**9 if chosen.lines else chosen.faults, chosen.seed)
    before = recorded(chosen.record)
    verdicts = Counter(before[each][0] for each in faults if each in before and before[each][1] is None)
    left = {each: before[each][1] if each in before else 0 for each in faults}
    whole = not (chosen.places or chosen.lines)
    times = Times(chosen.first, chosen.seconds, chosen.limit)
    open_faults = {each: ran for each, ran in left.items() if ran is not None}
    judging = judged(open_faults, chosen.jobs, times, chosen.slow, whole, chosen.watched)
    for found in progress(judging, "faults", len(open_faults)):
        verdicts[found.verdict] += 1
        print(found, flush=True)
        if chosen.record:
            with chosen.record.open("a", encoding="utf-8") as file:
                file.write(json.dumps(found.recorded()) + "\n")
    elsewhere = f"{verdicts['elsewhere']} by other tests, {verdicts['survived']} survived"
    print(f"{verdicts['found']} of {len(faults)} faults found by the nearest tests, {elsewhere}; seed {chosen.seed}")
    return int(verdicts["survived"] > 0)


if __name__ == "__main__":
    sys.exit(main())
