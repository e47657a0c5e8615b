"""
Tracebacks of refusals: the program's own frames, without those of Freehold that found out.

`FREEHOLD_TRACEBACK=full` keeps them, for whoever works on Freehold.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Final

_OURS: Final = str(Path(__file__).parent.parent) + os.sep
_SLOT: Final[Any] = BaseException.__dict__["__traceback__"]


def whole(error: BaseException) -> TracebackType | None:
    """The traceback that Python made."""
    return _SLOT.__get__(error)


def all_are_wanted() -> bool:
    """Whether somebody asked for all frames."""
    return os.environ.get("FREEHOLD_TRACEBACK") == "full"


def is_ours(file: str) -> bool:
    """Whether a file is Freehold's."""
    return file.startswith(_OURS)


def of_the_program(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without our frames; as it is where it has no others, or where all are asked for."""
    if all_are_wanted():
        return traceback
    kept: list[TracebackType] = []
    at = traceback
    while at is not None:
        if not is_ours(at.tb_frame.f_code.co_filename):
            kept.append(at)
        at = at.tb_next
    made: TracebackType | None = None
    for at in reversed(kept):
        made = TracebackType(made, at.tb_frame, at.tb_lasti, at.tb_lineno)
    return made or traceback


def see_that_they_are_left_out(refusals: type[BaseException]) -> None:
    """Makes Python print what `of_the_program` leaves, where it looks at the exception's own slot: before 3.13."""

    def show(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        if not isinstance(error, refusals):
            sys.__excepthook__(kind, error, traceback)
            return
        from traceback import print_exception

        print_exception(error)

    if sys.version_info < (3, 13) and sys.excepthook is sys.__excepthook__:
        sys.excepthook = show
