"""Terms: what they print they parse to, what they fold to they evaluate to, and what is no term is refused."""

# The table of values is looked at by itself.
# pyright: reportPrivateUsage=false
from __future__ import annotations

import copy
import gc
import pickle
import sys
import threading
import weakref
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freehold.support import terms
from freehold.support.terms import Term, const, parse, sym

NAMES = ("M", "N", "x.shape[0]")
NUMBERS = st.integers(-6, 6)


def expressions() -> st.SearchStrategy[Term]:
    """Integer terms with divisors that may be anything."""
    leaf = st.one_of(st.sampled_from(NAMES).map(sym), NUMBERS.map(const))
    build = [terms.add, terms.sub, terms.mul, terms.floordiv, terms.ceildiv, terms.mod, terms.minimum, terms.maximum]

    def grow(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        return st.tuples(st.sampled_from(build), inner, inner).map(lambda x: x[0](x[1], x[2]))

    return st.recursive(leaf, grow, max_leaves=8)


def predicates() -> st.SearchStrategy[Term]:
    """Comparisons of terms, and what is made of them."""
    leaf = st.tuples(st.sampled_from(("<", "<=", "==")), expressions(), expressions()).map(lambda x: terms.compare(*x))

    def grow(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        pair = st.tuples(st.sampled_from((terms.both, terms.either)), inner, inner)
        return st.one_of(inner.map(terms.negate), pair.map(lambda x: x[0](x[1], x[2])))

    return st.recursive(leaf, grow, max_leaves=4)


ENVIRONMENTS = st.fixed_dictionaries(dict.fromkeys(NAMES, NUMBERS))


def ceildiv(a: int, b: int) -> int:
    return -(-a // b)


def value(t: Term, env: dict[str, int]) -> int | None:
    try:
        return t.evaluate(env)
    except ZeroDivisionError:
        return None


@given(st.one_of(expressions(), predicates()), ENVIRONMENTS)
def test_what_is_printed_parses_to_the_same_value(t: Term, env: dict[str, int]) -> None:
    again = parse(str(t))
    assert value(again, env) == value(t, env)
    assert str(parse(str(again))) == str(again)


@given(expressions(), ENVIRONMENTS)
def test_printed_terms_are_python(t: Term, env: dict[str, int]) -> None:
    text = str(t).replace("x.shape[0]", "X")
    scope = {"ceildiv": ceildiv, "min": min, "max": max, "X": env["x.shape[0]"], **env}
    try:
        expected: int | None = eval(text, {"__builtins__": {}}, scope)
    except ZeroDivisionError:
        expected = None
    assert value(t, env) == expected


@given(expressions(), ENVIRONMENTS)
def test_substitution_is_evaluation(t: Term, env: dict[str, int]) -> None:
    try:
        folded = t.substitute({name: const(v) for name, v in env.items()})
    except ZeroDivisionError:
        return
    if (expected := value(t, env)) is not None:
        assert folded.evaluate({}) == expected


@given(predicates(), ENVIRONMENTS)
def test_a_negation_is_the_opposite(t: Term, env: dict[str, int]) -> None:
    here, there = value(t, env), value(terms.negate(t), env)
    if here is not None and there is not None:
        assert bool(here) != bool(there)


@given(expressions(), st.integers(1, 9), st.integers(1, 9), ENVIRONMENTS)
def test_quotients_of_quotients_merge(t: Term, a: int, b: int, env: dict[str, int]) -> None:
    if (v := value(t, env)) is not None:
        assert value((t // a) // b, env) == (v // a) // b
        assert value(terms.ceildiv(terms.ceildiv(t, const(a)), const(b)), env) == ceildiv(ceildiv(v, a), b)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("1 + 2", "3"),
        ("a + 1 - 1", "a"),
        ("a - a", "0"),
        ("a * 1", "a"),
        ("a * 0", "0"),
        ("(a // 4) // 8", "a // 32"),
        ("(a + 1) * 2", "(a + 1) * 2"),
        ("a - (b - c)", "a - (b - c)"),
        ("a // (b * c)", "a // (b * c)"),
        ("not a < b", "b <= a"),
        ("a < b < c", "a < b and b < c"),
        ("a > b", "b < a"),
        ("a != b", "not a == b"),
        ("min(a, a)", "a"),
        ("ceildiv(7, 2)", "4"),
        ("x.shape[0] % 8 == 0", "x.shape[0] % 8 == 0"),
        ("-a", "0 - a"),
        ("2 + a", "a + 2"),
        ("a + 2 + 3", "a + 5"),
        ("a + 2 - 5", "a - 3"),
        ("a - 3 + 3", "a"),
        ("0 + a", "a"),
        ("1 + a + 2 + b", "a + 3 + b"),
        ("a + (b + 2)", "a + (b + 2)"),
        ("3 * 4 - 5", "7"),
        ("2 * a", "a * 2"),
        ("1 * a", "a"),
        ("0 * a", "0"),
        ("2 * a * 3", "a * 2 * 3"),
        ("a * (b * c)", "a * (b * c)"),
        ("a * b // c", "(a * b) // c"),
        ("a // 1", "a"),
        ("ceildiv(a, 1)", "a"),
        ("a % 1", "0"),
        ("7 // 2", "3"),
        ("-7 // 2", "-4"),
        ("7 // -2", "-4"),
        ("-7 % 4", "1"),
        ("7 % -4", "-1"),
        ("ceildiv(-7, 2)", "-3"),
        ("ceildiv(7, -2)", "ceildiv(7, -2)"),
        ("ceildiv(7, 0)", "ceildiv(7, 0)"),
        ("7 // 0", "7 // 0"),
        ("7 % 0", "7 % 0"),
        ("a // 4 // 1", "a // 4"),
        ("a // -4 // 8", "(a // -4) // 8"),
        ("a // 4 // -8", "(a // 4) // -8"),
        ("a // 0 // 8", "(a // 0) // 8"),
        ("a // 4 // 0", "(a // 4) // 0"),
        ("a // b // 8", "(a // b) // 8"),
        ("(a + 1) // 2", "ceildiv(a, 2)"),
        ("(a + 2) // 2", "(a + 2) // 2"),
        ("(a - 1) // 0", "(a - 1) // 0"),
        ("(a + b) // 2", "(a + b) // 2"),
        ("(a * 8) // 4", "a * 2"),
        ("(a * 4) // 4", "a"),
        ("(a * 6) // 4", "(a * 6) // 4"),
        ("(a * 8) // -4", "(a * 8) // -4"),
        ("ceildiv(a * 8, 4)", "a * 2"),
        ("ceildiv(a * b, 4)", "ceildiv(a * b, 4)"),
        ("a * 8 % 4", "(a * 8) % 4"),
        ("min(3, 5)", "3"),
        ("max(3, 5)", "5"),
        ("max(a, a)", "a"),
        ("min(a, 5)", "min(a, 5)"),
        ("max(a + 1, b * 2)", "max(a + 1, b * 2)"),
        ("a < a", "0"),
        ("a <= a", "1"),
        ("a == a", "1"),
        ("3 < 3", "0"),
        ("3 <= 3", "1"),
        ("3 == 4", "0"),
        ("3 >= 4", "0"),
        ("a >= b", "b <= a"),
        ("a != a", "0"),
        ("not 3", "0"),
        ("not 0", "1"),
        ("not not (a == b)", "a == b"),
        ("not a <= b", "b < a"),
        ("1 and a", "a"),
        ("a and 1", "a"),
        ("0 and a", "0"),
        ("a and 0", "0"),
        ("a and a", "a"),
        ("1 or a", "1"),
        ("a or 1", "1"),
        ("0 or a", "a"),
        ("a or 0", "a"),
        ("a or a", "a"),
        ("(a or b) and c", "(a or b) and c"),
        ("a or b and c", "a or b and c"),
        ("a and (b and c)", "a and (b and c)"),
        ("(a and b) and c", "a and b and c"),
        ("a or (b or c)", "a or (b or c)"),
        ("(a or b) or c", "a or b or c"),
        ("not (a and b)", "not (a and b)"),
        ("(not a == b) and c < d", "not a == b and c < d"),
        ("a - b - c", "a - b - c"),
        ("a + (b - c)", "a + (b - c)"),
        ("a - (b + c)", "a - (b + c)"),
        ("(a + b) // c", "(a + b) // c"),
        ("a // b // c", "(a // b) // c"),
        ("a % b % c", "(a % b) % c"),
        ("a // b % c", "(a // b) % c"),
        ("a + b // c", "a + b // c"),
        ("a * -3", "a * -3"),
        ("(a < b) == (c < d)", "(a < b) == (c < d)"),
        ("a + 1 < b - 1", "a + 1 < b - 1"),
        ("0 - (a // b)", "0 - a // b"),
        ("0 - ((0 - a) // b)", "ceildiv(a, b)"),
        ("1 - ((0 - a) // b)", "1 - (0 - a) // b"),
        ("0 - ((1 - a) // b)", "0 - (1 - a) // b"),
        ("cdiv(a, b)", "ceildiv(a, b)"),
        ("a <= b <= c < d", "a <= b and b <= c and c < d"),
        ("17", "17"),
        ("x.y.z[1]", "x.y.z[1]"),
    ],
)
def test_printed_forms(text: str, printed: str) -> None:
    assert str(parse(text)) == printed


@pytest.mark.parametrize("text", ["a +", "f(a)", "a / b", "a if b else c", "a is b", "1.5", "'a'", "[a]", "min(a)", "",
    "017", "not", "a.b()", "f(a, b)", "max(a, b, c)", "min(a, b=c)", "cdiv(a)", "+a", "a ** b", "a in b", "a < b is c",
    "lambda: a"])  # fmt: skip
def test_what_is_no_term_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not an expression|is not allowed"):
        parse(text)


def test_what_the_left_side_decides_is_not_asked_of_the_right_one() -> None:
    guarded = terms.parse("M <= 1 or 7 // (M - 1) < 9")
    assert [guarded.evaluate({"M": m}) for m in (1, 2)] == [1, 1]
    assert terms.parse("1 < M and 7 // (M - 1) < 2").evaluate({"M": 1}) == 0
    with pytest.raises(ZeroDivisionError):
        terms.parse("7 // (M - 1) < 9 or M <= 1").evaluate({"M": 1})


@pytest.mark.parametrize(
    ("op", "a", "b", "expected"),
    [
        ("+", 7, 2, 9), ("-", 7, 2, 5), ("*", 7, 2, 14), ("//", -7, 2, -4), ("%", -7, 4, 1), ("ceildiv", 7, 2, 4),
        ("ceildiv", -7, 2, -3), ("min", 7, 2, 2), ("min", 2, 7, 2), ("max", 7, 2, 7), ("max", 2, 7, 7), ("<", 2, 2, 0),
        ("<", 1, 2, 1), ("<=", 2, 2, 1), ("<=", 3, 2, 0), ("==", 2, 2, 1), ("==", 2, 3, 0), ("and", 2, 3, 1),
        ("and", 2, 0, 0), ("and", 0, 2, 0), ("or", 2, 0, 1), ("or", 0, 3, 1), ("or", 0, 0, 0), ("not", 0, None, 1),
        ("not", 3, None, 0),
    ],
)  # fmt: skip
def test_what_operators_are_worth(op: str, a: int, b: int | None, expected: int) -> None:
    """However they are computed: of values, of constants, and by the Python that a term is written as."""
    given_values = {"a": a} if b is None else {"a": a, "b": b}
    t = Term(op, tuple(map(sym, given_values)))
    numbers = [const(v) for v in given_values.values()]
    assert t.evaluate(given_values) == expected
    assert type(t.evaluate(given_values)) is int
    assert terms.OPERATORS[op](*numbers).evaluate({}) in (expected, a if op in ("and", "or") else expected, b)
    assert terms._EVALUATE[op](*given_values.values()) == expected
    scope: dict[str, object] = {"ceildiv": terms.rounded_up, "min": min, "max": max, "x": a, "y": b}
    assert bool(eval(terms.as_python(t, {"a": "x", "b": "y"}), scope)) == bool(expected)
    if op not in ("and", "or"):
        assert eval(terms.as_python(t, {"a": "x", "b": "y"}), scope) == expected


@pytest.mark.parametrize(
    ("text", "python"),
    [
        ("a + b * 2", "(X + (Y * (2)))"),
        ("a - -3", "(X + (3))"),
        ("not a == b", "(not (X == Y))"),
        ("min(a, ceildiv(b, 4))", "min(X, ceildiv(Y, (4)))"),
        ("a < b and max(a, 1) <= b", "((X < Y) and (max(X, (1)) <= Y))"),
        ("-5 * a", "(X * (-5))"),
    ],
)
def test_terms_as_python(text: str, python: str) -> None:
    assert terms.as_python(parse(text), {"a": "X", "b": "Y"}) == python


@pytest.mark.parametrize(
    ("of", "solutions"),
    [
        (["N"], {"N": (0, "0", 1)}),
        (["N", "N"], {"N": (0, "0", 1)}),
        (["2 * N + 3", "N"], {"N": (1, "0", 1)}),
        (["2 * N + 3"], {"N": (0, "3", 2)}),
        (["3 - N"], {"N": (0, "3", -1)}),
        (["M - 2 * N", "M"], {"M": (1, "0", 1), "N": (0, "M", -2)}),
        (["K + N", "M + N", "M"], {"M": (2, "0", 1), "N": (1, "M", 1), "K": (0, "N", 1)}),
        (["2 * (N + M)", "M"], {"M": (1, "0", 1), "N": (0, "M * 2", 2)}),
        (["(N + 1) * -3"], {"N": (0, "-3", -3)}),
        (["M * N", "M"], {"M": (1, "0", 1)}),
        (["N + M // 2", "M"], {"M": (1, "0", 1), "N": (0, "M // 2", 1)}),
        (["M + N"], {}),
        (["4"], {}),
    ],
)
def test_what_determines_symbols(of: list[str], solutions: dict[str, tuple[int, str, int]]) -> None:
    found = terms.solved([parse(text) for text in of])
    assert {name: (s.at, str(s.offset), s.factor) for name, s in found.items()} == solutions
    assert [*found] == [*solutions]  # those first that others rest on


def test_each_term_is_folded_once_and_what_is_known_not_at_all() -> None:
    shared = parse("a + b")
    seen: list[str] = []

    def node(t: Term, values: list[int]) -> int:
        seen.append(str(t))
        return sum(values)

    known = {sym("b"): 10}
    whole = terms.mul(shared, terms.sub(shared, sym("c")))
    assert whole.fold(lambda _: 1, node, known) == 23  # pyright: ignore[reportArgumentType] -- a list is a sequence
    assert seen == ["a + b", "a + b - c", "(a + b) * (a + b - c)"]
    assert known[shared] == 11
    assert [str(t) for t in shared.walk()] == ["a + b", "a", "b"]
    assert str(shared.substitute({"a": const(2), "b": parse("c + 1")})) == "c + 3"


def test_numbers_are_terms_among_terms() -> None:
    a = sym("a")
    made = [a + 1, 1 + a, a - 1, 1 - a, a * 2, 2 * a, a // 2, a % 2, a.lt(1), a.le(1), a.eq(1)]
    assert [*map(str, made)] == [
        "a + 1", "a + 1", "a - 1", "1 - a", "a * 2", "a * 2", "a // 2", "a % 2", "a < 1", "a <= 1", "a == 1",
    ]  # fmt: skip
    assert terms.term(3) is const(3)
    assert terms.term(a) is a
    assert repr(a) == "Term(op='sym', args=(), name='a', value=0)"
    assert (a.is_const, const(3).is_const, terms.TRUE.value, terms.FALSE.value) == (False, True, 1, 0)
    assert terms.Solution(0, const(3), 2).of(11, {}) == 4
    assert terms.rounded_up(7, 2) == 4


def test_symbols_are_those_that_occur() -> None:
    assert parse("min(M, N // 2) < x.shape[0]").symbols() == {"M", "N", "x.shape[0]"}
    with pytest.raises(KeyError):
        sym("M").evaluate({})


def test_quotients_that_are_rounded_up_are_one_term_however_they_are_spelled() -> None:
    spelled = ("ceildiv(M, 32)", "cdiv(M, 32)", "(M + 31) // 32", "(M + 32 - 1) // 32", "-(-M // 32)")
    assert {str(parse(text)) for text in spelled} == {"ceildiv(M, 32)"}
    assert str(parse("-(-M // N)")) == "ceildiv(M, N)"
    assert str(parse("(M + 30) // 32")) == "(M + 30) // 32"


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), NUMBERS), min_size=1, max_size=4),
    st.fixed_dictionaries({"M": st.integers(1, 50), "N": st.integers(1, 50)}),
)
def test_symbols_are_found_again(made: list[tuple[int, int, int]], env: dict[str, int]) -> None:
    """Of terms that are affine in them, from what the terms are worth."""
    given_terms = [sym("M") * m + sym("N") * n + k for m, n, k in made]
    numbers = [t.evaluate(env) for t in given_terms]
    found: dict[str, int] = {}
    for name, solution in terms.solved(given_terms).items():
        found[name] = solution.of(numbers[solution.at], found)
        assert found[name] == env[name]
    for t in given_terms:  # whatever has one unknown determines it
        assert len(t.symbols() - found.keys()) != 1 or _coefficient(t, *(t.symbols() - found.keys())) == 0


def _coefficient(t: Term, name: str) -> int:
    zeros: dict[str, int] = dict.fromkeys(NAMES, 0)
    return t.evaluate(zeros | {name: 1}) - t.evaluate(zeros)


@pytest.mark.parametrize("text", ["N // 2", "M * N", "min(N, 4)", "N * N", "N % 8", "N - N + 4", "ceildiv(N, 4)"])
def test_what_is_no_affine_term_of_one_unknown_determines_nothing(text: str) -> None:
    assert terms.solved([parse(text)]) == {}


def test_a_conjunction_is_all_its_parts() -> None:
    a, b, c, d = (sym(name).lt(const(1)) for name in "abcd")
    assert [*terms.conjuncts(terms.all_of(a, terms.all_of(b, c), d))] == [a, b, c, d]
    assert [*terms.conjuncts(a)] == [a]
    assert [*terms.conjuncts(terms.all_of())] == [terms.TRUE]


@pytest.mark.parametrize("divide", [terms.floordiv, terms.ceildiv, terms.mod])
def test_a_quotient_by_zero_has_no_value_and_stays_a_term(divide: Callable[[Term, Term], Term]) -> None:
    quotient = divide(terms.mul(sym("M"), const(4)), const(0))
    with pytest.raises(ZeroDivisionError):
        quotient.evaluate({"M": 3})


def test_equal_terms_are_one_object_as_long_as_somebody_has_it() -> None:
    kept = sym("somebodys") + 1
    assert kept is parse("somebodys + 1")
    assert pickle.loads(pickle.dumps(kept)) is kept
    assert copy.deepcopy(kept) is kept
    left = weakref.ref(kept)
    del kept
    gc.collect()
    assert left() is None


def test_threads_make_one_term_between_them() -> None:
    start, before = threading.Barrier(8), sys.getswitchinterval()

    def make(_: int) -> list[Term]:
        start.wait()
        return [sym(f"of all threads {n}") for n in range(200)]

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(make, range(8)))
    finally:
        sys.setswitchinterval(before)
    assert all(len({id(t) for t in same}) == 1 for same in zip(*made, strict=True))


AS_WRITTEN = [
    "x // 0", "x % 0", "x // 0 // 2", "x // 2 // 0", "x // -2 // 2", "x // 2 // -2", "ceildiv(x, 0)", "ceildiv(x, -2)",
    "x * 2 // 0", "x * 3 // 2", "x * 2 // -2", "(x + 1) // 1 * 0 + y // 2", "(x + 2) // 2", "(x + 1) // 3", "x * 0",
    "x % 1", "x // 1", "0 // x", "0 % x", "1 * x", "x - x", "x + 0", "0 + x", "x - 0", "min(x, x)", "max(x, x)",
    "min(x, 3)", "min(2, 3)", "x + 1 + 2", "x - 1 - 2", "x + 1 - 1", "x * 2 * 3", "2 * x", "x // 2 // 3", "7 // 2",
    "-7 // 2", "7 % -2", "ceildiv(7, 2)", "(x + 3) // 4", "x * 4 // 2", "x * 4 % 2", "(x * 4 + 1) % 2", "x // x",
    "x < 0 and not y == 0", "not y == 0 and x < 0", "x < 0 or not y == 0", "not (x < 0 and y < 0)",
    "not (x < 0 or y < 0)",
    "x < 0 and y < 0 and x < y", "x < 0 and (y < 0 and x < y)", "(x < 0 or y < 0) and x < y",
    "x < 0 or y < 0 and x < y",
]  # fmt: skip


def test_what_is_written_becomes(golden: Callable[[Path, str], None]) -> None:
    """Terms as they are kept: folded and gathered where that changes no value, and else as they are written."""
    found = [f"{text:28} {parse(text)}" for text in AS_WRITTEN]
    golden(Path(__file__).with_name("terms.txt"), "\n".join(found))


JOINED = ["+", "-", "*", "//", "%", "ceildiv", "min", "max", "<", "<=", "==", "and", "or"]
FOLDED = JOINED[:8]


def test_what_each_operator_is_with_each(golden: Callable[[Path, str], None]) -> None:
    """With the parentheses that it needs, and folded where that changes no value: by each other, and by numbers."""
    x, y, z = sym("x"), sym("y"), sym("z")
    make = terms.OPERATORS

    def shown(found: Iterable[Term]) -> str:
        return "; ".join(map(str, found))

    found: list[str] = []
    for outer in JOINED:
        found.append(f"{outer}: on the left {shown(make[outer](make[inner](x, y), z) for inner in JOINED)}")
        found.append(f"{outer}: on the right {shown(make[outer](z, make[inner](x, y)) for inner in JOINED)}")
        found.append(f"{outer}: of numbers {shown(make[outer](x, const(n)) for n in range(-2, 4))}")
        found.append(f"{outer}: of numbers on the left {shown(make[outer](const(n), x) for n in range(-2, 4))}")
        found.append(f"{outer}: of one {make[outer](x, x)}; not {make['not'](make[outer](x, y))}")
    for inner, outer in product(FOLDED, repeat=2):
        made = (make[outer](make[inner](x, const(m)), const(n)) for m in (2, 3) for n in (-2, 0, 1, 2, 4, 6))
        found.append(f"{inner} 2 or 3, {outer} -2, 0, 1, 2, 4, 6: {shown(made)}")
    golden(Path(__file__).with_name("nested_terms.txt"), "\n".join(found))
