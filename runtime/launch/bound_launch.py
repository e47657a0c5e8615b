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

from freehold.runtime.base import native
from freehold.runtime.base.locks import lock
from freehold.runtime.gpu.timeline import timeline
from freehold.runtime.launch import launcher as launchers
from freehold.runtime.launch import modes
from freehold.runtime.launch.launch import UNDONE, Launch, Plain, not_plain
from freehold.runtime.launch.partition import Partition
from freehold.runtime.launch.readers import alone
from freehold.runtime.memory.arguments import HOST, ArrayView, view
from freehold.runtime.memory.ledger import Busy, Refusal, lease
from freehold.runtime.memory.versions import changed
from freehold.runtime.operations.in_flight import InFlight
from freehold.runtime.operations.operation import Operation

if TYPE_CHECKING:
    from freehold.frontend.signature import KernelSignature
    from freehold.runtime.base.call_site import CallSite
    from freehold.runtime.gpu.driver import Places
    from freehold.runtime.launch.binding import Bound
    from freehold.runtime.launch.launch import Dispatcher
    from freehold.runtime.launch.plan import Plan
    from freehold.runtime.operations.execution import Execution


Fire = Callable[["Execution | None"], Any]


class _State(NamedTuple):
    """What is bound; one object, so that threads see it whole. Nothing in it knows who has it."""

    fire: Fire
    """Runs it, on the execution's stream or else the current one, whose timeline is returned; None where it is done."""
    arguments: tuple[Any, ...]
    value: Any
    launch: Launch
    """Stands for all runs, in errors and for those who wait."""
    plain: Plain = not_plain
    """Runs it as a part of others, where nothing is unusual."""

    def run(self, execution: Execution | None) -> Any:
        """Runs it, as `fire`, or where anything is unusual, as any launch on its arguments."""
        if execution is None or execution.recording is None:  # a graph needs to know what is used
            try:
                user = self.fire(execution)
            except (Busy, Refusal):  # an array is lent, moved or lost: the thorough way says which and why
                pass
            else:
                changed(self.value)
                return user
        user = self.launch.dispatcher.run(self.arguments, self.launch, execution)
        changed(self.value)
        return user

    def on(self) -> InFlight[Any]:
        """Enqueues it on the current stream."""
        user = self.run(None)
        if user is None:
            return InFlight(self.value, (), self.launch)
        self.launch.leave_trace(user)
        self.launch.publish()
        return InFlight(self.value, (user,), self.launch, self.arguments)


class _Run(Operation[Any]):
    """A run of what is bound."""

    __slots__ = ("_state",)

    def __init__(self, state: _State):
        self._state = state

    def enqueue(self, execution: Execution) -> Any:
        """Enqueues it. Raises `Rejected`."""
        state = self._state
        if execution.pooled and not execution.streams:
            execution.prefer(state.arguments[0])
        value = state.plain(state.launch, execution, state.arguments)
        if value is not UNDONE:
            return value
        user = state.run(execution)
        if user is not None:
            state.launch.leave_trace(user)
        return state.value

    @property
    def what(self) -> str:
        """What it is, in an error's words."""
        return self._state.launch.what


class BoundLaunch(_Run):
    """
    A kernel with its arguments, which it keeps alive. Made by `kernel.bind(...)`.

    An operation that may be run any number of times, also as a part of others.
    """

    __slots__ = ("__dict__", "__weakref__", "_code", "_dispatcher", "_instruction")

    def __init__(self, dispatcher: Dispatcher, arguments: tuple[Any, ...], code: CodeType, instruction: int):
        self._dispatcher = dispatcher
        self._code = code
        self._instruction = instruction
        self._bind(arguments)

    def _bind(self, arguments: tuple[Any, ...]) -> None:
        from freehold.runtime.memory.scalars import with_plain_numbers

        dispatcher = self._dispatcher
        arguments = with_plain_numbers(dispatcher.kernel.signature, arguments)
        bound = dispatcher.kernel.checked(arguments, self.site)
        self.__dict__.pop("on", None)
        launch = Launch(dispatcher, arguments, self._code, self._instruction).spend()
        if bound.device == HOST or modes.current() is not None:
            self._state = _State(_interpreted(bound, arguments, launch), arguments, dispatcher.value(arguments), launch)
        else:
            self._state, on = _quick(dispatcher, bound, arguments, launch)
            if on is not None:
                self.__dict__["on"] = on  # without the method's call in between
        modes.watch(self)

    def guard(self) -> None:
        """Asks at each run whether the interpreter is to be used."""
        state = self._state
        self.__dict__.pop("on", None)

        def thoroughly(execution: Execution | None) -> Any:
            return state.launch.dispatcher.run(state.arguments, state.launch, execution)

        self._state = state._replace(fire=modes.asking(state.fire, thoroughly), plain=not_plain)

    # --- Running ------------------------------------------------------------------------------------------------------

    def sync(self) -> Any:
        """Runs it on the caller's current stream and waits until it is done, as `Launch.sync`; returns its value."""
        state = self._state
        user = state.run(None)
        if user is not None:
            state.launch.leave_trace(user)
            user.wait(state.launch.what)
        return state.value

    def on(self, stream: Any = None) -> InFlight[Any]:
        """Enqueues it on a stream, the caller's current one unless given, and returns at once, as `Launch.on`."""
        return self._state.on() if stream is None else super().on(stream)

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
            from freehold.runtime.launch.binding import positional

            positional(self._dispatcher.kernel.signature, tuple(given), arguments, self.site)
        self._bind(tuple(given))
        return self

    @property
    def site(self) -> CallSite:
        """Where it was bound."""
        from freehold.runtime.base.call_site import CallSite

        return CallSite(self._code, self._instruction)

    def __repr__(self) -> str:
        return f"<bound launch of {self._dispatcher.kernel.__name__}>"


# --- What each run does -----------------------------------------------------------------------------------------------


def _interpreted(bound: Bound, arguments: tuple[Any, ...], launch: Launch) -> Fire:
    """Runs on the interpreter, with all checks."""
    expected = [(v.pointer, v.shape, v.strides) for v in bound.views]
    owners = [v.owner for v in bound.views]

    def fire(execution: Execution | None) -> None:
        for n, (owner, before) in enumerate(zip(owners, expected, strict=True)):
            found = view(owner)
            if (found.pointer, found.shape, found.strides) != before:
                _moved(launch.dispatcher.kernel.signature, n)
        launch.dispatcher.run(arguments, launch, execution)

    return fire


def _quick(
    dispatcher: Dispatcher, bound: Bound, arguments: tuple[Any, ...], launch: Launch
) -> tuple[_State, Callable[..., Any] | None]:
    """Compares addresses and calls the driver; written out for the arrays' library. And a faster `on`, if there is."""
    from freehold.runtime.gpu import driver
    from freehold.runtime.launch.plan import rounded

    driver.require_gpu()
    plan = dispatcher.plan(bound, launch.site)
    value = dispatcher.value(arguments)
    family = _family(bound.views)
    # Whose stream to use, and which to wait for, has to be seen each time; and where failures of checks are to go.
    if family is None or plan.contract.kernel_checks:

        def thoroughly(execution: Execution | None) -> Any:
            return dispatcher.run(arguments, launch, execution)

        return _State(thoroughly, arguments, value, launch), None
    data, address, keeper = plan.parameters()
    plan.fill(data, *rounded(plan.contract, bound.values))
    enqueue, current = driver.parts()
    prepared = launchers.prepared(plan, data, launch.what, (launch.code, launch.instruction))
    scope: dict[str, Any] = {
        "plan": plan, "launch": enqueue, "kernel": plan.kernel, "address": address, "keeper": (data, keeper),
        "failed": driver.launch_failed, "timeline": timeline, "lease": lease, "alone": alone, "outside": plan.outside,
        "changed": changed, "value": value,
        "moved": partial(_moved, dispatcher.kernel.signature), "gpu": current, "device": plan.device,
        "thread": native.thread, "prepared": prepared and prepared.values, "at_once": prepared and prepared.alone,
    }  # fmt: skip
    if family != "freehold":
        scope["current"] = driver.current_of(family)
    for n, found in enumerate(bound.views):
        scope |= {f"a{n}": found.owner, f"p{n}": found.pointer}
    scope |= {"reads": tuple(v.owner for v, w in zip(bound.views, plan.writes, strict=True) if not w)}
    scope |= {"writes": tuple(v.owner for v, w in zip(bound.views, plan.writes, strict=True) if w)}
    call = _call(driver.device_count(), prepared is not None)
    exec("\n".join(_lines(family, len(bound.views), call)), scope)
    fire = scope.pop("fire")  # a function that its own globals knew would live until garbage is collected
    if family == "freehold":
        launcher = launchers.launcher(plan, dispatcher.kernel.signature, arguments)
        if launcher is None:
            return _State(fire, arguments, value, launch), None
        read = launcher.read
        either: Fire = lambda execution: read(arguments, execution) or fire(execution)  # noqa: E731 -- as the others are
        return _State(either, arguments, value, launch, launcher.run), None
    state = _State(fire, arguments, value, launch)
    places = driver.Places()
    scope |= {"places": places, "lock": lock(plan.device), "what": launch.what, "code": launch.code}
    scope |= {"instruction": launch.instruction, "thoroughly": partial(_first, places, plan, family, state)}
    scope = {**scope}  # the other function's globals must not lead back to it
    exec("\n".join(_again(family, len(bound.views), call, prepared is not None)), scope)
    return state, scope.pop("on")


def _first(places: Places, plan: Plan, family: str, state: _State, stream: Any) -> InFlight[Any]:
    """`on`, as the class has it; remembers what the next run on the stream needs."""
    from freehold.runtime.gpu import driver

    if stream is not None:
        return _Run(state).on(stream)
    flight = state.on()
    handle = driver.current_handle(family, plan.device)
    user, config = plan.timelines.get(handle), plan.configs.get(handle)
    if user is not None and config is not None:
        places[handle] = config, user, _Flight(state.value, (user,), state.launch, state.arguments)
    return flight


def _moved(signature: KernelSignature, number: int) -> None:
    """Raises `Rejected` (O275) for an array, counted among arrays."""
    from freehold.runtime.base.call_site import caller
    from freehold.runtime.errors import AddressChanged
    from freehold.support.diagnostic import Rejected

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
    ours = family == "freehold"
    pointers = ", ".join(f"p{n}" for n in range(arrays))
    borrow = ["        if handle != their:", "            execution.borrow(their, device)"]
    leased = "lease(user, reads, writes)" if ours else f"alone(user, outside) or lease(user, *plan.leases({pointers}))"
    return [
        "def fire(execution):",
        *(() if ours else _checks(family, arrays)),  # a tensor of ours stays where it is
        f"    handle = their = {_CURRENT[family]}",
        "    if execution is None:",
        "        user = plan.timelines.get(handle) or timeline(device, handle)",
        "    else:",
        "        stream, handle, user = execution.places.get(device) or execution.place(device, plan.family)",
        *(() if ours else borrow),
        "    config = plan.configs.get(handle) or plan.config(handle)",
        "    with user.lock:",
        f"        {leased}",
        *(f"        {line}" for line in call),
        "        if user.eager:",
        "            user.enqueued()",
        "    return user",
    ]


def _again(family: str, arrays: int, call: list[str], quick: bool) -> list[str]:
    """What `on` does on a stream on which it has been run, while nobody else uses other libraries' memory."""
    done = ["changed(value)", "return flight"] if family == "torch" else ["return flight"]
    at_once = ["            if at_once(user, outside, (), (), handle):", *(f"                {line}" for line in done)]
    return [
        "def on(stream=None):",
        "    if stream is None:",
        *(f"    {line}" for line in _checks(family, arrays)),
        f"        handle = {_CURRENT[family]}",
        "        place = places.get(handle)",
        "        if place is not None:",
        "            config, user, flight = place",
        *(at_once if quick else ()),
        "            with lock:",
        "                if alone(user, outside):",
        *(f"                    {line}" for line in call),
        "                    user.trace(what, code, instruction)",
        *(f"                    {line}" for line in done),
        "    return thoroughly(stream)",
    ]


class _Flight(InFlight[Any]):
    """One of a bound launch, which keeps what it uses alive: any number of runs on a stream share it."""

    __slots__ = ()

    def _done(self) -> None:
        pass


def _family(views: tuple[ArrayView, ...]) -> str | None:
    """The library of all the arrays, if their addresses can be read quickly; None otherwise."""
    from freehold.runtime.memory.arguments import quick_family

    families = {quick_family(v.owner) for v in views}
    return families.pop() if len(families) == 1 else None


def bind_here(dispatcher: Dispatcher, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BoundLaunch:
    """What `Launchable.bind` returns to the caller of its caller."""
    from freehold.runtime.base.call_site import CallSite
    from freehold.runtime.launch.binding import positional

    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage] -- documented, and there is no other way
    site = CallSite(frame.f_code, frame.f_lasti)
    arguments = positional(dispatcher.kernel.signature, args, kwargs, site)
    return BoundLaunch(dispatcher, arguments, frame.f_code, frame.f_lasti)


native.learn("BoundLaunch", native.blank(BoundLaunch, "_state"))
