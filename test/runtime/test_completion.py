"""Calls that leave something open: what is told where no schedule is found, and whose arguments are cut."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold.frontend.signature import KernelSignature, Parameter
from freehold.runtime.base.call_site import CallSite
from freehold.runtime.scheduling import completion
from freehold.runtime.scheduling.candidates import Nothing
from freehold.runtime.scheduling.problem import Schedule
from freehold.support.errors import WrongCall

inner: Any = completion
SHAPES = {"y": ("M", "N"), "z": ("N",), "s": ()}


def told(open_: tuple[str, ...], nothing: Nothing) -> Any:
    """What is told of a problem of `k(x, y, z, s)` in which the partitions of these are open."""
    problem: Any = SimpleNamespace(
        open=dict.fromkeys(open_),
        parameters=[SimpleNamespace(name=name) for name in ("x", "y", "z", "s")],
        extents={"M": 100, "N": 1000},
        dimensions=SHAPES.__getitem__,
    )
    with pytest.raises(fh.Rejected) as caught:
        inner._refuse(SimpleNamespace(__name__="k"), problem, nothing, CallSite())
    return caught.value


@pytest.mark.parametrize(
    ("open_", "tile", "name", "shown"),
    [
        (("y",), None, "y", "(64, 64)"),
        (("y", "z"), {"M": 16, "N": 1024}, "y", "(16, 1024)"),
        (("z", "y"), {"M": 16, "N": 1024}, "z", "1024"),
        (("y",), {"M": 16}, "y", "(16, 64)"),
        (("s",), None, "s", "()"),
    ],
)
def test_the_first_of_what_is_open_is_to_be_cut(open_: tuple[str, ...], tile: Any, name: str, shown: str) -> None:
    nothing = Nothing(None if tile is None else Schedule(tile), None, "it is not right")
    (report,) = (e.report() for e in told(open_, nothing).errors)
    assert (report.code, report.label) == ("O221", f"with tiles of {shown}: it is not right")
    assert report.title == "no tile was found for `k`, which is launched without a partition"
    assert report.helps == (f"say how it is cut into regions: `freehold.partition({name}, {shown})`",)


def test_what_is_cut_already_is_refused_for_its_own_reason() -> None:
    rejected = fh.Rejected([WrongCall(None, "k", "it is refused")])
    assert told((), Nothing(None, rejected, "it is refused")) is rejected
    assert told(("y",), Nothing(None, rejected, "it is refused")).codes == ("O221",)


def test_what_no_tile_mends_is_shown_with_its_lines() -> None:
    @fh.kernel
    def smooth(u: fh.Mut["N"]):
        u.store(u.load((0,), u.tile) + u.load())  # pyright: ignore[reportCallIssue, reportUnknownArgumentType]

    with pytest.raises(fh.CompileError) as caught:
        smooth(np.zeros(64, np.float32)).sync()
    assert caught.value.codes == ("O103", "O221")
    assert "u.store(u.load((0,), u.tile) + u.load())" in str(caught.value)
    assert "say how it is cut" not in str(caught.value)


def test_only_whole_arrays_are_cut_as_their_kernel_says() -> None:
    signature = KernelSignature("k", (Parameter("y", "out"), Parameter("x", "ref"), Parameter("n", "scalar")))
    y, x = np.zeros(64, np.float32), np.zeros(64, np.float32)
    cuts: Any = {"y": 16, "n": 8}
    found = completion.cut(signature, (y, x, 3), cuts)
    assert found[0].spec.tile == (16,)
    assert found[0].array is y
    assert found[1] is x
    assert found[2] == 3
    own = fh.partition(y, 32)
    assert completion.cut(signature, (own, x, 3), cuts)[0] is own
    given = (y, x)
    assert completion.cut(signature, given, cuts) is given  # too few, which is told by whoever binds them
