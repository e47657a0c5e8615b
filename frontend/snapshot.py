"""
Whether a text is the one that code was made of.

A function's code is made when its module is imported, and its text is looked for when a kernel is compiled. If the file
was edited in between, the two are different functions. So the text is compiled again, and must give the same code.
"""

from __future__ import annotations
import __future__

import ast
import inspect
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

_FUTURE: Final = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)

INDENTED: Final = "if True:"
"""The line under which an indented function is parsed, so that its columns are those of its file."""

_PLAIN_LOADERS: Final = ("importlib", "_frozen_importlib", "_frozen_importlib_external", "zipimport")


def is_rewritten(function: FunctionType) -> bool:
    """Whether a function's code need not be what its text compiles to: who imported it changes code, as pytest changes
    assertions, or Python leaves columns out."""
    loader: Any = function.__globals__.get("__loader__")
    kind: Any = loader if isinstance(loader, type) else type(loader)
    changed = loader is not None and kind.__module__ not in _PLAIN_LOADERS
    return changed or all(column is None for _, _, column, _ in function.__code__.co_positions())


def modules_named(function: FunctionType) -> frozenset[str]:
    """The names in a function that stand for modules: Python calls functions of those in another way than methods."""
    code = function.__code__
    names = {name for part in (code, *_functions(code)) for name in part.co_names}
    return frozenset(name for name in names if isinstance(function.__globals__.get(name), ModuleType))


def is_made_of(code: CodeType, block: Sequence[str], lines: tuple[str, ...], modules: frozenset[str]) -> bool:
    """Whether a function's code comes of the text of its file, of which `block` is the function's part.

    That part is compiled first, which is quick. Where it depends on more of its file than its names, the file is, too.
    """
    file, flags = code.co_filename, code.co_flags & _FUTURE
    if block is not lines and code in _functions(_compiled(_alone(code, block, modules), file, flags)):
        return True
    return code in _codes(lines, file, flags) or code in _codes_by_statement(lines, file, flags)


def _alone(code: CodeType, block: Sequence[str], modules: frozenset[str]) -> str:
    """The text of one function at its place, with what surrounds it as far as its code depends on that."""
    before = [""] * (code.co_firstlineno - 1)
    if block[0] == INDENTED:
        nested = code.co_flags & inspect.CO_NESTED
        before[-1] = f"def {code.co_name}({', '.join(code.co_freevars)}):" if nested else INDENTED
        block = block[1:]
    return "\n".join([*before, *block, *(f"import {name}" for name in modules)])


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


def _compiled(tree: ast.Module | str, file: str, flags: int) -> CodeType:
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
