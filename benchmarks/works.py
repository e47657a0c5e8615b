"""What benchmarks of the library time: a function, the way of a rival, and how much of it there is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Work(NamedTuple):
    """A function of the library on tensors, torch's way of the same, and how much of it there is."""

    name: str
    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    tensors: tuple[Any, ...]
    amount: float
    """Terabytes, or teraflops."""
    unit: str = "TB/s"
    bound: float = 1e-2
    """The largest relative error in the Frobenius norm."""
    compiled: bool = True
    """Whether torch.compile is a rival, too."""
    recorded: bool = True
    """Whether calls are replayed from a graph; gradients cannot be."""
    widened: bool = True
    """Whether the rival computes what is right in higher precision; else in the dtypes that are given."""


def bytes_of(*tensors: Any) -> float:
    """Terabytes of tensors."""
    return sum(t.numel() * t.element_size() for t in tensors) / 1e12
