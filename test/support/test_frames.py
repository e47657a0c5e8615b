"""Tracebacks of refusals: they lead through the program, and not through us; and all of it where that is asked for."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from subprocess import run

import numpy as np
import pytest

import freehold as fh
from freehold import Out, Ref
from freehold.support.frames import see_that_they_are_left_out

PROGRAM = """
import numpy as np
import freehold as fh
from freehold import Out, Ref


@fh.kernel
def double(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * {factor})


def train():
    double(fh.partition(np.zeros(64, np.float32), 64), np.ones({length}, np.float32)).{how}


train()
"""


@fh.kernel
def double(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * 2.0)


def launched(length: int) -> None:
    double(fh.partition(np.zeros(64, np.float32), 64), np.ones(length, np.float32)).sync()


def caught() -> fh.Rejected:
    with pytest.raises(fh.Rejected) as info:
        launched(3)
    return info.value


def test_a_traceback_has_the_programs_frames() -> None:
    error = caught()
    files = {Path(frame.filename).name for frame in traceback.extract_tb(error.__traceback__)}
    assert files == {"test_frames.py"}
    assert "launched(3)" in "".join(traceback.format_exception(error))


def test_all_frames_are_kept_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FREEHOLD_TRACEBACK", "full")
    files = {Path(frame.filename).name for frame in traceback.extract_tb(caught().__traceback__)}
    assert {"test_frames.py", "launch.py", "binding.py"} <= files


def test_a_traceback_is_set_and_raised_again() -> None:
    error = caught()
    whole = error.__traceback__
    error.__traceback__ = None
    assert error.__traceback__ is None
    with pytest.raises(fh.Rejected) as again:
        raise error.with_traceback(whole)
    assert again.value is error


@pytest.mark.parametrize(
    ("factor", "length", "how"), [("2.0", "3", "sync()"), ("2.0", "3", "on()"), ("unknown", "64", "sync()")]
)
def test_an_uncaught_one_shows_the_program_alone(tmp_path: Path, factor: str, length: str, how: str) -> None:
    path = tmp_path / "train.py"
    path.write_text(PROGRAM.format(factor=factor, length=length, how=how))
    for full in (False, True):
        env = {**os.environ, "FREEHOLD_TRACEBACK": "full" if full else ""}
        ran = run([sys.executable, str(path)], capture_output=True, text=True, check=False, env=env)
        assert ran.returncode == 1
        frames = [line for line in ran.stderr.splitlines() if line.startswith("  File ")]
        assert [f for f in frames if "train.py" not in f] == [] or full
        assert len(frames) == 2 or (full and len(frames) > 2)
        assert "Error: error[O" in ran.stderr


class Refusal(Exception):
    """Something that a program is told."""


@pytest.mark.parametrize(
    ("version", "theirs", "changed"), [((3, 12), False, True), ((3, 13), False, False), ((3, 12), True, False)]
)
def test_pythons_own_hook_is_changed_where_it_has_to_be(
    version: tuple[int, int], theirs: bool, changed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not one that somebody has set, as notebooks do, and not in a Python that asks the exception."""
    hook: object = print if theirs else sys.__excepthook__
    monkeypatch.setattr(sys, "excepthook", hook)
    monkeypatch.setattr(sys, "version_info", version)
    see_that_they_are_left_out(Refusal)
    assert (sys.excepthook is not hook) == changed


def test_other_errors_are_shown_as_python_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[object] = []
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    monkeypatch.setattr(sys, "version_info", (3, 12))
    see_that_they_are_left_out(Refusal)
    show = sys.excepthook

    def note(*given: object) -> None:
        shown.append(given)

    monkeypatch.setattr(sys, "__excepthook__", note)
    other = ValueError("something else")
    show(ValueError, other, None)
    assert shown == [(ValueError, other, None)]
    assert capsys.readouterr().err == ""
    show(Refusal, Refusal("refused"), None)
    assert len(shown) == 1
    assert capsys.readouterr().err.endswith("Refusal: refused\n")
