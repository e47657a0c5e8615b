"""The parameters of kernels: tensors by what a kernel may do with them, and compile-time constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar, cast, overload

from freehold.frontend.annotations import TensorAnnotation
from freehold.frontend.intrinsics import Padding, intrinsic, like, outside
from freehold.frontend.language.tile import Index, Operand, Scalar, Shape, Tile
from freehold.frontend.signature import ConstMarker
from freehold.support.dtypes import DType
from freehold.support.lazy import Lazy

if TYPE_CHECKING:
    from freehold.frontend import elements, memory, unsafe, windows
    from freehold.frontend.language.tile import i32
else:
    elements = Lazy("freehold.frontend.elements")
    memory = Lazy("freehold.frontend.memory")
    unsafe = Lazy("freehold.frontend.unsafe")
    windows = Lazy("freehold.frontend.windows")

T = TypeVar("T")
Const = Annotated[T, ConstMarker()]
"""A parameter whose value is known when the kernel is compiled: `BK: Const[int] = 64`."""


MemoryOrder: TypeAlias = Literal["weak", "relaxed", "acquire", "release", "acq_rel"]
"""Which accesses of other blocks an access is ordered with."""
Scope: TypeAlias = Literal["block", "device", "system"]
"""Among whom an access that is not weak is atomic and ordered."""


class Tensor:
    """What all tensor parameters have."""

    dtype: DType
    """The element type."""
    ndim: int
    """The number of axes."""
    shape: tuple[i32, ...]
    """The extents, in elements; each at least 1."""

    def __init__(self, *_: object, **__: object):
        outside(type(self).__name__)


class Ref(Tensor):
    """A tensor that a kernel may read anywhere, as any number of others may: `x: Ref["M", "K"]`."""

    __freehold_mode__ = "ref"

    def __class_getitem__(cls, item: object) -> Any:
        return TensorAnnotation("ref", _items(item))

    index: tuple[i32, ...]
    """Of one that was given a partition: this block's place in it, in tiles."""
    tile: tuple[int, ...]
    """Of one that was given a partition: its tile."""
    start: tuple[i32, ...]
    """Of one that was given a partition: the first element of this block's tile, along each axis."""
    stop: tuple[i32, ...]
    """Of one that was given a partition: the element behind the last of this block's tile."""

    @overload
    def load(
        self,
        index: Index | tuple[Index, ...],
        shape: tuple[()],
        *,
        padding: Padding = "zero",
        latency: int | None = None,
        allow_tma: bool | None = None,
    ) -> Scalar: ...

    @overload
    def load(
        self,
        index: Index | tuple[Index, ...],
        shape: Shape,
        *,
        padding: Padding = "zero",
        latency: int | None = None,
        allow_tma: bool | None = None,
    ) -> Tile: ...

    @overload
    def load(self, *, padding: Padding = "zero", latency: int | None = None, allow_tma: bool | None = None) -> Tile: ...

    @intrinsic(lambda: memory.load)
    def load(
        self,
        index: Index | tuple[Index, ...] = (),
        shape: Shape = (),
        *,
        padding: Padding = "zero",
        latency: int | None = None,
        allow_tma: bool | None = None,
    ) -> Tile:
        """
        Reads the tile at `index`, counted in tiles of `shape`: element `index[i] * shape[i]` is its first. With the
        shape `()` it is the one element at `index`, a scalar.

        What overhangs the tensor reads as `padding`. The index must lie in the tensor: that is proved, or checked
        at launch, or in the kernel. `latency` (1 to 10) and `allow_tma` are hints about speed. A tensor that was
        given a partition is read at this block's place where no index is given.
        """
        ...

    @intrinsic(lambda: memory.load_like)
    def load_like(
        self,
        region: Ref | Mut | Out | Region,
        *,
        padding: Padding = "zero",
        latency: int | None = None,
        allow_tma: bool | None = None,
    ) -> Tile:
        """The tile at the place of `region`: `load(region.index, region.tile)`."""
        ...

    @intrinsic(lambda: elements.load_from)
    def load_from(
        self,
        start: Index | tuple[Index, ...],
        shape: Shape,
        *,
        padding: Padding = "zero",
        latency: int | None = None,
        allow_tma: bool | None = None,
    ) -> Tile:
        """
        Reads the tile of `shape` that begins at element `start`, which may lie anywhere, also in front of it all.

        What is out of bounds reads as `padding`. For halos: `u.load_from((i * 64 - 1, j * 64 - 1), (128, 128))`.
        """
        ...

    @intrinsic(lambda: windows.window)
    def window(self, axis: int, start: Index, length: Index) -> Ref:
        """
        Elements `start` and on along an axis, `length` of them, as a tensor of its own.

        `start` is the same for all blocks: computed from scalar arguments, and from what is loaded at fixed places.
        `length` is made of extents, integer scalars and constants. That the window lies in the tensor is checked at
        launch where `start` is known there, or else once a block, before it does anything.
        """
        ...

    @intrinsic(lambda: elements.gather)
    def gather(
        self,
        *index: Operand,
        mask: Operand | None = None,
        padding: Padding | float = "zero",
        latency: int | None = None,
    ) -> Tile:
        """
        Reads the elements at `index`: one tile of integers an axis, which are broadcast together.

        As NumPy's `x[i, j]`, but that an index out of bounds, negative ones included, and one for which `mask` is
        false, reads as `padding`, which may be any number.
        """
        ...


class Region(Tensor):
    """The part of a `Mut` or `Out` tensor that one tile block owns."""

    index: tuple[i32, ...]
    """Its coordinates, in tiles."""
    tile: tuple[int, ...]
    """Its shape."""
    start: tuple[i32, ...]
    """Its first element along each axis."""
    stop: tuple[i32, ...]
    """The element behind its last one along each axis: what overhangs the tensor, or a group, is no part of it."""

    @intrinsic(lambda: memory.load)
    def load(self, *, padding: Padding = "zero", latency: int | None = None, allow_tma: bool | None = None) -> Tile:
        """Reads the region. What overhangs the tensor reads as `padding`."""
        ...

    @intrinsic(lambda: memory.store)
    def store(self, tile: Operand, *, latency: int | None = None, allow_tma: bool | None = None) -> None:
        """Writes the region. What overhangs the tensor is not written; elements are converted to its dtype."""
        ...

    @intrinsic(lambda: memory.release)
    def release(self) -> None:
        """Gives the region back before the kernel ends; it may not be used afterwards."""
        ...


class Mut(Region):
    """A tensor of which each tile block reads and writes its own region: `y: Mut["N"]`."""

    __freehold_mode__ = "mut"

    def __class_getitem__(cls, item: object) -> Any:
        return TensorAnnotation("mut", _items(item))

    @intrinsic(lambda: memory.at)
    def at(self, *index: Index) -> Region:
        """The region at other coordinates, where the compiler can prove that no other block owns it."""
        ...

    @intrinsic(lambda: windows.window)
    def window(self, axis: int, start: Index, length: Index) -> Mut:
        """
        Elements `start` and on along an axis, `length` of them, as a tensor of its own: `Ref.window`.

        The partition that the launch gives is one of the window, and the rest of the tensor stays as it is.
        """
        ...


class Out(Region):
    """A tensor of which each tile block writes its own region, and reads it only after that: `c: Out["M", "N"]`."""

    __freehold_mode__ = "out"

    def __class_getitem__(cls, item: object) -> Any:
        return TensorAnnotation("out", _items(item))

    @intrinsic(lambda: memory.at)
    def at(self, *index: Index) -> Region:
        """The region at other coordinates, where the compiler can prove that no other block owns it."""
        ...

    @intrinsic(lambda: windows.window)
    def window(self, axis: int, start: Index, length: Index) -> Out:
        """
        Elements `start` and on along an axis, `length` of them, as a tensor of its own: `Ref.window`.

        The partition that the launch gives is one of the window, all of which is written; the rest of the tensor
        stays as it is.
        """
        ...


class Place:
    """A place in an `Acc` tensor, to which a tile is added."""

    @intrinsic(lambda: elements.update)
    def add(self, tile: Operand) -> None:
        """Adds a tile, element by element; what overhangs the tensor is left out."""
        ...

    @intrinsic(lambda: elements.update)
    def maximum(self, tile: Operand) -> None:
        """Makes each element the greater of itself and the tile's. Integers of 32 and 64 bits."""
        ...

    @intrinsic(lambda: elements.update)
    def minimum(self, tile: Operand) -> None:
        """Makes each element the lesser of itself and the tile's. Integers of 32 and 64 bits."""
        ...

    @intrinsic(lambda: elements.update)
    def bitwise_and(self, tile: Operand) -> None:
        """Keeps the bits that the tile has, too. Integers of 32 and 64 bits."""
        ...

    @intrinsic(lambda: elements.update)
    def bitwise_or(self, tile: Operand) -> None:
        """Sets the bits that the tile has. Integers of 32 and 64 bits."""
        ...

    @intrinsic(lambda: elements.update)
    def bitwise_xor(self, tile: Operand) -> None:
        """Flips the bits that the tile has. Integers of 32 and 64 bits."""
        ...


class Acc(Tensor, Place):
    """
    A tensor that any tile block updates, atomically, and none reads: `dw: Acc[f32, "N"]`.

    Blocks may meet at an element: updates of one kind commute, and all updates of a tensor in a kernel are of one kind.
    The caller initialises it; sums of floats depend on the order of the summands in their last bits.
    """

    __freehold_mode__ = "acc"
    index: tuple[i32, ...]
    """The coordinates of this block's part, where the launch was given a partition of it."""
    tile: tuple[int, ...]
    """The shape of that part."""
    start: tuple[i32, ...]
    """The first element of that part, along each axis."""
    stop: tuple[i32, ...]
    """The element behind its last."""

    def __class_getitem__(cls, item: object) -> Any:
        return TensorAnnotation("acc", _items(item))

    @intrinsic(lambda: elements.at)
    def at(self, *index: Index) -> Place:
        """The place at `index`, counted in tiles of the shape of what is added there."""
        ...

    @intrinsic(lambda: elements.update_at)
    def add_at(self, values: Operand, *index: Operand, mask: Operand | None = None) -> None:
        """
        Adds each element of `values` to the element that the indices name, as `numpy.add.at` does.

        One tile of integers an axis; all are broadcast together. An index out of bounds, and one for which `mask`
        is false, does nothing. Two that name one element both count.
        """
        ...

    @intrinsic(lambda: elements.update_at)
    def maximum_at(self, values: Operand, *index: Operand, mask: Operand | None = None) -> None:
        """As `add_at`, with the greater of both."""
        ...

    @intrinsic(lambda: elements.update_at)
    def minimum_at(self, values: Operand, *index: Operand, mask: Operand | None = None) -> None:
        """As `add_at`, with the lesser of both."""
        ...

    @intrinsic(lambda: elements.update_at)
    def bitwise_and_at(self, values: Operand, *index: Operand, mask: Operand | None = None) -> None:
        """As `add_at`, with the bits that both have."""
        ...

    @intrinsic(lambda: elements.update_at)
    def bitwise_or_at(self, values: Operand, *index: Operand, mask: Operand | None = None) -> None:
        """As `add_at`, with the bits that either has."""
        ...

    @intrinsic(lambda: elements.update_at)
    def bitwise_xor_at(self, values: Operand, *index: Operand, mask: Operand | None = None) -> None:
        """As `add_at`, with the bits that one of both has."""
        ...


class Raw(Tensor):
    """
    A tensor of which nothing is proved: `locks: Raw[i32, "N"]`. It is accessed in `with unsafe("why"):` alone.

    Elements are named by one tile of integers an axis, broadcast together; an index out of bounds is undefined. `order`
    and `scope` are those of the memory model: a "weak" access may not race with another.
    """

    __freehold_mode__ = "raw"
    index: tuple[i32, ...]
    """The coordinates of this block's place, where the launch was given a partition of it."""
    tile: tuple[int, ...]
    """The tile of that partition."""

    def __class_getitem__(cls, item: object) -> Any:
        return TensorAnnotation("raw", _items(item))

    @intrinsic(lambda: unsafe.gather)
    def gather(
        self,
        *index: Operand,
        mask: Operand | None = None,
        padding: Padding | float = "zero",
        order: MemoryOrder = "weak",
        scope: Scope | None = None,
    ) -> Tile:
        """Reads elements. `order` is "weak", "relaxed" or "acquire"."""
        ...

    @intrinsic(lambda: unsafe.scatter)
    def scatter(
        self,
        values: Operand,
        *index: Operand,
        mask: Operand | None = None,
        order: MemoryOrder = "weak",
        scope: Scope | None = None,
    ) -> None:
        """Writes elements. `order` is "weak", "relaxed" or "release"."""
        ...

    @intrinsic(lambda: unsafe.update)
    def atomic_add(
        self,
        values: Operand,
        *index: Operand,
        mask: Operand | None = None,
        order: MemoryOrder = "relaxed",
        scope: Scope | None = None,
    ) -> Tile:
        """Adds to elements, and yields what they were."""
        ...

    atomic_max = like(atomic_add, "atomic_max", "Makes elements the greater of both; otherwise as `atomic_add`.")
    atomic_min = like(atomic_add, "atomic_min", "Makes elements the lesser of both; otherwise as `atomic_add`.")
    atomic_and = like(atomic_add, "atomic_and", "Keeps the bits that both have; otherwise as `atomic_add`.")
    atomic_or = like(atomic_add, "atomic_or", "Sets the bits that either has; otherwise as `atomic_add`.")
    atomic_xor = like(atomic_add, "atomic_xor", "Keeps the bits that one of both has; otherwise as `atomic_add`.")
    atomic_exchange = like(atomic_add, "atomic_exchange", "Replaces elements; otherwise as `atomic_add`.")

    @intrinsic(lambda: unsafe.swap)
    def atomic_cas(
        self,
        expected: Operand,
        desired: Operand,
        *index: Operand,
        mask: Operand | None = None,
        order: MemoryOrder = "relaxed",
        scope: Scope | None = None,
    ) -> Tile:
        """Replaces elements that equal `expected`, bit by bit, by `desired`, and yields what they were."""
        ...


def _items(item: object) -> tuple[object, ...]:
    if isinstance(item, tuple):
        return cast("tuple[object, ...]", item)
    return (item,)
