"""The stretches of memory that an access touches are those of its elements, however they are found."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from freehold.audit.cells import _joined, _one_each  # pyright: ignore[reportPrivateUsage]

SIZE = 4


def bytes_of(runs: tuple[np.ndarray, np.ndarray, np.ndarray]) -> set[tuple[int, int]]:
    return {(int(b), n) for b, first, end in zip(*runs, strict=True) for n in range(int(first), int(end))}


@given(
    starts=st.lists(st.integers(0, 40), min_size=1, max_size=5),
    steps=st.lists(st.sampled_from([SIZE, SIZE, SIZE, 2 * SIZE, 0, -SIZE]), min_size=0, max_size=6),
    kept=st.none() | st.lists(st.booleans(), min_size=35, max_size=35),
)
def test_runs_are_what_elements_touch(starts: list[int], steps: list[int], kept: list[bool] | None) -> None:
    offsets = np.cumsum([400, *steps])
    address = np.array(starts)[:, None] * SIZE + offsets
    mask = None if kept is None else np.array(kept[: address.size]).reshape(address.shape)
    blocks = 7 * np.arange(len(starts))
    wanted = {
        (7 * b, int(a) + n)
        for (b, lane), a in np.ndenumerate(address)
        for n in range(SIZE)
        if mask is None or mask[b, lane]
    }
    assert bytes_of(_joined(blocks, address, mask, SIZE)) == wanted
    quick = _one_each(blocks, address, mask, SIZE)
    assert quick is None or bytes_of(quick) == wanted
    if steps and set(steps) == {SIZE} and mask is None:
        assert quick is not None
