"""
Faults planted in the product's own source, one line at a time, and whether the tests nearest to them find each.

`python test/fuzz/plant.py --faults 60 --seed 0` draws faults from all rooms (`source_faults.py`), runs for each the
tests nearest to its file on a copy of the tree, and lists those that no test has found. `--in PATH` draws from some
files, `--at PATH:LINE` plants all there are in a line, and `--slow` runs the slow tests, too. Status 1: one survived.

All tests run once without a fault, so that it is known which of them execute the lines that are to be changed
(`watching.py`, with Python 3.12 and later). Nearest are the tests that are named as the file, import its module or
import what imports it, and the suites of its folder: in this order those of them run that execute the line, then tests
elsewhere that do, then all of the nearest, as many as end within `--seconds`. A fault counts as found when a test
fails with it that passes without it, and so does one with which a test hangs that ends without it (`HANGS`). A fault
that no test has found when the time is over has survived: more time may find it, and never the other way round.

Mutmut and cosmic-ray do much of this, and do not fit: mutmut wraps each function, which the frontend's fingerprints
see, and wants packages where the rooms are links; cosmic-ray runs one command whatever the file: the whole suite.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from itertools import groupby, takewhile
from pathlib import Path
from queue import SimpleQueue
from typing import Final, Literal

sys.path.insert(0, str(Path(__file__).parent))

from source_faults import Fault, faults_of
from watching import PLUGINS, WATCHES, Watched, pytest, run, watched

from freehold.support.progress import progress

ROOT: Final = Path(__file__).parents[2]
ROOMS: Final = ("support", "dialects", "frontend", "passes", "backend", "runtime", "tools")
SUITES: Final[dict[str, tuple[str, ...]]] = {
    "support": ("test/support", "test/frontend", "test/mistakes"),
    "dialects/cuda_tile": ("test/dialects", "test/lit/dialects/cuda_tile"),
    "dialects": ("test/dialects", "test/lit/dialects", "test/passes"),
    "frontend": ("test/frontend", "test/mistakes"),
    "passes": ("test/lit/passes", "test/passes"),
    "backend": ("test/backend",),
    "runtime/interpreter": ("test/interpreter",),
    "runtime": ("test/runtime",),
    "tools": ("test/tools", "test/lit/tools"),
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
Verdict = Literal["found", "elsewhere", "survived"]


@dataclass(frozen=True)
class Judged:
    """What became of a fault: the test that found it, or all that did not."""

    fault: Fault
    verdict: Verdict
    by: str
    seconds: float


@dataclass(frozen=True)
class Batch:
    """Files or suites of one kind that run in one process, and which of their tests: all, where none is named."""

    targets: Sequence[str]
    tests: Sequence[str] = ()

    @staticmethod
    def of(tests: Sequence[str]) -> Batch:
        """Tests of pytest, by their names."""
        return Batch(list(dict.fromkeys(name.partition("::")[0] for name in tests)), tuple(tests))


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

    def __init__(self, folder: Path, origin: Path, seconds: float, slow: bool):
        self.folder, self.seconds, self.slow = folder, seconds, slow
        self.written = 0
        self.known: Watched | None = None
        self.broken: set[str] = set()
        """Tests that fail without a fault, which are left out from then on."""
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
            options = ["-q", "-j1", "--max-failures=1", *([f"--filter-out={left}"] if left else [])]
            return [sys.executable, "-c", "from lit.main import main; main()", *options, *targets]
        left_out = [f"--deselect={name}" for name in sorted(self.broken)]
        return [*pytest(self.slow), "-x", "-n0", f"--timeout={HANGS}", *left_out, *targets]

    def run(self, batch: Batch, seconds: float) -> str:
        """The first test that fails of a batch, empty where none does in this time."""
        environment = self.environment
        if batch.tests:
            chosen = self.folder / "build" / "chosen"
            chosen.parent.mkdir(exist_ok=True)
            chosen.write_text("\n".join(batch.tests), encoding="utf-8")
            environment = {**environment, "FREEHOLD_CHOSEN": str(chosen)}
        done = run(self.command(batch.targets), self.folder, environment, seconds)
        if done is None or done[0] in (0, 5):  # 5: there is no test but slow ones
            return ""
        failed = re.search(r"^(?:FAILED|ERROR) ([^\s\[]+(?:\[.*?\](?= - |$))?)", done[1], re.MULTILINE)
        listed = re.search(r"^\s*freehold :: (\S+)", done[1], re.MULTILINE)
        return failed[1] if failed else LIT + listed[1] if listed else batch.targets[0]

    def write(self, place: Path, text: bytes) -> None:
        """Writes a file so that Python compiles it anew: what it keeps knows the file by its size and whole seconds."""
        self.written += 1
        place.write_bytes(text)
        os.utime(place, (self.written, self.written))

    def judge(self, fault: Fault) -> Judged:
        """Plants a fault and runs tests until one finds it: the nearest first, then those that execute its line."""
        place, start, near = self.folder / fault.path, time.monotonic(), nearest(fault.path)
        tests = self.known and self.known.of(fault.path, fault.line)
        text, failing = place.read_bytes(), ""
        for _ in range(BROKEN):
            try:
                self.write(place, fault.planted(text))
                failing = self.first_failing(self.batches(near, tests))
            finally:
                self.write(place, text)
            if not failing or not self.run(Batch([failing]), 2 * HANGS):
                break
            self.broken.add(failing)
            failing = ""
        took = time.monotonic() - start
        said = failing or f"{'any' if tests is None else len(tests)} tests execute the line; {', '.join(near[:4])}"
        verdict: Verdict = "survived" if not failing else "found" if is_in(failing, near) else "elsewhere"
        return Judged(fault, verdict, said, took)

    def batches(self, near: Sequence[str], tests: Sequence[str] | None) -> Iterator[Batch]:
        """What is run for a fault: the nearest that execute its line, then others, then all that are near."""
        if tests is not None and self.known is not None:
            last = len(near)
            order = {name: next((n for n, each in enumerate(near) if is_in(name, [each])), last) for name in tests}
            steps = [[name for name in tests if order[name] == n] for n in range(last + 1)]
            yield from grouped([*near, ""], steps, self.known.seconds)
        yield from map(Batch, rounds(near))

    def first_failing(self, batches: Iterator[Batch]) -> str:
        """The first test of several batches that fails; empty where none does in the time there is."""
        end = time.monotonic() + self.seconds
        for batch in batches:
            left = end - time.monotonic()
            if left <= 0:
                break
            if failing := self.run(batch, left):
                return failing
        return ""


def is_in(test: str, places: Iterable[str]) -> bool:
    """Whether a test stands in one of these files or folders."""
    return any(test == place or test.startswith((f"{place}::", f"{place}/")) for place in places)


def grouped(near: Sequence[str], steps: Sequence[Sequence[str]], seconds: Mapping[str, float]) -> Iterator[Batch]:
    """Tests in their order, and lit's where they stand in it; a few seconds at first: most faults are found there."""
    taken, took, most = list[str](), 0.0, FIRST
    for name, tests in zip(near, steps, strict=True):
        if name.startswith(LIT) or not name:  # what is near comes before what is not
            if taken:
                yield Batch.of(taken)
            taken, took = [], 0.0
        if name.startswith(LIT):
            yield Batch([name])
        for test in tests:
            taken.append(test)
            took += seconds[test]
            if took > most:
                yield Batch.of(taken)
                taken, took, most = [], 0.0, 4 * most
    if taken:
        yield Batch.of(taken)


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


def judged(
    faults: Sequence[Fault], jobs: int, seconds: float, slow: bool, first: float, whole: bool
) -> Iterator[Judged]:
    """What becomes of each, as soon as it is known; before that, all tests run without a fault for so many seconds."""
    with tempfile.TemporaryDirectory(prefix="freehold-faults-") as folder, ThreadPoolExecutor(jobs) as pool:
        free: SimpleQueue[Workplace] = SimpleQueue()
        origin = Workplace(Path(folder, "0"), ROOT, seconds, slow)
        places = {(fault.path, fault.line) for fault in faults}
        near = {name for fault in faults for name in nearest(fault.path) if not name.startswith(LIT)}
        known = None
        if WATCHES and first:
            command = [*pytest(slow), *(["test"] if whole else sorted(near))]
            known = watched(origin.folder, places, jobs, first, origin.environment, command)
            failing = f"{len(known.failing)} fail without a fault {' '.join(sorted(known.failing)[:MOST])}"
            print(f"{len(known.seconds)} tests ran in {known.took:.0f} s; {failing}".rstrip(), flush=True)
        for n in range(1, jobs + 1):  # with what Python has compiled
            place = Workplace(Path(folder, str(n)), origin.folder, seconds, slow)
            place.known, place.broken = known, set(known.failing if known else ())
            free.put(place)

        def one(fault: Fault) -> Judged:
            place = free.get()
            try:
                return place.judge(fault)
            finally:
                free.put(place)

        try:
            for done in as_completed([pool.submit(one, fault) for fault in faults]):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--in", dest="places", action="append", default=[], help="draw from paths that begin so")
    parser.add_argument("--at", dest="lines", action="append", default=[], help="PATH:LINE, all there are in a line")
    parser.add_argument("--seconds", type=float, default=180.0, help="for one fault")
    parser.add_argument("--first", type=float, default=1800.0, help="for all tests without a fault; 0: leave that out")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--slow", action="store_true", help="run the slow tests, too")
    chosen = parser.parse_args()
    faults = drawn([*chosen.places, *chosen.lines], 10**9 if chosen.lines else chosen.faults, chosen.seed)
    verdicts: Counter[Verdict] = Counter()
    for found in progress(
        judged(
            faults, chosen.jobs, chosen.seconds, chosen.slow, chosen.first, whole=not (chosen.places or chosen.lines)
        ),
        "faults",
        len(faults),
    ):
        verdicts[found.verdict] += 1
        print(f"{found.verdict:9} {found.seconds:4.0f} s  {found.fault}  ({found.by})", flush=True)
    elsewhere = f"{verdicts['elsewhere']} by other tests, {verdicts['survived']} survived"
    print(f"{verdicts['found']} of {len(faults)} faults found by the nearest tests, {elsewhere}; seed {chosen.seed}")
    return int(verdicts["survived"] > 0)


if __name__ == "__main__":
    sys.exit(main())
