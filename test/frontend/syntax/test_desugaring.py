"""What core is made of each spelling: functions, and the text of their core."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from freehold.frontend.syntax import core, core_of
from freehold.frontend.syntax.dump import dump
from freehold.frontend.syntax.read import read

FILES = sorted((Path(__file__).parent / "desugared").glob("*.py"))


def functions(path: Path) -> list[core.Function]:
    return [core_of(node) for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_core(path: Path, golden: Callable[[Path, str], None]):
    golden(path.with_suffix(".core"), "\n\n".join(map(dump, functions(path))))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_places_are_those_of_the_text(path: Path):
    lines = path.read_text().splitlines()
    for tree in ast.parse(path.read_text()).body:
        for node in core.walk(*([read(tree)] if isinstance(tree, ast.FunctionDef) else [])):
            line, start, end_line, end = node.place
            assert (line, start) < (end_line, end)
            if isinstance(node, core.Name) and not core.is_hidden(node.id) and line == end_line:
                captured = "case" in lines[line - 1]  # it stands at its pattern
                assert captured or lines[line - 1][start:end] == node.id


def test_what_is_computed_once_is_computed_once():
    (tree,) = ast.parse("def f(a, g):\n    return a < g(a) < 3").body
    assert isinstance(tree, ast.FunctionDef)
    calls = [node for node in core.walk(core_of(tree)) if isinstance(node, core.Call)]
    assert len(calls) == 1


def test_the_rest_of_a_function_is_written_once():
    """Each of many conditions that return, in each other and after one another."""
    lines = ["def f(a, out):"]
    for i in range(12):
        lines += [f"    if a > {i}:", f"        if a < {i * 3}:", f"            return {i}", f"        a = a * {i + 2}"]
    lines.append("    return out(a)")
    (tree,) = ast.parse("\n".join(lines)).body
    assert isinstance(tree, ast.FunctionDef)
    nodes = core.walk(core_of(tree))
    assert sum(isinstance(n, core.Call) for n in nodes) == 1
    assert sum(isinstance(n, core.BinOp) for n in nodes) == 12


def test_what_stands_in_an_f_string_has_the_place_of_its_expression():
    """In every version of Python: the places of what is around it differ, and empty texts in it."""
    text = 'def f(a, b):\n    return f"{a + 1!r:>{b}} {b:3}"'
    (tree,) = ast.parse(text).body
    assert isinstance(tree, ast.FunctionDef)
    fields = [node for node in core.walk(core_of(tree)) if isinstance(node, core.Field)]
    line = text.splitlines()[1]
    assert [line[f.place[1] : f.place[3]] for f in fields] == ["a + 1", "b", "b"]
    assert [f.format and f.format.parts for f in fields] == [[">", fields[2]], ["3"], None]
