"""What terms call the numbers that a launch brings: extents by the names in types, integer scalars by their own."""

from __future__ import annotations

from collections.abc import Sequence
from keyword import iskeyword
from typing import Final, Protocol, TypeVar

from xdsl.ir import Attribute

from freehold.dialects.cuda_tile import TileType
from freehold.dialects.cuda_tile.types import element_name
from freehold.dialects.names import users_name
from freehold.dialects.ownership.types import TensorType

RESERVED: Final = frozenset({"min", "max", "ceildiv"})
"""Names that terms have a use for."""

_COUNTING: Final = frozenset(("i8", "i16", "i32", "i64"))


class Argument(Protocol):
    """An argument of a kernel: a value of the IR, or what will become one."""

    @property
    def type(self) -> Attribute:
        """Its type in the IR."""
        ...

    @property
    def name_hint(self) -> str | None:
        """What the user calls it."""
        ...


ArgumentT = TypeVar("ArgumentT", bound=Argument)


def extent_symbols(arguments: Sequence[Argument]) -> frozenset[str]:
    """The names of all symbols in the extents of a kernel's tensors."""
    tensors = (a.type for a in arguments if isinstance(a.type, TensorType))
    return frozenset([name for t in tensors for extent in t.extents for name in extent.symbols()])


def scalar_symbols(arguments: Sequence[ArgumentT]) -> dict[ArgumentT, str]:
    """The symbols of a kernel's integer scalars: their names, with a number where an extent is called so.

    A symbol stands for the value read with a sign: for a `u32` of 2^31 or more it is negative.
    """
    taken = {*RESERVED, *extent_symbols(arguments)}
    found: dict[ArgumentT, str] = {}
    for n, argument in enumerate(arguments):
        type_ = argument.type
        if not isinstance(type_, TileType) or element_name(type_.element_type) not in _COUNTING:
            continue
        hint = users_name(argument) or ""
        base = hint if hint.isidentifier() and not iskeyword(hint) else f"argument{n}"
        name, number = base, 1
        while name in taken:
            number += 1
            name = f"{base}_{number}"
        taken.add(name)
        found[argument] = name
    return found
