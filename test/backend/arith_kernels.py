"""How kernels for single operations are built, and those that compute; `op_kernels` adds the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from xdsl.dialects.builtin import (
    BFloat16Type,
    BoolAttr,
    DictionaryAttr,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    FloatAttr,
    FloatTF32Type,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from freehold.dialects.cuda_tile.attrs import (
    SIGNED,
    UNORDERED,
    UNSIGNED,
    ComparisonPredicate,
    IntegerOverflowAttr,
    OptimizationHintsAttr,
    PtrAttrAttr,
    RoundingModeAttr,
    SignednessAttr,
)
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.op import TileOp
from freehold.dialects.cuda_tile.ops import (
    arith_float,
    arith_int,
    control_flow,
    conversion,
    memory,
    mma,
    reduce,
    shape,
    views,
)
from freehold.dialects.cuda_tile.ops.module import (
    EntryOp,
    GlobalOp,
    TileModuleOp,
)
from freehold.dialects.cuda_tile.types import (
    DYNAMIC,
    PartitionViewType,
    PointerType,
    TensorViewType,
    TileType,
    TileViewType,
    fnv8E5M3FNU,
    tile,
)

I4 = IntegerType(4)
F8, F8E5, E8M0, F4, TF32 = (
    Float8E4M3FNType(),
    Float8E5M2Type(),
    Float8E8M0FNUType(),
    Float4E2M1FNType(),
    FloatTF32Type(),
)
ROUNDINGS = ("nearest_even", "zero", "negative_inf", "positive_inf")
HINTS = OptimizationHintsAttr(
    {
        "default": DictionaryAttr({"latency": IntegerAttr(3, i32)}),
        "sm_100": DictionaryAttr({"allow_tma": BoolAttr.from_bool(False), "latency": IntegerAttr(2, i32)}),
    }
)


def overflow(name: str) -> IntegerOverflowAttr:
    """The overflow attribute with this keyword."""
    return IntegerOverflowAttr.of(name)


def rounding(name: str) -> RoundingModeAttr:
    """The rounding attribute with this keyword."""
    return RoundingModeAttr.of(name)


class Kernel:
    """A kernel under construction: a block, and values of the types that operations need."""

    def __init__(self, module: list[GlobalOp], block: Block | None = None):
        self.globals = module
        pointer = tile((), PointerType(f32))
        self.block = block or Block(arg_types=(pointer, tile((), i32), tile((), PointerType(i32))))
        self.address, self.number = self.block.args[0], self.block.args[1] if len(self.block.args) > 1 else None

    def add(self, op: Operation) -> SSAValue:
        """Appends an operation; its first result."""
        self.block.add_op(op)
        return op.results[0]

    def do(self, op: Operation) -> None:
        """Appends an operation without results, or whose results are of no interest."""
        self.block.add_op(op)

    def tile(self, dims: Sequence[int], element: Attribute, value: float = 1) -> SSAValue:
        """A constant tile."""
        return self.add(shape.ConstantOp.splat(tile(tuple(dims), element), value))

    def floats(self) -> SSAValue:
        """Four floats."""
        return self.tile((4,), f32, 1.5)

    def ints(self) -> SSAValue:
        """Four integers."""
        return self.tile((4,), i32, -3)

    def zero(self) -> SSAValue:
        """An index."""
        return self.tile((), i32, 0)

    def token(self) -> SSAValue:
        """A token."""
        return self.add(memory.MakeTokenOp())

    def pointers(self, element: Attribute = f32, dims: tuple[int, ...] = (4,)) -> SSAValue:
        """Addresses, one an element."""
        address = self.address
        if element != f32:
            address = self.add(conversion.PtrToPtrOp(address, PointerType(element)))
        address = self.add(shape.ReshapeOp(address, (1,) * len(dims)))
        address = self.add(shape.BroadcastOp(address, dims))
        return self.add(shape.OffsetOp(address, self.tile(dims, i32, 1)))

    def tensor(self, element: Attribute = f32, attribute: PtrAttrAttr | None = None) -> SSAValue:
        """A tensor view of rank 2 with a run-time extent."""
        address = self.address
        if element != f32 or attribute is not None:
            address = self.add(conversion.PtrToPtrOp(address, PointerType(element)))
        if attribute is not None:
            number = self.add(conversion.PtrToIntOp(address, i64))
            address = self.add(conversion.IntToPtrOp(number, PointerType(element, attribute)))
        type_ = TensorViewType(element, (DYNAMIC, 16), (DYNAMIC, 1), attribute)
        assert self.number is not None
        return self.add(views.MakeTensorViewOp(address, type_, (self.number,), (self.number,)))

    def view(self, element: Attribute = f32, attribute: PtrAttrAttr | None = None) -> SSAValue:
        """A partition view with tiles of 4 by 2."""
        tensor = self.tensor(element, attribute)
        type_ = tensor.type
        assert isinstance(type_, TensorViewType)
        return self.add(views.MakePartitionViewOp(tensor, PartitionViewType((4, 2), type_)))

    def made(self, make: Callable[[SSAValue, TileViewType], TileOp], type_: Callable[[TensorViewType], TileViewType]):
        """A view that `make` makes of a tensor view."""
        tensor = self.tensor()
        assert isinstance(tensor.type, TensorViewType)
        return self.add(make(tensor, type_(tensor.type)))


Build: TypeAlias = Callable[[Kernel], object]


@dataclass(frozen=True)
class Sample:
    """A kernel that holds one operation in one form."""

    mnemonic: str
    number: int
    build: Build
    arch: str = "sm_100"
    """An architecture that has it."""

    @property
    def name(self) -> str:
        """The kernel's name."""
        return f"{self.mnemonic}_{self.number}"


SAMPLES: list[Sample] = []


def sample(op: type[TileOp], *builds: Build, arch: str = "sm_100") -> None:
    """Lists kernels for an operation."""
    count = sum(known.mnemonic == op.short_name() for known in SAMPLES)
    SAMPLES.extend(Sample(op.short_name(), count + number, build, arch) for number, build in enumerate(builds))


INTS, FLOATS = tile((4,), i32), tile((4,), f32)


def on(op: Callable[[SSAValue], Operation], type_: TileType) -> Build:
    """A kernel that applies an operation to a tile of this type."""
    return lambda kernel: kernel.add(op(kernel.tile(type_.dims, type_.element_type)))


def on_floats(op: Callable[[SSAValue], Operation]) -> Build:
    """A kernel that applies an operation to floats."""
    return on(op, FLOATS)


def on_pairs(op: Callable[[SSAValue, SSAValue], Operation], type_: TileType = FLOATS) -> Build:
    """A kernel that applies an operation to two tiles of this type."""

    def build(kernel: Kernel) -> None:
        first, second = (kernel.tile(type_.dims, type_.element_type, value) for value in (3, 2))
        kernel.do(op(first, second))

    return build


def constant(type_: TileType) -> Build:
    """A kernel that makes a constant."""
    return lambda kernel: kernel.tile(type_.dims, type_.element_type)


def region(types: Sequence[Attribute], fill: Callable[[Block], None]) -> Region:
    """A region of one block."""
    block = Block(arg_types=tuple(types))
    fill(block)
    return Region(block)


def closing(op: Operation) -> Region:
    """A region that only ends."""
    return region((), lambda block: block.add_op(op))


def module_of(samples: Sequence[Sample]) -> ModuleOp:
    """A module with the kernels of these samples."""
    globals_: list[GlobalOp] = []
    entries: list[EntryOp] = []
    for part in samples:
        kernel = Kernel(globals_)
        part.build(kernel)
        if not isinstance(kernel.block.last_op, control_flow.ReturnOp):
            kernel.do(control_flow.ReturnOp())
        entries.append(EntryOp(part.name, tuple(kernel.block.arg_types), Region(kernel.block)))
    return ModuleOp([TileModuleOp("kernels", [*globals_, *entries])])


# --- Floats
for unary in (
    arith_float.AbsFOp, arith_float.CeilOp, arith_float.CosOp, arith_float.CoshOp, arith_float.FloorOp,
    arith_float.LogOp, arith_float.Log2Op, arith_float.NegFOp, arith_float.SinOp, arith_float.SinhOp, arith_float.TanOp,
):  # fmt: skip
    sample(unary, on_floats(unary), on(unary, tile((2, 2), bf16)))
for either in (arith_float.ExpOp, arith_float.TanhOp):
    sample(
        either,
        on_floats(either),
        on_floats(partial(either, rounding_mode=rounding("approx"))),
    )
for flushing in (arith_float.Exp2Op, arith_float.RsqrtOp):
    sample(flushing, on_floats(flushing), on_floats(partial(flushing, flush_to_zero=True)))
sample(
    arith_float.SqrtOp,
    *(on_floats(partial(arith_float.SqrtOp, rounding_mode=rounding(mode))) for mode in (*ROUNDINGS, "approx")),
    lambda k: k.add(arith_float.SqrtOp(k.floats(), flush_to_zero=True)),
)
for binary in (arith_float.AddFOp, arith_float.SubFOp, arith_float.MulFOp, arith_float.DivFOp):
    sample(
        binary,
        *(on_pairs(partial(binary, rounding_mode=rounding(mode))) for mode in ROUNDINGS),
        on_pairs(partial(binary, flush_to_zero=True)),
        on_pairs(binary, tile((), f64)),
    )
sample(
    arith_float.FmaOp,
    lambda k: k.add(arith_float.FmaOp(k.floats(), k.floats(), k.floats())),
    lambda k: k.add(arith_float.FmaOp(k.floats(), k.floats(), k.floats(), rounding("zero"), True)),
)
for extremum in (arith_float.MaxFOp, arith_float.MinFOp):
    sample(
        extremum,
        on_pairs(extremum),
        on_pairs(partial(extremum, propagate_nan=True)),
        on_pairs(partial(extremum, propagate_nan=True, flush_to_zero=True)),
    )
for pair in (arith_float.RemFOp, arith_float.FPowFOp, arith_float.Atan2Op):
    sample(pair, on_pairs(pair))
sample(arith_float.FPowIOp, lambda k: k.add(arith_float.FPowIOp(k.floats(), k.ints())))
sample(
    arith_float.CmpFOp,
    *(on_pairs(partial(arith_float.CmpFOp, each.value)) for each in ComparisonPredicate),
    lambda k: k.add(arith_float.CmpFOp("equal", k.floats(), k.floats(), UNORDERED)),
)

# --- Integers
sample(arith_int.AbsIOp, lambda k: k.add(arith_int.AbsIOp(k.ints())))
OVERFLOWS = ("none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap")
for wrapping in (arith_int.AddIOp, arith_int.SubIOp, arith_int.MulIOp, arith_int.ShlIOp):
    sample(
        wrapping,
        *(on_pairs(partial(wrapping, overflow=overflow(mode)), INTS) for mode in OVERFLOWS),
    )
sample(
    arith_int.NegIOp,
    lambda k: k.add(arith_int.NegIOp(k.ints())),
    lambda k: k.add(arith_int.NegIOp(k.ints(), overflow("no_signed_wrap"))),
)
for bitwise in (arith_int.AndIOp, arith_int.OrIOp, arith_int.XOrIOp, arith_int.MulhiIOp):
    sample(bitwise, on_pairs(bitwise, INTS))
for signed in (arith_int.MaxIOp, arith_int.MinIOp, arith_int.RemIOp, arith_int.ShrIOp):
    sample(
        signed,
        *(on_pairs(partial(signed, signedness=sign), INTS) for sign in (SIGNED, UNSIGNED)),
    )
sample(
    arith_int.DivIOp,
    lambda k: k.add(arith_int.DivIOp(k.ints(), k.ints(), SIGNED)),
    lambda k: k.add(arith_int.DivIOp(k.ints(), k.ints(), UNSIGNED, rounding("positive_inf"))),
    lambda k: k.add(arith_int.DivIOp(k.ints(), k.ints(), SIGNED, rounding("negative_inf"))),
)
sample(
    arith_int.CmpIOp,
    *(on_pairs(partial(arith_int.CmpIOp, each.value, signedness=SIGNED), INTS) for each in ComparisonPredicate),
    lambda k: k.add(arith_int.CmpIOp("less_than", k.ints(), k.ints(), UNSIGNED)),
)

# --- Conversions
sample(conversion.BitcastOp, lambda k: k.add(conversion.BitcastOp(k.ints(), f32)))
sample(
    conversion.ExtIOp,
    lambda k: k.add(conversion.ExtIOp(k.ints(), i64, SIGNED)),
    lambda k: k.add(conversion.ExtIOp(k.add(conversion.TruncIOp(k.ints(), I4)), i8, UNSIGNED)),
)
sample(
    conversion.TruncIOp,
    *(on(partial(conversion.TruncIOp, element=i8, overflow=overflow(mode)), INTS) for mode in OVERFLOWS),
    lambda k: k.add(conversion.TruncIOp(k.ints(), I4)),
)
sample(
    conversion.FToFOp,
    lambda k: k.add(conversion.FToFOp(k.floats(), f16)),
    lambda k: k.add(conversion.FToFOp(k.floats(), F8)),
    lambda k: k.add(conversion.FToFOp(k.floats(), F4)),
    lambda k: k.add(conversion.FToFOp(k.floats(), E8M0, rounding("zero"))),
    lambda k: k.add(conversion.FToFOp(k.floats(), TF32)),
    lambda k: k.add(conversion.FToFOp(k.floats(), TF32, rounding("nearest_away"))),
)
sample(conversion.FToFOp, lambda k: k.add(conversion.FToFOp(k.floats(), fnv8E5M3FNU)), arch="sm_107")
sample(
    conversion.FToIOp,
    lambda k: k.add(conversion.FToIOp(k.floats(), i32, SIGNED)),
    lambda k: k.add(conversion.FToIOp(k.floats(), i8, UNSIGNED)),
    lambda k: k.add(conversion.FToIOp(k.floats(), i32, SIGNED, saturating=True)),
)
sample(
    conversion.IToFOp,
    lambda k: k.add(conversion.IToFOp(k.ints(), f32, SIGNED)),
    lambda k: k.add(conversion.IToFOp(k.ints(), f64, UNSIGNED)),
)
sample(conversion.PtrToIntOp, lambda k: k.add(conversion.PtrToIntOp(k.pointers(), i64)))
sample(conversion.PtrToPtrOp, lambda k: k.add(conversion.PtrToPtrOp(k.pointers(), PointerType(i32))))
sample(
    conversion.IntToPtrOp,
    lambda k: k.add(conversion.IntToPtrOp(k.tile((4,), i64, 5), PointerType(f32))),
    lambda k: k.add(conversion.IntToPtrOp(k.tile((4,), i64, 5), PointerType(f32, PtrAttrAttr.of("none")))),
    lambda k: k.add(conversion.IntToPtrOp(k.tile((4,), i64, 5), PointerType(f32, PtrAttrAttr.of("unicast")))),
)

# --- Shapes and constants
sample(
    shape.ConstantOp,
    *(
        constant(tile((4,), element))
        for element in (i1, i8, i16, i32, i64, f16, BFloat16Type(), f32, TF32, f64, F8, F8E5, E8M0, F4)
    ),
    lambda k: k.add(shape.ConstantOp(DenseElementsAttr.from_values(tile((2, 2), f32), [0.0, -0.0, 1.5, float("inf")]))),
    lambda k: k.add(shape.ConstantOp(DenseElementsAttr.from_values(tile((4,), i64), [1, -2, 3, -(1 << 63)]))),
    lambda k: k.add(shape.ConstantOp(DenseElementsAttr.from_values(tile((4,), i1), [1, 0, 0, 1]))),
    lambda k: k.add(shape.ConstantOp(DenseElementsAttr.from_values(tile((4,), F4), [0.5, 1.0, -2.0, 6.0]))),
    lambda k: k.add(shape.ConstantOp(DenseElementsAttr.from_values(tile((256,), i16), range(256)))),
    lambda k: k.add(shape.ConstantOp(DenseElementsAttr.from_values(tile((2,), f32), [float("nan"), 1.0]))),
    lambda k: k.tile((), i1, 1),
)
sample(shape.ConstantOp, lambda k: k.tile((4,), fnv8E5M3FNU, 1), arch="sm_107")
sample(shape.IotaOp, lambda k: k.add(shape.IotaOp(tile((4,), i32))), lambda k: k.add(shape.IotaOp(tile((256,), i8))))
sample(shape.ReshapeOp, lambda k: k.add(shape.ReshapeOp(k.floats(), (2, 1, 2))))
sample(shape.BroadcastOp, lambda k: k.add(shape.BroadcastOp(k.tile((1, 4), f32), (8, 4))))
sample(
    shape.PermuteOp,
    lambda k: k.add(shape.PermuteOp(k.tile((2, 4), f32), (1, 0))),
    lambda k: k.add(shape.PermuteOp(k.tile((2, 4, 8), f32), (2, 0, 1))),
)
sample(shape.CatOp, lambda k: k.add(shape.CatOp(k.tile((2, 4), f32), k.tile((2, 4), f32), 1)))
sample(shape.ExtractOp, lambda k: k.add(shape.ExtractOp(k.tile((4, 4), f32), (k.zero(), k.zero()), (2, 4))))
sample(
    shape.InsertOp,
    lambda k: k.add(shape.InsertOp(k.tile((2, 2), f32), k.tile((4, 4), f32), (k.zero(), k.zero()))),
    lambda k: k.add(shape.InsertOp(k.tile((), f32), k.tile((), f32), ())),
)
sample(shape.SelectOp, lambda k: k.add(shape.SelectOp(k.tile((4,), i1), k.floats(), k.floats())))
sample(shape.OffsetOp, lambda k: k.pointers(), lambda k: k.pointers(f16, (2, 2)))
sample(shape.PackOp, lambda k: k.add(shape.PackOp(k.floats(), tile((16,), i8))))
sample(shape.UnpackOp, lambda k: k.add(shape.UnpackOp(k.tile((16,), i8), tile((4,), f32))))


# --- Matrices
def product(element: Attribute, acc: Attribute) -> Build:
    """A kernel with a product of floats."""

    def build(k: Kernel) -> None:
        k.do(mma.MmaFOp(k.tile((16, 8), element), k.tile((8, 16), element), k.tile((16, 16), acc, 0)))

    return build


def integer_product(lhs: SignednessAttr, rhs: SignednessAttr) -> Build:
    """A kernel with a product of integers."""

    def build(k: Kernel) -> None:
        k.do(mma.MmaIOp(k.tile((16, 32), i8), k.tile((32, 16), i8), k.tile((16, 16), i32), lhs, rhs))

    return build


sample(
    mma.MmaFOp,
    *(
        product(a, acc)
        for a, acc in ((f16, f16), (f16, f32), (bf16, f32), (TF32, f32), (f32, f32), (f64, f64), (F8, f32), (F8E5, f16))
    ),
    lambda k: k.add(mma.MmaFOp(k.tile((2, 16, 8), F8), k.tile((2, 8, 16), F8), k.tile((2, 16, 16), f32, 0), True)),
)
sample(
    mma.MmaIOp,
    *(integer_product(a, b) for a, b in ((SIGNED, SIGNED), (UNSIGNED, SIGNED))),
)


def scaled(k: Kernel, element: Attribute, scale: Attribute, block: int) -> None:
    """A block-scaled product."""
    sides = k.tile((128, 64), element), k.tile((64, 128), element), k.tile((128, 128), f32, 0)
    k.do(mma.MmaFScaledOp(*sides, k.tile((128, 64 // block), scale), k.tile((64 // block, 128), scale)))


sample(mma.MmaFScaledOp, lambda k: scaled(k, F8, E8M0, 32), lambda k: scaled(k, F4, F8, 16))
sample(mma.MmaFScaledOp, lambda k: scaled(k, F4, fnv8E5M3FNU, 16), arch="sm_107")


# --- Reductions
def combine(types: Sequence[Attribute], op: Callable[[SSAValue, SSAValue], Operation]) -> Region:
    """A combiner of one operand."""

    def fill(block: Block) -> None:
        total = op(block.args[0], block.args[1])
        block.add_ops([total, control_flow.YieldOp(total.results)])

    return region(types, fill)


def argmax(k: Kernel) -> Operation:
    """A reduction of two operands at once."""
    kinds = [tile((), f32), tile((), f32), tile((), i32), tile((), i32)]

    def fill(block: Block) -> None:
        a, b, i, j = block.args
        larger = arith_float.CmpFOp("greater_than", a, b)
        value, index = (shape.SelectOp(larger.results[0], *pair) for pair in ((a, b), (i, j)))
        block.add_ops([larger, value, index, control_flow.YieldOp((*value.results, *index.results))])

    identities = [FloatAttr(float("-inf"), f32), IntegerAttr(-1, i32)]
    return reduce.ReduceOp((k.tile((2, 4), f32), k.tile((2, 4), i32)), 1, identities, region(kinds, fill))


def running_sum(backwards: bool) -> Build:
    """A kernel with a scan."""

    def build(k: Kernel) -> None:
        body = combine(F32S, arith_float.AddFOp)
        k.do(reduce.ScanOp((k.tile((2, 4), f32),), 1, [FloatAttr(0.0, f32)], backwards, body))

    return build


F32S, I32S = [tile((), f32)] * 2, [tile((), i32)] * 2
sample(
    reduce.ReduceOp,
    lambda k: k.add(
        reduce.ReduceOp(
            (k.tile((4,), f64),), 0, [FloatAttr(-0.5, f64)], combine([tile((), f64)] * 2, arith_float.MulFOp)
        )
    ),
    lambda k: k.add(
        reduce.ReduceOp((k.tile((4,), i1),), 0, [IntegerAttr(1, i1)], combine([tile((), i1)] * 2, arith_int.AndIOp))
    ),
    lambda k: k.add(
        reduce.ReduceOp(
            (k.tile((4,), i64),), 0, [IntegerAttr(-(1 << 63), i64)], combine([tile((), i64)] * 2, arith_int.OrIOp)
        )
    ),
    lambda k: k.add(reduce.ReduceOp((k.floats(),), 0, [FloatAttr(-0.0, f32)], combine(F32S, arith_float.AddFOp))),
    lambda k: k.add(reduce.ReduceOp((k.tile((2, 4), i32),), 1, [IntegerAttr(0, i32)], combine(I32S, arith_int.AddIOp))),
    lambda k: k.do(argmax(k)),
    lambda k: k.add(
        reduce.ReduceOp(
            (k.tile((4,), f64),), 0, [FloatAttr(float("-inf"), f64)], combine([tile((), f64)] * 2, arith_float.AddFOp)
        )
    ),
)
sample(
    reduce.ScanOp,
    *(running_sum(back) for back in (False, True)),
)


# --- Control flow
def counted(k: Kernel, unsigned: bool) -> None:
    """A loop that carries two values."""

    def fill(block: Block) -> None:
        total = arith_float.AddFOp(block.args[1], block.args[1])
        block.add_ops([total, control_flow.ContinueOp((total.results[0], block.args[2]))])

    first, count = k.floats(), k.tile((), i32, 7)
    body = region((tile((), i32), first.type, count.type), fill)
    assert k.number is not None
    loop = control_flow.ForOp(k.zero(), k.number, k.tile((), i32, 1), (first, count), body, unsigned)
    k.do(loop)
    k.do(arith_float.AbsFOp(loop.results[0]))


sample(
    control_flow.ForOp,
    lambda k: k.do(
        control_flow.ForOp(
            k.zero(), k.zero(), k.zero(), (), region((tile((), i32),), lambda b: b.add_op(control_flow.ContinueOp()))
        )
    ),
    lambda k: counted(k, False),
    lambda k: counted(k, True),
)
sample(control_flow.ContinueOp, lambda k: counted(k, False))


def endless(k: Kernel) -> None:
    """A loop with a break inside an if."""

    def fill(block: Block) -> None:
        inner = Kernel(k.globals, block)
        block.add_op(limit := shape.ConstantOp.scalar(9, i32))
        block.add_op(more := arith_int.AddIOp(block.args[0], limit.results[0]))
        block.add_op(done := arith_int.CmpIOp("greater_than", more.results[0], limit.results[0], SIGNED))
        block.add_op(control_flow.IfOp(done.results[0], (), closing(control_flow.BreakOp(more.results)), Region()))
        inner.do(control_flow.ContinueOp(more.results))

    start = k.zero()
    k.do(control_flow.LoopOp((start,), (tile((), i32),), region((tile((), i32),), fill)))


def leaving(k: Kernel) -> None:
    """A return out of a loop."""
    k.do(control_flow.LoopOp((), (), region((), lambda b: b.add_ops([control_flow.ReturnOp()]))))


sample(control_flow.LoopOp, endless, lambda k: k.do(control_flow.LoopOp((), (), closing(control_flow.BreakOp()))))
sample(control_flow.BreakOp, endless)
sample(control_flow.ReturnOp, lambda k: k.do(control_flow.ReturnOp()))


def chosen(k: Kernel) -> None:
    """An if with results."""

    def side(value: float) -> Region:
        def fill(block: Block) -> None:
            block.add_op(constant := shape.ConstantOp.scalar(value, f32))
            block.add_op(control_flow.YieldOp(constant.results))

        return region((), fill)

    condition = k.tile((), i1, 1)
    result = k.add(control_flow.IfOp(condition, (tile((), f32),), side(1.0), side(2.0)))
    k.do(arith_float.NegFOp(result))


sample(
    control_flow.IfOp,
    chosen,
    lambda k: k.do(control_flow.IfOp(k.tile((), i1), (), closing(control_flow.YieldOp()), Region())),
    lambda k: k.do(
        control_flow.IfOp(k.tile((), i1), (), closing(control_flow.YieldOp()), closing(control_flow.YieldOp()))
    ),
)
sample(control_flow.YieldOp, chosen)
sample(control_flow.AssertOp, lambda k: k.do(control_flow.AssertOp(k.tile((4,), i1), 'a "b" \\ \n é')))
