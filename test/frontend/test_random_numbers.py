"""Random numbers: a seed or a counter is the same number, however it is given."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fragments import kernel_of

from freehold.support.diagnostic import Rejected

HEAD = """
def kernel(y: Out[u32, "N"], z: Out[u32, "N"]):
"""
SEEDS = [
    (0, "i32"),
    (1, "i8"),
    (-1, "i8"),
    (-128, "i8"),
    (255, "u8"),
    (-1, "i32"),
    ((1 << 31) - 1, "i32"),
    (-(1 << 31), "i32"),
    (1 << 31, "u32"),
    ((1 << 32) - 1, "u32"),
    (1 << 32, "u64"),
    (1 << 32, "i64"),
    (-(1 << 31) - 1, "i64"),
    (-(1 << 63), "i64"),
    ((1 << 63) - 1, "u64"),
    ((1 << 64) - 1, "u64"),
    (0x123456789ABCDEF0, "u64"),
]


def both(interpret: Callable[..., None], part: Any, one: str, other: str) -> tuple[np.ndarray, np.ndarray]:
    """What two expressions come to."""
    y, z = np.zeros(8, np.uint32), np.zeros(8, np.uint32)
    interpret(kernel_of(f"y.store({one})", head=HEAD, tail=f"    z.store({other})\n"), part(y, 8), part(z, 8))
    return y, z


@pytest.mark.parametrize(("seed", "dtype"), SEEDS)
def test_a_seed_that_is_known_is_the_one_that_is_computed(
    seed: int, dtype: str, interpret: Callable[..., None], part: Any
) -> None:
    computed = f"fh.full((), {seed}, fh.{dtype})"
    known, found = both(
        interpret, part, f"fh.random_bits({seed}, fh.arange(8))", f"fh.random_bits({computed}, fh.arange(8))"
    )
    assert known.tolist() == found.tolist()
    assert len({*known.tolist()}) == 8


@pytest.mark.parametrize("seed", ["1 << 64", "-(1 << 63) - 1", "2**70"])
def test_a_number_of_more_than_64_bits_is_told_of_as_a_seed_or_a_counter(
    seed: str, interpret: Callable[..., None], part: Any
) -> None:
    for role, text in (
        ("a seed", "fh.random_bits({}, fh.arange(8))"),
        ("counters", "fh.random_uniform(7, {}).astype(u32)"),
    ):
        with pytest.raises(Rejected) as caught:
            both(interpret, part, text.format(seed), "0")
        said = str(caught.value)
        function = text[3 : text.index("(")]
        assert f"`{function}` takes {role} from -2**63 to 2**64 - 1, not {eval(seed)}\n" in said
        assert f" {'^' * len(seed)} called as" in said
        (edit,) = re.findall(r"keep its lower 64 bits: `(.*)`", said)
        both(interpret, part, text.format(edit), "0")


def test_seeds_and_counters_are_told_apart(interpret: Callable[..., None], part: Any) -> None:
    """Also in their upper halves."""
    seeds = [0, 1, 1 << 31, 1 << 32, 1 << 33, (1 << 32) + 1, (1 << 63), (1 << 64) - 1]
    found = [
        both(interpret, part, f"fh.random_bits({n}, fh.arange(8))", f"fh.random_bits(0, fh.arange(8, u64) + {n})")
        for n in seeds
    ]
    assert len({tuple(y) for y, _ in found}) == len(seeds)
    assert len({tuple(z) for _, z in found}) == len(seeds)
    assert found[0][0].tolist() == found[0][1].tolist()


def test_uniform_numbers_are_the_upper_bits(interpret: Callable[..., None], part: Any) -> None:
    bits, scaled = both(
        interpret,
        part,
        "fh.random_bits(7, fh.arange(8))",
        "(fh.random_uniform(7, fh.arange(8)) * (1 << 24)).astype(u32)",
    )
    assert (bits >> 8).tolist() == scaled.tolist()
