"""Rows that the blocks of a cluster share: found in the code, loaded by threads, told, or refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from cubins import elf
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block

import freehold as fh
from freehold import Const, Out, Ref, i32
from freehold.backend import assembler, wrong_rows
from freehold.backend.bytecode.writer import write_bytecode
from freehold.backend.cubin import ptx
from freehold.backend.errors.wrong_code import NeverEnds
from freehold.dialects.cuda_tile import EntryOp
from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp
from freehold.dialects.cuda_tile.text import parse_disassembly
from freehold.dialects.cuda_tile.types import TileType
from freehold.passes.move_by_threads import move_by_threads
from freehold.runtime.jit import explain
from freehold.runtime.variants import build
from freehold.support.diagnostic import Rejected

inner: Any = wrong_rows
GOLDEN = Path(__file__).with_name("golden")
FOUR = {"num_cta_in_cga": 4, "num_worker_warps": 8}
SHARED = b"multicast::cluster"
"""In the text of a kernel's PTX, which its cubin has: a load for several blocks of a cluster."""


@fh.kernel
def biased(
    c: Out["M", "N"], a: Ref["M", "K"], b: Ref["N", "K"], r: Ref["R", "N"], v: Ref["N"], n: i32, HOW: Const[str]
):
    """A product that meets rows in several ways."""
    i, j = c.index
    M, N = c.tile
    acc = fh.zeros((M, N), fh.f32)
    for k in fh.tiles(a, axis=1, size=64):
        acc = fh.mma(a.load((i, k), (M, 64)), b.load((j, k), (N, 64)).T, acc)
    if HOW == "row":
        acc += r.load((0, j), (1, N))
    elif HOW == "one axis":
        acc += v.load(j, (N,))
    elif HOW == "in if":
        if n > 3:
            acc += r.load((0, j), (1, N))
    elif HOW == "in a loop":
        for k in range(n):
            acc += r.load((k, j), (1, N))
    elif HOW == "in helper":
        acc = with_bias(acc, r, j)
    elif HOW == "as a column":
        acc += r.load((0, i), (1, M)).reshape(M, 1)
    elif HOW == "of four":
        acc = (acc.reshape(M // 4, 4, N) + r.load((0, j), (1, 4 * N)).reshape(1, 4, N)).reshape(M, N)
    elif HOW == "several rows":
        acc = (acc.reshape(M // 2, 2, N) + r.load((0, j), (2, N))).reshape(M, N)
    elif HOW == "by threads":
        acc += r.load((0, j), (1, N), allow_tma=False)
    elif HOW == "insisting":
        acc += r.load((0, j), (1, N), allow_tma=True)
    elif HOW == "gathered":
        acc += r.gather(0, j * N + fh.arange(N))
    c.store(acc)


@fh.kernel
def scaled(y: Out["M", "N"], x: Ref["M", "N"], r: Ref["R", "N"]):
    """No product."""
    _, j = y.index
    y.store(x.load_like(y) * r.load((0, j), (1, y.tile[1])))


def with_bias(acc: fh.Tile, r: Any, j: Any) -> fh.Tile:
    return acc + r.load((0, j), (1, acc.shape[1]))


def arguments(how: str, tile: tuple[int, int] = (256, 512), dtype: Any = np.float16) -> tuple[Any, ...]:
    c, r, v = np.zeros((1024, 1024), np.float32), np.zeros((8, 1024), np.float32), np.zeros(1024, np.float32)
    a, b = np.zeros((1024, 256), dtype), np.zeros((1024, 256), dtype)
    return fh.partition(c, tile), a, b, r, v, 3, how


def emitted(how: str, tile: tuple[int, int] = (256, 512), dtype: Any = np.float16, **hints: Any) -> Any:
    kernel = biased.with_hints(**FOUR | hints)
    return build.emitted(kernel.verify(*arguments(how, tile, dtype)), kernel.options)


def rows_of(module: Any, arch: str = "sm_90") -> list[tuple[int, ...]]:
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    return [dims_of(load) for load in wrong_rows.long_rows(entry, [*entry.walk()], arch)]


def dims_of(load: LoadViewTkoOp) -> tuple[int, ...]:
    return cast("TileType", load.results[0].type).dims


def codes(module: Any, arch: str = "sm_90") -> tuple[str, ...]:
    """What is said of the assembler's code."""
    try:
        build.assembled(write_bytecode(module), arch, "biased")
    except Rejected as rejected:
        return rejected.codes
    return ()


@pytest.mark.parametrize("how", ["row", "one axis", "in if", "in a loop", "in helper", "insisting"])
def test_rows_that_are_longer_than_a_load(how: str) -> None:
    row = (512,) if how == "one axis" else (1, 512)
    assert rows_of(emitted(how)) == rows_of(emitted(how), "sm_100") == [row]
    assert rows_of(emitted(how, (256, 256))) == []
    assert rows_of(emitted(how, num_cta_in_cga={"sm_90": 1, "sm_100": 4})) == []


@pytest.mark.parametrize("how", ["none", "several rows", "by threads", "gathered"])
def test_what_is_no_such_row(how: str) -> None:
    assert rows_of(emitted(how)) == []


def test_without_a_product_no_row_is_shared() -> None:
    y, r = np.zeros((512, 1024), np.float32), np.zeros((1, 1024), np.float32)
    kernel = scaled.with_hints(num_cta_in_cga=4)
    assert rows_of(build.emitted(kernel.verify(fh.partition(y, (256, 512)), y.copy(), r), kernel.options)) == []


@pytest.mark.parametrize(
    ("dims", "hint", "is_long"),
    [
        ("1x512", "", True), ("512x1", "", True), ("1x256", "", False), ("2x512", "", False), ("1x1x512", "", True),
        ("1x512", "sm_90 = {allow_tma = false}", False), ("1x512", "default = {allow_tma = false}", False),
        ("1x512", "sm_100 = {allow_tma = false}", True), ("1x512", "sm_90 = {latency = 2}", True),
        ("1x512", "sm_90 = {allow_tma = true}, default = {allow_tma = false}", True),
    ],
)  # fmt: skip
def test_what_is_a_long_row(dims: str, hint: str, is_long: bool) -> None:
    extents = dims.split("x")
    places, many, ones = (", ".join([text] * len(extents)) for text in ("%i", "4096", "1"))
    tensor = f"tensor_view<{many.replace(', ', 'x')}xf32, strides=[{ones.replace(' ', '')}]>"
    view = f"partition_view<tile=({dims}), {tensor}>"
    hints = f" optimization_hints = <{hint}>" if hint else ""
    module = parse_disassembly(f"""
    cuda_tile.module @m {{
      entry @k(%p: tile<ptr<f32>>) optimization_hints=<sm_90 = {{num_cta_in_cga = 2}}> {{
        %i = constant <i32: 0> : tile<i32>
        %a = constant <f16: 0.0> : tile<64x64xf16>
        %c = constant <f32: 0.0> : tile<64x64xf32>
        %m = mmaf %a, %a, %c : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
        %t = make_tensor_view %p, shape = [{many}], strides = [{ones}] : {tensor}
        %view = make_partition_view %t : {view}
        %x, %0 = load_view_tko weak %view[{places}]{hints} : {view}, tile<i32> -> tile<{dims}xf32>, token
        return
      }}
    }}
    """)
    assert rows_of(module) == [tuple(map(int, extents))] * is_long


@pytest.mark.parametrize(
    ("how", "tile", "hints", "arch", "ends"),
    [  # the first five were launched on an H200, the third and the fourth of other dtypes: they hung, or were right
        ("row", (256, 512), {}, "sm_90", False), ("one axis", (256, 512), {}, "sm_90", False),
        ("row", (128, 512), {"num_cta_in_cga": 2}, "sm_90", False), ("as a column", (512, 256), {}, "sm_90", True),
        ("row", (128, 512), {}, "sm_90", True),  # two blocks share 256 columns
        ("in a loop", (256, 512), {}, "sm_90", False), ("row", (256, 512), {}, "sm_100", False),
        ("of four", (128, 256), {"num_cta_in_cga": 2}, "sm_90", True),  # four loads, of 128 numbers a block
        ("several rows", (256, 512), {}, "sm_90", True),
    ],
)  # fmt: skip
def test_rows_that_blocks_share(how: str, tile: tuple[int, int], hints: dict[str, int], arch: str, ends: bool) -> None:
    assert codes(emitted(how, tile, **hints), arch) == (() if ends else ("O414",))


def test_products_of_f32_have_their_own_rows() -> None:
    assert rows_of(emitted("row", (128, 512), np.float32)) == [(1, 512)]
    assert codes(emitted("row", (128, 512), np.float32, num_cta_in_cga=2)) == ()


LOAD = (
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint"
    " [%r1], [%rd1, {%r2, %r3}], [at], %rs1, %rd2;\n"
)
WAIT = "mbarrier.arrive.expect_tx.shared.b64 %rd3, [at], %r4;\n"


@pytest.mark.parametrize(
    ("text", "is_right"),
    [
        ("ret;\n", True), ("", False),
        (LOAD, True), (LOAD + LOAD.replace("at", "there"), True), (LOAD + "mov.b32 \t%r4, 8;\n" + WAIT, True),
        (2 * LOAD + "mov.b32 %r4, 2048;\n" + WAIT, False), (2 * LOAD + "mov.b32 %r4, 2049;\n" + WAIT, True),
        (4 * LOAD + "mov.b32 %r4, 2048;\n" + WAIT, False), (5 * LOAD + "mov.b32 %r4, 2048;\n" + WAIT, True),
        (2 * LOAD, False), (2 * LOAD + WAIT, False),  # nobody knows how many bytes
        (2 * LOAD + "mov.b32 %r4, 4096;\nmov.b32 %r4, 8;\n" + WAIT, False),
        (2 * LOAD + "mov.b32 %r4, 4096;\nmov.b32 %r4, %r5;\n" + WAIT, False),
        (2 * LOAD + WAIT.replace("%r4", "4096"), True), (2 * LOAD + WAIT.replace("%r4", "256"), False),
        (2 * LOAD + WAIT.replace("%r4", "4096") + WAIT.replace("%r4", "256"), False),
        (LOAD.replace(", [at]", ""), False),  # it has another form
        ("tcgen05.commit.multicast::cluster.b64 [at], %rs1;\n", True),
    ],
)  # fmt: skip
def test_what_the_text_of_a_kernel_says(text: str, is_right: bool) -> None:
    assert inner._is_right(text, 4, 2048) == is_right


def test_a_cubin_without_text_counts_as_wrong() -> None:
    code = write_bytecode(emitted("row", (512, 1024)))
    error = NeverEnds(None, "kernel `biased`", "sm_90")
    expected = [error.add(error.Shared(4, 1024), error.LoadOtherwise())]
    assert wrong_rows.overfull(b"", code, "sm_90") == wrong_rows.overfull(elf([]), code, "sm_90") == expected
    text = b".version 9.5\0\0.visible .entry biased(\0)\0{\0ret;\0}\0.visible .entry other(\0)\0" + 2 * LOAD.encode()
    cubin = elf([(".nv_debug_ptx_txt", 1, text, 0, 0)])
    assert wrong_rows.overfull(cubin, code, "sm_90") == []
    assert wrong_rows.overfull(cubin.replace(b" biased(", b" another("), code, "sm_90") == expected


def test_each_kernel_has_its_own_text_and_a_cubin_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    module = emitted("row", (512, 1024))
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    for name in ("second", "third"):
        (another := entry.clone()).properties["sym_name"] = StringAttr(name)
        cast("Block", entry.parent).add_op(another)
    text = b".entry biased()\0{\0ret;\0}\0.entry second()\0" + 2 * LOAD.encode()
    cubins = list[bytes]()

    def read(cubin: bytes) -> dict[str, str]:
        cubins.append(cubin)
        return ptx(cubin)

    monkeypatch.setattr(wrong_rows, "ptx", read)
    cubin = elf([(".nv_debug_ptx_txt", 1, text, 0, 0)])
    errors = wrong_rows.overfull(cubin, write_bytecode(module), "sm_90")
    assert [error.subject for error in errors] == ["kernel `second`", "kernel `third`"]
    assert cubins == [cubin]


@pytest.mark.parametrize("arch", ["sm_90", "sm_100"])
def test_threads_load_the_row_and_nothing_else(arch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = emitted("row")
    with monkeypatch.context() as patch:
        patch.setattr(assembler, "overfull", nothing)
        before, moved = build.cubin_of(module, arch, "biased")
    assert not moved
    cubin, moved = build.cubin_of(module, arch, "biased")
    assert moved
    hinted = [op for op in module.walk() if isinstance(op, LoadViewTkoOp) and op.optimization_hints is not None]
    assert [dims_of(op) for op in hinted] == [(1, 512)]
    assert 0 < cubin.count(SHARED) < before.count(SHARED), "the factor is still shared"
    assert build.cubin_of(module, arch, "biased") == (cubin, False), "nothing is left to move"


def test_rows_and_registers_that_are_waited_for_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    module, tries = emitted("row"), list[int]()

    def starving(*_: object) -> list[NeverEnds]:
        tries.append(len(tries))
        error = NeverEnds(None, "kernel `biased`", "sm_90")
        return [error.add(error.Starved(4, 2), error.AskForLess())] if len(tries) < 3 else []

    monkeypatch.setattr(assembler, "starving", starving)
    assert codes(emitted("row")) == ("O414", "O414")
    tries.clear()
    _, moved = build.cubin_of(module, "sm_90", "biased")
    assert moved
    assert len(tries) == 3, "as it is, then without the row, then without stores"


def nothing(*_: object) -> list[NeverEnds]:
    return []


def test_some_are_moved_by_threads() -> None:
    module = emitted("insisting")
    loads = [op for op in module.walk() if isinstance(op, LoadViewTkoOp)]
    assert move_by_threads(module, "sm_90", some=loads[:1]) == 1
    assert move_by_threads(module, "sm_90", some=loads) == len(loads) - 2, "one says that it wants the accelerator"
    assert move_by_threads(module, "sm_90", some=[]) == 0


def test_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def idle(*_: object) -> dict[str, int]:
        return {}

    monkeypatch.setattr(explain, "_idle", idle)  # which would assemble it without each hint
    kernel = biased.with_hints(**FOUR)
    assert "for sm_90 tiles are moved by threads" in kernel.explain(*arguments("row"), arch="sm_90")
    assert "moved by threads" not in kernel.explain(*arguments("by threads"), arch="sm_90")


def test_what_insists_is_refused(golden: Callable[[Path, str], None]) -> None:
    kernel = biased.with_hints(**FOUR)
    with pytest.raises(Rejected) as caught:
        kernel.compile(*arguments("insisting"), arch="sm_90")
    assert caught.value.codes == ("O414",)
    golden(GOLDEN / "row_shared.err", str(caught.value))
    kernel.compile(*arguments("by threads"), arch="sm_90")  # the edit that it suggests
    kernel.compile(*arguments("insisting", (256, 256)), arch="sm_90")  # and the other one
