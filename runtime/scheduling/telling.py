"""A choice as text, for `Kernel.explain`: what was chosen, among what, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from freehold.passes.listing import WIDTH
from freehold.runtime.scheduling.choice import Considered
from freehold.runtime.scheduling.gpus import gpu_of
from freehold.runtime.scheduling.profile import profile

if TYPE_CHECKING:
    from freehold.dialects.ownership import KernelOp
    from freehold.runtime.scheduling.completion import Completed

FEWEST_ROWS: Final = 16
"""Rows of a tile that tensor cores multiply at least."""


def told(completed: Completed) -> Iterator[str]:
    """What was chosen for a call, and what it was preferred to."""
    chosen, arch = completed.chosen, completed.arch
    if arch is None:
        yield "schedule, chosen for the interpreter"
        yield from _filled(f"  {chosen.schedule}")
        return
    yield f"schedule, chosen for {arch} by the figures of {_article(gpu_of(arch).name)}"
    yield from _filled(f"  {chosen.schedule}")
    if not chosen.considered:
        return
    yield from _filled(f"  of {chosen.candidates} candidates, these should be fastest; their code decided:")
    rows = [_row(one) for one in chosen.considered]
    widths = [max(len(row[n]) for row in rows) for n in range(3)]
    for time, bound, held, what in rows:
        yield from _filled(f"  {time:>{widths[0]}}  {bound:{widths[1]}}  {held:{widths[2]}}  {what}")


def _row(one: Considered) -> tuple[str, str, str, str]:
    blocks = f"{one.prediction.resident} block{'s' if one.prediction.resident > 1 else ''} a multiprocessor"
    waves = f"{one.prediction.waves:.3g} waves"
    spilled = f", {one.resources.stack} B of stack" if one.resources is not None and one.resources.stack else ""
    return (
        f"{1e6 * one.prediction.seconds:.4g} us",
        one.prediction.bound,
        f"{blocks}, {waves}",
        f"{one.schedule}{spilled}",
    )


def remarks(kernel: KernelOp, idle: Mapping[str, int], arch: str | None) -> Iterator[str]:
    """What in a kernel's schedule costs time, or nothing: products of few rows, and hints that change no code."""
    few = [shape for shape, _ in profile(kernel).products if shape[0] < FEWEST_ROWS]
    for rows, columns, depth in few[:1]:
        said = (
            f"  a product of {rows} x {columns} by {depth}: fewer than {FEWEST_ROWS} rows are not multiplied by tensor"
        )
        said += f" cores, and take twice the time or more; a tile of {FEWEST_ROWS} rows that overhangs is faster"
        yield from _filled(said)
    for name, value in idle.items():
        yield from _filled(f"  the hint `{name} = {value}` changes nothing in the code for {arch}")


def _article(name: str) -> str:
    return f"an {name}" if name[:1] in "AEHR" else f"a {name}"


def _filled(text: str) -> list[str]:
    return wrap(text, WIDTH, subsequent_indent="      ", break_on_hyphens=False)
