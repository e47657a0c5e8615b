"""Values that are another one by way of operations that change nothing: loops hand them on as that one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Out, Ref, f32, f64, i32, i64
from freehold.backend.wrong_code import wrong
from freehold.runtime.variants.build import bytecode

Expression = Callable[[Any, Any], Any]

NOTHING: dict[str, Expression] = {
    "negated twice": lambda b, _: -(-b),  # noqa: B002 -- of a tile
    "inverted twice": lambda b, _: ~~b if b.dtype == i32 else b * 1.0,
    "more and less": lambda b, u: (b + u) - u,
    "less and more": lambda b, u: (b - u) + u,
    "halved and doubled": lambda b, _: b * 2 * 0.5 if b.dtype == f32 else (b ^ 5) ^ 5,
    "of another shape for a while": lambda b, _: b.reshape(32, 2).reshape(1, 64),
    "turned twice": lambda b, _: b.T.T,
    "the greater of itself": lambda b, _: fh.maximum(b, b),
    "the greater of it and the least": lambda b, _: fh.maximum(b, float("-inf") if b.dtype == f32 else -(2**31)),
    "absorbed": lambda b, u: fh.minimum(fh.maximum(b, u), b),
    "chosen from itself": lambda b, u: fh.where(u < 3, b, fh.maximum(b, b)),
    "chosen where it is equal": lambda b, u: fh.where(u == b, u, b),
    "wider for a while": lambda b, _: b.astype(f64 if b.dtype == f32 else i64).astype(b.dtype),
    "other bits for a while": lambda b, _: fh.bitcast(fh.bitcast(b, fh.u32), b.dtype),
    "put together again": lambda b, _: fh.concatenate((b[:, :32], b[:, 32:]), axis=1),
    "a part that is all": lambda b, _: fh.extract(b, (0, 0), (1, 64)),
    "put into another": lambda b, u: fh.insert(u, (0, 0), b),
    "packed for a while": lambda b, _: fh.unpack(fh.pack(b), b.dtype),
}
SOMETHING: dict[str, Expression] = {
    "one more": lambda b, _: b + 1,
    "with another": lambda b, u: b + u,
    "negated": lambda b, _: -b,
    "twice": lambda b, _: b * 2,
    "without its sign": lambda b, _: abs(b),
    "clamped": lambda b, _: fh.clip(b, -100, 100),
    "the greater of two": lambda b, u: fh.maximum(b, u),
    "chosen": lambda b, u: fh.where(u < 3, b, u),
    "rounded": lambda b, _: fh.floor(b * 0.5).astype(b.dtype),
    "summed": lambda b, u: u + b.sum(axis=1, keepdims=True),
    "its exponential": lambda b, _: fh.exp(b.astype(f32)).astype(b.dtype),
    "its lowest bits": lambda b, _: b & 255 if b.dtype == i32 else b + 0.5,
}


@fh.kernel
def handed_on(y: Out["M", 64], z: Out["M", 64], x: Ref["M", "N"], n: i32, HOW: Const[str], MADE: Const[Any]):
    """A loop that hands on what is made of another of its tiles."""
    (i, _) = y.index
    a, b, u = x.load((i, 0), (1, 64)), x.load((i, 1), (1, 64)), x.load((i, 2), (1, 64))
    if HOW == "for":
        for k in fh.tiles(x, axis=1, size=64):
            a, b = MADE(b, u), x.load((i, k), (1, 64))
    elif HOW == "in if":
        for k in fh.tiles(x, axis=1, size=64):
            if k > n:
                a, b = MADE(b, u), x.load((i, k), (1, 64))
    elif HOW == "alike":
        k = 0
        while k < n:
            b = x.load((i, k), (1, 64)) + a
            a = MADE(b, u)
            k += 1
    elif HOW == "alike in if":
        for k in fh.tiles(x, axis=1, size=64):
            b = x.load((i, k), (1, 64))
            if k > n:
                b = b + 1
                a = MADE(b, u)
            else:
                a = b
    elif HOW == "in a loop inside":
        for k in range(n):
            for _ in range(k):
                a, b = MADE(b, u), -(-a)  # noqa: B002 -- of a tile
    else:
        for k in range(n):
            q = 0
            while q < k:
                a, b = MADE(b, u), a
                q += 1
    y.store(a)
    z.store(b)


def codes(how: str, made: Expression, dtype: Any) -> list[str]:
    x, y, z = np.zeros((4, 1024), dtype), *np.zeros((2, 4, 64), dtype)
    verified = handed_on.verify(fh.partition(y, (1, 64)), fh.partition(z, (1, 64)), x, 3, how, made)
    return [error.code for error in wrong(bytecode(verified, handed_on.options), "sm_90")]


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
@pytest.mark.parametrize("how", ["for", "in if", "alike", "alike in if"])
@pytest.mark.parametrize("made", NOTHING)
def test_what_changes_nothing_is_the_tile_itself(how: str, made: str, dtype: Any) -> None:
    assert "O419" in codes(how, NOTHING[made], dtype)


@pytest.mark.parametrize("how", ["in a loop inside", "in a while inside"])
@pytest.mark.parametrize("made", ["negated twice", "put together again", "of another shape for a while"])
def test_what_a_loop_inside_hands_on_is_right(how: str, made: str) -> None:
    assert codes(how, NOTHING[made], np.float32) == []


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
@pytest.mark.parametrize("how", ["for", "in if", "alike"])
@pytest.mark.parametrize("made", SOMETHING)
def test_what_changes_a_tile_is_another(how: str, made: str, dtype: Any) -> None:
    assert codes(how, SOMETHING[made], dtype) == []
