"""
Random index maps against enumeration: of what is accepted, every small launch that passes its checks has regions that
are different, in bounds, and all of them; and what is refused with a witness is wrong somewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import count, product
from types import CodeType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold import Mut, Out
from freehold.dialects.ownership import Duty, DutyAttr, Rung, duties_of
from freehold.passes.analysis.injectivity import Outcome
from freehold.passes.pipeline import contract
from freehold.support import terms
from freehold.support.terms import parse


def write(y: Out["M", "N"]):
    y.store(1.0)


def update(y: Mut["M", "N"]):
    y.store(y.load() + 1.0)


NUMBER = count()
ATOMS = ("i", "j", "m", "n", "0", "1", "2", "3")


def expressions() -> st.SearchStrategy[str]:
    """Integer expressions of a point's coordinates and the numbers of regions."""
    atom = st.sampled_from(ATOMS)
    divisor = st.sampled_from(("2", "3", "m", "n"))

    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.builds("({} {} {})".format, inner, st.sampled_from(("+", "-", "*")), inner),
            st.builds("({} {} {})".format, inner, st.sampled_from(("//", "%")), divisor),
            st.builds("fh.{}({}, {})".format, st.sampled_from(("minimum", "maximum")), inner, inner),
        )

    return st.recursive(atom, larger, max_leaves=4)


def likely() -> st.SearchStrategy[tuple[str, str]]:
    """Pairs of coordinates: often of a kind that is one to one."""
    known = [
        ("i", "j"), ("m - 1 - i", "j"), ("i", "(j + i) % n"), ("(i + 1) % m", "j"), ("i", "n - 1 - (i + j) % n"),
        ("(i * n + j) // n", "(i * n + j) % n"), ("(j * m + i) // n", "(j * m + i) % n"), ("i", "(j + 2 * i) % n"),
        ("j // n + i", "j % n"), ("fh.minimum(i, m - 1)", "j"), ("i", "j - j % 2 + (j + 1) % 2"), ("j", "i"),
    ]  # fmt: skip
    return st.one_of(st.sampled_from(known), st.tuples(expressions(), expressions()))


WHERE = ("", "", "", "i < m and j < n", "j <= i", "j < n", "i < m", "i * n + j < m * n", "2 * i + j < m + n")
DOMAINS = (
    "(m + 1, n + 2)",
    "(m, n + 1)",
    "(m, n)",
    "(n, m)",
    "(m, n - 1)",
    "(m + 1, n)",
    "(m, 2 * n)",
    "(m // 2, 2 * n)",
    "(m * n, 1)",
    "(3, n)",
    "(m, 1)",
)


@cache
def function(parameters: str, body: str) -> Any:
    return eval(f"lambda {parameters}: {body}", {"fh": fh})


def point_map(region: tuple[str, str], domain: str, where: str = "") -> Any:
    text = f"({region[0]}, {region[1]})"
    mapped = eval(f"lambda i, j, grid: (lambda m, n: {text})(*grid)", {"fh": fh})
    condition = "&".join(f"({part})" for part in where.split(" and "))
    left = eval(f"lambda i, j, grid: (lambda m, n: {condition})(*grid)", {"fh": fh}) if where else None
    return fh.IndexMap(mapped, function("m, n", domain), left)


@cache
def code(text: str) -> CodeType:
    return compile(text, "<term>", "eval")


def value(text: str, **values: int) -> Any:
    return eval(code(text), {"fh": _Numbers}, dict(values))


def checked_as_it_runs(module: ModuleOp) -> bool:
    """Whether a kernel asks as it runs if a region exists."""
    owed = (duty for op in module.walk() for duty in duties_of(op))
    return any(duty.duty == Duty.IN_BOUNDS and duty.rung == Rung.KERNEL for duty in owed)


class _Numbers:
    minimum = min
    maximum = max

    @staticmethod
    def cdiv(a: int, b: int) -> int:
        return -(-a // b)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(likely(), st.sampled_from(DOMAINS), st.sampled_from(WHERE), st.booleans())
def test_what_is_accepted_is_right(region: tuple[str, str], domain: str, where: str, covered: bool) -> None:
    y = np.zeros((5, 5), np.float32)  # extents of which nothing is known
    kernel = fh.kernel(write if covered else update)  # one before it may have been verified by other rules
    try:
        module = kernel.verify(fh.partition(y, (1, 1), map=point_map(region, domain, where)))
    except fh.Rejected:
        return
    checks = [parse(check.predicate) for check in contract(module).checks]
    kernel_checks = checked_as_it_runs(module)
    for m, n in product(range(1, 6), repeat=2):
        extents = value(domain, m=m, n=n)
        if min(extents) < 1 or not all(check.evaluate({"M": m, "N": n}) for check in checks):
            continue
        taken: set[tuple[int, int]] = set()
        for i, j in product(*map(range, extents)):
            if where and not value(where, i=i, j=j, m=m, n=n):
                continue
            at = tuple(int(value(text, i=i, j=j, m=m, n=n)) for text in region)
            inside = 0 <= at[0] < m and 0 <= at[1] < n
            assert inside or kernel_checks, f"{at} of {(m, n)} is out of bounds"
            assert at not in taken, f"{at} of {(m, n)} is taken twice"
            taken.add((at[0], at[1]))
        assert not covered or len(taken) == m * n, f"{m * n - len(taken)} of {(m, n)} are left out"


# --- Grids that scalars say -------------------------------------------------------------------------------------------

GRIDS = (
    ("n", "m"), ("M", "N"), ("n", "N"), ("M", "m"), ("n * m", "N"), ("cdiv(M, n)", "N"), ("M // 2", "n"), ("m", "n"),
    ("n + 1", "m - 1"), ("max(n, 1)", "N"), ("min(n, M)", "min(m, N)"),
)  # fmt: skip
PLACES = (
    ("i", "j"), ("i", "j"), ("i // m", "j"), ("i % M", "j"), ("n - 1 - i", "j"), ("i", "(i + j) % N"), ("j", "i"),
    ("i // m", "i % m"), ("i * n + j", "j"), ("i", "m - 1 - j"), ("i * m + j", "0"), ("i + n", "j"),
    ("i", "(j + n) % N"),
)  # fmt: skip


def source(grid: tuple[str, str], place: tuple[str, str], sizes: bool) -> str:
    at = f"y.at({', '.join(place)})"
    known = "    fh.require(n > 0 and m > 0)\n" if sizes else ""
    return f"""
@fh.kernel
def k(y: Mut["M", "N"], n: i32, m: i32, at: fh.Grid = fh.Grid({grid[0]!r}, {grid[1]!r})):
{known}    i, j = at.index
    M, N = y.shape
    {at}.store({at}.load() + 1.0)
"""


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(GRIDS), st.sampled_from(PLACES), st.booleans())
def test_what_is_accepted_is_right_for_every_scalar(grid: tuple[str, str], place: tuple[str, str], sizes: bool) -> None:
    text, name, scope = source(grid, place, sizes), f"grid{next(NUMBER)}.py", {"fh": fh, "Mut": Mut, "i32": fh.i32}
    fh.register_source(name, text)
    exec(compile(text, name, "exec"), scope)
    kernel: Any = scope["k"]
    try:
        module = kernel.verify(fh.partition(np.zeros((5, 5), np.float32), (1, 1)), 1, 1)
    except fh.Rejected:
        return
    checks = [parse(check.predicate) for check in contract(module).checks]
    kernel_checks = checked_as_it_runs(module)
    spans = [parse(text) for text in grid]
    for M, N, n, m in product(range(1, 4), range(1, 4), range(-1, 5), range(-1, 5)):
        names = {"M": M, "N": N, "n": n, "m": m}
        try:
            extents = [term.evaluate(names) for term in spans]
            if min(extents) < 1 or not all(check.evaluate(names) for check in checks):
                continue
        except ZeroDivisionError:
            continue
        taken: set[tuple[int, int]] = set()
        for i, j in product(*map(range, extents)):
            at = tuple(int(value(t, i=i, j=j, **names)) for t in place)
            assert (0 <= at[0] < M and 0 <= at[1] < N) or kernel_checks, f"{at} where {names} is out of bounds"
            assert at not in taken, f"{at} where {names} is taken twice"
            taken.add((at[0], at[1]))


# --- Axes that a point owns -------------------------------------------------------------------------------------------


def walks() -> st.SearchStrategy[list[str]]:
    """Statements that store regions of an axis that a point owns: often all of them, often not quite."""
    bound = st.sampled_from(("n", "n - 1", "n // 2", "n // 2 * 2", "2", "n + 1", "i", "fh.cdiv(n, 2)"))
    place = st.sampled_from(
        ("k", "n - 1 - k", "2 * k", "2 * k + 1", "k // 2", "k + 1", "(k + 1) % n", "n // 2 + k", "0")
    )
    step = st.sampled_from(("1", "1", "2"))
    low = st.sampled_from(("0", "0", "0", "1", "n // 2"))

    def loop(low: str, bound: str, step: str, places: list[str], condition: str) -> list[str]:
        inside = [f"y.at({place}).store(1.0)" for place in places]
        if condition:
            inside = [f"if {condition}:", *("    " + line for line in inside)]
        return [f"for k in range({low}, {bound}, {step}):", *("    " + line for line in inside)]

    conditions = st.sampled_from(("", "", "", "k < 3", "i < 2"))
    loops = st.builds(loop, low, bound, step, st.lists(place, min_size=1, max_size=2), conditions)
    straight = st.sampled_from((["y.at(0).store(1.0)"], ["y.at(n - 1).store(1.0)"], ["y.at(n // 2).store(1.0)"]))
    usual = st.sampled_from((
        ["for k in range(n):", "    y.at(k).store(1.0)"],
        ["for k in range(n):", "    y.at(n - 1 - k).store(1.0)"],
        ["y.at(0).store(1.0)", "for k in range(1, n):", "    y.at(k).store(1.0)"],
        ["for k in range(n // 2):", "    y.at(2 * k).store(1.0)", "    y.at(2 * k + 1).store(1.0)"],
        ["for k in range(0, n, 2):", "    y.at(k).store(1.0)", "for k in range(1, n, 2):", "    y.at(k).store(1.0)"],
    ))  # fmt: skip
    some = st.lists(st.one_of(loops, straight), min_size=1, max_size=2).map(lambda parts: sum(parts, list[str]()))
    return st.one_of(usual, some)


def walker(mode: str, lines: list[str]) -> Callable[..., Any]:
    """The function of these statements: a kernel's, and Python's own."""
    body = ["(i,) = y.index", "n = fh.cdiv(y.shape[1], 1)", *lines]
    text = "\n".join([f'def walk(y: {mode}["M", "N"]):', *("    " + line for line in body), ""])
    name = f"<walk {next(NUMBER)}>"
    fh.register_source(name, text)
    scope: dict[str, Any] = {"fh": fh, "Out": Out, "Mut": Mut}
    exec(compile(text, name, "exec"), scope)
    return scope["walk"]


class Row:
    """What a point's walk does, carried out by Python."""

    def __init__(self, i: int, m: int, n: int):
        self.index, self.shape = (i,), (m, n)
        self.taken: list[int] = []

    def at(self, j: int) -> Row:
        self.taken.append(j)
        return self

    def store(self, value: float) -> None: ...


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(walks(), st.sampled_from(("Out", "Mut")))
def test_walks_that_are_accepted_are_right(lines: list[str], mode: str) -> None:
    y = np.zeros((5, 5), np.float32)  # extents of which nothing is known
    walk = walker(mode, lines)
    try:
        module = fh.kernel(walk).verify(fh.partition(y, (1, 1), owned=1))
    except fh.Rejected:
        return
    checks = [parse(check.predicate) for check in contract(module).checks]
    kernel_checks = checked_as_it_runs(module)
    walk.__globals__["fh"] = _Numbers
    for m, n in product(range(1, 5), range(1, 8)):
        if not all(check.evaluate({"M": m, "N": n}) for check in checks):
            continue
        for i in range(m):
            row = Row(i, m, n)
            walk(row)
            assert kernel_checks or all(0 <= j < n for j in row.taken), f"{row.taken} of {n} leaves the array"
            assert mode == "Mut" or len(set(row.taken)) == len(row.taken), f"{row.taken} takes one twice"
            assert mode == "Mut" or kernel_checks or len(row.taken) == n, f"{row.taken} is not all of {n}"


# --- Do these tests see anything? -------------------------------------------------------------------------------------


def always(value: object) -> Callable[..., object]:
    """A function that has stopped to think."""

    def answer(*_: object, **__: object) -> object:
        return value

    return answer


def first_number(atom: Any, known: set[str], *_: object) -> tuple[str, ...]:
    """Takes a remainder for the first unknown number that it is of."""
    return tuple(sorted(atom.args[0].symbols() - known))[:1] if atom.op == "%" else ()


def met(op: object, axis: int, *_: object) -> DutyAttr:
    """Takes a region for one that exists."""
    return DutyAttr.of(Duty.IN_BOUNDS, Rung.PROVED, "nobody", axis)


PASSES = "freehold.passes"
APART = Outcome("proved", "nobody")

FAULTS: dict[str, tuple[str, Callable[..., object], str]] = {
    "any number of takings will do": (f"{PASSES}.analysis.coverage.as_many", always(terms.TRUE), "walk"),
    "what is in a branch is always taken": (f"{PASSES}.analysis.coverage.fewer", terms.maximum, "walk"),
    "every map is onto": (f"{PASSES}.analysis.coverage.onto", always(True), "map"),
    "every map is one to one": (f"{PASSES}.analysis.injectivity.recovers", always(True), "map"),
    "a remainder tells its number": (f"{PASSES}.analysis.injectivity._turned", first_number, "map"),
    "points never meet": (f"{PASSES}.analysis.injectivity.apart", always(APART), "map"),
    "places never meet": (f"{PASSES}.analysis.injectivity.disjoint", always(APART), "walk"),
    "turns never meet": (f"{PASSES}.analysis.injectivity.injective", always(APART), "walk"),
    "every region exists": (f"{PASSES}.resolve_obligations._meet", met, "map"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of these faults in the verifiers lets something through that is wrong, and is found out by it."""
    place, answer, kind = FAULTS[fault]
    monkeypatch.setattr(place, answer)
    how: Any = settings(
        max_examples=1500, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
    )  # fmt: skip
    if kind == "map":
        drawn = given(likely(), st.sampled_from(DOMAINS), st.sampled_from(WHERE), st.booleans())
        inner: Any = test_what_is_accepted_is_right
    else:
        drawn = given(walks(), st.sampled_from(("Out", "Mut")))
        inner = test_walks_that_are_accepted_are_right
    with pytest.raises(AssertionError):
        seed(0)(how(drawn(inner.hypothesis.inner_test)))()  # by which each is found within a few seconds
