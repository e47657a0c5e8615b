"""Where a kernel was called, and where each argument stands in that call: for errors only, and only then looked up."""

from __future__ import annotations

import ast
import builtins
import sys
from functools import cached_property, lru_cache
from itertools import islice
from types import CodeType
from typing import TYPE_CHECKING, Final

from freehold.support.report import Argument
from freehold.support.span import Span, char_column

if TYPE_CHECKING:
    from freehold.support.report import Argument


_MOST_IN_A_SENTENCE: Final = 40
"""Characters of the user's text that a sentence names something by."""


@lru_cache(maxsize=4)  # a program that tries what is refused does so in one file
def _calls(text: str) -> dict[tuple[int | None, ...], ast.Call | ast.Subscript | ast.Attribute]:
    """What calls are written as, by where it begins and ends: of two at the same place the outer one."""
    found: dict[tuple[int | None, ...], ast.Call | ast.Subscript | ast.Attribute] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call | ast.Subscript | ast.Attribute):
            found.setdefault((node.lineno, node.end_lineno, node.col_offset, node.end_col_offset), node)
    return found


def _if_short(text: str) -> str | None:
    """A text that can stand in a sentence; None of another."""
    return text if len(text) <= _MOST_IN_A_SENTENCE else None


class CallSite:
    """A call in some code: the instruction is noted when it happens, its source found when somebody asks."""

    __slots__ = ("__dict__", "_code", "_instruction")

    def __init__(self, code: CodeType | None = None, instruction: int = 0):
        self._code = code
        self._instruction = instruction

    @cached_property
    def _call(self) -> tuple[ast.Call, list[str]] | None:
        """The call's syntax with the lines of its file."""
        found = self._expression
        return None if found is None or not isinstance(found[0], ast.Call) else (found[0], found[1])

    @cached_property
    def _expression(self) -> tuple[ast.Call | ast.Subscript | ast.Attribute, list[str]] | None:
        """The syntax of the call, or of the subscript or attribute that is one."""
        code = self._code
        if code is None:
            return None
        import linecache

        position = next(islice(code.co_positions(), self._instruction // 2, None), None)
        if position is None:
            return None
        lines = [line.rstrip("\r\n") for line in linecache.getlines(code.co_filename)]
        try:
            node = _calls("\n".join(lines) + "\n").get(position)
        except (SyntaxError, ValueError):  # the file is no Python now, or never was one
            return None
        return None if node is None else (node, lines)

    @property
    def span(self) -> Span | None:
        """The whole call."""
        found = self._expression
        return None if found is None or self._code is None else self._span(found[0], found[1])

    def _span(self, node: ast.expr, lines: list[str]) -> Span:
        assert self._code is not None
        return Span.of_node(node, self._code.co_filename, lines)

    def _node(self, position: int | None, name: str) -> ast.expr | None:
        if self._call is None:
            return None
        call = self._call[0]
        for keyword in call.keywords:
            if keyword.arg == name:
                return keyword.value
        before = call.args[: (position or 0) + 1]
        if position is None or len(before) <= position or any(isinstance(a, ast.Starred) for a in before):
            return None
        return before[position]

    def argument(self, position: int | None, name: str, of: str) -> Span | Argument:
        """The span of an argument in the caller's source, or its name where that cannot be had."""
        node = self._node(position, name)
        if node is None or self._call is None:
            return Argument(name, of)
        return self._span(node, self._call[1])

    def first_argument(self, position: int | None, name: str) -> str | None:
        """The source text of `x` in an argument that is written as a call, `partition(x, ...)`."""
        node = self._node(position, name)
        if not isinstance(node, ast.Call) or not node.args:
            return None
        return _if_short(ast.unparse(node.args[0]))

    @property
    def receiver(self) -> tuple[Span, str] | None:
        """What a method was called on, or what was indexed, with its source text."""
        found = self._expression
        if found is None or self._code is None:
            return None
        node, lines = found
        if isinstance(node, ast.Call):
            node = node.func
        if not isinstance(node, ast.Attribute | ast.Subscript):
            return None
        text = _if_short(ast.unparse(node.value))
        return None if text is None else (self._span(node.value, lines), text)

    def text(self, position: int | None, name: str) -> str | None:
        """The source text of an argument, on one line: what edits are made of."""
        node = self._node(position, name)
        if node is None or self._call is None:
            return None
        if node.lineno != node.end_lineno:
            return ast.unparse(node)
        line = self._call[1][node.lineno - 1]
        return line[char_column(line, node.col_offset) : char_column(line, node.end_col_offset or 0)]

    def without(self, given: int, behind: int | None = None, keyword: str | None = None) -> str | None:
        """The whole call without some arguments: those by position behind so many, and one by its name. None where it
        cannot be told which these are, as where the call does not have the `given` arguments by position, but one of
        `map` or `functools.partial` gives them."""
        if self._call is None or any(isinstance(a, ast.Starred) for a in self._call[0].args):
            return None
        call = self._call[0]
        if len(call.args) != given or hasattr(builtins, getattr(call.func, "id", "")):
            return None
        keywords = [k for k in call.keywords if k.arg is None or k.arg != keyword]
        if keyword is not None and len(keywords) == len(call.keywords):  # it stands in a `**mapping`
            return None
        return ast.unparse(ast.Call(call.func, call.args[:behind], keywords))

    def short_text(self, position: int | None, name: str) -> str | None:
        """The source text of an argument where it can stand in a sentence."""
        text = self.text(position, name)
        return None if text is None else _if_short(text)


def caller() -> CallSite:
    """The innermost call from outside Freehold that this one is part of."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage] -- documented, and there is no other way
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith("freehold."):
        frame = frame.f_back
    return CallSite(frame.f_code, frame.f_lasti)
