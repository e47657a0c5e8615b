"""Expressions as text: what edits are made of."""

from __future__ import annotations

import ast
from typing import Final


def parsed(text: str) -> ast.expr | None:
    """The tree of an expression; None of what is none."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return None


def on_one_line(text: str) -> str:
    """An expression that spans lines: of a subscript's index, too, and as an argument of a call."""
    for before, after in _AROUND:
        tree = parsed(f"{before}{text}{after}")
        if tree is not None:
            shown = ast.unparse(tree)
            return shown if before == "(" else shown.removeprefix(before)[:-1]
    return " ".join(text.split())


_AROUND: Final = (("(", ")"), ("f(", ")"), ("f[", "]"))
"""What stands around an expression where it may span lines."""

_SIMPLE: Final = ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.Tuple | ast.Constant


def primary(text: str) -> str:
    """An expression so that `.name` may follow, and an operator stand beside it."""
    return text if isinstance(parsed(text), _SIMPLE) else f"({text})"


def is_comparison(text: str) -> bool:
    """Whether an expression compares."""
    return isinstance(parsed(text), ast.Compare)


def items(text: str) -> list[str] | None:
    """The items of a tuple; None of what is none."""
    tree = parsed(text)
    return [ast.unparse(item) for item in tree.elts] if isinstance(tree, ast.Tuple) else None


def fits(code: str, before: str, after: str) -> bool:
    """Whether code between two texts is an operand of theirs, so that it needs no brackets."""
    plain, whole = parsed(f"{before}{code}{after}"), parsed(f"{before}({code}){after}")
    return plain is not None and whole is not None and ast.dump(plain) == ast.dump(whole)
