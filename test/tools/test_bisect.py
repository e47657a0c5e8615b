"""The pass after which a check fails: found for every history, with few checks."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from freehold.tools.bisect import first_failure


@pytest.mark.parametrize("count", range(7))
def test_a_check_that_fails_from_some_pass_on(count: int) -> None:
    passes: list[Any] = [None] * count
    for first in range(count + 2):
        asked: list[int] = []

        def fails(after: int, first: int = first, asked: list[int] = asked) -> bool:
            asked.append(after)
            return after >= first

        assert first_failure(passes, fails) == (first if first <= count else None)
        assert len(asked) == len({*asked}) <= 5 or count == 0
        assert all(0 <= after <= count for after in asked)


def test_one_of_several_such_passes_is_found() -> None:
    for history in product((False, True), repeat=6):
        found = first_failure([None] * 5, history.__getitem__)  # type: ignore[list-item] # pyright: ignore[reportArgumentType] -- only counted
        if history[0]:
            assert found == 0
        elif not history[-1]:
            assert found is None
        else:
            assert found is not None
            assert history[found]
            assert not history[found - 1]
