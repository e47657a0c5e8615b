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

    def widths(self, pages: int, page: int) -> list[int]:
        """How many numbers each part of the inputs has, with so many pages a sequence, of so many tokens."""
        tokens, sequences, _ = self
        runs = min(tokens, tokens // page + 2 * sequences)
        here = [tokens, tokens, tokens, runs, 2 * runs + 1, sequences, sequences, sequences * pages]
        return [*here, 3 * sequences, sequences, 2 * sequences]

    def places(self, pages: int, page: int) -> list[int]:
        """Where each part begins, and where the last one ends."""
        return [0, *accumulate(-(-width // _ROUND) * _ROUND for width in self.widths(pages, page))]


class Memory:
    """
    Where steps find their inputs and leave what they choose: enough for a step of a shape, or any smaller one.

    A sequence has up to `pages` pages, of `page` tokens.
    """

    def __init__(self, largest: Shape, pages: int, page: int, device: int | None):
        self.pages, self.page = pages, page
        size = largest.places(pages, page)[-1]
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
        self._slots, self._pages, self._page, self._told = slots, memory.pages, memory.page, memory.told
        sequences, pages = shape.sequences, memory.pages
        at, widths = shape.places(pages, memory.page), shape.widths(pages, memory.page)
        self.numbers = memory.numbers[: at[-1]]
        """All of it on the host."""
        self._there = memory.there[: at[-1]]
        cuts = [slice(a, a + n) for a, n in zip(at, widths, strict=False)]
        parts, self._views = [memory.there[cut] for cut in cuts], [self.numbers[cut] for cut in cuts]
        self.ids, self.positions, self.bases, self.order, self.slots, self.lengths, self.last, self.pages = parts[:8]
        self.table = self.pages.reshape(sequences, pages)
        self.floats = parts[8].reinterpret(fh.f32).reshape(3, sequences)
        self.top_k, self.seeds = parts[9], parts[10].reinterpret(fh.i64)
        floats, top_k, seeds = self._views[8:]
        self.choice = Choice(floats.view(np.float32).reshape(3, sequences), top_k, seeds.view(np.int64))

    @property
    def decoding(self) -> bool:
        """Whether each sequence has one token."""
        return self.longest == 1

    @property
    def alone(self) -> int:
        """How many sequences in front have one token each: a multiple of four, of which data is aligned behind."""
        last = self._views[6]
        return int((last == np.arange(len(last))).cumprod().sum()) // _ROUND * _ROUND

    def fill(self, shares: Many[Share]) -> None:
        """
        Writes the shares of the sequences, on the host; none: inputs of a step that writes nothing.

        Those of one token come first, whose pages are rows of the table; behind the rows of those that are `alone`
        stand the pages of all others, one behind the other.
        """
        ids, positions, bases, order, slots, lengths, last, table = self._views[:8]
        for view in self._views[:7]:
            view[:] = 0
        slots[:] = self._slots  # of what is left over: groups without rows, at the end of the cache
        if not shares:
            return
        rows, page = table.reshape(self.sequences, self._pages), self._page
        count, firsts = len(shares), np.array([share.first for share in shares])
        counts = np.array([len(share.ids) for share in shares])
        ends = counts.cumsum()
        total = int(ends[-1])
        ids[:total] = [*chain.from_iterable(share.ids for share in shares)]
        lengths[:count] = firsts + counts
        last[:count] = ends - 1
        alone = count if self.decoding else self.alone
        for row, share in zip(rows, shares[:alone], strict=False):
            row[: len(share.pages)] = share.pages
        held = np.array([len(share.pages) for share in shares])
        behind = [*chain.from_iterable(share.pages for share in shares[alone:])]
        table[alone * self._pages :][: len(behind)] = behind
        begins = np.concatenate((np.arange(alone) * self._pages, alone * self._pages + _begins(held[alone:])))
        whose = np.repeat(np.arange(count), counts)
        positions[:total] = places = np.arange(total) - (ends - counts - firsts)[whose]
        bases[:total] = (begins[whose] - alone * self._pages) * page
        positions[total:], bases[total:] = places[-1], bases[total - 1]  # seen with others, and of no sequence
        self._place(table[begins[whose] + places // page] * page + places % page, order, slots)

    def _place(self, where: Any, order: Any, slots: Any) -> None:
        """Writes the runs of tokens that go to slots one behind the other, in one page, in order of the slots."""
        breaks = (np.diff(where) != 1) | (where[1:] % self._page == 0)
        first = np.concatenate(([0], np.flatnonzero(breaks) + 1))
        size = np.diff(first, append=len(where))
        by = where[first].argsort()
        runs = len(by)
        order[:runs] = first[by]
        slots[: 2 * runs : 2] = where[first[by]]
        slots[1 : 2 * runs : 2] = slots[: 2 * runs : 2] + size[by]

    def load(self) -> Any:
        """The operation that brings everything to the device."""
        return self._there.copy_from(self.numbers)

    def tell(self, stream: Any) -> None:
        """Lets the tokens that the step chooses be read when it is done, whatever is enqueued after it. See `told`."""
        self._told[: self.sequences].copy_from(self.chosen).on(stream)

    def told(self) -> Any:
        """Those tokens as an array of NumPy; waits for the step, and for nothing that came after it."""
        return self._told[: self.sequences].numpy()


def _begins(counts: Any) -> Any:
    """Where each of several begins that stand one behind the other."""
    return counts.cumsum() - counts
