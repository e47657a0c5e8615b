"""What benchmarks/agreement.py tries of memory, views, atomics, control flow and the grid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Region, SSAValue

from benchmarks.agreement_build import BLOCKS, ELEMENTS, FLOATS, IN_MEMORY, Build, Case, make, norm, signed
from freehold.dialects.cuda_tile.attrs import (
    SIGNED,
    AtomicRMWMode,
    BoundedAttr,
    ComparisonPredicateAttr,
    DivByAttr,
    IntegerOverflowAttr,
    MemoryOrderingSemanticsAttr,
    MemoryScopeAttr,
    PaddingValueAttr,
    RoundingModeAttr,
)
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.ops.atomics import AtomicCasTkoOp, AtomicRedViewTkoOp, AtomicRmwTkoOp
from freehold.dialects.cuda_tile.ops.control_flow import (
    AssertOp,
    BreakOp,
    ContinueOp,
    ForOp,
    IfOp,
    LoopOp,
    ReturnOp,
    YieldOp,
)
from freehold.dialects.cuda_tile.ops.conversion import IntToPtrOp, PtrToIntOp, PtrToPtrOp
from freehold.dialects.cuda_tile.ops.memory import (
    AllocaOp,
    GdcLaunchDependentsTkoOp,
    GdcWaitTkoOp,
    JoinTokensOp,
    LoadPtrTkoOp,
    MakeTokenOp,
    MemoryFenceAliasTkoOp,
    StorePtrTkoOp,
)
from freehold.dialects.cuda_tile.ops.misc import AssumeOp
from freehold.dialects.cuda_tile.ops.module import GetGlobalOp, GetNumTileBlocksOp, GetTileBlockIdOp, GlobalOp
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, IotaOp, OffsetOp, ReshapeOp
from freehold.dialects.cuda_tile.ops.views import (
    GetIndexSpaceShapeOp,
    GetTensorShapeOp,
    LoadViewTkoOp,
    MakeGatherScatterViewOp,
    MakePartitionViewOp,
    MakeStridedViewOp,
    MakeTensorViewOp,
    StoreViewTkoOp,
)
from freehold.dialects.cuda_tile.types import (
    DYNAMIC,
    GatherScatterViewType,
    PartitionViewType,
    PointerType,
    StridedViewType,
    TensorViewType,
    tile,
)

COUNT = 128
"""Elements a block, of accesses through pointers."""
TOTAL = BLOCKS * COUNT
RELAXED = MemoryOrderingSemanticsAttr.of("relaxed")
DEVICE = MemoryScopeAttr.of("device")
PLAIN = IntegerOverflowAttr.of("none")
EVEN = RoundingModeAttr.of("nearest_even")


def cases() -> Iterator[Case]:
    """All of them."""
    for element in IN_MEMORY:
        for op, write in _BY_ELEMENT.items():
            yield Case(op, element, partial(write, element=element))
    for element in ("i32", "i64"):
        for mode in AtomicRMWMode:
            if mode.value not in ("addf", "xchg"):
                yield Case(
                    "atomic_rmw_tko", f"{element} {mode.value}", partial(_update, element=element, mode=mode.value)
                )
                yield Case(
                    "atomic_red_view_tko", f"{element} {mode.value}", partial(_reduce, element=element, mode=mode.value)
                )
    for element in ("i32", "i64", "f32", "f64"):
        yield Case("atomic_rmw_tko", f"{element} xchg", partial(_update, element=element, mode="xchg"))
        yield Case("atomic_cas_tko", element, partial(_compare_and_swap, element=element))
    for element in FLOATS:
        yield Case("atomic_rmw_tko", f"{element} addf", partial(_update, element=element, mode="addf"))
        yield Case("atomic_red_view_tko", f"{element} addf", partial(_reduce, element=element, mode="addf"))
    for op, write in _OTHERS.items():
        yield Case(op, "", write)


# --- Through pointers -------------------------------------------------------------------------------------------------


def _places(k: Build) -> SSAValue:
    """The numbers of this block's elements."""
    first = k.op("muli", (k.place, k.constant("i32", COUNT)), overflow=PLAIN)
    return k.op("addi", (_filled(k, first, COUNT), k.add(IotaOp(tile((COUNT,), ELEMENTS["i32"])))), overflow=PLAIN)


def _filled(k: Build, scalar: SSAValue, count: int) -> SSAValue:
    return k.add(BroadcastOp(k.add(ReshapeOp(scalar, (1,))), (count,)))


def _pointers(k: Build, base: SSAValue, places: SSAValue) -> SSAValue:
    return k.add(OffsetOp(_filled(k, base, COUNT), places))


def _load(k: Build, element: str, domain: str, places: SSAValue) -> SSAValue:
    return k.add(LoadPtrTkoOp(_pointers(k, k.pointer(element, TOTAL, domain), places)))


def _load_pointers(k: Build, element: str) -> None:
    """In a random order, with a mask and padding."""
    places = _load(k, "i32", "permutation", _places(k))
    base = k.pointer(element, TOTAL, "any")
    k.output(k.add(LoadPtrTkoOp(_pointers(k, base, places))), "all")
    mask = k.input("i1", dims=(COUNT,))
    padding = k.input(element, dims=(COUNT,))
    k.output(k.add(LoadPtrTkoOp(_pointers(k, base, places), mask, padding)), "mask and padding")
    k.output(k.add(LoadPtrTkoOp(_pointers(k, base, places), None, None, None, RELAXED, DEVICE)), "relaxed, device")


def _store_pointers(k: Build, element: str) -> None:
    """In a random order; what the mask leaves out keeps what it held."""
    places = _load(k, "i32", "permutation", _places(k))
    x, mask = k.input(element, dims=(COUNT,)), k.input("i1", dims=(COUNT,))
    for variant, chosen in (("all", None), ("mask", mask)):
        base = k.pointer(element, TOTAL, "any", variant)
        k.do(StorePtrTkoOp(_pointers(k, base, places), x, chosen))
    base = k.pointer(element, TOTAL, "any", "relaxed, device")
    k.do(StorePtrTkoOp(_pointers(k, base, places), x, mask, None, RELAXED, DEVICE))


def _casts(k: Build, element: str) -> None:
    """An address as a number and back, and as one of bytes and back."""
    base = k.pointer(element, TOTAL, "any")
    pointers = _pointers(k, base, _places(k))
    numbers = k.add(PtrToIntOp(pointers, ELEMENTS["i64"]))
    k.output(k.add(LoadPtrTkoOp(k.add(IntToPtrOp(numbers, PointerType(ELEMENTS[element]))))), "int_to_ptr")
    as_bytes = k.add(PtrToPtrOp(pointers, PointerType(ELEMENTS["i8"])))
    k.output(k.add(LoadPtrTkoOp(k.add(PtrToPtrOp(as_bytes, PointerType(ELEMENTS[element]))))), "ptr_to_ptr")


# --- Through views ----------------------------------------------------------------------------------------------------

ROWS, COLUMNS = BLOCKS * 8 - 3, 13
"""Extents that tiles of 8 by 16 overhang."""


def _tensor(
    k: Build, element: str, dims: tuple[int, int] = (ROWS, COLUMNS), variant: str | None = None, dynamic: bool = False
) -> tuple[SSAValue, TensorViewType]:
    base = k.pointer(element, dims[0] * dims[1], "any", variant)
    if not dynamic:
        type_ = TensorViewType(ELEMENTS[element], dims, (dims[1], 1))
        return k.add(MakeTensorViewOp(base, type_)), type_
    type_ = TensorViewType(ELEMENTS[element], (DYNAMIC, DYNAMIC), (DYNAMIC, 1))
    rows, columns = (k.constant("i32", extent) for extent in dims)
    return k.add(MakeTensorViewOp(base, type_, (rows, columns), (columns,))), type_


def _paddings(element: str) -> Sequence[str]:
    if element not in FLOATS:
        return ("zero",)
    return ("zero", "neg_zero", "nan", "pos_inf", "neg_inf")


def _load_view(k: Build, element: str) -> None:
    """Tiles that overhang, in every padding; and with dimensions exchanged."""
    for dynamic in (False, True):
        tensor, type_ = _tensor(k, element, dynamic=dynamic)
        for padding in _paddings(element):
            view_type = PartitionViewType((8, 16), type_, None, PaddingValueAttr.of(padding))
            view = k.add(MakePartitionViewOp(tensor, view_type))
            found = k.add(LoadViewTkoOp(view, (k.place, k.constant("i32", 0))))
            k.output(found, f"{padding}{', run-time extents' if dynamic else ''}")
    zero = PaddingValueAttr.of("zero")
    exchanged = k.add(MakePartitionViewOp(tensor, PartitionViewType((16, 8), type_, (1, 0), zero)))
    k.output(k.add(LoadViewTkoOp(exchanged, (k.constant("i32", 0), k.place))), "dim_map")
    inside, inside_type = _tensor(k, element, (BLOCKS * 8, 16))
    whole = k.add(MakePartitionViewOp(inside, PartitionViewType((8, 16), inside_type)))
    k.output(k.add(LoadViewTkoOp(whole, (k.place, k.constant("i32", 0)), inbounds=(True, True))), "inbounds")


def _store_view(k: Build, element: str) -> None:
    """Tiles that overhang: nothing outside is written."""
    x = k.input(element)
    for dynamic in (False, True):
        variant = "run-time extents" if dynamic else "static extents"
        tensor, type_ = _tensor(k, element, variant=variant, dynamic=dynamic)
        view = k.add(MakePartitionViewOp(tensor, PartitionViewType((8, 16), type_)))
        k.do(StoreViewTkoOp(x, view, (k.place, k.constant("i32", 0))))
    tensor, type_ = _tensor(k, element, variant="dim_map")
    view = k.add(MakePartitionViewOp(tensor, PartitionViewType((16, 8), type_, (1, 0))))
    k.do(StoreViewTkoOp(k.add(ReshapeOp(x, (16, 8))), view, (k.constant("i32", 0), k.place)))


def _strided(k: Build, element: str) -> None:
    """Tiles of 4 rows every 6 rows, stored in their turn."""
    zero = PaddingValueAttr.of("zero")
    tensor, type_ = _tensor(k, element)
    view = k.add(MakeStridedViewOp(tensor, StridedViewType((8, 16), (6, 16), type_, None, zero)))
    x = k.add(LoadViewTkoOp(view, (k.place, k.constant("i32", 0))))
    k.output(x, "load")
    target, target_type = _tensor(k, element, (BLOCKS * 10, 16), "store")
    view = k.add(MakeStridedViewOp(target, StridedViewType((8, 16), (10, 16), target_type)))
    k.do(StoreViewTkoOp(x, view, (k.place, k.constant("i32", 0))))


def _gathered(k: Build, element: str) -> None:
    """Rows in a random order, from column 2 on; and stored to rows in that order."""
    zero = PaddingValueAttr.of("zero")
    rows = BLOCKS * 8
    tensor, type_ = _tensor(k, element, (rows, COLUMNS))
    order = k.input("i32", "permutation", (1, 8))
    picked = k.add(ReshapeOp(order, (8,)))
    view = k.add(MakeGatherScatterViewOp(tensor, GatherScatterViewType((8, 16), type_, 0, zero)))
    x = k.add(LoadViewTkoOp(view, (picked, k.constant("i32", 2))))
    k.output(x, "load")
    target, target_type = _tensor(k, element, (rows, 16), "store")
    view = k.add(MakeGatherScatterViewOp(target, GatherScatterViewType((8, 16), target_type, 0)))
    k.do(StoreViewTkoOp(x, view, (picked, k.constant("i32", 0))))


_BY_ELEMENT: dict[str, Callable[..., None]] = {
    "load_ptr_tko": _load_pointers,
    "store_ptr_tko": _store_pointers,
    "int_to_ptr, ptr_to_int, ptr_to_ptr, offset": _casts,
    "load_view_tko, make_partition_view": _load_view,
    "store_view_tko": _store_view,
    "make_strided_view": _strided,
    "make_gather_scatter_view": _gathered,
}


# --- Atomics ----------------------------------------------------------------------------------------------------------


def _numbers(element: str) -> str:
    """Floats whose sums are exact in every order."""
    return "whole:-8:8" if element in FLOATS else "any"


def _update(k: Build, element: str, mode: str) -> None:
    """Every element once, where the old value counts; then one element by all, where only the sum does."""
    x = k.input(element, _numbers(element), (COUNT,))
    base = k.pointer(element, TOTAL, _numbers(element), "memory")
    k.output(k.add(AtomicRmwTkoOp(_pointers(k, base, _places(k)), mode, x)), "old value")
    if mode != "xchg":
        shared = k.pointer(element, COUNT, _numbers(element), "contended")
        k.do(AtomicRmwTkoOp(_pointers(k, shared, k.add(IotaOp(tile((COUNT,), ELEMENTS["i32"])))), mode, x))
    mask = k.input("i1", dims=(COUNT,))
    masked = k.pointer(element, TOTAL, _numbers(element), "mask")
    k.do(AtomicRmwTkoOp(_pointers(k, masked, _places(k)), mode, x, mask))


def _compare_and_swap(k: Build, element: str) -> None:
    domain = "whole:0:2"
    expected, x = k.input(element, domain, (COUNT,)), k.input(element, "any", (COUNT,))
    base = k.pointer(element, TOTAL, domain, "memory")
    k.output(k.add(AtomicCasTkoOp(_pointers(k, base, _places(k)), expected, x)), "old value")
    mask = k.input("i1", dims=(COUNT,))
    masked = k.pointer(element, TOTAL, domain, "mask")
    k.output(k.add(AtomicCasTkoOp(_pointers(k, masked, _places(k)), expected, x, mask)), "mask, old value")


def _reduce(k: Build, element: str, mode: str) -> None:
    """Tiles that overhang, each by one block; and one tile by all."""
    x = k.input(element, _numbers(element))
    for variant, place in (("own tile", k.place), ("contended", k.constant("i32", 1))):
        base = k.pointer(element, ROWS * COLUMNS, _numbers(element), variant)
        type_ = TensorViewType(ELEMENTS[element], (ROWS, COLUMNS), (COLUMNS, 1))
        view = k.add(MakePartitionViewOp(k.add(MakeTensorViewOp(base, type_)), PartitionViewType((8, 16), type_)))
        k.do(AtomicRedViewTkoOp(view, (place, k.constant("i32", 0)), mode, x))


# --- Control flow, the grid, tokens -----------------------------------------------------------------------------------


def _region(types: Sequence[SSAValue], fill: Callable[[Block], None], first: Sequence[object] = ()) -> Region:
    block = Block(arg_types=(*first, *(value.type for value in types)))  # pyright: ignore[reportArgumentType] -- types of values
    fill(block)
    return Region(block)


def _for(k: Build) -> None:
    """Sums of a number of terms that differs from block to block, with and without any; bounds read unsigned, too."""
    for unsigned in (False, True):
        x = k.input("i32")
        start = k.constant("i32", 0) if unsigned else k.constant("i32", -2)

        def fill(block: Block) -> None:
            index, total = block.args
            wide = BroadcastOp((one := ReshapeOp(index, (1, 1))).results[0], (8, 16))
            more = make("addi", (total, wide.results[0]), total.type, overflow=PLAIN)
            again = make("muli", (more.results[0], more.results[0]), total.type, overflow=PLAIN)
            block.add_ops([one, wide, more, again, ContinueOp(again.results)])

        body = _region((x,), fill, (tile((), ELEMENTS["i32"]),))
        loop = k.do(ForOp(start, k.place, k.constant("i32", 3), (x,), body, unsigned))
        k.output(loop.results[0], "unsigned" if unsigned else "signed")


def _loop(k: Build) -> None:
    """Collatz steps until 1, with a break from within an if and a continue before the end."""
    one, two = k.constant("i32", 1), k.constant("i32", 2)
    start = k.op("addi", (k.place, one), overflow=PLAIN)
    count = k.constant("i32", 0)
    three = k.constant("i32", 3)

    def fill(block: Block) -> None:
        number, steps = block.args
        equal, less = (ComparisonPredicateAttr.of(name) for name in ("equal", "less_than"))
        bit = tile((), i1)
        done = make("cmpi", (number, one), bit, comparison_predicate=equal, signedness=SIGNED)
        stop = Block()
        stop.add_op(BreakOp((number, steps)))
        leave = IfOp(done.results[0], (), Region(stop), Region())
        more = make("addi", (steps, one), steps.type, overflow=PLAIN)
        rest = make("remi", (number, two), number.type, signedness=SIGNED)
        even = make("cmpi", (rest.results[0], one), bit, comparison_predicate=less, signedness=SIGNED)
        half = make("divi", (number, two), number.type, signedness=SIGNED, rounding=RoundingModeAttr.of("zero"))
        early = Block()
        early.add_ops([half, ContinueOp((half.results[0], more.results[0]))])
        skip = IfOp(even.results[0], (), Region(early), Region())
        triple = make("muli", (number, three), number.type, overflow=PLAIN)
        next_ = make("addi", (triple.results[0], one), number.type, overflow=PLAIN)
        block.add_ops([done, leave, more, rest, even, skip, triple, next_])
        block.add_op(ContinueOp((next_.results[0], more.results[0])))

    loop = k.do(LoopOp((start, count), (start.type, count.type), _region((start, count), fill)))
    k.output(loop.results[0], "number")
    k.output(loop.results[1], "steps")


def _if(k: Build) -> None:
    """Both sides, and a return from one."""
    x = k.input("f32")
    low = ComparisonPredicateAttr.of("less_than")
    few = k.op("cmpi", (k.place, k.constant("i32", 9)), tile((), i1), comparison_predicate=low, signedness=SIGNED)

    def side(name: str) -> Region:
        op = make(name, (x,), x.type)
        block = Block()
        block.add_ops([op, YieldOp(op.results)])
        return Region(block)

    k.output(k.add(IfOp(few, (x.type,), side("negf"), side("absf"))), "yield")
    leave = Block()
    leave.add_op(ReturnOp())
    untouched = k.pointer("f32", BLOCKS * 128, "poison", "return")
    view = k.partition(untouched, "f32", (8, 16))
    k.do(IfOp(few, (), Region(leave), Region()))
    k.do(StoreViewTkoOp(x, view, (k.place, k.constant("i32", 0))))


def _assert(k: Build) -> None:
    x = k.input("i32", "range:1:9")
    equal = ComparisonPredicateAttr.of("not_equal")
    zero = k.constant("i32", 0, (8, 16))
    fine = k.op("cmpi", (x, zero), tile((8, 16), i1), comparison_predicate=equal, signedness=SIGNED)
    k.do(AssertOp(fine, "never"))
    k.output(x)


def _grid(k: Build) -> None:
    for name, op in (("get_tile_block_id", GetTileBlockIdOp()), ("get_num_tile_blocks", GetNumTileBlocksOp())):
        for axis, result in enumerate(k.do(op).results):
            k.output(result, f"{name} {'xyz'[axis]}")


def _view_shapes(k: Build) -> None:
    for dynamic in (False, True):
        tensor, type_ = _tensor(k, "f32", dynamic=dynamic)
        note = ", run-time extents" if dynamic else ""
        for axis, result in enumerate(k.do(GetTensorShapeOp(tensor)).results):
            k.output(result, f"get_tensor_shape {axis}{note}")
        view = k.add(MakePartitionViewOp(tensor, PartitionViewType((8, 4), type_)))
        for axis, result in enumerate(k.do(GetIndexSpaceShapeOp(view)).results):
            k.output(result, f"get_index_space_shape {axis}{note}")


def _tokens(k: Build) -> None:
    """A store, a fence, and a load after them."""
    x = k.input("f32")
    view = k.partition(k.pointer("f32", BLOCKS * 128, "poison", "memory"), "f32", (8, 16))
    place = (k.place, k.constant("i32", 0))
    first = k.add(MakeTokenOp())
    stored = k.do(StoreViewTkoOp(x, view, place, first)).results[0]
    fenced = k.add(MemoryFenceAliasTkoOp(k.add(JoinTokensOp((first, stored)))))
    loaded = k.do(LoadViewTkoOp(view, place, fenced))
    k.output(loaded.results[0], "load after store")
    doubled = k.op("addf", (x, loaded.results[0]), rounding_mode=EVEN)
    k.do(StoreViewTkoOp(doubled, view, place, loaded.results[1]))


def _dependent(k: Build) -> None:
    token = k.add(GdcWaitTkoOp())
    view = k.partition(k.pointer("f32", BLOCKS * 128, "any"), "f32", (8, 16))
    loaded = k.do(LoadViewTkoOp(view, (k.place, k.constant("i32", 0)), token))
    k.do(GdcLaunchDependentsTkoOp(loaded.results[1]))
    k.output(loaded.results[0])


def _alloca(k: Build) -> None:
    """Stored in one order, loaded in another."""
    x = k.input("f32", dims=(COUNT,))
    base = k.add(AllocaOp(PointerType(ELEMENTS["f32"]), COUNT, 16))
    straight = k.add(IotaOp(tile((COUNT,), ELEMENTS["i32"])))
    stored = k.do(StorePtrTkoOp(_pointers(k, base, straight), x)).results[0]
    backwards = k.op("subi", (k.constant("i32", COUNT - 1, (COUNT,)), straight), overflow=PLAIN)
    k.output(k.add(LoadPtrTkoOp(_pointers(k, base, backwards), None, None, stored)))


def _global(k: Build) -> None:
    for constant in (False, True):
        name = f"{k.name}_{constant}"
        value = DenseElementsAttr.from_values(tile((COUNT,), ELEMENTS["f32"]), [n / 8 for n in range(COUNT)])
        k.globals.append(GlobalOp(name, value, 16, constant))
        base = k.add(GetGlobalOp(name, PointerType(ELEMENTS["f32"])))
        found = k.add(LoadPtrTkoOp(_pointers(k, base, k.add(IotaOp(tile((COUNT,), ELEMENTS["i32"]))))))
        k.output(found, "constant" if constant else "variable")


def _assume(k: Build) -> None:
    x = k.input("i32", "range:0:100")
    k.output(k.add(AssumeOp(x, BoundedAttr(0, 100))), "bounded")
    eight = k.op("muli", (x, k.constant("i32", 8, (8, 16))), overflow=PLAIN)
    k.output(k.add(AssumeOp(eight, DivByAttr(8))), "div_by")


def _mixed(k: Build) -> None:
    """Several operations that a compiler likes to join: products and sums, each rounded by itself."""
    x, y, z = (k.input("f32", "normal") for _ in range(3))
    product = k.op("mulf", (x, y), rounding_mode=EVEN)
    k.output(k.op("addf", (product, z), rounding_mode=EVEN), "mulf, addf: contracted or not", norm(2.0**-23))
    wide = k.op("mulhii", (k.input("i32"), k.input("i32")))
    k.output(k.op("shri", (wide, k.constant("i32", 3, (8, 16))), signedness=signed(False)), "mulhii, shri")


_OTHERS: dict[str, Callable[[Build], None]] = {
    "for": _for,
    "loop, break, continue": _loop,
    "if, yield, return": _if,
    "assert": _assert,
    "get_tile_block_id, get_num_tile_blocks": _grid,
    "get_tensor_shape, get_index_space_shape": _view_shapes,
    "make_token, join_tokens, memory_fence_alias_tko": _tokens,
    "gdc_wait_tko, gdc_launch_dependents_tko": _dependent,
    "alloca": _alloca,
    "global, get_global": _global,
    "assume": _assume,
    "several": _mixed,
}
