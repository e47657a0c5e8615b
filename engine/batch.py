"""What a step works on: the tokens of several sequences, where they stand, and where their keys and values go."""

from __future__ import annotations

from collections.abc import Sequence as Many
from typing import Any, Final, NamedTuple

import numpy as np

import freehold as fh
from freehold.engine.sampling import Choice

_ROUND: Final = 4
"""Numbers to which each part of the input begins: 16 bytes."""


class Share(NamedTuple):
    """What a sequence has of a step: its next tokens, and its pages."""

    ids: Many[int]
    first: int
    """The place of the first of these tokens in the sequence."""
    pages: Many[int]


class Batch:
    """
    Inputs of a step in one buffer on the device, so that one copy brings them there.

    `tokens` are in all sequences together, `sequences` how many these are, `longest` the most tokens of one of them.
    `decoding`: each sequence has one token. A batch may have room for more than it is given: what is left over has no
    token to write, and its results mean nothing.
    """

    def __init__(self, tokens: int, sequences: int, pages: int, longest: int, slots: int, device: int | None):
        self.tokens = tokens
        self.sequences = sequences
        self.longest = longest
        self._slots = slots
        widths = (
            *(tokens, tokens, tokens, 2 * tokens + 1, sequences + 1, sequences, sequences, sequences * pages),
            *(3 * sequences, sequences, 2 * sequences),
        )
        self._at: list[int] = []
        size = 0
        for width in widths:
            self._at.append(size)
            size += -(-width // _ROUND) * _ROUND
        self.numbers = np.zeros(size, np.int32)
        """All of it on the host."""
        self._device = fh.zeros((size,), fh.i32, device=device).sync()
        self._parts = [self._device[at : at + width] for at, width in zip(self._at, widths, strict=True)]
        self._views = [self.numbers[at : at + width] for at, width in zip(self._at, widths, strict=True)]
        self.ids, self.positions, self.order, self.slots, self.starts, self.lengths, self.last = self._parts[:7]
        self.table = self._parts[7].reshape(sequences, pages)
        self.floats = self._parts[8].reinterpret(fh.f32).reshape(3, sequences)
        self.top_k, self.seeds = self._parts[9], self._parts[10].reinterpret(fh.i64)
        made = fh.empty((2, sequences), fh.i32, device=device).sync()
        self.chosen, self._told = made[0], made[1]
        """The token that follows each sequence, written by the step; and that again, for the host."""
        floats, top_k, seeds = self._views[8:]
        self.choice = Choice(floats.view(np.float32).reshape(3, sequences), top_k, seeds.view(np.int64))
        self._pages = pages

    @property
    def decoding(self) -> bool:
        """Whether each sequence has one token."""
        return self.longest == 1

    def fill(self, shares: Many[Share], page: int) -> None:
        """Writes the shares of the sequences, on the host."""
        ids, positions, order, slots, starts, lengths, last, table = self._views[:8]
        for view in self._views[:8]:
            view[:] = 0
        places: list[tuple[int, int]] = []
        at, tables = 0, table.reshape(self.sequences, self._pages)
        for number, share in enumerate(shares):
            count = len(share.ids)
            ids[at : at + count] = share.ids
            positions[at : at + count] = range(share.first, share.first + count)
            for n in range(count):
                block, offset = divmod(share.first + n, page)
                places.append((share.pages[block] * page + offset, at + n))
            tables[number, : len(share.pages)] = share.pages
            at += count
            starts[number + 1] = at
            lengths[number] = share.first + count
            last[number] = at - 1
        starts[len(shares) + 1 :] = at
        slots[:] = self._slots  # of what is left over: groups without rows, at the end of the cache
        for n, (slot, token) in enumerate(sorted(places)):
            slots[2 * n], slots[2 * n + 1], order[n] = slot, slot + 1, token

    def load(self) -> Any:
        """The operation that brings everything to the device."""
        return self._device.copy_from(self.numbers)

    def tell(self, stream: Any) -> None:
        """Lets the tokens that the step chooses be read when it is done, whatever is enqueued after it. See `told`."""
        self._told.copy_from(self.chosen).on(stream)

    def told(self) -> Any:
        """Those tokens as an array of NumPy; waits for the step, and for nothing that came after it."""
        return self._told.numpy()
