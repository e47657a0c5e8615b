"""Calls that leave something open: what is told where no schedule is found, whose arguments are cut, and of which
schedules a launch is admitted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Acc, Out, Ref
from freehold.frontend.signature import KernelSignature, Parameter
from freehold.passes.launch_contract import contract
from freehold.runtime.base.call_site import CallSite
from freehold.runtime.scheduling import completion
from freehold.runtime.scheduling.candidates import Nothing, broken_by, extents_of
from freehold.runtime.scheduling.choice import bucket, choose, space
from freehold.runtime.scheduling.problem import Problem, Schedule
from freehold.runtime.variants.evaluation import Evaluator
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


# --- Of which schedules a launch is admitted --------------------------------------------------------------------------


@fh.kernel
def padded(y: Out["M", "N"], x: Ref["P", "Q"]):
    """`y` is `x` with zeros behind it: there have to be as many tiles of one as of the other."""
    y.store(x.load(y.index, y.tile))


@fh.kernel
def diagonal(h: Acc["E"], x: Ref["M", "N"]):
    """The number of a row is one of a column, and so tiles have one element."""
    i, j = x.index
    h.add_at(x.load((i, i), x.tile).max() + x.load().max(), j % 4)


def matrices(m: int, n: int, p: int, q: int) -> list[Any]:
    return [np.zeros((m, n), np.float32), np.random.default_rng(m).random((p, q), np.float32)]


def open_of(kernel: Any, arguments: list[Any]) -> Problem:
    """What a call leaves open."""
    found = completion.completed(kernel, tuple(arguments), CallSite(), None)
    assert found is not None
    return found.problem


def broken(kernel: Any, problem: Problem, schedule: Schedule) -> list[str]:
    """The conditions that a launch would break."""
    evaluator = Evaluator(contract(kernel.verified(problem.specialisation(schedule))))
    return [str(condition) for condition in broken_by(evaluator, extents_of(evaluator, problem))]


def test_a_schedule_whose_launch_would_be_refused_is_not_chosen() -> None:
    """1000 rows and 900 are as many tiles of 128 rows or more, and of no fewer."""
    arguments = matrices(1000, 300, 900, 300)
    problem = open_of(padded, arguments)
    assert broken(padded, problem, Schedule({"M": 64, "N": 64}))
    assert not broken(padded, problem, Schedule({"M": 128, "N": 64}))
    padded(*arguments).sync()
    assert (arguments[0][:900] == arguments[1]).all()
    assert not arguments[0][900:].any()
    for arch in (None, "sm_90"):
        found = space(problem, padded.verified, arch, 40)
        assert found
        assert not [schedule for schedule in found if broken(padded, problem, schedule)]


def test_of_the_schedule_of_neighbours_the_extents_of_a_call_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Extents are rounded, so that neighbours share a choice. Where it does not do, one is made for these alone."""
    asked: list[dict[str, tuple[int, ...]]] = []

    def noted(problem: Problem, *rest: Any) -> Any:
        asked.append(dict(problem.shapes))
        return choose(problem, *rest)

    monkeypatch.setattr("freehold.runtime.scheduling.choice.choose", noted)
    y, x = matrices(64, 50, 57, 50)
    assert bucket(y.shape) == bucket(x.shape)
    cut = fh.partition(y, fh.choose((4, 2048), (64, 64)))  # in tiles of 4 rows `y` has 16, and `x` 15
    problem = open_of(padded, [cut, x])
    assert asked == [{"y": (64, 56), "x": (64, 56)}, {"y": (64, 50), "x": (57, 50)}]
    assert [bool(broken(padded, problem, Schedule({"M": m, "N": n}))) for m, n in ((4, 2048), (64, 64))] == [
        True,
        False,
    ]
    padded(cut, x).sync()
    assert (y[:57] == x).all()
    assert not y[57:].any()
    same = matrices(64, 50, 64, 50)  # these keep the choice that neighbours share
    padded(fh.partition(same[0], fh.choose((4, 2048), (64, 64))), same[1]).sync()
    assert (same[0] == same[1]).all()
    assert len(asked) == 2


def test_where_no_schedule_is_admitted_the_launch_says_what_it_breaks() -> None:
    with pytest.raises(fh.Rejected) as caught:
        diagonal(np.zeros(4, np.float32), np.ones((16, 8), np.float32)).sync()
    assert [error.code for error in caught.value.errors] == ["O232"]
    assert "`M - 1 < N` is false" in str(caught.value)
    h, square = np.zeros(4, np.float32), np.ones((8, 8), np.float32)
    diagonal(h, square).sync()
    assert (h == 32).all()
