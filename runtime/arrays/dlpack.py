"""
DLPack: tensors for other libraries, and theirs as tensors, without a copy.

cuda.core exports neither bfloat16 nor 8-bit floats, so the capsules are made here, from the structures of DLPack 1.0
(https://dmlc.github.io/python-array-api-standard, `DLManagedTensorVersioned`) and those that older consumers ask for.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final, NoReturn

from freehold.runtime.arrays.handle import H, Handle, Maker
from freehold.runtime.base.call_site import CallSite, caller
from freehold.runtime.base.locks import lock
from freehold.runtime.errors.refusing import errors, reject
from freehold.runtime.gpu import driver
from freehold.runtime.gpu.timeline import Timeline, let_go, timeline
from freehold.runtime.memory import ledger
from freehold.runtime.memory.arguments import HOST, ArrayView, UnknownDType, Unreadable, view
from freehold.runtime.memory.blame import of_method
from freehold.runtime.memory.ledger import Hold, Refusal
from freehold.runtime.memory.storage import Storage, foreign_space
from freehold.runtime.memory.views import reach

# --- The structures ---------------------------------------------------------------------------------------------------


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("number", ctypes.c_int32)]


class _DType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Array(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32), ("dtype", _DType),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


class _Managed(ctypes.Structure):
    _fields_ = [("array", _Array), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("array", _Array),
    ]  # fmt: skip


_CODES: Final = {"int": 0, "uint": 1, "float": 2, "bf16": 4, "bool": 6, "f8e4m3fn": 10, "f8e5m2": 12, "f8e8m0fnu": 14}
"""DLPack's codes of types of elements."""

_EXPORTED: Final[dict[int, tuple[Any, ...]]] = {}
"""By address of a structure: it, what it points to, the storage, and the hold of the tensor."""

_NAMES: Final = (b"dltensor", b"dltensor_versioned")


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _done(address: int) -> None:
    """What a consumer calls, in any thread, when it needs the memory no more."""
    entry = _EXPORTED.pop(address, None)
    if entry is not None:
        entry[-1].release()


def _of_python(name: str, result: Any, *taken: Any) -> Any:
    """A function of Python's C interface. Those that are attributes of `pythonapi` are shared by all libraries, and
    whoever comes last says what they take."""
    return ctypes.PYFUNCTYPE(result, *taken)((name, ctypes.pythonapi))


_new_capsule = _of_python("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_is_valid = _of_python("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_content_of = _of_python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _dropped(capsule: int) -> None:
    """Called when a capsule goes. A consumer that took what is in it has renamed it."""
    for name in _NAMES:
        if _is_valid(capsule, name):
            _done(_content_of(capsule, name))


# --- Out --------------------------------------------------------------------------------------------------------------


def exported(
    tensor: Handle,
    stream: Any,
    max_version: tuple[int, int] | None,
    device: tuple[int, int] | None,
    copy: bool | None,
    site: CallSite,
) -> Any:
    """What `Tensor.__dlpack__` returns: a capsule. Raises `BufferError`."""
    if copy:
        raise BufferError("a copy is an operation: export what `.copy().sync()` returns")
    if device is not None and tuple(map(int, device)) != dlpack_device(tensor):
        raise BufferError("a copy to another device is an operation: export what `.to(device).sync()` returns")
    itemsize = tensor.dtype.itemsize
    if any(stride % itemsize for stride in tensor.strides):
        raise BufferError("its elements do not lie in steps of their size")
    consumer = None
    if tensor.device != HOST and stream != -1:
        consumer = timeline(tensor.device, 0 if stream in (None, 1) else int(stream))
    try:
        with lock(tensor.space.device):
            ledger.verify(tensor, write=True)
            held = ledger.hold([tensor], "exported", "another library", exclusive=False, site=site, consumer=consumer)
    except Refusal as e:
        raise BufferError(str(of_method("__dlpack__", site, "export")(e))) from None
    ready_on(tensor, consumer)
    return _capsule(tensor, held, max_version is not None and max_version[0] >= 1)


def dlpack_device(tensor: Handle) -> tuple[int, int]:
    """What `Tensor.__dlpack_device__` returns: a kind of device, and its number."""
    return (1, 0) if tensor.device == HOST else (2, tensor.device)


def ready_on(tensor: Handle, consumer: Timeline | None) -> None:
    """Makes a stream wait for work in flight on a tensor, or the host where it is the host's or no stream is named."""
    if consumer is None:
        if tensor.device == HOST:
            ledger.join([tensor], write=True)
        return
    with lock(tensor.space.device):
        pending = tensor.space.conflicts(tensor.low, tensor.high, True)
    for user, tick in pending:
        if user.stream is not None:
            consumer.follow(user, tick)


def _capsule(tensor: Handle, held: Hold, versioned: bool) -> Any:
    rank = tensor.ndim
    itemsize = tensor.dtype.itemsize
    shape = (ctypes.c_int64 * rank)(*tensor.shape)
    strides = (ctypes.c_int64 * rank)(*[s // itemsize for s in tensor.strides])
    kind = tensor.dtype.kind
    code = _CODES.get(tensor.dtype.name)
    if code is None:
        code = _CODES["uint" if kind == "int" and not tensor.dtype.signed else kind]
    array = _Array(
        tensor.pointer, _Device(*dlpack_device(tensor)), rank, _DType(code, 8 * itemsize, 1), shape, strides, 0
    )
    deleter = ctypes.cast(_done, ctypes.c_void_p)
    made = _Versioned(1, 0, None, deleter, 0, array) if versioned else _Managed(array, None, deleter)
    address = ctypes.addressof(made)
    _EXPORTED[address] = (made, shape, strides, tensor.storage, held)
    destructor = ctypes.cast(_dropped, ctypes.c_void_p)
    return _new_capsule(address, _NAMES[versioned], destructor)


# --- In ---------------------------------------------------------------------------------------------------------------


def adopted_any(kind: Maker[H], array: Any) -> H:
    """Another library's array as a tensor of this class, also one that may not be written, to be read only."""
    return adopted(kind, read_array(array))


def adopted(kind: Maker[H], found: ArrayView) -> H:
    """Another library's array as a tensor that comes after what its library has enqueued."""
    low, high = reach(found.shape, found.strides, found.dtype.itemsize)
    space = foreign_space(found.device)
    first = found.pointer + low
    made = Storage(first, high - low, found.device, found.owner, space)
    if found.device != HOST:
        let_go()
        with lock(found.device):
            for handle in {driver.current_handle(found.family, found.device), found.stream or 0}:
                user = timeline(found.device, handle)
                user.now += 1  # what the library enqueued, as one operation
                space.note(user, first, first + high - low, True, user.now)
    return kind(made, found.pointer, found.shape, found.strides, found.dtype)


def read_array(array: Any) -> ArrayView:
    """An array of any library. Raises `Rejected` (O257) where it is none."""
    try:
        return view(array)
    except UnknownDType as e:
        refuse(array, f"its elements are of type {e.name}, which kernels do not have")
    except Unreadable as e:
        refuse(array, e.why)


def refuse(array: Any, why: str) -> NoReturn:
    """Raises `Rejected` (O257) for an array, with a reason unless that is empty."""
    kind = type(array).__name__
    error = errors.NoTensor(
        caller().argument(0, "array", "freehold.from_dlpack"),
        f"{'an' if kind[:1] in 'aeiou' or kind == 'ndarray' else 'a'} {kind}",
    )
    if why:
        error.add(error.Because(why))
    reject(error)
