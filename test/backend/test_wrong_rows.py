"""Rows that the blocks of a cluster share: found, loaded by threads, told, or refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Out, Ref, i32
from freehold.backend import wrong_rows
from freehold.backend.errors import NeverEnds
from freehold.backend.wrong_code import wrong
from freehold.dialects.cuda_tile import EntryOp
from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp
from freehold.dialects.cuda_tile.text import parse_disassembly
from freehold.dialects.cuda_tile.types import TileType
from freehold.runtime.variants import build
from freehold.support.diagnostic import Rejected

GOLDEN = Path(__file__).with_name("golden")
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


def none(*_: object) -> list[LoadViewTkoOp]:
    return []


def dims_of(load: LoadViewTkoOp) -> tuple[int, ...]:
    return cast("TileType", load.results[0].type).dims


def with_bias(acc: fh.Tile, r: Any, j: Any) -> fh.Tile:
    return acc + r.load((0, j), (1, acc.shape[1]))


def arguments(how: str, tile: tuple[int, int] = (256, 512)) -> tuple[Any, ...]:
    c, r, v = np.zeros((512, 1024), np.float32), np.zeros((8, 1024), np.float32), np.zeros(1024, np.float32)
    a, b = np.zeros((512, 256), np.float16), np.zeros((1024, 256), np.float16)
    return fh.partition(c, tile), a, b, r, v, 3, how


def found(how: str, tile: tuple[int, int] = (256, 512), arch: str = "sm_90", **hints: Any) -> list[str]:
    kernel = biased.with_hints(**{"num_cta_in_cga": 4, "num_worker_warps": 8} | hints)
    code = build.bytecode(kernel.verify(*arguments(how, tile)), kernel.options)
    return [error.code for error in wrong(code, arch)]


@pytest.mark.parametrize("how", ["row", "one axis", "in if", "in a loop", "in helper", "insisting"])
def test_rows_that_are_longer_than_a_load(how: str) -> None:
    assert found(how) == ["O414"]
    assert found(how, arch="sm_100") == ["O414"]
    assert found(how, (256, 256)) == []
    assert found(how, num_cta_in_cga={"sm_90": 1, "sm_100": 4}) == []


@pytest.mark.parametrize("how", ["none", "several rows", "by threads", "gathered"])
def test_what_is_no_such_row(how: str) -> None:
    assert found(how) == []


@pytest.mark.parametrize("blocks", [2, 4, 8])
def test_the_error_has_the_blocks_and_the_longest_row(blocks: int) -> None:
    kernel = biased.with_hints(num_cta_in_cga=blocks)
    (error,) = wrong(build.bytecode(kernel.verify(*arguments("row", (512, 1024))), kernel.options), "sm_90")
    assert error.added == [NeverEnds.Shared(blocks, 1024), NeverEnds.LoadOtherwise()]


def test_without_a_product_no_row_is_shared() -> None:
    y, r = np.zeros((512, 1024), np.float32), np.zeros((1, 1024), np.float32)
    kernel = scaled.with_hints(num_cta_in_cga=4)
    code = build.bytecode(kernel.verify(fh.partition(y, (256, 512)), y.copy(), r), kernel.options)
    assert wrong(code, "sm_90") == []


@pytest.mark.parametrize(
    ("dims", "hint", "is_long"),
    [
        ("1x512", "", True), ("512x1", "", True), ("1x256", "", False), ("2x512", "", False), ("1x1x512", "", True),
        ("1x512", "sm_90 = {allow_tma = false}", False), ("1x512", "default = {allow_tma = false}", False),
        ("1x512", "sm_100 = {allow_tma = false}", True), ("1x512", "sm_90 = {latency = 2}", True),
    ],
)  # fmt: skip
def test_what_is_a_long_row(dims: str, hint: str, is_long: bool) -> None:
    extents = dims.split("x")
    places, strides = ", ".join(["%i"] * len(extents)), ",".join(["1"] * len(extents))
    view = f"partition_view<tile=({dims}), tensor_view<{'x'.join(['4096'] * len(extents))}xf32, strides=[{strides}]>>"
    shape, steps = ", ".join(["4096"] * len(extents)), ", ".join(["1"] * len(extents))
    tensor = f"tensor_view<{'x'.join(['4096'] * len(extents))}xf32, strides=[{strides}]>"
    hints = f" optimization_hints = <{hint}>" if hint else ""
    text = f"""
    cuda_tile.module @m {{
      entry @k(%p: tile<ptr<f32>>) optimization_hints=<sm_90 = {{num_cta_in_cga = 2}}> {{
        %i = constant <i32: 0> : tile<i32>
        %a = constant <f16: 0.0> : tile<64x64xf16>
        %c = constant <f32: 0.0> : tile<64x64xf32>
        %m = mmaf %a, %a, %c : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
        %t = make_tensor_view %p, shape = [{shape}], strides = [{steps}] : {tensor}
        %view = make_partition_view %t : {view}
        %x, %0 = load_view_tko weak %view[{places}]{hints} : {view}, tile<i32> -> tile<{dims}xf32>, token
        return
      }}
    }}
    """
    (entry,) = (op for op in parse_disassembly(text).walk() if isinstance(op, EntryOp))
    loads = wrong_rows.shared_rows(entry, [*entry.walk()], "sm_90")
    assert [dims_of(load) for load in loads] == [tuple(map(int, extents))] * is_long


@pytest.mark.parametrize("arch", ["sm_90", "sm_100"])
def test_threads_load_the_row_and_nothing_else(arch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = biased.with_hints(num_cta_in_cga=4, num_worker_warps=8)
    emitted = build.emitted(kernel.verify(*arguments("row")), kernel.options)
    with monkeypatch.context() as patch:
        patch.setattr(wrong_rows, "shared_rows", none)
        before, moved = build.cubin_of(emitted, arch, "biased")
    assert not moved
    cubin, moved = build.cubin_of(emitted, arch, "biased")
    assert moved
    hinted = [op for op in emitted.walk() if isinstance(op, LoadViewTkoOp) and op.optimization_hints is not None]
    assert [dims_of(op) for op in hinted] == [(1, 512)]
    assert 0 < cubin.count(SHARED) < before.count(SHARED), "the factor is still shared"
    again, moved = build.cubin_of(emitted, arch, "biased")
    assert (again, moved) == (cubin, False), "it is as it was told"


def test_it_is_told() -> None:
    kernel = biased.with_hints(num_cta_in_cga=4, num_worker_warps=8)
    assert "for sm_90 tiles are moved by threads" in kernel.explain(*arguments("row"), arch="sm_90")
    assert "moved by threads" not in kernel.explain(*arguments("by threads"), arch="sm_90")


def test_what_insists_is_refused(golden: Callable[[Path, str], None]) -> None:
    kernel = biased.with_hints(num_cta_in_cga=4, num_worker_warps=8)
    with pytest.raises(Rejected) as caught:
        kernel.compile(*arguments("insisting"), arch="sm_90")
    assert caught.value.codes == ("O414",)
    golden(GOLDEN / "row_shared.err", str(caught.value))
    kernel.compile(*arguments("by threads"), arch="sm_90")  # the edit that it suggests
    kernel.compile(*arguments("insisting", (256, 256)), arch="sm_90")  # and the other one
