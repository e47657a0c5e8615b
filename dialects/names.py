"""Names of values: the user's own, and how they are written as names in the IR."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Protocol

from xdsl.ir.core import IRWithName

_NUMBERED: Final = re.compile(r"_(\d+)$")
_WRITTEN: Final = re.compile(r"\.(\d+)$")


class Named(Protocol):
    """A value of the IR, or what will become one."""

    @property
    def name_hint(self) -> str | None:
        """Its name in the IR."""
        ...


@lru_cache(maxsize=4096)
def in_ir(name: str) -> str | None:
    """
    The name in the IR of what the user calls so; None where there can be none.

    xDSL drops a number at a name's end, by which its printer tells values of one name apart: `x_1` would be `x`, and
    is `x.1`.
    """
    numbered = name[-1:].isdigit()
    return IRWithName.extract_valid_name(_NUMBERED.sub(r".\1", name) if numbered else name) if name.isascii() else None


def users_name(value: Named) -> str | None:
    """What the user calls a value, where it has a name."""
    name = value.name_hint
    return _WRITTEN.sub(r"_\1", name) if name and "." in name else name
