"""Room for large modules: given while it is asked for by somebody, also in a process that was forked meanwhile."""

from __future__ import annotations

import gc
import os
import sys
import threading

import pytest

from freehold.support.large import MAX_NESTING, large

FORKS = hasattr(os, "fork") and sys.platform == "linux"


def now() -> tuple[int, bool]:
    return sys.getrecursionlimit(), gc.isenabled()


def test_the_first_and_the_last_decide() -> None:
    before = now()
    assert before[1]
    with large():
        assert now() == (40 * MAX_NESTING, False)
        with large():
            assert now() == (40 * MAX_NESTING, False)
        assert now() == (40 * MAX_NESTING, False)
    assert now() == before


def test_what_was_otherwise_before_is_so_again() -> None:
    limit = sys.getrecursionlimit()
    gc.disable()
    sys.setrecursionlimit(40 * MAX_NESTING + 7)
    try:
        with large():
            assert now() == (40 * MAX_NESTING + 7, False)
        assert now() == (40 * MAX_NESTING + 7, False)
    finally:
        gc.enable()
        sys.setrecursionlimit(limit)
    with pytest.raises(KeyError), large():
        raise KeyError
    assert now() == (limit, True)


@pytest.mark.skipif(not FORKS, reason="no forks")
def test_what_another_thread_had_open_ends_with_a_fork() -> None:
    opened, done = threading.Event(), threading.Event()

    def work() -> None:
        with large():
            opened.set()
            done.wait()

    before = now()
    other = threading.Thread(target=work)
    other.start()
    opened.wait()
    try:
        for own in (False, True):
            if own:
                with large():
                    assert in_a_fork() == (40 * MAX_NESTING, False)
            else:
                assert in_a_fork() == before
        assert now() == (40 * MAX_NESTING, False)
    finally:
        done.set()
        other.join()
    assert now() == before


def in_a_fork() -> tuple[int, bool]:
    """What a forked process finds."""
    reading, writing = os.pipe()
    if not (child := os.fork()):
        os.write(writing, repr(now()).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        limit, collects = pipe.read().strip("()").split(", ")
    return int(limit), collects == "True"
