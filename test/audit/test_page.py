"""The page of an audit: what a reader finds in it, by what became of the kernel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from test_walk import STORE, TOKEN, audited

from freehold.audit.page import page
from freehold.audit.verdict import Audit

READ = "%r, %u = load_ptr_tko weak %x token=%t : tile<ptr<f32>> -> tile<f32>, token"
SAFE, FAULTY = audited(STORE), audited(f"{STORE}\n    {READ}")
UNKNOWN = audited(f'%u = "foo.sync"(%t) : ({TOKEN}) -> {TOKEN}\n    {STORE}')
IDLE = audited("")
OURS = "<h3>as a kernel of Freehold</h3><pre>"
BEHIND = "<h3>wrong, too, behind the errors above</h3><pre>"
DEAD = "<p>no tile block writes anything</p>"
OPEN = "<h3>not decided</h3><pre>"


@pytest.mark.parametrize(
    ("found", "verdict", "has"),
    [
        (SAFE, "safe", (OURS, "<figure>", "`x` f32[8]")),
        (FAULTY, "faulty", ("<figure>", BEHIND, "race: blocks 0 and 1 at `x[0]`")),
        (UNKNOWN, "unknown", ("<figure>", OPEN, "is not followed")),
        (IDLE, "safe", (OURS, DEAD, "not accessed")),
    ],
    ids=["safe", "faulty", "unknown", "idle"],
)
def test_a_page_tells_of_a_kernel(found: Audit, verdict: str, has: tuple[str, ...]) -> None:
    text = page([found], "a title & more")
    assert f'<section><h2><code>k</code>, grid 4 x 1 x 1: <span class="{verdict}">' in text
    assert "a title &amp; more" in text
    for part in (
        OURS,
        OPEN,
        "<figure>",
        "O523",
        "is not followed",
        "<p>no tile block writes anything</p>",
        "not accessed",
    ):
        assert (part in text) == (part in has), part
    assert all(part in text for part in has)


def test_several_kernels_are_on_one_page() -> None:
    text = page([SAFE, FAULTY, IDLE], "three")
    assert [text.count(f'<span class="{verdict}">') for verdict in ("safe", "faulty", "unknown")] == [2, 1, 0]


def test_all_of_a_page(golden: Callable[[Path, str], None]) -> None:
    """`--update-golden` writes it anew: what a browser is given, with an error as it is reported."""
    golden(Path(__file__).with_name("page.html"), page([FAULTY, UNKNOWN, IDLE], "three"))
