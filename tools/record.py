"""Records what a program launches of cuTile Python: kernels, grids, arguments, and the bytecode they were compiled to.

`recording` puts itself in the place of `cuda.tile.launch` while a program runs. Each launch becomes a `Launch`: its
bytecode, exported by cuTile Python itself, and the arguments of the entry as the launch would pass them, so that it can
be interpreted (`Launch.run`), written down (`Launch.facts`), or looked into by an auditor. With `pretend_gpu` no GPU is
needed. Where the arrays are in a GPU's memory, the launch itself may follow, and nothing is copied that nobody asks for
(`OnGPU`). Written against cuda-tile 1.7.0; nothing of it is imported before a recording begins.
"""

from __future__ import annotations

import ctypes
import dataclasses
import importlib
import io
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast
from unittest.mock import patch

import numpy as np

from freehold.runtime.interpreter.launch import Entry

if TYPE_CHECKING:
    from freehold.runtime.interpreter.elements import Array
    from freehold.runtime.memory.arguments import ArrayView

ARCH: Final = "sm_100"
"""The architecture that kernels are exported for, unless another is asked for: one that has every operation."""


class NotRecorded(Exception):
    """A launch that cannot be written down: an argument of a kind that is not known here, or no bytecode of it."""


@dataclass(frozen=True, eq=False)
class OnGPU:
    """An array in a GPU's memory."""

    view: ArrayView

    @property
    def address(self) -> int:
        """Of its first element."""
        return self.view.pointer

    @property
    def shape(self) -> tuple[int, ...]:
        """Its extents."""
        return self.view.shape

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes."""
        return self.view.strides

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its elements, as NumPy's."""
        from freehold.runtime.memory.numpy_types import numpy_dtype

        return numpy_dtype(self.view.dtype.name)

    def contents(self) -> Array:
        """What it holds when all that is enqueued on its GPU is done, as an array of the host. Raises `Rejected`."""
        from freehold.runtime.gpu import driver, transfers

        if 0 in self.shape:
            return np.empty(self.shape, self.dtype)
        driver.synchronize(self.view.device)
        raw = np.empty(self.view.size, np.uint8)
        transfers.copy_to_host(raw.ctypes.data, self.address, raw.size, self.view.device)
        return np.ndarray(self.shape, self.dtype, raw, 0, self.strides)


@dataclass(frozen=True)
class Given:
    """One argument of an entry, as a launch passes it."""

    parameter: str
    """The parameter of the kernel in Python that it came of: `x`, `xs[0]`."""
    kind: str
    """`pointer`, `extent`, `stride`, `scalar`, `table` (a list of arrays, by address) or `count` (of a table)."""
    value: Any
    """The array of a pointer (a view of the caller's memory, or an `OnGPU`), the words of a table, else a number."""
    axis: int = -1
    """Of an extent or stride."""


@dataclass(frozen=True)
class Launch:
    """One launch: what would run, on what, and where in the program."""

    kernel: str
    """The name of the function in Python."""
    symbol: str
    """The name of the entry in the bytecode."""
    bytecode: bytes
    grid: tuple[int, int, int]
    given: tuple[Given, ...]
    place: tuple[str, int]
    """File and line of the call."""
    constants: dict[str, Any] = field(default_factory=dict[str, Any])
    """The values of compile-time parameters."""

    @property
    def arguments(self) -> list[Any]:
        """What the interpreter takes: an array for each pointer, a list for each table, numbers for the rest."""
        return [each.value for each in self.given]

    def facts(self) -> dict[str, Any]:
        """What is known of the launch besides its bytecode, as plain data: grid, constants, arguments, with arrays by
        address, shape, strides in elements and dtype."""
        return {
            "kernel": self.kernel,
            "symbol": self.symbol,
            "grid": list(self.grid),
            "place": list(self.place),
            "constants": {name: repr(value) for name, value in self.constants.items()},
            "arguments": [_fact(each) for each in self.given],
        }

    def run(self, *, checked: bool = False, order: Any = None, write: Callable[[str], None] | None = None) -> None:
        """Carries it out on the interpreter, in the arrays of the program. Raises `Rejected`."""
        entry = entry_of(self.bytecode, self.symbol, checked=checked)
        names = [each.parameter for each in self.given]
        more: dict[str, Any] = {} if write is None else {"write": write}
        entry.run(self.arguments, self.grid, order=order, names=names, **more)


def _fact(each: Given) -> dict[str, Any]:
    fact: dict[str, Any] = {"parameter": each.parameter, "kind": each.kind}
    if each.kind == "pointer":
        fact |= _array_fact(cast("Array | OnGPU", each.value))
    elif each.kind == "table":
        words = cast("list[Any]", each.value)
        fact["words"] = [
            _array_fact(cast("Array | OnGPU", w)) if isinstance(w, np.ndarray | OnGPU) else w for w in words
        ]
    else:
        fact["value"] = each.value
        if each.axis >= 0:
            fact["axis"] = each.axis
    return fact


def address_of(found: Array | OnGPU) -> int:
    """Where an array begins."""
    return found.address if isinstance(found, OnGPU) else found.ctypes.data


def _array_fact(found: Array | OnGPU) -> dict[str, Any]:
    size = found.dtype.itemsize
    return {
        "address": address_of(found),
        "shape": list(found.shape),
        "strides": [stride // size for stride in found.strides],
        "dtype": str(found.dtype),
    }


_ENTRIES: Final[dict[tuple[bytes, str, bool], Entry]] = {}


def entry_of(bytecode: bytes, symbol: str, *, checked: bool = False) -> Entry:
    """The entry of a module, compiled once for the interpreter. Raises `Rejected`."""
    found = _ENTRIES.get((bytecode, symbol, checked))
    if found is None:
        from freehold.backend.bytecode.reader import read_bytecode

        found = _ENTRIES[bytecode, symbol, checked] = Entry.of(read_bytecode(bytecode), symbol, checked=checked)
    return found


def array_of(value: Any) -> Array | OnGPU:
    """An array in the host's memory as NumPy's view of it, or where it is on a GPU."""
    kind = cast("type[Any]", type(value))
    if getattr(value, "is_cuda", False) or (hasattr(kind, "__cuda_array_interface__") and not hasattr(kind, "is_cuda")):
        from freehold.runtime.memory.arguments import UnknownDType, Unreadable, view

        try:
            return OnGPU(view(value))
        except (Unreadable, UnknownDType) as error:
            raise NotRecorded(f"a {kind.__name__} is no array that is known here: {error}") from None
    return host_array(value)


def host_array(value: Any) -> Array:
    """An array in the host's memory (torch's, NumPy's, whatever has DLPack) as NumPy's view of it."""
    if isinstance(value, np.ndarray):
        return cast("Array", value)
    if type(value).__module__.partition(".")[0] == "torch":
        return _of_torch(value)
    return cast("Array", np.from_dlpack(value))


_OF_TORCH: Final = {
    "bool": "bool_",
    "float8_e4m3fn": "f8e4m3fn",
    "float8_e5m2": "f8e5m2",
    "float8_e8m0fnu": "f8e8m0fnu",
    "bfloat16": "bf16",
    "float4_e2m1fn_x2": "u8",  # bytes of two elements
}


def _of_torch(value: Any) -> Array:
    from freehold.runtime.memory.numpy_types import numpy_dtype

    name = str(value.dtype).removeprefix("torch.")
    dtype = numpy_dtype(_OF_TORCH[name]) if name in _OF_TORCH else np.dtype(name)
    shape, strides = tuple(value.shape), tuple(step * dtype.itemsize for step in value.stride())
    if 0 in shape:
        return np.empty(shape, dtype)
    size = dtype.itemsize + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    raw: Any = (ctypes.c_uint8 * size).from_address(value.data_ptr())
    raw.owner = value  # the memory lives as long as the view
    return np.ndarray(shape, dtype, raw, 0, strides)


@dataclass
class Recorder:
    """Makes launches of calls of `cuda.tile.launch`; exports each kernel once a signature."""

    arch: str = ARCH
    read: Callable[[Any], Array | OnGPU] = host_array
    """Makes an array of an argument."""
    exported: dict[tuple[int, str], tuple[object, bytes]] = field(
        default_factory=dict[tuple[int, str], tuple[object, bytes]]
    )

    def launch(self, grid: Any, kernel: Any, arguments: Sequence[Any]) -> Launch:
        """The launch that a call asks for. Raises `NotRecorded`, and what cuTile Python raises for the kernel."""
        compilation: Any = importlib.import_module("cuda.tile.compilation")
        signature = compilation.KernelSignature
        convention = compilation.CallingConvention
        try:
            made = signature.from_kernel_args(kernel, tuple(arguments), convention.cutile_python_v1())
        except ValueError:  # tuples, and extents known when the kernel is compiled
            made = signature.from_kernel_args(kernel, tuple(arguments), convention.cutile_python_v2())
        made = made.with_mangled_symbol(kernel._pyfunc.__name__)
        key = (id(kernel), made.symbol)
        if key not in self.exported:
            out = io.BytesIO()
            compilation.export_kernel(kernel, [made], out, gpu_code=self.arch, output_format="tileir_bytecode")
            self.exported[key] = kernel, out.getvalue()  # the kernel is kept, or its id may become another's
        function = kernel._pyfunc
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        given: list[Given] = []
        constants: dict[str, Any] = {}
        for name, constraint, value in zip(names, made.parameters, arguments, strict=True):
            _flatten(name, constraint, value, given, constants, self.read)
        caller = _caller()
        return Launch(
            function.__name__, made.symbol, self.exported[key][1], _grid(grid), tuple(given), caller, constants
        )


def _grid(grid: Any) -> tuple[int, int, int]:
    numbers = [int(each) for each in cast("list[Any]", grid if isinstance(grid, tuple | list) else [grid])]
    x, y, z = (*numbers, 1, 1, 1)[:3]
    return x, y, z


def _caller() -> tuple[str, int]:
    """File and line of the innermost frame that is neither here nor in `contextlib`."""
    frame: Any = cast("Any", sys)._getframe(2)
    while frame is not None and Path(frame.f_code.co_filename) == Path(__file__):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("", 0)


def _flatten(
    name: str,
    constraint: Any,
    value: Any,
    given: list[Given],
    constants: dict[str, Any],
    read: Callable[[Any], Array | OnGPU],
) -> None:
    """The entry's arguments for one parameter, in the order of cuTile Python's calling convention."""
    match type(constraint).__name__:
        case "ConstantConstraint":
            constants[name] = value
        case "ScalarConstraint":
            given.append(Given(name, "scalar", value.item() if hasattr(value, "item") else value))
        case "ArrayConstraint":
            _flatten_array(name, read(value), given)
        case "ListConstraint":
            words: list[Any] = []
            for each in value:
                found = read(each)
                words += [found, *found.shape, *(stride // found.dtype.itemsize for stride in found.strides)]
            given += [Given(name, "table", words), Given(name, "count", len(value))]
        case "TupleConstraint":
            for n, (item, part) in enumerate(zip(constraint.items, value, strict=True)):
                _flatten(f"{name}[{n}]", item, part, given, constants, read)
        case "DataclassConstraint":
            for declared, item in zip(dataclasses.fields(value), constraint.fields, strict=True):
                _flatten(f"{name}.{declared.name}", item, getattr(value, declared.name), given, constants, read)
        case other:
            raise NotRecorded(f"`{name}` is described by a {other}, which is not known here")


def _flatten_array(name: str, found: Array | OnGPU, given: list[Given]) -> None:
    given.append(Given(name, "pointer", found))
    given += [Given(name, "extent", n, axis) for axis, n in enumerate(found.shape)]
    steps = [stride // found.dtype.itemsize for stride in found.strides]
    given += [Given(name, "stride", step, axis) for axis, step in enumerate(steps)]


@contextmanager
def recording(
    handle: Callable[[Launch], object],
    arch: str = ARCH,
    *,
    passed_on: bool = False,
    missed: Callable[[str, Exception], object] | None = None,
) -> Generator[Recorder]:
    """
    While this block runs, `handle` is called with each launch of cuTile Python.

    It is called in place of the launch, with arrays of the host, or before it with `passed_on`. What it raises, the
    program sees where it launches; of a launch that cannot be written down `missed`, if it is given, is told the
    kernel and why. Modules that did `from cuda.tile import launch` before are not seen. A search for the fastest
    configuration, if nothing is passed on, finds the first one that compiles.
    """
    tile: Any = importlib.import_module("cuda.tile")
    tune: Any = importlib.import_module("cuda.tile.tune")
    recorder = Recorder(arch, array_of if passed_on else host_array)
    real = tile.launch

    def launch(stream: Any, grid: Any, kernel: Any, arguments: Any, /, **options: Any) -> Any:
        try:
            made = recorder.launch(grid, kernel, arguments)
        except Exception as error:  # cuTile Python's own, whatever it is, or `NotRecorded`
            if missed is None:
                raise
            missed(getattr(getattr(kernel, "_pyfunc", kernel), "__name__", ""), error)
        else:
            handle(made)
        return real(stream, grid, kernel, arguments, **options) if passed_on else None

    search = tune.exhaustive_search if passed_on else partial(_first_configuration, recorder)
    with patch.object(tile, "launch", launch), patch.object(tune, "exhaustive_search", search):
        yield recorder


def _first_configuration(
    recorder: Recorder, space: Any, stream: Any, grid: Any, kernel: Any, arguments: Any, hints: Any = None, **_: Any
) -> Any:
    """In the place of `cuda.tile.tune.exhaustive_search`, where nothing can be timed: what compiles first."""
    del stream
    tune: Any = importlib.import_module("cuda.tile.tune")
    error: Exception | None = None
    for each in space:
        made = kernel if hasattr(kernel, "_pyfunc") else kernel(each)
        made = made.replace_hints(**hints(each)) if hints is not None else made
        try:
            recorder.launch(grid(each), made, arguments(each))
        except Exception as wrong:  # whatever the compiler has against it
            error = wrong
            continue
        best = tune.Measurement(config=each, mean_us=1.0, num_samples=1, error_margin_us=0.0)
        return tune.TuningResult(best=best, successes=[best], failures=[])
    raise error or ValueError("Search space is empty.")
