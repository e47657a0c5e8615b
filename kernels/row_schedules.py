"""
How softmax and norms work on rows of each length: one table of ways, as measured on an H200, and who looks one up.

An entry is for functions, dtypes and lengths, and holds under conditions; the first one that holds is taken. Where none
does, rows are cut as everywhere else (`schedules.rows`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final, Literal, NamedTuple, overload

from freehold.kernels.schedules import PROCESSORS, Rows, filled, rows

Function = Literal["softmax", "log_softmax", "rms_norm", "add_rms_norm", "layer_norm"]

# --- Ways -------------------------------------------------------------------------------------------------------------


class Order(NamedTuple):
    """What a softmax does behind what, as far as the assembler would not find the best order: see `softmax_once`."""

    all_there: bool
    each: bool
    behind: int


class Kept(NamedTuple):
    """Rows stay in registers (`kept`). The width of a tile, warps, and blocks a multiprocessor."""

    width: int
    warps: int
    occupancy: int
    ahead: int = 1
    """By how many tiles weights are loaded ahead of their use."""
    held: int | None = None
    """Tiles of a row that stay in registers, the first ones, if not all do: the others are loaded again."""
    blocks: int = 1
    """Blocks of a cluster, which share a row."""
    order: Order | None = None
    """Of `softmax_once`, where that is faster than `softmax_kept`."""

    @property
    def hints(self) -> dict[str, int]:
        """The kernel's hints."""
        found = {"num_worker_warps": self.warps, "occupancy": self.occupancy}
        if self.blocks > 1:
            found["num_cta_in_cga"] = self.blocks
        return {**found, "begin_early": True} if self.blocks > 1 and self.warps == 4 else found

    def tiles(self, length: int) -> tuple[int, int]:
        """Tiles of a row, and how many of them stay in registers: the kernel's `K` and `H`."""
        count = length // self.width
        return count, count if self.held is None else self.held


class Reloaded(NamedTuple):
    """
    A part of a row stays in registers, and the rest is loaded again (`reloaded`). The width of a tile, warps, and
    blocks a multiprocessor.
    """

    width: int
    warps: int
    occupancy: int
    held: int
    """The first tiles of a row, which stay in registers."""
    ahead: int = 1
    """By how many tiles what is loaded again is loaded ahead of its use; with 0 a loop does it."""
    weights: int = 0
    """By how many those of norms are."""
    order: Order = Order(False, False, 0)
    """Of softmax."""
    later: int = 0
    """How much later some of the first blocks begin (`reloaded.staggered`), where there are at least `STAGGERED`."""
    early: bool = False
    """Whether launches gain by beginning early in graphs."""

    @property
    def hints(self) -> dict[str, int]:
        """The kernel's hints."""
        found = {"num_worker_warps": self.warps, "occupancy": self.occupancy}
        return {**found, "begin_early": True} if self.early else found


class Walked(NamedTuple):
    """Rows are walked again (`rows`, `norms`). The width of a tile, warps, and blocks a multiprocessor."""

    width: int
    warps: int
    occupancy: int
    held: int
    """Tiles of a row that stay in registers all the same, as they are in memory."""


class Whole(NamedTuple):
    """Rows stay in registers as numbers (`rows`), but cut in another way. The width of a tile, warps, and blocks a
    multiprocessor."""

    width: int
    warps: int
    occupancy: int


class ByColumns(NamedTuple):
    """Several blocks have parts of a row for its moments (`channels`), and then tiles of several rows."""

    width: int
    """Elements of a row in each part."""
    warps: int
    occupancy: int

    @property
    def hints(self) -> dict[str, int]:
        """The hints of the kernel that has tiles of several rows."""
        return {"num_worker_warps": self.warps, "occupancy": self.occupancy}


Way = Kept | Reloaded | ByColumns | Rows
"""What `way_of` finds. `Walked` and `Whole` are `Rows` then, with what the kernels of rows of any length need."""

# --- Conditions -------------------------------------------------------------------------------------------------------

STAGGERED: Final = 3 * PROCESSORS
"""Rows, at least, of which the first ones begin at different times."""


class When(NamedTuple):
    """The conditions under which an entry holds."""

    least: int = 1
    """Rows, at least."""
    most: int = sys.maxsize
    """And at most."""
    filled: float = 0.0
    """How much of the GPU has work, at least (`schedules.filled`)."""
    alike: bool = False
    """Whether weights, and a bias, have to have the dtype of the rows."""
    bias: bool | None = None
    """Whether there has to be a bias, or none; None: either."""

    def hold(self, count: int, occupancy: int, alike: bool, bias: bool) -> bool:
        """Whether they do, of so many rows, and as weights are."""
        return (
            self.least <= count <= self.most
            and filled(count, occupancy) >= self.filled
            and self.alike <= alike
            and self.bias in (None, bias)
        )


_ALWAYS: Final = When()
_FEW: Final = When(most=32)
"""Rows that clusters share: too few for a block each, and all blocks run at once."""
_MANY: Final = When(least=2 * PROCESSORS + 1)
"""Rows of which a multiprocessor has more than two."""
_FILLED: Final = When(least=256, filled=0.85)
"""
A multiprocessor has one or two rows, so that few more than it has at a time take another turn of all of it. Fewer rows
were not measured.
"""
_FEW_ALIKE: Final = _FEW._replace(alike=True)
_MANY_ALIKE: Final = _MANY._replace(alike=True)
_MANY_WITH_BIAS: Final = _MANY_ALIKE._replace(bias=True)
_FILLED_ALIKE: Final = _FILLED._replace(alike=True)
_FILLED_WITH_BIAS: Final = _FILLED_ALIKE._replace(bias=True)

# --- The table --------------------------------------------------------------------------------------------------------


class Entry(NamedTuple):
    """Which way is taken for what."""

    functions: tuple[Function, ...]
    dtypes: tuple[str, ...]
    lengths: Sequence[int]
    way: Kept | Reloaded | Walked | Whole | ByColumns
    when: When = _ALWAYS


def _from(least: int, step: int) -> range:
    """All lengths from `least` on, in such steps."""
    return range(least, sys.maxsize, step)


def _cluster(blocks: int, occupancy: int) -> Kept:
    """
    A cluster whose blocks have four warps. Where rows are many, what counts is how many blocks a multiprocessor has:
    each waits for the others of its cluster four times, the last time until all that they stored is there.
    """
    return Kept(1024 * blocks, 4, occupancy, blocks=blocks)


_ONE_BY_ONE: Final = Order(True, True, 1)
_BY_TWO: Final = Order(True, False, 2)
_EIGHT: Final = Kept(16384, 8, 4, blocks=8)
_SIXTEEN: Final = Kept(32768, 8, 4, blocks=16)

_BF16: Final = ("bf16",)
_F16: Final = ("f16",)
_F32: Final = ("f32",)
_NARROW: Final = (*_BF16, *_F16)
_ALL: Final = (*_NARROW, *_F32, "f64")
_OF_TORCH: Final = {"torch.bfloat16": "bf16", "torch.float16": "f16", "torch.float32": "f32", "torch.float64": "f64"}
"""Dtypes by what torch calls them."""

_SOFTMAX: Final[tuple[Function, ...]] = ("softmax",)
_LOG: Final[tuple[Function, ...]] = ("log_softmax",)
_BOTH: Final = (*_SOFTMAX, *_LOG)
_RMS: Final[tuple[Function, ...]] = ("rms_norm",)
_ADD: Final[tuple[Function, ...]] = ("add_rms_norm",)
_LAYER: Final[tuple[Function, ...]] = ("layer_norm",)

TABLE: Final = (
    # Softmax and its logarithm.
    Entry(_SOFTMAX, _NARROW, (8192,), Whole(4096, 8, 4), _MANY),
    Entry(_LOG, _NARROW, (16384,), Kept(4096, 16, 3), _MANY),
    Entry(_BOTH, _NARROW, (20480,), Kept(4096, 16, 3), _MANY),
    Entry(_BOTH, _NARROW, (28672, 32768), Kept(4096, 16, 2), _MANY),
    Entry(_SOFTMAX, _NARROW, (36864, 40960, 45056, 49152), Kept(4096, 8, 2, order=_ONE_BY_ONE), _MANY),
    Entry(_LOG, _BF16, (36864, 40960, 45056), Kept(4096, 8, 2, order=_ONE_BY_ONE), _MANY),
    Entry(_LOG, _NARROW, (49152,), Kept(8192, 32, 1, order=Order(False, False, 0)), _MANY),
    Entry(_BOTH, _NARROW, (57344,), Kept(8192, 32, 1, order=Order(True, False, 0)), _MANY),
    Entry(_SOFTMAX, _BF16, (65536,), Reloaded(4096, 16, 2, held=9, order=_BY_TWO), _FILLED),
    Entry(_BOTH, _NARROW, (65536,), Kept(8192, 32, 1, order=_BY_TWO), _MANY),
    Entry(_BOTH, _NARROW, (81920,), Kept(8192, 16, 1, order=_ONE_BY_ONE), _MANY),
    Entry(_LOG, _BF16, (98304,), Reloaded(8192, 32, 1, held=8, order=_BY_TWO), _FILLED),
    Entry(_BOTH, _NARROW, (98304,), Kept(8192, 16, 1, order=_ONE_BY_ONE), _MANY),
    Entry(_BOTH, _BF16, (114688,), Reloaded(8192, 32, 1, held=8, order=_BY_TWO, later=80), _FILLED),
    Entry(_SOFTMAX, _BF16, (114688,), _cluster(8, 6), _MANY),
    Entry(_SOFTMAX, _F16, (114688,), _EIGHT, _MANY),
    Entry(_LOG, _NARROW, (114688,), _EIGHT, _MANY),
    Entry(_BOTH, _BF16, (131072,), Reloaded(8192, 32, 1, held=8, order=_BY_TWO, later=80, early=True), _FILLED),
    Entry(_BOTH, _F16, (131072,), Reloaded(8192, 32, 1, held=8, order=_BY_TWO), _FILLED),
    Entry(_SOFTMAX, _NARROW, (131072,), _cluster(8, 5), _MANY),
    Entry(_LOG, _BF16, (131072,), _cluster(8, 5), _MANY),
    Entry(_LOG, _F16, (131072,), _EIGHT, _MANY),
    Entry(_BOTH, _NARROW, (131072,), _EIGHT, _FEW),
    Entry(_SOFTMAX, _BF16, (262144,), _cluster(16, 5), When(least=256)),
    Entry(_BOTH, _NARROW, (262144,), _SIXTEEN),
    Entry(_BOTH, _NARROW, _from(139264, 8192), Walked(8192, 16, 1, held=0)),
    Entry(_BOTH, _NARROW, _from(131072, 4096), Walked(4096, 16, 1, held=12)),
    Entry(_BOTH, _NARROW, _from(65536, 8192), Walked(8192, 32, 1, held=4)),
    Entry(_BOTH, _NARROW, _from(57344, 8192), Walked(8192, 32, 1, held=3)),
    Entry(_BOTH, _NARROW, _from(40960, 4096), Walked(4096, 16, 2, held=5)),
    Entry(_BOTH, _NARROW, _from(32768, 4096), Walked(4096, 16, 2, held=4)),
    Entry(_BOTH, _NARROW, _from(24576, 4096), Walked(4096, 16, 2, held=3)),
    Entry(_BOTH, _F32, _from(131072, 4096), Walked(4096, 32, 1, held=4)),
    # RMS norms. Those of 5,120 and 12,288 elements take up to 1.01 of the time where weights are wider.
    Entry(_RMS, _NARROW, (1536,), Kept(512, 2, 16, ahead=3), _MANY),
    Entry(_RMS, _NARROW, (4096,), Kept(2048, 8, 5, ahead=2), _MANY),
    Entry(_RMS, _NARROW, (5120,), Kept(1024, 4, 8), _MANY_ALIKE),
    Entry(_RMS, _NARROW, (8192,), Kept(1024, 4, 8), _MANY),
    Entry(_RMS, _NARROW, (12288,), Kept(2048, 8, 4, ahead=2), _MANY_ALIKE),
    Entry(_RMS, _NARROW, (16384,), Kept(4096, 16, 3), _MANY),
    Entry(_RMS, _NARROW, (20480, 24576, 28672), Kept(4096, 16, 2), _MANY),
    Entry(_RMS, _NARROW, (32768,), Kept(4096, 16, 2, ahead=2), _MANY),
    Entry(_RMS, _NARROW, (40960,), Kept(8192, 32, 1), _MANY),
    Entry(_RMS, _BF16, (45056,), Reloaded(4096, 16, 2, held=7, weights=1), _FILLED_ALIKE),
    Entry(_RMS, _NARROW, (45056,), Kept(4096, 16, 2, held=8), _MANY),
    Entry(_RMS, _NARROW, (49152, 57344, 65536), Kept(8192, 32, 1), _MANY),
    Entry(_RMS, _BF16, (81920,), Reloaded(8192, 32, 1, held=6, weights=2), _FILLED_ALIKE),
    Entry(_RMS, _BF16, (81920,), _cluster(8, 7), _MANY_ALIKE),
    Entry(_RMS, _BF16, (98304,), Reloaded(8192, 32, 1, held=6, ahead=2, weights=2), _FILLED_ALIKE),
    Entry(_RMS, _BF16, (98304,), _cluster(8, 7), _MANY_ALIKE),
    Entry(_RMS, _BF16, (114688,), Reloaded(8192, 32, 1, held=6, ahead=2, weights=2), _FILLED_ALIKE),
    Entry(_RMS, _BF16, (114688,), _cluster(8, 6), _MANY_ALIKE),
    Entry(_RMS, _NARROW, (131072,), Reloaded(4096, 16, 1, held=16, ahead=3, weights=4), _FILLED_ALIKE),
    Entry(_RMS, _NARROW, (131072,), _cluster(8, 5), _MANY_ALIKE),
    Entry(_RMS, _NARROW, (131072,), _EIGHT, _MANY),
    Entry(_RMS, _NARROW, (131072,), _EIGHT, _FEW),
    Entry(_RMS, _BF16, (262144,), Reloaded(8192, 32, 1, held=7, weights=2), _FILLED_ALIKE),
    Entry(_RMS, _NARROW, (262144,), _SIXTEEN),
    Entry(_RMS, _NARROW, _from(49152, 4096), Walked(4096, 16, 1, held=8)),
    Entry(_RMS, _NARROW, _from(40960, 4096), Walked(4096, 16, 2, held=5)),
    Entry(_RMS, _NARROW, _from(32768, 4096), Walked(4096, 16, 2, held=4)),
    Entry(_RMS, _NARROW, _from(24576, 4096), Walked(4096, 16, 2, held=3)),
    # RMS norms of sums.
    Entry(_ADD, _BF16, (4096, 8192), Whole(2048, 8, 8), _MANY),
    Entry(_ADD, _NARROW, _from(131072, 4096), Walked(4096, 16, 1, held=8)),
    Entry(_ADD, _NARROW, _from(65536, 8192), Walked(8192, 32, 1, held=4)),
    Entry(_ADD, _NARROW, _from(40960, 8192), Walked(8192, 32, 1, held=2)),
    Entry(_ADD, _NARROW, _from(40960, 4096), Walked(4096, 16, 1, held=8)),
    Entry(_ADD, _NARROW, _from(32768, 4096), Walked(4096, 16, 2, held=4)),
    Entry(_ADD, _NARROW, _from(24576, 4096), Walked(4096, 16, 2, held=3)),
    # Layer norms.
    Entry(_LAYER, _ALL, _from(262144, 2048), ByColumns(2048, 8, 4), When(most=PROCESSORS - 1)),
    Entry(_LAYER, _NARROW, (1024,), Kept(512, 2, 16), _MANY_ALIKE),
    Entry(_LAYER, _NARROW, (1536,), Kept(512, 2, 16, ahead=3), _MANY_ALIKE),
    Entry(_LAYER, _NARROW, (2048,), Kept(512, 2, 16), _MANY_ALIKE),
    Entry(_LAYER, _NARROW, (2560,), Kept(512, 2, 12), _MANY_ALIKE),
    Entry(_LAYER, _NARROW, (3072,), Kept(1024, 4, 8, ahead=3), _MANY_ALIKE),
    Entry(_LAYER, _NARROW, (4096,), Kept(1024, 4, 6, ahead=3), _MANY_ALIKE),
    Entry(_LAYER, _NARROW, (5120,), Kept(1024, 4, 6), _MANY_ALIKE),
    Entry(_LAYER, _NARROW, (6144,), Kept(1024, 4, 5, ahead=3), _MANY_ALIKE),
    Entry(_LAYER, _NARROW, (7168,), Kept(1024, 4, 5, ahead=2), _MANY_ALIKE),
    Entry(_LAYER, _NARROW, (8192,), Kept(1024, 4, 8), _MANY_ALIKE),
    Entry(_LAYER, _NARROW, (12288,), Kept(2048, 8, 3, ahead=2), _MANY_ALIKE),
    Entry(_LAYER, _NARROW, (16384,), Kept(2048, 8, 4), _MANY_ALIKE),
    Entry(_LAYER, _NARROW, (20480, 24576, 28672, 32768), Kept(4096, 16, 2), _MANY_ALIKE),
    Entry(_LAYER, _BF16, (40960,), Reloaded(8192, 32, 1, held=4, weights=2, early=True), _FILLED_WITH_BIAS),
    Entry(_LAYER, _NARROW, (40960,), Kept(8192, 32, 1), _MANY_ALIKE),
    Entry(_LAYER, _BF16, (45056,), Reloaded(4096, 16, 2, held=7, weights=1), _FILLED_WITH_BIAS),
    Entry(_LAYER, _NARROW, (45056,), Kept(4096, 16, 2, held=7), _MANY_ALIKE),
    Entry(_LAYER, _BF16, (49152,), Reloaded(8192, 32, 1, held=3, weights=2, early=True), _FILLED_WITH_BIAS),
    Entry(_LAYER, _BF16, (57344,), Reloaded(8192, 32, 1, held=4, weights=2, early=True), _FILLED_WITH_BIAS),
    Entry(_LAYER, _NARROW, (49152, 57344), Kept(8192, 32, 1), _MANY_ALIKE),
    Entry(_LAYER, _BF16, (65536,), Reloaded(8192, 32, 1, held=7, weights=2, later=80, early=True), _FILLED_WITH_BIAS),
    Entry(_LAYER, _NARROW, (65536,), Kept(8192, 32, 1, held=6), _MANY_ALIKE),
    Entry(_LAYER, _BF16, (81920,), Reloaded(4096, 16, 1, held=14, ahead=2, weights=4), _FILLED_WITH_BIAS),
    Entry(_LAYER, _NARROW, (81920,), Kept(8192, 32, 1, held=6), _MANY_ALIKE),
    Entry(_LAYER, _BF16, (98304,), Reloaded(4096, 16, 1, held=14, ahead=3, weights=4), _FILLED_ALIKE),
    Entry(_LAYER, _BF16, (98304,), _cluster(8, 6), _MANY_WITH_BIAS),
    Entry(_LAYER, _NARROW, (98304,), Kept(8192, 32, 1, held=6), _MANY_ALIKE),
    Entry(_LAYER, _BF16, (114688,), Reloaded(4096, 16, 1, held=14, ahead=3, weights=4), _FILLED_WITH_BIAS),
    Entry(_LAYER, _BF16, (114688,), _cluster(8, 5), _MANY_ALIKE),
    Entry(_LAYER, _F16, (114688,), _EIGHT, _MANY_ALIKE),
    Entry(_LAYER, _BF16, (131072,), Reloaded(4096, 16, 1, held=14, ahead=3, weights=4), _FILLED_ALIKE),
    Entry(_LAYER, _F16, (131072,), Reloaded(4096, 16, 1, held=14, ahead=3, weights=4), _FILLED_WITH_BIAS),
    Entry(_LAYER, _NARROW, (131072,), Kept(8192, 32, 1, held=6), _MANY_ALIKE),
    Entry(_LAYER, _NARROW, (131072,), _EIGHT, _FEW_ALIKE),
    Entry(_LAYER, _BF16, (262144,), Reloaded(8192, 32, 1, held=5, ahead=2, weights=2), _FILLED_WITH_BIAS),
    Entry(_LAYER, _NARROW, _from(139264, 8192), Walked(8192, 16, 1, held=0)),
    Entry(_LAYER, _NARROW, _from(131072, 8192), Walked(8192, 32, 1, held=2)),
    Entry(_LAYER, _NARROW, _from(65536, 8192), Walked(8192, 32, 1, held=4)),
    Entry(_LAYER, _NARROW, _from(57344, 8192), Walked(8192, 32, 1, held=3)),
    Entry(_LAYER, _NARROW, _from(49152, 8192), Walked(8192, 32, 1, held=2)),
    Entry(_LAYER, _NARROW, _from(49152, 4096), Walked(4096, 16, 1, held=8)),
    Entry(_LAYER, _NARROW, _from(32768, 4096), Walked(4096, 16, 2, held=4)),
    Entry(_LAYER, _NARROW, _from(24576, 4096), Walked(4096, 16, 2, held=3)),
)
"""
Ways that are faster than those behind them, as measured on an H200. For each of `Reloaded` and of clusters of small
blocks, all rows of a launch were compared with `f64` there, in each of its dtypes, as the assembler makes wrong code of
some reductions in clusters: of norms with weights of that dtype.
"""


@overload
def way_of(function: Literal["softmax", "log_softmax"], x: Any) -> Kept | Reloaded | Rows: ...


@overload
def way_of(function: Literal["rms_norm"], x: Any, alike: bool) -> Kept | Reloaded | Rows: ...


@overload
def way_of(function: Literal["add_rms_norm"], x: Any) -> Rows: ...


@overload
def way_of(function: Literal["layer_norm"], x: Any, alike: bool, bias: bool) -> Way: ...


def way_of(function: Function, x: Any, alike: bool = True, bias: bool = False) -> Way:
    """
    How a function works on the rows of the matrix `x`: the first way of the table that holds. `alike` says whether
    weights, and a bias, have the dtype of `x`, and `bias` whether there is one. A GPU without clusters walks rows that
    clusters have elsewhere. `x` is a tensor of torch or an array of the engine, in whose steps ways for weights that
    are alike were not measured: these are not taken there. Raises `TypeError` where extents are tensors, as a tracer
    has them.
    """
    dtype = str(x.dtype)
    name = _OF_TORCH.get(dtype, dtype)
    if not all(isinstance(extent, int) for extent in x.shape):  # a range would compare them with all that it has
        raise TypeError(f"extents are numbers, not {x.shape}")
    way, otherwise = _ways(function, name, *x.shape, alike and name != dtype, bias)
    return otherwise if isinstance(way, Kept) and way.blocks > 1 and not _has_clusters(x) else way


@cache
def _ways(function: Function, dtype: str, count: int, length: int, alike: bool, bias: bool) -> tuple[Way, Rows]:
    """The first way that holds of so many rows, and the first that walks them."""
    found = [
        way
        for functions, dtypes, lengths, way, when in TABLE
        if function in functions and dtype in dtypes and length in lengths
        if when.hold(count, way.occupancy, alike, bias)
    ]
    otherwise, walked = rows(count, length), next((way for way in found if isinstance(way, Walked)), None)
    if walked:
        width, warps, occupancy, held = walked
        otherwise = otherwise._replace(tile=(1, width), warps=warps, occupancy=occupancy, held=held)
    way = found[0] if found else otherwise
    if isinstance(way, Whole):
        tile, tiles = (1, way.width), length // way.width
        way = otherwise._replace(tile=tile, tiles=tiles, warps=way.warps, occupancy=way.occupancy)
    if isinstance(way, Reloaded) and count < STAGGERED:
        way = way._replace(later=0)
    return otherwise if isinstance(way, Walked) else way, otherwise


def _has_clusters(x: Any) -> bool:
    """Whether the GPU where `x` is has clusters; the interpreter has. Of the engine's arrays none is asked."""
    if isinstance(x.device, int):
        return False
    return x.device.type != "cuda" or import_module("torch").cuda.get_device_capability(x.device)[0] >= 9
