"""
Numbers and switches that modules and classes have by name, with what they are worth: limits, sizes, codes, what was
measured and chosen. One that changes shows in the list of its room, beside the others there.
"""

# Values are of any type, and what is inside them, too.
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import freehold

HERE = Path(__file__).parent
ROOMS = ("audit", "backend", "dialects", "frontend", "passes", "runtime", "support", "tools")
LONG, WIDE = 24, 110
"""Letters of a text, and of a line, of which there may be more."""


def counts(node: ast.AST | None) -> bool:
    """Whether a number or a truth value is written there, and not inside a function."""
    if node is None or isinstance(node, ast.Lambda):
        return False
    if isinstance(node, ast.Constant):
        return isinstance(node.value, bool | int | float)
    return any(map(counts, ast.iter_child_nodes(node)))


def named(body: list[ast.stmt], owner: Any) -> Iterator[tuple[str, Any]]:
    """The names of a module or class that are made of numbers, with their values, also of its classes."""
    for statement in body:
        if isinstance(statement, ast.ClassDef) and isinstance(of := getattr(owner, statement.name, None), type):
            yield from ((f"{statement.name}.{name}", value) for name, value in named(statement.body, of))
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or not counts(statement.value):
            continue
        for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
            for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                # What a module calls by small letters changes as it runs.
                if isinstance(name, ast.Name) and (isinstance(owner, type) or name.id.isupper()):
                    yield name.id, worth(owner, name.id)


def worth(owner: Any, name: str) -> Any:
    """The value of a name; of a field of a dataclass, what it is where nobody says."""
    if is_dataclass(owner):
        for field in fields(owner):
            if field.name == name:
                return field.default if field.default_factory is MISSING else field.default_factory()
    value = vars(owner)[name]
    return value.value if isinstance(value, Enum) and isinstance(owner, type) and isinstance(value, owner) else value


def parts(value: Any) -> Mapping[str, Any] | None:
    """What a value is made of, by name, as far as somebody gave it; None where it is one thing."""
    if is_dataclass(value) and not isinstance(value, type):
        given = [f for f in fields(value) if f.init and f.compare and not f.name.startswith("_")]
        return {f.name: v for f in given if (v := getattr(value, f.name, None)) is not f.default}
    if isinstance(value, partial):
        return {"": value.func, **{str(n): v for n, v in enumerate(value.args)}, **value.keywords}
    if isinstance(value, Mapping | tuple | list | set | frozenset):
        some: Any = value.items() if isinstance(value, Mapping) else enumerate(value)
        return {shown(key): one for key, one in some}
    return None


def numbers(value: Any) -> bool:
    """Whether there is a number or a truth value in it."""
    inside = parts(value)
    if inside is not None:
        return any(map(numbers, inside.values())) or (isinstance(value, Mapping) and any(map(numbers, value)))
    return isinstance(value, bool | int | float | np.generic)


def shown(value: Any) -> str:
    """A value as text: what is no number, text or collection of them, by its kind."""
    inside = parts(value)
    if isinstance(value, Mapping) and inside is not None:
        return "{" + ", ".join(f"{key}: {shown(one)}" for key, one in inside.items()) + "}"
    if inside is not None:
        made = [shown(one) for one in inside.values()]
        kind = "" if isinstance(value, tuple | list) else type(value).__name__
        return f"{kind}({', '.join(sorted(made) if isinstance(value, set | frozenset) else made)})"
    match value:
        case Enum():
            return f"{type(value).__name__}.{value.name}"
        case str() | bytes() if len(value) > LONG:
            return f"{value[:LONG]!r}..."
        case np.generic():
            return repr(value.item())
        case np.dtype():
            return value.name
        case bool() | int() | float() | str() | bytes() | None:
            return repr(value)
        case _:
            return getattr(value, "__name__", None) or type(value).__name__


def written(name: str, value: Any) -> Iterator[str]:
    """A name with its value, if there is a number in it; of a large collection, each part in a line."""
    if not numbers(value):
        return
    text, inside = f"  {name} = {shown(value)}", parts(value)
    if len(text) <= WIDE or inside is None or not isinstance(value, Collection):
        yield text
        return
    yield f"  {name}:"
    yield from (f"    {key}: {shown(one)}" for key, one in inside.items() if numbers(one) or key[:1].isdigit())


def modules(room: str) -> Iterator[tuple[Path, ModuleType]]:
    root = Path(freehold.__file__).parent
    for file in sorted((root / room).rglob("*.py")):
        names = file.relative_to(root).with_suffix("").parts
        try:
            yield file, import_module(".".join(("freehold", *(name for name in names if name != "__init__"))))
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] == "freehold":
                raise
            pytest.skip(f"{error.name} is not installed")


@pytest.mark.parametrize("room", ROOMS)
def test_numbers_as_they_were(room: str, golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    for file, module in modules(room):
        found = [line for each in named(ast.parse(file.read_bytes()).body, module) for line in written(*each)]
        lines += [f"{module.__name__.removeprefix('freehold.')}:", *found] if found else []
    golden(HERE / "numbers" / f"{room}.txt", "\n".join(lines))
