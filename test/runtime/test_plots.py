"""Plots, by what is drawn and not by pixels; and the record of launches, on timelines of no GPU."""

from __future__ import annotations

import sys
from time import monotonic_ns
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Out, Ref, f32
from freehold.runtime.deploy.tuning import Measured, Search
from freehold.runtime.gpu.launch_record import Launched
from freehold.runtime.gpu.timeline import Timeline, timelines
from freehold.runtime.scheduling.gpus import gpu_of
from freehold.support import terms


@fh.kernel
def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 64):
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    c.store(acc.astype(c.dtype))


@fh.kernel
def copied(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y))


@pytest.fixture
def axes() -> Any:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure  # without a window, and without pyplot's list of figures

    return Figure().subplots()


@pytest.fixture
def explained() -> Any:
    a, b, c = (np.zeros((256, 256), np.float16) for _ in range(3))
    return gemm.explain(fh.partition(c, (64, 64)), a, b, arch=())


FLOPS = 2 * 256**3
ONCE = 3 * 256 * 256 * 2
ASKED = 256 * 256 * 2 + 2 * 4 * 256 * 256 * 2


def points(axes: Any) -> dict[str, Any]:
    return {line.get_label(): line.get_xydata() for line in axes.lines}


def test_a_kernel_stands_under_the_roofs(axes: Any, explained: Any) -> None:
    assert fh.plot_roofline(explained, ax=axes) is axes
    gpu, drawn = gpu_of("sm_90"), points(axes)
    for name, asked, bandwidth in (("memory", ONCE, gpu.bandwidth), ("the cache", ASKED, gpu.cache_bandwidth)):
        ((x, y),) = drawn[f"at most, by {name}"]
        assert x == pytest.approx(FLOPS / asked)
        assert y == pytest.approx(min(gpu.matrix, x * bandwidth))
    roof = next(xy for label, xy in drawn.items() if label.startswith("memory"))
    assert roof[-1] == pytest.approx((gpu.matrix / gpu.bandwidth, gpu.matrix))
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    # Each roof goes on beyond what stands under it, by as much to the right as to the left.
    flat = [xy for label, xy in drawn.items() if label.startswith(("tensor cores", "other"))]
    assert [sorted(xy[:, 1]) for xy in flat] == [[gpu.matrix] * 2, [gpu.other] * 2]
    low = min(FLOPS / ONCE, FLOPS / ASKED, gpu.other / gpu.cache_bandwidth) / 8
    high = max(FLOPS / ONCE, FLOPS / ASKED, gpu.matrix / gpu.bandwidth) * 8
    assert all(xy[:, 0] == pytest.approx([low, high]) for xy in flat)
    for name, bandwidth in (("memory", gpu.bandwidth), ("L2 cache", gpu.cache_bandwidth)):
        slope = drawn[f"{name}, {bandwidth / 1e12:.3g} TB/s"]
        assert slope.tolist() == pytest.approx(np.array([[low, low * bandwidth], [gpu.matrix / bandwidth, gpu.matrix]]))
    marks = {line.get_label(): line.get_marker() for line in axes.lines}
    assert [marks[f"at most, by {name}"] for name in ("memory", "the cache")] == ["v", "^"]
    assert all(
        line.get_linestyle()
        == ("None" if "at most" in line.get_label() else "--" if "FLOP" in line.get_label() else "-")
        for line in axes.lines
    )
    assert set(drawn) == {
        f"memory, {gpu.bandwidth / 1e12:.3g} TB/s", f"L2 cache, {gpu.cache_bandwidth / 1e12:.3g} TB/s",
        f"tensor cores, {gpu.matrix / 1e12:.4g} TFLOP/s", f"other, {gpu.other / 1e12:.4g} TFLOP/s",
        "at most, by memory", "at most, by the cache",
    }  # fmt: skip
    assert {text.get_text() for text in axes.get_legend().get_texts()} == set(drawn)


def test_what_was_measured_is_marked(axes: Any, explained: Any) -> None:
    found = Search("a GPU", (Measured("fast", 1e-5, 9), Measured("slow", 4e-5, 9)), (), ())
    fh.plot_roofline(explained, found, arch="sm_100", ax=axes)
    assert points(axes)["measured, 2"] == pytest.approx(np.array([(FLOPS / ONCE, FLOPS / s) for s in (1e-5, 4e-5)]))
    assert axes.get_title() == "B200"


@fh.kernel
def squared(y: Out["N"], x: Ref["N"]):
    tile = x.load_like(y)
    y.store(tile * tile)


def test_a_kernel_without_products_is_under_the_other_roof(axes: Any) -> None:
    x, y = np.zeros(4096, np.float32), np.zeros(4096, np.float32)
    explained = squared.explain(fh.partition(y, 64), x, arch=())
    fh.plot_roofline(explained, [1e-6], arch="sm_90", ax=axes)
    gpu, drawn = gpu_of("sm_90"), points(axes)
    ((x_, y_),) = drawn["at most, by memory"]
    assert (x_, y_) == pytest.approx((1 / 8, gpu.bandwidth / 8))
    slope = next(xy for label, xy in drawn.items() if label.startswith("memory"))
    assert slope[-1] == pytest.approx((gpu.other / gpu.bandwidth, gpu.other))
    assert drawn["measured, 1"] == pytest.approx(np.array([(1 / 8, 4096 / 1e-6)]))


def test_a_kernel_without_floats_is_under_no_roof(axes: Any) -> None:
    x, y = np.zeros(256, np.float32), np.zeros(256, np.float32)
    with pytest.raises(ValueError, match="computes nothing in floats"):
        fh.plot_roofline(copied.explain(fh.partition(y, 64), x, arch=()), ax=axes)


def test_without_matplotlib_it_says_what_to_install(explained: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ModuleNotFoundError, match="freehold\\[plots\\]"):
        fh.plot_roofline(explained)
    broken = ModuleNotFoundError("No module named 'kiwisolver'", name="kiwisolver")
    monkeypatch.setitem(sys.modules, "matplotlib", Missing(broken))
    with pytest.raises(ModuleNotFoundError) as caught:
        fh.plot_roofline(explained)
    assert caught.value is broken


class Missing(ModuleType):
    """A package of which an import ends in an error of its own."""

    def __init__(self, error: Exception):
        super().__init__("matplotlib")
        self.error = error

    def __getattr__(self, name: str) -> Any:
        if name == "pyplot":
            raise self.error
        raise AttributeError(name)


def test_without_axes_it_makes_some(explained: Any, monkeypatch: pytest.MonkeyPatch, axes: Any) -> None:
    made = ModuleType("matplotlib")
    vars(made)["pyplot"] = SimpleNamespace(subplots=lambda: ("a figure", axes))
    monkeypatch.setitem(sys.modules, "matplotlib", made)
    assert fh.plot_roofline(explained) is axes


def amounts(matrix: Any, other: Any, *traffic: tuple[Any, Any], given: Any = None) -> Any:
    """An explanation with these operations, and of each array what is moved of it, and its size."""

    def known(value: Any) -> Any:
        def evaluate(_: Any) -> Any:
            return value

        return SimpleNamespace(amounts=True, evaluate=evaluate)

    def size(value: Any) -> Any:
        return terms.const(value) if isinstance(value, int) else terms.parse(value or "absent")

    works = [SimpleNamespace(launch=known(value)) for value in (matrix, other)]
    moved = [SimpleNamespace(work=SimpleNamespace(launch=known(n)), size=size(s)) for n, s in traffic]
    return SimpleNamespace(cost=SimpleNamespace(matrix=works[0], other=works[1], traffic=moved), values=given or {})


def test_amounts_are_summed(axes: Any) -> None:
    fh.plot_roofline(amounts(30, 10, (6, 4), (3, 8)), ax=axes)
    drawn = points(axes)
    assert drawn["at most, by memory"][0][0] == pytest.approx(40 / (4 + 3))
    assert drawn["at most, by the cache"][0][0] == pytest.approx(40 / (6 + 3))


@pytest.mark.parametrize(
    "explanation",
    [
        amounts(None, 1, (4, 4)), amounts(1, None, (4, 4)), amounts(1, 1), amounts(1, 1, (0, 4)),
        amounts(1, 1, (4, 4), (None, 4)), amounts(1, 1, (4, 4), (4, None)), amounts(1, 1, (4, 4), (4, "8 // zero"),
        given={"zero": 0}),
    ],
)  # fmt: skip
def test_amounts_that_are_not_known_are_not_drawn(explanation: Any, axes: Any) -> None:
    with pytest.raises(ValueError, match="is not known: explain it with its arguments"):
        fh.plot_roofline(explanation, ax=axes)
    assert not axes.lines


@pytest.mark.parametrize("known", [{}, {"cost": 1}, {"values": {}}, {"cost": 1, "values": None}])
def test_something_else_is_no_explanation(known: Any, axes: Any) -> None:
    explanation: Any = SimpleNamespace(**known)
    with pytest.raises(TypeError, match=r"takes what `kernel.explain` returns"):
        fh.plot_roofline(explanation, ax=axes)


def test_a_row_a_stream_and_a_bar_a_launch(axes: Any) -> None:
    launches = [
        Launched(0, 0, "`add`", 5_000_000, 7_000_000),
        Launched(1, 16, "`gemm`", 6_000_000, None),
        Launched(0, 0, "`add`", 8_000_000, 9_000_000),
    ]
    assert fh.plot_timeline(launches, ax=axes) is axes
    bars = [(bar.get_x(), bar.get_width(), bar.get_y() + bar.get_height() / 2) for bar in axes.patches]
    assert bars == [pytest.approx(bar) for bar in ((0.0, 2.0, 0), (1.0, 3.0, 1), (3.0, 1.0, 0))]
    assert [bar.get_hatch() for bar in axes.patches] == [None, "//", None]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["GPU 0, stream 0x0", "GPU 1, stream 0x10"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["`add`", "`gemm`"]
    first, other, last = (bar.get_facecolor() for bar in axes.patches)
    assert first == last != other
    assert axes.get_xlabel() == "milliseconds, by the host's clock"
    low, high = axes.get_ylim()
    assert low > high  # the first row stands above the others


def test_nothing_is_no_timeline(axes: Any) -> None:
    with pytest.raises(ValueError, match="no launch"):
        fh.plot_timeline([], ax=axes)


def test_a_record_has_what_was_enqueued_in_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Timeline(7, SimpleNamespace(handle=48))
    monkeypatch.setitem(timelines, 7, {48: line})

    def enqueue(what: str) -> None:
        line.now += 1
        line.trace(what, None, 0)

    enqueue("before")
    began = monotonic_ns()
    with fh.record_launches() as launches:
        for what in ("first", "second", "third"):
            enqueue(what)
        line.reach(3)
    enqueue("after")
    line.reach(line.now)
    assert [launch[:3] for launch in launches] == [(7, 48, "first"), (7, 48, "second"), (7, 48, "third")]
    assert began <= launches[0].enqueued <= launches[1].enqueued <= launches[2].enqueued
    assert all(launch.done is not None and launch.done >= launch.enqueued for launch in launches[:2])
    assert launches[2].done is None
    line.reach(line.now)
    with fh.record_launches() as nothing:
        pass
    assert nothing == []
