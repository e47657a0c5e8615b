"""Partitions: how the launch of a kernel cuts an array that it writes into regions."""

from __future__ import annotations

from typing import Any, Final, NoReturn, cast

from freehold.frontend.schedule import EACH, ROW, Blocks, Order, PartitionSpec

_IN_KERNELS: Final = frozenset(("load", "load_like", "store", "at", "release", "index", "tile"))


class Partition:
    """
    An array and how it is cut into regions, for a `Mut` or `Out` parameter. Made by `freehold.partition`.

    Classes of partitions differ by the class of their arrays, so that a launch knows from the classes of its arguments
    all it needs to read them quickly.
    """

    __slots__ = ("array", "spec")

    def __init__(self, array: Any, spec: PartitionSpec):
        self.array = array
        self.spec = spec
        """Equal specs are one object."""

    def __getattr__(self, name: str) -> NoReturn:
        if name in _IN_KERNELS:
            from freehold.frontend.errors import OutsideKernel
            from freehold.runtime.call_site import caller
            from freehold.support.diagnostic import Rejected

            raise Rejected([OutsideKernel(caller().span, name=f"Mut.{name}")])
        raise AttributeError(f"a partition has no attribute {name!r}", name=name, obj=self)

    def __repr__(self) -> str:
        spec = self.spec
        parts = [f"tile={spec.tile}"]
        if spec.step != spec.tile:
            parts.append(f"step={spec.step}")
        return f"<partition of a {type(self.array).__name__}: {', '.join(parts)}, order={spec.order}, {spec.blocks}>"


_CLASSES: Final[dict[type, type[Partition]]] = {}
_SPECS: Final[dict[PartitionSpec, PartitionSpec]] = {}
_FAST: Final[dict[object, PartitionSpec]] = {}


def partition(
    array: Any,
    tile: int | tuple[int, ...],
    *,
    step: int | tuple[int, ...] | None = None,
    order: Order = ROW,
    blocks: Blocks = EACH,
) -> Partition:
    """
    Cuts `array` into regions of `tile` elements, one tile block's work each.

    `tile` has one power of two for each axis (an integer, where there is one axis). Region `(i, j)` begins at element
    `(i * step[0], j * step[1])`; `step` is `tile` unless given, and the regions at the end are partial. `order` is the
    order in which regions are handed to tile blocks, `blocks` how many blocks there are; results depend on neither.

    Raises `Rejected` with O223 for what is no tile, step, order or number of blocks.
    """
    if step is None and order is ROW and blocks is EACH:
        try:
            spec = _FAST.get(tile)
        except TypeError:  # a list
            spec = _spec(tile, None, ROW, EACH)
        if spec is None or (tile.__class__ is not int and tile.__class__ is not tuple):  # 64.0 finds what 64 left
            spec = _FAST[tile] = _spec(tile, None, ROW, EACH)
    else:
        spec = _spec(tile, step, order, blocks)
    kind: type[Partition] | None = _CLASSES.get(array.__class__)
    if kind is None:
        kind = _class(array.__class__)
    return kind(array, spec)


def _class(array: type[object]) -> type[Partition]:
    if issubclass(array, Partition):
        _refuse("the array", "an array", "a partition")
    return _CLASSES.setdefault(array, type("Partition", (Partition,), {"__slots__": ()}))


def _spec(tile: object, step: object, order: object, blocks: object) -> PartitionSpec:
    extents = _extents("the tile", tile)
    for extent in extents:
        if extent & (extent - 1):
            sizes = [str(1 << (e - 1).bit_length()) for e in extents]
            nearest = f"({', '.join(sizes)})" if len(sizes) > 1 else sizes[0]
            _refuse("the tile", "powers of two", repr(tile), nearest)
    steps = extents if step is None else _extents("the step", step)
    if len(steps) != len(extents):
        _refuse("the step", f"as long as the tile {extents}", repr(step))
    if not isinstance(order, Order):
        _refuse("`order`", "`freehold.ROW`, `COLUMN` or `grouped(n)`", repr(order))
    if order.kind == "grouped" and len(extents) < 2:
        _refuse("`order`", "`freehold.ROW` or `COLUMN` for a tile of one axis", str(order), "`freehold.ROW`")
    if not isinstance(blocks, Blocks):
        _refuse("`blocks`", "`freehold.EACH` or `PERSISTENT`", repr(blocks))
    spec = PartitionSpec(extents, steps, order, blocks)
    return _SPECS.setdefault(spec, spec)


def _extents(what: str, given: object) -> tuple[int, ...]:
    shown = repr(given)
    items: tuple[object, ...] = (given,)
    if isinstance(given, tuple | list):
        items = tuple(cast("list[object]", given))
    extents: list[int] = []
    for item in items:
        if isinstance(item, bool) or not hasattr(item, "__index__"):
            whole = len(items) == 1 and isinstance(item, float) and item.is_integer()
            _refuse(what, "a positive integer or a tuple of them", shown, str(int(cast(float, item))) if whole else "")
        extent = int(cast(int, item))
        if not 1 <= extent < 2**31:
            _refuse(what, "a positive integer or a tuple of them", shown)
        extents.append(extent)
    if not extents:
        _refuse(what, "a positive integer or a tuple of them", shown)
    return tuple(extents)


def _refuse(what: str, expected: str, given: str, nearest: str = "") -> NoReturn:
    from freehold.runtime.call_site import caller
    from freehold.runtime.errors import TileUnfit
    from freehold.support.diagnostic import Rejected

    site = caller()
    parameter = {"the array": "array", "the tile": "tile", "the step": "step"}.get(what, what.strip("`"))
    position = {"array": 0, "tile": 1}.get(parameter)
    error = TileUnfit(site.argument(position, parameter, "freehold.partition"), what, expected, given)
    if nearest:
        error.add(error.Nearest(nearest))
    raise Rejected([error])
