"""
Where the library's choices change: every size from which on a schedule is another one.

Choices are functions of sizes alone. Each is asked for sizes in order, and written down where its answer is not that of
the size before: a bound that moves by one is seen, and meant: `pytest --update-golden` writes the texts anew.
"""

# The schedules of a file are its own, and checkers see no types in lambdas of several sizes.
# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any

import pytest

from freehold.engine import batch
from freehold.kernels import (
    channels,
    convolution_rows,
    decoding,
    experts,
    few,
    losses,
    norms,
    orders,
    patches,
    prefill,
    reductions,
    row_schedules,
    sampling,
    schedules,
    serving,
    tilings,
    wide_tiles,
)
from freehold.kernels.row_schedules import Kept

GOLDEN = Path(__file__).with_name("golden")
Asked = tuple[str, Callable[[int], object], Iterable[int]]


def around(*sizes: int) -> list[int]:
    """These sizes, and those before and behind them."""
    return sorted({n + d for n in sizes for d in (-1, 0, 1) if n + d > 0})


POWERS = around(*(1 << n for n in range(18)))
WHOLE = [*range(256, 40961, 256), *range(45056, 140001, 4096), 262144]
"""Lengths that are compiled in."""
WORKED = [*range(512, 16384, 512), *range(16384, 140001, 4096), 33024, 65535, 262144, 266240]
"""Those of rows whose ways are in a table, and some that are not."""
SOME = [256 * n for n in around(1, 2, 4, 8, 16, 20, 32, 64, 96, 128, 160, 192, 224, 256, 512, 1024)]
"""Fewer of them, around those at which something may change."""
ODD = [1, 16, 17, 33, 65, 129, 255, *(n - 1 for n in SOME), *(n + 1 for n in SOME)]
TURNED = [
    512,
    768,
    *range(1024, 8193, 512),
    8704,
    9216,
    10240,
    12288,
    15360,
    16384,
    17408,
    20480,
    24576,
    57344,
    65024,
    65536,
]
"""Lengths of rows of losses, of which blocks may have several."""
COUNTS = (1, 264, 265, 2111, 2112, 4223, 4224, 33792)


class Matrix:
    """What a schedule asks of a matrix."""

    def __init__(self, rows: int, columns: int, dtype: str):
        self.shape = rows, columns
        self.dtype = dtype
        self.device = self
        self.type = "cpu"


BF16, F16, F32 = "torch.bfloat16", "torch.float16", "torch.float32"
FUNCTIONS: tuple[tuple[str, tuple[bool, ...]], ...] = (
    ("softmax", ()),
    ("log_softmax", ()),
    ("rms_norm", (True,)),
    ("rms_norm", (False,)),
    ("add_rms_norm", ()),
    ("layer_norm", (True, True)),
    ("layer_norm", (True, False)),
    ("layer_norm", (False, True)),
)
"""Functions of rows, whether their weights have the dtype of the rows, and whether there is a bias."""


def way_of_rows(function: Any, more: tuple[bool, ...], count: int, dtype: str, length: int) -> object:
    """A way of the table, without the length, which is each time another one; or None."""
    asked: Any = row_schedules.way_of
    way = asked(function, Matrix(count, length, dtype), *more)
    if isinstance(way, schedules.Rows):
        return None if way == schedules.rows(count, length) else way._replace(length=None)
    return way


def of_rows() -> Iterator[Asked]:
    yield "power_of_two", schedules.power_of_two, range(70)
    for by in (1, 3, 16):
        yield f"ceildiv by {by}", partial(lambda by, n: schedules.ceildiv(n, by), by), range(40)
    yield "filled, 1", lambda n: round(schedules.filled(n, 1), 4), around(1, 66, 132, 264)
    yield "filled, 3", lambda n: round(schedules.filled(n, 3), 4), around(1, 132, 396, 792)
    for count in COUNTS:
        yield f"{count} rows", partial(schedules.rows, count), SOME
        yield (
            f"hints of {count} rows",
            partial(lambda c, n: schedules.rows(c, n).hints, count),
            [*range(1, 260), *WHOLE],
        )
        yield f"{count} rows of odd lengths", partial(schedules.rows, count), ODD
    for length in (64, 512, 1000, 1024, 2048, 5120, 8192):
        yield f"rows of {length}", partial(lambda length, n: schedules.rows(n, length), length), COUNTS
    yield "constants", lambda n: schedules.rows(999, n).constants, (64, 20480, 1 << 17)
    for function, more in FUNCTIONS:
        for dtype, count in ((BF16, 32), (BF16, 265), (BF16, 396), (F16, 396), (F32, 396)):
            way = partial(way_of_rows, function, more, count, dtype)
            yield f"{function}{more}, {count} rows of {dtype}", way, WORKED
        for dtype, length in product((BF16, F16), (45056, 65536, 114688, 131072, 262144)):
            by_count = partial(lambda f, m, d, n, c: way_of_rows(f, m, c, d, n), function, more, dtype, length)
            yield f"{function}{more}, rows of {length} {dtype}", by_count, around(32, 131, 256, 265, 337, 396, 449, 528)
    for way in (row_schedules._EIGHT, row_schedules._SIXTEEN, Kept(4096, 16, 2, held=7), Kept(1024, 4, 8)):
        yield f"{way}", partial(lambda w, n: (w.hints, w.tiles(n * w.width)), way), (3, 8)
    for count, center in product((1, 2111, 2112, 2113), (False, True)):
        yield (
            f"{count} rows backward{', centred' if center else ''}",
            partial(norms._backward_rows, count, center=center),
            [*SOME, *ODD[:9], *range(4608, 10000, 512)],
        )
    for count in around(264, 528, 792, 924, 1056, 2112, 2113):
        yield f"{count} rows of losses", partial(losses.walk_of, count), [*range(2048, 33280, 512), 65536, 151936]
        yield f"{count} rows of losses in turns", partial(losses.turns_of, count), TURNED


def of_products() -> Iterator[Asked]:
    sizes = around(1, 16, 17, 32, 33, 64, 65, 128, 256, 1024, 2048, 4096, 4112, 4128, 4129, 8192)
    for size, even, pairs in ((1, True, False), (2, True, False), (2, True, True), (2, False, True), (4, True, False)):
        for n, k in ((16, 64), (1544, 3080), (4096, 4096), (4112, 8192), (4224, 512), (8448, 8192), (12288, 1000)):
            asked = partial(lambda n, k, s, e, p, m: tilings.tiling(m, n, k, s, e, p), n, k, size, even, pairs)
            yield f"tiling n {n}, k {k}, {size} bytes, even {even}, pairs {pairs}", asked, sizes
        for m in (1, 64, 300, 4128):
            asked = partial(lambda m, s, e, p, k: tilings.tiling(m, 2112, k, s, e, p), m, size, even, pairs)
            yield f"tiling m {m}, {size} bytes, even {even}, pairs {pairs}, by k", asked, POWERS
            asked = partial(lambda m, s, e, p, n: tilings.tiling(m, n, 4096, s, e, p), m, size, even, pairs)
            columns = around(8, 16, 32, 64, 128, 2112, 4128, 4224, 4225, 8448, 16896)
            yield f"tiling m {m}, {size} bytes, even {even}, pairs {pairs}, by n", asked, columns
    for pairs in (True, False):
        for even in (True, False):
            asked = partial(lambda p, e, n: tilings.tiling(n, n, n, 2, e, p), pairs, even)
            yield f"tiling squares, pairs {pairs}, even {even}", asked, chain(range(8, 2300, 24), range(4000, 8600, 8))
        for m, n in ((2048, 2048), (4112, 4112), (4104, 4128), (65, 65), (64, 64), (16, 128), (128, 4224), (128, 2112)):
            asked = partial(lambda m, n, p, k: tilings.tiling(m, n, k, 2, True, p), m, n, pairs)
            yield (
                f"tiling {m} x {n}, pairs {pairs}, by k",
                asked,
                around(*(1 << n for n in range(4, 20)), *range(512, 16400, 512)),
            )
        for m in (16, 17, 32, 33, 64, 65, 128, 129):
            asked = partial(lambda m, p, n: tilings.tiling(m, n, 8192, 2, True, p), m, pairs)
            columns = [*range(16, 1100, 16), *around(*(32 * 132 * n // 4 for n in range(1, 20)))]
            yield f"tiling {m} rows, pairs {pairs}, by n", asked, columns
    edges = around(*(64 * n for n in (16, 22, 33, 44, 66, 88, 132, 185, 186, 264, 396)), *(256 * n for n in (33, 66)))
    for m, k in product((40, 57, 72, 100, 128), (1023, 1024, 2048, 2049, 4096, 6144, 6145, 8192)):
        yield f"tiling {m} rows by n, k {k}", partial(lambda m, k, n: tilings.tiling(m, n, k, 2), m, k), edges
    for m, groups in product((1, 17, 64, 65, 128, 129), (False, True)):
        asked = partial(lambda m, g, n: tilings.scaled_tiling(m, n, 4096, g), m, groups)
        yield f"tiling {m} rows of bytes, groups {groups}, by n", asked, edges
    for m, k in ((264, 8192), (520, 8192), (4360, 2048)):
        asked = partial(lambda m, k, n: tilings.tiling(m, n, k, 2, True, True), m, k)
        yield f"tiling {m} rows in pairs, k {k}, by n", asked, around(264, 520, 4104, 4128, 65288, 65544)
    for n in (64, 2048):
        by_k = partial(lambda n, k: tilings.tiling(64, n, k, 4), n)
        yield f"tiling 64 x {n} of 32 bits, by k", by_k, around(*(1 << n for n in range(4, 20)))
    for way in (tilings.tiling(n, n, n, size) for n, size in ((4096, 2), (64, 4), (64, 2))):
        yield f"{way}", partial(lambda way, _: (way.hints, way.blocks), way), (0,)
    for first, second in ((128, 64), (256, 64), (256, 32), (128, 32), (256, 16)):
        asked = partial(lambda f, s, n: wide_tiles.parts_of(n, f, s), first, second)
        yield f"equal parts of {first} and {second}", asked, range(8, 3000, 8)
    yield "strips", tilings.strips_of, range(130)
    for alone in (True, False):
        lengths = partial(lambda a, n: schedules.by_row(4096, n, a), alone)
        yield f"4096 by row, alone {alone}, at 4096", lengths, (4095, 4096, 4097)
        for count in (1, 4095, 4096, 4097):
            asked = partial(lambda c, a, n: schedules.by_row(c, n, a), count, alone)
            yield f"{count} by row, alone {alone}", asked, chain(SOME[:14], ODD[:30])
    yield "constants by row", lambda n: (schedules.by_row(7, n).constants, schedules.by_row(7, n).hints), (1024, 1000)
    for count in (7, 8, 1056, 1057, 40000):
        yield (
            f"{count} of a head",
            partial(few.of_head, count),
            [1, 8, 15, 16, 17, 255, *WHOLE[:20], *around(2048, 4096)],
        )
        yield f"{count} ahead", partial(few.ahead_of, count), [*range(512, 6000, 256), *range(8192, 18000, 512)]
    yield "gated", few.gated_way, around(*(r * b * 132 for r in (8, 16, 32) for b in (1, 2, 3, 4, 5)))
    for ahead in (few.head_ahead, few.gated_ahead):
        yield ahead.__name__, ahead, range(512, 6000, 256)
    yield "ahead, as a kernel takes it", lambda n: [(a.constants, a.hints) for a in [few.ahead_of(9, n)] if a], (1024,)
    for long in (True, False):
        asked = partial(lambda long, n: few.narrow_way(n, long), long)
        yield f"of 8 bits, long {long}", asked, [*WHOLE[:20], *ODD[:20]]
    for rows_of_all, groups in product((1, 64, 1000, 8192, 40000), (1, 8, 128)):
        name = f"{rows_of_all} rows in {groups} groups"
        for narrow in (True, False):
            asked = partial(
                lambda r, g, w, n: experts.GroupTiling.of(r, g, n, 4 * n, narrow=w), rows_of_all, groups, narrow
            )
            yield f"{name}, narrow {narrow}", asked, POWERS
        tiling = experts.GroupTiling.of(rows_of_all, groups, 512, 512, narrow=True)
        yield f"chunks of {name}", partial(lambda t, g, r: t.chunks(r, g), tiling, groups), (0, 1, rows_of_all)
    for groups, narrow in product((1, 8), (True, False)):
        by_rows = partial(lambda g, w, n: experts.GroupTiling.of(n, g, 512, 512, narrow=w), groups, narrow)
        yield f"rows in {groups} groups, narrow {narrow}", by_rows, [*range(1, 300), *range(300, 2300, 25)]
    yield "experts counted at once", experts.counted_at_once, around(*(1 << n for n in range(12)))


def of_attention() -> Iterator[Asked]:
    for size, d in product((2, 4), (64, 65, 128, 129)):
        for causal in (True, False):
            asked = partial(lambda d, s, c, n: prefill._tiles(8, n, 2 * n, d, s, c), d, size, causal)
            yield f"queries of {d}, {size} bytes, causal {causal}", asked, POWERS[:50]
            asked = partial(lambda d, s, c, n: prefill._tiles(n, 1024, 8192, d, s, c), d, size, causal)
            yield f"heads of {d}, {size} bytes, causal {causal}", asked, around(1, 32, 33, 34)
    for causal in (True, False):
        by_length = partial(lambda c, n: prefill._in_tiles_of_128(64, 8192, n, c), causal)
        yield f"tiles of 128 queries by keys, causal {causal}", by_length, POWERS[:50]
    by_heads = partial(lambda n: prefill._in_tiles_of_128(n, 2048, 2048, False))
    yield "tiles of 128 queries by heads", by_heads, range(1, 150)
    for heads in (1, 8, 31, 32, 33, 128, 131, 132, 133, 264):
        for widest in (64, 128):
            asked = partial(lambda h, w, n: decoding.cache_tiles(n, h, w), heads, widest)
            yield f"cache of {heads} heads, at most {widest}", asked, [*POWERS, *around(256, 2176, 4096, 4224)]
        yield f"parts of {heads} heads", partial(lambda h, n: decoding.parts_of_cache(n, h), heads), range(1, 80)
        for step in (64, 127, 128, 256):
            asked = partial(lambda s, h, n: decoding.parts_for(s, n, h), step, heads)
            yield f"parts of {heads} heads in steps of {step}", asked, (1, 2, 30, 31, 63, 64, 65, 1000)
        for reach in (0, 255, 256, 257, 4096):
            asked = partial(lambda h, r, n: serving.parts_of_query(n, h, 4, r), heads, reach)
            yield f"parts of a query of {heads} heads, reach {reach}", asked, (1, 2, 3, 12, 31, 32, 33, 64)
    for positions in (1024, 2048, 4096, 8192, 16384, 65536, 131072):
        by_heads = partial(lambda p, n: decoding.cache_tiles(p, n, 128), positions)
        yield f"cache of {positions} by heads", by_heads, [*range(1, 300), 528, 529, 1056]
        by_heads = partial(decoding.turned_way, positions)
        yield f"cache of {positions} in transposes by heads", by_heads, range(1, 300)
    for heads in (7, 8, 12, 13, 32, 33, 34, 64, 66, 67, 119, 120, 132, 133, 160, 161):
        asked = partial(lambda h, n: decoding.turned_way(n, h), heads)
        yield f"cache of {heads} heads in transposes", asked, [*POWERS, *around(4096, 16384)]
    for heads in (1, 32, 64, 128, 132, 256, 265):
        asked = partial(lambda h, n: decoding._in_one_turn(n, h), heads)
        yield f"cache of {heads} heads in one turn", asked, around(*(1 << n for n in range(10, 18)))
    for group in (1, 3, 4):
        for reach in (0, 4096):
            by_heads = partial(lambda g, r, n: serving.parts_of_query(64, n, g, r), group, reach)
            yield f"parts of a query in groups of {group}, reach {reach}, by heads", by_heads, range(1, 150)
    for step, high in product((16, 64, 65, 128, 256), (16, 32)):
        yield f"hints of {step} keys, {high} rows", partial(decoding.cache_hints, step, high), (64, 127, 128, 129, 256)
    yield "reaches", serving.reaches, (1, 32, 33)
    for count, page in ((1, 16), (1, 64), (1, 128), (2, 8), (2, 16), (2, 64)):
        asked = partial(lambda c, p, head: serving.near_of(c, p, head), count, page)
        yield f"near of {count} parts in pages of {page}", asked, (64, 128, 256, 512, 4096)
    for sequences in (1, 4, 63, 64):
        asked = partial(lambda most, n: (batch.padded(n, 3000), batch.rows_of(n, most)), sequences)
        yield f"tokens and rows of a step, of at most {sequences}", asked, around(*range(1, 260), 1024, 2048, 2999)
    yield "tokens that attend alone", batch.with_ones, range(14)
    for page, reach in product((16, 64), (0, 1, 16, 17, 65)):
        shape = batch.Shape(40, 5, 2, reach)
        yield f"inputs of {shape}", partial(lambda s, p, n: (s.widths(n, p), s.places(n, p)), shape, page), (1, 2, 9)


def of_axes() -> Iterator[Asked]:
    for a, r in product((1, 3, 5000), (1, 5, 300, 100000)):
        yield f"axis_tile {a} x {r}", partial(reductions.axis_tile, a, r), around(1, 16, 64, 128)
        yield f"row_tile {a}", partial(reductions.row_tile, a), around(r, 4096)
    for c in (1, 3, 64, 5000):
        yield f"channels of {c}", partial(channels._tile, c), POWERS[:45]
    yield "group_of", orders.group_of, around(*(1 << n for n in range(4, 20)))
    yield "groups_of", sampling.groups_of, around(1, 128, 4096, 1 << 17)
    for m in (1, 66, 527, 528, 529):
        yield f"parts of {m} rows", partial(sampling.parts_of, m), around(1, 2048, 4096, 20480, 151936)
    for rows_alone, pieces in product((True, False), (1, 2, 3)):
        for n in (1, 3, 14, 16, 20, 56, 110, 200, 256, 330):
            asked = partial(
                lambda n, r, p, c: convolution_rows.cutting(c, n, n, r, p).__repr__(), n, rows_alone, pieces
            )
            yield f"cut of {n} x {n}, rows {rows_alone}, {pieces} pieces", asked, around(16, 32, 64, 128)
    for stride, pad, dilation in product((1, 2, 3), (0, 1, 2), (1, 2, 3)):
        for back in (False, True):
            asked = partial(
                lambda s, p, d, b, n: [(a, a.stop) for a in convolution_rows.along(n, 3, s, p, d, b)],
                stride,
                pad,
                dilation,
                back,
            )
            yield f"three taps, stride {stride}, pad {pad}, dilation {dilation}, back {back}", asked, (1, 2, 5)
    for extents in ((1, 1, 1), (1, 1, 7), (1, 14, 14), (1, 56, 56), (3, 5, 9), (8, 8, 8), (1, 1, 1000)):
        yield f"spread {extents}", partial(patches.spread, extents), (16, 128, 256)
    window = patches.Patches((1, 3, 5), (1, 2, 3), (0, 1, 2), (1, 1, 2))
    yield "room", lambda n: window.room((n, n, n)), (1, 2, 7)


def changes(asked: Iterable[Asked]) -> Iterator[str]:
    """The sizes from which on each answer is another one."""
    for name, function, sizes in asked:
        yield f"{name}\n"
        last: object = changes
        for n in sorted(sizes):
            if (found := function(n)) != last:
                yield f"  {n}: {told(found)}\n"
                last = found


def told(value: object) -> str:
    """A tuple with names without them, and short."""
    if isinstance(value, tuple | list):
        return f"({' '.join(told(v) for v in value)})"  # pyright: ignore[reportUnknownVariableType] -- of anything
    return str(value).replace("freehold.", "")


@pytest.mark.parametrize("asked", [of_rows, of_products, of_attention, of_axes])
def test_where_choices_change(
    asked: Callable[[], Iterator[Asked]], golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "PROCESSORS", schedules.PROCESSORS)  # the engine's tests have fewer
    golden(GOLDEN / f"changes_{asked.__name__}.txt", "".join(changes(asked())))
