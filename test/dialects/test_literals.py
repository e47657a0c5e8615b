"""Literals of every element: what is read of a text, in bytes and as it is printed again, or why it is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.utils.exceptions import ParseError, VerifyException

from freehold.dialects.cuda_tile import ConstantOp
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.text import text_of
from freehold.dialects.cuda_tile.types import ELEMENT_BITS
from freehold.runtime.interpreter.elements import ELEMENTS, Element
from freehold.tools.context import make_context
from freehold.tools.located_parser import LocatedParser

WORDS: Final = (
    "0", "1", "-1", "-0", "1.5", "-1.5", "0.0", "-0.0", "1e40", "-1e40", "1e-50", "65504.0", "65520.0", "448.0",
    "464.0",
    "1.0e", "true", "false", "-true", "0x0", "0x1", "-0x1", "0x7F", "0x80", "0xff", "0x100", "0xFFFF", "0x1FFFF",
    "0x7FC00000", "0xFFFFFFFF", "127", "128", "-128", "-129", "255", "256", "7", "8", "-8", "-9", "15", "16",
    "2147483647",
    "4294967295", "4294967296", "-2147483648", "-2147483649", "9223372036854775807", "18446744073709551615",
    "18446744073709551616", "inf", "nan", "%x", '"0x00"', '"0x01"', '"0x0000803F"', '"text"', "",
)  # fmt: skip
NESTED: Final = (
    "tile<2xELEMENT> [0, 1]", "tile<2xELEMENT> 1", "tile<2xELEMENT> [1]", "tile<2xELEMENT> [0, 1, 1]",
    "tile<2xELEMENT> []",
    "tile<2xELEMENT> [[0, 1]]", "tile<2xELEMENT> [0, [1]]", "tile<2x2xELEMENT> [[0, 1], [1, 1]]",
    "tile<2x2xELEMENT> [[0, 1], [1]]", "tile<2x2xELEMENT> [0, 1]", "tile<2x2xELEMENT> [[0, 1], 1]",
    "tile<2x1xELEMENT> [[0], [1]]", "tile<1x2xELEMENT> [[0, 1]]", "tile<1xELEMENT> [1]", "tile<ELEMENT> [1]",
    "tile<8xELEMENT> [1, 1, 1, 1, 1, 1, 1, 1]", "tile<8xELEMENT> [0, 1, 0, 0, 0, 0, 0, 1]", "tile<2xi64> [0, 1]",
    "tile<2xELEMENT> [0, 1", "tile<2xELEMENT> [0 1]", "tile<2xELEMENT> [0, ]",
)  # fmt: skip


def said_of(text: str) -> str:
    parser = LocatedParser(make_context(), text, "literal.mlir")
    try:
        op = parser.parse_operation()
        op.verify()
    except ParseError as error:
        number = re.compile(r"^-?\d+ does not")  # which the word says
        return (
            f"{number.sub('does not', error.msg.strip())} [{error.span.start - text.index(': ') - 2} behind its begin]"
        )
    except (VerifyException, ValueError) as error:
        return f"{type(error).__name__}: {str(error).strip().splitlines()[-1]}"
    assert isinstance(op, ConstantOp)
    assert isinstance(op.value, DenseElementsAttr)
    printed = text_of(op).strip().removeprefix("%r = cuda_tile.constant ")
    return f"{op.value.data.data.hex()} {printed}"


def test_what_words_mean(golden: Callable[[Path, str], None]) -> None:
    """Each word as a number of each element."""
    lines: list[str] = []
    for element in ELEMENT_BITS:
        found: dict[str, list[str]] = {}
        for word in WORDS:
            said = said_of(f"%r = cuda_tile.constant <{element}: {word}> : tile<{element}>")
            found.setdefault(said, []).append(word)
        lines += [element, *(f"    {', '.join(words)}: {said}" for said, words in found.items())]
    golden(Path(__file__).with_name("literals.txt"), "\n".join(lines))


def test_what_lists_mean(golden: Callable[[Path, str], None]) -> None:
    """Of an element of a byte and more, and of those of one bit and four."""
    lines: list[str] = []
    for element in ("i1", "i4", "i8", "f32", "f4E2M1FN"):
        lines.append(element)
        for form in NESTED:
            type_, _, value = form.replace("ELEMENT", element).partition(" ")
            said = said_of(f"%r = cuda_tile.constant <{element}: {value}> : {type_}")
            lines.append(f"    {value} of {type_}: {said}")
    golden(Path(__file__).with_name("literal_lists.txt"), "\n".join(lines))


NUMBERS: Final = [e for e in ELEMENTS if e.name in ELEMENT_BITS and e.dtype.kind != "b" and e.bits >= 8]


@pytest.mark.parametrize("element", NUMBERS, ids=[e.name for e in NUMBERS])
@settings(max_examples=40)
@given(data=st.data())
def test_bits_that_are_printed_are_read_again(element: Element, data: st.DataObject) -> None:
    """Of each element, whatever its bits are; and numbers are those that NumPy makes of them."""
    name, bits = element.name, element.bits
    integer = name.startswith("i")
    pattern = data.draw(st.integers(0, (1 << bits) - 1))
    word = str(pattern) if integer else f"0x{pattern:0{bits // 4}X}"
    said = said_of(f"%r = cuda_tile.constant <{name}: {word}> : tile<{name}>")
    stored, _, printed = said.partition(" ")
    assert int.from_bytes(bytes.fromhex(stored), "little") == pattern
    again = said_of(f"%r = cuda_tile.constant {printed}")
    assert again == said
    if name in ("f16", "f32", "f64", "bf16"):
        value = np.frombuffer(bytes.fromhex(stored), element.dtype)[0]
        if np.isfinite(value):
            assert said_of(f"%r = cuda_tile.constant <{name}: {float(value):.17e}> : tile<{name}>") == said
