"""What nobody uses may be gone from what is emitted, wherever it stands: reads of raw memory, branches never taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Mut, Raw
from freehold.backend.bytecode.writer import write_bytecode
from freehold.passes.pipeline import convert
from freehold.runtime.variants.build import validate


def emitted(function: Callable[..., None], *arguments: Any) -> str:
    """What is emitted for a kernel, as text, where it is shown to be what was verified."""
    module = fh.kernel(function).verify(fh.partition(np.zeros(64, "f"), 64), *arguments)
    converted = convert(module)
    validate(module, write_bytecode(converted))
    return str(converted)


def straight(y: Mut["N"], r: Raw["M"]):
    with fh.unsafe("a look"):
        _ = r.gather(0)
    y.store(y.load() + 1)


def in_a_branch(y: Mut["N"], r: Raw["M"]):
    (i,) = y.index
    if i > 0:
        with fh.unsafe("a look"):
            _ = r.gather(i)
    y.store(y.load() + 1)


def in_a_loop(y: Mut["N"], r: Raw["M"]):
    for k in range(3):
        with fh.unsafe("a look"):
            _ = r.gather(k)
        y.store(y.load() + 1)


def peek(r: Any, k: Any) -> Any:
    """A helper."""
    with fh.unsafe("a look"):
        v = r.gather(k)
    return v + 0


def in_a_helper(y: Mut["N"], r: Raw["M"]):
    _ = peek(r, 1)
    y.store(y.load() + 1)


@pytest.mark.parametrize("function", [straight, in_a_branch, in_a_loop, in_a_helper])
def test_an_unused_read_may_be_left_out(function: Callable[..., None]) -> None:
    assert "load_ptr_tko" not in emitted(function, np.zeros(4, "f"))


def turns(a: Any, b: Any) -> Any:
    """A helper of which the branch that is never taken has a loop."""
    found = 1
    if a == b + 1:
        found = a - b
        limit = 1
        for _ in range(limit, 1):
            while found < b:
                found += 1
        if b < a or limit > 0:
            found *= 3
        else:
            while found < a:
                found += 1
    return found


def unused(y: Mut["N"], a: int, b: int):
    _ = turns(a, b)
    y.store(y.load() + 1)


def unused_in_a_branch(y: Mut["N"], a: int, b: int):
    (i,) = y.index
    if i > 0:
        _ = turns(a, b)
    y.store(y.load() + 1)


def unused_in_a_loop(y: Mut["N"], a: int, b: int):
    for k in range(3):
        _ = turns(a, k + b)
        y.store(y.load() + 1)


@pytest.mark.parametrize("function", [unused, unused_in_a_branch, unused_in_a_loop])
def test_so_may_a_branch_that_has_a_loop_where_it_is_never_taken(function: Callable[..., None]) -> None:
    text = emitted(function, 1, 2)
    assert "cuda_tile.loop" not in text
    assert "cuda_tile.if" not in text


@pytest.mark.parametrize("function", [unused, unused_in_a_branch, unused_in_a_loop])
def test_so_may_a_loop_behind_a_return_that_an_inner_branch_decides(
    function: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def returns(a: Any, b: Any) -> Any:
        limit = 2
        if b % 3 == 0:
            if b > 4 and limit > 2.0:
                pass
            elif b // 1 < 0 and limit > 2:
                a = b
            else:
                return b % 31, limit
            for _ in range(limit % 2):
                return a, limit
        return a, limit + 3

    monkeypatch.setitem(globals(), "turns", returns)
    text = emitted(function, 1, 2)
    assert "cuda_tile.loop" not in text
    assert "cuda_tile.if" not in text


@pytest.mark.parametrize("function", [unused, unused_in_a_branch, unused_in_a_loop])
def test_a_loop_that_may_be_taken_stays(function: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    def taken(a: Any, b: Any) -> Any:
        found = 1
        if a == b + 1:
            while found < a:
                found += 1
        return found

    monkeypatch.setitem(globals(), "turns", taken)
    assert "cuda_tile.loop" in emitted(function, 1, 2)
