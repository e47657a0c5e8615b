"""A kernel of numba-cuda that a foreign kernel is made of in tests; imported only where numba-cuda is installed."""

# pyright: basic

from __future__ import annotations

from importlib import import_module
from typing import Any

cuda: Any = import_module("numba.cuda")


@cuda.jit
def scale(y: Any, x: Any, a: Any) -> None:
    """y[i, j] = a x[j]."""
    i, j = cuda.grid(2)
    if i < y.shape[0] and j < y.shape[1]:
        y[i, j] = a * x[j]
