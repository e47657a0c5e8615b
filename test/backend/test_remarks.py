"""The assembler's remarks, read from its YAML: outcome, place, sentence and details."""

from __future__ import annotations

import pytest

from freehold.backend.remarks import parsed
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
