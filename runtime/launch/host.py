"""Launches on the interpreter: in the mode that is asked for, with arrays in the host's memory or copied there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from freehold.runtime.gpu import driver, transfers
from freehold.runtime.gpu.timeline import host_timeline
from freehold.runtime.launch import modes
from freehold.runtime.launch.callee import Callee, Interpreted
from freehold.runtime.launch.checks import geometry
from freehold.runtime.launch.plan import Arrays
from freehold.runtime.memory import ledger
from freehold.runtime.memory.arguments import HOST, ArrayView
from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.support.contract import ScalarParameter

if TYPE_CHECKING:
    from freehold.runtime.base.call_site import CallSite
    from freehold.runtime.launch.binding import Bound
    from freehold.runtime.launch.modes import Mode
    from freehold.runtime.memory.ledger import Blame
    from freehold.runtime.operations.execution import Execution
    from freehold.runtime.operations.leases import Leases


class HostPlan(Arrays):
    """One launch on the interpreter, without its arrays: a kernel made ready for a mode, and what it asks of them."""

    __slots__ = ("made", "mode")

    def __init__(self, made: Interpreted, mode: Mode, views: Sequence[ArrayView]):
        super().__init__(made.evaluator, views)
        self.made = made
        self.mode = mode

    def run(
        self,
        views: Sequence[ArrayView],
        run_time: Sequence[Any],
        execution: Execution,
        used: Leases,
        blame: Blame | None,
    ) -> None:
        """Runs it, or records it. Raises `Mismatch` where it is not for these arguments."""
        recording = execution.recording
        if recording is None:
            for device in {view.device for view in views} - {HOST}:  # other libraries' streams are not known
                driver.synchronize(device)
            ledger.enqueue(host_timeline(), *used, lambda: self._verified(run_time), blame)
        else:
            self._verify(run_time)
            recording.uses(views, used.reads, used.writes)
            recording.host_work(lambda: self._interpret(run_time))

    def _verified(self, run_time: Sequence[Any]) -> None:
        """Runs it, once it is leased: what was moved or freed is refused for that, whoever has its memory by now."""
        self._verify(run_time)
        self._interpret(run_time)

    def _verify(self, run_time: Sequence[Any]) -> None:
        """Raises `Mismatch` where it is not for these arguments."""
        self.verify([v.pointer if isinstance(v, ArrayView) else v for v in run_time])
        if self.evaluator.varies:
            self.geometry([run_time[n] for n in self.evaluator.varies])

    def _interpret(self, run_time: Sequence[Any]) -> None:
        """Runs the kernel, and copies back what it wrote where the arrays are elsewhere."""
        arguments: list[Any] = []
        written: list[tuple[str, ArrayView, Any]] = []
        for parameter, value in zip(self.evaluator.contract.parameters, run_time, strict=True):
            if isinstance(parameter, ScalarParameter):
                arguments.append(numpy_dtype(parameter.dtype).type(value))
                continue
            assert isinstance(value, ArrayView)
            array = array_of(value)
            arguments.append(array)
            if value.device != HOST and parameter.mode != "ref":
                written.append((parameter.name, value, array))
        self.made.kernel.run(arguments, order=self.mode.seed)
        if written and self.made.beside is not None:
            self.made.beside([v for v in run_time if isinstance(v, ArrayView)], run_time, written)
            return
        for _, view, array in written:
            # What lies between the elements of one array may be another's, so it is read again before it is written.
            data = _bytes_of(view)
            _strided(view, data)[...] = array
            transfers.copy_to_device(view.pointer, data.ctypes.data, view.size, view.device)


def plan(kernel: Callee, bound: Bound, site: CallSite) -> HostPlan:
    """The plan for checked arguments on the interpreter, in the mode that is asked for. Raises `Rejected`."""
    mode = modes.current() or modes.FAST
    made = kernel.interpreted(bound.specialisation, mode.kind)
    geometry(kernel.signature, made.evaluator, bound, site)
    return HostPlan(made, mode, bound.views)


def array_of(view: ArrayView) -> Any:
    """An array as a NumPy array: over the same memory, or a copy of what is on a GPU; as it was when it was read."""
    if view.device == HOST:
        return np.asarray(_Holder(view)).view(numpy_dtype(view.dtype.name))
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
