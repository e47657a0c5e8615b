"""Launches at their limits: shapes of blocks, numbers of regions, what integers hold, and what failures bring."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import struct
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Acc, Out, Ref, f32, i32
from freehold.runtime.deploy import timing
from freehold.runtime.errors.kernel_checks import failure_in
from freehold.runtime.gpu import driver, transfers
from freehold.runtime.launch import checks, plan
from freehold.runtime.variants.compiled import Once
from freehold.runtime.variants.evaluation import MOST_SHAPE, SHAPE, Evaluator, misshapen, signed, too_wide
from freehold.support.contract import EntryParameter, Foreign, KernelCheck, LaunchContract, TensorParameter

PLAIN = (1, 1, 1, 32, 1, 1, 1, 1, 1, 0)
"""A grid, a block, a cluster, and bytes of shared memory."""


def shape(**changes: int) -> tuple[int, ...]:
    return tuple(changes.get(f"n{n}", value) for n, value in enumerate(PLAIN))


def test_each_number_of_a_shape_has_its_limits() -> None:
    most = (2**31 - 1, 65535, 65535, 1024, 1024, 64, 16, 16, 16, 232448)
    assert most == MOST_SHAPE
    loose = Foreign(("1", "1", "1"), most_threads=1 << 40)
    for n, limit in enumerate(most):
        least = 0 if n == 9 else 1
        fits = shape(**{f"n{n}": limit, **({f"n{n - 6}": limit} if 6 <= n < 9 else {})})
        assert misshapen(loose, fits) is None
        assert misshapen(loose, shape(**{f"n{n}": least})) is None
        for wrong in (least - 1, limit + 1):
            assert misshapen(loose, shape(**{f"n{n}": wrong})) == (SHAPE[n], wrong, f"from {least} to {limit}")


@pytest.mark.parametrize(
    ("foreign", "given", "said"),
    [
        ({}, shape(n3=32, n4=32), None),
        ({}, shape(n3=1024, n4=2), ("the number of threads of a block", 2048, "up to 1024")),
        ({"most_threads": 64}, shape(n3=32, n4=2), None),
        ({"most_threads": 64}, shape(n3=65), ("the number of threads of a block", 65, "up to 64")),
        ({"threads": (32, 0, 1)}, shape(n4=4), None),
        ({"threads": (64, 0, 0)}, shape(), ("the block's first extent", 32, "64, as the code is made")),
        ({"threads": (0, 2, 0)}, shape(), ("the block's second extent", 1, "2, as the code is made")),
        ({"threads": (0, 0, 2)}, shape(), ("the block's third extent", 1, "2, as the code is made")),
        ({}, shape(n0=4, n1=4, n6=4, n7=4), None),
        ({}, shape(n0=4, n1=8, n6=4, n7=8), ("the number of blocks of a cluster", 32, "up to 16")),
        ({}, shape(n0=6, n6=2), None),
        ({}, shape(n0=5, n6=2), ("the grid's first extent", 5, "a multiple of the cluster's 2")),
        ({}, shape(n1=5, n7=2), ("the grid's second extent", 5, "a multiple of the cluster's 2")),
        ({}, shape(n2=5, n8=2), ("the grid's third extent", 5, "a multiple of the cluster's 2")),
    ],
)
def test_shapes_that_code_takes(foreign: dict[str, Any], given: tuple[int, ...], said: Any) -> None:
    assert misshapen(Foreign(("1", "1", "1"), **foreign), given) == said


def contract(*entry: EntryParameter, **more: Any) -> LaunchContract:
    tensor = TensorParameter("x", "ref", "f32", ("N",), 4, (0,), (1,), (1,))
    given: dict[str, Any] = {"grid": ("N",), "persistent": False, "checks": (), **more}
    return LaunchContract("k", (tensor,), entry, **given)


@pytest.mark.parametrize(
    ("dtype", "low", "high"), [("i32", -(2**31), 2**31 - 1), ("u32", 0, 2**32 - 1), ("i64", -(2**63), 2**63 - 1)]
)
def test_integers_that_an_entry_takes(dtype: str, low: int, high: int) -> None:
    extent = EntryParameter("extent", 0, term="N + 1", dtype=dtype)
    stride = EntryParameter("stride", 0, 0, dtype=dtype)
    given = contract(EntryParameter("pointer", 0), extent, stride)
    for fits in ((low, high), (high, low), (0, 0)):
        assert too_wide(given, fits) is None
    for wrong in (low - 1, high + 1):
        assert too_wide(given, (wrong, 0)) == ("N + 1", wrong, dtype)
        assert too_wide(given, (0, wrong)) == ("x.strides[0]", wrong, dtype)


def test_how_many_points_a_launch_may_have() -> None:
    assert Evaluator(contract()).most_points == 2**24 - 1
    assert Evaluator(contract(persistent=True)).most_points == 2**31 - 2**25
    foreign = Foreign(("1", "1", "1"))
    of_foreign = Evaluator(contract(grid=("N", "1", "1"), foreign=foreign))
    assert of_foreign.most_points == (2**31 - 1) * 65535 * 65535
    evaluate = Evaluator(contract()).evaluate
    for n, found in ((0, False), (1, True), (2**24 - 1, True), (2**24, False)):
        geometry = evaluate([(n,)], [(1,)], ())
        assert (geometry is not None) is found
        assert geometry is None or geometry.points == n


def test_signs() -> None:
    assert [signed(v, 8) for v in (0, 127, 128, 255)] == [0, 127, -128, -1]
    assert [signed(v, 0) for v in (255, -3)] == [255, -3]
    assert [signed(v, 32) for v in (2**31 - 1, 2**31)] == [2**31 - 1, -(2**31)]


def bits(value: float, form: str) -> int:
    return int.from_bytes(struct.pack(form, value), "little", signed=True)


def test_values_that_a_failure_brings() -> None:
    values = (("a", "i32"), ("b", "bool_"), ("c", "f64"), ("d", "f32"), ("e", "bf16"), ("f", "f16"), ("g", "u64"))
    checks = [KernelCheck("never"), KernelCheck("a > 0", values)]
    words = [2, 5, -3, 7, bits(0.1, "=d"), bits(1.5, "=f"), bits(-2.5, "=f"), bits(0.25, "=f"), -1, 99]
    error = failure_in("kernel", checks, words)
    said = error.report().notes
    text = " ".join(str(n) for n in said)
    assert "`a` = -3, `b` = True, `c` = 0.1, `d` = 1.5, `e` = -2.5, `f` = 0.25, `g` = 18446744073709551615" in text
    assert "in block 5" in text
    assert "a > 0" in str(error.report())
    assert "never" in str(failure_in("kernel", checks, [1, 0]).report())


@pytest.mark.parametrize(
    ("check", "code"),
    [
        (KernelCheck("p", (("index", "i32"), ("count", "i32")), tensor="x", axis=1, step=16), "O233"),
        (KernelCheck("p"), "O234"),
        (KernelCheck("p", (("start", "i32"), ("count", "i32")), tensor="x", axis=1), "O235"),
        (KernelCheck("p", (("group", "i32"), ("count", "i32")), tensor="x"), "O236"),
    ],
)
def test_kinds_of_failures(check: KernelCheck, code: str) -> None:
    assert failure_in("kernel", [check], [1, 0, 4, 3]).code == code


# --- Launches on the interpreter --------------------------------------------------------------------------------------


@fh.kernel
def quarters(x: Ref["N"], total: Acc[f32, 1], at: fh.Grid = fh.Grid("N // 4")):
    total.add_at(x.load((at.index[0],), (4,)).sum(), 0)


@fh.kernel
def shares(x: Ref["M"], total: Acc[f32, 1], at: fh.Grid = fh.Grid("8 // (M - 1)")):
    fh.require("M > 1")
    total.add_at(x.load((0,), (1,)).sum() + at.index[0].astype(f32) * 0.0, 0)


@fh.kernel
def squares(x: Ref["N"], total: Acc[f32, 1], at: fh.Grid = fh.Grid("N - 8", "N - 8")):
    total.add_at(x.load((0,), (1,)).sum(), 0)


@pytest.mark.parametrize(
    ("kernel", "count", "points"),
    [(squares, 9, 1), (squares, 11, 9), (quarters, 8, 2), (quarters, 4, 1), (shares, 9, 1), (shares, 2, 8)],
)
def test_launches_with_points(kernel: Any, count: int, points: int) -> None:
    total = np.zeros(1, np.float32)
    kernel(np.ones(count, np.float32), total).sync()
    assert total[0] == (count if kernel is quarters else points)


@pytest.mark.parametrize(
    ("kernel", "count", "said"),
    [
        (squares, 8, "axis 0 of its domain has the extent 0"),
        (squares, 6, "axis 0 of its domain has the extent -2"),  # twice, which are four points
        (quarters, 3, "axis 0 of its domain has the extent 0"),
        (shares, 10, "axis 0 of its domain has the extent 0"),
    ],
)
def test_launches_without_points(kernel: Any, count: int, said: str) -> None:
    with pytest.raises(fh.Rejected) as caught:
        kernel(np.ones(count, np.float32), np.zeros(1, np.float32)).sync()
    assert caught.value.codes == ("O229",)
    assert said in str(caught.value)


@pytest.mark.parametrize("wrong", ["row", 8, None, fh.PERSISTENT])
def test_groups_in_an_order_that_is_none(wrong: Any) -> None:
    with pytest.raises(fh.Rejected) as caught:
        fh.ragged(np.zeros(64, np.float32), 16, by="offsets", order=wrong)
    assert caught.value.codes == ("O223",)
    for order in (fh.ROW, fh.COLUMN, fh.grouped(4)):
        assert fh.ragged(np.zeros(64, np.float32), 16, by="offsets", order=order).spec.order == order


def test_what_is_made_once_leaves_nothing_behind() -> None:
    made: list[int] = []
    kept = Once()
    for _ in range(2):
        assert kept.get("key", lambda: made.append(1) or "value") == "value"
    assert made == [1]
    assert vars(kept)["_making"] == {}
    assert (kept.known("key"), kept.known("other")) == ("value", None)


# --- Launches like one before -----------------------------------------------------------------------------------------


@fh.kernel
def doubled(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * 2.0)


@fh.kernel
def shifted(y: Out["N"], by: i32, x: Ref["N"]):
    fh.require(by < 10, "little")
    y.store(x.load_like(y) + by.astype(f32))


def test_arrays_may_not_overlap_however_often_a_kernel_was_launched() -> None:
    """What a launch is remembered by says nothing of where arrays are."""
    memory = np.ones(64, np.float32)
    y = memory[16:32]
    for first in (0, 32, 40):  # in front, behind, and further on
        doubled(fh.partition(y, 16), memory[first : first + 16]).sync()
        for wrong in (1, 15, 16, 17, 31):
            with pytest.raises(fh.Rejected) as caught:
                doubled(fh.partition(y, 16), memory[wrong : wrong + 16]).sync()
            assert caught.value.codes == ("O201",)
    assert (y == 2).all()
    assert (memory[:16] == 1).all()
    assert (memory[32:] == 1).all()


def test_numbers_are_looked_at_however_often_a_kernel_was_launched() -> None:
    y, x = np.zeros(16, np.float32), np.ones(16, np.float32)
    for by in (9, 10, 8, 11, -1):
        if by < 10:
            shifted(fh.partition(y, 16), by, x).sync()
            assert (y == 1 + by).all()
            continue
        with pytest.raises(fh.Rejected) as caught:
            shifted(fh.partition(y, 16), by, x).sync()
        assert caught.value.codes == ("O239",)


# --- Where arrays of foreign code lie ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strides", "told", "align", "said"),
    [
        ((8, 1), (), 0, None),
        ((9, 1), (), 0, "its strides are (9, 1), and it is taken for contiguous"),
        ((8, 2), (), 0, "its strides are (8, 2), and it is taken for contiguous"),
        ((9, 1), (0,), 0, None),
        ((9, 2), (0,), 0, "its strides are (9, 2), and the code is not told that of axis 1"),
        ((9, 2), (1,), 0, "its strides are (9, 2), and the code is not told that of axis 0"),
        ((9, 2), (0, 1), 0, None),
        ((8, 1), (), 16, None),
        ((8, 1), (), 32, "its address is no multiple of 32 bytes"),
    ],
)
def test_how_arrays_lie(strides: tuple[int, int], told: tuple[int, ...], align: int, said: str | None) -> None:
    foreign = Foreign(("1", "1", "1"), contiguous=(0,))
    entry = [EntryParameter("stride", 0, axis) for axis in told]
    given = contract(*entry, grid=("1", "1", "1"), foreign=foreign)
    known = replace(given.parameters[0], dims=("M", "N"), align=align)
    evaluator = Evaluator(replace(given, parameters=(known,)))
    view = SimpleNamespace(element_strides=strides, shape=(4, 8), pointer=48)

    class Call:
        signature = type("Signature", (dict,), {"kernel": "k"})({"x": None})

        def place(self, _parameter: Any) -> None:
            return None

    found = list(vars(checks)["_laid_out"](Call(), evaluator, [view]))
    assert [vars(e)["problem"] for e in found] == ([said] if said else [])
    loose = replace(foreign, contiguous=())
    anywhere = Evaluator(replace(given, parameters=(replace(known, align=1),), foreign=loose))
    assert list(vars(checks)["_laid_out"](Call(), anywhere, [view])) == []


# --- Timing -----------------------------------------------------------------------------------------------------------


class Clock:
    """Launches that take so many seconds, the n-th of each run as it is given."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **takes: list[float]):
        self.now = 0.0
        self.takes = takes
        self.order: list[str] = []
        monkeypatch.setattr(timing.time, "monotonic", lambda: self.now)

    def measure(self, run: Any) -> float:
        name = run()
        taken = self.takes[name][min(self.order.count(name), len(self.takes[name]) - 1)]
        self.order.append(name)
        self.now += taken
        return taken

    def samples(self, ends: float = 1e9) -> dict[str, int]:
        runs = [lambda n=name: n for name in self.takes]
        found = timing.in_turns(runs, self.measure, ends)
        return dict(zip(self.takes, map(len, found), strict=True))


def test_who_is_timed_how_often(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (timing.ROUNDS, timing.FINALS, timing.BEHIND, timing.CLOSE) == (5, 8, 1.5, 1.1)
    behind = Clock(monkeypatch, a=[1.0], b=[1.5], c=[1.51]).samples()
    assert behind == {"a": 5, "b": 5, "c": 1}  # a alone is close to the best, so it is not timed again
    close = Clock(monkeypatch, a=[1.0], b=[1.1], c=[1.11]).samples()
    assert close == {"a": 13, "b": 13, "c": 5}
    assert Clock(monkeypatch, a=[1.0]).samples() == {"a": 5}
    one = Clock(monkeypatch, a=[1.0], b=[2.0, 1.0])
    assert one.samples() == {"a": 5, "b": 1}  # b was slow the one time
    clock = Clock(monkeypatch, a=[1.0], b=[1.0], c=[1.0])
    assert clock.samples() == {"a": 13, "b": 13, "c": 13}
    rounds = [clock.order[n : n + 3] for n in range(0, 39, 3)]
    assert rounds[0] == ["a", "b", "c"]
    assert len({tuple(r) for r in rounds}) > 2
    again = Clock(monkeypatch, a=[1.0], b=[1.0], c=[1.0])
    again.samples()
    assert again.order == clock.order  # the same each time


def test_timing_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Clock(monkeypatch, a=[1.0], b=[1.0], c=[1.0]).samples(-1.0) == {"a": 1, "b": 0, "c": 0}
    assert Clock(monkeypatch, a=[1.0], b=[1.0], c=[1.0]).samples(1.5) == {"a": 1, "b": 1, "c": 0}
    assert Clock(monkeypatch, a=[1.0], b=[1.0]).samples(3.0) == {"a": 2, "b": 2}  # a round counts for all
    assert Clock(monkeypatch, a=[1.0], b=[1.0]).samples(2.5) == {"a": 1, "b": 1}
    assert Clock(monkeypatch, a=[1.0], b=[1.0]).samples(4.5) == {"a": 2, "b": 2}


def test_launches_on_a_gpu_are_timed_some_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Any] = []
    takes = 0.0

    def seconds(stream: Any, work: Any) -> float:
        before = len(said)
        work()
        count = len(said) - before
        said.append((stream, count))
        return takes * count

    monkeypatch.setattr(driver, "current_handle", lambda family, device: (family, device))
    monkeypatch.setattr(driver, "stream", lambda handle, device: ("stream", handle, device))
    monkeypatch.setattr(plan, "family_of", lambda views: "numpy")
    monkeypatch.setattr(transfers, "seconds", seconds)
    views: Any = [SimpleNamespace(device=3)]
    for takes, count in ((1e-3, 2), (2e-3, 1), (0.9e-3, 3), (1.0, 1), (0.0, 20000)):
        said.clear()
        found = timing.by_events(views)(lambda: said.append("run"))
        stream = "stream", ("numpy", 3), 3
        assert said[:3] == ["run", "run", (stream, 1)]  # it is loaded with the first
        assert said[-1] == (stream, count)
        assert found == pytest.approx(takes)
    assert np.isfinite(found)
