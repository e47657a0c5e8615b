"""
Functions with their source: the text, the syntax tree, and the host values that its names stand for.

The text comes from where Python's own tracebacks take it, so files, notebooks and shells all work. It is not dedented:
an indented function is parsed under an `if`, so that every column is that of the user's file.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import inspect
import linecache
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cached_property, lru_cache
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final, cast

from freehold.frontend.flow import walk
from freehold.frontend.matches import without_matches
from freehold.frontend.schedule import PartitionSpec
from freehold.frontend.signature import KernelSignature, read_signature
from freehold.support.dtypes import DType
from freehold.support.span import Span

if TYPE_CHECKING:
    from xdsl.dialects.builtin import LocationAttr

FunctionNode = ast.FunctionDef | ast.Lambda


class _Missing:
    """What a name stands for that is defined nowhere."""


UNDEFINED: Final = _Missing()


@dataclass(eq=False)
class FunctionSource:
    """The text and syntax of one function. One object serves every variant of a kernel that it is part of."""

    file: str
    name: str
    tree: FunctionNode
    lines: Sequence[str]
    """The text that was parsed."""
    first_line: int
    """The line of the file that `lines[0]` is."""
    locations: dict[ast.AST, LocationAttr] = field(default_factory=dict["ast.AST", "LocationAttr"], repr=False)
    """The locations of nodes, as the frontend makes them."""
    clean: bool = False
    """Whether its syntax has been checked, and nothing refused."""

    def span(self, node: ast.AST) -> Span:
        """Where `node` stands."""
        return Span.of_node(node, self.file, self.lines, self.first_line)

    def text(self, node: ast.expr | ast.stmt) -> str:
        """The source of `node`; of one that spans lines, on one line."""
        if node.lineno != node.end_lineno:
            return ast.unparse(node)
        line = self.lines[node.lineno - 1]
        if line.isascii():
            return line[node.col_offset : node.end_col_offset]
        return line.encode()[node.col_offset : node.end_col_offset].decode()

    @property
    def arguments(self) -> ast.arguments:
        """The parameters."""
        return self.tree.args

    def parameter(self, name: str) -> Span | None:
        """Where the parameter `name` is declared."""
        a = self.arguments
        for node in (*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))):
            if node.arg == name:
                return self.span(node)
        return None

    @cached_property
    def header(self) -> Span:
        """The name of a `def`, or all of a lambda."""
        if isinstance(self.tree, ast.Lambda):
            return self.span(self.tree)
        line = self.lines[self.tree.lineno - 1]
        start = line.find(self.tree.name, line.find("def") + 3)
        return Span.on_line(self.file, self.tree.lineno + self.first_line - 1, start, start + len(self.tree.name))

    @cached_property
    def reads(self) -> dict[str, list[tuple[int, int]]]:
        """Where each name is read, in order of the text."""
        found: dict[str, list[tuple[int, int]]] = {}
        for node in walk(self.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.setdefault(node.id, []).append((node.lineno, node.col_offset))
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                found.setdefault(node.target.id, []).append((node.lineno, node.col_offset))
        for places in found.values():
            places.sort()
        return found


class SourceMissing(Exception):
    """The text of a function cannot be found; the argument says why, as the end of a sentence."""


@lru_cache(maxsize=1024)
def _source_of(code: CodeType, file: str) -> FunctionSource:
    lines = [line.rstrip("\r\n") for line in linecache.getlines(file)]
    if not lines:
        raise SourceMissing(f"no text of `{file}` is known")
    if code.co_name == "<lambda>":
        return _lambda_source(code, file, tuple(lines))
    first = code.co_firstlineno
    if first > len(lines):
        raise SourceMissing(f"`{file}` has {len(lines)} lines now")
    indented = lines[first - 1][:1] in (" ", "\t")
    rest = lines[first - 1 :]
    try:
        block, tree = _parsed(_by_indentation(rest), indented)
    except SyntaxError:  # a string or an expression goes on at the margin: take it token by token
        try:
            block, tree = _parsed([t.rstrip("\n") for t in inspect.getblock([t + "\n" for t in rest])], indented)
        except SyntaxError as e:
            raise SourceMissing(f"that place of `{file}` holds no function now") from e
    if isinstance(tree, ast.AsyncFunctionDef):
        raise SourceMissing("it is an `async` function, and a kernel waits for nothing")
    if not isinstance(tree, ast.FunctionDef) or tree.name != code.co_name or _arguments(tree) != _parameters(code):
        raise SourceMissing(f"that place of `{file}` holds something else now")
    return FunctionSource(file, code.co_name, without_matches(tree), block, first - indented)


def _parsed(block: list[str], indented: bool) -> tuple[list[str], ast.stmt]:
    """The text of one statement as it is to be kept, and its tree."""
    if indented:
        block = ["if True:", *block]
    first = ast.parse("\n".join(block) + "\n").body[0]
    return block, cast(ast.If, first).body[0] if indented else first


def _by_indentation(lines: Sequence[str]) -> list[str]:
    """The first function of `lines`: up to where a line is indented no more than its `def`. Its text is cut short where
    such a line belongs to it all the same; that is no Python, then."""
    margin = len(lines[0]) - len(lines[0].lstrip())
    end = 0
    inside = False
    for number, line in enumerate(lines):
        text = line.lstrip()
        if not text or text[0] == "#":
            continue
        if inside and len(line) - len(text) <= margin and text[0] not in ")]}":
            break
        inside = inside or text.startswith(("def ", "async "))
        end = number + 1
    return list(lines[:end])


def _arguments(tree: FunctionNode) -> tuple[str, ...]:
    return tuple(a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs))


def _parameters(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


@lru_cache(maxsize=16)
def _lambdas(file: str, lines: tuple[str, ...]) -> list[ast.Lambda]:
    try:
        tree = ast.parse("\n".join(lines) + "\n")
    except SyntaxError as e:
        raise SourceMissing(f"`{file}` is no Python now") from e
    return [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]


def _lambda_source(code: CodeType, file: str, lines: tuple[str, ...]) -> FunctionSource:
    starts = {(p[0], p[2]) for p in code.co_positions() if p[2] is not None}

    def holds(node: ast.Lambda) -> bool:
        # Every instruction of a lambda lies in its body, whose first position some instruction has or precedes.
        body = node.body
        first, last = (body.lineno, body.col_offset), (body.end_lineno or 0, body.end_col_offset or 0)
        inside = [s for s in starts if s[0] is not None and s != (code.co_firstlineno, 0)]
        return all(first <= cast("tuple[int, int]", s) <= last for s in inside)

    found = [n for n in _lambdas(file, lines) if n.lineno == code.co_firstlineno and _arguments(n) == _parameters(code)]
    if len(found) > 1:
        found = [n for n in found if holds(n)]
    if len(found) != 1:
        raise SourceMissing(f"which lambda of line {code.co_firstlineno} it is cannot be told")
    return FunctionSource(file, "<lambda>", found[0], lines, 1)


def source_of(function: FunctionType) -> FunctionSource:
    """The source of a function. Raises `SourceMissing`."""
    file = function.__code__.co_filename
    if file not in linecache.cache:
        linecache.lazycache(file, function.__globals__)
    return _source_of(function.__code__, file)


def host_value(function: FunctionType, name: str) -> object:
    """What `name` stands for in `function`, if it is no local variable: from the closure, the globals, or Python's
    builtins. `UNDEFINED` where it stands for nothing."""
    code = function.__code__
    if function.__closure__ is not None and name in code.co_freevars:
        try:
            return function.__closure__[code.co_freevars.index(name)].cell_contents
        except ValueError:  # not assigned yet
            return UNDEFINED
    if name in function.__globals__:
        return function.__globals__[name]
    return getattr(builtins, name, UNDEFINED)


class KernelFunction:
    """
    A Python function that is a kernel.

    Making one reads its annotations and nothing else; raises `Rejected` where they are not understood.
    """

    def __init__(self, function: FunctionType):
        self.function = function
        self.name = function.__name__
        self.signature: KernelSignature = read_signature(function, self._parameter_span)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    @cached_property
    def source(self) -> FunctionSource:
        """Its text and syntax. Raises `Rejected` (O001) where they cannot be found."""
        try:
            return source_of(self.function)
        except SourceMissing as e:
            raise self._no_source(str(e)) from None

    def _no_source(self, why: str) -> Exception:
        from freehold.frontend.errors import NoSource
        from freehold.support.diagnostic import Rejected

        code = self.function.__code__
        error = NoSource(None, name=self.name, file=code.co_filename, line=code.co_firstlineno, why=why)
        return Rejected([error], kernel=self.name)

    def _parameter_span(self, name: str) -> Span | None:
        try:
            return source_of(self.function).parameter(name)
        except SourceMissing:
            return None

    def fingerprint(self) -> str:
        """
        A digest of everything about the function that its compilation may depend on: its code and that of the helpers
        it calls, and the host values they read. Equal fingerprints, and equal specialisations, compile to equal IR.
        """
        digest = hashlib.sha256(repr(self.signature).encode())
        _feed(digest, self.function, set())
        return digest.hexdigest()


def _feed(digest: Any, value: object, seen: set[int]) -> None:
    """Feeds what a kernel can see of `value`. A kernel is refused if it uses more of it."""
    digest.update(type(value).__qualname__.encode() + b"\0")
    match value:
        case FunctionType():
            if id(value) in seen:
                return
            seen.add(id(value))
            digest.update(getattr(value, "__freehold_intrinsic__", "").encode())
            _feed_code(digest, value.__code__, value, seen)
            for default in (value.__defaults__ or (), tuple((value.__kwdefaults__ or {}).items())):
                _feed(digest, default, seen)
        case float():
            digest.update(value.hex().encode())
        case None | bool() | int() | str() | bytes() | complex() | DType() | PartitionSpec():
            digest.update(repr(value).encode())
        case tuple():
            whole = cast("tuple[object, ...]", value)
            for item in whole:
                _feed(digest, item, seen)
            digest.update(b")")
            if type(whole) is not tuple:
                _feed(digest, type(whole), seen)
        case Enum():
            digest.update(repr((type(value).__qualname__, value.name)).encode())
            _feed(digest, value.value, seen)
        case ModuleType() | BuiltinFunctionType():
            digest.update(value.__name__.encode())
        case type():
            kind = cast("type[object]", value)
            digest.update(kind.__qualname__.encode())
            if id(value) not in seen and (issubclass(kind, (Enum, tuple)) or is_dataclass(value)):
                seen.add(id(value))
                for base in kind.__mro__:
                    _feed_class(digest, base, seen)
        case _ if is_dataclass(value):
            for f in fields(value):
                _feed(digest, getattr(value, f.name, None), seen)
            _feed(digest, type(value), seen)
        case _:
            digest.update(getattr(value, "__name__", "").encode())
            if type(value).__module__.partition(".")[0] in ("numpy", "torch", "ml_dtypes", "jax"):  # dtypes
                digest.update(str(value).encode())


def _feed_class(digest: Any, kind: type, seen: set[int]) -> None:
    """Feeds the methods, properties and constants of a class."""
    for name, item in vars(kind).items():
        match item:
            case property():
                found: object = item.fget
            case cached_property():
                found = cast("cached_property[object]", item).func
            case staticmethod() | classmethod():
                found = cast("staticmethod[..., object]", item).__func__
            case FunctionType() | Enum() | bool() | int() | float() | str() | tuple():
                found = cast(object, item)
            case _:
                continue
        if name not in ("__doc__", "__module__", "__qualname__", "__static_attributes__", "__firstlineno__"):
            digest.update(name.encode() + b"=")
            _feed(digest, found, seen)


def _feed_code(digest: Any, code: CodeType, function: FunctionType, seen: set[int]) -> None:
    digest.update(repr((code.co_filename, code.co_firstlineno, code.co_varnames)).encode())
    digest.update(code.co_code)
    digest.update(code.co_linetable)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _feed_code(digest, constant, function, seen)
        else:
            _feed(digest, constant, seen)
    names = (*code.co_names, *code.co_freevars)
    values = [host_value(function, name) for name in names]
    for name, value in zip(names, values, strict=True):
        digest.update(name.encode() + b"=")
        _feed(digest, value, seen)
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] != "freehold":
            for attribute in names:
                if attribute in vars(value):
                    _feed(digest, vars(value)[attribute], seen)
