"""Where accesses of different tile blocks meet, and which arrays are looked at together."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freehold.audit import conflicts
from freehold.audit.cells import BITS
from freehold.audit.conflicts import groups_of
from freehold.audit.facts import Call, Launch, Placed, Tensor

LOAD, STORE = "cuda_tile.load_ptr_tko", "cuda_tile.store_ptr_tko"
touched = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=6, unique=True)


def meeting(a: list[tuple[int, int]], b: list[tuple[int, int]], names: tuple[str, str] = (STORE, STORE)) -> Any:
    """What meets of the cells that two operations touch, each with its tile block."""
    sites = [
        conflicts._Site(
            cast(Any, SimpleNamespace(name=name)), None, np.array([c << BITS | n for c, n in keys], np.int64)
        )
        for name, keys in zip(names, (a, b), strict=True)
    ]
    return conflicts._meeting(*sites)


@given(a=touched, b=touched)
def test_tile_blocks_meet_where_two_touch_one_cell(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> None:
    wanted = {(cell, one, other) for cell, one in a for there, other in b if cell == there and one != other}
    found = meeting(a, b)
    assert found in wanted if wanted else found is None
    own = {(cell, one, other) for cell, one in a for there, other in a if cell == there and one != other}
    assert meeting(a, a) in own if own else meeting(a, a) is None


@pytest.mark.parametrize("view", ["load_ptr_tko", "load_view_tko"])
def test_of_two_reads_no_block_minds_the_other(view: str) -> None:
    name = f"cuda_tile.{view}"
    assert meeting([(3, 0)], [(3, 1)], (name, LOAD)) is None
    assert meeting([(3, 0)], [(3, 1)], (name, STORE)) == (3, 0, 1)
    assert meeting([(3, 0)], [(3, 1)], (STORE, name)) == (3, 0, 1)


def test_arrays_that_share_memory_are_looked_at_together() -> None:
    """In the order of their addresses; an access of which it is not known whose it is belongs to all."""
    places = {"far": (4096, 8), "a": (0, 32), "inside": (4, 8), "b": (16, 32), "beside": (48, 4), "n": None}
    values = [
        7 if place is None else Placed(Tensor(name, "i8", (place[1],)), place[0]) for name, place in places.items()
    ]
    launch = Launch((1, 1, 1), tuple(v.tensor for v in values if isinstance(v, Placed)))
    accesses: list[Any] = [
        SimpleNamespace(base=base, kind=kind, place=None, name=n)
        for n, (base, kind) in enumerate(
            [(0, "read"), (1, "read"), (3, "write"), (-1, "read"), (4, "update"), (2, "read")]
        )
    ]
    found = groups_of(Call(launch, tuple(values), tuple(places)), accesses)
    assert [(g.arrays, sorted(cast(Any, a).name for a in g.known), g.written, g.wild) for g in found] == [
        ((1, 2, 3), [1, 2, 3, 5], True, []),
        ((4,), [3, 4], True, []),
        ((0,), [0, 3], False, []),
    ]
    shared = found[0]
    assert [shared.array_at(byte) for byte in (0, 4, 31, 32, 47, 48)] == [1, 1, 1, 3, 3, 1]
