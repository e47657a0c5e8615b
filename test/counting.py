"""What something costs as a number of steps, which is the same however much else the machine has to do."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any


def steps(function: Callable[[], object]) -> int:
    """How many lines of Python a call runs in its thread, with the calls of Python's functions and of those in C."""
    count = 0

    def called(frame: Any, event: str, what: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    def line(frame: Any, event: str, what: Any) -> Any:
        nonlocal count
        count += event == "line"
        return line

    collecting, before = gc.isenabled(), (sys.gettrace(), sys.getprofile())
    gc.disable()  # what others left behind is no part of it
    sys.settrace(line)
    sys.setprofile(called)
    try:
        function()
    finally:
        sys.setprofile(before[1])
        sys.settrace(before[0])
        if collecting:
            gc.enable()
    return count
