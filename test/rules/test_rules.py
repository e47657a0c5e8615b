"""Each rule of `rules`, in every form it has: refused with its code, or accepted and run."""

from __future__ import annotations

import ast
import linecache
from itertools import count
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np
import pytest
from rules import ATTACKS, HOLES, RULES, Absent, Body, Elsewhere, Entry, Program

import freehold as fh
from freehold.runtime.interpreter import run
from freehold.support.diagnostic import Rejected

TESTS = Path(__file__).parents[1]
FORMS = ("straight", "for", "if", "helper", "persistent")
NAMES = "y, z, h, w, x, q, s, i, d"
KERNEL = """
import freehold as fh
from freehold import Acc, Mut, Out, Raw, Ref, f32, i32

HELPER

@fh.kernel(KWARGS)
def k(y: Out["N"], z: Mut["N"], h: Acc["L"], w: Ref["N"], x: Ref["M"], q: Raw["M"], v: Ref[i32, "M"], s: i32):
    (i,) = y.index
    d = fh.sum(v.load((0,), (16,)))
BODY
"""
PRELUDE = """
import numpy as np
import freehold as fh
from freehold import Acc, Mut, Out, Ref, f32, i32

a, b, c, d = (np.zeros(n, np.float32) for n in (64, 64, 128, 96))
m, n, tall = np.zeros((32, 16), np.float32), np.zeros((16, 32), np.float32), np.zeros((16, 64), np.float32)
m4, n4 = (np.zeros((2, 4, 4, 4), np.float32) for _ in range(2))

def part(array, **how):
    return fh.partition(array, 16, **how)

class Elsewhere:
    pass

@fh.kernel
def copy(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y))

@fh.kernel
def typed(y: Out["N"], x: Ref[i32, "N"]):
    y.store(x.load_like(y))

@fh.kernel
def named(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y))

@fh.kernel
def other(y: Out["N"], x: Ref["M"]):
    (i,) = y.index
    y.store(x.load((i + 3,), y.tile))

@fh.kernel
def four(y: Out["A", "B", "C", "D"], x: Ref["A", "B", "C", "D"]):
    y.store(x.load_like(y))

@fh.kernel
def two(y: Mut["N"], z: Mut["M"]):
    z.store(z.load())

@fh.kernel
def reads(x: Ref["N"]):
    t = x.load((0,), (16,))

@fh.kernel
def sums(total: Acc["K"], x: Ref["N"]):
    total.at(0).add(fh.sum(x.load(), keepdims=True))

@fh.kernel
def turned(y: Out["M", "N"], x: Ref["N", "M"]):
    i, j = y.index
    y.store(x.load((j, i), (y.tile[1], y.tile[0])).transpose())

@fh.kernel
def wrong_axis(y: Out["M", "N"], x: Ref["N", "K"]):
    i, j = y.index
    y.store(x.load((i, j), y.tile))

@fh.kernel
def fill(y: Out["N"]):
    y.store(fh.zeros(y.tile, f32))

@fh.kernel
def too_large(y: Out["N"]):
    y.store(fh.full(y.tile, 300, fh.i8).astype(f32))

def partly():
    return fill(fh.partition(b, 16, grid=(2,), partial=True))

def wholly():
    return fill(fh.partition(b, 16, grid=(2,)))
"""
_number = count()


def load(text: str) -> dict[str, Any]:
    """Runs a program, whose source can be looked up as that of a file."""
    name = f"<rule {next(_number)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"__name__": "rule"}
    exec(compile(text, name, "exec"), scope)
    return scope


def program_of(entry: Body, form: str) -> str:
    """The kernel with a body in a form."""
    body, helper = entry.text, ""
    if form == "for":
        body = f"for turn in range(2):\n{indent(body, '    ')}"
    elif form == "if":
        body = f"if d > 0:\n{indent(body, '    ')}"
    elif form == "helper":
        helper = f"def act({NAMES}):\n{indent(body, '    ')}\n"
        body = f"act({NAMES})"
    text = KERNEL.replace("HELPER", helper).replace("(KWARGS)", "(deny_kernel_checks=True)" if entry.deny else "")
    return text.replace("BODY", indent(f"{body}\n{entry.after}", "    "))


def bodies() -> list[tuple[Body, str]]:
    return [(e, form) for e in (*RULES, *HOLES, *ATTACKS) if isinstance(e, Body) for form in FORMS]


def named(entry: object) -> str:
    if isinstance(entry, Body | Program | Absent | Elsewhere):
        return f"{entry.rule}: {entry.what}"
    return str(entry)


@pytest.mark.parametrize(("entry", "form"), bodies(), ids=named)
def test_a_rule_holds_in_every_form(entry: Body, form: str) -> None:
    kernel = load(program_of(entry, form))["k"]
    y, z, h, w, x, q = (np.zeros(n, np.float32) for n in (64, 64, 16, 64, 48, 48))
    v = np.zeros(48, np.int32)
    how: dict[str, Any] = {"blocks": fh.PERSISTENT} if form == "persistent" else {}
    found: tuple[str, ...] = ()
    text = "accepted"
    module: Any = None
    try:
        module = kernel.verify(fh.partition(y, 16, **how), fh.partition(z, 16, **how), h, w, x, q, v, 1)
    except Rejected as refused:
        found, text = refused.codes, str(refused)
    assert bool(found) == bool(entry.expected(form)), text
    assert entry.expected(form).issuperset(found), text
    if found:
        return
    stopped: tuple[str, ...] = ()
    try:
        run(module, [y, z, h, w, x, q, v, 1], checked=True, order=3)
    except Rejected as refused:
        stopped = refused.codes
    assert stopped in ((), ("O233",), ("O527",)), "no worse than a check that was left to the launch or the kernel"


@pytest.mark.parametrize("entry", [e for e in (*RULES, *HOLES, *ATTACKS) if isinstance(e, Program)], ids=named)
def test_a_launch(entry: Program) -> None:
    launch = load(f"{PRELUDE}\n{entry.text}\n")["launch"]
    ends: tuple[str, ...] = ("",)
    text = "it runs"
    try:
        launch()
    except Rejected as refused:
        ends, text = refused.codes, str(refused)
    except (ValueError, TypeError, MemoryError) as other:
        ends, text = (type(other).__name__,), str(other)
    assert entry.ends in ends, text


@pytest.mark.parametrize("entry", [e for e in (*RULES, *HOLES) if isinstance(e, Absent)], ids=named)
def test_what_cannot_be_said(entry: Absent) -> None:
    """No name says it, in the package or on a tensor; a kernel that tries is refused by name."""
    y, x = np.zeros(64, np.float32), np.zeros(64, np.float32)
    for name in entry.names:
        assert not hasattr(fh, name)
        for text in (f"fh.{name}(y)", f"y.{name}(0)"):
            kernel = load(
                "import freehold as fh\nfrom freehold import Out, Ref\n\n@fh.kernel\n"
                f'def k(y: Out["N"], x: Ref["N"]):\n    {text}\n    y.store(x.load_like(y))\n'
            )["k"]
            with pytest.raises(Rejected) as caught:
                kernel.verify(fh.partition(y, 16), x)
            assert name in str(caught.value)


@pytest.mark.parametrize("entry", [e for e in (*RULES, *HOLES) if isinstance(e, Elsewhere)], ids=named)
def test_what_other_tests_hold(entry: Elsewhere) -> None:
    for each in entry.tests:
        file, function = each.split("::")
        tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
        found = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        assert any(name.startswith("test_") for name in found) if function == "*" else function in found, each


def test_every_rule_is_here() -> None:
    def numbers(entries: tuple[Entry, ...], letter: str) -> set[int]:
        return {int(e.rule.removeprefix(letter)) for e in entries}

    assert numbers(RULES, "S") == {*range(1, 49)}
    assert numbers(HOLES, "H") == {*range(1, 28)}
