"""
Bound launches: a kernel with its arguments, to be run again and again at little more than what the driver takes.

Everything is checked and packed when it is bound. What is left for each run are the arrays' addresses, which must still
be the same, the caller's current stream, and the ledger of who uses which bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from freehold.runtime import modes, native
from freehold.runtime.arguments import HOST, ArrayView, view
from freehold.runtime.faults import fresh, passed, trail
from freehold.runtime.launch import UNDONE, Launch, Plain, not_plain
from freehold.runtime.ledger import LOCK, Refusal, take, timeline
from freehold.runtime.operation import InFlight, Operation
from freehold.runtime.partition import Partition

if TYPE_CHECKING:
    from freehold.runtime.binding import Bound
    from freehold.runtime.call_site import CallSite
    from freehold.runtime.driver import Places
    from freehold.runtime.execution import Execution
    from freehold.runtime.launch import Dispatcher
    from freehold.runtime.plan import Plan


Fire = Callable[["Execution | None"], Any]


class _State(NamedTuple):
    """What is bound; one object, so that threads see it whole."""

    fire: Fire
    """Runs it, on the execution's stream or else the current one, which it returns; None where it is done already."""
    arguments: tuple[Any, ...]
    value: Any
    launch: Launch
    """Stands for all runs, in errors and for those who wait."""
    plain: Plain = not_plain
    """Runs it as a part of others, where nothing is unusual."""


class BoundLaunch(Operation[Any]):
    """
    A kernel with its arguments, which it keeps alive. Made by `kernel.bind(...)`.

    An operation that may be run any number of times, also as a part of others.
    """

    __slots__ = ("__dict__", "__weakref__", "_code", "_dispatcher", "_instruction", "_state")

    def __init__(self, dispatcher: Dispatcher, arguments: tuple[Any, ...], code: CodeType, instruction: int):
        self._dispatcher = dispatcher
        self._code = code
        self._instruction = instruction
        self._bind(arguments)

    def _bind(self, arguments: tuple[Any, ...]) -> None:
        from freehold.runtime.binding import bind
        from freehold.runtime.scalars import with_plain_numbers

        arguments = with_plain_numbers(self._dispatcher.kernel.signature, arguments)
        bound = bind(self._dispatcher.kernel.signature, arguments, self.site)
        self.__dict__.pop("on", None)
        launch = Launch(self._dispatcher, arguments, self._code, self._instruction).spend()
        interpreted = bound.device == HOST or modes.current() is not None
        make = self._interpreted if interpreted else self._quick
        fire, plain = make(bound, arguments, launch)
        self._state = _State(fire, arguments, self._dispatcher.value(arguments), launch, plain)
        modes.watch(self)

    def guard(self) -> None:
        """Asks at each run whether the interpreter is to be used."""
        state = self._state
        self.__dict__.pop("on", None)

        def thoroughly(execution: Execution | None) -> Any:
            return self._dispatcher.run(state.arguments, state.launch, execution)

        self._state = state._replace(fire=modes.asking(state.fire, thoroughly), plain=not_plain)

    # --- Running ------------------------------------------------------------------------------------------------------

    def sync(self) -> Any:
        """Runs it on the caller's current stream and waits until it is done, as `Launch.sync`; returns its value."""
        state = self._state
        stream = self._run(state, None)
        if stream is not None:
            try:
                stream.sync()
            except Exception as e:
                self._dispatcher.failed(e, stream, state.launch)
            passed(stream)
        return state.value

    def on(self, stream: Any = None) -> InFlight[Any]:
        """Enqueues it on a stream, the caller's current one unless given, and returns at once, as `Launch.on`."""
        if stream is not None:
            return super().on(stream)
        state = self._state
        used = self._run(state, None)
        if used is None:
            return InFlight(state.value, (), state.launch)
        trail.append((id(used), self._dispatcher.what, self._code, self._instruction))
        if fresh:
            from freehold.runtime import failures

            failures.publish(self._code, self._instruction)
        return InFlight(state.value, (used,), state.launch, state.arguments)

    def enqueue(self, execution: Execution) -> Any:
        """Enqueues it. Raises `Rejected`."""
        state = self._state
        if execution.pooled and not execution.streams:
            execution.prefer(state.arguments[0])
        value = state.plain(state.launch, execution, state.arguments)
        if value is not UNDONE:
            return value
        stream = self._run(state, execution)
        if stream is not None:
            trail.append((id(stream), self._dispatcher.what, self._code, self._instruction))
        return state.value

    @property
    def what(self) -> str:
        """What it is, in an error's words."""
        return self._state.launch.what

    def __call__(self) -> Launch:
        """A launch on the same arguments, checked anew as any launch."""
        return Launch(self._dispatcher, self._state.arguments, self._code, self._instruction)

    def rebind(self, **arguments: Any) -> BoundLaunch:
        """
        Puts other arguments in the place of some, by name, and returns it. Arrays for outputs are cut as those before.

        Everything is checked as when it was bound. Raises `Rejected`, and keeps the arguments that it has.
        """
        parameters = self._dispatcher.kernel.signature.parameters
        given = list(self._state.arguments)
        for n, parameter in enumerate(parameters):
            if parameter.name in arguments:
                before, value = given[n], arguments.pop(parameter.name)
                given[n] = (
                    before.of(value) if isinstance(before, Partition) and not isinstance(value, Partition) else value
                )
        if arguments:
            from freehold.runtime.binding import positional

            positional(self._dispatcher.kernel.signature, tuple(given), arguments, self.site)
        self._bind(tuple(given))
        return self

    @property
    def site(self) -> CallSite:
        """Where it was bound."""
        from freehold.runtime.call_site import CallSite

        return CallSite(self._code, self._instruction)

    def __repr__(self) -> str:
        return f"<bound launch of {self._dispatcher.kernel.__name__}>"

    # --- What each run does -------------------------------------------------------------------------------------------

    def _run(self, state: _State, execution: Execution | None) -> Any:
        if execution is not None and execution.recording is not None:  # a graph needs to know what is used
            return self._dispatcher.run(state.arguments, state.launch, execution)
        try:
            return state.fire(execution)
        except Refusal:  # an array is lent, moved or lost: the thorough way says which and why
            return self._dispatcher.run(state.arguments, state.launch, execution)

    def _interpreted(self, bound: Bound, arguments: tuple[Any, ...], launch: Launch) -> tuple[Fire, Plain]:
        """Runs on the interpreter, with all checks."""
        expected = [(v.pointer, v.shape, v.strides) for v in bound.views]
        owners = [v.owner for v in bound.views]

        def fire(execution: Execution | None) -> None:
            for n, (owner, before) in enumerate(zip(owners, expected, strict=True)):
                found = view(owner)
                if (found.pointer, found.shape, found.strides) != before:
                    self._moved(n)
            self._dispatcher.run(arguments, launch, execution)

        return fire, not_plain

    def _quick(self, bound: Bound, arguments: tuple[Any, ...], launch: Launch) -> tuple[Fire, Plain]:
        """Compares addresses and calls the driver; written out for the arrays' library."""
        from freehold.runtime import driver
        from freehold.runtime.plan import rounded

        driver.require_gpu()
        plan = self._dispatcher.plan(bound, self.site)
        family = _family(bound.views)
        # Whose stream to use, and which to wait for, has to be seen each time; and where failures of checks are to go.
        if family is None or plan.contract.kernel_checks:
            return lambda execution: self._dispatcher.run(arguments, launch, execution), not_plain
        data, address, keeper = plan.parameters()
        plan.fill(data, *rounded(plan.contract, bound.values))
        enqueue, current = driver.parts()
        scope: dict[str, Any] = {
            "plan": plan, "launch": enqueue, "kernel": plan.kernel, "address": address, "keeper": (data, keeper),
            "failed": driver.launch_failed, "stream_of": driver.stream, "timeline": timeline, "take": take,
            "release": LOCK.release, "moved": self._moved, "gpu": current, "device": plan.device,
            "thread": native.thread,
        }  # fmt: skip
        scope["prepared"] = prepared = native.prepared(plan, data)
        if family != "freehold":
            scope["current"] = driver.current_of(family)
        for n, found in enumerate(bound.views):
            scope |= {f"a{n}": found.owner, f"p{n}": found.pointer}
        scope |= {"reads": tuple(v.owner for v, w in zip(bound.views, plan.writes, strict=True) if not w)}
        scope |= {"writes": tuple(v.owner for v, w in zip(bound.views, plan.writes, strict=True) if w)}
        call = _call(driver.device_count(), prepared is not None)
        exec("\n".join(_lines(family, len(bound.views), call)), scope)
        if family != "freehold":
            scope["places"] = places = driver.Places()
            scope |= {"remember": trail.append, "thoroughly": partial(self._first, places, plan, family)}
            exec("\n".join(_again(family, len(bound.views), call)), scope)
            self.__dict__["on"] = scope["on"]  # without the method's call in between
        elif (launcher := native.launcher(plan, self._dispatcher.kernel.signature, arguments)) is not None:
            read, fire = launcher.read, scope["fire"]
            return lambda execution: read(arguments, execution) or fire(execution), launcher.run
        return scope["fire"], not_plain

    def _first(self, places: Places, plan: Plan, family: str, stream: Any) -> InFlight[Any]:
        """`on`, as the class has it; remembers what the next run on the stream needs."""
        from freehold.runtime import driver

        flight = BoundLaunch.on(self, stream)
        if stream is None:
            handle = driver.current_handle(family, plan.device)
            used, user, config = plan.streams.get(handle), plan.timelines.get(handle), plan.configs.get(handle)
            if used is not None and user is not None and config is not None:
                state = self._state
                entry = id(used), self._dispatcher.what, self._code, self._instruction
                places[handle] = config, user, entry, _Flight(state.value, (used,), state.launch, state.arguments)
        return flight

    def _moved(self, number: int) -> None:
        """Raises `Rejected` (O275) for an array, counted among arrays."""
        from freehold.runtime.call_site import caller
        from freehold.runtime.errors import AddressChanged
        from freehold.support.diagnostic import Rejected

        signature = self._dispatcher.kernel.signature
        change = "its memory, or its shape, is another one than it was"
        raise Rejected([AddressChanged(caller().span, signature.tensors[number].name, signature.kernel, change)])


_ADDRESS: Final = {"torch": "{}.data_ptr()", "cupy": "{}.data.ptr", "freehold": "{}.pointer"}
"""By family: the address of an array."""


_CURRENT: Final = {"torch": "current(device)", "cupy": "current(device).ptr", "freehold": "0"}
"""By family: the handle of its current stream."""


def _checks(family: str, arrays: int) -> list[str]:
    """Sees that each array is where it was when it was bound."""
    lines: list[str] = []
    for n in range(arrays):
        lines += [f"    if {_ADDRESS[family].format(f'a{n}')} != p{n}:", f"        moved({n})"]
    return lines


def _call(devices: int, quick: bool) -> list[str]:
    """Calls the driver; an error, too, where another GPU is current. With `quick` the native module comes first."""
    launch = "launch(config, kernel, address, 0)[0]"
    error = f"thread.new or {launch if devices == 1 else f'gpu()[1] != device or {launch}'}"
    return [
        f"error = {f'not prepared(handle) and ({error})' if quick else error}",
        "if error:",
        "    failed(error, device, config, kernel, address)",
    ]


def _lines(family: str, arrays: int, call: list[str]) -> list[str]:
    """What a run does, on a GPU."""
    moved = _checks(family, arrays)
    pointers = ", ".join(f"p{n}" for n in range(arrays))
    borrow = ["        if handle != their:", "            execution.borrow(their, device)"]
    lines = [
        "def fire(execution):",
        *(() if family == "freehold" else moved),  # a tensor of ours stays where it is
        f"    handle = their = {_CURRENT[family]}",
        "    if execution is None:",
        "        stream = plan.streams.get(handle) or stream_of(handle, device)",
        "        user = plan.timelines.get(handle) or timeline(device, handle)",
        "    else:",
        "        stream, handle, user = execution.places.get(device) or execution.place(device, plan.family)",
        *(() if family == "freehold" else borrow),
        "    config = plan.configs.get(handle) or plan.config(handle)",
    ]
    if family == "freehold":
        lines.append("    take(user, reads, writes)")
    else:
        lines += [
            "    if plan.outside.sole is user:",  # then there is nothing to order it with
            *(f"        {line}" for line in call),
            "        return stream",
            f"    take(user, *plan.leases({pointers}))",
        ]
    return [
        *lines,
        "    try:",
        *(f"        {line}" for line in call),
        "    finally:",
        "        release()",
        "    return stream",
    ]


def _again(family: str, arrays: int, call: list[str]) -> list[str]:
    """What `on` does on a stream on which it has been run, while nobody else uses other libraries' memory."""
    return [
        "def on(stream=None):",
        "    if stream is None:",
        *(f"    {line}" for line in _checks(family, arrays)),
        f"        handle = {_CURRENT[family]}",
        "        place = places.get(handle)",
        "        if place is not None:",
        "            config, user, entry, flight = place",
        "            if plan.outside.sole is user:",
        *(f"                {line}" for line in call),
        "                remember(entry)",
        "                return flight",
        "    return thoroughly(stream)",
    ]


class _Flight(InFlight[Any]):
    """One of a bound launch, which keeps what it uses alive: any number of runs on a stream share it."""

    __slots__ = ()

    def _done(self) -> None:
        pass


def _family(views: tuple[ArrayView, ...]) -> str | None:
    """The library of all the arrays, if their addresses can be read quickly; None otherwise."""
    from freehold.runtime.readers import quick_family

    families = {quick_family(v.owner) for v in views}
    return families.pop() if len(families) == 1 else None


def bind_here(dispatcher: Dispatcher, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BoundLaunch:
    """What `Launchable.bind` returns to the caller of its caller."""
    from freehold.runtime.binding import positional
    from freehold.runtime.call_site import CallSite

    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage] -- documented, and there is no other way
    site = CallSite(frame.f_code, frame.f_lasti)
    arguments = positional(dispatcher.kernel.signature, args, kwargs, site)
    return BoundLaunch(dispatcher, arguments, frame.f_code, frame.f_lasti)
