"""
What is said where a part of what is understood is something else.

A name that there is not is what is said, once, and no more. Of a value of another kind, all that is said is kept.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fragments
import numpy as np
import pytest

from freehold.support.diagnostic import Rejected
from freehold.support.span import Span

HEAD = """
from freehold import Raw

class Pair(NamedTuple):
    x: object
    y: object

def first(a, b=1, *, c=2): return a

def kernel(y: Out[f32, "M", "N"], x: Ref[f32, "M", "N"], v: Ref[i32, "N"], s: Acc[f32, "N"], b: Acc[i32, "N"],
           w: Raw[i32, 1], n: int):
    t = x.load_like(y)
    i = v.load((0,), (8,))
    q = fh.bitcast(i, f32).astype(f8e5m2)
    p = t > 0
"""

ELEMENTWISE = [
    "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "erf", "sigmoid",
    "silu", "gelu", "log1p", "expm1", "floor", "ceil", "abs", "isnan", "isinf", "isfinite", "sign", "round",
]  # fmt: skip

USES = [
    *(f"fh.{name}(t)" for name in ELEMENTWISE),
    *(f"fh.{name}(t, t)" for name in ("atan2", "maximum", "minimum", "fmod")),
    *(f"fh.{name}(t, t, rounding=fh.Rounding.UP)" for name in ("add", "subtract", "multiply", "divide")),
    *(f"fh.{name}(t, axis=1, keepdims=True)" for name in ("sum", "prod", "max", "min", "argmax", "argmin")),
    *(f"t.{name}(axis=(0, 1), keepdims=True)" for name in ("sum", "prod", "max", "min")),
    *(f"t.{name}(1, keepdims=False)" for name in ("argmax", "argmin")),
    *(f"{of}(axis=0, keepdims=True)" for of in ("p.any", "p.all")),
    *(f"fh.{name}(p, 1)" for name in ("any", "all")),
    *(f"fh.{name}(t, axis=1, reverse=True)" for name in ("cumsum", "cumprod")),
    *(f"t.{name}(1, reverse=False)" for name in ("cumsum", "cumprod")),
    *(f"fh.{name}(t, axis=1)" for name in ("sort", "argsort")),
    "fh.exp2(t, flush_to_zero=True)", "fh.maximum(t, 0.0, propagate_nan=True)", "fh.where(p, t, 0.0)",
    "fh.fma(t, t, 1.0)", "fh.clip(t, 0.0, n)", "t.clip(0.0, 1.0)", "t.round()", "fh.mulhi(i, 3)", "fh.powi(t, n)",
    "fh.cdiv(n, 2)", "fh.cdiv(i, 2)", "fh.reduce(t, lambda a, b: a + b, 0.0, 1)", "fh.scan(i, lambda a, b: a + b, 0)",
    "fh.top_k(t, 2, axis=1)", "fh.mma(t, t.T, fh.zeros((4, 4), f32), fast_acc=False)", "t @ t.T",
    "fh.random_bits(n, i)", "fh.random_uniform(1, i)", "fh.zeros((4, 8), f32)", "fh.ones((4, 8), i32)",
    "fh.full((4, 8), n, i32)", "fh.full((4, 8), 1.5, f32)", "fh.arange(0, 16, 2, i64)", "fh.arange(8)",
    "fh.reshape(t, (8, 4))", "t.reshape(2, 16)", "fh.permute(t, (1, 0))", "t.permute((1, 0))", "t.transpose(1, 0)",
    "fh.transpose(t, (1, 0))", "t.flatten()", "t.squeeze()", "t.sum(axis=0, keepdims=True).squeeze(0)",
    "fh.expand_dims(t, 1)", "fh.broadcast_to(t[0], (4, 8))", "fh.concatenate((t, t), axis=1)", "fh.bitcast(t, i32)",
    "fh.extract(t, (0, n), (2, 4))", "t.extract((n, 0), (2, 4))", "fh.insert(t, (n, 0), fh.zeros((2, 4), f32))",
    "t.insert((0, 0), t[:2, :4])", "fh.pack(q)", "fh.unpack(fh.pack(q), f8e5m2)", "t.astype(f16)",
    "t.astype(i32, saturate=True)", "t.sum().item()", "x.load_from((n, 0), (4, 8))",
    "x.load((n, 0), (4, 8), padding='nan', latency=2, allow_tma=True)", "x.load((0, 0), shape=(4, 8))",
    "x.load_like(y)",
    "x.gather(fh.arange(8), i, mask=i > 0, padding=1.0)", "x.gather(n, i)", "v.gather(i)",
    "f32(n)", "i8(2.5)", "float(n)", "int(n)", "bool(n)", "abs(n)", "max(n, 1)",
    "min((t, 1.0, n))", "sum((t, 1.0), 2.0)", "divmod(n, 2)", "len((n, t))", "isinstance(t, fh.Tile)",
    "any((n > 0, True))", "all((n > 0, n < 3))", "tuple(zip((n, 1), (t, 2)))", "tuple(enumerate((n, t), 1))",
    "reversed((n, t))", "range(3)", "f'{2:03d}'", "math.sqrt(16)", "math.isclose(1.0, 1.2, rel_tol=0.5)",
    "Pair(n, y=t)", "Pair(n, t).x", "first(n, 2, c=t)", "first(t, b=n)", "(n, t)[0]", "(1, 2, 3)[1:]",
    "t[1, :4]", "t[:, None]", "t[..., 0]", "x.shape[1]", "y.tile[0]", "y.index[1]",
    "t + n", "t - 1.0", "t * t", "t / n", "i // 2", "i % n", "t ** 2", "i ** 2", "i & 1", "i | n", "i ^ i", "i << 1",
    "i >> n", "-t", "~i", "+t", "not n > 0", "0 < n < 3", "n == 2", "i != n", "n > 0 and n < 5", "n > 5 or n < 0",
    "None is None", "n in (1, 2)", "n not in (1, 2)", "t if n > 0 else t + 1", "1 if n > 0 else 2", "(n, 1) == (n, 2)",
    "tuple(k + n for k in (1, 2) if k > 1)", "t.shape == (4, 8)", "t.dtype is f32",
]  # fmt: skip
"""Expressions."""
RAW = [
    *(f"w.atomic_{name}(i, i, mask=i > 0)" for name in ("add", "max", "min", "and", "or", "xor", "exchange")),
    "w.gather(i, mask=i > 0, padding=3)", "w.atomic_cas(i, i, i, mask=i > 0)", "w.scatter(i, i, mask=i > 0)",
]  # fmt: skip
STATEMENTS = [
    *(f"b.{name}_at(i, i, mask=i > 0)" for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "maximum", "minimum")),
    *(f"b.at(n).{name}(i)" for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "maximum", "minimum")),
    "b.add_at(1, i)", "s.add_at(t, fh.arange(8), mask=p)", "b.at(n).add(i)",
    *(f"with fh.unsafe('why'): {line}" for line in RAW),
    "fh.print(n, t, sep=' ', end='')", "fh.print('n', n)", "fh.assert_(n > 0, 'positive')",
    "fh.static_assert(1 < 2, 'less')", "for k in range(0, n, 2): t += k",
    "for k in fh.static_range(0, 4, 2): t += k", "while n > 5: n -= 1",
    "for k in fh.tiles(x, axis=1, size=8, start=0, step=8): t += x.load((0, k), (4, 8))",
    "for k, l in ((n, t), (1, 2)): r = k", "for k in (n, 1): r = k", "for k, l in enumerate((n, t), 1): r = l",
    "if n > 0: t = t + n", "r = t; r += n", "r, *k = (n, t, 1)", "r = k = n", "r = x.window(0, 2, 4)",
    "t = y.at(n, 0).load()",
]  # fmt: skip


class Parts(ast.NodeVisitor):
    """What in a line may be another expression."""

    def __init__(self) -> None:
        self.found: list[ast.expr] = []

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Lambda, ast.JoinedStr, ast.comprehension, ast.GeneratorExp)):
            return  # whose names are its own
        if isinstance(node, ast.withitem):
            for part in getattr(node.context_expr, "args", ()):  # what is entered is no expression
                self.visit(part)
            return
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            if isinstance(node.func, ast.Attribute):
                self.visit(node.func)
            for part in (*node.args, *node.keywords):
                self.visit(part)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("fh", "math"):
            pass  # a name of a module
        else:
            super().generic_visit(node)
        is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if is_read and isinstance(node, ast.expr) and not isinstance(node, (ast.Slice, ast.Starred)):
            self.found.append(node)


def without(line: str) -> Iterator[str]:
    """The line with `missing` in the place of each of its parts, one at a time."""
    parts = Parts()
    parts.visit(ast.parse(line))
    for node in parts.found:
        if node.end_col_offset is not None:
            yield line[: node.col_offset] + "missing" + line[node.end_col_offset :]


def arguments(part: Any) -> list[Any]:
    x = np.zeros((4, 8), np.float32)
    numbers = np.zeros(8, np.int32)
    return [part(x.copy(), 4, 8), x, numbers, np.zeros(8, np.float32), numbers, numbers, 3]


def refused(lines: list[str], given: list[Any], lowered: Callable[..., Any]) -> list[str]:
    """What is said of a kernel of some lines."""
    try:
        lowered(fragments.kernel_of(*lines, head=HEAD), *given)
    except Rejected as rejected:
        return [error.report().title for error in rejected.errors]
    return []


def test_what_is_understood(part: Any, lowered: Callable[..., Any]) -> None:
    assert refused([*(f"r = {use}" for use in USES), *STATEMENTS], arguments(part), lowered) == []


def test_in_each_part_of_an_expression_it_alone_is_said(part: Any, lowered: Callable[..., Any]) -> None:
    lines = [line for use in USES for line in without(use)]
    numbered = [f"r = {line}".replace("missing", f"missing_{n}_") for n, line in enumerate(lines)]
    said = refused(numbered, arguments(part), lowered)
    assert Counter(said) == Counter(f"`missing_{n}_` is not defined" for n in range(len(lines)))


@pytest.mark.parametrize("statement", STATEMENTS)
def test_in_each_part_of_a_statement_it_alone_is_said(statement: str, part: Any, lowered: Callable[..., Any]) -> None:
    for line in without(statement):
        assert (line, refused([line], arguments(part), lowered)) == (line, ["`missing` is not defined"])


WRONG = ("'a'", "x", "(1, 2)", "None", "t[:, :2]", "2.5", "p", "fh.zeros((2, 2, 2), i8)", "-1", "f32")


def with_other_arguments(lines: list[str]) -> Iterator[str]:
    """The lines with an argument of a call or an operand each that is of another kind, of which there are some."""
    count = 0
    for line in lines:
        for call in ast.walk(ast.parse(line)):
            parts: list[ast.expr] = []
            match call:
                case ast.Call(func=ast.Name() | ast.Attribute(), args=args, keywords=keywords):
                    parts = [*args, *(keyword.value for keyword in keywords)]
                case (
                    ast.BinOp(left=left, right=right)
                    | ast.Compare(left=left, ops=[ast.Lt() | ast.Eq() | ast.In()], comparators=[right])
                ):
                    parts = [left, right]
                case _:
                    pass
            for part in parts:
                if not isinstance(part, (ast.Lambda, ast.Starred, ast.GeneratorExp)):
                    count += 1
                    yield line[: part.col_offset] + WRONG[count % len(WRONG)] + line[part.end_col_offset :]


def test_what_is_said_of_another_kind_of_value(
    part: Any, lowered: Callable[..., Any], golden: Callable[[Path, str], None]
) -> None:
    lines = [*with_other_arguments([f"r = {use}" for use in USES])]
    function = fragments.kernel_of(*lines, head=HEAD)
    with pytest.raises(Rejected) as caught:
        lowered(function, *arguments(part))
    begin = fragments.begin(HEAD)
    said: dict[int, list[str]] = {}
    for error in caught.value.errors:
        assert isinstance(error.place, Span)
        said.setdefault(error.place.line - begin, []).append(f"  {fragments.told(error)}")
    found = [text for n, line in enumerate(lines) for text in (line, *said.get(n, ["  (nothing)"]))]
    for line in with_other_arguments(STATEMENTS):  # each by itself: a wrong one may leave variables without a value
        try:
            lowered(fragments.kernel_of(line, head=HEAD), *arguments(part))
            found += [line, "  (nothing)"]
        except Rejected as rejected:
            found += [line, *(f"  {fragments.told(error)}" for error in rejected.errors)]
    golden(Path(__file__).with_name("other_kinds.err"), "\n".join(found))
