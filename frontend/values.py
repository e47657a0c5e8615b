"""
What an expression of a kernel is while it is typed: a tile, a tensor, or something known at compile time; and the calls
and loops in which variables have such values.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum, EnumType
from functools import cached_property, lru_cache
from math import copysign, inf, isnan
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, cast

from xdsl.dialects.builtin import LocationAttr

from freehold.dialects.location import location_at, location_of
from freehold.frontend.host import host_value
from freehold.frontend.intrinsics import Intrinsic
from freehold.frontend.signature import Parameter, TensorSpec
from freehold.frontend.source import FunctionSource
from freehold.frontend.syntax import core, liveness
from freehold.frontend.typed import Block, Do, Typed, Var
from freehold.support import dtypes
from freehold.support.dtypes import DType
from freehold.support.span import Span

if TYPE_CHECKING:
    from freehold.dialects.ownership import PartitionType


@dataclass(eq=False, slots=True)
class Static:
    """A host value: known when the kernel is compiled. Numbers have no dtype until they meet one."""

    value: object


@dataclass(eq=False, slots=True)
class Absent(Static):
    """An optional tensor that a launch does not give: None."""

    name: str


@dataclass(eq=False, slots=True)
class TileValue:
    """A tile (rank 0: a scalar) that the kernel computes."""

    var: Var
    dtype: DType
    shape: tuple[int, ...]
    weak: bool = False
    """Whether it was computed of Python numbers alone: then its dtype is a guess where ways meet."""


@dataclass(eq=False, slots=True)
class TupleValue:
    """A Python tuple."""

    items: tuple[Value, ...]
    kind: type[tuple[object, ...]] | None = None
    """Of a named tuple, its class."""


@dataclass(eq=False, slots=True)
class RecordValue:
    """An object of a frozen dataclass of the user's. One whose fields are all known at compile time is a `Static`."""

    kind: type[object]
    items: tuple[Value, ...]
    """The values of its fields, in order."""


class Points(Protocol):
    """The points of a launch, as tensors that are partitioned among them know them."""

    @property
    def counts(self) -> set[Do]:
        """What counts the regions that maps ask for."""
        ...

    @property
    def block(self) -> Block:
        """What a point does."""
        ...

    def has_place(self, tensor: TensorValue, /) -> bool:
        """Whether a point has a place of its own in a tensor."""
        ...

    def take(self, tensor: TensorValue, window: TensorValue, /) -> None:
        """Puts a window in the place of its tensor."""
        ...

    def regions(self, tensor: TensorValue, /) -> list[Do]:
        """What takes a region of a tensor."""
        ...

    def is_used(self, region: RegionValue, /) -> bool:
        """Whether anything is done with a region."""
        ...


@dataclass(eq=False, slots=True)
class TensorValue:
    """A tensor parameter."""

    parameter: Parameter
    spec: TensorSpec
    argument: Typed
    """The tensor."""
    handle: Typed
    """The borrow of a `Ref`, the partition of a `Mut` or `Out`."""
    region: RegionValue | None = None
    """The region of a `Mut` or `Out` that this block was given."""
    position: PositionValue | None = None
    """Where in it the point is, if it was partitioned."""
    domain: Points | None = field(default=None, repr=False)
    """The points of the launch, if it was partitioned."""
    spent: tuple[PartitionType, Typed | None] | None = None
    """Of one whose windows are partitioned in its place: how, and by which offsets."""

    @property
    def name(self) -> str:
        """The user's name of it."""
        return self.parameter.name

    @property
    def has_place(self) -> bool:
        """Whether a point has a place of its own in it, if it is partitioned: not where the grid has fewer axes."""
        return self.domain is None or self.parameter.mode not in ("mut", "out") or self.domain.has_place(self)

    @property
    def tile(self) -> tuple[int, ...]:
        """The shape of its regions; it was partitioned."""
        assert self.spec.partition is not None
        return self.spec.partition.tile


@dataclass(eq=False, slots=True)
class PositionValue:
    """Where a point is in a partitioned tensor: its coordinates along the axes that points share out."""

    tensor: TensorValue
    index: tuple[TileValue, ...]
    axes: int | None = None
    """How many axes of the launch's domain the partition speaks of, if not of all."""

    @property
    def tile(self) -> tuple[int, ...]:
        """The shape of a region."""
        return self.tensor.tile


@dataclass(eq=False, slots=True)
class GridValue:
    """The points of a launch, where a parameter says them."""

    name: str
    index: tuple[TileValue, ...]
    """The coordinates of this block's point."""


@dataclass(eq=False, slots=True)
class RegionValue:
    """A region of a `Mut` or `Out` tensor."""

    tensor: TensorValue
    var: Typed
    index: tuple[TileValue, ...]

    @property
    def tile(self) -> tuple[int, ...]:
        """Its shape."""
        return self.tensor.tile


@dataclass(eq=False, slots=True)
class PlaceValue:
    """A place in an `Acc` tensor, where a tile can be added."""

    tensor: TensorValue
    index: tuple[TileValue, ...]
    """Its coordinates, in tiles."""


@dataclass(eq=False, slots=True)
class MethodValue:
    """A method of a tile, a tensor, a region or a place, taken but not yet called."""

    receiver: TileValue | TensorValue | RegionValue | PlaceValue
    declared: Intrinsic


@dataclass(eq=False, slots=True)
class ReplaceValue:
    """`_replace` of a named tuple, taken but not yet called."""

    receiver: TupleValue


@dataclass(eq=False, slots=True)
class BoundValue:
    """A method of a class of the user's, with the object it was taken from."""

    receiver: Value
    function: FunctionType


@dataclass(eq=False, slots=True)
class ClosureValue:
    """A function or lambda defined in the kernel."""

    function: core.Function
    frame: Frame

    @property
    def name(self) -> str:
        """The user's name of it."""
        return self.function.name


@dataclass(eq=False, slots=True)
class RangeValue:
    """`range(...)` or `static_range(...)`."""

    start: Static | TileValue
    stop: Static | TileValue
    step: Static | TileValue
    static: bool = False
    backwards: bool = False
    """Whether it is run over from its end: `reversed(range(...))`."""

    @property
    def known(self) -> range | None:
        """The range itself, where it is known at compile time and has a step."""
        known = [v.value for v in (self.start, self.stop, self.step) if isinstance(v, Static)]
        if len(known) < 3 or known[2] == 0:
            return None
        start, stop, step = cast("list[int]", known)
        return range(start, stop, step)[::-1] if self.backwards else range(start, stop, step)


@dataclass(eq=False, slots=True)
class TilesValue:
    """`tiles(...)`."""

    tensor: TensorValue
    axis: int
    size: int
    start: Static | TileValue
    stop: Static | TileValue
    """The first tile and the one after the last; None: the end. What lies outside the tensor is left out."""
    step: Static | TileValue
    backwards: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """A place in a text where a tile is shown, by a conversion of printf's."""

    tile: TileValue
    conversion: str


@dataclass(eq=False, slots=True)
class TextValue:
    """A text with values of the running kernel in it, for `print`."""

    parts: tuple[str | Field, ...]


@dataclass(eq=False, slots=True)
class Poison:
    """The result of a mistake that is already reported: whatever is made of it is silent."""


@dataclass(eq=False, slots=True)
class Anything:
    """What a variable of ours is before it is assigned: it joins with every value, and nothing reads it."""


@dataclass(eq=False, slots=True)
class Unbound:
    """A variable that does not exist on every way to here, or not with one type."""

    state: str
    """`assigned`, or `of one type`."""
    why: str
    construct: str
    places: list[tuple[Span, str]] = field(default_factory=list["tuple[Span, str]"])


Value = (
    Static
    | TileValue
    | TupleValue
    | RecordValue
    | TensorValue
    | GridValue
    | RegionValue
    | PlaceValue
    | MethodValue
    | ReplaceValue
    | BoundValue
    | ClosureValue
    | RangeValue
    | TilesValue
    | TextValue
    | Poison
    | Anything
    | Unbound
)

POISON: Final = Poison()
ANYTHING: Final = Anything()
NONE: Final = Static(None)


def of_host(value: object) -> Value:
    """A host value as the kernel sees it: tuples are taken apart."""
    if not isinstance(value, tuple):
        return Static(value)
    whole = cast("tuple[object, ...]", value)
    kind = type(whole)
    if kind is not tuple and not is_named_tuple(kind):
        return Static(whole)
    return TupleValue(tuple(map(of_host, whole)), None if kind is tuple else kind)


def padding_named(value: Value) -> str | None:
    """What loads call the number that they are to pad with; None of what they cannot pad with."""
    number = value.value if isinstance(value, Static) else None
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    if number == 0:
        return "neg_zero" if copysign(1, number) < 0 else "zero"
    return "nan" if isnan(number) else {inf: "inf", -inf: "-inf"}.get(number)


def static_of(value: Value) -> tuple[object] | None:
    """The host value, in a tuple of one, of what is known at compile time; None of anything else."""
    if isinstance(value, Static):
        return (value.value,)
    if isinstance(value, TupleValue):
        items = [static_of(item) for item in value.items]
        if all(item is not None for item in items):
            known = tuple(item[0] for item in items if item is not None)
            return (known if value.kind is None else cast(Any, value.kind)._make(known),)
    return None


def is_named_tuple(kind: type[object]) -> bool:
    """Whether a class is a `NamedTuple`."""
    return issubclass(kind, tuple) and hasattr(cast(object, kind), "_fields")


def is_record_class(kind: type[object]) -> bool:
    """Whether a class is a frozen dataclass."""
    return bool(getattr(getattr(kind, "__dataclass_params__", None), "frozen", False))


@lru_cache(maxsize=1024)
def field_names(kind: type[object]) -> tuple[str, ...]:
    """The fields of a dataclass or named tuple, in order."""
    named: Any = kind
    return tuple(named._fields if is_named_tuple(kind) else (f.name for f in fields(named)))


def record(kind: type[object], items: tuple[Value, ...]) -> Value:
    """An object of a dataclass or named tuple, by its fields."""
    if issubclass(kind, tuple):
        return TupleValue(items, cast("type[tuple[object, ...]]", kind))
    known = [static_of(item) for item in items]
    if any(k is None for k in known):
        return RecordValue(kind, items)
    made = object.__new__(kind)
    for name, value in zip(field_names(kind), known, strict=True):
        object.__setattr__(made, name, cast("tuple[object]", value)[0])
    return Static(made)


def record_of(value: Value) -> RecordValue | None:
    """A value as an object of a frozen dataclass, if it is one."""
    if isinstance(value, RecordValue):
        return value
    if not isinstance(value, Static) or isinstance(value.value, DType):  # a dtype is one, and no copy of it
        return None
    if is_record_class(kind := type(value.value)):
        return RecordValue(kind, tuple(of_host(getattr(value.value, n, None)) for n in field_names(kind)))
    return None


def items_of(value: Value, most: int) -> tuple[Value, ...] | None:
    """The items of what can be run over at compile time, `most` at most; None of anything else."""
    match value:
        case TupleValue():
            return value.items[:most]
        case Static(value=range() | str() as host):
            return tuple(Static(v) for v in host[:most])
        case Static(value=EnumType() as members):
            return tuple(Static(cast(object, v)) for v in members)
        case RangeValue(known=range() as known):
            return tuple(Static(v) for v in known[:most])
        case _:
            return None


def is_number(value: object) -> bool:
    """Whether a host value can become an element: a bool, an int or a float."""
    return isinstance(value, int | float)


def is_poison(*values: Value) -> bool:
    """Whether any of these comes of a mistake."""
    for value in values:  # asked for every call's arguments
        if isinstance(value, Poison) or (isinstance(value, _WITH_ITEMS) and is_poison(*value.items)):
            return True
    return False


_WITH_ITEMS: Final = (TupleValue, RecordValue)


def tensor_of(value: TensorValue | RegionValue | PlaceValue) -> TensorValue:
    """The tensor that something is, or is a part of."""
    return value if isinstance(value, TensorValue) else value.tensor


def same(a: Value, b: Value) -> bool:
    """Whether both are certainly one and the same."""
    if a is b:
        return True
    match a, b:
        case TileValue(), TileValue():
            return a.var is b.var and a.dtype is b.dtype
        case Static(), Static():
            x, y = a.value, b.value
            if x is y or type(x) is not type(y):
                return x is y
            if is_comparable(x):
                return x == y and str(x) == str(y)
            left, right = record_of(a), record_of(b)
            return left is not None and right is not None and same(left, right)
        case (TupleValue(), TupleValue()) | (RecordValue(), RecordValue()):
            return a.kind is b.kind and len(a.items) == len(b.items) and all(map(same, a.items, b.items))
        case ClosureValue(), ClosureValue():
            return a.function is b.function and a.frame is b.frame
        case RegionValue(), RegionValue():
            return a.var is b.var
        case _:
            return False


def is_comparable(value: object) -> bool:
    """Whether `==` on a host value is an ordinary comparison (not, say, an array's)."""
    return isinstance(value, bool | int | float | str | bytes | Enum | DType | None)


def is_lasting(value: Value) -> bool:
    """Whether a known value is the same for as long as its name stands for it, and looks so in every process."""
    match value:
        case Static(value=host):
            whole = record_of(value)
            return is_comparable(host) or isinstance(host, type | range) or (whole is not None and is_lasting(whole))
        case TupleValue(items=items) | RecordValue(items=items):
            return all(map(is_lasting, items))
        case _:
            return False


# --- How values are named in errors ----------------------------------------------------------------------------------


def show_shape(shape: Sequence[int]) -> str:
    """`(128, 64)`, `(128,)`."""
    return str(tuple(shape))


def show_tile(dtype: DType, shape: Sequence[int]) -> str:
    """`f32 scalar`, `f32 tile (128, 64)`."""
    return f"{dtype} tile {show_shape(shape)}" if shape else f"{dtype} scalar"


def describe_tile(dtype: DType, shape: Sequence[int]) -> str:
    """The same with its article: `an f32 scalar`, `a bool_ tile (128, 64)`."""
    return _an(show_tile(dtype, shape))


def describe(value: Value) -> str:
    """A phrase for an error, with its article: `an f32 tile (128,)`, `the tensor x`, `the number 3`."""
    match value:
        case TileValue():
            return describe_tile(value.dtype, value.shape)
        case TupleValue(kind=type() as kind) | RecordValue(kind=kind):
            return f"a `{kind.__name__}`"
        case TupleValue():
            return f"a tuple of {len(value.items)}"
        case TensorValue():
            return f"tensor `{value.name}`"
        case GridValue():
            return f"grid `{value.name}`"
        case RegionValue():
            return f"a region of `{value.tensor.name}`"
        case PlaceValue():
            return f"a place in `{value.tensor.name}`"
        case MethodValue():
            return f"the method `{value.declared.name}`"
        case ReplaceValue():
            return "the method `_replace`"
        case BoundValue():
            return f"the method `{value.function.__name__}`"
        case ClosureValue():
            return "a lambda" if value.name == "<lambda>" else f"function `{value.name}`"
        case RangeValue():
            return "a range"
        case TilesValue():
            return "a range of tiles"
        case TextValue():
            return "a text that is known when the kernel runs"
        case Absent(name=name):
            return f"`{name}`, which is `None` in this launch"
        case Static():
            return _describe_static(value.value)
        case Poison() | Anything() | Unbound():
            return "a value"


def _describe_static(value: object) -> str:
    match value:
        case None:
            return "`None`"
        case bool():
            return f"`{value}`"
        case Enum():
            return f"`{type(value).__name__}.{value.name}`"
        case int() | float():
            return f"the number {value!r}"
        case str():
            return f"the text {value!r}" if len(value) <= 80 else f"the text {value[:77]!r}..."
        case DType():
            return f"the dtype `{value}`"
        case ModuleType():
            return f"the module `{value.__name__}`"
        case FunctionType() | BuiltinFunctionType():
            return f"the function `{value.__name__}`"
        case type():
            return f"the class `{value.__name__}`"
        case _:
            kind = type(value)
            return f"a `{kind.__name__}`" if is_record_class(kind) else _an(f"object of type `{kind.__name__}`")


def _an(phrase: str) -> str:
    vowel = phrase[0] in "aeio" or (phrase[0] == "f" and phrase[1:2].isdigit())  # an `f32`, by the letter
    return f"{'an' if vowel else 'a'} {phrase}"


INDEX_DTYPE: Final = dtypes.i32
"""The dtype of coordinates, extents and counts."""


class Host:
    """The names of the host that one Python function sees, looked up once each."""

    def __init__(self, function: FunctionType):
        self.function = function
        self._known: dict[str, object] = {}

    def __getitem__(self, name: str) -> object:
        """The value, or `UNDEFINED`."""
        try:
            return self._known[name]
        except KeyError:
            value = self._known[name] = host_value(self.function, name)
            return value


@dataclass(eq=False)
class Frame:
    """One call of one function: the kernel's, or an inlined helper's."""

    source: FunctionSource
    host: Host
    """Where names that are no variables are looked up."""
    function: core.Function
    name: str
    outer: Frame | None = None
    """The frame a nested function was defined in."""
    caller: Frame | None = None
    call_site: Span | None = None
    variables: dict[str, Value] = field(default_factory=dict[str, Value])
    loops: list[Loop] = field(default_factory=list["Loop"])
    """The loops around the current statement that run, innermost last."""
    unsafe: str | None = None
    """The reason of the `unsafe` block that the current statement stands in."""
    locations: dict[core.Place, LocationAttr] = field(default_factory=dict[core.Place, LocationAttr])

    def span(self, place: core.Place) -> Span:
        """A place in its text, with the calls it was inlined through."""
        span = self.source.span(place)
        return span if self.call_site is None else span.inlined_at(self.call_site)

    def location(self, place: core.Place) -> LocationAttr:
        """The same as the IR says it."""
        source, inlined = self.source, self.call_site is not None
        known = self.locations if inlined else source.locations
        location = known.get(place)
        if location is None:
            found = location_of(self.span(place)) if inlined else location_at(source.file, *source.in_file(place))
            location = known[place] = found
        return location

    @cached_property
    def nodes(self) -> list[core.Node]:
        """All there is in the function: for errors, of which a function may have many."""
        return core.walk(self.function)

    @cached_property
    def calls(self) -> dict[int, core.Call]:
        """The calls among them, by the identity of what is called."""
        return {id(n.func): n for n in self.nodes if isinstance(n, core.Call)}

    @property
    def facts(self) -> liveness.Facts:
        """What the function does with its variables."""
        return liveness.facts(self.function)

    @property
    def is_kernel(self) -> bool:
        """Whether this is the kernel itself."""
        return self.caller is None and self.outer is None


Ending = Literal["continue", "break", "dead"]


@dataclass(eq=False)
class Site:
    """A place where a turn of a loop ends."""

    kind: Ending
    block: Block
    variables: dict[str, Value]
    node: core.Node


@dataclass(eq=False)
class Loop:
    """A loop whose body is being written."""

    node: core.Loop
    sites: list[Site] = field(default_factory=list[Site])
    counter: tuple[TileValue, TileValue] | None = None
    """Index and step of a `for` that has a `break`: such a loop counts by itself."""
    carried: Collection[str] = ()
    """The variables that go from turn to turn."""
    before: dict[str, Value] = field(default_factory=dict[str, Value])
    """What the others are when a turn begins."""


Number = bool | int | float
