"""Runs a program that launches kernels of cuTile Python, and audits each kind of launch once: `tile-audit --record`."""

from __future__ import annotations

import os
import re
import runpy
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, cast

from freehold.runtime.gpu.driver import gpu_available
from freehold.support.diagnostic import Rejected
from freehold.tools.pretend_gpu import pretend
from freehold.tools.record import Launch, OnGPU, address_of, recording

if TYPE_CHECKING:
    from freehold.audit.facts import Launch as Facts
    from freehold.audit.verdict import Audit


class CommandError(Exception):
    """A command that starts no program of Python; says why."""


@dataclass(frozen=True)
class Recorded:
    """What came of a program."""

    program: str
    """Its file, or its name as a module."""
    audits: list[Audit]
    failed: str | None
    """In what it ended, if not well."""
    missed: list[str]
    """Launches that were not audited, each with the reason."""


def run_program(command: Sequence[str], *, interpret: bool = False) -> Recorded:
    """Runs a program of Python with its arguments, and audits what it launches.

    `command` is what a shell is given: `train.py --epochs 1`, with or without `python` in front, or `python -m train`.
    Launches go to the GPU as the program means it, each after its audit. Where there is none, or with `interpret`,
    they are carried out on the interpreter where nothing wrong was found with them, so that the program goes on.

    Raises `ImportError` where cuTile Python is not installed, `OSError` where there is no such program, and
    `CommandError` where it is none of Python's.
    """
    module, arguments = _program(command)
    if not module:
        with open(arguments[0], "rb"):
            pass
    import_module("freehold.audit.verdict")  # `pretend` forgets what is imported while it lasts
    watcher = _Watcher(on_gpu=not interpret and gpu_available())
    given, path = sys.argv, sys.path[0]
    failed = None
    with ExitStack() as stack:
        if not watcher.on_gpu:
            if find_spec("torch") is not None:
                import_module("torch")  # so that it is told of the GPU, too
            stack.enter_context(pretend())
        missed = watcher.not_recorded if watcher.on_gpu else None
        stack.enter_context(recording(watcher.launched, passed_on=watcher.on_gpu, missed=missed))
        sys.argv = list(arguments)
        sys.path[0] = os.getcwd() if module else os.path.dirname(arguments[0]) or "."
        try:
            if module:
                runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
            else:
                runpy.run_path(arguments[0], run_name="__main__")
        except SystemExit as ended:
            failed = f"status {ended.code}" if ended.code not in (None, 0) else None
        except Exception as error:  # the program's own, whatever it is: what was launched before is told
            failed = f"{type(error).__name__}: {error}"
        finally:
            sys.argv, sys.path[0] = given, path
    return Recorded(arguments[0], list(watcher.found.values()), failed, watcher.missed)


_PYTHON: Final = re.compile(r"(python|pypy)[0-9.]*(\.exe)?", re.IGNORECASE)


def _program(command: Sequence[str]) -> tuple[bool, Sequence[str]]:
    """Whether it is a module, and its file or its name, followed by its arguments. Raises `CommandError`."""
    if not _PYTHON.fullmatch(os.path.basename(command[0])):
        return False, command
    rest = command[1:]
    if not rest:
        raise CommandError(f"`{command[0]}` is given no program")
    if rest[0] == "-m" and len(rest) > 1:
        return True, rest[1:]
    if rest[0].startswith("-"):
        raise CommandError(f"`{rest[0]}` is an option of Python's: give the program alone, or `-m` and a module")
    return False, rest


class _Watcher:
    def __init__(self, *, on_gpu: bool) -> None:
        self.on_gpu = on_gpu
        self.found: dict[object, Audit] = {}
        self.missed: list[str] = []

    def launched(self, launch: Launch) -> None:
        """Audits a launch, if none of its kind was, and carries it out where no GPU does."""
        key = _kind(launch)
        if key not in self.found:
            self.found[key] = audit_of(launch)
        if not self.on_gpu and self.found[key].verdict != "faulty":
            try:
                launch.run()
            except Rejected:
                return  # what does not run here is not carried out; the audit has said what it knows

    def not_recorded(self, kernel: str, error: Exception) -> None:
        """Keeps the reason why a launch is not audited, once."""
        said = f"a launch of `{kernel}` is not audited: {error}"
        if said not in self.missed:
            self.missed.append(said)


def audit_of(launch: Launch) -> Audit:
    """The audit of a recorded launch; nothing is decided of one with arguments of kinds that are not known."""
    from freehold.audit.facts import FactsError
    from freehold.audit.verdict import audit, unread
    from freehold.backend.bytecode.reader import read_bytecode
    from freehold.dialects.cuda_tile.ops.module import EntryOp

    module = read_bytecode(launch.bytecode)
    entries = {op.sym_name.data: op for op in module.walk() if isinstance(op, EntryOp)}
    entry = entries[launch.symbol]
    try:
        return audit(module, entry, facts_of(launch))
    except FactsError as error:
        return unread(entry, launch.grid, str(error))


def facts_of(launch: Launch) -> Facts:
    """The facts of a recorded launch. Raises `FactsError` for arguments of kinds that are not known here."""
    from freehold.audit.facts import launch_of

    names = [_name(each.parameter, each.kind, each.axis) for each in launch.given]
    return launch_of(launch.grid, [_fact(each.value) for each in launch.given], names)


def _fact(value: Any) -> Any:
    """What the audit takes for an argument: of an array on a GPU, what is known of it."""
    from freehold.audit.facts import recorded

    if isinstance(value, list):
        return [_fact(word) for word in cast("list[Any]", value)]
    if not isinstance(value, OnGPU):
        return value
    return recorded("", value.dtype, value.shape, value.strides, value.address, value.contents)


def _name(parameter: str, kind: str, axis: int) -> str:
    return f"{parameter}.{kind}[{axis}]" if kind in ("extent", "stride") else parameter


def _kind(launch: Launch) -> object:
    """What makes launches one: the code, the grid, shapes, strides and numbers, and how arrays lie to one another."""
    facts: list[object] = []
    first: dict[int, int] = {}
    for number, each in enumerate(launch.given):
        found = each.value
        if each.kind == "pointer":
            place = first.setdefault(address_of(found), number)
            facts.append((found.shape, found.strides, str(found.dtype), place))
        else:
            facts.append(str(found) if each.kind != "table" else len(found))
    return launch.bytecode, launch.symbol, launch.grid, tuple(facts)
