"""
Bound launches: a kernel with its arguments, to be run again and again at little more than what the driver takes.

Everything is checked and packed when it is bound. What is left for each run are the arrays' addresses, which must still
be the same, the caller's current stream, and the ledger of who uses which bytes.
"""

from __future__ import annotations

import sys
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from freehold.runtime.base import native
from freehold.runtime.base.call_site import CallSite, caller
from freehold.runtime.errors.refusing import errors, reject
from freehold.runtime.launch import launcher as launchers
from freehold.runtime.launch import modes
from freehold.runtime.launch.launch import Launch
from freehold.runtime.launch.launcher import UNDONE
from freehold.runtime.launch.likeness import likeness
from freehold.runtime.launch.partition import Partition
from freehold.runtime.launch.positional import positional
from freehold.runtime.memory.arguments import HOST, UnknownDType, Unreadable, view
from freehold.runtime.memory.versions import changed
from freehold.runtime.operations.in_flight import InFlight
from freehold.runtime.operations.operation import Operation

if TYPE_CHECKING:
    from freehold.frontend.signature import KernelSignature
    from freehold.runtime.base.call_site import CallSite
    from freehold.runtime.gpu.timeline import Timeline
    from freehold.runtime.launch.callee import Callee
    from freehold.runtime.operations.execution import Execution


class _State(NamedTuple):
    """What is bound; one object, so that threads see it whole. Nothing in it knows who has it."""

    arguments: tuple[Any, ...]
    value: Any
    launch: Launch
    """Stands for all runs, in errors and for those who wait."""
    places: tuple[tuple[Any, int, tuple[int, ...], tuple[int, ...]], ...]
    """The arrays, and where and how they lay when they were bound."""
    native: Any = None
    """What runs it where nothing is unusual (`runtime/native_bound.c`)."""

    def run(self, execution: Execution | None) -> Timeline | None:
        """Runs it, on the execution's stream or else the current one, whose timeline is returned; None where it is
        done."""
        if self.native is not None:
            user = self.native.fire(execution)
            if user is not None:
                return user
        dispatcher = self.launch.dispatcher
        looks = likeness(dispatcher.kernel.signature, self.arguments)
        for n, (array, *bound) in enumerate(self.places):
            try:
                found = view(array) if looks is None else looks.views[n]
            except (Unreadable, UnknownDType) as e:
                _moved(dispatcher.kernel.signature, n, str(e))
            if [found.pointer, found.shape, found.strides] != bound:
                _moved(dispatcher.kernel.signature, n)
        user = dispatcher.run(self.arguments, self.launch, execution, looks)
        changed(self.value)
        return user

    def on(self, stream: Any = None) -> InFlight[Any]:
        """Enqueues it on a stream, the current one unless given."""
        if stream is not None:
            return _Run(self).on(stream)
        user = self.run(None)
        if user is None:
            return InFlight(self.value, (), self.launch)
        self.launch.leave_trace(user)
        self.launch.publish()
        return InFlight(self.value, (user,), self.launch, self.arguments)

    def flight(self, user: Timeline) -> InFlight[Any]:
        """What stands for all runs on a stream."""
        return _Flight(self.value, (user,), self.launch, self.arguments)


class _Run(Operation[Any]):
    """A run of what is bound."""

    __slots__ = ("_state",)

    def __init__(self, state: _State):
        self._state = state

    def enqueue(self, execution: Execution) -> Any:
        """Enqueues it. Raises `Rejected`."""
        state = self._state
        if state.native is not None:
            value = state.native.run(execution)
            if value is not UNDONE:
                return value
        execution.prefer(state.arguments[0])
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

    __slots__ = ("__dict__", "__weakref__", "_code", "_given", "_instruction", "_kernel")

    def __init__(self, kernel: Callee, arguments: tuple[Any, ...], code: CodeType, instruction: int):
        self._kernel = kernel
        self._code = code
        self._instruction = instruction
        self._bind(arguments)

    def _bind(self, asked: tuple[Any, ...]) -> None:
        from freehold.runtime.memory.scalars import with_plain_numbers

        kernel, arguments = self._kernel.in_form(asked)
        dispatcher = kernel.dispatcher
        signature = dispatcher.kernel.signature
        arguments = with_plain_numbers(signature, arguments)
        bound = dispatcher.checked(arguments, self.site)
        launch = Launch(dispatcher, arguments, self._code, self._instruction).spend()
        given = (a for p, a in zip(signature.parameters, arguments, strict=True) if p.is_tensor)
        arrays = [a.array if isinstance(a, Partition) else a for a in given]
        views = [*map(view, arrays)] if bound is None else bound.views
        places = tuple((a, v.pointer, v.shape, v.strides) for a, v in zip(arrays, views, strict=True))
        state = _State(arguments, dispatcher.value(arguments), launch, places)
        self.__dict__.pop("on", None)
        if bound is not None and bound.device != HOST and modes.current() is None:
            plan = dispatcher.plan(bound, self.site)
            # Where failures of checks are to go has to be seen each time.
            if dispatcher.ready() is not None and not plan.contract.kernel_checks:
                data = plan.layout.filled(plan.integers)
                plan.layout.pack(data, bound.values)
                more = launch, state.value, state.on, state.flight
                made = launchers.bound(dispatcher.launcher, plan, arguments, data, *more)
                state = state._replace(native=made)
                if made is not None:
                    self.__dict__["on"] = made.on  # without the method's call in between
        self._state, self._given = state, asked

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
        state = self._state
        return Launch(state.launch.dispatcher, state.arguments, self._code, self._instruction)

    def rebind(self, **arguments: Any) -> BoundLaunch:
        """
        Puts other arguments in the place of some, by name, and returns it. Arrays for outputs are cut as those before.

        Everything is checked as when it was bound. Raises `Rejected`, and keeps the arguments that it has.
        """
        parameters = self._kernel.signature.parameters
        given = list(self._given)
        for n, parameter in enumerate(parameters):
            if parameter.name in arguments:
                before, value = given[n], arguments.pop(parameter.name)
                given[n] = (
                    before.of(value) if isinstance(before, Partition) and not isinstance(value, Partition) else value
                )
        if arguments:
            positional(self._kernel.signature, tuple(given), arguments, self.site)
        self._bind(tuple(given))
        return self

    @property
    def site(self) -> CallSite:
        """Where it was bound."""
        return CallSite(self._code, self._instruction)

    def __repr__(self) -> str:
        return f"<bound launch of {self._kernel.__name__}>"


# --- What each run does -----------------------------------------------------------------------------------------------


def _moved(signature: KernelSignature, number: int, why: str = "") -> NoReturn:
    """Raises `Rejected` (O275) for an array, counted among arrays."""
    name = signature.tensors[number].name
    change = why or "its memory, or its shape, is another one than it was"
    array = f"`{name}` of this bound launch of `{signature.kernel}`"
    error = errors.AddressChanged(caller().span, array, "bound", change)
    reject(error.add(error.Rebind(name)))


class _Flight(InFlight[Any]):
    """One of a bound launch, which keeps what it uses alive: any number of runs on a stream share it."""

    __slots__ = ()

    def _done(self) -> None:
        pass


def bind_here(kernel: Callee, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BoundLaunch:
    """What `Launchable.bind` returns to the caller of its caller."""
    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage] -- documented, and there is no other way
    site = CallSite(frame.f_code, frame.f_lasti)
    arguments = positional(kernel.signature, args, kwargs, site)
    return BoundLaunch(kernel, arguments, frame.f_code, frame.f_lasti)


native.learn("BoundLaunch", native.blank(BoundLaunch, "_state"))
