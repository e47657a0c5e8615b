"""A kernel around lines that are written as they would be elsewhere, and what is said of each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from fragments import kernel_of, said

HEAD = """
import dataclasses, math
LISTED, LONG, MIXED = [1, 2], [1, 2, 3, 4, 5, 6, 7, 8, 9], ["a", 1]
EIGHT, NAMED, NUMBERED, COMPLEX = [0, 1, 2, 3, 4, 5, 6, 7.5], {"high": 1}, {1: 2}, 1 + 2j

@dataclass(frozen=True)
class Pair:
    left: object
    right: object

def nothing(a): pass
def some(a, b=2, *, c=3): return a
def many(a, *b): return a

def kernel(y: Out[f32, "M", "N"], x: Ref[f32, "M", "N"], v: Ref[f32, "N"], w: Ref[f32, "K", "L"], k: Mut[f32, "M"],
           n: int, s: float, C: Const[int]):
    i, j = y.index
    t = x.load_like(y)
    r = v.load((0,), (8,))
    b = t > 0
"""


def arguments(part: Any) -> list[Any]:
    """Of the kernel."""
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    return [part(np.zeros((4, 8), np.float32), 4, 8), x, x[0].copy(), x, part(x[:, 0].copy(), 4), 3, 0.5, 4]


def of_section(lines: str, lowered: Callable[..., Any], part: Any) -> str:
    """What is said of each line of a section."""
    given = arguments(part)
    refused = said(lines.strip().split("\n"), lambda line: lowered(kernel_of(*line.split(" ;; "), head=HEAD), *given))
    return "\n".join(refused)
