"""Partitions into groups that offsets bound: run everywhere, with offsets that fit and offsets that do not."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from everywhere import everywhere
from hypothesis import given, settings
from hypothesis import strategies as st

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32, i32
from freehold.dialects.ownership import Duty, Rung, duties_of
from freehold.passes.pipeline import contract, convert
from freehold.runtime.interpreter import run, run_entry
from freehold.runtime.jit.kernel import Kernel

RNG = np.random.default_rng(12)
SCHEDULES: list[dict[str, Any]] = [
    {},
    {"blocks": fh.PERSISTENT},
    {"blocks": 3, "order": fh.COLUMN},
    {"order": fh.grouped(2)},
]


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape, np.float32)


def ints(*values: int) -> Any:
    return np.array(values, np.int32)


@fh.kernel
def product(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["E", "K", "N"], offsets: Ref[i32, "E + 1"], BK: Const[int] = 16):
    e, _, j = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        rows = a.load_from((c.start[0], k * BK), (c.tile[0], BK))
        acc = fh.mma(rows, b.load((e, k, j), (1, BK, c.tile[1])).reshape(BK, c.tile[1]), acc)
    c.store(acc)


@fh.kernel
def number(y: Out[i32, "M"], offsets: Ref[i32, "O"]):
    """Each element's group."""
    y.store(fh.full(y.tile, y.index[0], i32))


@fh.kernel
def mark(y: Mut[i32, "M"], offsets: Ref[i32, "O"]):
    """Adds where a region begins and ends, twice: what is read comes from what was written."""
    y.store(y.load() + y.start[0])
    y.store(y.load() + 1000 * y.stop[0])


@fh.kernel
def two(y: Out["M", "N"], z: Out["M"], x: Ref["M", "N"], offsets: Ref[i32, "O"]):
    """Two outputs in the same groups."""
    t = x.load_from(y.start, y.tile)
    y.store(t + 1)
    z.store(t.sum(axis=1))


@fh.kernel
def columns(y: Out["H", "M"], offsets: Ref[i32, "O"]):
    """Groups along the second axis."""
    e, _, _ = y.index
    y.store(fh.full(y.tile, 1.0, f32) * e)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("bounds", [(0, 10, 10, 45, 62, 70), (0, 0, 0, 70, 70, 70), (0, 16, 32, 48, 64, 70)])
def test_a_grouped_product(bounds: tuple[int, ...], schedule: dict[str, Any]) -> None:
    offsets, a, b = ints(*bounds), normal(70, 33), normal(5, 33, 40)
    c = np.full((70, 40), np.nan, np.float32)
    wanted = np.concatenate([a[offsets[e] : offsets[e + 1]] @ b[e] for e in range(5)])
    part = fh.ragged(c, (16, 32), by="offsets", **schedule)
    everywhere(
        product, part, a, b, offsets, check=lambda: np.testing.assert_allclose(c, wanted, atol=1e-4), arch="sm_90"
    )


def test_what_is_proved_of_groups() -> None:
    part = fh.ragged(np.zeros((70, 40), np.float32), (16, 32), by="offsets")
    module = product.verify(part, normal(70, 33), normal(5, 33, 40), ints(0, 1, 2, 3, 4, 70))
    found = [o for op in module.walk() for o in duties_of(op)]
    assert {o.rung for o in found if o.duty is not Duty.GROUPED} == {Rung.PROVED}
    assert [(o.rung, o.text) for o in found if o.duty is Duty.GROUPED] == [
        (Rung.KERNEL, "0 == offsets[0] <= ... <= offsets[E] == M")
    ]
    strict = Kernel(product.__wrapped__, product.options._replace(deny_kernel_checks=True))
    with pytest.raises(fh.Rejected, match="this partition into groups of `c` needs an in-kernel"):
        strict.verify(part, normal(70, 33), normal(5, 33, 40), ints(0, 1, 2, 3, 4, 70))


def test_what_is_said_of_groups() -> None:
    part = fh.ragged(np.zeros((70, 40), np.float32), (16, 32), by="offsets", most=32)
    arguments = part, normal(70, 33), normal(5, 33, 40), ints(0, 1, 2, 3, 4, 70)
    assert "checked in the kernel: 0 == offsets[0] <= ... <= offsets[E] == M" in str(
        product.explain(*arguments, arch=())
    )
    assert "by='offsets', axis=0, most=32" in repr(part)
    with pytest.raises(ValueError, match="groups are not drawn"):
        fh.show(part)


@pytest.mark.parametrize("schedule", SCHEDULES[:3])
def test_where_regions_begin_and_end(schedule: dict[str, Any]) -> None:
    before = RNG.integers(0, 9, 40).astype(np.int32)
    y, wanted, offsets = before.copy(), before.copy(), ints(3, 8, 8, 30)
    for low, high in ((3, 8), (8, 30)):
        for start in range(low, high, 8):
            stop = min(start + 8, high)
            wanted[start:stop] += start + 1000 * stop
    part = fh.ragged(y, 8, by="offsets", **schedule)
    everywhere(mark, part, offsets, check=lambda: np.testing.assert_array_equal(y, wanted), arch="sm_90")


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_two_outputs_in_the_same_groups(schedule: dict[str, Any]) -> None:
    x, offsets = normal(30, 20), ints(0, 5, 17, 17, 30)
    y, z = np.full((30, 20), np.nan, np.float32), np.full(30, np.nan, np.float32)
    parts = fh.ragged(y, (4, 32), by="offsets", **schedule), fh.ragged(z, 4, by="offsets", **schedule)

    def check() -> None:
        np.testing.assert_array_equal(y, x + 1)
        np.testing.assert_allclose(z, x.sum(axis=1), rtol=1e-4, atol=1e-4)

    everywhere(two, *parts, x, offsets, check=check)


@pytest.mark.parametrize(("by", "offsets", "code"), [("nothing", ints(0, 30), "O038"), ("offsets", ints(30)[0], "O212"),
                                                     ("offsets", ints(30), "O229")])  # fmt: skip
def test_two_outputs_are_cut_by_offsets_alone(by: str, offsets: Any, code: str) -> None:
    y, z = np.zeros((30, 20), np.float32), np.zeros(30, np.float32)
    with pytest.raises(fh.Rejected) as refused:
        two(fh.ragged(y, (4, 32), by=by), fh.ragged(z, 4, by=by), normal(30, 20), np.asarray(offsets)).sync()
    assert refused.value.codes[0] == code


def test_groups_along_another_axis() -> None:
    y, offsets = np.full((10, 50), np.nan, np.float32), ints(0, 20, 33, 50)
    wanted = np.broadcast_to(np.repeat(np.arange(3, dtype=np.float32), [20, 13, 17]), (10, 50))
    part = fh.ragged(y, (8, 16), by="offsets", axis=1)
    everywhere(columns, part, offsets, check=lambda: np.testing.assert_array_equal(y, wanted))


def test_many_groups() -> None:
    """More than are looked at together."""
    sizes = RNG.integers(0, 4, 300)
    offsets = np.concatenate([[0], sizes.cumsum()]).astype(np.int32)
    y = np.full(int(offsets[-1]), -1, np.int32)
    part = fh.ragged(y, 2, by="offsets", most=4)
    everywhere(number, part, offsets, check=lambda: np.testing.assert_array_equal(y, np.repeat(np.arange(300), sizes)))
    for wrong in (offsets[::-1], np.where(np.arange(301) == 290, offsets[289] - 1, offsets)):
        with pytest.raises(fh.Rejected):
            number(part, np.ascontiguousarray(wrong, np.int32)).sync()


def test_the_rest_of_a_partial_output_stays() -> None:
    y = np.full(20, -7, np.int32)
    wanted = np.array([-7] * 4 + [0] * 2 + [1] * 4 + [-7] * 10)
    part = fh.ragged(y, 4, by="offsets", most=4, partial=True)
    everywhere(number, part, ints(4, 6, 12), check=lambda: np.testing.assert_array_equal(y, wanted))


def fits(bounds: list[int], extent: int, most: int | None, *, whole: bool) -> bool:
    """Whether offsets bound groups, said a second time."""
    pairs = list(pairwise(bounds))
    return (
        all(0 <= low <= high <= extent for low, high in pairs)
        and (most is None or all(high - low <= most for low, high in pairs))
        and (not whole or (bounds[0] == 0 and bounds[-1] == extent))
    )


BOUNDS = st.one_of(
    st.lists(st.integers(-2, 26), min_size=2, max_size=6),
    st.lists(st.integers(0, 24), min_size=0, max_size=5).map(lambda inner: [0, *sorted(inner), 24]),
    st.lists(st.sampled_from([0, 24, 12, -(2**31), 2**31 - 1]), min_size=2, max_size=4),
)


@settings(max_examples=60)
@given(
    BOUNDS, st.sampled_from([None, 8, 16]), st.booleans(), st.sampled_from([None, "decreasing", 1]), st.integers(1, 3)
)
def test_offsets_are_refused_or_right(
    bounds: list[int], most: int | None, whole: bool, order: Any, stride: int
) -> None:
    """Whatever the offsets: a launch is refused and has written nothing, or every element is its group's, once."""
    offsets = np.arange(len(bounds) * stride, dtype=np.int32)[::stride]
    offsets[:] = bounds
    for lowered in (False, True):
        y = np.full(24, -1, np.int32)
        kernel = number if whole else mark
        arguments = fh.ragged(y, 8, by="offsets", most=most), offsets
        module = kernel.verify(*arguments)
        try:
            if lowered:
                run_entry(convert(module), contract(module), [y, offsets], order=order, checked=True)
            else:
                run(module, [y, offsets], order=order, checked=True)
        except fh.Rejected:
            assert not fits(bounds, 24, most, whole=whole)
            assert (y == -1).all()
            continue
        assert fits(bounds, 24, most, whole=whole)
        groups = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        if whole:
            np.testing.assert_array_equal(y, groups)
        else:
            assert (y[: bounds[0]] == -1).all()
            assert (y[bounds[-1] :] == -1).all()
            assert (y[bounds[0] : bounds[-1]] > -1).all()
