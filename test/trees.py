"""What rules of the house look at in Python files, imports and functions, for which each text is parsed once."""

from __future__ import annotations

import ast
from functools import cache
from typing import NamedTuple


class Nodes(NamedTuple):
    """Nodes of a text, wherever in it they stand."""

    imports: tuple[ast.Import | ast.ImportFrom, ...]
    lazy: tuple[str, ...]
    """Names in calls of `Lazy`."""
    functions: tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...]


@cache
def nodes_of(text: str) -> Nodes:
    """What a text has. Raises SyntaxError for what is no Python."""
    nodes = list(ast.walk(ast.parse(text)))
    calls = [n for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "Lazy"]
    return Nodes(
        tuple([node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]),
        tuple([str(a.value) for call in calls for a in call.args if isinstance(a, ast.Constant)]),
        tuple([node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]),
    )
