"""
Writes down which test executes which of the lines that `watching.py` asks for, in every process that a test starts.

Python imports this file when it starts, because its folder stands on `PYTHONPATH`. Without `FREEHOLD_WATCHED` it does
nothing. Lines are watched by `sys.monitoring`, which Python has from 3.12 on: a function without such a line costs one
call, whatever it does.
"""

from __future__ import annotations

import os
import sys
from types import CodeType
from typing import Any


def watch(folder: str) -> None:
    """Watches the lines of `folder/asked`, `PATH:LINE` each; appends it, a tab and the test to `folder/executed`."""
    asked: dict[str, set[int]] = {}
    with open(os.path.join(folder, "asked"), encoding="utf-8") as file:
        for each in file.read().splitlines():
            path, _, line = each.rpartition(":")
            asked.setdefault(path, set()).add(int(line))
    written = os.open(os.path.join(folder, "executed"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    places: dict[str, str] = {}
    last: dict[tuple[str, int], str] = {}
    monitoring: Any = vars(sys)["monitoring"]  # Python 3.11 has none
    tool = 4  # debuggers, coverage and profilers have others

    def place(name: str) -> str:
        if name not in places:
            places[name] = os.path.realpath(name)
        return places[name]

    def entered(code: CodeType, _: int) -> Any:
        lines = asked.get(place(code.co_filename))
        if lines and any(line in lines for _, _, line in code.co_lines()):
            monitoring.set_local_events(tool, code, monitoring.events.LINE)
        return monitoring.DISABLE

    def executed(code: CodeType, line: int) -> None:
        path = place(code.co_filename)
        if line not in asked[path]:
            return
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        if last.get((path, line)) != test:
            last[path, line] = test
            os.write(written, f"{path}:{line}\t{test}\n".encode())

    monitoring.use_tool_id(tool, "lines of planted faults")
    monitoring.register_callback(tool, monitoring.events.PY_START, entered)
    monitoring.register_callback(tool, monitoring.events.LINE, executed)
    monitoring.set_events(tool, monitoring.events.PY_START)


if (_folder := os.environ.get("FREEHOLD_WATCHED")) and hasattr(sys, "monitoring"):
    watch(_folder)
