"""
Pictures of partitions: which region is where, and in which order tile blocks get them.

A picture is to scale along each axis. Regions carry their number in the order in which they are handed out; colours go
with the numbers, or where blocks are persistent with the blocks. Long axes are cut short in the middle, and of more
than two axes the last two are drawn, slice by slice. Text and frames take the colour of the page around them, so that
a picture reads on light and on dark ground.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import product
from math import prod
from os import PathLike
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from freehold.frontend.schedule import Blocks, OpenPartition, PartitionSpec
from freehold.runtime.base.call_site import caller
from freehold.runtime.errors.refusing import errors, reject
from freehold.runtime.launch.partition import Partition
from freehold.runtime.memory.arguments import UnknownDType, Unreadable, view
from freehold.runtime.show.axes import Axis, extent_of, ticks_of
from freehold.runtime.show.pieces import Index, Piece, grid_of, numbering
from freehold.runtime.show.takings import takings
from freehold.support.public import public


class Drawing:
    """A picture, as SVG text. Notebooks show it; `save` writes it."""

    def __init__(self, svg: str, description: str):
        self.svg = svg
        self.description = description
        """What is drawn, in words."""

    def __repr__(self) -> str:
        return f"<drawing: {self.description}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg

    def save(self, path: str | PathLike[str]) -> Path:
        """Writes the SVG to a file, and returns its path."""
        file = Path(path)
        file.write_text(self.svg + "\n", encoding="utf-8")
        return file


@public
def show(partition: Partition, *, blocks: int = 8) -> Drawing:
    """
    Draws a partition: `show(freehold.partition(c, (128, 256), order=freehold.grouped(8)))`.

    Regions carry the number of the point that takes them. How many persistent blocks there are is up to the GPU, where
    the partition does not say it; they are drawn for `blocks` of them. No GPU is needed, and no element is looked at.
    Raises `TypeError` for what is no partition of an array, `ValueError` where there are no blocks, no tile, no points,
    or too many to carry out a map for, and `Rejected` (O222) where the tile has another rank than the array.
    """
    if not isinstance(partition, Partition):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers may be untyped
        raise TypeError(
            f"what is drawn is a partition, as `freehold.partition` makes it, not a {type(partition).__name__}"
        )
    if blocks < 1:
        raise ValueError(f"there is at least one block, not {blocks}")
    try:
        found = view(partition.array)
    except (Unreadable, UnknownDType) as e:
        raise TypeError(
            f"what is partitioned is no array that kernels take, but a {type(partition.array).__name__}"
        ) from e
    spec = partition.spec
    if isinstance(spec, OpenPartition):
        raise ValueError("a partition that is left open is completed by a launch: give it a tile to see it")
    if len(spec.tile) != len(found.shape):
        place = caller().argument(0, "partition", "freehold.show")
        reject(errors.PartitionRank(place, "partition", spec.tile, len(found.shape), found.shape))
    return _Picture(found.shape, found.dtype.name, spec, blocks).drawing()


# --- Where it is drawn ------------------------------------------------------------------------------------------------

_FONT: Final = 12
_CHARACTER: Final = 6.7
"""Pixels of an average character."""
_BREAK: Final = 30
"""Pixels where an axis is cut short."""


_ORDERED: Final = ("#fff1b8", "#d3ecb0", "#a4dfc3", "#9fcdef", "#bdb8f0")
"""Colours along the order, all of them light enough for dark numbers."""
BLOCK_COLOURS: Final = ("#9fcdef", "#f9c98b", "#a9ddb0", "#f3b6d0", "#f3e48c", "#c9baf0", "#94d8d8", "#cdd3da")
_INK: Final = "#1b2733"

_STYLE: Final = """
.{c} {{ color: #24292f; color: var(--jp-content-font-color1, var(--vscode-editor-foreground, #24292f)); }}
@media (prefers-color-scheme: dark) {{
  .{c} {{ color: #d8dee6; color: var(--jp-content-font-color1, var(--vscode-editor-foreground, #d8dee6)); }}
}}
.{c} text {{ font: 12px ui-sans-serif, system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; }}
.{c} .t {{ font-weight: 600; font-size: 13px; }}
.{c} .s {{ font-size: 10px; }}
.{c} .n, .{c} .b {{ fill: #1b2733; text-anchor: middle; }}
.{c} .b {{ font-size: 10px; }}
.{c} .r rect {{ stroke: #1b2733; stroke-opacity: .45; }}
.{c} .r:hover rect {{ stroke-opacity: 1; stroke-width: 2; }}
"""


class _Picture:
    def __init__(self, shape: Index, dtype: str, spec: PartitionSpec, blocks: int):
        self.shape, self.dtype, self.spec = shape, dtype, spec
        self.grid = grid_of(shape, spec)
        self.taken = None if spec.plain or not prod(self.grid) else takings(spec, shape)
        self.count = prod(self.grid if self.taken is None else self.taken.domain)
        """Of points."""
        self.persistent = spec.blocks is Blocks.PERSISTENT
        self.blocks = min(spec.count or blocks, max(1, self.count))
        self.number: Callable[[Index], int | None] | None = None
        if self.taken is not None:
            self.number = self.taken.numbers.get
        elif self.count:
            self.number = numbering(spec.order, self.grid)
        self.out: list[str] = []
        self.drawn = 0
        digest = sha256(repr((shape, dtype, spec, blocks)).encode()).hexdigest()
        self.name = f"freehold-{digest[:8]}"

    def drawing(self) -> Drawing:
        """The whole picture."""
        width, height = self.panels(top=64.0)
        lines = [*self.legend()]
        title, subtitle = self.words()
        for n, (swatch, text) in enumerate(lines):
            y = height + 18 + n * 20
            self.out.append(swatch(16, y))
            self.text(40, y + 10, text, "s")
            width = max(width, 40 + len(text) * 5.6)
        width = max(width, *(16 + len(t) * 7.2 for t in (title, subtitle)))
        height += 30 + len(lines) * 20
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{self.name}" role="img" width="{_px(width + 16)}"'
            f' height="{_px(height)}" viewBox="0 0 {_px(width + 16)} {_px(height)}"'
            f' color="#24292f" font-family="sans-serif" font-size="{_FONT}"'
            f' aria-labelledby="{self.name}-title {self.name}-words">',
            f'<title id="{self.name}-title">{escape(title)}</title>',
            f'<desc id="{self.name}-words">{escape(f"{subtitle}. {self.tale()}")}</desc>',
            f"<style>{_STYLE.format(c=self.name)}</style>",
            "<defs>",
            f'<pattern id="{self.name}-hatch" width="6" height="6" patternUnits="userSpaceOnUse"'
            f' patternTransform="rotate(45)"><path d="M0 0V6" stroke="{_INK}" stroke-width="1.6"/></pattern>',
            f'<pattern id="{self.name}-dots" width="7" height="7" patternUnits="userSpaceOnUse">'
            '<circle cx="2" cy="2" r="0.9" fill="currentColor" fill-opacity=".55"/></pattern>',
            f'<marker id="{self.name}-arrow" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7"'
            f' orient="auto"><path d="M0 0L8 4L0 8Z" fill="{_INK}"/></marker>',
            "</defs>",
            f'<text x="16" y="24" class="t" fill="currentColor" font-weight="600">{escape(title)}</text>',
            f'<text x="16" y="42" fill="currentColor">{escape(subtitle)}</text>',
        ]
        return Drawing("\n".join([*head, *self.out, "</svg>"]), f"{title}: {subtitle}")

    # Words

    def words(self) -> tuple[str, str]:
        """The title, and the line below it."""
        spec = self.spec
        steps = "" if spec.step == spec.tile else f", {_by(spec.step)} apart"
        title = f"{_by(self.shape)} {self.dtype} in tiles of {_by(spec.tile)}{steps}"
        order = {"row": "row by row", "column": "column by column"}.get(
            spec.order.kind, f"in groups of {spec.order.size} rows"
        )
        domain = self.grid if self.taken is None else self.taken.domain
        if len(domain) == 1:
            order = "in order"
        blocks = f"persistent blocks, drawn for {self.blocks}" if self.persistent else "one block each"
        if spec.count:
            blocks = f"{self.blocks} persistent blocks"
        of = "" if len(domain) == 1 else f" ({_by(domain)})"
        if self.taken is not None:
            points = "1 point takes" if self.count == 1 else f"{self.count} points{of} {order} take"
            return title, f"{points} {len(self.taken.numbers)} of {prod(self.grid)} regions, {blocks}"
        many = "1 region" if self.count == 1 else f"{self.count} regions"
        return title, f"{many}{of} {order}, {blocks}"

    def tale(self) -> str:
        """The same for those who cannot see the picture: where the first regions are."""
        if self.number is None:
            return "The array is empty."
        first: dict[int, Index] = {}
        near = product(*(range(min(extent, 4)) for extent in self.grid))
        for index in near if self.taken is None else self.taken.numbers:
            if (n := self.number(index)) is not None and n < 4:
                first.setdefault(n, index)
        told = [f"number {n} is region {_tuple(first[n])}" for n in sorted(first)]
        return f"{', '.join(told)}. {self.drawn} of {prod(self.grid)} regions are drawn."

    def legend(self) -> Iterator[tuple[Callable[[float, float], str], str]]:
        """What colours and patterns mean."""
        if not self.count:
            return
        if self.persistent:
            yield (
                self.swatch(BLOCK_COLOURS[0]),
                f"block 0: regions {_every(self.blocks, self.count)}; colours go by block",
            )
        elif self.count > 1:
            what = "regions" if self.taken is None else "points"
            yield self.ramp, f"numbers and colours: the order in which {what} are handed out, 0 to {self.count - 1}"
        yield from self.oddities()
        pairs = list(zip(self.shape, self.spec.tile, self.spec.step, strict=True))
        if any((-(-e // s) - 1) * s + t > e for e, t, s in pairs):
            yield self.ghost, "dashed: overhangs the array; reads as padding and is not written"
        if any(t > s and e > s for e, t, s in pairs):
            yield (
                self.hatched,
                "hatched: in several regions, so a kernel that writes there is refused",
            )
        if any(t < s and e > t for e, t, s in pairs):
            yield self.swatch(f"url(#{self.name}-dots)"), "dotted: in no region"

    def oddities(self) -> Iterator[tuple[Callable[[float, float], str], str]]:
        """What is not as it is without a map."""
        if self.taken is None:
            return
        left = prod(self.grid) - len(self.taken.numbers)
        if left:
            rest = "stay as they are" if self.spec.partial else "an `Out` may not have any"
            yield self.swatch(f"url(#{self.name}-dots)"), f"dotted: {left} regions that no point takes: {rest}"
        if self.taken.twice:
            told = (
                f"hatched: {len(self.taken.twice)} regions that several points take, so a kernel that writes is refused"
            )
            yield self.hatched, told
        if self.taken.outside:
            yield self.ghost, f"{self.taken.outside} points have no region, so this is refused"
        if self.spec.owned:
            axes = " and ".join(map(str, self.spec.owned))
            yield self.swatch(_ORDERED[2]), f"a point has all regions along axis {axes}"

    def swatch(self, fill: str) -> Callable[[float, float], str]:
        """A small box of one colour."""
        return lambda x, y: f'<rect x="{_px(x)}" y="{_px(y)}" width="16" height="12" rx="2" fill="{fill}"/>'

    def hatched(self, x: float, y: float) -> str:
        """A small hatched box."""
        return self.swatch(_ORDERED[1])(x, y) + self.swatch(f"url(#{self.name}-hatch)")(x, y)

    def ramp(self, x: float, y: float) -> str:
        """The colours of the order."""
        parts = [
            f'<rect x="{_px(x + 3.2 * n)}" y="{_px(y)}" width="3.3" height="12" fill="{c}"/>'
            for n, c in enumerate(_ORDERED)
        ]
        return "".join(parts)

    def ghost(self, x: float, y: float) -> str:
        """A small dashed box."""
        return (
            f'<rect x="{_px(x)}" y="{_px(y)}" width="16" height="12" fill="none" stroke="currentColor"'
            ' stroke-dasharray="3 3"/>'
        )

    # Slices

    def panels(self, top: float) -> tuple[float, float]:
        """All slices, left to right in rows; returns the width and where the last row ends."""
        if not self.count:
            return 200.0, top
        leading = self.grid[:-2]
        slices = [*self.slices(leading)]
        rows, columns = self.axes(small=bool(leading))
        left = 30.0 if rows is None else 30.0 + _CHARACTER * len(str(self.shape[-2]))
        width = left + columns.room + 24
        if leading:
            width = max(width, left + 8 * len(f"region {_tuple((*(e - 1 for e in leading), 0, 0))}"))
        height = 44 + (56.0 if rows is None else rows.room) + (22 if leading else 0)
        across = max(1, int(860 // width))
        for n, index in enumerate(slices):
            x, y = n % across * width + left, top + n // across * height + 30
            if index is None:
                self.text(x, y + 40, f"{prod(leading) - len(slices) + 1} more slices", "")
                continue
            if leading:
                self.text(x, y - 16, f"region ({', '.join(map(str, index))}, *, *)", "t")
                y += 16
            self.panel(x, y, rows, columns, index)
        total = min(len(slices), across) * width
        return total, top + -(-len(slices) // across) * height

    def slices(self, leading: Index) -> Iterator[Index | None]:
        """Coordinates along the axes before the last two; None where some are left out."""
        count, most = prod(leading), 6
        for number in range(count):
            if count > most and most - 2 <= number < count - 1:
                if number == most - 2:
                    yield None
                continue
            index: list[int] = []
            for extent in leading[::-1]:
                number, digit = divmod(number, extent)
                index.append(digit)
            yield tuple(index[::-1])

    def axes(self, small: bool) -> tuple[Axis | None, Axis]:
        """The axes that are drawn; an array of one axis has no rows."""
        spec = self.spec
        most = 6 if small else 14 if len(self.grid) == 1 else 12
        shown = min(self.grid[-1], most)
        pitch = max(30.0 if small else 44.0, min(96.0, (260 if small else 700) / shown))
        if len(self.grid) == 1:
            return None, Axis(self.shape[0], spec.tile[0], spec.step[0], most, pitch)
        high = max(30.0, min(72.0, pitch * spec.step[-2] / spec.step[-1]))
        rows = Axis(self.shape[-2], spec.tile[-2], spec.step[-2], 5 if small else 10, high)
        return rows, Axis(self.shape[-1], spec.tile[-1], spec.step[-1], most, pitch)

    def panel(self, x: float, y: float, rows: Axis | None, columns: Axis, leading: Index) -> None:
        """One slice, with its upper left corner at a place."""
        frames = [(0.0, 56.0)] if rows is None else [*rows.frames()]
        unowned = any(a is not None and a.tile < a.step for a in (rows, columns))
        for top, bottom in frames:
            for begin, end in columns.frames():
                fill = f"url(#{self.name}-dots)" if unowned else "none"
                self.rect(x + begin, y + top, end - begin, bottom - top, f'fill="{fill}" class="array"')
        labels: dict[Index, tuple[Piece, float, float, float, float]] = {}
        row_list: list[tuple[Index, tuple[float, float, float]]] = [((), (0.0, 56.0, 56.0))]
        if rows is not None:
            row_list = [((i,), extent_of(rows, i, run)) for i, run in rows.drawn()]
        for (row, vertical), (j, column_run) in product(row_list, columns.drawn()):
            index = (*leading, *row, j)
            horizontal = extent_of(columns, j, column_run)
            piece = self.piece(index)
            if piece is None:
                self.free(index, x, y, horizontal, vertical)
                continue
            self.region(piece, x, y, horizontal, vertical)
            if self.taken is not None and index in self.taken.twice:
                size = horizontal[1] - horizontal[0], vertical[1] - vertical[0]
                extra = f'fill="url(#{self.name}-hatch)" fill-opacity=".4" class="shared" pointer-events="none"'
                self.rect(x + horizontal[0], y + vertical[0], *size, extra, stroke=False)
            # Where neighbours overlap it, a region's number stands before the next one begins.
            width = min(horizontal[1] - horizontal[0], columns.step * columns.scale)
            height = min(vertical[1] - vertical[0], 56.0 if rows is None else rows.step * rows.scale)
            middle = x + horizontal[0] + width / 2, y + vertical[0] + height / 2
            labels[piece.index] = (piece, *middle, width, height)
        self.overlaps(x, y, rows, columns, frames)
        if any(a is not None and a.tile > a.step for a in (rows, columns)):  # the last region overhangs such an axis
            down = frames[-1][1], frames[-1][1] if rows is None else rows.room
            self.ghosts(x, x + columns.length, x + columns.room, y, y + down[0], y + down[1])
        if not self.persistent and self.count <= 400:
            self.path({p.number: (at, low + 0.3 * height) for p, at, low, _, height in labels.values()})
        for label in labels.values():
            self.label(*label)
        self.ticks(x, y, rows, columns)

    def free(
        self,
        index: Index,
        x: float,
        y: float,
        horizontal: tuple[float, float, float],
        vertical: tuple[float, float, float],
    ) -> None:
        """A region that no point takes."""
        (left, right, _), (top, bottom, _) = horizontal, vertical
        data = f'data-region="{",".join(map(str, index))}"'
        self.out.append(f'<g class="r" {data}><title>region {_tuple(index)}: no point takes it</title>')
        fill = f'rx="2" fill="url(#{self.name}-dots)"'
        self.rect(x + left, y + top, right - left, bottom - top, fill, stroke=False)
        self.out.append("</g>")
        self.drawn += 1

    def piece(self, index: Index) -> Piece | None:
        """A region by its coordinates; None if no point takes it."""
        assert self.number is not None
        if (number := self.number(index)) is None:
            return None
        spec = self.spec
        starts = [i * s for i, s in zip(index, spec.step, strict=True)]
        ends = [a + t for a, t in zip(starts, spec.tile, strict=True)]
        inside = [min(e, b) for e, b in zip(self.shape, ends, strict=True)]
        block = number % self.blocks if self.persistent else number
        return Piece(index, number, block, tuple(zip(starts, inside, strict=True)), inside != ends)

    # Shapes

    def region(
        self,
        piece: Piece,
        x: float,
        y: float,
        horizontal: tuple[float, float, float],
        vertical: tuple[float, float, float],
    ) -> None:
        """A region: what it covers, its number, and everything about it for those who point at it."""
        (left, right, beyond), (top, bottom, below) = horizontal, vertical
        overlapping = any(t > s for t, s in zip(self.spec.tile, self.spec.step, strict=True))
        if piece.overhangs and not overlapping:
            self.ghosts(x + left, x + right, x + beyond, y + top, y + bottom, y + below)
        ranges = ", ".join(f"{a} .. {b}" for a, b in piece.elements)
        edge = ", the rest of the tile overhangs" if piece.overhangs else ""
        told = f"region {_tuple(piece.index)}: elements [{ranges}]{edge}; number {piece.number}, block {piece.block}"
        data = (
            f'data-region="{",".join(map(str, piece.index))}" data-number="{piece.number}" data-block="{piece.block}"'
            f' data-elements="{",".join(f"{a}:{b}" for a, b in piece.elements)}"'
        )
        opacity = ' fill-opacity=".7"' if overlapping else ""
        self.out.append(f'<g class="r" {data}><title>{escape(told)}</title>')
        width, height = right - left, bottom - top
        self.rect(x + left, y + top, width, height, f'rx="2" fill="{self.colour(piece)}"{opacity}', stroke=False)
        self.out.append("</g>")
        self.drawn += 1

    def label(self, piece: Piece, x: float, y: float, width: float, height: float) -> None:
        """A region's number, and its block where that is not the same, around a point; as much as there is room for."""
        label = str(piece.number)
        if width < 7 * len(label) + 2 or height < 13:
            return
        second = self.persistent and height >= 30 and width >= 44
        colour = self.colour(piece)
        # A seam in the region's own colour keeps what lies below apart.
        seam = f'fill="{_INK}" text-anchor="middle" stroke="{colour}" stroke-width="3" paint-order="stroke"'
        self.out.append(f'<text x="{_px(x)}" y="{_px(y + (-1 if second else 4))}" class="n" {seam}>{label}</text>')
        if second:
            text = f"block {piece.block}"
            self.out.append(f'<text x="{_px(x)}" y="{_px(y + 12)}" class="b" font-size="10" {seam}>{text}</text>')

    def ghosts(self, left: float, right: float, beyond: float, top: float, bottom: float, below: float) -> None:
        """The outline of what overhangs."""
        if below > bottom and beyond > right:
            way = f"M{_px(left)} {_px(bottom)}V{_px(below)}H{_px(beyond)}V{_px(top)}H{_px(right)}"
        elif below > bottom:
            way = f"M{_px(left)} {_px(bottom)}V{_px(below)}H{_px(right)}V{_px(bottom)}"
        else:
            way = f"M{_px(right)} {_px(top)}H{_px(beyond)}V{_px(bottom)}H{_px(right)}"
        self.out.append(
            f'<path d="{way}" class="ghost" fill="none" stroke="currentColor" stroke-opacity=".6"'
            ' stroke-dasharray="3 3"/>'
        )

    def colour(self, piece: Piece) -> str:
        """The colour of a region."""
        if self.persistent:
            return BLOCK_COLOURS[piece.block % len(BLOCK_COLOURS)]
        at = piece.number / max(1, self.count - 1) * (len(_ORDERED) - 1)
        low = min(int(at), len(_ORDERED) - 2)
        return _mixed(_ORDERED[low], _ORDERED[low + 1], at - low)

    def overlaps(
        self, x: float, y: float, rows: Axis | None, columns: Axis, frames: Sequence[tuple[float, float]]
    ) -> None:
        """Hatching over what several regions own."""
        extra = f'fill="url(#{self.name}-hatch)" fill-opacity=".4" class="shared" pointer-events="none"'
        for begin, end in columns.shared():
            for top, bottom in frames:
                self.rect(x + begin, y + top, end - begin, bottom - top, extra, stroke=False)
        for top, bottom in rows.shared() if rows is not None else ():
            for begin, end in columns.frames():
                self.rect(x + begin, y + top, end - begin, bottom - top, extra, stroke=False)

    def path(self, places: dict[int, tuple[float, float]]) -> None:
        """Lines from each region to the next one."""
        lines: list[list[str]] = []
        for n in sorted(places):
            point = f"{_px(places[n][0])},{_px(places[n][1])}"
            if n - 1 in places and lines:
                lines[-1].append(point)
            else:
                lines.append([point])
        for line in lines:
            if len(line) > 1:
                self.out.append(
                    f'<polyline points="{" ".join(line)}" fill="none" stroke="{_INK}" stroke-opacity=".4"'
                    f' stroke-width="1.2" stroke-linejoin="round" marker-end="url(#{self.name}-arrow)"'
                    ' pointer-events="none"/>'
                )

    def ticks(self, x: float, y: float, rows: Axis | None, columns: Axis) -> None:
        """The elements at which regions begin, the extents, and the axes' names."""
        for position, label in ticks_of(columns, lambda label: len(label) * _CHARACTER + 4):
            self.text(x + position, y - 6, label, "s", anchor="middle")
        for n in range(1, len(columns.runs)):
            gap = columns.offsets[n] - _BREAK / 2
            self.text(x + gap, y + (28 if rows is None else rows.length / 2) + 4, "⋯", "t", anchor="middle")
        if rows is None:
            return
        for position, label in ticks_of(rows, lambda _: 13.0):
            self.text(x - 6, y + position + 4, label, "s", anchor="end")
        for n in range(1, len(rows.runs)):
            gap = rows.offsets[n] - _BREAK / 2
            self.text(x + columns.length / 2, y + gap + 4, "⋮", "t", anchor="middle")

    def rect(self, x: float, y: float, width: float, height: float, extra: str, *, stroke: bool = True) -> None:
        """A rectangle."""
        line = ' stroke="currentColor" stroke-opacity=".5"' if stroke else ""
        self.out.append(f'<rect x="{_px(x)}" y="{_px(y)}" width="{_px(width)}" height="{_px(height)}"{line} {extra}/>')

    def text(self, x: float, y: float, text: str, kind: str, anchor: str = "start") -> None:
        """Text in the page's colour."""
        size = ' font-size="10"' if kind == "s" else ' font-weight="600"' if kind == "t" else ""
        self.out.append(
            f'<text x="{_px(x)}" y="{_px(y)}" class="{kind}" fill="currentColor" text-anchor="{anchor}"{size}>'
            f"{escape(text)}</text>"
        )


def _mixed(a: str, b: str, part: float) -> str:
    """A colour between two."""
    pairs = [(int(a[n : n + 2], 16), int(b[n : n + 2], 16)) for n in (1, 3, 5)]
    return "#" + "".join(f"{round(p + (q - p) * part):02x}" for p, q in pairs)


def _px(value: float) -> str:
    """A coordinate with at most one digit behind the point."""
    return f"{value:.1f}".removesuffix(".0")


def _by(extents: Sequence[int]) -> str:
    return " x ".join(map(str, extents)) or "scalar"


def _tuple(index: Index) -> str:
    return str(index[0]) if len(index) == 1 else f"({', '.join(map(str, index))})"


def _every(blocks: int, count: int) -> str:
    """The numbers that the first block gets."""
    numbers = [str(n) for n in range(0, count, blocks)][:4]
    return ", ".join(numbers) + (", ..." if count > 4 * blocks else "")
