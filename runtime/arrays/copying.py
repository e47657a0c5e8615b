"""
Copies: between tensors, arrays and NumPy, from any place to any place, with conversion of elements.

Between tensors of one GPU, and between GPUs, copies are enqueued on the execution's stream. Between the host and a GPU
they are done by the calling thread, on a stream of their own: memory that the host may page out is copied by the driver
in no other way. They wait for the work that they come after, and for no other. Page-locked memory of the host, which
has the space of a GPU (`creation.page_locked`), that GPU copies as its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

from freehold.runtime.arrays.elements import unfit
from freehold.runtime.arrays.handle import H, Handle, Maker
from freehold.runtime.base.call_site import CallSite, caller
from freehold.runtime.gpu import driver, transfers
from freehold.runtime.gpu.timeline import host_timeline, let_go
from freehold.runtime.launch.partition import partition
from freehold.runtime.memory import ledger
from freehold.runtime.memory.arguments import HOST, contiguous, view
from freehold.runtime.memory.blame import of_method
from freehold.runtime.memory.ledger import Blame, Hold
from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.runtime.memory.overlap import overlap
from freehold.runtime.memory.storage import allocate
from freehold.runtime.operations.execution import Execution
from freehold.runtime.operations.operation import Next, Operation, Work
from freehold.support.dtypes import DType, f8e8m0fnu
from freehold.support.locks import mutex

if TYPE_CHECKING:
    from freehold.runtime.launch.partition import Partition

# --- Between a GPU and NumPy ------------------------------------------------------------------------------------------


def over(tensor: Handle) -> Any:
    """A NumPy array over the memory of a tensor on the host. The caller has a lease."""
    from freehold.runtime.launch.host import array_of

    return array_of(view(tensor))


def read(tensor: Handle, blame: Blame | None, through: Hold | None = None) -> Any:
    """A contiguous copy of a tensor as a NumPy array, made when what writes it is done."""
    import numpy as np

    let_go()
    dtype: Any = numpy_dtype(tensor.dtype.name)

    def work() -> Any:
        if tensor.device == HOST:
            return np.array(over(tensor), order="C")
        if tensor.size == 0:
            return np.empty(tensor.shape, dtype)
        if tensor.high - tensor.low > 4 * tensor.nbytes:  # much lies between the elements
            made: Any = np.empty(tensor.shape, dtype)
            _copy_runs(tensor, made, to_host=True)
            return made
        data: Any = np.empty(tensor.high - tensor.low, np.uint8)
        with _own_stream(tensor.device) as stream:
            transfers.copy(data.ctypes.data, tensor.low, data.nbytes, stream)
            driver.wait(stream, "copying to the host")
        found: Any = np.ndarray(tensor.shape, dtype, data, tensor.pointer - tensor.low, tensor.strides)
        return np.ascontiguousarray(found).reshape(tensor.shape)

    return ledger.enqueue(host_timeline(), [tensor], [], work, blame, through)


def write(tensor: Handle, array: Any, blame: Blame | None, through: Hold | None = None) -> None:
    """Copies a NumPy array of the same shape, with elements of any dtype, into a tensor, when work on it is done."""
    import numpy as np

    def work() -> None:
        if tensor.device == HOST:
            np.copyto(over(tensor), array, casting="unsafe")
            return
        dtype: Any = numpy_dtype(tensor.dtype.name)
        source: Any = np.ascontiguousarray(array.astype(dtype, copy=False))
        if not tensor.is_contiguous:
            _copy_runs(tensor, source, to_host=False)
            return
        with _own_stream(tensor.device) as stream:
            transfers.copy(tensor.low, source.ctypes.data, source.nbytes, stream)
            driver.wait(stream, "copying to the GPU")

    ledger.enqueue(host_timeline(), [], [tensor], work, blame, through)


def _copy_runs(tensor: Handle, array: Any, to_host: bool) -> None:
    """Copies between a tensor on a GPU and a contiguous array, one run of neighbouring elements at a time."""
    itemsize = tensor.dtype.itemsize
    inner = tensor.ndim  # axes from here on lie in memory as they do in the array
    run = itemsize
    while inner and (tensor.strides[inner - 1] == run or tensor.shape[inner - 1] == 1):
        inner -= 1
        run *= tensor.shape[inner]
    address = array.ctypes.data
    with _own_stream(tensor.device) as stream:
        for n, offset in enumerate(_offsets(tensor.shape[:inner], tensor.strides[:inner])):
            here, there = tensor.pointer + offset, address + n * run
            transfers.copy(there if to_host else here, here if to_host else there, run, stream)
        driver.wait(stream, "copying between the host and the GPU")


def _offsets(shape: tuple[int, ...], strides: tuple[int, ...]) -> Iterator[int]:
    """The offsets of all elements, in bytes, in row-major order."""
    if not shape:
        yield 0
        return
    for position in range(shape[0]):
        for rest in _offsets(shape[1:], strides[1:]):
            yield position * strides[0] + rest


_OWN: Final[dict[int, tuple[Any, Any]]] = {}


@contextmanager
def _own_stream(device: int) -> Generator[Any]:
    """A stream for copies of the host, for one thread at a time; the GPU is the current one meanwhile."""
    found = _OWN.get(device)
    if found is None:
        found = _OWN.setdefault(device, (driver.new_stream(device), mutex()))
    stream, lock = found
    with lock, driver.on_device(device):
        yield stream


# --- Operations -------------------------------------------------------------------------------------------------------


def work(what: str, run: Callable[[Execution], H | Next]) -> Operation[H]:
    """An operation that makes or fills a tensor by a function, which may ask for other operations first."""
    return cast("Operation[H]", Work(what, run))


def empty(kind: Maker[H], execution: Execution, shape: tuple[int, ...], dtype: DType, device: int, what: str) -> H:
    """A new tensor with anything in it, to be written first by an execution. Raises `Rejected`, also inside a graph."""
    execution.allocating(what)
    user = host_timeline() if device == HOST else execution.place(device)[2]
    size = dtype.itemsize
    for extent in shape:
        size *= extent
    storage = allocate(size, user)
    return kind(storage, storage.address, shape, contiguous(shape, dtype.itemsize), dtype)


def overwritten(target: H, source: Any, site: CallSite) -> Operation[H]:
    """What `Handle.copy_from` describes."""
    blame = of_method("copy_from", site)

    def run(execution: Execution) -> H | Next:
        return _assign(execution, target, given, blame)

    if isinstance(source, Operation):
        operation = cast("Operation[Any]", source)
        return operation.then(lambda value: overwritten(target, value, site))
    from freehold.runtime.arrays.dlpack import adopted_any

    given = source if isinstance(source, Handle) else adopted_any(type(target), source)
    if given.shape != target.shape:
        unfit("the shape of what is copied", f"{target.shape}", f"{given.shape}", site)
    return work("a copy", run)


def converted(source: H, dtype: DType, device: int, name: str, site: CallSite) -> Operation[H]:
    """What `Tensor.copy`, `astype` and `to` describe."""
    blame = of_method(name, site)
    if device != HOST:
        driver.require_gpu("leave it on the host: `freehold.HOST`")

    def run(execution: Execution) -> H | Next:
        target = empty(type(source), execution, source.shape, dtype, device, f"`{name}`")
        return _assign(execution, target, source, blame)

    return work(f"`{name}`", run)


def filled(target: H, value: Any, site: CallSite) -> Operation[H]:
    """What `Tensor.fill` describes."""
    blame = of_method("fill", site)
    bits = element(value, target.dtype, site)

    def run(execution: Execution) -> H | Next:
        if target.device == HOST:
            return _on_host(execution, [], target, blame, lambda: over(target).fill(bits[()]))
        if target.is_contiguous:
            pattern = int.from_bytes(bits.tobytes(), "little")
            return _enqueued(
                execution,
                [],
                target,
                blame,
                lambda stream: transfers.fill(target.low, pattern, target.dtype.itemsize, target.size, stream),
            )
        made = empty(
            type(target),
            execution,
            target.shape,
            target.dtype,
            target.device,
            "`fill` of a view that is not contiguous",
        )
        return Next(filled(made, value, site), lambda _: _assign(execution, target, made, blame))

    return work("`fill`", run)


def element(value: Any, dtype: DType, site: CallSite) -> Any:
    """A NumPy array of one element. Raises `Rejected` (O256) for what is no number, or not one of the dtype."""
    import numpy as np

    from freehold.runtime.memory.scalars import held_instead, plain_number

    given: Any = value
    if isinstance(value, bool) and dtype.kind != "bool":
        given = int(value)
    elif dtype.kind == "bool" and type(value) is int and value in (0, 1):
        given = bool(value)
    number = plain_number(dtype, given)
    if number is None:
        holds = held_instead(dtype, given)
        unfit("the value", f"one that {dtype} has{f' ({holds})' if holds else ''}", f"`{value!r}`", site)
    return np.asarray(number).astype(numpy_dtype(dtype.name))


# --- How --------------------------------------------------------------------------------------------------------------


def _assign(execution: Execution, target: H, source: Handle, blame: Blame) -> H | Next:
    """Copies, or says what is to be done for it; the value is `target`."""
    if target.size == 0:
        return target
    if target.device == HOST and source.device == HOST:
        return _on_host(execution, [source], target, blame, lambda: _between_arrays(target, source))
    alike = target.dtype == source.dtype and target.is_contiguous and source.is_contiguous
    if alike and HOST in (target.device, source.device) and target.space.device == source.space.device:  # page-locked

        def directly(stream: Any) -> None:
            transfers.copy(target.low, source.low, target.nbytes, stream)

        return _enqueued(execution, [source], target, blame, directly)
    if HOST in (target.device, source.device):
        execution.allocating("a copy between the host and a GPU")
        write(target, read(source, blame), blame)
        return target
    if target.device == source.device and _share_memory(target, source):  # neither the driver nor a kernel copies that
        if alike and target.low == source.low:  # it is there already
            return _enqueued(execution, [source], target, blame, None)
        made = converted(source, source.dtype, source.device, "copy", caller())
        return Next(made, lambda found: _assign(execution, target, found, blame))
    if alike:

        def bytewise(stream: Any) -> None:
            if target.device == source.device:
                transfers.copy(target.low, source.low, target.nbytes, stream)
            else:
                transfers.copy_between(target.low, target.device, source.low, source.device, target.nbytes, stream)

        return _enqueued(execution, [source], target, blame, bytewise)
    if target.device != source.device:
        ready = source.dtype == target.dtype and source.is_contiguous  # then what is left is done over there
        made = converted(source, target.dtype, target.device if ready else source.device, "to", caller())
        return Next(made, lambda found: _assign(execution, target, found, blame))
    steps = [s for t in (target, source) for s, n in zip(t.strides, t.shape, strict=True) if n > 1]
    if min(steps, default=1) <= 0:  # kernels see memory through positive strides only
        execution.allocating("a copy of a view that runs backwards")
        write(target, read(source, blame), blame)
        return target
    from freehold.runtime.arrays.builtin_kernels import convert

    for tensor, written in ((source, False), (target, True)):
        try:  # the launch would call the tensors by the names of its parameters
            ledger.verify(tensor, written)
        except ledger.Refusal as e:
            raise blame(e) from None
    return Next(convert(cut(target), source), lambda _: target)


def _share_memory(one: Handle, other: Handle) -> bool:
    """Whether two tensors share a byte, or may, and neither runs backwards."""
    if one.space is not other.space or min((*one.strides, *other.strides), default=0) < 0:
        return False
    first, second = ((t.pointer, t.shape, t.strides, t.dtype.itemsize) for t in (one, other))
    return overlap(first, second)


def cut(tensor: Handle, elements: int = 1024) -> Partition:
    """A tensor in regions of about so many elements, which are neighbours in memory if it is row-major."""
    tile: list[int] = []
    left = elements
    for extent in reversed(tensor.shape):
        tile.append(min(left, 1 << (extent - 1).bit_length()))
        left //= tile[-1]
    return partition(tensor, tuple(reversed(tile)))


def _enqueued(
    execution: Execution, reads: Sequence[Handle], target: H, blame: Blame, work: Callable[[Any], None] | None
) -> H:
    """Enqueues work, if there is any, on the execution's stream on the target's GPU, or has a graph record it."""
    device = target.space.device
    stream, _, user = execution.place(device)

    def begin() -> None:
        if work is None:
            return
        with driver.on_device(device):  # the calling thread may have had no GPU yet, or another one
            work(stream)

    if execution.recording is not None:
        execution.recording.uses([view(t) for t in (*reads, target)], reads, [target])
        begin()
        if work is not None and target.low < target.high:  # of no bytes there is none
            execution.recording.enqueued([target], "copy")
    else:
        ledger.enqueue(user, reads, [target], begin, blame)
    return target


def _on_host(execution: Execution, reads: Sequence[Handle], target: H, blame: Blame, work: Any) -> H:
    """Does work on the host, with all leases, or has a graph record it."""
    if execution.recording is not None:
        execution.recording.uses([view(t) for t in (*reads, target)], reads, [target])
        execution.recording.host_work(work)
    else:
        ledger.enqueue(host_timeline(), reads, [target], work, blame)
    return target


def _between_arrays(target: Handle, source: Handle) -> None:
    import numpy as np

    values = over(source)
    if target.dtype is f8e8m0fnu and source.dtype != target.dtype:  # as kernels convert: up, which NumPy does not
        from freehold.runtime.interpreter.elements import E8M0FNU
        from freehold.runtime.interpreter.rounding import round_to

        values = round_to(values.astype(np.float64), E8M0FNU, "positive_inf")
    elif source.dtype is f8e8m0fnu and target.dtype != source.dtype:  # from which NumPy does not convert to all others
        values = values.astype(np.float32)
    with np.errstate(all="ignore"):
        np.copyto(over(target), values, casting="unsafe")
