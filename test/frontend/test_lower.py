"""The IR that the frontend writes: its shape, its places, its names."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import pytest
from counting import steps
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import freehold as fh
from freehold import Const, Mut, Out, Ref, f16, f32, i32
from freehold.dialects.location import span_of
from freehold.dialects.ownership import BorrowOp, LoadOp, PartitionOp, RegionOp, StoreOp, TensorType
from freehold.frontend.lower import lower
from freehold.frontend.schedule import PartitionSpec
from freehold.frontend.signature import ConstSpec, ScalarSpec, Specialisation, TensorSpec
from freehold.frontend.source import KernelFunction
from freehold.support import dtypes
from freehold.support.diagnostic import Rejected

Lowered = Callable[..., ModuleOp]
F32 = np.zeros((8, 8), np.float32)


def saxpy(y: Mut["N"], x: Ref["N"], a: f32):
    y.store(a * x.load_like(y) + y.load())


def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 64):
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    c.store(acc.astype(c.dtype))


def ops(module: ModuleOp, *names: str) -> list[Operation]:
    return [op for op in module.walk() if op.name.partition(".")[2] in names]


def mnemonics(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk()]


def test_saxpy(part: Any, lowered: Lowered):
    module = lowered(saxpy, part(np.zeros(100, np.float32), 32), np.zeros(100, np.float32), 2.0)
    assert mnemonics(module) == [
        "builtin.module",
        "ownership.kernel",
        "ownership.partition",
        "ownership.borrow",
        "ownership.distribute",
        "ownership.region",
        "ownership.load",
        "cuda_tile.reshape",
        "cuda_tile.broadcast",
        "cuda_tile.mulf",
        "ownership.load",
        "cuda_tile.addf",
        "ownership.store",
        "ownership.end",
        "ownership.return",
    ]


def test_every_operation_has_its_place_in_the_source(part: Any, lowered: Lowered):
    for module in (
        lowered(saxpy, part(np.zeros(100, np.float32), 32), np.zeros(100, np.float32), 2.0),
        lowered(gemm, part(F32, 4, 4), F32, F32, 4),
    ):
        for op in module.walk():
            span = span_of(op)
            assert op.name == "builtin.module" or (span is not None and span.file == __file__), op
    (load, _) = ops(lowered(gemm, part(F32, 4, 4), F32, F32, 4), "load")
    assert text_at(load) == "a.load((m, k), (c.tile[0], BK))"


def text_at(op: Operation) -> str:
    span = span_of(op)
    assert span is not None
    with open(span.file, encoding="utf-8") as f:
        return f.read().splitlines()[span.line - 1][span.start : span.end]


def test_inlined_code_names_its_calls(part: Any, lowered: Lowered):
    def inner(t: Any) -> Any:
        return t * 2.0

    def outer(t: Any) -> Any:
        return inner(t) + 1.0

    def kernel(y: Out["N"], x: Ref["N"]):
        y.store(outer(x.load_like(y)))

    module = lowered(kernel, part(np.zeros(8, np.float32), 8), np.zeros(8, np.float32))
    (product,) = ops(module, "mulf")
    span = span_of(product)
    assert span is not None
    assert span.call_site is not None
    assert span.call_site.call_site is not None
    assert text_at(product) == "t * 2.0"
    assert "inner(t)" in text_of_line(span.call_site.line)
    assert "outer(x" in text_of_line(span.call_site.call_site.line)


def text_of_line(line: int) -> str:
    with open(__file__, encoding="utf-8") as f:
        return f.read().splitlines()[line - 1]


def test_variables_name_values(part: Any, lowered: Lowered):
    module = lowered(gemm, part(F32, 4, 4), F32, F32, 4)
    kernel = next(op for op in module.walk() if op.name == "ownership.kernel")
    assert [a.name_hint for a in kernel.regions[0].block.args] == ["c", "a", "b"]
    (distribute,) = ops(module, "distribute")
    assert [a.name_hint for a in distribute.regions[0].block.args] == ["m", "n"]
    (loop,) = ops(module, "for")
    assert [a.name_hint for a in loop.regions[0].block.args] == ["k", "acc"]


def test_loops_carry_what_they_must_and_no_more(part: Any, lowered: Lowered):
    def kernel(y: Out["N"], x: Ref["N"]):
        total = fh.zeros(y.tile, f32)
        scratch = x.load_like(y)
        size = 4
        for k in range(8):
            scratch = x.load((k,), (16,)).sum()
            scaled = k + size
            total = total + scratch * scaled
        y.store(total)

    module = lowered(kernel, part(np.zeros(8, np.float32), 8), np.zeros(200, np.float32))
    (loop,) = ops(module, "for")
    assert [str(r.type) for r in loop.results] == ["!cuda_tile.tile<8xf32>"]


def test_constants_decide_at_compile_time(part: Any, lowered: Lowered):
    def kernel(y: Out["N"], x: Ref["N"], MODE: Const[str], SIZE: Const[int] = 3):
        t = x.load_like(y)
        if MODE == "double" and SIZE > 2:
            t = t * 2.0
        elif MODE == "none":
            undefined_here()  # pyright: ignore[reportUndefinedVariable] -- never reached
        for i in fh.static_range(SIZE):
            t = t + i if i % 2 else t
        y.store(t)

    array = np.zeros(8, np.float32)
    module = lowered(kernel, part(array, 8), array, "double", 3)
    assert mnemonics(module).count("cuda_tile.mulf") == 1
    assert mnemonics(module).count("cuda_tile.addf") == 1
    assert "cuda_tile.if" not in mnemonics(module)
    assert "cuda_tile.mulf" not in mnemonics(lowered(kernel, part(array, 8), array, "single", 3))


class Act(Enum):
    RELU = 1
    NONE = 2


@dataclass(frozen=True)
class Config:
    act: Act
    scale: float


CONFIG = Config(Act.RELU, 0.5)


def test_enums_and_frozen_dataclasses_are_constants(part: Any, interpret: Callable[..., None]):
    def kernel(y: Out["N"], x: Ref["N"], extra: Const[Config]):
        t = x.load_like(y) * CONFIG.scale
        if CONFIG.act is Act.RELU and extra.act == Act.NONE:
            t = fh.maximum(t, 0.0)
        y.store(t + Config(Act.NONE, 1.0).scale)

    x = np.arange(-4, 4).astype(np.float32)
    y = np.zeros_like(x)
    interpret(kernel, part(y, 8), x, Config(Act.NONE, 2.0))
    assert y.tolist() == (np.maximum(x * 0.5, 0) + 1).tolist()


def test_dimensions(part: Any):
    def kernel(y: Out["B", "H // G", 64], x: Ref, z: Ref["BK * 2", "B"], BK: Const[int], G: Const[int]): ...

    function = KernelFunction(kernel)
    spec = Specialisation(
        (
            TensorSpec.plain(f32_(), 3, PartitionSpec((1, 1, 64), (1, 1, 64))),
            TensorSpec.plain(f32_(), 2),
            TensorSpec.plain(f32_(), 2),
            ConstSpec(32),
            ConstSpec(4),
        )
    )
    module = lower(function, spec)
    kernel_op = next(op for op in module.walk() if op.name == "ownership.kernel")
    dims = [[d.data for d in a.type.dims] for a in kernel_op.regions[0].block.args if isinstance(a.type, TensorType)]
    assert dims == [["B", "H // 4", "64"], ["x.shape[0]", "x.shape[1]"], ["64", "B"]]


def f32_() -> Any:
    return dtypes.f32


def test_layout_facts_are_kept():
    spec = Specialisation(
        (
            TensorSpec(dtypes.f32, 1, 16, (1,), (1,), (4,), PartitionSpec((32,), (32,))),
            TensorSpec(dtypes.f32, 1, 16, (0,), (4,), (1,)),
            ScalarSpec(dtypes.f32),
        )
    )
    module = lower(KernelFunction(saxpy), spec)
    text = str(module)
    assert "align = 16, strides = [1], stride_divs = [1], extent_divs = [4]" in text
    assert "align = 16, strides = [0], stride_divs = [4], extent_divs = [1]" in text


def test_an_indexed_load_of_an_output_is_a_shared_borrow_for_the_verifier_to_judge(part: Any, lowered: Lowered):
    def stencil(u: Mut["N"]):
        (i,) = u.index
        shifted = u.load((i + 1,), u.tile)  # pyright: ignore -- as a type checker says, too
        u.store(shifted + u.load())  # pyright: ignore[reportUnknownArgumentType] -- as above

    module = lowered(stencil, part(np.zeros(64, np.float32), 8))
    borrow = next(op for op in module.walk() if isinstance(op, BorrowOp))
    loads = [op for op in module.walk() if isinstance(op, LoadOp)]
    assert loads[0].source is borrow.result
    assert any(isinstance(op, PartitionOp) for op in module.walk())


def test_a_store_through_a_ref_is_written_for_the_verifier_to_refuse(part: Any, lowered: Lowered):
    def kernel(y: Out["N"], x: Ref["N"]):
        x.store(x.load_like(y))  # pyright: ignore -- as a type checker says, too

    array = np.zeros(64, np.float32)
    module = lowered(kernel, part(array, 8), array)
    store = next(op for op in module.walk() if isinstance(op, StoreOp))
    borrow = next(op for op in module.walk() if isinstance(op, BorrowOp))
    assert store.target is borrow.result


def test_regions_at_other_coordinates(part: Any, lowered: Lowered):
    def kernel(y: Out["N"], x: Ref["N"]):
        (i,) = y.index
        other = y.at(i + 1)
        other.store(x.load(other.index, other.tile))
        other.release()

    array = np.zeros(64, np.float32)
    module = lowered(kernel, part(array, 8), array)
    # A kernel that names its regions does not take the point's own one, too.
    assert len([op for op in module.walk() if isinstance(op, RegionOp)]) == 1
    assert len(ops(module, "release")) == 1


def test_hints_go_to_the_kernel():
    module = lower(
        KernelFunction(saxpy),
        Specialisation(
            (
                TensorSpec.plain(dtypes.f32, 1, PartitionSpec((32,), (32,))),
                TensorSpec.plain(dtypes.f32, 1),
                ScalarSpec(dtypes.f32),
            )
        ),
        {"default": {"occupancy": 2}},
    )
    assert "occupancy = 2" in str(module)


def test_hints_of_loads_and_stores(part: Any, lowered: Lowered):
    def kernel(y: Out["N"], x: Ref["N"]):
        y.store(x.load_like(y, latency=4, padding="nan"), allow_tma=False)

    array = np.zeros(64, np.float32)
    text = str(lowered(kernel, part(array, 8), array))
    assert "latency = 4" in text
    assert "padding_value = #cuda_tile.padding_value<nan>" in text
    assert "allow_tma = false" in text


# --- What does not fit -----------------------------------------------------------------------------------------------


def rejected(function: Callable[..., object], *specs: TensorSpec | ScalarSpec | ConstSpec) -> Rejected:
    with pytest.raises(Rejected) as caught:
        lower(KernelFunction(function), Specialisation(specs))  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] -- a function
    return caught.value


def plain(rank: int, *tile: int, **schedule: Any) -> TensorSpec:
    return TensorSpec.plain(dtypes.f32, rank, PartitionSpec(tile, tile, **schedule) if tile else None)


def test_wrong_rank_and_dtype():
    def kernel(y: Out["N"], x: Ref[f16, "N"], z: Ref["A", "B"]):
        y.store(x.load_like(y) + z.load((0, 0), (8, 8)))

    error = rejected(kernel, plain(1, 8), plain(1), plain(1))
    assert error.codes == ("O039", "O039")


def test_partitions_that_do_not_fit_each_other():
    def same_rank(y: Out["N"], z: Out["N"]):
        y.store(0.0)
        z.store(0.0)

    assert rejected(same_rank, plain(1, 8), plain(1, 8, blocks=fh.PERSISTENT)).codes == ("O038",)
    assert rejected(same_rank, plain(1, 8), plain(1)).codes == ("O038",)
    grouped = plain(1, 8, order=fh.grouped(2))
    assert rejected(same_rank, grouped, grouped).codes == ("O038",)


def test_what_is_read_has_no_step_of_its_own():
    def kernel(y: Out["N"], x: Ref["N"]):
        y.store(x.load())

    spec = TensorSpec.plain(dtypes.f32, 1, PartitionSpec((8,), (4,)))
    assert rejected(kernel, plain(1, 8), spec).codes == ("O038",)


# --- Speed -----------------------------------------------------------------------------------------------------------


def test_lowering_grows_with_the_kernel_and_not_faster(part: Any, lowered: Lowered):
    """A kernel of four times the statements takes about four times the steps: nothing is quadratic."""

    def kernel(y: Out["N"], x: Ref["N"], TURNS: Const[int]):
        t = x.load_like(y)
        for i in fh.static_range(TURNS):
            t = t * 2.0 + i
        y.store(t)

    array = np.zeros(8, np.float32)

    def taken(turns: int) -> int:
        return steps(lambda: lowered(kernel, part(array, 8), array, turns))

    taken(10)
    assert taken(400) < 5 * taken(100)


def test_integers_index(part: Any, interpret: Callable[..., None]):
    def kernel(y: Out[i32, "N"], x: Ref[i32, "M"], at: fh.i16):
        y.store(x.load((at,), (4,)).sum() + x.shape[0])

    x = np.arange(10, dtype=np.int32)
    y = np.zeros(2, np.int32)
    interpret(kernel, part(y, 2), x, 2)
    assert y.tolist() == [8 + 9 + 10] * 2


@fh.kernel
def twice(y: Out["M", "N"], x: Ref["M", "N"], N: Const[Any] = None):
    y.store(2.0 * x.load_like(y))


@pytest.mark.parametrize("length", [None, 8])
def test_a_constant_of_the_name_of_a_dimension_may_be_none(length: int | None) -> None:
    y = np.zeros_like(F32)
    twice(fh.partition(y, (2, 4)), F32 + 1.0, length).sync()
    assert (y == 2.0).all()
    module = twice.lower(fh.partition(y, (2, 4)), F32, length)
    extents = {
        str(t.extents[1]) for op in module.walk() for t in (r.type for r in op.operands) if isinstance(t, TensorType)
    }
    assert extents == {"N" if length is None else "8"}


@fh.kernel
def halves(y: Out["N // G"], x: Ref["N"], G: Const[Any] = None):
    y.store(x.load((0,), y.tile) if G == 2 else 1.0)


@pytest.mark.parametrize("length", [8.0, 100.0, True, "8", np.int64(8), (8,)])
def test_a_constant_of_the_name_of_a_dimension_is_an_integer(length: Any) -> None:
    """Others would be an extent that nothing is compared with."""
    with pytest.raises(fh.Rejected, match=r"O215.*`N` of `twice` must be an integer, as it is an extent"):
        twice(fh.partition(np.zeros_like(F32), (2, 4)), F32, length).sync()
    with pytest.raises(fh.Rejected, match=r"O215.*`G` of `halves` must be an integer, as it is an extent"):
        halves(fh.partition(np.zeros(4, np.float32), 4), np.zeros(8, np.float32), length).sync()


def test_the_integer_that_an_extent_is_is_proposed() -> None:
    for length, edit in ((8.0, "`int(length)`"), (np.int64(8), "`int(length)`"), (np.full(1, 8), "`length.item()`")):
        with pytest.raises(fh.Rejected) as caught:
            twice(fh.partition(np.zeros_like(F32), (2, 4)), F32, length).sync()
        assert edit in str(caught.value)
    y = np.zeros(4, np.float32)
    halves(fh.partition(y, 4), np.ones(8, np.float32), 2).sync()
    assert (y == 1).all()


def test_another_extent_than_that_which_is_compiled_in_is_refused() -> None:
    with pytest.raises(Rejected):
        twice(fh.partition(np.zeros_like(F32), (2, 4)), F32, 4).sync()


def test_a_tile_is_loaded_where_the_point_is_in_another_tensor(part: Any, interpret: Callable[..., None]):
    def kernel(y: Out["N"], x: Ref["N"], w: Ref["N"]):
        y.store(w.load_like(x) + x.load_like(y))

    x, w, y = np.arange(20, dtype=np.float32), np.arange(20, dtype=np.float32) * 100, np.zeros(20, np.float32)
    interpret(kernel, part(y, 8), part(x, 8), w)
    assert y.tolist() == (x + w).tolist()


def test_what_is_read_of_a_tensor_may_have_its_name(part: Any, interpret: Callable[..., None]):
    """Where something is made of it: the tensor is not written, as the kernel says."""

    def taken(z: Out["N"], y: Mut["N"]):
        y = y.load() + 1.0  # pyright: ignore -- a type checker would have another name for it
        y = y * 2.0  # pyright: ignore -- as above
        z.store(y)  # pyright: ignore -- as above

    z, y = np.zeros(8, np.float32), np.arange(8, dtype=np.float32)
    interpret(taken, part(z, 8), part(y, 8))
    np.testing.assert_array_equal(z, 2 * np.arange(8) + 2)
    np.testing.assert_array_equal(y, np.arange(8))
