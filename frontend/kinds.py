"""Types of variables of the running kernel, and the types in which ways meet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from freehold.frontend.syntax import core
from freehold.frontend.types import NoCommonDType, promote
from freehold.frontend.values import (
    ANYTHING,
    Anything,
    Number,
    RecordValue,
    Static,
    TileValue,
    TupleValue,
    Value,
    field_names,
    is_number,
    is_poison,
    record,
    record_of,
    same,
)
from freehold.support import dtypes
from freehold.support.dtypes import DType


@dataclass(frozen=True, slots=True)
class TileKind:
    """A tile of one dtype and shape. `weak`: only Python numbers have been seen, whose dtype is a guess. `computed`:
    what the kernel has made of them, which no dtype is given that does not hold the guess."""

    dtype: DType
    shape: tuple[int, ...]
    weak: bool = False
    computed: bool = False


@dataclass(frozen=True, slots=True)
class TupleKind:
    """A tuple of such, or an object whose fields are."""

    items: tuple[Kind, ...]
    of: type | None = None
    """The class of a named tuple or dataclass."""


@dataclass(frozen=True, eq=False, slots=True)
class FixedKind:
    """A part of a tuple that is known at compile time and the same on every way; other numbers become tiles."""

    value: Value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FixedKind) and same(self.value, other.value)

    __hash__ = None  # pyright: ignore[reportAssignmentType] -- values have no order and no hash

    @property
    def number(self) -> TileKind | None:
        """What a number becomes where it is not the same on every way."""
        kind = kind_of(self.value)
        return kind if isinstance(kind, TileKind) else None


@dataclass(frozen=True, slots=True)
class AnyKind:
    """Whatever else it meets."""


Kind = TileKind | TupleKind | FixedKind | AnyKind


def kind_of(value: Value) -> Kind | None:
    """The type that `value` has as a variable of the running kernel; None of what exists at compile time only."""
    match value:
        case TileValue():
            return TileKind(value.dtype, value.shape, value.weak, value.weak)
        case Anything():
            return AnyKind()
        case Static(value=number) if is_number(number):
            return TileKind(dtypes.default_dtype(cast(Number, number)), (), True)
        case TupleValue() | RecordValue() | Static():
            whole = value if isinstance(value, TupleValue) else record_of(value)
            if whole is None or is_poison(whole):
                return None
            kinds = [kind_of(item) for item in whole.items]
            if kinds and not any(kinds):
                return None
            items = tuple(
                FixedKind(item) if kind is None or (isinstance(item, Static) and isinstance(kind, TileKind)) else kind
                for item, kind in zip(whole.items, kinds, strict=True)
            )
            return TupleKind(items, whole.kind)
        case _:
            return None


def join(a: Kind, b: Kind) -> Kind | None:
    """The type of what is `a` on one way and `b` on another: the same, but that numbers adapt. None: there is none."""
    match a, b:
        case (AnyKind(), other) | (other, AnyKind()):
            return other
        case TileKind(), TileKind():
            if a.weak and b.weak:
                return a if (a.dtype.is_float, a.dtype.bits) >= (b.dtype.is_float, b.dtype.bits) else b
            if a.weak or b.weak:
                number, tile = (a, b) if a.weak else (b, a)
                if number.computed:
                    return tile if widens(number.dtype, tile.dtype) else None
                return None if number.dtype.is_float and not tile.dtype.is_float else tile
            return a if a == b else None
        case TupleKind(), TupleKind() if len(a.items) == len(b.items) and a.of is b.of:
            items = [join(x, y) for x, y in zip(a.items, b.items, strict=True)]
            return TupleKind(tuple(i for i in items if i is not None), a.of) if None not in items else None
        case FixedKind(), FixedKind() if same(a.value, b.value):
            return a
        case (FixedKind(), _) | (_, FixedKind()):
            x, y = (k.number if isinstance(k, FixedKind) else k for k in (a, b))
            return None if x is None or y is None else join(x, y)
        case _:
            return None


def widens(dtype: DType, wide: DType) -> bool:
    """Whether two dtypes meet in the second."""
    try:
        return promote(dtype, wide) is wide
    except NoCommonDType:
        return False


def fits(made: Kind | None, kind: Kind) -> bool:
    """Whether a value of type `made` can be handed on where `kind` is expected."""
    match made, kind:
        case AnyKind(), _:
            return True
        case TileKind(), TileKind():
            whole = TileKind(kind.dtype, kind.shape)
            return join(whole, made) == whole
        case TupleKind(), TupleKind():
            return made.of is kind.of and len(made.items) == len(kind.items) and all(map(fits, made.items, kind.items))
        case FixedKind(), TileKind():
            return fits(made.number, kind)
        case FixedKind(), FixedKind():
            return same(made.value, kind.value)
        case _:
            return False


def enters(made: Kind | None, kind: Kind) -> bool:
    """Whether what the kernel has made of numbers can begin as `kind`, which was found to hold what becomes of it."""
    match made, kind:
        case TileKind(computed=True), TileKind():
            return widens(made.dtype, kind.dtype)
        case TupleKind(), TupleKind():
            return all(map(enters, made.items, kind.items))
        case _:
            return True


def assemble(kind: Kind, tiles: list[TileValue]) -> Value:
    """The inverse of `flatten`: takes the tiles it needs from the front of the list."""
    match kind:
        case FixedKind():
            return kind.value
        case AnyKind():
            return ANYTHING
        case TupleKind():
            items = tuple(assemble(k, tiles) for k in kind.items)
            return TupleValue(items) if kind.of is None else record(kind.of, items)
        case TileKind():
            tile = tiles.pop(0)
            tile.weak = kind.weak
            return tile


def tile_kinds(kind: Kind) -> list[TileKind]:
    """The types of the tiles that `flatten` makes."""
    match kind:
        case FixedKind() | AnyKind():
            return []
        case TupleKind():
            return [t for k in kind.items for t in tile_kinds(k)]
        case TileKind():
            return [kind]


def difference(name: str, a: Value, b: Value) -> tuple[str, Value, Value]:
    """Of two values that do not meet, the first parts that do not, with what leads to them: `state.best`."""
    x, y = (v if isinstance(v, TupleValue) else record_of(v) for v in (a, b))
    if x is None or y is None or x.kind is not y.kind or len(x.items) != len(y.items):
        return name, a, b
    names = [f"[{i}]" for i in range(len(x.items))] if x.kind is None else [f".{n}" for n in field_names(x.kind)]
    for part, p, q in zip(names, x.items, y.items, strict=True):
        kinds = [kind_of(v) or FixedKind(v) for v in (p, q)]
        if join(*kinds) is None:
            return difference(name + part, p, q)
    return name, a, b


@dataclass(eq=False)
class Found:
    """What typing has found out about a loop: where it begins if what it stands in is typed again."""

    node: core.Loop
    entering: dict[str, Kind]
    """The types with which variables enter it."""
    carried: dict[str, Kind]
    """What is carried from turn to turn, with the types that all turns agree on."""
    leaves: bool
    """Whether it may end before its time."""
    inner: list[Found] = field(default_factory=list["Found"])
    """The same of the loops in it."""
