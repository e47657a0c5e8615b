"""
Operations: work that is described as a value, and done when it is asked for.

    z = add(fh.partition(fh.zeros((n,), fh.f32), 512), x, y)    # nothing has happened
    z.sync()                                                    # run, and wait
    await z                                                     # run, and let the event loop do other things
    z.on(stream)                                                # enqueue, and go on
    z.graph()                                                   # record, to be replayed

Each is run once. An operation may stand where a tensor may stand: it is run first, on the same stream. Functions given
to `map` and `then` run when the operation is enqueued. They get values whose work may still be in flight, which is no
harm, because whatever uses them is enqueued behind it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from threading import Condition, get_ident
from typing import Any, Final, Generic, NoReturn, TypeVar, overload

from freehold.runtime.base import native
from freehold.runtime.errors.refusing import errors, refuse
from freehold.runtime.gpu.timeline import Timeline
from freehold.runtime.memory.arguments import UnknownDType, Unreadable, view
from freehold.runtime.operations import handed
from freehold.runtime.operations.execution import Execution
from freehold.runtime.operations.graph import ANOTHER, Recorded
from freehold.runtime.operations.in_flight import InFlight
from freehold.runtime.operations.leases import used
from freehold.runtime.operations.waiting import end, finished, stepped
from freehold.support.locks import mutex
from freehold.support.public import function_of, shown
from freehold.support.public import refuse as wrong_call

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")
U = TypeVar("U")
V = TypeVar("V")
W = TypeVar("W")


class Operation(Generic[T_co]):
    """Work that has not been done, and the value that it will have. A subclass says how by `enqueue`."""

    __slots__ = ()

    def enqueue(self, execution: Execution) -> T_co | Next:
        """
        Puts the work on the execution's streams, or does it where it is the host's, and returns its value.

        Where another operation's value is needed first, it returns a `Next`. For `run` alone.
        """
        wrong_call("freehold.Operation", "it is a base: a class below it has a method `enqueue`")

    @property
    def what(self) -> str:
        """What it is, in an error's words: `a chain of operations`."""
        return self._what

    _what: str

    # --- Doing it -----------------------------------------------------------------------------------------------------

    def sync(self) -> T_co:
        """
        Runs it and waits until it is done; returns its value.

        It runs on the caller's current stream: torch's or CuPy's if it begins with arrays of theirs, else the default
        stream. What is in the host's memory is worked on by the interpreter. Raises `Rejected`.
        """
        execution = Execution()
        value = run(self, execution)
        execution.wait(self.what)
        return value

    def on(self, stream: Any = None) -> InFlight[T_co]:
        """
        Enqueues it on a stream, the caller's current one unless given, and returns at once.

        A stream is one of cuda.core, torch or CuPy, or a handle. Raises as `sync` does.
        """
        execution = Execution(stream)
        value = run(self, execution)
        execution.leave()
        return InFlight(value, tuple(execution.timelines), self)

    def __await__(self) -> Generator[Any, None, T_co]:
        """
        Runs it on a stream of the policy's, or of the library whose arrays it begins with, and waits without blocking.

        Cancelling the wait leaves the work, and what it uses, as they are.
        """
        execution = Execution(pooled=True)
        value = run(self, execution)
        yield from finished(execution, self.what)
        return value

    # asyncio takes what has these three for a coroutine, so `asyncio.create_task` and `asyncio.run` take it as it is.

    def send(self, value: Any) -> Any:
        """A step of awaiting it, as of a coroutine; for asyncio alone."""
        return stepped(self, lambda steps: steps.send(value))

    def throw(self, *raised: Any) -> Any:
        """Raises an error where it is awaited, as in a coroutine; for asyncio alone."""
        return stepped(self, lambda steps: steps.throw(*raised))

    def close(self) -> None:
        """Ends the wait, as of a coroutine, and not the work; for asyncio alone."""
        end(self)

    def graph(self) -> Graph[T_co]:
        """Records it instead of running it, to be replayed (`runtime.operations.graph`). Raises `Rejected`."""
        made: Graph[T_co] = Graph()
        with made:
            made.record(self)
        return made

    def prepare(self) -> None:
        """
        Does what a first run takes longest for, and runs nothing: of a launch, checks its arguments and compiles.

        It counts as run then. What is gathered is compiled beside one another, on all cores. Raises `Rejected`.
        """

    # --- Making others of it ------------------------------------------------------------------------------------------

    def then(self, function: Callable[[T_co], Operation[U]]) -> Operation[U]:
        """This, and then the operation that the function makes of its value, on the same stream."""
        return Chain(self, function_of(function, "Operation.then"), True)

    def map(self, function: Callable[[T_co], U]) -> Operation[U]:
        """This, with the function of its value for a value. The function runs on the host and does not wait."""
        return Chain(self, function_of(function, "Operation.map"), False)

    @overload
    def zip(self, other: Operation[U], /) -> Operation[tuple[T_co, U]]: ...
    @overload
    def zip(self, other: Operation[U], third: Operation[V], /) -> Operation[tuple[T_co, U, V]]: ...
    @overload
    def zip(
        self, other: Operation[U], third: Operation[V], fourth: Operation[W], /
    ) -> Operation[tuple[T_co, U, V, W]]: ...
    def zip(self, *others: Operation[Any]) -> Operation[Any]:
        """This and others, one after the other; the value is a tuple of theirs."""
        return Several(_operations(others, "zip", self), tuple)

    def shared(self) -> Shared[T_co]:
        """An operation with this one's value that may be used many times, from all threads; this is run once."""
        return Shared(self)


class Work(Operation[T]):
    """An operation made of one function, which gets the execution: `Work("zeros", lambda execution: ...)`."""

    __slots__ = ("_function", "_uses", "_what")

    def __init__(
        self,
        what: str,
        function: Callable[[Execution], T],
        *,
        reads: Iterable[Any] = (),
        writes: Iterable[Any] = (),
    ):
        """
        `what` is what it is, in an error's words. `reads` and `writes` are the tensors that it uses, also of other
        libraries: it comes after the work on them that was enqueued before, on whatever stream, and before what comes
        later. Other threads should leave them alone while the function runs.
        """
        self._what = what
        self._function: Callable[[Execution], T] | None = function_of(function, "freehold.Work")
        try:
            self._uses = (tuple(reads), tuple(writes))
        except TypeError:
            wrong_call("freehold.Work", "`reads` and `writes` are lists of tensors")

    def enqueue(self, execution: Execution) -> T:
        """Calls the function, once. Raises `Rejected` for tensors that may not be used."""
        function = self._function
        self._function = None
        if function is None:
            already(self.what)
        if execution.recording is not None:
            execution.recording.unknown = True
        reads, writes = self._uses
        if not reads and not writes:
            return function(execution)
        with used(execution, reads, writes, self.what):
            return function(execution)

    def __repr__(self) -> str:
        return f"<{self.what}, {'run' if self._function is None else 'not run'}>"


class Chain(Operation[T]):
    """
    An operation and a function of its value, which gives a value, or where `nests`, an operation; for `walk`.
    """

    __slots__ = ("_function", "_nests", "_source")
    _what = "a chain of operations"

    def __init__(self, source: Operation[Any], function: Callable[[Any], Any], nests: bool):
        self._source: Operation[Any] | None = source
        self._function = function
        self._nests = nests


native.chains(Chain(Work("", id), id, False), Operation)


class Several(Operation[T]):
    """Operations that are run one after the other; what is made of all their values is the value."""

    __slots__ = ("_make", "_operations")
    _what = "several operations"

    def __init__(self, operations: tuple[Operation[Any], ...], make: Callable[[list[Any]], T]):
        self._operations: tuple[Operation[Any], ...] | None = operations
        self._make = make

    def prepare(self) -> None:
        """Prepares all of them, beside one another."""
        operations, self._operations = self._operations, None
        if operations is None:
            already(self.what)
        handed.prepare(operations)

    def enqueue(self, execution: Execution) -> T | Next:
        """All, from left to right."""
        operations = self._operations
        self._operations = None
        if operations is None:
            already(self.what)
        return in_turn(operations, self._make, execution)


def in_turn(operations: tuple[Operation[Any], ...], make: Callable[[list[Any]], T], execution: Execution) -> T | Next:
    """Runs operations from left to right, and makes something of the list of their values."""
    values: list[Any] = []

    def go_on() -> T | Next:
        stopped = in_a_row(operations, values, execution)
        return make(values) if stopped is None else Next(stopped, took)

    def took(value: Any) -> T | Next:
        values.append(value)
        return go_on()

    return go_on()


def _in_a_row(operations: tuple[Operation[Any], ...], values: list[Any], execution: Execution) -> Operation[Any] | None:
    """Runs those that have no value yet, and adds their values; returns one that has to be run by `walk`, or None."""
    for operation in operations[len(values) :]:
        if operation.__class__ is Several or operation.__class__ is Chain:  # `walk` does not nest, as a call would
            return operation
        found = operation.enqueue(execution)
        if found.__class__ is Next:
            return _Begun(found)
        values.append(found)
    return None


class _Begun(Operation[Any]):
    """An operation that has been begun, and needs another one's value first."""

    __slots__ = ("_next",)
    _what = "an operation"

    def __init__(self, found: Next):
        self._next = found

    def enqueue(self, execution: Execution) -> Next:
        """Goes on."""
        return self._next


class Next:
    """What an operation answers that needs another one's value first."""

    __slots__ = ("operation", "resume")

    def __init__(self, operation: Operation[Any], resume: Callable[[Any], Any] | None = None):
        self.operation = operation
        """To be run in its place."""
        self.resume = resume
        """Takes that one's value and returns the value, or another `Next`. None hands it on."""


class Graph(Recorded[T]):
    """
    Operations that were recorded in a `with` block, or by `operation.graph()`, and are run for the price of one launch:

        with fh.graph() as g:
            g.record(first(fh.partition(t, 512), x))
            g.record(second(fh.partition(y, 512), t))
        g.update(x, new).then(lambda _: g.replay()).sync()

    What is recorded is checked as if it were run, and is not run (`runtime.operations.graph`).
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()

    def close(self) -> None:
        """Lets go of all that it uses. Replays in flight go on; there can be no more."""
        super().close()

    def record(self, operation: Operation[U]) -> U:
        """
        Records an operation instead of running it; returns its value, for what is recorded next.

        Raises `Rejected` as running it would, and where it cannot be in a graph (O262 to O264).
        """
        self.expect("recording", "record", "record inside the block: `with fh.graph() as g:`")
        found = run(operation, Execution(recording=self.recording))
        self.value = found
        return found

    def replay(self) -> Operation[T]:
        """An operation that does all that was recorded, in order. Its value is that of the last one recorded."""
        return Replay(self)

    def update(self, target: Any, source: Any) -> Operation[Any]:
        """
        An operation that copies `source` into `target`, which the graph uses: what the next replays work on.

        They have the same shape and dtype, and may be in different places. Raises `Rejected` (O265) where the graph
        does not use `target`.
        """
        self.expect("complete", "be updated", ANOTHER)
        try:
            known = self.recording.touches(view(target))
        except (Unreadable, UnknownDType):
            wrong_call("Graph.update", f"`target` is an array that the graph uses, not {shown(target)}")
        if not known:
            refuse(errors.GraphUnused)
        return handed.copy(target, source)


class Replay(Operation[T]):
    """One run of all that a graph has recorded."""

    __slots__ = ("_graph",)
    _what = "a replay of a graph"

    def __init__(self, graph: Graph[T]):
        self._graph: Graph[T] | None = graph

    def on(self, stream: Any = None) -> InFlight[T]:
        """Enqueues it on a stream, the caller's current one unless given, and returns at once."""
        graph = self._graph
        if stream is not None or graph is None or graph.place is None:
            return super().on(stream)
        self._graph = None
        _, handle, user = graph.place
        graph.enqueue(handle, user)
        return InFlight(graph.value, (user,), self)

    def enqueue(self, execution: Execution) -> T:
        """Runs the graph."""
        graph = self._graph
        self._graph = None
        if graph is None:
            already(self.what)
        return graph.run(execution)


def graph() -> Graph[Any]:
    """A graph to record operations in: `with fh.graph() as g: g.record(operation)`."""
    return Graph()


class Shared(Operation[T]):
    """An operation that is run by whoever needs its value first; the others find it."""

    __slots__ = ("_done", "_error", "_left", "_recorded", "_runner", "_source", "_value")
    _what = "a shared operation"

    def __init__(self, source: Operation[T]):
        self._source: Operation[T] | None = source
        self._runner: int | None = None
        """The thread that runs it."""
        self._value: Any = None
        self._error: BaseException | None = None
        self._done: list[tuple[int, Timeline, int]] = []
        """By GPU: the timeline that it was run on, and the tick behind its work there."""
        self._left = False
        """Whether another thread was running it when this process was forked."""
        self._recorded: Any = None
        """The graph that it was recorded in, if it was, instead of being run."""

    def enqueue(self, execution: Execution) -> T:
        """Runs the source, or orders the execution after the one that ran it. Raises again what it raised."""
        if self._begins():
            try:
                self._first(execution)
            finally:
                self._ended()
        if self._error is not None:
            raise self._error
        if self._left:
            refuse(errors.SharedLeft)
        if self._recorded is not None and self._recorded is not execution.recording:
            refuse(errors.SharedRecorded)
        for device, user, tick in self._done if execution.recording is None else ():  # a replay leases what it uses
            _, _, own = execution.place(device)
            if own is not user:
                own.follow(user, tick)
        return self._value

    def _begins(self) -> bool:
        """Whether the calling thread is to run it. If another one does, waits until that has ended."""
        own = get_ident()
        with _GATE:
            while self._runner is not None:
                _verify_endless(self, own)
                _WAITING[own] = self
                try:
                    _ENDED.wait()
                finally:
                    del _WAITING[own]
            if self._source is None:
                return False
            _RUNNING.add(self)
            self._runner = own
            return True

    def left_behind(self) -> None:
        """In a forked process: says that it is never done, where another thread had begun it."""
        if self._runner != get_ident():
            self._runner = None
            self._left = self._source is None and self._value is None and self._error is None
            _RUNNING.discard(self)

    def _ended(self) -> None:
        with _GATE:
            self._runner = None
            _RUNNING.discard(self)
            _ENDED.notify_all()

    def _first(self, execution: Execution) -> None:
        source, self._source = self._source, None
        assert source is not None
        try:
            self._value = walk(source, execution)
        except BaseException as e:
            self._error = e
            return
        self._recorded = execution.recording
        if execution.recording is None:
            self._done = [(user.device, user, user.now) for user in execution.timelines]

    def shared(self) -> Shared[T]:
        """Itself."""
        return self


_GATE: Final = mutex()
_ENDED: Final = Condition(_GATE)
"""Told when a shared operation has been run."""
_WAITING: Final[dict[int, Shared[Any]]] = {}
"""By thread: what it waits for."""
_RUNNING: Final[set[Shared[Any]]] = set()


def _forget() -> None:
    """In a forked process: what another thread was running is never done."""
    _WAITING.clear()
    for found in list(_RUNNING):
        found.left_behind()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _verify_endless(wanted: Shared[Any], own: int) -> None:
    """Raises `Rejected` (O267) where an operation would wait for itself."""
    runner = wanted._runner  # pyright: ignore[reportPrivateUsage] -- of this file
    while runner is not None and runner != own:
        found = _WAITING.get(runner)
        runner = None if found is None else found._runner  # pyright: ignore[reportPrivateUsage] -- of this file
    if runner == own:
        refuse(errors.UsesItself)


def value(given: T) -> Operation[T]:
    """An operation that does nothing and has this value: the beginning of a chain."""
    return Work("a value", lambda execution: given)


def gather(operations: Iterable[Operation[T]]) -> Operation[list[T]]:
    """All of the operations, one after the other on one stream; the value is the list of theirs."""
    return Several(_operations(operations, "gather"), list)


def _operations(given: Iterable[Operation[Any]], function: str, *first: Operation[Any]) -> tuple[Operation[Any], ...]:
    """Some operations, behind others. Raises `Rejected` (O045) for what is none."""
    try:
        operations = (*first, *given)
    except TypeError:
        if hasattr(given, "__iter__"):  # it is their own
            raise
        wrong_call(
            f"freehold.{function}" if not first else f"Operation.{function}",
            f"it takes operations, such as launches, not {shown(given)}",
        )
    for kind in {*map(type, operations)}:  # there are few kinds, of many operations
        if not issubclass(kind, Operation):
            wrong = next(each for each in operations if type(each) is kind)
            wrong_call(
                f"freehold.{function}" if not first else f"Operation.{function}",
                f"it takes operations, such as launches, not {shown(wrong)}",
            )
    return operations


def run(operation: Operation[T], execution: Execution) -> T:
    """
    Puts all work of an operation on streams, and returns its value. Raises what its parts raise; what had been enqueued
    by then stays alive until it is done.
    """
    try:
        return walk(operation, execution)
    except BaseException:
        execution.leave()
        raise


def _walk(operation: Operation[Any], execution: Execution) -> Any:
    """
    Runs an operation, which is a tree: of chains, several others, launches whose arguments are operations. It does so
    without recursion, so a chain may be as long as memory allows, and as lazy: what a function of a chain returns is
    run in its place.
    """
    chains: Any = Chain  # local names, and of no type that narrows others
    nexts: Any = Next
    operations: Any = Operation
    waiting: list[Any] = []
    current: Any = operation
    while True:
        while current.__class__ is chains:
            source = current._source
            current._source = None
            if source is None:
                already(current.what)
            waiting.append(current)
            current = source
        found = current.enqueue(execution)
        while True:
            if found.__class__ is nexts:
                if found.resume is not None:
                    waiting.append(found.resume)
                current = found.operation
                break
            if not waiting:
                return found
            step = waiting.pop()
            if step.__class__ is not chains:
                found = step(found)
                continue
            found = step._function(found)
            if step._nests:
                if not isinstance(found, operations):
                    _no_operation(step._function, found)
                if found.__class__ is chains:
                    current = found
                    break
                found = found.enqueue(execution)


def already(what: str) -> NoReturn:
    """Raises `Rejected` (O260): it has been run."""
    refuse(errors.OperationRun, what)


def _no_operation(function: Callable[..., object], given: object) -> NoReturn:

    name = getattr(function, "__name__", "the function")
    refuse(errors.NoOperation, "a function" if name == "<lambda>" else f"`{name}`", type(given).__name__)


walk, in_a_row = native.runs((_walk, _in_a_row), Next(Work("", id)), Operation, Several, _Begun, already, _no_operation)
