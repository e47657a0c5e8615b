"""Kernels of which the assembler makes wrong code: elements that are loaded again, and from wrong places."""

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
def weighted(y: Out["P", "G", "E"], x: Ref["P", "G", "E"], s: Ref["P", "G"], n: i32, HOW: Const[str]):
    """A tile by weights that are repeated along its last axis; or something like it."""
    p, g, e = y.index
    P, G, E = y.tile
    t = s.load((p, g), (P, G), allow_tma=False)
    u = x.load_like(y)
    if HOW == "in line":
        u *= t[:, :, None]
    elif HOW == "by the accelerator":
        u *= s.load((p, g), (P, G)).reshape(P, G, 1)
    elif HOW == "computed":
        u *= fh.exp(t - fh.max(t, axis=0, keepdims=True))[:, :, None]
    elif HOW == "in if":
        if n > 3:
            u *= t[:, :, None]
    elif HOW == "in a loop":
        for k in range(n):
            u += s.load((p, k), (P, G))[:, :, None]
    elif HOW == "by way of a loop":
        for _ in range(n):
            t = t * 2.0
        u *= t[:, :, None]
    elif HOW == "in helper":
        u = by_rows(u, t)
    elif HOW == "gathered":
        u *= s.gather(p * P + fh.arange(P)[:, None], fh.arange(G)[None, :])[:, :, None]
    elif HOW == "sums of it":
        u *= fh.sum(t, axis=1, keepdims=True)[:, :, None]
    elif HOW == "none of it":
        u *= (fh.arange(P)[:, None] + fh.arange(G)[None, :]).astype(fh.f32)[:, :, None]
    elif HOW == "along the first axis":
        u += s.load((p, e), (P, E))[:, None, :]
    elif HOW == "row by row":
        u *= s.load((p, g), (1, G))[:, :, None]
    y.store(u)


def by_rows(u: fh.Tile, t: fh.Tile) -> fh.Tile:
    return u * t[:, :, None]


def found(how: str, tile: tuple[int, int, int] = (2, 8, 128), warps: int | None = None) -> list[str]:
    x, s = np.zeros((4, 64, 512), np.float32), np.zeros((4, 64), np.float32)
    kernel = weighted if warps is None else weighted.with_hints(num_worker_warps=warps)
    verified = kernel.verify(fh.partition(x.copy(), tile), x, s, 3, how)
    return [error.code for error in wrong(bytecode(verified, kernel.options), "sm_90")]


@pytest.mark.parametrize(
    "how",
    ["in line", "by the accelerator", "computed", "in if", "in a loop", "by way of a loop", "in helper", "gathered"],
)
def test_tiles_that_are_repeated_behind_their_last_axis(how: str) -> None:
    assert found(how) == ["O423"]
    assert found(how, (2, 4, 128)) == []  # the threads hold all of it at once


@pytest.mark.parametrize("how", ["sums of it", "none of it", "along the first axis", "row by row"])
def test_tiles_that_are_loaded_rightly(how: str) -> None:
    assert found(how) == []


@pytest.mark.parametrize(
    ("tile", "warps", "is_wrong"),
    [  # of these a GPU computed the wrong ones wrong, and the others right
        ((2, 8, 64), None, False), ((2, 16, 64), None, True), ((2, 16, 32), None, False), ((2, 32, 32), None, True),
        ((1, 64, 256), None, False), ((2, 4, 256), None, True), ((4, 8, 128), None, False), ((4, 16, 128), None, True),
        ((4, 8, 256), None, True), ((2, 8, 128), 8, False), ((2, 16, 256), 8, True), ((2, 16, 32), 2, True),
        ((2, 4, 128), 1, False), ((4, 16, 128), 1, False), ((2, 16, 256), 2, False),
    ],
)  # fmt: skip
def test_where_a_thread_has_elements_that_lie_apart(
    tile: tuple[int, int, int], warps: int | None, is_wrong: bool
) -> None:
    assert found("in line", tile, warps) == ["O423"] * is_wrong


def test_elements_of_64_bits_fill_the_threads_twice_as_fast() -> None:
    def of(kind: Any) -> list[str]:
        x, s = np.zeros((4, 64, 512), kind), np.zeros((4, 64), kind)
        verified = weighted.verify(fh.partition(x.copy(), (2, 8, 64)), x, s, 3, "in line")
        return [error.code for error in wrong(bytecode(verified, weighted.options), "sm_90")]

    assert (of(np.float64), of(np.int64), of(np.float32), of(np.float16)) == (["O423"], ["O423"], [], [])


def test_tiles_that_would_be_misread_are_told_and_refused(golden: Callable[[Path, str], None]) -> None:
    x, s = np.zeros((4, 64, 512), np.float32), np.zeros((4, 64), np.float32)
    with pytest.raises(Rejected) as caught:
        weighted.compile(fh.partition(x.copy(), (2, 8, 128)), x, s, 3, "in line", arch="sm_90")
    assert caught.value.codes == ("O423",)
    golden(GOLDEN / "tile_misread.err", str(caught.value))
