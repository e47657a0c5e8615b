"""
Tensors: strided arrays in a GPU's memory or the host's, with an owner.

    x = fh.zeros((4096, 4096), fh.bf16).sync()
    half = x[:2048]                      # a view: the same memory
    y = x.astype(fh.f32).sync()          # a copy, as an operation
    with half.borrow_mut() as array:     # lent to the host: a NumPy array
        array[0, 0] = 1

A tensor is a handle of memory. Views share it, and it lives as long as one of them; what is in flight on it keeps it
longer. Whatever touches the same bytes is put in order, whichever stream it runs on (`freehold.runtime.memory.ledger`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from freehold.runtime.arrays.copying import converted, filled, over, overwritten, read, write
from freehold.runtime.arrays.dlpack import dlpack_device, exported, ready_on
from freehold.runtime.arrays.elements import dtype_of
from freehold.runtime.arrays.handle import Handle
from freehold.runtime.base import native
from freehold.runtime.base.call_site import CallSite, caller
from freehold.runtime.base.locks import lock
from freehold.runtime.errors.refusing import errors, reject
from freehold.runtime.gpu.timeline import let_go, timeline
from freehold.runtime.memory import blame, ledger, views
from freehold.runtime.memory.arguments import HOST
from freehold.runtime.memory.ledger import Hold, Refusal, Space
from freehold.runtime.memory.storage import Storage
from freehold.support.dtypes import DType, u8
from freehold.support.public import refuse as wrong_call

if TYPE_CHECKING:
    from freehold.frontend.language.tile import AnyDType
    from freehold.runtime.operations.operation import Operation


_LETTER: Final = {"bool": "b", "int": "i", "float": "f"}


class Tensor(Handle):
    """
    A strided array of elements of one dtype. Made by `freehold.zeros` and its like, `from_numpy`, `from_dlpack`.

    Indexing with integers, slices, `...` and `None`, `reshape`, `permute` and `reinterpret` make views and never copy.
    What copies is an operation, done when it is run.
    """

    __slots__ = ()

    def __len__(self) -> int:
        if not self.shape:
            wrong_call("len", "a tensor without axes has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        """The views along the first axis, as NumPy's arrays give them."""
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> NoReturn:
        wrong_call(
            "bool", "a tensor is neither true nor false: `.item()` reads the value of one that has a single element"
        )

    def __repr__(self) -> str:
        place = "the host" if self.device == HOST else f"GPU {self.device}"
        state = self.state
        return f"<tensor {self.shape} of {self.dtype} on {place}{'' if state == 'owned' else f', {state}'}>"

    def __reduce__(self) -> NoReturn:
        wrong_call(
            "copy", "a tensor is not copied by `copy` nor pickled: `.copy().sync()` copies it, `.numpy()` reads it"
        )

    # --- Views --------------------------------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Tensor:
        """
        A view of some of the elements, as NumPy's by integers, slices, `...` and `None`. Raises `Rejected` (O255).
        """
        try:
            layout = views.indexed(self.shape, self.strides, index)
        except views.NoView as e:
            self._no_view(f"[{_shown(index)}]", e)
        return self._view(layout)

    def reshape(self, *shape: int | tuple[int, ...]) -> Tensor:
        """
        The same elements in row-major order under another shape; one extent may be -1.

        Raises `Rejected` (O255) where the elements would have to be copied for it, or are not as many.
        """
        try:
            new = views.shape_of(shape, self.size)
            return self._view(views.reshaped(self.shape, self.strides, new, self.dtype.itemsize))
        except views.NoView as e:
            self._no_view(f".reshape({_shown(shape)})", e)

    def permute(self, *axes: int | tuple[int, ...]) -> Tensor:
        """A view with axis `axes[i]` at place `i`. Raises `Rejected` (O255)."""
        try:
            return self._view(views.permuted(self.shape, self.strides, axes))
        except views.NoView as e:
            self._no_view(f".permute({_shown(axes)})", e)

    def transpose(self, *axes: int | tuple[int, ...]) -> Tensor:
        """A view with the axes reversed, or permuted as given. Raises `Rejected` (O255)."""
        return self.permute(*axes) if axes else self.T

    @property
    def T(self) -> Tensor:
        """A view with the axes reversed."""
        return self._view(views.Layout(0, self.shape[::-1], self.strides[::-1]))

    def reinterpret(self, dtype: AnyDType) -> Tensor:
        """
        A view of the same bytes as elements of another dtype; where its size differs, the last axis grows or shrinks.

        Raises `Rejected` (O255) where sizes, strides or the address do not fit.
        """
        new = dtype_of(dtype)
        try:
            layout = views.reinterpreted(self.shape, self.strides, self.dtype.itemsize, new.itemsize)
            if self.pointer % new.itemsize:
                raise views.NoView(f"it begins at an address that is no multiple of {new.itemsize}", copies=True)
        except views.NoView as e:
            self._no_view(f".reinterpret({new})", e)
        return self._view(layout, new)

    def _view(self, layout: views.Layout, dtype: DType | None = None) -> Tensor:
        pointer = self.pointer + layout.offset
        return Tensor(self.storage, pointer, layout.shape, layout.strides, dtype or self.dtype, self.epoch)

    def _no_view(self, what: str, why: views.NoView) -> NoReturn:
        error = errors.ViewUnfit(caller().span, self.shape, what, why.why)
        if why.copies:
            error.add(error.Copy())
        reject(error)

    # --- Owners -------------------------------------------------------------------------------------------------------

    def move(self) -> Tensor:
        """
        Hands the memory over: the tensor that is returned owns it, and this one and all views of its bytes are used up.

        Work in flight goes on. Raises `Rejected` where it is lent, moved, freed or lost.
        """
        site = caller()
        with lock(self.space.device):
            self._verify("move", site, write=True, verb="move")
            epoch = self.storage.move(self, site)
            self.space.disturb()
        return Tensor(self.storage, self.pointer, self.shape, self.strides, self.dtype, epoch)

    def free(self) -> None:
        """
        Gives the memory back when all work on it is done, without waiting; all views of the allocation end, too.

        A tensor that nobody refers to is freed by itself. Raises `Rejected` where it is lent, exported or gone.
        """
        site = caller()
        whole = Tensor(self.storage, self.storage.address, (self.storage.nbytes,), (1,), u8, self.epoch)
        with lock(self.space.device):
            self._verify("free", site, write=True, verb="free")
            for hold in self.space.holds:
                if hold.touches(whole):
                    raise _blame("free", site, "free")(Refusal(self, True, hold))
            self.storage.free(site)
        let_go()

    def borrow(self) -> AbstractContextManager[Any]:
        """
        Lends it to the host: `with x.borrow() as array`. Meanwhile nobody may write it.

        `array` is a read-only NumPy array over the same memory, or for a tensor on a GPU a copy. Waits for work in
        flight that writes it. Raises `Rejected` where it is lent exclusively or gone.
        """
        return self._lent(False, caller())

    def borrow_mut(self) -> AbstractContextManager[Any]:
        """
        Lends it to the host exclusively: `with x.borrow_mut() as array`. Meanwhile nobody else may use it.

        `array` is a NumPy array over the same memory, or for a tensor on a GPU a copy, whose contents are copied back
        when the block ends, if it does so without an exception; behind the block it is read-only. Parts of it that are
        kept, `row = array[0]`, are not: do not write them. Waits for all work in flight on it. Raises as `borrow`.
        """
        return self._lent(True, caller())

    @contextmanager
    def _lent(self, exclusive: bool, site: CallSite) -> Generator[Any]:
        try:
            held = ledger.hold([self], "borrowed", "the host", exclusive=exclusive, site=site)
        except Refusal as e:
            raise _blame("borrow_mut" if exclusive else "borrow", site)(e) from None
        try:
            ledger.join([self], write=exclusive)
            array = self._array(held)
            if not exclusive:
                _close(array)
            try:
                yield array
                if exclusive and self.device != HOST:
                    write(self, array, None, held)
            finally:
                _close(array)  # who kept it writes no more: the memory may be another's now
        finally:
            held.release()

    def _array(self, held: Hold) -> Any:
        """A NumPy array over its memory, or a copy of what is on a GPU, for who holds it."""
        return over(self) if self.device == HOST else read(self, None, held)

    def _verify(self, name: str, site: CallSite, *, write: bool, verb: str = "") -> None:
        try:
            ledger.verify(self, write)
        except Refusal as e:
            raise _blame(name, site, verb)(e) from None

    # --- Reading ------------------------------------------------------------------------------------------------------

    def numpy(self) -> Any:
        """
        A copy as a NumPy array, made when the work in flight that writes it is done.

        Elements that NumPy does not have are those of `ml_dtypes`. Raises `Rejected` where it is lent exclusively
        or gone.
        """
        return read(self, _blame("numpy", caller()))

    def item(self) -> Any:
        """The value of its only element. Raises `ValueError` where there are more or none, and as `numpy` does."""
        if self.size != 1:
            wrong_call("Tensor.item", f"it reads a single element, and there are {self.size}")
        return read(self, _blame("item", caller())).item()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """A copy for NumPy's functions. Raises as `numpy` does, and `ValueError` if `copy` is False."""
        if copy is False:
            wrong_call(
                "numpy.asarray", "a tensor becomes a NumPy array by a copy: `with x.borrow() as array` lends its memory"
            )
        array = read(self, _blame("numpy", caller()))
        return array if dtype is None else array.astype(dtype, copy=False)

    # --- Operations ---------------------------------------------------------------------------------------------------

    def copy(self) -> Operation[Tensor]:
        """A contiguous copy in new memory of the same device, as an operation."""
        return converted(self, self.dtype, self.device, "copy", caller())

    def astype(self, dtype: AnyDType) -> Operation[Tensor]:
        """
        A contiguous copy with its elements converted, as an operation, also where the dtype is the same.

        Floats become integers by dropping the fraction; what does not fit a narrower type is unspecified.
        """
        return converted(self, dtype_of(dtype), self.device, "astype", caller())

    def to(self, device: int) -> Operation[Tensor]:
        """A contiguous copy in the memory of a GPU, by number, or of the host (`freehold.HOST`), as an operation."""
        return converted(self, self.dtype, device, "to", caller())

    def copy_from(self, source: Any) -> Operation[Tensor]:
        """
        Overwrites its elements with those of another tensor or array of the same shape, anywhere, as an operation.

        Elements of another dtype are converted. The value is the tensor itself. Raises `Rejected` (O256, O257).
        """
        return overwritten(self, source, caller())

    def fill(self, value: float | bool) -> Operation[Tensor]:
        """Overwrites all elements with a value, as an operation, whose value is the tensor itself."""
        return filled(self, value, caller())

    # --- Other libraries ----------------------------------------------------------------------------------------------

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack_device(self)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """
        Its memory for another library, which shares it for as long as its array lives: `torch.from_dlpack(x)`.

        The stream that the library names waits for work in flight. Raises `BufferError` where it is lent exclusively or
        gone, and for a copy or another device, which are operations.
        """
        return exported(self, stream, max_version, dl_device, copy, caller())

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """It for libraries that read this protocol, which has no bfloat16 and no 8-bit floats."""
        kind = self.dtype.kind
        if self.device == HOST:
            raise AttributeError("`__cuda_array_interface__` describes memory of GPUs, and this tensor is on the host")
        if self.dtype.name in ("bf16", "f8e4m3fn", "f8e5m2", "f8e8m0fnu"):
            raise AttributeError(f"`__cuda_array_interface__` cannot describe elements of {self.dtype}")
        self._verify("__cuda_array_interface__", caller(), write=True)
        ready_on(self, timeline(self.device))
        letter = "u" if kind == "int" and not self.dtype.signed else _LETTER[kind]
        order = "|" if self.dtype.itemsize == 1 else "<"
        return {
            "version": 3,
            "shape": self.shape,
            "strides": None if self.is_contiguous else self.strides,
            "typestr": f"{order}{letter}{self.dtype.itemsize}",
            "data": (self.pointer, False),
            "stream": 1,
        }


def _close(array: Any) -> None:
    """Makes an array read-only for good: NumPy lets nobody open it again if what it is a view of is closed, too."""
    while array is not None and hasattr(array, "flags"):
        array.flags.writeable = False
        array = array.base


def _blame(name: str, site: CallSite, verb: str = "") -> ledger.Blame:
    return blame.of_method(name, site, verb)


def _shown(index: Any) -> str:
    """An index or arguments as they are written."""
    if isinstance(index, tuple):
        return ", ".join(_shown(i) for i in cast("tuple[Any, ...]", index))
    if isinstance(index, slice):
        given = cast(Any, index)
        parts = [given.start, given.stop] if given.step is None else [given.start, given.stop, given.step]
        return ":".join("" if p is None else str(p) for p in parts)
    return "..." if index is Ellipsis else str(index)


native.learn("Tensor", Tensor(Storage(0, 0, HOST, None, Space()), 0, (), (), u8))
