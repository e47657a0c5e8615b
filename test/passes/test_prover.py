"""
The prover against enumeration: nothing is proved that is false somewhere in a box, and every witness is one.

Rules, solver and search are each held to that, on random obligations over few symbols with small bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freehold.passes.prover import prove as module
from freehold.passes.prover import rules, smt
from freehold.passes.prover.hypotheses import Hypotheses, at_most_zero
from freehold.passes.prover.polynomials import bound_term, poly, to_term
from freehold.passes.prover.prove import Status, Verdict, prove, satisfiable
from freehold.passes.prover.search import find, holds_in
from freehold.support import terms
from freehold.support.terms import Term, const, parse, sym

BOX = {"a": (0, 4), "b": (1, 5), "n": (1, 6)}
BOUNDS = [fact for name, (low, high) in BOX.items() for fact in (const(low).le(sym(name)), sym(name).le(high))]


def expressions(leaves: int = 5) -> st.SearchStrategy[Term]:
    """Terms over the box; divisors are positive, as the analysis has shown before it makes a quotient."""
    positive = st.one_of(st.sampled_from(("b", "n")).map(sym), st.integers(1, 5).map(const))
    leaf = st.one_of(st.sampled_from(tuple(BOX)).map(sym), st.integers(-3, 6).map(const))
    build = [terms.add, terms.sub, terms.mul, terms.minimum, terms.maximum]
    divide = [terms.floordiv, terms.ceildiv, terms.mod]

    def grow(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        plain = st.tuples(st.sampled_from(build), inner, inner)
        divided = st.tuples(st.sampled_from(divide), inner, positive)
        return st.one_of(plain, divided).map(lambda x: x[0](x[1], x[2]))

    return st.recursive(leaf, grow, max_leaves=leaves)


def predicates() -> st.SearchStrategy[Term]:
    plain = st.tuples(st.sampled_from(("<", "<=", "==")), expressions(), expressions()).map(lambda x: terms.compare(*x))
    paired = st.tuples(st.sampled_from((terms.both, terms.either)), plain, plain).map(lambda x: x[0](x[1], x[2]))
    return st.one_of(plain, paired, plain.map(terms.negate))


def box() -> Iterator[dict[str, int]]:
    for values in product(*(range(low, high + 1) for low, high in BOX.values())):
        yield dict(zip(BOX, values, strict=True))


def is_true(goal: Term, facts: list[Term]) -> bool:
    return all(goal.evaluate(v) for v in box() if holds_in(facts, v))


@settings(max_examples=400)
@given(predicates(), st.lists(predicates(), max_size=2))
def test_rules_prove_nothing_false(goal: Term, facts: list[Term]) -> None:
    if rules.holds(goal, Hypotheses().extended([*BOUNDS, *facts])):
        assert is_true(goal, facts), f"{goal} from {[str(f) for f in facts]}"


@settings(max_examples=60)
@given(predicates(), st.lists(predicates(), max_size=1))
def test_verdicts_are_right(goal: Term, facts: list[Term]) -> None:
    hypotheses = Hypotheses().extended([*BOUNDS, *facts])
    verdict = prove(goal, hypotheses)
    if verdict.proved:
        assert is_true(goal, facts)
    if verdict.refuted:
        assert holds_in([*hypotheses.facts, terms.negate(goal)], {**dict.fromkeys(BOX, 1), **verdict.witness})
    assert verdict == prove(goal, hypotheses)


@settings(max_examples=40)
@given(predicates(), st.lists(predicates(), max_size=1), st.booleans())
def test_the_solver_is_right(goal: Term, facts: list[Term], real: bool) -> None:
    """Without rules and search in front of it."""
    question = [*BOUNDS, *facts, terms.negate(goal)]
    answer, model = smt.ask(question, real_products=real, budget=smt.PRODUCTS_UNINTERPRETED)
    if answer == "unsatisfiable":
        assert is_true(goal, facts)
    if answer == "satisfiable":
        assert holds_in(question, {**dict.fromkeys(BOX, 1), **model})


PRODUCTS = [  # of which only signs, units and growth are known
    "0 <= a and 0 <= b and a * b < 0",
    "1 <= a and 1 <= b and a * b < a",
    "1 <= a and 1 <= b and a * b < b",
    "a == 0 and a * b < 0",
    "a == 0 and 0 < a * b",
    "b == 0 and a * b < 0",
    "b == 0 and 0 < a * b",
    "a == 1 and b < a * b",
    "a == 1 and a * b < b",
    "b == 1 and a < a * b",
    "b == 1 and a * b < a",
    *(
        question.replace("s", shared).replace("x", x).replace("y", y)
        for shared in "amz"
        for x, y in ("gt", "tg")
        for question in (
            "0 < s and x < y and y * s < x * s + s",
            "x == y and x * s < y * s",
            "x == y and y * s < x * s",
        )
    ),
]


@pytest.mark.parametrize("question", PRODUCTS)
def test_what_is_known_of_products(question: str) -> None:
    facts = [terms.parse(part) for part in question.split(" and ")]
    assert smt.ask(facts, real_products=False, budget=smt.PRODUCTS_UNINTERPRETED)[0] == "unsatisfiable"


@pytest.mark.parametrize(
    "question",
    [
        "0 <= a and -1 <= b and a * b < 0",
        "0 <= a and 1 <= b and a * b < b",
        "1 <= a and 0 <= b and a * b < a",
        "-1 <= m and g < t and t * m < g * m + m",
        "0 < m and g <= t and t * m < g * m + m",
    ],
)
def test_what_may_be_of_products(question: str) -> None:
    facts = [terms.parse(part) for part in question.split(" and ")]
    assert smt.ask(facts, real_products=False, budget=smt.PRODUCTS_UNINTERPRETED)[0] == "unknown"
    assert smt.ask(facts, real_products=True, budget=smt.PRODUCTS_REAL)[0] == "satisfiable"


@pytest.mark.parametrize(
    "question",
    [
        "0 < p and 0 < q and x // (p * q) < x // p // q",
        "0 < p and 0 < q and x // p // q < x // (q * p)",
        "0 < p and 0 < q and x == m * p + x % p and m // q < x // (p * q)",
    ],
)
def test_a_quotient_by_a_product_is_that_of_a_quotient(question: str) -> None:
    """Where its dividend is divided by one of the factors elsewhere: it has a remainder, too, then."""
    facts = [terms.parse(part) for part in question.split(" and ")]
    assert smt.ask(facts, real_products=False, budget=smt.PRODUCTS_UNINTERPRETED)[0] == "unsatisfiable"


@given(expressions(8))
def test_polynomials_keep_the_value(t: Term) -> None:
    again = to_term(poly(t))
    for values in box():
        assert again.evaluate(values) == t.evaluate(values)
    assert poly(again) == poly(t)


@given(expressions(8))
def test_intervals_hold(t: Term) -> None:
    low, high = bound_term(t, Hypotheses().extended(BOUNDS).bounds)
    for values in box():
        v = t.evaluate(values)
        assert low is None or low <= v
        assert high is None or v <= high


PROVED_BY_RULES = [
    ("k < ceildiv(K, 64)", "0 <= k and k < ceildiv(K, 64)"),
    ("k < ceildiv(K, 64)", "1 <= K and 0 <= k and k < K // 64"),
    ("k - 1 < n", "k < n"),
    ("j < n", "j <= i and i < n"),
    ("min(max(s, 0), n - 1) < n", "1 <= n"),
    ("i * 4 + k < n * 4", "i < n and k < 4"),
    ("a % d < d", "1 <= d"),
    ("max(i - 1, 0) < ceildiv(N, 64)", "1 <= N and 0 <= i and i < ceildiv(N, 64)"),
    ("0 <= min(i + 1, ceildiv(N, 64) - 1)", "1 <= N and 0 <= i"),
    ("h // 4 < H // 4", "1 <= H and H % 4 == 0 and 0 <= h and h < H"),
    ("ceildiv(h, 4) <= H // 4", "1 <= H and H % 4 == 0 and 0 <= h and h < H"),
    ("2 * k < ceildiv(K, 64)", "1 <= K and 0 <= k and k < ceildiv(K, 128)"),
    ("2 * k + 1 < ceildiv(K, 64)", "1 <= K and K % 128 == 0 and 0 <= k and k < ceildiv(K, 128)"),
]
PROVED_BY_SOLVER = [
    ("h // G < H // G", "1 <= G and 1 <= H and H % G == 0 and 0 <= h and h < H"),
    ("i * n + j < m * n", "0 <= i and i < m and 0 <= j and j < n"),
    ("i == k or not i * n + j == k * n + l", "0 <= j and j < n and 0 <= l and l < n and 0 <= i and 0 <= k"),
]
REFUTED = [
    ("h // G < H // G", "1 <= G and 1 <= H and 0 <= h and h < H"),
    ("k + 1 < n", "k < n"),
    ("k < n", "k <= n"),
    ("0 <= k - 1", "0 <= k"),
    ("ceildiv(N, 64) * 64 <= N", "1 <= N"),
    ("a * b <= 1000000", "0 <= a and 0 <= b"),
]


def given_text(text: str) -> Hypotheses:
    return Hypotheses().extended([parse(text)])


@pytest.mark.parametrize(("goal", "facts"), PROVED_BY_RULES)
def test_rules_suffice(goal: str, facts: str) -> None:
    assert rules.holds(parse(goal), given_text(facts))


@pytest.mark.parametrize(("goal", "facts"), PROVED_BY_SOLVER)
def test_the_solver_is_needed(goal: str, facts: str) -> None:
    assert not rules.holds(parse(goal), given_text(facts))
    assert find(given_text(facts).facts, terms.negate(parse(goal))) is None
    assert prove(parse(goal), given_text(facts)).by == "solver"


@pytest.mark.parametrize(("goal", "facts"), REFUTED)
def test_refuted_with_a_witness(goal: str, facts: str) -> None:
    verdict = prove(parse(goal), given_text(facts))
    assert verdict.refuted
    assert holds_in([parse(facts), terms.negate(parse(goal))], verdict.witness)


def test_nothing_is_known_of_a_quotient_whose_divisor_may_not_be_positive() -> None:
    """A fresh quotient and remainder must not smuggle in that the divisor is positive."""
    assert not prove(parse("a % d < d"), Hypotheses()).proved
    assert not prove(parse("1 <= d"), given_text("a // d == 3")).proved
    assert not prove(parse("0 <= a // d"), given_text("0 <= a")).proved


def test_a_contradiction_is_found() -> None:
    assert satisfiable(given_text("1 <= n and n < 1")).proved
    assert satisfiable(given_text("1 <= n and n * n == 2")).proved
    assert satisfiable(given_text("1 <= n and n % 8 == 0")).refuted


def test_each_hypothesis_matters() -> None:
    """An obligation that stays proved without one of these would show that they are not used as they should be."""
    facts = ["1 <= G", "1 <= H", "H % G == 0", "0 <= h", "h < H"]
    goal = parse("h // G < H // G and 0 <= h // G")
    assert prove(goal, Hypotheses().extended(map(parse, facts))).proved
    for n in range(len(facts)):
        fewer = [*facts[:n], *facts[n + 1 :]]
        needed = prove(goal, Hypotheses().extended(map(parse, fewer)))
        # That there are heads at all follows from `0 <= h < H`.
        assert needed.proved == (facts[n] == "1 <= H"), facts[n]


def test_what_holds_exactly_if_polynomials_are_at_most_zero() -> None:
    """Conjunctions are the polynomials of both, unless one is none."""
    left, right = parse("a <= b"), parse("n < 3")
    one, other, both = at_most_zero(left), at_most_zero(right), at_most_zero(terms.both(left, right))
    assert one is not None
    assert other is not None
    assert len(one) == len(other) == 1
    assert both == (*one, *other)
    either = terms.either(left, right)
    assert at_most_zero(either) is None
    assert at_most_zero(terms.both(left, either)) is None
    assert at_most_zero(terms.both(either, left)) is None
    assert at_most_zero(parse("a == b")) == (*one, *(at_most_zero(parse("b <= a")) or ()))


MEANT = [
    "min(a, b) <= a", "min(a, b) <= b", "a <= max(a, b)", "b <= max(a, b)", "4 * (a // 4) <= a", "a < 4 * (a // 4) + 4",
    "0 <= a % 4", "a % 4 < 4", "a <= 4 * ceildiv(a, 4)", "4 * ceildiv(a, 4) < a + 4",
]  # fmt: skip


@pytest.mark.parametrize("text", MEANT)
def test_rules_know_what_operations_mean(text: str) -> None:
    """Without a solver: most kernels need none, and would be compiled more slowly with one."""
    goal = parse(text)
    assert rules.holds(goal, Hypotheses())
    assert not rules.holds(terms.negate(goal), Hypotheses())


@pytest.mark.parametrize("statuses", list(product(("proved", "refuted", "unknown"), repeat=3)))
def test_a_conjunction_is_no_more_than_its_weakest_part(
    statuses: tuple[Status, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is known of a conjunction of which a part has no answer; after one that is refuted, nothing is asked."""
    parts: dict[str, Status] = {f"s{n}": status for n, status in enumerate(statuses)}
    asked: list[str] = []

    def find_none(facts: tuple[Term, ...], goal: Term) -> None:
        del facts, goal

    def by_solver(facts: tuple[Term, ...], goal: Term, budget: int | None) -> Verdict:
        (name,) = goal.symbols()
        asked.append(name)
        return Verdict(parts[name], name)

    monkeypatch.setattr(module, "find", find_none)
    monkeypatch.setattr(module, "_by_solver", by_solver)
    found = prove(terms.all_of(*(sym(name).le(const(n)) for n, name in enumerate(parts))), Hypotheses())
    wanted = next(status for status in ("refuted", "unknown", "proved") if status in statuses)
    assert found.status == parts[found.by] == wanted
    refuted = statuses.index("refuted") if "refuted" in statuses else len(statuses)
    assert asked == list(parts)[: refuted + 1]
