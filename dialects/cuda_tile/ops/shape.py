"""Constants and operations on the shape of tiles (specification, section "Core")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import VarConstraint, operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import ConstantLike, Pure

from freehold.dialects.classes import numbers
from freehold.dialects.cuda_tile.constraints import (
    ANY_TILE,
    BOOL_TILE,
    I8_TILE,
    INT_TILE,
    NUMBER_TILE,
    POINTER_TILE,
    SCALAR_I32,
    TileOf,
)
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.op import TileOp, tile_op
from freehold.dialects.cuda_tile.types import ANY_ELEMENT, ELEMENT_BITS, NUMBERS, TileType, element_name, tile
from freehold.dialects.cuda_tile.version import V13_3, V13_4

GROUP: Final = "Core"


def _tile(value: SSAValue) -> TileType:
    return cast(TileType, value.type)


@tile_op(16, group=GROUP)
class ConstantOp(TileOp):
    """A tile known when the kernel is compiled. Any number type but i4."""

    name = "cuda_tile.constant"
    value = prop_def(DenseElementsAttr)
    result = result_def(NUMBER_TILE)
    traits = traits_def(Pure(), ConstantLike())
    FORMAT: ClassVar[str | None] = "custom<Dense>($value, type($result)) attr-dict"

    def __init__(self, value: DenseElementsAttr) -> None:
        self._init((), (value.type,), {"value": value})

    @classmethod
    def splat(cls, type_: TileType, value: float) -> ConstantOp:
        """A tile of `type_` filled with `value`."""
        return cls(DenseElementsAttr.splat(type_, value))

    @classmethod
    def scalar(cls, value: float, element: Attribute) -> ConstantOp:
        """A scalar of an element type."""
        return cls(DenseElementsAttr.splat(tile((), element), value))

    def verify_(self) -> None:
        """The literal has the result's type."""
        if self.value.type != self.result.type:
            raise self.fail(f"the literal has type {self.value.type} but the result is {self.result.type}")


@tile_op(58, group=GROUP)
class IotaOp(TileOp):
    """The integers from 0 to the extent of a rank-1 tile, which must be representable in the element type."""

    name = "cuda_tile.iota"
    result = result_def(INT_TILE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "attr-dict `:` custom<Ty>(type($result))"

    def __init__(self, type_: TileType) -> None:
        self._init((), (type_,))

    def verify_(self) -> None:
        """The result is a vector whose indices fit."""
        type_ = _tile(self.result)
        if type_.rank != 1:
            raise self.fail(f"the result must have rank 1, got {type_}")
        if type_.dims[0] > 1 << ELEMENT_BITS[element_name(type_.element_type)]:
            raise self.fail(f"{type_.dims[0]} elements cannot be numbered in {type_.element_type}")


@tile_op(91, group=GROUP)
class ReshapeOp(TileOp):
    """The same elements, in row-major order, in another shape of as many elements."""

    name = "cuda_tile.reshape"
    source = operand_def(ANY_TILE)
    result = result_def(ANY_TILE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "$source attr-dict `:` custom<Ty>(type($source)) `->` custom<Ty>(type($result))"

    def __init__(self, source: SSAValue, dims: Sequence[int]) -> None:
        self._init((source,), (tile(tuple(dims), _tile(source).element_type),))

    def verify_(self) -> None:
        """Element types and element counts agree."""
        source, result = _tile(self.source), _tile(self.result)
        if source.element_type != result.element_type:
            raise self.fail(f"source and result must have one element type, got {source} and {result}")
        if source.num_elements != result.num_elements:
            raise self.fail(f"source and result must have as many elements, got {source} and {result}")


@tile_op(11, group=GROUP)
class BroadcastOp(TileOp):
    """Repeats the elements along every dimension of extent 1 that the result has longer; the rank stays."""

    name = "cuda_tile.broadcast"
    source = operand_def(ANY_TILE)
    result = result_def(ANY_TILE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "$source attr-dict `:` custom<Ty>(type($source)) `->` custom<Ty>(type($result))"

    def __init__(self, source: SSAValue, dims: Sequence[int]) -> None:
        self._init((source,), (tile(tuple(dims), _tile(source).element_type),))

    def verify_(self) -> None:
        """Ranks agree, and every source extent is 1 or the result's."""
        source, result = _tile(self.source), _tile(self.result)
        if source.element_type != result.element_type:
            raise self.fail(f"source and result must have one element type, got {source} and {result}")
        if source.rank != result.rank:
            raise self.fail(f"source and result must have one rank, got {source} and {result}")
        for dim, (before, after) in enumerate(zip(source.dims, result.dims, strict=True)):
            if before not in (1, after):
                raise self.fail(f"dimension {dim} of extent {before} cannot be repeated to {after}")


@tile_op(83, group=GROUP)
class PermuteOp(TileOp):
    """Reorders dimensions: dimension `i` of the result is dimension `permutation[i]` of the source. Rank 2 or more."""

    name = "cuda_tile.permute"
    permutation = prop_def(DenseArrayBase.constr(i32))
    source = operand_def(ANY_TILE)
    result = result_def(ANY_TILE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = (
        "$source custom<Ints>($permutation) attr-dict `:` custom<Ty>(type($source)) `->` custom<Ty>(type($result))"
    )

    def __init__(self, source: SSAValue, permutation: Sequence[int]) -> None:
        type_ = _tile(source)
        self._init(
            (source,),
            (tile(tuple(type_.dims[dim] for dim in permutation), type_.element_type),),
            {"permutation": numbers(permutation)},
        )

    @property
    def order(self) -> tuple[int, ...]:
        """The permutation as integers."""
        return tuple(cast("DenseArrayBase[IntegerType]", self.permutation).get_values())

    def verify_(self) -> None:
        """The permutation is one, and the result is permuted by it."""
        source, result, order = _tile(self.source), _tile(self.result), self.order
        if source.rank < 2:
            raise self.fail(f"the source must have rank 2 or more, got {source}")
        if sorted(order) != list(range(source.rank)):
            raise self.fail(f"{list(order)} is not a permutation of 0 to {source.rank - 1}")
        expected = tile(tuple(source.dims[dim] for dim in order), source.element_type)
        if result != expected:
            raise self.fail(f"the result must be {expected}, got {result}")


@tile_op(12, group=GROUP)
class CatOp(TileOp):
    """Two tiles joined along dimension `dim`. Extents are powers of two, so the two are equal there."""

    name = "cuda_tile.cat"
    dim = prop_def(IntegerAttr.constr(i64))
    lhs = operand_def(ANY_TILE)
    rhs = operand_def(ANY_TILE)
    result = result_def(ANY_TILE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = (
        "$lhs `,` $rhs `dim` `=` custom<Int64>($dim) attr-dict `:` custom<Ty>(type($lhs)) `,` custom<Ty>(type($rhs))"
        " `->` custom<Ty>(type($result))"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, dim: int) -> None:
        left, right = _tile(lhs), _tile(rhs)
        dims = list(left.dims)
        dims[dim] += right.dims[dim]
        self._init((lhs, rhs), (tile(tuple(dims), left.element_type),), {"dim": IntegerAttr(dim, i64)})

    def verify_(self) -> None:
        """All extents agree but the joined one, which is the sum."""
        lhs, rhs, result = _tile(self.lhs), _tile(self.rhs), _tile(self.result)
        dim = cast("IntegerAttr[IntegerType]", self.dim).value.data
        if not lhs.rank == rhs.rank == result.rank:
            raise self.fail(f"operands and result must have one rank, got {lhs}, {rhs} and {result}")
        if not lhs.element_type == rhs.element_type == result.element_type:
            raise self.fail(f"operands and result must have one element type, got {lhs}, {rhs} and {result}")
        if not 0 <= dim < lhs.rank:
            raise self.fail(f"dim must be from 0 to {lhs.rank - 1}, got {dim}")
        for index in range(lhs.rank):
            left, right, joined = lhs.dims[index], rhs.dims[index], result.dims[index]
            if index == dim and left + right != joined:
                raise self.fail(f"dimension {dim} of the result must be {left} + {right}, got {joined}")
            if index != dim and not left == right == joined:
                raise self.fail(f"dimension {index} must be equal in {lhs}, {rhs} and {result}")


class Indexed(TileOp):
    """Base of `extract` and `insert`: a small tile inside a large one, by its place in tiles of its size."""

    def verify_place(self, large: TileType, small: TileType, indices: Sequence[SSAValue]) -> None:
        """Rank and element type agree, extents divide, and there is one index a dimension."""
        if large.element_type != small.element_type:
            raise self.fail(f"both tiles must have one element type, got {large} and {small}")
        if large.rank != small.rank:
            raise self.fail(f"both tiles must have one rank, got {large} and {small}")
        for dim, (extent, part) in enumerate(zip(large.dims, small.dims, strict=True)):
            if extent % part:
                raise self.fail(f"dimension {dim} of extent {extent} is not a multiple of {part}")
        if len(indices) != large.rank:
            raise self.fail(f"rank {large.rank} takes as many indices, got {len(indices)}")


@tile_op(38, group=GROUP)
class ExtractOp(Indexed):
    """The small tile at an index, counted in tiles of its size. An index out of range is undefined."""

    name = "cuda_tile.extract"
    source = operand_def(ANY_TILE)
    indices = var_operand_def(SCALAR_I32)
    result = result_def(ANY_TILE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = (
        "$source `[` $indices `]` attr-dict `:` custom<Ty>(type($source)) `->` custom<Ty>(type($result))"
    )

    def __init__(self, source: SSAValue, indices: Sequence[SSAValue], dims: Sequence[int]) -> None:
        self._init((source, *indices), (tile(tuple(dims), _tile(source).element_type),))

    def verify_(self) -> None:
        """The result has a place in the source."""
        self.verify_place(_tile(self.source), _tile(self.result), self.indices)


@tile_op(118, group=GROUP, since=V13_4)
class InsertOp(Indexed):
    """The destination with a small tile put at an index, counted in tiles of its size.

    An index out of range is undefined.
    """

    name = "cuda_tile.insert"
    T: ClassVar = VarConstraint("T", ANY_TILE)
    source = operand_def(ANY_TILE)
    destination = operand_def(T)
    indices = var_operand_def(SCALAR_I32)
    result = result_def(T)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = (
        "$source `,` $destination `[` $indices `]` attr-dict `:` custom<Ty>(type($source)) `,`"
        " custom<Ty>(type($destination))"
    )

    def __init__(self, source: SSAValue, destination: SSAValue, indices: Sequence[SSAValue]) -> None:
        self._init((source, destination, *indices), (destination.type,))

    def verify_(self) -> None:
        """The source has a place in the result."""
        self.verify_place(_tile(self.result), _tile(self.source), self.indices)


@tile_op(95, group=GROUP)
class SelectOp(TileOp):
    """Picks, element by element, from one tile where the condition holds and from the other where not."""

    name = "cuda_tile.select"
    T: ClassVar = VarConstraint("T", TileOf(ANY_ELEMENT - {"f4E2M1FN"}))
    cond = operand_def(BOOL_TILE)
    val_if_true = operand_def(T)
    val_if_false = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = (
        "$cond `,` $val_if_true `,` $val_if_false attr-dict `:` custom<Ty>(type($cond)) `,` custom<Ty>(type($result))"
    )

    def __init__(self, cond: SSAValue, val_if_true: SSAValue, val_if_false: SSAValue) -> None:
        self._init((cond, val_if_true, val_if_false), (val_if_true.type,))

    def verify_(self) -> None:
        """The condition has the values' shape."""
        if _tile(self.cond).dims != _tile(self.result).dims:
            raise self.fail(f"the condition must have the values' shape, got {self.cond.type} and {self.result.type}")


@tile_op(81, group=GROUP)
class OffsetOp(TileOp):
    """Each pointer moved by as many elements as the integer in its place, read as signed."""

    name = "cuda_tile.offset"
    T: ClassVar = VarConstraint("T", POINTER_TILE)
    ptr = operand_def(T)
    offset = operand_def(INT_TILE)
    result = result_def(T)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = (
        "$ptr `,` $offset attr-dict `:` custom<Ty>(type($ptr)) `,` custom<Ty>(type($offset)) `->`"
        " custom<Ty>(type($result))"
    )

    def __init__(self, ptr: SSAValue, offset: SSAValue) -> None:
        self._init((ptr, offset), (ptr.type,))

    def verify_(self) -> None:
        """Pointers and offsets have one shape."""
        if _tile(self.ptr).dims != _tile(self.offset).dims:
            raise self.fail(f"pointers and offsets must have one shape, got {self.ptr.type} and {self.offset.type}")


class Packing(TileOp):
    """Base of `pack` and `unpack`: between elements and the bytes they take."""

    def verify_bytes(self, elements: TileType, data: TileType) -> None:
        """Both are vectors of as many bytes."""
        if elements.rank != 1 or data.rank != 1:
            raise self.fail(f"both tiles must have rank 1, got {elements} and {data}")
        name = element_name(elements.element_type)
        bits = 32 if name == "tf32" else ELEMENT_BITS[name]  # 19 bits, in memory a word
        if bits == 8:
            raise self.fail(f"{elements.element_type} is a byte already; use bitcast")
        if elements.dims[0] * bits != data.dims[0] * 8:
            raise self.fail(f"{elements} takes {elements.dims[0] * bits / 8:g} bytes, not {data.dims[0]}")


@tile_op(111, group=GROUP, since=V13_3)
class PackOp(Packing):
    """The bytes of a vector of elements: little-endian, small elements from the lowest bits."""

    name = "cuda_tile.pack"
    source = operand_def(TileOf(NUMBERS | {"i4"}))
    result = result_def(I8_TILE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "$source attr-dict `:` custom<Ty>(type($source)) `->` custom<Ty>(type($result))"

    def __init__(self, source: SSAValue, result: TileType) -> None:
        self._init((source,), (result,))

    def verify_(self) -> None:
        """The byte counts agree."""
        self.verify_bytes(_tile(self.source), _tile(self.result))


@tile_op(112, group=GROUP, since=V13_3)
class UnpackOp(Packing):
    """A vector of elements from its bytes: little-endian, small elements from the lowest bits."""

    name = "cuda_tile.unpack"
    source = operand_def(I8_TILE)
    result = result_def(TileOf(NUMBERS | {"i4"}))
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "$source attr-dict `:` custom<Ty>(type($source)) `->` custom<Ty>(type($result))"

    def __init__(self, source: SSAValue, result: TileType) -> None:
        self._init((source,), (result,))

    def verify_(self) -> None:
        """The byte counts agree."""
        self.verify_bytes(_tile(self.result), _tile(self.source))
