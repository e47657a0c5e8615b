"""Core means what the Python that it was made of does."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from typing import Any

import pytest
from core_evaluator import function as evaluated
from programs import function

from freehold.frontend.syntax import core, core_of
from freehold.frontend.syntax.dump import dump

HOST = {"sum": sum, "max": max, "range": range, "int": int}


class Recorder:
    """What a function stores, in its order."""

    def __init__(self) -> None:
        self.stored: list[object] = []

    def store(self, value: object) -> None:
        self.stored.append(value)


def results(f: Callable[..., object], a: int, b: int) -> tuple[object, list[object]]:
    out = Recorder()
    return f(a, b, out), out.stored


def check(seed: int) -> None:
    """Compares one random function with its core."""
    rng = random.Random(seed)
    text = function(rng)
    space: dict[str, Any] = {}
    exec(compile(text, "<function>", "exec"), space)
    tree = ast.parse(text).body[0]
    assert isinstance(tree, ast.FunctionDef)
    made = core_of(tree)
    assert not [node for node in core.walk(made) if isinstance(node, core.Return)]
    for _ in range(6):
        a, b = rng.randint(-4, 8), rng.randint(-4, 8)
        expected = results(space["f"], a, b)
        for unrolled in (False, True):
            assert results(evaluated(made, HOST, unrolled=unrolled), a, b) == expected, f"{text}\n{dump(made)}"


@pytest.mark.parametrize("first", range(0, 800, 100))
def test_core_does_what_python_does(first: int):
    for seed in range(first, first + 100):
        check(seed)


def test_no_program_can_name_what_is_ours():
    for name in ("returned$1.2", "ended$1.2", "left$1.2", "item$1.2", "match$1.2", "middle$1.2", core.RESULT):
        assert core.is_hidden(name)
        assert not name.isidentifier()
