"""
Graphs, once they are recorded: what the driver made of them, and how it is run. `runtime.operations.operation` records.

The tensors stay those that they were: a replay works on them where they are, and comes after the work on them that was
enqueued before it, as any launch does. So they may be used between replays; those that were moved, freed or lent since
are refused. The graph keeps them alive. Nothing is allocated in a graph: what it works on has to be there before.

On a GPU a stream of the graph's own is captured; other streams and threads are not disturbed. On the host the graph is
the list of the checked launches.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final, Generic, Literal, Self, TypeVar

from freehold.runtime.base.call_site import caller
from freehold.runtime.errors.refusing import errors, refuse, reject
from freehold.runtime.gpu import captures, checked, driver
from freehold.runtime.gpu.timeline import Timeline, host_timeline, later
from freehold.runtime.memory.blame import of_operation
from freehold.runtime.memory.ledger import Busy, Refusal, enqueue, lease
from freehold.runtime.memory.versions import changed
from freehold.runtime.operations.execution import Execution, Place
from freehold.runtime.operations.recording import Recording

T = TypeVar("T")

ANOTHER: Final = "make another: `with fh.graph() as g:`"


class Recorded(Generic[T]):
    """What was recorded, once it can be run again."""

    __slots__ = ("__weakref__", "_made", "_state", "place", "recording", "value")

    def __init__(self) -> None:
        self._state: Literal["not recorded", "recording", "complete", "closed"] = "not recorded"
        self.recording = Recording()
        """What was recorded, and what it uses."""
        self._made: Any = None
        self.place: Place | None = None
        """Where a replay runs that names no stream, if that is the default stream, and there is nothing else to do."""
        self.value: Any = None
        """The value of the operation that was recorded last; that of a replay, too."""

    def __enter__(self) -> Self:
        self.expect("not recorded", "be recorded again", ANOTHER)
        self._state = "recording"
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        self._state = "closed"
        if kind is not None:
            self.recording.give_up()
            return
        self._made = self.recording.end()
        self._state = "complete"
        if self._made is not None and not self.recording.families and not self.recording.checked:
            self.place = Execution().place(self.recording.device)

    def run(self, execution: Execution) -> T:
        """Puts a replay on the execution's stream. For `Replay`."""
        if self._state != "complete":
            self.expect("complete", "be replayed", ANOTHER)
        if execution.recording is not None:
            refuse(errors.GraphState, "be recorded", "it is a graph itself", "record its operations")
        recording = self.recording
        if (array := recording.changed_array()) is not None:
            error = errors.AddressChanged(caller().span, array, "recorded", "its memory, or its shape, is another one")
            reject(error.add(error.Record()))
        device = recording.device
        if recording.captured is None:
            if not recording.work:
                refuse(errors.EmptyGraph)
            self._enqueue(host_timeline(), lambda: [work() for work in recording.work])
            changed(recording.changed)
            return self.value
        family = next((f for f in ("torch", "cupy") if f in recording.families), "")
        _, handle, user = execution.place(device, family)
        for other in recording.families:
            execution.borrow(driver.current_handle(other, device), device)
        self.enqueue(handle, user, recording if recording.families else None)
        changed(recording.changed)
        return self.value

    def enqueue(self, handle: int, user: Timeline, kept: object = None) -> None:
        """Puts a replay on a stream. For `run` and `Replay`."""
        made, recording = self._made, self.recording

        def replay() -> None:
            captures.run_graph(made, handle, recording.device)
            if recording.checked:
                checked.replayed(recording.checked, user)

        if kept is None:
            with suppress(Busy, Refusal), user.lock:
                lease(user, recording.reads, recording.writes)
                replay()
                user.enqueued()
                return
        self._enqueue(user, replay, kept)

    def _enqueue(self, user: Timeline, work: Callable[[], object], kept: object = None) -> None:
        try:
            enqueue(user, self.recording.reads, self.recording.writes, work, kept=kept)
        except Refusal as e:
            raise of_operation("a replay of a graph")(e) from None

    def close(self) -> None:
        """Lets go of all that it uses. Replays in flight go on; there can be no more."""
        self._state = "closed"
        self.recording, self.place = Recording(), None
        made, self._made, self.value = self._made, None, None
        if made is not None:
            captures.drop_graph(made)

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        made: Any = getattr(self, "_made", None)  # not there where it was not made for want of the right arguments
        if made is not None and not ending():
            later(partial(captures.drop_graph, made))

    def expect(self, state: str, what: str, remedy: str) -> None:
        """Raises `Rejected` (O262) where it is in another state; `what` was to be done with it."""
        if self._state != state:
            shown = {"complete": "it has been recorded", "not recorded": "its block has not begun"}.get(
                self._state, f"it is {self._state}"
            )
            refuse(errors.GraphState, what, shown, remedy)

    def __repr__(self) -> str:
        return f"<graph, {self._state}>"
