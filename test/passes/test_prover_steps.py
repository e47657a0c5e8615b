"""
How far the rules and the search for counterexamples have to go: the steps of both for obligations of many forms, and
the values that the search meets first.

What they find is right in any order (`test_prover.py`); how soon decides how long kernels take to be compiled, and
which example a message shows. `pytest --update-golden` writes it anew.
"""

# The steps are counted by what takes them.
# pyright: reportPrivateUsage=false
from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from freehold.passes.prover import rules, search
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.support import terms
from freehold.support.terms import Term, parse

GOLDEN = Path(__file__).with_name("prover_steps.txt")
FACTS = " and ".join(
    ("1 <= M", "1 <= N", "1 <= K", "0 <= i", "i < ceildiv(M, 64)", "0 <= j", "j < N", "0 <= k", "k < ceildiv(K, 16)")
)
OBLIGATIONS = [
    ("h // G < H // G", "1 <= G and 1 <= H and H % G == 0 and 0 <= h and h < H"),
    ("i * n + j < m * n", "0 <= i and i < m and 0 <= j and j < n"),
    ("2 * k + 1 < ceildiv(K, 64)", "1 <= K and K % 128 == 0 and 0 <= k and k < ceildiv(K, 128)"),
    ("2 * k + 1 < ceildiv(K, 64)", "1 <= K and 0 <= k and k < ceildiv(K, 128)"),
    ("max(i - 1, 0) < ceildiv(N, 64)", "1 <= N and 0 <= i and i < ceildiv(N, 64)"),
    ("s + 3 < M", "0 <= s and s < M"),
    ("s < M", "s % 8 == 0 and M % 8 == 0 and s < M + 1"),
    ("a * b <= 1000000", "0 <= a and 0 <= b"),
    ("a * a < 2147483647", "0 <= a and a < 65536"),
    ("not a == 5000", "0 <= a and a < N and 1 <= N"),
    ("a < 100", "a // 7 < 14 and 0 <= a"),
    ("a <= b or c <= d", "a <= c and c <= b or d < a"),
    ("x < y or y < x", "not x == y and 3 <= x and x + 4 * y < 77"),
    ("a // (b - 2) < 9", "0 <= a and a < 70 and 0 <= b"),
]


def obligations() -> Iterator[tuple[Term, Hypotheses, str]]:
    """Those above, and comparisons of sums, products, quotients and extrema of coordinates and extents."""
    for goal, facts in OBLIGATIONS:
        yield parse(goal), Hypotheses().extended([parse(facts)]), facts
    draw = random.Random(1)
    leaves = ["i", "j", "k", "M", "N", "K", "1", "2", "64", "s"]
    forms = ["{} + {}", "{} - {}", "{} * {}", "min({}, {})", "max({}, {})", "({}) // 16", "ceildiv({}, 64)", "({}) % 8"]
    facts = Hypotheses().extended([parse(FACTS)])
    for _ in range(80):
        sides: list[str] = []
        for _ in range(2):
            inner = draw.choice(forms).format(*draw.sample(leaves, 2))
            sides.append(draw.choice(["({})", *forms]).format(f"({inner})", draw.choice(leaves)))
        yield parse(f"{sides[0]} {draw.choice(('<', '<=', '<=', '=='))} {sides[1]}"), facts, ""


def test_steps(golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    by_rules: list[rules._Search] = []
    by_search: list[search._Search] = []

    class Rules(rules._Search):
        def __init__(self, given: Hypotheses):
            super().__init__(given)
            by_rules.append(self)

    class Search(search._Search):
        def __init__(self, *given: Any):
            super().__init__(*given)
            by_search.append(self)

    monkeypatch.setattr(rules, "_Search", Rules)
    monkeypatch.setattr(search, "_Search", Search)
    lines = [f"where nothing else is said: {FACTS}\n"]
    for goal, given, facts in obligations():
        by_rules.clear()
        by_search.clear()
        search._found.cache_clear()  # what is known takes no steps
        holds = rules.holds(goal, given)
        steps = sum(rules._NODES - each.left for each in by_rules)
        lines.append(f"{goal}{f' where {facts}' * bool(facts)}\n  {'holds' if holds else 'open'} in {steps} steps")
        if not holds:
            found = search.find(given.facts, terms.negate(goal))
            tried = sum(b - max(s.left, 0) for b, s in zip(search._BUDGETS, by_search, strict=False))
            met = " ".join(f"{name}={value}" for name, value in (found or {}).items()) or "no values"
            lines.append(f", {met} after {tried}")
        lines.append("\n")
    golden(GOLDEN, "".join(lines))
