"""The assembler's remarks, read from its YAML: outcome, place, sentence and details."""

from __future__ import annotations

from typing import Any

import pytest

from freehold.backend import remarks as module
from freehold.backend.errors.assembler import AssemblerRemark
from freehold.backend.remarks import parsed, remarks
from freehold.support.span import Span

TOLD = """--- !Missed
Pass:            memory
Name:            NoTMA
DebugLoc:        { File: k.py, Line: 7, Column: 5 }
Function:        k
Args:
  - Remark:          'The load isn''t one of TMA'
  - Reason:          no alignment
  - Reason:          no alignment
...
--- !Passed
Pass:            memory
Name:            TMA
Function:        k
Args:
  - Remark:          TMA Load instruction
...
--- !Other
Pass:            memory
Name:            Nothing
...
"""


def test_what_is_said() -> None:
    missed, passed, other = parsed(TOLD)
    assert missed.place == Span("k.py", 7, 4, 7, 5)
    titles = [remark.report().title for remark in (missed, passed, other)]
    assert "the load isn't one of TMA" in titles[0]
    assert "TMA Load instruction" in titles[1]  # an abbreviation keeps its letters
    assert "nothing" in titles[2]
    assert [str(remark.report()).count("no alignment") for remark in (missed, passed, other)] == [1, 0, 0]


def document(*lines: str, tag: str = "--- !Missed") -> str:
    return "\n".join((tag, *lines)) + "\n...\n"


PLACED = "DebugLoc:        { File: %s, Line: 7, Column: %d }"


@pytest.mark.parametrize(
    ("lines", "place", "remark", "details"),
    [
        ([], None, "a remark", []),
        (["Name:  NoTMA"], None, "noTMA", []),
        (["Name:  NoTMA", "Args:", "  - Remark: It failed: why"], None, "it failed: why", []),
        (["Name:  NoTMA", "  - Name: Other"], None, "noTMA", [("name", "Other")]),
        (["no field", "Name: A", "", "  - nor this"], None, "A", []),
        (["Args:", "  - Remark: ''''"], None, "'", []),
        (["Args:", "  - Remark: 'It isn''t'"], None, "it isn't", []),
        (["Args:", "  - Remark: 'half"], None, "'half", []),
        (["Args:", "  - Remark: '"], None, "'", []),
        (["Args:", "  - Remark: half'"], None, "half'", []),
        (["Args:", "  - Remark: ''"], None, "", []),
        (["Args:", "  - Remark: TMA Load"], None, "TMA Load", []),
        (["Args:", "  - Remark: Tma Load"], None, "tma Load", []),
        (["Args:", "  - RemarkId: 7", "  - Remark: A b", "  - Why: c"], None, "A b", [("why", "c")]),
        (["Args:", "  - Why: c", "  - Why: d", "  - WHY: c"], None, "a remark", [("why", "c"), ("why", "d")]),
        (["Args:", '  - Why: loc("k.py":7:5): c'], None, "a remark", [("why", "c")]),
        (["Args:", '  - Why: at loc("k.py":7:5): c'], None, "a remark", [("why", "at c")]),
        ([PLACED % ("k.py", 5)], Span("k.py", 7, 4, 7, 5), "a remark", []),
        ([PLACED % ("k.py", 1)], Span("k.py", 7, 0, 7, 1), "a remark", []),
        ([PLACED % ("k.py", 0)], Span("k.py", 7, 0, 7, 1), "a remark", []),
        ([PLACED % ("'a ''b'', c.py'", 5)], Span("a 'b', c.py", 7, 4, 7, 5), "a remark", []),
        ([(PLACED % ("k.py", 5)).replace("Line", "Row")], None, "a remark", []),
    ],
)
def test_fields(lines: list[str], place: Span | None, remark: str, details: list[tuple[str, str]]) -> None:
    (found,) = parsed(document(*lines))
    expected = AssemblerRemark(place, remark, "missed")
    for detail in details:
        expected.add(expected.Detail(*detail))
    assert found == expected
    assert found.report() == expected.report()


def test_documents_are_told_apart_by_their_first_lines() -> None:
    one, other = document("Name: one --- two"), document("Name: other", tag="--- !Passed")
    assert [remark.outcome for remark in parsed("ahead\n" + one + other)] == ["missed", "passed"]
    assert [*parsed("")] == [*parsed("Name: none\n")] == []


@pytest.mark.parametrize("outcome", ["Failure:failed", "Missed:missed", "Analysis:analysis", "Other:Other"])
def test_outcomes(outcome: str) -> None:
    tag, _, said = outcome.partition(":")
    remark = next(parsed(TOLD.replace("Missed", tag, 1)))
    assert remark.outcome == said


def test_each_is_told_once_however_often_the_assembler_says_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def assemble(bytecode: bytes, arch: str, options: Any, remarks: Any) -> None:
        category, tell = remarks
        asked.append((bytecode, arch, category))
        for part in (TOLD[:100], TOLD[100:], TOLD.replace("alignment", "space"), TOLD):
            tell(part)

    monkeypatch.setattr(module, "assemble", assemble)
    found = remarks(b"code", "sm_90", "memory")
    assert asked == [(b"code", "sm_90", "memory")]
    assert [one.outcome for one in found] == ["missed", "passed", "Other", "missed"]
    assert found[:3] == [*parsed(TOLD)]
    assert "space" in str(found[3].report())
