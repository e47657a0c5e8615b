"""The assembler's remarks, read from its YAML: outcome, place, sentence and details."""

from __future__ import annotations

from typing import Any

import pytest

from freehold.backend import remarks as module
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
