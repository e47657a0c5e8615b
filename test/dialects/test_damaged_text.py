"""Each operation's text with one token left out or written twice: what is said of it and where, or what is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from xdsl.ir import Operation
from xdsl.utils.exceptions import ParseError, VerifyException

from freehold.dialects.cuda_tile.text import text_of
from freehold.tools.context import make_context
from freehold.tools.located_parser import LocatedParser, parse_module

LIT: Final = Path(__file__).parents[1] / "lit" / "dialects"
TOKEN: Final = re.compile(r'"(?:\\.|[^"\\])*"|->|[%@#!^]?[\w.$-]*\w|\S')
OPENS, CLOSES = "<([{", ">)]}"
MOST: Final = 700
"""Characters of an operation. What is longer only holds others, which stand here by themselves."""


def longer(text: str) -> tuple[int, str]:
    """By what forms of an operation are compared."""
    return len(TOKEN.findall(text)), text


@cache
def wholes() -> dict[str, str]:
    """Of each operation of a dialect the form in the suites that has the most tokens."""
    found: dict[str, str] = {}
    for path in sorted(path for path in LIT.rglob("*.mlir") if not path.stem.endswith("invalid")):
        for chunk in path.read_text(encoding="utf-8").split("// -----"):
            for op in parse_module(make_context(allow_unregistered=True), chunk, path.name).walk():
                text = text_of(op).strip()
                if op.name.startswith(f"{path.parent.name}.") and len(text) <= MOST:
                    found[op.name] = max(
                        found.get(op.name, ""), text, key=lambda each: (len(TOKEN.findall(each)), each)
                    )
    return found


def read(text: str) -> Operation:
    """The one operation that a text is. Its operands may be defined nowhere."""
    parser = LocatedParser(make_context(), text, "damaged.mlir")
    op = parser.parse_operation()
    if text[parser.pos :].strip():
        parser.raise_error("the operation has ended")
    return op


def alike(one: str, other: str) -> int:
    """With how many characters both begin."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def said_of(text: str, whole: str) -> str:
    """What comes of reading a text: a message and what it points at, or how it prints if not as the whole."""
    try:
        op = read(text)
        op.verify()
    except ParseError as error:
        return f"{error.msg.strip()} [at {text[error.span.start :].split(' ')[0].split(chr(10))[0]!r}]"
    except (VerifyException, ValueError) as error:
        return f"{type(error).__name__}: {str(error).strip().splitlines()[-1]}"
    printed = text_of(op).strip()
    if printed == whole:
        return "the same"
    before = alike(printed, whole)
    behind = alike(printed[before:][::-1], whole[before:][::-1])
    return f"{whole[before : len(whole) - behind]!r} is {printed[before : len(printed) - behind]!r}"


def damages(whole: str, seen: set[tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """How a text is damaged, and the text then. What stands in brackets as in a text before is left as it is, and
    so are the names of results."""
    behind = whole.partition(" = ")[2]
    tokens = [*TOKEN.finditer(whole, len(whole) - len(behind) if whole[0] == "%" else 0)]
    words = ["", "", *(token[0] for token in tokens), "", ""]
    depth = 0
    for number, token in enumerate(tokens):
        depth += (token[0] in OPENS) - (token[0] in CLOSES)
        around = tuple(words[number : number + 5])
        if depth and around in seen:
            continue
        seen.add(around)
        for sign, kept in (("-", ""), ("+", f"{token[0]} {token[0]}")):
            yield f"{sign}{token[0]}", f"{whole[: token.start()]}{kept}{whole[token.end() :]}"


@pytest.mark.parametrize("dialect", ["cuda_tile", "ownership"])
def test_damaged_text(dialect: str, golden: Callable[[Path, str], None]) -> None:
    seen: set[tuple[str, ...]] = set()
    lines: list[str] = []
    for name, whole in sorted(wholes().items()):
        if not name.startswith(dialect):
            continue
        found: dict[str, list[str]] = {}
        printed = text_of(read(whole)).strip()
        for damage, text in damages(whole, seen):
            found.setdefault(said_of(text, printed), []).append(damage)
        lines += [whole, *(f"    {said}: {' '.join(how)}" for said, how in found.items()), ""]
    golden(Path(__file__).with_name(f"damaged_{dialect}.txt"), "\n".join(lines))
