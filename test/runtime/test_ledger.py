"""The ledger by itself: who waits for whom, on streams that only write down what they are asked, and on threads."""

from __future__ import annotations

import random
import threading
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from counting import steps

import freehold as fh
from freehold.runtime.base.locks import lock
from freehold.runtime.gpu import captures, driver
from freehold.runtime.gpu.timeline import MOST_KEPT, HostTimeline, Timeline, host_timeline, later, let_go
from freehold.runtime.memory import ledger
from freehold.runtime.memory import storage as storage_module
from freehold.runtime.memory.arguments import view
from freehold.runtime.memory.ledger import Refusal, enqueue
from freehold.runtime.memory.storage import Outside, Storage


def capturing(stream: Stream) -> bool:
    """Stands for the driver's."""
    return stream.capturing


def exchange(mode: object = None) -> None:
    """As above."""


@pytest.fixture(autouse=True)
def without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is none to make current here."""
    monkeypatch.setattr(driver, "on_device", nullcontext)
    monkeypatch.setattr(driver, "exchange_capture_mode", exchange)
    monkeypatch.setattr(driver, "is_capturing", capturing)


class Event:
    """Done when somebody says so."""

    def __init__(self, after: int):
        self.after = after
        self.is_done = False

    def sync(self) -> None:
        self.is_done = True


class Stream:
    """Counts what is enqueued, and writes down what it waits for: (stream, how much of it)."""

    def __init__(self) -> None:
        self.work = 0
        self.events: list[Event] = []
        self.waits: list[tuple[Stream, int]] = []
        self.capturing = False

    def record(self) -> Event:
        self.events.append(Event(self.work))
        _OWNER[id(self.events[-1])] = self
        return self.events[-1]

    def wait(self, event: Event) -> None:
        self.waits.append((_OWNER[id(event)], event.after))


_OWNER: dict[int, Stream] = {}


class Handle:
    """A part of an allocation."""

    def __init__(self, storage: Storage, low: int = 0, high: int | None = None):
        self.storage, self.space, self.epoch = storage, storage.space, storage.epoch
        self.low = storage.address + low
        self.high = storage.address + (storage.nbytes if high is None else high)


def streams(count: int) -> list[Timeline]:
    return [Timeline(0, Stream()) for _ in range(count)]


def memory() -> Handle:
    return Handle(Storage(4096, 1024, 0, None))


def run(user: Timeline, reads: list[Any], writes: list[Any]) -> None:
    """Enqueues one operation."""

    def work() -> None:
        user.stream.work += 1

    enqueue(user, reads, writes, work)


def nothing() -> None:
    """Work that is none."""


def waits(user: Timeline) -> list[tuple[Stream, int]]:
    """What a stream was made to wait for since this was last asked."""
    found = list(user.stream.waits)
    user.stream.waits.clear()
    return found


def test_one_stream_records_nothing() -> None:
    (a,) = streams(1)
    x, y = memory(), memory()
    for _ in range(10):
        run(a, [x], [y])
    assert not a.stream.events
    assert x.space.sole is a


def test_a_write_is_waited_for_by_others_once() -> None:
    a, b = streams(2)
    x = memory()
    run(a, [], [x])
    run(b, [x], [])
    assert waits(b) == [(a.stream, 1)]
    run(b, [x], [])
    run(b, [x], [])
    assert waits(b) == []
    run(a, [], [x])
    assert waits(a) == [(b.stream, 3)]
    assert x.space.sole is a


def test_readers_do_not_wait_for_readers() -> None:
    a, b, c = streams(3)
    x = memory()
    run(a, [], [x])
    for reader in (b, c):
        run(reader, [x], [])
        assert waits(reader) == [(a.stream, 1)]
    assert len(a.stream.events) == 1  # one event serves both
    run(a, [x], [])
    assert waits(a) == []
    run(b, [], [x])
    assert sorted(found.work for found, _ in waits(b)) == [1, 2]


def test_parts_that_do_not_overlap_are_not_in_order() -> None:
    a, b, c = streams(3)
    storage = Storage(4096, 1024, 0, None)
    left, right, whole = Handle(storage, 0, 512), Handle(storage, 512, 1024), Handle(storage)
    run(a, [], [whole])
    run(b, [], [left])
    run(c, [], [right])
    assert waits(b) == waits(c) == [(a.stream, 1)]
    run(b, [], [left])
    run(c, [], [right])
    assert waits(b) == waits(c) == []
    run(a, [whole], [])
    assert {(id(stream), work) for stream, work in waits(a)} == {(id(b.stream), 2), (id(c.stream), 2)}


def test_what_is_done_is_not_waited_for() -> None:
    a, b = streams(2)
    x = memory()
    run(a, [], [x])
    a.mark()[1].is_done = True
    run(b, [x], [])
    assert waits(b) == []
    assert a.finished == 1


def test_all_leases_or_none() -> None:
    a, b = streams(2)
    x, y = memory(), memory()
    run(a, [], [x, y])
    held = ledger.hold([y], "borrowed", "the host", exclusive=True)
    with pytest.raises(Refusal):
        run(b, [x, y], [])
    assert waits(b) == []
    assert b.now == 0
    assert all(user is a for user, *_ in (*x.space.uses, *y.space.uses))
    held.release()
    run(b, [x, y], [])
    assert waits(b) == [(a.stream, 1)]


@pytest.mark.parametrize(
    ("exclusive", "write", "stops"), [(True, True, 1), (True, False, 1), (False, True, 1), (False, False, 0)]
)
def test_holds(exclusive: bool, write: bool, stops: int) -> None:
    (a,) = streams(1)
    storage = Storage(4096, 1024, 0, None)
    part, other = Handle(storage, 0, 512), Handle(storage, 512, 1024)
    held = ledger.hold([part], "borrowed", "the host", exclusive=exclusive)
    run(a, [], [other])
    use: Callable[[], None] = lambda: run(a, [] if write else [part], [part] if write else [])  # noqa: E731 -- used twice
    if stops:
        with pytest.raises(Refusal):
            use()
    held.release()
    held.release()
    use()


def test_a_hold_lets_its_own_operations_pass() -> None:
    (a,) = streams(1)
    x = memory()
    held = ledger.hold([x], "borrowed", "the host", exclusive=True)
    enqueue(a, [], [x], nothing, through=held)
    with pytest.raises(Refusal):
        ledger.hold([x], "borrowed", "the host", exclusive=False)


def test_a_hold_that_a_signal_interrupts_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    (a,) = streams(1)
    x, y = memory(), memory()
    seen: list[ledger.Space] = []

    def disturb(space: ledger.Space) -> None:
        seen.append(space)
        if len(seen) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(ledger.Space, "disturb", disturb)
    with pytest.raises(KeyboardInterrupt):
        ledger.hold([x, y], "borrowed", "the host", exclusive=True)
    run(a, [], [x, y])
    assert a.now == 1


def test_moves_end_the_handles_of_the_bytes_moved() -> None:
    (a,) = streams(1)
    storage = Storage(4096, 1024, 0, None)
    left, right, whole = Handle(storage, 0, 512), Handle(storage, 512, 1024), Handle(storage)
    run(a, [left], [right])
    storage.move(left, None)
    run(a, [], [right])
    for gone in (left, whole):
        with pytest.raises(Refusal):
            run(a, [gone], [])
    owner = Handle(storage, 0, 512)
    run(a, [], [owner])
    storage.free(None)
    with pytest.raises(Refusal):
        run(a, [owner], [])


def test_a_handle_is_lost_where_any_of_its_bytes_were_moved_since() -> None:
    """Of all two moves among four words, and all handles made before, between and after them."""
    ranges = [(low, high) for low in range(0, 16, 4) for high in range(low + 4, 20, 4)]
    for moves in product(ranges, repeat=2):
        storage = Storage(4096, 16, 0, None)
        handles = [(Handle(storage, *some), {*range(*some)}, 0) for some in ranges]
        for number, moved in enumerate(moves, 1):
            assert storage.move(Handle(storage, *moved), None) == number
            handles += [(Handle(storage, *some), {*range(*some)}, number) for some in ranges]
        for handle, own, made in handles:
            lost = any(own & {*range(*moved)} for moved in moves[made:])
            assert storage.lost_to(handle) is lost, (moves, handle.low, handle.high, made)


@pytest.mark.parametrize(
    "cut", [(), (slice(None, None, -1),), (slice(1, 3), slice(None, None, -2)), (slice(2, 2),), (1,)]
)
def test_what_another_library_has_reaches_from_its_first_byte_to_its_last(cut: Any) -> None:
    array = np.zeros((4, 6), np.int32)[cut]
    found = storage_module.outside(view(array))
    assert (found.low, found.high) == (np.lib.array_utils.byte_bounds(array) if array.size else (found.low, found.low))
    assert found.space is storage_module.foreign_space(fh.HOST)
    assert not found.space.counted  # nobody tells what that library does
    assert found.space is not storage_module.foreign_space(0)


def test_who_writes_in_turn_with_a_reader_waits_for_what_it_read_and_no_more() -> None:
    """As inputs that the host writes while a stream works on others: it becomes known until when they are read."""
    (a,) = streams(1)
    x, y = memory(), memory()
    before = 0
    for turn in range(20):
        pending = x.space.conflicts(x.low, x.high, write=True)
        assert before in [tick for user, tick in pending if user is a] or turn < ledger.TURNS
        a.reach(before)
        enqueue(host_timeline(), [], [x], nothing)
        run(a, [x], [y])
        before = a.now
        run(a, [y], [])
    assert x.space.sole is None
    for _ in range(ledger.CALM):
        run(a, [x], [])
    assert x.space.sole is a


def test_a_graph_is_run_while_its_gpu_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default stream is called 0 on each: what is run there on another GPU, nobody on the graph's own waits for."""
    current, ran = [0], list[int]()

    @contextmanager
    def on_device(device: int) -> Generator[None]:
        current[:], before = [device], list(current)
        yield
        current[:] = before

    def run_graph(graph: object, handle: int) -> tuple[int]:
        ran.append(current[0])
        return (0,)

    api = SimpleNamespace(cuGraphLaunch=run_graph)

    def checked(_: str, found: Any) -> Any:
        return found

    fakes: dict[str, Any] = {"on_device": on_device, "api": lambda: api, "checked": checked}
    fakes["parts"] = lambda: (None, lambda: (0, current[0]))
    for name, value in fakes.items():
        monkeypatch.setattr(driver, name, value)
    monkeypatch.setattr(captures, "_several", lambda: True)
    for device in (1, 0, 1):
        captures.run_graph(object(), 0, device)
    assert ran == [1, 0, 1]
    assert current == [0]


def test_memory_of_other_libraries_is_ordered_by_its_bytes() -> None:
    a, b = streams(2)
    x, y = Outside(7, 4096, 8192), Outside(7, 8192, 9000)
    run(a, [], [x])
    assert x.space.sole is a
    a.stream.work += 1  # a launch that found itself alone and told nobody
    run(b, [y], [])
    assert waits(b) == [(a.stream, 2)]
    run(b, [], [y])
    run(a, [], [x])
    assert waits(a) == []
    run(b, [x], [])
    assert waits(b) == [(a.stream, 3)]


def test_what_another_library_captures_is_not_ordered_by_events() -> None:
    a, b, c = streams(3)
    x, y = memory(), Outside(8, 4096, 8192)
    for used in (x, y):
        run(a, [], [used])
        b.stream.capturing = True
        run(b, [used], [])
        assert waits(b) == []
        assert a.stream.events[-1].is_done  # it was waited for on the host
        count = len(b.stream.events)
        run(c, [], [used])
        b.stream.capturing = False
        assert len(b.stream.events) == count == 0
    held = ledger.hold([x], "borrowed", "the host", exclusive=True)
    b.stream.capturing = True
    with pytest.raises(Refusal):
        run(b, [x], [])
    held.release()


def test_uses_do_not_pile_up() -> None:
    users = streams(4)
    storage = Storage(4096, 1 << 20, 0, None)
    for n in range(5000):
        user = users[n % 4]
        run(user, [Handle(storage, n, n + 1)], [Handle(storage, n + (1 << 19), n + (1 << 19) + 1)])
        assert len(storage.space.uses) <= ledger.MOST_USES + 2
        assert all(event.after >= tick for other in users for tick, event in other.marks)
        for event in user.stream.events[: -8 if n % 3 else None]:
            event.is_done = True
        del user.stream.events[:-8]
        assert len(user.marks) <= ledger.MOST_USES + 8


@pytest.mark.parametrize("seed", range(3))
def test_uses_that_become_one_are_waited_for_until_the_last_is_over(seed: int) -> None:
    chosen = random.Random(seed)
    a, b = streams(2)
    storage = Storage(4096, 1 << 10, 0, None)
    run(b, [Handle(storage, 0, 1)], [])
    last: dict[int, int] = {}
    most = 0
    for _ in range(8 * ledger.MOST_USES):
        n = chosen.randrange(2, 2 * ledger.MOST_USES)
        run(a, [Handle(storage, n, n + 1)], [])
        last[n] = a.now
        most = max(most, len(storage.space.uses))
        for byte, tick in last.items():
            low = storage.address + byte
            waited = [found for user, found in storage.space.conflicts(low, low + 1, True) if user is a]
            assert max(waited) >= tick
    assert len(storage.space.uses) <= ledger.MOST_USES + 2
    assert len(last) > most  # so some became one


def test_threads_of_the_host_come_one_after_the_other_where_they_must() -> None:
    x, y = Handle(Storage(4096, 64, -1, None)), Handle(Storage(8192, 64, -1, None))
    inside = [0]
    most = [0]

    def work() -> None:
        own = host_timeline()

        def step() -> None:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            inside[0] -= 1

        for n in range(200):
            enqueue(own, [], [x, y] if n % 2 else [y, x], step)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    assert not any(thread.is_alive() for thread in threads)
    assert most == [1]


def test_an_operation_inside_another_one_of_its_thread() -> None:
    own = HostTimeline()
    other = HostTimeline()
    x = Handle(Storage(4096, 64, -1, None))

    def outer() -> None:
        enqueue(own, [x], [], nothing)
        assert not own.passed(1)
        assert x.space.conflicts(x.low, x.high, True) == [(own, 2)]

    enqueue(own, [], [x], outer)
    assert own.passed(2)
    enqueue(other, [], [x], nothing)


def test_a_gpu_waits_for_the_host_without_the_lock() -> None:
    (a,) = streams(1)
    x = memory()
    began, end = threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        end.wait(300)

    def host() -> None:
        enqueue(host_timeline(), [], [x], work)

    def take() -> None:
        with lock(0):
            pass

    thread = threading.Thread(target=host)
    thread.start()
    began.wait(100)
    second = threading.Thread(target=lambda: run(a, [x], []))
    second.start()
    third = threading.Thread(target=take, daemon=True)
    third.start()
    third.join(100)
    assert not third.is_alive()
    assert a.now == 0
    end.set()
    second.join(100)
    thread.join(100)
    assert a.now == 1


def test_a_lease_without_conflicts_takes_a_few_steps() -> None:
    (a,) = streams(1)
    x, y, z = memory(), memory(), memory()
    run(a, [x, y], [z])
    run(a, [], [x, y])

    def lease() -> None:
        with a.lock:
            ledger.lease(a, (x, y), (z,))

    assert steps(lease) < 34  # 20 or so


class Stops(dict[Any, int]):
    """Uses of a space, in which a signal's handler raises as soon as one is forgotten."""

    def __delitem__(self, key: Any) -> None:
        raise KeyboardInterrupt


def test_an_access_is_noted_before_those_it_replaces_are_forgotten() -> None:
    space = ledger.Space(0, 0, 64)
    reader, writer = (Timeline(0, Stream()) for _ in range(2))
    space.uses = Stops({(reader, 0, 64, False): 1})
    with pytest.raises(KeyboardInterrupt):
        space.note(writer, 0, 64, True, 1)
    assert {user for user, _ in space.conflicts(0, 64, True)} == {reader, writer}


def test_work_that_a_signal_interrupts_is_done_by_who_looks_next() -> None:
    tried: list[int] = []

    def work() -> None:
        tried.append(1)
        if len(tried) == 1:
            raise KeyboardInterrupt

    later(work)
    with pytest.raises(KeyboardInterrupt):
        let_go()
    let_go()
    let_go()
    assert len(tried) == 2


class Accesses:
    """All accesses so far, and what each of them is known to come after: a clock of all streams for each."""

    def __init__(self, users: list[Timeline]):
        self.users = users
        self.clocks: dict[int, list[dict[int, int]]] = {id(user.stream): [{}] for user in users}
        self.all: list[tuple[Timeline, int, Any, bool]] = []
        self.done: dict[int, int] = dict.fromkeys(self.clocks, 0)
        """How much of a stream the host knows to be done, which all that it enqueues later comes after."""

    def look(self) -> None:
        """Sees which events the host has waited for, or found done."""
        for user in self.users:
            over = max([0, *(event.after for event in user.stream.events if event.is_done)])
            for key, work in self.clocks[id(user.stream)][over].items():  # and with it all that it came after
                self.done[key] = max(work, self.done[key])

    def ordered(self, user: Timeline, reads: list[Any], writes: list[Any]) -> str:
        """Enters an operation that was enqueued, which comes after all that it must; returns what it waited for."""
        self.look()
        clocks = self.clocks[id(user.stream)]
        clock = dict(clocks[-1])
        waited: dict[int, int] = {}
        for stream, work in waits(user):
            waited[id(stream)] = work
            for key, value in self.clocks[id(stream)][work].items():
                clock[key] = max(value, clock.get(key, 0))
        for handle, write in [(h, False) for h in reads] + [(h, True) for h in writes]:
            for other, work, there, wrote in self.all:
                touches = there.space is handle.space and there.low < handle.high and handle.low < there.high
                key = id(other.stream)
                if other is not user and touches and (write or wrote):
                    assert max(clock.get(key, 0), self.done[key]) >= work
        number = len(clocks)
        clocks.append({**clock, id(user.stream): number})
        for other in self.users:  # and for nobody who has touched none of this memory in a way that matters
            if id(other.stream) in waited:
                assert any(
                    o is other and t.space is h.space and (h in writes or w)
                    for o, _, t, w in self.all
                    for h in (*reads, *writes)
                )
        self.all += [(user, number, h, False) for h in reads] + [(user, number, h, True) for h in writes]
        names = {id(u.stream): name for u, name in zip(self.users, "abcd", strict=True)}
        return " ".join(f"{names[key]}{work}" for key, work in sorted(waited.items(), key=lambda e: names[e[0]]))


def test_who_waits_for_whom_of_many(golden: Callable[[Path, str], None]) -> None:
    """Operations on two GPUs and the host: each comes after all that it must, and the whole is as it was."""
    lines: list[str] = []
    for seed in range(6):
        chosen = random.Random(seed)
        users = [*streams(3), Timeline(1, Stream())]
        seen = Accesses(users)
        stores = [Storage(4096 * (n + 1), 1024, n % 2, None) for n in range(3)]
        parts = [("x", 0, 1024), ("x", 0, 512), ("x", 512, 1024), ("x", 256, 768), ("y", 0, 1024), ("z", 0, 512)]
        handles = {f"{n}{low // 256}{high // 256}": Handle(stores["xyz".index(n)], low, high) for n, low, high in parts}
        held: list[Any] = []
        for _ in range(70):
            what, user = chosen.random(), chosen.choice(users)
            name = "abcd"[users.index(user)]
            reads, writes = (chosen.sample(sorted(handles), chosen.randrange(3)) for _ in range(2))
            if what < 0.1:
                left = [event for event in user.stream.events if not event.is_done]
                for event in left[: chosen.randrange(3)]:
                    event.is_done = True
                continue
            if what < 0.14:
                enqueue(host_timeline(), [handles[n] for n in reads], [handles[n] for n in writes], nothing)
                seen.look()
                for number in {*reads, *writes}:
                    pending = handles[number].space.conflicts(handles[number].low, handles[number].high, False)
                    assert all(u.passed(tick) for u, tick in pending)
                name, said = "host", "waits"
            elif what < 0.18 and reads:
                held.append(ledger.hold([handles[reads[0]]], "borrowed", "the host", exclusive=bool(writes)))
                held[-1].release()
                name, said = "host", "borrows"
            else:
                run(user, [handles[n] for n in reads], [handles[n] for n in writes])
                said = seen.ordered(user, [handles[n] for n in reads], [handles[n] for n in writes])
            sole = ["abcd"[users.index(s.space.sole)] if s.space.sole in users else "-" for s in stores]
            uses = ",".join(str(len(s.space.uses)) for s in stores)
            lines.append(f"{name} reads {','.join(reads)} writes {','.join(writes)}: {said} | {''.join(sole)} {uses}")
    golden(Path(__file__).with_name("ledger.txt"), "\n".join(lines))


class Thing:
    """What can be seen to be gone."""


def test_what_is_kept_until_a_tick_is_let_go_of_then() -> None:
    (a,) = streams(1)
    things = [Thing() for _ in range(4)]
    left = [weakref.ref(thing) for thing in things]
    for n in range(3):
        run(a, [], [memory()])
        a.keep(things[n])
    a.keep(things[3], 1)
    things.clear()
    assert [there() is None for there in left] == [False] * 4
    a.reach(2)
    assert [there() is None for there in left] == [True, True, False, True]
    a.reach(3)
    assert left[2]() is None
    assert not a.kept


def test_who_keeps_much_finds_out_what_is_done() -> None:
    (a,) = streams(1)
    for n in range(4 * MOST_KEPT):
        run(a, [], [memory()])
        a.keep(Thing())
        for event in a.stream.events:
            event.is_done = True
        assert len(a.kept) <= MOST_KEPT
        assert len(a.stream.events) <= 2 + 2 * n // MOST_KEPT
