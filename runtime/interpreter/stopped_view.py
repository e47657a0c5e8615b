"""What a stop of the debugger looks like in a notebook: the lines around it, calls, variables and their values."""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Sequence
from html import escape
from types import FrameType
from typing import Any, Final, cast

import numpy as np

from freehold.runtime.interpreter.breakpoints import Tensor

AROUND: Final = 4
"""Lines in front of the one that comes next, and behind it."""
MOST_CELLS: Final = 32
"""Squares along an axis of a tile's picture; of longer axes every so-manieth element is shown."""
_STYLE: Final = "font-family:monospace;white-space:pre;text-align:left;vertical-align:top"


class StoppedView:
    """
    Where a kernel stands. Notebooks show it; its text is that of the line.

    All is read at the stop: the kernel goes on, and Python 3.13 may crash where variables of an ended call are read.
    """

    def __init__(self, frames: Sequence[FrameType], block: str):
        self.calls = [(frame.f_code.co_name, frame.f_lineno) for frame in frames]
        """The kernel's functions that are being run, the outermost first, and their lines that come next."""
        self.file = frames[-1].f_code.co_filename
        self.variables = dict(frames[-1].f_locals)
        """Those of the innermost function."""
        self.block = block
        """The coordinates of the tile block."""

    def __repr__(self) -> str:
        name, line = self.calls[-1]
        return f"<{name} in block {self.block}, line {line}>"

    def _repr_html_(self) -> str:
        calls = " &rarr; ".join(f"{escape(name)}:{line}" for name, line in self.calls)
        rows = "".join(_row(*named) for named in self.variables.items())
        lines = "\n".join(_lines(self.file, self.calls[-1][1]))
        return (
            f'<div style="{_STYLE}"><b>block {escape(self.block)}</b>  {calls}\n{lines}\n'
            f'<table><tr><th style="{_STYLE}">name</th><th style="{_STYLE}">is</th><th></th>'
            f'<th style="{_STYLE}">value</th></tr>{rows}</table></div>'
        )


def _lines(file: str, here: int) -> Iterator[str]:
    """The text around the line that comes next."""
    for number in range(max(1, here - AROUND), here + AROUND + 1):
        text = linecache.getline(file, number).rstrip()
        if number == here:
            yield f"<b>&rarr; {number:4}  {escape(text)}</b>"
        elif text:
            yield f"  {number:4}  {escape(text)}"


def _row(name: str, value: object) -> str:
    """A variable: what it is, a picture if it is a tile, and its elements."""
    cells = (escape(name), _kind(value), _picture(value), escape(_text(value)))
    return "<tr>" + "".join(f'<td style="{_STYLE}">{cell}</td>' for cell in cells) + "</tr>"


def _kind(value: object) -> str:
    if not isinstance(value, np.ndarray):
        return escape(type(value).__name__)
    array = cast("np.ndarray[Any, Any]", value)
    shape = " x ".join(map(str, array.shape))
    if not isinstance(value, Tensor):
        return f"tile {array.dtype} {shape}"
    here = f", region {value.index} of {value.tile}" if value.tile else ""
    return f"tensor {array.dtype} {shape}{here}"


def _text(value: object) -> str:
    if isinstance(value, np.ndarray):
        return np.array2string(cast("np.ndarray[Any, Any]", value), threshold=40, edgeitems=2, precision=4)
    return repr(value)[:200]


def _picture(value: object) -> str:
    """A tile of numbers as squares, dark where they are great; what is not finite is red."""
    if not isinstance(value, np.ndarray) or isinstance(value, Tensor) or value.ndim not in (1, 2) or not value.size:
        return ""
    array = np.atleast_2d(cast("np.ndarray[Any, Any]", value)).astype(np.float64)
    array = array[tuple(slice(None, None, -(-extent // MOST_CELLS)) for extent in array.shape)]
    finite = array[np.isfinite(array)]
    least, most = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    size = 6 if max(array.shape) <= MOST_CELLS // 2 else 3
    squares: list[str] = []
    for (row, column), number in np.ndenumerate(array):
        shade = (number - least) / (most - least) if most > least else 0.5
        colour = f"hsl(210,60%,{90 - 65 * shade:.0f}%)" if np.isfinite(number) else "#d33"
        squares.append(f'<rect x="{column * size}" y="{row * size}" width="{size}" height="{size}" fill="{colour}"/>')
    rows, columns = array.shape
    return f'<svg width="{columns * size}" height="{rows * size}">{"".join(squares)}</svg>'
