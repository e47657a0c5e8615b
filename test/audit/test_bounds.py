"""Which accesses are in bounds: of each element and each tile by itself, and of many executions at once."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import NoneAttr

from freehold.audit import bounds
from freehold.audit.accesses import Access, Box, Points, Trace
from freehold.audit.bounds import Bound, check_bounds
from freehold.audit.facts import Call, Launch, Placed, Tensor
from freehold.audit.lanes import View

START, EXTENT, SIZE, BLOCKS = 400, 10, 4, np.array([3, 5, 8])
X = Tensor("x", "f32", (EXTENT,))
CALL = Call(Launch((9, 1, 1), (X,)), (Placed(X, START),), ("x",))
lanes = (st.just([True] * 3) | st.lists(st.booleans(), min_size=3, max_size=3)).map(np.array)


def each(values: Any) -> Any:
    return np.array(values, np.int64).reshape(-1)


def never(_op: object, _base: int) -> bool:
    return False


def checked(*accesses: Access) -> Bound:
    (found,) = check_bounds(CALL, Trace([*accesses]), never)
    return found


@given(
    st.sampled_from([1, 3]).flatmap(lambda n: st.lists(st.integers(-3, 12), min_size=2 * n, max_size=2 * n)),
    st.none() | st.lists(st.booleans(), min_size=6, max_size=6),
    lanes,
)
def test_elements(places: list[int], mask: list[bool] | None, lanes: Any) -> None:
    """One outside is told by its number, of the first tile block that has one; a mask where all are inside."""
    numbers = np.array(places).reshape(-1, 2)
    chosen = np.array(mask if mask is not None else [True] * 6).reshape(3, 2)
    given_mask = None if mask is None else chosen
    found = checked(
        Access(cast(Any, None), "write", 0, BLOCKS, lanes, 0, 0, SIZE, Points(START + SIZE * numbers, given_mask))
    )
    touched = np.broadcast_to(numbers, (3, 2))
    wrong = {
        (int(BLOCKS[b]), int(touched[b, n]))
        for b, n in product(range(3), range(2))
        if lanes[b] and chosen[b, n] and not 0 <= touched[b, n] < EXTENT
    }
    if not wrong:
        assert found.status == ("in bounds" if chosen.all() else "masked")
        return
    assert (found.status, found.block) == ("out of bounds", min(wrong)[0])
    assert found.what in {f"`x[element {n} of {EXTENT}]` does not exist" for b, n in wrong if b == found.block}


class Tile:
    """As much of an access to a view as is asked: whether what begins beyond it is padding, and what is promised."""

    def __init__(self, padded: bool, promised: list[bool]):
        parts = None, None, object() if padded else NoneAttr()
        values = SimpleNamespace(get_values=lambda: promised)
        type_ = SimpleNamespace(view_parts=lambda: parts, tile_dims=(0, 0))
        self.padded = padded
        self.view = SimpleNamespace(type=type_)
        self.properties = {"inbounds": values} if any(promised) else {}


VIEWS = [
    View(0, each(START), (each(2), each(5)), (each(5), each(1)), SIZE),
    View(0, each(START), (each(2), each(3)), (each(5), each(2)), SIZE),
    View(0, each([START, START + 8, START]), (each(2), each([4, 3, 0])), (each([4, 1, 5]), each(1)), SIZE),
    View(0, each(START - 8), (each(3), each(4)), (each(4), each(1)), SIZE),
]
"""Dense, with gaps, one of its own for each tile block, and one that begins in front of its memory."""
starts = st.tuples(*[st.lists(st.integers(-1, 5), min_size=n, max_size=n).map(each) for n in (3, 1)])


def wanted(op: Tile, view: View, box: Box, lanes: Any) -> str:
    """What becomes of a tile, element by element."""
    masked = False
    for b in np.flatnonzero(lanes):
        at, extents, steps, (address,) = (
            [int(np.broadcast_to(t, 3)[b]) for t in ts] for ts in (box.starts, view.shape, view.strides, [view.address])
        )
        promised = op.properties["inbounds"].get_values() if op.properties else [False, False]
        beyond = [not 0 <= a < n for a, n in zip(at, extents, strict=True)]
        if any(beyond):
            first = beyond.index(True)
            before = zip(promised[:first], at, box.sizes, extents, strict=False)
            if (not op.padded and extents[first]) or any(p and a + s > n for p, a, s, n in before):
                return "out of bounds"
            masked = True
            continue
        over = [a + s > n for a, s, n in zip(at, box.sizes, extents, strict=True)]
        if any(o and p for o, p in zip(over, promised, strict=True)):
            return "out of bounds"
        masked |= any(over)
        for index in product(*(range(a, min(a + s, n)) for a, s, n in zip(at, box.sizes, extents, strict=True))):
            byte = address + SIZE * sum(i * s for i, s in zip(index, steps, strict=True))
            if not START <= byte < START + SIZE * EXTENT:
                return "out of bounds"
    return "masked" if masked else "in bounds"


@example(VIEWS[2], [((each(0), each(3)), np.array([True] * 3))], (1, 1), False, [False] * 2)
@given(
    st.sampled_from(VIEWS),
    st.lists(st.tuples(starts, lanes), min_size=1, max_size=3),
    st.tuples(*[st.sampled_from([1, 2, 4])] * 2),
    st.booleans(),
    st.lists(st.booleans(), min_size=2, max_size=2),
)
@settings(max_examples=150)
def test_tiles(view: View, runs: list[Any], sizes: tuple[int, int], padded: bool, promised: list[bool]) -> None:
    """Also of several executions at once, of which the worst counts."""
    op = Tile(padded, promised)
    boxes = [(Box(view, at, sizes), some) for at, some in runs]
    found = checked(
        *(Access(cast(Any, op), "write", n, BLOCKS, some, 0, 0, SIZE, box) for n, (box, some) in enumerate(boxes))
    )
    assert found.status == max((wanted(op, view, box, some) for box, some in boxes), key=bounds._WORST.index)


def test_executions_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of one operation through one view in the same tile blocks, some hundred at once, if all are in bounds."""
    seen: list[int] = []
    looked = bounds._of

    def noted(call: Call, access: Access) -> Bound:
        seen.append(access.lanes.shape[0])
        return looked(call, access)

    monkeypatch.setattr(bounds, "_of", noted)
    op, every = Tile(False, [False, False]), np.array([True] * 3)
    runs = [
        Access(cast(Any, op), "read", n, BLOCKS, every, 0, 0, SIZE, Box(VIEWS[0], (each(n % 2), each(0)), (1, 5)))
        for n in range(260)
    ]
    assert checked(*runs).status == "in bounds"
    assert seen == [3 * 256, 3 * 4]
