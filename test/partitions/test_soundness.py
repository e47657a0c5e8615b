"""
Random index maps against enumeration: of what is accepted, every small launch that passes its checks has regions that
are different, in bounds, and all of them; and what is refused with a witness is wrong somewhere.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import freehold as fh
from freehold import Mut, Out
from freehold.passes.pipeline import contract
from freehold.support.terms import parse


@fh.kernel
def write(y: Out["M", "N"]):
    y.store(1.0)


@fh.kernel
def update(y: Mut["M", "N"]):
    y.store(y.load() + 1.0)


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


DOMAINS = (
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


def point_map(region: tuple[str, str], domain: str) -> Any:
    text = f"({region[0]}, {region[1]})"
    mapped = eval(f"lambda i, j, grid: (lambda m, n: {text})(*grid)", {"fh": fh})
    return fh.IndexMap(mapped, domain=function("m, n", domain))


def value(text: str, **values: int) -> Any:
    return eval(text, {"fh": _Numbers}, dict(values))


class _Numbers:
    minimum = min
    maximum = max


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(likely(), st.sampled_from(DOMAINS), st.booleans())
def test_what_is_accepted_is_right(region: tuple[str, str], domain: str, covered: bool) -> None:
    y = np.zeros((5, 5), np.float32)  # extents of which nothing is known
    kernel = write if covered else update
    try:
        module = kernel.verify(fh.partition(y, (1, 1), map=point_map(region, domain)))
    except fh.Rejected:
        return
    checks = [parse(check.predicate) for check in contract(module).checks]
    kernel_checks = any("in_bounds axis" in str(op) and " kernel " in str(op) for op in module.walk())
    for m, n in product(range(1, 6), repeat=2):
        extents = value(domain, m=m, n=n)
        if min(extents) < 1 or not all(check.evaluate({"M": m, "N": n}) for check in checks):
            continue
        taken: set[tuple[int, int]] = set()
        for i, j in product(*map(range, extents)):
            at = tuple(int(value(text, i=i, j=j, m=m, n=n)) for text in region)
            inside = 0 <= at[0] < m and 0 <= at[1] < n
            assert inside or kernel_checks, f"{at} of {(m, n)} is out of bounds"
            assert at not in taken, f"{at} of {(m, n)} is taken twice"
            taken.add((at[0], at[1]))
        assert not covered or len(taken) == m * n, f"{m * n - len(taken)} of {(m, n)} are left out"
