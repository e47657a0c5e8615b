"""
The assembler: `tileiras` turns Tile IR bytecode into a cubin. The only file that starts it.

It runs as a process of its own, in a process group of its own, in a private directory that is removed whatever
happens, and under a time limit. It is run once: a failure is reported and never hidden by a second try with other
options. It can be brought down by malformed bytecode, which is one more reason to keep it out of this process.

The Python package `nvidia-cuda-tileiras` is enough: it brings `ptxas` (nvidia-cuda-nvcc) and libNVVM (nvidia-nvvm),
which the assembler finds beside itself (`../bin` and `../lib`), and which a copy therefore must bring along.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal

from freehold.backend.bytecode.encoding import MalformedBytecode
from freehold.backend.errors.assembler import (
    AssemblerCrashed,
    AssemblerMissing,
    AssemblerNotRunnable,
    AssemblerNotThere,
    AssemblerRefused,
    AssemblerTimedOut,
    UnsupportedArchitecture,
)
from freehold.backend.places import locate
from freehold.backend.registers import starving
from freehold.backend.wrong_code import in_clusters, wrong
from freehold.backend.wrong_rows import overfull
from freehold.backend.wrong_scans import mixed
from freehold.support.diagnostic import Error, Rejected
from freehold.support.span import Span

VARIABLE: Final = "FREEHOLD_TILEIRAS"
"""The environment variable that names an assembler."""

_STDERR_KEPT: Final = 64 * 1024
_COPIED: Final = ("tileiras", "tileirdisasm", "ptxas")
_LOCATION: Final = re.compile(r'loc\("((?:[^"\\]|\\.)*)":(\d+):(\d+)\)')
_ERROR: Final = re.compile(r"(?:^|: )error: (.*)$")


@dataclass(frozen=True, slots=True)
class Assembler:
    """A `tileiras` that can be run."""

    path: Path
    package_version: str | None = None
    """The release of the Python package that it comes from, such as `13.5.37`; None where it is another one."""


@dataclass(frozen=True, slots=True)
class AssembleOptions:
    """How to assemble. `flags` is what changes the code; a cache's key holds those and the assembler's version."""

    opt_level: Literal[0, 1, 2, 3] = 3
    line_info: bool = True
    """Keep source lines, for profilers and sanitizers. Costs nothing on the GPU."""
    device_debug: bool = False
    """Full debug information, which turns optimisation off."""
    sanitize: Literal["memcheck"] | None = None
    """Instrument memory accesses."""
    time_limit: float = 300.0
    """Seconds after which the assembler is ended."""

    @property
    def flags(self) -> tuple[str, ...]:
        """The command line's part that decides which code is generated."""
        # -O0 is the only level that the assembler takes together with debug information.
        flags = [f"--opt-level={0 if self.device_debug else self.opt_level}"]
        if self.device_debug:
            flags.append("--device-debug")
        elif self.line_info:
            flags.append("--lineinfo")
        if self.sanitize is not None:
            flags.append(f"--sanitize={self.sanitize}")
        return tuple(flags)


DEFAULT_OPTIONS: Final = AssembleOptions()


def find_assembler(path: str | os.PathLike[str] | None = None) -> Assembler:
    """
    The assembler to use: `path` if given, else the Python package's, else `$FREEHOLD_TILEIRAS`, PATH's, CUDA_HOME's.

    Raises `Rejected` with O401 where there is none, O402 where `path` or the variable names no file, O403 where it
    cannot be made runnable.
    """
    if path is not None:
        return Assembler(_runnable(_existing("path", Path(path))))
    named = os.environ.get(VARIABLE)
    if named:
        _existing(VARIABLE, Path(named))
    return _find(named or None, os.environ.get("PATH"), os.environ.get("CUDA_HOME"), tuple(sys.path))


@cache
def _find(named: str | None, search_path: str | None, cuda_home: str | None, import_path: tuple[str, ...]) -> Assembler:
    found = locate(import_path, named, search_path, cuda_home)
    if found is not None:
        path, release = found
        return Assembler(_runnable(Path(path), release), release)
    places = ("the Python package nvidia-cuda-tileiras", f"`${VARIABLE}`", "`$PATH`", "`$CUDA_HOME/bin`")
    raise Rejected([AssemblerMissing(None, "tileiras", places)])


def _existing(variable: str, path: Path) -> Path:
    if not path.is_file():
        raise Rejected([AssemblerNotThere(None, variable, str(path))])
    return path


def _runnable(path: Path, release: str | None = None) -> Path:
    """`path`, or where it lacks the permission to be run and is not ours to change, a copy that has it."""
    if os.access(path, os.X_OK):
        return path
    try:
        if path.stat().st_uid == os.geteuid():
            for name in (path.name, *_COPIED):
                if (program := path.with_name(name)).is_file():
                    program.chmod(program.stat().st_mode | stat.S_IXUSR)
            return path
        return _copy(path, release)
    except OSError as error:
        problem = AssemblerNotRunnable(None, str(path), str(error))
        raise Rejected([problem.add(problem.Allow())]) from None


def _copy(path: Path, release: str | None) -> Path:
    """A runnable copy in the user's cache directory, with links to the libraries it looks for beside itself."""
    size = path.stat().st_size
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "freehold")
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    owner = base.stat()
    if owner.st_uid != os.geteuid() or owner.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"{base} can be written by others, so no program is kept there")
    root = base / f"tileiras-{release or 'local'}-{size}"
    copied = root / "bin" / path.name
    if copied.is_file() and copied.stat().st_size == size:
        return copied
    building = Path(tempfile.mkdtemp(prefix=".tileiras-", dir=base))
    try:
        (building / "bin").mkdir(mode=0o700)
        for name in (path.name, *_COPIED):
            if (program := path.with_name(name)).is_file():
                shutil.copyfile(program, building / "bin" / name)
                (building / "bin" / name).chmod(0o700)
        for folder in ("lib", "lib64", "nvvm"):
            if (beside := path.parent.parent / folder).is_dir():
                (building / folder).symlink_to(beside.resolve())
        try:
            building.rename(root)
        except OSError:  # another process was first, or a damaged copy is in the way
            if not (copied.is_file() and copied.stat().st_size == size):
                shutil.rmtree(root)
                building.rename(root)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return copied


def assembler_version(assembler: Assembler | None = None) -> str:
    """What tells this assembler from others, for cache keys: `13.5.37`, or the program's own `--version` text."""
    found = find_assembler() if assembler is None else assembler
    return found.package_version or _asked(found.path, "--version").strip()


def supported_versions(assembler: Assembler | None = None) -> tuple[tuple[int, int], ...]:
    """The bytecode versions that it reads, ascending, as (major, minor)."""
    found = find_assembler() if assembler is None else assembler
    listed = re.findall(r"^(\d+)\.(\d+)$", _asked(found.path, "--list-versions"), re.MULTILINE)
    return tuple(sorted((int(major), int(minor)) for major, minor in listed))


def supported_archs(assembler: Assembler | None = None) -> tuple[str, ...]:
    """The architectures that it generates code for, ascending: `("sm_80", ...)`."""
    found = find_assembler() if assembler is None else assembler
    listed = set(re.findall(r"^\s*=(sm_\d+)\b", _asked(found.path, "--help"), re.MULTILINE))
    return tuple(sorted(listed, key=lambda arch: int(arch.removeprefix("sm_"))))


@cache
def _asked(path: Path, question: str) -> str:
    """What the program answers; asked once a process."""
    with tempfile.TemporaryDirectory(prefix="freehold-") as folder:
        outcome = _run([str(path), question], Path(folder), 60.0)
        if outcome.status != 0:
            reason = outcome.stderr.strip() or f"`{question}` failed with status {outcome.status}"
            raise Rejected([AssemblerNotRunnable(None, str(path), reason)])
        return outcome.stdout.decode(errors="replace")


def assemble(
    bytecode: bytes,
    arch: str,
    options: AssembleOptions = DEFAULT_OPTIONS,
    *,
    kernel: str | None = None,
    assembler: Assembler | None = None,
    meanwhile: Callable[[], None] | None = None,
    remarks: tuple[str, Callable[[str], None]] | None = None,
) -> bytes:
    """
    The cubin for `arch` (such as `sm_90`) of a bytecode file.

    `kernel` is named in errors. `remarks` is a category (`all`, `memory`, `tensorcore`) and what takes the assembler's
    remarks of it, as YAML (`backend.remarks`). `meanwhile` is called while the assembler runs; what it raises ends
    that. Raises `Rejected`: O401 to O403 where there is no assembler to run, O404 where it crashed, O405 after
    `options.time_limit` seconds, O406 where it refuses, O407 where it does not know `arch`, O408 where the module uses
    what `arch` does not have, O414 where it made code that does not end, O415, O416 and O418 to O423 where it would
    make wrong code.
    """
    found = find_assembler() if assembler is None else assembler
    subject = "a module" if kernel is None else f"kernel `{kernel}`"
    unread: MalformedBytecode | None = None
    try:
        if errors := wrong(bytecode, arch):
            raise Rejected(errors, kernel)
    except MalformedBytecode as error:  # the assembler refuses it, too, and says more
        unread = error
    with tempfile.TemporaryDirectory(prefix="freehold-") as name:
        folder = Path(name)
        source, target = folder / "module.tileirbc", folder / "module.cubin"
        source.write_bytes(bytecode)
        command = [str(found.path), f"--gpu-name={arch}", *options.flags, f"--output-file={target}", str(source)]
        told = folder / "remarks.yaml"
        if remarks is not None:
            command += [f"--remarks={remarks[0]}", "--remark-format=yaml", f"--remarks-output-file={told}"]
        outcome = _run(command, folder, options.time_limit, meanwhile)
        if outcome.timed_out:
            raise _late(None if unread else bytecode, subject, arch, kernel, options)
        if outcome.status < 0:
            raise Rejected([AssemblerCrashed(None, subject, _signal_name(-outcome.status), arch)], kernel)
        if outcome.status != 0:
            if "Incompatibility with architecture" in outcome.stderr:
                from freehold.backend.capabilities import lacking

                if errors := lacking(bytecode, arch, subject):
                    raise Rejected(errors, kernel)
            raise _refusal(outcome, subject, arch, kernel, found)
        if remarks is not None and told.exists():
            remarks[1](told.read_text(encoding="utf-8", errors="replace"))
        try:
            cubin = target.read_bytes()
        except OSError:
            error = AssemblerRefused(None, subject, arch, "it reported success and wrote no cubin", 0)
            raise Rejected([error], kernel) from None
        if unread is not None:
            raise unread
        if errors := _seen_in_code(cubin, bytecode, arch):
            raise Rejected(errors, kernel)
        return cubin


def _seen_in_code(cubin: bytes, bytecode: bytes, arch: str) -> list[Error]:
    """What is wrong with code that was made without a complaint."""
    found = starving(cubin, bytecode, arch), overfull(cubin, bytecode, arch), mixed(cubin, bytecode, arch)
    return [error for errors in found for error in errors]


def _late(bytecode: bytes | None, subject: str, arch: str, kernel: str | None, options: AssembleOptions) -> Rejected:
    """What is said of an assembler that does not end on a bytecode file, if it can be read."""
    error = AssemblerTimedOut(None, subject, arch, options.time_limit)
    if bytecode is not None and in_clusters(bytecode, arch):
        error.add(error.WithoutClusters())
    return Rejected([error], kernel)


def disassemble(bytecode: bytes, *, debug_info: bool = False, assembler: Assembler | None = None) -> str:
    """
    The text of a bytecode file by `tileirdisasm`, which stands beside the assembler; for tests and tools.

    Raises `Rejected` with O401 where the disassembler is missing, O404 to O406 as `assemble` does.
    """
    found = find_assembler() if assembler is None else assembler
    program = found.path.with_name("tileirdisasm")
    if not program.is_file():
        raise Rejected([AssemblerMissing(None, "tileirdisasm", (str(program),))])
    with tempfile.TemporaryDirectory(prefix="freehold-") as name:
        folder = Path(name)
        source = folder / "module.tileirbc"
        source.write_bytes(bytecode)
        command = [str(_runnable(program)), *(("--print-debug-info",) if debug_info else ()), str(source)]
        outcome = _run(command, folder, DEFAULT_OPTIONS.time_limit)
        if outcome.timed_out:
            raise Rejected([AssemblerTimedOut(None, "a module", "disassembly", DEFAULT_OPTIONS.time_limit)])
        if outcome.status < 0:
            raise Rejected([AssemblerCrashed(None, "a module", _signal_name(-outcome.status), "disassembly")])
        if outcome.status != 0:
            raise _refusal(outcome, "a module", "disassembly", None, found)
        return outcome.stdout.decode(errors="replace")


@dataclass(frozen=True, slots=True)
class _Outcome:
    status: int
    """The exit status; the negative signal number where a signal ended it."""
    stdout: bytes
    stderr: str
    timed_out: bool


def _run(
    command: Sequence[str], folder: Path, time_limit: float, meanwhile: Callable[[], None] | None = None
) -> _Outcome:
    """Runs a program in its own process group, which is ended as a whole in every case."""
    environment = _environment(Path(command[0]), folder)
    with (folder / "stdout").open("wb+") as stdout:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=environment,
                process_group=0,
            )
        except OSError as error:
            raise Rejected([AssemblerNotRunnable(None, command[0], str(error))]) from None
        assert process.stderr is not None
        kept, timed_out, deadline = bytearray(), True, time.monotonic() + time_limit
        try:
            if meanwhile is not None:
                meanwhile()
            timed_out = not _ended(process.pid, process.stderr.fileno(), deadline, kept)
        finally:  # also on KeyboardInterrupt, and after success, for whatever it may have left running
            with contextlib.suppress(ProcessLookupError, PermissionError):
                # It is not reaped yet, so that the number of its group cannot have become anyone else's.
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stderr.close()
        stdout.seek(0)
        return _Outcome(process.returncode, stdout.read(), kept.decode(errors="replace"), timed_out)


def _environment(tool: Path, scratch: Path) -> dict[str, str]:
    """The surroundings of a tool. Its intermediate files go to `scratch`, where they will be removed.

    It prefers the compiler libraries under CUDA_HOME to those beside itself, and fails without a reason where these are
    of an older toolkit; so it is told to use its own where it has them.
    """
    environment = {**os.environ, "TMPDIR": str(scratch)}
    root = tool.resolve().parent.parent
    if any(any((root / folder).glob("libnvvm.so*")) for folder in ("lib", "lib64", "nvvm/lib64")):
        environment["CUDA_HOME"] = str(root)
    return environment


def _ended(pid: int, stderr: int, deadline: float, kept: bytearray) -> bool:
    """Whether a child ends before the deadline. Reads its messages until then and keeps the first part of them."""
    try:
        watched = os.pidfd_open(pid)
    except OSError:  # a kernel, or a sandbox, without it: look again every few milliseconds
        watched = None
    poller = select.poll()  # not `select.select`, which knows descriptors below 1024 alone
    for descriptor in (stderr,) if watched is None else (stderr, watched):
        poller.register(descriptor, select.POLLIN)
    try:
        while (left := deadline - time.monotonic()) > 0:
            # The end is asked for first: what the child wrote before it is then in the pipe.
            ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
            patience = 0 if ended else left if watched is not None else 0.005
            if stderr in [descriptor for descriptor, _ in poller.poll(1e3 * patience)]:
                chunk = os.read(stderr, 65536)
                kept += chunk[: max(0, _STDERR_KEPT - len(kept))]
                if not chunk:
                    poller.unregister(stderr)
            elif ended:
                return True
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    finally:
        if watched is not None:
            os.close(watched)


def _refusal(outcome: _Outcome, subject: str, arch: str, kernel: str | None, found: Assembler) -> Rejected:
    """What the program said, with the Python line where it gives a location."""
    text = outcome.stderr
    if "Cannot find option named" in text and arch in text:
        unsupported = UnsupportedArchitecture(None, arch)
        return Rejected([unsupported.add(unsupported.ChooseOne(", ".join(supported_archs(found))))], kernel)
    for line in text.splitlines():
        if (match := _ERROR.search(line)) is not None:
            span = _span(line[: match.start()])
            error = AssemblerRefused(span, subject, arch, match[1], outcome.status)
            if span is None:
                error.add(error.Said(match[1]))
            return Rejected([error], kernel)
    said = " ".join(text.split())[:400] or "nothing"
    error = AssemblerRefused(None, subject, arch, said, outcome.status)
    return Rejected([error.add(error.Said(said))], kernel)


def _span(printed: str) -> Span | None:
    """The span of a printed location: its first place, and further ones as call sites."""
    span: Span | None = None
    for file, line, column in reversed(_LOCATION.findall(printed)):
        start = max(int(column) - 1, 0)  # columns count from 1 in locations, 0 where there is none
        span = Span(re.sub(r"\\(.)", r"\1", file), int(line), start, int(line), start + 1, span)
    return span


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
