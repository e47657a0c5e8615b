"""How far streams are, and which checks have failed there, step by step, on stand-ins of streams, events and memory."""

# What records keep of the driver is of no types, and some of it is theirs alone.
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownLambdaType=false
# pyright: reportUnknownArgumentType=false

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

import freehold as fh
from freehold.runtime.errors.refusing import errors
from freehold.runtime.gpu import checked, failures, flight
from freehold.runtime.gpu import timeline as module
from freehold.runtime.gpu.failures import CheckedLaunch, CheckedReplay, Log, Slot, Words
from freehold.runtime.gpu.timeline import MOST_KEPT, MOST_MARKS, HostTimeline, Timeline
from freehold.runtime.operations import operation
from freehold.runtime.operations.operation import Shared
from freehold.support.contract import FAILURE_SLOTS, FAILURE_WORDS
from freehold.support.diagnostic import Rejected


class Event:
    def __init__(self, driver: Driver):
        self.driver = driver
        self.is_done = False

    def sync(self) -> None:
        self.driver.said.append("waits for an event")
        if self.driver.broken:
            raise RuntimeError("CUDA_ERROR_UNKNOWN")
        self.is_done = True


class Driver:
    """Writes down what it is asked."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.capturing = False
        self.broken = False
        self.events: list[Event] = []

    def record(self, _stream: Any) -> Event:
        self.events.append(Event(self))
        return self.events[-1]

    def is_done(self, event: Event) -> bool:
        return event.is_done

    def is_capturing(self, _stream: Any) -> bool:
        return self.capturing

    def is_of_driver(self, error: BaseException) -> bool:
        return "CUDA" in str(error)

    def on_device(self, _device: int) -> Any:
        return nullcontext()

    def unseen(self) -> Any:
        return nullcontext()

    forked = False

    def failed(self, what: str, error: BaseException) -> None:
        raise RuntimeError(f"{what}: {error}")


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Driver:
    found = Driver()
    for place in (module, failures):
        monkeypatch.setattr(place, "driver", found)
        monkeypatch.setattr(place, "unseen", found.unseen)
    return found


class Stream:
    def __init__(self, driver: Driver):
        self.driver = driver
        self.waits: list[Any] = []

    def wait(self, event: Any) -> None:
        if self.driver.broken:
            raise RuntimeError("CUDA_ERROR_UNKNOWN")
        self.waits.append(event)

    def sync(self) -> None:
        if self.driver.broken:
            raise RuntimeError("CUDA_ERROR_UNKNOWN")
        self.driver.said.append("waits for a stream")


def stream(driver: Driver, eager: bool = False) -> Timeline:
    return Timeline(0, Stream(driver), eager)


def step(line: Timeline, what: object = None) -> int:
    """An operation that is enqueued, for which something is kept."""
    with line.lock:
        line.now += 1
        if what is not None:
            line.keep_for_last(what)
        line.enqueued()
    return line.now


# --- One stream -------------------------------------------------------------------------------------------------------


def test_an_event_serves_all_that_it_stands_for(driver: Driver) -> None:
    line = stream(driver)
    for _ in range(3):
        step(line)
    assert driver.events == []
    first = line.mark(2)
    assert first == (3, driver.events[0])
    assert line.mark(3) is line.mark(1) is first
    step(line)
    assert line.mark(3) is first
    assert line.mark() == (4, driver.events[1])
    assert line.mark(4)[1] is driver.events[1]
    assert line.record() == (4, driver.events[2])
    assert len(driver.events) == 3


def test_what_is_done_is_let_go_of(driver: Driver) -> None:
    line = stream(driver)
    for n in range(1, 4):
        step(line, f"kept {n}")
        line.trace(f"launch {n}", None, n)
        line.mark()
    line.keep("later", 2)
    assert (line.now, line.finished) == (3, 0)
    assert [t.tick for t in flight.unfinished() if t.what.startswith("launch")] == [1, 2, 3]
    line.reach(2)
    assert line.finished == 2
    assert [tick for tick, _ in line.marks] == [3]
    assert list(line.kept) == [(3, "kept 3")]
    assert len(line.trail) == 3  # those that are done stay till all are
    assert [t.what for t in flight.unfinished() if t.what.startswith("launch")] == ["launch 3"]
    line.reach(1)
    assert line.finished == 2
    line.reach(3)
    assert (list(line.marks), list(line.kept), list(line.trail)) == ([], [], [])
    assert not module._LET_GO


def test_who_watches_is_told_of_each_launch_once(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(flight, "watchers", [lambda device, of, trace: told.append((device, trace.what, trace.tick))])
    line = stream(driver)
    for n in (1, 2):
        step(line)
        line.trace(f"launch {n}", None, 0)
    line.reach(1)
    assert told == [(0, "launch 1", 1)]
    assert len(line.trail) == 1
    line.reach(1)
    line.reach(2)
    assert told == [(0, "launch 1", 1), (0, "launch 2", 2)]


def test_it_is_looked_how_far_a_stream_is_once_enough_is_kept(driver: Driver) -> None:
    line = stream(driver)
    for n in range(MOST_KEPT - 1):
        step(line, n)
    assert driver.events == []
    step(line)
    assert driver.events == []  # nothing more is kept
    step(line, "last")
    (event,) = driver.events
    assert len(line.kept) == MOST_KEPT
    event.is_done = True
    line.collect()
    assert line.finished == line.now
    assert not line.kept
    driver.capturing = True
    for n in range(MOST_KEPT):
        step(line, n)
    assert len(driver.events) == 1


def test_events_are_looked_at_in_their_order(driver: Driver) -> None:
    line = stream(driver)
    for _ in range(3):
        step(line)
        line.record()
    first, second, third = driver.events
    assert not line.passed(1)
    third.is_done = True
    assert not line.passed(3)
    assert line.finished == 0
    first.is_done = True
    assert line.passed(1)
    assert not line.passed(2)
    assert line.finished == 1
    second.is_done = True
    assert line.finished == 1  # nobody has looked
    assert line.passed(0)
    assert line.finished == 1  # nor had to
    assert line.has_passed(2)
    assert line.finished == 3


def test_events_that_wait_are_not_too_many(driver: Driver) -> None:
    line = stream(driver)
    for _ in range(MOST_MARKS + 1):
        step(line)
        line.record()
    driver.events[0].is_done = driver.events[1].is_done = True
    assert line.finished == 0
    line.record()
    assert line.finished == 2
    assert len(line.marks) == MOST_MARKS


def test_a_stream_of_one_thread_records_behind_each_operation(driver: Driver) -> None:
    line = stream(driver, eager=True)
    step(line)
    step(line)
    assert [tick for tick, _ in line.marks] == [1, 2]
    line.keep("something")
    assert list(line.kept) == [(2, "something")]
    assert len(line.marks) == 3
    line.wait("work")
    assert driver.said == ["waits for an event"]
    assert line.finished == 2


def test_waiting(driver: Driver) -> None:
    line = stream(driver)
    step(line, "kept")
    line.join()
    assert (driver.said, line.finished, len(line.kept)) == (["waits for an event"], 1, 0)
    line.join(1)  # which has passed
    assert driver.said == ["waits for an event"]
    step(line)
    driver.capturing = True
    line.join()
    assert line.finished == 1
    driver.capturing = False
    line.wait("work")
    assert (driver.said[1:], line.finished) == (["waits for a stream"], 2)
    step(line)
    driver.broken = True
    with pytest.raises(RuntimeError, match="waiting for work in flight: CUDA"):
        line.join()
    with pytest.raises(RuntimeError, match="work: CUDA"):
        line.wait("work")
    assert line.finished == 2


def test_a_gpu_that_is_lost_has_passed_nothing(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    line = stream(driver)
    step(line)

    def lost() -> None:
        raise RuntimeError(said)

    said = "CUDA_ERROR_ILLEGAL_ADDRESS"
    line.marks.append((1, None))
    monkeypatch.setattr(Timeline, "_look", lambda _self: lost())
    assert not line.passed(1)
    with pytest.raises(RuntimeError):
        line.has_passed(1)
    said = "a mistake of ours"
    with pytest.raises(RuntimeError, match="of ours"):
        line.passed(1)
    line.marks.clear()


# --- Several ----------------------------------------------------------------------------------------------------------


def test_who_waits_for_whom(driver: Driver) -> None:
    one, other, third = (stream(driver) for _ in range(3))
    step(one)
    step(one)

    def after(line: Timeline, before: Timeline, tick: int) -> int:
        line.follow(before, tick)
        return len(line.stream.waits)

    assert after(one, one, 2) == 0
    assert after(other, one, 1) == 1
    assert other.seen == {one: 2}  # an event at the last tick
    assert after(other, one, 2) == 1
    step(one)
    assert after(other, one, 3) == 2
    assert other.seen == {one: 3}
    one.reach(3)
    assert after(third, one, 3) == 0
    step(one)
    driver.capturing = True
    assert after(third, one, 4) == 0
    driver.capturing = False
    assert after(third, other, 0) == 0
    step(other)
    assert after(third, other, 1) == 1
    assert third.earlier() == [third, other, one]
    assert one.earlier() == [one]
    driver.broken = True
    step(one)
    with pytest.raises(RuntimeError, match="ordering streams"):
        third.follow(one, 5)


def test_threads_that_work_themselves() -> None:
    line = HostTimeline()
    outer, inner = object(), object()
    assert (line.begin(outer), line.begin(inner)) == (1, 2)
    line.finish(inner)
    assert not line.passed(1)  # the outer one goes on
    line.finish(outer)
    assert line.passed(2)
    assert not line.passed(3)
    line.finish(outer)
    line.join()
    line.join(2)
    assert line.begin(outer) == 3
    waited = threading.Thread(target=line.join)
    waited.start()
    line.finish(outer)
    waited.join(60)
    assert not waited.is_alive()
    line.begin(outer)
    line.renew()
    assert line.passed(4)
    assert "4 of 4 done" in repr(line)


def test_what_is_left_to_be_done_later(driver: Driver) -> None:
    done: list[str] = []
    answers = iter([module.POSTPONED, None])

    def again() -> object:
        done.append("again")
        return next(answers)

    def signalled() -> object:
        done.append("signal")
        if done.count("signal") == 1:
            raise KeyboardInterrupt
        return None

    module.later(again)
    module.later(lambda: done.append("once"))
    assert done == []
    module.let_go()
    assert done == ["again", "once"]
    module.let_go()
    assert done == ["again", "once", "again"]
    module.later(signalled)
    with pytest.raises(KeyboardInterrupt):
        module.let_go()
    module.let_go()
    module.let_go()
    assert done[3:] == ["signal", "signal"]

    def refused() -> object:
        raise Rejected([])

    module.later(refused)
    with pytest.raises(Rejected):
        module.let_go()
    module.let_go()  # it is not tried again


def test_what_is_kept_at_the_end(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [stream(driver) for _ in range(3)]
    for n, line in enumerate(lines[:2]):
        step(line, f"kept {n}")
    monkeypatch.setattr(flight, "every", lambda: lines)
    assert module.still_kept() == ["kept 0", "kept 1"]
    assert len(driver.events) == 2  # none where nothing is kept
    driver.events[0].is_done = True
    assert module.still_kept() == ["kept 1"]
    driver.capturing = True
    assert module.still_kept() == []
    driver.events[1].is_done = True
    driver.capturing = False
    assert module.still_kept() == []


def test_what_is_not_done_at_the_end_is_never_taken_down(monkeypatch: pytest.MonkeyPatch) -> None:
    inner: Any = module
    for answers, dropped in (([[]], []), ([["a"], []], []), ([["a", "b"], ["b"]], ["b"])):
        left, never, clock = list(answers), list[object](), [0.0]
        monkeypatch.setattr(inner, "still_kept", lambda left=left: left.pop(0) if len(left) > 1 else left[0])
        monkeypatch.setattr(inner, "never_drop", never.append)
        monkeypatch.setattr(inner, "monotonic", lambda clock=clock: clock[0])
        monkeypatch.setattr(inner, "sleep", lambda seconds, clock=clock: clock.__setitem__(0, clock[0] + 100 * seconds))
        inner._end()
        assert never == dropped
        assert clock[0] <= inner.PATIENCE + 0.1
        assert (clock[0] >= inner.PATIENCE) == bool(dropped)


# --- Checks that fail -------------------------------------------------------------------------------------------------


@pytest.fixture
def memory(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Buffers instead of page-locked memory; and no failures of other tests."""
    buffers: list[Any] = []

    def page_locked(size: int, _device: int) -> int:
        buffers.append((ctypes.c_char * size)())
        return ctypes.addressof(buffers[-1])

    monkeypatch.setattr(failures.transfers, "page_locked", page_locked)
    for name in ("logs", "fresh"):
        monkeypatch.setattr(failures, name, [])
        monkeypatch.setattr(checked, name, vars(failures)[name])
    monkeypatch.setattr(failures, "captures", {})
    monkeypatch.setattr(checked, "captures", failures.captures)
    return buffers


def entry(owner: object = None) -> CheckedLaunch:
    return CheckedLaunch("kernel", (), owner)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Callable[[Words, int, int], None]:
    """Writes down a failure as a GPU does; what it says is a text."""

    def failed(kernel: str, _checks: Any, words: Any) -> Any:
        return errors.DriverFailed(None, kernel, str(list(words[:2])))

    monkeypatch.setattr(failures, "failure_in", failed)

    def write(words: Words, number: int, what: int) -> None:
        words.all[number], words.all[number + FAILURE_SLOTS] = what, 7

    return write


def test_launches_of_a_stream_have_words_of_their_own(memory: list[Any], driver: Driver, written: Any) -> None:
    log = Log(0, None)
    assert len(memory) == 1
    assert len(memory[0]) == 8 * FAILURE_SLOTS * FAILURE_WORDS
    base = ctypes.addressof(memory[0])
    launches = [entry() for _ in range(3)]
    assert [log.enter(e) for e in launches] == [base, base + 8, base + 16]
    log.look()
    assert log.failed == []
    written(log.rings[0].words, 1, 1)
    written(log.rings[0].words, 2, -1)  # not yet all of it
    log.look()
    assert log.failed == [launches[1]]
    assert [(e.failed, e.errors) for e in launches] == [(False, ()), (True, launches[1].errors), (False, ())]
    assert [vars(e)["error"] for e in launches[1].errors] == ["[1, 7]"]
    log.look()
    assert log.failed == [launches[1]]  # once
    written(log.rings[0].words, 2, 2)
    log.look()
    assert log.failed == launches[1:]
    assert driver.events == []


def test_where_a_ring_is_full_another_one_is_begun_or_the_oldest_again(
    memory: list[Any], driver: Driver, written: Any
) -> None:
    log = Log(0, None)
    first = log.rings[0]
    launches = [entry() for _ in range(FAILURE_SLOTS)]
    for each in launches:
        log.enter(each)
    assert (len(memory), driver.events) == (1, [])
    log.enter(entry())
    assert (len(memory), len(log.rings), len(driver.events)) == (2, 2, 1)
    assert first.mark is driver.events[0]
    for _ in range(FAILURE_SLOTS - 1):
        log.enter(entry())
    driver.events[0].is_done = True  # so all launches of the first ring are done, of which one has failed
    written(first.words, 5, 3)
    address = log.enter(entry())
    assert (len(memory), log.rings[-1]) == (2, first)
    assert address == ctypes.addressof(memory[0])
    assert log.failed == [launches[5]]
    assert first.next == 1
    assert [e is None for e in first.entries[:2]] == [False, True]
    assert first.words.all[5] == 0
    assert first.seen == bytes(8 * FAILURE_SLOTS)
    for _ in range(FAILURE_SLOTS):
        log.enter(entry())
    assert (len(memory), len(log.rings)) == (3, 3)  # the second one is not done


def test_who_is_told(memory: list[Any], driver: Driver, written: Any) -> None:
    log = Log(0, None)
    failures.logs.append(log)
    thread = threading.get_ident()
    someone, other = object(), object()
    owners = [None, thread, someone, other, thread + 1]
    launches = [entry(owner) for owner in owners]
    for number, each in enumerate(launches):
        log.enter(each)
        each.kernel = f"kernel {number}"
        written(log.rings[0].words, number, 1)

    def told(owner: object) -> list[Any]:
        try:
            failures.tell([log], owner)
        except Rejected as rejected:
            return [vars(e)["what"].split()[1] for e in rejected.errors]
        return []

    assert told(someone) == ["0", "1", "2"]
    assert told(someone) == []
    assert log.failed == launches[3:]
    failures.disclaim(other)
    assert told(None) == ["3"]
    failures.disclaim(owners[4])
    with pytest.raises(Rejected):
        failures.raise_failures()
    failures.raise_failures()
    assert log.failed == []


def test_who_was_told_is_not_asked_how_it_will_wait(memory: list[Any]) -> None:
    """Of what threads have launched last, a thread's own is known to it; that of others stays to be claimed."""
    thread = threading.get_ident()
    mine, others = entry(thread), entry(thread + 1)
    failures.fresh[:] = [mine, others]
    failures.tell([], None)
    assert failures.fresh == [others]
    failures.fresh.clear()


def test_what_a_thread_has_launched_is_claimed_or_published(memory: list[Any]) -> None:
    thread = threading.get_ident()
    mine, others = [entry(thread) for _ in range(2)], entry(thread + 1)
    failures.fresh[:] = [mine[0], others, mine[1]]
    owner = object()
    failures.claim(owner)
    assert [e.owner for e in (*mine, others)] == [owner, owner, thread + 1]
    assert failures.fresh == [others]
    failures.fresh[:] = [mine[0]]
    mine[0].owner = thread
    failures.publish(None, 5)
    assert (failures.fresh, mine[0].owner, mine[0].instruction) == ([], None, 5)
    failures.fresh[:] = [others]
    failures.publish()
    assert failures.fresh == [others]


def test_runs_of_a_graph_share_their_words(memory: list[Any], driver: Driver, written: Any) -> None:
    log = Log(0, None)
    failures.logs.append(log)
    words, captured = Words(0), entry()
    slots = (Slot(words, 0, captured), Slot(words, 1, entry()))
    runs = [CheckedReplay(slots, None, Event(driver)) for _ in range(2)]
    log.replays += runs
    log.look()
    assert log.replays == runs
    written(words, 1, 4)
    log.look()
    assert words.all[1] == 0  # there is room for the next failure
    assert log.failed == runs  # the words are those of all runs in flight
    assert log.replays == []
    assert [len(r.errors) for r in runs] == [1, 1]
    done = CheckedReplay(slots, None, Event(driver))
    log.failed.clear()
    log.replays.append(done)
    done.event.is_done = True
    log.look()
    assert (log.replays, log.failed) == ([], [])
    failures.captures[7] = list(slots)
    written(words, 0, 9)
    with pytest.raises(Rejected):
        failures.tell([], None)
    assert captured.errors == ()
    assert failures.captured(7) == slots
    assert failures.captured(7) == ()


def test_launches_that_a_graph_captures_have_words_for_ever(
    memory: list[Any], driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = stream(driver)
    capturing = SimpleNamespace(captures=lambda _handle: True)
    monkeypatch.setattr(checked, "driver", capturing)
    monkeypatch.setattr(checked, "unseen", driver.unseen)
    monkeypatch.setattr(checked, "timeline", lambda _device, _handle=0: line)
    monkeypatch.setattr(checked, "_room", {})
    first = checked.enter(0, 5, "kernel", ())
    assert [checked.enter(0, 5, "kernel", ()) - first for _ in range(2)] == [8, 16]
    assert [s.number for s in failures.captures[5]] == [0, 1, 2]
    assert failures.fresh == []
    assert failures.logs == [line.log]
    for _ in range(FAILURE_SLOTS - 3):
        checked.enter(0, 6, "kernel", ())
    assert vars(checked)["_room"] == {}
    assert len({s.words.base for s in failures.captures[6]}) == 1
    checked.enter(0, 6, "kernel", ())
    assert failures.captures[6][-1].number == 0
    assert failures.captures[6][-1].words.base != first
    capturing.captures = lambda _handle: False
    address = checked.enter(0, 5, "kernel", ())
    assert line.log is not None
    assert address == line.log.rings[0].words.base
    assert [e.owner for e in failures.fresh] == [threading.get_ident()]


# --- Forks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("begun", "value", "error", "left"),
    [
        (False, None, None, False),  # nobody has begun it: it can be run
        (True, None, None, True),
        (True, 5, None, False),
        (True, None, ValueError("wrong"), False),
    ],
)
def test_what_a_fork_leaves_of_an_operation_that_others_ran(begun: bool, value: Any, error: Any, left: bool) -> None:
    shared: Any = Shared(fh.Work("nothing", lambda _: None))
    shared._source, shared._value, shared._error = None if begun else shared._source, value, error
    shared._runner = threading.get_ident() + 1
    shared.left_behind()
    assert (shared._left, shared._runner) == (left, None)
    mine: Any = Shared(fh.Work("nothing", lambda _: None))
    mine._source, mine._runner = None, threading.get_ident()
    mine.left_behind()
    assert (mine._left, mine._runner) == (False, threading.get_ident())


def test_who_waits_for_an_operation_goes_on_when_it_is_done() -> None:
    begun, released = threading.Event(), threading.Event()
    ran: list[int] = []

    def enqueue(_: Any) -> int:
        ran.append(1)
        begun.set()
        assert released.wait(60)
        return 7

    shared = fh.Work("slow work", enqueue).shared()
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(shared.sync()), daemon=True) for _ in range(3)]
    threads[0].start()
    assert begun.wait(60)
    for thread in threads[1:]:
        thread.start()
    waiting = vars(operation)["_WAITING"]
    for _ in range(6000):
        if len(waiting) == 2:
            break
        threading.Event().wait(0.01)
    assert len(waiting) == 2
    released.set()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert (found, ran) == ([7, 7, 7], [1])


def test_in_a_fork_nothing_is_left_of_checked_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = list[Any]()
    known: dict[str, Any] = {
        "logs": ["a log"],
        "fresh": ["a launch"],
        "captures": {1: ["a slot"]},
        "_room": {0: "words"},
    }
    for name, value in known.items():
        monkeypatch.setattr(checked, name, value)
    monkeypatch.setattr(checked, "never_drop", kept.append)
    checked._forget()
    assert kept == [["a log"], ["a launch"], {1: ["a slot"]}, {0: "words"}]
    assert not any(known.values())
