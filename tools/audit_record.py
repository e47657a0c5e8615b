"""Runs a program that launches kernels of cuTile Python, and audits each kind of launch once: `tile-audit --record`."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from freehold.support.diagnostic import Rejected
from freehold.tools.pretend_gpu import pretend
from freehold.tools.record import Launch, recording

if TYPE_CHECKING:
    from freehold.audit.facts import Launch as Facts
    from freehold.audit.verdict import Audit


def run_program(command: Sequence[str]) -> tuple[list[Audit], str | None]:
    """Runs `command`, a Python file with its arguments, and audits what it launches.

    No GPU is used: launches are carried out on the interpreter where nothing wrong was found with them, so that the
    program goes on. Returns the audits, and in what the program ended if not well. Raises `ImportError` where
    cuTile Python is not installed, `OSError` where there is no such program.
    """
    with open(command[0], "rb"):
        pass
    import_module("freehold.audit.verdict")  # `pretend` forgets what is imported while it lasts
    watcher = _Watcher()
    arguments, path = sys.argv, sys.path[0]
    failed = None
    with ExitStack() as stack:
        if find_spec("torch") is not None:
            import_module("torch")  # so that it is told of the GPU, too
        stack.enter_context(pretend())
        stack.enter_context(recording(watcher.launched))
        sys.argv = list(command)
        sys.path[0] = str(command[0]).rpartition("/")[0] or "."
        try:
            runpy.run_path(command[0], run_name="__main__")
        except SystemExit as ended:
            failed = f"status {ended.code}" if ended.code not in (None, 0) else None
        except Exception as error:  # the program's own, whatever it is: what was launched before is told
            failed = f"{type(error).__name__}: {error}"
        finally:
            sys.argv, sys.path[0] = arguments, path
    return list(watcher.found.values()), failed


class _Watcher:
    def __init__(self) -> None:
        self.found: dict[object, Audit] = {}

    def launched(self, launch: Launch) -> None:
        """Audits a launch, if none of its kind was, and carries it out."""
        key = _kind(launch)
        if key not in self.found:
            self.found[key] = audit_of(launch)
        if self.found[key].verdict != "faulty":
            try:
                launch.run()
            except Rejected:
                return  # what does not run here is not carried out; the audit has said what it knows


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
    return launch_of(launch.grid, [each.value for each in launch.given], names)


def _name(parameter: str, kind: str, axis: int) -> str:
    return f"{parameter}.{kind}[{axis}]" if kind in ("extent", "stride") else parameter


def _kind(launch: Launch) -> object:
    """What makes launches one: the code, the grid, shapes, strides and numbers, and how arrays lie to one another."""
    facts: list[object] = []
    first: dict[int, int] = {}
    for number, each in enumerate(launch.given):
        found = each.value
        if each.kind == "pointer":
            place = first.setdefault(found.ctypes.data, number)
            facts.append((found.shape, found.strides, str(found.dtype), place))
        else:
            facts.append(str(found) if each.kind != "table" else len(found))
    return launch.bytecode, launch.symbol, launch.grid, tuple(facts)
