"""Each operation's text with one token left out or written twice: what is said of it and where, or what is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final, cast

import pytest
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.utils.exceptions import ParseError, VerifyException

from freehold.dialects.cuda_tile.float_bits import FloatBitsAttr
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


ALONE: Final = [
    "#cuda_tile.shape<[4, 8]>", "#cuda_tile.shape<[]>", "#ownership.access<out>", '#ownership.term<"N + 1">',
    '#ownership.term<"N % 8 == 0">', "#cuda_tile.float_bits<0xFF800000 : f32>", "#cuda_tile.float_bits<1.5 : f16>",
    '#cuda_tile.di_file<"k.py" in "/src">',
]  # fmt: skip
"""Forms of attributes that no operation of the suites prints."""


@cache
def attributes() -> dict[type[Attribute], dict[str, Attribute]]:
    """The attributes and types of both dialects that stand anywhere in the suites, by their class and text."""
    found: dict[type[Attribute], dict[str, Attribute]] = {}
    seen: set[Attribute] = set()

    def visit(attribute: Attribute) -> None:
        if attribute in seen:
            return
        seen.add(attribute)
        if attribute.name.startswith(("cuda_tile.", "ownership.")) and not isinstance(attribute, FloatBitsAttr):
            found.setdefault(type(attribute), {})[str(attribute)] = attribute
        inner: Sequence[Attribute] = ()
        if isinstance(attribute, ParametrizedAttribute):
            inner = attribute.parameters
        elif isinstance(attribute, ArrayAttr):
            inner = cast("ArrayAttr[Attribute]", attribute).data
        elif isinstance(attribute, DictionaryAttr):
            inner = tuple(attribute.data.values())
        for each in inner:
            visit(each)

    for path in sorted(path for path in LIT.rglob("*.mlir") if not path.stem.endswith("invalid")):
        for chunk in path.read_text(encoding="utf-8").split("// -----"):
            for op in parse_module(make_context(allow_unregistered=True), chunk, path.name).walk():
                arguments = [argument for region in op.regions for block in region.blocks for argument in block.args]
                values = (*op.operands, *op.results, *arguments)
                for each in (*op.properties.values(), *op.attributes.values(), op.location, *(v.type for v in values)):
                    visit(each)
    return found


def attribute_of(text: str) -> Attribute:
    """The one attribute or type that a text is."""
    parser = LocatedParser(make_context(), text, "damaged.mlir")
    found = parser.parse_attribute()
    if text[parser.pos :].strip():
        parser.raise_error("the attribute has ended")
    return found


def test_attributes_are_what_they_print() -> None:
    for texts in attributes().values():
        for text, attribute in texts.items():
            assert attribute_of(text) == attribute
    for attribute in map(attribute_of, ALONE):
        if not isinstance(attribute, FloatBitsAttr):  # as numbers are, which stand in operations
            assert attribute_of(str(attribute)) == attribute


def test_damaged_attributes(golden: Callable[[Path, str], None]) -> None:
    seen: set[tuple[str, ...]] = set()
    lines: list[str] = []
    for whole in [*ALONE, *sorted(max(texts, key=longer) for texts in attributes().values())]:
        lines += [f"{whole} is {attribute_of(whole)}"]
        found: dict[str, list[str]] = {}
        for damage, text in damages(whole, seen):
            try:
                read = str(attribute_of(text))
                said = "the same" if read == str(attribute_of(whole)) else f"is {read}"
            except ParseError as error:
                said = f"{error.msg.strip()} [at {text[error.span.start :].split(' ')[0]!r}]"
            except (VerifyException, ValueError) as error:
                said = f"{type(error).__name__}: {str(error).strip().splitlines()[-1]}"
            found.setdefault(said, []).append(damage)
        lines += [f"    {said}: {' '.join(how)}" for said, how in found.items()]
    golden(Path(__file__).with_name("damaged_attributes.txt"), "\n".join(lines))
