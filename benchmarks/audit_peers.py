"""Other people's kernels in cuTile Python, audited: `python -m benchmarks.audit_peers --cutile PATH --tilegym PATH`.

The paths are checkouts that you have: of cuTile Python, TileGym, Liger-Kernel, FlashInfer. cuda-tile 1.7 and torch must
be installed, a GPU need not be there. Three steps, each from what the one before left in `--keep FOLDER`:

1. Every test file of theirs that launches kernels of cuTile Python is run by pytest in a process of its own. What it
   launches is written down, bytecode and launch facts, and carried out on the interpreter (`benchmarks.audit_plugin`).
2. Each module is audited in its launch, and timed.
3. Mutants of each are audited (`benchmarks.audit_mutants`): what is called safe is run on the interpreter with races,
   order and bounds watched.

`--markdown FILE` writes the table of docs/audit.md.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import pickle
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from xdsl.dialects.builtin import ModuleOp

from benchmarks.audit_mutants import mutants, valid
from benchmarks.limits import TooLong, limited
from freehold.audit.facts import Launch, call_of
from freehold.audit.replay import ending
from freehold.audit.text import text_of
from freehold.audit.verdict import audit
from freehold.backend.bytecode.reader import read_bytecode
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.text import print_module
from freehold.dialects.location import span_of

ROOT: Final = Path(__file__).resolve().parents[1]
LEFT_OUT: Final = (
    "test_cudagraph.py", "test_concurrent_launch.py", "test_jax.py", "test_tune.py", "tools", "benchmark",
    "tilecpp", "cutile_rs",
)  # fmt: skip
"""Tests of what is the GPU's or another framework's."""


QUICK: Final = 0.5
"""Seconds of an audit, of which mutants are made: larger launches are too large to be run."""
SECONDS: Final = 3
"""How long the interpreter may take for a mutant."""
AUDIT_SECONDS: Final = 600
"""How long an audit may take."""
CRASHED: Final = "the audit ended in"


@dataclass(frozen=True)
class Peer:
    """Whose kernels, and where their tests are in a checkout."""

    name: str
    title: str
    tests: tuple[str, ...]
    paths: tuple[str, ...]
    """Folders to import from."""
    environment: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()
    """Of programs that are no tests."""


PEERS: Final = (
    Peer("tilegym", "TileGym", ("tests/**/test_*.py",), ("src", "")),
    Peer("liger", "Liger-Kernel", ("test/transformers/test_*.py",), ("src", ""), (("LIGER_KERNEL_IMPL", "cutile"),)),
    Peer("flashinfer", "FlashInfer", ("tests/**/test_*.py",), ("",)),
    Peer(
        "cutile", "cuTile Python", ("test/test_*.py", "samples/[A-Z]*.py", "samples/quickstart/*.py"), ("test", ""),
        arguments=("--correctness-check",),
    ),
)  # fmt: skip


def files_of(peer: Peer, checkout: Path) -> list[Path]:
    """The test files of a peer that may launch kernels of cuTile Python."""
    found = dict.fromkeys(path for part in peer.tests for path in sorted(checkout.glob(part)))
    return [path for path in found if not set(LEFT_OUT) & set(path.relative_to(checkout).parts)]


def record(peer: Peer, checkout: Path, folder: Path, minutes: float, file: Path) -> str:
    """Runs a test file and writes down what it launches; what became of it, in words."""
    mark = str(file.relative_to(checkout))
    done = folder / f"{hashlib.sha256(mark.encode()).hexdigest()[:24]}.tests"
    if done.exists():
        return "known"
    paths = [str(ROOT / "src"), *(str(checkout / p) for p in peer.paths), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ, **dict(peer.environment), "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "FREEHOLD_AUDIT_CASES": str(folder), "FREEHOLD_AUDIT_FILE": mark,
    }  # fmt: skip
    command = [sys.executable, str(ROOT / "benchmarks" / "audit_run.py")]
    if file.name.startswith("test_"):
        command += ["pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-c", os.devnull]
        command += [f"--rootdir={checkout}", str(file)]
    else:
        command += ["program", str(file), *peer.arguments]
    before = len(list(folder.glob("*.case")))
    try:
        ran = subprocess.run(
            command, cwd=file.parent, env=environment, capture_output=True, text=True, timeout=60 * minutes
        )
        if not done.exists() or json.loads(done.read_text())["counts"] == {}:
            lines = [line for line in ran.stdout.splitlines() if line.startswith("E  ")]
            return "\n".join(["not run:", *(lines[-3:] or (ran.stderr or ran.stdout).splitlines()[-3:])])
    except subprocess.TimeoutExpired:
        return f"stopped after {minutes:g} minutes, {len(list(folder.glob('*.case'))) - before} modules"
    counts = json.loads(done.read_text())["counts"]
    return f"{len(list(folder.glob('*.case'))) - before} modules; {counts}"


@dataclass
class Row:
    """What became of one module."""

    kernel: str
    file: str
    verdict: str
    causes: list[str]
    alarms: int
    seconds: float
    findings: list[str]
    mutants: Counter[str] = field(default_factory=Counter[str])


def survived(path: Path, checkout: Path, count: int, rng: random.Random) -> Row:
    """`audited` of a recorded launch; a crash, or an audit that does not end, is told of and ends nothing else."""
    case: dict[str, Any] = {"kernel": path.stem, "test": ""}
    try:
        case = pickle.loads(path.read_bytes())
        return audited(case, checkout, count, rng)
    except Exception as error:
        traceback.print_exc()
        file = case["test"].partition("::")[0]
        return Row(case["kernel"], file, "unknown", [f"{CRASHED} {type(error).__name__}"], 0, 0.0, [])


def named(file: str, checkout: Path) -> str:
    """A file as the page has it: from the checkout on; of one that a test wrote, its folder, which is named after the
    test, and its name."""
    path = Path(file)
    if path.is_relative_to(checkout):
        return str(path.relative_to(checkout))
    return f"{path.parent.name}/{path.name}" if path.is_absolute() else file


def audited(case: dict[str, Any], checkout: Path, count: int, rng: random.Random) -> Row:
    """Audits a recorded launch, and mutants of its module."""
    began = time.process_time()
    module = read_bytecode(case["bytecode"])
    entry = next(op for op in module.walk() if isinstance(op, EntryOp) and op.sym_name.data == case["symbol"])
    span = span_of(entry)
    file = span.file if span is not None else case["test"].partition("::")[0]
    row = Row(case["kernel"], named(file, checkout), "unknown", [], 0, 0.0, [])
    launch = case["launch"]
    if launch is None:
        row.causes = [plain(case["why"])]
        return row
    with limited(AUDIT_SECONDS):
        found = audit(module, entry, launch)
    row.seconds = time.process_time() - began
    row.verdict, row.alarms = found.verdict, sum(item.alarm for item in found.open)
    row.causes = list(dict.fromkeys(plain(item.why) for item in found.open))
    row.findings = [text_of(found)] if found.findings else []
    if found.verdict == "safe" and row.seconds < QUICK:
        for kind, other in itertools.islice(mutants(entry, launch, rng), count):
            row.mutants[f"{kind}: {mutant(module, entry, other)}"] += 1
    return row


def mutant(module: ModuleOp, entry: EntryOp, launch: Launch) -> str:
    """What becomes of a mutant: the verdict, and of what is called safe how its run ended."""
    if not valid(module):
        return "invalid"
    try:
        with limited(60):
            verdict = audit(module, entry, launch).verdict
    except TooLong:
        return "unknown"
    except Exception as error:
        traceback.print_exc()
        return f"{CRASHED} {type(error).__name__}"
    if verdict != "safe":
        return verdict
    try:
        with limited(SECONDS):
            error = ending(module, entry.sym_name.data, call_of(entry, launch), 1 << 20)
    except TooLong:
        error = None
    if error:
        print(f"called safe, and ends in {error}:\n{print_module(module)}\n{launch}", file=sys.stderr)
    return "safe, not run to its end" if error is None else f"safe, and ends in {error}" if error else "safe, ran well"


def plain(why: str) -> str:
    """A cause without the names and numbers of one kernel."""
    return re.sub(r"\b\d+\b", "N", re.sub(r"`[^`]*`", "`…`", why.partition(", if it happens: ")[2] or why))


def table(peer: Peer, commit: str, rows: list[Row], counts: Counter[str]) -> list[str]:
    """The part of the page about one peer."""
    modules, kernels = len(rows), {(row.file, row.kernel) for row in rows}
    verdicts = Counter(row.verdict for row in rows)
    times = sorted(row.seconds for row in rows if row.seconds) or [0.0]
    lines = [f"## {peer.title}", ""]
    lines += [f"Commit {commit}. {len(kernels)} kernels, {modules} modules of them. {line(counts)}.", ""]
    decided = modules - verdicts["unknown"]
    lines += [
        "| kernels | modules | decided | safe | wrong | not decided | alarms not replayed | median | p95 |",
        "|---|---|---|---|---|---|---|---|---|",
        f"| {len(kernels)} | {modules} | {decided} ({decided / max(modules, 1):.1%}) | {verdicts['safe']} "
        f"| {verdicts['faulty']} | {verdicts['unknown']} | {sum(bool(row.alarms) for row in rows)} "
        f"| {1000 * statistics.median(times):.0f} ms | {1000 * times[int(0.95 * (len(times) - 1))]:.0f} ms |",
        "",
        "| kernel | file | modules | safe | wrong | not decided | why |",
        "|---|---|---|---|---|---|---|",
    ]
    for file, kernel in sorted(kernels):
        own = [row for row in rows if (row.file, row.kernel) == (file, kernel)]
        each = Counter(row.verdict for row in own)
        why = "; ".join(dict.fromkeys(cause for row in own for cause in row.causes))
        lines.append(
            f"| `{kernel}` | {file} | {len(own)} | {each['safe']} | {each['faulty']} | {each['unknown']} | {why} |"
        )
    return [*lines, ""]


def mutant_table(rows: list[Row]) -> list[str]:
    """The part of the page about mutants."""
    total = sum((row.mutants for row in rows), Counter[str]())
    whats = sorted({key.partition(": ")[2] for key in total})
    lines = ["## Mutants", "", f"| change | {' | '.join(whats)} |", f"|---|{'---|' * len(whats)}"]
    for kind in ("token", "index", "mask", "grid"):
        lines.append(f"| {kind} | {' | '.join(str(total[f'{kind}: {what}']) for what in whats)} |")
    return [*lines, ""]


def line(counts: Counter[str]) -> str:
    """Counts in one line, the largest first."""
    return ", ".join(f"{count} {what}" for what, count in counts.most_common())


def counts_of(folder: Path) -> Counter[str]:
    """What became of the tests of a peer."""
    total: Counter[str] = Counter()
    for path in folder.glob("*.tests"):
        total.update(json.loads(path.read_text())["counts"])
    return Counter({what: n for what, n in total.items() if not what.startswith("ended")})


def commit_of(checkout: Path) -> str:
    """The commit of a checkout, if git knows it."""
    found = subprocess.run(["git", "-C", checkout, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    return found.stdout.strip() or "not known"


def recorded(peer: Peer, checkout: Path, folder: Path, options: argparse.Namespace) -> None:
    """The first step."""
    files = [path for path in files_of(peer, checkout) if not options.file or path.name in options.file]
    with ThreadPoolExecutor(options.j) as pool:
        work = partial(record, peer, checkout, folder, options.minutes)
        for file, what in zip(files, pool.map(work, files), strict=True):
            print(f"{peer.name} {file.relative_to(checkout)}: {what}", flush=True)


def main(argv: list[str] | None = None) -> int:
    """The command; its exit status is 1 where an audit crashed, or a mutant is called safe and is not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for peer in PEERS:
        parser.add_argument(f"--{peer.name}", type=Path, metavar="PATH", help=f"a checkout of {peer.title}")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where to keep what was recorded, for another run")
    parser.add_argument("--minutes", type=float, default=15, help="for one test file; 15 if left out")
    parser.add_argument("--file", action="append", default=[], metavar="NAME", help="only test files of this name")
    parser.add_argument("--mutants", type=int, default=4, metavar="N", help="of a module that is safe; 4 if left out")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables")
    parser.add_argument("-j", type=int, default=1, help="how many test files at once")
    options = parser.parse_args(argv)
    lines: list[str] = []
    every: list[Row] = []
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as scratch:
        keep: Path = (options.keep or Path(scratch)).resolve()
        for peer in PEERS:
            if (given := getattr(options, peer.name)) is None:
                continue
            checkout, folder = given.resolve(), keep / peer.name
            folder.mkdir(parents=True, exist_ok=True)
            recorded(peer, checkout, folder, options)
            rows: list[Row] = []
            for path in sorted(folder.glob("*.case")):
                rows.append(survived(path, checkout, options.mutants, rng))
                print(path.stem[:12], rows[-1], flush=True)
            lines += table(peer, commit_of(checkout), rows, counts_of(folder))
            every += rows
    lines += mutant_table(every)
    print("\n".join(lines))
    if options.markdown:
        options.markdown.write_text("\n".join(lines), encoding="utf-8")
    wrong = ("ends in", CRASHED)
    return int(any(what in key for row in every for key in (*row.mutants, *row.causes) for what in wrong))


if __name__ == "__main__":
    sys.exit(main())
