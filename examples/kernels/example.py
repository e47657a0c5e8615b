"""What each family of kernels says of its members: a launch of each on small arrays, and the result by NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Example(NamedTuple):
    """A launch, `kernel(*arguments)`, and what is in the arrays that it writes when it is done."""

    kernel: Any
    arguments: tuple[Any, ...]
    """As a launch has them: arrays, partitions of arrays, numbers."""
    expected: Mapping[int, Array]
    """What NumPy computes, by the number of the argument that holds it afterwards."""
    tolerance: float = 1e-5
    """The largest relative error in the Frobenius norm; 0 asks for equality."""
    checks: int = 0
    """How many numbers that come from memory are checked in the kernel, once a block: positions, and offsets."""


def with_one(kernel: Any) -> Any:
    """A kernel of tuples of tensors in the form with one tensor in each: it takes them by themselves."""
    return kernel.in_form(tuple((None,) if p.many else None for p in kernel.signature.parameters))[0]


class Inputs:
    """Random arrays, the same in every run."""

    def __init__(self, seed: int = 0):
        self.rng = np.random.default_rng(seed)

    def normal(self, *shape: int, dtype: Any = np.float32) -> Array:
        """Numbers of the normal distribution, rounded to `dtype`."""
        return self.rng.standard_normal(shape, np.float32).astype(dtype)

    def integers(self, low: int, high: int, *shape: int, dtype: Any = np.int32) -> Array:
        """Integers from `low` up to but not `high`."""
        return self.rng.integers(low, high, shape).astype(dtype)


def unwritten(*shape: int, dtype: Any = np.float32) -> Array:
    """An array of NaNs, or of -1 for integers: what a kernel leaves of it shows."""
    filler = -1 if np.issubdtype(dtype, np.integer) else np.nan
    return np.full(shape, filler, dtype)


def softmax(x: Array, axis: int = -1) -> Array:
    """The exponentials along an axis by their sum."""
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


BF16 = ml_dtypes.bfloat16
FP8 = ml_dtypes.float8_e4m3fn
