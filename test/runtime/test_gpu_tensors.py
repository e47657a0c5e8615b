"""Tensors on a GPU: contents, conversions, views, streams, torch both ways. Skipped where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Mut, Ref
from freehold.runtime.gpu.driver import new_stream
from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.support import dtypes

pytestmark = pytest.mark.cuda
IN_MEMORY = [d for d in dtypes.ALL if d.storage_bits and d is not dtypes.f8e8m0fnu]  # which has no zero


@fh.kernel
def mix(y: Mut["N"], x: Ref["N"]):
    y.store(y.load() * 3 + x.load_like(y))


@pytest.mark.parametrize("dtype", IN_MEMORY, ids=str)
def test_contents_and_conversions(dtype: fh.DType) -> None:
    array = (np.arange(35) % 2).reshape(5, 7)
    tensor = fh.from_numpy(array, dtype, device=0).sync()
    assert np.array_equal(tensor.numpy().astype(np.int64), array)
    assert np.array_equal(tensor[1:, ::3].T.copy().sync().numpy().astype(np.int64), array[1:, ::3].T)
    assert np.array_equal(tensor.astype(fh.f32).sync().numpy(), array)
    full = fh.full((3, 5), 1, dtype, device=0).sync().numpy()
    assert full.dtype == numpy_dtype(dtype.name)
    assert (full.astype(np.int64) == 1).all()


def test_random_numbers_are_those_of_the_interpreter() -> None:
    here, there = (fh.rand(5000, seed=3, device=d).sync().numpy() for d in (fh.HOST, 0))
    assert np.array_equal(here, there)
    here, there = (fh.randn(5000, seed=3, device=d).sync().numpy() for d in (fh.HOST, 0))
    np.testing.assert_allclose(here, there, rtol=1e-4, atol=1e-5)


def test_streams_are_put_in_order() -> None:
    streams = [new_stream(0) for _ in range(4)]
    tensors = [fh.full(1 << 20, n, fh.i32, device=0).sync() for n in range(4)]
    values = [np.int32(n) for n in range(4)]
    rng = np.random.default_rng(0)
    with np.errstate(over="ignore"):
        for _ in range(500):
            a, b = rng.choice(4, 2, replace=False)
            mix(fh.partition(tensors[a], 1024), tensors[b]).on(streams[rng.integers(4)])
            values[a] = values[a] * np.int32(3) + values[b]
    for tensor, value in zip(tensors, values, strict=True):
        assert (tensor.numpy() == value).all()


@pytest.mark.parametrize("dtype", IN_MEMORY, ids=str)
def test_torch_shares_memory(dtype: fh.DType) -> None:
    torch: Any = pytest.importorskip("torch")
    tensor = fh.ones((3, 4), dtype, device=0).sync()
    found = torch.from_dlpack(tensor)
    assert found.data_ptr() == tensor.pointer
    assert (found.to(torch.float32) == 1).all()
    found.zero_()
    assert not tensor.numpy().astype(np.float32).any()
    assert fh.from_dlpack(found).pointer == tensor.pointer


def test_a_borrow_is_copied_back() -> None:
    tensor = fh.zeros((8, 8), device=0).sync()
    with tensor[:, 1].borrow_mut() as inside:
        inside[...] = 2
    assert tensor.numpy().sum() == 16
