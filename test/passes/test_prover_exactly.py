"""
What the prover's rules and its search find, exactly: bounds that are tight, sums of facts, numbers that are tried.

`test_prover.py` shows that nothing false is proved. A rung that proves less than it should is no error: each kernel is
compiled more slowly then, or is refused. Here it is one.
"""

# Pieces of the search are looked at by themselves.
# pyright: reportPrivateUsage=false
from __future__ import annotations

from itertools import product

import pytest

from freehold.passes.prover import hypotheses, polynomials, rules, search
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.passes.prover.polynomials import Bounds, bound_term, combine, poly, to_term
from freehold.support import terms
from freehold.support.terms import Term, parse, sym


def assumed(*texts: str) -> Hypotheses:
    return Hypotheses().extended(map(parse, texts))


BOX = {"a": (-3, 4), "b": (2, 5), "c": (0, 2), "d": (-5, -2), "e": (6, 9), "f": (1, 3), "h": (-3, 0)}
TIGHT = [
    "a + b", "a - b", "2 * a - 3 * b + 1", "a * b", "a * d", "d * e", "a * a", "d * d", "d * d * e",
    "b * c * a", "min(a, b)", "max(a, b)", "min(e, b)", "max(d, c)", "a % b", "c % b", "c % e", "e % b", "a // b",
    "e // b", "d // b", "c // b", "ceildiv(a, b)", "ceildiv(e, b)", "ceildiv(d, b)", "ceildiv(c, b)", "a < b",
    "a <= b and b <= c", "not a == b", "a == b or b == c", "(a + b) % e", "(a // b) * e", "7", "0 - a", "e * (a // b)",
    "a // f", "a % f", "ceildiv(a, f)", "c * c", "h * h", "c // f", "h // f", "ceildiv(h, f)", "ceildiv(c, f)", "h * f",
    "c * h", "h * h * c", "c % f", "e % f", "h // f * e",
]  # fmt: skip


@pytest.mark.parametrize("text", TIGHT)
def test_bounds_are_those_of_all_values(text: str) -> None:
    term = parse(text)
    names = sorted(term.symbols())
    ranges = (range(BOX[name][0], BOX[name][1] + 1) for name in names)
    values = {term.evaluate(dict(zip(names, each, strict=True))) for each in product(*ranges)}
    facts = (f"{low} <= {name} and {name} <= {high}" for name, (low, high) in BOX.items())
    expected = (0, 1) if "<" in text or "==" in text else (min(values), max(values))
    assert bound_term(term, assumed(*facts).bounds) == expected


OPEN = [  # m is at least 2, w at most 7, z at least 0, u anything
    ("m", (2, None)),
    ("w", (None, 7)),
    ("u", (None, None)),
    ("m + 3", (5, None)),
    ("m + w", (None, None)),
    ("m - w", (-5, None)),
    ("w - m", (None, 5)),
    ("3 * m", (6, None)),
    ("1 - 3 * m", (None, -5)),
    ("m * z", (0, None)),
    ("m * w", (None, None)),
    ("w * w", (0, None)),
    ("u * u", (0, None)),
    ("m * m", (0, None)),
    ("m * m * m", (0, None)),
    ("u * u * u", (None, None)),
    ("min(m, 5)", (2, 5)),
    ("min(u, 5)", (None, 5)),
    ("min(u, w)", (None, 7)),
    ("min(m, u)", (None, None)),
    ("max(w, 5)", (5, 7)),
    ("max(u, 5)", (5, None)),
    ("max(m, u)", (2, None)),
    ("max(w, u)", (None, None)),
    ("u % m", (0, None)),
    ("u % 8", (0, 7)),
    ("m % 8", (0, 7)),
    ("w % m", (0, None)),
    ("u % z", (None, None)),
    ("u % w", (None, None)),
    ("min(max(u, 0), 5) % m", (0, 5)),
    ("min(max(u, 3), 5) // m", (0, 2)),
    ("ceildiv(min(max(u, 3), 5), m)", (1, 3)),
    ("ceildiv(min(max(u, 0), 5), m)", (0, 3)),
    ("min(max(u, -5), -3) // m", (-3, -1)),
    ("ceildiv(min(max(u, -5), -3), m)", (-2, 0)),
    ("m // 4", (0, None)),
    ("w // 4", (None, 1)),
    ("ceildiv(w, 4)", (None, 2)),
    ("m // z", (None, None)),
    ("ceildiv(m, w)", (None, None)),
    ("u < w", (0, 1)),
    ("u % p", (0, None)),  # p is at least 1
    ("w % p", (0, None)),
    ("w // p", (None, 7)),
    ("z // p", (0, None)),
    ("ceildiv(z, p)", (0, None)),
    ("min(z, 5) // p", (0, 5)),
    ("ceildiv(min(z, 5), p)", (0, 5)),
    ("min(z, 5) % p", (0, 5)),
    ("ceildiv(w, p)", (None, 7)),
    ("u * m", (None, None)),
    ("p * m", (2, None)),
    ("z * p", (0, None)),
    ("z * z", (0, None)),
    ("(z + 1) // p * m", (0, None)),
]


@pytest.mark.parametrize(("text", "interval"), OPEN)
def test_bounds_where_some_are_missing(text: str, interval: tuple[int | None, int | None]) -> None:
    assert bound_term(parse(text), assumed("2 <= m", "w <= 7", "0 <= z", "1 <= p").bounds) == interval


@pytest.mark.parametrize(
    ("fact", "text", "interval"),
    [
        ("3 * m <= 7", "m", (None, 2)),
        ("3 * m < 7", "m", (None, 2)),
        ("3 * m < 6", "m", (None, 1)),
        ("4 <= 3 * m", "m", (2, None)),
        ("3 < 3 * m", "m", (2, None)),
        ("-7 <= 3 * m", "m", (-2, None)),
        ("3 * m <= -7", "m", (None, -3)),
        ("m == 5", "m", (5, 5)),
        ("1 <= m and m <= 9 and 3 <= m and m <= 7", "m", (3, 7)),
        ("m * n <= 9 and 4 <= m * n", "n * m", (4, 9)),
        ("m // n < 4", "m // n", (None, 3)),
        ("m + n <= 9", "m", (None, None)),
        ("m < 4 or n < 4", "m", (None, None)),
        ("not m == 4", "m", (None, None)),
    ],
)
def test_bounds_that_an_assumption_gives(fact: str, text: str, interval: tuple[int | None, int | None]) -> None:
    assert bound_term(parse(text), assumed(fact).bounds) == interval


def test_bounds_that_were_found_are_found_again_when_more_is_known() -> None:
    bounds = Bounds({(sym("m"),): (0, 9)})
    assert bound_term(parse("m // 2 + 1"), bounds) == (1, 5)
    bounds[sym("m"),] = (4, 5)
    assert bound_term(parse("m // 2 + 1"), bounds) == (3, 3)


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("b + a", "a + b"),
        ("a - b + b", "a"),
        ("a - a - b", "0 - b"),
        ("2 * a - 3 * b + 1", "a * 2 + 1 - b * 3"),
        ("1 - a", "1 - a"),
        ("-3 - a * b", "0 - (a * b + 3)"),
        ("b * a * 2 - a * b", "a * b"),
        ("(a + b) * (a - b)", "a * a - b * b"),
        ("(a + 1) * (a + 1)", "a * 2 + a * a + 1"),
        ("a // b * 2 + a % b", "a % b + a // b * 2"),
        ("(a + b) // 2 - 4", "(a + b) // 2 - 4"),
        ("0 * a", "0"),
    ],
)
def test_polynomials_are_written_down(text: str, again: str) -> None:
    assert str(to_term(poly(parse(text)))) == again


def test_products_of_long_sums_stay_products() -> None:
    def total(letter: str, count: int) -> Term:
        return parse(" + ".join(f"{letter}{n}" for n in range(count)))

    assert len(poly(terms.mul(total("a", 8), total("b", 8)))) == 64
    whole = terms.mul(total("a", 13), total("b", 5))
    assert poly(whole) == {(whole,): 1}


def test_sums_of_polynomials() -> None:
    a, b = poly(parse("x + 2 * y + 3")), poly(parse("x - y"))
    assert combine(a, 1, b, 1) == poly(parse("2 * x + y + 3"))
    assert combine(a, 1, b, -1) == poly(parse("3 * y + 3"))
    assert combine(a, 1, b, 2) == poly(parse("3 * x + 3"))
    assert combine(a, 0, b, -2) == poly(parse("2 * y - 2 * x"))
    assert combine(a, 2, {}, 5) == poly(parse("2 * x + 4 * y + 6"))
    assert polynomials.size(next(iter(poly(parse("x * yyy"))))) == 4
    assert [*map(str, polynomials.atoms(poly(parse("x * y + y * z + 3"))))] == ["x", "y", "z"]


# --- Hypotheses -------------------------------------------------------------------------------------------------------


def test_hypotheses_are_their_parts_and_stay_as_they_are() -> None:
    first = assumed("a <= b and b <= c", "0 <= a")
    more = first.extended([parse("c <= 9"), parse("0 <= a"), parse("a + b <= c")])
    assert [*map(str, first.facts)] == ["a <= b", "b <= c", "0 <= a"]
    assert [*map(str, more.facts)] == ["a <= b", "b <= c", "0 <= a", "c <= 9", "a + b <= c"]
    assert [len(h.inequalities) for h in (first, more)] == [2, 3]
    assert [bound_term(sym("c"), h.bounds) for h in (first, more)] == [(None, None), (None, 9)]
    assert parse("c <= 9") in more
    assert parse("c <= 9") not in first
    assert terms.TRUE in first
    assert [h.mentioning((sym("b"),)) for h in (first, more)] == [[*h.inequalities] for h in (first, more)]
    assert more.mentioning((sym("a"),)) == [more.inequalities[0], more.inequalities[2]]
    assert more.mentioning((sym("x"),)) == []


def test_what_matters_to_a_goal() -> None:
    given = assumed("a <= b", "x <= y", "c <= d", "b <= c", "y <= 3")
    assert [*map(str, given.relevant(parse("0 <= a")))] == ["a <= b", "c <= d", "b <= c"]
    assert [*map(str, given.relevant(parse("y <= 4")))] == ["x <= y", "y <= 3"]
    assert given.relevant(parse("0 <= other")) == ()
    assert Hypotheses().extended([terms.FALSE]).relevant(parse("0 <= a")) == (terms.FALSE,)


def test_predicates_as_polynomials_at_most_zero() -> None:
    def polynomials_of(text: str) -> list[str] | None:
        found = hypotheses.at_most_zero(parse(text))
        return None if found is None else [str(to_term(p)) for p in found]

    assert polynomials_of("a < b") == ["a + 1 - b"]
    assert polynomials_of("a <= b + 2") == ["a - (b + 2)"]
    assert polynomials_of("a == b") == ["a - b", "b - a"]
    assert polynomials_of("1 < 2") == []
    assert polynomials_of("2 < 1") == ["1"]
    assert polynomials_of("not a == b") is None
    assert polynomials_of("a < b and b < 3") == ["a + 1 - b", "b - 2"]
    assert polynomials_of("a < b and not b == 3") is None
    assert polynomials_of("not b == 3 and a < b") is None


# --- Rules ------------------------------------------------------------------------------------------------------------

FOLLOWS = [  # ... from the first, and not without it
    ("1 <= b", "b * (a // b) <= a"),
    ("1 <= b", "a < b * (a // b) + b"),
    ("1 <= b and a % b == 0", "a <= b * (a // b)"),
    ("1 <= b and 0 <= a", "a // b <= a"),
    ("1 <= b and 0 <= a", "0 <= a // b"),
    ("1 <= b", "a <= b * ceildiv(a, b)"),
    ("1 <= b", "b * ceildiv(a, b) < a + b"),
    ("1 <= b and a % b == 0", "b * ceildiv(a, b) <= a"),
    ("1 <= b and 0 <= a", "ceildiv(a, b) <= a"),
    ("1 <= b and 1 <= a", "1 <= ceildiv(a, b)"),
    ("1 <= b", "0 <= a % b"),
    ("1 <= b", "a % b < b"),
    ("1 <= b and 0 <= a", "a % b <= a"),
    ("a < b", "not a == b"),
    ("b < a", "not a == b"),
    ("a < c and b < c", "max(a, b) < c"),
    ("a < c", "min(a, b) < c"),
    ("c <= a and c <= b", "c <= min(a, b)"),
    ("c <= b", "c <= max(a, b)"),
    ("a <= b and b <= a", "a == b"),
    ("a < 3", "a < 3 or b < 3"),
    ("b < 3", "a < 3 or b < 3"),
    ("b < 3 and a < 3", "not (3 <= a or 3 <= b)"),
    ("b < 3", "not (3 <= a and 3 <= b)"),
    ("2 * a <= b and b <= 7", "a <= 3"),
    ("2 * a + 2 * b <= 7", "a + b <= 3"),
    ("3 <= 2 * a - 2 * b", "2 <= a - b"),
    ("3 * a <= 2 * b and 2 * b <= 3 * c + 2", "a <= c"),
    ("a <= b and 0 <= c and b <= d", "a - c <= d"),
]


@pytest.mark.parametrize(("facts", "goal"), FOLLOWS)
def test_what_follows_from_which_facts(facts: str, goal: str) -> None:
    parts = [*terms.conjuncts(parse(facts))]
    assert rules.holds(parse(goal), Hypotheses().extended(parts))
    for left in parts:  # `0 <= a` does not go without saying, and neither does that a divisor is positive
        fewer = [part for part in parts if part is not left]
        assert not rules.holds(parse(goal), Hypotheses().extended(fewer)), left


def test_one_case_is_the_other_where_that_does_not_hold() -> None:
    assert rules.holds(parse("a < 3 or 3 <= a"), Hypotheses())
    assert rules.holds(parse("a < 3 or 2 <= a"), Hypotheses())
    assert not rules.holds(parse("a < 3 or 4 <= a"), Hypotheses())
    assert rules.holds(terms.TRUE, Hypotheses())
    assert not rules.holds(terms.FALSE, Hypotheses())
    assert not rules.holds(sym("p"), Hypotheses())
    assert rules.holds(sym("p"), Hypotheses().extended([sym("p")]))


def test_how_far_rules_look() -> None:
    """Five facts are added up and two alternatives told apart; what needs more is the solver's."""
    chain = [f"x{n} <= x{n + 1}" for n in range(6)]
    assert rules.holds(parse("x0 <= x5"), assumed(*chain))
    assert not rules.holds(parse("x0 <= x6"), assumed(*chain))
    deep = "((a < 0 or b < 0) or c < 0)"
    assert rules.holds(parse(deep), assumed("a < 0"))
    assert not rules.holds(parse(f"({deep} or d < 0)"), assumed("a < 0"))
    assert rules.holds(parse("c < 0 or (b < 0 or a < 0)"), assumed("a < 0"))
    assert not rules.holds(parse("d < 0 or (c < 0 or (b < 0 or a < 0))"), assumed("a < 0"))
    assert rules.holds(parse("b < 0 or (c < 0 or 0 <= b)"), Hypotheses())
    assert not rules.holds(parse("b < 0 or (c < 0 or (d < 0 or 0 <= b))"), Hypotheses())
    assert rules.holds(parse("max(max(a, b), c) < e"), assumed("a < e", "b < e", "c < e"))
    assert not rules.holds(parse("max(max(max(a, b), c), d) < e"), assumed("a < e", "b < e", "c < e", "d < e"))
    assert rules.holds(parse("not (3 <= a and not (b < 3 or c < 3))"), assumed("a < 3"))
    assert not rules.holds(parse("not (3 <= a and not (b < 3 or c < 3))"), assumed("c < 3"))  # one step more
    assert rules.holds(parse("not (3 <= a or not (b < 3 and c < 3))"), assumed("a < 3", "b < 3", "c < 3"))


def test_ranges() -> None:
    given = assumed("0 <= a and a < n", "n <= b and b <= 9")
    assert rules.in_range(parse("a + 1"), 1, 9, given)
    assert not rules.in_range(parse("a + 1"), 2, 9, given)
    assert not rules.in_range(parse("a + 1"), 1, 8, given)
    assert rules.in_range(parse("b"), -5, 9, assumed("0 <= b and b <= 9"))
    assert not rules.in_range(parse("b"), 0, 8, assumed("0 <= b and b <= 9"))
    assert not rules.in_range(parse("b"), 1, 9, assumed("0 <= b and b <= 9"))


# --- Search -----------------------------------------------------------------------------------------------------------

FOUND = [  # small numbers first, and 1 before them
    ("1 <= N", {"N": 1}),
    ("N < 0", {"N": -1}),
    ("N < 1", {"N": 0}),
    ("2 <= N", {"N": 2}),
    ("not N == 1 and 0 <= N", {"N": 2}),
    ("5 <= N", {"N": 5}),
    ("N <= -5", {"N": -(2**63)}),
    ("N <= -5 and -9 <= N", {"N": -9}),
    ("5 < N and N < 7", {"N": 6}),
    ("3 * N <= 51 and 51 <= 3 * N", {"N": 17}),
    ("3 * N == 51", None),
    ("N % 64 == 1 and 2 <= N", {"N": 65}),
    ("N % 64 == 63 and 2 <= N", {"N": 2**63 - 1}),
    ("N % 64 == 62 and 2 <= N and N < 200", {"N": 62}),
    ("N % 128 == 0 and 129 <= N and N < 100000", {"N": 256}),
    ("N * N == 4096 and 0 <= N", {"N": 64}),
    ("M == N + 3 and N == 4", {"M": 7, "N": 4}),
    ("N < M and M <= 3 and 2 <= N", {"N": 2, "M": 3}),
    ("K < ceildiv(N, 64) and 1 <= K and 0 <= N and N < 99", {"K": 1, "N": 98}),
    ("not (N < 7 or 7 < N)", {"N": 7}),
    ("(N == 100 or N == 200) and 150 <= N and N <= 250", {"N": 200}),
    ("7 // N == 7 and 0 <= N", {"N": 1}),
    ("N == M and M == N + 1", None),
    ("N < N", None),
    ("1 <= N and N <= 0", None),
]


@pytest.mark.parametrize(("text", "values"), FOUND)
def test_the_counterexample_that_is_found(text: str, values: dict[str, int] | None) -> None:
    assert search.find([], parse(text)) == values
    assert search.find([parse(text)], terms.TRUE) == values


@pytest.mark.parametrize(
    ("text", "isolated"),
    [
        ("N + 3 < M", "N + 3 < M"),
        ("N + 3 <= M * 2", "N <= M * 2 - 3"),
        ("N + 3 < M * 2", "N <= M * 2 - 4"),
        ("M % 2 <= N + 3", "M % 2 - 3 <= N"),
        ("M % 2 < N + 3", "M % 2 - 2 <= N"),
        ("N * 3 <= M", "N * 3 <= M"),
        ("N * 3 <= M + 4", "N <= (M + 4) // 3"),
        ("N * 3 < M + 4", "N <= (M + 3) // 3"),
        ("M % 7 <= N * 3", "ceildiv(M % 7, 3) <= N"),
        ("M % 7 < N * 3", "ceildiv(M % 7 + 1, 3) <= N"),
        ("M * 2 <= N * 3", "M <= N * 3 // 2"),
        ("7 <= N * 3", "3 <= N"),
        ("7 < N * 3", "3 <= N"),
        ("6 <= N * 3", "2 <= N"),
        ("6 < N * 3", "3 <= N"),
        ("N // 4 <= 2", "N <= 11"),
        ("N // 4 < 2", "N <= 7"),
        ("2 <= N // 4", "8 <= N"),
        ("2 < N // 4", "12 <= N"),
        ("ceildiv(N, 4) <= 2", "N <= 8"),
        ("ceildiv(N, 4) < 2", "N <= 4"),
        ("2 <= ceildiv(N, 4)", "5 <= N"),
        ("2 < ceildiv(N, 4)", "9 <= N"),
        ("(N + 1) // 4 * 2 < 8", "N <= 14"),
        ("N < M + 3", "N < M + 3"),
        ("N * M <= 3", "N * M <= 3"),
        ("N * -2 <= 3", "N * -2 <= 3"),
        ("N + 3 == M + 1", "N + 3 == M + 1"),
        ("N % 4 <= 2", "N % 4 <= 2"),
    ],
)
def test_one_symbol_alone_on_a_side(text: str, isolated: str) -> None:
    p, q = parse(text), search._isolated(parse(text))
    assert hypotheses.at_most_zero(q) == hypotheses.at_most_zero(parse(isolated))
    for m, n in product(range(-15, 16), repeat=2):
        assert p.evaluate({"N": n, "M": m}) == q.evaluate({"N": n, "M": m})


def test_numbers_that_are_worth_trying() -> None:
    assert search._pool([parse("N + 3 < 40 and M % 64 == N // -64"), parse("N <= 2147483647")]) == [
        40, 41, 39, 64, 65, 63, 80, 128, 64, 4096, 65536,
    ]  # fmt: skip
    many = [parse(f"N < {n}") for n in range(4, 30)]
    assert search._pool(many)[::3][:12] == [*range(4, 16)]
    assert len(search._pool(many)) == 3 * 12 + 12 + 3


def test_values_hold_only_where_they_mean_something() -> None:
    assert search.holds_in([parse("N < 3"), parse("M == 4")], {"N": 2, "M": 4})
    assert not search.holds_in([parse("N < 3"), parse("M == 4")], {"N": 3, "M": 4})
    assert not search.holds_in([parse("7 // N < 9")], {"N": 0})
    assert not search.holds_in([parse("N < 3")], {})
    assert search.compiled(parse("min(N, 4) * 2 - ceildiv(M, N)"))({"N": 3, "M": 7}) == 3


def planned(*texts: str) -> list[search._Level]:
    return search._plan([parse(text) for text in texts])


def test_symbols_that_bound_others_come_first() -> None:
    assert [level.name for level in planned("N <= 3", "M <= N", "K < M")] == ["N", "M", "K"]
    assert [level.name for level in planned("A <= B", "B <= C", "C <= D")] == ["A", "B", "C", "D"]
    assert [level.name for level in planned("B <= A", "C <= A", "B <= 3")] == ["B", "A", "C"]
    assert [level.name for level in planned("A + 1 <= Z", "Z < B % 2")] == ["A", "B", "Z"]
    assert [level.name for level in planned("B % 2 == 1", "A % 2 == 1")] == ["A", "B"]
    assert [level.name for level in planned("A <= B", "B <= A", "C <= A")] == ["B", "A", "C"]


def test_what_is_known_of_a_symbol_when_it_gets_a_value() -> None:
    texts = ("3 <= N", "N < 9", "2 < M", "M <= N + 1", "N // 4 < M", "K == M * 2", "K % 2 == 0")
    n, m, k = planned(*texts)
    values = {"N": 7, "M": 5}
    assert [level.name for level in (n, m, k)] == ["N", "M", "K"]
    assert [(level.low, level.high) for level in (n, m, k)] == [(3, 8), (3, 2**63), (-(2**63), 2**63)]
    assert [f(values) for f in m.below] == [8]
    assert [f(values) for f in m.above] == [2]
    assert [f(values) for f in k.equal] == [10]
    assert [len(level.checks) for level in (n, m, k)] == [0, 0, 2]
    either = planned("N == 2", "M == N or M < N + 3 or 7 == M")
    assert [level.name for level in either] == ["N", "M"]
    assert [f({"N": 2}) for f in either[1].likely] == [2, 5, 7]
    assert planned("N == 2", "M == N")[1].likely == []


def candidates(level: search._Level, few: bool, pool: tuple[int, ...] = (), **values: int) -> list[int]:
    return [*search._Search([level], pool, few, 100, dict(values)).candidates(level)]


def test_which_values_are_tried() -> None:
    (free,) = planned("N % 2 == 0")
    ends = [-(2**63), 2**63]
    assert candidates(free, True) == [1, 2, 0, *ends, 3, 4, -1]
    assert candidates(free, False, (40, 1)) == [1, 2, 0, 3, 4, -1, *ends, 1 - 2**63, 2**63 - 1, 40]
    (between,) = planned("2 <= N", "N <= 5")
    assert candidates(between, True, (40,)) == [2, 3, 4, 5]
    assert candidates(between, False, (1, 2, 5, 6)) == [2, 3, 4, 5]
    (one,) = planned("7 <= N", "N <= 7")
    assert candidates(one, True) == candidates(one, False, (8,)) == [7]
    assert candidates(planned("7 <= N", "N < 7")[0], False) == []
    m = planned("N == 8", "N // 2 < P", "P <= N")[1]
    assert candidates(m, True, N=8) == [5, 8]
    assert candidates(m, False, (4, 5, 8, 9), N=8) == [5, 8, 6, 7]
    m = planned("N == 8", "P == 2 * N", "P == 3 * N", "P <= 20", "0 <= P")[1]
    assert candidates(m, True, N=8) == [16]
    assert candidates(planned("N == 0", "P < 7 // N")[1], True, N=0) == []
    m = planned("N == 8", "P == N or P == 2 * N", "0 <= P", "P <= N * 2")[1]
    assert candidates(m, True, N=8) == [8, 9, 7, 1, 2, 0, 16, 3, 4]
    assert candidates(m, False, N=8) == [1, 2, 0, 3, 4, 16, 15, 8, 9, 7]


def test_the_work_of_a_search_is_bounded() -> None:
    plan = planned("0 <= N", "N <= 9", "N % 7 == 6")
    spent: list[tuple[int, bool]] = []
    for left in (0, 4, 5, 6, 7):
        one = search._Search(plan, [6], few=False, left=left)
        spent.append((left, one.level(0)))
    # 1, 2, 0, 3, 4, 9, 8, 6: ends stand in front of the pool
    assert spent == [(0, False), (4, False), (5, False), (6, False), (7, False)]
    assert search._Search(plan, [6], few=False, left=8).level(0)
    assert search._Search(plan, [5], few=False, left=100).level(0) is False
    assert search.find([parse("1 < 0")], parse("N < 3")) is None
    assert search.find([parse("7 // N < 9")], parse("0 <= N and N < 2")) == {"N": 1}


def test_reduced_inequalities_and_what_defines_atoms() -> None:
    def reduced(text: str) -> str:
        return str(to_term(rules._reduced(poly(parse(text)))))

    assert reduced("4 * a + 6 * b - 7") == "a * 2 + b * 3 - 3"  # ... is at most 3.5, so 3
    assert reduced("4 * a + 6 * b + 7") == "a * 2 + b * 3 + 4"
    assert reduced("2 * a - 4 * b + 8") == "a + 4 - b * 2"
    assert reduced("3 * a + 2 * b - 7") == "a * 3 + b * 2 - 7"
    counts = {"min(a, b)": 2, "max(a, b)": 2, "a // b": 5, "ceildiv(a, b)": 5, "a % b": 3, "a": 0}
    assert {text: len(rules.defining(parse(text))) for text in counts} == counts
    assert rules.defining(parse("a < b")) == ()
