"""Who has a share of the next step: sequences that run, in order, then those that wait, as far as there are pages."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Mapping
from collections.abc import Sequence as Many
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
        self.ends: frozenset[int] = frozenset()
        """Tokens that end it."""
        self.limit = self.prompt + sampling.max_tokens
        """How many tokens it has at most."""
        self.pages = array("i")
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

    def tokens(self, rows: Mapping[Sequence, int]) -> list[int]:
        """
        These tokens; for the last one, if no step has told it yet, -1 - n: it is chosen for row n of the step before.

        `rows` are those of the sequences in that step.
        """
        known = self.sequence.tokens[self.first : self.first + self.length]
        return known if len(known) == self.length else [*known, -1 - rows[self.sequence]]


class Plan(list[Planned]):
    """The shares of a step: those of one token first, as a batch wants them."""

    again = False
    """Whether these are the shares of the step before, each one token further."""
    left = 0
    """How many more steps can be like that."""
    state = 0
    """Of the scheduler: another one has other sequences."""


class Scheduler:
    """
    Continuous batching: a step has up to `tokens` tokens of up to `sequences` sequences.

    A sequence that runs goes on in each step. If pages run out, the one that came last gives back its own and waits;
    its tokens are kept, and computed again.
    """

    def __init__(self, pages: Pages, tokens: int, sequences: int):
        self.pages = pages
        self._given = self.tokens, self.sequences = tokens, sequences
        self.waiting: deque[Sequence] = deque()
        self.running: list[Sequence] = []
        self.preempted = 0
        self._state = 0
        """How often sequences came, went, or gave way."""

    def add(self, sequence: Sequence) -> None:
        """Lets a sequence wait for its turn."""
        self.waiting.append(sequence)

    def plan(self, running: Plan | None = None) -> Plan:
        """
        The shares of the next step; none if there is nothing to do.

        While a step runs whose shares are `running`, those of the step after it, or none where that has to be over
        first. Of a sequence whose next token it chooses that token has a share; who ends with it, or whose choice after
        it needs it on the host, has none.
        """
        coming = self.waiting and len(self.running) < self.sequences
        if running and running.left and running.state == self._state and not coming:
            plan = Plan([Planned(s, first + 1, 1) for s, first, _ in running])
            plan.again, plan.left, plan.state = True, running.left - 1, self._state
            return plan
        shares = {p.sequence: p for p in running or ()}
        if any(p.whole and p.sequence.sampling.logprobs is not None for p in shares.values()):
            return Plan()  # the logits are read when the step is done
        plan, budget = Plan(), self.tokens
        at = 0
        while at < len(self.running):
            s = self.running[at]
            first, count = self._next(s, shares.get(s), budget)
            if count and not self._grown(s, first + count):
                if shares:
                    return Plan()  # what the step that runs has begun is to be entered before anybody gives back pages
                if self.running[-1] is s:
                    self._preempt(s)
                    break
                self._preempt(self.running[-1])
                continue
            if count:
                plan.append(Planned(s, first, count))
                budget -= count
            at += 1
        while self.waiting and budget and len(self.running) < self.sequences:
            s = self.waiting[0]
            if (count := self._admitted(s, budget, first=not self.running)) == 0:
                break
            self._state += 1
            self.waiting.popleft()
            self.running.append(s)
            plan.append(Planned(s, s.computed, count))
            budget -= count
        plan.sort(key=lambda p: p.length > 1)
        plan.left, plan.state = self._left(plan), self._state
        return plan

    def _left(self, plan: Plan) -> int:
        """How many steps may follow this one with the same sequences, each one token further in the pages it has."""
        if len(plan) != len(self.running):
            return 0
        least = self.tokens
        for s, first, length in plan:
            if length > 1 or first + 1 < len(s.tokens) or s.changes or s.sampling.logprobs is not None:
                return 0
            room = len(s.pages) * self.pages.size - first - 1
            least = min(least, room, s.limit - first - 2)
        return max(0, least)

    def _next(self, s: Sequence, running: Planned | None, budget: int) -> tuple[int, int]:
        """Where a sequence goes on behind what runs of it, and with how many tokens."""
        if running is None:
            return s.computed, min(s.pending, budget)
        first = running.first + running.length
        if not running.whole:
            return first, min(len(s.tokens) - first, budget)
        last = first + 1 >= s.limit
        return first, 0 if last or s.changes else min(1, budget)

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
        pages, s.keys = self.pages.shared(s.tokens)
        s.pages = array("i", pages)
        s.computed = len(s.pages) * self.pages.size
        if len(s.tokens) == s.prompt:
            s.reused = s.computed
        count = min(s.pending, budget)
        spare = 0 if first else len(self.running)  # so that those which run can go on for a while
        wanted = -(-(s.computed + count) // self.pages.size) - len(s.pages)
        if wanted + spare <= self.pages.free and self._grown(s, s.computed + count):
            return count
        self._give_back(s)
        return 0

    def shrink(self, plan: Many[Planned]) -> bool:
        """
        Makes steps smaller than one for which there was no memory, until there is nothing left to do; False where none
        is smaller. Nothing may be running.
        """
        if len(plan) > 1:
            self.sequences = len(plan) // 2
            while len(self.running) > self.sequences:
                self._preempt(self.running[-1])
        elif plan[0].length > 1:
            self.tokens = plan[0].length // 2
        else:
            return False
        return True

    def _preempt(self, s: Sequence) -> None:
        self.preempted += 1
        self._state += 1
        self._give_back(s)
        self.running.remove(s)
        self.waiting.appendleft(s)

    def _give_back(self, s: Sequence) -> None:
        self.pages.release(s.pages)
        s.pages, s.keys, s.computed = array("i"), [], 0

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
        self._state += 1
        if s in self.running:
            self.running.remove(s)
            self._give_back(s)
        elif s in self.waiting:
            self.waiting.remove(s)
        if not self.running and not self.waiting:
            self.tokens, self.sequences = self._given
