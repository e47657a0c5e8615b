"""Executions: one run of an operation, and the streams that it uses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from freehold.runtime.base import native
from freehold.runtime.errors.refusing import errors, refuse
from freehold.runtime.gpu import driver, failures, streams
from freehold.runtime.gpu.timeline import Timeline, let_go, timeline
from freehold.runtime.operations.recording import Recording

if TYPE_CHECKING:
    from freehold.runtime.memory.arguments import ArrayView


Place = tuple[Any, int, Timeline]
"""A stream, its handle, and its timeline."""


class Execution:
    """One run of an operation: the stream that it uses on each GPU."""

    __slots__ = ("_borrowed", "_given", "places", "pooled", "recording")

    def __init__(self, given: Any = None, pooled: bool = False, recording: Recording | None = None):
        """`given` is the stream to use, if the caller names one; `pooled` asks the policy for one, if nobody else."""
        self._given = given
        self.pooled = pooled and given is None
        """Whether the policy chooses the stream, where no library of the arrays does."""
        self._borrowed: set[tuple[int, int]] | None = None
        self.recording = recording
        """The graph that is being recorded, if one is."""
        self.places: dict[int, Place] = {}
        """By GPU: the stream that is used."""

    # --- For what is enqueued -----------------------------------------------------------------------------------------

    def stream(self, device: int, family: str = "") -> Any:
        """
        The stream for work on a GPU, one for the whole execution.

        It is chosen when it is first asked for: the given one, the current one of the library (`family`) whose arrays
        are worked on, one of the policy's, or the default stream. Raises `TypeError` if what was given is no stream.
        """
        return self.place(device, family)[0]

    def place(self, device: int, family: str = "", array: Any = None) -> Place:
        """As `stream` (for work on `array` first, where one is given), with its handle and its timeline."""
        if array is not None:
            self.prefer(array)
        found = self.places.get(device)
        if found is None:
            stream = self._chosen(device, family)
            handle = driver.handle_of(stream)
            found = self.places[device] = (stream, handle, timeline(device, handle))
        return found

    def _chosen(self, device: int, family: str) -> Any:
        if self.recording is not None:
            return self.recording.stream(device)
        if self._given is not None:
            return driver.stream_of(self._given, device)
        if self.pooled and not family:
            return streams.next_stream(device)
        return driver.stream(driver.current_handle(family, device), device)

    def prefer(self, argument: Any) -> None:
        """
        Goes on where the work on a tensor, or one that is partitioned, is, if that is a stream of the policy's.

        There is nothing to wait for then. Does nothing for who does not take a stream of the policy's, or has one.
        """
        if not self.pooled or self.places:
            return
        try:
            user = getattr(argument, "array", argument).space.sole
        except AttributeError:
            return
        if user is not None and id(user.stream) in streams.pooled:
            self.places[user.device] = (user.stream, driver.handle_of(user.stream), user)

    def allocating(self, what: str) -> None:
        """Raises `Rejected` (O263) if a graph is being recorded. `what` allocates."""
        if self.recording is not None:
            refuse(errors.AllocatesInGraph, what)

    def uses(self, views: Iterable[ArrayView]) -> list[object]:
        """
        Orders the execution with those who own the arrays of a launch that comes next: it comes after what is on their
        libraries' current streams, and these come after it. Returns what the launch has to keep alive.
        """
        kept: list[object] = []
        for found in views:
            if found.family in ("torch", "cupy"):
                self.borrow(driver.current_handle(found.family, found.device), found.device)
            elif not found.family:
                kept.append(found.owner)
                self.borrow(0, found.device)
                if found.stream is not None:
                    self.borrow(found.stream, found.device)
        return kept

    def borrow(self, handle: int, device: int) -> None:
        """
        Orders the execution after what is on another library's stream, and that stream after the execution.

        So memory that only its library keeps track of is safe on a stream that the library does not know.
        """
        stream = self.stream(device)
        if driver.stream(handle, device) is stream:
            return
        if driver.is_capturing(stream):  # no event from outside has a place in a graph, and none of its goes out
            timeline(device, handle).join()
            return
        driver.order_after(stream, handle, device)
        if self._borrowed is None:
            self._borrowed = set()
        self._borrowed.add((handle, device))

    @property
    def timelines(self) -> list[Timeline]:
        """Of the streams that were used."""
        return [user for _, _, user in self.places.values()]

    # --- When all is enqueued -----------------------------------------------------------------------------------------

    def leave(self) -> None:
        """The caller goes on: others' streams come after this work, and whoever waits for it is told what fails."""
        if failures.fresh:
            failures.publish()
        self.give_back()

    def wait(self, what: str) -> None:
        """Waits until its streams are empty. `what` is what ran, for errors. Raises `Rejected` (O241, O280)."""
        self.give_back()
        for user in self.timelines:
            user.wait(what)
        let_go()

    def give_back(self) -> None:
        """Orders others' streams after all that was enqueued."""
        borrowed, self._borrowed = self._borrowed, None
        for handle, device in borrowed or ():
            driver.order_after(driver.stream(handle, device), self.places[device][1], device)


native.learn("Execution", Execution())
