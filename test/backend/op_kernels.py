"""A small kernel for every operation of Tile IR, in each of its forms: what the bytecode tests write and read."""

from __future__ import annotations

from functools import partial

from arith_kernels import HINTS, INTS, SAMPLES, Build, Kernel, Sample, module_of, on, sample
from xdsl.dialects.builtin import (
    bf16,
    f32,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from freehold.dialects.cuda_tile.attrs import (
    AtomicRMWMode,
    BoundedAttr,
    DivByAttr,
    MemoryOrderingSemanticsAttr,
    MemoryScopeAttr,
    MultimemReductionKind,
    MultimemReductionKindAttr,
    PaddingValueAttr,
    PtrAttrAttr,
    SameElementsAttr,
    SymbolVisibilityAttr,
)
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.ops import (
    atomics,
    memory,
    misc,
    views,
)
from freehold.dialects.cuda_tile.ops.module import (
    GetGlobalOp,
    GetNumTileBlocksOp,
    GetTileBlockIdOp,
    GlobalOp,
)
from freehold.dialects.cuda_tile.types import (
    GatherScatterViewType,
    PartitionViewType,
    PointerType,
    StridedViewType,
    TensorViewType,
    tile,
)

__all__ = ["SAMPLES", "Kernel", "Sample", "module_of"]

# --- Views and memory
sample(
    views.MakeTensorViewOp,
    lambda k: k.tensor(),
    lambda k: k.add(views.MakeTensorViewOp(k.address, TensorViewType(f32, (8, 16), (16, 1)))),
    lambda k: k.add(views.MakeTensorViewOp(k.address, TensorViewType(f32, (), ()))),
    lambda k: k.tensor(attribute=PtrAttrAttr.of("multicast")),
)


def padded(value: str) -> Build:
    """A kernel with a view that pads."""
    return lambda k: k.made(
        views.MakePartitionViewOp, lambda t: PartitionViewType((4, 2), t, (1, 0), PaddingValueAttr.of(value))
    )


sample(
    views.MakePartitionViewOp,
    lambda k: k.view(),
    *(padded(padding) for padding in ("zero", "neg_zero", "nan", "pos_inf", "neg_inf")),
)
sample(
    views.MakeStridedViewOp,
    lambda k: k.made(views.MakeStridedViewOp, lambda t: StridedViewType((4, 2), (2, 3), t)),
    lambda k: k.made(
        views.MakeStridedViewOp, lambda t: StridedViewType((4, 2), (2, 3), t, (1, 0), PaddingValueAttr.of("nan"))
    ),
)
sample(
    views.MakeGatherScatterViewOp,
    lambda k: k.made(views.MakeGatherScatterViewOp, lambda t: GatherScatterViewType((4, 2), t, 0)),
    lambda k: k.made(
        views.MakeGatherScatterViewOp,
        lambda t: GatherScatterViewType((4, 2), t, 1, PaddingValueAttr.of("pos_inf")),
    ),
)
sample(views.GetTensorShapeOp, lambda k: k.do(views.GetTensorShapeOp(k.tensor())))
sample(views.GetIndexSpaceShapeOp, lambda k: k.do(views.GetIndexSpaceShapeOp(k.view(), tile((), i64))))
RELAXED, ACQUIRE, RELEASE = (MemoryOrderingSemanticsAttr.of(name) for name in ("relaxed", "acquire", "release"))
DEVICE, BLOCK, SYSTEM = (MemoryScopeAttr.of(name) for name in ("device", "tl_blk", "sys"))


def gathered(k: Kernel) -> None:
    """A load of slices that a tile of indices picks."""
    view = k.made(views.MakeGatherScatterViewOp, lambda t: GatherScatterViewType((4, 2), t, 0))
    k.do(views.LoadViewTkoOp(view, (k.ints(), k.zero())))


sample(
    views.LoadViewTkoOp,
    lambda k: k.do(views.LoadViewTkoOp(k.view(), (k.zero(), k.zero()))),
    lambda k: k.do(views.LoadViewTkoOp(k.view(), (k.zero(), k.zero()), k.token(), ACQUIRE, DEVICE, HINTS)),
    lambda k: k.do(views.LoadViewTkoOp(k.view(), (k.zero(), k.zero()), k.token(), inbounds=(True, False))),
    lambda k: k.do(views.LoadViewTkoOp(k.view(bf16), (k.zero(), k.zero()), None, hints=HINTS)),
    gathered,
)
sample(
    views.StoreViewTkoOp,
    lambda k: k.do(views.StoreViewTkoOp(k.tile((4, 2), f32), k.view(), (k.zero(), k.zero()))),
    lambda k: k.do(
        views.StoreViewTkoOp(k.tile((4, 2), f32), k.view(), (k.zero(), k.zero()), k.token(), RELEASE, SYSTEM, HINTS)
    ),
    lambda k: k.do(views.StoreViewTkoOp(k.tile((4, 2), f32), k.view(), (k.zero(), k.zero()), inbounds=(True, True))),
)
sample(
    memory.LoadPtrTkoOp,
    lambda k: k.do(memory.LoadPtrTkoOp(k.pointers())),
    lambda k: k.do(memory.LoadPtrTkoOp(k.pointers(), k.tile((4,), i1))),
    lambda k: k.do(memory.LoadPtrTkoOp(k.pointers(), k.tile((4,), i1), k.floats(), k.token(), RELAXED, DEVICE, HINTS)),
)
sample(
    memory.StorePtrTkoOp,
    lambda k: k.do(memory.StorePtrTkoOp(k.pointers(), k.floats())),
    lambda k: k.do(memory.StorePtrTkoOp(k.pointers(), k.floats(), k.tile((4,), i1), k.token(), RELAXED, DEVICE, HINTS)),
)
sample(memory.MakeTokenOp, lambda k: k.token())
sample(memory.JoinTokensOp, lambda k: k.add(memory.JoinTokensOp((k.token(), k.token(), k.token()))))
sample(
    memory.AllocaOp,
    lambda k: k.add(memory.AllocaOp(PointerType(f32), 16, 16)),
    lambda k: k.add(memory.AllocaOp(PointerType(i8), 64, 4, True)),
)
sample(
    memory.GdcLaunchDependentsTkoOp,
    lambda k: k.do(memory.GdcLaunchDependentsTkoOp()),
    lambda k: k.do(memory.GdcLaunchDependentsTkoOp(k.token())),
)
sample(
    memory.GdcWaitTkoOp,
    lambda k: k.do(memory.GdcWaitTkoOp()),
    lambda k: k.do(memory.GdcWaitTkoOp(k.token())),
)
sample(memory.MemoryFenceAliasTkoOp, lambda k: k.do(memory.MemoryFenceAliasTkoOp(k.token())))

# --- Atomics
sample(
    atomics.AtomicCasTkoOp,
    lambda k: k.do(atomics.AtomicCasTkoOp(k.pointers(i32), k.ints(), k.ints())),
    lambda k: k.do(
        atomics.AtomicCasTkoOp(
            k.pointers(i32),
            k.ints(),
            k.ints(),
            k.tile((4,), i1),
            k.token(),
            MemoryOrderingSemanticsAttr.of("acq_rel"),
            SYSTEM,
        )
    ),
)


def update(mode: str) -> Build:
    """A kernel with an atomic update of integers."""
    return lambda k: k.do(atomics.AtomicRmwTkoOp(k.pointers(i32), mode, k.ints()))


INTEGER_MODES = [mode.value for mode in AtomicRMWMode if mode.value != "addf"]
sample(
    atomics.AtomicRmwTkoOp,
    *(update(mode) for mode in INTEGER_MODES),
    lambda k: k.do(
        atomics.AtomicRmwTkoOp(k.pointers(), "addf", k.floats(), k.tile((4,), i1), k.token(), ACQUIRE, BLOCK)
    ),
)
sample(
    atomics.AtomicRedViewTkoOp,
    lambda k: k.do(atomics.AtomicRedViewTkoOp(k.view(), (k.zero(), k.zero()), "addf", k.tile((4, 2), f32))),
    lambda k: k.do(
        atomics.AtomicRedViewTkoOp(k.view(i32), (k.zero(), k.zero()), "umax", k.tile((4, 2), i32), k.token(), BLOCK)
    ),
    lambda k: k.do(
        atomics.AtomicRedViewTkoOp(
            k.view(), (k.zero(), k.zero()), "addf", k.tile((4, 2), f32), k.token(), inbounds=(True, False)
        )
    ),
)


def multicast(k: Kernel, element: Attribute = f32) -> SSAValue:
    """A view of memory that several devices share."""
    return k.view(element, PtrAttrAttr.of("multicast"))


def over_devices(kind: str) -> Build:
    """A kernel that combines what several devices hold."""

    def build(k: Kernel) -> None:
        view, index, reduction = multicast(k, i32), (k.zero(), k.zero()), MultimemReductionKindAttr.of(kind)
        k.do(atomics.MultimemLoadReduceViewTkoOp(view, index, reduction, k.token(), RELAXED, DEVICE, (True, False)))

    return build


sample(
    atomics.MultimemLoadReduceViewTkoOp,
    lambda k: k.do(atomics.MultimemLoadReduceViewTkoOp(multicast(k), (k.zero(), k.zero()))),
    *(over_devices(kind.value) for kind in MultimemReductionKind),
)
sample(
    atomics.MultimemReduceViewTkoOp,
    lambda k: k.do(atomics.MultimemReduceViewTkoOp(multicast(k), k.tile((4, 2), f32), (k.zero(), k.zero()))),
    lambda k: k.do(
        atomics.MultimemReduceViewTkoOp(
            multicast(k, i32),
            k.tile((4, 2), i32),
            (k.zero(), k.zero()),
            MultimemReductionKindAttr.of("xor"),
            k.token(),
            RELEASE,
            SYSTEM,
            (True, True),
        )
    ),
)
sample(
    atomics.MultimemStoreViewTkoOp,
    lambda k: k.do(atomics.MultimemStoreViewTkoOp(multicast(k), k.tile((4, 2), f32), (k.zero(), k.zero()))),
    lambda k: k.do(
        atomics.MultimemStoreViewTkoOp(
            multicast(k), k.tile((4, 2), f32), (k.zero(), k.zero()), k.token(), RELEASE, DEVICE, (False, True)
        )
    ),
)

# --- The grid, globals, promises, printing
sample(GetTileBlockIdOp, lambda k: k.do(GetTileBlockIdOp()))
sample(GetNumTileBlocksOp, lambda k: k.do(GetNumTileBlocksOp()))


def with_global(k: Kernel, name: str, constant: bool = False, visibility: str = "public") -> None:
    """The address of a global of its own."""
    value = DenseElementsAttr.from_values(tile((4,), f32), [1.0, 2.0, 3.0, 4.0])
    k.globals.append(GlobalOp(name, value, 16, constant, SymbolVisibilityAttr.of(visibility)))
    k.do(GetGlobalOp(name, PointerType(f32)))


sample(GetGlobalOp, lambda k: with_global(k, "g0"), lambda k: with_global(k, "g1", True, "private"))
sample(
    misc.AssumeOp,
    lambda k: k.add(misc.AssumeOp(k.address, DivByAttr(16))),
    lambda k: k.add(misc.AssumeOp(k.ints(), DivByAttr(4, 2, 0))),
    lambda k: k.add(misc.AssumeOp(k.tile((4, 2), i32), SameElementsAttr((2, 1)))),
    *(
        on(partial(misc.AssumeOp, predicate=BoundedAttr(*bounds)), INTS)
        for bounds in ((0, None), (None, 5), (-5, 1 << 30), (None, None))
    ),
)
sample(
    misc.PrintTkoOp,
    lambda k: k.do(misc.PrintTkoOp("hello\n")),
    lambda k: k.do(misc.PrintTkoOp("%f %i\n", (k.floats(), k.ints()))),
    lambda k: k.do(memory.JoinTokensOp((k.add(misc.PrintTkoOp("x", (), k.token())), k.token()))),
)
