"""
Launches: one piece of work each, described when a kernel is called and done when it is asked for.

Most launches have arguments that look like those of an earlier one. The native module's launcher does these, where it
is built and nothing is unusual (`runtime.launch.launcher`); else a plan is found by what the arguments look like
(`runtime.launch.likeness`). Whatever is new or wrong takes the thorough way (`runtime.launch.binding`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import islice
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, cast

from freehold.runtime.base import native
from freehold.runtime.base.call_site import CallSite
from freehold.runtime.errors.refusing import errors, refuse
from freehold.runtime.gpu import driver, failures
from freehold.runtime.gpu.failures import fresh
from freehold.runtime.gpu.timeline import Timeline
from freehold.runtime.launch import host, launcher, modes
from freehold.runtime.launch.empty import launches_nothing
from freehold.runtime.launch.host import HostPlan
from freehold.runtime.launch.launcher import UNDONE
from freehold.runtime.launch.likeness import Likeness, likeness
from freehold.runtime.launch.partition import Partition
from freehold.runtime.launch.plan import WRONG, Plan
from freehold.runtime.memory.arguments import HOST, ArrayView
from freehold.runtime.memory.blame import of_launch
from freehold.runtime.memory.ledger import Blame, enqueue, verify_there
from freehold.runtime.memory.versions import changed
from freehold.runtime.operations.execution import Execution
from freehold.runtime.operations.in_flight import InFlight
from freehold.runtime.operations.leases import early, leases
from freehold.runtime.operations.operation import Next, Operation, gather
from freehold.runtime.variants.entry import Mismatch
from freehold.support.diagnostic import Rejected
from freehold.support.missing import UNRUN
from freehold.support.public import refuse as wrong_call

if TYPE_CHECKING:
    from freehold.frontend.signature import KernelSignature
    from freehold.runtime.base.call_site import CallSite
    from freehold.runtime.launch.binding import Bound
    from freehold.runtime.launch.callee import Callee


seen_by: Final[list[Callable[[Launch, tuple[Any, ...], Timeline | None], object]]] = []
"""Called with launches that were enqueued by `on()`, their arguments, and where: by who learns what is done."""


class UnrunLaunch(RuntimeWarning):
    """A launch was described and never run."""


def unrun(name: str, file: str, line: int) -> UnrunLaunch:
    """The warning about a launch that was never run."""
    return UnrunLaunch(f"a launch of `{name}` was never run: add `.sync()` at {file}:{line}")


class Launch(Operation[Any], native.Dropped):
    """
    A kernel with its arguments. It does nothing until it is run, and can be run once.

    Its value is the array that the kernel writes, as it was given; a tuple, if the kernel writes several.
    """

    __slots__ = ("_arguments", "_code", "_dispatcher", "_instruction", "_spent")

    def __init__(self, dispatcher: Dispatcher, arguments: tuple[Any, ...], code: CodeType, instruction: int):
        self._dispatcher = dispatcher
        self._arguments: Any = arguments
        self._code = code
        self._instruction = instruction

    def __reduce__(self) -> NoReturn:
        wrong_call(
            "copy",
            "a launch is run where it was described, and is neither copied by `copy` nor pickled: send the kernel and "
            "its arrays, and call it there",
        )

    if not TYPE_CHECKING:  # which would then know no attribute to be missing

        def __getattr__(self, name: str) -> NoReturn:
            from freehold.support.missing import LAUNCH, missing

            if LAUNCH.get(name) == UNRUN and self._arguments is None:
                raise AttributeError(f"a launch has no attribute {name!r}: {self._left()}")
            raise missing("a launch", name, LAUNCH, self)

        def _unrun(self, *_: object) -> NoReturn:
            """Where somebody computes with it, who took it for what it writes."""
            raise TypeError(f"a launch of `{self._dispatcher.kernel.__name__}` is no array: {self._left()}")

        def _left(self) -> str:
            """What is to be done with it by who wants what it writes."""
            if self._arguments is not None:
                return UNRUN
            spent = getattr(self, "_spent", None)
            if spent is not None:
                return f"it {spent}: call `{self._dispatcher.kernel.__name__}(...)` again"
            return "it has been run: what it wrote is in the arrays that it was given"

        __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _unrun
        __matmul__ = __rmatmul__ = __pow__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = __float__ = __int__ = _unrun

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
        used = dispatcher.run(arguments, self, None)
        if used is UNMET:
            self._arguments = arguments
            return super().on()
        if used is not None:
            self.leave_trace(used)
        self.tell(arguments, used)
        return InFlight(dispatcher.done(arguments), () if used is None else (used,), self, arguments)

    def enqueue(self, execution: Execution) -> Any:
        """Checks and enqueues it; first come operations among its arguments. Raises `Rejected`."""
        dispatcher = self._dispatcher
        if dispatcher.launcher is not None:
            value = dispatcher.launcher.run(self, execution)
            if value is not UNDONE:
                return value
        arguments: Any = self._arguments
        self._arguments = None
        if arguments:
            execution.prefer(arguments[0])
        user = dispatcher.run(arguments, self, execution)
        if user is UNMET:
            return self._after_arguments(arguments, execution)
        if user is not None:
            user.trace(dispatcher.what, self._code, self._instruction)
        return dispatcher.done(arguments)

    def prepare(self) -> None:
        """Checks its arguments and compiles its kernel, without running it; it counts as run. Raises `Rejected`."""
        found = self.looked_at()
        if found is not None:
            self._dispatcher.keep(found)

    def looked_at(self) -> Checked | None:
        """It, checked, where something is to be made ready for it. It counts as run."""
        arguments, self._arguments = self._arguments, None
        if arguments is None:
            self.already()
        self._spent = "was made ready, which compiles it and does not run it"
        return self._dispatcher.looked_at(arguments, self)

    def already(self) -> NoReturn:
        """Refuses to run it again: it was run, or used in another way that leaves nothing to run (O243)."""
        refuse(errors.AlreadyRun, self._dispatcher.kernel.__name__, getattr(self, "_spent", "has been run already"))

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
            self.already()
        self._spent = "was given to `fh.build`, which compiles it and does not run it"
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

    def tell(self, arguments: tuple[Any, ...], used: Timeline | None) -> None:
        """Tells who wants to know that it was enqueued, where nobody waits for it."""
        for see in seen_by:
            see(self, arguments, used)
        if used is not None:
            self.publish()

    def publish(self) -> None:
        """Says that nobody waits for it yet: whoever does is told what fails in it."""
        if fresh:
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
        warnings.warn(unrun(name, code.co_filename, line or 0), stacklevel=2)

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


class Checked(NamedTuple):
    """A launch of a kind that was not seen before."""

    dispatcher: Dispatcher
    arguments: tuple[Any, ...]
    site: CallSite
    bound: Bound
    looks: Likeness | None


MOST_PLANS: Final = 4096
"""Plans that a kernel remembers; past that it forgets all and begins anew."""


class Dispatcher:
    """The launches of one kernel: the plans for its arguments, and the thorough way."""

    __slots__ = ("__weakref__", "_plans", "kernel", "launcher", "read", "value", "what")

    def __init__(self, kernel: Callee):
        self.kernel = kernel
        self.what = f"`{kernel.__name__}`"
        """What a launch is, in an error's words."""
        self._plans: dict[object, Plan | HostPlan] = {}
        """By what arguments look like."""
        self.launcher: Any = None
        """The native module's, once there was a launch on a GPU."""
        self.read: Callable[[tuple[Any, ...], Execution | None], Timeline | None] = reads_nothing
        """Launches what it knows and returns the timeline, or does nothing and returns None."""
        self.value = _value_of(kernel.signature)
        """The value of a launch with certain arguments."""

    def run(
        self,
        arguments: tuple[Any, ...] | None,
        launch: Launch,
        execution: Execution | None,
        looks: Likeness | None = None,
    ) -> Any:
        """
        Checks and runs, on the execution's stream or else the caller's current one. `looks` is of these arguments, if
        they were read already.

        Returns the timeline that it was enqueued on, None where it is done already, or `UNMET`; nothing was done then.
        """
        if arguments is None:
            launch.already()
        used = self.read(arguments, execution)
        if used is not None:
            return used
        found = looks or likeness(self.kernel.signature, arguments)
        plan = None if found is None else self._plans.get(found.key)
        if found is None or plan is None:
            return self._thoroughly(arguments, launch, execution, found)
        try:
            used = self._enqueued(plan, found.views, found.run_time, execution)
        except WRONG:
            return self._thoroughly(arguments, launch, execution)
        self._learn(arguments, plan, found.views)
        return used

    def done(self, arguments: tuple[Any, ...]) -> Any:
        """The value of a launch that was run or enqueued; torch is told that what it writes has changed."""
        value = self.value(arguments)
        changed(value)
        return value

    def guard(self) -> None:
        """Asks from here on whether the interpreter is to be used."""
        self.launcher.guard(modes.chosen)

    def _thoroughly(
        self,
        arguments: tuple[Any, ...],
        launch: Launch,
        execution: Execution | None,
        looks: Likeness | None = None,
    ) -> Any:
        """Checks everything, compiles if that has not been done, runs, and keeps the plan for the next time."""
        if any(_operation_in(a) is not None for a in arguments):
            return UNMET
        kernel, site = self.kernel, launch.site
        bound = self.checked(arguments, site)
        if bound is None:
            return None
        blame = of_launch(kernel.signature, arguments, site)
        plan = self._planned(bound, site)
        try:
            user = self._enqueued(plan, bound.views, bound.run_time, execution, blame)
        except Mismatch:  # what is recorded is not leased yet
            verify_there(*leases(kernel.signature, bound.views), blame)
            raise
        self._keep(arguments, plan, bound, looks)
        return user

    def checked(self, arguments: tuple[Any, ...], site: CallSite) -> Bound | None:
        """The arguments of a call, checked; None where what it writes is empty, and nothing is to be done."""
        try:
            return self.kernel.checked(arguments, site)
        except Rejected as refused:
            if launches_nothing(self.kernel.signature, arguments, site, refused):
                return None
            raise

    def looked_at(self, arguments: tuple[Any, ...], launch: Launch) -> Checked | None:
        """A launch, checked; None where there is nothing to do, launches of such arguments are known, or some of these
        are not made yet."""
        if any(_operation_in(a) is not None for a in arguments):
            return None
        looks = likeness(self.kernel.signature, arguments)
        if looks is not None and looks.key in self._plans:
            return None
        bound = self.checked(arguments, launch.site)
        return None if bound is None else Checked(self, arguments, launch.site, bound, looks)

    def keep(self, found: Checked) -> None:
        """Makes everything for launches like one that was checked; compiles."""
        self._keep(found.arguments, self._planned(found.bound, found.site), found.bound, found.looks)

    def _planned(self, bound: Bound, site: CallSite) -> Plan | HostPlan:
        """The plan for checked arguments, on a GPU or the host."""
        if bound.device == HOST or modes.current() is not None:
            return host.plan(self.kernel, bound, site)
        driver.require_gpu()
        return self.plan(bound, site)

    def _keep(self, arguments: tuple[Any, ...], plan: Plan | HostPlan, bound: Bound, looks: Likeness | None) -> None:
        """Keeps a plan for the next arguments that look like these."""
        if looks is not None and looks.same(bound.views):
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            self._plans[looks.key] = plan
            self._learn(arguments, plan, bound.views)

    def _learn(self, arguments: tuple[Any, ...], plan: Plan | HostPlan, views: tuple[ArrayView, ...]) -> None:
        """Has the launcher do what looks like these arguments from here on."""
        if isinstance(plan, Plan) and self.ready() is not None:
            launcher.learn(self.launcher, arguments, self.kernel.signature, plan, views)

    def fixed(self, arguments: tuple[Any, ...]) -> Any:
        """
        What the native module knows of launches on arrays that look like these, of which one was made, and of the same
        scalars: nothing is asked of these again. None where it is not known any more.
        """
        found = likeness(self.kernel.signature, arguments)
        plan = None if found is None else self._plans.get(found.key)
        if found is None or not isinstance(plan, Plan):
            return None
        if plan.evaluator.varies:
            scalars = tuple([found.run_time[n] for n in plan.evaluator.varies])
            plan = plan.fits.get(scalars) or plan.fit(scalars)
        return launcher.entry(plan, fixed=True)

    def ready(self) -> Any:
        """Its launcher, made if there is none yet; None where there can be none."""
        if self.launcher is None:
            made = launcher.launcher(self.kernel.signature, self.what)
            if made is not None:
                self.launcher, self.read = made, made.read
                modes.watch(self)
        return self.launcher

    def _enqueued(
        self,
        plan: Plan | HostPlan,
        views: tuple[ArrayView, ...],
        run_time: tuple[Any, ...],
        execution: Execution | None,
        blame: Blame | None = None,
    ) -> Timeline | None:
        """Runs arguments that a plan is for; returns the timeline, or None where it is done. Raises one of `WRONG`."""
        chosen = execution or Execution()
        used = leases(self.kernel.signature, views)
        if isinstance(plan, HostPlan):
            plan.run(views, run_time, chosen, used, blame)
            return None
        _, handle, user = chosen.place(plan.device, plan.family)
        values = [v.pointer if isinstance(v, ArrayView) else v for v in run_time]
        if chosen.recording is not None:
            ahead = early(self.kernel.signature, plan.compiled.early, views)
            apart = chosen.recording.uses(views, *used, ahead)
            plan.enqueue(handle, *values, apart=apart)
            kind = "kernel that loads first" if plan.compiled.early else "kernel"
            chosen.recording.enqueued(used.writes, kind, apart)
            return user
        try:
            kept = chosen.uses(views)
            enqueue(user, *used, lambda: plan.enqueue(handle, *values), blame, kept=kept or None)
        finally:
            if execution is None:
                chosen.give_back()
        return user

    def plan(self, bound: Bound, site: CallSite) -> Plan:
        """The plan for checked arguments on a GPU. Compiles if that has not been done. Raises `Rejected`."""
        from freehold.runtime.launch.checks import geometry

        compiled = self.kernel.compiled(bound.specialisation, driver.architecture(bound.device))
        found = geometry(self.kernel.signature, compiled.evaluator, bound, site)
        if compiled.overlaps:
            compiled = compiled.of_points(found.points, driver.multiprocessors(bound.device))
        return Plan(compiled, bound.views, bound.run_time, found, bound.device)


def reads_nothing(arguments: tuple[Any, ...], execution: Execution | None) -> None:
    """Instead of a launcher's `read`."""


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


_nothing = Launch(cast(Any, None), cast(Any, None), cast(Any, None), 0)
native.learn("Launch", _nothing)
native.launches(Launch, InFlight(None, (), _nothing), seen_by, fresh)
native.learn("Dispatcher", native.blank(Dispatcher, "launcher"))
