"""
Waiting without blocking: how `await` learns that work is done.

For the first 30 us it looks again and again: most operations are done by then, and every other way takes longer. Of a
stream of ours it is asked whether that is empty; for others, which may be captured, an event is recorded. Then it looks
once in every turn of the event loop. Work of more than 200 us is handed to a thread that waits for the events
of one stream, in their order, and wakes the loop. The driver never calls back into Python: a thread of its that waits
for Python's lock, and one that holds this lock and waits for the driver, would wait for ever.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread, local
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from freehold.runtime.gpu import driver, failures, streams
from freehold.runtime.gpu.driver import unseen
from freehold.runtime.gpu.timeline import Timeline
from freehold.support.locks import mutex

if TYPE_CHECKING:
    import asyncio

    from freehold.runtime.operations.execution import Execution

LOOKING: Final = 30e-6
"""Seconds for which an `await` does nothing else than look."""

TURNS: Final = 200e-6
"""Seconds for which it looks once in every turn of the loop."""

LUCK: Final = 1e-3
"""Seconds that a thread may go on awaiting what is done at once, before its loop gets a turn."""

_spare: Final[dict[int, deque[Any]]] = {}
"""By a stream's identity: events for threads to wait for that nobody waits for."""

_turns = local()
_waiters: Final[dict[int, Waiter]] = {}
_lock: Final = mutex()


def finished(execution: Execution, what: str) -> Generator[Any, None, None]:
    """
    Waits until the work of an execution is done, for `__await__`.

    If the wait is cancelled, what the work uses is kept until it is done. Raises `Rejected` (O233 to O235, O241).
    """
    if failures.fresh:
        return _told(execution, what)
    execution.leave()
    return empty(execution.timelines, what)


def _told(execution: Execution, what: str) -> Generator[Any, None, None]:
    """As `finished`, where kernels check something while they run."""
    failures.claim(execution)
    execution.leave()
    try:
        yield from empty(execution.timelines, what)
    except BaseException:
        failures.disclaim(execution)
        raise
    for user in execution.timelines:
        user.tell(execution)


def empty(users: Iterable[Timeline], what: str, kept: object = None) -> Generator[Any, None, None]:
    """
    Waits until what is on streams by now is done; keeps `kept` alive until then even if the wait is cancelled.

    Raises `Rejected` (O233 to O235, O241).
    """
    users = tuple(users)
    began = perf_counter()
    try:
        pending = [(user, user.mark()[0]) for user in users if not _becomes_empty(user, began + LOOKING)]
        if not pending or _look(pending, began + LOOKING):
            if began - getattr(_turns, "last", 0.0) > LUCK:
                _turns.last = began
                yield
            return
        while perf_counter() - began < TURNS:
            yield
            if _look(pending, began):
                _turns.last = perf_counter()
                return
        yield from _in_threads(pending, kept)
    except Exception as e:
        driver.failed(what, e)
    except BaseException:  # cancelled: the wait ends, the work does not
        for user in users if kept is not None else ():
            user.keep(kept)
        raise


def _becomes_empty(user: Timeline, until: float) -> bool:
    """Whether a stream of ours is empty by then. No event is recorded; others' streams may be captured meanwhile."""
    if id(user.stream) not in streams.pooled:
        return False
    with user.lock:
        tick = user.now
    if not driver.becomes_empty(user.stream, until - perf_counter()):
        return False
    user.reach(tick)
    user.tell()
    return True


def _look(pending: list[tuple[Timeline, int]], until: float) -> bool:
    """Whether all is done, or is so by then; takes out what is."""
    with unseen():
        while True:
            user, tick = pending[-1]
            if user.has_passed(tick):
                pending.pop()
                user.reach(tick)
                user.tell()
                if not pending:
                    return True
            elif perf_counter() > until:
                return False


def _in_threads(pending: list[tuple[Timeline, int]], kept: object) -> Generator[Any, None, None]:
    import asyncio

    loop = asyncio.get_running_loop()
    while pending:
        user, tick = pending[-1]
        future = loop.create_future()
        _waiter(user.stream).events.put((_recorded(user.stream), loop, future, kept))
        yield from future
        user.reach(tick)
        user.tell()
        _turns.last = perf_counter()
        pending.pop()


def _recorded(stream: Any) -> Any:
    spare = _spare.get(id(stream))
    try:
        event = None if spare is None else spare.pop()
    except IndexError:
        event = None
    return driver.record_again(stream, event, blocking=True)


def _put_back(stream: Any, event: Any) -> None:
    spare = _spare.get(id(stream))  # streams that events were recorded on live as long as the process
    if spare is None:
        spare = _spare.setdefault(id(stream), deque(maxlen=64))
    spare.append(event)


def _waiter(stream: Any) -> Waiter:
    found = _waiters.get(id(stream))
    if found is None:
        with _lock:
            found = _waiters.get(id(stream))
            if found is None:
                found = _waiters[id(stream)] = Waiter(stream)
    return found


class Waiter:
    """A thread that waits for the events of one stream, in the order in which they were recorded."""

    def __init__(self, stream: Any):
        self._stream = stream
        self.events: SimpleQueue[tuple[Any, asyncio.AbstractEventLoop, asyncio.Future[None], object]] = SimpleQueue()
        Thread(target=self._run, name=f"freehold-waiter-{driver.handle_of(stream):x}", daemon=True).start()

    def _run(self) -> None:
        driver.enter_waiter(self._stream)
        while True:
            event, loop, future, kept = self.events.get()
            error: Exception | None = None
            try:
                event.sync()
            except Exception as e:
                error = e
            else:
                _put_back(self._stream, event)
            with suppress(RuntimeError):  # the loop was closed: nobody waits
                loop.call_soon_threadsafe(_wake, future, error)
            del event, loop, future, kept, error  # until the next one comes


def _wake(future: asyncio.Future[None], error: Exception | None) -> None:
    if future.done():  # cancelled
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)


awaited: Final[dict[tuple[int, int], Generator[Any, None, Any]]] = {}
"""What is awaited by tasks that hold an operation in place of a coroutine, by operation and task, as long as it is."""


def _waiting(operation: Any) -> tuple[int, int]:
    import asyncio

    return id(operation), id(asyncio.current_task())


def stepped(operation: Any, step: Callable[[Generator[Any, None, Any]], Any]) -> Any:
    """A step of what awaits an operation, which begins with the first."""
    key = _waiting(operation)
    if (steps := awaited.get(key)) is None:
        steps = awaited[key] = operation.__await__()
    try:
        return step(steps)
    except BaseException:  # it has ended, in whatever way
        del awaited[key]
        raise


def end(operation: Any) -> None:
    """Ends the wait for an operation in the current task."""
    if (steps := awaited.pop(_waiting(operation), None)) is not None:
        steps.close()
