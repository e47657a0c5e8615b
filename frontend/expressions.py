"""Expressions that are no operators: names, tuples, attributes, subscripts."""

from __future__ import annotations

import ast
from enum import Enum
from math import inf, prod
from types import ModuleType
from typing import Final, cast

from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, MinIOp, MulIOp, SubIOp
from freehold.dialects.ownership import DimOp, StartOp, StopOp, TensorType
from freehold.frontend import advice, advice_on_attributes, classes, errors, records
from freehold.frontend.context import Context
from freehold.frontend.host import UNDEFINED
from freehold.frontend.operands import absent, elements, host_value, known_int, permute
from freehold.frontend.pieces import piece
from freehold.frontend.syntax import core
from freehold.frontend.types import signedness
from freehold.frontend.values import (
    ANYTHING,
    INDEX_DTYPE,
    POISON,
    Absent,
    ClosureValue,
    Frame,
    GridValue,
    MethodValue,
    PlaceValue,
    Poison,
    RecordValue,
    RegionValue,
    ReplaceValue,
    Static,
    TensorValue,
    TileValue,
    TupleValue,
    Unbound,
    Value,
    describe,
    is_comparable,
    is_number,
    of_host,
    static_of,
)
from freehold.support import dtypes
from freehold.support.dtypes import DType
from freehold.support.spelling import nearest

_DTYPE_FACTS: Final = ("name", "kind", "bits", "storage_bits", "signed", "itemsize", "is_float")
TILE_FACTS: Final = ("dtype", "shape", "ndim", "size", "T")
_READS: Final = ("load", "load_like", "gather", "load_from")

# --- Names -----------------------------------------------------------------------------------------------------------


def name(c: Context, node: core.Name) -> Value:
    """A variable, a parameter, or a name of the host."""
    frame: Frame | None = c.frame
    while frame is not None:
        value = frame.variables.get(node.id)
        if value is not None:
            assert value is not ANYTHING, f"`{node.id}` is read where it is anything"
            return c.unbound(node.id, value, node) if isinstance(value, Unbound) else value
        frame = frame.outer
    found = c.frame.host[node.id]
    if found is not UNDEFINED:
        return of_host(found)
    return _undefined(c, node)


def _undefined(c: Context, node: core.Name) -> Poison:
    import freehold

    given = (n.target for n in ast.walk(c.frame.source.tree) if isinstance(n, ast.NamedExpr))
    if any(target.id == node.id for target in given):  # by a `:=`, which is reported
        return POISON
    error = errors.UndefinedName(c.span(node), name=node.id)
    known: list[str] = []
    frame: Frame | None = c.frame
    while frame is not None:
        known += (n for n in frame.variables if not core.is_hidden(n))
        frame = frame.outer
    close = nearest(node.id, known)
    if (edit := advice.of_library(c, node)) is not None:
        error.add(error.Instead(edit.text, at=edit.at(c)))
    elif node.id == "fh":
        error.add(error.ImportAll())
    elif close is not None:
        error.add(error.DidYouMean(close, at=c.span(node)))
    elif node.id in freehold.__all__:
        error.add(error.Import(node.id))
    elif (dtype := dtypes.from_name(node.id)) is not None:
        error.add(error.DidYouMean(f"fh.{dtype}", at=c.span(node)))
    elif (extent := advice.of_dimension(c, node.id)) is not None:
        error.add(error.DidYouMean(extent, at=c.span(node)))
    return c.error(error)


def constant(c: Context, node: core.Constant) -> Value:
    """A literal."""
    if node.value == inf:  # as Python reads what is past its own floats
        return c.does_not_fit(c.text(node), inf, dtypes.f64, "numbers below 2**1024", node)
    return Static(node.value)


def anything(c: Context, node: core.Anything) -> Value:
    """What nothing reads."""
    del c, node
    return ANYTHING


def refused(c: Context, node: core.Refused) -> Value:
    """What was reported when the syntax was checked."""
    del c, node
    return POISON


def let(c: Context, node: core.Let) -> Value:
    """A value that the rest of an expression reads again."""
    value = c.frame.variables[node.id] = c.lower(node.value)
    return value


def tuple_(c: Context, node: core.Tuple) -> Value:
    """`(a, b, *c)`."""
    return TupleValue(tuple(elements(c, node.elts)))


# --- Attributes and subscripts ---------------------------------------------------------------------------------------


def attribute(c: Context, node: core.Attribute) -> Value:
    """`value.attr`."""
    value = c.lower(node.value)
    attr = node.attr
    match value:
        case Poison():
            return POISON
        case Absent():
            return absent(c, value, node)
        case TileValue():
            found = _of_tile(c, value, attr)
        case TensorValue():
            found = _of_tensor(c, value, attr)
        case RegionValue():
            found = _of_region(c, value, attr)
        case PlaceValue():
            found = _method(c, value, "place", attr)
        case GridValue():
            found = TupleValue(value.index) if attr == "index" else None
        case TupleValue() | RecordValue() | Static():
            found = _of_object(c, value, attr, node)
        case _:
            found = None
    return _no_attribute(c, value, node) if found is None else found


def _of_tile(c: Context, tile: TileValue, attr: str) -> Value | None:
    match attr:
        case "dtype":
            return Static(tile.dtype)
        case "shape":
            return of_host(tile.shape)
        case "ndim":
            return Static(len(tile.shape))
        case "size":
            return Static(prod(tile.shape))
        case "T":
            return permute(c, tile, tuple(reversed(range(len(tile.shape)))))
        case _:
            return _method(c, tile, "tile", attr)


def _method(
    c: Context, value: TileValue | TensorValue | RegionValue | PlaceValue, kind: str, attr: str
) -> MethodValue | None:
    """A method that the language declares for such values."""
    declared = c.methods[kind].get(attr)
    return None if declared is None else MethodValue(value, declared)


def _method_of_tensor(c: Context, tensor: TensorValue, attr: str) -> MethodValue | None:
    """A method of a tensor, by its mode. That another block's part is read, or a `Ref` stored to, is known as that:
    verifiers say why it is refused."""
    mode: str = tensor.parameter.mode
    if isinstance(tensor.handle.type, TensorType) and attr != "window":  # its windows are partitioned
        return None
    if mode in ("mut", "out") and attr in _READS:
        mode = "ref"
    elif mode == "ref" and attr == "store":
        mode = "region"
    return _method(c, tensor, mode, attr)


def _of_tensor(c: Context, tensor: TensorValue, attr: str) -> Value | None:
    match attr:
        case "dtype":
            return Static(tensor.spec.dtype)
        case "ndim":
            return Static(tensor.spec.rank)
        case "shape":
            return TupleValue(tuple(_extent(c, tensor, axis) for axis in range(tensor.spec.rank)))
        case "index" if tensor.position is not None:
            return TupleValue(tensor.position.index)
        case "tile" if tensor.spec.partition is not None and not isinstance(tensor.handle.type, TensorType):
            return of_host(tensor.spec.partition.tile)
        case "start" | "stop" if tensor.region is None and _has_place(tensor):
            return TupleValue(tuple(_end(c, tensor, attr, axis) for axis in range(tensor.spec.rank)))
        case _ if tensor.region is not None and attr in _PLACE:
            return _of_region(c, tensor.region, attr)
        case _:
            return _method_of_tensor(c, tensor, attr)


def _extent(c: Context, tensor: TensorValue, axis: int) -> Value:
    dims = tensor.parameter.dims
    if dims is not None and dims[axis].isdecimal():
        return Static(int(dims[axis]))
    return c.tile(INDEX_DTYPE, (), DimOp, tensor.handle, axis)


def _has_place(tensor: TensorValue) -> bool:
    """Whether a point has one tile of a tensor that is read or added to."""
    position, partition = tensor.position, tensor.spec.partition
    if position is None or partition is None or tensor.parameter.mode not in ("ref", "acc"):
        return False
    return len(position.index) == tensor.spec.rank and partition.groups is None


def _end(c: Context, tensor: TensorValue, attr: str, axis: int) -> Value:
    """Where the tile at a point's place in a tensor begins along an axis, or where it ends."""
    position, partition = tensor.position, tensor.spec.partition
    assert position is not None
    assert partition is not None
    step, extent = c.constant(partition.step[axis], INDEX_DTYPE), c.constant(partition.tile[axis], INDEX_DTYPE)
    start = c.tile(INDEX_DTYPE, (), MulIOp, position.index[axis], step)
    if attr == "start":
        return start
    end = c.tile(INDEX_DTYPE, (), DimOp, tensor.handle, axis)
    left = c.tile(INDEX_DTYPE, (), SubIOp, end, start)  # so that nothing wraps around
    length = c.tile(INDEX_DTYPE, (), MinIOp, left, extent, signedness(INDEX_DTYPE))
    return c.tile(INDEX_DTYPE, (), AddIOp, start, length)


def _edge(c: Context, region: RegionValue, attr: str, axis: int) -> Value:
    """Where a region begins along an axis, or where it ends."""
    return c.tile(INDEX_DTYPE, (), StartOp if attr == "start" else StopOp, region.var, axis)


def _of_region(c: Context, region: RegionValue, attr: str) -> Value | None:
    match attr:
        case "index":
            return TupleValue(region.index)
        case "start" | "stop":
            return TupleValue(tuple(_edge(c, region, attr, axis) for axis in range(region.tensor.spec.rank)))
        case "tile":
            return of_host(region.tile)
        case "dtype":
            return Static(region.tensor.spec.dtype)
        case "ndim":
            return Static(region.tensor.spec.rank)
        case _:
            return _method(c, region, "region", attr)


def _of_object(c: Context, value: TupleValue | RecordValue | Static, attr: str, node: core.Attribute) -> Value | None:
    host = value.value if isinstance(value, Static) else None
    if isinstance(host, ModuleType):
        c.reads.append((host, attr))
        return of_host(getattr(host, attr)) if not attr.startswith("_") and hasattr(host, attr) else None
    if attr == "_replace" and isinstance(value, TupleValue) and value.kind is not None:
        return ReplaceValue(value)
    match host:
        case type() if classes.is_users(cast("type[object]", host)):
            return records.of_class(c, cast("type[object]", host), attr, node)
        case DType():
            return Static(getattr(host, attr)) if attr in _DTYPE_FACTS else None
        case _:
            return records.attribute(c, value, attr, node)


_PLACE: Final = ("index", "tile", "start", "stop")


def _places(tensor: TensorValue) -> tuple[str, ...]:
    """What a tensor that is read or added to says of a point's place in it."""
    if tensor.position is None:
        return () if tensor.spec.partition is None else ("tile",)
    return _PLACE if _has_place(tensor) else _PLACE[:2]


def _no_attribute(c: Context, value: Value, node: core.Attribute) -> Poison:

    known: tuple[str, ...] = ()
    match value:
        case TileValue():
            known = (*TILE_FACTS, *c.methods["tile"])
        case TensorValue() if isinstance(value.handle.type, TensorType):
            known = ("dtype", "shape", "ndim", "window")
        case TensorValue() if value.region is not None:
            known = ("dtype", "shape", "ndim", *_PLACE, *c.methods[value.parameter.mode])
        case TensorValue():
            known = ("dtype", "shape", "ndim", *_places(value), *c.methods[value.parameter.mode])
        case PlaceValue():
            known = tuple(c.methods["place"])
        case GridValue():
            known = ("index",)
        case RegionValue():
            known = ("dtype", "ndim", *_PLACE, *c.methods["region"])
        case Static(value=host) if isinstance(host, type) and issubclass(host, Enum):
            known = tuple(host.__members__)
        case Static(value=host) if isinstance(host, type) and classes.is_users(host):
            known = classes.names_of_class(host)
        case _ if listed := classes.names_of(value):
            known = listed
        case Static(value=host) if not isinstance(host, ModuleType):
            if is_number(host) or isinstance(host, str | DType | None):
                pass
            else:
                return host_value(c, node.value, host)
        case _:
            pass
    what = describe(value)
    if what.startswith(("a ", "an ")) and isinstance(node.value, core.Name):
        what = f"`{node.value.id}`, {what},"
    ours = isinstance(value, Static) and getattr(value.value, "__name__", None) == "freehold"
    shown = ", ".join(f"`{k}`" for k in known) if known else "none that a kernel can use"
    if ours:
        shown = "no function and no dtype of this name"
    error = errors.NoAttribute(c.span(node), what=what, attribute=node.attr, known=shown)
    edit = advice_on_attributes.of_attribute(c, value, node, known, (*TILE_FACTS, *c.methods["tile"]))
    return c.error(error if edit is None else error.add(error.Instead(edit.text, at=edit.at(c))))


def slice_(c: Context, node: core.Slice) -> Value:
    """A slice among several indices of what has one axis."""
    error = errors.Unsupported(c.span(node), what="a slice among several indices", why="only tiles have several axes")
    return c.error(error.add(error.Instead("give one index, or one slice")))


def subscript(c: Context, node: core.Subscript) -> Value:
    """`tuple[i]`, `tuple[i:j]`, `tile[:, None]`."""
    value = c.lower(node.value)
    if isinstance(value, Poison):
        return POISON
    if isinstance(value, TupleValue) and value.kind is None:
        return _item(c, value, node)

    if (method := classes.method_of(value, "__getitem__")) is not None:
        given = POISON if isinstance(node.slice, core.Slice) else c.lower(node.slice)
        return POISON if isinstance(given, Poison) else c.inline(method, (value, given), node)
    if isinstance(value, TupleValue) or (isinstance(value, Static) and isinstance(value.value, str | range)):
        return _item(c, value, node)
    if (kind := classes.enumeration(value)) is not None:
        return _member(c, kind, node)
    if isinstance(value, TileValue):
        return piece(c, value, node)
    if isinstance(value, TensorValue):
        error = errors.TensorAsValue(c.span(node), name=value.name)
        if (other := advice.unread(value)) is not None:
            return c.error(error.add(error.Instead(other)))
        edit = advice.of_subscript(c, value, node)
        return c.error(error.add(error.LoadFirst(edit.text, at=edit.at(c))))
    if isinstance(value, Static) and not is_comparable(value.value):
        return host_value(c, node.value, value.value)
    error = errors.WrongOperands(
        c.span(node), operator="[...]", operands=describe(value), why="only tuples and tiles have a subscript"
    )
    if isinstance(value, MethodValue):
        items = node.slice.elts if isinstance(node.slice, core.Tuple) else [node.slice]
        call = f"{c.text(node.value)}({', '.join(map(c.text, items))})"
        error.add(error.Instead(f"call it: `{call}`", at=c.span(node)))
    return c.error(error)


def _member(c: Context, kind: type[Enum], node: core.Subscript) -> Value:
    """`Kind["NAME"]`."""
    given = c.lower(node.slice)
    if isinstance(given, Poison):
        return POISON
    name = static_of(given)
    if name is not None and isinstance(name[0], str) and name[0] in kind.__members__:
        return Static(kind.__members__[name[0]])
    known = ", ".join(f"`{m}`" for m in kind.__members__)
    what = describe(Static(kind))
    return c.error(errors.NoAttribute(c.span(node), what=what, attribute=c.text(node.slice), known=known))


def _item(c: Context, value: TupleValue | Static, node: core.Subscript) -> Value:
    if isinstance(node.slice, core.Slice):
        parts = [
            known_int(c, part, "the bound of a slice") if part is not None else None
            for part in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        if any(part is None and given is not None for part, given in zip(parts, _parts(node.slice), strict=True)):
            return POISON
        try:
            chosen = slice(*parts)
            return (
                TupleValue(value.items[chosen])
                if isinstance(value, TupleValue)
                else of_host(cast(str, value.value)[chosen])
            )
        except ValueError as e:
            return c.error(errors.ArithmeticFails(c.span(node), what=str(e)))
    index = known_int(c, node.slice, "the index of a tuple")
    if index is None:
        return POISON
    items = value.items if isinstance(value, TupleValue) else cast(str, value.value)
    if not -len(items) <= index < len(items):
        what = f"index {index} is outside a tuple of {len(items)}"
        return c.error(errors.ArithmeticFails(c.span(node), what=what))
    return value.items[index] if isinstance(value, TupleValue) else of_host(items[index])


def _parts(node: core.Slice) -> tuple[core.Expr | None, ...]:
    return node.lower, node.upper, node.step


def lambda_(c: Context, node: core.Lambda) -> Value:
    """A function without a name; it sees the variables around it as they are when it is called."""
    return ClosureValue(node.function, c.frame)
