"""
Arrays as kernels see them: an address, extents, strides in elements, a dtype and a place.

Each library's arrays are read by their own attributes, and no library is imported for it: a class tells by its module
whose it is. Everything else is asked for `__cuda_array_interface__` and `__dlpack__`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from operator import index
from typing import Any, Final, cast

from freehold.frontend.schedule import PartitionSpec
from freehold.frontend.signature import TensorSpec
from freehold.runtime.base.locks import HOST
from freehold.runtime.gpu import driver
from freehold.support.dtypes import DType, from_name, u8

ALIGNMENT: Final = 16
"""Kernels are specialised to base addresses, strides, and extents of contiguous axes that are multiples of so many
bytes or not: it is what the copy engine asks for. More facts would make more variants and no faster ones."""


class Unreadable(Exception):
    """An object is no array that kernels can work on; `why`, where it is not obvious, is a sentence."""

    def __init__(self, why: str = ""):
        super().__init__(why)
        self.why = why


class UnknownDType(Exception):
    """An array's elements are of a type that kernels do not have; `name` is its name."""

    def __init__(self, name: str):
        super().__init__(name)
        self.name = name


class ArrayView:
    """What a launch needs to know about one array. Valid as long as `owner` is."""

    __slots__ = ("device", "dtype", "family", "owner", "pointer", "read_only", "shape", "stream", "strides")

    def __init__(
        self,
        owner: object,
        pointer: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: DType,
        device: int,
        family: str,
        read_only: tuple[str, str] | None = None,
        stream: int | None = None,
    ):
        self.owner = owner
        """The array, or what keeps its memory alive."""
        self.pointer = pointer
        """The address of element (0, ..., 0)."""
        self.shape = shape
        self.strides = strides
        """In bytes."""
        self.dtype = dtype
        self.device = device
        """The number of the GPU, or `HOST`."""
        self.family = family
        """Whose current stream to use: `torch`, `cupy`, `numpy`, `freehold` or empty."""
        self.read_only = read_only
        """Why it may not be written, and what to do about it."""
        self.stream = stream
        """A stream whose work must be done before the memory is touched, as a driver handle."""

    @property
    def size(self) -> int:
        """Bytes from the first byte of the first element to the last byte of the last, if all strides are positive."""
        span = sum((extent - 1) * stride for extent, stride in zip(self.shape, self.strides, strict=True))
        return span + self.dtype.itemsize

    @property
    def element_strides(self) -> tuple[int, ...]:
        """The strides in elements; that of an axis of one element, which means nothing, as in a contiguous array."""
        strides: list[int] = []
        contiguous = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            strides.append(stride // self.dtype.itemsize if extent != 1 else contiguous)
            contiguous = strides[-1] * extent
        return tuple(reversed(strides))

    @property
    def place(self) -> str:
        """Where it is, in words."""
        return "the host" if self.device == HOST else f"GPU {self.device}"

    def spec(self, partition: PartitionSpec | None) -> TensorSpec:
        """What a kernel is specialised to for this array."""
        strides = self.element_strides
        unit = max(1, ALIGNMENT // self.dtype.itemsize)
        return TensorSpec(
            dtype=self.dtype,
            rank=len(self.shape),
            align=_power_of_two(self.pointer),
            strides=tuple([int(s == 1) for s in strides]),
            stride_divs=tuple([1 if s in (0, 1) or s % unit else unit for s in strides]),
            extent_divs=tuple([1 if s != 1 or e % unit else unit for e, s in zip(self.shape, strides, strict=True)]),
            partition=partition,
        )


def _power_of_two(pointer: int) -> int:
    """The largest power of two, up to `ALIGNMENT`, that the address is a multiple of."""
    return min(pointer & -pointer, ALIGNMENT) or ALIGNMENT


def view(array: object) -> ArrayView:
    """Reads an array. Raises `Unreadable` or `UnknownDType`."""
    kind = type(array)
    read = _READERS.get(kind)
    if read is None:
        read = _READERS[kind] = _reader(kind)
    return read(array)


def read_by(kind: type, read: Callable[[Any], ArrayView]) -> None:
    """Makes `view` read arrays of a class, and not those of classes made of it, by a function."""
    _READERS[kind] = read


def is_array(value: object) -> bool:
    """Whether `view` would try to read it, without doing so."""
    kind = type(value)
    return _family(kind) in _BY_FAMILY or hasattr(kind, "__dlpack__") or hasattr(kind, "__cuda_array_interface__")


def _family(kind: type) -> str:
    for base in kind.__mro__:
        library = base.__module__.partition(".")[0]
        name = base.__name__
        if (library, name) in _CLASSES:
            return library
    return ""


def quick_family(kind: type[Any]) -> str | None:
    """The library of a class of arrays that can be read quickly; None for others, also for classes made of it."""
    name = f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
    known = {"torch.Tensor": "torch", "torch.Parameter": "torch", "cupy.ndarray": "cupy", "freehold.Tensor": "freehold"}
    return known.get(name)


def is_self_describing(kind: type[Any]) -> bool:
    """Whether objects of a class are read by what they say of themselves, if anything: some say it, not their class."""
    return _READERS.get(kind, _reader(kind)) is _foreign


_CLASSES: Final = frozenset((("torch", "Tensor"), ("numpy", "ndarray"), ("cupy", "ndarray"), ("freehold", "Tensor")))


def _reader(kind: type) -> Callable[[Any], ArrayView]:
    if any(base.__name__ == "MaskedArray" and base.__module__.startswith("numpy.ma") for base in kind.__mro__):
        return _masked
    return _BY_FAMILY.get(_family(kind), _foreign)


@cache
def _dtype(name: str) -> DType:
    dtype = u8 if name == "torch.float4_e2m1fn_x2" else from_name(name)  # bytes of two elements each
    if dtype is None or dtype.storage_bits == 0:
        raise UnknownDType(name.rpartition(".")[2])
    return dtype


_TRANSFORMED: Final = (
    "`torch.func` and `vmap` hand on tensors that have no memory: use `torch.autograd`, and under `vmap` an operator "
    "(`as_torch_op`) of which `torch.library.register_vmap` says how it is batched"
)


def _torch(tensor: Any) -> ArrayView:
    import sys

    torch: Any = sys.modules["torch"]
    if cast(Any, type(tensor)).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
        name = type(tensor).__name__
        instead = "pass what is inside it"
        if name == "FakeTensor":
            instead = (
                "`torch.compile` traces launches, and so does `torch.export.export(..., strict=True)`; "
                "in other traces call an operator, of `as_torch_op`"
            )
        raise Unreadable(f"a {name} stands for tensors and is none itself: {instead}")
    owner = tensor
    if type(tensor) is not torch.Tensor:  # what attributes of a subclass say is not what torch works on
        with torch._C.DisableTorchFunctionSubclass():
            tensor = torch.Tensor.as_subclass(tensor, torch.Tensor)
    if tensor.layout is not torch.strided:
        raise Unreadable(f"its layout is {tensor.layout}: pass a dense tensor")
    if tensor.is_nested:
        raise Unreadable("it is a nested tensor: pass its values and offsets as two tensors")
    dtype = _dtype(str(tensor.dtype))
    if tensor.is_neg():
        raise Unreadable("its elements are negated when they are read: pass `resolve_neg()` of it")
    place = tensor.device.type
    if place not in ("cpu", "cuda"):
        raise Unreadable(f"it is on {place}" + (", where tensors have no elements" if str(place) == "meta" else ""))
    read_only = None
    if tensor.requires_grad and torch.is_grad_enabled():
        read_only = ("autograd watches it", _UNWATCHED)
    strides = tuple([s * dtype.itemsize for s in tensor.stride()])
    device = tensor.get_device() if place == "cuda" else HOST
    try:
        pointer = tensor.data_ptr()
    except RuntimeError:
        raise Unreadable(_TRANSFORMED) from None
    found = ArrayView(owner, pointer, tuple(tensor.shape), strides, dtype, device, "torch", read_only)
    held = tensor.untyped_storage().nbytes() - tensor.storage_offset() * dtype.itemsize
    if held < found.size and 0 not in found.shape:
        raise Unreadable(f"its elements take {found.size} bytes, and its storage, which was resized, has {held}")
    return found


_KINDS: Final = {"U": "str", "S": "bytes", "V": "record"}
"""What NumPy's types are called that have a length: their own names have it in bits."""


def _numpy(array: Any) -> ArrayView:
    import numpy

    plain = numpy.asarray(array)  # what attributes of a subclass say is not what NumPy works on
    if not plain.dtype.isnative:
        raise UnknownDType(str(plain.dtype))
    dtype = _dtype(_KINDS.get(plain.dtype.char) or plain.dtype.name)
    read_only = None if plain.flags.writeable else ("it is read-only", "pass an array that may be written")
    pointer = plain.__array_interface__["data"][0]
    return ArrayView(array, pointer, plain.shape, plain.strides, dtype, HOST, "numpy", read_only)


_MASKED: Final = "masked arrays have no meaning in kernels"


def _masked(array: Any) -> ArrayView:
    del array
    raise Unreadable(f"{_MASKED}: say what stands for what is masked, `.filled(0)`")


def _cupy(array: Any) -> ArrayView:
    dtype = _dtype(array.dtype.name)
    return ArrayView(array, array.data.ptr, array.shape, array.strides, dtype, array.device.id, "cupy")


def _own(array: Any) -> ArrayView:
    return ArrayView(array, array.pointer, array.shape, array.strides, array.dtype, array.device, "freehold")


_UNWATCHED: Final = (
    "if no gradient shall go through this launch, run it under `torch.no_grad()`; else make an operator of the "
    "kernel, `as_torch_op(..., returns=[...], backward=...)`"
)

_OF_JAX: Final = (
    'make a function of JAX arrays, which returns what it writes, `{kernel}.as_jax({{"{name}": tile}})`; '
    "or pass an array of another library"
)

_BY_FAMILY: Final[dict[str, Callable[[Any], ArrayView]]] = {
    "torch": _torch,
    "numpy": _numpy,
    "cupy": _cupy,
    "freehold": _own,
}
_READERS: Final[dict[type, Callable[[Any], ArrayView]]] = {}

_TYPESTR: Final = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}
_TYPESTR_FORM: Final = re.compile("[<|=]([biufc])([0-9]+)")


def _foreign(array: Any) -> ArrayView:
    """Whatever follows one of the two protocols; `__cuda_array_interface__` first, as it makes no capsule."""
    immutable = type(array).__module__.partition(".")[0] in ("jax", "jaxlib")
    read_only = ("JAX arrays never change", _OF_JAX) if immutable else None
    try:
        interface = array.__cuda_array_interface__
    except (AttributeError, RuntimeError, TypeError, ValueError):  # e.g. an array on the host, or of bfloat16
        interface = None
    except Exception as e:
        raise Unreadable(f"its `__cuda_array_interface__` raises {type(e).__name__}: {e}") from e
    if interface is not None:
        return _cuda_interface(array, interface, read_only)
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        return _dlpack(array, read_only)
    raise Unreadable


def _cuda_interface(array: Any, interface: Any, read_only: tuple[str, str] | None) -> ArrayView:
    """An array by its description, which is read once: what it says is taken as plain numbers, and then judged."""
    try:
        said: dict[str, Any] = dict(interface)
        typestr, (pointer, locked) = said["typestr"], said["data"]
        pointer = index(pointer)
        shape = tuple(map(index, said["shape"]))
        strides, stream = said.get("strides"), said.get("stream")
        strides = None if strides is None else tuple(map(index, strides))
        stream = None if stream is None else index(stream)
    except KeyError as e:
        raise Unreadable(f"its `__cuda_array_interface__` has no {e}") from None
    except (TypeError, ValueError) as e:
        raise Unreadable(f"its `__cuda_array_interface__` cannot be read: {e}") from None
    if said.get("mask") is not None:
        raise Unreadable(_MASKED)
    if (
        not isinstance(typestr, str)
        or typestr[:1] == ">"
        or typestr[1:2] not in _TYPESTR
        or not typestr[2:].isdecimal()
    ):
        raise UnknownDType(str(typestr))
    kind = _TYPESTR[typestr[1]]
    dtype = _dtype(kind if kind == "bool" else f"{kind}{int(typestr[2:]) * 8}")
    if strides is None:
        strides = contiguous(shape, dtype.itemsize)
    if min(shape, default=0) < 0 or len(strides) != len(shape):
        raise Unreadable(f"its shape is {shape}, and its strides are {strides} bytes")
    if not (0 in shape or 0 < pointer < 1 << 64):
        raise Unreadable(f"its address is {pointer}")
    if locked and read_only is None:
        read_only = ("it is read-only", "pass an array that may be written")
    return ArrayView(array, pointer, shape, strides, dtype, driver.device_of(pointer), "", read_only, stream)


def _dlpack(array: Any, read_only: tuple[str, str] | None) -> ArrayView:
    kind, device = array.__dlpack_device__()
    if kind == 1:
        import numpy

        try:
            found = _numpy(numpy.from_dlpack(array))
        except BufferError as e:
            raise Unreadable(f"its library says: {e}") from e
        found.read_only = read_only or found.read_only
        return found
    if kind not in (2, 13):  # CUDA, CUDA managed
        raise Unreadable(f"it is on a device that is no NVIDIA GPU (DLPack's kind {int(kind)})")
    try:
        seen = driver.strided(array, int(device))
    except (BufferError, TypeError, NotImplementedError) as e:
        raise Unreadable(f"its library says: {e}") from e
    if seen.dtype is None:
        raise UnknownDType("a type that NumPy does not have")
    dtype = _dtype(seen.dtype.name)
    shape = tuple(seen.shape)
    strides = None if seen.strides is None else tuple(s * dtype.itemsize for s in seen.strides)
    if seen.readonly and read_only is None:
        read_only = ("it is read-only", "pass an array that may be written")
    strides = contiguous(shape, dtype.itemsize) if strides is None else strides
    return ArrayView(seen, int(seen.ptr), shape, strides, dtype, int(device), "", read_only)


def contiguous(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """The strides, in bytes, of a row-major array."""
    strides: list[int] = []
    step = itemsize
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))
