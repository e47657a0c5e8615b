"""Waiting without blocking: an event that a thread has waited for serves the next wait on its stream."""

from __future__ import annotations

from typing import Any

import pytest

from freehold.runtime.operations import waiting

recorded = waiting._recorded  # pyright: ignore[reportPrivateUsage] -- events are nobody else's business
put_back = waiting._put_back  # pyright: ignore[reportPrivateUsage] -- as above


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
