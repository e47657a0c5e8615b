"""What names stand for on the host."""

from __future__ import annotations

import builtins
from types import FunctionType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    pass


class _Missing:
    """What a name stands for that is defined nowhere."""


UNDEFINED: Final = _Missing()


def host_value(function: FunctionType, name: str) -> object:
    """What `name` stands for in `function`, if it is no local variable: from the closure, the globals, or Python's
    builtins. `UNDEFINED` where it stands for nothing."""
    code = function.__code__
    if function.__closure__ is not None and name in code.co_freevars:
        try:
            return function.__closure__[code.co_freevars.index(name)].cell_contents
        except ValueError:  # not assigned yet
            return UNDEFINED
    if name in function.__globals__:
        return function.__globals__[name]
    return getattr(builtins, name, UNDEFINED)
