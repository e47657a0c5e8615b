"""Attributes that there are not: where it is known what is meant, it is said; else Python proposes a similar one."""

from __future__ import annotations

import pytest

from freehold.support import missing
from freehold.support.missing import KERNEL, LAUNCH


@pytest.mark.parametrize("known", [KERNEL, LAUNCH])
def test_what_is_meant_is_said(known: dict[str, str]) -> None:
    for name, meant in known.items():
        error = missing.missing("it", name, known, 3)
        assert str(error) == f"it has no attribute {name!r}: {meant}"
        assert error.name is None


def test_what_is_not_known_is_left_to_python() -> None:
    error = missing.missing("it", "runn", KERNEL, 3)
    assert (str(error), error.name, error.obj) == ("it has no attribute 'runn'", "runn", 3)
