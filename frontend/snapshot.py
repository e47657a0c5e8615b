"""
Whether a text is the one that code was made of.

A function's code is made when its module is imported, and its text is looked for when a kernel is compiled. If the file
was edited in between, the two are different functions. So the text is compiled again, and must give the same code.
"""

from __future__ import annotations
import __future__

import ast
import warnings
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, Final

_FUTURE: Final = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)

_PLAIN_LOADERS: Final = ("importlib", "_frozen_importlib", "_frozen_importlib_external", "zipimport")


def is_rewritten(function: FunctionType) -> bool:
    """Whether a function's code need not be what its text compiles to: who imported it changes code, as pytest changes
    assertions, or Python leaves columns out."""
    loader: Any = function.__globals__.get("__loader__")
    kind: Any = loader if isinstance(loader, type) else type(loader)
    changed = loader is not None and kind.__module__ not in _PLAIN_LOADERS
    return changed or all(column is None for _, _, column, _ in function.__code__.co_positions())


def is_made_of(code: CodeType, lines: tuple[str, ...]) -> bool:
    """Whether a function's code comes of the text of its file."""
    flags = code.co_flags & _FUTURE
    return code in _codes(lines, code.co_filename, flags) or code in _codes_by_statement(lines, code.co_filename, flags)


@lru_cache(maxsize=32)
def _codes(lines: tuple[str, ...], file: str, flags: int) -> frozenset[CodeType]:
    tree = _parsed(lines)
    return frozenset(_functions(_compiled(tree, file, flags)))


@lru_cache(maxsize=32)
def _codes_by_statement(lines: tuple[str, ...], file: str, flags: int) -> frozenset[CodeType]:
    """The same for shells and notebooks, which compile one statement after the other."""
    single = [ast.Module([statement], []) for statement in _parsed(lines).body]
    return frozenset(code for tree in single for code in _functions(_compiled(tree, file, flags)))


def _parsed(lines: tuple[str, ...]) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse("\n".join(lines) + "\n")
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _compiled(tree: ast.Module, file: str, flags: int) -> CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return compile(tree, file, "exec", flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        except (SyntaxError, ValueError):
            return compile("", file, "exec")


def _functions(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _functions(constant)
