"""The types of the `cuda_tile` dialect (specification, section "Types").

Element types are xDSL's builtin `i1`, `i4`, `i8` to `i64`, `f16`, `bf16`, `f32`, `f64`, `tf32`, `f8E4M3FN`, `f8E5M2`,
`f8E8M0FNU` and `f4E2M1FN`; the one it lacks, `fnv8E5M3FNU`, is defined here. A scalar is a tile of rank 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Final

from typing_extensions import TypeIs
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatNanEncoding,
    FloatNonfiniteBehavior,
    FloatSemantics,
    FloatTF32Type,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    ReducedPrecisionFloatType,
)
from xdsl.ir import Attribute, Data, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.classes import PlainAttribute, holding, put
from freehold.dialects.cuda_tile.attrs import PaddingValueAttr, PtrAttrAttr
from freehold.dialects.cuda_tile.version import V13_1, V13_2, V13_3, V13_4, Version

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer

DYNAMIC: Final = -(2**63)
"""Marks an extent or stride that is known only when the kernel runs (`?` in text, `INT64_MIN` on the wire)."""

MAX_TILE_ELEMENTS: Final = 1 << 24
"""The most elements one tile may hold."""


@irdl_attr_definition
class ShapeAttr(Data[tuple[int, ...]]):
    """A tuple of integers inside a type: extents, strides or a dimension map. Not used on its own."""

    name = "cuda_tile.shape"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int, ...]:
        """Read `<[4, 8]>`; the types that hold shapes read their own, shorter forms."""
        with parser.in_angle_brackets():
            return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer))

    def print_parameter(self, printer: Printer) -> None:
        """Write `<[4, 8]>`."""
        printer.print_string(f"<[{', '.join(map(str, self.data))}]>")


@lru_cache(maxsize=4096)
def shape(dims: tuple[int, ...]) -> ShapeAttr:
    """The one `ShapeAttr` of `dims`."""
    return holding(ShapeAttr, dims)


class TileDialectType(PlainAttribute, TypeAttribute, ABC):
    """Base of the dialect's types: each has a short name that stands alone inside the dialect's own syntax."""

    SINCE: ClassVar[Version]

    @classmethod
    def short_name(cls) -> str:
        """The name without the dialect prefix, as operations print it."""
        return cls.name.removeprefix("cuda_tile.")


@irdl_attr_definition
class FNV8E5M3FNUType(ParametrizedAttribute, ReducedPrecisionFloatType):
    """`fnv8E5M3FNU`: an unsigned 8-bit float of 5 exponent and 3 mantissa bits, finite but for one NaN. Since 13.4."""

    name = "cuda_tile.fnv8E5M3FNU"
    SEMANTICS: ClassVar = FloatSemantics(
        exponent_bits=5,
        mantissa_bits=3,
        exponent_bias=15,
        nonfinite=FloatNonfiniteBehavior.NAN_ONLY,
        nan_encoding=FloatNanEncoding.ALL_ONES,
        has_sign=False,
    )
    SINCE: ClassVar[Version] = V13_4

    def print_builtin(self, printer: Printer) -> None:
        """Write the qualified form; the short one is written by `print_short_type`."""
        printer.print_string("!cuda_tile.fnv8E5M3FNU")


fnv8E5M3FNU: Final = FNV8E5M3FNUType()

_FLOAT_NAMES: Final[dict[type[Attribute], str]] = {
    Float16Type: "f16",
    BFloat16Type: "bf16",
    Float32Type: "f32",
    FloatTF32Type: "tf32",
    Float64Type: "f64",
    Float8E4M3FNType: "f8E4M3FN",
    Float8E5M2Type: "f8E5M2",
    Float8E8M0FNUType: "f8E8M0FNU",
    Float4E2M1FNType: "f4E2M1FN",
    FNV8E5M3FNUType: "fnv8E5M3FNU",
}
_INT_NAMES: Final = {1: "i1", 4: "i4", 8: "i8", 16: "i16", 32: "i32", 64: "i64"}

ELEMENT_SINCE: Final[dict[str, Version]] = {
    **dict.fromkeys(("i1", "i8", "i16", "i32", "i64"), V13_1),
    **dict.fromkeys(("f16", "bf16", "f32", "tf32", "f64", "f8E4M3FN", "f8E5M2"), V13_1),
    "f8E8M0FNU": V13_2,
    "f4E2M1FN": V13_3,
    "i4": V13_3,
    "fnv8E5M3FNU": V13_4,
}
"""The version each element type came in with, by its name in text."""

ELEMENT_BITS: Final[dict[str, int]] = {
    "i1": 1,
    "i4": 4,
    "i8": 8,
    "i16": 16,
    "i32": 32,
    "i64": 64,
    "f16": 16,
    "bf16": 16,
    "f32": 32,
    "tf32": 19,
    "f64": 64,
    "f8E4M3FN": 8,
    "f8E5M2": 8,
    "f8E8M0FNU": 8,
    "f4E2M1FN": 4,
    "fnv8E5M3FNU": 8,
}
"""The width of each element type in bits, by its name in text. `tf32` has 19."""

INTS: Final = frozenset({"i1", "i8", "i16", "i32", "i64"})
FLOATS: Final = frozenset(_FLOAT_NAMES.values())
IEEE_FLOATS: Final = frozenset({"f16", "bf16", "f32", "f64"})
NUMBERS: Final = INTS | FLOATS
POINTER: Final = frozenset({"ptr"})
ANY_ELEMENT: Final = NUMBERS | {"i4", "ptr"}


def is_int(element: Attribute) -> TypeIs[IntegerType]:
    """Whether an element type is an integer."""
    return type(element) is IntegerType  # there is no class of it; to ask for an instance takes a call


def is_integer_attr(attr: Attribute | None) -> TypeIs[IntegerAttr[IntegerType]]:
    """Whether an attribute is an integer with an integer type."""
    return isinstance(attr, IntegerAttr)


def element_name(element: Attribute) -> str:
    """The name of an element type in text (`f32`, `i8`), `ptr` for a pointer, or its printed form for a stranger."""
    if is_int(element):
        if element.signedness.data.name == "SIGNLESS":
            name = _INT_NAMES.get(element.width.data)
            if name is not None:
                return name
        return str(element)
    if isinstance(element, PointerType):
        return "ptr"
    return _FLOAT_NAMES.get(type(element)) or str(element)


@irdl_attr_definition
class PointerType(TileDialectType):
    """`ptr<E>`: the address of elements of type `E`, any number type but `i4`.

    `ptr_attr` (13.4) says what kind of address it is: `none`, `unicast` or `multicast` (13.5); absent by default.
    """

    name = "cuda_tile.ptr"
    pointee: Attribute
    ptr_attr: PtrAttrAttr | NoneAttr
    SINCE: ClassVar[Version] = V13_1

    def __init__(self, pointee: Attribute, ptr_attr: PtrAttrAttr | NoneAttr | None = None):
        super().__init__(pointee, _NONE if ptr_attr is None else ptr_attr)

    def verify(self) -> None:
        """The pointee is a number that memory can hold: neither a pointer nor `i4`."""
        if element_name(self.pointee) not in NUMBERS:
            raise VerifyException(f"cuda_tile.ptr: the pointee must be a number type other than i4, got {self.pointee}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<f32>` or `<f32, <multicast>>`."""
        from freehold.dialects.cuda_tile.text_types import parse_pointer

        return parse_pointer(parser)

    def print_parameters(self, printer: Printer) -> None:
        """Write `<f32>` or `<f32, <multicast>>`."""
        from freehold.dialects.cuda_tile.text_types import print_pointer

        print_pointer(self, printer)


_NONE: Final = NoneAttr()


def check_tile_shape(what: str, dims: tuple[int, ...], element: Attribute) -> None:
    """Refuse extents no tile can have: powers of two, at most 2^24 elements, an even one for `f4E2M1FN`."""
    count = 1
    for dim in dims:
        if dim <= 0 or dim & (dim - 1):
            raise VerifyException(f"{what}: every extent must be a positive power of two, got {dim}")
        count *= dim
    if count > MAX_TILE_ELEMENTS:
        raise VerifyException(f"{what}: a tile holds at most {MAX_TILE_ELEMENTS} elements, got {count}")
    if count == 1 and isinstance(element, Float4E2M1FNType):
        raise VerifyException(f"{what}: f4E2M1FN is packed in pairs, so at least one extent must be even")


@irdl_attr_definition
class TileType(TileDialectType):
    """`tile<4x8xf32>`: an immutable array of elements; `tile<f32>` is a scalar.

    Extents are positive powers of two and hold at most 2^24 elements together. Elements are numbers, `i4` or pointers.
    """

    name = "cuda_tile.tile"
    shape: ShapeAttr
    element_type: Attribute
    SINCE: ClassVar[Version] = V13_1

    def __init__(self, dims: Sequence[int] | ShapeAttr, element_type: Attribute):
        super().__init__(dims if isinstance(dims, ShapeAttr) else shape(tuple(dims)), element_type)

    def verify(self) -> None:
        """Extents and element are those a tile may have."""
        name = element_name(self.element_type)
        if name not in ANY_ELEMENT:
            raise VerifyException(f"cuda_tile.tile: {self.element_type} is not an element type of tiles")
        check_tile_shape("cuda_tile.tile", self.shape.data, self.element_type)

    if TYPE_CHECKING:  # IRDL takes a field for a parameter

        @property
        def dims(self) -> tuple[int, ...]:
            """The extents, outermost first."""
            ...

        @property
        def width(self) -> int | None:
            """The width of the elements, where they are integers."""
            ...

    def __post_init__(self) -> None:
        super().__post_init__()
        element = self.element_type
        put(self, "dims", self.shape.data)
        put(self, "width", element.width.data if is_int(element) else None)

    @property
    def rank(self) -> int:
        """The number of dimensions; 0 for a scalar."""
        return len(self.shape.data)

    @property
    def num_elements(self) -> int:
        """The product of the extents."""
        count = 1
        for dim in self.shape.data:
            count *= dim
        return count

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<4x8xf32>`."""
        from freehold.dialects.cuda_tile.text_types import parse_tile

        return parse_tile(parser)

    def print_parameters(self, printer: Printer) -> None:
        """Write `<4x8xf32>`."""
        from freehold.dialects.cuda_tile.text_types import print_tile

        print_tile(self, printer)


@lru_cache(maxsize=4096)
def tile(dims: tuple[int, ...], element: Attribute) -> TileType:
    """The one `TileType` of `dims` and `element`: cheaper than the constructor where types repeat."""
    return TileType(dims, element)


@irdl_attr_definition
class TokenType(TileDialectType):
    """`token`: carries no data, only the order of memory operations."""

    name = "cuda_tile.token"
    SINCE: ClassVar[Version] = V13_1


TOKEN: Final = TokenType()


@irdl_attr_definition
class TensorViewType(TileDialectType):
    """`tensor_view<?x16xf32, strides=[?,1]>`: a base address with extents and strides, in elements.

    `DYNAMIC` (`?`) extents and strides are operands of `make_tensor_view`. Extents need not be powers of two.
    `ptr_attr` (13.4) is that of the base pointer.
    """

    name = "cuda_tile.tensor_view"
    element_type: Attribute
    shape: ShapeAttr
    strides: ShapeAttr
    ptr_attr: PtrAttrAttr | NoneAttr
    SINCE: ClassVar[Version] = V13_1

    def __init__(
        self,
        element_type: Attribute,
        dims: Sequence[int] | ShapeAttr,
        strides: Sequence[int] | ShapeAttr,
        ptr_attr: PtrAttrAttr | NoneAttr | None = None,
    ):
        super().__init__(
            element_type,
            dims if isinstance(dims, ShapeAttr) else shape(tuple(dims)),
            strides if isinstance(strides, ShapeAttr) else shape(tuple(strides)),
            _NONE if ptr_attr is None else ptr_attr,
        )

    def verify(self) -> None:
        """Extents and strides agree in number and the static ones are positive."""
        if element_name(self.element_type) not in NUMBERS:
            raise VerifyException(
                f"cuda_tile.tensor_view: elements must be numbers other than i4, got {self.element_type}"
            )
        if len(self.shape.data) != len(self.strides.data):
            raise VerifyException(
                f"cuda_tile.tensor_view: {len(self.shape.data)} extents but {len(self.strides.data)} strides"
            )
        for what, values in (("extent", self.shape.data), ("stride", self.strides.data)):
            for value in values:
                if value <= 0 and value != DYNAMIC:
                    raise VerifyException(f"cuda_tile.tensor_view: every static {what} must be positive, got {value}")

    @property
    def dims(self) -> tuple[int, ...]:
        """The extents, `DYNAMIC` where they are operands."""
        return self.shape.data

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape.data)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<?x16xf32, strides=[?,1]>`."""
        from freehold.dialects.cuda_tile.text_types import parse_tensor_view

        return parse_tensor_view(parser)

    def print_parameters(self, printer: Printer) -> None:
        """Write `<?x16xf32, strides=[?,1]>`."""
        from freehold.dialects.cuda_tile.text_types import print_tensor_view

        print_tensor_view(self, printer)


class TileViewType(TileDialectType, ABC):
    """Base of the views that cut a tensor view into tiles: they share a tile shape, a tensor view and a padding."""

    @abstractmethod
    def view_parts(self) -> tuple[tuple[int, ...], TensorViewType, PaddingValueAttr | NoneAttr]:
        """The tile shape, the tensor view, and the padding."""

    @property
    def tensor(self) -> TensorViewType:
        """The tensor view that is cut into tiles."""
        return self.view_parts()[1]

    @property
    def tile_dims(self) -> tuple[int, ...]:
        """The extents of one tile."""
        return self.view_parts()[0]

    @property
    def tile_type(self) -> TileType:
        """The type of one tile: what a load yields."""
        dims, tensor, _ = self.view_parts()
        return tile(dims, tensor.element_type)

    @property
    def index_rank(self) -> int:
        """The number of index operands an access takes."""
        return len(self.view_parts()[0])

    def verify_view(self, dim_map: tuple[int, ...] | None) -> None:
        """The rules every tile view shares: rank, tile extents, dimension map and padding."""
        what = self.name
        dims, tensor, padding = self.view_parts()
        if not dims:
            raise VerifyException(f"{what}: the tile must have at least one dimension")
        if len(dims) != tensor.rank:
            raise VerifyException(f"{what}: the tile has rank {len(dims)} but the tensor view has rank {tensor.rank}")
        check_tile_shape(what, dims, tensor.element_type)
        if dim_map is not None and sorted(dim_map) != list(range(len(dims))):
            raise VerifyException(
                f"{what}: dim_map must be a permutation of the dimensions 0 to {len(dims) - 1}, got {list(dim_map)}"
            )
        if (
            isinstance(padding, PaddingValueAttr)
            and padding.data.value != "zero"
            and element_name(tensor.element_type) not in FLOATS
        ):
            raise VerifyException(
                f"{what}: padding {padding.data.value} needs floating-point elements, got {tensor.element_type}"
            )


@irdl_attr_definition
class PartitionViewType(TileViewType):
    """`partition_view<tile=(4x2), tensor_view<...>, dim_map=[1, 0]>`: a tensor view cut into a grid of tiles.

    Dimension `d` of the tile covers dimension `dim_map[d]` of the tensor. A tile that overhangs reads the padding.
    """

    name = "cuda_tile.partition_view"
    tile_shape: ShapeAttr
    tensor_view: TensorViewType
    dim_map: ShapeAttr
    padding: PaddingValueAttr | NoneAttr
    SINCE: ClassVar[Version] = V13_1

    def __init__(
        self,
        tile_shape: Sequence[int] | ShapeAttr,
        tensor_view: TensorViewType,
        dim_map: Sequence[int] | ShapeAttr | None = None,
        padding: PaddingValueAttr | NoneAttr | None = None,
    ):
        tile_shape = tile_shape if isinstance(tile_shape, ShapeAttr) else shape(tuple(tile_shape))
        if dim_map is None:
            dim_map = range(len(tile_shape.data))
        super().__init__(
            tile_shape,
            tensor_view,
            dim_map if isinstance(dim_map, ShapeAttr) else shape(tuple(dim_map)),
            _NONE if padding is None else padding,
        )

    def view_parts(self) -> tuple[tuple[int, ...], TensorViewType, PaddingValueAttr | NoneAttr]:
        """The tile shape, the tensor view, and the padding."""
        return self.tile_shape.data, self.tensor_view, self.padding

    def verify(self) -> None:
        """Rank, tile extents, dimension map and padding are consistent."""
        self.verify_view(self.dim_map.data)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<tile=(4x2), padding_value = zero, tensor_view<...>, dim_map=[1, 0]>`."""
        from freehold.dialects.cuda_tile.text_types import parse_partition_view

        return parse_partition_view(parser)

    def print_parameters(self, printer: Printer) -> None:
        """Write `<tile=(4x2), tensor_view<...>>`."""
        from freehold.dialects.cuda_tile.text_types import print_partition_view

        print_partition_view(self, printer)


@irdl_attr_definition
class StridedViewType(TileViewType):
    """`strided_view<tile=(4x2), traversal_strides=[2,3], tensor_view<...>>`: tiles at fixed distances. Since 13.3.

    The tile of index `i` starts at `i * traversal_strides[d]` elements along dimension `d`; tiles may overlap.
    """

    name = "cuda_tile.strided_view"
    tile_shape: ShapeAttr
    traversal_strides: ShapeAttr
    tensor_view: TensorViewType
    dim_map: ShapeAttr
    padding: PaddingValueAttr | NoneAttr
    SINCE: ClassVar[Version] = V13_3

    def __init__(
        self,
        tile_shape: Sequence[int] | ShapeAttr,
        traversal_strides: Sequence[int] | ShapeAttr,
        tensor_view: TensorViewType,
        dim_map: Sequence[int] | ShapeAttr | None = None,
        padding: PaddingValueAttr | NoneAttr | None = None,
    ):
        tile_shape = tile_shape if isinstance(tile_shape, ShapeAttr) else shape(tuple(tile_shape))
        if dim_map is None:
            dim_map = range(len(tile_shape.data))
        super().__init__(
            tile_shape,
            traversal_strides if isinstance(traversal_strides, ShapeAttr) else shape(tuple(traversal_strides)),
            tensor_view,
            dim_map if isinstance(dim_map, ShapeAttr) else shape(tuple(dim_map)),
            _NONE if padding is None else padding,
        )

    def view_parts(self) -> tuple[tuple[int, ...], TensorViewType, PaddingValueAttr | NoneAttr]:
        """The tile shape, the tensor view, and the padding."""
        return self.tile_shape.data, self.tensor_view, self.padding

    def verify(self) -> None:
        """As a partition view; and one positive traversal stride a dimension."""
        self.verify_view(self.dim_map.data)
        strides = self.traversal_strides.data
        if len(strides) != len(self.tile_shape.data):
            raise VerifyException(
                f"{self.name}: {len(self.tile_shape.data)} tile extents but {len(strides)} traversal strides"
            )
        for stride in strides:
            if stride <= 0:
                raise VerifyException(f"{self.name}: every traversal stride must be positive, got {stride}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<tile=(4x2), traversal_strides=[2,3], tensor_view<...>>`."""
        from freehold.dialects.cuda_tile.text_types import parse_strided_view

        return parse_strided_view(parser)

    def print_parameters(self, printer: Printer) -> None:
        """Write `<tile=(4x2), traversal_strides=[2,3], tensor_view<...>>`."""
        from freehold.dialects.cuda_tile.text_types import print_strided_view

        print_strided_view(self, printer)


@irdl_attr_definition
class GatherScatterViewType(TileViewType):
    """`gather_scatter_view<tile=(4x2), tensor_view<...>, sparse_dim=0>`: slices picked by an index tile. Since 13.3.

    The index at `sparse_dim` is a rank-1 tile that names one slice a row; the others are start offsets in elements.
    """

    name = "cuda_tile.gather_scatter_view"
    tile_shape: ShapeAttr
    tensor_view: TensorViewType
    sparse_dim: ShapeAttr
    padding: PaddingValueAttr | NoneAttr
    SINCE: ClassVar[Version] = V13_3

    def __init__(
        self,
        tile_shape: Sequence[int] | ShapeAttr,
        tensor_view: TensorViewType,
        sparse_dim: int | ShapeAttr,
        padding: PaddingValueAttr | NoneAttr | None = None,
    ):
        super().__init__(
            tile_shape if isinstance(tile_shape, ShapeAttr) else shape(tuple(tile_shape)),
            tensor_view,
            sparse_dim if isinstance(sparse_dim, ShapeAttr) else shape((sparse_dim,)),
            _NONE if padding is None else padding,
        )

    @property
    def sparse_dimension(self) -> int:
        """The dimension along which the index tile picks slices."""
        return self.sparse_dim.data[0]

    def view_parts(self) -> tuple[tuple[int, ...], TensorViewType, PaddingValueAttr | NoneAttr]:
        """The tile shape, the tensor view, and the padding."""
        return self.tile_shape.data, self.tensor_view, self.padding

    def verify(self) -> None:
        """Rank, tile extents and padding are consistent, and the sparse dimension exists."""
        self.verify_view(None)
        if len(self.sparse_dim.data) != 1 or not 0 <= self.sparse_dim.data[0] < len(self.tile_shape.data):
            raise VerifyException(
                f"{self.name}: sparse_dim must be a dimension of the tile, 0 to {len(self.tile_shape.data) - 1},"
                f" got {self.sparse_dim.data[0]}"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<tile=(4x2), tensor_view<...>, sparse_dim=0>`."""
        from freehold.dialects.cuda_tile.text_types import parse_gather_scatter_view

        return parse_gather_scatter_view(parser)

    def print_parameters(self, printer: Printer) -> None:
        """Write `<tile=(4x2), tensor_view<...>, sparse_dim=0>`."""
        from freehold.dialects.cuda_tile.text_types import print_gather_scatter_view

        print_gather_scatter_view(self, printer)


TYPES: Final = (
    TileType,
    PointerType,
    TokenType,
    TensorViewType,
    PartitionViewType,
    StridedViewType,
    GatherScatterViewType,
    FNV8E5M3FNUType,
)
"""Every type the dialect adds to the builtin element types."""


def is_scalar(type_: Attribute) -> bool:
    """Whether `type_` is a tile of rank 0."""
    return isinstance(type_, TileType) and not type_.shape.data
