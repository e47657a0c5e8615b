"""Launches on a GPU: results against NumPy, streams, libraries, faults. Skipped where there is none."""

from __future__ import annotations

import gc
import os
import random
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32
from freehold.runtime.gpu.driver import new_stream

pytestmark = pytest.mark.cuda


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32):
    y.store(a * x.load_like(y) + y.load())


@fh.kernel
def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 32):
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    c.store(acc.astype(c.dtype))


@pytest.mark.parametrize("n", [1, 63, 64, 1000, 100_003])
def test_saxpy(n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = (rng.standard_normal(n, dtype=np.float32) for _ in range(2))
    on_x, on_y = fh.to_device(x), fh.to_device(y)
    saxpy(fh.partition(on_y, 64), on_x, 2.0).sync()
    np.testing.assert_allclose(fh.to_numpy(on_y), 2 * x + y, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("blocks", [fh.EACH, fh.PERSISTENT])
@pytest.mark.parametrize("order", [fh.ROW, fh.COLUMN, fh.grouped(2), fh.grouped(3)])
def test_gemm_is_the_same_under_every_schedule(order: Any, blocks: Any) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape, dtype=np.float32) for shape in ((200, 136), (136, 312)))
    a, b = a.astype(ml_dtypes.bfloat16), b.astype(ml_dtypes.bfloat16)
    c = fh.to_device(np.full((200, 312), np.nan, np.float32).astype(ml_dtypes.bfloat16))
    gemm(fh.partition(c, (64, 64), order=order, blocks=blocks), fh.to_device(a), fh.to_device(b)).sync()
    expected = a.astype(np.float32) @ b.astype(np.float32)
    assert np.linalg.norm(fh.to_numpy(c).astype(np.float32) - expected) <= 1e-2 * np.linalg.norm(expected)


def test_the_gpu_and_the_interpreter_agree() -> None:
    x, y = np.arange(500, dtype=np.float32), np.ones(500, np.float32)
    there = fh.to_device(y)
    saxpy(fh.partition(there, 128), fh.to_device(x), 0.5).sync()
    saxpy(fh.partition(y, 128), x, 0.5).sync()
    assert np.array_equal(fh.to_numpy(there), y)


def test_torch_tensors_and_streams() -> None:
    torch: Any = pytest.importorskip("torch")
    x, y = torch.randn(10_000, device="cuda"), torch.randn(10_000, device="cuda")
    expected = 3 * x + y
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            saxpy(fh.partition(y, 256), x, 1.0).on()
    side.synchronize()
    torch.testing.assert_close(y, expected)
    columns = torch.zeros(64, 96, device="cuda")
    torch.cuda.synchronize()
    saxpy(fh.partition(columns[:, 5], 16), torch.ones(64, device="cuda"), 2.0).sync()
    assert columns.sum().item() == 128
    assert columns[:, 5].sum().item() == 128


def test_torch_is_watched() -> None:
    torch: Any = pytest.importorskip("torch")
    x, y = torch.ones(64, device="cuda"), torch.ones(64, device="cuda", requires_grad=True)
    for _ in range(2):
        with pytest.raises(fh.Rejected) as caught:
            saxpy(fh.partition(y, 64), x, 1.0).sync()
        assert caught.value.codes == ("O206",)
        with torch.no_grad():
            saxpy(fh.partition(y, 64), x, 1.0).sync()
    with pytest.raises(fh.Rejected) as caught:
        saxpy(fh.partition(x[:32], 16), x[16:48], 1.0).sync()
    assert caught.value.codes == ("O201",)


def test_a_torch_graph_captures_launches() -> None:
    torch: Any = pytest.importorskip("torch")
    x, y = torch.ones(4096, device="cuda"), torch.zeros(4096, device="cuda")
    saxpy(fh.partition(y, 256), x, 1.0).sync()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(5):
            saxpy(fh.partition(y, 256), x, 1.0).on()
    graph.replay()
    torch.cuda.synchronize()
    assert (y == 6).all().item()


def test_cupy_arrays() -> None:
    cupy: Any = pytest.importorskip("cupy")
    x, y = cupy.arange(1000, dtype=cupy.float32), cupy.ones(1000, dtype=cupy.float32)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        stream.synchronize()
        saxpy(fh.partition(y, 64), x, 2.0).on()
        stream.synchronize()
    assert cupy.allclose(y, 2 * x + 1)


def test_streams_that_are_gone() -> None:
    """What was launched on a stream of another library may have to be ordered after the library has let go of it."""
    cupy: Any = pytest.importorskip("cupy")
    x, y = cupy.arange(1000, dtype=cupy.float32), cupy.ones(1000, dtype=cupy.float32)
    for _ in range(4):
        with cupy.cuda.Stream(non_blocking=True) as stream:
            stream.synchronize()
            saxpy(fh.partition(y, 64), x, 2.0).on()
        saxpy(fh.partition(y, 64), x, 2.0).on(cupy.cuda.Stream(non_blocking=True))
        del stream
        gc.collect()
        for _ in range(20):
            saxpy(fh.partition(y, 64), x, 2.0).on()
    cupy.cuda.Device().synchronize()
    assert cupy.allclose(y, 2 * 88 * x + 1)


def test_dlpack_and_the_array_interface() -> None:
    torch: Any = pytest.importorskip("torch")

    class Dlpack:
        """A tensor by DLPack alone."""

        def __init__(self, tensor: Any):
            self.tensor = tensor

        def __dlpack__(self, **options: Any) -> Any:
            return self.tensor.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return self.tensor.__dlpack_device__()

    class Interface:
        """A tensor by its interface alone."""

        def __init__(self, tensor: Any):
            self.__cuda_array_interface__ = tensor.__cuda_array_interface__
            self.tensor = tensor

    x, y = torch.ones(300, device="cuda"), torch.zeros(300, device="cuda")
    torch.cuda.synchronize()
    saxpy(fh.partition(Interface(y), 64), Dlpack(x), 2.0).sync()
    assert (y == 2).all().item()
    there = fh.to_device(np.arange(12, dtype=np.float32))
    assert torch.as_tensor(there, device="cuda").tolist() == list(range(12))


@fh.kernel
def mix(y: Mut["N"], x: Ref["N"]):
    y.store(y.load() * 3 + x.load_like(y))


@pytest.mark.parametrize("seed", range(3))
def test_torch_uses_memory_again_while_launches_wait(seed: int) -> None:
    """
    What a launch reads is dropped while its stream is busy, and torch hands that memory out again and writes there.

    Its allocator does so at once, on the current stream, so the launch has to come before what is written there next.
    """
    torch: Any = pytest.importorskip("torch")
    n, chosen = 1 << 16, random.Random(seed)
    theirs = [torch.cuda.default_stream(), *[torch.cuda.Stream() for _ in range(2)]]
    streams = [None, *theirs, *[new_stream(0) for _ in range(2)]]

    def made(value: int) -> Any:
        return torch.full((n,), value, dtype=torch.int32, device="cuda")

    mix(fh.partition(made(0), 1024), made(0)).sync()
    again = 0
    for _ in range(30):
        kept: list[tuple[Any, int]] = []
        for _ in range(8):
            stream, a, b = chosen.choice(streams), chosen.randrange(1000), chosen.randrange(1000)
            with torch.cuda.stream(chosen.choice(theirs)):
                y, x = made(a), made(b)
                address = x.data_ptr()
                torch.cuda._sleep(100_000)
                if stream in theirs:
                    with torch.cuda.stream(stream):
                        torch.cuda._sleep(100_000)
                bound = chosen.random() < 0.3 and mix.bind(fh.partition(y, 1024), x)
                (bound or mix(fh.partition(y, 1024), x)).on(stream)
                del x, bound
                garbage = made(-1)
                again += garbage.data_ptr() == address
                kept.append((y, a * 3 + b))
        torch.cuda.synchronize()
        assert all((y == value).all().item() for y, value in kept)
    caches = torch.cuda.get_allocator_backend() == "native" and not os.environ.get("PYTORCH_NO_CUDA_MEMORY_CACHING")
    assert again or not caches, "no memory was used again, so nothing was tried"
