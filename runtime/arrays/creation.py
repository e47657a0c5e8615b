"""
Making tensors: `zeros`, `arange`, `randn` and their like, each an operation.

    x = fh.zeros((4096, 4096), fh.bf16).sync()
    y = await fh.randn((4096,), fh.f32, seed=1)

In kernels `zeros`, `ones`, `full` and `arange` make tiles; it is one name for both. Shapes are integers or tuples of
integers. Without `device` the tensor is made on the calling thread's GPU, or where there is none, on the host.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from math import ceil, inf, prod
from operator import index
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from freehold.frontend import language
from freehold.frontend.intrinsics import intrinsic_of
from freehold.runtime.arrays.adoption import adopted_any, dtype_in
from freehold.runtime.arrays.elements import dtype_of, unfit
from freehold.runtime.arrays.tensor import Tensor
from freehold.runtime.base.call_site import CallSite, caller
from freehold.runtime.gpu import driver
from freehold.runtime.memory.arguments import HOST, contiguous
from freehold.runtime.operations.operation import Next
from freehold.support.dtypes import DType, default_dtype, f32, held, i32
from freehold.support.lazy import Lazy
from freehold.support.public import public, refuse, shown

if TYPE_CHECKING:
    from freehold.frontend.language import AnyDType, Operand, Tile
    from freehold.frontend.language.tile import D, E
    from freehold.frontend.language.tile import f32 as f32_
    from freehold.frontend.language.tile import i32 as i32_
    from freehold.runtime.arrays import copying
    from freehold.runtime.operations.execution import Execution
    from freehold.runtime.operations.operation import Next, Operation

    class TileOrTensor(Tile[D], Operation[Tensor]):
        """A tile in a kernel; elsewhere an operation that makes a tensor."""
else:
    copying = Lazy("freehold.runtime.arrays.copying")

F = TypeVar("F", bound=Callable[..., Any])
Shape = int | tuple[int, ...]


def _both(tile: Callable[..., Any]) -> Callable[[F], F]:
    """Marks a function of the host as one that kernels know by the same name: there it is `tile`."""

    def mark(function: F) -> F:
        marked: Any = function
        marked.__freehold_intrinsic__ = intrinsic_of(tile)
        return function

    return mark


# --- Names of kernels, too --------------------------------------------------------------------------------------------


@overload
def zeros(shape: Shape, *, device: int | None = None) -> TileOrTensor[f32_]: ...
@overload
def zeros(shape: Shape, dtype: type[E], *, device: int | None = None) -> TileOrTensor[E]: ...
@overload
def zeros(shape: Shape, dtype: AnyDType, *, device: int | None = None) -> TileOrTensor: ...
@_both(language.zeros)
def zeros(shape: Shape, dtype: AnyDType = f32, *, device: int | None = None) -> TileOrTensor:
    """
    Zeros: in a kernel a tile, elsewhere an operation that makes a tensor.

    Raises `Rejected` (O256) for what is no shape or dtype, and on a kernel's host side as all operations do.
    """
    return _filled("zeros", shape, 0, dtype, device)


@overload
def ones(shape: Shape, *, device: int | None = None) -> TileOrTensor[f32_]: ...
@overload
def ones(shape: Shape, dtype: type[E], *, device: int | None = None) -> TileOrTensor[E]: ...
@overload
def ones(shape: Shape, dtype: AnyDType, *, device: int | None = None) -> TileOrTensor: ...
@_both(language.ones)
def ones(shape: Shape, dtype: AnyDType = f32, *, device: int | None = None) -> TileOrTensor:
    """Ones: in a kernel a tile, elsewhere an operation that makes a tensor. Raises as `zeros`."""
    return _filled("ones", shape, 1, dtype, device)


@overload
def full(shape: Shape, value: Operand, *, device: int | None = None) -> TileOrTensor: ...
@overload
def full(shape: Shape, value: Operand, dtype: type[E], *, device: int | None = None) -> TileOrTensor[E]: ...
@overload
def full(shape: Shape, value: Operand, dtype: AnyDType, *, device: int | None = None) -> TileOrTensor: ...
@_both(language.full)
def full(shape: Shape, value: Operand, dtype: AnyDType | None = None, *, device: int | None = None) -> TileOrTensor:
    """
    `value` everywhere: in a kernel a tile, elsewhere an operation that makes a tensor. Raises as `zeros`.

    Unless given, the dtype is the value's: bool_, i32 or f32 for Python's numbers.
    """
    chosen = _of_number(value) if dtype is None else dtype
    return _filled("full", shape, value, chosen, device)


@overload
def arange(stop: int, /, *, device: int | None = None) -> TileOrTensor[i32_]: ...
@overload
def arange(stop: int, dtype: type[E], /, *, device: int | None = None) -> TileOrTensor[E]: ...
@overload
def arange(stop: int, dtype: AnyDType, /, *, device: int | None = None) -> TileOrTensor: ...
@overload
def arange(stop: int, /, *, dtype: type[E], device: int | None = None) -> TileOrTensor[E]: ...
@overload
def arange(stop: int, /, *, dtype: AnyDType, device: int | None = None) -> TileOrTensor: ...
@overload
def arange(stop: int, /, *, step: int, dtype: AnyDType | None = None, device: int | None = None) -> TileOrTensor: ...
@overload
def arange(start: int, stop: int, step: int = 1, /, *, device: int | None = None) -> TileOrTensor[i32_]: ...
@overload
def arange(
    start: int, stop: int, step: int = 1, /, *, dtype: type[E], device: int | None = None
) -> TileOrTensor[E]: ...
@overload
def arange(start: int, stop: int, step: int = 1, /, *, dtype: AnyDType, device: int | None = None) -> TileOrTensor: ...
@overload
def arange(stop: float, /, *, dtype: AnyDType | None = None, device: int | None = None) -> Operation[Tensor]: ...
@overload
def arange(
    start: float, stop: float, step: float = 1, /, dtype: AnyDType | None = None, *, device: int | None = None
) -> Operation[Tensor]: ...
@_both(language.arange)
def arange(
    start: Any, stop: Any = None, /, step: Any = 1, dtype: AnyDType | None = None, *, device: int | None = None
) -> Any:
    """
    Numbers in even steps: in a kernel a tile of integers known at compile time, else an operation that makes a tensor.

    `arange(stop)`, `arange(stop, dtype)` or `arange(start, stop, step, dtype)`, without `stop` itself. Unless given,
    the dtype is i32, or f32 if anything is a float. Raises as `zeros`, and `ValueError` if `step` is 0.
    """
    import numpy as np

    site = caller()
    if isinstance(stop, DType):
        stop, dtype = None, stop
    if stop is None:
        start, stop = 0, start
    _verify_numbers("arange", start=start, stop=stop, step=step)
    if step == 0:
        refuse("freehold.arange", "`step` is a number other than 0")
    chosen = _dtype(dtype, f32 if any(isinstance(v, float) for v in (start, stop, step)) else i32)
    steps = (stop - start) / step
    if 0 < steps < inf:
        _verify_ends("arange", chosen, site, start, start + (ceil(steps) - 1) * step)

    def make() -> Any:
        return cast(Any, np.arange(start, stop, step))

    return _uploaded("arange", site, chosen, device, make)


# --- Names of the host ------------------------------------------------------------------------------------------------


@public
def empty(shape: Shape, dtype: AnyDType = f32, *, device: int | None = None) -> Operation[Tensor]:
    """An operation that makes a tensor with anything in it. Raises as `zeros`."""
    site = caller()
    extents, chosen, place = _shape(shape, site), _dtype(dtype), _place(device, site)

    def run(execution: Execution) -> Tensor:
        return copying.empty(Tensor, execution, extents, chosen, place, "`empty`")

    return copying.work("`empty`", run)


@public
def page_locked(shape: Shape, dtype: AnyDType = f32, *, device: int | None = None) -> Operation[Tensor]:
    """
    An operation that makes zeros in the host's memory which a GPU copies by itself; `device` is that GPU.

    The tensor is one of the host. But `copy_from` between it and a tensor on that GPU, both contiguous and of one
    dtype, is enqueued as work of the GPU is, holds nobody up, and may be recorded in a graph. `borrow` and `borrow_mut`
    wait for copies in flight. Where there is no GPU it is `zeros` on the host. Raises as `zeros`.
    """
    from freehold.runtime.memory.storage import allocate_page_locked

    site = caller()
    extents, chosen, place = _shape(shape, site), _dtype(dtype), _place(device, site)
    if place == HOST:
        return _filled("page_locked", shape, 0, dtype, HOST)

    def run(execution: Execution) -> Tensor:
        execution.allocating("`page_locked`")
        storage = allocate_page_locked(prod(extents) * chosen.itemsize, place)
        return Tensor(storage, storage.address, extents, contiguous(extents, chosen.itemsize), chosen)

    return copying.work("`page_locked`", run)


@public
def linspace(
    start: float, stop: float, count: int = 50, dtype: AnyDType = f32, *, device: int | None = None
) -> Operation[Tensor]:
    """An operation that makes `count` numbers in even steps from `start` to `stop`, with both. Raises as `zeros`."""
    import numpy as np

    site = caller()
    _verify_numbers("linspace", start=start, stop=stop, count=count)
    (number,) = _shape(count, site)
    chosen = _dtype(dtype)
    _verify_ends("linspace", chosen, site, start, stop)
    return _uploaded("linspace", site, chosen, device, lambda: np.linspace(start, stop, number))


@public
def eye(
    rows: int, columns: int | None = None, dtype: AnyDType = f32, *, device: int | None = None
) -> Operation[Tensor]:
    """An operation that makes a matrix with ones on its diagonal, square without `columns`. Raises as `zeros`."""
    import numpy as np

    site = caller()
    m, n = _shape((rows, rows if columns is None else columns), site)
    return _uploaded("eye", site, _dtype(dtype), device, lambda: np.eye(m, n))


@public
def rand(
    shape: Shape, dtype: AnyDType = f32, *, seed: int | None = None, device: int | None = None
) -> Operation[Tensor]:
    """
    An operation that makes random numbers from 0 up to but not 1: Philox4x32-10 of the seed and the element's number,
    so the same on every device. Without a seed they are others each time. Raises as `zeros`; the dtype is a float's.
    """
    return _random("rand", shape, dtype, seed, device)


@public
def randn(
    shape: Shape, dtype: AnyDType = f32, *, seed: int | None = None, device: int | None = None
) -> Operation[Tensor]:
    """
    An operation that makes random numbers of the standard normal distribution, of the seed and the element's number;
    the last bits of logarithm and cosine are the device's. Without a seed they are others each time. Raises as `rand`.
    """
    return _random("randn", shape, dtype, seed, device)


@public
def from_numpy(array: Any, dtype: AnyDType | None = None, *, device: int | None = None) -> Operation[Tensor]:
    """
    An operation that copies a NumPy array, or what NumPy makes one of, as it is when the operation is run.

    Elements of another `dtype` than the array's are converted. Raises `Rejected` (O257) for elements that kernels do
    not have, and as `zeros`.
    """
    import numpy as np

    site = caller()
    source: Any = np.asarray(array)
    chosen = _dtype(dtype, dtype_in(source))
    return _uploaded("from_numpy", site, chosen, device, lambda: source)


@public
def to_device(array: Any, device: int | None = None) -> Tensor:
    """
    A copy of an array, or what NumPy makes one of, as a tensor on a GPU; where there is none, in the host's memory.

    So a program can be written once: kernels run on the GPU, or on the interpreter. Raises as `from_numpy`.
    """
    import numpy as np

    from freehold.runtime.arrays.tensor import Tensor
    from freehold.runtime.memory.arguments import is_array

    if isinstance(array, np.ndarray) or not is_array(array):
        return from_numpy(cast(Any, array), device=device).sync()
    source = array if isinstance(array, Tensor) else adopted_any(array)
    return source.to(_place(device, caller())).sync()


@public
def to_numpy(array: Any) -> Any:
    """A copy of any array that kernels take as a NumPy array, made when the work that writes it is done."""
    import numpy as np

    from freehold.runtime.arrays.tensor import Tensor
    from freehold.runtime.memory.blame import of_call

    if isinstance(array, np.ndarray):
        return np.array(cast(Any, array), order="C")
    tensor = array if isinstance(array, Tensor) else adopted_any(array)
    return copying.read(tensor, of_call("freehold.to_numpy", {"array": array}))


# --- How --------------------------------------------------------------------------------------------------------------


def _verify_numbers(function: str, **given: Any) -> None:
    """Raises `Rejected` (O045) for what is no number."""
    for name, number in given.items():
        if not hasattr(number, "__float__") or getattr(number, "ndim", 0):
            refuse(f"freehold.{function}", f"`{name}` is a number, not {shown(number)}")


def _verify_ends(function: str, dtype: DType, site: CallSite, *ends: Any) -> None:
    """Raises `Rejected` (O256) where the first or the last of numbers in even steps is none that a dtype holds."""
    for end in ends:
        number = int(end) if hasattr(end, "__index__") else float(end)
        if (holds := held(dtype, number)) is not None:
            unfit(f"a number of `{function}`", f"one that {dtype} has ({holds})", f"`{number}`", site)


def _filled(name: str, shape: Shape, value: Any, dtype: AnyDType, device: int | None) -> Any:
    site = caller()
    extents, chosen, place = _shape(shape, site), _dtype(dtype), _place(device, site)
    copying.element(value, chosen, site)

    def run(execution: Execution) -> Tensor | Next:
        made = copying.empty(Tensor, execution, extents, chosen, place, f"`{name}`")
        return Next(copying.filled(made, value, site))

    return copying.work(f"`{name}`", run)


def _uploaded(
    name: str, site: CallSite, dtype: DType, device: int | None, make: Callable[[], Any]
) -> Operation[Tensor]:
    """A tensor of what a function makes with NumPy."""
    place = _place(device, site)

    def run(execution: Execution) -> Tensor:
        array = make()
        made = copying.empty(Tensor, execution, array.shape, dtype, place, f"`{name}`")
        copying.write(made, array, None)
        return made

    return copying.work(f"`{name}`", run)


def _random(name: str, shape: Shape, dtype: AnyDType, seed: int | None, device: int | None) -> Operation[Tensor]:
    site = caller()
    extents, chosen, place = _shape(shape, site), _dtype(dtype), _place(device, site)
    if not chosen.is_float:
        unfit("the dtype", "one of floating-point numbers", f"`{chosen}`", site)
    if not (seed is None or hasattr(seed, "__index__")):
        refuse(f"freehold.{name}", f"`seed` is an integer or None, not {shown(seed)}")
    key = secrets.randbits(63) if seed is None else seed & (1 << 63) - 1

    def run(execution: Execution) -> Tensor | Next:
        from freehold.runtime.arrays import builtin_kernels
        from freehold.runtime.launch.partition import partition

        made = copying.empty(Tensor, execution, extents, chosen, place, f"`{name}`")
        if made.size == 0:
            return made
        kernel = builtin_kernels.uniform if name == "rand" else builtin_kernels.normal
        return Next(kernel(partition(made.reshape(-1), _TILE), key, _TILE), lambda _: made)

    return copying.work(f"`{name}`", run)


_TILE = 1024
"""Random numbers that a tile block makes."""


def _shape(given: Any, site: CallSite) -> tuple[int, ...]:
    extents = cast("tuple[Any, ...]", given) if isinstance(given, tuple | list) else (given,)
    try:
        shape = tuple(index(e) for e in extents)
    except TypeError:
        shape = (-1,)
    if any(e < 0 for e in shape):
        unfit("the shape", "an integer or a tuple of integers, none negative", f"`{given!r}`", site)
    return shape


def _of_number(value: Any) -> AnyDType:
    """What a number is kept as by itself."""
    if isinstance(value, bool | int | float):
        return default_dtype(value)
    return dtype_of(value.dtype) if hasattr(value, "dtype") else f32


def _dtype(given: AnyDType | None, otherwise: DType | None = None) -> DType:
    return otherwise if given is None and otherwise is not None else dtype_of(cast("AnyDType", given))


def _place(device: int | None, site: CallSite) -> int:
    """The device that is meant. Raises `Rejected` (O240, O256)."""
    if device is None:
        return driver.current_device() if driver.gpu_available() else HOST
    if device == HOST:
        return HOST
    driver.require_gpu("leave `device` out, or give `freehold.HOST`")
    if not 0 <= device < driver.device_count():
        count = driver.device_count()
        unfit("the device", f"`freehold.HOST` or a number below {count}", f"`{device!r}`", site)
    return device
