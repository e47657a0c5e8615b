"""
What is said where a part of what is understood is something else.

A name that there is not is what is said, once, and no more. Of a value of another kind, all that is said is kept.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fragments
import pytest
from uses import BLOCKS, HEAD, STATEMENTS, USES, WRONG_BLOCKS, arguments

from freehold.support.diagnostic import Rejected
from freehold.support.span import Span


class Parts(ast.NodeVisitor):
    """What in a line may be another expression."""

    def __init__(self) -> None:
        self.found: list[ast.expr] = []

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Lambda, ast.JoinedStr, ast.comprehension, ast.GeneratorExp)):
            return  # whose names are its own
        if isinstance(node, ast.withitem):
            for part in getattr(node.context_expr, "args", ()):  # what is entered is no expression
                self.visit(part)
            return
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            if isinstance(node.func, ast.Attribute):
                self.visit(node.func)
            for part in (*node.args, *node.keywords):
                self.visit(part)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("fh", "math"):
            pass  # a name of a module
        else:
            super().generic_visit(node)
        is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if is_read and isinstance(node, ast.expr) and not isinstance(node, (ast.Slice, ast.Starred)):
            self.found.append(node)


def without(line: str) -> Iterator[str]:
    """The line with `missing` in the place of each of its parts, one at a time."""
    parts = Parts()
    parts.visit(ast.parse(line))
    lines = line.split("\n")
    for node in parts.found:
        if node.end_col_offset is not None and node.lineno == node.end_lineno:
            before, text, after = lines[: node.lineno - 1], lines[node.lineno - 1], lines[node.lineno :]
            changed = text[: node.col_offset] + "missing" + text[node.end_col_offset :]
            yield "\n".join((*before, changed, *after))


def refused(lines: list[str], given: list[Any], lowered: Callable[..., Any]) -> list[str]:
    """What is said of a kernel of some lines."""
    try:
        lowered(fragments.kernel_of(*lines, head=HEAD), *given)
    except Rejected as rejected:
        return [error.report().title for error in rejected.errors]
    return []


def test_what_is_understood(part: Any, lowered: Callable[..., Any]) -> None:
    assert refused([*(f"r = {use}" for use in USES), *STATEMENTS], arguments(part), lowered) == []


def test_in_each_part_of_an_expression_it_alone_is_said(part: Any, lowered: Callable[..., Any]) -> None:
    lines = [line for use in USES for line in without(use)]
    numbered = [f"r = {line}".replace("missing", f"missing_{n}_") for n, line in enumerate(lines)]
    said = refused(numbered, arguments(part), lowered)
    assert Counter(said) == Counter(f"`missing_{n}_` is not defined" for n in range(len(lines)))


@pytest.mark.parametrize("statement", STATEMENTS)
def test_in_each_part_of_a_statement_it_alone_is_said(statement: str, part: Any, lowered: Callable[..., Any]) -> None:
    for line in without(statement):
        assert (line, refused([line], arguments(part), lowered)) == (line, ["`missing` is not defined"])


def test_in_each_part_of_a_block_it_alone_is_said(part: Any, lowered: Callable[..., Any]) -> None:
    """Whatever is made of the value behind it, in another branch or in another turn."""
    given = arguments(part)
    for block in (block for block in BLOCKS if "case " not in block):  # whose patterns are no expressions
        for text in [*without(block)][::2]:
            assert (text, {*refused(text.split("\n"), given, lowered)}) == (text, {"`missing` is not defined"})


WRONG = ("'a'", "x", "(1, 2)", "None", "t[:, :2]", "2.5", "p", "fh.zeros((2, 2, 2), i8)", "-1", "f32")


def with_other_arguments(lines: list[str]) -> Iterator[str]:
    """The lines with an argument of a call or an operand each that is of another kind, of which there are some."""
    count = 0
    for line in lines:
        for call in ast.walk(ast.parse(line)):
            parts: list[ast.expr] = []
            match call:
                case ast.Call(func=ast.Name() | ast.Attribute(), args=args, keywords=keywords):
                    parts = [*args, *(keyword.value for keyword in keywords)]
                case (
                    ast.BinOp(left=left, right=right)
                    | ast.Compare(left=left, ops=[ast.Lt() | ast.Eq() | ast.In()], comparators=[right])
                ):
                    parts = [left, right]
                case _:
                    pass
            for part in parts:
                if not isinstance(part, (ast.Lambda, ast.Starred, ast.GeneratorExp)):
                    count += 1
                    yield line[: part.col_offset] + WRONG[count % len(WRONG)] + line[part.end_col_offset :]


def test_what_is_said_of_another_kind_of_value(
    part: Any, lowered: Callable[..., Any], golden: Callable[[Path, str], None]
) -> None:
    lines = [*with_other_arguments([f"r = {use}" for use in USES])]
    function = fragments.kernel_of(*lines, head=HEAD)
    with pytest.raises(Rejected) as caught:
        lowered(function, *arguments(part))
    begin = fragments.begin(HEAD)
    said: dict[int, list[str]] = {}
    for error in caught.value.errors:
        assert isinstance(error.place, Span)
        said.setdefault(error.place.line - begin, []).append(f"  {fragments.told(error)}")
    found = [text for n, line in enumerate(lines) for text in (line, *said.get(n, ["  (nothing)"]))]
    for line in with_other_arguments(STATEMENTS):  # each by itself: a wrong one may leave variables without a value
        try:
            lowered(fragments.kernel_of(line, head=HEAD), *arguments(part))
            found += [line, "  (nothing)"]
        except Rejected as rejected:
            found += [line, *(f"  {fragments.told(error)}" for error in rejected.errors)]
    golden(Path(__file__).with_name("other_kinds.err"), "\n".join(found))


def test_what_is_said_of_blocks(part: Any, lowered: Callable[..., Any], golden: Callable[[Path, str], None]) -> None:
    found = fragments.said(
        WRONG_BLOCKS, lambda text: lowered(fragments.kernel_of(*text.split("\n"), head=HEAD), *arguments(part))
    )
    golden(Path(__file__).with_name("blocks.err"), "\n".join(found))
