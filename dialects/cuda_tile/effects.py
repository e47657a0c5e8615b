"""What the memory operations do to memory, for passes that move or remove operations."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind


class OrderedRead(MemoryEffect):
    """A read; one that is stronger than weak orders other accesses, so it counts as a write as well."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        """A read for a weak access, a read and a write for any other."""
        from freehold.dialects.cuda_tile.attrs import WEAK

        effects = {EffectInstance(MemoryEffectKind.READ)}
        if op.properties.get("memory_ordering_semantics") != WEAK:
            effects.add(EffectInstance(MemoryEffectKind.WRITE))
        return effects


class ReadAndWrite(MemoryEffect):
    """Reads and writes memory that is not named."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        """A read and a write."""
        return {EffectInstance(MemoryEffectKind.READ), EffectInstance(MemoryEffectKind.WRITE)}
