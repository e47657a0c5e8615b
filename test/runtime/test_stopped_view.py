"""What a notebook shows where a kernel stops: its lines, calls and variables, each time the debugger asks."""

from __future__ import annotations

import bdb
import io
import pdb
import re
import sys
from pathlib import Path
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


def test_a_stop_is_shown_as_it_was_when_the_kernel_has_gone_on() -> None:
    running = counting()
    next(running)
    view = StoppedView([running.gi_frame], "0")
    line = repr(view)
    assert [next(running), next(running)] == [2, 3]
    assert parts(view, ".//tr")[1] == "countint1"
    assert repr(view) == line
    assert list(running) == []
    assert parts(view, ".//tr")[1] == "countint1"


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


def standing(t: Any) -> Any:
    yield t


def counting() -> Any:
    count = 0
    while count < 3:
        count += 1
        yield count


def shown(value: Any) -> StoppedView:
    """A function that stands, and has one variable."""
    running = standing(value)
    next(running)
    return StoppedView([running.gi_frame], "0")


@pytest.mark.parametrize("shape", [(), (100,), (3, 70), (2, 2, 2)])
def test_tiles_of_every_rank_can_be_shown(shape: tuple[int, ...]) -> None:
    assert parts(shown(np.zeros(shape)), ".//tr")[1].startswith("ttile float64")


def squares(value: Any) -> list[tuple[int, int, int, str]]:
    """The squares of a picture: where each is, how large, and its colour."""
    html = shown(value)._repr_html_().replace("&rarr;", "->")  # pyright: ignore[reportPrivateUsage]
    found = ElementTree.fromstring(html).findall(".//rect")
    assert all(each.get("width") == each.get("height") for each in found)
    return [(*(int(each.get(k, "")) for k in ("x", "y", "width")), each.get("fill", "")) for each in found]  # pyright: ignore[reportReturnType]


def test_dark_is_great() -> None:
    row = squares(np.array([[0.0, 1.0], [np.inf, 0.5]]))
    assert row == [
        (0, 0, 6, "hsl(210,60%,90%)"), (6, 0, 6, "hsl(210,60%,25%)"), (0, 6, 6, "#d33"), (6, 6, 6, "hsl(210,60%,58%)"),
    ]  # fmt: skip
    assert {colour for *_, colour in squares(np.full(3, 7))} == {"hsl(210,60%,58%)"}  # none is greater than another
    assert {colour for *_, colour in squares(np.full(3, np.nan))} == {"#d33"}


@pytest.mark.parametrize(
    ("shape", "rows", "columns", "size"),
    [((16,), 1, 16, 6), ((17,), 1, 17, 3), ((32,), 1, 32, 3), ((33,), 1, 17, 3), ((2, 64), 2, 32, 3),
     ((65, 2), 22, 2, 3), ((4, 4), 4, 4, 6)],
)  # fmt: skip
def test_long_axes_are_shown_by_some_of_their_elements(shape: Any, rows: int, columns: int, size: int) -> None:
    value: Any = np.zeros(shape)
    found = squares(value)
    assert [(x, y) for x, y, *_ in found] == [(x * size, y * size) for y in range(rows) for x in range(columns)]
    html = shown(value)._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert f'<svg width="{columns * size}" height="{rows * size}">' in html


@pytest.mark.parametrize("value", [3, np.zeros((0, 2)), np.zeros((1, 1, 1)), np.zeros(())])
def test_what_is_no_tile_of_one_or_two_axes_has_no_picture(value: Any) -> None:
    assert squares(value) == []


def test_lines_around_where_it_stands_and_values_cut_short() -> None:
    view = shown("x" * 300)
    here = view.calls[-1][1]
    html = view._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert f"<b>&rarr; {here:4}      yield t</b>" in html
    text = Path(__file__).read_text(encoding="utf-8").splitlines()
    around = [n for n in range(here - 4, here + 5) if n != here and text[n - 1].strip()]
    assert [int(n) for n in re.findall(r"^  ( *\d+)  ", html, re.MULTILINE)] == around
    (row,) = parts(view, ".//tr")[1:]
    assert row == "tstr" + "'" + "x" * 199


def test_values_of_tiles_are_told_by_their_ends() -> None:
    assert "..." not in parts(shown(np.arange(40)), ".//tr")[1]
    assert parts(shown(np.arange(41)), ".//tr")[1] == "ttile int64 41[ 0  1 ... 39 40]"
    assert parts(shown(np.array([1 / 3])), ".//tr")[1] == "ttile float64 1[0.3333]"


def test_shades_count_from_the_least_to_the_greatest() -> None:
    assert [colour for *_, colour in squares(np.array([2.0, 3.0, 4.0]))] == [
        "hsl(210,60%,90%)", "hsl(210,60%,58%)", "hsl(210,60%,25%)",
    ]  # fmt: skip
