"""Launches on the interpreter: in the mode that is asked for, with arrays in the host's memory or copied there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from freehold.runtime.gpu import driver, transfers
from freehold.runtime.gpu.timeline import host_timeline
from freehold.runtime.launch import modes
from freehold.runtime.launch.callee import Callee, Interpreted
from freehold.runtime.launch.checks import geometry
from freehold.runtime.memory import ledger
from freehold.runtime.memory.arguments import HOST, ArrayView
from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.support.contract import ScalarParameter, TensorParameter

if TYPE_CHECKING:
    from freehold.runtime.base.call_site import CallSite
    from freehold.runtime.launch.binding import Bound
    from freehold.runtime.launch.modes import Mode
    from freehold.runtime.memory.ledger import Blame
    from freehold.runtime.operations.execution import Execution
    from freehold.runtime.operations.leases import Leases


def run(kernel: Callee, bound: Bound, site: CallSite, execution: Execution, used: Leases, blame: Blame) -> None:
    """Checks a launch and runs it on the interpreter, or records it."""
    mode = modes.current() or modes.FAST
    made = kernel.interpreted(bound.specialisation, mode.kind)
    geometry(kernel.signature, made.evaluator, bound, site)
    recording = execution.recording
    if recording is None:
        for device in {view.device for view in bound.views} - {HOST}:  # other libraries' streams are not known
            driver.synchronize(device)
        ledger.enqueue(host_timeline(), *used, lambda: _interpret(made, bound, mode), blame)
    else:
        recording.uses(bound.views, used.reads, used.writes)
        recording.host_work(lambda: _interpret(made, bound, mode))


def _interpret(made: Interpreted, bound: Bound, mode: Mode) -> None:
    """Runs a kernel, and copies back what it wrote where the arrays are elsewhere."""
    arguments: list[Any] = []
    written: list[tuple[ArrayView, Any]] = []
    for parameter, value in zip(made.evaluator.contract.parameters, bound.run_time, strict=True):
        if isinstance(parameter, ScalarParameter):
            arguments.append(numpy_dtype(parameter.dtype).type(value))
            continue
        assert isinstance(parameter, TensorParameter)
        assert isinstance(value, ArrayView)
        array = array_of(value)
        arguments.append(array)
        if value.device != HOST and parameter.mode != "ref":
            written.append((value, array))
    made.kernel.run(arguments, order=mode.seed)
    for view, array in written:
        # What lies between the elements of one array may be another's, so it is read again before it is written.
        data = _bytes_of(view)
        _strided(view, data)[...] = array
        transfers.copy_to_device(view.pointer, data.ctypes.data, view.size, view.device)


def array_of(view: ArrayView) -> Any:
    """An array as a NumPy array: over the same memory, or a copy of what is on a GPU; as it was when it was read."""
    if view.device == HOST:
        holder = _Holder(view)
        return np.asarray(holder).view(numpy_dtype(view.dtype.name))
    return _strided(view, _bytes_of(view))


class _Holder:
    """Memory of another library, described for NumPy."""

    def __init__(self, view: ArrayView):
        self._view = view  # keeps the memory
        kind = "b" if view.dtype.kind == "bool" else "u"
        self.__array_interface__ = {
            "version": 3,
            "data": (view.pointer, view.read_only is not None),
            "shape": view.shape,
            "strides": view.strides,
            "typestr": f"|{kind}1" if view.dtype.itemsize == 1 else f"<u{view.dtype.itemsize}",
        }


def _bytes_of(view: ArrayView) -> Any:
    """A copy of all bytes from an array's first element to its last."""
    data: Any = np.empty(view.size, np.uint8)
    transfers.copy_to_host(data.ctypes.data, view.pointer, view.size, view.device)
    return data


def _strided(view: ArrayView, data: Any) -> Any:
    return np.ndarray(view.shape, numpy_dtype(view.dtype.name), data, strides=view.strides)
