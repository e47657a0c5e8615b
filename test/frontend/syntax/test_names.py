"""Which variables are assigned, read and live, by text."""

from __future__ import annotations

import ast

from freehold.frontend.syntax import core, core_of, liveness, names


def made(text: str) -> core.Function:
    tree = ast.parse(text).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return core_of(tree)


def only(function: core.Function, kind: type[core.Stmt]) -> core.Stmt:
    (found,) = (node for node in core.walk(function) if isinstance(node, kind))
    assert isinstance(found, core.Stmt)
    return found


def test_what_is_assigned():
    f = made("def f(a):\n    x, (*y, z) = a\n    for i in a:\n        if i: w = 1\n        def g(): v = 1\n    a.b = 1")
    assert list(names.assigned(f.body)) == ["x", "y", "z", "i", "w", "g"]


def test_what_is_read_before_it_is_assigned():
    f = made(
        """
def f(a):
    x = a
    if x > n:
        y = 1
    else:
        y = m
    while y < k:
        z = y + w
        y = sum(q for q in z if q < p)
    s += (lambda r: r + t)(z)
""".strip()
    )
    assert names.exposed(f.body).keys() == {"a", "n", "m", "k", "w", "sum", "p", "s", "t", "z"}


def test_a_branch_that_leaves_reads_nothing_behind_it():
    f = made("def f(a):\n    for i in a:\n        if i: continue\n        else: x = i\n        g(x)")
    assert "x" not in liveness.facts(f).loop(loop_of(f)).exposed


def loop_of(f: core.Function) -> core.Loop:
    loop = only(f, core.For)
    assert isinstance(loop, core.For)
    return loop


def test_what_is_live_behind_an_if_and_a_loop():
    f = made(
        """
def f(a):
    x = y = z = 0
    for i in a:
        if i:
            x, y, z, w = 1, 2, 3, 4
        y = y + 1
        z = 0
        if x:
            break
    return x
""".strip()
    )
    facts = liveness.facts(f)
    outer, _ = (node for node in core.walk(f) if isinstance(node, core.If))
    live = {name for name in "xyzwi" if facts.is_live(name, outer)}
    assert live == {"x", "y"}
    assert {name for name in "xyzwi" if facts.is_live(name, loop_of(f))} == {"x"}
    assert facts.loop(loop_of(f)).exposed >= {"x", "y"}
    assert not {"z", "w"} & facts.loop(loop_of(f)).exposed
    assert facts.loop(loop_of(f)).leaves


def test_what_inner_functions_read_is_live_everywhere():
    f = made("def f(a):\n    x = 1\n    def g(y): return x + y\n    if a: x, y = 2, 3\n    return g(1)")
    facts = liveness.facts(f)
    branch = only(f, core.If)
    assert facts.is_live("x", branch)
    assert not facts.is_live("y", branch)


def test_results_are_live():
    f = made("def f(a):\n    if a:\n        return 1\n    x = 2\n    return x")
    facts = liveness.facts(f)
    branch = only(f, core.If)
    assert facts.is_live(core.RESULT, branch)
    assert not facts.is_live("x", branch)
