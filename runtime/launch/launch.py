"""
Launches: one piece of work each, described when a kernel is called and done when it is asked for.

Most launches have arguments that look like those of an earlier one: a reader (`runtime.launch.readers`) finds the plan
for them. Whatever is new or wrong takes the thorough way (`runtime.launch.binding`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import islice
from time import monotonic_ns
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from freehold.runtime.base import native
from freehold.runtime.gpu.failures import fresh
from freehold.runtime.gpu.timeline import Timeline, timeline_of
from freehold.runtime.launch import modes
from freehold.runtime.launch.empty import launches_nothing
from freehold.runtime.launch.partition import Partition
from freehold.runtime.launch.plan import Plan, rounded
from freehold.runtime.launch.readers import WRONG, Plans, Read, make_reader, reads_nothing
from freehold.runtime.memory.arguments import HOST
from freehold.runtime.memory.blame import of_launch
from freehold.runtime.memory.ledger import enqueue
from freehold.runtime.memory.versions import changed
from freehold.runtime.operations.execution import Execution
from freehold.runtime.operations.in_flight import InFlight
from freehold.runtime.operations.leases import leases
from freehold.runtime.operations.operation import Next, Operation, gather
from freehold.support.diagnostic import Rejected

if TYPE_CHECKING:
    from freehold.frontend.signature import KernelSignature
    from freehold.runtime.base.call_site import CallSite
    from freehold.runtime.launch.binding import Bound
    from freehold.runtime.launch.callee import Callee


class UnrunLaunch(RuntimeWarning):
    """A launch was described and never run."""


class Launch(Operation[Any], native.Dropped):
    """
    A kernel with its arguments. It does nothing until it is run, and can be run once.

    Its value is the array that the kernel writes, as it was given; a tuple, if the kernel writes several.
    """

    __slots__ = ("_arguments", "_code", "_dispatcher", "_instruction")

    def __init__(self, dispatcher: Dispatcher, arguments: tuple[Any, ...], code: CodeType, instruction: int):
        self._dispatcher = dispatcher
        self._arguments: Any = arguments
        self._code = code
        self._instruction = instruction

    def sync(self) -> Any:
        """
        Runs it on the caller's current stream and waits until it is done; returns what it wrote.

        The stream is torch's current one if an argument is torch's, CuPy's if one is CuPy's, and else the GPU's default
        stream. Arrays in the host's memory run on the interpreter. Raises `Rejected`; nothing was launched then, unless
        the error is the driver's (O241).
        """
        arguments = self._arguments
        self._arguments = None
        dispatcher = self._dispatcher
        user = dispatcher.run(arguments, self, None)
        if user is UNMET:
            self._arguments = arguments
            return super().sync()
        if user is not None:
            self.leave_trace(user)
            user.wait(dispatcher.what)
        return dispatcher.done(arguments)

    def on(self, stream: Any = None) -> InFlight[Any]:
        """
        Enqueues it on a stream, the caller's current one unless given, and returns at once.

        A stream may be one of cuda.core, torch or CuPy, or a handle. It first waits for what is on the current streams
        of the libraries whose arrays are arguments, and these streams wait for it. Raises as `sync` does.
        """
        if stream is not None:
            return super().on(stream)
        arguments = self._arguments
        self._arguments = None
        dispatcher = self._dispatcher
        try:
            used = dispatcher.last(arguments, None)
        except WRONG:
            used = None
        if used is None or used.__class__ is tuple:
            used = dispatcher.run(arguments, self, None)
        if used is UNMET:
            self._arguments = arguments
            return super().on()
        if used is None:
            return InFlight(dispatcher.done(arguments), (), self)
        used.remember((used.now, monotonic_ns(), dispatcher.what, self._code, self._instruction))
        if fresh:
            self.publish()
        return InFlight(dispatcher.done(arguments), (used,), self, arguments)

    def enqueue(self, execution: Execution) -> Any:
        """Checks and enqueues it; first come operations among its arguments. Raises `Rejected`."""
        dispatcher = self._dispatcher
        value = dispatcher.plain(self, execution)
        if value is not UNDONE:
            return value
        arguments: Any = self._arguments
        self._arguments = None
        if execution.pooled and arguments and not execution.streams:
            execution.prefer(arguments[0])
        try:
            user = None if execution.recording is not None else dispatcher.last(arguments, execution)
        except WRONG:
            user = None
        if user is None or user.__class__ is tuple:
            user = dispatcher.run(arguments, self, execution)
        if user is UNMET:
            return self._after_arguments(arguments, execution)
        if user is not None:
            user.trace(dispatcher.what, self._code, self._instruction)
        return dispatcher.done(arguments)

    def _after_arguments(self, arguments: tuple[Any, ...], execution: Execution) -> Any:
        operations = {n: found for n, a in enumerate(arguments) if (found := _operation_in(a)) is not None}

        def resume(values: list[Any]) -> Any:
            given = list(arguments)
            for n, value in zip(operations, values, strict=True):
                given[n] = _in_place_of(arguments[n], value)
            self._arguments = tuple(given)
            return self.enqueue(execution)

        return Next(gather(operations.values()), resume)

    def spend(self) -> Launch:
        """It, as if it had been run: for those who run it in another way."""
        self._arguments = None
        return self

    def described(self) -> tuple[Callee, Bound]:
        """The kernel and its arguments, checked. The launch counts as run, and nothing was. Raises `Rejected`."""
        arguments, self._arguments = self._arguments, None
        dispatcher = self._dispatcher
        if arguments is None:
            dispatcher._already()  # pyright: ignore[reportPrivateUsage] -- of its module
        return dispatcher.kernel, dispatcher.kernel.checked(arguments, self.site)

    @property
    def arguments(self) -> tuple[Any, ...] | None:
        """As the call gave them; None once it was run."""
        return self._arguments

    @property
    def what(self) -> str:
        """What it is, in an error's words."""
        return self._dispatcher.what

    def leave_trace(self, user: Timeline) -> None:
        """Says that it may be running."""
        user.trace(self._dispatcher.what, self._code, self._instruction)

    def publish(self) -> None:
        """Says that nobody waits for it yet: whoever does is told what fails in it."""
        if fresh:
            from freehold.runtime.gpu import failures

            failures.publish(self._code, self._instruction)

    @property
    def dispatcher(self) -> Dispatcher:
        """Of its kernel."""
        return self._dispatcher

    @property
    def code(self) -> CodeType:
        """Where the kernel was called."""
        return self._code

    @property
    def instruction(self) -> int:
        """Where in the code."""
        return self._instruction

    @property
    def site(self) -> CallSite:
        """Where the kernel was called."""
        from freehold.runtime.base.call_site import CallSite

        return CallSite(self._code, self._instruction)

    def __repr__(self) -> str:
        state = "run" if self._arguments is None else "not run"
        return f"<launch of {self._dispatcher.kernel.__name__}, {state}>"

    def _unrun(self) -> None:
        """Warns that it was never run, if that is so."""
        if self._arguments is None:
            return
        _drop(self)
        name, code = self._dispatcher.kernel.__name__, self._code
        position = next(islice(code.co_positions(), self._instruction // 2, None), None)
        line = code.co_firstlineno if position is None else position[0]
        place = f"{code.co_filename}:{line}"
        warnings.warn(f"a launch of `{name}` was never run: add `.sync()` at {place}", UnrunLaunch, stacklevel=2)

    if TYPE_CHECKING or not native.BUILT:  # else `Dropped` looks whether there is anything to say
        __del__ = _unrun


def _drop(launch: Launch) -> None:
    """Takes a launch that was never run apart, however deep its arguments nest; only the outermost one warns."""
    inner = [launch]
    while inner:
        dropped = inner.pop()
        arguments, dropped._arguments = dropped._arguments, None  # pyright: ignore[reportPrivateUsage] -- of its module
        inner += [found for a in arguments or () if isinstance(found := _operation_in(a), Launch)]


UNMET: Final = object()
"""What `Dispatcher.run` returns where arguments are operations, which have to be run first."""


def _operation_in(argument: object) -> Operation[Any] | None:
    """The operation that an argument is, or that it is a partition of; None for others."""
    array = argument.array if isinstance(argument, Partition) else argument
    return cast("Operation[Any]", array) if isinstance(array, Operation) else None


def _in_place_of(argument: Any, value: Any) -> Any:
    """The argument with the value of its operation."""
    if not isinstance(argument, Partition):
        return value
    return argument.of(value)


UNDONE: Final = object()
"""What `Dispatcher.plain` returns where it did nothing."""


Plain = Callable[..., Any]
"""`plain(launch, execution)` enqueues a launch, with the arguments that come third or else its own, and returns its
value; or it does nothing and returns `UNDONE`."""


def not_plain(launch: Launch, execution: Execution, arguments: Any = None) -> Any:
    """A `Plain` that does nothing."""
    return UNDONE


class Dispatcher:
    """The launches of one kernel: the readers for its arguments, and the thorough way."""

    __slots__ = ("__weakref__", "_readers", "kernel", "last", "plain", "value", "what")

    def __init__(self, kernel: Callee):
        self.kernel = kernel
        self.what = f"`{kernel.__name__}`"
        """What a launch is, in an error's words."""
        self._readers: dict[tuple[type, ...], tuple[Read, Plans]] = {}
        self.last: Read = reads_nothing
        """The reader for the classes of arguments that were met last."""
        self.plain: Plain = not_plain
        """For launches like those that were met last."""
        self.value = _value_of(kernel.signature)
        """The value of a launch with certain arguments."""
        modes.watch(self)

    def run(self, arguments: tuple[Any, ...] | None, launch: Launch, execution: Execution | None) -> Any:
        """
        Checks and runs, on the execution's stream or else the caller's current one.

        Returns the timeline that it was enqueued on, None where it is done already, or `UNMET`; nothing was done then.
        """
        if arguments is None:
            self._already()
        if execution is not None and execution.recording is not None:  # needs to know what is used
            return self._thoroughly(arguments, launch, execution)
        try:
            found = self.last(arguments, execution)
        except WRONG:
            return self._thoroughly(arguments, launch, execution)
        if found is not None and found.__class__ is not tuple:
            return found
        types = tuple(map(type, arguments))
        if types not in self._readers:
            self._readers[types] = make_reader(self.kernel.signature, arguments, self._promote)
        read, plans = self._readers[types]
        self._promote(read)
        try:
            found = read(arguments, execution)
        except WRONG:
            found = None
        if found is not None and found.__class__ is not tuple:
            return found
        return self._thoroughly(arguments, launch, execution, plans, found)

    def _promote(self, read: Read, plain: Plain = not_plain) -> None:
        self.last = read
        self.plain = plain

    def done(self, arguments: tuple[Any, ...]) -> Any:
        """The value of a launch that was run or enqueued; torch is told that what it writes has changed."""
        value = self.value(arguments)
        changed(value)
        return value

    def guard(self) -> None:
        """Forgets the readers that do not ask whether the interpreter is to be used."""
        self._readers.clear()
        self._promote(reads_nothing)

    def _already(self) -> NoReturn:
        from freehold.runtime.base.call_site import caller
        from freehold.runtime.errors import AlreadyRun

        raise Rejected([AlreadyRun(caller().span, self.kernel.__name__)])

    def _thoroughly(
        self,
        arguments: tuple[Any, ...],
        launch: Launch,
        execution: Execution | None,
        plans: Plans | None = None,
        key: object = None,
    ) -> Any:
        """Checks everything, compiles if that has not been done, runs, and keeps the plan for the next time."""
        if any(_operation_in(a) is not None for a in arguments):
            return UNMET
        kernel, site = self.kernel, launch.site
        own = None if execution is not None else Execution()
        chosen = execution or own
        assert chosen is not None
        try:
            bound = kernel.checked(arguments, site)
        except Rejected as refused:
            if launches_nothing(kernel.signature, arguments, site, refused):
                return None
            raise
        used = leases(kernel.signature, bound.views)
        blame = of_launch(kernel.signature, arguments, site)
        if bound.device == HOST or modes.current() is not None:
            from freehold.runtime.launch import host

            host.run(kernel, bound, site, chosen, used, blame)
            return None
        from freehold.runtime.gpu import driver

        driver.require_gpu()
        plan = self.plan(bound, site)
        stream = chosen.stream(plan.device, plan.family)
        handle = driver.handle_of(stream)
        user = timeline_of(stream, plan.device)
        values = rounded(plan.contract, bound.values)
        if chosen.recording is not None:
            chosen.recording.uses(bound.views, used.reads, used.writes)
            plan.enqueue(plan, handle, *values)
            return user
        try:
            kept = chosen.uses(bound.views)
            enqueue(user, *used, lambda: plan.enqueue(plan, handle, *values), blame, kept=kept or None)
        finally:
            if own is not None:
                own.give_back()
        if plans is not None and key is not None:
            plans.add(key, plan)
        return user

    def plan(self, bound: Bound, site: CallSite) -> Plan:
        """The plan for checked arguments on a GPU. Compiles if that has not been done. Raises `Rejected`."""
        from freehold.runtime.gpu import driver
        from freehold.runtime.launch.checks import geometry

        compiled = self.kernel.compiled(bound.specialisation, driver.architecture(bound.device))
        found = geometry(self.kernel.signature, compiled.evaluator, bound, site)
        return Plan(compiled, bound.views, bound.run_time, found, bound.device)


def _value_of(signature: KernelSignature) -> Callable[[tuple[Any, ...]], Any]:
    """The arrays that a kernel writes, of its arguments."""
    places = [n for n, p in enumerate(signature.parameters) if p.is_tensor and p.mode != "ref"]
    if len(places) == 1:
        (place,) = places

        def value(arguments: tuple[Any, ...]) -> Any:
            argument = arguments[place]
            return argument.array if isinstance(argument, Partition) else argument

        return value
    return lambda arguments: tuple(_array(arguments[n]) for n in places)


def _array(argument: Any) -> Any:
    return argument.array if isinstance(argument, Partition) else argument


native.learn("Launch", Launch(cast(Any, None), cast(Any, None), cast(Any, None), 0))
native.learn("Dispatcher", native.blank(Dispatcher, "plain"))
native.undone(UNDONE)
