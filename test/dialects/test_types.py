"""Which types there can be, and what each says of itself: tiles, pointers, views, and the tensors of ownership."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E5M2Type,
    IntegerType,
    Signedness,
    StringAttr,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.cuda_tile.attrs import PaddingValueAttr
from freehold.dialects.cuda_tile.types import (
    DYNAMIC,
    ELEMENT_BITS,
    ELEMENT_SINCE,
    MAX_TILE_ELEMENTS,
    TOKEN,
    GatherScatterViewType,
    PartitionViewType,
    PointerType,
    StridedViewType,
    TensorViewType,
    TileType,
    element_name,
    fnv8E5M3FNU,
    is_int,
    is_scalar,
    tile,
)
from freehold.dialects.ownership import Access, AccType, PartitionType, RawType, RefType, RegionType, TensorType
from freehold.dialects.ownership.attrs import LayoutAttr
from freehold.support import terms

I4, FOUR = IntegerType(4), Float4E2M1FNType()
PLAIN = TensorViewType(f32, (DYNAMIC, 16), (DYNAMIC, 1))
WHOLE = TensorViewType(i32, (DYNAMIC, 16), (DYNAMIC, 1))
MN = TensorType.of(["M", "N"], f32)


def padded(name: str) -> PaddingValueAttr:
    return PaddingValueAttr.of(name)


MADE: list[tuple[Callable[[], Attribute], str | None]] = [
    (lambda: TileType((), f32), None),
    (lambda: TileType((1,), f32), None),
    (lambda: TileType((MAX_TILE_ELEMENTS,), i1), None),
    (lambda: TileType((4096, 4096), I4), None),
    (lambda: TileType((4,), PointerType(f32)), None),
    (lambda: TileType((2,), FOUR), None),
    (lambda: TileType((1, 2), FOUR), None),
    (lambda: TileType((-4,), f32), "cuda_tile.tile: every extent must be a positive power of two, got -4"),
    (lambda: TileType((0,), f32), "cuda_tile.tile: every extent must be a positive power of two, got 0"),
    (lambda: TileType((4, 6), f32), "cuda_tile.tile: every extent must be a positive power of two, got 6"),
    (lambda: TileType((4096, 8192), f32), "cuda_tile.tile: a tile holds at most 16777216 elements, got 33554432"),
    (lambda: TileType((), FOUR), "cuda_tile.tile: f4E2M1FN is packed in pairs, so at least one"),
    (lambda: TileType((1, 1), FOUR), "cuda_tile.tile: f4E2M1FN is packed in pairs, so at least one"),
    (lambda: TileType((4,), TOKEN), "cuda_tile.tile: !cuda_tile.token is not an element type of tiles"),
    (lambda: TileType((4,), IntegerType(24)), "cuda_tile.tile: i24 is not an element type of tiles"),
    (lambda: PointerType(fnv8E5M3FNU), None),
    (lambda: PointerType(I4), "cuda_tile.ptr: the pointee must be a number type other than i4, got i4"),
    (lambda: PointerType(TOKEN), "cuda_tile.ptr: the pointee must be a number type other than i4, got !cuda_tile."),
    (lambda: TensorViewType(f32, (), ()), None),
    (lambda: TensorViewType(f32, (3,), (1,)), None),
    (lambda: TensorViewType(I4, (3,), (1,)), "cuda_tile.tensor_view: elements must be numbers other than i4, got i4"),
    (lambda: TensorViewType(f32, (3, 4), (1,)), "cuda_tile.tensor_view: 2 extents but 1 strides"),
    (lambda: TensorViewType(f32, (0,), (1,)), "cuda_tile.tensor_view: every static extent must be positive, got 0"),
    (lambda: TensorViewType(f32, (4,), (-1,)), "cuda_tile.tensor_view: every static stride must be positive, got -1"),
    (lambda: PartitionViewType((4, 2), PLAIN), None),
    (lambda: PartitionViewType((4, 2), PLAIN, (1, 0)), None),
    (lambda: PartitionViewType((4, 2), PLAIN, None, padded("nan")), None),
    (lambda: PartitionViewType((4, 2), WHOLE, None, padded("zero")), None),
    (lambda: PartitionViewType((), TensorViewType(f32, (), ())),
     "cuda_tile.partition_view: the tile must have at least one dimension"),
    (lambda: PartitionViewType((4,), PLAIN),
     "cuda_tile.partition_view: the tile has rank 1 but the tensor view has rank 2"),
    (lambda: PartitionViewType((4, 3), PLAIN),
     "cuda_tile.partition_view: every extent must be a positive power of two, got 3"),
    (lambda: PartitionViewType((4, 2), PLAIN, (0, 0)),
     "cuda_tile.partition_view: dim_map must be a permutation of the dimensions 0 to 1, got [0, 0]"),
    (lambda: PartitionViewType((4, 2), PLAIN, (1, 2)),
     "cuda_tile.partition_view: dim_map must be a permutation of the dimensions 0 to 1, got [1, 2]"),
    (lambda: PartitionViewType((4, 2), WHOLE, None, padded("nan")),
     "cuda_tile.partition_view: padding nan needs floating-point elements, got i32"),
    (lambda: StridedViewType((4, 2), (1, 3), PLAIN), None),
    (lambda: StridedViewType((4, 2), (1,), PLAIN), "cuda_tile.strided_view: 2 tile extents but 1 traversal strides"),
    (lambda: StridedViewType((4, 2), (1, 0), PLAIN),
     "cuda_tile.strided_view: every traversal stride must be positive, got 0"),
    (lambda: StridedViewType((4, 2), (1, 1), PLAIN, (0, 0)),
     "cuda_tile.strided_view: dim_map must be a permutation of the dimensions 0 to 1, got [0, 0]"),
    (lambda: GatherScatterViewType((4, 2), PLAIN, 0), None),
    (lambda: GatherScatterViewType((4, 2), PLAIN, 1), None),
    (lambda: GatherScatterViewType((4, 2), PLAIN, 2),
     "cuda_tile.gather_scatter_view: sparse_dim must be a dimension of the tile, 0 to 1, got 2"),
    (lambda: GatherScatterViewType((4, 2), PLAIN, -1),
     "cuda_tile.gather_scatter_view: sparse_dim must be a dimension of the tile, 0 to 1, got -1"),
    (lambda: TensorType.of([1, "M", "H // G"], f32), None),
    (lambda: TensorType.of([], f32), None),
    (lambda: TensorType.of([0], f32), "ownership.tensor: extents are positive, not 0"),
    (lambda: TensorType.of([-3], f32), "ownership.tensor: extents are positive, not -3"),
    (lambda: TensorType.of(["M +"], f32), "ownership.tensor: a dimension is a term over symbols: "),
    (lambda: TensorType.of(["M"], f32, LayoutAttr.default(2)), "ownership.tensor: the layout has 2 axes, the tensor 1"),
    (lambda: PartitionType.of(Access.OUT, (4, 1), MN), None),
    (lambda: PartitionType.of(Access.OUT, (4, 8), MN, (1, 3)), None),
    (lambda: PartitionType.of(Access.OUT, (4,), MN),
     "ownership.partition: a tile of rank 1 with steps of rank 1 cannot partition a tensor of rank 2"),
    (lambda: PartitionType.of(Access.OUT, (4, 8), MN, (4,)),
     "ownership.partition: a tile of rank 2 with steps of rank 1 cannot partition a tensor of rank 2"),
    (lambda: PartitionType.of(Access.OUT, (4, 3), MN), "ownership.partition: a tile's extents are powers of two"),
    (lambda: PartitionType.of(Access.OUT, (4, 0), MN), "ownership.partition: a tile's extents are powers of two"),
    (lambda: PartitionType.of(Access.OUT, (4, 8), MN, (4, 0)), "ownership.partition: steps are positive"),
    (lambda: PartitionType.of(Access.OUT, (4, 8), MN, None, 1), None),
    (lambda: PartitionType.of(Access.OUT, (4, 8), MN, None, 2), "ownership.partition: no axis 2 in a tensor of rank 2"),
    (lambda: PartitionType.of(Access.OUT, (4, 8), MN, (4, 4), 1), "ownership.partition: regions of a group lie a tile"),
    (lambda: PartitionType.of(Access.OUT, (4, 8), MN, (2, 8), 1), None),
]  # fmt: skip


@pytest.mark.parametrize(("make", "said"), MADE, ids=range(len(MADE)))
def test_which_types_there_can_be(make: Callable[[], Attribute], said: str | None) -> None:
    if said is None:
        make().verify()
        return
    with pytest.raises(VerifyException) as caught:
        make()
    assert str(caught.value).startswith(said)


def test_what_a_tile_says() -> None:
    type_ = tile((4, 8), i16)
    assert (type_.dims, type_.width, type_.rank, type_.num_elements) == ((4, 8), 16, 2, 32)
    scalar = tile((), f32)
    assert (scalar.dims, scalar.width, scalar.rank, scalar.num_elements) == ((), None, 0, 1)
    assert is_scalar(scalar)
    assert not is_scalar(type_)
    assert not is_scalar(f32)
    assert not is_scalar(TensorViewType(f32, (), ()))
    assert tile((4, 8), i16) is type_
    assert TileType.short_name() == "tile"


def test_what_views_say() -> None:
    view = PartitionViewType((4, 2), PLAIN, (1, 0), padded("nan"))
    assert (view.tensor, view.tile_dims, view.tile_type, view.index_rank) == (PLAIN, (4, 2), tile((4, 2), f32), 2)
    assert view.view_parts() == ((4, 2), PLAIN, padded("nan"))
    assert (PLAIN.dims, PLAIN.rank) == ((DYNAMIC, 16), 2)
    assert PartitionViewType((4, 2), PLAIN).dim_map.data == (0, 1)
    assert StridedViewType((4, 2), (1, 3), PLAIN).dim_map.data == (0, 1)
    sparse = GatherScatterViewType((4, 2), WHOLE, 1)
    assert (sparse.sparse_dimension, sparse.index_rank, sparse.tile_type) == (1, 2, tile((4, 2), i32))


NAMES: list[tuple[Attribute, str]] = [
    *((IntegerType(width), f"i{width}") for width in (1, 4, 8, 16, 32, 64)),
    (f16, "f16"), (bf16, "bf16"), (BFloat16Type(), "bf16"), (f32, "f32"), (f64, "f64"),
    (Float8E5M2Type(), "f8E5M2"), (FOUR, "f4E2M1FN"), (fnv8E5M3FNU, "fnv8E5M3FNU"),
    (PointerType(f32), "ptr"),
    (IntegerType(24), "i24"), (IntegerType(32, Signedness.SIGNED), "si32"),
    (IntegerType(8, Signedness.UNSIGNED), "ui8"),
    (TOKEN, "!cuda_tile.token"),
]  # fmt: skip


@pytest.mark.parametrize(("element", "name"), NAMES, ids=[name for _, name in NAMES])
def test_names_of_elements(element: Attribute, name: str) -> None:
    assert element_name(element) == name
    assert is_int(element) == (name.lstrip("su")[0] == "i")


def test_every_element_has_a_width_and_a_version() -> None:
    assert ELEMENT_BITS.keys() == ELEMENT_SINCE.keys()
    assert {element_name(element): ELEMENT_BITS[element_name(element)] for element in (i1, i8, i16, i32, i64)} == {
        "i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64,
    }  # fmt: skip


ACCESSES = {
    Access.OUT: (True, False, True),
    Access.MUT: (False, False, False),
    Access.PARTIAL: (True, True, False),
    Access.PARTIAL_MUT: (False, True, False),
}


@pytest.mark.parametrize("access", Access)
def test_what_a_partition_asks_for(access: Access) -> None:
    type_ = PartitionType.of(access, (4, 8), MN)
    assert (type_.stored_first, type_.partial, type_.covered) == ACCESSES[access]


def test_what_a_partition_says() -> None:
    type_ = PartitionType.of(Access.OUT, (4, 8), MN, (4, 5))
    assert (type_.tile_shape, type_.steps, type_.groups_axis, type_.index_rank) == ((4, 8), (4, 5), None, 2)
    assert [str(n) for n in type_.regions] == ["ceildiv(M, 4)", "ceildiv(N, 5)"]
    assert type_.grid(1) == terms.ceildiv(terms.sym("N"), terms.const(5))
    assert PartitionType.of(Access.OUT, (4, 8), MN).steps == (4, 8)
    ragged = PartitionType.of(Access.OUT, (4, 8), MN, None, 0)
    assert (ragged.groups_axis, ragged.index_rank) == (0, 3)


def test_what_a_tensor_says() -> None:
    type_ = TensorType.of(["M", 7, "H // G"], f32)
    assert type_.rank == 3
    assert [str(extent) for extent in type_.extents] == ["M", "7", "H // G"]
    assert type_.extent(1) == terms.const(7)
    assert type_.extent(2) is type_.extents[2]
    assert type_.layout == LayoutAttr.default(3)


PRINTED: list[tuple[Attribute, str]] = [
    (MN, "!ownership.tensor<[M, N], f32>"),
    (TensorType.of(["M", 7, "H // G"], i8), '!ownership.tensor<[M, 7, "H // G"], i8>'),
    (RefType(MN), "!ownership.ref<[M, N], f32>"),
    (AccType(MN), "!ownership.acc<[M, N], f32>"),
    (RawType(MN), "!ownership.raw<[M, N], f32>"),
    (PartitionType.of(Access.OUT, (4, 8), MN), "!ownership.partition<out tile [4, 8], [M, N], f32>"),
    (
        PartitionType.of(Access.MUT, (4, 8), MN, (4, 5)),
        "!ownership.partition<mut tile [4, 8] step [4, 5], [M, N], f32>",
    ),
    (PartitionType.of(Access.OUT, (4, 8), MN, None, 0), "!ownership.partition<out tile [4, 8] ragged 0, [M, N], f32>"),
    (RegionType(PartitionType.of(Access.OUT, (4, 8), MN)), "!ownership.region<out tile [4, 8], [M, N], f32>"),
    (StringAttr("a"), '"a"'),
]


@pytest.mark.parametrize(("attribute", "text"), PRINTED, ids=[text for _, text in PRINTED])
def test_text_of_ownership_types(attribute: Attribute, text: str) -> None:
    from xdsl.parser import Parser

    from freehold.tools.context import make_context

    assert str(attribute) == text
    assert Parser(make_context(), text).parse_attribute() == attribute
