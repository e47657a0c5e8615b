"""
Tests in several processes that are forked when all tests are collected, so that what they import is imported once.

`pytest --forks N` runs tests in N processes, each a part of the list; whoever is done takes half of what another has
left, whole files as far as there are several: what a file's tests share is made once. Where a test ends its process, it
has failed, and a new fork goes on with the rest. Reports are those of one process: the origin shows them, and runs no
test itself. `pytest -n N` of pytest-xdist collects in every process and works wherever Python does; this needs Linux,
an origin without threads, and no GPU, whose driver survives no fork.
"""

from __future__ import annotations

import atexit
import fcntl
import mmap
import os
import pickle
import selectors
import signal
import struct
import sys
import threading
import traceback
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from _pytest.config import create_terminal_writer

LENGTH = struct.Struct("I")
NONE = -1


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--forks", type=int, default=0, help="run tests in as many processes, forked when all are collected"
    )


def pytest_configure(config: pytest.Config) -> None:
    processes: int = config.option.forks
    if processes and not config.option.collectonly:
        config.pluginmanager.register(Origin(processes), "forking-origin")


class Shares:
    """Who runs which tests, in memory that all processes share: of each the tests from `begin` to `end`."""

    _FIELDS = ("begin", "end", "current", "following")

    def __init__(self, files: Sequence[Path], processes: int) -> None:
        """Of each test the file that it is in."""
        tests = len(files)
        self._processes = processes
        self._files = [n for n in range(1, tests) if files[n] != files[n - 1]]
        folders = [n for n in self._files if files[n].parent != files[n - 1].parent]
        size = 4 * (len(self._FIELDS) * processes + 1)
        self._file = os.memfd_create("shares")
        os.ftruncate(self._file, size)
        self._memory = memoryview(mmap.mmap(self._file, size)).cast("i")
        cuts = [_nearest(folders, tests * n // processes, tests // (4 * processes)) for n in range(1, processes)]
        for process, (begin, end) in enumerate(pairwise((0, *cuts, tests))):
            self._set(process, "begin", begin)
            self._set(process, "end", end)
            self.note(process, NONE, NONE)

    def _at(self, process: int, name: str) -> int:
        return len(self._FIELDS) * process + self._FIELDS.index(name)

    def _get(self, process: int, name: str) -> int:
        return self._memory[self._at(process, name)]

    def _set(self, process: int, name: str, value: int) -> None:
        self._memory[self._at(process, name)] = value

    @contextmanager
    def _locked(self) -> Generator[None]:
        fcntl.lockf(self._file, fcntl.LOCK_EX)  # of a process, which loses it however it ends
        try:
            yield
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN)

    def take(self, process: int) -> int:
        """The next test of a process, half of whose most loaded neighbour's become its own where it has none left."""
        with self._locked():
            begin, end = self._get(process, "begin"), self._get(process, "end")
            if begin == end:
                other = max(range(self._processes), key=lambda p: self._get(p, "end") - self._get(p, "begin"))
                first, end = self._get(other, "begin"), self._get(other, "end")
                if first == end:
                    return NONE
                begin = _nearest(self._files, (first + end) // 2, (end - first) // 3)
                self._set(other, "end", begin)
                self._set(process, "end", end)
            self._set(process, "begin", begin + 1)
            return begin

    def note(self, process: int, current: int, following: int) -> None:
        """What a process runs, and what it will run then: it is lost where the process ends."""
        self._set(process, "current", current)
        self._set(process, "following", following)

    def noted(self, process: int) -> tuple[int, int]:
        """What a process ran last, and would have run then."""
        return self._get(process, "current"), self._get(process, "following")

    @property
    def stopped(self) -> bool:
        """Whether no further test is begun."""
        return bool(self._memory[-1])

    def stop(self) -> None:
        """Lets no further test begin."""
        self._memory[-1] = 1

    def close(self) -> None:
        """Ends it, where nobody will ask any more."""
        os.close(self._file)


def _nearest(cuts: Sequence[int], place: int, most: int) -> int:
    """Of some places to cut at the nearest to one, at most so far away; else that itself."""
    return min((cut for cut in cuts if abs(cut - place) <= most), key=lambda cut: abs(cut - place), default=place)


@dataclass
class Fork:
    """A process that runs tests, as the origin sees it."""

    number: int
    pid: int
    pipe: int
    received: bytearray = field(default_factory=bytearray)
    done: bool = False

    def messages(self) -> Iterator[tuple[Any, ...]]:
        """What has arrived whole."""
        while len(self.received) >= LENGTH.size:
            end = LENGTH.size + LENGTH.unpack_from(self.received)[0]
            if len(self.received) < end:
                return
            yield pickle.loads(bytes(self.received[LENGTH.size : end]))
            del self.received[:end]


class Origin:
    """Forks, gives out the tests, and hands every report on to pytest."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._forks: dict[int, Fork] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Instead of the loop that runs tests here."""
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            return None  # pytest says so
        assert len(os.listdir("/proc/self/task")) == 1, f"forks would lack threads: {threading.enumerate()}"
        shares = Shares([item.path for item in session.items], self._processes)
        try:
            for number in range(self._processes):
                self._start(session, shares, number)
            self._serve(session, shares)
        finally:
            for fork in self._forks.values():
                os.kill(fork.pid, signal.SIGKILL)
                os.waitpid(fork.pid, 0)
                os.close(fork.pipe)
            shares.close()
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        return True

    def _start(self, session: pytest.Session, shares: Shares, number: int) -> None:
        ours, theirs = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(ours)
            for fork in self._forks.values():
                os.close(fork.pipe)
            _become(session, shares, number, theirs)
        os.close(theirs)
        self._forks[ours] = Fork(number, pid, ours)

    def _serve(self, session: pytest.Session, shares: Shares) -> None:
        """Until no fork is left."""
        with selectors.DefaultSelector() as ready:
            while self._forks:
                for pipe in self._forks.keys() - ready.get_map().keys():
                    ready.register(pipe, selectors.EVENT_READ)
                for key, _ in ready.select():
                    fork = self._forks[key.fd]
                    data = os.read(key.fd, 1 << 20)
                    fork.received += data
                    for message in fork.messages():
                        self._heed(session, fork, *message)
                    if session.shouldfail or session.shouldstop:
                        shares.stop()
                    if not data:
                        ready.unregister(key.fd)
                        self._ended(session, shares, fork)

    def _heed(self, session: pytest.Session, fork: Fork, what: str, *data: Any) -> None:
        hook = session.config.hook
        if what == "ran":
            number: int = data[0]
            item = session.items[number]
            hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
            for report in data[1]:
                report = hook.pytest_report_from_serializable(config=session.config, data=report)
                hook.pytest_runtest_logreport(report=report)
            hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        elif what == "warned":
            hook.pytest_warning_recorded.call_historic(kwargs=data[0])
        elif what == "exit":
            pytest.exit(*data)
        elif what == "error":
            raise RuntimeError(data[0])
        else:
            fork.done = True

    def _ended(self, session: pytest.Session, shares: Shares, fork: Fork) -> None:
        os.close(fork.pipe)
        del self._forks[fork.pipe]
        status = os.waitstatus_to_exitcode(os.waitpid(fork.pid, 0)[1])
        if fork.done:
            return
        current, following = shares.noted(fork.number)
        how = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
        if current != NONE:
            item = session.items[current]
            why = f"the process that ran {item.nodeid} ended with {how}"
            report = pytest.TestReport(item.nodeid, item.location, {}, "failed", why, "call")
            session.config.hook.pytest_runtest_logreport(report=report)
        elif following == NONE:
            raise RuntimeError(f"a process that ran no test ended with {how}")
        if session.shouldfail or session.shouldstop:
            shares.stop()
        shares.note(fork.number, NONE, following)
        self._start(session, shares, fork.number)


class Silent:
    """In the place of what shows the reports: where plugins write that have no time for a report."""

    def __init__(self, config: pytest.Config) -> None:
        self._tw = create_terminal_writer(config, sys.__stderr__)


class Runner:
    """Runs tests in a fork, and tells the origin of them."""

    def __init__(self, session: pytest.Session, shares: Shares, number: int, pipe: int) -> None:
        self._session, self._shares, self._number, self._pipe = session, shares, number, pipe
        self._reports: list[Any] = []
        self.listening = False

    def tell(self, *message: Any) -> None:
        """Tells the origin, all at once."""
        data = pickle.dumps(message)
        data = memoryview(LENGTH.pack(len(data)) + data)
        while data:
            data = data[os.write(self._pipe, data) :]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keeps what is told when the test has ended."""
        config = self._session.config
        self._reports.append(config.hook.pytest_report_to_serializable(config=config, report=report))

    def pytest_warning_recorded(
        self, warning_message: warnings.WarningMessage, when: str, nodeid: str, location: Any
    ) -> None:
        """Hands on a warning; those of the collection, of which pytest tells whoever comes later, are known."""
        if not self.listening:
            return
        told = {"warning_message": warning_message, "when": when, "nodeid": nodeid, "location": location}
        try:
            self.tell("warned", told)
        except (pickle.PicklingError, AttributeError, TypeError):  # it holds what no other process can have
            told["warning_message"] = warnings.WarningMessage(
                str(warning_message.message), Warning, warning_message.filename, warning_message.lineno
            )
            self.tell("warned", told)

    def run(self) -> None:
        """Until there is nothing left to take."""
        items, shares = self._session.items, self._shares
        current = shares.noted(self._number)[1]  # of a process that has ended
        if current == NONE:
            current = shares.take(self._number)
        while current != NONE and not shares.stopped:
            following = shares.take(self._number)
            shares.note(self._number, current, following)
            item, then = items[current], items[following] if following != NONE else None
            self._session.config.hook.pytest_runtest_protocol(item=item, nextitem=then)
            self.tell("ran", current, self._reports)
            shares.note(self._number, NONE, following)
            self._reports, current = [], following
        if current != NONE:  # stopped: what the next test would have shared is taken down
            cast(Any, self._session)._setupstate.teardown_exact(None)


def _become(session: pytest.Session, shares: Shares, number: int, pipe: int) -> None:
    """Makes of a fork one that runs tests; never returns."""
    manager = session.config.pluginmanager
    runner = Runner(session, shares, number, pipe)
    try:
        for name in ("terminalreporter", "forking-origin"):
            manager.unregister(name=name)
        manager.register(Silent(session.config), "terminalreporter")
        capturing: Any = manager.getplugin("capturemanager")
        capturing.stop_global_capturing()  # into files that all forks would write
        capturing.start_global_capturing()
        capturing.suspend_global_capture()
        manager.register(runner, "forking-runner")
        runner.listening = True
        runner.run()
        runner.tell("done")
    except pytest.exit.Exception as e:
        runner.tell("exit", e.msg, e.returncode)
    except KeyboardInterrupt:
        os._exit(2)  # so was the origin
    except BaseException:
        runner.tell("error", "".join(traceback.format_exception(*sys.exc_info())))
    finally:
        atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage] -- what a process does that ends by itself
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(0)
