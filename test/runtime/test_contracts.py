"""What calls are told whose arrays do not have the extents, or the grids, that the signature asks for."""

# pyright: reportUnknownParameterType=false, reportUnknownArgumentType=false, reportMissingTypeArgument=false

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import freehold as fh
from freehold import Acc, Const, Mut, Out, Raw, Ref, f32

HERE = Path(__file__).parent


@fh.kernel
def turned(y: Mut["M", "N"], x: Ref["N", "M"]):
    pass


@fh.kernel
def turned_output(y: Mut["M"], x: Mut["N", "M"]):
    pass


@fh.kernel
def square(y: Mut["2 * H"], x: Ref["H", "H"]):
    pass


@fh.kernel
def sums(y: Mut["M"], x: Ref["N", "M", "K"], w: Ref["N + 1", "2 * K"]):
    pass


@fh.kernel
def parts(y: Mut["N"], x: Ref["N // K"], K: Const[int] = 2):
    pass


@fh.kernel
def undeclared(x: Ref["y.shape[0]", "y.shape[1] + 1"], y: Mut):
    pass


@fh.kernel
def fixed(y: Mut["N"], x: Ref[4, 2]):
    pass


@fh.kernel
def halves(y: Mut["N"], x: Ref["2 * A"]):
    pass


@fh.kernel
def unbound(y: Mut["N"], x: Ref["A * B", "B"], w: Ref["C // 2", "D // 2"]):
    pass


@fh.kernel
def tuples(ps: tuple[Mut["N"], ...], qs: tuple[Mut["M"], ...], x: Ref["N"]):
    pass


@fh.kernel
def updated(z: Acc["N"], w: Raw["N"], x: Ref["N"]):
    pass


@fh.kernel
def sums_alone(z: Acc["N"], w: Acc["N"]):
    pass


@fh.kernel
def made(y: Out["N"], x: Ref["N"], rate: f32, K: Const[int] = 1):
    y.store(x.load_like(y))


@fh.kernel
def constant(y: Mut["N"], C: Const = 1, K: Const[int] = 1):
    pass


@fh.kernel
def several(y: Mut, z: Mut, x: Mut):
    pass


wrongly: Any = made
alone: Any = sums_alone
"""For calls in which type checkers see what is wrong."""


def cut(shape: tuple[int, ...], tile: Any = None, **schedule: Any) -> Any:
    return fh.partition(np.zeros(shape, np.float32), tile or (4,) * len(shape), **schedule)


def of(*shape: int) -> Any:
    return np.zeros(shape, np.float32)


def swapped(m: Any, n: Any) -> Any:
    return n, m


def turned_grid(m: Any, n: Any) -> Any:
    return n, m


def backwards(m: Any) -> Any:
    return (1 - m,)


CALLS: dict[str, Callable[[], Any]] = {
    "as declared": lambda: turned(cut((4, 8)), of(8, 4)),
    "turned": lambda: turned(cut((4, 8)), of(4, 8)),
    "one axis is another one": lambda: turned(cut((4, 8)), of(8, 5)),
    "the other axis": lambda: turned(cut((4, 8)), of(9, 4)),
    "turned, one axis would be another one": lambda: turned(cut((8, 8)), of(8, 4)),
    "an output turned": lambda: turned_output(cut((4,)), cut((4, 3))),
    "square": lambda: square(cut((4,)), of(2, 2)),
    "not square": lambda: square(cut((4,)), of(2, 3)),
    "half as many": lambda: square(cut((5,)), of(2, 2)),
    "sums as declared": lambda: sums(cut((4,)), of(3, 4, 6), of(4, 12)),
    "sums": lambda: sums(cut((4,)), of(3, 4, 6), of(5, 13)),
    "turned of three axes": lambda: sums(cut((4,)), of(4, 3, 4), of(5, 8)),
    "a part as declared": lambda: parts(cut((5,)), of(2)),
    "a part": lambda: parts(cut((4,)), of(4)),
    "a part of a constant": lambda: parts(cut((4,)), of(4), 4),
    "no part": lambda: parts(cut((4,)), of(4), 0),
    "undeclared as asked": lambda: undeclared(of(4, 9), cut((4, 8))),
    "undeclared": lambda: undeclared(of(5, 8), cut((4, 8))),
    "fixed as declared": lambda: fixed(cut((4,)), of(4, 2)),
    "fixed": lambda: fixed(cut((4,)), of(2, 4)),
    "halves as declared": lambda: halves(cut((4,)), of(6)),
    "halves": lambda: halves(cut((4,)), of(7)),
    "unbound": lambda: unbound(cut((4,)), of(6, 2), of(3, 3)),
    "tuples as declared": lambda: tuples([cut((4,)), cut((4,))], [cut((3,))], of(4)),
    "of a tuple": lambda: tuples([cut((4,)), cut((3,))], [cut((4,)), cut((2,))], of(4)),
    "beside a tuple": lambda: tuples([cut((4,)), cut((4,))], [cut((4,))], of(3)),
    "tuples in other grids": lambda: tuples([cut((4,)), cut((4,))], [cut((4,)), cut((8,))], of(4)),
    "tuples of one shape in other grids": lambda: tuples([cut((8,)), cut((8,), 2)], [cut((8,))], of(8)),
    "nothing is cut": lambda: updated(of(100), of(100), of(100)),
    "nothing is cut, and nothing read": lambda: sums_alone(of(3), of(3)),
    "what is read is cut": lambda: updated(of(4), of(4), cut((4,))),
    "without an argument": lambda: wrongly(cut((4,)), of(4)),
    "without outputs": lambda: wrongly(of(4), 1.0),
    "without outputs and more": lambda: wrongly(of(4)),
    "too many": lambda: wrongly(cut((4,)), of(4), 1.0, 2, 3),
    "two values": lambda: wrongly(cut((4,)), of(4), 1.0, y=of(4)),
    "another name": lambda: wrongly(cut((4,)), of(4), rote=1.0),
    "another name of what has a default": lambda: wrongly(cut((4,)), of(4), 1.0, k=3),
    "no name that is alike": lambda: wrongly(cut((4,)), of(4), alpha=1.0),
    "no names that are alike": lambda: wrongly(cut((4,)), of(4), alpha=1.0, beta=1.0),
    "no name that is alike for two": lambda: wrongly(cut((4,)), alpha=1.0),
    "a stream": lambda: wrongly(cut((4,)), of(4), 1.0, stream=0),
    "a stream in the place of an argument": lambda: wrongly(cut((4,)), of(4), stream=0),
    "a grid": lambda: wrongly(cut((4,)), of(4), 1.0, grid=(4,)),
    "a grid where nothing is written": lambda: alone(of(4), of(4), num_blocks=3),
    "a hint": lambda: wrongly(cut((4,)), of(4), 1.0, num_warps=4),
    "a hint of ours": lambda: wrongly(cut((4,)), of(4), 1.0, occupancy=2),
    "a hint of loads": lambda: wrongly(cut((4,)), of(4), 1.0, num_stages=2),
    "nothing that is known": lambda: wrongly(cut((4,)), of(4), 1.0, whatever=2),
    "partitions for constants": lambda: constant(cut((4,)), cut((4,)), cut((4,))),
    "grids that agree": lambda: several(cut((8, 8)), cut((8, 8, 3)), cut((8, 4), (4, 2))),
    "grids that do not": lambda: several(cut((8, 8)), cut((8, 9)), cut((16, 8))),
    "fewer axes": lambda: several(cut((8, 8)), cut((8,)), cut((8, 3))),
    "fewer axes, one of them another": lambda: several(cut((8, 5)), cut((12,)), cut((8, 5))),
    "no axes": lambda: several(cut((8,)), cut((), ()), cut((8,))),
    "all in the same turn": lambda: several(
        *(cut((9, 16), map=swapped, blocks=fh.PERSISTENT) for _ in range(3))
    ),
    "a map of its own": lambda: several(cut((8, 16)), cut((16, 8), map=swapped), cut((8, 16))),
    "a map of its own in other grids": lambda: several(
        cut((8, 16)), cut((8, 16), map=swapped), cut((8, 16))
    ),
    "a map and fewer axes": lambda: several(cut((8, 8)), cut((8,), map=backwards), cut((8, 8))),
    "a grid of its own": lambda: several(
        cut((8, 16)), cut((16, 8), map=swapped, grid=turned_grid), cut((8, 16), grid=(2, 4))
    ),
    "grids of their own that differ": lambda: several(
        cut((8, 16)), cut((8, 16), map=swapped, grid=turned_grid), cut((8, 16), grid=(1, 4), partial=True)
    ),
    "axes that a point has whole": lambda: several(cut((8, 16), owned=1), cut((8,)), cut((16, 8), owned=(0,))),
    "axes that a point has whole, of another size": lambda: several(
        cut((8, 16), owned=1), cut((8, 16)), cut((12, 8), owned=1)
    ),
    "orders": lambda: several(cut((8, 8), order=fh.grouped(2)), cut((8, 8)), cut((8, 8), order=fh.grouped(2))),
    "blocks": lambda: several(cut((8, 8), blocks=fh.PERSISTENT), cut((8, 8), blocks=7), cut((8, 8))),
}  # fmt: skip


def test_what_is_said_of_extents_and_grids(golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    for name, call in CALLS.items():
        lines.append(f"{name}:")
        try:
            call().described()
            lines.append("    is taken")
        except fh.Rejected as e:
            for report in (error.report() for error in e.errors):
                texts = f"{report.code}: {report.title}", report.label, *report.notes, *report.helps
                lines += [f"    {text}" for text in texts if text]
    golden(HERE / "contracts.txt", "\n".join(lines))
