"""
Random programs for `fuzz_frontend`: kernels cut up and put together with pieces of each other.

A program is one of the texts below, or of those in test/frontend/rejected, with expressions and statements of its
functions replaced, left out or added. What is changed of a text is written anew; the rest is taken as it stands.
"""

from __future__ import annotations

import ast
import random
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import CodeType
from typing import Any, TypeGuard, cast

from freehold.support.sources import register_source

CORPUS = sorted((Path(__file__).parents[1] / "frontend" / "rejected").glob("*.py"))
PRELUDE = """
import dataclasses
import enum
import freehold as fh
import math
import numpy as np
from dataclasses import dataclass
from freehold import Const, Mut, Out, Ref, bf16, f16, f32, i32
from typing import NamedTuple

class Mode(enum.Enum):
    ADD = 1
    MUL = 2

class Pair(NamedTuple):
    a: object
    b: object = 3

    def total(self):
        return self.a + self.b

@dataclass(frozen=True)
class State:
    best: object
    count: object = 0
    mode: Mode = Mode.ADD
    scale: int = dataclasses.field(default=2, kw_only=True)

    def moved(self, by, times=1):
        return dataclasses.replace(self, best=self.best + by * times, count=self.count + 1)

    @property
    def mean(self):
        return self.best / (self.count + 1.0)

    @classmethod
    def start(cls, shape):
        return cls(fh.zeros(shape, f32))

    def __add__(self, other):
        return State(self.best + other.best, self.count, self.mode)

def search(x, limit, n):
    for i in fh.tiles(x, axis=1, size=16, stop=n):
        t = x.load((0, i), (16, 16))
        if t.max() > limit:
            return t, i
        for j in reversed(range(n, 0, -2)):
            if j == i:
                return t * 2, j
    return fh.zeros((16, 16), f32), -1

def pick(value, n):
    match value:
        case Mode.ADD | 1:
            return n
        case State(best=b, scale=2):
            return b
        case Pair(a, b) if n > 2:
            return a * b
        case (first, *rest, last) if len(rest) > 1:
            return first + last
        case int(m) | float(m):
            return m
        case _:
            return 0

def helper(t, s, flag=True):
    if flag:
        return t * s
    elif s > 2:
        t = t + 1
    return t

"""
HEAD = """
def kernel(y: Mut["M", "N"], x: Ref["M", "N"], z: Ref[f16, "N"], a: f32, n: int, BK: Const[int] = 16):
    i, j = y.index
    acc = fh.zeros(y.tile, f32)
    s, u, v, w = 0, acc, acc, acc
"""
LOOPS = """
    for k in fh.tiles(x, axis=1, size=BK):
        t = x.load((i, k), (y.tile[0], BK))
        acc = fh.mma(t, t.T, acc)
        if k % 2 == 0 and n > 3 or not (a < 1.0):
            s += k
            continue
        while s < n:
            s = s * 2 + 1
            if s > 100:
                break
    found, where = search(x, a, n)
    v = v + found * where
    for k in range(0, n, s + 1):
        if k > 5:
            break
        w = w + k
    best = (w, acc)
    for k in range(0, n, 2):
        best = best[1], best[0] + k
        if k == 5:
            break
    w = best[0] - v
"""
TILES = """
    u = helper(acc, a, flag=BK > 8)
    v = fh.where(u > 0, fh.exp(u), u[:, None].reshape(y.tile)) if n else u
    w = fh.reduce(v, lambda p, q: fh.maximum(p, q), 0.0, 1)[:, None]
    for q, r in enumerate((1, 2.0, s)):
        w = w + q * r
    def inner(p):
        return p - z.load(0, 64).astype(f32).sum(axis=0, keepdims=True)
    w = inner(w) + u[0:1] * u[..., 3][:, None]
"""
RECORDS = """
    state = State.start(y.tile)
    pair = Pair(0, n)
    for k in range(n, -1, -1):
        state = state.moved(u, k) if k % 2 else State(w + u, state.count + 1, state.mode)
        pair = pair._replace(a=pair.a + k)
        if pair.total() > 7:
            y.store(state.best)
            return
    v = v + pick(state, n) * pick(pair, n) + pick((n, 1, 2, 3), n)
    w = w + sum(p * u for p in (1, n, a)) + tuple(q + i for i, q in enumerate((u, v)) if i < 1)[0]
    flag = any(p > 2 for p in (n, 3)) and all(p is not None for p in (n, a)) and state.mode is Mode.ADD
    [w, v] = (w + (state + state).mean, v) if flag else (w, v + n)
"""
LAST = """
    y.store(v + w - y.load() // 2 ** 3 + x.shape[0] * math.pi)
"""
BODIES = (LOOPS, TILES, RECORDS, LOOPS + TILES + RECORDS)

ELEMENTS = """
import freehold as fh
from freehold import Acc, Mut, Out, Raw, Ref, f32, i32

def locked(r, n):
    with fh.unsafe("who holds the lock is alone"):
        while r.atomic_cas(0, 1, 0, order="acquire") != 0:
            if n > 3:
                break
        old = r.gather(n + fh.arange(16), mask=fh.arange(16) < n, order="relaxed", scope="block")
        r.scatter(old + 1, fh.arange(16)[:, None], mask=None)
        r.atomic_exchange(0, 0, order="release")
    return old

def kernel(y: Mut["M", "N"], x: Ref["M", "N"], h: Acc[f32, "B"], g: Acc[i32, "B", 4], r: Raw[i32, "B"], n: int):
    i, j = y.index
    rows = i * 16 + fh.arange(16)
    h.add_at(x.gather(rows[:, None], rows % x.shape[1], mask=rows > 3), rows)
    h.at(n).add(x.load_from((i - 1, j * 16 + 1), (2, 16), padding="nan").sum(axis=0))
    g.maximum_at(locked(r, n), rows, 3, mask=rows < n)
    for k in range(n):
        if k > 2:
            g.at(k, 0).maximum(fh.zeros((4, 4), i32))
    y.store(y.load() + x.gather(rows[:, None], j * 16 + fh.arange(16)))
"""

MULTIPLES = """
import freehold as fh
from freehold import Const, Out, Ref, f32, i32, i64

def walked(x, first, last, SIZE):
    total = fh.zeros((SIZE,), f32)
    for k in range(first, last):
        p = x.load((k,), (SIZE,))
        total += p * p - p
    return total

def kernel(
    y: Out[f32, "16 * Q"], x: Ref[f32, "8 * P"], z: Ref[f32, "4 * (R - 1)", "P"], n: i64, m: i32, S: Const[int] = 8
):
    (i,) = y.index
    fh.require("m < P * 4 and 8 * P >= R")
    t = fh.zeros((16,), f32)
    for k in fh.tiles(x, axis=0, size=8):
        t += x.load((k,), (8,)).sum()
    for k in fh.tiles(z, axis=0, size=2):
        q = z.load((k, 0), (2, 16), padding="inf").min(axis=0) * t
        t = t + (q - q)
    w = x.window(0, 1, 4 * m)
    for k in fh.tiles(w, axis=0, size=4):
        if k > n:
            t += w.load((k,), (4,)).sum()
    y.store(t + walked(x, 0, n, 16) * i)
"""

Change = ast.expr | list[ast.stmt]
"""What stands in place of a node: an expression of an expression, any number of statements of a statement."""


@dataclass(frozen=True, eq=False)
class Part:
    """A statement of a file: a function, a class with methods, or anything else, which stays as it is."""

    node: ast.stmt
    text: str
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict["ast.AST", "ast.AST"])
    """Of every node within."""

    @property
    def name(self) -> str:
        """What it defines; empty where it defines nothing."""
        return getattr(self.node, "name", "")

    def changed(self, changes: dict[ast.AST, Change]) -> str:
        """Its text after some changes."""
        way: set[ast.AST] = set()
        for node in changes:
            while (parent := self.parents.get(node)) is not None and parent not in way:
                way.add(parent)
                node = parent
        return ast.unparse(_copy(self.node, changes, way)) if self.node in way else self.text


def _copy(node: Any, changes: dict[ast.AST, Change], way: set[ast.AST]) -> Any:
    """A copy of `node`, which is on the way to a change; what is not on the way is shared."""
    fields: dict[str, object] = {}
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            items: list[Any] = []
            for item in cast("list[Any]", value):
                new = changes.get(item) if isinstance(item, ast.AST) else None
                if new is None:
                    items.append(_copy(item, changes, way) if item in way else item)
                else:
                    items += new if isinstance(new, list) else [new]
            fields[name] = items or ([ast.Pass()] if name == "body" else [])
        elif isinstance(value, ast.AST):
            fields[name] = changes.get(value) or (_copy(value, changes, way) if value in way else value)
        else:
            fields[name] = value
    made = type(node)(**fields)
    return ast.copy_location(made, node)  # `unparse` reads line numbers here and there


@dataclass(frozen=True, eq=False)
class Program:
    """A Python file with a function `kernel`."""

    file: str
    parts: tuple[Part, ...]
    expressions: tuple[tuple[Part, ast.expr], ...]
    """Those that may be replaced, with the parts that they belong to."""
    statements: tuple[tuple[Part, ast.stmt], ...]
    """As `expressions`."""

    @property
    def text(self) -> str:
        """All of it, unchanged."""
        return "\n".join(part.text for part in self.parts)

    @cached_property
    def code(self) -> CodeType:
        """All of it, compiled once."""
        register_source(self.file, self.text)
        return compile(self.text, self.file, "exec")

    @cached_property
    def names(self) -> dict[str, Any]:
        """What running it defines."""
        names: dict[str, Any] = {}
        exec(self.code, names)
        return names


def _may_be_replaced(node: ast.AST) -> TypeGuard[ast.expr]:
    """Whether any expression may stand in place of `node`."""
    if not isinstance(node, ast.expr) or isinstance(node, ast.Starred):
        return False
    return not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)


def program(text: str, file: str) -> Program:
    """A file, taken apart."""
    parts: list[Part] = []
    expressions: list[tuple[Part, ast.expr]] = []
    statements: list[tuple[Part, ast.stmt]] = []
    for top in ast.parse(text).body:
        part = Part(top, ast.get_source_segment(text, top) or "")
        if isinstance(top, ast.FunctionDef | ast.ClassDef):
            part = Part(top, ast.unparse(top))
        parts.append(part)
        for function in ast.walk(top):
            for child in ast.iter_child_nodes(function):
                part.parents[child] = function
        for function in [top] if isinstance(top, ast.FunctionDef) else getattr(top, "body", []):
            if not isinstance(function, ast.FunctionDef):
                continue
            for node in (inner for statement in function.body for inner in ast.walk(statement)):
                if isinstance(node, ast.stmt):
                    statements.append((part, node))
                elif _may_be_replaced(node):
                    expressions.append((part, node))
    return Program(file, tuple(parts), tuple(expressions), tuple(statements))


@dataclass(frozen=True)
class Mutant:
    """A program, changed at random."""

    text: str
    """All of it."""
    start: dict[str, Any]
    """The names that are there before `run` runs."""
    run: str
    """What is to be run: all of it, or where nothing else is changed, its kernel."""


class Mutants:
    """Mutant programs by number."""

    def __init__(self) -> None:
        texts = [*(PRELUDE + HEAD + body + LAST for body in BODIES), ELEMENTS, MULTIPLES]
        self.own = [program(text, f"<own {n}>") for n, text in enumerate(texts)]
        corpus = [program(path.read_text(encoding="utf-8"), f"<{path.name}>") for path in CORPUS]
        self.corpus = [p for p in corpus if p.expressions and p.statements]
        whole = [*self.own, *self.corpus]
        self.expressions = [node for p in whole for _, node in p.expressions]
        self.statements = [node for p in whole for _, node in p.statements]

    def draw(self, rng: random.Random) -> Mutant | None:
        """A mutant; None where what came out cannot be written as Python."""
        chosen = rng.choice(self.own if rng.random() < 0.7 else self.corpus)

        def foreign() -> bool:
            return rng.random() < 0.3  # most names of other programs are not defined in this one

        changes: dict[Part, dict[ast.AST, Change]] = {}
        for _ in range(rng.choice((1, 1, 2, 4, 12, 36))):
            if rng.random() * (len(chosen.expressions) + 3 * len(chosen.statements)) < len(chosen.expressions):
                part, node = rng.choice(chosen.expressions)
                change: Change = rng.choice(self.expressions) if foreign() else rng.choice(chosen.expressions)[1]
            else:
                part, node = rng.choice(chosen.statements)
                other = rng.choice(self.statements) if foreign() else rng.choice(chosen.statements)[1]
                change = rng.choice(([], [other], [node, other]))
            changes.setdefault(part, {})[node] = change
        try:
            texts = {part: part.changed(made) for part, made in changes.items()}
        except (ValueError, RecursionError, AttributeError):  # a tree that is no program
            return None
        text = "\n".join(texts.get(part) or part.text for part in chosen.parts)
        alone = chosen in self.own and [part.name for part in changes] == ["kernel"]
        (kernel,) = texts.values() if alone else ("",)
        return Mutant(text, chosen.names.copy(), kernel) if alone else Mutant(text, {}, text)
