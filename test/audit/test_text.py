"""The report of an audit for a terminal, line by line."""

from __future__ import annotations

from typing import Any

import pytest
from test_walk import STORE, audited

from freehold.audit.accesses import Trace
from freehold.audit.bounds import Bound
from freehold.audit.facts import Call, Launch, Placed, Tensor
from freehold.audit.text import array_text, became, listed, text_of
from freehold.audit.verdict import ArrayVerdict, Audit, Open, Share

OP: Any = object()


def bound(status: Any) -> Bound:
    return Bound(OP, 0, status)


BECAME: list[tuple[Share, dict[str, Any], list[str], str]] = [
    ("untouched", {}, [], "not accessed"),
    ("read only", {}, ["in bounds"], "read only; in bounds"),
    ("read only", {"repeated": True}, ["in bounds"], "read only; in bounds"),
    ("disjoint", {}, ["in bounds"], "blocks write apart; in bounds"),
    ("disjoint", {"everywhere": True}, ["in bounds"], "blocks write apart in every launch; in bounds"),
    ("disjoint", {"repeated": True}, [], "blocks write apart, in the order of tokens"),
    ("unordered", {"repeated": True}, [], "accesses without order"),
    ("commuting", {"everywhere": True}, ["masked", "in bounds"], "updates that commute; in bounds, masked at the edge"),
    ("atomic", {}, ["in bounds", "unknown", "masked"], "atomic accesses, whose order matters; bounds not decided"),
    ("race", {}, ["masked", "out of bounds", "unknown"], "race; out of bounds"),
    ("unknown", {}, ["in bounds"], "not decided; in bounds"),
]


@pytest.mark.parametrize(("share", "more", "bounds", "said"), BECAME)
def test_what_became_of_an_array(share: Share, more: dict[str, Any], bounds: list[str], said: str) -> None:
    found: Any = None
    array = ArrayVerdict(0, "x", share, bounds=[bound(status) for status in bounds], **more)
    assert became(found, array) == said


def report(grid: tuple[int, int, int], arrays: list[ArrayVerdict], **more: Any) -> Audit:
    shapes = [Tensor("x", "f32", (4, 8)), Tensor("long", "i8", ())]
    launch = Launch(grid, ())
    call = Call(launch, tuple(Placed(tensor, 0) for tensor in shapes), ("x", "long"))
    return Audit("k", launch, call, arrays, [], more.pop("open", []), Trace(), **more)


WHY = [Open("`x` in a race", (), "an index is read", "its contents"), Open("the kernel", (), "`op` is not followed")]
LISTED = [
    "  `x` in a race: an index is read",
    "    decided by: its contents",
    "  the kernel: `op` is not followed",
]


def test_what_was_not_decided() -> None:
    assert listed(WHY) == LISTED


def test_the_report_of_a_kernel() -> None:
    arrays = [ArrayVerdict(0, "x", "read only"), ArrayVerdict(1, "long", "untouched")]
    found = report((4, 1, 1), arrays, open=WHY, dead="1 of 4 tile blocks writes nothing: 3", hidden=WHY[1:])
    assert text_of(found).split("\n") == [
        "kernel `k`, grid 4: not decided for this launch",
        "  `x` f32[4, 8]  read only",
        "  `long` i8[]    not accessed",
        "  1 of 4 tile blocks writes nothing: 3",
        "",
        "not decided:",
        *LISTED,
        "",
        "wrong, too, behind the errors above:",
        LISTED[2],
    ]
    assert [array_text(found, array) for array in arrays] == ["`x` f32[4, 8]", "`long` i8[]"]


@pytest.mark.parametrize(
    ("grid", "said"),
    [((1, 1, 1), "1"), ((4, 1, 1), "4"), ((4, 2, 1), "4 x 2"), ((1, 2, 1), "1 x 2"), ((1, 1, 2), "1 x 1 x 2")],
)
def test_a_grid_has_the_axes_that_it_needs(grid: tuple[int, int, int], said: str) -> None:
    assert text_of(report(grid, [], open=WHY[1:])).startswith(f"kernel `k`, grid {said}: not decided for this launch\n")


def test_a_safe_kernel_is_shown_as_one_of_ours() -> None:
    said = text_of(audited(STORE)).split("\n")
    assert said[:4] == [
        "kernel `k`, grid 4: safe in this launch",
        "  `x` f32[8]  blocks write apart in every launch; in bounds",
        "",
        "as a kernel of Freehold:",
    ]
    assert len(said) == 5


def test_a_faulty_kernel_is_not() -> None:
    said = text_of(audited(STORE, extent=3))
    assert "grid 4: faulty in this launch" in said
    assert "as a kernel of Freehold" not in said
