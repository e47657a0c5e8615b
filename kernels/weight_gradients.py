"""Gradients of convolutions by their weights: products of one image and windows of another, over all places."""

from __future__ import annotations

from math import prod
from typing import Any, Final, NamedTuple

import freehold as fh
from freehold import Const, Out, Ref, f32, i32
from freehold.kernels.convolution_rows import within
from freehold.kernels.operators import in_tf32, torch_dtype
from freehold.kernels.patches import Patches, patches_apart, spread
from freehold.kernels.pieces import multiplied, torn_all
from freehold.kernels.reductions import reduce
from freehold.kernels.schedules import PROCESSORS, ceildiv, cut, hinted, power_of_two
from freehold.kernels.tiles import safe

# --- Kernels ----------------------------------------------------------------------------------------------------------


def channels_of(
    f: Any, row: Any, each: Any, at: Any, c: Any, TILE: tuple[int, int, int], TC: int, PIECES: int, LAST: bool
) -> Any:
    """The numbers of f at a tile of places, (channels, places), in pieces, of which there are `each` images."""
    d, h, w = at
    TD, TH, TW = TILE
    if LAST:
        found: Any = ()
        for z in fh.static_range(PIECES):
            t = f.load((within(z * each + row, f.shape[0]), d, h, w, c), (1, TD, TH, TW, TC))
            found = (*found, t.reshape(TD * TH * TW, TC).T)
    else:
        t = f.load((within(row, f.shape[0]), c, d, h, w), (1, TC, TD, TH, TW)).reshape(TC, TD * TH * TW)
        found = (t,) if PIECES == 1 else torn_all(t, PIECES)
    return found


@safe
def weights_of_windows(
    parts: Out[f32, "S", "G", "A", "B", "CF", "CP"],
    f: Ref["E", "F1", "F2", "F3", "F4"],
    p: Ref["Q", "PD", "PH", "PW", "CP"],
    samples: i32,
    SIZE: Const[tuple[int, int, int]],
    STRIDE: Const[tuple[int, int, int]],
    DILATION: Const[tuple[int, int, int]],
    TILE: Const[tuple[int, int, int]],
    TAPS: Const[int],
    PIECES: Const[int],
    LAST: Const[bool],
    TURNED: Const[bool],
):
    """
    parts.sum(axis=0) = f @ windows of p, over all places of all samples, in each of G groups; part s has every S-th
    tile.

    `f` is (samples and groups, CF, D, H, W), or with `LAST` (pieces, samples and groups; D, H, W, CF). `p` is what
    `patches_apart` has made, of as many pieces. A x B are the places of the window. With `TURNED` the transpose is
    computed.
    """
    fh.require(parts.shape[3] == TAPS, "taps that a block has")
    s, g, a, c, k = parts.index
    S, G = parts.shape[:2]
    _, _, _, _, TC, TK = parts.tile
    TD, TH, TW = TILE
    TP = TD * TH * TW
    extents = f.shape[1:4] if LAST else f.shape[2:5]
    deep, high, wide = fh.cdiv(extents[0], TD), fh.cdiv(extents[1], TH), fh.cdiv(extents[2], TW)
    first = a * TAPS
    accs = tuple(fh.zeros((TK, TC) if TURNED else (TC, TK), f32) for _ in fh.static_range(TAPS))
    for i in range(s, samples * deep * high * wide, S):
        n, d, h, w = i // wide // high // deep, i // wide // high % deep, i // wide % high, i % wide
        row, each = n * G + g, samples * G
        one = channels_of(f, row, each, (within(d, deep), within(h, high), within(w, wide)), c, TILE, TC, PIECES, LAST)
        found: Any = ()
        for b in fh.static_range(TAPS):
            tap = first + b
            dd = tap // (SIZE[1] * SIZE[2]) * DILATION[0]
            hh = tap // SIZE[2] % SIZE[1] * DILATION[1]
            vv = (b if SIZE[2] == TAPS else tap % SIZE[2]) * DILATION[2]
            inner = (dd % STRIDE[0] * STRIDE[1] + hh % STRIDE[1]) * STRIDE[2] + vv % STRIDE[2]
            at = d * TD + dd // STRIDE[0], h * TH + hh // STRIDE[1], w * TW + vv // STRIDE[2]
            start = tuple(within(at[axis], p.shape[1 + axis]) for axis in fh.static_range(3))
            other: Any = ()
            for z in fh.static_range(PIECES):
                image: Any = within((z * each + row) * (STRIDE[0] * STRIDE[1] * STRIDE[2]) + inner, p.shape[0])
                other = (*other, p.load_from((image, *start, k * TK), (1, TD, TH, TW, TK)).reshape(TP, TK))
            acc = accs[b]
            x, y = (tuple(t.T for t in other), tuple(t.T for t in one)) if TURNED else (one, other)
            if PIECES == 3:
                acc += multiplied(x, y, fh.zeros(acc.shape, f32))
            else:
                acc = multiplied(x, y, acc)
            found = (*found, acc)
        accs = found
    for b in fh.static_range(TAPS):
        t = accs[b].T if TURNED else accs[b]
        parts.at(b).store(t.reshape(1, 1, 1, 1, TC, TK), allow_tma=False)


# --- Schedules --------------------------------------------------------------------------------------------------------


class Split(NamedTuple):
    """How the gradient of weights is cut."""

    channels: tuple[int, int]
    """Channels of a tile, of the image and of what is seen through windows."""
    taps: int
    """Places of the window that a block has."""
    parts: int
    """Parts of the sum."""
    warps: int


def split(groups: int, fixed: int, seen: int, size: tuple[int, int, int], steps: int) -> Split:
    """A cut for so many groups, channels of both in each, a window and tiles of places."""
    high, width = (max(16, min(most, power_of_two(n))) for n, most in ((fixed, 128), (seen, 64)))
    taps = size[2] if size[2] <= _TAPS else 1
    while taps * high * width > _SUMS and high > 64:
        high //= 2
    blocks = groups * (prod(size) // taps) * ceildiv(fixed, high) * ceildiv(seen, width)
    most = max(1, min(steps, 2 * PROCESSORS // blocks))
    parts = min(range(1, most + 1), key=lambda n: (ceildiv(blocks * n, PROCESSORS) * ceildiv(steps, n), n))
    return Split((high, width), taps, parts, 8 if high * width * taps > 8192 else 4)


_TAPS: Final = 5
"""Places of a window along width that a block has together, at most."""

_SUMS: Final = 24576
"""Sums of a block, at most."""

_STEP: Final = {2: 128, 4: 64}
"""Places that are multiplied at once, of elements of so many bytes."""

_LINE: Final = 128
"""Bytes that lie side by side in shared memory: what has shorter rows is copied with its channels last."""


_PLAIN: Final = Patches((1, 1, 1), (1, 1, 1), (0, 0, 0), (1, 1, 1))
"""A window of one place."""


# --- Launches ---------------------------------------------------------------------------------------------------------


def apart(x: Any, how: Patches, extents: Any, pieces: int) -> Any:
    """The windows of so many places in x (N, G, C, D, H, W), as `patches_apart` has them, of so many pieces."""
    N, G, C = x.shape[:3]
    rows = N * G * prod(how.stride)
    dtype = x.dtype if x.element_size() == 2 else torch_dtype("bfloat16")
    p = x.new_empty((pieces * rows, *how.room(extents), ceildiv(C, 8) * 8), dtype=dtype)[..., :C]
    deep, width = min(64, power_of_two(C)), min(64, power_of_two(p.shape[3]))
    tile = 1, 1, max(1, 4096 // (deep * width)), width, deep
    for n in range(pieces):
        given = x.flatten(0, 1), how.stride, how.pad, *((n,) if x.dtype != dtype else ())
        hinted(patches_apart, {"occupancy": 8})(cut(p.narrow(0, n * rows, rows), tile), *given).on()
    return p


def summed(dw: Any, dy: Any, x: Any, window: Any, back: bool, tf32: int) -> None:
    """Writes the gradient dw (G, CO, CI, ...) by dy (N, G, CO, ...) of a convolution of x (N, G, CI, ...)."""
    f, seen = (x, dy) if back else (dy, x)
    how = Patches(*window)
    extents = tuple(f.shape[3:])
    N, G, CF = f.shape[:3]
    CS = seen.shape[2]
    pieces = 1 if x.element_size() == 2 else 2 if in_tf32(x, tf32, True) else 3
    tile = spread(extents, _STEP[f.element_size()])
    last = tile[2] * f.element_size() < _LINE or extents[2] * f.element_size() % 16 != 0
    p = apart(seen, how, extents, pieces)
    fixed = apart(f, _PLAIN, extents, pieces) if last else f.flatten(0, 1)
    way = split(G, CF, CS, how.size, N * prod(map(ceildiv, extents, tile)))
    TC, TK = way.channels
    parts = x.new_empty((way.parts, G, prod(how.size) // way.taps, way.taps, CF, CS), dtype=torch_dtype("float32"))
    part = cut(parts, (1, 1, 1, 1, TC, TK), owned=3)
    rest = N, how.size, how.stride, how.dilation, tile, way.taps, pieces, last, CF < 64 <= CS
    hinted(weights_of_windows, {"num_worker_warps": way.warps, "occupancy": 1})(part, fixed, p, *rest).on()
    total = reduce(parts.view(way.parts, -1), "sum", 0) if way.parts > 1 else parts
    total = total.view(G, prod(how.size), CF, CS)
    dw.flatten(3).copy_(total.permute(0, 3, 2, 1) if back else total.permute(0, 2, 3, 1))
