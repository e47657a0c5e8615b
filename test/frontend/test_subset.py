"""All of Python's syntax: each statement and expression has a meaning in kernels, or is refused with a way out."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable
from pathlib import Path

from freehold.frontend.lower import DISPATCH
from freehold.frontend.syntax import core, subset
from freehold.frontend.syntax.read import EXPRESSIONS, STATEMENTS
from freehold.frontend.syntax.subset import REFUSED, SUPPORTED, check
from freehold.support.diagnostic import Help, Rejected
from freehold.support.sources import register_source
from freehold.support.span import Span

PARTS = {core.Starred}
"""What is typed as a part of what is around it."""

SNIPPETS = """
async def later(): pass
---
class State: pass
---
del t
---
async for i in xs: pass
---
with fh.scope("a"): pass
---
async with a: pass
---
try: pass
except ValueError: pass
---
try: pass
except* ValueError: pass
---
import numpy
---
from numpy import exp
---
global total
---
nonlocal total
---
match t:
    case {"a": x}: pass
---
match t:
    case ((1 as x) | (2 as x), 3): pass
---
print(n := 3)
---
t = {"a": 1}
---
t = {1, 2}
---
t = [1, n]
---
t = [n]
---
t = []
---
t = [f(x) for x in xs]
---
t = {f(x) for x in xs if x}
---
t = {x: f(x) for x in xs}
---
t = (f(x) for x in xs)
---
t = tuple(f(x) async for x in xs)
---
await t
---
yield t
---
yield from t
---
for i in xs: pass
else: pass
---
while t: pass
else: pass
---
def inner(*args, **kwargs): pass
---
@decorate
def inner(): pass
---
f(**options)
---
a[0] = [b for [b, c] in xs]
"""
"""What is refused, a chunk each."""

LATER = """
type Pair = tuple
---
t = t"{n}"
"""
"""What only later Pythons can say."""


def function(chunk: str) -> ast.FunctionDef:
    (tree,) = ast.parse("def kernel(y):\n" + textwrap.indent(chunk, "    ")).body
    assert isinstance(tree, ast.FunctionDef)
    return tree


def chunks(text: str) -> list[str]:
    return [chunk.strip("\n") for chunk in text.split("---\n")]


def told(chunk: str) -> str:
    tree = function(chunk)
    lines = ["def kernel(y):", *textwrap.indent(chunk, "    ").splitlines()]
    register_source("kernel.py", "\n".join(lines) + "\n")
    found = check(tree, lambda node: Span.of_node(node, "kernel.py", lines, 1))
    assert found, chunk
    assert all(any(isinstance(part, Help) for part in e.added) for e in found), "each says what to write instead"
    return str(Rejected(found, kernel="kernel"))


def test_what_is_refused_has_a_name_and_a_way_out(golden: Callable[[Path, str], None]):
    golden(Path(__file__).with_name("subset.err"), "\n".join(map(told, chunks(SNIPPETS))))


def test_every_class_of_syntax_is_read_or_refused():
    classes = {*ast.stmt.__subclasses__(), *ast.expr.__subclasses__()}
    assert classes >= SUPPORTED
    inside_a_template = {"Interpolation"}  # which is refused as a whole
    assert not {c.__name__ for c in classes - SUPPORTED - set(REFUSED)} - inside_a_template
    assert {ast.Match} == SUPPORTED & set(REFUSED), "some patterns"
    assert {*STATEMENTS, *EXPRESSIONS, ast.FormattedValue} == SUPPORTED


def test_every_class_of_core_is_typed():
    classes = {c for c in vars(core).values() if isinstance(c, type) and issubclass(c, core.Stmt | core.Expr)}
    assert classes - PARTS - {core.Stmt, core.Expr, core.Return} == set(DISPATCH)


def test_every_refusal_is_shown():
    shown: set[type[ast.AST]] = set()
    for chunk in (*chunks(SNIPPETS), *chunks(LATER)):
        try:
            shown |= {type(node) for node in ast.walk(function(chunk))}
        except SyntaxError:  # of a later Python
            continue
    assert not {c.__name__ for c in set(REFUSED) - shown}


def test_a_text_is_shown_as_a_whole_as_long_as_it_fits_a_line() -> None:
    short: Callable[[ast.expr], str] = vars(subset)["_short"]
    for length, shown in ((72, "[" + "a" * 70 + "]"), (73, "[...]")):
        assert short(ast.parse("[" + "a" * (length - 2) + "]", mode="eval").body) == shown
