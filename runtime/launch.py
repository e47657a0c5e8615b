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
from typing import TYPE_CHECKING, Any, Final

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
        stream = self._run(None)
        if stream is not None:
            from freehold.runtime import driver

            driver.wait(stream, f"`{self._dispatcher.kernel.__name__}`")

    def on(self, stream: Any = None) -> InFlight:
        """
        Enqueues it on a stream, the caller's current one unless given, and returns at once.

        A stream may be one of cuda.core, torch or CuPy, or a handle. It first waits for what is on the current streams
        of the libraries whose arrays are arguments. Raises as `sync` does.
        """
        arguments = self._arguments
        return InFlight(self._run(stream), arguments, self._dispatcher.kernel.__name__)

    def _run(self, stream: Any) -> Any:
        arguments = self._arguments
        if arguments is None:
            from freehold.runtime.errors import AlreadyRun
            from freehold.support.diagnostic import Rejected

            raise Rejected([AlreadyRun(None, self._dispatcher.kernel.__name__)])
        self._arguments = None
        return self._dispatcher.run(arguments, stream, self._code, self._instruction)

    def __repr__(self) -> str:
        state = "run" if self._arguments is None else "not run"
        return f"<launch of {self._dispatcher.kernel.__name__}, {state}>"

    def __del__(self) -> None:
        if getattr(self, "_arguments", None) is not None:
            line = f"{self._code.co_filename}:{self._code.co_firstlineno}"
            name = self._dispatcher.kernel.__name__
            warnings.warn(f"a launch of `{name}` (in {line}) was never run: add `.sync()`", UnrunLaunch, stacklevel=2)


class InFlight:
    """A launch that was enqueued. Keeps its arrays alive as long as it lives itself."""

    __slots__ = ("_arguments", "_name", "_stream")

    def __init__(self, stream: Any, arguments: object, name: str):
        self._stream = stream
        self._arguments = arguments
        self._name = name

    def wait(self) -> None:
        """Waits until the launch, and whatever was enqueued on its stream since, is done. Raises `Rejected` (O241)."""
        if self._stream is not None:
            from freehold.runtime import driver

            driver.wait(self._stream, f"`{self._name}`")
        self._stream = self._arguments = None

    def __repr__(self) -> str:
        return f"<launch of {self._name}, {'done' if self._stream is None else 'enqueued'}>"


class Reader:
    """What reads arguments of certain classes quickly, with the plans for what it has met."""

    __slots__ = ("plans", "read")

    def __init__(self, read: Callable[..., Any], plans: dict[object, Plan]):
        self.read = read
        """A function of the arguments: their key, the plan for it or None, the stream, and the plan's values."""
        self.plans = plans


class Dispatcher:
    """The launches of one kernel: the readers for its arguments, and the thorough way."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self._readers: dict[tuple[type, ...], Reader | None] = {}
        self._count = len(kernel.signature.parameters)
        self._in_flight: list[tuple[Any, object]] = []

    def launch(
        self, arguments: tuple[Any, ...], keywords: Mapping[str, Any], code: CodeType, instruction: int
    ) -> Launch:
        """A launch on the arguments of a call."""
        if keywords or len(arguments) != self._count:
            from freehold.runtime.binding import positional
            from freehold.runtime.call_site import CallSite

            arguments = positional(self.kernel.signature, arguments, keywords, CallSite(code, instruction))
        return Launch(self, arguments, code, instruction)

    def run(self, arguments: tuple[Any, ...], given: Any, code: CodeType, instruction: int) -> Any:
        """Checks and runs; returns the stream that it was enqueued on, or None where it is done already."""
        reader: Reader | None = None
        key: object = None
        if given is None:
            types = tuple(map(type, arguments))
            try:
                reader = self._readers[types]
            except KeyError:
                reader = self._readers[types] = self._reader(arguments)
            if reader is not None:
                try:
                    key, plan, stream, values = reader.read(arguments)
                    if plan is not None:
                        plan.enqueue(plan, stream, values)
                        return stream
                except (Mismatch, AttributeError, RuntimeError, TypeError, ValueError, OverflowError):
                    # An argument is not as it should be: the thorough way finds out which and how. What goes wrong in
                    # the driver is a `Rejected` and passes.
                    reader = None
        from freehold.runtime.call_site import CallSite

        return self._thoroughly(arguments, given, CallSite(code, instruction), reader, key)

    def _thoroughly(
        self, arguments: tuple[Any, ...], given: Any, site: CallSite, reader: Reader | None, key: object
    ) -> Any:
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
        plan.enqueue(plan, stream, bound.values)
        if reader is not None and key is not None:
            if len(reader.plans) >= MOST_PLANS:
                reader.plans.clear()
            reader.plans[key] = plan
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

    def _reader(self, arguments: tuple[Any, ...]) -> Reader | None:
        """The reader for arguments of these classes; None where one of them has to be read thoroughly each time."""
        from freehold.runtime.partition import Partition

        if INTERPRET:
            return None
        names = [f"a{n}" for n in range(self._count)]
        lines = [f"    {''.join(f'{name}, ' for name in names)} = arguments"]
        key: list[str] = []
        values: list[str] = []
        arrays: list[tuple[str, str]] = []
        for parameter, name, argument in zip(self.kernel.signature.parameters, names, arguments, strict=True):
            if parameter.mode == "const":
                key.append(f"constant({name})" if isinstance(argument, float | tuple) else name)
            elif not parameter.is_tensor:
                values.append(name)
            else:
                array = argument
                if isinstance(argument, Partition):
                    array = argument.array
                    key.append(f"id({name}.spec)")  # equal specs are one object, and none is ever dropped
                    lines.append(f"    {name} = {name}.array")
                family = _quick_family(array)
                if family is None:
                    return None
                pointer, looks = _QUICK[family]
                lines.append(f"    p{name} = {pointer.format(name)}")
                key += [looks.format(name), f"p{name} & 15"]
                values.append(f"p{name}")
                arrays.append((family, name))
        if len({family for family, _ in arrays}) != 1:  # whose stream to use, and which to wait for, has to be seen
            return None
        from freehold.frontend.signature import ConstSpec
        from freehold.runtime import driver

        plans: dict[object, Plan] = {}
        scope: dict[str, Any] = {
            "get": plans.get, "streams": driver.streams, "stream": driver.stream, "constant": ConstSpec,
        }  # fmt: skip
        handle = "0"
        if arrays[0][0] == "torch":
            torch: Any = sys.modules["torch"]
            scope["current"], scope["grad_enabled"] = torch._C._cuda_getCurrentRawStream, torch.is_grad_enabled
            handle = f"current({arrays[0][1]}.get_device())"
        elif arrays[0][0] == "cupy":
            cupy: Any = sys.modules["cupy"]
            scope["current"] = cupy.cuda.get_current_stream
            handle = f"current({arrays[0][1]}.device.id).ptr"
        lines += [
            f"    key = ({''.join(f'{part}, ' for part in key)})",
            "    plan = get(key)",
            "    if plan is None:",
            "        return key, None, None, None",
            f"    handle = {handle}, plan.device",
            f"    return key, plan, streams.get(handle) or stream(*handle), ({''.join(f'{v}, ' for v in values)})",
        ]
        exec("def read(arguments):\n" + "\n".join(lines), scope)
        return Reader(scope["read"], plans)


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
