"""
Kernels cut up and put together at random, for the frontend: each is accepted, and then well-formed IR, or refused with
a code. Anything else is a bug.

`python test/fuzz/fuzz_frontend.py --cases 1000 --seed 0` prints the programs that are neither, and exits with status 1
if there are any.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
import traceback
import warnings
from pathlib import Path
from types import FunctionType
from typing import Any

from freehold.frontend.lower import lower
from freehold.frontend.schedule import PartitionSpec
from freehold.frontend.signature import ConstSpec, ScalarSpec, Specialisation, TensorSpec
from freehold.frontend.source import KernelFunction
from freehold.passes.verify_dominance import verify_dominance
from freehold.support import dtypes
from freehold.support.diagnostic import Rejected
from freehold.support.span import register_source

CORPUS = sorted((Path(__file__).parents[1] / "frontend" / "rejected").glob("*.py"))
SEEDS = """
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

def kernel(y: Mut["M", "N"], x: Ref["M", "N"], z: Ref[f16, "N"], a: f32, n: int, BK: Const[int] = 16):
    i, j = y.index
    acc = fh.zeros(y.tile, f32)
    s = 0
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
    u = helper(acc, a, flag=BK > 8)
    v = fh.where(u > 0, fh.exp(u), u[:, None].reshape(y.tile)) if n else u
    w = fh.reduce(v, lambda p, q: fh.maximum(p, q), 0.0, 1)[:, None]
    for q, r in enumerate((1, 2.0, s)):
        w = w + q * r
    def inner(p):
        return p - z.load(0, 64).astype(f32).sum(axis=0, keepdims=True)
    state = State.start(y.tile)
    pair = Pair(0, n)
    for k in range(n, -1, -1):
        state = state.moved(u, k) if k % 2 else State(w + u, state.count + 1, state.mode)
        pair = pair._replace(a=pair.a + k)
        if pair.total() > 7:
            y.store(state.best)
            return
    found, where = search(x, a, n)
    v = v + pick(state, n) * pick(pair, n) + pick((n, 1, 2, 3), n)
    w = w + sum(p * found for p in (1, n, a)) + tuple(q + i for i, q in enumerate((u, v)) if i < 1)[0]
    flag = any(p > 2 for p in (n, 3)) and all(p is not None for p in (n, a)) and state.mode is Mode.ADD
    [w, v] = (w + (state + state).mean, v) if flag else (w, v + where)
    for k in range(0, n, s + 1):
        if k > 5:
            break
        w = w + k
    best = (w, inner(w))
    for k in range(0, n, 2):
        best = best[1], best[0] + k
        if k == 5:
            break
    w = w + u[0:1] * u[..., 3][:, None]
    y.store(v + best[0] - y.load() // 2 ** 3 + x.shape[0] * math.pi)
"""


def pieces(trees: list[ast.Module]) -> tuple[list[ast.expr], list[ast.stmt]]:
    """The expressions and statements of functions, to put in place of others."""
    expressions: list[ast.expr] = []
    statements: list[ast.stmt] = []
    for tree in trees:
        for function in tree.body:
            if isinstance(function, ast.FunctionDef):
                for node in ast.walk(function):
                    if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
                        expressions.append(node)
                    elif isinstance(node, ast.stmt) and node is not function:
                        statements.append(node)
    return expressions, statements


class Mutator(ast.NodeTransformer):
    """Replaces, drops and repeats nodes inside functions."""

    def __init__(self, rng: random.Random, expressions: list[ast.expr], statements: list[ast.stmt], rate: float):
        self.rng, self.expressions, self.statements, self.rate = rng, expressions, statements, rate
        self.inside = False

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.FunctionDef) and not self.inside:
            self.inside = True
            node.body = self.body(node.body)
            self.inside = False
            return node
        if not self.inside:
            return self.generic_visit(node)
        if isinstance(node, ast.expr) and self.rng.random() < self.rate:
            context = getattr(node, "ctx", None)
            if not isinstance(context, ast.Store | ast.Del) and not isinstance(node, ast.Starred):
                return self.rng.choice(self.expressions)
        for name in ("body", "orelse"):
            nodes: list[ast.stmt] | ast.expr | None = getattr(node, name, None)
            if isinstance(nodes, list):
                setattr(node, name, self.body(nodes) if nodes else [])
        return self.generic_visit(node)

    def body(self, nodes: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for node in nodes:
            draw = self.rng.random()
            if draw < self.rate:
                continue
            made.append(self.rng.choice(self.statements) if draw < 2 * self.rate else self.visit(node))
            if draw > 1 - self.rate:
                made.append(self.rng.choice(self.statements))
        return made or [ast.Pass()]


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
    h.at(n).add(x.load_window((i - 1, j * 16 + 1), (2, 16), padding="nan").sum(axis=0))
    g.maximum_at(locked(r, n), rows, 3, mask=rows < n)
    for k in range(n):
        if k > 2:
            g.at(k, 0).maximum(fh.zeros((4, 4), i32))
    y.store(y.load() + x.gather(rows[:, None], j * 16 + fh.arange(16)))
"""


def specialisation(function: KernelFunction, rng: random.Random) -> Specialisation:
    """Arguments for the parameters, mostly fitting."""
    specs: list[TensorSpec | ScalarSpec | ConstSpec] = []
    for p in function.signature.parameters:
        if p.mode == "const":
            specs.append(ConstSpec(rng.choice([p.default] * 16 + [16, 64, 7, "text"])))
        elif p.mode == "scalar":
            specs.append(ScalarSpec(p.dtype or (dtypes.i32 if p.type is int else dtypes.f32)))
        else:
            rank = len(p.dims) if p.dims else rng.choice([1, 2])
            tile = (16,) * rank
            split = rng.random() < (0.97 if p.mode in ("mut", "out") else 0.03)
            dtype = p.dtype or rng.choice([dtypes.f32] * 40 + [dtypes.f16, dtypes.i32, dtypes.bool_, dtypes.u8])
            specs.append(TensorSpec.plain(dtype, rank, PartitionSpec(tile, tile) if split else None))
    return Specialisation(tuple(specs))


def mutants(seed: int, count: int):
    """Programs, from one seed."""
    rng = random.Random(seed)
    trees = [ast.parse(SEEDS), ast.parse(ELEMENTS), *(ast.parse(path.read_text(encoding="utf-8")) for path in CORPUS)]
    expressions, statements = pieces(trees)
    for _ in range(count):
        texts = (SEEDS, SEEDS, ELEMENTS)
        text = rng.choice(texts) if rng.random() < 0.7 else rng.choice(CORPUS).read_text(encoding="utf-8")
        tree = ast.parse(text)
        mutator = Mutator(rng, expressions, statements, rng.choice([0.0003, 0.001, 0.003, 0.01, 0.03]))
        try:
            yield ast.unparse(ast.fix_missing_locations(mutator.visit(tree))), rng
        except (ValueError, RecursionError, AttributeError):  # a tree that is no program
            continue


def attempt(text: str, file: str, rng: random.Random) -> str:
    """What became of a program: `invalid` (no Python), `accepted`, or the code of its first error. Raises on a bug."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            code = compile(text, file, "exec")
            names: dict[str, Any] = {}
            register_source(file, text)
            exec(code, names)
    except (SyntaxError, ValueError):
        return "invalid"
    except Exception as e:
        if isinstance(e, Rejected):
            return e.codes[0]
        return "invalid"
    function = names.get("kernel")
    if not isinstance(function, FunctionType):
        return "invalid"
    try:
        kernel = KernelFunction(function)
        module = lower(kernel, specialisation(kernel, rng))
    except Rejected as e:
        str(e)
        return e.codes[0]
    module.verify()
    if undominated := verify_dominance(module):
        raise AssertionError(f"a value is used where it may not be defined: {undominated[0]}")
    return "accepted"


def run(seed: int, count: int) -> tuple[dict[str, int], list[str]]:
    """How often each outcome came, and the programs with which something else did."""
    outcomes: dict[str, int] = {}
    bugs: list[str] = []
    for number, (text, rng) in enumerate(mutants(seed, count)):
        file = f"<mutant {seed} {number}>"
        try:
            outcome = attempt(text, file, rng)
        except Exception:
            bugs.append(f"{text}\n# {traceback.format_exc()}")
            outcome = "bug"
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    return outcomes, bugs


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    outcomes, bugs = run(options.seed, options.cases)
    print(", ".join(f"{k}: {v}" for k, v in sorted(outcomes.items())))
    for bug in bugs[:5]:
        print("-" * 80, bug, sep="\n")
    return 1 if bugs else 0


if __name__ == "__main__":
    sys.exit(main())
