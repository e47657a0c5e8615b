"""Convolutions of channels each by itself: neighbours in a row are loaded as one word, and seen by several windows."""

from __future__ import annotations

from math import prod
from typing import Any, Final, NamedTuple

import freehold as fh
from freehold import Const, Out, Ref
from freehold.kernels.operators import wide_dtype
from freehold.kernels.reductions import reduce
from freehold.kernels.schedules import PROCESSORS, ceildiv, cut, hinted
from freehold.kernels.tiles import accumulator, places, safe, wide

# --- Kernels ----------------------------------------------------------------------------------------------------------


def row_of(x: Any, at: Any, column: Any, first: int, count: int, E: int) -> tuple[Any, ...]:
    """
    The elements from `first` on, behind those of word `column`, of rows of x (..., V, E), words of E elements; first
    and last ones are loaded by themselves, those between as words.
    """
    found = ()
    for n in fh.static_range(first // E, (first + count - 1) // E + 1):
        begin, end = max(first, n * E), min(first + count, n * E + E)
        if begin == n * E and end == n * E + E:
            word = x.gather(*at, column + n, fh.arange(E))
            found = (*found, *tuple(wide(word[..., e]) for e in fh.static_range(E)))
        else:
            some = tuple(x.gather(*at, column + n, e) for e in fh.static_range(begin - n * E, end - n * E))
            found = (*found, *tuple(wide(t[..., 0]) for t in some))
    return found


def is_seen(q: int, R: int, SIZE: Any, STRIDE: Any, DILATION: Any) -> bool:
    """Whether the windows of a group of R rows have a place in row `q`, counted from the first that they see."""
    return any(q == r * STRIDE[1] + i * DILATION[1] for r in range(R) for i in range(SIZE[1]))


def seen_of(x: Any, at: Any, rows: Any, E: int, SIZE: Any, STRIDE: Any, PAD: Any, DILATION: Any) -> tuple[Any, ...]:
    """What the windows of words at `at` (image, depth, row, word) see along a row, which is `rows` further."""
    count = (E - 1) * STRIDE[2] + (SIZE[2] - 1) * DILATION[2] + 1
    image, deep, high, column = at
    depth = deep * STRIDE[0] + rows[0]
    return row_of(x, (image, depth, high + rows[1]), column, -PAD[2], count, E)


def added(
    accs: Any, seen: Any, w: Any, channel: Any, i: Any, r: int, E: int, SIZE: Any, STRIDE: Any, DILATION: Any
) -> tuple[Any, ...]:
    """The sums of E elements for each row of a group, with those of row `r` and of row `i` of the window added."""
    own = accs[r * E : r * E + E]
    for j in fh.static_range(SIZE[2]):
        weights = wide(w.gather(channel, i * SIZE[2] + j))
        own = tuple(own[e] + seen[e * STRIDE[2] + j * DILATION[2]] * weights for e in fh.static_range(E))
    return (*accs[: r * E], *own, *accs[r * E + E :])


# freehold: y=(1, 1, 4, 2, 2, 8) E=8 R=2 SIZE=(1, 3, 3) STRIDE=(1, 1, 1) PAD=(0, 1, 1) DILATION=(1, 1, 1) BIAS=True
@safe
def depthwise_words(
    y: Out["B", "D", "H", "Q", "V", "L"],
    x: Ref["B", "XD", "XH", "XV", "L"],
    w: Ref["C", "K"],
    bias: Ref["C"],
    E: Const[int],
    R: Const[int],
    SIZE: Const[tuple[int, int, int]],
    STRIDE: Const[tuple[int, int, int]],
    PAD: Const[tuple[int, int, int]],
    DILATION: Const[tuple[int, int, int]],
    BIAS: Const[bool],
):
    """
    y = the sum over a window's places of w * x there, + bias, each of C channels by itself; rows of both are words of
    E, and those of y are in groups of R.

    What is seen of a row by the windows of a word, and of the words in a group of rows, is loaded once. Large windows
    have one row in a group, and are walked row by row.
    """
    fh.require(y.shape[5] == E, "elements of a word")
    fh.require(y.shape[3] == R, "rows of a group")
    fh.require(w.shape[1] == SIZE[0] * SIZE[1] * SIZE[2], "a weight for each place of the window")
    fh.require("C > 0")
    b, d, h, _, v, _ = y.index
    TB, TD, TH, _, TV, _ = y.tile
    image = places(b * TB, TB)
    deep, high = places(d * TD, TD)[:, None, None, None], places(h * TH, TH)[:, None, None]
    channel = (image % w.shape[0])[:, None, None, None]
    at = image[:, None, None, None, None], deep, high * (R * STRIDE[1]), places(v * TV, TV)[:, None] * STRIDE[2]
    accs = tuple(fh.zeros((TB, TD, TH, TV), accumulator(x.dtype)) for _ in fh.static_range(R * E))
    if SIZE[0] * SIZE[1] * SIZE[2] > UNROLLED:
        for i in range(SIZE[0] * SIZE[1]):
            rows = i // SIZE[1] * DILATION[0] - PAD[0], i % SIZE[1] * DILATION[1] - PAD[1]
            seen = seen_of(x, at, rows, E, SIZE, STRIDE, PAD, DILATION)
            accs = added(accs, seen, w, channel, i, 0, E, SIZE, STRIDE, DILATION)
    else:
        for k in fh.static_range(SIZE[0]):
            for q in fh.static_range((R - 1) * STRIDE[1] + (SIZE[1] - 1) * DILATION[1] + 1):
                if is_seen(q, R, SIZE, STRIDE, DILATION):
                    rows = k * DILATION[0] - PAD[0], q - PAD[1]
                    seen = seen_of(x, at, rows, E, SIZE, STRIDE, PAD, DILATION)
                    for r in fh.static_range(R):
                        i = (q - r * STRIDE[1]) // DILATION[1]
                        if q == r * STRIDE[1] + i * DILATION[1] and 0 <= i < SIZE[1]:
                            accs = added(accs, seen, w, channel, k * SIZE[1] + i, r, E, SIZE, STRIDE, DILATION)
    if BIAS:
        accs = tuple(acc + wide(bias.gather(channel)) for acc in accs)
    t = fh.concatenate(tuple(acc.astype(y.dtype)[..., None] for acc in accs), axis=4) if R * E > 1 else accs[0]
    t = t.astype(y.dtype).reshape(TB, TD, TH, TV, R, E).permute(0, 1, 2, 4, 3, 5)
    y.store(t, allow_tma=False)


@safe
def depthwise_sums(
    parts: Out["S", "C", "K"],
    f: Ref["N", "C", "D", "H", "V", "L"],
    x: Ref["N", "C", "XD", "XH", "XV", "L"],
    E: Const[int],
    SIZE: Const[tuple[int, int, int]],
    STRIDE: Const[tuple[int, int, int]],
    PAD: Const[tuple[int, int, int]],
    DILATION: Const[tuple[int, int, int]],
    TILE: Const[tuple[int, int, int]],
):
    """
    parts.sum(axis=0) = the sum of f * what the windows see of x, for each place of a window, over all places of all
    samples; rows of both are words of E. Part s has every S-th tile.
    """
    fh.require(f.shape[5] == E, "elements of a word")
    fh.require(parts.shape[2] == SIZE[0] * SIZE[1] * SIZE[2], "a sum for each place of the window")
    s, c = parts.index
    TD, TH, TV = TILE
    N, _, D, H, V, _ = f.shape
    many = fh.cdiv(D, TD), fh.cdiv(H, TH), fh.cdiv(V, TV)
    count = (E - 1) * STRIDE[2] + (SIZE[2] - 1) * DILATION[2] + 1
    sums = tuple(fh.zeros((TD, TH, TV), accumulator(x.dtype)) for _ in fh.static_range(SIZE[0] * SIZE[1] * SIZE[2]))
    for i in range(s, N * many[0] * many[1] * many[2], parts.shape[0]):
        n, rest = i // (many[0] * many[1] * many[2]), i // many[2]
        deep = places(rest // many[1] % many[0] * TD, TD)[:, None, None]
        high = places(rest % many[1] * TH, TH)[:, None]
        column = places(i % many[2] * TV, TV)
        given = row_of(f, (n, c, deep[..., None], high[..., None]), column[:, None], 0, E, E)
        found: Any = ()
        for k in fh.static_range(SIZE[0] * SIZE[1]):
            depth = (deep * STRIDE[0] + (k // SIZE[1] * DILATION[0] - PAD[0]))[..., None]
            row = (high * STRIDE[1] + (k % SIZE[1] * DILATION[1] - PAD[1]))[..., None]
            seen = row_of(x, (n, c, depth, row), column[:, None] * STRIDE[2], -PAD[2], count, E)
            for j in fh.static_range(SIZE[2]):
                acc = sums[k * SIZE[2] + j]
                for e in fh.static_range(E):
                    acc += given[e] * seen[e * STRIDE[2] + j * DILATION[2]]
                found = (*found, acc)
        sums = found
    for k in fh.static_range(SIZE[0] * SIZE[1] * SIZE[2]):
        parts.at(k).store(sums[k].sum().reshape(1, 1, 1))


# --- Schedules --------------------------------------------------------------------------------------------------------


class Words(NamedTuple):
    """How channels by themselves are cut."""

    word: int
    """Elements of a word."""
    rows: int
    """Rows of a group."""
    tile: tuple[int, int, int, int]
    """Images, slices, groups and words of a tile."""
    warps: int
    occupancy: int


WRITTEN: Final = 64
"""Places of a window that are written out, at most."""

UNROLLED: Final = 25
"""Places of a window whose rows are written out, too, at most."""

_ROWS: Final = 4
"""Rows of a group, at most."""

_WORDS: Final = 1
"""Words of a thread in each row of its group."""


def fitting(n: int, most: int) -> int:
    """The largest power of two up to `most` whose multiples cover `n` with a third of it to spare, at most."""
    sizes = [1 << k for k in range(most.bit_length()) if ceildiv(n, 1 << k) * (3 << k) <= 4 * n]
    return sizes[-1]


def words(images: int, extents: tuple[int, int, int], width: int, size: int, rows: int) -> Words:
    """
    A cut for so many images of channels of these extents, next to rows of `width` elements, of `size` bytes; of at most
    so many rows in a group.
    """
    word = 1
    while word * 2 * size <= 16 and extents[2] % (word * 2) == 0 and width % (word * 2) == 0:
        word *= 2
    while extents[1] % rows:
        rows //= 2
    room = 128 * _WORDS
    across = fitting(extents[2] // word, min(16, room))
    high = fitting(extents[1] // rows, room // across)
    deep = fitting(extents[0], room // (across * high))
    each = fitting(images, room // (across * high * deep))
    return Words(word, rows, (each, deep, high, across), 4, 8 if rows == 1 else 6)


# --- Launches ---------------------------------------------------------------------------------------------------------


def by_words(y: Any, x: Any, w: Any, bias: Any, window: Any) -> None:
    """
    Writes the convolution of each channel of `x` (N, C, D, H, W) by its own of `w` (C, ...), + bias, to `y`
    (N, C, ...): of a window without strides backwards.
    """
    size, stride, pad, dilation, back = window
    if back:
        pad = tuple((k - 1) * d - p for k, d, p in zip(size, dilation, pad, strict=True))
        w = w.flip(1, 2, 3)
    x, y = x.flatten(0, 1), y.flatten(0, 1)
    rows = _ROWS if prod(size) <= UNROLLED else 1
    way = words(y.shape[0], tuple(y.shape[1:]), x.shape[3], x.element_size(), rows)
    each, deep, high, across = way.tile
    to = y.unflatten(3, (-1, way.word)).unflatten(2, (-1, way.rows))
    part = cut(to, (each, deep, high, way.rows, across, way.word))
    weights = w.flatten(1)
    extra = weights[:, 0] if bias is None else bias
    given = x.unflatten(3, (-1, way.word)), weights, extra, way.word, way.rows, size, stride, pad, dilation
    hints = {"num_worker_warps": way.warps, "occupancy": way.occupancy}
    hinted(depthwise_words, hints)(part, *given, bias is not None).on()


def sums_by_words(dw: Any, f: Any, x: Any, window: Any) -> None:
    """
    Writes for each channel the sum of `f` (N, C, D, H, W) * what windows there see of `x` (N, C, ...), for each of
    their places, to `dw` (C, places).
    """
    size, stride, pad, dilation = window
    N, C = f.shape[:2]
    way = words(1, tuple(f.shape[2:]), x.shape[4], x.element_size(), 1)
    tile = way.tile[1:]
    steps = N * prod(map(ceildiv, (*f.shape[2:4], f.shape[4] // way.word), tile))
    S = max(1, min(steps, ceildiv(_BLOCKS * PROCESSORS, C)))
    parts = f.new_empty((S, C, prod(size)), dtype=wide_dtype(f))
    given = (t.unflatten(4, (-1, way.word)) for t in (f, x))
    rest = way.word, size, stride, pad, dilation, tile
    hinted(depthwise_sums, {"num_worker_warps": 4, "occupancy": 4})(cut(parts, (1, 1, 1), owned=2), *given, *rest).on()
    dw.view(-1).copy_(reduce(parts.view(S, -1), "sum", 0))


_BLOCKS: Final = 16
"""Blocks for each multiprocessor, of sums."""
