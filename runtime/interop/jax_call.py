"""
Kernels as functions of JAX arrays: what `Launchable.as_jax` makes.

XLA calls foreign functions through a C interface (`xla/ffi/api/c_api.h`, version 0.3, of which `jax.ffi` brings the
text). One such function, made with ctypes, serves all kernels: an attribute of the call says which. It is given the
addresses of buffers that XLA has placed, and on a GPU the stream to use, so nothing is copied and nothing waits. What
is written is a result: `Out` parameters are buffers of XLA's own, `Mut` parameters are arguments whose place the result
takes, after a copy if somebody else still needs them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from freehold.frontend.signature import ConstSpec
from freehold.runtime.gpu.failures import logs
from freehold.runtime.interop.results import Cut, Results
from freehold.runtime.launch import modes
from freehold.runtime.memory.arguments import HOST, ArrayView, contiguous, read_by
from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.support.dtypes import DType, from_name
from freehold.support.locks import mutex
from freehold.support.terms import rounded_up

if TYPE_CHECKING:
    from freehold.frontend.signature import Parameter
    from freehold.runtime.launch.callee import Callee

TARGET: Final = "freehold_kernel"
"""The name of the foreign function."""

_EXECUTE: Final = 3
_METADATA: Final = 1
_INTERNAL: Final = 13

_calls: Final[list[_Call]] = []
"""By number: what the foreign function is asked to do. Compiled programs hold numbers, so none is ever dropped."""
_numbers: Final[dict[object, int]] = {}
_lock: Final = mutex()


class Function:
    """A kernel as a function of JAX arrays."""

    def __init__(
        self,
        kernel: Callee,
        partitions: Mapping[str, Cut | list[Cut]],
        returns: Mapping[str, Any],
        fixed: Mapping[str, object],
        vmap_method: str | None,
    ):
        parameters = kernel.signature.parameters
        self.kernel = kernel
        self.__name__ = kernel.__name__
        self.__doc__ = kernel.__doc__
        self._vmap_method = vmap_method
        outs = {p.name: returns.get(p.name) for p in parameters if p.mode == "out"}
        self._results = Results(kernel, {**dict.fromkeys(returns), **outs}, fixed)
        self._results.check(partitions, fixed)
        self._cuts = {name: self._results.cut(name, value) for name, value in partitions.items()}
        self._fixed = dict(fixed)
        self.taken = [p for p in parameters if p.mode != "out" and p.name not in fixed]
        """The parameters that are arguments."""
        self.written = [p for p in parameters if p.is_tensor and p.mode != "ref" and p.name not in fixed]
        """The parameters that are results, where a call does not leave them out."""
        self._shapes = self._shape_functions()

    def _shape_functions(self) -> dict[str, Callable[..., tuple[int, ...]]]:
        scope: dict[str, Any] = {"ceildiv": rounded_up}
        names = ", ".join(p.name for p in self.taken)
        for name in self._results.dtypes:
            exec(f"def shape_of_{name}({names}):\n    return {self._results.shape(name)}", scope)
        return {name: scope[f"shape_of_{name}"] for name in self._results.dtypes}

    def __repr__(self) -> str:
        return f"<kernel {self.__name__} for JAX>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The arrays that the kernel writes, from the arguments that it reads; scalars have to be known."""
        jax: Any = import_module("jax")
        _register()
        given = self._given(args, kwargs)
        absent = dict.fromkeys(p.name for p in self.taken if p.optional and given[p.name] is None)
        tensors = [p for p in self.taken if p.is_tensor and p.name not in absent]
        arrays = {p.name: jax.tree.map(jax.numpy.asarray, self._arrays(p, given[p.name])) for p in tensors}
        for p in tensors:
            for array in arrays[p.name] if p.many else [arrays[p.name]]:
                if from_name(array.dtype.name) is None:
                    said = f"`{p.name}` has elements of type {array.dtype.name}, which kernels do not have"
                    self._results.refuse(said, "convert it first: `.astype(...)`", p.name)
        static = {p.name: self._static(jax, p, given[p.name]) for p in self.taken if not p.is_tensor}
        static |= absent
        counts = tuple((p.name, len(arrays[p.name])) for p in tensors if p.many)
        places = _places(tensors, dict(counts))
        written = [p for p in self.written if p.name not in absent]
        shapes: list[Any] = []
        aliases: dict[int, int] = {}
        for p in written:
            if p.mode == "out":
                shape = self._shapes[p.name](**{**static, **arrays})
                dtype = self._results.dtype(p.name)
                first = self._results.first
                like: Any = arrays[first.name][0] if first.many else arrays[first.name]
                shapes.append(jax.ShapeDtypeStruct(shape, like.dtype if dtype is None else numpy_dtype(dtype.name)))
                continue
            for place, array in zip(places[p.name], arrays[p.name] if p.many else [arrays[p.name]], strict=True):
                aliases[place] = len(shapes)
                shapes.append(jax.ShapeDtypeStruct(array.shape, array.dtype))
        call = jax.ffi.ffi_call(TARGET, shapes, vmap_method=self._vmap_method, input_output_aliases=aliases)
        found: Any = call(*jax.tree.leaves(list(arrays.values())), number=np.int64(self._number(static, counts)))
        results: list[Any] = _taken_apart(written, dict(counts), found)
        return results[0] if len(results) == 1 else tuple(results)

    def _arrays(self, p: Parameter, value: Any) -> Any:
        if p.many and not isinstance(value, tuple | list):
            raise TypeError(f"`{p.name}` of {self.__name__} is a tuple of arrays, not one of {type(value).__name__}")
        if p.many and self._shapes and not value:
            self._results.empty(p.name)
        return cast(Any, value)

    def _given(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        given = {**dict(zip((p.name for p in self.taken), args, strict=False)), **kwargs}
        for p in self.taken:
            if p.name not in given and p.has_default:
                given[p.name] = p.default
        names = [p.name for p in self.taken]
        if set(given) != set(names) or len(args) > len(names) or set(names[: len(args)]) & set(kwargs):
            raise TypeError(f"{self.__name__} takes {', '.join(names)}")
        return given

    def _static(self, jax: Any, p: Parameter, value: Any) -> Any:
        if isinstance(value, jax.core.Tracer):
            self._results.refuse(
                f"`{p.name}` is not known while JAX traces",
                f'pass it as a number, or mark it: `jax.jit(..., static_argnames="{p.name}")`',
                p.name,
            )
        return value.item() if isinstance(value, jax.Array | np.generic | np.ndarray) else value

    def _number(self, static: dict[str, Any], counts: tuple[tuple[str, int], ...]) -> int:
        """The number of the call with these scalars and constants, and so many arrays in its tuples."""
        mode = modes.current()
        key = (self, mode, counts, *[(name, ConstSpec(value)) for name, value in static.items()])
        with _lock:
            number = _numbers.get(key)
            if number is None:
                number = _numbers[key] = len(_calls)
                _calls.append(_Call(self, {**static, **self._fixed}, dict(counts), mode))
            return number

    def launch(self, values: dict[str, Any], device: int, stream: int) -> None:
        """Launches the kernel on arrays, scalars and constants by name."""
        arguments = [
            self._cuts[p.name](values[p.name])
            if p.name in self._cuts and values[p.name] is not None
            else values[p.name]
            for p in self.kernel.signature.parameters
        ]
        launch = self.kernel(*arguments)
        if device == HOST:
            launch.sync()
        else:
            flight = launch.on(stream)
            if logs:  # a check may fail in a kernel, and XLA takes an error only here
                flight.wait()


class _Call:
    """One kernel with its scalars and constants."""

    def __init__(self, function: Function, static: dict[str, Any], counts: dict[str, int], mode: modes.Mode | None):
        self.function = function
        self.static = static
        self.counts = counts
        """By parameter that is a tuple: of how many arrays."""
        self.mode = mode
        """Of the interpreter, where the call was made: XLA calls from threads of its own."""

    def __call__(self, arguments: Sequence[Buffer], results: Sequence[Buffer], device: int, stream: int) -> None:
        function = self.function
        values: dict[str, Any] = dict(self.static)
        tensors = [p for p in function.taken if p.is_tensor and p.name not in values]
        for p, given in zip(tensors, _taken_apart(tensors, self.counts, arguments), strict=True):
            if p.mode == "ref":
                values[p.name] = _as_arrays(given, device)
        written = [p for p in function.written if p.name not in self.static]
        for p, given in zip(written, _taken_apart(written, self.counts, results), strict=True):
            values[p.name] = _as_arrays(given, device)
        with modes.running(self.mode):
            function.launch(values, device, stream)


def _taken_apart(parameters: Sequence[Parameter], counts: Mapping[str, int], flat: Sequence[Any]) -> list[Any]:
    """What there is for each of the parameters, of what there is for all arrays: a tuple for one that is a tuple."""
    rest = iter(flat)
    return [tuple(next(rest) for _ in range(counts[p.name])) if p.many else next(rest) for p in parameters]


def _places(parameters: Sequence[Parameter], counts: Mapping[str, int]) -> dict[str, range]:
    """By parameter: which of all arrays are its own."""
    found: dict[str, range] = {}
    end = 0
    for p in parameters:
        begin, end = end, end + (counts[p.name] if p.many else 1)
        found[p.name] = range(begin, end)
    return found


def _as_arrays(given: Buffer | tuple[Buffer, ...], device: int) -> Any:
    return tuple(buffer.array(device) for buffer in given) if isinstance(given, tuple) else given.array(device)


# --- XLA's foreign function interface ---------------------------------------------------------------------------------

_DTYPES: Final[Mapping[int, str]] = {
    1: "bool_", 2: "i8", 3: "i16", 4: "i32", 5: "i64", 6: "u8", 7: "u16", 8: "u32", 9: "u64", 10: "f16", 11: "f32",
    12: "f64", 16: "bf16", 19: "f8e5m2", 20: "f8e4m3fn", 33: "f8e8m0fnu",
}  # fmt: skip
"""`XLA_FFI_DataType`."""


class Buffer(ctypes.Structure):
    """`XLA_FFI_Buffer`: an array in row-major order."""

    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("dtype", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int64),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
    )

    def array(self, device: int) -> Any:
        """It, as something that kernels take; valid during the call. Raises `TypeError` for dtypes they do not have."""
        name = _DTYPES.get(self.dtype)
        dtype = None if name is None else from_name(name)
        if dtype is None:
            raise TypeError(f"kernels have no dtype for XLA's number {self.dtype}")
        shape = tuple(self.dims[n] for n in range(self.rank))
        if device == HOST:
            size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
            memory: Any = (ctypes.c_char * size).from_address(self.data or 0)
            return np.ndarray(shape, numpy_dtype(dtype.name), memory)
        return _OnGpu(int(self.data or 0), shape, dtype, device)


class _OnGpu:
    """A buffer on a GPU. XLA keeps its memory until what is on the stream is done."""

    __slots__ = ("device", "dtype", "pointer", "shape")

    def __init__(self, pointer: int, shape: tuple[int, ...], dtype: DType, device: int):
        self.pointer = pointer
        self.shape = shape
        self.dtype = dtype
        self.device = device


def _read(buffer: _OnGpu) -> ArrayView:
    strides = contiguous(buffer.shape, buffer.dtype.itemsize)
    return ArrayView(buffer, buffer.pointer, buffer.shape, strides, buffer.dtype, buffer.device, "xla")


read_by(_OnGpu, _read)


def _structure(name: str, *fields: tuple[str, Any]) -> Any:
    head = [("struct_size", ctypes.c_size_t), ("extension", ctypes.c_void_p)]
    return type(name, (ctypes.Structure,), {"_fields_": [*head, *fields]})


_BUFFERS: Final = ctypes.POINTER(ctypes.POINTER(Buffer))
_Version: Any = _structure("Version", ("major", ctypes.c_int), ("minor", ctypes.c_int))
_Buffers: Any = _structure("Buffers", ("size", ctypes.c_int64), ("types", ctypes.c_void_p), ("items", _BUFFERS))
_ErrorArguments: Any = _structure("ErrorArguments", ("message", ctypes.c_char_p), ("code", ctypes.c_int))
_StreamArguments: Any = _structure("StreamArguments", ("context", ctypes.c_void_p), ("stream", ctypes.c_void_p))
_OrdinalArguments: Any = _structure("OrdinalArguments", ("context", ctypes.c_void_p), ("ordinal", ctypes.c_int32))

_API: Final = (
    "Error_Create", "Error_GetMessage", "Error_Destroy", "Handler_Register", "Stream_Get", "Type_Register",
    "ExecutionContext_Get", "State_Set", "State_Get", "DeviceMemory_Allocate", "DeviceMemory_Free",
    "ThreadPool_Schedule", "ThreadPool_NumThreads", "Future_Create", "Future_SetAvailable", "Future_SetError",
    "RunId_Get", "DeviceOrdinal_Get",
)  # fmt: skip
"""The functions of `XLA_FFI_Api`, in order."""

_MAJOR, _MINOR = 0, 3
"""The version of XLA's interface that this is for. Minor ones only add to the ends of structures, and XLA knows which
it still supports; an earlier one serves, too, where its structures have all that is used."""

_Api: Any = _structure(
    "Api", ("version", _Version), ("internal", ctypes.c_void_p), *((name, ctypes.c_void_p) for name in _API)
)


class _Scalar(ctypes.Structure):
    _fields_ = (("dtype", ctypes.c_int), ("value", ctypes.POINTER(ctypes.c_int64)))


_Attributes: Any = _structure(
    "Attributes",
    ("size", ctypes.c_int64),
    ("types", ctypes.c_void_p),
    ("names", ctypes.c_void_p),
    ("items", ctypes.POINTER(ctypes.POINTER(_Scalar))),
)


class _Metadata(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("version", _Version),
        ("traits", ctypes.c_uint32),
        ("state_type", ctypes.c_int64),
    )


class _Extension(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("kind", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("metadata", ctypes.POINTER(_Metadata)),
    )


_Frame: Any = _structure(
    "Frame",
    ("api", cast("Any", ctypes.POINTER(_Api))),
    ("context", ctypes.c_void_p),
    ("stage", ctypes.c_int),
    ("arguments", _Buffers),
    ("results", _Buffers),
    ("attributes", _Attributes),
    ("future", ctypes.c_void_p),
)

_ASKING: Final = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
"""A function of the interface: a pointer to its arguments, an error or nothing for an answer."""


def _handle(platform: str, address: int) -> int | None:
    """The foreign function. `address` is that of an `XLA_FFI_CallFrame`. Returns an error of XLA's, or nothing."""
    frame: Any = _Frame.from_address(address)
    api: Any = frame.api.contents
    if frame.extension:
        extension = _Extension.from_address(frame.extension)
        if extension.kind == _METADATA:  # XLA asks which version of its interface this is for
            metadata = extension.metadata.contents
            whole = api.struct_size >= ctypes.sizeof(_Api) and frame.struct_size >= _Frame.future.offset
            metadata.version.major = _MAJOR if whole else _MAJOR + 1  # which XLA refuses, and says so
            metadata.version.minor = min(api.version.minor, _MINOR)
            metadata.traits, metadata.state_type = 0, 0
            return None
    if frame.stage != _EXECUTE:
        return None
    try:
        number: int = frame.attributes.items[0].contents.value.contents.value
        device, stream = HOST, 0
        if platform == "CUDA":
            device = _ask(api.DeviceOrdinal_Get, _OrdinalArguments, frame.context).ordinal
            stream = _ask(api.Stream_Get, _StreamArguments, frame.context).stream or 0
        _calls[number](_buffers(frame.arguments), _buffers(frame.results), device, stream)
    except BaseException as e:  # nothing may leave a callback
        text = f"{type(e).__name__}: {e}" if str(e) else type(e).__name__
        arguments: Any = _ErrorArguments(ctypes.sizeof(_ErrorArguments), None, text.encode(), _INTERNAL)
        return _ASKING(api.Error_Create)(ctypes.addressof(arguments))
    return None


def _buffers(found: Any) -> list[Buffer]:
    return [found.items[n].contents for n in range(found.size)]


def _ask(function: int, kind: Any, context: int) -> Any:
    arguments = kind(struct_size=ctypes.sizeof(kind), context=context)
    if _ASKING(function)(ctypes.addressof(arguments)):
        raise RuntimeError("XLA does not say on which stream of which device to work")
    return arguments


@cache
def _register() -> tuple[Any, ...]:
    """Tells JAX of the foreign function. What is returned must live as long as the process."""
    ffi: Any = import_module("jax.ffi")
    kept: list[Any] = []
    for platform in ("cpu", "CUDA"):

        def handle(address: int, platform: str = platform) -> int | None:
            return _handle(platform, address)

        function = _ASKING(handle)
        ffi.register_ffi_target(TARGET, ffi.pycapsule(function), platform=platform)
        kept.append(function)
    return tuple(kept)
