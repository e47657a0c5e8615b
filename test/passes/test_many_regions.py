"""Kernels of many regions: launches are worked through once, and what plainly differs is not asked of the solver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import freehold as fh
from freehold.passes.analysis import injectivity
from freehold.passes.analysis.concrete import Runner
from freehold.support import terms


def kernel_of(regions: str, count: int, mode: str = "Mut") -> Any:
    """A kernel that stores `count` regions, of which `regions` says where the k-th lies along axis 1, in turn j."""
    loop = "for j in range(4):" if "j" in regions else "if True:"
    stores = "\n".join(f"        y.at({regions.replace('k', str(k))}).store(t)" for k in range(count))
    text = f"""
import freehold as fh
from freehold import Mut, Out, Ref, i32

@fh.kernel
def kernel(y: {mode}["M", "N"], x: Ref["M", "N"], s: i32, w: i32):
    fh.require(w >= {count} and w < 100 and s >= 0 and s < 100)
    fh.require(y.shape[1] >= 8 * 500)
    t = x.load((y.index[0], 0), (4, 8))
    {loop}
{stores}
"""
    name = f"<{count} regions at {regions}>"
    fh.register_source(name, text)
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    return names["kernel"]


def counted(monkeypatch: pytest.MonkeyPatch, regions: str, count: int) -> tuple[int, int]:
    """How many launches are worked through, and how many questions asked of the prover, until the answer."""
    asked = {"work": 0, "prove": 0}

    def counting(name: str, inner: Callable[..., Any]) -> Callable[..., Any]:
        def count_and_do(*given: Any, **named: Any) -> Any:
            asked[name] += 1
            return inner(*given, **named)

        return count_and_do

    y = np.zeros((8, 4096), np.float32)
    kernel = kernel_of(regions, count)
    with monkeypatch.context() as patched:
        patched.setattr(Runner, "work", counting("work", Runner.work))
        patched.setattr(injectivity, "prove", counting("prove", injectivity.prove))
        kernel.verify(fh.partition(y, (4, 8), owned=1), y.copy(), 1, count)
    return asked["work"], asked["prove"]


@pytest.mark.parametrize("regions", ["k", "s + k", "2 * s + 9 - k", "j * 12 + k", "(j + s) * 12 + 9 - 3 * k"])
def test_regions_that_plainly_differ_are_not_asked_about(regions: str, monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (counted(monkeypatch, regions, count) for count in (2, 4))
    assert few == many
    assert many[0] <= 12
    assert many[1] <= 4  # of each region with itself, where the rules do not say so


def test_launches_are_worked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where all pairs have to be asked about."""
    (few, some), (many, more) = (counted(monkeypatch, "j * w + k", count) for count in (2, 4))
    assert few == many
    assert some < more <= some * 6  # of 1 and 6 pairs


@pytest.mark.parametrize("regions", ["j + k", "j * 2 + k", "j * 4 + k + k", "s * k", "(s + k) // 2"])
def test_regions_that_may_be_the_same_are_refused(regions: str) -> None:
    y = np.zeros((8, 4096), np.float32)
    with pytest.raises(fh.Rejected) as caught:
        kernel_of(regions, 3, "Out").verify(fh.partition(y, (4, 8), owned=1), y.copy(), 1, 3)
    assert set(caught.value.codes) <= {"O113", "O114"}


FIRST, SECOND = terms.sym("i"), terms.sym("s")
ALL = range(-4, 5)


@given(st.tuples(*[st.integers(-6, 6)] * 6))
def test_what_differs_is_never_the_same(c: tuple[int, ...]) -> None:
    """Over points `i` and `i'` and one `s`."""
    x, y = (FIRST * c[n] + SECOND * c[n + 1] + c[n + 2] for n in (0, 3))
    found = vars(injectivity)["_differ"]([x], [y], frozenset("s"))
    meets = any(x.evaluate({"i": i, "s": s}) == y.evaluate({"i": j, "s": s}) for i in ALL for j in ALL for s in ALL)
    assert not (found and meets)
    if c[0] == c[3] == 0 and c[1] == c[4]:
        assert found == (c[2] != c[5])
