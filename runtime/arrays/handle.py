"""Handles of memory: what a tensor is, without what can be done with it."""

from __future__ import annotations

from itertools import count
from math import prod
from typing import Final, Literal, Protocol, TypeVar

from freehold.runtime.memory import views
from freehold.runtime.memory.ledger import Space
from freehold.runtime.memory.storage import Storage
from freehold.support.dtypes import DType
from freehold.support.public import refuse

State = Literal["owned", "lent", "lent exclusively", "exported", "moved", "freed", "lost"]

_KEYS: Final[dict[object, int]] = {}
_NEXT_KEY: Final = count()


class Handle:
    """A strided array of elements of one dtype, in memory that it is one of several handles of."""

    __slots__ = (
        "__weakref__", "_key", "device", "dtype", "epoch", "high", "low", "pointer", "shape", "space", "storage",
        "strides",
    )  # fmt: skip

    def __init__(
        self,
        storage: Storage,
        pointer: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: DType,
        epoch: int = 0,
    ):
        if not isinstance(storage, Storage):  # pyright: ignore[reportUnnecessaryIsInstance] -- what users may call
            refuse(
                "freehold.Tensor", "tensors are made by functions such as `freehold.zeros` and `freehold.from_numpy`"
            )
        self.storage: Final = storage
        """The allocation that it is in."""
        self.pointer: Final = pointer
        """The address of element (0, ..., 0)."""
        self.shape: Final = shape
        """The extents."""
        self.strides: Final = strides
        """In bytes."""
        self.dtype: Final = dtype
        """The type of its elements."""
        self.device: Final = storage.device
        """The number of the GPU, or `freehold.HOST`."""
        self.space: Final[Space] = storage.space
        """Where it is noted who uses it."""
        self.epoch: Final = epoch
        """How often its memory had changed hands when this handle was made."""
        low, high = views.reach(shape, strides, dtype.itemsize)
        self.low: Final = pointer + low
        """The address of its first byte in memory."""
        self.high: Final = pointer + high
        """The address behind its last byte."""
        self._key = -1

    __init__.__qualname__ = "Tensor"  # what Python says of wrong calls; nobody knows of handles

    # --- What it is ---------------------------------------------------------------------------------------------------

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The number of bytes of its elements."""
        return self.size * self.dtype.itemsize

    @property
    def is_contiguous(self) -> bool:
        """Whether its elements lie one behind the other in row-major order."""
        return views.is_contiguous(self.shape, self.strides, self.dtype.itemsize)

    @property
    def key(self) -> int:
        """Equal for tensors that a launch need not tell apart but by their addresses."""
        if self._key < 0:
            if len(_KEYS) >= 1 << 16:  # as many kinds of tensors as that come of slices of ever new extents
                _KEYS.clear()
            looks = (self.shape, self.strides, self.dtype.name, self.device)
            self._key = _KEYS.setdefault(looks, next(_NEXT_KEY))
        return self._key

    @property
    def state(self) -> State:
        """
        Who may use it: `owned` is whoever has it; `lent` that it may only be read, and `lent exclusively` that it may
        not even be read, but by whom it is lent to; `exported` that another library has it, too; `moved`, `freed` and
        `lost` that there is nothing to use.
        """
        gone = self.storage.gone
        if gone is not None:
            return "lost" if gone.how == "lost" else "freed"
        if self.storage.lost_to(self):
            return "moved"
        found: State = "owned"
        for hold in self.space.holds:
            if hold.touches(self):
                if hold.kind == "borrowed":
                    return "lent exclusively" if hold.exclusive else "lent"
                found = "exported"
        return found


H = TypeVar("H", bound=Handle)
H_co = TypeVar("H_co", bound=Handle, covariant=True)


class Maker(Protocol[H_co]):
    """A class of handles, for who makes new ones."""

    def __call__(
        self,
        storage: Storage,
        pointer: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: DType,
        epoch: int = 0,
        /,
    ) -> H_co: ...
