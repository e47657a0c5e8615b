"""Pictures of what `benchmarks.kernels_library` found: products under a GPU's roofs, and rows beside a copy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from math import log10
from typing import Final, NamedTuple

from benchmarks.report import Row

INK, FAINT, LIGHT = "#1f2328", "#8c959f", "#d0d7de"
COLOURS: Final = ("#0969da", "#cf222e", "#1a7f37", "#8250df", "#bc4c00", "#57606a")
WIDTH, HEIGHT, LEFT, TOP = 460, 330, 62, 44
"""Of the field of a picture, in pixels, and what is left of it and above."""

ROWS: Final = re.compile(r"(\w+) bf16 (\d+) x (\d+)$")
"""Works whose rows have the length that is named last."""

MOST_INTENSE: Final = 1e5
"""Operations a byte, up to which products are drawn."""

ALIKE: Final = 1 << 27
"""Elements of all rows together, up to which they are drawn: what is larger is no point of the same line."""

FAMILIES: Final = "rms_norm", "softmax", "layer_norm", "cross_entropy"
"""Works along rows that are drawn."""


class Scale(NamedTuple):
    """An axis: from where to where it goes, and how many pixels it is long; logarithmic, or else linear."""

    first: float
    last: float
    pixels: int
    logarithmic: bool = True

    def at(self, value: float) -> float:
        """Where a value stands, in pixels."""
        low, high, v = self.first, self.last, max(value, self.first if self.logarithmic else value)
        if self.logarithmic:
            low, high, v = log10(low), log10(high), log10(v)
        return (v - low) / (high - low) * self.pixels


class Field:
    """A picture's field with two axes, and what is drawn in it."""

    def __init__(self, title: str, x: Scale, y: Scale, names: tuple[str, str], shift: int):
        self.x, self.y, self.shift = x, y, shift + LEFT
        middle = self.shift + WIDTH / 2
        self.parts = [
            f'<rect x="{self.shift}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="{LIGHT}"/>',
            text(middle, TOP - 16, title, "middle", INK, 14),
            text(middle, TOP + HEIGHT + 36, names[0], "middle"),
            text(self.shift - 6, TOP - 8, names[1], "end"),
        ]

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a point stands in the whole picture."""
        return self.shift + self.x.at(x), TOP + HEIGHT - self.y.at(y)

    def marks(self, xs: dict[float, str], ys: dict[float, str]) -> None:
        """Names for places on both axes."""
        for value, name in xs.items():
            x, _ = self.place(value, self.y.first)
            self.parts.append(line([(x, TOP + HEIGHT), (x, TOP + HEIGHT + 4)], FAINT))
            self.parts.append(text(x, TOP + HEIGHT + 18, name, "middle"))
        for value, name in ys.items():
            _, y = self.place(self.x.first, value)
            self.parts.append(line([(self.shift, y), (self.shift + WIDTH, y)], LIGHT))
            self.parts.append(text(self.shift - 6, y + 4, name, "end"))

    def line(self, points: Sequence[tuple[float, float]], colour: str, dashed: bool = False) -> None:
        """A line through points."""
        self.parts.append(line([self.place(*p) for p in points], colour, dashed))

    def dot(self, x: float, y: float, colour: str, filled: bool, told: str) -> None:
        """A point, with what is told of it when one points at it."""
        at, up = self.place(x, y)
        fill = colour if filled else "#ffffff"
        self.parts.append(circle(at, up, fill, colour, f"<title>{escape(told)}</title>"))

    def name(self, number: int, name: str, colour: str, filled: bool = True) -> None:
        """A line of the legend, which stands at the bottom: what is slow there is nothing that one wants to see."""
        x, y = self.shift + WIDTH * 5 // 8, TOP + HEIGHT - 16 - 16 * number
        fill = colour if filled else "#ffffff"
        self.parts.append(
            f'<circle cx="{x}" cy="{y}" r="4" fill="{fill}" stroke="{colour}"/>{text(x + 10, y + 4, name)}'
        )


def circle(x: float, y: float, fill: str, colour: str, inner: str = "") -> str:
    """A dot at a place."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}" stroke="{colour}">{inner}</circle>'


def text(x: float, y: float, words: str, anchor: str = "start", colour: str = FAINT, size: int = 11) -> str:
    """Words at a place."""
    place = f'x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size}" text-anchor="{anchor}"'
    return f"<text {place}>{escape(words)}</text>"


def line(points: Sequence[tuple[float, float]], colour: str, dashed: bool = False) -> str:
    """A line through places."""
    way = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashes = ' stroke-dasharray="5 4"' if dashed else ""
    return f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="1.5"{dashes}/>'


def picture(rows: Sequence[Row], copy: float, peaks: dict[str, float]) -> str:
    """
    Both fields as SVG: `copy` is the bandwidth of a copy in TB/s, `peaks` what tensor cores do at most, in TFLOP/s, by
    the name of an element type.
    """
    parts = [*products(rows, copy, peaks).parts, *lengths(rows, copy).parts]
    width, height = 2 * (LEFT + WIDTH) + 24, TOP + HEIGHT + 48
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">'
    return "\n".join([head, f'<rect width="{width}" height="{height}" fill="#ffffff"/>', *parts, "</svg>", ""])


def products(rows: Sequence[Row], copy: float, peaks: dict[str, float]) -> Field:
    """What computes, by its operations a byte."""
    found = [row for row in rows if row.intensity is not None and row.unit == "TFLOP/s"]
    field = Field(
        "products, convolutions, attention",
        Scale(1, MOST_INTENSE, WIDTH),
        Scale(1, 3000, HEIGHT),
        ("operations a byte", "TFLOP/s"),
        0,
    )
    field.marks(
        {float(10**n): f"{10**n}" for n in range(6)},
        {n: f"{n:g}" for n in (1.0, 10.0, 100.0, 1000.0)},
    )
    for name, peak in peaks.items():
        field.line([(1, copy), (peak / copy, peak), (MOST_INTENSE, peak)], FAINT)
        x, y = field.place(MOST_INTENSE, peak)
        field.parts.append(text(x - 4, y - 4, name, "end"))
    best: dict[str, Row] = {}
    for row in found:
        known = best.get(row.work)
        if known is None or (row.rival or 0.0) > (known.rival or 0.0):
            best[row.work] = row
    for row in best.values():
        x = row.intensity or 1.0
        if row.rival is not None:
            field.dot(x, row.rival, COLOURS[1], False, f"{row.work}: {row.rival_name} {row.rival:.4g} {row.unit}")
        field.dot(x, row.ours, COLOURS[0], True, f"{row.work}: Freehold {row.ours:.4g} {row.unit}")
    field.name(0, "Freehold", COLOURS[0])
    field.name(1, "the best rival", COLOURS[1], False)
    return field


def lengths(rows: Sequence[Row], copy: float) -> Field:
    """What works along rows, by their length."""
    field = Field("rows, bf16", Scale(900, 3e5, WIDTH), Scale(0, 5, HEIGHT, False), ("columns", "TB/s"), LEFT + WIDTH)
    marks = {float(1024 << n): f"{1 << n}k" for n in range(0, 9, 2)}
    field.marks(marks, {float(n): str(n) for n in range(6)})
    field.line([(900, copy), (3e5, copy)], FAINT, True)
    x, y = field.place(3e5, copy)
    field.parts.append(text(x - 4, y - 4, "copy", "end"))
    for number, family in enumerate(FAMILIES):
        points: dict[int, Row] = {}
        for row in rows:
            matched = ROWS.match(row.work)
            if matched and matched[1] == family and int(matched[2]) * int(matched[3]) <= ALIKE:
                points[int(matched[3])] = row
        ordered = sorted(points.items())
        colour = COLOURS[number]
        field.line([(n, row.ours) for n, row in ordered], colour)
        for n, row in ordered:
            field.dot(n, row.ours, colour, True, f"{row.work}: {row.ours:.4g} TB/s")
        field.name(number, family, colour)
    return field
