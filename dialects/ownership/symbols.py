"""What terms call the numbers that a launch brings: extents by the names in types, integer scalars by their own."""

from __future__ import annotations

from collections.abc import Sequence
from keyword import iskeyword
from typing import Final

from xdsl.ir import SSAValue

from freehold.dialects.cuda_tile import TileType
from freehold.dialects.cuda_tile.types import element_name
from freehold.dialects.ownership.types import TensorType

RESERVED: Final = frozenset({"min", "max", "ceildiv"})
"""Names that terms have a use for."""

_COUNTING: Final = frozenset(("i8", "i16", "i32", "i64"))


def extent_symbols(arguments: Sequence[SSAValue]) -> frozenset[str]:
    """The names of all symbols in the extents of a kernel's tensors."""
    tensors = (a.type for a in arguments if isinstance(a.type, TensorType))
    return frozenset([name for t in tensors for extent in t.extents for name in extent.symbols()])


def scalar_symbols(arguments: Sequence[SSAValue]) -> dict[SSAValue, str]:
    """The symbols of a kernel's integer scalars: their names, with a number where an extent is called so.

    A symbol stands for the value read with a sign: for a `u32` of 2^31 or more it is negative.
    """
    taken = {*RESERVED, *extent_symbols(arguments)}
    found: dict[SSAValue, str] = {}
    for n, argument in enumerate(arguments):
        type_ = argument.type
        if not isinstance(type_, TileType) or element_name(type_.element_type) not in _COUNTING:
            continue
        hint = argument.name_hint or ""
        base = hint if hint.isidentifier() and not iskeyword(hint) else f"argument{n}"
        name, number = base, 1
        while name in taken:
            number += 1
            name = f"{base}_{number}"
        taken.add(name)
        found[argument] = name
    return found
