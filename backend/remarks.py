"""The assembler's remarks: what it says of the code that it makes, at the lines that the code came of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, Literal

from freehold.backend.assembler import DEFAULT_OPTIONS, AssembleOptions, assemble
from freehold.backend.errors.assembler import AssemblerRemark
from freehold.support.span import Span

Category = Literal["all", "memory", "tensorcore"]

_PLACE: Final = re.compile(r"\{ File: (?P<file>.*), Line: (?P<line>\d+), Column: (?P<column>\d+) \}")
_IN_TEXT: Final = re.compile(r'loc\("[^"]*":\d+:\d+\): ')
_SAID_BEFORE: Final = ("RemarkId", "Remark")


def remarks(
    bytecode: bytes, arch: str, category: Category = "all", options: AssembleOptions = DEFAULT_OPTIONS
) -> list[AssemblerRemark]:
    """What the assembler says of a module, each remark once. Raises `Rejected` as `assemble` does."""
    told: list[str] = []
    assemble(bytecode, arch, options, remarks=(category, told.append))
    found: list[AssemblerRemark] = []
    for each in parsed("".join(told)):
        if each not in found:
            found.append(each)
    return found


def parsed(text: str) -> Iterator[AssemblerRemark]:
    """The remarks of a YAML file of LLVM's, of which no more is read than the assembler writes."""
    for document in re.split(r"^--- ", text, flags=re.MULTILINE)[1:]:
        outcome = document.partition("\n")[0].removeprefix("!").strip()
        fields = dict[str, str]()
        details: list[tuple[str, str]] = []
        for line in document.splitlines()[1:]:
            name, colon, value = line.strip().removeprefix("- ").partition(":")
            if not colon:
                continue
            entry = (name, _unquoted(value.strip()))
            if line.startswith("  - "):
                details.append(entry)
            else:
                fields[name] = entry[1]
        what = dict(details).get("Remark", fields.get("Name", "a remark"))
        remark = AssemblerRemark(_span(fields.get("DebugLoc", "")), _lowered(what), _OUTCOMES.get(outcome, outcome))
        seen: list[tuple[str, str]] = []
        for name, value in details:
            detail = (name.lower(), _IN_TEXT.sub("", value))
            if name not in _SAID_BEFORE and detail not in seen:
                seen.append(detail)
                remark.add(remark.Detail(*detail))
        yield remark


_OUTCOMES: Final = {"Failure": "failed", "Passed": "passed", "Missed": "missed", "Analysis": "analysis"}


def _unquoted(text: str) -> str:
    return text[1:-1].replace("''", "'") if len(text) > 1 and text[0] == text[-1] == "'" else text


def _lowered(text: Any) -> str:
    """A sentence as titles are written: in lower case, but for a first word that is an abbreviation."""
    first = text.split(" ")[0]
    return text if first.isupper() else text[:1].lower() + text[1:]


def _span(text: str) -> Span | None:
    match = _PLACE.fullmatch(text)
    if match is None:
        return None
    line, column = int(match["line"]), max(0, int(match["column"]) - 1)
    return Span(_unquoted(match["file"]), line, column, line, column + 1)
