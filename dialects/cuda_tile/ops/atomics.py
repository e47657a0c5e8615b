"""Atomic updates, and accesses to memory that several devices share (specification, sections "Atomics" and "Views")."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final, cast

from xdsl.dialects.builtin import DenseArrayBase, i1
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    VarConstraint,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)

from freehold.dialects.cuda_tile.attrs import (
    DEVICE,
    REDUCE_ADD,
    RELAXED,
    WEAK,
    AtomicRMWModeAttr,
    MemoryOrderingSemanticsAttr,
    MemoryScopeAttr,
    MultimemReductionKindAttr,
    PtrAttrAttr,
)
from freehold.dialects.cuda_tile.constraints import (
    ANY_TILE,
    BOOL_TILE,
    INT_TILE,
    PARTITION_VIEW,
    POINTER_TILE,
    SCALAR_INT,
    TILE_VIEW,
    TOKEN_TYPE,
)
from freehold.dialects.cuda_tile.effects import ReadAndWrite
from freehold.dialects.cuda_tile.op import SEGMENTS, segments, tile_op
from freehold.dialects.cuda_tile.ops.memory import PointerAccess, access_properties
from freehold.dialects.cuda_tile.ops.views import ViewAccess, bools
from freehold.dialects.cuda_tile.types import (
    TOKEN,
    GatherScatterViewType,
    PartitionViewType,
    TileViewType,
    element_name,
)
from freehold.dialects.cuda_tile.version import V13_3, V13_5

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

GROUP: Final = "Atomics"
MULTIMEM: Final = "Memory"

_WORDS: Final = frozenset({"i32", "i64"})
_ATOMIC_FLOATS: Final = frozenset({"f16", "bf16", "f32", "f64"})
ALL_ORDERS: Final = ("relaxed", "acquire", "release", "acq_rel")


def atomic_elements(mode: str) -> frozenset[str]:
    """The element types an atomic update takes."""
    if mode == "addf":
        return _ATOMIC_FLOATS
    return _WORDS | {"f32", "f64"} if mode == "xchg" else _WORDS


@tile_op(7, group=GROUP)
class AtomicCasTkoOp(PointerAccess):
    """Replaces each element that equals `cmp` by `val`, and yields what was there. i32, i64, f32 or f64, bit by bit.

    Where the mask is false, nothing is touched and `cmp` is the result.
    """

    name = "cuda_tile.atomic_cas_tko"
    ORDERINGS: ClassVar[tuple[str, ...]] = ALL_ORDERS
    T: ClassVar = VarConstraint("T", ANY_TILE)
    memory_ordering_semantics = prop_def(MemoryOrderingSemanticsAttr)
    memory_scope = prop_def(MemoryScopeAttr)
    pointers = operand_def(POINTER_TILE)
    cmp = operand_def(T)
    val = operand_def(T)
    mask = opt_operand_def(BOOL_TILE)
    token = opt_operand_def(TOKEN_TYPE)
    result = result_def(T)
    result_token = result_def(TOKEN_TYPE)
    traits = traits_def(ReadAndWrite())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str | None] = (
        "custom<Key>($memory_ordering_semantics) custom<Key>($memory_scope) $pointers `,` $cmp `,` $val (`,` $mask^)?"
        " (`token` `` `=` `` $token^)? attr-dict `:` custom<Ty>(type($pointers)) `,` custom<Ty>(type($val))"
        " (`,` custom<Ty>(type($mask))^)? `->` custom<Ty>(type($result)) `,` custom<Ty>(type($result_token))"
    )

    def __init__(
        self,
        pointers: SSAValue,
        cmp: SSAValue,
        val: SSAValue,
        mask: SSAValue | None = None,
        token: SSAValue | None = None,
        ordering: MemoryOrderingSemanticsAttr = RELAXED,
        scope: MemoryScopeAttr = DEVICE,
    ) -> None:
        properties = access_properties(ordering, scope, None)
        properties[SEGMENTS] = segments(1, 1, 1, int(mask is not None), int(token is not None))
        self._init(
            tuple(value for value in (pointers, cmp, val, mask, token) if value is not None),
            (val.type, TOKEN),
            properties,
        )

    def verify_(self) -> None:
        """Ordering, pointers and values fit."""
        self.verify_ordering()
        element = element_name(self.result.type.element_type)
        if element not in ("i32", "i64", "f32", "f64"):
            raise self.fail(f"the elements must be i32, i64, f32 or f64, got {element}")
        self.verify_access(self.pointers.type, self.result.type, self.mask)


@tile_op(8, group=GROUP)
class AtomicRmwTkoOp(PointerAccess):
    """Updates each element by `mode` and yields what was there. Where the mask is false, the result is not specified.

    Integer modes take i32 and i64, `addf` f16, bf16, f32 and f64, `xchg` i32, i64, f32 and f64.
    """

    name = "cuda_tile.atomic_rmw_tko"
    ORDERINGS: ClassVar[tuple[str, ...]] = ALL_ORDERS
    T: ClassVar = VarConstraint("T", ANY_TILE)
    memory_ordering_semantics = prop_def(MemoryOrderingSemanticsAttr)
    memory_scope = prop_def(MemoryScopeAttr)
    mode = prop_def(AtomicRMWModeAttr)
    pointers = operand_def(POINTER_TILE)
    arg = operand_def(T)
    mask = opt_operand_def(BOOL_TILE)
    token = opt_operand_def(TOKEN_TYPE)
    result = result_def(T)
    result_token = result_def(TOKEN_TYPE)
    traits = traits_def(ReadAndWrite())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str | None] = (
        "custom<Key>($memory_ordering_semantics) custom<Key>($memory_scope) $pointers `,` custom<Key>($mode) `,` $arg"
        " (`,` $mask^)? (`token` `` `=` `` $token^)? attr-dict `:` custom<Ty>(type($pointers)) `,`"
        " custom<Ty>(type($arg)) (`,` custom<Ty>(type($mask))^)? `->` custom<Ty>(type($result)) `,`"
        " custom<Ty>(type($result_token))"
    )

    def __init__(
        self,
        pointers: SSAValue,
        mode: AtomicRMWModeAttr | str,
        arg: SSAValue,
        mask: SSAValue | None = None,
        token: SSAValue | None = None,
        ordering: MemoryOrderingSemanticsAttr = RELAXED,
        scope: MemoryScopeAttr = DEVICE,
    ) -> None:
        properties = access_properties(ordering, scope, None)
        properties["mode"] = AtomicRMWModeAttr.of(mode) if isinstance(mode, str) else mode
        properties[SEGMENTS] = segments(1, 1, int(mask is not None), int(token is not None))
        self._init(
            tuple(value for value in (pointers, arg, mask, token) if value is not None),
            (arg.type, TOKEN),
            properties,
        )

    def verify_(self) -> None:
        """Ordering, mode, pointers and values fit."""
        self.verify_ordering()
        mode, element = self.mode.data.value, element_name(self.result.type.element_type)
        if element not in atomic_elements(mode):
            raise self.fail(f"{mode} takes {', '.join(sorted(atomic_elements(mode)))}, got {element}")
        self.verify_access(self.pointers.type, self.result.type, self.mask)


@tile_op(117, group=GROUP, since=V13_3, field_since={"inbounds": V13_5})
class AtomicRedViewTkoOp(ViewAccess):
    """Updates the tile at an index of a view by `mode`, element by element, and yields nothing but a token.

    Only `relaxed`, within the tile block or the device; any mode but `xchg`; not through a gather_scatter view.
    """

    name = "cuda_tile.atomic_red_view_tko"
    ORDERINGS: ClassVar[tuple[str, ...]] = ("relaxed",)
    memory_ordering_semantics = prop_def(MemoryOrderingSemanticsAttr)
    memory_scope = prop_def(MemoryScopeAttr)
    mode = prop_def(AtomicRMWModeAttr)
    inbounds = prop_def(DenseArrayBase.constr(i1))
    view = operand_def(TILE_VIEW)
    index = var_operand_def(INT_TILE)
    value = operand_def(ANY_TILE)
    token = opt_operand_def(TOKEN_TYPE)
    result_token = result_def(TOKEN_TYPE)
    traits = traits_def(ReadAndWrite())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        view: SSAValue,
        index: Sequence[SSAValue],
        mode: AtomicRMWModeAttr | str,
        value: SSAValue,
        token: SSAValue | None = None,
        scope: MemoryScopeAttr = DEVICE,
        inbounds: Sequence[bool] | None = None,
    ) -> None:
        properties = access_properties(RELAXED, scope, None)
        properties["mode"] = AtomicRMWModeAttr.of(mode) if isinstance(mode, str) else mode
        properties["inbounds"] = bools(*(False,) * len(index) if inbounds is None else inbounds)
        properties[SEGMENTS] = segments(1, len(index), 1, int(token is not None))
        operands = (view, *index, value) if token is None else (view, *index, value, token)
        self._init(operands, (TOKEN,), properties)

    def verify_(self) -> None:
        """Ordering, scope, mode, view and indices fit."""
        self.verify_ordering()
        if self.memory_scope.data.value == "sys":
            raise self.fail("the scope must be tl_blk or device, got sys")
        view = cast(TileViewType, self.view.type)
        if isinstance(view, GatherScatterViewType):
            raise self.fail("a gather_scatter view takes no atomic updates")
        self.refuse_multicast(view.tensor.ptr_attr)
        mode, element = self.mode.data.value, element_name(view.tensor.element_type)
        if mode == "xchg":
            raise self.fail("xchg yields the old value, which this operation does not")
        if element not in atomic_elements(mode):
            raise self.fail(f"{mode} takes {', '.join(sorted(atomic_elements(mode)))}, got {element}")
        self.verify_access(view, self.index, self.value.type)

    @classmethod
    def parse(cls, parser: Parser) -> AtomicRedViewTkoOp:
        """Read `relaxed device %v[%i], addf, %x token = %t : T, V, I -> token`."""
        from freehold.dialects.cuda_tile.text_views import parse_atomic_red_view

        return parse_atomic_red_view(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `relaxed device %v[%i], addf, %x token = %t : T, V, I -> token`."""
        from freehold.dialects.cuda_tile.text_views import print_atomic_red_view

        print_atomic_red_view(self, printer)


class Multimem(ViewAccess, ABC):
    """Base of the accesses to all copies of a tile on several devices, through a multicast partition view."""

    def verify_multimem(self, view: TileViewType, allowed: frozenset[str], kind: str) -> None:
        """The view is multicast and its elements take the reduction."""
        attr = cast(PartitionViewType, view).tensor_view.ptr_attr
        if not isinstance(attr, PtrAttrAttr) or attr.data.value != "multicast":
            raise self.fail(f"the view must be over a multicast tensor_view, got {view}")
        element = element_name(view.tensor.element_type)
        if element not in allowed:
            raise self.fail(f"{kind} takes {', '.join(sorted(allowed))}, got {element}")


@tile_op(123, group=MULTIMEM, since=V13_5)
class MultimemLoadReduceViewTkoOp(Multimem):
    """Loads the tile at an index from every device and combines the copies by `reduction`.

    `add` takes i32, i64, f16, bf16, f32 and f64; `min` and `max` i32, i64 (signed), f16 and bf16; the others i32, i64.
    """

    name = "cuda_tile.multimem_load_reduce_view_tko"
    ORDERINGS: ClassVar[tuple[str, ...]] = ("weak", "relaxed", "acquire")
    memory_ordering_semantics = prop_def(MemoryOrderingSemanticsAttr)
    memory_scope = opt_prop_def(MemoryScopeAttr)
    reduction = prop_def(MultimemReductionKindAttr, default_value=REDUCE_ADD)
    inbounds = prop_def(DenseArrayBase.constr(i1))
    view = operand_def(PARTITION_VIEW)
    index = var_operand_def(SCALAR_INT)
    token = opt_operand_def(TOKEN_TYPE)
    reduced_values = result_def(ANY_TILE)
    result_token = result_def(TOKEN_TYPE)
    traits = traits_def(ReadAndWrite())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        view: SSAValue,
        index: Sequence[SSAValue],
        reduction: MultimemReductionKindAttr = REDUCE_ADD,
        token: SSAValue | None = None,
        ordering: MemoryOrderingSemanticsAttr = WEAK,
        scope: MemoryScopeAttr | None = None,
        inbounds: Sequence[bool] | None = None,
    ) -> None:
        properties = access_properties(ordering, scope, None)
        properties["reduction"] = reduction
        properties["inbounds"] = bools(*(False,) * len(index) if inbounds is None else inbounds)
        properties[SEGMENTS] = segments(1, len(index), int(token is not None))
        operands = (view, *index) if token is None else (view, *index, token)
        self._init(operands, (cast(TileViewType, view.type).tile_type, TOKEN), properties)

    def verify_(self) -> None:
        """Ordering, reduction, view and indices fit."""
        self.verify_ordering()
        kind = self.reduction.data.value
        allowed = {"add": _WORDS | _ATOMIC_FLOATS, "min": _WORDS | {"f16", "bf16"}, "max": _WORDS | {"f16", "bf16"}}
        view = cast(TileViewType, self.view.type)
        self.verify_multimem(view, allowed.get(kind, _WORDS), kind)
        self.verify_access(view, self.index, self.reduced_values.type)

    @classmethod
    def parse(cls, parser: Parser) -> MultimemLoadReduceViewTkoOp:
        """Read `weak %v[%i] token = %t : V, I, token -> T, token`."""
        from freehold.dialects.cuda_tile.text_views import parse_multimem

        return parse_multimem(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `weak %v[%i] token = %t : V, I, token -> T, token`."""
        from freehold.dialects.cuda_tile.text_views import print_multimem

        print_multimem(self, printer)


@tile_op(124, group=MULTIMEM, since=V13_5)
class MultimemReduceViewTkoOp(Multimem):
    """Combines a tile into the copies on every device by `reduction`.

    `add` takes i32, i64, f16, bf16, f32 and f64; the others i32 and i64.
    """

    name = "cuda_tile.multimem_reduce_view_tko"
    ORDERINGS: ClassVar[tuple[str, ...]] = ("relaxed", "release")
    memory_ordering_semantics = prop_def(MemoryOrderingSemanticsAttr)
    memory_scope = prop_def(MemoryScopeAttr)
    reduction = prop_def(MultimemReductionKindAttr, default_value=REDUCE_ADD)
    inbounds = prop_def(DenseArrayBase.constr(i1))
    view = operand_def(PARTITION_VIEW)
    tile = operand_def(ANY_TILE)
    index = var_operand_def(SCALAR_INT)
    token = opt_operand_def(TOKEN_TYPE)
    result_token = result_def(TOKEN_TYPE)
    traits = traits_def(ReadAndWrite())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        view: SSAValue,
        tile: SSAValue,
        index: Sequence[SSAValue],
        reduction: MultimemReductionKindAttr = REDUCE_ADD,
        token: SSAValue | None = None,
        ordering: MemoryOrderingSemanticsAttr = RELAXED,
        scope: MemoryScopeAttr = DEVICE,
        inbounds: Sequence[bool] | None = None,
    ) -> None:
        properties = access_properties(ordering, scope, None)
        properties["reduction"] = reduction
        properties["inbounds"] = bools(*(False,) * len(index) if inbounds is None else inbounds)
        properties[SEGMENTS] = segments(1, 1, len(index), int(token is not None))
        operands = (view, tile, *index) if token is None else (view, tile, *index, token)
        self._init(operands, (TOKEN,), properties)

    def verify_(self) -> None:
        """Ordering, reduction, view and indices fit."""
        self.verify_ordering()
        kind = self.reduction.data.value
        view = cast(TileViewType, self.view.type)
        self.verify_multimem(view, _WORDS | _ATOMIC_FLOATS if kind == "add" else _WORDS, kind)
        self.verify_access(view, self.index, self.tile.type)

    @classmethod
    def parse(cls, parser: Parser) -> MultimemReduceViewTkoOp:
        """Read `relaxed device %v, %x[%i] : V, T, I -> token`."""
        from freehold.dialects.cuda_tile.text_views import parse_multimem

        return parse_multimem(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `relaxed device %v, %x[%i] : V, T, I -> token`."""
        from freehold.dialects.cuda_tile.text_views import print_multimem

        print_multimem(self, printer)


@tile_op(125, group=MULTIMEM, since=V13_5)
class MultimemStoreViewTkoOp(Multimem):
    """Stores a tile to the copies on every device: i32, i64, f16, bf16, f32 or f64."""

    name = "cuda_tile.multimem_store_view_tko"
    ORDERINGS: ClassVar[tuple[str, ...]] = ("weak", "relaxed", "release")
    memory_ordering_semantics = prop_def(MemoryOrderingSemanticsAttr)
    memory_scope = opt_prop_def(MemoryScopeAttr)
    inbounds = prop_def(DenseArrayBase.constr(i1))
    view = operand_def(PARTITION_VIEW)
    tile = operand_def(ANY_TILE)
    index = var_operand_def(SCALAR_INT)
    token = opt_operand_def(TOKEN_TYPE)
    result_token = result_def(TOKEN_TYPE)
    traits = traits_def(ReadAndWrite())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        view: SSAValue,
        tile: SSAValue,
        index: Sequence[SSAValue],
        token: SSAValue | None = None,
        ordering: MemoryOrderingSemanticsAttr = WEAK,
        scope: MemoryScopeAttr | None = None,
        inbounds: Sequence[bool] | None = None,
    ) -> None:
        properties = access_properties(ordering, scope, None)
        properties["inbounds"] = bools(*(False,) * len(index) if inbounds is None else inbounds)
        properties[SEGMENTS] = segments(1, 1, len(index), int(token is not None))
        operands = (view, tile, *index) if token is None else (view, tile, *index, token)
        self._init(operands, (TOKEN,), properties)

    def verify_(self) -> None:
        """Ordering, view and indices fit."""
        self.verify_ordering()
        view = cast(TileViewType, self.view.type)
        self.verify_multimem(view, _WORDS | _ATOMIC_FLOATS, "a multimem store")
        self.verify_access(view, self.index, self.tile.type)

    @classmethod
    def parse(cls, parser: Parser) -> MultimemStoreViewTkoOp:
        """Read `weak %v, %x[%i] : V, T, I -> token`."""
        from freehold.dialects.cuda_tile.text_views import parse_multimem

        return parse_multimem(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `weak %v, %x[%i] : V, T, I -> token`."""
        from freehold.dialects.cuda_tile.text_views import print_multimem

        print_multimem(self, printer)
