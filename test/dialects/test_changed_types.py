"""Each operation with other elements, extents and numbers than it has: which are accepted, what is said of others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from test_damaged_text import read, wholes
from xdsl.utils.exceptions import ParseError, VerifyException

from freehold.dialects.cuda_tile.types import ELEMENT_BITS

ELEMENTS: Final = tuple(ELEMENT_BITS)
ELEMENT: Final = "|".join(sorted(ELEMENTS, key=len, reverse=True))
TYPE: Final = re.compile(rf"(?<=<)((?:(?:\d+|\?)x)*)((?:ptr<)?)({ELEMENT})\b(?=[>,])")
"""What stands in a tile's or a view's brackets: extents, and an element or a pointer to one."""
NUMBER: Final = re.compile(r"(?<![\w.%\"?-])\d+(?![\w.]|x)")
MOST: Final = 420
"""Characters of an operation. Longer ones hold others."""


def said_of(text: str) -> str:
    """Empty where an operation verifies."""
    try:
        read(text).verify()
    except ParseError as error:
        return error.msg.strip()
    except (VerifyException, ValueError) as error:
        return str(error).strip().splitlines()[-1].strip(" ^|")
    return ""


def changed(whole: str) -> Iterator[tuple[str, str]]:
    """A text with one change, and what that is."""
    used = list(dict.fromkeys(match[3] for match in TYPE.finditer(whole)))
    for element in used:
        for other in ELEMENTS:
            if other != element:
                text = re.sub(rf"(?<=[<x ,:(\[]){element}\b", other, whole)
                yield f"{other} for {element}", text
    for number, match in enumerate(TYPE.finditer(whole)):
        extents, pointer, element = match.groups()
        other = "i32" if element.startswith("f") else "f32"
        first, _, rest = extents.partition("x")
        twice = f"{2 * int(first)}x{rest}" if first.isdecimal() else extents
        for what, new in (
            ("other element", f"{extents}{pointer}{other}"), ("twice as many", f"{twice}{pointer}{element}"),
            ("an axis more", f"2x{extents}{pointer}{element}"), ("an axis less", f"{rest}{pointer}{element}"),
        ):  # fmt: skip
            if new != match[0]:
                yield f"{what} in {number}", f"{whole[: match.start()]}{new}{whole[match.end() :]}"
    for number, match in enumerate(NUMBER.finditer(whole)):
        for new in (int(match[0]) + 1, 0, 1 << 40):
            if str(new) != match[0]:
                yield f"{new} for {match[0]}, {number}", f"{whole[: match.start()]}{new}{whole[match.end() :]}"


@pytest.mark.parametrize("dialect", ["cuda_tile", "ownership"])
def test_changed_types(dialect: str, golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    for name, whole in sorted(wholes().items()):
        if not name.startswith(dialect) or len(whole) > MOST:
            continue
        found: dict[str, list[str]] = {}
        for what, text in changed(whole):
            said = said_of(text) or "accepted"
            if " for " in what and what.split()[0] in ELEMENTS:  # it says which
                said = re.sub(r",? got .*", "", said)
            found.setdefault(said, []).append(what)
        lines += [whole, *(f"    {said}: {'; '.join(whats)}" for said, whats in found.items())]
    golden(Path(__file__).with_name(f"changed_{dialect}.txt"), "\n".join(lines))
