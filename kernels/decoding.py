"""Attention of one query a sequence over a cache, whole or in pages, and what appends to the cache."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import Any, Final, NamedTuple

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32, i32
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.caches import append_each
from freehold.kernels.operators import operator, wide_dtype
from freehold.kernels.prefill import LOWEST, power_of_2
from freehold.kernels.schedules import PROCESSORS, ceildiv, cut, hinted, power_of_two
from freehold.kernels.tiles import LOG2E, accumulator, places, safe, safe_with_data

# --- Kernels ----------------------------------------------------------------------------------------------------------


def attended(state: tuple[Any, Any, Any], queries: Any, keys: Any, values: Any, counts: Any, c: Any) -> Any:
    """Top, total and sum of a walk over keys after one more tile, of which `counts` (rows, keys) says what counts."""
    top, total, acc = state
    s = fh.mma(queries, keys.T, fh.zeros((queries.shape[0], keys.shape[0]), top.dtype))
    s = fh.where(counts, s, float("-inf"))
    higher = fh.maximum(top, s.max(axis=1, keepdims=True) * c)
    p = power_of_2(s * c - higher)
    fade = power_of_2(top - higher)
    return higher, total * fade + p.sum(axis=1, keepdims=True), fh.mma(p.astype(values.dtype), values, acc * fade)


def attended_turned(state: tuple[Any, Any, Any], queries: Any, keys: Any, values: Any, counts: Any, c: Any) -> Any:
    """
    As `attended`, where scores and sums are transposes, and `counts` (keys, 1) is one, too. The total is that of each
    place of a tile, which `turned_back` adds up: so a turn compares what warps have once, and not twice.

    Rows of keys and of values are the rows of these products, of which tensor cores take 64 from shared memory. Few
    queries as rows are multiplied from registers, to which each tile has to go first.
    """
    top, total, acc = state
    s = fh.mma(keys, queries.T, fh.zeros((keys.shape[0], queries.shape[0]), top.dtype))
    s = fh.where(counts, s, float("-inf"))
    higher = fh.maximum(top, s.max(axis=0, keepdims=True) * c)
    p = power_of_2(s * c - higher)
    fade = power_of_2(top - higher)
    return higher, total * fade + p, fh.mma(values.T, p.astype(values.dtype), acc * fade)


def nothing_turned(rows: int, width: int, keys: int, dtype: Any) -> tuple[Any, Any, Any]:
    """Top, total and sum of `attended_turned` in front of all keys, of which a tile has so many."""
    return fh.full((1, rows), LOWEST, dtype), fh.zeros((keys, rows), dtype), fh.zeros((width, rows), dtype)


def turned_back(state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    """Top, total and sum as `attended` has them, of those of `attended_turned`."""
    top, total, acc = state
    return top.reshape(top.shape[1], 1), total.sum(axis=0).reshape(top.shape[1], 1), acc.T


def nothing(rows: int, width: int, dtype: Any) -> tuple[Any, Any, Any]:
    """Top, total and sum in front of all keys."""
    return fh.full((rows, 1), LOWEST, dtype), fh.zeros((rows, 1), dtype), fh.zeros((rows, width), dtype)


def store_part(
    part: Any, lse: Any, state: tuple[Any, Any, Any], TMA: bool | None = False, UNWRITTEN: bool = False
) -> None:
    """
    What a part of the keys comes to; of no keys zeros, and a logarithm that counts for nothing. `UNWRITTEN`: values
    that nobody wrote may have been multiplied by zero, and those may be no numbers.

    It is little, as queries are: where not much else is done, what TMA needs for it takes longer than it.
    """
    top, total, acc = state
    some = fh.maximum(total, 1e-30)
    found = fh.where(total > 0.0, acc / some, 0.0) if UNWRITTEN else acc / some
    part.store(found.reshape(part.tile).astype(part.dtype), allow_tma=TMA)
    if lse is not None:
        lse.store(((top + fh.log2(some)) / LOG2E).reshape(lse.tile), allow_tma=TMA)


@safe
def decode_parts(
    part: Out["B", "KH", "P", "G", "E"],
    lse: Out["B", "KH", "P", "G"] | None,
    q: Ref["B", "KH", "G", "D"],
    k: Ref["B", "KH", "S", "D"],
    v: Ref["B", "KH", "S", "E"],
    lengths: Ref["B"],
    scale: f32,
    WIDTH: Const[int],
    TK: Const[int],
    TURNED: Const[bool] = False,
    FIRST: Const[bool] = False,
):
    """
    One query a head against the first `lengths[b]` positions, in P parts, of which each has every P-th tile of TK.

    The G heads that share keys are the rows of one product, or with `TURNED` its columns. `WIDTH` is D, up to a power
    of two. Without `lse` there is one part, and that is the result. With `FIRST` a block asks for its first tile before
    it knows how many positions count: that takes the time of one load less, and one more tile of shared memory.
    """
    fh.require("P <= cdiv(S, TK)" if FIRST else "P > 0", "each part has a tile")
    b, h, p, _, _ = part.index
    (G, DV), dtype = part.tile[3:], accumulator(q.dtype)
    queries = q.load((b, h, 0, 0), (1, 1, G, WIDTH), allow_tma=False).reshape(G, WIDTH)

    def tiles(j: Any) -> tuple[Any, Any]:
        keys = k.load((b, h, j, 0), (1, 1, TK, WIDTH)).reshape(TK, WIDTH)
        return keys, v.load((b, h, j, 0), (1, 1, TK, DV)).reshape(TK, DV)

    def turn(state: Any, keys: Any, values: Any, j: Any) -> Any:
        counts = places(j * TK, TK) < length
        if TURNED:
            return attended_turned(state, queries, keys, values, counts[:, None], c)
        return attended(state, queries, keys, values, counts[None, :], c)

    first = tiles(p) if FIRST else (None, None)
    length = lengths.load((b,), (1,), allow_tma=False).reshape(()).astype(i32)
    c, step = scale.astype(dtype) * LOG2E, part.shape[2]
    state: Any = nothing_turned(G, DV, TK, dtype) if TURNED else nothing(G, DV, dtype)
    state = turn(state, *first, p) if FIRST else state
    for j in fh.tiles(k, axis=2, size=TK, start=p + step if FIRST else p, stop=fh.cdiv(length, TK), step=step):
        state = turn(state, *tiles(j), j)
    store_part(part, lse, turned_back(state) if TURNED else state, UNWRITTEN=FIRST)


@safe_with_data
def paged_parts(
    part: Out["B", "KH", "P", "G", "E"],
    lse: Out["B", "KH", "P", "G"] | None,
    q: Ref["B", "KH", "G", "D"],
    k: Ref["N", "KH", "PAGE", "D"],
    v: Ref["N", "KH", "PAGE", "E"],
    table: Ref[i32, "B", "L"],
    lengths: Ref["B"],
    scale: f32,
    WIDTH: Const[int],
    PAGE: Const[int],
    TURNED: Const[bool] = False,
):
    """As `decode_parts`, of a cache in pages: the `l`-th of a sequence is `table[b, l]`; a number of none is found."""
    b, h, p, _, _ = part.index
    (G, DV), dtype = part.tile[3:], accumulator(q.dtype)
    queries = q.load((b, h, 0, 0), (1, 1, G, WIDTH), allow_tma=False).reshape(G, WIDTH)
    length = lengths.load((b,), (1,), allow_tma=False).reshape(()).astype(i32)
    c = scale.astype(dtype) * LOG2E
    state = nothing_turned(G, DV, PAGE, dtype) if TURNED else nothing(G, DV, dtype)
    for j in fh.tiles(table, axis=1, size=1, start=p, stop=fh.cdiv(length, PAGE), step=part.shape[2]):
        page = table.load((b, j), ())
        keys = k.load((page, h, 0, 0), (1, 1, PAGE, WIDTH)).reshape(PAGE, WIDTH)
        values = v.load((page, h, 0, 0), (1, 1, PAGE, DV)).reshape(PAGE, DV)
        counts = places(j * PAGE, PAGE) < length
        if TURNED:
            state = attended_turned(state, queries, keys, values, counts[:, None], c)
        else:
            state = attended(state, queries, keys, values, counts[None, :], c)
    store_part(part, lse, turned_back(state) if TURNED else state)


@safe
def decode_merge(
    o: Out["B", "KH", "G", "E"], part: Ref["B", "KH", "P", "G", "E"], lse: Ref["B", "KH", "P", "G"], MANY: Const[int]
):
    """The parts, up to `MANY`, weighted by what they sum to."""
    fh.require("P <= MANY", "all parts are in one tile")
    b, h, g, e = o.index
    G, DV = o.tile[2], o.tile[3]
    t = lse.load((b, h, 0, g), (1, 1, MANY, G), padding="-inf", allow_tma=False).reshape(MANY, G, 1) * LOG2E
    weight = power_of_2(t - t.max(axis=0, keepdims=True))
    parts = part.load((b, h, 0, g, e), (1, 1, MANY, G, DV), allow_tma=False).reshape(MANY, G, DV)
    found = (parts * weight).sum(axis=0) / weight.sum(axis=0)
    o.store(found.reshape(o.tile).astype(o.dtype), allow_tma=False)


@safe_with_data
def append_rows(cache: Mut["B", "KH", "S", "D"], new: Ref["B", "KH", "T", "D"], position: Ref[i32, 1]):
    """cache[:, :, position : position + T] = new; the position is checked once a block."""
    here = cache.window(axis=2, start=position.load(0, ()), length=new.shape[2])
    here.store(new.load_like(here).astype(cache.dtype))


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def decode_attention(q: Tensor, k: Tensor, v: Tensor, lengths: Tensor, *, scale: float | None = None) -> Tensor:
    """
    Attention of one query a sequence, `q` (B, H, D), over the first `lengths` (B, integers) positions of a cache, `k`
    (B, KH, S, D) and `v` (B, KH, S, E), where KH divides H: (B, H, E) in the dtype of `q`.

    A length counts up to S; no position at all is an error that is not seen. `scale` is 1 / sqrt(D) unless given. No
    gradients. Raises `ValueError` for other shapes.
    """
    if k.shape[0] != q.shape[0]:
        raise ValueError(f"a cache for each sequence: not {k.shape[0]} for {q.shape[0]}")
    return _decode(q, k, v, None, lengths, 1 / sqrt(q.shape[-1]) if scale is None else scale)


@function()
def paged_attention(
    q: Tensor, k: Tensor, v: Tensor, table: Tensor, lengths: Tensor, *, scale: float | None = None
) -> Tensor:
    """
    As `decode_attention`, over a cache in pages, `k` (N, KH, PAGE, D) and `v` (N, KH, PAGE, E).

    PAGE is a power of two of at least 16; position i of sequence b is in page `table[b, i // PAGE]` (B, L, int32).

    A number that is no page's fails the launch (O233). Raises `ValueError` for other shapes.
    """
    page = k.shape[2]
    if page < 16 or page != power_of_two(page):
        raise ValueError(f"a page has a power of two of positions, at least 16: not {page}")
    return _decode(q, k, v, table, lengths, 1 / sqrt(q.shape[-1]) if scale is None else scale)


@function()
def append_kv(k_cache: Tensor, v_cache: Tensor, k: Tensor, v: Tensor, position: Tensor) -> None:
    """
    Writes `k` (B, KH, T, D) and `v` (B, KH, T, E) to `position` and on of the caches (B, KH, S, D) and (B, KH, S, E).

    `position` is a tensor of one int32, or of one for each sequence, which a graph may replay with other values; where
    what is written would leave the cache the launch fails (O233 to O236). Changes the caches, and has no gradients:
    raises `NotImplementedError` where torch would record one; call it under `torch.no_grad()`.
    """
    _append(k_cache, v_cache, k, v, position)


# --- Operators --------------------------------------------------------------------------------------------------------


@operator(
    "decode_attention(Tensor q, Tensor k, Tensor v, Tensor? table, Tensor lengths, float scale) -> Tensor",
    results=lambda q, k, v, table, lengths, scale: q.new_empty((q.shape[0], q.shape[1], v.shape[3])),
    takes={
        "q": "B H D floats",
        "k": "P KH S D floats",
        "v": "P KH S E floats",
        "table": "B L integers",
        "lengths": "B integers",
    },
    where=("H % KH == 0",),
)
def _decode(o: Any, q: Any, k: Any, v: Any, table: Any, lengths: Any, scale: float) -> None:
    (B, H, D), KH, E = q.shape, k.shape[1], v.shape[3]
    G = H // KH
    widest, page = 128 if max(D, E) <= 128 else 64, k.shape[2]
    way = turned_way(page, B * KH) if table is None and takes_turned(G, k, v) else None
    whole = (way.step, way.parts) if way else cache_tiles(page, B * KH, widest)
    step, P = whole if table is None else (page, parts_for(page, table.shape[1], B * KH))
    part = o.view(B, KH, 1, G, E) if P == 1 else q.new_empty((B, KH, P, G, E), dtype=wide_dtype(q))
    lse = None if P == 1 else q.new_empty((B, KH, P, G), dtype=wide_dtype(q))
    queries, out = q.reshape(B, KH, G, D), o.view(B, KH, G, E)
    for launch in decoding_launches(out, part, lse, queries, k, v, table, lengths, scale, step, way):
        launch.on()


class TurnedWay(NamedTuple):
    """How caches are cut whose scores and sums are transposes."""

    step: int
    """Keys of a tile."""
    parts: int
    hints: dict[str, int]
    """The kernel's hints."""
    first: bool = False
    """Whether a block asks for its first tile before it knows how many positions count."""


class WholeCaches(NamedTuple):
    """How caches are read whose number is at most `heads`, and which have at least 512 positions."""

    heads: float
    most: float
    """Positions, at most."""
    occupancy: int
    """Blocks of a multiprocessor."""
    early: bool = True
    """Whether blocks begin while the launch in front ends."""
    first: bool = False
    """As a `TurnedWay` has it."""
    fewest: int = 0
    """Caches, at least."""

    def has(self, positions: int, heads: int) -> bool:
        """Whether this says how so many caches of so many positions are read."""
        return self.fewest <= heads <= self.heads and positions <= self.most

    def way(self) -> TurnedWay:
        """A block has a whole cache."""
        hints = {"num_worker_warps": 4, "occupancy": self.occupancy}
        return TurnedWay(64, 1, {**hints, "begin_early": True} if self.early else hints, self.first)


ANY: Final = float("inf")
WHOLE: Final = (
    WholeCaches(96, ANY, 2),
    WholeCaches(PROCESSORS, ANY, 2, first=True),
    WholeCaches(160, 8192, 3),
    WholeCaches(2 * PROCESSORS, 8192, 4),
    WholeCaches(4 * PROCESSORS, 8192, 4, early=False),  # all run at once, and what begins early is in their way
    WholeCaches(2 * PROCESSORS, ANY, 2, early=False, first=True, fewest=240),
    WholeCaches(ANY, ANY, 2, first=True, fewest=4 * PROCESSORS + 1),
)
"""
For more caches than half of the multiprocessors, the fewest first: where a block that has a whole cache is as fast as
any other way, or faster, as it leaves nothing to merge. Measured on an H200 (docs/experiments/decoding.md).
"""


def turned_way(positions: int, heads: int) -> TurnedWay | None:
    """
    How so many caches of so many positions are cut: those that are few, and those of which `WHOLE` says it. None where
    other ways are faster, or as fast (see `cache_tiles`).

    Multiprocessors stand in pairs, and one of a pair reads as much as both: so few caches are cut for half of the
    multiprocessors, which leaves few parts to merge, unless too many pairs would be idle; else for all of them.
    """
    pairs = PROCESSORS // 2
    if heads > pairs:
        whole = next((w for w in WHOLE if w.has(positions, heads)), None)
        return whole.way() if whole and positions >= 512 else None
    if heads < 8 or positions < 1024:
        return None
    if pairs % heads <= pairs // 6:
        hints = {"num_worker_warps": 8, "occupancy": 1, "begin_early": True}
        return TurnedWay(128, pairs // heads, hints, first=True)
    return TurnedWay(64, PROCESSORS // heads, {"num_worker_warps": 4, "occupancy": 2, "begin_early": True}, first=True)


def takes_turned(group: int, k: Any, v: Any) -> bool:
    """
    Whether scores and sums of caches k and v may be transposes, of a group of so many heads: tensor cores take 64 rows
    of keys, and of elements of values, of 16 bits, from shared memory.
    """
    widths = power_of_two(k.shape[3]), power_of_two(v.shape[3])
    return k.dtype.itemsize == 2 and group <= 8 and widths == (128, 128)


def cache_tiles(positions: int, heads: int, widest: int) -> tuple[int, int]:
    """How many keys a tile of a cache has, up to `widest`, or twice that, and into how many parts the cache is cut."""
    if widest == 128 and (whole := _whole_caches(positions, heads)):
        return whole, 1
    step, parts = _usual_tiles(positions, heads, widest)
    at_once = PROCESSORS * cache_hints(step, 16, 128)["occupancy"]
    found = None if widest < 128 or positions < 1024 or heads * parts <= at_once else _in_one_turn(positions, heads)
    if found is None or (step == 64 and heads * found[1] < _BUSY * at_once):
        return step, parts
    return found


def _whole_caches(positions: int, heads: int) -> int:
    """
    The step of a block that has a whole cache, where that is faster than to cut caches and to merge parts; else 0.

    A block that has a multiprocessor to itself reads short ones fast enough for half of them to be idle.
    """
    if 56 <= heads <= PROCESSORS and 512 <= positions <= 1024:
        return 256
    if not _crowded(heads) or not 512 <= positions <= 4096:
        return 0
    if positions <= 1024:
        return 128 if heads <= 144 else 64
    return 64 if heads >= 160 else 0


def _crowded(heads: int) -> bool:
    """Whether one block a cache is more than one a multiprocessor, and at most two."""
    return PROCESSORS < heads <= 2 * PROCESSORS


_BUSY: Final = 0.9
"""How much of the GPU one turn has to keep busy where much is read, to be faster than several turns of small blocks."""


def _in_one_turn(positions: int, heads: int) -> tuple[int, int] | None:
    """
    The step and the parts with which all blocks run at once, and the most of them; None where a cache each is too many.

    Large steps are for caches that a block reads quickly, and have fewer parts to merge.
    """
    found: list[tuple[float, int, int]] = []
    for step, occupancy, better in ((256, 1, 0.1), (64, 4, 0.0)):
        most, slots = ceildiv(positions, step), PROCESSORS * occupancy
        if step == 256 and heads * ceildiv(positions, 128) >= 4096:
            continue
        for parts in range(1, min(8, slots // heads, most // 2) + 1):
            busy = heads * parts / slots * most / (parts * ceildiv(most, parts))
            found.append((busy + better - 0.01 * parts, step, parts))
    return max(found)[1:] if found else None


def _usual_tiles(positions: int, heads: int, widest: int) -> tuple[int, int]:
    """The step and the parts, in any number of turns; see `cache_tiles`."""
    step = min(widest, power_of_two(max(16, positions)))
    most = ceildiv(positions, step)
    parts = parts_for(step, most, heads)
    if step == 128:
        if parts == 1 and 2 <= most <= (32 if heads <= PROCESSORS else 16):
            # Of short caches a block has as much as it can at once, or as many blocks are on a processor as fit.
            return (256 if heads <= PROCESSORS else 64), 1
        if heads >= 32 and heads * most >= 4096:
            # Of much to read, small tiles for at least two blocks a processor: in 0.94 to 0.98 of the time.
            return 64, parts * (2 if heads * parts < 2 * PROCESSORS else 1)
    return step, parts


def parts_for(step: int, most: int, heads: int) -> int:
    """Into how many parts caches of up to `most` tiles of `step` keys are cut: two blocks a processor of small ones."""
    return max(1, min(most, parts_of_cache(most, heads) * (1 if step >= 128 else 2), 64))


def parts_of_cache(most: int, heads: int) -> int:
    """
    Into how many parts the cache of each of so many heads is cut, of all sequences: the fewest that leave less than a
    twentieth of the processors without work at any time, or what leaves the fewest.
    """

    def busy(parts: int) -> float:
        blocks = heads * parts
        return blocks / (PROCESSORS * ceildiv(blocks, PROCESSORS))

    counts = range(1, max(1, min(most, 64)) + 1)
    return next((n for n in counts if busy(n) >= 0.95), max(counts, key=busy))


def cache_hints(step: int, rows: int, width: int) -> dict[str, int]:
    """
    The hints for steps of so many keys, for rows of queries and the width of their values.

    More keys at once than 64 are too many for the registers of four blocks. Of 256, eight warps need longer on an H200
    than four, unless what they compute does not fit the registers of four.
    """
    if step <= 128:
        return {"occupancy": 4 if step * width <= 64 * 128 else 2}
    return {"num_worker_warps": 4 if rows * width <= 16 * 128 else 8, "occupancy": 1, "begin_early": True}


def decoding_launches(
    o: Any,
    part: Any,
    lse: Any,
    q: Any,
    k: Any,
    v: Any,
    table: Any,
    lengths: Any,
    scale: float,
    step: int,
    way: TurnedWay | None = None,
) -> Iterator[Any]:
    """
    The launches that write attention of queries (B, KH, G, D) to o (B, KH, G, E), for tensors of any library.

    `part` (B, KH, P, G, E) and `lse` (B, KH, P, G) are room for the parts; where P is 1, `part` is `o` seen so, and
    `lse` is not used. With a `table` the cache is in pages of `step` positions; without one it is whole, and walked in
    such steps; where scores and sums are transposes, `way` may say how.
    """
    G, E = part.shape[3:]
    compared = table is None or part.shape[2] == 1  # parts of pages were not, with and without, on a GPU
    is_columns = way is not None or (step == 64 and compared and takes_turned(G, k, v))
    high, width = max(8 if is_columns else 16, power_of_two(G)), power_of_two(E)
    several = None if part.shape[2] == 1 else fh.partition(lse, (1, 1, 1, high))
    cuts = fh.partition(part, (1, 1, 1, high, width)), several
    kernel, pages = (decode_parts, ()) if table is None else (paged_parts, (table,))
    hints = cache_hints(step, max(16, high), width)
    if way is not None:
        hints = way.hints
    elif table is None and part.shape[2] == 1 and _crowded(k.shape[0] * k.shape[1]) and k.shape[2] <= 4096:
        hints["begin_early"] = True
    flags = (is_columns, True) if way is not None and way.first else (is_columns,)
    yield hinted(kernel, hints)(*cuts, q, k, v, *pages, lengths, scale, power_of_two(q.shape[3]), step, *flags)
    if part.shape[2] > 1:
        yield merge_launch(o, part, lse)


def merge_launch(o: Any, part: Any, lse: Any) -> Any:
    """
    The launch that merges parts (B, KH, P, G, E), of which there are up to 64, to o (B, KH, G, E).

    It has as many blocks as may run at once, as then it begins while the parts end.
    """
    group, many = power_of_two(o.shape[2]), power_of_two(part.shape[2])
    width = min(power_of_two(o.shape[3]), max(16, 8192 // (many * group)), max(1, 512 // group))  # O423
    while width > 16 and o.shape[0] * o.shape[1] * ceildiv(o.shape[3], width // 2) <= PROCESSORS:
        width //= 2
    return decode_merge(cut(o, (1, 1, group, width)), part, lse, many)


@operator("append_kv(Tensor(a!) k_cache, Tensor(b!) v_cache, Tensor k, Tensor v, Tensor position) -> ()", results=None)
def _append(k_cache: Any, v_cache: Any, k: Any, v: Any, position: Any) -> None:
    for cache, new in ((k_cache, k), (v_cache, v)):
        count = position.shape[0]
        if count > 1 and new.shape[2] == 1:
            append_each(cache, new, position)
            continue
        for b in range(count):
            rows = slice(None) if count == 1 else slice(b, b + 1)
            part = fh.partition(cache[rows], (1, 1, 1, power_of_two(cache.shape[3])))
            append_rows(part, new[rows], position[b : b + 1]).on()
