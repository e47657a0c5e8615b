"""The shadow memory by itself: whichever turn comes last, it finds the others that touched an element."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from evaluate import parse

import freehold as fh
from freehold import Out, Ref
from freehold.runtime.interpreter.machine import Buffer, part_of
from freehold.runtime.interpreter.watch import Watch
from freehold.support.diagnostic import Rejected

READ, WRITE, UPDATE = "read", "write", "update"


class Turns:
    """Accesses to one element, by the number of the turn."""

    def __init__(self) -> None:
        self.array = np.zeros(4, np.float32)
        part = part_of("x", self.array)
        self.buffer = Buffer(part.address, part.end, self.array.view(np.uint8), [part])
        self.watch = Watch(tokens=False)
        self.op = parse("%a = cuda_tile.constant <i32: 0> : tile<i32>").body.block.first_op

    def access(self, turn: int, kind: str, strong: bool = False) -> None:
        assert self.op is not None
        self.watch.begin(turn, str(turn))
        self.watch.access(self.op, kind, self.buffer, np.array([self.buffer.start + 4]), 4, strong=strong)


RACES = [
    [(0, READ), (1, WRITE)],
    [(0, WRITE), (1, READ)],
    [(0, WRITE), (1, WRITE)],
    [(0, UPDATE), (1, UPDATE)],
    [(0, READ), (1, READ), (2, WRITE)],
    [(0, READ), (1, READ), (1, WRITE)],
    [(0, READ), (1, READ), (0, WRITE)],  # the first reader goes on: it meets the second
    [(0, READ), (0, READ), (1, READ), (2, READ), (0, WRITE)],
    [(0, READ), (1, READ), (0, UPDATE)],
    [(0, READ), (1, READ), (0, READ), (0, WRITE)],  # and is no second reader itself
    [(0, READ), (1, READ), (2, READ), (0, READ), (0, WRITE)],
    [(0, READ), (0, READ), (1, READ), (0, READ), (0, UPDATE)],
]


@pytest.mark.parametrize("accesses", RACES, ids=str)
def test_the_last_access_meets_an_earlier_one_of_another_turn(accesses: list[tuple[int, str]]) -> None:
    turns = Turns()
    *before, last = accesses
    for turn, kind in before:
        turns.access(turn, kind)
    with pytest.raises(Rejected) as caught:
        turns.access(*last)
    assert caught.value.codes == ("O523",)
    assert "both access element [1] of `x`" in str(caught.value)


@pytest.mark.parametrize(
    "accesses",
    [
        [(0, READ), (1, READ), (2, READ)],
        [(0, WRITE), (0, READ), (0, WRITE)],
        [(0, READ), (0, READ), (0, WRITE)],
    ],
    ids=str,
)
def test_readers_do_not_meet_and_no_turn_meets_itself(accesses: list[tuple[int, str]]) -> None:
    turns = Turns()
    for turn, kind in accesses:
        turns.access(turn, kind)


def test_strong_accesses_meet_weak_ones_alone() -> None:
    turns = Turns()
    turns.access(0, UPDATE, strong=True)
    turns.access(1, UPDATE, strong=True)
    with pytest.raises(Rejected) as caught:
        turns.access(2, READ)
    assert caught.value.codes == ("O523",)


def test_the_earlier_access_that_is_told_is_the_one_that_is_met() -> None:
    for before, other in (([(0, READ), (1, READ), (2, READ)], "1"), ([(1, READ), (0, READ), (2, READ)], "1")):
        turns = Turns()
        for turn, kind in before:
            turns.access(turn, kind)
        with pytest.raises(Rejected) as caught:
            turns.access(0, WRITE)
        assert f"blocks {other} and 0" in str(caught.value)


@pytest.mark.parametrize(("size", "at"), [(4, [4]), (8, [0]), (8, [4]), (2, [6]), (4, [0, 8])])
def test_all_bytes_of_an_access_count(size: int, at: list[int]) -> None:
    """Where pointers change the type of what they point to, elements of different sizes meet in their bytes."""
    for other in range(16 - 2 + 1):
        turns = Turns()
        turns.watch.any_size = True
        assert turns.op is not None
        turns.watch.begin(0, "0")
        turns.watch.access(turns.op, WRITE, turns.buffer, np.array(at) + turns.buffer.start, size)
        turns.watch.begin(1, "1")
        meets = any(start < other + 2 and other < start + size for start in at)
        if not meets:
            turns.watch.access(turns.op, READ, turns.buffer, np.array([turns.buffer.start + other]), 2)
            continue
        with pytest.raises(Rejected) as caught:
            turns.watch.access(turns.op, READ, turns.buffer, np.array([turns.buffer.start + other]), 2)
        first = max(other, min(start for start in at if start < other + 2 and other < start + size))
        assert f"both access element [{first // 4}] of `x`" in str(caught.value)


@pytest.mark.parametrize("strong", [*product((False, True), repeat=2)], ids=str)
def test_tokens_order_what_meets_in_an_element(strong: tuple[bool, bool]) -> None:
    """One access behind another of its turn, with no token, one of something else, or the first one's."""
    turns, some = Turns(), ([0], [1], [3], [0, 1], [0, 2], [1, 3])
    assert turns.op is not None
    for before, kind, first, last in product((READ, WRITE, UPDATE), (READ, WRITE, UPDATE), some, some):
        places = [turns.buffer.start + 4 * np.array(at, np.int64) for at in ([], first, last)]
        conflict = (before, kind) != (READ, READ) and strong != (True, True)
        met = min({*first} & {*last}, default=None) if conflict else None
        for given in ("none", "another's", "its own"):
            turns.watch = Watch(tokens=True)
            turns.watch.begin(0, "0")
            other = turns.watch.access(turns.op, READ, turns.buffer, places[0], 4)
            own = turns.watch.access(turns.op, before, turns.buffer, places[1], 4, strong=strong[0])
            token = {"none": 0, "another's": other, "its own": own}[given]
            try:
                turns.watch.access(turns.op, kind, turns.buffer, places[2], 4, strong=strong[1], token=token)
                refused = None
            except Rejected as error:
                refused = error
            if met is None or given == "its own":
                assert refused is None
            else:
                assert refused is not None
                assert refused.codes == ("O525",)
                assert f"element [{met}] of `x`" in str(refused)


@fh.kernel
def copy(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load_like(y))


def between(shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays whose elements lie between one another."""
    both = np.arange(2 * 16 * 16, dtype=np.float32)
    if shape == (16, 16):
        return both[::2].reshape(16, 16), both[1::2].reshape(16, 16)
    rows = both.reshape(32, 16)
    return rows[::2, :8], rows[1::2, :8]


@pytest.mark.parametrize("shape", [(16, 16), (16, 8)])
def test_what_lies_between_the_elements_of_an_output_was_written(shape: tuple[int, int]) -> None:
    y, x = between(shape)
    assert y.shape == shape
    before = x.copy()
    with fh.interpreting("checked"):
        copy(fh.partition(y, (8, 8)), x).sync()
    assert np.array_equal(y, before)
    assert np.array_equal(x, before)


def test_of_elements_that_lie_between_others_the_right_one_is_named() -> None:
    y, x = between((16, 16))
    part, other = part_of("y", y, initialised=False), part_of("x", x)
    buffer = Buffer(part.address, other.end, np.zeros(other.end - part.address, np.uint8), [part, other])
    watch = Watch(tokens=False)
    op = parse("%a = cuda_tile.constant <i32: 0> : tile<i32>").body.block.first_op
    assert op is not None
    watch.begin(0, "0")
    watch.access(op, READ, buffer, np.array([x.ctypes.data + x.strides[0]]), 4)
    with pytest.raises(Rejected) as caught:
        watch.access(op, READ, buffer, np.array([y.ctypes.data + y.strides[0]]), 4)
    assert caught.value.codes == ("O524",)
    assert "element [1, 0] of `y`" in str(caught.value)
    watch.begin(1, "1")
    with pytest.raises(Rejected) as caught:
        watch.access(op, WRITE, buffer, np.array([x.ctypes.data + x.strides[0]]), 4)
    assert caught.value.codes == ("O523",)
    assert "element [1, 0] of `x`" in str(caught.value)
