"""Pages of the cache and the scheduler over them, at random beside a model of what must hold."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freehold.engine.pages import Pages, key_of
from freehold.engine.sampling import Sampling
from freehold.engine.scheduler import Plan, Planned, Scheduler, Sequence


def test_pages_are_found_by_what_they_hold() -> None:
    pages = Pages(4, 2)
    first, second = pages.take(), pages.take()
    assert first is not None
    assert second is not None
    one = key_of(b"", [1, 2])
    pages.publish(first, one)
    pages.publish(second, two := key_of(one, [3, 4]))
    assert pages.shared([1, 2, 3, 4, 5]) == ([first, second], [one, two])
    assert pages.shared([1, 2, 3, 4])[0] == [first]  # one token at least is left to compute
    assert pages.shared([3, 4, 1, 2, 9])[0] == []
    assert pages.hits == 6


def test_what_nobody_uses_is_kept_until_it_is_needed() -> None:
    pages = Pages(2, 2)
    first = pages.take()
    assert first is not None
    pages.publish(first, key_of(b"", [1, 2]))
    pages.release([first])
    assert pages.free == 2
    assert pages.shared([1, 2, 3])[0] == [first]
    pages.release([first])
    assert {pages.take(), pages.take()} == {0, 1}
    assert pages.take() is None
    assert pages.shared([1, 2, 3])[0] == []


class Cache:
    """What would be in the pages: every token that is read must have been written there by whoever has the page."""

    def __init__(self, pages: Pages):
        self.size = pages.size
        self.slots: dict[tuple[int, int], tuple[int, ...]] = {}

    def run(self, planned: Planned) -> None:
        s, size = planned.sequence, self.size
        for n in range(planned.first, planned.first + planned.length):
            self.slots[s.pages[n // size], n % size] = tuple(s.tokens[: n + 1])
        for n in range(planned.first + planned.length):
            assert self.slots[s.pages[n // size], n % size] == tuple(s.tokens[: n + 1])


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9), st.integers(4, 12), st.integers(1, 5), st.integers(2, 16))
def test_every_sequence_gets_all_its_tokens(seed: int, count: int, sequences: int, tokens: int) -> None:
    random, pages = Random(seed), Pages(count, 4)
    scheduler, cache = Scheduler(pages, tokens, sequences), Cache(pages)
    left = {
        Sequence([random.randrange(2) for _ in range(random.randrange(1, 2 * count))], Sampling(), 0) for _ in range(8)
    }
    for s in left:
        scheduler.add(s)
    steps = 0
    while left:
        steps += 1
        assert steps < 4000, "somebody waits for ever"
        plan = scheduler.plan()
        assert plan
        assert sum(p.length for p in plan) <= tokens
        assert len(plan) <= sequences
        assert len({p.sequence for p in plan}) == len(plan)
        for p in plan:
            assert p.length > 0
            assert p.first == p.sequence.computed
            cache.run(p)
            scheduler.done(p)
        for p in plan:
            if p.whole:
                p.sequence.tokens.append(random.randrange(2))
                full = -(-len(p.sequence.tokens) // 4) >= count
                if full or random.random() < 0.1:
                    scheduler.finish(p.sequence)
                    left.discard(p.sequence)
        if random.random() < 0.05 and left:  # cancelled
            gone = random.choice(sorted(left, key=id))
            scheduler.finish(gone)
            left.discard(gone)
    assert pages.free == count
    assert not scheduler.running
    assert not scheduler.waiting


@pytest.mark.parametrize(
    ("running", "most", "budget", "share"),
    [
        (None, 9, 9, (2, 4)),
        (None, 9, 3, (2, 3)),
        ((0, 4), 9, 9, (4, 2)),  # a part of the prompt runs
        ((0, 4), 9, 1, (4, 1)),
        ((2, 4), 9, 9, (6, 1)),  # all of it runs, and chooses one
        ((2, 4), 9, 0, (6, 0)),
        ((2, 4), 2, 9, (6, 1)),
        ((2, 4), 1, 9, (6, 0)),  # which is the last
    ],
)
def test_where_a_sequence_goes_on(
    running: tuple[int, int] | None, most: int, budget: int, share: tuple[int, int]
) -> None:
    """Of six tokens, two of which are in the cache, behind what runs."""
    for sampling in (Sampling(max_tokens=most), Sampling(max_tokens=most, logit_bias={1: 1.0})):
        s = Sequence([5] * 6, sampling, 0)
        s.computed = 2
        planned = None if running is None else Planned(s, *running)
        waits = planned is not None and planned.whole and s.changes  # for what is chosen
        found = Scheduler(Pages(9, 4), 16, 4)._next(s, planned, budget)  # pyright: ignore[reportPrivateUsage]
        assert found == ((share[0], 0) if waits else share)


def test_a_prompt_that_goes_on_is_no_step_to_repeat() -> None:
    """Whose share is one token, with room for others behind it: the next one is not chosen by this step."""
    scheduler = Scheduler(Pages(4, 4), 1, 1)
    s = Sequence([1, 1], Sampling(), 0)
    scheduler.add(s)
    for first, left in ((0, 0), (1, 1)):
        plan = scheduler.plan()
        assert ([p[1:] for p in plan], plan.left) == ([(first, 1)], left)
        scheduler.done(plan[0])


@pytest.mark.parametrize("pages", [3, 4])
def test_who_came_last_gives_back(pages: int) -> None:
    scheduler = Scheduler(Pages(pages, 4), 16, 4)
    one, other = (Sequence([t] * 4, Sampling(), 0) for t in (1, 2))
    for s in (one, other):
        scheduler.add(s)
    for _ in range(6):
        for p in scheduler.plan():
            scheduler.done(p)
            if p.whole:
                p.sequence.tokens.append(0)
    assert scheduler.preempted == 1
    assert list(scheduler.waiting) == [other]
    assert not other.pages
    assert len(one.tokens) > len(other.tokens)


def test_a_step_from_before_a_sequence_came_is_not_gone_on_with() -> None:
    scheduler = Scheduler(Pages(8, 4), 16, 2)
    one, other = (Sequence([1] * 5, Sampling(), 0) for _ in range(2))
    scheduler.add(one)
    for p in scheduler.plan():
        scheduler.done(p)
        one.tokens.append(0)
    before = scheduler.plan()
    assert before.left > 0
    scheduler.add(other)
    assert {p.sequence for p in scheduler.plan(before)} == {one, other}
    again = scheduler.plan(before)
    assert not again.again
    assert {p.sequence for p in again} == {one, other}


def test_how_many_steps_can_be_like_one_is_known_while_sequences_decode() -> None:
    """As far as pages, limits and a step's tokens let all of them go; none where a prompt runs."""
    scheduler = Scheduler(Pages(6, 4), 16, 2)
    one, other = (Sequence([1] * n, Sampling(max_tokens=most), 0) for n, most in ((3, 9), (5, 3)))
    for s in (one, other):
        scheduler.add(s)

    def step() -> Plan:
        plan = scheduler.plan()
        for p in plan:
            scheduler.done(p)
            p.sequence.tokens.append(0)
        return plan

    assert step().left == 0  # their prompts
    assert len(one.tokens) == 4
    assert step().left == 0  # `one` fills its page with this step
    assert step().left == 0  # `other` has a token left to its limit, and that one is the last
    scheduler.finish(other)
    assert [p.first for p in step()] == [5]
    plan = scheduler.plan()
    assert [(p.first, p.length) for p in plan] == [(6, 1)]
    assert plan.left == 1  # two pages have room for eight tokens
    again = scheduler.plan(plan)
    assert (again.again, again.left, [p.first for p in again]) == (True, 0, [7])
