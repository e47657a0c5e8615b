"""Waiting without blocking: an event that a thread has waited for serves the next wait on its stream."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false

from __future__ import annotations

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
