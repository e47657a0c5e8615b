"""Checks that fail in kernels on a GPU: the exception, and that the GPU goes on. Skipped where there is none."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import freehold as fh
from freehold import Const, Mut, Out, Ref, bf16, f32, f64, i32, i64, u32, u64
from freehold.runtime.gpu import failures

pytestmark = pytest.mark.cuda

SIDE = 64


@fh.kernel
def pick(y: Out["N"], x: Ref["M"], table: Ref[i32, "N // 64"]):
    """Block `i` copies the tile that the table says."""
    (i,) = y.index
    y.store(x.load((table.load((i,), (1,)).max(),), (64,)))


@fh.kernel
def pages(y: Out["N"], x: Ref["M"], table: Ref[i32, "P"]):
    """Each block sums the tiles that the table says."""
    acc = fh.zeros(y.tile, f32)
    for j in range(table.shape[0]):
        acc += x.load((table.load((j,), (1,)).max(),), (64,))
    y.store(acc)


@fh.kernel
def place(y: Mut["N", "M"], where: Ref[i32, "N"]):
    """Block `i` writes its row's tile that the table says."""
    (i,) = y.index
    y.at(where.load((i,), (1,)).max()).store(1.0)


@fh.kernel
def asserting(y: Mut["N"], a: i32, b: u32, c: f32, d: bf16, e: f64, f: i64, g: u64):
    assert not (a < 0 and b > 0 and c > 0 and d > 0 and e > 0 and f > 0 and g > 0), "all of these"
    y.store(y.load() + 1.0)


@fh.kernel
def asserting_in_loops(y: Mut["N"], x: Ref["N"], n: i32, K: Const[int] = 3):
    total = y.load()
    for k in range(n):
        k2 = k
        while k2 > 0:
            assert k2 != K, "no such number"
            k2 -= 1
        total += x.load_like(y)
    y.store(total)


def on_gpu(array: Any) -> Any:
    return fh.to_device(np.asarray(array))


def picked(tiles: list[int]) -> tuple[Any, Any]:
    """A launch of `pick`, and its output."""
    y = on_gpu(np.full(SIDE * len(tiles), -1, np.float32))
    x = on_gpu(np.arange(4 * SIDE, dtype=np.float32))
    return pick(fh.partition(y, 64), x, on_gpu(np.array(tiles, np.int32))), y


def told(code: str, contains: str, function: Any) -> str:
    with pytest.raises(fh.Rejected) as caught:
        function()
    assert caught.value.codes == (code,), str(caught.value)
    assert contains in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("wrong", [4, -1, 2**31 - 1, -(2**31)])
def test_an_index_out_of_bounds_raises_and_the_gpu_goes_on(wrong: int) -> None:
    launch, y = picked([0, 1, wrong, 3])
    text = told("O233", f"index {wrong} of axis 0 is outside `x`, which has 4 tiles there", launch.sync)
    assert "y.store(x.load((table.load((i,), (1,)).max(),), (64,)))" in text
    assert "in block 2" in text
    found = fh.to_numpy(y).reshape(4, SIDE)
    assert (found[2] == -1).all(), "the block of the index wrote nothing"
    launch, y = picked([3, 2, 1, 0])
    launch.sync()
    assert fh.to_numpy(y).reshape(4, SIDE)[:, 0].tolist() == [192, 128, 64, 0]


@pytest.mark.parametrize("blocks", [fh.EACH, fh.PERSISTENT])
def test_an_index_in_a_loop(blocks: Any) -> None:
    x, y = on_gpu(np.ones(64 * SIDE, np.float32)), on_gpu(np.full(32 * SIDE, -1, np.float32))
    good, bad = (np.arange(200, dtype=np.int32) % 64 for _ in range(2))
    bad[137], bad[150] = 64, 99
    told(
        "O233",
        "index 64 of axis 0 is outside `x`, which has 64 tiles",
        pages(fh.partition(y, 64, blocks=blocks), x, on_gpu(bad)).sync,
    )
    assert (fh.to_numpy(y) == -1).all()
    pages(fh.partition(y, 64, blocks=blocks), x, on_gpu(good)).sync()
    assert (fh.to_numpy(y) == 200).all()


def test_a_write_in_another_place_does_not_happen() -> None:
    y = on_gpu(np.zeros((8, 4 * SIDE), np.float32))
    where = np.array([0, 1, 2, 3, 4, 0, 1, 2], np.int32)
    told("O233", "index 4 of axis 1 is outside `y`", place(fh.partition(y, (1, 64), owned=1), on_gpu(where)).sync)
    found = fh.to_numpy(y)[:, ::SIDE]
    assert not found[4].any()
    assert found.sum() <= 7


def test_assertions_show_their_values() -> None:
    y = on_gpu(np.zeros(128, np.float32))
    values = (-7, 2**32 - 1, 0.5, ml_dtypes.bfloat16(1.5), 1e300, 2**40, 2**64 - 1)
    text = told("O234", "assertion failed: all of these", asserting(fh.partition(y, 64), *values).sync)
    assert "`a` = -7, `b` = 4294967295, `c` = 0.5, `d` = 1.5, `e` = 1e+300, `f` = 1099511627776" in text
    asserting(fh.partition(y, 64), 7, *values[1:]).sync()
    assert (fh.to_numpy(y) == 1).all()


def test_assertions_in_loops() -> None:
    y, x = on_gpu(np.zeros(1024, np.float32)), on_gpu(np.ones(1024, np.float32))
    told("O234", "no such number", asserting_in_loops(fh.partition(y, 64), x, 10).sync)
    assert not fh.to_numpy(y).any()
    asserting_in_loops(fh.partition(y, 64), x, 3).sync()
    assert (fh.to_numpy(y) == 3).all()


def test_await_and_streams() -> None:
    async def wait(operation: Any) -> bool:
        gather: Any = asyncio.gather
        answers: list[Any] = await gather(operation, return_exceptions=True)
        found = answers[0]
        return not (isinstance(found, fh.Rejected) and found.codes == ("O233",))

    async def both() -> None:
        launches = [picked([0, 1, 4 if n % 3 == 1 else 2, 3])[0] for n in range(12)]
        assert await asyncio.gather(*map(wait, launches)) == [n % 3 != 1 for n in range(12)]

    asyncio.run(both())
    first, second = (picked([wrong, 1])[0].on(fh.RoundRobin(1).stream(0)) for wrong in (5, 6))
    told("O233", "index 6", second.wait)
    told("O233", "index 5", first.wait)
    launch, y = picked([9, 1])
    launch.on()
    told("O233", "index 9", y.numpy)


def test_graphs() -> None:
    table = on_gpu(np.array([0, 1], np.int32))
    y, x = on_gpu(np.zeros(2 * SIDE, np.float32)), on_gpu(np.arange(4 * SIDE, dtype=np.float32))
    with fh.graph() as g:
        g.record(pick(fh.partition(y, 64), x, table))
    g.replay().sync()
    g.update(table, np.array([0, 7], np.int32)).sync()
    told("O233", "index 7", g.replay().sync)
    told("O233", "index 7", lambda: asyncio.run(waits(g.replay())))
    g.update(table, np.array([3, 2], np.int32)).sync()
    g.replay().sync()
    assert fh.to_numpy(y)[::SIDE].tolist() == [192, 128]


async def waits(operation: Any) -> None:
    await operation


def test_torch() -> None:
    torch: Any = pytest.importorskip("torch")
    x, y = torch.arange(4.0 * SIDE, device="cuda"), torch.zeros(2 * SIDE, device="cuda")
    good, bad = (torch.tensor(t, dtype=torch.int32, device="cuda") for t in ([0, 1], [0, 4]))
    operator = pick.as_torch_op("freehold_test_checks::pick", {"y": 64})
    for _ in range(3):
        operator(y, x, good)
    torch.cuda.synchronize()
    failures.raise_failures()
    operator(y, x, bad)
    torch.cuda.synchronize()
    told("O233", "index 4", failures.raise_failures)
    graph = torch.cuda.CUDAGraph()
    table = good.clone()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        operator(y, x, table)
    graph.replay()
    torch.cuda.synchronize()
    failures.raise_failures()
    table.copy_(bad)
    graph.replay()
    torch.cuda.synchronize()
    told("O233", "index 4", failures.raise_failures)
    launch = pick(fh.partition(y, 64), x, bad)
    told("O233", "index 4", launch.sync)


def test_many_launches() -> None:
    y = on_gpu(np.zeros(128, np.float32))
    values = (2**32 - 1, 0.5, ml_dtypes.bfloat16(1.5), 1e300, 2**40, 2**64 - 1)
    for n in range(5000):
        asserting(fh.partition(y, 64), -1 if n == 2345 else 1, *values).on()
    told("O234", "`a` = -1", y.numpy)
    assert (y.numpy() == 4999).all()


TRAPS = """
import numpy as np, pytest, freehold as fh
from freehold import Mut, i32

@fh.kernel(checks="trap")
def stops(y: Mut["N"], a: i32):
    assert a > 0, "a is positive"
    y.store(y.load() + 1.0)

y = fh.to_device(np.zeros(64, np.float32))
stops(fh.partition(y, 64), 1).sync()
assert (y.numpy() == 1).all()
with pytest.raises(fh.Rejected) as caught:
    stops(fh.partition(y, 64), -1).sync()
assert caught.value.codes == ("O280",), str(caught.value)
print("the GPU is lost")
"""


def test_a_trap_stops_the_gpu(tmp_path: Path) -> None:
    program = tmp_path / "traps.py"
    program.write_text(TRAPS)
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "the GPU is lost" in done.stdout
    assert "a is positive" in done.stdout + done.stderr
