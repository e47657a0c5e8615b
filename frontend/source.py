"""
Functions with their source: the text, the syntax tree, and the host values that its names stand for.

The text comes from where Python's own tracebacks take it, so files, notebooks and shells all work. It is not dedented:
an indented function is parsed under an `if`, so that every column is that of the user's file.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, cast

from freehold.frontend.signature import Form, KernelSignature, read_signature
from freehold.frontend.snapshot import INDENTED, is_made_of, is_rewritten, modules_named
from freehold.frontend.syntax import core_of
from freehold.frontend.syntax.core import Function, Place
from freehold.frontend.syntax.read import place_of
from freehold.frontend.syntax.text import on_one_line
from freehold.support.span import Span, char_column

if TYPE_CHECKING:
    from xdsl.dialects.builtin import LocationAttr

    from freehold.frontend.fingerprint import Fingerprint

FunctionNode = ast.FunctionDef | ast.Lambda


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
    locations: dict[Place, LocationAttr] = field(default_factory=dict["Place", "LocationAttr"], repr=False)
    """The locations of places in it, as the frontend makes them."""
    clean: bool = False
    """Whether its syntax has been checked, and nothing refused."""

    @cached_property
    def core(self) -> Function:
        """What it says."""
        return core_of(self.tree)

    def span(self, place: Place) -> Span:
        """A place of its text."""
        return Span(self.file, *self.in_file(place))

    def in_file(self, place: Place) -> tuple[int, int, int, int]:
        """The lines and columns of a place, in characters of the file."""
        line, start, end_line, end = place
        down = self.first_line - 1
        start, end = char_column(self.lines[line - 1], start), char_column(self.lines[end_line - 1], end)
        return line + down, start, end_line + down, end

    def text(self, place: Place) -> str:
        """The source of an expression; of one that spans lines, on one line."""
        first, start, last, end = place
        lines = [line.encode() for line in self.lines[first - 1 : last]]
        lines[-1] = lines[-1][:end]
        lines[0] = lines[0][start:]
        text = b"\n".join(lines).decode()
        return text if first == last else on_one_line(text)

    @property
    def arguments(self) -> ast.arguments:
        """The parameters."""
        return self.tree.args

    def parameter(self, name: str) -> Span | None:
        """Where the parameter `name` is declared."""
        a = self.arguments
        for node in (*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))):
            if node.arg == name:
                return self.span(place_of(node))
        return None

    @cached_property
    def header(self) -> Span:
        """The name of a `def`, or all of a lambda."""
        if isinstance(self.tree, ast.Lambda):
            return self.span(place_of(self.tree))
        line = self.lines[self.tree.lineno - 1]
        start = line.find(self.tree.name, line.find("def") + 3)
        return Span.on_line(self.file, self.tree.lineno + self.first_line - 1, start, start + len(self.tree.name))


class SourceMissing(Exception):
    """The text of a function cannot be found; the argument says why, as the end of a sentence."""


class SourceChanged(SourceMissing):
    """There is another text now where the function's was."""


class SourceUnfit(SourceMissing):
    """There is a text, of something that cannot be a kernel."""


def source_of(function: FunctionType) -> FunctionSource:
    """
    The source of a function: the text that its code was made of. Raises `SourceMissing`.

    Python runs code that it made when a module was imported, and the file may have another text by now.
    """
    file = function.__code__.co_filename
    if file not in linecache.cache:
        linecache.lazycache(file, function.__globals__)
    return _source_of(function.__code__, file, is_rewritten(function), modules_named(function))


@lru_cache(maxsize=1024)
def _source_of(code: CodeType, file: str, rewritten: bool, modules: frozenset[str]) -> FunctionSource:
    for read_again in (False, True):
        if read_again:  # it may have been read before the module was loaded again
            linecache.checkcache(file)
        lines = _lines(tuple(linecache.getlines(file)))
        try:
            found = _source_in(code, file, lines)
        except SourceMissing:
            if rewritten or read_again:
                raise
        else:
            if rewritten or is_made_of(code, found.lines, lines, modules):
                return found
    raise SourceChanged("its text was changed after it was imported; import it again")


@lru_cache(maxsize=32)
def _lines(found: tuple[str, ...]) -> tuple[str, ...]:
    """The lines of a file without their ends."""
    return tuple([line.rstrip("\r\n") for line in found])


def _source_in(code: CodeType, file: str, lines: tuple[str, ...]) -> FunctionSource:
    if not lines:
        raise SourceMissing(f"no text of `{file}` is known")
    if code.co_name == "<lambda>":
        return _lambda_source(code, file, lines)
    first = code.co_firstlineno
    if first > len(lines):
        raise SourceChanged(f"`{file}` has {len(lines)} lines now")
    indented = lines[first - 1][:1] in (" ", "\t")
    rest = lines[first - 1 :]
    try:
        block, tree = _parsed(_by_indentation(rest), indented)
    except SyntaxError:  # a string or an expression goes on at the margin: take it token by token
        try:
            block, tree = _parsed([t.rstrip("\n") for t in inspect.getblock([t + "\n" for t in rest])], indented)
        except SyntaxError as e:
            raise SourceChanged(f"that place of `{file}` holds no function now") from e
    if isinstance(tree, ast.AsyncFunctionDef):
        raise SourceUnfit("it is an `async` function, and a kernel waits for nothing")
    if not isinstance(tree, ast.FunctionDef) or tree.name != code.co_name or _arguments(tree) != _parameters(code):
        raise SourceChanged(f"that place of `{file}` holds something else now")
    return FunctionSource(file, code.co_name, tree, block, first - indented)


def _parsed(block: list[str], indented: bool) -> tuple[list[str], ast.stmt]:
    """The text of one statement as it is to be kept, and its tree."""
    if indented:
        block = [INDENTED, *block]
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
        raise SourceChanged(f"`{file}` is no Python now") from e
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
        raise SourceUnfit(f"which lambda of line {code.co_firstlineno} it is cannot be told")
    return FunctionSource(file, "<lambda>", found[0], lines, 1)


class KernelFunction:
    """
    A Python function that is a kernel.

    Making one reads its annotations and nothing else; raises `Rejected` where they are not understood. With a
    `form`, it has of the tensors that a call may leave out those that the form says.
    """

    def __init__(self, function: FunctionType, form: Form | None = None):
        self.function = function
        self.name = function.__name__
        signature = read_signature(function, self._parameter_span)
        self.signature: KernelSignature = signature if form is None else signature.in_form(form)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    @cached_property
    def source(self) -> FunctionSource:
        """Its text and syntax. Raises `Rejected` (O001) where they cannot be found."""
        try:
            return source_of(self.function)
        except SourceMissing as e:
            raise self._no_source(e) from None

    def _no_source(self, missing: SourceMissing) -> Exception:
        from freehold.frontend.errors import NoSource
        from freehold.support.diagnostic import Rejected

        code = self.function.__code__
        error = NoSource(None, name=self.name, file=code.co_filename, line=code.co_firstlineno, why=str(missing))
        match missing:
            case SourceChanged():
                error.add(error.ImportAgain())
            case SourceUnfit():
                error.add(error.UseDef())
            case _:
                error.add(error.Define(), error.Register())
        return Rejected([error], kernel=self.name)

    def _parameter_span(self, name: str) -> Span | None:
        try:
            return source_of(self.function).parameter(name)
        except SourceMissing:
            return None

    def fingerprint(self) -> Fingerprint:
        """
        A digest of everything about the function that its compilation may depend on: its code and that of the helpers
        it calls, and the host values they read. Equal fingerprints, and equal specialisations, compile to equal IR.
        """
        from freehold.frontend.fingerprint import Fingerprint

        return Fingerprint(self.function, repr(self.signature))
