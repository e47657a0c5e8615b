"""The axes of a picture: which regions are drawn, and at which pixel an element is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

_BREAK: Final = 30
"""Pixels where an axis is cut short."""


class Axis:
    """One axis on paper: which regions are drawn, and at which pixel an element is."""

    def __init__(self, extent: int, tile: int, step: int, most: int, pitch: float):
        self.extent, self.tile, self.step = extent, tile, step
        count = -(-extent // step)
        self.runs: list[range] = [range(count)] if count <= most else [range(most - 2), range(count - 2, count)]
        """Neighbouring regions that are drawn together."""
        self.scale = pitch / step
        self.offsets: list[float] = []
        position = 0.0
        for run in self.runs:
            self.offsets.append(position)
            if len(run):
                position += (self.end(run) - run[0] * step) * self.scale + _BREAK
        self.length = max(0.0, position - _BREAK)
        last = self.runs[-1]
        overhang = max(0, last[-1] * step + tile - extent) if len(last) else 0
        self.room = self.length + overhang * self.scale
        """The length, with what the last region overhangs."""

    def end(self, run: range) -> int:
        """The element after the last of a run, inside the array; where the array goes on, all up to the next region."""
        return min(self.extent, run[-1] * self.step + max(self.tile, self.step))

    def drawn(self) -> Iterator[tuple[int, int]]:
        """The regions that are drawn, each with its run."""
        for n, run in enumerate(self.runs):
            yield from ((i, n) for i in run)

    def pixel(self, element: int, run: int) -> float:
        """Where an element begins."""
        return self.offsets[run] + (element - self.runs[run][0] * self.step) * self.scale

    def bounds(self, i: int) -> tuple[int, int]:
        """The first element of a region and the one after its last, inside the array."""
        return i * self.step, min(self.extent, i * self.step + self.tile)

    def frames(self) -> Iterator[tuple[float, float]]:
        """Where the array is, run by run: from pixel to pixel."""
        for n, run in enumerate(self.runs):
            if len(run):
                yield self.pixel(run[0] * self.step, n), self.pixel(self.end(run), n)

    def shared(self) -> Iterator[tuple[float, float]]:
        """What more than one region owns."""
        if self.tile <= self.step:
            return
        for n, run in enumerate(self.runs):
            for i in run[:-1]:
                low, high = (i + 1) * self.step, min(self.extent, i * self.step + self.tile)
                # Where three overlap, what the next pair shares is drawn with that.
                high = min(high, (i + 2) * self.step) if i + 1 < run[-1] else high
                if low < high:
                    yield self.pixel(low, n), self.pixel(high, n)


def extent_of(axis: Axis, i: int, run: int) -> tuple[float, float, float]:
    """Where a region begins, where it ends inside the array, and where its whole tile would end."""
    low, high = axis.bounds(i)
    return axis.pixel(low, run), axis.pixel(high, run), axis.pixel(low + axis.tile, run)


def ticks_of(axis: Axis, room: Callable[[str], float]) -> Iterator[tuple[float, str]]:
    """The element at which each region begins, and the extent; those that there is room for."""
    last = axis.length, str(axis.extent)
    free = -100.0
    for i, run in axis.drawn():
        position, label = axis.pixel(i * axis.step, run), str(i * axis.step)
        half = room(label) / 2
        if position - half >= free and position + half <= last[0] - room(last[1]) / 2:
            yield position, label
            free = position + half
    yield last
