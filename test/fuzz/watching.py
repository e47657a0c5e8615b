"""
Which tests execute a line of the product, what fails before any fault is planted, and how long each test takes.

All tests run once (`watched`), in as many processes as there are cores, and `watched/sitecustomize.py` writes down who
comes by the lines of the faults. A test that does not execute a line cannot find a fault in it, with exceptions: what a
test before it has left in a cache, and what is executed as a module is imported, by no test. `plant.py` sees to both.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
PLUGINS: Final = HERE / "watched"
WATCHES: Final = sys.version_info >= (3, 12)
"""Whether this Python can watch lines."""
Place = tuple[str, int]
"""A file from the tree's folder, and a line of it."""


@dataclass
class Watched:
    """What a run of all tests has shown."""

    executing: dict[Place, tuple[str, ...]]
    """The tests that execute a line; an empty name where it is executed as the module is imported, or outside tests."""
    seconds: dict[str, float]
    failing: set[str]
    took: float
    """The seconds that the run took."""
    said: str = ""
    """What the commands have written."""

    @property
    def passing(self) -> set[str]:
        """The tests that pass without a fault."""
        return {*self.seconds} - self.failing

    def of(self, path: str, line: int) -> tuple[str, ...] | None:
        """The tests that execute a line of a function and pass without a fault; None where any test may see it."""
        found = self.executing.get((path, line), ())
        if "" in found:
            return None
        return tuple(name for name in found if name in self.seconds and name not in self.failing)

    def keep(self, file: Path) -> None:
        """Writes it down."""
        executing = [[*place, *names] for place, names in self.executing.items()]
        kept = {"executing": executing, "seconds": self.seconds, "failing": sorted(self.failing), "took": self.took}
        file.write_text(json.dumps(kept), encoding="utf-8")

    @staticmethod
    def kept(file: Path) -> Watched:
        """What was written down."""
        kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        executing = {(path, line): tuple(names) for path, line, *names in kept["executing"]}
        return Watched(executing, kept["seconds"], {*kept["failing"]}, kept["took"])


def with_instructions(path: Path, lines: Iterable[int]) -> dict[int, int]:
    """For each line of a file the line at or before it that has instructions of its own."""
    codes, known = [compile(path.read_bytes(), str(path), "exec")], set[int]()
    while codes:
        code = codes.pop()
        known |= {line for _, _, line in code.co_lines() if line}
        codes += [each for each in code.co_consts if isinstance(each, type(code))]
    return {line: max((each for each in known if each <= line), default=line) for line in lines}


def watched(
    folder: Path,
    places: Mapping[Place, Collection[Place]],
    seconds: float,
    environment: dict[str, str],
    commands: Sequence[Sequence[str]],
) -> Watched:
    """
    Runs commands in the tree of a folder, as much of them as ends in this time, and watches lines of its files.

    Who executes one of the lines that stand with a place counts as executing that place, too.
    """
    notes = folder / "build" / "watched"
    notes.mkdir(parents=True)
    wanted: dict[str, list[int]] = {}
    for path, line in {*places, *(each for others in places.values() for each in others)}:
        wanted.setdefault(path, []).append(line)
    asked = {path: with_instructions(folder / path, lines) for path, lines in wanted.items()}
    texts = [f"{(folder / path).resolve()}:{line}\n" for path, lines in asked.items() for line in set(lines.values())]
    (notes / "asked").write_text("".join(texts), encoding="utf-8")
    for name in ("executed", "ended"):
        (notes / name).touch()
    changes = {"FREEHOLD_WATCHED": str(notes), "FREEHOLD_ENDED": str(notes / "ended")}
    start, said = time.monotonic(), ""
    for command in commands:
        done = run(command, folder, {**environment, **changes}, max(1.0, start + seconds - time.monotonic()))
        said += done[1] if done else ""
    executed: dict[str, set[str]] = {}
    for note in (notes / "executed").read_text(encoding="utf-8").splitlines():
        place, _, test = note.partition("\t")
        executed.setdefault(place, set()).add(test)
    took, failing = dict[str, float](), set[str]()
    for note in (notes / "ended").read_text(encoding="utf-8").splitlines():
        outcome, duration, test = note.split("\t", 2)
        took[test] = took.get(test, 0.0) + float(duration)
        failing |= {test} if outcome == "failed" else set()

    def who(path: str, line: int) -> set[str]:
        return executed.get(f"{(folder / path).resolve()}:{asked[path][line]}", set())

    executing = {
        place: tuple(sorted(who(*place).union(*(who(*other) - {""} for other in others))))
        for place, others in places.items()
    }
    return Watched(executing, took, failing, time.monotonic() - start, said)


def in_parallel(jobs: int) -> list[str]:
    """What makes pytest run tests in several processes."""
    return ["-n", str(jobs), "--dist", "worksteal", "--timeout=120"]


def pytest(slow: bool) -> list[str]:
    """The command of every run, without its targets, and without a plugin that warns of tests in several processes."""
    chosen = [] if slow else ["-m", "not slow"]
    plugins = ("no:cacheprovider", "no:benchmark", "chosen_tests")
    return [sys.executable, "-m", "pytest", *chosen, "-q", *(word for name in plugins for word in ("-p", name))]


def run(command: Sequence[str], folder: Path, environment: dict[str, str], seconds: float) -> tuple[int, str] | None:
    """The status and the output of a command; None where it did not end in this time, and it and all it started do."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as started:
        try:
            output, _ = started.communicate(timeout=max(0.0, seconds))
        except subprocess.TimeoutExpired:
            return None
        finally:
            if started.poll() is None:
                os.killpg(started.pid, 9)
    return started.returncode, output
