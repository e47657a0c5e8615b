"""The parameters of kernels: tensors by what a kernel may do with them, and compile-time constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from freehold.frontend.intrinsics import Padding, outside
from freehold.frontend.language.tile import Index, Operand, Scalar, Shape, Tile
from freehold.frontend.signature import ConstMarker, TensorAnnotation
from freehold.support.dtypes import DType

T = TypeVar("T")
Const = Annotated[T, ConstMarker()]
"""A parameter whose value is known when the kernel is compiled: `BK: Const[int] = 64`."""


class Tensor:
    """What all tensor parameters have."""

    dtype: DType
    """The element type."""
    ndim: int
    """The number of axes."""
    if TYPE_CHECKING:
        shape: tuple[Scalar, ...]
        """The extents, in elements; each at least 1."""

    def __init__(self, *_: object):
        outside(type(self).__name__)


class Ref(Tensor):
    """A tensor that a kernel may read anywhere, as any number of others may: `x: Ref["M", "K"]`."""

    __freehold_mode__ = "ref"

    def __class_getitem__(cls, item: object) -> Any:
        return TensorAnnotation("ref", _items(item))

    if TYPE_CHECKING:

        def load(
            self,
            index: Index | tuple[Index, ...],
            shape: Shape,
            *,
            padding: Padding = "zero",
            latency: int | None = None,
            allow_tma: bool | None = None,
        ) -> Tile:
            """
            Reads the tile at `index`, counted in tiles of `shape`: element `index[i] * shape[i]` is its first.

            What overhangs the tensor reads as `padding`. The index must lie in the tensor: that is proved, or checked
            at launch, or in the kernel. `latency` (1 to 10) and `allow_tma` are hints about speed.
            """
            ...

        def load_like(
            self,
            region: Mut | Out | Region,
            *,
            padding: Padding = "zero",
            latency: int | None = None,
            allow_tma: bool | None = None,
        ) -> Tile:
            """The tile at the place of `region`: `load(region.index, region.tile)`."""
            ...


class Region(Tensor):
    """The part of a `Mut` or `Out` tensor that one tile block owns."""

    index: tuple[Scalar, ...]
    """Its coordinates, in tiles."""
    tile: tuple[int, ...]
    """Its shape."""

    if TYPE_CHECKING:

        def load(self, *, padding: Padding = "zero", latency: int | None = None, allow_tma: bool | None = None) -> Tile:
            """Reads the region. What overhangs the tensor reads as `padding`."""
            ...

        def store(self, tile: Operand, *, latency: int | None = None, allow_tma: bool | None = None) -> None:
            """Writes the region. What overhangs the tensor is not written; elements are converted to its dtype."""
            ...

        def release(self) -> None:
            """Gives the region back before the kernel ends; it may not be used afterwards."""
            ...


class Mut(Region):
    """A tensor of which each tile block reads and writes its own region: `y: Mut["N"]`."""

    __freehold_mode__ = "mut"

    def __class_getitem__(cls, item: object) -> Any:
        return TensorAnnotation("mut", _items(item))

    if TYPE_CHECKING:

        def at(self, *index: Index) -> Region:
            """The region at other coordinates, where the compiler can prove that no other block owns it."""
            ...


class Out(Region):
    """A tensor of which each tile block writes its own region, and reads it only after that: `c: Out["M", "N"]`."""

    __freehold_mode__ = "out"

    def __class_getitem__(cls, item: object) -> Any:
        return TensorAnnotation("out", _items(item))

    if TYPE_CHECKING:

        def at(self, *index: Index) -> Region:
            """The region at other coordinates, where the compiler can prove that no other block owns it."""
            ...


def _items(item: object) -> tuple[object, ...]:
    if isinstance(item, tuple):
        return cast("tuple[object, ...]", item)
    return (item,)
