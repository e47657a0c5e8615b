"""
The scheduler, the pages and the inputs of steps, by what they do in a few situations, step by step.

`steps.txt` tells what each step has of whom, and what is left then: `pytest --update-golden` writes it anew.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freehold.engine.batch import Inputs, Shape, Share, all_rows
from freehold.engine.pages import Pages, key_of
from freehold.engine.sampling import Choice, Sampling, likeliest, seeds_of
from freehold.engine.scheduler import Plan, Planned, Scheduler, Sequence

GOLDEN = Path(__file__).with_name("steps.txt")


class Situation:
    """Sequences by letters, a scheduler, and what was said of both."""

    def __init__(self, name: str, pages: int, tokens: int, sequences: int, ahead: bool = False):
        self.said = [f"{name}: {pages} pages of 4, {tokens} tokens, {sequences} sequences{', ahead' * ahead}\n"]
        self.pages = Pages(pages, 4)
        self.scheduler = Scheduler(self.pages, tokens, sequences)
        self.ahead = ahead
        self.names: dict[Sequence, str] = {}
        self.running: Plan | None = None

    def add(self, name: str, prompt: list[int], **sampling: object) -> Sequence:
        sequence = Sequence(prompt, Sampling(**{"max_tokens": 16, **sampling}), 0)  # pyright: ignore[reportArgumentType] -- of its own
        self.names[sequence] = name
        self.scheduler.add(sequence)
        return sequence

    def step(self, count: int = 1) -> None:
        """Steps; each token is a 0. Who has all ends, as the engine has it."""
        for _ in range(count):
            plan = self.scheduler.plan(self.running)
            shares = [f"{self.names[p.sequence]} {p.first}+{p.length}" for p in plan]
            self.said.append(f"  {', '.join(shares) or 'nothing'}; {self.left(plan)}\n")
            if self.running is not None:
                self.take(self.running)
            self.running = plan or None
            if not self.ahead and self.running:
                self.take(self.running)
                self.running = None

    def take(self, plan: Plan) -> None:
        for p in plan:
            if not p.sequence.ended:
                self.scheduler.done(p)
        for p in plan:
            if p.whole and not p.sequence.ended:
                p.sequence.tokens.append(0)
                if len(p.sequence.tokens) >= p.sequence.limit:
                    self.scheduler.finish(p.sequence)

    def left(self, plan: Plan) -> str:
        s = self.scheduler
        waiting = "".join(self.names[x] for x in s.waiting)
        held = " ".join(f"{self.names[x]}{list(x.pages)}" for x in s.running)
        found = [f"holds {held}" if held else "", f"waits {waiting}" if waiting else ""]
        found += [f"{self.pages.free} free", f"{plan.left} more" if plan.left else "", "again" if plan.again else ""]
        found += [f"gave back {s.preempted}" if s.preempted else ""]
        return ", ".join(f for f in found if f)


def situations() -> Iterator[Situation]:
    s = Situation("a prompt longer than a step", 8, 10, 3)
    s.add("a", [1] * 23, max_tokens=2)
    s.add("b", [2] * 3, max_tokens=4)
    s.add("c", [3] * 9, max_tokens=1)
    s.step(8)
    yield s
    s = Situation("pages of one that was there", 8, 12, 2)
    s.add("a", [1] * 9, max_tokens=1)
    s.step()
    b = s.add("b", [1] * 9, max_tokens=2)
    c = s.add("c", [1] * 8 + [2] * 3, max_tokens=2)
    s.step(4)
    s.said.append(f"  of b {b.reused} were found, of c {c.reused}, of all {s.pages.hits}\n")
    yield s
    s = Situation("too few pages for all", 5, 16, 3)
    for name, token in (("a", 1), ("b", 2), ("c", 3)):
        s.add(name, [token] * 4, max_tokens=9)
    s.step(24)
    yield s
    s = Situation("who alone has too few pages for a while", 3, 16, 2)
    s.add("a", [1] * 6, max_tokens=5)
    s.add("b", [2] * 5, max_tokens=5)
    s.step(10)
    yield s
    for ahead in (False, True):
        s = Situation("decoding for as long as can be", 9, 16, 3, ahead)
        s.add("a", [1] * 3, max_tokens=11)
        s.add("b", [2] * 6, max_tokens=7)
        s.step(7)
        s.add("c", [3] * 20, max_tokens=2)
        s.step(8)
        yield s
    for name, options in (
        ("whose logits are changed", {"presence_penalty": 1.0}),
        ("who is told of probabilities", {"logprobs": 0}),
        ("with a limit of one", {"max_tokens": 1}),
        ("with a limit of two", {"max_tokens": 2}),
    ):
        s = Situation(f"one {name}", 9, 16, 3, ahead=True)
        s.add("a", [1] * 3, max_tokens=8)
        s.add("b", [2] * 6, **options)
        s.step(6)
        yield s
    s = Situation("a step that runs while pages end", 4, 16, 2, ahead=True)
    s.add("a", [1] * 7, max_tokens=8)
    s.add("b", [2] * 7, max_tokens=8)
    s.step(22)
    yield s
    s = Situation("cancelled, as it waits and as it runs", 6, 8, 2)
    a, _, c = (s.add(name, [token] * 4) for name, token in (("a", 1), ("b", 2), ("c", 3)))
    s.step(2)
    s.scheduler.finish(c)
    s.step()
    s.scheduler.finish(a)
    s.step(2)
    yield s


def test_situations(golden: Callable[[Path, str], None]) -> None:
    golden(GOLDEN, "".join("".join(s.said) for s in situations()))


def test_steps_become_smaller_until_nothing_is_left() -> None:
    scheduler = Scheduler(Pages(20, 4), 12, 5)
    waiting = [Sequence([n] * 2, Sampling(), 0) for n in range(5)]
    for s in waiting:
        scheduler.add(s)
    plan = scheduler.plan()
    assert len(plan) == 5
    assert scheduler.shrink(plan)
    assert (scheduler.tokens, scheduler.sequences, scheduler.preempted) == (12, 2, 3)
    assert (scheduler.running, list(scheduler.waiting)) == (waiting[:2], waiting[2:])
    assert scheduler.pages.free == 18
    plan = scheduler.plan()
    assert [p.sequence for p in plan] == waiting[:2]
    assert scheduler.shrink(plan)
    assert (scheduler.sequences, scheduler.running) == (1, waiting[:1])
    (planned,) = plan = scheduler.plan()
    assert planned.length == 2
    assert scheduler.shrink(plan)
    assert (scheduler.tokens, scheduler.sequences) == (1, 1)
    (planned,) = plan = scheduler.plan()
    assert planned.length == 1
    assert not scheduler.shrink(plan)
    for s in waiting:
        assert (scheduler.tokens, scheduler.sequences) == (1, 1)
        scheduler.finish(s)
        assert s.ended
    assert (scheduler.tokens, scheduler.sequences) == (12, 5)  # as it was given, when nobody is left
    assert scheduler.pages.free == 20


def test_a_share_knows_its_tokens() -> None:
    one, other = Sequence([5, 6, 7], Sampling(), 0), Sequence([1], Sampling(), 0)
    rows = {other: 0, one: 3}
    assert Planned(one, 0, 2).tokens(rows) == [5, 6]
    assert not Planned(one, 0, 2).whole
    assert Planned(one, 1, 2).tokens(rows) == [6, 7]
    assert Planned(one, 1, 2).whole
    assert Planned(one, 3, 1).tokens(rows) == [-4]  # what row 3 of the step before chooses
    assert Planned(other, 0, 2).tokens(rows) == [1, -1]
    one.tokens.append(8)
    one.computed = 1
    assert (one.prompt, one.written, one.pending, one.limit) == (3, [8], 3, 19)


def test_pages_are_taken_in_an_order() -> None:
    """What nobody uses and holds nothing comes first, then what has not been used for longest."""
    pages = Pages(4, 2)
    held = [page for page in (pages.take(), pages.take(), pages.take()) if page is not None]
    assert held == [0, 1, 2]
    first = key_of(b"", [1, 2])
    second = key_of(first, [3, 4])
    pages.publish(0, first)
    pages.publish(1, second)
    pages.publish(2, first)  # another page holds the same already
    pages.release(held)
    assert pages.free == 4
    assert pages.shared([1, 2, 3, 4, 5])[0] == [0, 1]
    assert pages.free == 2
    assert pages.shared([1, 2, 9])[0] == [0]
    pages.release([0, 1])
    assert pages.free == 3  # the first is used once more
    assert [pages.take() for _ in range(4)] == [2, 3, 1, None]
    assert pages.shared([1, 2, 3, 4, 5])[0] == [0]  # the second was needed for something else
    assert pages.hits == 8
    pages.release([0])
    pages.release([0])
    assert pages.take() == 0
    assert pages.shared([1, 2, 3])[0] == []


def test_keys_tell_pages_apart() -> None:
    keys = [key_of(b"", [1, 2]), key_of(b"", [2, 1]), key_of(b"", [1, 258]), key_of(key_of(b"", [1]), [2])]
    assert len({*keys, key_of(keys[0], [1, 2])}) == 5
    assert {len(k) for k in keys} == {16}
    assert key_of(b"", [1, 2]) == keys[0]
    assert key_of(b"", [2**32 - 1])


# --- Inputs -----------------------------------------------------------------------------------------------------------


def parts(inputs: Inputs) -> list[list[int]]:
    shape = inputs.shape
    at, widths = shape.places(4, 4), shape.widths(4, 4)
    return [inputs.numbers[a : a + n].tolist() for a, n in zip(at, widths, strict=False)]


def test_inputs_of_tokens_that_decode() -> None:
    inputs = Inputs(Shape(4, 4, 1), 4, 4, 40)
    inputs.fill([Share([7], 5, [3, 1]), Share([-2], 0, [8])])
    ids, positions, _, order, slots, lengths, last, table = parts(inputs)[:8]
    assert ids == [7, -2, 0, 0]
    assert positions == [5, 0, 0, 0]
    assert order == [0, 1, 0, 0]
    assert slots == [5, 6, 32, 33, 40, 40, 40, 40, 40]
    assert lengths == [6, 1, 0, 0]
    assert last == [0, 1, 0, 0]
    assert table == [3, 1, 0, 0, 8, 0, 0, 0, *[0] * 8]
    assert (inputs.count, inputs.alone) == (2, 0)
    inputs.choice.fill([(Sampling(seed=3), 3, 6), (Sampling(temperature=0), 4, 1)])
    seeds = inputs.choice.seeds.tolist()
    inputs.advance()
    ids, positions, _, order, slots, lengths, last, _ = parts(inputs)[:8]
    assert ids == [-1, -2, 0, 0]
    assert positions == [6, 1, 0, 0]
    assert order == [0, 1, 0, 0]
    assert slots == [6, 7, 33, 34, 40, 40, 40, 40, 40]
    assert lengths == [7, 2, 0, 0]
    assert last == [0, 1, 0, 0]
    found = inputs.choice.seeds.tolist()
    assert found[:2] == seeds_of(np.array([3, 4], np.uint64), np.array([7, 2], np.uint64)).tolist()
    assert found[:2] != seeds[:2]
    inputs.fill([])
    assert inputs.count == 0
    assert parts(inputs)[:4] == [[0] * 4] * 4
    assert parts(inputs)[4] == [40] * 9


def test_inputs_of_prompts() -> None:
    """Tokens that are alone have a row of pages each; behind these stand the pages of all others."""
    inputs = Inputs(Shape(16, 8, 2), 4, 4, 40)
    inputs.fill([Share([7], 5, [3, 1]), Share([1, 2, 3, 4, 5, 6], 3, [9, 4, 2])])
    ids, positions, bases, order, slots, lengths, last, table = parts(inputs)[:8]
    assert (inputs.count, inputs.ones, inputs.alone) == (2, 1, 4)
    assert ids == [7, 1, 2, 3, 4, 5, 6, *[0] * 9]
    assert positions[:7] == [5, 3, 4, 5, 6, 7, 8]
    assert positions[7:] == [8] * 9
    assert len({*bases[1:7]}) == 1
    assert bases[7:] == [bases[6]] * 9
    assert order[:4] == [0, 6, 2, 1]
    assert slots[:8] == [5, 6, 8, 9, 16, 20, 39, 40]
    assert slots[8:] == [40] * (len(slots) - 8)
    assert lengths == [6, 4, 5, 6, 0, 0, 0, 0]
    assert last == [0, 6, *[0] * 6]
    assert table[:16] == [3, 1, 0, 0, 9, 4, 2, 0, 9, 4, 2, 0, 9, 4, 2, 0]
    begin = 16 + bases[1] // 4
    assert table[begin : begin + 3] == [9, 4, 2]


@settings(max_examples=80)
@given(st.data())
def test_inputs_say_of_each_token_where_it_stands_and_goes(data: st.DataObject) -> None:
    """Shares of any lengths: what a step reads of its inputs, against what each share says."""
    page = pages = 4
    counts = sorted(data.draw(st.lists(st.sampled_from([1, 1, 1, 2, 5, 9]), min_size=1, max_size=6)))
    longest = 1 if counts[-1] == 1 else 2
    numbers = range(40) if data.draw(st.booleans()) else data.draw(st.permutations(range(40)))
    held, shares = iter(numbers), list[Share]()
    for count in counts:
        first = data.draw(st.integers(0, page * pages - count))
        own = [next(held) for _ in range(-(-(first + count) // page))]
        shares.append(Share([data.draw(st.integers(0, 99)) for _ in range(count)], first, own))
    total = sum(counts)
    inputs = Inputs(Shape(total + data.draw(st.integers(0, 9)), len(counts) + 2, longest), pages, page, 160)
    inputs.fill(shares)
    ids, positions, bases, order, slots, lengths, last, table = parts(inputs)[:8]
    alone = len(counts) if longest == 1 else inputs.alone
    tokens = [(share, share.first + n) for share in shares for n in range(len(share.ids))]
    assert ids[:total] == [token for share in shares for token in share.ids]
    assert last[: len(counts)] == [sum(counts[: n + 1]) - 1 for n in range(len(counts))]
    for number, (share, place) in enumerate(tokens):
        assert positions[number] == place
        begin = number * pages if number < alone else alone * pages + bases[number] // page
        assert table[begin : begin + len(share.pages)] == share.pages
        assert lengths[number : number + 1] == [place + 1] or number >= alone
    runs = [(order[n], slots[2 * n], slots[2 * n + 1]) for n in range(len(order)) if slots[2 * n] < 160]
    written = {first + n: begin + n for first, begin, end in runs for n in range(end - begin)}
    assert written == {n: share.pages[place // page] * page + place % page for n, (share, place) in enumerate(tokens)}
    assert all(begin // page == (end - 1) // page for _, begin, end in runs)
    assert [begin for _, begin, _ in runs] == sorted(begin for _, begin, _ in runs)


@st.composite
def shares_of(draw: st.DrawFn, most: int) -> list[Share]:
    """Up to five sequences with up to `most` tokens each, in pages of four tokens that no two have."""
    counts = sorted(draw(st.lists(st.integers(1, most), min_size=1, max_size=5)))
    held = iter(draw(st.permutations(range(40))))
    shares: list[Share] = []
    for count in counts:
        first = draw(st.integers(0, 16 - count))
        pages = [next(held) for _ in range(-(-(first + count) // 4))]
        shares.append(Share([draw(st.integers(-3, 99)) for _ in range(count)], first, pages))
    return shares


@pytest.mark.parametrize("longest", [1, 2])
@settings(max_examples=40)
@given(st.data())
def test_inputs_have_nothing_of_the_step_before(longest: int, data: st.DataObject) -> None:
    """What is written over others is what is written first; what is left over is of no sequence."""
    before, shares = (data.draw(shares_of(1 if longest == 1 else 7)) for _ in range(2))
    shape = Shape(40, 6, longest)
    used, fresh = (Inputs(shape, 4, 4, 160) for _ in range(2))
    assert (used.count, used.numbers.any()) == (0, False)
    used.fill(before)
    for inputs in (used, fresh):
        inputs.fill(shares)
    *found, table = parts(used)[:8]
    *wanted, clean = parts(fresh)[:8]
    assert found == wanted
    assert (used.count, used.ones, used.alone) == (fresh.count, fresh.ones, fresh.alone)
    assert all(
        number in (0, page, *(p for share in before for p in share.pages))
        for number, page in zip(table, clean, strict=True)
    )
    assert [n for n, page in enumerate(clean) if page and table[n] != page] == []
    ids, positions, bases, order, slots, lengths, last = wanted
    total, count = sum(len(share.ids) for share in shares), len(shares)
    alone = count if longest == 1 else min(fresh.alone, total)
    left = 40 - total
    assert ids[total:] == [0] * left
    assert positions[total:] == [shares[-1].first + len(shares[-1].ids) - 1] * left
    assert bases[total:] == [bases[total - 1]] * left
    assert lengths[alone:] == [0] * (len(lengths) - alone)
    assert last[count:] == [0] * (len(last) - count)
    runs = sum(slots[n] < 160 for n in range(0, len(slots), 2))
    assert order[runs:] == [0] * (len(order) - runs)
    assert slots[2 * runs :] == [160] * (len(slots) - 2 * runs)
    used.fill([])
    assert [used.count, *map(sum, parts(used)[:4]), sum(parts(used)[5]), sum(parts(used)[6])] == [0] * 7
    assert {*parts(used)[4]} == {160}


@settings(max_examples=40)
@given(shares_of(1))
def test_inputs_that_advance_are_those_of_the_next_step(shares: list[Share]) -> None:
    """As if what the step before chooses were filled in, one place further, where no page ends."""
    shares = [share._replace(first=share.first - (share.first % 4 == 3)) for share in shares]
    inputs, wanted = (Inputs(Shape(8, 6, 1), 4, 4, 160) for _ in range(2))
    inputs.fill(shares)
    inputs.advance()
    wanted.fill([Share([-1 - n], share.first + 1, share.pages) for n, share in enumerate(shares)])
    count = len(shares)
    for name, one, other in zip(
        ("ids", "positions", "bases", "order", "slots", "lengths", "last", "table"),
        parts(inputs),
        parts(wanted),
        strict=False,
    ):
        if name == "slots":
            one, other = one[: 2 * count], other[: 2 * count]
        if name in ("positions", "bases"):
            one, other = one[:count], other[:count]
        assert name == "bases" or one == other, name


@pytest.mark.parametrize(
    ("ones", "longer", "shape", "alone"),
    [
        (0, 1, Shape(16, 8, 2), 0),
        (1, 1, Shape(16, 8, 2), 4),
        (4, 1, Shape(16, 8, 2), 4),
        (5, 1, Shape(16, 8, 2), 4),  # there is no row for one more
        (5, 1, Shape(32, 16, 2), 8),
        (1, 1, Shape(4, 8, 2), 0),
        (1, 1, Shape(5, 8, 2), 4),
        (3, 2, Shape(16, 6, 2), 4),
        (3, 2, Shape(16, 5, 2), 0),
        (3, 3, Shape(16, 6, 2), 0),
    ],
)
def test_how_many_are_alone(ones: int, longer: int, shape: Shape, alone: int) -> None:
    inputs = Inputs(shape, 4, 4, 40)
    inputs.fill([*(Share([n], n, [n, 30]) for n in range(ones)), *(Share([1, 2], 0, [10 + n]) for n in range(longer))])
    assert (inputs.ones, inputs.alone) == (ones, alone)


def test_all_numbers_of_rows_that_products_have() -> None:
    assert all_rows(1, 1) == {1}
    assert all_rows(15, 1) == {15, 1}
    assert all_rows(100, 5) == {16, 32, 48, 64, 80, 96, 100, 1, 4, 5}
    assert all_rows(16, 16) == {16, 1, 4}
    assert all_rows(17, 17) == {16, 17, 1, 4}


# --- Choices ----------------------------------------------------------------------------------------------------------


def test_what_is_asked_for_by_row() -> None:
    choice = Choice(np.full((3, 4), 9, np.float32), np.full(4, 9, np.int32), np.full(4, 9, np.int64))
    one = Sampling(temperature=0.5, top_p=0.25, min_p=0.125, top_k=3)
    choice.fill([(one, -1, 7), (Sampling(temperature=0), 5, 8)])
    assert choice.floats.tolist() == [[0.5, 0, 0, 0], [0.25, 1, 1, 1], [0.125, 0, 0, 0]]
    assert choice.top_k.tolist() == [3, 0, 0, 0]
    bases = np.array([(1 << 64) - 1, 5], np.uint64)
    assert choice.seeds.tolist() == [*seeds_of(bases, np.array([7, 8], np.uint64)).tolist(), 0, 0]
    choice.advance()
    choice.advance()
    assert choice.seeds.tolist() == [*seeds_of(bases, np.array([9, 10], np.uint64)).tolist(), 0, 0]
    choice.fill([])
    assert choice.floats.tolist() == [[0] * 4, [1] * 4, [0] * 4]
    assert choice.seeds.tolist() == [0] * 4


def test_seeds_stay_what_they_are() -> None:
    """Who has noted a seed gets the same answer in the next version, too."""
    bases, places = np.array([0, 1, 12345], np.uint64), np.array([0, 1, 99], np.uint64)
    found = seeds_of(bases, places).astype(np.uint64).tolist()
    assert found == [5066627472370443463, 8372944914624878302, 1319798650052997715]
    assert max(found) < 1 << 63


def test_the_likeliest_of_a_row() -> None:
    row = np.log(np.array([0.1, 0.4, 0.2, 0.3], np.float32)) + 7
    for count, wanted in ((0, []), (1, [1]), (2, [1, 3]), (4, [1, 3, 2, 0]), (9, [1, 3, 2, 0])):
        value, best = likeliest(row, 2, count)
        assert np.isclose(np.exp(value), 0.2)
        assert [token for token, _ in best] == wanted
        assert np.allclose([np.exp(v) for _, v in best], [(0.1, 0.4, 0.2, 0.3)[t] for t in wanted])
    tied = np.array([1.0, 2.0, 2.0, 2.0], np.float32)
    assert sorted(t for t, _ in likeliest(tied, 0, 3)[1]) == [1, 2, 3]


def test_what_was_given_back_holds_nothing() -> None:
    scheduler = Scheduler(Pages(2, 4), 16, 2)
    one = Sequence([1] * 6, Sampling(), 0)
    scheduler.add(one)
    (planned,) = scheduler.plan()
    scheduler.done(planned)
    assert (one.computed, len(one.keys), list(one.pages)) == (6, 1, [0, 1])
    scheduler.finish(one)
    assert (one.computed, one.keys, one.pages) == (0, [], array("i"))
    assert scheduler.pages.free == 2


def test_what_a_request_does_not_say_is_as_openai_has_it() -> None:
    assert Sampling() == Sampling(16, 1.0, 0, 1.0, 0.0, 0.0, 0.0, {}, None, (), (), False, None)
