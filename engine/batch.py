"""What a step works on: the tokens of several sequences, where they stand, and where their keys and values go."""

from __future__ import annotations

from collections.abc import Sequence as Many
from itertools import accumulate, chain
from typing import Any, Final, NamedTuple

import numpy as np

import freehold as fh
from freehold.engine.sampling import Choice
from freehold.kernels.schedules import ceildiv, power_of_two

_ROUND: Final = 4
"""Numbers to which each part of the input begins: 16 bytes."""

ALONE: Final = 4
"""How many tokens attend alone in a step that has longer shares than one token, or a multiple of that."""


def with_ones(ones: int) -> int:
    """How many tokens attend alone, where there is room, in a step in which so many sequences have one token."""
    return ceildiv(ones, ALONE) * ALONE


def rows_of(sequences: int, most: int) -> int:
    """The number of sequences that a step of so many has room for: a power of four, or `most`."""
    return min(4 ** ceildiv(power_of_two(sequences).bit_length() - 1, 2), most)


def padded(tokens: int, most: int) -> int:
    """
    The number of tokens that a step of `tokens` has room for, at most `most`: at most a quarter more of more than 64.

    There are few such numbers: each has plans of its own, and may have kernels of its own.
    """
    step = max(16, power_of_two(tokens) // 8)
    return min(ceildiv(tokens, step) * step, most)


def all_rows(tokens: int, sequences: int) -> set[int]:
    """The numbers of rows that products have in steps of up to so many tokens and sequences."""
    return {padded(n, tokens) for n in range(1, tokens + 1)} | {rows_of(n, sequences) for n in range(1, sequences + 1)}


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
    """1 where each sequence has one token, else 2."""
    reach: int = 0
    """Tokens that the one sequence which decodes has at most, for which there are kernels; 0: any number."""

    def held(self, pages: int, page: int) -> int:
        """How many pages, of so many tokens, a sequence has room for that has up to `pages`."""
        return min(pages, ceildiv(self.reach, page)) if self.reach else pages

    def widths(self, pages: int, page: int) -> list[int]:
        """How many numbers each part of the inputs has, with up to so many pages a sequence, of so many tokens."""
        tokens, sequences, *_ = self
        pages = self.held(pages, page)
        runs = min(tokens, tokens // page + 2 * sequences)
        here = [tokens, tokens, tokens, runs, 2 * runs + 1, sequences, sequences, sequences * pages]
        return [*here, 3 * sequences, sequences, 2 * sequences]

    def places(self, pages: int, page: int) -> list[int]:
        """Where each part begins, and where the last one ends."""
        return [0, *accumulate(ceildiv(width, _ROUND) * _ROUND for width in self.widths(pages, page))]


class Memory:
    """
    Where steps find their inputs and leave what they choose: enough for a step of a shape, or any smaller one.

    A sequence has up to `pages` pages, of `page` tokens. What the host writes and reads of it is page-locked, so that
    the copies are a part of the step.
    """

    def __init__(self, largest: Shape, pages: int, page: int, device: int | None):
        self.pages, self.page = pages, page
        size = largest.places(pages, page)[-1]
        self.sent = fh.page_locked(size, fh.i32, device=device).sync()
        """The inputs, on the host."""
        self.there = fh.zeros((size,), fh.i32, device=device).sync()
        """The inputs, on the device."""
        self.chosen = fh.zeros((largest.sequences,), fh.i32, device=device).sync()
        """The token that follows each sequence."""
        self.told = fh.page_locked(largest.sequences, fh.i32, device=device).sync()
        """The same, on the host."""


class Inputs:
    """
    The inputs of steps of one shape as plain numbers on the host: what sequences have of a step, and how they choose.

    A sequence has up to `pages` pages of `page` tokens, and the cache has `slots` tokens.
    """

    def __init__(self, shape: Shape, pages: int, page: int, slots: int):
        self.shape, self._pages, self._page, self._slots = shape, shape.held(pages, page), page, slots
        at, widths = shape.places(pages, page), shape.widths(pages, page)
        self.numbers = np.zeros(at[-1], np.int32)
        """All of them, in the order in which a device has them."""
        self._views = [self.numbers[a : a + n] for a, n in zip(at, widths, strict=False)]
        floats, top_k, seeds = self._views[8:]
        self.choice = Choice(floats.view(np.float32).reshape(3, shape.sequences), top_k, seeds.view(np.int64))
        self.count = 0
        """Sequences that have a share."""

    @property
    def ones(self) -> int:
        """How many sequences in front have one token each, in a step in which others have more."""
        last = self._views[6]
        return int((last == np.arange(len(last))).cumprod().sum())

    @property
    def alone(self) -> int:
        """
        How many tokens in front are alone with the pages of their sequences, a multiple of `ALONE`, of which data is
        aligned behind: those of sequences with one token, and first tokens of prompts that fill up where there is room
        for them. Where all sequences have one token, nobody asks.
        """
        if self.shape.longest == 1:
            return 0
        ones = self.ones
        most = min(self.shape.sequences - (self.count - ones), self.shape.tokens - 1)
        return min(with_ones(ones), most // ALONE * ALONE)

    def advance(self) -> None:
        """
        Makes the inputs of a step that decodes those of the next one, in which each sequence has the token that the
        step before it chooses, and no other pages.
        """
        ids, positions, _, _, slots, lengths, _, _ = self._views[:8]
        count = self.count
        ids[:count] = np.arange(-1, -1 - count, -1)
        positions[:count] += 1
        lengths[:count] += 1
        slots[: 2 * count] += 1  # runs of one token each, which stay in their pages, and so in order
        self.choice.advance()

    def fill(self, shares: Many[Share]) -> None:
        """
        Writes the shares of the sequences; none: inputs of a step that writes nothing.

        Those of one token come first. The pages of tokens that are `alone` are rows of the table; behind these stand
        the pages of all other sequences, one behind the other.
        """
        ids, positions, bases, order, slots, lengths, last, table = self._views[:8]
        for view in self._views[:7]:
            view[:] = 0
        slots[:] = self._slots  # of what is left over: groups without rows, at the end of the cache
        self.count = count = len(shares)
        if not shares:
            return
        rows, page = table.reshape(self.shape.sequences, self._pages), self._page
        firsts = np.array([share.first for share in shares])
        counts = np.array([len(share.ids) for share in shares])
        ends = counts.cumsum()
        total = int(ends[-1])
        ids[:total] = [*chain.from_iterable(share.ids for share in shares)]
        last[:count] = ends - 1
        whose = np.repeat(np.arange(count), counts)
        positions[:total] = places = np.arange(total) - (ends - counts - firsts)[whose]
        alone = ahead = count
        if self.shape.longest > 1:
            alone = self.alone
            ahead = min(alone, self.ones)
        lengths[: min(alone, total)] = places[:alone] + 1
        for row, n in zip(rows, map(int, whose[:alone]), strict=False):
            row[: len(shares[n].pages)] = shares[n].pages
        held = np.array([len(share.pages) for share in shares])
        behind = [*chain.from_iterable(share.pages for share in shares[ahead:])]
        table[alone * self._pages :][: len(behind)] = behind
        begins = np.concatenate((np.arange(ahead) * self._pages, alone * self._pages + _begins(held[ahead:])))
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


class Batch:
    """Inputs and results of steps of one shape, in a memory; `before` has what the step in front of this one chose."""

    def __init__(self, shape: Shape, memory: Memory, before: Any):
        self.tokens, self.sequences, self.longest, self.reach = self.shape = shape
        self.before = before
        self.chosen, self.told = memory.chosen[: shape.sequences], memory.told[: shape.sequences]
        at, widths = shape.places(memory.pages, memory.page), shape.widths(memory.pages, memory.page)
        self._sent, self._there = memory.sent[: at[-1]], memory.there[: at[-1]]
        parts = [memory.there[a : a + n] for a, n in zip(at, widths, strict=False)]
        self.ids, self.positions, self.bases, self.order, self.slots, self.lengths, self.last, self.pages = parts[:8]
        self.table = self.pages.reshape(shape.sequences, shape.held(memory.pages, memory.page))
        self.floats = parts[8].reinterpret(fh.f32).reshape(3, shape.sequences)
        self.top_k, self.seeds = parts[9], parts[10].reinterpret(fh.i64)
        self.alone = 0
        """Of what was sent, `Inputs.alone`."""

    @property
    def decoding(self) -> bool:
        """Whether each sequence has one token."""
        return self.longest == 1

    def send(self, numbers: Any, alone: int = 0) -> None:
        """Gives the next step its inputs. Waits for the one that had this memory before."""
        with self._sent.borrow_mut() as sent:
            sent[:] = numbers
        self.alone = alone

    def load(self) -> Any:
        """The operation that brings the inputs to the device."""
        return self._there.copy_from(self._sent)

    def tell(self) -> Any:
        """The operation that brings the tokens that were chosen to the host, to `told`."""
        return self.told.copy_from(self.chosen)


def _begins(counts: Any) -> Any:
    """Where each of several begins that stand one behind the other."""
    return counts.cumsum() - counts
