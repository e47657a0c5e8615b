"""What an architecture lacks: why the assembler refused a kernel, in words that its author knows.

Looked up after a refusal only, in the bytecode that was refused: the assembler decides, and this explains. What each
architecture has is from the Tile IR 13.5 specification and from the assembler's own refusals.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from xdsl.ir import Operation

from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.errors.assembler import NotOnArchitecture
from freehold.dialects.cuda_tile.ops.atomics import AtomicRedViewTkoOp, AtomicRmwTkoOp
from freehold.dialects.cuda_tile.ops.mma import MmaFScaledOp
from freehold.dialects.cuda_tile.types import TileType, element_name
from freehold.dialects.location import span_of

_ELEMENTS: Final = {
    "f8E4M3FN": ("f8e4m3fn", 89),
    "f8E5M2": ("f8e5m2", 89),
    "f8E8M0FNU": ("f8e8m0fnu", 100),
    "f4E2M1FN": ("f4e2m1fn", 100),
    "fnv8E5M3FNU": ("f8e5m3fnu", 107),
}
"""Elements that some architectures lack: their names for users, and the first architecture that has them."""

_ALONE: Final = frozenset({107})
"""What came with these did not stay."""


def lacking(bytecode: bytes, arch: str, subject: str) -> list[NotOnArchitecture]:
    """What a module uses that an architecture does not have, each where it is first used; empty if nothing is known."""
    number = int(arch.removeprefix("sm_"))
    found: dict[str, NotOnArchitecture] = {}
    for op in read_bytecode(bytecode).walk():
        for what, first in _needs(op):
            alone = first in _ALONE
            if number != first if alone else number < first:
                found.setdefault(what, NotOnArchitecture(span_of(op), subject, what, arch, f"sm_{first}", alone))
    return list(found.values())


def _needs(op: Operation) -> Iterator[tuple[str, int]]:
    """What an operation needs, with the first architecture that has it."""
    if isinstance(op, MmaFScaledOp):
        yield "`mma_scaled`", 100
    tiles = [v.type for v in (*op.operands, *op.results) if isinstance(v.type, TileType)]
    for name in (element_name(t.element_type) for t in tiles):
        if name in _ELEMENTS:
            spelled, first = _ELEMENTS[name]
            yield f"`{spelled}`", first
    sums = isinstance(op, AtomicRmwTkoOp | AtomicRedViewTkoOp)
    if sums and any(element_name(t.element_type) == "bf16" for t in tiles):
        yield "sums of `bf16` in memory", 89
