"""Views and accesses through them (specification, section "Views")."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Final, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import MemoryWriteEffect, NoMemoryEffect, Pure

from freehold.dialects.classes import packed
from freehold.dialects.cuda_tile.attrs import (
    WEAK,
    MemoryOrderingSemanticsAttr,
    MemoryScopeAttr,
    OptimizationHintsAttr,
    PtrAttrAttr,
)
from freehold.dialects.cuda_tile.constraints import (
    ANY_TILE,
    GATHER_SCATTER_VIEW,
    INT_TILE,
    PARTITION_VIEW,
    SCALAR_INT,
    SCALAR_POINTER,
    STRIDED_VIEW,
    TENSOR_VIEW,
    TILE_VIEW,
    TOKEN_TYPE,
)
from freehold.dialects.cuda_tile.effects import OrderedRead
from freehold.dialects.cuda_tile.op import SEGMENTS, TileOp, segments, tile_op
from freehold.dialects.cuda_tile.ops.module import I32_SCALAR
from freehold.dialects.cuda_tile.types import (
    DYNAMIC,
    TOKEN,
    GatherScatterViewType,
    PointerType,
    TensorViewType,
    TileType,
    TileViewType,
)
from freehold.dialects.cuda_tile.version import V13_3, V13_4

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

GROUP: Final = "Views"


@lru_cache(maxsize=256)
def bools(*values: bool) -> DenseArrayBase[IntegerType]:
    """An array of booleans as an attribute."""
    return packed(i1, bytes(0xFF * value for value in values))


@tile_op(67, group=GROUP)
class MakeTensorViewOp(TileOp):
    """A view of memory from a base pointer: extents and strides that the type leaves open are operands.

    Strides count elements. Dynamic operands are scalars of one integer type, read as unsigned.
    """

    name = "cuda_tile.make_tensor_view"
    base = operand_def(SCALAR_POINTER)
    dynamicShape = var_operand_def(SCALAR_INT)
    dynamicStrides = var_operand_def(SCALAR_INT)
    result = result_def(TENSOR_VIEW)
    traits = traits_def(NoMemoryEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        base: SSAValue,
        type_: TensorViewType,
        dynamic_shape: Sequence[SSAValue] = (),
        dynamic_strides: Sequence[SSAValue] = (),
    ) -> None:
        self._init(
            (base, *dynamic_shape, *dynamic_strides),
            (type_,),
            {SEGMENTS: segments(1, len(dynamic_shape), len(dynamic_strides))},
        )

    def verify_(self) -> None:
        """Base, extents and strides fit the type."""
        type_ = cast(TensorViewType, self.result.type)
        pointer = cast(PointerType, cast(TileType, self.base.type).element_type)
        if pointer.pointee != type_.element_type:
            raise self.fail(f"the base must point to {type_.element_type}, got {pointer.pointee}")
        if pointer.ptr_attr != type_.ptr_attr:
            raise self.fail(f"base and view must have one ptr_attr, got {pointer} and {type_}")
        for what, entries, operands in (
            ("extents", type_.shape.data, self.dynamicShape),
            ("strides", type_.strides.data, self.dynamicStrides),
        ):
            wanted = sum(entry == DYNAMIC for entry in entries)
            if wanted != len(operands):
                raise self.fail(f"{type_} takes {wanted} dynamic {what}, got {len(operands)}")
        dynamic = {operand.type for operand in (*self.dynamicShape, *self.dynamicStrides)}
        if len(dynamic) > 1:
            raise self.fail("dynamic extents and strides must have one type")

    @classmethod
    def parse(cls, parser: Parser) -> MakeTensorViewOp:
        """Read `%p, shape = [%n, 16], strides = [16, 1] : tile<i32> -> tensor_view<...>`."""
        from freehold.dialects.cuda_tile.text_views import parse_make_tensor_view

        return parse_make_tensor_view(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `%p, shape = [%n, 16], strides = [16, 1] : tile<i32> -> tensor_view<...>`."""
        from freehold.dialects.cuda_tile.text_views import print_make_tensor_view

        print_make_tensor_view(self, printer)


class MakeView(TileOp, ABC):
    """Base of the operations that cut a tensor view into tiles as their result type says."""

    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "$tensor_view attr-dict `:` custom<ViewTy>(type($tensor_view), type($result))"

    def __init__(self, tensor_view: SSAValue, type_: TileViewType) -> None:
        self._init((tensor_view,), (type_,))

    def verify_(self) -> None:
        """The operand has the type that the result names."""
        tensor = cast(TileViewType, self.results[0].type).tensor
        if self.operands[0].type != tensor:
            raise self.fail(f"the operand must be {tensor}, got {self.operands[0].type}")


@tile_op(66, group=GROUP)
class MakePartitionViewOp(MakeView):
    """Cuts a tensor view into a grid of tiles that do not overlap."""

    name = "cuda_tile.make_partition_view"
    tensor_view = operand_def(TENSOR_VIEW)
    result = result_def(PARTITION_VIEW)


@tile_op(116, group=GROUP, since=V13_3)
class MakeStridedViewOp(MakeView):
    """Cuts a tensor view into tiles at fixed distances, which may overlap."""

    name = "cuda_tile.make_strided_view"
    tensor_view = operand_def(TENSOR_VIEW)
    result = result_def(STRIDED_VIEW)


@tile_op(115, group=GROUP, since=V13_3)
class MakeGatherScatterViewOp(MakeView):
    """Prepares a tensor view for accesses to slices picked by an index tile."""

    name = "cuda_tile.make_gather_scatter_view"
    tensor_view = operand_def(TENSOR_VIEW)
    result = result_def(GATHER_SCATTER_VIEW)


@tile_op(47, group=GROUP)
class GetTensorShapeOp(TileOp):
    """The extents of a tensor view, one scalar a dimension."""

    name = "cuda_tile.get_tensor_shape"
    src = operand_def(TENSOR_VIEW)
    result = var_result_def(SCALAR_INT)
    traits = traits_def(NoMemoryEffect())

    def __init__(self, src: SSAValue, type_: TileType = I32_SCALAR) -> None:
        self._init((src,), (type_,) * cast(TensorViewType, src.type).rank)

    def verify_(self) -> None:
        """There is one result a dimension."""
        rank = cast(TensorViewType, self.src.type).rank
        if len(self.results) != rank:
            raise self.fail(f"{self.src.type} has {rank} extents, got {len(self.results)} results")

    @classmethod
    def parse(cls, parser: Parser) -> GetTensorShapeOp:
        """Read `%v : V -> T`."""
        from freehold.dialects.cuda_tile.text_views import parse_get_shape

        return parse_get_shape(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `%v : V -> T`."""
        from freehold.dialects.cuda_tile.text_views import print_get_shape

        print_get_shape(self, printer)


@tile_op(45, group=GROUP)
class GetIndexSpaceShapeOp(TileOp):
    """How many tiles a view has along each dimension of its index space: extents divided and rounded up."""

    name = "cuda_tile.get_index_space_shape"
    src = operand_def(TILE_VIEW)
    result = var_result_def(SCALAR_INT)
    traits = traits_def(NoMemoryEffect())

    def __init__(self, src: SSAValue, type_: TileType = I32_SCALAR) -> None:
        self._init((src,), (type_,) * cast(TileViewType, src.type).index_rank)

    def verify_(self) -> None:
        """There is one result a dimension."""
        rank = cast(TileViewType, self.src.type).index_rank
        if len(self.results) != rank:
            raise self.fail(f"{self.src.type} has {rank} index dimensions, got {len(self.results)} results")

    @classmethod
    def parse(cls, parser: Parser) -> GetIndexSpaceShapeOp:
        """Read `%v : V -> T`."""
        from freehold.dialects.cuda_tile.text_views import parse_get_shape

        return parse_get_shape(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `%v : V -> T`."""
        from freehold.dialects.cuda_tile.text_views import print_get_shape

        print_get_shape(self, printer)


class Ordered(TileOp, ABC):
    """Base of the memory operations that carry an ordering and a scope."""

    ORDERINGS: ClassVar[tuple[str, ...]] = ()
    """The orderings this operation takes. `weak` goes without a scope, the others with one."""

    def verify_ordering(self) -> None:
        """Ordering and scope fit the operation and each other."""
        ordering = cast(MemoryOrderingSemanticsAttr, self.properties["memory_ordering_semantics"]).data.value
        if ordering not in self.ORDERINGS:
            raise self.fail(f"the ordering must be {' or '.join(self.ORDERINGS)}, got {ordering}")
        scoped = "memory_scope" in self.properties
        if ordering == "weak" and scoped:
            raise self.fail("a weak access takes no scope")
        if ordering != "weak" and not scoped:
            raise self.fail(f"a {ordering} access needs a scope")

    def refuse_multicast(self, attr: Attribute) -> None:
        """Ordinary accesses do not go through multicast pointers."""
        if isinstance(attr, PtrAttrAttr) and attr.data.value == "multicast":
            raise self.fail("a multicast pointer serves multimem operations only")


class ViewAccess(Ordered, ABC):
    """Base of the accesses to one tile of a view."""

    @classmethod
    def missing_property(cls, name: str, operand_sizes: Sequence[int]) -> Attribute | None:
        """`inbounds` promises nothing where an older version has no such field."""
        if name == "inbounds":
            position = [field for field, _ in cls.get_irdl_definition().operands].index("index")
            return bools(*(False,) * operand_sizes[position])
        return super().missing_property(name, operand_sizes)

    def verify_access(self, view: TileViewType, indices: Sequence[SSAValue], type_: Attribute) -> None:
        """Indices, promises and tile fit the view."""
        if type_ != view.tile_type:
            raise self.fail(f"the tile must be {view.tile_type}, got {type_}")
        if len(indices) != view.index_rank:
            raise self.fail(f"{view} takes {view.index_rank} indices, got {len(indices)}")
        sparse = view.sparse_dimension if isinstance(view, GatherScatterViewType) else None
        plain: set[Attribute] = set()
        for dim, index in enumerate(indices):
            index_type = cast(TileType, index.type)
            if dim == sparse:
                if index_type.dims != (view.tile_dims[dim],):
                    raise self.fail(f"index {dim} must be a vector of {view.tile_dims[dim]} integers, got {index_type}")
            elif index_type.dims:
                raise self.fail(f"index {dim} must be a scalar, got {index_type}")
            else:
                plain.add(index_type)
        if len(plain) > 1:
            raise self.fail("scalar indices must have one type")
        promised = len(cast("DenseArrayBase[IntegerType]", self.properties["inbounds"]))
        if promised != len(indices):
            raise self.fail(f"inbounds must have one entry an index, {len(indices)}, got {promised}")


@tile_op(62, group=GROUP, field_since={"inbounds": V13_4})
class LoadViewTkoOp(ViewAccess):
    """Loads the tile at an index of a view. What overhangs the tensor reads as the view's padding.

    Ordered with other accesses by tokens only. `inbounds` promises, dimension by dimension, that nothing overhangs.
    """

    name = "cuda_tile.load_view_tko"
    ORDERINGS: ClassVar[tuple[str, ...]] = ("weak", "relaxed", "acquire")
    memory_ordering_semantics = prop_def(MemoryOrderingSemanticsAttr)
    memory_scope = opt_prop_def(MemoryScopeAttr)
    optimization_hints = opt_prop_def(OptimizationHintsAttr)
    inbounds = prop_def(DenseArrayBase.constr(i1))
    view = operand_def(TILE_VIEW)
    index = var_operand_def(INT_TILE)
    token = opt_operand_def(TOKEN_TYPE)
    tile = result_def(ANY_TILE)
    result_token = result_def(TOKEN_TYPE)
    traits = traits_def(OrderedRead())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        view: SSAValue,
        index: Sequence[SSAValue],
        token: SSAValue | None = None,
        ordering: MemoryOrderingSemanticsAttr = WEAK,
        scope: MemoryScopeAttr | None = None,
        hints: OptimizationHintsAttr | None = None,
        inbounds: Sequence[bool] | None = None,
    ) -> None:
        operands = (view, *index) if token is None else (view, *index, token)
        properties: dict[str, Attribute] = {"memory_ordering_semantics": ordering}
        if scope is not None:
            properties["memory_scope"] = scope
        if hints is not None:
            properties["optimization_hints"] = hints
        properties["inbounds"] = bools(*(False,) * len(index) if inbounds is None else inbounds)
        properties[SEGMENTS] = segments(1, len(index), int(token is not None))
        self._init(operands, (cast(TileViewType, view.type).tile_type, TOKEN), properties)

    def verify_(self) -> None:
        """Ordering, view and indices fit."""
        self.verify_ordering()
        view = cast(TileViewType, self.view.type)
        self.refuse_multicast(view.tensor.ptr_attr)
        self.verify_access(view, self.index, self.tile.type)

    @classmethod
    def parse(cls, parser: Parser) -> LoadViewTkoOp:
        """Read `weak %v[%i] token = %t inbounds = [true] : V, I -> T, token`."""
        from freehold.dialects.cuda_tile.text_views import parse_load_view

        return parse_load_view(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `weak %v[%i] token = %t inbounds = [true] : V, I -> T, token`."""
        from freehold.dialects.cuda_tile.text_views import print_load_view

        print_load_view(self, printer)


@tile_op(102, group=GROUP, field_since={"inbounds": V13_4})
class StoreViewTkoOp(ViewAccess):
    """Stores a tile at an index of a view. What overhangs the tensor is not stored.

    Ordered with other accesses by tokens only. `inbounds` promises, dimension by dimension, that nothing overhangs.
    """

    name = "cuda_tile.store_view_tko"
    ORDERINGS: ClassVar[tuple[str, ...]] = ("weak", "relaxed", "release")
    memory_ordering_semantics = prop_def(MemoryOrderingSemanticsAttr)
    memory_scope = opt_prop_def(MemoryScopeAttr)
    optimization_hints = opt_prop_def(OptimizationHintsAttr)
    inbounds = prop_def(DenseArrayBase.constr(i1))
    tile = operand_def(ANY_TILE)
    view = operand_def(TILE_VIEW)
    index = var_operand_def(INT_TILE)
    token = opt_operand_def(TOKEN_TYPE)
    result_token = result_def(TOKEN_TYPE)
    traits = traits_def(MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        tile: SSAValue,
        view: SSAValue,
        index: Sequence[SSAValue],
        token: SSAValue | None = None,
        ordering: MemoryOrderingSemanticsAttr = WEAK,
        scope: MemoryScopeAttr | None = None,
        hints: OptimizationHintsAttr | None = None,
        inbounds: Sequence[bool] | None = None,
    ) -> None:
        operands = (tile, view, *index) if token is None else (tile, view, *index, token)
        properties: dict[str, Attribute] = {"memory_ordering_semantics": ordering}
        if scope is not None:
            properties["memory_scope"] = scope
        if hints is not None:
            properties["optimization_hints"] = hints
        properties["inbounds"] = bools(*(False,) * len(index) if inbounds is None else inbounds)
        properties[SEGMENTS] = segments(1, 1, len(index), int(token is not None))
        self._init(operands, (TOKEN,), properties)

    def verify_(self) -> None:
        """Ordering, view and indices fit."""
        self.verify_ordering()
        view = cast(TileViewType, self.view.type)
        self.refuse_multicast(view.tensor.ptr_attr)
        self.verify_access(view, self.index, self.tile.type)

    @classmethod
    def parse(cls, parser: Parser) -> StoreViewTkoOp:
        """Read `weak %x, %v[%i] token = %t : T, V, I -> token`."""
        from freehold.dialects.cuda_tile.text_views import parse_store_view

        return parse_store_view(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `weak %x, %v[%i] token = %t : T, V, I -> token`."""
        from freehold.dialects.cuda_tile.text_views import print_store_view

        print_store_view(self, printer)
