"""
Waiting without blocking: how `await` learns that work is done.

For the first 20 us it looks again and again: most operations are done by then, and every other way takes longer. Then
it looks once in every turn of the event loop. Work of more than 200 us is handed to a thread that waits for the events
of one stream, in their order, and wakes the loop. The driver never calls back into Python: a thread of its that waits
for Python's lock, and one that holds this lock and waits for the driver, would wait for ever.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Generator, Iterable
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread, local
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from freehold.runtime.execution import Execution

LOOKING: Final = 20e-6
"""Seconds for which an `await` does nothing else than look."""

TURNS: Final = 200e-6
"""Seconds for which it looks once in every turn of the loop."""

LUCK: Final = 1e-3
"""Seconds that a thread may go on awaiting what is done at once, before its loop gets a turn."""

_spare: Final[dict[int, deque[Any]]] = {}
"""By handle of a stream: events that nobody waits for."""

_turns = local()
_waiters: Final[dict[int, Waiter]] = {}
_lock: Final = Lock()


def finished(execution: Execution, what: str) -> Generator[Any, None, None]:
    """
    Waits until the work of an execution is done, for `__await__`.

    If the wait is cancelled, what the work uses is kept until it is done. Raises `Rejected` (O241).
    """
    execution.leave()
    yield from empty(execution.streams.values(), what)


def empty(streams: Iterable[Any], what: str, kept: object = None) -> Generator[Any, None, None]:
    """Waits until what is on streams by now is done; keeps `kept` alive until then even if the wait is cancelled."""
    from freehold.runtime import driver

    pending = [(stream, _recorded(stream)) for stream in streams]
    if not pending:
        return
    began = perf_counter()
    try:
        while not _look(pending):
            spent = perf_counter() - began
            if spent < LOOKING:
                continue
            if spent > TURNS:
                yield from _in_threads(pending, kept)
                break
            yield
            _turns.last = perf_counter()
        else:
            if began - getattr(_turns, "last", 0.0) > LUCK:
                _turns.last = began
                yield
    except Exception as e:
        driver.failed(what, e)
    except BaseException:  # cancelled: the wait ends, the work does not
        _keep(pending, kept)
        raise


def _recorded(stream: Any) -> Any:
    from freehold.runtime import driver

    spare = _spare.get(int(stream.handle))
    try:
        event = None if spare is None else spare.pop()
    except IndexError:
        event = None
    return driver.record_blocking(stream, event)


def _put_back(stream: Any, event: Any) -> None:
    handle = int(stream.handle)
    spare = _spare.get(handle)
    if spare is None:
        spare = _spare.setdefault(handle, deque(maxlen=64))
    spare.append(event)


def _look(pending: list[tuple[Any, Any]]) -> bool:
    """Whether all is done; takes out what is."""
    from freehold.runtime import driver, faults

    with driver.unseen_by_captures():
        while pending:
            stream, event = pending[-1]
            if not event.is_done:
                return False
            pending.pop()
            faults.passed(stream)
            _put_back(stream, event)
    return True


def _keep(pending: list[tuple[Any, Any]], kept: object) -> None:
    from freehold.runtime import streams

    for stream, _ in pending:
        streams.hold(stream, kept)


def _in_threads(pending: list[tuple[Any, Any]], kept: object) -> Generator[Any, None, None]:
    from freehold.runtime import faults

    loop = asyncio.get_running_loop()
    while pending:
        stream, event = pending[-1]
        future = loop.create_future()
        _waiter(stream).events.put((event, loop, future, kept))
        yield from future
        faults.passed(stream)
        _turns.last = perf_counter()
        pending.pop()


def _waiter(stream: Any) -> Waiter:
    handle = int(stream.handle)
    found = _waiters.get(handle)
    if found is None:
        with _lock:
            found = _waiters.get(handle)
            if found is None:
                found = _waiters[handle] = Waiter(stream)
    return found


class Waiter:
    """A thread that waits for the events of one stream, in the order in which they were recorded."""

    def __init__(self, stream: Any):
        self._stream = stream
        self.events: SimpleQueue[tuple[Any, asyncio.AbstractEventLoop, asyncio.Future[None], object]] = SimpleQueue()
        Thread(target=self._run, name=f"freehold-waiter-{int(stream.handle):x}", daemon=True).start()

    def _run(self) -> None:
        from freehold.runtime import driver

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
