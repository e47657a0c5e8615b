"""Kernels of which the assembler makes wrong code: tiles that are stored from wrong places, and turned once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Out, Ref, i32
from freehold.backend.wrong_code import wrong
from freehold.runtime.variants.build import bytecode
from freehold.support.diagnostic import Rejected

GOLDEN = Path(__file__).with_name("golden")


@fh.kernel
def stored_twice(y: Out["M", "N"], z: Out["M", "N"], x: Ref["M", "N"], n: i32, HOW: Const[str]):
    """A tile that is stored as it was loaded, twice, and reduced; or something less."""
    t = x.load_like(y)
    if HOW not in ("threads load", "computed", "behind a loop"):
        y.store(t)
    if HOW == "in line":
        z.store(t)
        fh.print(fh.sum(t))
    elif HOW == "in if":
        z.store(t)
        if n > 3:
            fh.print(fh.max(t.reshape(16, 64), axis=0))
    elif HOW == "in a loop":
        z.store(t)
        for _ in range(n):
            fh.print(fh.cumsum(t, axis=0))
    elif HOW == "in helper":
        z.store(t)
        fh.print(total_of(t))
    elif HOW == "with another's sum":
        z.store(t)
        fh.print(fh.sum(x.load((0, 0), (16, 16))))
    elif HOW == "with a product":
        z.store(t)
        fh.print((t @ t)[:1, :1])
    elif HOW == "negated twice":
        z.store(-(-t))  # noqa: B002 -- of a tile
        fh.print(fh.sum(t))
    elif HOW == "turned twice":
        z.store(fh.maximum(t.T, t.T).T)
        fh.print(fh.sum(t))
    elif HOW == "put into itself":
        z.store(fh.insert(t, (1, 0), t[16:]))
        fh.print(fh.sum(t))
    elif HOW == "turned":
        z.store(t.T)
        fh.print(fh.sum(t))
    elif HOW == "its halves exchanged":
        z.store(fh.concatenate((t[16:], t[:16]), axis=0))
        fh.print(fh.sum(t))
    elif HOW == "a half twice":
        z.store(fh.concatenate((t[16:], t[16:]), axis=0))
        fh.print(fh.sum(t))
    elif HOW == "behind a loop":
        for k in range(n):
            if k > 2:
                t = x.load((0, 0), (32, 32))
        y.store(t)
        z.store(t.reshape(32, 32))
        fh.print(fh.sum(x.load((0, 0), (16, 16))))
    elif HOW == "threads load":
        u = x.load_like(y, allow_tma=False)
        y.store(u)
        z.store(u)
        fh.print(fh.sum(u))
    elif HOW == "computed":
        y.store(t + 1.0)
        z.store(t + 1.0)
        fh.print(fh.sum(t))
    elif HOW == "once":
        z.store(t + fh.sum(t))
    else:
        z.store(t)


def total_of(t: fh.Tile) -> fh.Tile:
    return fh.sum(t, axis=1)


def overwrites(kernel: Any, how: str) -> list[str]:
    x, y, z = np.zeros((3, 64, 64), np.float32)
    verified = kernel.verify(fh.partition(y, (32, 32)), fh.partition(z, (32, 32)), x, 3, how)
    return [error.code for error in wrong(bytecode(verified, kernel.options), "sm_90")]


@pytest.mark.parametrize(
    "how",
    [
        "in line",
        "in if",
        "in a loop",
        "in helper",
        "with another's sum",
        "with a product",
        "behind a loop",
        "negated twice",
        "turned twice",
        "put into itself",
    ],
)
def test_tiles_that_are_stored_twice_and_reduced(how: str) -> None:
    assert overwrites(stored_twice, how) == ["O420"]
    assert overwrites(stored_twice.with_hints(allow_tma=False), how) == []


@pytest.mark.parametrize(
    "how", ["once", "twice", "threads load", "computed", "turned", "its halves exchanged", "a half twice"]
)
def test_tiles_that_are_stored_rightly(how: str) -> None:
    assert overwrites(stored_twice, how) == []


def test_tiles_that_would_be_misplaced_are_told_and_refused(golden: Callable[[Path, str], None]) -> None:
    x, y, z = np.zeros((3, 64, 64), np.float32)
    given = fh.partition(y, (32, 32)), fh.partition(z, (32, 32)), x, 3, "in line"
    with pytest.raises(Rejected) as caught:
        stored_twice.compile(*given, arch="sm_90")
    assert caught.value.codes == ("O420",)
    golden(GOLDEN / "tile_misplaced.err", str(caught.value))


@fh.kernel
def turned(y: Out["M", "N"], x: Ref["M", "N"], n: i32, HOW: Const[str]):
    """A tile whose axes each turn of a loop permutes; or something like it."""
    t, u = x.load((0, 0), (32, 32)), x.load((0, 1), (32, 32))
    if HOW == "in line":
        for _ in range(n):
            t = t.T
    elif HOW == "in if":
        for k in range(n):
            if k > 2:
                t = t.T
    elif HOW == "in helper":
        for _ in range(n):
            t = flipped(t)
    elif HOW == "in a loop in a loop":
        for _ in range(3):
            for _ in range(n):
                t = t.T
    elif HOW == "by way of another":
        for _ in range(n):
            t, u = u.T, t * 1.0
    elif HOW == "in three axes":
        for _ in range(n):
            t = t.reshape(4, 8, 32).permute(1, 0, 2).reshape(32, 32)
    elif HOW == "as it seems":
        for _ in range(n):
            t = fh.where(u == t.T, u, t.T)
    elif HOW == "while":
        k = 0
        while k < n:
            t = t.T
            k += 1
    elif HOW == "multiplied":
        for _ in range(n):
            t = fh.mma(t.T, u, u)
    elif HOW == "another's":
        for k in range(n):
            t = t + x.load((0, k), (32, 32)).T
    elif HOW == "in the turn":
        for _ in range(n):
            u = u + fh.sum(t.T, axis=0, keepdims=True)
        t = u
    else:
        for _ in range(n):
            t = t * 2.0
        t = t.T
    y.store(t)


def flipped(t: fh.Tile) -> fh.Tile:
    return t.permute(1, 0) * 1.0


def turns(how: str) -> list[str]:
    x, y = np.zeros((2, 64, 64), np.float32)
    verified = turned.verify(fh.partition(y, (32, 32)), x, 3, how)
    return [error.code for error in wrong(bytecode(verified, turned.options), "sm_90")]


@pytest.mark.parametrize(
    "how",
    ["in line", "in if", "in helper", "in a loop in a loop", "by way of another", "in three axes", "as it seems"],
)
def test_tiles_that_might_be_permuted_once(how: str) -> None:
    assert "O421" in turns(how)


@pytest.mark.parametrize("how", ["while", "multiplied", "another's", "in the turn", "behind the loop"])
def test_tiles_that_are_permuted_rightly(how: str) -> None:
    assert turns(how) == []


def test_tiles_that_might_be_permuted_once_are_told_and_refused(golden: Callable[[Path, str], None]) -> None:
    x, y = np.zeros((2, 64, 64), np.float32)
    with pytest.raises(Rejected) as caught:
        turned.compile(fh.partition(y, (32, 32)), x, 3, "in line", arch="sm_90")
    assert caught.value.codes == ("O421",)
    golden(GOLDEN / "tile_turned.err", str(caught.value))
