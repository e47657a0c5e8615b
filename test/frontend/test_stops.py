"""
Where a debugger may stop in a kernel, and the names it shows there: of each statement, and of each kind of value.

A value that the kernel computes is shown by its dtype.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fragments
from uses import BLOCKS, STATEMENTS, arguments
from uses import HEAD as USED

from freehold.dialects.location import span_of
from freehold.dialects.ownership import BreakpointOp

HEAD = (
    """
import enum

class Kind(enum.Enum):
    A = 1

@dataclass(frozen=True)
class Boxed:
    x: object
    y: object = 2

LISTED, BOX, NUMBER = [1, 2], Boxed(1, 2.5), 4
"""
    + USED
)
VALUES = [
    "n", "t", "t > 0", "q", "3", "-1", "True", "2.5", "math.inf", "-math.inf", "math.nan", "'ab'", "b'ab'", "None",
    "()", "(n,)", "(1, (t, 'a'))", "Pair(n, t)", "Pair(1, 2)", "Boxed(t)", "Boxed((1, t), Kind.A)", "BOX", "(BOX, 1)",
    "Kind", "Kind.A", "fh.Rounding.ZERO", "f32", "fh.i4", "int", "Boxed", "math", "math.sqrt", "max", "fh", "fh.exp",
    "first", "range(3)", "range(0, n)", "range(1, 9, 2)", "fh.tiles(x, axis=1, size=8)", "x", "y", "z", "s", "w",
    "y.index", "y.start", "y.at(0, 0)", "s.at(0)", "x.window(0, 0, 4)", "x.shape", "t.sum", "lambda: t", "LISTED",
    "NUMBER", "(t, LISTED)", "Pair(t, first)",
]  # fmt: skip
PROGRAMS = [
    *BLOCKS, *STATEMENTS,
    "def inner(a, b=1):\n    c = a + b\n    breakpoint()\n    return c\nu = inner(t)",
    "def outer(a):\n    k = a + 1\n    def inner(b): return b + k\n    return inner(a)\nu = outer(t)",
    "u = fh.reduce(t, lambda a, b: a + b, 0.0)",
    "u = first(t)",
    "pass",
    "breakpoint()\nbreakpoint()",
    "u = t; breakpoint(); u = u + 1",
    "match (n, t):\n    case (1, u): t = u\n    case (m, u) if m > 2: t = u + m",
    "u, k = t, n\nu += k\n(u, k), m = (u, 1), k",
    "for k in range(n):\n    u = t + k\n    v = u\n    if n > 2: continue\n    t = v",
]  # fmt: skip


def stops(module: Any) -> Iterator[tuple[int, bool, list[tuple[str, dict[str, str]]]]]:
    """Of each stop its line, whether it is asked for, and the functions that are run, with what their names are."""
    for op in module.walk():
        if isinstance(op, BreakpointOp):
            place = span_of(op)
            assert place is not None
            dtypes = [text.data for text in op.dtypes]
            scopes: list[tuple[str, dict[str, str]]] = []
            for scope in op.scopes:
                data: Any = scope.data
                shown: dict[str, str] = {}
                for name, _, text in (str(text.data).partition(" = ") for text in data["names"]):
                    parts = re.split(r"\b_(\d+)\b", text)
                    parts[1::2] = [dtypes[int(n)] for n in parts[1::2]]
                    shown[name] = "".join(parts)
                scopes.append((str(data["function"].data), shown))
            yield place.line, op.asked is not None, scopes


def test_what_a_debugger_is_told(part: Any, lowered: Callable[..., Any], golden: Callable[[Path, str], None]) -> None:
    begin = fragments.begin(HEAD)

    def told(lines: list[str]) -> list[tuple[int, bool, list[tuple[str, dict[str, str]]]]]:
        return [*stops(lowered(fragments.kernel_of(*lines, head=HEAD), *arguments(part)))]

    *_, (_, _, [(_, before)]) = told(["breakpoint()"])
    found = [f"{name} = {text}" for name, text in before.items()]
    *_, (_, _, [(_, values)]) = told([*(f"u{n} = {value}" for n, value in enumerate(VALUES)), "breakpoint()"])
    found += [f"{value}: {values.get(f'u{n}', 'not shown')}" for n, value in enumerate(VALUES)]
    for program in PROGRAMS:
        found += ["", *program.split("\n")]
        for line, asked, scopes in told([*program.split("\n"), "breakpoint()"]):
            if line >= begin:
                shown: list[str] = []
                for name, names in scopes:
                    other = ", ".join(f"{k} = {v}" for k, v in names.items() if before.get(k) != v)
                    shown.append(f"{name}({other})")
                found.append(f"  {line - begin + 1}{' asked' * asked}: {' in '.join(shown)}")
    golden(Path(__file__).with_name("stops.txt"), "\n".join(found))
