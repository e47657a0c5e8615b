"""What all benchmarks print and write: rows that compare one thing of ours with one of a rival's."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time


@dataclass(frozen=True)
class Row:
    """One comparison. Fields of a rival are None where there is none, or it is not installed."""

    work: str
    """What was done."""
    ours: float
    rival: float | None
    rival_name: str | None
    unit: str
    """What `ours` and `rival` are in."""
    ratio: float | None
    """How many times better ours is than the rival's: above 1, Freehold wins."""
    spread: float
    """The largest less the smallest ratio of the repetitions; without a rival, the same of ours over its median."""
    mark: str = ""
    """What ours should be."""
    intensity: float | None = None
    """Operations for each byte that is read or written once, of what computes."""


def show(rows: Sequence[Row], file: str | None = None) -> None:
    """Prints a table, and writes the rows as JSON where a file is given."""
    head = ("work", "ours", "rival", "unit", "ratio", "spread", "mark")
    lines = [
        (
            row.work,
            f"{row.ours:.4g}",
            "-" if row.rival is None else f"{row.rival:.4g} ({row.rival_name})",
            row.unit,
            "-" if row.ratio is None else f"{row.ratio:.3f}",
            f"{row.spread:.3f}",
            row.mark,
        )
        for row in rows
    ]
    widths = [max(len(line[n]) for line in (head, *lines)) for n in range(len(head))]
    for line in (head, tuple("-" * width for width in widths), *lines):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    if file is not None:
        write(rows, file)


def write(rows: Sequence[Row], file: str) -> None:
    """Writes the rows as JSON."""
    Path(file).write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")


def kept(file: str | None) -> list[Row]:
    """The rows that `write` left in a file, if it is there."""
    if file is None or not Path(file).exists():
        return []
    return [Row(**row) for row in json.loads(Path(file).read_text(encoding="utf-8"))]


def ratios_of(rows: Sequence[Row]) -> str:
    """How the ratios lie, to each rival and to the best of them."""
    lines: list[str] = []
    rows = [row for row in rows if row.rival_name is not None]
    rivals = dict.fromkeys(row.rival_name for row in rows)
    works = dict.fromkeys(row.work for row in rows)
    columns: list[tuple[str, list[float]]] = []
    for name in rivals:
        columns.append((f"{name}", [row.ratio or 0.0 for row in rows if row.rival_name == name]))
    if len(rivals) > 1:
        columns.append(("the best of them", [min(r.ratio or 0.0 for r in rows if r.work == work) for work in works]))
    for name, ratios in columns:
        faster = sum(ratio > 1 for ratio in ratios)
        middle = median(ratios)
        lines.append(f"to {name}: median of the ratios {middle:.2f}; {faster} of {len(ratios)} faster")
    return "\n".join(lines)


def timed(function: Callable[[], object], repeat: int = 1) -> float:
    """Seconds that one call takes, over `repeat` calls."""
    began = perf_counter()
    for _ in range(repeat):
        function()
    return (perf_counter() - began) / repeat


def cpu(function: Callable[[], object]) -> float:
    """Seconds of CPU time that a call takes."""
    began = process_time()
    function()
    return process_time() - began


def against(
    work: str,
    ours: Callable[[], float],
    theirs: Callable[[], float] | None,
    rival_name: str | None = None,
    *,
    unit: str = "ms",
    scale: float = 1e3,
    times: int = 9,
    mark: str = "",
) -> Row:
    """
    A row of two functions that each return the seconds they took, called in turns `times` times after one each that
    does not count. `scale` makes seconds into `unit`s; less is better.
    """
    ours()
    if theirs is not None:
        theirs()
    mine: list[float] = []
    others: list[float] = []
    for _ in range(times):
        mine.append(ours() * scale)
        if theirs is not None:
            others.append(theirs() * scale)
    middle = median(mine)
    if not others:
        return Row(work, middle, None, None, unit, None, (max(mine) - min(mine)) / middle, mark)
    ratios = [b / a for a, b in zip(mine, others, strict=True)]
    return Row(work, middle, median(others), rival_name, unit, median(ratios), max(ratios) - min(ratios), mark)
