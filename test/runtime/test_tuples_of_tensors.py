"""Tuples of tensors: a kernel for as many as a call gives, however it is launched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tuple_kernels import mean, sgd

import freehold as fh
from freehold import Mut, Ref, f32

N = 100


def filled(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).integers(-8, 8, shape or (N,)).astype(np.float32)


def cut(arrays: Any) -> tuple[Any, ...]:
    return tuple(fh.partition(a, 32) for a in arrays)


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("kind", [tuple, list])
def test_a_launch_takes_any_number(count: int, kind: Any) -> None:
    for mode in ("fast", "adversarial", "checked"):
        for is_cut in (True, False):  # also where the schedule is open
            ps, gs = ([filled(n + at) for n in range(count)] for at in (0, 9))
            with fh.interpreting(mode):
                sgd(kind(cut(ps) if is_cut else ps), kind(gs), 0.5).sync()
            for n in range(count):
                np.testing.assert_array_equal(ps[n], filled(n) - 0.5 * gs[n])


def test_what_is_read_alone_and_beside_optional_tensors() -> None:
    xs, y = [filled(n) for n in range(4)], np.zeros(N, np.float32)
    assert mean(fh.partition(y, 32), xs).sync() is y
    np.testing.assert_array_equal(y, sum(xs) / 4)
    mean(fh.partition(y, 32), xs=xs[:2], weight=xs[3]).sync()
    np.testing.assert_array_equal(y, (xs[0] + xs[1]) * xs[3] / 2)


def test_bound_launches_exchange_tuples() -> None:
    ps, gs = [filled(0), filled(1)], [filled(2), filled(3)]
    bound = sgd.bind(cut(ps), gs, 1.0)
    bound.sync()
    bound.rebind(gs=gs[::-1]).sync()
    bound.rebind(ps=cut(ps[:1]), gs=gs[:1]).sync()
    np.testing.assert_array_equal(ps[0], filled(0) - 2 * gs[0] - gs[1])
    np.testing.assert_array_equal(ps[1], filled(1) - gs[0] - gs[1])


def test_in_graphs_and_chains() -> None:
    ps, gs, y = [filled(0), filled(1)], [filled(2), filled(3)], np.zeros(N, np.float32)
    graph = sgd(cut(ps), gs, 1.0).then(lambda changed: mean(fh.partition(y, 32), changed)).graph()
    graph.replay().sync()
    np.testing.assert_array_equal(y, (filled(0) + filled(1) - gs[0] - gs[1]) / 2)


def test_a_package_has_the_numbers_it_was_built_with(tmp_path: Path) -> None:
    ps, gs = [filled(0), filled(1)], [filled(2), filled(3)]
    fh.build([sgd(cut(ps), gs, 1.0)], [], tmp_path / "kernels")
    kernels = fh.load(tmp_path / "kernels")
    kernels.sgd(cut(ps), gs, 1.0).sync()
    np.testing.assert_array_equal(ps[0], filled(0) - gs[0])
    with pytest.raises(fh.Rejected) as caught:
        kernels.sgd(cut(ps[:1]), gs[:1], 1.0).sync()
    assert "it was built from no launch like this one with 1 in `ps`" in str(caught.value)


def test_each_is_checked_by_itself() -> None:
    ps, gs = [filled(0), filled(1)], [filled(2), filled(3)]
    wrong: list[tuple[Any, Any, str, str]] = [
        (cut(ps), gs[0], "O218", "a ndarray given for `gs: tuple["),
        (cut(ps), [gs[0], 3.0], "O211", "`gs1`"),
        (cut(ps), [gs[0], gs[1][:50]], "O230", "`gs1` is declared here"),
        (cut(ps), [gs[0], ps[1]], "O201", "`ps1`"),
        (cut([ps[0], ps[0]]), gs, "O201", "`ps0`"),
        ((fh.partition(ps[0], 32), fh.partition(ps[1], 16)), gs, "O225", "different grids"),
        ((fh.partition(ps[0], 32), ps[1]), gs, "O220", "needs a partition"),
        (cut(ps), gs[:1], "O013", "not of 2 and 1"),
    ]
    for given, read, code, said in wrong:
        with pytest.raises(fh.Rejected) as caught:
            sgd(given, read, 1.0).sync()
        assert (caught.value.codes, said in str(caught.value)) == ((code,), True), str(caught.value)
    np.testing.assert_array_equal(ps[0], filled(0))


@fh.kernel
def decay(ps: tuple[Mut, ...], rate: f32):
    for p in ps:
        p.store(p.load() * rate)


def test_of_unlike_sizes_each_shape_is_a_launch() -> None:
    """What the errors say to do is done, and does it."""
    ps, gs = ([filled(n, size) for n, size in enumerate((100, 40, 100, 7), at)] for at in (0, 9))
    wanted = [p - 0.5 * g for p, g in zip(ps, gs, strict=True)]
    with pytest.raises(fh.Rejected) as caught:
        sgd(cut(ps), gs, 0.5).sync()
    assert "help: all tensors of a tuple are cut alike: launch `sgd` once for each shape" in str(caught.value)
    with pytest.raises(fh.Rejected) as caught:
        decay(cut(ps), 0.5).sync()
    assert caught.value.codes[0] == "O225"
    assert "with `[t for t in ps if t.shape == shape]`" in str(caught.value)
    for shape in {p.shape for p in ps}:
        mine = [t for t in ps if t.shape == shape]
        sgd(cut(mine), [t for t in gs if t.shape == shape], 0.5).sync()
    for p, w in zip(ps, wanted, strict=True):
        np.testing.assert_array_equal(p, w)


def test_unlike_sizes_in_equally_many_regions_are_one_launch() -> None:
    ps = [filled(0, 100), filled(1, 50), filled(2, 10, 40)]
    decay([fh.partition(p, tile) for p, tile in zip(ps[:2], (32, 16), strict=True)], 0.5).sync()
    np.testing.assert_array_equal(ps[0], filled(0, 100) * 0.5)
    np.testing.assert_array_equal(ps[1], filled(1, 50) * 0.5)


@fh.kernel
def straight(ps: tuple[Mut["N"], ...], x: Ref["N"]):
    ps[0].store(x.load((ps[0].index[0] + 1,), ps[0].tile))


@fh.kernel
def in_a_branch(ps: tuple[Mut["N"], ...], x: Ref["N"]):
    for p in ps:
        if p.index[0] >= 0:
            p.store(x.load((p.index[0] + 1,), p.tile))


@fh.kernel
def in_a_loop(ps: tuple[Mut["N"], ...], x: Ref["N"]):
    for p in ps:
        for k in range(2):
            p.store(x.load((p.index[0] + k,), p.tile))


def moved(p: Any, x: Any) -> None:
    p.store(x.load((p.index[0] + 1,), p.tile))


@fh.kernel
def in_a_helper(ps: tuple[Mut["N"], ...], x: Ref["N"]):
    for p in ps:
        moved(p, x)


@pytest.mark.parametrize("kernel", [straight, in_a_branch, in_a_loop, in_a_helper], ids=lambda k: k.__name__)
def test_accesses_of_each_are_proved(kernel: Any) -> None:
    with pytest.raises(fh.Rejected) as caught:
        kernel(cut([filled(0), filled(1)]), filled(2)).sync()
    assert set(caught.value.codes) <= {"O232", "O233", "O302"}


@fh.kernel
def twice(ps: tuple[Mut["N"], ...]):
    for p in (*ps, ps[0]):
        p.store(p.load() + 1.0)


def test_one_tensor_may_be_taken_several_times() -> None:
    ps = [filled(0), filled(1)]
    twice(cut(ps)).sync()
    np.testing.assert_array_equal(ps[0], filled(0) + 2)
    np.testing.assert_array_equal(ps[1], filled(1) + 1)


def test_foreign_kernels_take_none() -> None:
    with pytest.raises(fh.Rejected, match="arrays that depend on the call"):
        fh.extern("", signature=sgd.function.function, grid=1)  # pyright: ignore[reportCallIssue, reportArgumentType]


@fh.kernel
def numbered(p_0: Mut["N"], p_1: Mut["N"], xs: tuple[Ref["N"], ...], xs0: Ref["N"]):
    p_0.store(xs[0].load_like(p_0) + xs0.load_like(p_0))
    p_1.store(xs[1].load_like(p_1))


def test_names_with_numbers_are_told_apart(tmp_path: Path) -> None:
    y, z, a, b, c = (filled(n) for n in range(5))
    launch = numbered(*cut([y, z]), (a, b), c)
    launch.sync()
    fh.build([numbered(*cut([y, z]), (a, b), c)], [], tmp_path / "kernels")
    for _ in range(2):
        np.testing.assert_array_equal(y, a + c)
        np.testing.assert_array_equal(z, b)
        y[:], z[:] = 0, 0
        fh.load(tmp_path / "kernels").numbered(*cut([y, z]), (a, b), c).sync()
