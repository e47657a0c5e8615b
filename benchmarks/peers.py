"""A peer's own tests on Freehold's interpreter: `python -m benchmarks.peers --cutile PATH --tilegym PATH`.

The paths are checkouts that you have, of cuTile Python and of TileGym; cuda-tile 1.7 and torch must be installed, a GPU
need not be there. Each of their test files is run by pytest in a process of its own, in which every launch is exported
as bytecode by cuTile Python, read and interpreted here, in place of a GPU (`tools.record`, `tools.pretend_gpu`). Then
the test itself compares the results. A test of which a launch could not be carried out counts as such, not as passed.
A launch may take 20 seconds, or as many as FREEHOLD_PEERS_SECONDS says; with 0, kernels are read and written alone.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDERS: Final = {"cutile": "test", "tilegym": "tests"}
COUNTED: Final = ("files", "launches", "kernels", "tests")
LEFT_OUT: Final = (
    "test_cudagraph.py",
    "test_concurrent_launch.py",
    "test_jax.py",
    "test_tune.py",
    "tools",
    "benchmark",
)
"""Tests of what is the GPU's or another framework's."""


def files_of(folder: Path) -> list[Path]:
    """The test files of a peer."""
    return [
        path for path in sorted(folder.rglob("test_*.py")) if not set(LEFT_OUT) & set(path.relative_to(folder).parts)
    ]


def run(peer: str, folder: Path, file: Path, minutes: float, select: str) -> dict[str, Any]:
    """What became of one test file."""
    with tempfile.NamedTemporaryFile(suffix=".json") as table:
        sources = [str(ROOT / "src"), str(ROOT), str(folder.parent / "src")] if peer == "tilegym" else []
        paths = [*(sources or [str(ROOT / "src"), str(ROOT)]), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "FREEHOLD_PEERS": table.name, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "benchmarks.peer_plugin", "-p", "no:cacheprovider"]
        command += ["-p", "no:xdist", "-c", os.devnull, f"--rootdir={folder}", "-k", select, str(file)]
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60 * minutes
            )
        except subprocess.TimeoutExpired:
            return {**json.loads(table.read() or b"{}"), "files": {"took too long": 1}}
        written = table.read()
        found: dict[str, Any] = json.loads(written) if written else {}
        found["files"] = {"ran" if found.get("tests") else "without tests": 1}
        if not found.get("tests") and done.returncode not in (0, 5):
            found["files"] = {"not importable here": 1}
            lines = [line for line in done.stdout.splitlines() if line.startswith("E  ")]
            found["failed"] = {file.name: "\n".join(lines[-3:] or done.stderr.splitlines()[-3:])}
        return found


def main(argv: list[str] | None = None) -> int:
    """Prints the tables; the status is 1 where a test failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cutile", type=Path, metavar="PATH", help="a checkout of NVIDIA/cutile-python")
    parser.add_argument("--tilegym", type=Path, metavar="PATH", help="a checkout of NVIDIA/TileGym")
    parser.add_argument("--cuda-tile", type=Path, metavar="PATH", help="a checkout of NVIDIA/cuda-tile")
    parser.add_argument("--file", action="append", default=[], metavar="NAME", help="only test files of this name")
    parser.add_argument("-k", default="", metavar="EXPRESSION", help="only tests that pytest selects by it")
    parser.add_argument("--minutes", type=float, default=30, help="for one file; 30 if left out")
    parser.add_argument("-j", type=int, default=1, help="how many files at once")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything there is to know")
    parser.add_argument(
        "--round-trip",
        action="store_true",
        help="read and write what is launched, too, each kernel once, and compare the disassemblies",
    )
    options = parser.parse_args(argv)
    if options.round_trip:
        os.environ["FREEHOLD_PEERS_ROUND_TRIP"] = "1"
    everything: dict[str, Any] = {}
    for peer, part in FOLDERS.items():
        checkout: Path | None = getattr(options, peer)
        if checkout is None:
            continue
        folder = checkout.resolve() / part
        files = [path for path in files_of(folder) if not options.file or path.name in options.file]
        total: dict[str, Any] = {what: collections.Counter[str]() for what in COUNTED}
        total |= {"failed": dict[str, str](), "refused": dict[str, list[str]]()}
        everything[peer] = total
        work = partial(run, peer, folder, minutes=options.minutes, select=options.k)
        with ThreadPoolExecutor(options.j) as pool:
            results = pool.map(work, files)
            for file, result in zip(files, results, strict=True):
                add(total, result)
                print(f"{peer} {file.name}: {line(result.get('tests', {})) or line(result['files'])}", flush=True)
        for what in COUNTED:
            print(f"{peer}, {what}: {line(total[what])}")
    if options.cuda_tile is not None:
        from benchmarks.peers_cuda_tile import table

        everything["cuda-tile"] = table(options.cuda_tile.resolve(), options.file)
    if not everything:
        parser.error("give --cutile, --tilegym or --cuda-tile")
    if options.json:
        options.json.write_text(json.dumps(everything, indent=1), encoding="utf-8")
    return int(any(total["failed"] for total in everything.values() if "failed" in total))


def add(total: dict[str, Any], result: dict[str, Any]) -> None:
    """Adds what became of one file."""
    for what in COUNTED:
        total[what].update(result.get(what, {}))
    total["failed"].update(result.get("failed", {}))
    for what, texts in result.get("refused", {}).items():
        total["refused"].setdefault(what, []).extend(texts)


def line(counts: dict[str, int]) -> str:
    """Counts in one line, the largest first."""
    return ", ".join(f"{count} {what}" for what, count in sorted(counts.items(), key=lambda item: -item[1]))


if __name__ == "__main__":
    sys.exit(main())
