"""Threads on the stub driver: pairs of actions under schedules that are forced, and many while things go wrong."""

from __future__ import annotations

from collections.abc import Callable

from stub_printed import Printed


def test_no_schedule_with_one_switch_changes_a_result(on_stub: Callable[..., Printed]) -> None:
    found = on_stub("switches.py", "--sample", "40", fresh=True)
    assert found.status == 0, found
    assert "588 schedules" in " ".join(found.passed)


def test_without_locks_one_does(on_stub: Callable[..., Printed]) -> None:
    found = on_stub("switches.py", "--sample", "40", "--open", "--only", "two_writers", fresh=True)
    assert found.status == 1, found
    assert "another order of the streams gives another result" in " ".join(found.passed)


def test_processes_that_are_forked_at_any_step_of_another_thread(on_stub: Callable[..., Printed]) -> None:
    found = on_stub("forks.py", "--every", "97")
    assert found.status == 0, found
    assert "0 wrong" in " ".join(found.passed)


def test_threads_while_things_go_wrong(on_stub: Callable[..., Printed]) -> None:
    found = on_stub("soak.py", "--on-stub", "--threads", "6", "--steps", "4000")
    assert found.status == 0, found
    printed = " ".join(found.passed)
    assert "4000 steps of 6 threads over 4 streams: 0 wrong" in printed
    assert all(f"{what} " in printed for what in ("interrupted", "out of memory", "cancel", "foreign", "replay"))
