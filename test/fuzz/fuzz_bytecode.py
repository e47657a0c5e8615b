"""
Feeds damaged bytecode to the reader: `python test/fuzz/fuzz_bytecode.py --inputs 2000000`.

Whatever the input, the reader returns a module or raises `MalformedBytecode`, within a second and 512 MiB; a module
that it returns can be written again or is refused with an error, and what was written reads as the same module.
Anything else is a finding: its input is kept in `build/fuzz`, and the exit status is 1.

Inputs come from a mutator that knows the format. Where `atheris` is installed, a tenth of them come from its
coverage-guided engine instead (`--no-atheris` leaves it out).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import resource
import sys
import time
import traceback
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "backend"))

import bytecode_mutator  # noqa: E402
import op_kernels  # noqa: E402

from freehold.backend.bytecode.encoding import MalformedBytecode  # noqa: E402
from freehold.backend.bytecode.reader import bytecode_version, read_bytecode  # noqa: E402
from freehold.backend.bytecode.writer import write_bytecode  # noqa: E402
from freehold.dialects.cuda_tile.version import VERSIONS  # noqa: E402
from freehold.support.diagnostic import Rejected  # noqa: E402

SECONDS = 1.0
"""The longest that one input may take, in CPU time."""
MEMORY = 512 << 20
"""The most memory that inputs may take above what the process has before the first, in bytes."""


class Finding(Exception):
    """What should not have happened."""


def seeds() -> list[bytes]:
    """Files to damage: those of the suite, and every operation in every version that has it."""
    files = [path.read_bytes() for path in sorted((ROOT / "test" / "backend" / "fixtures").glob("*.tileirbc"))]
    for sample in op_kernels.SAMPLES:
        module = op_kernels.module_of([sample])
        lowest = bytecode_version(write_bytecode(module))
        files += [write_bytecode(module, version) for version in VERSIONS if version >= lowest]
    return files


def check(data: bytes) -> bool:
    """Reads an input; whether it was accepted. Raises `Finding`."""
    start = time.process_time()  # not the clock's: the machine may have other things to do
    try:
        module = read_bytecode(data)
    except MalformedBytecode as malformed:
        if not 0 <= malformed.offset <= len(data) or not malformed.reason:
            raise Finding(f"no place or no reason: {malformed!r}") from malformed
        module = None
    except Exception as error:
        raise Finding(f"{type(error).__name__} escaped: {error}") from error
    took = time.process_time() - start
    if took > SECONDS:
        raise Finding(f"{len(data)} bytes took {took:.1f} s")
    if module is None:
        return False
    version = bytecode_version(data)
    try:
        again = write_bytecode(module, version)
    except Rejected:
        return True
    except Exception as error:
        raise Finding(f"what was read cannot be written: {type(error).__name__}: {error}") from error
    second = read_bytecode(again)
    if write_bytecode(second, version) != again:
        raise Finding("what was read and written reads as something else")
    return True


def keep(data: bytes, folder: Path, finding: BaseException) -> None:
    """Writes a finding's input and says what it is."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{hashlib.sha256(data).hexdigest()[:16]}.tileirbc"
    path.write_bytes(data)
    cause = finding.__cause__
    where = "".join(traceback.format_exception(cause)[-3:]) if cause is not None else ""
    print(f"FINDING {path}: {finding}\n{where}", file=sys.stderr)


def structured(inputs: int, seed: int, folder: Path) -> tuple[int, int]:
    """Inputs of the mutator; how many were accepted and how many are findings."""
    random_, files = random.Random(seed), seeds()
    accepted = findings = 0
    for file in files:
        if not check(file):
            raise Finding("a file of the suite is not accepted")
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    start = last = time.monotonic()
    for number in range(1, inputs + 1):
        data = bytecode_mutator.mutate(random_, files)
        try:
            accepted += check(data)
            if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > base + MEMORY:
                base += MEMORY
                raise Finding(f"memory grew by {MEMORY >> 20} MiB")
        except Finding as finding:
            findings += 1
            keep(data, folder, finding)
            if findings >= 20:
                break
        if (now := time.monotonic()) - last > 30:
            last = now
            print(
                f"{number} inputs, {number / (now - start):.0f}/s, {accepted} accepted, {findings} findings", flush=True
            )
    took = time.monotonic() - start
    rate = inputs / max(took, 1e-9)
    print(f"mutator: {inputs} inputs in {took:.0f} s ({rate:.0f}/s), {accepted} accepted, {findings} findings")
    return accepted, findings


def guided(inputs: int, folder: Path) -> int:
    """Inputs of atheris, which ends the process itself."""
    atheris: Any = import_module("atheris")  # an optional tool

    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for file in seeds():
        (corpus / hashlib.sha256(file).hexdigest()[:16]).write_bytes(file)

    def one(data: bytes) -> None:
        check(data)

    atheris.instrument_all()
    atheris.Setup([sys.argv[0], f"-runs={inputs}", f"-artifact_prefix={folder}/", "-timeout=10", str(corpus)], one)
    atheris.Fuzz()
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """The command; its exit status. Does not return where it goes on with atheris."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz", help="where findings are kept")
    parser.add_argument("--no-atheris", action="store_true")
    parser.add_argument("--guided-only", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.guided_only:
        return guided(arguments.inputs, arguments.folder)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    share = 0
    if not arguments.no_atheris and find_spec("atheris") is not None:
        share = arguments.inputs // 10
    _, findings = structured(arguments.inputs - share, arguments.seed, arguments.folder)
    if findings or not share:
        return int(findings > 0)
    # The engine takes over the process it runs in and ends it, with a status of its own where it has a finding.
    sys.stdout.flush()
    options = ["--guided-only", "--inputs", str(share), "--folder", str(arguments.folder)]
    os.execv(sys.executable, [sys.executable, __file__, *options])
    return 0


if __name__ == "__main__":
    sys.exit(main())
