"""What passes ask of operations: their effects on memory, what they fold to, and how they are rewritten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialect_interfaces.constant_materialization import ConstantMaterializationInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import EffectInstance, HasCanonicalizationPatternsTrait, HasFolder, MemoryEffect, MemoryEffectKind

if TYPE_CHECKING:
    from xdsl.pattern_rewriter import RewritePattern


class TileConstants(ConstantMaterializationInterface):
    """Makes `constant` operations of what operations fold to."""

    def materialize_constant(self, value: Attribute, type: Attribute) -> Operation | None:
        """A constant of the literal, if it has the wanted type."""
        from freehold.dialects.cuda_tile.dense import DenseElementsAttr
        from freehold.dialects.cuda_tile.ops.shape import ConstantOp

        return ConstantOp(value) if isinstance(value, DenseElementsAttr) and value.type == type else None


class Folds(HasFolder):
    """What an operation is worth follows from the rules in `folding`, if from any."""

    @classmethod
    def fold(cls, op: Operation) -> Sequence[SSAValue | Attribute] | None:
        """What stands for each result; None where nothing does."""
        from freehold.dialects.cuda_tile.folding import fold

        return fold(op)


class InlinesDecidedIf(HasCanonicalizationPatternsTrait):
    """An `if` on a constant is replaced by the region that runs."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        """The one rewrite."""
        from freehold.dialects.cuda_tile.canonicalization import InlineDecidedIf

        return (InlineDecidedIf(),)


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
