"""
Partitions of every kind, run: against NumPy in several orders of blocks, as ownership IR and as Tile IR, with the
interpreter looking for races and for elements that nobody wrote.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from everywhere import everywhere
from xdsl.utils.exceptions import PassFailedException

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32
from freehold.frontend.schedule import PartitionSpec
from freehold.passes.pipeline import contract
from freehold.runtime.launch.partition import Partition

RNG = np.random.default_rng(3)


def read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


@fh.kernel
def double(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load_like(y) * 2.0)


@fh.kernel
def add_in_place(y: Mut["M", "N"], x: Ref["M", "N"]):
    y.store(y.load() + x.load_like(y))


MAPS: dict[str, fh.IndexMap] = {
    "reversed": fh.REVERSED,
    "permuted": fh.permuted(1, 0),
    "skewed": fh.SKEWED,
    "interleaved": fh.interleaved(4),
    "of one's own": fh.IndexMap(lambda i, j, grid: (grid[0] - 1 - i, j)),
    "one axis": fh.IndexMap(lambda n, grid: (n // grid[1], n % grid[1]), domain=lambda m, n: m * n),
    "one axis, columns": fh.IndexMap(lambda n, grid: (n % grid[0], n // grid[0]), domain=lambda m, n: m * n),
    "three axes": fh.IndexMap(lambda i, j, k: (i, 3 * j + k), domain=lambda m, n: (m, n // 3, 3)),
    "halves swapped": fh.IndexMap(
        lambda i, j, k, grid: (i, (1 - j) * (grid[1] // 2) + k), domain=lambda m, n: (m, 2, n // 2)
    ),
    "bounds that hold anyway": fh.IndexMap(lambda i, j, grid: (fh.minimum(i, grid[0] - 1), fh.maximum(j, 0))),
}


@pytest.mark.parametrize("blocks", [fh.EACH, fh.PERSISTENT, 5], ids=str)
@pytest.mark.parametrize("name", MAPS)
def test_a_map_changes_nothing(name: str, blocks: Any) -> None:
    x = read_only(RNG.standard_normal((50, 96 * 6 - 7), np.float32))
    y = np.full_like(x, np.nan)
    tile = (16, 32)

    def same() -> None:
        np.testing.assert_array_equal(y, x * 2.0)

    everywhere(double, fh.partition(y, tile, blocks=blocks, map=MAPS[name]), x, check=same, arch="sm_90")


TURNED: dict[str, fh.IndexMap] = {
    "backwards": fh.IndexMap(lambda i, j, grid: (i, (3 - j) % grid[1])),
    "by rows": fh.IndexMap(lambda i, j, grid: (i, (j + 3 * i) % grid[1])),
    "by rows, and back": fh.IndexMap(lambda i, j, grid: (i, (i - j) % grid[1])),
}
MEETING: dict[str, fh.IndexMap] = {
    "twice": fh.IndexMap(lambda i, j, grid: (i, (2 * j) % grid[1])),
    "twice, and turned": fh.IndexMap(lambda i, j, grid: (i, (2 * j + i) % grid[1])),
    "thrice, and backwards": fh.IndexMap(lambda i, j, grid: (i, (grid[1] - 1 - 3 * j) % grid[1])),
    "by a smaller base": fh.IndexMap(lambda i, j, grid: (i, j % (grid[1] - 1))),
    "by another axis's base": fh.IndexMap(lambda i, j, grid: (i, j % grid[0])),
    "squares": fh.IndexMap(lambda i, j, grid: (i, (j * j) % grid[1])),
    "halves": fh.IndexMap(lambda i, j, grid: (i, (j // 2) % grid[1])),
    "what is left out": fh.IndexMap(lambda i, j, grid: (i % grid[0], (i + j - j) % grid[1])),
    "both alike": fh.IndexMap(lambda i, j, grid: ((i + j) % grid[0], (i + j) % grid[1])),
}


@pytest.mark.parametrize("name", TURNED)
def test_maps_that_turn_the_tiles_of_an_axis(name: str) -> None:
    x, y = np.ones((50, 570), np.float32), np.zeros((50, 570), np.float32)
    double(fh.partition(y, (16, 32), map=TURNED[name]), x).sync()
    np.testing.assert_array_equal(y, x * 2.0)


@pytest.mark.parametrize("name", MEETING)
def test_maps_that_give_a_tile_to_two_blocks_are_refused(name: str) -> None:
    x, y = np.ones((50, 570), np.float32), np.zeros((50, 570), np.float32)
    with pytest.raises(fh.Rejected) as caught:
        double.verify(fh.partition(y, (16, 32), map=MEETING[name]), x)
    assert "O101" in caught.value.codes


def test_what_is_updated_in_place_may_be_mapped_too() -> None:
    x = read_only(RNG.standard_normal((50, 70), np.float32))
    y = x.copy()

    def same() -> None:
        np.testing.assert_array_equal(y, x + x)

    everywhere(add_in_place, fh.partition(y, (8, 16), map=fh.SKEWED), x, check=same)


# --- Parts ------------------------------------------------------------------------------------------------------------


def test_a_prefix_leaves_the_rest() -> None:
    x = read_only(RNG.standard_normal((50, 70), np.float32))
    y = np.zeros_like(x)

    def prefix() -> None:
        np.testing.assert_array_equal(y[:32], 2.0 * x[:32])
        assert not y[32:].any()

    everywhere(double, fh.partition(y, (16, 32), grid=lambda m, n: (m - 2, n), partial=True), x, check=prefix)
    everywhere(double, fh.partition(y, (16, 32), grid=(2, 3), partial=True), x, check=prefix)


@pytest.mark.parametrize("triangle", [fh.LOWER_TRIANGLE, fh.UPPER_TRIANGLE], ids=["lower", "upper"])
def test_a_triangle(triangle: fh.IndexMap) -> None:
    x = read_only(RNG.standard_normal((64, 64), np.float32))
    y = np.zeros_like(x)
    i, j = np.indices((64, 64)) // 16
    inside = j <= i if triangle is fh.LOWER_TRIANGLE else i <= j

    def drawn() -> None:
        np.testing.assert_array_equal(y, np.where(inside, 2.0 * x, 0.0))

    everywhere(double, fh.partition(y, (16, 16), map=triangle, partial=True), x, check=drawn, arch="sm_90")


def test_a_prefix_that_is_too_long_is_refused_at_launch() -> None:
    x = np.ones((50, 70), np.float32)
    with pytest.raises(fh.Rejected) as caught:
        double(fh.partition(np.zeros_like(x), (16, 32), grid=(9, 3), partial=True), x).sync()
    assert caught.value.codes == ("O232",)


def test_a_domain_without_points_is_refused_at_launch() -> None:
    x = np.ones((10, 10), np.float32)
    with pytest.raises(fh.Rejected) as caught:
        double(fh.partition(np.zeros_like(x), (16, 32), grid=lambda m, n: (m - 1, n), partial=True), x).sync()
    assert caught.value.codes == ("O229",)


# --- Owned axes -------------------------------------------------------------------------------------------------------


@fh.kernel
def softmax(y: Out["M", "N"], x: Ref["M", "N"]):
    (i,) = y.index
    top = fh.full((y.tile[0], 1), float("-inf"), f32)
    total = fh.zeros((y.tile[0], 1), f32)
    for k in fh.tiles(x, axis=1, size=y.tile[1]):
        t = x.load((i, k), y.tile, padding="-inf")
        higher = fh.maximum(top, fh.max(t, axis=1, keepdims=True))
        total = total * fh.exp(top - higher) + fh.sum(fh.exp(t - higher), axis=1, keepdims=True)
        top = higher
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        y.at(k).store(fh.exp(x.load((i, k), y.tile) - top) / total)


@pytest.mark.parametrize("blocks", [fh.EACH, fh.PERSISTENT], ids=str)
@pytest.mark.parametrize("options", [{}, {"map": fh.REVERSED}], ids=["straight", "reversed"])
def test_rows_longer_than_a_tile(options: dict[str, Any], blocks: Any) -> None:
    x = read_only(RNG.standard_normal((10, 150), np.float32))
    y = np.full_like(x, np.nan)
    wanted = np.exp(x - x.max(1, keepdims=True))
    wanted /= wanted.sum(1, keepdims=True)

    def right() -> None:
        np.testing.assert_allclose(y, wanted, rtol=1e-5)

    part = fh.partition(y, (4, 64), owned=1, blocks=blocks, **options)
    everywhere(softmax, part, x, check=right, arch="sm_90")


@fh.kernel
def layer_norm(y: Out["M", "N"], mean: Out["M"], x: Ref["M", "N"], w: Ref["N"], eps: float):
    (i,) = y.index
    first = fh.zeros((y.tile[0], 1), f32)
    second = fh.zeros((y.tile[0], 1), f32)
    for k in fh.tiles(x, axis=1, size=y.tile[1]):
        t = x.load((i, k), y.tile)
        first += fh.sum(t, axis=1, keepdims=True)
        second += fh.sum(t * t, axis=1, keepdims=True)
    n = x.shape[1].astype(f32)
    middle = first / n
    scale = fh.rsqrt(second / n - middle * middle + eps)
    mean.store(middle.reshape(mean.tile))
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        y.at(k).store((x.load((i, k), y.tile) - middle) * scale * w.load((k,), (y.tile[1],)))


def test_layer_norm_with_a_second_output() -> None:
    x, w = read_only(RNG.standard_normal((10, 150), np.float32)), read_only(RNG.standard_normal(150, np.float32))
    y, mean = np.full_like(x, np.nan), np.full(10, np.nan, np.float32)
    middle = x.mean(1, keepdims=True)
    wanted = (x - middle) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * w

    def right() -> None:
        np.testing.assert_allclose(y, wanted, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(mean, middle[:, 0], rtol=1e-3, atol=1e-5)

    parts = fh.partition(y, (4, 64), owned=1), fh.partition(mean, 4)
    everywhere(layer_norm, *parts, x, w, 1e-5, check=right, arch="sm_90")


@fh.kernel
def transpose(y: Out["N", "M"], x: Ref["M", "N"], T: Const[int] = 16):
    (i,) = y.index
    for k in fh.tiles(y, axis=0, size=T):
        y.at(k).store(x.load((i, k), (T, T)).T)


def test_a_transpose_that_owns_columns() -> None:
    x = read_only(RNG.standard_normal((50, 70), np.float32))
    y = np.full((70, 50), np.nan, np.float32)

    def right() -> None:
        np.testing.assert_array_equal(y, x.T)

    everywhere(transpose, fh.partition(y, (16, 16), owned=0), x, check=right)


@fh.kernel
def first_of_row(y: Out["M", "N"], x: Ref["M", "N"]):
    (i,) = y.index
    y.at(0).store(x.load((i, 0), y.tile))


def test_an_axis_that_is_owned_and_not_walked_has_one_region() -> None:
    x = np.ones((8, 64), np.float32)
    y = np.zeros_like(x)
    first_of_row(fh.partition(y, (4, 64), owned=1), x).sync()
    assert y.all()
    longer = np.ones((8, 65), np.float32)
    with pytest.raises(fh.Rejected) as caught:
        first_of_row(fh.partition(np.zeros_like(longer), (4, 64), owned=1), longer).sync()
    assert caught.value.codes == ("O232",)


# --- Outputs of different rank ----------------------------------------------------------------------------------------


@fh.kernel
def partial_attention(
    part: Out["B", "H", "S", "D"], lse: Out["B", "H", "S"], q: Ref["B", "H", "D"], k: Ref["B", "N", "D"],
    v: Ref["B", "N", "D"], KEYS: Const[int] = 16,
):  # fmt: skip
    b, h, s, _ = part.index
    d: Const[int] = part.tile[3]
    query = q.load((b, h, 0), (1, 1, d)).reshape((1, d))
    keys = k.load((b, s, 0), (1, KEYS, d)).reshape((KEYS, d))
    values = v.load((b, s, 0), (1, KEYS, d)).reshape((KEYS, d))
    inside = s * KEYS + fh.arange(KEYS)[None] < k.shape[1]
    scores = fh.where(inside, fh.sum(query * keys, axis=1).reshape((1, KEYS)), float("-inf"))
    top = fh.max(scores, axis=1, keepdims=True)
    weights = fh.exp(scores - top)
    total = fh.sum(weights, axis=1, keepdims=True)
    out = fh.sum(weights.reshape((KEYS, 1)) * values, axis=0) / total.reshape((1,))
    part.store(out.reshape(part.tile))
    lse.store((top + fh.log(total)).reshape(lse.tile))


@fh.kernel
def merge(o: Out["B", "H", "D"], part: Ref["B", "H", "S", "D"], lse: Ref["B", "H", "S"]):
    b, h, _ = o.index
    d: Const[int] = o.tile[2]
    top = fh.full((1,), float("-inf"), f32)
    for s in fh.tiles(lse, axis=2, size=1):
        top = fh.maximum(top, lse.load((b, h, s), (1, 1, 1)).reshape((1,)))
    total = fh.zeros((1,), f32)
    acc = fh.zeros((d,), f32)
    for s in fh.tiles(lse, axis=2, size=1):
        w = fh.exp(lse.load((b, h, s), (1, 1, 1)).reshape((1,)) - top)
        total += w
        acc += w * part.load((b, h, s, 0), (1, 1, 1, d)).reshape((d,))
    o.store((acc / total).reshape(o.tile))


def test_split_attention() -> None:
    """Partial results and log-sum-exps on one grid, and a kernel that merges them."""
    b, h, n, d, splits = 2, 3, 75, 32, 5
    q = read_only(RNG.standard_normal((b, h, d), np.float32))
    k, v = (read_only(RNG.standard_normal((b, n, d), np.float32)) for _ in range(2))
    part, lse = np.full((b, h, splits, d), np.nan, np.float32), np.full((b, h, splits), np.nan, np.float32)
    scores = np.einsum("bhd,bnd->bhn", q, k)
    weights = np.exp(scores - scores.max(2, keepdims=True))
    wanted = np.einsum("bhn,bnd->bhd", weights / weights.sum(2, keepdims=True), v)

    def finite() -> None:
        assert np.isfinite(part).all()
        assert np.isfinite(lse).all()

    parts = fh.partition(part, (1, 1, 1, d)), fh.partition(lse, (1, 1, 1))
    everywhere(partial_attention, *parts, q, k, v, check=finite, arch="sm_90")
    checks = [c.predicate for c in contract(partial_attention.verify(*parts, q, k, v)).checks]
    assert "ceildiv(D, 32) == 1" in checks
    o = np.full((b, h, d), np.nan, np.float32)

    def right() -> None:
        np.testing.assert_allclose(o, wanted, rtol=1e-4, atol=1e-5)

    everywhere(merge, fh.partition(o, (1, 1, d)), read_only(part), read_only(lse), check=right, arch="sm_90")


# --- Partitions of what is read ---------------------------------------------------------------------------------------


@fh.kernel
def sum_rows(y: Out["M"], x: Ref["M", "N"]):
    (i,) = y.index
    acc = fh.zeros(x.tile, f32)
    for k in fh.tiles(x, axis=1, size=x.tile[1]):
        acc += x.load((i, k), x.tile)
    y.store(fh.sum(acc, axis=1))


def test_an_input_that_is_partitioned_has_a_tile() -> None:
    x = read_only(RNG.standard_normal((10, 150), np.float32))
    y = np.full(10, np.nan, np.float32)

    def right() -> None:
        np.testing.assert_allclose(y, x.sum(1), rtol=1e-4, atol=1e-5)

    everywhere(sum_rows, fh.partition(y, 4), fh.partition(x, (4, 64), owned=1), check=right)


@fh.kernel
def window(y: Out["N"], x: Ref["N"]):
    y.store(x.load() * 2.0)


def test_an_input_may_be_read_at_a_mapped_place() -> None:
    x = read_only(RNG.standard_normal(128, np.float32))
    y = np.full(128, np.nan, np.float32)

    def right() -> None:
        np.testing.assert_array_equal(y, 2.0 * x.reshape(4, 32)[::-1].reshape(128))

    everywhere(window, fh.partition(y, 32), fh.partition(x, 32, map=fh.REVERSED), check=right)


@fh.kernel
def regions_by_name(y: Out["N"], x: Ref["N"]):
    (i,) = y.index
    j = fh.cdiv(y.shape[0], y.tile[0]) - 1 - i
    y.at(j).store(x.load((j,), y.tile))


def test_a_kernel_may_name_its_regions() -> None:
    x = read_only(RNG.standard_normal(150, np.float32))
    y = np.full(150, np.nan, np.float32)

    def right() -> None:
        np.testing.assert_array_equal(y, x)

    everywhere(regions_by_name, fh.partition(y, 32), x, check=right)


def spec_of(partition: Any) -> PartitionSpec:
    """Of a partition that says all."""
    spec: Any = partition.spec
    assert isinstance(spec, PartitionSpec)
    return spec


def test_equal_specs_are_one_object() -> None:
    y = np.zeros((8, 8), np.float32)

    def turned() -> Partition:
        return fh.partition(y, (2, 2), map=lambda i, j: (j, i), grid=lambda m, n: (n, m))

    assert turned().spec is turned().spec
    assert turned().spec is not fh.partition(y, (2, 2)).spec
    assert (
        spec_of(turned()).point_map.region == spec_of(fh.partition(y, (2, 2), map=fh.permuted(1, 0))).point_map.region
    )


def test_a_map_is_read_again_where_it_may_say_something_else() -> None:
    y = np.zeros(64, np.float32)

    def shifted(by: int) -> Any:
        part = fh.partition(y, 4, map=lambda i, grid: (i + by) % grid[0])
        return spec_of(part).point_map.region[0]

    assert [str(shifted(n)) for n in (1, 2, 1)] == [f"(point[0] + {n}) % grid[0]" for n in (1, 2, 1)]
    table = {"by": 3}
    assert "3" in str(spec_of(fh.partition(y, 4, map=lambda i, grid: (i + table["by"]) % grid[0])).map)
    table["by"] = 5
    assert "5" in str(spec_of(fh.partition(y, 4, map=lambda i, grid: (i + table["by"]) % grid[0])).map)


@fh.kernel
def pairs(y: Out["M", "N"]):
    for k in range(fh.cdiv(y.shape[1], y.tile[1]) // 2):
        y.at(2 * k).store(1.0)
        y.at(2 * k + 1).store(2.0)


@fh.kernel
def edge_and_rest(y: Out["M", "N"]):
    y.at(0).store(1.0)
    for k in range(1, fh.cdiv(y.shape[1], y.tile[1])):
        y.at(k).store(2.0)


@fh.kernel
def two_halves(y: Out["M", "N"]):
    n = fh.cdiv(y.shape[1], y.tile[1])
    for k in range(n // 2):
        y.at(k).store(1.0)
    for k in range(n // 2, n):
        y.at(k).store(2.0)


@pytest.mark.parametrize("kernel", [pairs, edge_and_rest, two_halves], ids=lambda k: k.__name__)
def test_several_places_cover_an_axis_together(kernel: Any) -> None:
    y = np.full((8, 96), np.nan, np.float32)

    def written() -> None:
        assert np.isfinite(y).all()

    everywhere(kernel, fh.partition(y, (4, 16), owned=1), check=written)


@fh.kernel
def both_halves(y: Out["M", "N"]):
    y.at(1).store(2.0)
    y.at(0).store(1.0)


def test_two_places_outside_of_loops_cover_two_regions() -> None:
    y = np.full((8, 32), np.nan, np.float32)

    def written() -> None:
        np.testing.assert_array_equal(y, np.repeat([1.0, 2.0], 16)[None].repeat(8, axis=0))

    everywhere(both_halves, fh.partition(y, (4, 16), owned=1), check=written)
    with pytest.raises(fh.Rejected) as caught:
        both_halves(fh.partition(np.zeros((8, 48), np.float32), (4, 16), owned=1)).sync()
    assert caught.value.codes == ("O232",)


# --- Regions that are taken again -------------------------------------------------------------------------------------


@fh.kernel
def softmax_in_place(y: Mut["M", "N"]):
    top = fh.full((y.tile[0], 1), float("-inf"), f32)
    total = fh.zeros((y.tile[0], 1), f32)
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        t = y.at(k).load(padding="-inf")
        higher = fh.maximum(top, fh.max(t, axis=1, keepdims=True))
        total = total * fh.exp(top - higher) + fh.sum(fh.exp(t - higher), axis=1, keepdims=True)
        top = higher
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        part = y.at(k)
        part.store(fh.exp(part.load() - top) / total)


@fh.kernel
def accumulate_pairs(y: Mut["M", "N"]):
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        region = y.at(k // 2)
        region.store(region.load() + 1.0)


def test_a_point_may_walk_its_regions_again() -> None:
    x = RNG.standard_normal((10, 150), np.float32)
    y = x.copy()
    wanted = np.exp(x - x.max(1, keepdims=True))
    wanted /= wanted.sum(1, keepdims=True)

    def right() -> None:
        np.testing.assert_allclose(y, wanted, rtol=1e-5)

    everywhere(softmax_in_place, fh.partition(y, (4, 64), owned=1), check=right, arch="sm_90")


def test_turns_may_share_a_region() -> None:
    y = np.zeros((4, 160), np.float32)

    def right() -> None:
        np.testing.assert_array_equal(y[0, ::32], [2.0, 2.0, 1.0, 0.0, 0.0])

    everywhere(accumulate_pairs, fh.partition(y, (4, 32), owned=1), check=right)


def test_a_lowering_that_forgets_their_order_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order is what makes it right: the verifier of tokens misses it, and so does the interpreter."""
    monkeypatch.setattr("freehold.passes.thread_tokens._is_ordered", lambda _: False)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] -- a stand-in
    y = np.zeros((4, 160), np.float32)
    part = fh.partition(y, (4, 32), owned=1)
    with pytest.raises(PassFailedException, match="is not ordered after"):
        everywhere(accumulate_pairs, part, check=lambda: None)
    monkeypatch.setattr("freehold.passes.lowering.verify_tokens", lambda *_: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] -- a stand-in
    with pytest.raises(fh.Rejected, match="token"):
        everywhere(accumulate_pairs, part, check=lambda: None)


# --- Sums that several blocks share -----------------------------------------------------------------------------------


@fh.kernel
def split_product(c: fh.Acc["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 16):
    i, j = c.index
    _, s = a.index
    steps: Const[int] = a.tile[1] // BK
    acc = fh.zeros(c.tile, f32)
    for k in range(steps):
        at = s * steps + k
        if at * BK < a.shape[1]:
            acc = fh.mma(a.load((i, at), (c.tile[0], BK)), b.load((at, j), (BK, c.tile[1])), acc)
    c.add(acc)


def test_a_product_split_along_its_sum() -> None:
    a, b = (read_only(RNG.standard_normal(shape, np.float32)) for shape in ((40, 150), (150, 50)))
    c = np.zeros((40, 50), np.float32)
    splits = -(-150 // 64)
    parts = (
        fh.partition(c, (16, 16), map=lambda i, s, j: (i, j), grid=lambda m, n: (m, splits, n)),
        fh.partition(a, (16, 64)),
    )

    def right() -> None:
        np.testing.assert_allclose(c, a @ b, rtol=1e-3, atol=1e-3)

    everywhere(split_product, *parts, b, check=right, arch="sm_90")


def test_a_tile_of_floats_is_refused_whatever_came_before() -> None:
    array = np.zeros(64, np.float32)
    tiles: list[Any] = [(64.0,), (64,), (64.0,), (True,)]
    options: list[Any] = [{}, {"partial": True}]
    for tile in tiles:
        for given in options:
            if type(tile[0]) is int:
                assert fh.partition(array, tile, **given).spec.tile == (64,)
                continue
            with pytest.raises(fh.Rejected) as caught:
                fh.partition(array, tile, **given)
            assert caught.value.codes == ("O223",)
