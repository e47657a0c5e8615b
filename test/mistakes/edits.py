"""What an error offers, done: the edits are made in the program's text until it is accepted, and every way is tried."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import freehold as fh
from freehold.support.report import Edit

HEADER = """
import math
import numpy as np
import freehold as fh
from freehold import Acc, Const, Mut, Out, Raw, Ref, bf16, bool_, f16, f32, f64, i8, i16, i32, i64, u8, u32
"""
_NUMBERS = itertools.count()


def loaded(text: str) -> dict[str, Any]:
    """The names that a program defines; its kernels know their source."""
    name = f"<edited {next(_NUMBERS)}>"
    fh.register_source(name, text)
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    return names


def applied(text: str, edit: Edit) -> str:
    """A program's text with an edit made in it."""
    lines = text.splitlines(keepends=True)
    span = edit.span
    start = sum(len(line) for line in lines[: span.line - 1]) + span.start
    end = sum(len(line) for line in lines[: span.end_line - 1]) + span.end
    statement = max(
        (
            n
            for n in ast.walk(ast.parse(text))
            if isinstance(n, ast.stmt) and n.lineno <= span.line <= (n.end_lineno or 0)
        ),
        key=lambda n: (n.lineno, n.col_offset),
    )
    ahead = sum(len(line) for line in lines[: statement.lineno - 1])
    indent = " " * statement.col_offset
    before = "".join(f"{indent}{code}\n" for code in edit.before)
    return text[:ahead] + before + text[ahead:start] + edit.code + text[end:]


def offered(text: str, run: Callable[[dict[str, Any]], object]) -> tuple[tuple[Edit, ...], str]:
    """The edits that the first error with any offers, and the text of all errors; nothing, if there is none."""
    try:
        run(loaded(text))
    except fh.Rejected as rejected:
        reports = [error.report() for error in rejected.errors]
        return next((r.edits for r in reports if r.edits), ()), str(rejected)
    return (), ""


def followed(text: str, run: Callable[[dict[str, Any]], object], most: int = 6) -> Iterator[tuple[str, list[Edit]]]:
    """
    The programs that come of `text` by doing what its errors offer, one edit after another, until there are no errors,
    with the edits that made them. Fails where an error offers nothing, or the errors do not end.
    """
    edits, errors = offered(text, run)
    if not errors:
        yield text, []
        return
    assert edits, f"no edit is offered\n{text}\n{errors}"
    assert most > 0, f"no end of errors\n{text}\n{errors}"
    for edit in edits:
        for program, made in followed(applied(text, edit), run, most - 1):
            yield program, [edit, *made]
