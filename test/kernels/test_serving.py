"""The kernels of an engine on NumPy's arrays: heads turned and appended to slots, attention over pages."""

# What NumPy computes is of no types here.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from comparing import assembled

import freehold as fh
from freehold.kernels.quantised import narrow_weight_launches, quantise_launch
from freehold.kernels.serving import append_launch, query_launches, query_rows, rows_launch, turn_launch
from freehold.kernels.tilings import Tiling

RNG = np.random.default_rng(3)


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def turned(x: Any, weight: Any, cos: Any, sin: Any) -> Any:
    """Heads normalised, if there is a weight, and turned, in float64; cos and sin broadcast."""
    x = x.astype(np.float64)
    if weight is not None:
        x = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * weight.reshape(-1)
    a, b = np.split(x, 2, -1)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def attended(q: Any, keys: Any, values: Any) -> Any:
    """Attention of a query (KH, G, D) over keys and values (S, KH, D)."""
    scores = np.einsum("shd,hgd->hgs", keys.astype(np.float64), q) * 0.25
    p = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("hgs,shd->hgd", p / p.sum(-1, keepdims=True), values)


def appended(runs: list[tuple[int, int]], norm: bool = True, slots: list[int] | None = None) -> tuple[Any, Any]:
    """Two layers' caches of 64 slots after these runs, of a slot and a number of tokens, in the opposite order."""
    N, KH, D, T = 2, 3, 12, sum(n for _, n in runs)
    caches, heads = np.zeros((N, 64, 2, KH, D), np.float32), normal(N, T, 2 * KH, D)
    cos, sin = normal(T, 6), normal(T, 6)
    weight = normal(N, 2, 6) if norm else None
    order = np.cumsum([n for _, n in runs[::-1]])[::-1] - [n for _, n in runs]
    bounds = [b for slot, n in runs for b in (slot, slot + n)] + [64] if slots is None else slots
    given = heads[:, :, :KH], heads[:, :, KH:], (cos, sin), order.astype(np.int32), np.array(bounds, np.int32), 16, 1e-6
    append_launch(caches, *given, weight).sync()
    wanted = np.zeros((N, 64, 2, KH, D))
    for layer in range(N):
        for (slot, n), first in zip(runs, order, strict=True):
            rows, to, by = slice(first, first + n), slice(slot, slot + n), None if weight is None else weight[layer]
            wanted[layer, to, 0] = turned(heads[layer, rows, :KH], by, cos[rows, None], sin[rows, None])
            wanted[layer, to, 1] = heads[layer, rows, KH:]
    return caches, wanted


@pytest.mark.parametrize("norm", [True, False])
def test_runs_of_tokens_go_to_their_slots_turned(norm: bool, launched: dict[str, Any]) -> None:
    cache, wanted = appended([(7, 1), (16, 16), (32, 5), (63, 1)], norm)
    np.testing.assert_allclose(cache, wanted, atol=4e-6)
    assembled(launched)


@pytest.mark.parametrize("slots", [[7, 8, 7, 8, 64], [9, 10, 3, 4, 64], [63, 64, 64, 65, 65]])
def test_slots_that_meet_or_leave_the_cache_are_refused(slots: list[int]) -> None:
    with pytest.raises(fh.LaunchError) as caught:
        appended([(7, 1), (30, 1)], slots=slots)
    assert [e.code for e in caught.value.errors] == ["O236"]


KH, G, PAGE = 2, 3, 16
LENGTHS, COUNTS = [37, 5, 20, 33], [6, 1, 20, 1]


def paged(D: int = 16) -> tuple[Any, list[list[int]]]:
    """A cache in pages, and the pages of four sequences."""
    return normal(12, PAGE, 2, KH, D), [[3, 1, 7], [2], [9, 4], [0, 11, 5]]


def walks(pages: list[list[int]]) -> tuple[Any, Any, Any]:
    """All pages one behind the other; for each token, where those of its sequence begin, and its place."""
    before = np.cumsum([0] + [len(p) for p in pages])
    bases = [PAGE * int(before[b]) for b, n in enumerate(COUNTS) for _ in range(n)]
    places = [LENGTHS[b] - n + t for b, n in enumerate(COUNTS) for t in range(n)]
    return np.array([n for p in pages for n in p], np.int32), np.array(bases, np.int32), np.array(places, np.int32)


@pytest.mark.parametrize("D", [16, 12])
@pytest.mark.parametrize("norm", [True, False, None])
def test_last_tokens_of_sequences_attend_to_their_pages(norm: bool | None, D: int, launched: dict[str, Any]) -> None:
    """Whether queries are normalised and turned, turned, or taken as they are; a tile has tokens of three sequences."""
    cache, pages = paged(D)
    q = normal(sum(COUNTS), KH, G, D)
    angles, weight = (normal(len(q), D // 2), normal(len(q), D // 2)), normal(2, D // 2) if norm else None
    o, (packed, bases, places) = np.zeros_like(q), walks(pages)
    new = q.copy()
    if norm is not None:
        turn_launch(new, angles, weight, 1e-6).sync()
        np.testing.assert_allclose(new, turned(q, weight, *(t[:, None, None] for t in angles)), atol=4e-6)
    rows_launch(o, new, cache[:, :, 0], cache[:, :, 1], packed, bases, places, 0.25).sync()
    for t, (base, place) in enumerate(zip(bases, places, strict=True)):
        keys, values = (cache[packed[base // PAGE :], :, i].reshape(-1, KH, D)[: place + 1] for i in (0, 1))
        np.testing.assert_allclose(o[t], attended(new[t], keys, values), atol=4e-6)
    assembled(launched)


@pytest.mark.parametrize(("page", "counts"), [(16, [30]), (64, [5, 41]), (128, [20])])
def test_pages_that_all_rows_see_are_walked_in_steps(page: int, counts: list[int]) -> None:
    """Some sequences of which the last tokens have many pages in front of them, of different lengths."""
    lengths = [page * 9 // 2 + 200 * n for n in range(len(counts))]
    held = [-(-n // page) for n in lengths]
    order = RNG.permutation(sum(held)).astype(np.int32)
    bases = np.repeat(page * np.cumsum([0, *held])[:-1], counts).astype(np.int32)
    places = np.concatenate([np.arange(n - t, n) for n, t in zip(lengths, counts, strict=True)]).astype(np.int32)
    cache, q = normal(sum(held), page, 2, KH, 16), normal(sum(counts), KH, G, 16)
    o = np.zeros_like(q)
    rows_launch(o, q, cache[:, :, 0], cache[:, :, 1], order, bases, places, 0.25).sync()
    for t, (base, place) in enumerate(zip(bases, places, strict=True)):
        keys, values = (cache[order[base // page :], :, i].reshape(-1, KH, 16)[: place + 1] for i in (0, 1))
        np.testing.assert_allclose(o[t], attended(q[t], keys, values), atol=4e-6)


ONE: Any = (1, 16, 16), (2, 12, 16), (5, 16, 16), (3, 16, 64)
NEAR: Any = (
    (2, 12, 16, 256),
    (5, 16, 16, 4096),
    (3, 16, 64, 256),
    (10, 16, 64, 160),
    (16, 16, 64, 256),
    (1, 16, 16, 256),
    (1, 16, 64, 256),
)
"""Of the second and the last three, parts have no more than what they load at first: nor do the pages of the table."""


@pytest.mark.parametrize(("parts", "D", "page", "reach"), [*((*one, 0) for one in ONE), *NEAR])
@pytest.mark.parametrize("norm", [True, False])
def test_one_query_of_each_sequence_attends_to_its_pages(
    parts: int, D: int, page: int, reach: int, norm: bool, launched: dict[str, Any]
) -> None:
    """By pages, or by tiles of 16 keys; of some the last token is the first of a page, or alone."""
    lengths, pages = [37 * page // 16, 5, 20, 1, 2 * page + 1], [[3, 1, 7], [2], [9, 4], [6], [0, 11, 5]]
    B, cache = len(pages), normal(12, page, 2, KH, D)
    q, angles = normal(B, KH, G, D), (normal(B, D // 2), normal(B, D // 2))
    weight, key_weight = (normal(2, D // 2) if norm else None for _ in range(2))
    fresh = normal(B, KH, D), normal(B, KH, D)
    table = np.array([p + [0] * (4 - len(p)) for p in pages], np.int32)
    o, room = np.zeros_like(q), (np.zeros((B, KH, parts, G, D), np.float32), np.zeros((B, KH, parts, G), np.float32))
    paged_keys, weights = (cache[:, :, 0], cache[:, :, 1]), (weight, key_weight)
    given = q, fresh, *paged_keys, table, np.array(lengths, np.int32), 0.25, angles, weights, 1e-6
    for launch in query_launches(o, room, *given, reach):
        launch.sync()
    new = turned(q, weight, *(t[:, None, None] for t in angles))
    key = turned(fresh[0], key_weight, *(t[:, None] for t in angles))
    for b, length in enumerate(lengths):
        keys, values = (cache[pages[b], :, i].reshape(-1, KH, D)[: length - 1] for i in (0, 1))
        keys, values = (np.concatenate((old, one[b][None])) for old, one in ((keys, key), (values, fresh[1])))
        np.testing.assert_allclose(o[b], attended(new[b], keys, values), atol=4e-6)
    assembled(launched)


@pytest.mark.parametrize(("page", "reach"), [(16, 0), (64, 0), (64, 256)])
@pytest.mark.parametrize("fewer", [0, 1, 2])
def test_keys_and_values_have_the_same_pages_and_heads(page: int, reach: int, fewer: int) -> None:
    """Numbers of a table are those of pages of both."""
    B, D, cache = 2, 16, normal(12, page, 2, KH, 16)
    keys, values = cache[:, :, 0], cache[:, :, 1]
    less = tuple(slice(0, n // 2 if axis == fewer else n) for axis, n in enumerate(keys.shape[:3]))
    angles, fresh = (normal(B, D // 2), normal(B, D // 2)), (normal(B, KH, D), normal(B, KH, D))
    parts = 16
    room = np.zeros((B, KH, parts, G, D), np.float32), np.zeros((B, KH, parts, G), np.float32)
    q, table, lengths = normal(B, KH, G, D), np.array([[3, 1], [2, 0]], np.int32), np.array([20, 5], np.int32)

    def attend(k: Any, v: Any) -> None:
        o, no = np.zeros_like(q), (None, None)
        for launch in query_launches(o, room, q, fresh, k, v, table, lengths, 0.25, angles, no, 1e-6, reach):
            launch.sync()

    attend(keys, values)
    with pytest.raises(fh.Rejected):
        attend(keys[less], values)
    with pytest.raises(fh.Rejected):
        attend(keys, values[less])


def in_parts(pages: int, lengths: list[int], parts: int, first: int, more: bool) -> tuple[Any, Any]:
    """The launch of parts of tiles of 16 keys, of a table of so many pages of 16, and what it writes."""
    random, B = np.random.default_rng(7), len(lengths)
    part, lse = np.zeros((B, KH, parts, G, 16), np.float32), np.zeros((B, KH, parts, G), np.float32)
    table = np.arange(B * pages, dtype=np.int32).reshape(B, pages) % 8
    shapes: Any = (B, KH, G, 2, 8), (B, KH, 2, 8), (B, KH, 16), (8, 16, KH, 16), (8, 16, KH, 16), (B, 8), (B, 8)
    *given, cos, sin = (np.float32(random.standard_normal(shape)) for shape in shapes)
    cuts = fh.partition(part, (1, 1, 1, 1, 16)), fh.partition(lse, (1, 1, 1, 1))
    constants = 16, first, more, 8, 16, KH, 16, 16, 8, G
    return query_rows(*cuts, *given, table, np.array(lengths, np.int32), cos, sin, 0.25, 1e-6, *constants), (part, lse)


@pytest.mark.parametrize(("parts", "first"), [(4, 1), (2, 2), (1, 4)])
def test_parts_without_a_loop_are_launched_for_no_longer_table(parts: int, first: int) -> None:
    """So what has no loop cannot leave out a page: not by what the lengths say, and not by what the table does."""
    in_parts(4, [64, 1], parts, first, more=False)[0].sync()
    in_parts(5, [80, 1], parts, first, more=True)[0].sync()
    with pytest.raises(fh.Rejected) as caught:
        in_parts(5, [64, 1], parts, first, more=False)[0].sync()
    assert [(e.code, "a part has these tiles alone" in str(e)) for e in caught.value.errors] == [("O239", True)]


@pytest.mark.parametrize(("parts", "first"), [(4, 1), (2, 2), (1, 4)])
def test_parts_without_a_loop_are_those_of_a_walk(parts: int, first: int) -> None:
    """At each length that the table has room for; of a longer one, which nobody should ask for, the table's pages."""
    lengths = [*range(1, 66), 400]
    (one, found), (other, wanted) = (in_parts(4, lengths, parts, first, more) for more in (False, True))
    one.sync()
    other.sync()
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_number_that_is_no_page_stands_for_the_first_or_the_last() -> None:
    cache, pages = paged()
    q, found = normal(sum(COUNTS), KH, G, 16), [np.zeros((sum(COUNTS), KH, G, 16), np.float32) for _ in range(2)]
    for o, (low, high) in zip(found, [(-5, 12), (0, 11)], strict=True):
        pages[0][0], pages[2][1] = low, high
        rows_launch(o, q, cache[:, :, 0], cache[:, :, 1], *walks(pages), 0.25).sync()
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("splits", [1, 2])
@pytest.mark.parametrize("added", [False, True])
def test_products_with_weights_of_8_bits(splits: int, added: bool, launched: dict[str, Any]) -> None:
    """Of bfloat16: what is stored is the exact product of what the weights stand for, rounded once."""
    M, N, K = 5, 70, 96

    def on_host(shape: tuple[int, ...], dtype: Any) -> Any:
        return fh.zeros(shape, dtype, device=fh.HOST).sync()

    a, c, residual = (fh.from_numpy(normal(*s), fh.bf16, device=fh.HOST).sync() for s in ((M, K), (M, N), (M, N)))
    w, scale = on_host((N, K), fh.f8e4m3fn), on_host((N,), fh.f32)
    quantise_launch(w, scale, fh.from_numpy(normal(N, K), device=fh.HOST).sync(), "fp8").sync()
    way = Tiling((16, 32), 32, splits, 4, 1)
    room = on_host((splits, M, N), fh.f32)
    for launch in narrow_weight_launches(c, a, w, scale, residual if added else None, way, lambda: room):
        launch.sync()
    wide = [t.numpy().astype(np.float64) for t in (a, w, scale, residual)]
    wanted = wide[0] @ (wide[1] * wide[2][:, None]).T + added * wide[3]
    np.testing.assert_allclose(c.numpy().astype(np.float64), wanted, rtol=2**-8, atol=1e-5)
    assembled(launched)
