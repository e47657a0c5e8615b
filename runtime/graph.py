"""
Graphs: operations that are recorded once and run many times, for the price of one launch.

    with fh.graph() as g:
        g.record(first(fh.partition(t, 512), x))
        g.record(second(fh.partition(y, 512), t))
    g.update(x, new).then(lambda _: g.replay()).sync()

or `g = operation.graph()`. What is recorded is checked as if it were run, and is not run. The tensors stay those that
they were: a replay works on them where they are, and comes after the work on them that was enqueued before it, as any
launch does. So they may be used between replays; those that were moved, freed or lent since are refused. The graph
keeps them alive. Nothing is allocated in a graph: what it works on has to be there before.

On a GPU a stream of the graph's own is captured; other streams and threads are not disturbed. On the host the graph is
the list of the checked launches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NoReturn, Self, TypeVar

from freehold.runtime import captures, driver
from freehold.runtime.arguments import HOST, ArrayView, view
from freehold.runtime.blame import of_operation
from freehold.runtime.execution import Execution, Place
from freehold.runtime.faults import logs
from freehold.runtime.ledger import Busy, Leased, Refusal, enqueue, lease
from freehold.runtime.operation import InFlight, Operation, already, run
from freehold.runtime.timeline import Timeline, host_timeline, later
from freehold.support.lazy import Lazy

if TYPE_CHECKING:
    from freehold.runtime import errors
    from freehold.runtime.failures import Slot
    from freehold.support.diagnostic import Error
else:
    errors = Lazy("freehold.runtime.errors")

T = TypeVar("T")
U = TypeVar("U")

_ANOTHER: Final = "make another: `with fh.graph() as g:`"


class Recording:
    """What is recorded, and what it uses."""

    def __init__(self) -> None:
        self.device = HOST
        """The GPU that it works on, or `HOST`."""
        self.captured: Any = None
        """A stream of that GPU, on which the work is recorded."""
        self.work: list[Callable[[], None]] = []
        """What is to be done on the host, in order."""
        self.reads: list[Leased] = []
        self.writes: list[Leased] = []
        """What a replay leases (`runtime.ledger`)."""
        self.views: list[ArrayView] = []
        """All arrays that are used; they keep the memory."""
        self.families: set[str] = set()
        """Libraries whose current streams a replay is ordered with."""
        self.checked: tuple[Slot, ...] = ()
        """Where its kernels write down which of their checks failed (`runtime.failures`)."""

    def stream(self, device: int) -> Any:
        """The stream on which work for a GPU is recorded. Raises `Rejected` (O264)."""
        if self.captured is None:
            if self.work:
                refuse(errors.MixedGraph, f"on the host and on GPU {device}")
            self.captured, self.device = captures.begin_capture(device), device
        elif device != self.device:
            refuse(errors.MixedGraph, f"on GPU {self.device} and on GPU {device}")
        return self.captured

    def host_work(self, work: Callable[[], None]) -> None:
        """Records something that is done on the host. Raises `Rejected` (O264)."""
        if self.captured is not None:
            refuse(errors.MixedGraph, f"on GPU {self.device} and on the host")
        self.work.append(work)

    def uses(self, views: Iterable[ArrayView], reads: Iterable[Leased] = (), writes: Iterable[Leased] = ()) -> None:
        """Notes what a launch uses: all arrays, and those that are leased."""
        self.reads += reads
        self.writes += writes
        for found in views:
            self.views.append(found)
            if found.family in ("torch", "cupy"):
                self.families.add(found.family)

    def touches(self, found: ArrayView) -> bool:
        """Whether it uses bytes of an array."""
        low, high = found.pointer, found.pointer + found.size
        return any(v.device == found.device and v.pointer < high and low < v.pointer + v.size for v in self.views)

    def end(self) -> Any:
        """What the driver made of it; None on the host."""
        self.writes = [*{_bytes(t): t for t in self.writes}.values()]
        written = {_bytes(t) for t in self.writes}
        self.reads = [*{b: t for t in self.reads if (b := _bytes(t)) not in written}.values()]
        if self.captured is None:
            return None
        if logs:
            from freehold.runtime import failures

            self.checked = failures.captured(int(self.captured.handle))
        return captures.end_capture(self.captured, self.device)

    def give_up(self) -> None:
        """Nothing is wanted of it."""
        if self.captured is not None:
            captures.give_up_capture(self.captured, self.device)


def _bytes(tensor: Leased) -> tuple[object, ...]:
    """Equal for tensors that are leased alike."""
    return tensor.space, tensor.low, tensor.high, tensor.storage, tensor.epoch


class Graph(Generic[T]):
    """Operations that were recorded in a `with` block, or by `operation.graph()`."""

    __slots__ = ("__weakref__", "_made", "_recording", "_state", "place", "value")

    def __init__(self) -> None:
        self._state: Literal["not recorded", "recording", "complete", "closed"] = "not recorded"
        self._recording = Recording()
        self._made: Any = None
        self.place: Place | None = None
        """Where a replay runs that names no stream, if that is the default stream, and there is nothing else to do."""
        self.value: Any = None
        """The value of the operation that was recorded last; that of a replay, too."""

    def __enter__(self) -> Self:
        self._expect("not recorded", "be recorded again", _ANOTHER)
        self._state = "recording"
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        self._state = "closed"
        if kind is not None:
            self._recording.give_up()
            return
        self._made = self._recording.end()
        self._state = "complete"
        if self._made is not None and not self._recording.families and not self._recording.checked:
            self.place = Execution().place(self._recording.device)

    def record(self, operation: Operation[U]) -> U:
        """
        Records an operation instead of running it; returns its value, for what is recorded next.

        Raises `Rejected` as running it would, and where it cannot be in a graph (O262 to O264).
        """
        self._expect("recording", "record", "record inside the block: `with fh.graph() as g:`")
        found = run(operation, Execution(recording=self._recording))
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
        from freehold.runtime.copying import copy

        self._expect("complete", "be updated", _ANOTHER)
        if not self._recording.touches(view(target)):
            refuse(errors.GraphUnused)
        return copy(target, source)

    def run(self, execution: Execution) -> T:
        """Puts a replay on the execution's stream. For `Replay`."""
        if self._state != "complete":
            self._expect("complete", "be replayed", _ANOTHER)
        if execution.recording is not None:
            refuse(errors.GraphState, "be recorded", "it is a graph itself", "record its operations")
        recording = self._recording
        device = recording.device
        if recording.captured is None:
            if not recording.work:
                refuse(errors.EmptyGraph)
            self._enqueue(host_timeline(), lambda: [work() for work in recording.work])
            return self.value
        kept = None
        if recording.families:
            execution.stream(device, min(recording.families))
            for family in recording.families:
                execution.borrow(driver.current_handle(family, device), device)
            kept = recording
        _, handle, user = execution.places.get(device) or execution.place(device)
        self.enqueue(handle, user, kept)
        return self.value

    def enqueue(self, handle: int, user: Timeline, kept: object = None) -> None:
        """Puts a replay on a stream. For `run` and `Replay`."""
        made, recording = self._made, self._recording
        if kept is None and not recording.checked:
            with suppress(Busy, Refusal), user.lock:
                lease(user, recording.reads, recording.writes)
                captures.run_graph(made, handle, recording.device)
                user.enqueued()
                return

        def replay() -> None:
            captures.run_graph(made, handle, recording.device)
            if recording.checked:
                from freehold.runtime import failures

                failures.replayed(recording.checked, user)

        self._enqueue(user, replay, kept)

    def _enqueue(self, user: Timeline, work: Callable[[], object], kept: object = None) -> None:
        try:
            enqueue(user, self._recording.reads, self._recording.writes, work, kept=kept)
        except Refusal as e:
            raise of_operation("a replay of a graph")(e) from None

    def close(self) -> None:
        """Lets go of all that it uses. Replays in flight go on; there can be no more."""
        self._state = "closed"
        self._recording, self.place = Recording(), None
        made, self._made, self.value = self._made, None, None
        if made is not None:
            captures.drop_graph(made)

    def __del__(self) -> None:
        made, self._made = self._made, None
        if made is not None:
            later(partial(captures.drop_graph, made))

    def _expect(self, state: str, what: str, remedy: str) -> None:
        if self._state != state:
            shown = {"complete": "it has been recorded", "not recorded": "its block has not begun"}.get(
                self._state, f"it is {self._state}"
            )
            refuse(errors.GraphState, what, shown, remedy)

    def __repr__(self) -> str:
        return f"<graph, {self._state}>"


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
        used, handle, user = graph.place
        graph.enqueue(handle, user)
        return InFlight(graph.value, (used,), self)

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


def recorded(operation: Operation[T]) -> Graph[T]:
    """A graph of one operation."""
    made: Graph[T] = Graph()
    with made:
        made.record(operation)
    return made


def refuse(error: type[Error], *fields: str) -> NoReturn:
    """Raises `Rejected` with an error of this class, at the caller's place."""
    from freehold.runtime.call_site import caller
    from freehold.support.diagnostic import Rejected

    raise Rejected([error(caller().span, *fields)])
