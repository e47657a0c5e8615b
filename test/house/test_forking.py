"""Tests in forked processes are all run, once, and told of as those of one process are; what ends a process fails."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from forking import NONE, Shares

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="counts its threads in /proc, and forks")

HERE = Path(__file__).resolve().parents[1]

MADE = '''
"""What happens to tests."""

import os
import warnings
from pathlib import Path

import pytest

RAN = Path(__file__).with_name("ran")


@pytest.fixture(scope="module")
def shared():
    yield os.getpid()
    with RAN.open("a") as file:
        file.write(f"{os.getpid()} taken down\\n")


@pytest.mark.parametrize("n", range(40))
def test_passes(shared, n, tmp_path):
    assert shared == os.getpid()
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "its own").touch()
    with RAN.open("a") as file:
        file.write(f"{n}\\n")


def test_fails():
    print("said before")
    assert 1 + 1 == 3


def test_ends_its_process():
    os.kill(os.getpid(), 9)


def test_leaves():
    os._exit(7)


@pytest.mark.skip(reason="told so")
def test_is_skipped(): ...


@pytest.mark.xfail
def test_is_expected_to_fail():
    raise ValueError


def test_warns():
    warnings.warn("beware", UserWarning)


def test_has_its_output_alone(capfd):
    os.write(1, b"mine")
    assert capfd.readouterr().out == "mine"


@pytest.fixture
def broken():
    yield
    raise ValueError("at the end")


def test_cannot_be_taken_down(broken): ...
'''


def ran(folder: Path, made: str, *options: str) -> tuple[int, str, list[str]]:
    """The status, the output, and the lines that tests of these wrote."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_made.py").write_text(made, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "forking", "-p", "no:cacheprovider", "-q"]
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "NO_COLOR": "1", "COLUMNS": "120"}
    environment["PYTEST_DEBUG_TEMPROOT"] = str(folder)  # what others have left in a shared one is not its to clear
    done = subprocess.run(
        [*command, *options], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    written = folder / "ran"
    return done.returncode, done.stdout + done.stderr, written.read_text().split("\n")[:-1] if written.exists() else []


def test_reports_are_those_of_one_process(tmp_path: Path) -> None:
    status, output, lines = ran(tmp_path, MADE, "--forks", "3", "--durations=3")
    assert status == 1
    assert sorted(map(int, filter(str.isdigit, lines))) == list(range(40))
    assert any("taken down" in line for line in lines)
    assert "said before" in output
    assert "assert (1 + 1) == 3" in output
    assert "the process that ran test_made.py::test_ends_its_process ended with signal SIGKILL" in output
    assert "the process that ran test_made.py::test_leaves ended with status 7" in output
    assert "UserWarning: beware" in output
    assert "slowest 3 durations" in output
    assert "3 failed, 43 passed, 1 skipped, 1 xfailed, 1 warning, 1 error in" in output.splitlines()[-1]


@pytest.mark.parametrize(
    ("option", "counts"), [("-kpasses", "40 passed, 8 deselected in"), ("-kfails", "1 failed, 47 deselected in")]
)
def test_some_of_them(tmp_path: Path, option: str, counts: str) -> None:
    _, output, _ = ran(tmp_path, MADE, "--forks", "2", option)
    assert counts in output.splitlines()[-1]


STOPS = """
import os
import pytest

@pytest.mark.parametrize("n", range(2000))
def test_fails(n):
    assert n < 0
"""


def test_after_the_first_failure_no_more_begin(tmp_path: Path) -> None:
    status, output, _ = ran(tmp_path, STOPS, "--forks", "2", "-x", "--tb=no")
    assert status == 1
    assert "stopping after" in output
    counted = int(output.splitlines()[-1].split(" failed")[0].split()[-1])
    assert 1 <= counted < 2000


HANGS = """
import threading

def test_hangs():
    threading.Event().wait()

def test_passes(): ...
"""


def test_one_that_hangs_is_ended(tmp_path: Path) -> None:
    status, output, _ = ran(tmp_path, HANGS, "--forks", "1", "--timeout=1")
    assert status == 1
    assert "Timeout" in output
    assert "1 failed, 1 passed in" in output.splitlines()[-1]


BREAKS = """
import pytest

def test_passes(): ...

def test_leaves():
    pytest.exit("nothing works", returncode=9)
"""


def test_one_that_leaves_pytest_ends_all(tmp_path: Path) -> None:
    status, output, _ = ran(tmp_path, BREAKS, "--forks", "1")
    assert status == 9
    assert "nothing works" in output


@pytest.mark.parametrize("seed", range(20))
def test_every_test_is_taken_once(seed: int) -> None:
    choose = random.Random(seed)
    tests, processes = choose.randrange(60), choose.randrange(1, 6)
    files = sorted(Path(f"{choose.randrange(3)}/{choose.randrange(4)}") for _ in range(tests))
    shares = Shares(files, processes)
    taken: list[int] = []
    working = list(range(processes))
    while working:
        process = choose.choice(working)
        if (test := shares.take(process)) == NONE:
            working.remove(process)
        else:
            taken.append(test)
    shares.close()
    assert sorted(taken) == list(range(tests))


def test_files_are_taken_whole() -> None:
    """Where folders and files begin near the middle; a file that is all that is left is shared."""
    sizes = {"a/1": 20, "a/2": 25, "b/1": 30, "b/2": 12, "b/3": 5}
    files = [Path(name) for name, size in sizes.items() for _ in range(size)]
    shares = Shares(files, 2)
    assert [shares.take(1) for _ in range(47)] == list(range(45, 92))
    assert shares.take(1) == 20, "the second file of the first, and not the middle"
    assert [shares.take(0) for _ in range(20)] == list(range(20))
    assert shares.take(0) == 33, "the middle of what is left of the one file"
    shares.close()
