"""
What every kind of value is good for: what comes of each wherever one may stand, or what is said.

Whatever a kernel names is here: numbers, tiles, tensors, functions, classes, and what the host alone can use.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import fragments
import numpy as np
import pytest

from freehold.frontend.lower import lower
from freehold.frontend.source import KernelFunction
from freehold.support.diagnostic import Error, Rejected
from freehold.support.span import Span

HEAD = """
import enum, dataclasses
from dataclasses import replace
from freehold import Raw

class Pair(NamedTuple):
    x: object
    y: object

@dataclass(frozen=True)
class Boxed:
    x: object
    y: object = 2

    @property
    def both(self): return (self.x, self.y)

    def scaled(self, by): return replace(self, x=self.x * by)

    @staticmethod
    def of(x): return Boxed(x)

@dataclass
class Loose:
    x: object = 1

class Kind(enum.Enum):
    A = 1
    B = "b"

class Plain:
    LIMIT = 3

LISTED, NAMED, BOX, LOOSE, PAIR = [1, 2], {"a": 1}, Boxed(1), Loose(), Pair(1, 2.5)

def first(a=1, b=2): return a

def kernel(y: Out[f32, "M", "N"], z: Mut[f32, "M", "N"], x: Ref[f32, "M", "N"], v: Ref[i32, "N"] | None,
           s: Acc[f32, "N"], w: Raw[i32, 1], n: int, flag: bool, C: Const[int]):
    def inner(a=1): return a
    t = x.load_like(y)
    i = fh.arange(8)
    box, pair = Boxed(t, n), Pair(n, t)
"""
VALUES = [
    "(3)", "(2.5)", "True", "'ab'", "b'ab'", "None", "(1, 2)", "(n, t)", "n", "flag", "t", "(t > 0)",
    "fh.zeros(4, f8e5m2)", "f32", "BOX", "box", "PAIR", "pair", "x", "z", "s", "w", "v", "y.at(0, 0)", "range(3)",
    "range(n)", "fh.tiles(x, axis=1, size=8)", "first", "inner", "fh.exp", "t.sum", "box.scaled", "max", "Boxed",
    "Kind", "Kind.A", "Plain", "int", "math", "LISTED", "LOOSE", "missing",
]  # fmt: skip
PLACES = [
    "V", "V[0]", "V['A']", "V[n]", "V[1:]", "V.x", "V.name", "V()", "V(t)", "-V", "~V", "not V", "V + 1", "1 - V",
    "V * 2", "V % V", "V ** 2", "V << 1", "t + V", "V @ V", "V + V", "V == V", "V == 1", "V != None", "V < 2",
    "V is None", "V is not V", "1 in V", "V in (1, None)", "V and True", "V or n > 0", "1 if V else 2",
    "V if n > 0 else V", "V if n > 0 else 1", "None if n > 0 else V", "len(V)", "tuple(V)", "bool(V)", "int(V)",
    "float(V)", "abs(x=V)", "max(V)", "max(V, 1)", "sum(V)", "any(V)", "tuple(enumerate(V, n))", "enumerate((1, 2), V)",
    "reversed(V)", "tuple(zip(V, V))", "isinstance(V, int)", "isinstance(V, fh.Tile)", "isinstance(1, V)", "range(V)",
    'f"{V}"', 'f"{V:3d}"', "f32(V)", "fh.zeros(V)", "fh.zeros(4, V)", "fh.full(4, V)", "fh.arange(V)", "t.sum(V)",
    "fh.where(V, t, 0)", "fh.maximum(V, 1)", "fh.cdiv(V, 2)", "fh.reduce(t, V, 0)", "fh.reduce(V, max, 0)",
    "fh.reduce(t, fh.maximum, V)", "fh.exp(t, rounding=V)", "fh.exp2(t, flush_to_zero=V)", "t.reshape(V)", "t[V]",
    "t[0, V]", "x[V]", "x.load(V, (4, 8))", "x.load((0, V), (4, 8))", "x.load((0, 0), (V, 8))",
    "x.load((0, 0), (4, 8), padding=V)", "x.load((0, 0), (4, 8), latency=V)", "x.load_like(V)", "x.gather(V, 0)",
    "x.gather(0, fh.arange(8), mask=V)", "x.window(0, V, 4)", "x.window(0, 0, V)", "s.add_at(V, fh.arange(8))",
    "z.store(V)", "fh.concatenate(V)", "fh.extract(t, V, (2, 4))", "fh.top_k(t, V)", "fh.random_bits(V, fh.arange(8))",
    "fh.print(V)", "fh.assert_(V)", "fh.static_assert(V)", "fh.static_assert(False, V)", "fh.require(V)",
    "fh.require(V > 0)", "first(*V)", "replace(V, x=1)", "replace(box, x=V)", "Boxed(V)", "tuple(k for k in V)",
    "(1, 2)[V]", "(1, 2)[V:]",
]  # fmt: skip
STATEMENTS = [
    "for q in V: pass", "for q in fh.static_range(V): pass", "for q, r in V: pass",
    "for q in fh.tiles(V, axis=0, size=8): pass", "while V: break", "if V: pass", "assert V", "assert n > 0, V",
    "q, r = V", "V", "with V: pass", "with fh.unsafe(V): pass", "q = V; q += 1", "y[...] = V", "q: f32 = V",
    "q = V\n    for k in range(n): q = t", "q = V\n    if n > 0: q = t\n    q = q + 1",
]  # fmt: skip


def put(text: str, value: str) -> str:
    """A place with a value in it."""
    return re.sub(r"\bV\b", lambda _: value, text)


ALIKE = ("O010", "O033", "O034", "O041", "O044")
"""Errors of which it is said elsewhere what they say, much of it in Python's own words."""


def text(error: Error) -> str:
    """What an error is; what a value is, where it is that there is no such attribute of it."""
    report = error.report()
    kind, found, _ = report.title.rpartition(" has no attribute `shown`")
    return kind if found else report.code if report.code in ALIKE else f"{report.code} {report.title}"


def said_of(statements: list[str], refused: Callable[[list[str]], list[Error]]) -> list[str]:
    """What is said of each of some statements of a kernel, of as many lines each."""
    said: list[list[str]] = [[] for _ in statements]
    length = statements[0].count("\n") + 1
    for error in refused(statements):
        assert isinstance(error.place, Span)
        said[(error.place.line - fragments.begin(HEAD)) // length].append(text(error))
    return [" / ".join(texts) for texts in said]


def grouped(place: str, kinds: dict[str, str], said: list[str]) -> list[str]:
    """What is said in a place, and of which values; what a value is stands for itself."""
    groups: dict[str, list[str]] = {}
    for (value, kind), found in zip(kinds.items(), said, strict=True):
        for text in (f"`{value}`, {kind},", kind, f"`{value}`", f"`{value.strip('()')}`"):
            if not re.match(r"O0|\w{0,2}$", text):
                found = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", "V", found)
        groups.setdefault(found or "nothing is said", []).append(value)
    return [place, *(f"  {found}: {', '.join(names)}" for found, names in groups.items())]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")  # of numbers that are called
def test_what_comes_of_each(part: Any, specialised: Callable[..., Any], golden: Callable[[Path, str], None]) -> None:
    x = np.zeros((4, 8), np.float32)
    given = [part(x, 4, 8), part(x, 4, 8), x, None, np.zeros(8, np.float32), np.zeros(8, np.int32), 3, True, 5]

    def refused(lines: list[str]) -> list[Error]:
        """What is said of some lines in a kernel, to which one of its tensors is not given."""
        kernel = KernelFunction(cast(FunctionType, fragments.kernel_of(*lines, head=HEAD)), (0,))
        try:
            lower(kernel, specialised(kernel, *given)).verify()
        except Rejected as rejected:
            return list(rejected.errors)
        return []

    values = dict(zip(VALUES, said_of([f"q = {value}.shown" for value in VALUES], refused), strict=True))
    found = [f"{value}\n  {kind}" for value, kind in values.items()]
    values = {v: k.removeprefix(f"`{v}`, ").removesuffix(",") for v, k in values.items()}
    for place in PLACES:
        lines = [f"q = ({put(place, value)}).shown" for value in VALUES]
        found += grouped(place, values, said_of(lines, refused))
    for statement in STATEMENTS:
        found += grouped(statement, values, said_of([put(statement, value) for value in VALUES], refused))
    golden(Path(__file__).with_name("kinds_of_values.err"), "\n".join(found))
