"""
Who names what a line belongs to that no test executes: kernels, which the frontend reads, and constants of modules.

Read are functions that `@fh.kernel` decorates, by that or another name of ours (`KERNELS`), and those that they name,
and so on. A test may see a fault in one that executes a line which names it, in a function that is executed, or which
names a kernel that does. Names are followed through imports and through assignments of modules (`WAYS = {1: one}`),
which are executed as a module is imported, and begin such a way, too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

KERNELS: Final = re.compile(r"(?:\w+\.)?(?:kernel|safe\w*)")
"""Decorators, without their arguments, of what is read."""
Name = tuple[str, str]
"""A file from the root, and what it defines there."""


@dataclass
class Defined:
    """A function or class of a module, or names that it assigns."""

    lines: range
    is_function: bool
    is_kernel: bool
    named: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    """Which names it uses, and in which lines."""


def _module(path: Path, root: Path) -> str:
    """The module that a file is: of the product, or of its folder, as tests import one another."""
    parts = path.relative_to(root).with_suffix("").parts
    return parts[-1] if parts[0] == "test" else ".".join(("freehold", *parts)).removesuffix(".__init__")


def _defined(tree: ast.Module) -> Iterator[tuple[str, Defined]]:
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names, body = [name], node.body
            case ast.Assign(targets=targets):
                names, body = [each.id for each in targets if isinstance(each, ast.Name)], [node]
            case ast.AnnAssign(target=ast.Name(id=name)):
                names, body = [name], [node]
            case _:
                continue
        decorators = getattr(node, "decorator_list", ())
        words = [ast.unparse(each.func if isinstance(each, ast.Call) else each) for each in decorators]
        found = Defined(
            range(node.lineno, (node.end_lineno or node.lineno) + 1),
            not isinstance(node, ast.Assign | ast.AnnAssign),
            any(KERNELS.fullmatch(word) for word in words),
        )
        for part in (inner for each in body for inner in ast.walk(each)):
            if isinstance(part, ast.Name) and part.id not in names:
                found.named.append((part.id, part.lineno))
            elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                found.named.append((f"{part.value.id}.{part.attr}", part.lineno))
        yield from ((each, found) for each in names)


class Launches:
    """What some files define, and who names it."""

    def __init__(self, files: Iterable[Path], root: Path):
        trees = {str(path.relative_to(root)): ast.parse(path.read_bytes()) for path in files}
        modules = {_module(root / path, root): path for path in trees}
        self.defined: dict[Name, Defined] = {
            (path, name): each for path, tree in trees.items() for name, each in _defined(tree)
        }
        known = {path: self._known(path, tree, modules) for path, tree in trees.items()}
        self.users: dict[Name, list[tuple[Name, int]]] = {}
        """Who names it, and in which line."""
        for user, each in self.defined.items():
            for word, line in each.named:
                if (what := self._found(word, known[user[0]])) and what != user:
                    self.users.setdefault(what, []).append((user, line))
        self.read = self._read()

    def _known(self, path: str, tree: ast.Module, modules: dict[str, str]) -> dict[str, Name]:
        """What names mean in a file: its own, and what it imports; modules have no name of their own."""
        known = {name: (file, name) for file, name in self.defined if file == path}
        for node in ast.walk(tree):
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            for each in node.names:
                if module := modules.get(f"{node.module}.{each.name}"):
                    known[each.asname or each.name] = (module, "")
                elif module := modules.get(node.module):
                    known[each.asname or each.name] = (module, each.name)
        return known

    def _found(self, word: str, known: dict[str, Name]) -> Name | None:
        first, _, rest = word.partition(".")
        what = known.get(first)
        if what is not None and not what[1]:
            what = (what[0], rest) if rest else None
        return what if what in self.defined else None

    def _read(self) -> set[Name]:
        """The functions that the frontend reads: kernels, and what they name."""
        used: dict[Name, list[Name]] = {}
        for what, users in self.users.items():
            for user, _ in users:
                used.setdefault(user, []).append(what)
        found, left = set[Name](), [name for name, each in self.defined.items() if each.is_kernel]
        while left:
            name = left.pop()
            if name not in found and self.defined[name].is_function:
                found.add(name)
                left += used.get(name, [])
        return found

    def of(self, path: str, line: int) -> set[tuple[str, int]]:
        """The lines that name what a line belongs to, where that is read or assigned: lines that tests execute."""
        begun = [name for name, each in self.defined.items() if name[0] == path and line in each.lines]
        left, seen, found = [name for name in begun if self._is_followed(name)], set[Name](), set[tuple[str, int]]()
        while left:
            name = left.pop()
            if name in seen:
                continue
            seen.add(name)
            for user, place in self.users.get(name, []):
                if self._is_followed(user):
                    left.append(user)
                else:
                    found.add((user[0], place))
        return found

    def _is_followed(self, name: Name) -> bool:
        return name in self.read or not self.defined[name].is_function
