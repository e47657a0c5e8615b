"""From trees of statements and expressions (see `ownership_kernels`) to modules of the ownership dialect.

The operations are made directly: a fuzzer that prints and parses text spends its time on that.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, Final, cast

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp, f16, f32, i1, i8, i16, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from freehold.dialects.cuda_tile import TileType
from freehold.dialects.cuda_tile.attrs import IntegerOverflowAttr, RoundingModeAttr, SignednessAttr
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.ops.arith_int import (
    AddIOp,
    AndIOp,
    CmpIOp,
    DivIOp,
    MaxIOp,
    MinIOp,
    MulIOp,
    OrIOp,
    RemIOp,
    ShlIOp,
    SubIOp,
    XOrIOp,
)
from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp, ForOp, IfOp, YieldOp
from freehold.dialects.cuda_tile.ops.conversion import ExtIOp, TruncIOp
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, ConstantOp, IotaOp, ReshapeOp, SelectOp
from freehold.dialects.ownership import (
    Access,
    AccumulateAtOp,
    AccumulateOp,
    AccumulatorOp,
    BlocksAttr,
    BlocksKind,
    BorrowOp,
    DistributeOp,
    GatherOp,
    KernelOp,
    LoadFromOp,
    LoadOp,
    OrderAttr,
    OrderKind,
    PartitionOp,
    PartitionType,
    RegionOp,
    ReleaseOp,
    ReturnOp,
    StoreOp,
    TensorType,
    TilesOp,
    Update,
)
from freehold.dialects.ownership.ops import INDEX

Node = Any

SIGNED: Final = SignednessAttr.of("signed")
UNSIGNED: Final = SignednessAttr.of("unsigned")
PROMISE: Final = IntegerOverflowAttr.of("no_signed_wrap")
BINARY: Final[dict[str, Callable[[SSAValue, SSAValue], Operation]]] = {
    "addi": AddIOp,
    "subi": SubIOp,
    "muli": MulIOp,
    "shli": ShlIOp,
    "mini": lambda a, b: MinIOp(a, b, SIGNED),
    "maxi": lambda a, b: MaxIOp(a, b, SIGNED),
}
NARROW: Final[dict[str, Callable[[SSAValue, SSAValue, SignednessAttr], Operation]]] = {
    "addi": lambda a, b, _: AddIOp(a, b),
    "subi": lambda a, b, _: SubIOp(a, b),
    "muli": lambda a, b, _: MulIOp(a, b),
    "andi": lambda a, b, _: AndIOp(a, b),
    "ori": lambda a, b, _: OrIOp(a, b),
    "xori": lambda a, b, _: XOrIOp(a, b),
    "mini": MinIOp,
    "maxi": MaxIOp,
    "divi": DivIOp,
    "remi": RemIOp,
}
"""What is computed at other widths than that of indices, read with or without a sign."""
ELEMENTS: Final[dict[str, tuple[Attribute, Any, int]]] = {
    "i1": (i1, np.bool_, 0),
    "i8": (i8, np.int8, 7),
    "i16": (i16, np.int16, 7),
    "i32": (i32, np.int32, 7),
    "i64": (i64, np.int64, 7),
    "f16": (f16, np.float16, 7),
    "f32": (f32, np.float32, 7),
}
"""What tensors hold, as in the IR and in NumPy, and what their elements are before somebody writes a one."""
OTHERS: Final[dict[str, tuple[TileType, Callable[[int], Any]]]] = {
    "b": (TileType([], i8), lambda s: (s + 128) % 256 - 128),
    "t": (TileType([], i1), lambda s: bool(s & 1)),
    "w": (TileType([], i64), lambda s: s * 3),
    "f": (TileType([], f32), lambda s: float(s % 9)),
}
"""
Scalar parameters beside `s`, and what they are in a launch, which says what `s` is. No coordinate comes from a float:
what a float says is not known to the search for witnesses, and one of O122 may then name an element that is taken.
"""
PAIR: Final = TileType([2], i32)


class Builder:
    """Builds the module of one kernel. What a statement cannot mean where it stands, it leaves out."""

    def __init__(self, kernel: dict[str, Node]):
        self.kernel = kernel
        rank = kernel["rank"]
        fixed = kernel.get("fixed")
        first = str(fixed) if fixed else "M"
        self.dims = [first, first if kernel.get("square") else "N"][:rank]
        self.tiles, self.steps = kernel["tile"][:rank], kernel["step"][:rank]
        self.accesses: list[Access] = [Access(kernel["access"])] + (
            [Access(kernel["second"])] if kernel["second"] else []
        )
        self.shapes: list[list[str]] = [*([self.dims] * len(self.accesses)), ["M", "K"]]
        if kernel.get("sums"):
            self.shapes.append(["M", "K"])
        self.element, self.dtype, self.before = ELEMENTS[kernel.get("element", "i32")]
        self.others = list(OTHERS) if kernel.get("others") else []
        self.block = Block()
        self.points: list[SSAValue] = []
        self.partitions: list[SSAValue] = []
        self.loops: list[tuple[SSAValue, SSAValue, Node]] = []
        self.region: SSAValue | None = None

    @property
    def elements(self) -> list[tuple[Attribute, Any]]:
        """What each tensor holds: those that are written and the first that is read, the same; the others, integers."""
        same = len(self.accesses) + 1
        return [(self.element, self.dtype)] * same + [(i32, np.int32)] * (len(self.shapes) - same)

    def tensors(self) -> list[TensorType]:
        """The types of the tensors."""
        return [TensorType.of(shape, element) for shape, (element, _) in zip(self.shapes, self.elements, strict=True)]

    def scalars(self, scalar: int) -> list[Any]:
        """The scalar arguments of a launch."""
        return [scalar, *(OTHERS[name][1](scalar) for name in self.others)]

    def name_scalars(self, top: Block) -> None:
        """Names the last parameters, and keeps them."""
        self.given = dict(zip(["s", *self.others], top.args[len(self.shapes) :], strict=True))
        for name, value in self.given.items():
            value.name_hint = name

    def extents(self, sizes: tuple[int, int, int]) -> dict[str, int]:
        """The values of all symbols, for M, N and K."""
        return dict(zip("MNK", sizes, strict=True))

    def fill(self, arrays: list[Any], chosen: Random) -> None:
        """Puts numbers into the arrays that decide something: none of these kernels reads where to go."""

    def remembered(self, arrays: list[Any]) -> Iterator[None]:
        """Puts into the arrays, one after the other, what a witness may count on and not say: here nothing."""
        del arrays
        yield

    def unwritten(self, arrays: list[Any], scalar: int) -> bool:
        """Whether an element of an output was not written."""
        del scalar
        return any((arrays[n] != 1).any() for n, access in enumerate(self.accesses) if access is Access.OUT)

    def module(self) -> ModuleOp:
        """The module."""
        tensors = self.tensors()
        top = Block(arg_types=[*tensors, INDEX, *(OTHERS[name][0] for name in self.others)])
        names = [f"y{n}" for n in range(len(self.accesses))] + ["a"] + (["h"] if self.kernel.get("sums") else [])
        for argument, name in zip(top.args, names, strict=False):
            argument.name_hint = name
        self.name_scalars(top)
        with self.into(top):
            for n, access in enumerate(self.accesses):
                type_ = PartitionType.of(access, self.tiles, tensors[n], self.steps)
                self.partitions.append(self.value(PartitionOp(top.args[n], type_)))
            self.source = self.value(BorrowOp(tensor(top.args[len(self.accesses)])))
            self.sums = (
                self.value(AccumulatorOp(tensor(top.args[len(tensors) - 1]))) if self.kernel.get("sums") else None
            )
            body = Block(arg_types=[INDEX] * self.kernel["rank"])
            self.points = list(body.args)
            for argument, name in zip(body.args, "ij", strict=False):
                argument.name_hint = name
            with self.into(body):
                self.one = self.ones(self.tiles)
                self.body(self.kernel["body"])
            self.add(
                DistributeOp(
                    self.partitions, Region(body), order_of(self.kernel["order"]), blocks_of(self.kernel["blocks"])
                )
            )
            self.add(ReturnOp())
        return ModuleOp([KernelOp("random", Region(top))])

    # Where operations go

    @contextmanager
    def into(self, block: Block) -> Generator[Block]:
        """Puts operations into a block."""
        outer, self.block = self.block, block
        yield block
        self.block = outer

    def add(self, op: Operation) -> Operation:
        """Appends an operation."""
        self.block.add_op(op)
        return op

    def value(self, op: Operation) -> SSAValue:
        """Appends an operation with one result, and that."""
        self.block.add_op(op)
        return op.results[0]

    def ones(self, dims: list[int]) -> SSAValue:
        """A tile of ones."""
        return self.value(ConstantOp(DenseElementsAttr.splat(TileType(dims, self.element), 1)))

    # Expressions

    def number(self, value: int) -> SSAValue:
        """A constant."""
        return self.value(ConstantOp(DenseElementsAttr.splat(INDEX, value)))

    def expression(self, e: Node) -> SSAValue:
        """The value of an expression, computed here."""
        match e:
            case ("point", axis):
                return self.points[axis if axis < len(self.points) else 0]
            case ("counter",):
                return self.loops[-1][0] if self.loops else self.points[0]
            case ("carried",):
                return self.loops[-1][1] if self.loops else self.points[0]
            case ("scalar",):
                return self.given["s"]
            case ("other", name):
                return self.other(name)
            case ("at", width, back, sign, name, a, b):
                return self.at(IntegerType(width), back, sign, name, [a, b])
            case ("const", value):
                return self.number(value)
            case ("tiles", axis):
                return self.value(TilesOp(self.source, axis, 2))
            case ("grid", axis):
                axis = axis if axis < len(self.points) else 0
                return self.value(TilesOp(self.partitions[0], axis, self.steps[axis]))
            case ("select", relation, a, b, x, y):
                return self.value(SelectOp(self.flag(relation, a, b), self.expression(x), self.expression(y)))
            case ("divi", "unsigned", a, b):
                return self.value(DivIOp(self.expression(a), self.expression(b), UNSIGNED))
            case ("divi", rounding, a, b):
                mode = RoundingModeAttr.of(rounding)
                return self.value(DivIOp(self.expression(a), self.expression(b), SIGNED, mode))
            case ("remi", a, b):
                return self.value(RemIOp(self.expression(a), self.expression(b), SIGNED))
            case ("unsigned", name, a, b):
                op = MinIOp if name == "mini" else MaxIOp
                return self.value(op(self.expression(a), self.expression(b), UNSIGNED))
            case ("narrow", sign, a):
                small = self.value(TruncIOp(self.expression(a), i8))
                return self.value(ExtIOp(small, i32, SIGNED if sign == "signed" else UNSIGNED))
            case ("promised", a, b):
                return self.value(AddIOp(self.expression(a), self.expression(b), PROMISE))
            case ("clamp", a, b):
                return self.expression(("maxi", ("mini", a, ("subi", b, ("const", 1))), ("const", 0)))
            case (name, a, b):
                return self.value(BINARY[name](self.expression(a), self.expression(b)))
            case _:
                raise ValueError(e)

    def other(self, name: str) -> SSAValue:
        """A scalar parameter as an index; the first one where there is none of the name."""
        value = self.given.get(name, self.given["s"])
        match name if name in self.given else "s":
            case "b":
                return self.value(ExtIOp(value, i32, SIGNED))
            case "t":
                return self.value(ExtIOp(value, i32, UNSIGNED))
            case "w":
                return self.value(TruncIOp(value, i32))
            case _:
                return value

    def at(self, type_: IntegerType, back: str, sign: str, name: str, operands: list[Node]) -> SSAValue:
        """An operation at another width, and what it gives as an index again."""
        signs = {"signed": SIGNED, "unsigned": UNSIGNED}
        wide = type_.width.data > 32
        values = [self.expression(e) for e in operands]
        a, b = (self.value(ExtIOp(v, type_, signs[back]) if wide else TruncIOp(v, type_)) for v in values)
        made = self.value(NARROW[name](a, b, signs[sign]))
        return self.value(TruncIOp(made, i32) if wide else ExtIOp(made, i32, signs[back]))

    def flag(self, relation: str, a: Node, b: Node) -> SSAValue:
        """The truth value of a comparison."""
        return self.value(CmpIOp(relation, self.expression(a), self.expression(b), SIGNED))

    def pair(self, e: Node) -> SSAValue:
        """Two numbers: an expression, and one more."""
        first = self.value(ReshapeOp(self.expression(e), [1]))
        return self.value(AddIOp(self.value(BroadcastOp(first, [2])), self.value(IotaOp(PAIR))))

    # Statements

    def body(self, statements: list[Node]) -> bool:
        """Statements, as long as the end of each is reached."""
        return all(self.statement(s) for s in statements)

    def inner(self, statements: list[Node], end: Callable[[], Operation]) -> None:
        """Statements of a block inside, whose regions are not known outside."""
        region = self.region
        if self.body(statements):
            self.add(end())
        self.region = region

    def turn_ends(self) -> ContinueOp:
        """The end of a turn of the innermost loop."""
        return ContinueOp([self.expression(self.loops[-1][2])])

    def write(self) -> None:
        """Stores to the region that was taken last."""
        if self.region is not None:
            self.add(StoreOp(self.one, self.region))

    def statement(self, s: Node) -> bool:
        """One statement; whether the end of it is reached."""
        match s:
            case ["take" | "open" as what, int(number), coordinates, *_]:
                if number < len(self.partitions):
                    where = [self.expression(c) for c in (coordinates * 2)[: self.kernel["rank"]]]
                    self.region = self.value(RegionOp(self.partitions[number], where))
                    if what == "take":
                        self.write()
            case ["write"]:
                self.write()
            case ["read"]:
                if self.region is not None:
                    self.value(LoadOp(self.region, [], TileType(self.tiles, self.element)))
            case ["release"]:
                if self.region is not None:
                    self.add(ReleaseOp(self.region))
            case ["load", coordinates]:
                where = [self.expression(c) for c in coordinates]
                self.value(LoadOp(self.source, where, TileType([2, 2], self.element)))
            case ["window", coordinates]:
                where = [self.expression(c) for c in coordinates]
                self.value(LoadFromOp(self.source, where, TileType([2, 2], self.element)))
            case ["gather", coordinates]:
                self.value(GatherOp(self.source, [self.pair(c) for c in coordinates], TileType([2], self.element)))
            case ["update", coordinates]:
                if self.sums is not None:
                    values = self.value(ConstantOp(DenseElementsAttr.splat(TileType([2, 2], i32), 1)))
                    where = [self.expression(c) for c in coordinates]
                    self.add(AccumulateOp(Update.ADD, values, self.sums, where))
            case ["update_at", coordinates]:
                if self.sums is not None:
                    values = self.value(ConstantOp(DenseElementsAttr.splat(PAIR, 1)))
                    self.add(AccumulateAtOp(Update.ADD, values, self.sums, [self.pair(c) for c in coordinates]))
            case ["for", low, high, step, init, turn, body]:
                bounds = [self.expression(x) for x in (low, high, step, init)]
                block = Block(arg_types=[INDEX, INDEX])
                self.loops.append((block.args[0], block.args[1], turn))
                block.args[0].name_hint, block.args[1].name_hint = "k", "c"
                with self.into(block):
                    self.inner(body, self.turn_ends)
                self.loops.pop()
                self.add(ForOp(bounds[0], bounds[1], bounds[2], bounds[3:], Region(block)))
            case ["if", relation, a, b, then, other]:
                condition = self.flag(relation, a, b)
                regions: list[Region] = []
                for branch in (then, other):
                    if not branch and regions:
                        continue
                    with self.into(Block()) as block:
                        self.inner(branch, _yield)
                    regions.append(Region(block))
                self.add(IfOp(condition, (), regions[0], regions[1] if len(regions) > 1 else None))
            case ["continue"] if self.loops:
                self.add(self.turn_ends())
                return False
            case _:
                pass
        return True


def tensor(value: SSAValue) -> SSAValue[TensorType]:
    """A value as the tensor that it is."""
    return cast("SSAValue[TensorType]", value)


def _yield() -> YieldOp:
    return YieldOp()


def order_of(order: Node) -> OrderAttr:
    """`row`, `column`, or `("grouped", n)`."""
    return OrderAttr(OrderKind(order[0]), order[1]) if len(order) == 2 else OrderAttr(OrderKind(order))


def blocks_of(blocks: Node) -> BlocksAttr:
    """`each`, `persistent`, or `("persistent", n)`."""
    return BlocksAttr(BlocksKind(blocks[0]), blocks[1]) if len(blocks) == 2 else BlocksAttr(BlocksKind(blocks))
