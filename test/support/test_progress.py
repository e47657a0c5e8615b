"""How far something is: shown where somebody looks on, and never in the way of what is done."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from functools import partial

import pytest

from freehold.support import progress as module
from freehold.support.progress import VARIABLE, progress


class Terminal(io.StringIO):
    """Standard error, as a terminal or not."""

    def __init__(self, terminal: bool):
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


class Clock:
    """A clock that goes on by a second whenever it is asked."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tqdm, and a clock of our own."""
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    kind = module._Line  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(module, "_Line", partial(kind, clock=Clock()))


def shown(monkeypatch: pytest.MonkeyPatch, terminal: bool, asked: str | None, count: int = 12) -> str:
    error = Terminal(terminal)
    monkeypatch.setattr(sys, "stderr", error)
    monkeypatch.setenv(VARIABLE, asked) if asked is not None else monkeypatch.delenv(VARIABLE, raising=False)
    assert list(progress(range(count), "tiles")) == [*range(count)]
    return error.getvalue()


@pytest.mark.usefixtures("lines")
@pytest.mark.parametrize(("terminal", "asked"), [(False, None), (False, "0"), (True, "0")])
def test_nothing_is_shown_where_nobody_looks(monkeypatch: pytest.MonkeyPatch, terminal: bool, asked: str) -> None:
    assert shown(monkeypatch, terminal, asked) == ""


@pytest.mark.usefixtures("lines")
def test_a_terminal_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(monkeypatch, True, None)
    assert text.split("\r")[1] == "tiles: 2 of 12, 2 s"
    assert "tiles: 12 of 12, 12 s" in text
    assert "\n" not in text
    assert text.split("\r")[-2:] == [" " * len("tiles: 12 of 12, 12 s"), ""]


@pytest.mark.usefixtures("lines")
def test_a_file_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, False, "1") == "tiles: 2 of 12, 2 s\ntiles: 7 of 12, 7 s\ntiles: 12 of 12, 12 s\n"


@pytest.mark.usefixtures("lines")
def test_what_is_short_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, True, None, count=1) == ""


@pytest.mark.usefixtures("lines")
def test_items_may_be_unknown_in_number_and_end_in_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def items() -> Iterator[int]:
        yield from range(3)
        raise KeyboardInterrupt

    error = Terminal(True)
    monkeypatch.setattr(sys, "stderr", error)
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(KeyboardInterrupt):
        list(progress(items(), "tiles"))
    assert "\rtiles: 3, 3 s" in error.getvalue()
    assert error.getvalue().endswith("\r")


def test_tqdm_is_used_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    monkeypatch.setattr(module, "SILENT", 0.0)
    assert "tiles:   0%" in shown(monkeypatch, True, None)
