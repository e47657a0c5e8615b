"""Partitions: how the launch of a kernel cuts an array that it writes into regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod
from operator import index
from types import CodeType, FunctionType
from typing import Any, Final, NoReturn, cast

import freehold
from freehold.frontend.index_maps import OWN_PLACE, Extents, IndexMap, OfPoint, PointMap, Untraceable, place_of, read
from freehold.frontend.schedule import (
    EACH,
    MAX_ELEMENTS,
    PERSISTENT,
    ROW,
    Blocks,
    Choice,
    Groups,
    OpenPartition,
    Order,
    PartitionSpec,
    choose,
)
from freehold.runtime.base import native
from freehold.runtime.base.call_site import CallSite, caller
from freehold.runtime.errors.refusing import errors, reject
from freehold.runtime.memory.arguments import is_array
from freehold.support.public import refuse as wrong_call
from freehold.support.span import Span

_IN_KERNELS: Final = frozenset(("load", "load_like", "store", "at", "release", "index", "tile"))


class Partition:
    """
    An array and how it is cut into regions, for a tensor parameter. Made by `freehold.partition`.

    Classes of partitions differ by the class of their arrays, so that a launch knows from the classes of its arguments
    all it needs to read them quickly.
    """

    __slots__ = ("array", "spec")

    def __init__(self, array: Any, spec: PartitionSpec | OpenPartition):
        self.array = array
        self.spec = spec
        """Equal specs are one object."""

    def of(self, array: Any) -> Partition:
        """Another array, cut the same way."""
        kind = _CLASSES.get(array.__class__) or _class(array.__class__)
        return kind(array, self.spec)

    def __reduce__(self) -> NoReturn:
        wrong_call(
            "copy",
            "a partition is of one array, and is neither copied by `copy` nor pickled: send the array and the tile, "
            "and make it where it is used",
        )

    def __getattr__(self, name: str) -> NoReturn:
        if name in _IN_KERNELS:
            from freehold.frontend.errors import OutsideKernel

            reject(OutsideKernel(caller().span, name=f"Mut.{name}"))
        raise AttributeError(f"a partition has no attribute {name!r}", name=name, obj=self)

    def __repr__(self) -> str:
        spec = self.spec
        if isinstance(spec, OpenPartition):
            said = f"tile={spec.tile}, order={spec.order}, blocks={spec.count or spec.blocks}"
            return f"<partition of a {type(self.array).__name__}, of which parts are open: {said}>"
        parts = [f"tile={spec.tile}"]
        if spec.step != spec.tile:
            parts.append(f"step={spec.step}")
        if spec.map is not None:
            parts.append(f"map={spec.map.region}, domain={spec.map.domain}, where={spec.map.where}")
        if spec.owned:
            parts.append(f"owned={spec.owned}")
        if spec.groups is not None:
            parts.append(f"by={spec.groups.by!r}, axis={spec.groups.axis}, most={spec.groups.most or None}")
        if spec.partial:
            parts.append("partial=True")
        if spec.extents:
            parts.append(f"extents={spec.extents}")
        blocks = spec.count or spec.blocks
        return f"<partition of a {type(self.array).__name__}: {', '.join(parts)}, order={spec.order}, {blocks}>"


_CLASSES: Final[dict[type, type[Partition]]] = {}
_SPECS: Final[dict[PartitionSpec | OpenPartition, Any]] = {}
_PLAIN: Final[dict[object, PartitionSpec]] = {}
"""Specs that say nothing but a tile, by tile, of integers alone (64.0 is equal to 64): for the native module."""


_LEFT_OUT: Final[Any] = Choice()
"""What a call leaves out: the launch chooses it where it chooses the tile, else it is the plain way."""


def partition(
    array: Any,
    tile: int | tuple[int, ...] = choose(),
    *,
    step: int | tuple[int, ...] | None = None,
    map: IndexMap | OfPoint | None = None,
    grid: Extents | None = None,
    where: OfPoint | None = None,
    owned: int | tuple[int, ...] = (),
    partial: bool = False,
    order: Order = _LEFT_OUT,
    blocks: Blocks | int = _LEFT_OUT,
) -> Partition:
    """
    Cuts `array` into regions of `tile` elements, and says which points of the launch take which.

    `tile` has one power of two for each axis (an integer, where there is one axis). Region `(i, j)` begins at element
    `(i * step[0], j * step[1])`; `step` is `tile` unless given, and the regions at the end are partial. `order` is the
    order in which points are handed to tile blocks, `blocks` how many blocks there are: `EACH`, `PERSISTENT`, or a
    number of persistent ones. Results depend on neither.

    Point `(i, j)` takes region `map(i, j)`, by default its own coordinates; a map with a parameter `grid` is given the
    numbers of regions along each axis. `grid` are the extents of the points' domain: numbers, or a function of the
    numbers of regions, which are the default. Points for which `where(i, j)` is false do nothing. A point has all
    regions along the axes `owned`: the others are the map's, and `y.at(k)` names one of them. Maps are read once, with
    symbols for integers, and proved: that no two points take one region, that all regions are in the array, and that
    each region of an `Out` is taken, unless the partition is `partial` and leaves the rest as it is.

    Without a tile, or where the tile, `order` or `blocks` is a `choose()`, the launch chooses it; a partition without a
    tile is one without an order and blocks, too, unless they are given.

    Raises `Rejected` with O223 for what is no tile, step, order or number of blocks, and O244 for maps that cannot be
    read.
    """
    if not isinstance(tile, Choice):
        order, blocks = ROW if order is _LEFT_OUT else order, EACH if blocks is _LEFT_OUT else blocks
    if isinstance(tile, Choice) or isinstance(order, Choice) or isinstance(blocks, Choice):
        spec = _open(tile, order, blocks, owned, partial, {"step": step, "map": map, "grid": grid, "where": where})
    else:
        spec = _remembered(tile, step, order, blocks, map, grid, where, owned, partial)
    return (_CLASSES.get(array.__class__) or _class(array.__class__))(array, spec)


partition = native.partition(Partition(None, cast(Any, None)), _CLASSES, _PLAIN, partition)


def compiled_in(made: Partition, extents: tuple[int, ...]) -> Partition:
    """The partition for arrays with these extents alone, which code has compiled in; 0 stands for any extent."""
    spec = replace(cast(PartitionSpec, made.spec), extents=extents)
    made.spec = _SPECS.setdefault(spec, spec)
    return made


_REMEMBERED: Final[dict[object, PartitionSpec]] = {}
_MOST_REMEMBERED: Final = 1024


def ragged(
    array: Any,
    tile: int | tuple[int, ...],
    *,
    by: str,
    axis: int = 0,
    most: int | None = None,
    partial: bool = False,
    order: Order = ROW,
    blocks: Blocks | int = EACH,
) -> Partition:
    """
    Cuts `array` into groups along `axis`, bounded by offsets, and each group into regions of `tile` elements.

    `by` is the name of the kernel's parameter that holds the offsets, a `Ref[i32, "E + 1"]`: group `e` has the elements
    from `by[e]` up to but not `by[e + 1]`. Point `(e, i, j)` takes region `(i, j)` of group `e`. A region at a group's
    end is partial, and never reaches into the next group; a point beyond its group's end does nothing. There are points
    for groups of up to `most` elements, by default of as many as the array has.

    That offsets ascend and stay in the array is checked once by every tile block, before it does anything. Unless the
    partition is `partial`, so is that no group has more than `most` elements, and that those of an `Out` are all of it.

    Raises `Rejected` with O223 for what is no tile, axis, order or number of blocks.
    """
    # Groups are an axis of their own, so bands have two axes to go by, whatever the tile.
    bands = isinstance(order, Order) and order.kind == "grouped"  # pyright: ignore[reportUnnecessaryIsInstance] -- what users pass
    made = partition(array, tile, partial=partial, order=ROW if bands else order, blocks=blocks)
    complete = cast(PartitionSpec, made.spec)
    rank = len(complete.tile)
    if isinstance(axis, bool) or not isinstance(axis, int) or not -rank <= axis < rank:  # pyright: ignore[reportUnnecessaryIsInstance] -- what users pass
        _refuse("`axis`", f"one of the tile's axes, from 0 to {rank - 1}", repr(axis))
    if not isinstance(by, str) or not by.isidentifier():  # pyright: ignore[reportUnnecessaryIsInstance] -- as above
        _refuse("`by`", "the name of the parameter that holds the offsets", _shown(by), 'by="offsets"')
    largest = 0 if most is None else _extents("`most`", most)[0]
    spec = replace(complete, order=order, groups=Groups(by, axis % rank, largest))
    made.spec = _SPECS.setdefault(spec, spec)
    return made


def _shown(value: object) -> str:
    if isinstance(value, FunctionType):
        return f"the function `{value.__name__}`"
    return repr(value) if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"


def _remembered(*given: object) -> PartitionSpec:
    """A partition's spec, worked out once for arguments that say the same. Maps are read again where they may not."""
    try:
        key = tuple([_sense(value) for value in given])
        spec = _REMEMBERED.get(key)
    except TypeError:  # a list, or a function of which it is not known what it depends on
        return _spec(*given)
    if spec is None:
        spec = _spec(*given)
        if len(_REMEMBERED) >= _MOST_REMEMBERED:
            _REMEMBERED.clear()
        _REMEMBERED[key] = spec
        tile: Any = given[0]
        parts: tuple[Any, ...] = tile if tile.__class__ is tuple else (tile,)
        if all(part.__class__ is int for part in parts) and spec == _spec(tile, None, ROW, EACH):
            _PLAIN[tile] = spec
    return spec


_ONLY_THEMSELVES: Final = frozenset((type(None), Order, Blocks))
"""Classes whose objects equal none of another class, as `64` equals `64.0`."""


def _sense(value: object) -> object:
    """What tells an argument from others: of a function its code, with the integers that it finds around it.

    Raises `TypeError` for functions that read anything else.
    """
    if value.__class__ in _ONLY_THEMSELVES:
        return value
    if isinstance(value, tuple):
        return tuple, *map(_sense, cast("tuple[object, ...]", value))
    if not isinstance(value, FunctionType):
        return value.__class__, value
    code, scope = value.__code__, value.__globals__
    if value.__defaults__ or value.__kwdefaults__ or any(isinstance(c, CodeType) for c in code.co_consts):
        raise TypeError
    around = [cell.cell_contents for cell in value.__closure__ or ()]
    around += [scope[name] for name in code.co_names if name in scope and scope[name] is not freehold]
    if any(a.__class__ is not int for a in around):
        raise TypeError
    return code, code.co_filename, *around


def _open(
    tile: object, order: object, blocks: object, owned: object, partial: bool, others: dict[str, object]
) -> OpenPartition:
    """The spec of a partition that the launch completes: it cuts the array in the plain way."""
    for name, value in others.items():
        if value is not None:
            _refuse(f"`{name}`", "left out where the tile, the order or the blocks are open", _shown(value))
    count = 0
    if isinstance(blocks, int) and not isinstance(blocks, bool):
        count, blocks = blocks, PERSISTENT
    tiles = tile.values if isinstance(tile, Choice) else (tile,)
    read = [_spec(t, None, ROW, count or EACH, owned=owned) for t in tiles]
    extents = Choice(tuple(spec.tile for spec in read)) if isinstance(tile, Choice) else read[0].tile
    for value, kind, known in ((order, Order, "`freehold.ROW`, `COLUMN` or `grouped(n)`"), (blocks, Blocks, "`EACH`")):
        values = value.values if isinstance(value, Choice) else (value,)
        if not all(isinstance(v, kind) for v in values):
            _refuse(f"`{kind.__name__.lower()}`", known, _shown(value))
    given = _axes(owned, len(read[0].tile)) if owned != () and read else None
    if not isinstance(partial, bool):  # pyright: ignore[reportUnnecessaryIsInstance] -- what users pass
        _refuse("`partial`", "True or False", _shown(partial))
    if owned != () and not read:
        given = tuple(cast("Any", owned)) if isinstance(owned, tuple | list) else (cast(int, owned),)
        if not all(isinstance(axis, int) for axis in given):  # pyright: ignore[reportUnnecessaryIsInstance] -- as above
            _refuse("`owned`", "an axis or a tuple of axes", _shown(cast("object", owned)))
    spec = OpenPartition(extents, cast("Any", order), cast("Any", blocks), count, given, partial)
    return _SPECS.setdefault(spec, spec)


def _class(array: type[object]) -> type[Partition]:
    if issubclass(array, Partition):
        _refuse("the array", "an array", "a partition", "partition.array")
    return _CLASSES.setdefault(array, type("Partition", (Partition,), {"__slots__": ()}))


def _spec(
    tile: object,
    step: object,
    order: object,
    blocks: object,
    map: object = None,
    grid: object = None,
    where: object = None,
    owned: object = (),
    partial: object = False,
) -> PartitionSpec:
    extents = _extents("the tile", tile)
    for extent in extents:
        if extent & (extent - 1):
            _refuse("the tile", "powers of two", repr(tile), _nearest(extents))
    if prod(extents) > MAX_ELEMENTS:
        _refuse("the tile", _MOST, repr(tile), _nearest(extents))
    steps = extents if step is None else _extents("the step", step)
    if len(steps) != len(extents):
        _refuse("the step", f"as long as the tile {extents}", repr(step))
    if not isinstance(order, Order):
        _refuse("`order`", "`freehold.ROW`, `COLUMN` or `grouped(n)`", _shown(order), _NAMED.get(_shown(order), ""))
    count = 0
    if isinstance(blocks, int) and not isinstance(blocks, bool) and 1 <= blocks < 2**24:
        count, blocks = blocks, PERSISTENT
    if not isinstance(blocks, Blocks):
        expected = "`freehold.EACH`, `PERSISTENT` or a number of blocks"
        _refuse("`blocks`", expected, _shown(blocks), _NAMED.get(_shown(blocks), ""))
    axes = _axes(owned, len(extents))
    if map is None and grid is None and where is None:
        found = None
    else:
        found = _map(map, grid, where, len(extents) - len(axes))
    rank = len(extents) - len(axes) if found is None else len(found.domain)
    if order.kind == "grouped" and rank < 2 and found is None and not axes:
        _refuse("`order`", "`freehold.ROW` or `COLUMN` for a tile of one axis", str(order), "freehold.ROW")
    spec = PartitionSpec(extents, steps, order, blocks, count, found, axes, bool(partial))
    return _SPECS.setdefault(spec, spec)


def _axes(owned: object, rank: int) -> tuple[int, ...]:
    shown = repr(owned)
    items: tuple[object, ...] = (owned,)
    if isinstance(owned, tuple | list):
        items = tuple(cast("list[object]", owned))
    found: set[int] = set()
    for item in items:
        if isinstance(item, bool) or not isinstance(item, int) or not -rank <= item < rank or item % rank in found:
            _refuse("`owned`", f"axes of the tile, each from 0 to {rank - 1} and once", shown)
        found.add(item % rank)
    return tuple(sorted(found))


def _map(given: object, grid: object, where: object, rank: int) -> PointMap:
    """An index map, read. Ready-made ones are read once."""
    if isinstance(given, IndexMap):
        if grid is None and where is None:
            return _known_map(given, rank)
        index_map = replace(given, domain=given.domain if grid is None else cast(Extents, grid))
        if where is not None:
            index_map = replace(index_map, where=cast("Callable[..., Any]", where))
    else:
        region = OWN_PLACE.region if given is None else given
        index_map = IndexMap(
            cast("Callable[..., Any]", region), cast("Extents | None", grid), cast("Callable[..., Any] | None", where)
        )
    for name, function in (("map", index_map.region), ("where", index_map.where)):
        if function is not None and not callable(function):
            _refuse(f"`{name}`", "a function of a point's coordinates", repr(function))
    return _read(index_map, rank)


@lru_cache(maxsize=256)
def _known_map(index_map: IndexMap, rank: int) -> PointMap:
    return _read(index_map, rank)


def _read(index_map: IndexMap, rank: int) -> PointMap:
    try:
        return read(index_map, rank)
    except Exception as e:
        _unreadable(index_map, e)


def _unreadable(index_map: IndexMap, problem: Exception) -> NoReturn:
    """Says why a map cannot be read, at the line where it does what it may not."""
    functions = (index_map.region, index_map.domain, index_map.where)
    codes = {id(f.__code__) for f in functions if isinstance(f, FunctionType)}
    place = None
    trace = problem.__traceback__
    while trace is not None:
        if id(trace.tb_frame.f_code) in codes:
            code = trace.tb_frame.f_code
            place = CallSite(code, trace.tb_lasti).span
            if place is None and (found := place_of(code, code.co_filename)) is not None:
                place = found.span
        trace = trace.tb_next
    what = problem.what if isinstance(problem, Untraceable) else f"raises {type(problem).__name__}: {problem}"
    error = errors.MapUnfit(place or caller().argument(None, "map", "freehold.partition"), what)
    if isinstance(problem, Untraceable) and problem.instead:
        error.add(error.Instead(problem.instead))
    reject(error)


_MOST: Final = f"of {MAX_ELEMENTS} elements at most"


def _extents(what: str, given: object) -> tuple[int, ...]:
    shown = _told(given)
    items: tuple[object, ...] = (given,)
    if isinstance(given, tuple | list):
        items = tuple(cast("list[object]", given))
    extents: list[int] = []
    for item in items:
        try:
            extent = index(cast(int, item))
        except TypeError:
            extent = None
        if extent is None or isinstance(item, bool):
            _refuse(what, "a positive integer or a tuple of them", shown, _meant(what, cast(object, given)))
        if extent >= 2**31:
            _refuse(what, _MOST if what == "the tile" else "below 2147483648", shown, _positive(items))
        if extent < 1:
            _refuse(what, "a positive integer or a tuple of them", shown, _positive(items))
        extents.append(extent)
    if not extents and what != "the tile":  # what has no axes is one region
        _refuse(what, "a positive integer or a tuple of them", shown)
    return tuple(extents)


def _told(given: object) -> str:
    """What is given for a tile or a step: short text as it is, anything else by its class."""
    if callable(given):
        return _shown(given)
    try:
        text = repr(given)
    except ValueError:  # of an integer with thousands of digits
        text = ""
    if text and len(text) <= 60 and "\n" not in text and " at 0x" not in text:
        return text
    if isinstance(given, int):
        return f"an integer of {given.bit_length()} bits"
    from freehold.runtime.launch.advice import described  # for errors only

    return described(given)


def _meant(what: str, given: object) -> str:
    """What may have been meant by a tile that is no integer; empty where that cannot be told."""
    if (isinstance(given, float) and given.is_integer()) or (isinstance(given, str) and given.isdecimal()):
        return _positive((int(given),))
    if what == "the tile" and is_array(given):
        site = caller()
        tile, array = site.short_text(0, "array"), site.short_text(1, "tile")
        if tile and array and tile[0] in "(123456789":
            return f"freehold.partition({array}, {tile})"
    return ""


def _positive(items: tuple[object, ...]) -> str:
    """Extents that may have been meant by some that are not all positive; empty where one of them is no number."""
    if not all(hasattr(item, "__index__") and not isinstance(item, bool) for item in items):
        return ""
    given = [int(cast(int, item)) for item in items]
    return _nearest([64 if n in (0, -1) else abs(n) for n in given])


def _nearest(extents: Sequence[int]) -> str:
    """The tile of powers of two that holds these extents; of the usual size where that would be too large for one."""
    sizes = [1 << (extent - 1).bit_length() for extent in extents]
    if prod(sizes) > MAX_ELEMENTS:
        sizes = [1024] if len(sizes) == 1 else [*[1] * (len(sizes) - 2), 64, 64]
    return str(sizes[0]) if len(sizes) == 1 else str(tuple(sizes))


_NAMED: Final = {
    "'row'": "freehold.ROW",
    "'column'": "freehold.COLUMN",
    "'grouped'": "freehold.grouped(8)",
    "the function `grouped`": "freehold.grouped(8)",
    "'persistent'": "freehold.PERSISTENT",
    "'each'": "freehold.EACH",
}
"""What is meant by what is often written for an order, or for blocks."""


def _refuse(what: str, expected: str, given: str, nearest: str = "") -> NoReturn:

    site = caller()
    parameter = {"the array": "array", "the tile": "tile", "the step": "step"}.get(what, what.strip("`"))
    position = {"array": 0, "tile": 1}.get(parameter)
    error = errors.TileUnfit(site.argument(position, parameter, "freehold.partition"), what, expected, given)
    if nearest:
        place = error.place
        error.add(error.Nearest(nearest, at=place if isinstance(place, Span) and nearest[0] in "(123456789" else None))
    reject(error)
