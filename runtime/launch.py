"""
Launches: one piece of work each, described when a kernel is called and done when it is asked for.

Most launches have arguments that look like those of an earlier one: a reader (`runtime.readers`) finds the plan for
them. Whatever is new or wrong takes the thorough way (`runtime.binding`).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, NoReturn

from freehold.runtime.arguments import HOST, ArrayView
from freehold.runtime.plan import Plan, rounded
from freehold.runtime.readers import INTERPRET, WRONG, Plans, Read, make_reader, reads_nothing

if TYPE_CHECKING:
    from freehold.runtime.binding import Bound
    from freehold.runtime.call_site import CallSite
    from freehold.runtime.kernel import Kernel


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


class Dispatcher:
    """The launches of one kernel: the readers for its arguments, and the thorough way."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self._readers: dict[tuple[type, ...], tuple[Read, Plans]] = {}
        self._last: Read = reads_nothing
        """The reader for the classes of arguments that were met last."""
        self._in_flight: list[tuple[Any, object]] = []

    def run(self, arguments: tuple[Any, ...] | None, launch: Launch) -> Any:
        """Checks and runs; returns the stream that it was enqueued on, or None where it is done already."""
        if arguments is None:
            self._already()
        try:
            found = self._last(arguments, None)
        except WRONG:
            return self._thoroughly(arguments, launch.site)
        if found is not None and found.__class__ is not tuple:
            return found
        types = tuple(map(type, arguments))
        if types not in self._readers:
            self._readers[types] = make_reader(self.kernel.signature, arguments)
        read, plans = self._readers[types]
        self._last = read
        try:
            found = read(arguments, None)
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
        plans: Plans | None = None,
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
        plan.enqueue(plan, int(stream.handle), *rounded(plan.contract, bound.values))
        if plans is not None and key is not None:
            plans.add(key, plan)
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
