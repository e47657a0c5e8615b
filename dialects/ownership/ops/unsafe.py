"""Accesses that nobody proves: the one opt-out. Each operation carries the author's reason why it is right.

Indices count elements, as those of `gather`, and are not checked: one that is out of bounds is undefined behaviour. So
is a data race. Within a tile block, `thread-tokens` orders accesses to one tensor of which one writes, as the text has
them; an access that acquires or releases is ordered with those to all raw tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.cuda_tile import TileType, TokenType
from freehold.dialects.cuda_tile.attrs import AtomicRMWModeAttr, MemoryOrderingSemanticsAttr, MemoryScopeAttr
from freehold.dialects.cuda_tile.ops.atomics import ALL_ORDERS, atomic_elements
from freehold.dialects.cuda_tile.types import element_name
from freehold.dialects.ownership.duties import Duty, Owed, OwingOp
from freehold.dialects.ownership.format import FormattedOp
from freehold.dialects.ownership.interface import Action, ElementsOp
from freehold.dialects.ownership.ops.common import OwnershipEffect, tensor_type
from freehold.dialects.ownership.ops.gather import Padding, check_elements, check_padding
from freehold.dialects.ownership.types import RawType, TensorType


class _RawEffect(MemoryEffect):
    """Nothing is known: an unsafe access may read and write anything, and is never merged, moved or dropped."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.READ), EffectInstance(MemoryEffectKind.WRITE)}


@irdl_op_definition
class ExposeOp(OwingOp, FormattedOp):
    """Lends a tensor to every tile block for unsafe accesses, until the kernel ends."""

    name = "ownership.expose"

    tensor = operand_def(TensorType)
    result = result_def(RawType)

    FORMAT: ClassVar[str] = "$tensor attr-dict `:` type($tensor) `->` type($result)"
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(OwnershipEffect())

    def __init__(self, tensor: SSAValue[TensorType]):
        super().__init__(operands=[tensor], result_types=[RawType(tensor.type)])

    @property
    def owed(self) -> Sequence[Owed]:
        return ((Duty.APART, -1),)

    def verify_(self) -> None:
        if self.result.type.tensor != self.tensor.type:
            raise VerifyException(f"{self.name}: {self.tensor.type} is exposed as no {self.result.type}")


class UnsafeOp(ElementsOp, FormattedOp):
    """Base of the unsafe accesses."""

    ORDERINGS: ClassVar[tuple[str, ...]]
    """The memory orders that the access can have."""

    reason = prop_def(StringAttr)
    ordering = prop_def(MemoryOrderingSemanticsAttr)
    scope = opt_prop_def(MemoryScopeAttr)
    indices = var_operand_def(TileType)
    mask = opt_operand_def(TileType)
    token = opt_operand_def(TokenType)
    result_token = opt_result_def(TokenType)
    traits = traits_def(_RawEffect())

    def _of(
        self,
        reason: str,
        operands: Sequence[SSAValue],
        given: tuple[Sequence[SSAValue], SSAValue | None],
        how: tuple[MemoryOrderingSemanticsAttr, MemoryScopeAttr | None],
        results: Sequence[Attribute],
        **properties: Attribute | None,
    ) -> None:
        """Initialises the operation: its own operands, then indices and mask; its order and scope."""
        said = {"reason": StringAttr(reason), "ordering": how[0], "scope": how[1]}
        FormattedOp.__init__(
            self, operands=[*operands, *given, None], properties={**said, **properties}, result_types=[*results, None]
        )

    @property
    def owed(self) -> Sequence[Owed]:
        return ()

    @property
    def order(self) -> tuple[str, str | None]:
        return self.ordering.data.value, None if self.scope is None else self.scope.data.value

    @property
    def synchronises(self) -> bool:
        """Whether it acquires or releases, and so orders accesses to other tensors."""
        return self.order[0] not in ("weak", "relaxed")

    def check(self, value: Attribute) -> None:
        """There is a reason; order and scope go together; element type, indices and mask fit."""
        assert isinstance(value, TileType)
        if not self.reason.data.strip():
            raise VerifyException(f"{self.name}: an unsafe access says why it is right")
        order = self.ordering.data.value
        if order not in self.ORDERINGS:
            raise VerifyException(f"{self.name}: the order is {', '.join(self.ORDERINGS)}, not {order}")
        if (self.scope is None) != (order == "weak"):
            raise VerifyException(f"{self.name}: a weak access has no scope, and any other has one")
        if value.element_type != tensor_type(self.memory).element:
            raise VerifyException(f"{self.name}: accesses {tensor_type(self.memory).element}, not {value.element_type}")
        check_elements(self.name, self.memory, self.indices, self.mask, value.dims)


@irdl_op_definition
class UnsafeLoadOp(UnsafeOp):
    """Reads the element at an index, for each element of the result; where `mask` is false, it is `padding_value`."""

    name = "ownership.unsafe_load"
    ACTION: ClassVar[Action] = Action.READ
    CALLED: ClassVar[str] = "unsafe load from"
    ORDERINGS: ClassVar[tuple[str, ...]] = ("weak", "relaxed", "acquire")

    source = operand_def(RawType)
    padding_value = opt_prop_def(Padding)
    result = result_def(TileType)

    FORMAT: ClassVar[str] = (
        "$reason $source `[` $indices `]` (`mask` $mask^ `:` type($mask))? (`token` $token^)? attr-dict `:`"
        " type($source) `,` `(` type($indices) `)` `->` type($result) (`,` type($result_token)^)?"
    )

    def __init__(
        self,
        reason: str,
        source: SSAValue,
        indices: Sequence[SSAValue],
        result_type: TileType,
        ordering: MemoryOrderingSemanticsAttr,
        scope: MemoryScopeAttr | None,
        mask: SSAValue | None = None,
        padding: Padding | None = None,
    ):
        self._of(reason, [source], (indices, mask), (ordering, scope), [result_type], padding_value=padding)

    def verify_(self) -> None:
        self.check(self.result.type)
        check_padding(self.name, self.padding_value, self.result.type)


@irdl_op_definition
class UnsafeStoreOp(UnsafeOp):
    """Writes each element of a tile to the element at its index, where `mask` holds."""

    name = "ownership.unsafe_store"
    ACTION: ClassVar[Action] = Action.WRITE
    CALLED: ClassVar[str] = "unsafe store to"
    MEMORY: ClassVar[int] = 1
    VALUE: ClassVar[int | None] = 0
    ORDERINGS: ClassVar[tuple[str, ...]] = ("weak", "relaxed", "release")

    tile = operand_def(TileType)
    target = operand_def(RawType)

    FORMAT: ClassVar[str] = (
        "$reason $tile `,` $target `[` $indices `]` (`mask` $mask^ `:` type($mask))? (`token` $token^)? attr-dict `:`"
        " type($tile) `,` type($target) `,` `(` type($indices) `)` (`->` type($result_token)^)?"
    )

    def __init__(
        self,
        reason: str,
        tile: SSAValue,
        target: SSAValue,
        indices: Sequence[SSAValue],
        ordering: MemoryOrderingSemanticsAttr,
        scope: MemoryScopeAttr | None,
        mask: SSAValue | None = None,
    ):
        self._of(reason, [tile, target], (indices, mask), (ordering, scope), [])

    def verify_(self) -> None:
        self.check(self.tile.type)


@irdl_op_definition
class UnsafeUpdateOp(UnsafeOp):
    """Updates the element at each index by `mode`, atomically, and yields what was there.

    The modes are those of `cuda_tile.atomic_rmw_tko`. Where `mask` is false nothing is touched, and the result is not
    specified.
    """

    name = "ownership.unsafe_update"
    ACTION: ClassVar[Action] = Action.UPDATE
    CALLED: ClassVar[str] = "unsafe atomic update of"
    MEMORY: ClassVar[int] = 1
    VALUE: ClassVar[int | None] = 0
    ORDERINGS: ClassVar[tuple[str, ...]] = ALL_ORDERS

    tile = operand_def(TileType)
    target = operand_def(RawType)
    mode = prop_def(AtomicRMWModeAttr)
    result = result_def(TileType)

    FORMAT: ClassVar[str] = (
        "$reason $tile `,` $target `[` $indices `]` (`mask` $mask^ `:` type($mask))? (`token` $token^)? attr-dict `:`"
        " type($tile) `,` type($target) `,` `(` type($indices) `)` `->` type($result) (`,` type($result_token)^)?"
    )

    def __init__(
        self,
        reason: str,
        mode: str,
        tile: SSAValue,
        target: SSAValue,
        indices: Sequence[SSAValue],
        ordering: MemoryOrderingSemanticsAttr,
        scope: MemoryScopeAttr | None,
        mask: SSAValue | None = None,
    ):
        self._of(
            reason, [tile, target], (indices, mask), (ordering, scope), [tile.type], mode=AtomicRMWModeAttr.of(mode)
        )

    @property
    def combining(self) -> str:
        return self.mode.data.value

    def verify_(self) -> None:
        mode, element = self.combining, tensor_type(self.target).element
        if element_name(element) not in atomic_elements(mode):
            raise VerifyException(
                f"{self.name}: {mode} takes {', '.join(sorted(atomic_elements(mode)))}, not {element}"
            )
        if self.result.type != self.tile.type:
            raise VerifyException(f"{self.name}: yields {self.tile.type}, not {self.result.type}")
        self.check(self.tile.type)


@irdl_op_definition
class UnsafeSwapOp(UnsafeOp):
    """Replaces the element at each index by `desired` where it equals `expected`, bit by bit; yields what was there.

    i32, i64, f32 or f64. Where `mask` is false nothing is touched and `expected` is the result.
    """

    name = "ownership.unsafe_swap"
    ACTION: ClassVar[Action] = Action.UPDATE
    CALLED: ClassVar[str] = "unsafe atomic update of"
    MEMORY: ClassVar[int] = 2
    VALUE: ClassVar[int | None] = 1
    ORDERINGS: ClassVar[tuple[str, ...]] = ALL_ORDERS

    expected = operand_def(TileType)
    desired = operand_def(TileType)
    target = operand_def(RawType)
    result = result_def(TileType)

    FORMAT: ClassVar[str] = (
        "$reason $expected `,` $desired `,` $target `[` $indices `]` (`mask` $mask^ `:` type($mask))?"
        " (`token` $token^)? attr-dict `:` type($expected) `,` type($desired) `,` type($target) `,`"
        " `(` type($indices) `)` `->` type($result) (`,` type($result_token)^)?"
    )

    def __init__(
        self,
        reason: str,
        expected: SSAValue,
        desired: SSAValue,
        target: SSAValue,
        indices: Sequence[SSAValue],
        ordering: MemoryOrderingSemanticsAttr,
        scope: MemoryScopeAttr | None,
        mask: SSAValue | None = None,
    ):
        self._of(reason, [expected, desired, target], (indices, mask), (ordering, scope), [expected.type])

    @property
    def expects(self) -> SSAValue:
        return self.expected

    def verify_(self) -> None:
        element = element_name(tensor_type(self.target).element)
        if element not in ("i32", "i64", "f32", "f64"):
            raise VerifyException(f"{self.name}: compares i32, i64, f32 or f64, not {element}")
        if not self.expected.type == self.desired.type == self.result.type:
            raise VerifyException(f"{self.name}: what is expected, stored and yielded has one type")
        self.check(self.result.type)
