"""What benchmarks of the library time: a function, the way of a rival, and how much of it there is."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


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
    triton: str | None = None
    """The function of `benchmarks.rival_triton` that does the same."""
    widened: bool = True
    """Whether the rival computes what is right in higher precision; else in the dtypes that are given."""


def bytes_of(*tensors: Any) -> float:
    """Terabytes of tensors."""
    return sum(t.numel() * t.element_size() for t in tensors) / 1e12


def gradient(
    name: str, ours: Callable[..., Any], theirs: Callable[..., Any], given: Any, dy: Any, amount: float, torch: Any
) -> Work:
    """The gradients of all of `given`, of graphs that are made once, by the first call."""
    leaves = [t.detach().requires_grad_() for t in given]

    def of(way: Callable[..., Any]) -> Callable[..., Any]:
        made: list[Any] = []

        def gradients(dy: Any, *_: Any) -> Any:
            if not made:
                with torch.enable_grad():
                    made.append(way(*leaves))
            y = made[0]
            return torch.autograd.grad(y, leaves, dy.to(y.dtype), retain_graph=True)

        return gradients

    return Work(name, of(ours), of(theirs), (dy,), amount, compiled=False, recorded=False)


def by_processes(prepared: Callable[[int, argparse.Namespace], T], arguments: argparse.Namespace) -> list[T]:
    """What each of `arguments.prepare` processes returns, which has its part of all works compiled."""
    jobs: int = arguments.prepare
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        return pool.starmap(prepared, [(part, arguments) for part in range(jobs)], 1)
