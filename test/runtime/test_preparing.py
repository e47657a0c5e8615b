"""Launches that are made ready beside one another: what is compiled, where and how often, on stand-ins of processes."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false

from __future__ import annotations

import pickle
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from freehold.backend import cache
from freehold.runtime.gpu import driver
from freehold.runtime.launch import preparing


class Other:
    """An operation that is no launch."""

    def __init__(self) -> None:
        self.prepared = 0

    def prepare(self) -> None:
        self.prepared += 1


class Launched:
    """A launch, whose kernel keeps what it is made ready for."""

    def __init__(self, kernel: Any, key: Any, looked: bool = True):
        looks = None if key is None else SimpleNamespace(key=key)
        self.checked = SimpleNamespace(dispatcher=kernel, looks=looks) if looked else None

    def looked_at(self) -> Any:
        return self.checked


class Kept:
    def __init__(self, fails: bool = False):
        self.kept: list[Any] = []
        self.fails = fails

    def keep(self, checked: Any) -> None:
        if self.fails:
            raise ValueError("refused")
        self.kept.append(checked)


def test_each_variant_is_made_ready_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[Any] = []
    monkeypatch.setattr(preparing, "Launch", Launched)
    monkeypatch.setattr(preparing, "_compile", compiled.extend)
    one, two, other = Kept(), Kept(), Other()
    launches = [Launched(one, "a"), Launched(one, "a"), Launched(one, "b"), Launched(two, "a")]
    unlike = [Launched(two, None), Launched(two, None), Launched(two, "c", looked=False)]
    given: list[Any] = [*launches, other, *unlike]
    preparing.prepare(given)
    assert other.prepared == 1
    assert [len(k.kept) for k in (one, two)] == [2, 3]  # nobody knows whether those without looks are alike
    assert compiled == [launch.checked for launch in (launches[0], *launches[2:], *unlike[:2])]
    failing: list[Any] = [Launched(Kept(fails=True), "a")]
    with pytest.raises(ValueError, match="refused"):
        preparing.prepare(failing)


class Worker:
    """A process: it answers each job with a line, and ends where it is told to."""

    made: list[Worker]

    def __init__(self, how: str = ""):
        self.jobs: list[bytes] = []
        self.how = how
        self.closed = self.ended = 0
        self.stdin = self.stdout = self

    def write(self, job: bytes) -> None:
        if self.how == "broken":
            raise BrokenPipeError
        self.jobs.append(job)

    def flush(self) -> None:
        pass

    def readline(self) -> bytes:
        return b"" if self.how == "ends" else b"done\n"

    def close(self) -> None:
        self.closed += 1

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.ended += 1


@pytest.mark.parametrize(
    ("count", "cores", "most"), [(3, 8, 0), (4, 8, 4), (4, 1, 0), (4, 2, 2), (9, 2, 2), (9, None, 0), (5, 3, 3)]
)
def test_how_many_processes_compile(count: int, cores: int | None, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Worker] = []
    jobs = [bytes([n]) for n in range(count)]
    monkeypatch.setattr(preparing.os, "cpu_count", lambda: cores)
    monkeypatch.setattr(preparing, "_jobs", lambda _: jobs)
    monkeypatch.setattr(preparing, "_worker", lambda: made.append(Worker()) or made[-1])
    preparing._compile([])
    assert (0 < len(made) <= most) if most else not made
    assert sorted(job for worker in made for job in worker.jobs) == (jobs if most else [])
    assert {(worker.closed, worker.ended) for worker in made} <= {(1, 1)}


@pytest.mark.parametrize("how", ["ends", "broken"])
def test_a_process_that_has_ended_is_replaced(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Worker] = []
    monkeypatch.setattr(preparing.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(preparing, "_jobs", lambda _: [b"job"] * 6)
    monkeypatch.setattr(preparing, "_worker", lambda: made.append(Worker(how)) or made[-1])
    preparing._compile([])
    assert len(made) == 6  # another one for each job
    assert {(worker.closed, worker.ended) for worker in made} == {(1, 1)}


def test_what_processes_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    class Kernel:
        def __init__(self, name: str):
            self.name = name

        def job(self, specialisation: str, arch: str) -> bytes | None:
            return None if specialisation == "known" else f"{self.name} {specialisation} {arch}".encode()

    def checked(kernel: Any, specialisation: str, device: int = 0) -> Any:
        bound = SimpleNamespace(specialisation=specialisation, device=device)
        return SimpleNamespace(dispatcher=SimpleNamespace(kernel=kernel), bound=bound)

    one, two, packed = Kernel("one"), Kernel("two"), SimpleNamespace()
    found: list[Any] = [
        *(checked(one, "a"), checked(one, "a"), checked(one, "b"), checked(one, "a", 1), checked(two, "a")),
        *(checked(two, "known"), checked(two, "c", -1), checked(packed, "a")),
    ]
    monkeypatch.setattr(cache, "open_cache", lambda: "cache")
    monkeypatch.setattr(cache, "identity", lambda: "assembler")
    monkeypatch.setattr(driver, "architecture", lambda device: f"sm_{90 + device}")
    assert preparing._jobs(found) == [b"one a sm_90", b"one b sm_90", b"one a sm_91", b"two a sm_90"]
    for name in ("open_cache", "identity"):
        with monkeypatch.context() as patch:
            patch.setattr(cache, name, lambda: None)
            assert preparing._jobs(found) == []


def test_a_process_is_told_where_modules_are(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    made = SimpleNamespace(stdin="in")
    monkeypatch.setattr(preparing.subprocess, "Popen", lambda command, **pipes: asked.append((command, pipes)) or made)
    monkeypatch.setattr(preparing.pickle, "dump", lambda what, file: asked.append((what, file)))
    assert preparing._worker() is made
    (command, pipes), told = asked
    assert command[1:] == ["-m", "freehold.runtime.jit.assembling"]
    assert set(pipes) == {"stdin", "stdout"}
    assert told == (preparing.sys.path, "in")


def test_a_process_answers_each_job_when_it_is_over() -> None:
    """Whatever became of it; what is printed meanwhile is no answer."""
    command = [sys.executable, "-c", "from freehold.runtime.jit.assembling import main; main()"]
    jobs = [pickle.dumps(pickle.dumps((None, None, None, None))), pickle.dumps(b"no pickle"), pickle.dumps(PRINTS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(pickle.dumps(sys.path))
        for job in jobs:
            process.stdin.write(job)
            process.stdin.flush()
            assert process.stdout.readline() == b"\n"
        process.stdin.close()
        assert process.stdout.read() == b""
        assert b"printed meanwhile" in process.stderr.read()
        assert process.wait() == 0


PRINTS = b"cbuiltins\nprint\n(Vprinted meanwhile\ntR."
"""A pickle that prints when it is read, which a test may make by hand."""
