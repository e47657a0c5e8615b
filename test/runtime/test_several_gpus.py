"""Several GPUs, in one process and in several: copies, order, launches that mix them up. Skipped where there is one."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Mut, Ref, f32, i32
from freehold.runtime.gpu import driver
from freehold.runtime.launch import binding

HERE = Path(__file__).parent


def _count() -> int:
    return driver.device_count() if driver.gpu_available() else 0


pytestmark = [pytest.mark.cuda, pytest.mark.skipif(_count() < 2, reason="fewer than two GPUs")]


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32):
    y.store(a * x.load_like(y) + y.load())


@fh.kernel
def checked(y: Mut["N"], x: Ref["N"], n: i32):
    assert n > 0, "n is positive"
    y.store(y.load() + x.load_like(y).astype(y.dtype))


def test_tensors_know_their_gpu() -> None:
    for device in range(_count()):
        x = fh.full(1000, device, f32, device=device).sync()
        assert x.device == device
        assert (x.numpy() == device).all()
    assert driver.current_device() == 0


def test_copies_between_gpus() -> None:
    x = fh.arange(100_000, dtype=fh.i32, device=0).sync()
    there = x.to(1).sync()
    assert (there.device, there.to(0).sync().device) == (1, 0)
    assert (there.numpy() == np.arange(100_000)).all()
    part = fh.zeros((100, 50), fh.i32, device=1).sync()
    part[:, 3].copy_from(x[:100]).sync()  # strided, and from another GPU
    assert (part.numpy()[:, 3] == np.arange(100)).all()
    assert part.numpy().sum() == np.arange(100).sum()
    half = fh.zeros(1000, fh.bf16, device=1).sync()
    half.copy_from(x[:1000].reinterpret(f32)).sync()  # converted on the way
    assert half.numpy().shape == (1000,)


def test_a_launch_takes_arrays_of_one_gpu() -> None:
    y, x = fh.ones(100, device=0).sync(), fh.ones(100, device=1).sync()
    for _ in range(2):
        with pytest.raises(fh.Rejected) as caught:
            saxpy(fh.partition(y, 64), x, 1.0).sync()
        assert "GPU" in str(caught.value)
    assert (y.numpy() == 1).all()


def test_launches_on_each_gpu_of_what_is_there() -> None:
    torch: Any = pytest.importorskip("torch")
    for device in (1, 0, 1, 0):  # a launch goes where its arrays are, whatever is current
        x, y = torch.arange(5000.0, device=f"cuda:{device}"), torch.ones(5000, device=f"cuda:{device}")
        saxpy(fh.partition(y, 64), x, 2.0).sync()
        torch.testing.assert_close(y, 2 * x + 1)
        bound = saxpy.bind(fh.partition(y, 64), x, 2.0)
        bound.on()
        bound.sync()
        torch.testing.assert_close(y, 6 * x + 1)
    assert torch.cuda.current_device() == 0
    assert driver.current_device() == 0


def test_launches_like_the_last_are_not_bound_again(monkeypatch: pytest.MonkeyPatch) -> None:
    torch: Any = pytest.importorskip("torch")
    for device in (0, 1):
        x, y = torch.ones(64, dtype=torch.int32, device=f"cuda:{device}"), torch.zeros(64, device=f"cuda:{device}")
        for _ in range(8):
            checked(fh.partition(y, 64), x, 3).sync()
        with monkeypatch.context() as patch:
            patch.setattr(binding, "bind", None)
            checked(fh.partition(y, 64), x, 3).sync()
        assert (y == 9).all().item()


def test_work_that_goes_from_one_gpu_to_another_is_in_order() -> None:
    rng = np.random.default_rng(0)
    tensors = [fh.full(1 << 20, n + 1, f32, device=n % 2).sync() for n in range(4)]
    values = [float(n + 1) for n in range(4)]
    streams = [[driver.new_stream(device) for _ in range(2)] for device in range(2)]
    for _ in range(200):
        a, b = (int(n) for n in rng.choice(4, 2, replace=False))
        if a % 2 == b % 2:
            saxpy(fh.partition(tensors[a], 1024), tensors[b], 0.5).on(streams[a % 2][rng.integers(2)])
            values[a] = values[a] + 0.5 * values[b]
        else:
            tensors[a].copy_from(tensors[b]).on(streams[a % 2][rng.integers(2)])
            values[a] = values[b]
        if max(values) > 1e6:
            for n in range(4):
                tensors[n].fill(n + 1).on(streams[n % 2][0])
                values[n] = float(n + 1)
    for tensor, value in zip(tensors, values, strict=True):
        np.testing.assert_allclose(tensor.numpy(), value, rtol=1e-4)


def test_await_on_two_gpus_at_once() -> None:
    async def one(device: int) -> Any:
        x = await fh.full(10_000, device + 1, f32, device=device)
        y = await fh.ones(10_000, f32, device=device)
        for _ in range(20):
            await saxpy(fh.partition(y, 256), x, 1.0)
        return (await y.to(0)).numpy()

    async def main() -> list[Any]:
        return await asyncio.gather(*[one(device) for device in (0, 1, 0, 1)])

    for device, found in zip((0, 1, 0, 1), asyncio.run(main()), strict=True):
        assert (found == 1 + 20 * (device + 1)).all()


def test_a_chain_over_two_gpus() -> None:
    x = fh.ones(1000, device=0).sync()

    def double(t: fh.Tensor) -> Any:
        return saxpy(fh.partition(t, 64), t.copy(), 1.0)

    def to(device: int) -> Callable[[fh.Tensor], fh.Operation[fh.Tensor]]:
        return lambda tensor: tensor.to(device)

    found = double(x).then(to(1)).then(double).then(to(0)).then(double).sync()
    assert (found.device, found.numpy().max(), found.numpy().min()) == (0, 8, 8)


def test_a_graph_is_of_one_gpu() -> None:
    x, y = fh.ones(1000, device=1).sync(), fh.ones(1000, device=1).sync()
    with fh.graph() as g:
        for _ in range(10):
            g.record(saxpy(fh.partition(y, 64), x, 1.0))
    for _ in range(3):
        g.replay().sync()
    assert (y.numpy() == 31).all()
    z = fh.ones(1000, device=0).sync()
    both = saxpy(fh.partition(y, 64), x, 1.0).zip(saxpy(fh.partition(z, 64), z.copy().sync(), 1.0))
    with pytest.raises(fh.Rejected) as caught:
        both.graph()
    assert caught.value.codes == ("O264",)


def test_a_collective_is_an_operation_of_a_chain(tmp_path: Path) -> None:
    pytest.importorskip("torch.distributed")
    program = str(HERE / "collective_program.py")
    running = [
        subprocess.Popen(
            [sys.executable, program, str(rank), "2", str(tmp_path / "store")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        for process in running:
            out, error = process.communicate(timeout=180)
            assert out == "ok\n", error
    finally:
        for process in running:
            process.kill()
            process.communicate()
