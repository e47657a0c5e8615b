"""Attention of one query over caches, whole and in pages, and what is appended to them, against torch in float64."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportPrivateUsage=false

from __future__ import annotations

from typing import Any

import pytest
from answers import compiles

import freehold as fh
from freehold import kernels
from freehold.kernels import decoding
from freehold.runtime.jit.kernel import Kernel

torch: Any = pytest.importorskip("torch")
BOUNDS = {torch.float32: 2e-6, torch.bfloat16: 1e-2}


def made(*shape: int, dtype: Any, seed: int = 0) -> Any:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def wanted(q: Any, k: Any, v: Any, lengths: list[int]) -> Any:
    """Attention of each sequence by itself."""
    found: list[Any] = []
    for b, n in enumerate(lengths):
        keys, values = (t[b, :, :n].double().repeat_interleave(q.shape[1] // t.shape[1], 0) for t in (k, v))
        weights = torch.softmax((keys @ q[b].double()[:, :, None]).squeeze(-1) / 4, -1)
        found.append((weights[:, None] @ values).squeeze(1))
    return torch.stack(found)


@pytest.mark.parametrize("dtype", BOUNDS, ids=str)
def test_a_cache_as_far_as_it_is_used(dtype: Any) -> None:
    q, k, v = made(2, 6, 16, dtype=dtype), made(2, 2, 300, 16, dtype=dtype), made(2, 2, 300, 24, dtype=dtype, seed=1)
    found = kernels.decode_attention(q, k, v, torch.tensor([123, 300]))
    expected = wanted(q, k, v, [123, 300])
    assert ((found - expected).abs() <= BOUNDS[dtype] * expected.abs().clamp_min(0.1)).all()


@pytest.mark.parametrize("dtype", BOUNDS, ids=str)
def test_a_cache_in_pages(dtype: Any) -> None:
    q, k, v = made(2, 4, 16, dtype=dtype), made(9, 2, 16, 16, dtype=dtype), made(9, 2, 16, 24, dtype=dtype, seed=1)
    table = torch.randperm(9, generator=torch.Generator().manual_seed(2))[:8].view(2, 4).int()
    found = kernels.paged_attention(q, k, v, table, torch.tensor([35, 64]))
    keys, values = (t[table].permute(0, 2, 1, 3, 4).flatten(2, 3) for t in (k, v))
    expected = wanted(q, keys, values, [35, 64])
    assert ((found - expected).abs() <= BOUNDS[dtype] * expected.abs().clamp_min(0.1)).all()


@pytest.mark.parametrize(("parts", "step"), [(1, 16), (2, 16), (4, 16), (5, 16), (3, 32)])
@pytest.mark.parametrize("paged", [False, True])
def test_caches_in_parts_of_several_tiles(parts: int, step: int, paged: bool) -> None:
    """Part p has every so-many-th tile from p on; some have none of a short cache."""
    B, KH, G, S, D, E = 2, 2, 3, 7 * 32, 16, 32
    k, v = made(B, KH, S, D, dtype=torch.float32), made(B, KH, S, E, dtype=torch.float32, seed=1)
    q, lengths = made(B, KH * G, D, dtype=torch.float32, seed=2), torch.tensor([S - 5, 20])
    expected = wanted(q, k, v, lengths.tolist())
    o, table = torch.full((B, KH, 1, G, E), 7.0), None
    part = o if parts == 1 else torch.full((B, KH, parts, G, E), 7.0)
    lse = None if parts == 1 else torch.full((B, KH, parts, G), 7.0)
    if paged:
        count = S // step
        table = torch.randperm(B * count, generator=torch.Generator().manual_seed(3)).view(B, count).int()
        back = table.flatten().argsort()
        k, v = (t.view(B, KH, count, step, -1).transpose(1, 2).flatten(0, 1)[back].contiguous() for t in (k, v))
    for launch in decoding.decoding_launches(
        o[:, :, 0], part, lse, q.view(B, KH, G, D), k, v, table, lengths.int(), 0.25, step
    ):
        launch.on()
    torch.testing.assert_close(o.view(B, KH * G, E), expected.float(), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("parts", "group", "dtype"), [(1, 3, torch.bfloat16), (3, 8, torch.float16), (1, 1, torch.float16)]
)
@pytest.mark.parametrize("paged", [False, True])
def test_scores_and_sums_that_are_transposes(parts: int, group: int, dtype: Any, paged: bool) -> None:
    """Of 16-bit caches in steps of 64 keys: rows of keys and of values are rows of products, and parts may be empty."""
    B, KH, S, W = 2, 1, 256, 128
    k, v = made(B, KH, S, W, dtype=dtype), made(B, KH, S, W, dtype=dtype, seed=1)
    q, lengths = made(B, KH * group, W, dtype=dtype, seed=2), torch.tensor([S - 5, 20])
    expected = wanted(q, k, v, lengths.tolist())
    o = torch.full((B, KH, 1, group, W), 7.0, dtype=dtype)
    part = o if parts == 1 else torch.full((B, KH, parts, group, W), 7.0)
    lse = None if parts == 1 else torch.full((B, KH, parts, group), 7.0)
    table = None
    if paged:
        table = torch.arange(B * S // 64).view(B, -1).int()
        k, v = (t.view(B, KH, -1, 64, W).transpose(1, 2).flatten(0, 1).contiguous() for t in (k, v))
    launches = list(
        decoding.decoding_launches(o[:, :, 0], part, lse, q.view(B, KH, group, W), k, v, table, lengths.int(), 0.25, 64)
    )
    assert launches[0].arguments[-1 if paged else -2] is (not paged or parts == 1)
    for launch in launches:
        launch.on()
    torch.testing.assert_close(o.view(B, KH * group, W).double(), expected, atol=2e-2, rtol=1e-2)


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("first", [False, True])
def test_first_tiles_asked_for_before_lengths_are_known(parts: int, first: bool) -> None:
    """What nobody wrote of a cache may be no number: parts of a short one without keys come to zeros all the same."""
    B, KH, S, W = 3, 2, 256, 128
    k, v = made(B, KH, S, W, dtype=torch.bfloat16), made(B, KH, S, W, dtype=torch.bfloat16, seed=1)
    q, lengths = made(B, KH * 4, W, dtype=torch.bfloat16, seed=2), torch.tensor([S - 5, 64, 129])
    expected = wanted(q, k, v, lengths.tolist())
    for b, n in enumerate(lengths.tolist()):
        for cache in (k, v):
            cache[b, :, -(-n // 64) * 64 :] = float("nan")
    o = torch.full((B, KH, 4, W), 7.0, dtype=torch.bfloat16)
    part = o[:, :, None] if parts == 1 else torch.full((B, KH, parts, 4, W), 7.0)
    lse = None if parts == 1 else torch.full((B, KH, parts, 4), 7.0)
    way = decoding.TurnedWay(64, parts, {"num_worker_warps": 4}, first)
    for launch in decoding.decoding_launches(
        o, part, lse, q.view(B, KH, 4, W), k, v, None, lengths.int(), 0.25, way.step, way
    ):
        launch.on()
    torch.testing.assert_close(o.view(B, KH * 4, W).double(), expected, atol=2e-2, rtol=1e-2)


def test_a_first_tile_is_there() -> None:
    """More parts than tiles: some would ask for a tile behind the cache."""
    k = torch.zeros(1, 1, 100, 128, dtype=torch.bfloat16)
    q, lengths = torch.zeros(1, 1, 4, 128, dtype=torch.bfloat16), torch.ones(1, dtype=torch.int32)
    part, lse = torch.zeros(1, 1, 3, 4, 128), torch.zeros(1, 1, 3, 4)
    way = decoding.TurnedWay(64, 3, {"num_worker_warps": 4}, True)
    launch = next(decoding.decoding_launches(q[0], part, lse, q, k, k, None, lengths, 0.25, way.step, way))
    with pytest.raises(fh.LaunchError, match="each part has a tile"):
        launch.on()


def test_a_page_that_is_none_is_found() -> None:
    q, pages = torch.ones(1, 2, 16), torch.ones(3, 1, 16, 16)
    with pytest.raises(fh.LaunchError) as failed:
        kernels.paged_attention(q, pages, pages, torch.tensor([[0, 3]], dtype=torch.int32), torch.tensor([32]))
    assert failed.value.codes == ("O233",)


def test_a_cache_grows() -> None:
    caches = torch.zeros(2, 2, 50, 16), torch.zeros(2, 2, 50, 24)
    new = made(2, 2, 3, 16, dtype=torch.float32), made(2, 2, 3, 24, dtype=torch.float32)
    kernels.append_kv(*caches, *new, torch.tensor([40], dtype=torch.int32))
    for cache, rows in zip(caches, new, strict=True):
        assert torch.equal(cache[:, :, 40:43], rows)
        assert cache.abs().sum() == rows.abs().sum()
    with pytest.raises(fh.LaunchError):
        kernels.append_kv(*caches, *new, torch.tensor([48], dtype=torch.int32))


def test_operators_are_what_torch_expects(launched: dict[str, tuple[Kernel, Any]]) -> None:
    """And their kernels assemble."""
    q, k, long = torch.ones(1, 2, 16), torch.ones(1, 1, 64, 16), torch.ones(1, 1, 256, 16)
    lengths, table = torch.tensor([40]), torch.tensor([[0]], dtype=torch.int32)
    for operator, arguments in (
        (decoding._decode, (q, long, long, None, lengths, 0.25)),
        (decoding._decode, (q, k, k, table, lengths, 0.25)),
        (
            decoding._append,
            (k, k.clone(), k[:, :, :2].clone(), k[:, :, :2].clone(), torch.tensor([3], dtype=torch.int32)),
        ),
    ):
        torch.library.opcheck(operator.defined(), arguments)
    assert set(launched) == {"decode_parts", "paged_parts", "decode_merge", "append_rows"}
    for kernel, specialisation in launched.values():
        assert kernel.options.deny_unsafe
        assert compiles(kernel, specialisation, "sm_90")


def test_parts_keep_processors_busy() -> None:
    """No more parts than tiles; of many heads one each, which needs no merging."""
    parts = [decoding.parts_of_cache(64, heads) for heads in (8, 32, 80, 128, 512, 1024)]
    assert parts == [16, 4, 8, 1, 1, 1]
    assert decoding.parts_of_cache(4, 8) == 4
    assert decoding.parts_of_cache(0, 8) == 1


def test_tiles_of_caches() -> None:
    """Tiles of 128 keys, or 256 of short caches, or 64 of many and in two blocks a processor."""
    found = [decoding.cache_tiles(n, heads, 128) for n, heads in ((1024, 8), (1024, 128), (4096, 128), (1024, 512))]
    assert found == [(128, 8), (256, 1), (256, 1), (64, 1)]
    found = [decoding.cache_tiles(n, heads, 128) for n, heads in ((16384, 32), (16384, 128), (4096, 512), (65536, 8))]
    assert found == [(64, 8), (64, 2), (64, 1), (128, 16)]
    assert decoding.cache_tiles(20, 8, 128) == (32, 1)
    assert decoding.cache_tiles(4096, 32, 64) == (64, 8)


Way = tuple[int, int, int, int, bool, bool]


def way(positions: int, heads: int) -> Way | None:
    """Keys of a tile, parts, warps, blocks of a multiprocessor, whether they begin early, and ask for a first tile."""
    found = decoding.turned_way(positions, heads)
    if found is None:
        return None
    warps, occupancy, early = (found.hints.get(name, 0) for name in ("num_worker_warps", "occupancy", "begin_early"))
    return found.step, found.parts, warps, occupancy, bool(early), found.first


def test_caches_that_half_of_the_multiprocessors_read() -> None:
    """Few caches, in parts for one of each pair of multiprocessors; for all of them where too many would be idle."""
    for positions in (1024, 4096, 65536):
        for heads, parts in ((8, 8), (9, 7), (12, 5), (16, 4), (20, 3), (32, 2), (56, 1), (64, 1), (66, 1)):
            assert way(positions, heads) == (128, parts, 8, 1, True, True)
        for heads, parts in ((18, 7), (24, 5), (40, 3), (48, 2), (54, 2)):
            assert way(positions, heads) == (64, parts, 4, 2, True, True)
    for positions, heads in ((1023, 8), (1023, 66), (4096, 7), (511, 67)):
        assert way(positions, heads) is None


def test_caches_of_a_block_each() -> None:
    """Whole ones, in as many blocks a multiprocessor as are fastest, up to so many positions."""
    for heads, most, occupancy, early, first in (
        (67, None, 2, True, False),
        (96, None, 2, True, False),
        (97, None, 2, True, True),
        (132, None, 2, True, True),
        (133, 8192, 3, True, False),
        (160, 8192, 3, True, False),
        (161, 8192, 4, True, False),
        (264, 8192, 4, True, False),
        (265, 8192, 4, False, False),
        (528, 8192, 4, False, False),
        (529, None, 2, True, True),
        (5000, None, 2, True, True),
    ):
        assert way(511, heads) is None
        for positions in (512, 1024, 8192, most or 131072):
            assert way(positions, heads) == (64, 1, 4, occupancy, early, first)
        assert most is None or 240 <= heads <= 264 or way(most + 1, heads) is None
    assert [way(8193, n) for n in (239, 240, 264, 265)] == [None, *[(64, 1, 4, 2, False, True)] * 2, None]


@pytest.mark.parametrize(
    ("group", "width", "dtype", "taken"),
    [
        (8, 128, torch.bfloat16, True),
        (1, 65, torch.float16, True),
        (9, 128, torch.bfloat16, False),
        (4, 64, torch.bfloat16, False),
        (4, 129, torch.bfloat16, False),
        (4, 128, torch.float32, False),
    ],
)
def test_what_may_be_transposes(group: int, width: int, dtype: Any, taken: bool) -> None:
    cache, narrow = torch.empty(1, 1, 64, width, dtype=dtype), torch.empty(1, 1, 64, 64, dtype=dtype)
    assert decoding.takes_turned(group, cache, cache) is taken
    assert not decoding.takes_turned(group, cache, narrow)
    assert not decoding.takes_turned(group, narrow, cache)


def test_whole_caches_in_transposes_are_right() -> None:
    """As the function launches them."""
    q = made(67, 1, 128, dtype=torch.bfloat16)
    k, v = (made(67, 1, 512, 128, dtype=torch.bfloat16, seed=n) for n in (1, 2))
    lengths = torch.tensor([1 + 7 * n for n in range(67)])
    found = kernels.decode_attention(q, k, v, lengths, scale=0.25).double()
    torch.testing.assert_close(found, wanted(q, k, v, lengths.tolist()), atol=2e-2, rtol=1e-2)


def test_warps_have_registers_for_what_they_compute() -> None:
    """Of 256 keys, too: four warps for 16 rows of 128 elements, and eight for twice as much."""
    assert [decoding.cache_hints(step, 16, 128)["occupancy"] for step in (32, 64, 128, 256)] == [4, 4, 2, 1]
    assert decoding.cache_hints(64, 16, 256) == {"occupancy": 2}
    wide = [decoding.cache_hints(256, rows, width) for rows, width in ((16, 64), (16, 128), (32, 128), (16, 256))]
    assert [hints["num_worker_warps"] for hints in wide] == [4, 4, 8, 8]


def test_what_does_not_fit_is_refused() -> None:
    q, k = torch.ones(1, 2, 16), torch.ones(1, 2, 64, 16)
    two = k.expand(2, -1, -1, -1)
    with pytest.raises(ValueError, match="a cache for each sequence: not 2 for 1"):
        kernels.decode_attention(q, two, two, torch.tensor([40]))
    for page in (8, 24):
        with pytest.raises(ValueError, match=f"at least 16: not {page}"):
            kernels.paged_attention(q, k[:, :, :page], k[:, :, :page], torch.tensor([[0]]), torch.tensor([3]))
