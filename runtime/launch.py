"""
Launches: one piece of work each, described when a kernel is called and done when it is asked for.

Most launches have arguments that look like those of an earlier one. For arrays of torch, CuPy and Freehold a reader is
written out for the classes of the arguments: it reads addresses, and a key of everything else that matters. A key that
was seen before leads to a plan, which knows all the rest. Whatever is new or wrong takes the thorough way
(`runtime.binding`).
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, NoReturn

from freehold.runtime.arguments import HOST, ArrayView
from freehold.runtime.plan import Mismatch, Plan

if TYPE_CHECKING:
    from freehold.runtime.binding import Bound
    from freehold.runtime.call_site import CallSite
    from freehold.runtime.kernel import Kernel

INTERPRET: Final = os.environ.get("FREEHOLD_INTERPRET", "0") not in ("", "0")
"""Run everything on the interpreter, also what is on a GPU. Read from the environment once."""

MOST_PLANS: Final = 4096
"""Plans that a kernel remembers; past that it forgets all and begins anew."""


class UnrunLaunch(RuntimeWarning):
    """A launch was described and never run."""


class Launch:
    """A kernel with its arguments. It does nothing until it is run, and can be run once."""

    __slots__ = ("_arguments", "_code", "_dispatcher", "_instruction")

    def __init__(self, dispatcher: Dispatcher, arguments: tuple[Any, ...], code: CodeType, instruction: int):
        self._dispatcher = dispatcher
        self._arguments: tuple[Any, ...] | None = arguments
        self._code = code
        self._instruction = instruction

    def sync(self) -> None:
        """
        Runs it on the caller's current stream and waits until it is done.

        The stream is torch's current one if an argument is torch's, CuPy's if one is CuPy's, and else the GPU's default
        stream. Arrays in the host's memory run on the interpreter. Raises `Rejected`; nothing was launched then, unless
        the error is the driver's (O241).
        """
        arguments = self._arguments
        self._arguments = None
        stream = self._dispatcher.run(arguments, self)
        if stream is not None:
            try:
                stream.sync()
            except Exception as e:
                self._dispatcher.failed(e)

    def on(self, stream: Any = None) -> InFlight:
        """
        Enqueues it on a stream, the caller's current one unless given, and returns at once.

        A stream may be one of cuda.core, torch or CuPy, or a handle. It first waits for what is on the current streams
        of the libraries whose arrays are arguments. Raises as `sync` does.
        """
        arguments = self._arguments
        self._arguments = None
        dispatcher = self._dispatcher
        used = dispatcher.run(arguments, self) if stream is None else dispatcher.run_on(stream, arguments, self)
        return InFlight(dispatcher, used, arguments)

    @property
    def site(self) -> CallSite:
        """Where the kernel was called."""
        from freehold.runtime.call_site import CallSite

        return CallSite(self._code, self._instruction)

    def __repr__(self) -> str:
        state = "run" if self._arguments is None else "not run"
        return f"<launch of {self._dispatcher.kernel.__name__}, {state}>"

    def __del__(self) -> None:
        if self._arguments is not None:
            name, span = self._dispatcher.kernel.__name__, self.site.span
            place = self._code.co_filename if span is None else str(span)
            warnings.warn(f"a launch of `{name}` was never run: add `.sync()` at {place}", UnrunLaunch, stacklevel=2)


class InFlight:
    """A launch that was enqueued. Keeps its arrays alive as long as it lives itself."""

    __slots__ = ("_arguments", "_dispatcher", "_stream")

    def __init__(self, dispatcher: Dispatcher, stream: Any, arguments: object):
        self._dispatcher = dispatcher
        self._stream = stream
        self._arguments = arguments

    def wait(self) -> None:
        """Waits until the launch, and whatever was enqueued on its stream since, is done. Raises `Rejected` (O241)."""
        if self._stream is not None:
            from freehold.runtime import driver

            driver.wait(self._stream, f"`{self._dispatcher.kernel.__name__}`")
        self._stream = self._arguments = None

    def __repr__(self) -> str:
        return f"<launch of {self._dispatcher.kernel.__name__}, {'done' if self._stream is None else 'enqueued'}>"


Read = Callable[[tuple[Any, ...]], Any]
"""
Launches on arguments of certain classes if it has a plan for them, and returns the stream.

Otherwise it returns None for arguments of other classes, and a tuple of their key where there is no plan yet. Raises
one of `WRONG` for arguments that are not as they should be; nothing was launched then.
"""

WRONG: Final = (Mismatch, AttributeError, RuntimeError, TypeError, ValueError, OverflowError)
"""What comes of reading or passing something that is no good. The driver's errors are `Rejected`."""


def _reads_nothing(arguments: tuple[Any, ...]) -> None:
    return None


class Dispatcher:
    """The launches of one kernel: the readers for its arguments, and the thorough way."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self._readers: dict[tuple[type, ...], tuple[Read, dict[object, Plan]]] = {}
        self._last: Read = _reads_nothing
        """The reader for the classes of arguments that were met last."""
        self._in_flight: list[tuple[Any, object]] = []

    def run(self, arguments: tuple[Any, ...] | None, launch: Launch) -> Any:
        """Checks and runs; returns the stream that it was enqueued on, or None where it is done already."""
        if arguments is None:
            self._already()
        try:
            found = self._last(arguments)
        except WRONG:
            return self._thoroughly(arguments, launch.site)
        if found is not None and found.__class__ is not tuple:
            return found
        types = tuple(map(type, arguments))
        if types not in self._readers:
            self._readers[types] = self._reader(arguments)
        read, plans = self._readers[types]
        self._last = read
        try:
            found = read(arguments)
        except WRONG:
            found = None
        if found is not None and found.__class__ is not tuple:
            return found
        return self._thoroughly(arguments, launch.site, None, plans, found)

    def run_on(self, stream: Any, arguments: tuple[Any, ...] | None, launch: Launch) -> Any:
        """As `run`, on a stream of the caller's choice."""
        if arguments is None:
            self._already()
        return self._thoroughly(arguments, launch.site, stream)

    def failed(self, error: Exception) -> NoReturn:
        """Raises what waiting for a launch raised, as an error of ours if it is the driver's."""
        from freehold.runtime import driver

        driver.failed(f"`{self.kernel.__name__}`", error)

    def _already(self) -> NoReturn:
        from freehold.runtime.call_site import caller
        from freehold.runtime.errors import AlreadyRun
        from freehold.support.diagnostic import Rejected

        raise Rejected([AlreadyRun(caller().span, self.kernel.__name__)])

    def _thoroughly(
        self,
        arguments: tuple[Any, ...],
        site: CallSite,
        given: Any = None,
        plans: dict[object, Plan] | None = None,
        key: object = None,
    ) -> Any:
        """Checks everything, compiles if that has not been done, runs, and keeps the plan for the next time."""
        from freehold.runtime.binding import bind

        kernel = self.kernel
        bound = bind(kernel.signature, arguments, site)
        if bound.device == HOST or INTERPRET:
            from freehold.runtime import host

            host.run(kernel, bound, site)
            return None
        from freehold.runtime import driver

        driver.require_gpu()
        plan = self._plan(bound, site)
        stream = self._stream(bound.views, given, plan)
        plan.enqueue(plan, stream, *bound.values)
        if plans is not None and key is not None:
            if len(plans) >= MOST_PLANS:
                plans.clear()
            plans[key] = plan
        if given is not None:
            self._keep(stream, arguments)
        return stream

    def _plan(self, bound: Bound, site: CallSite) -> Plan:
        from freehold.runtime import driver
        from freehold.runtime.checks import geometry

        compiled = self.kernel.compiled(bound.specialisation, driver.architecture(bound.device))
        found = geometry(self.kernel.signature, compiled.evaluator, bound.views, site)
        return Plan(compiled, bound.views, found, bound.device)

    def _stream(self, views: Sequence[ArrayView], given: Any, plan: Plan) -> Any:
        """The stream to use, made to wait for what may still be writing the arguments."""
        from freehold.runtime import driver

        device = plan.device
        if given is None:
            stream = driver.stream(driver.current_handle(plan.family, device), device)
        else:
            stream = driver.stream_of(given, device)
        for handle in {driver.current_handle(v.family, device) for v in views}:
            driver.order_after(stream, handle, device)
        for handle in {v.stream for v in views if v.stream is not None}:
            driver.order_after(stream, handle, device)
        return stream

    def _keep(self, stream: Any, arguments: object) -> None:
        """
        Keeps arrays alive until the work on a stream of the caller's choice is done.

        Their libraries take memory back in the order of their own streams, so they must not be dropped before.
        """
        from freehold.runtime import driver

        self._in_flight = [(event, kept) for event, kept in self._in_flight if not event.is_done]
        self._in_flight.append((driver.record(stream), arguments))

    def _reader(self, arguments: tuple[Any, ...]) -> tuple[Read, dict[object, Plan]]:
        """The reader for arguments of these classes, and the plans that it uses."""
        from freehold.frontend.signature import ConstSpec
        from freehold.runtime import driver
        from freehold.runtime.partition import Partition

        plans: dict[object, Plan] = {}
        if INTERPRET:
            return _reads_nothing, plans
        scope: dict[str, Any] = {
            "get": plans.get, "last": [(None, None)], "stream_of": driver.stream, "constant": ConstSpec,
        }  # fmt: skip
        unpack: list[str] = []
        classes: list[str] = []
        lines: list[str] = []
        key: list[str] = []
        values: list[str] = []
        arrays: list[tuple[str, str]] = []
        for n, (parameter, argument) in enumerate(zip(self.kernel.signature.parameters, arguments, strict=True)):
            name = f"a{n}"
            scope[f"c{n}"] = type(argument)
            unpack.append(f"{name}, ")
            classes.append(f"{name}.__class__ is c{n}")
            if parameter.mode == "const":
                key.append(f"constant({name})" if isinstance(argument, float | tuple) else name)
            elif not parameter.is_tensor:
                values.append(name)
            else:
                array = argument
                if isinstance(argument, Partition):
                    array, name = argument.array, f"t{n}"
                    lines.append(f"    {name} = a{n}.array")
                    key.append(f"id(a{n}.spec)")  # equal specs are one object, and none is ever dropped
                family = _quick_family(array)
                if family is None:
                    return _reads_nothing, plans
                pointer, looks = _QUICK[family]
                lines.append(f"    p{n} = {pointer.format(name)}")
                key += [looks.format(name), f"p{n} & 15"]
                values.append(f"p{n}")
                arrays.append((family, name))
        if len({family for family, _ in arrays}) != 1:  # whose stream to use, and which to wait for, has to be seen
            return _reads_nothing, plans
        handle = "0"
        if arrays[0][0] == "torch":
            torch: Any = sys.modules["torch"]
            current = getattr(torch._C, "_cuda_getCurrentRawStream", None)
            if current is None:  # a torch without CUDA
                return _reads_nothing, plans
            scope["current"], scope["grad_enabled"] = current, torch.is_grad_enabled
            handle = f"current({arrays[0][1]}.get_device())"
        elif arrays[0][0] == "cupy":
            cupy: Any = sys.modules["cupy"]
            scope["current"] = cupy.cuda.get_current_stream
            handle = f"current({arrays[0][1]}.device.id).ptr"
        lines = [
            "def read(arguments):",
            f"    {''.join(unpack)} = arguments",
            f"    if not ({' and '.join(classes)}):",
            "        return None",
            *lines,
            f"    key = ({''.join(f'{part}, ' for part in key)})",
            "    recent, plan = last[0]",
            "    if key != recent:",  # the same again is common, and found without hashing
            "        plan = get(key)",
            "        if plan is None:",
            "            return key",
            "        last[0] = key, plan",
            f"    handle = {handle}",
            "    stream = plan.streams.get(handle) or stream_of(handle, plan.device)",
            f"    plan.enqueue(plan, stream, {', '.join(values)})",
            "    return stream",
        ]
        exec("\n".join(lines), scope)
        return scope["read"], plans


_QUICK: Final[Mapping[str, tuple[str, str]]] = {
    "torch": (
        "{0}.data_ptr()",
        "{0}.shape, {0}.stride(), {0}.dtype, {0}.get_device(), {0}.is_neg(), {0}.requires_grad and grad_enabled()",
    ),
    "cupy": ("{0}.data.ptr", "{0}.shape, {0}.strides, {0}.dtype, {0}.device.id"),
    "freehold": ("{0}.pointer", "{0}.key"),
}
"""By family: the address of an array, and everything else about it that matters, as Python expressions."""


def _quick_family(array: object) -> str | None:
    """The library of an array whose class is exactly one that can be read quickly; None for others."""
    kind = type(array)
    name = f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
    known = {"torch.Tensor": "torch", "torch.Parameter": "torch", "cupy.ndarray": "cupy"}
    if name in known:
        return known[name]
    return "freehold" if name == "freehold.DeviceArray" else None
