"""Loads, stores and regions: the methods of tensors."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, cast

from xdsl.dialects.builtin import BoolAttr, DictionaryAttr, IntegerAttr, i64
from xdsl.ir import Attribute

from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr, PaddingValueAttr
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.ownership import BorrowOp, LoadOp, PartitionType, RefType, ReleaseOp, StoreOp, tensor_type
from freehold.dialects.ownership.ops.gather import Padding
from freehold.frontend import advice, advice_on_values, errors
from freehold.frontend.arguments import Arguments, Signature, shape_of
from freehold.frontend.arithmetic import as_tile, broadcast, common_shape, comparison, convert
from freehold.frontend.checks import check
from freehold.frontend.context import Context
from freehold.frontend.domains import coordinates_at, region_of
from freehold.frontend.operands import not_constant, reshape
from freehold.frontend.syntax import core
from freehold.frontend.typed import Typed
from freehold.frontend.types import ELEMENTS, can_store, pads, tile_type
from freehold.frontend.values import (
    INDEX_DTYPE,
    NONE,
    POISON,
    Poison,
    PositionValue,
    RegionValue,
    Static,
    TensorValue,
    TileValue,
    TupleValue,
    Value,
    describe,
    is_number,
    padding_named,
    show_shape,
    tensor_of,
)
from freehold.support import dtypes
from freehold.support.dtypes import DType

_HINTS: Final = ("latency", "allow_tma")

PADDINGS: Final = {"zero": "zero", "neg_zero": "neg_zero", "nan": "nan", "inf": "pos_inf", "-inf": "neg_inf"}
"""Padding values as users write them, and as the compiler does."""


def held_as(dtype: DType) -> DType:
    """The dtype of elements in memory: a bool takes a byte."""
    return dtypes.u8 if dtype.kind == "bool" else dtype


def storage(dtype: DType) -> Attribute:
    """The element type in memory."""
    return ELEMENTS[held_as(dtype)]


def has_many_regions(target: TensorValue) -> bool:
    """Whether a point has more than one region of a tensor, or none of its own, so that they have to be named."""
    partition = target.spec.partition
    return partition is not None and (bool(partition.owned) or not target.has_place)


def _many_regions(c: Context, target: TensorValue, a: Arguments) -> Value:
    name, node = a.signature.name, a.node
    assert target.spec.partition is not None
    if not target.has_place:
        index = ", ".join("ijklmn"[: target.spec.rank])
        error = errors.WrongArguments(
            c.span(node),
            function=f"{target.name}.{name}",
            problem="does not say which region: the grid has fewer axes, so no block has one of its own",
            signature=f"{target.name}.at({index}).{name}",
        )
        return c.error(error.add(error.Instead(f"name it by the point's coordinates: `{target.name}.at({index})`")))
    owned = target.spec.partition.owned
    axes = f"{'axis' if len(owned) == 1 else 'axes'} {', '.join(map(str, owned))}"
    error = errors.WrongArguments(
        c.span(node),
        function=f"{target.name}.{name}",
        problem=f"does not say which region: a block has all of those along {axes}",
        signature=f"{target.name}.at({', '.join('klmn'[: len(owned)])}).{name}",
    )
    loop = f"`for k in fh.tiles({target.name}, axis={owned[0]}, size={target.spec.partition.step[owned[0]]}):`"
    index = ", ".join(["k", *["0"] * (len(owned) - 1)])
    edit = f"walk them: {loop}, and in it `{target.name}.at({index}).{name}(...)` with what belongs there"
    return c.error(error.add(error.Instead(edit)))


def _region(target: Value) -> RegionValue | None:
    """The region that a method of a tensor or region is about, if a point has one."""
    return target if isinstance(target, RegionValue) else cast(TensorValue, target).region


def borrow(c: Context, tensor: Typed) -> Typed:
    """A shared borrow of a tensor."""
    return c.handle(RefType(tensor_type(tensor)), BorrowOp, tensor)


# --- Loads -----------------------------------------------------------------------------------------------------------


def load(c: Context, a: Arguments) -> Value:
    """`x.load(index, shape)`, and `y.load()` at the block's place."""
    target, region = a["self"], _region(a["self"])
    if "index" in a.values:
        return _load_at(c, cast(TensorValue, target), a)
    if isinstance(target, TensorValue) and region is None:
        if has_many_regions(target):
            return _many_regions(c, target, a)
        if target.position is not None:
            return _read(c, target, target.handle, target.position.index, target.position.tile, a)
        error = errors.WrongArguments(
            c.span(a.node),
            function=f"{target.name}.load",
            problem="needs `index`, `shape`",
            signature=Signature.forms(c.methods["ref"]["load"])[0].text,
        )
        return c.error(error.add(error.Instead(f"load at this block's place: `{advice.load_of(c, target)}`")))
    assert region is not None
    return _read(c, region.tensor, region.var, (), region.tile, a)


def _load_at(c: Context, target: TensorValue, a: Arguments) -> Value:
    shape = shape_of(c, a["shape"], a.place("shape"))
    index = coordinates(c, a["index"], a.place("index"), target)
    if shape is None or index is None:
        return POISON
    if shape and not right_rank(c, len(shape), "the shape", a.place("shape"), target):
        return POISON
    read = _read(c, target, _lent(c, target), index, shape or (1,) * target.spec.rank, a)
    return read if shape or isinstance(read, Poison) else reshape(c, read, ())


def _lent(c: Context, tensor: TensorValue) -> Typed:
    """What is read anywhere: of a partition, a shared borrow beside it, which the verifier judges."""
    return borrow(c, tensor.argument) if isinstance(tensor.handle.type, PartitionType) else tensor.handle


def load_like(c: Context, a: Arguments) -> Value:
    """`x.load_like(region)`."""
    target = cast(TensorValue, a["self"])
    like = a["region"]
    region = like
    if isinstance(like, TensorValue):
        region = like.region or (None if has_many_regions(like) else like.position)
    if not isinstance(region, RegionValue | PositionValue):
        error = errors.WrongValue(
            c.span(a.place("region")),
            what=describe(like),
            role="a place to load from",
            why=(
                f"the grid has fewer axes than `{like.name}`, so no block has a place of its own in it"
                if isinstance(like, TensorValue) and not like.has_place
                else "a `Mut` or `Out` tensor has a place in each block"
            ),
        )
        edit = f"name the index: `{target.name}.load(index, shape)`"
        if isinstance(like, TensorValue) and ".load_like(" in (text := advice.load_of(c, target)):
            edit = f"write `{text}`"
        return c.error(error.add(error.Instead(edit)))
    if not right_rank(c, len(region.tile), f"the place of `{region.tensor.name}`", a.place("region"), target):
        return POISON
    return _read(c, target, _lent(c, target), region.index, region.tile, a)


def _read(
    c: Context, tensor: TensorValue, source: Typed, index: tuple[TileValue, ...], shape: tuple[int, ...], a: Arguments
) -> TileValue | Poison:
    dtype = tensor.spec.dtype
    padding = padding_of(c, a, dtype)
    hints = hints_of(c, a)
    if isinstance(padding, Poison) or isinstance(hints, Poison):
        return POISON
    held = held_as(dtype)
    with c.at(a.node):
        loaded = c.tile(held, shape, LoadOp, source, index, tile_type(shape, held), padding=padding, hints=hints)
        return convert(c, loaded, dtype)


def constant_padding_of(c: Context, a: Arguments, dtype: DType) -> Padding | Poison | None:
    """What a read by element gives where nothing is read: a value by name, or any number; None for zeros."""
    value = a["padding"]
    if not isinstance(value, Static) or not is_number(value.value):
        return padding_of(c, a, dtype, "; or with any number")
    number = cast("bool | int | float", value.value)
    if isinstance(number, float) and not dtype.is_float:
        error = errors.WrongArguments(
            c.span(a.place("padding")),
            function=a.signature.name,
            problem=f"cannot pad `{dtype}` with {number!r}",
            signature=a.signature.text,
        )
        return c.error(error.add(error.Instead(f"pad with a whole number: `padding={int(number)}`")))
    held = held_as(dtype)
    with c.at(a.place("padding")):
        return DenseElementsAttr.splat(
            tile_type((), held), c.fitting(bool(number) if held is not dtype else number, held)
        )


def padding_of(c: Context, a: Arguments, dtype: DType, more: str = "") -> PaddingValueAttr | Poison | None:
    """What a load reads out of bounds, None for zeros."""
    value = a["padding"]
    if not isinstance(value, Static) or not isinstance(value.value, str) or value.value not in PADDINGS:
        place = a.place("padding")
        if isinstance(value, TileValue):
            return not_constant(c, place, value, "the padding")
        known = ", ".join(f'"{p}"' for p in PADDINGS)
        meant = padding_named(value)
        error = errors.WrongArguments(
            c.span(place),
            function=a.signature.name,
            problem=f"cannot pad with {describe(value)}",
            signature=a.signature.text,
        )
        if meant is not None:
            return c.error(error.add(error.Instead(f'pad with `"{meant}"`', at=c.span(place))))
        return c.error(error.add(error.Instead(f"pad with one of {known}{more}")))
    name = PADDINGS[str(value.value)]
    if name == "zero":
        return None
    if not dtype.is_float or not pads(dtype, name):
        error = errors.WrongArguments(
            c.span(a.place("padding")),
            function=a.signature.name,
            problem=f"cannot pad `{dtype}` with {value.value!r}",
            signature=a.signature.text,
        )
        what = f"`{dtype}` has no such value" if dtype.is_float else "integers are padded with zeros"
        return c.error(error.add(error.Instead(f'{what}: `padding="zero"`{more}')))
    return PaddingValueAttr.of(name)


def hints_of(c: Context, a: Arguments, names: tuple[str, ...] = _HINTS) -> OptimizationHintsAttr | Poison | None:
    """The hints of an access, None where there are none."""
    found: dict[str, int | bool] = {}
    for name in names:
        value = a[name]
        if isinstance(value, Static) and value.value is None:
            continue
        if not isinstance(value, Static) or not isinstance(value.value, int):
            return not_constant(c, a.place(name), value, f"`{name}`")
        if name == "latency" and (isinstance(value.value, bool) or not 1 <= value.value <= 10):
            error = errors.WrongArguments(
                c.span(a.place(name)),
                function=a.signature.name,
                problem=f"takes a latency from 1 to 10, and is given {value.value}",
                signature=a.signature.text,
            )
            return c.error(error)
        found[name] = bool(value.value) if name == "allow_tma" else value.value
    return _hints_attr(tuple(found.items())) if found else None


@lru_cache(maxsize=64)
def _hints_attr(found: tuple[tuple[str, int | bool], ...]) -> OptimizationHintsAttr:
    values: dict[str, Attribute] = {
        name: BoolAttr.from_bool(value) if isinstance(value, bool) else IntegerAttr(value, i64) for name, value in found
    }
    return OptimizationHintsAttr({"default": DictionaryAttr(values)})


def coordinates(
    c: Context, value: Value, node: core.Expr, tensor: TensorValue, counts: str = "tiles", axes: int | None = None
) -> tuple[TileValue, ...] | None:
    """A coordinate in a tensor, in tiles or elements: one integer an axis, of all or of some. None after reporting."""
    items = value.items if isinstance(value, TupleValue) else (value,)
    if not right_rank(c, len(items), "the index", node, tensor, axes):
        return None
    found: list[TileValue] = []
    nodes = node.elts if isinstance(node, core.Tuple) and len(node.elts) == len(items) else [node] * len(items)
    for item, place in zip(items, nodes, strict=True):
        with c.at(place):
            one = as_tile(c, item, place, number_dtype(item, INDEX_DTYPE))
            if isinstance(one, Poison):
                return None
            if one.shape or one.dtype.is_float:
                error = errors.WrongValue(
                    c.span(place),
                    what=describe(one),
                    role="an index",
                    why=f"an index counts {counts}: one integer scalar an axis",
                )
                if one.shape:
                    if tensor.parameter.mode == "ref" and counts == "tiles":
                        code = f"{tensor.name}.gather({', '.join(dict.fromkeys(map(c.text, nodes)))})"
                        error.add(error.Instead(f"elements at places of their own are gathered: `{code}`"))
                    error.add(error.Instead("reduce it to a scalar: `t.max()`"))
                elif isinstance(item, Static):
                    error.add(error.Instead("write a whole number"))
                else:
                    error.add(error.Instead(f"convert it: `{c.primary(place)}.astype(fh.i32)`", at=c.span(place)))
                c.error(error)
                return None
            found.append(_index(c, one, place))
    return tuple(found)


def _index(c: Context, given: TileValue, place: core.Expr) -> TileValue:
    """An integer as an `i32`. What does not fit is in no tensor: the launch fails, rather than to read elsewhere."""
    if given.dtype.bits == 64 or given.dtype is dtypes.u32:
        shown = {c.text(place): given}
        if given.dtype.signed:
            check(c, _compared(c, given, ">=", 0), f"the index `{c.text(place)}` is negative", shown)
        check(c, _compared(c, given, "<=", 2**31 - 1), f"the index `{c.text(place)}` does not fit in 32 bits", shown)
    return convert(c, given, INDEX_DTYPE)


def _compared(c: Context, given: TileValue, symbol: str, bound: int) -> TileValue:
    return comparison(c, symbol, given, c.constant(bound, given.dtype))


def right_rank(
    c: Context, given: int, what: str, node: core.Expr, tensor: TensorValue, axes_named: int | None = None
) -> bool:
    """Whether something has an entry for each axis of a tensor, or for so many of them; reports it if not."""
    rank = tensor.spec.rank if axes_named is None else axes_named
    if given == rank:
        return True
    entries = f"{given} {'entry' if given == 1 else 'entries'}"
    axes = f"{rank} {'axis' if rank == 1 else 'axes'}"
    error = errors.WrongRank(c.span(node), what=what, given=entries, of=tensor.name, rank=axes)
    if what in ("the index", "the shape"):
        edit = advice_on_values.of_rank(c, node, tensor, what, rank)
        error.add(error.Instead(edit.text, at=edit.at(c)))
    elif what.startswith("the place"):
        like = c.lower(node)
        like = like.tensor if isinstance(like, RegionValue) else like
        assert isinstance(like, TensorValue)
        edit = advice.of_place(c, tensor, like, node)
        error.add(error.Instead(edit.text, at=edit.at(c)))
    c.error(error)
    return False


# --- Stores ----------------------------------------------------------------------------------------------------------


def store(c: Context, a: Arguments) -> Value:
    """`y.store(tile)`."""
    target, region = a["self"], _region(a["self"])
    if isinstance(target, TensorValue) and has_many_regions(target):
        return _many_regions(c, target, a)
    tensor = tensor_of(cast("TensorValue | RegionValue", target))
    c.stored.add(tensor.parameter.name)
    hints = hints_of(c, a)
    place = a.place("tile")
    tile = stored(c, tensor, a["tile"], place, "stored in")
    if isinstance(tile, Poison) or isinstance(hints, Poison):
        return POISON
    with c.at(place):
        if region is not None:
            met = common_shape(tile.shape, region.tile)
            if met != region.tile:
                return c.error(_store_shape(c, tile, tensor, region, place))
            tile = broadcast(c, tile, region.tile)
    destination = tensor.handle if region is None else region.var
    c.add(StoreOp, tile, destination, hints=hints)
    return NONE


def stored(
    c: Context, tensor: TensorValue, value: Value, place: core.Expr, how: str = "put into"
) -> TileValue | Poison:
    """A value in the element type of a tensor in memory, converted where a store would convert it."""
    dtype = tensor.spec.dtype
    tile = as_tile(c, value, place, number_dtype(value, dtype))
    if isinstance(tile, Poison):
        return POISON
    if not can_store(tile.dtype, dtype):
        error = errors.WrongValue(
            c.span(place),
            what=describe(tile),
            role=f"{how} `{tensor.name}`, which is `{dtype}`",
            why="the conversion would drop fractions unasked",
        )
        edit = f"convert it: `{c.primary(place)}.astype(fh.{dtype})`"
        return c.error(error.add(error.Instead(edit, at=c.span(place))))
    with c.at(place):
        return convert(c, convert(c, tile, dtype), held_as(dtype))


def number_dtype(value: Value, dtype: DType) -> DType | None:
    """A number is stored in the tensor's dtype, unless that would drop its fraction."""
    if isinstance(value, Static) and (dtype.is_float or not isinstance(value.value, float)):
        return dtype
    return None


def _store_shape(
    c: Context, tile: TileValue, tensor: TensorValue, region: RegionValue, place: core.Expr
) -> errors.StoreShape:
    error = errors.StoreShape(
        c.span(place), tile=show_shape(tile.shape), name=tensor.name, region=show_shape(region.tile)
    )
    wanted = region.tile
    if len(tile.shape) + 1 == len(wanted) and tile.shape == wanted[:-1]:
        edit = f"add an axis: `{c.primary(place)}[{':, ' * len(tile.shape)}None]`"
        error.add(error.Instead(edit, at=c.span(place)))
    elif tuple(reversed(tile.shape)) == wanted:
        inner = place.value if isinstance(place, core.Attribute) and place.attr == "T" else None
        if isinstance(inner, core.Call) and isinstance(inner.func, core.Attribute) and inner.func.attr == "load_like":
            mirrored = f"({tensor.name}.index[1], {tensor.name}.index[0]), {show_shape(wanted[::-1])}"
            edit = f"load the mirrored place: `{c.text(inner.func.value)}.load({mirrored}).T`"
            error.add(error.Instead(edit, at=c.span(place)))
        elif isinstance(place, core.Attribute) and place.attr == "T":
            error.add(error.Instead(f"leave out the transposition: `{c.text(place.value)}`", at=c.span(place)))
        else:
            error.add(error.Instead(f"transpose it: `{c.primary(place)}.T`", at=c.span(place)))
    elif _count(tile.shape) == _count(wanted):
        error.add(error.Instead(f"reshape it: `{c.primary(place)}.reshape({tensor.name}.tile)`"))
    elif isinstance(place, core.Call) and isinstance(place.func, core.Attribute):
        if place.func.attr == "load" and len(place.args) == 2 and len(tile.shape) == len(wanted):
            edit = f"{c.text(place.func)}({c.text(place.args[0])}, {tensor.name}.tile)"
            whole = advice_on_values.is_index(c, place.args[0], tensor.name)
            error.add(
                error.Instead(f"load a tile of the region's shape: `{edit}`", at=c.span(place) if whole else None)
            )
        axes = [*place.args, *(k.value for k in place.keywords if k.arg == "axis")]
        if place.func.attr in ("sum", "prod", "max", "min") and axes and isinstance(axes[0], core.Constant):
            error.add(error.Instead(f"reduce another axis: `axis={int(axes[0].value == 0)}`"))
    return error


def _count(shape: tuple[int, ...]) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count


# --- Regions ---------------------------------------------------------------------------------------------------------


def at(c: Context, a: Arguments) -> Value:
    """`y.at(i, j)`: the region at other coordinates."""
    target = cast(TensorValue, a["self"])
    partition = target.spec.partition
    owned = () if partition is None else partition.owned
    groups = None if partition is None or partition.groups is None else len(partition.tile) + 1
    index = at_index(c, target, a, len(owned) or groups)
    if index is None:
        return POISON
    if owned:
        index = coordinates_at(target, index)
    axes = None if target.position is None else target.position.axes
    return RegionValue(target, region_of(c, target.handle, index, axes=axes), index)


def at_index(c: Context, target: TensorValue, a: Arguments, axes: int | None = None) -> tuple[TileValue, ...] | None:
    """The coordinates, in tiles, of `x.at(i, j)`, of all axes or of so many. None after reporting."""
    node, items = a.node, a.rest
    if len(items) == 1 and isinstance(items[0], TupleValue):
        items = items[0].items
    place: core.Expr = node
    if len(node.args) == len(items) and len(items) > 1:
        place = core.Tuple(node.place, node.args)
    elif len(node.args) == 1:
        place = node.args[0]
    return coordinates(c, TupleValue(items), place, target, axes=axes)


def release(c: Context, a: Arguments) -> Value:
    """`y.release()`."""
    target, region = a["self"], _region(a["self"])
    if isinstance(target, TensorValue) and has_many_regions(target):
        return _many_regions(c, target, a)
    assert region is not None
    c.add(ReleaseOp, region.var)
    return NONE
