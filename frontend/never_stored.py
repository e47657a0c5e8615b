"""Warns of a `Mut` that a kernel only reads: `Ref` is enough for it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import Any, Final

from freehold.frontend.errors import OnlyRead
from freehold.frontend.source import KernelFunction
from freehold.frontend.syntax.read import place_of
from freehold.support.diagnostic import KernelWarning
from freehold.support.render import render
from freehold.support.span import Span

_READ: Final = frozenset(("load", "index", "tile", "start", "stop", "shape", "dtype", "ndim"))
"""What a `Ref` with a partition has, too, and what stores nothing."""


def warn_only_read(function: KernelFunction, told: dict[Any, Any] | None = None) -> None:
    """Gives a `KernelWarning` (O047) for each `Mut` that the text only reads, whatever its constants are; those that
    were `told` not again."""
    for error in only_read(function):
        assert isinstance(error.place, Span)
        warnings.warn_explicit(render(error.report()), KernelWarning, error.place.file, error.place.line, registry=told)


def only_read(function: KernelFunction) -> list[OnlyRead]:
    """
    The `Mut` parameters that are loaded and that nothing can store.

    Asked is the text, and not what one variant of the kernel does: a store may stand in a branch that other constants
    take. A name that is used for anything but reading, as that of an argument of a function, is not told of.
    """
    held = {p.name: p for p in function.signature.parameters if p.mode == "mut" and p.of is None and not p.many}
    if not held:
        return []
    uses: dict[str, list[str]] = {name: [] for name in held}
    for name, attribute in _uses(function.source.tree):
        if name in uses:
            uses[name].append(attribute)
    found: list[OnlyRead] = []
    for name, parameter in held.items():
        loads = "load" in uses[name] and _READ.issuperset(uses[name])
        if loads and parameter.span is not None:
            annotation = parameter.annotation.replace("Mut", "Ref", 1)
            error = OnlyRead(parameter.span, name)
            for place in _loads(function.source.tree, name):
                error.add(error.Load(function.source.span(place)))
            found.append(error.add(error.Store(), error.DeclareRef(annotation)))
    return found


def _uses(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """The names in a tree, and what is asked of each: the attribute that is taken, or nothing."""
    asked: dict[ast.AST, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            asked[node.value] = node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "load_like":
            asked |= dict.fromkeys(node.args, "tile")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id, asked.get(node, "")


def _loads(tree: ast.AST, name: str) -> Iterator[Any]:
    """Where a tensor is loaded."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ast.Name(found), "load") if found == name:
                yield place_of(node)
            case _:
                pass
