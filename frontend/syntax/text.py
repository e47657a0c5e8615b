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


def number_in(text: str) -> float | None:
    """The number that a literal stands for, with its sign; None of anything else."""
    tree = parsed(text)
    while isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        tree = tree.operand
    value = tree.value if isinstance(tree, ast.Constant) else None
    return None if not isinstance(value, int | float) or isinstance(value, bool) else value


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


def in_tiles(load: str) -> str | None:
    """A load with its index in tiles of its shape; None of one whose index is nowhere a product with the shape's."""
    tree = parsed(load)
    if not isinstance(tree, ast.Call) or len(tree.args) != 2:
        return None
    at, shape = tree.args
    index = [*at.elts] if isinstance(at, ast.Tuple) else [at]
    extents = [*map(ast.unparse, shape.elts)] if isinstance(shape, ast.Tuple) else [ast.unparse(shape)]
    if not isinstance(shape, ast.Tuple | ast.Constant) or len(index) != len(extents):
        extents = [f"{ast.unparse(shape)}[{axis}]" for axis in range(len(index))]
    found = [_without_factor(i, extent) for i, extent in zip(index, extents, strict=True)]
    if found == index:
        return None
    tree.args[0] = ast.Tuple(found) if isinstance(at, ast.Tuple) else found[0]
    return ast.unparse(tree)


def _without_factor(index: ast.expr, extent: str) -> ast.expr:
    """The other factor of a product with an extent; anything else as it is."""
    if isinstance(index, ast.BinOp) and isinstance(index.op, ast.Mult):
        for factor, other in ((index.left, index.right), (index.right, index.left)):
            if ast.unparse(factor) == extent:
                return other
    return index
