"""Small entries that try one operation each: what benchmarks/agreement.py assembles, launches and interprets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerType,
    ModuleOp,
    UnitAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from freehold.dialects.cuda_tile import CudaTile
from freehold.dialects.cuda_tile.ops.control_flow import ReturnOp
from freehold.dialects.cuda_tile.ops.module import EntryOp, GetTileBlockIdOp, GlobalOp, TileModuleOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp, ReshapeOp
from freehold.dialects.cuda_tile.ops.views import (
    LoadViewTkoOp,
    MakePartitionViewOp,
    MakeTensorViewOp,
    StoreViewTkoOp,
)
from freehold.dialects.cuda_tile.types import PartitionViewType, PointerType, TensorViewType, TileType, tile

BLOCKS = 16
"""Tile blocks of every launch; each works on rows of its own."""

ELEMENTS: dict[str, Attribute] = {
    **{f"i{bits}": IntegerType(bits) for bits in (1, 4, 8, 16, 32, 64)},
    "f16": Float16Type(),
    "bf16": BFloat16Type(),
    "f32": Float32Type(),
    "tf32": FloatTF32Type(),
    "f64": Float64Type(),
    "f8E4M3FN": Float8E4M3FNType(),
    "f8E5M2": Float8E5M2Type(),
}
"""The element types that sm_90 has, by name."""

INTEGERS = ("i1", "i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
ALL_FLOATS = (*FLOATS, "tf32", "f8E4M3FN", "f8E5M2")
IN_MEMORY = (*INTEGERS, *ALL_FLOATS)

_OPS = {op.name: op for op in CudaTile.operations}


@dataclass(frozen=True)
class Bound:
    """How far a result may be from the interpreter's.

    `exact`: bit for bit, except that any NaN is any NaN. `ulp`: units in the last place of the result's type, element
    by element. `norm`: the largest difference over the largest result of the whole array.
    """

    kind: str
    limit: float = 0.0


EXACT = Bound("exact")


def ulp(limit: float) -> Bound:
    """So many units in the last place."""
    return Bound("ulp", limit)


def norm(limit: float) -> Bound:
    """A difference of so much, relative to the largest result."""
    return Bound("norm", limit)


@dataclass(frozen=True)
class Parameter:
    """An array that an entry takes."""

    element: str
    count: int
    """Elements."""
    domain: str
    """What it holds at first: see `agreement_inputs.values`. Of an output that is written everywhere, `poison`."""
    variant: str | None = None
    """For an output: which form of the operation wrote it."""
    bound: Bound = EXACT

    @staticmethod
    def read(data: dict[str, Any]) -> Parameter:
        """From what `asdict` made of it."""
        bound = Bound(**data["bound"])
        return Parameter(data["element"], data["count"], data["domain"], data["variant"], bound)


@dataclass(frozen=True)
class Case:
    """One operation on one combination of element types, in all its forms, or in one."""

    op: str
    types: str
    write: Callable[[Build], object]
    form: str = ""
    """The form, where each has an entry of its own."""

    @property
    def symbol(self) -> str:
        """The entry's name, but for a number that keeps cases apart."""
        plain = "".join(c if c.isalnum() else "_" for c in f"{self.op}_{self.types}")
        return f"t_{plain}"


@dataclass(frozen=True)
class Entry:
    """What the manifest says of an entry."""

    symbol: str
    op: str
    types: str
    parameters: tuple[Parameter, ...]

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    @staticmethod
    def read(data: dict[str, Any]) -> Entry:
        """From what `plain` made of it."""
        parameters = tuple(Parameter.read(p) for p in data["parameters"])
        return Entry(data["symbol"], data["op"], data["types"], parameters)


def dims_of(value: SSAValue) -> tuple[int, ...]:
    """The extents of a tile."""
    return cast(TileType, value.type).dims


def element_of(value: SSAValue) -> Attribute:
    """The element type of a tile."""
    return cast(TileType, value.type).element_type


@dataclass
class Build:
    """An entry under construction."""

    name: str
    globals: list[GlobalOp] = field(default_factory=list[GlobalOp])
    block: Block = field(default_factory=Block)
    parameters: list[Parameter] = field(default_factory=list[Parameter])

    def __post_init__(self) -> None:
        places = GetTileBlockIdOp()
        self.block.add_op(places)
        self.place: SSAValue = places.results[0]
        """The number of the tile block."""

    def add(self, op: Operation) -> SSAValue:
        """Appends an operation; its first result."""
        op.verify()
        self.block.add_op(op)
        return op.results[0]

    def do(self, op: Operation) -> Operation:
        """Appends an operation that may have no results, or several."""
        op.verify()
        self.block.add_op(op)
        return op

    def op(
        self, name: str, operands: Sequence[SSAValue], result: Attribute | None = None, **properties: Attribute | bool
    ) -> SSAValue:
        """Appends the operation of this name: its result has the first operand's type unless another is given."""
        made = make(name, operands, operands[0].type if result is None else result, **properties)
        return self.add(made)

    def constant(self, element: str, value: float, dims: tuple[int, ...] = ()) -> SSAValue:
        """A tile of equal elements."""
        return self.add(ConstantOp.splat(tile(dims, ELEMENTS[element]), value))

    def pointer(
        self, element: str, count: int, domain: str, variant: str | None = None, bound: Bound = EXACT
    ) -> SSAValue:
        """The address of an array of its own."""
        self.parameters.append(Parameter(element, count, domain, variant, bound))
        return self.block.insert_arg(tile((), PointerType(ELEMENTS[element])), len(self.block.args))

    def partition(self, pointer: SSAValue, element: str, dims: tuple[int, int]) -> SSAValue:
        """A view of an array as rows of tiles, one row a block."""
        rows, columns = dims
        tensor = TensorViewType(ELEMENTS[element], (BLOCKS * rows, columns), (columns, 1))
        return self.add(
            MakePartitionViewOp(self.add(MakeTensorViewOp(pointer, tensor)), PartitionViewType(dims, tensor))
        )

    def input(self, element: str, domain: str = "any", dims: tuple[int, ...] = (8, 16)) -> SSAValue:
        """A tile of an array of its own."""
        flat = (prod(dims[:-1]), dims[-1])
        view = self.partition(self.pointer(element, BLOCKS * prod(dims), domain), element, flat)
        loaded = self.add(LoadViewTkoOp(view, (self.place, self.constant("i32", 0))))
        return loaded if flat == dims else self.add(ReshapeOp(loaded, dims))

    def output(self, value: SSAValue, variant: str = "", bound: Bound = EXACT) -> None:
        """Stores a tile of any shape to an array of its own."""
        dims = dims_of(value)
        flat = (prod(dims[:-1]), dims[-1]) if dims else (1, 1)
        if flat != dims:
            value = self.add(ReshapeOp(value, flat))
        name = next(name for name, type_ in ELEMENTS.items() if type_ == element_of(value))
        if name == "i4":  # not in memory
            value, name = self.op("exti", (value,), tile(flat, ELEMENTS["i8"]), signedness=signed(True)), "i8"
        pointer = self.pointer(name, BLOCKS * prod(flat), "poison", variant, bound)
        view = self.partition(pointer, name, flat)
        self.do(StoreViewTkoOp(value, view, (self.place, self.constant("i32", 0))))

    def finished(self) -> EntryOp:
        """The entry."""
        if not isinstance(self.block.last_op, ReturnOp):
            self.block.add_op(ReturnOp())
        return EntryOp(self.name, tuple(self.block.arg_types), Region(self.block))


def signed(yes: bool) -> Attribute:
    """The attribute that reads integers as signed or not."""
    from freehold.dialects.cuda_tile.attrs import SIGNED, UNSIGNED

    return SIGNED if yes else UNSIGNED


def make(name: str, operands: Sequence[SSAValue], result: Attribute, **properties: Attribute | bool) -> Operation:
    """The operation of a name with one result."""
    return _OPS[f"cuda_tile.{name}"].create(
        operands=tuple(operands),
        result_types=(result,),
        properties={
            key: UnitAttr() if isinstance(value, bool) else value
            for key, value in properties.items()
            if value is not False
        },
    )


def built(cases: Sequence[Case], numbers: Sequence[int]) -> tuple[ModuleOp, list[Entry]]:
    """A module with an entry for each case, and what the manifest says of them."""
    globals_: list[GlobalOp] = []
    ops: list[EntryOp] = []
    entries: list[Entry] = []
    for case, number in zip(cases, numbers, strict=True):
        build = Build(f"{case.symbol}_{number}")
        case.write(build)
        entry = build.finished()
        globals_ += build.globals
        ops.append(entry)
        entries.append(Entry(build.name, case.op, case.types, tuple(build.parameters)))
    return ModuleOp([TileModuleOp("agreement", [*globals_, *ops])]), entries
