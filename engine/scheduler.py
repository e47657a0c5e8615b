"""Who has a share of the next step: sequences that run, in order, then those that wait, as far as there are pages."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

from freehold.engine.pages import Key, Pages, key_of
from freehold.engine.sampling import Sampling


class Sequence:
    """The tokens of one answer, what of them is in the cache, and in which pages."""

    def __init__(self, prompt: list[int], sampling: Sampling, seed: int, constraint: Any = None):
        self.tokens = list(prompt)
        self.prompt = len(prompt)
        self.sampling = sampling
        self.seed = seed
        self.constraint = constraint
        """What the answer may still become (`grammar.Constraint`), or None."""
        self.owner: Any = None
        self.pages: list[int] = []
        self.keys: list[Key] = []
        """Of the pages that are full, as far as they are published."""
        self.computed = 0
        self.reused = 0
        """Tokens of the prompt that were found in the cache."""
        self.cancelled = False
        self.ended = False

    @property
    def pending(self) -> int:
        """Tokens whose keys and values are not in the cache yet."""
        return len(self.tokens) - self.computed

    @property
    def changes(self) -> bool:
        """Whether logits are changed before a token is chosen."""
        return self.sampling.changes or self.constraint is not None

    def change(self, row: Any) -> None:
        """Adds to a row of numbers what is to be added to the logits."""
        self.sampling.change(row, self.written)
        if self.constraint is not None:
            self.constraint.mask(row)

    @property
    def written(self) -> list[int]:
        """The tokens of the answer."""
        return self.tokens[self.prompt :]


class Planned(NamedTuple):
    """A sequence's share of a step: so many tokens from `first` on."""

    sequence: Sequence
    first: int
    length: int

    @property
    def whole(self) -> bool:
        """Whether these are all its tokens, so that the next one can be chosen."""
        return self.first + self.length == len(self.sequence.tokens)

    @property
    def tokens(self) -> list[int]:
        """These tokens; zeros for those that no step has told yet."""
        known = self.sequence.tokens[self.first : self.first + self.length]
        return known + [0] * (self.length - len(known))


class Scheduler:
    """
    Continuous batching: a step has up to `tokens` tokens of up to `sequences` sequences.

    A sequence that runs goes on in each step. If pages run out, the one that came last gives back its own and waits;
    its tokens are kept, and computed again.
    """

    def __init__(self, pages: Pages, tokens: int, sequences: int):
        self.pages = pages
        self.tokens = tokens
        self.sequences = sequences
        self.waiting: deque[Sequence] = deque()
        self.running: list[Sequence] = []
        self.preempted = 0

    def add(self, sequence: Sequence) -> None:
        """Lets a sequence wait for its turn."""
        self.waiting.append(sequence)

    def plan(self) -> list[Planned]:
        """The shares of the next step; none if there is nothing to do."""
        plan: list[Planned] = []
        budget = self.tokens
        at = 0
        while at < len(self.running):
            s = self.running[at]
            count = min(s.pending, budget)
            if count and not self._grown(s, s.computed + count):
                if self.running[-1] is s:
                    self._preempt(s)
                    break
                self._preempt(self.running[-1])
                continue
            if count:
                plan.append(Planned(s, s.computed, count))
                budget -= count
            at += 1
        while self.waiting and budget and len(self.running) < self.sequences:
            s = self.waiting[0]
            if (count := self._admitted(s, budget, first=not self.running)) == 0:
                break
            self.waiting.popleft()
            self.running.append(s)
            plan.append(Planned(s, s.computed, count))
            budget -= count
        return plan

    def ahead(self, plan: list[Planned]) -> list[Planned]:
        """
        The shares of the step after `plan`, while that one runs and its tokens are not known: the same sequences.

        None where somebody else may have a turn, or where the next token's choice depends on what the host knows.
        """
        waits = bool(self.waiting) and len(self.running) < self.sequences
        if waits or len(plan) != len(self.running) or not all(self._goes_on(p) for p in plan):
            return []
        if not all(self._grown(p.sequence, len(p.sequence.tokens) + 1) for p in plan):
            return []
        return [Planned(p.sequence, len(p.sequence.tokens), 1) for p in plan]

    def _goes_on(self, p: Planned) -> bool:
        s = p.sequence
        last = len(s.tokens) + 1 - s.prompt >= s.sampling.max_tokens
        told = s.changes or s.sampling.logprobs is not None
        return p.whole and not (last or told or s.ended or s.cancelled)

    def _grown(self, s: Sequence, length: int) -> bool:
        """Gives a sequence pages for so many tokens; False if there are too few, which are then still free."""
        needed = -(-length // self.pages.size) - len(s.pages)
        if needed > self.pages.free:
            return False
        for _ in range(needed):
            page = self.pages.take()
            assert page is not None
            s.pages.append(page)
        return True

    def _admitted(self, s: Sequence, budget: int, first: bool) -> int:
        """How many tokens a sequence that waited may have; 0 if it has to wait on."""
        s.pages, s.keys = self.pages.shared(s.tokens)
        s.computed = len(s.pages) * self.pages.size
        if len(s.tokens) == s.prompt:
            s.reused = s.computed
        count = min(s.pending, budget)
        spare = 0 if first else len(self.running)  # so that those which run can go on for a while
        wanted = -(-(s.computed + count) // self.pages.size) - len(s.pages)
        if wanted + spare <= self.pages.free and self._grown(s, s.computed + count):
            return count
        self.pages.release(s.pages)
        s.pages, s.keys, s.computed = [], [], 0
        return 0

    def _preempt(self, s: Sequence) -> None:
        self.preempted += 1
        self._give_back(s)
        self.running.remove(s)
        self.waiting.appendleft(s)

    def _give_back(self, s: Sequence) -> None:
        self.pages.release(s.pages)
        s.pages, s.keys, s.computed = [], [], 0

    def done(self, planned: Planned) -> None:
        """Says that the tokens of a share are in the cache; pages that are full are found by others from now on."""
        s, size = planned.sequence, self.pages.size
        s.computed = planned.first + planned.length
        while (len(s.keys) + 1) * size <= s.computed:
            at = len(s.keys) * size
            s.keys.append(key_of(s.keys[-1] if s.keys else b"", s.tokens[at : at + size]))
            self.pages.publish(s.pages[len(s.keys) - 1], s.keys[-1])

    def finish(self, s: Sequence) -> None:
        """Ends a sequence, wherever it stands. What a step that runs still writes of it, nobody reads."""
        s.ended = True
        if s in self.running:
            self.running.remove(s)
            self._give_back(s)
        elif s in self.waiting:
            self.waiting.remove(s)
