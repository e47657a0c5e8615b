"""What a notebook shows where a kernel stops: its lines, calls and variables, each time the debugger asks."""

from __future__ import annotations

import bdb
import io
import pdb
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import freehold as fh
from freehold import Out, Ref
from freehold.runtime.interpreter.stopped_view import StoppedView


def halved(t: Any) -> Any:
    half = t / 2
    return half + 0.0


@fh.kernel
def kernel(y: Out["M", "N"], x: Ref["M", "N"]):
    i, _ = y.index
    tile = x.load_like(y)
    if i == 1:
        breakpoint()
        tile = halved(tile)
    y.store(tile)


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> list[StoppedView]:
    """What a notebook was given to show."""
    found: list[StoppedView] = []
    display: Any = ModuleType("IPython.display")
    display.display = found.append
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)
    monkeypatch.setattr(pdb, "set_trace", pdb.pm)  # any function of pdb's; pytest's is in its place
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)
    return found


def run(monkeypatch: pytest.MonkeyPatch, *commands: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{command}\n" for command in commands)))
    x = np.arange(32, dtype=np.float32).reshape(8, 4)
    x[5, 1] = np.nan
    kernel(fh.partition(np.empty_like(x), (4, 4)), x).sync()


def parts(view: StoppedView, path: str) -> list[str]:
    """The texts of an element's kind; that it can be parsed says that it is well formed."""
    html = view._repr_html_().replace("&rarr;", "->")  # pyright: ignore[reportPrivateUsage] -- notebooks call it
    return ["".join(e.itertext()) for e in ElementTree.fromstring(html).iterfind(path)]


def test_each_stop_is_shown_with_its_variables(monkeypatch: pytest.MonkeyPatch, displayed: list[StoppedView]) -> None:
    run(monkeypatch, "step", "step", "continue")
    first, second, third = displayed
    assert repr(first).startswith("<kernel in block (1, 0), line ")
    assert parts(first, ".//b")[0] == "block (1, 0)"
    assert "breakpoint()" in parts(first, ".//b")[1]
    assert "tile = halved(tile)" in parts(second, ".//b")[1]
    assert "half = t / 2" in parts(third, ".//b")[1]
    rows = parts(first, ".//tr")
    assert any(row.startswith("ytensor float32 8 x 4, region (1, 0) of (4, 4)") for row in rows)
    assert any(row.startswith("tiletile float32 4 x 4[[16. 17. 18. 19.]") for row in rows)
    assert "iint1" in rows


def test_a_tile_is_a_picture_and_what_is_not_finite_is_red(
    monkeypatch: pytest.MonkeyPatch, displayed: list[StoppedView]
) -> None:
    run(monkeypatch, "continue")
    (view,) = displayed
    html = view._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert html.count("<rect ") == 16
    assert html.count("#d33") == 1


def test_nothing_is_shown_elsewhere(
    monkeypatch: pytest.MonkeyPatch, displayed: list[StoppedView], capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "ipykernel")
    with pytest.raises(bdb.BdbQuit):
        run(monkeypatch, "quit")
    assert not displayed
    assert "(Pdb)" in capsys.readouterr().out


@pytest.mark.parametrize("shape", [(), (100,), (3, 70), (2, 2, 2)])
def test_tiles_of_every_rank_can_be_shown(shape: tuple[int, ...]) -> None:
    def function(t: Any) -> Any:
        yield t

    standing: Callable[..., Any] = function(np.zeros(shape))  # pyright: ignore[reportAssignmentType]
    next(standing)  # pyright: ignore[reportArgumentType, reportCallIssue]
    view = StoppedView([standing.gi_frame], "0")  # pyright: ignore[reportFunctionMemberAccess]
    assert parts(view, ".//tr")[1].startswith("ttile float64")
