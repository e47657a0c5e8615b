"""`raise` in kernels: nothing where it is not reached as the kernel is compiled, in any nesting, else told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Out, Ref


def factor(kind: str) -> float:
    if kind == "twice":
        return 2.0
    if kind == "thrice":
        return 3.0
    raise NotImplementedError(f"no kind {kind!r}")


@fh.kernel
def chosen(y: Out["N"], x: Ref["N"], KIND: Const[str] = "twice", MOST: Const[int] = 2, unused: Const[bool] = False):
    if MOST > 4:
        raise ValueError(f"at most 4, not {MOST}")
    match KIND:
        case "twice" | "thrice":
            t = x.load_like(y) * factor(KIND)
        case _:
            raise NotImplementedError({"what": [KIND]}) from None
    for k in range(3):
        if MOST == 3:
            raise ValueError
        t += k
    for k in fh.static_range(8):
        if k == MOST:
            break
        if k > MOST:
            raise IndexError(k)
    if x.load_like(y).sum() > 0:
        if unused:
            raise
        t += 1
    y.store(t)


@pytest.mark.parametrize(("kind", "by"), [("twice", 2), ("thrice", 3)])
def test_what_is_not_reached(kind: str, by: int) -> None:
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    chosen(fh.partition(y, 8), x, kind).sync()
    assert np.array_equal(y, x * by + 4)


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ({"MOST": 5}, "O030", "at most 4, not 5"), ({"KIND": "once"}, "O030", "raise NotImplementedError({"),
        ({"MOST": 3}, "O002", "`raise` cannot be used in a kernel"),
        ({"MOST": -1}, "O030", "raise IndexError(k)"),
        ({"unused": True}, "O002", "`raise` cannot be used in a kernel"),
    ],
)  # fmt: skip
def test_what_is_reached(given: dict[str, Any], code: str, said: str) -> None:
    """One error: what follows is not looked at."""
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    with pytest.raises(fh.Rejected) as caught:
        chosen(fh.partition(y, 8), x, **given).sync()
    (error,) = caught.value.errors
    assert error.code == code
    assert error.report().title.startswith(said)
