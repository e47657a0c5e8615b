"""Waiting without blocking: an event that a thread has waited for serves the next wait on its stream."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false

from __future__ import annotations

import asyncio
import threading
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from freehold.runtime.operations import waiting

becomes_empty = waiting._becomes_empty
recorded = waiting._recorded
put_back = waiting._put_back


def test_events_are_recorded_again_on_their_own_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[object] = []

    def record_again(stream: object, event: object, blocking: bool) -> object:
        assert blocking
        given.append(event)
        return (stream, len(given)) if event is None else event

    monkeypatch.setattr(waiting.driver, "record_again", record_again)
    monkeypatch.setattr(waiting, "_spare", {})
    one, other = object(), object()
    first, second = recorded(one), recorded(one)
    assert given == [None, None]  # two waits at once have an event each
    for event in (first, second):
        put_back(one, event)
    assert recorded(other) not in (first, second)
    assert {recorded(one), recorded(one)} == {first, second}
    assert given.count(None) == 3
    assert recorded(one) not in (first, second)


def test_a_stream_keeps_a_few_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    spare: dict[int, Any] = {}
    monkeypatch.setattr(waiting, "_spare", spare)
    stream = object()
    for number in range(1000):
        put_back(stream, number)
    (kept,) = spare.values()
    assert len(kept) == 64


@pytest.mark.parametrize(("ours", "empty"), [(True, True), (True, False), (False, True)])
def test_what_an_empty_stream_has_done_is_known(ours: bool, empty: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that was enqueued before it was looked at, and no more. Streams of others are not asked."""
    said: list[Any] = []
    stream = object()

    def asked(of: object, seconds: float) -> bool:
        assert of is stream
        said.append(f"asked for {seconds:.0f} s")
        user.now = 9
        return empty

    user: Any = SimpleNamespace(stream=stream, lock=nullcontext(), now=5, reach=said.append)
    user.tell = lambda: said.append("told")
    pooled = {id(stream)} if ours else set[int]()
    monkeypatch.setattr(waiting.streams, "pooled", pooled)
    monkeypatch.setattr(waiting.driver, "becomes_empty", asked)
    monkeypatch.setattr(waiting, "perf_counter", lambda: 100.0)
    assert becomes_empty(user, 102.0) is (ours and empty)
    assert said == (["asked for 2 s"] if ours else []) + ([5, "told"] if ours and empty else [])


def test_who_is_cancelled_leaves_alive_what_is_worked_on(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = list[Any]()

    def keep(number: int) -> Any:
        return SimpleNamespace(mark=lambda: (3, None), keep=lambda what: kept.append((number, what)))

    users: Any = [keep(0), keep(1)]
    monkeypatch.setattr(waiting, "_becomes_empty", lambda *_: False)
    monkeypatch.setattr(waiting, "_look", lambda *_: False)
    for what in (None, "arrays"):
        turns = waiting.empty(users, "a test", what)
        next(turns)
        with pytest.raises(GeneratorExit):
            turns.throw(GeneratorExit())
        assert kept == ([] if what is None else [(0, what), (1, what)])


def test_how_long_it_looks_before_others_get_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    until = list[float]()
    monkeypatch.setattr(waiting, "perf_counter", lambda: 50.0)
    monkeypatch.setattr(waiting, "_becomes_empty", lambda user, end: until.append(end) or user == "empty")
    monkeypatch.setattr(waiting, "_look", lambda pending, end: until.append(end) or True)
    waiting._turns.last = 0.0
    busy: Any = SimpleNamespace(mark=lambda: (3, None))
    assert len([*waiting.empty([busy], "a test")]) == 1
    assert until == [50.0 + waiting.LOOKING] * 2
    assert waiting._turns.last == 50.0
    assert [*waiting.empty([busy], "a test")] == []  # others had theirs
    until.clear()
    done: Any = "empty"
    assert [*waiting.empty([done], "a test")] == []
    assert len(until) == 1


# --- In which order it looks, takes turns and hands on ----------------------------------------------------------------


class Clock:
    """A time that passes with every look at it."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 100.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


class User:
    """A stream whose work is done at some time."""

    def __init__(self, clock: Any, done: float, said: list[Any], name: str = "it") -> None:
        self.clock, self.done, self.said, self.stream = clock, done, said, name

    def mark(self) -> tuple[int, None]:
        self.said.append(f"mark {self.stream}")
        return 7, None

    def has_passed(self, tick: int) -> bool:
        assert tick == 7
        return self.clock.now >= self.done

    def reach(self, tick: int) -> None:
        self.said.append(f"{self.stream} reached {tick}")

    def tell(self, execution: Any = None) -> None:
        self.said.append(f"{self.stream} tells" if execution is None else f"{self.stream} tells of {execution.name}")

    def keep(self, kept: Any) -> None:
        self.said.append(f"{self.stream} keeps {kept}")


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a wait does: `waits(seconds, ...)` for streams that are done after so long."""
    clock, said = Clock(1e-6), list[Any]()
    monkeypatch.setattr(waiting, "perf_counter", clock)
    monkeypatch.setattr(waiting, "_becomes_empty", lambda *_: False)
    monkeypatch.setattr(waiting, "unseen", nullcontext)
    monkeypatch.setattr(waiting._turns, "last", 0.0, raising=False)

    def handed(pending: list[Any], kept: object) -> Any:
        said.append(f"handed on: {[user.stream for user, _ in pending]}, {kept}")
        yield "a future"
        said.append("woken")

    monkeypatch.setattr(waiting, "_in_threads", handed)

    def run(*seconds: float, kept: object = None) -> tuple[int, list[Any]]:
        said.clear()
        users: Any = [User(clock, clock.now + s, said, f"stream {n}") for n, s in enumerate(seconds)]
        turns = len([*waiting.empty(users, "a test", kept)])
        return turns, list(said)

    run.clock = clock  # type: ignore[attr-defined] -- for those who look at it
    return run


DONE = ["stream 0 reached 7", "stream 0 tells"]


def test_what_is_done_soon_is_looked_at_only(waits: Any) -> None:
    assert waits(10e-6) == (1, ["mark stream 0", *DONE])  # others get a turn where they had none for long
    assert waits(10e-6) == (0, ["mark stream 0", *DONE])
    assert waits() == (0, [])


def test_what_takes_longer_gives_others_their_turns(waits: Any) -> None:
    turns, said = waits(100e-6)
    assert said == ["mark stream 0", *DONE]
    assert 20 < turns < 100  # of a few looks at the clock each
    assert waiting._turns.last == pytest.approx(waits.clock.now, abs=20e-6)


def test_what_takes_long_is_handed_on(waits: Any) -> None:
    turns, said = waits(1.0, kept="arrays")
    assert said == ["mark stream 0", "handed on: ['stream 0'], arrays", "woken"]
    assert 30 < turns < 110


def test_several_streams_are_looked_at_from_the_last(waits: Any) -> None:
    one = ["stream 1 reached 7", "stream 1 tells"]
    assert waits(5e-6, 5e-6)[1] == ["mark stream 0", "mark stream 1", *one, *DONE]
    assert waits(100e-6, 5e-6)[1] == ["mark stream 0", "mark stream 1", *one, *DONE]
    assert waits(5e-6, 100e-6)[1] == ["mark stream 0", "mark stream 1", *one, *DONE]
    assert waits(1.0, 5e-6)[1] == ["mark stream 0", "mark stream 1", *one, "handed on: ['stream 0'], None", "woken"]
    assert waits(5e-6, 1.0)[1] == [
        "mark stream 0", "mark stream 1", "handed on: ['stream 0', 'stream 1'], None", "woken",
    ]  # fmt: skip


def test_a_look_ends_at_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(1.0)
    monkeypatch.setattr(waiting, "perf_counter", clock)
    monkeypatch.setattr(waiting, "unseen", nullcontext)
    said = list[Any]()
    for until, looks in ((101.0, 2), (102.0, 3), (50.0, 1)):
        clock.now = 100.0
        pending: Any = [(User(clock, 1000.0, said), 7)]
        assert not waiting._look(pending, until)
        assert clock.now == 100.0 + looks
        assert len(pending) == 1
    assert said == []


def test_what_fails_is_told_by_what_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    def failed(what: str, error: Exception) -> Any:
        raise LookupError(f"{what}: {error}")

    def fails(*_: Any) -> bool:
        raise OSError("lost")

    monkeypatch.setattr(waiting.driver, "failed", failed)
    monkeypatch.setattr(waiting, "_becomes_empty", fails)
    users: Any = [User(None, 0.0, [])]
    with pytest.raises(LookupError, match="a test: lost"):
        next(waiting.empty(users, "a test"))


def test_threads_wait_for_one_stream_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    said, waited = list[Any](), list[Any]()
    monkeypatch.setattr(waiting, "_recorded", lambda stream: f"event of {stream}")

    class Events:
        def put(self, given: Any) -> None:
            event, loop, future, kept = given
            waited.append((event, kept))
            loop.call_soon(future.set_result, None)

    monkeypatch.setattr(waiting, "_waiter", lambda stream: SimpleNamespace(events=Events()))
    monkeypatch.setattr(waiting, "perf_counter", lambda: 55.0)

    class Wait:
        def __await__(self) -> Any:
            return waiting._in_threads([(User(None, 0, said, "a"), 7), (User(None, 0, said, "b"), 7)], "kept")  # type: ignore[list-item]

    async def main() -> None:
        await Wait()

    asyncio.run(main())
    assert waited == [("event of b", "kept"), ("event of a", "kept")]
    assert said == ["b reached 7", "b tells", "a reached 7", "a tells"]
    assert waiting._turns.last == 55.0


def test_a_thread_of_a_stream_wakes_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is one thread for all; an event that failed is not used again, and whoever has gone is nobody's matter."""
    stream, entered = object(), list[Any]()
    monkeypatch.setattr(waiting, "_waiters", {})
    monkeypatch.setattr(waiting, "_spare", {})
    monkeypatch.setattr(waiting.driver, "handle_of", lambda stream: 0xAB)
    monkeypatch.setattr(waiting.driver, "enter_waiter", lambda of: entered.append((of, threading.current_thread())))
    found: Any = waiting._waiter(stream)
    assert waiting._waiter(stream) is found
    assert waiting._waiter(object()) is not found

    class Event:
        def __init__(self, error: Exception | None = None) -> None:
            self.error = error

        def sync(self) -> None:
            if self.error is not None:
                raise self.error

    fine, broken, again = Event(), Event(OSError("lost")), Event()
    closed = asyncio.new_event_loop()
    closed.close()

    async def main() -> list[Any]:
        loop = asyncio.get_running_loop()
        futures = [loop.create_future() for _ in range(4)]
        futures[2].cancel()
        found.events.put((Event(), closed, futures[0], None))
        for event, future in zip((fine, broken, Event(), again), futures, strict=True):
            found.events.put((event, loop, future, None))
        return await asyncio.wait_for(asyncio.gather(*futures, return_exceptions=True), 60)

    results = asyncio.run(main())
    assert [results[0], str(results[1]), type(results[2]), results[3]] == [None, "lost", asyncio.CancelledError, None]
    kept = waiting._spare[id(stream)]
    assert len(kept) == 4
    assert fine in kept
    assert again in kept
    assert broken not in kept
    threads = {thread for of, thread in entered if of is stream}
    assert [(t.name, t.daemon) for t in threads] == [("freehold-waiter-ab", True)]


def test_what_kernels_check_is_told_to_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    said = list[Any]()
    execution: Any = SimpleNamespace(name="it", leave=lambda: said.append("leaves"))
    execution.timelines = [User(None, 0, said, "a"), User(None, 0, said, "b")]
    monkeypatch.setattr(waiting, "failures", SimpleNamespace(
        fresh=["a check"], claim=lambda e: said.append(f"claims {e.name}"),
        disclaim=lambda e: said.append(f"disclaims {e.name}"),
    ))  # fmt: skip

    def empty(users: Any, what: str) -> Any:
        said.append(f"waits for {what}")
        yield "a turn"

    monkeypatch.setattr(waiting, "empty", empty)
    assert [*waiting.finished(execution, "a launch")] == ["a turn"]
    assert said == ["claims it", "leaves", "waits for a launch", "a tells of it", "b tells of it"]
    said.clear()
    steps = waiting.finished(execution, "a launch")
    next(steps)
    with pytest.raises(GeneratorExit):
        steps.throw(GeneratorExit())
    assert said == ["claims it", "leaves", "waits for a launch", "disclaims it"]
    said.clear()
    waiting.failures.fresh.clear()
    assert [*waiting.finished(execution, "a launch")] == ["a turn"]
    assert said == ["leaves", "waits for a launch"]
