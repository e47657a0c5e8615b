"""Lines of kernels by themselves: a kernel around them, and what an error says of them, without the excerpt."""

from __future__ import annotations

import builtins
import linecache
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from freehold.support.diagnostic import Error, Rejected
from freehold.support.sources import register_source
from freehold.support.span import Span

FILE = "fragments.py"
IMPORTS = """
import math
from dataclasses import InitVar, dataclass, field
from typing import NamedTuple
import freehold as fh
from freehold import Acc, Const, Mut, Out, Ref
from freehold import bf16, bool_, f8e8m0fnu, f8e5m2, f16, f32, f64, i8, i32, i64, u8, u32, u64
"""
TAIL = "    y.store(t)\n"


def kernel_of(*lines: str, head: str, tail: str = TAIL) -> Callable[..., Any]:
    """A kernel with these lines in the middle, between what a head defines, whose last line is in it, and a tail."""
    text = IMPORTS + head + "".join(f"    {line}\n" for line in lines) + tail
    scope: dict[str, Any] = {"__name__": "fragments", "__builtins__": builtins}
    register_source(FILE, text)
    exec(compile(text, FILE, "exec", dont_inherit=True), scope)
    exec("def unread(t): return t", scope)  # of which nobody has the text
    return scope["kernel"]


def begin(head: str) -> int:
    """The line of the text where the lines of a kernel begin."""
    return (IMPORTS + head).count("\n") + 1


def text_of(span: Span) -> str:
    """What stands at a place of the last kernel."""
    line = linecache.getline(FILE, span.line).rstrip("\n")
    return line[span.start : span.end].strip() if span.end_line == span.line else line.strip()


def told(error: Error) -> str:
    """An error without the excerpt, and what its edits replace."""
    found = error.report()
    labels = [f"`{text_of(label.span)}`: {label.text}" for label in found.labels if label.text]
    places = {edit.help: f" (in place of `{text_of(edit.span)}`)" for edit in found.edits}
    helps = [f"help: {text}{places.get(text, '')}" for text in found.helps]
    return "\n    ".join([f"{found.code} {found.title}", *labels, *found.notes, *helps])


def said(lines: Iterable[str], refuse: Callable[[str], object]) -> Iterator[str]:
    """Each of some lines, and what is said where it is refused."""
    for line in lines:
        with pytest.raises(Rejected) as caught:
            refuse(line)
        yield line
        yield from (f"  {told(error)}" for error in caught.value.errors)
