"""Reductions and scans with any combiner.

The combiner's body is compiled once and run on whole slices in place of the scalars of its text: its operations work
element by element, so what holds for one pair of elements holds for all of them. A reduction joins neighbours until
one slice is left, a scan doubles its reach; both apply the combiner about log2(n) times, join the identity with the
first element, and swap no operands. Checked mode tries the combiner's laws on the elements (`laws`), adversarial mode
shuffles those of a reduction and runs scans in either grouping. A body that holds something else than element-wise
operations runs on one pair at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from freehold.dialects.cuda_tile.float_bits import FloatBitsAttr
from freehold.dialects.location import span_of
from freehold.runtime.interpreter import conversions, floats, integers
from freehold.runtime.interpreter.access import dims, element, integer
from freehold.runtime.interpreter.compile import Frame, reject, sequence
from freehold.runtime.interpreter.elements import Array
from freehold.runtime.interpreter.errors import LawBroken
from freehold.runtime.interpreter.laws import broken
from freehold.runtime.interpreter.padding import without_padding
from freehold.runtime.interpreter.shapes import from_bytes
from freehold.support.diagnostic import Rejected

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, IntegerType
    from xdsl.ir import Attribute, Operation

    from freehold.runtime.interpreter.compile import Compiler, Effect, Step

ELEMENTWISE: Final = frozenset(
    {*integers.PURE, *floats.PURE, *conversions.PURE, "cuda_tile.constant", "cuda_tile.select", "cuda_tile.yield"}
    - {"cuda_tile.pack", "cuda_tile.unpack"}
)
"""Operations that treat a tile as its elements."""

Combiner = Callable[[Frame, Sequence[Array], Sequence[Array]], list[Array]]
_FAST: Final[dict[str, np.ufunc]] = {"cuda_tile.addf": np.add, "cuda_tile.addi": np.add, "cuda_tile.muli": np.multiply}


def _identities(op: Operation) -> list[Array]:
    """What is neutral for the combiner, by operand."""
    given = cast("ArrayAttr[Attribute]", op.properties["identities"]).data
    found: list[Array] = []
    for operand, identity in zip(op.operands, given, strict=True):
        e = element(operand)
        if isinstance(identity, FloatBitsAttr):
            data = identity.data
        else:
            value = cast("IntegerAttr[IntegerType]", identity).value.data
            size = max(1, e.bits // 8)
            data = (value & ((1 << e.bits) - 1)).to_bytes(size, "little")
        found.append(from_bytes(data, e)[0])
    return found


def _keep_laws(op: Operation, v: Frame, combine: Combiner, tiles: Sequence[Array], commutes: bool) -> None:
    """Refuses a combiner that breaks a law on elements of the tiles."""

    def join(left: Sequence[Array], right: Sequence[Array]) -> list[Array]:
        return [np.array(tile) for tile in combine(v, left, right)]

    try:
        found = broken(join, tiles, _identities(op), commutes=commutes)
    except Rejected:  # elements that never meet may have no result
        return
    if found is not None:
        law, difference, values = found
        reject(LawBroken(span_of(op), law, difference, values))


def _with_identity(op: Operation, v: Frame, combine: Combiner, tiles: Sequence[Array]) -> list[Array]:
    """Tiles whose first elements are joined with the identity."""
    first = [tile[:1] for tile in tiles]
    start = [np.broadcast_to(e, tile.shape) for e, tile in zip(_identities(op), first, strict=True)]
    joined = combine(v, start, first)
    return [np.concatenate((j, tile[1:])) for j, tile in zip(joined, tiles, strict=True)]


def _combiner(op: Operation, c: Compiler) -> Combiner:
    block = op.regions[0].block
    ops = list(block.ops)
    last = ops[-1]
    steps = [step for each in ops[:-1] if (step := c.operation(each)) is not None]
    body = sequence(steps, jumps=False)
    arguments, results = c.slots(block.args), c.slots(last.operands)
    dtypes = [element(value).dtype for value in op.operands]

    def whole(v: Frame, left: Sequence[Array], right: Sequence[Array]) -> list[Array]:
        for n, (a, b) in enumerate(zip(left, right, strict=True)):
            v[arguments[2 * n]], v[arguments[2 * n + 1]] = a, b
        body(v)
        shape = left[0].shape
        found = [v[slot] for slot in results]
        return [tile if tile.shape == shape else np.broadcast_to(tile, shape) for tile in found]

    def one_by_one(v: Frame, left: Sequence[Array], right: Sequence[Array]) -> list[Array]:
        shape = left[0].shape
        out = [np.empty(shape, dtype) for dtype in dtypes]
        for index in np.ndindex(shape):
            for n, (a, b) in enumerate(zip(left, right, strict=True)):
                v[arguments[2 * n]], v[arguments[2 * n + 1]] = a[index], b[index]
            body(v)
            for target, slot in zip(out, results, strict=True):
                target[index] = v[slot]
        return out

    return whole if all(each.name in ELEMENTWISE for each in ops) else one_by_one


def _single(op: Operation) -> np.ufunc | None:
    """The ufunc of a body that is one plain operation on its two arguments, where NumPy's own reduction is as good."""
    ops = list(op.regions[0].block.ops)
    if (
        len(ops) != 2
        or len(op.operands) != 1
        or element(op.operands[0]).name not in ("f32", "f64", "i8", "i16", "i32", "i64")
    ):
        return None
    first, last = ops
    mode: Any = first.properties.get("rounding_mode")
    plain = (
        set(first.operands) == set(op.regions[0].block.args)
        and list(last.operands) == list(first.results)
        and "flush_to_zero" not in first.properties
        and (mode is None or mode.data.value == "nearest_even")
    )
    ufunc = _FAST.get(first.name) if plain else None
    return ufunc if ufunc is not None and _identities(op)[0] == ufunc.identity else None


def _reduce(op: Operation, c: Compiler) -> Step:
    axis = integer(op, "dim")
    count = dims(op.operands[0])[axis]
    sources, targets = c.slots(op.operands), c.slots(op.results)
    ufunc = _single(op)
    if ufunc is not None and not (c.checked and "overflow" in next(iter(op.regions[0].block.ops)).properties):
        (source,), (target,) = sources, targets
        dtype = element(op.operands[0]).dtype

        def fast(v: Frame) -> None:
            v[target] = ufunc.reduce(v[source], axis=axis, dtype=dtype)

        return fast
    combine = _combiner(op, c)

    def halve(v: Frame) -> None:
        tiles = [np.moveaxis(v[source], axis, 0) for source in sources]
        if c.checked:
            _keep_laws(op, v, combine, tiles, commutes=True)
        if c.adversarial:
            order = v[0].adversary.shuffled(count)
            tiles = [tile[order] for tile in tiles]
        tiles = _with_identity(op, v, combine, tiles)
        size = count
        while size > 1:
            size //= 2
            tiles = combine(v, [t[0::2] for t in tiles], [t[1::2] for t in tiles])
        for target, tile in zip(targets, tiles, strict=True):
            v[target] = tile[0]

    return halve


def _doubling(v: Frame, combine: Combiner, tiles: list[Array]) -> list[Array]:
    """All partial results along the first axis, each the join of two shorter ones."""
    reach = 1
    while reach < len(tiles[0]):
        joined = combine(v, [t[:-reach] for t in tiles], [t[reach:] for t in tiles])
        tiles = [np.concatenate((t[:reach], j)) for t, j in zip(tiles, joined, strict=True)]
        reach *= 2
    return tiles


def _one_by_one(v: Frame, combine: Combiner, tiles: list[Array]) -> list[Array]:
    """The same, each the join of the one before with one element."""
    steps = [[t[:1] for t in tiles]]
    for n in range(1, len(tiles[0])):
        steps.append(combine(v, steps[-1], [t[n : n + 1] for t in tiles]))
    return [np.concatenate(each) for each in zip(*steps, strict=True)]


def _scan(op: Operation, c: Compiler) -> Step:
    axis = integer(op, "dim")
    reverse = bool(integer(op, "reverse"))
    sources, targets = c.slots(op.operands), c.slots(op.results)
    combine = _combiner(op, c)

    def double(v: Frame) -> None:
        tiles = [np.moveaxis(v[source], axis, 0) for source in sources]
        if reverse:
            tiles = [t[::-1] for t in tiles]
        if c.checked:
            _keep_laws(op, v, combine, tiles, commutes=False)
        tiles = _with_identity(op, v, combine, tiles)
        running = _one_by_one if c.adversarial and v[0].adversary.flips() else _doubling
        tiles = running(v, combine, tiles)
        for target, tile in zip(targets, tiles, strict=True):
            v[target] = np.moveaxis(tile[::-1] if reverse else tile, 0, axis)

    return double


def _aggregate(op: Operation, c: Compiler) -> Step:
    scan = op.name == "cuda_tile.scan"
    step = (_scan if scan else _reduce)(op, c)
    return without_padding(op, step, c, integer(op, "dim"), _identities(op), scan) if c.checked else step


EFFECTS: Final[dict[str, Effect]] = {"cuda_tile.reduce": _aggregate, "cuda_tile.scan": _aggregate}
"""The definitions, by name."""
