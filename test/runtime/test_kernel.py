"""Kernels as objects, and their launches on the interpreter."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false

from __future__ import annotations

import gc
import threading
import warnings
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, cast

import ml_dtypes
import numpy as np
import pytest
import z3
from xdsl.dialects.builtin import i32 as i32_type

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32, i32
from freehold.backend.cubin import resources
from freehold.dialects.cuda_tile.ops.shape import ConstantOp
from freehold.dialects.ownership import RegionOp
from freehold.frontend.signature import ConstSpec
from freehold.runtime.base import native
from freehold.runtime.jit.kernel import Kernel, Once
from freehold.runtime.launch.launch import UnrunLaunch
from freehold.runtime.variants import build
from freehold.support.diagnostic import Rejected


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32):
    """y = a * x + y."""
    y.store(a * x.load_like(y) + y.load())


@fh.kernel
def outside(y: Out["N"], x: Ref["N"]):
    y.store(x.load(y.index[0] + fh.cdiv(x.shape[0], y.tile[0]), y.tile))


@fh.kernel
def shift(y: Out["N"], x: Ref["N"], n: i32, K: Const[int] = 2):
    y.store(x.load_like(y) + n * K)


def test_a_launch_does_nothing_until_it_is_run() -> None:
    y, x = np.ones(100, np.float32), np.arange(100, dtype=np.float32)
    launch = saxpy(fh.partition(y, 64), x, 2.0)
    assert y.tolist() == [1] * 100
    assert repr(launch) == "<launch of saxpy, not run>"
    launch.sync()
    assert y.tolist() == (2 * x + 1).tolist()
    assert repr(launch) == "<launch of saxpy, run>"
    done = saxpy(fh.partition(y, 64), x, 1.0).on()
    assert y.tolist() == (3 * x + 1).tolist()
    done.wait()
    assert repr(done) == "<`saxpy`, done>"


def test_a_launch_that_is_never_run_warns() -> None:
    y = np.zeros(4, np.float32)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        saxpy(fh.partition(y, 4), y.copy(), 1.0)
        gc.collect()
    assert [(w.category, "add `.sync()`" in str(w.message)) for w in caught] == [(UnrunLaunch, True)]
    assert "test_kernel.py" in str(caught[0].message)


def test_arguments_by_name_and_defaults() -> None:
    y, x = np.zeros(8, np.int32), np.arange(8, dtype=np.int32)
    shift(n=3, x=x, y=fh.partition(y, 4)).sync()
    assert y.tolist() == (x + 6).tolist()
    shift(fh.partition(y, 4), x, 3, K=5).sync()
    assert y.tolist() == (x + 15).tolist()
    shift(fh.partition(y, 4), x, np.int64(-1), 1).sync()
    assert y.tolist() == (x - 1).tolist()


def test_one_kernel_many_kinds_of_arguments() -> None:
    for dtype in (np.float16, np.float32, np.float64, ml_dtypes.bfloat16):
        y: Any = np.ones(70).astype(dtype)
        x: Any = np.arange(70).astype(dtype)

        @fh.kernel
        def double(y: Out["N"], x: Ref["N"]):
            y.store(x.load_like(y) + x.load_like(y))

        double(fh.partition(y, 32), x).sync()
        assert np.array_equal(y, x + x)


def test_strided_arrays_are_written_in_place() -> None:
    whole = np.zeros((16, 8), np.float32)
    x = np.arange(16, dtype=np.float32)
    saxpy(fh.partition(whole[:, 3], 4), x, 1.0).sync()
    assert np.array_equal(whole[:, 3], x)
    assert not whole[:, :3].any()
    assert not whole[:, 4:].any()
    both = np.zeros((16, 2), np.float32)
    both[:, 1] = x
    saxpy(fh.partition(both[:, 0], 4), both[:, 1], 2.0).sync()
    assert np.array_equal(both[:, 0], 2 * x)


def test_torch_tensors_on_the_host_run_on_the_interpreter() -> None:
    torch: Any = pytest.importorskip("torch")
    y, x = torch.ones(50), torch.arange(50.0)
    saxpy(fh.partition(y, 16), x, 2.0).sync()
    assert torch.equal(y, 2 * x + 1)


def test_variants_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    lower = build.lower

    def counting(*arguments: Any) -> Any:
        made.append(arguments[1])
        return lower(*arguments)

    monkeypatch.setattr(build, "lower", counting)

    @fh.kernel
    def fresh(y: Mut["N"], a: f32, K: Const[float] = 0.0):
        y.store(y.load() * a + K)

    y = np.zeros(64, np.float32)
    for _ in range(3):
        fresh(fh.partition(y, 16), 2.0).sync()
        fresh(fh.partition(y, 16), 3.0).sync()
    assert len(made) == 1
    fresh(fh.partition(y, 32), 2.0).sync()  # another tile
    fresh(fh.partition(y[:-1], 32), 2.0).sync()  # an extent that is no multiple of 16 bytes
    fresh(fh.partition(y, 32), 2.0, -0.0).sync()  # another constant
    fresh(fh.partition(y, 32), 2).sync()  # a scalar of another class is still f32
    assert len(made) == 4


def test_a_module_that_is_handed_out_is_a_copy() -> None:
    y, x = np.zeros(64, np.float32), np.ones(64, np.float32)
    arguments = fh.partition(y, 16), x, 2.0
    theirs = saxpy.verify(*arguments)
    for op in [op for op in theirs.walk() if isinstance(op, RegionOp)]:
        place = ConstantOp.scalar(0, i32_type)
        cast(Any, op.parent).insert_op_before(place, op)
        op.operands[1] = place.result  # each block takes the first region
    assert str(theirs) != str(saxpy.verify(*arguments))
    for mode in ("fast", "checked"):
        y[:] = 0
        with fh.interpreting(mode):
            saxpy(*arguments).sync()
        assert y.tolist() == [2.0] * 64


@dataclass(frozen=True)
class Settings:
    """What is compared of it is not all of it."""

    tile: int
    scale: float = field(default=1.0, compare=False)


class Spoiled(Enum):
    """Values that claim to be the same."""

    TWO = 2.0
    SIX = 6.0

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class Pair(NamedTuple):
    """Two numbers."""

    scale: float
    other: float


class Riap(NamedTuple):
    """The same, the other way round."""

    other: float
    scale: float


@fh.kernel
def times(y: Mut["N"], c: Const[Any]):
    y.store(y.load() * c.scale)


@fh.kernel
def times_value(y: Mut["N"], c: Const[Spoiled]):
    y.store(y.load() * c.value)


def test_variants_are_told_apart_by_what_constants_are_and_not_by_their_own_comparison() -> None:
    def result(kernel: Any, constant: object) -> float:
        y = np.ones(16, np.float32)
        kernel(fh.partition(y, 16), constant).sync()
        return float(y[0])

    for scale in (2.0, 1000.0, 2.0):
        assert result(times, Settings(1, scale)) == scale
        assert result(times, Pair(scale, 7.0)) == scale
        assert result(times, Riap(7.0, scale)) == scale
    assert (result(times_value, Spoiled.TWO), result(times_value, Spoiled.SIX)) == (2.0, 6.0)


def test_constants_are_equal_where_no_kernel_can_tell_them_apart() -> None:
    for one, same in (
        (Settings(1, 2.0), Settings(1, 2.0)),
        (Pair(1.0, 2.0), Pair(1.0, 2.0)),
        ((1, (2.0, "three")), (1, (2.0, "three"))),
        (frozenset((1, 2)), frozenset((2, 1))),
        (np.float32(1.5), np.float32(1.5)),
        (float("nan"), float("nan")),
        (f32, f32),
    ):
        assert ConstSpec(one) == ConstSpec(same)
        assert hash(ConstSpec(one)) == hash(ConstSpec(same))
    for one, other in ((1, True), (1, 1.0), (0.0, -0.0), ((1,), (True,)), (Pair(1.0, 2.0), Riap(1.0, 2.0))):
        assert ConstSpec(one) != ConstSpec(other)
    assert ConstSpec(np.float32(1.0)) != ConstSpec(np.float64(1.0))
    assert ConstSpec(Settings(1, 2.0)) != ConstSpec(Settings(1, 3.0))


def test_a_variant_is_compiled_by_one_thread() -> None:
    made: list[int] = []
    lock = threading.Lock()

    once = Once()

    def make() -> str:
        with lock:
            made.append(1)
        threading.Event().wait(0.05)
        return "made"

    results: list[str] = []
    threads = [threading.Thread(target=lambda: results.append(once.get("key", make))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (results, made) == (["made"] * 8, [1])


def test_what_fails_is_tried_again() -> None:
    once = Once()
    with pytest.raises(ZeroDivisionError):
        once.get("key", lambda: 1 // 0)
    assert once.get("key", lambda: 1) == 1


def test_a_kernel_keeps_the_functions_name_and_text() -> None:
    assert (saxpy.__name__, saxpy.__doc__, saxpy.__module__) == ("saxpy", "y = a * x + y.", __name__)
    assert repr(saxpy) == "<kernel saxpy>"
    with pytest.raises(TypeError, match="made of a function"):
        fh.kernel(print)


def test_conclusions_are_for_other_solvers() -> None:
    y, x = np.zeros(64, np.float32), np.ones(64, np.float32)
    text = saxpy.proofs(fh.partition(y, 16), x, 2.0)
    solver: Any = z3.Solver()
    claims = [part.split("(pop 1)")[0] for part in text.split("(push 1)")[1:]]
    assert len(claims) == text.count("(by rules)") + text.count("(by solver)") > 1
    for claim in claims:
        solver.reset()
        solver.from_string(claim.replace("(check-sat)", ""))
        assert solver.check() == z3.unsat
    assert "i < ceildiv(N, 16)" in text
    with pytest.raises(Rejected) as caught:
        outside.proofs(fh.partition(y, 16), x)
    assert caught.value.codes == ("O302",)


def test_hints_by_architecture() -> None:
    hinted = saxpy.with_hints(occupancy={"sm_100": 2, "default": 4}, num_cta_in_cga={"sm_100": 2}, num_worker_warps=8)
    y, x = np.zeros(64, np.float32), np.ones(64, np.float32)
    (kernel,) = hinted.lower(fh.partition(y, 64), x, 2.0).body.block.ops
    text = str(kernel.properties["optimization_hints"]).replace(" : i64", "")
    plain = hinted.with_hints(occupancy=4, num_cta_in_cga=1)
    assert "default = {num_worker_warps_per_cta = 8, occupancy = 4}" in text
    assert "sm_100 = {num_cta_in_cga = 2, num_worker_warps_per_cta = 8, occupancy = 2}" in text
    found = {arch: hinted.compile(fh.partition(y, 64), x, 2.0, arch=arch) for arch in ("sm_90", "sm_100")}
    assert [(c.occupancy, c.ctas) for c in found.values()] == [(4, 1), (2, 2)]
    # The assembler takes those of the architecture that it works for.
    one = saxpy.with_hints(occupancy=2, num_cta_in_cga=2, num_worker_warps=8)
    for arch, same, other in (("sm_90", plain, one), ("sm_100", one, plain)):
        kernels = (hinted, same, other)
        found_, same_, other_ = (resources(k.compile(fh.partition(y, 64), x, 2.0, arch=arch).cubin) for k in kernels)
        assert found_ == same_
        assert found_ != other_
    assert plain.options.hints == (("num_cta_in_cga", 1), ("num_worker_warps", 8), ("occupancy", 4))


@pytest.mark.parametrize("value", [{"h100": 2}, {"sm_90": 64}, {"default": 2.0}, {"sm_90": True}])
def test_hints_that_no_architecture_has(value: Any) -> None:
    with pytest.raises(Rejected, match=r"hint `occupancy=") as caught:
        saxpy.with_hints(occupancy=value)
    assert caught.value.codes == ("O242",)


@pytest.mark.parametrize(
    ("keywords", "instead"),
    [
        ({"num_warps": 4}, 'write `hints={"num_worker_warps": 4}`'),
        ({"occupancy": 2}, 'write `hints={"occupancy": 2}`'),
        ({"num_stages": 3}, "leave it out: "),
    ],
)
def test_hints_are_no_keywords_of_the_decorator(keywords: dict[str, Any], instead: str) -> None:
    with pytest.raises(Rejected, match="is no keyword of") as caught:
        fh.kernel(**keywords)
    assert caught.value.codes == ("O242",)
    assert instead in str(caught.value)
    with pytest.raises(TypeError, match="unexpected keyword argument 'check'"):
        fh.kernel(check=False)  # type: ignore[call-overload] # pyright: ignore[reportCallIssue] -- there is none


def test_hints_make_another_kernel() -> None:
    hinted = saxpy.with_hints(occupancy=2).with_hints(num_worker_warps=8)
    assert hinted.options.hints == (("num_worker_warps", 8), ("occupancy", 2))
    assert saxpy.options.hints == ()
    y = np.ones(8, np.float32)
    text = str(hinted.lower(fh.partition(y, 4), y.copy(), 1.0))
    assert "num_worker_warps_per_cta = 8" in text
    assert "occupancy = 2" in text


def test_every_stage_can_be_had() -> None:
    y, x = np.ones(100, np.float32), np.ones(100, np.float32)
    arguments = (fh.partition(y, 64), x, 2.0)
    assert "ownership.kernel @saxpy" in str(saxpy.lower(*arguments))
    assert "in bounds along axis 0: proved" in saxpy.explain(*arguments, arch=())
    contract = build.contract_of(saxpy.verify(*arguments))
    assert contract.symbol == "saxpy"
    assert contract.grid == ("ceildiv(N, 64)",)
    assert y.tolist() == [1] * 100


@pytest.mark.parametrize("arch", ["sm_80", "sm_120"])
def test_gpu_code_needs_no_gpu(arch: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cuda.core")
    monkeypatch.setenv("FREEHOLD_CACHE_DIR", str(tmp_path / "kernels"))
    y, x = np.ones(100, np.float32), np.ones(100, np.float32)
    made = saxpy.compile(fh.partition(y, 64), x, 2.0, arch=arch)
    assert made.cubin[:4] == b"\x7fELF"
    assert made.arch == arch
    assert saxpy.compile(fh.partition(y, 64), x, 3.0, arch=arch) is made


class ForeignDType:
    """A dtype of a library, of which only its text tells which it is."""

    __module__ = "torch"

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


def test_what_a_kernel_reads_is_part_of_its_fingerprint() -> None:
    def reading(value: Any) -> Kernel:
        @fh.kernel
        def k(y: Mut["N"]):
            y.store(y.load().astype(value).astype(y.dtype))

        return k

    values = [ForeignDType("float16"), ForeignDType("bfloat16"), np.dtype("float16"), np.float64, fh.f16, fh.f64]
    kernels = [reading(value) for value in values]
    for one in kernels:
        one.lower(fh.partition(np.zeros(8, np.float32), 8))
    prints = [one.function.fingerprint().hexdigest() for one in kernels]
    assert len(set(prints)) == len(values)
    assert prints == [reading(value).function.fingerprint().hexdigest() for value in values]


def test_kernels_may_be_refused_for_their_checks() -> None:
    @fh.kernel(deny_kernel_checks=True)
    def gather(y: Out["N"], at: Ref[i32, "K"], x: Ref["M"]):
        i: Any = at.load((0,), (1,)).reshape()
        y.store(x.load((i,), y.tile))

    y, x, at = np.zeros(8, np.float32), np.arange(64, dtype=np.float32), np.array([2], np.int32)
    with pytest.raises(fh.Rejected) as caught:
        gather(fh.partition(y, 8), at, x).sync()
    assert caught.value.codes == ("O301",)
    assert not y.any()


async def waiting(t: Any) -> Any:
    return t


def test_functions_that_wait_are_no_kernels() -> None:
    with pytest.raises(TypeError, match="`waiting` is `async`, and a kernel waits for nothing"):
        fh.kernel(cast(Any, waiting))

    @fh.kernel
    def calls(y: Mut["N"]):
        y.store(waiting(y.load()))  # pyright: ignore[reportArgumentType] -- a coroutine

    with pytest.raises(fh.Rejected, match="`async` function, and a kernel waits for nothing"):
        calls(fh.partition(np.zeros(8, np.float32), 8)).sync()


def test_an_architecture_is_a_text() -> None:
    x = np.zeros(8, np.float32)
    with pytest.raises(TypeError, match='a text such as "sm_90", not 90'):
        saxpy.compile(fh.partition(x, 8), np.zeros(8, np.float32), 1.0, arch=cast(Any, 90))


@fh.kernel
def stopping(y: Mut["N"]):
    breakpoint()
    y.store(y.load() + 1)


@fh.kernel
def going(y: Mut["N"]):
    y.store(y.load() + 1)


def test_a_kernel_with_breakpoints_is_no_code_of_a_gpu() -> None:
    part = fh.partition(np.zeros(8, np.float32), 8)
    for kernel, known in ((going, True), (stopping, False)):
        found = kernel.bound(part).specialisation
        assert kernel._digest(found) is None  # of what is not made
        kernel.verified(found)
        assert (kernel._digest(found) is not None) == known


def test_calls_are_made_by_the_native_module_where_there_is_nothing_else_to_do() -> None:
    @fh.kernel
    def optional(y: Mut["N"], x: Ref["N"] | None = None):
        y.store(y.load())

    part = fh.partition(np.zeros(8, np.float32), 8)
    for kernel, plain in ((saxpy, True), (optional, False)):
        (kernel(part, np.zeros(8, np.float32), 1.0) if plain else kernel(part)).sync()
        if native.BUILT:
            made = kernel._plain
            assert (made is not None and made[1] is kernel._dispatcher) == plain
