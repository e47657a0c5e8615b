"""What a step works on: the tokens of several sequences, where they stand, and where their keys and values go."""

from __future__ import annotations

from collections.abc import Sequence as Many
from itertools import accumulate, chain
from typing import Any, Final, NamedTuple

import numpy as np

import freehold as fh
from freehold.engine.sampling import Choice

_ROUND: Final = 4
"""Numbers to which each part of the input begins: 16 bytes."""


class Share(NamedTuple):
    """What a sequence has of a step: its next tokens, and its pages."""

    ids: Many[int]
    """A token that is not known yet is -1 - n: what the step before chose for its sequence n."""
    first: int
    """The place of the first of these tokens in the sequence."""
    pages: Many[int]


class Shape(NamedTuple):
    """What a step has room for. What is left over has no token to write, and its results mean nothing."""

    tokens: int
    sequences: int
    longest: int
    """The most tokens of one sequence; 1 where each sequence has one token."""

    def places(self, pages: int) -> list[int]:
        """Where each part of the inputs begins, and where the last one ends, with so many pages a sequence."""
        tokens, sequences, _ = self
        widths = (
            *(tokens, tokens, tokens, 2 * tokens + 1, sequences + 1, sequences, sequences, sequences * pages),
            *(3 * sequences, sequences, 2 * sequences),
        )
        return [0, *accumulate(-(-width // _ROUND) * _ROUND for width in widths)]


class Memory:
    """Where steps find their inputs and leave what they choose: enough for a step of a shape, or any smaller one."""

    def __init__(self, largest: Shape, pages: int, device: int | None):
        self.pages = pages
        size = largest.places(pages)[-1]
        self.numbers = np.zeros(size, np.int32)
        """The inputs on the host."""
        self.there = fh.zeros((size,), fh.i32, device=device).sync()
        """The inputs on the device."""
        made = fh.zeros((2, largest.sequences), fh.i32, device=device).sync()
        self.chosen, self.told = made[0], made[1]
        """The token that follows each sequence, written by the step; and that again, for the host."""


class Batch:
    """
    The inputs of steps of one shape, as parts of a memory, so that one copy brings them to the device.

    `slots` is how many the cache has. `before` has what the step in front of this one chose.
    """

    def __init__(self, shape: Shape, memory: Memory, before: Any, slots: int):
        self.tokens, self.sequences, self.longest = self.shape = shape
        self.before = before
        self.chosen = memory.chosen[: shape.sequences]
        self._slots, self._pages, self._told = slots, memory.pages, memory.told
        tokens, sequences, pages = shape.tokens, shape.sequences, memory.pages
        at = shape.places(pages)
        self.numbers = memory.numbers[: at[-1]]
        """All of it on the host."""
        self._there = memory.there[: at[-1]]
        widths = (tokens, tokens, tokens, 2 * tokens + 1, sequences + 1, sequences, sequences, sequences * pages)
        cuts = [slice(a, a + n) for a, n in zip(at, (*widths, 3 * sequences, sequences, 2 * sequences), strict=False)]
        parts, self._views = [memory.there[cut] for cut in cuts], [self.numbers[cut] for cut in cuts]
        self.ids, self.positions, self.order, self.slots, self.starts, self.lengths, self.last = parts[:7]
        self.table = parts[7].reshape(sequences, pages)
        self.floats = parts[8].reinterpret(fh.f32).reshape(3, sequences)
        self.top_k, self.seeds = parts[9], parts[10].reinterpret(fh.i64)
        floats, top_k, seeds = self._views[8:]
        self.choice = Choice(floats.view(np.float32).reshape(3, sequences), top_k, seeds.view(np.int64))

    @property
    def decoding(self) -> bool:
        """Whether each sequence has one token."""
        return self.longest == 1

    def fill(self, shares: Many[Share], page: int) -> None:
        """Writes the shares of the sequences, on the host; none: inputs of a step that writes nothing."""
        ids, positions, order, slots, starts, lengths, last, table = self._views[:8]
        for view in self._views[:7]:
            view[:] = 0
        slots[:] = self._slots  # of what is left over: groups without rows, at the end of the cache
        if not shares:
            return
        rows = table.reshape(self.sequences, self._pages)
        for row, share in zip(rows, shares, strict=False):
            row[: len(share.pages)] = share.pages
        count, firsts = len(shares), np.array([share.first for share in shares])
        counts = np.array([len(share.ids) for share in shares])
        ends = counts.cumsum()
        total = int(ends[-1])
        places = np.arange(total) - np.repeat(ends - counts - firsts, counts)
        ids[:total] = [*chain.from_iterable(share.ids for share in shares)]
        positions[:total] = places
        where = rows[np.repeat(np.arange(count), counts), places // page] * page + places % page
        order[:total] = by = where.argsort()
        slots[: 2 * total : 2] = where[by]
        slots[1 : 2 * total : 2] = where[by] + 1
        starts[1 : count + 1], starts[count + 1 :] = ends, total
        lengths[:count] = firsts + counts
        last[:count] = ends - 1

    def load(self) -> Any:
        """The operation that brings everything to the device."""
        return self._there.copy_from(self.numbers)

    def tell(self, stream: Any) -> None:
        """Lets the tokens that the step chooses be read when it is done, whatever is enqueued after it. See `told`."""
        self._told[: self.sequences].copy_from(self.chosen).on(stream)

    def told(self) -> Any:
        """Those tokens as an array of NumPy; waits for the step, and for nothing that came after it."""
        return self._told[: self.sequences].numpy()
